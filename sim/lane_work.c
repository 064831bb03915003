/* From a work to instructions of the host. Work on split registers reads and writes their first
 * vector, the low halves; that on joined ones both, of the first eight nodes and of the others. */
#include "lane_work.h"

#include "lane_code.h"

#include <string.h>

#define S(i) (CM_X86_SCRATCH + (i))

static const struct cm_host_instruction vaddps = {1, 0, 0, 0x58, 0, false},
                                        vaddpd = {1, 1, 1, 0x58, 0, false},
                                        vmulps = {1, 0, 0, 0x59, 0, false},
                                        vmulpd = {1, 1, 1, 0x59, 0, false};

struct cm_vector cm_lane_source(struct cm_x86 *e, struct cm_lane_place_of operand)
{
    return cm_lane_is_register(operand) ? cm_in_register(cm_x86_read(e, cm_lane_cell(operand, 0)))
                                        : cm_lane_plane(operand);
}

/* The same in a register; in `scratch`, if it is in a plane. */
static uint32_t in_register(struct cm_x86 *e, struct cm_lane_place_of operand, uint32_t scratch)
{
    const struct cm_vector from = cm_lane_source(e, operand);
    if (from.place == CM_VECTOR_REGISTER)
        return from.number;
    cm_x86_move(e, scratch, from);
    return scratch;
}

struct cm_vector cm_lane_half_of(struct cm_x86 *e, struct cm_lane_place_of operand, uint32_t half)
{
    return cm_in_register(cm_x86_read(e, cm_lane_cell(operand, half)));
}

/* The register for a 32-bit result: S(0), if it goes to a plane (store_result). */
static uint32_t result_32(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    return cm_lane_is_register(w->out) ? cm_x86_define(e, cm_lane_cell(w->out, 0)) : S(0);
}

static void store_result(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    if (cm_lane_is_register(w->out))
        return;
    cm_x86_store(e, cm_lane_plane(w->out), S(0), 0);
    if (w->out.symbol == CM_LANE_CONTEXT)
        e->context_known[e->block] = false;
}

static void define_as(struct cm_x86 *e, struct cm_lane_place_of out, uint32_t half,
                      struct cm_vector value)
{
    cm_x86_move(e, cm_x86_define(e, cm_lane_cell(out, half)), value);
}

/* ---- the context, in a mask register ---- */

static uint32_t context_mask(const struct cm_x86 *e)
{
    return 1 + e->block;
}

/* An instruction of two bytes' prefix on mask registers: a result, a first source, a second. */
static void write_mask(struct cm_x86 *e, unsigned prefix, unsigned opcode, uint32_t result,
                       uint32_t first, uint32_t second)
{
    cm_x86_byte(e, 0xc5);
    cm_x86_byte(e, prefix | (~first & 15) << 3);
    cm_x86_byte(e, opcode);
    cm_x86_byte(e, 0xc0 | result << 3 | second);
}

static void need_context(struct cm_x86 *e, struct cm_lane_place_of context)
{
    static const struct cm_host_instruction vpmovd2m = {2, 2, 0, 0x39, 0, false};
    if (e->context_known[e->block])
        return;
    cm_x86_move(e, S(5), cm_lane_plane(context));
    cm_x86_vector(e, vpmovd2m, context_mask(e), 0, cm_in_register(S(5)), 0);
    e->context_known[e->block] = context.symbol == CM_LANE_CONTEXT;
}

/* The plane of the context gets the mask register. */
static void save_context(struct cm_x86 *e, struct cm_lane_place_of context)
{
    static const struct cm_host_instruction vpmovm2d = {2, 2, 0, 0x38, 0, false};
    cm_x86_vector(e, vpmovm2d, S(5), 0, cm_in_register(context_mask(e)), 0);
    cm_x86_store(e, cm_lane_plane(context), S(5), 0);
    e->context_known[e->block] = context.symbol == CM_LANE_CONTEXT;
}

/* Stores two vectors, or one, where the context is set, and touches no line of the host's caches
 * where it is set nowhere: bringing lines in is most of the time. */
static void store_masked(struct cm_x86 *e, const struct cm_lane_place_of *to, const uint32_t *from,
                         uint32_t count)
{
    const uint32_t mask = context_mask(e);
    write_mask(e, 0x80, 0x98, mask, 0, mask); /* kortestw mask, mask */
    cm_x86_bytes(e, "\x74\x00", 2);           /* jz, to be set */
    uint8_t *after = e->at;
    uint32_t known[CM_X86_PLANES];
    memcpy(known, e->plane_in, sizeof known);
    for (uint32_t i = 0; i < count; i++)
        cm_x86_store(e, cm_lane_plane(to[i]), from[i], mask);
    cm_x86_keep_planes(e, known);
    if (!e->full)
        after[-1] = (uint8_t)(e->at - after);
}

