/*
 * The slow machine. Reference card:
 *
 *   slots      channel c of cube dimension d is slot d + 1 + c * slots / 2 (P 2.3, figure 3)
 *   exchange   B[s] of node n ^ 2^d = A[s] of node n, for each slot s that is a channel of this
 *              machine; in each node B[slots / 2] = A[0] and B[0] = A[slots / 2], the chip-to-chip
 *              wire; other B slots stay
 *   pending    a word in an A slot that no exchange has carried yet, from memory or a constant; a
 *              second is a fault
 *   loadi      the slot is byte FIELD of the table word, its upper half set (slot | slots / 2) when
 *              HALF is 1
 *   context    guards writes to memory and nothing else; set in all nodes when a run begins
 *   memory     a load costs load_cycles, and load_page_fault_cycles more when its page is not the
 *              open one, which it then opens; a store likewise; the open page outlives a run; at
 *              first there is none
 *   conflict   bank_conflict_cycles more for a page fault when the page left lies in the same bank
 *              (page modulo banks) and the word in another block of its page (word of the page over
 *              block_words)
 *   indexed    each node adds the low half of a register to the address; what it gets where the
 *              context is clear is 0; an index beyond COUNT in a node whose context is set is a
 *              fault. Where the words 0 to COUNT - 1 are in one page, the time is that of word 0.
 *              Else the access leaves the open page, and so does the next one, both with a bank
 *              conflict if a page has two blocks or more
 *   overlap    with exchange.overlap an exchange begins when the last has sent all slots of A and
 *              brought all of B; it sends and brings them exchange.cycles later. Then a slot of A
 *              or B can be read, and one of A written if the IMP has an operand C, else at any
 *              time; then the IMP can end
 *   refresh    of every interval, the last refresh_cycles go to refresh: after each (interval -
 *              refresh_cycles) charged cycles they are added at once; what is left over carries on
 *
 * Not modelled: observers, interruption, SRAM.
 */
#include "slow_machine.h"

#include "slow_fpu.h"

#include <stdlib.h>
#include <string.h>

bool cm_slow_create(struct cm_slow_machine *machine, const struct cm_config *config, uint32_t nodes)
{
    memset(machine, 0, sizeof(*machine));
    machine->config = *config;
    machine->node_count = nodes;
    while (UINT32_C(1) << machine->dimensions < nodes)
        machine->dimensions++;
    machine->nodes = calloc(nodes, sizeof(*machine->nodes));
    if (machine->nodes == NULL)
        return false;
    for (uint32_t n = 0; n < nodes; n++) {
        machine->nodes[n].memory = calloc((size_t)config->memory_words, sizeof(uint32_t));
        if (machine->nodes[n].memory == NULL)
            return false;
    }
    return true;
}

void cm_slow_finish(struct cm_slow_machine *machine)
{
    for (uint32_t n = 0; n < machine->node_count && machine->nodes != NULL; n++)
        free(machine->nodes[n].memory);
    free(machine->nodes);
    memset(machine, 0, sizeof(*machine));
}

static void charge(struct cm_slow_machine *m, enum cm_cause cause, uint64_t cycles)
{
    const uint64_t interval = m->config.memory_refresh_interval_cycles;
    const uint64_t refresh = m->config.memory_refresh_cycles;
    m->now += cycles;
    m->counters.cycles += cycles;
    m->counters.by_cause[cause] += cycles;
    if (interval == 0)
        return;
    m->since_refresh += cycles;
    while (m->since_refresh >= interval - refresh) {
        m->since_refresh -= interval - refresh;
        m->counters.cycles += refresh;
        m->counters.by_cause[CM_CAUSE_REFRESH] += refresh;
    }
}

static void wait_until(struct cm_slow_machine *m, uint64_t time)
{
    if (time > m->now)
        charge(m, CM_CAUSE_EXCHANGE, time - m->now);
}

/* Before any slot of A is written, or of A or B read: `slots` from the first on. */
static void wait_to_write(struct cm_slow_machine *m, unsigned transposer, uint32_t first,
                          uint32_t slots)
{
    for (uint32_t s = first; s < first + slots; s++)
        if (transposer == CM_TRANSPOSER_A && m->keeps_c)
            wait_until(m, m->a_free[s]);
}

