/* Parsers of the statements of input and output: READ, WRITE, PRINT, OPEN and the like, FORMAT, and
 * NAMELIST. */
#include "parser.h"

#include "../../base/text.h"

#include <string.h>

/* Parses the format of a statement: `*`, a label, or an expression with the text of the format. */
static void parse_format(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (cm_accept(p, CM_WORD_TIMES)) {
        s->print.format_kind = CM_FORMAT_LIST;
    } else if (cm_is(p, CM_WORD_INTEGER)) {
        s->print.format_kind = CM_FORMAT_LABEL;
        s->print.format_label = cm_expect_label(p);
    } else {
        s->print.format_kind = CM_FORMAT_EXPRESSION;
        s->print.format = cm_parse_expression(p);
    }
}

/* Parses a list of values, or of variables for a READ. */
static void parse_items(struct cm_parser *p, struct cm_syntax_statement *s)
{
    s->print.items = s->kind == CM_STATEMENT_READ ? cm_parse_objects(p) : cm_parse_items(p);
}

void cm_parse_print(struct cm_parser *p, struct cm_syntax_statement *s)
{
    parse_format(p, s);
    if (cm_accept(p, CM_WORD_COMMA))
        parse_items(p, s);
}

void cm_parse_type_or_print(struct cm_parser *p, struct cm_syntax_statement *s)
{
    enum cm_word_kind next = cm_peek(p)->kind;
    if (next == CM_WORD_TIMES || next == CM_WORD_INTEGER || next == CM_WORD_STRING) {
        cm_parse_print(p, s);
        return;
    }
    cm_fail_at(p, s->place, "TYPE is not supported");
    cm_messages_hint(p->messages, "write a variable or an array for each component");
}

/* Adds a specifier such as IOSTAT=value, whose keyword begins at `place`, to the statement. */
static void add_control(struct cm_parser *p, struct cm_syntax_statement *s, const char *keyword,
                        struct cm_source_place place, struct cm_syntax_expression *value)
{
    struct cm_syntax_argument *last = s->print.controls.first;
    while (last && last->next)
        last = last->next;
    last = cm_add_argument(p, &s->print.controls, last, value);
    last->keyword = keyword;
    last->place = place;
}

static void parse_unit(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (!cm_accept(p, CM_WORD_TIMES))
        s->print.unit = cm_parse_expression(p);
}

/* Makes ACTION='READ' of the specifier READONLY, which VAX Fortran has in OPEN. */
static void add_read_only(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_source_place place = cm_place_here(p);
    struct cm_syntax_expression *value = cm_new_expression(p, CM_EXPRESSION_STRING, place);
    value->string.bytes = "READ";
    value->string.length = (uint32_t)strlen("READ");
    cm_next(p);
    add_control(p, s, cm_arena_name(p->arena, "action", strlen("action")), place, value);
}

