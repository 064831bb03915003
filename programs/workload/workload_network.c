/* Reading the steps "shift" and "route". */
#include "../network/network_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const shift_keys[] = {"by",     "topology", "words", "nodes", "shape",
                                         "method", "labels",   "ts",    "tw",    "th"};
static const char *const route_keys[] = {
    "pattern", "words", "routing", "order", "switching", "channels",        "buffer",
    "seed",    "by",    "hot",     "list",  "rate",      "warmup",          "measure",
    "limit",   "ts",    "tw",      "th",    "rates",     "past_saturation", "array",
    "dst"};
static const char *const topology_names[] = {"ring", "mesh", "hypercube"};
static const char *const method_names[] = {"phases", "signed", "e-cube"};
static const char *const labels_names[] = {"binary", "gray"};
static const char *const routing_names[] = {"e-cube", "valiant", "adaptive"};
static const char *const order_names[] = {"ascending", "descending"};
static const char *const switching_names[] = {"store-and-forward", "cut-through", "wormhole"};

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
#define TIMES_MAX       UINT64_C(1000000000000)
#define RATES_MAX       1000u

/* An integer that may be missing; *value then stays as it is. */
static enum cm_status read_u64(struct cm_json object, const char *key, uint64_t min, uint64_t max,
                               uint64_t *value, bool *given, struct cm_error *err)
{
    struct cm_json json;
    bool found = cm_json_member(object, key, &json);
    if (given != NULL)
        *given = found;
    return found ? cm_json_u64(json, key, min, max, value, err) : CM_OK;
}

static enum cm_status read_u32(struct cm_json object, const char *key, uint32_t min, uint32_t max,
                               uint32_t *value, bool *given, struct cm_error *err)
{
    uint64_t wide = *value;
    enum cm_status status = read_u64(object, key, min, max, &wide, given, err);
    *value = (uint32_t)wide;
    return status;
}

static enum cm_status read_choice(struct cm_json object, const char *key, const char *const *names,
                                  uint32_t count, uint32_t *value, struct cm_error *err)
{
    struct cm_json json;
    return cm_json_member(object, key, &json) ? cm_json_enum(json, key, names, count, value, err)
                                              : CM_OK;
}

/* ts, tw, th: times in units of one's own; all are 0 unless said otherwise, and count when one is
 * given. */
static enum cm_status read_units(struct cm_json object, struct cm_network_step *step,
                                 struct cm_error *err)
{
    static const char *const keys[] = {"ts", "tw", "th"};
    double *const values[] = {&step->ts, &step->tw, &step->th};
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < 3; i++) {
        struct cm_json json;
        if (!cm_json_member(object, keys[i], &json))
            continue;
        step->timed = true;
        status = cm_json_f64(json, keys[i], values[i], err);
        if (status == CM_OK && *values[i] < 0)
            status = cm_json_error(json, err, "%s is negative, expected a time", keys[i]);
    }
    return status;
}

static enum cm_status read_shape(struct cm_json object, struct cm_network_step *step,
                                 struct cm_error *err)
{
    struct cm_circular *shift = &step->shift;
    struct cm_json shape;
    uint64_t rows, columns;
    if (!cm_json_member(object, "shape", &shape))
        return CM_OK;
    if (shift->topology != CM_TOPOLOGY_MESH)
        return cm_json_error(shape, err, "shape is for a mesh, but the topology is %s",
                             topology_names[shift->topology]);
    enum cm_status status = cm_json_expect(shape, CM_JSON_ARRAY, "shape", err);
    if (status == CM_OK && cm_json_count(shape) != 2)
        status = cm_json_error(shape, err, "shape has %" PRIu32 " numbers, expected rows, columns",
                               cm_json_count(shape));
    if (status == CM_OK)
        status =
            cm_json_u64(cm_json_at(shape, 0, NULL), "rows", 1, CM_CIRCULAR_NODES_MAX, &rows, err);
    if (status == CM_OK)
        status = cm_json_u64(cm_json_at(shape, 1, NULL), "columns", 1, CM_CIRCULAR_NODES_MAX,
                             &columns, err);
    if (status != CM_OK)
        return status;
    shift->rows = (uint32_t)rows;
    shift->columns = (uint32_t)columns;
    if (rows * columns > CM_CIRCULAR_NODES_MAX)
        return cm_json_error(shape, err, "the mesh has %" PRIu64 " nodes, expected at most %u",
                             rows * columns, CM_CIRCULAR_NODES_MAX);
    if (!step->nodes_given)
        shift->nodes = shift->rows * shift->columns;
    step->nodes_given = true;
    return CM_OK;
}

