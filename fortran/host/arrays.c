/* Makes, frees and copies arrays of a running program, and accesses single elements of arrays in
 * the front end or on the machine. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

static struct cm_fortran_array *shape_array(enum cm_type type, uint32_t rank,
                                            const uint64_t *extent)
{
    struct cm_fortran_array *made = calloc(1, sizeof(*made));
    if (made == NULL)
        return NULL;
    made->type = type;
    made->rank = rank;
    made->elements = 1;
    for (uint32_t i = 0; i < rank; i++) {
        made->lower[i] = 1;
        made->extent[i] = extent[i];
        made->elements *= extent[i];
    }
    return made;
}

/* Returns true if an array of this shape has at most 2^40 bytes, so that sizes cannot overflow. */
static bool is_countable(enum cm_type type, uint32_t rank, const uint64_t *extent)
{
    uint64_t bytes = cm_type_host_bytes(type);
    for (uint32_t i = 0; i < rank; i++)
        if (extent[i] == 0)
            return true;
    for (uint32_t i = 0; i < rank; i++) {
        if (bytes > (UINT64_C(1) << 40) / extent[i])
            return false;
        bytes *= extent[i];
    }
    return true;
}

enum cm_status cm_fortran_array_host(struct cm_fortran_run *run, enum cm_type type, uint32_t rank,
                                     const uint64_t *extent, struct cm_fortran_array **array)
{
    *array = NULL;
    if (!is_countable(type, rank, extent))
        return cm_fortran_too_many(run);
    struct cm_fortran_array *made = shape_array(type, rank, extent);
    if (made == NULL)
        return cm_fortran_no_memory(run);
    if (made->elements > CM_FORTRAN_ELEMENTS_MAX) {
        free(made);
        return cm_fortran_too_many(run);
    }
    size_t elements = made->elements > 0 ? (size_t)made->elements : 1;
    made->host = calloc(elements, cm_type_host_bytes(type));
    if (made->host == NULL) {
        free(made);
        return cm_fortran_no_memory(run);
    }
    *array = made;
    return CM_OK;
}

/* Makes an array of zeros in node memory. If `twin` is not NULL, the array is its twin. If there is
 * no room, frees what is kept for later statements and tries again. */
static enum cm_status create(struct cm_fortran_run *run, const char *name,
                             const struct cm_layout *layout, const struct cm_array *twin,
                             struct cm_array **array)
{
    enum cm_status status;
    do
        status = twin != NULL ? cm_array_create_twin(run->system, name, twin, array, run->err)
                              : cm_array_create(run->system, name, layout, array, run->err);
    while (status == CM_BAD_INPUT && twin == NULL && run->hooks->free_memory(run));
    return status;
}

/* Makes an array of zeros on the machine, for a layout request. If `twin` is not NULL, the array is
 * its twin (cm_array_create_twin). An array with 0 elements gets no memory of the machine. */
static enum cm_status lay_out(struct cm_fortran_run *run, const char *name,
                              const struct cm_layout_request *request, const struct cm_array *twin,
                              struct cm_fortran_array **array)
{
    struct cm_layout layout;
    *array = NULL;
    if (!is_countable(request->type, request->rank, request->shape))
        return cm_error_set(run->err, CM_BAD_INPUT, "array %s is too large", name);
    struct cm_fortran_array *made = shape_array(request->type, request->rank, request->shape);
    if (made == NULL)
        return cm_fortran_no_memory(run);
    enum cm_status status = CM_OK;
    if (made->elements == 0)
        made->host = calloc(1, 16);
    if (made->elements == 0 && made->host == NULL)
        status = cm_fortran_no_memory(run);
    if (made->elements > 0)
        status = cm_layout_create(request, run->nodes, &layout, run->err);
    if (status == CM_OK && made->elements > 0)
        status = create(run, name, &layout, twin, &made->machine);
    if (status != CM_OK) {
        cm_fortran_array_destroy(run, made);
        return status;
    }
    *array = made;
    return CM_OK;
}

