/*
 * Compiles the exchange of a stencil: IMPs that fill the halos of each source.
 *
 * A halo is cut along the earlier axes into segments: the middle and the corners. Segments that are
 * outside the node along n earlier axes are sent in stage n, because the neighbours received their
 * elements in stage n - 1. In a stage all axes and both directions share the exchanges. Boundary
 * values are stored after each stage, in the nodes at the edge, so that corners also get boundary
 * values.
 *
 * The tables have a word for each axis with the slots of its neighbours. Its bytes are
 *
 *     0, 1   for the low halo: send to the next node, receive from the node before
 *     2, 3   for the high halo, in the other direction
 *
 * After these words comes a word of masks. Its bit 2 a + side is 1 in nodes where halo (a, side) is
 * a boundary.
 */
#include "../system/axis_hops.h"
#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "../system/exchanges.h"
#include "../system/schedule.h"
#include "stencil_plan.h"

/* Limit on the segments of one halo in one stage. In rank 4, a segment of stage 2 is outside along
 * two of three earlier axes, so there are three pairs of axes with four segments each. */
#define SEGMENTS_MAX 12u
#define FLOWS_MAX    (CM_STENCIL_RANK_MAX * CM_STENCIL_SIDES)
/* divisor: 1 / UNROLL_SHARE of the SRAM may hold the unrolled exchanges of a stage */
#define UNROLL_SHARE 8u
#define IMP_SHARE    2u /* divisor: 1 / IMP_SHARE of the SRAM may hold an IMP */
/* divisor: 1 / CHUNK_SHARE of the SRAM may hold unrolled exchanges that loops do not shorten */
#define CHUNK_SHARE 4u
#define FILL_STORES 8u /* number of elements stored in an iteration of the innermost loop */
/* number of SRAM words that the boundary values of a halo need in a stage */
#define FILL_WORDS 512u

enum { REG_TABLES = CM_EXCHANGE_POINTERS, REG_AT };

/* Segment of a halo: elements that come from one place. Coordinates are those of the receiving
 * node. */
struct segment {
    int64_t low[CM_STENCIL_RANK_MAX];
    int64_t high[CM_STENCIL_RANK_MAX];
    const struct cm_box *from; /* place of the elements in the sending node */
};

/* Flow: the elements that one halo receives in a stage. */
struct flow {
    uint32_t axis, side;
    uint64_t elements;
    uint32_t count;
    struct segment segments[SEGMENTS_MAX];
};

struct stage {
    const struct cm_stencil_plan *plan;
    struct cm_compiled *compiled;
    struct cm_imp *imp; /* IMP under construction, or NULL */
    uint32_t source;
    uint32_t number;
    uint32_t flow_count;
    struct flow flows[FLOWS_MAX];
    /* number of the flow for each axis and side in the schedule */
    uint32_t flow_of[CM_STENCIL_RANK_MAX][CM_STENCIL_SIDES];
    struct cm_schedule schedules[CM_STENCIL_RANK_MAX];
    uint32_t pack; /* number of narrow elements that share a unit, so that they use both channels */
    uint64_t exchanges;
    uint64_t first; /* number of the exchange with which the current code begins */
};

/*
 * Computes a segment of halo (a, side). The digits of `code` say which part of each earlier axis it
 * covers: 0 for the middle, 1 for low, 2 for high. Returns the segment's stage. Sets *empty to true
 * if the segment has no elements.
 */
static uint32_t make_segment(const struct stage *stage, uint32_t a, uint32_t side, uint32_t code,
                             struct segment *segment, bool *empty)
{
    const struct cm_stencil_plan *plan = stage->plan;
    const struct cm_stencil_source *source = &plan->sources[stage->source];
    const struct cm_box *halo = &source->halos[a][side];
    uint32_t outside = 0;
    *empty = false;
    segment->from = &plan->own;
    for (uint32_t b = 0; b < plan->layout.rank; b++) {
        uint32_t part = b < a ? code % 3 : 0;
        segment->low[b] = halo->low[b];
        segment->high[b] = halo->high[b];
        if (b < a) {
            code /= 3;
            segment->low[b] = part == 0 ? 0 : part == 1 ? halo->low[b] : plan->length[b];
            segment->high[b] = part == 0 ? plan->length[b] : part == 1 ? 0 : halo->high[b];
        }
        outside += part != 0;
        if (part != 0)
            segment->from = &source->halos[b][part - 1];
        *empty = *empty || segment->low[b] >= segment->high[b];
    }
    return outside;
}

