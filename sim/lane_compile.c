/*
 * From the shape of a queue to the host's code: loops over the blocks of a worker, several at a
 * time where the registers of the host are enough. The host reads few planes at a time faster than
 * many, so a loop ends where no value waits in a register and the next work uses other planes.
 * Which values will be read is known before: a value that is overwritten unread is never written to
 * memory.
 */
#include "lane_code.h"
#include "lane_work.h"

#include <stdlib.h>

/* Operands in memory that a loop over the nodes has, at least; and, where it could end, at most:
 * docs/speed.md. */
#define PLANES_LOOP      4u
#define PLANES_LOOP_MOST 48u

/* Reads a shape. */
struct reader {
    const struct cm_lane_shape *shape;
    const struct cm_lane_rules *rules;
    uint32_t at;
    uint32_t parameter; /* the next one */
};

static struct cm_lane_place_of read_operand(struct reader *r)
{
    const struct cm_lane_place_of operand = {r->shape->symbols[r->at++], r->parameter};
    if (operand.symbol >= CM_LANE_PLANE && operand.symbol != CM_LANE_NOTHING)
        r->parameter++;
    return operand;
}

/* The same of 64 bits, if `wide`: then one in memory has two planes. */
static struct cm_lane_place_of read_factor(struct reader *r, bool wide)
{
    const struct cm_lane_place_of operand = read_operand(r);
    if (wide && (operand.symbol == CM_LANE_PLANE || operand.symbol == CM_LANE_STREAMED))
        r->parameter++;
    return operand;
}

static void read_chain(struct reader *r, struct cm_lane_parsed *w)
{
    const bool wide = w->rule->form == CM_LANE_CHAIN_64;
    w->terms = r->shape->symbols[r->at++];
    w->out = read_factor(r, wide);
    w->init = read_factor(r, wide);
    for (uint32_t k = 0; k < 2 * w->terms; k++)
        w->factors[k] = read_factor(r, wide);
}

static uint32_t own_parameters(enum cm_lane_form form)
{
    switch (form) {
    case CM_LANE_CALL:
    case CM_LANE_CALL_NUMBER:
        return 2;
    case CM_LANE_FILL:
    case CM_LANE_FILL_64:
    case CM_LANE_MASK_TO_WORDS:
    case CM_LANE_BITS_32:
    case CM_LANE_BITS_64:
        return 1;
    default:
        return 0;
    }
}

static struct cm_lane_parsed read_work(struct reader *r)
{
    struct cm_lane_parsed w = {.rule = &r->rules->rules[r->shape->symbols[r->at++]]};
    const enum cm_lane_form form = w.rule->form;
    if (form == CM_LANE_CHAIN_32 || form == CM_LANE_CHAIN_64) {
        read_chain(r, &w);
        return w;
    }
    struct cm_lane_place_of *const operands[CM_LANE_OPERANDS] = {&w.out, &w.a, &w.b, &w.c, &w.d};
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        *operands[i] = read_factor(r, form == CM_LANE_SELECT_HALVES && i != 3);
    w.parameter = r->parameter;
    r->parameter += own_parameters(form);
    return w;
}

/* ---- what is read and written ---- */

enum { NEITHER, LOW, HIGH, BOTH };

/* The vectors of its registers that a form reads or writes, a bit each. */
struct effect {
    uint8_t writes, reads_out, a, b, c, d; /* d is written */
};

