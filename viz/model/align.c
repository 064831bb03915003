/*
 * Alignment of two runs: maps a cycle of one run to a cycle of the other. Steps of equal kind at
 * the beginning of both runs are matched one by one, and so are steps at the end. The steps between
 * them (one PSHIFT here, four CSHIFTs there) are matched as a whole. Time is stretched linearly
 * within a match.
 */
#include "model.h"

#include <string.h>

static const char *op_of(const struct cm_view_run *run, uint32_t step)
{
    return cm_trace_step_at(run->trace, step)->op;
}

void cm_view_align_begin(struct cm_view_model *model)
{
    const struct cm_view_run *a = &model->runs[0], *b = &model->runs[1];
    if (model->run_count < 2)
        return;
    uint32_t least = a->info->steps < b->info->steps ? a->info->steps : b->info->steps;
    uint32_t same = 0, last = 0;
    while (same < least && strcmp(op_of(a, same), op_of(b, same)) == 0)
        same++;
    while (last < least - same &&
           strcmp(op_of(a, a->info->steps - 1 - last), op_of(b, b->info->steps - 1 - last)) == 0)
        last++;
    model->steps_first = same;
    model->steps_last = last;
}

/* Returns the number of the first step that ends after a cycle, or the number of steps if there is
 * no such step. */
uint32_t cm_view_step_after(const struct cm_view_run *run, uint64_t cycle)
{
    uint32_t low = 0, high = run->info->steps;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cm_trace_step_at(run->trace, middle)->end_cycle > cycle)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Returns the cycle at which the first `count` steps end. */
static uint64_t end_of(const struct cm_view_run *run, uint32_t count)
{
    return count == 0 ? 0 : cm_trace_step_at(run->trace, count - 1)->end_cycle;
}

/* Cycles of the steps from number `first` to before number `end` of a run. If `end` is the number
 * of steps + 1, the cycles after the last step are included. */
struct stretch {
    uint64_t first, end; /* cycles */
};

static struct stretch stretch_of(const struct cm_view_run *run, uint32_t first, uint32_t end)
{
    return (struct stretch){end_of(run, first),
                            end > run->info->steps ? run->info->cycles : end_of(run, end)};
}

uint64_t cm_view_aligned(const struct cm_view_model *model, uint32_t from, uint32_t to,
                         uint64_t cycle)
{
    const struct cm_view_run *run = &model->runs[from], *other = &model->runs[to];
    uint32_t steps = run->info->steps, others = other->info->steps;
    if (from == to || model->run_count < 2)
        return cycle;
    uint32_t step = cm_view_step_after(run, cycle);
    struct stretch here, there;
    if (step < model->steps_first) {
        here = stretch_of(run, step, step + 1);
        there = stretch_of(other, step, step + 1);
    } else if (step + model->steps_last >= steps) {
        here = stretch_of(run, step, step + 1);
        there = stretch_of(other, others - (steps - step), others - (steps - step) + 1);
    } else {
        here = stretch_of(run, model->steps_first, steps - model->steps_last);
        there = stretch_of(other, model->steps_first, others - model->steps_last);
    }
    if (cycle >= here.end || here.end <= here.first)
        return there.end;
    double part = (double)(cycle - here.first) / (double)(here.end - here.first);
    return there.first + (uint64_t)(part * (double)(there.end - there.first));
}
