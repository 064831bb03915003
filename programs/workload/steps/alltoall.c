/* The step alltoall: all-to-all communication over the cube, or along one dimension. */
#include "../step.h"

#include "../../../report/numbers.h"
#include "../../alltoall/alltoall.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_MAX 65535u

struct alltoall {
    struct cm_array_reference dst, src;
    uint64_t dim; /* dimension, from 1. 0: the whole cube */
    uint32_t root;
    enum cm_alltoall_kind kind;
    enum cm_alltoall_algorithm algorithm;
    enum cm_alltoall_order order;
};

struct state {
    struct cm_alltoall *alltoall;
    uint32_t dimensions, groups;
    uint64_t clock_hz;
};

CM_NAMES_OF(kind_at, cm_alltoall_kind_name, enum cm_alltoall_kind)
CM_NAMES_OF(algorithm_at, cm_alltoall_algorithm_name, enum cm_alltoall_algorithm)
CM_NAMES_OF(order_at, cm_alltoall_order_name, enum cm_alltoall_order)

static const struct cm_key keys[] = {
    CM_KEY(ARRAY, "dst", struct alltoall, dst,
           "the array that gets the result: n blocks in every node; of the one-to kinds, one block",
           .required = true),
    CM_KEY(
        ARRAY, "src", struct alltoall, src,
        "the array to read, without padding: what a node has of it is its block, or in the kinds "
        "personalised and one-to-each a block for each node",
        .required = true),
    CM_KEY(NAME, "kind", struct alltoall, kind,
           "broadcast: every node gets the blocks of all; personalised: every node has a block for "
           "each, and gets one from each; one-to-all: every node gets the block of the root; "
           "one-to-each: the root has a block for each",
           .max = CM_ALLTOALL_KINDS - 1, .name_of = kind_at, .initial = CM_ALLTOALL_BROADCAST),
    CM_KEY(INTEGER, "dim", struct alltoall, dim,
           "only the nodes along this dimension of src send to each other", .min = 1,
           .max = CM_RANK_MAX, .form = "integer from 1 to the array's rank",
           .otherwise = "all nodes"),
    CM_KEY(INTEGER, "root", struct alltoall, root,
           "the address of the node that sends, in the kinds one-to-all and one-to-each",
           .max = ROOT_MAX, .initial = 0),
    CM_KEY(NAME, "algorithm", struct alltoall, algorithm,
           "gray: broadcast by d rotations of the Gray code; rotated: dimension exchange in d "
           "rotated parts, or d trees for the one-to kinds; butterfly: dimension exchange, one "
           "dimension at a time; "
           "hamiltonian: broadcast around Hamiltonian cycles; router: through the router",
           .max = CM_ALLTOALL_ALGORITHMS - 1, .name_of = algorithm_at,
           .initial = CM_ALLTOALL_ROTATED),
    CM_KEY(
        NAME, "order", struct alltoall, order,
        "source: block b is that of the node with address b; arrival: blocks are not reordered "
        "in the nodes; departure: around Hamiltonian cycles the words of a block are not, either",
        .max = CM_ALLTOALL_ORDERS - 1, .name_of = order_at, .initial = CM_ALLTOALL_BY_SOURCE),
};

static void read_alltoall(struct cm_workload *workload, struct cm_workload_step *step,
                          struct cm_reader *reader)
{
    const struct alltoall *own = step->own;
    const struct cm_layout_request *src = cm_workload_array_now(workload, own->src);
    const struct cm_layout_request *dst = cm_workload_array_now(workload, own->dst);
    cm_workload_expect_same_type(workload, reader, own->src, own->src);
    cm_workload_expect_same_type(workload, reader, own->dst, own->dst);
    if (!cm_reader_ok(reader))
        return;
    if (own->dim > src->rank) {
        cm_reader_fail(reader, cm_read_member(reader, step->body, "dim"),
                       "dim is %" PRIu64 ", but \"%s\" has %" PRIu32 " dimension%s", own->dim,
                       workload->arrays[own->src.number].name, src->rank, cm_plural(src->rank));
        cm_reader_hint(reader, "dims count from 1");
    } else if (own->dst.number == own->src.number) {
        cm_reader_fail(reader, own->dst.json, "\"%s\" is both src and dst",
                       workload->arrays[own->dst.number].name);
        cm_reader_hint(reader, "the blocks of all nodes need an array of their own");
    } else if (dst->type != src->type) {
        cm_reader_fail(reader, own->dst.json, "\"%s\" is %s, but \"%s\" is %s",
                       workload->arrays[own->dst.number].name, cm_type_name(dst->type),
                       workload->arrays[own->src.number].name, cm_type_name(src->type));
    }
}

/* Refuses an array with padding or idle nodes. Blocks are words of nodes, so every word of a node
 * must belong to an element. */
