/*
 * Export of traces as Value Change Dump (IEEE 1364-2005, clause 18), and GTKWave's save file for
 * the dump.
 *
 *   sequencer.phase        4 bits: enum cm_trace_phase, whose names are in the header's comment
 *   sequencer.instruction  32 bits: index in the IMP. x outside of IMPs and during control flow
 *   nodes.node<n>          channels of a node: bit c * D + d is channel c of dimension d
 *
 * D is the number of dimensions of the machine. A node of a CM-200 has 22 bits. Bits of dimensions
 * that a smaller run does not use are z.
 */
#include "export.h"
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BITS 32u

struct vcd {
    const struct cm_trace *trace;
    const struct cm_trace_info *info;
    struct cm_buffer *text;
    struct cm_export_range range;
    uint64_t picoseconds_a_unit; /* picoseconds of one unit of the dump's time scale */
    uint64_t time;               /* last time written. UINT64_MAX: no time was written */
    uint32_t width;              /* number of bits of a node's vector */
    uint32_t row;                /* number of bits for one channel of every dimension */
    uint32_t *words;             /* words that the current exchange sends, by channel index */
    bool *sent;
    uint32_t phase, pc; /* values last written to the dump. CM_TRACE_NONE: x */
    /* vectors of all nodes last written to the dump, `width` characters for each node */
    char *shown;
    char *vector;
};

/* Identifier of a signal in the dump: a number in base 94, whose digits are the printable
 * characters, low digit first. */
struct identifier {
    char text[8];
};

static struct identifier identify(uint32_t number)
{
    struct identifier id = {""};
    for (uint32_t i = 0; i == 0 || number > 0; i++, number /= 94)
        id.text[i] = (char)('!' + number % 94);
    return id;
}

/* Numbers of the sequencer's signals. The nodes' signals follow. */
enum { ID_PHASE, ID_INSTRUCTION, ID_NODES };

static uint64_t time_of(const struct vcd *vcd, uint64_t cycle, uint32_t part, uint64_t length)
{
    long double cycles = (long double)cycle + (long double)part * (long double)length / WORD_BITS;
    long double units =
        cycles * 1e12L / (long double)vcd->info->clock_hz / (long double)vcd->picoseconds_a_unit;
    return (uint64_t)(units + 0.5L);
}

static void advance(struct vcd *vcd, uint64_t time)
{
    if (time == vcd->time)
        return;
    cm_buffer_printf(vcd->text, "#%" PRIu64 "\n", time);
    vcd->time = time;
}

static void put_binary(struct vcd *vcd, uint32_t value, uint32_t bits, uint32_t id)
{
    char digits[WORD_BITS + 1];
    for (uint32_t i = 0; i < bits; i++)
        digits[i] = (char)('0' + (value >> (bits - 1 - i) & 1));
    digits[bits] = '\0';
    cm_buffer_printf(vcd->text, "b%s %s\n", digits, identify(id).text);
}

static void put_unknown(struct vcd *vcd, uint32_t id)
{
    cm_buffer_printf(vcd->text, "bx %s\n", identify(id).text);
}

/* Writes the sequencer's phase and instruction where they have changed. An event without an
 * instruction shows x. */
static void put_sequencer(struct vcd *vcd, enum cm_trace_phase phase, uint32_t pc)
{
    if ((uint32_t)phase != vcd->phase)
        put_binary(vcd, phase, 4, ID_PHASE);
    if (pc != vcd->pc && pc != CM_TRACE_NONE)
        put_binary(vcd, pc, WORD_BITS, ID_INSTRUCTION);
    else if (pc != vcd->pc)
        put_unknown(vcd, ID_INSTRUCTION);
    vcd->phase = phase;
    vcd->pc = pc;
}

