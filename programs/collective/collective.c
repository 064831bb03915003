/* Reductions, scans and spreads: checks the arguments, computes sizes, compiles ahead of calls, and
 * executes calls. */
#include "../system/cheaper.h"
#include "collective_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t quotient(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Returns the number of items that cross together: enough to use every channel, or all items if
 * there are fewer. */
static uint64_t group_of(uint64_t values, uint32_t words, uint32_t channels)
{
    const uint32_t filling = words % channels == 0 ? 1 : channels;
    return values < filling ? values : filling;
}

uint64_t cm_collective_exchanges(uint64_t values, uint32_t words, uint32_t dimensions,
                                 uint32_t channels)
{
    if (values == 0 || words == 0 || dimensions == 0 || channels == 0)
        return 0;
    const uint64_t group = group_of(values, words, channels);
    return (quotient(values, group) + dimensions - 1) * quotient(group * words, channels);
}

static enum cm_status check_task(const struct cm_collective_task *task, struct cm_error *err)
{
    const struct cm_layout *layout = &task->layout;
    const bool whole = task->axis == CM_COLLECTIVE_WHOLE;
    const bool reduce = task->kind == CM_COLLECTIVE_REDUCE;
    const bool scan = task->kind == CM_COLLECTIVE_SCAN;
    if ((unsigned)task->kind > CM_COLLECTIVE_SCAN)
        return cm_error_set(err, CM_BAD_INPUT, "there is no collective operation %d",
                            (int)task->kind);
    if (task->kind != CM_COLLECTIVE_SPREAD && (unsigned)task->op >= CM_COLLECTIVE_OPS)
        return cm_error_set(err, CM_BAD_INPUT, "there is no operation %d on elements",
                            (int)task->op);
    if (whole ? !reduce : task->axis >= layout->rank)
        return cm_error_set(err, CM_BAD_INPUT, "an array of rank %" PRIu32 " has no such axis",
                            layout->rank);
    if (!whole && !scan && task->place >= layout->axes[task->axis].length &&
        !(reduce && task->place == CM_COLLECTIVE_ALL))
        return cm_error_set(err, CM_BAD_INPUT,
                            "index %" PRIu64 " is beyond axis %" PRIu32 " of length %" PRIu64,
                            task->place, task->axis, layout->axes[task->axis].length);
    if (task->kind == CM_COLLECTIVE_SPREAD)
        return CM_OK;
    if (scan && (task->op == CM_COLLECTIVE_MINLOC || task->op == CM_COLLECTIVE_MAXLOC))
        return cm_error_refuse(err, "reduce finds locations", "%s is not for scans",
                               cm_collective_op_name(task->op));
    if (cm_collective_result_type(task->op, layout->type) == CM_TYPE_COUNT)
        return cm_error_refuse(err,
                               "sum and product take numbers; min, max, minloc and maxloc real "
                               "and int32; and, or, xor int32 and logical; count logical",
                               "%s does not take %s arrays", cm_collective_op_name(task->op),
                               cm_type_name(layout->type));
    if (layout->elements >= CM_COLLECTIVE_NOWHERE)
        return cm_error_refuse(err, "use a smaller shape",
                               "a reduction takes fewer than 2^31 - 1 elements, the array has "
                               "%" PRIu64,
                               layout->elements);
    return CM_OK;
}

/* Assigns table words that say which places of padded axes exist. Returns the number of words of
 * the table. */
static uint64_t place_present(struct cm_collective *own)
{
    const struct cm_layout *layout = &own->task.layout;
    uint64_t words = TABLE_BASE + layout->rank;
    for (uint32_t a = 0; own->task.kind != CM_COLLECTIVE_SPREAD && a < layout->rank; a++) {
        if (!layout->axes[a].padded ||
            (own->task.axis != CM_COLLECTIVE_WHOLE && own->task.axis != a))
            continue;
        own->present[a] = words;
        words += layout->axes[a].local_length;
    }
    return words;
}

/* Returns true if groups of items may rest for a step between dimensions. Resting can pay if
 * exchanges overlap other work and there are many steps. It needs an operation with short code,
 * because there are many different steps. */
