/* The disassembler writes IMPs as text: one instruction for messages about faults, or a whole IMP.
 * The text of a whole IMP assembles to the same image. */
#include "../base/text.h"
#include "imp.h"
#include "isa_private.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Labels of loops: a prefix and a number, L1, L2, ... in the order of the loops. The prefix is not
 * L if an argument has a name such as L1. */
struct labels {
    char prefix[CM_IMP_NAME_MAX + 2];
    /* [instruction]: number of the loop that begins at the instruction. NULL: the number is found
     * by counting the loops before */
    const uint32_t *numbers;
};

static bool prefix_taken(const struct cm_imp *imp, const char *prefix)
{
    size_t length = strlen(prefix);
    for (uint32_t i = 0; i < imp->argument_count; i++) {
        const char *name = imp->arguments[i].name;
        if (strncmp(name, prefix, length) == 0 && name[length] >= '0' && name[length] <= '9')
            return true;
    }
    return false;
}

/* Chooses a prefix that no argument's name uses. A prefix holds no digit, so each argument excludes
 * one prefix at most, and there are more prefixes than arguments. */
static void labels_init(struct labels *labels, const struct cm_imp *imp)
{
    const unsigned lengths = CM_IMP_NAME_MAX - 10; /* leaves ten digits for the number */
    static_assert(26 * (CM_IMP_NAME_MAX - 10) > CM_IMP_ARGUMENTS_MAX, "a prefix is always free");
    for (unsigned i = 0; i < 26 * lengths; i++) {
        *labels = (struct labels){.prefix = {"LMNOPQRSTUVWXYZABCDEFGHIJK"[i / lengths]}};
        memset(labels->prefix + 1, '_', i % lengths);
        if (!prefix_taken(imp, labels->prefix))
            return;
    }
}

static uint32_t loop_number(const struct labels *labels, const struct cm_imp *imp, uint32_t index)
{
    if (labels->numbers)
        return labels->numbers[index];
    uint32_t number = 0;
    for (uint32_t i = 0; i <= index; i++)
        number += imp->code[i].op == CM_OP_LOOP;
    return number;
}

static void format_label(struct cm_line *line, const struct labels *labels,
                         const struct cm_imp *imp, int32_t index)
{
    if (index < 0 || (uint32_t)index >= imp->length || imp->code[index].op != CM_OP_LOOP)
        cm_line_printf(line, "?%d", index); /* only in an IMP that the verifier refuses */
    else
        cm_line_printf(line, "%s%u", labels->prefix, loop_number(labels, imp, (uint32_t)index));
}

static void format_argument(struct cm_line *line, const struct cm_imp *imp, int32_t index)
{
    if (index < 0 || (uint32_t)index >= imp->argument_count)
        cm_line_printf(line, "?%d", index);
    else
        cm_line_printf(line, "%s", imp->arguments[index].name);
}

static void format_operand(struct cm_line *line, const struct labels *labels,
                           const struct cm_imp *imp, enum cm_operand_kind kind,
                           const struct cm_operand *operand)
{
    char transposer = operand->reg < CM_TRANSPOSER_COUNT ? "ABC"[operand->reg] : '?';
    switch (kind) {
    case CM_OPERAND_REG:
        cm_line_printf(line, "r%u", operand->reg);
        break;
    case CM_OPERAND_FREG:
        cm_line_printf(line, "f%u", operand->reg);
        break;
    case CM_OPERAND_ARG:
    case CM_OPERAND_SARG:
        format_argument(line, imp, operand->value);
        break;
    case CM_OPERAND_WORD:
        cm_line_printf(line, "0x%08x", (uint32_t)operand->value);
        break;
    case CM_OPERAND_MEM:
        if (operand->value)
            cm_line_printf(line, "[r%u%+d]", operand->reg, operand->value);
        else
            cm_line_printf(line, "[r%u]", operand->reg);
        break;
    case CM_OPERAND_TRANS:
        cm_line_printf(line, "%c", transposer);
        break;
    case CM_OPERAND_SLOT:
        cm_line_printf(line, "%c.%d", transposer, operand->value);
        break;
    case CM_OPERAND_LABEL:
        format_label(line, labels, imp, operand->value);
        break;
    default:
        cm_line_printf(line, "%d", operand->value);
        break;
    }
}

