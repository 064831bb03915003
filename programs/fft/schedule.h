/* This header defines schedules of FFT communication: the steps (p, q) and their order. */
#ifndef CM_PROGRAMS_FFT_SCHEDULE_H
#define CM_PROGRAMS_FFT_SCHEDULE_H

#include "mapping.h"

CM_BEGIN_DECLS

/* Order of the steps along an axis: from the least significant bit up (postmorphism), or from the
 * most significant bit down (premorphism). */
enum cm_fft_order { CM_FFT_POSTMORPHISM, CM_FFT_PREMORPHISM };

/* Schedule: steps in order, with their cost on the mesh and on the cube. */
struct cm_fft_schedule {
    struct cm_fft_step steps[CM_FFT_AXES_MAX]; /* steps in the order of execution */
    uint32_t count;                            /* number of steps */
    /* Sum of the steps' mesh distances. A step counts once, for any number of points in a node. */
    uint64_t mesh_cost;
    uint64_t hops;                        /* sum of the steps' hops over cube dimensions */
    uint64_t axis_loads[CM_FFT_AXES_MAX]; /* part of mesh_cost along each mesh axis */
};

/* value of a set of axes: all axes */
#define CM_FFT_ALL_AXES UINT64_MAX

/* Lists the steps of the axes in `axes` (bit p: axis p), axis by axis, with the translating
 * function (algorithms 2 and 5 of the paper). */
CM_API void cm_fft_schedule(const struct cm_fft_mapping *mapping, enum cm_fft_order order,
                            uint64_t axes, struct cm_fft_schedule *schedule);

/* Arguments of FFT communication or of a broadcast, on an array whose layout is a mapping. */
struct cm_fft_task {
    struct cm_fft_mapping mapping; /* layout of the array */
    enum cm_fft_order order;       /* order of the steps of each axis */
    uint64_t axes;                 /* set of axes that take part, bit p for axis p */
    uint32_t slices;               /* words of a point */
    bool mesh_wires; /* true if points use only the cube's wires between neighbours on the mesh */
    bool broadcast;  /* true for a broadcast of one point's value, false for FFT communication */
    uint64_t source; /* index of the point that a broadcast starts from */
};

/*
 * Lists the steps in the machine's order. A broadcast takes the steps within nodes last, so that
 * only known values cross the mesh.
 */
CM_API void cm_fft_task_schedule(const struct cm_fft_task *task, struct cm_fft_schedule *schedule);

CM_END_DECLS

#endif
