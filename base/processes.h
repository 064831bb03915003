/*
 * Processes that simulate one machine together. Every process does all of the front end's work. The
 * nodes are divided by the high bits of their numbers: of N nodes, process p of P has N / P nodes,
 * from node p * N / P on. A process gets the words of other nodes from the process that has them.
 * Only process 0 prints and writes files.
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
    /* After a failure, writes the reason: which process ended and how, if this is known. */
    void (*explain)(void *context, char *text, size_t size);
};

/* Returns how this process communicates with the other processes of the run. NULL: the run has one
 * process. */
const struct cm_process_link *cm_processes(void);
/* Sets how this process communicates with others, for machines made and files written from now on.
 * NULL: the run has one process. */
void cm_processes_join(const struct cm_process_link *link);
/* Ends the waiting for other processes. An exchange without progress fails after
 * CM_PROCESSES_PATIENCE_MS, and the failed operation returns CM_INTERRUPTED. Holds until the next
 * cm_processes_join. Safe in a signal handler and from other threads. */
void cm_processes_interrupt(void);
bool cm_processes_interrupted(void);
/* Milliseconds for which an exchange without progress is continued after cm_processes_interrupt. In
 * this time the other processes often end by themselves without an error. */
#define CM_PROCESSES_PATIENCE_MS 300
/* Returns true if this process is the one that prints and writes files. */
bool cm_processes_speaks(void);

/* Traffic of this process: messages and bytes that it has sent to other processes, which equal
 * those that it has received, and its waits. */
struct cm_process_use {
    uint64_t messages, bytes;
    uint64_t waits; /* number of waits for the end of exchanges */
};
struct cm_process_use cm_processes_use(void);
/* These functions call link->begin and link->finish, and count the messages, bytes and waits. */
bool cm_processes_begin(const struct cm_process_link *link, uint32_t partner, const void *send,
                        void *receive, size_t bytes);
bool cm_processes_finish(const struct cm_process_link *link);

/* All processes call the functions below, in the same order. They fail with CM_IO if a process has
 * ended, with a message that names it. If the link is NULL, they do nothing. */

/* Completes rows of data in every process. At first, process p has only its own `bytes` bytes of
 * each row, which are part p of the row. Afterwards each process has all parts of all rows. */
enum cm_status cm_processes_gather(const struct cm_process_link *link, void *rows, size_t bytes,
                                   uint64_t count, struct cm_error *err);
/* These functions combine numbers of all processes. Number i of the result is the sum, the minimum
 * or the bitwise OR of number i of each process. All processes get the result in `numbers`, which
 * are at most 64. cm_processes_combine takes an operation for each number. The other functions have
 * one operation for all numbers. */
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
/* Sets *same if all processes have passed the same bytes. */
enum cm_status cm_processes_agree(const struct cm_process_link *link, const void *bytes,
                                  size_t length, bool *same, struct cm_error *err);

/* Reports the error of a failed link. */
enum cm_status cm_processes_lost(const struct cm_process_link *link, struct cm_error *err);

#endif
