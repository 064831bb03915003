/* What the files that compile reshapes share: the compiler's state, and pieces that both phases
 * emit. Not installed. */
#ifndef CM_PROGRAMS_RESHAPE_RESHAPE_EMIT_H
#define CM_PROGRAMS_RESHAPE_RESHAPE_EMIT_H

#include "../system/emit.h"
#include "reshape_compile.h"

enum { CM_RESHAPE_REG_CONTROLS, CM_RESHAPE_REG_ARRAY, CM_RESHAPE_REG_SCRATCH, CM_RESHAPE_REG_AT };

#define CM_RESHAPE_ANY UINT32_MAX /* context: not known */

/* A bit of the control words: whether all conditions hold. */
struct cm_reshape_control_bit {
    struct cm_reshape_condition conditions[1 + CM_RESHAPE_CONDITIONS];
};

struct cm_reshape_compiler {
    struct cm_system *system;
    const struct cm_config *config;
    const struct cm_reshape_task *task;
    const struct cm_reshape_plan *plan;
    struct cm_compiled *compiled;
    struct cm_imp *imp;
    struct cm_error *err;
    enum cm_status status;
    uint32_t unit_words;
    uint64_t words; /* of the array, in a node */
    struct cm_reshape_control_bit *controls;
    uint32_t control_count, control_capacity;
    uint32_t context; /* number of the control that is in the context flag, or CM_RESHAPE_ANY */
    bool context_value;
};

#define CM_RESHAPE_SLOTS_MAX 64u /* of a transposer: sim/config.def */

/* Sets the context in the nodes where the parity of (address AND mask) is `value`; in all nodes. */
void cm_reshape_emit_context(struct cm_reshape_compiler *c, uint64_t mask, bool value);
void cm_reshape_emit_context_all(struct cm_reshape_compiler *c);

/* An IMP that fills half of the SRAM gives way to another: no more words than these are emitted
 * between two calls. */
void cm_reshape_make_room(struct cm_reshape_compiler *c);

struct cm_operand cm_reshape_channel_slot(const struct cm_reshape_compiler *c,
                                          enum cm_transposer transposer, uint32_t dimension,
                                          uint32_t word);

/* Streams of one phase; their steps begin at 0. */
void cm_reshape_emit_streams(struct cm_reshape_compiler *c, const struct cm_reshape_stream *streams,
                             uint32_t count);

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

/* reshape_swaps.c: the second phase. */
void cm_reshape_emit_rounds(struct cm_reshape_compiler *c);

#endif
