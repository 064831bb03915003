/*
 * The core of the debugger: executes a run, stops it at breakpoints or step by step, and goes back.
 * It prints nothing. The debugger in the terminal and the viewer use it through console/. At every
 * stop it calls a function of its user, which inspects the machine (sim/machine/inspect.h) and says
 * how to continue.
 *
 * point  A run is cut into points. At a point, a step of the workload, a source line, an
 *        instruction or a hop of a packet comes next. Points are numbered from 1. Every run of the
 *        same program has the same points, so the number of a point identifies a state.
 * stop   A run stops at a point, before what comes next happens. An effect, such as cycles for a
 *        cause, a word over a channel or an access to memory, stops the run at the point after it.
 * back   The machine cannot run backwards. To go back, the program is executed again from its start
 *        up to the wanted point.
 *
 * The debugger observes the run, which uses one thread and executes one instruction after the
 * other. The run has the same results and cycles as any other run of the program.
 *
 * debug.c   executes the run, stops it, and goes back.
 * breaks.c  owns the breakpoints, and finds out which are hit.
 * observe.c turns events of the run into points and effects.
 */
#ifndef CM_DEBUG_DEBUG_H
#define CM_DEBUG_DEBUG_H

#include "../programs/workload/workload.h"

#define CM_DEBUG_NAME_MAX 511u
#define CM_DEBUG_ANY      UINT32_MAX

/* Kind of event that comes next at a point of the run. */
enum cm_debug_place {
    CM_DEBUG_STEP,        /* a step of the workload begins */
    CM_DEBUG_LINE,        /* a statement of a program's source begins */
    CM_DEBUG_INSTRUCTION, /* an instruction of an IMP is next */
    CM_DEBUG_ROUTER,      /* the router begins */
    CM_DEBUG_HOP,         /* a packet in the router makes a hop, which `hop` describes */
    CM_DEBUG_ROUTED,      /* the router has ended */
    CM_DEBUG_END,         /* nothing comes next, because the program has ended */
};

/* Point at which the run is. The texts belong to the run. */
struct cm_debug_at {
    enum cm_debug_place place;
    uint64_t point;
    /* number of the current step, counted from 1 in the order of execution. 0: no step has begun */
    uint64_t step;
    /* kind of the current step, such as "pshift", and its JSON pointer in the workload */
    const char *op, *where;
    /* Source line that began last. `file` is NULL if no line of this step has begun. */
    const char *file, *source;
    size_t source_length;
    uint32_t line, depth;
    const struct cm_imp *imp; /* running IMP. NULL: no IMP runs */
    uint64_t runs;            /* number of IMP runs until now, including the current one */
    uint32_t pc;
    bool routing;
    uint64_t router_cycle; /* cycle of the router's word time 0 */
    uint32_t router_dimensions;
    struct cm_debug_hop {
        uint64_t packet;
        uint32_t node, dimension, channel;
        /* word times at which the packet asked for the channel and at which its first word
         * crosses */
        uint64_t asked, first;
    } hop;
};

enum cm_break_kind {
    CM_BREAK_OP,           /* the next instruction has the operation `op` */
    CM_BREAK_INSTRUCTION,  /* instruction `value` of the IMP `name` is next */
    CM_BREAK_LINE,         /* line `value` of the source file `name` is next */
    CM_BREAK_STEP,         /* step number `value`, or the step at JSON pointer `name`, is next */
    CM_BREAK_CYCLE,        /* `value` cycles have been charged */
    CM_BREAK_INSTRUCTIONS, /* `value` instructions have been issued */
    CM_BREAK_CAUSE,        /* cycles were charged to the cause `cause` */
    CM_BREAK_CHANNEL,      /* a channel carried a word */
    CM_BREAK_READ,         /* a memory word was read */
    CM_BREAK_WRITE,        /* a memory word was written, in nodes whose context flag is set */
    CM_BREAK_ACCESS,       /* a memory word was read or written */
};

struct cm_break {
    uint32_t number; /* number of the breakpoint, which cm_debug_add_break returned */
    enum cm_break_kind kind;
    bool temporary; /* true if the breakpoint is deleted once it has stopped the run */
    /* number of the first hit that stops the run. Later hits stop it as well. 0 means 1 */
    uint64_t count;
    uint64_t hits;
    uint64_t since; /* number of the point from which hits count */
    enum cm_op op;
    enum cm_cause cause;
    /* line, step, cycle, number of instructions, address, or instruction in an IMP, depending on
     * the kind */
    uint64_t value;
    /* node and channel on which effects count. CM_DEBUG_ANY: any node, or both channels */
    uint32_t node, dimension, channel;
    char name[CM_DEBUG_NAME_MAX + 1];
};

