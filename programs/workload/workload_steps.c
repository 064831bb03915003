/* Reading workloads: steps. What can be said from shapes and types alone is said here, before
 * anything is laid out. */
#include "../../base/suggest.h"
#include "workload_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES_MAX UINT64_C(1000000000000)

const char *const cm_step_kind_names[CM_STEP_KIND_COUNT] = {
    "pshift", "cshift", "eoshift", "combine", "copy", "repeat",
    "imp",    "shift",  "route",   "reshape", "fft",  "broadcast"};

/* Beside the step's own key; only pshift takes it. */
static const char *const step_keys[] = {"pshift", "cshift",    "eoshift", "combine", "copy",
                                        "repeat", "imp",       "shift",   "route",   "reshape",
                                        "fft",    "broadcast", "setup"};
static const char *const pshift_keys[] = {"type", "dst", "src", "dim", "distance", "boundary"};
static const char *const cshift_keys[] = {"dst", "src", "dim", "distance", "path"};
static const char *const eoshift_keys[] = {"dst", "src", "dim", "distance", "path", "boundary"};
static const char *const combine_keys[] = {"dst", "terms"};
static const char *const copy_keys[] = {"dst", "src"};
static const char *const imp_keys[] = {"file", "arguments"};
static const char *const repeat_keys[] = {"times", "steps"};
static const char *const setup_names[] = {"auto", "unrolled", "looped"};
static const char *const argument_type_names[] = {"real32", "real64", "int32"};

static const struct cm_layout_request *request_of(const struct cm_workload *workload,
                                                  uint32_t array)
{
    return &workload->arrays[array].now;
}

static enum cm_status read_array_member(const struct cm_workload *workload, struct cm_json object,
                                        const char *key, struct cm_json *json, uint32_t *array,
                                        struct cm_error *err)
{
    enum cm_status status = cm_json_require(object, key, json, err);
    return status == CM_OK ? cm_workload_read_array_name(workload, *json, key, array, err) : status;
}

/* Arrays that one step works on have one shape and one type; that their layouts agree is checked
 * once they are laid. */
static enum cm_status expect_alike(const struct cm_workload *workload, struct cm_json json,
                                   uint32_t array, uint32_t model, struct cm_error *err)
{
    const struct cm_layout_request *a = request_of(workload, array);
    const struct cm_layout_request *m = request_of(workload, model);
    if (workload->arrays[array].allocated || workload->arrays[array].displaced) {
        cm_json_error(json, err, "\"%s\" does not lie in its canonical layout here",
                      workload->arrays[array].name);
        return cm_error_hint(err, "an array with an encoding, or after a reshape that is not "
                                  "consistent, is for reshape; one with a mesh for fft and "
                                  "broadcast");
    }
    char a_shape[200], m_shape[200];
    if (a->rank != m->rank || memcmp(a->shape, m->shape, a->rank * sizeof *a->shape) != 0) {
        cm_json_error(
            json, err, "\"%s\" has shape %s, but \"%s\" has %s", workload->arrays[array].name,
            cm_shape_text(a->shape, a->rank, a_shape, sizeof a_shape), workload->arrays[model].name,
            cm_shape_text(m->shape, m->rank, m_shape, sizeof m_shape));
    } else if (a->type != m->type) {
        cm_json_error(json, err, "\"%s\" is %s, but \"%s\" is %s", workload->arrays[array].name,
                      cm_type_name(a->type), workload->arrays[model].name, cm_type_name(m->type));
    } else {
        return CM_OK;
    }
    return cm_error_hint(err,
                         "arrays of one step need one shape, type and layout; {\"like\": \"%s\"} "
                         "makes another such array",
                         workload->arrays[model].name);
}

