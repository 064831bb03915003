/* Reading workloads: arrays on meshes, and steps of FFT communication. */
#include "workload_private.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const mesh_keys[] = {"shape", "mapping", "local", "code"};
static const char *const fft_keys[] = {"array", "dims",   "order",      "transform",
                                       "input", "output", "decimation", "stepwise"};
#define TRANSFORM_KEYS 3u /* of fft_keys, the first that only a transform has */
static const char *const broadcast_keys[] = {"array", "dims", "order", "from"};
static const char *const order_names[] = {"post", "pre"};
static const char *const direction_names[] = {"forward", "inverse"};
static const char *const ordering_names[] = {"natural", "bit-reversed"};

static enum cm_status read_mesh_shape(struct cm_json json, struct cm_fft_request *request,
                                      struct cm_error *err)
{
    enum cm_status status = cm_json_expect(json, CM_JSON_ARRAY, "the shape of a mesh", err);
    uint32_t count = cm_json_count(json);
    if (status == CM_OK && (count == 0 || count > CM_FFT_AXES_MAX)) {
        cm_json_error(json, err, "the mesh has %" PRIu32 " dimensions, expected 1 to %u", count,
                      CM_FFT_AXES_MAX);
        return cm_error_hint(err, "one node is the mesh [1]");
    }
    request->mesh_rank = count;
    for (uint32_t i = 0; status == CM_OK && i < count; i++)
        status = cm_json_u64(cm_json_at(json, i, NULL), "the length of a mesh axis", 1,
                             UINT64_C(1) << 62, &request->mesh_shape[i], err);
    return status;
}

static enum cm_status read_mesh_options(struct cm_json object, struct cm_fft_request *request,
                                        struct cm_error *err)
{
    const char *locals[CM_FFT_LOCAL_COUNT], *codes[CM_FFT_CODE_COUNT], *text;
    struct cm_json json;
    uint32_t found = 0;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < CM_FFT_LOCAL_COUNT; i++)
        locals[i] = cm_fft_local_name((enum cm_fft_local)i);
    for (uint32_t i = 0; i < CM_FFT_CODE_COUNT; i++)
        codes[i] = cm_fft_code_name((enum cm_fft_code)i);
    if (cm_json_member(object, "mapping", &json)) {
        status = cm_json_string(json, "mapping", &text, err);
        if (status == CM_OK && cm_fft_permutation_read(text, request, err) != CM_OK)
            return cm_workload_place(json, err);
    }
    if (status == CM_OK && cm_json_member(object, "local", &json)) {
        status = cm_json_enum(json, "local", locals, CM_FFT_LOCAL_COUNT, &found, err);
        request->local = (enum cm_fft_local)found;
    }
    if (status == CM_OK && cm_json_member(object, "code", &json)) {
        status = cm_json_enum(json, "code", codes, CM_FFT_CODE_COUNT, &found, err);
        request->code = (enum cm_fft_code)found;
    }
    return status;
}

enum cm_status cm_workload_read_mesh(struct cm_workload_array *array, struct cm_json object,
                                     struct cm_error *err)
{
    static const char *const others[] = {"axes", "weights", "encoding", "processor_dimensions"};
    struct cm_fft_request request = {.rank = array->request.rank};
    struct cm_json json;
    enum cm_status status = cm_json_keys(object, "mesh", mesh_keys, 4, err);
    for (size_t i = 0; status == CM_OK && i < sizeof others / sizeof *others; i++) {
        if (!cm_json_member(array->json, others[i], &json))
            continue;
        cm_json_error(json, err, "\"%s\" lies on a mesh, which leaves nothing to %s", array->name,
                      others[i]);
        return cm_error_hint(err, "leave out one of them");
    }
    for (uint32_t a = 0; a < request.rank; a++)
        request.shape[a] = array->request.shape[a];
    if (status == CM_OK)
        status = cm_json_require(object, "shape", &array->mesh_json, err);
    if (status == CM_OK)
        status = read_mesh_shape(array->mesh_json, &request, err);
    if (status == CM_OK)
        status = read_mesh_options(object, &request, err);
    if (status != CM_OK)
        return status;
    array->allocated = array->meshed = true;
    if (cm_fft_mapping_create(&request, &array->mapping, err) == CM_OK)
        return CM_OK;
    return cm_workload_place(array->mesh_json, err);
}

