/*
 * A list of packets for the router. Each packet takes one element from a place in one node to a
 * place in another node. The sender (sending.h) runs the list through the router, by its rules for
 * the order and the cost of packets. The programs gather, sort and transpose use these lists. This
 * header is not installed.
 */
#ifndef CM_PROGRAMS_SYSTEM_PACKET_LIST_H
#define CM_PROGRAMS_SYSTEM_PACKET_LIST_H

#include "../../base/list.h"
#include "sending.h"

/* Value in place of a packet number: the node has no further packet. */
#define CM_PACKET_LIST_END UINT32_MAX

/* Packet that carries one element. */
struct cm_listed_packet {
    uint32_t source, destination; /* node numbers */
    uint32_t from, to; /* local element numbers in the source node and in the destination node */
    /* number of the next packet from the same source, or CM_PACKET_LIST_END */
    uint32_t next;
};

/* Packets in the order of the list, with the first and last packet of each source node. */
struct cm_packet_list {
    CM_LIST(struct cm_listed_packet) packets;
    uint32_t nodes;         /* number of nodes of the machine */
    uint32_t *first, *last; /* first and last packet of each source node, or CM_PACKET_LIST_END */
};

/* Begins an empty list for a machine of `nodes` nodes. */
enum cm_status cm_packet_list_init(struct cm_packet_list *list, uint32_t nodes,
                                   struct cm_error *err);
/* Frees the memory of a list. */
void cm_packet_list_finish(struct cm_packet_list *list);
/* Adds a packet at the end of the list. If memory runs out, sets `packets.failed`. */
void cm_packet_list_add(struct cm_packet_list *list, uint32_t source, uint32_t from,
                        uint32_t destination, uint32_t to);

/* Returns the number of copies of an array: if all its axes are SERIAL, every node holds a copy. An
 * element that is sent to a destination goes to all copies of the destination. */
static inline uint32_t cm_packet_list_copies(const struct cm_layout *layout)
{
    return layout->nodes >> layout->used_bits;
}
/* Returns the node that sends an element to node `destination`. `source` is the element's node in
 * the layout of the source array. If every node holds a copy of the source array, the node
 * `destination` sends to itself. */
static inline uint32_t cm_packet_list_source(const struct cm_layout *layout, uint32_t source,
                                             uint32_t destination)
{
    return source | destination >> layout->used_bits << layout->used_bits;
}

/* One run of the router for a list of packets. */
struct cm_packet_run {
    const struct cm_packet_list *list;
    uint32_t words; /* number of words of a packet, which is the number of words of an element */
    /* number of words from one element of src to the next. 0: the same as `words` */
    uint32_t stride;
    struct cm_planes src; /* memory planes of the source array. Empty: no words are read */
    /* Callback that takes the words of a packet on arrival, in the order in which the router
     * delivers packets. */
    void (*deliver)(void *context, const struct cm_listed_packet *packet, const uint32_t *words);
    void *context; /* first argument of `deliver` */
};

/* Fails with CM_BAD_INPUT if elements of `words` words do not fit the router's buffers. */
enum cm_status cm_packet_list_check(const struct cm_system *system, uint32_t words,
                                    struct cm_error *err);
/* Runs the list through the router and charges its time (cm_sending_run). */
enum cm_status cm_packet_list_send(struct cm_system *system, const struct cm_packet_run *run,
                                   struct cm_error *err);

#endif
