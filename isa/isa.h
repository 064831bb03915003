/*
 * Instructions as data. isa.def is the only list of instructions, and this header expands it: the
 * enum of opcodes, operand kinds, cost classes and the table of instructions. The room isa/
 * defines microprograms. It knows no machine state.
 *
 *     isa.def          the list: mnemonic, operands, cost class, meaning, source
 *     imp.h            the IMP object, its builder, its text and its image
 *     assemble.c       text to IMP, with lexer.c and symbols.c
 *     disassemble.c    IMP to text
 *     verify.c         conditions that hold before a machine runs an IMP
 *     encoding.c       instruction to SRAM words and back
 *     image.c          IMP to file and back
 */
#ifndef CM_ISA_ISA_H
#define CM_ISA_ISA_H

#include "../base/export.h"

#include <stdint.h>

CM_BEGIN_DECLS

/* Limits of the instruction set (docs/imp.md). */
#define CM_OPERANDS_MAX      5u
#define CM_ADDRESS_REGISTERS 64u
#define CM_FPU_REGISTERS     32u
/* Number of slots of a transposer that the encoding can name. A machine may have fewer. */
#define CM_SLOTS_MAX 64u
#define CM_IMM_MIN   (-(INT64_C(1) << 31))
#define CM_IMM_MAX   ((INT64_C(1) << 31) - 1)
/* range of a memory operand's offset, in words: signed 26 bits */
#define CM_OFFSET_MIN (-(1 << 25))
#define CM_OFFSET_MAX ((1 << 25) - 1)

/* Opcodes, in the order of isa.def. */
enum cm_op {
#define CM_OP(symbol, mnemonic, cost, k1, k2, k3, k4, k5, effect, source) CM_OP_##symbol,
#include "isa.def"
#undef CM_OP
    CM_OP_COUNT
};

/* Kinds of operands. Each comment gives the members of struct cm_operand that the kind uses, then
 * the form of the operand in assembly text. */
enum cm_operand_kind {
    CM_OPERAND_NONE,
    CM_OPERAND_REG,    /* reg: address register                         r0 .. r63 */
    CM_OPERAND_ARG,    /* value: index of an address argument           its name */
    CM_OPERAND_SARG,   /* value: index of a scalar argument             its name */
    CM_OPERAND_IMM,    /* value: signed 32-bit integer                  -5, 0x10 */
    CM_OPERAND_COUNT,  /* value: 1 .. 2^31-1                            16 */
    CM_OPERAND_STRIDE, /* value: signed 32-bit integer                  1 */
    CM_OPERAND_WORD,   /* value: the 32 bits, as int32_t                0x3f800000 */
    CM_OPERAND_MEM,    /* reg, value: address register and offset       [r3+5], [r3-1], [r3] */
    CM_OPERAND_TRANS,  /* reg: enum cm_transposer                       A, B, C */
    CM_OPERAND_SLOT,   /* reg: enum cm_transposer, value: slot          A.5 */
    CM_OPERAND_FIELD,  /* value: 0 .. 3, byte of a table word           0 */
    CM_OPERAND_HALF,   /* value: 0 or 1, which set of channels          1 */
    CM_OPERAND_SLICE,  /* value: 0 or 1, 32-bit half of a scalar        0 */
    CM_OPERAND_FREG,   /* reg: FPU register                             f0 .. f31 */
    CM_OPERAND_BIT,    /* value: 0 .. 31                                7 */
    CM_OPERAND_LABEL,  /* value: index of an instruction                its label */
    CM_OPERAND_KIND_COUNT
};

/* The three transposers of a node (PSHIFT paper, section 2.2). */
enum cm_transposer { CM_TRANSPOSER_A, CM_TRANSPOSER_B, CM_TRANSPOSER_C, CM_TRANSPOSER_COUNT };

/* Class of an instruction, which decides its cost in cycles. sim/machine/cost.c charges each
 * class. */
#define CM_COST_CLASSES(DO)                                                                        \
    DO(NONE), DO(LOOP), DO(NEXT), DO(ADDRESS), DO(LOAD), DO(UNLOAD), DO(LOAD_INDIRECT),            \
        DO(UNLOAD_INDIRECT), DO(CONSTANT), DO(EXCHANGE), DO(MOVE), DO(FPU_LOAD), DO(FPU_STORE),    \
        DO(FPU_LOAD_INDEXED), DO(FPU_STORE_INDEXED), DO(FPU_SCALAR), DO(FPU_ADD),                  \
        DO(FPU_MULTIPLY), DO(FPU_MULTIPLY_ADD), DO(FPU_DIVIDE), DO(FPU_DIVIDE64),                  \
        DO(FPU_SQUARE_ROOT), DO(FPU_SQUARE_ROOT64), DO(FPU_INTEGER_DIVIDE), DO(FPU_MIN_MAX),       \
        DO(FPU_COMPARE), DO(FPU_CONVERT), DO(FPU_LOGICAL), DO(CONTEXT), DO(CONTEXT_LOAD)
#define CM_COST(symbol) CM_COST_##symbol
enum cm_cost_class { CM_COST_CLASSES(CM_COST), CM_COST_CLASS_COUNT };
#undef CM_COST

/* Description of an instruction. */
struct cm_op_info {
    const char *symbol;                             /* "LOADI" */
    const char *mnemonic;                           /* "loadi" */
    enum cm_cost_class cost;                        /* class that decides its cost */
    uint8_t operand_count;                          /* number of operands */
    enum cm_operand_kind operands[CM_OPERANDS_MAX]; /* kind of each operand */
    /* effect of the instruction, as a text for readers */
    const char *effect;
    /* source of the meaning: section of the PSHIFT paper ("P 2.3"), routine of CM Fortran, or part
     * of the machine ("FPU") */
    const char *source;
};

/* Returns the row of isa.def for `op`, which must be below CM_OP_COUNT. */
CM_API const struct cm_op_info *cm_op_info(enum cm_op op);

CM_END_DECLS

#endif
