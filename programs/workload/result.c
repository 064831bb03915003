/* Result of a run: the summary for people, at most 100 columns wide, and the complete result as
 * JSON. */
#include "result.h"

#include "../../base/processes.h"
#include "../../report/bars.h"
#include "../../report/numbers.h"
#include "intervals.h"
#include "provenance.h"
#include "step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BAR_CELLS 40u
#define ROWS_MAX  48u /* most steps in the summary. The JSON result has all steps */

static const struct cm_column step_columns[] = {
    {.name = "step"},
    {.name = "op"},
    {.name = "path"},
    {"times", .kind = CM_COLUMN_COUNT},
    {"cycles", .kind = CM_COLUMN_COUNT},
    {"elapsed", .kind = CM_COLUMN_COUNT},
    {"exchanges", .kind = CM_COLUMN_COUNT},
    {"page faults", .kind = CM_COLUMN_COUNT},
    {"loads", .kind = CM_COLUMN_COUNT},
    {"stores", .kind = CM_COLUMN_COUNT},
};
#define TIMES_COLUMN   3u
#define ELAPSED_COLUMN 5u
#define FAULTS_COLUMN  7u

/* Shortens a step's JSON pointer to numbers that count from 1: "/steps/2/repeat/steps/0" becomes
 * "3.1". */
static void format_where(const char *where, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *c = where; *c != '\0' && used + 24 < size; c++) {
        if (*c != '/' || c[1] < '0' || c[1] > '9')
            continue;
        unsigned long index = strtoul(c + 1, NULL, 10);
        used += (size_t)snprintf(out + used, size - used, "%s%lu", used ? "." : "", index + 1);
    }
}

static double seconds_of(const struct cm_result *result)
{
    return (double)result->total.cycles / (double)result->clock_hz;
}

static double real_time_factor(const struct cm_result *result)
{
    return result->wall_seconds > 0 ? seconds_of(result) / result->wall_seconds : 0;
}

static void append_header(struct cm_buffer *text, const struct cm_result *result, unsigned style)
{
    cm_buffer_printf(text, "%s%s%s on %s", cm_style_code(style, CM_CODE_BOLD), result->workload,
                     cm_style_code(style, CM_CODE_RESET), result->machine);
    cm_provenance_title(result->config, text);
    cm_buffer_printf(text, ": %" PRIu32 " node%s at %s, %" PRIu32 " thread%s%s\n", result->nodes,
                     cm_plural(result->nodes), cm_format_hz(result->clock_hz).text, result->threads,
                     cm_plural(result->threads), result->timing_only ? ", timing only" : "");
}

/* Writer of lines of settings such as "L = 64, N = 4,096" below the title, at most 100 columns
 * wide. */
struct settings {
    struct cm_buffer *text;
    size_t width; /* number of columns of the line so far */
};

static void append_setting(struct settings *settings, const char *name, const char *digits)
{
    char entry[128];
    size_t length = (size_t)snprintf(entry, sizeof entry, "%s = %s", name, digits);
    bool fits = settings->width + length <= 94;
    if (settings->width > 0)
        cm_buffer_printf(settings->text, fits ? ", " : ",\n");
    settings->width = settings->width > 0 && fits ? settings->width + length + 2 : length;
    cm_buffer_printf(settings->text, "%s%s", settings->width == length ? "  " : "", entry);
}

static void append_parameters(struct cm_buffer *text, const struct cm_result *result)
{
    struct settings settings = {.text = text};
    for (uint32_t i = 0; i < result->parameter_count; i++) {
        char digits[24];
        snprintf(digits, sizeof digits, "%" PRId64, result->parameters[i].value);
        append_setting(&settings, result->parameters[i].name, digits);
    }
    if (settings.width > 0)
        cm_buffer_printf(text, "\n");
}

/* Appends the numbers that --set has changed, if there are several. A single number is already in
 * the title. */
