/*
 * Running the steps "shift" and "route". A shift moves real messages: word w of label i is a number made of both, so that
 * every word can be checked where it arrives. Its plan is executed by an IMP; e-cube goes through the router.
 */
#include "network_private.h"

#include "../../base/file.h"
#include "../../sim/observer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PACKETS_KEPT (UINT64_C(1) << 20)
#define CYCLE_SHOWN  8u /* channels of a deadlock in its message */

static enum cm_status out_of_memory(struct cm_error *err)
{
    return cm_error_set(err, CM_NO_MEMORY, "out of memory for the traffic on the network");
}

static uint32_t message_word(uint32_t label, uint32_t word)
{
    uint64_t x = ((uint64_t)label << 32 | word) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32 ^ x);
}

/* The square mesh, when no shape was given. */
static enum cm_status choose_square(struct cm_circular *shift, struct cm_error *err)
{
    uint32_t side = 1;
    if (shift->topology != CM_TOPOLOGY_MESH || shift->rows != 0)
        return CM_OK;
    while (side * side < shift->nodes)
        side++;
    shift->rows = shift->columns = side;
    if (side * side == shift->nodes)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT, "%" PRIu32 " nodes make no square mesh, and no shape is given",
                 shift->nodes);
    return cm_error_hint(err,
                         "give the shape, rows and columns: \"shape\": [2, 4], or --shape 2x4");
}

static enum cm_status make_plan(struct cm_system *system, struct cm_network *network,
                                struct cm_error *err)
{
    struct cm_circular shift = network->step->shift;
    uint32_t nodes = cm_machine_nodes(system->machine);
    if (!network->step->nodes_given)
        shift.nodes = nodes;
    enum cm_status status = choose_square(&shift, err);
    if (status == CM_OK)
        status = cm_circular_plan(&shift, &network->plan, err);
    if (status != CM_OK || UINT32_C(1) << network->plan.dimensions <= nodes)
        return status;
    cm_error_set(err, CM_BAD_INPUT,
                 "the shift lies on a cube of %" PRIu32 " nodes, but only %" PRIu32 " are used",
                 UINT32_C(1) << network->plan.dimensions, nodes);
    return cm_error_hint(err, "set the workload's nodes, or give --nodes");
}

/* What the machine says where the step does not. */
static void complete_options(struct cm_system *system, struct cm_network *network)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    struct cm_router_options *router = &network->task.router;
    bool given = router->buffer_words != 0;
    router->header_words = config->router_header_words;
    if (router->channels == 0)
        router->channels = config->network_channels_per_dimension;
    if (!given)
        router->buffer_words = config->router_buffer_words;
    if (!given && router->switching != CM_SWITCHING_WORMHOLE &&
        router->buffer_words < router->words)
        router->buffer_words = router->words; /* the least that these ways of switching need */
    router->dimensions =
        network->step->is_shift ? network->plan.dimensions : cm_machine_dimensions(system->machine);
}

/* E-cube: a packet for each message, over one channel of a dimension, as the textbook has it. */
static enum cm_status make_messages(struct cm_network *network, struct cm_error *err)
{
    const struct cm_circular_plan *plan = &network->plan;
    uint32_t p = plan->task.nodes;
    network->list = calloc(p, sizeof *network->list);
    if (network->list == NULL)
        return out_of_memory(err);
    for (uint32_t label = 0; label < p; label++)
        network->list[label] = (struct cm_router_packet){
            plan->node_of[label], plan->node_of[(label + plan->task.by) % p], 0};
    network->task = (struct cm_traffic_task){
        .router = {.channels = 1, .words = plan->task.words, .switching = CM_SWITCHING_CUT_THROUGH},
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
    uint64_t words = plan->run_count + 2 * (uint64_t)plan->task.words;
    enum cm_status status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, words,
                                             "the messages of a shift", &network->table, err);
    if (status != CM_OK)
        return status;
    network->allocated = true;
    network->source = network->table + plan->run_count;
    network->destination = network->source + plan->task.words;
    uint32_t *table = cm_network_table(config, plan, nodes);
    if (table == NULL)
        return out_of_memory(err);
    for (uint32_t i = 0; status == CM_OK && i < plan->run_count; i++)
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
    enum cm_status status = plane == NULL ? out_of_memory(err) : CM_OK;
    for (uint32_t w = 0; status == CM_OK && w < plan->task.words; w++) {
        for (uint32_t label = 0; label < plan->task.nodes; label++)
            plane[plan->node_of[label]] = message_word(label, w);
        status = cm_machine_write_plane(system->machine, network->source + w, plane, err);
    }
    free(plane);
    return status;
}

