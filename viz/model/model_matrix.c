/* The matrix of source and destination nodes: packets of the router, or words of exchanges between
 * neighbours. */
#include "packets_private.h"

#include <string.h>

static bool allocate(struct cm_view_packets *packets)
{
    size_t cells = (size_t)CM_VIEW_MATRIX_SIDE * CM_VIEW_MATRIX_SIDE;
    if (packets->matrix == NULL)
        packets->matrix = calloc(2 * cells, sizeof *packets->matrix);
    packets->no_memory = packets->no_memory || packets->matrix == NULL;
    return packets->matrix != NULL;
}

struct filling {
    const struct cm_view_run *run;
    double *cells, *counts;
    uint32_t side;
};

static void add(const struct filling *fill, uint32_t source, uint32_t destination, double value)
{
    uint64_t row = (uint64_t)source * fill->side / fill->run->info->nodes;
    uint64_t column = (uint64_t)destination * fill->side / fill->run->info->nodes;
    fill->cells[row * fill->side + column] += value;
    fill->counts[row * fill->side + column] += 1;
}

static double value_of(const struct cm_trace_packet *packet, enum cm_view_quantity quantity)
{
    bool arrived = packet->arrived_cycle != UINT64_MAX;
    switch (quantity) {
    case CM_VIEW_QUANTITY_WORDS:
        return packet->words;
    case CM_VIEW_QUANTITY_TIME:
        return arrived ? (double)(packet->arrived_cycle - packet->created_cycle) : 0;
    case CM_VIEW_QUANTITY_WAITS:
        return arrived ? (double)packet->queueing_cycles : 0;
    default:
        return 1;
    }
}

static void add_packets(const struct filling *fill, uint64_t first, uint64_t end,
                        enum cm_view_quantity quantity)
{
    for (uint64_t i = 0; i < fill->run->info->packets; i++) {
        const struct cm_trace_packet *packet = cm_trace_packet_at(fill->run->trace, i);
        /* this packet and all later ones are created after the interval */
        if (packet->created_cycle >= end)
            break;
        if (packet->arrived_cycle > first)
            add(fill, packet->source, packet->destination, value_of(packet, quantity));
    }
}

static void add_exchanges(const struct filling *fill, uint64_t first, uint64_t end,
                          uint32_t hidden_dimensions)
{
    const struct cm_trace_info *info = fill->run->info;
    const uint64_t *busy = cm_view_busy(fill->run, first, end);
    double each = info->exchange_cycles > 0 ? (double)info->exchange_cycles : 1;
    for (uint32_t i = 0; i < fill->run->channel_count; i++) {
        struct cm_view_channel at = cm_view_channel_parts(fill->run, i);
        if (busy[i] > 0 && !(hidden_dimensions >> at.dimension & 1))
            add(fill, at.node, at.node ^ UINT32_C(1) << at.dimension, (double)busy[i] / each);
    }
}

struct cm_view_matrix cm_view_matrix(const struct cm_view_run *run, uint64_t first, uint64_t end,
                                     uint32_t hidden_dimensions, enum cm_view_quantity quantity)
{
    struct cm_view_packets *packets = run->packets;
    uint32_t nodes = run->info->nodes;
    struct cm_view_matrix matrix = {.side =
                                        nodes < CM_VIEW_MATRIX_SIDE ? nodes : CM_VIEW_MATRIX_SIDE};
    size_t count = (size_t)matrix.side * matrix.side;
    if (!allocate(packets))
        return (struct cm_view_matrix){0};
    struct filling fill = {run, packets->matrix, packets->matrix + count, matrix.side};
    if (!packets->matrix_known || packets->matrix_first != first || packets->matrix_end != end ||
        packets->matrix_hidden != hidden_dimensions || packets->matrix_quantity != quantity) {
        memset(packets->matrix, 0, 2 * count * sizeof *packets->matrix);
        if (run->info->packets > 0)
            add_packets(&fill, first, end, quantity);
        else if (quantity == CM_VIEW_QUANTITY_WORDS)
            add_exchanges(&fill, first, end, hidden_dimensions);
        bool mean = quantity == CM_VIEW_QUANTITY_TIME || quantity == CM_VIEW_QUANTITY_WAITS;
        for (size_t i = 0; i < count && mean; i++)
            fill.cells[i] /= fill.counts[i] > 0 ? fill.counts[i] : 1;
        packets->matrix_known = true;
        packets->matrix_first = first;
        packets->matrix_end = end;
        packets->matrix_hidden = hidden_dimensions;
        packets->matrix_quantity = quantity;
    }
    matrix.cells = fill.cells;
    matrix.counts = fill.counts;
    for (size_t i = 0; i < count; i++)
        matrix.most = fill.cells[i] > matrix.most ? fill.cells[i] : matrix.most;
    return matrix;
}
