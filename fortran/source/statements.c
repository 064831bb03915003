/* Recognition of statements. Fortran has no reserved words. If a statement's words have the form of
 * an assignment, the statement is an assignment, whatever the first word is. Otherwise the first
 * word must be a keyword of the table below, which names the parser of the statement. */
#include "parser.h"

#include "../../base/suggest.h"
#include "../../base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum word_use {
    DECLARATION,
    EXECUTABLE, /* statement that may follow IF (..) */
    CONSTRUCT,  /* statement that may not follow IF (..) */
    PART,       /* part or end of a construct or program unit, which `part` names */
    REFUSED,    /* statement that cm200 does not support */
};

enum part { ELSE, ELSE_IF, ELSEWHERE, CASE, END_CONSTRUCT, END_INTERFACE, END_UNIT, END, UNIT };

struct keyword {
    const char *first, *second; /* first word, and second word or NULL */
    enum word_use use;
    enum cm_statement_kind kind;
    cm_parse_function parse;
    enum part part;
    /* construct or unit: enum cm_frame_kind for END_CONSTRUCT, enum cm_unit_kind for UNIT and
     * END_UNIT */
    int what;
};

#define STATEMENT(first, second, use, kind, parse)                                                 \
    {                                                                                              \
        first, second, use, kind, parse, 0, 0                                                      \
    }
#define PART_OF(first, second, part, what)                                                         \
    {                                                                                              \
        first, second, PART, 0, NULL, part, what                                                   \
    }
#define REFUSE(first, second)                                                                      \
    {                                                                                              \
        first, second, REFUSED, 0, NULL, 0, 0                                                      \
    }

