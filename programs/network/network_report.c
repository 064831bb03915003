/* Writes reports of the network for people and programs. */
#include "../../report/numbers.h"
#include "../../report/style.h"
#include "network_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAP_ROWS_MAX 64u
#define SHARES_SHOWN 6u

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

const uint64_t *cm_network_blocked_by(const struct cm_network_report *report, uint32_t index)
{
    static const uint64_t none[CM_ROUTER_WAYS_MAX];
    uint32_t row = report->blocked_rows != NULL ? report->blocked_rows[index] : 0;
    return row == 0 ? none : report->blocked + (size_t)(row - 1) * CM_ROUTER_WAYS_MAX;
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

struct share {
    char name[24];
    uint64_t word_times;
};

static int compare_shares(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    return (x->word_times < y->word_times) - (x->word_times > y->word_times);
}

/* Writes, for the busiest channels for which packets waited, from which dimensions the blocking
 * packets came. */
static void append_blocked(const struct cm_network_report *report, struct cm_buffer *text)
{
    uint32_t indices[CM_NETWORK_BUSIEST], d = report->dimensions;
    uint32_t count = cm_network_busiest(report, indices);
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_router_channel *c = &report->channels[indices[i]];
        const uint64_t *by = cm_network_blocked_by(report, indices[i]);
        struct share shares[CM_ROUTER_DIMENSIONS_MAX + 2] = {
            {"its own node", by[CM_ROUTER_DIMENSIONS_MAX]},
            {"for room", c->blocked_room},
        };
        if (c->blocked == 0)
            continue;
        if (!any)
            cm_buffer_printf(text, "\n  blocked            node  dim  ch  behind packets from\n");
        any = true;
        for (uint32_t k = 0; k < d; k++) {
            snprintf(shares[2 + k].name, sizeof shares[2 + k].name, "dim %" PRIu32, k);
            shares[2 + k].word_times = by[k];
        }
        qsort(shares, d + 2, sizeof *shares, compare_shares);
        cm_buffer_printf(text, "               %8" PRIu32 " %4" PRIu32 " %3" PRIu32 " ",
                         indices[i] / 2 / d, indices[i] / 2 % d, indices[i] % 2);
        for (uint32_t k = 0; k < d + 2 && k < SHARES_SHOWN && shares[k].word_times > 0; k++)
            cm_buffer_printf(text, "%s %s %" PRIu64, k > 0 ? "," : "", shares[k].name,
                             shares[k].word_times);
        cm_buffer_printf(text, "\n");
    }
}

/* Returns the name of the unit of times, which differs between plans and the router. */
static const char *unit_of(const struct cm_network_report *report)
{
    return report->routed ? "word times" : "exchange times";
}

static void append_latency(const struct cm_network_report *report, struct cm_buffer *text)
{
    const struct cm_traffic_latency *latency = &report->latency;
    cm_buffer_printf(text,
                     "  latency            mean %.1f, p50 %" PRIu64 ", p99 %" PRIu64
                     ", max %" PRIu64 " %s\n",
                     latency->mean, latency->p50, latency->p99, latency->max, unit_of(report));
    if (report->routed)
        cm_buffer_printf(
            text, "                     of the mean: queueing %.1f, header %.1f, body %.1f\n",
            latency->queueing, latency->header, latency->body);
}

static void append_messages(const struct cm_network_report *report, struct cm_buffer *text)
{
    const struct cm_traffic_latency *latency = &report->message_latency;
    if (report->messages == 0)
        return;
    cm_buffer_printf(text,
                     "  messages           %" PRIu64 ", latency mean %.1f, p50 %" PRIu64
                     ", p99 %" PRIu64 ", max %" PRIu64 " word times\n",
                     report->messages, latency->mean, latency->p50, latency->p99, latency->max);
}

