/* Parsers of declarations: types with their attributes, and statements that list names. */
#include "parser.h"

#include <string.h>

static const struct {
    const char *first, *second; /* first word, and second word or NULL */
    enum cm_base_type base;
    uint32_t bytes;
} types[] = {
    {"integer", NULL, CM_BASE_INTEGER, 0},        {"real", NULL, CM_BASE_REAL, 0},
    {"complex", NULL, CM_BASE_COMPLEX, 0},        {"logical", NULL, CM_BASE_LOGICAL, 0},
    {"character", NULL, CM_BASE_CHARACTER, 0},    {"double", "precision", CM_BASE_REAL, 8},
    {"doubleprecision", NULL, CM_BASE_REAL, 8},   {"double", "complex", CM_BASE_COMPLEX, 16},
    {"doublecomplex", NULL, CM_BASE_COMPLEX, 16},
};
#define TYPES (sizeof types / sizeof types[0])

static int find_type(const struct cm_parser *p)
{
    const struct cm_word *second = cm_peek_ahead(p, 1);
    for (size_t i = 0; i < TYPES; i++)
        if (cm_is_word(p, types[i].first) &&
            (!types[i].second ||
             (second->kind == CM_WORD_NAME && strcmp(second->text, types[i].second) == 0)))
            return (int)i;
    return -1;
}

bool cm_is_type(const struct cm_parser *p)
{
    return find_type(p) >= 0;
}

/* Parses the length behind a type or a name: `*8`, or `*8`, `*(n)` or `*(*)` of a CHARACTER. */
static void parse_star(struct cm_parser *p, bool is_character, uint32_t *bytes,
                       struct cm_syntax_expression **length, bool *any_length)
{
    if (!cm_accept(p, CM_WORD_TIMES))
        return;
    const struct cm_word *token = cm_peek(p);
    if (is_character && cm_accept(p, CM_WORD_OPEN)) {
        *any_length = cm_accept(p, CM_WORD_TIMES);
        if (!*any_length)
            *length = cm_parse_expression(p);
        cm_expect(p, CM_WORD_CLOSE, "");
    } else if (token->kind != CM_WORD_INTEGER) {
        cm_fail(p, "expected the number of bytes behind '*'");
    } else if (is_character) {
        *length = cm_parse_constant(p);
    } else if (token->value == 0 || token->value > 32) {
        cm_fail(p, "no type has this number of bytes");
    } else {
        *bytes = (uint32_t)cm_next(p)->value;
    }
}

/* Parses the parentheses behind a type: (8), (KIND=8), (LEN=8), (*) or (8, KIND=1). */
static void parse_type_brackets(struct cm_parser *p, struct cm_syntax_type *type)
{
    bool is_length = type->base == CM_BASE_CHARACTER;
    do {
        if (cm_peek_ahead(p, 1)->kind == CM_WORD_ASSIGN) {
            is_length = cm_is_word(p, "len");
            if (!is_length && !cm_is_word(p, "kind"))
                cm_fail(p, "expected KIND= or LEN=");
            cm_next(p);
            cm_next(p);
        }
        if (!is_length)
            type->kind = cm_parse_expression(p);
        else if (cm_accept(p, CM_WORD_TIMES))
            type->any_length = true;
        else
            type->length = cm_parse_expression(p);
        is_length = false;
    } while (cm_accept(p, CM_WORD_COMMA));
    cm_expect(p, CM_WORD_CLOSE, "");
}

/* Returns whether two pairs of parentheses follow a type in IMPLICIT. A single pair holds letters,
 * as in IMPLICIT REAL (A-H), and not the kind of the type. */
static bool has_second_brackets(const struct cm_parser *p)
{
    uint32_t depth = 0, at = 0;
    do {
        enum cm_word_kind kind = cm_peek_ahead(p, at++)->kind;
        if (kind == CM_WORD_END)
            return false;
        depth += kind == CM_WORD_OPEN;
        depth -= kind == CM_WORD_CLOSE;
    } while (depth > 0);
    return cm_peek_ahead(p, at)->kind == CM_WORD_OPEN;
}

