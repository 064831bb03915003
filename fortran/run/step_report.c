/* Writes reports of the steps "program" and "call": output, cycles by source line, and faults that
 * the check found. */
#include "step_private.h"

#include "../../base/text.h"
#include "../../report/numbers.h"
#include "direct.h"

#include <inttypes.h>
#include <string.h>

/* ---- check ---- */

static void put_fault(const struct cm_fortran_fault *fault, struct cm_buffer *text)
{
    cm_buffer_printf(text, "%s", fault->name);
    for (uint32_t i = 0; i < fault->rank; i++)
        cm_buffer_printf(text, "%s%" PRId64, i == 0 ? "(" : ", ", fault->index[i]);
    cm_buffer_printf(text, "%s is %s on the machine, but %s by direct evaluation; ",
                     fault->rank > 0 ? ")" : "", fault->got, fault->expected);
    cm_buffer_printf(text, "%" PRIu64 " of %" PRIu64 " element%s differ%s", fault->elements,
                     fault->compared, cm_plural(fault->compared), fault->compared == 1 ? "s" : "");
}

static void describe_fault(const struct cm_source *source, const struct cm_fortran_fault *fault,
                           struct cm_error *err)
{
    struct cm_buffer text;
    size_t length;
    cm_buffer_init(&text);
    put_fault(fault, &text);
    cm_error_at(err, CM_CHECK_FAILED, cm_source_name(source, fault->place.file), fault->place.line,
                fault->place.column, "%s", cm_buffer_ok(&text) ? text.data : "the check failed");
    const char *lines = cm_source_text(source, fault->place.file, &length);
    if (err != NULL && lines != NULL)
        cm_error_source(err, lines, length);
    cm_buffer_finish(&text);
}

void cm_fortran_step_count(struct cm_run *run, const struct cm_run_step *step,
                           struct cm_step_result *result, struct cm_error *err)
{
    struct cm_fortran_step_state *state = step->state;
    const struct cm_fortran_checker *checker = cm_fortran_run_checked(state->run);
    uint64_t found = checker->mismatches - state->mismatches;
    state->mismatches = checker->mismatches;
    result->partly = result->partly || checker->not_compared > 0;
    result->checked = !result->partly;
    if (found > 0 && run->result.mismatches == 0)
        describe_fault(state->source, &checker->faults.items[0], err);
    result->mismatches += found;
    run->result.mismatches += found;
}

static void report_fault(const struct cm_source *source, const struct cm_fortran_fault *fault,
                         struct cm_json_writer *json)
{
    cm_json_write_object(json, NULL);
    cm_json_write_members(json, {"file", cm_text(cm_source_name(source, fault->place.file))},
                          {"line", cm_u64(fault->place.line)}, {"name", cm_text(fault->name)});
    cm_json_write_list(json, "index");
    cm_json_write_compact(json, true);
    for (uint32_t i = 0; i < fault->rank; i++)
        cm_json_write(json, NULL, cm_i64(fault->index[i]));
    cm_json_write_compact(json, false);
    cm_json_write_end(json);
    cm_json_write_members(json, {"got", cm_text(fault->got)},
                          {"expected", cm_text(fault->expected)}, {"times", cm_u64(fault->times)},
                          {"mismatches", cm_u64(fault->elements)});
    cm_json_write_end(json);
}

static void report_faults(const struct cm_source *source, const struct cm_fortran_checker *checker,
                          struct cm_report *report)
{
    struct cm_buffer text;
    for (uint32_t i = 0; i < checker->faults.count; i++) {
        const struct cm_fortran_fault *fault = &checker->faults.items[i];
        if (report->json != NULL) {
            report_fault(source, fault, report->json);
            continue;
        }
        cm_buffer_init(&text);
        put_fault(fault, &text);
        if (cm_buffer_ok(&text))
            cm_report_line(report, "  %s:%" PRIu32 ": %s",
                           cm_source_name(source, fault->place.file), fault->place.line, text.data);
        else if (report->text != NULL)
            report->text->failed = true;
        cm_buffer_finish(&text);
    }
}

static void report_check(const struct cm_fortran_step_state *state, struct cm_report *report)
{
    const struct cm_fortran_checker *checker = cm_fortran_run_checked(state->run);
    if (checker == NULL)
        return;
    if (report->json == NULL) {
        cm_report_line(report,
                       "  array statements and reductions: %" PRIu64
                       " compared with a direct evaluation, %" PRIu64 " not compared",
                       checker->statements, checker->not_compared);
        report_faults(state->source, checker, report);
        return;
    }
    cm_json_write_object(report->json, "check");
    cm_json_write_members(report->json, {"compared", cm_u64(checker->statements)},
                          {"not_compared", cm_u64(checker->not_compared)});
    cm_json_write_list(report->json, "faults");
    report_faults(state->source, checker, report);
    cm_json_write_end(report->json);
    cm_json_write_end(report->json);
}

/* ---- report ---- */

struct cm_counters cm_fortran_step_so_far(const struct cm_run_step *step)
{
    const struct cm_fortran_step_state *state = step->state;
    if (state->run == NULL)
        return (struct cm_counters){0};
    struct cm_counters now = cm_fortran_run_counters(state->run);
    return cm_counters_difference(&now, &state->counters_before);
}

