/* Parsers of program units and interface blocks, and the stack of open constructs. */
#include "parser.h"

#include <stdio.h>
#include <string.h>

const char *cm_frame_name(enum cm_frame_kind kind)
{
    static const char *const names[] = {"program unit", "INTERFACE", "IF",    "WHERE",
                                        "FORALL",       "DO",        "SELECT"};
    return names[kind];
}

static const char *unit_name(enum cm_unit_kind kind)
{
    static const char *const names[] = {"PROGRAM", "SUBROUTINE", "FUNCTION", "BLOCK DATA"};
    return names[kind];
}

struct cm_open_construct *cm_top(struct cm_parser *p)
{
    return p->frames.count > 0 ? &p->frames.items[p->frames.count - 1] : NULL;
}

struct cm_open_construct *cm_open_unit(struct cm_parser *p)
{
    for (uint32_t i = p->frames.count; i-- > 0;)
        if (p->frames.items[i].kind == CM_FRAME_UNIT)
            return &p->frames.items[i];
    return NULL;
}

void cm_push_frame(struct cm_parser *p, struct cm_open_construct frame)
{
    if (p->frames.count == CM_CONSTRUCT_MAX_DEPTH) {
        cm_fail_at(p, frame.statement ? frame.statement->place : frame.unit->place,
                   "constructs are nested more than %u deep", CM_CONSTRUCT_MAX_DEPTH);
        /* Later statements cannot be read, because their construct is not on the stack. */
        p->is_lost = true;
    }
    if (!cm_list_push(&p->frames, frame))
        p->arena->failed = true;
}

/* Returns the pointer that the next unit is linked to: the one of the open interface, or the one of
 * the program. */
static struct cm_syntax_unit ***next_unit(struct cm_parser *p)
{
    struct cm_open_construct *top = cm_top(p);
    return top && top->kind == CM_FRAME_INTERFACE ? &top->units : &p->next_unit;
}

static struct cm_syntax_unit *open_unit(struct cm_parser *p, enum cm_unit_kind kind,
                                        struct cm_source_place place)
{
    struct cm_syntax_unit *unit = CM_NEW(p, struct cm_syntax_unit);
    struct cm_syntax_unit ***next = next_unit(p);
    unit->kind = kind;
    unit->name = "";
    unit->place = unit->name_place = place;
    **next = unit;
    *next = &unit->next;
    if (!cm_top(p))
        p->tree->unit_count++;
    cm_push_frame(
        p, (struct cm_open_construct){
               .kind = CM_FRAME_UNIT, .unit = unit, .block = &unit->block, .mark = ++p->marks});
    return unit;
}

/* Reports and closes all constructs that are open inside the innermost open unit. */
static void close_constructs(struct cm_parser *p)
{
    for (struct cm_open_construct *top = cm_top(p); top && top->kind != CM_FRAME_UNIT;
         top = cm_top(p)) {
        const struct cm_syntax_statement *s = top->statement;
        if (top->kind == CM_FRAME_DO && s->loop.label != 0)
            cm_messages_add(p->messages, s->place, "no statement has the label %u of this DO",
                            (unsigned)s->loop.label);
        else
            cm_messages_add(p->messages, s->place, "this %s has no END %s",
                            cm_frame_name(top->kind), cm_frame_name(top->kind));
        p->frames.count--;
    }
}

/* Reports a program unit that begins inside another unit. Only an interface may have units
 * inside. */
static void check_place_of_unit(struct cm_parser *p, enum cm_unit_kind kind,
                                struct cm_source_place place)
{
    struct cm_open_construct *top = cm_top(p);
    if (top && top->kind != CM_FRAME_INTERFACE) {
        struct cm_open_construct *unit = cm_open_unit(p);
        close_constructs(p);
        cm_messages_add(p->messages, place, "this %s begins before the one of line %u has ended",
                        unit_name(kind), (unsigned)(unit ? unit->unit->place.line : 0));
        cm_messages_hint(p->messages, "each program unit ends with END");
        p->frames.count -= p->frames.count > 0;
        p->is_bad = true;
        check_place_of_unit(p, kind, place);
    } else if (top && (kind == CM_UNIT_PROGRAM || kind == CM_UNIT_BLOCK_DATA)) {
        cm_fail_at(p, place, "an interface has only subroutines and functions");
    }
}

