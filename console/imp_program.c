/* Makes the workload that runs a single IMP: one step, with an array for each address argument and
 * the values of --param for the scalars. */
#include "imp_program.h"
#include "../report/json_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_OF_ARRAY 256u /* number of elements of an array in each node */

bool console_is_imp_name(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".imp") == 0;
}

/* Returns the value that --param gives to a name. NULL: --param does not name it. */
static const char *find_value(const struct shell_list *params, const char *name)
{
    size_t length = strlen(name);
    for (uint32_t i = 0; i < params->count; i++)
        if (strncmp(params->items[i], name, length) == 0 && params->items[i][length] == '=')
            return params->items[i] + length + 1;
    return NULL;
}

static enum cm_status refuse_param(const char *item, const char *why, struct cm_error *err)
{
    return cm_error_set(err, CM_USAGE, "--param %s: %s", shell_shown(item).text, why);
}

static enum cm_status check_param(const struct cm_imp *imp, const char *item, struct cm_error *err)
{
    static const char expected[] = "expected NAME=NUMBER";
    char name[CM_IMP_NAME_MAX + 1];
    const char *equals = strchr(item, '=');
    char *end = NULL;
    if (equals == NULL || (size_t)(equals - item) > CM_IMP_NAME_MAX)
        return refuse_param(item, expected, err);
    memcpy(name, item, (size_t)(equals - item));
    name[equals - item] = '\0';
    int found = cm_imp_find_argument(imp, name);
    if (found < 0 || imp->arguments[found].kind != CM_ARGUMENT_SCALAR)
        return refuse_param(item, "the IMP has no scalar argument of this name", err);
    double value = strtod(equals + 1, &end);
    if (end == equals + 1 || *end != '\0' || !isfinite(value))
        return refuse_param(item, expected, err);
    return CM_OK;
}

static enum cm_status check_params(const struct cm_imp *imp, const struct shell_list *params,
                                   struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < params->count && status == CM_OK; i++)
        status = check_param(imp, params->items[i], err);
    for (uint32_t i = 0; i < imp->argument_count && status == CM_OK; i++)
        if (imp->arguments[i].kind == CM_ARGUMENT_SCALAR &&
            find_value(params, imp->arguments[i].name) == NULL)
            status = cm_error_set(
                err, CM_USAGE, "the IMP's scalar argument %s has no value; give --param %s=NUMBER",
                imp->arguments[i].name, imp->arguments[i].name);
    return status;
}

/* Returns the type of the instructions that load and store floating-point numbers, or "int32". */
const char *console_imp_type(const struct cm_imp *imp)
{
    bool single = false;
    for (uint32_t i = 0; i < imp->length; i++) {
        enum cm_op op = imp->code[i].op;
        if (op == CM_OP_FLOAD64 || op == CM_OP_FSTORE64 || op == CM_OP_FLOADX64 ||
            op == CM_OP_FSTOREX64)
            return "real64";
        single = single || op == CM_OP_FLOAD32 || op == CM_OP_FSTORE32;
    }
    return single ? "real32" : "int32";
}

static void write_arrays(struct cm_json_writer *json, const struct cm_imp *imp, uint32_t nodes)
{
    cm_json_write_object(json, "arrays");
    for (uint32_t i = 0; i < imp->argument_count; i++) {
        if (imp->arguments[i].kind != CM_ARGUMENT_ADDRESS)
            continue;
        cm_json_write_object(json, imp->arguments[i].name);
        cm_json_write_list(json, "shape");
        cm_json_write_u64(json, NULL, (uint64_t)nodes * WORDS_OF_ARRAY);
        cm_json_write_end(json);
        cm_json_write_string(json, "type", console_imp_type(imp));
        cm_json_write_object(json, "init");
        cm_json_write_bool(json, "index", true);
        cm_json_write_end(json);
        cm_json_write_end(json);
    }
    cm_json_write_end(json);
}

static void write_step(struct cm_json_writer *json, const char *path, const struct cm_imp *imp,
                       const struct shell_list *params)
{
    cm_json_write_list(json, "steps");
    cm_json_write_object(json, NULL);
    cm_json_write_object(json, "imp");
    cm_json_write_string(json, "file", path);
    cm_json_write_object(json, "arguments");
    for (uint32_t i = 0; i < imp->argument_count; i++) {
        const char *name = imp->arguments[i].name;
        /* check_params has made sure that every scalar has a value */
        const char *value = find_value(params, name);
        if (imp->arguments[i].kind == CM_ARGUMENT_ADDRESS)
            cm_json_write_string(json, name, name);
        else if (value != NULL)
            cm_json_write_f64(json, name, strtod(value, NULL));
    }
    cm_json_write_end(json);
    cm_json_write_end(json);
    cm_json_write_end(json);
    cm_json_write_end(json);
}

static enum cm_status make_workload(const char *path, const struct cm_imp *imp, uint32_t nodes,
                                    const struct shell_list *params, struct cm_workload **workload,
                                    struct cm_error *err)
{
    struct cm_buffer text;
    struct cm_json_writer json;
    cm_buffer_init(&text);
    cm_json_writer_begin(&json, &text);
    cm_json_write_object(&json, NULL);
    cm_json_write_string(&json, "format", "cm200-workload/1");
    cm_json_write_string(&json, "name", imp->name);
    write_arrays(&json, imp, nodes);
    write_step(&json, path, imp, params);
    cm_json_write_end(&json);
    enum cm_status status = cm_buffer_ok(&text)
                                ? cm_workload_parse("", text.data, text.length, workload, err)
                                : cm_error_no_memory(err);
    cm_buffer_finish(&text);
    return status;
}

enum cm_status console_imp_workload(const char *path, const struct cm_config *config,
                                    uint32_t nodes, const struct shell_list *params,
                                    struct cm_workload **workload, struct cm_error *err)
{
    struct cm_imp *imp = NULL;
    struct cm_imp_limits limits = cm_config_imp_limits(config);
    enum cm_status status = cm_imp_read(path, &limits, &imp, err);
    if (status == CM_OK)
        status = check_params(imp, params, err);
    nodes = nodes > 0 ? nodes : UINT32_C(1) << config->network_dimensions;
    if (status == CM_OK)
        status = make_workload(path, imp, nodes, params, workload, err);
    cm_imp_destroy(imp);
    return status;
}

/* Prints an error. If its place is in a workload that was made in memory, the place is left out. */
int console_program_error(const void *context, const struct cm_error *err)
{
    struct cm_error shown = *err;
    (void)context;
    if (err->file[0] == '\0') {
        shown.line = shown.column = 0;
        shown.source[0] = '\0';
    }
    if (strncmp(err->hint, "named at :", 10) == 0)
        shown.hint[0] = '\0';
    return shell_error(&shown);
}