static void put_header(struct vcd *vcd)
{
    const struct cm_trace_info *info = vcd->info;
    cm_buffer_printf(vcd->text,
                     "$version cm200 $end\n$comment\n  clock %" PRIu64 " Hz, cycles %" PRIu64
                     " to %" PRIu64 "\n  phases:",
                     info->clock_hz, vcd->range.first_cycle, vcd->range.end_cycle);
    for (uint32_t p = 0; p < CM_TRACE_PHASE_COUNT; p++)
        cm_buffer_printf(vcd->text, " %" PRIu32 " %s%s", p,
                         cm_trace_phase_name((enum cm_trace_phase)p),
                         p + 1 < CM_TRACE_PHASE_COUNT ? "," : "\n");
    cm_buffer_printf(vcd->text,
                     "  channels: bit c * %" PRIu32
                     " + d is channel c of dimension d; z idle, 0 and 1 the word, "
                     "low bit first, evenly over the exchange, x a word that was not recorded\n",
                     vcd->row);
    /* a "$end" in the text would end the dump's comment */
    if (info->made_of[0] != '\0' && strchr(info->made_of, '$') == NULL)
        cm_buffer_printf(vcd->text, "  made of: %s\n", info->made_of);
    cm_buffer_printf(vcd->text, "$end\n");
    cm_buffer_printf(
        vcd->text, "$timescale 1 %s $end\n$scope module cm200 $end\n$scope module sequencer $end\n",
        vcd->picoseconds_a_unit == 1000 ? "ns" : "ps");
    cm_buffer_printf(vcd->text, "$var wire 4 %s phase [3:0] $end\n", identify(ID_PHASE).text);
    cm_buffer_printf(
        vcd->text,
        "$var wire 32 %s instruction [31:0] $end\n$upscope $end\n$scope module nodes $end\n",
        identify(ID_INSTRUCTION).text);
    for (uint32_t n = 0; n < info->nodes; n++)
        cm_buffer_printf(vcd->text,
                         "$var wire %" PRIu32 " %s node%" PRIu32 " [%" PRIu32 ":0] $end\n",
                         vcd->width, identify(ID_NODES + n).text, n, vcd->width - 1);
    cm_buffer_printf(vcd->text, "$upscope $end\n$upscope $end\n$enddefinitions $end\n");
}

/* Writes the vector of a node if it differs from the one last written. */
static void put_node(struct vcd *vcd, uint32_t node)
{
    char *shown = vcd->shown + (size_t)node * vcd->width;
    if (memcmp(shown, vcd->vector, vcd->width) == 0)
        return;
    memcpy(shown, vcd->vector, vcd->width);
    cm_buffer_printf(vcd->text, "b%.*s %s\n", (int)vcd->width, vcd->vector,
                     identify(ID_NODES + node).text);
}

static void put_idle(struct vcd *vcd, uint64_t time)
{
    advance(vcd, time);
    memset(vcd->vector, 'z', vcd->width);
    for (uint32_t n = 0; n < vcd->info->nodes; n++)
        put_node(vcd, n);
}

/* Returns the character (0, 1 or z) of a node's channel in bit time `bit` of an exchange whose
 * words are recorded. */
static char recorded_wire(const struct vcd *vcd, uint32_t node, uint32_t dimension,
                          uint32_t channel, uint32_t bit)
{
    const struct cm_trace_info *info = vcd->info;
    size_t index = ((size_t)node * info->dimensions + dimension) * info->channels + channel;
    return !vcd->sent[index] ? 'z' : vcd->words[index] >> bit & 1 ? '1' : '0';
}

/* Returns the character of a channel in an exchange whose words are not recorded: x if the channel
 * carries a word, otherwise z. `slots` has the slots that send in the node. */
static char slot_wire(const struct vcd *vcd, uint64_t slots, uint32_t dimension, uint32_t channel)
{
    return slots >> cm_slot_of_channel(vcd->info->slots, dimension, channel) & 1 ? 'x' : 'z';
}

static void put_bit_time(struct vcd *vcd, const struct cm_trace_event *event, bool recorded,
                         uint32_t bit)
{
    const struct cm_trace_info *info = vcd->info;
    for (uint32_t n = 0; n < info->nodes; n++) {
        uint64_t slots = cm_trace_pattern_slots(vcd->trace, event->pattern, n);
        for (uint32_t c = 0; c < info->channels; c++) {
            for (uint32_t d = 0; d < info->dimensions; d++)
                vcd->vector[vcd->width - 1 - (c * vcd->row + d)] =
                    recorded ? recorded_wire(vcd, n, d, c, bit) : slot_wire(vcd, slots, d, c);
        }
        put_node(vcd, n);
    }
}

static void put_exchange(struct vcd *vcd, const struct cm_trace_event *event)
{
    bool recorded = cm_trace_wires(vcd->trace, event->first_cycle, vcd->words, vcd->sent);
    uint64_t length = event->end_cycle - event->first_cycle;
    uint64_t first = cm_most(event->first_cycle, vcd->range.first_cycle);
    uint32_t bits = recorded ? WORD_BITS : 1;
    for (uint32_t bit = 0; bit < bits; bit++) {
        uint64_t cycle = event->first_cycle + length * bit / WORD_BITS;
        if (cycle >= vcd->range.end_cycle)
            return;
        advance(vcd, cycle < first ? time_of(vcd, first, 0, 0)
                                   : time_of(vcd, event->first_cycle, bit, length));
        put_bit_time(vcd, event, recorded, bit);
    }
    if (event->end_cycle < vcd->range.end_cycle)
        put_idle(vcd, time_of(vcd, event->end_cycle, 0, 0));
}

