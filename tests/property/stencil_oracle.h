/* What a stencil must give, from its definition alone: plain loops over whole arrays on the
 * host. */
#ifndef CM_TESTS_PROPERTY_STENCIL_ORACLE_H
#define CM_TESTS_PROPERTY_STENCIL_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum oracle_number { ORACLE_FLOAT, ORACLE_DOUBLE, ORACLE_INT };

/* An element is `parts` numbers: two of a complex one. */
struct oracle_term {
    const void *source;
    int64_t offset[4];
    const void *coefficient; /* an element, or one for each result */
    bool by_array;
};

struct oracle_stencil {
    uint32_t rank;
    int64_t shape[4];
    enum oracle_number number;
    uint32_t parts;
    uint32_t count;
    struct oracle_term terms[64]; /* in any order */
    bool circular[4];
    const void *boundary[4]; /* end-off: an element, or an array without the axis */
    bool boundary_is_array[4];
};

/* Computes all results, elements in Fortran order. Terms are added by ascending offset, the last
 * axis first, those of equal offsets as given. */
void oracle_stencil(const struct oracle_stencil *stencil, void *results);

#endif
