/* Bytes, addresses, and the instructions that AVX-512 and AVX2 have in common. */
#include "encode_x86.h"

#include <string.h>

const struct cm_x86_instruction cm_x86_instructions[CM_VECTOR_OP_COUNT] = {
    [CM_VECTOR_OP_MOVE] = {1, 2, 0, 0x6f, 0, false, false},
    [CM_VECTOR_OP_ADD_F32] = {1, 0, 0, 0x58, 0, false, false},
    [CM_VECTOR_OP_ADD_F64] = {1, 1, 1, 0x58, 0, false, false},
    [CM_VECTOR_OP_SUB_F32] = {1, 0, 0, 0x5c, 0, false, false},
    [CM_VECTOR_OP_SUB_F64] = {1, 1, 1, 0x5c, 0, false, false},
    [CM_VECTOR_OP_MUL_F32] = {1, 0, 0, 0x59, 0, false, false},
    [CM_VECTOR_OP_MUL_F64] = {1, 1, 1, 0x59, 0, false, false},
    [CM_VECTOR_OP_DIV_F32] = {1, 0, 0, 0x5e, 0, false, false},
    [CM_VECTOR_OP_DIV_F64] = {1, 1, 1, 0x5e, 0, false, false},
    [CM_VECTOR_OP_MIN_F32] = {1, 0, 0, 0x5d, 0, false, false},
    [CM_VECTOR_OP_MIN_F64] = {1, 1, 1, 0x5d, 0, false, false},
    [CM_VECTOR_OP_MAX_F32] = {1, 0, 0, 0x5f, 0, false, false},
    [CM_VECTOR_OP_MAX_F64] = {1, 1, 1, 0x5f, 0, false, false},
    [CM_VECTOR_OP_SQRT_F32] = {1, 0, 0, 0x51, 0, false, false},
    [CM_VECTOR_OP_SQRT_F64] = {1, 1, 1, 0x51, 0, false, false},
    [CM_VECTOR_OP_AND_32] = {1, 1, 0, 0xdb, 0, false, false},
    [CM_VECTOR_OP_AND_64] = {1, 1, 1, 0xdb, 0, false, false},
    [CM_VECTOR_OP_OR_32] = {1, 1, 0, 0xeb, 0, false, false},
    [CM_VECTOR_OP_XOR_32] = {1, 1, 0, 0xef, 0, false, false},
    [CM_VECTOR_OP_XOR_64] = {1, 1, 1, 0xef, 0, false, false},
    [CM_VECTOR_OP_ADD_I32] = {1, 1, 0, 0xfe, 0, false, false},
    [CM_VECTOR_OP_SUB_I32] = {1, 1, 0, 0xfa, 0, false, false},
    [CM_VECTOR_OP_MUL_I32] = {2, 1, 0, 0x40, 0, false, false},
    [CM_VECTOR_OP_MIN_I32] = {2, 1, 0, 0x39, 0, false, false},
    [CM_VECTOR_OP_MAX_I32] = {2, 1, 0, 0x3d, 0, false, false},
    [CM_VECTOR_OP_SHIFT_LEFT] = {2, 1, 0, 0x47, 0, false, false},
    [CM_VECTOR_OP_SHIFT_RIGHT] = {2, 1, 0, 0x45, 0, false, false},
    [CM_VECTOR_OP_SHIFT_RIGHT_SIGNED] = {2, 1, 0, 0x46, 0, false, false},
    [CM_VECTOR_OP_I32_TO_F32] = {1, 0, 0, 0x5b, 0, false, false},
    [CM_VECTOR_OP_F32_TO_I32] = {1, 2, 0, 0x5b, 0, false, false},
    [CM_VECTOR_OP_I32_TO_F64] = {1, 2, 0, 0xe6, 0, false, true},
    [CM_VECTOR_OP_F32_TO_F64] = {1, 0, 0, 0x5a, 0, false, true},
    [CM_VECTOR_OP_F64_TO_I32] = {1, 1, 1, 0xe6, 0, false, false},
    [CM_VECTOR_OP_F64_TO_F32] = {1, 1, 1, 0x5a, 0, false, false},
    [CM_VECTOR_OP_EQ_F32] = {1, 0, 0, 0xc2, 0, true, false},
    [CM_VECTOR_OP_LT_F32] = {1, 0, 0, 0xc2, 1, true, false},
    [CM_VECTOR_OP_LE_F32] = {1, 0, 0, 0xc2, 2, true, false},
    [CM_VECTOR_OP_EQ_F64] = {1, 1, 1, 0xc2, 0, true, false},
    [CM_VECTOR_OP_LT_F64] = {1, 1, 1, 0xc2, 1, true, false},
    [CM_VECTOR_OP_LE_F64] = {1, 1, 1, 0xc2, 2, true, false},
    [CM_VECTOR_OP_EQ_I32] = {3, 1, 0, 0x1f, 0, true, false},
    [CM_VECTOR_OP_LT_I32] = {3, 1, 0, 0x1f, 1, true, false},
    [CM_VECTOR_OP_LE_I32] = {3, 1, 0, 0x1f, 2, true, false},
    [CM_VECTOR_OP_TEST_WORDS] = {2, 1, 0, 0x27, 0, false, false},
    [CM_VECTOR_OP_TEST_BIT] = {2, 1, 0, 0x27, 0, false, false},
    [CM_VECTOR_OP_BLEND_32] = {2, 1, 0, 0x64, 0, false, false},
    [CM_VECTOR_OP_BLEND_64] = {2, 1, 1, 0x64, 0, false, false},
};

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

uint32_t cm_x86_constant(uint32_t number)
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
    load(e, 0, cm_x86_constant(constant));
}

void cm_x86_load_word(struct cm_x86 *e, uint32_t constant)
{
    load(e, 2, cm_x86_constant(constant));
}

uint32_t cm_x86_plane(struct cm_x86 *e, uint32_t plane)
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

void cm_x86_forget(struct cm_x86 *e)
{
    memset(e->plane_in, 0, sizeof e->plane_in);
}

/* ---- jumps ---- */

uint8_t *cm_x86_jump_if_zero(struct cm_x86 *e)
{
    cm_x86_bytes(e, "\x74\x00", 2); /* jz, whose distance is set by cm_x86_jump_here */
    return e->at;
}

void cm_x86_jump_here(struct cm_x86 *e, uint8_t *after_jump)
{
    if (!e->full)
        after_jump[-1] = (uint8_t)(e->at - after_jump);
}
