/*
 * Published rates of whole kernels (published.h: cm_published_fact) and the simulated ones. Each
 * is simulated on a machine that the caller gives, and on the machine of the first fit, whose
 * numbers were found before any of these facts was looked at. Timing alone; nothing is fitted.
 */
#ifndef CM_PROGRAMS_VALIDATION_APPLICATIONS_H
#define CM_PROGRAMS_VALIDATION_APPLICATIONS_H

#include "validate.h"

CM_BEGIN_DECLS

/* Limits: sizes of a form, and forms. */
#define CM_APPLICATION_POINTS_MAX 16u
#define CM_APPLICATION_FORMS_MAX  48u

/* The machines that facts are simulated on: the one given, and that of the first fit. */
enum cm_application_machine {
    CM_APPLICATION_GIVEN,
    CM_APPLICATION_FIRST_FIT,
    CM_APPLICATION_MACHINES
};

/* A fact simulated at one size. */
struct cm_application_point {
    char size[32];                             /* "2^24 points" */
    double published;                          /* in the fact's unit */
    double simulated[CM_APPLICATION_MACHINES]; /* in the fact's unit, on each machine */
};

/* One way to simulate a fact, where its source leaves several open. */
struct cm_application_form {
    const struct cm_published_fact *fact; /* what was published */
    const char *name;                     /* "binary code, without reordering" */
    const char *remark;                   /* what can't be compared; NULL: nothing is known */
    bool bound; /* at most this: a part of the kernel alone is simulated */
    struct cm_application_point points[CM_APPLICATION_POINTS_MAX]; /* the sizes simulated */
    uint32_t point_count;                                          /* how many */
    uint32_t chosen;        /* the point that stands for the form */
    const char *chosen_for; /* "the largest rate", "2^24 points: our choice" */
};

/* All facts that were simulated. */
struct cm_applications {
    struct cm_config machines[CM_APPLICATION_MACHINES];         /* as read */
    struct cm_application_form forms[CM_APPLICATION_FORMS_MAX]; /* in any order */
    uint32_t form_count;                                        /* how many */
    double wall_seconds;                                        /* of the host, for all of them */
};

/*
 * Simulates all facts that can be. Of the options, `config`, `threads`, `watch`, `progress` and
 * `context` count. Facts of the CM-2 run on the same machines at the CM-2's clock (configs/cm2.json
 * differs from cm200.json in nothing else). CM_BAD_INPUT when the machine has under 2,048 nodes
 * or can't hold a kernel; CM_INTERRUPTED.
 */
CM_API enum cm_status cm_applications_run(const struct cm_validate_options *options,
                                          struct cm_applications *applications,
                                          struct cm_error *err);

/* Why a fact has no simulated value; NULL: it has one. */
CM_API const char *cm_application_missing(const struct cm_published_fact *fact);

/* What people read, in a style of report/style.h; and as JSON (format "cm200-applications/1"). */
CM_API void cm_applications_text(const struct cm_applications *applications, unsigned style,
                                 struct cm_buffer *text);
CM_API enum cm_status cm_applications_json(const struct cm_applications *applications,
                                           struct cm_buffer *text, struct cm_error *err);

CM_END_DECLS

#endif
