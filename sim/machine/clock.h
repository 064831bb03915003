/*
 * The sequencer's clock: the only place where cycles are charged, each with its cause. What an
 * instruction costs depends on the instruction, its addresses and the open DRAM page, which are the
 * same in every node; so one clock is exact for the whole machine.
 */
#ifndef CM_SIM_CLOCK_H
#define CM_SIM_CLOCK_H

#include "machine.h"

/* A page of DRAM, and a block within it. */
struct cm_place_in_dram {
    uint64_t page; /* CM_NO_PAGE: nowhere */
    uint64_t block;
};
#define CM_NO_PAGE UINT64_MAX

struct cm_clock {
    const struct cm_config *config;
    struct cm_counters counters;
    uint32_t charged;       /* causes that cycles were charged to, a bit each, for an observer */
    uint64_t last;          /* address of the last access */
    uint64_t open_first;    /* first address of the open page; CM_NO_PAGE: none is open */
    uint64_t until_refresh; /* cycles of work until the next refresh */
    uint64_t exchange_left; /* cycles that a running exchange still takes; 0: none runs */
    bool second_buffer;     /* loads into A go to C while an exchange runs, and need not wait */
};

/* The addresses an instruction touches, worked out by the sequencer before it is charged and
 * executed. */
struct cm_effective {
    uint64_t data;  /* first MEM operand of loads and stores; destination of a move */
    uint64_t other; /* table word of loadi and unloadi; source of a move */
};

void cm_clock_init(struct cm_clock *clock, const struct cm_config *config);

/* Adds cycles to a cause, and the refresh that falls due in them. */
void cm_clock_charge(struct cm_clock *clock, enum cm_cause cause, uint64_t cycles);

/* Charges the start of a run. */
void cm_clock_enter(struct cm_clock *clock, enum cm_entry entry);

/* Where the last access was. */
struct cm_place_in_dram cm_clock_open(const struct cm_clock *clock);

/* Waits for a running exchange if the instruction needs its end. Part of cm_clock_issue; before it,
 * for those who want to know when the instruction begins. */
void cm_clock_wait_for(struct cm_clock *clock, const struct cm_instruction *instruction);

/* Charges one instruction: the table of costs, by class (cost.c). */
void cm_clock_issue(struct cm_clock *clock, const struct cm_instruction *instruction,
                    const struct cm_effective *at);

/* An exchange begins: it is charged, or runs while the sequencer goes on. For cost.c. */
void cm_clock_exchange(struct cm_clock *clock);

/* Accesses to memory, in their order, which decides which page is open; for cost.c. */
void cm_clock_read(struct cm_clock *clock, uint64_t address);
void cm_clock_write(struct cm_clock *clock, uint64_t address);
void cm_clock_move(struct cm_clock *clock, uint64_t dst, uint64_t src, uint64_t count,
                   int64_t dst_stride, int64_t src_stride);

#endif
