/*
 * The emitter of statements with operands at offsets.
 *
 * Each axis is cut into three pieces: the elements at the low end for which some operand is beyond
 * the node, the elements at the high end, and the elements in the middle. Each combination of
 * pieces is a region with code of its own: a block of elements without loops, inside loops along
 * the middle pieces. A block has all elements of the end pieces and some elements of the middle
 * pieces. If this code is too long, each axis is cut wherever an operand leaves the node. Within
 * such a piece each operand stays in one box, so that all pieces are middle pieces.
 *
 * Coordinates of pieces and blocks count in the order of computing: along an axis in `down`, from
 * the high end of the axis.
 *
 * Within a block every element of every operand has its own address: in the array, at the other end
 * of the array, or in a halo. Elements in one box share an address register, which the loops
 * advance.
 */
#include "near.h"

#include "../system/emit.h"
#include "emitter.h"

#include <string.h>

#define STREAMS_MAX (CM_ADDRESS_REGISTERS - 1u) /* most boxes: address register 0 is for spills */
/* most pieces that an axis is cut into: each operand may add an end */
#define PIECES_MAX (CM_EXPRESSION_ARRAYS_MAX + 2u)

/* A box whose elements are read or written, with its own address register. */
struct stream {
    uint32_t argument;
    uint32_t words; /* number of words of an element */
    const struct cm_box *box;
    int64_t base; /* number of the element to which the register points */
};

struct cm_near_block {
    int64_t start[CM_RANK_MAX]; /* start of the block in its first repetition */
    int64_t size[CM_RANK_MAX];
    int64_t repeat[CM_RANK_MAX];
    uint32_t stream_count;
    struct stream streams[STREAMS_MAX];
};

struct piece {
    int64_t start, size;
    bool end; /* true for an end piece, where some operands are beyond the node */
};

struct near {
    struct emitter m;
    const struct cm_near_form *form;
    uint64_t elements; /* number of elements that a block may have, approximately */
    int64_t width;     /* elements of a vector that lie along the first axis. 0: all of them */
    bool fits;
};

static bool is_down(const struct cm_near_form *form, uint32_t a)
{
    return (form->down >> a & 1) != 0;
}

/* Sets x to the coordinates of element number `position` of a block. */
static void find_position(const struct cm_near_form *form, const struct cm_near_block *block,
                          uint32_t position, int64_t *x)
{
    int64_t rest = position;
    for (uint32_t a = 0; a < form->rank; a++) {
        const int64_t place = block->start[a] + rest % block->size[a];
        x[a] = is_down(form, a) ? form->own.high[a] - 1 - place : place;
        rest /= block->size[a];
    }
}

/* Returns the box that has an operand's element for the result at x, and changes x to the element's
 * coordinates in that box. */
static const struct cm_box *find_box(const struct cm_near_form *form, uint32_t number, int64_t *x)
{
    const struct cm_near_operand *operand =
        number < CM_MICRO_INDEX ? &form->operands[number] : NULL;
    if (number >= CM_MICRO_INDEX && number < CM_MICRO_ARRAYS && form->short_tables)
        return &form->lines[number - CM_MICRO_INDEX];
    if (operand && operand->stepped)
        return &form->operands[operand->array].box;
    if (!operand || operand->halo == CM_NO_HALO)
        return &form->own;
    const struct cm_halos *halos = form->halos[operand->halo];
    for (uint32_t a = 0; a < form->rank; a++) {
        const int64_t length = form->own.high[a];
        x[a] += operand->offset[a];
        if (halos->wraps[a])
            x[a] = (x[a] % length + length) % length;
    }
    for (uint32_t a = form->rank; a-- > 0;)
        if (x[a] < 0 || x[a] >= form->own.high[a])
            return &halos->boxes[a][x[a] >= 0];
    return &form->own;
}

/* Returns the number of the argument that is the array or halo buffer with a box. */
static uint32_t argument_of(const struct emitter *m, uint32_t number, const struct cm_box *box)
{
    const struct cm_near_form *form = m->code->form.near;
    if (number >= CM_MICRO_INDEX)
        return m->address_of[number];
    if (box == &form->own || form->operands[number].stepped)
        return m->address_of[form->operands[number].array];
    const uint32_t first = CM_ELEMENTWISE_ARRAYS + m->code->array_count - form->halo_count;
    return first + form->operands[number].halo;
}

