/*
 * This header has the plan of a PSHIFT, its communication tables and its compiler (sections 3 and 4
 * of the PSHIFT paper). The plan says which shifts the IMP performs, the parts of these shifts, and
 * the hops of the parts that cross nodes.
 *
 * The table of a shift has two words in each node, one for outgoing and one for incoming slots.
 * Each word has a byte for each hop of each part that crosses. This header is not installed.
 */
#ifndef CM_PROGRAMS_PSHIFT_PSHIFT_PLAN_H
#define CM_PROGRAMS_PSHIFT_PSHIFT_PLAN_H

#include "../../isa/imp.h"
#include "../system/axis_hops.h"
#include "../system/axis_parts.h"
#include "shift.h"

/* number of table words for each shift. The PSHIFT paper allows four */
#define CM_PSHIFT_TABLE_WORDS 2u
#define CM_PSHIFT_BY_IMP_MAX  (2 * CM_RANK_MAX)

/* Constant that the wire between the two chips of a node delivers, as the boundary of end-off
 * shifts. */
enum cm_wire { CM_WIRE_NONE, CM_WIRE_ZERO, CM_WIRE_ONE };

struct cm_pshift_part {
    struct cm_axis_part part;
    struct cm_hops hops; /* hops to the other node. None if the part stays in its node */
    struct cm_runs dst;  /* runs of elements in the destination, and then in the source */
    struct cm_runs src;
};

/* Job: a shift that the IMP performs. */
struct cm_pshift_job {
    uint32_t axis;
    enum cm_wire wire;
    struct cm_pshift_part crossing[2]; /* parts that cross nodes */
    uint32_t crossing_count;
    struct cm_pshift_part local[2]; /* parts that stay in their node */
    uint32_t local_count;
};

/* Shift of a PSHIFT call, which the IMP or the run-time library performs. */
struct cm_pshift_entry {
    struct cm_pshift_pattern pattern;
    /* reason why the run-time library performs the shift (section 4 of the PSHIFT paper). NULL: the
     * IMP does */
    const char *refusal;
    bool third_step; /* true if the boundary is filled after the IMP, in the third step */
};

struct cm_pshift_plan {
    const struct cm_config *config;
    struct cm_layout layout;
    struct cm_pshift_entry entries[CM_PSHIFT_MAX];
    uint32_t count;
    struct cm_pshift_job jobs[CM_PSHIFT_BY_IMP_MAX]; /* shifts that the IMP performs */
    uint32_t job_count;
    uint64_t exchanges; /* number of exchanges, which the compiler sets */
    /* True to order the code so that exchanges hide other work. It helps only on a machine that
     * overlaps exchanges with other work. */
    bool overlap;
};

/* Plans the shifts of a PSHIFT for arrays of one layout. An axis has at most two shifts. */
void cm_pshift_plan_make(const struct cm_config *config, const struct cm_layout *layout,
                         const struct cm_pshift_pattern *patterns, uint32_t count,
                         struct cm_pshift_plan *plan);

/* Fills the tables of a struct cm_pshift_plan: CM_PSHIFT_TABLE_WORDS planes for each job. This
 * function is a cm_table_fill. */
void cm_pshift_fill_tables(const void *plan, uint32_t nodes, uint32_t *planes);

/*
 * Compiles the IMP of a plan and sets plan->exchanges. The IMP has the arguments "tables", then
 * "dst1", "src1", "dst2", ... for the jobs. Fails with CM_BAD_INPUT if the unrolled exchanges do
 * not fit the SRAM.
 */
enum cm_status cm_pshift_compile(struct cm_pshift_plan *plan, bool looped, struct cm_imp **imp,
                                 struct cm_error *err);

#endif