static enum cm_status read_dim(const struct cm_workload *workload, struct cm_json object,
                               struct cm_workload_shift *shift, struct cm_error *err)
{
    struct cm_json json;
    uint64_t dim;
    uint32_t rank = request_of(workload, shift->src)->rank;
    enum cm_status status = cm_json_require(object, "dim", &json, err);
    if (status == CM_OK)
        status = cm_json_u64(json, "dim", 0, UINT64_MAX, &dim, err);
    if (status != CM_OK)
        return status;
    if (dim < 1 || dim > rank) {
        cm_json_error(json, err, "dim is %" PRIu64 ", but \"%s\" has %" PRIu32 " dimension%s", dim,
                      workload->arrays[shift->src].name, rank, rank == 1 ? "" : "s");
        return cm_error_hint(err, "dims count from 1");
    }
    shift->axis = (uint32_t)dim - 1;
    return CM_OK;
}

static enum cm_status read_shift_basics(const struct cm_workload *workload, struct cm_json object,
                                        struct cm_workload_shift *shift, struct cm_error *err)
{
    struct cm_json json;
    shift->json = object;
    enum cm_status status =
        read_array_member(workload, object, "dst", &shift->dst_json, &shift->dst, err);
    if (status == CM_OK)
        status = read_array_member(workload, object, "src", &shift->src_json, &shift->src, err);
    if (status == CM_OK)
        status = expect_alike(workload, shift->dst_json, shift->dst, shift->src, err);
    if (status == CM_OK)
        status = read_dim(workload, object, shift, err);
    if (status == CM_OK)
        status = cm_json_require(object, "distance", &json, err);
    if (status == CM_OK)
        status = cm_json_i64(json, "distance", INT64_MIN, INT64_MAX, &shift->distance, err);
    shift->boundary.array = CM_NO_ARRAY;
    return status;
}

/* The boundary array has the source's type and its shape with the shifted axis left out. */
static enum cm_status check_boundary_array(const struct cm_workload *workload,
                                           const struct cm_workload_shift *shift,
                                           struct cm_error *err)
{
    const struct cm_layout_request *src = request_of(workload, shift->src);
    const struct cm_workload_array *array = &workload->arrays[shift->boundary.array];
    uint64_t wanted[CM_RANK_MAX];
    uint32_t rank = 0;
    char found_text[200], wanted_text[200];
    for (uint32_t a = 0; a < src->rank; a++) {
        if (a != shift->axis)
            wanted[rank++] = src->shape[a];
    }
    if (rank == 0) {
        cm_json_error(shift->boundary.json, err,
                      "the boundary of an array of rank one is one element, but \"%s\" is an array",
                      array->name);
        return cm_error_hint(err, "write a number or the name of a scalar");
    }
    if (array->request.rank != rank ||
        memcmp(array->request.shape, wanted, rank * sizeof *wanted) != 0) {
        cm_json_error(
            shift->boundary.json, err, "boundary \"%s\" has shape %s, expected %s", array->name,
            cm_shape_text(array->request.shape, array->request.rank, found_text, sizeof found_text),
            cm_shape_text(wanted, rank, wanted_text, sizeof wanted_text));
        return cm_error_hint(err, "the shape of \"%s\" with dim %" PRIu32 " left out",
                             workload->arrays[shift->src].name, shift->axis + 1);
    }
    if (array->request.type != src->type)
        return cm_json_error(shift->boundary.json, err, "boundary \"%s\" is %s, but \"%s\" is %s",
                             array->name, cm_type_name(array->request.type),
                             workload->arrays[shift->src].name, cm_type_name(src->type));
    return CM_OK;
}

static enum cm_status check_boundary(const struct cm_workload *workload,
                                     const struct cm_workload_shift *shift, struct cm_error *err)
{
    if (shift->boundary.array != CM_NO_ARRAY)
        return check_boundary_array(workload, shift, err);
    return cm_workload_check_number(shift->boundary.json, &shift->boundary.number,
                                    request_of(workload, shift->src)->type, "boundary", err);
}

/* A boundary must be there for eoshift_scalar and eoshift_array, of the right kind, and for nothing
 * else. */
