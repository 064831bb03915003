/* Parsers of the statements PRINT, WRITE and FORMAT. */
#include "parser.h"

#include "../../base/text.h"

#include <string.h>

/* Parses the format of a PRINT or WRITE: `*`, a label, or an expression with the text of the
 * format. */
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

void cm_parse_print(struct cm_parser *p, struct cm_syntax_statement *s)
{
    parse_format(p, s);
    if (cm_accept(p, CM_WORD_COMMA))
        s->print.items = cm_parse_items(p);
}

static void parse_unit(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (!cm_accept(p, CM_WORD_TIMES))
        s->print.unit = cm_parse_expression(p);
}

/* Parses the value of ADVANCE=, which is 'YES' or 'NO'. */
static void parse_advance(struct cm_parser *p, struct cm_syntax_statement *s)
{
    const struct cm_word *token = cm_peek(p);
    if (token->kind != CM_WORD_STRING)
        cm_fail(p, "expected 'YES' or 'NO' behind ADVANCE=");
    else
        s->print.keep_line = token->length > 0 && (token->text[0] | 0x20) == 'n';
    cm_next(p);
}

/* Parses an argument KEYWORD=value of a WRITE statement. */
static void parse_control(struct cm_parser *p, struct cm_syntax_statement *s)
{
    const struct cm_word *keyword = cm_peek(p);
    static const char *const refused[] = {"iostat", "err", "end", "eor", "rec", "size", "nml"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (cm_is_word(p, refused[i]))
            cm_fail(p, "%s= is not supported", cm_word_text(p, keyword).text);
    p->at += p->is_bad ? 0 : 2;
    if (p->is_bad)
        return;
    if (strcmp(keyword->text, "unit") == 0)
        parse_unit(p, s);
    else if (strcmp(keyword->text, "fmt") == 0)
        parse_format(p, s);
    else if (strcmp(keyword->text, "advance") == 0)
        parse_advance(p, s);
    else
        cm_fail_at(p, cm_place_of(p, keyword), "expected UNIT=, FMT= or ADVANCE=");
}

void cm_parse_write(struct cm_parser *p, struct cm_syntax_statement *s)
{
    uint32_t position = 0;
    cm_expect(p, CM_WORD_OPEN, " behind WRITE");
    do {
        if (cm_is(p, CM_WORD_NAME) && cm_peek_ahead(p, 1)->kind == CM_WORD_ASSIGN)
            parse_control(p, s);
        else if (position == 0)
            parse_unit(p, s);
        else if (position == 1)
            parse_format(p, s);
        else
            cm_fail(p, "expected ')' behind the format");
        position++;
    } while (cm_accept(p, CM_WORD_COMMA));
    cm_expect(p, CM_WORD_CLOSE, "");
    if (s->print.format_kind == CM_FORMAT_NONE) {
        cm_fail(p, "WRITE without a format is not supported");
        cm_messages_hint(p->messages, "WRITE (*,*) prints as PRINT * does");
    }
    if (!cm_is(p, CM_WORD_END))
        s->print.items = cm_parse_items(p);
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
