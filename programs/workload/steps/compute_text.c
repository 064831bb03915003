/*
 * Parser of expressions, by recursive descent. Operators from the loosest to the tightest:
 *
 *     .eqv. .neqv.    .or.    .and.    .not.    == /= < <= > >=    + -    * /    **
 *
 * ** is right-associative, all others are left-associative. A literal number or a scalar takes the
 * type of the operand next to it. A number with a decimal point next to an int32 operand makes both
 * real64.
 */
#include "compute_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_MAX   4096u
#define NODES_MAX  1000u /* most nodes of a tree, which limits the recursion of its evaluation */
#define DEPTH_MAX  100u
#define NAME_BYTES 64u

struct text {
    struct cm_workload *workload;
    struct cm_reader *reader;
    struct cm_json json;
    struct cm_compute_names *names;
    const char *begin, *at;
    uint32_t nodes, depth;
};

static struct cm_reference_tree *fail(struct text *t, const char *what)
{
    cm_reader_fail(t->reader, t->json, "%s, at character %u of the expression", what,
                   (unsigned)(t->at - t->begin) + 1);
    return NULL;
}

static void skip_blanks(struct text *t)
{
    while (*t->at == ' ')
        t->at++;
}

/* Skips `sign`, a word or an operator, if it comes next. Returns whether it did. */
static bool take(struct text *t, const char *sign)
{
    const size_t length = strlen(sign);
    skip_blanks(t);
    if (strncasecmp(t->at, sign, length) != 0)
        return false;
    t->at += length;
    return true;
}

static struct cm_reference_tree *new_tree(struct text *t, int op, enum cm_type type)
{
    struct cm_reference_tree *tree = cm_workload_allocate(t->workload, t->reader, 1, sizeof *tree);
    if (tree == NULL)
        return NULL;
    if (++t->nodes > NODES_MAX)
        return fail(t, "the expression has too many operations");
    tree->op = op;
    tree->type = type;
    return tree;
}

/* ---- types ---- */

static bool is_complex(enum cm_type type)
{
    return cm_type_components(type) == 2;
}

static bool is_wide(enum cm_type type)
{
    return cm_type_slices(type) / cm_type_components(type) == 2;
}

static bool is_number(const struct cm_reference_tree *tree)
{
    return tree->type != CM_TYPE_LOGICAL;
}

static enum cm_type float_type(bool wide, bool complex)
{
    if (complex)
        return wide ? CM_TYPE_COMPLEX128 : CM_TYPE_COMPLEX64;
    return wide ? CM_TYPE_REAL64 : CM_TYPE_REAL32;
}

/* Returns true if a tree is a constant or scalar, which takes the type of the other operand. */
static bool is_adaptable(const struct cm_reference_tree *tree)
{
    return is_number(tree) &&
           (tree->op == CM_REFERENCE_CONSTANT || tree->op == CM_REFERENCE_SCALAR);
}

/* Returns the number of a scalar used with another type. This is another argument of the call. */
static uint32_t scalar_as(struct text *t, uint32_t number, enum cm_type type)
{
    struct cm_compute_names *names = t->names;
    const struct cm_compute_scalar from = names->scalars[number];
    uint32_t i = 0;
    while (i < names->scalar_count &&
           (names->scalars[i].value.scalar != from.value.scalar || names->scalars[i].type != type))
        i++;
    if (i == CM_COMPUTE_SCALARS_MAX) {
        fail(t, "the expression has too many scalars");
        return 0;
    }
    if (i == names->scalar_count) {
        names->scalars[names->scalar_count] = from;
        names->scalars[names->scalar_count++].type = type;
    }
    return i;
}

static void round_value(struct cm_reference_number *value, enum cm_type type)
{
    value->re = value->type == CM_TYPE_INT32 ? (double)value->whole : value->re;
    value->whole = 0;
    value->type = type;
    if (!is_wide(type))
        value->re = (double)(float)value->re;
}

