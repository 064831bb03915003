/* Declarations that the files of the room share: planning and running transposes. Not installed. */
#ifndef CM_PROGRAMS_TRANSPOSE_TRANSPOSE_PRIVATE_H
#define CM_PROGRAMS_TRANSPOSE_TRANSPOSE_PRIVATE_H

#include "../reshape/reshape.h"
#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "../system/packet_list.h"
#include "transpose.h"

/*
 * A transpose by exchanges consists of up to three changes of addresses. Each is a reshape of an
 * array whose dimensions are bits of the address or of the element number. Chains may replace the
 * second change, except for the places of local bits.
 */
enum cm_transpose_change {
    CM_TRANSPOSE_CODE,    /* bits get the Gray code */
    CM_TRANSPOSE_PERMUTE, /* bits change places */
    CM_TRANSPOSE_UNCODE,  /* bits lose the Gray code */
    CM_TRANSPOSE_CHANGES
};
struct cm_transpose_plan {
    struct cm_reshape_task changes[CM_TRANSPOSE_CHANGES];
    bool needed[CM_TRANSPOSE_CHANGES];
    uint32_t dimensions; /* number of cube dimensions whose bit of some element's address changes */
};

struct cm_transpose {
    struct cm_transpose_task task;
    struct cm_transpose_info info;
    struct cm_transpose_plan plan; /* plan of a transpose by exchanges */
    struct cm_compiled *copy;      /* IMPs that copy src to dst */
    /* chains, compiled in place of the second change; without IMPs they are not used */
    struct cm_compiled *chains;
    struct cm_packet_list list; /* packets of a transpose by the router */
};

/* Counts the exchanges of the plan's changes and compiles them. */
enum cm_status cm_transpose_set_up_exchanges(struct cm_system *system, struct cm_transpose *own,
                                             struct cm_error *err);
enum cm_status cm_transpose_exchange(struct cm_system *system, const struct cm_transpose *own,
                                     struct cm_array *dst, struct cm_error *err);

/* Returns whether the layouts exclude exchanges, and writes the reason. */
bool cm_transpose_needs_router(const struct cm_transpose_task *task, char *reason, size_t size);
void cm_transpose_plan_make(const struct cm_transpose_task *task, struct cm_transpose_plan *plan);

/* Lists the move of every element, in the order of the source's elements. */
enum cm_status cm_transpose_list_packets(const struct cm_transpose_task *task,
                                         struct cm_packet_list *list, struct cm_error *err);
enum cm_status cm_transpose_route(struct cm_system *system, const struct cm_transpose *transpose,
                                  uint64_t dst, uint64_t src, struct cm_error *err);

#endif
