/* Reading workloads: the file as a whole. Arrays and scalars are in workload_arrays.c, steps in
 * workload_steps.c. */
#include "../../base/suggest.h"
#include "workload_private.h"

#include <stdlib.h>
#include <string.h>

static const char *const workload_keys[] = {"$schema", "format",  "name",  "machine", "nodes",
                                            "arrays",  "scalars", "steps", "save",    "check"};

enum cm_status cm_workload_place(struct cm_json json, struct cm_error *err)
{
    if (err == NULL)
        return CM_INTERNAL;
    if (err->line != 0 || err->file[0] != '\0' || json.document == NULL ||
        err->status == CM_INTERRUPTED)
        return err->status;
    struct cm_error place;
    memset(&place, 0, sizeof place);
    cm_json_error(json, &place, "%s", err->message);
    place.status = err->status;
    memcpy(place.message, err->message, sizeof place.message);
    memcpy(place.hint, err->hint, sizeof place.hint);
    *err = place;
    return err->status;
}

void cm_workload_named_at(struct cm_json json, struct cm_error *err)
{
    uint32_t line, column;
    if (err == NULL || err->hint[0] != '\0' || json.document == NULL)
        return;
    cm_json_position(json, &line, &column);
    cm_error_hint(err, "named at %.200s:%u:%u", cm_json_name(json.document), line, column);
}

static enum cm_status read_format(struct cm_json root, struct cm_error *err)
{
    struct cm_json json;
    const char *format;
    enum cm_status status = cm_json_require(root, "format", &json, err);
    if (status != CM_OK)
        return status;
    status = cm_json_string(json, "format", &format, err);
    if (status != CM_OK)
        return status;
    if (strcmp(format, CM_WORKLOAD_FORMAT) == 0)
        return CM_OK;
    cm_json_error(json, err, "format is \"%.64s\", expected \"%s\"", format, CM_WORKLOAD_FORMAT);
    if (strcmp(format, "cm200-machine/1") == 0)
        cm_error_hint(err, "this describes a machine; name it in a workload's \"machine\", or with "
                           "--machine");
    return CM_BAD_INPUT;
}

/* A name is shown on terminals: no escape sequences. */
static enum cm_status read_name(struct cm_workload *workload, struct cm_json json,
                                struct cm_error *err)
{
    enum cm_status status = cm_json_string(json, "name", &workload->name, err);
    if (status != CM_OK)
        return status;
    for (const char *c = workload->name; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return cm_json_error(json, err, "name must not contain control characters");
    }
    return CM_OK;
}

static enum cm_status read_strings(struct cm_workload *workload, struct cm_json root,
                                   struct cm_error *err)
{
    struct cm_json json;
    const char *ignored;
    enum cm_status status = CM_OK;
    if (cm_json_member(root, "$schema", &json))
        status = cm_json_string(json, "$schema", &ignored, err);
    if (status == CM_OK && cm_json_member(root, "name", &json))
        status = read_name(workload, json, err);
    if (status == CM_OK && cm_json_member(root, "machine", &json)) {
        workload->machine_json = json;
        status = cm_json_string(json, "machine", &workload->machine, err);
        if (status == CM_OK && workload->machine[0] == '\0')
            status = cm_json_error(json, err, "machine is empty, expected the path of a file");
    }
    return status;
}

static enum cm_status read_nodes(struct cm_workload *workload, struct cm_json root,
                                 struct cm_error *err)
{
    uint64_t nodes;
    if (!cm_json_member(root, "nodes", &workload->nodes_json)) {
        workload->nodes_json = root;
        return CM_OK;
    }
    enum cm_status status =
        cm_json_u64(workload->nodes_json, "nodes", 1, UINT64_C(1) << 31, &nodes, err);
    if (status != CM_OK)
        return status;
    if ((nodes & (nodes - 1)) != 0) {
        cm_json_error(workload->nodes_json, err, "nodes is %llu, expected a power of two",
                      (unsigned long long)nodes);
        uint64_t below = 1;
        while (below * 2 < nodes)
            below *= 2;
        return cm_error_hint(err, "%llu or %llu", (unsigned long long)below,
                             (unsigned long long)(below * 2));
    }
    workload->nodes = (uint32_t)nodes;
    return CM_OK;
}

