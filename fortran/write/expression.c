/* Writes expressions. */
#include "write_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void cm_put_string(struct cm_writer *w, const char *bytes, uint32_t length)
{
    struct cm_buffer quoted;
    cm_buffer_init(&quoted);
    cm_buffer_append(&quoted, "'", 1);
    for (uint32_t i = 0; i < length; i++)
        cm_buffer_append(&quoted, bytes[i] == '\'' ? "''" : &bytes[i], bytes[i] == '\'' ? 2 : 1);
    cm_buffer_append(&quoted, "'", 1);
    if (cm_buffer_ok(&quoted))
        cm_put_long(w, quoted.data, quoted.length);
    else
        w->text.failed = true;
    cm_buffer_finish(&quoted);
}

static void put_hollerith(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "%" PRIu32 "h", e->string.length);
    cm_buffer_append(&text, e->string.bytes, e->string.length);
    if (cm_buffer_ok(&text))
        cm_put_bytes(w, text.data, text.length);
    else
        w->text.failed = true;
    cm_buffer_finish(&text);
}

/* Appends the kind of a constant, such as _8 or _DP. */
static void put_kind(struct cm_buffer *text, const struct cm_syntax_expression *e)
{
    if (e->kind_name)
        cm_buffer_printf(text, "_%s", e->kind_name);
    else if (e->kind_value > 0)
        cm_buffer_printf(text, "_%" PRIu32, e->kind_value);
}

static void put_constant(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    if (e->kind == CM_EXPRESSION_INTEGER) {
        cm_buffer_printf(&text,
                         !e->is_bits  ? "%" PRIu64
                         : w->is_data ? "z'%" PRIx64 "'"
                                      : "int(z'%" PRIx64 "')",
                         e->integer);
    } else if (e->kind == CM_EXPRESSION_LOGICAL) {
        cm_buffer_printf(&text, "%s", e->logical ? ".true." : ".false.");
    } else {
        size_t mantissa = strcspn(e->real.digits, "e");
        const char *exponent = e->real.digits + mantissa;
        cm_buffer_append(&text, e->real.digits, mantissa);
        if (e->real.is_double)
            cm_buffer_printf(&text, "d%s", *exponent ? exponent + 1 : "0");
        else
            cm_buffer_printf(&text, "%s", exponent);
    }
    put_kind(&text, e);
    if (cm_buffer_ok(&text))
        cm_put_bytes(w, text.data, text.length);
    else
        w->text.failed = true;
    cm_buffer_finish(&text);
}

void cm_put_arguments(struct cm_writer *w, const struct cm_syntax_arguments *list)
{
    for (const struct cm_syntax_argument *a = list->first; a; a = a->next) {
        if (a->keyword) {
            cm_put(w, a->keyword);
            cm_put(w, " = ");
        }
        cm_put_expression(w, a->value);
        if (a->next)
            cm_put(w, ", ");
    }
}

static void put_index(struct cm_writer *w, uint32_t loop)
{
    char name[32];
    snprintf(name, sizeof name, "cm200_i%" PRIu32, loop);
    cm_put(w, name);
}

/* Opens an implied DO loop, and returns the number of its variable. The caller decrements w->loops
 * at the end of the loop. */
static uint32_t open_loop(struct cm_writer *w)
{
    uint32_t loop = ++w->loops;
    if (loop > w->indices)
        w->indices = loop;
    return loop;
}

static void put_range(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    if (e->range.lower)
        cm_put_expression(w, e->range.lower);
    cm_put(w, ":");
    if (e->range.upper)
        cm_put_expression(w, e->range.upper);
    if (e->range.stride) {
        cm_put(w, ":");
        cm_put_expression(w, e->range.stride);
    }
}

/* Writes a range such as 1:n:2 in a constructor as the implied DO loop (i, i = 1, n, 2). */
static void put_range_loop(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    if (!e->range.lower || !e->range.upper) {
        cm_messages_add(w->messages, e->place, "a range in a constructor needs both its ends");
        return;
    }
    uint32_t loop = open_loop(w);
    cm_put(w, "(");
    put_index(w, loop);
    cm_put(w, ", ");
    put_index(w, loop);
    cm_put(w, " = ");
    cm_put_expression(w, e->range.lower);
    cm_put(w, ", ");
    cm_put_expression(w, e->range.upper);
    if (e->range.stride) {
        cm_put(w, ", ");
        cm_put_expression(w, e->range.stride);
    }
    cm_put(w, ")");
    w->loops--;
}

/* Writes a repeated constructor such as 3[1, 2] as the implied DO loop (1, 2, i = 1, 3). */
static void put_repeat_loop(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    uint32_t loop = open_loop(w);
    cm_put(w, "(");
    cm_put_expression(w, e->repeat.value);
    cm_put(w, ", ");
    put_index(w, loop);
    cm_put(w, " = 1, ");
    cm_put_expression(w, e->repeat.count);
    cm_put(w, ")");
    w->loops--;
}

