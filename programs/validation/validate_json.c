/* Simulated against published as JSON (format "cm200-validation/1"). */
#include "../../base/json_text.h"
#include "validate.h"

#include <inttypes.h>

static void append_member(struct cm_buffer *text, const char *key, double value)
{
    cm_buffer_printf(text, "\"%s\": ", key);
    cm_json_append_double(text, value);
}

/* {"published": , "simulated": , "error": } of a quantity; times in milliseconds. */
static void append_pair(struct cm_buffer *text, const struct cm_validation *validation,
                        const struct cm_validated_row *row, enum cm_quantity quantity,
                        enum cm_library library, const char *key)
{
    double published, simulated;
    cm_validated_values(&validation->config, row, quantity, library, &published, &simulated);
    cm_buffer_printf(text, "\"%s\": {", key);
    append_member(text, "published", published);
    cm_buffer_printf(text, ", ");
    append_member(text, "simulated", simulated);
    cm_buffer_printf(text, ", ");
    append_member(text, "error", simulated / published - 1);
    cm_buffer_printf(text, "}");
}

static void append_counters(struct cm_buffer *text, const struct cm_counters *counters)
{
    bool first = true;
    cm_buffer_printf(text,
                     "        \"cycles\": %" PRIu64 ", \"exchanges\": %" PRIu64
                     ", \"loads\": %" PRIu64 ", \"stores\": %" PRIu64 ", \"page_faults\": %" PRIu64
                     ", \"words_moved_locally\": %" PRIu64 ",\n        \"cycles_by_cause\": {",
                     counters->cycles, counters->exchanges, counters->loads, counters->stores,
                     counters->page_faults, counters->words_moved_locally);
    for (int cause = 0; cause < CM_CAUSE_COUNT; cause++) {
        if (counters->by_cause[cause] == 0)
            continue;
        cm_buffer_printf(text, "%s\"%s\": %" PRIu64, first ? "" : ", ",
                         cm_cause_name((enum cm_cause)cause), counters->by_cause[cause]);
        first = false;
    }
    cm_buffer_printf(text, "}");
}

static void append_cell(struct cm_buffer *text, const struct cm_validation *validation,
                        const struct cm_validated_row *row, enum cm_library library,
                        const char *key)
{
    const struct cm_validated_time *time = &row->times[library];
    cm_buffer_printf(text, "      \"%s\": {\n        ", key);
    append_pair(text, validation, row, CM_QUANTITY_CM_TIME, library, "cm_ms");
    cm_buffer_printf(text, ",\n        ");
    append_pair(text, validation, row, CM_QUANTITY_ELAPSED_TIME, library, "elapsed_ms");
    cm_buffer_printf(text, ",\n");
    append_counters(text, &time->counters);
    cm_buffer_printf(text, ",\n        \"checked\": %s\n      },\n",
                     time->checked ? "true" : "false");
}

static void append_row(struct cm_buffer *text, const struct cm_validation *validation,
                       const struct cm_validated_row *row)
{
    cm_buffer_printf(text,
                     "    {\n      \"table\": %" PRIu32 ", \"rank\": %" PRIu32
                     ", \"length\": %" PRIu64 ", \"note\": ",
                     row->published->rank, row->published->rank, row->published->length);
    cm_json_append_string(text, row->published->note);
    cm_buffer_printf(text, ",\n");
    append_cell(text, validation, row, CM_LIBRARY_PSHIFT, "pshift");
    append_cell(text, validation, row, CM_LIBRARY_CSHIFT, "cshift");
    cm_buffer_printf(text, "      ");
    append_pair(text, validation, row, CM_QUANTITY_CM_SPEEDUP, CM_LIBRARY_PSHIFT, "cm_speedup");
    cm_buffer_printf(text, ",\n      ");
    append_pair(text, validation, row, CM_QUANTITY_ELAPSED_SPEEDUP, CM_LIBRARY_PSHIFT,
                "elapsed_speedup");
    cm_buffer_printf(text, "\n    }");
}

