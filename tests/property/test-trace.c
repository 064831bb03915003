/*
 * Traces against what happened: examples and random workloads are run twice, alone and recorded;
 * beside the recorder a witness notes every event by itself. What the reader says of the trace must
 * be what the witness saw and what the machine counted, in any interval. Prints TAP, one line a
 * property; the seed with every failure.
 *
 *     property trace [--machine FILE] [--cases N] [--seed S] [--case K] [WORKLOAD...]
 */
#include "../../programs/workload/workload.h"
#include "../../trace/record.h"
#include "../../trace/trace.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "case.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* fortran/run/step.h has it, and random numbers of the same name as case.h. */
bool cm_fortran_register(void);

#define SAMPLES       12u
#define DETAIL_CYCLES UINT64_C(20000) /* with the words on the wires */
#define DETAIL_EVENTS UINT64_C(2000)

/* An instruction as the witness saw it. */
struct seen {
    uint64_t first, end, address, other, faults, slots;
    uint32_t wire; /* of an exchange with data: A's word of `slot` in the node */
    uint32_t slot;
    bool wired;
    uint32_t pc, node;
};

struct witness {
    const struct cm_observer *recorder;
    struct cm_machine *machine;
    struct seen *seen;
    uint64_t count, capacity, faults;
    uint64_t *masks;
    const struct cm_imp *imp;
    struct cm_random random;
};

enum property {
    SAME,
    EVENTS,
    CHANNELS,
    STEPS,
    INTERVALS,
    WALKS,
    USE,
    PLACES,
    WIRES,
    PROPERTY_COUNT
};
static const char *const property_names[PROPERTY_COUNT] = {
    [SAME] = "a recorded run gives the same counters and channels as one that is not",
    [EVENTS] = "the trace has every instruction with its cycles, addresses, page faults and slots",
    [CHANNELS] = "busy cycles of every channel add up to what the run counted",
    [STEPS] = "steps have the cycles, by cause, that the result has",
    [INTERVALS] = "channels, causes and phases of adjoining intervals add up",
    [WALKS] = "cursors come by every event once, in both directions, from anywhere",
    [PLACES] = "elements of arrays lie where layouts and allocations say",
    [WIRES] = "the words on the wires are those of transposer A",
    [USE] = "the use of dimensions agrees with the channels' busy cycles",
};

struct state {
    const char *machine;
    uint64_t seed, number, failures[PROPERTY_COUNT], runs;
    const char *name;
    bool coarse; /* hops are counted by windows: within one, busy cycles are only about right */
};

static void expect(struct state *state, enum property property, bool ok, const char *what)
{
    if (ok)
        return;
    if (state->failures[property]++ < 3)
        printf("# %s: %s (seed %" PRIu64 ", case %" PRIu64 ")\n", state->name, what, state->seed,
               state->number);
}

static uint64_t draw(struct cm_random *random, uint64_t bound)
{
    return (cm_random_next(random) >> 1) % bound;
}

static void witness_start(void *context, const struct cm_observed_start *start)
{
    struct witness *w = context;
    w->imp = start->imp;
    w->recorder->run_begins(w->recorder->context, start);
}

static void witness_issue(void *context, const struct cm_observed_issue *issue)
{
    struct witness *w = context;
    enum cm_cost_class cost = cm_op_info(w->imp->code[issue->pc].op)->cost;
    w->recorder->issued(w->recorder->context, issue);
    if (cost == CM_COST_LOOP || cost == CM_COST_NEXT || cost == CM_COST_ADDRESS)
        return;
    if (w->count == w->capacity) {
        w->capacity = w->capacity == 0 ? 1024 : w->capacity * 2;
        w->seen = realloc(w->seen, w->capacity * sizeof *w->seen);
    }
    struct seen *seen = &w->seen[w->count++];
    *seen = (struct seen){.first = issue->first_cycle,
                          .end = issue->counters->cycles,
                          .address = issue->address,
                          .other = issue->other,
                          .faults = issue->counters->page_faults - w->faults,
                          .pc = issue->pc};
    w->faults = issue->counters->page_faults;
    seen->node = cm_random_below(&w->random, cm_machine_nodes(w->machine));
    if (issue->slots != CM_SLOTS_NONE) {
        cm_machine_observed_slots(w->machine, issue->slots, issue->number, w->masks);
        seen->slots = w->masks[seen->node];
        seen->wired = issue->wires.words != NULL;
        seen->slot = cm_random_below(&w->random, cm_machine_config(w->machine)->transposer_slots);
        if (seen->wired)
            seen->wire = *cm_planes_word(&issue->wires, seen->slot, seen->node);
    }
}

