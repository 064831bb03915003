/* The data part of each instruction: what it does to planes, transposers and registers, without
 * time. */
#include "machine_private.h"

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

/* Writes to memory: only where the context flag is set. */
static void store_plane(struct cm_worker *worker, uint64_t address, const uint32_t *words)
{
    if (worker->context_full)
        cm_kernel_copy(worker->lanes, plane(worker, address), words);
    else
        cm_kernel_copy_masked(worker->lanes, plane(worker, address), words,
                              worker->machine->context);
}

static void execute_load(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_kernel_copy(worker->lanes, slot_plane(worker, operand(issue, 0)), data_plane(worker, issue));
}

static void execute_unload(struct cm_worker *worker, const struct cm_issue *issue)
{
    store_plane(worker, issue->at.data, slot_plane(worker, operand(issue, 1)));
}

static void execute_loadi(struct cm_worker *worker, const struct cm_issue *issue)
{
    worker->machine->indirect_kernels->scatter(worker->lanes,
                                               worker->machine->transposers[operand(issue, 0).reg],
                                               issue->choice, data_plane(worker, issue));
}

static void execute_unloadi(struct cm_worker *worker, const struct cm_issue *issue)
{
    const uint32_t *registers = worker->machine->transposers[operand(issue, 1).reg];
    const struct cm_indirect_kernels *kernels = worker->machine->indirect_kernels;
    if (worker->context_full)
        kernels->gather(worker->lanes, data_plane(worker, issue), registers, issue->choice);
    else
        kernels->gather_masked(worker->lanes, data_plane(worker, issue), registers, issue->choice,
                               worker->machine->context);
}

static void execute_const(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_kernel_fill(worker->lanes, slot_plane(worker, operand(issue, 0)),
                   (uint32_t)operand(issue, 1).value);
}

static uint32_t scalar_word(const struct cm_worker *worker, int32_t argument, int32_t slice)
{
    return (uint32_t)(worker->machine->actuals[argument].scalar >> (32 * slice));
}

static void execute_bcast(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_operand *operands = issue->instruction->operands;
    cm_kernel_fill(worker->lanes, slot_plane(worker, operands[0]),
                   scalar_word(worker, operands[1].value, operands[2].value));
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
            cm_kernel_copy(worker->lanes, b + (size_t)(slot ^ half) * machine->nodes, from);
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
        store_plane(worker, (uint64_t)dst, plane(worker, (uint64_t)src));
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
    if (worker->context_full)
        move_in_pieces(worker, issue);
    else
        move_masked(worker, issue);
}

static void execute_fpu_load(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_fpu *fpu = &worker->machine->fpu;
    uint32_t reg = operand(issue, 0).reg;
    cm_kernel_copy(worker->lanes, cm_fpu_low(fpu, reg), data_plane(worker, issue));
    if (issue->instruction->op == CM_OP_FLOAD64)
        cm_kernel_copy(worker->lanes, cm_fpu_high(fpu, reg), plane(worker, issue->at.data + 1));
}

static void execute_fpu_store(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_fpu *fpu = &worker->machine->fpu;
    uint32_t reg = operand(issue, 1).reg;
    store_plane(worker, issue->at.data, cm_fpu_low(fpu, reg));
    if (issue->instruction->op == CM_OP_FSTORE64)
        store_plane(worker, issue->at.data + 1, cm_fpu_high(fpu, reg));
}

static void execute_fpu_scalar(struct cm_worker *worker, const struct cm_issue *issue)
{
    const struct cm_fpu *fpu = &worker->machine->fpu;
    const struct cm_operand *operands = issue->instruction->operands;
    cm_kernel_fill(worker->lanes, cm_fpu_low(fpu, operands[0].reg),
                   scalar_word(worker, operands[1].value, 0));
    if (issue->instruction->op == CM_OP_FSCAL64)
        cm_kernel_fill(worker->lanes, cm_fpu_high(fpu, operands[0].reg),
                       scalar_word(worker, operands[1].value, 1));
}

static void execute_arithmetic(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_fpu_execute(&worker->machine->fpu, worker->lanes, issue->instruction);
}

static void execute_convert(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_fpu_convert(&worker->machine->fpu, worker->lanes, issue->instruction);
}

/* The low half of an FPU register that an instruction names. */
static uint32_t *low_plane(const struct cm_worker *worker, const struct cm_issue *issue,
                           unsigned number)
{
    return cm_fpu_low(&worker->machine->fpu, operand(issue, number).reg);
}

static uint32_t *high_plane(const struct cm_worker *worker, const struct cm_issue *issue,
                            unsigned number)
{
    return cm_fpu_high(&worker->machine->fpu, operand(issue, number).reg);
}

static void execute_fhigh(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_kernel_copy(worker->lanes, low_plane(worker, issue, 0), high_plane(worker, issue, 1));
}

