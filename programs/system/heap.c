/*
 * The heap of node memory, with the same addresses in every node.
 *
 * Only allocated blocks are listed, sorted by address. The gaps between the blocks are free, so
 * freed neighbours merge without work. Arrays take the lowest gap that fits. Tables and temporaries
 * take the top of the highest gap that fits.
 */
#include "../../base/list.h"
#include "../../base/random.h"
#include "system_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct block {
    uint64_t address;
    uint64_t words;
};

struct cm_heap {
    struct cm_machine *machine; /* machine that reserves host memory for the blocks, or NULL */
    uint64_t base; /* address of the first word for arrays: the words below belong to the system */
    uint64_t end;
    uint64_t alignment;  /* alignment of arrays in words, counted from base */
    uint64_t bank_pitch; /* words from a page to the next page of its bank */
    uint64_t used;       /* number of words of all blocks */
    uint64_t most;       /* largest value of `used` since the last call of cm_heap_measure */
    struct block *blocks;
    size_t count;
    size_t capacity;
};

enum cm_status cm_heap_create(const struct cm_config *config, struct cm_machine *machine,
                              struct cm_heap **heap, struct cm_error *err)
{
    *heap = calloc(1, sizeof(**heap));
    if (!*heap)
        return cm_error_no_memory(err);
    (*heap)->machine = machine;
    (*heap)->base = config->memory_heap_base_words;
    (*heap)->end = config->memory_words;
    (*heap)->alignment = config->memory_heap_alignment_words;
    (*heap)->bank_pitch = (uint64_t)config->memory_page_words * config->memory_banks;
    return CM_OK;
}

void cm_heap_destroy(struct cm_heap *heap)
{
    if (!heap)
        return;
    free(heap->blocks);
    free(heap);
}

/* Returns gap i, which is before block i. The last gap is behind all blocks. */
static struct block gap_at(const struct cm_heap *heap, size_t i)
{
    uint64_t first = i == 0 ? heap->base : heap->blocks[i - 1].address + heap->blocks[i - 1].words;
    uint64_t last = i == heap->count ? heap->end : heap->blocks[i].address;
    return (struct block){.address = first, .words = last > first ? last - first : 0};
}

/* Returns the number of words that alignment leaves unused at the beginning of a gap. */
static uint64_t skip_to_aligned(const struct cm_heap *heap, uint64_t address)
{
    uint64_t over = (address - heap->base) % heap->alignment;
    return over == 0 ? 0 : heap->alignment - over;
}

/* Finds the lowest place for a block whose address is `origin` or a multiple of `pitch` words away
 * from it. */
static bool find_low(const struct cm_heap *heap, uint64_t words, uint64_t origin, uint64_t pitch,
                     size_t *at, uint64_t *address)
{
    for (size_t i = 0; i <= heap->count; i++) {
        struct block gap = gap_at(heap, i);
        uint64_t skip = (origin % pitch + pitch - gap.address % pitch) % pitch;
        if (skip <= gap.words && words <= gap.words - skip) {
            *at = i;
            *address = gap.address + skip;
            return true;
        }
    }
    return false;
}

static bool find_high(const struct cm_heap *heap, uint64_t words, size_t *at, uint64_t *address)
{
    for (size_t i = heap->count + 1; i-- > 0;) {
        struct block gap = gap_at(heap, i);
        if (words <= gap.words) {
            *at = i;
            *address = gap.address + (gap.words - words);
            return true;
        }
    }
    return false;
}

