/* What the network did, as JSON. */
#include "../../base/json_text.h"
#include "../network/network.h"

#include <inttypes.h>

/* Word times waited, by where the packets that were in the way came from. */
static void append_blocked_by(const uint64_t *ways, uint64_t room, uint32_t dimensions,
                              struct cm_buffer *text)
{
    cm_buffer_printf(text, "{\"own\": %" PRIu64 ", \"dimensions\": [",
                     ways[CM_ROUTER_DIMENSIONS_MAX]);
    for (uint32_t k = 0; k < dimensions; k++)
        cm_buffer_printf(text, "%s%" PRIu64, k > 0 ? ", " : "", ways[k]);
    cm_buffer_printf(text, "], \"room\": %" PRIu64 "}", room);
}

/* The same over all channels of each dimension. */
static void append_blocked_json(const struct cm_network_report *report, const char *indent,
                                struct cm_buffer *text)
{
    uint32_t d = report->dimensions;
    cm_buffer_printf(text, "%s\"blocked_by_dimension\": [", indent);
    for (uint32_t dimension = 0; dimension < d; dimension++) {
        uint64_t sum[CM_ROUTER_WAYS_MAX] = {0}, room = 0;
        for (uint32_t i = 0; i < report->nodes * 2; i++) {
            uint32_t at = (i / 2 * d + dimension) * 2 + i % 2;
            const uint64_t *by = cm_network_blocked_by(report, at);
            room += report->channels[at].blocked_room;
            for (uint32_t k = 0; k < CM_ROUTER_WAYS_MAX; k++)
                sum[k] += by[k];
        }
        cm_buffer_printf(text, "%s\n%s  ", dimension > 0 ? "," : "", indent);
        append_blocked_by(sum, room, d, text);
    }
    cm_buffer_printf(text, "%s%s],\n", d > 0 ? "\n" : "", d > 0 ? indent : "");
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
                         ", \"longest_queue\": %" PRIu32 ", \"blocked_by\": ",
                         i > 0 ? "," : "", indent, indices[i] / 2 / d, indices[i] / 2 % d,
                         indices[i] % 2, c->words, c->blocked, c->blocked_room, c->longest_queue);
        append_blocked_by(cm_network_blocked_by(report, indices[i]), c->blocked_room, d, text);
        cm_buffer_printf(text, "}");
    }
    cm_buffer_printf(text, "%s%s],\n", count > 0 ? "\n" : "", count > 0 ? indent : "");
}

static void append_latency_json(const struct cm_traffic_latency *latency, struct cm_buffer *text)
{
    cm_buffer_printf(text, "{\"mean\": ");
    cm_json_append_double(text, latency->mean);
    cm_buffer_printf(text, ", \"p50\": %" PRIu64 ", \"p99\": %" PRIu64 ", \"max\": %" PRIu64,
                     latency->p50, latency->p99, latency->max);
    cm_buffer_printf(text, ", \"queueing\": ");
    cm_json_append_double(text, latency->queueing);
    cm_buffer_printf(text, ", \"header\": ");
    cm_json_append_double(text, latency->header);
    cm_buffer_printf(text, ", \"body\": ");
    cm_json_append_double(text, latency->body);
    cm_buffer_printf(text, "}");
}

static void append_points_json(const struct cm_network_report *report, const char *indent,
                               struct cm_buffer *text)
{
    cm_buffer_printf(text, "%s\"rates\": [", indent);
    for (uint32_t i = 0; i < report->point_count; i++) {
        const struct cm_network_point *point = &report->points[i];
        cm_buffer_printf(text, "%s\n%s  {\"offered\": ", i > 0 ? "," : "", indent);
        cm_json_append_double(text, point->offered);
        cm_buffer_printf(text, ", \"accepted\": ");
        cm_json_append_double(text, point->accepted);
        cm_buffer_printf(text, ", \"latency\": ");
        append_latency_json(&point->latency, text);
        cm_buffer_printf(
            text, ", \"packets\": %" PRIu64 ", \"word_times\": %" PRIu64 ", \"saturated\": %s}",
            point->measured, point->word_times, point->saturated ? "true" : "false");
    }
    cm_buffer_printf(text, "\n%s],\n", indent);
}

void cm_network_json(const struct cm_network_report *report, const char *indent,
                     struct cm_buffer *text)
{
    cm_buffer_printf(text, "%s\"steps\": %" PRIu64 ",\n%s\"time_units\": ", indent, report->steps,
                     indent);
    if (report->timed)
        cm_json_append_double(text, report->time_units);
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
    cm_buffer_printf(text, "%s\"latency\": ", indent);
    append_latency_json(&report->latency, text);
    cm_buffer_printf(text, ",\n");
    cm_buffer_printf(text, "%s\"delivered\": %" PRIu64 ",\n%s\"throughput_words_per_node_cycle\": ",
                     indent, report->delivered, indent);
    cm_json_append_double(text, report->throughput);
    cm_buffer_printf(text, ",\n");
    if (report->open_loop)
        cm_buffer_printf(text, "%s\"saturated\": %s,\n", indent,
                         report->saturated ? "true" : "false");
    if (report->point_count > 0)
        append_points_json(report, indent, text);
    if (!report->routed)
        return;
    append_blocked_json(report, indent, text);
    append_busiest_json(report, indent, text);
}
