/* Writes what is known about rates of open-loop traffic: verdicts, intervals, bounds, balances of
 * packets. */
#include "../../report/numbers.h"
#include "confidence.h"
#include "network_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- words ---- */

static const char *const verdict_names[] = {"steady", "not steady", "not decided"};

const char *cm_network_answer(enum cm_verdict verdict)
{
    static const char *const answers[] = {"yes", "no", "undecided"};
    return answers[verdict];
}

/* Two texts for each reason of a verdict about the steady state: for a certain verdict, and for an
 * undecided one. */
static const char *const reasons[][2] = {
    [CM_STEADY_NO_REASON] = {NULL, NULL},
    [CM_STEADY_BOUND] = {"the rate reaches the bound", NULL},
    [CM_STEADY_OUTSTANDING] = {"measured packets are still missing", NULL},
    [CM_STEADY_LIMIT] = {NULL, "the limit ended the run"},
    [CM_STEADY_BACKLOG] = {"more and more packets are in flight", "packets in flight may grow"},
    [CM_STEADY_SOURCE] = {"more and more packets of a node are in flight",
                          "packets of a node in flight may grow"},
    [CM_STEADY_WIRE] = {"more and more packets are in flight for a wire",
                        "packets in flight for a wire may grow"},
    [CM_STEADY_WARMUP] = {NULL, "the packets in flight still settle"},
    [CM_STEADY_WANDERS] = {NULL, "the packets in flight wander"},
    [CM_STEADY_DRIFT] = {NULL, "latencies drift"},
    [CM_STEADY_BUSY] = {NULL, "a wire or a node's link is nearly always busy"},
    [CM_STEADY_FEW_PACKETS] = {NULL, "there are few packets"},
    [CM_STEADY_SEEDS] = {NULL, "the seeds disagree"},
};

static const char *reason_of(enum cm_verdict verdict, enum cm_steady_reason reason)
{
    return reasons[reason][verdict == CM_VERDICT_NOT_DECIDED];
}

static const char *const bound_names[] = {[CM_TRAFFIC_BOUND_INJECTION] = "injection",
                                          [CM_TRAFFIC_BOUND_WIRE] = "wire",
                                          [CM_TRAFFIC_BOUND_CUT] = "cut",
                                          [CM_TRAFFIC_BOUND_NODE] = "node"};

/* Returns the accepted rate as a share of the bound, or 0 if the bound is unknown. */
static double share_of(double accepted, const struct cm_traffic_bound *bound)
{
    return bound->rate > 0 ? accepted / bound->rate : 0;
}

/* ---- text ---- */

static void append_verdict(const struct cm_traffic_steady *steady, struct cm_buffer *text)
{
    const char *reason = reason_of(steady->verdict, steady->reason);
    cm_buffer_printf(text, "%s%s%s", verdict_names[steady->verdict], reason != NULL ? ": " : "",
                     reason != NULL ? reason : "");
    if (steady->measure_longer > 0)
        cm_buffer_printf(text, " (try --measure %" PRIu64 ")", steady->measure_longer);
}

/* Writes a mean with as many digits as its 95 % interval justifies, and half the width of the
 * interval. */
static void append_interval(const char *what, double mean, double half, struct cm_buffer *text)
{
    if (half < 0) {
        cm_buffer_printf(text, "%s%.4g", what, mean);
        return;
    }
    const int wanted = cm_interval_decimals(half), decimals = wanted < 4 ? wanted : 4;
    cm_buffer_printf(text, "%s%.*f +- %.*f", what, decimals, mean, decimals, half);
}

static void append_bound(const struct cm_network_report *report, struct cm_buffer *text)
{
    const struct cm_traffic_bound *bound = &report->bound;
    if (bound->rate <= 0)
        return;
    cm_buffer_printf(text, "  bound              %.4g words a node and word time, by ",
                     bound->rate);
    if (bound->kind == CM_TRAFFIC_BOUND_WIRE)
        cm_buffer_printf(text, "the wire of node %" PRIu32 " in dimension %" PRIu32, bound->node,
                         bound->dimension);
    else if (bound->kind == CM_TRAFFIC_BOUND_CUT)
        cm_buffer_printf(text, "the wires of dimension %" PRIu32, bound->dimension);
    else if (bound->kind == CM_TRAFFIC_BOUND_NODE)
        cm_buffer_printf(text, "the wires into node %" PRIu32, bound->node);
    else
        cm_buffer_printf(text, "what a node can send");
    cm_buffer_printf(text, "; %.0f %% of it was accepted\n",
                     100 * share_of(report->throughput, bound));
}

