/*
 * The verifier checks what must hold for an IMP before a sequencer may run it. docs/imp.md lists
 * the rules.
 */
#include "verify.h"

#include "isa_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Reports a fault of the current instruction, or of one of its operands. */
CM_PRINTF(3, 4)
static enum cm_status fail(struct cm_verifier *verifier, int operand, const char *format, ...)
{
    struct cm_imp_fault *fault = &verifier->fault;
    va_list list;
    va_start(list, format);
    vsnprintf(fault->message, sizeof fault->message, format, list);
    va_end(list);
    fault->operand = operand;
    fault->hint[0] = '\0';
    return CM_BAD_INPUT;
}

/* Adds advice to the fault. */
static enum cm_status hint(struct cm_verifier *verifier, const char *text)
{
    snprintf(verifier->fault.hint, sizeof verifier->fault.hint, "%s", text);
    return CM_BAD_INPUT;
}

/* Returns "line 12", or "instruction 3" for an IMP that has no text. */
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
    cm_list_finish(&verifier->loops);
}

/* Returns the instruction that is being checked. */
static const struct cm_instruction *current(const struct cm_verifier *verifier)
{
    return &verifier->imp->code[verifier->fault.instruction];
}

static const char *mnemonic(const struct cm_verifier *verifier)
{
    return cm_op_info(current(verifier)->op)->mnemonic;
}

static enum cm_status check_register(struct cm_verifier *verifier, int operand, const char *what,
                                     char letter, unsigned count)
{
    unsigned reg = current(verifier)->operands[operand].reg;
    if (reg < count)
        return CM_OK;
    return fail(verifier, operand, "there is no %s register %c%u; they are %c0 to %c%u", what,
                letter, reg, letter, letter, count - 1);
}

static enum cm_status check_argument(struct cm_verifier *verifier, int operand,
                                     enum cm_argument_kind kind)
{
    static const char *const names[] = {"an address argument", "a scalar argument"};
    const struct cm_imp *imp = verifier->imp;
    int32_t index = current(verifier)->operands[operand].value;
    if (index < 0 || (uint32_t)index >= imp->argument_count)
        return fail(verifier, operand, "argument %d is not declared; the IMP has %u arguments",
                    index, imp->argument_count);
    if (imp->arguments[index].kind == kind)
        return CM_OK;
    return fail(verifier, operand, "%s takes %s, but \"%s\" is %s", mnemonic(verifier), names[kind],
                imp->arguments[index].name,
                names[imp->arguments[index].kind == CM_ARGUMENT_SCALAR]);
}

static enum cm_status check_transposer(struct cm_verifier *verifier, int operand)
{
    unsigned transposer = current(verifier)->operands[operand].reg;
    if (transposer >= CM_TRANSPOSER_COUNT)
        return fail(verifier, operand, "there is no transposer %u; they are 0 (A), 1 (B) and 2 (C)",
                    transposer);
    /* an instruction writes only its first operand */
    if (operand != 0 || transposer != CM_TRANSPOSER_B)
        return CM_OK;
    fail(verifier, 0, "%s cannot write transposer B", mnemonic(verifier));
    return hint(verifier, "B holds what an exchange brings; write A or C");
}

static enum cm_status check_slot(struct cm_verifier *verifier, int operand)
{
    enum cm_status status = check_transposer(verifier, operand);
    int32_t slot = current(verifier)->operands[operand].value;
    uint32_t slots = verifier->limits.slots;
    if (status != CM_OK || (slot >= 0 && (uint32_t)slot < slots))
        return status;
    return fail(verifier, operand,
                "there is no slot %d; a transposer of this machine has %u slots, from 0", slot,
                slots);
}

static enum cm_status check_range(struct cm_verifier *verifier, int operand,
                                  enum cm_operand_kind kind)
{
    const struct cm_kind_info *info = cm_kind_info(kind);
    int32_t value = current(verifier)->operands[operand].value;
    if (value >= info->min && value <= info->max)
        return CM_OK;
    return fail(verifier, operand, "%s %d is out of range, expected %lld to %lld",
                kind == CM_OPERAND_MEM ? "offset" : info->form, value, (long long)info->min,
                (long long)info->max);
}

static enum cm_status check_operand(struct cm_verifier *verifier, int operand,
                                    enum cm_operand_kind kind)
{
    enum cm_status status = CM_OK;
    switch (kind) {
    case CM_OPERAND_REG:
        return check_register(verifier, operand, "address", 'r', CM_ADDRESS_REGISTERS);
    case CM_OPERAND_FREG:
        return check_register(verifier, operand, "FPU", 'f', CM_FPU_REGISTERS);
    case CM_OPERAND_ARG:
        return check_argument(verifier, operand, CM_ARGUMENT_ADDRESS);
    case CM_OPERAND_SARG:
        return check_argument(verifier, operand, CM_ARGUMENT_SCALAR);
    case CM_OPERAND_MEM:
        status = check_register(verifier, operand, "address", 'r', CM_ADDRESS_REGISTERS);
        return status == CM_OK ? check_range(verifier, operand, kind) : status;
    case CM_OPERAND_TRANS:
        return check_transposer(verifier, operand);
    case CM_OPERAND_SLOT:
        return check_slot(verifier, operand);
    case CM_OPERAND_LABEL: /* checked at the end of the loop, with a better error message */
        return CM_OK;
    default:
        return check_range(verifier, operand, kind);
    }
}

