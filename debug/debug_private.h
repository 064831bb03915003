/* State of the debugger, and the functions that its files share. */
#ifndef CM_DEBUG_DEBUG_PRIVATE_H
#define CM_DEBUG_DEBUG_PRIVATE_H

#include "debug.h"

#include <stdatomic.h>

/* What the run does after the user's function `stopped` has returned. */
enum cm_debug_then { CM_DEBUG_GO_ON, CM_DEBUG_AGAIN, CM_DEBUG_LEAVE };

/* Search for an earlier point of the run, by executing the program again. */
struct cm_debug_search {
    uint64_t target; /* number of the point at which to stop. 0: no search */
    /* true if the search is for the last point before `target` at which a breakpoint stops the
     * run */
    bool for_break;
    /* number of the last point found so far at which a breakpoint stops the run. `last` is the
     * stop. 0: no such point */
    uint64_t found;
    struct cm_debug_stop last;
};

struct cm_debug {
    struct cm_debug_program program;
    struct cm_observer observer;
    struct cm_run *run;
    struct cm_machine *machine;
    uint32_t nodes;
    uint64_t *slots; /* [node]: slots whose words the current exchange sends, a bit each */
    struct cm_debug_at at;
    struct cm_debug_stop stop;
    struct cm_break *breaks;
    uint32_t break_count, break_capacity, break_number;
    uint64_t seen[CM_CAUSE_COUNT]; /* cycles charged to each cause until now */
    uint64_t seen_cycles, seen_instructions;
    /* true if a breakpoint stops the run at this point or the next one. `hit` is the stop */
    bool is_hit;
    struct cm_debug_stop hit;
    /* how the run continues */
    enum cm_debug_then then;
    enum cm_debug_pace pace;
    uint64_t times;
    struct cm_debug_at from; /* point from which the run continued last */
    uint32_t from_loops;
    struct cm_debug_search search;
    bool begun;
    enum cm_status status; /* status with which the run ended. `error` is its error */
    struct cm_error error;
    atomic_bool interrupted;
};

/* These functions of breaks.c count a hit of each breakpoint that waits for the current point, or
 * for an event: cycles charged, an instruction issued, a hop of a packet. */
void cm_debug_match_point(struct cm_debug *debug, const struct cm_counters *counters);
void cm_debug_match_causes(struct cm_debug *debug, const struct cm_counters *counters);
void cm_debug_match_issue(struct cm_debug *debug, const struct cm_observed_issue *issue);
void cm_debug_match_hop(struct cm_debug *debug, const struct cm_debug_hop *hop);
/* Sets the numbers of hits of all breakpoints to 0, because the program is executed again. */
void cm_debug_forget_hits(struct cm_debug *debug);

/* Attaches the observer, which turns events of the run into points and effects. Defined in
 * observe.c. */
void cm_debug_observe(struct cm_debug *debug);

/* Records that the run has reached its next point, and stops the run there if necessary. `counters`
 * may be NULL. Defined in debug.c. */
void cm_debug_reach(struct cm_debug *debug, enum cm_debug_place place,
                    const struct cm_counters *counters);

#endif