/* Edge: the cycle at which a channel becomes busy or idle because of the router. The words of
 * packets are not recorded, so the dump shows a busy channel as x. */
struct edge {
    uint64_t cycle;
    uint32_t channel;
    bool busy;
    /* place of the edge in the list, for edges that are otherwise equal, because qsort is not
     * stable */
    uint64_t number;
};

static int compare_edges(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    if (left->cycle != right->cycle)
        return left->cycle < right->cycle ? -1 : 1;
    /* In the same cycle, a channel first becomes idle and then busy, because one packet ends when
     * the next begins. */
    if (left->busy != right->busy)
        return (int)left->busy - (int)right->busy;
    return left->number < right->number ? -1 : 1;
}

static void put_edges(struct vcd *vcd, const struct edge *edges, size_t count)
{
    const struct cm_trace_info *info = vcd->info;
    for (size_t i = 0; i < count; i++) {
        uint32_t channel = edges[i].channel % info->channels;
        uint32_t dimension = edges[i].channel / info->channels % info->dimensions;
        uint32_t node = edges[i].channel / info->channels / info->dimensions;
        advance(vcd, time_of(vcd, edges[i].cycle, 0, 0));
        memcpy(vcd->vector, vcd->shown + (size_t)node * vcd->width, vcd->width);
        vcd->vector[vcd->width - 1 - (channel * vcd->row + dimension)] = edges[i].busy ? 'x' : 'z';
        put_node(vcd, node);
    }
}

static enum cm_status put_router(struct vcd *vcd, const struct cm_trace_event *event,
                                 struct cm_error *err)
{
    uint64_t first = cm_most(event->first_cycle, vcd->range.first_cycle);
    uint64_t end = cm_least(event->end_cycle, vcd->range.end_cycle);
    uint64_t count = cm_trace_hops(vcd->trace, first, end, NULL, 0);
    struct cm_trace_hop *hops = malloc((count + 1) * sizeof *hops);
    struct edge *edges = malloc((2 * count + 1) * sizeof *edges);
    size_t used = 0;
    enum cm_status status = hops != NULL && edges != NULL ? CM_OK : cm_error_no_memory(err);
    if (status == CM_OK)
        cm_trace_hops(vcd->trace, first, end, hops, count);
    for (uint64_t i = 0; status == CM_OK && i < count; i++) {
        uint64_t from = cm_most(hops[i].first_cycle, first);
        if (from >= end || hops[i].end_cycle <= from)
            continue; /* the packet waits for the channel but does not cross it within the range */
        edges[used++] = (struct edge){from, hops[i].channel, true, i};
        if (hops[i].end_cycle < end)
            edges[used++] = (struct edge){hops[i].end_cycle, hops[i].channel, false, i};
    }
    if (used > 0)
        qsort(edges, used, sizeof *edges, compare_edges);
    put_edges(vcd, edges, used);
    if (status == CM_OK && event->end_cycle < vcd->range.end_cycle)
        put_idle(vcd, time_of(vcd, event->end_cycle, 0, 0));
    free(hops);
    free(edges);
    return status;
}

/* Writes control flow, which has no events of its own. It fills the cycles between two events. */
static void put_control(struct vcd *vcd, uint64_t end, uint64_t next)
{
    uint64_t first = cm_most(end, vcd->range.first_cycle);
    if (first >= next || first >= vcd->range.end_cycle)
        return;
    advance(vcd, time_of(vcd, first, 0, 0));
    put_sequencer(vcd, CM_TRACE_CONTROL, CM_TRACE_NONE);
}

static enum cm_status put_events(struct vcd *vcd, struct cm_error *err)
{
    uint64_t end = vcd->range.first_cycle;
    struct cm_trace_cursor cursor = cm_trace_seek(vcd->trace, vcd->range.first_cycle);
    struct cm_trace_event event;
    enum cm_status status = CM_OK;
    while (status == CM_OK && cm_trace_next(&cursor, &event) &&
           event.first_cycle < vcd->range.end_cycle) {
        uint64_t first = cm_most(event.first_cycle, vcd->range.first_cycle);
        put_control(vcd, end, first);
        advance(vcd, time_of(vcd, first, 0, 0));
        put_sequencer(vcd, event.phase, event.pc);
        if (event.phase == CM_TRACE_EXCHANGE)
            put_exchange(vcd, &event);
        else if (event.phase == CM_TRACE_ROUTER)
            status = put_router(vcd, &event, err);
        end = event.end_cycle;
    }
    put_control(vcd, end, vcd->range.end_cycle);
    advance(vcd, time_of(vcd, vcd->range.end_cycle, 0, 0));
    return status;
}

