/*
 * Encoder of instructions with AVX2 (Intel's manual, volume 2, 2.3: VEX). A vector of the IR is two
 * host vectors, each with 8 nodes. Host registers, besides those of encode_x86.h:
 *
 *   ymm0 to ymm14   vectors, and masks of all ones or zeros in each element
 *   ymm15           scratch
 */
#include "encoder.h"

#define VECTORS 15u
#define SCRATCH 15u
#define PARTS   2u
#define BYTES   32u /* of a host vector */

/* Writes the operand [register + displacement] with the shortest displacement. `sib` is the byte
 * after ModRM, or 0 if the register is rbp or rbx. */
static void write_memory(struct cm_x86 *e, unsigned low, unsigned rm, unsigned sib,
                         uint32_t displacement)
{
    const bool is_short = displacement + 128 < 256;
    cm_x86_byte(e, (is_short ? 0x40 : 0x80) | low | rm);
    if (sib)
        cm_x86_byte(e, sib);
    if (is_short)
        cm_x86_byte(e, displacement);
    else
        cm_x86_word(e, displacement);
}

/* Writes the bytes after the opcode. `base` is the register with the address of a plane. */
static void write_place(struct cm_x86 *e, uint32_t reg, struct cm_vector place, uint32_t base)
{
    const unsigned low = (reg & 7) << 3;
    const uint32_t block = e->block / PARTS, part = e->block % PARTS, half = place.number % 2;
    switch (place.place) {
    case CM_VECTOR_REGISTER:
        cm_x86_byte(e, 0xc0 | low | (place.number & 7));
        break;
    case CM_VECTOR_CELL: /* rbp */
        write_memory(e, low, 5, 0, block * e->block_bytes + (place.number * PARTS + part) * BYTES);
        break;
    case CM_VECTOR_JOINED: /* rbp: the vectors of a register have the nodes of a part each */
        write_memory(e, low, 5, 0,
                     block * e->block_bytes +
                         ((place.number - half + part) * PARTS + half) * BYTES);
        break;
    case CM_VECTOR_PLANE: /* base + r12 */
        write_memory(e, low, 4, 0x20 | (base & 7), e->block * BYTES);
        break;
    case CM_VECTOR_SLOT: /* rsp */
        write_memory(e, low, 4, 0x24, CM_X86_SLOTS + BYTES * place.number);
        break;
    default: /* rbx: a constant */
        write_memory(e, low, 3, 0, cm_x86_constant(place.number));
        break;
    }
}

/* Writes an instruction with a result, a first source and a second source. `first` is 0 without a
 * first source. A store has its memory operand as second source. */
static void write_vector(struct cm_x86 *e, struct cm_x86_instruction instruction, uint32_t result,
                         uint32_t first, struct cm_vector second)
{
    const bool indexed = second.place == CM_VECTOR_PLANE; /* by r12 */
    const uint32_t base = indexed ? cm_x86_plane(e, second.number) : 0;
    const unsigned b = (second.place == CM_VECTOR_REGISTER ? second.number : base) >> 3;
    const unsigned last = (~first & 15) << 3 | 4 | instruction.prefix;
    if (instruction.map == 1 && !indexed && !b && !instruction.wide) {
        cm_x86_byte(e, 0xc5);
        cm_x86_byte(e, (~result >> 3 & 1) << 7 | last);
    } else {
        cm_x86_byte(e, 0xc4);
        cm_x86_byte(e, (~result >> 3 & 1) << 7 | (unsigned)!indexed << 6 | (b ^ 1) << 5 |
                           instruction.map);
        cm_x86_byte(e, (unsigned)instruction.wide << 7 | last);
    }
    cm_x86_byte(e, instruction.opcode);
    write_place(e, result, second, base);
    if (instruction.has_immediate)
        cm_x86_byte(e, instruction.immediate);
}

static const struct cm_x86_instruction vmovups = {1, 0, 0, 0x10, 0, false, false},
                                       store_vmovups = {1, 0, 0, 0x11, 0, false, false},
                                       vpcmpeqd = {1, 1, 0, 0x76, 0, false, false},
                                       vpcmpgtd = {1, 1, 0, 0x66, 0, false, false},
                                       vpand = {1, 1, 0, 0xdb, 0, false, false},
                                       vpxor = {1, 1, 0, 0xef, 0, false, false};

