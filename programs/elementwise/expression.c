/* Construction of expressions: makes equal nodes once, checks types, and follows the values of
 * arrays through assignments. */
#include "expression_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 64u

struct cm_expression *cm_expression_create(void)
{
    struct cm_expression *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    cm_list_push(&made->nodes, (struct cm_node){0});
    made->buckets = calloc(FIRST_BUCKETS, sizeof *made->buckets);
    made->bucket_count = FIRST_BUCKETS;
    if (made->nodes.failed || !made->buckets) {
        cm_expression_destroy(made);
        return NULL;
    }
    return made;
}

void cm_expression_destroy(struct cm_expression *expression)
{
    if (!expression)
        return;
    cm_list_finish(&expression->nodes);
    cm_list_finish(&expression->places);
    free(expression->buckets);
    free(expression);
}

uint32_t cm_expression_refuse(struct cm_expression *expression, const char *hint,
                              const char *format, ...)
{
    char message[256];
    va_list arguments;
    if (expression->failed)
        return 0;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    expression->failed = true;
    cm_error_refuse(&expression->error, hint, "%s", message);
    return 0;
}

uint32_t cm_expression_out_of_memory(struct cm_expression *expression)
{
    if (!expression->failed)
        cm_error_no_memory(&expression->error);
    expression->failed = true;
    return 0;
}

enum cm_status cm_expression_status(const struct cm_expression *expression, struct cm_error *err)
{
    if (!expression->failed)
        return CM_OK;
    if (err)
        *err = expression->error;
    return expression->error.status;
}

enum cm_type cm_expression_type(const struct cm_expression *expression, uint32_t node)
{
    return node == 0 ? CM_TYPE_COUNT : (enum cm_type)expression->nodes.items[node].type;
}

/* Hashes a node's words by FNV-1a (Fowler, Noll, Vo). The result is folded so that its low bits
 * depend on all bits. */
static uint32_t hash_of(const struct cm_node *node)
{
    const uint32_t words[] = {node->op,
                              node->type,
                              node->operands[0],
                              node->operands[1],
                              node->operands[2],
                              node->value.words[0],
                              node->value.words[1],
                              node->value.words[2],
                              node->value.words[3]};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ hash >> 32);
}

/* Returns the bucket that has a node, or else the free bucket for it. */
static uint32_t *bucket_of(struct cm_expression *expression, const struct cm_node *node)
{
    uint32_t at = hash_of(node);
    for (;; at++) {
        uint32_t *bucket = &expression->buckets[at & (expression->bucket_count - 1)];
        if (*bucket == 0 || memcmp(&expression->nodes.items[*bucket], node, sizeof *node) == 0)
            return bucket;
    }
}

/* Doubles the number of buckets, so that at least half of them stay free. */
static bool grow(struct cm_expression *expression)
{
    uint32_t count = 2 * expression->bucket_count;
    uint32_t *buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return false;
    free(expression->buckets);
    expression->buckets = buckets;
    expression->bucket_count = count;
    for (uint32_t i = 1; i < expression->nodes.count; i++)
        *bucket_of(expression, &expression->nodes.items[i]) = i;
    return true;
}

uint32_t cm_expression_intern(struct cm_expression *expression, const struct cm_node *node)
{
    if (expression->failed)
        return 0;
    if (2 * expression->nodes.count >= expression->bucket_count && !grow(expression))
        return cm_expression_out_of_memory(expression);
    uint32_t *bucket = bucket_of(expression, node);
    if (*bucket != 0)
        return *bucket;
    if (!cm_list_push(&expression->nodes, *node))
        return cm_expression_out_of_memory(expression);
    return *bucket = expression->nodes.count - 1;
}

static uint32_t leaf(struct cm_expression *expression, uint32_t op, uint32_t number,
                     enum cm_type type)
{
    return cm_expression_intern(expression,
                                &(struct cm_node){.op = op, .type = type, .operands = {number}});
}

static uint32_t two_types(struct cm_expression *expression, const char *what, uint32_t number,
                          enum cm_type before, enum cm_type type)
{
    return cm_expression_refuse(expression, "an argument has one type",
                                "%s %" PRIu32 " is used as %s and as %s", what, number,
                                cm_type_name(before), cm_type_name(type));
}

