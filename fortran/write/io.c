/* Writes the statements of input and output. */
#include "write_private.h"

static void put_format(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    if (s->print.format_kind == CM_FORMAT_LABEL)
        cm_put_number(w, s->print.format_label);
    else if (s->print.format_kind == CM_FORMAT_EXPRESSION)
        cm_put_expression(w, s->print.format);
    else
        cm_put(w, "*");
}

static void put_items(struct cm_writer *w, const struct cm_syntax_statement *s, const char *before)
{
    if (!s->print.items.first)
        return;
    cm_put(w, before);
    cm_put_arguments(w, &s->print.items);
}

/* Writes the parentheses of a statement, with the unit, the format and the specifiers. */
static void put_controls(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    bool transfers = s->kind == CM_STATEMENT_READ || s->kind == CM_STATEMENT_WRITE;
    cm_put(w, " (");
    if (s->print.unit)
        cm_put_expression(w, s->print.unit);
    else if (transfers)
        cm_put(w, "*");
    if (s->print.format_kind != CM_FORMAT_NONE) {
        cm_put(w, ", ");
        put_format(w, s);
    }
    if (s->print.controls.first && (transfers || s->print.unit))
        cm_put(w, ", ");
    cm_put_arguments(w, &s->print.controls);
    cm_put(w, ")");
}

void cm_put_io(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    static const char *const words[] = {"read",   "open",      "close",  "inquire",
                                        "rewind", "backspace", "endfile"};
    if (s->kind == CM_STATEMENT_PRINT) {
        cm_put(w, "print ");
        put_format(w, s);
        put_items(w, s, ", ");
        return;
    }
    cm_put(w, s->kind == CM_STATEMENT_WRITE ? "write" : words[s->kind - CM_STATEMENT_READ]);
    put_controls(w, s);
    put_items(w, s, " ");
}
