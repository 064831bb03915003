/* Files that a run writes. Decides which arrays go to which files, checks that no other file is
 * lost, and writes the files. */
#include "../../base/file.h"
#include "../../base/npy.h"
#include "../../base/npy_parts.h"
#include "../../base/processes.h"
#include "../system/visit.h"
#include "step.h"

#include <stdlib.h>
#include <string.h>

/* Reads "ARRAY=FILE", the value of the option --save. */
static enum cm_status read_save_option(struct cm_run *run, const char *text,
                                       struct cm_run_save *save, struct cm_error *err)
{
    const char *equals = strchr(text, '=');
    char name[sizeof((struct cm_array *)0)->name];
    if (equals != NULL && strcmp(equals, "=-") == 0) {
        cm_error_set(err, CM_USAGE, "--save %.200s: arrays are not written to standard output",
                     text);
        return cm_error_hint(err, "name a file: --save %.*s=FILE.npy",
                             (int)(equals - text < 64 ? equals - text : 64), text);
    }
    if (equals == NULL || equals == text || equals[1] == '\0')
        return cm_error_set(err, CM_USAGE, "--save %.200s: expected ARRAY=FILE.npy", text);
    size_t length = (size_t)(equals - text);
    save->array = CM_NO_ARRAY;
    if (length < sizeof name) {
        memcpy(name, text, length);
        name[length] = '\0';
        save->array = cm_workload_find_array(run->workload, name);
    }
    if (save->array == CM_NO_ARRAY) {
        cm_error_set(err, CM_BAD_INPUT, "--save %.200s: the workload has no array \"%.*s\"", text,
                     length < 64 ? (int)length : 64, text);
        const char *near =
            length < sizeof name ? cm_workload_suggest_array(run->workload, name) : NULL;
        if (near != NULL)
            cm_error_hint(err, "did you mean \"%s\"?", near);
        return CM_BAD_INPUT;
    }
    char *path = cm_run_allocate(run, strlen(equals), 1, err);
    if (path == NULL)
        return CM_NO_MEMORY;
    save->path = strcpy(path, equals + 1);
    return CM_OK;
}

enum cm_status cm_run_check_names(const struct cm_run *run, const struct cm_run_options *options,
                                  struct cm_error *err)
{
    const struct cm_workload_file *file = cm_workload_files(run->workload);
    bool machine = options->machine == NULL && options->config == NULL;
    enum cm_status status = CM_OK;
    for (; status == CM_OK && file != NULL && !options->trusted; file = file->next)
        if (file->kind == CM_WORKLOAD_MACHINE
                ? machine
                : file->kind != CM_WORKLOAD_SAVE || !options->timing_only)
            status = cm_workload_check_file(run->workload, file, err);
    return status;
}

/* Returns the number of the array that the workload saves to a file, or CM_NO_ARRAY if a step
 * writes the file. */
static uint32_t saved_array(const struct cm_workload *workload, const struct cm_workload_file *file)
{
    for (uint32_t i = 0; i < workload->save_count; i++)
        if (workload->saves[i].file == file)
            return workload->saves[i].array;
    return CM_NO_ARRAY;
}

static uint32_t count_saved(const struct cm_workload *workload)
{
    uint32_t count = 0;
    for (const struct cm_workload_file *file = workload->files; file != NULL; file = file->next)
        count += file->kind == CM_WORKLOAD_SAVE;
    return count;
}

enum cm_status cm_run_collect_saves(struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err)
{
    const struct cm_workload *workload = run->workload;
    if (options->timing_only && options->save_count > 0) {
        cm_error_set(err, CM_USAGE, "--save needs data, but a timing-only run moves none");
        return cm_error_hint(err, "leave --timing-only or --save out");
    }
    if (options->timing_only) /* the workload's saves apply to runs with data only */
        return CM_OK;
    run->saves = cm_run_allocate(run, (size_t)count_saved(workload) + options->save_count,
                                 sizeof *run->saves, err);
    if (run->saves == NULL)
        return CM_NO_MEMORY;
    for (const struct cm_workload_file *file = workload->files; file != NULL; file = file->next)
        if (file->kind == CM_WORKLOAD_SAVE)
            run->saves[run->save_count++] = (struct cm_run_save){
                .array = saved_array(workload, file), .file = file, .path = file->path};
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < options->save_count; i++) {
        run->save_count++;
        status = read_save_option(run, options->saves[i], &run->saves[run->save_count - 1], err);
    }
    return status;
}

