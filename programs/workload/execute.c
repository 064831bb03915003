/* Execution of the steps. The cost of a step is the difference of the machine's counters before and
 * after it. Host time is measured for the steps only. cm_run_execute calls the kinds of steps.
 * Nothing else may charge cycles here. */
#include "../../base/processes.h"
#include "../system/payloads.h"
#include "repetition.h"

#include <stdlib.h>
#include <string.h>

/* Returns the number of channel counters in use. The second half of the counters belongs to the
 * router. It is zero and untouched until the router is used. On a large machine the counters are
 * most of the memory. */
static uint64_t words_in_use(const struct cm_run *run)
{
    uint64_t count = cm_run_channel_count(run);
    return cm_system_routed_words(run->system) != NULL ? 2 * count : count;
}

/* Words over all channels, and the busiest channel. Among equally busy channels the first one
 * counts. */
struct busiest {
    uint64_t words, routed; /* number of words of all channels, by exchanges and by the router */
    uint64_t cycles, where, load;
};

/* Sums up the channels numbered `first` to `end` - 1. `words` has the words of all channels: first
 * by exchanges, then by the router. */
static struct busiest find_busiest(const struct cm_run *run, const uint64_t *words, uint64_t first,
                                   uint64_t end)
{
    const uint64_t of_exchange = run->config.exchange_cycles;
    const uint64_t of_router = run->config.router_word_cycles;
    const uint64_t count = cm_run_channel_count(run);
    const bool is_routed = words_in_use(run) > count;
    struct busiest busiest = {.where = first};
    for (uint64_t i = first; i < end; i++) {
        uint64_t routed = is_routed ? words[count + i] : 0;
        uint64_t cycles = words[i] * of_exchange + routed * of_router;
        busiest.words += words[i];
        busiest.routed += routed;
        busiest.where = cycles > busiest.cycles ? i : busiest.where;
        busiest.cycles = cycles > busiest.cycles ? cycles : busiest.cycles;
    }
    if (busiest.cycles > 0)
        busiest.load = words[busiest.where] + (is_routed ? words[count + busiest.where] : 0);
    return busiest;
}

/* Finds the busiest channel of all processes, and the sums over them. Each process knows only its
 * own nodes' channels. */
static enum cm_status combine_busiest(struct busiest *busiest, struct cm_error *err)
{
    static const enum cm_combination ways[] = {CM_COMBINE_SUM, CM_COMBINE_SUM, CM_COMBINE_MIN};
    const struct cm_process_link *link = cm_processes();
    uint64_t all[] = {busiest->words, busiest->routed, ~busiest->cycles};
    enum cm_status status = cm_processes_combine(link, all, ways, 3, err);
    uint64_t where = ~all[2] == busiest->cycles ? busiest->where : UINT64_MAX;
    if (status == CM_OK)
        status = cm_processes_min(link, &where, 1, err);
    uint64_t load = where == busiest->where ? busiest->load : 0;
    if (status == CM_OK)
        status = cm_processes_sum(link, &load, 1, err);
    *busiest = (struct busiest){all[0], all[1], ~all[2], where, load};
    return status;
}

/* Returns how many channels of each dimension a step may use. */
static uint32_t channels_of(const struct cm_run *run, const struct cm_run_step *step)
{
    const struct cm_step_kind *kind = step->step->kind;
    return kind->channels != NULL ? kind->channels(step)
                                  : run->config.network_channels_per_dimension;
}

/* Returns the largest number of channels of each dimension that some step may use. */
static uint32_t channels_of_all(const struct cm_run *run)
{
    uint32_t most = run->step_count == 0 ? run->config.network_channels_per_dimension : 0;
    for (uint32_t i = 0; i < run->step_count; i++) {
        const uint32_t channels = channels_of(run, &run->steps[i]);
        most = channels > most ? channels : most;
    }
    return most;
}

/* Summarises the use of the channels in `use`. A word costs exchange.cycles by an exchange and
 * router.word_cycles by the router. Means are over `per_dimension` channels of each dimension. */
