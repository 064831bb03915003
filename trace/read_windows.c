/*
 * Use of the dimensions over time. For wide columns the reader keeps windows of the whole run: the
 * busy cycles of each dimension before each window, and the use of the busiest channel within it.
 * For columns narrower than a window, the reader visits the exchanges and hops of the interval one
 * by one.
 */
#include "read_private.h"

#define WALKED_MAX (UINT64_C(1) << 18) /* exchanges and hops visited for one question, at most */

/* Sums of one part of the time axis. */
struct part {
    uint64_t first, end;
    uint64_t *sums;     /* busy cycles of all channels of each dimension */
    uint64_t *patterns; /* busy cycles of each pattern */
    uint32_t *used;     /* patterns with busy cycles */
    uint32_t used_count;
    uint64_t *routed; /* busy cycles of each channel due to the router */
    uint32_t *routed_used;
    uint32_t routed_count;
    /* busy cycles of the busiest channel of each dimension, from hops that are only counted */
    uint64_t *counted;
    uint64_t *classes;
};

static bool part_init(const struct cm_trace *trace, struct part *part)
{
    uint32_t dimensions = trace->info.dimensions;
    size_t channels = (size_t)trace->info.nodes * dimensions * 2;
    if (trace->hops.count + trace->windows.count == 0)
        channels = 0; /* the trace has no packets */
    *part = (struct part){0};
    part->sums = cm_read_allocate(trace, dimensions, sizeof *part->sums);
    part->counted = cm_read_allocate(trace, dimensions, sizeof *part->counted);
    part->patterns = cm_read_allocate(trace, trace->patterns.count, sizeof *part->patterns);
    part->used = cm_read_allocate(trace, trace->patterns.count, sizeof *part->used);
    part->classes = cm_read_allocate(trace, trace->class_count, sizeof *part->classes);
    part->routed = cm_read_allocate(trace, channels, sizeof *part->routed);
    part->routed_used = cm_read_allocate(trace, channels, sizeof *part->routed_used);
    return !trace->cache->no_memory;
}

static void part_finish(struct part *part)
{
    free(part->sums);
    free(part->counted);
    free(part->patterns);
    free(part->used);
    free(part->classes);
    free(part->routed);
    free(part->routed_used);
}

static void part_begin(const struct cm_trace *trace, struct part *part, uint64_t first,
                       uint64_t end)
{
    part->first = first;
    part->end = end;
    memset(part->sums, 0, trace->info.dimensions * sizeof *part->sums);
    memset(part->counted, 0, trace->info.dimensions * sizeof *part->counted);
    for (uint32_t i = 0; i < part->used_count; i++)
        part->patterns[part->used[i]] = 0;
    for (uint32_t i = 0; i < part->routed_count; i++)
        part->routed[part->routed_used[i]] = 0;
    part->used_count = part->routed_count = 0;
}

static void add_pattern(const struct cm_trace *trace, struct part *part, uint32_t pattern,
                        uint64_t cycles)
{
    const uint64_t *words = trace->sent_words + (size_t)pattern * trace->info.dimensions;
    if (part->patterns[pattern] == 0)
        part->used[part->used_count++] = pattern;
    part->patterns[pattern] += cycles;
    for (uint32_t d = 0; d < trace->info.dimensions; d++)
        part->sums[d] += words[d] * cycles;
}

static void add_channel(const struct cm_trace *trace, struct part *part, uint32_t channel,
                        uint64_t cycles)
{
    if (cycles == 0)
        return;
    if (part->routed[channel] == 0)
        part->routed_used[part->routed_count++] = channel;
    part->routed[channel] += cycles;
    part->sums[channel / 2 % trace->info.dimensions] += cycles;
}