static void compile_words_to_mask(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    static const struct cm_host_instruction vptestmd = {2, 1, 0, 0x27, 0, false};
    const bool joins = w->rule->form == CM_LANE_MASK_AND_WORDS;
    if (joins)
        need_context(e, w->out);
    const uint32_t words = in_register(e, w->a, S(0));
    const uint32_t mask = context_mask(e);
    cm_x86_vector(e, vptestmd, joins ? CM_X86_MASK : mask, words, cm_in_register(words), 0);
    if (joins)
        write_mask(e, 0x84, 0x41, mask, mask, CM_X86_MASK); /* kandw */
    save_context(e, w->out);
}

static void compile_mask_not(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    need_context(e, w->out);
    write_mask(e, 0x80, 0x44, context_mask(e), 0, context_mask(e)); /* knotw */
    save_context(e, w->out);
}

static void compile_mask_to_words(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    static const struct cm_host_instruction vpandd = {1, 1, 0, 0xdb, 0, false};
    const uint32_t mask = in_register(e, w->a, S(0));
    cm_x86_vector(e, vpandd, result_32(e, w), mask,
                  (struct cm_vector){CM_VECTOR_REPEAT_32, w->parameter}, 0);
    store_result(e, w);
}

static void compile_compare(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    const uint32_t mask = context_mask(e);
    if (w->rule->form == CM_LANE_COMPARE_32) {
        const uint32_t a = in_register(e, w->a, S(0));
        cm_x86_vector(e, w->rule->instruction, mask, a, cm_lane_source(e, w->b), 0);
    } else {
        for (uint32_t half = 0; half < 2; half++)
            cm_x86_vector(e, w->rule->instruction, half == 0 ? mask : CM_X86_MASK,
                          cm_lane_half_of(e, w->a, half).number, cm_lane_half_of(e, w->b, half), 0);
        write_mask(e, 0x85, 0x4b, mask, CM_X86_MASK, mask); /* kunpckbw */
    }
    save_context(e, w->out);
}

static void compile_select(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    static const struct cm_host_instruction vpblendmd = {2, 1, 0, 0x64, 0, false},
                                            vpblendmq = {2, 1, 1, 0x64, 0, false};
    const uint32_t mask = context_mask(e);
    need_context(e, w->c);
    if (w->rule->form == CM_LANE_SELECT_32) {
        const uint32_t b = in_register(e, w->b, S(0));
        const struct cm_vector a = cm_lane_source(e, w->a);
        cm_x86_vector(e, vpblendmd, result_32(e, w), b, a, mask);
        store_result(e, w);
        return;
    }
    cm_x86_bytes(e, "\xc4\xe3\xf9\x30", 4); /* kshiftrw CM_X86_MASK, mask, 8 */
    cm_x86_byte(e, 0xc0 | CM_X86_MASK << 3 | mask);
    cm_x86_byte(e, 8);
    for (uint32_t half = 0; half < 2; half++) {
        const struct cm_vector a = cm_lane_half_of(e, w->a, half),
                               b = cm_lane_half_of(e, w->b, half);
        cm_x86_vector(e, vpblendmq, cm_x86_define(e, cm_lane_cell(w->out, half)), b.number, a,
                      half == 0 ? mask : CM_X86_MASK);
    }
}

/* ---- copies ---- */

static void compile_copy(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    if (cm_lane_is_register(w->out)) {
        define_as(e, w->out, 0, cm_lane_source(e, w->a));
        return;
    }
    cm_x86_store(e, cm_lane_plane(w->out), in_register(e, w->a, S(0)), 0);
    if (w->out.symbol == CM_LANE_CONTEXT)
        e->context_known[e->block] = false;
}

static void compile_copy_masked(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    need_context(e, w->b);
    const uint32_t from = in_register(e, w->a, S(0));
    store_masked(e, &w->out, &from, 1);
}

static void compile_fill(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    cm_x86_move(e, result_32(e, w), (struct cm_vector){CM_VECTOR_REPEAT_32, w->parameter});
    store_result(e, w);
}

