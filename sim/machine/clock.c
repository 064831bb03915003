/*
 * The clock, and the model of DRAM time that it charges.
 *
 *   DRAM       page mode, with one open page in each node. The page is the same in all nodes,
 *              because addresses are broadcast (PSHIFT paper, section 2.3). Indexed loads and
 *              stores are the exception.
 *   load       memory.load_cycles, and memory.load_page_fault_cycles if the word is outside the
 *              open page
 *   store      memory.store_cycles, and memory.store_page_fault_cycles outside the open page
 *   conflict   memory.bank_conflict_cycles in addition for a page fault within one bank (page
 *              modulo memory.banks) that also goes to another block (memory.block_words) of its
 *              page. The tables of section 6 of the PSHIFT paper show this cost, but no document
 *              mentions it (docs/fidelity.md).
 *   indexed    The index in each node selects one of several words. If the words are in one page,
 *              an access to the first word is charged. Otherwise the worst case is charged: a page
 *              fault, and a bank conflict if pages have several blocks. Nodes then have different
 *              pages open, so the next access is charged the same. The two words of a 64-bit value
 *              are assumed to be in one page.
 *   overlap    With exchange.overlap, an exchange runs while the clock charges later instructions.
 *              An instruction that needs the end of the exchange is charged the remaining cycles
 *              (needs_end).
 *   refresh    takes the last memory.refresh_cycles of every memory.refresh_interval_cycles.
 *              Everything else stops meanwhile
 *
 * The model leaves out banks that each keep a page open, the row that a refresh leaves open, and
 * overlap of a store with the next load.
 */
#include "clock.h"
#include "accesses.h"

/* Returns the cycles of work between two refreshes, or 0 when memory is not refreshed. */
static uint64_t work_between_refreshes(const struct cm_config *config)
{
    return config->memory_refresh_interval_cycles == 0
               ? 0
               : config->memory_refresh_interval_cycles - config->memory_refresh_cycles;
}

void cm_clock_init(struct cm_clock *clock, const struct cm_config *config)
{
    *clock = (struct cm_clock){.config = config, .open_first = CM_NO_PAGE};
    clock->until_refresh = work_between_refreshes(config);
}

/* Returns the number of refreshes that fall due while `cycles` of work are done. */
static uint64_t refreshes_due(struct cm_clock *clock, uint64_t cycles)
{
    if (cycles < clock->until_refresh) {
        clock->until_refresh -= cycles;
        return 0;
    }
    if (clock->config->memory_refresh_interval_cycles == 0)
        return 0;
    uint64_t period = work_between_refreshes(clock->config);
    uint64_t beyond = cycles - clock->until_refresh;
    clock->charged |= UINT32_C(1) << CM_CAUSE_REFRESH;
    clock->until_refresh = period - beyond % period;
    return 1 + beyond / period;
}

void cm_clock_charge(struct cm_clock *clock, enum cm_cause cause, uint64_t cycles)
{
    uint64_t refresh = refreshes_due(clock, cycles) * clock->config->memory_refresh_cycles;
    clock->charged |= UINT32_C(1) << cause;
    clock->counters.by_cause[cause] += cycles;
    clock->counters.by_cause[CM_CAUSE_REFRESH] += refresh;
    clock->counters.cycles += cycles + refresh;
    if (clock->exchange_left == 0)
        return;
    uint64_t hidden = cycles < clock->exchange_left ? cycles : clock->exchange_left;
    clock->exchange_left -= hidden;
    clock->counters.hidden_cycles += hidden;
}

/* Charges the remaining cycles of a running exchange. */
static void wait_for_exchange(struct cm_clock *clock)
{
    uint64_t left = clock->exchange_left;
    clock->exchange_left = 0;
    cm_clock_charge(clock, CM_CAUSE_EXCHANGE, left);
}

void cm_clock_exchange(struct cm_clock *clock)
{
    clock->counters.exchanges++;
    if (clock->config->exchange_overlap)
        clock->exchange_left = clock->config->exchange_cycles;
    else
        cm_clock_charge(clock, CM_CAUSE_EXCHANGE, clock->config->exchange_cycles);
}

/* True if the instruction must wait for the end of a running exchange. Loads into transposer A must
 * wait, unless transposer C takes their words. Unloads from A and B must wait, because the exchange
 * uses both. The next exchange and the halt must wait, too. */
static bool needs_end(const struct cm_clock *clock, const struct cm_instruction *instruction)
{
    const struct cm_operand *operands = instruction->operands;
    switch (cm_op_accesses[instruction->op].cost) {
    case CM_COST_LOAD:
    case CM_COST_LOAD_INDIRECT:
    case CM_COST_CONSTANT:
        return operands[0].reg == CM_TRANSPOSER_A && !clock->second_buffer;
    case CM_COST_UNLOAD:
    case CM_COST_UNLOAD_INDIRECT:
        return operands[1].reg != CM_TRANSPOSER_C;
    case CM_COST_EXCHANGE:
        return true;
    default:
        return instruction->op == CM_OP_HALT;
    }
}

