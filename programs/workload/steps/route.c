/* The step route: sends packets through the router by a traffic pattern. */
#include "route_lists.h"

#include <inttypes.h>

#define BUFFER_WORDS_MAX 1048576u
#define SEEDS_MAX        10000u

static const char *const routing_names[] = {"e-cube", "valiant", "adaptive", NULL};
static const char *const order_names[] = {"ascending", "descending", NULL};
static const char *const switching_names[] = {"store-and-forward", "cut-through", "wormhole", NULL};

CM_NAMES_OF(pattern_name, cm_pattern_name, enum cm_pattern)

static const struct cm_key keys[] = {
    CM_KEY(NAME, "pattern", struct cm_step_network_keys, network.task.pattern, "who sends to whom",
           .required = true, .max = CM_PATTERN_COUNT - 1, .name_of = pattern_name),
    CM_KEY(INTEGER, "words", struct cm_step_network_keys, network.task.router.words,
           "32-bit words of a packet", .min = 1, .max = CM_ROUTER_WORDS_MAX, .initial = 1,
           .otherwise = "1; with an array, its block"),
    CM_KEY(NAME, "routing", struct cm_step_network_keys, network.task.router.routing,
           "how a packet chooses its dimensions", .names = routing_names),
    CM_KEY(NAME, "order", struct cm_step_network_keys, network.task.router.descending,
           "of e-cube: from the lowest dimension up, or from the highest down",
           .names = order_names),
    CM_KEY(NAME, "switching", struct cm_step_network_keys, network.task.router.switching,
           "when a packet goes on from a node", .names = switching_names,
           .initial = CM_SWITCHING_CUT_THROUGH),
    CM_KEY(INTEGER, "channels", struct cm_step_network_keys, network.task.router.channels,
           "of each dimension", .min = 1, .max = 2, .otherwise = "the machine's"),
    CM_KEY(INTEGER, "buffer", struct cm_step_network_keys, network.task.router.buffer_words,
           "words of the buffer at the far end of each channel", .min = 1, .max = BUFFER_WORDS_MAX,
           .otherwise = "the machine's, or one packet where it must be larger"),
    CM_KEY(INTEGER, "seed", struct cm_step_network_keys, network.task.seed,
           "of random destinations, Valiant's nodes and times", .max = UINT64_MAX),
    CM_KEY(INTEGER, "by", struct cm_step_network_keys, network.task.by,
           "of the pattern shift: node i sends to (i + by) mod nodes", .min = 1,
           .max = CM_CIRCULAR_NODES_MAX - 1, .otherwise = "none; the pattern shift needs it"),
    CM_KEY(INTEGER, "hot", struct cm_step_network_keys, network.task.hot_node,
           "of the pattern hot-spot: the node that all send to", .max = CM_CIRCULAR_NODES_MAX - 1,
           .otherwise = "0"),
    CM_KEY_FORM("hot_nodes", "list of nodes", "hot_nodes",
                "of the pattern hot-spot: several such nodes, with equal shares",
                .otherwise = "the node of hot"),
    CM_KEY(NUMBER, "hot_share", struct cm_step_network_keys, network.task.hot_share,
           "of the pattern hot-spot: share of packets that is drawn to go to hot nodes",
           .otherwise = "0.25", .form = "number above 0, at most 1", .schema = "rate"),
    CM_KEY(FILE, "list", struct cm_step_network_keys, network.list,
           "of the pattern list: a CSV file of source,destination[,time[,words]]; "
           "of flows: of source,destination,rate[,words]",
           .otherwise = "none; the patterns list and flows need it", .form = "a path"),
    CM_KEY_FORM("sizes", "list of [words, share]", "sizes",
                "sizes of messages, which are sent as packets, and their shares of the messages",
                .otherwise = "a message is a packet"),
    CM_KEY_FORM("burst", "[on, off]", "burst",
                "mean word times in which a node, or a flow, creates messages, and of pauses",
                .otherwise = "no bursts"),
    CM_KEY(NUMBER, "rate", struct cm_step_network_keys, network.task.rate,
           "words that a node offers in a word time",
           .otherwise = "one batch: each node sends its packet at once",
           .form = "number above 0, at most 1", .schema = "rate"),
    CM_KEY_FORM("rates", "list of rates, ascending", "rates", "several rates, one after the other"),
    CM_KEY(FLAG, "past_saturation", struct cm_step_network_keys, network.past_saturation,
           "also run the rates above the first saturated one"),
    CM_KEY(NUMBER, "find_saturation", struct cm_step_network_keys, network.find_saturation,
           "finds the rate at which the network saturates, up to this share of the rate",
           .otherwise = "the rates are given", .form = "number above 0, at most 0.5",
           .schema = "tolerance"),
    CM_KEY(INTEGER, "warmup", struct cm_step_network_keys, network.task.warmup,
           "word times before latencies are measured", .max = CM_NETWORK_MEASURE_MAX,
           .otherwise = "with a rate 1000, doubled up to measure while MSER asks for more"),
    CM_KEY(INTEGER, "measure", struct cm_step_network_keys, network.task.measure,
           "word times whose packets are measured", .min = 1, .max = CM_NETWORK_MEASURE_MAX,
           .otherwise = "4000 with a rate"),
    CM_KEY(NUMBER, "until", struct cm_step_network_keys, network.until,
           "measures longer until half the 95 % interval is at most this share of the mean latency",
           .otherwise = "the measured time is as given", .form = "number above 0, at most 1",
           .schema = "rate"),
    CM_KEY(INTEGER, "seeds", struct cm_step_network_keys, network.seeds,
           "runs of each rate with seeds that follow each other, for means over runs", .min = 1,
           .max = SEEDS_MAX, .otherwise = "1"),
    CM_KEY(INTEGER, "limit", struct cm_step_network_keys, network.task.router.limit,
           "word times after which the run is stopped", .min = 1, .max = CM_TIMES_MAX,
           .otherwise = "with a rate ten times warmup and measure, otherwise none"),
    CM_KEY_FORM("without", "list of [node], [node, dimension], [node, dimension, channel]",
                "without",
                "what has failed: nodes with all their wires, wires out of a node, or channels",
                .otherwise = "nothing has failed"),
    CM_KEY(INTEGER, "fail_random", struct cm_step_network_keys, network.fail_random,
           "wires that fail, drawn by the seed", .max = UINT32_MAX, .otherwise = "none"),
    CM_KEY(ARRAY, "array", struct cm_step_network_keys, array,
           "sends each node's block of the array, in one batch"),
    CM_KEY(ARRAY, "dst", struct cm_step_network_keys, dst,
           "where the blocks arrive; goes with array"),
    CM_UNIT_KEYS,
};

