/*
 * Node memory as planes: word `address` of node n is planes[address * nodes + n]. The whole address
 * range is reserved as host address space; the host backs only what is touched.
 */
#ifndef CM_SIM_MEMORY_H
#define CM_SIM_MEMORY_H

#include "../base/error.h"

#include <stdbool.h>

struct cm_memory {
    uint32_t *planes;
    uint64_t words; /* addresses of a node */
    uint32_t nodes;
};

enum cm_status cm_memory_init(struct cm_memory *memory, uint64_t words, uint32_t nodes,
                              struct cm_error *err);
void cm_memory_finish(struct cm_memory *memory);

/* The plane of an address that is in range. */
static inline uint32_t *cm_memory_plane(const struct cm_memory *memory, uint64_t address)
{
    return memory->planes + address * memory->nodes;
}

/* True when [address, address + count) is within node memory. */
static inline bool cm_memory_has(const struct cm_memory *memory, uint64_t address, uint64_t count)
{
    return address <= memory->words && count <= memory->words - address;
}

/* Writes zeros, and makes the host back the planes with memory. */
void cm_memory_clear(struct cm_memory *memory, uint64_t address, uint64_t count);

#endif
