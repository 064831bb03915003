/*
 * The processes that play one machine together. Each does the front end's work itself, and the same
 * as all others; of the nodes each has a part, by the high bits of their numbers: process p of P
 * has N / P of N nodes, from p * N / P on. What a process needs of nodes that are not its own it
 * gets from the process that has them. Only process 0 prints and writes files.
 *
 * How bytes get from one process to another is a link, which a program makes (processes/) before it
 * makes a machine; without one, a program is the only process. Which of the processes it is, is a
 * property of a program, as its standard output is: hence a global variable. Internal to the
 * library.
 */
#ifndef CM_BASE_PROCESSES_H
#define CM_BASE_PROCESSES_H

#include "error.h"

#include <stdbool.h>

/* Messages are cut into pieces of so many bytes. */
#define CM_PROCESSES_PIECE_BYTES ((size_t)8 << 20)

struct cm_process_link {
    uint32_t rank, count; /* count: a power of two */
    void *context;
    /*
     * Begins to send bytes to a partner, whose rank differs in one bit, and to receive as many from
     * it. What is under way with one partner arrives in the order in which it was begun. Neither
     * place may be touched until it is finished.
     */
    bool (*begin)(void *context, uint32_t partner, const void *send, void *receive, size_t bytes);
    /* Moves what can be moved now, without waiting. */
    void (*push)(void *context);
    /* Waits until everything that was begun is done. */
    bool (*finish)(void *context);
    /* After a failure: which process ended, and how, as far as it is known. */
    void (*explain)(void *context, char *text, size_t size);
};

/* The link of this program; NULL: it is the only process. */
const struct cm_process_link *cm_processes(void);
/* Machines made and files written from now on are those of one of several processes. NULL: of the
 * only one. */
void cm_processes_join(const struct cm_process_link *link);
/* Whether this process prints and writes files. */
bool cm_processes_speaks(void);

/* What this process has sent to others, and received from them: as much. */
struct cm_process_use {
    uint64_t messages, bytes;
    uint64_t waits; /* for all that was begun */
};
struct cm_process_use cm_processes_use(void);
/* link->begin and link->finish, counted. */
bool cm_processes_begin(const struct cm_process_link *link, uint32_t partner, const void *send,
                        void *receive, size_t bytes);
bool cm_processes_finish(const struct cm_process_link *link);

/* All functions below are called by all processes alike, in the same order. They fail when a
 * process has ended: CM_IO, with a message that names it. Links may be NULL: then there is nothing
 * to do. */

/* Rows in each of which every process has `bytes` of its own, in the order of the ranks; afterwards
 * each process has all of all rows. */
enum cm_status cm_processes_gather(const struct cm_process_link *link, void *rows, size_t bytes,
                                   uint64_t count, struct cm_error *err);
/* Combines numbers of all processes, one by one, into `numbers` of each: at most 64 of them, each
 * in its own way, or all in one. */
enum cm_combination { CM_COMBINE_SUM, CM_COMBINE_MIN, CM_COMBINE_OR };
enum cm_status cm_processes_combine(const struct cm_process_link *link, uint64_t *numbers,
                                    const enum cm_combination *ways, uint32_t count,
                                    struct cm_error *err);
enum cm_status cm_processes_sum(const struct cm_process_link *link, uint64_t *numbers,
                                uint32_t count, struct cm_error *err);
enum cm_status cm_processes_min(const struct cm_process_link *link, uint64_t *numbers,
                                uint32_t count, struct cm_error *err);
enum cm_status cm_processes_or(const struct cm_process_link *link, uint64_t *numbers,
                               uint32_t count, struct cm_error *err);
/* The same for bytes: `bytes` of each process, together; `theirs` has room for as many. */
enum cm_status cm_processes_or_bytes(const struct cm_process_link *link, void *bytes, void *theirs,
                                     size_t length, struct cm_error *err);
/* Whether all processes gave the same bytes. */
enum cm_status cm_processes_agree(const struct cm_process_link *link, const void *bytes,
                                  size_t length, bool *same, struct cm_error *err);

/* The error of a link that has failed. */
enum cm_status cm_processes_lost(const struct cm_process_link *link, struct cm_error *err);

#endif
