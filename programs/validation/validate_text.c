/* Simulated against published, for people: a table each of CM and elapsed times, statistics,
 * bounds. */
#include "../../base/buffer.h"
#include "validate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST_SHOWN 8u

static const char *escape(const struct cm_validation_style *style, const char *sequence)
{
    return style->colour ? sequence : "";
}

static void append_pair(struct cm_buffer *text, double published, double simulated, int digits)
{
    cm_buffer_printf(text, " %9.*f %9.*f %+7.1f%%", digits, published, digits, simulated,
                     100 * (simulated / published - 1));
}

static void append_row(struct cm_buffer *text, const struct cm_validation *validation,
                       const struct cm_validated_row *row, bool elapsed)
{
    enum cm_quantity time = elapsed ? CM_QUANTITY_ELAPSED_TIME : CM_QUANTITY_CM_TIME;
    enum cm_quantity speedup = elapsed ? CM_QUANTITY_ELAPSED_SPEEDUP : CM_QUANTITY_CM_SPEEDUP;
    double published, simulated;
    cm_buffer_printf(text, "%7" PRIu64, row->published->length);
    for (int l = 0; l < CM_LIBRARY_COUNT; l++) {
        cm_validated_values(&validation->config, row, time, (enum cm_library)l, &published,
                            &simulated);
        append_pair(text, published, simulated, 3);
    }
    cm_validated_values(&validation->config, row, speedup, CM_LIBRARY_PSHIFT, &published,
                        &simulated);
    append_pair(text, published, simulated, 2);
    cm_buffer_printf(text, "%s\n", row->published->note[0] != '\0' ? " *" : "");
}

static void append_table(struct cm_buffer *text, const struct cm_validation *validation,
                         uint32_t table, bool elapsed, const struct cm_validation_style *style)
{
    const char *kind = elapsed ? "elapsed" : "CM";
    char title[32];
    cm_buffer_printf(text,
                     "\n%sTable %" PRIu32 "%s, %s time: rank %" PRIu32
                     ", REAL*8, shifts by 1 and -1 along every axis\n",
                     escape(style, "\033[1m"), table, escape(style, "\033[0m"), kind, table);
    cm_buffer_printf(text, "%7s", "");
    for (int l = 0; l < CM_LIBRARY_COUNT; l++) {
        snprintf(title, sizeof title, "%s (ms)", cm_library_name((enum cm_library)l));
        cm_buffer_printf(text, "  %-26s", title);
    }
    cm_buffer_printf(text, "  %s\n length", "speedup of PSHIFT");
    for (int i = 0; i < 3; i++)
        cm_buffer_printf(text, " %9s %9s %8s", "published", "simulated", "error");
    cm_buffer_printf(text, "\n");
    for (uint32_t i = 0; i < validation->row_count; i++) {
        if (validation->rows[i].published->rank == table)
            append_row(text, validation, &validation->rows[i], elapsed);
    }
}

static bool has_table(const struct cm_validation *validation, uint32_t table)
{
    return validation->table == 0 || validation->table == table;
}

static void append_tables(struct cm_buffer *text, const struct cm_validation *validation,
                          bool elapsed, const struct cm_validation_style *style)
{
    for (uint32_t table = 1; table <= CM_VALIDATE_TABLES; table++) {
        if (has_table(validation, table))
            append_table(text, validation, table, elapsed, style);
    }
}

static void append_notes(struct cm_buffer *text, const struct cm_validation *validation)
{
    bool first = true;
    for (uint32_t i = 0; i < validation->row_count; i++) {
        const struct cm_published_row *row = validation->rows[i].published;
        if (row->note[0] == '\0')
            continue;
        cm_buffer_printf(text, "%s  * rank %" PRIu32 ", length %" PRIu64 ": %s\n",
                         first ? "\n" : "", row->rank, row->length, row->note);
        first = false;
    }
}

static void append_cell(struct cm_buffer *text, const struct cm_cell_error *cell, bool speedup)
{
    cm_buffer_printf(text, "%s%srank %" PRIu32 ", length %" PRIu64,
                     speedup ? "" : cm_library_name(cell->library), speedup ? "" : ", ",
                     cell->row->published->rank, cell->row->published->length);
}

static void append_statistics(struct cm_buffer *text, const struct cm_validation *validation,
                              const char *what, struct cm_selection selection)
{
    struct cm_cell_error worst;
    struct cm_statistics found = cm_validation_statistics(validation, &selection, &worst);
    if (found.count == 0)
        return;
    cm_buffer_printf(text, "  %-34s %5" PRIu32 " %8.2f%% %8.2f%% %+8.1f%%  ", what, found.count,
                     100 * found.median, 100 * found.mean, 100 * found.worst);
    append_cell(text, &worst,
                selection.quantity == CM_QUANTITY_CM_SPEEDUP ||
                    selection.quantity == CM_QUANTITY_ELAPSED_SPEEDUP);
    cm_buffer_printf(text, "\n");
}

