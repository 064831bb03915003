/* The tokens of JSON, shared by the scanner's two files. Internal to the library. */
#ifndef CM_BASE_JSON_LEXER_H
#define CM_BASE_JSON_LEXER_H

#include "json_scan.h"

struct cm_json_lexer {
    const char *name;
    const char *text;
    uint32_t length;
    uint32_t at;
    struct cm_json_scan *scan;
    struct cm_error *err;
};

/* What stands at an offset, for messages: "x", the byte 0xff, the end of the file. */
struct cm_quote cm_json_lexer_found(const struct cm_json_lexer *lexer, uint32_t offset);

/* CM_BAD_INPUT at an offset, with its line. */
enum cm_status cm_json_lexer_fail(const struct cm_json_lexer *lexer, uint32_t offset,
                                  const char *format, ...) CM_PRINTF(3, 4);
enum cm_status cm_json_lexer_no_memory(const struct cm_json_lexer *lexer);

/* Notes that a line begins here. */
enum cm_status cm_json_lexer_line(struct cm_json_lexer *lexer, uint32_t offset);

/* Each reads one token from lexer->at on and leaves lexer->at behind it. */
enum cm_status cm_json_lexer_space(struct cm_json_lexer *lexer);
enum cm_status cm_json_lexer_string(struct cm_json_lexer *lexer, bool *has_nul);
enum cm_status cm_json_lexer_number(struct cm_json_lexer *lexer);
enum cm_status cm_json_lexer_word(struct cm_json_lexer *lexer, enum cm_json_kind *kind);

#endif
