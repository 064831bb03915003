/* Parsers of the constructs IF, WHERE, FORALL, DO and SELECT CASE: their first statements, their
 * parts such as ELSE, and their ends. */
#include "parser.h"

#include "../../base/text.h"

#include <stdio.h>

static void open_construct(struct cm_parser *p, enum cm_frame_kind kind,
                           struct cm_syntax_statement *s, struct cm_syntax_block *block)
{
    s->construct = p->construct;
    cm_push_frame(p, (struct cm_open_construct){.kind = kind, .statement = s, .block = block});
    cm_top(p)->branch = kind == CM_FRAME_IF || kind == CM_FRAME_WHERE ? s->branch : NULL;
}

static struct cm_syntax_expression *parse_condition(struct cm_parser *p, const char *where)
{
    cm_expect(p, CM_WORD_OPEN, where);
    struct cm_syntax_expression *condition = cm_parse_expression(p);
    cm_expect(p, CM_WORD_CLOSE, "");
    return condition;
}

/* Parses the statement that follows IF (..), WHERE (..) or FORALL (..) on the same line, into a
 * block of its own. */
static void parse_single(struct cm_parser *p, struct cm_syntax_statement *s,
                         struct cm_syntax_block *block, bool assignment)
{
    s->is_single = true;
    if (assignment && !p->is_bad && !cm_is_assignment(p))
        cm_fail(p, "only an assignment may follow here");
    struct cm_syntax_statement *inner = cm_parse_action(p);
    block->first = block->last = inner;
}

/* Returns whether the statement ends with THEN. Then an IF opens a block even if the statement has
 * a fault. */
static bool ends_with_then(const struct cm_parser *p)
{
    const struct cm_word *items = p->tokens.list.items;
    uint32_t last = p->tokens.list.count - 1;
    return last > 0 && items[last - 1].kind == CM_WORD_NAME && cm_name_of(items[last - 1].text) &&
           items[last - 1].text[0] == 't' && items[last - 1].text[1] == 'h';
}

/* Parses the labels of an arithmetic IF: IF (x) 10, 20, 30. */
static void parse_arithmetic_if(struct cm_parser *p, struct cm_syntax_statement *s,
                                struct cm_syntax_expression *value)
{
    s->kind = CM_STATEMENT_ARITHMETIC_IF;
    s->arithmetic.value = value;
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            cm_expect(p, CM_WORD_COMMA, "");
        s->arithmetic.labels[i] = cm_expect_label(p);
    }
}

void cm_parse_if(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_expression *condition = parse_condition(p, " behind IF");
    if (cm_is(p, CM_WORD_INTEGER)) {
        parse_arithmetic_if(p, s, condition);
        return;
    }
    s->branch = CM_NEW(p, struct cm_syntax_branch);
    s->branch->condition = condition;
    s->branch->place = s->place;
    if (cm_accept_word(p, "then") || (p->is_bad && ends_with_then(p)))
        open_construct(p, CM_FRAME_IF, s, &s->branch->block);
    else if (cm_is(p, CM_WORD_END))
        cm_fail(p, "expected THEN or a statement");
    else
        parse_single(p, s, &s->branch->block, false);
}

void cm_parse_where(struct cm_parser *p, struct cm_syntax_statement *s)
{
    s->branch = CM_NEW(p, struct cm_syntax_branch);
    s->branch->place = s->place;
    s->branch->condition = parse_condition(p, " behind WHERE");
    if (!cm_is(p, CM_WORD_END))
        parse_single(p, s, &s->branch->block, true);
    else if (!p->is_bad)
        open_construct(p, CM_FRAME_WHERE, s, &s->branch->block);
}

static struct cm_syntax_index *parse_index(struct cm_parser *p)
{
    struct cm_syntax_index *index = CM_NEW(p, struct cm_syntax_index);
    index->name = cm_expect_name(p, "an index", &index->place);
    cm_expect(p, CM_WORD_ASSIGN, "");
    index->first = cm_parse_expression(p);
    cm_expect(p, CM_WORD_COLON, " and the last value of the index");
    index->last = cm_parse_expression(p);
    if (cm_accept(p, CM_WORD_COLON))
        index->step = cm_parse_expression(p);
    return index;
}

void cm_parse_forall(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_index *last = NULL;
    cm_expect(p, CM_WORD_OPEN, " behind FORALL");
    do {
        if (last && cm_peek_ahead(p, 1)->kind != CM_WORD_ASSIGN) {
            s->forall.mask = cm_parse_expression(p);
            break;
        }
        struct cm_syntax_index *index = parse_index(p);
        if (last)
            last->next = index;
        else
            s->forall.indices = index;
        last = index;
    } while (cm_accept(p, CM_WORD_COMMA));
    cm_expect(p, CM_WORD_CLOSE, "");
    if (!cm_is(p, CM_WORD_END))
        parse_single(p, s, &s->forall.block, true);
    else if (!p->is_bad)
        open_construct(p, CM_FRAME_FORALL, s, &s->forall.block);
}

