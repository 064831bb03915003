/*
 * The PSHIFT compiler: from a layout and a list of shifts to one IMP and its communication tables
 * (P 3, 4).
 *
 *   local moves      for each shift, runs of words within a node, in loops
 *   exchanges        load A indirectly, exchange, unload B indirectly, until all elements have crossed; unrolled, or
 *                    looped with four exchanges an iteration
 *   constants        0 (or 1) for end-off boundaries waits in slot 0 of A and comes out of slot 16 of B
 *
 * A word between two hops waits where it will arrive: that place of the destination is not yet
 * needed in any node. A shift's table has two words a node, one for outgoing and one for incoming
 * slots: a byte for each stream and hop.
 */
#ifndef CM_PROGRAMS_PSHIFT_PSHIFT_COMPILE_H
#define CM_PROGRAMS_PSHIFT_PSHIFT_COMPILE_H

#include "../system/axis_parts.h"
#include "../system/system_private.h"
#include "pshift.h"
#include "schedule.h"

#define CM_PSHIFT_TABLE_WORDS 2u /* a shift; the paper's limit is four */
#define CM_PSHIFT_BY_IMP_MAX  (2 * CM_RANK_MAX)
#define CM_PSHIFT_STREAMS_MAX (2 * CM_PSHIFT_BY_IMP_MAX)
#define CM_GROUP_EXCHANGES    4u /* in an iteration of the looped setup (P 4) */

/* How an end-off boundary gets its constant. */
enum cm_wire { CM_WIRE_NONE, CM_WIRE_ZERO, CM_WIRE_ONE };

struct cm_pshift_stream {
    struct cm_part part;
    struct cm_hops route;
    struct cm_runs dst; /* in elements */
    struct cm_runs src;
};

/* One shift that the IMP performs. */
struct cm_pshift_job {
    uint32_t axis;
    int64_t distance; /* circular ones reduced to at most half the axis */
    bool circular;
    enum cm_wire wire;
    uint32_t stream_count;
    struct cm_pshift_stream streams[2]; /* parts that cross nodes */
    uint32_t local_count;
    struct cm_pshift_stream locals[2]; /* parts that stay: no route */
};

struct cm_pshift_plan {
    const struct cm_config *config;
    struct cm_layout layout;
    uint32_t count;
    struct cm_pshift_job jobs[CM_PSHIFT_BY_IMP_MAX];
    uint64_t exchanges;
};

/* Why PSHIFT cannot take a shift (P 4: padded, not NEWS, distance), or NULL; *distance is reduced
 * when circular. */
const char *cm_pshift_refusal(const struct cm_layout *layout,
                              const struct cm_pshift_pattern *pattern, int64_t *distance);

/* Takes one shift, with its reduced distance, into the plan; `wire` as decided for the whole
 * call. */
void cm_pshift_plan_add(struct cm_pshift_plan *plan, const struct cm_pshift_pattern *pattern,
                        int64_t distance, enum cm_wire wire);

/* True when every place that lacks a source lies in a part that crosses nodes, so that the wire can
 * serve it. */
bool cm_pshift_wire_serves(const struct cm_layout *layout, uint32_t axis, int64_t distance);

/* The tables: CM_PSHIFT_TABLE_WORDS planes of plan->layout.nodes words a job, in order. */
void cm_pshift_fill_tables(const struct cm_pshift_plan *plan, uint32_t slots, uint32_t *planes);

/*
 * Emits the IMP. Arguments, in order: "tables", then "dst1", "src1", "dst2", ... for the jobs. Sets
 * plan->exchanges.
 */
enum cm_status cm_pshift_compile(struct cm_pshift_plan *plan, bool looped, const char *name,
                                 struct cm_imp **imp, struct cm_error *err);

#endif
