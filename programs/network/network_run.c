/*
 * Runs the steps "shift" and "route". A shift moves real messages: word w of the message of label i
 * is a number made of i and w, so every word can be checked where it arrives. An IMP executes the
 * plan of a shift. The method e-cube uses the router.
 */
#include "network_private.h"

#include "../../base/file.h"
#include "../../base/random.h"
#include "../../sim/machine/observer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint32_t message_word(uint32_t label, uint32_t word)
{
    uint64_t x = ((uint64_t)label << 32 | word) * CM_GOLDEN_RATIO;
    return (uint32_t)(x >> 32 ^ x);
}

/* Chooses a square mesh if the step does not give its shape. */
static enum cm_status choose_square(struct cm_circular *circular, struct cm_error *err)
{
    uint32_t side = 1;
    if (circular->topology != CM_TOPOLOGY_MESH || circular->rows != 0)
        return CM_OK;
    while (side * side < circular->nodes)
        side++;
    circular->rows = circular->columns = side;
    if (side * side == circular->nodes)
        return CM_OK;
    return cm_error_refuse(err, "give the shape, rows and columns: \"shape\": [2, 4]",
                           "%" PRIu32 " nodes do not make a square mesh, and no shape is given",
                           circular->nodes);
}

static enum cm_status make_plan(struct cm_system *system, struct cm_network *network,
                                struct cm_error *err)
{
    struct cm_circular circular = network->step->shift;
    uint32_t nodes = cm_machine_nodes(system->machine);
    if (!network->step->nodes_given)
        circular.nodes = nodes;
    enum cm_status status = choose_square(&circular, err);
    if (status == CM_OK)
        status = cm_circular_plan(&circular, &network->plan, err);
    if (status != CM_OK || UINT32_C(1) << network->plan.dimensions <= nodes)
        return status;
    return cm_error_refuse(err, "set the workload's nodes, or give --nodes",
                           "the shift needs a cube of %" PRIu32 " nodes, but only %" PRIu32
                           " are used",
                           UINT32_C(1) << network->plan.dimensions, nodes);
}

void cm_network_complete_options(const struct cm_config *config, struct cm_router_options *router)
{
    bool given = router->buffer_words != 0;
    router->header_words = config->router_header_words;
    if (router->channels == 0)
        router->channels = config->network_channels_per_dimension;
    if (!given)
        router->buffer_words = config->router_buffer_words;
    if (!given && router->switching != CM_SWITCHING_WORMHOLE &&
        router->buffer_words < router->words)
        /* cut-through and store-and-forward need buffers for a whole packet */
        router->buffer_words = router->words;
}

/* Completes the options of a step's router by the numbers of the machine description. */
static void complete_options(struct cm_system *system, struct cm_network *network)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    network->word_cycles = config->router_word_cycles;
    cm_network_complete_options(config, &network->task.router);
    network->task.router.threads = cm_machine_threads(system->machine);
    network->task.router.dimensions =
        network->step->is_shift ? network->plan.dimensions : cm_machine_dimensions(system->machine);
}

/* Returns the router's options for messages over one channel of a dimension, as in the textbook. */
struct cm_router_options cm_network_message_options(uint32_t words)
{
    return (struct cm_router_options){
        .channels = 1, .words = words, .switching = CM_SWITCHING_CUT_THROUGH};
}

struct cm_router_packet cm_network_message(const struct cm_circular_plan *plan, uint32_t label)
{
    uint32_t to = (label + plan->task.by) % plan->task.nodes;
    return (struct cm_router_packet){.source = plan->node_of[label],
                                     .destination = plan->node_of[to]};
}

/* Makes a packet for each message of a shift by e-cube. */
static enum cm_status make_messages(struct cm_network *network, struct cm_error *err)
{
    const struct cm_circular_plan *plan = &network->plan;
    uint32_t p = plan->task.nodes;
    network->list = calloc(p, sizeof *network->list);
    if (network->list == NULL)
        return cm_error_no_memory(err);
    for (uint32_t label = 0; label < p; label++)
        network->list[label] = cm_network_message(plan, label);
    network->task = (struct cm_traffic_task){
        .router = cm_network_message_options(plan->task.words),
        .pattern = CM_PATTERN_LIST,
        .list = network->list,
        .list_count = p,
    };
    return CM_OK;
}