static enum cm_status summarise(const struct cm_run *run, const uint64_t *words,
                                uint32_t per_dimension, struct cm_channel_use *use,
                                struct cm_error *err)
{
    const struct cm_machine *machine = cm_system_machine(run->system);
    const uint64_t of_node = 2 * (uint64_t)cm_machine_dimensions(machine);
    uint64_t first = 0, count = cm_run_channel_count(run);
    enum cm_status status = CM_OK;
    if (run->own_channels) {
        first = cm_machine_first_node(machine) * of_node;
        count = cm_machine_own_nodes(machine) * of_node;
    }
    struct busiest busiest = find_busiest(run, words, first, first + count);
    if (run->own_channels)
        status = combine_busiest(&busiest, err);
    *use = (struct cm_channel_use){
        .channels = run->result.nodes * of_node / 2 * per_dimension,
        .total_words = busiest.words + busiest.routed,
        .max_busy_cycles = busiest.cycles,
    };
    if (busiest.cycles > 0) {
        use->max_load = busiest.load;
        use->max_channel = (uint32_t)(busiest.where % 2);
        use->max_dimension = (uint32_t)(busiest.where % of_node / 2);
        use->max_node = (uint32_t)(busiest.where / of_node);
    }
    /* Double precision, because the sum over all channels can exceed 64 bits. */
    double busy = (double)busiest.words * (double)run->config.exchange_cycles +
                  (double)busiest.routed * (double)run->config.router_word_cycles;
    use->mean_busy_cycles = use->channels > 0 ? busy / (double)use->channels : 0;
    return status;
}

/* Reads the channel use of a step, in a run without counters for single channels. */
static enum cm_status sum_channels(struct cm_run *run, struct cm_step_result *result,
                                   struct cm_error *err)
{
    struct cm_machine *machine = cm_system_machine(run->system);
    if (cm_system_routed_words(run->system) != NULL)
        return cm_error_set(err, CM_USAGE,
                            "a step that goes through the router needs the words of "
                            "each channel: do not sum them up");
    enum cm_status status =
        cm_machine_channel_use(machine, CM_CHANNELS_LATE, &result->channels, err);
    cm_machine_mark_channels(machine);
    return status;
}

static enum cm_status sum_all_channels(struct cm_run *run, struct cm_error *err)
{
    struct cm_result *result = &run->result;
    struct cm_machine *machine = cm_system_machine(run->system);
    return cm_machine_channel_use(machine, result->partial ? CM_CHANNELS_EARLY : CM_CHANNELS_WHOLE,
                                  &result->channels, err);
}

static enum cm_status account_channels(struct cm_run *run, struct cm_run_step *plan,
                                       struct cm_step_result *result, struct cm_error *err)
{
    uint64_t *after = run->words_after;
    if (run->channels_summed)
        return sum_channels(run, result, err);
    enum cm_status status = cm_run_read_words(run, after, err);
    uint64_t count = words_in_use(run);
    if (status != CM_OK)
        return status;
    for (uint64_t i = 0; i < count; i++)
        run->words_before[i] = after[i] - run->words_before[i];
    if (plan->step->kind->sent != NULL)
        status = plan->step->kind->sent(run, plan, run->words_before, err);
    if (plan->channel_words != NULL) {
        for (uint64_t i = 0; i < count; i++)
            plan->channel_words[i] += run->words_before[i];
    } else {
        if (status == CM_OK)
            status =
                summarise(run, run->words_before, channels_of(run, plan), &result->channels, err);
    }
    run->words_after = run->words_before;
    run->words_before = after;
    return status;
}

static enum cm_status execute_step(struct cm_run *run, struct cm_run_step *plan,
                                   struct cm_error *err)
{
    const struct cm_step_kind *kind = plan->step->kind;
    struct cm_step_result *result = &run->result.steps[plan->step->leaf];
    struct cm_machine *machine = cm_system_machine(run->system);
    if (atomic_load(&run->interrupted))
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    run->result.interrupted_in = plan->step->where; /* set to NULL when the step has ended */
    struct cm_counters before = cm_machine_counters(machine);
    run->system->overlay_words = 0;
    double begin = cm_run_host_seconds();
    cm_run_set_step(run, plan);
    cm_machine_step_begins(machine, kind->name, plan->step->where);
    enum cm_status status = kind->run(run, plan, err);
    struct cm_counters after = cm_machine_counters(machine);
    cm_machine_step_ends(machine);
    cm_run_set_step(run, NULL);
    run->result.wall_seconds += cm_run_host_seconds() - begin;
    if (!run->result.timing_only)
        run->result.executor = cm_executor_name(cm_machine_executor(machine));
    struct cm_counters spent = cm_counters_difference(&after, &before);
    if (status == CM_INTERRUPTED)
        spent = kind->so_far != NULL ? kind->so_far(plan) : (struct cm_counters){0};
    cm_counters_add(&result->counters, &spent);
    cm_counters_add(&run->result.total, &spent);
    result->times += status != CM_INTERRUPTED;
    if (plan->resident_words + run->system->overlay_words > result->sram_words)
        result->sram_words = plan->resident_words + run->system->overlay_words;
    if (status != CM_OK) {
        if (status == CM_FAULT && err->hint[0] == '\0')
            cm_error_hint(err, "in step %s of the workload", plan->step->where);
        cm_workload_place(plan->step->json, err);
        return status;
    }
    status = account_channels(run, plan, result, err);
    if (status == CM_OK && run->check)
        status = kind->check(run, plan, result, err);
    plan->executed++;
    plan->wall_seconds += cm_run_host_seconds() - begin;
    run->result.interrupted_in = NULL;
    run->done++;
    if (run->options.progress != NULL)
        run->options.progress(run->options.progress_context, run->done, run->total);
    return status;
}

