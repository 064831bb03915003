/* Writes lines and program units, and has the entry point cm_syntax_write() (write.h). */
#include "write_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINE_COLUMNS 100u /* length of a line in columns. Standard Fortran allows 132 */
#define LABEL_WIDTH  6u

/* ---- Lines ---- */

void cm_put_bytes(struct cm_writer *w, const char *bytes, size_t length)
{
    size_t column = w->text.length - w->line;
    if (column > LABEL_WIDTH + w->indent + 16 && column + length > LINE_COLUMNS) {
        cm_buffer_printf(&w->text, "&\n");
        w->line = w->text.length;
        cm_buffer_printf(&w->text, "%s%*s", w->is_directive ? "!cmf$ " : "",
                         (int)(LABEL_WIDTH + w->indent + 4), "");
    }
    cm_buffer_append(&w->text, bytes, length);
}

void cm_put(struct cm_writer *w, const char *word)
{
    if (*word != '\0')
        cm_put_bytes(w, word, strlen(word));
}

void cm_put_number(struct cm_writer *w, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    cm_put(w, text);
}

void cm_put_long(struct cm_writer *w, const char *bytes, size_t length)
{
    const size_t piece = LINE_COLUMNS / 2;
    if (length <= piece) {
        cm_put_bytes(w, bytes, length);
        return;
    }
    if (w->text.length - w->line > piece) {
        cm_buffer_append(&w->text, "&\n", 2);
        w->line = w->text.length;
    }
    while (length > 0) {
        size_t now = length < piece ? length : piece;
        while (now < length && now < 2 * piece && bytes[now] == '\'')
            now++; /* A doubled quote is not divided between lines. */
        cm_buffer_append(&w->text, bytes, now);
        bytes += now;
        length -= now;
        if (length > 0) {
            cm_buffer_append(&w->text, "&\n&", 3);
            w->line = w->text.length - 1;
        }
    }
}

void cm_begin_line(struct cm_writer *w, uint32_t label)
{
    w->line = w->text.length;
    w->is_directive = false;
    if (label > 0)
        cm_buffer_printf(&w->text, "%-*" PRIu32, (int)(LABEL_WIDTH + w->indent), label);
    else
        cm_buffer_printf(&w->text, "%*s", (int)(LABEL_WIDTH + w->indent), "");
}

void cm_end_line(struct cm_writer *w)
{
    while (w->text.length > w->line && w->text.data[w->text.length - 1] == ' ')
        w->text.length--;
    cm_buffer_append(&w->text, "\n", 1);
    w->is_directive = false;
}

/* ---- Program units ---- */

static const char *const unit_words[] = {"program ", "subroutine ", "function ", "block data "};

void cm_put_dummies(struct cm_writer *w, const struct cm_syntax_unit *unit)
{
    cm_put(w, "(");
    for (const struct cm_syntax_entity *e = unit->arguments.first; e; e = e->next) {
        cm_put(w, e->name);
        if (e->next || unit->alternates > 0)
            cm_put(w, ", ");
    }
    for (uint32_t i = 0; i < unit->alternates; i++)
        cm_put(w, i > 0 ? ", *" : "*");
    cm_put(w, ")");
}

static void put_head(struct cm_writer *w, const struct cm_syntax_unit *unit)
{
    cm_begin_line(w, 0);
    if (unit->is_recursive)
        cm_put(w, "recursive ");
    if (unit->has_type) {
        cm_put_type(w, &unit->type, 0);
        cm_put(w, " ");
    }
    cm_put(w, unit_words[unit->kind]);
    cm_put(w, unit->kind == CM_UNIT_PROGRAM && !unit->name[0] ? "cm200_main" : unit->name);
    if (unit->kind == CM_UNIT_SUBROUTINE || unit->kind == CM_UNIT_FUNCTION)
        cm_put_dummies(w, unit);
    if (unit->result) {
        cm_put(w, " result(");
        cm_put(w, unit->result);
        cm_put(w, ")");
    }
    cm_end_line(w);
}

/* Writes declarations of the variables of implied DO loops that replace ranges. The declarations
 * follow IMPLICIT statements, and precede all uses. */
