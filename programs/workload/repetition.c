/*
 * Counting of iterations (repetition.h). The state is recorded after 1, 2, 4, 8 ... iterations and
 * compared after each iteration, which finds any period (Brent 1980). The counts that one period
 * added to the results are then added for each further period that fits into the remaining
 * iterations. A repeat whose sums would reach 2^63, far above what executed iterations can reach,
 * is refused.
 */
#include "repetition.h"

#include "../system/payloads.h"

#include <stdlib.h>
#include <string.h>

#define SUM_MAX (UINT64_MAX / 2)

/* State on which the cost of an iteration depends: machine, node memory, and compiled code. */
struct state {
    struct cm_machine_state machine;
    uint64_t heap, compiled;
};

struct cm_repetition {
    struct cm_run *run;
    const struct cm_workload_step *repeat;
    /* number of the first step inside the repeat, and number of such steps */
    uint32_t first_leaf, leaf_count;
    bool found;    /* true once a period was found and counted */
    uint64_t kept; /* number of iterations after which the state below was recorded */
    struct state state;
    /* counters of the run and of the machine after `kept` iterations */
    struct cm_counters total, counters;
    uint64_t steps_done;
    struct cm_step_result *results; /* results of the repeated steps after `kept` iterations */
    /* number of words as [step][channel], followed by the words of the whole run by channel */
    uint64_t *words;
    uint64_t *now; /* buffer for the words of one step */
};

static struct state state_of(const struct cm_run *run)
{
    struct state state;
    memset(&state, 0, sizeof state);
    state.machine = cm_machine_state(cm_system_machine(run->system));
    state.heap = cm_heap_mark(run->system->heap);
    state.compiled = cm_cache_count(run->system->cache);
    return state;
}

/* Counts the steps in a list that do not contain other steps. Returns false if the cost of a step
 * depends on more than the state. */
static bool find_leaves(const struct cm_workload_step *steps, uint32_t count,
                        struct cm_repetition *repetition)
{
    for (uint32_t i = 0; i < count; i++) {
        if (steps[i].kind->holds_steps) {
            if (!find_leaves(steps[i].steps, steps[i].step_count, repetition))
                return false;
            continue;
        }
        if (!steps[i].kind->stateless)
            return false;
        if (repetition->leaf_count++ == 0)
            repetition->first_leaf = steps[i].leaf;
    }
    return true;
}

static bool must_execute(const struct cm_run *run)
{
    const struct cm_machine *machine = cm_system_machine(run->system);
    return !cm_machine_timing_only(machine) || cm_machine_observer(machine) != NULL;
}

static uint64_t word_count(const struct cm_run *run)
{
    return 2 * cm_run_channel_count(run);
}

/* Returns the recorded words of repeated step number `i`, or those of the whole run if `i` is
 * leaf_count. */
static uint64_t *kept_words(const struct cm_repetition *repetition, uint32_t i)
{
    return repetition->words + i * word_count(repetition->run);
}

static uint64_t *leaf_words(const struct cm_repetition *repetition, uint32_t i)
{
    return repetition->run->steps[repetition->first_leaf + i].channel_words;
}

static enum cm_status keep(struct cm_repetition *repetition, uint64_t done, struct cm_error *err)
{
    struct cm_run *run = repetition->run;
    repetition->kept = done;
    repetition->state = state_of(run);
    repetition->total = run->result.total;
    repetition->counters = cm_machine_counters(cm_system_machine(run->system));
    repetition->steps_done = run->done;
    memcpy(repetition->results, &run->result.steps[repetition->first_leaf],
           repetition->leaf_count * sizeof *repetition->results);
    for (uint32_t i = 0; i < repetition->leaf_count; i++)
        memcpy(kept_words(repetition, i), leaf_words(repetition, i),
               word_count(run) * sizeof *repetition->words);
    return cm_run_read_words(run, kept_words(repetition, repetition->leaf_count), err);
}

enum cm_status cm_repetition_begin(struct cm_run *run, const struct cm_workload_step *repeat,
                                   struct cm_repetition **out, struct cm_error *err)
{
    struct cm_repetition found = {.run = run, .repeat = repeat};
    *out = NULL;
    if (must_execute(run) || !find_leaves(repeat->steps, repeat->step_count, &found) ||
        found.leaf_count == 0 || repeat->times <= 2)
        return CM_OK;
    struct cm_repetition *repetition = malloc(sizeof *repetition);
    size_t words = word_count(run) + 1;
    if (repetition == NULL)
        return cm_error_no_memory(err);
    *repetition = found;
    repetition->results = calloc(found.leaf_count, sizeof *repetition->results);
    repetition->words = calloc((found.leaf_count + 1) * words, sizeof *repetition->words);
    repetition->now = calloc(words, sizeof *repetition->now);
    if (repetition->results == NULL || repetition->words == NULL || repetition->now == NULL) {
        cm_repetition_end(repetition);
        return cm_error_no_memory(err);
    }
    *out = repetition;
    return CM_OK;
}

