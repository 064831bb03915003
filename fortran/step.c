/* The step program: read and checked with the workload, played as one step. */
#include "step.h"

#include "../base/file.h"
#include "../base/text.h"
#include "../report/numbers.h"
#include "direct.h"
#include "parse.h"
#include "step_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct own {
    const char *file;
    uint32_t order, level;
    uint64_t max_cycles;
    struct cm_fortran_step_data data;
};

struct state {
    struct cm_source *source;
    struct cm_fortran_program *program;
    struct cm_fortran_run *run;
    bool played;
};

static struct cm_fortran_run_options options_of(const struct own *own, bool check)
{
    return (struct cm_fortran_run_options){
        .level = own->level, .check = check, .max_cycles = own->max_cycles};
}

static const char *const orders[] = {"cm", "f90", NULL};

static const struct cm_key keys[] = {
    CM_KEY(FILE, "file", struct own, file, "of the program", .required = true, .form = "a path"),
    CM_KEY(NAME, "cshift_order", struct own, order,
           "what CSHIFT(A, 1, -1) means: cm, (array, dim, shift); f90, (array, shift, dim)",
           .names = orders),
    CM_KEY(INTEGER, "level", struct own, level,
           "of optimization: 0, each shift by itself; 1, shifts of neighbouring statements in one "
           "PSHIFT, the statements in one IMP",
           .max = 1),
    CM_KEY(INTEGER, "max_cycles", struct own, max_cycles,
           "the program is stopped when it takes more", .min = 1, .max = UINT64_C(1) << 62,
           .otherwise = "it may take any number"),
    CM_KEY_FORM("parameters", "object: name to number, true or false", "fortran_parameters",
                "values for PARAMETERs of the main program", .otherwise = "those in the program"),
    CM_KEY_FORM("load", "object: name to .npy file", "array_files",
                "what arrays of the main program hold when it begins", .otherwise = "zeros"),
    CM_KEY_FORM("save", "object: name to .npy file", "array_files",
                "arrays of the main program to save after the run", .otherwise = "no array"),
};

static void read_data(struct cm_workload *workload, struct cm_workload_step *step,
                      struct cm_reader *reader)
{
    struct own *own = step->own;
    cm_fortran_step_data_read(workload, reader, step->body, &own->data);
}

/* The first of the messages; there is one. */
static enum cm_status first_message(const struct cm_messages *messages, struct cm_error *err)
{
    if (messages->count == 0)
        return cm_error_no_memory(err);
    if (err != NULL)
        *err = messages->items[0];
    return messages->status;
}

static enum cm_status check_program(const struct own *own, const char *path, const char *text,
                                    size_t length, struct state *state, struct cm_error *err)
{
    struct cm_messages messages = {0};
    struct cm_syntax *tree = NULL;
    const struct cm_fortran_options options = {.f90_order = own->order == 1,
                                               .parameters = own->data.parameters,
                                               .parameter_count = own->data.parameter_count};
    enum cm_status status =
        cm_syntax_parse(path, text, length, NULL, &state->source, &messages, &tree);
    if (status == CM_OK) {
        state->program = cm_fortran_check(tree, state->source, &options, &messages);
        status = state->program != NULL ? CM_OK : CM_BAD_INPUT;
    }
    if (status != CM_OK)
        status = first_message(&messages, err);
    cm_messages_finish(&messages);
    cm_syntax_destroy(tree);
    return status;
}

/* A run with the first values of its arrays. */
static enum cm_status make_run(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct own *own = step->step->own;
    struct state *state = step->state;
    const struct cm_fortran_run_options options = options_of(own, run->check);
    enum cm_status status =
        cm_fortran_run_create(state->program, run->system, &options, &state->run, err);
    return status == CM_OK ? cm_fortran_step_load(&own->data, state->run, err) : status;
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct own *own = step->step->own;
    struct state *state = step->state;
    char *path = cm_path_beside(cm_json_name(run->workload->document), own->file), *text = NULL;
    size_t length;
    if (path == NULL)
        return cm_error_no_memory(err);
    enum cm_status status = cm_file_read(path, CM_FORTRAN_MAX_BYTES, &text, &length, err);
    if (status == CM_OK)
        status = check_program(own, path, text, length, state, err);
    if (status == CM_OK)
        status = make_run(run, step, err);
    free(text);
    free(path);
    return status;
}

