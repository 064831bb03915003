/* Checks output statements: PRINT, and WRITE to the standard output. */
#include "flow.h"

static bool check_unit(struct cm_check *check, const struct cm_syntax_expression *tree)
{
    int32_t unit;
    if (!tree)
        return true;
    if (!cm_check_integer(check, tree, "the unit of a WRITE", &unit))
        return false;
    if (unit == 6)
        return true;
    cm_check_fail(check, tree->place, "unit %d is not supported: there are no files", unit);
    cm_messages_hint(check->messages, "* and 6 are the standard output");
    return false;
}

static const char *labelled_format(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    const struct cm_check_label *label = cm_check_label_find(check, tree->print.format_label);
    if (!label)
        return NULL;
    if (!label->is_format || !label->format)
        return cm_check_fail(check, tree->place, "no FORMAT of this unit has the label %u",
                             tree->print.format_label);
    const struct cm_fortran_expression *text = cm_check_expression(check, label->format->format);
    return text ? cm_check_format(check, text) : NULL;
}

/* Returns the text of the statement's format, or NULL for list-directed output. Sets *good to false
 * after a fault. */
static const char *check_format(struct cm_check *check, const struct cm_syntax_statement *tree,
                                bool *good)
{
    const char *format = NULL;
    if (tree->print.format_kind == CM_FORMAT_LABEL) {
        format = labelled_format(check, tree);
        *good = format != NULL;
    } else if (tree->print.format_kind == CM_FORMAT_EXPRESSION) {
        const struct cm_fortran_expression *text = cm_check_expression(check, tree->print.format);
        if (text && text->kind != CM_FORTRAN_TEXT)
            text = cm_check_fail(check, text->place,
                                 "a format is a label, or a CHARACTER "
                                 "constant");
        format = text ? cm_check_format(check, text) : NULL;
        *good = format != NULL;
    } else if (tree->print.format_kind == CM_FORMAT_NONE) {
        cm_check_fail(check, tree->place, "output without a format is not supported");
        cm_messages_hint(check->messages, "write *, or a format");
        *good = false;
    }
    return format;
}

static struct cm_fortran_expression *check_item(struct cm_check *check,
                                                const struct cm_syntax_expression *tree)
{
    if (tree->kind == CM_EXPRESSION_IMPLIED_DO)
        return cm_check_output_do(check, tree);
    struct cm_fortran_expression *item = cm_check_named(check, tree);
    if (item && item->kind == CM_FORTRAN_VARIABLE && item->variable->assumed_size)
        return cm_check_fail(check, tree->place,
                             "\"%s\" has no last bound (*): it cannot be printed as a whole",
                             item->variable->name);
    return item;
}

void cm_check_print(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    bool good = check_unit(check, tree->print.unit);
    const char *format = check_format(check, tree, &good);
    if (tree->print.keep_line && good && !format)
        cm_check_fail(check, tree->place, "ADVANCE='NO' needs a format");
    struct cm_fortran_expression **args =
        cm_check_take(check, sizeof(void *) * ((size_t)tree->print.items.count + 1));
    if (!args)
        return;
    uint32_t count = 0;
    for (const struct cm_syntax_argument *item = tree->print.items.first; item; item = item->next)
        args[count++] = check_item(check, item->value);
    struct cm_fortran_statement *print =
        good ? cm_check_emit(check, CM_FORTRAN_PRINT, tree->place) : NULL;
    if (!print)
        return;
    print->format = format;
    print->keeps_line = tree->print.keep_line;
    print->args = args;
    print->count = count;
}