/* The rest goes to the recorder as it comes. */
#define RECORDER(context) ((struct witness *)(context))->recorder
#define PASS(name, parameters, ...)                                                                \
    static void pass_##name parameters                                                             \
    {                                                                                              \
        RECORDER(context)->name(RECORDER(context)->context, __VA_ARGS__);                          \
    }
PASS(run_ends, (void *context, const struct cm_counters *counters), counters)
PASS(router_begins, (void *context, const struct cm_router_options *options, uint64_t cycle),
     options, cycle)
PASS(packet_sent,
     (void *context, uint64_t packet, uint32_t source, uint32_t destination, uint64_t created),
     packet, source, destination, created)
PASS(packets_hop, (void *context, const struct cm_observed_hops *hops), hops)
PASS(hops_end, (void *context, const struct cm_observed_hop_end *ends, uint32_t count), ends, count)
PASS(packets_arrive, (void *context, const struct cm_router_delivery *arrivals, uint32_t count),
     arrivals, count)
PASS(router_ends, (void *context, uint64_t cycle, const struct cm_counters *counters), cycle,
     counters)
PASS(step_begins,
     (void *context, const char *op, const char *where, const struct cm_counters *counters), op,
     where, counters)
PASS(step_ends, (void *context, const struct cm_counters *counters), counters)
PASS(array_lies, (void *context, const struct cm_observed_array *array), array)

static const struct cm_observer witness_functions = {
    .run_begins = witness_start,
    .issued = witness_issue,
    .run_ends = pass_run_ends,
    .router_begins = pass_router_begins,
    .packet_sent = pass_packet_sent,
    .packets_hop = pass_packets_hop,
    .hops_end = pass_hops_end,
    .packets_arrive = pass_packets_arrive,
    .router_ends = pass_router_ends,
    .step_begins = pass_step_begins,
    .step_ends = pass_step_ends,
    .array_lies = pass_array_lies,
};

/* One run of a workload. */
struct outcome {
    enum cm_status status;
    struct cm_counters counters;
    uint64_t *words; /* busy cycles of each channel, as the machine counted */
    uint64_t channels;
    struct cm_run *run;
};

static void count_channels(struct outcome *outcome)
{
    struct cm_machine *machine = cm_system_machine(cm_run_system(outcome->run));
    const struct cm_config *config = cm_machine_config(machine);
    const uint64_t *routed = cm_system_routed_words(cm_run_system(outcome->run));
    uint32_t dimensions = cm_machine_dimensions(machine);
    outcome->channels = (uint64_t)cm_machine_nodes(machine) * dimensions * 2;
    outcome->words = calloc(outcome->channels + 1, sizeof *outcome->words);
    if (cm_machine_channel_words(machine, outcome->words, NULL) != CM_OK)
        abort();
    for (uint64_t i = 0; i < outcome->channels; i++)
        outcome->words[i] = outcome->words[i] * config->exchange_cycles +
                            (routed != NULL ? routed[i] * config->router_word_cycles : 0);
}

static bool run(const struct cm_workload *workload, const char *machine, uint32_t threads,
                bool timing_only, struct outcome *outcome)
{
    struct cm_error err;
    struct cm_run_options options = {
        .machine = machine, .threads = threads, .timing_only = timing_only};
    memset(outcome, 0, sizeof *outcome);
    return cm_run_create(workload, &options, &outcome->run, &err) == CM_OK;
}

static void finish(struct outcome *outcome)
{
    cm_run_destroy(outcome->run);
    free(outcome->words);
}

static void execute(struct outcome *outcome)
{
    struct cm_error err;
    outcome->status = cm_run_execute(outcome->run, &err);
    outcome->counters = cm_machine_counters(cm_system_machine(cm_run_system(outcome->run)));
    count_channels(outcome);
}

