/* cm200 check: reads files of any kind that cm200 reads, tells what each is, and runs none. */
#include "../base/file.h"
#include "../base/json.h"
#include "../base/npy.h"
#include "../report/numbers.h"
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES                                                                             \
    (UINT64_C(1) << 31) /* of a .npy file; the other kinds have smaller limits of their own */

struct checked {
    const struct cli_values *values;
    const char *path;
    const char *data;
    size_t length;
    struct cm_buffer *text; /* what the file is */
    bool skipped;
    struct cm_imp_limits limits;
};

/* Prepares it without data too, so that sizes, setups and IMPs are checked. */
static enum cm_status check_workload(const struct checked *file, struct cm_json root,
                                     struct cm_error *err)
{
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_run_options options = cli_run_settings(file->values);
    options.timing_only = true;
    options.threads = 1;
    enum cm_status status = cm_workload_parse(file->path, file->data, file->length, &workload, err);
    if (status == CM_OK)
        status = cm_run_create(workload, &options, &run, err);
    if (status == CM_OK) {
        struct cm_json steps;
        uint32_t arrays = cm_run_array_count(run);
        uint32_t count = cm_json_member(root, "steps", &steps) ? cm_json_count(steps) : 0;
        cm_buffer_printf(file->text, "workload, %" PRIu32 " array%s, %" PRIu32 " step%s", arrays,
                         cm_plural(arrays), count, cm_plural(count));
    }
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return status;
}

static enum cm_status check_machine(const struct checked *file, struct cm_json root,
                                    struct cm_error *err)
{
    struct cm_config config;
    enum cm_status status = cm_config_parse(root, &config, err);
    if (status == CM_OK)
        cm_buffer_printf(file->text, "machine, %s, %" PRIu64 " node%s at %.10g MHz", config.name,
                         UINT64_C(1) << config.network_dimensions,
                         cm_plural(UINT64_C(1) << config.network_dimensions),
                         (double)config.clock_hz / 1e6);
    return status;
}

/* configs/ holds schemas beside the machines, for editors. */
static bool is_schema(struct cm_json root)
{
    struct cm_json json;
    const char *schema;
    return cm_json_kind(root) == CM_JSON_OBJECT && !cm_json_member(root, "format", &json) &&
           cm_json_member(root, "$schema", &json) &&
           cm_json_string(json, "$schema", &schema, NULL) == CM_OK &&
           strstr(schema, "json-schema.org") != NULL;
}

static enum cm_status check_json(struct checked *file, struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    struct cm_json format;
    const char *name = "";
    enum cm_status status = cm_json_parse(file->path, file->data, file->length, &document, err);
    if (status != CM_OK)
        return status;
    struct cm_json root = cm_json_root(document);
    if (is_schema(root)) {
        file->skipped = true;
        cm_buffer_printf(file->text, "a JSON Schema");
        cm_json_destroy(document);
        return CM_OK;
    }
    status = cm_json_expect(root, CM_JSON_OBJECT, "a workload or a machine", err);
    if (status == CM_OK)
        status = cm_json_require(root, "format", &format, err);
    if (status == CM_OK)
        status = cm_json_string(format, "format", &name, err);
    if (status == CM_OK && strcmp(name, "cm200-workload/1") == 0) {
        status = check_workload(file, root, err);
    } else if (status == CM_OK && strcmp(name, "cm200-machine/1") == 0) {
        status = check_machine(file, root, err);
    } else if (status == CM_OK) {
        cm_json_error(format, err, "format is \"%.64s\", which cannot be checked", name);
        status = cm_error_hint(err, "known are \"cm200-workload/1\" and \"cm200-machine/1\"");
    }
    cm_json_destroy(document);
    return status;
}

static enum cm_status check_imp(const struct checked *file, bool image, struct cm_error *err)
{
    struct cm_imp *imp = NULL;
    enum cm_status status =
        image ? cm_imp_decode(file->path, file->data, file->length, &file->limits, &imp, err)
              : cm_imp_assemble(file->path, file->data, file->length, &file->limits, &imp, err);
    if (status == CM_OK)
        cm_buffer_printf(file->text, "%s %s, %" PRIu32 " instruction%s, %" PRIu64 " word%s of SRAM",
                         image ? "SRAM image of IMP" : "IMP", imp->name, imp->length,
                         cm_plural(imp->length), cm_imp_words(imp), cm_plural(cm_imp_words(imp)));
    cm_imp_destroy(imp);
    return status;
}

static enum cm_status check_npy(const struct checked *file, struct cm_error *err)
{
    struct cm_npy npy = {0};
    enum cm_status status = cm_npy_parse(file->path, file->data, file->length, &npy, err);
    if (status == CM_OK) {
        cm_buffer_printf(file->text, "npy, %s, shape (", cm_npy_type_descr(npy.type));
        for (uint32_t i = 0; i < npy.rank; i++)
            cm_buffer_printf(file->text, "%s%" PRIu64, i ? ", " : "", npy.shape[i]);
        cm_buffer_printf(file->text, ")");
    }
    cm_npy_finish(&npy);
    return status;
}

