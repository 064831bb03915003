/*
 * Counts the costs of circular shifts by all methods for each distance q, without moving data. The
 * costs equal those of the step `shift`, which runs the same plans, microprograms and router. Costs
 * that many q share are computed once.
 *
 * For plans: plans with the same runs of steps have the same microprogram. In a run of equal steps
 * each repetition from the second on costs the same, because it begins in the state that the
 * repetition before has left. So a few repetitions are run, and the costs of the others are added.
 *
 * For e-cube: if the paths of a shift share no channel, no packet waits. Then the time of the shift
 * is the time of a single packet over the longest path. Otherwise the router runs.
 */
#ifndef CM_PROGRAMS_NETWORK_SURVEY_H
#define CM_PROGRAMS_NETWORK_SURVEY_H

#include "../../sim/machine/config.h"
#include "circular.h"

CM_BEGIN_DECLS

/* Methods of the table of costs. E-cube occurs with binary labels and with Gray code. */
enum cm_survey_method {
    CM_SURVEY_RING,
    CM_SURVEY_MESH_FORWARD,
    CM_SURVEY_MESH,
    CM_SURVEY_LINEAR,
    CM_SURVEY_PHASES,
    CM_SURVEY_SIGNED,
    CM_SURVEY_ECUBE,
    CM_SURVEY_ECUBE_GRAY,
    CM_SURVEY_COUNT
};
/* Returns the name of a method as it is written in options, such as "mesh-forward". */
CM_API const char *cm_survey_method_name(enum cm_survey_method method);

/* Parameters that all rows of the table share. */
struct cm_survey_task {
    uint32_t nodes, words;  /* number of labels p, and number of words of a message */
    uint32_t rows, columns; /* shape of the mesh. 0: the squarest mesh with this number of nodes */
    /* True if ts, tw and th were given. Then times are also reported in the unit of these times. */
    bool timed;
    double ts, tw, th; /* textbook times of a message's start-up, a word and a hop */
};

/* Cost of a shift by q with one method. */
struct cm_survey_row {
    uint32_t by;                  /* distance q of the shift */
    enum cm_survey_method method; /* method of the shift */
    uint32_t steps;               /* number of steps of the plan. 1 for the router */
    uint32_t congestion;          /* most messages over one channel in one step */
    uint32_t path_max;            /* most channels that one message crosses */
    uint64_t word_times; /* time of the shift in word times. A word time is unit_cycles cycles */
    /* cycles of an exchange (plan) or of a word on a channel (router) */
    uint64_t unit_cycles;
    uint64_t cycles; /* cycles of the whole shift on the machine */
    /* cycles by the textbook's formula, evaluated with the machine's times */
    double formula_cycles;
    /* times of the shift and of the formula, in the unit of ts, tw and th. Set if the task
     * is timed */
    double time_units, formula_units;
};

/* Times of the machine for the textbook's formulas, in cycles. The start-up time ts is 0. */
struct cm_survey_times {
    uint64_t exchange_word; /* tw of a plan: time of a word over a channel in an exchange */
    uint64_t router_word;   /* tw of e-cube: time of a word over a channel in the router */
    uint64_t router_hop;    /* th: time that one more channel adds to a packet */
};

/* Length of messages from which on e-cube (equation 4.12 of the textbook) takes no longer than
 * phases (equation 4.11). */
struct cm_survey_crossover {
    uint32_t by; /* distance q of the shift */
    /* number of steps of phases, and number of channels on the longest path of e-cube */
    uint32_t phases_steps, path_max;
    /* length in words on the machine. 0: no such length up to CM_SURVEY_WORDS_MAX */
    uint32_t words;
    /* Length in words by the two equations, evaluated with the times that the rows use. Negative:
     * there is no such length. */
    double formula_words;
};
#define CM_SURVEY_WORDS_MAX 4096u

struct cm_survey;

/* Makes a survey, which computes the rows of the table. Fails with CM_BAD_INPUT for a number out of
 * range. The caller destroys the survey, also after a failure. */
CM_API enum cm_status cm_survey_create(const struct cm_config *config,
                                       const struct cm_survey_task *task, struct cm_survey **survey,
                                       struct cm_error *err);
CM_API void cm_survey_destroy(struct cm_survey *survey);
/* Returns the task of a survey, with the shape of the mesh that was chosen. */
CM_API const struct cm_survey_task *cm_survey_task(const struct cm_survey *survey);
CM_API struct cm_survey_times cm_survey_times(const struct cm_survey *survey);
/* Returns the circular shift that a row of the table describes. Fails with CM_BAD_INPUT and the
 * message of the step `shift` if this number of nodes cannot make the shift by this method. */
CM_API enum cm_status cm_survey_shift(const struct cm_survey *survey, enum cm_survey_method method,
                                      uint32_t by, struct cm_circular *shift, struct cm_error *err);
CM_API enum cm_status cm_survey_row(struct cm_survey *survey, enum cm_survey_method method,
                                    uint32_t by, struct cm_survey_row *row, struct cm_error *err);
CM_API enum cm_status cm_survey_crossover(struct cm_survey *survey, uint32_t by,
                                          struct cm_survey_crossover *crossover,
                                          struct cm_error *err);

CM_END_DECLS

#endif
