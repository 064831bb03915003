/* Parsers of executable statements, except constructs and output. */
#include "parser.h"

void cm_parse_assignment(struct cm_parser *p, struct cm_syntax_statement *s)
{
    s->assignment.target = cm_parse_designator(p);
    if (cm_is(p, CM_WORD_POINT))
        cm_fail_unsupported(p, "POINTER");
    cm_expect(p, CM_WORD_ASSIGN, "");
    s->assignment.value = cm_parse_expression(p);
}

void cm_parse_call(struct cm_parser *p, struct cm_syntax_statement *s)
{
    s->call.name = cm_expect_name(p, "the name of a subroutine", &s->call.name_place);
    if (cm_accept(p, CM_WORD_OPEN))
        s->call.arguments = cm_parse_actuals(p, &s->call.labels);
}

static struct cm_syntax_label *parse_label(struct cm_parser *p)
{
    struct cm_syntax_label *label = CM_NEW(p, struct cm_syntax_label);
    label->place = cm_place_here(p);
    label->label = cm_expect_label(p);
    return label;
}

/* Parses the labels of a list behind its opening parenthesis. */
static struct cm_syntax_label *parse_labels(struct cm_parser *p)
{
    struct cm_syntax_label *first = parse_label(p), *last = first;
    while (cm_accept(p, CM_WORD_COMMA)) {
        struct cm_syntax_label *next = parse_label(p);
        last->next = next;
        last = next;
    }
    cm_expect(p, CM_WORD_CLOSE, "");
    return first;
}

/* Parses a GO TO 10, a computed GO TO (10, 20), I or an assigned GO TO I, (10, 20). */
void cm_parse_goto(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (cm_is(p, CM_WORD_NAME)) {
        s->jump.is_assigned = true;
        struct cm_source_place place = cm_place_here(p);
        s->jump.selector = cm_new_expression(p, CM_EXPRESSION_NAME, place);
        s->jump.selector->name = cm_next(p)->text;
        cm_accept(p, CM_WORD_COMMA);
        if (cm_accept(p, CM_WORD_OPEN))
            s->jump.labels = parse_labels(p);
    } else if (cm_accept(p, CM_WORD_OPEN)) {
        s->jump.labels = parse_labels(p);
        cm_accept(p, CM_WORD_COMMA);
        s->jump.selector = cm_parse_expression(p);
    } else {
        s->jump.labels = parse_label(p);
    }
}

/* Parses ASSIGN 10 TO I. */
void cm_parse_assign(struct cm_parser *p, struct cm_syntax_statement *s)
{
    s->jump.labels = parse_label(p);
    if (!cm_accept_word(p, "to"))
        cm_fail(p, "expected TO and a variable");
    s->jump.selector = cm_parse_designator(p);
}

void cm_parse_continue(struct cm_parser *p, struct cm_syntax_statement *s)
{
    (void)p;
    (void)s;
}

void cm_parse_leave(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (cm_is(p, CM_WORD_NAME))
        s->construct = cm_next(p)->text;
}

void cm_parse_return(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (!cm_is(p, CM_WORD_END))
        s->alternate = cm_parse_expression(p);
}

void cm_parse_stop(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (cm_is(p, CM_WORD_END))
        return;
    if (!cm_is(p, CM_WORD_INTEGER) && !cm_is(p, CM_WORD_STRING))
        cm_fail(p, "expected a whole number or a character constant behind %s",
                s->kind == CM_STATEMENT_PAUSE ? "PAUSE" : "STOP");
    s->stop.code = cm_parse_constant(p);
}

void cm_parse_error_stop(struct cm_parser *p, struct cm_syntax_statement *s)
{
    s->stop.is_error = true;
    cm_parse_stop(p, s);
}

void cm_parse_allocate(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_argument *last = NULL;
    cm_expect(p, CM_WORD_OPEN, "");
    do {
        if (cm_is_word(p, "stat") && cm_peek_ahead(p, 1)->kind == CM_WORD_ASSIGN) {
            cm_next(p);
            cm_next(p);
            s->allocate.stat = cm_parse_designator(p);
            break;
        }
        struct cm_syntax_expression *object = cm_parse_designator(p);
        if (!p->is_bad && s->kind == CM_STATEMENT_ALLOCATE && object->kind != CM_EXPRESSION_CALL)
            cm_fail_at(p, object->place, "ALLOCATE needs bounds, as in %s(10)", object->name);
        last = cm_add_argument(p, &s->allocate.objects, last, object);
    } while (cm_accept(p, CM_WORD_COMMA));
    cm_expect(p, CM_WORD_CLOSE, "");
}
