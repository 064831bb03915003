/* Reads the data of figures: results, traces, and tables of sweeps. Each file becomes one or more
 * rows. */
#include "../base/file.h"
#include "../base/json.h"
#include "../base/list.h"
#include "../base/reader.h"
#include "../report/value.h"
#include "../trace/format.h"
#include "../trace/trace.h"
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_MAX_BYTES   ((size_t)1 << 30)
#define MADE_OF_MAX_BYTES ((size_t)1 << 20)

static struct cm_figure_row *add_row(struct cm_figure_data *data, const char *path, uint32_t run,
                                     bool named)
{
    char name[1100], number[16];
    if (!cm_array_room(data->rows, data->count, data->capacity))
        return NULL;
    const char *slash = strrchr(path, '/');
    snprintf(number, sizeof number, " %u", (unsigned)run);
    snprintf(name, sizeof name, "%.1000s%s", slash != NULL ? slash + 1 : path, named ? number : "");
    char *dot = named ? NULL : strrchr(name, '.');
    if (dot != NULL && dot != name)
        *dot = '\0';
    struct cm_figure_row *row = &data->rows[data->count];
    *row = (struct cm_figure_row){.name = strdup(name)};
    if (row->name == NULL)
        return NULL;
    data->count++;
    return row;
}

/* Returns the name of a file without its folder and the ending .csv. */
static char *table_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash != NULL ? slash + 1 : path);
    char *dot = name != NULL ? strstr(name, ".csv") : NULL;
    if (dot != NULL && dot != name)
        *dot = '\0';
    return name;
}

/* Ends a cell of CSV with a NUL in place, and removes its quotes. Returns the beginning of the next
 * cell. *ends becomes true at the end of a row. */
static char *cut_cell(char *at, char **cell, bool *ends)
{
    char *to = at;
    bool quoted = *at == '"';
    *cell = at;
    at += quoted;
    while (*at != '\0' && (quoted || (*at != ',' && *at != '\n' && *at != '\r'))) {
        if (quoted && *at == '"') {
            if (at[1] != '"') {
                quoted = false;
                at++;
                continue;
            }
            at++;
        }
        *to++ = *at++;
    }
    *ends = *at != ',';
    if (*at == '\r')
        at++;
    char *next = *at != '\0' ? at + 1 : at;
    *to = '\0';
    return next;
}

/* Cuts a row of CSV into at most `most` cells, and ignores further cells. Returns the beginning of
 * the next row. */
static char *cut_row(char *at, char **cells, uint32_t most, uint32_t *count)
{
    bool ends = false;
    for (*count = 0; !ends;) {
        char *cell;
        at = cut_cell(at, &cell, &ends);
        if (*count < most)
            cells[(*count)++] = cell;
    }
    return at;
}

static uint32_t count_columns(const char *text)
{
    uint32_t count = 1;
    for (const char *c = text; *c != '\0' && *c != '\n'; c++)
        count += *c == ',';
    return count;
}

static enum cm_status read_rows(struct cm_figure_data *data, const char *path,
                                struct cm_figure_table *table, struct cm_error *err)
{
    uint32_t most = count_columns(table->text), cells;
    table->columns = calloc(most, sizeof *table->columns);
    if (table->columns == NULL)
        return cm_error_no_memory(err);
    char *at = cut_row(table->text, table->columns, most, &table->column_count);
    for (uint32_t run = 0; *at != '\0'; run++) {
        struct cm_figure_row *row = add_row(data, path, run, true);
        if (row == NULL)
            return cm_error_no_memory(err);
        row->table = table;
        row->cells = calloc(table->column_count, sizeof *row->cells);
        if (row->cells == NULL)
            return cm_error_no_memory(err);
        at = cut_row(at, row->cells, table->column_count, &cells);
    }
    return CM_OK;
}

static struct cm_figure_table *add_table(struct cm_figure_data *data, const char *path)
{
    struct cm_figure_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->next = data->tables;
    data->tables = table;
    table->name = table_name(path);
    return table->name != NULL ? table : NULL;
}