static enum cm_status expect_full(const struct cm_run *run, struct cm_array_reference reference,
                                  struct cm_error *err)
{
    const struct cm_array *array = cm_run_array_of(run, reference);
    const struct cm_layout *layout = &array->layout;
    if (layout->elements == layout->local_elements * layout->nodes)
        return CM_OK;
    cm_json_error(reference.json, err,
                  "\"%s\" does not fill the nodes: %" PRIu64 " elements, but %" PRIu32
                  " nodes with room for %" PRIu64 " each",
                  array->name, layout->elements, layout->nodes, layout->local_elements);
    return cm_error_hint(err, "choose a shape that divides evenly over all nodes");
}

static enum cm_status expect_blocks(const struct cm_run *run, const struct alltoall *own,
                                    uint64_t words, struct cm_error *err)
{
    const struct cm_array *dst = cm_run_array_of(run, own->dst);
    if (dst->layout.local_words == words)
        return CM_OK;
    cm_json_error(own->dst.json, err,
                  "\"%s\" has %" PRIu64 " words in a node, but the result has %" PRIu64, dst->name,
                  dst->layout.local_words, words);
    return cm_error_hint(err,
                         "give the array a serial dimension whose length is the number of blocks");
}

static enum cm_status prepare(struct cm_run *run, struct cm_run_step *step, struct cm_error *err)
{
    const struct alltoall *own = step->step->own;
    struct state *state = step->state;
    const struct cm_layout *src = &cm_run_array_of(run, own->src)->layout;
    struct cm_alltoall_task task = {.kind = own->kind,
                                    .algorithm = own->algorithm,
                                    .order = own->order,
                                    .words = src->local_words,
                                    .root = own->root,
                                    .dimensions = src->node_bits};
    if (own->dim > 0) {
        task.first_dimension = src->axes[own->dim - 1].first_dimension;
        task.dimensions = src->axes[own->dim - 1].node_bits;
    }
    const uint64_t n = UINT64_C(1) << task.dimensions;
    enum cm_status status = expect_full(run, own->src, err);
    if (status == CM_OK)
        status = expect_full(run, own->dst, err);
    if (status == CM_OK && task.words % cm_alltoall_source_blocks(&task) != 0) {
        cm_json_error(own->src.json, err,
                      "\"%s\" has %" PRIu64 " words in a node, not a block for each of %" PRIu64
                      " nodes",
                      cm_run_array_of(run, own->src)->name, task.words, n);
        return cm_error_hint(err, "make the serial part of its shape a multiple of the nodes");
    }
    task.words /= cm_alltoall_source_blocks(&task);
    if (status == CM_OK)
        status = expect_blocks(run, own, task.words * cm_alltoall_result_blocks(&task), err);
    if (status != CM_OK)
        return status;
    if (own->algorithm == CM_ALLTOALL_ROUTER && task.dimensions > 0)
        step->path = "router";
    state->dimensions = task.dimensions;
    state->groups = src->nodes >> task.dimensions;
    state->clock_hz = run->config.clock_hz;
    status = cm_alltoall_setup(run->system, &task, &state->alltoall, err);
    return status == CM_OK ? CM_OK : cm_workload_place(own->src.json, err);
}

static enum cm_status run_alltoall(struct cm_run *run, struct cm_run_step *step,
                                   struct cm_error *err)
{
    const struct alltoall *own = step->step->own;
    const struct state *state = step->state;
    return cm_alltoall_call(run->system, state->alltoall, cm_run_array_of(run, own->dst),
                            cm_run_array_of(run, own->src), err);
}

/* Direct evaluation of the step: elements by node and place, and the destinations of words. */
struct evaluation {
    const struct alltoall *own;
    const struct cm_reference_array *src, *dst;
    const struct cm_layout *from, *to;
    uint64_t *element; /* numbers of the elements of src, by node and local element number */
    /* Difference (xor) between the sender's and the receiver's address, by order of arrival: for
     * each part and block, or around Hamiltonian cycles for each part, block and address. */
    uint32_t *differs;
    /* the compiled communication, which knows the Hamiltonian cycles */
    const struct cm_alltoall *alltoall;
    uint32_t first, dimensions, parts, channels;
};

static void place_of(const struct cm_layout *layout, uint64_t e, uint32_t *node, uint64_t *local)
{
    uint64_t index[CM_RANK_MAX];
    for (uint32_t a = 0; a < layout->rank; a++) {
        index[a] = e % layout->axes[a].length;
        e /= layout->axes[a].length;
    }
    cm_layout_place(layout, index, node, local);
}

