/* The statements of a unit while they are checked: labels, jumps, loops. Internal to the check. */
#ifndef CM_FORTRAN_CHECK_FLOW_H
#define CM_FORTRAN_CHECK_FLOW_H

#include "check.h"

#define CM_LABEL_SLOTS 64u

/* A label of a unit. */
struct cm_check_label {
    struct cm_check_label *next; /* in its slot */
    uint32_t label;
    bool is_defined, is_format;
    struct cm_source_place place;
    uint32_t target, block;
    const struct cm_syntax_statement *format;
};

/* A jump to a label, compared with it at the end of the unit. */
struct cm_check_jump {
    struct cm_check_jump *next;
    const struct cm_check_label *label;
    struct cm_source_place place;
    uint32_t block;
};

/* A DO around the statement. */
struct cm_check_loop {
    struct cm_check_loop *outer;
    const char *name;
    const struct cm_fortran_variable *variable; /* NULL: WHILE, endless */
    uint32_t cycle, exit;                       /* targets */
};

/* A statement names the number of a target; the end of the unit replaces it by the number of the
 * statement that is there. */
struct cm_check_flow {
    uint32_t *targets;
    uint32_t target_count;
    struct cm_check_label *labels[CM_LABEL_SLOTS];
    struct cm_check_jump *jumps;
    struct cm_check_loop *loops;
    uint32_t *parents; /* of blocks */
    uint32_t block_count, block;
    const struct cm_fortran_expression *mask; /* of the WHERE around */
};

/* ---- statement.c ---- */

/* Adds a statement to the unit; valid until the next is added. NULL when out of memory. */
struct cm_fortran_statement *cm_check_emit(struct cm_check *check,
                                           enum cm_fortran_statement_kind kind,
                                           struct cm_source_place place);
void cm_check_block(struct cm_check *check, const struct cm_syntax_block *block);
void cm_check_assignment(struct cm_check *check, const struct cm_syntax_statement *tree);
/* Emits target = value. */
void cm_check_emit_assign(struct cm_check *check, struct cm_fortran_expression *target,
                          struct cm_fortran_expression *value, struct cm_source_place place);
/* target and value of an assignment; false where they do not fit. */
bool cm_check_assign(struct cm_check *check, const struct cm_syntax_statement *tree,
                     struct cm_fortran_expression **target, struct cm_fortran_expression **value);

/* ---- block.c, masked.c ---- */

void cm_check_if(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_select(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_do(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_leave(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_where(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_forall(struct cm_check *check, const struct cm_syntax_statement *tree);

/* ---- case.c ---- */

/* A value or a range of a CASE: constants of one type; NULL: no end. */
struct cm_check_range {
    const struct cm_fortran_expression *low, *high;
    struct cm_source_place place;
};
struct cm_check_ranges {
    struct cm_check_range *items;
    uint32_t count;
};
/* Reports values that are in two CASEs. Orders the ranges. */
void cm_check_ranges(struct cm_check *check, const struct cm_check_ranges *ranges);

/* ---- label.c ---- */

uint32_t cm_check_target_new(struct cm_check *check);
/* The next statement is at the target. */
void cm_check_target_here(struct cm_check *check, uint32_t target);
void cm_check_emit_jump(struct cm_check *check, uint32_t target, struct cm_source_place place);
/* Jumps if the condition is false. */
void cm_check_emit_unless(struct cm_check *check, struct cm_fortran_expression *condition,
                          uint32_t target, struct cm_source_place place);
struct cm_check_label *cm_check_label_find(struct cm_check *check, uint32_t label);
/* The next statement has the label. */
void cm_check_label_here(struct cm_check *check, uint32_t label, struct cm_source_place place);
/* The labels of FORMAT statements. */
void cm_check_label_formats(struct cm_check *check, const struct cm_syntax_block *block);
void cm_check_goto(struct cm_check *check, const struct cm_syntax_statement *tree);
void cm_check_arithmetic_if(struct cm_check *check, const struct cm_syntax_statement *tree);
/* Compares jumps with labels; replaces targets by numbers of statements. */
void cm_check_resolve(struct cm_check *check);
/* A block begins; returns the one around it, for block_end. */
uint32_t cm_check_block_begin(struct cm_check *check);
void cm_check_block_end(struct cm_check *check, uint32_t outer);

/* ---- print.c ---- */

void cm_check_print(struct cm_check *check, const struct cm_syntax_statement *tree);

#endif
