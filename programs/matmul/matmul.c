/* Products of matrices: checks the arguments, compiles ahead of calls, and executes calls. */
#include "matmul_private.h"

#include <inttypes.h>
#include <stdlib.h>

const char *cm_matmul_algorithm_name(enum cm_matmul_algorithm algorithm)
{
    static const char *const names[CM_MATMUL_ALGORITHMS] = {"auto", "cannon", "broadcast",
                                                            "alltoall"};
    return names[algorithm];
}

static enum cm_status check_layouts(const struct cm_matmul_task *task, struct cm_error *err)
{
    const struct cm_layout *a = &task->a, *b = &task->b, *c = &task->c;
    if (a->rank != 2 || b->rank != 2 || c->rank != 2)
        return cm_error_refuse(err, "matrices have two axes",
                               "arrays of rank %" PRIu32 ", %" PRIu32 " and %" PRIu32
                               " in a matrix product",
                               a->rank, b->rank, c->rank);
    if (c->type == CM_TYPE_LOGICAL || a->type != c->type || b->type != c->type)
        return cm_error_refuse(err, "all three take one type: real, complex or int32",
                               "a matrix product of %s and %s to %s", cm_type_name(a->type),
                               cm_type_name(b->type), cm_type_name(c->type));
    if (a->axes[0].length != c->axes[0].length || a->axes[1].length != b->axes[0].length ||
        b->axes[1].length != c->axes[1].length)
        return cm_error_refuse(err, "m x k times k x n gives m x n",
                               "a product of %" PRIu64 " x %" PRIu64 " and %" PRIu64 " x %" PRIu64
                               " to %" PRIu64 " x %" PRIu64,
                               a->axes[0].length, a->axes[1].length, b->axes[0].length,
                               b->axes[1].length, c->axes[0].length, c->axes[1].length);
    return CM_OK;
}

/* Refuses a product that needs copies by the router, if only some of the nodes hold the result.
 * Nodes above the used bits hold copies of it, and the router does not fill their work areas. */
static enum cm_status check_plan(const struct cm_matmul *own, struct cm_error *err)
{
    if (own->task.c.used_bits == own->task.c.node_bits ||
        (own->sides[0].aligned && own->sides[1].aligned))
        return CM_OK;
    return cm_error_refuse(err, "make an axis of the result news or send",
                           "the result has serial axes only, and the factors are spread over the "
                           "nodes");
}

/* Emits the copy of a side's block to its work area. B is transposed. */
static void emit_copy(struct cm_matmul_compiler *c, uint32_t number)
{
    const struct cm_side *side = &c->own->sides[number];
    const int64_t words = c->own->task.c.slices;
    const int64_t line = (int64_t)side->across.local_length,
                  depth = (int64_t)side->along.local_length;
    if (number == 0) {
        cm_emit_move(c->imp, (struct cm_place){ADDRESS_WORK, 0},
                     (struct cm_place){ADDRESS_SOURCE, 0}, (uint64_t)(line * depth * words));
        return;
    }
    cm_emit_point(c->imp, REG_STREAM, ADDRESS_WORK + 1, 0);
    cm_emit_point(c->imp, REG_STREAM + 1, ADDRESS_SOURCE + 1, 0);
    const uint32_t loop = cm_matmul_loop(c->imp, (uint64_t)depth);
    for (int64_t s = 0; s < words; s++)
        CM_EMIT(c->imp, CM_OP_MOVE, cm_mem(REG_STREAM, s), cm_mem(REG_STREAM + 1, s),
                cm_value(line), cm_value(words), cm_value(depth * words));
    cm_emit_advance(c->imp, REG_STREAM, line * words);
    cm_emit_advance(c->imp, REG_STREAM + 1, words);
    cm_matmul_next(c->imp, (uint64_t)depth, loop);
}

static void emit_zeros(struct cm_matmul_compiler *c, struct cm_place to, uint64_t words)
{
    CM_EMIT(c->imp, CM_OP_MOVE, cm_mem(to.reg, to.offset), cm_mem(ADDRESS_TABLES, TABLE_ZERO),
            cm_value((int64_t)words), cm_value(1), cm_value(0));
}

/* Emits stores of zeros to the padding along k, which is multiplied like other elements. The result
 * c + 0 * 0 is c, because c is never -0. */