/* Checks the keys of hot nodes: only the pattern hot-spot has them, hot_share is above 0 and at
 * most 1, and hot and hot_nodes exclude each other. */
static void check_hot(struct cm_reader *reader, struct cm_json object,
                      const struct cm_network_step *own)
{
    static const char *const of_hot[] = {"hot", "hot_nodes", "hot_share"};
    struct cm_json json;
    for (size_t i = 0; i < CM_COUNT_OF(of_hot) && own->task.pattern != CM_PATTERN_HOT_SPOT; i++)
        if (cm_read_optional(reader, object, of_hot[i], &json)) {
            cm_reader_fail(reader, json, "\"%s\" is for the pattern hot-spot", of_hot[i]);
            cm_reader_hint(reader, "\"pattern\": \"hot-spot\", or leave \"%s\" out", of_hot[i]);
        }
    if (cm_read_optional(reader, object, "hot_share", &json) &&
        !(own->task.hot_share > 0 && own->task.hot_share <= 1))
        cm_reader_fail(reader, json, "hot_share is %g, expected more than 0 and at most 1",
                       own->task.hot_share);
    if (cm_read_optional(reader, object, "hot_nodes", &json) &&
        cm_read_optional(reader, object, "hot", &json))
        cm_reader_fail(reader, json, "hot and hot_nodes exclude each other");
}

/* Refuses "list", "by" or "hot" for a pattern that does not use it. */
static void check_pattern(struct cm_reader *reader, struct cm_json object,
                          struct cm_network_step *own)
{
    enum cm_pattern pattern = own->task.pattern;
    struct cm_json json;
    bool has_list = cm_read_optional(reader, object, "list", &own->list_json);
    bool has_by = cm_read_optional(reader, object, "by", &json);
    if ((pattern == CM_PATTERN_LIST || pattern == CM_PATTERN_FLOWS) != has_list) {
        cm_reader_fail(reader, cm_read_member(reader, object, "pattern"),
                       has_list ? "\"list\" is for the patterns list and flows"
                                : "the pattern %s needs a \"list\"",
                       cm_pattern_name(pattern));
        cm_reader_hint(reader, "\"pattern\": \"%s\", \"list\": \"FILE.csv\"",
                       pattern == CM_PATTERN_FLOWS ? "flows" : "list");
    }
    if (pattern == CM_PATTERN_SHIFT && !has_by)
        cm_reader_fail(reader, object, "the pattern shift needs \"by\"");
    if (pattern != CM_PATTERN_SHIFT && has_by)
        cm_reader_fail(reader, json, "\"by\" is for the pattern shift");
    check_hot(reader, object, own);
}