static enum cm_status refuse_same(const char *path, const char *other, const char *what,
                                  struct cm_error *err)
{
    bool same;
    enum cm_status status = cm_file_same(path, other, &same, err);
    if (status != CM_OK || !same)
        return status;
    cm_error_set(err, CM_USAGE, "%.400s would be overwritten: it is %s", path, what);
    return cm_error_hint(err, "name another file to write to");
}

/* Refuses to write to a path that the run reads. An exception: an array may be saved to a file of
 * first values, so that a state continues from run to run. */
static enum cm_status compare_inputs(const struct cm_run *run, const struct cm_run_options *options,
                                     const char *path, bool array, struct cm_error *err)
{
    static const char *const what[] = {
        [CM_WORKLOAD_MACHINE] = "the machine",
        [CM_WORKLOAD_VALUES] = "a file that the workload reads",
        [CM_WORKLOAD_DATA] = "a file that the workload reads",
    };
    enum cm_status status =
        refuse_same(path, cm_json_name(run->workload->document), "the workload", err);
    if (status == CM_OK && options->machine != NULL)
        status = refuse_same(path, options->machine, "the machine", err);
    for (const struct cm_workload_file *file = run->workload->files;
         status == CM_OK && file != NULL; file = file->next) {
        bool read = file->kind == CM_WORKLOAD_MACHINE  ? options->machine == NULL
                    : file->kind == CM_WORKLOAD_VALUES ? !array
                                                       : file->kind == CM_WORKLOAD_DATA;
        if (read)
            status = refuse_same(path, file->path, what[file->kind], err);
    }
    return status;
}

/* Refuses to save an array to a file whose name is for another format, such as b.csv. */
static enum cm_status refuse_other_format(const struct cm_run_save *save, struct cm_error *err)
{
    const char *ending = cm_npy_other_ending(save->path);
    if (ending == NULL)
        return CM_OK;
    enum cm_status status =
        cm_error_set(err, save->file != NULL ? CM_BAD_INPUT : CM_USAGE,
                     "%.400s: arrays are saved as .npy files, not as %s", save->path, ending);
    if (save->file != NULL)
        cm_workload_place(save->file->json, err);
    cm_error_hint(err, "name a file.npy; in Python: numpy.savetxt(\"file.csv\", "
                       "numpy.load(\"file.npy\"), delimiter=\",\")");
    return status;
}

enum cm_status cm_run_check_outputs(const struct cm_run *run, const struct cm_run_options *options,
                                    struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < options->output_count; i++)
        status = compare_inputs(run, options, options->outputs[i], false, err);
    for (uint32_t i = 0; status == CM_OK && i < run->save_count; i++) {
        const char *path = run->saves[i].path;
        status = compare_inputs(run, options, path, true, err);
        for (uint32_t k = 0; status == CM_OK && k < options->output_count; k++)
            status = refuse_same(path, options->outputs[k], "another output", err);
        for (uint32_t k = 0; status == CM_OK && k < i; k++)
            status = refuse_same(path, run->saves[k].path, "the file of another saved array", err);
        if (status == CM_OK && !options->trusted)
            status = refuse_other_format(&run->saves[i], err);
        if (status == CM_OK)
            status = cm_file_probe(path, err);
        if (status == CM_IO && run->saves[i].file != NULL)
            cm_workload_hint_place(run->saves[i].file->json, err);
    }
    return status;
}

