/*
 * Further runs at a rate of open-loop traffic: longer runs until the interval of the mean latency
 * is small, and replications with other seeds. Their packets carry no words, and neither observers
 * nor the machine's clock see these runs.
 */
#include "confidence.h"
#include "network_private.h"

#include <stdlib.h>

#define PACKETS_MAX  1e8 /* most measured packets of a run, which take 8 bytes each */
#define LONGER_LEAST 2.0
#define LONGER_MOST  16.0
/* factor for safety, because the width of an interval is itself an estimate */
#define LONGER_SPARE 1.1

/* Runs a task without contents of packets, observer and progress. */
static enum cm_status run_apart(const struct cm_traffic_task *task,
                                struct cm_traffic_result *result, struct cm_error *err)
{
    struct cm_traffic_task apart = *task;
    struct cm_router *router;
    apart.keep = 0;
    apart.load = NULL;
    apart.unload = NULL;
    apart.lose = NULL;
    apart.observer = NULL;
    apart.progress = NULL;
    enum cm_status status = cm_router_create(&apart.router, &router, err);
    if (status != CM_OK)
        return status;
    status = cm_traffic_send(router, &apart, result, err);
    cm_router_destroy(router);
    if (status == CM_OK && result->router.end == CM_ROUTER_STOPPED)
        status = cm_error_set(err, CM_INTERRUPTED, "interrupted");
    return status;
}

bool cm_network_is_narrow(const struct cm_traffic_result *result, double until)
{
    const double half = result->steady.intervals.latency;
    return half >= 0 && half <= until * result->latency.mean;
}

/* Returns by which factor the measurement must become longer, estimated from the width of its
 * interval. */
static double factor_of(const struct cm_traffic_result *result, double until)
{
    const double half = result->steady.intervals.latency;
    const double ratio =
        half < 0 || result->latency.mean <= 0 ? LONGER_MOST : half / (until * result->latency.mean);
    const double factor = LONGER_SPARE * ratio * ratio;
    return factor < LONGER_LEAST ? LONGER_LEAST : factor > LONGER_MOST ? LONGER_MOST : factor;
}

enum cm_status cm_network_lengthen(struct cm_network *network, struct cm_error *err)
{
    const struct cm_network_step *step = network->step;
    struct cm_traffic_task *task = &network->task;
    const double nodes = (double)(UINT32_C(1) << task->router.dimensions);
    const double most = PACKETS_MAX * task->router.words / (nodes * task->rate);
    task->measure = step->task.measure;
    task->router.limit = step->task.router.limit;
    for (;;) {
        struct cm_traffic_result result;
        enum cm_status status = run_apart(task, &result, err);
        if (status != CM_OK)
            return status;
        const enum cm_verdict verdict = result.steady.verdict;
        if (result.router.end == CM_ROUTER_DEADLOCK || verdict == CM_VERDICT_NOT_STEADY ||
            (verdict == CM_VERDICT_STEADY && cm_network_is_narrow(&result, step->until)))
            return CM_OK;
        const double longer = (double)task->measure * factor_of(&result, step->until);
        if (longer > most || longer > CM_NETWORK_MEASURE_MAX ||
            (step->limit_given && longer > (double)(task->router.limit - task->warmup)))
            return CM_OK;
        task->measure = (uint64_t)longer;
        if (!step->limit_given)
            task->router.limit = cm_network_default_limit(task);
    }
}

uint64_t cm_network_default_limit(const struct cm_traffic_task *task)
{
    return 10 * (task->warmup + task->measure);
}

/* Combines the verdicts for all seeds. If the seeds disagree, the verdict is not decided. */
static void combine(const struct cm_traffic_replications *all, struct cm_traffic_steady *steady)
{
    if (steady->reason == CM_STEADY_BOUND || all->steady == all->seeds ||
        all->not_steady == all->seeds)
        return;
    steady->verdict = CM_VERDICT_NOT_DECIDED;
    steady->reason = CM_STEADY_SEEDS;
    if (steady->measure_longer == 0)
        steady->measure_longer = 4 * steady->measure;
}

enum cm_status cm_network_replicate(const struct cm_network *network,
                                    struct cm_traffic_result *first, struct cm_error *err)
{
    struct cm_traffic_replications *all = &first->replications;
    const uint32_t seeds = network->step->seeds;
    struct cm_traffic_task task = network->task;
    double *means = malloc(2 * (size_t)seeds * sizeof *means);
    enum cm_status status = means == NULL ? cm_error_no_memory(err) : CM_OK;
    struct cm_traffic_result result = *first;
    all->seeds = seeds;
    for (uint32_t i = 0; status == CM_OK && i < seeds; i++) {
        if (i > 0) {
            task.seed++;
            task.router.seed++;
            status = run_apart(&task, &result, err);
        }
        if (status != CM_OK)
            break;
        means[i] = result.latency.mean;
        means[seeds + i] = result.throughput;
        all->steady += result.steady.verdict == CM_VERDICT_STEADY;
        all->not_steady += result.steady.verdict == CM_VERDICT_NOT_STEADY;
    }
    if (status == CM_OK) {
        const struct cm_interval latency = cm_interval_of_means(means, seeds);
        const struct cm_interval throughput = cm_interval_of_means(means + seeds, seeds);
        all->latency = latency.mean;
        all->throughput = throughput.mean;
        all->intervals =
            (struct cm_traffic_intervals){.latency = latency.half, .throughput = throughput.half};
        combine(all, &first->steady);
        first->saturated = first->steady.verdict == CM_VERDICT_NOT_STEADY;
    }
    free(means);
    return status;
}
