/*
 * The executor: what an instruction does to planes, transposers and FPU registers. It knows nothing
 * about time, channels or faults. The sequencer (sim/machine) charges and checks an instruction
 * before it calls the executor.
 *
 * Data: each worker has a queue of deferred operations, the known state of its FPU registers, a
 * block cache, and a queue of deferred moves. They are members of struct cm_worker
 * (machine/machine_private.h). sim/lanes executes the queue on one block of nodes after the other,
 * by compiled loops or by generated code.
 *
 * Invariants:
 * - A worker changes only the data of its own nodes. In an exchange it also reads transposer A of
 *   other nodes, between two barriers.
 * - Everything that is deferred is done after cm_execute_deferred and, for moves, after
 *   cm_moves_execute_own or cm_moves_execute_share.
 * - Each node sees the effects of instructions in program order, whatever was deferred.
 *
 * Files:
 *   execute        one function for each instruction
 *   deferred       the queue, its operands, and registers that alias memory words
 *   deferred_chain, deferred_store   sums of products, stores and selections
 *   indexed        loads and stores at an address that each node has for itself
 *   block_cache    recorded blocks of instructions, with their generated code
 *   moves          moves that copy much data
 */
#ifndef CM_SIM_EXECUTOR_H
#define CM_SIM_EXECUTOR_H

#include "../../isa/isa.h"

#include <stdbool.h>

struct cm_worker;
struct cm_issue;

/* Executes the data part of an instruction on the worker's nodes. The instruction may be deferred,
 * at most until cm_execute_deferred. */
void cm_execute(struct cm_worker *worker, const struct cm_issue *issue);
/* Executes an instruction without recording it in a block. Its operations are executed immediately
 * or added to the queue. */
void cm_execute_now(struct cm_worker *worker, const struct cm_issue *issue);
/* True if an instruction has no data part, because the sequencer does everything that the
 * instruction does. */
bool cm_executes_nothing(enum cm_op op);
/* Executes the recorded block, or the queue of deferred operations. */
void cm_execute_deferred(struct cm_worker *worker);
/* Prepares memory words for a change: registers that alias the words are loaded. */
void cm_execute_load_aliases(struct cm_worker *worker, uint64_t address, uint64_t count);
/* indexed.c: executes everything that is deferred, then loads the register with the indices of an
 * indexed load or store. */
void cm_execute_need_index(struct cm_worker *worker, const struct cm_issue *issue);
/* Finds the first node of this process whose index is out of range for the instruction's count, and
 * sets *fault to node * 2^32 + index. Leaves *fault unchanged if there is no such node. Nodes with
 * a clear context flag have no index. */
void cm_execute_find_index(const struct cm_worker *worker, const struct cm_issue *issue,
                           uint64_t *fault);
/* These functions execute an indexed load, and an indexed store. */
void cm_execute_load_indexed(struct cm_worker *worker, const struct cm_issue *issue);
void cm_execute_store_indexed(struct cm_worker *worker, const struct cm_issue *issue);
/* Loads a register, and splits its halves, in all partitions of the worker. */
void cm_execute_need_register(struct cm_worker *worker, uint32_t reg);
/* Executes the queue of deferred operations. Returns true if generated code executed it, false if
 * compiled loops did or the queue was empty. */
bool cm_execute_queue(struct cm_worker *worker);

#endif
