/* What the network did, as people and programs read it. */
#include "../network/network.h"
#include "result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAP_ROWS_MAX 64u

static uint64_t words_at(const struct cm_network_report *report, uint32_t index)
{
    return report->channels[index].words;
}

uint32_t cm_network_busiest(const struct cm_network_report *report,
                            uint32_t indices[CM_NETWORK_BUSIEST])
{
    uint32_t count = 0, all = report->nodes * report->dimensions * 2;
    for (uint32_t i = 0; report->channels != NULL && i < all; i++) {
        uint64_t words = words_at(report, i);
        if (words == 0 ||
            (count == CM_NETWORK_BUSIEST && words <= words_at(report, indices[count - 1])))
            continue;
        uint32_t at = count < CM_NETWORK_BUSIEST ? count++ : count - 1;
        for (; at > 0 && words > words_at(report, indices[at - 1]); at--)
            indices[at] = indices[at - 1];
        indices[at] = i;
    }
    return count;
}

static void append_busiest(const struct cm_network_report *report, struct cm_buffer *text)
{
    uint32_t indices[CM_NETWORK_BUSIEST];
    uint32_t count = cm_network_busiest(report, indices);
    if (count == 0)
        return;
    cm_buffer_printf(text,
                     "\n  busiest channels   node  dim  ch     words   blocked  for room  queue"
                     "  longest wait\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_router_channel *c = &report->channels[indices[i]];
        uint32_t d = report->dimensions;
        cm_buffer_printf(text,
                         "               %8" PRIu32 " %4" PRIu32 " %3" PRIu32 " %9" PRIu64
                         " %9" PRIu64 " %9" PRIu64 " %6" PRIu32,
                         indices[i] / 2 / d, indices[i] / 2 % d, indices[i] % 2, c->words,
                         c->blocked, c->blocked_room, c->longest_queue);
        if (c->longest_wait > 0)
            cm_buffer_printf(
                text, "  %" PRIu64 ": %" PRIu32 " to %" PRIu32 " behind %" PRIu32 " to %" PRIu32,
                c->longest_wait, c->waiter_source, c->waiter_destination, c->holder_source,
                c->holder_destination);
        cm_buffer_printf(text, "\n");
    }
}

static void append_latency(const struct cm_network_report *report, struct cm_buffer *text)
{
    const struct cm_traffic_latency *latency = &report->latency;
    cm_buffer_printf(text,
                     "  latency            mean %.1f, p50 %" PRIu64 ", p99 %" PRIu64
                     ", max %" PRIu64 " word times\n",
                     latency->mean, latency->p50, latency->p99, latency->max);
    if (report->routed)
        cm_buffer_printf(
            text, "                     of the mean: queueing %.1f, header %.1f, body %.1f\n",
            latency->queueing, latency->header, latency->body);
}

void cm_network_summary(const struct cm_network_report *report, struct cm_buffer *text)
{
    cm_buffer_printf(text, "\n  network            %" PRIu64 " step%s, %" PRIu64 " word times",
                     report->steps, report->steps == 1 ? "" : "s", report->word_times);
    if (report->timed)
        cm_buffer_printf(text, ", %.10g time units", report->time_units);
    if (report->formula[0] != '\0')
        cm_buffer_printf(text, "\n  textbook           %s", report->formula);
    cm_buffer_printf(text,
                     "\n  congestion         %" PRIu32 " message%s over one channel%s\n"
                     "  longest path       %" PRIu32 " channel%s\n"
                     "  delivered          %" PRIu64 ", %.4g words a node and word time\n",
                     report->congestion, report->congestion == 1 ? "" : "s",
                     report->routed ? "" : " in one step", report->path_length_max,
                     report->path_length_max == 1 ? "" : "s", report->delivered,
                     report->throughput);
    append_latency(report, text);
    if (report->open_loop)
        cm_buffer_printf(text, "  offered            %.4g words a node and word time%s\n",
                         report->offered,
                         report->saturated ? ": the network is SATURATED" : ", not saturated");
    if (report->routed) /* nothing waits in a plan: the common part tells the rest */
        append_busiest(report, text);
}

