/*
 * Steps that use the router: one batch, one rate or several rates, the contents of packets, and the
 * report. The run-time library moves packets from node memory and back without an IMP, which costs
 * nothing here.
 */
#include "../../base/list.h"
#include "../../sim/machine/observer.h"
#include "network_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PACKETS_KEPT (UINT64_C(1) << 20)
#define CYCLE_SHOWN  8u /* most channels of a deadlock that an error message names */

static enum cm_status describe_deadlock(const struct cm_network *network,
                                        const struct cm_router_result *result, struct cm_error *err)
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
    if (!cm_buffer_ok(&text)) {
        cm_buffer_finish(&text);
        return cm_error_no_memory(err);
    }
    char rate[32] = "";
    if (network->task.rate > 0)
        snprintf(rate, sizeof rate, " at rate %.6g", network->task.rate);
    cm_error_set(err, CM_FAULT,
                 "deadlock%s after %" PRIu64 " word times: %" PRIu64 " packets are left, %" PRIu32
                 " channels wait in a cycle: %s%s",
                 rate, result->word_times, result->sent - result->delivered - result->lost,
                 result->cycle_count, text.data != NULL ? text.data : "",
                 shown < result->cycle_count ? ", ..." : "");
    cm_buffer_finish(&text);
    if (network->task.router.failure_count > 0)
        return cm_error_hint(err,
                             "where channels have failed, adaptive routing may deadlock; e-cube "
                             "never does, and Valiant doesn't with both channels");
    return cm_error_hint(err,
                         "e-cube never deadlocks; Valiant and adaptive routing don't with both "
                         "channels of a dimension");
}

/* Returns the error of a run in which packets with blocks of an array were lost. */
static enum cm_status refuse_lost_blocks(const struct cm_router_result *result,
                                         struct cm_error *err)
{
    const struct cm_router_loss *loss = &result->losses[0];
    cm_error_set(
        err, CM_FAULT,
        "%" PRIu64 " of %" PRIu64 " packets of the array are lost, the first from node %" PRIu32
        " to %" PRIu32 ": the wire of node %" PRIu32 " in dimension %" PRIu32 " has failed",
        result->lost, result->sent, loss->source, loss->destination, loss->node, loss->dimension);
    return cm_error_hint(err, "adaptive routing goes round failed wires");
}

static enum cm_status judge(const struct cm_network *network, const struct cm_router_result *result,
                            struct cm_error *err)
{
    if (network->src_array != NULL && result->lost > 0)
        return refuse_lost_blocks(result, err);
    switch (result->end) {
    case CM_ROUTER_DEADLOCK:
        return describe_deadlock(network, result, err);
    case CM_ROUTER_STOPPED:
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    case CM_ROUTER_LIMIT:
        if (network->task.rate > 0)
            /* The limit is not an error of open-loop traffic, because the verdict about the rate
             * reports it. */
            return CM_OK;
        cm_error_set(err, CM_FAULT,
                     "the limit of %" PRIu64 " word times is reached: %" PRIu64 " of %" PRIu64
                     " packets have not arrived",
                     network->task.router.limit, result->sent - result->delivered - result->lost,
                     result->sent);
        return cm_error_hint(err, "raise the limit, or send less");
    default:
        return CM_OK;
    }
}

static void add_channel(struct cm_router_channel *sum, const struct cm_router_channel *more)
{
    sum->packets += more->packets;
    sum->words += more->words;
    sum->blocked += more->blocked;
    sum->blocked_room += more->blocked_room;
    if (more->longest_queue > sum->longest_queue)
        sum->longest_queue = more->longest_queue;
    if (more->longest_wait <= sum->longest_wait)
        return;
    sum->longest_wait = more->longest_wait;
    sum->waiter_source = more->waiter_source;
    sum->waiter_destination = more->waiter_destination;
    sum->holder_source = more->holder_source;
    sum->holder_destination = more->holder_destination;
}

/* Returns the row of the report's table of waiting times for a channel, and makes the row if the
 * channel has none. A row has one time for each input port of the blocking packet. NULL: memory ran
 * out. */
static uint64_t *blocked_row(struct cm_network *network, size_t channel)
{
    struct cm_network_report *report = &network->report;
    uint64_t end = (uint64_t)report->blocked_count * CM_ROUTER_WAYS_MAX;
    if (report->blocked_rows[channel] == 0) {
        if (!cm_array_room(report->blocked, end + CM_ROUTER_WAYS_MAX - 1,
                           network->blocked_capacity))
            return NULL;
        memset(report->blocked + end, 0, CM_ROUTER_WAYS_MAX * sizeof *report->blocked);
        report->blocked_rows[channel] = ++report->blocked_count;
    }
    return report->blocked + (size_t)(report->blocked_rows[channel] - 1) * CM_ROUTER_WAYS_MAX;
}

