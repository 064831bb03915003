/*
 * Fills halos of the lattice: the layers of the boxes that hold the sites of neighbours.
 *
 * In direction mu every node sends its first up layer to the node before it, and its last down
 * layer to the node after it. All four axes and both directions share the exchanges. The transfers
 * of an exchange and the slots are as in PSHIFT (system/schedule.c, system/exchanges.c). Along an
 * axis that is in one node, the layers are copied from the other end of the node.
 */
#include "../system/exchanges.h"
#include "../system/schedule.h"
#include "qcd_private.h"

#include <stdlib.h>

#define REG_TABLES   CM_EXCHANGE_POINTERS
#define REG_TO       0u
#define REG_FROM     1u
#define UNROLL_SHARE 8u /* divisor: unrolled exchanges take at most 1 / UNROLL_SHARE of the SRAM */

enum { UP, DOWN, SIDES };

struct halo {
    struct cm_qcd *own;
    struct cm_imp *imp;
    uint32_t channels;
    uint64_t site_words;
    struct cm_schedule schedules[AXES];
    uint64_t exchanges;
};

static const struct cm_qcd_box *box_of(const struct cm_qcd *own, uint32_t mu, uint32_t side)
{
    return side == UP ? &own->up[mu] : &own->down[mu];
}

static uint32_t argument_of(uint32_t mu, uint32_t side)
{
    return (side == UP ? (uint32_t)ARGUMENT_UP : (uint32_t)ARGUMENT_DOWN) + mu;
}

/* Returns the offset in words of the layer that is sent or, if `receives`, of the layer that is
 * received. */
static int64_t layer_at(const struct cm_qcd *own, uint32_t mu, uint32_t side, bool receives)
{
    const struct cm_qcd_box *box = box_of(own, mu, side);
    const int64_t length = (int64_t)own->axes[mu].local_length, stride = (int64_t)box->stride[mu];
    int64_t layer = side == UP ? 0 : length - 1;
    if (receives)
        layer = side == UP ? length : -1;
    return (int64_t)box->origin + layer * stride;
}

static uint64_t layer_sites(const struct cm_qcd *own, uint32_t mu)
{
    uint64_t sites = 1;
    for (uint32_t a = 0; a < AXES; a++)
        sites *= a == mu ? 1 : own->axes[a].local_length;
    return sites;
}

/* Returns the offset in words of a site from the beginning of its layer. */
static int64_t site_at(const struct cm_qcd *own, uint32_t mu, uint32_t side, uint64_t site)
{
    const struct cm_qcd_box *box = box_of(own, mu, side);
    uint64_t offset = 0;
    for (uint32_t a = 0; a < AXES; a++) {
        if (a == mu)
            continue;
        offset += site % own->axes[a].local_length * box->stride[a];
        site /= own->axes[a].local_length;
    }
    return (int64_t)offset;
}

static void add_transfer(const struct halo *halo, uint32_t mu, const struct cm_transfer *transfer,
                         enum cm_op op, struct cm_exchange_steps *steps)
{
    const uint32_t side = transfer->flow;
    const bool receives = op == CM_OP_UNLOADI;
    const uint64_t units = halo->site_words / halo->channels;
    const int64_t offset = layer_at(halo->own, mu, side, receives) +
                           site_at(halo->own, mu, side, transfer->unit / units) +
                           (int64_t)(transfer->unit % units * halo->channels);
    for (uint32_t w = 0; w < halo->channels; w++) {
        const struct cm_exchange_step step = {
            .offset = offset + w,
            .table = mu,
            .op = (uint8_t)op,
            .pointer = (uint8_t)(2 * (SIDES * mu + side) + receives),
            .field = (uint8_t)(2 * side + receives),
            .half = (uint8_t)(transfer->half + w),
        };
        cm_list_push(steps, step);
    }
}

static void add_transfers(void *context, uint64_t exchange, enum cm_op op,
                          struct cm_exchange_steps *steps)
{
    const struct halo *halo = context;
    for (uint32_t mu = 0; mu < AXES; mu++) {
        const struct cm_schedule *schedule = &halo->schedules[mu];
        if (exchange >= schedule->exchanges)
            continue;
        for (uint64_t i = schedule->starts[exchange]; i < schedule->starts[exchange + 1]; i++)
            add_transfer(halo, mu, &schedule->transfers[i], op, steps);
    }
}

static void emit_pointers(void *context, const int64_t start[CM_EXCHANGE_POINTERS])
{
    const struct halo *halo = context;
    for (uint32_t mu = 0; mu < AXES; mu++)
        for (uint32_t side = 0; side < SIDES && halo->own->axes[mu].node_bits > 0; side++)
            for (uint32_t receives = 0; receives < 2; receives++) {
                const uint32_t pointer = 2 * (SIDES * mu + side) + receives;
                cm_emit_argument(halo->imp, pointer, argument_of(mu, side), start[pointer]);
            }
}

/* Schedules the transfers of both directions along an axis: in which exchange each unit of words
 * crosses. */
static enum cm_status schedule_axis(struct halo *halo, uint32_t mu, struct cm_error *err)
{
    const struct cm_axis *axis = &halo->own->axes[mu];
    struct cm_flow flows[SIDES];
    for (uint32_t side = 0; side < SIDES; side++) {
        flows[side].elements = layer_sites(halo->own, mu) * (halo->site_words / halo->channels);
        cm_hops_find(axis, side == UP ? -1 : 1, &flows[side].hops);
    }
    enum cm_status status = cm_schedule_create(
        &(struct cm_schedule_request){axis, flows, axis->node_bits > 0 ? SIDES : 0, halo->channels,
                                      halo->channels},
        &halo->schedules[mu], err);
    if (halo->exchanges < halo->schedules[mu].exchanges)
        halo->exchanges = halo->schedules[mu].exchanges;
    return status;
}

