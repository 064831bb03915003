/*
 * The verifier: what must hold of an IMP before a sequencer may run it. The rules are listed in
 * docs/imp.md. It works in steps, an instruction at a time, so that the assembler can place a fault
 * at its line and column.
 */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum cm_status fault_set(struct cm_imp_fault *fault, uint32_t instruction, int operand,
                                const char *format, ...) CM_PRINTF(4, 5);
static void fault_hint(struct cm_imp_fault *fault, const char *format, ...) CM_PRINTF(2, 3);

static enum cm_status fault_set(struct cm_imp_fault *fault, uint32_t instruction, int operand,
                                const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(fault->message, sizeof fault->message, format, list);
    va_end(list);
    fault->instruction = instruction;
    fault->operand = operand;
    fault->hint[0] = '\0';
    return CM_BAD_INPUT;
}

static void fault_hint(struct cm_imp_fault *fault, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(fault->hint, sizeof fault->hint, format, list);
    va_end(list);
}

/* "line 12", or "instruction 3" of an IMP that has no text. */
static const char *place(const struct cm_imp *imp, uint32_t index, char buffer[32])
{
    if (imp->code[index].line)
        snprintf(buffer, 32, "line %u", imp->code[index].line);
    else
        snprintf(buffer, 32, "instruction %u", index);
    return buffer;
}

void cm_verifier_init(struct cm_verifier *verifier, const struct cm_imp *imp,
                      const struct cm_imp_limits *limits)
{
    *verifier = (struct cm_verifier){.imp = imp, .limits = CM_IMP_LIMITS_DEFAULT};
    if (limits)
        verifier->limits = *limits;
    if (verifier->limits.slots > CM_SLOTS_MAX)
        verifier->limits.slots = CM_SLOTS_MAX;
}

void cm_verifier_finish(struct cm_verifier *verifier)
{
    free(verifier->loops);
    verifier->loops = NULL;
}

/* What a rule on one operand looks at. */
struct operand_context {
    const struct cm_verifier *verifier;
    uint32_t index;
    unsigned number;
    enum cm_operand_kind kind;
    const struct cm_operand *operand;
    const char *mnemonic;
    struct cm_imp_fault *fault;
};

static enum cm_status check_register(const struct operand_context *c, const char *what, char letter,
                                     unsigned count)
{
    if (c->operand->reg < count)
        return CM_OK;
    return fault_set(c->fault, c->index, (int)c->number,
                     "there is no %s register %c%u; they are %c0 to %c%u", what, letter,
                     c->operand->reg, letter, letter, count - 1);
}

static enum cm_status check_argument(const struct operand_context *c, enum cm_argument_kind kind)
{
    static const char *const names[] = {"an address argument", "a scalar argument"};
    const struct cm_imp *imp = c->verifier->imp;
    int32_t index = c->operand->value;
    if (index < 0 || (uint32_t)index >= imp->argument_count)
        return fault_set(c->fault, c->index, (int)c->number,
                         "argument %d is not declared; the IMP has %u arguments", index,
                         imp->argument_count);
    if (imp->arguments[index].kind == kind)
        return CM_OK;
    return fault_set(c->fault, c->index, (int)c->number, "%s takes %s, but \"%s\" is %s",
                     c->mnemonic, names[kind], imp->arguments[index].name,
                     names[imp->arguments[index].kind == CM_ARGUMENT_SCALAR]);
}

static enum cm_status check_transposer(const struct operand_context *c)
{
    if (c->operand->reg >= CM_TRANSPOSER_COUNT)
        return fault_set(c->fault, c->index, (int)c->number,
                         "there is no transposer %u; they are 0 (A), 1 (B) and 2 (C)",
                         c->operand->reg);
    /* The first operand is what an instruction writes. */
    if (c->number == 0 && c->operand->reg == CM_TRANSPOSER_B) {
        enum cm_status status =
            fault_set(c->fault, c->index, 0, "%s cannot write transposer B", c->mnemonic);
        fault_hint(c->fault, "B holds what an exchange brings; write A or C");
        return status;
    }
    return CM_OK;
}

static enum cm_status check_slot(const struct operand_context *c)
{
    enum cm_status status = check_transposer(c);
    if (status != CM_OK)
        return status;
    uint32_t slots = c->verifier->limits.slots;
    if (c->operand->value >= 0 && (uint32_t)c->operand->value < slots)
        return CM_OK;
    return fault_set(c->fault, c->index, (int)c->number,
                     "there is no slot %d; a transposer of this machine has %u slots, from 0",
                     c->operand->value, slots);
}

static enum cm_status check_range(const struct operand_context *c, const char *what)
{
    const struct cm_kind_info *info = cm_kind_info(c->kind);
    if (c->operand->value >= info->min && c->operand->value <= info->max)
        return CM_OK;
    return fault_set(c->fault, c->index, (int)c->number,
                     "%s %d is out of range, expected %lld to %lld", what, c->operand->value,
                     (long long)info->min, (long long)info->max);
}