static enum cm_status allocate(struct cm_system *system, struct cm_network *network,
                               struct cm_error *err)
{
    const struct cm_circular_plan *plan = &network->plan;
    const struct cm_config *config = cm_machine_config(system->machine);
    uint32_t nodes = cm_machine_nodes(system->machine);
    uint32_t ways = cm_network_ways(plan), table_words = plan->run_count * ways;
    uint64_t words = table_words + (1 + ways) * (uint64_t)plan->task.words;
    enum cm_status status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, words,
                                             "the messages of a shift", &network->table, err);
    if (status != CM_OK)
        return status;
    network->allocated = true;
    network->source = network->table + table_words;
    network->destination = network->source + plan->task.words;
    uint32_t *table = cm_network_table(config, plan, nodes);
    if (table == NULL)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; status == CM_OK && i < table_words; i++)
        status = cm_machine_write_plane(system->machine, network->table + i,
                                        table + (size_t)i * nodes, err);
    free(table);
    return status;
}

static enum cm_status write_messages(struct cm_system *system, const struct cm_network *network,
                                     struct cm_error *err)
{
    const struct cm_circular_plan *plan = &network->plan;
    uint32_t *plane = calloc(cm_machine_nodes(system->machine), sizeof *plane);
    enum cm_status status = plane == NULL ? cm_error_no_memory(err) : CM_OK;
    for (uint32_t w = 0; status == CM_OK && w < plan->task.words; w++) {
        for (uint32_t label = 0; label < plan->task.nodes; label++)
            plane[plan->node_of[label]] = message_word(label, w);
        status = cm_machine_write_plane(system->machine, network->source + w, plane, err);
    }
    free(plane);
    return status;
}

static enum cm_status write_table(struct cm_network *network, struct cm_error *err)
{
    struct cm_buffer text;
    if (network->plan.task.nodes > CM_NETWORK_TABLE_NODES_MAX)
        return CM_OK;
    cm_buffer_init(&text);
    cm_circular_table(&network->plan, &text);
    network->report.table = text.data;
    return cm_buffer_ok(&text) ? CM_OK : cm_error_no_memory(err);
}

static enum cm_status prepare_shift(struct cm_system *system, struct cm_network *network,
                                    struct cm_error *err)
{
    bool planned = false;
    enum cm_status status = make_plan(system, network, err);
    if (status == CM_OK) {
        planned = network->plan.run_count > 0;
        status = planned ? CM_OK : make_messages(network, err);
    }
    if (status == CM_OK)
        status = allocate(system, network, err);
    if (status == CM_OK && !cm_machine_timing_only(system->machine))
        status = write_messages(system, network, err);
    if (status == CM_OK && planned) {
        network->imp = cm_network_compile(cm_machine_config(system->machine), &network->plan);
        status = network->imp == NULL ? cm_error_no_memory(err) : CM_OK;
    }
    return status == CM_OK ? write_table(network, err) : status;
}

/* Checks that the blocks of an array can be sent: every node must have a block, and every word of
 * the block must belong to an element. */
static enum cm_status prepare_blocks(struct cm_network *network, struct cm_error *err)
{
    const struct cm_array *array = network->src_array;
    const struct cm_layout *layout = &array->layout;
    struct cm_router_options *router = &network->task.router;
    bool whole = layout->used_bits == layout->node_bits && !cm_array_is_allocated(array) &&
                 layout->elements == layout->local_elements << layout->node_bits;
    if (!whole)
        return cm_error_refuse(
            err, "choose a canonical layout without padding, on all nodes",
            "route sends array \"%s\" node by node, but not all of its nodes are full",
            array->name);
    if (!network->step->words_given && layout->local_words <= CM_ROUTER_WORDS_MAX)
        router->words = (uint32_t)layout->local_words;
    else if (!network->step->words_given)
        router->words = CM_ROUTER_WORDS_MAX;
    network->task.rounds = (layout->local_words + router->words - 1) / router->words;
    return CM_OK;
}