static void append_brief(const struct cm_network_report *report, struct cm_buffer *text)
{
    const struct cm_traffic_latency *latency = &report->latency;
    if (report->point_count > 0) {
        cm_network_append_points(report, text);
        cm_network_append_losses(report, text);
        cm_network_append_saturation(report, text);
        return;
    }
    cm_buffer_printf(text,
                     "\n    %" PRIu64 " step%s, %" PRIu64 " %s; %" PRIu64
                     " packet%s delivered, %.4g words a node and %.*s%s"
                     "\n    congestion %" PRIu32 ", longest path %" PRIu32
                     "; latency mean %.1f, p50 %" PRIu64 ", p99 %" PRIu64 ", max %" PRIu64 "\n",
                     report->steps, cm_plural(report->steps), report->word_times, unit_of(report),
                     report->delivered, cm_plural(report->delivered), report->throughput,
                     (int)strlen(unit_of(report)) - 1, unit_of(report),
                     report->saturated ? ": NOT STEADY" : "", report->congestion,
                     report->path_length_max, latency->mean, latency->p50, latency->p99,
                     latency->max);
    cm_network_append_losses(report, text);
}

void cm_network_summary(const struct cm_network_report *report, struct cm_buffer *text)
{
    if (report->point_count > 0) {
        cm_network_append_points(report, text);
        cm_network_append_losses(report, text);
        cm_network_append_saturation(report, text);
        return;
    }
    cm_buffer_printf(
        text, "\n  network            %" PRIu64 " step%s, %" PRIu64 " %s of %" PRIu64 " cycles",
        report->steps, cm_plural(report->steps), report->word_times, unit_of(report),
        report->unit_cycles);
    if (report->timed)
        cm_buffer_printf(text, ", %.10g time units", report->time_units);
    if (report->formula[0] != '\0')
        cm_buffer_printf(text, "\n  textbook           %s", report->formula);
    if (report->timed && report->formula[0] != '\0')
        cm_buffer_printf(text, " = %.10g time units", report->formula_units);
    cm_buffer_printf(text,
                     "\n  congestion         %" PRIu32 " message%s over one channel%s\n"
                     "  longest path       %" PRIu32 " channel%s\n"
                     "  delivered          %" PRIu64 ", %.4g words a node and %.*s\n",
                     report->congestion, cm_plural(report->congestion),
                     report->routed ? "" : " in one step", report->path_length_max,
                     cm_plural(report->path_length_max), report->delivered, report->throughput,
                     (int)strlen(unit_of(report)) - 1, unit_of(report));
    cm_network_append_losses(report, text);
    append_latency(report, text);
    append_messages(report, text);
    if (report->routed && report->to_self > 0)
        cm_buffer_printf(text,
                         "  to themselves      %" PRIu64 " of %" PRIu64
                         " packets, over no channel, with latency 0\n",
                         report->to_self, report->measured);
    if (report->open_loop)
        cm_network_append_rate(report, text);
    if (report->routed) { /* In a plan no packet waits, so only the router has more to report. */
        append_busiest(report, text);
        append_blocked(report, text);
    }
}

/* Writes the word times that packets waited, by the dimension over which the blocking packets came
 * into the node. */
static void write_blocked(const char *key, const uint64_t *ways, uint64_t room, uint32_t dimensions,
                          struct cm_json_writer *json)
{
    cm_json_write_object(json, key);
    cm_json_write_u64(json, "own", ways[CM_ROUTER_DIMENSIONS_MAX]);
    cm_json_write_numbers(json, "dimensions", ways, dimensions);
    cm_json_write_u64(json, "room", room);
    cm_json_write_end(json);
}

/* Writes the waiting times for each dimension, summed over all channels of the dimension, by the
 * dimension from which the blocking packets came. */
static void write_blocked_by_dimension(const struct cm_network_report *report,
                                       struct cm_json_writer *json)
{
    uint32_t d = report->dimensions;
    cm_json_write_list(json, "blocked_by_dimension");
    cm_json_write_compact(json, true);
    for (uint32_t dimension = 0; dimension < d; dimension++) {
        uint64_t sum[CM_ROUTER_WAYS_MAX] = {0}, room = 0;
        for (uint32_t i = 0; i < report->nodes * 2; i++) {
            uint32_t at = (i / 2 * d + dimension) * 2 + i % 2;
            const uint64_t *by = cm_network_blocked_by(report, at);
            room += report->channels[at].blocked_room;
            for (uint32_t k = 0; k < CM_ROUTER_WAYS_MAX; k++)
                sum[k] += by[k];
        }
        write_blocked(NULL, sum, room, d, json);
    }
    cm_json_write_compact(json, false);
    cm_json_write_end(json);
}