/* Writes the length of the measurement, and the wire or node of the verdict. If the bound already
 * decides, also writes the verdict from the measurement. */
static void append_measured(const struct cm_traffic_steady *steady, struct cm_buffer *text)
{
    const char *reason = reason_of(steady->measured_verdict, steady->measured_reason);
    cm_buffer_printf(text, "  measured           %s word times after %s, with 95 %% intervals",
                     cm_format_count(steady->measure).text, cm_format_count(steady->warmup).text);
    if (steady->reason == CM_STEADY_BOUND)
        cm_buffer_printf(text, ": %s%s%s", verdict_names[steady->measured_verdict],
                         reason != NULL ? ", " : "", reason != NULL ? reason : "");
    cm_buffer_printf(text, "\n");
    if (steady->busy > 0 && steady->has_dimension)
        cm_buffer_printf(text,
                         "  wire               of node %" PRIu32 " in dimension %" PRIu32
                         "; the busiest was busy %.1f %% of the time\n",
                         steady->node, steady->dimension, 100 * steady->busy);
    else if (steady->reason == CM_STEADY_SOURCE)
        cm_buffer_printf(text, "  node               %" PRIu32 "\n", steady->node);
}

static void append_balance(const struct cm_traffic_balance *balance, struct cm_buffer *text)
{
    cm_buffer_printf(text, "  packets            %s in flight + %s created = %s delivered + ",
                     cm_format_count(balance->before).text, cm_format_count(balance->created).text,
                     cm_format_count(balance->delivered).text);
    if (balance->lost > 0)
        cm_buffer_printf(text, "%s lost + ", cm_format_count(balance->lost).text);
    cm_buffer_printf(text, "%s in flight; mean %.4g in flight\n",
                     cm_format_count(balance->after).text, balance->mean);
}

static void append_replications(const struct cm_traffic_replications *all, struct cm_buffer *text)
{
    if (all->seeds < 2)
        return;
    cm_buffer_printf(text,
                     "  seeds              %" PRIu32 ", steady %" PRIu32 ", not steady %" PRIu32,
                     all->seeds, all->steady, all->not_steady);
    append_interval("; latency ", all->latency, all->intervals.latency, text);
    append_interval(", accepted ", all->throughput, all->intervals.throughput, text);
    cm_buffer_printf(text, "\n");
}

void cm_network_append_rate(const struct cm_network_report *report, struct cm_buffer *text)
{
    const struct cm_traffic_steady *steady = &report->steady;
    cm_buffer_printf(text, "  offered            %.4g words a node and word time, ",
                     report->offered);
    append_verdict(steady, text);
    cm_buffer_printf(text, "\n");
    append_measured(steady, text);
    append_bound(report, text);
    append_interval("  accepted           ", report->throughput, steady->intervals.throughput,
                    text);
    cm_buffer_printf(text, " words a node and word time; nodes %.4g to %.4g\n", steady->least,
                     steady->most);
    append_interval("  mean latency       ", report->latency.mean, steady->intervals.latency, text);
    cm_buffer_printf(text, " word times");
    if (report->bound.rate > 0)
        cm_buffer_printf(text, "; without load %.4g, over %.3g channels",
                         report->bound.zero_load_latency, report->bound.mean_hops);
    cm_buffer_printf(text, "\n");
    if (report->until > 0 && !report->narrow)
        cm_buffer_printf(text, "  interval           wider than %.4g %% of the mean\n",
                         100 * report->until);
    append_balance(&steady->balance, text);
    append_replications(&report->replications, text);
    if (report->end == CM_ROUTER_LIMIT)
        cm_buffer_printf(text,
                         "  stopped            at the limit of %" PRIu64 " word times: %" PRIu64
                         " of %" PRIu64 " packets have not arrived\n",
                         report->router.limit, report->sent - report->delivered - report->lost,
                         report->sent);
}