static uint32_t find_stream(const struct cm_near_block *block, uint32_t argument,
                            const struct cm_box *box)
{
    uint32_t i = 0;
    while (i < block->stream_count &&
           (block->streams[i].argument != argument || block->streams[i].box != box))
        i++;
    return i;
}

struct cm_operand cm_near_element(const struct emitter *m, const struct cm_micro *entry,
                                  uint32_t position)
{
    const struct cm_near_form *form = m->code->form.near;
    int64_t x[CM_RANK_MAX];
    find_position(form, m->block, position, x);
    const struct cm_box *box = find_box(form, entry->number, x);
    const uint32_t i = find_stream(m->block, argument_of(m, entry->number, box), box);
    const struct stream *stream = &m->block->streams[i];
    return cm_mem(i + 1,
                  (cm_box_at(box, form->rank, x) - stream->base) * stream->words + entry->offset);
}

bool cm_near_is_spread(const struct cm_near_form *form, uint32_t number)
{
    if (number >= CM_EXPRESSION_ARRAYS_MAX || !form->operands[number].stepped)
        return false;
    for (uint32_t a = 0; a < form->rank; a++)
        if (form->operands[number].box.stride[a] == 0 && form->own.high[a] > 1)
            return true;
    return false;
}

static uint32_t block_elements(const struct near *near, const struct cm_near_block *block)
{
    uint32_t elements = 1;
    for (uint32_t a = 0; a < near->form->rank; a++)
        elements *= (uint32_t)block->size[a];
    return elements;
}

static void add_stream(struct near *near, struct cm_near_block *block, uint32_t number,
                       uint32_t position)
{
    int64_t x[CM_RANK_MAX];
    find_position(near->form, block, position, x);
    const struct cm_box *box = find_box(near->form, number, x);
    const uint32_t argument = argument_of(&near->m, number, box);
    if (find_stream(block, argument, box) < block->stream_count)
        return;
    if (block->stream_count == STREAMS_MAX) {
        near->fits = false;
        return;
    }
    block->streams[block->stream_count++] = (struct stream){argument, near->m.words_of[number], box,
                                                            cm_box_at(box, near->form->rank, x)};
}

static void find_streams(struct near *near, struct cm_near_block *block)
{
    const uint32_t elements = block_elements(near, block);
    block->stream_count = 0;
    for (uint32_t k = 0; k < CM_MICRO_ARRAYS; k++)
        for (uint32_t p = 0; near->m.code->used[k] && p < elements && near->fits; p++)
            add_stream(near, block, k, p);
    for (uint32_t i = 0; i < block->stream_count; i++)
        cm_emit_argument(near->m.imp, i + 1, block->streams[i].argument,
                         block->streams[i].base * block->streams[i].words);
}

static void emit_body(struct near *near, const struct cm_near_block *block)
{
    const uint32_t vector = near->m.code->schedule.vector;
    const uint32_t elements = block_elements(near, block);
    near->m.context.known = false;
    for (uint32_t p = 0; p < elements; p += vector)
        cm_emit_vector(&near->m, p, elements - p < vector ? elements - p : vector);
}

/*
 * Emits the loops along axes 0 to `level` - 1. At the end of an iteration each register advances by
 * a block, less the words by which inner loops moved the register. moved[i] is the number of words
 * by which register i has moved.
 */
static void emit_loops(struct near *near, const struct cm_near_block *block, uint32_t level,
                       int64_t *moved)
{
    if (level == 0) {
        emit_body(near, block);
        return;
    }
    const uint32_t a = level - 1;
    uint32_t loop = 0;
    if (block->repeat[a] > 1)
        loop = CM_EMIT(near->m.imp, CM_OP_LOOP, cm_value(block->repeat[a]));
    emit_loops(near, block, a, moved);
    if (block->repeat[a] == 1)
        return;
    for (uint32_t i = 0; i < block->stream_count; i++) {
        const struct stream *stream = &block->streams[i];
        const int64_t size = is_down(near->form, a) ? -block->size[a] : block->size[a];
        const int64_t advance = size * stream->box->stride[a] * stream->words;
        cm_emit_advance(near->m.imp, i + 1, advance - moved[i]);
        moved[i] = advance * block->repeat[a];
    }
    cm_emit_next(near->m.imp, loop);
}

