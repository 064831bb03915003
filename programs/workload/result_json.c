/* The result of a run as JSON. */
#include "../../base/json_text.h"
#include "result.h"

#include <inttypes.h>

static void append_causes(struct cm_buffer *text, const struct cm_counters *counters,
                          const char *indent)
{
    cm_buffer_printf(text, "%s\"cycles_by_cause\": {", indent);
    for (int cause = 0; cause < CM_CAUSE_COUNT; cause++)
        cm_buffer_printf(text, "%s\n%s  \"%s\": %" PRIu64, cause ? "," : "", indent,
                         cm_cause_name((enum cm_cause)cause), counters->by_cause[cause]);
    cm_buffer_printf(text, "\n%s},\n", indent);
}

static void append_counters(struct cm_buffer *text, const struct cm_counters *counters,
                            const char *indent)
{
    const struct {
        const char *name;
        uint64_t value;
    } fields[] = {
        {"exchanges", counters->exchanges},
        {"loads", counters->loads},
        {"stores", counters->stores},
        {"page_faults", counters->page_faults},
        {"words_moved_locally", counters->words_moved_locally},
        {"words_sent", counters->words_sent},
        {"instructions", counters->instructions},
        {"flops_per_node", counters->flops},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        cm_buffer_printf(text, "%s\"%s\": %" PRIu64 ",\n", indent, fields[i].name, fields[i].value);
}

static void append_channels(struct cm_buffer *text, const struct cm_channel_use *use,
                            const char *indent)
{
    cm_buffer_printf(
        text, "%s\"channels\": {\"max_busy_cycles\": %" PRIu64 ", \"mean_busy_cycles\": ", indent,
        use->max_busy_cycles);
    cm_json_append_double(text, use->mean_busy_cycles);
    cm_buffer_printf(text, ", \"max_load\": %" PRIu64 ", \"total_words\": %" PRIu64, use->max_load,
                     use->total_words);
    cm_buffer_printf(text, ", \"channels\": %" PRIu64, use->channels);
    if (use->max_load > 0)
        cm_buffer_printf(text,
                         ", \"busiest\": {\"node\": %" PRIu32 ", \"dimension\": %" PRIu32
                         ", \"channel\": %" PRIu32 "}",
                         use->max_node, use->max_dimension, use->max_channel);
    cm_buffer_printf(text, "},\n");
}

static void append_bits(struct cm_buffer *text, const char *key, uint64_t bits)
{
    const char *comma = "";
    cm_buffer_printf(text, "      \"%s\": [", key);
    for (uint32_t d = 64; d-- > 0;) {
        if (!(bits >> d & 1))
            continue;
        cm_buffer_printf(text, "%s%" PRIu32, comma, d);
        comma = ", ";
    }
    cm_buffer_printf(text, "],\n");
}

static void append_reshape(struct cm_buffer *text, const struct cm_reshape_summary *reshape)
{
    const struct {
        const char *name;
        uint64_t value;
    } fields[] = {
        {"delta", reshape->delta},
        {"elements_per_node", reshape->elements_per_node},
        {"steps", reshape->steps},
        {"theorem_bound", reshape->bound},
        {"lower_bound", reshape->lower_bound},
        {"permutation_steps", reshape->permutation_steps},
        {"link_load_max", reshape->link_load_max},
    };
    const char *comma = "";
    append_bits(text, "dimensions", reshape->dimensions);
    append_bits(text, "processor_dimensions", reshape->processor_dimensions);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        cm_buffer_printf(text, "      \"%s\": %" PRIu64 ",\n", fields[i].name, fields[i].value);
    cm_buffer_printf(text, "      \"algorithm\": \"%s\",\n",
                     cm_reshape_algorithm_name(reshape->algorithm));
    if (reshape->has_start)
        cm_buffer_printf(text, "      \"start\": %" PRIu32 ",\n", reshape->start);
    cm_buffer_printf(text, "      \"not_taken\": {");
    for (int a = 0; a < CM_RESHAPE_ALGORITHM_COUNT; a++) {
        if (reshape->reasons[a][0] == '\0')
            continue;
        cm_buffer_printf(text, "%s\n        \"%s\": ", comma,
                         cm_reshape_algorithm_name((enum cm_reshape_algorithm)a));
        cm_json_append_string(text, reshape->reasons[a]);
        comma = ",";
    }
    cm_buffer_printf(text, "%s},\n", comma[0] ? "\n      " : "");
}

static void append_step(struct cm_buffer *text, const struct cm_step_result *step)
{
    const char *indent = "      ";
    cm_buffer_printf(text, "    {\n%s\"op\": \"%s\",\n%s\"path\": \"%s\",\n%s\"where\": ", indent,
                     step->op, indent, step->path, indent);
    cm_json_append_string(text, step->where);
    cm_buffer_printf(text, ",\n%s\"times\": %" PRIu64 ",\n%s\"cycles\": %" PRIu64 ",\n", indent,
                     step->times, indent, step->counters.cycles);
    append_causes(text, &step->counters, indent);
    append_counters(text, &step->counters, indent);
    cm_buffer_printf(text, "%s\"sram_words\": %" PRIu64 ",\n", indent, step->sram_words);
    if (step->reshape != NULL)
        append_reshape(text, step->reshape);
    if (step->fft != NULL)
        cm_fft_json(step->fft, indent, text);
    append_channels(text, &step->channels, indent);
    if (step->network != NULL)
        cm_network_json(step->network, indent, text);
    cm_buffer_printf(text, "%s\"checked\": %s,\n%s\"mismatches\": %" PRIu64 "\n    }", indent,
                     step->checked ? "true" : "false", indent, step->mismatches);
}

static void append_head(struct cm_buffer *text, const struct cm_result *result)
{
    cm_buffer_printf(text, "{\n  \"format\": \"cm200-result/1\",\n  \"workload\": ");
    cm_json_append_string(text, result->workload);
    cm_buffer_printf(text, ",\n  \"machine\": ");
    cm_json_append_string(text, result->machine);
    cm_buffer_printf(text, ",\n  \"nodes\": %" PRIu32 ",\n  \"clock_hz\": %" PRIu64 ",\n",
                     result->nodes, result->clock_hz);
    cm_buffer_printf(text, "  \"timing_only\": %s,\n  \"cycles\": %" PRIu64 ",\n  \"seconds\": ",
                     result->timing_only ? "true" : "false", result->total.cycles);
    cm_json_append_double(text, (double)result->total.cycles / (double)result->clock_hz);
    cm_buffer_printf(text, ",\n");
}

static void append_host(struct cm_buffer *text, const struct cm_result *result)
{
    double seconds = (double)result->total.cycles / (double)result->clock_hz;
    cm_buffer_printf(text, "  \"host\": {\"wall_seconds\": ");
    cm_json_append_double(text, result->wall_seconds);
    cm_buffer_printf(text, ", \"threads\": %" PRIu32 ", \"real_time_factor\": ", result->threads);
    cm_json_append_double(text, result->wall_seconds > 0 ? seconds / result->wall_seconds : 0);
    cm_buffer_printf(text, "}\n}\n");
}

enum cm_status cm_result_json(const struct cm_result *result, struct cm_buffer *text,
                              struct cm_error *err)
{
    append_head(text, result);
    append_causes(text, &result->total, "  ");
    append_counters(text, &result->total, "  ");
    append_channels(text, &result->channels, "  ");
    cm_buffer_printf(text, "  \"steps\": [");
    for (uint32_t i = 0; i < result->step_count; i++) {
        cm_buffer_printf(text, "%s\n", i ? "," : "");
        append_step(text, &result->steps[i]);
    }
    cm_buffer_printf(text, "%s],\n", result->step_count ? "\n  " : "");
    cm_buffer_printf(text, "  \"checked\": %s,\n  \"mismatches\": %" PRIu64 ",\n",
                     result->checked ? "true" : "false", result->mismatches);
    append_host(text, result);
    if (!cm_buffer_ok(text))
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the result");
    return CM_OK;
}