/* What is for the hypercube alone. */
static enum cm_status read_method(struct cm_json object, struct cm_circular *shift,
                                  struct cm_error *err)
{
    struct cm_json json;
    uint32_t method = CM_CIRCULAR_PHASES, labels = CM_LABELS_BINARY;
    enum cm_status status = CM_OK;
    if (shift->topology != CM_TOPOLOGY_HYPERCUBE &&
        (cm_json_member(object, "method", &json) || cm_json_member(object, "labels", &json)))
        return cm_json_error(json, err, "method and labels are for the hypercube, not for a %s",
                             topology_names[shift->topology]);
    status = read_choice(object, "method", method_names, COUNT_OF(method_names), &method, err);
    if (status == CM_OK)
        status = read_choice(object, "labels", labels_names, COUNT_OF(labels_names), &labels, err);
    if (status == CM_OK && method != CM_CIRCULAR_ECUBE && cm_json_member(object, "labels", &json) &&
        labels == CM_LABELS_BINARY) {
        cm_json_error(json, err, "%s works on Gray labels only", method_names[method]);
        return cm_error_hint(err, "leave labels out, or take the method e-cube");
    }
    shift->method = (enum cm_circular_method)method;
    shift->labels = method == CM_CIRCULAR_ECUBE ? (enum cm_labels)labels : CM_LABELS_GRAY;
    return status;
}

enum cm_status cm_network_read_shift(struct cm_json object, struct cm_network_step *step,
                                     struct cm_error *err)
{
    struct cm_circular *shift = &step->shift;
    struct cm_json json;
    uint32_t topology = CM_TOPOLOGY_HYPERCUBE;
    step->json = object;
    step->is_shift = true;
    shift->words = 1;
    enum cm_status status = cm_json_keys(object, "shift", shift_keys, COUNT_OF(shift_keys), err);
    if (status == CM_OK)
        status = cm_json_require(object, "by", &json, err);
    if (status == CM_OK)
        status = read_u32(object, "by", 1, CM_CIRCULAR_NODES_MAX - 1, &shift->by, NULL, err);
    if (status == CM_OK)
        status = read_choice(object, "topology", topology_names, COUNT_OF(topology_names),
                             &topology, err);
    shift->topology = (enum cm_topology)topology;
    if (status == CM_OK)
        status = read_u32(object, "words", 1, CM_ROUTER_WORDS_MAX, &shift->words, NULL, err);
    if (status == CM_OK)
        status = read_u32(object, "nodes", 2, CM_CIRCULAR_NODES_MAX, &shift->nodes,
                          &step->nodes_given, err);
    if (status == CM_OK)
        status = read_shape(object, step, err);
    if (status == CM_OK)
        status = read_method(object, shift, err);
    return status == CM_OK ? read_units(object, step, err) : status;
}

static enum cm_status read_pattern(struct cm_json object, struct cm_network_step *step,
                                   struct cm_error *err)
{
    const char *names[CM_PATTERN_COUNT];
    struct cm_traffic_task *task = &step->task;
    struct cm_json json;
    uint32_t pattern;
    for (uint32_t i = 0; i < CM_PATTERN_COUNT; i++)
        names[i] = cm_pattern_name((enum cm_pattern)i);
    enum cm_status status = cm_json_require(object, "pattern", &json, err);
    if (status == CM_OK)
        status = cm_json_enum(json, "pattern", names, CM_PATTERN_COUNT, &pattern, err);
    if (status != CM_OK)
        return status;
    task->pattern = (enum cm_pattern)pattern;
    bool wants_list = pattern == CM_PATTERN_LIST, wants_by = pattern == CM_PATTERN_SHIFT;
    if (wants_list != cm_json_member(object, "list", &step->list_json)) {
        cm_json_error(json, err,
                      wants_list ? "the pattern list needs a \"list\""
                                 : "\"list\" is for the pattern list");
        return cm_error_hint(err, "\"pattern\": \"list\", \"list\": \"FILE.csv\"");
    }
    if (wants_by && !cm_json_member(object, "by", &json))
        return cm_json_error(object, err, "the pattern shift needs \"by\"");
    if (!wants_by && cm_json_member(object, "by", &json))
        return cm_json_error(json, err, "\"by\" is for the pattern shift");
    if (wants_list)
        status = cm_json_string(step->list_json, "list", &step->list, err);
    if (status == CM_OK)
        status = read_u32(object, "by", 1, CM_CIRCULAR_NODES_MAX - 1, &task->by, NULL, err);
    if (status == CM_OK)
        status = read_u32(object, "hot", 0, CM_CIRCULAR_NODES_MAX - 1, &task->hot_node, NULL, err);
    return status;
}

