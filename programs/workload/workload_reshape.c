/* Reading workloads: allocations of arrays, and reshape steps. */
#include "workload_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const reshape_keys[] = {"array", "shape",    "algorithm", "consistent",
                                           "order", "encoding", "start"};
static const char *const encoding_names[] = {"gray", "binary", "mixed"};
static const char *const rule_names[] = {"high", "canonical"};

static enum cm_status read_encoding(struct cm_json json, enum cm_encoding *encoding,
                                    struct cm_error *err)
{
    uint32_t found;
    enum cm_status status =
        cm_json_enum(json, "encoding", encoding_names, CM_ENCODING_COUNT, &found, err);
    if (status == CM_OK)
        *encoding = (enum cm_encoding)found;
    return status;
}

static enum cm_status read_dimension(struct cm_json json, const char *what, uint32_t *dimension,
                                     struct cm_error *err)
{
    uint64_t found;
    enum cm_status status = cm_json_u64(json, what, 0, CM_LOGIC_DIMENSIONS_MAX - 1, &found, err);
    if (status == CM_OK)
        *dimension = (uint32_t)found;
    return status;
}

static enum cm_status read_processor_dimensions(struct cm_workload_array *array,
                                                struct cm_json json, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    uint32_t rule;
    if (cm_json_kind(json) != CM_JSON_ARRAY) {
        status = cm_json_enum(json, "processor_dimensions", rule_names, 2, &rule, err);
        if (status == CM_OK)
            array->processor_rule = (enum cm_processor_rule)rule;
        return status;
    }
    array->processor_rule = CM_PROCESSOR_LIST;
    for (uint32_t i = 0; status == CM_OK && i < cm_json_count(json); i++) {
        uint32_t d = 0;
        struct cm_json entry = cm_json_at(json, i, NULL);
        status = read_dimension(entry, "a processor dimension", &d, err);
        if (status == CM_OK && (array->processor_list >> d & 1))
            status = cm_json_error(entry, err, "dimension %" PRIu32 " is listed twice", d);
        array->processor_list |= UINT64_C(1) << d;
    }
    return status;
}

enum cm_status cm_workload_read_allocation(struct cm_workload_array *array, struct cm_error *err)
{
    struct cm_json json;
    enum cm_status status = CM_OK;
    if (cm_json_member(array->json, "encoding", &json)) {
        array->allocated = true;
        status = read_encoding(json, &array->encoding, err);
    }
    if (status == CM_OK && cm_json_member(array->json, "processor_dimensions", &json)) {
        array->allocated = true;
        status = read_processor_dimensions(array, json, err);
    }
    if (status == CM_OK && cm_json_member(array->json, "mesh", &json))
        return cm_workload_read_mesh(array, json, err);
    if (status == CM_OK && array->allocated &&
        (cm_json_member(array->json, "axes", &json) ||
         cm_json_member(array->json, "weights", &json))) {
        cm_json_error(json, err,
                      "axes and weights are for the canonical layout, which \"%s\" does not have",
                      array->name);
        return cm_error_hint(err, "leave them out, or encoding and processor_dimensions");
    }
    return status;
}

static enum cm_status read_order(struct cm_json json, struct cm_workload_reshape *reshape,
                                 struct cm_error *err)
{
    enum cm_status status = cm_json_expect(json, CM_JSON_ARRAY, "order", err);
    uint32_t count = cm_json_count(json);
    if (status == CM_OK && count > CM_LOGIC_DIMENSIONS_MAX)
        return cm_json_error(json, err, "order lists %" PRIu32 " dimensions, expected at most %u",
                             count, CM_LOGIC_DIMENSIONS_MAX);
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = read_dimension(cm_json_at(json, i, NULL), "a dimension", &reshape->order[i], err);
    reshape->order_count = count;
    return status;
}

static enum cm_status read_options(struct cm_json object, struct cm_workload_reshape *reshape,
                                   struct cm_error *err)
{
    const char *names[CM_RESHAPE_ALGORITHM_COUNT];
    struct cm_json json;
    uint32_t algorithm = CM_RESHAPE_AUTO;
    enum cm_status status = CM_OK;
    for (uint32_t a = 0; a < CM_RESHAPE_ALGORITHM_COUNT; a++)
        names[a] = cm_reshape_algorithm_name((enum cm_reshape_algorithm)a);
    if (cm_json_member(object, "algorithm", &json))
        status =
            cm_json_enum(json, "algorithm", names, CM_RESHAPE_ALGORITHM_COUNT, &algorithm, err);
    reshape->algorithm = (enum cm_reshape_algorithm)algorithm;
    reshape->consistent = true;
    if (status == CM_OK && cm_json_member(object, "consistent", &json))
        status = cm_json_bool(json, "consistent", &reshape->consistent, err);
    if (status == CM_OK && cm_json_member(object, "order", &json))
        status = read_order(json, reshape, err);
    reshape->has_start = cm_json_member(object, "start", &json);
    if (status == CM_OK && reshape->has_start)
        status = read_dimension(json, "start", &reshape->start, err);
    reshape->has_encoding = cm_json_member(object, "encoding", &json);
    if (status == CM_OK && reshape->has_encoding)
        status = read_encoding(json, &reshape->encoding, err);
    return status;
}