static bool begins_with(const struct checked *file, const char *magic)
{
    size_t length = strlen(magic);
    return file->length >= length && memcmp(file->data, magic, length) == 0;
}

/* By content; the name decides only where a file is so broken that its content doesn't tell. */
static bool looks_like_json(const struct checked *file)
{
    size_t length = strlen(file->path);
    size_t i = 0;
    while (i < file->length && strchr(" \t\r\n", file->data[i]) != NULL && file->data[i] != '\0')
        i++;
    if (i < file->length && (file->data[i] == '{' || file->data[i] == '['))
        return true;
    return length >= 5 && strcmp(file->path + length - 5, ".json") == 0;
}

/* The first word beside comments is .imp, or the name ends so. */
static bool looks_like_imp(const struct checked *file)
{
    size_t length = strlen(file->path), i = 0;
    while (i < file->length) {
        if (file->data[i] == ';' || file->data[i] == '#') {
            const char *end = memchr(file->data + i, '\n', file->length - i);
            i = end != NULL ? (size_t)(end - file->data) : file->length;
        } else if (file->data[i] != '\0' && strchr(" \t\r\n", file->data[i]) != NULL) {
            i++;
        } else {
            break;
        }
    }
    if (file->length - i >= 4 && memcmp(file->data + i, ".imp", 4) == 0)
        return true;
    return length >= 4 && strcmp(file->path + length - 4, ".imp") == 0;
}

static enum cm_status check_content(struct checked *file, struct cm_error *err)
{
    if (begins_with(file, "CM200IMP"))
        return check_imp(file, true, err);
    if (begins_with(file, "\x93NUMPY"))
        return check_npy(file, err);
    if (looks_like_json(file))
        return check_json(file, err);
    if (looks_like_imp(file))
        return check_imp(file, false, err);
    cm_error_at(err, CM_BAD_INPUT, file->path, 0, 0,
                "neither a workload, machine, IMP nor image, nor a .npy file");
    return cm_error_hint(err, "assembly text begins with .imp NAME, workloads and machines with {");
}

static int check_file(const struct cli_values *values, const char *path,
                      const struct cm_imp_limits *limits)
{
    struct cm_error err;
    struct cm_buffer what, text;
    char *data = NULL;
    struct checked file = {.values = values, .path = path, .text = &what, .limits = *limits};
    memset(&err, 0, sizeof err);
    cm_buffer_init(&what);
    cm_buffer_init(&text);
    int code = 0;
    enum cm_status status = cm_file_read(path, FILE_MAX_BYTES, &data, &file.length, &err);
    file.data = data;
    if (status == CM_OK)
        status = check_content(&file, &err);
    if (status != CM_OK) {
        code = cli_error(&err);
    } else if (!values->quiet) {
        cm_buffer_printf(&text, "%s: %s (%s)\n", path, file.skipped ? "skipped" : "ok",
                         what.data != NULL ? what.data : "");
        code = cli_write(&text);
    }
    free(data);
    cm_buffer_finish(&what);
    cm_buffer_finish(&text);
    return code;
}

/* The limits of the machine that was named, or those of a CM-200. */
static enum cm_status find_limits(const struct cli_values *values, struct cm_imp_limits *limits,
                                  struct cm_error *err)
{
    struct cm_config config;
    *limits = CM_IMP_LIMITS_DEFAULT;
    if (values->machine == NULL)
        return CM_OK;
    enum cm_status status = cm_config_read(values->machine, &config, err);
    for (uint32_t i = 0; status == CM_OK && i < values->sets.count; i++)
        status = cm_config_set(&config, values->sets.items[i], err);
    if (status == CM_OK)
        *limits = cm_config_imp_limits(&config);
    return status;
}

static int check(const struct cli_values *values)
{
    struct cm_imp_limits limits;
    struct cm_error err;
    int worst = 0;
    memset(&err, 0, sizeof err);
    if (find_limits(values, &limits, &err) != CM_OK)
        return cli_error(&err);
    for (uint32_t i = 0; i < values->operands.count; i++) {
        int code = check_file(values, values->operands.items[i], &limits);
        worst = code > worst ? code : worst;
    }
    return worst;
}

static const struct cli_option options[] = {
    {"quiet", 'q', CLI_FLAG, NULL, "print faults only", CLI_OPTION(quiet), 0, 0},
};
static const struct cli_option_set option_set = {options, 1};

const struct cli_command cli_command_check = {
    .name = "check",
    .summary = "read and check files; run nothing",
    .operands = "FILE...",
    .operands_min = 1,
    .operands_max = UINT32_MAX,
    .about = "Reads workloads, machines, IMPs (assembly or SRAM images) and .npy files, tells them "
             "apart by\n"
             "what is in them, and reports every file's first fault. A workload is prepared as for "
             "a run\n"
             "without data, so arrays too large and setups that don't fit are found. The exit code "
             "is that\n"
             "of the worst file. JSON Schemas are skipped; - is standard input.",
    .examples = "  cm200 check configs/*.json programs/examples/*.json\n"
                "  cm200 check --machine configs/cm2.json workload.json\n"
                "  cm200 check kernel.imp kernel.img\n",
    .sets = {&cli_machine_options, &option_set},
    .run = check,
};