static enum cm_status prepare_route(struct cm_system *system, struct cm_network *network,
                                    const char *file, struct cm_error *err)
{
    const struct cm_network_step *step = network->step;
    uint32_t nodes = cm_machine_nodes(system->machine);
    network->task = step->task;
    if (step->task.hot_node >= nodes)
        return cm_error_set(err, CM_BAD_INPUT,
                            "hot is node %" PRIu32 ", but the nodes are 0 to %" PRIu32,
                            step->task.hot_node, nodes - 1);
    for (uint32_t i = 0; i < step->task.hot_count; i++)
        if (step->task.hot_nodes[i] >= nodes)
            return cm_error_set(err, CM_BAD_INPUT,
                                "hot_nodes has node %" PRIu32 ", but the nodes are 0 to %" PRIu32,
                                step->task.hot_nodes[i], nodes - 1);
    if (step->task.by >= nodes)
        return cm_error_set(err, CM_BAD_INPUT, "by is %" PRIu32 ", expected 1 to %" PRIu32,
                            step->task.by, nodes - 1);
    enum cm_status status = network->src_array != NULL ? prepare_blocks(network, err) : CM_OK;
    if (status != CM_OK || step->list == NULL)
        return status;
    return cm_network_read_list(system, network, file, err);
}

enum cm_status cm_network_create(struct cm_system *system, const struct cm_network_step *step,
                                 const struct cm_network_place *place, struct cm_network **network,
                                 struct cm_error *err)
{
    struct cm_network *made = calloc(1, sizeof *made);
    *network = made;
    if (made == NULL)
        return cm_error_no_memory(err);
    made->step = step;
    made->src_array = place->src_array;
    made->dst_array = place->dst_array;
    made->verify = place->verify;
    enum cm_status status = step->is_shift ? prepare_shift(system, made, err)
                                           : prepare_route(system, made, place->file, err);
    if (status != CM_OK)
        return status;
    complete_options(system, made);
    return step->is_shift ? CM_OK : cm_network_fail(made, err);
}

static void drop_imp(struct cm_system *system, struct cm_network *network)
{
    if (network->imp != NULL)
        cm_machine_unload_imp(system->machine, network->imp);
    cm_imp_destroy(network->imp);
}

void cm_network_destroy(struct cm_system *system, struct cm_network *network)
{
    if (network == NULL)
        return;
    if (network->allocated)
        cm_heap_free(system->heap, network->table);
    drop_imp(system, network);
    cm_circular_plan_finish(&network->plan);
    free(network->report.channels);
    free(network->report.blocked_rows);
    free(network->report.blocked);
    free(network->report.packets);
    free(network->report.points);
    free(network->report.table);
    free(network->list);
    free(network->list_packets);
    free(network->flows);
    free(network->failures);
    free(network);
}

static enum cm_status run_imp(struct cm_system *system, const struct cm_network *network,
                              struct cm_error *err)
{
    const struct cm_actual actuals[] = {
        {.address = network->table},
        {.address = network->source},
        {.address = network->destination},
        {.address = network->destination + network->plan.task.words},
    };
    return cm_system_run_overlay(system, network->imp, actuals, CM_ENTRY_RUNTIME, err);
}

enum cm_status cm_network_run_plan(struct cm_system *system, const struct cm_circular_plan *plan,
                                   struct cm_error *err)
{
    struct cm_network network = {.plan = *plan};
    enum cm_status status = allocate(system, &network, err);
    if (status == CM_OK) {
        network.imp = cm_network_compile(cm_machine_config(system->machine), plan);
        status = network.imp == NULL ? cm_error_no_memory(err) : run_imp(system, &network, err);
    }
    drop_imp(system, &network);
    if (network.allocated)
        cm_heap_free(system->heap, network.table);
    return status;
}

/* Fills in the report of a plan, whose messages all take their steps together. */
static void describe_plan(struct cm_system *system, struct cm_network *network)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const struct cm_circular_plan *plan = &network->plan;
    struct cm_network_report *report = &network->report;
    uint32_t channels = config->network_channels_per_dimension;
    uint64_t a_step = (plan->task.words + channels - 1) / channels;
    uint64_t time = plan->steps * a_step;
    report->dimensions = plan->dimensions;
    report->nodes = UINT32_C(1) << plan->dimensions;
    report->steps = plan->steps;
    report->path_length_max = plan->steps;
    report->congestion = report->dilation = 1;
    report->delivered = plan->task.nodes;
    report->word_times = time;
    report->unit_cycles = config->exchange_cycles;
    report->throughput = (double)plan->task.words / (double)time;
    report->latency = (struct cm_traffic_latency){.mean = (double)time,
                                                  .p50 = time,
                                                  .p99 = time,
                                                  .max = time,
                                                  .header = 0,
                                                  .body = (double)time};
    /* A step takes the start-up time ts, and tw for each word over a channel. */
    report->time_units =
        (double)plan->steps * (network->step->ts + network->step->tw * (double)a_step);
}

