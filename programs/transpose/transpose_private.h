/* Data that the files of this room share: plan and setup of a transpose. Not installed. */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_PRIVATE_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_PRIVATE_H

#include "../reshape/reshape.h"
#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "../system/packet_list.h"
#include "transpose.h"

/*
 * Changes of the addresses, at most three. Each is a reshape of an array whose dimensions are bits
 * of the address or of the element number. Chains may make the second change, except for the places
 * of local bits.
 */
enum cm_transpose_change {
    CM_TRANSPOSE_CODE,    /* bits get their code */
    CM_TRANSPOSE_PERMUTE, /* bits are permuted */
    CM_TRANSPOSE_UNCODE,  /* bits lose their code */
    CM_TRANSPOSE_CHANGES
};
struct cm_transpose_plan {
    struct cm_reshape_task changes[CM_TRANSPOSE_CHANGES];
    bool needed[CM_TRANSPOSE_CHANGES];
    uint32_t dimensions; /* cube dimensions whose address bit changes for some element */
};

struct cm_transpose {
    struct cm_transpose_task task;
    struct cm_transpose_info info;
    struct cm_transpose_plan plan; /* for CM_TRANSPOSE_EXCHANGE */
    struct cm_compiled *copy;      /* code that copies src to dst */
    struct cm_compiled *chains;    /* code of the second change by chains. Without IMPs: not used */
    struct cm_packet_list list;    /* for CM_TRANSPOSE_ROUTER */
};

/* Plans the address changes, counts their exchanges and compiles them. */
enum cm_status cm_transpose_set_up_exchanges(struct cm_system *system, struct cm_transpose *own,
                                             struct cm_error *err);
enum cm_status cm_transpose_exchange(struct cm_system *system, const struct cm_transpose *own,
                                     struct cm_array *dst, struct cm_error *err);

/* Returns true if exchanges cannot make the transpose, and writes why to `reason`. */
bool cm_transpose_needs_router(const struct cm_transpose_task *task, char *reason, size_t size);
void cm_transpose_plan_make(const struct cm_transpose_task *task, struct cm_transpose_plan *plan);

/* Lists the move of every element, in the order of the source's elements. */
enum cm_status cm_transpose_list_packets(const struct cm_transpose_task *task,
                                         struct cm_packet_list *list, struct cm_error *err);
enum cm_status cm_transpose_route(struct cm_system *system, const struct cm_transpose *transpose,
                                  uint64_t dst, uint64_t src, struct cm_error *err);

#endif
