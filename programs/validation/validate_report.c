/* Report of the validation. As text it has a table of CM times and a table of elapsed times. As
 * JSON (format "cm200-validation/1") it has all cells. Text and JSON have statistics, bounds and
 * equation 1. */
#include "../../base/version.h"
#include "../../report/machine.h"
#include "../../report/report.h"
#include "../../report/style.h"
#include "validate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST_SHOWN 8u
#define LIST_COLUMNS  88u /* most columns of a line of numbers */

static void add_pair(struct cm_table *table, double published, double simulated)
{
    cm_table_row(table, cm_f64(published), cm_f64(simulated), cm_f64(simulated / published - 1));
}

static void add_values(struct cm_table *table, const struct cm_validation *validation,
                       const struct cm_validated_row *row, enum cm_quantity quantity,
                       enum cm_library library)
{
    double published, simulated;
    cm_validated_values(&validation->config, row, quantity, library, &published, &simulated);
    add_pair(table, published, simulated);
}

static void append_table(struct cm_report *report, const struct cm_validation *validation,
                         uint32_t number, bool elapsed)
{
    static const struct cm_column columns[] = {
        {"length", .kind = CM_COLUMN_NUMBER, .width = 7},
        {"published", .kind = CM_COLUMN_FIXED, .digits = 3, .width = 9, .before = " "},
        {"simulated", .kind = CM_COLUMN_FIXED, .digits = 3, .width = 9, .before = " "},
        {"error", .kind = CM_COLUMN_CHANGE, .digits = 1, .width = 8, .unit = "%", .before = " "},
        {"published", .kind = CM_COLUMN_FIXED, .digits = 3, .width = 9, .before = " "},
        {"simulated", .kind = CM_COLUMN_FIXED, .digits = 3, .width = 9, .before = " "},
        {"error", .kind = CM_COLUMN_CHANGE, .digits = 1, .width = 8, .unit = "%", .before = " "},
        {"published", .kind = CM_COLUMN_FIXED, .digits = 2, .width = 9, .before = " "},
        {"simulated", .kind = CM_COLUMN_FIXED, .digits = 2, .width = 9, .before = " "},
        {"error", .kind = CM_COLUMN_CHANGE, .digits = 1, .width = 8, .unit = "%", .before = " "},
        {"note", .heading = ""},
    };
    const enum cm_quantity time = elapsed ? CM_QUANTITY_ELAPSED_TIME : CM_QUANTITY_CM_TIME;
    const enum cm_quantity ratio = elapsed ? CM_QUANTITY_ELAPSED_SPEEDUP : CM_QUANTITY_CM_SPEEDUP;
    struct cm_table table;
    cm_report_line(report,
                   "\n%sTable %" PRIu32 "%s, %s time: rank %" PRIu32
                   ", REAL*8, shifts by 1 and -1 along every axis\n"
                   "         PSHIFT (ms)                 CSHIFT (ms)                 "
                   "speedup of PSHIFT",
                   cm_style_code(report->style, CM_CODE_BOLD), number,
                   cm_style_code(report->style, CM_CODE_RESET), elapsed ? "elapsed" : "CM", number);
    cm_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.indent = 0;
    for (uint32_t i = 0; i < validation->row_count; i++) {
        const struct cm_validated_row *row = &validation->rows[i];
        if (row->published->rank != number)
            continue;
        cm_table_u64(&table, row->published->length);
        add_values(&table, validation, row, time, CM_LIBRARY_PSHIFT);
        add_values(&table, validation, row, time, CM_LIBRARY_CSHIFT);
        add_values(&table, validation, row, ratio, CM_LIBRARY_PSHIFT);
        cm_table_string(&table, row->published->note[0] != '\0' ? "*" : "");
    }
    cm_table_text(&table, report->style, report->text);
    cm_table_finish(&table);
}

static void append_tables(struct cm_report *report, const struct cm_validation *validation,
                          bool elapsed)
{
    for (uint32_t number = 1; number <= CM_VALIDATE_TABLES; number++)
        if (validation->table == 0 || validation->table == number)
            append_table(report, validation, number, elapsed);
}

static void append_notes(struct cm_report *report, const struct cm_validation *validation)
{
    const char *gap = "\n";
    for (uint32_t i = 0; i < validation->row_count; i++) {
        const struct cm_published_row *row = validation->rows[i].published;
        if (row->note[0] == '\0')
            continue;
        cm_report_line(report, "%s  * rank %" PRIu32 ", length %" PRIu64 ": %s", gap, row->rank,
                       row->length, row->note);
        gap = "";
    }
}

