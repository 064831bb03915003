/*
 * The data part of each instruction: what it does to planes, transposers and registers, without
 * time. Moves, exchanges and transfers through communication tables are done at once. The rest
 * becomes work on lane blocks (lanes.h), which waits for the next meeting when it is in FPU
 * registers, or when such work is waiting already.
 */
#include "machine_private.h"

#include <string.h>

#define MOVE_PIECE INT64_C(16384) /* words moved between two tests of the interrupt flag */

static uint32_t *plane(const struct cm_worker *worker, uint64_t address)
{
    return cm_memory_plane(&worker->machine->memory, address);
}

/* The plane of the first memory operand. */
static uint32_t *data_plane(const struct cm_worker *worker, const struct cm_issue *issue)
{
    return plane(worker, issue->at.data);
}

static struct cm_operand operand(const struct cm_issue *issue, unsigned number)
{
    return issue->instruction->operands[number];
}

static uint32_t *slot_plane(const struct cm_worker *worker, struct cm_operand operand)
{
    return worker->machine->transposers[operand.reg] +
           (size_t)operand.value * worker->machine->nodes;
}

void cm_execute_pending(struct cm_worker *worker)
{
    if (worker->pending.count > 0)
        cm_lanes_play(&worker->pending, worker->lanes, worker->machine->fpu.block_nodes);
}

/* ---- work on lane blocks ---- */

/* The next work; operands that it does not have point to the context. */
static struct cm_lane_work *begin(struct cm_worker *worker, cm_lane_kernel kernel)
{
    struct cm_lane_work *work = &worker->pending.work[worker->pending.count];
    work->kernel = kernel;
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++) {
        work->at[i] = worker->machine->context;
        work->step[i] = 0;
    }
    work->word = 0;
    work->word_step = 0;
    return work;
}

static void set_plane(const struct cm_worker *worker, struct cm_lane_work *work, uint32_t i,
                      uint32_t *words)
{
    work->at[i] = words + worker->lanes.first;
    work->step[i] = worker->machine->fpu.block_nodes;
}

static void set_register(const struct cm_worker *worker, struct cm_lane_work *work, uint32_t i,
                         uint32_t reg)
{
    const struct cm_fpu *fpu = &worker->machine->fpu;
    work->at[i] = cm_fpu_register(fpu, worker->lanes.first, reg);
    work->step[i] = (uint32_t)cm_fpu_block_words(fpu);
}

/* Work in registers waits. */
static void wait(struct cm_worker *worker)
{
    if (++worker->pending.count == worker->pending.capacity)
        cm_execute_pending(worker);
}

/* Work without registers waits only for the work before it; alone it is played in one piece. */
static void wait_behind(struct cm_worker *worker, const struct cm_lane_work *work)
{
    if (worker->pending.count > 0)
        wait(worker);
    else
        work->kernel(work->at, worker->lanes.last - worker->lanes.first, work->word);
}

/* Makes a register joined or split, whichever an instruction needs that does not overwrite all of
 * it. */
static void need(struct cm_worker *worker, uint32_t reg, bool joined)
{
    uint32_t bit = UINT32_C(1) << reg;
    if (((worker->joined & bit) != 0) == joined)
        return;
    struct cm_lane_work *work = begin(worker, joined ? cm_fpu_join : cm_fpu_split);
    set_register(worker, work, 0, reg);
    wait(worker);
    worker->joined ^= bit;
}

/* A register that an instruction overwrites as a whole. */
static void becomes(struct cm_worker *worker, uint32_t reg, bool joined)
{
    uint32_t bit = UINT32_C(1) << reg;
    worker->joined = joined ? worker->joined | bit : worker->joined & ~bit;
}

/* Writes to memory: only where the context flag is set. Operand 0 becomes the plane, 1 what `work`
 * has there. */
static struct cm_lane_work *begin_store(struct cm_worker *worker, uint64_t address)
{
    struct cm_lane_work *work =
        begin(worker, worker->context_full ? cm_kernel_copy : cm_kernel_copy_masked);
    set_plane(worker, work, 0, plane(worker, address));
    if (!worker->context_full)
        set_plane(worker, work, 2, worker->machine->context);
    return work;
}

static void execute_load(struct cm_worker *worker, const struct cm_issue *issue)
{
    struct cm_lane_work *work = begin(worker, cm_kernel_copy);
    set_plane(worker, work, 0, slot_plane(worker, operand(issue, 0)));
    set_plane(worker, work, 1, data_plane(worker, issue));
    wait_behind(worker, work);
}