static bool rests(const struct cm_config *config, const struct cm_collective *own)
{
    return config->exchange_overlap != 0 && !own->item.ordered && !own->item.located &&
           !own->item.flagged && own->dimensions > 1 &&
           quotient(own->values, own->group) >= 2 * (uint64_t)own->dimensions;
}

/* Computes the sizes that follow from the arguments of the operation. */
static void measure(const struct cm_config *config, struct cm_collective *own)
{
    const struct cm_layout *layout = &own->task.layout;
    const uint32_t channels = config->network_channels_per_dimension;
    uint64_t items;
    if (own->task.axis == CM_COLLECTIVE_WHOLE) {
        own->dimensions = layout->used_bits;
        own->values = 1;
        items = layout->local_elements / layout->axes[0].local_length;
    } else {
        const struct cm_axis *axis = &layout->axes[own->task.axis];
        own->first_dimension = axis->first_dimension;
        own->dimensions = axis->node_bits;
        own->values = items = layout->local_elements / axis->local_length;
    }
    own->group = group_of(own->values, own->item.words, channels);
    own->group_words = own->group * own->item.words;
    own->group_exchanges = quotient(own->group_words, channels);
    own->items_room = quotient(items, own->group) * own->group_words;
    own->arrivals = own->items_room * (own->task.kind == CM_COLLECTIVE_SCAN ? 2 : 1);
    own->work_words = own->arrivals + own->dimensions * own->group_words;
}

/* Sets the form of the code (`lag` and `overlap`), and the number of exchanges, which depends on
 * the form. */
static void set_form(const struct cm_config *config, struct cm_collective *own, uint32_t lag,
                     bool overlap)
{
    own->lag = lag;
    own->overlap = overlap;
    own->exchanges = cm_collective_exchanges(own->values, own->item.words, own->dimensions,
                                             config->network_channels_per_dimension);
    if (lag > 1)
        own->exchanges += (own->dimensions - 1) * own->group_exchanges;
}

static void fill_node(const struct cm_collective *own, uint32_t node, uint32_t nodes,
                      uint32_t *planes)
{
    const struct cm_layout *layout = &own->task.layout;
    const bool whole = own->task.axis == CM_COLLECTIVE_WHOLE;
    uint64_t scale = 1;
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        const uint32_t coordinate = cm_layout_coordinate(layout, node, a);
        const uint64_t first = coordinate * axis->local_length;
        const bool begins = a == (whole ? 0 : own->task.axis);
        const uint32_t last = (UINT32_C(1) << axis->node_bits) - 1;
        const uint32_t order = own->task.downward ? last - coordinate : coordinate;
        planes[TABLE_UPPER * nodes + node] |= order << axis->first_dimension;
        planes[(TABLE_BASE + a) * nodes + node] = (uint32_t)(first * scale + begins);
        for (uint64_t i = 0; own->present[a] != 0 && i < axis->local_length; i++)
            planes[(own->present[a] + i) * nodes + node] = first + i < axis->length;
        if (whole)
            scale *= axis->length;
    }
}

/* Fills the table word TABLE_PLACE: how the node differs from the node that holds the place. */
static void fill_place(const struct cm_collective *own, uint32_t node, uint32_t *word)
{
    const struct cm_axis *axis = &own->task.layout.axes[own->task.axis];
    const uint32_t mask = (UINT32_C(1) << axis->node_bits) - 1;
    const uint32_t at = cm_axis_encode(axis, (uint32_t)(own->task.place / axis->local_length));
    const uint32_t differs = (node >> axis->first_dimension & mask) ^ at;
    *word = differs << axis->first_dimension;
    if (differs == 0)
        *word |= UINT32_C(1) << PLACE_BIT;
}

/* Fills the tables. This function is a cm_table_fill. */
static void fill_tables(const void *context, uint32_t nodes, uint32_t *planes)
{
    const struct cm_collective *own = context;
    for (uint32_t node = 0; node < nodes; node++) {
        fill_node(own, node, nodes, planes);
        if (own->task.axis != CM_COLLECTIVE_WHOLE && own->task.kind != CM_COLLECTIVE_SCAN &&
            own->task.place != CM_COLLECTIVE_ALL)
            fill_place(own, node, &planes[TABLE_PLACE * nodes + node]);
    }
}

