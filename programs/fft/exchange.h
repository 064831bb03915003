/*
 * FFT communication on the machine, without arithmetic: each step (p, q) by a compiled IMP. In an
 * exchange every point takes the place of its partner; in a broadcast the points whose bit q of
 * coordinate p is not the source's take the value of their partner, so that after the steps of an
 * axis all points along it hold the value that the source's coordinate held (sections 3 and 6).
 */
#ifndef CM_PROGRAMS_FFT_EXCHANGE_H
#define CM_PROGRAMS_FFT_EXCHANGE_H

#include "../system/system.h"
#include "schedule.h"

CM_BEGIN_DECLS

/* What the machine did in one step. */
struct cm_fft_cost {
    uint64_t exchanges; /* of the step */
    uint64_t cycles;    /* all that the step took */
};

/*
 * Compiles ahead of a run. CM_BAD_INPUT here and below when the mapping has more nodes than the
 * machine, the array is not of the mapping's size and the task's slices, or the source is not an
 * index of it.
 */
CM_API enum cm_status cm_fft_communicate_prepare(struct cm_system *system,
                                                 const struct cm_fft_task *task,
                                                 struct cm_error *err);
/* All steps on `array`, which lies as the mapping says. `costs` has an element for each step; it
 * may be NULL. */
CM_API enum cm_status cm_fft_communicate(struct cm_system *system, const struct cm_fft_task *task,
                                         const struct cm_array *array, struct cm_fft_cost *costs,
                                         struct cm_error *err);
/* Step `number` of the schedule alone. */
CM_API enum cm_status cm_fft_communicate_step(struct cm_system *system,
                                              const struct cm_fft_task *task, uint32_t number,
                                              const struct cm_array *array, struct cm_error *err);

/*
 * The least that a broadcast can take: the largest distance, and the largest number of cube
 * dimensions, that lie between the node of a point that has the source's coordinates along the axes
 * of the task and a point that is to get its value. Of all axes from a corner of the mesh the
 * distance is the diameter: theorem 6.
 */
struct cm_fft_bound {
    uint64_t distance; /* steps between neighbours on the mesh */
    uint32_t hops;     /* dimensions of the cube */
};
CM_API struct cm_fft_bound cm_fft_broadcast_bound(const struct cm_fft_task *task);

CM_END_DECLS

#endif
