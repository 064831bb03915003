/*
 * Circular shifts by all methods: what each costs for a q, without its data. The counts are those
 * of the step `shift`: of its plan, its microprogram and the router. What is the same for many q is
 * found once:
 *
 *   plans    two plans with the same runs of steps have the same microprogram. A run of equal steps
 *            costs the same from its second repetition on, because each begins where the one before
 *            has left the machine; so a few repetitions are run, and the others counted
 *   e-cube   where the paths of a shift share no channel no packet waits, and the longest path has
 *            the time of the router for a packet alone; else the router runs
 */
#ifndef CM_PROGRAMS_NETWORK_SURVEY_H
#define CM_PROGRAMS_NETWORK_SURVEY_H

#include "../../sim/machine/config.h"
#include "circular.h"

CM_BEGIN_DECLS

/* The methods of a table; e-cube with binary labels, and with Gray code. */
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
/* As options have it: "mesh-forward". */
CM_API const char *cm_survey_method_name(enum cm_survey_method method);

/* What all rows have in common. */
struct cm_survey_task {
    uint32_t nodes, words;  /* p, and words of a message */
    uint32_t rows, columns; /* of the mesh; 0: the squarest mesh of these nodes */
    bool timed;             /* ts, tw and th were given: times in these units, too */
    double ts, tw, th;      /* textbook times: start-up, a word, a hop */
};

/* What a shift by q costs by one method. */
struct cm_survey_row {
    uint32_t by;                      /* q */
    enum cm_survey_method method;     /* by which it was counted */
    uint32_t steps;                   /* 1 for the router */
    uint32_t congestion;              /* most messages over one channel, in one step */
    uint32_t path_max;                /* channels that one message crosses, at most */
    uint64_t word_times;              /* each of unit_cycles */
    uint64_t unit_cycles;             /* of an exchange; of the router: of a word on a channel */
    uint64_t cycles;                  /* of the whole shift */
    double formula_cycles;            /* of the textbook's formula, with the machine's times */
    double time_units, formula_units; /* timed */
};

/* The times of the machine that the textbook's formulas are evaluated with, in cycles; ts is 0. */
struct cm_survey_times {
    uint64_t exchange_word; /* tw of a plan: a word over a channel in an exchange */
    uint64_t router_word;   /* tw of e-cube */
    uint64_t router_hop;    /* th: what one more channel adds to the time of a packet */
};

/* Messages from which on e-cube (4.12) takes no longer than phases (4.11). */
struct cm_survey_crossover {
    uint32_t by;                     /* q */
    uint32_t phases_steps, path_max; /* of phases; of e-cube */
    uint32_t words;                  /* on the machine; 0: none up to CM_SURVEY_WORDS_MAX */
    /* By the two equations, in words, evaluated as the rows are; negative: at no length. */
    double formula_words;
};
#define CM_SURVEY_WORDS_MAX 4096u

struct cm_survey;

/* CM_BAD_INPUT when a number is out of range. Destroy it in either case. */
CM_API enum cm_status cm_survey_create(const struct cm_config *config,
                                       const struct cm_survey_task *task, struct cm_survey **survey,
                                       struct cm_error *err);
CM_API void cm_survey_destroy(struct cm_survey *survey);
/* The task, with the mesh that is taken. */
CM_API const struct cm_survey_task *cm_survey_task(const struct cm_survey *survey);
CM_API struct cm_survey_times cm_survey_times(const struct cm_survey *survey);
/* The shift that a row is of. CM_BAD_INPUT when these nodes cannot do it by this method, as the
 * step would say. */
CM_API enum cm_status cm_survey_shift(const struct cm_survey *survey, enum cm_survey_method method,
                                      uint32_t by, struct cm_circular *shift, struct cm_error *err);
CM_API enum cm_status cm_survey_row(struct cm_survey *survey, enum cm_survey_method method,
                                    uint32_t by, struct cm_survey_row *row, struct cm_error *err);
CM_API enum cm_status cm_survey_crossover(struct cm_survey *survey, uint32_t by,
                                          struct cm_survey_crossover *crossover,
                                          struct cm_error *err);

CM_END_DECLS

#endif