static void execute_unload(struct cm_worker *worker, const struct cm_issue *issue)
{
    struct cm_lane_work *work = begin_store(worker, issue->at.data);
    set_plane(worker, work, 1, slot_plane(worker, operand(issue, 1)));
    wait_behind(worker, work);
}

static uint32_t scalar_word(const struct cm_worker *worker, int32_t argument, int32_t slice)
{
    return (uint32_t)(worker->machine->actuals[argument].scalar >> (32 * slice));
}

static void fill_slot(struct cm_worker *worker, const struct cm_issue *issue, uint32_t word)
{
    struct cm_lane_work *work = begin(worker, cm_kernel_fill);
    set_plane(worker, work, 0, slot_plane(worker, operand(issue, 0)));
    work->word = word;
    wait_behind(worker, work);
}

static void execute_const(struct cm_worker *worker, const struct cm_issue *issue)
{
    fill_slot(worker, issue, (uint32_t)operand(issue, 1).value);
}

static void execute_bcast(struct cm_worker *worker, const struct cm_issue *issue)
{
    fill_slot(worker, issue, scalar_word(worker, operand(issue, 1).value, operand(issue, 2).value));
}

/* ---- FPU registers ---- */

static void execute_fload32(struct cm_worker *worker, const struct cm_issue *issue)
{
    need(worker, operand(issue, 0).reg, false);
    struct cm_lane_work *work = begin(worker, cm_kernel_copy);
    set_register(worker, work, 0, operand(issue, 0).reg);
    set_plane(worker, work, 1, data_plane(worker, issue));
    wait(worker);
}

static void execute_fload64(struct cm_worker *worker, const struct cm_issue *issue)
{
    struct cm_lane_work *work = begin(worker, worker->machine->memory_kernels->load);
    set_register(worker, work, 0, operand(issue, 0).reg);
    set_plane(worker, work, 1, data_plane(worker, issue));
    set_plane(worker, work, 2, plane(worker, issue->at.data + 1));
    becomes(worker, operand(issue, 0).reg, true);
    wait(worker);
}

static void execute_fstore32(struct cm_worker *worker, const struct cm_issue *issue)
{
    need(worker, operand(issue, 1).reg, false);
    struct cm_lane_work *work = begin_store(worker, issue->at.data);
    set_register(worker, work, 1, operand(issue, 1).reg);
    wait(worker);
}

static void execute_fstore64(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_fpu_memory_kernels *kernels = worker->machine->memory_kernels;
    need(worker, operand(issue, 1).reg, true);
    struct cm_lane_work *work =
        begin(worker, worker->context_full ? kernels->store : kernels->store_masked);
    set_plane(worker, work, 0, data_plane(worker, issue));
    set_plane(worker, work, 1, plane(worker, issue->at.data + 1));
    set_register(worker, work, 2, operand(issue, 1).reg);
    set_plane(worker, work, 3, worker->machine->context);
    wait(worker);
}

static void fill_register(struct cm_worker *worker, const struct cm_issue *issue,
                          cm_lane_kernel kernel, uint64_t word)
{
    struct cm_lane_work *work = begin(worker, kernel);
    set_register(worker, work, 0, operand(issue, 0).reg);
    work->word = word;
    wait(worker);
}

static void execute_fscal32(struct cm_worker *worker, const struct cm_issue *issue)
{
    need(worker, operand(issue, 0).reg, false);
    fill_register(worker, issue, cm_kernel_fill, scalar_word(worker, operand(issue, 1).value, 0));
}

static void execute_fscal64(struct cm_worker *worker, const struct cm_issue *issue)
{
    becomes(worker, operand(issue, 0).reg, true);
    fill_register(worker, issue, cm_kernel_fill64,
                  worker->machine->actuals[operand(issue, 1).value].scalar);
}

static void execute_fconst(struct cm_worker *worker, const struct cm_issue *issue)
{
    need(worker, operand(issue, 0).reg, false);
    fill_register(worker, issue, cm_kernel_fill, (uint32_t)operand(issue, 1).value);
}

static void execute_nodeid(struct cm_worker *worker, const struct cm_issue *issue)
{
    need(worker, operand(issue, 0).reg, false);
    struct cm_lane_work *work = begin(worker, cm_kernel_number);
    set_register(worker, work, 0, operand(issue, 0).reg);
    work->word = worker->lanes.first;
    work->word_step = worker->machine->fpu.block_nodes;
    wait(worker);
}