/* Returns the busy cycles of the busiest channel that a slot drives, over the patterns in use. */
static uint64_t busiest_of_slot(const struct cm_trace *trace, struct part *part, uint32_t slot)
{
    uint64_t all = 0, most = 0;
    bool touched = false;
    for (uint32_t u = 0; u < part->used_count; u++) {
        const struct cm_read_pattern *pattern = &trace->patterns.items[part->used[u]];
        uint64_t cycles = part->patterns[part->used[u]];
        for (uint32_t i = 0; i < pattern->count; i++) {
            const struct cm_read_entry *entry = &trace->entries.items[pattern->first + i];
            if (entry->slot != slot)
                continue;
            if (entry->set == 0) {
                all += cycles;
                continue;
            }
            touched = true;
            for (uint64_t k = trace->set_class_at[entry->set - 1];
                 k < trace->set_class_at[entry->set]; k++) {
                uint64_t sum = part->classes[trace->set_classes.items[k]] += cycles;
                most = cm_most(most, sum);
            }
        }
    }
    if (touched)
        memset(part->classes, 0, trace->class_count * sizeof *part->classes);
    return all + most;
}

/* Computes the busy cycles of the busiest channel of each dimension. Exchanges and the router don't
 * overlap in time. If one part has both, the larger of the two values is taken. */
static void busiest(const struct cm_trace *trace, struct part *part, uint64_t *most)
{
    const struct cm_trace_info *info = &trace->info;
    for (uint32_t d = 0; d < info->dimensions; d++) {
        most[d] = 0;
        for (uint32_t c = 0; part->used_count > 0 && c < trace->exchange_channels; c++) {
            uint64_t cycles = busiest_of_slot(trace, part, cm_slot_of_channel(info->slots, d, c));
            most[d] = cm_most(most[d], cycles);
        }
    }
    for (uint32_t i = 0; i < part->routed_count; i++) {
        uint32_t channel = part->routed_used[i], d = channel / 2 % info->dimensions;
        most[d] = cm_most(most[d], part->routed[channel]);
    }
    for (uint32_t d = 0; d < info->dimensions; d++)
        most[d] = cm_most(most[d], part->counted[d]);
}

/* Sweep over consecutive parts of time, with the position among exchanges, hops and windows. */
struct sweep {
    const struct cm_trace *trace;
    struct part part;
    struct cm_read_walk walk;
    struct cm_read_exchange next; /* next exchange. Its cycle is UINT64_MAX at the end */
    uint64_t hop;                 /* first hop that may still be crossing */
    /* cycle until which no channel changes between busy and idle. 0: a channel changed within the
     * part */
    uint64_t steady;
    uint64_t window;
};

static void take_exchange(struct sweep *sweep)
{
    if (!cm_read_walk_next(&sweep->walk, &sweep->next))
        sweep->next.cycle = UINT64_MAX;
}

static struct sweep sweep_from(const struct cm_trace *trace, uint64_t cycle)
{
    struct sweep sweep = {.trace = trace, .walk = cm_read_walk_from(trace, cycle)};
    take_exchange(&sweep);
    return sweep;
}

/* Adds the exchanges of the part. Exchanges don't overlap, so only the last exchange of a part
 * reaches into the next part. */
static void sweep_exchanges(struct sweep *sweep)
{
    const struct cm_trace *trace = sweep->trace;
    struct part *part = &sweep->part;
    uint64_t length = trace->info.exchange_cycles;
    while (sweep->next.cycle < part->end) {
        uint64_t first = cm_most(sweep->next.cycle, part->first);
        uint64_t end = cm_least(sweep->next.cycle + length, part->end);
        if (end > first) {
            add_pattern(trace, part, sweep->next.pattern, end - first);
            sweep->steady = 0;
        }
        if (sweep->next.cycle + length > part->end)
            return;
        take_exchange(sweep);
    }
    if (sweep->steady > 0)
        sweep->steady = sweep->next.cycle;
}

/* Returns the cycles within the part of `total` busy cycles that are spread evenly over [first,
 * end). */
static uint64_t share(const struct part *part, uint64_t total, uint64_t first, uint64_t end)
{
    return cm_read_part(total, first, end, part->first, part->end);
}

/* Records that a channel's state is constant in [first, end). */
static void record_steady(struct sweep *sweep, uint64_t first, uint64_t end)
{
    if (first > sweep->part.first)
        sweep->steady = 0;
    else if (end < sweep->steady)
        sweep->steady = end;
}