static void check_events(struct state *state, const struct cm_trace *trace,
                         const struct witness *witness)
{
    struct cm_trace_cursor cursor = cm_trace_seek(trace, 0);
    struct cm_trace_event event;
    uint64_t at = 0, cycle = 0, number = 0, exchanges = 0;
    while (cm_trace_next(&cursor, &event)) {
        expect(state, EVENTS, event.first_cycle >= cycle && event.end_cycle >= event.first_cycle,
               "events overlap");
        expect(state, EVENTS, event.number == number++, "events are not numbered one by one");
        cycle = event.end_cycle;
        if (event.pc == CM_TRACE_NONE)
            continue;
        const struct seen *seen = at < witness->count ? &witness->seen[at] : NULL;
        at++;
        bool same = seen != NULL && event.first_cycle == seen->first &&
                    event.end_cycle == seen->end && event.pc == seen->pc &&
                    event.address == seen->address && event.other == seen->other &&
                    event.page_faults == seen->faults;
        expect(state, EVENTS, same, "an instruction is not as it was");
        if (seen != NULL)
            expect(state, EVENTS,
                   seen->slots == (event.pattern == CM_TRACE_NONE
                                       ? 0
                                       : cm_trace_pattern_slots(trace, event.pattern, seen->node)),
                   "slots are not those of the instruction");
        exchanges += event.phase == CM_TRACE_EXCHANGE;
    }
    expect(state, EVENTS, at == witness->count, "instructions are missing");
    expect(state, EVENTS, exchanges == cm_trace_information(trace)->exchanges,
           "exchanges are missing");
}

/* One channel of each exchange, which the witness drew. */
static void check_wires(struct state *state, const struct cm_trace *trace,
                        const struct witness *witness)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    size_t channels = (size_t)info->nodes * info->dimensions * info->channels;
    uint32_t *words = calloc(channels + 1, sizeof *words);
    bool *sent = calloc(channels + 1, sizeof *sent);
    for (uint64_t i = 0; i < witness->count && i < DETAIL_EVENTS; i++) {
        const struct seen *seen = &witness->seen[i];
        uint32_t half = info->slots / 2, d = seen->slot % half - 1, c = seen->slot / half;
        if (!seen->wired || seen->first >= DETAIL_CYCLES)
            continue;
        bool found = cm_trace_wires(trace, seen->first, words, sent);
        expect(state, WIRES, found, "an exchange has no words");
        if (!found || seen->slot % half == 0 || d >= info->dimensions || c >= info->channels)
            continue;
        size_t at = ((size_t)seen->node * info->dimensions + d) * info->channels + c;
        bool expected = seen->slots >> seen->slot & 1;
        expect(state, WIRES, sent[at] == expected && (!expected || words[at] == seen->wire),
               "a word is another one");
    }
    free(words);
    free(sent);
}

static void check_places(struct state *state, const struct cm_trace *trace, struct cm_run *run,
                         struct cm_random *random)
{
    uint64_t end = cm_trace_information(trace)->cycles;
    for (uint32_t a = 0; a < cm_run_array_count(run); a++) {
        const struct cm_array *array = cm_run_array_at(run, a);
        const struct cm_trace_array *told = cm_trace_array_then(trace, a, end);
        bool same = told != NULL && strcmp(told->name, array->name) == 0 &&
                    told->elements == array->layout.elements && told->rank == array->layout.rank &&
                    told->address == array->address &&
                    told->placed == (array->layout.elements <= 65536);
        expect(state, PLACES, same, "an array is told of otherwise");
        for (uint32_t k = 0; same && told->placed && k < SAMPLES; k++) {
            uint64_t element = draw(random, told->elements), rest = element, local, address;
            uint64_t at[CM_RANK_MAX] = {0};
            uint32_t node, found;
            for (uint32_t d = 0; d < array->layout.rank; d++) {
                at[d] = rest % array->layout.axes[d].length;
                rest /= array->layout.axes[d].length;
            }
            if (array->allocation.dimensions == 0 && array->allocation.node_bits == 0)
                cm_layout_place(&array->layout, at, &node, &local);
            else
                cm_allocation_place(&array->allocation, element, &node, &local);
            expect(state, PLACES,
                   cm_trace_array_place(trace, a, element, end, &found, &address) &&
                       found == node && address == array->address + local * array->layout.slices,
                   "an element lies elsewhere");
        }
    }
}