static void wait_to_read(struct cm_slow_machine *m, unsigned transposer, uint32_t first,
                         uint32_t slots)
{
    for (uint32_t s = first; s < first + slots; s++)
        if (transposer != CM_TRANSPOSER_C)
            wait_until(m, transposer == CM_TRANSPOSER_A ? m->a_free[s] : m->b_ready[s]);
}

/* The word address of an operand; a fault when it is not in memory. */
static uint64_t address_of(struct cm_slow_machine *m, struct cm_operand operand, int64_t more)
{
    const int64_t address = m->address[operand.reg] + operand.value + more;
    if (address < 0 || (uint64_t)address >= m->config.memory_words) {
        m->faulted = true;
        return 0;
    }
    return (uint64_t)address;
}

/* Charges an access in the node that is worst off: it leaves its page and stays in its bank. */
static void charge_worst(struct cm_slow_machine *m, enum cm_cause cause, uint64_t cycles)
{
    m->accessed = true;
    m->counters.page_faults++;
    charge(m, cause, cycles);
    if (m->config.memory_page_words > m->config.memory_block_words)
        charge(m, CM_CAUSE_BANK_CONFLICT, m->config.memory_bank_conflict_cycles);
}

/* Goes to a word of DRAM: charges what leaving the open page costs, and opens the word's page. */
static void go_to(struct cm_slow_machine *m, uint64_t address, enum cm_cause cause, uint64_t cycles)
{
    const struct cm_config *c = &m->config;
    const uint64_t page = address / c->memory_page_words;
    const uint64_t last_page = m->last_address / c->memory_page_words;
    const uint64_t block = address % c->memory_page_words / c->memory_block_words;
    const uint64_t last_block = m->last_address % c->memory_page_words / c->memory_block_words;
    const bool first = !m->accessed;
    if (m->scattered) {
        m->scattered = false;
        m->last_address = address;
        charge_worst(m, cause, cycles);
        return;
    }
    m->accessed = true;
    m->last_address = address;
    if (!first && page == last_page)
        return;
    m->counters.page_faults++;
    charge(m, cause, cycles);
    if (!first && page % c->memory_banks == last_page % c->memory_banks && block != last_block)
        charge(m, CM_CAUSE_BANK_CONFLICT, c->memory_bank_conflict_cycles);
}

static void charge_load(struct cm_slow_machine *m, uint64_t address)
{
    m->counters.loads++;
    charge(m, CM_CAUSE_LOAD, m->config.memory_load_cycles);
    go_to(m, address, CM_CAUSE_LOAD_PAGE_FAULT, m->config.memory_load_page_fault_cycles);
}

static void charge_store(struct cm_slow_machine *m, uint64_t address)
{
    m->counters.stores++;
    charge(m, CM_CAUSE_STORE, m->config.memory_store_cycles);
    go_to(m, address, CM_CAUSE_STORE_PAGE_FAULT, m->config.memory_store_page_fault_cycles);
}

static void write_word(struct cm_slow_node *node, uint64_t address, uint32_t word)
{
    if (node->context)
        node->memory[address] = word;
}

static void write_slot(struct cm_slow_machine *m, struct cm_slow_node *node, unsigned transposer,
                       uint32_t slot, uint32_t word)
{
    if (transposer == CM_TRANSPOSER_A) {
        if (node->pending[slot])
            m->faulted = true;
        node->pending[slot] = true;
    }
    node->slots[transposer][slot] = word;
}

static void run_load(struct cm_slow_machine *m, const struct cm_operand *o)
{
    const uint64_t address = address_of(m, o[1], 0);
    wait_to_write(m, o[0].reg, (uint32_t)o[0].value, 1);
    charge_load(m, address);
    charge(m, CM_CAUSE_TRANSPOSER, m->config.transposer_load_cycles);
    for (uint32_t n = 0; n < m->node_count; n++)
        write_slot(m, &m->nodes[n], o[0].reg, (uint32_t)o[0].value, m->nodes[n].memory[address]);
}

static void run_unload(struct cm_slow_machine *m, const struct cm_operand *o)
{
    const uint64_t address = address_of(m, o[0], 0);
    wait_to_read(m, o[1].reg, (uint32_t)o[1].value, 1);
    charge_store(m, address);
    charge(m, CM_CAUSE_TRANSPOSER, m->config.transposer_unload_cycles);
    for (uint32_t n = 0; n < m->node_count; n++)
        write_word(&m->nodes[n], address, m->nodes[n].slots[o[1].reg][o[1].value]);
}

