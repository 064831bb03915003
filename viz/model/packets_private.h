/* Stored answers about a run's packets, and the functions that compute them for the rest of the
 * model. Stored answers only make the viewer faster. */
#ifndef CM_VIZ_MODEL_PACKETS_PRIVATE_H
#define CM_VIZ_MODEL_PACKETS_PRIVATE_H

#include "packets.h"

struct cm_view_packets {
    uint64_t *block_arrived; /* cycle of the last arrival in each block of BLOCK packets */
    uint64_t *block_waited;  /* longest wait in each block */
    struct cm_view_counts *counts, most;
    uint64_t bin, bins; /* cycles of a time bin, and number of bins */
    bool counted, no_memory;
    /* cells of the matrix, then the number of packets or channels that each cell sums */
    double *matrix;
    bool matrix_known;
    uint64_t matrix_first, matrix_end;
    uint32_t matrix_hidden;
    enum cm_view_quantity matrix_quantity;
    struct cm_view_traffic traffic;
    bool traffic_known;
    uint64_t traffic_cycle;
    bool longest_known;
    uint64_t longest_first, longest_end, longest[CM_VIEW_LONGEST];
    uint32_t longest_count;
    struct cm_why chain;
    bool chain_known;
    uint64_t chain_packet, chain_cycle;
};

/* Adds to of_node[node] the cycles that packets wait at the node within [first, end). */
void cm_view_add_waits(const struct cm_view_run *run, uint64_t first, uint64_t end,
                       uint64_t *of_node);

#endif
