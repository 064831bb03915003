/* Plan of an FFT: cuts the steps into passes and places their tables in node memory. */
#include "transform_private.h"

#include <string.h>

static bool is_lower(enum cm_fft_order order, enum cm_fft_decimation decimation)
{
    return (order == CM_FFT_PREMORPHISM) == (decimation == CM_FFT_DECIMATION_FREQUENCY);
}

uint64_t cm_fft_stage_weight(const struct cm_fft_stage *stage, uint32_t bit)
{
    uint32_t n = stage->axis_bits, own = stage->step.bit;
    /* The angle of a twiddle factor is the number below bit b divided by 2^(b + 1), or the number
     * above bit b with its bits reversed, divided by 2^(n - b). */
    if (stage->lower)
        return bit < own ? UINT64_C(1) << (bit + n - own - 1) : 0;
    return bit > own ? UINT64_C(1) << (n - 1 - bit + own) : 0;
}

struct cm_fft_step cm_fft_stage_bit(const struct cm_fft_plan *plan,
                                    const struct cm_fft_stage *stage, uint32_t bit)
{
    struct cm_fft_step step;
    cm_fft_mapping_step(&plan->task->mapping, stage->step.axis, bit, &step);
    return step;
}

static bool has_factors(const struct cm_fft_stage *stage)
{
    return stage->step.bit != (stage->lower ? 0 : stage->axis_bits - 1);
}

static bool depends_on_local(const struct cm_fft_plan *plan, const struct cm_fft_stage *stage)
{
    for (uint32_t bit = 0; bit < stage->axis_bits; bit++)
        if (cm_fft_stage_weight(stage, bit) != 0 && cm_fft_stage_bit(plan, stage, bit).local)
            return true;
    return false;
}

/*
 * Reorders the steps, but keeps the order of steps of one axis. Takes all steps between nodes that
 * can come next, then all steps within nodes that can come next, and so on. Axes are independent,
 * and fewer, longer pipelines take less time. Returns the number of runs of steps between nodes.
 */
static uint32_t gather(const struct cm_fft_schedule *schedule, bool local_first,
                       struct cm_fft_schedule *gathered)
{
    bool done[CM_LOGIC_DIMENSIONS_MAX] = {false};
    uint32_t runs = 0, before;
    gathered->count = 0;
    for (bool local = local_first; gathered->count < schedule->count; local = !local) {
        /* axes whose next step is of the other kind (within nodes or between nodes) */
        uint64_t stopped = 0;
        before = gathered->count;
        for (uint32_t i = 0; i < schedule->count; i++) {
            const struct cm_fft_step *step = &schedule->steps[i];
            if (done[i] || (stopped >> step->axis & 1))
                continue;
            if (step->local != local) {
                stopped |= UINT64_C(1) << step->axis;
                continue;
            }
            gathered->steps[gathered->count++] = *step;
            done[i] = true;
        }
        runs += !local && gathered->count > before;
    }
    return runs;
}

static void find_order(const struct cm_fft_transform_task *task, struct cm_fft_schedule *schedule)
{
    struct cm_fft_schedule plain, other;
    cm_fft_schedule(&task->mapping, task->order, task->axes, &plain);
    *schedule = plain;
    if (task->stepwise)
        return;
    if (gather(&plain, true, &other) < gather(&plain, false, schedule))
        *schedule = other;
}

static void find_stages(struct cm_fft_plan *plan)
{
    const struct cm_fft_mapping *mapping = &plan->task->mapping;
    struct cm_fft_schedule schedule;
    find_order(plan->task, &schedule);
    plan->stage_count = schedule.count;
    for (uint32_t i = 0; i < schedule.count; i++) {
        struct cm_fft_stage *stage = &plan->stages[i];
        stage->step = schedule.steps[i];
        stage->axis_bits = mapping->array_bits[stage->step.axis];
        stage->lower = is_lower(plan->task->order, plan->decimation);
        stage->table = CM_FFT_NO_TABLE;
        stage->each_point = !stage->step.local && depends_on_local(plan, stage);
    }
}

/* Returns the number of stages, from stage `first` on, that may share a pass. */
static uint32_t run_length(const struct cm_fft_plan *plan, uint32_t first)
{
    const struct cm_fft_step *begin = &plan->stages[first].step;
    uint32_t end = first + 1;
    for (; end < plan->stage_count; end++) {
        const struct cm_fft_step *step = &plan->stages[end].step;
        if (step->local != begin->local || (begin->local && step->axis != begin->axis))
            break;
    }
    return end - first;
}

