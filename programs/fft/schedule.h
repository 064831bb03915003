/* Schedules of FFT communication: which steps (p, q) are taken, and in which order. */
#ifndef CM_PROGRAMS_FFT_SCHEDULE_H
#define CM_PROGRAMS_FFT_SCHEDULE_H

#include "mapping.h"

CM_BEGIN_DECLS

/* Order of the steps of each axis: from the least significant bit up, or from the most significant
 * one down. */
enum cm_fft_order { CM_FFT_POSTMORPHISM, CM_FFT_PREMORPHISM };

/* The steps in their order, and what they cost on the mesh and on the cube. */
struct cm_fft_schedule {
    struct cm_fft_step steps[CM_FFT_AXES_MAX]; /* the steps in their order */
    uint32_t count;                            /* how many there are */
    /* sum of the distances: each step counts once, however many points a node holds */
    uint64_t mesh_cost;
    uint64_t hops;                        /* sum of the steps' hops */
    uint64_t axis_loads[CM_FFT_AXES_MAX]; /* mesh_cost by mesh axis */
};

/* For axes: all of them. */
#define CM_FFT_ALL_AXES UINT64_MAX

/* The steps of the axes in `axes` (bit p: axis p), axis by axis, by the translating function
 * (algorithms 2 and 5). */
CM_API void cm_fft_schedule(const struct cm_fft_mapping *mapping, enum cm_fft_order order,
                            uint64_t axes, struct cm_fft_schedule *schedule);

/* FFT communication or a broadcast of an array laid out by a mapping. */
struct cm_fft_task {
    struct cm_fft_mapping mapping; /* how the array is laid out */
    enum cm_fft_order order;       /* of the steps of each axis */
    uint64_t axes;                 /* bit p: axis p takes part */
    uint32_t slices;               /* words of a point */
    bool mesh_wires; /* only the cube's wires between neighbours on the mesh are used */
    bool broadcast;  /* one point's value goes to all; else FFT communication */
    uint64_t source; /* index that a broadcast comes from */
};

/*
 * The steps in the order in which the machine takes them: as scheduled; a broadcast takes those
 * within nodes last, so that only points whose value is known cross the mesh.
 */
CM_API void cm_fft_task_schedule(const struct cm_fft_task *task, struct cm_fft_schedule *schedule);

CM_END_DECLS

#endif
