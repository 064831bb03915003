/* Reserving, backing and releasing the planes of node memory. */
#include "memory.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20) /* the host's; only a hint to it */

static size_t memory_bytes(const struct cm_memory *memory)
{
    return (size_t)memory->words * memory->nodes * sizeof(uint32_t);
}

enum cm_status cm_memory_init(struct cm_memory *memory, uint64_t words, uint32_t nodes,
                              struct cm_error *err)
{
    *memory = (struct cm_memory){.words = words, .nodes = nodes};
    if (words > SIZE_MAX / 2 / sizeof(uint32_t) / nodes)
        return cm_error_set(
            err, CM_NO_MEMORY,
            "%" PRIu32 " nodes of %" PRIu64 " words exceed the host's address space", nodes, words);
    void *map = mmap(NULL, memory_bytes(memory), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        cm_error_set(err, CM_NO_MEMORY,
                     "the host refused to reserve %" PRIu64 " MiB of address space for node memory",
                     (uint64_t)memory_bytes(memory) >> 20);
        cm_error_hint(err, "use fewer nodes, or a smaller memory.words");
        return CM_NO_MEMORY;
    }
    memory->planes = map;
    return CM_OK;
}

void cm_memory_finish(struct cm_memory *memory)
{
    if (memory->planes)
        munmap(memory->planes, memory_bytes(memory));
    memory->planes = NULL;
}

/* Large areas in large host pages, so that a run looks up fewer of them. */
static void advise_huge_pages(char *begin, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)begin + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    uintptr_t last = ((uintptr_t)begin + bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    if (last > first)
        (void)madvise((char *)begin + (first - (uintptr_t)begin), last - first, MADV_HUGEPAGE);
#else
    (void)begin, (void)bytes;
#endif
}

void cm_memory_clear(struct cm_memory *memory, uint64_t address, uint64_t count)
{
    char *begin = (char *)cm_memory_plane(memory, address);
    size_t bytes = (size_t)count * memory->nodes * sizeof(uint32_t);
    advise_huge_pages(begin, bytes);
    memset(begin, 0, bytes);
}
