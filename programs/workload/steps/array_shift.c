/* Shift of one array, which the steps pshift, cshift and eoshift share (array_shift.h). */
#include "array_shift.h"

#include "../../../report/numbers.h"
#include "../../pshift/runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *cm_step_array_shift_path_name(uint32_t index)
{
    return cm_shift_path_name((enum cm_shift_path)index);
}

const char *cm_step_array_shift_type_name(uint32_t index)
{
    return cm_shift_type_name((enum cm_shift_type)index);
}

void cm_step_array_shift_read(const struct cm_workload *workload, struct cm_reader *reader,
                              struct cm_json object, struct cm_step_array_shift *shift)
{
    cm_workload_expect_same_type(workload, reader, shift->dst, shift->src);
    if (!cm_reader_ok(reader))
        return;
    uint32_t rank = cm_workload_array_now(workload, shift->src)->rank;
    if (shift->dim >= 1 && shift->dim <= rank)
        return;
    cm_reader_fail(reader, cm_read_member(reader, object, "dim"),
                   "dim is %" PRIu64 ", but \"%s\" has %" PRIu32 " dimension%s", shift->dim,
                   workload->arrays[shift->src.number].name, rank, cm_plural(rank));
    cm_reader_hint(reader, "dims count from 1");
}

/* Checks a boundary array. Its type must be the source's type, and its shape the source's shape
 * without the shifted axis. */
static void check_boundary_array(const struct cm_workload *workload, struct cm_reader *reader,
                                 const struct cm_step_array_shift *shift)
{
    const struct cm_layout_request *src = cm_workload_array_now(workload, shift->src);
    const struct cm_workload_array *array = &workload->arrays[shift->boundary.array];
    const char *src_name = workload->arrays[shift->src.number].name;
    struct cm_json json = shift->boundary.json;
    uint64_t wanted[CM_RANK_MAX];
    uint32_t rank = 0;
    char found_text[200], wanted_text[200];
    for (uint32_t a = 0; a < src->rank; a++) {
        if (a + 1 != shift->dim)
            wanted[rank++] = src->shape[a];
    }
    if (rank == 0) {
        cm_reader_fail(
            reader, json,
            "the boundary of an array of rank one is one element, but \"%s\" is an array",
            array->name);
        cm_reader_hint(reader, "write a number or the name of a scalar");
    } else if (array->request.rank != rank ||
               memcmp(array->request.shape, wanted, rank * sizeof *wanted) != 0) {
        cm_reader_fail(
            reader, json, "boundary \"%s\" has shape %s, expected %s", array->name,
            cm_shape_text(array->request.shape, array->request.rank, found_text, sizeof found_text),
            cm_shape_text(wanted, rank, wanted_text, sizeof wanted_text));
        cm_reader_hint(reader, "the shape of \"%s\" with dim %" PRIu64 " left out", src_name,
                       shift->dim);
    } else if (array->request.type != src->type) {
        cm_reader_fail(reader, json, "boundary \"%s\" is %s, but \"%s\" is %s", array->name,
                       cm_type_name(array->request.type), src_name, cm_type_name(src->type));
    }
}

void cm_step_array_shift_check_boundary(const struct cm_workload *workload,
                                        struct cm_reader *reader,
                                        const struct cm_step_array_shift *shift)
{
    if (!cm_reader_ok(reader))
        return;
    if (shift->boundary.array != CM_NO_ARRAY)
        check_boundary_array(workload, reader, shift);
    else
        cm_workload_check_number(reader, shift->boundary.json, &shift->boundary.number,
                                 cm_workload_array_now(workload, shift->src)->type, "boundary");
}

void cm_step_array_shift_refuse_eoshift(struct cm_reader *reader, struct cm_json object)
{
    struct cm_json json;
    if (!cm_reader_ok(reader) || cm_json_kind(object) != CM_JSON_OBJECT ||
        !cm_json_member(object, "type", &json) || cm_json_kind(json) != CM_JSON_STRING)
        return;
    const char *name = cm_read_string(reader, json, "type");
    if (name == NULL || strcmp(name, "eoshift") != 0)
        return;
    cm_reader_fail(reader, json, "unknown type \"eoshift\"; did you mean \"%s\"?",
                   cm_shift_type_name(CM_SHIFT_EOSHIFT_SCALAR));
    cm_reader_hint(reader, "one of: cshift, eoshift_scalar, eoshift_array, eoshift_0, eoshift_1");
}