static void emit_padding(struct cm_matmul_compiler *c, uint32_t number)
{
    const struct cm_side *side = &c->own->sides[number];
    const uint64_t line = side->across.local_length * c->own->task.c.slices;
    for (uint32_t r = 0; r < side->padding_count; r++) {
        CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, TABLE_MASKS),
                cm_value(PADDING_BIT(number, r)));
        emit_zeros(
            c, (struct cm_place){ADDRESS_WORK + number, (int64_t)(side->padding[r].first * line)},
            side->padding[r].count * line);
    }
    if (side->padding_count > 0)
        cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

static void emit_prepare(struct cm_matmul_compiler *c)
{
    for (uint32_t s = 0; s < 2; s++) {
        if (c->own->sides[s].worked && c->own->sides[s].aligned)
            emit_copy(c, s);
        emit_padding(c, s);
    }
    emit_zeros(c, (struct cm_place){ADDRESS_C, 0}, c->own->task.c.local_words);
    cm_matmul_emit_skew(c);
}

/* Returns the address register that points to the chunks of a side. */
static unsigned source_of(const struct cm_side *side, uint32_t number)
{
    if (side->gathered)
        return ADDRESS_PANEL + number;
    return side->worked ? ADDRESS_WORK + number : ADDRESS_SOURCE + number;
}

/* Emits the products of all chunks of a group, one after the other. */
static void emit_group(struct cm_matmul_compiler *c)
{
    const struct cm_matmul *own = c->own;
    const struct cm_side *sides = own->sides;
    const uint64_t inner = sides[0].chunks > sides[1].chunks ? sides[0].chunks : sides[1].chunks;
    const uint64_t all = sides[0].chunks << sides[0].group_bits;
    for (uint32_t s = 0; s < 2; s++) {
        cm_emit_point(c->imp, REG_CHUNK + s, source_of(&sides[s], s), 0);
        if (cm_matmul_spreads(&sides[s]))
            cm_emit_point(c->imp, REG_OWNER + s, ADDRESS_TABLES, (int64_t)sides[s].owners);
    }
    const uint32_t outer_loop = cm_matmul_loop(c->imp, all / inner);
    const uint32_t inner_loop = cm_matmul_loop(c->imp, inner);
    cm_matmul_emit_spread(c);
    cm_matmul_emit_kernel(c);
    for (uint32_t s = 0; s < 2; s++)
        if (sides[s].chunks > 1)
            cm_emit_advance(c->imp, REG_CHUNK + s, (int64_t)sides[s].chunk_words);
        else if (sides[s].group_bits > 0)
            cm_emit_advance(c->imp, REG_OWNER + s, 1);
    cm_matmul_next(c->imp, inner, inner_loop);
    for (uint32_t s = 0; s < 2; s++)
        if (sides[s].chunks > 1) {
            cm_emit_advance(c->imp, REG_CHUNK + s,
                            -(int64_t)(sides[s].chunks * sides[s].chunk_words));
            cm_emit_advance(c->imp, REG_OWNER + s, sides[s].group_bits > 0);
        }
    cm_matmul_next(c->imp, all / inner, outer_loop);
}

static struct cm_imp *begin(struct cm_matmul_compiler *c, const char *name)
{
    c->imp = cm_emit_begin(name, "a b c tables work_a work_b panel_a panel_b");
    return c->imp;
}

static struct cm_imp *compile(const struct cm_config *config, const struct cm_matmul *own)
{
    struct cm_matmul_compiler c = {.config = config, .own = own};
    const uint64_t moves = (UINT64_C(1) << own->cannon_bits) - 1;
    if (!begin(&c, "matmul"))
        return NULL;
    emit_prepare(&c);
    if (own->task.algorithm == CM_MATMUL_ALLTOALL)
        return cm_emit_end(c.imp);
    if (moves > 0) {
        const uint32_t loop = cm_matmul_loop(c.imp, moves);
        emit_group(&c);
        cm_matmul_emit_step(&c);
        cm_matmul_next(c.imp, moves, loop);
    }
    emit_group(&c);
    return cm_emit_end(c.imp);
}

/* Compiles the products that follow the all-to-all broadcasts: all chunks of the panels, in the
 * order of k. */
static struct cm_imp *compile_products(const struct cm_config *config, const struct cm_matmul *own)
{
    struct cm_matmul_compiler c = {.config = config, .own = own};
    const uint64_t chunks = own->sides[0].chunks << own->sides[0].along.node_bits;
    if (!begin(&c, "matmul_products"))
        return NULL;
    for (uint32_t s = 0; s < 2; s++) {
        const struct cm_side *side = &own->sides[s];
        cm_matmul_emit_order(&c, s);
        cm_emit_point(c.imp, REG_CHUNK + s, source_of(side, s), 0);
    }
    const uint32_t loop = cm_matmul_loop(c.imp, chunks);
    cm_matmul_emit_kernel(&c);
    for (uint32_t s = 0; s < 2; s++)
        cm_emit_advance(c.imp, REG_CHUNK + s, (int64_t)own->sides[s].chunk_words);
    cm_matmul_next(c.imp, chunks, loop);
    return cm_emit_end(c.imp);
}