/* Effect that hit a breakpoint: cycles charged, a word over a channel, or a memory access. */
struct cm_debug_effect {
    /* Instruction that had the effect: number of the IMP run, and index in the IMP. `run` 0: no
     * instruction had the effect. */
    uint64_t run;
    uint32_t pc;
    uint64_t packet; /* packet that crosses the channel, if the router sends the word */
    uint64_t cycles; /* cycles that were charged to the cause */
    uint32_t node, dimension, channel, word;
    bool written;
};

enum cm_debug_reason {
    CM_DEBUG_BEGUN,       /* the run is at the first point of the program */
    CM_DEBUG_STEPPED,     /* the run went as far as cm_debug_resume had asked for */
    CM_DEBUG_BROKEN,      /* a breakpoint stopped the run */
    CM_DEBUG_INTERRUPTED, /* cm_debug_interrupt stopped the run */
    /* the run is back at the point for which cm_debug_back_to has asked */
    CM_DEBUG_RETURNED,
    /* the run is back at the first point, because no earlier point has a breakpoint that stops the
     * run */
    CM_DEBUG_FIRST,
    CM_DEBUG_ENDED, /* the program has ended */
};

struct cm_debug_stop {
    enum cm_debug_reason reason;
    struct cm_break hit; /* breakpoint that stopped the run, for CM_DEBUG_BROKEN */
    struct cm_debug_effect effect;
};

/* How far the run continues after a stop. */
enum cm_debug_pace {
    CM_DEBUG_RUN,  /* the run continues to the next breakpoint */
    CM_DEBUG_EACH, /* the run continues to the next point */
    /* the run continues to the next point, but passes over a loop, a call, a run of the router or a
     * step that begins here */
    CM_DEBUG_OVER,
    /* the run continues to the next iteration of the innermost loop, or to the end of the loop */
    CM_DEBUG_ITERATE,
    /* the run continues to the end of the current IMP, router run, call or step */
    CM_DEBUG_FINISH,
    CM_DEBUG_NEW_LINE /* the run continues to the next source line */
};

struct cm_debug;

struct cm_debug_program {
    void *context;
    /* Creates a run of the program that uses one thread. Called each time the program is executed
     * from its start. */
    enum cm_status (*make)(void *context, struct cm_run **run, struct cm_error *err);
    /* Called at each stop. If it does not call a function that says how to continue, the run
     * continues to the next breakpoint. */
    void (*stopped)(void *context, struct cm_debug *debug);
};

/* Creates a debugger of a program. Copies *program. Returns NULL when out of memory. */
struct cm_debug *cm_debug_create(const struct cm_debug_program *program);
void cm_debug_destroy(struct cm_debug *debug);
/* Executes the program until cm_debug_leave is called, repeatedly if the user goes back. Returns
 * errors of `make` and of the host, such as a lack of memory. cm_debug_result has the status with
 * which the program itself ended. `err` must not be NULL. */
enum cm_status cm_debug_execute(struct cm_debug *debug, struct cm_error *err);

/* ---- during a stop ---- */
const struct cm_debug_at *cm_debug_at(const struct cm_debug *debug);
const struct cm_debug_stop *cm_debug_stop(const struct cm_debug *debug);
struct cm_run *cm_debug_run(const struct cm_debug *debug);
struct cm_machine *cm_debug_machine(const struct cm_debug *debug);
/* Returns the status with which the run ended, and sets *error to the run's error. May be called
 * when the debugger has stopped at CM_DEBUG_END. */
enum cm_status cm_debug_result(const struct cm_debug *debug, const struct cm_error **error);

/* Sets how the run continues when `stopped` returns: `pace` is repeated `times` times. For
 * CM_DEBUG_RUN, the run continues to the `times`th hit of a breakpoint. 0 means 1. */
void cm_debug_resume(struct cm_debug *debug, enum cm_debug_pace pace, uint64_t times);
/* Goes back to the point with a given number. 0 means 1. */
void cm_debug_back_to(struct cm_debug *debug, uint64_t point);
/* Goes back to the last point before the current one at which one of the present breakpoints stops
 * the run. */
void cm_debug_back_to_break(struct cm_debug *debug);
void cm_debug_leave(struct cm_debug *debug);
/* Stops the run at the next point. May be called in a signal handler. */
void cm_debug_interrupt(struct cm_debug *debug);

/* Adds a copy of a breakpoint and returns the copy's number. Returns 0 when out of memory. */
uint32_t cm_debug_add_break(struct cm_debug *debug, const struct cm_break *made);
/* Deletes a breakpoint. Returns false if there is no breakpoint with this number. */
bool cm_debug_delete_break(struct cm_debug *debug, uint32_t number);
uint32_t cm_debug_break_count(const struct cm_debug *debug);
const struct cm_break *cm_debug_break_at(const struct cm_debug *debug, uint32_t i);

/* Returns true if `name`, which a user typed, means the file `path`: both are equal, or the path
 * ends with `name` after a slash. */
bool cm_debug_is_file(const char *path, const char *name);

#endif
