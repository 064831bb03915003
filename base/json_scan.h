/*
 * The scanner that runs before cJSON: it accepts RFC 8259 and nothing else, and records where every
 * value stands. One pass, no recursion, time and memory linear in the text. Internal to the
 * library.
 */
#ifndef CM_BASE_JSON_SCAN_H
#define CM_BASE_JSON_SCAN_H

#include "json.h"

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

#endif
