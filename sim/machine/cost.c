/*
 * Charges each cost class of instructions. This table alone relates the classes of isa.def to the
 * costs in the machine description. An instruction is charged its memory accesses in order, then
 * cycles of its own.
 */
#include "accesses.h"
#include "clock.h"

/* Defines the function that charges a cost class. The function evaluates the expressions after the
 * class in order. */
#define CHARGE(class, ...)                                                                         \
    static void charge_##class(struct cm_clock * clock, const struct cm_instruction *instruction,  \
                               const struct cm_effective *at)                                      \
    {                                                                                              \
        (void)clock, (void)instruction, (void)at;                                                  \
        __VA_ARGS__;                                                                               \
    }
#define READ(address)         cm_clock_read(clock, address)
#define WRITE(address)        cm_clock_write(clock, address)
#define CYCLES(cause, member) cm_clock_charge(clock, CM_CAUSE_##cause, clock->config->member)
#define FPU(member)           cm_clock_fpu(clock, instruction, clock->config->member)

CHARGE(NONE, (void)0)
CHARGE(LOOP, CYCLES(LOOP, sequencer_loop_start_cycles))
CHARGE(NEXT, CYCLES(LOOP, sequencer_loop_iteration_cycles), cm_clock_end_vector(clock))
CHARGE(ADDRESS, CYCLES(ADDRESS, sequencer_address_cycles))
CHARGE(LOAD, READ(at->data), CYCLES(TRANSPOSER, transposer_load_cycles))
CHARGE(UNLOAD, WRITE(at->data), CYCLES(TRANSPOSER, transposer_unload_cycles))
/* The communication table word is read first, because it names the slot. */
CHARGE(LOAD_INDIRECT, READ(at->other), READ(at->data),
       CYCLES(INDIRECT, transposer_indirect_load_cycles))
CHARGE(UNLOAD_INDIRECT, READ(at->other), WRITE(at->data),
       CYCLES(INDIRECT, transposer_indirect_unload_cycles))
CHARGE(CONSTANT, CYCLES(TRANSPOSER, transposer_constant_cycles))
CHARGE(EXCHANGE, cm_clock_exchange(clock))
CHARGE(CONTEXT, CYCLES(CONTEXT, fpu_context_cycles))
CHARGE(CONTEXT_LOAD, READ(at->data), CYCLES(CONTEXT, fpu_context_cycles))

CHARGE(MOVE, cm_clock_move(clock, at->data, at->other, (uint64_t)instruction->operands[2].value,
                           instruction->operands[3].value, instruction->operands[4].value))

/* True if an FPU instruction loads, stores or sets a value of two words. */
static bool is_wide(const struct cm_instruction *instruction)
{
    return instruction->op == CM_OP_FLOAD64 || instruction->op == CM_OP_FSTORE64 ||
           instruction->op == CM_OP_FLOADX64 || instruction->op == CM_OP_FSTOREX64 ||
           instruction->op == CM_OP_FSCAL64;
}

CHARGE(FPU_LOAD, READ(at->data), is_wide(instruction) ? READ(at->data + 1) : (void)0)
CHARGE(FPU_STORE, WRITE(at->data), is_wide(instruction) ? WRITE(at->data + 1) : (void)0)

/* Number of words, from at->data on, among which the index of an indexed load or store selects. */
#define REACH ((uint64_t)instruction->operands[3].value)
CHARGE(FPU_LOAD_INDEXED, cm_clock_read_among(clock, at->data, REACH, is_wide(instruction) ? 2 : 1),
       CYCLES(INDIRECT, memory_indexed_load_cycles))
CHARGE(FPU_STORE_INDEXED,
       cm_clock_write_among(clock, at->data, REACH, is_wide(instruction) ? 2 : 1),
       CYCLES(INDIRECT, memory_indexed_store_cycles))

CHARGE(FPU_SCALAR, CYCLES(SCALAR, front_end_scalar_cycles),
       is_wide(instruction) ? CYCLES(SCALAR, front_end_scalar_cycles) : (void)0)

static unsigned flops(const struct cm_instruction *instruction)
{
    bool is_integer = instruction->op == CM_OP_IADD || instruction->op == CM_OP_ISUB ||
                      instruction->op == CM_OP_IMUL;
    return is_integer ? 0 : 1;
}

CHARGE(FPU_ADD, clock->counters.flops += flops(instruction), FPU(fpu_add_cycles))
CHARGE(FPU_MULTIPLY, clock->counters.flops += flops(instruction), FPU(fpu_multiply_cycles))
CHARGE(FPU_MULTIPLY_ADD, clock->counters.flops += 2, FPU(fpu_multiply_add_cycles))
CHARGE(FPU_DIVIDE, clock->counters.flops++, FPU(fpu_divide_cycles))
CHARGE(FPU_DIVIDE64, clock->counters.flops++, FPU(fpu_divide64_cycles))
CHARGE(FPU_SQUARE_ROOT, clock->counters.flops++, FPU(fpu_square_root_cycles))
CHARGE(FPU_SQUARE_ROOT64, clock->counters.flops++, FPU(fpu_square_root64_cycles))
CHARGE(FPU_INTEGER_DIVIDE, FPU(fpu_integer_divide_cycles))
CHARGE(FPU_MIN_MAX, FPU(fpu_add_cycles))
CHARGE(FPU_COMPARE, FPU(fpu_compare_cycles))
CHARGE(FPU_CONVERT, FPU(fpu_convert_cycles))
CHARGE(FPU_LOGICAL, FPU(fpu_logical_cycles))

#define CHARGE_OF(class) [CM_COST_##class] = charge_##class
static void (*const charges[CM_COST_CLASS_COUNT])(struct cm_clock *clock,
                                                  const struct cm_instruction *instruction,
                                                  const struct cm_effective *at) = {
    CM_COST_CLASSES(CHARGE_OF)};

void cm_clock_issue(struct cm_clock *clock, const struct cm_instruction *instruction,
                    const struct cm_effective *at)
{
    clock->counters.instructions++;
    cm_clock_wait_for(clock, instruction);
    charges[cm_op_accesses[instruction->op].cost](clock, instruction, at);
}
