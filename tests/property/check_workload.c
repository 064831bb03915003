/* Runs a case as a workload in several ways and compares: with the oracle, between threads, setups,
 * node counts. */
#include "oracle.h"
#include "properties.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool has_setup(const struct cm_case *c, enum cm_setup_kind kind)
{
    for (uint32_t i = 0; i < c->step_count; i++)
        if (c->steps[i].op == CM_CASE_PSHIFT && c->steps[i].setup == kind)
            return true;
    return false;
}

static void set_setups(struct cm_case *c, enum cm_setup_kind kind)
{
    for (uint32_t i = 0; i < c->step_count; i++)
        c->steps[i].setup = kind;
}

/* A refusal or a fault is a failure of CM_PROPERTY_ACCEPTED. False when there is nothing to
 * compare. */
static bool is_accepted(const struct cm_bench *bench, const struct cm_case *c,
                        const struct cm_outcome *outcome, const char *way)
{
    if (outcome->status == CM_OK) {
        cm_report_hold(bench->report, CM_PROPERTY_ACCEPTED);
        return true;
    }
    char text[2048];
    (void)cm_error_format(&outcome->error, text, sizeof(text));
    cm_report_fail(bench->report, CM_PROPERTY_ACCEPTED, c, "%s, %s, status %d:\n%s", way,
                   outcome->created ? "while running" : "refused", (int)outcome->status, text);
    return false;
}

static bool run_accepted(const struct cm_bench *bench, const struct cm_case *c,
                         const struct cm_run_how *how, const char *way, struct cm_outcome *outcome)
{
    if (cm_outcome_run(outcome, c, how))
        return is_accepted(bench, c, outcome, way);
    cm_report_fail(bench->report, CM_PROPERTY_ACCEPTED, NULL, "out of memory");
    return false;
}

/* The first difference between two sets of arrays is told; true when there is none. */
static bool compare_data(const struct cm_bench *bench, enum cm_property property,
                         const struct cm_case *c, void *const *want, void *const *got,
                         const char *what)
{
    for (uint32_t a = 0; a < c->array_count; a++) {
        const enum cm_type type = c->arrays[a].request.type;
        const uint64_t e = cm_oracle_difference(type, want[a], got[a], c->arrays[a].elements);
        if (e == c->arrays[a].elements)
            continue;
        char wanted[96];
        char found[96];
        cm_oracle_element(type, want[a], e, wanted, sizeof(wanted));
        cm_oracle_element(type, got[a], e, found, sizeof(found));
        cm_report_fail(bench->report, property, c,
                       "%s: array %s, element %" PRIu64 " of %" PRIu64 ": expected %s, found %s",
                       what, c->arrays[a].name, e, c->arrays[a].elements, wanted, found);
        return false;
    }
    cm_report_hold(bench->report, property);
    return true;
}

static void check_data(const struct cm_bench *bench, const struct cm_case *c,
                       const struct cm_outcome *outcome)
{
    struct cm_oracle oracle;
    if (!cm_oracle_init(&oracle, c) || !cm_oracle_run(&oracle, c))
        cm_report_fail(bench->report, CM_PROPERTY_DATA, NULL, "out of memory");
    else
        (void)compare_data(bench, CM_PROPERTY_DATA, c, oracle.data, outcome->data,
                           "against the oracle");
    cm_oracle_finish(&oracle);
}

static bool same_channels(const struct cm_channel_use *a, const struct cm_channel_use *b)
{
    return a->max_load == b->max_load && a->total_words == b->total_words &&
           a->channels == b->channels && a->max_busy_cycles == b->max_busy_cycles &&
           !(a->mean_busy_cycles < b->mean_busy_cycles) &&
           !(a->mean_busy_cycles > b->mean_busy_cycles) && a->max_node == b->max_node &&
           a->max_dimension == b->max_dimension && a->max_channel == b->max_channel;
}

/* The names of the fields of struct cm_counters, in its order, for messages. */
static const char *counter_name(size_t i)
{
    static const char *const after[] = {
        "instructions", "exchanges",   "hidden_cycles",       "loads",
        "stores",       "page_faults", "words_moved_locally", "words_sent",
        "flops",        "calls",       "front_end_cycles",    "elapsed_cycles"};
    if (i == 0)
        return "cycles";
    return i <= CM_CAUSE_COUNT ? cm_cause_name((enum cm_cause)(i - 1))
                               : after[i - 1 - CM_CAUSE_COUNT];
}

/* struct cm_counters is nothing but 64-bit counters. */
#define COUNTER_FIELDS (sizeof(struct cm_counters) / sizeof(uint64_t))

