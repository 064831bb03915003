/* This header declares the reading of lists of packets or flows from CSV files. It is internal to
 * the library. */
#ifndef CM_PROGRAMS_NETWORK_LIST_H
#define CM_PROGRAMS_NETWORK_LIST_H

#include "pattern.h"

/* Line of a list: one message, or a flow of messages from one node to another. */
struct cm_list_line {
    uint32_t source, destination;
    uint32_t words; /* number of words of a message. 0: not given */
    uint64_t time;  /* word time of creation */
    double rate;    /* for a flow: words per word time */
};

/* What the caller expects in a list. */
struct cm_list_options {
    uint32_t nodes;
    uint64_t word_cycles; /* number of cycles in a word time, to convert times in cycles */
    bool permutation;     /* true if no source and no destination may occur twice */
    bool flows;           /* true for flows, which have rates instead of times */
};

/*
 * Reads a list. Without a header, a list of packets has the columns source, destination, time and
 * words, of which the first two are required. A list of flows has the columns source, destination,
 * rate and words, of which the first three are required. A header that names source and
 * destination (pattern.h) chooses other columns, and columns with unknown names are ignored. The
 * caller frees the lines.
 */
enum cm_status cm_list_read(const char *file, const struct cm_list_options *options,
                            struct cm_list_line **lines, uint64_t *count, struct cm_error *err);

#endif
