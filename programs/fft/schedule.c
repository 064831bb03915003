/* Schedules of FFT communication (schedule.h). */
#include "schedule.h"

#include <string.h>

static void add_step(const struct cm_fft_step *step, struct cm_fft_schedule *schedule)
{
    schedule->steps[schedule->count++] = *step;
    schedule->mesh_cost += step->distance;
    schedule->hops += step->hops;
    if (!step->local)
        schedule->axis_loads[step->mesh_axis] += step->distance;
}

void cm_fft_schedule(const struct cm_fft_mapping *mapping, enum cm_fft_order order, uint64_t axes,
                     struct cm_fft_schedule *schedule)
{
    struct cm_fft_step step;
    memset(schedule, 0, sizeof *schedule);
    for (uint32_t p = 0; p < mapping->rank; p++) {
        uint32_t bits = axes >> p & 1 ? mapping->array_bits[p] : 0;
        for (uint32_t n = 0; n < bits; n++) {
            uint32_t q = order == CM_FFT_POSTMORPHISM ? n : bits - 1 - n;
            cm_fft_mapping_step(mapping, p, q, &step);
            add_step(&step, schedule);
        }
    }
}

void cm_fft_task_schedule(const struct cm_fft_task *task, struct cm_fft_schedule *schedule)
{
    struct cm_fft_step within[CM_FFT_AXES_MAX];
    uint32_t between = 0, kept = 0;
    cm_fft_schedule(&task->mapping, task->order, task->axes, schedule);
    if (!task->broadcast)
        return;
    for (uint32_t n = 0; n < schedule->count; n++) {
        if (schedule->steps[n].local)
            within[kept++] = schedule->steps[n];
        else
            schedule->steps[between++] = schedule->steps[n];
    }
    memcpy(schedule->steps + between, within, kept * sizeof *within);
}
