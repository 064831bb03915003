/*
 * Turns an expression into micro code: first the nodes that assignments need, in their order, then
 * the stores. An assignment under a mask keeps the old elements where the mask is false, so it
 * becomes a store under a condition.
 */
#include "micro.h"

#include <stdlib.h>
#include <string.h>

/* Reserves the slots of the call's scalars, in their order, which come before the slots of
 * constants. */
static void reserve_scalars(struct cm_lower *lower)
{
    const struct cm_expression *expression = lower->expression;
    for (uint32_t k = 0; k < CM_EXPRESSION_SCALARS_MAX; k++) {
        const struct cm_expression_scalar *scalar = &expression->scalars[k];
        lower->scalar_slots[k] = lower->slots.count;
        for (uint32_t c = 0; scalar->used && c < cm_type_components(scalar->type); c++)
            cm_list_push(&lower->slots,
                         (struct cm_slot_value){.wide = cm_type_is_wide(scalar->type)});
    }
    lower->failed = lower->failed || lower->slots.failed;
}

static uint32_t load(struct cm_lower *lower, uint32_t number, enum cm_type type, uint32_t part)
{
    const struct cm_type_ops *ops = cm_type_ops(type);
    return cm_micro_add(lower, &(struct cm_micro){.kind = CM_MICRO_LOAD,
                                                  .op = ops->load,
                                                  .number = number,
                                                  .offset = part * (ops->wide ? 2 : 1),
                                                  .wide = ops->wide});
}

static uint32_t leaf_part(struct cm_lower *lower, const struct cm_node *node, uint32_t part)
{
    const enum cm_type type = (enum cm_type)node->type;
    const struct cm_type_ops *ops = cm_type_ops(type);
    const uint64_t bits = cm_scalar_bits(type, &node->value, part);
    switch (node->op) {
    case CM_NODE_ARRAY:
        return load(lower, node->operands[0], type, part);
    case CM_NODE_INDEX:
        return load(lower, CM_MICRO_INDEX + node->operands[0], CM_TYPE_INT32, 0);
    case CM_NODE_SCALAR:
        return cm_micro_add(
            lower, &(struct cm_micro){.kind = CM_MICRO_SCALAR,
                                      .op = ops->scalar,
                                      .number = lower->scalar_slots[node->operands[0]] + part,
                                      .wide = ops->wide});
    default:
        return ops->wide ? cm_micro_bits(lower, bits) : cm_micro_word(lower, (uint32_t)bits);
    }
}

/* Returns the reach of a table: the number of words from a part of its first element to the end of
 * the same part of its last element. */
static uint32_t reach_of(enum cm_type type, uint32_t count, uint32_t stride)
{
    return (count - 1) * stride * cm_type_slices(type) + (cm_type_is_wide(type) ? 2 : 1);
}

/* Adds the entry that computes the distance from a table's first element to the element at an
 * index, in words. */
static uint32_t distance(struct cm_lower *lower, enum cm_type type, uint32_t stride, uint32_t index)
{
    const uint32_t words = stride * cm_type_slices(type);
    return words == 1 ? index : CM_MICRO2(lower, IMUL, index, cm_micro_word(lower, words));
}

static struct cm_parts lookup(struct cm_lower *lower, const struct cm_node *node)
{
    const enum cm_type type = (enum cm_type)node->type;
    const bool wide = cm_type_is_wide(type);
    const uint32_t index = lower->values[node->operands[1]][0];
    uint32_t parts[2] = {0};
    for (uint32_t part = 0; part < cm_type_components(type); part++)
        parts[part] = cm_micro_add(
            lower, &(struct cm_micro){
                       .kind = CM_MICRO_LOOKUP,
                       .op = wide ? CM_OP_FLOADX64 : CM_OP_FLOADX32,
                       .sources = {distance(lower, type, node->value.words[1], index)},
                       .number = node->operands[0],
                       .offset = part * (wide ? 2 : 1),
                       .wide = wide,
                       .reach = reach_of(type, node->value.words[0], node->value.words[1]),
                   });
    return (struct cm_parts){parts[0], parts[1]};
}

static struct cm_parts leaf(struct cm_lower *lower, const struct cm_node *node)
{
    struct cm_parts parts = {leaf_part(lower, node, 0), 0};
    if (cm_type_is_complex((enum cm_type)node->type))
        parts.im = leaf_part(lower, node, 1);
    return parts;
}

static uint32_t logical(struct cm_lower *lower, enum cm_expression_op op, uint32_t x, uint32_t y)
{
    switch (op) {
    case CM_EXPRESSION_AND:
        return CM_MICRO2(lower, IAND, x, y);
    case CM_EXPRESSION_OR:
        return CM_MICRO2(lower, IOR, x, y);
    case CM_EXPRESSION_NEQV:
        return CM_MICRO2(lower, IXOR, x, y);
    case CM_EXPRESSION_EQV:
        return cm_micro_not(lower, CM_MICRO2(lower, IXOR, x, y));
    default:
        return cm_micro_not(lower, x);
    }
}

