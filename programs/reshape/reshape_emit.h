/*
 * This header declares the state of the compiler of reshapes, and functions that both phases of a
 * reshape use to emit code. A control is one bit of a control word in each node: the parity of some
 * address bits, or whether several parities hold. After an error the compiler goes on, and the
 * caller discards the result. This header is not installed.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_EMIT_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_EMIT_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "reshape_streams.h"

/* Address registers of the IMPs. The first three hold the IMP arguments of the same numbers.
 * Register CM_RESHAPE_REG_AT moves through the array. */
enum { CM_RESHAPE_REG_CONTROLS, CM_RESHAPE_REG_ARRAY, CM_RESHAPE_REG_SCRATCH, CM_RESHAPE_REG_AT };

#define CM_RESHAPE_ANY UINT32_MAX /* value of `context` if the context flags are unknown */

struct cm_reshape_compiler {
    const struct cm_config *config;
    const struct cm_reshape_plan *plan;
    struct cm_compiled *compiled;
    struct cm_imp *imp;
    uint32_t slices; /* words of an element */
    uint32_t unit_words;
    uint64_t words; /* words of the array in a node */
    CM_LIST(struct cm_reshape_nodes) controls;
    /* number of the control that the context flags have been set by, or CM_RESHAPE_ANY */
    uint32_t context;
    bool context_value;
    bool at_array; /* true if CM_RESHAPE_REG_AT is at the beginning of the array */
    bool failed;   /* true once out of memory */
};

/* limit on the slots of a transposer, as in sim/machine/config.def */
#define CM_RESHAPE_SLOTS_MAX 64u

/* These functions begin the first IMP and end the last IMP of a reshape. They return false if out
 * of memory. */
bool cm_reshape_begin(struct cm_reshape_compiler *c);
bool cm_reshape_end(struct cm_reshape_compiler *c);
/* Begins another IMP if the present IMP fills half of the SRAM. So at most half of the SRAM may be
 * emitted between two calls. */
void cm_reshape_make_room(struct cm_reshape_compiler *c);

/* Sets the address register CM_RESHAPE_REG_AT to the beginning of the array. */
void cm_reshape_emit_at_array(struct cm_reshape_compiler *c);

/* These functions set the context flags of nodes. The first sets them in the nodes that take part
 * in a stream and whose parity is `value`, the second in all nodes. */
void cm_reshape_emit_stream_context(struct cm_reshape_compiler *c,
                                    const struct cm_reshape_stream *stream, bool value);
void cm_reshape_emit_context_all(struct cm_reshape_compiler *c);

/* Pairs of blocks of the array that exchange their words, in the nodes where the parity of (address
 * AND nodes) is `value`. */
struct cm_reshape_blocks {
    /* mask of the node address bits whose parity selects nodes. 0: all nodes swap, and the caller
     * has set their context */
    uint64_t nodes;
    bool value;
    uint64_t first, second; /* first word of each block of the first pair */
    uint64_t words;         /* words of a block */
    uint64_t count;         /* number of pairs */
    uint64_t stride;        /* words from one pair to the next */
};
void cm_reshape_emit_block_swaps(struct cm_reshape_compiler *c,
                                 const struct cm_reshape_blocks *blocks);

/* Emits the streams of one phase, whose steps start at 0 (reshape_steps.c). */
void cm_reshape_emit_streams(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                             uint32_t count);

/* Emits the second phase of a reshape, the swaps of dimensions (reshape_swaps.c). */
void cm_reshape_emit_rounds(struct cm_reshape_compiler *c);

/*
 * Compiles a plan that counts in units, for elements of `slices` words. The plan is not checked:
 * the machine faults if two words use one channel. The arguments of the IMPs are "controls",
 * "array", and scratch memory.
 */
enum cm_status cm_reshape_compile(struct cm_system *system, uint32_t slices,
                                  const struct cm_reshape_plan *plan, struct cm_compiled *compiled,
                                  struct cm_error *err);

#endif