/* The high half first: no low half is overwritten that is still to be read. */
static void execute_fjoin(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_kernel_copy(worker->lanes, high_plane(worker, issue, 0), low_plane(worker, issue, 2));
    cm_kernel_copy(worker->lanes, low_plane(worker, issue, 0), low_plane(worker, issue, 1));
}

static void execute_fconst(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_kernel_fill(worker->lanes, low_plane(worker, issue, 0), (uint32_t)operand(issue, 1).value);
}

static void execute_nodeid(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_kernel_number(worker->lanes, low_plane(worker, issue, 0));
}

static void execute_ctxall(struct cm_worker *worker, const struct cm_issue *issue)
{
    (void)issue;
    worker->context_full = true;
}

static void execute_ctxload(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_kernel_bit_to_mask(worker->lanes, worker->machine->context, data_plane(worker, issue),
                          (uint32_t)operand(issue, 1).value);
    worker->context_full = false;
}

static void execute_ctxand(struct cm_worker *worker, const struct cm_issue *issue)
{
    if (worker->context_full)
        execute_ctxload(worker, issue);
    else
        cm_kernel_mask_and_bit(worker->lanes, worker->machine->context, data_plane(worker, issue),
                               (uint32_t)operand(issue, 1).value);
}

static void execute_ctxnot(struct cm_worker *worker, const struct cm_issue *issue)
{
    (void)issue;
    if (worker->context_full)
        cm_kernel_fill(worker->lanes, worker->machine->context, 0);
    else
        cm_kernel_mask_not(worker->lanes, worker->machine->context);
    worker->context_full = false;
}

static void execute_compare(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_fpu_compare(&worker->machine->fpu, worker->lanes, issue->instruction,
                   worker->machine->context);
    worker->context_full = false;
}

static void execute_ctxsave(struct cm_worker *worker, const struct cm_issue *issue)
{
    if (worker->context_full)
        cm_kernel_fill(worker->lanes, low_plane(worker, issue, 0), 1);
    else
        cm_kernel_mask_to_words(worker->lanes, low_plane(worker, issue, 0),
                                worker->machine->context);
}

static void execute_ctxrest(struct cm_worker *worker, const struct cm_issue *issue)
{
    cm_kernel_words_to_mask(worker->lanes, worker->machine->context, low_plane(worker, issue, 0));
    worker->context_full = false;
}

static void execute_ctxandr(struct cm_worker *worker, const struct cm_issue *issue)
{
    if (worker->context_full)
        execute_ctxrest(worker, issue);
    else
        cm_kernel_mask_and_words(worker->lanes, worker->machine->context,
                                 low_plane(worker, issue, 0));
}

static void execute_select(struct cm_worker *worker, const struct cm_issue *issue)
{
    if (!worker->context_full) {
        cm_fpu_select(&worker->machine->fpu, worker->lanes, issue->instruction,
                      worker->machine->context);
        return;
    }
    cm_kernel_copy(worker->lanes, low_plane(worker, issue, 0), low_plane(worker, issue, 1));
    if (issue->instruction->op == CM_OP_FSEL64)
        cm_kernel_copy(worker->lanes, high_plane(worker, issue, 0), high_plane(worker, issue, 1));
}

typedef void (*execute_function)(struct cm_worker *worker, const struct cm_issue *issue);

/* NULL: the sequencer does everything. */
static const execute_function functions[CM_OP_COUNT] = {
    [CM_OP_LOAD] = execute_load,          [CM_OP_UNLOAD] = execute_unload,
    [CM_OP_LOADI] = execute_loadi,        [CM_OP_UNLOADI] = execute_unloadi,
    [CM_OP_CONST] = execute_const,        [CM_OP_BCAST] = execute_bcast,
    [CM_OP_EXCHANGE] = execute_exchange,  [CM_OP_MOVE] = execute_move,
    [CM_OP_FLOAD32] = execute_fpu_load,   [CM_OP_FLOAD64] = execute_fpu_load,
    [CM_OP_FSTORE32] = execute_fpu_store, [CM_OP_FSTORE64] = execute_fpu_store,
    [CM_OP_FSCAL32] = execute_fpu_scalar, [CM_OP_FSCAL64] = execute_fpu_scalar,
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
    [CM_OP_CTXANDR] = execute_ctxandr,    [CM_OP_FSEL32] = execute_select,
    [CM_OP_FSEL64] = execute_select,      [CM_OP_I2F32] = execute_convert,
    [CM_OP_I2F64] = execute_convert,      [CM_OP_F2I32] = execute_convert,
    [CM_OP_F2I64] = execute_convert,      [CM_OP_F32TO64] = execute_convert,
    [CM_OP_F64TO32] = execute_convert,    [CM_OP_FHIGH] = execute_fhigh,
    [CM_OP_FJOIN] = execute_fjoin,        [CM_OP_FCONST] = execute_fconst,
    [CM_OP_NODEID] = execute_nodeid,
};

void cm_execute(struct cm_worker *worker, const struct cm_issue *issue)
{
    execute_function function = functions[issue->instruction->op];
    if (function)
        function(worker, issue);
}