static void sweep_router(struct sweep *sweep)
{
    const struct cm_trace *trace = sweep->trace;
    const struct cm_read_hop *hops = trace->hops.items;
    const struct cm_read_routed_window *windows = trace->windows.items;
    struct part *part = &sweep->part;
    uint64_t word = trace->info.word_cycles;
    while (sweep->hop < trace->hops.count && hops[sweep->hop].end <= part->first)
        sweep->hop++;
    uint64_t next = sweep->hop;
    for (; next < trace->hops.count && hops[next].first < part->end; next++) {
        const struct cm_read_hop *hop = &hops[next];
        if (hop->end <= part->first)
            continue;
        add_channel(trace, part, hop->channel,
                    share(part, hop->words * word, hop->first, hop->end));
        record_steady(sweep, hop->first, hop->end);
    }
    if (next < trace->hops.count)
        record_steady(sweep, 0, hops[next].first);
    while (sweep->window < trace->windows.count && windows[sweep->window].end <= part->first)
        sweep->window++;
    uint32_t dimensions = trace->info.dimensions;
    for (uint64_t w = sweep->window; w < trace->windows.count && windows[w].first < part->end; w++)
        for (uint32_t d = 0; d < dimensions; d++) {
            const uint64_t *sums = trace->load_sums + (w * dimensions + d) * 2;
            part->sums[d] += share(part, sums[0], windows[w].first, windows[w].end);
            part->counted[d] += share(part, sums[1], windows[w].first, windows[w].end);
            record_steady(sweep, windows[w].first, windows[w].end);
        }
    if (sweep->window < trace->windows.count && windows[sweep->window].first > part->first)
        record_steady(sweep, 0, windows[sweep->window].first);
}

static void sweep_to(struct sweep *sweep, uint64_t first, uint64_t end)
{
    part_begin(sweep->trace, &sweep->part, first, end);
    sweep->steady = UINT64_MAX;
    sweep_exchanges(sweep);
    sweep_router(sweep);
}

static uint64_t window_length(const struct cm_trace *trace, uint64_t window)
{
    return cm_least(trace->info.cycles - window * trace->info.window_cycles,
                    trace->info.window_cycles);
}

static float limited(double part)
{
    return (float)(part < 1 ? part : 1);
}

static void fill_windows(struct cm_trace *trace, struct sweep *sweep)
{
    uint32_t dimensions = trace->info.dimensions;
    uint64_t most[64];
    for (uint64_t w = 0; w < trace->info.window_count; w++) {
        uint64_t first = w * trace->info.window_cycles, length = window_length(trace, w);
        sweep_to(sweep, first, first + length);
        busiest(trace, &sweep->part, most);
        for (uint32_t d = 0; d < dimensions; d++) {
            trace->window_max[w * dimensions + d] = limited((double)most[d] / (double)length);
            trace->window_busy[(w + 1) * dimensions + d] = sweep->part.sums[d];
        }
    }
    for (uint64_t w = 0; w < trace->info.window_count; w++)
        for (uint32_t d = 0; d < dimensions; d++)
            trace->window_busy[(w + 1) * dimensions + d] += trace->window_busy[w * dimensions + d];
}

static void choose_windows(struct cm_trace_info *info)
{
    info->window_cycles = 16;
    while (info->window_cycles < info->exchange_cycles ||
           info->cycles / info->window_cycles >= CM_READ_WINDOWS)
        info->window_cycles *= 2;
    info->window_count = (info->cycles + info->window_cycles - 1) / info->window_cycles;
}

/* Counts the nodes of each set, and the words that an exchange of each pattern sends over each
 * dimension. */
static void count_words(struct cm_trace *trace)
{
    const struct cm_trace_info *info = &trace->info;
    uint32_t half = info->slots / 2;
    trace->set_sizes = cm_read_allocate(trace, trace->set_count, sizeof *trace->set_sizes);
    trace->sent_words =
        cm_read_allocate(trace, (trace->patterns.count + UINT64_C(1)) * (info->dimensions + 1),
                         sizeof *trace->sent_words);
    if (trace->cache->no_memory)
        return;
    for (size_t w = 0; w < (size_t)trace->set_count * trace->set_words; w++)
        trace->set_sizes[w / trace->set_words] +=
            (uint64_t)__builtin_popcountll(trace->set_bits.items[w]);
    for (uint32_t p = 0; p < trace->patterns.count; p++)
        for (uint32_t i = 0; i < trace->patterns.items[p].count; i++) {
            const struct cm_read_entry *entry =
                &trace->entries.items[trace->patterns.items[p].first + i];
            uint32_t d = entry->slot % half;
            if (d == 0 || d > info->dimensions || entry->slot / half >= trace->exchange_channels)
                continue;
            trace->sent_words[(size_t)p * info->dimensions + d - 1] +=
                entry->set == 0 ? info->nodes : trace->set_sizes[entry->set - 1];
        }
}

