/* The step imp: executes a hand-written IMP. The file is read once for all steps that name it, and
 * the IMP stays loaded during the run. Arguments are bound by name. */
#include "../step.h"

#include "../../../base/file.h"
#include "../../../base/list.h"
#include "../../../base/suggest.h"
#include "../../pshift/shift.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct argument {
    const char *name;
    bool by_use; /* true if the bits of a scalar depend on its use in the IMP, not on `type` */
    enum cm_type type;
    struct cm_workload_value value;
};

struct imp {
    const char *file;
    struct cm_json file_json;
    struct cm_json arguments_json; /* place of "arguments", or of the step if it has no arguments */
    struct argument *arguments;
    uint32_t count;
};

/* An IMP that is loaded until the run ends. */
struct loaded {
    char *path;
    struct cm_imp *imp;
};

/* State that all imp steps of a run share. */
struct common {
    CM_LIST(struct loaded) loaded;
};

struct state {
    const struct cm_imp *imp;
    struct cm_actual *actuals;
};

static const char *const type_names[] = {"real32", "real64", "int32"};
static const enum cm_type types[] = {CM_TYPE_REAL32, CM_TYPE_REAL64, CM_TYPE_INT32};

static const struct cm_key keys[] = {
    CM_KEY(FILE, "file", struct imp, file, "of the IMP, assembly text or an SRAM image",
           .required = true, .form = "a path"),
    CM_KEY_FORM("arguments", "object: name to array, scalar, number, or {\"int32\": 5}",
                "arguments", "what each argument of the IMP is; all of them"),
};

/* Reads an argument: name of an array or scalar, number, or {"int32": 5}, which chooses the
 * bits. */
static void read_argument(const struct cm_workload *workload, struct cm_reader *reader,
                          struct cm_json json, struct argument *argument)
{
    argument->by_use = cm_json_kind(json) != CM_JSON_OBJECT;
    if (argument->by_use) {
        cm_workload_read_value(workload, reader, json, "an argument", &argument->value);
    } else {
        const char *key;
        cm_read_keys(reader, json, "an argument", type_names, CM_COUNT_OF(type_names));
        if (cm_reader_ok(reader) && cm_json_count(json) != 1)
            cm_reader_fail(reader, json, "an argument has %" PRIu32 " keys, expected one",
                           cm_json_count(json));
        if (!cm_reader_ok(reader))
            return;
        struct cm_json inner = cm_json_at(json, 0, &key);
        cm_workload_read_value(workload, reader, inner, key, &argument->value);
        for (uint32_t i = 0; i < CM_COUNT_OF(type_names); i++) {
            if (strcmp(key, type_names[i]) == 0)
                argument->type = types[i];
        }
        if (argument->value.array != CM_NO_ARRAY)
            cm_reader_fail(reader, inner, "\"%s\" is an array, expected a number or a scalar",
                           workload->arrays[argument->value.array].name);
    }
    if (argument->value.array == CM_NO_ARRAY && argument->value.number.complex) {
        cm_reader_fail(reader, json, "an argument of an IMP is one number, not [re, im]");
        cm_reader_hint(reader, "pass the two parts as two arguments");
    }
}

static void read_imp(struct cm_workload *workload, struct cm_workload_step *step,
                     struct cm_reader *reader)
{
    struct imp *own = step->own;
    struct cm_json list;
    own->file_json = cm_read_member(reader, step->body, "file");
    own->arguments_json = step->body;
    if (!cm_read_optional(reader, step->body, "arguments", &list))
        return;
    own->arguments_json = list;
    cm_read_kind(reader, list, CM_JSON_OBJECT, "arguments");
    own->count = cm_reader_ok(reader) ? cm_json_count(list) : 0;
    own->arguments = cm_workload_allocate(workload, reader, own->count, sizeof *own->arguments);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < own->count; i++)
        read_argument(workload, reader, cm_json_at(list, i, &own->arguments[i].name),
                      &own->arguments[i]);
}

/* Returns the IMP of a file that an earlier step has loaded, or NULL if no step has loaded it. */
static const struct cm_imp *find_loaded(const struct common *common, const char *path)
{
    for (uint32_t i = 0; i < common->loaded.count; i++)
        if (strcmp(common->loaded.items[i].path, path) == 0)
            return common->loaded.items[i].imp;
    return NULL;
}

