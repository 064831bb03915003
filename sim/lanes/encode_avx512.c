/*
 * Encoder of instructions with AVX-512 (Intel's manual, volume 2, 2.7: EVEX). A vector of the IR is
 * one host vector. Host registers, besides those of encode_x86.h:
 *
 *   k1 to k7         masks
 *   zmm0 to zmm25    vectors
 *   zmm26            scratch
 *   zmm28 to zmm31   permutations
 */
#include "encoder.h"

#define VECTORS 26u
#define SCRATCH 26u
#define MASKS   8u
/* First register with a permutation of two vectors for vpermt2d. The order is that of enum
 * cm_ir_permutation. */
#define PERMUTATIONS 28u

/* ---- vectors ---- */

/* Writes the operand [rsp + disp32] behind the ModRM byte. */
static void emit_stack(struct cm_x86 *e, uint32_t displacement)
{
    cm_x86_byte(e, 0x24);
    cm_x86_word(e, displacement);
}

/* Writes the bytes after the opcode. `base` is the register with the address of a plane. An 8-bit
 * displacement counts `units` for each vector. */
static void emit_place(struct cm_x86 *e, uint32_t reg, struct cm_vector place, uint32_t base,
                       uint32_t units)
{
    const unsigned low = (reg & 7) << 3;
    switch (place.place) {
    case CM_VECTOR_REGISTER:
        cm_x86_byte(e, 0xc0 | low | (place.number & 7));
        break;
    case CM_VECTOR_CELL:
        if (e->block == 0) { /* [rbp + 64 / units * disp8] */
            cm_x86_byte(e, 0x45 | low);
            cm_x86_byte(e, place.number * units);
        } else { /* [rbp + disp32] */
            cm_x86_byte(e, 0x85 | low);
            cm_x86_word(e, e->block * e->block_bytes + place.number * 64);
        }
        break;
    case CM_VECTOR_PLANE: /* [base + r12 + 64 / units * disp8] */
        cm_x86_byte(e, 0x44 | low);
        cm_x86_byte(e, 0x20 | (base & 7));
        cm_x86_byte(e, e->block * units);
        break;
    case CM_VECTOR_SLOT: /* [rsp + disp32] */
        cm_x86_byte(e, 0x84 | low);
        emit_stack(e, CM_X86_SLOTS + 64 * place.number);
        break;
    case CM_VECTOR_TABLE: /* [rax + 64 / units * disp8] */
        cm_x86_byte(e, 0x40 | low);
        cm_x86_byte(e, place.number * units);
        break;
    default: /* [rbx + disp32] */
        cm_x86_byte(e, 0x83 | low);
        cm_x86_word(e, cm_x86_constant(place.number));
        break;
    }
}

/* A displacement of a cell has 7 bits, also in units of half a vector. */
_Static_assert(2 * (CM_LANE_CELLS - 1) <= INT8_MAX, "a displacement fits 8 bits");

/* Writes an instruction with a result, a first source and a second source, under mask register
 * `mask`. `first` is 0 without a first source, and `mask` is 0 without a mask. A store has its
 * memory operand as second source. */
