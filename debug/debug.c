/* Executes a program, stops it at points, continues, and goes back by executing the program
 * again. */
#include "debug_private.h"

#include "../sim/machine/inspect.h"

#include <stdlib.h>
#include <string.h>

struct cm_debug *cm_debug_create(const struct cm_debug_program *program)
{
    struct cm_debug *debug = calloc(1, sizeof *debug);
    if (debug != NULL)
        debug->program = *program;
    return debug;
}

static void end_run(struct cm_debug *debug)
{
    cm_run_destroy(debug->run);
    free(debug->slots);
    debug->run = NULL;
    debug->machine = NULL;
    debug->slots = NULL;
}

void cm_debug_destroy(struct cm_debug *debug)
{
    if (debug == NULL)
        return;
    end_run(debug);
    free(debug->breaks);
    free(debug);
}

/* ---- end of a step command ---- */

static uint32_t loops_open(const struct cm_debug *debug)
{
    return debug->at.imp != NULL ? cm_machine_loop_count(debug->machine) : 0;
}

/* Returns true if the current point is an instruction of the same IMP run as the point from which
 * the run continued. */
static bool is_same_run(const struct cm_debug *debug)
{
    return debug->at.place == CM_DEBUG_INSTRUCTION && debug->from.place == CM_DEBUG_INSTRUCTION &&
           debug->at.runs == debug->from.runs;
}

static bool is_step_over(const struct cm_debug *debug)
{
    return debug->at.place == CM_DEBUG_STEP || debug->at.place == CM_DEBUG_END;
}

/* Returns true if the loop, call, router run or step that began at the point from which the run
 * continued is over. */
static bool is_over(const struct cm_debug *debug)
{
    const struct cm_debug_at *at = &debug->at, *from = &debug->from;
    switch (from->place) {
    case CM_DEBUG_INSTRUCTION:
        return !is_same_run(debug) || loops_open(debug) <= debug->from_loops;
    case CM_DEBUG_LINE:
        return is_step_over(debug) || (at->place == CM_DEBUG_LINE && at->depth <= from->depth);
    case CM_DEBUG_STEP:
        return is_step_over(debug);
    case CM_DEBUG_ROUTER:
        return !at->routing;
    default:
        return true;
    }
}

/* Returns true if the next iteration of the innermost loop begins at this point, or the loop is
 * over. */
static bool is_iterated(const struct cm_debug *debug)
{
    uint32_t depth = loops_open(debug);
    if (!is_same_run(debug) || depth < debug->from_loops || depth == 0)
        return true;
    return depth == debug->from_loops &&
           debug->at.pc == cm_machine_loop(debug->machine, depth - 1).start + 1;
}

static bool is_finished(const struct cm_debug *debug)
{
    const struct cm_debug_at *at = &debug->at, *from = &debug->from;
    if (from->place == CM_DEBUG_INSTRUCTION)
        return !is_same_run(debug);
    if (from->routing)
        return !at->routing;
    return is_step_over(debug) ||
           (from->file != NULL && at->place == CM_DEBUG_LINE && at->depth < from->depth);
}

static uint32_t line_of(const struct cm_debug_at *at)
{
    return at->imp != NULL ? at->imp->code[at->pc].line : 0;
}

static bool is_new_line(const struct cm_debug *debug)
{
    const struct cm_debug_at *at = &debug->at;
    if (at->place != CM_DEBUG_INSTRUCTION)
        return at->place == CM_DEBUG_LINE || is_step_over(debug);
    return line_of(at) != 0 && (!is_same_run(debug) || at->pc != debug->from.pc);
}

/* Returns true if the run has reached the point where the step command (debug->pace) ends. */
static bool is_paced(const struct cm_debug *debug)
{
    if (debug->at.place == CM_DEBUG_END)
        return true;
    switch (debug->pace) {
    case CM_DEBUG_EACH:
        return true;
    case CM_DEBUG_OVER:
        return is_over(debug);
    case CM_DEBUG_ITERATE:
        return is_iterated(debug);
    case CM_DEBUG_FINISH:
        return is_finished(debug);
    case CM_DEBUG_NEW_LINE:
        return is_new_line(debug);
    default:
        return false;
    }
}

static void go_from_here(struct cm_debug *debug)
{
    debug->from = debug->at;
    debug->from_loops = loops_open(debug);
}

/* ---- stops ---- */

static void stop_for(struct cm_debug *debug, const struct cm_debug_stop *stop)
{
    debug->stop = *stop;
    debug->pace = CM_DEBUG_RUN;
    debug->times = 1;
    debug->begun = true;
    memset(&debug->search, 0, sizeof debug->search);
    for (uint32_t i = 0; i < debug->break_count; i++)
        if (debug->breaks[i].since > debug->at.point)
            debug->breaks[i].since = debug->at.point;
    if (stop->reason == CM_DEBUG_BROKEN && stop->hit.temporary)
        cm_debug_delete_break(debug, stop->hit.number);
    debug->program.stopped(debug->program.context, debug);
    if (debug->then != CM_DEBUG_GO_ON)
        cm_run_interrupt(debug->run);
    else
        go_from_here(debug);
}

static void stop_with(struct cm_debug *debug, enum cm_debug_reason reason)
{
    stop_for(debug, &(struct cm_debug_stop){.reason = reason});
}

/* Compares a point of a repeated execution with the target of the search. At the target, stops the
 * run. If the search was for a breakpoint, executes the program once more to stop at the point that
 * was found. */