static uint64_t size_of(const struct cm_layout_request *request)
{
    uint64_t size = 1;
    for (uint32_t a = 0; a < request->rank; a++)
        size *= request->shape[a];
    return size;
}

/* The shape afterwards, and what it is reshaped from, have one size; all axes are powers of two. */
static enum cm_status check_shapes(const struct cm_workload_array *array,
                                   const struct cm_workload_reshape *reshape, struct cm_error *err)
{
    const struct cm_layout_request *requests[2] = {&array->now, &reshape->to};
    char from[200], to[200];
    if (size_of(&array->now) != size_of(&reshape->to)) {
        cm_json_error(reshape->shape_json, err,
                      "shape %s has %" PRIu64 " elements, but \"%s\" is %s, with %" PRIu64,
                      cm_shape_text(reshape->to.shape, reshape->to.rank, to, sizeof to),
                      size_of(&reshape->to), array->name,
                      cm_shape_text(array->now.shape, array->now.rank, from, sizeof from),
                      size_of(&array->now));
        return cm_error_hint(err, "a reshape keeps the number of elements");
    }
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t a = 0; a < requests[i]->rank; a++) {
            uint64_t length = requests[i]->shape[a];
            if ((length & (length - 1)) == 0)
                continue;
            cm_json_error(reshape->shape_json, err,
                          "an axis of length %" PRIu64 " cannot be reshaped: not a power of two",
                          length);
            return cm_error_hint(err, "each bit of an index is a dimension of the cube or of "
                                      "memory, so every axis needs a length of 2^k");
        }
    return CM_OK;
}

enum cm_status cm_workload_read_reshape(struct cm_workload *workload, struct cm_json object,
                                        struct cm_workload_step *step, struct cm_error *err)
{
    struct cm_json json;
    enum cm_status status = cm_json_keys(object, "reshape", reshape_keys,
                                         sizeof reshape_keys / sizeof *reshape_keys, err);
    step->reshape = calloc(1, sizeof *step->reshape);
    if (step->reshape == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    struct cm_workload_reshape *reshape = step->reshape;
    if (status == CM_OK)
        status = cm_json_require(object, "array", &step->dst_json, err);
    if (status == CM_OK)
        status = cm_workload_read_array_name(workload, step->dst_json, "array", &step->dst, err);
    if (status == CM_OK)
        status = cm_json_require(object, "shape", &json, err);
    if (status != CM_OK)
        return status;
    struct cm_workload_array *array = &workload->arrays[step->dst];
    if (array->meshed) {
        cm_json_error(step->dst_json, err, "\"%s\" lies on a mesh, which reshape does not know",
                      array->name);
        return cm_error_hint(err, "reshape an array without \"mesh\"");
    }
    reshape->shape_json = json;
    status = cm_workload_read_shape(&reshape->to, json, err);
    reshape->to.type = array->request.type;
    if (status == CM_OK)
        status = read_options(object, reshape, err);
    if (status == CM_OK)
        status = check_shapes(array, reshape, err);
    if (status == CM_OK && reshape->has_encoding && !array->allocated && reshape->consistent) {
        cm_json_error(object, err, "the canonical layout of \"%s\" has its own encoding",
                      array->name);
        return cm_error_hint(err, "\"consistent\": false, or an encoding for the array");
    }
    if (status == CM_OK && reshape->has_encoding && array->allocated)
        array->displaced = true; /* a later reshape starts from where it lies */
    array->now = reshape->to;
    array->displaced = !reshape->consistent;
    return status;
}

struct cm_workload_shapes {
    struct cm_layout_request now;
    bool displaced;
};

enum cm_status cm_workload_shapes_note(const struct cm_workload *workload,
                                       struct cm_workload_shapes **shapes, struct cm_error *err)
{
    *shapes = calloc(workload->array_count + 1u, sizeof **shapes);
    if (*shapes == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < workload->array_count; i++)
        (*shapes)[i] = (struct cm_workload_shapes){.now = workload->arrays[i].now,
                                                   .displaced = workload->arrays[i].displaced};
    return CM_OK;
}

enum cm_status cm_workload_shapes_expect(const struct cm_workload *workload,
                                         const struct cm_workload_shapes *shapes,
                                         struct cm_json json, struct cm_error *err)
{
    for (uint32_t i = 0; i < workload->array_count; i++) {
        const struct cm_workload_array *array = &workload->arrays[i];
        const struct cm_layout_request *before = &shapes[i].now, *after = &array->now;
        if (before->rank == after->rank && shapes[i].displaced == array->displaced &&
            memcmp(before->shape, after->shape, before->rank * sizeof *before->shape) == 0)
            continue;
        cm_json_error(json, err,
                      "\"%s\" lies otherwise after these steps than before, so they cannot repeat",
                      array->name);
        return cm_error_hint(err, "reshape it back, consistently, at the end of the steps");
    }
    return CM_OK;
}
