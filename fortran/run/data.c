/* Loads arrays of the main program from .npy files, and saves them (data.h). */
#include "data.h"

#include "../../base/npy.h"
#include "../../base/suggest.h"
#include "../../programs/workload/workload_private.h"
#include "run_private.h"
#include "step.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAMES_MAX 256u /* largest number of names that a hint chooses from */

/* Returns the array variable of this name in the main program, or NULL with an error. */
static const struct cm_fortran_variable *find_array(const struct cm_fortran_run *run,
                                                    const char *name, struct cm_error *err)
{
    const struct cm_fortran_unit *main = run->program->main;
    const char *names[NAMES_MAX];
    char list[CM_LIST_BYTES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < main->variable_count; i++) {
        const struct cm_fortran_variable *variable = main->variables[i];
        bool found = strcasecmp(variable->name, name) == 0;
        if (found && variable->type == CM_FORTRAN_CHARACTER) {
            cm_error_set(err, CM_BAD_INPUT, "%.64s has texts, which files of arrays do not have",
                         name);
            return NULL;
        }
        if (found && variable->rank > 0 && !variable->is_constant)
            return variable;
        if (found && variable->is_constant) {
            cm_error_set(err, CM_BAD_INPUT, "%.64s is a PARAMETER", name);
            return NULL;
        }
        if (found) {
            cm_error_refuse(err, "PRINT shows what it is", "%.64s is a scalar, not an array", name);
            return NULL;
        }
        if (variable->rank > 0 && !variable->is_constant && count < NAMES_MAX)
            names[count++] = variable->name;
    }
    cm_error_set(err, CM_BAD_INPUT, "the main program has no array \"%.64s\"", name);
    const char *near = cm_suggest(name, names, count);
    if (near != NULL)
        cm_error_hint(err, "did you mean \"%s\"?", near);
    else if (count > 0)
        cm_error_hint(err, "it has %s", cm_names_join(names, count, ", ", list));
    return NULL;
}

enum cm_status cm_fortran_run_check_array(struct cm_fortran_run *run, const char *name,
                                          struct cm_error *err)
{
    return find_array(run, name, err) != NULL ? CM_OK : CM_BAD_INPUT;
}

/* Finds an array of the main program. The array is static, so that it exists before the first
 * statement and after the last one. */
static enum cm_status find(struct cm_fortran_run *run, const char *name, const char *when,
                           struct cm_fortran_array **array, struct cm_error *err)
{
    const struct cm_fortran_variable *variable = find_array(run, name, err);
    *array = NULL;
    if (variable == NULL)
        return CM_BAD_INPUT;
    *array = run->statics[variable->slot].array;
    if (*array == NULL)
        return cm_error_refuse(err, "give it its bounds in its declaration, by PARAMETERs",
                               "%s is ALLOCATABLE, and not allocated %s", variable->name, when);
    return CM_OK;
}

static enum cm_status check_file(const struct cm_fortran_array *array, const char *name,
                                 const char *path, const struct cm_npy *npy, struct cm_error *err)
{
    char found[400], wanted[200];
    enum cm_npy_type type = (enum cm_npy_type)cm_init_npy_type(array->type);
    bool same = npy->rank == array->rank &&
                memcmp(npy->shape, array->extent, array->rank * sizeof(array->extent[0])) == 0;
    if (!same)
        return cm_error_set(err, CM_BAD_INPUT, "%.200s has shape %s, but the array %s has %s", path,
                            cm_shape_text(npy->shape, npy->rank, found, sizeof found), name,
                            cm_shape_text(array->extent, array->rank, wanted, sizeof wanted));
    if (npy->type == type)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT, "%.200s holds \"%s\", but the %s array %s needs \"%s\"", path,
                 cm_npy_type_descr(npy->type), cm_fortran_type_text(array->type), name,
                 cm_npy_type_descr(type));
    return cm_error_hint(err, "in NumPy: a.astype(\"%s\")", cm_npy_type_descr(type));
}

/* Copies the elements of an array from the memory of the host. */
static enum cm_status write_elements(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                     const void *elements, struct cm_error *err)
{
    if (cm_fortran_on_machine(array))
        return cm_array_scatter(run->system, array->machine, elements, err);
    memcpy(array->host, elements, (size_t)array->elements * cm_type_host_bytes(array->type));
    return CM_OK;
}