static void append_summary(struct cm_buffer *text, const struct cm_validation *validation,
                           const struct cm_validation_style *style)
{
    static const struct {
        const char *what;
        struct cm_selection selection;
    } lines[] = {
        {"CM time, all", {CM_QUANTITY_CM_TIME, CM_TABLES_ALL, CM_LIBRARIES_ALL}},
        {"  PSHIFT", {CM_QUANTITY_CM_TIME, CM_TABLES_ALL, 1u << CM_LIBRARY_PSHIFT}},
        {"  CSHIFT", {CM_QUANTITY_CM_TIME, CM_TABLES_ALL, 1u << CM_LIBRARY_CSHIFT}},
        {"  tables 1 and 3", {CM_QUANTITY_CM_TIME, CM_TABLES_FIT, CM_LIBRARIES_ALL}},
        {"  tables 2 and 4", {CM_QUANTITY_CM_TIME, CM_TABLES_HELD_OUT, CM_LIBRARIES_ALL}},
        {"speedup by CM time", {CM_QUANTITY_CM_SPEEDUP, CM_TABLES_ALL, CM_LIBRARIES_ALL}},
        {"speedup by elapsed time (figure 8)",
         {CM_QUANTITY_ELAPSED_SPEEDUP, CM_TABLES_ALL, CM_LIBRARIES_ALL}},
        {"elapsed time", {CM_QUANTITY_ELAPSED_TIME, CM_TABLES_ALL, CM_LIBRARIES_ALL}},
        {"  of the published CM time", {CM_QUANTITY_FRONT_END, CM_TABLES_ALL, CM_LIBRARIES_ALL}},
    };
    cm_buffer_printf(text, "\n%s%-36s %5s %9s %9s %9s  %s%s\n", escape(style, "\033[1m"),
                     "Errors, simulated / published - 1", "cells", "median", "mean", "worst", "at",
                     escape(style, "\033[0m"));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        append_statistics(text, validation, lines[i].what, lines[i].selection);
    cm_buffer_printf(
        text,
        "\n  Medians and means are of the errors' sizes. All tables were in view while fitting; "
        "scripts/refit fits\n  the costs on tables 1 and 3 alone, too (docs/fidelity.md).\n"
        "  Elapsed time is the longer of the CM's time and the front end's %" PRIu64
        " us a shift of PSHIFT or\n  %" PRIu64 " us a CSHIFT. Published, elapsed less CM time goes "
        "24, 154, 125, 1 us at lengths 128, 256,\n"
        "  512, 1024 of table 1: it is not monotone, and no constants give that.\n",
        validation->config.front_end_pshift_us, validation->config.front_end_runtime_call_us);
}

static int compare_sizes(const void *a, const void *b)
{
    double x = fabs(((const struct cm_cell_error *)a)->error);
    double y = fabs(((const struct cm_cell_error *)b)->error);
    return (x < y) - (x > y);
}

static void append_largest(struct cm_buffer *text, const struct cm_validation *validation)
{
    struct cm_cell_error cells[CM_STATISTICS_MAX];
    struct cm_selection all = {CM_QUANTITY_CM_TIME, CM_TABLES_ALL, CM_LIBRARIES_ALL};
    uint32_t count = cm_validation_errors(validation, &all, cells);
    qsort(cells, count, sizeof *cells, compare_sizes);
    cm_buffer_printf(text, "\n  the cells furthest off:\n");
    for (uint32_t i = 0; i < count && i < LARGEST_SHOWN; i++) {
        cm_buffer_printf(text, "    %+6.1f%%  ", 100 * cells[i].error);
        append_cell(text, &cells[i], false);
        cm_buffer_printf(text, "\n");
    }
}

static void append_bounds(struct cm_buffer *text, const struct cm_validation *validation,
                          const struct cm_validation_style *style)
{
    struct cm_bound bounds[CM_BOUNDS_MAX];
    uint32_t count = cm_validation_bounds(validation, bounds), missed = 0;
    if (count == 0) {
        cm_buffer_printf(text, "\nThe bounds are over all four tables; run without --table to "
                               "judge them.\n");
        return;
    }
    cm_buffer_printf(text, "\n%sBounds%s\n", escape(style, "\033[1m"), escape(style, "\033[0m"));
    for (uint32_t i = 0; i < count; i++) {
        missed += !bounds[i].met;
        cm_buffer_printf(text, "  %s%-6s%s %-26s %6.2f%%, at most %.1f%%\n",
                         escape(style, bounds[i].met ? "\033[32m" : "\033[1;31m"),
                         bounds[i].met ? "met" : "MISSED", escape(style, "\033[0m"), bounds[i].what,
                         100 * bounds[i].value, 100 * bounds[i].limit);
    }
    if (missed > 0)
        append_largest(text, validation);
}

