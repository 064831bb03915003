/*
 * The results of a sweep as a table: a row of CSV and a line of JSON for each run, in the order of
 * the grid. A column is a value that at least one run has. All runs are read once to find the
 * columns, and again to write the rows, so that only one run's document is in memory at a time. The
 * table shows some of the columns. The figure may use every column.
 */
#include "../base/json.h"
#include "../base/list.h"
#include "../base/reader.h"
#include "../base/suggest.h"
#include "../report/csv.h"
#include "../report/json_writer.h"
#include "sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HINT_BYTES 250u /* approximate length of the columns' names in a hint, in bytes */

/* A column of the table. Some runs may have no value for it. */
struct column {
    char *name;
    bool shown; /* true if the table shows the column */
    /* true if the column describes an input that a row was made of, and is not shown */
    bool made_of;
    /* true if two runs have different values. Known only if `made_of` is true. */
    bool varies;
    char *shared;            /* the value of the first run, as text. NULL: no run has been read. */
    enum cm_value_type type; /* type of `shared` */
};

struct cm_sweep_table {
    const struct cm_sweep *sweep;
    struct cm_sweep_lines lines;
    struct column *columns; /* columns, in the order in which they first occur in the runs */
    uint32_t count, capacity;
    /* column that is expected next, because runs have their values in the same order */
    uint32_t next;
    struct cm_value *row; /* the row of the run that was read last, with a cell for each column */
    uint32_t refused, wrong;
    /* text of the column "partial", such as "37 of 200 runs". "": no such column. */
    char partial[64];
    /* reason why the table is incomplete. Status CM_OK: the table is complete. */
    struct cm_error failed;
};

/* Members of a result that have no columns, because they describe how the result was made or
 * written, or are lists of varying length. */
static const char *const left_out[] = {"format", "host", "files", "output", "lines"};

static bool is_good(const struct cm_sweep_table *table)
{
    return table->failed.status == CM_OK;
}

/* Returns CM_OK, or the reason why the table is incomplete. */
static enum cm_status fail(const struct cm_sweep_table *table, struct cm_error *err)
{
    if (!is_good(table) && err != NULL)
        *err = table->failed;
    return table->failed.status;
}