static uint64_t segment_elements(const struct stage *stage, const struct segment *segment)
{
    uint64_t elements = 1;
    for (uint32_t b = 0; b < stage->plan->layout.rank; b++)
        elements *= (uint64_t)(segment->high[b] - segment->low[b]);
    return elements;
}

static void make_flow(const struct stage *stage, uint32_t a, uint32_t side, struct flow *flow)
{
    uint32_t codes = 1;
    for (uint32_t b = 0; b < a; b++)
        codes *= 3;
    *flow = (struct flow){.axis = a, .side = side};
    for (uint32_t code = 0; code < codes; code++) {
        struct segment segment;
        bool empty;
        if (make_segment(stage, a, side, code, &segment, &empty) != stage->number || empty)
            continue;
        flow->segments[flow->count++] = segment;
        flow->elements += segment_elements(stage, &segment);
    }
}

/* Returns the place of element `index` of a flow: in the halo if `halo` is true, otherwise in the
 * sender's array or halo. */
static int64_t element_at(const struct stage *stage, const struct flow *flow, uint64_t index,
                          bool halo)
{
    const struct cm_stencil_plan *plan = stage->plan;
    const struct segment *segment = flow->segments;
    int64_t x[CM_STENCIL_RANK_MAX];
    for (; index >= segment_elements(stage, segment); segment++)
        index -= segment_elements(stage, segment);
    for (uint32_t b = 0; b < plan->layout.rank; b++) {
        uint64_t width = (uint64_t)(segment->high[b] - segment->low[b]);
        x[b] = segment->low[b] + (int64_t)(index % width);
        index /= width;
    }
    if (halo)
        return cm_box_at(&plan->sources[stage->source].halos[flow->axis][flow->side],
                         plan->layout.rank, x);
    x[flow->axis] += flow->side == 0 ? plan->length[flow->axis] : -plan->length[flow->axis];
    return cm_box_at(segment->from, plan->layout.rank, x);
}

/* Adds the words of one transfer to a step of the exchanges, as loads before the exchange or
 * unloads after it. */
static void add_transfer(const struct stage *stage, uint32_t number, struct cm_transfer transfer,
                         enum cm_op op, struct cm_exchange_steps *steps)
{
    const struct flow *flow = &stage->flows[number];
    uint32_t slices = stage->plan->layout.slices;
    uint32_t channels = stage->plan->config->network_channels_per_dimension;
    bool unload = op == CM_OP_UNLOADI;
    uint32_t words = cm_unit_words(slices * stage->pack, channels, transfer.unit);
    uint64_t units = stage->pack > 1 ? 1 : (slices + channels - 1) / channels;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t element = transfer.unit / units * stage->pack + w / slices;
        uint64_t word = transfer.unit % units * channels + w % slices;
        if (element >= flow->elements)
            return;
        struct cm_exchange_step step = {
            .offset = element_at(stage, flow, element, unload) * slices + (int64_t)word,
            .table = flow->axis,
            .op = (uint8_t)op,
            .pointer = (uint8_t)(2 * number + unload),
            .field = (uint8_t)(2 * flow->side + unload),
            .half = (uint8_t)(transfer.half + w),
        };
        cm_list_push(steps, step);
    }
}

static void add_transfers(void *context, uint64_t exchange, enum cm_op op,
                          struct cm_exchange_steps *steps)
{
    const struct stage *stage = context;
    exchange += stage->first;
    for (uint32_t a = 0; a < stage->plan->layout.rank; a++) {
        const struct cm_schedule *schedule = &stage->schedules[a];
        if (exchange >= schedule->exchanges)
            continue;
        for (uint64_t i = schedule->starts[exchange]; i < schedule->starts[exchange + 1]; i++)
            add_transfer(stage, stage->flow_of[a][schedule->transfers[i].flow],
                         schedule->transfers[i], op, steps);
    }
}

static void emit_pointers(void *context, const int64_t start[CM_EXCHANGE_POINTERS])
{
    const struct stage *stage = context;
    for (uint32_t f = 0; f < stage->flow_count; f++) {
        uint32_t from = cm_stencil_source_argument(stage->plan, stage->source, stage->number > 0);
        uint32_t to = cm_stencil_source_argument(stage->plan, stage->source, true);
        cm_emit_argument(stage->imp, 2 * f, from, start[2 * f]);
        cm_emit_argument(stage->imp, 2 * f + 1, to, start[2 * f + 1]);
    }
}

