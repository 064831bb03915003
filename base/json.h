/*
 * Strict JSON (RFC 8259) over cJSON. cJSON alone is lenient and gives no positions, so a scanner
 * runs first: grammar, UTF-8, duplicate keys, depth and size; it records line, column and raw token
 * of every value. cJSON then builds the tree, and a struct cm_json pairs a node of it with what the
 * scanner recorded.
 */
#ifndef CM_BASE_JSON_H
#define CM_BASE_JSON_H

#include "error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of a document: nesting, and bytes. */
#define CM_JSON_MAX_DEPTH 64u
#define CM_JSON_MAX_BYTES (16u * 1024u * 1024u)

struct cm_json_document; /* owns the text, the tree and the positions */

/* A value of a document; small, passed by value, valid as long as the document. */
struct cm_json {
    const struct cm_json_document *document; /* that it belongs to; NULL: no value */
    uint32_t index; /* of the value, in document order, from 0 (the root) */
};

/* What a value is. */
enum cm_json_kind {
    CM_JSON_NULL,
    CM_JSON_BOOL,
    CM_JSON_NUMBER,
    CM_JSON_STRING,
    CM_JSON_ARRAY,
    CM_JSON_OBJECT,
};

/* Parses `length` bytes; `name` is the file name for messages. CM_BAD_INPUT with position on any
 * fault. */
CM_API enum cm_status cm_json_parse(const char *name, const char *text, size_t length,
                                    struct cm_json_document **document, struct cm_error *err);
/* Reads and parses a file of at most CM_JSON_MAX_BYTES. */
CM_API enum cm_status cm_json_read(const char *path, struct cm_json_document **document,
                                   struct cm_error *err);
/* Frees a document; its values are gone with it. NULL is taken. */
CM_API void cm_json_destroy(struct cm_json_document *document);

/* The name that messages use: the file. */
CM_API const char *cm_json_name(const struct cm_json_document *document);
/* The value that the document is. */
CM_API struct cm_json cm_json_root(const struct cm_json_document *document);
/* What a value is. */
CM_API enum cm_json_kind cm_json_kind(struct cm_json value);
/* A kind in words: "a number", "an object". */
CM_API const char *cm_json_kind_name(enum cm_json_kind kind);

/* Members of an object or elements of an array; 0 for other kinds. */
CM_API uint32_t cm_json_count(struct cm_json value);
/* Member or element `i` in document order; for a member its key, else NULL in *key (key may be
 * NULL). */
CM_API struct cm_json cm_json_at(struct cm_json value, uint32_t i, const char **key);
/* Finds a member by its exact key (case matters). */
CM_API bool cm_json_member(struct cm_json object, const char *key, struct cm_json *member);
/* Writes the RFC 6901 pointer of a value, as snprintf. */
CM_API size_t cm_json_path(struct cm_json value, char *buffer, size_t size);
/* Line and column of the value's first character, counted from 1; the raw token (for containers:
 * the whole text). */
CM_API void cm_json_position(struct cm_json value, uint32_t *line, uint32_t *column);
CM_API void cm_json_token(struct cm_json value, const char **token, size_t *length);

/* Makes a value that is not a container the integer `number` for all that read it from here on; its
 * place and source line stay. */
CM_API enum cm_status cm_json_set_integer(struct cm_json_document *document, struct cm_json value,
                                          int64_t number, struct cm_error *err);

/* CM_BAD_INPUT at the value's place, with its source line. A hint may follow by cm_error_hint. */
CM_API enum cm_status cm_json_error(struct cm_json value, struct cm_error *err, const char *format,
                                    ...) CM_PRINTF(3, 4);
/* The same at byte `offset` of its token. */
CM_API enum cm_status cm_json_error_inside(struct cm_json value, size_t offset,
                                           struct cm_error *err, const char *format, ...)
    CM_PRINTF(4, 5);

#ifdef __cplusplus
}
#endif

#endif
