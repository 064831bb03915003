/* Direct evaluation of statements, part 2: evaluates a statement in the front end, on copies of its
 * arrays (direct.h). */
#include "direct_private.h"

#include "../../programs/workload/reference.h"
#include "run_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct cm_fortran_direct_storage *storage_of(struct cm_fortran_direct *direct,
                                                    const struct cm_fortran_array *view)
{
    for (uint32_t i = 0; i < direct->storages.count; i++)
        if (direct->storages.items[i].elements == view->host)
            return &direct->storages.items[i];
    return NULL;
}

static struct cm_fortran_direct_storage *assigned(struct cm_fortran_direct *direct,
                                                  const struct cm_fortran_array *view,
                                                  struct cm_source_place place)
{
    struct cm_fortran_direct_storage *storage = storage_of(direct, view);
    if (storage == NULL)
        return NULL;
    storage->place = place;
    return storage;
}

/* ---- assignments ---- */

static enum cm_status need_bounds(struct cm_fortran_run *run,
                                  struct cm_fortran_direct_storage *storage)
{
    if (storage->bounds == NULL)
        storage->bounds = calloc((size_t)storage->real->elements + 1, sizeof(double));
    return storage->bounds != NULL ? CM_OK : cm_fortran_no_memory(run);
}

/* Stores a value in those elements of a section that the mask selects. If vectors of subscripts
 * name an element twice, either value is right, so that its bound becomes infinite. */
static void put(const struct cm_fortran_section *section, const uint8_t *mask,
                const struct cm_fortran_approximate *value,
                struct cm_fortran_direct_storage *storage, uint8_t *written)
{
    const struct cm_fortran_array *from = value->value;
    size_t bytes = cm_type_host_bytes(from->type);
    for (uint64_t e = 0; e < section->elements; e++) {
        uint64_t at = cm_fortran_section_index(section, e), source = from->rank > 0 ? e : 0;
        if (mask != NULL && !mask[e])
            continue;
        memcpy((char *)storage->elements + at * bytes, (const char *)from->host + source * bytes,
               bytes);
        if (storage->bounds != NULL)
            storage->bounds[at] = value->bounds != NULL ? value->bounds[source] : 0;
        if (written != NULL && written[at])
            storage->bounds[at] = INFINITY;
        if (written != NULL)
            written[at] = 1;
    }
}

static bool has_vector(const struct cm_fortran_section *section)
{
    for (uint32_t i = 0; i < section->array->rank; i++)
        if (section->ranges[i].vector != NULL)
            return true;
    return false;
}

static enum cm_status put_section(struct cm_fortran_run *run,
                                  const struct cm_fortran_section *section,
                                  const struct cm_fortran_array *mask,
                                  const struct cm_fortran_approximate *value,
                                  struct cm_fortran_direct_storage *storage)
{
    uint8_t *written = NULL;
    bool twice = has_vector(section);
    enum cm_status status = CM_OK;
    if (twice || value->bounds != NULL)
        status = need_bounds(run, storage);
    if (status == CM_OK && twice) {
        written = calloc((size_t)storage->real->elements + 1, 1);
        status = written != NULL ? CM_OK : cm_fortran_no_memory(run);
    }
    if (status == CM_OK)
        put(section, mask != NULL ? mask->host : NULL, value, storage, written);
    free(written);
    return status;
}

static enum cm_status assign_value(struct cm_fortran_run *run,
                                   const struct cm_fortran_statement *statement,
                                   const struct cm_fortran_approximate *value,
                                   struct cm_fortran_direct *direct)
{
    struct cm_fortran_section section;
    struct cm_fortran_array *mask = NULL;
    enum cm_status status = cm_fortran_section_find(run, statement->target, &section);
    if (status != CM_OK)
        return status;
    struct cm_fortran_direct_storage *storage =
        assigned(direct, section.array, statement->target->place);
    struct cm_fortran_array shape = {.rank = section.rank};
    memcpy(shape.extent, section.extent, sizeof shape.extent);
    if (value->value->rank > 0)
        status = cm_fortran_conform(run, statement->place, &shape, value->value);
    if (status == CM_OK && cm_fortran_mask(run) != NULL)
        status = cm_fortran_array_copy(run, cm_fortran_mask(run), 0, &mask);
    if (status == CM_OK && storage != NULL) {
        storage->is_loose = storage->is_loose || cm_fortran_is_loose(statement->value);
        status = put_section(run, &section, mask, value, storage);
    }
    cm_fortran_array_destroy(run, mask);
    cm_fortran_section_finish(&section);
    return status;
}

