/* This header has declarations that the files of gets and sends share. It is not installed. */
#ifndef CM_PROGRAMS_GATHER_GATHER_PRIVATE_H
#define CM_PROGRAMS_GATHER_GATHER_PRIVATE_H

#include "../system/packet_list.h"
#include "gather.h"

struct cm_gather {
    struct cm_gather_task task;
    struct cm_gather_info info;
};

/* These functions return the layout of the array that subscripts index, and the layout of the
 * arrays that hold subscripts. */
static inline const struct cm_layout *cm_gather_indexed(const struct cm_gather_task *task)
{
    return task->kind == CM_GATHER_GET ? &task->src : &task->dst;
}
static inline const struct cm_layout *cm_gather_indexing(const struct cm_gather_task *task)
{
    return task->kind == CM_GATHER_GET ? &task->dst : &task->src;
}

/*
 * Lists the packets that leave first, in the order of the elements of the subscript arrays. They
 * are the elements of a send, or the requests of a get. Fails with CM_FAULT if a subscript is out
 * of range.
 */
enum cm_status cm_gather_list(struct cm_system *system, const struct cm_gather_task *task,
                              const struct cm_gather_arrays *arrays, struct cm_packet_list *list,
                              uint64_t *elements, struct cm_error *err);

/* Combines an arrived element with the element in the destination: there = there o arrived. Each
 * element is given as the words of its type. */
void cm_gather_combine(enum cm_gather_op op, enum cm_type type, uint32_t *there,
                       const uint32_t *arrived);

#endif