/* Copies the elements of an array to the memory of the host. */
static enum cm_status read_elements(struct cm_fortran_run *run,
                                    const struct cm_fortran_array *array, void *elements,
                                    struct cm_error *err)
{
    if (cm_fortran_on_machine(array))
        return cm_array_gather(run->system, array->machine, elements, err);
    memcpy(elements, array->host, (size_t)array->elements * cm_type_host_bytes(array->type));
    return CM_OK;
}

enum cm_status cm_fortran_run_load(struct cm_fortran_run *run, const char *name, const char *path,
                                   struct cm_error *err)
{
    struct cm_fortran_array *array;
    struct cm_npy npy = {0};
    enum cm_status status = find(run, name, "before the program runs", &array, err);
    if (status == CM_OK)
        status = cm_npy_read(path, &npy, err);
    if (status == CM_OK)
        status = check_file(array, name, path, &npy, err);
    if (status == CM_OK)
        status = cm_npy_to_fortran(&npy, err);
    if (status == CM_OK)
        status = write_elements(run, array, npy.data, err);
    cm_npy_finish(&npy);
    return status;
}

enum cm_status cm_fortran_run_save(struct cm_fortran_run *run, const char *name, const char *path,
                                   struct cm_error *err)
{
    struct cm_fortran_array *array;
    enum cm_status status = find(run, name, "when the program ends", &array, err);
    if (status != CM_OK)
        return status;
    struct cm_npy npy = {
        .type = (enum cm_npy_type)cm_init_npy_type(array->type),
        .fortran_order = true,
        .rank = array->rank,
        .count = array->elements,
    };
    size_t bytes = (size_t)array->elements * cm_type_host_bytes(array->type);
    memcpy(npy.shape, array->extent, array->rank * sizeof(array->extent[0]));
    npy.data = malloc(bytes > 0 ? bytes : 1);
    if (npy.data == NULL)
        return cm_error_no_memory(err);
    status = read_elements(run, array, npy.data, err);
    if (status == CM_OK)
        status = cm_npy_write(path, &npy, err);
    cm_npy_finish(&npy);
    return status;
}

/* Returns array number `i` of the main program that exists now, and its variable. Returns NULL past
 * the last array. */
static struct cm_fortran_array *array_at(const struct cm_fortran_run *run, uint32_t i,
                                         const struct cm_fortran_variable **found)
{
    const struct cm_fortran_unit *main = run->program->main;
    for (uint32_t v = 0; main != NULL && v < main->variable_count; v++) {
        const struct cm_fortran_variable *variable = main->variables[v];
        if (variable->rank == 0 || variable->is_constant || variable->type == CM_FORTRAN_CHARACTER)
            continue;
        struct cm_fortran_array *array = run->statics[variable->slot].array;
        *found = variable;
        if (array != NULL && i-- == 0)
            return array;
    }
    return NULL;
}

bool cm_fortran_run_values_at(const struct cm_fortran_run *run, uint32_t i,
                              struct cm_fortran_values *values)
{
    const struct cm_fortran_variable *variable;
    const struct cm_fortran_array *array = array_at(run, i, &variable);
    if (array == NULL)
        return false;
    *values = (struct cm_fortran_values){variable->name, array->type, array->rank, array->extent,
                                         array->elements};
    return true;
}

enum cm_status cm_fortran_run_values_read(struct cm_fortran_run *run, uint32_t i, void *elements,
                                          struct cm_error *err)
{
    const struct cm_fortran_variable *variable;
    const struct cm_fortran_array *array = array_at(run, i, &variable);
    return array != NULL ? read_elements(run, array, elements, err)
                         : cm_error_set(err, CM_USAGE, "the program has no array number %u", i);
}

enum cm_status cm_fortran_run_values_write(struct cm_fortran_run *run, uint32_t i,
                                           const void *elements, struct cm_error *err)
{
    const struct cm_fortran_variable *variable;
    struct cm_fortran_array *array = array_at(run, i, &variable);
    return array != NULL ? write_elements(run, array, elements, err)
                         : cm_error_set(err, CM_USAGE, "the program has no array number %u", i);
}