/* An instruction whose operands are registers, from number `first` of the work on. */
static struct cm_lane_work *begin_in_registers(struct cm_worker *worker,
                                               const struct cm_issue *issue, uint32_t first)
{
    const struct cm_instruction *instruction = issue->instruction;
    uint32_t count = cm_op_info(instruction->op)->operand_count;
    struct cm_lane_work *work = begin(worker, worker->machine->kernels[instruction->op]);
    for (uint32_t i = 0; i < count; i++)
        set_register(worker, work, first + i, instruction->operands[i].reg);
    return work;
}

static void need_operands(struct cm_worker *worker, const struct cm_issue *issue, uint32_t first,
                          bool joined)
{
    const struct cm_instruction *instruction = issue->instruction;
    uint32_t count = cm_op_info(instruction->op)->operand_count;
    for (uint32_t i = first; i < count; i++)
        need(worker, instruction->operands[i].reg, joined);
}

static void execute_arithmetic(struct cm_worker *worker, const struct cm_issue *issue)
{
    bool wide = cm_fpu_is_wide(issue->instruction->op);
    need_operands(worker, issue, wide ? 1 : 0, wide);
    begin_in_registers(worker, issue, 0);
    becomes(worker, operand(issue, 0).reg, wide);
    wait(worker);
}

static void execute_fhigh(struct cm_worker *worker, const struct cm_issue *issue)
{
    need_operands(worker, issue, 0, false);
    begin_in_registers(worker, issue, 0)->kernel = cm_kernel_high_half;
    wait(worker);
}

static void execute_fjoin(struct cm_worker *worker, const struct cm_issue *issue)
{
    need_operands(worker, issue, 0, false);
    begin_in_registers(worker, issue, 0)->kernel = cm_kernel_halves;
    wait(worker);
}

/* ---- the context flag ---- */

static void execute_ctxall(struct cm_worker *worker, const struct cm_issue *issue)
{
    (void)issue;
    worker->context_full = true;
}

/* Sets the context by the bit of a memory word. */
static void context_by_bit(struct cm_worker *worker, const struct cm_issue *issue,
                           cm_lane_kernel kernel)
{
    struct cm_lane_work *work = begin(worker, kernel);
    set_plane(worker, work, 0, worker->machine->context);
    set_plane(worker, work, 1, data_plane(worker, issue));
    work->word = (uint32_t)operand(issue, 1).value;
    worker->context_full = false;
    wait_behind(worker, work);
}

static void execute_ctxload(struct cm_worker *worker, const struct cm_issue *issue)
{
    context_by_bit(worker, issue, cm_kernel_bit_to_mask);
}

static void execute_ctxand(struct cm_worker *worker, const struct cm_issue *issue)
{
    context_by_bit(worker, issue,
                   worker->context_full ? cm_kernel_bit_to_mask : cm_kernel_mask_and_bit);
}

static void execute_ctxnot(struct cm_worker *worker, const struct cm_issue *issue)
{
    (void)issue;
    struct cm_lane_work *work =
        begin(worker, worker->context_full ? cm_kernel_fill : cm_kernel_mask_not);
    set_plane(worker, work, 0, worker->machine->context);
    worker->context_full = false;
    wait_behind(worker, work);
}

static void execute_compare(struct cm_worker *worker, const struct cm_issue *issue)
{
    enum cm_op op = issue->instruction->op;
    need_operands(worker, issue, 0, cm_fpu_is_wide(op));
    struct cm_lane_work *work = begin_in_registers(worker, issue, 1);
    set_plane(worker, work, 0, worker->machine->context);
    worker->context_full = false;
    wait(worker);
}

static void execute_ctxsave(struct cm_worker *worker, const struct cm_issue *issue)
{
    need_operands(worker, issue, 0, false);
    struct cm_lane_work *work =
        begin(worker, worker->context_full ? cm_kernel_fill : cm_kernel_mask_to_words);
    set_register(worker, work, 0, operand(issue, 0).reg);
    set_plane(worker, work, 1, worker->machine->context);
    work->word = 1;
    wait(worker);
}

static void context_by_register(struct cm_worker *worker, const struct cm_issue *issue,
                                cm_lane_kernel kernel)
{
    need_operands(worker, issue, 0, false);
    struct cm_lane_work *work = begin(worker, kernel);
    set_plane(worker, work, 0, worker->machine->context);
    set_register(worker, work, 1, operand(issue, 0).reg);
    worker->context_full = false;
    wait(worker);
}

static void execute_ctxrest(struct cm_worker *worker, const struct cm_issue *issue)
{
    context_by_register(worker, issue, cm_kernel_words_to_mask);
}

static void execute_ctxandr(struct cm_worker *worker, const struct cm_issue *issue)
{
    context_by_register(worker, issue,
                        worker->context_full ? cm_kernel_words_to_mask : cm_kernel_mask_and_words);
}

