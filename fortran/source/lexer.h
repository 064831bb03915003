/* The words of a statement: names, constants, operators. Internal to the library. */
#ifndef CM_FORTRAN_LEXER_H
#define CM_FORTRAN_LEXER_H

#include "arena.h"
#include "lines.h"
#include "syntax.h"

enum cm_word_kind {
    CM_WORD_END, /* of the statement */
    CM_WORD_NAME,
    CM_WORD_INTEGER,
    CM_WORD_REAL,
    CM_WORD_STRING, /* text and length: without quotes */
    CM_WORD_LOGICAL,
    CM_WORD_FORMAT,      /* all that follows FORMAT; text and length */
    CM_WORD_BAD,         /* reported already */
    CM_WORD_PLUS,        /* the operators of cm_operator, in its order */
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
    uint32_t offset, end; /* in the text of the line */
    const char *text;     /* NAME: stored once; STRING, FORMAT, REAL: a copy */
    uint32_t length;      /* of STRING and FORMAT */
    uint64_t value;       /* INTEGER; LOGICAL: 0 or 1 */
    bool is_double;       /* REAL with D */
    uint32_t kind_value;  /* 8 of 1.0_8 */
    const char *kind_name;
};

struct cm_words {
    CM_LIST(struct cm_word) list; /* ends with CM_WORD_END */
    bool has_bad;                 /* a message was given about one of them */
};

/* Reads all words of the line and reports what is not a word. False when out of memory. */
bool cm_words_read(struct cm_words *tokens, const struct cm_joined_line *line,
                   struct cm_arena *arena, struct cm_messages *messages);

/* A kind in words: "a name", "')'". */
const char *cm_word_kind_text(enum cm_word_kind kind);

#endif