static struct cm_reference_tree *converted(struct text *t, struct cm_reference_tree *x,
                                           enum cm_type type)
{
    if (x == NULL || x->type == type)
        return x;
    if (!is_number(x) || type == CM_TYPE_LOGICAL)
        return fail(t, "numbers and logicals are not converted into each other");
    if (x->op == CM_REFERENCE_CONSTANT && type != CM_TYPE_INT32) {
        round_value(&x->value, type);
        x->type = type;
        return x;
    }
    const bool narrows = x->op == CM_REFERENCE_SCALAR && is_complex(x->type) && !is_complex(type);
    if (x->op == CM_REFERENCE_SCALAR && type != CM_TYPE_INT32 && !narrows) {
        x->leaf = scalar_as(t, x->leaf, type);
        x->type = type;
        return x;
    }
    struct cm_reference_tree *made = new_tree(t, CM_REFERENCE_CONVERT, type);
    if (made)
        made->operands[0] = x;
    return made;
}

/* Returns the type to which two operands are converted for an operation. */
static enum cm_type common_type(const struct cm_reference_tree *x,
                                const struct cm_reference_tree *y)
{
    const bool complex = is_complex(x->type) || is_complex(y->type);
    const bool x_counts = x->type != CM_TYPE_INT32 && !(is_adaptable(x) && !is_adaptable(y));
    const bool y_counts = y->type != CM_TYPE_INT32 && !(is_adaptable(y) && !is_adaptable(x));
    if (x->type == y->type)
        return x->type;
    if (!x_counts && !y_counts) /* one is int32, the other has a decimal point */
        return float_type(true, complex);
    return float_type((x_counts && is_wide(x->type)) || (y_counts && is_wide(y->type)), complex);
}

static bool promote(struct text *t, struct cm_reference_tree **x, struct cm_reference_tree **y)
{
    if (!is_number(*x) || !is_number(*y))
        return true; /* the operation itself refuses such operands */
    const enum cm_type type = common_type(*x, *y);
    *x = converted(t, *x, type);
    *y = converted(t, *y, type);
    return *x && *y;
}

static struct cm_reference_tree *node(struct text *t, enum cm_expression_op op,
                                      struct cm_reference_tree *x, struct cm_reference_tree *y,
                                      struct cm_reference_tree *z)
{
    const bool exponent = op == CM_EXPRESSION_POWER && y && y->type == CM_TYPE_INT32;
    char message[200];
    const char *expected;
    if (!cm_reader_ok(t->reader) || (y && !exponent && !promote(t, &x, &y)))
        return NULL;
    const enum cm_type types[3] = {x->type, y ? y->type : CM_TYPE_COUNT,
                                   z ? z->type : CM_TYPE_COUNT};
    const enum cm_type type = cm_expression_result(op, types, &expected);
    if (type == CM_TYPE_COUNT) {
        snprintf(message, sizeof message, "\"%s\" takes %s, not %s%s%s", cm_expression_op_name(op),
                 expected, cm_type_name(x->type), y ? ", " : "", y ? cm_type_name(y->type) : "");
        return fail(t, message);
    }
    struct cm_reference_tree *made = new_tree(t, (int)op, type);
    if (made) {
        made->operands[0] = x;
        made->operands[1] = y;
        made->operands[2] = z;
    }
    return made;
}

/* ---- leaves ---- */

static struct cm_reference_tree *number(struct text *t)
{
    char *end;
    const char *const begin = t->at;
    bool whole = true;
    for (; isdigit((unsigned char)*t->at); t->at++)
        ;
    /* The dot in "1.and." belongs to .and. and not to the number. */
    if (*t->at == '.' && !isalpha((unsigned char)t->at[1])) {
        whole = false;
        for (t->at++; isdigit((unsigned char)*t->at); t->at++)
            ;
    }
    if (tolower((unsigned char)*t->at) == 'e') {
        whole = false;
        t->at += t->at[1] == '-' || t->at[1] == '+' ? 2 : 1;
        if (!isdigit((unsigned char)*t->at))
            return fail(t, "an exponent without digits");
        for (; isdigit((unsigned char)*t->at); t->at++)
            ;
    }
    const double value = strtod(begin, &end);
    const enum cm_type type = whole ? CM_TYPE_INT32 : CM_TYPE_REAL64;
    if (whole && value > INT32_MAX)
        return fail(t, "a whole number beyond int32; write it with a point");
    struct cm_reference_tree *tree = new_tree(t, CM_REFERENCE_CONSTANT, type);
    if (tree)
        tree->value = (struct cm_reference_number){
            .type = type, .whole = whole ? (int32_t)value : 0, .re = whole ? 0 : value};
    return tree;
}