static void load(struct cm_x86 *e, uint32_t result, struct cm_vector from)
{
    static const struct cm_x86_instruction vbroadcastss = {2, 1, 0, 0x18, 0, false, false},
                                           vbroadcastsd = {2, 1, 0, 0x19, 0, false, false};
    if (from.place == CM_VECTOR_CONSTANT_32)
        write_vector(e, vbroadcastss, result, 0, from);
    else if (from.place == CM_VECTOR_CONSTANT_64)
        write_vector(e, vbroadcastsd, result, 0, from);
    else if (from.place != CM_VECTOR_REGISTER || from.number != result)
        write_vector(e, vmovups, result, 0, from);
}

static void store(struct cm_x86 *e, struct cm_vector to, uint32_t from)
{
    static const struct cm_x86_instruction vmovntps = {1, 0, 0, 0x2b, 0, false, false};
    const bool streams = to.place == CM_VECTOR_STREAMED;
    if (streams)
        to.place = CM_VECTOR_PLANE;
    write_vector(e, streams ? vmovntps : store_vmovups, from, 0, to);
}

static void store_context(struct cm_x86 *e, uint32_t mask)
{
    store(e, (struct cm_vector){CM_VECTOR_PLANE, 0}, mask);
}

/* Writes a blend: `set` where the mask is set, else `clear`. */
static void blend(struct cm_x86 *e, bool wide, uint32_t result, uint32_t clear,
                  struct cm_vector set, uint32_t mask)
{
    const struct cm_x86_instruction vblendv = {
        3, 1, 0, wide ? 0x4b : 0x4a, (uint8_t)(mask << 4), true, false};
    write_vector(e, vblendv, result, clear, set);
}

/* Loads, blends and stores, which takes less time than a masked store. */
static void store_masked(struct cm_x86 *e, struct cm_vector to, uint32_t from, uint32_t mask)
{
    static const struct cm_x86_instruction vptest = {2, 1, 0, 0x17, 0, false, false};
    to.place = CM_VECTOR_PLANE;
    (void)cm_x86_plane(e, to.number); /* before the jump */
    write_vector(e, vptest, mask, 0, cm_in_register(mask));
    uint8_t *jump = cm_x86_jump_if_zero(e);
    load(e, SCRATCH, to);
    blend(e, false, SCRATCH, SCRATCH, cm_in_register(from), mask);
    store(e, to, SCRATCH);
    cm_x86_jump_here(e, jump);
}

/* ---- operations ---- */

/* Writes a comparison of words with 0, which is also the complement of a mask. */
static void compare_zero(struct cm_x86 *e, uint32_t result, uint32_t words)
{
    write_vector(e, vpxor, SCRATCH, SCRATCH, cm_in_register(SCRATCH));
    write_vector(e, vpcmpeqd, result, words, cm_in_register(SCRATCH));
}

/* Writes a comparison of integers a < b, as b > a. */
static void compare_less(struct cm_x86 *e, uint32_t result, uint32_t a, struct cm_vector b)
{
    if (b.place != CM_VECTOR_REGISTER) {
        load(e, SCRATCH, b);
        b = cm_in_register(SCRATCH);
    }
    write_vector(e, vpcmpgtd, result, b.number, cm_in_register(a));
}

static void test_words(struct cm_x86 *e, uint32_t result, uint32_t a, struct cm_vector b)
{
    const bool same = b.place == CM_VECTOR_REGISTER && b.number == a;
    if (!same)
        write_vector(e, vpand, result, a, b);
    compare_zero(e, result, same ? a : result);
    write_vector(e, vpcmpeqd, result, result, cm_in_register(SCRATCH));
}

/* Writes a test of one bit. AND leaves 0 or the bit. */
static void test_bit(struct cm_x86 *e, uint32_t result, uint32_t a, struct cm_vector bit)
{
    write_vector(e, vpand, SCRATCH, a, bit);
    write_vector(e, vpcmpeqd, result, SCRATCH, bit);
}