/* Divides the nodes into classes. Nodes of a class are in the same sets. */
static void find_classes(struct cm_trace *trace)
{
    uint32_t nodes = trace->info.nodes;
    uint32_t *split = cm_read_allocate(trace, nodes * 2, sizeof *split);
    trace->class_of = cm_read_allocate(trace, nodes, sizeof *trace->class_of);
    trace->class_count = 1;
    bool ok = !trace->cache->no_memory;
    for (uint32_t s = 0; ok && s < trace->set_count && trace->class_count < nodes; s++) {
        uint32_t count = 0;
        memset(split, 0xff, (size_t)trace->class_count * 2 * sizeof *split);
        for (uint32_t node = 0; node < nodes; node++) {
            uint32_t *number = &split[trace->class_of[node] * 2 + cm_read_in_set(trace, s, node)];
            if (*number == UINT32_MAX)
                *number = count++;
            trace->class_of[node] = *number;
        }
        trace->class_count = count;
    }
    free(split);
}

/* Lists the classes of each set. */
static void list_classes(struct cm_trace *trace)
{
    uint32_t *seen = cm_read_allocate(trace, trace->class_count, sizeof *seen);
    trace->set_class_at = cm_read_allocate(trace, trace->set_count, sizeof *trace->set_class_at);
    bool ok = !trace->cache->no_memory;
    for (uint32_t s = 0; ok && s < trace->set_count; s++) {
        for (uint32_t node = 0; node < trace->info.nodes; node++) {
            uint32_t class = trace->class_of[node];
            if (seen[class] == s + 1 || !cm_read_in_set(trace, s, node))
                continue;
            seen[class] = s + 1;
            cm_list_push(&trace->set_classes, class);
        }
        trace->set_class_at[s + 1] = trace->set_classes.count;
    }
    free(seen);
}

void cm_read_finish_use(struct cm_trace *trace)
{
    choose_windows(&trace->info);
    size_t places = (size_t)(trace->info.window_count + 1) * (trace->info.dimensions + 1);
    trace->window_max = cm_read_allocate(trace, places, sizeof *trace->window_max);
    trace->window_busy = cm_read_allocate(trace, places, sizeof *trace->window_busy);
    count_words(trace);
    find_classes(trace);
    list_classes(trace);
    struct sweep sweep = sweep_from(trace, 0);
    if (part_init(trace, &sweep.part) && !cm_trace_failed(trace) && trace->info.dimensions > 0)
        fill_windows(trace, &sweep);
    part_finish(&sweep.part);
}

/* Returns the busy cycles of a dimension before a cycle. Within a window the busy cycles are
 * assumed to be spread evenly. */
static double busy_before(const struct cm_trace *trace, uint32_t dimension, double cycle)
{
    uint32_t dimensions = trace->info.dimensions;
    uint64_t window = (uint64_t)(cycle / (double)trace->info.window_cycles);
    if (window >= trace->info.window_count)
        return (double)trace->window_busy[trace->info.window_count * dimensions + dimension];
    const uint64_t *at = trace->window_busy + window * dimensions + dimension;
    double within = (cycle - (double)(window * trace->info.window_cycles)) /
                    (double)window_length(trace, window);
    return (double)at[0] + (double)(at[dimensions] - at[0]) * within;
}

static float largest_window(const struct cm_trace *trace, uint32_t dimension, uint64_t first,
                            uint64_t end)
{
    float most = 0;
    uint64_t last = (end - 1) / trace->info.window_cycles;
    for (uint64_t w = first / trace->info.window_cycles; w <= last && w < trace->info.window_count;
         w++) {
        float max = trace->window_max[w * trace->info.dimensions + dimension];
        most = max > most ? max : most;
    }
    return most;
}

