/*
 * The sequencer's clock: the only place where cycles are charged, each to a cause. The cost of an
 * instruction depends on the instruction, its addresses and the open DRAM page, which are the same
 * in every node. So one clock is exact for the whole machine.
 */
#ifndef CM_SIM_CLOCK_H
#define CM_SIM_CLOCK_H

#include "machine.h"

/* Position in DRAM: a page, and a block within the page. */
struct cm_place_in_dram {
    uint64_t page; /* page number, CM_NO_PAGE if no page is open, or CM_MANY_PAGES */
    uint64_t block;
};
#define CM_NO_PAGE    UINT64_MAX
#define CM_MANY_PAGES (UINT64_MAX - 1) /* page number if nodes may have different pages open */

/* Vector: instructions of one kind that the FPU executes together, because none of them depends on
 * another. */
struct cm_vector {
    enum cm_op op; /* operation of the vector */
    /* number of instructions that may still join the vector, or 0 without a vector */
    uint32_t room;
    uint32_t written; /* registers that the vector writes, a bit each */
};

struct cm_clock {
    const struct cm_config *config;
    struct cm_counters counters;
    uint32_t charged; /* causes charged since the last report to an observer, a bit each */
    uint64_t last;    /* address of the last memory access */
    /* first address of the open page, CM_NO_PAGE if no page is open, or CM_MANY_PAGES */
    uint64_t open_first;
    uint64_t until_refresh; /* cycles of work until the next refresh */
    uint64_t exchange_left; /* remaining cycles of a running exchange, or 0 if none runs */
    /* true if transposer C takes words loaded into A while an exchange runs, so that loads need not
     * wait for the end of the exchange */
    bool second_buffer;
    struct cm_vector vector;
};

/* Addresses that an instruction accesses. The sequencer resolves them before it charges and
 * executes the instruction. */
struct cm_effective {
    uint64_t data;  /* first memory operand of loads and stores, or destination of a move */
    uint64_t other; /* communication table word of loadi and unloadi, or source of a move */
};

void cm_clock_init(struct cm_clock *clock, const struct cm_config *config);

/* Charges cycles to a cause, and also the DRAM refreshes that fall due during these cycles. */
void cm_clock_charge(struct cm_clock *clock, enum cm_cause cause, uint64_t cycles);

/* Charges the start-up of a run of an IMP, whose cost depends on `entry`. */
void cm_clock_enter(struct cm_clock *clock, enum cm_entry entry);

/* Returns the open DRAM page, and the block of the last access in this page. */
struct cm_place_in_dram cm_clock_open(const struct cm_clock *clock);

/* Waits for a running exchange if the instruction needs the end of the exchange. cm_clock_issue
 * waits in the same way. A caller uses this function to learn the cycle in which the instruction
 * begins. */
void cm_clock_wait_for(struct cm_clock *clock, const struct cm_instruction *instruction);

/* Charges one instruction according to its cost class (cost.c). */
void cm_clock_issue(struct cm_clock *clock, const struct cm_instruction *instruction,
                    const struct cm_effective *at);

/* Begins an exchange. Charges its cycles, or lets it run while later instructions are charged
 * (exchange.overlap). cost.c calls this function. */
void cm_clock_exchange(struct cm_clock *clock);

/*
 * Charges an FPU instruction that takes `cycles`. cost.c calls this function. The FPU executes
 * vectors of fpu.vector_elements elements. The first instruction of a vector pays for the whole
 * vector, even if fewer instructions join: fpu.vector_start_cycles, and `cycles` for each element.
 * An instruction joins the vector if it has the same operation, and neither reads nor writes a
 * register that the vector writes. With vectors of one element each instruction pays for itself.
 */
void cm_clock_fpu(struct cm_clock *clock, const struct cm_instruction *instruction,
                  uint64_t cycles);
/* Ends the vector of the FPU. A vector does not span iterations of a loop, nor runs. */
void cm_clock_end_vector(struct cm_clock *clock);

/* These functions charge memory accesses for cost.c. They must be called in program order, because
 * the order decides which DRAM page is open. */
void cm_clock_read(struct cm_clock *clock, uint64_t address);
void cm_clock_write(struct cm_clock *clock, uint64_t address);
/* These functions charge a read or a write of `words` adjacent words. Each node chooses its address
 * among `count` words from `address` on. */
void cm_clock_read_among(struct cm_clock *clock, uint64_t address, uint64_t count, uint64_t words);
void cm_clock_write_among(struct cm_clock *clock, uint64_t address, uint64_t count, uint64_t words);
void cm_clock_move(struct cm_clock *clock, uint64_t dst, uint64_t src, uint64_t count,
                   int64_t dst_stride, int64_t src_stride);

#endif
