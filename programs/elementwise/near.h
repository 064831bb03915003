/*
 * Array statements with operands at offsets: element i of such an operand is element i + offset of
 * its array, which the node has in the array itself or in halos (system/box.h). Nothing is moved
 * for it: the IMP reads each element where it is. Whoever calls fills the halos before. The same
 * loops serve views whose elements have several distances. Not installed.
 */
#ifndef CM_PROGRAMS_ELEMENTWISE_NEAR_H
#define CM_PROGRAMS_ELEMENTWISE_NEAR_H

#include "../../sim/machine/machine.h"
#include "../system/box.h"
#include "elementwise.h"

/* Of an array argument: where element 0 is read. Without halos: at the element itself. */
struct cm_near {
    const struct cm_halos *halos; /* of the array, or NULL */
    int64_t offset[CM_RANK_MAX];  /* axis by axis; at most as far as the halos reach */
};

/* As cm_elementwise_call and cm_elementwise_prepare; nears[k] is about array argument k. Layouts
 * are not padded. An array with offsets must not be assigned to. `entry` is for the first IMP. */
enum cm_status cm_elementwise_call_near(struct cm_system *system,
                                        const struct cm_expression *expression,
                                        struct cm_array *const *arrays, uint32_t array_count,
                                        const struct cm_scalar *scalars, uint32_t scalar_count,
                                        const struct cm_near *nears, enum cm_entry entry,
                                        struct cm_error *err);
enum cm_status cm_elementwise_prepare_near(struct cm_system *system,
                                           const struct cm_expression *expression,
                                           struct cm_array *const *arrays, uint32_t array_count,
                                           const struct cm_near *nears, struct cm_error *err);

/* Returns true for a view that has several distances between consecutive local elements. */
bool cm_elementwise_is_nested(const struct cm_array *view);

/* What the IMP depends on. Operands by the number of their array argument. */
struct cm_near_operand {
    uint32_t array; /* the first argument that is the same array */
    uint32_t halo;  /* among those of the form; CM_NO_HALO: no offset */
    int64_t offset[CM_RANK_MAX];
    bool stepped;      /* true for a view */
    struct cm_box box; /* elements of a view in a node. The offset is 0. */
};
#define CM_NO_HALO UINT32_MAX

struct cm_near_form {
    uint32_t rank;
    struct cm_box own; /* the elements of a node, in its arrays */
    struct cm_near_operand operands[CM_EXPRESSION_ARRAYS_MAX];
    const struct cm_halos *halos[CM_EXPRESSION_ARRAYS_MAX];
    uint32_t halo_count;
    int64_t reach[CM_RANK_MAX][CM_BOX_SIDES]; /* furthest offset of any operand, >= 0 */
};

#endif
