/*
 * This header declares the state and the functions of the check of statements: labels, jumps and
 * loops. Control flow becomes jumps between numbered statements. While a unit is checked, a jump
 * names a target (a number for a place in the program), because the statement at this place may
 * follow later. cm_check_resolve() replaces targets by statement numbers at the end of the unit.
 * This header is internal to the check.
 */
#ifndef CM_FORTRAN_CHECK_FLOW_H
#define CM_FORTRAN_CHECK_FLOW_H

#include "check.h"

#define CM_LABEL_SLOTS 64u

/* A label of a program unit. */
struct cm_check_label {
    struct cm_check_label *next; /* next label of the same hash slot */
    uint32_t label;
    bool is_defined, is_format;
    struct cm_source_place place;
    uint32_t target, block;
    const struct cm_syntax_statement *format;
};

/* A jump to a label. At the end of the unit, the block of the jump is compared with the block of
 * the label. */
struct cm_check_jump {
    struct cm_check_jump *next;
    const struct cm_check_label *label;
    struct cm_source_place place;
    uint32_t block;
};

/* An open DO loop. */
struct cm_check_loop {
    struct cm_check_loop *outer;
    const char *name;
    /* the loop's variable. NULL for DO WHILE and DO without an index */
    const struct cm_fortran_variable *variable;
    uint32_t cycle, exit; /* targets of CYCLE and of EXIT */
};

/* Control flow of the unit that is checked. targets[t] is the number of the statement at target
 * t. */
struct cm_check_flow {
    uint32_t *targets;
    uint32_t target_count;
    struct cm_check_label *labels[CM_LABEL_SLOTS];
    struct cm_check_jump *jumps;
    struct cm_check_loop *loops;
    uint32_t *parents; /* number of the block around each block, indexed by block number */
    uint32_t block_count, block;
    const struct cm_fortran_expression *mask; /* mask of the innermost open WHERE, or NULL */
};

/* ---- statement.c ---- */

/* Appends a statement to the unit, and returns it. The pointer is valid until the next call.
 * Returns NULL if memory is exhausted. */
struct cm_fortran_statement *cm_check_emit(struct cm_check *check,
                                           enum cm_fortran_statement_kind kind,
                                           struct cm_source_place place);
void cm_check_block(struct cm_check *check, const struct cm_syntax_block *block);
void cm_check_assignment(struct cm_check *check, const struct cm_syntax_statement *tree);
/* Appends the assignment `target` = `value` to the unit. */
void cm_check_emit_assign(struct cm_check *check, struct cm_fortran_expression *target,
                          struct cm_fortran_expression *value, struct cm_source_place place);
/* Checks the target and the value of an assignment. Returns false if the value cannot be assigned
 * to the target. */
bool cm_check_assign(struct cm_check *check, const struct cm_syntax_statement *tree,
                     struct cm_fortran_expression **target, struct cm_fortran_expression **value);

/* Reports a variable of an open DO loop, which may not be changed, and returns true. */
bool cm_check_is_loop_variable(struct cm_check *check, const struct cm_fortran_expression *target);

/* ---- block.c, masked.c ---- */

void cm_check_if(struct cm_check *check, const struct cm_syntax_statement *tree);
typedef void (*cm_check_visit)(struct cm_check *check, const struct cm_syntax_statement *tree);
/* Calls `visit` for each statement of a block, and of the blocks of IF, DO and SELECT within. */
void cm_check_each_statement(struct cm_check *check, const struct cm_syntax_block *block,
                             cm_check_visit visit);
void cm_check_select(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_do(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_leave(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_where(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_forall(struct cm_check *check, const struct cm_syntax_statement *tree);

/* ---- case.c ---- */

/* A value or a range of a CASE, as constants of the same type. A missing bound is NULL. */
struct cm_check_range {
    const struct cm_fortran_expression *low, *high;
    struct cm_source_place place;
};
struct cm_check_ranges {
    struct cm_check_range *items;
    uint32_t count;
};
/* Reports values that are in two CASEs of a SELECT. Sorts the ranges. */
void cm_check_ranges(struct cm_check *check, const struct cm_check_ranges *ranges);

/* ---- label.c ---- */

uint32_t cm_check_target_new(struct cm_check *check);
/* Makes the next statement of the unit the statement of a target. */
void cm_check_target_here(struct cm_check *check, uint32_t target);
void cm_check_emit_jump(struct cm_check *check, uint32_t target, struct cm_source_place place);
/* Appends a jump to a target, which is taken if the condition is false. */
void cm_check_emit_unless(struct cm_check *check, struct cm_fortran_expression *condition,
                          uint32_t target, struct cm_source_place place);
/* Records a jump to a label, and returns the label's target. */
uint32_t cm_check_jump_to(struct cm_check *check, uint32_t label, struct cm_source_place place);
struct cm_check_label *cm_check_label_find(struct cm_check *check, uint32_t label);
/* Gives a label to the next statement of the unit. */
void cm_check_label_here(struct cm_check *check, uint32_t label, struct cm_source_place place);
/* Records the labels of the FORMAT statements of a block. */
void cm_check_label_formats(struct cm_check *check, const struct cm_syntax_block *block);
void cm_check_goto(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_assign_label(struct cm_check *check, const struct cm_syntax_statement *tree);
/* Makes the targets of the labels of a CALL, to which alternate returns jump, or returns NULL. */
uint32_t *cm_check_alternates(struct cm_check *check, const struct cm_syntax_label *labels,
                              uint32_t *count);
void cm_check_arithmetic_if(struct cm_check *check, const struct cm_syntax_statement *tree);
/* Reports jumps of the unit to missing labels or into blocks, and replaces targets by statement
 * numbers. */
void cm_check_resolve(struct cm_check *check);
/* Begins a block of statements, into which no jump from outside may lead. Returns the number of the
 * enclosing block, for cm_check_block_end(). */
uint32_t cm_check_block_begin(struct cm_check *check);
void cm_check_block_end(struct cm_check *check, uint32_t outer);

/* ---- io.c ---- */

void cm_check_io(struct cm_check *check, const struct cm_syntax_statement *tree);

#endif