static enum cm_status schedule_axis(struct stage *stage, uint32_t a, struct cm_error *err)
{
    const struct cm_stencil_plan *plan = stage->plan;
    const struct cm_axis *axis = &plan->layout.axes[a];
    struct cm_flow flows[CM_STENCIL_SIDES];
    uint32_t count = 0;
    for (uint32_t side = 0; side < CM_STENCIL_SIDES && axis->node_bits > 0; side++) {
        struct flow *flow = &stage->flows[stage->flow_count];
        make_flow(stage, a, side, flow);
        if (flow->elements == 0)
            continue;
        stage->flow_of[a][count] = stage->flow_count++;
        flows[count].elements = (flow->elements + stage->pack - 1) / stage->pack;
        cm_hops_find(axis, side == 0 ? 1 : -1, &flows[count].hops);
        count++;
    }
    enum cm_status status = cm_schedule_create(
        &(struct cm_schedule_request){axis, flows, count, plan->layout.slices * stage->pack,
                                      plan->config->network_channels_per_dimension},
        &stage->schedules[a], err);
    if (stage->exchanges < stage->schedules[a].exchanges)
        stage->exchanges = stage->schedules[a].exchanges;
    return status;
}

/* Returns the number of SRAM words that a stage's exchanges take without loops. */
static uint64_t unrolled_words(const struct stage *stage)
{
    uint64_t words = stage->exchanges * cm_op_words(CM_OP_EXCHANGE);
    for (uint32_t f = 0; f < stage->flow_count; f++)
        words += stage->flows[f].elements * stage->plan->layout.slices *
                 (cm_op_words(CM_OP_LOADI) + cm_op_words(CM_OP_UNLOADI));
    return words;
}

static enum cm_status begin_imp(struct stage *stage, struct cm_error *err)
{
    stage->imp = cm_imp_create("stencil_exchange");
    if (!stage->imp)
        return cm_error_no_memory(err);
    cm_stencil_declare(stage->plan, stage->imp);
    CM_EMIT(stage->imp, CM_OP_AARG, cm_reg(REG_TABLES), cm_value(CM_STENCIL_TABLES));
    return CM_OK;
}

static enum cm_status end_imp(struct stage *stage, struct cm_error *err)
{
    struct cm_imp *imp = stage->imp;
    stage->imp = NULL;
    return imp ? cm_compiled_add(stage->compiled, cm_emit_end(imp), err) : CM_OK;
}

/* Begins a new IMP unless the current IMP has room for `words` more words. */
static enum cm_status need_words(struct stage *stage, uint64_t words, struct cm_error *err)
{
    uint64_t limit = stage->plan->config->sequencer_sram_words / IMP_SHARE;
    enum cm_status status = CM_OK;
    if (stage->imp && cm_imp_words(stage->imp) + words > limit)
        status = end_imp(stage, err);
    if (status == CM_OK && !stage->imp)
        status = begin_imp(stage, err);
    return status;
}

static struct cm_exchanges exchanges_of(struct stage *stage, uint64_t first, uint64_t count)
{
    stage->first = first;
    return (struct cm_exchanges){.imp = stage->imp,
                                 .count = count,
                                 .overlap = stage->plan->config->exchange_overlap != 0,
                                 .tables = REG_TABLES,
                                 .transfers = add_transfers,
                                 .point = emit_pointers,
                                 .context = stage};
}

/* Emits the exchanges of a stage as loops, in an IMP of their own. If that IMP is too long, it is
 * dropped, and *fits becomes false. */
static enum cm_status emit_loops(struct stage *stage, bool *fits, struct cm_error *err)
{
    const struct cm_config *config = stage->plan->config;
    enum cm_status status = end_imp(stage, err);
    *fits = true;
    if (status == CM_OK)
        status = begin_imp(stage, err);
    if (status != CM_OK)
        return status;
    struct cm_exchanges exchanges = exchanges_of(stage, 0, stage->exchanges);
    status = cm_exchanges_looped(&exchanges, config->sequencer_loop_depth, err);
    *fits = cm_imp_words(stage->imp) <= config->sequencer_sram_words / IMP_SHARE;
    if (status == CM_OK && *fits)
        return CM_OK;
    cm_imp_destroy(stage->imp);
    stage->imp = NULL;
    return status;
}

