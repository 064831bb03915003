/*
 * Use of each dimension's channels over time. A picture or table divides an interval of cycles into
 * columns. For each column this file computes the mean busy share of the dimension's channels, and
 * the busy share of the busiest channel. The busiest channel is the one with the most busy cycles
 * in the whole column.
 *
 * The reader visits the exchanges and hops of the interval once, and sums the busy cycles of a
 * column by pattern and by channel. If a trace has more exchanges than a question may visit,
 * opening divides the run into about 2,048 windows and stores the busy cycles of each pattern in
 * each window. A question then adds up windows. Where a column ends within a window, the window's
 * cycles are assumed to be spread evenly.
 */
#include "read_private.h"

/* A question visits at most 1 / INDEX_SHARE of the exchanges in the index. */
#define INDEX_SHARE 8u
/* limit on the visits to hops for one question, approximately */
#define HOPS_WALKED (UINT64_C(1) << 20)
#define NOTHING     UINT32_MAX /* end of a linked list */

/* Busy cycles of a channel due to the router. */
struct channel {
    uint64_t cycles;
    uint32_t part; /* number of the part of the time axis that `cycles` is about */
    /* next channel in the list of channels that have the same dimension and channel number */
    uint32_t next;
};

/* Sums over one part of the time axis, which is a column of a picture or table, or a window. */
struct part {
    uint64_t first, end;
    uint32_t number;    /* number of the part, from 1 */
    uint64_t *sums;     /* busy cycles of all channels of each dimension */
    uint64_t *patterns; /* busy cycles of each pattern */
    uint32_t *used;     /* numbers of the patterns that have busy cycles in this part */
    uint32_t used_count;
    struct channel *channels;
    /* for each dimension, the busy cycles of its busiest channel that are due to the router */
    uint64_t *routed_most;
    /* linked lists of the channels that the router uses in this part: for each dimension and
     * channel number, the first channel of the list. The lists stay empty if the part has no
     * exchanges */
    uint32_t routed_first[64 * 2];
    /* window of the router that covers the whole part. NULL: there is no such window, or the part
     * has exchanges */
    const struct cm_read_routed_window *window;
    uint64_t *loads; /* busy cycles of each channel in the whole window `window` */
    /* linked lists of the pattern entries for a slot. An entry is a slot of a pattern with its set
     * of nodes. For each slot, the first entry */
    uint32_t *slot_first;
    /* for each pattern entry, the next entry for the same slot, and the pattern that the entry
     * belongs to */
    uint32_t *entry_next, *entry_pattern;
    /* scratch for one slot: busy cycles of each class of nodes due to exchanges */
    uint64_t *classes;
};

static bool part_init(const struct cm_trace *trace, struct part *part)
{
    uint32_t dimensions = trace->info.dimensions;
    size_t channels = (size_t)trace->info.nodes * dimensions * 2;
    if (trace->hops.count + trace->windows.count == 0)
        channels = 0; /* a trace without packets needs no memory for channels */
    *part = (struct part){0};
    part->sums = cm_read_allocate(trace, dimensions, sizeof *part->sums);
    part->routed_most = cm_read_allocate(trace, dimensions, sizeof *part->routed_most);
    part->patterns = cm_read_allocate(trace, trace->patterns.count, sizeof *part->patterns);
    part->used = cm_read_allocate(trace, trace->patterns.count, sizeof *part->used);
    part->classes = cm_read_allocate(trace, trace->class_count, sizeof *part->classes);
    part->channels = cm_read_allocate(trace, channels, sizeof *part->channels);
    part->loads = cm_read_allocate(trace, channels, sizeof *part->loads);
    part->slot_first = cm_read_allocate(trace, trace->info.slots, sizeof *part->slot_first);
    part->entry_next = cm_read_allocate(trace, trace->entries.count, sizeof *part->entry_next);
    part->entry_pattern =
        cm_read_allocate(trace, trace->entries.count, sizeof *part->entry_pattern);
    return !trace->cache->no_memory;
}

