/* Reader of arrays (shape, layout, first values) and scalars. */
#include "workload_private.h"

#include <inttypes.h>
#include <string.h>

#define LENGTH_MAX (UINT64_C(1) << 62)

const char *const cm_workload_encoding_names[] = {"gray", "binary", "mixed", NULL};

static const char *const init_keys[] = {"index", "constant", "random", "npy"};
static const char *const rule_names[] = {"high", "canonical"};

CM_NAMES_OF(type_name, cm_type_name, enum cm_type)
CM_NAMES_OF(local_name, cm_fft_local_name, enum cm_fft_local)
CM_NAMES_OF(code_name, cm_fft_code_name, enum cm_fft_code)

const struct cm_key cm_workload_array_keys[] = {
    CM_KEY_FORM("shape", "list of lengths", "lengths",
                "the length of each axis, the first index varying fastest"),
    CM_KEY(NAME, "type", struct cm_workload_array, request.type, "of an element",
           .max = CM_TYPE_COUNT - 1, .name_of = type_name),
    CM_KEY_FORM("axes", "list of news, send, serial", "orders",
                "the order of each axis on the nodes", .otherwise = "all news"),
    CM_KEY_FORM("weights", "list of integers", "weights",
                "an axis with a larger weight is kept longer within a node", .otherwise = "all 1"),
    CM_KEY_FORM("like", "name of an array", "name",
                "another array whose shape, type and layout it takes"),
    CM_KEY_FORM(
        "init",
        "one of {\"index\": true}, {\"constant\": x}, {\"random\": seed}, {\"npy\": \"FILE\"}",
        "init", "the first values", .otherwise = "zeros"),
    CM_KEY(NAME, "encoding", struct cm_workload_array, encoding, "the code of the axes' addresses",
           .names = cm_workload_encoding_names, .otherwise = "the canonical layout"),
    CM_KEY_FORM("processor_dimensions", "high, canonical or a list of dimensions",
                "processor_dimensions", "which bits of an element's number are bits of the node",
                .otherwise = "high with an encoding, else the canonical layout"),
    CM_KEY_FORM("mesh", "object", "mesh",
                "maps the array to a mesh of nodes, for fft and broadcast"),
};
const uint32_t cm_workload_array_key_count = CM_COUNT_OF(cm_workload_array_keys);

const struct cm_key cm_workload_mesh_keys[] = {
    CM_KEY_FORM("shape", "list of lengths", "lengths", "nodes along each axis of the mesh",
                .required = true),
    CM_KEY_FORM("mapping", "identical, shuffle, bits:LIST or random:SEED", "mapping",
                "how the bits of an index become bits of mesh coordinates",
                .otherwise = "identical"),
    CM_KEY(NAME, "local", struct cm_fft_request, local, "which bits stay within a node",
           .max = CM_FFT_LOCAL_COUNT - 1, .name_of = local_name),
    CM_KEY(NAME, "code", struct cm_fft_request, code, "how a mesh axis is coded on the cube",
           .max = CM_FFT_CODE_COUNT - 1, .name_of = code_name),
};
const uint32_t cm_workload_mesh_key_count = CM_COUNT_OF(cm_workload_mesh_keys);

/* Refuses a name that is not a word. Names of arrays and scalars are used in "ARRAY=FILE" and in
 * messages. */
static void check_name(struct cm_reader *reader, struct cm_json json, const char *name,
                       const char *what)
{
    size_t length = strlen(name);
    bool good = length >= 1 && length < sizeof((struct cm_array *)0)->name;
    for (size_t i = 0; good && i < length; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        good = letter || (i > 0 && ((c >= '0' && c <= '9') || c == '-' || c == '.'));
    }
    if (good)
        return;
    cm_reader_fail(reader, json, "\"%.80s\" cannot be the name of %s", name, what);
    cm_reader_hint(reader, "1 to 63 letters, digits, _, - and ., the first a letter or _");
}

void cm_workload_read_shape(struct cm_reader *reader, struct cm_json json,
                            struct cm_layout_request *request)
{
    uint64_t elements = 1;
    cm_read_kind(reader, json, CM_JSON_ARRAY, "shape");
    if (!cm_reader_ok(reader))
        return;
    request->rank = cm_json_count(json);
    if (request->rank < 1 || request->rank > CM_RANK_MAX) {
        cm_reader_fail(reader, json, "shape has %" PRIu32 " axes, expected 1 to %u", request->rank,
                       CM_RANK_MAX);
        cm_reader_hint(reader, "one length for each axis, as in [64, 64]");
    }
    for (uint32_t i = 0; cm_reader_ok(reader) && i < request->rank; i++) {
        uint64_t length =
            cm_read_u64(reader, cm_json_at(json, i, NULL), "the length of an axis", 1, LENGTH_MAX);
        if (length > LENGTH_MAX / elements)
            cm_reader_fail(reader, json, "the shape is too large: it has more than 2^62 elements");
        elements *= length;
        request->shape[i] = length;
        request->orders[i] = CM_ORDER_NEWS;
        request->weights[i] = 1;
    }
}