static struct cm_syntax_type parse_type(struct cm_parser *p, bool letters_follow)
{
    struct cm_syntax_type type = {.place = cm_place_here(p)};
    int found = find_type(p);
    if (found < 0) {
        cm_fail(p, "expected a type");
        return type;
    }
    type.base = types[found].base;
    type.bytes = types[found].bytes;
    p->at += types[found].second ? 2 : 1;
    if (type.bytes > 0)
        return type;
    parse_star(p, type.base == CM_BASE_CHARACTER, &type.bytes, &type.length, &type.any_length);
    if (cm_is(p, CM_WORD_OPEN) && (!letters_follow || has_second_brackets(p))) {
        cm_next(p);
        parse_type_brackets(p, &type);
    }
    return type;
}

struct cm_syntax_type cm_parse_type(struct cm_parser *p)
{
    return parse_type(p, false);
}

static struct cm_syntax_bound *parse_bound(struct cm_parser *p)
{
    struct cm_syntax_bound *bound = CM_NEW(p, struct cm_syntax_bound);
    bound->place = cm_place_here(p);
    if (!cm_is(p, CM_WORD_COLON) && !cm_is(p, CM_WORD_TIMES)) {
        bound->upper = cm_parse_expression(p);
        if (!cm_is(p, CM_WORD_COLON))
            return bound;
        bound->lower = bound->upper;
        bound->upper = NULL;
    }
    if (cm_accept(p, CM_WORD_TIMES)) {
        bound->kind = CM_BOUND_ASSUMED;
        return bound;
    }
    cm_expect(p, CM_WORD_COLON, "");
    if (cm_is(p, CM_WORD_COMMA) || cm_is(p, CM_WORD_CLOSE))
        bound->kind = CM_BOUND_DEFERRED;
    else if (bound->lower && cm_accept(p, CM_WORD_TIMES))
        bound->kind = CM_BOUND_ASSUMED;
    else
        bound->upper = cm_parse_expression(p);
    return bound;
}

struct cm_syntax_shape cm_parse_shape(struct cm_parser *p)
{
    struct cm_syntax_shape shape = {0};
    struct cm_syntax_bound *last = NULL;
    cm_expect(p, CM_WORD_OPEN, "");
    do {
        struct cm_syntax_bound *bound = parse_bound(p);
        if (last)
            last->next = bound;
        else
            shape.first = bound;
        last = bound;
        shape.count++;
    } while (cm_accept(p, CM_WORD_COMMA));
    cm_expect(p, CM_WORD_CLOSE, "");
    return shape;
}

void cm_mark_shaped(struct cm_parser *p, const char *name)
{
    struct cm_name *known = cm_name_of(name);
    struct cm_open_construct *unit = cm_open_unit(p);
    if (known && unit)
        known->mark = unit->mark;
}

bool cm_is_shaped(struct cm_parser *p, const char *name)
{
    const struct cm_name *known = cm_name_of(name);
    const struct cm_open_construct *unit = cm_open_unit(p);
    return known && unit && known->mark == unit->mark;
}

void cm_add_entity(struct cm_syntax_entities *list, struct cm_syntax_entity **last,
                   struct cm_syntax_entity *entity)
{
    if (*last)
        (*last)->next = entity;
    else
        list->first = entity;
    *last = entity;
    list->count++;
}

struct cm_syntax_entities cm_parse_names(struct cm_parser *p, bool shapes)
{
    struct cm_syntax_entities list = {0};
    struct cm_syntax_entity *last = NULL;
    do {
        struct cm_syntax_entity *entity = CM_NEW(p, struct cm_syntax_entity);
        entity->name = cm_expect_name(p, "a name", &entity->place);
        if (shapes && cm_is(p, CM_WORD_OPEN)) {
            entity->shape = cm_parse_shape(p);
            cm_mark_shaped(p, entity->name);
        }
        cm_add_entity(&list, &last, entity);
    } while (cm_accept(p, CM_WORD_COMMA));
    return list;
}

/* Parses the parentheses behind INTENT. */
static uint32_t parse_intent(struct cm_parser *p)
{
    uint32_t bits = 0;
    cm_expect(p, CM_WORD_OPEN, " behind INTENT");
    if (cm_accept_word(p, "inout"))
        bits = CM_ATTRIBUTE_IN | CM_ATTRIBUTE_OUT;
    bits |= cm_accept_word(p, "in") ? CM_ATTRIBUTE_IN : 0;
    bits |= cm_accept_word(p, "out") ? CM_ATTRIBUTE_OUT : 0;
    if (bits == 0)
        cm_fail(p, "expected IN, OUT or INOUT");
    cm_expect(p, CM_WORD_CLOSE, "");
    return bits;
}