static void part_finish(struct part *part)
{
    free(part->sums);
    free(part->patterns);
    free(part->used);
    free(part->channels);
    free(part->routed_most);
    free(part->loads);
    free(part->slot_first);
    free(part->entry_next);
    free(part->entry_pattern);
    free(part->classes);
}

static void part_begin(const struct cm_trace *trace, struct part *part, uint64_t first,
                       uint64_t end)
{
    uint32_t dimensions = trace->info.dimensions;
    part->first = first;
    part->end = end;
    part->number++;
    part->window = NULL;
    memset(part->sums, 0, dimensions * sizeof *part->sums);
    memset(part->routed_most, 0, dimensions * sizeof *part->routed_most);
    memset(part->routed_first, 0xff, sizeof part->routed_first);
    for (uint32_t i = 0; i < part->used_count; i++)
        part->patterns[part->used[i]] = 0;
    part->used_count = 0;
}

static void add_pattern(struct part *part, uint32_t pattern, uint64_t cycles)
{
    if (cycles == 0)
        return;
    if (part->patterns[pattern] == 0)
        part->used[part->used_count++] = pattern;
    part->patterns[pattern] += cycles;
}

/* Returns how many of `total` busy cycles, spread evenly over [first, end), are within the part. */
static uint64_t share(const struct part *part, uint64_t total, uint64_t first, uint64_t end)
{
    return cm_read_part(total, first, end, part->first, part->end);
}

/* Begins the count of a channel's busy cycles in this part. If a window of the router covers the
 * part, the count begins with the channel's busy cycles in the window. */
static void begin_channel(struct part *part, uint32_t number, uint32_t dimension)
{
    const struct cm_read_routed_window *window = part->window;
    struct channel *channel = &part->channels[number];
    channel->part = part->number;
    channel->cycles =
        window != NULL ? share(part, part->loads[number], window->first, window->end) : 0;
    if (part->used_count == 0)
        return;
    uint32_t *first = &part->routed_first[dimension * 2 + number % 2];
    channel->next = *first;
    *first = number;
}

/* Adds busy cycles due to the router to a channel. The exchanges of the part must have been added
 * before. */
static void add_channel(const struct cm_trace *trace, struct part *part, uint32_t number,
                        uint64_t cycles)
{
    uint32_t dimension = number / 2 % trace->info.dimensions;
    struct channel *channel = &part->channels[number];
    if (channel->part != part->number)
        begin_channel(part, number, dimension);
    channel->cycles += cycles;
    part->sums[dimension] += cycles;
    part->routed_most[dimension] = cm_most(part->routed_most[dimension], channel->cycles);
}

/* Adds the busy cycles of the part's patterns to the sums of the dimensions, and makes the linked
 * list of pattern entries for each slot. */
static void spread_patterns(const struct cm_trace *trace, struct part *part)
{
    memset(part->slot_first, 0xff, trace->info.slots * sizeof *part->slot_first);
    for (uint32_t u = 0; u < part->used_count; u++) {
        uint32_t p = part->used[u];
        const struct cm_read_pattern *pattern = &trace->patterns.items[p];
        for (uint32_t d = 0; d < trace->info.dimensions; d++)
            part->sums[d] +=
                trace->sent_words[(size_t)p * trace->info.dimensions + d] * part->patterns[p];
        for (uint64_t e = pattern->first; e < pattern->first + pattern->count; e++) {
            uint32_t *first = &part->slot_first[trace->entries.items[e].slot];
            part->entry_pattern[e] = p;
            part->entry_next[e] = *first;
            *first = (uint32_t)e;
        }
    }
}

/* Returns the busy cycles of the busiest channel among the channels that a slot drives, one in each
 * node. `routed` is the first of the channels to which the router adds cycles. Exchanges make the
 * channels of all nodes of a set busy, so they are counted by classes of nodes. */
