/* Running a CM Fortran program: `cm200 run PROGRAM.fcm`. */
#include "program.h"

#include "../base/file.h"
#include "../fortran/check/program.h"
#include "../fortran/run/run.h"
#include "../fortran/run/step.h"
#include "../report/json_writer.h"
#include "../report/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINE_COLUMNS   100u
#define NAME_BYTES     128u /* of PARAMETERs and arrays on the command line */
#define PARAMETERS_MAX 256u

const struct cli_option cli_program_options_shared[4] = {
    {"cshift-order", CLI_STRING, offsetof(struct cli_program_values, order), .argument = "ORDER",
     .help = "of a Fortran program: what CSHIFT(A, 1, -1) means\n"
             "without keywords: cm (array, dim, shift), or\n"
             "f90 (array, shift, dim); default cm"},
    {"optimize", CLI_NUMBER, offsetof(struct cli_program_values, level), .letter = 'O',
     .argument = "LEVEL", .max = 2,
     .help = "of a Fortran program: 0, each shift by itself, as\n"
             "the CM-200's compilers; 1, neighbouring shifts in\n"
             "one PSHIFT, neighbouring statements in one IMP;\n"
             "2, what is shifted is read in place, and nothing\n"
             "moves within a node"},
    {"max-cycles", CLI_NUMBER, offsetof(struct cli_program_values, max_cycles), .argument = "N",
     .min = 1, .max = UINT64_C(1) << 62, .help = "stop a Fortran program that takes more"},
    {"load", CLI_LIST, offsetof(struct cli_program_values, loads), .argument = "ARRAY=FILE.npy",
     .help = "what an array of a Fortran main program holds\n"
             "when it begins; may be given several times"},
};

/* "NAME=TEXT": the text behind the sign, and the name; NULL when there is nothing of that form. */
static const char *cut_name(const char *item, char name[NAME_BYTES])
{
    const char *equals = strchr(item, '=');
    size_t length = equals != NULL ? (size_t)(equals - item) : 0;
    if (length == 0 || length >= NAME_BYTES || equals[1] == '\0')
        return NULL;
    memcpy(name, item, length);
    name[length] = '\0';
    return equals + 1;
}

/* What options say about a program, and the text of it all. */
struct job {
    const char *command; /* for usage errors */
    const char *path;
    const struct cli_program_values *values;
    const struct cli_list *saves;
    struct cm_fortran_options options; /* of the check */
};

