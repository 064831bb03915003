/* Reader of a workload: the file as a whole. read_arrays.c reads arrays and scalars, read_steps.c
 * reads steps, and read_common.c has what all readers need. */
#include "../../base/json_document.h"
#include "../../base/text.h"
#include "step.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const workload_keys[] = {"$schema",    "format", "name",   "machine",
                                            "parameters", "nodes",  "arrays", "scalars",
                                            "steps",      "save",   "check"};

static void read_format(struct cm_reader *reader, struct cm_json root)
{
    struct cm_json json = cm_read_member(reader, root, "format");
    const char *format = cm_read_string(reader, json, "format");
    if (format == NULL || strcmp(format, CM_WORKLOAD_FORMAT) == 0)
        return;
    cm_reader_fail(reader, json, "format is \"%.64s\", expected \"%s\"", format,
                   CM_WORKLOAD_FORMAT);
    if (strcmp(format, "cm200-machine/1") == 0)
        cm_reader_hint(reader, "this describes a machine; name it in a workload's \"machine\", or "
                               "with --machine");
}

/* Reads the machine of a workload: the name of a known machine, or else the path of a file. */
static void read_machine(struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_json json)
{
    const char *name = cm_read_string(reader, json, "machine");
    if (name != NULL && cm_config_is_known(name))
        workload->machine_name = name;
    else if (name != NULL)
        workload->machine =
            cm_workload_read_file(workload, reader, json, "machine", CM_WORKLOAD_MACHINE);
}

static void read_strings(struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_json root)
{
    struct cm_json json;
    if (cm_read_optional(reader, root, "$schema", &json))
        cm_read_string(reader, json, "$schema");
    if (cm_read_optional(reader, root, "name", &json))
        workload->name = cm_read_title(reader, json, "name");
    if (cm_read_optional(reader, root, "machine", &json))
        read_machine(workload, reader, json);
}

static void read_nodes(struct cm_workload *workload, struct cm_reader *reader, struct cm_json root)
{
    workload->nodes_json = root;
    if (!cm_read_optional(reader, root, "nodes", &workload->nodes_json))
        return;
    uint64_t nodes = cm_read_u64(reader, workload->nodes_json, "nodes", 1, UINT64_C(1) << 31);
    if ((nodes & (nodes - 1)) != 0) {
        uint64_t below = 1;
        while (below * 2 < nodes)
            below *= 2;
        cm_reader_fail(reader, workload->nodes_json, "nodes is %llu, expected a power of two",
                       (unsigned long long)nodes);
        cm_reader_hint(reader, "%llu or %llu", (unsigned long long)below,
                       (unsigned long long)(below * 2));
    }
    workload->nodes = (uint32_t)nodes;
}

static void read_save(struct cm_workload *workload, struct cm_reader *reader, struct cm_json save)
{
    cm_read_kind(reader, save, CM_JSON_OBJECT, "save");
    if (!cm_reader_ok(reader))
        return;
    uint32_t count = cm_json_count(save);
    workload->saves = cm_workload_allocate(workload, reader, count, sizeof *workload->saves);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < count; i++) {
        const char *name;
        struct cm_json json = cm_json_at(save, i, &name);
        struct cm_workload_save *entry = &workload->saves[workload->save_count++];
        entry->array = cm_workload_find_array(workload, name);
        if (entry->array == CM_NO_ARRAY) {
            const char *near = cm_workload_suggest_array(workload, name);
            cm_reader_fail(reader, json, "save names \"%.64s\", but there is no such array", name);
            if (near != NULL)
                cm_reader_hint(reader, "did you mean \"%s\"?", near);
        }
        entry->file =
            cm_workload_read_file(workload, reader, json, "the file to save to", CM_WORKLOAD_SAVE);
    }
}

