/*
 * This header makes the plan of a stencil: where the elements that a node needs are, in its own
 * arrays and in halos.
 *
 * A source has a halo for each axis and side: the elements of neighbours that some term reaches.
 * Halo (a, side) has the elements that are outside the node along axis `a` on that side, and not
 * outside along a later axis. Along earlier axes the halo extends into the corners as far as terms
 * do. This header is not installed.
 */
#ifndef CM_PROGRAMS_STENCIL_STENCIL_PLAN_H
#define CM_PROGRAMS_STENCIL_STENCIL_PLAN_H

#include "../../base/list.h"
#include "../../isa/imp.h"
#include "../../sim/machine/machine.h"
#include "../system/box.h"
#include "stencil.h"

#define CM_STENCIL_SIDES CM_BOX_SIDES

/* Place of the elements that are beyond the end of the node along an axis. */
enum cm_stencil_beyond {
    CM_BEYOND_WRAPS, /* in the node's own array, because the axis is circular and in one node */
    CM_BEYOND_HALO,  /* in a halo, filled by neighbours or with boundary values */
};

struct cm_stencil_source {
    bool used;
    /* furthest offset along each axis and side, in elements, >= 0 */
    int64_t reach[CM_STENCIL_RANK_MAX][CM_STENCIL_SIDES];
    struct cm_box halos[CM_STENCIL_RANK_MAX][CM_STENCIL_SIDES];
    uint64_t halo_elements;
};

struct cm_stencil_plan {
    const struct cm_config *config;
    struct cm_layout layout;
    struct cm_stencil_pattern pattern; /* pattern with its terms in the order of addition */
    uint32_t source_count, array_count, scalar_count;
    enum cm_stencil_beyond beyond[CM_STENCIL_RANK_MAX];
    int64_t length[CM_STENCIL_RANK_MAX]; /* length of each axis within a node */
    /* coordinates of a node's own elements, and their place in an array */
    struct cm_box own;
    struct cm_stencil_source sources[CM_STENCIL_SOURCES_MAX];
};

/* Checks a pattern. Fails with CM_BAD_INPUT if neither the compiler nor shifted copies can compute
 * it (stencil.c). */
enum cm_status cm_stencil_check(const struct cm_layout *layout,
                                const struct cm_stencil_pattern *pattern, struct cm_error *err);

void cm_stencil_plan_make(const struct cm_config *config, const struct cm_layout *layout,
                          const struct cm_stencil_pattern *pattern, struct cm_stencil_plan *plan);

/*
 * Arguments of the IMPs. Their order is: tables, dst, a source and its halo buffer for each source,
 * the arrays of coefficients, the scalars, and the boundary values. A complex scalar or boundary
 * value is two arguments.
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

/* These functions compile the IMPs that fill the halos, and their tables (stencil_exchange.c). If
 * the plan has no halos, there is no IMP. The tables have a word for each axis and one word of
 * masks. */
struct cm_compiled;
uint32_t cm_stencil_table_words(const struct cm_stencil_plan *plan);
void cm_stencil_fill_tables(const void *plan, uint32_t nodes, uint32_t *planes);
enum cm_status cm_stencil_compile_exchange(const struct cm_stencil_plan *plan,
                                           struct cm_compiled *compiled, uint64_t *exchanges,
                                           struct cm_error *err);

/*
 * These functions fill halos from boundary arrays. They use IMPs of their own, which run after the
 * exchange (stencil_boundary.c) and which the system's cache keeps. Such halos have no corners. If
 * the rank is one, the boundary is a scalar instead.
 */
bool cm_stencil_has_boundary_array(const struct cm_stencil_plan *plan, uint32_t a);
bool cm_stencil_has_boundary_arrays(const struct cm_stencil_plan *plan);
/* Compiles the IMPs that fill halos from boundary arrays, and executes them unless `entry` is NULL.
 * *entry says how the first IMP is started, and becomes the kind of start for the code that
 * follows. */
enum cm_status cm_stencil_fill_boundary_arrays(struct cm_system *system,
                                               const struct cm_stencil_plan *plan,
                                               const uint64_t *halos,
                                               const struct cm_stencil_arguments *arguments,
                                               enum cm_entry *entry, struct cm_error *err);

/* Result of compiling a sweep: the size of its tiles, and the number of source elements that it
 * loads. */
struct cm_stencil_sweep {
    int64_t tile[CM_STENCIL_RANK_MAX];
    uint64_t loads;
};
enum cm_status cm_stencil_compile_sweep(const struct cm_stencil_plan *plan,
                                        struct cm_compiled *compiled,
                                        struct cm_stencil_sweep *sweep, struct cm_error *err);

#endif
