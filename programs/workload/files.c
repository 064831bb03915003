/* Files that a workload names, and the rules for the files of an untrusted workload. */
#include "files.h"

#include "../../base/file.h"
#include "../../base/input.h"
#include "../../base/text.h"
#include "workload_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct cm_workload_file *cm_workload_files(const struct cm_workload *workload)
{
    return workload->files;
}

const struct cm_workload_file *cm_workload_read_file(struct cm_workload *workload,
                                                     struct cm_reader *reader, struct cm_json json,
                                                     const char *what,
                                                     enum cm_workload_file_kind kind)
{
    const char *written = cm_read_string(reader, json, what);
    if (written != NULL && written[0] == '\0')
        cm_reader_fail(reader, json, "%s is empty, expected the path of a file", what);
    if (!cm_reader_ok(reader))
        return NULL;
    char *path = cm_path_beside(cm_json_name(workload->document), written);
    size_t size = path != NULL ? strlen(path) + 1 : 0;
    struct cm_workload_file *file = cm_workload_allocate(workload, reader, 1, sizeof *file + size);
    if (path == NULL && file != NULL)
        cm_reader_take(reader, cm_error_no_memory(reader->err));
    if (file != NULL && path != NULL) {
        file->kind = kind;
        file->json = json;
        file->written = written;
        memcpy(file->path, path, size);
        *workload->files_end = file;
        workload->files_end = &file->next;
    }
    free(path);
    return cm_reader_ok(reader) ? file : NULL;
}

static enum cm_status refuse(const struct cm_workload_file *file, const char *what,
                             const char *hint, struct cm_error *err)
{
    cm_json_error(file->json, err, "%.200s %s", file->written, what);
    return cm_error_hint(err, "%s", hint);
}

#define TRUST "--allow-anywhere allows it, for a workload that you trust"

/* Refuses inputs that may be endless or have side effects when opened (cm_file_refusal). */
static enum cm_status check_input(const struct cm_workload_file *file, struct cm_error *err)
{
    const char *why = cm_file_refusal(file->path);
    return why != NULL ? refuse(file, why, TRUST, err) : CM_OK;
}

/* Refuses to replace a file that is neither empty nor an array in .npy format. */
static enum cm_status check_replaced(const struct cm_workload_file *file, struct cm_error *err)
{
    bool array = false;
    struct stat about;
    struct cm_input input;
    if (stat(file->path, &about) != 0)
        return CM_OK;
    if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return refuse(file, "is a device or a pipe, expected a file", TRUST, err);
    if (about.st_size == 0 || S_ISDIR(about.st_mode))
        return CM_OK;
    enum cm_status status = cm_input_open(&input, file->path, err);
    if (status == CM_OK)
        status = cm_input_begins(&input, "\x93NUMPY", &array, err);
    cm_input_close(&input);
    if (status == CM_OK && !array)
        status = refuse(file, "would be replaced, and is not a .npy file",
                        "name another file to save to, or remove this one", err);
    return status;
}

static enum cm_status check_output(const struct cm_workload *workload,
                                   const struct cm_workload_file *file, struct cm_error *err)
{
    bool is_beside = false, is_here = false;
    enum cm_status status =
        cm_file_is_inside(file->path, cm_json_name(workload->document), &is_beside, err);
    if (status == CM_OK)
        status = cm_file_is_inside(file->path, ".", &is_here, err);
    if (status != CM_OK)
        return status;
    if (!is_beside && !is_here)
        return refuse(file, "is outside the workload's folder and the current one", TRUST, err);
    return check_replaced(file, err);
}

enum cm_status cm_workload_check_file(const struct cm_workload *workload,
                                      const struct cm_workload_file *file, struct cm_error *err)
{
    /* A name with control characters could be shown as another name. */
    if (!cm_text_is_clean(file->written))
        return refuse(file, "has a character that cannot be shown", TRUST, err);
    return file->kind == CM_WORKLOAD_SAVE ? check_output(workload, file, err)
                                          : check_input(file, err);
}