/* Keywords. An entry of two words comes before an entry with its first word alone. */
static const struct keyword keywords[] = {
    STATEMENT("dimension", NULL, DECLARATION, CM_STATEMENT_DIMENSION, cm_parse_dimension),
    STATEMENT("array", NULL, DECLARATION, CM_STATEMENT_DIMENSION, cm_parse_dimension),
    STATEMENT("allocatable", NULL, DECLARATION, CM_STATEMENT_ALLOCATABLE, cm_parse_dimension),
    STATEMENT("parameter", NULL, DECLARATION, CM_STATEMENT_PARAMETER, cm_parse_parameter),
    STATEMENT("save", NULL, DECLARATION, CM_STATEMENT_SAVE, cm_parse_save),
    STATEMENT("external", NULL, DECLARATION, CM_STATEMENT_EXTERNAL, cm_parse_name_list),
    STATEMENT("intrinsic", NULL, DECLARATION, CM_STATEMENT_INTRINSIC, cm_parse_name_list),
    STATEMENT("optional", NULL, DECLARATION, CM_STATEMENT_OPTIONAL, cm_parse_name_list),
    STATEMENT("intent", NULL, DECLARATION, CM_STATEMENT_INTENT, cm_parse_intent),
    STATEMENT("common", NULL, DECLARATION, CM_STATEMENT_COMMON, cm_parse_common),
    STATEMENT("data", NULL, DECLARATION, CM_STATEMENT_DATA, cm_parse_data),
    STATEMENT("implicit", NULL, DECLARATION, CM_STATEMENT_IMPLICIT, cm_parse_implicit),
    STATEMENT("interface", NULL, DECLARATION, CM_STATEMENT_INTERFACE, cm_parse_interface),
    STATEMENT("namelist", NULL, DECLARATION, CM_STATEMENT_NAMELIST, cm_parse_namelist),
    STATEMENT("format", NULL, DECLARATION, CM_STATEMENT_FORMAT, cm_parse_format),
    STATEMENT("entry", NULL, CONSTRUCT, CM_STATEMENT_ENTRY, cm_parse_entry),
    STATEMENT("call", NULL, EXECUTABLE, CM_STATEMENT_CALL, cm_parse_call),
    STATEMENT("goto", NULL, EXECUTABLE, CM_STATEMENT_GOTO, cm_parse_goto),
    STATEMENT("go", "to", EXECUTABLE, CM_STATEMENT_GOTO, cm_parse_goto),
    STATEMENT("assign", NULL, EXECUTABLE, CM_STATEMENT_ASSIGN, cm_parse_assign),
    STATEMENT("continue", NULL, EXECUTABLE, CM_STATEMENT_CONTINUE, cm_parse_continue),
    STATEMENT("cycle", NULL, EXECUTABLE, CM_STATEMENT_CYCLE, cm_parse_leave),
    STATEMENT("exit", NULL, EXECUTABLE, CM_STATEMENT_EXIT, cm_parse_leave),
    STATEMENT("return", NULL, EXECUTABLE, CM_STATEMENT_RETURN, cm_parse_return),
    STATEMENT("stop", NULL, EXECUTABLE, CM_STATEMENT_STOP, cm_parse_stop),
    STATEMENT("pause", NULL, EXECUTABLE, CM_STATEMENT_PAUSE, cm_parse_stop),
    STATEMENT("error", "stop", EXECUTABLE, CM_STATEMENT_STOP, cm_parse_error_stop),
    STATEMENT("print", NULL, EXECUTABLE, CM_STATEMENT_PRINT, cm_parse_print),
    STATEMENT("type", NULL, EXECUTABLE, CM_STATEMENT_PRINT, cm_parse_type_or_print),
    STATEMENT("write", NULL, EXECUTABLE, CM_STATEMENT_WRITE, cm_parse_write),
    STATEMENT("read", NULL, EXECUTABLE, CM_STATEMENT_READ, cm_parse_read),
    STATEMENT("accept", NULL, EXECUTABLE, CM_STATEMENT_READ, cm_parse_print),
    STATEMENT("open", NULL, EXECUTABLE, CM_STATEMENT_OPEN, cm_parse_open),
    STATEMENT("close", NULL, EXECUTABLE, CM_STATEMENT_CLOSE, cm_parse_open),
    STATEMENT("inquire", NULL, EXECUTABLE, CM_STATEMENT_INQUIRE, cm_parse_open),
    STATEMENT("rewind", NULL, EXECUTABLE, CM_STATEMENT_REWIND, cm_parse_file),
    STATEMENT("backspace", NULL, EXECUTABLE, CM_STATEMENT_BACKSPACE, cm_parse_file),
    STATEMENT("endfile", NULL, EXECUTABLE, CM_STATEMENT_ENDFILE, cm_parse_file),
    STATEMENT("end", "file", EXECUTABLE, CM_STATEMENT_ENDFILE, cm_parse_file),
    STATEMENT("allocate", NULL, EXECUTABLE, CM_STATEMENT_ALLOCATE, cm_parse_allocate),
    STATEMENT("deallocate", NULL, EXECUTABLE, CM_STATEMENT_DEALLOCATE, cm_parse_allocate),
    STATEMENT("if", NULL, CONSTRUCT, CM_STATEMENT_IF, cm_parse_if),
    STATEMENT("where", NULL, EXECUTABLE, CM_STATEMENT_WHERE, cm_parse_where),
    STATEMENT("forall", NULL, EXECUTABLE, CM_STATEMENT_FORALL, cm_parse_forall),
    STATEMENT("do", NULL, CONSTRUCT, CM_STATEMENT_DO, cm_parse_do),
    STATEMENT("dowhile", NULL, CONSTRUCT, CM_STATEMENT_DO, cm_parse_do_while),
    STATEMENT("select", "case", CONSTRUCT, CM_STATEMENT_SELECT, cm_parse_select),
    STATEMENT("selectcase", NULL, CONSTRUCT, CM_STATEMENT_SELECT, cm_parse_select),
    PART_OF("else", "if", ELSE_IF, 0),
    PART_OF("elseif", NULL, ELSE_IF, 0),
    PART_OF("else", "where", ELSEWHERE, 0),
    PART_OF("elsewhere", NULL, ELSEWHERE, 0),
    PART_OF("else", NULL, ELSE, 0),
    PART_OF("case", NULL, CASE, 0),
    PART_OF("end", "if", END_CONSTRUCT, CM_FRAME_IF),
    PART_OF("endif", NULL, END_CONSTRUCT, CM_FRAME_IF),
    PART_OF("end", "do", END_CONSTRUCT, CM_FRAME_DO),
    PART_OF("enddo", NULL, END_CONSTRUCT, CM_FRAME_DO),
    PART_OF("end", "where", END_CONSTRUCT, CM_FRAME_WHERE),
    PART_OF("endwhere", NULL, END_CONSTRUCT, CM_FRAME_WHERE),
    PART_OF("end", "forall", END_CONSTRUCT, CM_FRAME_FORALL),
    PART_OF("endforall", NULL, END_CONSTRUCT, CM_FRAME_FORALL),
    PART_OF("end", "select", END_CONSTRUCT, CM_FRAME_SELECT),
    PART_OF("endselect", NULL, END_CONSTRUCT, CM_FRAME_SELECT),
    PART_OF("end", "interface", END_INTERFACE, 0),
    PART_OF("endinterface", NULL, END_INTERFACE, 0),
    PART_OF("end", "program", END_UNIT, CM_UNIT_PROGRAM),
    PART_OF("endprogram", NULL, END_UNIT, CM_UNIT_PROGRAM),
    PART_OF("end", "subroutine", END_UNIT, CM_UNIT_SUBROUTINE),
    PART_OF("endsubroutine", NULL, END_UNIT, CM_UNIT_SUBROUTINE),
    PART_OF("end", "function", END_UNIT, CM_UNIT_FUNCTION),
    PART_OF("endfunction", NULL, END_UNIT, CM_UNIT_FUNCTION),
    PART_OF("end", "block", END_UNIT, CM_UNIT_BLOCK_DATA), /* The word DATA follows. */
    PART_OF("end", "blockdata", END_UNIT, CM_UNIT_BLOCK_DATA),
    PART_OF("endblockdata", NULL, END_UNIT, CM_UNIT_BLOCK_DATA),
    REFUSE("end", "type"),
    REFUSE("end", "module"),
    PART_OF("end", NULL, END, 0),
    PART_OF("program", NULL, UNIT, CM_UNIT_PROGRAM),
    PART_OF("subroutine", NULL, UNIT, CM_UNIT_SUBROUTINE),
    PART_OF("function", NULL, UNIT, CM_UNIT_FUNCTION),
    PART_OF("block", "data", UNIT, CM_UNIT_BLOCK_DATA),
    PART_OF("blockdata", NULL, UNIT, CM_UNIT_BLOCK_DATA),
    REFUSE("equivalence", NULL),
    REFUSE("pointer", NULL),
    REFUSE("target", NULL),
    REFUSE("nullify", NULL),
    REFUSE("module", NULL),
    REFUSE("use", NULL),
    REFUSE("contains", NULL),
    REFUSE("procedure", NULL),
    REFUSE("abstract", NULL),
    REFUSE("import", NULL),
    REFUSE("class", NULL),
    REFUSE("enum", NULL),
    REFUSE("associate", NULL),
    REFUSE("private", NULL),
    REFUSE("public", NULL),
    REFUSE("sequence", NULL),
    REFUSE("structure", NULL),
    REFUSE("record", NULL),
    REFUSE("byte", NULL),
    REFUSE("encode", NULL),
    REFUSE("decode", NULL),
    REFUSE("pure", NULL),
    REFUSE("volatile", NULL),
    REFUSE("elemental", NULL),
};
#define KEYWORDS (sizeof keywords / sizeof keywords[0])