static enum cm_status check_memory(const struct operand_context *c)
{
    enum cm_status status = check_register(c, "address", 'r', CM_ADDRESS_REGISTERS);
    return status == CM_OK ? check_range(c, "offset") : status;
}

static enum cm_status check_operand(const struct operand_context *c)
{
    switch (c->kind) {
    case CM_OPERAND_REG:
        return check_register(c, "address", 'r', CM_ADDRESS_REGISTERS);
    case CM_OPERAND_FREG:
        return check_register(c, "FPU", 'f', CM_FPU_REGISTERS);
    case CM_OPERAND_ARG:
        return check_argument(c, CM_ARGUMENT_ADDRESS);
    case CM_OPERAND_SARG:
        return check_argument(c, CM_ARGUMENT_SCALAR);
    case CM_OPERAND_MEM:
        return check_memory(c);
    case CM_OPERAND_TRANS:
        return check_transposer(c);
    case CM_OPERAND_SLOT:
        return check_slot(c);
    case CM_OPERAND_LABEL: /* the loop rules say more */
        return CM_OK;
    default:
        return check_range(c, cm_kind_info(c->kind)->form);
    }
}

static enum cm_status check_operands(const struct cm_verifier *verifier, uint32_t index,
                                     struct cm_imp_fault *fault)
{
    const struct cm_instruction *instruction = &verifier->imp->code[index];
    const struct cm_op_info *info = cm_op_info(instruction->op);
    for (unsigned i = 0; i < info->operand_count; i++) {
        struct operand_context c = {.verifier = verifier,
                                    .index = index,
                                    .number = i,
                                    .kind = info->operands[i],
                                    .operand = &instruction->operands[i],
                                    .mnemonic = info->mnemonic,
                                    .fault = fault};
        enum cm_status status = check_operand(&c);
        if (status != CM_OK)
            return status;
    }
    return CM_OK;
}

static enum cm_status open_loop(struct cm_verifier *verifier, uint32_t index,
                                struct cm_imp_fault *fault)
{
    if (verifier->depth >= verifier->limits.loop_depth) {
        enum cm_status status = fault_set(
            fault, index, -1, "loops nest %llu deep, but the sequencer's loop stack has %u entries",
            (unsigned long long)verifier->depth + 1, verifier->limits.loop_depth);
        fault_hint(fault, "unroll a loop, or raise the machine's loop stack");
        return status;
    }
    if (verifier->depth == verifier->capacity) {
        uint32_t capacity = verifier->capacity ? verifier->capacity * 2 : 16;
        uint32_t *loops = realloc(verifier->loops, capacity * sizeof *loops);
        if (!loops)
            return CM_NO_MEMORY;
        verifier->loops = loops;
        verifier->capacity = capacity;
    }
    verifier->loops[verifier->depth++] = index;
    return CM_OK;
}

static enum cm_status close_loop(struct cm_verifier *verifier, uint32_t index,
                                 struct cm_imp_fault *fault)
{
    char where[32];
    if (verifier->depth == 0)
        return fault_set(fault, index, -1, "next without an open loop");
    uint32_t loop = verifier->loops[verifier->depth - 1];
    if (verifier->imp->code[index].operands[0].value != (int32_t)loop) {
        enum cm_status status =
            fault_set(fault, index, 0, "next must name the innermost open loop, that of %s",
                      place(verifier->imp, loop, where));
        fault_hint(fault, "loops nest: close the inner one first");
        return status;
    }
    if (loop + 1 == index) {
        enum cm_status status = fault_set(fault, index, -1, "the loop of %s is empty",
                                          place(verifier->imp, loop, where));
        fault_hint(fault, "give it a body, or leave it out");
        return status;
    }
    verifier->depth--;
    return CM_OK;
}

static enum cm_status halt(struct cm_verifier *verifier, uint32_t index, struct cm_imp_fault *fault)
{
    if (verifier->depth > 0) {
        char where[32];
        uint32_t loop = verifier->loops[verifier->depth - 1];
        enum cm_status status = fault_set(fault, index, -1, "halt inside the loop of %s",
                                          place(verifier->imp, loop, where));
        fault_hint(fault, "close the loop with next first; halt is the last instruction");
        return status;
    }
    verifier->halted = true;
    return CM_OK;
}

