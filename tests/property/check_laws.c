/* Laws of shifts that need no oracle: what two shifts in a row leave is what one leaves. */
#include "oracle.h"
#include "properties.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const law_names[CM_CASE_LAW_COUNT] = {
    [CM_CASE_LAW_INVERSE] = "by s, then by -s",
    [CM_CASE_LAW_WHOLE] = "by whole lengths",
    [CM_CASE_LAW_SUM] = "by s, then by t, against s + t",
    [CM_CASE_LAW_END_OFF] = "end-off by s, then by t, against s + t",
};

static void compare(const struct cm_bench *bench, const struct cm_case *c, enum cm_case_law law,
                    const struct cm_outcome *outcome)
{
    const enum cm_type type = c->arrays[0].request.type;
    const uint64_t count = c->arrays[0].elements;
    uint64_t e = cm_oracle_difference(type, outcome->data[3], outcome->data[2], count);
    if (e == count && law != CM_CASE_LAW_SUM && law != CM_CASE_LAW_END_OFF)
        e = cm_oracle_difference(type, outcome->data[0], outcome->data[2], count);
    if (e == count)
        cm_report_hold(bench->report, CM_PROPERTY_ALGEBRA);
    else
        cm_report_fail(bench->report, CM_PROPERTY_ALGEBRA, c,
                       "%s: a2 differs from a3 or a0 at element %" PRIu64, law_names[law], e);
}

void cm_check_law(const struct cm_bench *bench, uint64_t seed, uint64_t number)
{
    struct cm_case *c = malloc(sizeof(*c));
    struct cm_outcome outcome;
    if (c == NULL)
        return;
    const enum cm_case_law law = cm_case_generate_law(c, seed, number);
    const struct cm_run_how how = {.machine = bench->machine, .threads = 1};
    const bool ran = cm_outcome_run(&outcome, c, &how);
    if (ran && outcome.status == CM_OK) {
        compare(bench, c, law, &outcome);
    } else if (ran) {
        char text[2048];
        (void)cm_error_format(&outcome.error, text, sizeof(text));
        cm_report_fail(bench->report, CM_PROPERTY_ALGEBRA, c, "status %d:\n%s", (int)outcome.status,
                       text);
    }
    cm_outcome_finish(&outcome);
    free(c);
}