/* Refuses a list (`axes` or `weights`) that does not have one entry for each axis. Returns the
 * number of axes. */
static uint32_t expect_rank(const struct cm_workload_array *array, struct cm_reader *reader,
                            struct cm_json json, const char *what)
{
    cm_read_kind(reader, json, CM_JSON_ARRAY, what);
    if (cm_reader_ok(reader) && cm_json_count(json) != array->request.rank)
        cm_reader_fail(reader, json,
                       "%s is a list of %" PRIu32 ", expected one entry for each axis: %" PRIu32,
                       what, cm_json_count(json), array->request.rank);
    return cm_reader_ok(reader) ? array->request.rank : 0;
}

static void read_axes(struct cm_workload_array *array, struct cm_reader *reader,
                      struct cm_json json)
{
    const char *names[CM_ORDER_COUNT];
    for (uint32_t i = 0; i < CM_ORDER_COUNT; i++)
        names[i] = cm_order_name((enum cm_order)i);
    uint32_t rank = expect_rank(array, reader, json, "axes");
    for (uint32_t i = 0; i < rank; i++)
        array->request.orders[i] = (enum cm_order)cm_read_name(reader, cm_json_at(json, i, NULL),
                                                               "axis order", names, CM_ORDER_COUNT);
}

static void read_weights(struct cm_workload_array *array, struct cm_reader *reader,
                         struct cm_json json)
{
    uint32_t rank = expect_rank(array, reader, json, "weights");
    for (uint32_t i = 0; i < rank; i++)
        array->request.weights[i] = (uint32_t)cm_read_u64(reader, cm_json_at(json, i, NULL),
                                                          "the weight of an axis", 1, UINT32_MAX);
}

uint32_t cm_workload_read_dimension(struct cm_reader *reader, struct cm_json json, const char *what)
{
    return (uint32_t)cm_read_u64(reader, json, what, 0, CM_LOGIC_DIMENSIONS_MAX - 1);
}

static void read_processor_dimensions(struct cm_workload_array *array, struct cm_reader *reader,
                                      struct cm_json json)
{
    if (cm_json_kind(json) != CM_JSON_ARRAY) {
        array->processor_rule = (enum cm_processor_rule)cm_read_name(
            reader, json, "processor_dimensions", rule_names, CM_COUNT_OF(rule_names));
        return;
    }
    array->processor_rule = CM_PROCESSOR_LIST;
    for (uint32_t i = 0; cm_reader_ok(reader) && i < cm_json_count(json); i++) {
        struct cm_json entry = cm_json_at(json, i, NULL);
        uint32_t d = cm_workload_read_dimension(reader, entry, "a processor dimension");
        if (cm_reader_ok(reader) && (array->processor_list >> d & 1))
            cm_reader_fail(reader, entry, "dimension %" PRIu32 " is listed twice", d);
        array->processor_list |= UINT64_C(1) << d;
    }
}

static void read_mesh_shape(struct cm_reader *reader, struct cm_json json,
                            struct cm_fft_request *request)
{
    cm_read_kind(reader, json, CM_JSON_ARRAY, "the shape of a mesh");
    if (!cm_reader_ok(reader))
        return;
    request->mesh_rank = cm_json_count(json);
    if (request->mesh_rank == 0 || request->mesh_rank > CM_FFT_AXES_MAX) {
        cm_reader_fail(reader, json, "the mesh has %" PRIu32 " dimensions, expected 1 to %u",
                       request->mesh_rank, CM_FFT_AXES_MAX);
        cm_reader_hint(reader, "one node is the mesh [1]");
    }
    for (uint32_t i = 0; cm_reader_ok(reader) && i < request->mesh_rank; i++)
        request->mesh_shape[i] = cm_read_u64(reader, cm_json_at(json, i, NULL),
                                             "the length of a mesh axis", 1, LENGTH_MAX);
}

/* Refuses keys that choose a layout for an array that has a mesh. */
static void refuse_beside_mesh(const struct cm_workload_array *array, struct cm_reader *reader)
{
    static const char *const others[] = {"axes", "weights", "encoding", "processor_dimensions"};
    struct cm_json json;
    for (uint32_t i = 0; i < CM_COUNT_OF(others); i++) {
        if (!cm_read_optional(reader, array->json, others[i], &json))
            continue;
        cm_reader_fail(reader, json, "\"%s\" is on a mesh, so it cannot have %s", array->name,
                       others[i]);
        cm_reader_hint(reader, "leave out one of them");
    }
}

