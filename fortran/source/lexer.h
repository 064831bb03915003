/* This header declares the words of a statement: names, constants and operators. The parser reads a
 * statement's words with cm_words_read(). This header is internal to the library. */
#ifndef CM_FORTRAN_LEXER_H
#define CM_FORTRAN_LEXER_H

#include "arena.h"
#include "lines.h"
#include "syntax.h"

enum cm_word_kind {
    CM_WORD_END, /* end of the statement */
    CM_WORD_NAME,
    CM_WORD_INTEGER,
    CM_WORD_REAL,
    CM_WORD_STRING, /* text and length, without quotes */
    CM_WORD_LOGICAL,
    CM_WORD_FORMAT,      /* text behind the keyword FORMAT, in `text` and `length` */
    CM_WORD_BAD,         /* characters that form no word, and that were reported */
    CM_WORD_PLUS,        /* operators in the order of cm_operator */
    CM_WORD_MINUS,       /* */
    CM_WORD_TIMES,       /* */
    CM_WORD_DIVIDE,      /* */
    CM_WORD_POWER,       /* */
    CM_WORD_CONCATENATE, /* */
    CM_WORD_EQ,
    CM_WORD_NE,
    CM_WORD_LT,
    CM_WORD_LE,
    CM_WORD_GT,
    CM_WORD_GE,
    CM_WORD_NOT,
    CM_WORD_AND,
    CM_WORD_OR,
    CM_WORD_EQV,
    CM_WORD_NEQV,
    CM_WORD_OPEN,        /* ( */
    CM_WORD_CLOSE,       /* ) */
    CM_WORD_OPEN_ARRAY,  /* (/ */
    CM_WORD_CLOSE_ARRAY, /* /) */
    CM_WORD_OPEN_SQUARE,
    CM_WORD_CLOSE_SQUARE,
    CM_WORD_COMMA,
    CM_WORD_COLON,
    CM_WORD_COLONS, /* :: */
    CM_WORD_ASSIGN, /* = */
    CM_WORD_POINT,  /* => */
    CM_WORD_PERCENT,
    CM_WORD_SEMICOLON,
};

struct cm_word {
    enum cm_word_kind kind;
    uint32_t offset, end; /* offsets in the text of the line */
    /* stored name of a NAME, or a copy of the text of a STRING, FORMAT or REAL */
    const char *text;
    uint32_t length; /* length of the text of a STRING or FORMAT */
    uint64_t value;  /* value of INTEGER, or 0 or 1 for LOGICAL */
    bool is_double;  /* true for a REAL whose exponent letter is D */
    /* true for an INTEGER in base 2, 8 or 16, and for a STRING such as 4HTEXT */
    bool is_bits;
    uint32_t kind_value; /* kind of a constant, such as 8 for 1.0_8, or 0 */
    const char *kind_name;
};

struct cm_words {
    CM_LIST(struct cm_word) list; /* words, with CM_WORD_END at the end */
    bool has_bad;                 /* true if a word was reported as a fault */
};

/* Reads all words of a line, and reports characters that form no word. Returns false if memory is
 * exhausted. */
bool cm_words_read(struct cm_words *tokens, const struct cm_joined_line *line,
                   struct cm_arena *arena, struct cm_messages *messages);

/* Returns a description of a kind of word for messages, such as "a name" or "')'". */
const char *cm_word_kind_text(enum cm_word_kind kind);

#endif