void cm_network_append_points(const struct cm_network_report *report, struct cm_buffer *text)
{
    cm_buffer_printf(text, "\n  %8s %9s %9s %7s %7s %7s %7s %10s  %s\n", "offered", "accepted",
                     "latency", "+-", "p50", "p99", "max", "queueing", "state");
    for (uint32_t i = 0; i < report->point_count; i++) {
        const struct cm_network_point *point = &report->points[i];
        const struct cm_traffic_latency *latency = &point->latency;
        const double half = point->steady.intervals.latency;
        const int decimals = half < 0 || cm_interval_decimals(half) > 0 ? 1 : 0;
        cm_buffer_printf(text, "  %8.4g %9.4f %9.*f ", point->offered, point->accepted, decimals,
                         latency->mean);
        if (half >= 0)
            cm_buffer_printf(text, "%7.*f", decimals, half);
        else
            cm_buffer_printf(text, "%7s", "?");
        cm_buffer_printf(text, " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %10.*f  ", latency->p50,
                         latency->p99, latency->max, decimals, latency->queueing);
        append_verdict(&point->steady, text);
        cm_buffer_printf(text, "\n");
    }
    if (report->point_count > 0 && report->bound.rate > 0)
        cm_buffer_printf(text,
                         "  bound %.4g words a node and word time, latency without load %.1f\n",
                         report->bound.rate, report->bound.zero_load_latency);
    cm_buffer_printf(text, "  words a node and word time; word times\n");
}

/* ---- JSON ---- */

static void write_interval(const char *key, double mean, double half, struct cm_json_writer *json)
{
    if (half < 0) {
        cm_json_write_null(json, key);
        return;
    }
    cm_json_write_list(json, key);
    cm_json_write_f64(json, NULL, fmax(mean - half, 0));
    cm_json_write_f64(json, NULL, mean + half);
    cm_json_write_end(json);
}

void cm_network_write_latency(const struct cm_traffic_latency *latency,
                              const struct cm_traffic_steady *steady, struct cm_json_writer *json)
{
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "latency");
    cm_json_write_f64(json, "mean", latency->mean);
    if (steady != NULL)
        write_interval("interval", latency->mean, steady->intervals.latency, json);
    cm_json_write_u64(json, "p50", latency->p50);
    cm_json_write_u64(json, "p99", latency->p99);
    cm_json_write_u64(json, "max", latency->max);
    cm_json_write_f64(json, "queueing", latency->queueing);
    cm_json_write_f64(json, "header", latency->header);
    cm_json_write_f64(json, "body", latency->body);
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
}

static void write_bound(const struct cm_traffic_bound *bound, double accepted,
                        struct cm_json_writer *json)
{
    if (bound->rate <= 0) {
        cm_json_write_null(json, "throughput_bound");
        return;
    }
    cm_json_write_f64(json, "throughput_bound", bound->rate);
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "bound_by");
    cm_json_write_string(json, "kind", bound_names[bound->kind]);
    if (bound->kind == CM_TRAFFIC_BOUND_WIRE || bound->kind == CM_TRAFFIC_BOUND_NODE)
        cm_json_write_u64(json, "node", bound->node);
    if (bound->kind == CM_TRAFFIC_BOUND_WIRE || bound->kind == CM_TRAFFIC_BOUND_CUT)
        cm_json_write_u64(json, "dimension", bound->dimension);
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
    cm_json_write_f64(json, "bound_share", share_of(accepted, bound));
    cm_json_write_f64(json, "zero_load_latency", bound->zero_load_latency);
    cm_json_write_f64(json, "mean_hops", bound->mean_hops);
}

