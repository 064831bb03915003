/*
 * Use of the dimensions over time. For the run as a whole it is kept by windows: what each
 * dimension carried before each, and how busy the busiest channel was in each. Where a picture's
 * columns are narrower, exchanges are looked at one by one.
 */
#include "read_private.h"

#define WALKED_MAX (UINT64_C(1) << 18) /* exchanges and hops looked at one by one for one picture */

/* What is summed up for one part of time. */
struct part {
    uint64_t first, end;
    uint64_t *sums;     /* busy cycles of all channels of each dimension */
    uint64_t *patterns; /* busy cycles of each pattern */
    uint32_t *used;     /* patterns with any */
    uint32_t used_count;
    uint64_t *routed; /* busy cycles of each channel, by the router */
    uint32_t *routed_used;
    uint32_t routed_count;
    uint64_t *counted; /* of the busiest channel of each dimension, where hops are only counted */
    uint64_t *classes;
};

static bool part_init(const struct cm_trace *trace, struct part *part)
{
    size_t channels = (size_t)trace->info.nodes * trace->info.dimensions * 2;
    bool routed = trace->hops.count + trace->windows.count > 0;
    *part = (struct part){0};
    part->sums = calloc(trace->info.dimensions + 1u, sizeof *part->sums);
    part->counted = calloc(trace->info.dimensions + 1u, sizeof *part->counted);
    part->patterns = calloc(trace->patterns.count + 1, sizeof *part->patterns);
    part->used = calloc(trace->patterns.count + 1, sizeof *part->used);
    part->classes = calloc(trace->class_count + 1u, sizeof *part->classes);
    part->routed = routed ? calloc(channels, sizeof *part->routed) : NULL;
    part->routed_used = routed ? calloc(channels, sizeof *part->routed_used) : NULL;
    return part->sums != NULL && part->counted != NULL && part->patterns != NULL &&
           part->used != NULL && part->classes != NULL &&
           (!routed || (part->routed != NULL && part->routed_used != NULL));
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

/* The busiest channel of one slot of the patterns in use. */
static uint64_t busiest_of_slot(const struct cm_trace *trace, struct part *part, uint32_t slot)
{
    const struct cm_read_pattern *patterns = trace->patterns.items;
    const struct cm_read_entry *entries = trace->entries.items;
    uint64_t all = 0, most = 0;
    bool touched = false;
    for (uint32_t u = 0; u < part->used_count; u++) {
        const struct cm_read_pattern *pattern = &patterns[part->used[u]];
        uint64_t cycles = part->patterns[part->used[u]];
        for (uint32_t i = 0; i < pattern->count; i++) {
            const struct cm_read_entry *entry = &entries[pattern->first + i];
            if (entry->slot != slot)
                continue;
            if (entry->set == 0) {
                all += cycles;
                continue;
            }
            touched = true;
            for (uint64_t k = trace->set_class_at[entry->set - 1];
                 k < trace->set_class_at[entry->set]; k++) {
                uint64_t sum = part->classes[trace->set_classes[k]] += cycles;
                most = sum > most ? sum : most;
            }
        }
    }
    if (touched)
        memset(part->classes, 0, trace->class_count * sizeof *part->classes);
    return all + most;
}

/* Of each dimension: busy cycles of its busiest channel. Exchanges and the router don't overlap in
 * time; where both are in one part, the busier of the two stands for it. */
static void busiest(const struct cm_trace *trace, struct part *part, uint64_t *most)
{
    const struct cm_trace_info *info = &trace->info;
    for (uint32_t d = 0; d < info->dimensions; d++) {
        most[d] = 0;
        for (uint32_t c = 0; part->used_count > 0 && c < trace->exchange_channels; c++) {
            uint64_t cycles = busiest_of_slot(trace, part, cm_slot_of_channel(info->slots, d, c));
            most[d] = cycles > most[d] ? cycles : most[d];
        }
    }
    for (uint32_t i = 0; i < part->routed_count; i++) {
        uint32_t channel = part->routed_used[i], d = channel / 2 % info->dimensions;
        if (part->routed[channel] > most[d])
            most[d] = part->routed[channel];
    }
    for (uint32_t d = 0; d < info->dimensions; d++)
        most[d] = part->counted[d] > most[d] ? part->counted[d] : most[d];
}

/* Parts of time one after the other, with what each sees of exchanges and of the router. */
struct sweep {
    const struct cm_trace *trace;
    struct part part;
    struct cm_trace_cursor cursor;
    uint64_t exchange; /* next of the index */
    uint64_t hop;      /* first that may still be under way */
    uint64_t steady;   /* until here nothing begins or ends; 0: something did within the part */
    uint64_t window;
};

static void sweep_exchanges(struct sweep *sweep)
{
    const struct cm_trace *trace = sweep->trace;
    const uint64_t *cycles = trace->exchange_cycles.items;
    const uint32_t *patterns = trace->exchange_patterns.items;
    struct part *part = &sweep->part;
    uint64_t length = trace->info.exchange_cycles, count = trace->exchange_cycles.count;
    while (sweep->exchange < count && cycles[sweep->exchange] + length <= part->first)
        sweep->exchange++;
    for (uint64_t i = sweep->exchange; i < count && cycles[i] < part->end; i++) {
        uint64_t first = cycles[i] > part->first ? cycles[i] : part->first;
        uint64_t end = cycles[i] + length < part->end ? cycles[i] + length : part->end;
        if (end > first)
            add_pattern(trace, part, patterns[i], end - first);
        sweep->steady = 0;
    }
    if (sweep->steady > 0 && sweep->exchange < count)
        sweep->steady = cycles[sweep->exchange];
}

/* As much of `total`, spread evenly over [first, end), as is in the part. */
static uint64_t share(const struct part *part, uint64_t total, uint64_t first, uint64_t end)
{
    uint64_t low = part->first > first ? part->first : first;
    uint64_t high = part->end < end ? part->end : end;
    if (high <= low)
        return 0;
    if (total == end - first) /* without gaps: as most hops are */
        return high - low;
    unsigned __int128 to = (unsigned __int128)total * (high - first) / (end - first);
    unsigned __int128 from = (unsigned __int128)total * (low - first) / (end - first);
    return (uint64_t)(to - from);
}

/* Something goes on from `first` until `end`. */
static void note_steady(struct sweep *sweep, uint64_t first, uint64_t end)
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
        note_steady(sweep, hop->first, hop->end);
    }
    if (next < trace->hops.count)
        note_steady(sweep, 0, hops[next].first);
    while (sweep->window < trace->windows.count && windows[sweep->window].end <= part->first)
        sweep->window++;
    uint32_t dimensions = trace->info.dimensions;
    for (uint64_t w = sweep->window; w < trace->windows.count && windows[w].first < part->end; w++)
        for (uint32_t d = 0; d < dimensions; d++) {
            const uint64_t *sums = trace->load_sums + (w * dimensions + d) * 2;
            part->sums[d] += share(part, sums[0], windows[w].first, windows[w].end);
            part->counted[d] += share(part, sums[1], windows[w].first, windows[w].end);
            note_steady(sweep, windows[w].first, windows[w].end);
        }
    if (sweep->window < trace->windows.count && windows[sweep->window].first > part->first)
        note_steady(sweep, 0, windows[sweep->window].first);
}

