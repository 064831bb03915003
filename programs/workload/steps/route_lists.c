/* Reads and writes the keys of the step "route" whose values are lists. */
#include "route_lists.h"

#include <inttypes.h>

#define RATES_MAX   1000u
#define WITHOUT_MAX 100000u
#define SIZES_MAX   100u
#define BURST_MAX   1e9

void cm_route_check_rate(struct cm_reader *reader, struct cm_json json, const char *what,
                         double rate)
{
    if (rate > 0 && rate <= 1)
        return;
    cm_reader_fail(reader, json, "%s is %g, expected more than 0 and at most 1", what, rate);
    cm_reader_hint(reader,
                   "words that a node sends in a word time; a node has one link into the network");
}

void cm_route_read_rates(struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_json json, struct cm_network_step *own)
{
    cm_read_kind(reader, json, CM_JSON_ARRAY, "rates");
    uint32_t count = cm_reader_ok(reader) ? cm_json_count(json) : 0;
    if (count == 0 || count > RATES_MAX)
        cm_reader_fail(reader, json, "rates has %" PRIu32 " numbers, expected 1 to %u", count,
                       RATES_MAX);
    own->rates = cm_workload_allocate(workload, reader, count, sizeof *own->rates);
    own->rate_count = count;
    for (uint32_t i = 0; cm_reader_ok(reader) && i < count; i++) {
        struct cm_json one = cm_json_at(json, i, NULL);
        own->rates[i] = cm_read_f64(reader, one, "a rate");
        cm_route_check_rate(reader, one, "a rate", own->rates[i]);
        if (i > 0 && own->rates[i] <= own->rates[i - 1])
            cm_reader_fail(reader, one, "the rate %g follows %g, expected a higher one",
                           own->rates[i], own->rates[i - 1]);
    }
}

/* Reads the key "without", a list of failed nodes, wires and channels. */
static void read_without(struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_json object, struct cm_network_step *own)
{
    struct cm_json list;
    if (!cm_read_optional(reader, object, "without", &list))
        return;
    own->without_count = cm_read_list(reader, list, "without", 1, WITHOUT_MAX);
    own->without = cm_workload_allocate(workload, reader, own->without_count, sizeof *own->without);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < own->without_count; i++) {
        struct cm_json one = cm_json_at(list, i, NULL);
        uint64_t numbers[3] = {0, CM_NETWORK_ALL, CM_NETWORK_ALL};
        const uint64_t most[] = {CM_CIRCULAR_NODES_MAX - 1, CM_ROUTER_DIMENSIONS_MAX - 1, 1};
        static const char *const names[] = {"a node", "a dimension", "a channel"};
        uint32_t count = cm_read_list(reader, one, "node, dimension and channel", 1, 3);
        for (uint32_t k = 0; cm_reader_ok(reader) && k < count; k++)
            numbers[k] = cm_read_u64(reader, cm_json_at(one, k, NULL), names[k], 0, most[k]);
        if (cm_reader_ok(reader))
            own->without[i] = (struct cm_network_without){
                (uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2]};
    }
}

static void read_hot_nodes(struct cm_workload *workload, struct cm_reader *reader,
                           struct cm_json object, struct cm_network_step *own)
{
    struct cm_json list;
    if (!cm_read_optional(reader, object, "hot_nodes", &list))
        return;
    const uint32_t count = cm_read_list(reader, list, "hot_nodes", 1, CM_CIRCULAR_NODES_MAX);
    uint32_t *nodes = cm_workload_allocate(workload, reader, count, sizeof *nodes);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < count; i++)
        nodes[i] = (uint32_t)cm_read_u64(reader, cm_json_at(list, i, NULL), "a hot node", 0,
                                         CM_CIRCULAR_NODES_MAX - 1);
    own->task.hot_nodes = nodes;
    own->task.hot_count = count;
}

