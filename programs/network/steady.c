/*
 * Judges open-loop measurements by trend of the backlog, drift of the latency, and bound. A trend
 * is a slope by least squares in terms of its standard error, which the autocorrelation of the
 * residuals widens.
 */
#include "steady.h"

#include <math.h>

#define BATCHES        CM_TRAFFIC_BATCHES
#define T_QUANTILE     2.093 /* Student's t, 97.5 %, BATCHES - 1 degrees of freedom */
#define BOUND_MARGIN   1e-9  /* of rounding: a rate at its bound is measured */
#define TREND_CERTAIN  4.0   /* standard errors from which a trend is certain ... */
#define TREND_POSSIBLE 2.0   /* ... and from which it is possible */
#define GROWTH_LEAST   0.1   /* growth over the measurement that counts, in terms of the mean */
#define WIDE           0.25  /* half width of the latency's interval, in terms of the mean */

/* Line through values at equal distances: growth over all of them, its standard error, the mean. */
struct line {
    double growth, error, mean;
};

uint32_t cm_batch_of(const struct cm_traffic_task *task, uint64_t time)
{
    return (uint32_t)((time - task->warmup) * BATCHES / task->measure);
}

/* Returns the first autocorrelation of values around `fit`, at least 0 and below 1. */
static double correlation_of(const double *residuals)
{
    double squares = 0, products = 0;
    for (uint32_t i = 0; i < BATCHES; i++) {
        squares += residuals[i] * residuals[i];
        products += i > 0 ? residuals[i] * residuals[i - 1] : 0;
    }
    return squares > 0 ? fmin(fmax(products / squares, 0), 0.95) : 0;
}

static struct line fit(const double *values)
{
    const double middle = (BATCHES - 1) / 2.0;
    struct line line = {0};
    double spread = 0, slope = 0, squares = 0, residuals[BATCHES];
    for (uint32_t i = 0; i < BATCHES; i++)
        line.mean += values[i] / BATCHES;
    for (uint32_t i = 0; i < BATCHES; i++) {
        spread += (i - middle) * (i - middle);
        slope += (i - middle) * (values[i] - line.mean);
    }
    slope /= spread;
    for (uint32_t i = 0; i < BATCHES; i++) {
        residuals[i] = values[i] - line.mean - slope * (i - middle);
        squares += residuals[i] * residuals[i];
    }
    const double r = correlation_of(residuals);
    line.growth = slope * (BATCHES - 1);
    line.error = sqrt(squares / (BATCHES - 2) / spread * (1 + r) / (1 - r)) * (BATCHES - 1);
    return line;
}

/* Returns half the width of the 95 % interval of the mean of batch means. */
static double interval_of(const double *means)
{
    double mean = 0, squares = 0, residuals[BATCHES];
    for (uint32_t i = 0; i < BATCHES; i++)
        mean += means[i] / BATCHES;
    for (uint32_t i = 0; i < BATCHES; i++) {
        residuals[i] = means[i] - mean;
        squares += residuals[i] * residuals[i];
    }
    const double r = correlation_of(residuals);
    return T_QUANTILE * sqrt(squares / (BATCHES - 1) / BATCHES * (1 + r) / (1 - r));
}

static bool grows(const struct line *line, double errors)
{
    return line->growth > errors * line->error && line->growth > GROWTH_LEAST * line->mean;
}

/* Judges what was measured. The bound is left aside. */
static void judge_measured(const struct line *backlog, const struct line *latency, double interval,
                           bool empty, bool ended, struct cm_traffic_steady *steady)
{
    steady->verdict = CM_VERDICT_NOT_DECIDED;
    if (!ended) {
        steady->verdict = CM_VERDICT_NOT_STEADY;
        steady->reason = CM_STEADY_LIMIT;
    } else if (grows(backlog, TREND_CERTAIN)) {
        steady->verdict = CM_VERDICT_NOT_STEADY;
        steady->reason = CM_STEADY_BACKLOG;
    } else if (empty) {
        steady->reason = CM_STEADY_FEW_PACKETS;
    } else if (grows(backlog, TREND_POSSIBLE)) {
        steady->reason = CM_STEADY_BACKLOG;
    } else if (grows(latency, TREND_POSSIBLE)) {
        steady->reason = CM_STEADY_DRIFT;
    } else if (interval > WIDE * latency->mean) {
        steady->reason = CM_STEADY_WIDE;
    } else {
        steady->verdict = CM_VERDICT_STEADY;
        steady->reason = CM_STEADY_NO_REASON;
    }
}

void cm_steady_judge(const struct cm_traffic_task *task, const struct cm_traffic_bound *bound,
                     const struct cm_batches *batches, bool ended, struct cm_traffic_steady *steady)
{
    const double nodes = (double)(UINT32_C(1) << task->router.dimensions);
    double backlogs[BATCHES], latencies[BATCHES], accepted[BATCHES];
    uint64_t created = batches->created_before, arrived = batches->arrived_before;
    bool empty = false;
    steady->in_flight_before = created - arrived;
    for (uint32_t i = 0; i < BATCHES; i++) {
        created += batches->created[i];
        arrived += batches->arrived[i];
        steady->created += batches->created[i];
        steady->arrived += batches->arrived[i];
        backlogs[i] = (double)(created - arrived);
        latencies[i] = batches->count[i] > 0 ? batches->latency[i] / (double)batches->count[i] : 0;
        accepted[i] = (double)(batches->arrived[i] * task->router.words) * BATCHES /
                      ((double)task->measure * nodes);
        empty = empty || batches->count[i] == 0;
    }
    steady->in_flight_after = created - arrived;
    const struct line backlog = fit(backlogs), latency = fit(latencies);
    steady->latency_interval = interval_of(latencies);
    steady->throughput_interval = interval_of(accepted);
    steady->backlog_growth = backlog.growth;
    judge_measured(&backlog, &latency, steady->latency_interval, empty, ended, steady);
    steady->measured_verdict = steady->verdict;
    if (bound->rate > 0 && task->rate > bound->rate * (1 + BOUND_MARGIN)) {
        steady->verdict = CM_VERDICT_NOT_STEADY;
        steady->reason = CM_STEADY_ABOVE_BOUND;
    }
    steady->measure_longer = steady->verdict == CM_VERDICT_NOT_DECIDED ? 4 * task->measure : 0;
}
