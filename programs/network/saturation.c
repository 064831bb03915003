/* Search for the rate at which a network saturates, by bisection, and its place in reports. */
#include "saturation.h"

#include "network_private.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_narrow(const struct cm_saturation *found)
{
    return found->saturated - found->steady <= found->tolerance * found->saturated;
}

static enum cm_status try_rate(cm_saturation_try run, void *context, double rate,
                               struct cm_saturation *found, struct cm_error *err)
{
    bool saturated = false;
    double accepted = 0;
    enum cm_status status = run(context, rate, &saturated, &accepted, err);
    if (status != CM_OK)
        return status;
    found->runs++;
    if (saturated) {
        found->saturated = rate;
    } else {
        found->steady = rate;
        found->accepted = accepted;
    }
    return CM_OK;
}

/* The interval [steady, saturated] always has the rate that is searched for, if a network that is
 * saturated at one rate is saturated at every higher rate. */
enum cm_status cm_saturation_find(cm_saturation_try run, void *context, struct cm_saturation *found,
                                  struct cm_error *err)
{
    *found = (struct cm_saturation){.tolerance = found->tolerance};
    enum cm_status status = try_rate(run, context, 1, found, err);
    while (status == CM_OK && found->saturated > CM_SATURATION_LEAST && !is_narrow(found) &&
           found->runs < CM_SATURATION_RUNS_MAX)
        status = try_rate(run, context, (found->steady + found->saturated) / 2, found, err);
    return status;
}

static int by_rate(const void *a, const void *b)
{
    const struct cm_network_point *p = a, *q = b;
    return (p->offered > q->offered) - (p->offered < q->offered);
}

/* Search of a step. */
struct search {
    struct cm_network *network;
    const struct cm_network_watch *watch;
    cm_network_run_rate run;
    void *context;
};

/* Returns the number of halvings until the interval is narrow, for the progress report. */
static uint32_t halvings_left(const struct cm_saturation *found)
{
    struct cm_saturation at = *found;
    uint32_t count = 0;
    for (; at.saturated > CM_SATURATION_LEAST && !is_narrow(&at); count++) {
        double middle = (at.steady + at.saturated) / 2;
        if (at.steady > 0)
            at.steady = middle;
        else
            at.saturated = middle;
    }
    return count;
}

static enum cm_status run_point(void *context, double rate, bool *saturated, double *accepted,
                                struct cm_error *err)
{
    const struct search *search = context;
    struct cm_network *network = search->network;
    struct cm_network_report *report = &network->report;
    network->task.rate = rate;
    report->rate_count = report->point_count + 1; /* how many there will be is not known */
    enum cm_status status = search->run(search->context, err);
    *saturated = report->saturated;
    *accepted = report->throughput;
    return status;
}

static enum cm_status run_watched(void *context, double rate, bool *saturated, double *accepted,
                                  struct cm_error *err)
{
    const struct search *search = context;
    const struct cm_saturation *found = &search->network->report.saturation;
    enum cm_status status = run_point(context, rate, saturated, accepted, err);
    if (search->watch->progress != NULL && status == CM_OK)
        search->watch->progress(search->watch->context, "rate", found->runs + 1u,
                                found->runs + 1u + halvings_left(found));
    return status;
}

enum cm_status cm_network_search(struct cm_network *network, const struct cm_network_watch *watch,
                                 cm_network_run_rate run, void *context, struct cm_error *err)
{
    struct cm_network_report *report = &network->report;
    struct search search = {network, watch, run, context};
    free(report->points);
    report->point_count = 0;
    report->points = calloc(CM_SATURATION_RUNS_MAX, sizeof *report->points);
    if (report->points == NULL)
        return cm_error_no_memory(err);
    report->saturation.tolerance = network->step->find_saturation;
    enum cm_status status = cm_saturation_find(run_watched, &search, &report->saturation, err);
    if (report->point_count > 0)
        qsort(report->points, report->point_count, sizeof *report->points, by_rate);
    return status;
}

/* ---- reports ---- */

void cm_network_append_saturation(const struct cm_network_report *report, struct cm_buffer *text)
{
    const struct cm_saturation *found = &report->saturation;
    if (found->runs == 0)
        return;
    cm_buffer_printf(text, "\n  saturation         ");
    if (found->saturated <= 0)
        cm_buffer_printf(text, "not reached: rate 1 does not saturate the network");
    else if (found->steady <= 0)
        cm_buffer_printf(text, "below %.4g: every rate saturates the network", found->saturated);
    else
        cm_buffer_printf(text, "at rate %.4g: not saturated at %.4g, saturated at %.4g",
                         (found->steady + found->saturated) / 2, found->steady, found->saturated);
    cm_buffer_printf(text, "\n  found              by bisection to %.3g %%, %" PRIu32 " runs",
                     100 * found->tolerance, found->runs);
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
    const bool both = found->steady > 0 && found->saturated > 0;
    if (found->runs == 0)
        return;
    cm_json_write_compact(json, true);
    cm_json_write_object(json, "saturation");
    write_rate(json, "rate", both ? (found->steady + found->saturated) / 2 : 0);
    write_rate(json, "not_saturated_at", found->steady);
    write_rate(json, "saturated_at", found->saturated);
    write_rate(json, "throughput", found->accepted);
    cm_json_write_f64(json, "tolerance", found->tolerance);
    cm_json_write_u64(json, "runs", found->runs);
    cm_json_write_end(json);
    cm_json_write_compact(json, false);
}
