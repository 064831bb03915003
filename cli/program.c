/* Running a CM Fortran program: `cm200 run PROGRAM.fcm`. */
#include "program.h"

#include "../base/file.h"
#include "../fortran/run.h"
#include "../fortran/step.h"
#include "../report/json_writer.h"
#include "../report/numbers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINE_COLUMNS 100u

/* All messages about the program, before anything runs. Returns an exit code. */
static int check_program(const char *path, bool f90_order)
{
    char *text = NULL;
    size_t length;
    struct cm_error err = {0};
    struct cm_source *source = NULL;
    struct cm_syntax *tree = NULL;
    struct cm_messages messages = {0};
    struct cm_fortran_program *program = NULL;
    const struct cm_fortran_options options = {.f90_order = f90_order};
    enum cm_status status = cm_file_read(path, CM_FORTRAN_MAX_BYTES, &text, &length, &err);
    if (status != CM_OK)
        return cli_error(&err);
    status = cm_syntax_parse(path, text, length, NULL, &source, &messages, &tree);
    if (status == CM_OK) {
        program = cm_fortran_check(tree, source, &options, &messages);
        status = program != NULL ? CM_OK : CM_BAD_INPUT;
    }
    if (status != CM_OK)
        status = cli_last_message(&messages, status, &err);
    cm_fortran_program_destroy(program);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    free(text);
    return status == CM_OK ? 0 : cli_error(&err);
}

/* The workload that the program is. Its name is that of the program, so the file is next to it. */
static void write_workload(const char *path, const struct cli_program_values *values,
                           struct cm_buffer *text)
{
    struct cm_json_writer json;
    const char *base = strrchr(path, '/');
    base = base != NULL ? base + 1 : path;
    cm_json_writer_begin(&json, text);
    cm_json_write_object(&json, NULL);
    cm_json_write(&json, "format", cm_text("cm200-workload/1"));
    cm_json_write(&json, "name", cm_text(base));
    cm_json_write_object(&json, "arrays");
    cm_json_write_end(&json);
    cm_json_write_list(&json, "steps");
    cm_json_write_object(&json, NULL);
    cm_json_write_object(&json, "program");
    cm_json_write(&json, "file", cm_text(base));
    if (values->order != NULL)
        cm_json_write(&json, "cshift_order", cm_text(values->order));
    if (values->level > 0)
        cm_json_write(&json, "level", cm_u64(values->level));
    if (values->max_cycles > 0)
        cm_json_write(&json, "max_cycles", cm_u64(values->max_cycles));
    cm_json_write_end(&json);
    cm_json_write_end(&json);
    cm_json_write_end(&json);
    cm_json_write_end(&json);
}

static void print_output(const void *context, const struct cm_result *result,
                         struct cm_buffer *text)
{
    (void)context;
    for (uint32_t i = 0; i < result->step_count; i++) {
        const struct cm_buffer *output = cm_fortran_step_output(&result->steps[i]);
        if (output != NULL && output->length > 0)
            cm_buffer_append(text, output->data, output->length);
    }
}

/* The cause that took most. */
static enum cm_cause main_cause(const struct cm_counters *counters)
{
    enum cm_cause most = (enum cm_cause)0;
    for (uint32_t i = 1; i < CM_CAUSE_COUNT; i++)
        if (counters->by_cause[i] > counters->by_cause[most])
            most = (enum cm_cause)i;
    return most;
}

/* A source line with what it took. */
static void print_line(const struct cm_fortran_line *line, uint64_t total, const char *source,
                       size_t length, struct cm_buffer *text)
{
    if (line != NULL && line->counters.cycles > 0)
        cm_buffer_printf(text, "%14" PRIu64 " %5.1f %% %-12s %8" PRIu64 "  ", line->counters.cycles,
                         100 * (double)line->counters.cycles / (double)(total > 0 ? total : 1),
                         cm_cause_name(main_cause(&line->counters)), line->times);
    else
        cm_buffer_printf(text, "%14s %7s %-12s %8s  ", "", "", "", "");
    cm_buffer_append(text, source, length);
    cm_buffer_append(text, "\n", 1);
    if (line != NULL && line->note[0] != '\0')
        cm_buffer_printf(text, "%46s| %s\n", "", line->note);
}

/* The lines of one file; `lines` are in their order. */
static void print_file(const struct cm_source *source, uint32_t file,
                       const struct cm_fortran_line *lines, uint32_t count, uint64_t total,
                       struct cm_buffer *text)
{
    size_t length;
    const char *at = cm_source_text(source, file, &length), *end = at + length;
    cm_buffer_printf(text, "\n%14s %7s %-12s %8s  %s\n", "cycles", "share", "most for", "times",
                     cm_source_name(source, file));
    for (uint32_t number = 1, next = 0; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t columns = (size_t)((newline != NULL ? newline : end) - at);
        while (next < count &&
               (lines[next].file < file || (lines[next].file == file && lines[next].line < number)))
            next++;
        bool found = next < count && lines[next].file == file && lines[next].line == number;
        print_line(found ? &lines[next] : NULL, total, at, columns, text);
        at += columns + 1;
    }
}

static void print_profile(const struct cm_step_result *step, struct cm_buffer *text)
{
    const struct cm_source *source;
    uint32_t count;
    const struct cm_fortran_line *lines = cm_fortran_step_lines(step, &count, &source);
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (lines[i].file == last || cm_source_is_builtin(source, lines[i].file))
            continue;
        last = lines[i].file;
        print_file(source, last, lines, count, step->counters.cycles, text);
    }
}

static void print_result(const void *context, const struct cm_result *result,
                         struct cm_buffer *text)
{
    const struct cli_program_values *values = context;
    cm_result_summary(result, cli_summary_style(), text);
    for (uint32_t i = 0; values->profile && i < result->step_count; i++)
        print_profile(&result->steps[i], text);
}

int cli_read_program(const char *path, const struct cli_program_values *program,
                     struct cm_workload **workload)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    int code = check_program(path, program->order != NULL && strcmp(program->order, "f90") == 0);
    if (code != 0)
        return code;
    cm_buffer_init(&text);
    write_workload(path, program, &text);
    enum cm_status status = cm_buffer_ok(&text)
                                ? cm_workload_parse(path, text.data, text.length, workload, &err)
                                : cm_error_no_memory(&err);
    cm_buffer_finish(&text);
    return status == CM_OK ? 0 : cli_error(&err);
}

int cli_run_program(const struct cli_values *common, const struct cli_machine_values *machine,
                    const struct cli_run_values *run, const struct cli_program_values *program)
{
    struct cm_workload *workload = NULL;
    if (program->order != NULL && strcmp(program->order, "f90") != 0 &&
        strcmp(program->order, "cm") != 0)
        return cli_usage("run", "--cshift-order is \"%s\"; expected cm or f90", program->order);
    if (run->timing_only)
        return cli_usage("run", "--timing-only has no meaning for a Fortran program: what it does "
                                "depends on its data");
    int code = cli_read_program(common->operands.items[0], program, &workload);
    const struct cli_job job = {.workload = workload,
                                .common = common,
                                .machine = *machine,
                                .builtin = machine->machine == NULL,
                                .run = run,
                                .context = program,
                                .output = print_output,
                                .text = print_result};
    if (code == 0)
        code = cli_run_workload(&job);
    cm_workload_destroy(workload);
    return code;
}
