/* Writes the text of the option --why: the critical path of a run, from its start to its end. The
 * path is a chain of links without gaps (trace/why.h). A link within a run of the router is a
 * packet for which the router waited. */
#include "../trace/why.h"
#include "../report/numbers.h"
#include "../report/style.h"
#include "explain.h"

#include <inttypes.h>
#include <string.h>

#define ROWS_SHOWN   24u
#define CHAINS_SHOWN 3u
#define CAUSES_SHOWN 3u
#define PATH_SHOWN   6u /* number of nodes that are printed of a packet's path, at most */

struct page {
    const struct cm_trace *trace;
    const struct cm_trace_info *info;
    unsigned style;
    struct cm_buffer *text;
    const struct cm_why_link *links;
    uint32_t count;
};

static const char *arrow(const struct page *page)
{
    return page->style & CM_STYLE_UTF8 ? " → " : " > ";
}

static uint64_t cycles_of(const struct page *page, uint32_t first, uint32_t end)
{
    return page->links[end - 1].end_cycle - page->links[first].first_cycle;
}

static const char *where_of(const struct page *page, uint32_t link)
{
    uint32_t step = page->links[link].step;
    return step == CM_TRACE_NONE ? "" : cm_trace_step_at(page->trace, step)->where;
}

/* Returns the index after the last link that belongs to the same run of a step as link `first`. */
static uint32_t end_of_step(const struct page *page, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < page->count && page->links[end].step == page->links[first].step)
        end++;
    return end;
}

/* Prints the cycles of the largest causes and the sum of the others, such as "exchange 960, local
 * move 1408, 3 others 20". */
static void print_causes(const struct page *page, const uint64_t causes[CM_CAUSE_COUNT])
{
    uint64_t left[CM_CAUSE_COUNT], rest = 0;
    uint32_t others = 0;
    memcpy(left, causes, sizeof left);
    for (uint32_t shown = 0; shown < CAUSES_SHOWN; shown++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < CM_CAUSE_COUNT; i++)
            most = left[i] > left[most] ? i : most;
        if (left[most] == 0)
            break;
        cm_buffer_printf(page->text, "%s%s %" PRIu64, shown > 0 ? ", " : "",
                         cm_cause_name((enum cm_cause)most), left[most]);
        left[most] = 0;
    }
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++) {
        rest += left[i];
        others += left[i] > 0;
    }
    if (others > 0)
        cm_buffer_printf(page->text, ", %" PRIu32 " other%s %" PRIu64, others, cm_plural(others),
                         rest);
    cm_buffer_printf(page->text, "\n");
}

/* Row of the table of steps. It stands for one run of a step, or, if there are more than ROWS_SHOWN
 * runs, for all runs of a step. */
struct row {
    uint32_t first, end; /* range of links of the first run of the step */
    uint64_t times, cycles;
    uint64_t causes[CM_CAUSE_COUNT];
};

static void add_to(const struct page *page, struct row *row, uint32_t first, uint32_t end)
{
    uint64_t causes[CM_CAUSE_COUNT];
    cm_trace_by_cause(page->trace, page->links[first].first_cycle, page->links[end - 1].end_cycle,
                      causes);
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        row->causes[i] += causes[i];
    row->times++;
    row->cycles += cycles_of(page, first, end);
}

static struct row *row_for(const struct page *page, struct row *rows, uint32_t *count,
                           uint32_t first, uint32_t end, bool together)
{
    for (uint32_t i = 0; together && i < *count; i++)
        if (strcmp(where_of(page, rows[i].first), where_of(page, first)) == 0)
            return &rows[i];
    if (*count == ROWS_SHOWN)
        return &rows[ROWS_SHOWN];
    rows[*count] = (struct row){.first = first, .end = end};
    return &rows[(*count)++];
}