static const struct effect effects[] = {
    /* The kernel may write a part of what it could. */
    [CM_LANE_CALL] = {NEITHER, BOTH, BOTH, BOTH, BOTH, NEITHER},
    [CM_LANE_CALL_NUMBER] = {NEITHER, BOTH, BOTH, BOTH, BOTH, NEITHER},
    [CM_LANE_CHAIN_32] = {LOW, NEITHER, NEITHER, NEITHER, NEITHER, NEITHER},
    [CM_LANE_CHAIN_64] = {BOTH, NEITHER, NEITHER, NEITHER, NEITHER, NEITHER},
    [CM_LANE_COPY] = {LOW, NEITHER, LOW, NEITHER, NEITHER, NEITHER},
    [CM_LANE_COPY_64] = {BOTH, NEITHER, BOTH, NEITHER, NEITHER, NEITHER},
    [CM_LANE_COPY_MASKED] = {NEITHER, NEITHER, LOW, NEITHER, NEITHER, NEITHER},
    [CM_LANE_FILL] = {LOW, NEITHER, NEITHER, NEITHER, NEITHER, NEITHER},
    [CM_LANE_FILL_64] = {BOTH, NEITHER, NEITHER, NEITHER, NEITHER, NEITHER},
    [CM_LANE_LOAD_64] = {BOTH, NEITHER, NEITHER, NEITHER, NEITHER, NEITHER},
    [CM_LANE_STORE_64] = {NEITHER, NEITHER, NEITHER, BOTH, NEITHER, NEITHER},
    [CM_LANE_STORE_64_MASKED] = {NEITHER, NEITHER, NEITHER, BOTH, NEITHER, NEITHER},
    [CM_LANE_JOIN] = {BOTH, BOTH, NEITHER, NEITHER, NEITHER, NEITHER},
    [CM_LANE_SPLIT] = {BOTH, BOTH, NEITHER, NEITHER, NEITHER, NEITHER},
    [CM_LANE_HIGH_HALF] = {LOW, NEITHER, HIGH, NEITHER, NEITHER, NEITHER},
    [CM_LANE_HALVES] = {BOTH, NEITHER, LOW, LOW, NEITHER, NEITHER},
    [CM_LANE_WORDS_TO_MASK] = {NEITHER, NEITHER, LOW, NEITHER, NEITHER, NEITHER},
    [CM_LANE_MASK_AND_WORDS] = {NEITHER, NEITHER, LOW, NEITHER, NEITHER, NEITHER},
    [CM_LANE_MASK_NOT] = {NEITHER, NEITHER, NEITHER, NEITHER, NEITHER, NEITHER},
    [CM_LANE_MASK_TO_WORDS] = {LOW, NEITHER, NEITHER, NEITHER, NEITHER, NEITHER},
    [CM_LANE_UNARY_32] = {LOW, NEITHER, LOW, NEITHER, NEITHER, NEITHER},
    [CM_LANE_UNARY_64] = {BOTH, NEITHER, BOTH, NEITHER, NEITHER, NEITHER},
    [CM_LANE_BINARY_32] = {LOW, NEITHER, LOW, LOW, NEITHER, NEITHER},
    [CM_LANE_BINARY_64] = {BOTH, NEITHER, BOTH, BOTH, NEITHER, NEITHER},
    [CM_LANE_BITS_32] = {LOW, NEITHER, LOW, NEITHER, NEITHER, NEITHER},
    [CM_LANE_BITS_64] = {BOTH, NEITHER, BOTH, NEITHER, NEITHER, NEITHER},
    [CM_LANE_PRODUCT_32] = {LOW, NEITHER, LOW, LOW, LOW, NEITHER},
    [CM_LANE_PRODUCT_64] = {BOTH, NEITHER, BOTH, BOTH, BOTH, NEITHER},
    [CM_LANE_COMPARE_32] = {NEITHER, NEITHER, LOW, LOW, NEITHER, NEITHER},
    [CM_LANE_COMPARE_64] = {NEITHER, NEITHER, BOTH, BOTH, NEITHER, NEITHER},
    [CM_LANE_SELECT_32] = {LOW, NEITHER, LOW, LOW, NEITHER, NEITHER},
    [CM_LANE_SELECT_64] = {BOTH, NEITHER, BOTH, BOTH, NEITHER, NEITHER},
    [CM_LANE_SELECT_HALVES] = {BOTH, NEITHER, BOTH, BOTH, NEITHER, BOTH},
    [CM_LANE_WIDEN] = {BOTH, NEITHER, LOW, NEITHER, NEITHER, NEITHER},
    [CM_LANE_NARROW] = {LOW, NEITHER, BOTH, NEITHER, NEITHER, NEITHER},
};

/* The cells of an operand; none, if it is not a register. */
static uint64_t cells(struct cm_lane_place_of operand, unsigned halves)
{
    return operand.symbol < CM_LANE_PLANE ? (uint64_t)halves << operand.symbol : 0;
}

/* The cells that works read and write; those that are read after a work before they are written,
 * and those that no later work writes. Planes that works touch: those of work i begin at
 * planes[first_plane[i]]. */
struct lives {
    uint64_t *reads, *writes, *read_later, *last, *first_plane, *planes;
    uint32_t count;
};

static uint64_t reads_of(const struct cm_lane_parsed *w)
{
    const struct effect effect = effects[w->rule->form];
    const unsigned factor = w->rule->form == CM_LANE_CHAIN_64 ? BOTH : LOW;
    uint64_t reads = cells(w->out, effect.reads_out) | cells(w->a, effect.a) |
                     cells(w->b, effect.b) | cells(w->c, effect.c);
    if (w->terms > 0)
        reads |= cells(w->init, factor);
    for (uint32_t k = 0; k < 2 * w->terms; k++)
        reads |= cells(w->factors[k], factor);
    return reads;
}

