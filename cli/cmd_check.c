/* cm200 check: reads files of every kind that cm200 reads, and prints the kind and the size of
 * each. It runs nothing. */
#include "../base/input.h"
#include "../base/npy.h"
#include "../base/reader.h"
#include "../fortran/check/program.h"
#include "../fortran/source/parse.h"
#include "../programs/validation/held_out.h"
#include "../programs/workload/intervals.h"
#include "../report/numbers.h"
#include "cli.h"
#include "program/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES (16u * 1024u * 1024u) /* largest file of any kind except .npy */
#define NPY_MAGIC      "\x93NUMPY"

struct check_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_param_values param;
    bool quiet;
    const char *order;
    uint64_t line_length;
};

struct checked {
    const struct check_values *values;
    struct cm_imp_limits limits;
    struct cm_fortran_options fortran;
    const char *path;
    const char *data;
    size_t length;
    struct cm_buffer text; /* description of the file */
    bool skipped;
};

/* Checks a workload. The run is also prepared, without data, which checks sizes, PSHIFT setups and
 * IMPs. */
static enum cm_status check_workload(struct checked *file, struct cm_json root,
                                     struct cm_error *err)
{
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_json steps;
    const struct shell_list *params = &file->values->param.params;
    struct cm_run_options options =
        cli_run_settings(&file->values->common, &file->values->machine, NULL);
    options.timing_only = true;
    options.threads = 1;
    enum cm_status status =
        cm_workload_parse_with(&(struct cm_file_text){file->path, file->data, file->length},
                               params->items, params->count, &workload, err);
    if (status == CM_OK)
        status = cm_run_create(workload, &options, &run, err);
    uint32_t arrays = status == CM_OK ? cm_run_array_count(run) : 0;
    uint32_t count = cm_json_member(root, "steps", &steps) ? cm_json_count(steps) : 0;
    cm_buffer_printf(&file->text, "workload, %" PRIu32 " array%s, %" PRIu32 " step%s", arrays,
                     cm_plural(arrays), count, cm_plural(count));
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return status;
}

static enum cm_status check_machine(struct checked *file, struct cm_json root, struct cm_error *err)
{
    struct cm_config config;
    enum cm_status status = cm_config_parse(root, &config, err);
    if (status == CM_OK)
        cm_buffer_printf(&file->text, "machine, %s, %" PRIu64 " node%s at %.10g MHz", config.name,
                         UINT64_C(1) << config.network_dimensions,
                         cm_plural(UINT64_C(1) << config.network_dimensions),
                         (double)config.clock_hz / 1e6);
    return status;
}

static enum cm_status check_machines(struct checked *file, struct cm_json root,
                                     struct cm_error *err)
{
    uint32_t count, keys;
    enum cm_status status = cm_machines_check(root, &count, &keys, err);
    if (status == CM_OK)
        cm_buffer_printf(&file->text, "%" PRIu32 " machines for --intervals, %" PRIu32 " key%s",
                         count, keys, cm_plural(keys));
    return status;
}

static enum cm_status check_held_out(struct checked *file, struct cm_json root,
                                     struct cm_error *err)
{
    uint32_t count;
    enum cm_status status = cm_held_out_check(root, &count, err);
    if (status == CM_OK)
        cm_buffer_printf(&file->text, "%" PRIu32 " measurement%s for validate --held-out", count,
                         cm_plural(count));
    return status;
}

/* Checks a JSON file by the rules of its "format". JSON schemas are skipped, because configs/ has
 * schemas for editors. */
static enum cm_status check_object(struct checked *file, struct cm_json root, struct cm_error *err)
{
    struct cm_json json;
    struct cm_reader reader = cm_reader_make(err);
    if (cm_json_kind(root) == CM_JSON_OBJECT && !cm_json_member(root, "format", &json) &&
        cm_json_member(root, "$schema", &json)) {
        const char *schema = cm_read_string(&reader, json, "$schema");
        file->skipped = schema != NULL && strstr(schema, "json-schema.org") != NULL;
        if (file->skipped)
            cm_buffer_printf(&file->text, "a JSON Schema");
        if (file->skipped)
            return CM_OK;
        reader = cm_reader_make(err);
    }
    cm_read_kind(&reader, root, CM_JSON_OBJECT, "a workload or a machine");
    json = cm_read_member(&reader, root, "format");
    const char *format = cm_read_string(&reader, json, "format");
    if (format == NULL)
        return reader.status;
    if (strcmp(format, "cm200-workload/1") == 0)
        return check_workload(file, root, err);
    if (strcmp(format, "cm200-machine/1") == 0)
        return check_machine(file, root, err);
    if (strcmp(format, "cm200-machines/1") == 0)
        return check_machines(file, root, err);
    if (strcmp(format, "cm200-held-out/1") == 0)
        return check_held_out(file, root, err);
    cm_reader_fail(&reader, json, "format is \"%.64s\", which cannot be checked", format);
    cm_reader_hint(&reader, "known are \"cm200-workload/1\", \"cm200-machine/1\", "
                            "\"cm200-machines/1\" and \"cm200-held-out/1\"");
    return reader.status;
}

