/* Computes sizes of a sort that follow from its records: groups, exchanges and the work area. */
#include "sort_private.h"

static uint64_t quotient(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Returns the number of records that cross together: enough to use every channel, or all records if
 * there are fewer. */
static uint64_t group_of(uint64_t values, uint32_t words, uint32_t channels)
{
    const uint32_t filling = words % channels == 0 ? 1 : channels;
    return values < filling ? values : filling;
}

uint64_t cm_sort_exchanges(uint64_t values, uint32_t words, uint32_t dimensions, uint32_t channels)
{
    if (values == 0 || words == 0 || dimensions == 0 || channels == 0)
        return 0;
    const uint64_t group = group_of(values, words, channels), d = dimensions;
    return (d * quotient(values, group) + d * (d - 1) / 2) * quotient(group * words, channels);
}

void cm_sort_measure(const struct cm_config *config, struct cm_sort *own)
{
    const uint32_t channels = config->network_channels_per_dimension;
    own->group = group_of(own->values, own->record.words, channels);
    own->group_words = own->group * own->record.words;
    own->group_exchanges = quotient(own->group_words, channels);
    own->arrivals = quotient(own->values, own->group) * own->group_words;
    own->exchanges = cm_sort_exchanges(own->values, own->record.words, own->dimensions, channels);
    own->work_words = own->arrivals + own->dimensions * own->group_words;
}