static void put_entry(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    if (e->kind == CM_EXPRESSION_RANGE && !w->options.is_tree)
        put_range_loop(w, e);
    else if (e->kind == CM_EXPRESSION_REPEAT && !w->options.is_tree)
        put_repeat_loop(w, e);
    else
        cm_put_expression(w, e);
}

static void put_constructor(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    cm_put(w, w->options.is_tree ? "[" : "(/ ");
    for (const struct cm_syntax_argument *a = e->items.first; a; a = a->next) {
        put_entry(w, a->value);
        if (a->next)
            cm_put(w, ", ");
    }
    cm_put(w, w->options.is_tree ? "]" : " /)");
}

static void put_loop(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    cm_put(w, "(");
    for (const struct cm_syntax_argument *a = e->loop.items.first; a; a = a->next) {
        put_entry(w, a->value);
        cm_put(w, ", ");
    }
    cm_put(w, e->loop.variable);
    cm_put(w, " = ");
    cm_put_expression(w, e->loop.first);
    cm_put(w, ", ");
    cm_put_expression(w, e->loop.last);
    if (e->loop.step) {
        cm_put(w, ", ");
        cm_put_expression(w, e->loop.step);
    }
    cm_put(w, ")");
}

static void put_operation(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    bool has_brackets = w->options.is_tree && !w->options.is_plain;
    if (has_brackets)
        cm_put(w, "(");
    if (e->left) {
        cm_put_expression(w, e->left);
        cm_put(w, " ");
    }
    cm_put(w, cm_operator_text(e->op));
    if (e->left || e->op == CM_OPERATOR_NOT)
        cm_put(w, " ");
    cm_put_expression(w, e->right);
    if (has_brackets)
        cm_put(w, ")");
}

static void put_call(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    if (!w->options.is_tree && (cm_put_shift(w, e) || cm_put_setup(w, e)))
        return;
    cm_put(w, cm_standard_name(w, e->call.name));
    w->needs_library |= cm_is_library_name(w, e->call.name);
    w->has_made |= cm_is_made(w, e->call.name);
    cm_put(w, "(");
    cm_put_arguments(w, &e->call.arguments);
    cm_put(w, ")");
}

static void put_name(struct cm_writer *w, const char *name)
{
    w->needs_library |= cm_is_library_name(w, name);
    cm_put(w, name);
}

/* Writes an expression in parentheses, a complex constant or a substring. */
static void put_pair(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    if (e->kind == CM_EXPRESSION_SUBSTRING) {
        cm_put_expression(w, e->substring.of);
        cm_put(w, "(");
        cm_put_expression(w, e->substring.range);
    } else {
        cm_put(w, "(");
        cm_put_expression(w, e->kind == CM_EXPRESSION_COMPLEX ? e->pair.real : e->right);
    }
    if (e->kind == CM_EXPRESSION_COMPLEX) {
        cm_put(w, ", ");
        cm_put_expression(w, e->pair.imaginary);
    }
    cm_put(w, ")");
}

void cm_put_expression(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    if (w->hooks)
        w->hooks->expression(w, e);
    else
        cm_put_plain(w, e);
}

void cm_put_plain(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    switch (e->kind) {
    case CM_EXPRESSION_INTEGER:
    case CM_EXPRESSION_REAL:
    case CM_EXPRESSION_LOGICAL:
        put_constant(w, e);
        break;
    case CM_EXPRESSION_STRING:
        if (e->is_bits)
            put_hollerith(w, e);
        else
            cm_put_string(w, e->string.bytes, e->string.length);
        break;
    case CM_EXPRESSION_NAME:
        put_name(w, e->name);
        break;
    case CM_EXPRESSION_CALL:
        put_call(w, e);
        break;
    case CM_EXPRESSION_COMPLEX:
    case CM_EXPRESSION_PARENTHESES:
    case CM_EXPRESSION_SUBSTRING:
        put_pair(w, e);
        break;
    case CM_EXPRESSION_UNARY:
    case CM_EXPRESSION_BINARY:
        put_operation(w, e);
        break;
    case CM_EXPRESSION_RANGE:
        put_range(w, e);
        break;
    case CM_EXPRESSION_CONSTRUCTOR:
        put_constructor(w, e);
        break;
    case CM_EXPRESSION_IMPLIED_DO:
        put_loop(w, e);
        break;
    case CM_EXPRESSION_REPEAT:
        cm_put_expression(w, e->repeat.count);
        cm_put(w, e->repeat.value->kind == CM_EXPRESSION_CONSTRUCTOR ? "" : "*");
        cm_put_expression(w, e->repeat.value);
        break;
    }
}