/* The slot that a node's table word names. */
static uint32_t table_slot(struct cm_slow_machine *m, const struct cm_slow_node *node,
                           uint64_t table, int32_t field, int32_t half)
{
    uint32_t slot = node->memory[table] >> (8 * field) & 0xff;
    if (half == 1)
        slot |= m->config.transposer_slots / 2;
    if (slot >= m->config.transposer_slots) {
        m->faulted = true;
        return 0;
    }
    return slot;
}

/* loadi TRANS, [data], [table], FIELD, HALF */
static void run_loadi(struct cm_slow_machine *m, const struct cm_operand *o)
{
    const uint64_t data = address_of(m, o[1], 0);
    const uint64_t table = address_of(m, o[2], 0);
    wait_to_write(m, o[0].reg, 0, m->config.transposer_slots);
    charge_load(m, table);
    charge_load(m, data);
    charge(m, CM_CAUSE_INDIRECT, m->config.transposer_indirect_load_cycles);
    for (uint32_t n = 0; n < m->node_count; n++) {
        struct cm_slow_node *node = &m->nodes[n];
        const uint32_t slot = table_slot(m, node, table, o[3].value, o[4].value);
        write_slot(m, node, o[0].reg, slot, node->memory[data]);
    }
}

/* unloadi [data], TRANS, [table], FIELD, HALF */
static void run_unloadi(struct cm_slow_machine *m, const struct cm_operand *o)
{
    const uint64_t data = address_of(m, o[0], 0);
    const uint64_t table = address_of(m, o[2], 0);
    wait_to_read(m, o[1].reg, 0, m->config.transposer_slots);
    charge_load(m, table);
    charge_store(m, data);
    charge(m, CM_CAUSE_INDIRECT, m->config.transposer_indirect_unload_cycles);
    for (uint32_t n = 0; n < m->node_count; n++) {
        struct cm_slow_node *node = &m->nodes[n];
        const uint32_t slot = table_slot(m, node, table, o[3].value, o[4].value);
        write_word(node, data, node->slots[o[1].reg][slot]);
    }
}

static void run_constant(struct cm_slow_machine *m, struct cm_operand slot, uint32_t word)
{
    wait_to_write(m, slot.reg, (uint32_t)slot.value, 1);
    charge(m, CM_CAUSE_TRANSPOSER, m->config.transposer_constant_cycles);
    for (uint32_t n = 0; n < m->node_count; n++)
        write_slot(m, &m->nodes[n], slot.reg, (uint32_t)slot.value, word);
}

static void run_exchange(struct cm_slow_machine *m)
{
    const uint32_t half = m->config.transposer_slots / 2;
    for (uint32_t s = 0; s < m->config.transposer_slots; s++) {
        wait_until(m, m->a_free[s]);
        wait_until(m, m->b_ready[s]);
    }
    for (uint32_t s = 0; s < m->config.transposer_slots; s++)
        m->a_free[s] = m->b_ready[s] = m->now + m->config.exchange_cycles;
    if (m->config.exchange_overlap == 0)
        wait_until(m, m->b_ready[0]);
    m->counters.exchanges++;
    for (uint32_t n = 0; n < m->node_count; n++) {
        struct cm_slow_node *node = &m->nodes[n];
        for (uint32_t d = 0; d < m->dimensions; d++) {
            struct cm_slow_node *neighbour = &m->nodes[n ^ UINT32_C(1) << d];
            for (uint32_t c = 0; c < m->config.network_channels_per_dimension; c++) {
                const uint32_t slot = d + 1 + c * half;
                neighbour->slots[CM_TRANSPOSER_B][slot] = node->slots[CM_TRANSPOSER_A][slot];
                if (node->pending[slot]) {
                    m->counters.words_sent++;
                    node->sent[d][c]++;
                }
            }
        }
        node->slots[CM_TRANSPOSER_B][half] = node->slots[CM_TRANSPOSER_A][0];
        node->slots[CM_TRANSPOSER_B][0] = node->slots[CM_TRANSPOSER_A][half];
        memset(node->pending, 0, sizeof(node->pending));
    }
}

