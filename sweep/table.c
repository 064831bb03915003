/*
 * The results of a sweep as a table: a row of CSV and a line of JSON for each run, in the order of
 * the grid. The columns are the numbers that any run has. They are found by reading all runs once,
 * and the rows are written by reading all runs again, so that only one run's document is in memory.
 */
#include "../base/json.h"
#include "../base/reader.h"
#include "../report/csv.h"
#include "sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cm_sweep_table {
    const struct cm_sweep *sweep;
    struct cm_sweep_lines lines;
    char **columns; /* names, in the order in which runs have them first. A run may lack some. */
    uint32_t count, capacity;
    uint32_t next;        /* column that most likely comes next, because runs have the same order */
    struct cm_value *row; /* of the run that was read last, a cell for each column */
    uint32_t refused, wrong;
    char partial[64]; /* text of the column "partial", as "37 of 200 runs". "": no such column. */
    bool failed;      /* true if memory is too short, or the journal cannot be parsed */
};

/* Members of a result that get no columns: they say how the result was made or written, or are
 * lists of varying length. */
static const char *const left_out[] = {"format", "host", "files", "output", "lines"};

static uint32_t find_column(struct cm_sweep_table *table, const char *name)
{
    for (uint32_t n = 0; n < table->count; n++) {
        uint32_t i = (table->next + n) % table->count;
        if (strcmp(table->columns[i], name) == 0) {
            table->next = i + 1;
            return i;
        }
    }
    if (table->count == table->capacity) {
        uint32_t capacity = table->capacity == 0 ? 128 : 2 * table->capacity;
        char **columns = realloc(table->columns, capacity * sizeof *columns);
        if (columns == NULL) {
            table->failed = true;
            return UINT32_MAX;
        }
        table->columns = columns;
        table->capacity = capacity;
    }
    char *copy = strdup(name);
    if (copy == NULL) {
        table->failed = true;
        return UINT32_MAX;
    }
    table->columns[table->count] = copy;
    table->next = table->count + 1;
    return table->count++;
}

static struct cm_value value_of(struct cm_json json)
{
    struct cm_reader reader = cm_reader_make(NULL);
    if (cm_json_kind(json) == CM_JSON_STRING)
        return cm_text(cm_read_string(&reader, json, ""));
    if (cm_json_kind(json) == CM_JSON_BOOL)
        return cm_bool(cm_read_bool(&reader, json, ""));
    if (cm_json_kind(json) != CM_JSON_NUMBER)
        return cm_text(NULL);
    uint64_t whole = cm_read_u64(&reader, json, "", 0, UINT64_MAX);
    if (cm_reader_ok(&reader))
        return cm_u64(whole);
    reader = cm_reader_make(NULL);
    return cm_f64(cm_read_f64(&reader, json, ""));
}

static void put(struct cm_sweep_table *table, const char *name, struct cm_value value)
{
    uint32_t column = find_column(table, name);
    if (column < table->count && table->row != NULL)
        table->row[column] = value;
}

/* Puts every value below a member into the row, under its path. Lists are left out. */
static void put_tree(struct cm_sweep_table *table, const char *path, struct cm_json json)
{
    char inner[256];
    if (cm_json_kind(json) != CM_JSON_OBJECT) {
        if (cm_json_kind(json) != CM_JSON_ARRAY)
            put(table, path, value_of(json));
        return;
    }
    for (uint32_t i = 0; i < cm_json_count(json); i++) {
        const char *key;
        struct cm_json member = cm_json_at(json, i, &key);
        snprintf(inner, sizeof inner, "%s/%s", path, key);
        put_tree(table, inner, member);
    }
}

/* Puts the kind, the path and the cycles of each step into the row. */
static void put_steps(struct cm_sweep_table *table, struct cm_json steps)
{
    static const char *const keys[] = {"op", "path", "cycles"};
    char name[64];
    for (uint32_t i = 0; i < cm_json_count(steps); i++)
        for (uint32_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            struct cm_json value;
            snprintf(name, sizeof name, "steps/%" PRIu32 "/%s", i, keys[k]);
            if (cm_json_member(cm_json_at(steps, i, NULL), keys[k], &value))
                put(table, name, value_of(value));
        }
}

static bool is_left_out(const char *key)
{
    for (uint32_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(key, left_out[i]) == 0)
            return true;
    return false;
}

static void put_result(struct cm_sweep_table *table, struct cm_json result)
{
    for (uint32_t i = 0; i < cm_json_count(result); i++) {
        const char *key;
        struct cm_json value = cm_json_at(result, i, &key);
        if (strcmp(key, "steps") == 0)
            put_steps(table, value);
        else if (!is_left_out(key))
            put_tree(table, key, value);
    }
}

/* Parses the line of a run and puts its values into the row. Before the row exists, the call only
 * finds the columns. The row's strings belong to the returned document. */
static struct cm_json_document *read_run(struct cm_sweep_table *table, uint32_t run)
{
    struct cm_json_document *document = NULL;
    struct cm_json part, message;
    if (cm_json_parse("journal", table->lines.lines[run], table->lines.lengths[run], &document,
                      NULL) != CM_OK) {
        table->failed = true;
        return NULL;
    }
    put(table, "run", cm_u64(run));
    for (uint32_t a = 0; a < table->sweep->settings.axis_count; a++)
        put(table, table->sweep->settings.axes[a].name,
            cm_text(cm_sweep_value(table->sweep, run, a)));
    if (cm_json_member(cm_json_root(document), "result", &part))
        put_result(table, part);
    if (cm_json_member(cm_json_root(document), "error", &part) &&
        cm_json_member(part, "message", &message))
        put(table, "error", value_of(message));
    return document;
}

