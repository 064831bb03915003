/*
 * Node memory as planes: the words of all nodes at one address are adjacent. Nodes are divided into
 * partitions, one for each host thread that moves data. The planes of a partition are contiguous
 * and far from those of other partitions: a host prefetches lines ahead of a thread's accesses, and
 * these lines should be the thread's own.
 *
 * Host address space is reserved as addresses come into use, in two spans. Arrays grow upwards from
 * address 0. Tables and temporaries grow downwards from the last address. Until the spans meet,
 * addresses between them cost nothing. The host backs only touched pages.
 */
#ifndef CM_SIM_MEMORY_H
#define CM_SIM_MEMORY_H

#include "../../base/error.h"
#include "../../base/page.h"

#include <stdbool.h>

/* Span: reserved range of the host's address space, for planes of consecutive addresses. */
struct cm_memory_span {
    uint32_t *planes;       /* first plane of the first partition */
    size_t partition_words; /* distance between partitions, in words */
    void *map;              /* mapping that cm_memory_finish unmaps */
    size_t map_bytes;
};

struct cm_memory {
    struct cm_memory_span low, high;
    uint64_t low_end;         /* the low span has addresses [0, low_end) */
    uint64_t high_first;      /* the high span has addresses [high_first, words) */
    uint64_t words;           /* number of addresses in a node */
    uint32_t nodes;           /* number of nodes in all partitions */
    uint32_t partition_nodes; /* number of nodes in each partition */
};

/* Initialises a memory without reserved planes. The numbers of nodes and partitions are powers of
 * two. */
void cm_memory_init(struct cm_memory *memory, uint64_t words, uint32_t nodes, uint32_t partitions);
void cm_memory_finish(struct cm_memory *memory);

/* True if [address, address + count) is within node memory. */
static inline bool cm_memory_has(const struct cm_memory *memory, uint64_t address, uint64_t count)
{
    return address <= memory->words && count <= memory->words - address;
}

/* True if [address, address + count) is reserved within one span. */
static inline bool cm_memory_reserved(const struct cm_memory *memory, uint64_t address,
                                      uint64_t count)
{
    return (address <= memory->low_end && count <= memory->low_end - address) ||
           (address >= memory->high_first && cm_memory_has(memory, address, count));
}

/* Reserves [address, address + count), which must be within node memory. Planes may move with their
 * contents. */
enum cm_status cm_memory_reserve(struct cm_memory *memory, uint64_t address, uint64_t count,
                                 struct cm_error *err);

/* Returns the words of a partition's nodes in the plane of a reserved address. The following planes
 * are adjacent up to the end of the span. */
static inline uint32_t *cm_memory_plane(const struct cm_memory *memory, uint32_t partition,
                                        uint64_t address)
{
    const bool low = address < memory->low_end;
    const struct cm_memory_span *span = low ? &memory->low : &memory->high;
    const size_t plane = (size_t)(address - (low ? 0 : memory->high_first));
    /* a browser page has one partition */
    const size_t before = CM_FOR_A_PAGE ? 0 : partition * span->partition_words;
    return span->planes + before + plane * memory->partition_nodes;
}

/* Returns the distance between consecutive partitions in the span of an address, in words. */
static inline size_t cm_memory_partition_words(const struct cm_memory *memory, uint64_t address)
{
    return address < memory->low_end ? memory->low.partition_words : memory->high.partition_words;
}

/* Returns a node's word at a reserved address. */
static inline uint32_t *cm_memory_word(const struct cm_memory *memory, uint32_t node,
                                       uint64_t address)
{
    return CM_FOR_A_PAGE ? cm_memory_plane(memory, 0, address) + node
                         : cm_memory_plane(memory, node / memory->partition_nodes, address) +
                               node % memory->partition_nodes;
}

/* Finds the address in node memory of a plane, given by a pointer to the plane's words in a
 * partition. Returns false when the pointer is outside node memory. */
static inline bool cm_memory_find(const struct cm_memory *memory, uint32_t partition,
                                  const uint32_t *plane, uint64_t *address)
{
    const uintptr_t at = (uintptr_t)plane, plane_bytes = memory->partition_nodes * sizeof *plane;
    const struct cm_memory_span *low = &memory->low, *high = &memory->high;
    /* Pointers are compared as numbers, because the planes of an empty span are NULL. */
    const uintptr_t from_low =
        at - (uintptr_t)low->planes - partition * low->partition_words * sizeof *low->planes;
    const uintptr_t from_high =
        at - (uintptr_t)high->planes - partition * high->partition_words * sizeof *high->planes;
    const uint64_t high_words = memory->words - memory->high_first;
    *address = from_low / plane_bytes < memory->low_end
                   ? from_low / plane_bytes
                   : memory->high_first + from_high / plane_bytes;
    return from_low / plane_bytes < memory->low_end || from_high / plane_bytes < high_words;
}

/* These functions write zeros to reserved planes and make the host back them with memory: for all
 * nodes, or for some. */
void cm_memory_clear(struct cm_memory *memory, uint64_t address, uint64_t count);
void cm_memory_clear_nodes(struct cm_memory *memory, uint64_t address, uint64_t count,
                           uint32_t first, uint32_t nodes);

#endif
