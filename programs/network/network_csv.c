/* Writes tables of channels, packets and rates as CSV. */
#include "../../report/csv.h"
#include "network_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

bool cm_network_is_partial(const struct cm_network_report *report)
{
    return report->routed && report->end == CM_ROUTER_STOPPED &&
           (report->rate_count == 0 || report->point_count > 0);
}

/* Returns true if channels have failed, so that packets may be lost. */
static bool has_failures(const struct cm_network_report *report)
{
    return report->router.failure_count > 0;
}

/* Ends the line of headings. An interrupted run has one more column, which says how far the run
 * came. */
static void end_headings(const struct cm_network_report *report, struct cm_csv *csv)
{
    if (cm_network_is_partial(report))
        cm_buffer_printf(csv->text, ",partial");
    cm_csv_end_row(csv);
}

/* Ends a row of a table. */
static void end_row(const struct cm_network_report *report, struct cm_csv *csv)
{
    char partial[64];
    if (report->rate_count > 0)
        snprintf(partial, sizeof partial, "%" PRIu32 " of %" PRIu32 " rates", report->point_count,
                 report->rate_count);
    else
        snprintf(partial, sizeof partial, "stopped after %" PRIu64 " word times",
                 report->word_times);
    if (cm_network_is_partial(report))
        cm_csv_string(csv, partial);
    cm_csv_end_row(csv);
}

void cm_network_packets_csv(const struct cm_network_report *report, struct cm_buffer *text)
{
    struct cm_csv csv;
    cm_csv_begin(&csv, text, NULL);
    cm_buffer_printf(text,
                     "source,destination,created,arrived,hops,latency,queueing,header,body,words");
    end_headings(report, &csv);
    for (uint64_t i = 0; i < report->packet_count; i++) {
        const struct cm_router_delivery *p = &report->packets[i];
        if (p->arrived > report->word_times && cm_network_is_partial(report))
            continue; /* The run was interrupted before the packet's last words arrived. */
        uint64_t latency = p->arrived - p->created;
        uint64_t header = cm_router_header_time(&report->router, p->hops);
        uint64_t body = cm_router_body_time(&report->router, p->hops);
        cm_csv_u64s(&csv, p->source, p->destination, p->created, p->arrived, p->hops, latency,
                    latency - header - body, header, body, report->router.words);
        end_row(report, &csv);
    }
}

static void csv_interval(double mean, double half, struct cm_csv *csv)
{
    if (half < 0) {
        cm_csv_empty(csv, 2);
        return;
    }
    cm_csv_f64(csv, fmax(mean - half, 0), 10);
    cm_csv_f64(csv, mean + half, 10);
}

static void points_csv(const struct cm_network_report *report, struct cm_buffer *text)
{
    struct cm_csv csv;
    cm_csv_begin(&csv, text, NULL);
    cm_buffer_printf(text,
                     "offered,accepted,mean,p50,p99,max,queueing,header,body,packets,word_times,"
                     "saturated,steady,mean_low,mean_high,accepted_low,accepted_high,bound%s",
                     has_failures(report) ? ",lost" : "");
    end_headings(report, &csv);
    for (uint32_t i = 0; i < report->point_count; i++) {
        const struct cm_network_point *point = &report->points[i];
        const struct cm_traffic_latency *latency = &point->latency;
        const struct cm_traffic_intervals *intervals = &point->steady.intervals;
        cm_csv_f64(&csv, point->offered, 10);
        cm_csv_f64(&csv, point->accepted, 10);
        cm_csv_f64(&csv, latency->mean, 10);
        cm_csv_u64s(&csv, latency->p50, latency->p99, latency->max);
        cm_csv_f64(&csv, latency->queueing, 10);
        cm_csv_f64(&csv, latency->header, 10);
        cm_csv_f64(&csv, latency->body, 10);
        cm_csv_u64s(&csv, point->measured, point->word_times, point->saturated);
        cm_csv_string(&csv, cm_network_answer(point->steady.verdict));
        csv_interval(latency->mean, intervals->latency, &csv);
        csv_interval(point->accepted, intervals->throughput, &csv);
        if (point->bound.rate > 0)
            cm_csv_f64(&csv, point->bound.rate, 10);
        else
            cm_csv_empty(&csv, 1);
        if (has_failures(report))
            cm_csv_u64(&csv, point->lost);
        end_row(report, &csv);
    }
}

static void channel_csv(const struct cm_network_report *report, uint32_t i, struct cm_csv *csv)
{
    const struct cm_router_channel *c = &report->channels[i];
    const uint64_t *by = cm_network_blocked_by(report, i);
    uint32_t d = report->dimensions;
    cm_csv_u64s(csv, i / 2 / d, i / 2 % d, i % 2, c->packets, c->words, c->words, c->blocked,
                c->blocked_room, c->longest_queue, c->longest_wait);
    if (c->longest_wait > 0)
        cm_csv_u64s(csv, c->waiter_source, c->waiter_destination, c->holder_source,
                    c->holder_destination);
    else
        cm_csv_empty(csv, 4);
    cm_csv_u64(csv, by[CM_ROUTER_DIMENSIONS_MAX]);
    cm_csv_numbers(csv, by, d);
    end_row(report, csv);
}

void cm_network_csv(const struct cm_network_report *report, struct cm_buffer *text)
{
    uint32_t d = report->dimensions;
    struct cm_csv csv;
    if (report->point_count > 0) {
        points_csv(report, text);
        return;
    }
    cm_csv_begin(&csv, text, NULL);
    cm_buffer_printf(text,
                     "node,dimension,channel,packets,words,busy_word_times,blocked_word_times,"
                     "blocked_for_room,longest_queue,longest_wait,waiter_source,"
                     "waiter_destination,holder_source,holder_destination,blocked_by_own");
    for (uint32_t k = 0; k < d; k++)
        cm_buffer_printf(text, ",blocked_by_dimension_%" PRIu32, k);
    end_headings(report, &csv);
    for (uint32_t i = 0; report->channels != NULL && i < report->nodes * d * 2; i++)
        if (i % 2 < report->router.channels)
            channel_csv(report, i, &csv);
}
