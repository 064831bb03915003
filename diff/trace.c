/* Writes two traces as JSON with the members of results, so that traces can be compared in the same
 * way as results. Channels that are equally busy in both traces are left out. */
#include "../report/json_writer.h"
#include "diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes what the run was made of: the members of info->made_of. Older traces lack made_of, so a
 * few members are written from the head of the trace. */
static void write_made_of(struct cm_json_writer *json, const struct cm_trace_info *info)
{
    struct cm_buffer *text = json->text;
    const char *made_of = info->made_of, *open = strchr(made_of, '{'), *close;
    close = strrchr(made_of, '}');
    if (open != NULL && close > open + 1) {
        cm_buffer_append(text, open + 1, (size_t)(close - open - 1));
        json->empty = false;
        return;
    }
    cm_json_write_members(json, {"workload", cm_text(info->workload)},
                          {"machine", cm_text(info->machine)}, {"nodes", cm_u64(info->nodes)},
                          {"clock_hz", cm_u64(info->clock_hz)});
}

static void write_causes(struct cm_json_writer *json, const uint64_t cycles[CM_CAUSE_COUNT])
{
    cm_json_write_object(json, "cycles_by_cause");
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        cm_json_write_u64(json, cm_cause_name(i), cycles[i]);
    cm_json_write_end(json);
}

static void write_totals(struct cm_json_writer *json, const struct cm_trace *trace)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    uint64_t causes[CM_CAUSE_COUNT], phases[CM_TRACE_PHASE_COUNT];
    cm_trace_by_cause(trace, 0, info->cycles, causes);
    cm_trace_by_phase(trace, 0, info->cycles, phases);
    cm_json_write_members(
        json, {"cycles", cm_u64(info->cycles)}, {"complete", cm_bool(info->complete)},
        {"exchanges", cm_u64(info->exchanges)}, {"packets", cm_u64(info->packets)});
    write_causes(json, causes);
    cm_json_write_object(json, "cycles_by_phase");
    for (uint32_t i = 0; i < CM_TRACE_PHASE_COUNT; i++)
        cm_json_write_u64(json, cm_trace_phase_name(i), phases[i]);
    cm_json_write_end(json);
}

/* ---- steps by their place in the workload ---- */

struct summed {
    const struct cm_trace_step *step;
    uint32_t order; /* number of the step's first run among all runs of steps */
    uint64_t times, cycles, by_cause[CM_CAUSE_COUNT];
};

static int by_place(const void *a, const void *b)
{
    const struct summed *x = a, *y = b;
    int places = strcmp(x->step->where, y->step->where);
    return places != 0 ? places : x->order < y->order ? -1 : x->order > y->order;
}

static int by_order(const void *a, const void *b)
{
    const struct summed *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Adds up all runs of steps at the same place of the workload. Such runs must be adjacent. Returns
 * the number of places. */
static uint32_t sum_steps(struct summed *sums, uint32_t count)
{
    uint32_t places = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct summed one = sums[i];
        if (i == 0 || strcmp(sums[places - 1].step->where, one.step->where) != 0)
            sums[places++] = (struct summed){.step = one.step, .order = one.order};
        struct summed *sum = &sums[places - 1];
        sum->times++;
        sum->cycles += one.step->end_cycle - one.step->first_cycle;
        for (uint32_t cause = 0; cause < CM_CAUSE_COUNT; cause++)
            sum->by_cause[cause] += one.step->by_cause[cause];
    }
    return places;
}