static enum cm_status play(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    struct state *state = step->state;
    if (cm_machine_timing_only(cm_system_machine(run->system)))
        return cm_error_refuse(err, "leave out --timing-only",
                               "a Fortran program needs its data: what it does depends on them");
    if (state->played) { /* in a repeat: from the beginning, with fresh storage */
        cm_fortran_run_destroy(state->run);
        state->run = NULL;
        enum cm_status status = make_run(run, step, err);
        if (status != CM_OK)
            return status;
    }
    state->played = true;
    return cm_fortran_run_play(state->run, err);
}

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

/* The statements were compared when they were played. */
static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct state *state = step->state;
    const struct cm_fortran_checker *checker = cm_fortran_run_checked(state->run);
    result->partly = result->partly || checker->others > 0;
    result->checked = !result->partly;
    if (checker->mismatches > 0 && run->result.mismatches == 0)
        describe_fault(state->source, &checker->faults.items[0], err);
    result->mismatches += checker->mismatches;
    run->result.mismatches += checker->mismatches;
    return CM_OK;
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
        cm_buffer_finish(&text);
    }
}

static void report_check(const struct state *state, struct cm_report *report)
{
    const struct cm_fortran_checker *checker = cm_fortran_run_checked(state->run);
    if (checker == NULL)
        return;
    if (report->json == NULL) {
        cm_report_line(report,
                       "  %" PRIu64 " array statement%s and reductions compared with a direct "
                       "evaluation, %" PRIu64 " not compared",
                       checker->statements, cm_plural(checker->statements), checker->others);
        report_faults(state->source, checker, report);
        return;
    }
    cm_json_write_object(report->json, "check");
    cm_json_write_members(report->json, {"compared", cm_u64(checker->statements)},
                          {"not_compared", cm_u64(checker->others)});
    cm_json_write_list(report->json, "faults");
    report_faults(state->source, checker, report);
    cm_json_write_end(report->json);
    cm_json_write_end(report->json);
}

static enum cm_status save(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct own *own = step->step->own;
    const struct state *state = step->state;
    (void)run;
    return cm_fortran_step_save(&own->data, state->run, err);
}

static void finish(struct cm_run *run, struct cm_run_step *step)
{
    struct state *state = step->state;
    (void)run;
    cm_fortran_run_destroy(state->run);
    cm_fortran_program_destroy(state->program);
    cm_source_destroy(state->source);
}

/* ---- report ---- */

static void report_output(const struct cm_buffer *output, struct cm_json_writer *json)
{
    cm_json_write_list(json, "output");
    for (size_t at = 0; at < output->length;) {
        const char *line = output->data + at;
        const char *end = memchr(line, '\n', output->length - at);
        size_t length = end != NULL ? (size_t)(end - line) : output->length - at;
        struct cm_buffer text;
        cm_buffer_init(&text);
        cm_buffer_append(&text, line, length);
        cm_json_write(json, NULL, cm_text(text.data != NULL ? text.data : ""));
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

static void report(const struct cm_step_result *result, struct cm_report *report)
{
    uint32_t count;
    const struct cm_source *source;
    const struct cm_fortran_line *lines = cm_fortran_step_lines(result, &count, &source);
    const struct cm_buffer *output = cm_fortran_step_output(result);
    if (output == NULL)
        return;
    report_check(result->state, report);
    if (report->json == NULL)
        return;
    report_output(output, report->json);
    cm_json_write_list(report->json, "lines");
    for (uint32_t i = 0; i < count; i++)
        if (lines[i].times > 0)
            report_line(source, &lines[i], report->json);
    cm_json_write_end(report->json);
}

static const struct cm_step_kind kind = {
    .name = "program",
    .summary = "a CM Fortran program",
    .example = "{\"program\": {\"file\": \"jacobi.fcm\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct own),
    .state_bytes = sizeof(struct state),
    .path = "fortran",
    .read = read_data,
    .prepare = prepare,
    .run = play,
    .check = check,
    .save = save,
    .report = report,
    .finish = finish,
};

bool cm_fortran_register(void)
{
    return cm_step_kind_register(&kind);
}

const struct cm_buffer *cm_fortran_step_output(const struct cm_step_result *step)
{
    const struct state *state = step->state;
    return step->kind == &kind ? cm_fortran_run_output(state->run) : NULL;
}

const struct cm_fortran_line *cm_fortran_step_lines(const struct cm_step_result *step,
                                                    uint32_t *count,
                                                    const struct cm_source **source)
{
    const struct state *state = step->state;
    *count = 0;
    *source = NULL;
    if (step->kind != &kind)
        return NULL;
    *source = state->source;
    return cm_fortran_run_lines(state->run, count);
}
