/*
 * The router path of a shift: what crosses channels is every element that changes its node, once
 * over each dimension in which the two nodes' addresses differ, whatever way the run-time library
 * or the router go about it.
 */
#include "properties.h"

#include <inttypes.h>

/* Words over channels in one run of the shift; nodes and places as the array's layout has them. */
static uint64_t words_of(const struct cm_layout *layout, const struct cm_case_shift *shift)
{
    uint64_t words = 0, index[CM_RANK_MAX];
    int64_t length = (int64_t)layout->axes[shift->axis].length;
    int64_t distance = shift->distance % length;
    bool gone = shift->distance >= length || shift->distance <= -length;
    for (uint64_t e = 0; e < layout->elements; e++) {
        uint64_t rest = e, local;
        uint32_t to, from;
        for (uint32_t a = 0; a < layout->rank; a++) {
            index[a] = rest % layout->axes[a].length;
            rest /= layout->axes[a].length;
        }
        cm_layout_place(layout, index, &to, &local);
        int64_t source = (int64_t)index[shift->axis] + distance;
        if (shift->type != CM_SHIFT_CSHIFT && (gone || source < 0 || source >= length))
            continue;
        index[shift->axis] = (uint64_t)((source + length) % length);
        cm_layout_place(layout, index, &from, &local);
        words += (uint64_t)__builtin_popcount(from ^ to) * layout->slices;
    }
    return words;
}

static void check_step(const struct cm_bench *bench, const struct cm_case *c,
                       const struct cm_case_step *step, const struct cm_step_result *result)
{
    const struct cm_case_shift *shift = &step->shifts[0];
    struct cm_layout layout;
    if (step->op == CM_CASE_PSHIFT || shift->path != CM_PATH_ROUTER ||
        shift->boundary == CM_CASE_ARRAY || /* has exchanges of its own */
        cm_layout_create(&c->arrays[shift->src].request, c->nodes, &layout, NULL) != CM_OK)
        return;
    uint64_t expected = words_of(&layout, shift) * result->times;
    bool charged = result->counters.by_cause[CM_CAUSE_ROUTER] > 0;
    if (result->counters.words_sent != expected || result->channels.total_words != expected ||
        result->counters.exchanges != 0 || charged != (expected > 0))
        cm_report_fail(bench->report, CM_PROPERTY_ROUTED, c,
                       "%" PRIu64 " words sent, %" PRIu64 " over the channels, %" PRIu64
                       " exchanges, %" PRIu64 " cycles of the router; expected %" PRIu64 " words",
                       result->counters.words_sent, result->channels.total_words,
                       result->counters.exchanges, result->counters.by_cause[CM_CAUSE_ROUTER],
                       expected);
    else
        cm_report_hold(bench->report, CM_PROPERTY_ROUTED);
}

void cm_check_routed(const struct cm_bench *bench, const struct cm_case *c,
                     const struct cm_outcome *outcome)
{
    uint32_t leaf = 0;
    for (uint32_t s = 0; s < c->step_count && leaf < outcome->step_count; s++) {
        if (c->steps[s].op == CM_CASE_REPEAT)
            continue;
        if (c->steps[s].op == CM_CASE_CSHIFT || c->steps[s].op == CM_CASE_EOSHIFT)
            check_step(bench, c, &c->steps[s], &outcome->steps[leaf]);
        leaf++;
    }
}
