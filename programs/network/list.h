/* Reading of lists of packets and of flows, from CSV files. Internal to the library. */
#ifndef CM_PROGRAMS_NETWORK_LIST_H
#define CM_PROGRAMS_NETWORK_LIST_H

#include "pattern.h"

/* Line of a list: a message of some words, or a flow of such messages. */
struct cm_list_line {
    uint32_t source, destination;
    uint32_t words; /* words of a message. 0: not given */
    uint64_t time;  /* word time of creation */
    double rate;    /* of a flow: words in a word time */
};

/* Expectations of a list. */
struct cm_list_options {
    uint32_t nodes;
    uint64_t word_cycles; /* cycles of a word time, for times in cycles */
    bool permutation;     /* true if no source and no destination may repeat */
    bool flows;           /* true for flows, which have rates instead of times */
};

/*
 * Reads a list. Without a header the columns are source, destination, time and words, or source,
 * destination, rate and words, of which the first two, or three, are required. A header with the
 * names of source and destination (pattern.h) chooses columns, and others are ignored. The caller
 * frees the lines.
 */
enum cm_status cm_list_read(const char *file, const struct cm_list_options *options,
                            struct cm_list_line **lines, uint64_t *count, struct cm_error *err);

#endif