uint32_t cm_expression_array(struct cm_expression *expression, uint32_t number, enum cm_type type)
{
    if (number >= CM_EXPRESSION_ARRAYS_MAX)
        return cm_expression_refuse(expression, "split the statement",
                                    "an elementwise statement has at most %u arrays",
                                    CM_EXPRESSION_ARRAYS_MAX);
    struct cm_expression_array *array = &expression->arrays[number];
    if (array->used && array->type != type)
        return two_types(expression, "array", number, array->type, type);
    if (array->scattered)
        return cm_expression_refuse(expression, "split the statement",
                                    "array %" PRIu32 " is used after an assignment to its elements",
                                    number);
    if (array->used)
        return expression->failed ? 0 : array->now;
    uint32_t node = leaf(expression, CM_NODE_ARRAY, number, type);
    *array =
        (struct cm_expression_array){.used = node != 0, .type = type, .before = node, .now = node};
    return node;
}

uint32_t cm_expression_scalar(struct cm_expression *expression, uint32_t number, enum cm_type type)
{
    if (number >= CM_EXPRESSION_SCALARS_MAX)
        return cm_expression_refuse(expression, "split the statement",
                                    "an elementwise statement has at most %u scalars",
                                    CM_EXPRESSION_SCALARS_MAX);
    struct cm_expression_scalar *scalar = &expression->scalars[number];
    if (scalar->used && scalar->type != type)
        return two_types(expression, "scalar", number, scalar->type, type);
    *scalar = (struct cm_expression_scalar){.used = true, .type = type};
    return leaf(expression, CM_NODE_SCALAR, number, type);
}

uint32_t cm_expression_constant(struct cm_expression *expression, enum cm_type type,
                                struct cm_scalar value)
{
    struct cm_node node = {.op = CM_NODE_CONSTANT, .type = type};
    memcpy(node.value.words, value.words, cm_type_slices(type) * sizeof value.words[0]);
    return cm_expression_intern(expression, &node);
}

uint32_t cm_expression_number(struct cm_expression *expression, enum cm_type type, double value)
{
    return cm_expression_constant(expression, type, cm_scalar_make(type, value, 0));
}

uint32_t cm_expression_index(struct cm_expression *expression, uint32_t axis)
{
    if (axis >= CM_RANK_MAX)
        return cm_expression_refuse(expression, "axes count from 0", "an index along axis %" PRIu32,
                                    axis);
    expression->indices[axis] = true;
    return leaf(expression, CM_NODE_INDEX, axis, CM_TYPE_INT32);
}

static uint32_t refuse_types(struct cm_expression *expression, enum cm_expression_op op,
                             const enum cm_type types[3], const char *expected)
{
    char given[96] = "nothing";
    size_t length = 0;
    for (uint32_t i = 0; i < 3; i++)
        if (types[i] != CM_TYPE_COUNT)
            length += (size_t)snprintf(given + length, sizeof given - length, "%s%s",
                                       length > 0 ? ", " : "", cm_type_name(types[i]));
    return cm_expression_refuse(expression, "convert operands to one type first",
                                "%s takes %s, not %s", cm_expression_op_name(op), expected, given);
}

/* Returns true if one of two logical nodes is the negation of the other. */
static bool are_opposite(const struct cm_expression *expression, uint32_t a, uint32_t b)
{
    const struct cm_node *x = &expression->nodes.items[a], *y = &expression->nodes.items[b];
    return (x->op == CM_EXPRESSION_NOT && x->operands[0] == b) ||
           (y->op == CM_EXPRESSION_NOT && y->operands[0] == a);
}

/* Simplifies a merge one of whose values is a merge with the same mask or with its negation, as
 * WHERE and ELSEWHERE make them. The inner merge is replaced by the value that it selects. */
static struct cm_node simple_merge(const struct cm_expression *expression, struct cm_node merge)
{
    const struct cm_node *otherwise = &expression->nodes.items[merge.operands[1]];
    if (otherwise->op != CM_EXPRESSION_MERGE)
        return merge;
    if (otherwise->operands[2] == merge.operands[2])
        merge.operands[1] = otherwise->operands[1];
    else if (are_opposite(expression, otherwise->operands[2], merge.operands[2]))
        merge.operands[1] = otherwise->operands[0];
    return merge;
}

