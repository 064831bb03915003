/*
 * This header declares gets and sends by general subscripts: elements are fetched from the places
 * that subscripts give, or sent there, through the router. docs/programs/gather.md has the meaning,
 * the order of collisions and the costs.
 *
 *     get     dst(i) = src(subscripts(i))         a request and a reply for each element
 *     send    dst(subscripts(i)) o= src(i)        a packet for each element
 *
 * Subscripts are int32 arrays, one for each axis of the indexed array, which is the src of a get or
 * the dst of a send. The subscripts and the mask have the shape and layout of the other array.
 *
 * A program prepares a get or a send for two layouts (cm_gather_setup), calls it with arrays as
 * often as it likes, and deallocates it, as with PSHIFT. A call reads the subscripts, lists the
 * packets, runs the router (system/packet_list.h) and writes the elements.
 *
 * Invariants:
 *
 *   - All subscripts are checked before any packet is sent, so a fault changes no array.
 *   - Elements that meet at one place are combined in Fortran order, whatever the order of arrival.
 *   - Only the router takes cycles.
 *
 * Files: gather.c (checks and calls), gather_list.c (packets from subscripts), gather_combine.c
 * (the operations).
 */
#ifndef CM_PROGRAMS_GATHER_GATHER_H
#define CM_PROGRAMS_GATHER_GATHER_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Kind of transfer. Get: dst(i) = src(s(i)). Send: dst(s(i)) = src(i). s(i) is the place that the
 * subscripts give for i. */
enum cm_gather_kind { CM_GATHER_GET, CM_GATHER_SEND };

/* Operation by which a send combines an element with the element in the destination. */
enum cm_gather_op {
    CM_GATHER_OVERWRITE, /* replaces the element, for any type */
    CM_GATHER_ADD,       /* for real, complex and int32 (modulo 2^32) elements */
    CM_GATHER_MIN,       /* for real and int32 elements */
    CM_GATHER_MAX,       /* for real and int32 elements */
    CM_GATHER_AND,       /* for int32 elements, bit by bit, and for logical elements */
    CM_GATHER_OR,
    CM_GATHER_XOR,
    CM_GATHER_OPS
};
CM_API const char *cm_gather_op_name(enum cm_gather_op op); /* returns "overwrite" and so on */
CM_API bool cm_gather_takes(enum cm_gather_op op, enum cm_type type);

/* Arguments of a get or a send. */
struct cm_gather_task {
    enum cm_gather_kind kind; /* kind: get or send */
    enum cm_gather_op op;     /* operation of a send. A get ignores it */
    /* layouts of destination and source, of equal types and any shapes */
    struct cm_layout dst, src;
    uint32_t first; /* subscript of the first element along an axis: 0 or 1 */
    bool masked;    /* true if elements whose mask is false take no part */
};

/* Arrays of a call of a get or a send. */
struct cm_gather_arrays {
    /* Destination, which must not be src. It may be a subscript array or the mask, because these
     * are read before dst is written. */
    struct cm_array *dst;
    const struct cm_array *src; /* source, with the layout of the arguments */
    /* subscript arrays, one for each axis of the indexed array */
    const struct cm_array *subscripts[CM_RANK_MAX];
    const struct cm_array *mask; /* mask. NULL unless the transfer is masked */
};

struct cm_gather;

/* Prepares gets or sends. Fails with CM_BAD_INPUT if the types differ, the operation does not take
 * the type, or an element does not fit the router's buffers. */
CM_API enum cm_status cm_gather_setup(struct cm_system *system, const struct cm_gather_task *task,
                                      struct cm_gather **gather, struct cm_error *err);
/*
 * Performs a get or a send. Fails with CM_FAULT if a subscript is outside the indexed array, and
 * then changes no array. The cycles depend on subscripts and mask. On a machine without data the
 * subscript arrays and the mask must be held (system.h), otherwise the call fails with
 * CM_BAD_INPUT.
 */
CM_API enum cm_status cm_gather_call(struct cm_system *system, struct cm_gather *gather,
                                     const struct cm_gather_arrays *arrays, struct cm_error *err);
CM_API void cm_gather_deallocate(struct cm_gather *gather); /* NULL is allowed */

/* Counts of the last get or send, for people and tests. */
struct cm_gather_info {
    uint64_t elements; /* number of elements that took part */
    uint64_t packets;  /* number of packets, where requests and replies count separately */
    /* number of elements sent to a place to which the call had already sent another element */
    uint64_t collisions;
};
CM_API struct cm_gather_info cm_gather_info(const struct cm_gather *gather);

CM_END_DECLS

#endif
