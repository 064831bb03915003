/* What the files of debug/ share. */
#ifndef CM_DEBUG_DEBUG_PRIVATE_H
#define CM_DEBUG_DEBUG_PRIVATE_H

#include "debug.h"

#include <stdatomic.h>

/* What happens to the run when `stopped` has returned. */
enum cm_debug_then { CM_DEBUG_GO_ON, CM_DEBUG_AGAIN, CM_DEBUG_LEAVE };

/* What an earlier moment is looked for, by playing the program again. */
struct cm_debug_search {
    uint64_t target; /* the moment to come to; 0: none */
    bool for_break;  /* the last one before it at which a breakpoint stops, in `last` at `found` */
    uint64_t found;  /* 0: none yet */
    struct cm_debug_stop last;
};

struct cm_debug {
    struct cm_debug_program program;
    struct cm_observer observer;
    struct cm_run *run;
    struct cm_machine *machine;
    uint32_t nodes;
    uint64_t *slots; /* [node]: of an exchange */
    struct cm_debug_at at;
    struct cm_debug_stop stop;
    struct cm_break *breaks;
    uint32_t break_count, break_capacity, break_number;
    uint64_t seen[CM_CAUSE_COUNT]; /* cycles of causes until now */
    uint64_t seen_cycles, seen_instructions;
    bool is_hit; /* a breakpoint stops the run at this or the next moment: */
    struct cm_debug_stop hit;
    /* how it goes on */
    enum cm_debug_then then;
    enum cm_debug_pace pace;
    uint64_t times;
    struct cm_debug_at from; /* where it went on */
    uint32_t from_loops;
    struct cm_debug_search search;
    bool begun;
    enum cm_status status; /* of the run, and its error */
    struct cm_error error;
    atomic_bool interrupted;
};

/* breaks.c: breakpoints at the moment that has come, and for effects of what is under way. */
void cm_debug_match_point(struct cm_debug *debug, const struct cm_counters *counters);
void cm_debug_match_causes(struct cm_debug *debug, const struct cm_counters *counters);
void cm_debug_match_issue(struct cm_debug *debug, const struct cm_observed_issue *issue);
void cm_debug_match_hop(struct cm_debug *debug, const struct cm_debug_hop *hop);
/* Hits count again from the start. */
void cm_debug_forget_hits(struct cm_debug *debug);

/* observe.c */
void cm_debug_observe(struct cm_debug *debug);

/* debug.c: a moment has come; `counters` may be NULL. */
void cm_debug_reach(struct cm_debug *debug, enum cm_debug_place place,
                    const struct cm_counters *counters);

#endif
