/*
 * CMF_AREF_1D and CMF_ASET_1D: read or store elements of a table at indices along its first
 * dimension. The machine does so in place if this dimension is a serial axis (machine/lookup.c).
 * Otherwise the front end does.
 */
#include "run_private.h"

#include <inttypes.h>
#include <string.h>

/* A call of CMF_AREF_1D or CMF_ASET_1D, and the expressions by which it is executed on the
 * machine. */
struct call {
    struct cm_fortran_run *run;
    struct cm_source_place place;
    /* arguments of the call. `mask` is NULL if it is absent */
    const struct cm_fortran_expression *dest, *source, *index, *mask;
    /* the argument that is the table: `dest` or `source` */
    const struct cm_fortran_expression *table;
    struct cm_fortran_array *array; /* array of the table */
    struct cm_fortran_expression bounds[CM_RANK_MAX][3], triplets[CM_RANK_MAX];
    struct cm_fortran_expression *parts[CM_RANK_MAX][3];
    struct cm_fortran_expression lower, guarded, merge, lookup, base;
    struct cm_fortran_expression *places[CM_RANK_MAX], *first[CM_RANK_MAX], *guards[3], *merged[3];
};

static struct cm_fortran_expression constant(const struct call *call, int64_t value)
{
    return (struct cm_fortran_expression){.kind = CM_FORTRAN_CONSTANT,
                                          .type = CM_TYPE_INT32,
                                          .place = call->place,
                                          .value.integer = (int32_t)value};
}

/* Makes the expression MERGE(value, other, mask). */
static struct cm_fortran_expression merge(const struct call *call,
                                          struct cm_fortran_expression **args, uint8_t type)
{
    return (struct cm_fortran_expression){.kind = CM_FORTRAN_INTRINSIC,
                                          .intrinsic = CM_FORTRAN_MERGE,
                                          .type = type,
                                          .rank = call->index->rank,
                                          .place = call->place,
                                          .args = args,
                                          .count = 3};
}

/* Makes triplets that select all elements along the second and further dimensions of the table. */
static void make_triplets(struct call *call)
{
    for (uint32_t i = 1; i < call->table->rank; i++) {
        const int64_t lower = call->array->lower[i];
        call->bounds[i][0] = constant(call, lower);
        call->bounds[i][1] = constant(call, lower + (int64_t)call->array->extent[i] - 1);
        call->bounds[i][2] = constant(call, 1);
        for (uint32_t k = 0; k < 3; k++)
            call->parts[i][k] = &call->bounds[i][k];
        call->triplets[i] = (struct cm_fortran_expression){.kind = CM_FORTRAN_TRIPLET,
                                                           .type = CM_TYPE_INT32,
                                                           .number = i - 1,
                                                           .place = call->place,
                                                           .args = call->parts[i],
                                                           .count = 3};
        call->places[i] = call->first[i] = &call->triplets[i];
    }
}

/* Makes the LOOKUP expression, and the section of the table's elements at the lower bound of the
 * first dimension. Where the mask is false, a LOOKUP that reads has the lower bound as its
 * index. */
static void make_lookup(struct call *call, bool stores)
{
    call->lower = constant(call, call->array->lower[0]);
    make_triplets(call);
    call->first[0] = &call->lower;
    /* The functions called do not change the arguments, so that the casts, which the type of `args`
     * needs, are safe. */
    call->places[0] = (struct cm_fortran_expression *)call->index;
    if (call->mask != NULL && !stores) {
        call->guards[0] = call->places[0];
        call->guards[1] = &call->lower;
        call->guards[2] = (struct cm_fortran_expression *)call->mask;
        call->guarded = merge(call, call->guards, CM_TYPE_INT32);
        call->places[0] = &call->guarded;
    }
    call->lookup = *call->table;
    call->lookup.kind = CM_FORTRAN_LOOKUP;
    call->lookup.rank = call->index->rank;
    call->lookup.args = call->places;
    call->lookup.count = call->table->rank;
    call->base = call->lookup;
    call->base.kind = CM_FORTRAN_SECTION;
    call->base.args = call->first;
}

/* Fails if `elements` do not have the shape of the table without its first dimension. NULL and
 * scalars are accepted. */
static enum cm_status check_shapes(struct call *call, const struct cm_fortran_array *elements)
{
    struct cm_fortran_array shape = {.rank = call->table->rank - 1};
    memcpy(shape.extent, call->array->extent + 1, shape.rank * sizeof(shape.extent[0]));
    if (elements == NULL || elements->rank == 0)
        return CM_OK;
    return cm_fortran_conform(call->run, call->place, &shape, elements);
}

/* Checks the shape of the array that CMF_AREF_1D assigns. */
static enum cm_status check_dest(struct call *call)
{
    struct cm_fortran_section section;
    enum cm_status status = cm_fortran_section_find(call->run, call->dest, &section);
    if (status != CM_OK)
        return status;
    struct cm_fortran_array shape = {.rank = section.rank};
    memcpy(shape.extent, section.extent, sizeof(shape.extent));
    cm_fortran_section_finish(&section);
    return check_shapes(call, &shape);
}