/* Reads the rows of a CSV table below its heading. A table has at least one row. */
static enum cm_status take_rows(struct cm_figure_data *data, const char *path,
                                struct cm_figure_table *table, struct cm_error *err)
{
    const uint32_t before = data->count;
    enum cm_status status = read_rows(data, path, table, err);
    if (status != CM_OK || data->count > before)
        return status;
    cm_error_at(err, CM_BAD_INPUT, path, 1, 1, "this table has no rows below its heading");
    return cm_error_hint(err, "tables are those of cm200 sweep --csv and cm200 route --csv");
}

/* Reads FILE.made_by.json, which says what inputs a table was made of. Most tables have no such
 * file. */
static void read_made_of(const char *path, struct cm_figure_table *table)
{
    char name[4096];
    size_t length;
    int printed = snprintf(name, sizeof name, "%s.made_by.json", path);
    if (printed < 0 || (size_t)printed >= sizeof name ||
        cm_file_read(name, MADE_OF_MAX_BYTES, &table->made_of, &length, NULL) != CM_OK)
        return;
    while (length > 0 && table->made_of[length - 1] == '\n')
        table->made_of[--length] = '\0';
}

static enum cm_status read_table(struct cm_figure_data *data, const char *path,
                                 struct cm_error *err)
{
    struct cm_figure_table *table = add_table(data, path);
    size_t length;
    if (table == NULL)
        return cm_error_no_memory(err);
    enum cm_status status = cm_file_read(path, TABLE_MAX_BYTES, &table->text, &length, err);
    read_made_of(path, table);
    return status == CM_OK ? take_rows(data, path, table, err) : status;
}

enum cm_status cm_figure_read_text(struct cm_figure_data *data, const char *name, const char *text,
                                   struct cm_error *err)
{
    struct cm_figure_table *table = add_table(data, name);
    if (table == NULL || (table->text = strdup(text)) == NULL)
        return cm_error_no_memory(err);
    return take_rows(data, name, table, err);
}

static enum cm_status read_trace(struct cm_figure_data *data, const char *path,
                                 struct cm_error *err)
{
    struct cm_figure_row *row = add_row(data, path, 0, false);
    return row != NULL ? cm_trace_open(path, &row->trace, err) : cm_error_no_memory(err);
}

static enum cm_status read_result(struct cm_figure_data *data, const char *path,
                                  struct cm_error *err)
{
    struct cm_json member;
    struct cm_figure_row *row = add_row(data, path, 0, false);
    if (row == NULL)
        return cm_error_no_memory(err);
    enum cm_status status = cm_json_read(path, &row->result, err);
    if (status != CM_OK)
        return status;
    struct cm_reader reader = cm_reader_make(err);
    struct cm_json root = cm_json_root(row->result);
    cm_read_kind(&reader, root, CM_JSON_OBJECT, "a result");
    member = cm_read_member(&reader, root, "format");
    const char *format = cm_read_string(&reader, member, "\"format\"");
    if (format != NULL && strcmp(format, "cm200-result/1") != 0)
        cm_reader_fail(&reader, member, "\"format\" must be \"cm200-result/1\"");
    if (reader.status == CM_BAD_INPUT)
        cm_error_hint(err, "a figure is drawn of results (cm200 run --json), traces, and tables "
                           "of cm200 sweep and cm200 route (.csv)");
    return reader.status;
}

enum cm_status cm_figure_read(struct cm_figure_data *data, const char *path, struct cm_error *err)
{
    size_t length = strlen(path);
    bool trace;
    enum cm_status status = cm_trace_recognize(path, &trace, err);
    if (status != CM_OK)
        return status;
    if (trace)
        return read_trace(data, path, err);
    bool table = (length > 4 && strcmp(path + length - 4, ".csv") == 0) ||
                 (length > 12 && strcmp(path + length - 12, ".csv.partial") == 0);
    return table ? read_table(data, path, err) : read_result(data, path, err);
}

