/*
 * Boundaries of end-off shifts, and the IMP of a scalar boundary. The front end broadcasts the
 * scalar, and the nodes at the edge store it in the places without a source, under a context mask.
 * boundary_array.c fills boundaries from arrays.
 */
#include "boundary.h"

#include "../system/emit.h"

#include <inttypes.h>

enum { ARGUMENT_TABLE, ARGUMENT_DST, ARGUMENT_SCALAR }; /* a complex scalar takes two arguments */
enum { REG_TABLE = ARGUMENT_TABLE, REG_DST = ARGUMENT_DST, REG_AT };

bool cm_boundary_places(const struct cm_axis *axis, int64_t distance, uint64_t *low, uint64_t *high)
{
    uint64_t length = axis->length;
    uint64_t magnitude = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance;
    if (magnitude > length)
        magnitude = length;
    *low = distance > 0 ? length - magnitude : 0;
    *high = distance > 0 ? length : magnitude;
    return magnitude > 0;
}

enum cm_status cm_boundary_check(const struct cm_layout *layout, uint32_t axis,
                                 const struct cm_array *array, struct cm_error *err)
{
    if (array == NULL && layout->rank == 1) /* the boundary is the single value boundary_scalar */
        return CM_OK;
    if (array == NULL) {
        cm_error_set(err, CM_BAD_INPUT, "an EOSHIFT with a boundary array has no boundary array");
        return cm_error_hint(err, "set boundary_array, or use CM_SHIFT_EOSHIFT_SCALAR");
    }
    const struct cm_layout *other = &array->layout;
    if (other->rank + 1 != layout->rank)
        return cm_error_set(err, CM_BAD_INPUT,
                            "boundary array \"%s\" has rank %" PRIu32
                            "; shifting an array of rank %" PRIu32 " needs one of rank %" PRIu32,
                            array->name, other->rank, layout->rank, layout->rank - 1);
    if (other->type != layout->type)
        return cm_error_set(err, CM_BAD_INPUT, "boundary array \"%s\" is %s, the shifted one %s",
                            array->name, cm_type_name(other->type), cm_type_name(layout->type));
    for (uint32_t a = 0; a < other->rank; a++) {
        uint64_t wanted = layout->axes[a + (a >= axis)].length;
        if (other->axes[a].length != wanted)
            return cm_error_set(err, CM_BAD_INPUT,
                                "boundary array \"%s\" has length %" PRIu64
                                " along its axis %" PRIu32
                                "; the shifted array without its axis %" PRIu32 " has %" PRIu64,
                                array->name, other->axes[a].length, a, axis, wanted);
    }
    return CM_OK;
}

struct cm_boundary cm_boundary_of(const struct cm_shift *shift)
{
    const struct cm_layout *layout = &shift->src->layout;
    struct cm_boundary boundary = {.layout = layout, .axis = shift->axis};
    struct cm_scalar scalar = shift->boundary_scalar;
    if (shift->type != CM_SHIFT_CSHIFT)
        cm_boundary_places(&layout->axes[shift->axis], shift->distance, &boundary.low,
                           &boundary.high);
    if (shift->type == CM_SHIFT_EOSHIFT_ARRAY)
        boundary.array = shift->boundary_array;
    if (shift->type == CM_SHIFT_EOSHIFT_0 || shift->type == CM_SHIFT_EOSHIFT_1)
        scalar = cm_scalar_make(layout->type, shift->type == CM_SHIFT_EOSHIFT_1, 0);
    for (uint32_t c = 0; c < 2; c++)
        boundary.bits[c] = cm_scalar_bits(layout->type, &scalar, c);
    return boundary;
}

/* Places of a boundary, as at most three ranges of local indices. */
struct ranges {
    const struct cm_boundary *boundary;
    struct cm_range at[3];
    uint32_t count;
};

/* Fills the mask of a boundary. Its bit `r` is 1 in nodes whose coordinate is in range r. */
static void fill_mask(const void *context, uint32_t nodes, uint32_t *plane)
{
    const struct ranges *ranges = context;
    const struct cm_layout *layout = ranges->boundary->layout;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t c = cm_layout_coordinate(layout, node, ranges->boundary->axis);
        for (uint32_t r = 0; r < ranges->count; r++)
            if (c >= ranges->at[r].first_coordinate && c <= ranges->at[r].last_coordinate)
                plane[node] |= UINT32_C(1) << r;
    }
}