static void execute_fsel32(struct cm_worker *worker, const struct cm_issue *issue)
{
    need_operands(worker, issue, 0, false);
    struct cm_lane_work *work = begin_in_registers(worker, issue, 0);
    set_plane(worker, work, 3, worker->machine->context);
    if (worker->context_full)
        work->kernel = cm_kernel_copy;
    wait(worker);
}

static void execute_fsel64(struct cm_worker *worker, const struct cm_issue *issue)
{
    need_operands(worker, issue, 1, true);
    struct cm_lane_work *work = begin_in_registers(worker, issue, 0);
    set_plane(worker, work, 3, worker->machine->context);
    if (worker->context_full)
        work->kernel = cm_kernel_copy64;
    becomes(worker, operand(issue, 0).reg, true);
    wait(worker);
}

/* ---- done at once ---- */

static void execute_loadi(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_execute_pending(worker);
    worker->machine->indirect_kernels->scatter(worker->lanes,
                                               worker->machine->transposers[operand(issue, 0).reg],
                                               issue->choice, data_plane(worker, issue));
}

static void execute_unloadi(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_execute_pending(worker);
    const uint32_t *registers = worker->machine->transposers[operand(issue, 1).reg];
    const struct cm_indirect_kernels *kernels = worker->machine->indirect_kernels;
    if (worker->context_full)
        kernels->gather(worker->lanes, data_plane(worker, issue), registers, issue->choice);
    else
        kernels->gather_masked(worker->lanes, data_plane(worker, issue), registers, issue->choice,
                               worker->machine->context);
}

static void copy_plane(struct cm_worker *worker, uint32_t *to, const uint32_t *from)
{
    const struct cm_lanes lanes = worker->lanes;
    memcpy(to + lanes.first, from + lanes.first, (lanes.last - lanes.first) * sizeof *to);
}

/* Only slots loaded since the last exchange carry anything new; B keeps what earlier exchanges
 * brought. */
static void execute_exchange(struct cm_worker *worker, const struct cm_issue *issue)
{
    (void)issue;
    const struct cm_machine *machine = worker->machine;
    uint32_t half = machine->config.transposer_slots / 2;
    const uint32_t *a = machine->transposers[CM_TRANSPOSER_A];
    uint32_t *b = machine->transposers[CM_TRANSPOSER_B];
    for (uint64_t left = cm_channels_loaded_slots(&worker->channels); left; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        uint32_t channel = slot % half;
        const uint32_t *from = a + (size_t)slot * machine->nodes;
        if (channel == 0) /* the chip-to-chip wire crosses to the other set */
            copy_plane(worker, b + (size_t)(slot ^ half) * machine->nodes, from);
        else if (machine->channel_slots >> slot & 1)
            cm_kernel_exchange(worker->lanes, b + (size_t)slot * machine->nodes, from, channel - 1);
    }
}

static bool is_interrupted(const struct cm_worker *worker)
{
    return atomic_load_explicit(&worker->machine->interrupted, memory_order_relaxed);
}

static void move_masked(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_operand *operands = issue->instruction->operands;
    int64_t dst = (int64_t)issue->at.data;
    int64_t src = (int64_t)issue->at.other;
    for (int32_t k = 0; k < operands[2].value && !is_interrupted(worker); k++) {
        struct cm_lane_work *work = begin_store(worker, (uint64_t)dst);
        set_plane(worker, work, 1, plane(worker, (uint64_t)src));
        wait_behind(worker, work);
        dst += operands[3].value;
        src += operands[4].value;
    }
}

/* In pieces, so that a run can be stopped within a long move; memory is undefined then. */
static void move_in_pieces(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_operand *operands = issue->instruction->operands;
    int64_t dst = (int64_t)issue->at.data;
    int64_t src = (int64_t)issue->at.other;
    for (int64_t left = operands[2].value; left > 0 && !is_interrupted(worker);) {
        int64_t count = left < MOVE_PIECE ? left : MOVE_PIECE;
        cm_kernel_move(worker->lanes, plane(worker, (uint64_t)dst), plane(worker, (uint64_t)src),
                       (uint64_t)count, operands[3].value, operands[4].value,
                       worker->machine->nontemporal);
        dst += count * operands[3].value;
        src += count * operands[4].value;
        left -= count;
    }
}

static void execute_move(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_execute_pending(worker);
    if (worker->context_full)
        move_in_pieces(worker, issue);
    else
        move_masked(worker, issue);
}

typedef void (*execute_function)(struct cm_worker *worker, const struct cm_issue *issue);

