/* The elements of an array one by one, where they are: those of this process's nodes. Not
 * installed. */
#ifndef CM_PROGRAMS_SYSTEM_VISIT_H
#define CM_PROGRAMS_SYSTEM_VISIT_H

#include "system.h"

/* One of the functions is NULL; `element` is as the host holds it (at most 16 bytes). */
struct cm_array_visit {
    void *context;
    void (*store)(void *context, uint64_t e, void *element); /* sets element number e */
    void (*read)(void *context, uint64_t e, const void *element);
};

/* An array with a layout, not with an allocation of its own. Stored are all copies of an element;
 * read is one of them. */
enum cm_status cm_array_visit(struct cm_system *system, const struct cm_array *array,
                              const struct cm_array_visit *visit, struct cm_error *err);

#endif