static void read_root(struct cm_workload *workload, struct cm_reader *reader, struct cm_json root,
                      const char *const *parameters, uint32_t parameter_count)
{
    struct cm_json json;
    cm_read_kind(reader, root, CM_JSON_OBJECT, "a workload");
    /* The format is read first, because errors about the keys of another file format would only
     * confuse. */
    read_format(reader, root);
    cm_read_keys(reader, root, "a workload", workload_keys, CM_COUNT_OF(workload_keys));
    cm_workload_read_parameters(workload, reader, root, parameters, parameter_count);
    read_strings(workload, reader, root);
    read_nodes(workload, reader, root);
    cm_workload_read_arrays(workload, reader, cm_read_member(reader, root, "arrays"));
    if (cm_read_optional(reader, root, "scalars", &json))
        cm_workload_read_scalars(workload, reader, json);
    cm_workload_read_steps(workload, reader, cm_read_member(reader, root, "steps"),
                           &workload->steps, &workload->step_count);
    if (cm_read_optional(reader, root, "save", &json))
        read_save(workload, reader, json);
    if (cm_read_optional(reader, root, "check", &json))
        workload->check = cm_read_bool(reader, json, "check");
}

/* Names a workload without a name after its file, with unprintable characters escaped. */
static void name_by_file(struct cm_workload *workload, struct cm_reader *reader)
{
    const char *file = cm_json_name(workload->document), *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    size_t size = 4 * strlen(name) + 4; /* an escaped byte takes at most four bytes */
    char *shown = cm_workload_allocate(workload, reader, size, 1);
    workload->name = shown;
    if (shown != NULL)
        cm_text_clean(shown, size, name, strlen(name));
}

/* Makes the workload of a document and takes over the document. */
static enum cm_status from_document(struct cm_json_document *document,
                                    const char *const *parameters, uint32_t count,
                                    struct cm_workload **workload, struct cm_error *err)
{
    struct cm_error local; /* error to which lower layers can add a place, even if `err` is NULL */
    memset(&local, 0, sizeof local);
    struct cm_reader reader = cm_reader_make(&local);
    struct cm_workload *made = cm_reader_allocate(&reader, 1, sizeof *made);
    if (made == NULL) {
        cm_json_destroy(document);
    } else {
        made->document = document;
        made->files_end = &made->files;
        made->sha256 = cm_sha256_of(document->text, document->length);
        name_by_file(made, &reader);
        read_root(made, &reader, cm_json_root(document), parameters, count);
    }
    if (cm_reader_ok(&reader)) {
        *workload = made;
        return CM_OK;
    }
    if (err != NULL)
        *err = local;
    cm_workload_destroy(made);
    return reader.status;
}

enum cm_status cm_workload_read_with(const char *path, const char *const *parameters,
                                     uint32_t count, struct cm_workload **workload,
                                     struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    *workload = NULL;
    enum cm_status status = cm_json_read(path, &document, err);
    return status == CM_OK ? from_document(document, parameters, count, workload, err) : status;
}

enum cm_status cm_workload_read(const char *path, struct cm_workload **workload,
                                struct cm_error *err)
{
    return cm_workload_read_with(path, NULL, 0, workload, err);
}

enum cm_status cm_workload_parse_with(const struct cm_file_text *text,
                                      const char *const *parameters, uint32_t count,
                                      struct cm_workload **workload, struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    *workload = NULL;
    enum cm_status status = cm_json_parse(text->name, text->text, text->length, &document, err);
    return status == CM_OK ? from_document(document, parameters, count, workload, err) : status;
}

enum cm_status cm_workload_parse(const char *name, const char *text, size_t length,
                                 struct cm_workload **workload, struct cm_error *err)
{
    return cm_workload_parse_with(&(struct cm_file_text){name, text, length}, NULL, 0, workload,
                                  err);
}

void cm_workload_destroy(struct cm_workload *workload)
{
    if (workload == NULL)
        return;
    /* All runs of the workload must have been destroyed. */
    assert(atomic_load(&workload->runs) == 0);
    cm_blocks_free(workload->blocks);
    cm_json_destroy(workload->document);
    free(workload);
}

const char *cm_workload_name(const struct cm_workload *workload)
{
    return workload->name;
}