static const struct {
    const char *name;
    uint32_t bit;
} attributes[] = {
    {"parameter", CM_ATTRIBUTE_PARAMETER}, {"allocatable", CM_ATTRIBUTE_ALLOCATABLE},
    {"save", CM_ATTRIBUTE_SAVE},           {"external", CM_ATTRIBUTE_EXTERNAL},
    {"intrinsic", CM_ATTRIBUTE_INTRINSIC}, {"optional", CM_ATTRIBUTE_OPTIONAL},
};

static void parse_attribute(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (cm_accept_word(p, "array") || cm_accept_word(p, "dimension")) {
        s->declare.shape = cm_parse_shape(p);
        return;
    }
    if (cm_accept_word(p, "intent")) {
        s->declare.attributes |= parse_intent(p);
        return;
    }
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        if (cm_accept_word(p, attributes[i].name)) {
            s->declare.attributes |= attributes[i].bit;
            return;
        }
    if (cm_is_word(p, "pointer") || cm_is_word(p, "target"))
        cm_fail_unsupported(p, cm_is_word(p, "pointer") ? "POINTER" : "TARGET");
    cm_fail(p, "expected an attribute");
    cm_messages_hint(p->messages, "known are ARRAY, DIMENSION, PARAMETER, ALLOCATABLE, SAVE, "
                                  "INTENT, OPTIONAL, EXTERNAL and INTRINSIC");
}

/* Parses a declared name in a type statement, with its shape, length and value. */
static struct cm_syntax_entity *parse_entity(struct cm_parser *p, struct cm_syntax_statement *s,
                                             bool has_colons)
{
    struct cm_syntax_entity *entity = CM_NEW(p, struct cm_syntax_entity);
    bool is_character = s->declare.type.base == CM_BASE_CHARACTER;
    entity->name = cm_expect_name(p, "a name", &entity->place);
    parse_star(p, is_character, &entity->bytes, &entity->length, &entity->any_length);
    if (cm_is(p, CM_WORD_OPEN))
        entity->shape = cm_parse_shape(p);
    parse_star(p, is_character, &entity->bytes, &entity->length, &entity->any_length);
    if (entity->shape.count > 0 || s->declare.shape.count > 0)
        cm_mark_shaped(p, entity->name);
    if (cm_is(p, CM_WORD_DIVIDE)) {
        entity->data = cm_parse_data_values(p);
    } else if (cm_is(p, CM_WORD_ASSIGN)) {
        if (!has_colons)
            cm_fail(p, "a value needs '::' in front of the names");
        cm_next(p);
        entity->value = cm_parse_expression(p);
    }
    return entity;
}

static bool colons_follow(const struct cm_parser *p)
{
    uint32_t at = 0;
    while (cm_peek_ahead(p, at)->kind != CM_WORD_COLONS &&
           cm_peek_ahead(p, at)->kind != CM_WORD_END)
        at++;
    return cm_peek_ahead(p, at)->kind == CM_WORD_COLONS;
}

void cm_parse_type_statement(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_entity *last = NULL;
    s->declare.type = cm_parse_type(p);
    bool has_attributes = cm_is(p, CM_WORD_COMMA);
    /* In CHARACTER*8, C the comma is an old form, and no attribute follows it. */
    bool old_comma = has_attributes && s->declare.type.length && !colons_follow(p);
    if (old_comma) {
        cm_next(p);
        has_attributes = false;
    }
    while (!old_comma && cm_accept(p, CM_WORD_COMMA))
        parse_attribute(p, s);
    bool has_colons = cm_accept(p, CM_WORD_COLONS);
    if (has_attributes && !has_colons) {
        cm_fail(p, "expected '::' behind the attributes");
        cm_messages_hint(p->messages, "as in REAL, ARRAY(8,8) :: A");
    }
    do
        cm_add_entity(&s->declare.entities, &last, parse_entity(p, s, has_colons));
    while (cm_accept(p, CM_WORD_COMMA));
}

