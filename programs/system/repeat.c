/*
 * Finds repetitions by passes over a sequence of items. A pass replaces runs of equal neighbours,
 * of up to PERIOD_MAX items each, by loop items. Equal loops become the same item, so that the next
 * pass can find loops of loops. The body of a loop is compressed in the same way before.
 */
#include "repeat.h"

#include <string.h>

#define PERIOD_MAX 64u
#define LOOP_BIT   0x80000000u /* items with this bit are loops, the others symbols */

struct sequence {
    uint32_t *items;
    uint32_t count, capacity;
    bool failed;
};

struct loop {
    uint32_t times;
    uint32_t depth;
    struct sequence body;
};

struct finder {
    CM_LIST(struct loop) loops;
    bool failed;
};

static void push(struct finder *finder, struct sequence *sequence, uint32_t item)
{
    if (!cm_list_push(sequence, item))
        finder->failed = true;
}

static uint32_t depth_of(const struct finder *finder, const uint32_t *items, size_t count)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < count; i++)
        if ((items[i] & LOOP_BIT) && finder->loops.items[items[i] & ~LOOP_BIT].depth > depth)
            depth = finder->loops.items[items[i] & ~LOOP_BIT].depth;
    return depth;
}

/* Returns the item that stands for a loop, which is shared by equal loops. Takes over the memory of
 * the body. */
static uint32_t intern(struct finder *finder, uint32_t times, struct sequence body)
{
    const struct loop loop = {times, depth_of(finder, body.items, body.count) + 1, body};
    for (uint32_t i = 0; i < finder->loops.count; i++) {
        const struct loop *known = &finder->loops.items[i];
        if (known->times == times && known->body.count == body.count &&
            memcmp(known->body.items, body.items, body.count * sizeof *body.items) == 0) {
            cm_list_finish(&body);
            return i | LOOP_BIT;
        }
    }
    if (!cm_list_push(&finder->loops, loop)) {
        finder->failed = true;
        cm_list_finish(&body);
        return 0;
    }
    return (finder->loops.count - 1) | LOOP_BIT;
}

/* Returns how often the first `period` items repeat at the start of `items`. */
static size_t repetitions(const uint32_t *items, size_t count, size_t period)
{
    size_t times = 1;
    while ((times + 1) * period <= count &&
           memcmp(items, items + times * period, period * sizeof *items) == 0)
        times++;
    return times;
}

struct found {
    size_t period;
    size_t times;
};

/*
 * Finds the repetition at the start of `items` that covers the most items. Among equals, the
 * shortest period wins. The loop for it may have at most `levels` levels of nesting, its own
 * included.
 */
static struct found best_repetition(const struct finder *finder, const uint32_t *items,
                                    size_t count, uint32_t levels)
{
    struct found best = {0};
    for (size_t period = 1; period <= PERIOD_MAX && 2 * period <= count; period++) {
        size_t times = repetitions(items, count, period);
        if (times > 1 && times * period > best.times * best.period &&
            depth_of(finder, items, period) < levels)
            best = (struct found){.period = period, .times = times};
    }
    return best;
}

static struct sequence compress(struct finder *finder, const uint32_t *from, size_t count,
                                uint32_t levels);

static struct sequence one_pass(struct finder *finder, const uint32_t *from, size_t count,
                                uint32_t levels, bool *changed)
{
    struct sequence out = {0};
    *changed = false;
    for (size_t i = 0; i < count && !finder->failed;) {
        struct found found = best_repetition(finder, from + i, count - i, levels);
        if (found.times < 2) {
            push(finder, &out, from[i++]);
            continue;
        }
        struct sequence body = compress(finder, from + i, found.period, levels - 1);
        push(finder, &out, intern(finder, (uint32_t)found.times, body));
        i += found.period * found.times;
        *changed = true;
    }
    return out;
}

static struct sequence compress(struct finder *finder, const uint32_t *from, size_t count,
                                uint32_t levels)
{
    bool changed;
    struct sequence out = one_pass(finder, from, count, levels, &changed);
    while (changed && !finder->failed) {
        struct sequence next = one_pass(finder, out.items, out.count, levels, &changed);
        cm_list_finish(&out);
        out = next;
    }
    return out;
}

static void flatten(const struct finder *finder, const struct sequence *sequence,
                    struct cm_repeat *repeat)
{
    for (uint32_t i = 0; i < sequence->count; i++) {
        uint32_t item = sequence->items[i];
        if (!(item & LOOP_BIT)) {
            cm_list_push(repeat, (struct cm_repeat_token){CM_REPEAT_SYMBOL, item});
            continue;
        }
        const struct loop *loop = &finder->loops.items[item & ~LOOP_BIT];
        cm_list_push(repeat, (struct cm_repeat_token){CM_REPEAT_BEGIN, loop->times});
        flatten(finder, &loop->body, repeat);
        cm_list_push(repeat, (struct cm_repeat_token){CM_REPEAT_END, 0});
    }
}

enum cm_status cm_repeat_find(const uint32_t *symbols, size_t count, uint32_t max_depth,
                              struct cm_repeat *repeat, struct cm_error *err)
{
    struct finder finder = {0};
    *repeat = (struct cm_repeat){0};
    struct sequence sequence = compress(&finder, symbols, count, max_depth);
    if (!finder.failed)
        flatten(&finder, &sequence, repeat);
    bool good = !finder.failed && !repeat->failed;
    cm_list_finish(&sequence);
    for (uint32_t i = 0; i < finder.loops.count; i++)
        cm_list_finish(&finder.loops.items[i].body);
    cm_list_finish(&finder.loops);
    if (good)
        return CM_OK;
    cm_list_finish(repeat);
    return cm_error_no_memory(err);
}