enum cm_status cm_network_run(struct cm_system *system, struct cm_network *network,
                              const struct cm_network_watch *watch, struct cm_error *err)
{
    struct cm_buffer formula;
    network->report.timed = network->step->timed;
    if (network->step->is_shift) {
        cm_buffer_init(&formula);
        cm_circular_formula(&network->plan.task, &formula);
        bool good = cm_buffer_ok(&formula);
        if (good && formula.length < sizeof network->report.formula)
            memcpy(network->report.formula, formula.data, formula.length + 1);
        cm_buffer_finish(&formula);
        network->report.formula_units = cm_circular_formula_time(
            &network->plan.task, network->step->ts, network->step->tw, network->step->th);
        if (!good)
            return cm_error_no_memory(err);
    }
    if (network->imp == NULL)
        return cm_network_route(system, network, watch, err);
    describe_plan(system, network);
    return run_imp(system, network, err);
}

enum cm_status cm_network_check(struct cm_system *system, const struct cm_network *network,
                                uint64_t *mismatches, struct cm_error *err)
{
    const struct cm_circular *task = &network->plan.task;
    *mismatches = network->mismatches;
    if (!network->step->is_shift)
        return CM_OK;
    uint32_t *plane = calloc(cm_machine_nodes(system->machine), sizeof *plane);
    enum cm_status status = plane == NULL ? cm_error_no_memory(err) : CM_OK;
    for (uint32_t w = 0; status == CM_OK && w < task->words; w++) {
        status = cm_machine_read_plane(system->machine, network->destination + w, plane, err);
        for (uint32_t label = 0; label < task->nodes; label++) {
            uint32_t to = (label + task->by) % task->nodes;
            *mismatches += plane[network->plan.node_of[to]] != message_word(label, w);
        }
    }
    free(plane);
    return status;
}

static uint64_t count_between(uint64_t first, uint64_t end)
{
    return first < end ? end - first : 0;
}

/* Returns the number of messages of a linear array that cross from one label to a neighbouring
 * label. Returns 0 for other pairs of labels. */
static uint64_t messages_between(const struct cm_circular *task, uint32_t from, uint32_t to)
{
    uint64_t p = task->nodes, q = task->by, x = from, first;
    if (from == CM_CIRCULAR_NOBODY || to == CM_CIRCULAR_NOBODY)
        return 0;
    if (to == from + 1) { /* The messages of the labels below p - q go q places forward. */
        first = x + 1 > q ? x + 1 - q : 0;
        return count_between(first, x + 1 < p - q ? x + 1 : p - q);
    }
    if (to + 1 == from) { /* The messages of the other labels go p - q places back. */
        first = x > p - q ? x : p - q;
        return count_between(first, x + p - q < p ? x + p - q : p);
    }
    return 0;
}

/* Returns how many messages of the plan a channel carries. If a dimension has two channels, each
 * channel carries every second word of a message. */
static uint64_t messages_over(const struct cm_circular_plan *plan, uint32_t node,
                              uint32_t dimension, uint32_t channel, uint32_t channels)
{
    uint64_t messages = 0;
    if (channel >= channels || channel >= plan->task.words)
        return 0;
    if (plan->task.topology == CM_TOPOLOGY_LINEAR)
        return messages_between(&plan->task, plan->label_of[node],
                                plan->label_of[node ^ UINT32_C(1) << dimension]);
    for (uint32_t i = 0; i < plan->run_count; i++)
        if ((plan->runs[i].to[node] ^ node) == UINT32_C(1) << dimension)
            messages += plan->runs[i].times;
    return messages;
}

enum cm_status cm_network_take_words(struct cm_network *network, const uint64_t *words,
                                     uint32_t dimensions, uint32_t channels, struct cm_error *err)
{
    struct cm_network_report *report = &network->report;
    uint32_t d = report->dimensions, count = report->nodes * d * 2;
    if (report->channels == NULL)
        report->channels = calloc(count + 1u, sizeof *report->channels);
    if (report->channels == NULL)
        return cm_error_no_memory(err);
    report->router.channels = channels;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = ((size_t)(i / 2 / d) * dimensions + i / 2 % d) * 2 + i % 2;
        report->channels[i].words = words[at];
        report->channels[i].packets =
            messages_over(&network->plan, i / 2 / d, i / 2 % d, i % 2, channels);
    }
    return CM_OK;
}
