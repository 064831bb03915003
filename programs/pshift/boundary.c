/*
 * Boundaries by broadcast: under a context mask that picks the nodes at the edge, the scalar is
 * stored in the places that lack a source. Boundary arrays are in boundary_array.c.
 */
#include "boundary.h"

#include "../system/emit.h"
#include "boundary_private.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ARGUMENT_TABLE, ARGUMENT_DST, ARGUMENT_SCALAR }; /* then the second scalar */
enum { REG_TABLE, REG_DST, REG_AT };

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
                                array->name, other->axes[a].length, a + 1, axis + 1, wanted);
    }
    return CM_OK;
}

/* Bit `r` of the mask: this node's coordinate lies in range r. */
static enum cm_status make_mask(struct cm_system *system, const struct cm_boundary *task,
                                const struct cm_range *ranges, uint32_t count,
                                struct cm_compiled *compiled, struct cm_error *err)
{
    uint32_t nodes = task->layout->nodes;
    uint32_t *plane = calloc(nodes, sizeof *plane);
    if (!plane)
        return cm_error_no_memory(err);
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t c = cm_layout_coordinate(task->layout, node, task->axis);
        for (uint32_t r = 0; r < count; r++)
            if (c >= ranges[r].first_coordinate && c <= ranges[r].last_coordinate)
                plane[node] |= UINT32_C(1) << r;
    }
    enum cm_status status =
        cm_table_create(system, plane, 1, "a boundary mask", &compiled->table, err);
    compiled->has_table = status == CM_OK;
    free(plane);
    return status;
}

/* Stores the scalar in one element: 64-bit stores for types made of them. */
static void emit_store(struct cm_imp *imp, enum cm_type type)
{
    bool wide = type == CM_TYPE_REAL64 || type == CM_TYPE_COMPLEX128;
    bool complex = type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
    enum cm_op op = wide ? CM_OP_FSTORE64 : CM_OP_FSTORE32;
    CM_EMIT(imp, op, cm_mem(REG_AT, 0), cm_reg(0));
    if (complex)
        CM_EMIT(imp, op, cm_mem(REG_AT, wide ? 2 : 1), cm_reg(1));
}

static void emit_range(struct cm_imp *imp, const struct cm_boundary *task,
                       const struct cm_range *range, uint32_t number)
{
    uint32_t slices = task->layout->slices;
    struct cm_runs runs = cm_runs_of(task->layout, task->axis, range->first, range->count);
    CM_EMIT(imp, CM_OP_CTXLOAD, cm_mem(REG_TABLE, 0), cm_value(number));
    CM_EMIT(imp, CM_OP_ACOPY, cm_reg(REG_AT), cm_reg(REG_DST),
            cm_value((int64_t)(runs.offset * slices)));
    uint32_t rows = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)runs.rows));
    uint32_t run = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)runs.run));
    emit_store(imp, task->layout->type);
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_AT), cm_value(slices));
    cm_emit_next(imp, run);
    CM_EMIT(imp, CM_OP_AADD, cm_reg(REG_AT),
            cm_value((int64_t)((runs.stride - runs.run) * slices)));
    cm_emit_next(imp, rows);
}

static void emit_scalars(struct cm_imp *imp, enum cm_type type)
{
    bool wide = type == CM_TYPE_REAL64 || type == CM_TYPE_COMPLEX128;
    bool complex = type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
    enum cm_op op = wide ? CM_OP_FSCAL64 : CM_OP_FSCAL32;
    CM_EMIT(imp, op, cm_reg(0), cm_value(ARGUMENT_SCALAR));
    if (complex)
        CM_EMIT(imp, op, cm_reg(1), cm_value(ARGUMENT_SCALAR + 1));
}

static enum cm_status make_broadcast(struct cm_system *system, const void *task,
                                     struct cm_compiled *compiled, struct cm_error *err)
{
    const struct cm_boundary *boundary = task;
    struct cm_range ranges[3];
    uint32_t count = cm_ranges_find(&boundary->layout->axes[boundary->axis], boundary->low,
                                    boundary->high, ranges);
    enum cm_status status = make_mask(system, boundary, ranges, count, compiled, err);
    if (status != CM_OK)
        return status;
    struct cm_imp *imp = cm_imp_create("boundary");
    if (!imp)
        return cm_error_no_memory(err);
    cm_imp_argument(imp, "table", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "dst", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(imp, "value", CM_ARGUMENT_SCALAR);
    cm_imp_argument(imp, "imaginary", CM_ARGUMENT_SCALAR);
    cm_emit_argument(imp, REG_TABLE, ARGUMENT_TABLE, 0);
    cm_emit_argument(imp, REG_DST, ARGUMENT_DST, 0);
    emit_scalars(imp, boundary->layout->type);
    for (uint32_t r = 0; r < count; r++)
        emit_range(imp, boundary, &ranges[r], r);
    cm_imp_emit(imp, CM_OP_HALT, NULL, 0);
    return cm_compiled_add(compiled, imp, err);
}

static void boundary_key(struct cm_buffer *key, const struct cm_boundary *boundary)
{
    cm_key_begin(key, CM_CACHE_BOUNDARY);
    cm_key_layout(key, boundary->layout);
    cm_key_integer(key, boundary->axis);
    cm_key_integer(key, (int64_t)boundary->low);
    cm_key_integer(key, (int64_t)boundary->high);
    if (boundary->array)
        cm_key_layout(key, &boundary->array->layout);
}

static enum cm_status find(struct cm_system *system, const struct cm_boundary *boundary,
                           const struct cm_compiled **compiled, struct cm_error *err)
{
    struct cm_buffer key;
    boundary_key(&key, boundary);
    return cm_compiled_get(system, &key, boundary->array ? cm_boundary_array_make : make_broadcast,
                           boundary, compiled, err);
}

enum cm_status cm_boundary_prepare(struct cm_system *system, const struct cm_boundary *boundary,
                                   struct cm_error *err)
{
    const struct cm_compiled *compiled;
    return find(system, boundary, &compiled, err);
}

/* Scalar arguments are 64 bits: a component of a complex value, or all of a real one. */
static void scalar_actuals(const struct cm_boundary *boundary, struct cm_actual actuals[2])
{
    const uint32_t *words = boundary->scalar.words;
    bool wide =
        boundary->layout->type == CM_TYPE_REAL64 || boundary->layout->type == CM_TYPE_COMPLEX128;
    actuals[0].scalar = words[0] | (wide ? (uint64_t)words[1] << 32 : 0);
    actuals[1].scalar = wide ? words[2] | (uint64_t)words[3] << 32 : words[1];
}

enum cm_status cm_boundary_fill(struct cm_system *system, const struct cm_boundary *boundary,
                                const struct cm_array *dst, enum cm_entry entry,
                                struct cm_error *err)
{
    const struct cm_compiled *compiled;
    enum cm_status status = find(system, boundary, &compiled, err);
    if (status != CM_OK)
        return status;
    if (boundary->array)
        return cm_boundary_array_run(system, boundary, compiled, dst, entry, err);
    struct cm_actual actuals[4] = {{.address = compiled->table}, {.address = dst->address}};
    scalar_actuals(boundary, &actuals[ARGUMENT_SCALAR]);
    return cm_compiled_run(system, compiled, actuals, entry, err);
}