/* All messages about the program, before anything runs. Returns an exit code. */
static int check_program(const struct job *job)
{
    const char *path = job->path;
    char *text = NULL;
    size_t length;
    struct cm_error err = {0};
    struct cm_source *source = NULL;
    struct cm_syntax *tree = NULL;
    struct cm_messages messages = {0};
    struct cm_fortran_program *program = NULL;
    enum cm_status status = cm_file_read(path, CM_FORTRAN_MAX_BYTES, &text, &length, &err);
    if (status != CM_OK)
        return cli_error(&err);
    status = cm_syntax_parse(path, text, length, NULL, &source, &messages, &tree);
    if (tree != NULL) {
        program = cm_fortran_check(tree, source, &job->options, &messages);
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

static void write_parameters(const struct cm_fortran_options *options, struct cm_json_writer *json)
{
    if (options->parameter_count == 0)
        return;
    cm_json_write_object(json, "parameters");
    for (uint32_t i = 0; i < options->parameter_count; i++) {
        const struct cm_fortran_parameter *parameter = &options->parameters[i];
        cm_json_write(json, parameter->name,
                      parameter->is_logical ? cm_bool(parameter->value != 0)
                                            : cm_f64(parameter->value));
    }
    cm_json_write_end(json);
}

/* Files of arrays, "ARRAY=FILE" each, which check_files has looked at. */
static void write_files(const struct cli_list *files, const char *key, struct cm_json_writer *json)
{
    if (files->count == 0)
        return;
    cm_json_write_object(json, key);
    for (uint32_t i = 0; i < files->count; i++) {
        char name[NAME_BYTES];
        const char *path = cut_name(files->items[i], name);
        cm_json_write(json, name, cm_text(path));
    }
    cm_json_write_end(json);
}

/* The workload that the program is. It has no name, so that paths are those of the command line. */
static void write_workload(const struct job *job, struct cm_buffer *text)
{
    struct cm_json_writer json;
    const struct cli_program_values *values = job->values;
    const char *base = strrchr(job->path, '/');
    base = base != NULL ? base + 1 : job->path;
    cm_json_writer_begin(&json, text);
    cm_json_write_object(&json, NULL);
    cm_json_write(&json, "format", cm_text("cm200-workload/1"));
    cm_json_write(&json, "name", cm_text(base));
    cm_json_write_object(&json, "arrays");
    cm_json_write_end(&json);
    if (values->check)
        cm_json_write(&json, "check", cm_bool(true));
    cm_json_write_list(&json, "steps");
    cm_json_write_object(&json, NULL);
    cm_json_write_object(&json, "program");
    cm_json_write(&json, "file", cm_text(job->path));
    if (values->order != NULL)
        cm_json_write(&json, "cshift_order", cm_text(values->order));
    if (values->level > 0)
        cm_json_write(&json, "level", cm_u64(values->level));
    if (values->max_cycles > 0)
        cm_json_write(&json, "max_cycles", cm_u64(values->max_cycles));
    write_parameters(&job->options, &json);
    write_files(&values->loads, "load", &json);
    write_files(job->saves, "save", &json);
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
            cli_add_foreign(text, output->data, output->length);
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
    cli_add_foreign(text, source, length);
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

/* ---- options ---- */

/* NAME=VALUE of --param. */
static bool read_parameter(const char *item, char name[NAME_BYTES],
                           struct cm_fortran_parameter *parameter)
{
    static const char *const truths[] = {"false", ".false.", "f", "true", ".true.", "t"};
    char *end;
    const char *text = cut_name(item, name);
    if (text == NULL)
        return false;
    parameter->name = name;
    for (uint32_t i = 0; i < 6; i++)
        if (strcasecmp(text, truths[i]) == 0) {
            parameter->is_logical = true;
            parameter->value = i >= 3;
            return true;
        }
    parameter->value = strtod(text, &end);
    bool plain = text[strspn(text, "0123456789+-.eE")] == '\0';
    return plain && end != text && *end == '\0' && isfinite(parameter->value);
}

/* The names of --param, in one block of memory with their values. */
struct cli_parameters {
    char names[PARAMETERS_MAX][NAME_BYTES];
    struct cm_fortran_parameter items[PARAMETERS_MAX];
};

static int read_parameters(const char *command, const struct cli_list *params,
                           struct cli_parameters *parameters, struct cm_fortran_options *options)
{
    if (params->count > PARAMETERS_MAX)
        return cli_usage(command, "--param is given more than %u times", PARAMETERS_MAX);
    for (uint32_t i = 0; i < params->count; i++) {
        if (!read_parameter(params->items[i], parameters->names[i], &parameters->items[i]))
            return cli_usage(command, "--param %s: expected NAME=NUMBER, NAME=true or NAME=false",
                             cli_shown(params->items[i]).text);
        for (uint32_t k = 0; k < i; k++)
            if (strcasecmp(parameters->names[i], parameters->names[k]) == 0)
                return cli_usage(command, "--param gives %s two values", parameters->names[i]);
    }
    options->parameters = parameters->items;
    options->parameter_count = params->count;
    return 0;
}

/* ARRAY=FILE of --load and --save. */
static int check_files(const struct cli_list *files, const char *option)
{
    for (uint32_t i = 0; i < files->count; i++) {
        char name[NAME_BYTES], other[NAME_BYTES];
        const char *path = cut_name(files->items[i], name);
        if (path == NULL || strcmp(path, "-") == 0)
            return cli_usage("run", "--%s %s: expected ARRAY=FILE.npy", option,
                             cli_shown(files->items[i]).text);
        for (uint32_t k = 0; k < i; k++)
            if (cut_name(files->items[k], other) != NULL && strcasecmp(name, other) == 0)
                return cli_usage("run", "--%s names %s twice", option, name);
    }
    return 0;
}

int cli_program_options(const char *command, const char *order, const struct cli_list *params,
                        struct cli_parameters **parameters, struct cm_fortran_options *options)
{
    options->f90_order = order != NULL && strcmp(order, "f90") == 0;
    *parameters = NULL;
    if (order != NULL && !options->f90_order && strcmp(order, "cm") != 0)
        return cli_usage(command, "--cshift-order is \"%s\"; expected cm or f90",
                         cli_shown(order).text);
    *parameters = calloc(1, sizeof **parameters);
    if (*parameters == NULL)
        return cli_no_memory();
    return read_parameters(command, params, *parameters, options);
}

static int check_saves_and_loads(const struct job *job)
{
    int code = check_files(&job->values->loads, "load");
    return code == 0 ? check_files(job->saves, "save") : code;
}

/* The checked program as a workload. Returns an exit code. */
static int make_workload(const struct job *job, struct cm_workload **workload)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    int code = check_program(job);
    if (code != 0)
        return code;
    cm_buffer_init(&text);
    write_workload(job, &text);
    enum cm_status status = cm_buffer_ok(&text)
                                ? cm_workload_parse("", text.data, text.length, workload, &err)
                                : cm_error_no_memory(&err);
    cm_buffer_finish(&text);
    return status == CM_OK ? 0 : cli_program_error(NULL, &err);
}

int cli_read_program(const char *path, const struct cli_program_values *program,
                     struct cm_workload **workload)
{
    const struct cli_list none = {0};
    const struct job job = {.path = path, .values = program, .saves = &none};
    return make_workload(&job, workload);
}

int cli_program_workload(const char *command, const struct cli_values *common,
                         const struct cli_param_values *param, const struct cli_list *saves,
                         const struct cli_program_values *program, struct cm_workload **workload)
{
    const struct cli_list none = {0};
    struct job job = {.command = command,
                      .path = common->operands.items[0],
                      .values = program,
                      .saves = saves != NULL ? saves : &none};
    struct cli_parameters *parameters;
    *workload = NULL;
    int code =
        cli_program_options(command, program->order, &param->params, &parameters, &job.options);
    if (code == 0)
        code = check_saves_and_loads(&job);
    if (code == 0)
        code = make_workload(&job, workload);
    free(parameters);
    return code;
}

int cli_program_prepare(const struct cli_values *common, const struct cli_machine_values *machine,
                        const struct cm_workload *workload, bool timing_only, struct cm_run **run)
{
    struct cm_config config;
    struct cm_error err = {0};
    struct cm_run_options options = cli_run_settings(common, machine, NULL);
    options.trusted = true;
    options.timing_only = timing_only;
    if (machine->machine == NULL && cm_config_builtin(CM_BUILTIN_CM200, &config, &err) != CM_OK)
        return cli_error(&err);
    if (machine->machine == NULL)
        options.config = &config;
    enum cm_status status = cm_run_create(workload, &options, run, &err);
    return status == CM_OK ? 0 : cli_program_error(NULL, &err);
}

int cli_run_program(const struct cli_values *common, const struct cli_machine_values *machine,
                    const struct cli_param_values *param, const struct cli_run_values *run,
                    const struct cli_program_values *program)
{
    struct cm_workload *workload = NULL;
    struct cli_levels *levels = NULL;
    struct cli_program_values explained = *program;
    struct cli_run_values plain = *run; /* the step saves */
    plain.saves = (struct cli_list){0};
    struct cli_job all = {.common = common,
                          .machine = *machine,
                          .builtin = machine->machine == NULL,
                          .trusted = true,
                          .run = &plain,
                          .context = &explained,
                          .explain = run->explain ? cli_levels_explain : NULL,
                          .output = print_output,
                          .text = print_result,
                          .error = cli_program_error};
    if (run->timing_only)
        return cli_usage("run", "--timing-only has no meaning for a Fortran program: what it does "
                                "depends on its data");
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