static uint64_t busiest_of_slot(const struct cm_trace *trace, struct part *part, uint32_t slot,
                                uint32_t routed)
{
    uint64_t all = 0, most = 0;
    bool touched = false;
    for (uint32_t e = slot != NOTHING ? part->slot_first[slot] : NOTHING; e != NOTHING;
         e = part->entry_next[e]) {
        const struct cm_read_entry *entry = &trace->entries.items[e];
        uint64_t cycles = part->patterns[part->entry_pattern[e]];
        if (entry->set == 0) {
            all += cycles;
            continue;
        }
        touched = true;
        for (uint64_t k = trace->set_class_at[entry->set - 1]; k < trace->set_class_at[entry->set];
             k++) {
            uint64_t sum = part->classes[trace->set_classes.items[k]] += cycles;
            most = cm_most(most, sum);
        }
    }
    for (uint32_t c = routed; c != NOTHING; c = part->channels[c].next) {
        uint32_t node = c / 2 / trace->info.dimensions;
        most = cm_most(most, part->channels[c].cycles + part->classes[trace->class_of[node]]);
    }
    if (touched)
        memset(part->classes, 0, trace->class_count * sizeof *part->classes);
    return all + most;
}

/* Computes the busy cycles of the busiest channel of each dimension. */
static void busiest(const struct cm_trace *trace, struct part *part, uint64_t *most)
{
    const struct cm_trace_info *info = &trace->info;
    spread_patterns(trace, part);
    for (uint32_t d = 0; d < info->dimensions; d++) {
        most[d] = part->routed_most[d];
        for (uint32_t c = 0; c < 2 && part->used_count > 0; c++) {
            uint32_t slot = cm_slot_of_channel(info->slots, d, c);
            if (c >= trace->exchange_channels || slot >= info->slots)
                slot = NOTHING;
            most[d] =
                cm_most(most[d], busiest_of_slot(trace, part, slot, part->routed_first[d * 2 + c]));
        }
    }
}

/* Sweep over consecutive parts of the time axis, with its position among exchanges, hops and
 * windows. */
struct sweep {
    const struct cm_trace *trace;
    struct part part;
    struct cm_read_walk walk;
    struct cm_read_exchange next; /* next exchange. Its cycle is UINT64_MAX at the end */
    bool by_windows;              /* true to add up windows instead of visiting every exchange */
    uint64_t hop;                 /* first hop that may still be crossing a channel */
    /* cycle until which no channel changes between busy and idle. 0: a channel changes within the
     * part */
    uint64_t steady;
    uint64_t window; /* first window of the router that may overlap the part */
    /* number + 1 of the router's window whose busy cycles are in part.loads. 0: no window */
    uint64_t loaded;
};

static void take_exchange(struct sweep *sweep)
{
    if (!cm_read_walk_next(&sweep->walk, &sweep->next))
        sweep->next.cycle = UINT64_MAX;
}

static struct sweep sweep_from(const struct cm_trace *trace, uint64_t cycle, bool by_windows)
{
    struct sweep sweep = {.trace = trace,
                          .walk = cm_read_walk_from(trace, cycle),
                          .by_windows = by_windows,
                          .hop = cm_read_first_hop(trace, cycle)};
    if (!by_windows)
        take_exchange(&sweep);
    return sweep;
}

static uint64_t window_length(const struct cm_trace *trace, uint64_t window)
{
    return cm_least(trace->info.cycles - window * trace->info.window_cycles,
                    trace->info.window_cycles);
}

/* Adds the busy cycles of channels from the windows of the run (trace.h) that overlap the swept
 * interval sweep->part. */
