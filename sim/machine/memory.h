/*
 * Node memory as planes: the words of nodes at one address lie next to each other. The nodes are in
 * parts, one for each host thread that moves data. The planes of a part follow each other, far from
 * those of other parts: a host fetches lines ahead of what a thread reads and writes, and these are
 * to be the thread's own.
 *
 * Host address space is reserved as addresses come into use, in two spans: arrays grow upwards from
 * address 0, tables and temporaries downwards from the last address. Until the spans meet, the
 * addresses between them take nothing. The host backs only what is touched.
 */
#ifndef CM_SIM_MEMORY_H
#define CM_SIM_MEMORY_H

#include "../../base/error.h"
#include "../../base/page.h"

#include <stdbool.h>

/* Address space of the host with some planes in it. */
struct cm_memory_span {
    uint32_t *planes;  /* the first plane, of the first part */
    size_t part_words; /* from a part to the next */
    void *map;         /* what to unmap */
    size_t map_bytes;
};

struct cm_memory {
    struct cm_memory_span low, high;
    uint64_t low_end;    /* low has [0, low_end) */
    uint64_t high_first; /* high has [high_first, words) */
    uint64_t words;      /* addresses of a node */
    uint32_t nodes;      /* of all parts */
    uint32_t part_nodes; /* of each */
};

/* Reserves nothing yet. The numbers of nodes and of parts are powers of two. */
void cm_memory_init(struct cm_memory *memory, uint64_t words, uint32_t nodes, uint32_t parts);
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

/* What a part has of the plane of an address that is reserved; the next ones follow it up to the
 * end of its span. */
static inline uint32_t *cm_memory_plane(const struct cm_memory *memory, uint32_t part,
                                        uint64_t address)
{
    const bool low = address < memory->low_end;
    const struct cm_memory_span *span = low ? &memory->low : &memory->high;
    const size_t plane = (size_t)(address - (low ? 0 : memory->high_first));
    const size_t before = CM_FOR_A_PAGE ? 0 : part * span->part_words; /* a page has one part */
    return span->planes + before + plane * memory->part_nodes;
}

/* From what a part has of the planes of the address's span to what the next one has. */
static inline size_t cm_memory_part_words(const struct cm_memory *memory, uint64_t address)
{
    return address < memory->low_end ? memory->low.part_words : memory->high.part_words;
}

/* A node's word at an address that is reserved. */
static inline uint32_t *cm_memory_word(const struct cm_memory *memory, uint32_t node,
                                       uint64_t address)
{
    return CM_FOR_A_PAGE ? cm_memory_plane(memory, 0, address) + node
                         : cm_memory_plane(memory, node / memory->part_nodes, address) +
                               node % memory->part_nodes;
}

/* The address of a plane of a part; false when the plane is not of node memory. */
static inline bool cm_memory_find(const struct cm_memory *memory, uint32_t part,
                                  const uint32_t *plane, uint64_t *address)
{
    const uintptr_t at = (uintptr_t)plane, plane_bytes = memory->part_nodes * sizeof *plane;
    const struct cm_memory_span *low = &memory->low, *high = &memory->high;
    /* As numbers: without planes the pointer is NULL. */
    const uintptr_t from_low =
        at - (uintptr_t)low->planes - part * low->part_words * sizeof *low->planes;
    const uintptr_t from_high =
        at - (uintptr_t)high->planes - part * high->part_words * sizeof *high->planes;
    const uint64_t high_words = memory->words - memory->high_first;
    *address = from_low / plane_bytes < memory->low_end
                   ? from_low / plane_bytes
                   : memory->high_first + from_high / plane_bytes;
    return from_low / plane_bytes < memory->low_end || from_high / plane_bytes < high_words;
}

/* Writes zeros to planes that are reserved, and makes the host back them with memory; all words, or
 * those of some nodes. */
void cm_memory_clear(struct cm_memory *memory, uint64_t address, uint64_t count);
void cm_memory_clear_nodes(struct cm_memory *memory, uint64_t address, uint64_t count,
                           uint32_t first, uint32_t nodes);

#endif
