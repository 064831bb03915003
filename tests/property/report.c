/* Counts what held and tells what did not. */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const names[CM_PROPERTY_COUNT] = {
    [CM_PROPERTY_ACCEPTED] = "every legal case is accepted and runs",
    [CM_PROPERTY_DATA] = "every array equals the oracle's, also those that must not change",
    [CM_PROPERTY_SAME] = "threads 1 and 2 and timing-only agree in counters, channels and bytes",
    [CM_PROPERTY_CAUSES] = "causes add up to cycles, and steps to the total",
    [CM_PROPERTY_EXCHANGES] = "PSHIFT exchanges as often as section 6.2 says",
    [CM_PROPERTY_BOUNDS] =
        "a call exchanges no less than its channels need and no more than its shifts one by one",
    [CM_PROPERTY_SETUPS] = "unrolled and looped setups agree in data, exchanges, loads and stores",
    [CM_PROPERTY_NODES] = "the data does not depend on the number of nodes",
    [CM_PROPERTY_ALGEBRA] = "shifts compose: inverse, whole length, sum of distances",
    [CM_PROPERTY_INTERFACE] = "one setup serves many arrays and refuses what is not its own",
    [CM_PROPERTY_ROUTED] =
        "by the router path every element crosses the dimensions its nodes differ in, no more",
};

void cm_report_hold(struct cm_report *report, enum cm_property property)
{
    report->held[property]++;
}

void cm_report_fail(struct cm_report *report, enum cm_property property, const struct cm_case *c,
                    const char *format, ...)
{
    va_list arguments;
    report->failed[property]++;
    if (report->printed[property]++ >= report->print_limit)
        return;
    (void)fprintf(stderr, "not held: %s\n  ", names[property]);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputs("\n", stderr);
    if (c == NULL)
        return;
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_case_emit(c, report->machine, &text);
    (void)fprintf(stderr, "  case %" PRIu64 " of seed %" PRIu64 "; as a workload:\n%s", c->number,
                  c->seed, cm_buffer_ok(&text) ? text.data : "(out of memory)\n");
    cm_buffer_finish(&text);
}

int cm_report_finish(const struct cm_report *report)
{
    int bad = 0;
    for (int p = 0; p < CM_PROPERTY_COUNT; p++) {
        const uint64_t all = report->held[p] + report->failed[p];
        bad += report->failed[p] > 0;
        if (all == 0)
            (void)printf("ok %d - %s # SKIP no case came to it\n", p + 1, names[p]);
        else if (report->failed[p] > 0)
            (void)printf("not ok %d - %s (%" PRIu64 " of %" PRIu64 " not)\n", p + 1, names[p],
                         report->failed[p], all);
        else
            (void)printf("ok %d - %s (%" PRIu64 ")\n", p + 1, names[p], all);
    }
    (void)printf("1..%d\n", CM_PROPERTY_COUNT);
    return bad;
}