/* Computes the order of arrival for every part: step by step of the Gray code, or by doubling. */
static void compute_arrivals(struct evaluation *e)
{
    const uint32_t n = UINT32_C(1) << e->dimensions;
    for (uint32_t part = 0; part < e->parts && e->dimensions > 0; part++)
        for (uint32_t t = 1; t < n; t++) {
            uint32_t bit = 0;
            const bool gray = e->own->algorithm == CM_ALLTOALL_GRAY;
            for (uint32_t b = 0; b < e->dimensions; b++)
                if (gray ? t % (1u << b) == 0 : t >= 1u << b)
                    bit = b;
            const uint32_t before = gray ? t - 1 : t - (1u << bit);
            e->differs[(size_t)part * n + t] =
                e->differs[(size_t)part * n + before] ^ 1u << (bit + part) % e->dimensions;
        }
}

/* Returns the place of the first word of part `part` within a block, in the result of the node with
 * this address. */
static uint64_t place_of_part(const struct evaluation *e, uint32_t address, uint32_t part)
{
    const uint64_t first = (uint64_t)part * e->channels;
    uint64_t place = 0;
    while (place < first + e->channels * e->parts &&
           cm_alltoall_arrival_word(e->alltoall, address, place) != first)
        place++;
    return place;
}

/* Computes from which node each block arrives around Hamiltonian cycles. A block that arrives from
 * a neighbour arrived at this neighbour one step earlier. */
static void compute_cycle_arrivals(struct evaluation *e)
{
    const uint32_t n = UINT32_C(1) << e->dimensions;
    for (uint32_t part = 0; part < e->parts; part++) {
        uint32_t *differs = e->differs + (size_t)part * n * n;
        for (uint32_t t = 1; t < n; t++)
            for (uint32_t a = 0; a < n; a++) {
                const uint64_t word = place_of_part(e, a, part);
                const uint32_t near = cm_alltoall_arrival(e->alltoall, a, 1, word);
                differs[(size_t)t * n + a] = a ^ near ^ differs[(size_t)(t - 1) * n + near];
            }
    }
}

/* Returns the address of the node with which `node` exchanges word number `word` of block number
 * `block`. */
static uint32_t partner_of(const struct evaluation *e, uint32_t node, uint64_t block, uint64_t word)
{
    const uint32_t n = UINT32_C(1) << e->dimensions;
    const uint32_t address = node >> e->first & (n - 1);
    const uint64_t own_word = cm_alltoall_arrival_word(e->alltoall, address, word);
    const uint64_t part = own_word / e->channels % e->parts;
    if (e->own->order == CM_ALLTOALL_BY_SOURCE)
        return (uint32_t)block;
    if (e->own->algorithm == CM_ALLTOALL_HAMILTONIAN)
        return address ^ e->differs[(part * n + block) * n + address];
    return address ^ e->differs[part * n + block];
}

/* Returns the number of the root's block that holds a word for the node with this address. */
static uint64_t block_for(const struct evaluation *e, uint32_t address, uint64_t word)
{
    uint64_t block = 0;
    if (e->own->order == CM_ALLTOALL_BY_SOURCE)
        return address;
    while (partner_of(e, e->own->root << e->first, block, word) != address)
        block++;
    return block;
}

/* Returns the element's bytes in src that become word number `at` of node `node` in dst. */
static const unsigned char *source_of(const struct evaluation *e, uint32_t node, uint64_t at)
{
    const uint32_t n = UINT32_C(1) << e->dimensions, slices = e->from->slices;
    const bool one =
        e->own->kind == CM_ALLTOALL_ONE_TO_ALL || e->own->kind == CM_ALLTOALL_ONE_TO_EACH;
    const uint64_t words = e->to->local_words / (one ? 1 : n), block = at / words,
                   word = at % words;
    const uint32_t mask = (n - 1) << e->first;
    const uint32_t mine = node >> e->first & (n - 1);
    const uint32_t from = one ? e->own->root : partner_of(e, node, block, word);
    const uint32_t sender = (node & ~mask) | from << e->first;
    uint64_t local = cm_alltoall_arrival_word(e->alltoall, mine, word);
    if (e->own->kind == CM_ALLTOALL_PERSONALISED)
        local += words * (e->own->order == CM_ALLTOALL_BY_SOURCE ? mine : block);
    if (e->own->kind == CM_ALLTOALL_ONE_TO_EACH)
        local += words * block_for(e, mine, word);
    const uint64_t element = e->element[sender * e->from->local_elements + local / slices];
    const size_t bytes = cm_type_host_bytes(e->src->type);
    return (const unsigned char *)e->src->elements + element * bytes + local % slices * 4;
}