/* Refuses keys that only open-loop traffic has if packets are sent as a batch. */
static void refuse_of_rate(struct cm_reader *reader, struct cm_json object)
{
    static const char *const of_rate[] = {"warmup", "measure", "until", "seeds", "burst"};
    struct cm_json json;
    for (size_t i = 0; i < CM_COUNT_OF(of_rate); i++)
        if (cm_read_optional(reader, object, of_rate[i], &json))
            cm_reader_fail(reader, json, "%s goes with a rate; this is one batch", of_rate[i]);
}

/* Reads the keys that control the measurement. */
static void read_measurement(struct cm_reader *reader, struct cm_json object,
                             struct cm_network_step *own)
{
    struct cm_traffic_task *task = &own->task;
    struct cm_json json;
    task->find_warmup = !cm_read_optional(reader, object, "warmup", &json);
    if (task->find_warmup)
        task->warmup = 1000;
    if (!cm_read_optional(reader, object, "measure", &json))
        task->measure = 4000;
    own->limit_given = cm_read_optional(reader, object, "limit", &json);
    if (!own->limit_given)
        task->router.limit = cm_network_default_limit(task);
    if (cm_read_optional(reader, object, "until", &json) && !(own->until > 0 && own->until <= 1))
        cm_reader_fail(reader, json, "until is %g, expected more than 0 and at most 1", own->until);
}

/* Reads the tolerance of a search for saturation. Returns true if there is a search. */
static bool read_search(struct cm_reader *reader, struct cm_json object,
                        const struct cm_network_step *own, bool has_rate)
{
    struct cm_json json;
    if (!cm_read_optional(reader, object, "find_saturation", &json))
        return false;
    if (has_rate)
        cm_reader_fail(reader, json,
                       "find_saturation chooses the rates, and takes neither rate nor rates");
    if (!(own->find_saturation > 0 && own->find_saturation <= 0.5)) {
        cm_reader_fail(reader, json, "find_saturation is %g, expected more than 0 and at most 0.5",
                       own->find_saturation);
        cm_reader_hint(reader, "the share of the rate up to which it is found; 0.01 is 1 %%");
    }
    return true;
}

/* Reads the keys that one rate or a list of rates can have. */
static void read_rate(struct cm_workload *workload, struct cm_reader *reader, struct cm_json object,
                      struct cm_network_step *own)
{
    struct cm_traffic_task *task = &own->task;
    struct cm_json json, several;
    bool open = cm_read_optional(reader, object, "rate", &json);
    bool sweep = cm_read_optional(reader, object, "rates", &several);
    bool search = read_search(reader, object, own, open || sweep);
    if (open && sweep)
        cm_reader_fail(reader, several, "rate and rates exclude each other");
    if (open)
        cm_route_check_rate(reader, json, "rate", task->rate);
    if (!sweep && cm_read_optional(reader, object, "past_saturation", &json))
        cm_reader_fail(reader, json, "past_saturation goes with rates");
    if (!open && !sweep && !search && task->pattern != CM_PATTERN_FLOWS) {
        refuse_of_rate(reader, object);
        return;
    }
    if (task->pattern == CM_PATTERN_LIST)
        cm_reader_fail(reader,
                       open    ? json
                       : sweep ? several
                               : object,
                       "a list has its own times, and takes no rate");
    if (sweep)
        cm_route_read_rates(workload, reader, several, own);
    read_measurement(reader, object, own);
}

/* Refuses a limit of time that ends the run before the measurement. */
static void check_limit(struct cm_reader *reader, struct cm_json object,
                        const struct cm_traffic_task *task)
{
    struct cm_json json;
    uint64_t end = task->warmup + task->measure;
    if (task->router.limit >= end || !cm_read_optional(reader, object, "limit", &json))
        return;
    cm_reader_fail(reader, json,
                   "limit is %" PRIu64 " word times, but the measurement ends after %" PRIu64,
                   task->router.limit, end);
    cm_reader_hint(reader, "raise the limit, or measure less: \"warmup\" and \"measure\"");
}