bool cm_is_declaration(enum cm_statement_kind kind)
{
    return kind < CM_STATEMENT_ASSIGNMENT;
}

struct cm_syntax_statement *cm_new_statement(struct cm_parser *p, enum cm_statement_kind kind,
                                             struct cm_source_place place)
{
    struct cm_syntax_statement *s = CM_NEW(p, struct cm_syntax_statement);
    s->kind = kind;
    s->place = s->end = place;
    s->number = p->tree->statement_count++;
    return s;
}

/* Returns the index of the word behind the parentheses that open at word `at`, or 0 if they do not
 * close. */
static uint32_t behind_brackets(const struct cm_parser *p, uint32_t at)
{
    uint32_t depth = 0;
    for (;; at++) {
        enum cm_word_kind kind = cm_peek_ahead(p, at)->kind;
        if (kind == CM_WORD_OPEN || kind == CM_WORD_OPEN_ARRAY)
            depth++;
        else if (kind == CM_WORD_CLOSE || kind == CM_WORD_CLOSE_ARRAY)
            depth--;
        if (kind == CM_WORD_END)
            return 0;
        if (depth == 0)
            return at + 1;
    }
}

bool cm_is_assignment(const struct cm_parser *p)
{
    uint32_t at = 1;
    if (!cm_is(p, CM_WORD_NAME))
        return false;
    while (at > 0 && cm_peek_ahead(p, at)->kind == CM_WORD_OPEN)
        at = behind_brackets(p, at);
    enum cm_word_kind kind = cm_peek_ahead(p, at)->kind;
    return at > 0 && (kind == CM_WORD_ASSIGN || kind == CM_WORD_POINT || kind == CM_WORD_PERCENT);
}