static enum cm_status prepare_shift(struct cm_system *system, struct cm_network *network,
                                    struct cm_error *err)
{
    struct cm_buffer text;
    enum cm_status status = make_plan(system, network, err);
    if (status == CM_OK && network->plan.run_count == 0)
        status = make_messages(network, err);
    if (status == CM_OK)
        status = allocate(system, network, err);
    if (status == CM_OK && !cm_machine_timing_only(system->machine))
        status = write_messages(system, network, err);
    if (status != CM_OK)
        return status;
    if (network->plan.run_count > 0) {
        network->imp = cm_network_compile(cm_machine_config(system->machine), &network->plan);
        if (network->imp == NULL)
            return out_of_memory(err);
    }
    if (network->plan.task.nodes > 64) /* tables are for reading */
        return CM_OK;
    cm_buffer_init(&text);
    cm_circular_table(&network->plan, &text);
    network->report.table = text.data;
    return cm_buffer_ok(&text) ? CM_OK : out_of_memory(err);
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
    if (step->task.by >= nodes)
        return cm_error_set(err, CM_BAD_INPUT, "by is %" PRIu32 ", expected 1 to %" PRIu32,
                            step->task.by, nodes - 1);
    if (step->list == NULL)
        return CM_OK;
    char *path = cm_path_beside(file, step->list);
    if (path == NULL)
        return out_of_memory(err);
    enum cm_status status =
        cm_pattern_read(path, nodes, &network->list, &network->task.list_count, err);
    network->task.list = network->list;
    free(path);
    return status;
}

enum cm_status cm_network_create(struct cm_system *system, const struct cm_network_step *step,
                                 const char *file, struct cm_network **network,
                                 struct cm_error *err)
{
    struct cm_network *made = calloc(1, sizeof *made);
    *network = made;
    if (made == NULL)
        return out_of_memory(err);
    made->step = step;
    enum cm_status status =
        step->is_shift ? prepare_shift(system, made, err) : prepare_route(system, made, file, err);
    if (status == CM_OK)
        complete_options(system, made);
    return status;
}

void cm_network_destroy(struct cm_system *system, struct cm_network *network)
{
    if (network == NULL)
        return;
    if (network->allocated)
        cm_heap_free(system->heap, network->table);
    cm_imp_destroy(network->imp);
    cm_circular_plan_finish(&network->plan);
    free(network->report.channels);
    free(network->report.packets);
    free(network->report.table);
    free(network->list);
    free(network);
}

static enum cm_status describe_deadlock(const struct cm_router_result *result, struct cm_error *err)
{
    struct cm_buffer text;
    uint32_t shown = result->cycle_count < CYCLE_SHOWN ? result->cycle_count : CYCLE_SHOWN;
    cm_buffer_init(&text);
    for (uint32_t i = 0; i < shown; i++) {
        const struct cm_router_waiting *w = &result->cycle[i];
        cm_buffer_printf(&text,
                         "%snode %" PRIu32 " dimension %" PRIu32 " channel %" PRIu32
                         " (packet %" PRIu32 " to %" PRIu32 ")",
                         i > 0 ? ", " : "", w->node, w->dimension, w->channel, w->source,
                         w->destination);
    }
    cm_error_set(err, CM_FAULT,
                 "deadlock after %" PRIu64 " word times: %" PRIu64 " packets are left, %" PRIu32
                 " channels wait in a cycle: %s%s",
                 result->word_times, result->sent - result->delivered, result->cycle_count,
                 text.data != NULL ? text.data : "", shown < result->cycle_count ? ", ..." : "");
    cm_buffer_finish(&text);
    return cm_error_hint(err,
                         "e-cube never deadlocks; Valiant and adaptive routing don't with both "
                         "channels of a dimension");
}