/* Fails with CM_BAD_INPUT if the dump would be too large, by an upper bound of its number of value
 * changes. */
static enum cm_status check_size(const struct vcd *vcd, struct cm_error *err)
{
    uint64_t changes = 0, exchanges = 0;
    uint64_t cycle = cm_trace_find_exchange(vcd->trace, vcd->range.first_cycle, 1);
    while (cycle < vcd->range.end_cycle && changes <= CM_EXPORT_VCD_CHANGES) {
        bool recorded = cycle >= vcd->info->detail_first && cycle < vcd->info->detail_end;
        changes += (uint64_t)vcd->info->nodes * (recorded ? WORD_BITS + 1 : 2);
        exchanges++;
        cycle = cm_trace_find_exchange(vcd->trace, cycle + 1, 1);
    }
    changes += 2 * cm_trace_hops(vcd->trace, vcd->range.first_cycle, vcd->range.end_cycle, NULL, 0);
    if (changes <= CM_EXPORT_VCD_CHANGES)
        return CM_OK;
    cm_error_set(err, CM_BAD_INPUT,
                 "a VCD of cycles %" PRIu64 " to %" PRIu64 " would hold more than %u value changes",
                 vcd->range.first_cycle, vcd->range.end_cycle, CM_EXPORT_VCD_CHANGES);
    cm_error_hint(
        err,
        "choose a part of the run with --from-cycle N and --to-cycle N: the first %" PRIu64
        " exchanges are too many already",
        exchanges);
    return CM_BAD_INPUT;
}

static void put_all(struct vcd *vcd)
{
    put_header(vcd);
    advance(vcd, time_of(vcd, vcd->range.first_cycle, 0, 0));
    cm_buffer_printf(vcd->text, "$dumpvars\n");
    put_unknown(vcd, ID_PHASE);
    put_unknown(vcd, ID_INSTRUCTION);
    put_idle(vcd, vcd->time);
    cm_buffer_printf(vcd->text, "$end\n");
}

enum cm_status cm_export_vcd(const struct cm_trace *trace, struct cm_export_range range,
                             struct cm_buffer *text, struct cm_error *err)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    uint32_t width = info->machine_dimensions * info->channels;
    struct vcd vcd = {.trace = trace,
                      .info = info,
                      .text = text,
                      .range = range,
                      .time = UINT64_MAX,
                      .width = width,
                      .phase = CM_TRACE_NONE,
                      .pc = CM_TRACE_NONE,
                      .row = info->machine_dimensions};
    vcd.picoseconds_a_unit = UINT64_C(1000000000) % info->clock_hz == 0 ? 1000 : 1;
    if (width == 0)
        return cm_error_set(err, CM_BAD_INPUT, "a machine of one node has no channels to show");
    enum cm_status status = check_size(&vcd, err);
    if (status != CM_OK)
        return status;
    vcd.words = calloc((size_t)info->nodes * width, sizeof *vcd.words);
    vcd.sent = calloc((size_t)info->nodes * width, sizeof *vcd.sent);
    vcd.shown = calloc(info->nodes, width);
    vcd.vector = calloc(1, width);
    if (vcd.words == NULL || vcd.sent == NULL || vcd.shown == NULL || vcd.vector == NULL) {
        status = cm_error_no_memory(err);
    } else {
        put_all(&vcd);
        status = put_events(&vcd, err);
    }
    free(vcd.words);
    free(vcd.sent);
    free(vcd.shown);
    free(vcd.vector);
    return status == CM_OK ? cm_export_end(trace, text, err) : status;
}

enum cm_status cm_export_gtkw(const struct cm_trace *trace, const char *vcd_name, uint32_t nodes,
                              struct cm_buffer *text, struct cm_error *err)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    uint32_t width = info->machine_dimensions * info->channels;
    cm_buffer_printf(
        text, "[*]\n[*] GTKWave save file of cm200 export\n[*]\n[dumpfile] \"%s\"\n[timestart] 0\n",
        vcd_name);
    cm_buffer_printf(text, "[treeopen] cm200.\n[treeopen] cm200.nodes.\n");
    cm_buffer_printf(text,
                     "@24\ncm200.sequencer.phase[3:0]\ncm200.sequencer.instruction[31:0]\n@28\n");
    for (uint32_t n = 0; n < info->nodes && n < nodes; n++)
        cm_buffer_printf(text, "cm200.nodes.node%" PRIu32 "[%" PRIu32 ":0]\n", n, width - 1);
    return cm_export_end(trace, text, err);
}