enum cm_status cm_fortran_array_machine(struct cm_fortran_run *run,
                                        const struct cm_fortran_variable *variable,
                                        const uint64_t *extent, struct cm_fortran_array **array)
{
    struct cm_layout_request request = {.type = (enum cm_type)variable->type,
                                        .rank = variable->rank};
    for (uint32_t i = 0; i < variable->rank; i++) {
        request.shape[i] = extent[i];
        request.orders[i] = variable->orders[i];
        request.weights[i] = variable->weights[i] > 0 ? variable->weights[i] : 1;
    }
    return lay_out(run, variable->name, &request, NULL, array);
}

enum cm_status cm_fortran_array_plain(struct cm_fortran_run *run, enum cm_type type, uint32_t rank,
                                      const uint64_t *extent, struct cm_fortran_array **array)
{
    struct cm_layout_request request = {.type = type, .rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        request.shape[i] = extent[i];
        request.weights[i] = 1;
    }
    return lay_out(run, "a temporary array", &request, NULL, array);
}

/* Returns the request for a layout like another one, for another type. */
static struct cm_layout_request request_like(const struct cm_layout *layout, enum cm_type type)
{
    struct cm_layout_request request = {.type = type, .rank = layout->rank};
    for (uint32_t i = 0; i < layout->rank; i++) {
        request.shape[i] = layout->axes[i].length;
        request.orders[i] = layout->axes[i].order;
        request.weights[i] = layout->axes[i].weight;
    }
    return request;
}

enum cm_status cm_fortran_array_like(struct cm_fortran_run *run,
                                     const struct cm_fortran_array *model, enum cm_type type,
                                     struct cm_fortran_array **array)
{
    const struct cm_layout_request request = request_like(&model->machine->layout, type);
    return lay_out(run, "a temporary array", &request, NULL, array);
}

enum cm_status cm_fortran_array_twin(struct cm_fortran_run *run, const struct cm_array *other,
                                     struct cm_fortran_array **array)
{
    const struct cm_layout_request request = request_like(&other->layout, other->layout.type);
    return lay_out(run, "a temporary array", &request, other, array);
}

void cm_fortran_array_destroy(struct cm_fortran_run *run, struct cm_fortran_array *array)
{
    if (array == NULL)
        return;
    if (!array->borrowed) {
        cm_array_destroy(run->system, array->machine);
        free(array->host);
    }
    free(array);
}

void cm_fortran_charge(struct cm_fortran_run *run, const struct cm_fortran_array *array,
                       uint64_t elements)
{
    if (!run->uncharged && elements > 0)
        cm_machine_access(cm_system_machine(run->system), elements * cm_type_slices(array->type));
}

void cm_fortran_charge_read(struct cm_fortran_run *run, const struct cm_fortran_array *array,
                            uint64_t elements)
{
    cm_fortran_charge(run, array, elements);
    if (!run->uncharged && elements > 0)
        cm_machine_wait(cm_system_machine(run->system));
}

enum cm_status cm_fortran_array_copy(struct cm_fortran_run *run,
                                     const struct cm_fortran_array *array, uint64_t charged,
                                     struct cm_fortran_array **copy)
{
    enum cm_status status =
        cm_fortran_array_host(run, array->type, array->rank, array->extent, copy);
    if (status != CM_OK)
        return status;
    memcpy((*copy)->lower, array->lower, sizeof(array->lower));
    if (cm_fortran_on_machine(array)) {
        cm_fortran_charge_read(run, array, charged);
        status = cm_array_gather(run->system, array->machine, (*copy)->host, run->err);
    } else {
        memcpy((*copy)->host, array->host,
               (size_t)array->elements * cm_type_host_bytes(array->type));
    }
    if (status != CM_OK) {
        cm_fortran_array_destroy(run, *copy);
        *copy = NULL;
    }
    return status;
}

enum cm_status cm_fortran_array_replace(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                        const void *elements, uint64_t charged)
{
    cm_fortran_charge(run, array, charged);
    return cm_array_scatter(run->system, array->machine, elements, run->err);
}

void cm_fortran_load(enum cm_type type, const void *elements, uint64_t index,
                     union cm_fortran_value *value)
{
    switch (type) {
    case CM_TYPE_REAL32:
        value->real = ((const float *)elements)[index];
        break;
    case CM_TYPE_REAL64:
        value->real64 = ((const double *)elements)[index];
        break;
    case CM_TYPE_INT32:
        value->integer = ((const int32_t *)elements)[index];
        break;
    case CM_TYPE_LOGICAL:
        value->logical = ((const uint8_t *)elements)[index] != 0;
        break;
    case CM_TYPE_COMPLEX64:
        memcpy(value->complex, (const float *)elements + 2 * index, sizeof(value->complex));
        break;
    default:
        memcpy(value->complex128, (const double *)elements + 2 * index, sizeof(value->complex128));
        break;
    }
}

