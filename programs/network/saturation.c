/* Search for the rate at which a network saturates, by bisection, and the part of reports
 * about it. */
#include "saturation.h"

#include "network_private.h"

#include <inttypes.h>
#include <stdlib.h>

/* Returns the next rate to try: the middle between two rates that are too far apart. Returns 0 if
 * the search is over. */
static double next_rate(const struct cm_saturation *found)
{
    const double *undecided = found->undecided, tolerance = found->tolerance;
    const double end = undecided[0] > 0 ? undecided[0] : found->saturated;
    if (found->rates == 0)
        return 1;
    if (end > CM_SATURATION_LEAST && end - found->steady > tolerance * end)
        return (found->steady + end) / 2;
    if (undecided[1] > 0 && found->saturated - undecided[1] > tolerance * found->saturated)
        return (undecided[1] + found->saturated) / 2;
    return 0;
}

/* Enters the verdict about a rate into the result. Undecided rates are forgotten if a rate at least
 * as high is steady, or if a rate at most as high is saturated. */
static void note(struct cm_saturation *found, double rate, enum cm_verdict verdict, double accepted)
{
    double *undecided = found->undecided;
    found->rates++;
    if (verdict == CM_VERDICT_NOT_DECIDED) {
        undecided[0] = undecided[0] > 0 && undecided[0] < rate ? undecided[0] : rate;
        undecided[1] = undecided[1] > rate ? undecided[1] : rate;
        return;
    }
    if (verdict == CM_VERDICT_STEADY) {
        found->steady = rate;
        found->accepted = accepted;
    } else {
        found->saturated = rate;
    }
    if (verdict == CM_VERDICT_STEADY ? undecided[1] <= rate : undecided[0] >= rate)
        undecided[0] = undecided[1] = 0;
}

/* Searches by halving intervals. [steady, saturated] always contains the rate that is searched for,
 * if a network that is saturated at one rate is saturated at every higher rate. */
enum cm_status cm_saturation_find(cm_saturation_try run, void *context, struct cm_saturation *found,
                                  struct cm_error *err)
{
    *found = (struct cm_saturation){.tolerance = found->tolerance};
    for (double rate; (rate = next_rate(found)) > 0 && found->rates < CM_SATURATION_RATES_MAX;) {
        enum cm_verdict verdict = CM_VERDICT_NOT_DECIDED;
        double accepted = 0;
        enum cm_status status = run(context, rate, &verdict, &accepted, err);
        if (status != CM_OK)
            return status;
        note(found, rate, verdict, accepted);
    }
    return CM_OK;
}

static int by_rate(const void *a, const void *b)
{
    const struct cm_network_point *p = a, *q = b;
    return (p->offered > q->offered) - (p->offered < q->offered);
}

/* State of the search for a step. */
struct search {
    struct cm_network *network;
    const struct cm_network_watch *watch;
    cm_network_run_rate run;
    void *context;
};

/* Returns how many more rates the search will try. Assumes that each rate turns out steady, or
 * saturated as long as no rate was steady. */
static uint32_t rates_left(const struct cm_saturation *found)
{
    struct cm_saturation at = *found;
    for (double rate; (rate = next_rate(&at)) > 0 && at.rates < CM_SATURATION_RATES_MAX;)
        note(&at, rate, at.steady > 0 ? CM_VERDICT_STEADY : CM_VERDICT_NOT_STEADY, 0);
    return at.rates - found->rates;
}

/* Prepares a longer measurement of the same rate. Returns false if the measurement must not become
 * longer. */
static bool lengthen(struct cm_network *network)
{
    const struct cm_network_step *step = network->step;
    const struct cm_traffic_steady *steady = &network->report.steady;
    struct cm_traffic_task *task = &network->task;
    const uint64_t most = CM_SATURATION_LONGER * step->task.measure;
    uint64_t longer = steady->measure_longer < most ? steady->measure_longer : most;
    if (steady->verdict != CM_VERDICT_NOT_DECIDED || longer <= task->measure || step->until > 0 ||
        (step->limit_given && task->warmup + longer > task->router.limit))
        return false;
    task->measure = longer;
    if (!step->limit_given)
        task->router.limit = cm_network_default_limit(task);
    network->report.point_count--;
    return true;
}