static void sweep_to(struct sweep *sweep, uint64_t first, uint64_t end)
{
    part_begin(sweep->trace, &sweep->part, first, end);
    sweep->steady = UINT64_MAX;
    sweep_exchanges(sweep);
    sweep_router(sweep);
}

/* Exchanges without an index: a block of events after the other, a window may be met several
 * times. */
static void add_unindexed(struct cm_trace *trace)
{
    uint64_t number = trace->exchange_cycles.count;
    if (trace->all_exchanges == number)
        return;
    const uint64_t *cycles = trace->exchange_cycles.items;
    struct cm_trace_cursor cursor = cm_trace_seek(trace, cycles[number - 1] + 1);
    struct cm_trace_event event;
    uint32_t dimensions = trace->info.dimensions;
    while (cm_trace_next(&cursor, &event)) {
        if (event.phase != CM_TRACE_EXCHANGE)
            continue;
        uint64_t window = event.first_cycle / trace->info.window_cycles;
        for (uint32_t d = 0; d < dimensions; d++) {
            uint64_t words = trace->sent_words[(size_t)event.pattern * dimensions + d];
            trace->window_busy[(window + 1) * dimensions + d] +=
                words * trace->info.exchange_cycles;
        }
    }
}

static uint64_t window_length(const struct cm_trace *trace, uint64_t window)
{
    uint64_t left = trace->info.cycles - window * trace->info.window_cycles;
    return left < trace->info.window_cycles ? left : trace->info.window_cycles;
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
            double part = (double)most[d] / (double)length;
            trace->window_max[w * dimensions + d] = (float)(part < 1 ? part : 1);
            trace->window_busy[(w + 1) * dimensions + d] = sweep->part.sums[d];
        }
    }
    add_unindexed(trace);
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