/* Dimensions from 1, as a bit each from 0. */
static enum cm_status read_dims(struct cm_json json, uint32_t rank, uint64_t *axes,
                                struct cm_error *err)
{
    enum cm_status status = cm_json_expect(json, CM_JSON_ARRAY, "dims", err);
    *axes = 0;
    if (status == CM_OK && cm_json_count(json) == 0) {
        cm_json_error(json, err, "dims is empty: there is no dimension to work along");
        return cm_error_hint(err, "leave it out for all dimensions");
    }
    for (uint32_t i = 0; status == CM_OK && i < cm_json_count(json); i++) {
        struct cm_json entry = cm_json_at(json, i, NULL);
        uint64_t dim = 1;
        status = cm_json_u64(entry, "a dimension", 1, rank, &dim, err);
        if (status == CM_OK && *axes >> (dim - 1) & 1)
            return cm_json_error(entry, err, "dimension %" PRIu64 " is listed twice", dim);
        *axes |= UINT64_C(1) << (dim - 1);
    }
    return status;
}

/* An index, from 1 in each dimension. */
static enum cm_status read_source(struct cm_json json, const struct cm_layout_request *now,
                                  uint64_t *source, struct cm_error *err)
{
    enum cm_status status = cm_json_expect(json, CM_JSON_ARRAY, "from", err);
    if (status == CM_OK && cm_json_count(json) != now->rank)
        return cm_json_error(json, err,
                             "from is a list of %" PRIu32
                             ", expected an index for each dimension: %" PRIu32,
                             cm_json_count(json), now->rank);
    for (uint32_t a = 0; status == CM_OK && a < now->rank; a++) {
        uint64_t index = 1;
        status = cm_json_u64(cm_json_at(json, a, NULL), "an index", 1, now->shape[a], &index, err);
        source[a] = index - 1;
    }
    return status;
}

/* What a mapping can be made of: an array on a mesh, or one that lies canonically at this step. */
static enum cm_status expect_mapping(const struct cm_workload_array *array, struct cm_json json,
                                     struct cm_error *err)
{
    if (array->meshed || (!array->allocated && !array->displaced))
        return CM_OK;
    cm_json_error(json, err, "\"%s\" lies neither on a mesh nor in its canonical layout here",
                  array->name);
    return cm_error_hint(err, "give the array a \"mesh\", or reshape it back consistently");
}

static enum cm_status read_choice(struct cm_json object, const char *key, const char *const *names,
                                  bool *second, struct cm_error *err)
{
    struct cm_json json;
    uint32_t found = 0;
    enum cm_status status = CM_OK;
    if (cm_json_member(object, key, &json))
        status = cm_json_enum(json, key, names, 2, &found, err);
    *second = found == 1;
    return status;
}

/* In place, one side of a transform is natural when the other is bit-reversed; which one the order
 * says. */
static enum cm_status check_orderings(struct cm_json object, const struct cm_workload_fft *fft,
                                      struct cm_error *err)
{
    bool post = fft->order == CM_FFT_POSTMORPHISM;
    struct cm_json json = object;
    if (post ? !fft->output_reversed : !fft->input_reversed)
        return CM_OK;
    cm_json_member(object, post ? "output" : "input", &json);
    cm_json_error(json, err, "a %smorphism has its %s in natural order", post ? "post" : "pre",
                  post ? "output" : "input");
    return cm_error_hint(err, "bit-reversed %s: \"order\": \"%s\"", post ? "output" : "input",
                         post ? "pre" : "post");
}