static bool add_channels(struct cm_network *network, const struct cm_router *router)
{
    struct cm_network_report *report = &network->report;
    uint32_t d = report->dimensions;
    for (uint32_t i = 0; i < report->nodes * d * report->router.channels; i++) {
        uint32_t channel = i % report->router.channels, dimension = i / report->router.channels % d;
        uint32_t node = i / report->router.channels / d;
        size_t at = ((size_t)node * d + dimension) * 2 + channel;
        const struct cm_router_channel use =
            cm_router_channel_use(router, node, dimension, channel);
        uint64_t ways[CM_ROUTER_WAYS_MAX];
        add_channel(&report->channels[at], &use);
        if (use.blocked == 0)
            continue;
        uint64_t *sum = blocked_row(network, at);
        if (sum == NULL)
            return false;
        cm_router_blocked_by(router, node, dimension, channel, ways);
        for (uint32_t k = 0; k < CM_ROUTER_WAYS_MAX; k++)
            sum[k] += ways[k];
    }
    return true;
}

static void describe_routed(struct cm_network *network, const struct cm_traffic_result *result)
{
    struct cm_network_report *report = &network->report;
    const struct cm_router_result *routed = &result->router;
    const struct cm_network_step *step = network->step;
    free(report->packets);
    report->packets = result->packets;
    report->packet_count = result->packet_count;
    report->routed = true;
    report->unit_cycles = network->word_cycles;
    report->steps = 1;
    report->path_length_max = report->dilation = routed->path_max;
    report->congestion = routed->congestion;
    report->delivered = routed->delivered;
    report->sent = routed->sent;
    report->lost = routed->lost;
    memcpy(report->losses, routed->losses, sizeof report->losses);
    report->word_times = routed->word_times;
    report->throughput = result->throughput;
    report->latency = result->latency;
    report->measured = result->measured;
    report->to_self = result->to_self;
    report->messages = result->messages;
    report->message_latency = result->message_latency;
    report->open_loop = network->task.rate > 0;
    report->offered = network->task.rate;
    report->saturated = result->saturated;
    report->bound = result->bound;
    report->steady = result->steady;
    report->replications = result->replications;
    report->until = network->step->until;
    report->narrow = cm_network_is_narrow(result, network->step->until);
    report->end = routed->end;
    if (routed->path_max > 0)
        report->time_units =
            step->ts + step->th * routed->path_max +
            step->tw * (double)(routed->word_times + 1 -
                                cm_router_header_time(&network->task.router, routed->path_max));
    if (report->points != NULL && routed->end != CM_ROUTER_STOPPED)
        report->points[report->point_count++] = (struct cm_network_point){
            .offered = network->task.rate,
            .accepted = result->throughput,
            .latency = result->latency,
            .measured = result->measured,
            .lost = routed->lost,
            .word_times = routed->word_times,
            .saturated = result->saturated,
            .bound = result->bound,
            .steady = result->steady,
            .replications = result->replications,
        };
}

/* Prepares the contents of packets: blocks of an array or generated words. Sets *loaded to false if
 * packets have no contents. */
static enum cm_status make_cargo(struct cm_system *system, const struct cm_network *network,
                                 struct cm_cargo *cargo, bool *loaded, struct cm_error *err)
{
    const struct cm_array *src = network->src_array, *dst = network->dst_array;
    uint32_t nodes = cm_machine_nodes(system->machine), words = network->task.router.words;
    uint64_t from = network->source, to = network->destination;
    *cargo = (struct cm_cargo){.payloads = {.words = words + 1}, .words = words};
    bool made_up = !network->step->is_shift && src == NULL;
    *loaded = !cm_machine_timing_only(system->machine) && (!made_up || network->verify);
    if (!*loaded || made_up)
        return CM_OK;
    cargo->block_words = network->plan.task.words;
    cargo->nodes = nodes;
    cargo->senders = UINT32_MAX;
    if (!network->step->is_shift) {
        cargo->block_words = src->layout.local_words;
        cargo->senders = network->list != NULL ? (uint32_t)network->task.list_count : nodes;
        from = src->address;
        to = dst->address;
    }
    enum cm_status status =
        cm_machine_planes(system->machine, from, cargo->block_words, &cargo->src, err);
    return status == CM_OK
               ? cm_machine_planes(system->machine, to, cargo->block_words, &cargo->dst, err)
               : status;
}

