/* Time of the front end (front_end.h). */
#include "front_end.h"

#define NANOSECONDS UINT64_C(1000000000)

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t cm_front_end_cycles(const struct cm_config *config, uint64_t nanoseconds)
{
    uint64_t seconds = nanoseconds / NANOSECONDS, rest = nanoseconds % NANOSECONDS;
    uint64_t hz = config->clock_hz;
    /* The clock frequency is split, so that no product overflows. */
    uint64_t whole = hz / NANOSECONDS, part = hz % NANOSECONDS;
    return seconds * hz + rest * whole + (rest * part + NANOSECONDS / 2) / NANOSECONDS;
}

uint64_t cm_front_end_pshift_cycles(const struct cm_config *config)
{
    return cm_front_end_cycles(config, config->front_end_pshift_us * 1000);
}

uint64_t cm_front_end_imp_cycles(const struct cm_config *config)
{
    return cm_front_end_cycles(config, config->front_end_imp_start_us * 1000);
}

uint64_t cm_front_end_runtime_cycles(const struct cm_config *config)
{
    return cm_front_end_cycles(config, config->front_end_runtime_call_us * 1000);
}

void cm_front_end_end(struct cm_front_end *front_end, uint64_t now)
{
    uint64_t machine_cycles = now - front_end->first_cycle;
    if (machine_cycles == 0 && front_end->own_cycles == 0)
        return;
    uint64_t first = later(front_end->free, front_end->begun);
    front_end->free = first + front_end->own_cycles;
    front_end->worked += front_end->own_cycles;
    front_end->begun = front_end->elapsed;
    front_end->elapsed = later(front_end->elapsed + machine_cycles, front_end->free);
    front_end->own_cycles = 0;
    front_end->first_cycle = now;
}

void cm_front_end_begin(struct cm_front_end *front_end, uint64_t own_cycles, uint64_t now)
{
    cm_front_end_end(front_end, now);
    front_end->own_cycles = own_cycles;
    front_end->calls++;
}

void cm_front_end_work(struct cm_front_end *front_end, uint64_t own_cycles, uint64_t now)
{
    cm_front_end_end(front_end, now);
    front_end->free += own_cycles;
    front_end->worked += own_cycles;
    front_end->elapsed = later(front_end->elapsed, front_end->free);
}

void cm_front_end_wait(struct cm_front_end *front_end, uint64_t now)
{
    cm_front_end_end(front_end, now);
    front_end->free = front_end->elapsed;
}