uint32_t cm_expression_node(struct cm_expression *expression, enum cm_expression_op op, uint32_t x,
                            uint32_t y, uint32_t z)
{
    struct cm_node node = {.op = op, .operands = {x, y, z}};
    const uint32_t count = cm_expression_operands(op);
    enum cm_type types[3];
    const char *expected;
    if (expression->failed)
        return 0;
    for (uint32_t i = 0; i < 3; i++)
        types[i] = i < count ? cm_expression_type(expression, node.operands[i]) : CM_TYPE_COUNT;
    for (uint32_t i = count; i < 3; i++)
        node.operands[i] = 0;
    node.type = cm_expression_result(op, types, &expected);
    if (node.type == CM_TYPE_COUNT)
        return refuse_types(expression, op, types, expected);
    if (op == CM_EXPRESSION_MERGE)
        node = simple_merge(expression, node);
    if (op == CM_EXPRESSION_MERGE && node.operands[0] == node.operands[1])
        return node.operands[0];
    return cm_expression_intern(expression, &node);
}

uint32_t cm_expression_convert(struct cm_expression *expression, uint32_t x, enum cm_type type)
{
    const enum cm_type from = cm_expression_type(expression, x);
    if (x == 0 || from == type)
        return x;
    if (from == CM_TYPE_LOGICAL || type == CM_TYPE_LOGICAL)
        return cm_expression_refuse(expression, "use merge, or compare with a number",
                                    "%s does not convert to %s", cm_type_name(from),
                                    cm_type_name(type));
    const struct cm_node *node = &expression->nodes.items[x];
    if (node->op == CM_NODE_CONSTANT)
        return cm_expression_constant(expression, type,
                                      cm_expression_fold(from, node->value, type));
    return cm_expression_intern(
        expression, &(struct cm_node){.op = CM_NODE_CONVERT, .type = type, .operands = {x}});
}

void cm_expression_promote(struct cm_expression *expression, uint32_t *x, uint32_t *y)
{
    const enum cm_type a = cm_expression_type(expression, *x);
    const enum cm_type b = cm_expression_type(expression, *y);
    if (*x == 0 || *y == 0 || a == b || a == CM_TYPE_LOGICAL || b == CM_TYPE_LOGICAL)
        return;
    enum cm_type type = cm_type_is_wide(a) || cm_type_is_wide(b) ? CM_TYPE_REAL64 : CM_TYPE_REAL32;
    if (cm_type_is_complex(a) || cm_type_is_complex(b))
        type = cm_complex_of(type);
    *x = cm_expression_convert(expression, *x, type);
    *y = cm_expression_convert(expression, *y, type);
}

void cm_expression_assign(struct cm_expression *expression, uint32_t number, uint32_t value,
                          uint32_t mask)
{
    const enum cm_type type = cm_expression_type(expression, value);
    if (expression->failed || cm_expression_array(expression, number, type) == 0)
        return;
    struct cm_expression_array *array = &expression->arrays[number];
    if (mask != 0)
        value = cm_expression_node(expression, CM_EXPRESSION_MERGE, value, array->now, mask);
    if (value == 0)
        return;
    if (!array->assigned)
        expression->assigned[expression->assigned_count++] = number;
    array->assigned = true;
    array->now = value;
}

/* Adds a copy of a node of another expression. `made` has the numbers of the copies of the other
 * expression's nodes. */
static uint32_t copy_node(struct cm_expression *expression, const struct cm_node *node,
                          const uint32_t *made)
{
    const uint32_t *operands = node->operands;
    switch (node->op) {
    case CM_NODE_ARRAY:
        return cm_expression_array(expression, operands[0], (enum cm_type)node->type);
    case CM_NODE_SCALAR:
        return cm_expression_scalar(expression, operands[0], (enum cm_type)node->type);
    case CM_NODE_CONSTANT:
        return cm_expression_constant(expression, (enum cm_type)node->type, node->value);
    case CM_NODE_INDEX:
        return cm_expression_index(expression, operands[0]);
    case CM_NODE_CONVERT:
        return cm_expression_convert(expression, made[operands[0]], (enum cm_type)node->type);
    default:
        return cm_expression_node(expression, (enum cm_expression_op)node->op, made[operands[0]],
                                  made[operands[1]], made[operands[2]]);
    }
}

void cm_expression_append(struct cm_expression *expression, const struct cm_expression *other)
{
    uint32_t *made = calloc(other->nodes.count, sizeof *made);
    if (!made) {
        cm_expression_out_of_memory(expression);
        return;
    }
    for (uint32_t i = 1; i < other->nodes.count; i++)
        made[i] = copy_node(expression, &other->nodes.items[i], made);
    for (uint32_t i = 0; i < other->assigned_count; i++) {
        const uint32_t number = other->assigned[i];
        cm_expression_assign(expression, number, made[other->arrays[number].now], 0);
    }
    if (other->failed && !expression->failed) {
        expression->failed = true;
        expression->error = other->error;
    }
    free(made);
}
