/*
 * This header has the declarations that the files of the parser share.
 *
 * The parser uses recursive descent over the words of a statement. The first error in a statement
 * is reported and ends the statement: cm_peek() then returns CM_WORD_END, and further calls that
 * expect a word fail without a message. Nodes of a faulty statement are still made, but the unit is
 * marked as broken. The open blocks of a program form a stack of constructs. Internal to the
 * library.
 */
#ifndef CM_FORTRAN_PARSER_H
#define CM_FORTRAN_PARSER_H

#include "arena.h"
#include "lexer.h"
#include "lines.h"
#include "syntax.h"

#define CM_PARSE_MAX_DEPTH 200u /* limit of nested parentheses */
#define CM_PARSE_SPARE     512u /* bytes of cm_parser.spare, as many as the largest node has */

enum cm_frame_kind {
    CM_FRAME_UNIT,
    CM_FRAME_INTERFACE,
    CM_FRAME_IF,
    CM_FRAME_WHERE,
    CM_FRAME_FORALL,
    CM_FRAME_DO,
    CM_FRAME_SELECT,
};

/* An entry of the stack of open constructs: a program unit or a construct whose END has not been
 * read. */
struct cm_open_construct {
    enum cm_frame_kind kind;
    struct cm_syntax_statement *statement; /* statement of a construct */
    struct cm_syntax_unit *unit;
    /* block that gets the statements. NULL between SELECT and its first CASE */
    struct cm_syntax_block *block;
    struct cm_syntax_unit **units;   /* pointer that the next unit of an INTERFACE is linked to */
    struct cm_syntax_branch *branch; /* last branch of an IF or WHERE */
    struct cm_syntax_case *cases;    /* last CASE of a SELECT */
    /* number of the unit, which marks the names that are declared with a shape in it */
    uint32_t mark;
    bool has_executable; /* true if the unit has an executable statement already */
};

struct cm_parser {
    struct cm_lines lines;
    struct cm_joined_line line;
    struct cm_words tokens;
    struct cm_arena *arena;
    struct cm_messages *messages;
    struct cm_syntax *tree;
    uint32_t at;    /* index of the next word */
    uint32_t stop;  /* index of the semicolon or the end that ends the statement */
    uint32_t depth; /* current depth of nested expressions */
    bool is_bad;    /* true after an error in this statement */
    /* true if the statement has an error, and the tree has a CONTINUE in its place, so that the
     * rest of its unit can be checked */
    bool is_replaced;
    bool is_lost; /* true if the rest of the program cannot be read */
    CM_LIST(struct cm_open_construct) frames;
    struct cm_syntax_unit **next_unit; /* pointer that the next unit of the file is linked to */
    uint32_t outer;                    /* number of open constructs before this statement */
    /* number of program units so far. The last unit is marked by this number */
    uint32_t marks;
    /* name of a construct in front of the statement, such as LOOP: DO, or NULL */
    const char *construct;
    /* memory that all new nodes share once memory is exhausted */
    _Alignas(16) unsigned char spare[CM_PARSE_SPARE];
};

/* parser.c: These functions read the words of the current statement. At the end of a statement, and
 * after an error, the next word is CM_WORD_END. */
const struct cm_word *cm_peek(const struct cm_parser *p);
/* Returns the word `ahead` places behind the next word. */
const struct cm_word *cm_peek_ahead(const struct cm_parser *p, uint32_t ahead);
const struct cm_word *cm_next(struct cm_parser *p);
bool cm_is(const struct cm_parser *p, enum cm_word_kind kind);
bool cm_is_word(const struct cm_parser *p, const char *word);
bool cm_accept(struct cm_parser *p, enum cm_word_kind kind);
bool cm_accept_word(struct cm_parser *p, const char *word);
/* Reads the next word if it is of this kind, or reports that another word was found. `where` ends
 * the message, such as " behind the mask", or is "". */
bool cm_expect(struct cm_parser *p, enum cm_word_kind kind, const char *where);
/* Reads a name. Returns "" after an error. `what` describes the name in messages, such as "the name
 * of an array". */
const char *cm_expect_name(struct cm_parser *p, const char *what, struct cm_source_place *place);
/* Reads a label. Returns 0 after an error. */
uint32_t cm_expect_label(struct cm_parser *p);
struct cm_source_place cm_place_of(const struct cm_parser *p, const struct cm_word *token);
struct cm_source_place cm_place_here(const struct cm_parser *p);
/* Returns the word as it was written. */
struct cm_quote cm_word_text(const struct cm_parser *p, const struct cm_word *token);

/* These functions report an error at the next word or at `place`, unless the statement has an error
 * already. They end the statement. */
void cm_fail(struct cm_parser *p, const char *format, ...) CM_PRINTF(2, 3);
void cm_fail_at(struct cm_parser *p, struct cm_source_place place, const char *format, ...)
    CM_PRINTF(3, 4);
/* Reports an error at the next word: "... is not supported", with `what` at the beginning. */
void cm_fail_unsupported(struct cm_parser *p, const char *what);

/* Returns zeroed memory of the tree. Returns cm_parser.spare if memory is exhausted, so that
 * callers need no check. */
void *cm_take(struct cm_parser *p, size_t bytes);
#define CM_NEW(p, type) ((type *)cm_take(p, sizeof(type)))

/* parse_expression.c */
struct cm_syntax_expression *cm_parse_expression(struct cm_parser *p);
/* Parses a constant of DATA, which may have a sign and no operators. */
struct cm_syntax_expression *cm_parse_constant(struct cm_parser *p);
/* Parses a name with the parentheses behind it: a variable, an array element, a section or a
 * function reference. */
