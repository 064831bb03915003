/* Reading workloads: arrays, how they begin, scalars, and the names and numbers by which steps
 * refer to them. */
#include "../../base/suggest.h"
#include "workload_private.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_MAX (UINT64_C(1) << 62)

static const char *const array_keys[] = {
    "shape", "type", "axes", "weights", "like", "init", "encoding", "processor_dimensions", "mesh"};
static const char *const init_keys[] = {"index", "constant", "random", "npy"};

const char *cm_shape_text(const uint64_t *shape, uint32_t rank, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    if (rank == 0)
        snprintf(buffer, size, "()");
    for (uint32_t i = 0; rank > 0 && i <= rank && used < size; i++) {
        int n = i == rank
                    ? snprintf(buffer + used, size - used, ")")
                    : snprintf(buffer + used, size - used, "%s%" PRIu64, i ? ", " : "(", shape[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    return buffer;
}

uint32_t cm_workload_find_array(const struct cm_workload *workload, const char *name)
{
    for (uint32_t i = 0; i < workload->array_count; i++) {
        if (strcmp(workload->arrays[i].name, name) == 0)
            return i;
    }
    return CM_NO_ARRAY;
}

static const struct cm_workload_scalar *find_scalar(const struct cm_workload *workload,
                                                    const char *name)
{
    for (uint32_t i = 0; i < workload->scalar_count; i++) {
        if (strcmp(workload->scalars[i].name, name) == 0)
            return &workload->scalars[i];
    }
    return NULL;
}

/* The nearest name among arrays and, when asked, scalars. */
static const char *suggest_name(const struct cm_workload *workload, const char *name, bool scalars)
{
    const char *names[CM_WORKLOAD_ARRAYS_MAX + CM_WORKLOAD_SCALARS_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < workload->array_count; i++)
        names[count++] = workload->arrays[i].name;
    for (uint32_t i = 0; scalars && i < workload->scalar_count; i++)
        names[count++] = workload->scalars[i].name;
    return cm_suggest(name, names, count);
}

const char *cm_workload_suggest_array(const struct cm_workload *workload, const char *name)
{
    return suggest_name(workload, name, false);
}

enum cm_status cm_workload_read_array_name(const struct cm_workload *workload, struct cm_json json,
                                           const char *what, uint32_t *array, struct cm_error *err)
{
    const char *name;
    enum cm_status status = cm_json_string(json, what, &name, err);
    if (status != CM_OK)
        return status;
    *array = cm_workload_find_array(workload, name);
    if (*array != CM_NO_ARRAY)
        return CM_OK;
    cm_json_error(json, err, "%s names \"%.64s\", but there is no such array", what, name);
    const char *near = cm_workload_suggest_array(workload, name);
    if (near != NULL)
        cm_error_hint(err, "did you mean \"%s\"?", near);
    else if (find_scalar(workload, name) != NULL)
        cm_error_hint(err, "\"%.64s\" is a scalar; an array is wanted here", name);
    else
        cm_error_hint(err, "declare it under \"arrays\"");
    return CM_BAD_INPUT;
}

enum cm_status cm_workload_read_number(struct cm_json json, const char *what,
                                       struct cm_number *number, struct cm_error *err)
{
    *number = (struct cm_number){0};
    if (cm_json_kind(json) == CM_JSON_NUMBER)
        return cm_json_f64(json, what, &number->re, err);
    if (cm_json_kind(json) != CM_JSON_ARRAY)
        return cm_json_error(json, err, "%s is %s, expected a number or [re, im]", what,
                             cm_json_kind_name(cm_json_kind(json)));
    if (cm_json_count(json) != 2)
        return cm_json_error(json, err,
                             "%s is a list of %" PRIu32 ", expected a number or [re, im]", what,
                             cm_json_count(json));
    number->complex = true;
    enum cm_status status =
        cm_json_f64(cm_json_at(json, 0, NULL), "the real part", &number->re, err);
    if (status == CM_OK)
        status = cm_json_f64(cm_json_at(json, 1, NULL), "the imaginary part", &number->im, err);
    return status;
}

enum cm_status cm_workload_read_value(const struct cm_workload *workload, struct cm_json json,
                                      const char *what, struct cm_workload_value *value,
                                      struct cm_error *err)
{
    *value = (struct cm_workload_value){.json = json, .array = CM_NO_ARRAY};
    enum cm_json_kind kind = cm_json_kind(json);
    if (kind == CM_JSON_NUMBER || kind == CM_JSON_ARRAY)
        return cm_workload_read_number(json, what, &value->number, err);
    if (kind != CM_JSON_STRING)
        return cm_json_error(json, err,
                             "%s is %s, expected a number, [re, im], or the name of a "
                             "scalar or an array",
                             what, cm_json_kind_name(kind));
    const char *name;
    enum cm_status status = cm_json_string(json, what, &name, err);
    if (status != CM_OK)
        return status;
    const struct cm_workload_scalar *scalar = find_scalar(workload, name);
    if (scalar != NULL) {
        value->number = scalar->number;
        return CM_OK;
    }
    value->array = cm_workload_find_array(workload, name);
    if (value->array != CM_NO_ARRAY)
        return CM_OK;
    cm_json_error(json, err, "%s names \"%.64s\", but there is no such scalar or array", what,
                  name);
    const char *near = suggest_name(workload, name, true);
    if (near != NULL)
        return cm_error_hint(err, "did you mean \"%s\"?", near);
    return cm_error_hint(err, "declare it under \"scalars\" or \"arrays\", or write the number");
}

enum cm_status cm_workload_check_number(struct cm_json json, const struct cm_number *number,
                                        enum cm_type type, const char *what, struct cm_error *err)
{
    bool complex = type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
    double limit = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64 ? (double)FLT_MAX : DBL_MAX;
    if (number->complex && !complex) {
        cm_json_error(json, err, "%s is complex, but the array's type is %s", what,
                      cm_type_name(type));
        return cm_error_hint(err, "write one number, or use complex64 or complex128");
    }
    if (type == CM_TYPE_INT32 &&
        (number->re != floor(number->re) || number->re < INT32_MIN || number->re > INT32_MAX))
        return cm_json_error(json, err,
                             "%s is %.17g, but int32 holds integers from -2147483648 to 2147483647",
                             what, number->re);
    if (type == CM_TYPE_LOGICAL && number->re != 0 && number->re != 1)
        return cm_json_error(json, err, "%s is %.17g, but logical holds 0 (false) or 1 (true)",
                             what, number->re);
    if (fabs(number->re) > limit || fabs(number->im) > limit)
        return cm_json_error(json, err, "%s is too large for %s, which ends at %.8g", what,
                             cm_type_name(type), limit);
    return CM_OK;
}

/* Names stand in "ARRAY=FILE" and in messages, so they are words. */
static enum cm_status check_name(struct cm_json json, const char *name, const char *what,
                                 struct cm_error *err)
{
    size_t length = strlen(name);
    bool good = length >= 1 && length < sizeof((struct cm_array *)0)->name;
    for (size_t i = 0; good && i < length; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        good = letter || (i > 0 && ((c >= '0' && c <= '9') || c == '-' || c == '.'));
    }
    if (good)
        return CM_OK;
    cm_json_error(json, err, "\"%.80s\" cannot be the name of %s", name, what);
    return cm_error_hint(err, "1 to 63 letters, digits, _, - and ., the first a letter or _");
}

enum cm_status cm_workload_read_shape(struct cm_layout_request *request, struct cm_json json,
                                      struct cm_error *err)
{
    enum cm_status status = cm_json_expect(json, CM_JSON_ARRAY, "shape", err);
    if (status != CM_OK)
        return status;
    request->rank = cm_json_count(json);
    if (request->rank < 1 || request->rank > CM_RANK_MAX) {
        cm_json_error(json, err, "shape has %" PRIu32 " axes, expected 1 to %u", request->rank,
                      CM_RANK_MAX);
        return cm_error_hint(err, "one length for each axis, as in [64, 64]");
    }
    uint64_t elements = 1;
    for (uint32_t i = 0; i < request->rank; i++) {
        struct cm_json length = cm_json_at(json, i, NULL);
        status =
            cm_json_u64(length, "the length of an axis", 1, LENGTH_MAX, &request->shape[i], err);
        if (status != CM_OK)
            return status;
        if (request->shape[i] > LENGTH_MAX / elements)
            return cm_json_error(json, err,
                                 "the shape is too large: it has more than 2^62 elements");
        elements *= request->shape[i];
        request->orders[i] = CM_ORDER_NEWS;
        request->weights[i] = 1;
    }
    return CM_OK;
}

static enum cm_status read_type(struct cm_workload_array *array, struct cm_json json,
                                struct cm_error *err)
{
    const char *names[CM_TYPE_COUNT];
    uint32_t type;
    for (uint32_t i = 0; i < CM_TYPE_COUNT; i++)
        names[i] = cm_type_name((enum cm_type)i);
    enum cm_status status = cm_json_enum(json, "type", names, CM_TYPE_COUNT, &type, err);
    if (status == CM_OK)
        array->request.type = (enum cm_type)type;
    return status;
}

/* `axes` and `weights` have one entry an axis. */
static enum cm_status expect_rank(const struct cm_workload_array *array, struct cm_json json,
                                  const char *what, struct cm_error *err)
{
    enum cm_status status = cm_json_expect(json, CM_JSON_ARRAY, what, err);
    if (status != CM_OK || cm_json_count(json) == array->request.rank)
        return status;
    return cm_json_error(json, err,
                         "%s is a list of %" PRIu32 ", expected one entry for each axis: %" PRIu32,
                         what, cm_json_count(json), array->request.rank);
}

static enum cm_status read_axes(struct cm_workload_array *array, struct cm_json json,
                                struct cm_error *err)
{
    const char *names[CM_ORDER_COUNT];
    for (uint32_t i = 0; i < CM_ORDER_COUNT; i++)
        names[i] = cm_order_name((enum cm_order)i);
    enum cm_status status = expect_rank(array, json, "axes", err);
    for (uint32_t i = 0; status == CM_OK && i < array->request.rank; i++) {
        uint32_t order;
        status = cm_json_enum(cm_json_at(json, i, NULL), "axis order", names, CM_ORDER_COUNT,
                              &order, err);
        if (status == CM_OK)
            array->request.orders[i] = (enum cm_order)order;
    }
    return status;
}

static enum cm_status read_weights(struct cm_workload_array *array, struct cm_json json,
                                   struct cm_error *err)
{
    enum cm_status status = expect_rank(array, json, "weights", err);
    for (uint32_t i = 0; status == CM_OK && i < array->request.rank; i++) {
        uint64_t weight;
        status = cm_json_u64(cm_json_at(json, i, NULL), "the weight of an axis", 1, UINT32_MAX,
                             &weight, err);
        if (status == CM_OK)
            array->request.weights[i] = (uint32_t)weight;
    }
    return status;
}

static enum cm_status read_request(struct cm_workload_array *array, struct cm_error *err)
{
    struct cm_json json;
    enum cm_status status = cm_json_require(array->json, "shape", &json, err);
    if (status == CM_OK) {
        array->shape = json;
        status = cm_workload_read_shape(&array->request, json, err);
    }
    if (status == CM_OK)
        status = cm_json_require(array->json, "type", &json, err);
    if (status == CM_OK)
        status = read_type(array, json, err);
    if (status == CM_OK && cm_json_member(array->json, "axes", &json))
        status = read_axes(array, json, err);
    if (status == CM_OK && cm_json_member(array->json, "weights", &json))
        status = read_weights(array, json, err);
    return status == CM_OK ? cm_workload_read_allocation(array, err) : status;
}

static enum cm_status read_init_index(struct cm_json json, struct cm_error *err)
{
    bool index;
    enum cm_status status = cm_json_bool(json, "index", &index, err);
    if (status != CM_OK || index)
        return status;
    cm_json_error(json, err, "index is false, expected true");
    return cm_error_hint(err, "leave \"init\" out for zeros");
}

static enum cm_status read_init(struct cm_workload_array *array, struct cm_json json,
                                struct cm_error *err)
{
    struct cm_init *init = &array->init;
    enum cm_status status = cm_json_keys(json, "init", init_keys, 4, err);
    if (status != CM_OK)
        return status;
    if (cm_json_count(json) != 1) {
        cm_json_error(json, err, "init has %" PRIu32 " keys, expected one", cm_json_count(json));
        return cm_error_hint(err, "one of index, constant, random, npy; no init means zeros");
    }
    const char *key;
    init->json = cm_json_at(json, 0, &key);
    if (strcmp(key, "index") == 0) {
        init->kind = CM_INIT_INDEX;
        return read_init_index(init->json, err);
    }
    if (strcmp(key, "random") == 0) {
        init->kind = CM_INIT_RANDOM;
        return cm_json_u64(init->json, "the seed", 0, UINT64_MAX, &init->seed, err);
    }
    if (strcmp(key, "npy") == 0) {
        init->kind = CM_INIT_NPY;
        status = cm_json_string(init->json, "npy", &init->path, err);
        if (status == CM_OK && init->path[0] == '\0')
            status = cm_json_error(init->json, err, "npy is empty, expected the path of a file");
        return status;
    }
    init->kind = CM_INIT_CONSTANT;
    return cm_workload_read_number(init->json, "constant", &init->constant, err);
}

/* The name that an array is like; NULL when it stands for itself. */
static enum cm_status read_like(const struct cm_workload_array *array, const char **like,
                                struct cm_json *like_json, struct cm_error *err)
{
    *like = NULL;
    if (!cm_json_member(array->json, "like", like_json))
        return CM_OK;
    for (uint32_t i = 0; i < cm_json_count(array->json); i++) {
        const char *key;
        struct cm_json json = cm_json_at(array->json, i, &key);
        if (strcmp(key, "like") != 0 && strcmp(key, "init") != 0) {
            cm_json_error(json, err, "array \"%s\" has both like and %s", array->name, key);
            return cm_error_hint(err, "like takes shape, type, axes and weights from the other "
                                      "array; only init may stand beside it");
        }
    }
    return cm_json_string(*like_json, "like", like, err);
}

/* Follows "like" to an array that describes itself; a walk longer than there are arrays goes
 * round. */
static enum cm_status resolve_like(struct cm_workload *workload, struct cm_workload_array *array,
                                   struct cm_error *err)
{
    const struct cm_workload_array *other = array;
    struct cm_json place = array->json;
    for (uint32_t hops = 0; hops <= workload->array_count; hops++) {
        const char *like;
        struct cm_json json;
        enum cm_status status = read_like(other, &like, &json, err);
        if (status != CM_OK)
            return status;
        if (like == NULL) {
            array->request = array->now = other->request;
            array->allocated = other->allocated;
            array->encoding = other->encoding;
            array->processor_rule = other->processor_rule;
            array->processor_list = other->processor_list;
            array->meshed = other->meshed;
            array->mesh_json = other->mesh_json;
            array->mapping = other->mapping;
            array->shape = other == array ? array->shape : place;
            return CM_OK;
        }
        if (other == array)
            place = json;
        uint32_t index;
        status = cm_workload_read_array_name(workload, json, "like", &index, err);
        if (status != CM_OK)
            return status;
        other = &workload->arrays[index];
    }
    cm_json_error(place, err, "array \"%s\" is like itself, in a circle", array->name);
    return cm_error_hint(err, "one of the arrays needs a shape and a type of its own");
}

/* First pass: names, and the arrays that describe themselves. */
static enum cm_status read_array(struct cm_workload *workload, uint32_t index,
                                 struct cm_json arrays, struct cm_error *err)
{
    struct cm_workload_array *array = &workload->arrays[index];
    array->json = cm_json_at(arrays, index, &array->name);
    array->shape = array->json;
    enum cm_status status = check_name(array->json, array->name, "an array", err);
    if (status == CM_OK)
        status = cm_json_keys(array->json, "an array", array_keys,
                              sizeof array_keys / sizeof *array_keys, err);
    struct cm_json json;
    if (status == CM_OK && !cm_json_member(array->json, "like", &json))
        status = read_request(array, err);
    if (status == CM_OK && cm_json_member(array->json, "init", &json))
        status = read_init(array, json, err);
    return status;
}

enum cm_status cm_workload_read_arrays(struct cm_workload *workload, struct cm_json arrays,
                                       struct cm_error *err)
{
    enum cm_status status = cm_json_expect(arrays, CM_JSON_OBJECT, "arrays", err);
    uint32_t count = cm_json_count(arrays);
    if (status != CM_OK || count == 0)
        return status;
    if (count > CM_WORKLOAD_ARRAYS_MAX)
        return cm_json_error(arrays, err, "there are %" PRIu32 " arrays, expected at most %u",
                             count, CM_WORKLOAD_ARRAYS_MAX);
    workload->arrays = calloc(count, sizeof *workload->arrays);
    if (workload->arrays == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        status = read_array(workload, i, arrays, err);
    }
    if (status != CM_OK)
        return status;
    workload->array_count = count;
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        struct cm_workload_array *array = &workload->arrays[i];
        status = resolve_like(workload, array, err);
        if (status == CM_OK && array->init.kind == CM_INIT_CONSTANT)
            status = cm_workload_check_number(array->init.json, &array->init.constant,
                                              array->request.type, "constant", err);
    }
    return status;
}

enum cm_status cm_workload_read_scalars(struct cm_workload *workload, struct cm_json scalars,
                                        struct cm_error *err)
{
    enum cm_status status = cm_json_expect(scalars, CM_JSON_OBJECT, "scalars", err);
    uint32_t count = cm_json_count(scalars);
    if (status != CM_OK || count == 0)
        return status;
    if (count > CM_WORKLOAD_SCALARS_MAX)
        return cm_json_error(scalars, err, "there are %" PRIu32 " scalars, expected at most %u",
                             count, CM_WORKLOAD_SCALARS_MAX);
    workload->scalars = calloc(count, sizeof *workload->scalars);
    if (workload->scalars == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        struct cm_workload_scalar *scalar = &workload->scalars[i];
        scalar->json = cm_json_at(scalars, i, &scalar->name);
        status = check_name(scalar->json, scalar->name, "a scalar", err);
        if (status == CM_OK && cm_workload_find_array(workload, scalar->name) != CM_NO_ARRAY)
            status = cm_json_error(scalar->json, err, "\"%s\" is the name of an array already",
                                   scalar->name);
        if (status == CM_OK)
            status = cm_workload_read_number(scalar->json, "a scalar", &scalar->number, err);
        if (status == CM_OK)
            workload->scalar_count = i + 1;
    }
    return status;
}