static uint64_t unrolled_words(const struct halo *halo)
{
    const uint64_t words = cm_op_words(CM_OP_LOADI) + cm_op_words(CM_OP_UNLOADI);
    uint64_t sum = halo->exchanges * cm_op_words(CM_OP_EXCHANGE);
    for (uint32_t mu = 0; mu < AXES; mu++)
        sum += halo->schedules[mu].transfer_count * halo->channels * words;
    return sum;
}

static enum cm_status emit_exchanges(struct halo *halo, struct cm_error *err)
{
    const struct cm_config *config = halo->own->config;
    const struct cm_exchanges exchanges = {.imp = halo->imp,
                                           .count = halo->exchanges,
                                           .tables = REG_TABLES,
                                           .transfers = add_transfers,
                                           .point = emit_pointers,
                                           .context = halo};
    if (halo->exchanges == 0)
        return CM_OK;
    cm_emit_argument(halo->imp, REG_TABLES, ARGUMENT_TABLES, 0);
    if (unrolled_words(halo) > config->sequencer_sram_words / UNROLL_SHARE)
        return cm_exchanges_looped(&exchanges, config->sequencer_loop_depth, err);
    cm_exchanges_unrolled(&exchanges);
    return CM_OK;
}

/* Emits the copy of a layer from the other end of the node. The copies are runs along the first
 * axis, in loops over the other axes. */
static void emit_wrap(const struct halo *halo, uint32_t mu, uint32_t side)
{
    const struct cm_qcd *own = halo->own;
    const struct cm_qcd_box *box = box_of(own, mu, side);
    struct cm_imp *imp = halo->imp;
    const uint64_t run = mu == 0 ? 1 : own->axes[0].local_length;
    uint32_t loops[AXES] = {0};
    cm_emit_argument(imp, REG_TO, argument_of(mu, side), layer_at(own, mu, side, true));
    cm_emit_argument(imp, REG_FROM, argument_of(mu, side), layer_at(own, mu, side, false));
    for (uint32_t a = AXES; a-- > 1;)
        if (a != mu)
            loops[a] = CM_EMIT(imp, CM_OP_LOOP, cm_value((int64_t)own->axes[a].local_length));
    cm_emit_move(imp, (struct cm_place){REG_TO, 0}, (struct cm_place){REG_FROM, 0},
                 run * halo->site_words);
    for (uint32_t a = 1, below = 0; a < AXES; a++) {
        if (a == mu)
            continue;
        const int64_t back =
            below == 0 ? 0 : (int64_t)(own->axes[below].local_length * box->stride[below]);
        cm_emit_advance(imp, REG_TO, (int64_t)box->stride[a] - back);
        cm_emit_advance(imp, REG_FROM, (int64_t)box->stride[a] - back);
        cm_emit_next(imp, loops[a]);
        below = a;
    }
}

enum cm_status cm_qcd_compile_halo(struct cm_qcd *own, struct cm_compiled *compiled,
                                   struct cm_error *err)
{
    struct halo halo = {.own = own,
                        .imp = cm_qcd_begin("qcd_halo"),
                        .channels = own->config->network_channels_per_dimension,
                        .site_words = (uint64_t)own->spins * 2 * COLOURS * own->part_words};
    enum cm_status status = halo.imp ? CM_OK : cm_error_no_memory(err);
    for (uint32_t mu = 0; status == CM_OK && mu < AXES; mu++)
        status = schedule_axis(&halo, mu, err);
    if (status == CM_OK)
        status = emit_exchanges(&halo, err);
    for (uint32_t mu = 0; mu < AXES; mu++)
        cm_schedule_finish(&halo.schedules[mu]);
    own->halo_exchanges = halo.exchanges;
    for (uint32_t mu = 0; status == CM_OK && mu < AXES; mu++)
        for (uint32_t side = 0; own->axes[mu].node_bits == 0 && side < SIDES; side++)
            emit_wrap(&halo, mu, side);
    if (status == CM_OK)
        return cm_compiled_add(compiled, cm_emit_end(halo.imp), err);
    cm_imp_destroy(halo.imp);
    return status;
}

void cm_qcd_fill_tables(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct cm_qcd *own = context;
    for (uint32_t mu = 0; mu < AXES; mu++) {
        const struct cm_axis *axis = &own->axes[mu];
        const uint32_t mask = (UINT32_C(1) << axis->node_bits) - 1;
        for (uint32_t node = 0; axis->node_bits > 0 && node < nodes; node++)
            for (uint32_t side = 0; side < SIDES; side++) {
                const uint32_t bits = node >> axis->first_dimension & mask;
                struct cm_hops hops;
                cm_hops_find(axis, side == UP ? -1 : 1, &hops);
                const uint32_t out = axis->first_dimension + cm_hop_out(axis, &hops.at[0], bits);
                const uint32_t in = axis->first_dimension + cm_hop_in(axis, &hops.at[0], bits);
                planes[(size_t)mu * nodes + node] |=
                    (cm_hop_sends(own->config, out) | cm_hop_sends(own->config, in) << 8)
                    << 16 * side;
            }
    }
}