/* out = a, and its second half, or the value of a parameter. */
static void compile_copy_64(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    for (uint32_t half = 0; half < 2; half++)
        define_as(e, w->out, half,
                  w->rule->form == CM_LANE_COPY_64
                      ? cm_lane_half_of(e, w->a, half)
                      : (struct cm_vector){CM_VECTOR_REPEAT_64, w->parameter});
}

static void compile_halves(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    if (w->rule->form == CM_LANE_HIGH_HALF) {
        const struct cm_vector high = cm_lane_half_of(e, w->a, 1);
        cm_x86_move(e, result_32(e, w), high);
        store_result(e, w);
        return;
    }
    const struct cm_vector a = cm_lane_half_of(e, w->a, 0);
    cm_x86_move(e, S(0), cm_lane_half_of(e, w->b, 0));
    define_as(e, w->out, 0, a);
    define_as(e, w->out, 1, cm_in_register(S(0)));
}

/* ---- words and 64-bit values ---- */

void cm_lane_join(struct cm_x86 *e, uint32_t to, struct cm_vector low, struct cm_vector high)
{
    cm_x86_move(e, to, low);
    cm_x86_move(e, to + 1, cm_in_register(to));
    cm_x86_permute(e, to, CM_X86_JOIN0, high);
    cm_x86_permute(e, to + 1, CM_X86_JOIN1, high);
}

void cm_lane_split(struct cm_x86 *e, uint32_t to, struct cm_vector value0, struct cm_vector value1)
{
    cm_x86_move(e, to, value0);
    cm_x86_move(e, to + 1, value0);
    cm_x86_permute(e, to, CM_X86_LOW, value1);
    cm_x86_permute(e, to + 1, CM_X86_HIGH, value1);
}

static void define_both(struct cm_x86 *e, struct cm_lane_place_of out, uint32_t from)
{
    for (uint32_t half = 0; half < 2; half++)
        define_as(e, out, half, cm_in_register(from + half));
}

static void compile_load_64(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    cm_x86_move(e, S(2), cm_lane_plane(w->b));
    cm_lane_join(e, S(0), cm_lane_plane(w->a), cm_in_register(S(2)));
    define_both(e, w->out, S(0));
}

static void compile_store_64(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    const struct cm_lane_place_of planes[2] = {w->out, w->a};
    const uint32_t words[2] = {S(0), S(1)};
    const bool masked = w->rule->form == CM_LANE_STORE_64_MASKED;
    if (masked)
        need_context(e, w->c);
    cm_lane_split(e, S(0), cm_lane_half_of(e, w->b, 0), cm_lane_half_of(e, w->b, 1));
    if (masked)
        store_masked(e, planes, words, 2);
    else
        for (uint32_t half = 0; half < 2; half++)
            cm_x86_store(e, cm_lane_plane(planes[half]), words[half], 0);
}

static void compile_join(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    const struct cm_vector first = cm_lane_half_of(e, w->out, 0),
                           second = cm_lane_half_of(e, w->out, 1);
    (w->rule->form == CM_LANE_JOIN ? cm_lane_join : cm_lane_split)(e, S(0), first, second);
    define_both(e, w->out, S(0));
}

static void compile_widen(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    static const struct cm_host_instruction vextracti64x4 = {3, 1, 1, 0x3b, 1, true};
    const uint32_t a = in_register(e, w->a, S(2));
    cm_x86_vector(e, w->rule->instruction, S(4), 0, cm_in_register(a), 0);
    cm_x86_vector(e, vextracti64x4, a, 0, cm_in_register(S(3)), 0);
    cm_x86_vector(e, w->rule->instruction, S(5), 0, cm_in_register(S(3)), 0);
    cm_lane_split(e, S(0), cm_in_register(S(4)), cm_in_register(S(5)));
    define_both(e, w->out, S(0));
}

static void compile_narrow(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    static const struct cm_host_instruction vinserti64x4 = {3, 1, 1, 0x3a, 1, true};
    cm_lane_join(e, S(0), cm_lane_half_of(e, w->a, 0), cm_lane_half_of(e, w->a, 1));
    for (uint32_t half = 0; half < 2; half++)
        cm_x86_vector(e, w->rule->instruction, S(half), 0, cm_in_register(S(half)), 0);
    cm_x86_vector(e, vinserti64x4, result_32(e, w), S(0), cm_in_register(S(1)), 0);
    store_result(e, w);
}

/* ---- arithmetic ---- */

