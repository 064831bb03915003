/*
 * General subscripts: elements fetched from the places that subscripts give, or sent there, through
 * the router. docs/programs/gather.md has the meaning, the order of collisions and the costs.
 *
 *     get     dst(i) = src(subscripts(i))         a request and a reply for each element
 *     send    dst(subscripts(i)) o= src(i)        a packet for each element
 *
 * Subscripts are int32 arrays, one for each axis of the indexed array: src of a get, dst of a send.
 * The subscripts and the mask have the shape and layout of the other array.
 *
 * The interface is that of PSHIFT: a setup for layouts and a task, calls with arrays, deallocation.
 * A call reads the subscripts, lists the packets, runs the router (system/packet_list.h) and writes
 * the elements.
 *
 * Invariants:
 *
 *   - All subscripts are checked before anything is sent, so a fault changes nothing.
 *   - Elements that meet at one place are combined in Fortran order, whatever the order of arrival.
 *   - Only the router takes time.
 *
 * Files: gather.c (setups and calls), gather_list.c (packets from subscripts), gather_combine.c
 * (the operations).
 */
#ifndef CM_PROGRAMS_GATHER_GATHER_H
#define CM_PROGRAMS_GATHER_GATHER_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* get: dst(i) = src(s(i)). send: dst(s(i)) = src(i). */
enum cm_gather_kind { CM_GATHER_GET, CM_GATHER_SEND };

/* Operation by which a send combines its element with the element in the destination. */
enum cm_gather_op {
    CM_GATHER_OVERWRITE, /* any type */
    CM_GATHER_ADD,       /* real, complex, int32 modulo 2^32 */
    CM_GATHER_MIN,       /* real, int32 */
    CM_GATHER_MAX,       /* real, int32 */
    CM_GATHER_AND,       /* int32, bit by bit, and logical */
    CM_GATHER_OR,
    CM_GATHER_XOR,
    CM_GATHER_OPS
};
CM_API const char *cm_gather_op_name(enum cm_gather_op op); /* "overwrite", ... */
CM_API bool cm_gather_takes(enum cm_gather_op op, enum cm_type type);

/* Parameters of a get or send. */
struct cm_gather_task {
    enum cm_gather_kind kind;  /* get or send, by subscripts */
    enum cm_gather_op op;      /* operation of a send */
    struct cm_layout dst, src; /* equal types, any shapes */
    uint32_t first;            /* index of the first element along an axis: 0 or 1 */
    bool masked;               /* True if elements whose mask is false take no part */
};

/* Arrays of a call. */
struct cm_gather_arrays {
    /* not src. It may be a subscript or the mask, which are read before dst is written */
    struct cm_array *dst;
    const struct cm_array *src;                     /* source, laid out as the task says */
    const struct cm_array *subscripts[CM_RANK_MAX]; /* one for each axis of the indexed array */
    const struct cm_array *mask;                    /* NULL unless the task is masked */
};

struct cm_gather;

/* Makes a setup. Fails with CM_BAD_INPUT for types that differ or that the operation does not take,
 * and for elements that do not fit the router's buffers. */
CM_API enum cm_status cm_gather_setup(struct cm_system *system, const struct cm_gather_task *task,
                                      struct cm_gather **gather, struct cm_error *err);
/*
 * Performs a get or send. Fails with CM_FAULT for a subscript beyond the indexed array, and then
 * changes nothing. Subscripts and the mask decide the cost. On a machine without data their arrays
 * must be held (system.h), else the call fails with CM_BAD_INPUT.
 */
CM_API enum cm_status cm_gather_call(struct cm_system *system, struct cm_gather *gather,
                                     const struct cm_gather_arrays *arrays, struct cm_error *err);
CM_API void cm_gather_deallocate(struct cm_gather *gather); /* NULL is allowed */

/* Counts of the last call, for people and tests. */
struct cm_gather_info {
    uint64_t elements;   /* elements that took part */
    uint64_t packets;    /* packets, requests and replies counted separately */
    uint64_t collisions; /* elements sent to a place to which the call had sent another element */
};
CM_API struct cm_gather_info cm_gather_info(const struct cm_gather *gather);

CM_END_DECLS

#endif