static void print_row(const struct page *page, const struct row *row, bool together, bool rest)
{
    uint32_t step = page->links[row->first].step;
    const char *op =
        step == CM_TRACE_NONE ? "between steps" : cm_trace_step_at(page->trace, step)->op;
    cm_buffer_printf(page->text, "  %10" PRIu64 " ", row->cycles);
    if (together)
        cm_buffer_printf(page->text, "%10" PRIu64, row->times);
    else
        cm_buffer_printf(page->text, "%10" PRIu64, page->links[row->first].first_cycle);
    cm_buffer_printf(page->text, "  %s %s: ", rest ? "further steps" : op,
                     rest ? "" : where_of(page, row->first));
    print_causes(page, row->causes);
}

static uint32_t count_steps(const struct page *page)
{
    uint32_t steps = 0;
    for (uint32_t i = 0; i < page->count; i = end_of_step(page, i))
        steps++;
    return steps;
}

static void print_steps(const struct page *page)
{
    /* the last row sums up the steps that have no row of their own */
    struct row rows[ROWS_SHOWN + 1] = {0};
    uint32_t count = 0;
    bool together = count_steps(page) > ROWS_SHOWN;
    for (uint32_t i = 0, end; i < page->count; i = end) {
        end = end_of_step(page, i);
        add_to(page, row_for(page, rows, &count, i, end, together), i, end);
    }
    cm_buffer_printf(page->text, "\n      cycles %s  step: its causes, in cycles\n",
                     together ? "     times" : "from cycle");
    for (uint32_t i = 0; i < count; i++)
        print_row(page, &rows[i], together, false);
    if (rows[ROWS_SHOWN].times > 0)
        print_row(page, &rows[ROWS_SHOWN], together, true);
}

/* Returns the index after the adjacent links that belong to the same packet as link `first`. */
static uint32_t end_of_packet(const struct page *page, uint32_t first, uint32_t end)
{
    uint32_t i = first + 1;
    while (i < end && page->links[i].kind == page->links[first].kind &&
           page->links[i].packet == page->links[first].packet)
        i++;
    return i;
}

static void print_path(const struct page *page, uint32_t first, uint32_t end)
{
    uint32_t node = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t pair = page->links[i].channel / page->info->channels;
        node = pair / page->info->dimensions;
        if (i - first < PATH_SHOWN)
            cm_buffer_printf(page->text, "%" PRIu32 "%s", node, arrow(page));
        else if (i - first == PATH_SHOWN)
            cm_buffer_printf(page->text, "...%s", arrow(page));
        node ^= UINT32_C(1) << pair % page->info->dimensions;
    }
    cm_buffer_printf(page->text, "%" PRIu32, node);
}

static void print_link(const struct page *page, uint32_t first, uint32_t end)
{
    const struct cm_why_link *last = &page->links[end - 1];
    cm_buffer_printf(page->text, "  %10" PRIu64 " %10" PRIu64 "  ", cycles_of(page, first, end),
                     page->links[first].first_cycle);
    if (last->kind == CM_WHY_ROUTER && last->packet == UINT64_MAX) {
        cm_buffer_printf(page->text, "the router: these packets are not recorded one by one\n");
        return;
    }
    cm_buffer_printf(page->text, "packet %" PRIu64 ": ", last->packet);
    if (last->kind == CM_WHY_SENDING)
        cm_buffer_printf(page->text, "until it is sent");
    else
        print_path(page, first, end);
    if (last->waiter != UINT64_MAX)
        cm_buffer_printf(page->text, "; packet %" PRIu64 " waits for it since %" PRIu64,
                         last->waiter, last->waited_from);
    cm_buffer_printf(page->text, "\n");
}

static void print_gap(const struct page *page, uint32_t first, uint32_t end)
{
    cm_buffer_printf(page->text, "  %10" PRIu64 " %10" PRIu64 "  %" PRIu32 " further links\n",
                     cycles_of(page, first, end), page->links[first].first_cycle, end - first);
}