static struct cm_reference_tree *truth(struct text *t, bool value)
{
    struct cm_reference_tree *tree = new_tree(t, CM_REFERENCE_CONSTANT, CM_TYPE_LOGICAL);
    if (tree)
        tree->value = (struct cm_reference_number){.type = CM_TYPE_LOGICAL, .whole = value};
    return tree;
}

static struct cm_reference_tree *array_leaf(struct text *t, uint32_t array)
{
    struct cm_compute_names *names = t->names;
    uint32_t i = 0;
    while (i < names->array_count && names->arrays[i].number != array)
        i++;
    if (i == CM_COMPUTE_ARRAYS_MAX)
        return fail(t, "the expression has too many arrays");
    if (i == names->array_count) {
        names->arrays[i] = (struct cm_array_reference){t->json, array};
        names->types[i] = t->workload->arrays[array].request.type;
        names->array_count++;
    }
    struct cm_reference_tree *tree = new_tree(t, CM_REFERENCE_ARRAY, names->types[i]);
    if (tree)
        tree->leaf = i;
    return tree;
}

static struct cm_reference_tree *scalar_leaf(struct text *t, uint32_t scalar)
{
    struct cm_compute_names *names = t->names;
    const struct cm_number number = t->workload->scalars[scalar - 1].number;
    const enum cm_type type = number.complex ? CM_TYPE_COMPLEX128 : CM_TYPE_REAL64;
    struct cm_reference_tree *tree = new_tree(t, CM_REFERENCE_SCALAR, type);
    if (names->scalar_count == CM_COMPUTE_SCALARS_MAX)
        return fail(t, "the expression has too many scalars");
    if (tree == NULL)
        return NULL;
    tree->leaf = names->scalar_count;
    names->scalars[names->scalar_count++] = (struct cm_compute_scalar){
        {.json = t->json, .array = CM_NO_ARRAY, .scalar = scalar, .number = number}, type};
    return tree;
}

/* ---- calls ---- */

static struct cm_reference_tree *expression(struct text *t);

static bool expect(struct text *t, const char *sign, const char *what)
{
    if (cm_reader_ok(t->reader) && !take(t, sign))
        fail(t, what);
    return cm_reader_ok(t->reader);
}

static struct cm_reference_tree *index_along(struct text *t, const struct cm_reference_tree *axis)
{
    if (axis->op != CM_REFERENCE_CONSTANT || axis->type != CM_TYPE_INT32 || axis->value.whole < 1 ||
        (uint32_t)axis->value.whole > t->names->rank)
        return fail(t, "index takes a dimension of the array, a number from 1");
    struct cm_reference_tree *tree = new_tree(t, CM_REFERENCE_INDEX, CM_TYPE_INT32);
    if (tree)
        tree->leaf = (uint32_t)axis->value.whole - 1;
    return tree;
}

/* Recognises the functions that convert to a type: int, real, dble, and cmplx with one argument. */
static bool conversion(const char *name, const struct cm_reference_tree *x, enum cm_type *type)
{
    if (strcasecmp(name, "int") == 0)
        *type = CM_TYPE_INT32;
    else if (strcasecmp(name, "dble") == 0)
        *type = CM_TYPE_REAL64;
    else if (strcasecmp(name, "real") == 0)
        *type = x->type == CM_TYPE_COMPLEX128 ? CM_TYPE_REAL64 : CM_TYPE_REAL32;
    else if (strcasecmp(name, "cmplx") == 0)
        *type = float_type(is_wide(x->type), true);
    else
        return false;
    return true;
}