/* move [to], [from], COUNT, STRIDE, STRIDE: word by word, so that overlapping moves are what the
 * order makes them */
static void run_move(struct cm_slow_machine *m, const struct cm_operand *o)
{
    for (int64_t i = 0; i < o[2].value; i++) {
        const uint64_t to = address_of(m, o[0], i * o[3].value);
        const uint64_t from = address_of(m, o[1], i * o[4].value);
        if (m->faulted)
            return;
        charge_load(m, from);
        charge_store(m, to);
        m->counters.words_moved_locally++;
        for (uint32_t n = 0; n < m->node_count; n++)
            write_word(&m->nodes[n], to, m->nodes[n].memory[from]);
    }
}

/* Only where the instruction writes all of a register does its high half change. */
static void write_register(struct cm_slow_node *node, struct cm_operand reg, uint64_t bits,
                           bool wide)
{
    uint64_t *f = &node->fpu[reg.reg];
    *f = wide ? bits : (*f >> 32 << 32) | (uint32_t)bits;
}

static void run_fload(struct cm_slow_machine *m, const struct cm_operand *o, int words)
{
    const uint64_t low = address_of(m, o[1], 0);
    const uint64_t high = address_of(m, o[1], words - 1);
    charge_load(m, low);
    if (words == 2)
        charge_load(m, high);
    for (uint32_t n = 0; n < m->node_count; n++) {
        struct cm_slow_node *node = &m->nodes[n];
        write_register(node, o[0], node->memory[low] | (uint64_t)node->memory[high] << 32,
                       words == 2);
    }
}

static void run_fstore(struct cm_slow_machine *m, const struct cm_operand *o, int words)
{
    const uint64_t low = address_of(m, o[0], 0);
    const uint64_t high = address_of(m, o[0], words - 1);
    charge_store(m, low);
    if (words == 2)
        charge_store(m, high);
    for (uint32_t n = 0; n < m->node_count; n++) {
        write_word(&m->nodes[n], low, (uint32_t)m->nodes[n].fpu[o[1].reg]);
        if (words == 2)
            write_word(&m->nodes[n], high, (uint32_t)(m->nodes[n].fpu[o[1].reg] >> 32));
    }
}

/* Charges an access of `words` words somewhere among `count` from `base` on. */
static void charge_indexed(struct cm_slow_machine *m, uint64_t base, uint64_t count, uint64_t words,
                           bool loads)
{
    const struct cm_config *c = &m->config;
    const enum cm_cause fault = loads ? CM_CAUSE_LOAD_PAGE_FAULT : CM_CAUSE_STORE_PAGE_FAULT;
    const uint64_t fault_cycles =
        loads ? c->memory_load_page_fault_cycles : c->memory_store_page_fault_cycles;
    uint64_t pages = 1;
    *(loads ? &m->counters.loads : &m->counters.stores) += words;
    charge(m, loads ? CM_CAUSE_LOAD : CM_CAUSE_STORE,
           words * (loads ? c->memory_load_cycles : c->memory_store_cycles));
    for (uint64_t i = 1; i < count; i++)
        pages += (base + i) % c->memory_page_words == 0;
    if (pages == 1) {
        go_to(m, base, fault, fault_cycles);
    } else {
        charge_worst(m, fault, fault_cycles);
        m->scattered = true;
    }
    charge(m, CM_CAUSE_INDIRECT,
           loads ? c->memory_indexed_load_cycles : c->memory_indexed_store_cycles);
}

