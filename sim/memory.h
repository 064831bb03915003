/*
 * Node memory as planes: the words of all nodes at one address lie next to each other. Host address
 * space is reserved as addresses come into use, in two spans: arrays grow upwards from address 0,
 * tables and temporaries downwards from the last address. Until the spans meet, the addresses
 * between them take nothing. The host backs only what is touched.
 */
#ifndef CM_SIM_MEMORY_H
#define CM_SIM_MEMORY_H

#include "../base/error.h"

#include <stdbool.h>

/* Address space of the host with some planes in it. */
struct cm_memory_span {
    uint32_t *planes; /* the first plane */
    void *map;        /* what to unmap */
    size_t map_bytes;
};

struct cm_memory {
    struct cm_memory_span low, high;
    uint64_t low_end;    /* low has [0, low_end) */
    uint64_t high_first; /* high has [high_first, words) */
    uint64_t words;      /* addresses of a node */
    uint32_t nodes;
};

/* Reserves nothing yet. */
void cm_memory_init(struct cm_memory *memory, uint64_t words, uint32_t nodes);
void cm_memory_finish(struct cm_memory *memory);

/* True when [address, address + count) is within node memory. */
static inline bool cm_memory_has(const struct cm_memory *memory, uint64_t address, uint64_t count)
{
    return address <= memory->words && count <= memory->words - address;
}

/* True when [address, address + count) is reserved, in one piece. */
static inline bool cm_memory_reserved(const struct cm_memory *memory, uint64_t address,
                                      uint64_t count)
{
    return (address <= memory->low_end && count <= memory->low_end - address) ||
           (address >= memory->high_first && cm_memory_has(memory, address, count));
}

/* Reserves [address, address + count), which is in range. Planes may move, with what is in them. */
enum cm_status cm_memory_reserve(struct cm_memory *memory, uint64_t address, uint64_t count,
                                 struct cm_error *err);

/* The plane of an address that is reserved; the next ones follow it up to the end of its span. */
static inline uint32_t *cm_memory_plane(const struct cm_memory *memory, uint64_t address)
{
    return address < memory->low_end
               ? memory->low.planes + (size_t)address * memory->nodes
               : memory->high.planes + (size_t)(address - memory->high_first) * memory->nodes;
}

/* The address of a plane; false when it is none of node memory. */
static inline bool cm_memory_find(const struct cm_memory *memory, const uint32_t *plane,
                                  uint64_t *address)
{
    const uintptr_t at = (uintptr_t)plane, plane_bytes = memory->nodes * sizeof *plane;
    const uintptr_t low = at - (uintptr_t)memory->low.planes;
    const uintptr_t high = at - (uintptr_t)memory->high.planes;
    const uint64_t high_words = memory->words - memory->high_first;
    *address = low / plane_bytes < memory->low_end ? low / plane_bytes
                                                   : memory->high_first + high / plane_bytes;
    return low / plane_bytes < memory->low_end || high / plane_bytes < high_words;
}

/* Writes zeros to planes that are reserved, and makes the host back them with memory; all words, or
 * those of some nodes. */
void cm_memory_clear(struct cm_memory *memory, uint64_t address, uint64_t count);
void cm_memory_clear_nodes(struct cm_memory *memory, uint64_t address, uint64_t count,
                           uint32_t first, uint32_t nodes);

#endif
