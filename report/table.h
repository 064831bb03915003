/*
 * A table in memory, filled cell by cell, row by row, and written as text for people, as CSV or as
 * JSON. The table remembers a failed allocation, and passes it on to the buffer. Internal to the
 * library.
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

/* Form of the numbers of a column in text for people. Texts are aligned to the left, numbers to the
 * right. */
enum cm_column_kind {
    CM_COLUMN_TEXT,
    /* whole number with all digits, or fraction with `digits` significant digits */
    CM_COLUMN_NUMBER,
    /* count such as "1,234,567", rounded from 10^10 on, so that lines do not get too long */
    CM_COLUMN_COUNT,
    CM_COLUMN_FIXED, /* number with `digits` decimals */
    /* share (a number from 0 to 1) as a percentage with `digits` decimals, such as "12.5 %" */
    CM_COLUMN_PERCENT,
    CM_COLUMN_CHANGE, /* relative change as a percentage with its sign, such as "+12.5 %" */
};

struct cm_column {
    /* name of the column in JSON and CSV. NULL: the column is only in text for people */
    const char *name;
    const char *heading; /* heading in text for people. NULL: the same as `name` */
    enum cm_column_kind kind;
    uint8_t digits;
    uint8_t width; /* smallest width of the column, in columns of the terminal */
    /* text after each number, at most 7 bytes. NULL: " %" for percentages, and no text for other
     * numbers */
    const char *unit;
    /* text before each cell of the column. NULL: one blank, two before numbers, nothing before the
     * first column */
    const char *before;
    const char *code; /* terminal escape that colours cells. NULL: no colour */
};

struct cm_table {
    const struct cm_column *columns;
    uint32_t column_count;
    uint32_t indent; /* number of blanks before each line of text. cm_table_init sets 2 */
    uint32_t hidden; /* bit c is 1 if column c is left out of text for people */
    /* ASCII text that is written over the blanks before the first heading. NULL: no text */
    const char *title;
    const char *heading; /* terminal escape of coloured headings. "": no colour */
    uint64_t cell_count;
    struct cm_buffer cells, strings; /* private to table.c */
};

/* Initialises an empty table. `columns` must outlive it, and `count` is at most
 * CM_TABLE_COLUMNS_MAX. */
void cm_table_init(struct cm_table *table, const struct cm_column *columns, uint32_t count);
void cm_table_finish(struct cm_table *table);

/* Adds the next cell of the table, and copies a text. In text for people, a boolean that is true is
 * shown as the column's heading. */
void cm_table_add(struct cm_table *table, struct cm_value value);
#define cm_table_u64(table, value)    cm_table_add(table, cm_u64(value))
#define cm_table_f64(table, value)    cm_table_add(table, cm_f64(value))
#define cm_table_bool(table, value)   cm_table_add(table, cm_bool(value))
#define cm_table_string(table, value) cm_table_add(table, cm_text(value))
#define cm_table_empty(table)         cm_table_add(table, cm_text(NULL))
/* Adds the next cells of the table: cm_table_row(&table, cm_text(step->op), cm_u64(step->cycles)).
 */
void cm_table_values(struct cm_table *table, const struct cm_value *values, size_t count);
#define cm_table_row(table, ...)                                                                   \
    cm_table_values(table, (const struct cm_value[]){__VA_ARGS__},                                 \
                    sizeof((const struct cm_value[]){__VA_ARGS__}) / sizeof(struct cm_value))
/* Fills the rest of the present row with empty cells. */
void cm_table_end_row(struct cm_table *table);

/* Writes the table as text: a row of headings, and then the rows. A column is as wide as its widest
 * cell. No line ends with blanks. */
void cm_table_text(const struct cm_table *table, unsigned style, struct cm_buffer *text);
/* Writes the columns that have a name as CSV, below a line of the names. */
void cm_table_csv(const struct cm_table *table, struct cm_buffer *text);
/* Writes the table as a list of objects, one object and one line for each row. The members are the
 * columns that have a name. */
void cm_table_json(const struct cm_table *table, struct cm_json_writer *json, const char *key);

#endif