static uint64_t writes_of(const struct cm_lane_parsed *w)
{
    const struct effect effect = effects[w->rule->form];
    return cells(w->out, effect.writes) | cells(w->d, effect.d);
}

/* The planes of a work, of 64 bits the low words; they are the same or others as those of another
 * queue with this shape, most often: only speed depends on it. */
static uint32_t planes_of(const struct cm_lane_parsed *w, const uint64_t *parameters,
                          uint64_t *planes)
{
    const struct cm_lane_place_of operands[] = {w->out, w->a, w->b, w->c, w->d, w->init};
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof operands / sizeof *operands + 2 * w->terms; i++) {
        const uint32_t k = i - (uint32_t)(sizeof operands / sizeof *operands);
        const struct cm_lane_place_of operand =
            i < sizeof operands / sizeof *operands ? operands[i] : w->factors[k];
        if (operand.symbol == CM_LANE_PLANE || operand.symbol == CM_LANE_STREAMED)
            planes[count++] = parameters[operand.parameter];
    }
    return count;
}

/* Follows all works. */
static void follow(struct reader reader, struct lives *lives)
{
    uint64_t planes = 0;
    for (lives->count = 0; reader.at < reader.shape->count; lives->count++) {
        const struct cm_lane_parsed w = read_work(&reader);
        lives->reads[lives->count] = reads_of(&w);
        lives->writes[lives->count] = writes_of(&w);
        lives->first_plane[lives->count] = planes;
        planes += planes_of(&w, reader.shape->parameters, lives->planes + planes);
    }
    lives->first_plane[lives->count] = planes;
    uint64_t later = 0, last = UINT64_MAX;
    for (uint32_t i = lives->count; i-- > 0;) {
        lives->read_later[i] = later;
        lives->last[i] = last;
        later = (later & ~lives->writes[i]) | lives->reads[i];
        last &= ~lives->writes[i];
    }
}

/* ---- which works are one loop ---- */

static uint64_t count_planes(const struct lives *lives, uint32_t first, uint32_t end)
{
    return lives->first_plane[end] - lives->first_plane[first];
}

/* Where works from `first` on end that touch enough planes, and leave nothing in registers that
 * later works read. */
static uint32_t end_of_piece(const struct lives *lives, uint32_t first)
{
    uint64_t written = 0;
    for (uint32_t i = first; i < lives->count; i++) {
        written |= lives->writes[i];
        if (count_planes(lives, first, i + 1) >= PLANES_LOOP && !(written & lives->read_later[i]))
            return i + 1;
    }
    return lives->count;
}

/* True when works from `middle` on touch a plane that works before it do. */
static bool share_planes(const struct lives *lives, uint32_t first, uint32_t middle, uint32_t end)
{
    for (uint64_t i = lives->first_plane[middle]; i < lives->first_plane[end]; i++)
        for (uint64_t k = lives->first_plane[first]; k < lives->first_plane[middle]; k++)
            if (lives->planes[i] == lives->planes[k])
                return true;
    return false;
}

static uint32_t end_of_loop(const struct lives *lives, uint32_t first)
{
    uint32_t end = end_of_piece(lives, first);
    while (end < lives->count) {
        const uint32_t next = end_of_piece(lives, end);
        const bool few = count_planes(lives, first, next) <= PLANES_LOOP_MOST;
        if (count_planes(lives, end, next) >= PLANES_LOOP &&
            !(few && share_planes(lives, first, end, next)))
            break;
        end = next;
    }
    return end;
}

/* ---- the code ---- */

/* The registers of the first block (rsi) and the way to what is read next time (rcx) stay on the
 * stack, above the operands of calls. */
static void write_prologue(struct cm_x86 *e)
{
    cm_x86_bytes(e, "\x53\x55\x41\x54\x41\x55\x41\x56", 8); /* push rbx, rbp, r12, r13, r14 */
    cm_x86_bytes(e, "\x48\x83\xec\x40", 4);                 /* sub rsp, 64 */
    cm_x86_bytes(e, "\x48\x89\xfb", 3);                     /* mov rbx, rdi */
    cm_x86_bytes(e, "\x48\x89\x74\x24\x30", 5);             /* mov [rsp + 48], rsi */
    cm_x86_bytes(e, "\x48\x89\x4c\x24\x38", 5);             /* mov [rsp + 56], rcx */
    cm_x86_bytes(e, "\x49\x89\xd5", 3);                     /* mov r13, rdx */
    cm_x86_load_permutations(e);
}

