/* Checks labels and jumps, and makes jump targets (flow.h). */
#include "flow.h"

uint32_t cm_check_target_new(struct cm_check *check)
{
    struct cm_check_flow *flow = check->flow;
    uint32_t *more = cm_check_grow(check, flow->targets, flow->target_count, sizeof *more);
    if (!more)
        return 0;
    flow->targets = more;
    flow->targets[flow->target_count] = 0;
    return flow->target_count++;
}

void cm_check_target_here(struct cm_check *check, uint32_t target)
{
    if (target < check->flow->target_count)
        check->flow->targets[target] = check->scope->unit->statement_count;
}

void cm_check_emit_jump(struct cm_check *check, uint32_t target, struct cm_source_place place)
{
    struct cm_fortran_statement *jump = cm_check_emit(check, CM_FORTRAN_JUMP, place);
    if (jump)
        jump->to = target;
}

void cm_check_emit_unless(struct cm_check *check, struct cm_fortran_expression *condition,
                          uint32_t target, struct cm_source_place place)
{
    struct cm_fortran_statement *jump = cm_check_emit(check, CM_FORTRAN_UNLESS, place);
    if (!jump)
        return;
    jump->value = condition;
    jump->to = target;
}

struct cm_check_label *cm_check_label_find(struct cm_check *check, uint32_t label)
{
    struct cm_check_label **slot = &check->flow->labels[label % CM_LABEL_SLOTS];
    for (struct cm_check_label *found = *slot; found; found = found->next)
        if (found->label == label)
            return found;
    struct cm_check_label *made = cm_check_take(check, sizeof *made);
    if (!made)
        return NULL;
    made->label = label;
    made->target = cm_check_target_new(check);
    made->next = *slot;
    *slot = made;
    return made;
}

static struct cm_check_label *define(struct cm_check *check, uint32_t label,
                                     struct cm_source_place place)
{
    struct cm_check_label *found = label != 0 ? cm_check_label_find(check, label) : NULL;
    if (!found)
        return NULL;
    if (found->is_defined) {
        cm_check_fail(check, place, "label %u is given twice", label);
        cm_messages_hint(check->messages, "it is in line %u too", found->place.line);
        return NULL;
    }
    found->is_defined = true;
    found->place = place;
    found->block = check->flow->block;
    return found;
}

void cm_check_label_here(struct cm_check *check, uint32_t label, struct cm_source_place place)
{
    const struct cm_check_label *found = define(check, label, place);
    if (found)
        cm_check_target_here(check, found->target);
}

/* Defines the label of a FORMAT statement. */
static void define_format(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_check_label *label =
        tree->kind == CM_STATEMENT_FORMAT ? define(check, tree->label, tree->place) : NULL;
    if (label) {
        label->is_format = true;
        label->format = tree;
    }
}

void cm_check_label_formats(struct cm_check *check, const struct cm_syntax_block *block)
{
    cm_check_each_statement(check, block, define_format);
}

uint32_t cm_check_jump_to(struct cm_check *check, uint32_t label, struct cm_source_place place)
{
    const struct cm_check_label *found = cm_check_label_find(check, label);
    struct cm_check_jump *jump = found ? cm_check_take(check, sizeof *jump) : NULL;
    if (!jump)
        return 0;
    jump->label = found;
    jump->place = place;
    jump->block = check->flow->block;
    jump->next = check->flow->jumps;
    check->flow->jumps = jump;
    return found->target;
}

uint32_t *cm_check_alternates(struct cm_check *check, const struct cm_syntax_label *labels,
                              uint32_t *count)
{
    *count = 0;
    for (const struct cm_syntax_label *label = labels; label; label = label->next)
        ++*count;
    uint32_t *targets = cm_check_take(check, sizeof *targets * (*count + 1));
    uint32_t at = 0;
    for (const struct cm_syntax_label *label = labels; targets && label; label = label->next)
        targets[at++] = cm_check_jump_to(check, label->label, label->place);
    return targets;
}

/* Checks a computed GO TO, such as GOTO (10, 20, 30), selector. */
static void check_computed(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    uint32_t count;
    struct cm_fortran_expression *selector =
        cm_check_scalar(check, tree->jump.selector, CM_TYPE_INT32, "the selector of a GOTO");
    uint32_t *targets = cm_check_alternates(check, tree->jump.labels, &count);
    if (!targets)
        return;
    struct cm_fortran_statement *jump = cm_check_emit(check, CM_FORTRAN_CASE_JUMP, tree->place);
    if (!jump)
        return;
    jump->value = selector;
    jump->targets = targets;
    jump->target_count = count;
}

/* Returns the INTEGER variable of an ASSIGN or an assigned GO TO, or NULL after a fault. */
static struct cm_fortran_expression *label_variable(struct cm_check *check,
                                                    const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *variable = cm_check_target(check, tree);
    if (variable && (variable->rank > 0 || variable->type != CM_TYPE_INT32))
        return cm_check_fail(check, tree->place, "the variable of a label is an INTEGER scalar");
    return variable;
}

/* ASSIGN gives the variable the number of the label. */
void cm_check_assign_label(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    const struct cm_syntax_label *label = tree->jump.labels;
    struct cm_fortran_expression *variable = label_variable(check, tree->jump.selector);
    if (!variable || !label)
        return;
    cm_check_emit_assign(check, variable, cm_check_int(check, (int32_t)label->label, label->place),
                         tree->place);
}