static size_t public_channel(const struct cm_trace_info *info, uint64_t i)
{
    return (size_t)(i / 2 * info->channels + i % 2);
}

static void check_channels(struct state *state, const struct cm_trace *trace,
                           const struct outcome *outcome, uint64_t *busy)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    cm_trace_channel_busy(trace, 0, info->cycles, busy);
    for (uint64_t i = 0; i < outcome->channels; i++)
        expect(state, CHANNELS,
               outcome->words[i] == (i % 2 < info->channels ? busy[public_channel(info, i)] : 0),
               "a channel was busy for another time");
}

static void check_steps(struct state *state, const struct cm_trace *trace,
                        const struct outcome *outcome)
{
    const struct cm_result *result = cm_run_result(outcome->run);
    const struct cm_trace_info *info = cm_trace_information(trace);
    for (uint32_t s = 0; s < result->step_count; s++) {
        uint64_t sums[CM_CAUSE_COUNT] = {0}, cycles = 0, asked[CM_CAUSE_COUNT];
        for (uint32_t t = 0; t < info->steps; t++) {
            const struct cm_trace_step *step = cm_trace_step_at(trace, t);
            if (strcmp(step->where, result->steps[s].where) != 0)
                continue;
            expect(state, STEPS, strcmp(step->op, result->steps[s].op) == 0, "another operation");
            cycles += step->end_cycle - step->first_cycle;
            cm_trace_by_cause(trace, step->first_cycle, step->end_cycle, asked);
            for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
                sums[i] += step->by_cause[i];
            expect(state, STEPS, memcmp(asked, step->by_cause, sizeof asked) == 0,
                   "events of a step have other causes than it");
        }
        expect(state, STEPS, cycles == result->steps[s].counters.cycles, "other cycles");
        expect(state, STEPS, memcmp(sums, result->steps[s].counters.by_cause, sizeof sums) == 0,
               "other causes");
    }
}

static uint64_t sum(const uint64_t *values, uint32_t count)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += values[i];
    return total;
}

/* Cycles by phase, event by event; between events the sequencer controls. */
static void walk_phases(const struct cm_trace *trace, uint64_t first, uint64_t end,
                        uint64_t *phases)
{
    struct cm_trace_cursor cursor = cm_trace_seek(trace, first);
    struct cm_trace_event event;
    uint64_t at = first;
    memset(phases, 0, CM_TRACE_PHASE_COUNT * sizeof *phases);
    while (at < end && cm_trace_next(&cursor, &event)) {
        const uint64_t ends[2] = {event.first_cycle, event.end_cycle};
        for (uint32_t i = 0; i < 2; i++) {
            uint64_t until = ends[i] < end ? ends[i] : end;
            if (until <= at)
                continue;
            phases[i == 0 ? CM_TRACE_CONTROL : event.phase] += until - at;
            at = until;
        }
    }
}

static void check_intervals(struct state *state, const struct cm_trace *trace,
                            struct cm_random *random, uint64_t *whole, uint64_t *left,
                            uint64_t *right)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    uint64_t channels = (uint64_t)info->nodes * info->dimensions * info->channels;
    for (uint32_t k = 0; k < SAMPLES && info->cycles > 0; k++) {
        uint64_t causes[3][CM_CAUSE_COUNT], phases[3][CM_TRACE_PHASE_COUNT], at[3];
        for (uint32_t i = 0; i < 3; i++)
            at[i] = draw(random, info->cycles + 1);
        for (uint32_t i = 0; i < 3; i++)
            for (uint32_t j = 0; j < 2; j++)
                if (at[j] > at[j + 1]) {
                    uint64_t swap = at[j];
                    at[j] = at[j + 1];
                    at[j + 1] = swap;
                }
        cm_trace_channel_busy(trace, at[0], at[2], whole);
        cm_trace_channel_busy(trace, at[0], at[1], left);
        cm_trace_channel_busy(trace, at[1], at[2], right);
        /*
         * In quarters of the interval. By windows, a hop that goes on into the next one counts in
         * its first whole (a quarter of a window at most), and beside it hops recorded one by one
         * may fill the channel.
         */
        const uint64_t most = state->coarse ? 9 : 4;
        bool add_up = true;
        for (uint64_t i = 0; i < channels; i++)
            add_up = add_up && whole[i] == left[i] + right[i] &&
                     4 * whole[i] <= most * (at[2] - at[0]) + (state->coarse ? 4 : 0);
        expect(state, INTERVALS, add_up, "channels do not add up");
        const uint64_t ends[3][2] = {{at[0], at[2]}, {at[0], at[1]}, {at[1], at[2]}};
        for (uint32_t i = 0; i < 3; i++) {
            cm_trace_by_cause(trace, ends[i][0], ends[i][1], causes[i]);
            cm_trace_by_phase(trace, ends[i][0], ends[i][1], phases[i]);
            uint64_t length = ends[i][1] - ends[i][0];
            expect(state, INTERVALS,
                   sum(causes[i], CM_CAUSE_COUNT) == length &&
                       sum(phases[i], CM_TRACE_PHASE_COUNT) == length,
                   "causes or phases are not as long as the interval");
        }
        bool same = true;
        for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
            same = same && causes[0][i] == causes[1][i] + causes[2][i];
        for (uint32_t i = 0; i < CM_TRACE_PHASE_COUNT; i++)
            same = same && phases[0][i] == phases[1][i] + phases[2][i];
        expect(state, INTERVALS, same, "causes or phases do not add up");
        uint64_t walked[CM_TRACE_PHASE_COUNT];
        walk_phases(trace, at[0], at[1], walked);
        expect(state, INTERVALS, memcmp(walked, phases[1], sizeof walked) == 0,
               "phases are not those of the events");
    }
}