/* Emits the exchanges of a stage without loops, `chunk` exchanges at a time. */
static enum cm_status emit_chunks(struct stage *stage, uint64_t chunk, uint64_t words,
                                  struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint64_t t = 0; status == CM_OK && t < stage->exchanges; t += chunk) {
        uint64_t count = stage->exchanges - t < chunk ? stage->exchanges - t : chunk;
        status = need_words(stage, words, err);
        if (status != CM_OK)
            return status;
        struct cm_exchanges exchanges = exchanges_of(stage, t, count);
        cm_exchanges_unrolled(&exchanges);
    }
    return status;
}

static enum cm_status emit_exchanges(struct stage *stage, struct cm_error *err)
{
    uint64_t sram = stage->plan->config->sequencer_sram_words, words = unrolled_words(stage);
    bool fits = false;
    if (stage->exchanges == 0)
        return CM_OK;
    if (words <= sram / UNROLL_SHARE)
        return emit_chunks(stage, stage->exchanges, words, err);
    enum cm_status status = emit_loops(stage, &fits, err);
    if (status != CM_OK || fits)
        return status;
    uint64_t chunk = stage->exchanges * (sram / CHUNK_SHARE) / words;
    return emit_chunks(stage, chunk > 0 ? chunk : 1, sram / CHUNK_SHARE, err);
}

static void emit_stores(const struct stage *stage, uint64_t count, int64_t stride)
{
    uint32_t slices = stage->plan->layout.slices;
    uint32_t components = cm_type_components(stage->plan->layout.type);
    const struct cm_fpu_ops *ops = cm_fpu_ops(stage->plan->layout.type);
    for (uint64_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < components; c++)
            CM_EMIT(stage->imp, ops->store,
                    cm_mem(REG_AT, (int64_t)i * stride * slices + c * (slices / components)),
                    cm_reg(c));
}

/* Emits stores of the boundary value to the elements of a segment along axes 0 to `level` - 1. The
 * address register ends where it began, unless `level` is the rank. */
static void emit_fill(const struct stage *stage, const struct cm_box *halo,
                      const struct segment *segment, uint32_t level)
{
    uint32_t b = level - 1;
    uint64_t count = (uint64_t)(segment->high[b] - segment->low[b]);
    uint64_t together = 1;
    for (uint64_t n = 2; level == 1 && n <= FILL_STORES; n++)
        together = count % n == 0 ? n : together;
    int64_t words = (int64_t)together * halo->stride[b] * stage->plan->layout.slices;
    uint32_t loop = 0;
    if (count > together)
        loop = CM_EMIT(stage->imp, CM_OP_LOOP, cm_value((int64_t)(count / together)));
    if (level == 1)
        emit_stores(stage, together, halo->stride[b]);
    else
        emit_fill(stage, halo, segment, level - 1);
    if (count > together) {
        cm_emit_advance(stage->imp, REG_AT, words);
        cm_emit_next(stage->imp, loop);
        if (level < stage->plan->layout.rank)
            cm_emit_advance(stage->imp, REG_AT, -words * (int64_t)(count / together));
    }
}

/* Emits the stores of boundary values to one halo in this stage. */
static enum cm_status emit_boundary(struct stage *stage, uint32_t a, uint32_t side,
                                    struct cm_error *err)
{
    const struct cm_stencil_plan *plan = stage->plan;
    const struct cm_box *halo = &plan->sources[stage->source].halos[a][side];
    const struct cm_fpu_ops *ops = cm_fpu_ops(plan->layout.type);
    struct flow flow;
    make_flow(stage, a, side, &flow);
    if (plan->pattern.boundaries[a] == CM_SHIFT_CSHIFT || flow.count == 0 ||
        cm_stencil_has_boundary_array(plan, a))
        return CM_OK;
    enum cm_status status = need_words(stage, FILL_WORDS, err);
    if (status != CM_OK)
        return status;
    for (uint32_t c = 0; c < cm_type_components(plan->layout.type); c++)
        CM_EMIT(stage->imp, ops->scalar, cm_reg(c),
                cm_value(cm_stencil_boundary_argument(plan, a) + c));
    CM_EMIT(stage->imp, CM_OP_CTXLOAD, cm_mem(REG_TABLES, plan->layout.rank),
            cm_value(CM_STENCIL_SIDES * a + side));
    for (uint32_t i = 0; i < flow.count; i++) {
        int64_t at = cm_box_at(halo, plan->layout.rank, flow.segments[i].low);
        cm_emit_argument(stage->imp, REG_AT, cm_stencil_source_argument(plan, stage->source, true),
                         at * plan->layout.slices);
        emit_fill(stage, halo, &flow.segments[i], plan->layout.rank);
    }
    cm_imp_emit(stage->imp, CM_OP_CTXALL, NULL, 0);
    return CM_OK;
}

