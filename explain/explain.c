/* Writes the text of the option --explain, in tables of at most 100 columns: steps, phases, causes,
 * dimensions, nodes and the busiest channels of a trace. */
#include "explain.h"
#include "../report/bars.h"
#include "../report/numbers.h"
#include "../report/style.h"
#include "../trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BAR_CELLS     40u
#define WHERE_CELLS   30u
#define STEPS_SHOWN   24u
#define BUSIEST_SHOWN 8u
#define MAP_NODES_MAX 64u

struct page {
    const struct cm_trace *trace;
    const struct cm_trace_info *info;
    unsigned style;
    struct cm_buffer *text;
    uint64_t *busy; /* busy cycles of every channel. NULL: the machine has no channels. */
};

static void heading(const struct page *page, const char *words)
{
    cm_buffer_printf(page->text, "\n%s%s%s\n", cm_style_code(page->style, CM_CODE_BOLD), words,
                     cm_style_code(page->style, CM_CODE_RESET));
}

/* Ends a line and removes the blanks before its end. */
static void end_line(const struct page *page)
{
    struct cm_buffer *text = page->text;
    while (text->length > 0 && text->data[text->length - 1] == ' ')
        text->length--;
    cm_buffer_printf(text, "\n");
}

/* Returns the last WHERE_CELLS characters of a JSON pointer to a step. Pointers to different steps
 * differ at the end. */
static const char *tail(const char *where)
{
    size_t length = strlen(where);
    return length > WHERE_CELLS ? where + length - WHERE_CELLS : where;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void explain_head(const struct page *page)
{
    const struct cm_trace_info *info = page->info;
    cm_buffer_printf(page->text,
                     "%s on %s, %" PRIu32 " node%s: %" PRIu64 " cycles, %" PRIu64 " exchange%s",
                     info->workload, info->machine, info->nodes, cm_plural(info->nodes),
                     info->cycles, info->exchanges, cm_plural(info->exchanges));
    if (info->packets > 0)
        cm_buffer_printf(page->text, ", %" PRIu64 " packets", info->packets);
    cm_buffer_printf(page->text, "\n");
}

/* Line of the table of steps. All runs of the same step share a line. */
struct line {
    const struct cm_trace_step *step;
    uint64_t times, cycles;
};

static struct line *find_line(struct line *lines, uint32_t count, const struct cm_trace_step *step)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(lines[i].step->where, step->where) == 0)
            return &lines[i];
    return NULL;
}

static void explain_steps(const struct page *page)
{
    struct line lines[STEPS_SHOWN];
    uint32_t count = 0;
    uint64_t others = 0, other_cycles = 0;
    for (uint32_t i = 0; i < page->info->steps; i++) {
        const struct cm_trace_step *step = cm_trace_step_at(page->trace, i);
        struct line *line = find_line(lines, count, step);
        uint64_t cycles = step->end_cycle - step->first_cycle;
        if (line == NULL && count == STEPS_SHOWN) {
            others++;
            other_cycles += cycles;
            continue;
        }
        if (line == NULL) {
            line = &lines[count++];
            *line = (struct line){.step = step};
        }
        line->times++;
        line->cycles += cycles;
    }
    heading(page, "steps                                         times      cycles   share");
    for (uint32_t i = 0; i < count; i++)
        cm_buffer_printf(page->text, "  %-10.10s %-30.30s %8" PRIu64 " %11" PRIu64 " %6.1f %%\n",
                         lines[i].step->op, tail(lines[i].step->where), lines[i].times,
                         lines[i].cycles, 100 * share(lines[i].cycles, page->info->cycles));
    if (others > 0)
        cm_buffer_printf(page->text, "  %-41s %8" PRIu64 " %11" PRIu64 " %6.1f %%\n",
                         "further steps", others, other_cycles,
                         100 * share(other_cycles, page->info->cycles));
}