static void append_overrides(struct cm_buffer *text, const struct cm_result *result)
{
    struct settings settings = {.text = text};
    if (cm_provenance_override_count(result->config) < 2)
        return;
    for (uint32_t i = 0; i < cm_config_count(); i++) {
        struct cm_config_number number = cm_config_at(result->config, i);
        char digits[24];
        snprintf(digits, sizeof digits, "%" PRIu64, number.value);
        if (number.status == CM_NUMBER_SET)
            append_setting(&settings, number.path, digits);
    }
    cm_buffer_printf(text, "\n");
}

/* Appends the table of steps. The column `times` appears only if a step was executed more
 * than once. If the machine was idle in a step, the column `elapsed` replaces the column of
 * page faults. */
static void append_table(struct cm_buffer *text, const struct cm_result *result, unsigned style)
{
    uint32_t shown = result->step_count < ROWS_MAX ? result->step_count : ROWS_MAX;
    bool repeats = false, idles = false;
    struct cm_table table;
    cm_table_init(&table, step_columns, CM_COUNT_OF(step_columns));
    table.heading = CM_CODE_DIM;
    for (uint32_t i = 0; i < shown; i++) {
        const struct cm_step_result *step = &result->steps[i];
        char where[64];
        format_where(step->where, where, sizeof where);
        cm_table_row(&table, cm_text(where), cm_text(step->op), cm_text(step->path),
                     cm_u64(step->times), cm_u64(step->counters.cycles),
                     cm_u64(step->counters.elapsed_cycles), cm_u64(step->counters.exchanges),
                     cm_u64(step->counters.page_faults), cm_u64(step->counters.loads),
                     cm_u64(step->counters.stores));
        repeats = repeats || step->times > 1;
        idles = idles || step->counters.elapsed_cycles != step->counters.cycles;
    }
    table.hidden = (repeats ? 0 : UINT32_C(1) << TIMES_COLUMN) |
                   UINT32_C(1) << (idles ? FAULTS_COLUMN : ELAPSED_COLUMN);
    cm_buffer_printf(text, "\n");
    cm_table_text(&table, style, text);
    cm_table_finish(&table);
    if (shown < result->step_count)
        cm_buffer_printf(text, "  and %" PRIu32 " more steps (--json shows all)\n",
                         result->step_count - shown);
}

static void append_causes(struct cm_buffer *text, const struct cm_result *result, unsigned style)
{
    bool shown[CM_CAUSE_COUNT] = {false};
    for (;;) {
        int most = -1;
        for (int i = 0; i < CM_CAUSE_COUNT; i++) {
            uint64_t value = result->total.by_cause[i];
            if (!shown[i] && value > 0 && (most < 0 || value > result->total.by_cause[most]))
                most = i;
        }
        if (most < 0)
            break;
        shown[most] = true;
        double share = (double)result->total.by_cause[most] / (double)result->total.cycles;
        cm_buffer_printf(text, "  %-17s%s", cm_cause_name((enum cm_cause)most),
                         cm_style_code(style, "\033[36m"));
        cm_bar(text, style, share, BAR_CELLS);
        cm_buffer_printf(text, "%s %14s %5.1f %%\n", cm_style_code(style, CM_CODE_RESET),
                         cm_format_count(result->total.by_cause[most]).text, share * 100);
    }
}

/* Appends the confidence interval of the total cycles. The intervals of the steps are only in the
 * JSON result. */
static void append_intervals(struct cm_buffer *text, const struct cm_intervals *intervals)
{
    if (intervals == NULL)
        return;
    cm_buffer_printf(text, "  %g %% interval: %s", intervals->level * 100,
                     cm_format_count(intervals->total.low).text);
    cm_buffer_printf(text,
                     " to %s cycles, over %" PRIu32 " machines; such intervals hold %.0f %% of "
                     "the CM-200's published\n  times that the machines were not fitted to\n\n",
                     cm_format_count(intervals->total.high).text, intervals->machines,
                     intervals->coverage * 100);
}

static void append_total(struct cm_buffer *text, const struct cm_result *result, unsigned style)
{
    const char *bold = cm_style_code(style, CM_CODE_BOLD);
    const char *reset = cm_style_code(style, CM_CODE_RESET);
    cm_buffer_printf(text, "\n  %s%s cycle%s%s = %s%s%s at %s\n", bold,
                     cm_format_count(result->total.cycles).text, cm_plural(result->total.cycles),
                     reset, bold, cm_format_seconds(seconds_of(result)).text, reset,
                     cm_format_hz(result->clock_hz).text);
}

