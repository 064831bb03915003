/* Instructions of x86-64 with AVX-512 (Intel's manual, volume 2, 2.7: EVEX), and which vectors are
 * in registers. */
#include "lane_x86.h"

#include <string.h>

void cm_x86_init(struct cm_x86 *e, uint8_t *to, size_t room, uint32_t block_bytes)
{
    *e = (struct cm_x86){.begin = to, .at = to, .end = to + room, .block_bytes = block_bytes};
    cm_x86_forget(e);
}

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

/* mov reg, [rbx + disp32] */
static void load_parameter(struct cm_x86 *e, uint32_t reg, uint32_t parameter)
{
    cm_x86_byte(e, 0x48 | (reg >> 3) << 2);
    cm_x86_byte(e, 0x8b);
    cm_x86_byte(e, 0x83 | (reg & 7) << 3);
    cm_x86_word(e, 8 * parameter);
}

void cm_x86_load_parameter(struct cm_x86 *e, uint32_t parameter)
{
    load_parameter(e, 0, parameter);
}

/* The register that has the address of a plane: one of rcx, rdx, rsi, rdi, r8 to r11. */
static uint32_t register_of_plane(struct cm_x86 *e, uint32_t parameter)
{
    static const uint8_t registers[CM_X86_PLANES] = {1, 2, 6, 7, 8, 9, 10, 11};
    uint32_t i = 0;
    while (i < CM_X86_PLANES && e->plane_in[i] != parameter + 1)
        i++;
    if (i == CM_X86_PLANES) {
        i = e->next_plane;
        e->next_plane = (i + 1) % CM_X86_PLANES;
        e->plane_in[i] = parameter + 1;
        load_parameter(e, registers[i], parameter);
    }
    return registers[i];
}

void cm_x86_keep_planes(struct cm_x86 *e, const uint32_t *known)
{
    for (uint32_t i = 0; i < CM_X86_PLANES; i++)
        if (e->plane_in[i] != known[i])
            e->plane_in[i] = 0;
}

/* Brings a line that the next run of this code reads into the second-level cache. */
static void read_ahead(struct cm_x86 *e, uint32_t parameter, uint32_t base)
{
    if (!e->ahead || e->ahead[parameter] >> e->block & 1)
        return;
    e->ahead[parameter] |= (uint8_t)(1u << e->block);
    cm_x86_byte(e, 0x42 | base >> 3); /* prefetcht1 [base + r14 + disp32] */
    cm_x86_bytes(e, "\x0f\x18\x94", 3);
    cm_x86_byte(e, 0x30 | (base & 7));
    cm_x86_word(e, 64 * e->block);
}

/* The bytes after the opcode; `base` has the address of a plane. */
static void emit_place(struct cm_x86 *e, uint32_t reg, struct cm_vector place, uint32_t base)
{
    const unsigned low = (reg & 7) << 3;
    switch (place.place) {
    case CM_VECTOR_REGISTER:
        cm_x86_byte(e, 0xc0 | low | (place.number & 7));
        break;
    case CM_VECTOR_CELL:
        if (place.number < CM_X86_CELLS) { /* [rbp + 64 * disp8] */
            cm_x86_byte(e, 0x45 | low);
            cm_x86_byte(e, place.number);
        } else { /* [rbp + disp32] */
            cm_x86_byte(e, 0x85 | low);
            cm_x86_word(e, place.number / CM_X86_CELLS * e->block_bytes +
                               place.number % CM_X86_CELLS * 64);
        }
        break;
    case CM_VECTOR_PLANE: /* [base + r12 + 64 * disp8] */
        cm_x86_byte(e, 0x44 | low);
        cm_x86_byte(e, 0x20 | (base & 7));
        cm_x86_byte(e, e->block);
        break;
    case CM_VECTOR_TABLE: /* [rax + 64 * disp8] */
        cm_x86_byte(e, 0x40 | low);
        cm_x86_byte(e, place.number);
        break;
    default: /* [rbx + disp32] */
        cm_x86_byte(e, 0x83 | low);
        cm_x86_word(e, 8 * place.number);
        break;
    }
}

static const struct cm_host_instruction store_words = {1, 2, 0, 0x7f, 0, false},
                                        stream_words = {1, 1, 0, 0xe7, 0, false};

static bool is_store(struct cm_host_instruction instruction)
{
    return instruction.map == store_words.map &&
           (instruction.opcode == store_words.opcode || instruction.opcode == stream_words.opcode);
}

void cm_x86_vector(struct cm_x86 *e, struct cm_host_instruction instruction, uint32_t result,
                   uint32_t first, struct cm_vector second, uint32_t mask)
{
    unsigned x = 0, b = 0;
    uint32_t base = 0;
    const bool repeats = second.place == CM_VECTOR_REPEAT_32 || second.place == CM_VECTOR_REPEAT_64;
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
    emit_place(e, result, second, base);
    if (instruction.has_immediate)
        cm_x86_byte(e, instruction.immediate);
    if (second.place == CM_VECTOR_PLANE && !is_store(instruction))
        read_ahead(e, second.number, base);
}