/* Parses the dummy arguments (A, B, *) of a unit. */
static void parse_dummies(struct cm_parser *p, struct cm_syntax_unit *unit)
{
    struct cm_syntax_entity *last = NULL;
    if (cm_accept(p, CM_WORD_CLOSE))
        return;
    do {
        if (cm_accept(p, CM_WORD_TIMES)) {
            if (unit->kind == CM_UNIT_FUNCTION)
                cm_fail(p, "a function has no alternate returns");
            unit->alternates++;
            continue;
        }
        struct cm_syntax_entity *entity = CM_NEW(p, struct cm_syntax_entity);
        entity->name = cm_expect_name(p, "a dummy argument", &entity->place);
        cm_add_entity(&unit->arguments, &last, entity);
    } while (cm_accept(p, CM_WORD_COMMA));
    cm_expect(p, CM_WORD_CLOSE, "");
}

void cm_begin_unit(struct cm_parser *p, enum cm_unit_kind kind, struct cm_source_place place,
                   const struct cm_syntax_type *type, bool is_recursive)
{
    bool was_bad = p->is_bad;
    check_place_of_unit(p, kind, place);
    p->is_bad = was_bad;
    struct cm_syntax_unit *unit = open_unit(p, kind, place);
    if (type) {
        unit->has_type = true;
        unit->type = *type;
    }
    unit->is_recursive = is_recursive;
    if (kind == CM_UNIT_BLOCK_DATA && cm_is(p, CM_WORD_END))
        return;
    unit->name = cm_expect_name(p, "the name of the program unit", &unit->name_place);
    if (kind == CM_UNIT_SUBROUTINE && cm_accept(p, CM_WORD_OPEN))
        parse_dummies(p, unit);
    if (kind != CM_UNIT_FUNCTION)
        return;
    cm_expect(p, CM_WORD_OPEN, " behind the name of a function");
    parse_dummies(p, unit);
    if (cm_accept_word(p, "result")) {
        cm_expect(p, CM_WORD_OPEN, " behind RESULT");
        unit->result = cm_expect_name(p, "the name of the result", NULL);
        cm_expect(p, CM_WORD_CLOSE, "");
    }
}

void cm_end_unit(struct cm_parser *p, enum cm_unit_kind kind, bool any_kind)
{
    struct cm_source_place place = cm_line_place(&p->line, p->tokens.list.items[0].offset);
    if (!cm_open_unit(p)) {
        cm_fail_at(p, place, "END without a program unit");
        return;
    }
    close_constructs(p);
    struct cm_syntax_unit *unit = cm_top(p)->unit;
    /* The unit may be a guess of the parser, made because the statement that begins it was not
     * read. */
    bool is_guess = unit->is_broken && unit->name[0] == '\0';
    if (!any_kind && unit->kind != kind && !is_guess)
        cm_fail_at(p, place, "this ends the %s of line %u", unit_name(unit->kind),
                   (unsigned)unit->place.line);
    if (!any_kind && cm_is(p, CM_WORD_NAME)) {
        if (cm_peek(p)->text != unit->name && !is_guess)
            cm_fail(p,
                    unit->name[0] ? "the program unit is called %s"
                                  : "the program unit has no name%s",
                    unit->name);
        cm_next(p);
    }
    unit->end = place;
    unit->end_label = p->line.label;
    p->frames.count--;
}

void cm_parse_entry(struct cm_parser *p, struct cm_syntax_statement *s)
{
    const struct cm_open_construct *top = cm_top(p);
    struct cm_syntax_unit *entry = CM_NEW(p, struct cm_syntax_unit);
    s->entry = entry;
    entry->kind = CM_UNIT_SUBROUTINE;
    entry->place = s->place;
    if (!top || top->kind != CM_FRAME_UNIT || top->unit->kind == CM_UNIT_PROGRAM ||
        top->unit->kind == CM_UNIT_BLOCK_DATA) {
        cm_fail_at(p, s->place, "ENTRY is only in a subroutine, outside of constructs");
    } else if (top->unit->kind == CM_UNIT_FUNCTION) {
        cm_fail_unsupported(p, "ENTRY in a function");
        cm_messages_hint(p->messages, "write a function of its own");
    }
    entry->name = cm_expect_name(p, "the name of the entry", &entry->name_place);
    if (cm_accept(p, CM_WORD_OPEN))
        parse_dummies(p, entry);
}

void cm_parse_interface(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (cm_is_word(p, "operator") || cm_is_word(p, "assignment"))
        cm_fail_unsupported(p, "an operator or assignment of one's own");
    if (cm_is(p, CM_WORD_NAME))
        s->interface.name = cm_next(p)->text;
    cm_push_frame(p, (struct cm_open_construct){
                         .kind = CM_FRAME_INTERFACE, .statement = s, .units = &s->interface.units});
}

