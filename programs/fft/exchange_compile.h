/* This header compiles single steps of FFT communication. It is not installed. */
#ifndef CM_PROGRAMS_FFT_EXCHANGE_COMPILE_H
#define CM_PROGRAMS_FFT_EXCHANGE_COMPILE_H

#include "../../isa/imp.h"
#include "../../sim/machine/machine.h"
#include "schedule.h"

/* Cube dimensions that a point crosses one after the other, at most two. */
struct cm_fft_hops {
    uint32_t dimensions[2];
    uint32_t count;
};
struct cm_fft_hops cm_fft_hops_of(const struct cm_fft_step *step);

/* These functions describe the argument "coordinates" of the IMPs, if points use only wires of the
 * mesh. cm_fft_wire_table returns the word that has the slots of a hop up or down along a mesh
 * axis. cm_fft_table_words returns the number of words, coordinates included. */
static inline int64_t cm_fft_wire_table(uint32_t mesh_axis, bool down)
{
    return 1 + 2 * (int64_t)mesh_axis + down;
}
static inline uint64_t cm_fft_table_words(const struct cm_fft_task *task)
{
    return task->mesh_wires ? 1 + 2 * (uint64_t)task->mapping.mesh_rank : task->broadcast;
}

/*
 * Compiles the IMP of one step. Returns NULL if out of memory. The arguments of the IMP are
 * "coordinates", "array", and "scratch" of CM_FFT_SCRATCH_WORDS words. The first word of
 * "coordinates" holds each node's mesh coordinates uncoded, with cube dimension d in bit d. Slot
 * tables for mesh wires follow (emit.h). If the hops name a dimension twice, the machine faults,
 * because two words would use one channel.
 */
#define CM_FFT_SCRATCH_WORDS 256u
struct cm_imp *cm_fft_exchange_compile(const struct cm_config *config,
                                       const struct cm_fft_task *task, uint32_t number,
                                       const struct cm_fft_hops *hops);

#endif