static enum cm_status open_loop(struct cm_verifier *verifier)
{
    uint32_t depth = verifier->loops.count;
    if (depth >= verifier->limits.loop_depth) {
        fail(verifier, -1, "loops nest %llu deep, but the sequencer's loop stack has %u entries",
             (unsigned long long)depth + 1, verifier->limits.loop_depth);
        return hint(verifier, "unroll a loop, or raise the machine's loop stack");
    }
    return cm_list_push(&verifier->loops, verifier->fault.instruction) ? CM_OK : CM_NO_MEMORY;
}

static uint32_t innermost_loop(const struct cm_verifier *verifier)
{
    return verifier->loops.items[verifier->loops.count - 1];
}

static enum cm_status close_loop(struct cm_verifier *verifier)
{
    char where[32];
    if (verifier->loops.count == 0)
        return fail(verifier, -1, "next without an open loop");
    uint32_t loop = innermost_loop(verifier);
    if (current(verifier)->operands[0].value != (int32_t)loop) {
        fail(verifier, 0, "next must name the innermost open loop, that of %s",
             place(verifier->imp, loop, where));
        return hint(verifier, "loops nest: close the inner one first");
    }
    if (loop + 1 == verifier->fault.instruction) {
        fail(verifier, -1, "the loop of %s is empty", place(verifier->imp, loop, where));
        return hint(verifier, "give it a body, or leave it out");
    }
    verifier->loops.count--;
    return CM_OK;
}

static enum cm_status halt(struct cm_verifier *verifier)
{
    char where[32];
    verifier->halted = true;
    if (verifier->loops.count == 0)
        return CM_OK;
    fail(verifier, -1, "halt inside the loop of %s",
         place(verifier->imp, innermost_loop(verifier), where));
    return hint(verifier, "close the loop with next first; halt is the last instruction");
}

/* Checks the COUNT of a 64-bit indexed load or store. It must be at least 2, because a value takes
 * two words. */
static enum cm_status check_pair(struct cm_verifier *verifier)
{
    const int operand = 3;
    if (current(verifier)->operands[operand].value >= 2)
        return CM_OK;
    fail(verifier, operand, "%s accesses two words, among COUNT 1", mnemonic(verifier));
    return hint(verifier, "COUNT is the number of words from the address on, 2 or more");
}

enum cm_status cm_verifier_step(struct cm_verifier *verifier, uint32_t index)
{
    enum cm_op op = verifier->imp->code[index].op;
    enum cm_status status = CM_OK;
    verifier->fault.instruction = index;
    if ((unsigned)op >= CM_OP_COUNT)
        return fail(verifier, -1, "there is no instruction with opcode %u", (unsigned)op);
    if (verifier->halted) {
        fail(verifier, -1, "%s after halt, which must be the last", mnemonic(verifier));
        return hint(verifier, "there is one halt, at the end");
    }
    const struct cm_op_info *info = cm_op_info(op);
    for (int i = 0; i < info->operand_count && status == CM_OK; i++)
        status = check_operand(verifier, i, info->operands[i]);
    if (status != CM_OK)
        return status;
    switch (op) {
    case CM_OP_LOOP:
        return open_loop(verifier);
    case CM_OP_NEXT:
        return close_loop(verifier);
    case CM_OP_HALT:
        return halt(verifier);
    case CM_OP_FLOADX64:
    case CM_OP_FSTOREX64:
        return check_pair(verifier);
    default:
        return CM_OK;
    }
}

enum cm_status cm_verifier_end(struct cm_verifier *verifier)
{
    uint32_t length = verifier->imp->length;
    if (verifier->loops.count > 0) {
        verifier->fault.instruction = innermost_loop(verifier);
        fail(verifier, -1, "the loop is never closed");
        return hint(verifier, "end its body with next and the loop's label");
    }
    if (verifier->halted)
        return CM_OK;
    verifier->fault.instruction = length > 0 ? length - 1 : 0;
    fail(verifier, -1, "%s",
         length ? "the last instruction is not halt" : "the IMP has no instructions");
    return hint(verifier, "end it with halt");
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
                               "argument \"%s\" of IMP %s is of an unknown kind", argument->name,
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
        return cm_error_no_memory(err);
    const char *file = imp->source_name ? imp->source_name : "";
    enum cm_status status = arguments_verify(imp, file, err);
    if (status != CM_OK)
        return status;
    struct cm_verifier verifier;
    cm_verifier_init(&verifier, imp, limits);
    for (uint32_t i = 0; i < imp->length && status == CM_OK; i++)
        status = cm_verifier_step(&verifier, i);
    if (status == CM_OK)
        status = cm_verifier_end(&verifier);
    cm_verifier_finish(&verifier);
    if (status == CM_BAD_INPUT)
        return fault_report(imp, file, &verifier.fault, err);
    return status == CM_OK ? CM_OK : cm_error_no_memory(err);
}