void cm_network_packets_csv(const struct cm_network_report *report, struct cm_buffer *text)
{
    cm_buffer_printf(text,
                     "source,destination,created,arrived,hops,latency,queueing,header,body\n");
    for (uint64_t i = 0; i < report->packet_count; i++) {
        const struct cm_router_delivery *p = &report->packets[i];
        uint64_t latency = p->arrived - p->created;
        uint64_t header = cm_router_header_time(&report->router, p->hops);
        uint64_t body = cm_router_body_time(&report->router, p->hops);
        cm_buffer_printf(text,
                         "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64
                         ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                         p->source, p->destination, p->created, p->arrived, p->hops, latency,
                         latency - header - body, header, body);
    }
}

/* Words by node (rows) and dimension (columns), both channels together, as shades. */
void cm_network_heatmap(const struct cm_network_report *report, unsigned style,
                        struct cm_buffer *text)
{
    static const char *const blocks[] = {" ", "\u2591", "\u2592", "\u2593", "\u2588"};
    static const char *const plain[] = {".", "-", "+", "*", "#"};
    const char *const *shades = (style & CM_SUMMARY_UTF8) != 0 ? blocks : plain;
    uint32_t d = report->dimensions;
    uint32_t rows = report->nodes < MAP_ROWS_MAX ? report->nodes : MAP_ROWS_MAX;
    uint32_t nodes = report->nodes / rows; /* of a row */
    uint64_t most = 0;
    if (report->channels == NULL || d == 0)
        return;
    uint64_t *cells = calloc((size_t)rows * d, sizeof *cells);
    if (cells == NULL) {
        text->failed = true;
        return;
    }
    for (uint32_t i = 0; i < report->nodes * d * 2; i++) {
        uint64_t *cell = &cells[(size_t)(i / 2 / d / nodes) * d + i / 2 % d];
        *cell += words_at(report, i);
        most = *cell > most ? *cell : most;
    }
    cm_buffer_printf(text, "\n  words by node and dimension; darkest: %" PRIu64 "\n\n  %11s", most,
                     "");
    for (uint32_t k = 0; k < d; k++)
        cm_buffer_printf(text, " %2" PRIu32, k);
    for (uint32_t r = 0; r < rows; r++) {
        cm_buffer_printf(text, "\n  %5" PRIu32, r * nodes);
        if (nodes > 1)
            cm_buffer_printf(text, "-%-5" PRIu32, (r + 1) * nodes - 1);
        else
            cm_buffer_printf(text, "%6s", "");
        for (uint32_t k = 0; k < d; k++) {
            uint64_t words = cells[(size_t)r * d + k];
            const char *shade = shades[words == 0 ? 0 : 1 + words * 3 / most];
            cm_buffer_printf(text, " %s%s", shade, shade);
        }
    }
    cm_buffer_printf(text, "\n");
    free(cells);
}

void cm_network_csv(const struct cm_network_report *report, struct cm_buffer *text)
{
    uint32_t d = report->dimensions;
    cm_buffer_printf(text,
                     "node,dimension,channel,packets,words,busy_word_times,blocked_word_times,"
                     "blocked_for_room,longest_queue,longest_wait,waiter_source,"
                     "waiter_destination,holder_source,holder_destination\n");
    for (uint32_t i = 0; report->channels != NULL && i < report->nodes * d * 2; i++) {
        const struct cm_router_channel *c = &report->channels[i];
        if (i % 2 >= report->router.channels)
            continue;
        cm_buffer_printf(text,
                         "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                         ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64,
                         i / 2 / d, i / 2 % d, i % 2, c->packets, c->words, c->words, c->blocked,
                         c->blocked_room, c->longest_queue, c->longest_wait);
        if (c->longest_wait > 0)
            cm_buffer_printf(text, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n",
                             c->waiter_source, c->waiter_destination, c->holder_source,
                             c->holder_destination);
        else
            cm_buffer_printf(text, ",,,,\n");
    }
}