static enum cm_status no_room(const struct cm_heap *heap, uint64_t words, const char *what,
                              struct cm_error *err)
{
    uint64_t free_words = 0;
    uint64_t largest = 0;
    for (size_t i = 0; i <= heap->count; i++) {
        uint64_t gap = gap_at(heap, i).words;
        free_words += gap;
        largest = gap > largest ? gap : largest;
    }
    const char *hint = "use more nodes, a smaller shape or fewer arrays";
    if (words <= free_words)
        return cm_error_refuse(err, hint,
                               "%s needs %" PRIu64 " words of node memory in one piece; %" PRIu64
                               " are free, the largest piece has %" PRIu64 " (of %" PRIu64
                               " in each node)",
                               what, words, free_words, largest, heap->end);
    return cm_error_refuse(err, hint,
                           "%s needs %" PRIu64 " words of node memory; %" PRIu64
                           " are free (of %" PRIu64 " in each node)",
                           what, words, free_words, heap->end);
}

/* Allocates a block before block `at`. */
static enum cm_status take(struct cm_heap *heap, size_t at, uint64_t words, uint64_t *address,
                           struct cm_error *err)
{
    if (heap->machine && cm_machine_reserve(heap->machine, *address, words, err) != CM_OK)
        return CM_NO_MEMORY;
    memmove(heap->blocks + at + 1, heap->blocks + at, (heap->count - at) * sizeof(*heap->blocks));
    heap->blocks[at] = (struct block){.address = *address, .words = words};
    heap->count++;
    heap->used += words;
    heap->most = heap->used > heap->most ? heap->used : heap->most;
    return CM_OK;
}

enum cm_status cm_heap_allocate(struct cm_heap *heap, enum cm_heap_end end, uint64_t words,
                                const char *what, uint64_t *address, struct cm_error *err)
{
    assert(words >= 1);
    size_t at = 0;
    if (!cm_array_room(heap->blocks, heap->count, heap->capacity))
        return cm_error_no_memory(err);
    bool found = end == CM_HEAP_ARRAYS
                     ? find_low(heap, words, heap->base, heap->alignment, &at, address)
                     : find_high(heap, words, &at, address);
    return found ? take(heap, at, words, address, err) : no_room(heap, words, what, err);
}

enum cm_status cm_heap_allocate_alike(struct cm_heap *heap, uint64_t words, uint64_t other,
                                      const char *what, uint64_t *address, struct cm_error *err)
{
    size_t at = 0;
    if (!cm_array_room(heap->blocks, heap->count, heap->capacity))
        return cm_error_no_memory(err);
    if (!find_low(heap, words, other, heap->bank_pitch * heap->alignment, &at, address))
        return no_room(heap, words, what, err);
    return take(heap, at, words, address, err);
}

uint64_t cm_heap_measure(struct cm_heap *heap)
{
    heap->most = heap->used;
    return heap->used;
}

uint64_t cm_heap_most(const struct cm_heap *heap)
{
    return heap->most;
}

uint64_t cm_heap_room(const struct cm_heap *heap, uint64_t words)
{
    const uint64_t pitch = words + skip_to_aligned(heap, heap->base + words);
    uint64_t count = 0;
    for (size_t i = 0; i <= heap->count; i++) {
        const struct block gap = gap_at(heap, i);
        const uint64_t skip = skip_to_aligned(heap, gap.address);
        if (skip <= gap.words && words <= gap.words - skip)
            count += (gap.words - skip - words) / pitch + 1;
    }
    return count;
}

uint64_t cm_heap_mark(const struct cm_heap *heap)
{
    uint64_t mark = heap->count;
    for (size_t i = 0; i < heap->count; i++) {
        mark = cm_splitmix64(mark ^ heap->blocks[i].address, heap->blocks[i].words);
    }
    return mark;
}

void cm_heap_free(struct cm_heap *heap, uint64_t address)
{
    size_t low = 0;
    size_t high = heap->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (heap->blocks[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < heap->count && heap->blocks[low].address == address);
    if (low == heap->count || heap->blocks[low].address != address)
        return;
    heap->count--;
    heap->used -= heap->blocks[low].words;
    memmove(heap->blocks + low, heap->blocks + low + 1,
            (heap->count - low) * sizeof(*heap->blocks));
}