static enum cm_status read_save(struct cm_workload *workload, struct cm_json save,
                                struct cm_error *err)
{
    enum cm_status status = cm_json_expect(save, CM_JSON_OBJECT, "save", err);
    uint32_t count = cm_json_count(save);
    if (status != CM_OK || count == 0)
        return status;
    workload->saves = calloc(count, sizeof *workload->saves);
    if (workload->saves == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    workload->save_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const char *name;
        struct cm_json json = cm_json_at(save, i, &name);
        struct cm_workload_save *entry = &workload->saves[i];
        entry->array = cm_workload_find_array(workload, name);
        if (entry->array == CM_NO_ARRAY) {
            cm_json_error(json, err, "save names \"%.64s\", but there is no such array", name);
            const char *near = cm_workload_suggest_array(workload, name);
            if (near != NULL)
                cm_error_hint(err, "did you mean \"%s\"?", near);
            return CM_BAD_INPUT;
        }
        status = cm_json_string(json, "the file to save to", &entry->path, err);
        if (status != CM_OK)
            return status;
        if (entry->path[0] == '\0')
            return cm_json_error(json, err, "the file to save to is empty");
    }
    return CM_OK;
}

static enum cm_status read_root(struct cm_workload *workload, struct cm_json root,
                                struct cm_error *err)
{
    struct cm_json json;
    enum cm_status status = cm_json_expect(root, CM_JSON_OBJECT, "a workload", err);
    /* The format first: the keys of another kind of file would only confuse. */
    if (status == CM_OK)
        status = read_format(root, err);
    if (status == CM_OK)
        status = cm_json_keys(root, "a workload", workload_keys,
                              sizeof workload_keys / sizeof *workload_keys, err);
    if (status == CM_OK)
        status = read_strings(workload, root, err);
    if (status == CM_OK)
        status = read_nodes(workload, root, err);
    if (status == CM_OK)
        status = cm_json_require(root, "arrays", &json, err);
    if (status == CM_OK)
        status = cm_workload_read_arrays(workload, json, err);
    if (status == CM_OK && cm_json_member(root, "scalars", &json))
        status = cm_workload_read_scalars(workload, json, err);
    if (status == CM_OK)
        status = cm_json_require(root, "steps", &json, err);
    if (status == CM_OK)
        status = cm_workload_read_steps(workload, json, err);
    if (status == CM_OK && cm_json_member(root, "save", &json))
        status = read_save(workload, json, err);
    if (status == CM_OK && cm_json_member(root, "check", &json))
        status = cm_json_bool(json, "check", &workload->check, err);
    return status;
}

/* Takes ownership of the document. */
static enum cm_status from_document(struct cm_json_document *document,
                                    struct cm_workload **workload, struct cm_error *err)
{
    struct cm_workload *made = calloc(1, sizeof *made);
    if (made == NULL) {
        cm_json_destroy(document);
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    }
    made->document = document;
    const char *file = cm_json_name(document);
    const char *slash = strrchr(file, '/');
    made->name = slash != NULL ? slash + 1 : file;
    enum cm_status status = read_root(made, cm_json_root(document), err);
    if (status != CM_OK) {
        cm_workload_destroy(made);
        return status;
    }
    *workload = made;
    return CM_OK;
}

enum cm_status cm_workload_read(const char *path, struct cm_workload **workload,
                                struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    *workload = NULL;
    enum cm_status status = cm_json_read(path, &document, err);
    return status == CM_OK ? from_document(document, workload, err) : status;
}

enum cm_status cm_workload_parse(const char *name, const char *text, size_t length,
                                 struct cm_workload **workload, struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    *workload = NULL;
    enum cm_status status = cm_json_parse(name, text, length, &document, err);
    return status == CM_OK ? from_document(document, workload, err) : status;
}

void cm_workload_destroy(struct cm_workload *workload)
{
    if (workload == NULL)
        return;
    cm_workload_steps_destroy(workload->steps, workload->step_count);
    free(workload->saves);
    free(workload->scalars);
    free(workload->arrays);
    cm_json_destroy(workload->document);
    free(workload);
}

const char *cm_workload_name(const struct cm_workload *workload)
{
    return workload->name;
}

static bool steps_read_files(const struct cm_workload_step *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (steps[i].kind == CM_STEP_IMP || steps_read_files(steps[i].steps, steps[i].step_count))
            return true;
    }
    return false;
}

bool cm_workload_reads_files(const struct cm_workload *workload)
{
    for (uint32_t i = 0; i < workload->array_count; i++) {
        if (workload->arrays[i].init.kind == CM_INIT_NPY)
            return true;
    }
    return steps_read_files(workload->steps, workload->step_count);
}
