/*
 * Published rates of whole kernels (cm_published_fact) compared with simulated rates. Each kernel
 * is timed, without data, on the caller's machine and on the machine of the first fit. The numbers
 * of the first fit were fixed before any of these facts was read. Nothing is fitted to the facts.
 */
#ifndef CM_PROGRAMS_VALIDATION_APPLICATIONS_H
#define CM_PROGRAMS_VALIDATION_APPLICATIONS_H

#include "validate.h"

CM_BEGIN_DECLS

/* Largest number of sizes of a form, and largest number of forms. */
#define CM_APPLICATION_POINTS_MAX 16u
#define CM_APPLICATION_FORMS_MAX  48u

/* Machines on which the facts are simulated: the caller's machine, and the machine of the first
 * fit. */
enum cm_application_machine {
    CM_APPLICATION_GIVEN,
    CM_APPLICATION_FIRST_FIT,
    CM_APPLICATION_MACHINES
};

/* A fact at one size, published and simulated. */
struct cm_application_point {
    char size[32];    /* size in words, such as "2^24 points" */
    double published; /* published value in the fact's unit */
    /* simulated value in the fact's unit, on each machine */
    double simulated[CM_APPLICATION_MACHINES];
};

/* One way to simulate a fact. A fact has several forms if its source leaves choices open. */
struct cm_application_form {
    const struct cm_published_fact *fact; /* the published fact */
    const char *name; /* choices of the form in words, such as "binary code, without reordering" */
    /* differences from the source that prevent a comparison. NULL: none known */
    const char *remark;
    /* True if the simulated value is an upper bound, because only a part of the kernel is
     * simulated. */
    bool bound;
    /* True for the one form by which the fact is judged. It was chosen for a reason that does not
     * depend on rates. FFTs: binary code, in which an exchange joins the elements of a butterfly,
     * and without reordering, which an FFT by exchanges does not need. All-to-all: Hamiltonian
     * cycles, the algorithm of the source. Products: 32 bits, and Cannon's algorithm for a product
     * over all nodes. */
    bool judged;
    /* values at each simulated size */
    struct cm_application_point points[CM_APPLICATION_POINTS_MAX];
    uint32_t point_count;   /* number of entries in `points` */
    uint32_t chosen;        /* number of the point that represents the form */
    const char *chosen_for; /* why the point was chosen, such as "the largest rate" */
};

/* All facts that were simulated. */
struct cm_applications {
    struct cm_config machines[CM_APPLICATION_MACHINES]; /* the two machines, as they were read */
    /* forms of all facts, in any order */
    struct cm_application_form forms[CM_APPLICATION_FORMS_MAX];
    uint32_t form_count; /* number of entries in `forms` */
    double wall_seconds; /* host seconds for all facts */
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

/* Largest error at which a prediction counts as a hit. It is about the mean error of predicted
 * times (docs/fidelity.md). */
#define CM_APPLICATION_HIT 0.10

/* Returns why a fact has no simulated value, or NULL if it has a simulated value. */
CM_API const char *cm_application_missing(const struct cm_published_fact *fact);

/* Append the comparison of all facts: as text in a style of report/style.h, or as JSON (format
 * "cm200-applications/1"). */
CM_API void cm_applications_text(const struct cm_applications *applications, unsigned style,
                                 struct cm_buffer *text);
CM_API enum cm_status cm_applications_json(const struct cm_applications *applications,
                                           struct cm_buffer *text, struct cm_error *err);

CM_END_DECLS

#endif