/* Cuts each run of stages into passes of nearly equal sizes, as few as possible. A pass has at most
 * `group` stages between nodes, or `radix_bits` stages within nodes. */
static void find_passes(struct cm_fft_plan *plan, uint32_t group, uint32_t radix_bits)
{
    for (uint32_t first = 0; first < plan->stage_count;) {
        bool local = plan->stages[first].step.local;
        uint32_t left = run_length(plan, first), limit = local ? radix_bits : group;
        while (left > 0) {
            uint32_t pieces = (left + limit - 1) / limit, count = (left + pieces - 1) / pieces;
            plan->passes[plan->pass_count++] =
                (struct cm_fft_pass){.local = local, .first = first, .count = count};
            first += count;
            left -= count;
        }
    }
    if (plan->pass_count > 0)
        plan->passes[plan->pass_count - 1].scaled = plan->task->inverse;
}

static uint64_t local_points(const struct cm_fft_plan *plan)
{
    return UINT64_C(1) << plan->task->mapping.local_bits;
}

/* Places the table's parts: first the buffers, signs and single factors of pipelines, then words
 * that are read only once. */
static void place_tables(struct cm_fft_plan *plan)
{
    uint32_t longest = 0;
    for (uint32_t p = 0; p < plan->pass_count; p++)
        if (!plan->passes[p].local && plan->passes[p].count > longest)
            longest = plan->passes[p].count;
    plan->room_words = UINT64_C(2) * longest * plan->element_words;
    uint64_t at = plan->room_words;
    for (uint32_t p = 0; p < plan->pass_count; p++) {
        struct cm_fft_pass *pass = &plan->passes[p];
        if (pass->local)
            continue;
        pass->table = at;
        at += (uint64_t)pass->count * plan->component_words;
        for (uint32_t i = pass->first; i < pass->first + pass->count; i++) {
            struct cm_fft_stage *stage = &plan->stages[i];
            if (!has_factors(stage) || stage->each_point)
                continue;
            stage->table = at;
            at += plan->element_words;
            plan->factors++;
        }
    }
    plan->steady_words = at;
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        if (!plan->stages[i].each_point)
            continue;
        plan->stages[i].table = at;
        at += local_points(plan) * plan->element_words;
        plan->factors += local_points(plan);
    }
    for (uint32_t p = 0; p < plan->pass_count; p++) {
        struct cm_fft_factors factors;
        if (!plan->passes[p].local)
            continue;
        cm_fft_factors_find(plan, &plan->passes[p], &factors);
        plan->passes[p].table = at;
        at += factors.entries * factors.count * plan->element_words;
        plan->factors += factors.entries * factors.count;
    }
    plan->table_words = at;
}

static void make(const struct cm_fft_transform_task *task, const struct cm_config *config,
                 enum cm_fft_decimation decimation, uint32_t group, uint32_t radix_bits,
                 struct cm_fft_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->task = task;
    plan->config = config;
    plan->decimation = decimation;
    plan->element_words = cm_type_slices(task->type);
    plan->component_words = plan->element_words / 2;
    plan->parts = group > 1 ? 2 : 1;
    find_stages(plan);
    find_passes(plan, task->stepwise ? 1 : group, radix_bits);
    place_tables(plan);
}

void cm_fft_plan_make(const struct cm_fft_transform_task *task, const struct cm_config *config,
                      uint32_t group, uint32_t radix_bits, struct cm_fft_plan *plan)
{
    struct cm_fft_plan other;
    if (task->decimation != CM_FFT_DECIMATION_AUTO) {
        make(task, config, task->decimation, group, radix_bits, plan);
        return;
    }
    make(task, config, CM_FFT_DECIMATION_TIME, group, radix_bits, plan);
    make(task, config, CM_FFT_DECIMATION_FREQUENCY, group, radix_bits, &other);
    if (other.table_words < plan->table_words)
        *plan = other;
}

/* Returns the angle that the bits of a point in the loop body (bits of the pass and of the part)
 * add to a stage's twiddle factor. */
static uint64_t body_angle(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                           const struct cm_fft_factors *factors, uint32_t i, uint32_t point)
{
    const struct cm_fft_stage *stages = &plan->stages[pass->first];
    uint64_t angle = 0;
    for (uint32_t k = 0; k < pass->count; k++)
        if (point >> k & 1)
            angle += cm_fft_stage_weight(&stages[i], stages[k].step.bit);
    if (point >> pass->count & 1)
        angle += cm_fft_stage_weight(&stages[i], factors->part_bit);
    return angle;
}

