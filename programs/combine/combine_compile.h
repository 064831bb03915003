/* What cm_combine hands to its compiler. Not installed. */
#ifndef CM_PROGRAMS_COMBINE_COMBINE_COMPILE_H
#define CM_PROGRAMS_COMBINE_COMBINE_COMPILE_H

#include "../../isa/imp.h"
#include "combine.h"

#define CM_COMBINE_GROUP 32u /* elements of a word of the garbage mask */
/* Elements worked on together, so that each array's page is opened once for four. */
#define CM_COMBINE_VECTOR 4u

/* A term as the IMP sees it: which of the call's distinct arrays and scalars it takes, not what
 * they are. */
struct cm_combine_term {
    uint8_t array;       /* number of the array */
    uint8_t by_array;    /* the coefficient is an array, too */
    uint8_t coefficient; /* number of the array, or of the scalar */
};

/* All that an IMP depends on. */
struct cm_combine_form {
    enum cm_type type;
    bool padded; /* store under the garbage mask */
    uint64_t local_elements;
    uint32_t array_count;
    uint32_t scalar_count;
    uint32_t term_count;
    struct cm_combine_term terms[CM_TERMS_MAX];
};

/*
 * The arguments of every combine IMP, in order: dst, partial, mask, the arrays, the scalars (two a
 * complex one). `partial` holds the sums between passes; dst itself may serve.
 */
enum { CM_COMBINE_DST, CM_COMBINE_PARTIAL, CM_COMBINE_MASK, CM_COMBINE_ARRAYS };

/* The first term for which the pass that begins at term `first` has no registers left. */
uint32_t cm_combine_pass_end(const struct cm_combine_form *form, uint32_t first);

/*
 * Compiles the IMP that makes the elements at positions [begin, end) of each group: of
 * CM_COMBINE_VECTOR elements, or of CM_COMBINE_GROUP under the mask. NULL when out of memory.
 */
struct cm_imp *cm_combine_compile(const struct cm_combine_form *form, uint32_t begin, uint32_t end);

#endif