/* Largest number of parts in which an array is saved. With several processes, no process holds a
 * whole array. There are few parts, because each part needs a pass over all elements of a node. */
#define PARTS_MAX 16u

static uint64_t elements_of_part(const struct cm_layout *layout)
{
    const uint64_t least = CM_PROCESSES_PIECE_BYTES / cm_type_host_bytes(layout->type);
    const uint64_t part = (layout->elements + PARTS_MAX - 1) / PARTS_MAX;
    if (cm_processes() == NULL || least >= layout->elements)
        return layout->elements;
    return part < least ? least : part;
}

/* Part of an array that is gathered at a time. It begins with element number `first`. */
struct part {
    uint64_t first, count;
    size_t size; /* number of bytes of an element */
    unsigned char *elements;
    void *room; /* buffer as large as `elements` */
};

static void take_element(void *context, uint64_t e, const void *element)
{
    const struct part *part = context;
    /* false for elements before the part, because the difference wraps */
    if (e - part->first < part->count)
        memcpy(part->elements + (e - part->first) * part->size, element, part->size);
}

/* Gathers a part of an array. */
static enum cm_status gather_part(struct cm_run *run, const struct cm_array *array,
                                  struct part *part, struct cm_error *err)
{
    const struct cm_array_visit visit = {.context = part, .read = take_element};
    if (part->count == array->layout.elements)
        return cm_array_gather(run->system, array, part->elements, err);
    memset(part->elements, 0, part->count * part->size);
    enum cm_status status = cm_array_visit(run->system, array, &visit, err);
    if (status != CM_OK)
        return status;
    return cm_processes_or_bytes(cm_processes(), part->elements, part->room,
                                 part->count * part->size, err);
}

static enum cm_status write_parts(struct cm_run *run, const struct cm_array *array,
                                  const struct cm_npy *npy, struct part *part,
                                  struct cm_output *output, struct cm_error *err)
{
    const uint64_t most = part->count;
    enum cm_status status = CM_OK;
    for (; status == CM_OK && part->first < npy->count; part->first += most) {
        part->count = npy->count - part->first < most ? npy->count - part->first : most;
        status = gather_part(run, array, part, err);
        if (status == CM_OK)
            cm_npy_add(output, npy->type, part->elements, part->count);
    }
    return status;
}

static enum cm_status save_array(struct cm_run *run, const struct cm_run_save *save,
                                 struct cm_error *err)
{
    const struct cm_array *array = run->arrays[save->array];
    const struct cm_layout *layout = &array->layout;
    struct cm_npy npy = {
        .type = (enum cm_npy_type)cm_init_npy_type(layout->type),
        .fortran_order = true,
        .rank = layout->rank,
        .count = layout->elements,
    };
    struct part part = {.count = elements_of_part(layout),
                        .size = cm_type_host_bytes(layout->type)};
    struct cm_output output;
    for (uint32_t a = 0; a < layout->rank; a++)
        npy.shape[a] = layout->axes[a].length;
    const uint64_t bytes = part.count * part.size;
    part.elements = malloc(part.count < layout->elements ? 2 * bytes : bytes);
    if (part.elements == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory for saving \"%s\"", array->name);
    part.room = part.elements + bytes;
    enum cm_status status = cm_npy_begin(save->path, &npy, &output, err);
    if (status == CM_OK) {
        status = write_parts(run, array, &npy, &part, &output, err);
        if (status == CM_OK)
            status = cm_output_close(&output, err);
        else
            cm_output_finish(&output);
    }
    free(part.elements);
    return status;
}

enum cm_status cm_run_save(struct cm_run *run, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < run->save_count; i++)
        if (run->saves[i].array != CM_NO_ARRAY)
            status = save_array(run, &run->saves[i], err);
    for (uint32_t i = 0; status == CM_OK && i < run->step_count; i++)
        if (run->steps[i].step->kind->save != NULL)
            status = run->steps[i].step->kind->save(run, &run->steps[i], err);
    return status;
}
