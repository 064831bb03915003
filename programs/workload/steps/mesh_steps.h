/* Code that the steps fft and broadcast share: FFT communication along dimensions of one array, on
 * a mesh or in its canonical layout. */
#ifndef CM_PROGRAMS_WORKLOAD_STEPS_MESH_STEPS_H
#define CM_PROGRAMS_WORKLOAD_STEPS_MESH_STEPS_H

#include "../step.h"

#include "../../fft/fft_result.h"

/* Keys that the steps fft and broadcast share: the first member of each kind's own struct. */
struct cm_step_mesh {
    struct cm_array_reference array;
    enum cm_fft_order order;
    uint64_t axes; /* set of the axes to work along, one bit each */
    uint32_t mesh_wires;
};

extern const char *const cm_step_fft_order_names[], *const cm_step_fft_wires_names[];

/* Entries of a key table for the members of struct cm_step_mesh. */
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

/* Reads the dimensions to work along. Refuses an array with a layout that neither step supports. */
void cm_step_mesh_read(const struct cm_workload *workload, struct cm_workload_step *step,
                       struct cm_reader *reader);
/* Fills in what is known of the communication before the array is laid out. For an array on a mesh,
 * the table of the communication needs nothing else. */
void cm_step_mesh_task(const struct cm_workload *workload, const struct cm_workload_step *step,
                       struct cm_fft_task *task);
/* Fills in the communication of a broadcast, with its source (broadcast.c). */
void cm_step_broadcast_task(const struct cm_workload *workload, const struct cm_workload_step *step,
                            struct cm_fft_task *task);
/* Fills in the task for the array's layout, and the step's state, a struct cm_fft_result. */
enum cm_status cm_step_mesh_begin(const struct cm_run *run, struct cm_run_step *step,
                                  struct cm_fft_task *task, struct cm_error *err);
/* Executes the communication alone, without the arithmetic of a transform. */
enum cm_status cm_step_mesh_run(struct cm_run *run, struct cm_run_step *step, struct cm_error *err);
void cm_step_mesh_report(const struct cm_step_result *result, struct cm_report *report);

#endif
