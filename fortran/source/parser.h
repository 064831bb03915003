/*
 * The parser's own declarations. A statement is parsed by recursive descent over its words; the
 * first error in it is reported and ends it: from then on the parser is at its end, every wish for
 * a word fails in silence, and what is built is thrown away, for a program with an error has no
 * tree. The blocks of a program are on a stack of open constructs. Internal to the library.
 */
#ifndef CM_FORTRAN_PARSER_H
#define CM_FORTRAN_PARSER_H

#include "arena.h"
#include "lexer.h"
#include "lines.h"
#include "syntax.h"

#define CM_PARSE_MAX_DEPTH 200u /* brackets within brackets */
#define CM_PARSE_SPARE     512u /* bytes of the largest node */

enum cm_frame_kind {
    CM_FRAME_UNIT,
    CM_FRAME_INTERFACE,
    CM_FRAME_IF,
    CM_FRAME_WHERE,
    CM_FRAME_FORALL,
    CM_FRAME_DO,
    CM_FRAME_SELECT,
};

/* A program unit or a construct that has not ended. */
struct cm_open_construct {
    enum cm_frame_kind kind;
    struct cm_syntax_statement *statement; /* of a construct */
    struct cm_syntax_unit *unit;
    struct cm_syntax_block *block;   /* where statements go; NULL: nowhere */
    struct cm_syntax_unit **units;   /* of INTERFACE: where the next one goes */
    struct cm_syntax_branch *branch; /* the last one of IF and WHERE */
    struct cm_syntax_case *cases;    /* the last one of SELECT */
    uint32_t mark;                   /* of UNIT: of the names with a shape */
    bool has_executable;             /* of UNIT: an executable statement came */
};

struct cm_parser {
    struct cm_lines lines;
    struct cm_joined_line line;
    struct cm_words tokens;
    struct cm_arena *arena;
    struct cm_messages *messages;
    struct cm_syntax *tree;
    uint32_t at;    /* of the next word */
    uint32_t stop;  /* of the ; or the end that ends the statement */
    uint32_t depth; /* of expressions */
    bool is_bad;    /* this statement */
    bool is_lost;   /* the rest of the program cannot be read */
    CM_LIST(struct cm_open_construct) frames;
    struct cm_syntax_unit **next_unit; /* where the next one goes */
    uint32_t outer;                    /* frames that were open in front of this statement */
    uint32_t marks;                    /* given to units */
    const char *construct;             /* the name in front of the statement */
    _Alignas(16) unsigned char spare[CM_PARSE_SPARE]; /* a node when memory is out */
};

/* parser.c: words. At the end of the statement, and after an error, the next one is
 * CM_WORD_END. */
const struct cm_word *cm_peek(const struct cm_parser *p);
/* The word `ahead` places behind the next one. */
const struct cm_word *cm_peek_ahead(const struct cm_parser *p, uint32_t ahead);
const struct cm_word *cm_next(struct cm_parser *p);
bool cm_is(const struct cm_parser *p, enum cm_word_kind kind);
bool cm_is_word(const struct cm_parser *p, const char *word);
bool cm_accept(struct cm_parser *p, enum cm_word_kind kind);
bool cm_accept_word(struct cm_parser *p, const char *word);
/* Reports if the next word is another one. `where` says where, as " behind the mask"; or "". */
bool cm_expect(struct cm_parser *p, enum cm_word_kind kind, const char *where);
/* A name; "" after an error. `what` as "the name of an array". */
const char *cm_expect_name(struct cm_parser *p, const char *what, struct cm_source_place *place);
/* A label; 0 after an error. */
uint32_t cm_expect_label(struct cm_parser *p);
struct cm_source_place cm_place_of(const struct cm_parser *p, const struct cm_word *token);
struct cm_source_place cm_place_here(const struct cm_parser *p);
/* The word as it was written. */
struct cm_quote cm_word_text(const struct cm_parser *p, const struct cm_word *token);

/* Reports at the next word, or at `place`, unless there was an error, and ends the statement. */
void cm_fail(struct cm_parser *p, const char *format, ...) CM_PRINTF(2, 3);
void cm_fail_at(struct cm_parser *p, struct cm_source_place place, const char *format, ...)
    CM_PRINTF(3, 4);
/* "NAME is not supported", at the next word. */
void cm_fail_unsupported(struct cm_parser *p, const char *what);

/* Zeroed memory; that of `spare` when it is out, so that building goes on without looking. */
void *cm_take(struct cm_parser *p, size_t bytes);
#define CM_NEW(p, type) ((type *)cm_take(p, sizeof(type)))

