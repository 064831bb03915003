/* Emits loops over local elements: finds the runs of adjacent bits, and nests loops around a
 * body. */
#include "loops.h"

void cm_loops_add(struct cm_loops *loops, uint64_t bits, uint64_t numbering, uint32_t element_words,
                  uint64_t entry_words)
{
    uint64_t entry = entry_words;
    bool open = false, by_entry = false;
    for (uint32_t bit = 0; bit < CM_LOGIC_DIMENSIONS_MAX; bit++) {
        bool numbers = numbering >> bit & 1;
        if (!(bits >> bit & 1)) {
            open = false;
            continue;
        }
        if (!open || numbers != by_entry)
            loops->levels[loops->level_count++] =
                (struct cm_loop_level){.count = 1,
                                       .data = (int64_t)((UINT64_C(1) << bit) * element_words),
                                       .entries = numbers ? (int64_t)entry : 0};
        open = true;
        by_entry = numbers;
        loops->levels[loops->level_count - 1].count *= 2;
        entry *= numbers ? 2 : 1;
    }
}

/* Emits the loops of `level` levels, with number level - 1 as the outermost loop. Returns by how
 * many words they advance the address registers: `data` of the elements, `entries` of the table. */
static struct cm_loop_level emit_levels(const struct cm_loops *loops, uint32_t level,
                                        struct cm_imp *imp)
{
    struct cm_loop_level own = {.count = 1}, inner = {0};
    uint64_t bodies = 1;
    uint32_t loop = 0;
    if (level > 0)
        own = loops->levels[level - 1];
    if (level <= 1)
        bodies = own.count < loops->bodies ? own.count : loops->bodies;
    uint64_t iterations = own.count / bodies;
    if (iterations > 1)
        loop = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)iterations));
    if (level > 1)
        inner = emit_levels(loops, level - 1, imp);
    for (uint64_t k = 0; level <= 1 && k < bodies; k++)
        loops->body(loops->context, (int64_t)k * own.data, (int64_t)k * own.entries);
    if (iterations == 1)
        return inner;
    cm_emit_advance(imp, loops->data, (int64_t)bodies * own.data - inner.data);
    cm_emit_advance(imp, loops->entries, (int64_t)bodies * own.entries - inner.entries);
    cm_emit_next(imp, loop);
    return (struct cm_loop_level){.data = (int64_t)own.count * own.data,
                                  .entries = (int64_t)own.count * own.entries};
}

void cm_loops_emit(const struct cm_loops *loops, struct cm_imp *imp)
{
    emit_levels(loops, loops->level_count, imp);
}