/* Elements of a node, and the items that correspond to them, in rows of `row` neighbours. */
struct rows {
    uint64_t row, outers, length;
    uint32_t words;      /* number of words of an element */
    uint32_t item_words; /* number of words of an item, whose last words are the element's */
};

static struct rows rows_of(const struct cm_collective *own)
{
    const struct cm_layout *layout = &own->task.layout;
    const struct cm_axis *axis = &layout->axes[own->task.axis];
    return (struct rows){.row = axis->stride,
                         .outers = own->values / axis->stride,
                         .length = axis->local_length,
                         .words = cm_type_slices(own->result),
                         .item_words = own->item.words};
}

/* Emits the move of a row of items to elements, or of a row of elements to items. */
static void emit_row(struct cm_collective_compiler *c, const struct rows *rows, struct cm_place to,
                     struct cm_place from)
{
    const bool dense = rows->words == rows->item_words;
    const uint64_t count = dense ? rows->row * rows->words : rows->row;
    CM_EMIT(c->imp, CM_OP_MOVE, cm_mem(to.reg, to.offset), cm_mem(from.reg, from.offset),
            cm_value((int64_t)count), cm_value(1), cm_value(dense ? 1 : rows->item_words));
}

/* Emits the move of one item to all places of a column whose elements are neighbours. */
static void emit_column(struct cm_collective_compiler *c, const struct rows *rows,
                        struct cm_place from)
{
    for (uint32_t word = 0; word < rows->words; word++)
        CM_EMIT(c->imp, CM_OP_MOVE, cm_mem(REG_OUT, word), cm_mem(from.reg, from.offset + word),
                cm_value((int64_t)rows->length), cm_value(rows->words), cm_value(0));
    cm_emit_advance(c->imp, REG_OUT, (int64_t)(rows->length * rows->words));
}

/* Emits the moves of the items to all places along the axis. */
static void emit_to_all(struct cm_collective_compiler *c)
{
    const struct rows rows = rows_of(c->own);
    const struct cm_place from = {REG_ITEMS, rows.item_words - rows.words};
    const int64_t row_words = (int64_t)(rows.row * rows.words);
    cm_emit_point(c->imp, REG_ITEMS, ADDRESS_WORK, 0);
    cm_emit_point(c->imp, REG_OUT, ADDRESS_DST, 0);
    uint32_t outer = cm_emit_begin_loop(c, rows.outers);
    if (rows.row == 1) {
        emit_column(c, &rows, from);
    } else {
        uint32_t inner = cm_emit_begin_loop(c, rows.length);
        emit_row(c, &rows, (struct cm_place){REG_OUT, 0}, from);
        cm_emit_advance(c->imp, REG_OUT, row_words);
        cm_emit_end_loop(c, rows.length, inner);
    }
    cm_emit_advance(c->imp, REG_ITEMS, (int64_t)(rows.row * rows.item_words));
    cm_emit_end_loop(c, rows.outers, outer);
}

/* Emits moves at one place of the axis: from the items to the elements there, in the node that
 * holds the place, or from the elements there to the items, in every node. */
static void emit_at_place(struct cm_collective_compiler *c, bool to_items)
{
    const struct rows rows = rows_of(c->own);
    const uint64_t local = c->own->task.place % rows.length;
    const struct cm_place items = {REG_ITEMS, to_items ? 0 : rows.item_words - rows.words};
    const struct cm_place elements = {REG_OUT, (int64_t)(local * rows.row * rows.words)};
    if (!to_items)
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, TABLE_PLACE), cm_value(PLACE_BIT));
    cm_emit_point(c->imp, REG_ITEMS, ADDRESS_WORK, 0);
    cm_emit_point(c->imp, REG_OUT, to_items ? ADDRESS_SRC : ADDRESS_DST, 0);
    uint32_t outer = cm_emit_begin_loop(c, rows.outers);
    emit_row(c, &rows, to_items ? items : elements, to_items ? elements : items);
    cm_emit_advance(c->imp, REG_OUT, (int64_t)(rows.length * rows.row * rows.words));
    cm_emit_advance(c->imp, REG_ITEMS, (int64_t)(rows.row * rows.item_words));
    cm_emit_end_loop(c, rows.outers, outer);
}