/* floadx FREG, [base], FREG, COUNT and fstorex [base], FREG, FREG, COUNT */
static void run_indexed(struct cm_slow_machine *m, enum cm_op op, const struct cm_operand *o)
{
    const bool loads = op == CM_OP_FLOADX32 || op == CM_OP_FLOADX64;
    const bool wide = op == CM_OP_FLOADX64 || op == CM_OP_FSTOREX64;
    const uint64_t base = address_of(m, o[loads ? 1 : 0], 0);
    const uint64_t count = (uint64_t)o[3].value;
    (void)address_of(m, o[loads ? 1 : 0], o[3].value - 1);
    for (uint32_t n = 0; n < m->node_count && !m->faulted; n++)
        if (m->nodes[n].context && (uint32_t)m->nodes[n].fpu[o[2].reg] + UINT64_C(1) + wide > count)
            m->faulted = m->index_faulted = true;
    if (m->faulted)
        return;
    charge_indexed(m, base, count, wide ? 2 : 1, loads);
    for (uint32_t n = 0; n < m->node_count; n++) {
        struct cm_slow_node *node = &m->nodes[n];
        const uint64_t at = base + (uint32_t)node->fpu[o[2].reg];
        const uint64_t value = node->fpu[o[1].reg];
        if (loads && !node->context) {
            write_register(node, o[0], 0, wide);
        } else if (loads) {
            write_register(node, o[0],
                           node->memory[at] | (wide ? (uint64_t)node->memory[at + 1] << 32 : 0),
                           wide);
        } else if (node->context) {
            node->memory[at] = (uint32_t)value;
            if (wide)
                node->memory[at + 1] = (uint32_t)(value >> 32);
        }
    }
}

static void run_fscal(struct cm_slow_machine *m, struct cm_operand reg, uint64_t bits, int words)
{
    charge(m, CM_CAUSE_SCALAR, (uint64_t)words * m->config.front_end_scalar_cycles);
    for (uint32_t n = 0; n < m->node_count; n++)
        write_register(&m->nodes[n], reg, bits, words == 2);
}

/* True if operand i of the instruction is an FPU register that it writes, or reads. */
static bool writes_operand(const struct cm_instruction *instruction, uint32_t i)
{
    const char *name = cm_op_info(instruction->op)->mnemonic;
    const bool compares = strstr("feq32 flt32 fle32 feq64 flt64 fle64 ieq ilt ile", name) != NULL;
    return i == 0 && !compares;
}

static bool is_register(const struct cm_instruction *instruction, uint32_t i)
{
    return cm_op_info(instruction->op)->operands[i] == CM_OPERAND_FREG;
}

/* True if `later` reads or writes the register that `earlier` writes. */
static bool depends(const struct cm_instruction *later, const struct cm_instruction *earlier)
{
    for (uint32_t i = 0; i < CM_OPERANDS_MAX; i++)
        if (writes_operand(earlier, 0) && is_register(later, i) &&
            later->operands[i].reg == earlier->operands[0].reg)
            return true;
    return false;
}

/* An element of a vector that is under way is paid for. Another instruction begins a vector, and
 * pays for all of its elements. */
static void charge_fpu(struct cm_slow_machine *m, enum cm_op op, const struct cm_operand *o)
{
    struct cm_instruction instruction = {.op = op};
    bool joins = m->vector_length > 0 && m->vector_length < m->config.fpu_vector_elements;
    memcpy(instruction.operands, o, sizeof(instruction.operands));
    for (uint32_t i = 0; i < m->vector_length && joins; i++)
        joins = m->vector[i].op == op && !depends(&instruction, &m->vector[i]);
    if (!joins) {
        m->vector_length = 0;
        charge(m, CM_CAUSE_FPU, m->config.fpu_vector_start_cycles);
        for (uint32_t i = 0; i < m->config.fpu_vector_elements; i++)
            charge(m, CM_CAUSE_FPU, cm_slow_fpu_cycles(&m->config, op));
    }
    m->vector[m->vector_length++] = instruction;
}

static void run_arithmetic(struct cm_slow_machine *m, enum cm_op op, const struct cm_operand *o)
{
    charge_fpu(m, op, o);
    m->counters.flops += cm_slow_flops(op);
    for (uint32_t n = 0; n < m->node_count; n++) {
        const uint64_t *f = m->nodes[n].fpu;
        const struct cm_slow_result result =
            cm_slow_compute(op, f[o[1].reg], f[o[2].reg], f[o[3].reg]);
        m->nan_seen = m->nan_seen || result.nan;
        write_register(&m->nodes[n], o[0], result.bits, result.wide);
    }
}

static void run_compare(struct cm_slow_machine *m, enum cm_op op, const struct cm_operand *o)
{
    charge_fpu(m, op, o);
    for (uint32_t n = 0; n < m->node_count; n++) {
        struct cm_slow_node *node = &m->nodes[n];
        node->context = cm_slow_compare(op, node->fpu[o[0].reg], node->fpu[o[1].reg]);
    }
}

