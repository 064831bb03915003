/* A list of moves through the router. */
#include "routed.h"

#include "../../sim/machine/observer.h"
#include "payloads.h"

#include <inttypes.h>

enum cm_status cm_routed_init(struct cm_routed *routed, uint32_t nodes, struct cm_error *err)
{
    *routed = (struct cm_routed){.nodes = nodes};
    routed->first = malloc(nodes * sizeof *routed->first);
    routed->last = malloc(nodes * sizeof *routed->last);
    if (routed->first == NULL || routed->last == NULL) {
        cm_routed_finish(routed);
        return cm_error_no_memory(err);
    }
    for (uint32_t node = 0; node < nodes; node++)
        routed->first[node] = routed->last[node] = CM_ROUTED_END;
    return CM_OK;
}

void cm_routed_finish(struct cm_routed *routed)
{
    cm_list_finish(&routed->moves);
    free(routed->first);
    free(routed->last);
    routed->first = routed->last = NULL;
}

void cm_routed_add(struct cm_routed *routed, uint32_t source, uint32_t from, uint32_t destination,
                   uint32_t to)
{
    const uint32_t number = routed->moves.count;
    if (!cm_list_push(&routed->moves, (struct cm_routed_move){.source = source,
                                                              .destination = destination,
                                                              .from = from,
                                                              .to = to,
                                                              .next = CM_ROUTED_END}))
        return;
    if (routed->last[source] == CM_ROUTED_END)
        routed->first[source] = number;
    else
        routed->moves.items[routed->last[source]].next = number;
    routed->last[source] = number;
}

/* A run of the router: in each round every node that has a packet left sends one. */
struct sender {
    const struct cm_routed_run *run;
    const struct cm_machine *machine;
    uint32_t *next; /* a node: its next move */
    uint32_t node;
    uint64_t round;
    bool sending; /* some node has sent in this round */
    bool failed;
    struct cm_payloads payloads;
};

/* The number of the move and its words. */
static uint32_t load(struct sender *sender, uint32_t number)
{
    const struct cm_routed_run *run = sender->run;
    const struct cm_routed_move *move = &run->routed->moves.items[number];
    const uint64_t stride = run->stride ? run->stride : run->words;
    const uint32_t payload = cm_payloads_take(&sender->payloads);
    if (payload == CM_PAYLOAD_NONE) {
        sender->failed = true;
        return payload;
    }
    uint32_t *words = cm_payloads_words(&sender->payloads, payload);
    words[0] = number;
    for (uint32_t s = 0; run->src.words != NULL && s < run->words; s++)
        words[1 + s] = *cm_planes_word(&run->src, move->from * stride + s, move->source);
    return payload;
}

static bool next_packet(void *context, struct cm_router_packet *packet)
{
    struct sender *sender = context;
    const struct cm_routed *routed = sender->run->routed;
    while (!sender->failed) {
        if (sender->node == routed->nodes) {
            if (!sender->sending)
                return false;
            sender->node = 0;
            sender->sending = false;
            sender->round++;
        }
        const uint32_t node = sender->node++, number = sender->next[node];
        if (number == CM_ROUTED_END)
            continue;
        const struct cm_routed_move *move = &routed->moves.items[number];
        sender->next[node] = move->next;
        sender->sending = true;
        *packet = (struct cm_router_packet){
            .source = node,
            .destination = move->destination,
            .created = sender->round * sender->run->words, /* when it can leave at the earliest */
            .payload = load(sender, number),
        };
        return !sender->failed;
    }
    return false;
}

static void take_delivery(void *context, const struct cm_router_delivery *delivery)
{
    struct sender *sender = context;
    const struct cm_routed_run *run = sender->run;
    const uint32_t *words = cm_payloads_words(&sender->payloads, delivery->payload);
    run->deliver(run->context, &run->routed->moves.items[words[0]], words + 1);
    cm_payloads_give_back(&sender->payloads, delivery->payload);
}

static bool ask_stop(void *context)
{
    const struct sender *sender = context;
    return sender->failed || cm_machine_interrupted(sender->machine);
}

static struct cm_router_options options_of(const struct cm_system *system, uint32_t words)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    return (struct cm_router_options){
        .dimensions = cm_machine_dimensions(system->machine),
        .channels = config->network_channels_per_dimension,
        .words = words,
        .header_words = config->router_header_words,
        .buffer_words = config->router_buffer_words,
        .switching = CM_SWITCHING_CUT_THROUGH,
        .routing = CM_ROUTING_ECUBE,
        .threads = cm_machine_threads(system->machine),
    };
}

enum cm_status cm_routed_check(const struct cm_system *system, uint32_t words, struct cm_error *err)
{
    const uint32_t room = cm_machine_config(system->machine)->router_buffer_words;
    if (words <= room)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "an element of %" PRIu32 " words does not fit the router's buffers of %" PRIu32,
                 words, room);
    return cm_error_hint(err, "set the machine's router.buffer_words to %" PRIu32 " or more",
                         words);
}

static enum cm_status run_router(struct cm_system *system, struct sender *sender,
                                 struct cm_error *err)
{
    const struct cm_router_options options = options_of(system, sender->run->words);
    const struct cm_router_traffic traffic = {sender, next_packet, take_delivery, ask_stop,
                                              cm_machine_observer(system->machine)};
    struct cm_router *router;
    struct cm_router_result result;
    enum cm_status status = cm_router_create(&options, &router, err);
    if (status != CM_OK)
        return status;
    cm_machine_route_begins(system->machine, &options);
    status = cm_router_run(router, &traffic, &result, err);
    if (status == CM_OK && !sender->failed && result.sent > 0)
        cm_machine_route(system->machine, result.word_times, result.hops * options.words);
    if (status == CM_OK && !sender->failed && result.end == CM_ROUTER_STOPPED)
        status = cm_error_set(err, CM_INTERRUPTED, "interrupted");
    if (status == CM_OK)
        status = cm_system_count_routed(system, router, &options, err);
    cm_router_destroy(router);
    return status;
}

enum cm_status cm_routed_send(struct cm_system *system, const struct cm_routed_run *run,
                              struct cm_error *err)
{
    struct sender sender = {
        .run = run, .machine = system->machine, .payloads = {.words = run->words + 1}};
    enum cm_status status = cm_routed_check(system, run->words, err);
    if (status != CM_OK)
        return status;
    sender.next = malloc(run->routed->nodes * sizeof *sender.next);
    if (sender.next == NULL)
        return cm_error_no_memory(err);
    for (uint32_t node = 0; node < run->routed->nodes; node++)
        sender.next[node] = run->routed->first[node];
    status = run_router(system, &sender, err);
    if (status == CM_OK && sender.failed)
        status = cm_error_no_memory(err);
    cm_payloads_finish(&sender.payloads);
    free(sender.next);
    return status;
}