static void explain_phases(const struct page *page)
{
    uint64_t cycles[CM_TRACE_PHASE_COUNT];
    cm_trace_by_phase(page->trace, 0, page->info->cycles, cycles);
    heading(page, "phases           cycles   share");
    for (uint32_t i = 0; i < CM_TRACE_PHASE_COUNT; i++) {
        double part = share(cycles[i], page->info->cycles);
        if (cycles[i] == 0)
            continue;
        cm_buffer_printf(page->text, "  %-10s %10" PRIu64 " %6.1f %%  %s\n",
                         cm_trace_phase_name((enum cm_trace_phase)i), cycles[i], 100 * part,
                         cm_bar_marked(page->style, part, 0, BAR_CELLS).text);
    }
}

/* Writes how the cycles of each phase divide into causes. For example, cycles of a load's page
 * fault belong to the phase "load". */
static void explain_accounting(const struct page *page)
{
    uint64_t cycles[CM_TRACE_PHASE_COUNT][CM_CAUSE_COUNT];
    cm_trace_accounting(page->trace, 0, page->info->cycles, cycles);
    heading(page, "phases (what the sequencer does) by cause (what a cycle is charged to)");
    for (uint32_t p = 0; p < CM_TRACE_PHASE_COUNT; p++) {
        uint64_t total = 0;
        for (uint32_t c = 0; c < CM_CAUSE_COUNT; c++)
            total += cycles[p][c];
        if (total == 0)
            continue;
        cm_buffer_printf(page->text, "  %-10s %10" PRIu64 " =",
                         cm_trace_phase_name((enum cm_trace_phase)p), total);
        const char *plus = "";
        for (uint32_t c = 0; c < CM_CAUSE_COUNT; c++) {
            if (cycles[p][c] == 0)
                continue;
            cm_buffer_printf(page->text, "%s %s %" PRIu64, plus, cm_cause_name((enum cm_cause)c),
                             cycles[p][c]);
            plus = " +";
        }
        cm_buffer_printf(page->text, "\n");
    }
}

/* Writes how many cycles of exchanges were hidden: charged to no cause, because the sequencer did
 * other work at the same time. */
static void explain_hidden(const struct page *page)
{
    uint64_t causes[CM_CAUSE_COUNT];
    uint64_t all = page->info->exchanges * page->info->exchange_cycles;
    cm_trace_by_cause(page->trace, 0, page->info->cycles, causes);
    if (causes[CM_CAUSE_EXCHANGE] >= all)
        return;
    cm_buffer_printf(page->text,
                     "  exchanges take %" PRIu64 " cycles; %" PRIu64
                     " (%.1f %%) are hidden, %" PRIu64 " are waited for\n",
                     all, all - causes[CM_CAUSE_EXCHANGE],
                     100 * share(all - causes[CM_CAUSE_EXCHANGE], all), causes[CM_CAUSE_EXCHANGE]);
}

static uint64_t busy_at(const struct page *page, uint32_t node, uint32_t dimension,
                        uint32_t channel)
{
    const struct cm_trace_info *info = page->info;
    return page->busy[((size_t)node * info->dimensions + dimension) * info->channels + channel];
}

static void explain_dimensions(const struct page *page)
{
    const struct cm_trace_info *info = page->info;
    heading(page,
            "dimensions: part of the time that a channel is busy, mean (bar) and busiest (|)");
    for (uint32_t d = 0; d < info->dimensions; d++) {
        uint64_t total = 0, most = 0;
        for (uint32_t node = 0; node < info->nodes; node++)
            for (uint32_t c = 0; c < info->channels; c++) {
                uint64_t busy = busy_at(page, node, d, c);
                total += busy;
                most = busy > most ? busy : most;
            }
        double mean = share(total, info->cycles) / (double)info->nodes / (double)info->channels;
        double max = share(most, info->cycles);
        cm_buffer_printf(page->text, "  %2" PRIu32 "  %s  mean %5.1f %%  max %5.1f %%\n", d,
                         cm_bar_marked(page->style, mean, max, BAR_CELLS).text, 100 * mean,
                         100 * max);
    }
}

/* Returns a sign for a channel's busy cycles, on a scale from an idle channel to the busiest
 * channel of the run. Only channels as busy as that one have the last sign. */