static void read_mesh(struct cm_workload *workload, struct cm_workload_array *array,
                      struct cm_reader *reader, struct cm_json object)
{
    struct cm_fft_request request = {.rank = array->request.rank};
    struct cm_json json;
    memcpy(request.shape, array->request.shape, request.rank * sizeof *request.shape);
    cm_keys_read(
        workload, reader, object,
        &(struct cm_key_table){"mesh", cm_workload_mesh_keys, CM_COUNT_OF(cm_workload_mesh_keys)},
        &request);
    refuse_beside_mesh(array, reader);
    array->mesh_json = cm_read_member(reader, object, "shape");
    read_mesh_shape(reader, array->mesh_json, &request);
    if (cm_read_optional(reader, object, "mapping", &json)) {
        const char *text = cm_read_string(reader, json, "mapping");
        if (text != NULL)
            cm_workload_take(reader, json, cm_fft_permutation_read(text, &request, reader->err));
    }
    array->allocated = array->meshed = true;
    if (cm_reader_ok(reader))
        cm_workload_take(reader, array->mesh_json,
                         cm_fft_mapping_create(&request, &array->mapping, reader->err));
}

/* Reads the keys of an allocation that replaces the canonical layout. */
static void read_allocation(struct cm_workload *workload, struct cm_workload_array *array,
                            struct cm_reader *reader)
{
    struct cm_json json;
    array->allocated = cm_read_optional(reader, array->json, "encoding", &json);
    if (cm_read_optional(reader, array->json, "processor_dimensions", &json)) {
        array->allocated = true;
        read_processor_dimensions(array, reader, json);
    }
    if (cm_read_optional(reader, array->json, "mesh", &json)) {
        read_mesh(workload, array, reader, json);
    } else if (array->allocated && (cm_read_optional(reader, array->json, "axes", &json) ||
                                    cm_read_optional(reader, array->json, "weights", &json))) {
        cm_reader_fail(reader, json,
                       "axes and weights are for the canonical layout, which \"%s\" does not have",
                       array->name);
        cm_reader_hint(reader, "leave them out, or encoding and processor_dimensions");
    }
}

static void read_request(struct cm_workload *workload, struct cm_workload_array *array,
                         struct cm_reader *reader)
{
    struct cm_json json = cm_read_member(reader, array->json, "shape");
    array->shape = json;
    cm_workload_read_shape(reader, json, &array->request);
    cm_read_member(reader, array->json, "type");
    if (cm_read_optional(reader, array->json, "axes", &json))
        read_axes(array, reader, json);
    if (cm_read_optional(reader, array->json, "weights", &json))
        read_weights(array, reader, json);
    read_allocation(workload, array, reader);
}

static void read_init(struct cm_workload *workload, struct cm_workload_array *array,
                      struct cm_reader *reader, struct cm_json json)
{
    struct cm_init *init = &array->init;
    const char *key;
    cm_read_keys(reader, json, "init", init_keys, CM_COUNT_OF(init_keys));
    if (cm_reader_ok(reader) && cm_json_count(json) != 1) {
        cm_reader_fail(reader, json, "init has %" PRIu32 " keys, expected one",
                       cm_json_count(json));
        cm_reader_hint(reader, "one of index, constant, random, npy; no init means zeros");
    }
    if (!cm_reader_ok(reader))
        return;
    init->json = cm_json_at(json, 0, &key);
    if (strcmp(key, "index") == 0) {
        init->kind = CM_INIT_INDEX;
        if (!cm_read_bool(reader, init->json, "index")) {
            cm_reader_fail(reader, init->json, "index is false, expected true");
            cm_reader_hint(reader, "leave \"init\" out for zeros");
        }
    } else if (strcmp(key, "random") == 0) {
        init->kind = CM_INIT_RANDOM;
        init->seed = cm_read_u64(reader, init->json, "the seed", 0, UINT64_MAX);
    } else if (strcmp(key, "npy") == 0) {
        init->kind = CM_INIT_NPY;
        init->file = cm_workload_read_file(workload, reader, init->json, "npy", CM_WORKLOAD_VALUES);
    } else {
        init->kind = CM_INIT_CONSTANT;
        init->constant = cm_workload_read_number(reader, init->json, "constant");
    }
}

/* Returns the name that an array gives with the key "like", and sets *json to the name's place.
 * Returns NULL if the array has no such key. */
static const char *read_like(const struct cm_workload_array *array, struct cm_reader *reader,
                             struct cm_json *json)
{
    if (!cm_read_optional(reader, array->json, "like", json))
        return NULL;
    for (uint32_t i = 0; i < cm_json_count(array->json); i++) {
        const char *key;
        struct cm_json other = cm_json_at(array->json, i, &key);
        if (strcmp(key, "like") == 0 || strcmp(key, "init") == 0)
            continue;
        cm_reader_fail(reader, other, "array \"%s\" has both like and %s", array->name, key);
        cm_reader_hint(reader, "like takes shape, type, axes and weights from the other array; "
                               "only init may be added");
    }
    return cm_read_string(reader, *json, "like");
}