static void write_balance(const struct cm_traffic_balance *balance, struct cm_json_writer *json)
{
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "balance");
    cm_json_write_u64(json, "in_flight_before", balance->before);
    cm_json_write_u64(json, "created", balance->created);
    cm_json_write_u64(json, "delivered", balance->delivered);
    if (balance->lost > 0)
        cm_json_write_u64(json, "lost", balance->lost);
    cm_json_write_u64(json, "in_flight_after", balance->after);
    cm_json_write_f64(json, "mean_in_flight", balance->mean);
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
}

static void write_replications(const struct cm_traffic_replications *all,
                               struct cm_json_writer *json)
{
    if (all->seeds < 2)
        return;
    cm_json_write_object(json, "replications");
    cm_json_write_u64(json, "seeds", all->seeds);
    cm_json_write_u64(json, "steady", all->steady);
    cm_json_write_u64(json, "not_steady", all->not_steady);
    cm_json_write_compact(json, true);
    cm_json_write_f64(json, "latency", all->latency);
    write_interval("latency_interval", all->latency, all->intervals.latency, json);
    cm_json_write_f64(json, "throughput", all->throughput);
    write_interval("throughput_interval", all->throughput, all->intervals.throughput, json);
    cm_json_write_compact(json, false);
    cm_json_write_end(json);
}

/* Writes the verdict, its reason, and the wire or node that it names. */
static void write_verdict(const struct cm_traffic_steady *steady, struct cm_json_writer *json)
{
    cm_json_write_bool(json, "saturated", steady->verdict == CM_VERDICT_NOT_STEADY);
    cm_json_write_string(json, "steady", cm_network_answer(steady->verdict));
    cm_json_write_string(json, "reason", reason_of(steady->verdict, steady->reason));
    cm_json_write_string(json, "measured_steady", cm_network_answer(steady->measured_verdict));
    cm_json_write_string(json, "measured_reason",
                         reason_of(steady->measured_verdict, steady->measured_reason));
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "wire");
    cm_json_write_u64(json, "node", steady->node);
    if (steady->has_dimension)
        cm_json_write_u64(json, "dimension", steady->dimension);
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
    if (steady->measure_longer > 0)
        cm_json_write_u64(json, "measure_longer", steady->measure_longer);
}

static void write_steady(const struct cm_traffic_bound *bound,
                         const struct cm_traffic_steady *steady, double accepted,
                         struct cm_json_writer *json)
{
    write_verdict(steady, json);
    cm_json_write_u64(json, "warmup", steady->warmup);
    cm_json_write_u64(json, "measure", steady->measure);
    cm_json_write_f64(json, "busiest_share", steady->busy);
    write_bound(bound, accepted, json);
    cm_json_write_compact(json, true);
    write_interval("throughput_interval", accepted, steady->intervals.throughput, json);
    cm_json_write_object(json, "accepted_by_node");
    cm_json_write_f64(json, "least", steady->least);
    cm_json_write_f64(json, "most", steady->most);
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
    write_balance(&steady->balance, json);
}

void cm_network_write_rate(const struct cm_network_report *report, struct cm_json_writer *json)
{
    write_steady(&report->bound, &report->steady, report->throughput, json);
    if (report->until > 0)
        cm_json_write_bool(json, "until_reached", report->narrow);
    cm_json_write_u64(json, "created", report->sent);
    cm_json_write_u64(json, "in_flight", report->sent - report->delivered);
    write_replications(&report->replications, json);
}

void cm_network_write_points(const struct cm_network_report *report, struct cm_json_writer *json)
{
    cm_json_write_list(json, "rates");
    for (uint32_t i = 0; i < report->point_count; i++) {
        const struct cm_network_point *point = &report->points[i];
        cm_json_write_object(json, NULL);
        cm_json_write_f64(json, "offered", point->offered);
        cm_json_write_f64(json, "accepted", point->accepted);
        cm_network_write_latency(&point->latency, &point->steady, json);
        cm_json_write_u64(json, "packets", point->measured);
        cm_json_write_u64(json, "word_times", point->word_times);
        write_steady(&point->bound, &point->steady, point->accepted, json);
        write_replications(&point->replications, json);
        cm_json_write_end(json);
    }
    cm_json_write_end(json);
}