void cm_clock_wait_for(struct cm_clock *clock, const struct cm_instruction *instruction)
{
    if (clock->exchange_left > 0 && needs_end(clock, instruction))
        wait_for_exchange(clock);
}

void cm_clock_enter(struct cm_clock *clock, enum cm_entry entry)
{
    wait_for_exchange(clock); /* an interrupted run may have left its exchange running */
    cm_clock_end_vector(clock);
    if (entry == CM_ENTRY_RUNTIME)
        cm_clock_charge(clock, CM_CAUSE_RUNTIME_CALL, clock->config->front_end_runtime_call_cycles);
    if (entry != CM_ENTRY_CHAINED)
        cm_clock_charge(clock, CM_CAUSE_START, clock->config->front_end_imp_start_cycles);
}

void cm_clock_end_vector(struct cm_clock *clock)
{
    clock->vector.room = 0;
}

/* Finds the registers that an FPU instruction reads and writes, a bit each. Only comparisons write
 * no register. */
static void find_registers(const struct cm_instruction *instruction, uint32_t *read,
                           uint32_t *written)
{
    const struct cm_op_info *info = cm_op_info(instruction->op);
    const bool compares = cm_op_accesses[instruction->op].cost == CM_COST_FPU_COMPARE;
    *read = *written = 0;
    for (uint32_t i = 0; i < CM_OPERANDS_MAX; i++) {
        uint32_t bit = UINT32_C(1) << instruction->operands[i].reg % CM_FPU_REGISTERS;
        if (info->operands[i] != CM_OPERAND_FREG)
            continue;
        if (i == 0 && !compares)
            *written |= bit;
        else
            *read |= bit;
    }
}

void cm_clock_fpu(struct cm_clock *clock, const struct cm_instruction *instruction, uint64_t cycles)
{
    const uint32_t elements = clock->config->fpu_vector_elements;
    struct cm_vector *vector = &clock->vector;
    uint32_t read, written;
    if (elements > 1) {
        find_registers(instruction, &read, &written);
        if (vector->room > 0 && vector->op == instruction->op &&
            ((read | written) & vector->written) == 0) {
            vector->room--;
            vector->written |= written;
            return;
        }
        *vector =
            (struct cm_vector){.op = instruction->op, .room = elements - 1, .written = written};
    }
    cm_clock_charge(clock, CM_CAUSE_FPU,
                    clock->config->fpu_vector_start_cycles + elements * cycles);
}

/* Misses: number of accesses outside the open DRAM page (faults), and number of faults that also
 * met a bank conflict. */
struct misses {
    uint64_t faults;
    uint64_t conflicts;
};

static void charge_accesses(struct cm_clock *clock, struct misses misses, enum cm_cause cause,
                            uint64_t cycles, enum cm_cause fault_cause, uint64_t fault_cycles)
{
    clock->counters.page_faults += misses.faults;
    cm_clock_charge(clock, cause, cycles);
    if (misses.faults == 0)
        return;
    cm_clock_charge(clock, fault_cause, misses.faults * fault_cycles);
    if (misses.conflicts > 0)
        cm_clock_charge(clock, CM_CAUSE_BANK_CONFLICT,
                        misses.conflicts * clock->config->memory_bank_conflict_cycles);
}

static void charge_reads(struct cm_clock *clock, uint64_t words, struct misses misses)
{
    const struct cm_config *config = clock->config;
    clock->counters.loads += words;
    charge_accesses(clock, misses, CM_CAUSE_LOAD, words * config->memory_load_cycles,
                    CM_CAUSE_LOAD_PAGE_FAULT, config->memory_load_page_fault_cycles);
}

static void charge_writes(struct cm_clock *clock, uint64_t words, struct misses misses)
{
    const struct cm_config *config = clock->config;
    clock->counters.stores += words;
    charge_accesses(clock, misses, CM_CAUSE_STORE, words * config->memory_store_cycles,
                    CM_CAUSE_STORE_PAGE_FAULT, config->memory_store_page_fault_cycles);
}

/* Returns the number of words in a block of a DRAM page. A memory without bank conflicts has one
 * block in each page, so that cm_clock_move charges long moves in few steps. */
static uint64_t block_words(const struct cm_config *config)
{
    bool cut = config->memory_bank_conflict_cycles > 0 &&
               config->memory_block_words < config->memory_page_words;
    return cut ? config->memory_block_words : config->memory_page_words;
}

static struct cm_place_in_dram place_of(const struct cm_config *config, uint64_t address)
{
    uint64_t page = address / config->memory_page_words;
    uint64_t offset = address % config->memory_page_words;
    return (struct cm_place_in_dram){.page = page, .block = offset / block_words(config)};
}