/* Copies the description of the array that "like" names, except name, first values and place. */
static void take_after(struct cm_workload_array *array, const struct cm_workload_array *other)
{
    struct cm_workload_array taken = *other;
    taken.name = array->name;
    taken.json = array->json;
    taken.shape = array->shape;
    taken.init = array->init;
    taken.now = other->request;
    *array = taken;
}

/* Follows the names that arrays give with the key "like" to an array without this key. More hops
 * than there are arrays mean a cycle. */
static void resolve_like(struct cm_workload *workload, struct cm_workload_array *array,
                         struct cm_reader *reader)
{
    const struct cm_workload_array *other = array;
    for (uint32_t hops = 0; hops <= workload->array_count; hops++) {
        struct cm_json json;
        const char *like = read_like(other, reader, &json);
        if (!cm_reader_ok(reader))
            return;
        if (like == NULL) {
            take_after(array, other);
            return;
        }
        if (other == array)
            array->shape = json;
        other = &workload->arrays[cm_workload_read_array_name(workload, reader, json, "like")];
    }
    cm_reader_fail(reader, array->shape, "array \"%s\" refers to itself through \"like\"",
                   array->name);
    cm_reader_hint(reader, "one of the arrays needs a shape and a type of its own");
}

/* Reads an array in the first pass: its name, its first values, and its description unless "like"
 * names another array. */
static void read_array(struct cm_workload *workload, uint32_t index, struct cm_reader *reader,
                       struct cm_json arrays)
{
    struct cm_workload_array *array = &workload->arrays[index];
    struct cm_json json;
    array->json = cm_json_at(arrays, index, &array->name);
    array->shape = array->json;
    check_name(reader, array->json, array->name, "an array");
    cm_keys_read(workload, reader, array->json,
                 &(struct cm_key_table){"an array", cm_workload_array_keys,
                                        CM_COUNT_OF(cm_workload_array_keys)},
                 array);
    if (cm_reader_ok(reader) && !cm_json_member(array->json, "like", &json))
        read_request(workload, array, reader);
    if (cm_read_optional(reader, array->json, "init", &json))
        read_init(workload, array, reader, json);
}

/* Returns the number of members of an object whose members have names, or 0 once the reader has
 * failed. `most` is the largest number that is allowed. */
static uint32_t count_named(struct cm_reader *reader, struct cm_json object, const char *what,
                            uint32_t most)
{
    cm_read_kind(reader, object, CM_JSON_OBJECT, what);
    if (!cm_reader_ok(reader))
        return 0;
    uint32_t count = cm_json_count(object);
    if (count > most)
        cm_reader_fail(reader, object, "there are %" PRIu32 " %s, expected at most %" PRIu32, count,
                       what, most);
    return cm_reader_ok(reader) ? count : 0;
}

void cm_workload_read_arrays(struct cm_workload *workload, struct cm_reader *reader,
                             struct cm_json arrays)
{
    uint32_t count = count_named(reader, arrays, "arrays", CM_WORKLOAD_ARRAYS_MAX);
    workload->arrays = cm_workload_allocate(workload, reader, count, sizeof *workload->arrays);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < count; i++)
        read_array(workload, i, reader, arrays);
    if (!cm_reader_ok(reader))
        return;
    workload->array_count = count;
    for (uint32_t i = 0; cm_reader_ok(reader) && i < count; i++) {
        struct cm_workload_array *array = &workload->arrays[i];
        resolve_like(workload, array, reader);
        if (array->init.kind == CM_INIT_CONSTANT)
            cm_workload_check_number(reader, array->init.json, &array->init.constant,
                                     array->request.type, "constant");
    }
}

void cm_workload_read_scalars(struct cm_workload *workload, struct cm_reader *reader,
                              struct cm_json scalars)
{
    uint32_t count = count_named(reader, scalars, "scalars", CM_WORKLOAD_SCALARS_MAX);
    workload->scalars = cm_workload_allocate(workload, reader, count, sizeof *workload->scalars);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < count; i++) {
        struct cm_workload_scalar *scalar = &workload->scalars[i];
        scalar->json = cm_json_at(scalars, i, &scalar->name);
        check_name(reader, scalar->json, scalar->name, "a scalar");
        if (cm_workload_find_array(workload, scalar->name) != CM_NO_ARRAY)
            cm_reader_fail(reader, scalar->json, "\"%s\" is already the name of an array",
                           scalar->name);
        scalar->number = cm_workload_read_number(reader, scalar->json, "a scalar");
        workload->scalar_count = i + 1;
    }
}
