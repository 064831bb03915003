/* Makes the packets or flows of a step from the lines of a list. All packets have the same number
 * of words, so a message with more words becomes several packets, one after the other. */
#include "../../base/file.h"
#include "list.h"
#include "network_private.h"

#include <inttypes.h>
#include <stdlib.h>

#define FLOWS_MAX (UINT64_C(1) << 24)

struct messages {
    struct cm_list_line *items;
    uint64_t count;
};

static uint32_t divisor_of(uint32_t a, uint32_t b)
{
    while (b != 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Chooses the largest number of words of a packet that divides the words of all messages, unless
 * the step gives a number. */
static void choose_words(const struct messages *messages, struct cm_network *network)
{
    uint32_t words = 0;
    if (network->step->words_given)
        return;
    for (uint64_t i = 0; i < messages->count; i++)
        words = divisor_of(words, messages->items[i].words);
    if (words > 0)
        network->task.router.words = words;
}

/* Returns the number of packets of a message. A message of unknown length is one packet. */
static uint32_t packets_of(const struct cm_list_line *message, uint32_t words)
{
    return message->words == 0 ? 1 : (message->words + words - 1) / words;
}

/* Stores the messages as the task's list of packets. If packets carry blocks of an array, the
 * blocks give the lengths, and the lengths in the list are ignored. */
static enum cm_status make_packets(const struct messages *messages, struct cm_network *network,
                                   struct cm_error *err)
{
    bool several = false;
    network->list = calloc(messages->count, sizeof *network->list);
    network->list_packets = calloc(messages->count, sizeof *network->list_packets);
    if (network->list == NULL || network->list_packets == NULL)
        return cm_error_no_memory(err);
    for (uint64_t i = 0; i < messages->count; i++) {
        const struct cm_list_line *message = &messages->items[i];
        network->list[i] = (struct cm_router_packet){.source = message->source,
                                                     .destination = message->destination,
                                                     .created = message->time};
        network->list_packets[i] = packets_of(message, network->task.router.words);
        several = several || network->list_packets[i] > 1;
    }
    network->task.list = network->list;
    network->task.list_packets =
        several && network->src_array == NULL ? network->list_packets : NULL;
    network->task.list_count = messages->count;
    return CM_OK;
}

/* Stores the flows in the task. If the step has no rate, its rate is the mean rate of the flows per
 * node. */
static enum cm_status make_flows(const struct messages *messages, uint32_t nodes,
                                 struct cm_network *network, struct cm_error *err)
{
    struct cm_traffic_task *task = &network->task;
    if (messages->count > FLOWS_MAX)
        return cm_error_set(err, CM_BAD_INPUT,
                            "the list has %" PRIu64 " flows, expected %" PRIu64 " at most",
                            messages->count, FLOWS_MAX);
    network->flows = calloc(messages->count, sizeof *network->flows);
    if (network->flows == NULL)
        return cm_error_no_memory(err);
    for (uint64_t i = 0; i < messages->count; i++) {
        const struct cm_list_line *flow = &messages->items[i];
        network->flows[i] = (struct cm_traffic_flow){.source = flow->source,
                                                     .destination = flow->destination,
                                                     .words = flow->words,
                                                     .rate = flow->rate};
        task->flow_rate += flow->rate;
    }
    task->flows = network->flows;
    task->flow_count = (uint32_t)messages->count;
    if (task->rate == 0)
        task->rate = task->flow_rate / nodes;
    return CM_OK;
}

enum cm_status cm_network_read_list(struct cm_system *system, struct cm_network *network,
                                    const char *file, struct cm_error *err)
{
    const struct cm_list_options options = {
        .nodes = cm_machine_nodes(system->machine),
        .word_cycles = cm_machine_config(system->machine)->router_word_cycles,
        .permutation = network->src_array != NULL,
        .flows = network->task.pattern == CM_PATTERN_FLOWS,
    };
    struct messages messages;
    char *list = cm_path_beside(file, network->step->list);
    if (list == NULL)
        return cm_error_no_memory(err);
    enum cm_status status = cm_list_read(list, &options, &messages.items, &messages.count, err);
    free(list);
    if (status != CM_OK)
        return status;
    if (!options.permutation)
        choose_words(&messages, network);
    status = options.flows ? make_flows(&messages, options.nodes, network, err)
                           : make_packets(&messages, network, err);
    free(messages.items);
    return status;
}
