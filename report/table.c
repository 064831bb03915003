/* Tables: one implementation of column widths, for all that prints columns. */
#include "table.h"

#include "../base/text.h"
#include "csv.h"
#include "numbers.h"
#include "style.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Larger counts are rounded to six digits. */
#define COUNT_EXACT_MAX UINT64_C(9999999999)
#define CSV_DIGITS      10
#define FIELD_BYTES     (CM_NUMBER_BYTES + 8u) /* a number and its unit */

enum cell_type { CELL_EMPTY, CELL_U64, CELL_F64, CELL_BOOL, CELL_STRING };

struct cell {
    enum cell_type type;
    union {
        uint64_t u64; /* of strings: where they begin in `strings` */
        double f64;
    } value;
};

void cm_table_init(struct cm_table *table, const struct cm_column *columns, uint32_t count)
{
    assert(count > 0 && count <= CM_TABLE_COLUMNS_MAX);
    *table =
        (struct cm_table){.columns = columns, .column_count = count, .indent = 2, .heading = ""};
    cm_buffer_init(&table->cells);
    cm_buffer_init(&table->strings);
}

void cm_table_finish(struct cm_table *table)
{
    if (table == NULL)
        return;
    cm_buffer_finish(&table->cells);
    cm_buffer_finish(&table->strings);
}

static void add(struct cm_table *table, struct cell cell)
{
    cm_buffer_append(&table->cells, &cell, sizeof cell);
    table->cell_count++;
}

void cm_table_u64(struct cm_table *table, uint64_t value)
{
    add(table, (struct cell){CELL_U64, {.u64 = value}});
}

void cm_table_f64(struct cm_table *table, double value)
{
    add(table, (struct cell){CELL_F64, {.f64 = value}});
}

void cm_table_bool(struct cm_table *table, bool value)
{
    add(table, (struct cell){CELL_BOOL, {.u64 = value}});
}

void cm_table_string(struct cm_table *table, const char *value)
{
    add(table, (struct cell){CELL_STRING, {.u64 = table->strings.length}});
    cm_buffer_append(&table->strings, value, strlen(value) + 1);
}

void cm_table_printf(struct cm_table *table, const char *format, ...)
{
    struct cm_buffer row;
    va_list arguments;
    cm_buffer_init(&row);
    va_start(arguments, format);
    cm_buffer_vprintf(&row, format, arguments);
    va_end(arguments);
    if (!cm_buffer_ok(&row))
        table->strings.failed = true;
    for (char *rest = cm_buffer_ok(&row) ? row.data : NULL; rest != NULL;)
        cm_table_string(table, strsep(&rest, "\t"));
    cm_buffer_finish(&row);
}

void cm_table_empty(struct cm_table *table)
{
    add(table, (struct cell){.type = CELL_EMPTY});
}

void cm_table_end_row(struct cm_table *table)
{
    while (table->cell_count % table->column_count != 0)
        cm_table_empty(table);
}

static bool is_complete(const struct cm_table *table, struct cm_buffer *text)
{
    assert(table->cell_count % table->column_count == 0);
    if (!cm_buffer_ok(&table->cells) || !cm_buffer_ok(&table->strings))
        text->failed = true;
    return cm_buffer_ok(text);
}

static const struct cell *cell_at(const struct cm_table *table, uint64_t row, uint32_t column)
{
    const void *cells = table->cells.data;
    return (const struct cell *)cells + row * table->column_count + column;
}

static uint64_t count_rows(const struct cm_table *table)
{
    return table->cell_count / table->column_count;
}

static const char *heading_of(const struct cm_column *column)
{
    const char *heading = column->heading != NULL ? column->heading : column->name;
    return heading != NULL ? heading : "";
}

static bool is_number(const struct cell *cell)
{
    return cell->type == CELL_U64 || cell->type == CELL_F64;
}