void cm_step_array_shift_expect_boundary(const struct cm_workload *workload,
                                         struct cm_reader *reader, struct cm_json object,
                                         const struct cm_step_array_shift *shift)
{
    bool scalar = shift->type == CM_SHIFT_EOSHIFT_SCALAR;
    struct cm_json json;
    if (!cm_reader_ok(reader))
        return;
    if (!scalar && shift->type != CM_SHIFT_EOSHIFT_ARRAY) {
        if (!cm_json_member(object, "boundary", &json))
            return;
        cm_reader_fail(reader, json, "%s takes no boundary", cm_shift_type_name(shift->type));
        cm_reader_hint(reader, "eoshift_scalar and eoshift_array do");
        return;
    }
    json = cm_read_member(reader, object, "boundary");
    if (scalar && shift->boundary.array != CM_NO_ARRAY) {
        cm_reader_fail(reader, json, "boundary \"%s\" is an array, expected a number or a scalar",
                       workload->arrays[shift->boundary.array].name);
        cm_reader_hint(reader, "eoshift_array takes an array");
    }
    if (!scalar && shift->boundary.array == CM_NO_ARRAY &&
        cm_workload_array_now(workload, shift->src)->rank > 1) {
        cm_reader_fail(reader, json, "boundary is one number, expected the name of an array");
        cm_reader_hint(reader, "eoshift_scalar takes a number or a scalar");
    }
    cm_step_array_shift_check_boundary(workload, reader, shift);
}

enum cm_status cm_step_array_shift_make(struct cm_run *run,
                                        const struct cm_step_array_shift *shifts, uint32_t count,
                                        struct cm_shift **made, struct cm_error *err)
{
    enum cm_type type = cm_run_array_of(run, shifts[0].src)->layout.type;
    enum cm_status status = CM_OK;
    *made = cm_run_allocate(run, count, sizeof **made, err);
    if (*made == NULL)
        return CM_NO_MEMORY;
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        const struct cm_step_array_shift *from = &shifts[i];
        const struct cm_workload_value *boundary = &from->boundary;
        status = cm_run_expect_layout(run, from->src, shifts[0].src, err);
        if (status == CM_OK)
            status = cm_run_expect_layout(run, from->dst, shifts[0].src, err);
        if (status == CM_OK)
            status = cm_run_expect_constant(run, boundary, "a boundary", err);
        (*made)[i] = (struct cm_shift){
            .type = from->type,
            .axis = (uint32_t)from->dim - 1,
            .distance = from->distance,
            .path = from->path,
            .dst = cm_run_array_of(run, from->dst),
            .src = cm_run_array_of(run, from->src),
            .boundary_scalar = cm_scalar_make(type, boundary->number.re, boundary->number.im),
            .boundary_array = boundary->array == CM_NO_ARRAY ? NULL : run->arrays[boundary->array],
        };
    }
    return status;
}

/* Computes the element that a shift moves in at the end, for a boundary that is not an array. */
static void boundary_element(const struct cm_step_array_shift *shift, enum cm_type type,
                             void *element)
{
    static const struct cm_number one = {.re = 1};
    /* The boundary's number is zero unless the shift names a boundary. */
    cm_init_element(type, shift->type == CM_SHIFT_EOSHIFT_1 ? &one : &shift->boundary.number,
                    element);
}

bool cm_step_array_shift_has_formula(const struct cm_step_array_shift *shifts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (shifts[i].boundary.array != CM_NO_ARRAY)
            return false;
    return true;
}

bool cm_step_array_shift_has_formula_one(const struct cm_workload_step *step)
{
    return cm_step_array_shift_has_formula(step->own, 1);
}

/* Checks the destinations by formulas. All shifts read their sources as they were before the
 * call. */