static const struct keyword *find_keyword(const struct cm_parser *p)
{
    const struct cm_word *first = cm_peek(p), *second = cm_peek_ahead(p, 1);
    if (first->kind != CM_WORD_NAME)
        return NULL;
    for (size_t i = 0; i < KEYWORDS; i++) {
        const struct keyword *word = &keywords[i];
        if (word->first[0] == first->text[0] && strcmp(word->first, first->text) == 0 &&
            (!word->second ||
             (second->kind == CM_WORD_NAME && strcmp(second->text, word->second) == 0)))
            return word;
    }
    return NULL;
}

/* Reports a word that begins no statement, and names the most similar keyword in the hint. */
static void fail_unknown(struct cm_parser *p)
{
    const char *names[KEYWORDS];
    size_t count = 0;
    const struct cm_word *token = cm_peek(p);
    if (token->kind != CM_WORD_NAME) {
        cm_fail(p, "expected a statement, found %s", cm_word_kind_text(token->kind));
        return;
    }
    for (size_t i = 0; i < KEYWORDS; i++)
        if (keywords[i].use != REFUSED)
            names[count++] = keywords[i].first;
    const char *near = cm_suggest(token->text, names, count);
    if (!near) {
        static const char *const types[] = {"integer", "real",      "complex",
                                            "logical", "character", "double"};
        near = cm_suggest(token->text, types, 6);
    }
    cm_fail(p, "'%s' begins no statement", cm_word_text(p, token).text);
    if (near)
        cm_messages_hint(p->messages, "did you mean %s?", near);
    else if (p->line.is_fixed && cm_peek_ahead(p, 1)->kind == CM_WORD_NAME)
        cm_messages_hint(p->messages, "a name may have no blanks, in fixed form too");
}

/* Returns the hint for an unsupported statement, or NULL. */
static const char *refused_hint(struct cm_parser *p)
{
    static const struct {
        const char *word, *hint;
    } hints[] = {
        {"contains", "write the units behind the END of this one"},
        {"equivalence", "use one name; RESHAPE gives an array another shape"},
        {"module", "write PARAMETERs and COMMON in a file for INCLUDE, and units by themselves"},
        {"structure", "write a variable or an array for each component"},
        {"use", "write what the module declares here, or in a file for INCLUDE"},
    };
    const struct cm_word *name = cm_peek_ahead(p, 1);
    if (cm_is_word(p, "module") && name->kind == CM_WORD_NAME &&
        strncmp(name->text, "cm200_", strlen("cm200_")) == 0)
        return "cm200 compile wrote this file for other compilers; give cm200 the program that it "
               "was made from";
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (cm_is_word(p, hints[i].word))
            return hints[i].hint;
    return NULL;
}

/* Reports an unsupported statement. Behind MODULE and CONTAINS come units inside units, so the
 * parser does not read the rest of the program. */
