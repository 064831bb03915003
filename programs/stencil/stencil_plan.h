/*
 * The plan of a stencil: where the elements that a node needs are, its own and those of others. A
 * source is extended by halos: the elements of neighbours that some term reaches. Halo (a, side)
 * has the elements outside along axis a, on that side, and not outside along a later axis; along
 * earlier axes it extends into the corners as far as terms do. Not installed.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_PLAN_H
#define CM_PROGRAMS_STENCIL_STENCIL_PLAN_H

#include "../../base/list.h"
#include "../../isa/imp.h"
#include "../../sim/machine/machine.h"
#include "../system/box.h"
#include "stencil.h"

#define CM_STENCIL_SIDES CM_BOX_SIDES

/* How an axis goes on beyond the node. */
enum cm_stencil_beyond {
    CM_BEYOND_WRAPS, /* the axis is in one node and circular: by its own elements */
    CM_BEYOND_HALO,  /* by a halo, from neighbours or with boundary values */
};

struct cm_stencil_source {
    bool used;
    int64_t reach[CM_STENCIL_RANK_MAX][CM_STENCIL_SIDES]; /* furthest offset, >= 0 */
    struct cm_box halos[CM_STENCIL_RANK_MAX][CM_STENCIL_SIDES];
    uint64_t halo_elements;
};

struct cm_stencil_plan {
    const struct cm_config *config;
    struct cm_layout layout;
    struct cm_stencil_pattern pattern; /* terms in the order in which they are added */
    uint32_t source_count, array_count, scalar_count;
    enum cm_stencil_beyond beyond[CM_STENCIL_RANK_MAX];
    int64_t length[CM_STENCIL_RANK_MAX]; /* of an axis in a node */
    struct cm_box own;                   /* the elements of a node, in its arrays */
    struct cm_stencil_source sources[CM_STENCIL_SOURCES_MAX];
};

/* stencil.c: CM_BAD_INPUT for what no stencil can be, compiled or by shifts. */
enum cm_status cm_stencil_check(const struct cm_layout *layout,
                                const struct cm_stencil_pattern *pattern, struct cm_error *err);

void cm_stencil_plan_make(const struct cm_config *config, const struct cm_layout *layout,
                          const struct cm_stencil_pattern *pattern, struct cm_stencil_plan *plan);

/*
 * The arguments of the IMPs, in order: tables, dst, then a source and its halo buffer for each
 * source, the arrays of coefficients, the scalars and the boundaries (two words each if complex).
 */
enum { CM_STENCIL_TABLES, CM_STENCIL_DST, CM_STENCIL_FIRST_SOURCE };
#define CM_STENCIL_ACTUALS_MAX                                                                     \
    (CM_STENCIL_FIRST_SOURCE + 2 * CM_STENCIL_SOURCES_MAX + CM_STENCIL_ARRAYS_MAX +                \
     2 * CM_STENCIL_SCALARS_MAX + 2 * CM_STENCIL_RANK_MAX)
void cm_stencil_declare(const struct cm_stencil_plan *plan, struct cm_imp *imp);
uint32_t cm_stencil_source_argument(const struct cm_stencil_plan *plan, uint32_t source, bool halo);
uint32_t cm_stencil_array_argument(const struct cm_stencil_plan *plan, uint32_t array);
uint32_t cm_stencil_scalar_argument(const struct cm_stencil_plan *plan, uint32_t scalar);
uint32_t cm_stencil_boundary_argument(const struct cm_stencil_plan *plan, uint32_t axis);

/* stencil_exchange.c: the IMPs that fill the halos, one after the other; none when there is nothing
 * to fill. Their tables: a word an axis, and one of masks. */
struct cm_compiled;
uint32_t cm_stencil_table_words(const struct cm_stencil_plan *plan);
void cm_stencil_fill_tables(const void *plan, uint32_t nodes, uint32_t *planes);
enum cm_status cm_stencil_compile_exchange(const struct cm_stencil_plan *plan,
                                           struct cm_compiled *compiled, uint64_t *exchanges,
                                           struct cm_error *err);

/*
 * stencil_boundary.c: axes whose boundary is an array. Its elements go into halos by IMPs of their
 * own, kept in the system's cache, after the exchange; such halos have no corners. Rank one has a
 * scalar instead.
 */
bool cm_stencil_has_boundary_array(const struct cm_stencil_plan *plan, uint32_t a);
bool cm_stencil_has_boundary_arrays(const struct cm_stencil_plan *plan);
/* Compiles the IMPs, and runs them if `run`; `entry` is for the first. */
enum cm_status cm_stencil_fill_boundary_arrays(struct cm_system *system,
                                               const struct cm_stencil_plan *plan,
                                               const uint64_t *halos,
                                               const struct cm_stencil_arguments *arguments,
                                               bool run, enum cm_entry entry, struct cm_error *err);

/* stencil_sweep.c: the IMPs of the sweep, run one after the other. */
struct cm_stencil_sweep {
    int64_t tile[CM_STENCIL_RANK_MAX];
    uint64_t loads;
};
enum cm_status cm_stencil_compile_sweep(const struct cm_stencil_plan *plan,
                                        struct cm_compiled *compiled,
                                        struct cm_stencil_sweep *sweep, struct cm_error *err);

#endif