static uint32_t find_column(struct cm_sweep_table *table, const char *name)
{
    for (uint32_t n = 0; n < table->count; n++) {
        uint32_t i = (table->next + n) % table->count;
        if (strcmp(table->columns[i].name, name) == 0) {
            table->next = i + 1;
            return i;
        }
    }
    char *copy = strdup(name);
    if (copy == NULL || !cm_array_room(table->columns, table->count, table->capacity)) {
        free(copy);
        cm_error_no_memory(&table->failed);
        return UINT32_MAX;
    }
    bool shown = cm_sweep_is_shown(table->sweep, name);
    table->columns[table->count] = (struct column){
        .name = copy, .shown = shown, .made_of = !shown && cm_sweep_is_made_of(name)};
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

/* Puts each value inside a JSON value into the row, under its path. Elements of lists are named by
 * their positions, from 0. */
static void put_tree(struct cm_sweep_table *table, const char *path, struct cm_json json)
{
    char inner[256];
    bool list = cm_json_kind(json) == CM_JSON_ARRAY;
    if (!list && cm_json_kind(json) != CM_JSON_OBJECT) {
        put(table, path, value_of(json));
        return;
    }
    for (uint32_t i = 0; i < cm_json_count(json); i++) {
        const char *key;
        struct cm_json member = cm_json_at(json, i, &key);
        if (list)
            snprintf(inner, sizeof inner, "%s/%" PRIu32, path, i);
        else
            snprintf(inner, sizeof inner, "%s/%s", path, key);
        put_tree(table, inner, member);
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
        if (!is_left_out(key))
            put_tree(table, key, value);
    }
}

/* Parses the line of a run and puts its values into the row. Before the row is allocated, the call
 * only finds the columns. The row's strings belong to the returned document. */
static struct cm_json_document *read_run(struct cm_sweep_table *table, uint32_t run)
{
    struct cm_json_document *document = NULL;
    struct cm_json part, message;
    struct cm_error err = {0};
    if (cm_json_parse(table->sweep->settings.journal, table->lines.lines[run],
                      table->lines.lengths[run], &document, &err) != CM_OK) {
        table->failed = err;
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
    for (uint32_t run = 0; run < table->sweep->runs && is_good(table); run++)
        if (is_there(table, run))
            cm_json_destroy(read_run(table, run));
    if (table->partial[0] != '\0')
        put(table, "partial", cm_text(table->partial));
    table->row = calloc(table->count + 1, sizeof *table->row);
    if (table->row == NULL)
        cm_error_no_memory(&table->failed);
}

/* Finds a column by its name, with or without the unit at the end. Returns the number of columns if
 * there is no such column. */
static uint32_t column_of(const struct cm_sweep_table *table, const char *name)
{
    const size_t length = strlen(name);
    uint32_t found = table->count;
    for (uint32_t i = 0; i < table->count; i++) {
        const char *other = table->columns[i].name;
        if (strcmp(other, name) == 0)
            return i;
        if (strncmp(other, name, length) == 0 && other[length] == '_' &&
            cm_sweep_is_named(name, other))
            found = i;
    }
    return found;
}

/* Returns the value in a column of the row that was read last. */
static struct cm_value cell(const struct cm_sweep_table *table, const char *name)
{
    uint32_t column = column_of(table, name);
    return column < table->count && table->row != NULL ? table->row[column] : cm_text(NULL);
}

/* Returns false for columns that are numerous and say little about a sweep, so that a hint leaves
 * them out. */
static bool is_worth_naming(const char *name)
{
    uint32_t depth = 0;
    for (const char *c = name; *c != '\0'; c++)
        depth += *c == '/';
    return depth <= 3 && !cm_sweep_is_made_of(name) && strstr(name, "cycles_by_") == NULL;
}

/* Appends the names of columns with commas between them, as many as a hint can hold. */
static void list_columns(const struct cm_sweep_table *table, struct cm_buffer *text)
{
    uint32_t listed = 0, left = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        if (!is_worth_naming(table->columns[i].name))
            continue;
        if (text->length > HINT_BYTES)
            left++;
        else
            cm_buffer_printf(text, "%s%.60s", listed++ > 0 ? ", " : "", table->columns[i].name);
    }
    if (left > 0)
        cm_buffer_printf(text, " and %" PRIu32 " more", left);
}

/* Returns the column whose name is most similar to `name`, or NULL. */
static const char *nearest(struct cm_sweep_table *table, const char *name)
{
    const char **names = calloc((size_t)table->count + 1, sizeof *names);
    if (names == NULL)
        cm_error_no_memory(&table->failed);
    for (uint32_t i = 0; names != NULL && i < table->count; i++)
        names[i] = table->columns[i].name;
    const char *found = names != NULL ? cm_suggest(name, names, table->count) : NULL;
    free(names);
    return found;
}

static enum cm_status refuse_column(struct cm_sweep_table *table, const char *option,
                                    const char *name, struct cm_error *err)
{
    struct cm_buffer columns;
    const char *meant = nearest(table, name);
    cm_buffer_init(&columns);
    if (meant != NULL)
        cm_buffer_printf(&columns, "did you mean %.100s? ", meant);
    cm_buffer_printf(&columns, "the results have ");
    list_columns(table, &columns);
    cm_error_set(err, CM_USAGE, "--%s: no run has a value \"%.100s\"", option, name);
    if (cm_buffer_ok(&columns))
        cm_error_hint(err, "%s", columns.data);
    bool ok = cm_buffer_ok(&columns) && is_good(table);
    cm_buffer_finish(&columns);
    return ok ? CM_USAGE : cm_error_no_memory(err);
}

/* Refuses a name of --columns that selects no column. Without a complete run, names cannot be
 * checked. */
static enum cm_status check_names(struct cm_sweep_table *table, struct cm_error *err)
{
    const struct cm_sweep_settings *settings = &table->sweep->settings;
    bool any = false;
    for (uint32_t c = 0; c < table->count; c++)
        any = any || strcmp(table->columns[c].name, "cycles") == 0;
    for (uint32_t i = 0; any && i < settings->column_count; i++) {
        bool found = false;
        for (uint32_t c = 0; c < table->count && !found; c++)
            found = cm_sweep_is_named(settings->columns[i], table->columns[c].name);
        if (!found)
            return refuse_column(table, "columns", settings->columns[i], err);
    }
    return CM_OK;
}

/* Compares a run's value in a column that is not shown with the values of the runs before. */
static void note_shared(struct cm_sweep_table *table, struct column *column, struct cm_value value)
{
    char number[CM_NUMBER_BYTES];
    const char *text = number;
    if (value.type == CM_VALUE_TEXT)
        text = value.as.text;
    else
        cm_value_print(value, number);
    if (column->shared != NULL) {
        column->varies = column->varies || strcmp(column->shared, text) != 0;
        return;
    }
    column->type = value.type;
    column->shared = strdup(text);
    if (column->shared == NULL)
        cm_error_no_memory(&table->failed);
}

static void write_row(struct cm_sweep_table *table, bool refused, struct cm_csv *csv)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->columns[i].shown)
            cm_csv_value(csv, table->row[i]);
        if (table->columns[i].made_of && !refused)
            note_shared(table, &table->columns[i], table->row[i]);
    }
    cm_csv_end_row(csv);
}

