/*
 * Strict JSON (RFC 8259) over cJSON. cJSON alone is lenient and gives no positions. So a scanner
 * runs first. It checks grammar, UTF-8, depth and size, and records line, column and raw token of
 * every value. Then cJSON builds the tree, and a struct cm_json pairs a node of the tree with the
 * scanner's record. Duplicate keys are refused last, when the members are indexed.
 */
#ifndef CM_BASE_JSON_H
#define CM_BASE_JSON_H

#include "error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of a document: nesting depth, and bytes. */
#define CM_JSON_MAX_DEPTH 64u
#define CM_JSON_MAX_BYTES (16u * 1024u * 1024u)

struct cm_json_document; /* a parsed document: owns the text, the tree and the positions */

/* A value of a document. It is small, passed by value, and valid as long as the document. */
struct cm_json {
    const struct cm_json_document *document; /* document of the value. NULL: no value */
    /* number of the value in document order. The root is 0 */
    uint32_t index;
};

/* Kind of a value. */
enum cm_json_kind {
    CM_JSON_NULL,
    CM_JSON_BOOL,
    CM_JSON_NUMBER,
    CM_JSON_STRING,
    CM_JSON_ARRAY,
    CM_JSON_OBJECT,
};

/* Parses `length` bytes. `name` is the file name for messages. Fails with CM_BAD_INPUT and the
 * position of the fault. */
CM_API enum cm_status cm_json_parse(const char *name, const char *text, size_t length,
                                    struct cm_json_document **document, struct cm_error *err);
/* Reads and parses a file of at most CM_JSON_MAX_BYTES. */
CM_API enum cm_status cm_json_read(const char *path, struct cm_json_document **document,
                                   struct cm_error *err);
/* Frees a document, and thereby its values. The document may be NULL. */
CM_API void cm_json_destroy(struct cm_json_document *document);

/* Returns the file name for messages. */
CM_API const char *cm_json_name(const struct cm_json_document *document);
/* Returns the outermost value of the document. */
CM_API struct cm_json cm_json_root(const struct cm_json_document *document);
/* Returns the kind of a value. */
CM_API enum cm_json_kind cm_json_kind(struct cm_json value);
/* Returns a kind in words: "a number", "an object". */
CM_API const char *cm_json_kind_name(enum cm_json_kind kind);

/* Returns the number of members of an object or elements of an array, and 0 for other kinds. */
CM_API uint32_t cm_json_count(struct cm_json value);
/* Returns member or element `i` in document order. *key becomes the member's key, or NULL for an
 * element. `key` may be NULL. */
CM_API struct cm_json cm_json_at(struct cm_json value, uint32_t i, const char **key);
/* Finds a member by its exact key. Case matters. Returns false if it is missing. */
CM_API bool cm_json_member(struct cm_json object, const char *key, struct cm_json *member);
/* Writes the JSON pointer (RFC 6901) of a value into the buffer. Returns the length of the whole
 * pointer, like snprintf. */
CM_API size_t cm_json_path(struct cm_json value, char *buffer, size_t size);
/* These functions return the line and column of the value's first character, from 1, and the
 * value's raw token, which for a container is its whole text. */
CM_API void cm_json_position(struct cm_json value, uint32_t *line, uint32_t *column);
CM_API void cm_json_token(struct cm_json value, const char **token, size_t *length);

/* Replaces a value that is not a container by the integer `number` for all later readers. Messages
 * still show the place and source line of the old value. */
CM_API enum cm_status cm_json_set_integer(struct cm_json_document *document, struct cm_json value,
                                          int64_t number, struct cm_error *err);

/* Reports CM_BAD_INPUT at the value's place, with its source line. The caller can add a hint by
 * cm_error_hint. */
CM_API enum cm_status cm_json_error(struct cm_json value, struct cm_error *err, const char *format,
                                    ...) CM_PRINTF(3, 4);
/* Reports CM_BAD_INPUT at byte `offset` of the value's token. */
CM_API enum cm_status cm_json_error_inside(struct cm_json value, size_t offset,
                                           struct cm_error *err, const char *format, ...)
    CM_PRINTF(4, 5);

#ifdef __cplusplus
}
#endif

#endif