static enum cm_status judge(const struct cm_network *network, const struct cm_router_result *result,
                            struct cm_error *err)
{
    switch (result->end) {
    case CM_ROUTER_DEADLOCK:
        return describe_deadlock(result, err);
    case CM_ROUTER_STOPPED:
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    case CM_ROUTER_LIMIT:
        if (network->task.rate > 0)
            return CM_OK; /* reported as saturated */
        cm_error_set(err, CM_FAULT,
                     "the limit of %" PRIu64 " word times is over: %" PRIu64 " of %" PRIu64
                     " packets have not arrived",
                     network->task.router.limit, result->sent - result->delivered, result->sent);
        return cm_error_hint(err, "raise the limit, or send less");
    default:
        return CM_OK;
    }
}

static bool copy_channels(struct cm_network_report *report, const struct cm_router *router)
{
    uint32_t d = report->dimensions;
    if (report->channels == NULL)
        report->channels = calloc((size_t)report->nodes * d * 2 + 1, sizeof *report->channels);
    for (uint32_t node = 0; report->channels != NULL && node < report->nodes; node++) {
        for (uint32_t k = 0; k < d * report->router.channels; k++)
            report->channels[((size_t)node * d + k % d) * 2 + k / d] =
                cm_router_channel_use(router, node, k % d, k / d);
    }
    return report->channels != NULL;
}

static void describe_routed(struct cm_network *network, const struct cm_traffic_outcome *outcome)
{
    struct cm_network_report *report = &network->report;
    const struct cm_router_result *result = &outcome->router;
    const struct cm_network_step *step = network->step;
    free(report->packets);
    report->packets = outcome->packets;
    report->packet_count = outcome->packet_count;
    report->routed = true;
    report->steps = 1;
    report->path_length_max = report->dilation = result->path_max;
    report->congestion = result->congestion;
    report->delivered = result->delivered;
    report->sent = result->sent;
    report->word_times = result->word_times;
    report->throughput = outcome->throughput;
    report->latency = outcome->latency;
    report->open_loop = network->task.rate > 0;
    report->offered = network->task.rate;
    report->saturated = outcome->saturated;
    report->end = result->end;
    if (result->path_max > 0)
        report->time_units =
            step->ts + step->th * result->path_max +
            step->tw * (double)(result->word_times + 1 -
                                cm_router_header_time(&network->task.router, result->path_max));
}

/* What the router has carried lies where it was sent: the run-time library takes packets from it without the IMP. */
static enum cm_status move_messages(struct cm_system *system, const struct cm_network *network,
                                    struct cm_error *err)
{
    uint32_t nodes = cm_machine_nodes(system->machine);
    uint32_t *planes = calloc((size_t)nodes * 2, sizeof *planes);
    enum cm_status status = planes == NULL ? out_of_memory(err) : CM_OK;
    for (uint32_t w = 0; status == CM_OK && w < network->plan.task.words; w++) {
        status = cm_machine_read_plane(system->machine, network->source + w, planes, err);
        for (uint64_t i = 0; i < network->task.list_count; i++)
            planes[nodes + network->list[i].destination] = planes[network->list[i].source];
        if (status == CM_OK)
            status = cm_machine_write_plane(system->machine, network->destination + w,
                                            planes + nodes, err);
    }
    free(planes);
    return status;
}