static void sweep_windows(struct sweep *sweep)
{
    const struct cm_trace *trace = sweep->trace;
    struct part *part = &sweep->part;
    for (uint64_t w = part->first / trace->info.window_cycles;
         w < trace->info.window_count && w * trace->info.window_cycles < part->end; w++) {
        uint64_t first = w * trace->info.window_cycles, end = first + window_length(trace, w);
        for (uint64_t i = trace->window_at[w]; i < trace->window_at[w + 1]; i++) {
            const struct cm_read_window_use *use = &trace->window_uses.items[i];
            add_pattern(part, use->pattern,
                        cm_read_part(use->cycles, first, end, part->first, part->end));
        }
    }
    sweep->steady = 0;
}

/* Adds the busy cycles of the exchanges in the part. Exchanges don't overlap, so only the last one
 * of a part reaches into the next part. */
static void sweep_exchanges(struct sweep *sweep)
{
    const struct cm_trace *trace = sweep->trace;
    struct part *part = &sweep->part;
    uint64_t length = trace->info.exchange_cycles;
    if (sweep->by_windows) {
        sweep_windows(sweep);
        return;
    }
    while (sweep->next.cycle < part->end) {
        uint64_t first = cm_most(sweep->next.cycle, part->first);
        uint64_t end = cm_least(sweep->next.cycle + length, part->end);
        if (end > first) {
            add_pattern(part, sweep->next.pattern, end - first);
            sweep->steady = 0;
        }
        if (sweep->next.cycle + length > part->end)
            return;
        take_exchange(sweep);
    }
    if (sweep->steady > 0)
        sweep->steady = sweep->next.cycle;
}

/* Records that a channel is busy, or idle, in all of [first, end). Limits sweep->steady, until when
 * no channel changes, to this interval. */
static void record_steady(struct sweep *sweep, uint64_t first, uint64_t end)
{
    if (first > sweep->part.first)
        sweep->steady = 0;
    else if (end < sweep->steady)
        sweep->steady = end;
}

/* Takes the router's busy cycles of the whole part from a window that covers the part. Hops within
 * the part then add their cycles to single channels, whose counts begin with the busy cycles in the
 * window. All other channels are at most as busy as the window's busiest channel. */
static void enter_window(struct sweep *sweep, uint64_t number)
{
    const struct cm_trace *trace = sweep->trace;
    const struct cm_read_routed_window *window = &trace->windows.items[number];
    struct part *part = &sweep->part;
    uint32_t dimensions = trace->info.dimensions;
    if (sweep->loaded != number + 1) {
        memset(part->loads, 0, (size_t)trace->info.nodes * dimensions * 2 * sizeof *part->loads);
        for (uint64_t i = window->at; i < window->at + window->count; i++)
            part->loads[trace->loads.items[i].channel] +=
                trace->loads.items[i].words * trace->info.word_cycles;
    }
    sweep->loaded = number + 1;
    part->window = window;
    for (uint32_t d = 0; d < dimensions; d++) {
        const uint64_t *sums = trace->load_sums + (number * dimensions + d) * 2;
        part->sums[d] += share(part, sums[0], window->first, window->end);
        part->routed_most[d] = share(part, sums[1], window->first, window->end);
    }
}

/* Adds the busy cycles of channels during one recorded interval of the router's run to the sums of
 * the part of time being swept. */
static void sweep_loads(struct sweep *sweep, uint64_t number)
{
    const struct cm_trace *trace = sweep->trace;
    const struct cm_read_routed_window *window = &trace->windows.items[number];
    struct part *part = &sweep->part;
    record_steady(sweep, window->first, window->end);
    if (part->used_count == 0 && window->first <= part->first && window->end >= part->end) {
        enter_window(sweep, number);
        return;
    }
    for (uint64_t i = window->at; i < window->at + window->count; i++) {
        const struct cm_read_load *load = &trace->loads.items[i];
        add_channel(trace, part, load->channel,
                    share(part, load->words * trace->info.word_cycles, window->first, window->end));
    }
}

static void sweep_hops(struct sweep *sweep)
{
    const struct cm_trace *trace = sweep->trace;
    const struct cm_read_hop *hops = trace->hops.items;
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
}