/* Appends the elapsed time, and the share of it in which the machine waited for the front end. */
static void append_elapsed(struct cm_buffer *text, const struct cm_result *result)
{
    uint64_t elapsed = result->total.elapsed_cycles;
    double idle = elapsed > 0 ? (double)(elapsed - result->total.cycles) / (double)elapsed : 0;
    cm_buffer_printf(text, "  elapsed %s with the front end, which made %s call%s",
                     cm_format_seconds((double)elapsed / (double)result->clock_hz).text,
                     cm_format_count(result->total.calls).text, cm_plural(result->total.calls));
    cm_buffer_printf(text, "; the machine idle %.1f %%\n\n", idle * 100);
}

/* Appends the cycles of exchanges that overlapped other work. The sum over the causes does not
 * include them. */
static void append_hidden(struct cm_buffer *text, const struct cm_counters *total)
{
    uint64_t hidden = total->hidden_cycles;
    uint64_t all = total->by_cause[CM_CAUSE_EXCHANGE] + hidden;
    if (hidden == 0)
        return;
    cm_buffer_printf(text, "\n  hidden           %s", cm_format_count(hidden).text);
    cm_buffer_printf(text, " of %s exchange cycle%s (%.1f %%) passed during other work\n",
                     cm_format_count(all).text, cm_plural(all), 100 * (double)hidden / (double)all);
}

static void append_channels(struct cm_buffer *text, const struct cm_result *result)
{
    const struct cm_channel_use *use = &result->channels;
    cm_buffer_printf(text, "\n  busiest channel  ");
    if (use->max_load == 0) {
        cm_buffer_printf(text, "none: nothing was sent between nodes\n");
        return;
    }
    cm_buffer_printf(text,
                     "node %" PRIu32 ", dimension %" PRIu32 ", channel %" PRIu32
                     ": %s word%s, %s cycle%s (mean %.1f)\n",
                     use->max_node, use->max_dimension, use->max_channel,
                     cm_format_count(use->max_load).text, cm_plural(use->max_load),
                     cm_format_count(use->max_busy_cycles).text, cm_plural(use->max_busy_cycles),
                     use->mean_busy_cycles);
}

/* Returns true if the check of some step allowed differences by rounding. */
static bool has_rounded(const struct cm_result *result)
{
    for (uint32_t i = 0; i < result->step_count; i++)
        if (result->steps[i].rounded)
            return true;
    return false;
}

static void append_check(struct cm_buffer *text, const struct cm_result *result, unsigned style)
{
    const char *reset = cm_style_code(style, CM_CODE_RESET);
    uint32_t checked = 0, partly = 0;
    for (uint32_t i = 0; i < result->step_count; i++) {
        checked += result->steps[i].checked;
        partly += result->steps[i].partly;
    }
    cm_buffer_printf(text, "  checked          ");
    if (result->mismatches > 0)
        cm_buffer_printf(text, "%sWRONG: %s element%s from the direct evaluation%s\n",
                         cm_style_code(style, "\033[1;31m"),
                         cm_format_count(result->mismatches).text,
                         result->mismatches == 1 ? " differs" : "s differ", reset);
    else if (result->checked && result->step_count > 0)
        cm_buffer_printf(text,
                         "%syes%s, every element of every step equals the direct evaluation%s\n",
                         cm_style_code(style, "\033[32m"), reset,
                         has_rounded(result) ? "; transforms, up to rounding" : "");
    else if (partly > 0)
        cm_buffer_printf(text, "in part: what was compared equals the direct evaluation\n");
    else if (checked > 0)
        cm_buffer_printf(
            text, "%" PRIu32 " of %" PRIu32 " steps; hand-written IMPs have no direct evaluation\n",
            checked, result->step_count);
    else
        cm_buffer_printf(text, "no%s\n", result->timing_only ? ": timing only, no data" : "");
}