/* Reads "array" and "dst". Refuses a pattern that does not send one block to each node. */
static void check_blocks(const struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_json object, struct cm_step_network_keys *own)
{
    struct cm_json array, dst, json;
    enum cm_pattern pattern = own->network.task.pattern;
    bool has_array = cm_read_optional(reader, object, "array", &array);
    bool has_dst = cm_read_optional(reader, object, "dst", &dst);
    own->network.has_array = has_array;
    if (!has_array && !has_dst)
        return;
    if (has_array != has_dst) {
        cm_reader_fail(reader, has_array ? array : dst,
                       "array and dst go together: blocks of array are sent to dst");
        return;
    }
    if (own->network.task.rate > 0 || own->network.rate_count > 0 ||
        own->network.find_saturation > 0)
        cm_reader_fail(reader, array, "an array is sent once, in one batch, not at a rate");
    if (cm_read_optional(reader, object, "sizes", &json))
        cm_reader_fail(reader, json, "an array has no messages of several sizes");
    /* a list of packets is checked when its file is read */
    if (pattern == CM_PATTERN_FLOWS || pattern == CM_PATTERN_RANDOM ||
        pattern == CM_PATTERN_HOT_SPOT || pattern == CM_PATTERN_ALL_TO_ALL) {
        cm_reader_fail(reader, array, "the pattern %s is not a permutation of the nodes",
                       cm_pattern_name(pattern));
        cm_reader_hint(reader, "an array's blocks need a pattern that sends one to each node");
    }
    cm_workload_expect_same_type(workload, reader, own->dst, own->array);
}

static void read_route(struct cm_workload *workload, struct cm_workload_step *step,
                       struct cm_reader *reader)
{
    struct cm_step_network_keys *own = step->own;
    struct cm_network_step *network = &own->network;
    struct cm_json json;
    network->words_given = cm_read_optional(reader, step->body, "words", &json);
    network->task.router.seed = network->task.seed;
    check_pattern(reader, step->body, network);
    read_rate(workload, reader, step->body, network);
    check_limit(reader, step->body, &network->task);
    cm_route_read_lists(workload, reader, step->body, network);
    check_blocks(workload, reader, step->body, own);
    cm_step_network_read_units(reader, step->body, network);
}

static uint32_t usable_channels(const struct cm_run_step *step)
{
    const struct cm_network *const *network = step->state;
    return (*network)->task.router.channels;
}

/* Writes the settings of the traffic. Words, channels and buffer are the values in force: the
 * machine gives those that the step does not set. */
static void write_settings(const struct cm_step_result *result, struct cm_json_writer *json)
{
    static const char *const in_force[] = {"words", "channels", "buffer", NULL};
    const struct cm_network_step *own =
        &((const struct cm_step_network_keys *)result->own)->network;
    struct cm_network *const *network = result->state;
    if (network == NULL || *network == NULL)
        return; /* not prepared yet */
    const struct cm_router_options *router = &(*network)->task.router;
    cm_json_write_members(json, {"words", cm_u64(router->words)},
                          {"channels", cm_u64(router->channels)},
                          {"buffer", cm_u64(router->buffer_words)});
    cm_keys_write(keys, CM_COUNT_OF(keys), own, in_force, json);
    cm_route_write_lists(own, json);
}

const struct cm_step_kind cm_step_route = {
    .name = "route",
    .summary = "packets through the router, by a pattern of traffic",
    .example =
        "{\"route\": {\"pattern\": \"bit-reversal\", \"words\": 4, \"routing\": \"valiant\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .rules = CM_NOT_IN_A_PAGE(
        "{\"dependentRequired\": {\"array\": [\"dst\"], \"dst\": [\"array\"], "
        "\"past_saturation\": [\"rates\"]}, \"dependentSchemas\": {"
        "\"rate\": {\"propertyNames\": {\"pattern\": \"^(?!(rates|find_saturation)$)\"}}, "
        "\"rates\": {\"propertyNames\": {\"pattern\": \"^(?!find_saturation$)\"}}}}"),
    .own_bytes = sizeof(struct cm_step_network_keys),
    .state_bytes = sizeof(struct cm_network *),
    .read = read_route,
    .prepare = cm_step_network_prepare,
    .run = cm_step_network_run,
    .check = cm_step_network_check,
    .report = cm_step_network_write_report,
    .settings = write_settings,
    .sent = cm_step_network_words,
    .channels = usable_channels,
    .finish = cm_step_network_finish,
};
