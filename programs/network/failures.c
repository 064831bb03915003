/* Lists the channels that have failed: channels that the step names, and channels of wires that are
 * drawn at random. Reports packets that were lost because of these failures. */
#include "../../base/list.h"
#include "../../base/random.h"
#include "../../report/numbers.h"
#include "network_private.h"

#include <inttypes.h>

#define LOSSES_SHOWN 4u

/* Channels that are known to have failed so far. */
struct failing {
    const struct cm_router_options *options;
    bool *failed; /* true if failed, at [(node * dimensions + dimension) * channels + channel] */
    struct {
        struct cm_router_failure *items;
        uint32_t count, capacity;
        bool failed;
    } list;
};

/* Adds one channel of a wire to the failed channels, or all channels for CM_NETWORK_ALL. Returns
 * false if these channels had all failed before. */
static bool fail_wire(struct failing *failing, uint32_t node, uint32_t dimension, uint32_t channel)
{
    const struct cm_router_options *options = failing->options;
    bool *failed =
        failing->failed + ((size_t)node * options->dimensions + dimension) * options->channels;
    bool any = false;
    for (uint32_t k = 0; k < options->channels; k++) {
        const struct cm_router_failure failure = {node, dimension, k};
        if ((channel != CM_NETWORK_ALL && channel != k) || failed[k])
            continue;
        failed[k] = any = true;
        cm_list_push(&failing->list, failure);
    }
    return any;
}

/* Adds all wires out of a node and into it to the failed channels. */
static void fail_node(struct failing *failing, uint32_t node)
{
    for (uint32_t d = 0; d < failing->options->dimensions; d++) {
        fail_wire(failing, node, d, CM_NETWORK_ALL);
        fail_wire(failing, node ^ UINT32_C(1) << d, d, CM_NETWORK_ALL);
    }
}

static enum cm_status refuse(const char *what, uint32_t number, uint32_t count,
                             struct cm_error *err)
{
    if (count == 0)
        return cm_error_set(err, CM_BAD_INPUT,
                            "without names %s %" PRIu32 ", but a cube of one node has no wires",
                            what, number);
    return cm_error_set(err, CM_BAD_INPUT, "without names %s %" PRIu32 ", expected 0 to %" PRIu32,
                        what, number, count - 1);
}

static enum cm_status fail_given(struct failing *failing, const struct cm_network_without *without,
                                 struct cm_error *err)
{
    const struct cm_router_options *options = failing->options;
    if (without->node >> options->dimensions != 0)
        return refuse("node", without->node, UINT32_C(1) << options->dimensions, err);
    if (without->dimension == CM_NETWORK_ALL) {
        fail_node(failing, without->node);
        return CM_OK;
    }
    if (without->dimension >= options->dimensions)
        return refuse("dimension", without->dimension, options->dimensions, err);
    if (without->channel != CM_NETWORK_ALL && without->channel >= options->channels)
        return refuse("channel", without->channel, options->channels, err);
    fail_wire(failing, without->node, without->dimension, without->channel);
    return CM_OK;
}

/* Draws `count` wires that have an intact channel, and adds all their channels to the failed
 * channels. The random numbers begin with ~seed, because those of the traffic begin with the
 * seed. */
static enum cm_status fail_random(struct failing *failing, uint32_t count, uint64_t seed,
                                  struct cm_error *err)
{
    const struct cm_router_options *options = failing->options;
    const uint64_t wires = (uint64_t)options->dimensions << options->dimensions;
    uint64_t random = ~seed, intact = 0;
    for (uint64_t i = 0; i < wires; i++)
        intact += !failing->failed[i * options->channels] ||
                  !failing->failed[(i + 1) * options->channels - 1];
    if (count > intact)
        return cm_error_set(err, CM_BAD_INPUT,
                            "fail_random is %" PRIu32 ", but the cube has %" PRIu64
                            " wires that are intact",
                            count, intact);
    while (count > 0) {
        const uint64_t wire = (cm_random_next(&random) >> 32) * wires >> 32;
        count -= fail_wire(failing, (uint32_t)(wire / options->dimensions),
                           (uint32_t)(wire % options->dimensions), CM_NETWORK_ALL);
    }
    return CM_OK;
}

enum cm_status cm_network_fail(struct cm_network *network, struct cm_error *err)
{
    const struct cm_network_step *step = network->step;
    struct cm_router_options *options = &network->task.router;
    struct failing failing = {.options = options};
    enum cm_status status = CM_OK;
    if (step->without_count == 0 && step->fail_random == 0)
        return CM_OK;
    failing.failed =
        calloc(((size_t)options->dimensions << options->dimensions) * options->channels + 1,
               sizeof *failing.failed);
    if (failing.failed == NULL)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; status == CM_OK && i < step->without_count; i++)
        status = fail_given(&failing, &step->without[i], err);
    if (status == CM_OK)
        status = fail_random(&failing, step->fail_random, network->task.seed, err);
    if (status == CM_OK && failing.list.failed)
        status = cm_error_no_memory(err);
    network->failures = failing.list.items;
    options->failures = network->failures;
    options->failure_count = failing.list.count;
    free(failing.failed);
    return status;
}

/* ---- report ---- */

void cm_network_append_losses(const struct cm_network_report *report, struct cm_buffer *text)
{
    if (report->router.failure_count == 0)
        return;
    cm_buffer_printf(text,
                     "  failed             %" PRIu32 " channel%s; %" PRIu64 " of %" PRIu64
                     " packets lost\n",
                     report->router.failure_count, cm_plural(report->router.failure_count),
                     report->lost, report->sent);
    for (uint32_t i = 0; i < LOSSES_SHOWN && i < report->lost; i++) {
        const struct cm_router_loss *loss = &report->losses[i];
        cm_buffer_printf(text,
                         "  %-18s %" PRIu32 " to %" PRIu32 ", at the wire of node %" PRIu32
                         " in dimension %" PRIu32 "\n",
                         i == 0 ? "lost" : "", loss->source, loss->destination, loss->node,
                         loss->dimension);
    }
    if (report->lost > LOSSES_SHOWN)
        cm_buffer_printf(text, "  %-18s and %" PRIu64 " more\n", "", report->lost - LOSSES_SHOWN);
}

void cm_network_write_losses(const struct cm_network_report *report, struct cm_json_writer *json)
{
    if (report->router.failure_count == 0)
        return;
    cm_json_write_u64(json, "failed_channels", report->router.failure_count);
    cm_json_write_u64(json, "lost", report->lost);
    cm_json_write_list(json, "first_lost");
    cm_json_write_compact(json, true);
    for (uint32_t i = 0; i < CM_ROUTER_LOSSES_MAX && i < report->lost; i++) {
        const struct cm_router_loss *loss = &report->losses[i];
        cm_json_write_object(json, NULL);
        cm_json_write_u64(json, "source", loss->source);
        cm_json_write_u64(json, "destination", loss->destination);
        cm_json_write_u64(json, "node", loss->node);
        cm_json_write_u64(json, "dimension", loss->dimension);
        cm_json_write_end(json);
    }
    cm_json_write_compact(json, false);
    cm_json_write_end(json);
}