static void evaluate(struct evaluation *e)
{
    const size_t bytes = cm_type_host_bytes(e->dst->type);
    const uint32_t slices = e->to->slices;
    uint32_t node;
    uint64_t local;
    for (uint64_t i = 0; i < e->src->elements_count; i++) {
        place_of(e->from, i, &node, &local);
        e->element[node * e->from->local_elements + local] = i;
    }
    if (e->own->algorithm == CM_ALLTOALL_HAMILTONIAN)
        compute_cycle_arrivals(e);
    else
        compute_arrivals(e);
    for (uint64_t i = 0; i < e->dst->elements_count; i++) {
        place_of(e->to, i, &node, &local);
        for (uint32_t s = 0; s < slices; s++)
            memcpy((unsigned char *)e->dst->elements + i * bytes + (size_t)s * 4,
                   source_of(e, node, local * slices + s), bytes < 4 ? bytes : 4);
    }
}

static enum cm_status check(struct cm_run *run, const struct cm_run_step *step,
                            struct cm_step_result *result, struct cm_error *err)
{
    const struct alltoall *own = step->step->own;
    const struct state *state = step->state;
    struct evaluation e = {.own = own,
                           .src = &run->reference[own->src.number],
                           .dst = &run->reference[own->dst.number],
                           .from = &cm_run_array_of(run, own->src)->layout,
                           .to = &cm_run_array_of(run, own->dst)->layout,
                           .alltoall = state->alltoall,
                           .dimensions = state->dimensions,
                           .channels = run->config.network_channels_per_dimension};
    e.first = own->dim > 0 ? e.from->axes[own->dim - 1].first_dimension : 0;
    const bool cycles = own->algorithm == CM_ALLTOALL_HAMILTONIAN;
    const bool whole =
        own->algorithm == CM_ALLTOALL_BUTTERFLY || own->algorithm == CM_ALLTOALL_ROUTER;
    e.parts = whole || e.dimensions == 0 ? 1 : cycles ? e.dimensions / 2 * 2 : e.dimensions;
    e.element = calloc(e.src->elements_count, sizeof *e.element);
    e.differs =
        calloc((size_t)e.parts << e.dimensions << (cycles ? e.dimensions : 0), sizeof *e.differs);
    enum cm_status status = CM_OK;
    if (e.element && e.differs)
        evaluate(&e);
    else
        status = cm_error_set(err, CM_NO_MEMORY, "out of memory for the check of a step");
    free(e.element);
    free(e.differs);
    return status == CM_OK ? cm_run_check_array(run, step, own->dst.number, 0, result, err)
                           : status;
}

/* Returns the number of bytes per second that nodes receive from other nodes. */
static double rate_of(const struct cm_step_result *result, const struct cm_alltoall_info *info)
{
    const struct state *state = result->state;
    const double bytes = 4.0 * (double)info->words_received * state->groups * (double)result->times;
    return result->counters.cycles == 0
               ? 0
               : bytes * (double)state->clock_hz / (double)result->counters.cycles;
}

static void report(const struct cm_step_result *result, struct cm_report *report)
{
    const struct state *state = result->state;
    const struct cm_alltoall_info info = cm_alltoall_info(state->alltoall);
    struct cm_report out = *report;
    if (result->times == 0)
        out.text = NULL; /* not executed: no text */
    cm_report_text(&out,
                   "\n  %s %s: %s blocks of %s word%s over %" PRIu32
                   " dimension%s of the cube, %s exchange%s (at least %s), %.3g Gbyte/s\n",
                   result->op, result->where, cm_format_count(info.blocks).text,
                   cm_format_count(info.words).text, cm_plural(info.words), state->dimensions,
                   cm_plural(state->dimensions), cm_format_count(info.exchanges).text,
                   cm_plural(info.exchanges), cm_format_count(info.bound).text,
                   rate_of(result, &info) / 1e9);
    cm_report_u64(&out, "blocks", info.blocks);
    cm_report_u64(&out, "words", info.words);
    cm_report_u64(&out, "dimensions", state->dimensions);
    cm_report_u64(&out, "exchanges_of_a_call", info.exchanges);
    cm_report_u64(&out, "least_exchanges", info.bound);
    cm_report_f64(&out, "bytes_per_second", rate_of(result, &info));
    cm_report_u64(&out, "table_words", info.table_words);
    cm_report_u64(&out, "work_words", info.work_words);
}

static void finish(struct cm_run *run, struct cm_run_step *step)
{
    const struct state *state = step->state;
    cm_alltoall_deallocate(run->system, state->alltoall);
}

const struct cm_step_kind cm_step_alltoall = {
    .name = "alltoall",
    .summary = "every node sends its block to all, or a block to each",
    .example = "{\"alltoall\": {\"dst\": \"b\", \"src\": \"a\", \"algorithm\": \"gray\"}}",
    .keys = keys,
    .key_count = CM_COUNT_OF(keys),
    .own_bytes = sizeof(struct alltoall),
    .state_bytes = sizeof(struct state),
    .stateless = true,
    .path = "imp",
    .read = read_alltoall,
    .prepare = prepare,
    .run = run_alltoall,
    .check = check,
    .report = report,
    .finish = finish,
};
