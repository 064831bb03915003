/*
 * What the files that compile reshapes share: the compiler's state, and pieces that both phases
 * emit. A control is a bit of a control word in each node: the parity of some of its address bits,
 * or whether several parities hold. Errors stick: the compiler goes on, and the caller drops the
 * result. Not installed.
 */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_EMIT_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_EMIT_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "reshape_streams.h"

/* Arguments are in the registers of the same numbers; AT moves through the array. */
enum { CM_RESHAPE_REG_CONTROLS, CM_RESHAPE_REG_ARRAY, CM_RESHAPE_REG_SCRATCH, CM_RESHAPE_REG_AT };

#define CM_RESHAPE_ANY UINT32_MAX /* context: not known */

struct cm_reshape_compiler {
    const struct cm_config *config;
    const struct cm_reshape_plan *plan;
    struct cm_compiled *compiled;
    struct cm_imp *imp;
    uint32_t slices; /* words of an element */
    uint32_t unit_words;
    uint64_t words; /* of the array, in a node */
    CM_LIST(struct cm_reshape_nodes) controls;
    uint32_t context; /* number of the control that is in the context flag, or CM_RESHAPE_ANY */
    bool context_value;
    bool at_array; /* AT is at the beginning of the array */
    bool failed;   /* out of memory */
};

#define CM_RESHAPE_SLOTS_MAX 64u /* of a transposer: sim/machine/config.def */

/* Begins the first IMP, and ends the last; false when out of memory. */
bool cm_reshape_begin(struct cm_reshape_compiler *c);
bool cm_reshape_end(struct cm_reshape_compiler *c);
/* Begins another IMP when this one fills half of the SRAM: at most as many words are emitted
 * between two calls. */
void cm_reshape_make_room(struct cm_reshape_compiler *c);

/* Sets AT to the beginning of the array. */
void cm_reshape_emit_at_array(struct cm_reshape_compiler *c);

/* Sets the context in the nodes of a stream whose parity is `value`; in all nodes. */
void cm_reshape_emit_stream_context(struct cm_reshape_compiler *c,
                                    const struct cm_reshape_stream *stream, bool value);
void cm_reshape_emit_context_all(struct cm_reshape_compiler *c);

/* Blocks of words of the array change places with others, in the nodes where the parity of (address
 * AND nodes) is `value`. */
struct cm_reshape_blocks {
    uint64_t nodes; /* 0: in all nodes, whose context is set */
    bool value;
    uint64_t first, second; /* where the first two begin */
    uint64_t words;         /* of a block */
    uint64_t count;         /* of blocks */
    uint64_t stride;        /* from one block to the next */
};
void cm_reshape_emit_block_swaps(struct cm_reshape_compiler *c,
                                 const struct cm_reshape_blocks *blocks);

/* reshape_steps.c: streams of one phase; their steps begin at 0. */
void cm_reshape_emit_streams(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                             uint32_t count);

/* reshape_swaps.c: the second phase. */
void cm_reshape_emit_rounds(struct cm_reshape_compiler *c);

/*
 * Compiles a plan in units, for elements of `slices` words, without checking it: the machine faults
 * if it puts two words on one channel. Arguments: "controls", "array", and the scratch memory.
 */
enum cm_status cm_reshape_compile(struct cm_system *system, uint32_t slices,
                                  const struct cm_reshape_plan *plan, struct cm_compiled *compiled,
                                  struct cm_error *err);

#endif