static enum cm_status run_router(struct cm_system *system, struct cm_network *network,
                                 struct cm_error *err)
{
    struct cm_network_report *report = &network->report;
    struct cm_traffic_outcome outcome;
    struct cm_router *router;
    report->router = network->task.router;
    report->dimensions = network->task.router.dimensions;
    report->nodes = UINT32_C(1) << report->dimensions;
    enum cm_status status = cm_router_create(&network->task.router, &router, err);
    if (status != CM_OK)
        return status;
    cm_machine_route_begins(system->machine, &network->task.router);
    status = cm_traffic_send(router, &network->task, &outcome, err);
    if (status == CM_OK)
        describe_routed(network, &outcome);
    if (status == CM_OK && !copy_channels(report, router))
        status = out_of_memory(err);
    cm_router_destroy(router);
    if (status != CM_OK)
        return status;
    cm_machine_route(system->machine, outcome.router.word_times,
                     outcome.router.hops * network->task.router.words);
    status = judge(network, &outcome.router, err);
    if (status == CM_OK && network->step->is_shift && !cm_machine_timing_only(system->machine))
        status = move_messages(system, network, err);
    return status;
}

/* All messages of a plan take their steps together. */
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
    report->throughput = (double)plan->task.words / (double)time;
    report->latency = (struct cm_traffic_latency){.mean = (double)time,
                                                  .p50 = time,
                                                  .p99 = time,
                                                  .max = time,
                                                  .header = 0,
                                                  .body = (double)time};
    report->time_units = plan->steps * (network->step->ts + network->step->tw * plan->task.words);
}

enum cm_status cm_network_run(struct cm_system *system, struct cm_network *network,
                              bool (*stop)(void *), void *stop_context, struct cm_error *err)
{
    struct cm_buffer formula;
    const struct cm_actual actuals[] = {{.address = network->table},
                                        {.address = network->source},
                                        {.address = network->destination}};
    network->report.timed = network->step->timed;
    if (network->step->is_shift) {
        cm_buffer_init(&formula);
        cm_circular_formula(&network->plan.task, &formula);
        if (cm_buffer_ok(&formula) && formula.length < sizeof network->report.formula)
            memcpy(network->report.formula, formula.data, formula.length + 1);
        cm_buffer_finish(&formula);
    }
    network->task.keep = PACKETS_KEPT;
    network->task.stop = stop;
    network->task.stop_context = stop_context;
    network->task.observer = cm_machine_observer(system->machine);
    if (network->imp == NULL)
        return run_router(system, network, err);
    describe_plan(system, network);
    return cm_system_run_overlay(system, network->imp, actuals, CM_ENTRY_RUNTIME, err);
}

enum cm_status cm_network_check(struct cm_system *system, const struct cm_network *network,
                                uint64_t *mismatches, struct cm_error *err)
{
    const struct cm_circular *task = &network->plan.task;
    *mismatches = 0;
    if (!network->step->is_shift)
        return CM_OK;
    uint32_t *plane = calloc(cm_machine_nodes(system->machine), sizeof *plane);
    enum cm_status status = plane == NULL ? out_of_memory(err) : CM_OK;
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

enum cm_status cm_network_take_words(struct cm_network *network, const uint64_t *words,
                                     uint32_t dimensions, uint32_t channels, struct cm_error *err)
{
    struct cm_network_report *report = &network->report;
    uint32_t d = report->dimensions, count = report->nodes * d * 2;
    if (report->channels == NULL)
        report->channels = calloc(count + 1u, sizeof *report->channels);
    if (report->channels == NULL)
        return out_of_memory(err);
    report->router.channels = channels;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = ((size_t)(i / 2 / d) * dimensions + i / 2 % d) * 2 + i % 2;
        report->channels[i].words = words[at];
    }
    return CM_OK;
}
