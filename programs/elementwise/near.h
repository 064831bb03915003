/*
 * Array statements with operands at offsets. Element i of such an operand is element i + offset of
 * its array. The node holds that element in the array itself or in a halo (system/box.h). The IMP
 * reads each element where it is, so nothing is moved. The caller fills the halos before the call.
 * The same loops serve views whose elements have several distances. Not installed.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_NEAR_H
#define CM_PROGRAMS_ELEMENTWISE_NEAR_H

#include "../../sim/machine/machine.h"
#include "../system/box.h"
#include "elementwise.h"

/* Position of an array argument relative to the element that is computed. */
struct cm_halo_reference {
    const struct cm_halos *halos; /* halos of the array, or NULL for offset 0 */
    int64_t offset[CM_RANK_MAX];  /* offset along each axis, within the reach of the halos */
};

/* Arguments of a call with operands at offsets. nears[k] describes array argument k. */
struct cm_near_arguments {
    struct cm_elementwise_arguments given;
    const struct cm_halo_reference *nears; /* NULL without offsets */
};

/*
 * Does what cm_elementwise_call does, with operands at offsets. Layouts must not be padded then,
 * and an array with offsets must not be assigned to. `entry` says how the first IMP is entered.
 * Charges the cycles to `rehearsal` instead of running the IMPs, unless it is NULL.
 */
struct cm_rehearsal;
enum cm_status cm_elementwise_start(struct cm_system *system,
                                    const struct cm_expression *expression,
                                    const struct cm_near_arguments *arguments, enum cm_entry entry,
                                    struct cm_rehearsal *rehearsal, struct cm_error *err);
/* Does what cm_elementwise_prepare does, with operands at offsets. */
enum cm_status cm_elementwise_prepare_near(struct cm_system *system,
                                           const struct cm_expression *expression,
                                           const struct cm_elementwise_arguments *arguments,
                                           const struct cm_halo_reference *nears,
                                           struct cm_error *err);

/* Returns true for a view that has several distances between consecutive local elements. */
bool cm_elementwise_is_nested(const struct cm_array *view);

/* Operand of the IMP, by the number of its array argument. The IMP depends on all members. */
struct cm_near_operand {
    uint32_t array; /* first argument that is the same array */
    uint32_t halo;  /* index among the halos of the form, or CM_NO_HALO */
    int64_t offset[CM_RANK_MAX];
    bool stepped;      /* true for a view */
    struct cm_box box; /* elements of a view in a node. The offset is 0. */
};
#define CM_NO_HALO UINT32_MAX

struct cm_near_form {
    uint32_t rank;
    struct cm_box own; /* elements of a node, in its arrays */
    struct cm_near_operand operands[CM_EXPRESSION_ARRAYS_MAX];
    const struct cm_halos *halos[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t halo_count;
    int64_t reach[CM_RANK_MAX][CM_BOX_SIDES]; /* furthest offset of any operand, >= 0 */
};

#endif