void cm_result_summary(const struct cm_result *result, unsigned style, struct cm_buffer *text)
{
    struct cm_report report = {.text = text, .style = style};
    append_header(text, result, style);
    append_overrides(text, result);
    append_parameters(text, result);
    append_table(text, result, style);
    for (uint32_t i = 0; (style & CM_SUMMARY_COMMON) == 0 && i < result->step_count; i++) {
        const struct cm_step_result *step = &result->steps[i];
        if (step->kind != NULL && step->kind->report != NULL)
            step->kind->report(step, &report);
    }
    append_total(text, result, style);
    append_elapsed(text, result);
    append_intervals(text, result->intervals);
    append_causes(text, result, style);
    append_hidden(text, &result->total);
    append_channels(text, result);
    append_check(text, result, style);
    cm_buffer_printf(text, "  real-time factor %.3g (%s on this host)\n", real_time_factor(result),
                     cm_format_seconds(result->wall_seconds).text);
}

/* Writes the parameters, if the workload has any. */
static void write_parameters(struct cm_json_writer *json, const struct cm_result *result)
{
    if (result->parameter_count == 0)
        return;
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "parameters");
    for (uint32_t i = 0; i < result->parameter_count; i++)
        cm_json_write_i64(json, result->parameters[i].name, result->parameters[i].value);
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
}

/* Writes the elapsed time, which includes waiting for the front end. */
static void write_elapsed(struct cm_json_writer *json, const struct cm_result *result,
                          const struct cm_counters *counters)
{
    cm_json_write_f64(json, "elapsed_seconds",
                      (double)counters->elapsed_cycles / (double)result->clock_hz);
    cm_json_write_record(json, "elapsed", {"cycles", cm_u64(counters->elapsed_cycles)},
                         {"idle_cycles", cm_u64(counters->elapsed_cycles - counters->cycles)},
                         {"front_end_cycles", cm_u64(counters->front_end_cycles)},
                         {"calls", cm_u64(counters->calls)});
}

static void write_causes(struct cm_json_writer *json, const struct cm_counters *counters)
{
    cm_json_write_object(json, "cycles_by_cause");
    for (int cause = 0; cause < CM_CAUSE_COUNT; cause++)
        cm_json_write_u64(json, cm_cause_name((enum cm_cause)cause), counters->by_cause[cause]);
    cm_json_write_end(json);
}

/* Writes counters as JSON. If exchanges can overlap other work, also writes the cycles of exchanges
 * that were hidden in this way. */
static void write_counters(struct cm_json_writer *json, const struct cm_result *result,
                           const struct cm_counters *counters)
{
    write_causes(json, counters);
    if (result->overlap)
        cm_json_write_u64(json, "hidden_cycles", counters->hidden_cycles);
    cm_json_write_members(json, {"exchanges", cm_u64(counters->exchanges)},
                          {"loads", cm_u64(counters->loads)}, {"stores", cm_u64(counters->stores)},
                          {"page_faults", cm_u64(counters->page_faults)},
                          {"words_moved_locally", cm_u64(counters->words_moved_locally)},
                          {"words_sent", cm_u64(counters->words_sent)},
                          {"instructions", cm_u64(counters->instructions)},
                          {"flops_per_node", cm_u64(counters->flops)});
}

static void write_channels(struct cm_json_writer *json, const struct cm_channel_use *use)
{
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "channels");
    cm_json_write_members(
        json, {"max_busy_cycles", cm_u64(use->max_busy_cycles)},
        {"mean_busy_cycles", cm_f64(use->mean_busy_cycles)}, {"max_load", cm_u64(use->max_load)},
        {"total_words", cm_u64(use->total_words)}, {"channels", cm_u64(use->channels)});
    if (use->max_load > 0)
        cm_json_write_record(json, "busiest", {"node", cm_u64(use->max_node)},
                             {"dimension", cm_u64(use->max_dimension)},
                             {"channel", cm_u64(use->max_channel)});
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
}

