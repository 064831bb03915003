/*
 * Array statements with operands at offsets. Element i of such an operand is element i + offset of
 * its array. The node has that element in the array itself or in a halo (system/box.h). The IMP
 * reads each element from there, so nothing is moved. The caller fills the halos before the call.
 * Views with several distances between their elements use the same loops. This header is not
 * installed.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_NEAR_H
#define CM_PROGRAMS_ELEMENTWISE_NEAR_H

#include "../../sim/machine/machine.h"
#include "../system/box.h"
#include "elementwise.h"

/* Position of an array argument's elements relative to the elements that are computed. */
struct cm_halo_reference {
    const struct cm_halos *halos; /* halos of the array, or NULL if its offset is 0 */
    /* offset along each axis in elements, within the reach of the halos */
    int64_t offset[CM_RANK_MAX];
};

/* A band: the local elements with from <= x < to along one axis, in every node. */
struct cm_band {
    uint32_t axis;
    int64_t from, to;
    /* for each array argument, true if the array has only the elements of the band, in the order
     * that they have in a whole array */
    bool held[CM_EXPRESSION_ARRAYS_MAX];
    bool own_indices; /* true if a short table of indices along the axis is only of the band */
};

/* Arguments of a call with operands at offsets. nears[k] describes the offset of array
 * argument k. */
struct cm_near_arguments {
    struct cm_elementwise_arguments given;
    const struct cm_halo_reference *nears; /* NULL if no operand has an offset */
    const struct cm_band *band; /* elements that are computed, or NULL for all elements */
    /*
     * True if arrays that have an offset may be assigned to. The elements are then computed in an
     * order in which each element is read before it is assigned: from the low end of each axis, or
     * from the high end along the axes whose bits are set in `down`. No operand that is assigned to
     * may have an offset against this order, or along an axis that wraps.
     */
    bool ordered;
    uint32_t down;
    /* True if a table of indices has one index for each place along its axis, to save node memory.
     * False if it has one for each element of a node, which padded layouts need. */
    bool short_tables;
    bool ignores_padding; /* true if elements of the padding may be computed and stored */
};

/*
 * Does what cm_elementwise_call does, also for operands at offsets. With offsets or a band, layouts
 * must not be padded. An array that has an offset must not be assigned to, unless `ordered` is true
 * (bands.h assigns any such array). `entry` says how the first IMP is entered. If `rehearsal` is
 * not NULL, charges the cycles to it instead of running the IMPs.
 */
struct cm_rehearsal;
enum cm_status cm_elementwise_start(struct cm_system *system,
                                    const struct cm_expression *expression,
                                    const struct cm_near_arguments *arguments, enum cm_entry entry,
                                    struct cm_rehearsal *rehearsal, struct cm_error *err);
/* Does what cm_elementwise_prepare does, also for operands at offsets. */
enum cm_status cm_elementwise_prepare_near(struct cm_system *system,
                                           const struct cm_expression *expression,
                                           const struct cm_near_arguments *arguments,
                                           struct cm_error *err);

/* Returns true for a view that has several distances between consecutive local elements. */
bool cm_elementwise_is_nested(const struct cm_array *view);

/* Operand of the IMP that is an array argument. The IMP depends on all members. */
struct cm_near_operand {
    uint32_t array; /* number of the first array argument with the same elements */
    uint32_t halo;  /* number of the operand's halos in the list of all halos, or CM_NO_HALO */
    int64_t offset[CM_RANK_MAX];
    bool stepped; /* true if the operand is a view, or has only the elements of a band */
    /* place of the elements of a stepped operand in a node. The box's own offset is 0 */
    struct cm_box box;
};
#define CM_NO_HALO UINT32_MAX

struct cm_near_form {
    uint32_t rank;
    struct cm_box own; /* place of a node's elements in its arrays */
    struct cm_near_operand operands[CM_EXPRESSION_ARRAYS_MAX];
    const struct cm_halos *halos[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t halo_count;
    /* largest offset of any operand to the low and to the high side of each axis, not negative */
    int64_t reach[CM_RANK_MAX][CM_BOX_SIDES];
    /* elements that are computed along each axis: all of a node, or those of a band */
    int64_t from[CM_RANK_MAX], to[CM_RANK_MAX];
    uint32_t down; /* axes along which the elements are computed from the high end, a bit each */
    bool short_tables;                /* as in struct cm_near_arguments */
    struct cm_box lines[CM_RANK_MAX]; /* place of the elements in a short table of indices */
};

#endif
