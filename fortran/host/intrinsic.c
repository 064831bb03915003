/* Functions of whole arrays, computed in the front end: shifts, products, and changes of shape. The
 * values of the arguments are arrays in the front end, or NULL for absent arguments. */
#include "evaluate.h"

#include <inttypes.h>
#include <string.h>

enum cm_fortran_class cm_fortran_intrinsic_class(enum cm_fortran_intrinsic intrinsic)
{
    static const enum cm_fortran_class classes[] = {
#define CM_INTRINSIC(symbol, name, class, arguments, summary) CM_FORTRAN_CLASS_##class,
#include "../check/intrinsics.def"
#undef CM_INTRINSIC
    };
    return classes[intrinsic];
}

static int32_t number(const struct cm_fortran_array *array, uint64_t i)
{
    return ((const int32_t *)array->host)[i];
}

static void copy_element(struct cm_fortran_array *to, uint64_t at,
                         const struct cm_fortran_array *from, uint64_t index)
{
    size_t bytes = cm_type_host_bytes(to->type);
    memcpy((char *)to->host + at * bytes, (const char *)from->host + index * bytes, bytes);
}

enum cm_status cm_fortran_array_lines_find(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *call,
                                           const struct cm_fortran_array *array,
                                           const struct cm_fortran_array *dim,
                                           struct cm_fortran_array_lines *lines)
{
    *lines = (struct cm_fortran_array_lines){.count = 1, .length = array->elements, .inner = 1};
    if (dim == NULL)
        return CM_OK;
    int32_t which = number(dim, 0);
    if (which < 1 || (uint32_t)which > array->rank)
        return cm_fortran_fail(run, call->place, "DIM is %" PRId32 "; the array has rank %" PRIu32,
                               which, array->rank);
    lines->dim = (uint32_t)which - 1;
    lines->length = array->extent[lines->dim];
    for (uint32_t i = 0; i < array->rank; i++) {
        if (i < lines->dim)
            lines->inner *= array->extent[i];
        if (i == lines->dim)
            continue;
        lines->extent[lines->rank++] = array->extent[i];
        lines->count *= array->extent[i];
    }
    return CM_OK;
}

/* Computes CSHIFT or EOSHIFT. `args` are ARRAY, DIM, SHIFT and BOUNDARY. */
static enum cm_status shift(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                            struct cm_fortran_array **args, struct cm_fortran_array **value)
{
    const struct cm_fortran_array *array = args[0], *by = args[2];
    const struct cm_fortran_array *boundary = call->count > 3 ? args[3] : NULL;
    struct cm_fortran_array_lines lines;
    enum cm_status status = cm_fortran_array_lines_find(run, call, array, args[1], &lines);
    if (status == CM_OK && by->rank > 0 && by->elements != lines.count)
        status =
            cm_fortran_fail(run, call->args[2]->place,
                            "the shape of SHIFT is not that of the array without the dimension");
    if (status == CM_OK && boundary != NULL && boundary->rank > 0 &&
        boundary->elements != lines.count)
        status =
            cm_fortran_fail(run, call->args[3]->place,
                            "the shape of BOUNDARY is not that of the array without the dimension");
    if (status == CM_OK)
        status = cm_fortran_array_host(run, array->type, array->rank, array->extent, value);
    int64_t length = (int64_t)lines.length;
    for (uint64_t line = 0; line < lines.count && status == CM_OK; line++) {
        int64_t distance = number(by, by->rank > 0 ? line : 0);
        for (int64_t i = 0; i < length && status == CM_OK; i++) {
            status = cm_fortran_go_on(run);
            uint64_t at = cm_fortran_array_line_element(&lines, line, (uint64_t)i);
            int64_t from = i + distance;
            if (call->intrinsic == CM_FORTRAN_CSHIFT)
                from = (from % length + length) % length;
            if (from >= 0 && from < length)
                copy_element(*value, at, array,
                             cm_fortran_array_line_element(&lines, line, (uint64_t)from));
            else if (boundary != NULL)
                copy_element(*value, at, boundary, boundary->rank > 0 ? line : 0);
        }
    }
    return status;
}

/* Adds a * b to `sum`. For logical values, ORs `a` AND `b` into `sum`. */
static void accumulate(enum cm_type type, union cm_fortran_value *sum, union cm_fortran_value a,
                       const union cm_fortran_value *b, bool conjugate)
{
    union cm_fortran_value product;
    if (type == CM_TYPE_LOGICAL) {
        sum->logical = sum->logical || (a.logical && b->logical);
        return;
    }
    if (conjugate)
        cm_fortran_elemental(CM_FORTRAN_CONJG, type, type, &a, 1, &a);
    cm_fortran_operate(CM_FORTRAN_MULTIPLY, type, false, &a, b, &product);
    cm_fortran_operate(CM_FORTRAN_ADD, type, false, sum, &product, sum);
}

/* Computes MATMUL or DOT_PRODUCT as the product of two matrices. A vector is a matrix of one row or
 * one column. */
