/* Visits the elements of an array in the nodes of this process, without a copy on the host. Not
 * installed. */
#ifndef CM_PROGRAMS_SYSTEM_VISIT_H
#define CM_PROGRAMS_SYSTEM_VISIT_H

#include "system.h"

/* Functions of a visit: one of `store` and `read` is NULL. `element` is an element in the form of
 * the host, of at most 16 bytes. */
struct cm_array_visit {
    void *context;
    void (*store)(void *context, uint64_t e, void *element); /* sets element number e */
    void (*read)(void *context, uint64_t e, const void *element);
};

/* Visits all elements of an array in the canonical layout, not in an allocation. `store` is called
 * for every copy of an element, `read` for one copy. */
enum cm_status cm_array_visit(struct cm_system *system, const struct cm_array *array,
                              const struct cm_array_visit *visit, struct cm_error *err);

#endif
