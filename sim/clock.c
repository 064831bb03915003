/*
 * The clock, and the model of DRAM time that it charges.
 *
 *   DRAM (P 2.3)   page mode, one open page a node, the same in all nodes since addresses are broadcast
 *   load           memory.load_cycles, and memory.load_page_fault_cycles when the word is not in the open page
 *   store          memory.store_cycles, and memory.store_page_fault_cycles likewise
 *   refresh        of every memory.refresh_interval_cycles the last memory.refresh_cycles; it stops everything
 *
 * Not modelled: banks, the row that a refresh leaves open, overlap of a store with the next load.
 */
#include "clock.h"

#define CM_NO_PAGE UINT64_MAX

static uint64_t work_between_refreshes(const struct cm_config *config)
{
    return config->memory_refresh_interval_cycles - config->memory_refresh_cycles;
}

void cm_clock_init(struct cm_clock *clock, const struct cm_config *config)
{
    *clock = (struct cm_clock){.config = config, .open_page = CM_NO_PAGE};
    clock->until_refresh = work_between_refreshes(config);
}

/* Refreshes that fall due while `cycles` of work are done. */
static uint64_t refreshes_due(struct cm_clock *clock, uint64_t cycles)
{
    if (clock->config->memory_refresh_interval_cycles == 0)
        return 0;
    if (cycles < clock->until_refresh) {
        clock->until_refresh -= cycles;
        return 0;
    }
    uint64_t period = work_between_refreshes(clock->config);
    uint64_t beyond = cycles - clock->until_refresh;
    clock->until_refresh = period - beyond % period;
    return 1 + beyond / period;
}

void cm_clock_charge(struct cm_clock *clock, enum cm_cause cause, uint64_t cycles)
{
    uint64_t refresh = refreshes_due(clock, cycles) * clock->config->memory_refresh_cycles;
    clock->counters.by_cause[cause] += cycles;
    clock->counters.by_cause[CM_CAUSE_REFRESH] += refresh;
    clock->counters.cycles += cycles + refresh;
}

void cm_clock_enter(struct cm_clock *clock, enum cm_entry entry)
{
    if (entry == CM_ENTRY_RUNTIME)
        cm_clock_charge(clock, CM_CAUSE_RUNTIME_CALL, clock->config->front_end_runtime_call_cycles);
    if (entry != CM_ENTRY_CHAINED)
        cm_clock_charge(clock, CM_CAUSE_START, clock->config->front_end_imp_start_cycles);
}

static void charge_reads(struct cm_clock *clock, uint64_t words, uint64_t faults)
{
    clock->counters.loads += words;
    clock->counters.page_faults += faults;
    cm_clock_charge(clock, CM_CAUSE_LOAD, words * clock->config->memory_load_cycles);
    cm_clock_charge(clock, CM_CAUSE_LOAD_PAGE_FAULT,
                    faults * clock->config->memory_load_page_fault_cycles);
}

static void charge_writes(struct cm_clock *clock, uint64_t words, uint64_t faults)
{
    clock->counters.stores += words;
    clock->counters.page_faults += faults;
    cm_clock_charge(clock, CM_CAUSE_STORE, words * clock->config->memory_store_cycles);
    cm_clock_charge(clock, CM_CAUSE_STORE_PAGE_FAULT,
                    faults * clock->config->memory_store_page_fault_cycles);
}

/* Opens the page of `address`; tells whether that was a page fault. */
static bool open_page(struct cm_clock *clock, uint64_t address)
{
    uint64_t page = address / clock->config->memory_page_words;
    bool fault = page != clock->open_page;
    clock->open_page = page;
    return fault;
}

void cm_clock_read(struct cm_clock *clock, uint64_t address)
{
    charge_reads(clock, 1, open_page(clock, address));
}

void cm_clock_write(struct cm_clock *clock, uint64_t address)
{
    charge_writes(clock, 1, open_page(clock, address));
}

/* How many accesses from `address` on, `stride` apart, stay in the page of the first (at most `limit`). */
static uint64_t accesses_in_page(uint64_t address, int64_t stride, uint64_t page_words,
                                 uint64_t limit)
{
    uint64_t offset = address % page_words;
    uint64_t count = limit;
    if (stride > 0)
        count = (page_words - 1 - offset) / (uint64_t)stride + 1;
    else if (stride < 0)
        count = offset / (uint64_t)-stride + 1;
    return count < limit ? count : limit;
}

/*
 * Words move one at a time, load then store. While source and destination stay in their pages, either both are the
 * same page, and no access faults, or each access leaves the page that the other opened.
 */
void cm_clock_move(struct cm_clock *clock, uint64_t dst, uint64_t src, uint64_t count,
                   int64_t dst_stride, int64_t src_stride)
{
    uint64_t page_words = clock->config->memory_page_words;
    uint64_t load_faults = 0;
    uint64_t store_faults = 0;
    uint64_t left = count;
    while (left > 0) {
        uint64_t run = accesses_in_page(src, src_stride, page_words, left);
        run = accesses_in_page(dst, dst_stride, page_words, run);
        bool across = src / page_words != dst / page_words;
        load_faults += open_page(clock, src) + (across ? run - 1 : 0);
        store_faults += open_page(clock, dst) + (across ? run - 1 : 0);
        src += (uint64_t)src_stride * run;
        dst += (uint64_t)dst_stride * run;
        left -= run;
    }
    charge_reads(clock, count, load_faults);
    charge_writes(clock, count, store_faults);
    clock->counters.words_moved_locally += count;
}