static void write_vector(struct cm_x86 *e, struct cm_x86_instruction instruction, uint32_t result,
                         uint32_t first, struct cm_vector second, uint32_t mask)
{
    unsigned x = 0, b = 0;
    uint32_t base = 0;
    const bool repeats =
        second.place == CM_VECTOR_CONSTANT_32 || second.place == CM_VECTOR_CONSTANT_64;
    if (second.place == CM_VECTOR_PLANE) {
        base = cm_x86_plane(e, second.number);
        x = 1; /* r12 */
        b = base >> 3;
    } else if (second.place == CM_VECTOR_REGISTER) {
        x = second.number >> 4 & 1;
        b = second.number >> 3 & 1;
    }
    cm_x86_byte(e, 0x62);
    cm_x86_byte(e, (~result >> 3 & 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | (~result >> 4 & 1) << 4 |
                       instruction.map);
    cm_x86_byte(e, (unsigned)instruction.wide << 7 | (~first & 15) << 3 | 4 | instruction.prefix);
    cm_x86_byte(e, 2u << 5 | (unsigned)repeats << 4 | (~first >> 4 & 1) << 3 | mask);
    cm_x86_byte(e, instruction.opcode);
    emit_place(e, result, second, base, instruction.half_in_memory ? 2 : 1);
    if (instruction.has_immediate)
        cm_x86_byte(e, instruction.immediate);
}

static void load(struct cm_x86 *e, uint32_t result, struct cm_vector from)
{
    static const struct cm_x86_instruction vpbroadcastd = {2, 1, 0, 0x58, 0, false, false},
                                           vpbroadcastq = {2, 1, 1, 0x59, 0, false, false};
    const bool narrow = from.place == CM_VECTOR_CONSTANT_32;
    if (narrow || from.place == CM_VECTOR_CONSTANT_64) {
        from.place = CM_VECTOR_NUMBER;
        write_vector(e, narrow ? vpbroadcastd : vpbroadcastq, result, 0, from, 0);
    } else if (from.place != CM_VECTOR_REGISTER || from.number != result) {
        write_vector(e, cm_x86_instructions[CM_VECTOR_OP_MOVE], result, 0, from, 0);
    }
}

static const struct cm_x86_instruction store_words = {1, 2, 0, 0x7f, 0, false, false};

static void store(struct cm_x86 *e, struct cm_vector to, uint32_t from)
{
    static const struct cm_x86_instruction vmovntdq = {1, 1, 0, 0xe7, 0, false, false};
    const bool streams = to.place == CM_VECTOR_STREAMED;
    if (streams)
        to.place = CM_VECTOR_PLANE;
    write_vector(e, streams ? vmovntdq : store_words, from, 0, to, 0);
}

/* Permutations for vpermt2d. Words 0 to 15 are those of the first vector, 16 to 31 of the
 * second. */
static const uint32_t permutations[4][16] = {
    {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23},
    {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31},
    {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
    {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31},
};

static void load_permutations(struct cm_x86 *e)
{
    const uint64_t address = (uintptr_t)permutations;
    cm_x86_bytes(e, "\x48\xb8", 2); /* mov rax, imm64 */
    cm_x86_bytes(e, &address, sizeof address);
    for (uint32_t i = 0; i < 4; i++)
        load(e, PERMUTATIONS + i, (struct cm_vector){CM_VECTOR_TABLE, i});
}

/* ---- masks ---- */

/* Writes an instruction on mask registers: VEX prefix and opcode, a result, a first source, a
 * second source. */
static void write_mask(struct cm_x86 *e, unsigned prefix, unsigned opcode, uint32_t result,
                       uint32_t first, uint32_t second)
{
    cm_x86_byte(e, 0xc5);
    cm_x86_byte(e, prefix | (~first & 15) << 3);
    cm_x86_byte(e, opcode);
    cm_x86_byte(e, 0xc0 | result << 3 | second);
}

static void mask_upper(struct cm_x86 *e, uint32_t result, uint32_t from)
{
    cm_x86_bytes(e, "\xc4\xe3\xf9\x30", 4); /* kshiftrw result, from, 8 */
    cm_x86_byte(e, 0xc0 | result << 3 | from);
    cm_x86_byte(e, 8);
}

static void move_mask(struct cm_x86 *e, unsigned opcode, uint32_t mask, struct cm_vector slot)
{
    cm_x86_bytes(e, "\xc5\xf8", 2);
    cm_x86_byte(e, opcode);
    cm_x86_byte(e, 0x84 | mask << 3);
    emit_stack(e, CM_X86_MASK_SLOTS + 8 * slot.number);
}

static void load_mask(struct cm_x86 *e, uint32_t mask, struct cm_vector from)
{
    static const struct cm_x86_instruction vpmovd2m = {2, 2, 0, 0x39, 0, false, false};
    if (from.place == CM_VECTOR_MASK_SLOT) {
        move_mask(e, 0x90, mask, from); /* kmovw mask, [rsp + disp32] */
        return;
    }
    load(e, SCRATCH, from);
    write_vector(e, vpmovd2m, mask, 0, cm_in_register(SCRATCH), 0);
}

static void store_mask(struct cm_x86 *e, struct cm_vector to, uint32_t mask)
{
    move_mask(e, 0x91, mask, to); /* kmovw [rsp + disp32], mask */
}

static void mask_to_words(struct cm_x86 *e, uint32_t result, uint32_t mask)
{
    static const struct cm_x86_instruction vpmovm2d = {2, 2, 0, 0x38, 0, false, false};
    write_vector(e, vpmovm2d, result, 0, cm_in_register(mask), 0);
}

static void store_context(struct cm_x86 *e, uint32_t mask)
{
    mask_to_words(e, SCRATCH, mask);
    store(e, (struct cm_vector){CM_VECTOR_PLANE, 0}, SCRATCH);
}

static void store_masked(struct cm_x86 *e, struct cm_vector to, uint32_t from, uint32_t mask)
{
    to.place = CM_VECTOR_PLANE;
    (void)cm_x86_plane(e, to.number);         /* before the jump */
    write_mask(e, 0x80, 0x98, mask, 0, mask); /* kortestw mask, mask */
    uint8_t *jump = cm_x86_jump_if_zero(e);
    write_vector(e, store_words, from, 0, to, mask);
    cm_x86_jump_here(e, jump);
}

/* ---- operations ---- */

static void operate(struct cm_x86 *e, const struct cm_ir_op *op, uint32_t result, uint32_t first,
                    struct cm_vector second, uint32_t mask)
{
    static const struct cm_x86_instruction vpermt2d = {2, 1, 0, 0x7e, 0, false, false},
                                           vextracti64x4 = {3, 1, 1, 0x3b, 1, true, true},
                                           vinserti64x4 = {3, 1, 1, 0x3a, 1, true, true};
    switch (op->kind) {
    case CM_IR_PERMUTE:
        write_vector(e, vpermt2d, result, PERMUTATIONS + op->number, second, 0);
        break;
    case CM_IR_UPPER:
        write_vector(e, vextracti64x4, first, 0, cm_in_register(result), 0);
        break;
    case CM_IR_INSERT:
        write_vector(e, vinserti64x4, result, first, second, 0);
        break;
    case CM_IR_MASK_WORDS:
        mask_to_words(e, result, mask);
        break;
    case CM_IR_MASK_AND:
        write_mask(e, 0x84, 0x41, result, first, second.number); /* kandw */
        break;
    case CM_IR_MASK_NOT:
        write_mask(e, 0x80, 0x44, result, 0, first); /* knotw */
        break;
    case CM_IR_MASK_PAIR: /* kunpckbw, which takes the upper mask first */
        write_mask(e, 0x85, 0x4b, result, second.number, first);
        break;
    case CM_IR_MASK_UPPER:
        mask_upper(e, result, first);
        break;
    default: /* vectors, comparisons and blends */
        write_vector(e, cm_x86_instructions[op->op], result, first, second, mask);
        break;
    }
}

const struct cm_encoder cm_encoder_avx512 = {
    .vectors = VECTORS,
    .masks = MASKS,
    .parts = 1,
    .broadcasts = true,
    .replaces = true,
    .prepare = load_permutations,
    .operate = operate,
    .load = load,
    .store = store,
    .store_masked = store_masked,
    .store_context = store_context,
    .load_mask = load_mask,
    .store_mask = store_mask,
};