enum cm_status cm_sweep_table_csv(struct cm_sweep_table *table, struct cm_buffer *text,
                                  struct cm_error *err)
{
    struct cm_csv csv;
    find_columns(table);
    enum cm_status status = is_good(table) ? check_names(table, err) : fail(table, err);
    if (status != CM_OK)
        return status;
    cm_csv_begin(&csv, text, NULL);
    for (uint32_t i = 0; i < table->count; i++)
        if (table->columns[i].shown)
            cm_csv_string(&csv, table->columns[i].name);
    cm_csv_end_row(&csv);
    for (uint32_t run = 0; run < table->sweep->runs && is_good(table); run++) {
        if (!is_there(table, run))
            continue;
        for (uint32_t i = 0; i < table->count; i++)
            table->row[i] = cm_text(NULL);
        struct cm_json_document *document = read_run(table, run);
        struct cm_json error;
        bool refused = document != NULL && cm_json_member(cm_json_root(document), "error", &error);
        if (table->partial[0] != '\0')
            put(table, "partial", cm_text(table->partial));
        write_row(table, refused, &csv);
        struct cm_value wrong = cell(table, "mismatches");
        table->wrong += wrong.type == CM_VALUE_U64 && wrong.as.u64 > 0;
        table->refused += refused;
        cm_json_destroy(document);
    }
    return fail(table, err);
}

void cm_sweep_table_made_of(const struct cm_sweep_table *table, struct cm_buffer *text)
{
    const struct cm_sweep_settings *settings = &table->sweep->settings;
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_list(&json, "over");
    for (uint32_t i = 0; i < settings->over_count; i++)
        cm_json_write_string(&json, NULL, settings->over[i]);
    cm_json_write_end(&json);
    cm_json_write_object(&json, "same");
    for (uint32_t i = 0; i < table->count; i++) {
        const struct column *column = &table->columns[i];
        if (!column->made_of || column->varies || column->shared == NULL)
            continue;
        struct cm_value shared = cm_text(column->type != CM_VALUE_NONE ? column->shared : NULL);
        if (column->type == CM_VALUE_BOOL)
            shared = cm_bool(strcmp(column->shared, "1") == 0);
        else if (column->type == CM_VALUE_U64)
            shared = cm_u64(strtoull(column->shared, NULL, 10));
        else if (column->type == CM_VALUE_F64)
            shared = cm_f64(strtod(column->shared, NULL));
        cm_json_write(&json, column->name, shared);
    }
    cm_json_write_end(&json);
    cm_json_write_list(&json, "differ");
    for (uint32_t i = 0; i < table->count; i++)
        if (table->columns[i].made_of && table->columns[i].varies)
            cm_json_write_string(&json, NULL, table->columns[i].name);
    cm_json_write_end(&json);
    cm_json_write_end(&json);
}

/* Copies the value in a column of the row that was read last, for the points of the figure. */
static bool look_up(const void *context, const char *name, char *text, size_t size)
{
    struct cm_value value = cell(context, name);
    char number[CM_NUMBER_BYTES];
    if (value.type == CM_VALUE_NONE)
        return false;
    if (value.type == CM_VALUE_TEXT) {
        snprintf(text, size, "%s", value.as.text);
        return text[0] != '\0';
    }
    if (value.type == CM_VALUE_BOOL) {
        snprintf(text, size, "%s", value.as.u64 != 0 ? "true" : "false");
        return true;
    }
    cm_value_print(value, number);
    snprintf(text, size, "%s", number);
    return true;
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
    const struct cm_figure_curve curve = {.x = settings->x, .y = settings->y};
    const char *const names[2][2] = {{"x", settings->x}, {"y", settings->y}};
    struct cm_figure_point *points = calloc(table->sweep->runs, sizeof *points);
    uint32_t count = 0;
    for (int i = 0; points != NULL && i < 2; i++)
        if (column_of(table, names[i][1]) == table->count) {
            free(points);
            return refuse_column(table, names[i][0], names[i][1], err);
        }
    if (points == NULL)
        return cm_error_no_memory(err);
    for (uint32_t run = 0; run < table->sweep->runs && is_good(table); run++) {
        for (uint32_t i = 0; i < table->count; i++)
            table->row[i] = cm_text(NULL);
        struct cm_json_document *document = read_run(table, run);
        struct cm_figure_point *point = &points[count];
        count += cm_figure_make_point(&curve, look_up, table, point);
        point->run = run;
        if (settings->group != NULL)
            point->group = axis_value(table->sweep, run, settings->group);
        cm_json_destroy(document);
    }
    enum cm_status status = fail(table, err);
    if (status == CM_OK)
        status = cm_sweep_figure(table->sweep, points, count, out, err);
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
    for (uint32_t i = 0; i < table->count; i++) {
        free(table->columns[i].name);
        free(table->columns[i].shared);
    }
    free(table->columns);
    free(table->row);
    cm_sweep_free_lines(&table->lines);
    free(table);
}
