/* What the files of gets and sends share. Not installed. */
#ifndef CM_PROGRAMS_GATHER_GATHER_PRIVATE_H
#define CM_PROGRAMS_GATHER_GATHER_PRIVATE_H

#include "../system/routed.h"
#include "gather.h"

struct cm_gather {
    struct cm_gather_task task;
    struct cm_gather_info info;
};

/* The array that subscripts index, and the one that they are laid out as. */
static inline const struct cm_layout *cm_gather_indexed(const struct cm_gather_task *task)
{
    return task->kind == CM_GATHER_GET ? &task->src : &task->dst;
}
static inline const struct cm_layout *cm_gather_indexing(const struct cm_gather_task *task)
{
    return task->kind == CM_GATHER_GET ? &task->dst : &task->src;
}

/*
 * The packets that leave first, in the order of the elements of the indexing array: what a send
 * sends, or the requests of a get. CM_FAULT for a subscript that is out of range.
 */
enum cm_status cm_gather_list(struct cm_system *system, const struct cm_gather_task *task,
                              const struct cm_gather_arrays *arrays, struct cm_routed *routed,
                              uint64_t *elements, struct cm_error *err);

/* there = there o arrived, in words of the type. */
void cm_gather_combine(enum cm_gather_op op, enum cm_type type, uint32_t *there,
                       const uint32_t *arrived);

#endif