static void write_interval(struct cm_json_writer *json, const struct cm_interval *interval)
{
    cm_json_write_record(json, "cycles_interval", {"low", cm_u64(interval->low)},
                         {"high", cm_u64(interval->high)});
}

static void write_intervals(struct cm_json_writer *json, const struct cm_intervals *intervals)
{
    write_interval(json, &intervals->total);
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "intervals");
    cm_json_write_members(json, {"level", cm_f64(intervals->level)},
                          {"coverage", cm_f64(intervals->coverage)},
                          {"widening_low", cm_f64(intervals->widening[0])},
                          {"widening_high", cm_f64(intervals->widening[1])});
    cm_json_write_list(json, "cycles_by_machine");
    for (uint32_t m = 0; m < intervals->machines; m++)
        cm_json_write_u64(json, NULL, intervals->cycles[m]);
    cm_json_write_end(json);
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
}

/* Returns true if a step has something to report in addition to its counters. In a partial result,
 * a step that was not executed or not completed has nothing to report. */
static bool has_report(const struct cm_result *result, const struct cm_step_result *step)
{
    if (step->kind == NULL || step->kind->report == NULL)
        return false;
    bool broken =
        result->interrupted_in != NULL && strcmp(result->interrupted_in, step->where) == 0;
    return !result->partial || (broken ? step->kind->so_far != NULL : step->times > 0);
}

/* Writes how far an interrupted run came. */
static void write_partial(struct cm_json_writer *json, const struct cm_result *result)
{
    if (result->partial)
        cm_json_write_members(json, {"partial", cm_bool(true)},
                              {"steps_done", cm_u64(result->steps_done)},
                              {"steps_total", cm_u64(result->steps_total)},
                              {"interrupted_in", cm_text(result->interrupted_in)});
}

#define METHODS_MAX 64u /* most steps whose methods are written */

/* Returns the number of a step's keys whose value is a name from a list. */
static uint32_t count_names(const struct cm_step_result *step)
{
    uint32_t count = 0;
    if (step->kind == NULL || step->own == NULL || step->kind->is_list)
        return 0;
    for (uint32_t k = 0; k < step->kind->key_count; k++)
        count += step->kind->keys[k].type == CM_KEY_NAME;
    return count;
}

static void write_names(struct cm_json_writer *json, const struct cm_step_result *step)
{
    for (uint32_t k = 0; k < step->kind->key_count; k++) {
        const struct cm_key *key = &step->kind->keys[k];
        if (key->type == CM_KEY_NAME)
            cm_json_write_string(json, key->name,
                                 cm_key_name_at(key, (uint32_t)cm_key_number_at(key, step->own)));
    }
}

/* Writes the settings of a step: the names that its keys choose, and what its kind adds. */
static void write_settings(struct cm_json_writer *json, const struct cm_step_result *step)
{
    write_names(json, step);
    if (step->kind->settings != NULL)
        step->kind->settings(step, json);
}

static void write_step(struct cm_json_writer *json, const struct cm_result *result,
                       const struct cm_step_result *step, const struct cm_interval *interval)
{
    struct cm_report report = {.json = json};
    cm_json_write_object(json, NULL);
    cm_json_write_members(json, {"op", cm_text(step->op)}, {"path", cm_text(step->path)},
                          {"where", cm_text(step->where)}, {"times", cm_u64(step->times)},
                          {"cycles", cm_u64(step->counters.cycles)});
    if (interval != NULL)
        write_interval(json, interval);
    write_elapsed(json, result, &step->counters);
    write_counters(json, result, &step->counters);
    cm_json_write_u64(json, "sram_words", step->sram_words);
    if (step->kind != NULL && step->kind->settings != NULL) {
        cm_json_write_object(json, "settings");
        write_settings(json, step);
        cm_json_write_end(json);
    }
    write_channels(json, &step->channels);
    if (has_report(result, step))
        step->kind->report(step, &report);
    cm_json_write_bool(json, "checked", step->checked);
    cm_json_write_u64(json, "mismatches", step->mismatches);
    cm_json_write_end(json);
}

/* Writes the methods of the steps: the names that their keys choose, such as the routing, and
 * further settings. */