static void look_for(struct cm_debug *debug, bool is_hit)
{
    struct cm_debug_search *search = &debug->search;
    uint64_t point = debug->at.point;
    if (search->for_break && is_hit && point < search->target) {
        search->found = point;
        search->last = debug->hit;
    }
    if (point < search->target && debug->at.place != CM_DEBUG_END)
        return;
    if (search->for_break) {
        search->for_break = false;
        search->target = search->found > 0 ? search->found : 1;
        if (search->found == 0)
            search->last.reason = CM_DEBUG_FIRST;
        debug->then = CM_DEBUG_AGAIN;
        cm_run_interrupt(debug->run);
        return;
    }
    struct cm_debug_stop stop = search->last;
    stop_for(debug, &stop);
}

void cm_debug_reach(struct cm_debug *debug, enum cm_debug_place place,
                    const struct cm_counters *counters)
{
    if (debug->then != CM_DEBUG_GO_ON)
        return;
    struct cm_counters now;
    if (counters == NULL) {
        now = cm_machine_counters(debug->machine);
        counters = &now;
    }
    debug->at.place = place;
    debug->at.point++;
    cm_debug_match_point(debug, counters);
    bool is_hit = debug->is_hit;
    debug->is_hit = false;
    if (atomic_exchange(&debug->interrupted, false))
        stop_with(debug, CM_DEBUG_INTERRUPTED);
    else if (debug->search.target > 0)
        look_for(debug, is_hit);
    else if (!debug->begun)
        stop_with(debug, CM_DEBUG_BEGUN);
    else if (is_hit && (debug->pace != CM_DEBUG_RUN || --debug->times == 0))
        stop_for(debug, &debug->hit);
    else if (place == CM_DEBUG_END)
        stop_with(debug, CM_DEBUG_ENDED);
    else if (is_paced(debug) && --debug->times == 0)
        stop_with(debug, CM_DEBUG_STEPPED);
    else if (is_paced(debug))
        go_from_here(debug);
}

/* ---- the run ---- */

static enum cm_status begin_run(struct cm_debug *debug, struct cm_error *err)
{
    enum cm_status status = debug->program.make(debug->program.context, &debug->run, err);
    if (status != CM_OK)
        return status;
    debug->machine = cm_system_machine(cm_run_system(debug->run));
    debug->nodes = cm_machine_nodes(debug->machine);
    debug->slots = calloc(debug->nodes, sizeof *debug->slots);
    if (debug->slots == NULL)
        return cm_error_no_memory(err);
    struct cm_counters counters = cm_machine_counters(debug->machine);
    memcpy(debug->seen, counters.by_cause, sizeof debug->seen);
    debug->seen_cycles = counters.cycles;
    debug->seen_instructions = counters.instructions;
    debug->then = CM_DEBUG_GO_ON;
    debug->is_hit = false;
    memset(&debug->at, 0, sizeof debug->at);
    cm_debug_forget_hits(debug);
    cm_debug_observe(debug);
    return CM_OK;
}

/* Returns true for errors of the host computer. They end the debugger's command, but are not shown
 * as the end of the debugged program. */
static bool is_of_host(enum cm_status status)
{
    return status == CM_NO_MEMORY || status == CM_IO || status == CM_INTERNAL;
}

enum cm_status cm_debug_execute(struct cm_debug *debug, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    do {
        end_run(debug);
        status = begin_run(debug, err);
        if (status != CM_OK)
            return status;
        memset(&debug->error, 0, sizeof debug->error);
        debug->status = cm_run_execute(debug->run, &debug->error);
        if (debug->then == CM_DEBUG_GO_ON && is_of_host(debug->status)) {
            *err = debug->error;
            return debug->status;
        }
        cm_debug_reach(debug, CM_DEBUG_END, NULL);
        while (debug->then == CM_DEBUG_GO_ON)
            stop_with(debug, CM_DEBUG_ENDED);
    } while (debug->then == CM_DEBUG_AGAIN);
    return CM_OK;
}

const struct cm_debug_at *cm_debug_at(const struct cm_debug *debug)
{
    return &debug->at;
}

const struct cm_debug_stop *cm_debug_stop(const struct cm_debug *debug)
{
    return &debug->stop;
}

struct cm_run *cm_debug_run(const struct cm_debug *debug)
{
    return debug->run;
}

struct cm_machine *cm_debug_machine(const struct cm_debug *debug)
{
    return debug->machine;
}

enum cm_status cm_debug_result(const struct cm_debug *debug, const struct cm_error **error)
{
    *error = &debug->error;
    return debug->status;
}

void cm_debug_resume(struct cm_debug *debug, enum cm_debug_pace pace, uint64_t times)
{
    debug->pace = pace;
    debug->times = times > 0 ? times : 1;
    atomic_store(&debug->interrupted, false); /* discards an interrupt that came during the stop */
}

void cm_debug_back_to(struct cm_debug *debug, uint64_t point)
{
    debug->then = CM_DEBUG_AGAIN;
    atomic_store(&debug->interrupted, false);
    debug->search = (struct cm_debug_search){.target = point > 0 ? point : 1};
    debug->search.last.reason = CM_DEBUG_RETURNED;
}

void cm_debug_back_to_break(struct cm_debug *debug)
{
    debug->then = CM_DEBUG_AGAIN;
    atomic_store(&debug->interrupted, false);
    debug->search = (struct cm_debug_search){.target = debug->at.point, .for_break = true};
}

void cm_debug_leave(struct cm_debug *debug)
{
    debug->then = CM_DEBUG_LEAVE;
}

void cm_debug_interrupt(struct cm_debug *debug)
{
    atomic_store(&debug->interrupted, true);
}
