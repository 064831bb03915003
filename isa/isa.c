/* The instruction table, which expands isa.def, and the texts that describe operands in
 * messages. */
#include "isa_private.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#define IS_OPERAND(kind) (CM_OPERAND_##kind != CM_OPERAND_NONE ? 1 : 0)

static const struct cm_op_info ops[] = {
#define CM_OP(symbol, mnemonic, cost, k1, k2, k3, k4, k5, effect, source)                          \
    [CM_OP_##symbol] = {                                                                           \
        #symbol,                                                                                   \
        mnemonic,                                                                                  \
        CM_COST_##cost,                                                                            \
        (IS_OPERAND(k1) + IS_OPERAND(k2) + IS_OPERAND(k3) + IS_OPERAND(k4) + IS_OPERAND(k5)),      \
        {CM_OPERAND_##k1, CM_OPERAND_##k2, CM_OPERAND_##k3, CM_OPERAND_##k4, CM_OPERAND_##k5},     \
        effect,                                                                                    \
        source,                                                                                    \
    },
#include "isa.def"
#undef CM_OP
};

static_assert(CM_OP_COUNT <= 256, "an opcode is one byte");

static const struct cm_kind_info kinds[CM_OPERAND_KIND_COUNT] = {
    [CM_OPERAND_NONE] = {"", "nothing", false, 0, 0},
    [CM_OPERAND_REG] = {"REG", "an address register, r0 to r63", true, 0, 0},
    [CM_OPERAND_ARG] = {"ARG", "the name of an address argument", true, 0, 254},
    [CM_OPERAND_SARG] = {"SARG", "the name of a scalar argument", true, 0, 254},
    [CM_OPERAND_IMM] = {"IMM", "an integer", false, CM_IMM_MIN, CM_IMM_MAX},
    [CM_OPERAND_COUNT] = {"COUNT", "a count", false, 1, CM_IMM_MAX},
    [CM_OPERAND_STRIDE] = {"STRIDE", "a stride in words", false, CM_IMM_MIN, CM_IMM_MAX},
    [CM_OPERAND_WORD] = {"WORD", "a 32-bit word such as 0x3f800000, -1 or 1.0f", false, CM_IMM_MIN,
                         CM_IMM_MAX},
    [CM_OPERAND_MEM] = {"[REG+OFFSET]", "a memory operand such as [r3+1]", false, CM_OFFSET_MIN,
                        CM_OFFSET_MAX},
    [CM_OPERAND_TRANS] = {"TRANSPOSER", "a transposer, A, B or C", true, 0, 0},
    [CM_OPERAND_SLOT] = {"TRANSPOSER.SLOT", "a transposer slot such as A.5", true, 0,
                         CM_SLOTS_MAX - 1},
    [CM_OPERAND_FIELD] = {"FIELD", "a byte of the table word, 0 to 3", true, 0, 3},
    [CM_OPERAND_HALF] = {"HALF", "a set of channels, 0 or 1", true, 0, 1},
    [CM_OPERAND_SLICE] = {"SLICE", "a slice of the scalar, 0 or 1", true, 0, 1},
    [CM_OPERAND_FREG] = {"FREG", "an FPU register, f0 to f31", true, 0, 0},
    [CM_OPERAND_BIT] = {"BIT", "a bit number, 0 to 31", true, 0, 31},
    [CM_OPERAND_LABEL] = {"LABEL", "the label of a loop", false, 0, CM_IMM_MAX},
};

const struct cm_op_info *cm_op_info(enum cm_op op)
{
    assert((unsigned)op < CM_OP_COUNT);
    return &ops[op];
}

const struct cm_kind_info *cm_kind_info(enum cm_operand_kind kind)
{
    assert((unsigned)kind < CM_OPERAND_KIND_COUNT);
    return &kinds[kind];
}

void cm_line_printf(struct cm_line *line, const char *format, ...)
{
    size_t used = line->length < line->size ? line->length : line->size;
    va_list list;
    va_start(list, format);
    int written =
        vsnprintf(used < line->size ? line->data + used : NULL, line->size - used, format, list);
    va_end(list);
    if (written > 0)
        line->length += (size_t)written;
}

void cm_op_form(enum cm_op op, char form[CM_FORM_MAX])
{
    const struct cm_op_info *info = cm_op_info(op);
    struct cm_line line = {.data = form, .size = CM_FORM_MAX, .length = 0};
    cm_line_printf(&line, "%s", info->mnemonic);
    for (unsigned i = 0; i < info->operand_count; i++)
        cm_line_printf(&line, "%s %s", i ? "," : "", cm_kind_info(info->operands[i])->form);
}