static void put_indices(struct cm_writer *w)
{
    for (uint32_t i = 1; i <= w->indices; i++) {
        cm_begin_line(w, 0);
        cm_put(w, "integer :: cm200_i");
        cm_put_number(w, i);
        cm_end_line(w);
    }
}

/* Splits the statements of a unit into those up to the last IMPLICIT statement, `front`, and the
 * others, `rest`. */
static void split(const struct cm_syntax_unit *unit, struct cm_syntax_block *front,
                  struct cm_syntax_block *rest, struct cm_syntax_statement **cut)
{
    *cut = NULL;
    for (struct cm_syntax_statement *s = unit->block.first; s && s->kind < CM_STATEMENT_ASSIGNMENT;
         s = s->next)
        if (s->kind == CM_STATEMENT_IMPLICIT)
            *cut = s;
    front->first = *cut ? unit->block.first : NULL;
    rest->first = *cut ? (*cut)->next : unit->block.first;
}

/*
 * Writes the statements of a unit. The statements are first written into separate buffers, because
 * they show which USE statements and declarations must precede them.
 */
static void put_statements(struct cm_writer *w, const struct cm_syntax_unit *unit)
{
    struct cm_syntax_block front = {0}, rest = {0};
    struct cm_syntax_statement *cut;
    struct cm_buffer outer = w->text, front_text, rest_text;
    split(unit, &front, &rest, &cut);
    cm_buffer_init(&w->text);
    for (struct cm_syntax_statement *s = front.first; s && s != rest.first; s = s->next) {
        struct cm_syntax_statement one = *s;
        one.next = NULL;
        cm_put_block(w, &(struct cm_syntax_block){&one, &one});
    }
    front_text = w->text;
    cm_buffer_init(&w->text);
    cm_put_block(w, &rest);
    rest_text = w->text;
    w->text = outer;
    if (w->needs_library) {
        cm_begin_line(w, 0);
        cm_put(w, "use cm200_library");
        cm_end_line(w);
    }
    if (w->hooks)
        w->hooks->uses(w);
    if (front_text.length > 0)
        cm_buffer_append(&w->text, front_text.data, front_text.length);
    put_indices(w);
    if (rest_text.length > 0)
        cm_buffer_append(&w->text, rest_text.data, rest_text.length);
    w->text.failed |= front_text.failed || rest_text.failed;
    cm_buffer_finish(&front_text);
    cm_buffer_finish(&rest_text);
}

void cm_put_unit(struct cm_writer *w, const struct cm_syntax_unit *unit)
{
    struct cm_writer outer = *w;
    w->unit = unit;
    w->indices = 0;
    w->needs_library = false;
    if (unit->name[0] || unit->kind != CM_UNIT_PROGRAM || !w->options.is_plain)
        put_head(w, unit);
    w->indent += 2;
    put_statements(w, unit);
    w->indent -= 2;
    cm_begin_line(w, unit->end_label);
    cm_put(w, "end ");
    cm_put(w, unit_words[unit->kind]);
    cm_put(w, unit->name);
    cm_end_line(w);
    w->has_library |= w->needs_library;
    w->unit = outer.unit;
    w->indices = outer.indices;
    w->needs_library = outer.needs_library;
}

static void put_units(struct cm_writer *w)
{
    for (const struct cm_syntax_unit *unit = w->tree->units; unit; unit = unit->next) {
        if (unit != w->tree->units)
            cm_buffer_append(&w->text, "\n", 1);
        cm_put_unit(w, unit);
    }
}

enum cm_status cm_write_program(struct cm_writer *w, struct cm_buffer *text)
{
    cm_buffer_init(&w->text);
    put_units(w);
    if (w->has_library && !w->options.is_tree)
        cm_library_module(w->has_made, w->has_table, text);
    if (w->text.length > 0)
        cm_buffer_append(text, w->text.data, w->text.length);
    text->failed |= w->text.failed;
    cm_buffer_finish(&w->text);
    return text->failed ? CM_NO_MEMORY : w->messages->status;
}

enum cm_status cm_syntax_write(const struct cm_syntax *tree, const struct cm_source *source,
                               const struct cm_write_options *options, struct cm_buffer *text,
                               struct cm_messages *messages)
{
    struct cm_writer w = {
        .tree = tree, .source = source, .messages = messages, .options = *options};
    return cm_write_program(&w, text);
}
