/* Code that the steps shift and route share: words that cross the channels of the cube, by a plan
 * of exchanges or through the router. */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_NETWORK_STEP_H
#define CM_PROGRAMS_WORKLOAD_STEPS_NETWORK_STEP_H

#include "../step.h"

#include "../../network/network_private.h"

/* Keys of the steps shift and route: the first member of each kind's own struct. */
struct cm_step_network_keys {
    struct cm_network_step network;
    /* arrays of a route: each node's block of `array` goes to `dst` */
    struct cm_array_reference array, dst;
};

#define CM_TIMES_MAX UINT64_C(1000000000000)

/* Keys of the time units: the times that a message's start-up, a word and a hop take. Missing units
 * are 0. Times are reported if at least one unit is given. */
#define CM_UNIT_KEY(key, of)                                                                       \
    CM_KEY(NUMBER, #key, struct cm_step_network_keys, network.key,                                 \
           "time of " of ", in any unit of time", .schema = "time")
#define CM_UNIT_KEYS                                                                               \
    CM_UNIT_KEY(ts, "a message's start-up"), CM_UNIT_KEY(tw, "a word"), CM_UNIT_KEY(th, "a hop")

/* Checks the values of the time units. */
void cm_step_network_read_units(struct cm_reader *reader, struct cm_json object,
                                struct cm_network_step *step);

/* Functions of a struct cm_step_kind for the steps shift and route. */
enum cm_status cm_step_network_prepare(struct cm_run *run, struct cm_run_step *step,
                                       struct cm_error *err);
enum cm_status cm_step_network_run(struct cm_run *run, struct cm_run_step *step,
                                   struct cm_error *err);
enum cm_status cm_step_network_check(struct cm_run *run, const struct cm_run_step *step,
                                     struct cm_step_result *result, struct cm_error *err);
void cm_step_network_write_report(const struct cm_step_result *result, struct cm_report *report);
enum cm_status cm_step_network_words(struct cm_run *run, struct cm_run_step *step,
                                     const uint64_t *words, struct cm_error *err);
void cm_step_network_finish(struct cm_run *run, struct cm_run_step *step);

#endif