static void sweep_routed_windows(struct sweep *sweep)
{
    const struct cm_trace *trace = sweep->trace;
    const struct cm_read_routed_window *windows = trace->windows.items;
    const struct part *part = &sweep->part;
    while (sweep->window < trace->windows.count && windows[sweep->window].end <= part->first)
        sweep->window++;
    uint64_t w = sweep->window;
    for (; w < trace->windows.count && windows[w].first < part->end; w++)
        sweep_loads(sweep, w);
    if (w < trace->windows.count)
        record_steady(sweep, 0, windows[w].first);
}

static void sweep_to(struct sweep *sweep, uint64_t first, uint64_t end)
{
    part_begin(sweep->trace, &sweep->part, first, end);
    sweep->steady = UINT64_MAX;
    sweep_exchanges(sweep);
    sweep_routed_windows(sweep);
    sweep_hops(sweep);
}

static float limited(double part)
{
    return (float)(part < 1 ? part : 1);
}

/* Stores the busy cycles of each pattern in each window of the run, for questions that would have
 * too many exchanges to visit. */
static void fill_windows(struct cm_trace *trace)
{
    struct sweep sweep = sweep_from(trace, 0, false);
    struct part *part = &sweep.part;
    trace->window_at =
        cm_read_allocate(trace, trace->info.window_count + 1, sizeof *trace->window_at);
    bool ready = part_init(trace, part);
    for (uint64_t w = 0; ready && w < trace->info.window_count; w++) {
        uint64_t first = w * trace->info.window_cycles;
        part_begin(trace, part, first, first + window_length(trace, w));
        sweep_exchanges(&sweep);
        for (uint32_t u = 0; u < part->used_count; u++)
            cm_list_push(&trace->window_uses, ((struct cm_read_window_use){
                                                  part->used[u], part->patterns[part->used[u]]}));
        trace->window_at[w + 1] = trace->window_uses.count;
    }
    part_finish(part);
}

/* Returns the number of exchanges that one question may visit. */
static uint64_t exchanges_walked(const struct cm_trace *trace)
{
    return trace->exchanges_max / INDEX_SHARE;
}

static void choose_windows(struct cm_trace_info *info)
{
    info->window_cycles = 16;
    while (info->window_cycles < info->exchange_cycles ||
           info->cycles / info->window_cycles >= CM_READ_WINDOWS)
        info->window_cycles *= 2;
    info->window_count = (info->cycles + info->window_cycles - 1) / info->window_cycles;
}

/* Computes the number of nodes of each set, and the number of words that an exchange of each
 * pattern sends over each dimension. */
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

/* Divides the nodes into classes. The nodes of a class belong to exactly the same sets. */
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

/* Lists for each set of nodes the classes that it consists of. */
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
    count_words(trace);
    find_classes(trace);
    list_classes(trace);
    if (trace->all_exchanges > exchanges_walked(trace) && !cm_trace_failed(trace))
        fill_windows(trace);
}

static uint64_t edge(uint64_t first, uint64_t end, uint32_t column, uint32_t columns)
{
    return first + (uint64_t)((unsigned __int128)(end - first) * column / columns);
}

static void fill_column(struct sweep *sweep, uint64_t first, uint64_t end, struct cm_trace_use *use,
                        uint32_t columns)
{
    const struct cm_trace_info *info = &sweep->trace->info;
    double channels = (double)info->nodes * info->channels, length = (double)(end - first);
    uint64_t most[64];
    sweep_to(sweep, first, end);
    busiest(sweep->trace, &sweep->part, most);
    for (uint32_t d = 0; d < info->dimensions; d++)
        use[(size_t)d * columns] = (struct cm_trace_use){
            .mean = limited((double)sweep->part.sums[d] / channels / length),
            .max = limited((double)most[d] / length),
        };
}