/* What the description owes to the measurements it is compared with, and what the user changed. */
static void append_numbers(struct cm_buffer *text, const struct cm_config *config,
                           enum cm_number_status status, const char *what)
{
    size_t column = 0;
    char entry[96];
    const struct {
        const char *path;
        uint64_t value;
        enum cm_number_status status;
    } numbers[] = {
#define CM_CONFIG(section, key, type, min, max, meaning)                                           \
    {#section "." #key, config->section##_##key, config->status[CM_CONFIG_##section##_##key]},
#include "../../sim/config.def"
#undef CM_CONFIG
        {"clock_hz", config->clock_hz, config->clock_status},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].status != status)
            continue;
        int length =
            snprintf(entry, sizeof entry, "%s = %" PRIu64, numbers[i].path, numbers[i].value);
        bool fresh = column == 0 || column + (size_t)length > 88;
        if (fresh)
            cm_buffer_printf(text, "%s%-9s%s", column != 0 ? ",\n" : "", column == 0 ? what : "",
                             entry);
        else
            cm_buffer_printf(text, ", %s", entry);
        column = (fresh ? 9 : column + 2) + (size_t)length;
    }
    cm_buffer_printf(text, "%s", column != 0 ? "\n" : "");
}

static void append_head(struct cm_buffer *text, const struct cm_validation *validation,
                        const struct cm_validation_style *style)
{
    uint32_t checked = 0;
    for (uint32_t i = 0; i < validation->row_count; i++) {
        for (int l = 0; l < CM_LIBRARY_COUNT; l++)
            checked += validation->rows[i].times[l].checked;
    }
    cm_buffer_printf(text,
                     "%s%s%s against the published timings of the CM-200 (PSHIFT paper, section "
                     "6.1)\n%u nodes, %.10g MHz; ",
                     escape(style, "\033[1m"), validation->config.name, escape(style, "\033[0m"),
                     CM_VALIDATE_NODES, (double)validation->config.clock_hz * 1e-6);
    if (checked > 0)
        cm_buffer_printf(text, "%" PRIu32 " of %" PRIu32 " cells with data, every element right\n",
                         checked, validation->row_count * CM_LIBRARY_COUNT);
    else
        cm_buffer_printf(text, "timing only, no data\n");
    append_numbers(text, &validation->config, CM_NUMBER_FITTED, "fitted:");
    append_numbers(text, &validation->config, CM_NUMBER_SET, "changed:");
}

static void append_model_head(struct cm_buffer *text, const struct cm_shift_model *simulated,
                              const struct cm_shift_model *published,
                              const struct cm_validation_style *style)
{
    cm_buffer_printf(
        text,
        "\n%sEquation 1%s of section 6.2, shifts by one: T = N_sl T_mm sum 2 (V / L) (L - 1) + E "
        "ceil(N_sl / 2) V / L\n"
        "  E is start-up, transfers and one exchange, which rank one does not tell apart; T_mm "
        "moves a slice.\n"
        "  By the paper's method, from rank one, lengths 4 and 16,384, PSHIFT CM time:\n"
        "    simulated  E = %6.2f us, T_mm = %.4f us a slice\n"
        "    published  E = %6.2f us, T_mm = %.4f us a slice\n"
        "  The paper's 0.81 us \"per slice\" divides by elements; a REAL*8 element is two slices, "
        "so a slice takes %.3f us.\n",
        escape(style, "\033[1m"), escape(style, "\033[0m"), 1e3 * simulated->exchange_ms,
        1e3 * simulated->move_ms, 1e3 * published->exchange_ms, 1e3 * published->move_ms,
        1e3 * published->move_ms);
    cm_buffer_printf(text,
                     "\n  rank  length  published  model of it     error  simulated  model of it "
                     "    error  (ms)\n");
}

static void append_model(struct cm_buffer *text, const struct cm_validation *validation,
                         const struct cm_validation_style *style)
{
    struct cm_shift_model simulated, published;
    if (!cm_validation_model(validation, false, &simulated) ||
        !cm_validation_model(validation, true, &published)) {
        cm_buffer_printf(text, "\nEquation 1 is measured on table 1, which was not run.\n");
        return;
    }
    append_model_head(text, &simulated, &published, style);
    for (uint32_t i = 0; i < validation->row_count; i++) {
        const struct cm_published_row *row = validation->rows[i].published;
        double of_print = cm_shift_model_ms(&published, row->rank, row->length);
        double of_run = cm_shift_model_ms(&simulated, row->rank, row->length);
        double print = row->times[CM_LIBRARY_PSHIFT].cm_ms;
        double run = validation->rows[i].times[CM_LIBRARY_PSHIFT].cm_ms;
        cm_buffer_printf(text,
                         "  %4" PRIu32 " %7" PRIu64 " %10.3f %12.3f %+8.1f%% %10.3f %12.3f "
                         "%+8.1f%%\n",
                         row->rank, row->length, print, of_print, 100 * (of_print / print - 1), run,
                         of_run, 100 * (of_run / run - 1));
    }
}

void cm_validation_text(const struct cm_validation *validation,
                        const struct cm_validation_style *style, struct cm_buffer *text)
{
    append_head(text, validation, style);
    append_tables(text, validation, false, style);
    append_tables(text, validation, true, style);
    append_notes(text, validation);
    if (style->model)
        append_model(text, validation, style);
    append_summary(text, validation, style);
    append_bounds(text, validation, style);
}
