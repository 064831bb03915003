/* Tables of cells. When a table is printed, the widths of its columns are computed here. */
#include "table.h"

#include "../base/text.h"
#include "csv.h"
#include "numbers.h"
#include "style.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Largest count that is printed with all digits. Larger counts are rounded to six digits. */
#define COUNT_EXACT_MAX UINT64_C(9999999999)
#define FIELD_BYTES     (CM_NUMBER_BYTES + 8u) /* a number and its unit */

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

/* Adds a cell. The table stores a text as an offset in `strings`, because that buffer moves when it
 * grows. */
void cm_table_add(struct cm_table *table, struct cm_value value)
{
    const char *text = value.as.text;
    if (value.type == CM_VALUE_TEXT) {
        value.as.u64 = table->strings.length;
        cm_buffer_append(&table->strings, text, strlen(text) + 1);
    }
    cm_buffer_append(&table->cells, &value, sizeof value);
    table->cell_count++;
}

void cm_table_values(struct cm_table *table, const struct cm_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cm_table_add(table, values[i]);
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

static struct cm_value cell_at(const struct cm_table *table, uint64_t row, uint32_t column)
{
    const void *cells = table->cells.data;
    struct cm_value value = ((const struct cm_value *)cells)[row * table->column_count + column];
    if (value.type == CM_VALUE_TEXT)
        value.as.text = table->strings.data + value.as.u64;
    return value;
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

/* Formats a number of a table for people. `out` has room for the number and its unit. */
static const char *show_number(const struct cm_column *column, struct cm_value cell,
                               char out[FIELD_BYTES])
{
    bool part = column->kind == CM_COLUMN_PERCENT || column->kind == CM_COLUMN_CHANGE;
    bool whole = cell.type == CM_VALUE_U64;
    double value = (whole ? (double)cell.as.u64 : cell.as.f64) * (part ? 100 : 1);
    size_t length = 0;
    if (column->kind == CM_COLUMN_COUNT && whole && cell.as.u64 <= COUNT_EXACT_MAX)
        length = (size_t)snprintf(out, FIELD_BYTES, "%s", cm_format_count(cell.as.u64).text);
    else if (column->kind == CM_COLUMN_COUNT)
        length = (size_t)snprintf(out, FIELD_BYTES, "%.5e", value);
    else if (column->kind == CM_COLUMN_CHANGE)
        length = (size_t)snprintf(out, FIELD_BYTES, "%+.*f", column->digits, value);
    else if (part || column->kind == CM_COLUMN_FIXED)
        length = cm_value_print(cm_fixed(value, column->digits), out);
    else
        length = cm_value_print(whole ? cell : cm_rounded(value, column->digits), out);
    snprintf(out + length, FIELD_BYTES - length, "%s",
             column->unit != NULL ? column->unit
             : part               ? " %"
                                  : "");
    return out;
}

/* Returns the text of a cell of a table for people. Numbers are formatted into `out`. */
static const char *show(const struct cm_table *table, uint64_t row, uint32_t c,
                        char out[FIELD_BYTES])
{
    struct cm_value cell = cell_at(table, row, c);
    if (cell.type == CM_VALUE_U64 || cell.type == CM_VALUE_F64)
        return show_number(&table->columns[c], cell, out);
    if (cell.type == CM_VALUE_TEXT)
        return cell.as.text;
    return cell.type == CM_VALUE_BOOL && cell.as.u64 ? heading_of(&table->columns[c]) : "";
}

/* Returns the width of a string in columns of a terminal. */
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
                cm_csv_value(&csv, cell_at(table, row, c));
        cm_csv_end_row(&csv);
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
                cm_json_write(json, table->columns[c].name, cell_at(table, row, c));
        cm_json_write_end(json);
    }
    cm_json_write_end(json);
    json->compact = compact;
}