void cm_repetition_end(struct cm_repetition *repetition)
{
    if (repetition == NULL)
        return;
    free(repetition->results);
    free(repetition->words);
    free(repetition->now);
    free(repetition);
}

/* Computes sum += times * (sum - before). Returns false if the result is above SUM_MAX. */
static bool sum_again(uint64_t *sum, uint64_t before, uint64_t times)
{
    uint64_t part = *sum - before;
    if (*sum > SUM_MAX || (times > 0 && part > (SUM_MAX - *sum) / times))
        return false;
    *sum += times * part;
    return true;
}

static bool add_again(struct cm_counters *counters, const struct cm_counters *before,
                      uint64_t times)
{
    uint64_t *sum = (uint64_t *)counters;
    const uint64_t *was = (const uint64_t *)before;
    bool fits = true;
    for (size_t i = 0; i < sizeof *counters / sizeof *sum; i++)
        fits = sum_again(&sum[i], was[i], times) && fits;
    return fits;
}

static bool add_words_again(const struct cm_repetition *repetition, uint64_t *words,
                            const uint64_t *before, uint64_t times)
{
    bool fits = true;
    for (uint64_t c = 0; c < word_count(repetition->run); c++)
        fits = sum_again(&words[c], before[c], times) && fits;
    return fits;
}

static bool add_leaf_again(struct cm_repetition *repetition, uint32_t i, uint64_t times)
{
    struct cm_step_result *result = &repetition->run->result.steps[repetition->first_leaf + i];
    const struct cm_step_result *before = &repetition->results[i];
    return add_again(&result->counters, &before->counters, times) &&
           sum_again(&result->times, before->times, times) &&
           add_words_again(repetition, leaf_words(repetition, i), kept_words(repetition, i), times);
}

static enum cm_status refuse(const struct cm_repetition *repetition, struct cm_error *err)
{
    cm_error_refuse(err, "take fewer times",
                    "the repeats come to more cycles or words than 2^63 - 1, which is as far as "
                    "they are counted");
    return cm_workload_place(repetition->repeat->json, err);
}

/* Adds the channel words and counters of a period to the machine, `times` times. */
static enum cm_status add_again_to_machine(struct cm_repetition *repetition, uint64_t times,
                                           struct cm_error *err)
{
    struct cm_run *run = repetition->run;
    struct cm_machine *machine = cm_system_machine(run->system);
    const uint64_t *before = kept_words(repetition, repetition->leaf_count);
    struct cm_counters now = cm_machine_counters(machine);
    struct cm_counters spent = cm_counters_difference(&now, &repetition->counters);
    uint64_t *words = repetition->now;
    enum cm_status status = cm_run_read_words(run, words, err);
    if (status != CM_OK)
        return status;
    for (uint64_t c = 0; c < word_count(run); c++) {
        uint64_t sum = words[c];
        if (!sum_again(&sum, before[c], times))
            return refuse(repetition, err);
        words[c] -= before[c];
    }
    status = cm_machine_count_again(machine, times, &spent, words, err);
    if (status != CM_OK)
        return status;
    cm_system_count_routed_again(run->system, times, words + cm_run_channel_count(run));
    return cm_run_read_words(run, run->words_before, err);
}

static enum cm_status add_again_to_run(struct cm_repetition *repetition, uint64_t times,
                                       struct cm_error *err)
{
    struct cm_run *run = repetition->run;
    if (!add_again(&run->result.total, &repetition->total, times))
        return refuse(repetition, err);
    run->done += times * (run->done - repetition->steps_done);
    return add_again_to_machine(repetition, times, err);
}

static enum cm_status add_period_again(struct cm_repetition *repetition, uint64_t times,
                                       struct cm_error *err)
{
    for (uint32_t i = 0; i < repetition->leaf_count; i++)
        if (!add_leaf_again(repetition, i, times))
            return refuse(repetition, err);
    return add_again_to_run(repetition, times, err);
}

enum cm_status cm_repetition_count(struct cm_repetition *repetition, uint64_t *done,
                                   struct cm_error *err)
{
    enum cm_status status = CM_OK;
    if (repetition->found)
        return CM_OK;
    struct state now = state_of(repetition->run);
    if (repetition->kept > 0 && memcmp(&now, &repetition->state, sizeof now) == 0) {
        uint64_t period = *done - repetition->kept;
        uint64_t times = (repetition->repeat->times - *done) / period;
        status = add_period_again(repetition, times, err);
        *done += times * period;
        repetition->found = true;
    } else if ((*done & (*done - 1)) == 0) {
        status = keep(repetition, *done, err);
    }
    return status;
}
