/* What the steps fft and broadcast share: FFT communication along dimensions of one array, which
 * lies on a mesh or canonically. */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_MESH_STEPS_H
#define CM_PROGRAMS_WORKLOAD_STEPS_MESH_STEPS_H

#include "../step.h"

#include "../../fft/fft_result.h"

/* As read: the first members of both steps. */
struct cm_step_mesh {
    struct cm_array_reference array;
    enum cm_fft_order order;
    uint64_t axes; /* bit p: axis p takes part */
    uint32_t mesh_wires;
};

extern const char *const cm_step_fft_order_names[], *const cm_step_fft_wires_names[];

/* The lines of a table of keys for the members above. */
#define CM_MESH_KEYS                                                                               \
    CM_KEY(ARRAY, "array", struct cm_step_mesh, array,                                             \
           "the array, on a mesh or in its canonical layout", .required = true),                   \
        CM_KEY_FORM("dims", "list of dimensions", "dims", "the dimensions to work along, from 1",  \
                    .otherwise = "all"),                                                           \
        CM_KEY(NAME, "order", struct cm_step_mesh, order,                                          \
               "postmorphism (from bit 0 up) or premorphism", .names = cm_step_fft_order_names),   \
        CM_KEY(NAME, "wires", struct cm_step_mesh, mesh_wires,                                     \
               "all of the cube, or those between neighbours on the mesh alone: a distance of d "  \
               "takes d hops",                                                                     \
               .names = cm_step_fft_wires_names)

/* The dimensions; refuses an array with a layout that neither step can use. */
void cm_step_mesh_read(const struct cm_workload *workload, struct cm_workload_step *step,
                       struct cm_reader *reader);
/* What is known of the communication before the array is laid out: all that its table needs, for an
 * array on a mesh. */
void cm_step_mesh_task(const struct cm_workload *workload, const struct cm_workload_step *step,
                       struct cm_fft_task *task);
/* broadcast.c: the same of a broadcast, with its source. */
void cm_step_broadcast_task(const struct cm_workload *workload, const struct cm_workload_step *step,
                            struct cm_fft_task *task);
/* The state, a struct cm_fft_result, with its task. */
enum cm_status cm_step_mesh_begin(const struct cm_run *run, struct cm_run_step *step,
                                  struct cm_fft_task *task, struct cm_error *err);
/* The communication alone. */
enum cm_status cm_step_mesh_run(struct cm_run *run, struct cm_run_step *step, struct cm_error *err);
void cm_step_mesh_report(const struct cm_step_result *result, struct cm_report *report);

#endif