/* A number as people see it, in the room for one and its unit. */
static const char *show_number(const struct cm_column *column, const struct cell *cell,
                               char out[FIELD_BYTES])
{
    bool part = column->kind == CM_COLUMN_PERCENT || column->kind == CM_COLUMN_CHANGE;
    bool whole = cell->type == CELL_U64;
    double value = (whole ? (double)cell->value.u64 : cell->value.f64) * (part ? 100 : 1);
    size_t length = 0;
    if (column->kind == CM_COLUMN_COUNT && whole && cell->value.u64 <= COUNT_EXACT_MAX)
        length = (size_t)snprintf(out, FIELD_BYTES, "%s", cm_format_count(cell->value.u64).text);
    else if (column->kind == CM_COLUMN_COUNT)
        length = (size_t)snprintf(out, FIELD_BYTES, "%.5e", value);
    else if (column->kind == CM_COLUMN_CHANGE)
        length = (size_t)snprintf(out, FIELD_BYTES, "%+.*f", column->digits, value);
    else if (part || column->kind == CM_COLUMN_FIXED)
        length = cm_number_fixed(out, value, column->digits);
    else if (whole)
        length = cm_number_u64(out, cell->value.u64);
    else
        length = cm_number_rounded(out, value, column->digits);
    snprintf(out + length, FIELD_BYTES - length, "%s",
             column->unit != NULL ? column->unit
             : part               ? " %"
                                  : "");
    return out;
}

/* What people see of a cell; `out` is used for numbers. */
static const char *show(const struct cm_table *table, uint64_t row, uint32_t c,
                        char out[FIELD_BYTES])
{
    const struct cell *cell = cell_at(table, row, c);
    if (is_number(cell))
        return show_number(&table->columns[c], cell, out);
    if (cell->type == CELL_STRING)
        return table->strings.data + cell->value.u64;
    return cell->type == CELL_BOOL && cell->value.u64 != 0 ? heading_of(&table->columns[c]) : "";
}

/* Columns of a terminal that a string takes. */
static uint32_t width_of(const char *string)
{
    size_t length = strlen(string), taken;
    uint32_t width = 0, c = 0;
    for (size_t at = 0; at<length; at += taken> 0 ? taken : 1) {
        taken = cm_utf8_decode(string + at, length - at, &c);
        width += taken > 0 ? cm_text_width(c) : 1;
    }
    return width;
}

static uint32_t widest(const struct cm_table *table, uint32_t c)
{
    char out[FIELD_BYTES];
    uint32_t heading = width_of(heading_of(&table->columns[c])), most = table->columns[c].width;
    most = heading > most ? heading : most;
    for (uint64_t row = 0; row < count_rows(table); row++) {
        uint32_t width = width_of(show(table, row, c, out));
        most = width > most ? width : most;
    }
    return most;
}

static void end_line(struct cm_buffer *text)
{
    while (text->length > 0 && text->data[text->length - 1] == ' ')
        text->length--;
    cm_buffer_append(text, "\n", 1);
}

static const char *gap_before(const struct cm_table *table, uint32_t c)
{
    const struct cm_column *column = &table->columns[c];
    bool first = (~table->hidden & ((UINT32_C(1) << c) - 1)) == 0;
    if (column->before != NULL)
        return column->before;
    return first ? "" : column->kind == CM_COLUMN_TEXT ? " " : "  ";
}

static void put_field(const struct cm_table *table, uint32_t c, uint32_t width, const char *string,
                      const char *code, struct cm_buffer *text)
{
    uint32_t length = width_of(string);
    int blanks = width > length ? (int)(width - length) : 0;
    bool left = table->columns[c].kind == CM_COLUMN_TEXT;
    if (table->hidden >> c & 1)
        return;
    cm_buffer_printf(text, "%s%s%*s%s%s%*s", gap_before(table, c), code, left ? 0 : blanks, "",
                     string, code[0] != '\0' ? CM_CODE_RESET : "", left ? blanks : 0, "");
}