static enum cm_status check_formulas(struct cm_run *run, const struct cm_run_step *step,
                                     const struct cm_step_array_shift *shifts, uint32_t count,
                                     struct cm_step_result *result, struct cm_error *err)
{
    struct cm_formula after[CM_PSHIFT_MAX];
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < count; i++) {
        after[i] = run->formulas[shifts[i].src.number];
        struct cm_formula_shift *last = &after[i].shifts[after[i].count++];
        *last = (struct cm_formula_shift){.axis = (uint32_t)shifts[i].dim - 1,
                                          .distance = shifts[i].distance,
                                          .circular = shifts[i].type == CM_SHIFT_CSHIFT};
        boundary_element(&shifts[i], after[i].type, last->boundary);
    }
    for (uint32_t i = 0; i < count; i++)
        run->formulas[shifts[i].dst.number] = after[i];
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = cm_run_check_formula(run, step, shifts[i].dst.number, result, err);
    return status;
}

static enum cm_status evaluate(struct cm_run *run, const struct cm_step_array_shift *shift,
                               const struct cm_reference_array *src, struct cm_error *err)
{
    unsigned char element[16];
    struct cm_reference_boundary boundary = {
        .circular = shift->type == CM_SHIFT_CSHIFT,
        .bytes = element,
    };
    if (shift->boundary.array != CM_NO_ARRAY) {
        boundary.bytes = run->reference[shift->boundary.array].elements;
        boundary.is_array = true;
    } else {
        boundary_element(shift, src->type, element);
    }
    return cm_reference_shift(&run->reference[shift->dst.number], src, (uint32_t)shift->dim - 1,
                              shift->distance, &boundary, err);
}

static bool is_destination(const struct cm_step_array_shift *shifts, uint32_t count, uint32_t array,
                           uint32_t except)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i != except && shifts[i].dst.number == array)
            return true;
    }
    return false;
}

/* Evaluates simultaneous shifts directly. Each shift reads its source as it was before the call,
 * even if another shift overwrites it. */
static enum cm_status evaluate_all(struct cm_run *run, const struct cm_step_array_shift *shifts,
                                   uint32_t count, struct cm_error *err)
{
    struct cm_reference_array sources[CM_PSHIFT_MAX];
    void *copies[CM_PSHIFT_MAX] = {NULL};
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        uint32_t src = shifts[i].src.number;
        sources[i] = run->reference[src];
        if (is_destination(shifts, count, src, i)) {
            copies[i] = sources[i].elements = cm_run_copy_elements(&sources[i], err);
            status = copies[i] == NULL ? CM_NO_MEMORY : CM_OK;
        }
    }
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = evaluate(run, &shifts[i], &sources[i], err);
    for (uint32_t i = 0; i < count; i++)
        free(copies[i]);
    return status;
}

enum cm_status cm_step_array_shift_check(struct cm_run *run, const struct cm_run_step *step,
                                         const struct cm_step_array_shift *shifts, uint32_t count,
                                         struct cm_step_result *result, struct cm_error *err)
{
    if (run->formulas != NULL)
        return check_formulas(run, step, shifts, count, result, err);
    enum cm_status status = evaluate_all(run, shifts, count, err);
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = cm_run_check_array(run, step, shifts[i].dst.number, 0, result, err);
    return status;
}

enum cm_status cm_step_array_shift_prepare(struct cm_run *run, struct cm_run_step *step,
                                           struct cm_error *err)
{
    struct cm_shift **shift = step->state;
    const struct cm_step_array_shift *own = step->step->own;
    enum cm_status status = cm_step_array_shift_make(run, own, 1, shift, err);
    if (own->path == CM_PATH_ROUTER)
        step->path = "router";
    return status == CM_OK ? cm_runtime_prepare(run->system, *shift, err) : status;
}

enum cm_status cm_step_array_shift_run(struct cm_run *run, struct cm_run_step *step,
                                       struct cm_error *err)
{
    struct cm_shift **shift = step->state;
    return cm_runtime_shift(run->system, *shift, err);
}

enum cm_status cm_step_array_shift_check_one(struct cm_run *run, const struct cm_run_step *step,
                                             struct cm_step_result *result, struct cm_error *err)
{
    return cm_step_array_shift_check(run, step, step->step->own, 1, result, err);
}