/* Writes the member {"published": , "simulated": , "error": } for a quantity of a row, with times
 * in milliseconds. */
static void write_pair(struct cm_json_writer *json, const struct cm_validation *validation,
                       const struct cm_validated_row *row, enum cm_quantity quantity,
                       enum cm_library library, const char *key)
{
    double published, simulated;
    cm_validated_values(&validation->config, row, quantity, library, &published, &simulated);
    cm_json_write_record(json, key, {"published", cm_f64(published)},
                         {"simulated", cm_f64(simulated)},
                         {"error", cm_f64(simulated / published - 1)});
}

static void write_counters(struct cm_json_writer *json, const struct cm_counters *counters)
{
    cm_json_write_members(json, {"cycles", cm_u64(counters->cycles)},
                          {"exchanges", cm_u64(counters->exchanges)},
                          {"loads", cm_u64(counters->loads)}, {"stores", cm_u64(counters->stores)},
                          {"page_faults", cm_u64(counters->page_faults)},
                          {"words_moved_locally", cm_u64(counters->words_moved_locally)});
    cm_json_write_object(json, "cycles_by_cause");
    for (int cause = 0; cause < CM_CAUSE_COUNT; cause++)
        if (counters->by_cause[cause] != 0)
            cm_json_write_u64(json, cm_cause_name((enum cm_cause)cause), counters->by_cause[cause]);
    cm_json_write_end(json);
}

static void write_row(struct cm_json_writer *json, const struct cm_validation *validation,
                      const struct cm_validated_row *row)
{
    static const char *const keys[CM_LIBRARY_COUNT] = {
        [CM_LIBRARY_PSHIFT] = "pshift", [CM_LIBRARY_CSHIFT] = "cshift"};
    cm_json_write_object(json, NULL);
    cm_json_write_members(json, {"table", cm_u64(row->published->rank)},
                          {"rank", cm_u64(row->published->rank)},
                          {"length", cm_u64(row->published->length)});
    cm_json_write_string(json, "note", row->published->note);
    for (int l = 0; l < CM_LIBRARY_COUNT; l++) {
        enum cm_library library = (enum cm_library)l;
        cm_json_write_object(json, keys[l]);
        write_pair(json, validation, row, CM_QUANTITY_CM_TIME, library, "cm_ms");
        write_pair(json, validation, row, CM_QUANTITY_ELAPSED_TIME, library, "elapsed_ms");
        write_counters(json, &row->times[l].counters);
        cm_json_write_bool(json, "checked", row->times[l].checked);
        cm_json_write_end(json);
    }
    write_pair(json, validation, row, CM_QUANTITY_CM_SPEEDUP, CM_LIBRARY_PSHIFT, "cm_speedup");
    write_pair(json, validation, row, CM_QUANTITY_ELAPSED_SPEEDUP, CM_LIBRARY_PSHIFT,
               "elapsed_speedup");
    cm_json_write_end(json);
}

static void report_rows(struct cm_report *report, const struct cm_validation *validation)
{
    if (report->json != NULL) {
        cm_json_write_list(report->json, "rows");
        for (uint32_t i = 0; i < validation->row_count; i++)
            write_row(report->json, validation, &validation->rows[i]);
        cm_json_write_end(report->json);
    }
    if (report->text != NULL) {
        append_tables(report, validation, false);
        append_tables(report, validation, true);
        append_notes(report, validation);
    }
}

/* Lists the numbers of the machine that have one status: fitted to the measurements, or changed by
 * the user. */
static void append_numbers(struct cm_report *report, const struct cm_config *config,
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
#include "../../sim/machine/config.def"
#undef CM_CONFIG
        {"clock_hz", config->clock_hz, config->clock_status},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].status != status)
            continue;
        size_t length = (size_t)snprintf(entry, sizeof entry, "%s = %" PRIu64, numbers[i].path,
                                         numbers[i].value);
        bool fresh = column == 0 || column + length > LIST_COLUMNS;
        if (fresh)
            cm_report_text(report, "%s%-9s%s", column != 0 ? ",\n" : "", column == 0 ? what : "",
                           entry);
        else
            cm_report_text(report, ", %s", entry);
        column = (fresh ? 9 : column + 2) + length;
    }
    cm_report_text(report, "%s", column != 0 ? "\n" : "");
}