static enum cm_status check_json(struct checked *file, struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    enum cm_status status = cm_json_parse(file->path, file->data, file->length, &document, err);
    if (status == CM_OK)
        status = check_object(file, cm_json_root(document), err);
    cm_json_destroy(document);
    return status;
}

static enum cm_status check_imp(struct checked *file, bool image, struct cm_error *err)
{
    struct cm_imp *imp = NULL;
    enum cm_status status =
        image ? cm_imp_decode(file->path, file->data, file->length, &file->limits, &imp, err)
              : cm_imp_assemble(file->path, file->data, file->length, &file->limits, &imp, err);
    if (status == CM_OK)
        cm_buffer_printf(&file->text,
                         "%s %s, %" PRIu32 " instruction%s, %" PRIu64 " word%s of SRAM",
                         image ? "SRAM image of IMP" : "IMP", imp->name, imp->length,
                         cm_plural(imp->length), cm_imp_words(imp), cm_plural(cm_imp_words(imp)));
    cm_imp_destroy(imp);
    return status;
}

static enum cm_status check_npy(struct checked *file, struct cm_input *input, struct cm_error *err)
{
    struct cm_npy npy;
    enum cm_status status = cm_input_read_npy(input, &npy, err);
    if (status == CM_OK)
        cm_buffer_printf(&file->text, "npy, %s, shape (", cm_npy_type_descr(npy.type));
    for (uint32_t i = 0; status == CM_OK && i < npy.rank; i++)
        cm_buffer_printf(&file->text, "%s%" PRIu64, i ? ", " : "", npy.shape[i]);
    cm_buffer_printf(&file->text, ")");
    cm_npy_finish(&npy);
    return status;
}

/* Checks a CM Fortran program. Prints all messages except the last one, which becomes *err. */
static enum cm_status check_fortran(struct checked *file, struct cm_error *err)
{
    struct cm_source *source;
    struct cm_messages messages;
    struct cm_syntax *tree;
    const struct cm_syntax_reader reader = {.line_length = (uint32_t)file->values->line_length};
    enum cm_status status =
        cm_syntax_parse(&(struct cm_file_text){file->path, file->data, file->length}, &reader,
                        &source, &messages, &tree);
    if (tree != NULL) {
        struct cm_fortran_program *program =
            cm_fortran_check(tree, source, &file->fortran, &messages);
        status = messages.status;
        cm_fortran_program_destroy(program);
        if (!file->values->quiet)
            cli_show_warning(&messages);
    }
    if (status == CM_OK)
        cm_buffer_printf(&file->text, "CM Fortran, %" PRIu32 " program unit%s", tree->unit_count,
                         cm_plural(tree->unit_count));
    else
        status = cli_last_message(&messages, status, err);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    return status;
}

/* Returns true if the file has the text `begin` at byte `offset`, or if the file's name ends with
 * `suffix`. */
static bool looks_like(const struct checked *file, size_t offset, const char *begin,
                       const char *suffix)
{
    size_t length = strlen(begin), path = strlen(file->path), end = strlen(suffix);
    return (file->length - offset >= length && memcmp(file->data + offset, begin, length) == 0) ||
           (end > 0 && path >= end && strcmp(file->path + path - end, suffix) == 0);
}

/* Returns the offset of the first word in the file. If `comments` is true, comments in the syntax
 * of IMP assembly are skipped. */
static size_t first_word(const struct checked *file, bool comments)
{
    size_t i = 0;
    while (i < file->length) {
        char c = file->data[i];
        if (comments && (c == ';' || c == '#'))
            i += strcspn(file->data + i, "\n");
        else if (c != '\0' && strchr(" \t\r\n", c) != NULL)
            i++;
        else
            break;
    }
    return i;
}

/* Recognises the kind of a file by its content. The name decides if the content is too damaged to
 * show the kind. */
static enum cm_status check_content(struct checked *file, struct cm_error *err)
{
    size_t word = first_word(file, false);
    if (looks_like(file, 0, "CM200IMP", ""))
        return check_imp(file, true, err);
    if (cm_fortran_is_source_name(file->path))
        return check_fortran(file, err);
    if (looks_like(file, word, "{", ".json") || looks_like(file, word, "[", ".json"))
        return check_json(file, err);
    if (looks_like(file, first_word(file, true), ".imp", ".imp"))
        return check_imp(file, false, err);
    cm_error_at(err, CM_BAD_INPUT, file->path, 0, 0,
                "is not a workload, machine, IMP, image, .npy file or CM Fortran program");
    return cm_error_hint(
        err, "assembly text begins with .imp NAME, workloads and machines with {; programs "
             "are named " CM_FORTRAN_SUFFIXES);
}

