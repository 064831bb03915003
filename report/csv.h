/*
 * A writer of CSV, field by field, which adds commas and quotes (RFC 4180). It is for tables that
 * are too long to be held in memory (table.h). Internal to the library.
 */
#ifndef CM_REPORT_CSV_H
#define CM_REPORT_CSV_H

#include "../base/buffer.h"
#include "value.h"

struct cm_csv {
    struct cm_buffer *text;
    bool open; /* true if the present row already has fields */
};

/* Begins CSV text with the line `headings`, which is written unchanged. NULL: there are no
 * headings. */
void cm_csv_begin(struct cm_csv *csv, struct cm_buffer *text, const char *headings);
/* Writes a field. A boolean is written as 1 or 0. */
void cm_csv_value(struct cm_csv *csv, struct cm_value value);
#define cm_csv_u64(csv, value)         cm_csv_value(csv, cm_u64(value))
#define cm_csv_f64(csv, value, digits) cm_csv_value(csv, cm_rounded(value, digits))
#define cm_csv_string(csv, value)      cm_csv_value(csv, cm_text(value))
/* Writes several integers, a field for each: cm_csv_u64s(&csv, node, dimension, channel). */
void cm_csv_numbers(struct cm_csv *csv, const uint64_t *values, size_t count);
#define cm_csv_u64s(csv, ...)                                                                      \
    cm_csv_numbers(csv, (const uint64_t[]){__VA_ARGS__},                                           \
                   sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
/* Writes `count` empty fields. */
void cm_csv_empty(struct cm_csv *csv, uint32_t count);
void cm_csv_end_row(struct cm_csv *csv);

#endif