static enum cm_status run_rate(void *context, double rate, enum cm_verdict *verdict,
                               double *accepted, struct cm_error *err)
{
    const struct search *search = context;
    struct cm_network *network = search->network;
    struct cm_network_report *report = &network->report;
    const struct cm_saturation *found = &report->saturation;
    network->task.rate = rate;
    network->task.measure = network->step->task.measure;
    network->task.router.limit = network->step->task.router.limit;
    /* The number of rates to come is not known, so the report counts the rates up to this one. */
    report->rate_count = report->point_count + 1;
    enum cm_status status;
    do
        status = search->run(search->context, err);
    while (status == CM_OK && report->point_count > 0 && lengthen(network));
    *verdict = report->steady.verdict;
    *accepted = report->throughput;
    if (search->watch->progress != NULL && status == CM_OK)
        search->watch->progress(search->watch->context, "rate", found->rates + 1u,
                                found->rates + 1u + rates_left(found));
    return status;
}

enum cm_status cm_network_search(struct cm_network *network, const struct cm_network_watch *watch,
                                 cm_network_run_rate run, void *context, struct cm_error *err)
{
    struct cm_network_report *report = &network->report;
    struct search search = {network, watch, run, context};
    free(report->points);
    report->point_count = 0;
    report->points = calloc(CM_SATURATION_RATES_MAX, sizeof *report->points);
    if (report->points == NULL)
        return cm_error_no_memory(err);
    report->saturation.tolerance = network->step->find_saturation;
    enum cm_status status = cm_saturation_find(run_rate, &search, &report->saturation, err);
    if (report->point_count > 0)
        qsort(report->points, report->point_count, sizeof *report->points, by_rate);
    return status;
}

/* ---- reports ---- */

/* Appends the result if some rates between steady and saturated are undecided. */
static void append_undecided(const struct cm_saturation *found, struct cm_buffer *text)
{
    const double *undecided = found->undecided;
    cm_buffer_printf(text, "not decided at %.4g", undecided[0]);
    if (undecided[1] > undecided[0])
        cm_buffer_printf(text, " to %.4g", undecided[1]);
    cm_buffer_printf(text, " (measured up to %u times as long)", CM_SATURATION_LONGER);
    if (found->steady > 0)
        cm_buffer_printf(text, "; steady at %.4g", found->steady);
    if (found->saturated > 0)
        cm_buffer_printf(text, ", not steady at %.4g", found->saturated);
}

void cm_network_append_saturation(const struct cm_network_report *report, struct cm_buffer *text)
{
    const struct cm_saturation *found = &report->saturation;
    if (found->rates == 0)
        return;
    cm_buffer_printf(text, "\n  saturation         ");
    if (found->undecided[0] > 0)
        append_undecided(found, text);
    else if (found->saturated <= 0)
        cm_buffer_printf(text, "not reached: rate 1 does not saturate the network");
    else if (found->steady <= 0)
        cm_buffer_printf(text, "below %.4g: every rate saturates the network", found->saturated);
    else
        cm_buffer_printf(text, "at rate %.4g: steady at %.4g, not steady at %.4g",
                         (found->steady + found->saturated) / 2, found->steady, found->saturated);
    cm_buffer_printf(text, "\n  found              by bisection to %.3g %%, %" PRIu32 " rates",
                     100 * found->tolerance, found->rates);
    if (found->steady > 0)
        cm_buffer_printf(text, "; throughput %.4g at rate %.4g", found->accepted, found->steady);
    cm_buffer_printf(text, "\n");
}

static void write_rate(struct cm_json_writer *json, const char *key, double rate)
{
    if (rate > 0)
        cm_json_write_f64(json, key, rate);
    else
        cm_json_write_null(json, key);
}

void cm_network_write_saturation(const struct cm_network_report *report,
                                 struct cm_json_writer *json)
{
    const struct cm_saturation *found = &report->saturation;
    const bool both = found->steady > 0 && found->saturated > 0 && found->undecided[0] <= 0;
    if (found->rates == 0)
        return;
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "saturation");
    write_rate(json, "rate", both ? (found->steady + found->saturated) / 2 : 0);
    write_rate(json, "steady_at", found->steady);
    write_rate(json, "not_steady_at", found->saturated);
    write_rate(json, "throughput", found->accepted);
    write_rate(json, "undecided_from", found->undecided[0]);
    write_rate(json, "undecided_to", found->undecided[1]);
    cm_json_write_f64(json, "tolerance", found->tolerance);
    cm_json_write_u64(json, "rates", found->rates);
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
}
