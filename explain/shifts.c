/* Writes the first sentences of the option --explain: how many exchanges the shifts of a PSHIFT
 * share, and why the run-time library made some shifts. */
#include "../base/wrap.h"
#include "../programs/workload/steps/pshift.h"
#include "../report/json_writer.h"
#include "../report/numbers.h"
#include "explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SENTENCE_BYTES 512u

/* Returns a number as text: in words up to twelve, otherwise in digits. */
static const char *in_words(uint64_t number, char digits[24])
{
    static const char *const words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    if (number < sizeof words / sizeof *words)
        return words[number];
    snprintf(digits, 24, "%" PRIu64, number);
    return digits;
}

CM_PRINTF(2, 3) static void sentence(struct cm_buffer *text, const char *format, ...)
{
    char words[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    cm_text_wrap(text, words, 2, CM_WRAP_COLUMNS);
}

static void write_array(struct cm_json_writer *json, const struct cm_layout *layout)
{
    cm_json_write_object(json, "a");
    cm_json_write_string(json, "type", cm_type_name(layout->type));
    cm_json_write_list(json, "shape");
    for (uint32_t i = 0; i < layout->rank; i++)
        cm_json_write_u64(json, NULL, layout->axes[i].length);
    cm_json_write_end(json);
    cm_json_write_list(json, "axes");
    for (uint32_t i = 0; i < layout->rank; i++)
        cm_json_write_string(json, NULL, cm_order_name(layout->axes[i].order));
    cm_json_write_end(json);
    cm_json_write_list(json, "weights");
    for (uint32_t i = 0; i < layout->rank; i++)
        cm_json_write_u64(json, NULL, layout->axes[i].weight);
    cm_json_write_end(json);
    cm_json_write_end(json);
}

/* Writes a workload that makes the shifts of a PSHIFT one by one. */
static void write_shifts(const struct cm_layout *layout, const struct cm_pshift_pattern *patterns,
                         uint32_t count, struct cm_buffer *text)
{
    struct cm_json_writer json;
    cm_json_writer_begin(&json, text);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-workload/1");
    cm_json_write_object(&json, "arrays");
    write_array(&json, layout);
    cm_json_write_record(&json, "b", {"like", cm_text("a")});
    cm_json_write_end(&json);
    cm_json_write_list(&json, "steps");
    for (uint32_t i = 0; i < count; i++) {
        bool circular = patterns[i].type == CM_SHIFT_CSHIFT;
        cm_json_write_object(&json, NULL);
        cm_json_write_record(&json, circular ? "cshift" : "eoshift", {"dst", cm_text("b")},
                             {"src", cm_text("a")}, {"dim", cm_u64(patterns[i].axis + 1)},
                             {"distance", cm_i64(patterns[i].distance)});
        cm_json_write_end(&json);
    }
    cm_json_write_end(&json);
    cm_json_write_end(&json);
}

/* Counts the exchanges that the shifts of a PSHIFT need when made one by one, with a run that moves
 * no data. Returns false if this run fails. *status is CM_NO_MEMORY if memory ran out. */
static bool count_one_by_one(struct cm_run *run, const struct cm_step_pshift_setup *setup,
                             uint64_t *exchanges, enum cm_status *status)
{
    struct cm_buffer text;
    struct cm_workload *workload = NULL;
    struct cm_run *second = NULL;
    const struct cm_run_options options = {
        .config = cm_machine_config(cm_system_machine(cm_run_system(run))),
        .nodes = setup->layout->nodes,
        .threads = 1,
        .timing_only = true};
    cm_buffer_init(&text);
    write_shifts(setup->layout, setup->patterns, setup->count, &text);
    *status = cm_buffer_ok(&text) ? CM_OK : CM_NO_MEMORY;
    if (*status == CM_OK)
        *status = cm_workload_parse("", text.data, text.length, &workload, NULL);
    if (*status == CM_OK)
        *status = cm_run_create(workload, &options, &second, NULL);
    if (*status == CM_OK)
        *status = cm_run_execute(second, NULL);
    bool ran = *status == CM_OK;
    if (ran)
        *exchanges = cm_run_result(second)->total.exchanges;
    cm_run_destroy(second);
    cm_workload_destroy(workload);
    cm_buffer_finish(&text);
    return ran;
}

static void explain_reasons(struct cm_run *run, const struct cm_step_pshift_setup *setup,
                            struct cm_buffer *text)
{
    const struct cm_pshift_pattern *patterns = setup->patterns;
    for (uint32_t i = 0; i < setup->count; i++) {
        const char *reason = cm_pshift_reason(cm_run_system(run), setup->id, i);
        if (reason != NULL)
            sentence(text,
                     "Shift %" PRIu32 " (%s along dim %" PRIu32 " by %" PRId64
                     ") went to the run-time library: %s.",
                     i + 1, cm_shift_type_name(patterns[i].type), patterns[i].axis + 1,
                     patterns[i].distance, reason);
    }
}

/* Returns the names of the calls that would make these shifts without a PSHIFT, such as
 * "CSHIFTs". */
static const char *names_of(const struct cm_pshift_pattern *patterns, uint32_t count)
{
    uint32_t circular = 0;
    for (uint32_t i = 0; i < count; i++)
        circular += patterns[i].type == CM_SHIFT_CSHIFT;
    return circular == count ? "CSHIFTs" : circular == 0 ? "EOSHIFTs" : "CSHIFTs and EOSHIFTs";
}

static void explain_setup(struct cm_run *run, uint32_t index, struct cm_buffer *text)
{
    char first[24], second[24];
    uint64_t alone = 0;
    struct cm_pshift_info info;
    const struct cm_step_pshift_setup setup = cm_step_pshift_setup_at(run, index);
    const uint32_t count = setup.count;
    if (cm_pshift_info(cm_run_system(run), setup.id, &info, NULL) != CM_OK)
        return;
    bool shared = info.by_runtime == 0 && count > 1 && info.exchanges > 0;
    enum cm_status counted = CM_OK;
    shared = shared && count_one_by_one(run, &setup, &alone, &counted);
    text->failed = text->failed || counted == CM_NO_MEMORY;
    if (shared)
        sentence(text,
                 "PSHIFT, %s: %s shifts share each exchange: %" PRIu64
                 " exchange%s where %s %s make %" PRIu64 ".",
                 setup.title, in_words(count, first), info.exchanges, cm_plural(info.exchanges),
                 in_words(count, second), names_of(setup.patterns, count), alone);
    else if (info.by_imp == 0)
        sentence(text, "PSHIFT, %s: the run-time library made %s.", setup.title,
                 count == 1 ? "its shift" : "its shifts, one after the other");
    else
        sentence(text,
                 "PSHIFT, %s: the microprogram made %s of %s shift%s, with %" PRIu64
                 " exchange%s a call.",
                 setup.title, in_words(info.by_imp, first), in_words(count, second),
                 cm_plural(count), info.exchanges, cm_plural(info.exchanges));
    explain_reasons(run, &setup, text);
}

/* Writes a sentence about the shifts outside any PSHIFT, which share no exchanges. */
static void explain_single_shifts(const struct cm_result *result, struct cm_buffer *text)
{
    uint64_t calls = 0, exchanges = 0;
    char digits[24];
    for (uint32_t i = 0; i < result->step_count; i++) {
        const struct cm_step_result *step = &result->steps[i];
        if (strcmp(step->op, "cshift") != 0 && strcmp(step->op, "eoshift") != 0)
            continue;
        calls += step->times;
        exchanges += step->counters.exchanges;
    }
    if (calls > 1)
        sentence(text,
                 "CSHIFT and EOSHIFT: %s calls make %" PRIu64
                 " exchange%s, one shift after the other; the shifts of a PSHIFT would share them.",
                 in_words(calls, digits), exchanges, cm_plural(exchanges));
}

void cm_explain_shifts(struct cm_run *run, struct cm_buffer *text)
{
    size_t before = text->length;
    for (uint32_t i = 0; i < cm_step_pshift_setup_count(run); i++)
        explain_setup(run, i, text);
    explain_single_shifts(cm_run_result(run), text);
    if (text->length > before)
        cm_buffer_printf(text, "\n");
}
