/* This header has data that the files of programs/transpose share: the plan of a transpose and the
 * compiled transpose. It is not installed. */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_PRIVATE_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_PRIVATE_H

#include "../reshape/reshape.h"
#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "../system/packet_list.h"
#include "transpose.h"

/*
 * Changes of the elements' addresses, at most three. Each change is a reshape of an array whose
 * dimensions are bits of the address or of the element number. Chains may make the second change,
 * except that they leave some local bits at wrong places.
 */
enum cm_transpose_change {
    CM_TRANSPOSE_CODE,    /* bits get their Gray code */
    CM_TRANSPOSE_PERMUTE, /* the bits of the addresses are permuted */
    CM_TRANSPOSE_UNCODE,  /* bits lose their Gray code */
    CM_TRANSPOSE_CHANGES
};
struct cm_transpose_plan {
    struct cm_reshape_task changes[CM_TRANSPOSE_CHANGES];
    bool needed[CM_TRANSPOSE_CHANGES];
    uint32_t dimensions; /* number of cube dimensions whose address bit changes for some element */
};

struct cm_transpose {
    struct cm_transpose_task task;
    struct cm_transpose_info info;
    struct cm_transpose_plan plan; /* for CM_TRANSPOSE_EXCHANGE */
    struct cm_compiled *copy;      /* IMP that copies src to dst */
    /* IMPs of the second change by chains. Empty: chains are not used */
    struct cm_compiled *chains;
    struct cm_packet_list list; /* for CM_TRANSPOSE_ROUTER */
};

/* Plans the changes of the addresses, counts their exchanges and compiles them. */
enum cm_status cm_transpose_set_up_exchanges(struct cm_system *system, struct cm_transpose *own,
                                             struct cm_error *err);
enum cm_status cm_transpose_exchange(struct cm_system *system, const struct cm_transpose *own,
                                     struct cm_array *dst, struct cm_error *err);

/* Returns true if exchanges cannot perform the transpose, and writes why to `reason`. */
bool cm_transpose_needs_router(const struct cm_transpose_task *task, char *reason, size_t size);
void cm_transpose_plan_make(const struct cm_transpose_task *task, struct cm_transpose_plan *plan);

/* Lists the packet of every element, in the order of the source's elements. */
enum cm_status cm_transpose_list_packets(const struct cm_transpose_task *task,
                                         struct cm_packet_list *list, struct cm_error *err);
enum cm_status cm_transpose_route(struct cm_system *system, const struct cm_transpose *transpose,
                                  uint64_t dst, uint64_t src, struct cm_error *err);

#endif