/* Returns the name of a specifier. VAX Fortran has other names for some of those of OPEN. */
static const char *standard_keyword(struct cm_parser *p, const struct cm_syntax_statement *s,
                                    const char *keyword)
{
    static const char *const names[][2] = {{"name", "file"},
                                           {"type", "status"},
                                           {"recordsize", "recl"},
                                           {"disp", "status"},
                                           {"dispose", "status"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((s->kind == CM_STATEMENT_OPEN || (s->kind == CM_STATEMENT_CLOSE && i > 2)) &&
            strcmp(keyword, names[i][0]) == 0)
            return cm_arena_name(p->arena, names[i][1], strlen(names[i][1]));
    return keyword;
}

/* Parses a specifier KEYWORD=value. */
static void parse_control(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_source_place place = cm_place_here(p);
    const char *keyword = cm_next(p)->text;
    cm_next(p);
    if (strcmp(keyword, "unit") == 0)
        parse_unit(p, s);
    else if (strcmp(keyword, "fmt") == 0)
        parse_format(p, s);
    else
        add_control(p, s, standard_keyword(p, s, keyword), place, cm_parse_expression(p));
}

/* Parses the specifiers in parentheses. Without keywords, the first one is the unit, and the second
 * one of READ and WRITE is the format. */
static void parse_controls(struct cm_parser *p, struct cm_syntax_statement *s)
{
    bool transfers = s->kind == CM_STATEMENT_READ || s->kind == CM_STATEMENT_WRITE;
    uint32_t position = 0;
    cm_expect(p, CM_WORD_OPEN, transfers ? "" : " in front of the unit");
    do {
        if (cm_is(p, CM_WORD_NAME) && cm_peek_ahead(p, 1)->kind == CM_WORD_ASSIGN)
            parse_control(p, s);
        else if (position == 0)
            parse_unit(p, s);
        else if (position == 1 && transfers)
            parse_format(p, s);
        else if (s->kind == CM_STATEMENT_OPEN && cm_is_word(p, "readonly"))
            add_read_only(p, s);
        else
            cm_fail(p, "expected ')' or KEYWORD= behind the %s", transfers ? "format" : "unit");
        position++;
    } while (cm_accept(p, CM_WORD_COMMA));
    cm_expect(p, CM_WORD_CLOSE, "");
}

void cm_parse_write(struct cm_parser *p, struct cm_syntax_statement *s)
{
    parse_controls(p, s);
    cm_accept(p, CM_WORD_COMMA);
    if (!cm_is(p, CM_WORD_END))
        parse_items(p, s);
}

/* Returns whether the parentheses of READ (...) have specifiers. In READ (F), X they have a
 * format. */
static bool has_controls(const struct cm_parser *p)
{
    uint32_t depth = 0, at = 0;
    if (!cm_is(p, CM_WORD_OPEN))
        return false;
    do {
        enum cm_word_kind kind = cm_peek_ahead(p, at++)->kind;
        depth += kind == CM_WORD_OPEN;
        depth -= kind == CM_WORD_CLOSE;
        if (kind == CM_WORD_END)
            return true;
    } while (depth > 0);
    return cm_peek_ahead(p, at)->kind != CM_WORD_COMMA ||
           cm_peek_ahead(p, 1)->kind == CM_WORD_INTEGER ||
           cm_peek_ahead(p, 1)->kind == CM_WORD_TIMES;
}

void cm_parse_read(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (has_controls(p))
        cm_parse_write(p, s);
    else
        cm_parse_print(p, s);
}

void cm_parse_file(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (cm_is(p, CM_WORD_OPEN))
        parse_controls(p, s);
    else
        parse_unit(p, s);
}

void cm_parse_open(struct cm_parser *p, struct cm_syntax_statement *s)
{
    parse_controls(p, s);
}

void cm_parse_format(struct cm_parser *p, struct cm_syntax_statement *s)
{
    const struct cm_word *token = cm_peek(p);
    s->format = cm_new_expression(p, CM_EXPRESSION_STRING, cm_place_here(p));
    if (token->kind != CM_WORD_FORMAT) {
        cm_fail(p, s->label == 0 ? "FORMAT needs a label" : "FORMAT needs brackets");
        return;
    }
    s->format->string.bytes = token->text;
    s->format->string.length = token->length;
    cm_next(p);
}

void cm_parse_namelist(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_common *last = NULL;
    do {
        struct cm_syntax_common *group = CM_NEW(p, struct cm_syntax_common);
        cm_expect(p, CM_WORD_DIVIDE, " in front of the name of a NAMELIST");
        group->name = cm_expect_name(p, "the name of a NAMELIST", &group->place);
        cm_expect(p, CM_WORD_DIVIDE, "");
        group->entities = cm_parse_names(p, false);
        if (last)
            last->next = group;
        else
            s->common = group;
        last = group;
        cm_accept(p, CM_WORD_COMMA);
    } while (cm_is(p, CM_WORD_DIVIDE));
}