/* fsel32, fsel64, fconst and nodeid */
static void run_choice(struct cm_slow_machine *m, enum cm_op op, const struct cm_operand *o)
{
    charge_fpu(m, op, o);
    for (uint32_t n = 0; n < m->node_count; n++) {
        struct cm_slow_node *node = &m->nodes[n];
        if (op == CM_OP_FCONST)
            write_register(node, o[0], (uint32_t)o[1].value, false);
        else if (op == CM_OP_NODEID)
            write_register(node, o[0], n, false);
        else
            write_register(node, o[0], node->fpu[node->context ? o[1].reg : o[2].reg],
                           op == CM_OP_FSEL64);
    }
}

/* ctxsave, ctxrest and ctxandr */
static void run_kept_context(struct cm_slow_machine *m, enum cm_op op, struct cm_operand reg)
{
    charge(m, CM_CAUSE_CONTEXT, m->config.fpu_context_cycles);
    for (uint32_t n = 0; n < m->node_count; n++) {
        struct cm_slow_node *node = &m->nodes[n];
        const bool set = (uint32_t)node->fpu[reg.reg] != 0;
        if (op == CM_OP_CTXSAVE)
            write_register(node, reg, node->context ? 1 : 0, false);
        else
            node->context = set && (op == CM_OP_CTXREST || node->context);
    }
}

static void run_context(struct cm_slow_machine *m, enum cm_op op, const struct cm_operand *o)
{
    const bool from_memory = op == CM_OP_CTXLOAD || op == CM_OP_CTXAND;
    const uint64_t address = from_memory ? address_of(m, o[0], 0) : 0;
    if (from_memory)
        charge_load(m, address);
    charge(m, CM_CAUSE_CONTEXT, m->config.fpu_context_cycles);
    for (uint32_t n = 0; n < m->node_count; n++) {
        struct cm_slow_node *node = &m->nodes[n];
        const bool bit = from_memory && (node->memory[address] >> o[1].value & 1) != 0;
        if (op == CM_OP_CTXALL)
            node->context = true;
        else if (op == CM_OP_CTXNOT)
            node->context = !node->context;
        else
            node->context = bit && (op == CM_OP_CTXLOAD || node->context);
    }
}

static void run_address(struct cm_slow_machine *m, enum cm_op op, const struct cm_operand *o,
                        const struct cm_actual *actuals)
{
    charge(m, CM_CAUSE_ADDRESS, m->config.sequencer_address_cycles);
    if (op == CM_OP_ASET)
        m->address[o[0].reg] = o[1].value;
    else if (op == CM_OP_AADD)
        m->address[o[0].reg] += o[1].value;
    else if (op == CM_OP_ACOPY)
        m->address[o[0].reg] = m->address[o[1].reg] + o[2].value;
    else
        m->address[o[0].reg] = (int64_t)actuals[o[1].value].address;
}

/* The instruction that follows `next` at `pc`. */
static uint32_t run_next(struct cm_slow_machine *m, uint32_t pc)
{
    struct cm_slow_loop *loop = &m->loops[m->loop_count - 1];
    charge(m, CM_CAUSE_LOOP, m->config.sequencer_loop_iteration_cycles);
    if (--loop->left > 0)
        return loop->body;
    m->loop_count--;
    return pc + 1;
}

static void run_fpu(struct cm_slow_machine *m, enum cm_op op, const struct cm_operand *o)
{
    if (op >= CM_OP_FLOADX32 && op <= CM_OP_FSTOREX64)
        run_indexed(m, op, o);
    else if (op >= CM_OP_FEQ32 && op <= CM_OP_ILE)
        run_compare(m, op, o);
    else if (op == CM_OP_FSEL32 || op == CM_OP_FSEL64 || op == CM_OP_FCONST || op == CM_OP_NODEID)
        run_choice(m, op, o);
    else if (op >= CM_OP_CTXSAVE && op <= CM_OP_CTXANDR)
        run_kept_context(m, op, o[0]);
    else
        run_arithmetic(m, op, o);
}

