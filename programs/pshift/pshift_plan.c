/* Planning a PSHIFT: which shifts it takes, their parts, routes and communication tables. */
#include "pshift_compile.h"

#include <string.h>

/* Circular distances reduced to -length/2 .. length/2: the same shift by the shorter way. */
static int64_t reduce(int64_t distance, int64_t length)
{
    distance %= length;
    if (distance < 0)
        distance += length;
    return distance > length / 2 ? distance - length : distance;
}

static bool is_power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

const char *cm_pshift_refusal(const struct cm_layout *layout,
                              const struct cm_pshift_pattern *pattern, int64_t *distance)
{
    const struct cm_axis *axis = &layout->axes[pattern->axis];
    uint64_t length = axis->local_length;
    *distance = pattern->distance;
    if (axis->padded)
        return "the axis is padded";
    if (axis->order == CM_ORDER_SEND)
        return "the axis is in SEND order";
    if (axis->order == CM_ORDER_SERIAL)
        return "the axis is SERIAL";
    if (pattern->type == CM_SHIFT_CSHIFT)
        *distance = reduce(*distance, (int64_t)axis->length);
    uint64_t magnitude = *distance < 0 ? 0 - (uint64_t)*distance : (uint64_t)*distance;
    if (magnitude <= 2 * length)
        return NULL;
    if (magnitude < axis->length && magnitude % length == 0 && is_power_of_two(magnitude / length))
        return NULL;
    return "the distance is neither within twice the local length nor a power of two times it";
}

/* Whether the node at coordinate c has a source for a part: the grid goes on, or the shift is
 * circular. */
static bool has_source(const struct cm_axis *axis, const struct cm_part *part, uint32_t coordinate)
{
    int64_t source = (int64_t)coordinate + part->nodes;
    return source >= 0 && source < INT64_C(1) << axis->node_bits;
}

static bool crosses_nodes(const struct cm_axis *axis, const struct cm_part *part)
{
    int64_t nodes = INT64_C(1) << axis->node_bits;
    return part->nodes % nodes != 0;
}

bool cm_pshift_wire_serves(const struct cm_layout *layout, uint32_t a, int64_t distance)
{
    const struct cm_axis *axis = &layout->axes[a];
    struct cm_part parts[2];
    uint32_t count = cm_parts_find(axis, distance, parts);
    for (uint32_t i = 0; i < count; i++)
        if (parts[i].nodes != 0 && !crosses_nodes(axis, &parts[i]))
            return false;
    return true;
}

/* Whether no node has a source for a part: nothing needs to move, the boundary covers all of it. */
static bool beyond_everything(const struct cm_axis *axis, const struct cm_part *part)
{
    int64_t nodes = INT64_C(1) << axis->node_bits;
    return part->nodes >= nodes || part->nodes <= -nodes;
}

void cm_pshift_plan_add(struct cm_pshift_plan *plan, const struct cm_pshift_pattern *pattern,
                        int64_t distance, enum cm_wire wire)
{
    const struct cm_layout *layout = &plan->layout;
    const struct cm_axis *axis = &layout->axes[pattern->axis];
    struct cm_pshift_job *job = &plan->jobs[plan->count++];
    struct cm_part parts[2];
    uint32_t count = cm_parts_find(axis, distance, parts);
    *job = (struct cm_pshift_job){.axis = pattern->axis,
                                  .distance = distance,
                                  .circular = pattern->type == CM_SHIFT_CSHIFT,
                                  .wire = wire};
    for (uint32_t i = 0; i < count; i++) {
        struct cm_pshift_stream stream = {.part = parts[i]};
        stream.dst = cm_runs_of(layout, pattern->axis, parts[i].first, parts[i].count);
        stream.src = cm_runs_of(layout, pattern->axis, parts[i].source, parts[i].count);
        if (!job->circular && beyond_everything(axis, &parts[i]))
            continue;
        if (crosses_nodes(axis, &parts[i])) {
            cm_hops_find(axis, -parts[i].nodes, &stream.route);
            job->streams[job->stream_count++] = stream;
        } else {
            job->locals[job->local_count++] = stream;
        }
    }
}

/* Slot byte of a hop's dimension. */
static uint32_t slot_byte(const struct cm_axis *axis, uint8_t dimension)
{
    return axis->first_dimension + dimension + 1;
}

/*
 * Where boundary nodes read their constant: zeros come from A slot 0 alone, out of B slot slots / 2
 * for both words of a unit; ones of two different words come over both directions of the wire, out
 * of B slot 0 and slots / 2.
 */
static uint32_t wire_byte(const struct cm_pshift_plan *plan, const struct cm_pshift_job *job,
                          uint32_t slots)
{
    bool two_words = job->wire == CM_WIRE_ONE && plan->layout.slices > 1;
    return two_words ? 0 : slots / 2;
}

static void fill_stream(const struct cm_pshift_plan *plan, const struct cm_pshift_job *job,
                        uint32_t s, uint32_t slots, uint32_t *out, uint32_t *in)
{
    const struct cm_axis *axis = &plan->layout.axes[job->axis];
    const struct cm_pshift_stream *stream = &job->streams[s];
    for (uint32_t node = 0; node < plan->layout.nodes; node++) {
        uint32_t coordinate = cm_layout_coordinate(&plan->layout, node, job->axis);
        uint32_t bits = cm_axis_encode(axis, coordinate);
        bool from_wire = job->wire != CM_WIRE_NONE && !has_source(axis, &stream->part, coordinate);
        for (uint32_t h = 0; h < stream->route.count; h++) {
            const struct cm_hop *hop = &stream->route.hops[h];
            uint32_t field = 8 * (2 * s + h);
            uint32_t in_byte = slot_byte(axis, cm_hop_in(axis, hop, bits));
            if (from_wire && h + 1 == stream->route.count)
                in_byte = wire_byte(plan, job, slots);
            out[node] |= slot_byte(axis, cm_hop_out(axis, hop, bits)) << field;
            in[node] |= in_byte << field;
        }
    }
}

void cm_pshift_fill_tables(const struct cm_pshift_plan *plan, uint32_t slots, uint32_t *planes)
{
    size_t nodes = plan->layout.nodes;
    memset(planes, 0, plan->count * CM_PSHIFT_TABLE_WORDS * nodes * sizeof *planes);
    for (uint32_t j = 0; j < plan->count; j++)
        for (uint32_t s = 0; s < plan->jobs[j].stream_count; s++) {
            uint32_t *out = planes + (size_t)j * CM_PSHIFT_TABLE_WORDS * nodes;
            fill_stream(plan, &plan->jobs[j], s, slots, out, out + nodes);
        }
}