static enum cm_status multiply(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                               const struct cm_fortran_array *a, const struct cm_fortran_array *b,
                               struct cm_fortran_array **value)
{
    bool dot = call->intrinsic == CM_FORTRAN_DOT_PRODUCT;
    uint64_t rows = a->rank > 1 ? a->extent[0] : 1, columns = b->rank > 1 ? b->extent[1] : 1;
    uint64_t depth = a->extent[a->rank - 1], extent[2] = {rows, columns};
    if (depth != b->extent[0])
        return cm_fortran_fail(run, call->place, "%s of %" PRIu64 " columns and %" PRIu64 " rows",
                               dot ? "DOT_PRODUCT" : "MATMUL", depth, b->extent[0]);
    if (a->rank == 1)
        extent[0] = columns;
    bool conjugate = dot && (a->type == CM_TYPE_COMPLEX64 || a->type == CM_TYPE_COMPLEX128);
    enum cm_status status =
        cm_fortran_array_host(run, (enum cm_type)call->type, call->rank, extent, value);
    for (uint64_t e = 0; status == CM_OK && e < rows * columns; e++) {
        union cm_fortran_value sum = {0}, x, y;
        for (uint64_t k = 0; k < depth && status == CM_OK; k++) {
            status = cm_fortran_go_on(run);
            cm_fortran_load(a->type, a->host, e % rows + k * rows, &x);
            cm_fortran_load(b->type, b->host, k + e / rows * depth, &y);
            accumulate(a->type, &sum, x, &y, conjugate);
        }
        cm_fortran_store((enum cm_type)call->type, (*value)->host, e, &sum);
    }
    return status;
}

static enum cm_status transpose(struct cm_fortran_run *run, const struct cm_fortran_array *a,
                                struct cm_fortran_array **value)
{
    uint64_t extent[2] = {a->extent[1], a->extent[0]};
    enum cm_status status = cm_fortran_array_host(run, a->type, 2, extent, value);
    for (uint64_t e = 0; status == CM_OK && e < a->elements; e++, status = cm_fortran_go_on(run))
        copy_element(*value, e / a->extent[0] + e % a->extent[0] * a->extent[1], a, e);
    return status;
}

/* Computes SPREAD. `args` are SOURCE, DIM and NCOPIES. */
static enum cm_status spread(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                             struct cm_fortran_array **args, struct cm_fortran_array **value)
{
    const struct cm_fortran_array *source = args[0];
    int32_t dim = number(args[1], 0), copies = number(args[2], 0);
    uint64_t extent[CM_RANK_MAX + 1], inner = 1;
    if (dim < 1 || (uint32_t)dim > source->rank + 1)
        return cm_fortran_fail(run, call->place, "DIM of SPREAD is %" PRId32, dim);
    for (uint32_t i = 0, from = 0; i <= source->rank; i++)
        extent[i] =
            i + 1 == (uint32_t)dim ? (uint64_t)(copies > 0 ? copies : 0) : source->extent[from++];
    for (int32_t i = 1; i < dim; i++)
        inner *= source->extent[i - 1];
    enum cm_status status =
        cm_fortran_array_host(run, source->type, source->rank + 1, extent, value);
    uint64_t count = extent[dim - 1];
    for (uint64_t e = 0; status == CM_OK && e < (*value)->elements;
         e++, status = cm_fortran_go_on(run))
        copy_element(*value, e, source, e / (inner * count) * inner + e % inner);
    return status;
}

/* Computes PACK. `args` are ARRAY, MASK and VECTOR. */
static enum cm_status pack(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                           struct cm_fortran_array **args, struct cm_fortran_array **value)
{
    const struct cm_fortran_array *array = args[0], *mask = args[1];
    const struct cm_fortran_array *vector = call->count > 2 ? args[2] : NULL;
    const uint8_t *taken = mask->host;
    uint64_t count = 0;
    if (mask->rank > 0) {
        enum cm_status status = cm_fortran_conform(run, call->place, array, mask);
        if (status != CM_OK)
            return status;
    }
    for (uint64_t e = 0; e < array->elements; e++)
        count += taken[mask->rank > 0 ? e : 0];
    uint64_t extent = vector != NULL ? vector->elements : count, at = 0;
    if (extent < count)
        return cm_fortran_fail(run, call->place,
                               "VECTOR of PACK has fewer elements than MASK "
                               "takes");
    enum cm_status status = cm_fortran_array_host(run, array->type, 1, &extent, value);
    for (uint64_t e = 0; status == CM_OK && e < array->elements;
         e++, status = cm_fortran_go_on(run))
        if (taken[mask->rank > 0 ? e : 0])
            copy_element(*value, at++, array, e);
    for (; status == CM_OK && at < extent; at++)
        copy_element(*value, at, vector, at);
    return status;
}