static void emit_range(struct cm_imp *imp, const struct cm_boundary *boundary,
                       const struct cm_range *range, uint32_t number)
{
    const struct cm_layout *layout = boundary->layout;
    struct cm_runs runs = cm_runs_of(layout, boundary->axis, range->first, range->count);
    uint32_t slices = layout->slices, components = cm_type_components(layout->type);
    CM_EMIT(imp, CM_OP_CTXLOAD, cm_mem(REG_TABLE, 0), cm_value(number));
    cm_emit_point(imp, REG_AT, REG_DST, (int64_t)(runs.offset * slices));
    uint32_t rows = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)runs.rows));
    uint32_t run = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)runs.run));
    for (uint32_t c = 0; c < components; c++)
        CM_EMIT(imp, cm_fpu_ops(layout->type)->store, cm_mem(REG_AT, c * (slices / components)),
                cm_reg(c));
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_AT), cm_value(slices));
    cm_emit_next(imp, run);
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_AT),
            cm_value((int64_t)((runs.stride - runs.run) * slices)));
    cm_emit_next(imp, rows);
}

static struct cm_imp *emit_ranges(const struct ranges *ranges)
{
    enum cm_type type = ranges->boundary->layout->type;
    struct cm_imp *imp = cm_emit_begin("boundary", "table dst");
    if (!imp)
        return NULL;
    cm_imp_argument(imp, "value", CM_ARGUMENT_SCALAR);
    cm_imp_argument(imp, "imaginary", CM_ARGUMENT_SCALAR);
    for (uint32_t c = 0; c < cm_type_components(type); c++)
        CM_EMIT(imp, cm_fpu_ops(type)->scalar, cm_reg(c), cm_value(ARGUMENT_SCALAR + c));
    for (uint32_t r = 0; r < ranges->count; r++)
        emit_range(imp, ranges->boundary, &ranges->at[r], r);
    return cm_emit_end(imp);
}

static enum cm_status make_broadcast(struct cm_system *system, const void *task,
                                     struct cm_compiled *compiled, struct cm_error *err)
{
    const struct cm_boundary *boundary = task;
    struct ranges ranges = {.boundary = boundary};
    ranges.count = cm_ranges_find(&boundary->layout->axes[boundary->axis], boundary->low,
                                  boundary->high, ranges.at);
    enum cm_status status = cm_compiled_table(
        system, compiled, &(struct cm_table_request){1, "a boundary mask", fill_mask, &ranges},
        err);
    return status == CM_OK ? cm_compiled_add(compiled, emit_ranges(&ranges), err) : status;
}

static enum cm_status find(struct cm_system *system, const struct cm_boundary *boundary,
                           const struct cm_compiled **compiled, struct cm_error *err)
{
    struct cm_buffer key;
    cm_key_begin(&key, CM_CACHE_BOUNDARY);
    cm_key_layout(&key, boundary->layout);
    CM_CACHE_KEY(&key, boundary->axis, boundary->low, boundary->high);
    if (boundary->array)
        cm_key_layout(&key, &boundary->array->layout);
    return cm_compiled_get(system, &key, boundary->array ? cm_boundary_array_make : make_broadcast,
                           boundary, compiled, err);
}

enum cm_status cm_boundary_prepare(struct cm_system *system, const struct cm_boundary *boundary,
                                   struct cm_error *err)
{
    const struct cm_compiled *compiled;
    return boundary->low == boundary->high ? CM_OK : find(system, boundary, &compiled, err);
}

enum cm_status cm_boundary_fill(struct cm_system *system, const struct cm_boundary *boundary,
                                const struct cm_array *dst, enum cm_entry entry,
                                struct cm_error *err)
{
    const struct cm_compiled *compiled;
    if (boundary->low == boundary->high)
        return CM_OK;
    enum cm_status status = find(system, boundary, &compiled, err);
    if (status != CM_OK)
        return status;
    struct cm_actual actuals[4] = {{.address = compiled->table}, {.address = dst->address}};
    if (boundary->array)
        actuals[2].address = boundary->array->address;
    for (uint32_t c = 0; c < 2; c++)
        actuals[ARGUMENT_SCALAR + c].scalar = boundary->bits[c];
    return cm_compiled_run(system, compiled, actuals, entry, err);
}