static bool is_there(const struct cm_sweep_table *table, uint32_t run)
{
    return table->lines.lines[run] != NULL;
}

static void find_columns(struct cm_sweep_table *table)
{
    for (uint32_t run = 0; run < table->sweep->runs && !table->failed; run++)
        if (is_there(table, run))
            cm_json_destroy(read_run(table, run));
    if (table->partial[0] != '\0')
        put(table, "partial", cm_text(table->partial));
    table->row = calloc(table->count + 1, sizeof *table->row);
    table->failed = table->failed || table->row == NULL;
}

static struct cm_value cell(struct cm_sweep_table *table, const char *name)
{
    uint32_t column = find_column(table, name);
    return column < table->count && table->row != NULL ? table->row[column] : cm_text(NULL);
}

enum cm_status cm_sweep_table_csv(struct cm_sweep_table *table, struct cm_buffer *text,
                                  struct cm_error *err)
{
    struct cm_csv csv;
    find_columns(table);
    cm_csv_begin(&csv, text, NULL);
    for (uint32_t i = 0; i < table->count; i++)
        cm_csv_string(&csv, table->columns[i]);
    cm_csv_end_row(&csv);
    for (uint32_t run = 0; run < table->sweep->runs && !table->failed; run++) {
        if (!is_there(table, run))
            continue;
        for (uint32_t i = 0; i < table->count; i++)
            table->row[i] = cm_text(NULL);
        struct cm_json_document *document = read_run(table, run);
        if (table->partial[0] != '\0')
            put(table, "partial", cm_text(table->partial));
        for (uint32_t i = 0; i < table->count; i++)
            cm_csv_value(&csv, table->row[i]);
        cm_csv_end_row(&csv);
        struct cm_value wrong = cell(table, "mismatches");
        table->wrong += wrong.type == CM_VALUE_U64 && wrong.as.u64 > 0;
        struct cm_json error;
        table->refused +=
            document != NULL && cm_json_member(cm_json_root(document), "error", &error);
        cm_json_destroy(document);
    }
    return table->failed ? cm_error_no_memory(err) : CM_OK;
}

/* Returns the number in a cell, or the number that its text spells. Axes have texts. NaN: the cell
 * has no number. */
static double number_of(struct cm_value value)
{
    char *end;
    if (value.type == CM_VALUE_U64)
        return (double)value.as.u64;
    if (value.type == CM_VALUE_F64)
        return value.as.f64;
    if (value.type != CM_VALUE_TEXT || value.as.text == NULL || value.as.text[0] == '\0')
        return NAN;
    double number = strtod(value.as.text, &end);
    return *end == '\0' ? number : NAN;
}

static const char *axis_value(const struct cm_sweep *sweep, uint32_t run, const char *name)
{
    for (uint32_t a = 0; a < sweep->settings.axis_count; a++)
        if (strcmp(sweep->settings.axes[a].name, name) == 0)
            return cm_sweep_value(sweep, run, a);
    return NULL;
}

enum cm_status cm_sweep_table_figure(struct cm_sweep_table *table, struct cm_buffer *out,
                                     struct cm_error *err)
{
    const struct cm_sweep_settings *settings = &table->sweep->settings;
    struct cm_figure_point *points = calloc(table->sweep->runs, sizeof *points);
    uint32_t count = 0;
    if (points == NULL)
        return cm_error_no_memory(err);
    for (uint32_t run = 0; run < table->sweep->runs && !table->failed; run++) {
        for (uint32_t i = 0; i < table->count; i++)
            table->row[i] = cm_text(NULL);
        struct cm_json_document *document = read_run(table, run);
        double x = number_of(cell(table, settings->x)), y = number_of(cell(table, settings->y));
        if (isfinite(x) && isfinite(y))
            points[count++] = (struct cm_figure_point){
                x, y, run,
                settings->group != NULL ? axis_value(table->sweep, run, settings->group) : NULL};
        cm_json_destroy(document);
    }
    enum cm_status status = table->failed ? cm_error_no_memory(err)
                                          : cm_sweep_figure(table->sweep, points, count, out, err);
    free(points);
    return status;
}

void cm_sweep_table_json_lines(const struct cm_sweep_table *table, struct cm_buffer *text)
{
    for (uint32_t run = 0; run < table->sweep->runs; run++) {
        cm_buffer_append(text, table->lines.lines[run], table->lines.lengths[run]);
        cm_buffer_append(text, "\n", 1);
    }
}

struct cm_sweep_counts cm_sweep_table_counts(const struct cm_sweep_table *table)
{
    return (struct cm_sweep_counts){table->lines.count, table->refused, table->wrong};
}

enum cm_status cm_sweep_table_open(const struct cm_sweep *sweep, bool partial,
                                   struct cm_sweep_table **opened, struct cm_error *err)
{
    size_t whole;
    struct cm_sweep_table *table = calloc(1, sizeof *table);
    *opened = table;
    if (table == NULL)
        return cm_error_no_memory(err);
    table->sweep = sweep;
    enum cm_status status = cm_sweep_read_journal(sweep, &table->lines, &whole, err);
    if (status == CM_OK && !partial && table->lines.count < sweep->runs)
        status = cm_error_set(err, CM_IO, "%s lacks runs that were made", sweep->settings.journal);
    if (partial)
        snprintf(table->partial, sizeof table->partial, "%" PRIu32 " of %" PRIu32 " runs",
                 table->lines.count, sweep->runs);
    return status;
}

void cm_sweep_table_close(struct cm_sweep_table *table)
{
    if (table == NULL)
        return;
    for (uint32_t i = 0; i < table->count; i++)
        free(table->columns[i]);
    free(table->columns);
    free(table->row);
    cm_sweep_free_lines(&table->lines);
    free(table);
}