void cm_figure_data_finish(struct cm_figure_data *data)
{
    for (uint32_t i = 0; i < data->count; i++) {
        free(data->rows[i].name);
        free(data->rows[i].cells);
        cm_json_destroy(data->rows[i].result);
        cm_trace_close(data->rows[i].trace);
    }
    free(data->rows);
    while (data->tables != NULL) {
        struct cm_figure_table *table = data->tables;
        data->tables = table->next;
        free(table->columns);
        free(table->text);
        free(table->made_of);
        free(table->name);
        free(table);
    }
}

/* Finds a value of a JSON result by a path of keys and list positions, with '/' between them.
 * Positions count from 0. */
static bool find_json(struct cm_json json, const char *path, struct cm_json *found)
{
    char key[256];
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        if (length >= sizeof key)
            return false;
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        path += length + (path[length] == '/');
        if (cm_json_kind(json) == CM_JSON_ARRAY) {
            char *end;
            unsigned long i = strtoul(key, &end, 10);
            if (*end != '\0' || i >= cm_json_count(json))
                return false;
            json = cm_json_at(json, (uint32_t)i, NULL);
        } else if (!cm_json_member(json, key, &json)) {
            return false;
        }
    }
    *found = json;
    return true;
}

static bool json_text(struct cm_json json, char *text, size_t size)
{
    struct cm_reader reader = cm_reader_make(NULL);
    if (cm_json_kind(json) == CM_JSON_STRING) {
        const char *string = cm_read_string(&reader, json, "");
        snprintf(text, size, "%s", string != NULL ? string : "");
        return string != NULL;
    }
    if (cm_json_kind(json) == CM_JSON_BOOL) {
        snprintf(text, size, "%s", cm_read_bool(&reader, json, "") ? "true" : "false");
        return true;
    }
    if (cm_json_kind(json) != CM_JSON_NUMBER)
        return false;
    char number[CM_NUMBER_BYTES];
    uint64_t whole = cm_read_u64(&reader, json, "", 0, UINT64_MAX);
    struct cm_reader other = cm_reader_make(NULL);
    bool is_whole = cm_reader_ok(&reader);
    cm_value_print(is_whole ? cm_u64(whole) : cm_f64(cm_read_f64(&other, json, "")), number);
    snprintf(text, size, "%s", number);
    return true;
}

static bool find_text(const struct cm_figure_row *row, const char *name, char *text, size_t size)
{
    struct cm_json json;
    if (row->result != NULL)
        return find_json(cm_json_root(row->result), name, &json) && json_text(json, text, size);
    for (uint32_t i = 0; row->table != NULL && i < row->table->column_count; i++)
        if (strcmp(row->table->columns[i], name) == 0) {
            const char *cell = row->cells[i];
            snprintf(text, size, "%s", cell != NULL ? cell : "");
            return text[0] != '\0';
        }
    if (row->trace == NULL || strcmp(name, "cycles") != 0)
        return false;
    snprintf(text, size, "%.17g", (double)cm_trace_information(row->trace)->cycles);
    return true;
}

bool cm_figure_text(const struct cm_figure_row *row, const char *name, char *text, size_t size)
{
    char longer[300];
    if (strcmp(name, "name") == 0) {
        snprintf(text, size, "%s", row->name);
        return true;
    }
    if (strcmp(name, "file") == 0) {
        snprintf(text, size, "%s", row->table != NULL ? row->table->name : row->name);
        return true;
    }
    if (find_text(row, name, text, size))
        return true;
    bool parameter = strncmp(name, "param.", 6) == 0, option = strncmp(name, "option.", 7) == 0;
    snprintf(longer, sizeof longer, "%s%s",
             parameter ? "parameters/"
             : option  ? ""
                       : "machine_values/",
             name + (parameter ? 6
                     : option  ? 7
                               : 0));
    return find_text(row, longer, text, size);
}

bool cm_figure_number(const struct cm_figure_row *row, const char *name, double *value)
{
    char text[300], *end;
    if (!cm_figure_text(row, name, text, sizeof text))
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*value);
}