/* Computes UNPACK. `args` are VECTOR, MASK and FIELD. */
static enum cm_status unpack(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                             struct cm_fortran_array **args, struct cm_fortran_array **value)
{
    const struct cm_fortran_array *vector = args[0], *mask = args[1], *field = args[2];
    uint64_t at = 0;
    enum cm_status status = CM_OK;
    if (field->rank > 0)
        status = cm_fortran_conform(run, call->place, mask, field);
    if (status == CM_OK)
        status = cm_fortran_array_host(run, vector->type, mask->rank, mask->extent, value);
    for (uint64_t e = 0; status == CM_OK && e < mask->elements; e++) {
        if (!((const uint8_t *)mask->host)[e]) {
            copy_element(*value, e, field, field->rank > 0 ? e : 0);
            status = cm_fortran_go_on(run);
        } else if (at < vector->elements) {
            copy_element(*value, e, vector, at++);
            status = cm_fortran_go_on(run);
        } else {
            status = cm_fortran_fail(run, call->place,
                                     "VECTOR of UNPACK has fewer elements than MASK takes");
        }
    }
    return status;
}

/* Returns the index in Fortran order of element number `e` of an array, if the numbers count with
 * dimension order[0] fastest, then order[1], and so on. */
static uint64_t reordered(const struct cm_fortran_array *shape, const int32_t *order, uint64_t e)
{
    uint64_t at[CM_RANK_MAX], index = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        at[order[i] - 1] = e % shape->extent[order[i] - 1];
        e /= shape->extent[order[i] - 1];
    }
    for (uint32_t i = shape->rank; i-- > 0;)
        index = index * shape->extent[i] + at[i];
    return index;
}

static bool is_permutation(const struct cm_fortran_array *order, uint32_t rank)
{
    uint32_t seen = 0;
    if (order->elements != rank)
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        int32_t dim = number(order, i);
        if (dim < 1 || (uint32_t)dim > rank || seen >> dim & 1)
            return false;
        seen |= UINT32_C(1) << dim;
    }
    return true;
}

/* Computes RESHAPE. `args` are SOURCE, SHAPE, PAD and ORDER. */
static enum cm_status reshape(struct cm_fortran_run *run, const struct cm_fortran_expression *call,
                              struct cm_fortran_array **args, struct cm_fortran_array **value)
{
    const struct cm_fortran_array *source = args[0], *shape = args[1];
    const struct cm_fortran_array *pad = call->count > 2 ? args[2] : NULL;
    const struct cm_fortran_array *order = call->count > 3 ? args[3] : NULL;
    uint64_t extent[CM_RANK_MAX];
    if (shape->elements > CM_RANK_MAX || shape->elements != call->rank)
        return cm_fortran_fail(run, call->place, "SHAPE of RESHAPE has %" PRIu64 " elements",
                               shape->elements);
    for (uint32_t i = 0; i < call->rank; i++)
        extent[i] = number(shape, i) > 0 ? (uint64_t)number(shape, i) : 0;
    enum cm_status status = cm_fortran_array_host(run, source->type, call->rank, extent, value);
    if (status != CM_OK)
        return status;
    if (order != NULL && !is_permutation(order, call->rank))
        return cm_fortran_fail(run, call->place, "ORDER of RESHAPE is not a permutation");
    if (source->elements < (*value)->elements && (pad == NULL || pad->elements == 0))
        return cm_fortran_fail(run, call->place,
                               "RESHAPE of %" PRIu64 " elements to %" PRIu64 " needs PAD",
                               source->elements, (*value)->elements);
    for (uint64_t e = 0; e < (*value)->elements && status == CM_OK; e++) {
        status = cm_fortran_go_on(run);
        uint64_t to = order != NULL ? reordered(*value, order->host, e) : e;
        if (e < source->elements)
            copy_element(*value, to, source, e);
        else
            copy_element(*value, to, pad, (e - source->elements) % pad->elements);
    }
    return status;
}

enum cm_status cm_fortran_host_intrinsic(struct cm_fortran_run *run,
                                         const struct cm_fortran_expression *call,
                                         struct cm_fortran_array **args,
                                         struct cm_fortran_array **value)
{
    switch (call->intrinsic) {
    case CM_FORTRAN_CSHIFT:
    case CM_FORTRAN_EOSHIFT:
        return shift(run, call, args, value);
    case CM_FORTRAN_MATMUL:
    case CM_FORTRAN_DOT_PRODUCT:
        return multiply(run, call, args[0], args[1], value);
    case CM_FORTRAN_TRANSPOSE:
        return transpose(run, args[0], value);
    case CM_FORTRAN_SPREAD:
        return spread(run, call, args, value);
    case CM_FORTRAN_PACK:
        return pack(run, call, args, value);
    case CM_FORTRAN_UNPACK:
        return unpack(run, call, args, value);
    case CM_FORTRAN_RESHAPE:
        return reshape(run, call, args, value);
    case CM_FORTRAN_MAXLOC:
    case CM_FORTRAN_MINLOC:
        return cm_fortran_host_reduce(run, call, args[0], NULL, call->count > 1 ? args[1] : NULL,
                                      value);
    default:
        return cm_fortran_host_reduce(run, call, args[0], call->count > 1 ? args[1] : NULL,
                                      call->count > 2 ? args[2] : NULL, value);
    }
}
