/* Hand-written IMPs: read once each, loaded for the whole run, their arguments bound by name. */
#include "../../base/file.h"
#include "../../base/suggest.h"
#include "run_private.h"

#include <stdlib.h>
#include <string.h>

/* Reads and loads the IMP of `path`, whose ownership it takes. */
static enum cm_status add_imp(struct cm_run *run, char *path, const struct cm_imp **imp,
                              struct cm_error *err)
{
    struct cm_imp_limits limits = cm_config_imp_limits(&run->config);
    struct cm_run_imp *imps = realloc(run->imps, (run->imp_count + 1u) * sizeof *run->imps);
    if (imps == NULL) {
        free(path);
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    }
    run->imps = imps;
    struct cm_run_imp *entry = &imps[run->imp_count++];
    *entry = (struct cm_run_imp){.path = path};
    enum cm_status status = cm_imp_read(path, &limits, &entry->imp, err);
    if (status == CM_OK)
        status = cm_machine_load_imp(cm_system_machine(run->system), entry->imp, err);
    if (status != CM_OK)
        return status;
    entry->loaded = true;
    *imp = entry->imp;
    return CM_OK;
}

static enum cm_status find_imp(struct cm_run *run, const struct cm_workload_step *step,
                               const struct cm_imp **imp, struct cm_error *err)
{
    char *path = cm_path_beside(cm_json_name(run->workload->document), step->imp_file);
    if (path == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < run->imp_count; i++) {
        if (strcmp(run->imps[i].path, path) == 0) {
            *imp = run->imps[i].imp;
            free(path);
            return CM_OK;
        }
    }
    enum cm_status status = add_imp(run, path, imp, err);
    if (status != CM_OK)
        cm_workload_named_at(step->imp_file_json, err);
    return status;
}

/* Whether the IMP takes a scalar as 32 or 64 bits, by the instructions that use it. */
static void scan_use(const struct cm_imp *imp, uint32_t argument, bool *single, bool *twice)
{
    for (uint32_t i = 0; i < imp->length; i++) {
        const struct cm_instruction *in = &imp->code[i];
        const struct cm_op_info *info = cm_op_info(in->op);
        for (uint32_t k = 0; k < info->operand_count; k++) {
            if (info->operands[k] != CM_OPERAND_SARG || (uint32_t)in->operands[k].value != argument)
                continue;
            bool high = k + 1 < info->operand_count && info->operands[k + 1] == CM_OPERAND_SLICE &&
                        in->operands[k + 1].value == 1;
            if (in->op == CM_OP_FSCAL64 || high)
                *twice = true;
            else if (in->op == CM_OP_FSCAL32)
                *single = true;
        }
    }
}

static enum cm_status bind_scalar(const struct cm_imp *imp, uint32_t index,
                                  const struct cm_workload_argument *argument, uint64_t *bits,
                                  struct cm_error *err)
{
    enum cm_type type = CM_TYPE_REAL32;
    bool single = false, twice = false;
    if (argument->type == CM_ARGUMENT_BY_USE)
        scan_use(imp, index, &single, &twice);
    if (single && twice) {
        cm_json_error(argument->value.json, err,
                      "IMP %s uses \"%s\" both as 32 and as 64 bits, so its type must be said",
                      imp->name, argument->name);
        return cm_error_hint(err, "write {\"real32\": x}, {\"real64\": x} or {\"int32\": n}");
    }
    if (twice || argument->type == CM_ARGUMENT_REAL64)
        type = CM_TYPE_REAL64;
    else if (argument->type == CM_ARGUMENT_INT32)
        type = CM_TYPE_INT32;
    enum cm_status status = cm_workload_check_number(argument->value.json, &argument->value.number,
                                                     type, "an argument", err);
    if (status != CM_OK)
        return status;
    struct cm_scalar scalar =
        cm_scalar_make(type, argument->value.number.re, argument->value.number.im);
    *bits = scalar.words[0];
    if (type == CM_TYPE_REAL64)
        *bits |= (uint64_t)scalar.words[1] << 32;
    return CM_OK;
}

static enum cm_status bind_argument(const struct cm_run *run, const struct cm_imp *imp,
                                    uint32_t index, const struct cm_workload_argument *argument,
                                    struct cm_actual *actual, struct cm_error *err)
{
    bool is_array = argument->value.array != CM_NO_ARRAY;
    bool wants_array = imp->arguments[index].kind == CM_ARGUMENT_ADDRESS;
    if (is_array && wants_array) {
        actual->address = run->arrays[argument->value.array]->address;
        return CM_OK;
    }
    if (!is_array && !wants_array)
        return bind_scalar(imp, index, argument, &actual->scalar, err);
    cm_json_error(argument->value.json, err, "argument \"%s\" of IMP %s is %s, expected %s",
                  argument->name, imp->name, is_array ? "an array" : "a number",
                  wants_array ? "an array" : "a number");
    return cm_error_hint(err, "the IMP declares it as %s", wants_array ? "an address" : "a scalar");
}

static enum cm_status refuse_unknown(const struct cm_imp *imp,
                                     const struct cm_workload_argument *argument,
                                     struct cm_error *err)
{
    const char *names[CM_IMP_ARGUMENTS_MAX];
    for (uint32_t i = 0; i < imp->argument_count; i++)
        names[i] = imp->arguments[i].name;
    cm_json_error(argument->value.json, err, "IMP %s has no argument \"%.63s\"", imp->name,
                  argument->name);
    const char *near = cm_suggest(argument->name, names, imp->argument_count);
    if (near != NULL)
        cm_error_hint(err, "did you mean \"%s\"?", near);
    return CM_BAD_INPUT;
}

static enum cm_status bind_arguments(const struct cm_run *run, struct cm_run_step *plan,
                                     struct cm_error *err)
{
    const struct cm_workload_step *step = plan->step;
    const struct cm_imp *imp = plan->imp;
    bool bound[CM_IMP_ARGUMENTS_MAX] = {false};
    for (uint32_t i = 0; i < step->argument_count; i++) {
        const struct cm_workload_argument *argument = &step->arguments[i];
        int index = cm_imp_find_argument(imp, argument->name);
        if (index < 0)
            return refuse_unknown(imp, argument, err);
        enum cm_status status =
            bind_argument(run, imp, (uint32_t)index, argument, &plan->actuals[index], err);
        if (status != CM_OK)
            return status;
        bound[index] = true;
    }
    for (uint32_t i = 0; i < imp->argument_count; i++) {
        if (bound[i])
            continue;
        bool address = imp->arguments[i].kind == CM_ARGUMENT_ADDRESS;
        cm_json_error(step->arguments_json, err, "argument \"%s\" of IMP %s is missing",
                      imp->arguments[i].name, imp->name);
        return cm_error_hint(err, "\"arguments\": {\"%s\": %s}", imp->arguments[i].name,
                             address ? "the name of an array" : "a number or the name of a scalar");
    }
    return CM_OK;
}

enum cm_status cm_run_prepare_imp(struct cm_run *run, struct cm_run_step *plan,
                                  struct cm_error *err)
{
    enum cm_status status = find_imp(run, plan->step, &plan->imp, err);
    if (status != CM_OK)
        return status;
    plan->actuals = calloc(plan->imp->argument_count + 1u, sizeof *plan->actuals);
    if (plan->actuals == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    return bind_arguments(run, plan, err);
}
