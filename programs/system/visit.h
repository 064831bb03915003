/* Visits the elements of an array in the nodes of this process, without a copy of the array on the
 * host. This header is not installed. */
#ifndef CM_PROGRAMS_SYSTEM_VISIT_H
#define CM_PROGRAMS_SYSTEM_VISIT_H

#include "system.h"

/* Functions that are called for each element. One of `store` and `read` is NULL. `element` is the
 * element's value as on the host, of at most 16 bytes. */
struct cm_array_visit {
    void *context;
    /* writes the value of element number e to `element` */
    void (*store)(void *context, uint64_t e, void *element);
    void (*read)(void *context, uint64_t e, const void *element);
};

/* Visits all elements of an array in the canonical layout, not in an allocation. Where several
 * nodes hold copies of an element, `store` is called for every copy and `read` for one of them. */
enum cm_status cm_array_visit(struct cm_system *system, const struct cm_array *array,
                              const struct cm_array_visit *visit, struct cm_error *err);

#endif