/* A double that reads back as itself. */
static void append_double(struct cm_buffer *text, double value)
{
    char number[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value)
            break;
    }
    cm_buffer_printf(text, "%s", number);
}

static void append_busiest_json(const struct cm_network_report *report, const char *indent,
                                struct cm_buffer *text)
{
    uint32_t indices[CM_NETWORK_BUSIEST], d = report->dimensions;
    uint32_t count = cm_network_busiest(report, indices);
    cm_buffer_printf(text, "%s\"busiest\": [", indent);
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_router_channel *c = &report->channels[indices[i]];
        cm_buffer_printf(text,
                         "%s\n%s  {\"node\": %" PRIu32 ", \"dimension\": %" PRIu32
                         ", \"channel\": %" PRIu32 ", \"words\": %" PRIu64
                         ", \"blocked_word_times\": %" PRIu64 ", \"blocked_for_room\": %" PRIu64
                         ", \"longest_queue\": %" PRIu32 "}",
                         i > 0 ? "," : "", indent, indices[i] / 2 / d, indices[i] / 2 % d,
                         indices[i] % 2, c->words, c->blocked, c->blocked_room, c->longest_queue);
    }
    cm_buffer_printf(text, "%s%s],\n", count > 0 ? "\n" : "", count > 0 ? indent : "");
}

static void append_latency_json(const struct cm_network_report *report, const char *indent,
                                struct cm_buffer *text)
{
    const struct cm_traffic_latency *latency = &report->latency;
    cm_buffer_printf(text, "%s\"latency\": {\"mean\": ", indent);
    append_double(text, latency->mean);
    cm_buffer_printf(text, ", \"p50\": %" PRIu64 ", \"p99\": %" PRIu64 ", \"max\": %" PRIu64,
                     latency->p50, latency->p99, latency->max);
    cm_buffer_printf(text, ", \"queueing\": ");
    append_double(text, latency->queueing);
    cm_buffer_printf(text, ", \"header\": ");
    append_double(text, latency->header);
    cm_buffer_printf(text, ", \"body\": ");
    append_double(text, latency->body);
    cm_buffer_printf(text, "},\n");
}

void cm_network_json(const struct cm_network_report *report, const char *indent,
                     struct cm_buffer *text)
{
    cm_buffer_printf(text, "%s\"steps\": %" PRIu64 ",\n%s\"time_units\": ", indent, report->steps,
                     indent);
    if (report->timed)
        append_double(text, report->time_units);
    else
        cm_buffer_printf(text, "null");
    if (report->formula[0] != '\0')
        cm_buffer_printf(text, ",\n%s\"formula\": \"%s\",\n", indent, report->formula);
    else
        cm_buffer_printf(text, ",\n%s\"formula\": null,\n", indent);
    cm_buffer_printf(text,
                     "%s\"word_times\": %" PRIu64 ",\n%s\"path_length_max\": %" PRIu32
                     ",\n%s\"congestion\": %" PRIu32 ",\n%s\"dilation\": %" PRIu32 ",\n",
                     indent, report->word_times, indent, report->path_length_max, indent,
                     report->congestion, indent, report->dilation);
    append_latency_json(report, indent, text);
    cm_buffer_printf(text, "%s\"delivered\": %" PRIu64 ",\n%s\"throughput_words_per_node_cycle\": ",
                     indent, report->delivered, indent);
    append_double(text, report->throughput);
    cm_buffer_printf(text, ",\n");
    if (report->open_loop)
        cm_buffer_printf(text, "%s\"saturated\": %s,\n", indent,
                         report->saturated ? "true" : "false");
    if (report->routed)
        append_busiest_json(report, indent, text);
}