/* Emits code that sets the index to 0 in items that hold no element. */
static void emit_nowhere(struct cm_collective_compiler *c)
{
    const struct cm_operand index = cm_mem(REG_ITEMS, c->item->words - 1);
    cm_emit_point(c->imp, REG_ITEMS, ADDRESS_WORK, 0);
    uint32_t loop = cm_emit_begin_loop(c, c->own->values);
    CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(FPU_FREE), index);
    CM_EMIT(c->imp, CM_OP_IEQ, cm_reg(FPU_FREE), cm_reg(FPU_NOWHERE));
    cm_emit(c, CM_OP_FSEL32, FPU_FREE, FPU_ZERO, FPU_FREE);
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    CM_EMIT(c->imp, CM_OP_FSTORE32, index, cm_reg(FPU_FREE));
    cm_emit_advance(c->imp, REG_ITEMS, c->item->words);
    cm_emit_end_loop(c, c->own->values, loop);
}

static void emit_reduce(struct cm_collective_compiler *c)
{
    cm_emit_constants(c);
    cm_emit_folds(c);
    cm_emit_cube(c);
    if (c->item->located)
        emit_nowhere(c);
    if (c->own->task.axis == CM_COLLECTIVE_WHOLE)
        return;
    if (c->own->task.place == CM_COLLECTIVE_ALL)
        emit_to_all(c);
    else
        emit_at_place(c, false);
}

static void emit_spread(struct cm_collective_compiler *c)
{
    emit_at_place(c, true);
    cm_emit_cube(c);
    emit_to_all(c);
}

static void emit_whole_scan(struct cm_collective_compiler *c)
{
    cm_emit_constants(c);
    cm_emit_scan(c);
    cm_emit_cube(c);
    cm_emit_apply(c);
}

#define ARGUMENT_NAMES "src dst mask segments tables work"

static struct cm_imp *compile(const struct cm_config *config, const struct cm_collective *own)
{
    static const struct {
        const char *name;
        void (*emit)(struct cm_collective_compiler *c);
    } kinds[] = {
        [CM_COLLECTIVE_REDUCE] = {"reduce", emit_reduce},
        [CM_COLLECTIVE_SPREAD] = {"spread", emit_spread},
        [CM_COLLECTIVE_SCAN] = {"scan", emit_whole_scan},
    };
    struct cm_collective_compiler c = {
        .imp = cm_emit_begin(kinds[own->task.kind].name, ARGUMENT_NAMES),
        .config = config,
        .own = own,
        .item = &own->item};
    if (c.imp)
        kinds[own->task.kind].emit(&c);
    return cm_emit_end(c.imp);
}

/* Compiles the IMP that stores the value of a reduction of the whole array in an array of one
 * element. */
static struct cm_imp *compile_store(const struct cm_collective *own)
{
    const uint32_t words = cm_type_slices(own->result);
    struct cm_imp *imp = cm_emit_begin("store", ARGUMENT_NAMES);
    if (imp)
        cm_emit_move(imp, (struct cm_place){ADDRESS_DST, 0},
                     (struct cm_place){ADDRESS_WORK, own->item.words - words}, words);
    return cm_emit_end(imp);
}

/* Compiles another form of the code and compares its cycles with those of `best`, which has the
 * form of *own. Returns the cheaper IMP. */
static struct cm_imp *try_form(struct cm_system *system, struct cm_collective *own, uint32_t lag,
                               bool overlap, struct cm_imp *best)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const struct cm_layout *layout = &own->task.layout;
    struct cm_collective other = *own;
    struct cm_actual actuals[ARGUMENTS] = {[ADDRESS_TABLES] = {.address = own->compiled->table},
                                           [ADDRESS_WORK] = {.address = own->work}};
    for (unsigned i = ADDRESS_SRC; i < ADDRESS_TABLES; i++)
        actuals[i].address = i * layout->local_words;
    set_form(config, &other, lag, overlap);
    struct cm_imp *imp = compile(config, &other);
    if (best == NULL || imp == NULL)
        return best;
    struct cm_imp *cheaper = cm_cheaper_imp(system, best, imp, actuals);
    if (cheaper == imp)
        set_form(config, own, lag, overlap);
    return cheaper;
}