/* Executes the call on the machine. Leaves *done false if the machine cannot execute it. */
static enum cm_status on_machine(struct call *call, bool stores, bool *done)
{
    const struct cm_fortran_expression *value = &call->lookup;
    bool fits = false;
    *done = false;
    if (!cm_fortran_has_serial_axis(call->array) || call->run->uncharged)
        return CM_OK;
    make_lookup(call, stores);
    if (stores)
        return cm_fortran_machine_assign_at(call->run, &call->base, &call->lookup, call->source,
                                            call->mask, done);
    if (!cm_fortran_on_machine(cm_fortran_binding_of(call->run, call->dest->variable)->array))
        return CM_OK;
    enum cm_status status = check_dest(call);
    if (status != CM_OK)
        return status;
    if (call->mask != NULL) {
        call->merged[0] = &call->lookup;
        call->merged[1] = (struct cm_fortran_expression *)call->dest;
        call->merged[2] = (struct cm_fortran_expression *)call->mask;
        call->merge = merge(call, call->merged, call->dest->type);
        value = &call->merge;
    }
    status = cm_fortran_lookups_fit(call->run, call->dest, value, &fits);
    return status == CM_OK && fits
               ? cm_fortran_machine_assign(call->run, call->dest, value, NULL, done)
               : status;
}

/* ---- the front end ---- */

/* Reads or stores elements of the table, where the mask is true. The values of all arguments are in
 * the front end. */
static enum cm_status copy(struct call *call, struct cm_fortran_array *dest,
                           const struct cm_fortran_array *source,
                           const struct cm_fortran_array *index,
                           const struct cm_fortran_array *mask, bool stores)
{
    const size_t bytes = cm_type_host_bytes((enum cm_type)call->dest->type);
    const int64_t lower = call->array->lower[0];
    const uint64_t extent = call->array->extent[0];
    enum cm_status status = CM_OK;
    for (uint64_t e = 0; e < index->elements && status == CM_OK; e++) {
        const int64_t at = ((const int32_t *)index->host)[e] - lower;
        if (mask != NULL && !((const uint8_t *)mask->host)[mask->rank > 0 ? e : 0])
            continue;
        if (at < 0 || (uint64_t)at >= extent)
            return cm_fortran_fail(call->run, call->index->place,
                                   "INDEX is %" PRId64 " in element %" PRIu64
                                   ", outside the bounds %" PRId64 ":%" PRId64,
                                   at + lower, e + 1, lower, lower + (int64_t)extent - 1);
        const uint64_t place = (uint64_t)at + extent * e;
        const uint64_t from = stores ? (source->rank > 0 ? e : 0) : place;
        memcpy((char *)dest->host + (stores ? place : e) * bytes,
               (const char *)source->host + from * bytes, bytes);
        status = cm_fortran_go_on(call->run);
    }
    return status;
}

static enum cm_status in_front_end(struct call *call, bool stores)
{
    struct cm_fortran_array *dest = NULL, *source = NULL, *index = NULL, *mask = NULL;
    struct cm_fortran_run *run = call->run;
    enum cm_status status = cm_fortran_host_value(run, call->dest, &dest);
    if (status == CM_OK)
        status = cm_fortran_host_value(run, call->source, &source);
    if (status == CM_OK)
        status = cm_fortran_host_value(run, call->index, &index);
    if (status == CM_OK && call->mask != NULL)
        status = cm_fortran_host_value(run, call->mask, &mask);
    if (status == CM_OK)
        status = check_shapes(call, stores ? source : dest);
    if (status == CM_OK)
        status = check_shapes(call, index);
    if (status == CM_OK)
        status = check_shapes(call, mask);
    if (status == CM_OK)
        status = copy(call, dest, source, index, mask, stores);
    if (status == CM_OK)
        status = cm_fortran_host_assign(run, call->dest, dest, NULL);
    cm_fortran_array_destroy(run, dest);
    cm_fortran_array_destroy(run, source);
    cm_fortran_array_destroy(run, index);
    cm_fortran_array_destroy(run, mask);
    return status;
}

enum cm_status cm_fortran_table(struct cm_fortran_run *run,
                                struct cm_fortran_expression *const *args, uint32_t count,
                                struct cm_source_place place, bool stores)
{
    struct call call = {.run = run,
                        .place = place,
                        .dest = args[0],
                        .source = args[1],
                        .index = args[2],
                        .mask = count > 3 ? args[3] : NULL,
                        .table = args[stores ? 0 : 1]};
    bool done = false;
    enum cm_status status =
        cm_fortran_array_of(run, call.table->variable, call.table->place, &call.array);
    if (status == CM_OK)
        status = on_machine(&call, stores, &done);
    return status == CM_OK && !done ? in_front_end(&call, stores) : status;
}
