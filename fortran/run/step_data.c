/* Reads and executes the keys "parameters", "load" and "save" of the step "program"
 * (step_data.h). */
#include "step_data.h"

#include "data.h"

#include <strings.h>

#define PARAMETERS_MAX 256u
#define FILES_MAX      256u

/* Fails if member number `i` of a JSON object has the name of an earlier member. Case does not
 * matter in names, as in Fortran. */
static void refuse_twice(struct cm_reader *reader, struct cm_json object, uint32_t i,
                         const char *what)
{
    const char *name, *other;
    struct cm_json json = cm_json_at(object, i, &name);
    for (uint32_t k = 0; k < i; k++) {
        cm_json_at(object, k, &other);
        if (strcasecmp(name, other) == 0)
            cm_reader_fail(reader, json, "%s names %.64s twice", what, name);
    }
}

/* Returns the number of a JSON object's members. Fails if there are more than `max` members. */
static uint32_t count_members(struct cm_reader *reader, struct cm_json object, const char *what,
                              uint32_t max)
{
    cm_read_kind(reader, object, CM_JSON_OBJECT, what);
    if (!cm_reader_ok(reader))
        return 0;
    if (cm_json_count(object) > max)
        cm_reader_fail(reader, object, "%s has more than %u members", what, (unsigned)max);
    return cm_json_count(object);
}

static void read_parameters(struct cm_workload *workload, struct cm_reader *reader,
                            struct cm_json object, struct cm_fortran_step_data *data)
{
    uint32_t count = count_members(reader, object, "parameters", PARAMETERS_MAX);
    data->parameters = cm_workload_allocate(workload, reader, count, sizeof *data->parameters);
    for (uint32_t i = 0; i < count && cm_reader_ok(reader); i++) {
        struct cm_fortran_parameter *parameter = &data->parameters[i];
        struct cm_json json = cm_json_at(object, i, &parameter->name);
        refuse_twice(reader, object, i, "parameters");
        parameter->is_logical = cm_json_kind(json) == CM_JSON_BOOL;
        if (parameter->is_logical)
            parameter->value = cm_read_bool(reader, json, parameter->name);
        else
            parameter->value = cm_read_f64(reader, json, parameter->name);
        data->parameter_count = i + 1;
    }
}

static uint32_t read_files(struct cm_workload *workload, struct cm_reader *reader,
                           struct cm_json body, const char *key, enum cm_workload_file_kind kind,
                           struct cm_fortran_step_file **files)
{
    struct cm_json object;
    if (!cm_read_optional(reader, body, key, &object))
        return 0;
    uint32_t count = count_members(reader, object, key, FILES_MAX);
    *files = cm_workload_allocate(workload, reader, count, sizeof **files);
    for (uint32_t i = 0; i < count && cm_reader_ok(reader); i++) {
        struct cm_fortran_step_file *file = &(*files)[i];
        file->json = cm_json_at(object, i, &file->array);
        refuse_twice(reader, object, i, key);
        file->file = cm_workload_read_file(workload, reader, file->json, file->array, kind);
    }
    return cm_reader_ok(reader) ? count : 0;
}

void cm_fortran_step_data_read(struct cm_workload *workload, struct cm_reader *reader,
                               struct cm_json body, struct cm_fortran_step_data *data)
{
    struct cm_json object;
    if (cm_read_optional(reader, body, "parameters", &object))
        read_parameters(workload, reader, object, data);
    data->load_count = read_files(workload, reader, body, "load", CM_WORKLOAD_VALUES, &data->loads);
    data->save_count = read_files(workload, reader, body, "save", CM_WORKLOAD_SAVE, &data->saves);
}

/* Adds the place in the workload to an error. An error within the array's file keeps its own place,
 * and a hint says where the workload names the file. */
static enum cm_status place(const struct cm_fortran_step_file *file, enum cm_status status,
                            struct cm_error *err)
{
    if (status != CM_OK && err != NULL && err->file[0] != '\0')
        cm_workload_hint_place(file->json, err);
    else if (status == CM_BAD_INPUT)
        cm_workload_place(file->json, err);
    return status;
}

enum cm_status cm_fortran_step_load(const struct cm_fortran_step_data *data,
                                    struct cm_fortran_run *run, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < data->load_count && status == CM_OK; i++) {
        const struct cm_fortran_step_file *file = &data->loads[i];
        status = place(file, cm_fortran_run_load(run, file->array, file->file->path, err), err);
    }
    for (uint32_t i = 0; i < data->save_count && status == CM_OK; i++)
        status =
            place(&data->saves[i], cm_fortran_run_check_array(run, data->saves[i].array, err), err);
    return status;
}

enum cm_status cm_fortran_step_save(const struct cm_fortran_step_data *data,
                                    struct cm_fortran_run *run, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < data->save_count && status == CM_OK; i++) {
        const struct cm_fortran_step_file *file = &data->saves[i];
        status = place(file, cm_fortran_run_save(run, file->array, file->file->path, err), err);
    }
    return status;
}
