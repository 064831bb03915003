/*
 * A writer of JSON, member by member, which adds commas, quotes and indentation. The buffer
 * remembers a failure. Integers are exact. `key` names a member of an object, and is NULL for an
 * element of a list and for the root. Internal to the library.
 *
 *     cm_json_writer_begin(&json, &text);
 *     cm_json_write_object(&json, NULL);
 *     cm_json_write_u64(&json, "nodes", 2048);
 *     cm_json_write_end(&json);
 */
#ifndef CM_REPORT_JSON_WRITER_H
#define CM_REPORT_JSON_WRITER_H

#include "../base/buffer.h"
#include "value.h"

/* Largest number of objects and lists that are open at the same time. */
#define CM_JSON_WRITER_DEPTH 63u

struct cm_json_writer {
    struct cm_buffer *text;
    /* True for large files, in which indentation and the blanks after ':' and ',' are left out. It
     * is set before the first member is written. */
    bool tight;
    bool compact; /* true after cm_json_write_compact(json, true) */
    bool empty;   /* True if the innermost object or list is still empty */
    uint32_t depth;
    /* depth of the object or list that is written on one line. 0: no object or list */
    uint32_t line_depth;
    /* bit d is 1 if an object is open at nesting depth d, and 0 if it is a list */
    uint64_t objects;
};

void cm_json_writer_begin(struct cm_json_writer *json, struct cm_buffer *text);
/* Sets whether objects and lists that begin from now on are written on one line each. This is meant
 * for a few short values. */
void cm_json_write_compact(struct cm_json_writer *json, bool compact);

void cm_json_write_object(struct cm_json_writer *json, const char *key);
void cm_json_write_list(struct cm_json_writer *json, const char *key);
/* Closes the innermost object or list. After the outermost one, it writes a newline. */
void cm_json_write_end(struct cm_json_writer *json);

/* Writes a member of an object or an element of a list. Numbers that are not finite are written as
 * null. */
void cm_json_write(struct cm_json_writer *json, const char *key, struct cm_value value);
#define cm_json_write_u64(json, key, value) cm_json_write(json, key, cm_u64(value))
#define cm_json_write_i64(json, key, value) cm_json_write(json, key, cm_i64(value))
#define cm_json_write_f64(json, key, value) cm_json_write(json, key, cm_f64(value))
#define cm_json_write_rounded(json, key, value, digits)                                            \
    cm_json_write(json, key, cm_rounded(value, digits))
#define cm_json_write_bool(json, key, value)   cm_json_write(json, key, cm_bool(value))
#define cm_json_write_string(json, key, value) cm_json_write(json, key, cm_text(value))
#define cm_json_write_null(json, key)          cm_json_write(json, key, cm_text(NULL))

/* Writes several members: cm_json_write_members(&json, {"nodes", cm_u64(n)}, {"data", cm_bool(d)}).
 */
struct cm_json_member {
    const char *key;
    struct cm_value value;
};
void cm_json_write_each(struct cm_json_writer *json, const struct cm_json_member *members,
                        size_t count);
#define cm_json_write_members(json, ...)                                                           \
    cm_json_write_each(json, (const struct cm_json_member[]){__VA_ARGS__},                         \
                       sizeof((const struct cm_json_member[]){__VA_ARGS__}) /                      \
                           sizeof(struct cm_json_member))

/* Writes an object with its members on one line: cm_json_write_record(&json, key, {"node",
 * cm_u64(n)}). */
void cm_json_write_object_of(struct cm_json_writer *json, const char *key,
                             const struct cm_json_member *members, size_t count);
#define cm_json_write_record(json, key, ...)                                                       \
    cm_json_write_object_of(json, key, (const struct cm_json_member[]){__VA_ARGS__},               \
                            sizeof((const struct cm_json_member[]){__VA_ARGS__}) /                 \
                                sizeof(struct cm_json_member))

/* These functions write a list on one line: a list of numbers, or a list of the positions of the
 * bits that are 1 in a mask, the highest first. */
void cm_json_write_numbers(struct cm_json_writer *json, const char *key, const uint64_t *values,
                           uint32_t count);
void cm_json_write_bits(struct cm_json_writer *json, const char *key, uint64_t bits);

#endif