/* Nodes of each set, and words that an exchange of each pattern sends over each dimension. */
static bool count_words(struct cm_trace *trace)
{
    const struct cm_trace_info *info = &trace->info;
    const struct cm_read_pattern *patterns = trace->patterns.items;
    const struct cm_read_entry *entries = trace->entries.items;
    const uint64_t *sets = trace->sets.items;
    trace->set_sizes = calloc(trace->sets.count + 1, sizeof *trace->set_sizes);
    trace->sent_words =
        calloc((trace->patterns.count + 1) * (info->dimensions + 1), sizeof *trace->sent_words);
    if (trace->set_sizes == NULL || trace->sent_words == NULL)
        return false;
    for (uint64_t s = 0; s < trace->sets.count; s++)
        for (uint32_t w = 0; w < trace->set_words; w++)
            trace->set_sizes[s] += (uint64_t)__builtin_popcountll(sets[s * trace->set_words + w]);
    for (uint64_t p = 0; p < trace->patterns.count; p++)
        for (uint32_t i = 0; i < patterns[p].count; i++) {
            const struct cm_read_entry *entry = &entries[patterns[p].first + i];
            uint32_t half = info->slots / 2, d = entry->slot % half;
            if (d == 0 || d > info->dimensions || entry->slot / half >= trace->exchange_channels)
                continue;
            trace->sent_words[p * info->dimensions + d - 1] +=
                entry->set == 0 ? info->nodes : trace->set_sizes[entry->set - 1];
        }
    return true;
}

/* Nodes that are in the same sets get one number. */
static bool find_classes(struct cm_trace *trace)
{
    uint32_t nodes = trace->info.nodes;
    const uint64_t *sets = trace->sets.items;
    uint32_t *split = malloc((nodes + 1) * 2 * sizeof *split);
    trace->class_of = calloc(nodes, sizeof *trace->class_of);
    trace->class_count = 1;
    if (split == NULL || trace->class_of == NULL) {
        free(split);
        return false;
    }
    for (uint64_t s = 0; s < trace->sets.count && trace->class_count < nodes; s++) {
        uint32_t count = 0;
        memset(split, 0xff, (size_t)trace->class_count * 2 * sizeof *split);
        for (uint32_t node = 0; node < nodes; node++) {
            uint32_t in = sets[s * trace->set_words + node / 64] >> node % 64 & 1;
            uint32_t *number = &split[trace->class_of[node] * 2 + in];
            if (*number == UINT32_MAX)
                *number = count++;
            trace->class_of[node] = *number;
        }
        trace->class_count = count;
    }
    free(split);
    return true;
}

