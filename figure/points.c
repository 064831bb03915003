/* Makes the points of curves from rows of data: values, their intervals, and whether they were
 * measured in a steady state. The commands cm200 figure and route, and sweeps, call this file. */
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES    300u
#define COLUMNS_BYTES 260u /* approximate length of the columns' names in a message, in bytes */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), needed = strlen(end);
    return length >= needed && strcmp(text + length - needed, end) == 0;
}

/* Row of data that the values of one point come from, and the function that looks them up. */
struct source {
    cm_figure_lookup lookup;
    const void *row;
};

static bool number_of(const struct source *source, const char *name, double *value)
{
    char text[NAME_BYTES], *end;
    if (!source->lookup(source->row, name, text, sizeof text))
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*value);
}

/* Returns the length of the part of a name that selects a step: that of "steps/0/" in
 * "steps/0/latency/mean". Returns 0 for a name without such a part. */
static size_t step_length(const char *name)
{
    if (strncmp(name, "steps/", 6) != 0)
        return 0;
    size_t digits = strspn(name + 6, "0123456789");
    return digits > 0 && name[6 + digits] == '/' ? 6 + digits + 1 : 0;
}

/* Looks up the low and the high end of an interval. Both names begin with `begin`, and continue
 * with the two `ends`. */
static bool find_pair(const struct source *source, const char *begin, int length,
                      const char *const ends[2], struct cm_figure_point *point)
{
    char low[NAME_BYTES], high[NAME_BYTES];
    snprintf(low, sizeof low, "%.*s%s", length, begin, ends[0]);
    snprintf(high, sizeof high, "%.*s%s", length, begin, ends[1]);
    return number_of(source, low, &point->low) && number_of(source, high, &point->high);
}

static void find_interval(const struct source *source, const char *y, struct cm_figure_point *point)
{
    static const char *const suffixes[2] = {"_low", "_high"};
    static const char *const siblings[2] = {"/interval/0", "/interval/1"};
    static const char *const throughputs[2] = {"throughput_interval/0", "throughput_interval/1"};
    const char *slash = strrchr(y, '/'), *own = y + step_length(y);
    if (find_pair(source, y, (int)strlen(y), suffixes, point))
        return;
    if (ends_with(y, "/mean") && find_pair(source, y, (int)(slash - y), siblings, point))
        return;
    if (strncmp(own, "throughput", 10) == 0 &&
        find_pair(source, y, (int)(own - y), throughputs, point))
        return;
    point->low = point->high = NAN;
}

/* Looks up a value of the same step of the workload that the value `y` belongs to. */
static bool of_step(const struct source *source, const char *y, const char *key, char *text,
                    size_t size)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%.*s%s", (int)step_length(y), y, key);
    return source->lookup(source->row, name, text, size);
}

/* Determines whether the network was in a steady state. The mean of a network that was not steady
 * has no interval. */
static void find_verdict(const struct source *source, const char *y, struct cm_figure_point *point)
{
    char text[64];
    bool no = false;
    if (of_step(source, y, "steady", text, sizeof text)) {
        point->open = strcmp(text, "yes") != 0;
        no = strcmp(text, "no") == 0;
    } else if (of_step(source, y, "saturated", text, sizeof text)) {
        point->open = no = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    }
    if (no)
        point->low = point->high = NAN;
}

static double find_bound(const struct source *source, const struct cm_figure_curve *curve)
{
    static const char *const keys[] = {"throughput_bound", "bound"};
    bool rate = strcmp(curve->x, CM_FIGURE_LOAD_X) == 0 || ends_with(curve->x, "/rate") ||
                ends_with(curve->x, "/offered");
    double value;
    for (size_t i = 0; rate && i < sizeof keys / sizeof *keys; i++) {
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "%.*s%s", (int)step_length(curve->y), curve->y, keys[i]);
        if (number_of(source, name, &value) && value > 0)
            return value;
    }
    return NAN;
}