static void report_output(const char *name, const struct cm_buffer *output,
                          struct cm_json_writer *json)
{
    cm_json_write_list(json, name);
    for (size_t at = 0; at < output->length;) {
        const char *line = output->data + at;
        const char *end = memchr(line, '\n', output->length - at);
        size_t length = end != NULL ? (size_t)(end - line) : output->length - at;
        struct cm_buffer text;
        cm_buffer_init(&text);
        cm_buffer_append(&text, line, length);
        cm_json_write(json, NULL, cm_text(text.data != NULL ? text.data : ""));
        json->text->failed = json->text->failed || !cm_buffer_ok(&text);
        cm_buffer_finish(&text);
        at += length + 1;
    }
    cm_json_write_end(json);
}

static void report_line(const struct cm_source *source, const struct cm_fortran_line *line,
                        struct cm_json_writer *json)
{
    cm_json_write_object(json, NULL);
    cm_json_write(json, "file", cm_text(cm_source_name(source, line->file)));
    cm_json_write(json, "line", cm_u64(line->line));
    cm_json_write(json, "times", cm_u64(line->times));
    cm_json_write(json, "cycles", cm_u64(line->counters.cycles));
    cm_json_write(json, "elapsed_cycles", cm_u64(line->counters.elapsed_cycles));
    if (line->note[0] != '\0')
        cm_json_write(json, "note", cm_text(line->note));
    cm_json_write_object(json, "cycles_by_cause");
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        if (line->counters.by_cause[i] > 0)
            cm_json_write(json, cm_cause_name((enum cm_cause)i),
                          cm_u64(line->counters.by_cause[i]));
    cm_json_write_end(json);
    cm_json_write_end(json);
}

/* Reports the compiler's warning. */
static void report_warning(const struct cm_fortran_step_state *state, struct cm_report *report)
{
    const struct cm_error *warning = &state->warning;
    if (!state->has_warning)
        return;
    if (report->json == NULL) {
        cm_report_line(report, "  %s:%" PRIu32 ":%" PRIu32 ": warning: %s", warning->file,
                       warning->line, warning->column, warning->message);
        cm_report_line(report, "  hint: %s", warning->hint);
        return;
    }
    cm_json_write_list(report->json, "warnings");
    cm_json_write_object(report->json, NULL);
    cm_json_write_members(report->json, {"file", cm_text(warning->file)},
                          {"line", cm_u64(warning->line)}, {"column", cm_u64(warning->column)},
                          {"message", cm_text(warning->message)}, {"hint", cm_text(warning->hint)});
    cm_json_write_end(report->json);
    cm_json_write_end(report->json);
}

void cm_fortran_step_report(const struct cm_step_result *result, struct cm_report *report)
{
    uint32_t count;
    const struct cm_source *source;
    const struct cm_fortran_line *lines = cm_fortran_step_lines(result, &count, &source);
    const struct cm_buffer *output = cm_fortran_step_output(result);
    if (output == NULL)
        return;
    report_warning(result->state, report);
    report_check(result->state, report);
    if (report->json == NULL)
        return;
    report_output("output", output, report->json);
    const struct cm_fortran_step_state *state = result->state;
    if (cm_fortran_run_errors(state->run)->length > 0)
        report_output("error_output", cm_fortran_run_errors(state->run), report->json);
    if (cm_fortran_run_stop_code(state->run) != 0)
        cm_json_write(report->json, "stop_code", cm_u64(cm_fortran_run_stop_code(state->run)));
    cm_json_write_list(report->json, "lines");
    for (uint32_t i = 0; i < count; i++)
        if (lines[i].times > 0)
            report_line(source, &lines[i], report->json);
    cm_json_write_end(report->json);
}

static bool is_fortran(const struct cm_step_result *step)
{
    return step->kind != NULL && step->kind->report == cm_fortran_step_report;
}

const struct cm_buffer *cm_fortran_step_output(const struct cm_step_result *step)
{
    const struct cm_fortran_step_state *state = step->state;
    return is_fortran(step) ? cm_fortran_run_output(state->run) : NULL;
}

const struct cm_fortran_line *cm_fortran_step_lines(const struct cm_step_result *step,
                                                    uint32_t *count,
                                                    const struct cm_source **source)
{
    const struct cm_fortran_step_state *state = step->state;
    *count = 0;
    *source = NULL;
    if (!is_fortran(step))
        return NULL;
    *source = state->source;
    return cm_fortran_run_lines(state->run, count);
}

uint32_t cm_fortran_step_line(const struct cm_step_result *step, uint32_t i, const char **file)
{
    const struct cm_fortran_step_state *state = step->state;
    const struct cm_fortran_line *line =
        is_fortran(step) && state->run != NULL ? cm_fortran_run_line(state->run, i) : NULL;
    if (line == NULL)
        return 0;
    *file = cm_source_name(state->source, line->file);
    return line->line;
}

const struct cm_array *cm_fortran_step_array(const struct cm_step_result *step, uint32_t i,
                                             const char **name)
{
    const struct cm_fortran_step_state *state = step->state;
    return is_fortran(step) && state->run != NULL ? cm_fortran_run_array(state->run, i, name)
                                                  : NULL;
}

bool cm_fortran_step_statement(const struct cm_step_result *step, uint32_t *file, uint32_t *line)
{
    const struct cm_fortran_step_state *state = step->state;
    struct cm_source_place place;
    if (!is_fortran(step) || !cm_fortran_run_statement(state->run, &place))
        return false;
    *file = place.file;
    *line = place.line;
    return true;
}
