/* The lexer divides one line of assembly text into tokens. */
#ifndef CM_ISA_LEXER_H
#define CM_ISA_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CM_ASM_LINE_MAX 1000u /* largest number of bytes in a line */

enum cm_token_kind {
    CM_TOKEN_END,     /* end of the line, or the comment that ends it */
    CM_TOKEN_NAME,    /* name: letters, digits and '_', with no digit first */
    CM_TOKEN_INTEGER, /* integer. value: its magnitude, at most CM_TOKEN_HUGE */
    CM_TOKEN_FLOAT,   /* floating-point number. value: its bits as an IEEE single */
    CM_TOKEN_PUNCTUATION,
    CM_TOKEN_BAD, /* malformed token. `fault` describes what is wrong */
};

#define CM_TOKEN_HUGE (INT64_C(1) << 40)

struct cm_token {
    enum cm_token_kind kind;
    const char *start;
    size_t length;
    uint32_t column; /* position of the token's first byte in the line, from 1 */
    int64_t value;
    const char *fault;
};

struct cm_lexer {
    const char *line;
    size_t length;
    size_t at;
};

/*
 * Checks a line (without its newline) before it is read: length, control characters, UTF-8, and
 * ASCII alone outside comments. Returns NULL for a good line. Otherwise returns a description of
 * the first fault, and sets *column to the column of the fault.
 */
const char *cm_lexer_check(const char *line, size_t length, uint32_t *column);

void cm_lexer_init(struct cm_lexer *lexer, const char *line, size_t length);
struct cm_token cm_lexer_next(struct cm_lexer *lexer);
/* Returns the next token as the name of an IMP: all characters up to a blank or a comment. The name
 * of an IMP may also contain '-' and '.'. */
struct cm_token cm_lexer_next_word(struct cm_lexer *lexer);

bool cm_token_is(const struct cm_token *token, char punctuation);

#endif