static bool has_blocks(const struct cm_config *config)
{
    return block_words(config) < config->memory_page_words;
}

static bool conflict(const struct cm_config *config, struct cm_place_in_dram a,
                     struct cm_place_in_dram b)
{
    if (b.page == CM_MANY_PAGES)
        return has_blocks(config);
    return a.block != b.block && a.page != b.page &&
           a.page % config->memory_banks == b.page % config->memory_banks;
}

struct cm_place_in_dram cm_clock_open(const struct cm_clock *clock)
{
    if (clock->open_first == CM_NO_PAGE || clock->open_first == CM_MANY_PAGES)
        return (struct cm_place_in_dram){.page = clock->open_first};
    return place_of(clock->config, clock->last);
}

static struct misses change_page(struct cm_clock *clock, uint64_t address)
{
    const struct cm_place_in_dram open = cm_clock_open(clock);
    const struct cm_place_in_dram place = place_of(clock->config, address);
    struct misses misses = {.faults = 1};
    if (open.page != CM_NO_PAGE)
        misses.conflicts = conflict(clock->config, place, open);
    clock->open_first = place.page * clock->config->memory_page_words;
    clock->last = address;
    return misses;
}

/* Accesses an address and opens its DRAM page. Returns the misses: page faults and bank
 * conflicts. */
static inline struct misses go_to(struct cm_clock *clock, uint64_t address)
{
    if (address - clock->open_first >= clock->config->memory_page_words ||
        clock->open_first >= CM_MANY_PAGES)
        return change_page(clock, address);
    clock->last = address;
    return (struct misses){0};
}

void cm_clock_read(struct cm_clock *clock, uint64_t address)
{
    charge_reads(clock, 1, go_to(clock, address));
}

void cm_clock_write(struct cm_clock *clock, uint64_t address)
{
    charge_writes(clock, 1, go_to(clock, address));
}

/* Accesses an address that each node chooses among `count` words from `address` on. Returns the
 * misses: page faults and bank conflicts. */
static struct misses go_among(struct cm_clock *clock, uint64_t address, uint64_t count)
{
    const uint64_t page_words = clock->config->memory_page_words;
    if (address / page_words == (address + count - 1) / page_words)
        return go_to(clock, address);
    clock->open_first = CM_MANY_PAGES;
    return (struct misses){.faults = 1, .conflicts = has_blocks(clock->config)};
}

void cm_clock_read_among(struct cm_clock *clock, uint64_t address, uint64_t count, uint64_t words)
{
    charge_reads(clock, words, go_among(clock, address, count));
}

void cm_clock_write_among(struct cm_clock *clock, uint64_t address, uint64_t count, uint64_t words)
{
    charge_writes(clock, words, go_among(clock, address, count));
}

/* Returns how many accesses from `address` on, `stride` apart, stay in the block of the first one.
 * The result is at most `limit`. */
static uint64_t accesses_in_block(const struct cm_config *config, uint64_t address, int64_t stride,
                                  uint64_t limit)
{
    uint64_t words = block_words(config);
    uint64_t in_page = address % config->memory_page_words;
    uint64_t offset = in_page % words;
    uint64_t page_left =
        /* words from the beginning of the block to the end of the page */
        config->memory_page_words - (in_page - offset);
    uint64_t last = (page_left < words ? page_left : words) - 1;
    uint64_t count = limit;
    if (stride > 0)
        count = (last - offset) / (uint64_t)stride + 1;
    else if (stride < 0)
        count = offset / (uint64_t)-stride + 1;
    return count < limit ? count : limit;
}

static void add_misses(struct misses *sum, struct misses first, uint64_t others,
                       struct misses another)
{
    sum->faults += first.faults + others * another.faults;
    sum->conflicts += first.conflicts + others * another.conflicts;
}

/*
 * Charges a move instruction. Words move one at a time: a load, then a store. While source and
 * destination stay in their blocks, every access after the first two has the same misses, because
 * loads and stores alternate between the two blocks.
 */
void cm_clock_move(struct cm_clock *clock, uint64_t dst, uint64_t src, uint64_t count,
                   int64_t dst_stride, int64_t src_stride)
{
    const struct cm_config *config = clock->config;
    struct misses loads = {0};
    struct misses stores = {0};
    uint64_t left = count;
    while (left > 0) {
        uint64_t run = accesses_in_block(config, src, src_stride, left);
        run = accesses_in_block(config, dst, dst_stride, run);
        struct misses first_load = go_to(clock, src);
        struct misses store = go_to(clock, dst);
        add_misses(&loads, first_load, run - 1, store);
        add_misses(&stores, store, run - 1, store);
        src += (uint64_t)src_stride * run;
        dst += (uint64_t)dst_stride * run;
        left -= run;
    }
    charge_reads(clock, count, loads);
    charge_writes(clock, count, stores);
    clock->counters.words_moved_locally += count;
}
