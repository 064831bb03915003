/* Report of measurements (held_out.h): a table with the error of each measurement, and statistics
 * of the errors. */
#include "../../report/report.h"
#include "../../report/style.h"
#include "held_out_private.h"

#include <inttypes.h>

static void report_table(struct cm_report *report, const struct cm_held_out *held_out)
{
    static const struct cm_column columns[] = {
        {"name", .heading = "measurement", .width = 11},
        {.name = "quantity"},
        {"published", NULL, CM_COLUMN_NUMBER, .digits = 5, .width = 10},
        {"simulated", NULL, CM_COLUMN_NUMBER, .digits = 5, .width = 10},
        {.name = "unit"},
        {"error", NULL, CM_COLUMN_CHANGE, .digits = 1, .width = 8, .unit = " %"},
        {.name = "source"},
    };
    struct cm_table table;
    cm_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < held_out->count; i++) {
        const struct cm_held_out_measurement *measurement = &held_out->measurements[i];
        cm_table_row(&table, cm_text(measurement->name),
                     cm_text(measurement->elapsed ? "elapsed" : "cm"),
                     cm_f64(measurement->published), cm_f64(measurement->simulated),
                     cm_text(cm_held_out_units[measurement->unit]),
                     cm_f64(cm_held_out_error(measurement)), cm_text(measurement->source));
    }
    cm_report_table(report, "measurements", &table);
    cm_table_finish(&table);
}

static void report_all(struct cm_report *report, const struct cm_held_out *held_out)
{
    struct cm_statistics found = cm_held_out_statistics(held_out);
    const char *worst = held_out->measurements[found.worst_index].name;
    cm_report_object(report, NULL);
    cm_report_string(report, "format", "cm200-held-out-result/1");
    report_table(report, held_out);
    cm_report_record(report, "statistics", {"count", cm_u64(found.count)},
                     {"median", cm_f64(found.median)}, {"mean", cm_f64(found.mean)},
                     {"worst", cm_f64(found.worst)}, {"worst_at", cm_text(worst)});
    cm_report_line(report,
                   "\n  %" PRIu32 " measurement%s, simulated / published - 1: median %.2f %%, mean "
                   "%.2f %%,\n  worst %+.1f %% (%s)",
                   found.count, found.count == 1 ? "" : "s", found.median * 100, found.mean * 100,
                   found.worst * 100, worst);
    if (held_out->bound > 0) {
        cm_report_f64(report, "bound", held_out->bound);
        cm_report_line(report, "  bound of %g %%: %s", held_out->bound * 100,
                       cm_held_out_met(held_out) ? "met" : "MISSED");
    }
    cm_report_bool(report, "met", cm_held_out_met(held_out));
    cm_report_end(report);
}

void cm_held_out_text(const struct cm_held_out *held_out, unsigned style, struct cm_buffer *text)
{
    report_all(&(struct cm_report){.text = text, .style = style}, held_out);
}

enum cm_status cm_held_out_json(const struct cm_held_out *held_out, struct cm_buffer *text,
                                struct cm_error *err)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    report_all(&(struct cm_report){.json = &json}, held_out);
    return cm_buffer_ok(text) ? CM_OK : cm_error_no_memory(err);
}