/* NULL: the sequencer does everything. */
static const execute_function functions[CM_OP_COUNT] = {
    [CM_OP_LOAD] = execute_load,          [CM_OP_UNLOAD] = execute_unload,
    [CM_OP_LOADI] = execute_loadi,        [CM_OP_UNLOADI] = execute_unloadi,
    [CM_OP_CONST] = execute_const,        [CM_OP_BCAST] = execute_bcast,
    [CM_OP_EXCHANGE] = execute_exchange,  [CM_OP_MOVE] = execute_move,
    [CM_OP_FLOAD32] = execute_fload32,    [CM_OP_FLOAD64] = execute_fload64,
    [CM_OP_FSTORE32] = execute_fstore32,  [CM_OP_FSTORE64] = execute_fstore64,
    [CM_OP_FSCAL32] = execute_fscal32,    [CM_OP_FSCAL64] = execute_fscal64,
    [CM_OP_FADD32] = execute_arithmetic,  [CM_OP_FADD64] = execute_arithmetic,
    [CM_OP_FSUB32] = execute_arithmetic,  [CM_OP_FSUB64] = execute_arithmetic,
    [CM_OP_FMUL32] = execute_arithmetic,  [CM_OP_FMUL64] = execute_arithmetic,
    [CM_OP_FMA32] = execute_arithmetic,   [CM_OP_FMA64] = execute_arithmetic,
    [CM_OP_IADD] = execute_arithmetic,    [CM_OP_ISUB] = execute_arithmetic,
    [CM_OP_IMUL] = execute_arithmetic,    [CM_OP_CTXALL] = execute_ctxall,
    [CM_OP_CTXLOAD] = execute_ctxload,    [CM_OP_CTXAND] = execute_ctxand,
    [CM_OP_CTXNOT] = execute_ctxnot,      [CM_OP_FDIV32] = execute_arithmetic,
    [CM_OP_FDIV64] = execute_arithmetic,  [CM_OP_FSQRT32] = execute_arithmetic,
    [CM_OP_FSQRT64] = execute_arithmetic, [CM_OP_FNEG32] = execute_arithmetic,
    [CM_OP_FNEG64] = execute_arithmetic,  [CM_OP_FABS32] = execute_arithmetic,
    [CM_OP_FABS64] = execute_arithmetic,  [CM_OP_FMIN32] = execute_arithmetic,
    [CM_OP_FMIN64] = execute_arithmetic,  [CM_OP_FMAX32] = execute_arithmetic,
    [CM_OP_FMAX64] = execute_arithmetic,  [CM_OP_IMIN] = execute_arithmetic,
    [CM_OP_IMAX] = execute_arithmetic,    [CM_OP_IDIV] = execute_arithmetic,
    [CM_OP_IMOD] = execute_arithmetic,    [CM_OP_IAND] = execute_arithmetic,
    [CM_OP_IOR] = execute_arithmetic,     [CM_OP_IXOR] = execute_arithmetic,
    [CM_OP_ISHL] = execute_arithmetic,    [CM_OP_ISHR] = execute_arithmetic,
    [CM_OP_ISAR] = execute_arithmetic,    [CM_OP_FEQ32] = execute_compare,
    [CM_OP_FLT32] = execute_compare,      [CM_OP_FLE32] = execute_compare,
    [CM_OP_FEQ64] = execute_compare,      [CM_OP_FLT64] = execute_compare,
    [CM_OP_FLE64] = execute_compare,      [CM_OP_IEQ] = execute_compare,
    [CM_OP_ILT] = execute_compare,        [CM_OP_ILE] = execute_compare,
    [CM_OP_CTXSAVE] = execute_ctxsave,    [CM_OP_CTXREST] = execute_ctxrest,
    [CM_OP_CTXANDR] = execute_ctxandr,    [CM_OP_FSEL32] = execute_fsel32,
    [CM_OP_FSEL64] = execute_fsel64,      [CM_OP_I2F32] = execute_arithmetic,
    [CM_OP_I2F64] = execute_arithmetic,   [CM_OP_F2I32] = execute_arithmetic,
    [CM_OP_F2I64] = execute_arithmetic,   [CM_OP_F32TO64] = execute_arithmetic,
    [CM_OP_F64TO32] = execute_arithmetic, [CM_OP_FHIGH] = execute_fhigh,
    [CM_OP_FJOIN] = execute_fjoin,        [CM_OP_FCONST] = execute_fconst,
    [CM_OP_NODEID] = execute_nodeid,
};

void cm_execute(struct cm_worker *worker, const struct cm_issue *issue)
{
    execute_function function = functions[issue->instruction->op];
    if (function)
        function(worker, issue);
}