static void operate_on_vectors(struct cm_x86 *e, enum cm_vector_op op, uint32_t result,
                               uint32_t first, struct cm_vector second)
{
    static const struct cm_x86_instruction vpermq = {3, 1, 1, 0x00, 0xd8, true, false};
    struct cm_x86_instruction instruction = cm_x86_instructions[op];
    instruction.wide = 0;
    switch (op) {
    case CM_VECTOR_OP_MOVE:
        load(e, result, second);
        break;
    case CM_VECTOR_OP_SWAP_MIDDLE:
        write_vector(e, vpermq, result, 0, second);
        break;
    case CM_VECTOR_OP_EQ_I32:
        write_vector(e, vpcmpeqd, result, first, second);
        break;
    case CM_VECTOR_OP_LT_I32:
        compare_less(e, result, first, second);
        break;
    case CM_VECTOR_OP_LE_I32:
        write_vector(e, vpcmpgtd, result, first, second);
        compare_zero(e, result, result);
        break;
    case CM_VECTOR_OP_TEST_WORDS:
        test_words(e, result, first, second);
        break;
    case CM_VECTOR_OP_TEST_BIT:
        test_bit(e, result, first, second);
        break;
    default:
        write_vector(e, instruction, result, first, second);
        break;
    }
}

static void operate(struct cm_x86 *e, const struct cm_ir_op *op, uint32_t result, uint32_t first,
                    struct cm_vector second, uint32_t mask)
{
    static const struct cm_x86_instruction permutations[] =
        {
            [CM_IR_JOIN0] = {1, 0, 0, 0x14, 0, false, false},    /* vunpcklps */
            [CM_IR_JOIN1] = {1, 0, 0, 0x15, 0, false, false},    /* vunpckhps */
            [CM_IR_LOW] = {1, 0, 0, 0xc6, 0x88, true, false},    /* vshufps */
            [CM_IR_HIGH] = {1, 0, 0, 0xc6, 0xdd, true, false},   /* vshufps */
            [CM_IR_ORDER0] = {3, 1, 0, 0x06, 0x20, true, false}, /* vperm2f128 */
            [CM_IR_ORDER1] = {3, 1, 0, 0x06, 0x31, true, false}, /* vperm2f128 */
        },
                                           vextractf128 = {3, 1, 0, 0x19, 1, true, false},
                                           vinsertf128 = {3, 1, 0, 0x18, 1, true, false};
    switch (op->kind) {
    case CM_IR_PERMUTE:
        write_vector(e, permutations[op->number], result, first, second);
        break;
    case CM_IR_UPPER:
        write_vector(e, vextractf128, first, 0, cm_in_register(result));
        break;
    case CM_IR_INSERT:
        write_vector(e, vinsertf128, result, first, second);
        break;
    case CM_IR_BLEND:
        blend(e, op->op == CM_VECTOR_OP_BLEND_64, result, first, second, mask);
        break;
    case CM_IR_MASK_WORDS:
        load(e, result, cm_in_register(mask));
        break;
    case CM_IR_MASK_AND:
        write_vector(e, vpand, result, first, second);
        break;
    case CM_IR_MASK_NOT:
        compare_zero(e, result, first);
        break;
    case CM_IR_MASK_PAIR:
        write_vector(e, permutations[CM_IR_LOW], result, first, second);
        break;
    case CM_IR_MASK_LOWER:
        write_vector(e, permutations[CM_IR_JOIN0], result, first, cm_in_register(first));
        break;
    case CM_IR_MASK_UPPER:
        write_vector(e, permutations[CM_IR_JOIN1], result, first, cm_in_register(first));
        break;
    default:
        operate_on_vectors(e, (enum cm_vector_op)op->op, result, first, second);
        break;
    }
}

const struct cm_encoder cm_encoder_avx2 = {
    .vectors = VECTORS,
    .parts = PARTS,
    .in_lanes = true,
    .operate = operate,
    .load = load,
    .store = store,
    .store_masked = store_masked,
    .store_context = store_context,
};
