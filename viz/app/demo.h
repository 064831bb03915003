/* The runs of the guided tour: workloads that the program carries, run and recorded when it
 * begins. */
#ifndef CM_VIZ_APP_DEMO_H
#define CM_VIZ_APP_DEMO_H

#include "../control/tour.h"
#include "source.h"

/* A file that the program carries, by its name without folder and ending; demo_files.c, which
 * embed.py writes. */
struct cm_demo_file {
    const char *name, *bytes;
    size_t length;
};
extern const struct cm_demo_file cm_demo_files[]; /* `name` NULL: the end */

struct cm_demo {
    struct cm_view_source sources[CM_TOUR_RUN_COUNT][CM_VIEW_RUNS_MAX];
    struct cm_view_model *models[CM_TOUR_RUN_COUNT];
    const struct cm_view_model *shown[CM_TOUR_RUN_COUNT]; /* the same, to look at */
};

/* Begins as zeros; close it in either case. */
enum cm_status cm_demo_open(const struct cm_view_options *options, struct cm_demo *demo,
                            struct cm_error *err);
void cm_demo_close(struct cm_demo *demo);

#endif