bool cm_figure_make_point(const struct cm_figure_curve *curve, cm_figure_lookup lookup,
                          const void *row, struct cm_figure_point *point)
{
    const struct source source = {lookup, row};
    if (!number_of(&source, curve->x, &point->x) || !number_of(&source, curve->y, &point->y))
        return false;
    find_interval(&source, curve->y, point);
    point->open = false;
    find_verdict(&source, curve->y, point);
    point->bound = find_bound(&source, curve);
    return true;
}

/* ---- rows ---- */

static bool look_up(const void *row, const char *name, char *text, size_t size)
{
    return cm_figure_text(row, name, text, size);
}

/* Returns true if the table has a column of this name, or if one of its rows has such a value. */
static bool has_value(const struct cm_figure_data *data, const struct cm_figure_table *table,
                      const char *name)
{
    char text[NAME_BYTES];
    for (uint32_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i], name) == 0)
            return true;
    for (uint32_t i = 0; i < data->count; i++)
        if (data->rows[i].table == table && cm_figure_text(&data->rows[i], name, text, sizeof text))
            return true;
    return false;
}

static enum cm_status refuse_column(const struct cm_figure_table *table, const char *name,
                                    struct cm_error *err)
{
    struct cm_buffer columns;
    cm_buffer_init(&columns);
    uint32_t shown = 0;
    for (; shown < table->column_count && columns.length < COLUMNS_BYTES; shown++)
        cm_buffer_printf(&columns, "%s%.60s", shown > 0 ? ", " : "", table->columns[shown]);
    if (table->column_count > shown)
        cm_buffer_printf(&columns, " and %u more", (unsigned)(table->column_count - shown));
    enum cm_status status =
        cm_buffer_ok(&columns)
            ? cm_error_set(err, CM_USAGE, "the table %.100s has no column \"%.100s\"", table->name,
                           name)
            : cm_error_no_memory(err);
    if (cm_buffer_ok(&columns))
        cm_error_hint(err, "its columns are %s", columns.data);
    cm_buffer_finish(&columns);
    return status;
}

/* Refuses tables that lack a column which the curve needs. */
static enum cm_status check_columns(const struct cm_figure_curve *curve,
                                    const struct cm_figure_data *data, struct cm_error *err)
{
    const char *const names[] = {curve->x, curve->y, curve->group};
    for (const struct cm_figure_table *t = data->tables; t != NULL; t = t->next)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (names[i] != NULL && !has_value(data, t, names[i]))
                return refuse_column(t, names[i], err);
    return CM_OK;
}

bool cm_figure_is_load(const struct cm_figure_data *data)
{
    for (uint32_t i = 0; i < data->count; i++)
        if (data->rows[i].table == NULL)
            return false;
    for (const struct cm_figure_table *t = data->tables; t != NULL; t = t->next)
        if (!has_value(data, t, CM_FIGURE_LOAD_X) || !has_value(data, t, CM_FIGURE_LOAD_Y))
            return false;
    return data->count > 0;
}

enum cm_status cm_figure_rows_curve(const struct cm_figure_curve *curve,
                                    const struct cm_figure_data *data,
                                    const struct cm_figure_page *page, struct cm_buffer *out,
                                    struct cm_error *err)
{
    struct cm_figure_curve used = *curve;
    if (used.group == NULL && data->tables != NULL && data->tables->next != NULL)
        used.group = "file";
    struct cm_figure_point *points = calloc((size_t)data->count + 1, sizeof *points);
    char(*groups)[128] = calloc((size_t)data->count + 1, sizeof *groups);
    uint32_t count = 0;
    for (uint32_t i = 0; points != NULL && groups != NULL && i < data->count; i++) {
        const struct cm_figure_row *row = &data->rows[i];
        struct cm_figure_point *point = &points[count];
        if (!cm_figure_make_point(&used, look_up, row, point))
            continue;
        point->run = i;
        if (used.group != NULL) {
            cm_figure_text(row, used.group, groups[i], sizeof groups[i]);
            point->group = groups[i];
        }
        count++;
    }
    enum cm_status status = points != NULL && groups != NULL ? check_columns(&used, data, err)
                                                             : cm_error_no_memory(err);
    if (status == CM_OK)
        status = cm_figure_curve(&used, points, count, page, out, err);
    free(points);
    free(groups);
    return status;
}