struct cm_syntax_expression *cm_parse_designator(struct cm_parser *p);
/* Parses the arguments of a call behind the opening parenthesis, and the closing parenthesis.
 * Stores labels such as *10, which only CALL may have, in *labels, unless `labels` is NULL. */
struct cm_syntax_arguments cm_parse_actuals(struct cm_parser *p, struct cm_syntax_label **labels);
/* Parses a list of expressions. Entries may be implied DO loops. */
struct cm_syntax_arguments cm_parse_items(struct cm_parser *p);
/* Parses a list of variables. Entries may be implied DO loops. */
struct cm_syntax_arguments cm_parse_objects(struct cm_parser *p);
struct cm_syntax_expression *cm_new_expression(struct cm_parser *p, enum cm_expression_kind kind,
                                               struct cm_source_place place);
/* Appends a value to a list. `last` is the entry that was appended before, or NULL. */
struct cm_syntax_argument *cm_add_argument(struct cm_parser *p, struct cm_syntax_arguments *list,
                                           struct cm_syntax_argument *last,
                                           struct cm_syntax_expression *value);

/* parse_declare.c */
/* Returns whether the next words begin a type. */
bool cm_is_type(const struct cm_parser *p);
struct cm_syntax_type cm_parse_type(struct cm_parser *p);
struct cm_syntax_shape cm_parse_shape(struct cm_parser *p);
/* Parses a list of names. If `shapes` is true, array bounds may follow each name. */
struct cm_syntax_entities cm_parse_names(struct cm_parser *p, bool shapes);
void cm_add_entity(struct cm_syntax_entities *list, struct cm_syntax_entity **last,
                   struct cm_syntax_entity *entity);
/* Marks a name as declared with a shape in this unit, or returns whether the name has this mark. */
void cm_mark_shaped(struct cm_parser *p, const char *name);
bool cm_is_shaped(struct cm_parser *p, const char *name);

/* A function that parses one statement. It begins behind the keyword, fills `s`, and may open a
 * construct. */
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
void cm_parse_assign(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_continue(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_leave(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_return(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_stop(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_error_stop(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_allocate(struct cm_parser *p, struct cm_syntax_statement *s);
/* parse_io.c */
void cm_parse_print(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_type_or_print(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_write(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_read(struct cm_parser *p, struct cm_syntax_statement *s);
/* Parses a REWIND, BACKSPACE or ENDFILE, with a unit or with specifiers. */
void cm_parse_file(struct cm_parser *p, struct cm_syntax_statement *s);
/* Parses an OPEN, CLOSE or INQUIRE. */
void cm_parse_open(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_namelist(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_format(struct cm_parser *p, struct cm_syntax_statement *s);
/* parse_construct.c */
void cm_parse_if(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_where(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_forall(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_do(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_do_while(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_select(struct cm_parser *p, struct cm_syntax_statement *s);
/* These functions parse the parts of constructs, such as ELSE, which are not statements of the
 * tree. */
void cm_parse_else(struct cm_parser *p);
void cm_parse_else_if(struct cm_parser *p);
void cm_parse_elsewhere(struct cm_parser *p);
void cm_parse_case(struct cm_parser *p);
void cm_parse_end_construct(struct cm_parser *p, enum cm_frame_kind kind);
/* Closes the DO loops whose last statement has the label of `s`. */
void cm_end_labelled_loops(struct cm_parser *p, const struct cm_syntax_statement *s);

/* parse_unit.c */
void cm_begin_unit(struct cm_parser *p, enum cm_unit_kind kind, struct cm_source_place place,
                   const struct cm_syntax_type *type, bool is_recursive);
void cm_end_unit(struct cm_parser *p, enum cm_unit_kind kind, bool any_kind);
void cm_parse_entry(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_parse_interface(struct cm_parser *p, struct cm_syntax_statement *s);
void cm_end_interface(struct cm_parser *p);
/* Reports all constructs and units that are still open at the end of the program. */
void cm_end_program(struct cm_parser *p);
/* Begins a main program without a PROGRAM statement if no unit is open. */
void cm_need_unit(struct cm_parser *p, struct cm_source_place place);
/* Appends the statement to the block of the innermost open construct. */
void cm_add_statement(struct cm_parser *p, struct cm_syntax_statement *s);
/* These functions return the innermost open construct, and the innermost open program unit, or
 * NULL. */
struct cm_open_construct *cm_top(struct cm_parser *p);
struct cm_open_construct *cm_open_unit(struct cm_parser *p);
void cm_push_frame(struct cm_parser *p, struct cm_open_construct frame);
const char *cm_frame_name(enum cm_frame_kind kind);

/* glued.c: Cuts a keyword off the first word of the statement if no blank follows the keyword, as
 * in GOTO10. Returns whether it did. */
bool cm_split_keyword(struct cm_parser *p);

/* statements.c: Parses one statement of any kind. */
void cm_parse_statement(struct cm_parser *p);
/* Parses the statement that follows IF (..) on the same line. */
struct cm_syntax_statement *cm_parse_action(struct cm_parser *p);
/* Returns whether the next words are an assignment: a variable, perhaps with parentheses, and
 * `=`. */
bool cm_is_assignment(const struct cm_parser *p);
struct cm_syntax_statement *cm_new_statement(struct cm_parser *p, enum cm_statement_kind kind,
                                             struct cm_source_place place);
bool cm_is_declaration(enum cm_statement_kind kind);

#endif