static uint32_t comparison(struct cm_lower *lower, enum cm_expression_op op, enum cm_type type,
                           uint32_t x, uint32_t y)
{
    const struct cm_type_ops *ops = cm_type_ops(type);
    switch (op) {
    case CM_EXPRESSION_EQUAL:
        return cm_micro_test(lower, ops->equal, x, y);
    case CM_EXPRESSION_NOT_EQUAL:
        return cm_micro_not(lower, cm_micro_test(lower, ops->equal, x, y));
    case CM_EXPRESSION_LESS:
        return cm_micro_test(lower, ops->less, x, y);
    case CM_EXPRESSION_LESS_EQUAL:
        return cm_micro_test(lower, ops->less_equal, x, y);
    case CM_EXPRESSION_GREATER:
        return cm_micro_test(lower, ops->less, y, x);
    default:
        return cm_micro_test(lower, ops->less_equal, y, x);
    }
}

static uint32_t comparison_of(struct cm_lower *lower, enum cm_expression_op op, enum cm_type type,
                              struct cm_parts x, struct cm_parts y)
{
    const enum cm_type part = cm_type_of_part(type);
    uint32_t re = comparison(lower, op, part, x.re, y.re);
    if (!cm_type_is_complex(type))
        return re;
    uint32_t im = comparison(lower, op, part, x.im, y.im);
    return logical(lower, op == CM_EXPRESSION_EQUAL ? CM_EXPRESSION_AND : CM_EXPRESSION_OR, re, im);
}

static struct cm_parts merge(struct cm_lower *lower, enum cm_type type, struct cm_parts x,
                             struct cm_parts y, uint32_t mask)
{
    const bool wide = cm_type_is_wide(type);
    struct cm_parts parts = {cm_micro_select(lower, wide, mask, x.re, y.re), 0};
    if (cm_type_is_complex(type))
        parts.im = cm_micro_select(lower, wide, mask, x.im, y.im);
    return parts;
}

static struct cm_parts parts_of(const struct cm_lower *lower, uint32_t node)
{
    return (struct cm_parts){lower->values[node][0], lower->values[node][1]};
}

static struct cm_parts operation(struct cm_lower *lower, const struct cm_node *node)
{
    const struct cm_parts x = parts_of(lower, node->operands[0]);
    const struct cm_parts y = parts_of(lower, node->operands[1]);
    const enum cm_expression_op op = (enum cm_expression_op)node->op;
    const enum cm_type from = cm_expression_type(lower->expression, node->operands[0]);
    struct cm_parts one = {0};
    if (op == CM_EXPRESSION_MERGE)
        return merge(lower, from, x, y, lower->values[node->operands[2]][0]);
    if (op >= CM_EXPRESSION_EQUAL && op <= CM_EXPRESSION_GREATER_EQUAL)
        one.re = comparison_of(lower, op, from, x, y);
    else if (from == CM_TYPE_LOGICAL)
        one.re = logical(lower, op, x.re, y.re);
    else if (op == CM_EXPRESSION_POWER)
        return cm_lower_power(lower, node, x, y);
    else if (cm_type_is_complex(from) || op == CM_EXPRESSION_CMPLX)
        return cm_lower_complex(lower, op, cm_type_of_part(from), x, y);
    else if (from == CM_TYPE_INT32)
        one.re = cm_lower_integer(lower, op, x.re, y.re);
    else
        one.re = cm_lower_real(lower, op, from, x.re, y.re);
    return one;
}

static void lower_node(struct cm_lower *lower, uint32_t number)
{
    const struct cm_node *node = &lower->expression->nodes.items[number];
    struct cm_parts parts;
    if (node->op < CM_EXPRESSION_OP_COUNT)
        parts = operation(lower, node);
    else if (node->op == CM_NODE_LOOKUP)
        parts = lookup(lower, node);
    else if (node->op == CM_NODE_CONVERT)
        parts = cm_lower_convert(lower, cm_expression_type(lower->expression, node->operands[0]),
                                 (enum cm_type)node->type, parts_of(lower, node->operands[0]));
    else
        parts = leaf(lower, node);
    lower->values[number][0] = parts.re;
    lower->values[number][1] = parts.im;
}

/* Numbers of the node that an assignment stores and of its mask. Mask 0: everywhere. */
struct assignment {
    uint32_t value, mask;
};

static struct assignment assignment_of(const struct cm_expression *expression, uint32_t number)
{
    const struct cm_expression_array *array = &expression->arrays[number];
    const struct cm_node *node = &expression->nodes.items[array->now];
    if (node->op == CM_EXPRESSION_MERGE && node->operands[1] == array->before)
        return (struct assignment){node->operands[0], node->operands[2]};
    return (struct assignment){array->now, 0};
}