static void report_head(struct cm_report *report, const struct cm_validation *validation)
{
    const struct cm_config *config = &validation->config;
    uint32_t checked = 0;
    for (uint32_t i = 0; i < validation->row_count; i++)
        for (int l = 0; l < CM_LIBRARY_COUNT; l++)
            checked += validation->rows[i].times[l].checked;
    cm_report_string(report, "format", "cm200-validation/1");
    cm_report_string(report, "machine", config->name);
    cm_report_u64(report, "nodes", CM_VALIDATE_NODES);
    cm_report_u64(report, "clock_hz", config->clock_hz);
    if (report->json != NULL) {
        cm_json_write_string(report->json, "version", cm_version());
        cm_json_write_machine(report->json, config);
    }
    cm_report_text(report,
                   "%s%s%s against the published timings of the CM-200 (PSHIFT paper, section "
                   "6.1)\n%u nodes, %.10g MHz; ",
                   cm_style_code(report->style, CM_CODE_BOLD), config->name,
                   cm_style_code(report->style, CM_CODE_RESET), CM_VALIDATE_NODES,
                   (double)config->clock_hz * 1e-6);
    if (checked > 0)
        cm_report_line(report, "%" PRIu32 " of %" PRIu32 " cells with data, every element right",
                       checked, validation->row_count * CM_LIBRARY_COUNT);
    else
        cm_report_line(report, "timing only, no data");
    append_numbers(report, config, CM_NUMBER_FITTED, "fitted:");
    append_numbers(report, config, CM_NUMBER_SET, "changed:");
}

/* Reports the constants of equation 1, from published or from simulated times. */
static void report_constants(struct cm_report *report, const char *name,
                             const struct cm_shift_model *model)
{
    cm_report_record(report, name, {"exchange_ms", cm_f64(model->exchange_ms)},
                     {"move_ms", cm_f64(model->move_ms)});
    cm_report_line(report, "    %s  E = %6.2f us, T_mm = %.4f us a slice", name,
                   1e3 * model->exchange_ms, 1e3 * model->move_ms);
}

static void report_model_rows(struct cm_report *report, const struct cm_validation *validation,
                              const struct cm_shift_model *simulated,
                              const struct cm_shift_model *published)
{
    static const struct cm_column columns[] = {
        {"rank", .kind = CM_COLUMN_NUMBER},
        {"length", .kind = CM_COLUMN_NUMBER},
        {NULL, "published", CM_COLUMN_FIXED, 3, 9, NULL, NULL, NULL},
        {"published_ms", "model of it", CM_COLUMN_FIXED, 3, 11, NULL, NULL, NULL},
        {NULL, "error", CM_COLUMN_CHANGE, 1, 9, "%", " ", NULL},
        {NULL, "simulated", CM_COLUMN_FIXED, 3, 9, NULL, NULL, NULL},
        {"simulated_ms", "model of it", CM_COLUMN_FIXED, 3, 11, NULL, NULL, NULL},
        {NULL, "error", CM_COLUMN_CHANGE, 1, 9, "%", " ", NULL},
        {NULL, "(ms)", .before = "  "},
    };
    struct cm_table table;
    cm_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < validation->row_count; i++) {
        const struct cm_published_row *row = validation->rows[i].published;
        cm_table_row(&table, cm_u64(row->rank), cm_u64(row->length));
        add_pair(&table, row->times[CM_LIBRARY_PSHIFT].cm_ms,
                 cm_shift_model_ms(published, row->rank, row->length));
        add_pair(&table, validation->rows[i].times[CM_LIBRARY_PSHIFT].cm_ms,
                 cm_shift_model_ms(simulated, row->rank, row->length));
        cm_table_end_row(&table);
    }
    cm_report_table(report, "rows", &table);
    cm_table_finish(&table);
}