static void write_methods(struct cm_json_writer *json, const struct cm_result *result)
{
    uint32_t written = 0;
    for (uint32_t i = 0; i < result->step_count && written < METHODS_MAX; i++) {
        if (count_names(&result->steps[i]) == 0)
            continue;
        if (written++ == 0)
            cm_json_write_list(json, "methods");
        cm_json_write_object(json, NULL);
        cm_json_write_members(json, {"where", cm_text(result->steps[i].where)});
        write_settings(json, &result->steps[i]);
        cm_json_write_end(json);
    }
    if (written > 0)
        cm_json_write_end(json);
}

void cm_result_made_of(const struct cm_result *result, struct cm_buffer *text)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "workload", result->workload);
    cm_json_write_object(&json, "parameters");
    for (uint32_t i = 0; i < result->parameter_count; i++)
        cm_json_write_i64(&json, result->parameters[i].name, result->parameters[i].value);
    cm_json_write_end(&json);
    cm_json_write_members(&json, {"machine", cm_text(result->machine)},
                          {"nodes", cm_u64(result->nodes)},
                          {"timing_only", cm_bool(result->timing_only)});
    cm_provenance_write(&json, result);
    write_methods(&json, result);
    cm_json_write_end(&json);
    if (cm_buffer_ok(text) && text->length > 0 && text->data[text->length - 1] == '\n')
        text->data[--text->length] = '\0';
}

/* Number of members of "host" that exist only with several processes. */
#define OF_PROCESSES 4u

/* Writes what depends on the host. The number of messages is that of this process. All processes
 * send the same number. */
static void write_host(struct cm_json_writer *json, const struct cm_result *result)
{
    const struct cm_process_link *link = cm_processes();
    const struct cm_process_use use = cm_processes_use();
    const struct cm_json_member all[] = {
        {"wall_seconds", cm_f64(result->wall_seconds)},
        {"threads", cm_u64(result->threads)},
        {"executor", cm_text(result->executor)},
        {"real_time_factor", cm_f64(real_time_factor(result))},
        {"command", cm_text(result->command)},
        {"commit", cm_text(result->commit)},
        {"processes", cm_u64(link != NULL ? link->count : 1)},
        {"messages", cm_u64(use.messages)},
        {"message_bytes", cm_u64(use.bytes)},
        {"message_waits", cm_u64(use.waits)},
    };
    const size_t count = sizeof all / sizeof *all;
    cm_json_write_object_of(json, "host", all, link != NULL ? count : count - OF_PROCESSES);
}

enum cm_status cm_result_json(const struct cm_result *result, struct cm_buffer *text,
                              struct cm_error *err)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    cm_json_write_object(&json, NULL);
    cm_json_write_members(&json, {"format", cm_text("cm200-result/1")},
                          {"workload", cm_text(result->workload)});
    write_partial(&json, result);
    write_parameters(&json, result);
    cm_json_write_members(&json, {"machine", cm_text(result->machine)},
                          {"nodes", cm_u64(result->nodes)}, {"clock_hz", cm_u64(result->clock_hz)},
                          {"timing_only", cm_bool(result->timing_only)});
    cm_json_write_members(&json, {"cycles", cm_u64(result->total.cycles)},
                          {"seconds", cm_f64(seconds_of(result))});
    write_elapsed(&json, result, &result->total);
    if (result->intervals != NULL)
        write_intervals(&json, result->intervals);
    write_counters(&json, result, &result->total);
    write_channels(&json, &result->channels);
    cm_json_write_list(&json, "steps");
    for (uint32_t i = 0; i < result->step_count; i++)
        write_step(&json, result, &result->steps[i],
                   result->intervals != NULL ? &result->intervals->steps[i] : NULL);
    cm_json_write_end(&json);
    cm_json_write_bool(&json, "checked", result->checked);
    cm_json_write_u64(&json, "mismatches", result->mismatches);
    cm_provenance_write(&json, result);
    write_host(&json, result);
    cm_json_write_end(&json);
    if (!cm_buffer_ok(text))
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for the result");
    return CM_OK;
}