static void parse_while(struct cm_parser *p, struct cm_syntax_statement *s)
{
    s->loop.kind = CM_LOOP_WHILE;
    s->loop.condition = parse_condition(p, " behind WHILE");
}

static void parse_counted(struct cm_parser *p, struct cm_syntax_statement *s)
{
    s->loop.kind = CM_LOOP_COUNTED;
    s->loop.variable = cm_expect_name(p, "a loop variable", &s->loop.variable_place);
    cm_expect(p, CM_WORD_ASSIGN, " behind the loop variable");
    s->loop.first = cm_parse_expression(p);
    cm_expect(p, CM_WORD_COMMA, " and the last value of the loop variable");
    s->loop.last = cm_parse_expression(p);
    if (cm_accept(p, CM_WORD_COMMA))
        s->loop.step = cm_parse_expression(p);
}

void cm_parse_do(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (cm_is(p, CM_WORD_INTEGER)) {
        s->loop.label = cm_expect_label(p);
        cm_accept(p, CM_WORD_COMMA);
    }
    open_construct(p, CM_FRAME_DO, s, &s->loop.block);
    if (cm_is(p, CM_WORD_END))
        s->loop.kind = CM_LOOP_ENDLESS;
    else if (cm_is_word(p, "while") && cm_peek_ahead(p, 1)->kind == CM_WORD_OPEN)
        cm_parse_do_while(p, s);
    else
        parse_counted(p, s);
}

/* Parses a DO WHILE loop from the word behind DO on, or a loop whose keyword is DOWHILE. */
void cm_parse_do_while(struct cm_parser *p, struct cm_syntax_statement *s)
{
    bool is_one_word = !cm_accept_word(p, "while");
    if (is_one_word)
        open_construct(p, CM_FRAME_DO, s, &s->loop.block);
    parse_while(p, s);
}

void cm_parse_select(struct cm_parser *p, struct cm_syntax_statement *s)
{
    open_construct(p, CM_FRAME_SELECT, s, NULL);
    s->select.value = parse_condition(p, " behind SELECT CASE");
}

/* ---- Parts ---- */

/* Returns the innermost open construct if it is of this kind. Otherwise reports that the part or
 * the end of a construct stands alone, and returns NULL. */
static struct cm_open_construct *part_of(struct cm_parser *p, enum cm_frame_kind kind,
                                         const char *part)
{
    struct cm_open_construct *top = cm_top(p);
    if (top && top->kind == kind)
        return top;
    struct cm_source_place place = cm_line_place(&p->line, p->tokens.list.items[0].offset);
    cm_fail_at(p, place, "%s without %s", part, cm_frame_name(kind));
    if (top && top->statement)
        cm_messages_hint(p->messages, "the innermost construct is the %s of line %u",
                         cm_frame_name(top->kind), (unsigned)top->statement->place.line);
    return NULL;
}

/* Parses the name of a construct, which its parts (ELSE, CASE) and its end may repeat. */
static void parse_construct_name(struct cm_parser *p, const struct cm_open_construct *frame)
{
    const char *name = frame->statement->construct;
    if (!cm_is(p, CM_WORD_NAME))
        return;
    if (!name || cm_peek(p)->text != name)
        cm_fail(p, name ? "the construct is called %s" : "the construct has no name%s",
                name ? name : "");
    cm_next(p);
}

static void add_branch(struct cm_parser *p, struct cm_open_construct *frame,
                       struct cm_source_place place, struct cm_syntax_expression *condition)
{
    struct cm_syntax_branch *branch = CM_NEW(p, struct cm_syntax_branch);
    if (!frame->branch->condition) {
        cm_fail_at(p, place, "nothing but the end may follow the %s of line %u",
                   frame->kind == CM_FRAME_IF ? "ELSE" : "ELSEWHERE",
                   (unsigned)frame->branch->place.line);
    }
    branch->place = place;
    branch->condition = condition;
    frame->branch->next = branch;
    frame->branch = branch;
    frame->block = &branch->block;
}

static struct cm_source_place first_place(const struct cm_parser *p)
{
    return cm_line_place(&p->line, p->tokens.list.items[0].offset);
}

void cm_parse_else(struct cm_parser *p)
{
    struct cm_open_construct *frame = part_of(p, CM_FRAME_IF, "ELSE");
    if (!frame)
        return;
    parse_construct_name(p, frame);
    add_branch(p, frame, first_place(p), NULL);
}

void cm_parse_else_if(struct cm_parser *p)
{
    struct cm_open_construct *frame = part_of(p, CM_FRAME_IF, "ELSE IF");
    if (!frame)
        return;
    struct cm_syntax_expression *condition = parse_condition(p, " behind ELSE IF");
    if (!cm_accept_word(p, "then"))
        cm_fail(p, "expected THEN");
    parse_construct_name(p, frame);
    add_branch(p, frame, first_place(p), condition);
}