/* Compiles the cheapest form of the code. It is the plain form, or one that overlaps exchanges with
 * other work, if the machine can do so. */
static struct cm_imp *compile_cheapest(struct cm_system *system, struct cm_collective *own)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    set_form(config, own, 1, false);
    struct cm_imp *imp = compile(config, own);
    if (config->exchange_overlap == 0)
        return imp;
    imp = try_form(system, own, 1, true, imp);
    return rests(config, own) ? try_form(system, own, 2, true, imp) : imp;
}

static enum cm_status make(struct cm_system *system, struct cm_collective *own,
                           struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const uint64_t table_words = place_present(own);
    measure(config, own);
    enum cm_status status = cm_compiled_table(
        system, own->compiled,
        &(struct cm_table_request){table_words, "the tables of a collective operation", fill_tables,
                                   own},
        err);
    if (status == CM_OK)
        status = cm_heap_allocate(system->heap, CM_HEAP_TABLES, own->work_words,
                                  "the work area of a collective operation", &own->work, err);
    if (status != CM_OK)
        own->work_words = 0;
    if (status == CM_OK)
        status = cm_compiled_add(own->compiled, compile_cheapest(system, own), err);
    if (status == CM_OK && own->task.axis == CM_COLLECTIVE_WHOLE)
        status = cm_compiled_add(own->compiled, compile_store(own), err);
    return status == CM_OK ? cm_compiled_try(system, own->compiled, err) : status;
}

enum cm_status cm_collective_setup(struct cm_system *system, const struct cm_collective_task *task,
                                   struct cm_collective **collective, struct cm_error *err)
{
    *collective = NULL;
    enum cm_status status = check_task(task, err);
    if (status != CM_OK)
        return status;
    struct cm_collective *own = calloc(1, sizeof *own);
    struct cm_compiled *compiled = calloc(1, sizeof *compiled);
    if (!own || !compiled) {
        free(own);
        free(compiled);
        return cm_error_no_memory(err);
    }
    own->task = *task;
    own->compiled = compiled;
    if (task->kind != CM_COLLECTIVE_SPREAD) {
        own->result = cm_collective_result_type(task->op, task->layout.type);
        cm_item_init(task->op, task->layout.type, task->segmented, &own->item);
    } else {
        own->result = task->layout.type;
        own->item.words = task->layout.slices;
    }
    status = make(system, own, err);
    if (status == CM_OK)
        *collective = own;
    else
        cm_collective_deallocate(system, own);
    return status;
}

void cm_collective_deallocate(struct cm_system *system, struct cm_collective *collective)
{
    if (!collective)
        return;
    if (collective->work_words > 0)
        cm_heap_free(system->heap, collective->work);
    cm_compiled_drop(system, collective->compiled);
    free(collective);
}

static enum cm_status expect_layout(const struct cm_layout *model, enum cm_type type,
                                    const struct cm_array *array, const char *role,
                                    struct cm_error *err)
{
    struct cm_layout wanted = *model;
    if (!array)
        return cm_error_set(err, CM_BAD_INPUT, "the %s of a collective operation is missing", role);
    wanted.type = type;
    if (cm_layout_equal(&wanted, &array->layout) && !cm_array_is_allocated(array))
        return CM_OK;
    return cm_error_refuse(err, "arrays of one call need one shape and layout",
                           "the %s \"%s\" is not a %s array laid out as its setup says", role,
                           array->name, cm_type_name(type));
}

