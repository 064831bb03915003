/* Fills arrays with what they begin with; init.h defines the values. */
#include "init.h"

#include "../../base/npy.h"
#include "workload_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The real numbers of a type, one after the other; in a complex type two of them are an element. */
static bool is_single(enum cm_type type)
{
    return type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
}

static uint64_t reals_of(enum cm_type type)
{
    return cm_type_host_bytes(type) / (is_single(type) ? sizeof(float) : sizeof(double));
}

static double unit_interval(uint64_t x)
{
    return (double)(x >> 11) * 0x1p-53;
}

static void fill_random(uint64_t seed, const struct cm_layout *layout, void *elements)
{
    float *single = elements;
    double *twice = elements;
    uint32_t *integer = elements;
    uint8_t *logical = elements;
    uint64_t count = layout->elements, reals = count * reals_of(layout->type);
    if (layout->type == CM_TYPE_INT32)
        for (uint64_t k = 0; k < count; k++)
            integer[k] = (uint32_t)(cm_splitmix64(seed, k) >> 32);
    else if (layout->type == CM_TYPE_LOGICAL)
        for (uint64_t k = 0; k < count; k++)
            logical[k] = (uint8_t)(cm_splitmix64(seed, k) >> 63);
    else if (is_single(layout->type))
        for (uint64_t k = 0; k < reals; k++)
            single[k] = (float)unit_interval(cm_splitmix64(seed, k));
    else
        for (uint64_t k = 0; k < reals; k++)
            twice[k] = unit_interval(cm_splitmix64(seed, k));
}

static void fill_index(const struct cm_layout *layout, void *elements)
{
    float *single = elements;
    double *twice = elements;
    uint32_t *integer = elements;
    uint8_t *logical = elements;
    uint64_t count = layout->elements, reals = reals_of(layout->type);
    memset(elements, 0, count * cm_type_host_bytes(layout->type));
    if (layout->type == CM_TYPE_INT32)
        for (uint64_t e = 0; e < count; e++)
            integer[e] = (uint32_t)e;
    else if (layout->type == CM_TYPE_LOGICAL)
        for (uint64_t e = 0; e < count; e++)
            logical[e] = (uint8_t)(e & 1);
    else if (is_single(layout->type))
        for (uint64_t e = 0; e < count; e++)
            single[e * reals] = (float)e;
    else
        for (uint64_t e = 0; e < count; e++)
            twice[e * reals] = (double)e;
}

void cm_init_element(enum cm_type type, const struct cm_number *number, void *element)
{
    const float single[2] = {(float)number->re, (float)number->im};
    const double twice[2] = {number->re, number->im};
    const int32_t integer = type == CM_TYPE_INT32 ? (int32_t)number->re : 0;
    const uint8_t logical = number->re != 0;
    const void *const forms[CM_TYPE_COUNT] = {
        [CM_TYPE_REAL32] = single,    [CM_TYPE_REAL64] = twice,   [CM_TYPE_COMPLEX64] = single,
        [CM_TYPE_COMPLEX128] = twice, [CM_TYPE_INT32] = &integer, [CM_TYPE_LOGICAL] = &logical,
    };
    memcpy(element, forms[type], cm_type_host_bytes(type));
}

static void fill_constant(const struct cm_number *number, const struct cm_layout *layout,
                          void *elements)
{
    unsigned char element[16];
    uint64_t size = cm_type_host_bytes(layout->type);
    cm_init_element(layout->type, number, element);
    for (uint64_t e = 0; e < layout->elements; e++)
        memcpy((char *)elements + e * size, element, size);
}

int cm_init_npy_type(enum cm_type type)
{
    static const int types[CM_TYPE_COUNT] = {
        [CM_TYPE_REAL32] = CM_NPY_F4,    [CM_TYPE_REAL64] = CM_NPY_F8,
        [CM_TYPE_COMPLEX64] = CM_NPY_C8, [CM_TYPE_COMPLEX128] = CM_NPY_C16,
        [CM_TYPE_INT32] = CM_NPY_I4,     [CM_TYPE_LOGICAL] = CM_NPY_B1,
    };
    return types[type];
}

static enum cm_status check_npy(const struct cm_init *init, const struct cm_layout *layout,
                                const struct cm_npy *npy, struct cm_error *err)
{
    uint64_t shape[CM_RANK_MAX];
    char found[400], wanted[200];
    bool same = npy->rank == layout->rank;
    for (uint32_t a = 0; a < layout->rank; a++) {
        shape[a] = layout->axes[a].length;
        same = same && npy->shape[a] == shape[a];
    }
    if (!same)
        return cm_json_error(init->json, err, "%.200s has shape %s, but the array has %s",
                             init->file->written,
                             cm_shape_text(npy->shape, npy->rank, found, sizeof found),
                             cm_shape_text(shape, layout->rank, wanted, sizeof wanted));
    enum cm_npy_type type = (enum cm_npy_type)cm_init_npy_type(layout->type);
    if (npy->type != type) {
        cm_json_error(init->json, err, "%.200s holds \"%s\", but %s needs \"%s\"",
                      init->file->written, cm_npy_type_descr(npy->type), cm_type_name(layout->type),
                      cm_npy_type_descr(type));
        return cm_error_hint(err, "in NumPy: a.astype(\"%s\")", cm_npy_type_descr(type));
    }
    return CM_OK;
}

/* The reader of .npy files knows no array: where it says how to convert, the array's type is the
 * one to convert to. */
static void suggest_type(enum cm_type type, struct cm_error *err)
{
    const char *descr = cm_npy_type_descr((enum cm_npy_type)cm_init_npy_type(type));
    if (err != NULL && strstr(err->hint, "astype") != NULL)
        cm_error_hint(err, "%s needs \"%s\"; in NumPy: a.astype(\"%s\")", cm_type_name(type), descr,
                      descr);
}

static enum cm_status fill_npy(const struct cm_init *init, const struct cm_layout *layout,
                               void *elements, struct cm_error *err)
{
    struct cm_npy npy = {0};
    enum cm_status status = cm_npy_read(init->file->path, &npy, err);
    if (status != CM_OK)
        suggest_type(layout->type, err);
    if (status != CM_OK)
        cm_workload_named_at(init->json, err);
    if (status == CM_OK)
        status = check_npy(init, layout, &npy, err);
    if (status == CM_OK && elements != NULL)
        status = cm_npy_to_fortran(&npy, err);
    if (status == CM_OK && elements != NULL) /* logicals are 0 or 1 */
        memcpy(elements, npy.data, layout->elements * cm_type_host_bytes(layout->type));
    cm_npy_finish(&npy);
    return status;
}

enum cm_status cm_init_fill(const struct cm_init *init, const struct cm_layout *layout,
                            void *elements, struct cm_error *err)
{
    if (init->kind == CM_INIT_NPY)
        return fill_npy(init, layout, elements, err);
    if (elements == NULL)
        return CM_OK;
    if (init->kind == CM_INIT_INDEX)
        fill_index(layout, elements);
    else if (init->kind == CM_INIT_CONSTANT)
        fill_constant(&init->constant, layout, elements);
    else if (init->kind == CM_INIT_RANDOM)
        fill_random(init->seed, layout, elements);
    else
        memset(elements, 0, layout->elements * cm_type_host_bytes(layout->type));
    return CM_OK;
}
