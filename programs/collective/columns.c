/* Emits walks over columns of elements: loops, and the address registers that move over the
 * elements. */
#include "columns.h"

#define UNROLLED 32u /* number of elements in the innermost loop */

/* Returns the first of an array's two address registers. It stays at the first place of the vector,
 * and the next register moves from place to place. */
static unsigned base_of(uint32_t stream)
{
    return REG_STREAMS + 2 * stream;
}

static unsigned walker_of(uint32_t stream)
{
    return base_of(stream) + 1;
}
_Static_assert(REG_STREAMS + 2 * CM_STREAMS <= CM_ADDRESS_REGISTERS, "streams have registers");

void cm_walk_init(const struct cm_collective *own, uint32_t a, struct cm_walk *walk)
{
    const struct cm_axis *axis = &own->task.layout.axes[a];
    *walk = (struct cm_walk){
        .outers = own->task.layout.local_elements / axis->stride / axis->local_length,
        .length = axis->local_length,
        .stride = axis->stride,
        .present = own->present[a],
    };
}

struct cm_place cm_walk_place(const struct cm_walk *walk, enum cm_stream stream, int64_t line,
                              uint32_t column)
{
    const int64_t element = line * (int64_t)walk->stride + (int64_t)column;
    return (struct cm_place){walker_of(stream), element * walk->streams[stream].words};
}

struct cm_place cm_walk_item(const struct cm_collective_compiler *c, uint32_t column)
{
    return (struct cm_place){REG_OUT, column * c->item->words};
}

void cm_emit_guard(struct cm_collective_compiler *c, const struct cm_walk *walk, int64_t line,
                   uint32_t column)
{
    const struct cm_place mask = cm_walk_place(walk, STREAM_MASK, line, column);
    const bool masked = walk->streams[STREAM_MASK].words > 0;
    if (masked)
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(mask.reg, mask.offset), cm_value(0));
    if (walk->present != 0)
        CM_EMIT(c->imp, masked ? CM_OP_CTXANDR : CM_OP_CTXREST, cm_reg(FPU_PRESENT));
}

static void emit_advance_lines(struct cm_collective_compiler *c, const struct cm_walk *walk,
                               int64_t lines)
{
    for (uint32_t s = 0; s < CM_STREAMS; s++)
        cm_emit_advance(c->imp, walker_of(s),
                        lines * (int64_t)(walk->stride * walk->streams[s].words));
    if (walk->present != 0)
        cm_emit_advance(c->imp, REG_PRESENT, lines);
}

/* Emits code that sets the moving address registers to the first line that the walk visits. */
static void emit_first_line(struct cm_collective_compiler *c, const struct cm_walk *walk)
{
    const uint64_t first = walk->backwards ? walk->length - 1 : 0;
    for (uint32_t s = 0; s < CM_STREAMS; s++)
        if (walk->streams[s].words > 0)
            cm_emit_point(c->imp, walker_of(s), base_of(s),
                          (int64_t)(first * walk->stride * walk->streams[s].words));
    if (walk->present != 0)
        cm_emit_point(c->imp, REG_PRESENT, ADDRESS_TABLES, (int64_t)(walk->present + first));
}

static void emit_line(struct cm_collective_compiler *c, const struct cm_walk *walk,
                      uint32_t columns, int64_t line)
{
    if (walk->present != 0)
        CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(FPU_PRESENT), cm_mem(REG_PRESENT, line));
    walk->line(c, walk, columns, line);
}

static void emit_vector(struct cm_collective_compiler *c, const struct cm_walk *walk,
                        uint32_t columns)
{
    const int64_t direction = walk->backwards ? -1 : 1;
    const uint64_t lines = UNROLLED / columns, turns = walk->length / lines;
    emit_first_line(c, walk);
    walk->begin(c, walk, columns);
    if (turns > 0) {
        uint32_t loop = cm_emit_begin_loop(c, turns);
        for (uint64_t line = 0; line < lines; line++)
            emit_line(c, walk, columns, direction * (int64_t)line);
        emit_advance_lines(c, walk, direction * (int64_t)lines);
        cm_emit_end_loop(c, turns, loop);
    }
    for (uint64_t line = 0; line < walk->length % lines; line++)
        emit_line(c, walk, columns, direction * (int64_t)line);
    walk->end(c, walk, columns);
}

static void emit_advance_columns(struct cm_collective_compiler *c, const struct cm_walk *walk,
                                 uint64_t elements, uint64_t items)
{
    for (uint32_t s = 0; s < CM_STREAMS; s++)
        cm_emit_advance(c->imp, base_of(s), (int64_t)(elements * walk->streams[s].words));
    cm_emit_advance(c->imp, REG_OUT, (int64_t)(items * c->item->words));
}

void cm_emit_walk(struct cm_collective_compiler *c, const struct cm_walk *walk)
{
    const uint64_t vectors = walk->stride / CM_WALK_VECTOR;
    const uint32_t rest = (uint32_t)(walk->stride % CM_WALK_VECTOR);
    for (uint32_t s = 0; s < CM_STREAMS; s++)
        if (walk->streams[s].words > 0)
            cm_emit_point(c->imp, base_of(s), walk->streams[s].origin, 0);
    cm_emit_point(c->imp, REG_OUT, ADDRESS_WORK, 0);
    uint32_t outer = cm_emit_begin_loop(c, walk->outers);
    if (vectors > 0) {
        uint32_t inner = cm_emit_begin_loop(c, vectors);
        emit_vector(c, walk, CM_WALK_VECTOR);
        emit_advance_columns(c, walk, CM_WALK_VECTOR, CM_WALK_VECTOR);
        cm_emit_end_loop(c, vectors, inner);
    }
    if (rest > 0)
        emit_vector(c, walk, rest);
    if (walk->outers > 1)
        emit_advance_columns(c, walk, rest + (walk->length - 1) * walk->stride, rest);
    cm_emit_end_loop(c, walk->outers, outer);
}