static struct cm_reference_tree *call_of(struct text *t, const char *name,
                                         struct cm_reference_tree *arguments[3], uint32_t count)
{
    enum cm_type type;
    char message[120];
    if (count == 1 && strcasecmp(name, "index") == 0)
        return index_along(t, arguments[0]);
    if (count == 1 && conversion(name, arguments[0], &type))
        return converted(t, arguments[0], type);
    for (uint32_t op = CM_EXPRESSION_MERGE; op < CM_EXPRESSION_OP_COUNT; op++)
        if (strcasecmp(cm_expression_op_name((enum cm_expression_op)op), name) == 0 &&
            cm_expression_operands((enum cm_expression_op)op) == count)
            return node(t, (enum cm_expression_op)op, arguments[0], arguments[1], arguments[2]);
    snprintf(message, sizeof message, "no function \"%.40s\" of %" PRIu32 " arguments", name,
             count);
    return fail(t, message);
}

static struct cm_reference_tree *call(struct text *t, const char *name)
{
    struct cm_reference_tree *arguments[3] = {NULL, NULL, NULL};
    uint32_t count = 0;
    do {
        if (count == 3)
            return fail(t, "more than three arguments");
        arguments[count++] = expression(t);
    } while (cm_reader_ok(t->reader) && take(t, ","));
    if (!expect(t, ")", "expected ) after the arguments"))
        return NULL;
    return call_of(t, name, arguments, count);
}

static struct cm_reference_tree *named(struct text *t)
{
    char name[NAME_BYTES] = "", message[160];
    size_t length = 0;
    while (isalnum((unsigned char)t->at[length]) || t->at[length] == '_')
        length++;
    if (length >= sizeof name)
        return fail(t, "a name that is too long");
    memcpy(name, t->at, length);
    const uint32_t array = cm_workload_find_array(t->workload, name);
    const uint32_t scalar = cm_workload_find_scalar(t->workload, name);
    t->at += length;
    if (take(t, "("))
        return call(t, name);
    if (array != CM_NO_ARRAY)
        return array_leaf(t, array);
    if (scalar != 0)
        return scalar_leaf(t, scalar);
    const char *nearest = cm_workload_suggest_array(t->workload, name);
    snprintf(message, sizeof message, "no array or scalar is named \"%s\"", name);
    fail(t, message);
    if (nearest)
        cm_reader_hint(t->reader, "did you mean \"%s\"?", nearest);
    return NULL;
}

/* ---- operators ---- */

static struct cm_reference_tree *primary(struct text *t)
{
    skip_blanks(t);
    if (isdigit((unsigned char)*t->at) || (*t->at == '.' && isdigit((unsigned char)t->at[1])))
        return number(t);
    if (isalpha((unsigned char)*t->at) || *t->at == '_')
        return named(t);
    if (take(t, ".true."))
        return truth(t, true);
    if (take(t, ".false."))
        return truth(t, false);
    if (!take(t, "("))
        return fail(t, "expected a number, a name or (");
    struct cm_reference_tree *inside = expression(t);
    return expect(t, ")", "expected )") ? inside : NULL;
}

static struct cm_reference_tree *signed_power(struct text *t);

static struct cm_reference_tree *power(struct text *t)
{
    struct cm_reference_tree *x = primary(t);
    if (!cm_reader_ok(t->reader) || !take(t, "**"))
        return x;
    return node(t, CM_EXPRESSION_POWER, x, signed_power(t), NULL);
}

/* Negates a tree. A constant is replaced by its negative, so that x ** (-2) has a constant
 * exponent. */
static struct cm_reference_tree *negated(struct text *t, struct cm_reference_tree *x)
{
    if (x == NULL || x->op != CM_REFERENCE_CONSTANT || !is_number(x))
        return cm_reader_ok(t->reader) ? node(t, CM_EXPRESSION_NEGATE, x, NULL, NULL) : NULL;
    x->value.whole = -x->value.whole;
    x->value.re = -x->value.re;
    return x;
}

static struct cm_reference_tree *signed_power(struct text *t)
{
    struct cm_reference_tree *x;
    if (++t->depth > DEPTH_MAX)
        return fail(t, "the expression is nested too deeply");
    if (take(t, "-"))
        x = negated(t, signed_power(t));
    else
        x = take(t, "+") ? signed_power(t) : power(t);
    t->depth--;
    return x;
}

