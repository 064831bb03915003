/* What the files that plan and run transposes share. Not installed. */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_PRIVATE_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_PRIVATE_H

#include "../reshape/reshape.h"
#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "../system/routed.h"
#include "transpose.h"

/*
 * A transpose by exchanges: up to three changes of the addresses, each a reshape of an array whose
 * dimensions are bits of the address or of the element's number. Chains may do the second, up to
 * the places of local bits.
 */
enum cm_transpose_change {
    CM_TRANSPOSE_CODE,    /* bits get their code */
    CM_TRANSPOSE_PERMUTE, /* bits change places */
    CM_TRANSPOSE_UNCODE,  /* bits lose their code */
    CM_TRANSPOSE_CHANGES
};
struct cm_transpose_plan {
    struct cm_reshape_task changes[CM_TRANSPOSE_CHANGES];
    bool needed[CM_TRANSPOSE_CHANGES];
    uint32_t dimensions; /* of the cube, whose bit of some element's address changes */
};

struct cm_transpose {
    struct cm_transpose_task task;
    struct cm_transpose_info info;
    struct cm_transpose_plan plan; /* by exchanges */
    struct cm_compiled *copy;      /* from src to dst */
    struct cm_compiled *chains;    /* compiled before the second change; no IMPs: not used */
    struct cm_routed routed;       /* by the router */
};

/* Changes of addresses by the plan: counts their exchanges and compiles them. */
enum cm_status cm_transpose_set_up_exchanges(struct cm_system *system, struct cm_transpose *own,
                                             struct cm_error *err);
enum cm_status cm_transpose_exchange(struct cm_system *system, const struct cm_transpose *own,
                                     struct cm_array *dst, struct cm_error *err);

/* Why exchanges cannot do it; false when they can. */
bool cm_transpose_needs_router(const struct cm_transpose_task *task, char *reason, size_t size);
void cm_transpose_plan_make(const struct cm_transpose_task *task, struct cm_transpose_plan *plan);

/* The moves of every element, in the order of the source's elements. */
enum cm_status cm_transpose_list_moves(const struct cm_transpose_task *task,
                                       struct cm_routed *routed, struct cm_error *err);
enum cm_status cm_transpose_route(struct cm_system *system, const struct cm_transpose *transpose,
                                  uint64_t dst, uint64_t src, struct cm_error *err);

#endif
