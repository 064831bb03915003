/* Node memory: reserving, moving, backing and releasing planes. */
#include "memory.h"

#include "../../base/huge.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

/* Smallest size of a span in bytes. A large span seldom has to grow and move, and address space
 * costs little where addresses have 64 bits. */
#define SPAN_BYTES_MIN ((size_t)(sizeof(size_t) > 4 ? 256 : 2) << 20)

void cm_memory_init(struct cm_memory *memory, uint64_t words, uint32_t nodes, uint32_t partitions)
{
    *memory = (struct cm_memory){
        .words = words, .high_first = words, .nodes = nodes, .partition_nodes = nodes / partitions};
}

static uint32_t partition_count(const struct cm_memory *memory)
{
    return CM_FOR_A_PAGE ? 1 : memory->nodes / memory->partition_nodes;
}

static void release(struct cm_memory_span *span)
{
    if (span->map)
        munmap(span->map, span->map_bytes);
    *span = (struct cm_memory_span){0};
}

void cm_memory_finish(struct cm_memory *memory)
{
    release(&memory->low);
    release(&memory->high);
    memory->low_end = 0;
    memory->high_first = memory->words;
}

/* Returns the number of bytes in a plane, summed over all partitions. */
static size_t plane_bytes(const struct cm_memory *memory)
{
    return memory->nodes * sizeof(uint32_t);
}

static size_t partition_bytes(const struct cm_memory *memory)
{
    return memory->partition_nodes * sizeof(uint32_t);
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + CM_HUGE_PAGE_BYTES - 1) / CM_HUGE_PAGE_BYTES * CM_HUGE_PAGE_BYTES;
}

/* Maps whole huge pages for the planes of each partition, and puts the planes at the beginning or
 * the end of the pages. */
static bool map_span(const struct cm_memory *memory, uint64_t words, bool at_end,
                     struct cm_memory_span *span)
{
    const size_t partitions = partition_count(memory);
    if (words > (PTRDIFF_MAX - (partitions + 1) * CM_HUGE_PAGE_BYTES) / plane_bytes(memory))
        return false;
    size_t bytes = (size_t)words * partition_bytes(memory), pages = whole_pages(bytes);
    /* one huge page more, because the host's mapping may begin within a huge page */
    span->map_bytes = partitions * pages + CM_HUGE_PAGE_BYTES;
    span->map = mmap(NULL, span->map_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (span->map == MAP_FAILED)
        return false;
    size_t skip = CM_HUGE_PAGE_BYTES - (uintptr_t)span->map % CM_HUGE_PAGE_BYTES;
    char *first = (char *)span->map + skip % CM_HUGE_PAGE_BYTES;
    span->planes = (uint32_t *)(void *)(at_end ? first + (pages - bytes) : first);
    span->partition_words = pages / sizeof *span->planes;
    return true;
}

/* Moves a page by changing the host's page tables, where the host can do so. */
static bool remap_page(char *to, char *from)
{
#ifdef __linux__
    return mremap(from, CM_HUGE_PAGE_BYTES, CM_HUGE_PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
                  to) != MAP_FAILED;
#else
    (void)to, (void)from;
    return false;
#endif
}

/* Moves huge pages one by one, because the host cannot move areas with different advice (madvise)
 * together. */
static void move_pages(char *to, char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += CM_HUGE_PAGE_BYTES)
        if (!remap_page(to + at, from + at))
            memcpy(to + at, from + at, CM_HUGE_PAGE_BYTES);
}

/* Replaces a span of `words` planes by a larger one, and moves the contents. They stay at the
 * beginning of the span or, if `at_end` is true, at its end. */
static void replace(const struct cm_memory *memory, struct cm_memory_span *span, uint64_t words,
                    const struct cm_memory_span *larger, uint64_t larger_words, bool at_end)
{
    const size_t bytes = (size_t)words * partition_bytes(memory), pages = whole_pages(bytes);
    for (uint32_t partition = 0; words > 0 && partition < partition_count(memory); partition++) {
        char *from = (char *)(span->planes + partition * span->partition_words);
        char *to = (char *)(larger->planes + partition * larger->partition_words);
        if (at_end) {
            from -= pages - bytes;
            to += (size_t)larger_words * partition_bytes(memory) - pages;
        }
        move_pages(to, from, pages);
    }
    release(span);
    *span = *larger;
}