static void put_headings(const struct cm_table *table, const uint32_t *widths,
                         struct cm_buffer *text)
{
    const char *title = table->title != NULL ? table->title : "";
    size_t first = text->length;
    cm_buffer_printf(text, "%*s", (int)table->indent, "");
    for (uint32_t c = 0; c < table->column_count; c++)
        put_field(table, c, widths[c], heading_of(&table->columns[c]), "", text);
    cm_buffer_printf(text, "%*s", (int)strlen(title), "");
    if (cm_buffer_ok(text))
        memcpy(text->data + first, title, strlen(title));
    end_line(text);
}

void cm_table_text(const struct cm_table *table, unsigned style, struct cm_buffer *text)
{
    uint32_t widths[CM_TABLE_COLUMNS_MAX];
    char out[FIELD_BYTES];
    bool headings = table->title != NULL;
    if (!is_complete(table, text))
        return;
    for (uint32_t c = 0; c < table->column_count; c++) {
        widths[c] = widest(table, c);
        headings = headings || heading_of(&table->columns[c])[0] != '\0';
    }
    if (headings) {
        cm_buffer_printf(text, "%s", cm_style_code(style, table->heading));
        put_headings(table, widths, text);
        cm_buffer_printf(text, "%s", cm_style_code(style, table->heading[0] ? CM_CODE_RESET : ""));
    }
    for (uint64_t row = 0; row < count_rows(table); row++) {
        cm_buffer_printf(text, "%*s", (int)table->indent, "");
        for (uint32_t c = 0; c < table->column_count; c++) {
            const char *code = table->columns[c].code;
            put_field(table, c, widths[c], show(table, row, c, out),
                      cm_style_code(style, code != NULL ? code : ""), text);
        }
        end_line(text);
    }
}

static void put_csv(struct cm_csv *csv, const struct cm_table *table, const struct cell *cell)
{
    switch (cell->type) {
    case CELL_U64:
    case CELL_BOOL:
        cm_csv_u64(csv, cell->value.u64);
        break;
    case CELL_F64:
        cm_csv_f64(csv, cell->value.f64, CSV_DIGITS);
        break;
    case CELL_STRING:
        cm_csv_string(csv, table->strings.data + cell->value.u64);
        break;
    case CELL_EMPTY:
    default:
        cm_csv_empty(csv, 1);
    }
}

void cm_table_csv(const struct cm_table *table, struct cm_buffer *text)
{
    struct cm_csv csv;
    if (!is_complete(table, text))
        return;
    cm_csv_begin(&csv, text, NULL);
    for (uint32_t c = 0; c < table->column_count; c++)
        if (table->columns[c].name != NULL)
            cm_csv_string(&csv, table->columns[c].name);
    cm_csv_end_row(&csv);
    for (uint64_t row = 0; row < count_rows(table); row++) {
        for (uint32_t c = 0; c < table->column_count; c++)
            if (table->columns[c].name != NULL)
                put_csv(&csv, table, cell_at(table, row, c));
        cm_csv_end_row(&csv);
    }
}

static void put_json(struct cm_json_writer *json, const char *name, const struct cm_table *table,
                     const struct cell *cell)
{
    switch (cell->type) {
    case CELL_U64:
        cm_json_write_u64(json, name, cell->value.u64);
        break;
    case CELL_F64:
        cm_json_write_f64(json, name, cell->value.f64);
        break;
    case CELL_BOOL:
        cm_json_write_bool(json, name, cell->value.u64 != 0);
        break;
    case CELL_STRING:
        cm_json_write_string(json, name, table->strings.data + cell->value.u64);
        break;
    case CELL_EMPTY:
    default:
        cm_json_write_null(json, name);
    }
}

void cm_table_json(const struct cm_table *table, struct cm_json_writer *json, const char *key)
{
    bool compact = json->compact;
    cm_json_write_list(json, key);
    json->compact = true;
    for (uint64_t row = 0; is_complete(table, json->text) && row < count_rows(table); row++) {
        cm_json_write_object(json, NULL);
        for (uint32_t c = 0; c < table->column_count; c++)
            if (table->columns[c].name != NULL)
                put_json(json, table->columns[c].name, table, cell_at(table, row, c));
        cm_json_write_end(json);
    }
    cm_json_write_end(json);
    json->compact = compact;
}