static void check_walks(struct state *state, const struct cm_trace *trace, struct cm_random *random)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_trace_event event, again;
    for (uint32_t k = 0; k < SAMPLES && info->cycles > 0; k++) {
        uint64_t cycle = draw(random, info->cycles);
        struct cm_trace_cursor cursor = cm_trace_seek(trace, cycle);
        if (!cm_trace_next(&cursor, &event)) {
            expect(state, WALKS, false, "nothing at a cycle within the run");
            continue;
        }
        expect(state, WALKS, event.end_cycle > cycle, "an event before the cycle asked for");
        expect(state, WALKS, cm_trace_previous(&cursor, &again) && again.number == event.number,
               "back is not where it came from");
        if (cm_trace_previous(&cursor, &again))
            expect(state, WALKS, again.number + 1 == event.number && again.end_cycle <= cycle,
                   "the event before reaches beyond the cycle");
        cursor = cm_trace_seek_event(trace, event.number);
        expect(state, WALKS,
               cm_trace_next(&cursor, &again) && again.first_cycle == event.first_cycle,
               "an event is not found by its number");
        uint64_t next = cm_trace_find_exchange(trace, cycle, 1);
        uint64_t last = cm_trace_find_exchange(trace, cycle, -1);
        expect(state, WALKS, next >= cycle && (last == UINT64_MAX || last < cycle),
               "an exchange on the wrong side");
        uint64_t exchange_cycles[CM_TRACE_PHASE_COUNT];
        uint64_t from = last == UINT64_MAX ? 0 : last + info->exchange_cycles;
        uint64_t to = next == UINT64_MAX ? info->cycles : next;
        if (from < to) {
            cm_trace_by_phase(trace, from, to, exchange_cycles);
            expect(state, WALKS, exchange_cycles[CM_TRACE_EXCHANGE] == 0,
                   "an exchange is passed over");
        }
    }
}

static void check_use(struct state *state, const struct cm_trace *trace, struct cm_random *random,
                      uint64_t *busy)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    uint32_t columns = 1 + cm_random_below(random, 8);
    struct cm_trace_use *use = calloc((size_t)columns * info->dimensions + 1, sizeof *use);
    /* columns narrower than a window, or as wide as a part of the run */
    bool narrow = cm_random_below(random, 2) == 0;
    uint64_t longest = narrow ? info->window_cycles : info->cycles / columns;
    uint64_t length = 1 + draw(random, longest > 0 ? longest : 1);
    uint64_t room = info->cycles > length * columns ? info->cycles - length * columns : 0;
    uint64_t first = draw(random, room + 1);
    uint64_t end = first + length * columns;
    if (end > info->cycles)
        end = first; /* the end of the run has columns of its own */
    cm_trace_dimension_use(trace, first, end, columns, use);
    for (uint32_t column = 0; end > first && column < columns; column++) {
        cm_trace_channel_busy(trace, first + column * length, first + (column + 1) * length, busy);
        for (uint32_t d = 0; d < info->dimensions; d++) {
            double total = 0, most = 0;
            for (uint64_t i = 0; i < (uint64_t)info->nodes * info->channels; i++) {
                uint64_t at = (i / info->channels * info->dimensions + d) * info->channels +
                              i % info->channels;
                total += (double)busy[at];
                most = (double)busy[at] > most ? (double)busy[at] : most;
            }
            const struct cm_trace_use *got = &use[(size_t)d * columns + column];
            double mean = total / info->nodes / info->channels / (double)length;
            double share = fmin(most / (double)length, 1);
            expect(state, USE, fabs(got->mean - mean) < 1e-5 && fabs(got->max - share) < 1e-5,
                   "a column of a picture is not what its channels were");
        }
    }
    free(use);
}