static uint64_t edge(uint64_t first, uint64_t end, uint32_t column, uint32_t columns)
{
    return first + (uint64_t)((unsigned __int128)(end - first) * column / columns);
}

static void use_by_windows(const struct cm_trace *trace, uint64_t first, uint64_t end,
                           uint32_t columns, struct cm_trace_use *use)
{
    const struct cm_trace_info *info = &trace->info;
    double channels = (double)info->nodes * info->channels;
    for (uint32_t column = 0; column < columns; column++) {
        uint64_t low = edge(first, end, column, columns);
        uint64_t high = cm_least(edge(first, end, column + 1, columns), info->cycles);
        for (uint32_t d = 0; high > low && d < info->dimensions; d++) {
            double busy = busy_before(trace, d, (double)high) - busy_before(trace, d, (double)low);
            use[(size_t)d * columns + column] = (struct cm_trace_use){
                .mean = limited(busy / channels / (double)(high - low)),
                .max = largest_window(trace, d, low, high),
            };
        }
    }
}

static void use_one_by_one(struct sweep *sweep, uint64_t first, uint64_t end, uint32_t columns,
                           struct cm_trace_use *use)
{
    const struct cm_trace_info *info = &sweep->trace->info;
    double channels = (double)info->nodes * info->channels;
    uint64_t most[64];
    for (uint32_t column = 0; column < columns; column++) {
        uint64_t low = edge(first, end, column, columns);
        uint64_t high = cm_least(edge(first, end, column + 1, columns), info->cycles);
        if (low >= info->cycles)
            break;
        if (high <= low)
            high = low + 1;
        if (column > 0 && high <= sweep->steady) { /* equal to the column before */
            for (uint32_t d = 0; d < info->dimensions; d++)
                use[(size_t)d * columns + column] = use[(size_t)d * columns + column - 1];
            continue;
        }
        sweep_to(sweep, low, high);
        busiest(sweep->trace, &sweep->part, most);
        for (uint32_t d = 0; d < info->dimensions; d++)
            use[(size_t)d * columns + column] = (struct cm_trace_use){
                .mean = limited((double)sweep->part.sums[d] / channels / (double)(high - low)),
                .max = limited((double)most[d] / (double)(high - low)),
            };
    }
}

/* Estimates how often hops are visited for columns of a given width: once for each column that a
 * hop overlaps. */
static uint64_t hop_looks(const struct cm_trace *trace, uint64_t first, uint64_t end,
                          uint64_t width)
{
    const struct cm_read_hop *hops = trace->hops.items;
    if (trace->hops.count == 0)
        return 0;
    uint64_t length = hops[trace->hops.count / 2].end - hops[trace->hops.count / 2].first;
    /* all cycles of a word time are alike */
    width = cm_most(width, cm_most(trace->info.word_cycles, 1));
    uint64_t begun = cm_read_until(trace->hops, first, end - 1);
    begun -= first > length ? cm_read_until(trace->hops, first, first - length - 1) : 0;
    return begun * (1 + length / width);
}

void cm_trace_dimension_use(const struct cm_trace *trace, uint64_t first, uint64_t end,
                            uint32_t columns, struct cm_trace_use *use)
{
    struct sweep sweep = sweep_from(trace, first);
    uint64_t ran = cm_least(end, trace->info.cycles);
    memset(use, 0, (size_t)trace->info.dimensions * columns * sizeof *use);
    if (ran <= first || columns == 0 || trace->info.dimensions == 0)
        return;
    uint64_t walked = cm_read_exchanges_about(trace, first, ran) +
                      hop_looks(trace, first, ran, (end - first) / columns);
    bool narrow = (end - first) / columns < trace->info.window_cycles;
    if (!narrow || walked > WALKED_MAX || !part_init(trace, &sweep.part))
        use_by_windows(trace, first, end, columns, use);
    else
        use_one_by_one(&sweep, first, end, columns, use);
    part_finish(&sweep.part);
}