/* The classes that make up each set. */
static bool list_classes(struct cm_trace *trace)
{
    uint32_t nodes = trace->info.nodes;
    const uint64_t *sets = trace->sets.items;
    uint64_t *seen = calloc(trace->class_count + 1u, sizeof *seen);
    struct cm_list list = {0};
    trace->set_class_at = calloc(trace->sets.count + 1, sizeof *trace->set_class_at);
    bool ok = seen != NULL && trace->set_class_at != NULL;
    for (uint64_t s = 0; ok && s < trace->sets.count; s++) {
        for (uint32_t node = 0; ok && node < nodes; node++) {
            uint32_t class = trace->class_of[node];
            if (!(sets[s * trace->set_words + node / 64] >> node % 64 & 1) || seen[class] == s + 1)
                continue;
            seen[class] = s + 1;
            uint32_t *place = cm_list_add(&list, sizeof *place);
            ok = place != NULL;
            if (ok)
                *place = class;
        }
        trace->set_class_at[s + 1] = list.count;
    }
    free(seen);
    trace->set_classes = list.items;
    return ok;
}

bool cm_read_finish_use(struct cm_trace *trace)
{
    struct sweep sweep = {.trace = trace};
    choose_windows(&trace->info);
    size_t places = (size_t)(trace->info.window_count + 1) * (trace->info.dimensions + 1);
    trace->window_max = calloc(places, sizeof *trace->window_max);
    trace->window_busy = calloc(places, sizeof *trace->window_busy);
    bool ok = trace->window_max != NULL && trace->window_busy != NULL && count_words(trace) &&
              find_classes(trace) && list_classes(trace) && part_init(trace, &sweep.part);
    if (ok && trace->info.dimensions > 0)
        fill_windows(trace, &sweep);
    part_finish(&sweep.part);
    return ok;
}

/* What a dimension carried before a cycle, within windows evenly spread. */
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

static float limited(double part)
{
    return (float)(part < 1 ? part : 1);
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
        uint64_t high = edge(first, end, column + 1, columns);
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
        uint64_t high = edge(first, end, column + 1, columns);
        if (high <= low)
            high = low + 1;
        if (column > 0 && high <= sweep->steady) { /* as the column before */
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

/* About how often a hop must be looked at for columns of a width: once for each column that it is
 * in. */
static uint64_t hop_looks(const struct cm_trace *trace, uint64_t first, uint64_t end,
                          uint64_t width)
{
    const struct cm_read_hop *hops = trace->hops.items;
    uint64_t bounds[2] = {first, end}, found[2];
    if (trace->hops.count == 0)
        return 0;
    uint64_t length = hops[trace->hops.count / 2].end - hops[trace->hops.count / 2].first;
    bounds[0] = first > length ? first - length : 0;
    if (width < trace->info.word_cycles)
        width = trace->info.word_cycles; /* within a word time all columns are alike */
    for (int i = 0; i < 2; i++) {
        uint64_t low = 0, high = trace->hops.count; /* hops before low begin before the bound */
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (hops[middle].first < bounds[i])
                low = middle + 1;
            else
                high = middle;
        }
        found[i] = low;
    }
    return (found[1] - found[0]) * (1 + length / (width > 0 ? width : 1));
}

uint64_t cm_read_exchange_after(const struct cm_trace *trace, uint64_t cycle)
{
    const uint64_t *cycles = trace->exchange_cycles.items;
    uint64_t low = 0, high = trace->exchange_cycles.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (cycles[middle] + trace->info.exchange_cycles <= cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void cm_trace_dimension_use(const struct cm_trace *trace, uint64_t first, uint64_t end,
                            uint32_t columns, struct cm_trace_use *use)
{
    struct sweep sweep = {.trace = trace};
    memset(use, 0, (size_t)trace->info.dimensions * columns * sizeof *use);
    if (end > trace->info.cycles)
        end = trace->info.cycles;
    if (end <= first || columns == 0 || trace->info.dimensions == 0)
        return;
    sweep.exchange = cm_read_exchange_after(trace, first);
    uint64_t walked = cm_read_exchange_after(trace, end) - sweep.exchange +
                      hop_looks(trace, first, end, (end - first) / columns);
    bool narrow = (end - first) / columns < trace->info.window_cycles;
    if (!narrow || walked > WALKED_MAX || !part_init(trace, &sweep.part))
        use_by_windows(trace, first, end, columns, use);
    else
        use_one_by_one(&sweep, first, end, columns, use);
    part_finish(&sweep.part);
}