/* Checks an open file. A .npy file may have any length, and is read in pieces. Any other file is
 * read as a whole. */
static enum cm_status check_input(struct checked *file, struct cm_input *input,
                                  struct cm_error *err)
{
    char *data = NULL;
    bool npy;
    enum cm_status status = cm_input_begins(input, NPY_MAGIC, &npy, err);
    if (status != CM_OK)
        return status;
    if (npy)
        return check_npy(file, input, err);
    status = cm_input_read_all(input, FILE_MAX_BYTES, &data, &file->length, err);
    file->data = data;
    if (status == CM_OK)
        status = check_content(file, err);
    free(data);
    return status;
}

static int check_file(struct checked file)
{
    struct cm_error err = {0};
    struct cm_buffer text;
    struct cm_input input;
    cm_buffer_init(&file.text);
    cm_buffer_init(&text);
    enum cm_status status = cm_input_open(&input, file.path, &err);
    if (status == CM_OK)
        status = check_input(&file, &input, &err);
    cm_input_close(&input);
    if (status == CM_OK && !cm_buffer_ok(&file.text))
        status = cm_error_no_memory(&err);
    if (status == CM_OK && !file.values->quiet)
        cm_buffer_printf(&text, "%s: %s (%s)\n", shell_shown(file.path).text,
                         file.skipped ? "skipped" : "ok", file.text.data);
    cm_buffer_finish(&file.text);
    return shell_deliver(NULL, &text, status, &err);
}

static bool has_program(const struct shell_list *operands)
{
    for (uint32_t i = 0; i < operands->count; i++)
        if (cm_fortran_is_source_name(operands->items[i]))
            return true;
    return false;
}

static int check(const void *all)
{
    const struct check_values *values = all;
    struct cm_config config;
    struct cm_error err = {0};
    struct checked file = {.values = values, .limits = CM_IMP_LIMITS_DEFAULT};
    struct cli_parameters *parameters = NULL;
    const struct shell_list none = {0};
    int worst =
        cli_program_options("check", values->order,
                            has_program(&values->common.operands) ? &values->param.params : &none,
                            &parameters, &file.fortran);
    if (worst != 0)
        goto done;
    if (values->machine.machine != NULL) {
        if (cli_machine_config(&values->machine, &config, &err) != CM_OK) {
            worst = shell_error(&err);
            goto done;
        }
        file.limits = cm_config_imp_limits(&config);
    }
    for (uint32_t i = 0; i < values->common.operands.count; i++) {
        file.path = values->common.operands.items[i];
        int code = check_file(file);
        worst = code > worst ? code : worst;
    }
done:
    free(parameters);
    return worst;
}

static const struct shell_option options[] = {
    {"quiet", SHELL_FLAG, offsetof(struct check_values, quiet), 'q', .help = "print errors only"},
    {"cshift-order", SHELL_STRING, offsetof(struct check_values, order), .argument = "ORDER",
     .help = "of CM Fortran programs: what CSHIFT(A, 1, -1) means without keywords: "
             "cm (array, dim, shift), or f90 (array, shift, dim); default f90 in "
             ".f90, .f95, .f03 and .f08, and cm in other files"},
    {"line-length", SHELL_NUMBER, offsetof(struct check_values, line_length), .argument = "N",
     .min = CM_FORTRAN_LINE_LENGTH, .max = CM_FORTRAN_LINE_LENGTH_MAX,
     .help = "of CM Fortran programs: last column of statements in fixed form, 72 by default"},
};

const struct cli_command cli_command_check = {
    .syntax = {.command = "check",
               .operands = "FILE...",
               .operands_min = 1,
               .operands_max = UINT32_MAX,
               .sets = {SHELL_SET(cli_machine_options, offsetof(struct check_values, machine)),
                        SHELL_SET(cli_param_options, offsetof(struct check_values, param)),
                        SHELL_SET(options, 0)}},
    .summary = "read and check files; run nothing",
    .about = "Reads workloads, machines, IMPs (assembly or SRAM images) and .npy files, recognises "
             "each by its content, and reports the first error of each file; of CM Fortran "
             "programs (" CM_FORTRAN_SUFFIXES
             "), names, types and shapes of which are checked, all errors. "
             "A workload is prepared as for a run without data, which also finds arrays that are "
             "too large and "
             "setups that do not fit. The exit "
             "code is that of the worst file. JSON Schemas are skipped. - is standard input.",
    .examples = "  cm200 check configs/*.json programs/examples/*.json\n"
                "  cm200 check --machine configs/cm2.json workload.json\n"
                "  cm200 check kernel.imp kernel.img\n",
    .values_size = sizeof(struct check_values),
    .run = check,
};
