/*
 * Summary of the words that a machine's channels carried, over the nodes of this process, then over
 * all processes.
 */
#include "remote.h"

/* Sums over the channels of this process's nodes. The number of a channel follows from its node,
 * then its dimension, then its number within the dimension. */
struct sums {
    /* words over all channels, most words over one channel, and number of the first channel with
     * the most words */
    uint64_t total, max, max_at;
};

static void add_node(const struct cm_machine *machine, uint32_t node, const uint64_t *words,
                     struct sums *sums)
{
    for (uint32_t dimension = 0; dimension < machine->dimensions; dimension++)
        for (uint32_t channel = 0; channel < 2; channel++) {
            uint32_t slot =
                cm_slot_of_channel(machine->config.transposer_slots, dimension, channel);
            if (!(machine->channel_slots >> slot & 1))
                continue;
            sums->total += words[slot];
            if (words[slot] <= sums->max)
                continue;
            sums->max = words[slot];
            sums->max_at = ((uint64_t)node * machine->dimensions + dimension) * 2 + channel;
        }
}

static struct sums sum_up(const struct cm_machine *machine, enum cm_channels_period period)
{
    uint64_t words[CM_CHANNELS_BLOCK][CM_CHANNELS_SLOTS];
    const struct cm_channels *channels = &machine->workers[0].channels;
    struct sums sums = {0};
    for (uint32_t at = 0; at < machine->own_nodes; at += CM_CHANNELS_BLOCK) {
        uint32_t left = machine->own_nodes - at, first = machine->first_node + at;
        uint32_t count = left < CM_CHANNELS_BLOCK ? left : CM_CHANNELS_BLOCK;
        cm_channels_words_of(channels, first, count, period, words);
        for (uint32_t i = 0; i < count; i++)
            add_node(machine, first + i, words[i], &sums);
    }
    return sums;
}

/* Combines the sums of all processes. Processes can compute a minimum but no maximum, so the
 * maximum is the complement of the least complement. */
static enum cm_status combine(const struct cm_machine *machine, struct sums *sums,
                              struct cm_error *err)
{
    uint64_t least = ~sums->max;
    enum cm_status status = cm_processes_sum(machine->link, &sums->total, 1, err);
    if (status == CM_OK)
        status = cm_processes_min(machine->link, &least, 1, err);
    if (~least != sums->max)
        sums->max_at = UINT64_MAX;
    sums->max = ~least;
    return status == CM_OK ? cm_processes_min(machine->link, &sums->max_at, 1, err) : status;
}

enum cm_status cm_machine_channel_use(struct cm_machine *machine, enum cm_channels_period period,
                                      struct cm_channel_use *use, struct cm_error *err)
{
    const uint64_t cycles = machine->config.exchange_cycles;
    uint32_t per_dimension = machine->config.network_channels_per_dimension;
    uint64_t channels = (uint64_t)machine->nodes * machine->dimensions * per_dimension;
    *use = (struct cm_channel_use){.channels = channels};
    if (machine->workers[0].channels.lost)
        return cm_error_no_memory(err);
    struct sums sums = sum_up(machine, period);
    enum cm_status status = combine(machine, &sums, err);
    if (status != CM_OK || sums.max == 0)
        return status;
    use->max_load = sums.max;
    use->total_words = sums.total;
    use->max_busy_cycles = sums.max * cycles;
    use->mean_busy_cycles =
        channels > 0 ? (double)sums.total * (double)cycles / (double)channels : 0;
    use->max_channel = (uint32_t)(sums.max_at % 2);
    use->max_dimension = (uint32_t)(sums.max_at / 2 % machine->dimensions);
    use->max_node = (uint32_t)(sums.max_at / 2 / machine->dimensions);
    return CM_OK;
}

void cm_machine_mark_channels(struct cm_machine *machine)
{
    for (uint32_t i = 0; i < machine->worker_count; i++)
        cm_channels_mark(&machine->workers[i].channels);
}

void cm_machine_reset_channels(struct cm_machine *machine)
{
    for (uint32_t i = 0; i < machine->worker_count; i++)
        cm_channels_reset(&machine->workers[i].channels);
}