void cm_parse_elsewhere(struct cm_parser *p)
{
    struct cm_open_construct *frame = part_of(p, CM_FRAME_WHERE, "ELSEWHERE");
    struct cm_syntax_expression *condition = NULL;
    if (!frame)
        return;
    if (cm_is(p, CM_WORD_OPEN))
        condition = parse_condition(p, "");
    parse_construct_name(p, frame);
    add_branch(p, frame, first_place(p), condition);
}

/* Parses a value or a range of CASE. */
static struct cm_syntax_expression *parse_case_value(struct cm_parser *p)
{
    struct cm_syntax_expression *lower = NULL;
    struct cm_source_place place = cm_place_here(p);
    if (!cm_is(p, CM_WORD_COLON))
        lower = cm_parse_expression(p);
    if (!cm_accept(p, CM_WORD_COLON))
        return lower;
    struct cm_syntax_expression *range = cm_new_expression(p, CM_EXPRESSION_RANGE, place);
    range->range.lower = lower;
    if (!cm_is(p, CM_WORD_COMMA) && !cm_is(p, CM_WORD_CLOSE))
        range->range.upper = cm_parse_expression(p);
    range->depth = (lower ? lower->depth : 0) + 1;
    if (range->range.upper && range->range.upper->depth >= range->depth)
        range->depth = range->range.upper->depth + 1;
    return range;
}

void cm_parse_case(struct cm_parser *p)
{
    struct cm_open_construct *frame = part_of(p, CM_FRAME_SELECT, "CASE");
    if (!frame)
        return;
    struct cm_syntax_case *made = CM_NEW(p, struct cm_syntax_case);
    struct cm_syntax_argument *last = NULL;
    made->place = first_place(p);
    made->is_default = cm_accept_word(p, "default");
    if (!made->is_default) {
        cm_expect(p, CM_WORD_OPEN, " behind CASE");
        do
            last = cm_add_argument(p, &made->values, last, parse_case_value(p));
        while (cm_accept(p, CM_WORD_COMMA));
        cm_expect(p, CM_WORD_CLOSE, "");
    }
    parse_construct_name(p, frame);
    if (frame->cases)
        frame->cases->next = made;
    else
        frame->statement->select.cases = made;
    frame->cases = made;
    frame->block = &made->block;
}

/* ---- Ends ---- */

void cm_parse_end_construct(struct cm_parser *p, enum cm_frame_kind kind)
{
    char part[32];
    snprintf(part, sizeof part, "END %s", cm_frame_name(kind));
    struct cm_open_construct *frame = part_of(p, kind, part);
    if (!frame)
        return;
    struct cm_syntax_statement *s = frame->statement;
    parse_construct_name(p, frame);
    s->end = first_place(p);
    if (kind == CM_FRAME_DO && !p->is_bad) {
        if (s->loop.label != 0 && s->loop.label != p->line.label) {
            cm_fail_at(p, first_place(p), "the DO of line %u ends at label %u",
                       (unsigned)s->place.line, (unsigned)s->loop.label);
            cm_messages_hint(p->messages, "write %u in front of this END DO",
                             (unsigned)s->loop.label);
        }
        s->loop.ends_with_do = true;
    }
    s->end_label = p->line.label;
    p->frames.count--;
}

/* Reports a construct that is still open when the label of `s` ends an outer DO loop. Closes the
 * construct and the loop. */
static void end_crossed_loops(struct cm_parser *p, const struct cm_syntax_statement *s)
{
    uint32_t at = p->frames.count;
    while (at > 0 && p->frames.items[at - 1].kind != CM_FRAME_UNIT &&
           !(p->frames.items[at - 1].kind == CM_FRAME_DO &&
             p->frames.items[at - 1].statement->loop.label == s->label))
        at--;
    if (at == 0 || p->frames.items[at - 1].kind == CM_FRAME_UNIT)
        return;
    const struct cm_open_construct *top = cm_top(p);
    cm_messages_add(p->messages, s->place,
                    "label %u ends the DO of line %u, and the %s of line %u inside it is open",
                    (unsigned)s->label, (unsigned)p->frames.items[at - 1].statement->place.line,
                    cm_frame_name(top->kind), (unsigned)top->statement->place.line);
    cm_messages_hint(p->messages, "constructs end in the reverse order of their beginnings");
    p->frames.count = at - 1;
}

void cm_end_labelled_loops(struct cm_parser *p, const struct cm_syntax_statement *s)
{
    for (struct cm_open_construct *top = cm_top(p);
         s->label != 0 && top && top->kind == CM_FRAME_DO && top->statement != s &&
         top->statement->loop.label == s->label;
         top = cm_top(p)) {
        top->statement->end = s->place;
        p->frames.count--;
    }
    if (s->label != 0 && cm_top(p) && cm_top(p)->statement != s)
        end_crossed_loops(p, s);
}