static enum cm_status read_pshift_boundary(const struct cm_workload *workload,
                                           struct cm_json object, struct cm_workload_shift *shift,
                                           struct cm_error *err)
{
    bool scalar = shift->type == CM_SHIFT_EOSHIFT_SCALAR;
    struct cm_json json;
    if (!scalar && shift->type != CM_SHIFT_EOSHIFT_ARRAY) {
        if (!cm_json_member(object, "boundary", &json))
            return CM_OK;
        cm_json_error(json, err, "%s takes no boundary", cm_shift_type_name(shift->type));
        return cm_error_hint(err, "eoshift_scalar and eoshift_array do");
    }
    enum cm_status status = cm_json_require(object, "boundary", &json, err);
    if (status == CM_OK)
        status = cm_workload_read_value(workload, json, "boundary", &shift->boundary, err);
    if (status != CM_OK)
        return status;
    if (scalar && shift->boundary.array != CM_NO_ARRAY) {
        cm_json_error(json, err, "boundary \"%s\" is an array, expected a number or a scalar",
                      workload->arrays[shift->boundary.array].name);
        return cm_error_hint(err, "eoshift_array takes an array");
    }
    if (!scalar && shift->boundary.array == CM_NO_ARRAY &&
        request_of(workload, shift->src)->rank > 1) {
        cm_json_error(json, err, "boundary is one number, expected the name of an array");
        return cm_error_hint(err, "eoshift_scalar takes a number or a scalar");
    }
    return check_boundary(workload, shift, err);
}

/* "eoshift", the name of the step, is what people try first: the kind with a boundary is meant. */
static enum cm_status read_shift_type(struct cm_json json, uint32_t *type, struct cm_error *err)
{
    const char *names[CM_SHIFT_TYPE_COUNT];
    const char *name;
    for (uint32_t i = 0; i < CM_SHIFT_TYPE_COUNT; i++)
        names[i] = cm_shift_type_name((enum cm_shift_type)i);
    enum cm_status status = cm_json_string(json, "type", &name, err);
    if (status != CM_OK)
        return status;
    if (strcmp(name, "eoshift") == 0)
        status = cm_json_error(json, err, "unknown type \"eoshift\"; did you mean \"%s\"?",
                               cm_shift_type_name(CM_SHIFT_EOSHIFT_SCALAR));
    else
        status = cm_json_enum(json, "type", names, CM_SHIFT_TYPE_COUNT, type, err);
    if (status != CM_OK)
        cm_error_hint(err, "one of: %s, %s, %s, %s, %s", names[0], names[1], names[2], names[3],
                      names[4]);
    return status;
}

static enum cm_status read_pshift_one(const struct cm_workload *workload, struct cm_json object,
                                      struct cm_workload_shift *shift, struct cm_error *err)
{
    struct cm_json json;
    uint32_t type = 0;
    enum cm_status status = cm_json_keys(object, "a shift", pshift_keys, 6, err);
    if (status == CM_OK)
        status = cm_json_require(object, "type", &json, err);
    if (status == CM_OK)
        status = read_shift_type(json, &type, err);
    if (status == CM_OK)
        status = read_shift_basics(workload, object, shift, err);
    if (status != CM_OK)
        return status;
    shift->type = (enum cm_shift_type)type;
    return read_pshift_boundary(workload, object, shift, err);
}

/* All shifts of a call work on one layout; a result must not be overwritten, nor change what
 * another shift reads. */
static enum cm_status check_pshift_arrays(const struct cm_workload *workload,
                                          const struct cm_workload_step *step, struct cm_error *err)
{
    for (uint32_t i = 0; i < step->shift_count; i++) {
        const struct cm_workload_shift *shift = &step->shifts[i];
        enum cm_status status =
            expect_alike(workload, shift->src_json, shift->src, step->shifts[0].src, err);
        if (status != CM_OK)
            return status;
        for (uint32_t k = 0; k < i; k++) {
            if (step->shifts[k].dst != shift->dst)
                continue;
            cm_json_error(shift->dst_json, err,
                          "\"%s\" is the destination of two shifts of one pshift",
                          workload->arrays[shift->dst].name);
            return cm_error_hint(err, "give each shift a destination of its own");
        }
    }
    return CM_OK;
}

