/* Workloads that the viewer makes to run a CM Fortran program or an IMP. Each wraps one program as
 * its only step. */
#include "program.h"

#include "../../console/imp_program.h"
#include "../../fortran/run/step.h"
#include "../../fortran/source/parse.h"
#include "../../programs/validation/published.h"
#include "../../report/json_writer.h"

#include <stdlib.h>
#include <string.h>

bool cm_view_programs_begin(void)
{
    return cm_fortran_register();
}

bool cm_view_is_program(const char *path)
{
    return console_is_imp_name(path) || cm_fortran_is_source_name(path);
}

struct cm_run_options cm_view_run_settings(const struct cm_view_options *options)
{
    return (struct cm_run_options){
        .machine = options->machine,
        .sets = options->sets.items,
        .set_count = options->sets.count,
        .nodes = (uint32_t)options->nodes,
        .threads = (uint32_t)options->threads,
        .trusted = options->allow_anywhere,
        .files_anywhere = options->allow_anywhere,
        .outputs = options->common.outputs.items,
        .output_count = options->common.outputs.count,
    };
}

/* Writes a parameter NAME=VALUE as JSON, with a logical or a number as its value, as `cm200 run`
 * does. */
static enum cm_status write_parameter(struct cm_json_writer *json, const char *item,
                                      struct cm_error *err)
{
    char name[CM_IMP_NAME_MAX + 1], *end = NULL;
    const char *equals = strchr(item, '=');
    size_t length = equals != NULL ? (size_t)(equals - item) : 0;
    if (length == 0 || length >= sizeof name)
        return cm_error_set(err, CM_USAGE, "--param %s: expected NAME=VALUE",
                            shell_shown(item).text);
    memcpy(name, item, length);
    name[length] = '\0';
    double value = strtod(equals + 1, &end);
    if (strcmp(equals + 1, "true") == 0 || strcmp(equals + 1, "false") == 0)
        cm_json_write_bool(json, name, equals[1] == 't');
    else if (end != equals + 1 && *end == '\0' && value - value == 0)
        cm_json_write_f64(json, name, value);
    else
        return cm_error_set(err, CM_USAGE,
                            "--param %s: expected NAME=NUMBER, NAME=true or "
                            "NAME=false",
                            shell_shown(item).text);
    return CM_OK;
}

static enum cm_status write_fortran(const struct cm_view_options *options, const char *path,
                                    struct cm_json_writer *json, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    const char *base = strrchr(path, '/');
    cm_json_write_object(json, NULL);
    cm_json_write_string(json, "format", "cm200-workload/1");
    cm_json_write_string(json, "name", base != NULL ? base + 1 : path);
    cm_json_write_object(json, "arrays");
    cm_json_write_end(json);
    cm_json_write_list(json, "steps");
    cm_json_write_object(json, NULL);
    cm_json_write_object(json, "program");
    cm_json_write_string(json, "file", path);
    if (options->level > 0)
        cm_json_write_u64(json, "level", options->level);
    if (options->params.count > 0)
        cm_json_write_object(json, "parameters");
    for (uint32_t i = 0; i < options->params.count && status == CM_OK; i++)
        status = write_parameter(json, options->params.items[i], err);
    if (options->params.count > 0)
        cm_json_write_end(json);
    cm_json_write_end(json);
    cm_json_write_end(json);
    cm_json_write_end(json);
    cm_json_write_end(json);
    return status;
}

static enum cm_status fortran_workload(const struct cm_view_options *options, const char *path,
                                       struct cm_workload **workload, struct cm_error *err)
{
    struct cm_buffer text;
    struct cm_json_writer json;
    cm_buffer_init(&text);
    cm_json_writer_begin(&json, &text);
    enum cm_status status = write_fortran(options, path, &json, err);
    if (status == CM_OK && !cm_buffer_ok(&text))
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        status = cm_workload_parse("", text.data, text.length, workload, err);
    cm_buffer_finish(&text);
    return status;
}

/* Removes the place of an error if it points into the wrapping workload, because the user did not
 * write this workload. */
static enum cm_status without_place(enum cm_status status, struct cm_error *err)
{
    if (status != CM_OK && err->file[0] == '\0') {
        err->line = err->column = 0;
        err->source[0] = '\0';
    }
    return status;
}

enum cm_status cm_view_read_workload(const struct cm_view_options *options, const char *path,
                                     struct cm_run_options *settings, struct cm_config *config,
                                     struct cm_workload **workload, struct cm_error *err)
{
    if (!cm_view_is_program(path))
        return cm_workload_read_with(path, options->params.items, options->params.count, workload,
                                     err);
    enum cm_status status =
        cm_config_read(options->machine != NULL ? options->machine : "cm200", config, err);
    if (status != CM_OK)
        return status;
    settings->trusted = true; /* the wrapping workload saves no files */
    status = console_is_imp_name(path)
                 ? console_imp_workload(path, config, (uint32_t)options->nodes, &options->params,
                                        workload, err)
                 : fortran_workload(options, path, workload, err);
    return without_place(status, err);
}