static enum cm_status send(struct cm_system *system, struct cm_network *network,
                           struct cm_router *router, struct cm_traffic_result *result,
                           struct cm_error *err)
{
    struct cm_cargo cargo;
    struct cm_traffic_task *task = &network->task;
    bool loaded;
    enum cm_status status = make_cargo(system, network, &cargo, &loaded, err);
    if (status != CM_OK)
        return status;
    task->load = loaded ? cm_cargo_load : NULL;
    task->unload = loaded ? cm_cargo_unload : NULL;
    task->lose = loaded ? cm_cargo_lose : NULL;
    task->cargo = &cargo;
    status = cm_traffic_send(router, task, result, err);
    if (!loaded)
        return status;
    if (cargo.src.words == NULL) {
        network->mismatches += cargo.wrong;
        if (task->rate == 0) /* In a batch all packets must arrive. */
            network->mismatches += (cargo.loaded - cargo.unloaded) * task->router.words;
    }
    cm_payloads_finish(&cargo.payloads);
    return status;
}

static bool has_ended(const struct cm_router_result *result)
{
    return result->end != CM_ROUTER_STOPPED && result->end != CM_ROUTER_DEADLOCK;
}

/* Runs the step's traffic once, as one batch or at one rate. */
static enum cm_status run_once(struct cm_system *system, struct cm_network *network,
                               struct cm_error *err)
{
    const struct cm_network_step *step = network->step;
    const bool open = network->task.rate > 0;
    struct cm_traffic_result result;
    struct cm_router *router;
    enum cm_status status = open && step->until > 0 ? cm_network_lengthen(network, err) : CM_OK;
    if (status == CM_OK)
        status = cm_router_create(&network->task.router, &router, err);
    if (status != CM_OK)
        return status;
    cm_machine_route_begins(system->machine, &network->task.router);
    status = send(system, network, router, &result, err);
    if (status == CM_OK && open && step->seeds > 1 && has_ended(&result.router))
        status = cm_network_replicate(network, &result, err);
    if (status == CM_OK)
        describe_routed(network, &result);
    if (status == CM_OK && !add_channels(network, router))
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        status = cm_system_count_routed(system, router, &network->task.router, err);
    cm_router_destroy(router);
    if (status != CM_OK)
        return status;
    if (result.router.sent > 0) /* An empty run costs nothing (system/sending.h). */
        cm_machine_route(system->machine, result.router.word_times,
                         result.router.hops * network->task.router.words);
    return judge(network, &result.router, err);
}

/* Runs the rates one after the other, each in an idle network, up to the first rate that saturates
 * it. */
static enum cm_status sweep(struct cm_system *system, struct cm_network *network,
                            const struct cm_network_watch *watch, struct cm_error *err)
{
    const struct cm_network_step *step = network->step;
    struct cm_network_report *report = &network->report;
    enum cm_status status = CM_OK;
    bool go_on = true;
    free(report->points);
    report->point_count = 0;
    report->rate_count = step->rate_count;
    report->points = calloc(step->rate_count, sizeof *report->points);
    if (report->points == NULL)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; status == CM_OK && go_on && i < step->rate_count; i++) {
        network->task.rate = step->rates[i];
        if (watch->stop != NULL && watch->stop(watch->context))
            return cm_error_set(err, CM_INTERRUPTED, "interrupted");
        status = run_once(system, network, err);
        go_on = step->past_saturation || !report->saturated;
        if (watch->progress != NULL)
            watch->progress(watch->context, "rate", i + 1, step->rate_count);
    }
    return status;
}

/* Arguments for run_once in a search for saturation. */
struct pair {
    struct cm_system *system;
    struct cm_network *network;
};

static enum cm_status run_pair(void *context, struct cm_error *err)
{
    const struct pair *pair = context;
    return run_once(pair->system, pair->network, err);
}

static bool begin_channels(struct cm_network_report *report)
{
    size_t count = (size_t)report->nodes * report->dimensions * 2 + 1;
    free(report->channels);
    free(report->blocked_rows);
    report->channels = calloc(count, sizeof *report->channels);
    report->blocked_rows = calloc(count, sizeof *report->blocked_rows);
    report->blocked_count = 0;
    return report->channels != NULL && report->blocked_rows != NULL;
}

enum cm_status cm_network_route(struct cm_system *system, struct cm_network *network,
                                const struct cm_network_watch *watch, struct cm_error *err)
{
    struct cm_network_report *report = &network->report;
    report->router = network->task.router;
    report->dimensions = network->task.router.dimensions;
    report->nodes = UINT32_C(1) << report->dimensions;
    const bool search = network->step->find_saturation > 0;
    network->task.keep = network->step->rate_count > 0 || search ? 0 : PACKETS_KEPT;
    network->task.stop = watch->stop;
    network->task.stop_context = watch->context;
    network->task.progress = watch->progress;
    network->task.observer = cm_machine_observer(system->machine);
    network->mismatches = 0;
    if (!begin_channels(report))
        return cm_error_no_memory(err);
    struct pair pair = {system, network};
    if (search)
        return cm_network_search(network, watch, run_pair, &pair, err);
    return network->step->rate_count > 0 ? sweep(system, network, watch, err)
                                         : run_once(system, network, err);
}