static void check_trace(struct state *state, const void *bytes, size_t length,
                        const struct witness *witness, const struct outcome *outcome)
{
    struct cm_trace *trace;
    struct cm_error err;
    struct cm_random random = cm_random_of_case(state->seed ^ length, state->number);
    if (cm_trace_open_memory(bytes, length, "trace", &trace, &err) != CM_OK) {
        expect(state, EVENTS, false, err.message);
        return;
    }
    const struct cm_trace_info *info = cm_trace_information(trace);
    expect(state, EVENTS, info->complete, info->notice != NULL ? info->notice : "incomplete");
    expect(state, EVENTS, info->cycles == outcome->counters.cycles, "other cycles than the run");
    uint64_t *busy = calloc(outcome->channels * 3 + 3, sizeof *busy);
    check_events(state, trace, witness);
    check_channels(state, trace, outcome, busy);
    check_steps(state, trace, outcome);
    check_intervals(state, trace, &random, busy, busy + outcome->channels,
                    busy + 2 * outcome->channels);
    check_walks(state, trace, &random);
    check_wires(state, trace, witness);
    check_places(state, trace, outcome->run, &random);
    if (!state->coarse)
        check_use(state, trace, &random, busy);
    free(busy);
    cm_trace_close(trace);
}

static void check_recorded(struct state *state, struct outcome *outcome)
{
    struct cm_machine *machine = cm_system_machine(cm_run_system(outcome->run));
    struct cm_recorder_options options = {.workload = "test", .detail_end = DETAIL_CYCLES};
    struct cm_recorder *recorder;
    struct cm_error err;
    const void *bytes;
    if (cm_recorder_create(machine, &options, &recorder, &err) != CM_OK) {
        expect(state, SAME, false, err.message);
        return;
    }
    struct witness witness = {.recorder = cm_recorder_observer(recorder),
                              .machine = machine,
                              .random = cm_random_of_case(state->seed, state->number)};
    witness.masks = calloc(cm_machine_nodes(machine), sizeof *witness.masks);
    struct cm_random random = cm_random_of_case(state->seed + 2, state->number);
    struct cm_observer both = witness_functions;
    both.context = &witness;
    both.without_control = cm_random_below(&random, 2) == 0;
    cm_run_observe(outcome->run, &both);
    execute(outcome);
    expect(state, SAME, cm_recorder_finish(recorder, true, &err) == CM_OK, "not recorded");
    uint64_t length = cm_recorder_size(recorder, &bytes);
    check_trace(state, bytes, length, &witness, outcome);
    cm_recorder_destroy(recorder);
    free(witness.masks);
    free(witness.seen);
}

static bool same_channels(const struct outcome *a, const struct outcome *b)
{
    return a->channels == b->channels &&
           memcmp(a->words, b->words, a->channels * sizeof *a->words) == 0;
}

static void check(struct state *state, const struct cm_workload *workload, const char *machine)
{
    struct cm_random random = cm_random_of_case(state->seed + 1, state->number);
    struct outcome alone, recorded;
    bool timing_only = cm_random_below(&random, 4) == 0;
    if (!run(workload, machine, 1, timing_only, &alone)) {
        finish(&alone);
        return; /* what cannot be made is for other tests */
    }
    execute(&alone);
    if (run(workload, machine, 1u << cm_random_below(&random, 3), timing_only, &recorded)) {
        check_recorded(state, &recorded);
        expect(state, SAME,
               alone.status == recorded.status &&
                   memcmp(&alone.counters, &recorded.counters, sizeof alone.counters) == 0 &&
                   same_channels(&alone, &recorded),
               "it is another run");
        state->runs++;
    }
    finish(&alone);
    finish(&recorded);
}

