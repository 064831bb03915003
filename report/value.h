/*
 * A value to be written, with its type and precision. The writers of JSON, CSV and tables take such
 * values, and each writer has a macro for several of them:
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
    CM_VALUE_NONE, /* no value: null in JSON, empty elsewhere */
    CM_VALUE_U64,
    CM_VALUE_I64,
    /* a double. `digits` is its precision: 0 means the shortest form, a number above 0 that many
     * significant digits, and a number below 0 that many decimals */
    CM_VALUE_F64,
    CM_VALUE_BOOL,
    CM_VALUE_TEXT, /* text in UTF-8 */
};

struct cm_value {
    enum cm_value_type type;
    int digits;
    union {
        uint64_t u64; /* the value of an integer or a boolean */
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

/* Returns a text as a value. NULL gives a value that means "no text". */
static inline struct cm_value cm_text(const char *text)
{
    return (struct cm_value){text != NULL ? CM_VALUE_TEXT : CM_VALUE_NONE, 0, {.text = text}};
}

/* Returns a double in the shortest form that reads back as the same double. */
static inline struct cm_value cm_f64(double value)
{
    return (struct cm_value){CM_VALUE_F64, 0, {.f64 = value}};
}

/* Returns a double with a number of significant digits (1 to 17), formatted like %g of printf. */
static inline struct cm_value cm_rounded(double value, int digits)
{
    return (struct cm_value){CM_VALUE_F64, digits, {.f64 = value}};
}

/* Returns a double with a number of decimals (1 to 12), formatted like %f of printf. */
static inline struct cm_value cm_fixed(double value, int decimals)
{
    return (struct cm_value){CM_VALUE_F64, -decimals, {.f64 = value}};
}

/* Number of bytes that hold any number as text, with its terminator. */
#define CM_NUMBER_BYTES 32u

/* Writes the text of a number, which is the same in every locale, and returns its length. The value
 * must not be a CM_VALUE_TEXT. */
size_t cm_value_print(struct cm_value value, char out[CM_NUMBER_BYTES]);

#endif