/* Prints the chain of packets for which one run of the router waited, but only the last ROWS_SHOWN
 * rows. The last row is the packet that arrives last. */
static void print_chain(const struct page *page, uint32_t first, uint32_t end)
{
    const struct cm_why_link *last = &page->links[end - 1];
    uint32_t rows = 0, at;
    while (last->packet == UINT64_MAX && last > &page->links[first])
        last--;
    const struct cm_trace_packet *packet = cm_trace_packet_at(page->trace, last->packet);
    if (packet == NULL) /* the trace has no packets */
        return;
    cm_buffer_printf(page->text,
                     "\n%s %s: the last packet is %" PRIu64 ", of node %" PRIu32
                     " for node %" PRIu32 "; it arrives at %" PRIu64 ", waited %" PRIu64
                     " cycles\n      cycles from cycle  in the way\n",
                     last->step == CM_TRACE_NONE ? "router"
                                                 : cm_trace_step_at(page->trace, last->step)->op,
                     where_of(page, first), last->packet, packet->source, packet->destination,
                     packet->arrived_cycle, packet->queueing_cycles);
    for (at = first; at < end; at = end_of_packet(page, at, end))
        rows++;
    for (at = first; rows > ROWS_SHOWN; rows--)
        at = end_of_packet(page, at, end);
    if (at > first)
        print_gap(page, first, at);
    for (uint32_t next; at < end; at = next) {
        next = end_of_packet(page, at, end);
        print_link(page, at, next);
    }
}

/* Moves *first to the next link within a run of the router. Returns the index after the last link
 * of this run. */
static uint32_t next_chain(const struct page *page, uint32_t *first)
{
    uint32_t end;
    while (*first < page->count && page->links[*first].kind == CM_WHY_STEP)
        ++*first;
    for (end = *first; end < page->count && page->links[end].kind != CM_WHY_STEP &&
                       page->links[end].step == page->links[*first].step;)
        end++;
    return end;
}

/* Prints the chains of packets of the CHAINS_SHOWN longest runs of the router. */
static void print_chains(const struct page *page)
{
    /* cycles of the longest runs, the longest first, with a spare element at the end */
    uint64_t most[CHAINS_SHOWN + 1] = {0};
    uint32_t chains = 0, shown = 0;
    for (uint32_t first = 0, end; (end = next_chain(page, &first)) > first; first = end) {
        uint64_t cycles = cycles_of(page, first, end);
        uint32_t at = CHAINS_SHOWN;
        for (; at > 0 && most[at - 1] < cycles; at--)
            most[at] = most[at - 1];
        most[at] = cycles;
        chains++;
    }
    uint64_t least = most[CHAINS_SHOWN - 1];
    for (uint32_t first = 0, end; (end = next_chain(page, &first)) > first; first = end)
        if (shown < CHAINS_SHOWN && cycles_of(page, first, end) >= least) {
            print_chain(page, first, end);
            shown++;
        }
    if (chains > shown)
        cm_buffer_printf(page->text, "\n%" PRIu32 " shorter runs of the router are not listed\n",
                         chains - shown);
}

void cm_explain_why(const struct cm_trace *trace, unsigned style, struct cm_buffer *text)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_why why;
    if (!cm_why_run(trace, &why)) {
        text->failed = true;
        cm_why_finish(&why);
        return;
    }
    struct page page = {trace, info, style, text, why.links.items, why.links.count};
    cm_buffer_printf(text,
                     "%swhy %s takes %" PRIu64
                     " cycles%s: what was in the way, from its start to its end\n",
                     cm_style_code(style, CM_CODE_BOLD), info->workload, info->cycles,
                     cm_style_code(style, CM_CODE_RESET));
    if (info->notice != NULL)
        cm_buffer_printf(text, "note: %s\n", info->notice);
    print_steps(&page);
    print_chains(&page);
    cm_why_finish(&why);
}
