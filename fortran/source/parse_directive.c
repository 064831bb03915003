/* Parsers of the directives LAYOUT, ALIGN and COMMON. */
#include "parser.h"

#include "../../base/suggest.h"

/* Parses a dimension of a LAYOUT directive: `:NEWS`, `2:NEWS` or `:`. */
static struct cm_syntax_axis *parse_axis(struct cm_parser *p)
{
    static const struct {
        const char *name;
        enum cm_order order;
    } orders[] = {{"news", CM_ORDER_NEWS}, {"send", CM_ORDER_SEND}, {"serial", CM_ORDER_SERIAL}};
    struct cm_syntax_axis *axis = CM_NEW(p, struct cm_syntax_axis);
    axis->place = cm_place_here(p);
    if (!cm_is(p, CM_WORD_COLON))
        axis->weight = cm_parse_expression(p);
    if (!cm_accept(p, CM_WORD_COLON)) {
        cm_fail(p, "expected ':' and an order");
        cm_messages_hint(p->messages, "as in A(:NEWS, :SERIAL, 2:NEWS)");
        return axis;
    }
    if (axis->weight == NULL && (cm_is(p, CM_WORD_COMMA) || cm_is(p, CM_WORD_CLOSE)))
        return axis;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        if (cm_accept_word(p, orders[i].name)) {
            axis->order = orders[i].order;
            return axis;
        }
    cm_fail(p, "expected an order");
    cm_messages_hint(p->messages, "known are NEWS, SEND and SERIAL");
    return axis;
}

static void parse_layout(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_layout *last = NULL;
    s->kind = CM_STATEMENT_LAYOUT;
    do {
        struct cm_syntax_layout *layout = CM_NEW(p, struct cm_syntax_layout);
        struct cm_syntax_axis *axis = NULL;
        layout->name = cm_expect_name(p, "an array", &layout->place);
        cm_expect(p, CM_WORD_OPEN, " behind the array");
        do {
            struct cm_syntax_axis *next = parse_axis(p);
            if (axis)
                axis->next = next;
            else
                layout->axes = next;
            axis = next;
            layout->axis_count++;
        } while (cm_accept(p, CM_WORD_COMMA));
        cm_expect(p, CM_WORD_CLOSE, "");
        if (last)
            last->next = layout;
        else
            s->layout = layout;
        last = layout;
    } while (cm_accept(p, CM_WORD_COMMA));
}

/* Parses an ALIGN directive, such as ALIGN A(I, J) WITH B(I+1, J). */
static void parse_align(struct cm_parser *p, struct cm_syntax_statement *s)
{
    s->kind = CM_STATEMENT_ALIGN;
    s->align.array = cm_parse_designator(p);
    if (!cm_accept_word(p, "with"))
        cm_fail(p, "expected WITH and the array that it is aligned with");
    s->align.with = cm_parse_designator(p);
    if (!p->is_bad &&
        (s->align.array->kind != CM_EXPRESSION_CALL || s->align.with->kind != CM_EXPRESSION_CALL)) {
        cm_fail_at(p, s->align.array->place, "both arrays need their axes");
        cm_messages_hint(p->messages, "as in CMF$ ALIGN A(I) WITH B(I, 1)");
    }
}

/* Parses a COMMON directive: CMONLY, FEONLY or INITIALIZED, and the names of blocks /A/, /B/. */
static void parse_common(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_entity *last = NULL;
    s->kind = CM_STATEMENT_CMF_COMMON;
    while (!p->is_bad && !cm_is(p, CM_WORD_END)) {
        if (cm_accept(p, CM_WORD_COMMA))
            continue;
        if (cm_accept_word(p, "cmonly")) {
            s->cmf_common.cm_only = true;
        } else if (cm_accept_word(p, "feonly")) {
            s->cmf_common.fe_only = true;
        } else if (cm_accept_word(p, "initialized")) {
            s->cmf_common.initialized = true;
        } else {
            struct cm_syntax_entity *entity = CM_NEW(p, struct cm_syntax_entity);
            entity->is_block = true;
            cm_expect(p, CM_WORD_DIVIDE, " and the name of a COMMON block");
            entity->name = cm_expect_name(p, "the name of a COMMON block", &entity->place);
            cm_expect(p, CM_WORD_DIVIDE, "");
            cm_add_entity(&s->cmf_common.blocks, &last, entity);
        }
    }
    if (s->cmf_common.blocks.count == 0)
        cm_fail(p, "expected the name of a COMMON block between slashes");
}

void cm_parse_directive(struct cm_parser *p, struct cm_syntax_statement *s)
{
    static const char *const names[] = {"layout", "align", "common"};
    if (cm_accept_word(p, "layout")) {
        parse_layout(p, s);
    } else if (cm_accept_word(p, "align")) {
        parse_align(p, s);
    } else if (cm_accept_word(p, "common")) {
        parse_common(p, s);
    } else {
        const char *near = cm_is(p, CM_WORD_NAME) ? cm_suggest(cm_peek(p)->text, names, 3) : NULL;
        cm_fail(p, "this is not a directive of CM Fortran");
        if (near)
            cm_messages_hint(p->messages, "did you mean %s?", near);
        else
            cm_messages_hint(p->messages, "known are LAYOUT, ALIGN and COMMON");
    }
    cm_expect(p, CM_WORD_END, "");
}