static enum cm_status assign(struct cm_fortran_run *run,
                             const struct cm_fortran_statement *statement,
                             struct cm_fortran_direct *direct, bool *done)
{
    struct cm_fortran_approximate value;
    enum cm_status status = cm_fortran_approximate(run, statement->value, &value, done);
    if (status != CM_OK || !*done)
        return status;
    status = assign_value(run, statement, &value, direct);
    cm_fortran_approximate_finish(run, &value);
    return status;
}

/* Evaluates a FORALL, element by element. Sets *done to false if one of its values may have a bound
 * other than 0. */
static enum cm_status forall(struct cm_fortran_run *run,
                             const struct cm_fortran_statement *statement,
                             struct cm_fortran_direct *direct, bool *done)
{
    const struct cm_fortran_forall *all = statement->forall;
    *done = !cm_fortran_is_approximate(run, all->mask);
    for (uint32_t i = 0; i < all->assignments; i++)
        *done = *done && !cm_fortran_is_approximate(run, all->values[i]) &&
                !cm_fortran_is_approximate(run, all->targets[i]);
    if (!*done)
        return CM_OK;
    for (uint32_t i = 0; i < all->assignments; i++) {
        const struct cm_fortran_array *view =
            cm_fortran_binding_of(run, all->targets[i]->variable)->array;
        struct cm_fortran_direct_storage *storage = assigned(direct, view, all->targets[i]->place);
        if (storage != NULL)
            storage->is_loose = storage->is_loose || cm_fortran_is_loose(all->values[i]);
    }
    return cm_fortran_forall(run, all);
}

/* ---- masks ---- */

/* Compares one of the masks of a WHERE block with the machine's: `active` = `outer` and `holds`,
 * or, if `pending` is true, `outer` and not `holds`. */
static enum cm_status compare_mask(struct cm_fortran_run *run, struct cm_source_place place,
                                   const struct cm_fortran_array *outer,
                                   const struct cm_fortran_approximate *holds, bool pending,
                                   const struct cm_fortran_array *machine)
{
    struct cm_fortran_array *got = NULL;
    const uint8_t *inside = outer != NULL ? outer->host : NULL;
    uint8_t *expected = malloc((size_t)holds->value->elements + 1);
    enum cm_status status =
        expected != NULL ? cm_fortran_array_copy(run, machine, 0, &got) : cm_fortran_no_memory(run);
    for (uint64_t e = 0; status == CM_OK && e < holds->value->elements; e++)
        expected[e] = (inside == NULL || inside[e]) &&
                      (((const uint8_t *)holds->value->host)[e] != 0) != pending;
    const struct cm_fortran_comparison comparison = {.place = place,
                                                     .name = pending ? "the mask of ELSEWHERE"
                                                                     : "the mask",
                                                     .shape = holds->value,
                                                     .got = got != NULL ? got->host : NULL,
                                                     .expected = expected,
                                                     .bounds = holds->bounds};
    if (status == CM_OK)
        status = cm_fortran_compare(run, &comparison);
    cm_fortran_array_destroy(run, got);
    free(expected);
    return status;
}