void cm_fortran_store(enum cm_type type, void *elements, uint64_t index,
                      const union cm_fortran_value *value)
{
    switch (type) {
    case CM_TYPE_REAL32:
        ((float *)elements)[index] = value->real;
        break;
    case CM_TYPE_REAL64:
        ((double *)elements)[index] = value->real64;
        break;
    case CM_TYPE_INT32:
        ((int32_t *)elements)[index] = value->integer;
        break;
    case CM_TYPE_LOGICAL:
        ((uint8_t *)elements)[index] = value->logical;
        break;
    case CM_TYPE_COMPLEX64:
        memcpy((float *)elements + 2 * index, value->complex, sizeof(value->complex));
        break;
    default:
        memcpy((double *)elements + 2 * index, value->complex128, sizeof(value->complex128));
        break;
    }
}

/* Finds the node of an array element on the machine, and the memory planes that hold the element's
 * words. */
static enum cm_status find_element(struct cm_fortran_run *run, const struct cm_fortran_array *array,
                                   uint64_t index, struct cm_planes *planes, uint32_t *node)
{
    const struct cm_layout *layout = &array->machine->layout;
    uint64_t at[CM_RANK_MAX], local;
    for (uint32_t i = 0; i < layout->rank; i++) {
        at[i] = index % layout->axes[i].length;
        index /= layout->axes[i].length;
    }
    cm_layout_place(layout, at, node, &local);
    return cm_machine_planes(cm_system_machine(run->system),
                             array->machine->address + local * layout->slices, layout->slices,
                             planes, run->err);
}

enum cm_status cm_fortran_element_peek(struct cm_fortran_run *run,
                                       const struct cm_fortran_array *array, uint64_t index,
                                       union cm_fortran_value *value)
{
    struct cm_planes planes;
    uint32_t node, words[4];
    if (!cm_fortran_on_machine(array)) {
        cm_fortran_load(array->type, array->host, index, value);
        return CM_OK;
    }
    enum cm_status status = find_element(run, array, index, &planes, &node);
    if (status != CM_OK)
        return status;
    uint32_t slices = array->machine->layout.slices;
    for (uint32_t i = 0; i < slices; i++)
        words[i] = *cm_planes_word(&planes, i, node);
    memcpy(value, words, slices * sizeof(words[0]));
    if (array->type == CM_TYPE_LOGICAL)
        value->logical = words[0] != 0;
    return CM_OK;
}

enum cm_status cm_fortran_element_poke(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                       uint64_t index, const union cm_fortran_value *value)
{
    struct cm_planes planes;
    uint32_t node, words[4] = {0};
    if (!cm_fortran_on_machine(array)) {
        cm_fortran_store(array->type, array->host, index, value);
        return CM_OK;
    }
    enum cm_status status = find_element(run, array, index, &planes, &node);
    if (status != CM_OK)
        return status;
    uint32_t slices = array->machine->layout.slices;
    memcpy(words, value, array->type == CM_TYPE_LOGICAL ? 1 : slices * sizeof(words[0]));
    uint32_t copies = UINT32_C(1) << array->machine->layout.used_bits;
    for (uint32_t i = 0; i < slices; i++)
        for (uint32_t copy = node; copy < run->nodes; copy += copies)
            *cm_planes_word(&planes, i, copy) = words[i];
    return CM_OK;
}

enum cm_status cm_fortran_element_get(struct cm_fortran_run *run,
                                      const struct cm_fortran_array *array, uint64_t index,
                                      union cm_fortran_value *value)
{
    if (cm_fortran_on_machine(array))
        cm_fortran_charge_read(run, array, 1);
    return cm_fortran_element_peek(run, array, index, value);
}

enum cm_status cm_fortran_element_put(struct cm_fortran_run *run, struct cm_fortran_array *array,
                                      uint64_t index, const union cm_fortran_value *value)
{
    if (cm_fortran_on_machine(array))
        cm_fortran_charge(run, array, 1);
    return cm_fortran_element_poke(run, array, index, value);
}