static void emit_block(struct near *near, struct cm_near_block *block)
{
    int64_t moved[STREAMS_MAX] = {0};
    near->m.block = block;
    find_streams(near, block);
    if (near->fits)
        emit_loops(near, block, near->form->rank, moved);
    near->m.block = NULL;
}

/* Returns how many elements along a middle piece of `length` elements a block takes: as many as the
 * SRAM allows, in equal parts. `taken` is the number of elements that the block has along the other
 * axes. */
static int64_t part_of(const struct near *near, int64_t length, uint64_t taken)
{
    const int64_t most = taken < near->elements ? (int64_t)(near->elements / taken) : 1;
    const int64_t parts = (length + most - 1) / most;
    return (length + parts - 1) / parts;
}

/* Returns the number of loads for a vector that has `width` elements along the first axis. The rest
 * of its elements follow along the second axis. If an operand does not change along an axis, one
 * load serves all elements along this axis. */
static int64_t loads_of(const struct near *near, int64_t width)
{
    const struct cm_near_form *form = near->form;
    const int64_t others = (int64_t)near->m.code->schedule.vector / width;
    int64_t loads = 0;
    for (uint32_t k = 0; k < CM_EXPRESSION_ARRAYS_MAX; k++) {
        const struct cm_near_operand *operand = &form->operands[k];
        const int64_t *stride = operand->stepped ? operand->box.stride : form->own.stride;
        if (near->m.code->used[k])
            loads += (stride[0] == 0 ? 1 : width) * (stride[1] == 0 ? 1 : others);
    }
    return loads;
}

/* Returns the number of elements along the first axis for which a vector needs the fewest loads, or
 * 0 if all elements of the vector should lie along the first axis. The second axis must be at least
 * twice as long as the vector is in its direction. A block with few elements along this axis would
 * spend more on advancing addresses than it saves. */
static int64_t width_of(const struct near *near)
{
    const int64_t vector = near->m.code->schedule.vector;
    int64_t best = vector;
    for (int64_t width = vector / 2; width > 0 && near->form->rank > 1; width /= 2)
        if (near->form->own.high[1] >= 2 * vector / width &&
            loads_of(near, width) < loads_of(near, best))
            best = width;
    return best < vector ? best : 0;
}

static void emit_region(struct near *near, const struct piece *pieces);

/* Emits a region in two parts, if its length along the first axis is not a multiple of the vector's
 * length. The first part has whole vectors along the first axis. Returns false without emitting
 * anything if the region needs no cut. */
static bool emit_parts(struct near *near, const struct piece *pieces)
{
    struct piece part[CM_RANK_MAX];
    const int64_t rest = near->width > 0 ? pieces[0].size % near->width : 0;
    if (rest == 0 || pieces[0].end || pieces[0].size < near->width)
        return false;
    memcpy(part, pieces, sizeof part);
    part[0].size -= rest;
    emit_region(near, part);
    part[0].start += part[0].size;
    part[0].size = rest;
    emit_region(near, part);
    return true;
}

/* Emits a region as blocks of equal size. Elements that are left over along an axis are emitted as
 * another region. */
static void emit_region(struct near *near, const struct piece *pieces)
{
    struct cm_near_block block = {.stream_count = 0};
    struct piece rest[CM_RANK_MAX];
    if (emit_parts(near, pieces))
        return;
    uint64_t taken = 1;
    uint32_t left = CM_RANK_MAX;
    for (uint32_t a = 0; a < near->form->rank; a++)
        taken *= pieces[a].end ? (uint64_t)pieces[a].size : 1;
    for (uint32_t a = 0; a < near->form->rank; a++) {
        const int64_t length = pieces[a].size;
        block.start[a] = pieces[a].start;
        block.size[a] = pieces[a].end ? length : part_of(near, length, taken);
        if (a == 0 && !pieces[a].end && near->width > 0 && near->width < length)
            block.size[a] = near->width;
        block.repeat[a] = length / block.size[a];
        taken *= pieces[a].end ? 1 : (uint64_t)block.size[a];
        rest[a] = pieces[a];
        if (length % block.size[a] == 0)
            continue;
        /* The elements that are left along this axis form a region of their own. Along further axes
         * neither region is shortened. */
        left = a;
        rest[a].start += block.repeat[a] * block.size[a];
        rest[a].size = length % block.size[a];
        for (uint32_t b = a + 1; b < near->form->rank; b++) {
            rest[b] = pieces[b];
            block.start[b] = pieces[b].start;
            block.size[b] = pieces[b].end ? pieces[b].size : 1;
            block.repeat[b] = pieces[b].size / block.size[b];
        }
        break;
    }
    emit_block(near, &block);
    if (left < CM_RANK_MAX && near->fits)
        emit_region(near, rest);
}