static struct cm_reference_tree *product(struct text *t)
{
    struct cm_reference_tree *x = power(t);
    for (;;) {
        skip_blanks(t);
        if (!cm_reader_ok(t->reader) || (*t->at != '*' && (*t->at != '/' || t->at[1] == '=')))
            return x;
        const bool times = *t->at++ == '*';
        x = node(t, times ? CM_EXPRESSION_MULTIPLY : CM_EXPRESSION_DIVIDE, x, power(t), NULL);
    }
}

static struct cm_reference_tree *sum(struct text *t)
{
    const bool minus = take(t, "-");
    if (!minus)
        take(t, "+");
    struct cm_reference_tree *x = product(t);
    if (minus)
        x = negated(t, x);
    for (;;) {
        skip_blanks(t);
        if (!cm_reader_ok(t->reader) || (*t->at != '+' && *t->at != '-'))
            return x;
        const bool plus = *t->at++ == '+';
        x = node(t, plus ? CM_EXPRESSION_ADD : CM_EXPRESSION_SUBTRACT, x, product(t), NULL);
    }
}

static struct cm_reference_tree *comparison(struct text *t)
{
    static const enum cm_expression_op ops[] = {
        CM_EXPRESSION_EQUAL,         CM_EXPRESSION_NOT_EQUAL, CM_EXPRESSION_LESS_EQUAL,
        CM_EXPRESSION_GREATER_EQUAL, CM_EXPRESSION_LESS,      CM_EXPRESSION_GREATER};
    struct cm_reference_tree *x = sum(t);
    for (size_t i = 0; cm_reader_ok(t->reader) && i < sizeof ops / sizeof ops[0]; i++)
        if (take(t, cm_expression_op_name(ops[i])))
            return node(t, ops[i], x, sum(t), NULL);
    return x;
}

static struct cm_reference_tree *negation(struct text *t)
{
    struct cm_reference_tree *x;
    if (++t->depth > DEPTH_MAX)
        return fail(t, "the expression is nested too deeply");
    if (take(t, ".not."))
        x = node(t, CM_EXPRESSION_NOT, negation(t), NULL, NULL);
    else
        x = comparison(t);
    t->depth--;
    return x;
}

static struct cm_reference_tree *conjunction(struct text *t)
{
    struct cm_reference_tree *x = negation(t);
    while (cm_reader_ok(t->reader) && take(t, ".and."))
        x = node(t, CM_EXPRESSION_AND, x, negation(t), NULL);
    return x;
}

static struct cm_reference_tree *disjunction(struct text *t)
{
    struct cm_reference_tree *x = conjunction(t);
    while (cm_reader_ok(t->reader) && take(t, ".or."))
        x = node(t, CM_EXPRESSION_OR, x, conjunction(t), NULL);
    return x;
}

static struct cm_reference_tree *expression(struct text *t)
{
    if (++t->depth > DEPTH_MAX)
        return fail(t, "the expression is nested too deeply");
    struct cm_reference_tree *x = disjunction(t);
    for (;;) {
        if (cm_reader_ok(t->reader) && take(t, ".eqv."))
            x = node(t, CM_EXPRESSION_EQV, x, disjunction(t), NULL);
        else if (cm_reader_ok(t->reader) && take(t, ".neqv."))
            x = node(t, CM_EXPRESSION_NEQV, x, disjunction(t), NULL);
        else
            break;
    }
    t->depth--;
    return x;
}

struct cm_reference_tree *cm_compute_read(struct cm_workload *workload, struct cm_reader *reader,
                                          struct cm_json json, enum cm_type type,
                                          struct cm_compute_names *names)
{
    const char *string = cm_read_string(reader, json, "an expression");
    struct text t = {.workload = workload,
                     .reader = reader,
                     .json = json,
                     .names = names,
                     .begin = string,
                     .at = string};
    if (string == NULL || !cm_reader_ok(reader))
        return NULL;
    if (strlen(string) > TEXT_MAX)
        return fail(&t, "the expression is longer than 4096 characters");
    struct cm_reference_tree *tree = expression(&t);
    skip_blanks(&t);
    if (cm_reader_ok(reader) && *t.at != '\0')
        return fail(&t, "expected an operator");
    if (cm_reader_ok(reader))
        tree = converted(&t, tree, type);
    return cm_reader_ok(reader) ? tree : NULL;
}
