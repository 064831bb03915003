/* What is kept of a run's packets: answers, which change nothing but speed. */
#ifndef CM_VIZ_MODEL_PACKETS_PRIVATE_H
#define CM_VIZ_MODEL_PACKETS_PRIVATE_H

#include "packets.h"

struct cm_view_packets {
    uint64_t *block_arrived; /* the last arrival of each BLOCK packets ... */
    uint64_t *block_waited;  /* ... and the longest that one of them waited */
    struct cm_view_counts *counts, most;
    uint64_t bin, bins; /* cycles of a bin */
    bool counted, no_memory;
    double *matrix; /* cells, then how many packets or channels each counts */
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

/* Cycles of [first, end) that packets wait at each node, added up. */
void cm_view_add_waits(const struct cm_view_run *run, uint64_t first, uint64_t end,
                       uint64_t *of_node);

#endif
