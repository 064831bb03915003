/* Plans of PSHIFT: which shifts the IMP performs, the parts of these shifts, their hops and
 * communication tables. This file also has the names of shifts. */
#include "pshift_plan.h"

#include <assert.h>

const char *cm_shift_type_name(enum cm_shift_type type)
{
    static const char *const names[CM_SHIFT_TYPE_COUNT] = {
        "cshift", "eoshift_scalar", "eoshift_array", "eoshift_0", "eoshift_1"};
    assert(type < CM_SHIFT_TYPE_COUNT);
    return names[type];
}

const char *cm_shift_path_name(enum cm_shift_path path)
{
    static const char *const names[] = {"exchange", "router"};
    return (unsigned)path < CM_PATH_COUNT ? names[path] : "?";
}

/* Returns a circular distance reduced to -length/2 .. length/2, which is the shorter direction. */
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

/* Returns the reason why PSHIFT's IMP cannot perform a shift, or NULL if it can. Sets *distance to
 * the shift's distance, reduced if the shift is circular. */
static const char *refusal_of(const struct cm_layout *layout,
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

/* Returns true if the axis has a node that is the source of a part for the node at `coordinate`. */
static bool has_source(const struct cm_axis *axis, const struct cm_axis_part *part,
                       uint32_t coordinate)
{
    int64_t source = (int64_t)coordinate + part->nodes;
    return source >= 0 && source < INT64_C(1) << axis->node_bits;
}

static bool crosses_nodes(const struct cm_axis *axis, const struct cm_axis_part *part)
{
    int64_t nodes = INT64_C(1) << axis->node_bits;
    return part->nodes % nodes != 0;
}

/* Returns true if all places without a source are in parts that cross nodes, so that the wire
 * between the chips can deliver their boundary. */
static bool wire_serves(const struct cm_layout *layout, uint32_t a, int64_t distance)
{
    const struct cm_axis *axis = &layout->axes[a];
    struct cm_axis_part parts[2];
    uint32_t count = cm_axis_parts_find(axis, distance, parts);
    for (uint32_t i = 0; i < count; i++)
        if (parts[i].nodes != 0 && !crosses_nodes(axis, &parts[i]))
            return false;
    return true;
}

/* Returns the constant that the wire between the chips carries in a call: zeros if any shift needs
 * zeros, ones if all end-off shifts need ones (section 4 of the PSHIFT paper). Otherwise it carries
 * nothing. */
static enum cm_wire wire_of_call(const struct cm_pshift_pattern *patterns, uint32_t count)
{
    bool only_ones = true;
    for (uint32_t i = 0; i < count; i++) {
        if (patterns[i].type == CM_SHIFT_EOSHIFT_0)
            return CM_WIRE_ZERO;
        if (patterns[i].type != CM_SHIFT_CSHIFT && patterns[i].type != CM_SHIFT_EOSHIFT_1)
            only_ones = false;
    }
    return only_ones ? CM_WIRE_ONE : CM_WIRE_NONE;
}

/* Returns true if the two words that the wire carries in an exchange are the constant for every
 * unit. This fails for the constant 1 in COMPLEX*16, whose words differ from unit to unit. */
static bool wire_fits(const struct cm_config *config, const struct cm_layout *layout,
                      enum cm_wire wire)
{
    if (wire == CM_WIRE_ONE)
        return layout->slices <= config->network_channels_per_dimension;
    return wire == CM_WIRE_ZERO;
}

static enum cm_wire wire_of_shift(const struct cm_pshift_plan *plan,
                                  const struct cm_pshift_pattern *pattern, int64_t distance,
                                  enum cm_wire call)
{
    enum cm_shift_type wanted = call == CM_WIRE_ONE ? CM_SHIFT_EOSHIFT_1 : CM_SHIFT_EOSHIFT_0;
    if (pattern->type != wanted || !wire_fits(plan->config, &plan->layout, call) ||
        !wire_serves(&plan->layout, pattern->axis, distance))
        return CM_WIRE_NONE;
    return call;
}

/* Returns true if no node has a source for a part, so that all of the part is boundary. */
static bool beyond_everything(const struct cm_axis *axis, const struct cm_axis_part *part)
{
    int64_t nodes = INT64_C(1) << axis->node_bits;
    return part->nodes >= nodes || part->nodes <= -nodes;
}

static void add_job(struct cm_pshift_plan *plan, const struct cm_pshift_pattern *pattern,
                    int64_t distance, enum cm_wire wire)
{
    const struct cm_layout *layout = &plan->layout;
    const struct cm_axis *axis = &layout->axes[pattern->axis];
    struct cm_pshift_job *job = &plan->jobs[plan->job_count++];
    struct cm_axis_part parts[2];
    uint32_t count = cm_axis_parts_find(axis, distance, parts);
    *job = (struct cm_pshift_job){.axis = pattern->axis, .wire = wire};
    for (uint32_t i = 0; i < count; i++) {
        if (pattern->type != CM_SHIFT_CSHIFT && beyond_everything(axis, &parts[i]))
            continue;
        bool crosses = crosses_nodes(axis, &parts[i]);
        struct cm_pshift_part *part =
            crosses ? &job->crossing[job->crossing_count++] : &job->local[job->local_count++];
        part->part = parts[i];
        part->dst = cm_runs_of(layout, pattern->axis, parts[i].first, parts[i].count);
        part->src = cm_runs_of(layout, pattern->axis, parts[i].source, parts[i].count);
        if (crosses)
            cm_hops_find(axis, -parts[i].nodes, &part->hops);
    }
}

void cm_pshift_plan_make(const struct cm_config *config, const struct cm_layout *layout,
                         const struct cm_pshift_pattern *patterns, uint32_t count,
                         struct cm_pshift_plan *plan)
{
    enum cm_wire call = wire_of_call(patterns, count);
    plan->config = config;
    plan->layout = *layout;
    plan->count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct cm_pshift_entry *entry = &plan->entries[i];
        int64_t distance;
        entry->pattern = patterns[i];
        entry->refusal = refusal_of(layout, &patterns[i], &distance);
        if (entry->refusal)
            continue;
        enum cm_wire wire = wire_of_shift(plan, &patterns[i], distance, call);
        entry->third_step = patterns[i].type != CM_SHIFT_CSHIFT && wire == CM_WIRE_NONE;
        add_job(plan, &patterns[i], distance, wire);
    }
}

