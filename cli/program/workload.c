/* Reads a CM Fortran program as a workload of one step: the options are checked first, then the
 * program, and all messages are printed. */
#include "program.h"

#include "../../base/file.h"
#include "../../base/npy.h"
#include "../../fortran/check/program.h"
#include "../../report/json_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* longest name of a PARAMETER or an array on the command line, in bytes */
#define NAME_BYTES     128u
#define PARAMETERS_MAX 256u

/* Splits "NAME=TEXT": copies the name, and returns the text. NULL: the item has another form. */
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

/* Options about a CM Fortran program, and the path of its source. */
struct job {
    const char *command; /* name of the command, for usage errors */
    const char *path;
    const struct cli_program_values *values;
    const struct shell_list *saves;
    struct cm_fortran_options options; /* options of the compiler's check */
};

/* Prints all messages of the compiler about the program. *warned becomes true if there is a
 * warning. Returns an exit code. */
static int check_program(const struct job *job, bool *warned)
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
        return shell_error(&err);
    const struct cm_syntax_reader reader = {.line_length = (uint32_t)job->values->line_length};
    status = cm_syntax_parse(&(struct cm_file_text){path, text, length}, &reader, &source,
                             &messages, &tree);
    if (tree != NULL) {
        program = cm_fortran_check(tree, source, &job->options, &messages);
        status = program != NULL ? CM_OK : CM_BAD_INPUT;
    }
    *warned = messages.has_warning;
    cli_show_warning(&messages);
    if (status != CM_OK)
        status = cli_last_message(&messages, status, &err);
    cm_fortran_program_destroy(program);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    free(text);
    return status == CM_OK ? 0 : shell_error(&err);
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

/* Writes the files of arrays, which the user gave as "ARRAY=FILE", into the workload. check_files
 * has checked this form. */
static void write_files(const struct shell_list *files, const char *key,
                        struct cm_json_writer *json)
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

/* Writes the workload of the program. The workload has no path of its own, so file names are
 * relative to the current folder. If a warning about the order of CSHIFT's arguments was printed,
 * the workload states the order, so that the step does not repeat the warning. */
static void write_workload(const struct job *job, bool warned, struct cm_buffer *text)
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
    if (values->order != NULL || warned)
        cm_json_write(&json, "cshift_order",
                      cm_text(values->order != NULL ? values->order : "f90"));
    if (values->level > 0)
        cm_json_write(&json, "level", cm_u64(values->level));
    if (values->max_cycles > 0)
        cm_json_write(&json, "max_cycles", cm_u64(values->max_cycles));
    if (values->line_length > 0)
        cm_json_write(&json, "line_length", cm_u64(values->line_length));
    write_parameters(&job->options, &json);
    write_files(&values->loads, "load", &json);
    write_files(job->saves, "save", &json);
    cm_json_write_end(&json);
    cm_json_write_end(&json);
    cm_json_write_end(&json);
    cm_json_write_end(&json);
}

/* ---- options ---- */

/* Reads one NAME=VALUE of the option --param. */
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

/* Names and values of all options --param, in one block of memory. */
struct cli_parameters {
    char names[PARAMETERS_MAX][NAME_BYTES];
    struct cm_fortran_parameter items[PARAMETERS_MAX];
};

static int read_parameters(const char *command, const struct shell_list *params,
                           struct cli_parameters *parameters, struct cm_fortran_options *options)
{
    if (params->count > PARAMETERS_MAX)
        return shell_usage(command, "--param is given more than %u times", PARAMETERS_MAX);
    for (uint32_t i = 0; i < params->count; i++) {
        if (!read_parameter(params->items[i], parameters->names[i], &parameters->items[i]))
            return shell_usage(command, "--param %s: expected NAME=NUMBER, NAME=true or NAME=false",
                               shell_shown(params->items[i]).text);
        for (uint32_t k = 0; k < i; k++)
            if (strcasecmp(parameters->names[i], parameters->names[k]) == 0)
                return shell_usage(command, "--param gives %s two values", parameters->names[i]);
    }
    options->parameters = parameters->items;
    options->parameter_count = params->count;
    return 0;
}

/* Checks that each item of --load or --save has the form ARRAY=FILE. Returns an exit code. */
static int check_files(const struct shell_list *files, const char *option)
{
    for (uint32_t i = 0; i < files->count; i++) {
        char name[NAME_BYTES], other[NAME_BYTES];
        const char *path = cut_name(files->items[i], name);
        if (path == NULL || strcmp(path, "-") == 0)
            return shell_usage("run", "--%s %s: expected ARRAY=FILE.npy", option,
                               shell_shown(files->items[i]).text);
        if (cm_npy_other_ending(path) != NULL)
            return shell_usage("run", "--%s %s: arrays are in .npy files, not in %s", option,
                               shell_shown(files->items[i]).text, cm_npy_other_ending(path));
        for (uint32_t k = 0; k < i; k++)
            if (cut_name(files->items[k], other) != NULL && strcasecmp(name, other) == 0)
                return shell_usage("run", "--%s names %s twice", option, name);
    }
    return 0;
}

int cli_program_options(const char *command, const char *order, const struct shell_list *params,
                        struct cli_parameters **parameters, struct cm_fortran_options *options)
{
    *parameters = NULL;
    if (!cm_shift_order_read(order, &options->shift_order))
        return shell_usage(command, "--cshift-order is \"%s\"; expected cm or f90",
                           shell_shown(order).text);
    *parameters = calloc(1, sizeof **parameters);
    if (*parameters == NULL)
        return shell_no_memory();
    return read_parameters(command, params, *parameters, options);
}

static int check_saves_and_loads(const struct job *job)
{
    int code = check_files(&job->values->loads, "load");
    return code == 0 ? check_files(job->saves, "save") : code;
}

/* Checks a program, and makes the workload that runs it. Returns an exit code. */
static int make_workload(const struct job *job, struct cm_workload **workload)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    bool warned = false;
    int code = check_program(job, &warned);
    if (code != 0)
        return code;
    cm_buffer_init(&text);
    write_workload(job, warned, &text);
    enum cm_status status = cm_buffer_ok(&text)
                                ? cm_workload_parse("", text.data, text.length, workload, &err)
                                : cm_error_no_memory(&err);
    cm_buffer_finish(&text);
    return status == CM_OK ? 0 : console_program_error(NULL, &err);
}

int cli_program_workload(const char *command, const struct shell_values *common,
                         const struct cli_param_values *param, const struct shell_list *saves,
                         const struct cli_program_values *program, struct cm_workload **workload)
{
    const struct shell_list none = {0};
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

int cli_program_prepare(const struct shell_values *common, const struct cli_machine_values *machine,
                        const struct cm_workload *workload, bool timing_only, struct cm_run **run)
{
    struct cm_error err = {0};
    struct cm_run_options options = cli_run_settings(common, machine, NULL);
    options.trusted = true;
    options.timing_only = timing_only;
    enum cm_status status = cm_run_create(workload, &options, run, &err);
    return status == CM_OK ? 0 : console_program_error(NULL, &err);
}
