/* What the channels of a machine have carried, summed up plainly. */
#ifndef CM_TESTS_UNIT_CHANNEL_USE_H
#define CM_TESTS_UNIT_CHANNEL_USE_H

#include "../../sim/machine/machine.h"

#include <stdlib.h>

/* Of equal loads the first channel is named. */
static inline struct cm_channel_use channel_use(struct cm_machine *machine)
{
    const struct cm_config *config = cm_machine_config(machine);
    uint32_t dimensions = cm_machine_dimensions(machine);
    uint64_t count = (uint64_t)cm_machine_nodes(machine) * dimensions * 2;
    uint64_t *words = malloc((count + 1) * sizeof *words);
    struct cm_channel_use use = {.channels = count / 2 * config->network_channels_per_dimension};
    if (words == NULL || cm_machine_channel_words(machine, words, NULL) != CM_OK)
        abort();
    for (uint64_t i = 0; i < count; i++) {
        use.total_words += words[i];
        if (words[i] <= use.max_load)
            continue;
        use.max_load = words[i];
        use.max_node = (uint32_t)(i / 2 / dimensions);
        use.max_dimension = (uint32_t)(i / 2 % dimensions);
        use.max_channel = (uint32_t)(i % 2);
    }
    free(words);
    use.max_busy_cycles = use.max_load * config->exchange_cycles;
    if (use.channels > 0)
        use.mean_busy_cycles =
            (double)use.total_words * (double)config->exchange_cycles / (double)use.channels;
    return use;
}

#endif