/* Returns the byte of a communication table that stands for the slot of a dimension. */
static uint32_t slot_byte(const struct cm_axis *axis, uint8_t dimension)
{
    return axis->first_dimension + dimension + 1;
}

/*
 * Returns the byte of a communication table for nodes that read the constant from the wire. If the
 * constant has a single word, it is put into slot 0 of transposer A and arrives in slot `slots / 2`
 * of transposer B, for both words of a unit. Two different words use both directions of the wire,
 * and arrive in slots 0 and `slots / 2` of B.
 */
static uint32_t wire_byte(const struct cm_pshift_plan *plan, const struct cm_pshift_job *job)
{
    bool two_words = job->wire == CM_WIRE_ONE && plan->layout.slices > 1;
    return two_words ? 0 : plan->config->transposer_slots / 2;
}

static void fill_part(const struct cm_pshift_plan *plan, const struct cm_pshift_job *job,
                      uint32_t number, uint32_t *out, uint32_t *in)
{
    const struct cm_axis *axis = &plan->layout.axes[job->axis];
    const struct cm_pshift_part *part = &job->crossing[number];
    for (uint32_t node = 0; node < plan->layout.nodes; node++) {
        uint32_t coordinate = cm_layout_coordinate(&plan->layout, node, job->axis);
        uint32_t bits = cm_axis_encode(axis, coordinate);
        bool from_wire = job->wire != CM_WIRE_NONE && !has_source(axis, &part->part, coordinate);
        for (uint32_t h = 0; h < part->hops.count; h++) {
            const struct cm_hop *hop = &part->hops.at[h];
            uint32_t field = 8 * (2 * number + h);
            uint32_t in_byte = slot_byte(axis, cm_hop_in(axis, hop, bits));
            if (from_wire && h + 1 == part->hops.count)
                in_byte = wire_byte(plan, job);
            out[node] |= slot_byte(axis, cm_hop_out(axis, hop, bits)) << field;
            in[node] |= in_byte << field;
        }
    }
}

void cm_pshift_fill_tables(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct cm_pshift_plan *plan = context;
    for (uint32_t j = 0; j < plan->job_count; j++)
        for (uint32_t i = 0; i < plan->jobs[j].crossing_count; i++) {
            uint32_t *out = planes + (size_t)nodes * j * CM_PSHIFT_TABLE_WORDS;
            fill_part(plan, &plan->jobs[j], i, out, out + nodes);
        }
}