static enum cm_status read_transform(struct cm_json object, struct cm_json transform,
                                     const struct cm_workload_array *array,
                                     struct cm_workload_fft *fft, struct cm_error *err)
{
    const char *decimations[CM_FFT_DECIMATION_COUNT];
    struct cm_json json;
    uint32_t found = CM_FFT_DECIMATION_AUTO;
    enum cm_type type = array->request.type;
    enum cm_status status = read_choice(object, "transform", direction_names, &fft->inverse, err);
    for (uint32_t i = 0; i < CM_FFT_DECIMATION_COUNT; i++)
        decimations[i] = cm_fft_decimation_name((enum cm_fft_decimation)i);
    fft->transform = true;
    if (status == CM_OK && type != CM_TYPE_COMPLEX64 && type != CM_TYPE_COMPLEX128) {
        cm_json_error(transform, err, "\"%s\" is %s, expected a complex array to transform",
                      array->name, cm_type_name(type));
        return cm_error_hint(err, "complex64 or complex128; without \"transform\" any type will "
                                  "do, for the communication alone");
    }
    if (status == CM_OK)
        status = read_choice(object, "input", ordering_names, &fft->input_reversed, err);
    if (status == CM_OK)
        status = read_choice(object, "output", ordering_names, &fft->output_reversed, err);
    if (status == CM_OK && cm_json_member(object, "decimation", &json))
        status =
            cm_json_enum(json, "decimation", decimations, CM_FFT_DECIMATION_COUNT, &found, err);
    fft->decimation = (enum cm_fft_decimation)found;
    if (status == CM_OK && cm_json_member(object, "stepwise", &json))
        status = cm_json_bool(json, "stepwise", &fft->stepwise, err);
    return status == CM_OK ? check_orderings(object, fft, err) : status;
}

/* The transform, if there is one; what only a transform has, if there is none. */
static enum cm_status read_arithmetic(struct cm_json object, const struct cm_workload_array *array,
                                      struct cm_workload_fft *fft, struct cm_error *err)
{
    struct cm_json json;
    if (cm_json_member(object, "transform", &json))
        return read_transform(object, json, array, fft, err);
    for (size_t i = TRANSFORM_KEYS; i < sizeof fft_keys / sizeof *fft_keys; i++) {
        if (!cm_json_member(object, fft_keys[i], &json))
            continue;
        cm_json_error(json, err, "%s is for transforms, and this step is the communication alone",
                      fft_keys[i]);
        return cm_error_hint(err, "add \"transform\": \"forward\" or \"inverse\"");
    }
    return CM_OK;
}

enum cm_status cm_workload_read_fft(struct cm_workload *workload, struct cm_json object,
                                    struct cm_workload_step *step, struct cm_error *err)
{
    bool broadcast = step->kind == CM_STEP_BROADCAST;
    struct cm_json json;
    uint32_t found = 0;
    enum cm_status status =
        broadcast ? cm_json_keys(object, "broadcast", broadcast_keys, 4, err)
                  : cm_json_keys(object, "fft", fft_keys, sizeof fft_keys / sizeof *fft_keys, err);
    step->fft = calloc(1, sizeof *step->fft);
    if (step->fft == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    if (status == CM_OK)
        status = cm_json_require(object, "array", &step->dst_json, err);
    if (status == CM_OK)
        status = cm_workload_read_array_name(workload, step->dst_json, "array", &step->dst, err);
    if (status != CM_OK)
        return status;
    const struct cm_workload_array *array = &workload->arrays[step->dst];
    status = expect_mapping(array, step->dst_json, err);
    step->fft->axes = CM_FFT_ALL_AXES;
    if (status == CM_OK && cm_json_member(object, "dims", &json))
        status = read_dims(json, array->now.rank, &step->fft->axes, err);
    if (status == CM_OK && cm_json_member(object, "order", &json))
        status = cm_json_enum(json, "order", order_names, 2, &found, err);
    step->fft->order = found == 0 ? CM_FFT_POSTMORPHISM : CM_FFT_PREMORPHISM;
    if (status == CM_OK && !broadcast)
        status = read_arithmetic(object, array, step->fft, err);
    if (status == CM_OK && broadcast && cm_json_member(object, "from", &json))
        status = read_source(json, &array->now, step->fft->source, err);
    return status;
}