enum cm_status cm_verifier_step(struct cm_verifier *verifier, uint32_t index,
                                struct cm_imp_fault *fault)
{
    enum cm_op op = verifier->imp->code[index].op;
    if ((unsigned)op >= CM_OP_COUNT)
        return fault_set(fault, index, -1, "there is no instruction with opcode %u", (unsigned)op);
    if (verifier->halted) {
        enum cm_status status = fault_set(fault, index, -1, "%s after halt, which must be the last",
                                          cm_op_info(op)->mnemonic);
        fault_hint(fault, "there is one halt, at the end");
        return status;
    }
    enum cm_status status = check_operands(verifier, index, fault);
    if (status != CM_OK)
        return status;
    switch (op) {
    case CM_OP_LOOP:
        return open_loop(verifier, index, fault);
    case CM_OP_NEXT:
        return close_loop(verifier, index, fault);
    case CM_OP_HALT:
        return halt(verifier, index, fault);
    default:
        return CM_OK;
    }
}

enum cm_status cm_verifier_end(struct cm_verifier *verifier, struct cm_imp_fault *fault)
{
    const struct cm_imp *imp = verifier->imp;
    if (verifier->depth > 0) {
        enum cm_status status =
            fault_set(fault, verifier->loops[verifier->depth - 1], -1, "the loop is never closed");
        fault_hint(fault, "end its body with next and the loop's label");
        return status;
    }
    if (verifier->halted)
        return CM_OK;
    enum cm_status status =
        fault_set(fault, imp->length ? imp->length - 1 : 0, -1,
                  imp->length ? "the last instruction is not halt" : "the IMP has no instructions");
    fault_hint(fault, "end it with halt");
    return status;
}

static enum cm_status arguments_verify(const struct cm_imp *imp, const char *file,
                                       struct cm_error *err)
{
    if (!cm_imp_name_valid(imp->name, strlen(imp->name)))
        return cm_error_at(err, CM_BAD_INPUT, file, 0, 0, "the IMP has no valid name");
    if (imp->argument_count > CM_IMP_ARGUMENTS_MAX)
        return cm_error_at(err, CM_BAD_INPUT, file, 0, 0,
                           "IMP %s declares %u arguments, at most %u are possible", imp->name,
                           imp->argument_count, CM_IMP_ARGUMENTS_MAX);
    for (uint32_t i = 0; i < imp->argument_count; i++) {
        const struct cm_argument *argument = &imp->arguments[i];
        if (!cm_name_valid(argument->name, strlen(argument->name)))
            return cm_error_at(err, CM_BAD_INPUT, file, 0, 0,
                               "argument %u of IMP %s has no valid name: letters, digits and '_', "
                               "no digit first, at most %u characters",
                               i, imp->name, CM_IMP_NAME_MAX);
        if (argument->kind != CM_ARGUMENT_ADDRESS && argument->kind != CM_ARGUMENT_SCALAR)
            return cm_error_at(err, CM_BAD_INPUT, file, 0, 0,
                               "argument \"%s\" of IMP %s is of no known kind", argument->name,
                               imp->name);
        if (cm_imp_find_argument(imp, argument->name) != (int)i)
            return cm_error_at(err, CM_BAD_INPUT, file, 0, 0,
                               "IMP %s declares argument \"%s\" twice", imp->name, argument->name);
    }
    return CM_OK;
}

static enum cm_status fault_report(const struct cm_imp *imp, const char *file,
                                   const struct cm_imp_fault *fault, struct cm_error *err)
{
    if (fault->instruction >= imp->length) {
        cm_error_at(err, CM_BAD_INPUT, file, 0, 0, "IMP %s: %s", imp->name, fault->message);
    } else {
        char text[256];
        cm_instruction_format(imp, fault->instruction, text, sizeof text);
        cm_error_at(err, CM_BAD_INPUT, file, imp->code[fault->instruction].line, 0,
                    "IMP %s, instruction %u (%s): %s", imp->name, fault->instruction, text,
                    fault->message);
    }
    if (fault->hint[0])
        cm_error_hint(err, "%s", fault->hint);
    return CM_BAD_INPUT;
}

enum cm_status cm_imp_verify(const struct cm_imp *imp, const struct cm_imp_limits *limits,
                             struct cm_error *err)
{
    if (imp->failed)
        return cm_error_set(err, CM_NO_MEMORY, "out of memory while building IMP %s", imp->name);
    const char *file = imp->source_name ? imp->source_name : "";
    enum cm_status status = arguments_verify(imp, file, err);
    if (status != CM_OK)
        return status;
    struct cm_imp_fault fault;
    struct cm_verifier verifier;
    cm_verifier_init(&verifier, imp, limits);
    for (uint32_t i = 0; i < imp->length && status == CM_OK; i++)
        status = cm_verifier_step(&verifier, i, &fault);
    if (status == CM_OK)
        status = cm_verifier_end(&verifier, &fault);
    cm_verifier_finish(&verifier);
    if (status == CM_BAD_INPUT)
        return fault_report(imp, file, &fault, err);
    if (status != CM_OK)
        return cm_error_set(err, status, "out of memory while verifying IMP %s", imp->name);
    return CM_OK;
}
