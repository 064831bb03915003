/*
 * This header moves data between the nodes as FFTs do, without arithmetic. Its first comment
 * describes the room programs/fft.
 *
 * An FFT of an array takes one step (p, q) for each bit q of each coordinate p: it pairs the points
 * whose indices differ in that bit. mapping.h lays a multi-dimensional array on a mesh of nodes and
 * says where each bit goes. schedule.h orders the steps. This header moves the points of each step
 * by a compiled IMP. transform.h computes whole transforms. fft_result.h reports communication and
 * transforms.
 *
 * In an exchange every point takes the place of its partner. In a broadcast the points whose bit q
 * of coordinate p differs from the source's take the value of their partner. After the steps of an
 * axis, all points along this axis hold the value at the source's coordinate (sections 3 and 6 of
 * the paper that mapping.h names).
 *
 * Invariants: a step crosses at most two cube dimensions. A mapping and a struct cm_fft_task are
 * plain data. Compiled code is kept in the system's cache under a key made from all their members.
 *
 * Files: mapping.c, schedule.c, exchange*.c, transform*.c, figure*.c (the paper's figures),
 * fft_result.c.
 */
#ifndef CM_PROGRAMS_FFT_EXCHANGE_H
#define CM_PROGRAMS_FFT_EXCHANGE_H

#include "../system/system.h"
#include "schedule.h"

CM_BEGIN_DECLS

/* Cost of one step of an FFT's communication on the machine. */
struct cm_fft_cost {
    uint64_t exchanges; /* number of exchanges in the step */
    uint64_t cycles;    /* number of cycles of the step */
};

/*
 * Compiles all steps ahead of a run. All functions for FFT communication fail with CM_BAD_INPUT if
 * the mapping has more nodes than the machine, the array's size differs from the mapping's with the
 * given words of a point, or the source is outside the array.
 */
CM_API enum cm_status cm_fft_communicate_prepare(struct cm_system *system,
                                                 const struct cm_fft_task *task,
                                                 struct cm_error *err);
/* Executes all steps on `array`, whose layout must be that of the mapping. Writes the cost of each
 * step to `costs`, which may be NULL. */
CM_API enum cm_status cm_fft_communicate(struct cm_system *system, const struct cm_fft_task *task,
                                         const struct cm_array *array, struct cm_fft_cost *costs,
                                         struct cm_error *err);
/* Executes only step `number` of the schedule. */
CM_API enum cm_status cm_fft_communicate_step(struct cm_system *system,
                                              const struct cm_fft_task *task, uint32_t number,
                                              const struct cm_array *array, struct cm_error *err);

/*
 * Lower bound of a broadcast, between a node that has the source's value and a node that must
 * receive it: the largest mesh distance, and the largest number of cube dimensions. If a corner of
 * the mesh broadcasts along all axes, the distance is the diameter of the mesh (theorem 6 of the
 * paper).
 */
struct cm_fft_bound {
    uint64_t distance; /* number of steps between neighbours on the mesh */
    uint32_t hops;     /* number of cube dimensions */
};
CM_API struct cm_fft_bound cm_fft_broadcast_bound(const struct cm_fft_task *task);

CM_END_DECLS

#endif