static void compile_arithmetic_32(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    struct cm_vector last = {CM_VECTOR_REPEAT_32, w->parameter};
    uint32_t first = 0;
    if (w->rule->form == CM_LANE_UNARY_32) {
        last = cm_lane_source(e, w->a);
    } else {
        first = in_register(e, w->a, S(0));
        if (w->rule->form == CM_LANE_BINARY_32)
            last = cm_lane_source(e, w->b);
    }
    cm_x86_vector(e, w->rule->instruction, result_32(e, w), first, last, 0);
    store_result(e, w);
}

static void compile_arithmetic_64(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    for (uint32_t half = 0; half < 2; half++) {
        struct cm_vector last = {CM_VECTOR_REPEAT_64, w->parameter};
        uint32_t first = 0;
        if (w->rule->form == CM_LANE_UNARY_64) {
            last = cm_lane_half_of(e, w->a, half);
        } else {
            first = cm_lane_half_of(e, w->a, half).number;
            if (w->rule->form == CM_LANE_BINARY_64)
                last = cm_lane_half_of(e, w->b, half);
        }
        cm_x86_vector(e, w->rule->instruction, cm_x86_define(e, cm_lane_cell(w->out, half)), first,
                      last, 0);
    }
}

static void compile_product(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    if (w->rule->form == CM_LANE_PRODUCT_32) {
        const uint32_t a = in_register(e, w->a, S(0));
        cm_x86_vector(e, vmulps, S(0), a, cm_lane_source(e, w->b), 0);
        const struct cm_vector c = cm_lane_source(e, w->c);
        cm_x86_vector(e, vaddps, result_32(e, w), S(0), c, 0);
        store_result(e, w);
        return;
    }
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = cm_lane_half_of(e, w->a, half).number;
        cm_x86_vector(e, vmulpd, S(0), a, cm_lane_half_of(e, w->b, half), 0);
        const struct cm_vector c = cm_lane_half_of(e, w->c, half);
        cm_x86_vector(e, vaddpd, cm_x86_define(e, cm_lane_cell(w->out, half)), S(0), c, 0);
    }
}

/* ---- selections of words that are not joined ---- */

/* The vectors of a 64-bit operand. */
struct pair {
    struct cm_vector half[2];
};

/* The words of a source: in registers; of planes, in `scratch` and the register behind it. */
static struct pair words_of(struct cm_x86 *e, struct cm_lane_place_of operand, uint32_t scratch)
{
    struct pair pair;
    for (uint32_t half = 0; half < 2; half++) {
        if (cm_lane_is_register(operand)) {
            pair.half[half] = cm_lane_half_of(e, operand, half);
            continue;
        }
        pair.half[half] = cm_in_register(scratch + half);
        cm_x86_move(e, scratch + half, cm_lane_plane_of_half(operand, half));
    }
    return pair;
}

static void put_words(struct cm_x86 *e, struct cm_lane_place_of out, uint32_t from)
{
    if (cm_lane_is_register(out))
        define_both(e, out, from);
    else
        for (uint32_t half = 0; half < 2; half++)
            cm_x86_store(e, cm_lane_plane_of_half(out, half), from + half, 0);
}

static void compile_select_halves(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    static const struct cm_host_instruction vpblendmd = {2, 1, 0, 0x64, 0, false};
    const bool both = w->d.symbol != CM_LANE_NOTHING;
    const uint32_t mask = context_mask(e);
    need_context(e, w->c);
    const struct pair a = words_of(e, w->a, S(0)), b = words_of(e, w->b, S(2));
    for (uint32_t half = 0; half < 2; half++) {
        const struct cm_vector a_half = a.half[half], b_half = b.half[half];
        cm_x86_vector(e, vpblendmd, S(4) + half, b_half.number, a_half, mask);
        if (both)
            cm_x86_vector(e, vpblendmd, S(0) + half, a_half.number, b_half, mask);
    }
    put_words(e, w->out, S(4));
    if (both)
        put_words(e, w->d, S(0));
}

/* ---- calls ---- */

/* Operand i of the kernel. */
static void pass(struct cm_x86 *e, struct cm_lane_place_of operand, uint32_t i)
{
    if (cm_lane_is_register(operand)) {
        cm_x86_bytes(e, "\x48\x8d\x85", 3); /* lea rax, [rbp + disp32] */
        cm_x86_word(e, e->block * e->block_bytes + 64 * cm_lane_cell(operand, 0));
    } else if (operand.symbol != CM_LANE_NOTHING) {
        cm_x86_load_parameter(e, operand.parameter);
        cm_x86_bytes(e, "\x4a\x8d\x84\x20", 4); /* lea rax, [rax + r12 + disp32] */
        cm_x86_word(e, 64 * e->block);
    } else {
        cm_x86_bytes(e, "\x48\x89\xe8", 3); /* mov rax, rbp: any valid pointer */
    }
    cm_x86_bytes(e, "\x48\x89\x44\x24", 4); /* mov [rsp + disp8], rax */
    cm_x86_byte(e, 8 * i);
}

