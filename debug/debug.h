/*
 * A debugger's core: plays a run, stops it at breakpoints or step by step, goes back. It prints
 * nothing; who uses it is called at every stop, looks at the machine (sim/machine/inspect.h), and
 * says how to go on.
 *
 *   moment   the run is cut into moments: a step of the workload, a source line, an instruction, a
 *            hop of a packet is about to happen, ...; they are numbered from 1, and every run of
 *            the same program has the same ones, so a moment names a state
 *   stop     at a moment, before what is next there happens. An effect (a cause, a word over a
 *            channel, an access) stops at the moment after it
 *   back     the machine cannot run backwards: the program is played again from its start, up to
 *            the moment wanted
 *
 * The run is observed, on one thread, one instruction after the other; results and cycles are those
 * of any run.
 */
#ifndef CM_DEBUG_DEBUG_H
#define CM_DEBUG_DEBUG_H

#include "../programs/workload/workload.h"

#define CM_DEBUG_NAME_MAX 511u
#define CM_DEBUG_ANY      UINT32_MAX

/* What is next. */
enum cm_debug_place {
    CM_DEBUG_STEP,        /* a step of the workload */
    CM_DEBUG_LINE,        /* a statement of a program's source */
    CM_DEBUG_INSTRUCTION, /* of an IMP */
    CM_DEBUG_ROUTER,      /* the router begins */
    CM_DEBUG_HOP,         /* in the router: a packet goes on, see `hop` */
    CM_DEBUG_ROUTED,      /* the router has ended */
    CM_DEBUG_END,         /* nothing: the program has ended */
};

/* Where the program is. Texts are those of the run. */
struct cm_debug_at {
    enum cm_debug_place place;
    uint64_t point;
    uint64_t step;          /* number of the step under way as they are run, from 1; 0: none yet */
    const char *op, *where; /* of that step: its kind, its JSON pointer */
    /* The last source line that began; file NULL: no line of this step has. */
    const char *file, *source;
    size_t source_length;
    uint32_t line, depth;
    const struct cm_imp *imp; /* that runs; NULL: none */
    uint64_t runs;            /* of IMPs until now, this one included */
    uint32_t pc;
    bool routing;
    uint64_t router_cycle; /* of its word time 0 */
    uint32_t router_dimensions;
    struct cm_debug_hop {
        uint64_t packet;
        uint32_t node, dimension, channel;
        uint64_t asked, first; /* word times */
    } hop;
};

enum cm_break_kind {
    CM_BREAK_OP,           /* an instruction of a name is next */
    CM_BREAK_INSTRUCTION,  /* instruction `value` of IMP `name` is next */
    CM_BREAK_LINE,         /* line `value` of file `name` is next */
    CM_BREAK_STEP,         /* step `value`, or the one at JSON pointer `name`, is next */
    CM_BREAK_CYCLE,        /* so many cycles have been charged */
    CM_BREAK_INSTRUCTIONS, /* so many instructions have been issued */
    CM_BREAK_CAUSE,        /* cycles were charged to a cause */
    CM_BREAK_CHANNEL,      /* a channel carried a word */
    CM_BREAK_READ,         /* a memory word was read */
    CM_BREAK_WRITE,        /* written: in nodes whose context flag is set */
    CM_BREAK_ACCESS,       /* either */
};

struct cm_break {
    uint32_t number; /* given by cm_debug_add_break */
    enum cm_break_kind kind;
    bool temporary; /* is deleted when it has stopped the run */
    uint64_t count; /* stops from this hit on; 0 and 1: from the first */
    uint64_t hits;
    uint64_t since; /* the moment from which hits count */
    enum cm_op op;
    enum cm_cause cause;
    uint64_t value;                    /* a line, cycle, address, ... */
    uint32_t node, dimension, channel; /* CM_DEBUG_ANY: any node, either channel */
    char name[CM_DEBUG_NAME_MAX + 1];
};

