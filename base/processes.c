/* What processes do together, by exchanges between pairs of them: after step b each process knows
 * what the 2^(b + 1) processes know whose ranks are the same above bit b. */
#include "processes.h"

#include "crc32.h"

#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 64u /* combined at once */

static const struct cm_process_link *joined;

const struct cm_process_link *cm_processes(void)
{
    return joined;
}

void cm_processes_join(const struct cm_process_link *link)
{
    joined = link;
}

bool cm_processes_speaks(void)
{
    return joined == NULL || joined->rank == 0;
}

enum cm_status cm_processes_lost(const struct cm_process_link *link, struct cm_error *err)
{
    char text[256];
    link->explain(link->context, text, sizeof text);
    cm_error_set(err, CM_IO, "%s", text);
    return cm_error_hint(err, "no result was written; run it again");
}

/* One step for all rows: our half of each pair of blocks goes, the partner's comes. */
static bool gather_step(const struct cm_process_link *link, char *rows, size_t bytes,
                        uint64_t count, uint32_t bit)
{
    uint32_t partner = link->rank ^ bit, own = link->rank & ~(bit - 1), other = own ^ bit;
    for (uint64_t i = 0; i < count; i++) {
        char *row = rows + i * bytes * link->count;
        if (!link->begin(link->context, partner, row + own * bytes, row + other * bytes,
                         bit * bytes))
            return false;
    }
    return link->finish(link->context);
}

enum cm_status cm_processes_gather(const struct cm_process_link *link, void *rows, size_t bytes,
                                   uint64_t count, struct cm_error *err)
{
    for (uint32_t bit = 1; link != NULL && bit < link->count; bit *= 2)
        if (!gather_step(link, rows, bytes, count, bit))
            return cm_processes_lost(link, err);
    return CM_OK;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a + b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t either(uint64_t a, uint64_t b)
{
    return a | b;
}

static enum cm_status combine(const struct cm_process_link *link, uint64_t *numbers, uint32_t count,
                              uint64_t (*function)(uint64_t, uint64_t), struct cm_error *err)
{
    uint64_t theirs[NUMBERS_MAX];
    for (; link != NULL && count > 0;) {
        uint32_t now = count < NUMBERS_MAX ? count : NUMBERS_MAX;
        for (uint32_t bit = 1; bit < link->count; bit *= 2) {
            if (!link->begin(link->context, link->rank ^ bit, numbers, theirs,
                             now * sizeof *numbers) ||
                !link->finish(link->context))
                return cm_processes_lost(link, err);
            for (uint32_t i = 0; i < now; i++)
                numbers[i] = function(numbers[i], theirs[i]);
        }
        numbers += now;
        count -= now;
    }
    return CM_OK;
}

enum cm_status cm_processes_sum(const struct cm_process_link *link, uint64_t *numbers,
                                uint32_t count, struct cm_error *err)
{
    return combine(link, numbers, count, sum, err);
}

enum cm_status cm_processes_min(const struct cm_process_link *link, uint64_t *numbers,
                                uint32_t count, struct cm_error *err)
{
    return combine(link, numbers, count, least, err);
}

enum cm_status cm_processes_or(const struct cm_process_link *link, uint64_t *numbers,
                               uint32_t count, struct cm_error *err)
{
    return combine(link, numbers, count, either, err);
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