/* Inserts a coordinate into a sorted list, unless the list has it. Returns the list's length. */
static uint32_t insert(int64_t *list, uint32_t count, int64_t x)
{
    uint32_t at = count;
    while (at > 0 && list[at - 1] > x)
        at--;
    if (at > 0 && list[at - 1] == x)
        return count;
    memmove(list + at + 1, list + at, (count - at) * sizeof *list);
    list[at] = x;
    return count + 1;
}

/* Cuts an axis at each place where an operand leaves the node. Returns the number of pieces. */
static uint32_t cut_finely(const struct cm_near_form *form, uint32_t a, struct piece *pieces)
{
    int64_t ends[PIECES_MAX] = {form->from[a]};
    const int64_t length = form->own.high[a];
    uint32_t count = insert(ends, 1, form->to[a]);
    for (uint32_t k = 0; k < CM_EXPRESSION_ARRAYS_MAX; k++) {
        const int64_t offset =
            is_down(form, a) ? -form->operands[k].offset[a] : form->operands[k].offset[a];
        const int64_t end = offset < 0 ? -offset : length - offset;
        if (end > form->from[a] && end < form->to[a])
            count = insert(ends, count, end);
    }
    for (uint32_t i = 0; i + 1 < count; i++)
        pieces[i] = (struct piece){ends[i], ends[i + 1] - ends[i], false};
    return count - 1;
}

/* Cuts the elements that are computed along an axis into pieces, and returns their number. */
static uint32_t cut(const struct near *near, uint32_t a, struct piece pieces[PIECES_MAX])
{
    const struct cm_near_form *form = near->form;
    if (near->m.code->form.finely_cut)
        return cut_finely(form, a, pieces);
    const int64_t length = form->own.high[a];
    const int64_t low = form->reach[a][is_down(form, a)], high = form->reach[a][!is_down(form, a)];
    const bool whole = low + high >= length;
    const struct piece all[] = {{0, whole ? length : low, true},
                                {low, whole ? 0 : length - low - high, false},
                                {length - high, whole ? 0 : high, true}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t end = all[i].start + all[i].size;
        struct piece *piece = &pieces[count];
        *piece = all[i];
        piece->start = piece->start < form->from[a] ? form->from[a] : piece->start;
        piece->size = (end < form->to[a] ? end : form->to[a]) - piece->start;
        count += piece->size > 0;
    }
    return count;
}

/* Emits the regions of all combinations of the pieces along axes `a` and above. `chosen` has the
 * pieces along the axes before. */
static void emit_regions(struct near *near, uint32_t a, struct piece *chosen)
{
    struct piece pieces[PIECES_MAX];
    if (a == near->form->rank) {
        emit_region(near, chosen);
        return;
    }
    const uint32_t count = cut(near, a, pieces);
    for (uint32_t i = 0; i < count && near->fits; i++) {
        chosen[a] = pieces[i];
        emit_regions(near, a + 1, chosen);
    }
}

struct cm_imp *cm_elementwise_emit_near(const struct cm_elementwise_code *code, bool *fits)
{
    struct near near = {.form = code->form.near, .elements = code->group, .fits = true};
    struct piece chosen[CM_RANK_MAX];
    if (!cm_emitter_init(&near.m, code))
        return NULL;
    near.width = width_of(&near);
    emit_regions(&near, 0, chosen);
    *fits = near.fits;
    return cm_emit_end(near.m.imp);
}