static enum cm_status execute_list(struct cm_run *run, const struct cm_workload_step *steps,
                                   uint32_t count, struct cm_error *err);

static enum cm_status execute_repeat(struct cm_run *run, const struct cm_workload_step *repeat,
                                     struct cm_error *err)
{
    struct cm_repetition *repetition;
    enum cm_status status = cm_repetition_begin(run, repeat, &repetition, err);
    for (uint64_t done = 0; status == CM_OK && done < repeat->times;) {
        status = execute_list(run, repeat->steps, repeat->step_count, err);
        done++;
        if (status == CM_OK && repetition != NULL)
            status = cm_repetition_count(repetition, &done, err);
    }
    cm_repetition_end(repetition);
    return status;
}

static enum cm_status execute_list(struct cm_run *run, const struct cm_workload_step *steps,
                                   uint32_t count, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        if (steps[i].kind->holds_steps)
            status = execute_repeat(run, &steps[i], err);
        else
            status = execute_step(run, &run->steps[steps[i].leaf], err);
    }
    return status;
}

/* Reads the words of all channels to run->words_after. After an interrupt, takes the words before
 * the interrupted step. */
static enum cm_status read_last_words(struct cm_run *run, struct cm_error *err)
{
    if (!run->result.partial)
        return cm_run_read_words(run, run->words_after, err);
    memcpy(run->words_after, run->words_before, words_in_use(run) * sizeof *run->words_after);
    return CM_OK;
}

static enum cm_status finish_result(struct cm_run *run, struct cm_error *err)
{
    struct cm_result *result = &run->result;
    result->checked = run->check && !result->partial;
    result->steps_done = run->done;
    result->steps_total = run->total;
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < run->step_count; i++) {
        struct cm_step_result *step = &result->steps[i];
        if (run->steps[i].channel_words != NULL && status == CM_OK)
            status = summarise(run, run->steps[i].channel_words, channels_of(run, &run->steps[i]),
                               &step->channels, err);
        result->checked = result->checked && step->checked;
    }
    /* After an interrupt, other processes may have ended, and then their counters are lost. */
    if (status != CM_OK || (result->partial && run->own_channels))
        return status;
    if (run->channels_summed)
        return sum_all_channels(run, err);
    status = read_last_words(run, err);
    return status == CM_OK
               ? summarise(run, run->words_after, channels_of_all(run), &result->channels, err)
               : status;
}

enum cm_status cm_run_execute(struct cm_run *run, struct cm_error *err)
{
    struct cm_error local;
    memset(&local, 0, sizeof local);
    struct cm_machine *machine = cm_system_machine(run->system);
    cm_machine_reset_channels(machine);
    if (run->channels_summed)
        cm_machine_mark_channels(machine);
    else if (run->counted)
        memset(run->words_before, 0, words_in_use(run) * sizeof *run->words_before);
    run->counted = true;
    cm_system_reset_routed(run->system);
    cm_run_notify_arrays(run);
    enum cm_status status =
        execute_list(run, run->workload->steps, run->workload->step_count, &local);
    if (status == CM_OK)
        status = cm_run_check_maps(run, &local);
    run->result.partial = status == CM_INTERRUPTED;
    enum cm_status finished = finish_result(run, status == CM_OK ? &local : NULL);
    if (status == CM_OK)
        status = finished;
    /* The error `local` describes the first mismatch. */
    if (status == CM_OK && run->result.mismatches > 0)
        status = CM_CHECK_FAILED;
    if (status != CM_OK && err != NULL)
        *err = local;
    return status;
}

enum cm_status cm_run_execute_watched(struct cm_run *run,
                                      bool (*watch)(void *context, struct cm_run *run),
                                      void *context, struct cm_error *err)
{
    if (watch == NULL)
        return cm_run_execute(run, err);
    if (!watch(context, run))
        return cm_error_set(err, CM_INTERRUPTED, "interrupted");
    enum cm_status status = cm_run_execute(run, err);
    bool go_on = watch(context, NULL);
    return go_on || status != CM_OK ? status : cm_error_set(err, CM_INTERRUPTED, "interrupted");
}