static bool same_counters(const struct cm_bench *bench, const struct cm_case *c,
                          const struct cm_counters *a, const struct cm_counters *b,
                          const char *what, int step)
{
    uint64_t left[COUNTER_FIELDS];
    uint64_t right[COUNTER_FIELDS];
    memcpy(left, a, sizeof(left));
    memcpy(right, b, sizeof(right));
    for (size_t i = 0; i < COUNTER_FIELDS; i++)
        if (left[i] != right[i]) {
            cm_report_fail(bench->report, CM_PROPERTY_SAME, c,
                           "%s, step %d (-1: all): %s is %" PRIu64 ", on one thread %" PRIu64, what,
                           step, counter_name(i), right[i], left[i]);
            return false;
        }
    return true;
}

static void check_same(const struct cm_bench *bench, const struct cm_case *c,
                       const struct cm_outcome *one, const struct cm_outcome *other,
                       const char *what)
{
    if (one->step_count != other->step_count) {
        cm_report_fail(bench->report, CM_PROPERTY_SAME, c, "%s: another number of steps", what);
        return;
    }
    if (!same_counters(bench, c, &one->total, &other->total, what, -1))
        return;
    bool channels = same_channels(&one->channels, &other->channels);
    for (uint32_t s = 0; s < one->step_count; s++) {
        if (!same_counters(bench, c, &one->steps[s].counters, &other->steps[s].counters, what,
                           (int)s))
            return;
        channels = channels && same_channels(&one->steps[s].channels, &other->steps[s].channels) &&
                   one->steps[s].times == other->steps[s].times &&
                   one->steps[s].sram_words == other->steps[s].sram_words;
    }
    if (!channels) {
        cm_report_fail(bench->report, CM_PROPERTY_SAME, c,
                       "%s: channel use, times or SRAM words differ", what);
        return;
    }
    for (uint32_t a = 0; a < c->array_count && other->data[a] != NULL; a++)
        if (memcmp(one->data[a], other->data[a], cm_case_array_bytes(c, a)) != 0) {
            cm_report_fail(bench->report, CM_PROPERTY_SAME, c, "%s: array %s differs", what,
                           c->arrays[a].name);
            return;
        }
    cm_report_hold(bench->report, CM_PROPERTY_SAME);
}

static uint64_t sum_of_causes(const struct cm_counters *counters)
{
    uint64_t sum = 0;
    for (int cause = 0; cause < CM_CAUSE_COUNT; cause++)
        sum += counters->by_cause[cause];
    return sum;
}

static void check_causes(const struct cm_bench *bench, const struct cm_case *c,
                         const struct cm_outcome *outcome)
{
    uint64_t sums[COUNTER_FIELDS] = {0};
    uint64_t total[COUNTER_FIELDS];
    uint64_t step[COUNTER_FIELDS];
    for (uint32_t s = 0; s < outcome->step_count; s++) {
        const struct cm_counters *counters = &outcome->steps[s].counters;
        if (sum_of_causes(counters) != counters->cycles) {
            cm_report_fail(bench->report, CM_PROPERTY_CAUSES, c,
                           "step %" PRIu32 ": causes add up to %" PRIu64 ", cycles are %" PRIu64, s,
                           sum_of_causes(counters), counters->cycles);
            return;
        }
        memcpy(step, counters, sizeof(step));
        for (size_t i = 0; i < COUNTER_FIELDS; i++)
            sums[i] += step[i];
    }
    memcpy(total, &outcome->total, sizeof(total));
    for (size_t i = 0; i < COUNTER_FIELDS; i++)
        if (sums[i] != total[i]) {
            cm_report_fail(bench->report, CM_PROPERTY_CAUSES, c,
                           "%s: steps add up to %" PRIu64 ", the total is %" PRIu64,
                           counter_name(i), sums[i], total[i]);
            return;
        }
    if (sum_of_causes(&outcome->total) != outcome->total.cycles)
        cm_report_fail(bench->report, CM_PROPERTY_CAUSES, c,
                       "total: causes add up to %" PRIu64 ", cycles are %" PRIu64,
                       sum_of_causes(&outcome->total), outcome->total.cycles);
    else
        cm_report_hold(bench->report, CM_PROPERTY_CAUSES);
}

/* Runs the case with all setups of one kind. False when it was refused; only an SRAM that is too
 * small is a good reason. */
static bool run_setup(const struct cm_bench *bench, struct cm_case *c, enum cm_setup_kind kind,
                      struct cm_outcome *outcome)
{
    const struct cm_run_how how = {.machine = bench->machine, .threads = 1};
    set_setups(c, kind);
    if (!cm_outcome_run(outcome, c, &how))
        return false;
    if (outcome->status == CM_OK)
        return true;
    if (kind != CM_SETUP_UNROLLED || !cm_error_is_sram_overflow(&outcome->error)) {
        char text[2048];
        (void)cm_error_format(&outcome->error, text, sizeof(text));
        cm_report_fail(bench->report, CM_PROPERTY_SETUPS, c, "status %d:\n%s", (int)outcome->status,
                       text);
    }
    return false;
}