static const char *shade(const struct page *page, uint64_t busy, uint64_t most)
{
    static const char *const plain[] = {".", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    static const char *const blocks[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const bool utf8 = (page->style & CM_STYLE_UTF8) != 0;
    const uint64_t last = utf8 ? 8 : 9; /* index of the last sign */
    uint64_t level = busy == 0 ? 0 : busy == most ? last : 1 + busy * (last - 1) / most;
    return utf8 ? blocks[level] : plain[level];
}

static uint64_t busiest_of_all(const struct page *page)
{
    const struct cm_trace_info *info = page->info;
    uint64_t most = 0;
    for (size_t i = 0; i < (size_t)info->nodes * info->dimensions * info->channels; i++)
        most = page->busy[i] > most ? page->busy[i] : most;
    return most;
}

static void explain_map(const struct page *page)
{
    const struct cm_trace_info *info = page->info;
    uint64_t most = busiest_of_all(page);
    uint32_t rows = info->nodes < 32 ? info->nodes : (info->nodes + 1) / 2;
    uint32_t sides = info->nodes / rows;
    heading(page,
            page->style & CM_STYLE_UTF8
                ? "nodes by dimension, both channels of each; █ is the busiest channel, · is idle"
                : "nodes by dimension, both channels of each; 9 is the busiest channel, . is idle");
    for (uint32_t side = 0; side < sides; side++) {
        cm_buffer_printf(page->text, "%s  node ", side == 0 ? "" : "     ");
        for (uint32_t d = 0; d < info->dimensions; d++)
            cm_buffer_printf(page->text, " %-3" PRIu32, d);
    }
    end_line(page);
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t side = 0; side < sides; side++) {
            uint32_t node = side * rows + row;
            cm_buffer_printf(page->text, "%s  %4" PRIu32 " ", side == 0 ? "" : "     ", node);
            for (uint32_t d = 0; d < info->dimensions; d++) {
                cm_buffer_printf(page->text, " ");
                for (uint32_t c = 0; c < 2; c++)
                    cm_buffer_printf(
                        page->text, "%s",
                        c < info->channels ? shade(page, busy_at(page, node, d, c), most) : " ");
                cm_buffer_printf(page->text, " ");
            }
        }
        end_line(page);
    }
}

static void explain_busiest(const struct page *page)
{
    const struct cm_trace_info *info = page->info;
    size_t count = (size_t)info->nodes * info->dimensions * info->channels;
    size_t best[BUSIEST_SHOWN];
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t at = found;
        if (page->busy[i] == 0)
            continue;
        while (at > 0 && page->busy[best[at - 1]] < page->busy[i])
            at--;
        if (at == BUSIEST_SHOWN)
            continue;
        if (found < BUSIEST_SHOWN)
            found++;
        memmove(best + at + 1, best + at, (found - 1 - at) * sizeof *best);
        best[at] = i;
    }
    if (found == 0)
        return;
    heading(page, "busiest channels");
    for (uint32_t k = 0; k < found; k++)
        cm_buffer_printf(page->text,
                         "  node %5zu  dimension %2zu  channel %zu %12" PRIu64 " cycles %6.1f %%\n",
                         best[k] / info->channels / info->dimensions,
                         best[k] / info->channels % info->dimensions, best[k] % info->channels,
                         page->busy[best[k]], 100 * share(page->busy[best[k]], info->cycles));
}

void cm_explain_trace(const struct cm_trace *trace, unsigned style, struct cm_buffer *text)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct page page = {.trace = trace, .info = info, .style = style, .text = text};
    explain_head(&page);
    if (info->notice != NULL)
        cm_buffer_printf(text, "note: %s\n", info->notice);
    explain_steps(&page);
    explain_phases(&page);
    explain_accounting(&page);
    explain_hidden(&page);
    if (info->dimensions == 0)
        return;
    page.busy = calloc((size_t)info->nodes * info->dimensions * info->channels, sizeof *page.busy);
    if (page.busy == NULL) {
        text->failed = true;
        return;
    }
    cm_trace_channel_busy(trace, 0, info->cycles, page.busy);
    explain_dimensions(&page);
    if (info->nodes <= MAP_NODES_MAX)
        explain_map(&page);
    explain_busiest(&page);
    free(page.busy);
}
