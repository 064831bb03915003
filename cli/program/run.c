/* Runs a CM Fortran program: `cm200 run PROGRAM.fcm`. The output of the program comes before the
 * summary, and the profile of its source lines after it. */
#include "../../fortran/run/run.h"
#include "../../fortran/run/step.h"
#include "../../report/numbers.h"
#include "../job.h"
#include "program.h"

#include <inttypes.h>
#include <string.h>

const struct shell_option cli_program_options_shared[5] = {
    {"cshift-order", SHELL_STRING, offsetof(struct cli_program_values, order), .argument = "ORDER",
     .help = "of a Fortran program: what CSHIFT(A, 1, -1) means "
             "without keywords: cm (array, dim, shift), or "
             "f90 (array, shift, dim); default f90 in .f90, .f95, "
             ".f03 and .f08, and cm in other files"},
    {"optimize", SHELL_NUMBER, offsetof(struct cli_program_values, level), .letter = 'O',
     .argument = "LEVEL", .max = 2,
     .help = "of a Fortran program: 0, each shift by itself, as "
             "the CM-200's compilers; 1, neighbouring shifts in "
             "one PSHIFT, neighbouring statements in one IMP; "
             "2, what is shifted is read in place, and nothing "
             "moves within a node"},
    {"max-cycles", SHELL_NUMBER, offsetof(struct cli_program_values, max_cycles), .argument = "N",
     .min = 1, .max = UINT64_C(1) << 62,
     .help = "stop a Fortran program that takes more, or whose "
             "front end executes more statements and turns of loops"},
    {"line-length", SHELL_NUMBER, offsetof(struct cli_program_values, line_length), .argument = "N",
     .min = CM_FORTRAN_LINE_LENGTH, .max = CM_FORTRAN_LINE_LENGTH_MAX,
     .help = "last column of statements in fixed form, 72 by default"},
    {"load", SHELL_LIST, offsetof(struct cli_program_values, loads), .argument = "ARRAY=FILE.npy",
     .help = "what an array of a Fortran main program holds "
             "when it begins; may be given several times"},
};

/* Returns the cause that most of the cycles were charged to. */
static enum cm_cause main_cause(const struct cm_counters *counters)
{
    enum cm_cause most = (enum cm_cause)0;
    for (uint32_t i = 1; i < CM_CAUSE_COUNT; i++)
        if (counters->by_cause[i] > counters->by_cause[most])
            most = (enum cm_cause)i;
    return most;
}

/* Appends a source line with its cycles, their main cause, and its elapsed time. A line that only
 * the front end executes has no main cause. */
static void print_line(const struct cm_fortran_line *line, uint64_t total, const char *source,
                       size_t length, struct cm_buffer *text)
{
    const bool counts = line != NULL && line->counters.elapsed_cycles + line->counters.cycles > 0;
    if (counts)
        cm_buffer_printf(text, "%14" PRIu64 " %5.1f %% %-12s %12" PRIu64 " %8" PRIu64 "  ",
                         line->counters.cycles,
                         100 * (double)line->counters.cycles / (double)(total > 0 ? total : 1),
                         line->counters.cycles > 0 ? cm_cause_name(main_cause(&line->counters))
                                                   : "",
                         line->counters.elapsed_cycles, line->times);
    else
        cm_buffer_printf(text, "%14s %7s %-12s %12s %8s  ", "", "", "", "", "");
    shell_add_foreign(text, source, length);
    cm_buffer_append(text, "\n", 1);
    if (line != NULL && line->note[0] != '\0')
        cm_buffer_printf(text, "%59s| %s\n", "", line->note);
}

/* Appends the profile of the source lines of one file. `lines` are in the order of the file. */
static void print_file(const struct cm_source *source, uint32_t file,
                       const struct cm_fortran_line *lines, uint32_t count, uint64_t total,
                       struct cm_buffer *text)
{
    size_t length;
    const char *at = cm_source_text(source, file, &length), *end = at + length;
    cm_buffer_printf(text, "\n%14s %7s %-12s %12s %8s  %s\n", "cycles", "share", "most for",
                     "elapsed", "times", cm_source_name(source, file));
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

int cli_run_program(const struct shell_values *common, const struct cli_machine_values *machine,
                    const struct cli_param_values *param, const struct cli_run_values *run,
                    const struct cli_program_values *program)
{
    struct cm_workload *workload = NULL;
    struct cli_levels *levels = NULL;
    struct cli_program_values explained = *program;
    /* The step of the workload saves the arrays, so the run does not. */
    struct cli_run_values plain = *run;
    plain.saves = (struct shell_list){0};
    struct cli_job all = {.common = common,
                          .machine = *machine,
                          .trusted = true,
                          .run = &plain,
                          .context = &explained,
                          .explain = run->explain ? cli_levels_explain : NULL,
                          .prints = true,
                          .text = print_result,
                          .error = console_program_error};
    if (run->timing_only)
        return shell_usage("run", "--timing-only has no meaning for a Fortran program: its "
                                  "control flow depends on its data");
    int code = cli_program_workload("run", common, param, &run->saves, program, &workload);
    all.workload = workload;
    if (code == 0 && run->explain)
        code = cli_levels_make(common, machine, param, program, &levels);
    explained.levels = levels;
    if (code == 0)
        code = cli_run_workload(&all);
    cli_levels_destroy(levels);
    cm_workload_destroy(workload);
    return code;
}