/* What an effect was. */
struct cm_debug_effect {
    /* The instruction that had it: of which run of an IMP (`runs`), and where; 0: none had. */
    uint64_t run;
    uint32_t pc;
    uint64_t packet; /* that crosses the channel, when no instruction does it */
    uint64_t cycles; /* charged to the cause */
    uint32_t node, dimension, channel, word;
    bool written;
};

enum cm_debug_reason {
    CM_DEBUG_BEGUN,       /* the program's first moment */
    CM_DEBUG_STEPPED,     /* as asked */
    CM_DEBUG_BROKEN,      /* by a breakpoint */
    CM_DEBUG_INTERRUPTED, /* by cm_debug_interrupt */
    CM_DEBUG_RETURNED,    /* back where the user wanted */
    CM_DEBUG_FIRST,       /* at the first moment: no breakpoint stops before the one it left */
    CM_DEBUG_ENDED,       /* the program has ended */
};

struct cm_debug_stop {
    enum cm_debug_reason reason;
    struct cm_break hit; /* of BROKEN */
    struct cm_debug_effect effect;
};

/* How to go on. */
enum cm_debug_pace {
    CM_DEBUG_RUN,     /* to the next break */
    CM_DEBUG_EACH,    /* to the next moment */
    CM_DEBUG_OVER,    /* the same, but over a loop, a call, a run of the router, a step */
    CM_DEBUG_ITERATE, /* to the end of this iteration of the innermost loop */
    CM_DEBUG_FINISH,  /* to the end of the IMP, call or step */
    CM_DEBUG_NEW_LINE /* to another source line */
};

struct cm_debug;

struct cm_debug_program {
    void *context;
    /* Makes the run, on one thread; as often as it is played again. */
    enum cm_status (*make)(void *context, struct cm_run **run, struct cm_error *err);
    /* The run stands. Without a call that says how to go on, it goes on to the next break. */
    void (*stopped)(void *context, struct cm_debug *debug);
};

/* NULL when out of memory. The program is copied. */
struct cm_debug *cm_debug_create(const struct cm_debug_program *program);
void cm_debug_destroy(struct cm_debug *debug);
/* Plays the program until cm_debug_leave. An error is one of `make` or of the host, as lack of
 * memory; how the program itself ended is in cm_debug_result. `err` is not NULL. */
enum cm_status cm_debug_execute(struct cm_debug *debug, struct cm_error *err);

/* While it stands: */
const struct cm_debug_at *cm_debug_at(const struct cm_debug *debug);
const struct cm_debug_stop *cm_debug_stop(const struct cm_debug *debug);
struct cm_run *cm_debug_run(const struct cm_debug *debug);
struct cm_machine *cm_debug_machine(const struct cm_debug *debug);
/* At CM_DEBUG_END: what the run returned, and its error. */
enum cm_status cm_debug_result(const struct cm_debug *debug, const struct cm_error **error);

/* How it goes on when `stopped` returns. `times`: stops of the pace, or hits of breaks, that count
 * as one; 0 as 1. */
void cm_debug_resume(struct cm_debug *debug, enum cm_debug_pace pace, uint64_t times);
/* To an earlier moment; 0 as 1. */
void cm_debug_back_to(struct cm_debug *debug, uint64_t point);
/* To the last moment before this one at which a breakpoint of now would have stopped the run. */
void cm_debug_back_to_break(struct cm_debug *debug);
void cm_debug_leave(struct cm_debug *debug);
/* Stops at the next moment; safe in a signal handler. */
void cm_debug_interrupt(struct cm_debug *debug);

/* Adds a breakpoint, and returns its number; 0 when out of memory. */
uint32_t cm_debug_add_break(struct cm_debug *debug, const struct cm_break *made);
/* False when no breakpoint has the number. */
bool cm_debug_delete_break(struct cm_debug *debug, uint32_t number);
uint32_t cm_debug_break_count(const struct cm_debug *debug);
const struct cm_break *cm_debug_break_at(const struct cm_debug *debug, uint32_t i);

/* Whether a path is the file that a user means: all of it, or its last parts. */
bool cm_debug_is_file(const char *path, const char *name);

#endif
