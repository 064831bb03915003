/*
 * Contents of packets. Words are put into a packet where it is sent, and taken out where the router
 * delivers it. The first word of a payload is the number of the packet within its node's block. A
 * real packet would have this number in its header.
 */
#include "network_private.h"

#include "../../base/random.h"

#include <string.h>

/* Returns a generated word, made from sender, receiver, serial number and place in the packet, so
 * that every packet differs. */
static uint32_t word_of(uint32_t source, uint32_t destination, uint64_t serial, uint32_t word)
{
    uint64_t x = ((uint64_t)source << 32 | destination) * CM_GOLDEN_RATIO;
    x = (x ^ x >> 29 ^ serial << 16 ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> 32);
}

/* Returns how many words of the block packet k carries. The last packet may have fewer words than
 * the others. */
static uint64_t words_in(const struct cm_cargo *cargo, uint64_t k)
{
    uint64_t left = cargo->block_words - k * cargo->words;
    return left < cargo->words ? left : cargo->words;
}

uint32_t cm_cargo_load(void *context, const struct cm_router_packet *packet, uint64_t serial)
{
    struct cm_cargo *cargo = context;
    uint32_t payload = cm_payloads_take(&cargo->payloads);
    if (payload == CM_PAYLOAD_NONE)
        return payload;
    uint32_t *words = cm_payloads_words(&cargo->payloads, payload);
    cargo->loaded++;
    if (cargo->src.words == NULL) {
        for (uint32_t w = 0; w < cargo->words; w++)
            words[1 + w] = word_of(packet->source, packet->destination, serial, w);
        return payload;
    }
    uint64_t k = cargo->senders == UINT32_MAX ? 0 : serial / cargo->senders;
    words[0] = (uint32_t)k;
    for (uint64_t w = 0; w < words_in(cargo, k); w++)
        words[1 + w] = *cm_planes_word(&cargo->src, k * cargo->words + w, packet->source);
    return payload;
}

void cm_cargo_lose(void *context, const struct cm_router_packet *packet)
{
    struct cm_cargo *cargo = context;
    cargo->unloaded++;
    cm_payloads_give_back(&cargo->payloads, packet->payload);
}

void cm_cargo_unload(void *context, const struct cm_router_delivery *delivery)
{
    struct cm_cargo *cargo = context;
    const uint32_t *words = cm_payloads_words(&cargo->payloads, delivery->payload);
    cargo->unloaded++;
    if (cargo->src.words == NULL) {
        for (uint32_t w = 0; w < cargo->words; w++)
            cargo->wrong +=
                words[1 + w] != word_of(delivery->source, delivery->node, delivery->serial, w);
    } else {
        uint64_t k = words[0];
        for (uint64_t w = 0; w < words_in(cargo, k); w++)
            *cm_planes_word(&cargo->dst, k * cargo->words + w, delivery->node) = words[1 + w];
    }
    cm_payloads_give_back(&cargo->payloads, delivery->payload);
}