/* Allocates node memory for a work area or a panel. */
static enum cm_status take(struct cm_system *system, uint64_t *words, const char *what,
                           uint64_t *address, struct cm_error *err)
{
    if (*words == 0)
        return CM_OK;
    enum cm_status status =
        cm_heap_allocate(system->heap, CM_HEAP_TABLES, *words, what, address, err);
    if (status != CM_OK)
        *words = 0; /* no memory to give back */
    return status;
}

static enum cm_status take_areas(struct cm_system *system, struct cm_matmul *own,
                                 struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (uint32_t s = 0; s < 2; s++) {
        struct cm_side *side = &own->sides[s];
        if (status != CM_OK)
            side->work_words = side->panel_words = 0;
        if (status == CM_OK)
            status = take(system, &side->work_words, "a copy of a factor of a matrix product",
                          &side->work, err);
        if (status == CM_OK)
            status =
                take(system, &side->panel_words, "a panel of a matrix product", &side->panel, err);
        else
            side->panel_words = 0;
    }
    return status;
}

static enum cm_status make_gathers(struct cm_system *system, struct cm_matmul *own,
                                   struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    enum cm_status status = cm_compiled_add(own->products, compile_products(config, own), err);
    if (status == CM_OK)
        status = cm_compiled_try(system, own->products, err);
    for (uint32_t s = 0; status == CM_OK && s < 2; s++) {
        const struct cm_alltoall_task task = cm_matmul_gather_task(own, s);
        if (own->sides[s].gathered)
            status = cm_alltoall_setup(system, &task, &own->gathers[s], err);
    }
    return status;
}

static enum cm_status make(struct cm_system *system, struct cm_matmul *own, struct cm_error *err)
{
    const struct cm_config *config = cm_machine_config(system->machine);
    const struct cm_matmul_compiler tables = {.config = config, .own = own};
    cm_matmul_plan(config, own);
    const uint64_t words = own->table_words;
    enum cm_status status = take_areas(system, own, err);
    if (status == CM_OK)
        status = check_plan(own, err);
    if (status == CM_OK)
        status = cm_matmul_align_check(system, own, err);
    if (status == CM_OK)
        status =
            cm_compiled_table(system, own->compiled,
                              &(struct cm_table_request){words, "the tables of a matrix product",
                                                         cm_matmul_fill_tables, &tables},
                              err);
    if (status == CM_OK)
        status = cm_compiled_add(own->compiled, compile(config, own), err);
    if (status == CM_OK)
        status = cm_compiled_try(system, own->compiled, err);
    return status == CM_OK && own->task.algorithm == CM_MATMUL_ALLTOALL
               ? make_gathers(system, own, err)
               : status;
}

enum cm_status cm_matmul_setup(struct cm_system *system, const struct cm_matmul_task *task,
                               struct cm_matmul **matmul, struct cm_error *err)
{
    *matmul = NULL;
    enum cm_status status = check_layouts(task, err);
    if (status != CM_OK)
        return status;
    struct cm_matmul *own = calloc(1, sizeof *own);
    if (!own)
        return cm_error_no_memory(err);
    own->task = *task;
    own->compiled = calloc(1, sizeof *own->compiled);
    own->products = calloc(1, sizeof *own->products);
    status = own->compiled && own->products ? make(system, own, err) : cm_error_no_memory(err);
    if (status == CM_OK)
        *matmul = own;
    else
        cm_matmul_deallocate(system, own);
    return status;
}

void cm_matmul_deallocate(struct cm_system *system, struct cm_matmul *matmul)
{
    if (!matmul)
        return;
    for (uint32_t s = 0; s < 2; s++) {
        if (matmul->sides[s].work_words > 0)
            cm_heap_free(system->heap, matmul->sides[s].work);
        if (matmul->sides[s].panel_words > 0)
            cm_heap_free(system->heap, matmul->sides[s].panel);
    }
    for (uint32_t s = 0; s < 2; s++)
        cm_alltoall_deallocate(system, matmul->gathers[s]);
    cm_compiled_drop(system, matmul->compiled);
    cm_compiled_drop(system, matmul->products);
    free(matmul);
}

