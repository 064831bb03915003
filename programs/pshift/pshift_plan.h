/*
 * The plan of a PSHIFT: which shifts the IMP takes, their parts, the hops of those that cross
 * nodes, and the communication tables (P 3, 4); and its compiler. A shift's table has two words per
 * node, one for outgoing and one for incoming slots, with a byte for each hop of each part that
 * crosses. Not installed.
 */
#ifndef CM_PROGRAMS_PSHIFT_PSHIFT_PLAN_H
#define CM_PROGRAMS_PSHIFT_PSHIFT_PLAN_H

#include "../../isa/imp.h"
#include "../system/axis_hops.h"
#include "../system/axis_parts.h"
#include "shift.h"

#define CM_PSHIFT_TABLE_WORDS 2u /* a shift; the paper's limit is four */
#define CM_PSHIFT_BY_IMP_MAX  (2 * CM_RANK_MAX)

/* How an end-off boundary gets its constant. */
enum cm_wire { CM_WIRE_NONE, CM_WIRE_ZERO, CM_WIRE_ONE };

struct cm_pshift_part {
    struct cm_axis_part part;
    struct cm_hops hops; /* none: it stays in its node */
    struct cm_runs dst;  /* in elements */
    struct cm_runs src;
};

/* One shift that the IMP performs. */
struct cm_pshift_job {
    uint32_t axis;
    enum cm_wire wire;
    struct cm_pshift_part crossing[2]; /* parts that cross nodes */
    uint32_t crossing_count;
    struct cm_pshift_part local[2]; /* parts that stay */
    uint32_t local_count;
};

/* One shift of the call: taken by the IMP, or left to the run-time library for a reason. */
struct cm_pshift_entry {
    struct cm_pshift_pattern pattern;
    const char *refusal; /* P 4: padded, not NEWS, distance; NULL: the IMP takes it */
    bool third_step;     /* the boundary is filled after the IMP */
};

struct cm_pshift_plan {
    const struct cm_config *config;
    struct cm_layout layout;
    struct cm_pshift_entry entries[CM_PSHIFT_MAX];
    uint32_t count;
    struct cm_pshift_job jobs[CM_PSHIFT_BY_IMP_MAX]; /* of the entries that the IMP takes */
    uint32_t job_count;
    uint64_t exchanges; /* set by the compiler */
};

/* Plans shifts of arrays of one layout: at most two an axis. */
void cm_pshift_plan_make(const struct cm_config *config, const struct cm_layout *layout,
                         const struct cm_pshift_pattern *patterns, uint32_t count,
                         struct cm_pshift_plan *plan);

/* A cm_table_fill for a struct cm_pshift_plan: CM_PSHIFT_TABLE_WORDS planes per job, in order. */
void cm_pshift_fill_tables(const void *plan, uint32_t nodes, uint32_t *planes);

/*
 * Emits the IMP. Arguments, in order: "tables", then "dst1", "src1", "dst2", ... for the jobs. Sets
 * plan->exchanges. CM_BAD_INPUT when the unrolled exchanges do not fit the SRAM.
 */
enum cm_status cm_pshift_compile(struct cm_pshift_plan *plan, bool looped, struct cm_imp **imp,
                                 struct cm_error *err);

#endif