static enum cm_status where(struct cm_fortran_run *run,
                            const struct cm_fortran_statement *statement,
                            struct cm_fortran_direct *direct, bool *done)
{
    struct cm_fortran_approximate holds;
    struct cm_fortran_array *outer = NULL;
    const struct cm_fortran_mask *mask = &run->masks[run->mask_count - 1];
    enum cm_status status = cm_fortran_approximate(run, statement->value, &holds, done);
    if (status != CM_OK || !*done)
        return status;
    bool nested =
        statement->kind == CM_FORTRAN_WHERE && run->mask_count > run->frame->mask_base + 1;
    if (nested)
        status = cm_fortran_array_copy(run, run->masks[run->mask_count - 2].active, 0, &outer);
    const struct cm_fortran_array *around = nested ? outer : direct->pending;
    if (status == CM_OK)
        status = compare_mask(run, statement->place, around, &holds, false, mask->active);
    if (status == CM_OK)
        status = compare_mask(run, statement->place, around, &holds, true, mask->pending);
    cm_fortran_array_destroy(run, outer);
    cm_fortran_approximate_finish(run, &holds);
    return status;
}

/* ---- PSHIFT: all sources are read before any destination is written ---- */

struct shifts {
    struct cm_fortran_run *run;
    const struct cm_fortran_statement *statement;
    uint32_t at; /* index of the next argument of the call */
    struct cm_fortran_array *dst[CM_PSHIFT_MAX];
    void *made[CM_PSHIFT_MAX];
};

static const struct cm_fortran_array *array_at(struct shifts *shifts)
{
    const struct cm_fortran_expression *arg = shifts->statement->args[shifts->at++];
    return cm_fortran_binding_of(shifts->run, arg->variable)->array;
}

static enum cm_status integer_at(struct shifts *shifts, int64_t *value)
{
    return cm_fortran_integer(shifts->run, shifts->statement->args[shifts->at++], value);
}

static struct cm_reference_array reference_of(const struct cm_fortran_array *array, void *elements)
{
    struct cm_reference_array made = {.type = array->type,
                                      .rank = array->rank,
                                      .elements_count = array->elements,
                                      .elements = elements};
    memcpy(made.shape, array->extent, array->rank * sizeof(array->extent[0]));
    return made;
}

/* Finds the boundary of a shift. A scalar boundary is stored in `element`. */
static enum cm_status boundary_at(struct shifts *shifts, enum cm_shift_type kind, enum cm_type type,
                                  unsigned char element[16], struct cm_reference_boundary *boundary)
{
    static const union cm_fortran_value one = {.integer = 1};
    union cm_fortran_value value = {0}, converted = {0};
    *boundary =
        (struct cm_reference_boundary){.circular = kind == CM_SHIFT_CSHIFT, .bytes = element};
    memset(element, 0, 16);
    if (kind == CM_SHIFT_EOSHIFT_1)
        cm_fortran_convert(CM_TYPE_INT32, type, &one, &converted);
    if (kind == CM_SHIFT_EOSHIFT_SCALAR || kind == CM_SHIFT_EOSHIFT_ARRAY) {
        const struct cm_fortran_expression *arg = shifts->statement->args[shifts->at];
        boundary->is_array = kind == CM_SHIFT_EOSHIFT_ARRAY && arg->rank > 0;
        if (boundary->is_array) {
            boundary->bytes = array_at(shifts)->host;
            return CM_OK;
        }
        enum cm_status status = cm_fortran_scalar(shifts->run, arg, &value);
        if (status != CM_OK)
            return status;
        shifts->at++;
        cm_fortran_convert((enum cm_type)arg->type, type, &value, &converted);
    }
    cm_fortran_store(type, element, 0, &converted);
    return CM_OK;
}