static enum cm_status read_router(struct cm_json object, struct cm_network_step *step,
                                  struct cm_error *err)
{
    struct cm_router_options *router = &step->task.router;
    uint32_t routing = CM_ROUTING_ECUBE, order = 0, switching = CM_SWITCHING_CUT_THROUGH;
    router->words = 1;
    enum cm_status status =
        read_u32(object, "words", 1, CM_ROUTER_WORDS_MAX, &router->words, &step->words_given, err);
    if (status == CM_OK)
        status =
            read_choice(object, "routing", routing_names, COUNT_OF(routing_names), &routing, err);
    if (status == CM_OK)
        status = read_choice(object, "order", order_names, COUNT_OF(order_names), &order, err);
    if (status == CM_OK)
        status = read_choice(object, "switching", switching_names, COUNT_OF(switching_names),
                             &switching, err);
    if (status == CM_OK)
        status = read_u32(object, "channels", 1, 2, &router->channels, NULL, err);
    if (status == CM_OK)
        status = read_u32(object, "buffer", 1, 1048576, &router->buffer_words, NULL, err);
    router->routing = (enum cm_routing)routing;
    router->descending = order == 1;
    router->switching = (enum cm_switching)switching;
    return status;
}

static enum cm_status read_rate_value(struct cm_json json, const char *what, double *rate,
                                      struct cm_error *err)
{
    enum cm_status status = cm_json_f64(json, what, rate, err);
    if (status != CM_OK || (*rate > 0 && *rate <= 1))
        return status;
    cm_json_error(json, err, "%s is %g, expected more than 0 and at most 1", what, *rate);
    return cm_error_hint(err, "words that a node sends in a word time: a node has one way into "
                              "the network");
}

/* Several rates, each higher than the one before. */
static enum cm_status read_rates(struct cm_json json, struct cm_network_step *step,
                                 struct cm_error *err)
{
    enum cm_status status = cm_json_expect(json, CM_JSON_ARRAY, "rates", err);
    uint32_t count = status == CM_OK ? cm_json_count(json) : 0;
    if (status == CM_OK && (count == 0 || count > RATES_MAX))
        return cm_json_error(json, err, "rates has %" PRIu32 " numbers, expected 1 to %u", count,
                             RATES_MAX);
    if (status == CM_OK)
        step->rates = calloc(count, sizeof *step->rates);
    if (status == CM_OK && step->rates == NULL)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        struct cm_json one = cm_json_at(json, i, NULL);
        status = read_rate_value(one, "a rate", &step->rates[i], err);
        if (status == CM_OK && i > 0 && step->rates[i] <= step->rates[i - 1])
            status = cm_json_error(one, err, "the rate %g follows %g, expected a higher one",
                                   step->rates[i], step->rates[i - 1]);
    }
    step->rate_count = count;
    return status;
}