static void append_statistics(struct cm_buffer *text, const struct cm_validation *validation)
{
    static const struct {
        const char *key;
        struct cm_selection selection;
    } lines[] = {
        {"cm_time", {CM_QUANTITY_CM_TIME, CM_TABLES_ALL, CM_LIBRARIES_ALL}},
        {"cm_time_pshift", {CM_QUANTITY_CM_TIME, CM_TABLES_ALL, 1u << CM_LIBRARY_PSHIFT}},
        {"cm_time_cshift", {CM_QUANTITY_CM_TIME, CM_TABLES_ALL, 1u << CM_LIBRARY_CSHIFT}},
        {"cm_time_tables_1_3", {CM_QUANTITY_CM_TIME, CM_TABLES_FIT, CM_LIBRARIES_ALL}},
        {"cm_time_tables_2_4", {CM_QUANTITY_CM_TIME, CM_TABLES_HELD_OUT, CM_LIBRARIES_ALL}},
        {"cm_speedup", {CM_QUANTITY_CM_SPEEDUP, CM_TABLES_ALL, CM_LIBRARIES_ALL}},
        {"elapsed_speedup", {CM_QUANTITY_ELAPSED_SPEEDUP, CM_TABLES_ALL, CM_LIBRARIES_ALL}},
        {"elapsed_time", {CM_QUANTITY_ELAPSED_TIME, CM_TABLES_ALL, CM_LIBRARIES_ALL}},
        {"elapsed_of_published_cm_time", {CM_QUANTITY_FRONT_END, CM_TABLES_ALL, CM_LIBRARIES_ALL}},
    };
    cm_buffer_printf(text, "  \"statistics\": {");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct cm_statistics found =
            cm_validation_statistics(validation, &lines[i].selection, NULL);
        cm_buffer_printf(text, "%s\n    \"%s\": {\"cells\": %" PRIu32 ", ", i ? "," : "",
                         lines[i].key, found.count);
        append_member(text, "median", found.median);
        cm_buffer_printf(text, ", ");
        append_member(text, "mean", found.mean);
        cm_buffer_printf(text, ", ");
        append_member(text, "worst", found.worst);
        cm_buffer_printf(text, "}");
    }
    cm_buffer_printf(text, "\n  },\n");
}

static void append_bounds(struct cm_buffer *text, const struct cm_validation *validation)
{
    struct cm_bound bounds[CM_BOUNDS_MAX];
    uint32_t count = cm_validation_bounds(validation, bounds);
    cm_buffer_printf(text, "  \"bounds\": [");
    for (uint32_t i = 0; i < count; i++) {
        cm_buffer_printf(text, "%s\n    {\"what\": ", i ? "," : "");
        cm_json_append_string(text, bounds[i].what);
        cm_buffer_printf(text, ", ");
        append_member(text, "limit", bounds[i].limit);
        cm_buffer_printf(text, ", ");
        append_member(text, "value", bounds[i].value);
        cm_buffer_printf(text, ", \"met\": %s}", bounds[i].met ? "true" : "false");
    }
    cm_buffer_printf(text, "%s],\n", count ? "\n  " : "");
}

static void append_constants(struct cm_buffer *text, const char *key,
                             const struct cm_shift_model *model)
{
    cm_buffer_printf(text, "    \"%s\": {", key);
    append_member(text, "exchange_ms", model->exchange_ms);
    cm_buffer_printf(text, ", ");
    append_member(text, "move_ms", model->move_ms);
    cm_buffer_printf(text, "},\n");
}

/* Equation 1 with the constants of either side; null when table 1 was not run. */
static void append_model(struct cm_buffer *text, const struct cm_validation *validation)
{
    struct cm_shift_model simulated, published;
    if (!cm_validation_model(validation, false, &simulated) ||
        !cm_validation_model(validation, true, &published)) {
        cm_buffer_printf(text, "  \"model\": null,\n");
        return;
    }
    cm_buffer_printf(text, "  \"model\": {\n");
    append_constants(text, "simulated", &simulated);
    append_constants(text, "published", &published);
    cm_buffer_printf(text, "    \"rows\": [");
    for (uint32_t i = 0; i < validation->row_count; i++) {
        const struct cm_published_row *row = validation->rows[i].published;
        cm_buffer_printf(text, "%s\n      {\"rank\": %" PRIu32 ", \"length\": %" PRIu64 ", ",
                         i ? "," : "", row->rank, row->length);
        append_member(text, "simulated_ms", cm_shift_model_ms(&simulated, row->rank, row->length));
        cm_buffer_printf(text, ", ");
        append_member(text, "published_ms", cm_shift_model_ms(&published, row->rank, row->length));
        cm_buffer_printf(text, "}");
    }
    cm_buffer_printf(text, "\n    ]\n  },\n");
}

enum cm_status cm_validation_json(const struct cm_validation *validation, bool model,
                                  struct cm_buffer *text, struct cm_error *err)
{
    cm_buffer_printf(text, "{\n  \"format\": \"cm200-validation/1\",\n  \"machine\": ");
    cm_json_append_string(text, validation->config.name);
    cm_buffer_printf(text, ",\n  \"nodes\": %u,\n  \"clock_hz\": %" PRIu64 ",\n  \"rows\": [",
                     CM_VALIDATE_NODES, validation->config.clock_hz);
    for (uint32_t i = 0; i < validation->row_count; i++) {
        cm_buffer_printf(text, "%s\n", i ? "," : "");
        append_row(text, validation, &validation->rows[i]);
    }
    cm_buffer_printf(text, "\n  ],\n");
    if (model)
        append_model(text, validation);
    append_statistics(text, validation);
    append_bounds(text, validation);
    cm_buffer_printf(text, "  \"host\": {");
    append_member(text, "wall_seconds", validation->wall_seconds);
    cm_buffer_printf(text, "}\n}\n");
    if (!cm_buffer_ok(text))
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the result");
    return CM_OK;
}