static enum cm_status check_arrays(const struct cm_collective *own,
                                   const struct cm_collective_arrays *arrays, struct cm_error *err)
{
    const struct cm_layout *layout = &own->task.layout;
    enum cm_status status = expect_layout(layout, layout->type, arrays->src, "source", err);
    if (status == CM_OK && own->task.masked)
        status = expect_layout(layout, CM_TYPE_LOGICAL, arrays->mask, "mask", err);
    if (status == CM_OK && own->task.segmented)
        status = expect_layout(layout, CM_TYPE_LOGICAL, arrays->segments, "segments", err);
    if (status == CM_OK && own->task.kind == CM_COLLECTIVE_SCAN && arrays->dst &&
        (arrays->dst == arrays->segments || arrays->dst == arrays->mask))
        return cm_error_refuse(err, "use another array for the result",
                               "\"%s\" is the destination of a scan and its mask or segments",
                               arrays->dst->name);
    if (status == CM_OK && own->task.axis != CM_COLLECTIVE_WHOLE)
        return expect_layout(layout, own->result, arrays->dst, "destination", err);
    if (status == CM_OK && arrays->dst &&
        (arrays->dst->layout.elements != 1 || arrays->dst->layout.type != own->result))
        return cm_error_refuse(err, "declare it with \"shape\": [1]",
                               "the destination \"%s\" of a whole reduction is not a %s array of "
                               "one element",
                               arrays->dst->name, cm_type_name(own->result));
    return status;
}

/* Reads the result from the item of node 0, which all nodes have. */
static enum cm_status read_value(struct cm_system *system, const struct cm_collective *own,
                                 struct cm_collective_value *value, struct cm_error *err)
{
    const uint32_t words = cm_type_slices(own->result), before = own->item.words - words;
    struct cm_planes planes;
    *value = (struct cm_collective_value){.type = own->result};
    if (cm_machine_timing_only(system->machine))
        return CM_OK;
    enum cm_status status =
        cm_machine_planes(system->machine, own->work, own->item.words, &planes, err);
    for (uint32_t w = 0; status == CM_OK && w < words; w++)
        value->bits.words[w] = *cm_planes_word(&planes, before + w, 0);
    for (uint32_t w = 0; status == CM_OK && w < before; w++)
        value->extreme.words[w] = *cm_planes_word(&planes, w, 0);
    return status;
}

enum cm_status cm_collective_call(struct cm_system *system, const struct cm_collective *collective,
                                  const struct cm_collective_arrays *arrays,
                                  struct cm_collective_value *value, struct cm_error *err)
{
    const struct cm_compiled *compiled = collective->compiled;
    const bool whole = collective->task.axis == CM_COLLECTIVE_WHOLE;
    enum cm_status status = check_arrays(collective, arrays, err);
    if (status != CM_OK)
        return status;
    const struct cm_actual actuals[ARGUMENTS] = {
        [ADDRESS_SRC] = {.address = arrays->src->address},
        [ADDRESS_DST] = {.address = arrays->dst ? arrays->dst->address : 0},
        [ADDRESS_MASK] = {.address = collective->task.masked ? arrays->mask->address : 0},
        [ADDRESS_SEGMENTS] = {.address =
                                  collective->task.segmented ? arrays->segments->address : 0},
        [ADDRESS_TABLES] = {.address = compiled->table},
        [ADDRESS_WORK] = {.address = collective->work},
    };
    status = cm_system_run_overlay(system, compiled->imps.items[0], actuals, CM_ENTRY_IMP, err);
    if (status == CM_OK && whole && arrays->dst)
        status =
            cm_system_run_overlay(system, compiled->imps.items[1], actuals, CM_ENTRY_CHAINED, err);
    if (status == CM_OK && whole && value && !arrays->dst)
        cm_machine_wait(system->machine);
    if (status == CM_OK && whole && value)
        status = read_value(system, collective, value, err);
    return status;
}

struct cm_collective_info cm_collective_info(const struct cm_collective *collective)
{
    return (struct cm_collective_info){
        .values = collective->values,
        .dimensions = collective->dimensions,
        .exchanges = collective->exchanges,
        .sram_words = cm_compiled_words(collective->compiled),
        .table_words = collective->compiled->table_words,
        .work_words = collective->work_words,
    };
}

const struct cm_imp *cm_collective_imp(const struct cm_collective *collective, uint32_t i)
{
    const struct cm_compiled *compiled = collective->compiled;
    return i < compiled->imps.count ? compiled->imps.items[i] : NULL;
}