static void write_busiest(const struct cm_network_report *report, struct cm_json_writer *json)
{
    uint32_t indices[CM_NETWORK_BUSIEST], d = report->dimensions;
    uint32_t count = cm_network_busiest(report, indices);
    cm_json_write_list(json, "busiest");
    cm_json_write_compact(json, true);
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_router_channel *c = &report->channels[indices[i]];
        cm_json_write_object(json, NULL);
        cm_json_write_u64(json, "node", indices[i] / 2 / d);
        cm_json_write_u64(json, "dimension", indices[i] / 2 % d);
        cm_json_write_u64(json, "channel", indices[i] % 2);
        cm_json_write_u64(json, "words", c->words);
        cm_json_write_u64(json, "blocked_word_times", c->blocked);
        cm_json_write_u64(json, "blocked_for_room", c->blocked_room);
        cm_json_write_u64(json, "longest_queue", c->longest_queue);
        write_blocked("blocked_by", cm_network_blocked_by(report, indices[i]), c->blocked_room, d,
                      json);
        cm_json_write_end(json);
    }
    cm_json_write_compact(json, false);
    cm_json_write_end(json);
}

static void write_messages(const struct cm_network_report *report, struct cm_json_writer *json)
{
    const struct cm_traffic_latency *latency = &report->message_latency;
    if (report->messages == 0)
        return;
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "messages");
    cm_json_write_u64(json, "count", report->messages);
    cm_json_write_f64(json, "mean", latency->mean);
    cm_json_write_u64(json, "p50", latency->p50);
    cm_json_write_u64(json, "p99", latency->p99);
    cm_json_write_u64(json, "max", latency->max);
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
}

static void write_json(const struct cm_network_report *report, struct cm_json_writer *json)
{
    cm_json_write_u64(json, "steps", report->steps);
    if (report->timed)
        cm_json_write_f64(json, "time_units", report->time_units);
    else
        cm_json_write_null(json, "time_units");
    cm_json_write_string(json, "formula", report->formula[0] != '\0' ? report->formula : NULL);
    if (report->timed && report->formula[0] != '\0')
        cm_json_write_f64(json, "formula_time_units", report->formula_units);
    cm_json_write_u64(json, "word_times", report->word_times);
    cm_json_write_string(json, "word_time_of", report->routed ? "router" : "exchange");
    cm_json_write_u64(json, "word_time_cycles", report->unit_cycles);
    cm_json_write_u64(json, "path_length_max", report->path_length_max);
    cm_json_write_u64(json, "congestion", report->congestion);
    cm_json_write_u64(json, "dilation", report->dilation);
    cm_network_write_latency(&report->latency, report->open_loop ? &report->steady : NULL, json);
    cm_json_write_u64(json, "delivered", report->delivered);
    cm_json_write_f64(json, "throughput_words_per_node_cycle", report->throughput);
    if (report->routed)
        cm_json_write_u64(json, "to_self", report->to_self);
    write_messages(report, json);
    cm_network_write_losses(report, json);
    if (report->open_loop)
        cm_network_write_rate(report, json);
    if (report->point_count > 0)
        cm_network_write_points(report, json);
    cm_network_write_saturation(report, json);
    if (report->routed) {
        write_blocked_by_dimension(report, json);
        write_busiest(report, json);
    }
}

void cm_network_report_write(const struct cm_network_report *network, struct cm_report *report)
{
    if (report->text != NULL)
        append_brief(network, report->text);
    if (report->json != NULL)
        write_json(network, report->json);
}

/* Writes the number of words by node (rows) and dimension (columns), both channels together, as
 * shades. */
void cm_network_heatmap(const struct cm_network_report *report, unsigned style,
                        struct cm_buffer *text)
{
    static const char *const blocks[] = {" ", "\u2591", "\u2592", "\u2593", "\u2588"};
    static const char *const plain[] = {".", "-", "+", "*", "#"};
    const char *const *shades = (style & CM_STYLE_UTF8) != 0 ? blocks : plain;
    uint32_t d = report->dimensions;
    uint32_t rows = report->nodes < MAP_ROWS_MAX ? report->nodes : MAP_ROWS_MAX;
    uint32_t nodes = report->nodes / rows; /* number of nodes of a row */
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
