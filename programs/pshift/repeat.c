/*
 * Passes over the sequence replace runs of equal neighbours (of up to PERIOD_MAX items) by a loop
 * item; equal loops are one item, so that the next pass can find loops of loops. Bodies are treated
 * the same way first.
 */
#include "repeat.h"

#include <stdlib.h>
#include <string.h>

#define PERIOD_MAX 64u
#define LOOP_BIT   0x80000000u /* items with it are loops, the others symbols */

struct items {
    uint32_t *at;
    size_t count;
    size_t capacity;
};

struct loop {
    uint32_t times;
    uint32_t depth;
    struct items body;
};

struct finder {
    struct loop *loops;
    size_t loop_count;
    size_t loop_capacity;
    bool failed;
};

static bool push(struct finder *finder, struct items *items, uint32_t item)
{
    if (items->count == items->capacity) {
        size_t capacity = items->capacity ? items->capacity * 2 : 16;
        uint32_t *larger = realloc(items->at, capacity * sizeof *larger);
        if (!larger) {
            finder->failed = true;
            return false;
        }
        items->at = larger;
        items->capacity = capacity;
    }
    items->at[items->count++] = item;
    return true;
}

static uint32_t depth_of(const struct finder *finder, const uint32_t *items, size_t count)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < count; i++)
        if ((items[i] & LOOP_BIT) && finder->loops[items[i] & ~LOOP_BIT].depth > depth)
            depth = finder->loops[items[i] & ~LOOP_BIT].depth;
    return depth;
}

/* The item of a loop, an existing one if there is an equal one. Takes the body. */
static uint32_t intern(struct finder *finder, uint32_t times, struct items body)
{
    for (size_t i = 0; i < finder->loop_count; i++) {
        const struct loop *loop = &finder->loops[i];
        if (loop->times == times && loop->body.count == body.count &&
            memcmp(loop->body.at, body.at, body.count * sizeof *body.at) == 0) {
            free(body.at);
            return (uint32_t)i | LOOP_BIT;
        }
    }
    if (finder->loop_count == finder->loop_capacity) {
        size_t capacity = finder->loop_capacity ? finder->loop_capacity * 2 : 16;
        struct loop *larger = realloc(finder->loops, capacity * sizeof *larger);
        if (!larger) {
            finder->failed = true;
            free(body.at);
            return 0;
        }
        finder->loops = larger;
        finder->loop_capacity = capacity;
    }
    finder->loops[finder->loop_count] = (struct loop){
        .times = times, .depth = depth_of(finder, body.at, body.count) + 1, .body = body};
    return (uint32_t)finder->loop_count++ | LOOP_BIT;
}

/* How often the `period` items at the start of `items` stand there one after the other. */
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
 * The repetition at the start of `items` that covers most; the shortest period among equals. Its
 * loop may nest `levels` deep, itself included.
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

static struct items compress(struct finder *finder, const uint32_t *from, size_t count,
                             uint32_t levels);

static struct items one_pass(struct finder *finder, const uint32_t *from, size_t count,
                             uint32_t levels, bool *changed)
{
    struct items out = {0};
    *changed = false;
    for (size_t i = 0; i < count && !finder->failed;) {
        struct found found = best_repetition(finder, from + i, count - i, levels);
        if (found.times < 2) {
            push(finder, &out, from[i++]);
            continue;
        }
        struct items body = compress(finder, from + i, found.period, levels - 1);
        push(finder, &out, intern(finder, (uint32_t)found.times, body));
        i += found.period * found.times;
        *changed = true;
    }
    return out;
}

static struct items compress(struct finder *finder, const uint32_t *from, size_t count,
                             uint32_t levels)
{
    bool changed;
    struct items out = one_pass(finder, from, count, levels, &changed);
    while (changed && !finder->failed) {
        struct items next = one_pass(finder, out.at, out.count, levels, &changed);
        free(out.at);
        out = next;
    }
    return out;
}

static bool add_token(struct cm_repeat *repeat, enum cm_repeat_kind kind, uint32_t value)
{
    if (repeat->count == repeat->capacity) {
        size_t capacity = repeat->capacity ? repeat->capacity * 2 : 32;
        struct cm_repeat_token *larger = realloc(repeat->tokens, capacity * sizeof *larger);
        if (!larger)
            return false;
        repeat->tokens = larger;
        repeat->capacity = capacity;
    }
    repeat->tokens[repeat->count++] = (struct cm_repeat_token){.kind = kind, .value = value};
    return true;
}

static bool flatten(const struct finder *finder, const struct items *items,
                    struct cm_repeat *repeat)
{
    for (size_t i = 0; i < items->count; i++) {
        if (!(items->at[i] & LOOP_BIT)) {
            if (!add_token(repeat, CM_REPEAT_SYMBOL, items->at[i]))
                return false;
            continue;
        }
        const struct loop *loop = &finder->loops[items->at[i] & ~LOOP_BIT];
        if (!add_token(repeat, CM_REPEAT_BEGIN, loop->times) ||
            !flatten(finder, &loop->body, repeat) || !add_token(repeat, CM_REPEAT_END, 0))
            return false;
    }
    return true;
}

enum cm_status cm_repeat_find(const uint32_t *symbols, size_t count, uint32_t max_depth,
                              struct cm_repeat *repeat, struct cm_error *err)
{
    struct finder finder = {0};
    *repeat = (struct cm_repeat){0};
    struct items items = compress(&finder, symbols, count, max_depth);
    bool ok = !finder.failed && flatten(&finder, &items, repeat);
    free(items.at);
    for (size_t i = 0; i < finder.loop_count; i++)
        free(finder.loops[i].body.at);
    free(finder.loops);
    if (ok)
        return CM_OK;
    cm_repeat_finish(repeat);
    return cm_error_no_memory(err);
}

void cm_repeat_finish(struct cm_repeat *repeat)
{
    free(repeat->tokens);
    *repeat = (struct cm_repeat){0};
}
