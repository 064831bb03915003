/*
 * The inside of a JSON document. This header is for the source files that work with the scanner's
 * records. The scanner (json_scan.c) runs before cJSON. It accepts RFC 8259 and nothing else, and
 * records the place of every value in one pass, without recursion, in time and memory linear in the
 * text. Internal to the library.
 */
#ifndef CM_BASE_JSON_DOCUMENT_H
#define CM_BASE_JSON_DOCUMENT_H

#include "json.h"

#include <cjson/cJSON.h>

#define CM_JSON_NONE UINT32_MAX /* no parent, no key */

/* A value. Values are numbered in document order, a container before its members. Offsets are bytes
 * of the text, and CM_JSON_MAX_BYTES fits 32 bits. */
struct cm_json_value {
    uint32_t start, end; /* the raw token, [start, end) */
    /* offset of the opening quote of the value's key. CM_JSON_NONE: the value has no key */
    uint32_t key;
    uint32_t parent;
    uint32_t count; /* number of members or elements */
    uint8_t kind;   /* enum cm_json_kind */
    bool has_nul;   /* True for a string that contains \u0000 */
};

struct cm_json_scan {
    struct cm_json_value *values;
    uint32_t count, capacity;
    uint32_t *lines; /* offsets at which the lines begin */
    uint32_t line_count, line_capacity;
    uint32_t member_count; /* number of values that have a key */
    bool has_long_number;  /* True if a number token has more than CM_JSON_LONG_NUMBER bytes */
};

/* Length in bytes of the longest number token that cJSON reads. cJSON reads numbers through a
 * buffer of 64 bytes (cJSON.c, parse_number). */
#define CM_JSON_LONG_NUMBER 62u

/* Scans the text. After a failure *scan is empty. */
enum cm_status cm_json_scan(const char *name, const char *text, size_t length,
                            struct cm_json_scan *scan, struct cm_error *err);
void cm_json_scan_finish(struct cm_json_scan *scan);

/* Computes the line and the column, from 1, of an offset in the text. */
void cm_json_scan_position(const struct cm_json_scan *scan, uint32_t offset, uint32_t *line,
                           uint32_t *column);

struct cm_json_document {
    char *name;
    char *text; /* NUL-terminated beyond `length` */
    size_t length;
    struct cm_json_scan scan;
    cJSON *tree;
    /* Changed token of each value (cm_json_set_integer), or NULL for an unchanged value. The list
     * is NULL if no value has changed. */
    char **tokens;
    /* Node of the tree of cJSON for each value. Document order is the preorder of the tree. */
    cJSON **nodes;
    /* Numbers of all values that are in a container. The children of one container are side by side
     * and in order. */
    uint32_t *children;
    uint32_t *first; /* [value]: index in `children` of the value's first child */
    /* hash table of all members by (parent, key). A slot has the number of the value + 1, or 0 if
     * it is free */
    uint32_t *slots;
    uint32_t slot_count; /* number of slots: a power of two, at least twice the number of members */
};

static inline const struct cm_json_value *cm_json_value_of(struct cm_json value)
{
    return &value.document->scan.values[value.index];
}

/* Returns the slot of the hash table that has the member of `object` with exactly this key, or the
 * free slot for such a member. */
uint32_t cm_json_find_slot(const struct cm_json_document *document, uint32_t object,
                           const char *key);

/* Returns the place of a container for messages, such as " in /network", or "" for the root.
 * `value` is the container. */
struct cm_quote cm_json_in_path(struct cm_json value);

/* Conversion of JSON tokens to numbers. It is exact for integers, and independent of the locale. */

enum cm_number_result {
    CM_NUMBER_OK,
    CM_NUMBER_NOT_INTEGER,
    CM_NUMBER_TOO_LARGE, /* an integer whose magnitude does not fit 64 bits */
};

/* Computes sign and magnitude of a valid JSON number that is an integer in any notation (12, 1e3,
 * 2.50e1). -0 is not negative. */
enum cm_number_result cm_number_integer(const char *token, size_t length, bool *negative,
                                        uint64_t *magnitude);

/* Returns the double that is nearest to the number in a token, or an infinity if the number is
 * beyond the range of doubles. The byte after the token must not continue a number. */
double cm_number_double(const char *token);

#endif