/* parse_expression.c */
struct cm_syntax_expression *cm_parse_expression(struct cm_parser *p);
/* A constant as DATA has them: with a sign, without operators. */
struct cm_syntax_expression *cm_parse_constant(struct cm_parser *p);
/* A variable, an element, a section, a function reference. */
struct cm_syntax_expression *cm_parse_designator(struct cm_parser *p);
/* Behind the opening bracket, up to and with the closing one. */
struct cm_syntax_arguments cm_parse_arguments(struct cm_parser *p);
/* Entries between commas, which may be implied loops. */
struct cm_syntax_arguments cm_parse_items(struct cm_parser *p);
/* The same for variables alone. */
struct cm_syntax_arguments cm_parse_objects(struct cm_parser *p);
struct cm_syntax_expression *cm_new_expression(struct cm_parser *p, enum cm_expression_kind kind,
                                               struct cm_source_place place);
/* Adds a value; `last` is the one added before, NULL at first. */
struct cm_syntax_argument *cm_add_argument(struct cm_parser *p, struct cm_syntax_arguments *list,
                                           struct cm_syntax_argument *last,
                                           struct cm_syntax_expression *value);

/* parse_declare.c */
/* Whether the next words begin a type, and which. */
bool cm_is_type(const struct cm_parser *p);
struct cm_syntax_type cm_parse_type(struct cm_parser *p);
struct cm_syntax_shape cm_parse_shape(struct cm_parser *p);
/* Names between commas; `shapes`: with bounds behind them. */
struct cm_syntax_entities cm_parse_names(struct cm_parser *p, bool shapes);
void cm_add_entity(struct cm_syntax_entities *list, struct cm_syntax_entity **last,
                   struct cm_syntax_entity *entity);
/* The name has a shape in this unit; whether it has. */
void cm_mark_shaped(struct cm_parser *p, const char *name);
bool cm_is_shaped(struct cm_parser *p, const char *name);

/* A statement's own parser: behind its keyword. It fills `s`, and may open a frame. */
typedef void (*cm_parse_function)(struct cm_parser *p, struct cm_syntax_statement *s);

void cm_parse_type_statement(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_dimension(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_name_list(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_intent(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_save(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_parameter(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_implicit(struct cm_parser *p, struct cm_syntax_statement *s);
/* parse_data.c */
void cm_parse_common(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_data(struct cm_parser *p, struct cm_syntax_statement *s);
struct cm_syntax_arguments cm_parse_data_values(struct cm_parser *p);
/* parse_directive.c */
void cm_parse_directive(struct cm_parser *p, struct cm_syntax_statement *s);
/* parse_execute.c */
void cm_parse_assignment(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_call(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_goto(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_continue(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_leave(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_return(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_stop(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_allocate(struct cm_parser *p, struct cm_syntax_statement *s);
/* parse_io.c */
void cm_parse_print(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_write(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_format(struct cm_parser *p, struct cm_syntax_statement *s);
/* parse_construct.c */
void cm_parse_if(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_where(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_forall(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_do(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_do_while(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_select(struct cm_parser *p, struct cm_syntax_statement *s);
/* Parts of constructs: they make no statement. */
void cm_parse_else(struct cm_parser *p);
void cm_parse_else_if(struct cm_parser *p);
void cm_parse_elsewhere(struct cm_parser *p);
void cm_parse_case(struct cm_parser *p);
void cm_parse_end_construct(struct cm_parser *p, enum cm_frame_kind kind);
/* Ends the loops whose last statement has this label. */
void cm_end_labelled_loops(struct cm_parser *p, const struct cm_syntax_statement *s);

/* parse_unit.c */
void cm_begin_unit(struct cm_parser *p, enum cm_unit_kind kind, struct cm_source_place place,
                   const struct cm_syntax_type *type, bool is_recursive);
void cm_end_unit(struct cm_parser *p, enum cm_unit_kind kind, bool any_kind);
void cm_parse_interface(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_end_interface(struct cm_parser *p);
/* At the end of the program: all that is open is reported. */
void cm_end_program(struct cm_parser *p);
/* Without an open unit a main program begins, whose first statement this is. */
void cm_need_unit(struct cm_parser *p, struct cm_source_place place);
/* Adds the statement to the innermost open block. */
void cm_add_statement(struct cm_parser *p, struct cm_syntax_statement *s);
/* The innermost open frame, of a kind; NULL. */
struct cm_open_construct *cm_top(struct cm_parser *p);
struct cm_open_construct *cm_open_unit(struct cm_parser *p);
void cm_push_frame(struct cm_parser *p, struct cm_open_construct frame);
const char *cm_frame_name(enum cm_frame_kind kind);

/* glued.c: cuts a keyword off the first word, if it has no blank behind it; whether it has. */
bool cm_split_keyword(struct cm_parser *p);

/* statements.c: which statement the next words are, and all of it. */
void cm_parse_statement(struct cm_parser *p);
/* A statement that IF (..) may have behind it. */
struct cm_syntax_statement *cm_parse_action(struct cm_parser *p);
/* Whether the next words are an assignment: a variable, brackets or not, and =. */
bool cm_is_assignment(const struct cm_parser *p);
struct cm_syntax_statement *cm_new_statement(struct cm_parser *p, enum cm_statement_kind kind,
                                             struct cm_source_place place);
bool cm_is_declaration(enum cm_statement_kind kind);

#endif