static enum cm_status shift_once(struct shifts *shifts, uint32_t i)
{
    int64_t kind, dim, distance;
    unsigned char element[16];
    struct cm_reference_boundary boundary;
    enum cm_status status = integer_at(shifts, &kind);
    if (status != CM_OK)
        return status;
    const struct cm_fortran_array *dst = array_at(shifts), *src = array_at(shifts);
    status = integer_at(shifts, &dim);
    if (status == CM_OK)
        status = integer_at(shifts, &distance);
    if (status == CM_OK)
        status = boundary_at(shifts, (enum cm_shift_type)(kind - 1), src->type, element, &boundary);
    if (status != CM_OK)
        return status;
    shifts->dst[i] = (struct cm_fortran_array *)dst;
    shifts->made[i] = calloc((size_t)dst->elements + 1, cm_type_host_bytes(dst->type));
    if (shifts->made[i] == NULL)
        return cm_fortran_no_memory(shifts->run);
    struct cm_reference_array to = reference_of(dst, shifts->made[i]);
    const struct cm_reference_array from = reference_of(src, src->host);
    return cm_reference_shift(&to, &from, (uint32_t)dim - 1, distance, &boundary, shifts->run->err);
}

static enum cm_status pshift(struct cm_fortran_run *run,
                             const struct cm_fortran_statement *statement,
                             struct cm_fortran_direct *direct)
{
    struct shifts shifts = {.run = run, .statement = statement};
    int64_t count;
    enum cm_status status = integer_at(&shifts, &count);
    /* the first two arguments behind the count are the setup's id and the error code */
    shifts.at = 3;
    for (uint32_t i = 0; status == CM_OK && i < (uint32_t)count; i++)
        status = shift_once(&shifts, i);
    for (uint32_t i = 0; status == CM_OK && i < (uint32_t)count; i++) {
        const struct cm_fortran_array *dst = shifts.dst[i];
        memcpy(dst->host, shifts.made[i], (size_t)dst->elements * cm_type_host_bytes(dst->type));
        assigned(direct, dst, statement->place);
    }
    for (uint32_t i = 0; i < CM_PSHIFT_MAX; i++)
        free(shifts.made[i]);
    return status;
}

enum cm_status cm_fortran_direct_evaluate(struct cm_fortran_run *run,
                                          const struct cm_fortran_statement *statement,
                                          struct cm_fortran_direct *direct, bool *done)
{
    switch (statement->kind) {
    case CM_FORTRAN_ASSIGN:
        return assign(run, statement, direct, done);
    case CM_FORTRAN_WHERE:
    case CM_FORTRAN_ELSEWHERE:
        return where(run, statement, direct, done);
    case CM_FORTRAN_FORALL:
        return forall(run, statement, direct, done);
    default:
        return pshift(run, statement, direct);
    }
}

/* ---- reductions ---- */

static const char *name_of(const struct cm_fortran_expression *call)
{
    return call->kind == CM_FORTRAN_INTRINSIC ? cm_fortran_intrinsic_name(call->intrinsic)
                                              : "a reduction";
}

enum cm_status cm_fortran_direct_reduction(struct cm_fortran_run *run,
                                           const struct cm_fortran_expression *call,
                                           const union cm_fortran_value *value,
                                           struct cm_fortran_direct *direct, bool *done)
{
    struct cm_fortran_approximate expected = {0};
    struct cm_error refused = {0}, *outer = run->err;
    unsigned char got[16] = {0};
    run->err = &refused;
    cm_fortran_direct_exchange(run, direct, true);
    enum cm_status status = cm_fortran_approximate(run, call, &expected, done);
    cm_fortran_direct_exchange(run, direct, false);
    run->err = outer;
    *done = *done && status == CM_OK;
    if (status == CM_NO_MEMORY)
        return cm_fortran_no_memory(run);
    if (!*done)
        return status == CM_INTERRUPTED ? cm_fortran_look(run) : CM_OK;
    cm_fortran_store((enum cm_type)call->type, got, 0, value);
    const struct cm_fortran_comparison comparison = {.place = call->place,
                                                     .name = name_of(call),
                                                     .shape = expected.value,
                                                     .got = got,
                                                     .expected = expected.value->host,
                                                     .bounds = expected.bounds,
                                                     .is_loose = cm_fortran_is_loose(call)};
    status = cm_fortran_compare(run, &comparison);
    cm_fortran_approximate_finish(run, &expected);
    return status;
}