static enum cm_status allocate_shifts(struct cm_workload_step *step, uint32_t count,
                                      struct cm_error *err)
{
    step->shifts = calloc(count, sizeof *step->shifts);
    if (step->shifts == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    step->shift_count = count;
    return CM_OK;
}

static enum cm_status read_pshift(struct cm_workload *workload, struct cm_json list,
                                  struct cm_workload_step *step, struct cm_error *err)
{
    struct cm_json json;
    enum cm_status status = cm_json_expect(list, CM_JSON_ARRAY, "pshift", err);
    uint32_t count = cm_json_count(list);
    if (status == CM_OK && (count == 0 || count > CM_PSHIFT_MAX))
        status = cm_json_error(list, err, "pshift has %" PRIu32 " shifts, expected 1 to %u", count,
                               CM_PSHIFT_MAX);
    if (status == CM_OK)
        status = allocate_shifts(step, count, err);
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = read_pshift_one(workload, cm_json_at(list, i, NULL), &step->shifts[i], err);
    if (status == CM_OK)
        status = check_pshift_arrays(workload, step, err);
    if (status == CM_OK && cm_json_member(step->json, "setup", &json)) {
        uint32_t setup;
        status = cm_json_enum(json, "setup", setup_names, 3, &setup, err);
        if (status == CM_OK)
            step->setup = (enum cm_setup_kind)setup;
    }
    return status;
}

static enum cm_status read_path(struct cm_json object, struct cm_workload_shift *shift,
                                struct cm_error *err)
{
    const char *names[CM_PATH_COUNT];
    struct cm_json json;
    uint32_t path = CM_PATH_EXCHANGE;
    for (uint32_t i = 0; i < CM_PATH_COUNT; i++)
        names[i] = cm_shift_path_name((enum cm_shift_path)i);
    enum cm_status status = CM_OK;
    if (cm_json_member(object, "path", &json))
        status = cm_json_enum(json, "path", names, CM_PATH_COUNT, &path, err);
    shift->path = (enum cm_shift_path)path;
    return status;
}

static enum cm_status read_cshift(struct cm_workload *workload, struct cm_json object,
                                  struct cm_workload_step *step, struct cm_error *err)
{
    enum cm_status status = cm_json_keys(object, "cshift", cshift_keys, 5, err);
    if (status == CM_OK)
        status = allocate_shifts(step, 1, err);
    if (status == CM_OK)
        status = read_shift_basics(workload, object, &step->shifts[0], err);
    if (status == CM_OK)
        step->shifts[0].type = CM_SHIFT_CSHIFT;
    return status == CM_OK ? read_path(object, &step->shifts[0], err) : status;
}

static enum cm_status read_eoshift(struct cm_workload *workload, struct cm_json object,
                                   struct cm_workload_step *step, struct cm_error *err)
{
    struct cm_json json;
    enum cm_status status = cm_json_keys(object, "eoshift", eoshift_keys, 6, err);
    if (status == CM_OK)
        status = allocate_shifts(step, 1, err);
    if (status == CM_OK)
        status = read_shift_basics(workload, object, &step->shifts[0], err);
    if (status == CM_OK)
        status = read_path(object, &step->shifts[0], err);
    if (status != CM_OK)
        return status;
    struct cm_workload_shift *shift = &step->shifts[0];
    shift->type = CM_SHIFT_EOSHIFT_0;
    if (!cm_json_member(object, "boundary", &json))
        return CM_OK;
    status = cm_workload_read_value(workload, json, "boundary", &shift->boundary, err);
    if (status != CM_OK)
        return status;
    shift->type =
        shift->boundary.array == CM_NO_ARRAY ? CM_SHIFT_EOSHIFT_SCALAR : CM_SHIFT_EOSHIFT_ARRAY;
    return check_boundary(workload, shift, err);
}

static enum cm_status read_term(const struct cm_workload *workload,
                                const struct cm_workload_step *step, struct cm_json json,
                                struct cm_workload_term *term, struct cm_error *err)
{
    if (cm_json_kind(json) != CM_JSON_ARRAY || cm_json_count(json) != 2) {
        cm_json_error(json, err, "a term is %s, expected [coefficient, \"array\"]",
                      cm_json_kind(json) == CM_JSON_ARRAY ? "a list of another length"
                                                          : cm_json_kind_name(cm_json_kind(json)));
        return cm_error_hint(err, "for the array itself: [1, \"array\"]");
    }
    struct cm_json coefficient = cm_json_at(json, 0, NULL);
    term->array_json = cm_json_at(json, 1, NULL);
    if (cm_json_kind(term->array_json) != CM_JSON_STRING) {
        cm_json_error(term->array_json, err,
                      "the second entry of a term is %s, expected the name of an array",
                      cm_json_kind_name(cm_json_kind(term->array_json)));
        return cm_error_hint(err, "a term is [coefficient, \"array\"]");
    }
    enum cm_status status =
        cm_workload_read_value(workload, coefficient, "the coefficient", &term->coefficient, err);
    if (status == CM_OK && term->coefficient.array != CM_NO_ARRAY)
        status = expect_alike(workload, coefficient, term->coefficient.array, step->dst, err);
    else if (status == CM_OK)
        status =
            cm_workload_check_number(coefficient, &term->coefficient.number,
                                     request_of(workload, step->dst)->type, "the coefficient", err);
    if (status == CM_OK)
        status =
            cm_workload_read_array_name(workload, term->array_json, "a term", &term->array, err);
    if (status == CM_OK)
        status = expect_alike(workload, term->array_json, term->array, step->dst, err);
    return status;
}

static enum cm_status read_combine(struct cm_workload *workload, struct cm_json object,
                                   struct cm_workload_step *step, struct cm_error *err)
{
    struct cm_json terms;
    enum cm_status status = cm_json_keys(object, "combine", combine_keys, 2, err);
    if (status == CM_OK)
        status = read_array_member(workload, object, "dst", &step->dst_json, &step->dst, err);
    if (status == CM_OK && request_of(workload, step->dst)->type == CM_TYPE_LOGICAL)
        status = cm_json_error(step->dst_json, err,
                               "\"%s\" is logical, and combine adds and multiplies numbers",
                               workload->arrays[step->dst].name);
    if (status == CM_OK)
        status = cm_json_require(object, "terms", &terms, err);
    if (status == CM_OK)
        status = cm_json_expect(terms, CM_JSON_ARRAY, "terms", err);
    if (status != CM_OK)
        return status;
    uint32_t count = cm_json_count(terms);
    if (count == 0 || count > CM_TERMS_MAX)
        return cm_json_error(terms, err, "combine has %" PRIu32 " terms, expected 1 to %u", count,
                             CM_TERMS_MAX);
    step->terms = calloc(count, sizeof *step->terms);
    if (step->terms == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    step->term_count = count;
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = read_term(workload, step, cm_json_at(terms, i, NULL), &step->terms[i], err);
    return status;
}

static enum cm_status read_copy(struct cm_workload *workload, struct cm_json object,
                                struct cm_workload_step *step, struct cm_error *err)
{
    enum cm_status status = cm_json_keys(object, "copy", copy_keys, 2, err);
    if (status == CM_OK)
        status = read_array_member(workload, object, "dst", &step->dst_json, &step->dst, err);
    if (status != CM_OK)
        return status;
    step->terms = calloc(1, sizeof *step->terms);
    if (step->terms == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    step->term_count = 1;
    struct cm_workload_term *term = &step->terms[0];
    term->coefficient.array = CM_NO_ARRAY;
    status = read_array_member(workload, object, "src", &term->array_json, &term->array, err);
    if (status == CM_OK)
        status = expect_alike(workload, term->array_json, term->array, step->dst, err);
    return status;
}

/* An argument: an array's name, a scalar's name, a number, or {"int32": 5} to say how its bits are
 * written. */
static enum cm_status read_argument(const struct cm_workload *workload, struct cm_json json,
                                    struct cm_workload_argument *argument, struct cm_error *err)
{
    enum cm_status status;
    if (cm_json_kind(json) != CM_JSON_OBJECT) {
        status = cm_workload_read_value(workload, json, "an argument", &argument->value, err);
    } else {
        const char *key;
        status = cm_json_keys(json, "an argument", argument_type_names, 3, err);
        if (status == CM_OK && cm_json_count(json) != 1)
            status = cm_json_error(json, err, "an argument has %" PRIu32 " keys, expected one",
                                   cm_json_count(json));
        if (status != CM_OK)
            return status;
        struct cm_json inner = cm_json_at(json, 0, &key);
        status = cm_workload_read_value(workload, inner, key, &argument->value, err);
        for (uint32_t i = 0; i < 3; i++) {
            if (strcmp(key, argument_type_names[i]) == 0)
                argument->type = (enum cm_argument_type)(i + CM_ARGUMENT_REAL32);
        }
        if (status == CM_OK && argument->value.array != CM_NO_ARRAY)
            status = cm_json_error(inner, err, "\"%s\" is an array, expected a number or a scalar",
                                   workload->arrays[argument->value.array].name);
    }
    if (status == CM_OK && argument->value.array == CM_NO_ARRAY && argument->value.number.complex) {
        cm_json_error(json, err, "an argument of an IMP is one number, not [re, im]");
        return cm_error_hint(err, "pass the two parts as two arguments");
    }
    return status;
}

static enum cm_status read_imp(struct cm_workload *workload, struct cm_json object,
                               struct cm_workload_step *step, struct cm_error *err)
{
    struct cm_json list;
    enum cm_status status = cm_json_keys(object, "imp", imp_keys, 2, err);
    if (status == CM_OK)
        status = cm_json_require(object, "file", &step->imp_file_json, err);
    if (status == CM_OK)
        status = cm_json_string(step->imp_file_json, "file", &step->imp_file, err);
    if (status == CM_OK && step->imp_file[0] == '\0')
        status = cm_json_error(step->imp_file_json, err, "file is empty, expected a path");
    step->arguments_json = object;
    if (status != CM_OK || !cm_json_member(object, "arguments", &list))
        return status;
    step->arguments_json = list;
    status = cm_json_expect(list, CM_JSON_OBJECT, "arguments", err);
    uint32_t count = cm_json_count(list);
    if (status != CM_OK || count == 0)
        return status;
    step->arguments = calloc(count, sizeof *step->arguments);
    if (step->arguments == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    step->argument_count = count;
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        struct cm_workload_argument *argument = &step->arguments[i];
        status = read_argument(workload, cm_json_at(list, i, &argument->name), argument, err);
    }
    return status;
}

/* The arrays of a route step: blocks of "array" go to "dst". */
static enum cm_status read_route_arrays(const struct cm_workload *workload, struct cm_json object,
                                        struct cm_network_step *route, struct cm_error *err)
{
    enum cm_status status =
        read_array_member(workload, object, "array", &route->array_json, &route->array, err);
    if (status == CM_OK)
        status = read_array_member(workload, object, "dst", &route->dst_json, &route->dst, err);
    return status == CM_OK ? expect_alike(workload, route->dst_json, route->dst, route->array, err)
                           : status;
}

/* A shift makes its own messages; a route may have arrays. */
static enum cm_status read_network(struct cm_workload *workload, struct cm_json object,
                                   struct cm_workload_step *step, struct cm_error *err)
{
    step->network = calloc(1, sizeof *step->network);
    if (step->network == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    if (step->kind == CM_STEP_SHIFT)
        return cm_network_read_shift(object, step->network, err);
    enum cm_status status = cm_network_read_route(object, step->network, err);
    return status == CM_OK && step->network->has_array
               ? read_route_arrays(workload, object, step->network, err)
               : status;
}

static enum cm_status read_list(struct cm_workload *workload, struct cm_json list,
                                struct cm_workload_step **steps, uint32_t *count,
                                struct cm_error *err);

static enum cm_status read_times(struct cm_json json, uint64_t *times, struct cm_error *err)
{
    enum cm_status status = cm_json_u64(json, "times", 0, TIMES_MAX, times, err);
    if (status != CM_OK || *times > 0)
        return status;
    cm_json_error(json, err, "times is 0, expected an integer from 1 to %" PRIu64, TIMES_MAX);
    return cm_error_hint(err, "to skip the steps, leave the repeat out");
}

static enum cm_status read_repeat(struct cm_workload *workload, struct cm_json object,
                                  struct cm_workload_step *step, struct cm_error *err)
{
    struct cm_json json;
    struct cm_workload_shapes *shapes = NULL;
    enum cm_status status = cm_json_keys(object, "repeat", repeat_keys, 2, err);
    if (status == CM_OK)
        status = cm_json_require(object, "times", &json, err);
    if (status == CM_OK)
        status = read_times(json, &step->times, err);
    if (status == CM_OK)
        status = cm_json_require(object, "steps", &json, err);
    if (status == CM_OK)
        status = cm_workload_shapes_note(workload, &shapes, err);
    if (status == CM_OK)
        status = read_list(workload, json, &step->steps, &step->step_count, err);
    if (status == CM_OK && step->step_count == 0)
        status = cm_json_error(json, err, "there is nothing to repeat: steps is empty");
    if (status == CM_OK)
        status = cm_workload_shapes_expect(workload, shapes, json, err);
    free(shapes);
    return status;
}

/* Keeps the place of the unknown key, and says which steps there are. */
static enum cm_status describe_unknown_step(struct cm_json json, enum cm_status status,
                                            struct cm_error *err)
{
    if (err == NULL)
        return status;
    for (uint32_t i = 0; i < cm_json_count(json); i++) {
        const char *key;
        bool known = false;
        cm_json_at(json, i, &key);
        for (size_t k = 0; k < CM_STEP_KIND_COUNT + 1; k++)
            known = known || strcmp(key, step_keys[k]) == 0;
        if (known)
            continue;
        const char *near = cm_suggest(key, step_keys, CM_STEP_KIND_COUNT + 1);
        snprintf(err->message, sizeof err->message, "unknown step \"%.64s\"%s%s%s", key,
                 near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                 near != NULL ? "\"?" : "");
        break;
    }
    cm_error_hint(err,
                  "this version knows the steps pshift, cshift, eoshift, combine, copy, repeat, "
                  "imp, shift, route, reshape, fft and broadcast");
    return status;
}

/* Which kind of step it is; a key that is none gets the list of those there are. */
static enum cm_status read_kind(struct cm_json json, uint32_t *kind, struct cm_error *err)
{
    enum cm_status status = cm_json_expect(json, CM_JSON_OBJECT, "a step", err);
    if (status != CM_OK)
        return status;
    status = cm_json_keys(json, "a step", step_keys, CM_STEP_KIND_COUNT + 1, err);
    if (status != CM_OK)
        return describe_unknown_step(json, status, err);
    uint32_t found = 0;
    *kind = CM_STEP_KIND_COUNT;
    for (uint32_t i = 0; i < CM_STEP_KIND_COUNT; i++) {
        struct cm_json ignored;
        if (!cm_json_member(json, cm_step_kind_names[i], &ignored))
            continue;
        if (found++ > 0) {
            cm_json_error(json, err, "a step is one thing, but this one has both %s and %s",
                          cm_step_kind_names[*kind], cm_step_kind_names[i]);
            return cm_error_hint(err, "make two steps of it");
        }
        *kind = i;
    }
    if (found == 0) {
        cm_json_error(json, err, "a step says nothing to do");
        return cm_error_hint(err,
                             "one of pshift, cshift, eoshift, combine, copy, repeat, imp, shift, "
                             "route, reshape, fft, broadcast");
    }
    struct cm_json setup;
    if (*kind != CM_STEP_PSHIFT && cm_json_member(json, "setup", &setup)) {
        cm_json_error(setup, err, "%s takes no setup", cm_step_kind_names[*kind]);
        return cm_error_hint(err, "only pshift does");
    }
    return CM_OK;
}

static enum cm_status remember_where(struct cm_workload_step *step, struct cm_error *err)
{
    size_t length = cm_json_path(step->json, NULL, 0);
    step->where = malloc(length + 1);
    if (step->where == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    cm_json_path(step->json, step->where, length + 1);
    return CM_OK;
}

static enum cm_status read_step(struct cm_workload *workload, struct cm_json json,
                                struct cm_workload_step *step, struct cm_error *err)
{
    static enum cm_status (*const readers[CM_STEP_KIND_COUNT])(
        struct cm_workload *, struct cm_json, struct cm_workload_step *, struct cm_error *) = {
        [CM_STEP_PSHIFT] = read_pshift,
        [CM_STEP_CSHIFT] = read_cshift,
        [CM_STEP_EOSHIFT] = read_eoshift,
        [CM_STEP_COMBINE] = read_combine,
        [CM_STEP_COPY] = read_copy,
        [CM_STEP_REPEAT] = read_repeat,
        [CM_STEP_IMP] = read_imp,
        [CM_STEP_SHIFT] = read_network,
        [CM_STEP_ROUTE] = read_network,
        [CM_STEP_RESHAPE] = cm_workload_read_reshape,
        [CM_STEP_FFT] = cm_workload_read_fft,
        [CM_STEP_BROADCAST] = cm_workload_read_fft,
    };
    struct cm_json body;
    uint32_t kind;
    step->json = json;
    step->times = 1;
    if (workload->steps_total >= CM_WORKLOAD_STEPS_MAX) {
        cm_json_error(json, err, "there are more than %u steps", CM_WORKLOAD_STEPS_MAX);
        return cm_error_hint(err, "use repeat");
    }
    workload->steps_total++;
    enum cm_status status = read_kind(json, &kind, err);
    if (status == CM_OK)
        status = remember_where(step, err);
    if (status != CM_OK)
        return status;
    step->kind = (enum cm_step_kind)kind;
    if (step->kind != CM_STEP_REPEAT)
        step->leaf = workload->leaf_count++;
    status = cm_json_require(json, cm_step_kind_names[kind], &body, err);
    return status == CM_OK ? readers[kind](workload, body, step, err) : status;
}

static enum cm_status read_list(struct cm_workload *workload, struct cm_json list,
                                struct cm_workload_step **steps, uint32_t *count,
                                struct cm_error *err)
{
    enum cm_status status = cm_json_expect(list, CM_JSON_ARRAY, "steps", err);
    uint32_t length = cm_json_count(list);
    if (status != CM_OK || length == 0)
        return status;
    if (length > CM_WORKLOAD_STEPS_MAX) {
        cm_json_error(list, err, "there are more than %u steps", CM_WORKLOAD_STEPS_MAX);
        return cm_error_hint(err, "use repeat");
    }
    *steps = calloc(length, sizeof **steps);
    if (*steps == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    *count = length;
    for (uint32_t i = 0; status == CM_OK && i < length; i++)
        status = read_step(workload, cm_json_at(list, i, NULL), &(*steps)[i], err);
    return status;
}

enum cm_status cm_workload_read_steps(struct cm_workload *workload, struct cm_json steps,
                                      struct cm_error *err)
{
    return read_list(workload, steps, &workload->steps, &workload->step_count, err);
}

void cm_workload_steps_destroy(struct cm_workload_step *steps, uint32_t count)
{
    for (uint32_t i = 0; steps != NULL && i < count; i++) {
        cm_workload_steps_destroy(steps[i].steps, steps[i].step_count);
        free(steps[i].shifts);
        free(steps[i].terms);
        free(steps[i].arguments);
        if (steps[i].network != NULL)
            free(steps[i].network->rates);
        free(steps[i].network);
        free(steps[i].reshape);
        free(steps[i].fft);
        free(steps[i].where);
    }
    free(steps);
}
