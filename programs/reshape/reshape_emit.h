/*
 * State of the compiler of reshapes, and code that both phases emit. A control is one bit of a
 * control word in each node: the parity of some address bits, or whether several parities hold.
 * After an error the compiler goes on, and the caller discards the result. Not installed.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_EMIT_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_EMIT_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "reshape_streams.h"

/* Address registers. The first three hold the arguments of the same numbers. AT moves through the
 * array. */
enum { CM_RESHAPE_REG_CONTROLS, CM_RESHAPE_REG_ARRAY, CM_RESHAPE_REG_SCRATCH, CM_RESHAPE_REG_AT };

#define CM_RESHAPE_ANY UINT32_MAX /* context: unknown */

struct cm_reshape_compiler {
    const struct cm_config *config;
    const struct cm_reshape_plan *plan;
    struct cm_compiled *compiled;
    struct cm_imp *imp;
    uint32_t slices; /* words of an element */
    uint32_t unit_words;
    uint64_t words; /* words of the array in a node */
    CM_LIST(struct cm_reshape_nodes) controls;
    uint32_t context; /* number of the control in the context flag, or CM_RESHAPE_ANY */
    bool context_value;
    bool at_array; /* true if AT is at the beginning of the array */
    bool failed;   /* true once out of memory */
};

#define CM_RESHAPE_SLOTS_MAX 64u /* slots of a transposer: sim/machine/config.def */

/* Begin the first IMP, and end the last one, or false if out of memory. */
bool cm_reshape_begin(struct cm_reshape_compiler *c);
bool cm_reshape_end(struct cm_reshape_compiler *c);
/* Begins another IMP when the present one fills half of the SRAM. So at most half of the SRAM may
 * be emitted between two calls. */
void cm_reshape_make_room(struct cm_reshape_compiler *c);

/* Sets AT to the beginning of the array. */
void cm_reshape_emit_at_array(struct cm_reshape_compiler *c);

/* Set the context: in the nodes of a stream whose parity is `value`, or in all nodes. */
void cm_reshape_emit_stream_context(struct cm_reshape_compiler *c,
                                    const struct cm_reshape_stream *stream, bool value);
void cm_reshape_emit_context_all(struct cm_reshape_compiler *c);

/* Blocks of words of the array that are swapped with others, in the nodes where the parity of
 * (address AND nodes) is `value`. */
struct cm_reshape_blocks {
    uint64_t nodes; /* 0: all nodes, whose context is set already */
    bool value;
    uint64_t first, second; /* first words of the first pair of blocks */
    uint64_t words;         /* words of a block */
    uint64_t count;         /* number of pairs */
    uint64_t stride;        /* words from one pair to the next */
};
void cm_reshape_emit_block_swaps(struct cm_reshape_compiler *c,
                                 const struct cm_reshape_blocks *blocks);

/* reshape_steps.c: emits the streams of one phase, whose steps start at 0. */
void cm_reshape_emit_streams(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                             uint32_t count);

/* reshape_swaps.c: emits the second phase. */
void cm_reshape_emit_rounds(struct cm_reshape_compiler *c);

/*
 * Compiles a plan in units, for elements of `slices` words. The plan is not checked: the machine
 * faults if two words use one channel. Arguments of the IMPs: "controls", "array", and scratch
 * memory.
 */
enum cm_status cm_reshape_compile(struct cm_system *system, uint32_t slices,
                                  const struct cm_reshape_plan *plan, struct cm_compiled *compiled,
                                  struct cm_error *err);

#endif
