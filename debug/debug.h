/*
 * The core of the debugger: executes a run, stops it at breakpoints or step by step, and goes back.
 * It prints nothing. The terminal and the viewer use it through console/. At every stop it calls
 * the user of the room, who looks at the machine (sim/machine/inspect.h) and says how to continue.
 *
 * point  A run is cut into points. At a point, a step of the workload, a source line, an
 *        instruction or a hop of a packet comes next. Points are numbered from 1. Every run of the
 *        same program has the same points, so the number of a point identifies a state.
 * stop   A run stops at a point, before what comes next happens. An effect, such as cycles for a
 *        cause, a word over a channel or an access to memory, stops the run at the point after it.
 * back   The machine cannot run backwards. To go back, the program is executed again from its start
 *        up to the wanted point.
 *
 * The run is observed, on one thread and one instruction after the other. Its results and cycles
 * are those of any run.
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

/* Kind of event that comes next at a point. */
enum cm_debug_place {
    CM_DEBUG_STEP,        /* a step of the workload */
    CM_DEBUG_LINE,        /* a statement of a program's source */
    CM_DEBUG_INSTRUCTION, /* an instruction of an IMP */
    CM_DEBUG_ROUTER,      /* the router begins */
    CM_DEBUG_HOP,         /* within the router: a packet makes a hop, see `hop` */
    CM_DEBUG_ROUTED,      /* the router has ended */
    CM_DEBUG_END,         /* nothing, because the program has ended */
};

/* Place of the run. The texts belong to the run. */
struct cm_debug_at {
    enum cm_debug_place place;
    uint64_t point;
    /* number of the current step in the order of execution, from 1. 0: no step has begun. */
    uint64_t step;
    const char *op, *where; /* kind and JSON pointer of the current step */
    /* Last source line that began. `file` is NULL if no line of this step has begun. */
    const char *file, *source;
    size_t source_length;
    uint32_t line, depth;
    const struct cm_imp *imp; /* IMP that runs. NULL: none. */
    uint64_t runs;            /* runs of IMPs until now, including the current one */
    uint32_t pc;
    bool routing;
    uint64_t router_cycle; /* cycle of the router's word time 0 */
    uint32_t router_dimensions;
    struct cm_debug_hop {
        uint64_t packet;
        uint32_t node, dimension, channel;
        uint64_t asked, first; /* word times of the request and of the hop */
    } hop;
};

enum cm_break_kind {
    CM_BREAK_OP,           /* an instruction of a name is next */
    CM_BREAK_INSTRUCTION,  /* instruction `value` of IMP `name` is next */
    CM_BREAK_LINE,         /* line `value` of file `name` is next */
    CM_BREAK_STEP,         /* step `value`, or the one at JSON pointer `name`, is next */
    CM_BREAK_CYCLE,        /* `value` cycles have been charged */
    CM_BREAK_INSTRUCTIONS, /* `value` instructions have been issued */
    CM_BREAK_CAUSE,        /* cycles were charged to a cause */
    CM_BREAK_CHANNEL,      /* a channel carried a word */
    CM_BREAK_READ,         /* a memory word was read */
    CM_BREAK_WRITE,        /* a memory word was written, in nodes whose context flag is set */
    CM_BREAK_ACCESS,       /* a memory word was read or written */
};

struct cm_break {
    uint32_t number; /* number that cm_debug_add_break gave */
    enum cm_break_kind kind;
    bool temporary; /* true if the breakpoint is deleted once it has stopped the run */
    uint64_t count; /* first hit that stops the run. 0 and 1: the first. */
    uint64_t hits;
    uint64_t since; /* point from which hits count */
    enum cm_op op;
    enum cm_cause cause;
    /* line, step, cycle, number of instructions, address, or instruction of an IMP */
    uint64_t value;
    uint32_t node, dimension, channel; /* CM_DEBUG_ANY: any node, or either channel */
    char name[CM_DEBUG_NAME_MAX + 1];
};

/* Effect that hit a breakpoint. */
struct cm_debug_effect {
    /* Instruction that had the effect: the run of its IMP, and its place. `run` 0: no instruction
     * had it. */
    uint64_t run;
    uint32_t pc;
    uint64_t packet; /* packet that crosses the channel, if the router sends the word */
    uint64_t cycles; /* cycles charged to the cause */
    uint32_t node, dimension, channel, word;
    bool written;
};