static enum cm_status emit_stage(struct stage *stage, struct cm_error *err)
{
    uint32_t rank = stage->plan->layout.rank;
    enum cm_status status = CM_OK;
    for (uint32_t a = 0; status == CM_OK && a < rank; a++)
        status = schedule_axis(stage, a, err);
    if (status == CM_OK)
        status = emit_exchanges(stage, err);
    for (uint32_t a = 0; a < rank; a++)
        cm_schedule_finish(&stage->schedules[a]);
    for (uint32_t a = 0; status == CM_OK && a < rank; a++)
        for (uint32_t side = 0; side < CM_STENCIL_SIDES; side++)
            status = status == CM_OK ? emit_boundary(stage, a, side, err) : status;
    return status;
}

static bool needs_exchange(const struct cm_stencil_plan *plan)
{
    for (uint32_t s = 0; s < plan->source_count; s++)
        if (plan->sources[s].halo_elements > 0)
            return true;
    return false;
}

enum cm_status cm_stencil_compile_exchange(const struct cm_stencil_plan *plan,
                                           struct cm_compiled *compiled, uint64_t *exchanges,
                                           struct cm_error *err)
{
    uint32_t channels = plan->config->network_channels_per_dimension;
    uint32_t pack = plan->layout.slices < channels ? channels / plan->layout.slices : 1;
    struct cm_imp *imp = NULL;
    enum cm_status status = CM_OK;
    *exchanges = 0;
    for (uint32_t s = 0; s < plan->source_count; s++)
        for (uint32_t n = 0; status == CM_OK && n < plan->layout.rank; n++) {
            struct stage stage = {.plan = plan,
                                  .compiled = compiled,
                                  .imp = imp,
                                  .source = s,
                                  .number = n,
                                  .pack = pack};
            status = emit_stage(&stage, err);
            *exchanges += stage.exchanges;
            imp = stage.imp;
        }
    if (status == CM_OK && imp)
        return cm_compiled_add(compiled, cm_emit_end(imp), err);
    cm_imp_destroy(imp);
    return status;
}

uint32_t cm_stencil_table_words(const struct cm_stencil_plan *plan)
{
    return needs_exchange(plan) ? plan->layout.rank + 1 : 0;
}

static uint32_t slots_of(const struct cm_axis *axis, uint32_t bits)
{
    uint32_t word = 0;
    for (uint32_t side = 0; side < CM_STENCIL_SIDES; side++) {
        struct cm_hops hops;
        cm_hops_find(axis, side == 0 ? 1 : -1, &hops);
        uint32_t out = axis->first_dimension + cm_hop_out(axis, &hops.at[0], bits) + 1;
        uint32_t in = axis->first_dimension + cm_hop_in(axis, &hops.at[0], bits) + 1;
        word |= (out | in << 8) << 16 * side;
    }
    return word;
}

void cm_stencil_fill_tables(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct cm_stencil_plan *plan = context;
    for (uint32_t a = 0; a < plan->layout.rank; a++) {
        const struct cm_axis *axis = &plan->layout.axes[a];
        uint32_t last = (uint32_t)((UINT64_C(1) << axis->node_bits) - 1);
        for (uint32_t node = 0; node < nodes; node++) {
            uint32_t c = cm_layout_coordinate(&plan->layout, node, a);
            uint32_t edges = (c == 0 ? 1 : 0) | (c == last ? 2 : 0);
            if (axis->node_bits > 0 && axis->order == CM_ORDER_NEWS)
                planes[(size_t)a * nodes + node] = slots_of(axis, cm_axis_encode(axis, c));
            planes[(size_t)plan->layout.rank * nodes + node] |= edges << CM_STENCIL_SIDES * a;
        }
    }
}