static enum cm_status refuse(const struct cm_memory *memory, uint64_t words, struct cm_error *err)
{
    double mib = (double)words * (double)plane_bytes(memory) / (double)(UINT64_C(1) << 20);
    cm_error_set(err, CM_NO_MEMORY,
                 "the host refused to reserve %.0f MiB of address space for node memory", mib);
    cm_error_hint(err, "use fewer nodes, or smaller arrays");
    return CM_NO_MEMORY;
}

/* Grows a span to at least `words` and at most `room` planes. It at least doubles the span, so that
 * it seldom moves, unless the host refuses. Writes the new number of planes to *now. */
static enum cm_status grow(struct cm_memory *memory, struct cm_memory_span *span, uint64_t words,
                           uint64_t room, uint64_t *now, struct cm_error *err)
{
    const bool at_end = span == &memory->high;
    struct cm_memory_span larger;
    uint64_t old = at_end ? memory->words - memory->high_first : memory->low_end;
    uint64_t least = SPAN_BYTES_MIN / plane_bytes(memory);
    uint64_t wanted = 2 * old > words ? 2 * old : words;
    wanted = wanted > least ? wanted : least;
    *now = wanted < room ? wanted : room;
    if (!map_span(memory, *now, at_end, &larger)) {
        *now = words;
        if (!map_span(memory, *now, at_end, &larger))
            return refuse(memory, words, err);
    }
    replace(memory, span, old, &larger, *now, at_end);
    return CM_OK;
}

static enum cm_status grow_low(struct cm_memory *memory, uint64_t end, struct cm_error *err)
{
    uint64_t words;
    enum cm_status status = grow(memory, &memory->low, end, memory->high_first, &words, err);
    if (status == CM_OK)
        memory->low_end = words;
    return status;
}

static enum cm_status grow_high(struct cm_memory *memory, uint64_t first, struct cm_error *err)
{
    uint64_t words;
    enum cm_status status = grow(memory, &memory->high, memory->words - first,
                                 memory->words - memory->low_end, &words, err);
    if (status == CM_OK)
        memory->high_first = memory->words - words;
    return status;
}

/* Moves all planes into the low span, because a range of addresses overlaps both spans. */
static enum cm_status join(struct cm_memory *memory, struct cm_error *err)
{
    struct cm_memory_span whole;
    uint64_t high_words = memory->words - memory->high_first;
    if (!map_span(memory, memory->words, false, &whole))
        return refuse(memory, memory->words, err);
    replace(memory, &memory->low, memory->low_end, &whole, memory->words, false);
    for (uint32_t partition = 0; high_words > 0 && partition < partition_count(memory); partition++)
        memcpy(whole.planes + partition * whole.partition_words +
                   (size_t)memory->high_first * memory->partition_nodes,
               memory->high.planes + partition * memory->high.partition_words,
               (size_t)high_words * partition_bytes(memory));
    release(&memory->high);
    memory->low_end = memory->high_first = memory->words;
    return CM_OK;
}

enum cm_status cm_memory_reserve(struct cm_memory *memory, uint64_t address, uint64_t count,
                                 struct cm_error *err)
{
    uint64_t end = address + count;
    if (cm_memory_reserved(memory, address, count))
        return CM_OK;
    bool may_low = end <= memory->high_first, may_high = address >= memory->low_end;
    if (may_low && (!may_high || end - memory->low_end <= memory->high_first - address))
        return grow_low(memory, end, err);
    return may_high ? grow_high(memory, address, err) : join(memory, err);
}

void cm_memory_clear(struct cm_memory *memory, uint64_t address, uint64_t count)
{
    for (uint32_t partition = 0; partition < partition_count(memory); partition++) {
        char *begin = (char *)cm_memory_plane(memory, partition, address);
        size_t bytes = (size_t)count * partition_bytes(memory);
        cm_huge_advise(begin, bytes);
        memset(begin, 0, bytes);
    }
}

/* Clears the words of some nodes. Whole huge pages are not requested, because the host would back
 * them with memory for other nodes as well. */
void cm_memory_clear_nodes(struct cm_memory *memory, uint64_t address, uint64_t count,
                           uint32_t first, uint32_t nodes)
{
    uint32_t *plane = cm_memory_plane(memory, 0, address);
    for (uint64_t i = 0; i < count; i++)
        memset(plane + (size_t)i * memory->nodes + first, 0, nodes * sizeof *plane);
}