static void report_model(struct cm_report *report, const struct cm_validation *validation)
{
    struct cm_shift_model simulated, published;
    if (!cm_validation_model(validation, false, &simulated) ||
        !cm_validation_model(validation, true, &published)) {
        cm_report_string(report, "model", NULL);
        cm_report_line(report, "\nEquation 1 is measured on table 1, which was not run.");
        return;
    }
    cm_report_object(report, "model");
    cm_report_line(report,
                   "\n%sEquation 1%s of section 6.2, shifts by one: T = N_sl T_mm sum 2 (V / L) "
                   "(L - 1) + E ceil(N_sl / 2) V / L\n"
                   "  E is start-up, transfers and one exchange, which rank one does not tell "
                   "apart; T_mm moves a slice.\n"
                   "  By the paper's method, from rank one, lengths 4 and 16,384, PSHIFT CM time:",
                   cm_style_code(report->style, CM_CODE_BOLD),
                   cm_style_code(report->style, CM_CODE_RESET));
    report_constants(report, "simulated", &simulated);
    report_constants(report, "published", &published);
    cm_report_line(report,
                   "  The paper's 0.81 us \"per slice\" divides by elements; a REAL*8 element is "
                   "two slices, so a slice takes %.3f us.\n",
                   1e3 * published.move_ms);
    report_model_rows(report, validation, &simulated, &published);
    cm_report_end(report);
}

struct cell_name {
    char text[64];
};

/* Returns the name of a cell as text: library, rank and length. The name of a speedup has no
 * library. */
static struct cell_name format_cell(const struct cm_cell_error *cell, enum cm_quantity quantity)
{
    struct cell_name name;
    bool both = quantity == CM_QUANTITY_CM_SPEEDUP || quantity == CM_QUANTITY_ELAPSED_SPEEDUP;
    snprintf(name.text, sizeof name.text, "%s%srank %" PRIu32 ", length %" PRIu64,
             both ? "" : cm_library_name(cell->library), both ? "" : ", ",
             cell->row->published->rank, cell->row->published->length);
    return name;
}

static void append_remarks(struct cm_report *report, const struct cm_config *config)
{
    cm_report_line(
        report,
        "\n  Medians and means are of the errors' sizes. All tables were in view while fitting; "
        "research/refit\n  --cross-validate says what is predicted of cells held out "
        "(docs/fidelity.md).\n"
        "  Elapsed time is the longer of the CM's time and the front end's %" PRIu64
        " us a shift of PSHIFT or\n  %" PRIu64 " us a CSHIFT. Published, elapsed less CM time goes "
        "24, 154, 125, 1 us at lengths 128, 256,\n"
        "  512, 1024 of table 1: it is not monotone, and no constants give that.",
        config->front_end_pshift_us, config->front_end_runtime_call_us);
}

#define OF(quantity, tables, libraries)                                                            \
    {                                                                                              \
        CM_QUANTITY_##quantity, CM_TABLES_##tables, libraries                                      \
    }
static const struct {
    const char *name, *what;
    struct cm_selection selection;
} selections[] = {
    {"cm_time", "CM time, all", OF(CM_TIME, ALL, CM_LIBRARIES_ALL)},
    {"cm_time_pshift", "  PSHIFT", OF(CM_TIME, ALL, 1u << CM_LIBRARY_PSHIFT)},
    {"cm_time_cshift", "  CSHIFT", OF(CM_TIME, ALL, 1u << CM_LIBRARY_CSHIFT)},
    {"cm_time_tables_1_3", "  tables 1 and 3", OF(CM_TIME, ODD, CM_LIBRARIES_ALL)},
    {"cm_time_tables_2_4", "  tables 2 and 4", OF(CM_TIME, EVEN, CM_LIBRARIES_ALL)},
    {"cm_speedup", "speedup by CM time", OF(CM_SPEEDUP, ALL, CM_LIBRARIES_ALL)},
    {"elapsed_speedup", "speedup by elapsed time (figure 8)",
     OF(ELAPSED_SPEEDUP, ALL, CM_LIBRARIES_ALL)},
    {"elapsed_time", "elapsed time", OF(ELAPSED_TIME, ALL, CM_LIBRARIES_ALL)},
    {"elapsed_of_published_cm_time", "  of the published CM time",
     OF(FRONT_END, ALL, CM_LIBRARIES_ALL)},
};

