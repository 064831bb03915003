/*
 * A value to be written, with its type and precision. Writers of JSON, CSV and tables take it, and
 * each has a macro for several values:
 *
 *     cm_json_write_members(&json, {"nodes", cm_u64(2048)}, {"machine",
 *     cm_text(config->name)});
 *
 * Internal to the library.
 */
#ifndef CM_REPORT_VALUE_H
#define CM_REPORT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cm_value_type {
    CM_VALUE_NONE, /* null in JSON, empty elsewhere */
    CM_VALUE_U64,
    CM_VALUE_I64,
    /* double. `digits`: shortest form (0), significant digits (> 0) or decimals (< 0) */
    CM_VALUE_F64,
    CM_VALUE_BOOL,
    CM_VALUE_TEXT, /* text in UTF-8 */
};

struct cm_value {
    enum cm_value_type type;
    int digits;
    union {
        uint64_t u64; /* value, also of CM_VALUE_BOOL */
        int64_t i64;
        double f64;
        const char *text;
    } as;
};

static inline struct cm_value cm_u64(uint64_t value)
{
    return (struct cm_value){CM_VALUE_U64, 0, {.u64 = value}};
}

static inline struct cm_value cm_i64(int64_t value)
{
    return (struct cm_value){CM_VALUE_I64, 0, {.i64 = value}};
}

static inline struct cm_value cm_bool(bool value)
{
    return (struct cm_value){CM_VALUE_BOOL, 0, {.u64 = value}};
}

/* Returns a text as a value. NULL: no text. */
static inline struct cm_value cm_text(const char *text)
{
    return (struct cm_value){text != NULL ? CM_VALUE_TEXT : CM_VALUE_NONE, 0, {.text = text}};
}

/* Returns a double in the shortest form that reads back as the same double. */
static inline struct cm_value cm_f64(double value)
{
    return (struct cm_value){CM_VALUE_F64, 0, {.f64 = value}};
}

/* Returns a double with a number of significant digits (1 to 17), as printf's %g. */
static inline struct cm_value cm_rounded(double value, int digits)
{
    return (struct cm_value){CM_VALUE_F64, digits, {.f64 = value}};
}

/* Returns a double with a number of decimals (1 to 12), as printf's %f. */
static inline struct cm_value cm_fixed(double value, int decimals)
{
    return (struct cm_value){CM_VALUE_F64, -decimals, {.f64 = value}};
}

/* Room for any number as text, with the terminator. */
#define CM_NUMBER_BYTES 32u

/* Writes the number's text, which is the same in every locale, and returns its length. Not for
 * CM_VALUE_TEXT. */
size_t cm_value_print(struct cm_value value, char out[CM_NUMBER_BYTES]);

#endif
