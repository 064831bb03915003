/*
 * An IMP (internal macro procedure) is a microprogram with its declared arguments. Compilers make
 * it with the builder functions of this header. The arguments are base addresses of arrays and
 * scalars, so one compiled IMP serves all arrays of equal shape, type and layout (PSHIFT paper,
 * section 3).
 *
 * Invariants: the operands of an instruction have the kinds that isa.def lists. Where cm_imp_verify
 * accepts an IMP for given limits, every machine with these limits can decode and run the IMP, and
 * faults depend on its addresses and data alone. Builder functions do not report errors: a failed
 * allocation sets `failed`, which cm_imp_verify reports.
 */
#ifndef CM_ISA_IMP_H
#define CM_ISA_IMP_H

#include "../base/buffer.h"
#include "../base/error.h"
#include "isa.h"

#include <stdbool.h>

CM_BEGIN_DECLS

/* Limits of an IMP: characters of a name, and arguments. */
#define CM_IMP_NAME_MAX      63u
#define CM_IMP_ARGUMENTS_MAX 255u

/* Operand of an instruction. isa.def lists the kind of each operand of each instruction. */
struct cm_operand {
    int32_t value; /* value, whose meaning depends on enum cm_operand_kind */
    uint8_t reg;   /* number of the register or transposer, if the kind has one */
};

/* An instruction with its operands, and its line in the source. */
struct cm_instruction {
    enum cm_op op; /* operation */
    /* operands. Their number depends on the operation */
    struct cm_operand operands[CM_OPERANDS_MAX];
    /* line of the assembly text. 0: compiled instruction */
    uint32_t line;
};

/* Kind of an argument: a word address in node memory, or the value of a scalar. */
enum cm_argument_kind { CM_ARGUMENT_ADDRESS, CM_ARGUMENT_SCALAR };

/* An argument of an IMP, set at each call. */
struct cm_argument {
    char name[CM_IMP_NAME_MAX + 1]; /* name in the assembly text */
    enum cm_argument_kind kind;     /* kind of the argument */
};

/* A microprogram: arguments and instructions. Only the functions below change it. */
struct cm_imp {
    char name[CM_IMP_NAME_MAX + 1]; /* name in the assembly text */
    /* name of the file with the assembly text, or NULL without a file */
    char *source_name;
    struct cm_argument *arguments;              /* arguments in the order of their declaration */
    uint32_t argument_count, argument_capacity; /* number of arguments, and capacity of the array */
    struct cm_instruction *code;                /* the instructions in their order */
    /* number of instructions, and capacity of the array */
    uint32_t length, capacity;
    /* true if an allocation failed while the IMP was built */
    bool failed;
};

/* Returns an empty IMP, or NULL when out of memory */
CM_API struct cm_imp *cm_imp_create(const char *name);
CM_API void cm_imp_destroy(struct cm_imp *imp); /* frees an IMP, which may be NULL */

/* Declares an argument, and returns its index. Names are [A-Za-z_][A-Za-z0-9_]*, with at most
 * CM_IMP_NAME_MAX characters. */
CM_API uint32_t cm_imp_argument(struct cm_imp *imp, const char *name, enum cm_argument_kind kind);
/* Returns the index of an argument by name, or -1 if the IMP has no argument of this name. */
CM_API int cm_imp_find_argument(const struct cm_imp *imp, const char *name);

/* Appends an instruction with `count` operands, and returns its index. A failed allocation sets
 * imp->failed. */
CM_API uint32_t cm_imp_emit(struct cm_imp *imp, enum cm_op op, const struct cm_operand *operands,
                            unsigned count);

/* These functions make an operand that is a number (cm_value) or a word of 32 bits (cm_word). */
static inline struct cm_operand cm_value(int64_t value)
{
    const struct cm_operand operand = {(int32_t)value, 0};
    return operand;
}
static inline struct cm_operand cm_word(uint32_t word)
{
    const struct cm_operand operand = {(int32_t)word, 0};
    return operand;
}
/* These functions make an operand that names a register or transposer (cm_reg), the memory word at
 * an address register plus an offset (cm_mem), or a slot of a transposer (cm_slot). */
