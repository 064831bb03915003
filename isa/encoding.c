/*
 * The layout of an instruction in the sequencer's SRAM. Only this file knows the layout. The real
 * encoding is not published, so this encoding is the project's own.
 *
 *     word 0    bits 0..7: the opcode (the line of isa.def, from 0)
 *               bytes 1..3: the first three small operands
 *     word 1    only with more than three small operands: bytes 0 and 1, the fourth and fifth
 *     then      one word for each big operand, in order
 *
 *     small     REG, FREG, TRANS: its number
 *               SLOT: transposer << 6 | slot
 *               ARG, SARG, FIELD, HALF, SLICE, BIT: the value
 *     big       MEM: register in bits 0..5, signed offset in bits 6..31
 *               IMM, COUNT, STRIDE, WORD: the value
 *               LABEL: the index of the loop instruction
 *
 * Unused bits are zero.
 */
#include "isa_private.h"

#define SMALL_IN_WORD0 3u
#define MEM_REG_BITS   6u

static unsigned count_small(const struct cm_op_info *info)
{
    unsigned small = 0;
    for (unsigned i = 0; i < info->operand_count; i++)
        small += cm_kind_info(info->operands[i])->small;
    return small;
}

/* Returns the index of an instruction's first word with a big operand, which takes the whole
 * word. */
static unsigned big_start(unsigned small)
{
    return small > SMALL_IN_WORD0 ? 2 : 1;
}

uint32_t cm_op_words(enum cm_op op)
{
    const struct cm_op_info *info = cm_op_info(op);
    unsigned small = count_small(info);
    return big_start(small) + info->operand_count - small;
}

uint64_t cm_imp_words(const struct cm_imp *imp)
{
    uint32_t counts[CM_OP_COUNT] = {0};
    uint64_t words = 0;
    for (uint32_t i = 0; i < imp->length; i++)
        counts[imp->code[i].op]++;
    for (unsigned op = 0; op < CM_OP_COUNT; op++)
        words += (uint64_t)counts[op] * cm_op_words((enum cm_op)op);
    return words;
}

/* Returns true if an operand of the kind is only the number of a register or transposer. The member
 * `value` of such an operand is 0. */
static bool is_register(enum cm_operand_kind kind)
{
    return cm_kind_info(kind)->max == 0;
}

static struct cm_operand small_decode(enum cm_operand_kind kind, uint32_t byte)
{
    if (kind == CM_OPERAND_SLOT)
        return (struct cm_operand){.value = (int32_t)(byte & 63u), .reg = (uint8_t)(byte >> 6)};
    return is_register(kind) ? cm_reg(byte) : cm_value(byte);
}

static struct cm_operand big_decode(enum cm_operand_kind kind, uint32_t word)
{
    if (kind != CM_OPERAND_MEM)
        return cm_word(word);
    int64_t offset = (int64_t)(word >> MEM_REG_BITS);
    if (offset > CM_OFFSET_MAX)
        offset -= INT64_C(1) << (32 - MEM_REG_BITS);
    return cm_mem(word & ((1u << MEM_REG_BITS) - 1), offset);
}

/* Returns the index of the SRAM word that holds small operand `n` of an instruction. Operands 0 to
 * 2 are in word 0, the others in word 1. */
static unsigned small_word(unsigned n)
{
    return n < SMALL_IN_WORD0 ? 0 : 1;
}

static unsigned small_shift(unsigned n)
{
    return n < SMALL_IN_WORD0 ? 8 * (1 + n) : 8 * (n - SMALL_IN_WORD0);
}

/* shift for the value or the register number that an operand lacks: it moves all bits out of a
 * 32-bit word */
#define NOWHERE 32u

static struct cm_code_layout layout_of(const struct cm_op_info *info)
{
    struct cm_code_layout layout = {.operand_count = info->operand_count};
    unsigned small = 0, big = big_start(count_small(info));
    for (unsigned i = 0; i < info->operand_count; i++) {
        const enum cm_operand_kind kind = info->operands[i];
        const bool is_small = cm_kind_info(kind)->small;
        const unsigned first = is_small ? small_shift(small) : 0;
        unsigned value = first, reg = NOWHERE;
        if (kind == CM_OPERAND_SLOT) {
            reg = first + 6;
        } else if (kind == CM_OPERAND_MEM) {
            value = MEM_REG_BITS;
            reg = 0;
        } else if (is_register(kind)) {
            value = NOWHERE;
            reg = first;
        }
        layout.operands[i].word = (uint8_t)(is_small ? small_word(small++) : big++);
        layout.operands[i].value = (uint8_t)value;
        layout.operands[i].reg = (uint8_t)reg;
    }
    layout.words = (uint8_t)big;
    return layout;
}

uint64_t cm_code_encode(const struct cm_instruction *code, uint32_t length,
                        struct cm_code_layouts *layouts, char *bytes)
{
    char *at = bytes;
    for (uint32_t n = 0; n < length; n++) {
        const struct cm_instruction *instruction = &code[n];
        struct cm_code_layout *layout = &layouts->of[instruction->op];
        if (layout->words == 0)
            *layout = layout_of(cm_op_info(instruction->op));
        memset(at, 0, CM_CODE_WORDS_MAX * CM_CODE_WORD_BYTES);
        *at = (char)instruction->op;
        for (unsigned i = 0; i < layout->operand_count; i++) {
            const struct cm_operand *operand = &instruction->operands[i];
            const uint64_t bits = (uint64_t)(uint32_t)operand->value << layout->operands[i].value |
                                  (uint64_t)operand->reg << layout->operands[i].reg;
            char *word = at + (size_t)layout->operands[i].word * CM_CODE_WORD_BYTES;
            cm_write_u32(word, cm_read_u32(word) | (uint32_t)bits);
        }
        at += layout->words * CM_CODE_WORD_BYTES;
    }
    return (uint64_t)(at - bytes) / CM_CODE_WORD_BYTES;
}

bool cm_instruction_decode(const uint32_t *words, struct cm_instruction *instruction)
{
    *instruction = (struct cm_instruction){.op = (enum cm_op)(words[0] & 255u)};
    const struct cm_op_info *info = cm_op_info(instruction->op);
    unsigned small = 0;
    unsigned big = big_start(count_small(info));
    uint32_t used[2] = {255u, 0};
    for (unsigned i = 0; i < info->operand_count; i++) {
        enum cm_operand_kind kind = info->operands[i];
        if (cm_kind_info(kind)->small) {
            uint32_t mask = 255u << small_shift(small);
            used[small_word(small)] |= mask;
            instruction->operands[i] =
                small_decode(kind, (words[small_word(small)] & mask) >> small_shift(small));
            small++;
        } else {
            instruction->operands[i] = big_decode(kind, words[big++]);
        }
    }
    return (words[0] & ~used[0]) == 0 && (small <= SMALL_IN_WORD0 || (words[1] & ~used[1]) == 0);
}
