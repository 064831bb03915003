/*
 * What a JSON document holds, for the files that read it. The scanner (json_scan.c) runs before
 * cJSON: it accepts RFC 8259 and nothing else, and records where every value stands, in one pass,
 * without recursion, in time and memory linear in the text. Internal to the library.
 */
#ifndef CM_BASE_JSON_DOCUMENT_H
#define CM_BASE_JSON_DOCUMENT_H

#include "json.h"

#include <cjson/cJSON.h>

#define CM_JSON_NONE UINT32_MAX /* no parent, no key */

/* A value in document order (before its members). Offsets are bytes of the text; CM_JSON_MAX_BYTES
 * fits 32 bits. */
struct cm_json_value {
    uint32_t start, end; /* the raw token, [start, end) */
    uint32_t key;        /* where the key's opening quote stands, CM_JSON_NONE when it has no key */
    uint32_t parent;
    uint32_t count; /* members or elements */
    uint8_t kind;   /* enum cm_json_kind */
    bool has_nul;   /* a string with \u0000 in it */
};

struct cm_json_scan {
    struct cm_json_value *values;
    uint32_t count, capacity;
    uint32_t *lines; /* offsets at which the lines begin */
    uint32_t line_count, line_capacity;
    uint32_t member_count; /* values that have a key */
    bool has_long_number;  /* a number token of more than CM_JSON_LONG_NUMBER bytes */
};

/* cJSON reads numbers through a buffer of 64 bytes (cJSON.c, parse_number) and stumbles over longer
 * ones. */
#define CM_JSON_LONG_NUMBER 62u

/* Scans the text; on failure *scan is empty. */
enum cm_status cm_json_scan(const char *name, const char *text, size_t length,
                            struct cm_json_scan *scan, struct cm_error *err);
void cm_json_scan_finish(struct cm_json_scan *scan);

/* Line and column, from 1, of an offset. */
void cm_json_scan_position(const struct cm_json_scan *scan, uint32_t offset, uint32_t *line,
                           uint32_t *column);

struct cm_json_document {
    char *name;
    char *text; /* NUL-terminated beyond `length` */
    size_t length;
    struct cm_json_scan scan;
    cJSON *tree;
    char **tokens; /* of value i, NULL as it is in the text; NULL when no value was changed */
    cJSON **nodes; /* of value i; the tree's preorder is the document's order */
    /* the values that have a parent, those of one parent side by side and in order */
    uint32_t *children;
    uint32_t *first; /* of value i: where its children begin in `children` */
    /* hash table of members by (parent, key): value index + 1, 0 for a free slot */
    uint32_t *slots;
    uint32_t slot_count; /* a power of two, at least twice the members */
};

static inline const struct cm_json_value *cm_json_value_of(struct cm_json value)
{
    return &value.document->scan.values[value.index];
}

/* Finds the member of `object` with exactly this key, and the slot where it is or would go. */
uint32_t cm_json_find_slot(const struct cm_json_document *document, uint32_t object,
                           const char *key);

/* " in /network" for messages; "" for the root. */
struct cm_quote cm_json_in_path(struct cm_json value);

/* Numbers from their JSON tokens: exact where they are integers, and the same in every locale. */

enum cm_number_result {
    CM_NUMBER_OK,
    CM_NUMBER_NOT_INTEGER,
    CM_NUMBER_TOO_LARGE, /* an integer whose magnitude does not fit 64 bits */
};

/* Sign and magnitude of a valid JSON number that is an integer in any notation (12, 1e3, 2.50e1; -0
 * is not negative). */
enum cm_number_result cm_number_integer(const char *token, size_t length, bool *negative,
                                        uint64_t *magnitude);

/* The nearest double, infinite beyond their range. The byte behind the token must not continue a
 * number. */
double cm_number_double(const char *token);

#endif