static enum cm_status read_rate(struct cm_json object, struct cm_network_step *step,
                                struct cm_error *err)
{
    struct cm_traffic_task *task = &step->task;
    struct cm_json json, several;
    bool open = cm_json_member(object, "rate", &json);
    bool sweep = cm_json_member(object, "rates", &several);
    enum cm_status status = CM_OK;
    if (open && sweep)
        return cm_json_error(several, err, "rate and rates exclude each other");
    if (!sweep && cm_json_member(object, "past_saturation", &json))
        return cm_json_error(json, err, "past_saturation goes with rates");
    if (!open && !sweep &&
        (cm_json_member(object, "warmup", &json) || cm_json_member(object, "measure", &json)))
        return cm_json_error(json, err, "warmup and measure go with a rate; this is one batch");
    if (!open && !sweep)
        return CM_OK;
    if (task->pattern == CM_PATTERN_LIST)
        return cm_json_error(open ? json : several, err,
                             "a list has its own times, and takes no rate");
    if (open)
        status = read_rate_value(json, "rate", &task->rate, err);
    else
        status = read_rates(several, step, err);
    task->warmup = 1000;
    task->measure = 4000;
    if (status == CM_OK && sweep && cm_json_member(object, "past_saturation", &json))
        status = cm_json_bool(json, "past_saturation", &step->past_saturation, err);
    if (status == CM_OK)
        status = read_u64(object, "warmup", 0, 1000000000, &task->warmup, NULL, err);
    if (status == CM_OK)
        status = read_u64(object, "measure", 1, 1000000000, &task->measure, NULL, err);
    /* Beyond this the drain is given up, and the network is called saturated. */
    task->router.limit = 10 * (task->warmup + task->measure);
    return status;
}

/* A run that ends before the measurement does tells nothing of the load. */
static enum cm_status read_limit(struct cm_json object, struct cm_traffic_task *task,
                                 struct cm_error *err)
{
    struct cm_json json;
    uint64_t end = task->warmup + task->measure;
    enum cm_status status = read_u64(object, "limit", 1, TIMES_MAX, &task->router.limit, NULL, err);
    if (status != CM_OK || task->router.limit >= end || !cm_json_member(object, "limit", &json))
        return status;
    cm_json_error(json, err,
                  "limit is %" PRIu64 " word times, but the measurement ends after %" PRIu64,
                  task->router.limit, end);
    return cm_error_hint(err, "raise the limit, or measure less: \"warmup\" and \"measure\"");
}

/* "array" and "dst": blocks go from node to node, so that the pattern must send one to each. */
static enum cm_status read_blocks(struct cm_json object, struct cm_network_step *step,
                                  struct cm_error *err)
{
    struct cm_json array, dst;
    enum cm_pattern pattern = step->task.pattern;
    step->has_array = cm_json_member(object, "array", &array);
    bool has_dst = cm_json_member(object, "dst", &dst);
    if (!step->has_array && !has_dst)
        return CM_OK;
    if (step->has_array != has_dst)
        return cm_json_error(step->has_array ? array : dst, err,
                             "array and dst go together: blocks of array are sent to dst");
    if (step->task.rate > 0 || step->rate_count > 0)
        return cm_json_error(array, err, "an array is sent once, in one batch, not at a rate");
    if (pattern == CM_PATTERN_RANDOM || pattern == CM_PATTERN_HOT_SPOT ||
        pattern == CM_PATTERN_ALL_TO_ALL || pattern == CM_PATTERN_LIST) {
        cm_json_error(array, err, "the pattern %s is no permutation of the nodes",
                      cm_pattern_name(pattern));
        return cm_error_hint(err, "an array's blocks need a pattern that sends one to each node");
    }
    return CM_OK;
}

enum cm_status cm_network_read_route(struct cm_json object, struct cm_network_step *step,
                                     struct cm_error *err)
{
    struct cm_traffic_task *task = &step->task;
    step->json = object;
    enum cm_status status = cm_json_keys(object, "route", route_keys, COUNT_OF(route_keys), err);
    if (status == CM_OK)
        status = read_pattern(object, step, err);
    if (status == CM_OK)
        status = read_router(object, step, err);
    if (status == CM_OK)
        status = read_u64(object, "seed", 0, UINT64_MAX, &task->seed, NULL, err);
    task->router.seed = task->seed;
    if (status == CM_OK)
        status = read_rate(object, step, err);
    if (status == CM_OK)
        status = read_limit(object, task, err);
    if (status == CM_OK)
        status = read_blocks(object, step, err);
    return status == CM_OK ? read_units(object, step, err) : status;
}
