/* Parsers of the statements COMMON and DATA. */
#include "parser.h"

/* Parses the name of a COMMON block: /NAME/, or `//` or nothing for blank COMMON. */
static struct cm_syntax_common *parse_block_name(struct cm_parser *p)
{
    struct cm_syntax_common *block = CM_NEW(p, struct cm_syntax_common);
    block->name = "";
    block->place = cm_place_here(p);
    if (cm_accept(p, CM_WORD_DIVIDE)) {
        if (!cm_is(p, CM_WORD_DIVIDE))
            block->name = cm_expect_name(p, "the name of a COMMON block", &block->place);
        cm_expect(p, CM_WORD_DIVIDE, "");
    } else {
        cm_accept(p, CM_WORD_CONCATENATE);
    }
    return block;
}

void cm_parse_common(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_common *last = NULL;
    do {
        struct cm_syntax_common *block = parse_block_name(p);
        struct cm_syntax_entity *entity = NULL;
        do {
            struct cm_syntax_entity *made = CM_NEW(p, struct cm_syntax_entity);
            made->name = cm_expect_name(p, "a variable", &made->place);
            if (cm_is(p, CM_WORD_OPEN)) {
                made->shape = cm_parse_shape(p);
                cm_mark_shaped(p, made->name);
            }
            cm_add_entity(&block->entities, &entity, made);
        } while (cm_accept(p, CM_WORD_COMMA) && cm_is(p, CM_WORD_NAME));
        if (last)
            last->next = block;
        else
            s->common = block;
        last = block;
    } while (cm_is(p, CM_WORD_DIVIDE) || cm_is(p, CM_WORD_CONCATENATE));
}

/* Parses a value of DATA: a constant, or a repeated constant such as 3*0.0. */
static struct cm_syntax_expression *parse_value(struct cm_parser *p)
{
    struct cm_syntax_expression *value = cm_parse_constant(p);
    if (!cm_accept(p, CM_WORD_TIMES))
        return value;
    struct cm_syntax_expression *made = cm_new_expression(p, CM_EXPRESSION_REPEAT, value->place);
    if (!p->is_bad && value->kind != CM_EXPRESSION_INTEGER && value->kind != CM_EXPRESSION_NAME)
        cm_fail_at(p, value->place, "expected a whole number in front of '*'");
    made->repeat.count = value;
    made->repeat.value = cm_parse_constant(p);
    made->depth = made->repeat.value->depth + 1;
    return made;
}

struct cm_syntax_arguments cm_parse_data_values(struct cm_parser *p)
{
    struct cm_syntax_arguments list = {0};
    struct cm_syntax_argument *last = NULL;
    cm_expect(p, CM_WORD_DIVIDE, " in front of the values");
    do
        last = cm_add_argument(p, &list, last, parse_value(p));
    while (cm_accept(p, CM_WORD_COMMA));
    cm_expect(p, CM_WORD_DIVIDE, " behind the values");
    return list;
}

void cm_parse_data(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_data *last = NULL;
    do {
        struct cm_syntax_data *group = CM_NEW(p, struct cm_syntax_data);
        group->objects = cm_parse_objects(p);
        group->values = cm_parse_data_values(p);
        if (last)
            last->next = group;
        else
            s->data = group;
        last = group;
        cm_accept(p, CM_WORD_COMMA);
    } while (cm_is(p, CM_WORD_NAME) || cm_is(p, CM_WORD_OPEN));
}
