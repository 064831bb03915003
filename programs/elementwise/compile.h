/* From a schedule to an IMP: the loops over the subgrid, addresses, the context. */
#ifndef CM_PROGRAMS_ELEMENTWISE_COMPILE_H
#define CM_PROGRAMS_ELEMENTWISE_COMPILE_H

#include "../../sim/machine/config.h"
#include "near.h"
#include "plan.h"

#define CM_ELEMENTWISE_GROUP 32u /* elements of a word of the garbage mask */

/* All that an IMP depends on besides the expression. */
struct cm_elementwise_form {
    uint64_t local_elements;
    bool padded;                     /* store under the garbage mask */
    uint32_t vector;                 /* elements at most */
    uint32_t words;                  /* of SRAM that unrolling may take */
    const struct cm_near_form *near; /* if operands have offsets, else NULL */
    /* Distance of consecutive local elements by array argument, in elements. NULL: 1 for each. */
    const int64_t *pitches;
};

/* The arguments of every elementwise IMP, in order: scratch, mask, the arrays that are used, the
 * tables of indices that are used, the halos, the scalars (two a complex one), the constants. */
enum { CM_ELEMENTWISE_SCRATCH, CM_ELEMENTWISE_MASK, CM_ELEMENTWISE_ARRAYS };

struct cm_elementwise_code {
    struct cm_elementwise_form form;
    struct cm_lower lower;
    struct cm_plan schedule;
    bool declared[CM_MICRO_ARRAYS]; /* an argument */
    bool used[CM_MICRO_ARRAYS];     /* by the micro code */
    uint32_t array_count;           /* declared, with tables and halos */
    uint32_t group;                 /* elements of an iteration of the subgrid loop */
};

/* False when out of memory; finish it in any case. */
bool cm_elementwise_code_init(struct cm_elementwise_code *code,
                              const struct cm_expression *expression,
                              const struct cm_elementwise_form *form);
void cm_elementwise_code_finish(struct cm_elementwise_code *code);

/* The IMP that makes the elements at positions [begin, end) of each group; NULL when out of
 * memory. */
struct cm_imp *cm_elementwise_emit(const struct cm_elementwise_code *code, uint32_t begin,
                                   uint32_t end);

/* near.c: the IMP of operands with offsets; NULL when out of memory. *fits: whether the address
 * registers are enough for it. */
struct cm_imp *cm_elementwise_emit_near(const struct cm_elementwise_code *code, bool *fits);

/* Fills what concerns a vector. */
enum cm_status cm_elementwise_count(const struct cm_elementwise_code *code,
                                    const struct cm_config *config,
                                    struct cm_elementwise_info *info, struct cm_error *err);

#endif