static void check_text(struct state *state, const char *text, size_t length)
{
    struct cm_workload *workload;
    struct cm_error err;
    if (cm_workload_parse("random.json", text, length, &workload, &err) == CM_OK)
        check(state, workload, state->machine);
    else
        expect(state, SAME, false, err.message);
    cm_workload_destroy(workload);
}

static void check_example(struct state *state, const char *path)
{
    struct cm_workload *workload;
    struct cm_error err;
    state->name = path;
    if (cm_workload_read(path, &workload, &err) == CM_OK)
        check(state, workload, NULL);
    else
        expect(state, SAME, false, err.message);
    cm_workload_destroy(workload);
}

/* Routed traffic: all ways of switching and routing. */
static void check_routed(struct state *state)
{
    static const char *const patterns[] = {"bit-reversal", "transpose", "random", "hot-spot",
                                           "all-to-all"};
    static const char *const routings[] = {"e-cube", "valiant", "adaptive"};
    static const char *const switchings[] = {"store-and-forward", "cut-through", "wormhole"};
    struct cm_random random = cm_random_of_case(state->seed, state->number);
    char text[768];
    uint32_t words = 1 + cm_random_below(&random, 9);
    int length =
        snprintf(text, sizeof text,
                 "{ \"format\": \"cm200-workload/1\", \"name\": \"q\", \"machine\": \"%s\", "
                 "\"nodes\": %u, \"arrays\": {}, \"steps\": [ { \"route\": { \"pattern\": \"%s\", "
                 "\"routing\": \"%s\", \"switching\": \"%s\", \"words\": %u, \"buffer\": %u, "
                 "\"seed\": %u } }, { \"shift\": { \"by\": 3 } } ] }",
                 state->machine, 4u << 2 * cm_random_below(&random, 4),
                 patterns[cm_random_below(&random, 5)], routings[cm_random_below(&random, 3)],
                 switchings[cm_random_below(&random, 3)], words,
                 words + cm_random_below(&random, 4), cm_random_below(&random, 1000));
    state->name = "routed";
    check_text(state, text, (size_t)length);
}

/* More hops than are recorded one by one. */
static void check_many(struct state *state)
{
    char text[512];
    int length = snprintf(text, sizeof text,
                          "{ \"format\": \"cm200-workload/1\", \"machine\": \"%s\", "
                          "\"nodes\": 512, \"arrays\": {}, \"steps\": [ { \"route\": { "
                          "\"pattern\": \"all-to-all\", \"words\": 2 } } ] }",
                          state->machine);
    state->name = "more hops than are kept";
    state->coarse = true;
    check_text(state, text, (size_t)length);
    state->coarse = false;
}

static void check_case(struct state *state, struct cm_case *c)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    state->name = "random workload";
    cm_case_generate(c, state->seed, state->number);
    cm_case_emit(c, state->machine, &text);
    check_text(state, text.data, text.length);
    cm_buffer_finish(&text);
    if (state->number % 4 == 0)
        check_routed(state);
}

CM_PROGRAM(trace)
{
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 300, .seed = 200};
    uint64_t only = UINT64_MAX;
    const struct test_option more[] = {{"case", .number = &only}, {.name = NULL}};
    const int first = tap_options_read_first(argc, argv, &options, more);
    struct state state = {.machine = options.machine, .seed = options.seed};
    struct cm_case *c = cm_fortran_register() ? malloc(sizeof *c) : NULL;
    if (c == NULL)
        die("out of memory");
    for (int i = first; i < argc; i++)
        check_example(&state, argv[i]);
    check_many(&state);
    for (state.number = 0; state.number < options.cases; state.number++)
        if (only == UINT64_MAX || only == state.number)
            check_case(&state, c);
    printf("# seed %" PRIu64 ", %" PRIu64 " runs\n", state.seed, state.runs);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        printf("%sok %d - %s\n", state.failures[p] == 0 ? "" : "not ", p + 1, property_names[p]);
    printf("1..%d\n", PROPERTY_COUNT);
    free(c);
    return 0;
}
