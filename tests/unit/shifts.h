/* Shifts for tests: arrays with random elements, and what a shift must make of them, evaluated on
 * the host without nodes. Words of elements are taken as the host's bytes: little-endian hosts. */
#ifndef CM_TESTS_UNIT_SHIFTS_H
#define CM_TESTS_UNIT_SHIFTS_H

#include "layouts.h"
#include "machines.h"
#include "programs/pshift/pshift.h"

#include <string.h>

/* An array on the nodes and its elements on the host. */
struct pair {
    struct cm_array *array;
    unsigned char *bytes;
    size_t size;
};

static inline struct pair pair_create(struct cm_system *system, const struct cm_layout *layout,
                                      struct random_source *random)
{
    struct pair pair = {.size = layout->elements * cm_type_host_bytes(layout->type)};
    struct cm_error err;
    pair.bytes = malloc(pair.size);
    ck_assert_ptr_nonnull(pair.bytes);
    for (size_t i = 0; i < pair.size; i++)
        pair.bytes[i] = layout->type == CM_TYPE_LOGICAL ? (unsigned char)random_below(random, 2)
                                                        : (unsigned char)random_next(random);
    ck_assert_msg(cm_array_create(system, "x", layout, &pair.array, &err) == CM_OK, "%s",
                  err.message);
    ck_assert_int_eq(cm_array_scatter(system, pair.array, pair.bytes, NULL), CM_OK);
    return pair;
}

static inline void pair_finish(struct cm_system *system, struct pair *pair)
{
    cm_array_destroy(system, pair->array);
    free(pair->bytes);
}

static inline void pair_check(struct cm_system *system, const struct pair *pair)
{
    unsigned char *found = malloc(pair->size);
    ck_assert_ptr_nonnull(found);
    ck_assert_int_eq(cm_array_gather(system, pair->array, found, NULL), CM_OK);
    ck_assert_mem_eq(found, pair->bytes, pair->size);
    free(found);
}

/* The boundary element of a shift at an index of the array, from `array` (without the axis) or the
 * scalar. */
static inline const unsigned char *
boundary_element(const struct cm_layout *layout, const struct cm_shift *shift,
                 const unsigned char *array, const uint64_t *index, unsigned char element[16])
{
    uint64_t number = 0, stride = 1;
    struct cm_scalar scalar = shift->boundary_scalar;
    if (shift->type == CM_SHIFT_EOSHIFT_0 || shift->type == CM_SHIFT_EOSHIFT_1)
        scalar = cm_scalar_make(layout->type, shift->type == CM_SHIFT_EOSHIFT_1, 0);
    memcpy(element, scalar.words, 16);
    if (!array)
        return element;
    for (uint32_t a = 0; a < layout->rank; a++) {
        if (a == shift->axis)
            continue;
        number += index[a] * stride;
        stride *= layout->axes[a].length;
    }
    return array + number * cm_type_host_bytes(layout->type);
}

/* dst(i) = src(i + distance), element by element. `array`: elements of the boundary array, or
 * NULL. */
static inline void shift_on_host(const struct cm_layout *layout, const struct cm_shift *shift,
                                 unsigned char *dst, const unsigned char *src,
                                 const unsigned char *array)
{
    size_t bytes = cm_type_host_bytes(layout->type);
    int64_t length = (int64_t)layout->axes[shift->axis].length;
    unsigned char element[16];
    int64_t stride = 1;
    for (uint32_t a = 0; a < shift->axis; a++)
        stride *= (int64_t)layout->axes[a].length;
    for (uint64_t e = 0; e < layout->elements; e++) {
        uint64_t index[CM_RANK_MAX];
        element_index(layout, e, index);
        int64_t at = (int64_t)index[shift->axis], from = at + shift->distance;
        if (shift->type == CM_SHIFT_CSHIFT)
            from = (from % length + length) % length;
        const unsigned char *source =
            from < 0 || from >= length ? boundary_element(layout, shift, array, index, element)
                                       : src + ((int64_t)e + (from - at) * stride) * (int64_t)bytes;
        memcpy(dst + e * bytes, source, bytes);
    }
}

static inline struct cm_layout layout_of(enum cm_type type, uint32_t rank, const uint64_t *shape,
                                         enum cm_order order, uint32_t nodes)
{
    struct cm_layout_request request = {.type = type, .rank = rank};
    struct cm_layout layout;
    for (uint32_t a = 0; a < rank; a++) {
        request.shape[a] = shape[a];
        request.orders[a] = order;
        request.weights[a] = 1;
    }
    ck_assert_int_eq(cm_layout_create(&request, nodes, &layout, NULL), CM_OK);
    return layout;
}

/* An array of rank one less for shifts along `axis`, laid out by itself. */
static inline struct cm_layout boundary_layout(const struct cm_layout *layout, uint32_t axis,
                                               struct random_source *random)
{
    struct cm_layout_request request = {.type = layout->type, .rank = layout->rank - 1};
    struct cm_layout boundary;
    for (uint32_t a = 0; a < request.rank; a++) {
        request.shape[a] = layout->axes[a + (a >= axis)].length;
        request.orders[a] = (enum cm_order)random_below(random, CM_ORDER_COUNT);
        request.weights[a] = 1 + random_below(random, 3);
    }
    ck_assert_int_eq(cm_layout_create(&request, layout->nodes, &boundary, NULL), CM_OK);
    return boundary;
}

#endif
