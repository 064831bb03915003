/*
 * Model of the front end's time. The front end issues calls one after the other, and the machine
 * works meanwhile. The result is the elapsed time of a run, while the clock (clock.h) counts the
 * machine's time alone. All times are in cycles of the machine's clock.
 *
 * Rules, for calls in order:
 * - The front end works on a call for a time of its own. The machine begins a call once the front
 *   end has begun the call and the previous call has ended.
 * - A call ends when both front end and machine have finished it. So one call alone, or one call
 *   repeated, takes the longer of the two times (PSHIFT paper, tables 1 to 4).
 * - The front end works at most one call ahead. It begins a call once the machine has begun the
 *   previous call. How far the real front end works ahead is not published.
 * - Statements of the front end overlap with the call before them, unless the front end waits.
 *
 * machine.c feeds the front end with the calls of each run. programs/validation applies the same
 * functions to published times. Nothing here charges cycles of the machine.
 */
#ifndef CM_SIM_FRONT_END_H
#define CM_SIM_FRONT_END_H

#include "config.h"

/* State between calls. It is all zeros at first. */
struct cm_front_end {
    uint64_t elapsed; /* time when the last call ended and the front end had finished */
    uint64_t free;    /* time when the front end finished its last work, at most `elapsed` */
    uint64_t begun;   /* time when the machine began the last call, at most `elapsed` */
    uint64_t worked;  /* time in which the front end worked */
    uint64_t calls;   /* number of calls */
    /* The call that is being executed: work of the front end for it, and the machine's clock when
     * it began. */
    uint64_t own_cycles, first_cycle;
};

/* Converts a time of the front end to cycles of the machine's clock, rounded to the nearest
 * cycle. */
uint64_t cm_front_end_cycles(const struct cm_config *config, uint64_t nanoseconds);
/* These functions return the front end's own time in cycles: for each shift of a PSHIFT call, for
 * the start of an IMP, and for a call of the run-time library. */
uint64_t cm_front_end_pshift_cycles(const struct cm_config *config);
uint64_t cm_front_end_imp_cycles(const struct cm_config *config);
uint64_t cm_front_end_runtime_cycles(const struct cm_config *config);

/* Begins a call, for which the front end works `own_cycles`. `now` is the machine's clock. */
void cm_front_end_begin(struct cm_front_end *front_end, uint64_t own_cycles, uint64_t now);
/* Ends the present call, if there is one. `now` is the machine's clock. */
void cm_front_end_end(struct cm_front_end *front_end, uint64_t now);
/* Ends the present call. The front end then works for `own_cycles` without issuing a call. */
void cm_front_end_work(struct cm_front_end *front_end, uint64_t own_cycles, uint64_t now);
/* Ends the present call. The front end waits until the machine has finished. */
void cm_front_end_wait(struct cm_front_end *front_end, uint64_t now);

#endif
