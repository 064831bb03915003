/* Creation of an IMP's prediction state (format.h), used by the recorder and the reader. All states
 * of a trace share large chunks of memory. */
#include "../base/huge.h"
#include "format.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* bytes of the first chunk, which are enough for small runs */
#define FIRST_BYTES (UINT32_C(1) << 18)

struct cm_prediction_chunk {
    struct cm_prediction_chunk *next;
    alignas(max_align_t) char bytes[];
};

static bool add_chunk(struct cm_prediction_memory *memory, size_t bytes)
{
    const size_t needed = bytes + sizeof(struct cm_prediction_chunk);
    const bool small = memory->chunks == NULL && needed <= FIRST_BYTES;
    const size_t pages = (needed + CM_HUGE_PAGE_BYTES - 1) / CM_HUGE_PAGE_BYTES;
    const size_t size = small ? FIRST_BYTES : pages * CM_HUGE_PAGE_BYTES;
    struct cm_prediction_chunk *chunk = cm_huge_allocate(size);
    if (chunk == NULL)
        return false;
    chunk->next = memory->chunks;
    memory->chunks = chunk;
    memory->at = chunk->bytes;
    memory->left = size - sizeof *chunk;
    return true;
}

static void *take(struct cm_prediction_memory *memory, size_t bytes)
{
    const size_t rounded =
        (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (memory->left < rounded && !add_chunk(memory, rounded))
        return NULL;
    void *taken = memory->at;
    memory->at += rounded;
    memory->left -= rounded;
    return taken;
}

#define IS_COST(cost, is) (CM_COST_##cost == CM_COST_##is)

/* True for operations that are control flow. */
static const bool is_control[CM_OP_COUNT] = {
#define CM_OP(symbol, mnemonic, class, k1, k2, k3, k4, k5, effect, source)                         \
    [CM_OP_##symbol] = IS_COST(class, NONE) || IS_COST(class, LOOP) || IS_COST(class, NEXT) ||     \
                       IS_COST(class, ADDRESS),
#include "../isa/isa.def"
#undef CM_OP
};

bool cm_prediction_init(struct cm_prediction *prediction, const struct cm_imp *imp,
                        struct cm_prediction_memory *memory)
{
    const size_t count = (size_t)imp->length + 1;
    *prediction = (struct cm_prediction){
        .length = imp->length,
        .next = take(memory, count * sizeof *prediction->next),
        .blocks = take(memory, count * sizeof *prediction->blocks),
        .history = take(memory, count * sizeof *prediction->history),
    };
    if (prediction->next == NULL || prediction->history == NULL || prediction->blocks == NULL)
        return false;
    memset(prediction->blocks, 0, count * sizeof *prediction->blocks);
    uint32_t next = prediction->next[imp->length] = imp->length;
    for (uint32_t pc = imp->length; pc-- > 0; prediction->next[pc] = next)
        next = is_control[imp->code[pc].op] ? next : pc;
    return true;
}

void cm_prediction_memory_finish(struct cm_prediction_memory *memory)
{
    for (struct cm_prediction_chunk *chunk = memory->chunks; chunk != NULL;) {
        struct cm_prediction_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *memory = (struct cm_prediction_memory){0};
}