static void fail_refused(struct cm_parser *p, const struct keyword *refused)
{
    const char *hint = refused_hint(p);
    char word[64];
    p->is_lost = cm_is_word(p, "contains") || cm_is_word(p, "module");
    snprintf(word, sizeof word, "%s%s%s", refused->first, refused->second ? " " : "",
             refused->second ? refused->second : "");
    for (char *c = word; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    cm_fail_unsupported(p, word);
    if (hint)
        cm_messages_hint(p->messages, "%s", hint);
}

/* Parses the first statement of a unit that has a type or RECURSIVE before FUNCTION or SUBROUTINE.
 * Returns false for other statements. */
static bool parse_prefixed_unit(struct cm_parser *p, struct cm_source_place place)
{
    uint32_t start = p->at;
    struct cm_syntax_type type = {0};
    bool has_type = false, is_recursive = false;
    for (;;) {
        if (!is_recursive && cm_is_word(p, "recursive") &&
            cm_peek_ahead(p, 1)->kind == CM_WORD_NAME) {
            cm_next(p);
            is_recursive = true;
        } else if (!has_type && cm_is_type(p)) {
            type = cm_parse_type(p);
            has_type = true;
        } else {
            break;
        }
    }
    bool is_function = cm_is_word(p, "function");
    bool is_unit = (has_type || is_recursive) && cm_peek_ahead(p, 1)->kind == CM_WORD_NAME &&
                   (is_function || (cm_is_word(p, "subroutine") && !has_type));
    if (!is_unit) {
        p->at = p->is_bad ? p->at : start;
        return false;
    }
    cm_next(p);
    cm_begin_unit(p, is_function ? CM_UNIT_FUNCTION : CM_UNIT_SUBROUTINE, place,
                  has_type ? &type : NULL, is_recursive);
    return true;
}

static void parse_part(struct cm_parser *p, const struct keyword *word,
                       struct cm_source_place place)
{
    switch (word->part) {
    case ELSE:
        cm_parse_else(p);
        break;
    case ELSE_IF:
        cm_parse_else_if(p);
        break;
    case ELSEWHERE:
        cm_parse_elsewhere(p);
        break;
    case CASE:
        cm_parse_case(p);
        break;
    case END_CONSTRUCT:
        cm_parse_end_construct(p, (enum cm_frame_kind)word->what);
        break;
    case END_INTERFACE:
        cm_end_interface(p);
        break;
    case END_UNIT:
    case END:
        if (word->second && strcmp(word->second, "block") == 0 && !cm_accept_word(p, "data"))
            cm_fail(p, "expected DATA");
        cm_end_unit(p, (enum cm_unit_kind)word->what, word->part == END);
        break;
    case UNIT:
        cm_begin_unit(p, (enum cm_unit_kind)word->what, place, NULL, false);
        break;
    }
}

/* Parses the rest of a statement behind its keyword. */
static struct cm_syntax_statement *parse_keyword(struct cm_parser *p, const struct keyword *word,
                                                 struct cm_source_place place)
{
    struct cm_syntax_statement *s = cm_new_statement(p, word->kind, place);
    s->label = p->line.label;
    p->at += word->second ? 2 : 1;
    word->parse(p, s);
    return s;
}

static struct cm_syntax_statement *parse_assignment(struct cm_parser *p)
{
    struct cm_syntax_statement *s = cm_new_statement(p, CM_STATEMENT_ASSIGNMENT, cm_place_here(p));
    s->label = p->line.label;
    cm_parse_assignment(p, s);
    return s;
}

struct cm_syntax_statement *cm_parse_action(struct cm_parser *p)
{
    struct cm_source_place place = cm_place_here(p);
    if (!cm_is_assignment(p) && !find_keyword(p))
        cm_split_keyword(p);
    const struct keyword *word = cm_is_assignment(p) ? NULL : find_keyword(p);
    if (!word && cm_is_assignment(p)) {
        struct cm_syntax_statement *s = parse_assignment(p);
        s->label = 0;
        return s;
    }
    if (!word) {
        fail_unknown(p);
    } else if (word->use == REFUSED) {
        fail_refused(p, word);
    } else if (word->use != EXECUTABLE) {
        cm_fail(p, "this statement may not be behind IF (..)");
        cm_messages_hint(p->messages, "write IF (..) THEN, the statement, and END IF");
    }
    if (p->is_bad)
        return cm_new_statement(p, CM_STATEMENT_CONTINUE, place);
    uint32_t frames = p->frames.count;
    struct cm_syntax_statement *s = parse_keyword(p, word, place);
    s->label = 0;
    if (p->frames.count > frames) {
        p->frames.count = frames;
        cm_fail_at(p, place, "a construct may not be behind IF (..)");
    }
    return s;
}

/* Parses the name in front of a construct, as in LOOP: DO. */
static void parse_construct_name(struct cm_parser *p)
{
    p->construct = NULL;
    if (cm_is(p, CM_WORD_NAME) && cm_peek_ahead(p, 1)->kind == CM_WORD_COLON &&
        cm_peek_ahead(p, 2)->kind == CM_WORD_NAME) {
        p->construct = cm_next(p)->text;
        cm_next(p);
    }
}

/* Returns whether the first word may have to be split into a keyword and the rest: it is neither a
 * keyword nor a type, or the statement looks like an assignment, as the beginning of DO10I=1,5
 * does. */
static bool is_unknown(const struct cm_parser *p)
{
    return cm_is_assignment(p) || (!find_keyword(p) && !cm_is_type(p));
}

static struct cm_syntax_statement *parse_words(struct cm_parser *p, struct cm_source_place place)
{
    if (is_unknown(p))
        cm_split_keyword(p);
    if (!cm_is_assignment(p) && parse_prefixed_unit(p, place))
        return NULL;
    const struct keyword *word = cm_is_assignment(p) || cm_is_type(p) ? NULL : find_keyword(p);
    if (!word || word->use != PART)
        cm_need_unit(p, place);
    if (cm_is_assignment(p))
        return parse_assignment(p);
    if (cm_is_type(p)) {
        struct cm_syntax_statement *s = cm_new_statement(p, CM_STATEMENT_TYPE, place);
        s->label = p->line.label;
        cm_parse_type_statement(p, s);
        return s;
    }
    if (!word)
        fail_unknown(p);
    else if (word->use == REFUSED)
        fail_refused(p, word);
    else if (word->use != PART)
        return parse_keyword(p, word, place);
    else {
        p->at += word->second ? 2 : 1;
        parse_part(p, word, place);
    }
    return NULL;
}

/* Appends the statement to the block of the construct that contains it. */
static void finish_statement(struct cm_parser *p, struct cm_syntax_statement *s)
{
    if (!s || p->is_lost || p->frames.failed)
        return;
    /* The statement opened a construct, and belongs to the block around this construct. */
    if (p->frames.count > p->outer) {
        struct cm_open_construct opened = *cm_top(p);
        p->frames.count = p->outer;
        cm_add_statement(p, s);
        cm_list_push(&p->frames, opened);
    } else {
        cm_add_statement(p, s);
    }
}

/* Returns whether the rest of the unit can be checked without a statement that has an error: the
 * statement declares nothing and opens no construct. Behind declarations, F(X) = ... may be a
 * statement function. */
static bool is_dispensable(struct cm_parser *p, const struct cm_syntax_statement *s)
{
    const struct cm_open_construct *unit = cm_open_unit(p);
    if (!s || !unit || p->frames.count != p->outer || cm_is_declaration(s->kind) ||
        s->kind == CM_STATEMENT_ENTRY || s->kind == CM_STATEMENT_DO ||
        s->kind == CM_STATEMENT_SELECT || s->kind == CM_STATEMENT_WHERE ||
        s->kind == CM_STATEMENT_FORALL)
        return false;
    return unit->has_executable || s->kind != CM_STATEMENT_ASSIGNMENT ||
           s->assignment.target->kind == CM_EXPRESSION_NAME;
}

void cm_parse_statement(struct cm_parser *p)
{
    p->outer = p->frames.count;
    p->is_bad = false;
    p->depth = 0;
    parse_construct_name(p);
    struct cm_source_place place = cm_place_here(p);
    struct cm_syntax_statement *s;
    if (p->line.kind == CM_LINE_DIRECTIVE) {
        cm_need_unit(p, place);
        s = cm_new_statement(p, CM_STATEMENT_LAYOUT, place);
        cm_parse_directive(p, s);
    } else {
        s = parse_words(p, place);
    }
    cm_expect(p, CM_WORD_END, "");
    if (p->frames.count <= p->outer && p->construct && !p->is_bad)
        cm_fail_at(p, place, "only a construct may have a name in front of it");
    p->is_replaced = p->is_bad && is_dispensable(p, s);
    if (p->is_replaced)
        s->kind = CM_STATEMENT_CONTINUE;
    finish_statement(p, s);
    if (s)
        cm_end_labelled_loops(p, s);
}