static enum cm_status check_array(const struct cm_layout *wanted, const struct cm_array *array,
                                  const char *role, struct cm_error *err)
{
    if (cm_layout_equal(wanted, &array->layout) && !cm_array_is_allocated(array))
        return CM_OK;
    return cm_error_refuse(err, "use arrays of the layouts that the setup was made for",
                           "the %s \"%s\" of a matrix product is not laid out as its setup says",
                           role, array->name);
}

enum cm_status cm_matmul_call(struct cm_system *system, const struct cm_matmul *matmul,
                              struct cm_array *c, const struct cm_array *a,
                              const struct cm_array *b, struct cm_error *err)
{
    const struct cm_array *sources[2] = {a, b};
    struct cm_actual actuals[ARGUMENTS] = {0};
    enum cm_status status = check_array(&matmul->task.a, a, "first factor", err);
    if (status == CM_OK)
        status = check_array(&matmul->task.b, b, "second factor", err);
    if (status == CM_OK)
        status = check_array(&matmul->task.c, c, "result", err);
    if (status == CM_OK && (c->address == a->address || c->address == b->address))
        status = cm_error_refuse(err, "use another array for the result",
                                 "\"%s\" is the result and a factor of a matrix product", c->name);
    actuals[ADDRESS_C].address = c->address;
    actuals[ADDRESS_TABLES].address = matmul->compiled->table;
    for (uint32_t s = 0; s < 2; s++) {
        const struct cm_side *side = &matmul->sides[s];
        actuals[ADDRESS_SOURCE + s].address = sources[s]->address;
        actuals[ADDRESS_WORK + s].address = side->work;
        actuals[ADDRESS_PANEL + s].address = side->panel;
        if (status == CM_OK && !side->aligned)
            status = cm_matmul_align(system, matmul, s, sources[s], err);
    }
    if (status == CM_OK)
        status = cm_compiled_run(system, matmul->compiled, actuals, CM_ENTRY_IMP, err);
    if (status != CM_OK || matmul->task.algorithm != CM_MATMUL_ALLTOALL)
        return status;
    for (uint32_t s = 0; status == CM_OK && s < 2; s++) {
        const struct cm_side *side = &matmul->sides[s];
        if (side->gathered)
            status = cm_alltoall_call_at(system, matmul->gathers[s], side->panel,
                                         side->worked ? side->work : sources[s]->address, err);
    }
    return status == CM_OK ? cm_compiled_run(system, matmul->products, actuals, CM_ENTRY_IMP, err)
                           : status;
}

struct cm_matmul_info cm_matmul_info(const struct cm_matmul *matmul)
{
    const struct cm_side *sides = matmul->sides;
    const struct cm_layout *c = &matmul->task.c;
    const uint64_t products = c->elements * matmul->task.a.axes[1].length;
    const uint64_t sram = cm_compiled_words(matmul->compiled);
    const uint64_t later = cm_compiled_words(matmul->products);
    uint64_t table_words = matmul->table_words;
    uint64_t work_words = 0;
    for (uint32_t s = 0; s < 2; s++) {
        work_words += sides[s].work_words + sides[s].panel_words;
        if (!matmul->gathers[s])
            continue;
        table_words += cm_alltoall_info(matmul->gathers[s]).table_words;
        work_words += cm_alltoall_info(matmul->gathers[s]).work_words;
    }
    return (struct cm_matmul_info){
        .algorithm = matmul->task.algorithm,
        .order = {.groups = UINT64_C(1) << matmul->cannon_bits,
                  .depth = (sides[0].chunks << sides[0].group_bits) * matmul->depth,
                  .rows = sides[0].across.local_length << sides[1].group_bits,
                  .columns = sides[1].across.local_length << sides[0].group_bits},
        .row_nodes = UINT32_C(1) << c->axes[0].node_bits,
        .column_nodes = UINT32_C(1) << c->axes[1].node_bits,
        .steps = sides[0].chunks << sides[0].along.node_bits,
        .depth = matmul->depth,
        .tile = {matmul->tile[0], matmul->tile[1]},
        .align_a = !sides[0].aligned,
        .align_b = !sides[1].aligned,
        .exchanges = matmul->exchanges,
        .operations = products * (cm_type_components(c->type) == 2 ? 8 : 2),
        .sram_words = sram > later ? sram : later,
        .table_words = table_words,
        .work_words = work_words,
    };
}