static void write_epilogue(struct cm_x86 *e)
{
    cm_x86_bytes(e, "\x48\x83\xc4\x40", 4);                 /* add rsp, 64 */
    cm_x86_bytes(e, "\x41\x5e\x41\x5d\x41\x5c\x5d\x5b", 8); /* pop r14, r13, r12, rbp, rbx */
    cm_x86_bytes(e, "\xc5\xf8\x77\xc3", 4);                 /* vzeroupper; ret */
}

static void write_loop_begin(struct cm_x86 *e)
{
    cm_x86_bytes(e, "\x45\x31\xe4", 3);         /* xor r12d, r12d */
    cm_x86_bytes(e, "\x48\x8b\x6c\x24\x30", 5); /* mov rbp, [rsp + 48] */
    if (e->ahead)
        cm_x86_bytes(e, "\x4c\x8b\x74\x24\x38", 5); /* mov r14, [rsp + 56] */
    cm_x86_forget(e);
}

static void write_loop_end(struct cm_x86 *e, const uint8_t *loop, uint32_t blocks)
{
    cm_x86_bytes(e, "\x49\x81\xc4", 3); /* add r12, imm32 */
    cm_x86_word(e, blocks * CM_LANE_CODE_NODES * 4);
    if (e->ahead) {
        cm_x86_bytes(e, "\x49\x81\xc6", 3); /* add r14, imm32 */
        cm_x86_word(e, blocks * CM_LANE_CODE_NODES * 4);
    }
    cm_x86_bytes(e, "\x48\x81\xc5", 3); /* add rbp, imm32 */
    cm_x86_word(e, blocks * e->block_bytes);
    cm_x86_bytes(e, "\x4d\x39\xec", 3); /* cmp r12, r13 */
    cm_x86_bytes(e, "\x0f\x82", 2);     /* jb loop */
    cm_x86_word(e, (uint32_t)(loop - (e->at + 4)));
}

/* Blocks at a time: as many as keep in registers what works `first` to `end` must keep. */
static uint32_t choose_blocks(const struct lives *lives, uint32_t first, uint32_t end,
                              uint32_t nodes)
{
    uint32_t kept = 1, blocks = CM_X86_BLOCKS;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t now =
            (uint32_t)__builtin_popcountll(lives->read_later[i] | lives->writes[i]);
        kept = now > kept ? now : kept;
    }
    while (blocks > 1 && (blocks * kept > CM_X86_CACHED || blocks * CM_LANE_CODE_NODES > nodes))
        blocks /= 2;
    return blocks;
}

/* A loop over the worker's nodes that does works `first` to `end`, which the reader comes to. */
static void write_loop(struct cm_x86 *e, struct reader *reader, const struct lives *lives,
                       uint32_t first, uint32_t end, uint32_t blocks)
{
    write_loop_begin(e);
    const uint8_t *loop = e->at;
    for (uint32_t i = first; i < end; i++) {
        const struct cm_lane_parsed w = read_work(reader);
        e->reads = lives->reads + i;
        e->works = lives->count - i;
        cm_lane_write_work(e, &w, blocks);
        cm_x86_release(e, lives->read_later[i], lives->last[i]);
    }
    cm_x86_write_back(e);
    write_loop_end(e, loop, blocks);
}

size_t cm_lane_compile(const struct cm_lane_shape *shape, const struct cm_lane_rules *rules,
                       const struct cm_lane_place *place, uint8_t *to, size_t room)
{
    struct reader reader = {.shape = shape, .rules = rules, .at = 1};
    const size_t works = shape->count; /* at most: a work has several symbols */
    uint64_t *words = calloc(5 * works + 2 + shape->parameter_count * 9 / 8, sizeof *words);
    struct cm_x86 emit, *e = &emit;
    if (!words)
        return 0;
    struct lives lives = {
        .reads = words,
        .writes = words + works,
        .read_later = words + 2 * works,
        .last = words + 3 * works,
        .first_plane = words + 4 * works,
        .planes = words + 5 * works + 1,
    };
    follow(reader, &lives);
    cm_x86_init(e, to, room, 4 * place->block_words);
    if (shape->symbols[0])
        e->ahead = (uint8_t *)(lives.planes + shape->parameter_count);
    write_prologue(e);
    for (uint32_t first = 0, end; first < lives.count; first = end) {
        end = end_of_loop(&lives, first);
        write_loop(e, &reader, &lives, first, end, choose_blocks(&lives, first, end, place->nodes));
    }
    write_epilogue(e);
    free(words);
    return e->full ? 0 : (size_t)(e->at - to);
}
