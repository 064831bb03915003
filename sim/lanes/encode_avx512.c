/* Encoder of x86-64 instructions with AVX-512 (Intel's manual, volume 2, 2.7: EVEX). */
#include "encode_avx512.h"

#include <string.h>

void cm_x86_bytes(struct cm_x86 *e, const void *bytes, size_t count)
{
    if ((size_t)(e->end - e->at) < count) {
        e->full = true;
        return;
    }
    memcpy(e->at, bytes, count);
    e->at += count;
}

void cm_x86_byte(struct cm_x86 *e, unsigned byte)
{
    const uint8_t one = (uint8_t)byte;
    cm_x86_bytes(e, &one, 1);
}

void cm_x86_word(struct cm_x86 *e, uint32_t word)
{
    cm_x86_bytes(e, &word, sizeof word);
}

/* ---- addresses and constants ---- */

static uint32_t displacement_of_constant(uint32_t number)
{
    return 0u - 8u * (number + 1);
}

/* Writes mov reg, [rbx + disp32]. */
static void load(struct cm_x86 *e, uint32_t reg, uint32_t displacement)
{
    cm_x86_byte(e, 0x48 | (reg >> 3) << 2);
    cm_x86_byte(e, 0x8b);
    cm_x86_byte(e, 0x83 | (reg & 7) << 3);
    cm_x86_word(e, displacement);
}

void cm_x86_load_plane(struct cm_x86 *e, uint32_t plane)
{
    load(e, 0, 8 * plane);
}

void cm_x86_load_constant(struct cm_x86 *e, uint32_t constant)
{
    load(e, 0, displacement_of_constant(constant));
}

void cm_x86_load_word(struct cm_x86 *e, uint32_t constant)
{
    load(e, 2, displacement_of_constant(constant));
}

/* Returns a host register with the address of a plane, loading it if needed. */
static uint32_t register_of_plane(struct cm_x86 *e, uint32_t plane)
{
    static const uint8_t registers[CM_X86_PLANES] = {1, 2, 6, 7, 8, 9, 10, 11};
    uint32_t i = 0;
    while (i < CM_X86_PLANES && e->plane_in[i] != plane + 1)
        i++;
    if (i == CM_X86_PLANES) {
        i = e->next_plane;
        e->next_plane = (i + 1) % CM_X86_PLANES;
        e->plane_in[i] = plane + 1;
        load(e, registers[i], 8 * plane);
    }
    return registers[i];
}

void cm_x86_need_plane(struct cm_x86 *e, uint32_t plane)
{
    (void)register_of_plane(e, plane);
}

void cm_x86_forget(struct cm_x86 *e)
{
    memset(e->plane_in, 0, sizeof e->plane_in);
}

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
        cm_x86_word(e, displacement_of_constant(place.number));
        break;
    }
}

/* A displacement of a cell has 7 bits, also in units of half a vector. */
_Static_assert(2 * (CM_LANE_CELLS - 1) <= INT8_MAX, "a displacement fits 8 bits");

static const struct cm_host_instruction store_words = {1, 2, 0, 0x7f, 0, false, false},
                                        stream_words = {1, 1, 0, 0xe7, 0, false, false};

void cm_x86_vector(struct cm_x86 *e, struct cm_host_instruction instruction, uint32_t result,
                   uint32_t first, struct cm_vector second, uint32_t mask)
{
    unsigned x = 0, b = 0;
    uint32_t base = 0;
    const bool repeats =
        second.place == CM_VECTOR_CONSTANT_32 || second.place == CM_VECTOR_CONSTANT_64;
    if (second.place == CM_VECTOR_PLANE) {
        base = register_of_plane(e, second.number);
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

void cm_x86_move(struct cm_x86 *e, uint32_t result, struct cm_vector from)
{
    static const struct cm_host_instruction vmovdqu32 = {1, 2, 0, 0x6f, 0, false, false},
                                            vpbroadcastd = {2, 1, 0, 0x58, 0, false, false},
                                            vpbroadcastq = {2, 1, 1, 0x59, 0, false, false};
    const bool narrow = from.place == CM_VECTOR_CONSTANT_32;
    if (narrow || from.place == CM_VECTOR_CONSTANT_64) {
        from.place = CM_VECTOR_NUMBER;
        cm_x86_vector(e, narrow ? vpbroadcastd : vpbroadcastq, result, 0, from, 0);
    } else if (from.place != CM_VECTOR_REGISTER || from.number != result) {
        cm_x86_vector(e, vmovdqu32, result, 0, from, 0);
    }
}

void cm_x86_store(struct cm_x86 *e, struct cm_vector to, uint32_t from, uint32_t mask)
{
    const bool streams = to.place == CM_VECTOR_STREAMED;
    if (streams)
        to.place = CM_VECTOR_PLANE;
    cm_x86_vector(e, streams && mask == 0 ? stream_words : store_words, from, 0, to, mask);
}

void cm_x86_permute(struct cm_x86 *e, uint32_t result, uint32_t permutation, struct cm_vector b)
{
    static const struct cm_host_instruction vpermt2d = {2, 1, 0, 0x7e, 0, false, false};
    cm_x86_vector(e, vpermt2d, result, CM_X86_PERMUTATIONS + permutation, b, 0);
}

/* Permutations for vpermt2d. Words 0 to 15 are those of the first vector, 16 to 31 of the
 * second. */
static const uint32_t permutations[4][16] = {
    {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23},
    {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31},
    {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
    {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31},
};

void cm_x86_load_permutations(struct cm_x86 *e)
{
    const uint64_t address = (uintptr_t)permutations;
    cm_x86_bytes(e, "\x48\xb8", 2); /* mov rax, imm64 */
    cm_x86_bytes(e, &address, sizeof address);
    for (uint32_t i = 0; i < 4; i++)
        cm_x86_move(e, CM_X86_PERMUTATIONS + i, (struct cm_vector){CM_VECTOR_TABLE, i});
}

/* ---- masks ---- */

void cm_x86_mask(struct cm_x86 *e, unsigned prefix, unsigned opcode, uint32_t result,
                 uint32_t first, uint32_t second)
{
    cm_x86_byte(e, 0xc5);
    cm_x86_byte(e, prefix | (~first & 15) << 3);
    cm_x86_byte(e, opcode);
    cm_x86_byte(e, 0xc0 | result << 3 | second);
}

void cm_x86_mask_upper(struct cm_x86 *e, uint32_t result, uint32_t from)
{
    cm_x86_bytes(e, "\xc4\xe3\xf9\x30", 4); /* kshiftrw result, from, 8 */
    cm_x86_byte(e, 0xc0 | result << 3 | from);
    cm_x86_byte(e, 8);
}

static void move_mask(struct cm_x86 *e, unsigned opcode, uint32_t mask, uint32_t slot)
{
    cm_x86_bytes(e, "\xc5\xf8", 2);
    cm_x86_byte(e, opcode);
    cm_x86_byte(e, 0x84 | mask << 3);
    emit_stack(e, CM_X86_MASK_SLOTS + 8 * slot);
}

void cm_x86_mask_to_slot(struct cm_x86 *e, uint32_t slot, uint32_t mask)
{
    move_mask(e, 0x91, mask, slot); /* kmovw [rsp + disp32], mask */
}

void cm_x86_mask_from_slot(struct cm_x86 *e, uint32_t mask, uint32_t slot)
{
    move_mask(e, 0x90, mask, slot); /* kmovw mask, [rsp + disp32] */
}