void cm_x86_move(struct cm_x86 *e, uint32_t result, struct cm_vector from)
{
    static const struct cm_host_instruction vmovdqu32 = {1, 2, 0, 0x6f, 0, false},
                                            vpbroadcastd = {2, 1, 0, 0x58, 0, false},
                                            vpbroadcastq = {2, 1, 1, 0x59, 0, false};
    const bool narrow = from.place == CM_VECTOR_REPEAT_32;
    if (narrow || from.place == CM_VECTOR_REPEAT_64) {
        from.place = CM_VECTOR_PARAMETER;
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
    static const struct cm_host_instruction vpermt2d = {2, 1, 0, 0x7e, 0, false};
    cm_x86_vector(e, vpermt2d, result, permutation, b, 0);
}

/* Words 0 to 15 are of the first vector, 16 to 31 of the second. */
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
        cm_x86_move(e, CM_X86_JOIN0 + i, (struct cm_vector){CM_VECTOR_TABLE, i});
}

/* ---- vectors in registers ---- */

void cm_x86_begin_work(struct cm_x86 *e, uint32_t block)
{
    e->kept = 0;
    e->block = block;
}

static struct cm_vector in_memory(uint32_t cell)
{
    return (struct cm_vector){CM_VECTOR_CELL, cell};
}

static void write_back(struct cm_x86 *e, uint32_t cell)
{
    if (e->dirty[cell])
        cm_x86_store(e, in_memory(cell), (uint32_t)e->register_of[cell], 0);
    e->dirty[cell] = false;
}

/* Works until a cell is read. */
static uint32_t next_read(const struct cm_x86 *e, uint32_t cell)
{
    uint32_t i = 1;
    while (i < e->works && !(e->reads[i] >> cell % CM_X86_CELLS & 1))
        i++;
    return i;
}

/* A free register, or else the one that will not be read for longest. */
static uint32_t choose_register(const struct cm_x86 *e)
{
    uint32_t best = CM_X86_CACHED, longest = 0;
    for (uint32_t r = 0; r < CM_X86_CACHED; r++) {
        if (e->held >> r & 1)
            continue;
        if (e->cell_of[r] < 0)
            return r;
        const uint32_t distance = e->kept >> r & 1 ? 0 : next_read(e, (uint32_t)e->cell_of[r]);
        if (distance > longest) {
            longest = distance;
            best = r;
        }
    }
    return best;
}

static uint32_t keep(struct cm_x86 *e, uint32_t r)
{
    e->kept |= UINT32_C(1) << r;
    return r;
}

/* A register without a cell. */
static uint32_t free_register(struct cm_x86 *e)
{
    const uint32_t r = choose_register(e);
    if (e->cell_of[r] >= 0) {
        write_back(e, (uint32_t)e->cell_of[r]);
        e->register_of[e->cell_of[r]] = -1;
        e->cell_of[r] = -1;
    }
    return r;
}

static uint32_t assign_register(struct cm_x86 *e, uint32_t cell)
{
    const uint32_t r = free_register(e);
    e->cell_of[r] = (int16_t)cell;
    e->register_of[cell] = (int8_t)r;
    return r;
}

uint32_t cm_x86_read(struct cm_x86 *e, uint32_t cell_of_block)
{
    const uint32_t cell = e->block * CM_X86_CELLS + cell_of_block;
    if (e->register_of[cell] >= 0)
        return keep(e, (uint32_t)e->register_of[cell]);
    const uint32_t r = keep(e, assign_register(e, cell));
    cm_x86_move(e, r, in_memory(cell));
    return r;
}

uint32_t cm_x86_define(struct cm_x86 *e, uint32_t cell_of_block)
{
    const uint32_t cell = e->block * CM_X86_CELLS + cell_of_block;
    e->dirty[cell] = true;
    if (e->register_of[cell] >= 0)
        return keep(e, (uint32_t)e->register_of[cell]);
    return keep(e, assign_register(e, cell));
}

uint32_t cm_x86_hold(struct cm_x86 *e)
{
    const uint32_t r = free_register(e);
    e->held |= UINT32_C(1) << r;
    return r;
}

void cm_x86_give_back(struct cm_x86 *e, uint32_t held)
{
    e->held &= ~(UINT32_C(1) << held);
}

void cm_x86_adopt(struct cm_x86 *e, uint32_t cell_of_block, uint32_t held)
{
    const uint32_t cell = e->block * CM_X86_CELLS + cell_of_block;
    if (e->register_of[cell] >= 0)
        e->cell_of[e->register_of[cell]] = -1;
    cm_x86_give_back(e, held);
    e->cell_of[held] = (int16_t)cell;
    e->register_of[cell] = (int8_t)held;
    e->dirty[cell] = true;
}

void cm_x86_release(struct cm_x86 *e, uint64_t read, uint64_t last)
{
    for (uint32_t r = 0; r < CM_X86_CACHED; r++) {
        if (e->cell_of[r] < 0)
            continue;
        const uint32_t cell = (uint32_t)e->cell_of[r], in_block = cell % CM_X86_CELLS;
        if (read >> in_block & 1)
            continue;
        if (last >> in_block & 1)
            write_back(e, cell);
        e->dirty[cell] = false;
        e->register_of[cell] = -1;
        e->cell_of[r] = -1;
    }
}

void cm_x86_write_back(struct cm_x86 *e)
{
    for (uint32_t cell = 0; cell < CM_X86_BLOCKS * CM_X86_CELLS; cell++)
        write_back(e, cell);
}

void cm_x86_forget(struct cm_x86 *e)
{
    memset(e->register_of, -1, sizeof e->register_of);
    memset(e->cell_of, -1, sizeof e->cell_of);
    memset(e->dirty, 0, sizeof e->dirty);
    memset(e->context_known, 0, sizeof e->context_known);
    memset(e->plane_in, 0, sizeof e->plane_in);
}
