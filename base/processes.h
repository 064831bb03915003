/*
 * Processes that simulate one machine together. Every process does all of the front end's work. The
 * nodes are divided by the high bits of their numbers: of N nodes, process p of P has N / P, from
 * node p * N / P on. A process gets the words of other nodes from the process that has them. Only
 * process 0 prints and writes files.
 *
 * A link carries bytes between processes. A program makes the link (processes/) before it makes a
 * machine. Without a link, the program is the only process. The link is a global variable, because
 * the rank belongs to the program, as standard output does. Internal to the library.
 */
#ifndef CM_BASE_PROCESSES_H
#define CM_BASE_PROCESSES_H

#include "error.h"

#include <stdbool.h>

/* Largest piece of a message in bytes. */
#define CM_PROCESSES_PIECE_BYTES ((size_t)8 << 20)

struct cm_process_link {
    uint32_t rank, count; /* rank of this process, and number of processes, a power of two */
    void *context;
    /*
     * Begins to send bytes to a partner, whose rank differs in one bit, and to receive as many from
     * it. Messages with one partner arrive in the order in which they were begun. Neither memory
     * area may be touched until the exchange is finished.
     */
    bool (*begin)(void *context, uint32_t partner, const void *send, void *receive, size_t bytes);
    /* Moves bytes that can be moved now, without waiting. */
    void (*push)(void *context);
    /* Waits until all exchanges that were begun are done. */
    bool (*finish)(void *context);
    /* Writes, after a failure, which process ended and how, as far as that is known. */
    void (*explain)(void *context, char *text, size_t size);
};

/* Returns the link of this program, or NULL if it is the only process. */
const struct cm_process_link *cm_processes(void);
/* Sets the link for machines made and files written from now on. NULL: the program is the only
 * process. */
void cm_processes_join(const struct cm_process_link *link);
/* Ends the waiting for other processes: an exchange that does not go on fails soon, and the failed
 * operation returns CM_INTERRUPTED. Holds until the next cm_processes_join. Safe in a signal
 * handler and from other threads. */
void cm_processes_interrupt(void);
bool cm_processes_interrupted(void);
/* Milliseconds that an exchange without progress goes on after cm_processes_interrupt. The other
 * processes often end by themselves, in order. */
#define CM_PROCESSES_PATIENCE_MS 300
/* Returns whether this process prints and writes files. */
bool cm_processes_speaks(void);

/* Bytes that this process has sent to others, which equal the bytes received. */
struct cm_process_use {
    uint64_t messages, bytes;
    uint64_t waits; /* waits for exchanges that were begun */
};
struct cm_process_use cm_processes_use(void);
/* Calls link->begin and link->finish, and counts. */
bool cm_processes_begin(const struct cm_process_link *link, uint32_t partner, const void *send,
                        void *receive, size_t bytes);
bool cm_processes_finish(const struct cm_process_link *link);

/* All processes call the functions below, in the same order. They fail with CM_IO if a process has
 * ended, with a message that names it. If the link is NULL, they do nothing. */

/* Gathers rows. In each row every process has `bytes` of its own, in the order of the ranks.
 * Afterwards each process has all rows complete. */
enum cm_status cm_processes_gather(const struct cm_process_link *link, void *rows, size_t bytes,
                                   uint64_t count, struct cm_error *err);
/* These functions combine number i of all processes, for every i, and store the results in the
 * `numbers` of each process. There are at most 64 numbers. cm_processes_combine has an operation
 * for each number, and the others have the same for all. */
enum cm_combination { CM_COMBINE_SUM, CM_COMBINE_MIN, CM_COMBINE_OR };
enum cm_status cm_processes_combine(const struct cm_process_link *link, uint64_t *numbers,
                                    const enum cm_combination *operations, uint32_t count,
                                    struct cm_error *err);
enum cm_status cm_processes_sum(const struct cm_process_link *link, uint64_t *numbers,
                                uint32_t count, struct cm_error *err);
enum cm_status cm_processes_min(const struct cm_process_link *link, uint64_t *numbers,
                                uint32_t count, struct cm_error *err);
enum cm_status cm_processes_or(const struct cm_process_link *link, uint64_t *numbers,
                               uint32_t count, struct cm_error *err);
/* Combines the `length` bytes at `bytes` of all processes by bitwise OR. `theirs` is work memory of
 * the same length. */
enum cm_status cm_processes_or_bytes(const struct cm_process_link *link, void *bytes, void *theirs,
                                     size_t length, struct cm_error *err);
/* Determines whether all processes gave the same bytes. */
enum cm_status cm_processes_agree(const struct cm_process_link *link, const void *bytes,
                                  size_t length, bool *same, struct cm_error *err);

/* Reports the error of a failed link. */
enum cm_status cm_processes_lost(const struct cm_process_link *link, struct cm_error *err);

#endif