static void compile_call(struct cm_x86 *e, const struct cm_lane_parsed *w)
{
    const struct cm_lane_place_of operands[CM_LANE_OPERANDS] = {w->out, w->a, w->b, w->c, w->d};
    cm_x86_write_back(e);
    cm_x86_forget(e);
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        pass(e, operands[i], i);
    cm_x86_bytes(e, "\x48\x89\xe7", 3); /* mov rdi, rsp */
    cm_x86_byte(e, 0xbe);               /* mov esi, imm32 */
    cm_x86_word(e, CM_LANE_CODE_NODES);
    cm_x86_bytes(e, "\x48\x8b\x93", 3); /* mov rdx, [rbx + disp32] */
    cm_x86_word(e, 8 * (w->parameter + 1));
    if (w->rule->form == CM_LANE_CALL_NUMBER) {
        cm_x86_bytes(e, "\x4c\x89\xe0", 3);     /* mov rax, r12 */
        cm_x86_bytes(e, "\x48\xc1\xe8\x02", 4); /* shr rax, 2 */
        cm_x86_bytes(e, "\x48\x8d\x54\x02", 4); /* lea rdx, [rdx + rax + disp8] */
        cm_x86_byte(e, CM_LANE_CODE_NODES * e->block);
    }
    cm_x86_load_parameter(e, w->parameter);
    cm_x86_bytes(e, "\xff\xd0", 2); /* call rax */
    cm_x86_load_permutations(e);
}

/* ---- all of it ---- */

typedef void (*work_compiler)(struct cm_x86 *e, const struct cm_lane_parsed *w);

static const work_compiler compilers[] = {
    [CM_LANE_CALL] = compile_call,
    [CM_LANE_CALL_NUMBER] = compile_call,
    [CM_LANE_COPY] = compile_copy,
    [CM_LANE_COPY_64] = compile_copy_64,
    [CM_LANE_COPY_MASKED] = compile_copy_masked,
    [CM_LANE_FILL] = compile_fill,
    [CM_LANE_FILL_64] = compile_copy_64,
    [CM_LANE_LOAD_64] = compile_load_64,
    [CM_LANE_STORE_64] = compile_store_64,
    [CM_LANE_STORE_64_MASKED] = compile_store_64,
    [CM_LANE_JOIN] = compile_join,
    [CM_LANE_SPLIT] = compile_join,
    [CM_LANE_HIGH_HALF] = compile_halves,
    [CM_LANE_HALVES] = compile_halves,
    [CM_LANE_WORDS_TO_MASK] = compile_words_to_mask,
    [CM_LANE_MASK_AND_WORDS] = compile_words_to_mask,
    [CM_LANE_MASK_NOT] = compile_mask_not,
    [CM_LANE_MASK_TO_WORDS] = compile_mask_to_words,
    [CM_LANE_UNARY_32] = compile_arithmetic_32,
    [CM_LANE_UNARY_64] = compile_arithmetic_64,
    [CM_LANE_BINARY_32] = compile_arithmetic_32,
    [CM_LANE_BINARY_64] = compile_arithmetic_64,
    [CM_LANE_BITS_32] = compile_arithmetic_32,
    [CM_LANE_BITS_64] = compile_arithmetic_64,
    [CM_LANE_PRODUCT_32] = compile_product,
    [CM_LANE_PRODUCT_64] = compile_product,
    [CM_LANE_COMPARE_32] = compile_compare,
    [CM_LANE_COMPARE_64] = compile_compare,
    [CM_LANE_SELECT_32] = compile_select,
    [CM_LANE_SELECT_64] = compile_select,
    [CM_LANE_SELECT_HALVES] = compile_select_halves,
    [CM_LANE_WIDEN] = compile_widen,
    [CM_LANE_NARROW] = compile_narrow,
};

void cm_lane_write_work(struct cm_x86 *e, const struct cm_lane_parsed *w, uint32_t blocks)
{
    if (w->terms > 0) {
        cm_lane_write_chain(e, w, blocks);
        return;
    }
    for (uint32_t block = 0; block < blocks; block++) {
        cm_x86_begin_work(e, block);
        compilers[w->rule->form](e, w);
    }
}
