/* Runs of the guided tour. The program contains the workloads, and runs and records them when the
 * tour begins. */
#ifndef CM_VIZ_APP_DEMO_H
#define CM_VIZ_APP_DEMO_H

#include "../control/tour.h"
#include "source.h"

/* File that the program contains, named without folder and ending. embed.py writes the table
 * demo_files.c. */
struct cm_demo_file {
    const char *name, *bytes;
    size_t length;
};
extern const struct cm_demo_file cm_demo_files[]; /* ended by an entry whose `name` is NULL */

struct cm_demo {
    struct cm_view_source sources[CM_TOUR_RUN_COUNT][CM_VIEW_RUNS_MAX];
    struct cm_view_model *models[CM_TOUR_RUN_COUNT];
    /* the models of the runs, in the form that the tour takes */
    const struct cm_view_model *shown[CM_TOUR_RUN_COUNT];
};

/* Runs the workloads of the tour and opens their traces. *demo is all zeros before. The caller
 * closes *demo, even after a failure. */
enum cm_status cm_demo_open(const struct cm_view_options *options, struct cm_demo *demo,
                            struct cm_error *err);
void cm_demo_close(struct cm_demo *demo);

#endif