/* Marks each node n that assignments need by setting values[n][0] to 1. */
static void mark(struct cm_lower *lower)
{
    const struct cm_expression *expression = lower->expression;
    for (uint32_t i = 0; i < expression->assigned_count; i++) {
        const struct assignment assignment = assignment_of(expression, expression->assigned[i]);
        lower->values[assignment.value][0] = lower->values[assignment.mask][0] = 1;
    }
    for (uint32_t i = 0; i < expression->places.count; i++) {
        const struct cm_expression_place *place = &expression->places.items[i];
        lower->values[place->index][0] = lower->values[place->value][0] = 1;
        lower->values[place->mask][0] = 1;
    }
    for (uint32_t n = expression->nodes.count; n-- > 1;) {
        const struct cm_node *node = &expression->nodes.items[n];
        const bool is_lookup = node->op == CM_NODE_LOOKUP;
        const bool is_leaf =
            node->op > CM_EXPRESSION_OP_COUNT - 1 && node->op != CM_NODE_CONVERT && !is_lookup;
        for (uint32_t i = is_lookup; i < 3 && !is_leaf && lower->values[n][0]; i++)
            lower->values[node->operands[i]][0] = 1;
    }
}

/* Sets the condition of a store to the value of a mask's node. */
static void set_condition(const struct cm_lower *lower, uint32_t mask, struct cm_micro *entry)
{
    if (mask == 0)
        return;
    const uint32_t condition = lower->values[mask][0];
    const struct cm_micro *test = &lower->code.items[condition];
    entry->test = CM_OP_CTXREST;
    entry->sources[3] = condition;
    if (test->kind == CM_MICRO_TEST) {
        entry->test = test->test;
        entry->negated = test->negated;
        memcpy(entry->sources + 3, test->sources + 3, 2 * sizeof entry->sources[0]);
    }
}

/* Adds the stores of the parts of a value. */
static void store_parts(struct cm_lower *lower, enum cm_type type, uint32_t value,
                        struct cm_micro *entry)
{
    for (uint32_t part = 0; part < cm_type_components(type); part++) {
        entry->sources[0] = lower->values[value][part];
        entry->offset = part * (cm_type_is_wide(type) ? 2 : 1);
        cm_list_push(&lower->roots, cm_micro_add(lower, entry));
    }
}

static void store(struct cm_lower *lower, uint32_t number)
{
    const struct cm_expression *expression = lower->expression;
    const struct assignment assignment = assignment_of(expression, number);
    const enum cm_type type = expression->arrays[number].type;
    struct cm_micro entry = {
        .kind = CM_MICRO_STORE, .op = cm_type_ops(type)->store, .number = number};
    if (expression->arrays[number].now == expression->arrays[number].before)
        return;
    set_condition(lower, assignment.mask, &entry);
    store_parts(lower, type, assignment.value, &entry);
}

static void store_at(struct cm_lower *lower, const struct cm_expression_place *place)
{
    const struct cm_expression_table *table = &place->table;
    struct cm_micro entry = {
        .kind = CM_MICRO_STORE,
        .op = cm_type_is_wide(table->type) ? CM_OP_FSTOREX64 : CM_OP_FSTOREX32,
        .sources = {0, distance(lower, table->type, table->stride, lower->values[place->index][0])},
        .number = table->number,
        .reach = reach_of(table->type, table->count, table->stride),
    };
    set_condition(lower, place->mask, &entry);
    store_parts(lower, table->type, place->value, &entry);
}

bool cm_lower_init(struct cm_lower *lower, const struct cm_expression *expression)
{
    memset(lower, 0, sizeof *lower);
    lower->expression = expression;
    lower->values = calloc(expression->nodes.count, sizeof *lower->values);
    cm_list_push(&lower->code, (struct cm_micro){0});
    lower->failed = !lower->values || lower->code.failed;
    reserve_scalars(lower);
    if (lower->failed)
        return false;
    mark(lower);
    lower->values[0][0] = 0;
    for (uint32_t n = 1; n < expression->nodes.count && !lower->failed; n++)
        if (lower->values[n][0])
            lower_node(lower, n);
    for (uint32_t i = 0; i < expression->assigned_count && !lower->failed; i++)
        store(lower, expression->assigned[i]);
    for (uint32_t i = 0; i < expression->places.count && !lower->failed; i++)
        store_at(lower, &expression->places.items[i]);
    lower->failed = lower->failed || lower->roots.failed;
    return !lower->failed;
}

void cm_lower_finish(struct cm_lower *lower)
{
    cm_list_finish(&lower->code);
    cm_list_finish(&lower->slots);
    cm_list_finish(&lower->roots);
    free(lower->buckets);
    free(lower->values);
}