static void format_instruction(struct cm_line *line, const struct labels *labels,
                               const struct cm_imp *imp, const struct cm_instruction *instruction)
{
    if ((unsigned)instruction->op >= CM_OP_COUNT) {
        cm_line_printf(line, "opcode %u", (unsigned)instruction->op);
        return;
    }
    const struct cm_op_info *info = cm_op_info(instruction->op);
    cm_line_printf(line, "%s", info->mnemonic);
    for (unsigned i = 0; i < info->operand_count; i++) {
        cm_line_printf(line, i ? ", " : " ");
        format_operand(line, labels, imp, info->operands[i], &instruction->operands[i]);
    }
}

size_t cm_instruction_format(const struct cm_imp *imp, uint32_t index, char *buffer, size_t size)
{
    struct cm_line line = {.data = buffer, .size = size, .length = 0};
    struct labels labels;
    labels_init(&labels, imp);
    if (index < imp->length)
        format_instruction(&line, &labels, imp, &imp->code[index]);
    else
        cm_line_printf(&line, "no instruction %u", index);
    return line.length;
}

static void write_head(const struct cm_imp *imp, struct cm_buffer *text)
{
    uint64_t words = cm_imp_words(imp);
    cm_buffer_printf(text, "; %u instruction%s, %llu word%s of sequencer SRAM\n.imp %s\n",
                     imp->length, cm_plural(imp->length), (unsigned long long)words,
                     cm_plural(words), imp->name);
    /* A line has at most eight names of one kind, so that the assembler accepts the line. */
    unsigned on_line = 0;
    for (uint32_t i = 0; i < imp->argument_count; i++) {
        const struct cm_argument *argument = &imp->arguments[i];
        bool same = on_line > 0 && on_line < 8 && argument->kind == argument[-1].kind;
        if (same)
            cm_buffer_printf(text, ", %s", argument->name);
        else
            cm_buffer_printf(text, "%s.%s %s", on_line ? "\n" : "",
                             argument->kind == CM_ARGUMENT_SCALAR ? "scalar" : "address",
                             argument->name);
        on_line = same ? on_line + 1 : 1;
    }
    cm_buffer_printf(text, "%s\n", on_line ? "\n" : "");
}

/* Writes a constant as a floating-point number in a comment, if its bits are a number of ordinary
 * size. */
static void write_float_comment(const struct cm_instruction *instruction, struct cm_buffer *text)
{
    if (instruction->op != CM_OP_CONST)
        return;
    float value;
    memcpy(&value, &instruction->operands[1].value, sizeof value);
    if (isnormal(value) && fabsf(value) > 1e-6f && fabsf(value) < 1e6f)
        cm_buffer_printf(text, " ; %.9g as a float", (double)value);
}

/* Writes an instruction, indented by four spaces for each loop that contains it. More than 16 loops
 * add no spaces, so that the assembler accepts the line. */
static void write_instruction(const struct cm_imp *imp, uint32_t index, const struct labels *labels,
                              unsigned depth, struct cm_buffer *text)
{
    char data[256];
    struct cm_line line = {.data = data, .size = sizeof data, .length = 0};
    const struct cm_instruction *instruction = &imp->code[index];
    format_instruction(&line, labels, imp, instruction);
    int margin = 4 * (int)(depth < 16 ? depth : 16);
    if (instruction->op == CM_OP_LOOP) {
        char label[sizeof labels->prefix + 16];
        snprintf(label, sizeof label, "%s%u:", labels->prefix, labels->numbers[index]);
        cm_buffer_printf(text, "%*s%-3s %s", margin, "", label, data);
    } else {
        cm_buffer_printf(text, "%*s    %s", margin, "", data);
    }
    write_float_comment(instruction, text);
    cm_buffer_append(text, "\n", 1);
}

void cm_imp_disassemble(const struct cm_imp *imp, struct cm_buffer *text)
{
    uint32_t *numbers = calloc((size_t)imp->length + 1, sizeof *numbers);
    if (!numbers) {
        text->failed = true;
        return;
    }
    uint32_t loops = 0;
    for (uint32_t i = 0; i < imp->length; i++)
        if (imp->code[i].op == CM_OP_LOOP)
            numbers[i] = ++loops;
    struct labels labels;
    labels_init(&labels, imp);
    labels.numbers = numbers;
    write_head(imp, text);
    unsigned depth = 0;
    for (uint32_t i = 0; i < imp->length; i++) {
        if (imp->code[i].op == CM_OP_NEXT && depth > 0)
            depth--;
        write_instruction(imp, i, &labels, depth, text);
        if (imp->code[i].op == CM_OP_LOOP)
            depth++;
    }
    free(numbers);
}
