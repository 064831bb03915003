/* The last stage of the compiler: turns a plan into the instructions of an IMP. It adds what a plan
 * leaves open: the loop over a node's elements, addresses, and the settings of the context. */
#ifndef CM_PROGRAMS_ELEMENTWISE_COMPILE_H
#define CM_PROGRAMS_ELEMENTWISE_COMPILE_H

#include "../../sim/machine/config.h"
#include "near.h"
#include "plan.h"

/* number of elements that a word of the garbage mask has bits for */
#define CM_ELEMENTWISE_GROUP 32u

/* What the IMP depends on in addition to the expression. */
struct cm_elementwise_form {
    uint64_t local_elements;
    bool padded;     /* true if stores are under the garbage mask, because the layout is padded */
    uint32_t vector; /* most elements in a vector */
    uint32_t words;  /* most SRAM words of the unrolled loop body */
    const struct cm_near_form *near; /* offsets of the operands (near.h), or NULL */
    /* true if axes are cut wherever an operand leaves the node, so that all elements are computed
     * in loops */
    bool finely_cut;
    /* for each array argument, the distance between consecutive local elements, in elements. NULL:
     * all distances are 1. */
    const int64_t *pitches;
};

/*
 * Numbers of the address arguments that every elementwise IMP begins with. After them come: the
 * arrays and tables of indices that the expression uses, the halos, the scalars (two for a complex
 * scalar), and the constants.
 */
enum { CM_ELEMENTWISE_SCRATCH, CM_ELEMENTWISE_MASK, CM_ELEMENTWISE_ARRAYS };

struct cm_elementwise_code {
    struct cm_elementwise_form form;
    struct cm_lower lower;
    struct cm_plan schedule;
    uint32_t same[CM_EXPRESSION_ARRAYS_MAX]; /* as in struct cm_plan, with operands at offsets */
    bool declared[CM_MICRO_ARRAYS];          /* true if the array is an argument of the IMP */
    bool used[CM_MICRO_ARRAYS];              /* true if the array is loaded or stored */
    uint32_t array_count; /* number of declared arrays, tables of indices and halos */
    uint32_t group;       /* number of elements in an iteration of the loop */
};

/* Compiles an expression as far as the plan. Returns false if memory runs out. The caller calls
 * cm_elementwise_code_finish in any case. */
bool cm_elementwise_code_init(struct cm_elementwise_code *code,
                              const struct cm_expression *expression,
                              const struct cm_elementwise_form *form);
void cm_elementwise_code_finish(struct cm_elementwise_code *code);

/* Emits the IMP that computes the elements `begin` to `end` - 1 of each group. A group is the
 * elements of one iteration of the loop. Returns NULL if memory runs out. */
struct cm_imp *cm_elementwise_emit(const struct cm_elementwise_code *code, uint32_t begin,
                                   uint32_t end);

/* Emits the IMP of an expression with operands at offsets (near.c). Sets *fits to whether the IMP
 * has enough address registers. Returns NULL if memory runs out. */
struct cm_imp *cm_elementwise_emit_near(const struct cm_elementwise_code *code, bool *fits);

/* Fills in the members of `info` that are means over the elements of a vector. */
enum cm_status cm_elementwise_count(const struct cm_elementwise_code *code,
                                    const struct cm_config *config,
                                    struct cm_elementwise_info *info, struct cm_error *err);

#endif