/* Parses a DIMENSION, ARRAY or ALLOCATABLE statement: names with their shapes. */
void cm_parse_dimension(struct cm_parser *p, struct cm_syntax_statement *s)
{
    cm_accept(p, CM_WORD_COLONS);
    s->declare.entities = cm_parse_names(p, true);
    const struct cm_syntax_entity *entity = s->declare.entities.first;
    for (uint32_t i = 0;
         s->kind == CM_STATEMENT_DIMENSION && !p->is_bad && entity && i < s->declare.entities.count;
         i++, entity = entity->next)
        if (entity->shape.count == 0)
            cm_fail_at(p, entity->place, "%s needs bounds here, as in %s(10)", entity->name,
                       entity->name);
}

/* Parses an EXTERNAL, INTRINSIC or OPTIONAL statement: a list of names. */
void cm_parse_name_list(struct cm_parser *p, struct cm_syntax_statement *s)
{
    cm_accept(p, CM_WORD_COLONS);
    s->declare.entities = cm_parse_names(p, false);
}

void cm_parse_intent(struct cm_parser *p, struct cm_syntax_statement *s)
{
    s->declare.attributes = parse_intent(p);
    cm_parse_name_list(p, s);
}

void cm_parse_save(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_entity *last = NULL;
    cm_accept(p, CM_WORD_COLONS);
    if (cm_is(p, CM_WORD_END))
        return;
    do {
        struct cm_syntax_entity *entity = CM_NEW(p, struct cm_syntax_entity);
        entity->is_block = cm_accept(p, CM_WORD_DIVIDE);
        entity->name = cm_expect_name(p, "a name", &entity->place);
        if (entity->is_block)
            cm_expect(p, CM_WORD_DIVIDE, " behind the name of a COMMON block");
        cm_add_entity(&s->declare.entities, &last, entity);
    } while (cm_accept(p, CM_WORD_COMMA));
}

void cm_parse_parameter(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_entity *last = NULL;
    bool has_brackets = cm_accept(p, CM_WORD_OPEN); /* VAX Fortran has none */
    do {
        struct cm_syntax_entity *entity = CM_NEW(p, struct cm_syntax_entity);
        entity->name = cm_expect_name(p, "the name of a constant", &entity->place);
        cm_expect(p, CM_WORD_ASSIGN, "");
        entity->value = cm_parse_expression(p);
        cm_add_entity(&s->declare.entities, &last, entity);
    } while (cm_accept(p, CM_WORD_COMMA));
    if (has_brackets)
        cm_expect(p, CM_WORD_CLOSE, "");
}

static char parse_letter(struct cm_parser *p)
{
    const struct cm_word *token = cm_peek(p);
    if (token->kind == CM_WORD_NAME && strlen(token->text) == 1)
        return cm_next(p)->text[0];
    cm_fail(p, "expected a letter");
    return 'a';
}

/* Parses the ranges of letters behind a type in IMPLICIT: (A-H, O-Z). */
static struct cm_syntax_implicit *parse_letters(struct cm_parser *p,
                                                const struct cm_syntax_type *type,
                                                struct cm_syntax_statement *s,
                                                struct cm_syntax_implicit *last)
{
    cm_expect(p, CM_WORD_OPEN, " behind the type");
    do {
        struct cm_syntax_implicit *made = CM_NEW(p, struct cm_syntax_implicit);
        struct cm_source_place place = cm_place_here(p);
        made->type = *type;
        made->from = made->to = parse_letter(p);
        if (cm_accept(p, CM_WORD_MINUS))
            made->to = parse_letter(p);
        if (made->to < made->from)
            cm_fail_at(p, place, "the letters are in the wrong order");
        if (last)
            last->next = made;
        else
            s->implicit.first = made;
        last = made;
    } while (cm_accept(p, CM_WORD_COMMA));
    cm_expect(p, CM_WORD_CLOSE, "");
    return last;
}

void cm_parse_implicit(struct cm_parser *p, struct cm_syntax_statement *s)
{
    struct cm_syntax_implicit *last = NULL;
    s->implicit.none = cm_accept_word(p, "none");
    if (s->implicit.none)
        return;
    do {
        struct cm_syntax_type type = parse_type(p, true);
        last = parse_letters(p, &type, s, last);
    } while (cm_accept(p, CM_WORD_COMMA));
}
