/*
 * Copies A or B through the router. A matrix is copied if it is on another grid of nodes than C, or
 * is cut differently along k. Each element is sent to its place in the work area as a packet of its
 * own, in the order of the sending node's memory. Elements that stay in their node are also sent as
 * packets. The sender (system/sending.h) runs the router.
 */
#include "../system/sending.h"
#include "matmul_private.h"

/* Packets of the copy of one matrix. */
struct traffic {
    const struct cm_side *side;     /* side whose work area receives the elements */
    const struct cm_layout *layout; /* layout of the matrix that is copied */
    uint32_t long_axis;             /* number of the matrix's axis that is not k */
};

static uint32_t block_node(const struct cm_axis *axis, uint64_t index)
{
    return cm_axis_encode(axis, (uint32_t)(index / axis->local_length)) << axis->first_dimension;
}

/* Returns the node whose work area gets an element, and sets `element` to the place there. */
static uint32_t place_of(const struct traffic *traffic, const uint64_t index[2], uint64_t *element)
{
    const struct cm_axis *across = &traffic->side->across, *along = &traffic->side->along;
    const uint64_t far = index[traffic->long_axis], k = index[1 - traffic->long_axis];
    *element = far % across->local_length + k % along->local_length * across->local_length;
    return block_node(across, far) | block_node(along, k);
}

/* Finds the indices of a node's local element. Returns false for padding, and for nodes that hold
 * copies of a serial matrix. */
static bool index_of(const struct cm_layout *layout, uint32_t node, uint64_t element,
                     uint64_t index[2])
{
    if (node >> layout->used_bits != 0)
        return false;
    for (uint32_t a = 0; a < 2; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        index[a] = cm_layout_coordinate(layout, node, a) * axis->local_length +
                   element % axis->local_length;
        element /= axis->local_length;
        if (index[a] >= axis->length)
            return false;
    }
    return true;
}

/* Serves as `next` of a cm_sending: computes a node's next packet. The cursor is the number of the
 * next local element. */
static bool next_element(void *context, uint32_t node, uint64_t *cursor,
                         struct cm_sending_packet *packet)
{
    const struct traffic *traffic = context;
    const uint32_t slices = traffic->layout->slices;
    while (*cursor < traffic->layout->local_elements) {
        const uint64_t element = (*cursor)++;
        uint64_t index[2], place;
        if (!index_of(traffic->layout, node, element, index))
            continue;
        *packet = (struct cm_sending_packet){.destination = place_of(traffic, index, &place),
                                             .words = slices,
                                             .from = element * slices};
        packet->to = (uint32_t)(place * slices);
        return true;
    }
    return false;
}

enum cm_status cm_matmul_align_check(struct cm_system *system, const struct cm_matmul *own,
                                     struct cm_error *err)
{
    if (own->sides[0].aligned && own->sides[1].aligned)
        return CM_OK;
    return cm_sending_check(system, own->task.c.slices,
                            ", or lay the arrays of the product on one grid of nodes", err);
}

enum cm_status cm_matmul_align(struct cm_system *system, const struct cm_matmul *own, uint32_t side,
                               const struct cm_array *source, struct cm_error *err)
{
    struct traffic traffic = {
        .side = &own->sides[side], .layout = &source->layout, .long_axis = side};
    struct cm_sending sending = {.nodes = source->layout.nodes,
                                 .words = source->layout.slices,
                                 .next = next_element,
                                 .context = &traffic};
    enum cm_status status = CM_OK;
    if (!cm_machine_timing_only(system->machine)) {
        status = cm_machine_planes(system->machine, source->address, source->layout.local_words,
                                   &sending.src, err);
        if (status == CM_OK)
            status = cm_machine_planes(system->machine, traffic.side->work,
                                       traffic.side->work_words, &sending.dst, err);
    }
    return status == CM_OK ? cm_sending_run(system, &sending, err) : status;
}