static void run_plain(struct cm_slow_machine *m, const struct cm_instruction *instruction,
                      const struct cm_actual *actuals)
{
    const struct cm_operand *o = instruction->operands;
    switch (instruction->op) {
    case CM_OP_ASET:
    case CM_OP_AADD:
    case CM_OP_ACOPY:
    case CM_OP_AARG:
        run_address(m, instruction->op, o, actuals);
        break;
    case CM_OP_LOAD:
        run_load(m, o);
        break;
    case CM_OP_UNLOAD:
        run_unload(m, o);
        break;
    case CM_OP_LOADI:
        run_loadi(m, o);
        break;
    case CM_OP_UNLOADI:
        run_unloadi(m, o);
        break;
    case CM_OP_CONST:
        run_constant(m, o[0], (uint32_t)o[1].value);
        break;
    case CM_OP_BCAST:
        run_constant(m, o[0], (uint32_t)(actuals[o[1].value].scalar >> (32 * o[2].value)));
        break;
    case CM_OP_EXCHANGE:
        run_exchange(m);
        break;
    case CM_OP_MOVE:
        run_move(m, o);
        break;
    case CM_OP_FLOAD32:
    case CM_OP_FLOAD64:
        run_fload(m, o, instruction->op == CM_OP_FLOAD64 ? 2 : 1);
        break;
    case CM_OP_FSTORE32:
    case CM_OP_FSTORE64:
        run_fstore(m, o, instruction->op == CM_OP_FSTORE64 ? 2 : 1);
        break;
    case CM_OP_FSCAL32:
    case CM_OP_FSCAL64:
        run_fscal(m, o[0], actuals[o[1].value].scalar, instruction->op == CM_OP_FSCAL64 ? 2 : 1);
        break;
    case CM_OP_CTXALL:
    case CM_OP_CTXLOAD:
    case CM_OP_CTXAND:
    case CM_OP_CTXNOT:
        run_context(m, instruction->op, o);
        break;
    default:
        run_fpu(m, instruction->op, o);
        break;
    }
}

static bool uses_c(const struct cm_imp *imp)
{
    for (uint32_t i = 0; i < imp->length; i++) {
        const struct cm_operand *o = imp->code[i].operands;
        switch (imp->code[i].op) {
        case CM_OP_LOAD:
        case CM_OP_LOADI:
        case CM_OP_CONST:
        case CM_OP_BCAST:
            if (o[0].reg == CM_TRANSPOSER_C)
                return true;
            break;
        case CM_OP_UNLOAD:
        case CM_OP_UNLOADI:
            if (o[1].reg == CM_TRANSPOSER_C)
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

static void finish_exchange(struct cm_slow_machine *m)
{
    wait_to_read(m, CM_TRANSPOSER_B, 0, m->config.transposer_slots);
    m->counters.hidden_cycles =
        m->counters.exchanges * m->config.exchange_cycles - m->counters.by_cause[CM_CAUSE_EXCHANGE];
}

static void start(struct cm_slow_machine *m, enum cm_entry entry)
{
    m->faulted = m->index_faulted = false;
    m->loop_count = 0;
    m->vector_length = 0;
    for (uint32_t n = 0; n < m->node_count; n++)
        m->nodes[n].context = true;
    if (entry == CM_ENTRY_RUNTIME)
        charge(m, CM_CAUSE_RUNTIME_CALL, m->config.front_end_runtime_call_cycles);
    if (entry != CM_ENTRY_CHAINED)
        charge(m, CM_CAUSE_START, m->config.front_end_imp_start_cycles);
}

enum cm_status cm_slow_run(struct cm_slow_machine *m, const struct cm_imp *imp,
                           const struct cm_actual *actuals, enum cm_entry entry)
{
    uint32_t pc = 0;
    start(m, entry);
    m->keeps_c = uses_c(imp);
    while (!m->faulted) {
        const struct cm_instruction *instruction = &imp->code[pc];
        m->counters.instructions++;
        if (instruction->op == CM_OP_HALT) {
            finish_exchange(m);
            return CM_OK;
        }
        if (instruction->op == CM_OP_LOOP) {
            charge(m, CM_CAUSE_LOOP, m->config.sequencer_loop_start_cycles);
            m->loops[m->loop_count++] =
                (struct cm_slow_loop){.body = pc + 1, .left = instruction->operands[0].value};
            pc++;
        } else if (instruction->op == CM_OP_NEXT) {
            m->vector_length = 0;
            pc = run_next(m, pc);
        } else {
            run_plain(m, instruction, actuals);
            pc++;
        }
    }
    return CM_FAULT;
}