static void compare_setups(const struct cm_bench *bench, const struct cm_case *c,
                           const struct cm_outcome *looped, const struct cm_outcome *unrolled)
{
    for (uint32_t s = 0; s < looped->step_count && s < unrolled->step_count; s++) {
        const struct cm_counters *l = &looped->steps[s].counters;
        const struct cm_counters *u = &unrolled->steps[s].counters;
        if (l->exchanges == u->exchanges && l->loads == u->loads && l->stores == u->stores &&
            l->words_sent == u->words_sent)
            continue;
        cm_report_fail(bench->report, CM_PROPERTY_SETUPS, c,
                       "step %" PRIu32 ", looped and unrolled: exchanges %" PRIu64 " and %" PRIu64
                       ", loads %" PRIu64 " and %" PRIu64 ", stores %" PRIu64 " and %" PRIu64
                       ", words sent %" PRIu64 " and %" PRIu64,
                       s, l->exchanges, u->exchanges, l->loads, u->loads, l->stores, u->stores,
                       l->words_sent, u->words_sent);
        return;
    }
    (void)compare_data(bench, CM_PROPERTY_SETUPS, c, looped->data, unrolled->data,
                       "looped against unrolled");
}

static void check_setups(const struct cm_bench *bench, const struct cm_case *original,
                         const struct cm_outcome *base)
{
    struct cm_case *c = malloc(sizeof(*c));
    struct cm_outcome looped;
    struct cm_outcome unrolled;
    memset(&looped, 0, sizeof(looped));
    memset(&unrolled, 0, sizeof(unrolled));
    if (c == NULL || cm_case_find_pshift(original) < 0) {
        free(c);
        return;
    }
    *c = *original;
    if (run_setup(bench, c, CM_SETUP_LOOPED, &looped) &&
        compare_data(bench, CM_PROPERTY_SETUPS, c, base->data, looped.data, "looped") &&
        run_setup(bench, c, CM_SETUP_UNROLLED, &unrolled))
        compare_setups(bench, c, &looped, &unrolled);
    cm_outcome_finish(&looped);
    cm_outcome_finish(&unrolled);
    free(c);
}

static void check_nodes(const struct cm_bench *bench, const struct cm_case *original,
                        const struct cm_outcome *base)
{
    struct cm_random random =
        cm_random_of_case(original->seed ^ UINT64_C(0x40DE), original->number);
    struct cm_case *c = malloc(sizeof(*c));
    struct cm_outcome outcome;
    if (c == NULL)
        return;
    *c = *original;
    set_setups(c, CM_SETUP_AUTO);
    while (c->nodes == original->nodes)
        c->nodes = cm_case_draw_nodes(&random);
    const struct cm_run_how how = {.machine = bench->machine, .threads = 1};
    if (run_accepted(bench, c, &how, "other nodes", &outcome))
        (void)compare_data(bench, CM_PROPERTY_NODES, c, base->data, outcome.data, "other nodes");
    cm_outcome_finish(&outcome);
    free(c);
}

/* The run that the others are compared with; unrolled setups that don't fit the SRAM become
 * "auto". */
static bool run_base(const struct cm_bench *bench, struct cm_case *c, struct cm_outcome *outcome)
{
    /* In one case of ten the workload's own check looks on. */
    const struct cm_run_how how = {
        .machine = bench->machine, .threads = 1, .check = c->number % 10 == 0};
    if (!cm_outcome_run(outcome, c, &how)) {
        cm_report_fail(bench->report, CM_PROPERTY_ACCEPTED, NULL, "out of memory");
        return false;
    }
    if (outcome->status != CM_OK && has_setup(c, CM_SETUP_UNROLLED) &&
        cm_error_is_sram_overflow(&outcome->error)) {
        cm_outcome_finish(outcome);
        set_setups(c, CM_SETUP_AUTO);
        return run_accepted(bench, c, &how, "one thread", outcome);
    }
    return is_accepted(bench, c, outcome, "one thread");
}

void cm_check_workload(const struct cm_bench *bench, struct cm_case *c)
{
    struct cm_run_how how = {.machine = bench->machine, .threads = 2};
    struct cm_outcome one;
    struct cm_outcome other;
    if (run_base(bench, c, &one)) {
        check_data(bench, c, &one);
        check_causes(bench, c, &one);
        cm_check_routed(bench, c, &one);
        if (run_accepted(bench, c, &how, "two threads", &other))
            check_same(bench, c, &one, &other, "two threads");
        cm_outcome_finish(&other);
        how.timing_only = true;
        if (run_accepted(bench, c, &how, "timing only", &other))
            check_same(bench, c, &one, &other, "timing only");
        cm_outcome_finish(&other);
        check_setups(bench, c, &one);
        check_nodes(bench, c, &one);
    }
    cm_outcome_finish(&one);
}