enum cm_debug_reason {
    CM_DEBUG_BEGUN,       /* the first point of the program */
    CM_DEBUG_STEPPED,     /* the pace ended here */
    CM_DEBUG_BROKEN,      /* a breakpoint stopped the run */
    CM_DEBUG_INTERRUPTED, /* cm_debug_interrupt stopped the run */
    CM_DEBUG_RETURNED,    /* the run is back at the wanted point */
    /* at the first point, because no breakpoint stops the run before the point that was left */
    CM_DEBUG_FIRST,
    CM_DEBUG_ENDED, /* the program has ended */
};

struct cm_debug_stop {
    enum cm_debug_reason reason;
    struct cm_break hit; /* breakpoint of CM_DEBUG_BROKEN */
    struct cm_debug_effect effect;
};

/* How far to continue. */
enum cm_debug_pace {
    CM_DEBUG_RUN,     /* to the next breakpoint */
    CM_DEBUG_EACH,    /* to the next point */
    CM_DEBUG_OVER,    /* to the next point behind a loop, a call, a run of the router or a step */
    CM_DEBUG_ITERATE, /* to the next iteration of the innermost loop, or to its end */
    CM_DEBUG_FINISH,  /* to the end of the IMP, of the router, of the call or of the step */
    CM_DEBUG_NEW_LINE /* to another source line */
};

struct cm_debug;

struct cm_debug_program {
    void *context;
    /* Makes the run, on one thread. Called each time the program is executed. */
    enum cm_status (*make)(void *context, struct cm_run **run, struct cm_error *err);
    /* Called at each stop. Unless it calls a function that says how to continue, the run continues
     * to the next breakpoint. */
    void (*stopped)(void *context, struct cm_debug *debug);
};

/* Creates a debugger of a program, which is copied. NULL: memory is too short. */
struct cm_debug *cm_debug_create(const struct cm_debug_program *program);
void cm_debug_destroy(struct cm_debug *debug);
/* Executes the program, as often as it takes, until cm_debug_leave. Returns errors of `make` and of
 * the host, such as a lack of memory. How the program itself ended is in cm_debug_result. `err` is
 * not NULL. */
enum cm_status cm_debug_execute(struct cm_debug *debug, struct cm_error *err);

/* ---- during a stop ---- */
const struct cm_debug_at *cm_debug_at(const struct cm_debug *debug);
const struct cm_debug_stop *cm_debug_stop(const struct cm_debug *debug);
struct cm_run *cm_debug_run(const struct cm_debug *debug);
struct cm_machine *cm_debug_machine(const struct cm_debug *debug);
/* Returns, at CM_DEBUG_END, the status of the run. *error is its error. */
enum cm_status cm_debug_result(const struct cm_debug *debug, const struct cm_error **error);

/* Says how to continue when `stopped` returns: to the `times`th end of the pace, or hit of a
 * breakpoint. 0 means 1. */
void cm_debug_resume(struct cm_debug *debug, enum cm_debug_pace pace, uint64_t times);
/* Goes back to an earlier point. 0 means 1. */
void cm_debug_back_to(struct cm_debug *debug, uint64_t point);
/* Goes back to the last point before this one at which a current breakpoint would have stopped the
 * run. */
void cm_debug_back_to_break(struct cm_debug *debug);
void cm_debug_leave(struct cm_debug *debug);
/* Stops the run at the next point. Safe in a signal handler. */
void cm_debug_interrupt(struct cm_debug *debug);

/* Adds a breakpoint, and returns its number. 0: memory is too short. */
uint32_t cm_debug_add_break(struct cm_debug *debug, const struct cm_break *made);
/* Deletes a breakpoint. Returns false if no breakpoint has the number. */
bool cm_debug_delete_break(struct cm_debug *debug, uint32_t number);
uint32_t cm_debug_break_count(const struct cm_debug *debug);
const struct cm_break *cm_debug_break_at(const struct cm_debug *debug, uint32_t i);

/* Returns true if a user who typed `name` means the file `path`: they are equal, or `name` is the
 * last parts of the path. */
bool cm_debug_is_file(const char *path, const char *name);

#endif
