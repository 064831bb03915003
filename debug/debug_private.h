/* State of the debugger, and the functions that its files share. */
#ifndef CM_DEBUG_DEBUG_PRIVATE_H
#define CM_DEBUG_DEBUG_PRIVATE_H

#include "debug.h"

#include <stdatomic.h>

/* Fate of the run when `stopped` has returned. */
enum cm_debug_then { CM_DEBUG_GO_ON, CM_DEBUG_AGAIN, CM_DEBUG_LEAVE };

/* Search for an earlier point, by executing the program again. */
struct cm_debug_search {
    uint64_t target; /* point to stop at. 0: no search. */
    /* true if the search is for the last point before `target` at which a breakpoint stops the
     * run */
    bool for_break;
    uint64_t found; /* last such point, whose stop is `last`. 0: none yet. */
    struct cm_debug_stop last;
};

struct cm_debug {
    struct cm_debug_program program;
    struct cm_observer observer;
    struct cm_run *run;
    struct cm_machine *machine;
    uint32_t nodes;
    uint64_t *slots; /* [node]: loaded slots in the current exchange */
    struct cm_debug_at at;
    struct cm_debug_stop stop;
    struct cm_break *breaks;
    uint32_t break_count, break_capacity, break_number;
    uint64_t seen[CM_CAUSE_COUNT]; /* cycles of each cause until now */
    uint64_t seen_cycles, seen_instructions;
    bool is_hit; /* true if a breakpoint, `hit`, stops the run at this or the next point */
    struct cm_debug_stop hit;
    /* how to continue */
    enum cm_debug_then then;
    enum cm_debug_pace pace;
    uint64_t times;
    struct cm_debug_at from; /* place from which the run continued */
    uint32_t from_loops;
    struct cm_debug_search search;
    bool begun;
    enum cm_status status; /* status of the run, whose error is `error` */
    struct cm_error error;
    atomic_bool interrupted;
};

/* breaks.c: hit the breakpoints of the point that was reached, and those of effects. */
void cm_debug_match_point(struct cm_debug *debug, const struct cm_counters *counters);
void cm_debug_match_causes(struct cm_debug *debug, const struct cm_counters *counters);
void cm_debug_match_issue(struct cm_debug *debug, const struct cm_observed_issue *issue);
void cm_debug_match_hop(struct cm_debug *debug, const struct cm_debug_hop *hop);
/* Sets all counts of hits to 0, because the program is executed again. */
void cm_debug_forget_hits(struct cm_debug *debug);

/* observe.c: observes the events of the run. */
void cm_debug_observe(struct cm_debug *debug);

/* debug.c: reaches the next point, and stops there if something asks for it. `counters` may be
 * NULL. */
void cm_debug_reach(struct cm_debug *debug, enum cm_debug_place place,
                    const struct cm_counters *counters);

#endif
