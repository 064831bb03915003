/*
 * A table in memory, filled cell by cell, row by row, and written as text for people, as CSV or as
 * JSON. A failed allocation sticks, and ends in the buffer written to. Internal to the library.
 *
 *     static const struct cm_column columns[] = {{"step"}, {"cycles", .kind = CM_COLUMN_COUNT}};
 *     cm_table_init(&table, columns, 2);
 *     cm_table_string(&table, step->op);
 *     cm_table_u64(&table, step->cycles);
 *     cm_table_text(&table, style, text);
 *     cm_table_finish(&table);
 */
#ifndef CM_REPORT_TABLE_H
#define CM_REPORT_TABLE_H

#include "json_writer.h"

#define CM_TABLE_COLUMNS_MAX 32u

/* How people see the numbers of a column. Text is set to the left, numbers to the right. */
enum cm_column_kind {
    CM_COLUMN_TEXT,
    CM_COLUMN_NUMBER,  /* digits as they are; fractions with `digits` significant digits */
    CM_COLUMN_COUNT,   /* "1,234,567"; above 10^10 rounded, so that lines fit */
    CM_COLUMN_FIXED,   /* `digits` decimals */
    CM_COLUMN_PERCENT, /* of 1, `digits` decimals: "12.5 %" */
    CM_COLUMN_CHANGE,  /* the same with its sign: "+12.5 %" */
};

struct cm_column {
    const char *name;    /* the key of JSON and CSV; NULL: for people alone */
    const char *heading; /* for people; NULL: as the name */
    enum cm_column_kind kind;
    uint8_t digits;
    uint8_t width;      /* at least */
    const char *unit;   /* behind each number, at most 7 bytes; NULL: " %" for percentages */
    const char *before; /* between the column and its left neighbour; NULL: a blank, two before
                           numbers */
    const char *code;   /* terminal escape that its cells get in colour; NULL: none */
};

struct cm_table {
    const struct cm_column *columns;
    uint32_t column_count;
    uint32_t indent;   /* of the text; 2 after cm_table_init */
    uint32_t hidden;   /* bit c: people don't see column c */
    const char *title; /* ASCII; takes the blanks that the line of headings begins with; or NULL */
    const char *heading; /* terminal escape that headings get in colour; "": none */
    uint64_t cell_count;
    struct cm_buffer cells, strings; /* table.c's own */
};

/* An empty table; `columns` must outlive it, with a `count` of at most CM_TABLE_COLUMNS_MAX. */
void cm_table_init(struct cm_table *table, const struct cm_column *columns, uint32_t count);
void cm_table_finish(struct cm_table *table);

/* The next cell, which keeps a copy of a text. Of a boolean people see the column's heading where
 * it is true. */
void cm_table_add(struct cm_table *table, struct cm_value value);
#define cm_table_u64(table, value)    cm_table_add(table, cm_u64(value))
#define cm_table_f64(table, value)    cm_table_add(table, cm_f64(value))
#define cm_table_bool(table, value)   cm_table_add(table, cm_bool(value))
#define cm_table_string(table, value) cm_table_add(table, cm_text(value))
#define cm_table_empty(table)         cm_table_add(table, cm_text(NULL))
/* The next cells: cm_table_row(&table, cm_text(step->op), cm_u64(step->cycles)). */
void cm_table_values(struct cm_table *table, const struct cm_value *values, size_t count);
#define cm_table_row(table, ...)                                                                   \
    cm_table_values(table, (const struct cm_value[]){__VA_ARGS__},                                 \
                    sizeof((const struct cm_value[]){__VA_ARGS__}) / sizeof(struct cm_value))
/* Leaves the rest of a row that was begun empty. */
void cm_table_end_row(struct cm_table *table);

/* Rows of columns as wide as their widest cell, after a row of headings, if there are any. No line
 * ends in blanks. */
void cm_table_text(const struct cm_table *table, unsigned style, struct cm_buffer *text);
/* Named columns under a line of their names. */
void cm_table_csv(const struct cm_table *table, struct cm_buffer *text);
/* A list with an object a row, each on a line, of the named columns. */
void cm_table_json(const struct cm_table *table, struct cm_json_writer *json, const char *key);

#endif
