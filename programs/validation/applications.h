/*
 * Published rates of whole kernels (cm_published_fact) compared with simulated ones. Each kernel is
 * timed, without data, on the caller's machine and on the machine of the first fit. The numbers of
 * the first fit were fixed before any of these facts was read. Nothing is fitted to the facts.
 */
#ifndef CM_PROGRAMS_VALIDATION_APPLICATIONS_H
#define CM_PROGRAMS_VALIDATION_APPLICATIONS_H

#include "validate.h"

CM_BEGIN_DECLS

/* Largest number of sizes of a form, and of forms. */
#define CM_APPLICATION_POINTS_MAX 16u
#define CM_APPLICATION_FORMS_MAX  48u

/* Machines of the simulation: the caller's, and that of the first fit. */
enum cm_application_machine {
    CM_APPLICATION_GIVEN,
    CM_APPLICATION_FIRST_FIT,
    CM_APPLICATION_MACHINES
};

/* Fact at one size, published and simulated. */
struct cm_application_point {
    char size[32];                             /* size in words, as "2^24 points" */
    double published;                          /* in the fact's unit */
    double simulated[CM_APPLICATION_MACHINES]; /* in the fact's unit, on each machine */
};

/* One way to simulate a fact. A source that leaves choices open has several forms. */
struct cm_application_form {
    const struct cm_published_fact *fact; /* the published fact */
    const char *name;   /* choices in words, as "binary code, without reordering" */
    const char *remark; /* differences that prevent a comparison. NULL: none known */
    /* True if the value is an upper bound, because only a part of the kernel is simulated. */
    bool bound;
    /* True for the one form that the fact is judged by. It was fixed for a reason that does not
     * look at rates. FFTs: binary code, in which an exchange joins the elements of a butterfly,
     * and without reordering, which is all that the exchanges do. All-to-all: Hamiltonian cycles,
     * the algorithm of the source. Products: 32 bits, over all nodes Cannon's algorithm. */
    bool judged;
    struct cm_application_point points[CM_APPLICATION_POINTS_MAX]; /* simulated sizes */
    uint32_t point_count;   /* number of entries in `points` */
    uint32_t chosen;        /* number of the point that represents the form */
    const char *chosen_for; /* why the point was chosen, as "the largest rate" */
};

/* Simulated facts. */
struct cm_applications {
    struct cm_config machines[CM_APPLICATION_MACHINES];         /* machines as read */
    struct cm_application_form forms[CM_APPLICATION_FORMS_MAX]; /* in any order */
    uint32_t form_count;                                        /* number of entries in `forms` */
    double wall_seconds;                                        /* host seconds for all facts */
};

/*
 * Simulates all facts that can be simulated. Uses the options `config`, `threads`, `watch`,
 * `progress` and `context`. Facts of the CM-2 run on the same machines at the CM-2's clock, the
 * only difference between configs/cm2.json and cm200.json. Fails with CM_BAD_INPUT if the machine
 * has fewer than 2,048 nodes or cannot hold a kernel, and with CM_INTERRUPTED.
 */
CM_API enum cm_status cm_applications_run(const struct cm_validate_options *options,
                                          struct cm_applications *applications,
                                          struct cm_error *err);

/* Largest error of a hit: about the mean error of predicted times (docs/fidelity.md). */
#define CM_APPLICATION_HIT 0.10

/* Returns why a fact has no simulated value, or NULL if it has one. */
CM_API const char *cm_application_missing(const struct cm_published_fact *fact);

/* Append the comparison: as text in a style of report/style.h, or as JSON (format
 * "cm200-applications/1"). */
CM_API void cm_applications_text(const struct cm_applications *applications, unsigned style,
                                 struct cm_buffer *text);
CM_API enum cm_status cm_applications_json(const struct cm_applications *applications,
                                           struct cm_buffer *text, struct cm_error *err);

CM_END_DECLS

#endif