/* Reads and loads the IMP of a file. It stays loaded until the run ends. Takes over `path`. */
static enum cm_status load_imp(struct cm_run *run, struct common *common, char *path,
                               struct cm_error *err)
{
    struct cm_imp_limits limits = cm_config_imp_limits(&run->config);
    struct loaded loaded = {.path = path};
    enum cm_status status = CM_OK;
    if (!cm_list_room(&common->loaded, (uint64_t)common->loaded.count + 1))
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        status = cm_imp_read(path, &limits, &loaded.imp, err);
    if (status == CM_OK)
        status = cm_machine_load_imp(cm_system_machine(run->system), loaded.imp, err);
    if (status == CM_OK) {
        cm_list_push(&common->loaded, loaded);
        return CM_OK;
    }
    cm_imp_destroy(loaded.imp);
    free(path);
    return status;
}

/* Finds the step's IMP among the IMPs that are loaded, or loads it. */
static enum cm_status find_imp(struct cm_run *run, const struct imp *own, const struct cm_imp **imp,
                               struct cm_error *err)
{
    struct common *common = cm_run_common(run, &cm_step_imp);
    char *path = cm_path_beside(cm_json_name(run->workload->document), own->file);
    if (path == NULL)
        return cm_error_no_memory(err);
    *imp = find_loaded(common, path);
    if (*imp != NULL) {
        free(path);
        return CM_OK;
    }
    enum cm_status status = load_imp(run, common, path, err);
    if (status == CM_OK)
        *imp = common->loaded.items[common->loaded.count - 1].imp;
    else
        cm_workload_hint_place(own->file_json, err);
    return status;
}

/* Finds whether the IMP reads a scalar as 32 bits (*single) or as 64 bits (*twice), from the
 * instructions that use the scalar. */
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
                                  const struct argument *argument, uint64_t *bits,
                                  struct cm_error *err)
{
    enum cm_type type = argument->type;
    bool single = false, twice = false;
    if (argument->by_use)
        scan_use(imp, index, &single, &twice);
    if (single && twice) {
        cm_json_error(argument->value.json, err,
                      "IMP %s uses \"%s\" both as 32 and as 64 bits, so its type must be given",
                      imp->name, argument->name);
        return cm_error_hint(err, "write {\"real32\": x}, {\"real64\": x} or {\"int32\": n}");
    }
    if (argument->by_use)
        type = twice ? CM_TYPE_REAL64 : CM_TYPE_REAL32;
    struct cm_reader reader = cm_reader_make(err);
    cm_workload_check_number(&reader, argument->value.json, &argument->value.number, type,
                             "an argument");
    if (!cm_reader_ok(&reader))
        return reader.status;
    struct cm_scalar scalar =
        cm_scalar_make(type, argument->value.number.re, argument->value.number.im);
    *bits = scalar.words[0];
    if (type == CM_TYPE_REAL64)
        *bits |= (uint64_t)scalar.words[1] << 32;
    return CM_OK;
}

static enum cm_status bind_argument(const struct cm_run *run, const struct cm_imp *imp,
                                    uint32_t index, const struct argument *argument,
                                    struct cm_actual *actual, struct cm_error *err)
{
    bool is_array = argument->value.array != CM_NO_ARRAY;
    bool wants_array = imp->arguments[index].kind == CM_ARGUMENT_ADDRESS;
    enum cm_status status = cm_run_expect_constant(run, &argument->value, "an IMP", err);
    if (status != CM_OK)
        return status;
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

static enum cm_status refuse_unknown(const struct cm_imp *imp, const struct argument *argument,
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

static enum cm_status bind_arguments(const struct cm_run *run, const struct imp *own,
                                     struct state *state, struct cm_error *err)
{
    const struct cm_imp *imp = state->imp;
    bool bound[CM_IMP_ARGUMENTS_MAX] = {false};
    for (uint32_t i = 0; i < own->count; i++) {
        const struct argument *argument = &own->arguments[i];
        int index = cm_imp_find_argument(imp, argument->name);
        if (index < 0)
            return refuse_unknown(imp, argument, err);
        enum cm_status status =
            bind_argument(run, imp, (uint32_t)index, argument, &state->actuals[index], err);
        if (status != CM_OK)
            return status;
        bound[index] = true;
    }
    for (uint32_t i = 0; i < imp->argument_count; i++) {
        if (bound[i])
            continue;
        bool address = imp->arguments[i].kind == CM_ARGUMENT_ADDRESS;
        cm_json_error(own->arguments_json, err, "argument \"%s\" of IMP %s is missing",
                      imp->arguments[i].name, imp->name);
        return cm_error_hint(err, "\"arguments\": {\"%s\": %s}", imp->arguments[i].name,
                             address ? "the name of an array" : "a number or the name of a scalar");
    }
    return CM_OK;
}

/* Marks the address registers that hold the address of a communication table: an instruction uses
 * them as the base of the table's address, or copies them to such a register. */
static void find_table_registers(const struct cm_imp *imp, bool *holds_table)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < imp->length; i++) {
            const struct cm_instruction *in = &imp->code[i];
            enum cm_cost_class cost = cm_op_info(in->op)->cost;
            bool indirect = cost == CM_COST_LOAD_INDIRECT || cost == CM_COST_UNLOAD_INDIRECT;
            bool copied = in->op == CM_OP_ACOPY && holds_table[in->operands[0].reg];
            uint8_t reg = indirect ? in->operands[2].reg : in->operands[1].reg;
            if ((!indirect && !copied) || holds_table[reg])
                continue;
            holds_table[reg] = changed = true;
        }
    }
}

