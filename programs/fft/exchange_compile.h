/* Compiling single steps of FFT communication. Not installed. */
#ifndef CM_PROGRAMS_FFT_EXCHANGE_COMPILE_H
#define CM_PROGRAMS_FFT_EXCHANGE_COMPILE_H

#include "../../isa/imp.h"
#include "../../sim/machine/machine.h"
#include "schedule.h"

/* Cube dimensions that a point crosses, one after the other: at most two. */
struct cm_fft_hops {
    uint32_t dimensions[2];
    uint32_t count;
};
struct cm_fft_hops cm_fft_hops_of(const struct cm_fft_step *step);

/* For the wires of the mesh: which word of "coordinates" has the slots of a hop up or down along a
 * mesh axis; and how many words these are with the coordinates. */
static inline int64_t cm_fft_wire_table(uint32_t mesh_axis, bool down)
{
    return 1 + 2 * (int64_t)mesh_axis + down;
}
static inline uint64_t cm_fft_table_words(const struct cm_fft_task *task)
{
    return task->mesh_wires ? 1 + 2 * (uint64_t)task->mapping.mesh_rank : task->broadcast;
}

/*
 * The IMP of one step. Arguments: "coordinates", whose word in each node holds its mesh coordinates
 * uncoded (bit d: of cube dimension d), with tables of slots behind it for the wires of the mesh
 * (emit.h); "array"; "scratch", of CM_FFT_SCRATCH_WORDS. NULL when out
 * of memory. Where the hops name a dimension twice the machine faults: two words for one channel.
 */
#define CM_FFT_SCRATCH_WORDS 256u
struct cm_imp *cm_fft_exchange_compile(const struct cm_config *config,
                                       const struct cm_fft_task *task, uint32_t number,
                                       const struct cm_fft_hops *hops);

#endif