static void read_sizes(struct cm_workload *workload, struct cm_reader *reader,
                       struct cm_json object, struct cm_network_step *own)
{
    struct cm_json list;
    if (!cm_read_optional(reader, object, "sizes", &list))
        return;
    const uint32_t count = cm_read_list(reader, list, "sizes", 1, SIZES_MAX);
    struct cm_traffic_size *sizes = cm_workload_allocate(workload, reader, count, sizeof *sizes);
    if (own->task.pattern == CM_PATTERN_LIST)
        cm_reader_fail(reader, list, "a list has its own sizes");
    for (uint32_t i = 0; cm_reader_ok(reader) && i < count; i++) {
        struct cm_json one = cm_json_at(list, i, NULL);
        cm_read_list(reader, one, "words and share", 2, 2);
        if (!cm_reader_ok(reader))
            return;
        sizes[i].words = (uint32_t)cm_read_u64(reader, cm_json_at(one, 0, NULL),
                                               "words of a message", 1, CM_ROUTER_WORDS_MAX);
        sizes[i].share = cm_read_f64(reader, cm_json_at(one, 1, NULL), "a share");
        if (!(sizes[i].share > 0 && sizes[i].share <= 1))
            cm_reader_fail(reader, one, "the share of a size is %g, expected above 0, at most 1",
                           sizes[i].share);
    }
    own->task.sizes = sizes;
    own->task.size_count = count;
}

static void read_burst(struct cm_reader *reader, struct cm_json object, struct cm_network_step *own)
{
    struct cm_json list;
    if (!cm_read_optional(reader, object, "burst", &list))
        return;
    double *const means[] = {&own->task.burst_on, &own->task.burst_off};
    cm_read_list(reader, list, "burst", 2, 2);
    for (uint32_t i = 0; cm_reader_ok(reader) && i < 2; i++) {
        struct cm_json one = cm_json_at(list, i, NULL);
        *means[i] = cm_read_f64(reader, one, "a mean length");
        if (!(*means[i] >= 1 && *means[i] <= BURST_MAX))
            cm_reader_fail(reader, one, "a mean length of %g word times, expected 1 to %g",
                           *means[i], BURST_MAX);
    }
}

void cm_route_read_lists(struct cm_workload *workload, struct cm_reader *reader,
                         struct cm_json object, struct cm_network_step *own)
{
    read_without(workload, reader, object, own);
    read_hot_nodes(workload, reader, object, own);
    read_sizes(workload, reader, object, own);
    read_burst(reader, object, own);
}

/* ---- settings ---- */

static void write_without(const struct cm_network_step *own, struct cm_json_writer *json)
{
    if (own->without_count == 0)
        return;
    cm_json_write_list(json, "without");
    for (uint32_t i = 0; i < own->without_count; i++) {
        const struct cm_network_without *w = &own->without[i];
        const uint64_t numbers[] = {w->node, w->dimension, w->channel};
        uint32_t count = 1;
        while (count < 3 && numbers[count] != CM_NETWORK_ALL)
            count++;
        cm_json_write_numbers(json, NULL, numbers, count);
    }
    cm_json_write_end(json);
}

static void write_rates(const struct cm_network_step *own, struct cm_json_writer *json)
{
    if (own->rate_count == 0)
        return;
    cm_json_write_list(json, "rates");
    for (uint32_t i = 0; i < own->rate_count; i++)
        cm_json_write_f64(json, NULL, own->rates[i]);
    cm_json_write_end(json);
}

static void write_hot_nodes(const struct cm_traffic_task *task, struct cm_json_writer *json)
{
    if (task->hot_count == 0)
        return;
    cm_json_write_list(json, "hot_nodes");
    for (uint32_t i = 0; i < task->hot_count; i++)
        cm_json_write_u64(json, NULL, task->hot_nodes[i]);
    cm_json_write_end(json);
}

static void write_pair(const char *key, double first, double second, struct cm_json_writer *json)
{
    cm_json_write_list(json, key);
    cm_json_write_f64(json, NULL, first);
    cm_json_write_f64(json, NULL, second);
    cm_json_write_end(json);
}

static void write_sizes(const struct cm_traffic_task *task, struct cm_json_writer *json)
{
    if (task->size_count == 0)
        return;
    cm_json_write_list(json, "sizes");
    for (uint32_t i = 0; i < task->size_count; i++)
        write_pair(NULL, task->sizes[i].words, task->sizes[i].share, json);
    cm_json_write_end(json);
}

void cm_route_write_lists(const struct cm_network_step *own, struct cm_json_writer *json)
{
    write_without(own, json);
    write_hot_nodes(&own->task, json);
    write_sizes(&own->task, json);
    if (own->task.burst_on > 0)
        write_pair("burst", own->task.burst_on, own->task.burst_off, json);
    write_rates(own, json);
}