static inline struct cm_operand cm_reg(unsigned reg)
{
    const struct cm_operand operand = {0, (uint8_t)reg};
    return operand;
}
static inline struct cm_operand cm_mem(unsigned reg, int64_t offset)
{
    const struct cm_operand operand = {(int32_t)offset, (uint8_t)reg};
    return operand;
}
static inline struct cm_operand cm_slot(enum cm_transposer transposer, unsigned slot)
{
    const struct cm_operand operand = {(int32_t)slot, (uint8_t)transposer};
    return operand;
}
/* Appends an instruction to an IMP. Operands follow the operation as further arguments. The macro
 * is for C alone: C++ has no compound literals of arrays, so C++ programs call cm_imp_emit. */
#define CM_EMIT(imp, op, ...)                                                                      \
    cm_imp_emit(                                                                                   \
        (imp), (op), (const struct cm_operand[]){__VA_ARGS__},                                     \
        (unsigned)(sizeof((const struct cm_operand[]){__VA_ARGS__}) / sizeof(struct cm_operand)))

/* Limits that a machine sets on an IMP. cm_config_imp_limits takes them from the machine
 * description. */
struct cm_imp_limits {
    uint32_t slots;      /* slots of a transposer: 32 on the CM-200 */
    uint32_t loop_depth; /* entries of the sequencer's loop stack */
};
#ifdef __cplusplus
#define CM_IMP_LIMITS_DEFAULT (cm_imp_limits{32, 16})
#else
#define CM_IMP_LIMITS_DEFAULT ((struct cm_imp_limits){.slots = 32, .loop_depth = 16})
#endif

/*
 * Verifies an IMP. Operands must be in range, and slots below limits->slots. Loops must be nested,
 * closed and no deeper than limits->loop_depth, and each `next` must name the innermost open loop.
 * Arguments must be declared and used by their kind. The only halt must be the last instruction,
 * outside loops. The error is CM_BAD_INPUT. It names the instruction by its text and its line, or
 * by its index if it was compiled.
 */
CM_API enum cm_status cm_imp_verify(const struct cm_imp *imp, const struct cm_imp_limits *limits,
                                    struct cm_error *err);

/* These functions return the number of SRAM words that one instruction takes, and that the code of
 * a whole IMP takes. */
CM_API uint32_t cm_op_words(enum cm_op op);
CM_API uint64_t cm_imp_words(const struct cm_imp *imp);

/* Writes one instruction as assembly text, with the conventions of snprintf. */
CM_API size_t cm_instruction_format(const struct cm_imp *imp, uint32_t index, char *buffer,
                                    size_t size);

/* These functions convert assembly text to an IMP, and an IMP to text. cm_imp_assemble also
 * verifies the IMP against `limits`, and its errors have line, column, source line and hint. */
CM_API enum cm_status cm_imp_assemble(const char *name, const char *text, size_t length,
                                      const struct cm_imp_limits *limits, struct cm_imp **imp,
                                      struct cm_error *err);
CM_API void cm_imp_disassemble(const struct cm_imp *imp, struct cm_buffer *text);

/*
 * These functions convert an IMP to its SRAM image, and the image to an IMP. The image is a file
 * format (docs/imp.md): little-endian, magic "CM200IMP", version, name, arguments, word count, code
 * words, checksum. Decoding verifies everything. Encoding and decoding give the same IMP, except
 * for line numbers, labels and comments.
 */
CM_API enum cm_status cm_imp_encode(const struct cm_imp *imp, struct cm_buffer *image,
                                    struct cm_error *err);
CM_API enum cm_status cm_imp_decode(const char *name, const void *bytes, size_t length,
                                    const struct cm_imp_limits *limits, struct cm_imp **imp,
                                    struct cm_error *err);
/* Reads an IMP from a file of at most 16 MiB. The file is an SRAM image if it begins with
 * "CM200IMP", else assembly text. */
CM_API enum cm_status cm_imp_read(const char *path, const struct cm_imp_limits *limits,
                                  struct cm_imp **imp, struct cm_error *err);

CM_END_DECLS

#endif