/*
 * Keeps in node memory, even in a run without data, the arrays from which the IMP reads
 * communication tables. The tables determine faults and the load of channels. If a table's address
 * does not come from an argument, the table can be in any array.
 */
static void hold_tables(const struct cm_run *run, const struct imp *own, const struct cm_imp *imp)
{
    bool holds_table[CM_ADDRESS_REGISTERS] = {false}, held[CM_IMP_ARGUMENTS_MAX] = {false};
    bool anywhere = false;
    find_table_registers(imp, holds_table);
    for (uint32_t i = 0; i < imp->length; i++) {
        const struct cm_operand *operands = imp->code[i].operands;
        if (imp->code[i].op == CM_OP_AARG && holds_table[operands[0].reg])
            held[operands[1].value] = true;
        anywhere |= imp->code[i].op == CM_OP_ASET && holds_table[operands[0].reg];
    }
    for (uint32_t i = 0; i < run->workload->array_count && anywhere; i++)
        run->arrays[i]->held = true;
    for (uint32_t i = 0; i < own->count; i++) {
        uint32_t array = own->arguments[i].value.array;
        if (array != CM_NO_ARRAY && held[cm_imp_find_argument(imp, own->arguments[i].name)])
            run->arrays[array]->held = true;
    }
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct imp *own = step->step->own;
    struct state *state = step->state;
    enum cm_status status = find_imp(run, own, &state->imp, err);
    if (status != CM_OK)
        return status;
    step->resident_words = cm_imp_words(state->imp);
    state->actuals = cm_run_allocate(run, state->imp->argument_count, sizeof *state->actuals, err);
    if (state->actuals == NULL)
        return CM_NO_MEMORY;
    status = bind_arguments(run, own, state, err);
    if (status == CM_OK)
        hold_tables(run, own, state->imp);
    return status;
}

static enum cm_status run_imp(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct state *state = step->state;
    return cm_machine_run(cm_system_machine(run->system), state->imp, state->actuals, CM_ENTRY_IMP,
                          err);
}

/* Copies all arrays from the machine to the host for later checks. A hand-written IMP may write
 * anywhere and cannot be evaluated directly. */
static enum cm_status adopt_all(struct cm_run *run, const struct cm_run_step *step,
                                struct cm_step_result *result, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    (void)step;
    (void)result;
    for (uint32_t i = 0; status == CM_OK && i < run->workload->array_count; i++)
        status = cm_array_gather(run->system, run->arrays[i], run->reference[i].elements, err);
    return status;
}

static void unload_imps(struct cm_run *run, void *state)
{
    struct common *common = state;
    for (uint32_t i = 0; i < common->loaded.count; i++) {
        cm_machine_unload_imp(cm_system_machine(run->system), common->loaded.items[i].imp);
        cm_imp_destroy(common->loaded.items[i].imp);
        free(common->loaded.items[i].path);
    }
    cm_list_finish(&common->loaded);
}

const struct cm_step_kind cm_step_imp = {
    .name = "imp",
    .summary = "a hand-written IMP",
    .example = "{\"imp\": {\"file\": \"sum.imp\", \"arguments\": {\"a\": \"x\", \"c\": 2.5}}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct imp),
    .state_bytes = sizeof(struct state),
    .common_bytes = sizeof(struct common),
    .stateless = true,
    .path = "imp",
    .read = read_imp,
    .prepare = prepare,
    .run = run_imp,
    .check = adopt_all,
    .finish_common = unload_imps,
};
