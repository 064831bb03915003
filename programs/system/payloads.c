/* Stores the words of packets that are under way, and counts the words that each channel
 * carries. */
#include "payloads.h"

#include "../../base/list.h"

#include <stdlib.h>
#include <string.h>

void cm_payloads_finish(struct cm_payloads *payloads)
{
    free(payloads->pool);
    payloads->pool = NULL;
}

uint32_t cm_payloads_take(struct cm_payloads *payloads)
{
    if (payloads->given != 0) {
        uint32_t taken = payloads->given - 1;
        payloads->given = *cm_payloads_words(payloads, taken);
        return taken;
    }
    if (payloads->count == CM_PAYLOAD_NONE ||
        !cm_array_room(payloads->pool, (uint64_t)(payloads->count + 1) * payloads->words,
                       payloads->capacity))
        return CM_PAYLOAD_NONE;
    return payloads->count++;
}

void cm_payloads_give_back(struct cm_payloads *payloads, uint32_t payload)
{
    *cm_payloads_words(payloads, payload) = payloads->given;
    payloads->given = payload + 1;
}

enum cm_status cm_system_count_routed(struct cm_system *system, const struct cm_router *router,
                                      const struct cm_router_options *options, struct cm_error *err)
{
    uint32_t nodes = cm_machine_nodes(system->machine);
    uint32_t dimensions = cm_machine_dimensions(system->machine);
    if (system->routed_words == NULL)
        system->routed_words =
            calloc((size_t)nodes * dimensions * 2 + 1, sizeof *system->routed_words);
    if (system->routed_words == NULL)
        return cm_error_no_memory(err);
    for (uint32_t node = 0; node < UINT32_C(1) << options->dimensions; node++) {
        for (uint32_t k = 0; k < options->dimensions * options->channels; k++) {
            uint32_t dimension = k % options->dimensions, channel = k / options->dimensions;
            system->routed_words[((size_t)node * dimensions + dimension) * 2 + channel] +=
                cm_router_channel_use(router, node, dimension, channel).words;
        }
    }
    return CM_OK;
}

void cm_system_count_routed_again(struct cm_system *system, uint64_t times, const uint64_t *words)
{
    const struct cm_machine *machine = system->machine;
    size_t count = (size_t)cm_machine_nodes(machine) * cm_machine_dimensions(machine) * 2;
    for (size_t i = 0; system->routed_words != NULL && i < count; i++)
        system->routed_words[i] += times * words[i];
}

void cm_system_reset_routed(struct cm_system *system)
{
    const struct cm_machine *machine = system->machine;
    size_t count = (size_t)cm_machine_nodes(machine) * cm_machine_dimensions(machine) * 2;
    if (system->routed_words != NULL)
        memset(system->routed_words, 0, count * sizeof(*system->routed_words));
}

const uint64_t *cm_system_routed_words(const struct cm_system *system)
{
    return system->routed_words;
}