static bool in_pass(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass, uint32_t bit)
{
    for (uint32_t i = pass->first; i < pass->first + pass->count; i++)
        if (plan->stages[i].step.bit == bit)
            return true;
    return false;
}

/* Returns the angle of a quarter turn in a stage's unit, a turn / 2^axis_bits. */
static uint64_t quarter_of(const struct cm_fft_stage *stage)
{
    return stage->axis_bits < 2 ? 0 : UINT64_C(1) << (stage->axis_bits - 2);
}

/* Gives the loop body two parts if the bit that adds a quarter turn to a stage is local and not in
 * the pass. */
static void find_parts(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                       struct cm_fft_factors *factors)
{
    factors->parts = 1;
    for (uint32_t i = 0; plan->parts > 1 && i < pass->count; i++) {
        const struct cm_fft_stage *stage = &plan->stages[pass->first + i];
        for (uint32_t bit = 0; bit < stage->axis_bits; bit++) {
            const struct cm_fft_step step = cm_fft_stage_bit(plan, stage, bit);
            if (cm_fft_stage_weight(stage, bit) == 0 ||
                cm_fft_stage_weight(stage, bit) != quarter_of(stage) || !step.local ||
                in_pass(plan, pass, bit))
                continue;
            factors->parts = 2;
            factors->part_bit = bit;
            factors->part_local_bit = step.local_bit;
        }
    }
}

/* Returns true if a stage's angles depend on more bits than those of the points in a loop body.
 * Adds the local bits among them to factors->local_bits. */
static bool varies(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass, uint32_t i,
                   struct cm_fft_factors *factors)
{
    const struct cm_fft_stage *stage = &plan->stages[pass->first + i];
    bool found = false;
    for (uint32_t bit = 0; bit < stage->axis_bits; bit++) {
        if (cm_fft_stage_weight(stage, bit) == 0 || in_pass(plan, pass, bit) ||
            (factors->parts == 2 && bit == factors->part_bit))
            continue;
        struct cm_fft_step step = cm_fft_stage_bit(plan, stage, bit);
        found = true;
        if (step.local)
            factors->local_bits |= UINT64_C(1) << step.local_bit;
    }
    return found;
}

/* Returns the first point of stage `i` whose twiddle factor has this angle, or `point` if no point
 * before it has. */
static uint32_t first_equal(const struct cm_fft_factors *factors, uint32_t i, uint32_t point,
                            uint64_t angle)
{
    for (uint32_t k = 0; k < point; k++)
        if (!(k >> i & 1) && factors->angle[i][k] == angle)
            return k;
    return point;
}

/* Assigns a factor of the table to a point: the factor of an earlier point with the same angle or a
 * quarter turn less, or a new one. */
static void number_factor(struct cm_fft_factors *factors, uint32_t i, uint32_t point,
                          uint64_t quarter)
{
    const uint64_t angle = factors->angle[i][point];
    uint32_t equal = first_equal(factors, i, point, angle);
    factors->kind[i][point] = CM_FFT_FACTOR_TABLE;
    if (equal != point) {
        factors->kind[i][point] = factors->kind[i][equal];
    } else if (angle >= quarter) {
        equal = first_equal(factors, i, point, angle - quarter);
        if (equal != point)
            factors->kind[i][point] = CM_FFT_FACTOR_TURNED;
    }
    factors->number[i][point] = equal == point ? factors->count++ : factors->number[i][equal];
}

static void find_stage_factors(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                               uint32_t i, bool varying, struct cm_fft_factors *factors)
{
    const uint64_t quarter = quarter_of(&plan->stages[pass->first]);
    for (uint32_t point = 0; point < factors->parts << pass->count; point++) {
        if (point >> i & 1)
            continue;
        uint64_t angle = body_angle(plan, pass, factors, i, point);
        factors->angle[i][point] = angle;
        if (!varying && angle == 0)
            factors->kind[i][point] = CM_FFT_FACTOR_ONE;
        else if (!varying && angle == quarter)
            factors->kind[i][point] = CM_FFT_FACTOR_QUARTER;
        else
            number_factor(factors, i, point, quarter);
    }
}

void cm_fft_factors_find(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                         struct cm_fft_factors *factors)
{
    memset(factors, 0, sizeof *factors);
    find_parts(plan, pass, factors);
    for (uint32_t i = 0; i < pass->count; i++) {
        bool varying = varies(plan, pass, i, factors);
        find_stage_factors(plan, pass, i, varying, factors);
    }
    factors->entries = UINT64_C(1) << __builtin_popcountll(factors->local_bits);
}