/* Appends a jump to a label, which is taken if the variable has the label's number. */
static void jump_if_assigned(struct cm_check *check, const struct cm_syntax_expression *name,
                             const struct cm_syntax_label *label)
{
    struct cm_fortran_expression *variable = label_variable(check, name);
    struct cm_fortran_expression *number = cm_check_int(check, (int32_t)label->label, label->place);
    if (!variable || !number)
        return;
    uint32_t behind = cm_check_target_new(check);
    cm_check_emit_unless(check,
                         cm_check_operation(check, CM_FORTRAN_EQ, variable, number, name->place),
                         behind, name->place);
    cm_check_emit_jump(check, cm_check_jump_to(check, label->label, label->place), name->place);
    cm_check_target_here(check, behind);
}

/* Jumps to the label of an ASSIGN statement, if the variable has its number and no list of labels
 * excludes it. check->assigned is the GO TO. */
static void jump_to_assigned(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    const struct cm_syntax_statement *jump = check->assigned;
    if (tree->kind == CM_STATEMENT_ASSIGN && tree->jump.labels &&
        tree->jump.selector->kind == CM_EXPRESSION_NAME &&
        tree->jump.selector->name == jump->jump.selector->name &&
        !cm_check_label_find(check, tree->jump.labels->label)->is_format)
        jump_if_assigned(check, jump->jump.selector, tree->jump.labels);
}

/* Checks an assigned GO TO. It jumps to one of its labels, or without a list to a label that a
 * statement of the unit assigns to the variable. */
static void check_assigned(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    for (const struct cm_syntax_label *label = tree->jump.labels; label; label = label->next)
        jump_if_assigned(check, tree->jump.selector, label);
    check->assigned = tree;
    if (!tree->jump.labels)
        cm_check_each_statement(check, &check->scope->tree->block, jump_to_assigned);
    struct cm_fortran_statement *fault = cm_check_emit(check, CM_FORTRAN_NO_LABEL, tree->place);
    if (fault)
        fault->value = label_variable(check, tree->jump.selector);
}

void cm_check_goto(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    const struct cm_syntax_label *label = tree->jump.labels;
    if (tree->jump.is_assigned)
        check_assigned(check, tree);
    else if (tree->jump.selector)
        check_computed(check, tree);
    else if (label)
        cm_check_emit_jump(check, cm_check_jump_to(check, label->label, label->place), tree->place);
}

void cm_check_arithmetic_if(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_fortran_expression *value = cm_check_expression(check, tree->arithmetic.value);
    if (value &&
        (value->rank > 0 || !cm_type_is_number(value->type) || cm_type_is_complex(value->type)))
        cm_check_fail(check, value->place,
                      "the value of an arithmetic IF is a scalar number with "
                      "a sign");
    uint32_t *targets = cm_check_take(check, sizeof *targets * 3);
    if (!targets)
        return;
    for (uint32_t i = 0; i < 3; i++)
        targets[i] = cm_check_jump_to(check, tree->arithmetic.labels[i], tree->place);
    struct cm_fortran_statement *jump = cm_check_emit(check, CM_FORTRAN_SIGN_JUMP, tree->place);
    if (!jump)
        return;
    jump->value = value;
    jump->targets = targets;
    jump->target_count = 3;
}

uint32_t cm_check_block_begin(struct cm_check *check)
{
    struct cm_check_flow *flow = check->flow;
    uint32_t outer = flow->block;
    uint32_t *more = cm_check_grow(check, flow->parents, flow->block_count, sizeof *more);
    if (!more)
        return outer;
    flow->parents = more;
    flow->parents[flow->block_count] = outer;
    flow->block = flow->block_count++;
    return outer;
}

void cm_check_block_end(struct cm_check *check, uint32_t outer)
{
    check->flow->block = outer;
}

static bool is_around(const struct cm_check_flow *flow, uint32_t outer, uint32_t block)
{
    while (block != outer && block != 0)
        block = flow->parents[block];
    return block == outer;
}

static void check_jumps(struct cm_check *check)
{
    for (const struct cm_check_jump *jump = check->flow->jumps; jump; jump = jump->next) {
        const struct cm_check_label *label = jump->label;
        if (!label->is_defined)
            cm_check_fail(check, jump->place, "no statement of this unit has the label %u",
                          label->label);
        else if (label->is_format)
            cm_check_fail(check, jump->place, "label %u is that of a FORMAT", label->label);
        else if (!is_around(check->flow, label->block, jump->block)) {
            cm_check_fail(check, jump->place, "this jumps into a block from outside, to label %u",
                          label->label);
            cm_messages_hint(check->messages, "the label is in line %u", label->place.line);
        }
    }
}

static void resolve(const struct cm_check_flow *flow, struct cm_fortran_statement *statement)
{
    switch (statement->kind) {
    case CM_FORTRAN_JUMP:
    case CM_FORTRAN_UNLESS:
    case CM_FORTRAN_DO:
    case CM_FORTRAN_DO_NEXT:
        statement->to = flow->targets[statement->to];
        break;
    case CM_FORTRAN_SIGN_JUMP:
    case CM_FORTRAN_CASE_JUMP:
    case CM_FORTRAN_IO:
    case CM_FORTRAN_CALL_UNIT:
        for (uint32_t i = 0; i < statement->target_count; i++)
            statement->targets[i] = flow->targets[statement->targets[i]];
        break;
    default:
        break;
    }
}

void cm_check_resolve(struct cm_check *check)
{
    check_jumps(check);
    if (check->arena->failed || check->messages->status != CM_OK)
        return;
    struct cm_fortran_unit *unit = check->scope->unit;
    for (uint32_t i = 0; i < unit->statement_count; i++)
        resolve(check->flow, &unit->statements[i]);
}