/* Fills the columns of an interval. Groups of `group` neighbouring columns share one value. */
static void fill_columns(struct sweep *sweep, const uint64_t interval[2], uint32_t columns,
                         uint32_t group, struct cm_trace_use *use)
{
    const struct cm_trace_info *info = &sweep->trace->info;
    /* cycle until which no channel changes after the column that was computed last */
    uint64_t same_until = 0;
    for (uint32_t column = 0; column < columns; column++) {
        uint32_t last = column - column % group + group;
        uint64_t low = edge(interval[0], interval[1], column, columns);
        uint64_t high = edge(interval[0], interval[1], last < columns ? last : columns, columns);
        uint64_t own = cm_least(edge(interval[0], interval[1], column + 1, columns), info->cycles);
        high = cm_least(high, info->cycles);
        if (low >= info->cycles)
            break;
        if (high <= low)
            high = low + 1;
        if (column > 0 && (column % group != 0 || own <= same_until)) {
            for (uint32_t d = 0; d < info->dimensions; d++)
                use[(size_t)d * columns + column] = use[(size_t)d * columns + column - 1];
            continue;
        }
        fill_column(sweep, low, high, use + column, columns);
        same_until = sweep->steady;
    }
}

/* Estimates the number of visits to hops for columns of a given width. A hop is visited once for
 * each column that it overlaps. */
static uint64_t hop_looks(const struct cm_trace *trace, uint64_t first, uint64_t end,
                          uint64_t width)
{
    const struct cm_read_hop *hops = trace->hops.items;
    if (trace->hops.count == 0)
        return 0;
    uint64_t length = hops[trace->hops.count / 2].end - hops[trace->hops.count / 2].first;
    /* columns narrower than a word time of the router are cheap, because no channel changes within
     * a word time */
    width = cm_most(width, cm_most(trace->info.word_cycles, 1));
    uint64_t begun = cm_read_until(trace->hops, first, end - 1);
    begun -= first > length ? cm_read_until(trace->hops, first, first - length - 1) : 0;
    return begun * (1 + length / width);
}

/* Returns how many neighbouring columns must share one value, so that a question does not visit too
 * many hops. */
static uint32_t choose_group(const struct cm_trace *trace, const uint64_t interval[2],
                             uint32_t columns)
{
    uint64_t width = (interval[1] - interval[0]) / columns;
    uint64_t ran = cm_least(interval[1], trace->info.cycles);
    uint32_t group = 1;
    while (group < columns && hop_looks(trace, interval[0], ran, width * group) > HOPS_WALKED)
        group *= 2;
    return group;
}

/* Computes the use of every dimension in every column. If `exact` is true, the reader visits all
 * exchanges and hops, however long that takes. */
static void find_use(const struct cm_trace *trace, const uint64_t interval[2], uint32_t columns,
                     bool exact, struct cm_trace_use *use)
{
    uint64_t first = interval[0], ran = cm_least(interval[1], trace->info.cycles);
    memset(use, 0, (size_t)trace->info.dimensions * columns * sizeof *use);
    if (ran <= first || columns == 0 || trace->info.dimensions == 0)
        return;
    bool by_windows = !exact && trace->window_at != NULL &&
                      cm_read_exchanges_about(trace, first, ran) > exchanges_walked(trace);
    struct sweep sweep = sweep_from(trace, first, by_windows);
    if (part_init(trace, &sweep.part))
        fill_columns(&sweep, interval, columns, exact ? 1 : choose_group(trace, interval, columns),
                     use);
    part_finish(&sweep.part);
}

void cm_trace_dimension_use(const struct cm_trace *trace, uint64_t first, uint64_t end,
                            uint32_t columns, struct cm_trace_use *use)
{
    const uint64_t interval[2] = {first, end};
    find_use(trace, interval, columns, false, use);
}

void cm_trace_exact_use(const struct cm_trace *trace, uint64_t first, uint64_t end,
                        uint32_t columns, struct cm_trace_use *use)
{
    const uint64_t interval[2] = {first, end};
    find_use(trace, interval, columns, true, use);
}