static void write_steps(struct cm_json_writer *json, const struct cm_trace *trace)
{
    uint32_t count = cm_trace_information(trace)->steps;
    struct summed *sums = calloc((size_t)count + 1, sizeof *sums);
    if (sums == NULL) {
        json->text->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        sums[i] = (struct summed){.step = cm_trace_step_at(trace, i), .order = i};
    qsort(sums, count, sizeof *sums, by_place);
    count = sum_steps(sums, count);
    qsort(sums, count, sizeof *sums, by_order);
    cm_json_write_list(json, "steps");
    for (uint32_t i = 0; i < count; i++) {
        cm_json_write_object(json, NULL);
        cm_json_write_members(json, {"op", cm_text(sums[i].step->op)},
                              {"where", cm_text(sums[i].step->where)},
                              {"times", cm_u64(sums[i].times)}, {"cycles", cm_u64(sums[i].cycles)});
        write_causes(json, sums[i].by_cause);
        cm_json_write_end(json);
    }
    cm_json_write_end(json);
    free(sums);
}

/* Writes the arrays with the shape and address that they have at the beginning of the run. */
static void write_arrays(struct cm_json_writer *json, const struct cm_trace *trace)
{
    cm_json_write_list(json, "arrays");
    for (uint32_t i = 0; i < cm_trace_information(trace)->arrays; i++) {
        const struct cm_trace_array *array = cm_trace_array_at(trace, i);
        cm_json_write_object(json, NULL);
        cm_json_write_string(json, "name", array->name);
        cm_json_write_numbers(json, "shape", array->shape, array->rank);
        cm_json_write_members(json, {"elements", cm_u64(array->elements)},
                              {"address", cm_u64(array->address)}, {"words", cm_u64(array->words)});
        cm_json_write_end(json);
    }
    cm_json_write_end(json);
}

/* ---- channels ---- */

static uint64_t channel_count(const struct cm_trace *trace)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    return (uint64_t)info->nodes * info->dimensions * info->channels;
}

/* Returns the busy cycles of every channel in the whole run, which the caller frees. Returns NULL
 * when out of memory. */
static uint64_t *read_busy(const struct cm_trace *trace)
{
    uint64_t *busy = calloc(channel_count(trace) + 1, sizeof *busy);
    if (busy != NULL)
        cm_trace_channel_busy(trace, 0, cm_trace_information(trace)->cycles, busy);
    return busy;
}

/* Computes the index of a channel in a trace. Returns false if the trace has no such channel. */
static bool find_channel(const struct cm_trace_info *info, uint32_t node, uint32_t dimension,
                         uint32_t channel, uint64_t *index)
{
    *index = ((uint64_t)node * info->dimensions + dimension) * info->channels + channel;
    return node < info->nodes && dimension < info->dimensions && channel < info->channels;
}

static void write_channels(struct cm_json_writer *json, const struct cm_trace *trace,
                           const uint64_t *busy, const struct cm_trace *other,
                           const uint64_t *other_busy)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    uint64_t sum = 0, most = 0, count = channel_count(trace), there;
    cm_json_write_object(json, "channels");
    for (uint64_t i = 0; i < count; i++) {
        sum += busy[i];
        most = busy[i] > most ? busy[i] : most;
    }
    cm_json_write_members(json, {"busy_cycles", cm_u64(sum)}, {"max_busy_cycles", cm_u64(most)});
    for (uint64_t i = 0; i < count; i++) {
        uint32_t channel = (uint32_t)(i % info->channels);
        uint32_t dimension = (uint32_t)(i / info->channels % info->dimensions);
        uint32_t node = (uint32_t)(i / info->channels / info->dimensions);
        bool found = find_channel(cm_trace_information(other), node, dimension, channel, &there);
        if (found ? busy[i] == other_busy[there] : busy[i] == 0)
            continue;
        char name[80];
        snprintf(name, sizeof name, "node %" PRIu32 " dimension %" PRIu32 " channel %" PRIu32, node,
                 dimension, channel);
        cm_json_write_u64(json, name, busy[i]);
    }
    cm_json_write_end(json);
}

void cm_diff_describe(const struct cm_trace *const traces[2], struct cm_buffer texts[2])
{
    uint64_t *busy[2] = {read_busy(traces[0]), read_busy(traces[1])};
    for (int s = 0; s < 2; s++) {
        struct cm_json_writer json;
        cm_json_writer_begin(&json, &texts[s]);
        cm_json_write_object(&json, NULL);
        write_made_of(&json, cm_trace_information(traces[s]));
        write_totals(&json, traces[s]);
        write_steps(&json, traces[s]);
        write_arrays(&json, traces[s]);
        if (busy[0] != NULL && busy[1] != NULL)
            write_channels(&json, traces[s], busy[s], traces[1 - s], busy[1 - s]);
        else
            texts[s].failed = true;
        cm_json_write_end(&json);
    }
    free(busy[0]);
    free(busy[1]);
}