void cm_end_interface(struct cm_parser *p)
{
    struct cm_open_construct *top = cm_top(p);
    struct cm_source_place place = cm_line_place(&p->line, p->tokens.list.items[0].offset);
    if (!top || top->kind != CM_FRAME_INTERFACE) {
        cm_fail_at(p, place, "END INTERFACE without INTERFACE");
        return;
    }
    top->statement->end = place;
    p->frames.count--;
    if (cm_is(p, CM_WORD_NAME))
        cm_next(p);
}

void cm_end_program(struct cm_parser *p)
{
    while (cm_top(p)) {
        close_constructs(p);
        struct cm_open_construct *top = cm_top(p);
        if (!top)
            break;
        cm_messages_add(p->messages, top->unit->place, "this %s has no END",
                        top->unit->name[0] ? unit_name(top->unit->kind) : "program");
        p->frames.count--;
    }
}

/* Returns whether an assignment such as F(X) = X * X defines a statement function: it comes before
 * the first executable statement, and F is not declared with a shape. */
static bool is_statement_function(struct cm_parser *p, const struct cm_syntax_statement *s)
{
    const struct cm_open_construct *top = cm_top(p);
    if (s->kind != CM_STATEMENT_ASSIGNMENT || p->is_bad || p->arena->failed ||
        top->kind != CM_FRAME_UNIT || top->has_executable || s->label != 0 ||
        s->assignment.target->kind != CM_EXPRESSION_CALL ||
        cm_is_shaped(p, s->assignment.target->call.name))
        return false;
    const struct cm_syntax_argument *argument = s->assignment.target->call.arguments.first;
    for (; argument; argument = argument->next)
        if (argument->keyword || argument->value->kind != CM_EXPRESSION_NAME)
            return false;
    return true;
}

static void make_statement_function(struct cm_parser *p, struct cm_syntax_statement *s)
{
    const struct cm_syntax_expression *target = s->assignment.target;
    struct cm_syntax_expression *value = s->assignment.value;
    struct cm_syntax_entity *last = NULL;
    s->kind = CM_STATEMENT_FUNCTION;
    memset(&s->function, 0, sizeof s->function);
    s->function.name = target->call.name;
    s->function.value = value;
    const struct cm_syntax_argument *argument = target->call.arguments.first;
    for (; argument; argument = argument->next) {
        struct cm_syntax_entity *entity = CM_NEW(p, struct cm_syntax_entity);
        entity->name = argument->value->name;
        entity->place = argument->place;
        cm_add_entity(&s->function.arguments, &last, entity);
    }
}

static void append(struct cm_syntax_block *block, struct cm_syntax_statement *s)
{
    if (block->last)
        block->last->next = s;
    else
        block->first = s;
    block->last = s;
}

/* Reports a declaration behind an executable statement. Only DATA, FORMAT and directives may follow
 * one. */
static void check_order(struct cm_parser *p, struct cm_open_construct *unit,
                        const struct cm_syntax_statement *s)
{
    if (s->kind == CM_STATEMENT_ENTRY)
        return;
    if (!cm_is_declaration(s->kind))
        unit->has_executable = true;
    else if (unit->has_executable && s->kind != CM_STATEMENT_DATA &&
             s->kind != CM_STATEMENT_FORMAT && s->kind != CM_STATEMENT_LAYOUT &&
             s->kind != CM_STATEMENT_ALIGN && s->kind != CM_STATEMENT_CMF_COMMON)
        cm_fail_at(p, s->place, "declarations come before the first executable statement");
}

void cm_need_unit(struct cm_parser *p, struct cm_source_place place)
{
    /* No unit is open. If a part of the file could not be read, it may have had the unit's first
     * statement, so that the unit is broken. */
    if (!cm_top(p))
        open_unit(p, CM_UNIT_PROGRAM, place)->is_broken = p->tree->is_incomplete;
    p->outer = p->frames.count;
}

void cm_add_statement(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_open_construct *top = cm_top(p);
    if (top->kind == CM_FRAME_INTERFACE) {
        cm_fail_at(p, s->place, "an interface has only subroutines and functions");
        return;
    }
    if (!top->block) {
        cm_fail_at(p, s->place, "expected CASE or END SELECT");
        return;
    }
    if (is_statement_function(p, s))
        make_statement_function(p, s);
    check_order(p, cm_open_unit(p), s);
    append(top->block, s);
}
