/* Counts the exchanges of a PSHIFT call, whole and shift by shift, against formula and bounds. */
#include "exchanges.h"
#include "properties.h"

#include <inttypes.h>
#include <string.h>

struct measured {
    uint64_t exchanges; /* all of the call's */
    uint64_t in_imp;    /* those of its IMP */
    uint32_t by_imp;
    uint32_t by_runtime;
};

/* A boundary array may need exchanges of its own, to reach the nodes that want it. */
static bool has_boundary_array(const struct cm_case_step *step, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        if (step->shifts[i].boundary == CM_CASE_ARRAY)
            return true;
    return false;
}

/* Sets up and calls `count` shifts from `first` on; the exchanges are what the machine counted. */
static enum cm_status measure(struct cm_session *session, const struct cm_case *c,
                              const struct cm_case_step *step, uint32_t first, uint32_t count,
                              struct measured *measured, struct cm_error *error)
{
    struct cm_pshift_pattern patterns[CM_CASE_SHIFTS];
    struct cm_shift shifts[CM_CASE_SHIFTS];
    struct cm_pshift_info info;
    struct cm_machine *machine = cm_system_machine(session->system);
    int id = 0;
    for (uint32_t i = 0; i < count; i++) {
        patterns[i] = cm_pattern_of(&step->shifts[first + i]);
        shifts[i] = cm_session_shift(session, c, &step->shifts[first + i]);
    }
    memset(measured, 0, sizeof(*measured));
    enum cm_status status = cm_pshift_setup(
        session->system,
        &(struct cm_pshift_request){CM_SETUP_AUTO, &shifts[0].dst->layout, patterns, count}, &id,
        error);
    if (status != CM_OK)
        return status;
    const struct cm_counters before = cm_machine_counters(machine);
    status = cm_pshift_call(session->system, id, shifts, count, error);
    if (status != CM_OK)
        return status;
    const struct cm_counters after = cm_machine_counters(machine);
    measured->exchanges = after.exchanges - before.exchanges;
    status = cm_pshift_info(session->system, id, &info, error);
    if (status != CM_OK)
        return status;
    measured->in_imp = info.exchanges;
    measured->by_imp = info.by_imp;
    measured->by_runtime = info.by_runtime;
    if (info.exchanges > measured->exchanges ||
        (info.by_runtime == 0 && !has_boundary_array(step, first, count) &&
         info.exchanges != measured->exchanges))
        return cm_error_set(error, CM_INTERNAL,
                            "the setup says %" PRIu64 " exchanges, the call made %" PRIu64,
                            info.exchanges, measured->exchanges);
    return cm_pshift_deallocate(session->system, id, error);
}

/* |S| <= 2L or |S| = L 2^k (P 4). */
static bool is_handled_distance(int64_t s, int64_t l)
{
    return s <= 2 * l || (s % l == 0 && ((s / l) & (s / l - 1)) == 0);
}

/*
 * Who does a shift (P 4): the IMP those within one node, and on unpadded NEWS axes |S| <= 2L and
 * |S| = L 2^k; the run-time library any other. 1, 0, or -1 where it is left open: distances that
 * the length of the axis may reduce.
 */
static int belongs_to_imp(const struct cm_case_shift *shift, const struct cm_axis *axis)
{
    const int64_t l = (int64_t)axis->local_length;
    const int64_t n = (int64_t)axis->length;
    const int64_t s = shift->distance < 0 ? -shift->distance : shift->distance;
    if (axis->node_bits == 0 || s == 0 || s >= n)
        return -1;
    if (axis->order == CM_ORDER_SEND || axis->padded)
        return 0;
    if (is_handled_distance(s, l))
        return 1;
    return shift->type == CM_SHIFT_CSHIFT && is_handled_distance(n - s, l) ? -1 : 0;
}

static void check_route(const struct cm_bench *bench, const struct cm_case *c,
                        const struct cm_case_shift *shift, const struct cm_layout *layout,
                        const struct measured *alone)
{
    const int imp = belongs_to_imp(shift, &layout->axes[shift->axis]);
    if (imp < 0)
        return;
    if (alone->by_imp == (uint32_t)imp && alone->by_runtime == (uint32_t)!imp)
        cm_report_hold(bench->report, CM_PROPERTY_EXCHANGES);
    else
        cm_report_fail(bench->report, CM_PROPERTY_EXCHANGES, c,
                       "%s on axis %" PRIu32 " by %" PRId64 " (L %" PRIu64 "): expected by %s, "
                       "was by %s",
                       cm_shift_type_name(shift->type), shift->axis + 1, shift->distance,
                       layout->axes[shift->axis].local_length, imp ? "the IMP" : "the library",
                       imp ? "the library" : "the IMP");
}

static enum cm_status check_bounds(const struct cm_bench *bench, struct cm_session *session,
                                   const struct cm_case *c, const struct cm_case_step *step,
                                   struct cm_error *error)
{
    const struct cm_layout *layout = &session->arrays[step->shifts[0].src]->layout;
    struct measured whole;
    struct measured alone;
    uint64_t sum = 0;
    uint64_t formula = 0;
    enum cm_status status = measure(session, c, step, 0, step->shift_count, &whole, error);
    for (uint32_t i = 0; i < step->shift_count && status == CM_OK; i++) {
        status = measure(session, c, step, i, 1, &alone, error);
        sum += alone.exchanges;
        if (status == CM_OK)
            check_route(bench, c, &step->shifts[i], layout, &alone);
    }
    if (status != CM_OK)
        return status;
    const uint64_t least =
        cm_exchanges_at_least(c, step, layout, bench->config.network_channels_per_dimension);
    if (whole.exchanges < least || whole.exchanges > sum)
        cm_report_fail(bench->report, CM_PROPERTY_BOUNDS, c,
                       "the first pshift makes %" PRIu64 " exchanges; the channels need %" PRIu64
                       ", its shifts one by one make %" PRIu64,
                       whole.exchanges, least, sum);
    else
        cm_report_hold(bench->report, CM_PROPERTY_BOUNDS);
    if (bench->config.network_channels_per_dimension != 2 ||
        !cm_exchanges_by_formula(step, layout, &formula))
        return CM_OK;
    const bool exact = !has_boundary_array(step, 0, step->shift_count);
    if (whole.in_imp != formula || (exact && whole.exchanges != formula))
        cm_report_fail(bench->report, CM_PROPERTY_EXCHANGES, c,
                       "the first pshift makes %" PRIu64 " exchanges, %" PRIu64
                       " of them in its IMP; section 6.2 says %" PRIu64,
                       whole.exchanges, whole.in_imp, formula);
    else
        cm_report_hold(bench->report, CM_PROPERTY_EXCHANGES);
    return CM_OK;
}

void cm_check_exchanges(const struct cm_bench *bench, const struct cm_case *c)
{
    const int at = cm_case_find_pshift(c);
    struct cm_session session;
    struct cm_error error;
    if (at < 0)
        return;
    enum cm_status status = cm_session_open(&session, c, &bench->config, true, &error);
    if (status == CM_OK)
        status = check_bounds(bench, &session, c, &c->steps[at], &error);
    if (status != CM_OK) {
        char text[2048];
        (void)cm_error_format(&error, text, sizeof(text));
        cm_report_fail(bench->report, CM_PROPERTY_BOUNDS, c, "status %d:\n%s", (int)status, text);
    }
    cm_session_close(&session);
}
