/* The table of circular shifts: checks its methods, and counts the cycles of its rows. */
#include "table.h"

#include "../programs/network/network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_mesh(uint32_t method)
{
    return method == CM_SURVEY_MESH || method == CM_SURVEY_MESH_FORWARD;
}

/* Checks whether the methods can shift over these nodes. A method that the user named must be able
 * to. If the user asked for all methods, a method that cannot is left out. */
static enum cm_status check_methods(struct cm_shift_table *table, struct cm_error *err)
{
    struct cm_shift_table_settings *settings = &table->settings;
    bool routed = false;
    uint32_t served = 0;
    for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++) {
        struct cm_circular shift;
        if (!settings->wanted[m])
            continue;
        enum cm_status status =
            cm_survey_shift(table->survey, (enum cm_survey_method)m, settings->first, &shift, err);
        if (status == CM_OK) {
            served++;
            routed = routed || shift.method == CM_CIRCULAR_ECUBE;
            continue;
        }
        bool shaped = is_mesh(m) && settings->shaped;
        if (!settings->all || shaped || status == CM_NO_MEMORY)
            return status;
        snprintf(table->left_out[m], sizeof table->left_out[m], "%.199s", err->message);
        settings->wanted[m] = false;
    }
    if (served == 0)
        return cm_error_set(err, CM_USAGE, "no method serves these nodes: %s",
                            table->left_out[CM_SURVEY_LINEAR]);
    if (settings->shaped && !settings->wanted[CM_SURVEY_MESH] &&
        !settings->wanted[CM_SURVEY_MESH_FORWARD])
        return cm_error_set(err, CM_USAGE, "--shape is for a mesh, and the table has no mesh");
    return settings->hops && !routed
               ? cm_error_set(err, CM_USAGE,
                              "--th is for the method e-cube: in a step every message goes to a "
                              "neighbour")
               : CM_OK;
}

enum cm_status cm_shift_table_create(const struct cm_shift_table_settings *settings,
                                     struct cm_shift_table **created, struct cm_error *err)
{
    struct cm_shift_table *table = calloc(1, sizeof *table);
    *created = table;
    if (table == NULL)
        return cm_error_no_memory(err);
    table->settings = *settings;
    enum cm_status status =
        cm_survey_create(&table->settings.config, &table->settings.task, &table->survey, err);
    if (status != CM_OK)
        return status;
    table->settings.task = *cm_survey_task(table->survey);
    return check_methods(table, err);
}

void cm_shift_table_destroy(struct cm_shift_table *table)
{
    if (table == NULL)
        return;
    cm_survey_destroy(table->survey);
    free(table->rows);
    free(table->crossovers);
    free(table);
}

static uint64_t wanted_count(const struct cm_shift_table *table)
{
    uint64_t count = 0;
    for (uint32_t m = 0; m < CM_SURVEY_COUNT; m++)
        count += table->settings.wanted[m];
    return count;
}

uint64_t cm_shift_table_distances(const struct cm_shift_table *table)
{
    const struct cm_shift_table_settings *settings = &table->settings;
    return (settings->last - settings->first) / settings->step + 1;
}

bool cm_shift_table_is_partial(const struct cm_shift_table *table)
{
    return table->done < cm_shift_table_distances(table);
}

/* Counts the rows of one distance, and its crossover. If the table is stopped, some of these rows
 * are missing. */
static enum cm_status count_q(struct cm_shift_table *table, uint32_t by, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t m = 0; status == CM_OK && !table->stopped && m < CM_SURVEY_COUNT; m++)
        if (table->settings.wanted[m])
            status = cm_survey_row(table->survey, (enum cm_survey_method)m, by,
                                   &table->rows[table->row_count++], err);
    if (status == CM_OK && !table->stopped && table->crossovers != NULL)
        status = cm_survey_crossover(table->survey, by,
                                     &table->crossovers[table->crossover_count++], err);
    return status;
}

void cm_shift_table_stop(void *table)
{
    ((struct cm_shift_table *)table)->stopped = true;
}

enum cm_status cm_shift_table_count(struct cm_shift_table *table,
                                    void (*progress)(void *context, uint64_t done, uint64_t total),
                                    void *context, struct cm_error *err)
{
    const struct cm_shift_table_settings *settings = &table->settings;
    enum cm_status status = CM_OK;
    uint64_t total = cm_shift_table_distances(table), of_each = wanted_count(table);
    bool both = settings->wanted[CM_SURVEY_PHASES] && settings->wanted[CM_SURVEY_ECUBE];
    table->rows = calloc(total * of_each, sizeof *table->rows);
    table->crossovers = both ? calloc(total, sizeof *table->crossovers) : NULL;
    if (table->rows == NULL || (both && table->crossovers == NULL))
        return cm_error_no_memory(err);
    for (uint64_t q = settings->first; status == CM_OK && !table->stopped && q <= settings->last;
         q += settings->step) {
        status = count_q(table, (uint32_t)q, err);
        if (!table->stopped)
            progress(context, ++table->done, total);
    }
    /* without the rows of a distance at which the counting was stopped */
    table->row_count = table->done * of_each;
    table->crossover_count = both ? table->done : 0;
    return status;
}

/* Appends the steps of a single shift by one method. */
static enum cm_status append_path(const struct cm_shift_table *table, enum cm_survey_method method,
                                  uint32_t by, struct cm_buffer *text, struct cm_error *err)
{
    struct cm_circular shift;
    struct cm_circular_plan plan = {0};
    enum cm_status status = cm_survey_shift(table->survey, method, by, &shift, err);
    if (status == CM_OK)
        status = cm_circular_plan(&shift, &plan, err);
    if (status == CM_OK) {
        cm_buffer_printf(text, "%s%s, ", text->length > 0 ? "\n" : "",
                         cm_survey_method_name(method));
        cm_circular_table(&plan, text);
    }
    cm_circular_plan_finish(&plan);
    return status;
}

enum cm_status cm_shift_table_paths(const struct cm_shift_table *table, struct cm_buffer *text,
                                    struct cm_error *err)
{
    const struct cm_shift_table_settings *settings = &table->settings;
    enum cm_status status = CM_OK;
    if (settings->task.nodes > CM_NETWORK_TABLE_NODES_MAX)
        return cm_error_set(err, CM_USAGE, "--table is for at most %u nodes: give --nodes",
                            CM_NETWORK_TABLE_NODES_MAX);
    for (uint64_t q = settings->first; status == CM_OK && q <= settings->last; q += settings->step)
        for (uint32_t m = 0; status == CM_OK && m < CM_SURVEY_COUNT; m++)
            if (settings->wanted[m])
                status = append_path(table, (enum cm_survey_method)m, (uint32_t)q, text, err);
    return status;
}