static void report_statistics(struct cm_report *report, const struct cm_validation *validation)
{
    static const struct cm_column columns[] = {
        {"what", .heading = "", .width = 34},
        {"cells", .kind = CM_COLUMN_NUMBER, .before = " "},
        {"median", .kind = CM_COLUMN_PERCENT, .digits = 2, .width = 9, .unit = "%", .before = " "},
        {"mean", .kind = CM_COLUMN_PERCENT, .digits = 2, .width = 9, .unit = "%", .before = " "},
        {"worst", .kind = CM_COLUMN_CHANGE, .digits = 1, .width = 9, .unit = "%", .before = " "},
        {"at", .before = "  "},
    };
    struct cm_table table;
    cm_table_init(&table, columns, sizeof columns / sizeof *columns);
    table.title = "Errors, simulated / published - 1";
    table.heading = CM_CODE_BOLD;
    cm_report_object(report, "statistics");
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
        struct cm_cell_error worst;
        struct cm_statistics found =
            cm_validation_statistics(validation, &selections[i].selection, &worst);
        cm_report_record(report, selections[i].name, {"cells", cm_u64(found.count)},
                         {"median", cm_f64(found.median)}, {"mean", cm_f64(found.mean)},
                         {"worst", cm_f64(found.worst)});
        if (found.count == 0)
            continue;
        cm_table_row(&table, cm_text(selections[i].what), cm_u64(found.count), cm_f64(found.median),
                     cm_f64(found.mean), cm_f64(found.worst),
                     cm_text(format_cell(&worst, selections[i].selection.quantity).text));
    }
    cm_report_end(report);
    if (report->text != NULL) {
        cm_report_text(report, "\n");
        cm_table_text(&table, report->style, report->text);
        append_remarks(report, &validation->config);
    }
    cm_table_finish(&table);
}

static int compare_sizes(const void *a, const void *b)
{
    double x = fabs(((const struct cm_cell_error *)a)->error);
    double y = fabs(((const struct cm_cell_error *)b)->error);
    return (x < y) - (x > y);
}

static void append_largest(struct cm_report *report, const struct cm_validation *validation)
{
    struct cm_cell_error cells[CM_STATISTICS_MAX];
    struct cm_selection all = {CM_QUANTITY_CM_TIME, CM_TABLES_ALL, CM_LIBRARIES_ALL};
    uint32_t count = cm_validation_errors(validation, &all, cells);
    qsort(cells, count, sizeof *cells, compare_sizes);
    cm_report_line(report, "\n  the cells with the largest errors:");
    for (uint32_t i = 0; i < count && i < LARGEST_SHOWN; i++)
        cm_report_line(report, "    %+6.1f%%  %s", 100 * cells[i].error,
                       format_cell(&cells[i], all.quantity).text);
}

static void report_bounds(struct cm_report *report, const struct cm_validation *validation)
{
    struct cm_bound bounds[CM_BOUNDS_MAX];
    uint32_t count = cm_validation_bounds(validation, bounds), missed = 0;
    const char *reset = cm_style_code(report->style, CM_CODE_RESET);
    cm_report_list(report, "bounds");
    if (count == 0)
        cm_report_line(report,
                       "\nThe bounds are over all four tables; run without --table to check them.");
    else
        cm_report_line(report, "\n%sBounds%s", cm_style_code(report->style, CM_CODE_BOLD), reset);
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_bound *bound = &bounds[i];
        missed += !bound->met;
        cm_report_record(report, NULL, {"what", cm_text(bound->what)},
                         {"limit", cm_f64(bound->limit)}, {"value", cm_f64(bound->value)},
                         {"met", cm_bool(bound->met)});
        cm_report_line(report, "  %s%-6s%s %-26s %6.2f%%, at most %.1f%%",
                       cm_style_code(report->style, bound->met ? "\033[32m" : "\033[1;31m"),
                       bound->met ? "met" : "MISSED", reset, bound->what, 100 * bound->value,
                       100 * bound->limit);
    }
    cm_report_end(report);
    if (missed > 0)
        append_largest(report, validation);
}

static void report_all(struct cm_report *report, const struct cm_validation *validation, bool model)
{
    cm_report_object(report, NULL);
    report_head(report, validation);
    report_rows(report, validation);
    if (model)
        report_model(report, validation);
    report_statistics(report, validation);
    report_bounds(report, validation);
    cm_report_record(report, "host", {"wall_seconds", cm_f64(validation->wall_seconds)});
    cm_report_end(report);
}

void cm_validation_text(const struct cm_validation *validation, unsigned style, bool model,
                        struct cm_buffer *text)
{
    report_all(&(struct cm_report){.text = text, .style = style}, validation, model);
}

enum cm_status cm_validation_json(const struct cm_validation *validation, bool model,
                                  struct cm_buffer *text, struct cm_error *err)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    report_all(&(struct cm_report){.json = &json}, validation, model);
    return cm_buffer_ok(text) ? CM_OK : cm_error_no_memory(err);
}
