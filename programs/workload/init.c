/* Computes and reads first values of arrays. init.h defines them. */
#include "init.h"

#include "../../base/npy.h"
#include "../../base/npy_parts.h"
#include "workload_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* True if the real numbers of a type have 32 bits. A complex element consists of two real
 * numbers. */
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

static void random_value(uint64_t seed, enum cm_type type, uint64_t e, void *element)
{
    uint64_t reals = reals_of(type);
    uint32_t integer = (uint32_t)(cm_splitmix64(seed, e) >> 32);
    uint8_t logical = (uint8_t)(cm_splitmix64(seed, e) >> 63);
    float single[2];
    double twice[2];
    if (type == CM_TYPE_INT32 || type == CM_TYPE_LOGICAL) {
        memcpy(element, type == CM_TYPE_INT32 ? (void *)&integer : (void *)&logical,
               cm_type_host_bytes(type));
        return;
    }
    for (uint64_t k = 0; k < reals; k++) {
        twice[k] = unit_interval(cm_splitmix64(seed, e * reals + k));
        single[k] = (float)twice[k];
    }
    memcpy(element, is_single(type) ? (void *)single : (void *)twice, cm_type_host_bytes(type));
}

static void index_value(enum cm_type type, uint64_t e, void *element)
{
    const float single[2] = {(float)e};
    const double twice[2] = {(double)e};
    const uint32_t integer = (uint32_t)e;
    const uint8_t logical = e & 1;
    const void *const forms[CM_TYPE_COUNT] = {
        [CM_TYPE_REAL32] = single,    [CM_TYPE_REAL64] = twice,   [CM_TYPE_COMPLEX64] = single,
        [CM_TYPE_COMPLEX128] = twice, [CM_TYPE_INT32] = &integer, [CM_TYPE_LOGICAL] = &logical,
    };
    memcpy(element, forms[type], cm_type_host_bytes(type));
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

void cm_init_value(const struct cm_init *init, enum cm_type type, uint64_t e, void *element)
{
    if (init->kind == CM_INIT_INDEX)
        index_value(type, e, element);
    else if (init->kind == CM_INIT_CONSTANT)
        cm_init_element(type, &init->constant, element);
    else if (init->kind == CM_INIT_RANDOM)
        random_value(init->seed, type, e, element);
    else
        memset(element, 0, cm_type_host_bytes(type));
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

/* Changes the hint in an error of the .npy reader, which does not know the array, so that it names
 * the array's type. */
static void suggest_type(enum cm_type type, struct cm_error *err)
{
    const char *descr = cm_npy_type_descr((enum cm_npy_type)cm_init_npy_type(type));
    if (err != NULL && strstr(err->hint, "astype") != NULL)
        cm_error_hint(err, "%s needs \"%s\"; in NumPy: a.astype(\"%s\")", cm_type_name(type), descr,
                      descr);
}

/* Checks the type and shape of a .npy file that was read with `status`. */
static enum cm_status judge_npy(const struct cm_init *init, const struct cm_layout *layout,
                                const struct cm_npy *npy, enum cm_status status,
                                struct cm_error *err)
{
    if (status == CM_OK)
        return check_npy(init, layout, npy, err);
    suggest_type(layout->type, err);
    cm_workload_hint_place(init->json, err);
    return status;
}

enum cm_status cm_init_map(const struct cm_init *init, const struct cm_layout *layout,
                           struct cm_npy_map *map, struct cm_error *err)
{
    enum cm_status status = cm_npy_map(init->file->path, map, err);
    if (status == CM_OK && map->memory == NULL)
        return CM_OK;
    return judge_npy(init, layout, &map->npy, status, err);
}

static enum cm_status fill_npy(const struct cm_init *init, const struct cm_layout *layout,
                               void *elements, struct cm_error *err)
{
    struct cm_npy npy = {0};
    enum cm_status status = cm_npy_read(init->file->path, &npy, err);
    status = judge_npy(init, layout, &npy, status, err);
    if (status == CM_OK && elements != NULL)
        status = cm_npy_to_fortran(&npy, err);
    if (status == CM_OK && elements != NULL) /* a logical element is 0 or 1 */
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
    uint64_t size = cm_type_host_bytes(layout->type);
    if (init->kind == CM_INIT_ZERO)
        memset(elements, 0, layout->elements * size);
    for (uint64_t e = 0; init->kind != CM_INIT_ZERO && e < layout->elements; e++)
        cm_init_value(init, layout->type, e, (char *)elements + e * size);
    return CM_OK;
}
