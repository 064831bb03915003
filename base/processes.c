/* Collective operations of all processes, by exchanges between pairs of processes (recursive
 * doubling). After step b each process has the contributions of the 2^(b + 1) processes whose ranks
 * differ from its own only in bits 0 to b. */
#include "processes.h"

#include "crc32.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 64u /* Largest number of values that are combined at once. */

static const struct cm_process_link *joined;
/* global, because a signal handler sets it without knowing the link */
static atomic_bool interrupted;

const struct cm_process_link *cm_processes(void)
{
    return joined;
}

void cm_processes_join(const struct cm_process_link *link)
{
    joined = link;
    atomic_store(&interrupted, false);
}

void cm_processes_interrupt(void)
{
    atomic_store(&interrupted, true);
}

bool cm_processes_interrupted(void)
{
    return atomic_load(&interrupted);
}

bool cm_processes_speaks(void)
{
    return joined == NULL || joined->rank == 0;
}

enum cm_status cm_processes_lost(const struct cm_process_link *link, struct cm_error *err)
{
    char text[256];
    if (cm_processes_interrupted())
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    link->explain(link->context, text, sizeof text);
    cm_error_set(err, CM_IO, "%s", text);
    return cm_error_hint(err, "no result was written; run it again");
}

static struct cm_process_use use_so_far;

struct cm_process_use cm_processes_use(void)
{
    return use_so_far;
}

bool cm_processes_begin(const struct cm_process_link *link, uint32_t partner, const void *send,
                        void *receive, size_t bytes)
{
    use_so_far.messages++;
    use_so_far.bytes += bytes;
    return link->begin(link->context, partner, send, receive, bytes);
}

bool cm_processes_finish(const struct cm_process_link *link)
{
    use_so_far.waits++;
    return link->finish(link->context);
}

/* Performs one step of recursive doubling for all rows: sends this process's half of each pair of
 * blocks, and receives the partner's half. */
static bool gather_step(const struct cm_process_link *link, char *rows, size_t bytes,
                        uint64_t count, uint32_t bit)
{
    uint32_t partner = link->rank ^ bit, own = link->rank & ~(bit - 1), other = own ^ bit;
    for (uint64_t i = 0; i < count; i++) {
        char *row = rows + i * bytes * link->count;
        if (!cm_processes_begin(link, partner, row + own * bytes, row + other * bytes, bit * bytes))
            return false;
    }
    return cm_processes_finish(link);
}

enum cm_status cm_processes_gather(const struct cm_process_link *link, void *rows, size_t bytes,
                                   uint64_t count, struct cm_error *err)
{
    for (uint32_t bit = 1; link != NULL && bit < link->count; bit *= 2)
        if (!gather_step(link, rows, bytes, count, bit))
            return cm_processes_lost(link, err);
    return CM_OK;
}

static uint64_t combine(uint64_t a, uint64_t b, enum cm_combination operation)
{
    switch (operation) {
    case CM_COMBINE_SUM:
        return a + b;
    case CM_COMBINE_MIN:
        return a < b ? a : b;
    default:
        return a | b;
    }
}

enum cm_status cm_processes_combine(const struct cm_process_link *link, uint64_t *numbers,
                                    const enum cm_combination *operations, uint32_t count,
                                    struct cm_error *err)
{
    uint64_t theirs[NUMBERS_MAX];
    for (uint32_t bit = 1; link != NULL && bit < link->count; bit *= 2) {
        if (!cm_processes_begin(link, link->rank ^ bit, numbers, theirs, count * sizeof *numbers) ||
            !cm_processes_finish(link))
            return cm_processes_lost(link, err);
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = combine(numbers[i], theirs[i], operations[i]);
    }
    return CM_OK;
}

/* Combines all numbers of the processes by the same operation. */
static enum cm_status combine_all(const struct cm_process_link *link, uint64_t *numbers,
                                  uint32_t count, enum cm_combination operation,
                                  struct cm_error *err)
{
    enum cm_combination operations[NUMBERS_MAX];
    if (link == NULL)
        return CM_OK;
    for (uint32_t i = 0; i < count; i++)
        operations[i] = operation;
    return cm_processes_combine(link, numbers, operations, count, err);
}

enum cm_status cm_processes_sum(const struct cm_process_link *link, uint64_t *numbers,
                                uint32_t count, struct cm_error *err)
{
    return combine_all(link, numbers, count, CM_COMBINE_SUM, err);
}

enum cm_status cm_processes_min(const struct cm_process_link *link, uint64_t *numbers,
                                uint32_t count, struct cm_error *err)
{
    return combine_all(link, numbers, count, CM_COMBINE_MIN, err);
}

enum cm_status cm_processes_or(const struct cm_process_link *link, uint64_t *numbers,
                               uint32_t count, struct cm_error *err)
{
    return combine_all(link, numbers, count, CM_COMBINE_OR, err);
}

enum cm_status cm_processes_or_bytes(const struct cm_process_link *link, void *bytes, void *theirs,
                                     size_t length, struct cm_error *err)
{
    unsigned char *mine = bytes;
    for (uint32_t bit = 1; link != NULL && bit < link->count; bit *= 2) {
        if (!cm_processes_begin(link, link->rank ^ bit, bytes, theirs, length) ||
            !cm_processes_finish(link))
            return cm_processes_lost(link, err);
        for (size_t i = 0; i < length; i++)
            mine[i] |= ((const unsigned char *)theirs)[i];
    }
    return CM_OK;
}

enum cm_status cm_processes_agree(const struct cm_process_link *link, const void *bytes,
                                  size_t length, bool *same, struct cm_error *err)
{
    uint64_t mine = (uint64_t)length << 32 ^ cm_crc32(0, bytes, length);
    uint64_t ends[2] = {mine, ~mine};
    enum cm_status status = cm_processes_min(link, ends, 2, err);
    *same = ends[0] == mine && ends[1] == ~mine;
    return status;
}
