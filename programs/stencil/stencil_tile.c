/*
 * Compiler of a tile: lists the operations in their order, then allocates registers while it emits
 * or counts them.
 *
 * A *value* is an operand that can be loaded again: a source element, an element of a coefficient
 * array, or a scalar. Values are numbered. First come, for each source, the elements of the tile
 * and the elements around it as far as terms reach. Then come the elements of coefficient arrays at
 * the tile's results, then the scalars.
 */
#include "stencil_tile.h"

#include "../../base/list.h"
#include "../system/emit.h"
#include "stencil_pieces.h"

#include <string.h>

#define NEVER       UINT32_MAX /* next use of a value that is not used again */
#define NO_REGISTER UINT8_MAX
/* divisor: a use is far if it is more than 1 / BLOCK_SHARE of a block's operations away */
#define BLOCK_SHARE 4

/* Operation result += coefficient * element. `result`, `element` and `coefficient` are numbers of
 * results and values. */
struct operation {
    uint32_t result;
    uint32_t element, coefficient;
    /* numbers of the next operations with the same element, and with the same coefficient */
    uint32_t next_element, next_coefficient;
    uint32_t ends; /* unit (enum cm_stencil_stores) that this operation completes. 0: none */
};

enum holds { HOLDS_NOTHING, HOLDS_VALUE, HOLDS_SUM, HOLDS_RESULT, HOLDS_PRODUCT };

struct held {
    enum holds what;
    uint32_t number; /* number of the value or result that is held */
    uint32_t part;   /* component of a complex number */
};

struct compiler {
    const struct cm_stencil_tile *tile;
    const struct cm_stencil_plan *plan;
    struct cm_imp *imp; /* IMP, or NULL if cost is only counted */
    struct cm_stencil_streams *streams;
    struct cm_stencil_cost *cost;
    const struct cm_fpu_ops *ops;
    uint32_t parts; /* number of components of an element, 2 if it is complex */
    uint32_t part_words;
    /* Numbers of the first value of each kind, and of all values. */
    uint32_t first_of_source[CM_STENCIL_SOURCES_MAX];
    uint32_t first_of_arrays, first_scalar, value_count;
    uint32_t result_count;
    CM_LIST(struct operation) operations;
    uint32_t at; /* number of the current operation */
    /* Number of operations after which the next use of a value does not help this block of results.
     */
    uint32_t far;
    uint8_t *register_of_value;  /* register of each value, by number and component */
    uint8_t *register_of_result; /* register of each result, by number and component */
    uint32_t *next_use;          /* number of the next operation that uses each value */
    uint32_t *terms_left;        /* number of terms that each result still needs */
    struct held held[CM_FPU_REGISTERS];
    uint32_t locked;   /* registers of the current operation, one bit each */
    uint32_t finished; /* number of components of complete results that are not stored yet */
    /* Stream and address of the last access to memory. */
    uint32_t last_stream;
    int64_t last_address;
};

/* Returns the number of elements of a source along an axis that have a value number. */
static int64_t extent(const struct compiler *c, uint32_t source, uint32_t a)
{
    const int64_t *reach = c->plan->sources[source].reach[a];
    return reach[0] + c->tile->size[a] + reach[1];
}

static void number_values(struct compiler *c)
{
    uint32_t next = 0;
    c->result_count = 1;
    for (uint32_t a = 0; a < c->plan->layout.rank; a++)
        c->result_count *= (uint32_t)c->tile->size[a];
    for (uint32_t s = 0; s < c->plan->source_count; s++) {
        uint32_t count = 1;
        c->first_of_source[s] = next;
        for (uint32_t a = 0; a < c->plan->layout.rank; a++)
            count *= (uint32_t)extent(c, s, a);
        next += count;
    }
    c->first_of_arrays = next;
    c->first_scalar = next + c->plan->array_count * c->result_count;
    c->value_count = c->first_scalar + c->plan->scalar_count;
}

/* Returns the number of the value that a term takes from its source for the result at x.
 * Coordinates count from the tile's start. */
static uint32_t element_of(const struct compiler *c, const struct cm_stencil_term *term,
                           const int64_t *x)
{
    uint32_t number = 0;
    for (uint32_t a = c->plan->layout.rank; a-- > 0;)
        number = number * (uint32_t)extent(c, term->source, a) +
                 (uint32_t)(x[a] + term->offset[a] + c->plan->sources[term->source].reach[a][0]);
    return c->first_of_source[term->source] + number;
}

static uint32_t result_of(const struct compiler *c, const int64_t *x)
{
    uint32_t number = 0;
    for (uint32_t a = c->plan->layout.rank; a-- > 0;)
        number = number * (uint32_t)c->tile->size[a] + (uint32_t)x[a];
    return number;
}

/* Band: terms whose offsets differ along axis 0 only. */
struct band {
    uint32_t first, end;
};

/* Marks the last operation as completing the unit `ends`, if operations were added since there were
 * `before`. */
static void mark_end(struct compiler *c, uint32_t before, enum cm_stencil_stores ends)
{
    if (c->operations.count > before)
        c->operations.items[c->operations.count - 1].ends = ends;
}

static void add_operation(struct compiler *c, uint32_t t, const int64_t *x)
{
    const struct cm_stencil_term *term = &c->plan->pattern.terms[t];
    struct operation operation = {.result = result_of(c, x), .element = element_of(c, term, x)};
    operation.coefficient = c->first_scalar + term->coefficient;
    if (term->by_array)
        operation.coefficient =
            c->first_of_arrays + term->coefficient * c->result_count + operation.result;
    cm_list_push(&c->operations, operation);
}

/* Interval of elements along axis 0. */
struct interval {
    int64_t first, end;
};

/* Adds operations that add source elements of a row to results of one row, by the terms of a band.
 */
static void add_row(struct compiler *c, const struct band *band, int64_t *x,
                    const struct interval *results, const struct interval *elements)
{
    const struct cm_stencil_term *terms = c->plan->pattern.terms;
    const uint32_t before = c->operations.count;
    for (x[0] = results->first; x[0] < results->end; x[0]++)
        for (uint32_t t = band->first; t < band->end; t++)
            if (x[0] + terms[t].offset[0] >= elements->first &&
                x[0] + terms[t].offset[0] < elements->end)
                add_operation(c, t, x);
    mark_end(c, before, CM_STORES_RESULTS);
}

/* Finds the bands of terms, in the order in which they add a source row to rows of results. Returns
 * their number. */
static uint32_t find_bands(const struct compiler *c, struct band bands[CM_STENCIL_TERMS_MAX])
{
    const struct cm_stencil_term *terms = c->plan->pattern.terms;
    uint32_t count = 0;
    for (uint32_t t = c->plan->pattern.term_count; t > 0;) {
        struct band band = {t, t};
        do
            band.first--;
        while (band.first > 0 &&
               memcmp(terms[band.first - 1].offset + 1, terms[band.first].offset + 1,
                      sizeof terms->offset - sizeof *terms->offset) == 0);
        t = band.first;
        uint32_t k = count++;
        for (; c->tile->order.widest_first && k > 0 &&
               bands[k - 1].end - bands[k - 1].first < band.end - band.first;
             k--)
            bands[k] = bands[k - 1];
        bands[k] = band;
    }
    return count;
}

/* Sets x to the row of results to which a band of terms adds source row y. Returns false if the
 * tile has no such row. */
static bool row_of_results(const struct compiler *c, const struct band *band, const int64_t *y,
                           int64_t *x)
{
    for (uint32_t a = 1; a < c->plan->layout.rank; a++) {
        x[a] = y[a] - c->plan->pattern.terms[band->first].offset[a];
        if (x[a] < 0 || x[a] >= c->tile->size[a])
            return false;
    }
    return true;
}

/* Advances y to the next source row. Sets *ends to the largest unit (enum cm_stencil_stores) that
 * the row before completes. Returns false after the last row. */
static bool next_row(const struct compiler *c, int64_t *y, enum cm_stencil_stores *ends)
{
    *ends = CM_STORES_ROWS;
    for (uint32_t a = 1; a < c->plan->layout.rank; a++) {
        if (++y[a] < c->tile->size[a] + cm_stencil_reach(c->plan, a, 1))
            return true;
        y[a] = -cm_stencil_reach(c->plan, a, 0);
        *ends = CM_STORES_STEPS;
    }
    return false;
}

/* Lists the operations for the results in an interval of axis 0. */
static void list_block(struct compiler *c, const struct band *bands, uint32_t count,
                       const struct interval *block)
{
    int64_t x[CM_STENCIL_RANK_MAX] = {0}, y[CM_STENCIL_RANK_MAX] = {0};
    const int64_t begin = block->first - cm_stencil_reach(c->plan, 0, 0);
    const int64_t end = block->end + cm_stencil_reach(c->plan, 0, 1);
    const int64_t columns = c->tile->order.columns > 0 ? c->tile->order.columns : end - begin;
    enum cm_stencil_stores ends;
    bool more = true;
    for (uint32_t a = 1; a < c->plan->layout.rank; a++)
        y[a] = -cm_stencil_reach(c->plan, a, 0);
    while (more) {
        const uint32_t before = c->operations.count;
        for (struct interval now = {begin, begin + columns}; now.first < end;
             now.first += columns, now.end += columns)
            for (uint32_t k = 0; k < count; k++)
                if (row_of_results(c, &bands[k], y, x))
                    add_row(c, &bands[k], x, block, &now);
        more = next_row(c, y, &ends);
        mark_end(c, before, ends);
    }
}

static void list_operations(struct compiler *c)
{
    struct band bands[CM_STENCIL_TERMS_MAX];
    const uint32_t count = find_bands(c, bands);
    const int64_t size = c->tile->size[0];
    const int64_t width = c->tile->order.block > 0 ? c->tile->order.block : size;
    for (struct interval block = {0, width}; block.first < size;
         block.first += width, block.end += width) {
        if (block.end > size)
            block.end = size;
        list_block(c, bands, count, &block);
    }
}

static void find_next_uses(struct compiler *c)
{
    memset(c->next_use, 0xff, c->value_count * sizeof *c->next_use);
    for (uint32_t i = c->operations.count; i-- > 0;) {
        struct operation *operation = &c->operations.items[i];
        operation->next_element = c->next_use[operation->element];
        operation->next_coefficient = c->next_use[operation->coefficient];
        c->next_use[operation->element] = c->next_use[operation->coefficient] = i;
    }
}

static void emit(struct compiler *c, enum cm_op op, const struct cm_operand *operands,
                 unsigned count)
{
    c->cost->words += cm_op_words(op);
    if (c->imp)
        cm_imp_emit(c->imp, op, operands, count);
}
#define EMIT(c, op, ...)                                                                           \
    emit((c), (op), (const struct cm_operand[]){__VA_ARGS__},                                      \
         (unsigned)(sizeof((const struct cm_operand[]){__VA_ARGS__}) / sizeof(struct cm_operand)))

const struct cm_box *cm_stencil_stream_box(const struct cm_stencil_plan *plan, uint32_t stream,
                                           uint32_t *argument)
{
    uint32_t sources = plan->source_count * CM_STENCIL_OF_SOURCE;
    *argument = CM_STENCIL_DST;
    if (stream-- == 0)
        return &plan->own;
    *argument = cm_stencil_array_argument(plan, stream - sources);
    if (stream >= sources)
        return &plan->own;
    uint32_t number = stream / CM_STENCIL_OF_SOURCE, of_source = stream % CM_STENCIL_OF_SOURCE;
    *argument = cm_stencil_source_argument(plan, number, of_source > 0);
    if (of_source-- == 0)
        return &plan->own;
    return &plan->sources[number].halos[of_source / CM_STENCIL_SIDES][of_source % CM_STENCIL_SIDES];
}

static bool is_halo(const struct compiler *c, uint32_t stream)
{
    uint32_t sources = c->plan->source_count * CM_STENCIL_OF_SOURCE;
    return stream > 0 && stream <= sources && (stream - 1) % CM_STENCIL_OF_SOURCE > 0;
}

/* Returns the address that an array has if sources, dst and coefficients follow each other in
 * memory. Only distances between arrays matter, and where pages begin. */
static int64_t array_address(const struct compiler *c, uint32_t stream)
{
    uint32_t sources = c->plan->source_count;
    uint32_t number = stream == 0 ? sources : (stream - 1) / CM_STENCIL_OF_SOURCE;
    if (stream > sources * CM_STENCIL_OF_SOURCE)
        number = stream - sources * CM_STENCIL_OF_SOURCE + sources;
    uint64_t words = c->plan->layout.local_elements * c->plan->layout.slices;
    return (int64_t)(c->plan->config->memory_heap_base_words + number * words);
}

/* Returns true if a stream has no page in common with the stream of the last access. A halo has
 * pages of its own. */
static bool is_apart(const struct compiler *c, uint32_t stream)
{
    return stream != c->last_stream &&
           (c->last_stream == NEVER || is_halo(c, stream) || is_halo(c, c->last_stream));
}

static bool is_open(const struct compiler *c, uint32_t stream, int64_t address)
{
    const int64_t words = (int64_t)c->plan->config->memory_page_words;
    return !is_apart(c, stream) && address / words == c->last_address / words;
}

/* Counts the cycles of an access that leaves the open page. */
static void count_page(struct compiler *c, uint32_t stream, int64_t address, uint64_t fault_cycles)
{
    const struct cm_config *config = c->plan->config;
    const int64_t words = (int64_t)config->memory_page_words;
    const int64_t page = address / words, last = c->last_address / words;
    const int64_t banks = (int64_t)config->memory_banks;
    const int64_t block = (int64_t)config->memory_block_words;
    if (!is_open(c, stream, address))
        c->cost->cycles += fault_cycles;
    if (!is_apart(c, stream) && page != last && page % banks == last % banks &&
        address % words / block != c->last_address % words / block)
        c->cost->cycles += config->memory_bank_conflict_cycles;
    c->last_stream = stream;
    c->last_address = address;
}

/* Returns the assumed address of the element of a stream at x, which counts from the tile's start.
 * Sets *words to its distance in words from the tile's first element. */
static int64_t address_of(const struct compiler *c, uint32_t stream, const int64_t *x,
                          int64_t *words)
{
    uint32_t argument;
    const struct cm_box *box = cm_stencil_stream_box(c->plan, stream, &argument);
    int64_t start = 0;
    *words = 0;
    for (uint32_t a = 0; a < c->plan->layout.rank; a++) {
        *words += x[a] * box->stride[a] * c->plan->layout.slices;
        start += c->tile->start[a] * box->stride[a] * c->plan->layout.slices;
    }
    return *words + start + (is_halo(c, stream) ? 0 : array_address(c, stream));
}

/* Returns true if two streams are in one array and have equal strides, so that one address register
 * can serve them. */
static bool moves_with(const struct compiler *c, uint32_t stream, uint32_t other)
{
    uint32_t argument, other_argument;
    const struct cm_box *box = cm_stencil_stream_box(c->plan, stream, &argument);
    const struct cm_box *other_box = cm_stencil_stream_box(c->plan, other, &other_argument);
    return argument == other_argument && memcmp(box->stride, other_box->stride,
                                                c->plan->layout.rank * sizeof box->stride[0]) == 0;
}

/* Returns the address register of a stream. Sets *distance to the number of words from the
 * register's position to the stream. Streams that move together share a register. */
static unsigned stream_register(struct compiler *c, uint32_t stream, int64_t *distance)
{
    struct cm_stencil_streams *streams = c->streams;
    const uint32_t rank = c->plan->layout.rank;
    uint32_t i = 0, argument;
    while (i < streams->count && !moves_with(c, streams->used[i], stream))
        i++;
    if (i == streams->count)
        streams->used[streams->count++] = (uint8_t)stream;
    const struct cm_box *box = cm_stencil_stream_box(c->plan, stream, &argument);
    const struct cm_box *first = cm_stencil_stream_box(c->plan, streams->used[i], &argument);
    *distance = (cm_box_at(box, rank, c->tile->start) - cm_box_at(first, rank, c->tile->start)) *
                c->plan->layout.slices;
    return i;
}

/* Returns the memory operand of one component of the stream's element at x, and counts the access.
 */
static struct cm_operand memory(struct compiler *c, uint32_t stream, const int64_t *x,
                                uint32_t part, uint64_t access_cycles, uint64_t fault_cycles)
{
    int64_t words, distance;
    const int64_t address = address_of(c, stream, x, &words) + part * c->part_words;
    const unsigned number = stream_register(c, stream, &distance);
    count_page(c, stream, address, fault_cycles);
    c->cost->cycles += access_cycles * c->part_words;
    return cm_mem(number, words + distance + part * c->part_words);
}

/* Returns the stream that has the source element at x. If an axis is circular and in one node, x is
 * moved into the node. */
static uint32_t stream_of(const struct compiler *c, uint32_t source, int64_t *x)
{
    uint32_t of_source = 0;
    for (uint32_t a = 0; a < c->plan->layout.rank; a++) {
        int64_t at = c->tile->start[a] + x[a], length = c->plan->length[a];
        if (at >= 0 && at < length)
            continue;
        if (c->plan->beyond[a] == CM_BEYOND_WRAPS)
            x[a] += at < 0 ? length : -length;
        else
            of_source = 1 + CM_STENCIL_SIDES * a + (at < 0 ? 0 : 1);
    }
    return 1 + source * CM_STENCIL_OF_SOURCE + of_source;
}

static uint32_t array_stream(const struct compiler *c, uint32_t array)
{
    return 1 + c->plan->source_count * CM_STENCIL_OF_SOURCE + array;
}

/* Converts the number of a source element to coordinates from the tile's start. If `source` is
 * NEVER, it is the number of a result. */
static void coordinates(const struct compiler *c, uint32_t number, uint32_t source, int64_t *x)
{
    for (uint32_t a = 0; a < c->plan->layout.rank; a++) {
        uint32_t width = (uint32_t)c->tile->size[a];
        if (source != NEVER)
            width = (uint32_t)extent(c, source, a);
        x[a] = number % width;
        number /= width;
        if (source != NEVER)
            x[a] -= c->plan->sources[source].reach[a][0];
    }
}

static void load_from(struct compiler *c, uint32_t to, uint32_t stream, const int64_t *x,
                      uint32_t part)
{
    const struct cm_config *config = c->plan->config;
    struct cm_operand from = memory(c, stream, x, part, config->memory_load_cycles,
                                    config->memory_load_page_fault_cycles);
    EMIT(c, c->ops->load, cm_reg(to), from);
}

/* Returns the stream of the source element that a value is, and sets x to the element's coordinates
 * from the tile's start. */
static uint32_t find_element(const struct compiler *c, uint32_t value, int64_t *x)
{
    uint32_t source = c->plan->source_count - 1;
    while (c->first_of_source[source] > value)
        source--;
    coordinates(c, value - c->first_of_source[source], source, x);
    return stream_of(c, source, x);
}

/* Emits the load of a component of a value into a register. */
static void load(struct compiler *c, uint32_t to, uint32_t value, uint32_t part)
{
    int64_t x[CM_STENCIL_RANK_MAX];
    if (value >= c->first_scalar) {
        uint32_t argument = cm_stencil_scalar_argument(c->plan, value - c->first_scalar) + part;
        c->cost->cycles += (uint64_t)c->plan->config->front_end_scalar_cycles * c->part_words;
        EMIT(c, c->ops->scalar, cm_reg(to), cm_value(argument));
    } else if (value >= c->first_of_arrays) {
        uint32_t number = value - c->first_of_arrays;
        coordinates(c, number % c->result_count, NEVER, x);
        load_from(c, to, array_stream(c, number / c->result_count), x, part);
    } else {
        uint32_t stream = find_element(c, value, x);
        load_from(c, to, stream, x, part);
        c->cost->loads += part == 0;
    }
}

static void release(struct compiler *c, uint32_t number)
{
    struct held *held = &c->held[number];
    if (held->what == HOLDS_VALUE)
        c->register_of_value[held->number * c->parts + held->part] = NO_REGISTER;
    held->what = HOLDS_NOTHING;
    c->locked &= ~(UINT32_C(1) << number);
}

/* Returns the register of the complete result with the lowest number. There must be a complete
 * result. */
static uint32_t lowest_result(const struct compiler *c)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < CM_FPU_REGISTERS; i++) {
        const struct held *held = &c->held[i], *least = &c->held[best];
        if (held->what == HOLDS_RESULT &&
            (least->what != HOLDS_RESULT || held->number < least->number ||
             (held->number == least->number && held->part < least->part)))
            best = i;
    }
    return best;
}

/* Emits the stores of all complete results in ascending order. */
static void store_finished(struct compiler *c)
{
    const struct cm_config *config = c->plan->config;
    int64_t x[CM_STENCIL_RANK_MAX];
    while (c->finished > 0) {
        uint32_t best = lowest_result(c);
        coordinates(c, c->held[best].number, NEVER, x);
        struct cm_operand to = memory(c, 0, x, c->held[best].part, config->memory_store_cycles,
                                      config->memory_store_page_fault_cycles);
        EMIT(c, c->ops->store, to, cm_reg(best));
        release(c, best);
        c->finished--;
    }
}

/* Returns a register that holds nothing, or CM_FPU_REGISTERS if there is no such register. */
static uint32_t find_free(const struct compiler *c)
{
    uint32_t i = 0;
    while (i < CM_FPU_REGISTERS && c->held[i].what != HOLDS_NOTHING)
        i++;
    return i;
}

/* Returns the register of the value whose next use is farthest, locked registers excepted. Returns
 * CM_FPU_REGISTERS if there is no such register. */
static uint32_t find_victim(const struct compiler *c)
{
    uint32_t victim = CM_FPU_REGISTERS, latest = 0;
    for (uint32_t i = 0; i < CM_FPU_REGISTERS; i++) {
        if (c->held[i].what != HOLDS_VALUE || (c->locked >> i & 1))
            continue;
        if (victim == CM_FPU_REGISTERS || c->next_use[c->held[i].number] > latest) {
            victim = i;
            latest = c->next_use[c->held[i].number];
        }
    }
    return victim;
}

/* Returns the register of a value that this block of results does not use again, or
 * CM_FPU_REGISTERS if there is no such register. */
static uint32_t find_idle(const struct compiler *c)
{
    const uint32_t victim = find_victim(c);
    if (victim == CM_FPU_REGISTERS || c->next_use[c->held[victim].number] < c->at + c->far)
        return CM_FPU_REGISTERS;
    return victim;
}

/*
 * Returns a register for a new content. The first choice is a free register, then one whose value
 * this block does not use again, then one that a complete result frees when it is stored, then that
 * of the value whose next use is farthest. Sets cost->fits to false if all registers are locked.
 */
static uint32_t take(struct compiler *c, struct held held)
{
    uint32_t number = find_free(c);
    if (number == CM_FPU_REGISTERS)
        number = find_idle(c);
    if (number == CM_FPU_REGISTERS) {
        store_finished(c);
        number = find_free(c);
    }
    if (number == CM_FPU_REGISTERS)
        number = find_victim(c);
    if (number == CM_FPU_REGISTERS) {
        c->cost->fits = false; /* no code is emitted after this operation */
        number = 0;
    }
    release(c, number);
    c->held[number] = held;
    c->locked |= UINT32_C(1) << number;
    return number;
}

/* Loads all components of a value that are not in a register yet, and locks their registers. */
static void ensure(struct compiler *c, uint32_t value, uint32_t registers[2])
{
    for (uint32_t part = 0; part < c->parts; part++) {
        uint8_t *at = &c->register_of_value[value * c->parts + part];
        if (*at == NO_REGISTER) {
            *at = (uint8_t)take(c, (struct held){HOLDS_VALUE, value, part});
            load(c, *at, value, part);
        }
        c->locked |= UINT32_C(1) << *at;
        registers[part] = *at;
    }
}

/* Returns true if a source element is in the open page of memory. */
static bool in_open_page(const struct compiler *c, uint32_t value)
{
    int64_t x[CM_STENCIL_RANK_MAX], words;
    uint32_t stream = find_element(c, value, x);
    return is_open(c, stream, address_of(c, stream, x, &words));
}

static uint32_t count_free(const struct compiler *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < CM_FPU_REGISTERS; i++)
        count += c->held[i].what == HOLDS_NOTHING;
    return count;
}

/* Loads elements that the next operations need from the page that was just opened. Their registers
 * are not locked. */
static void load_ahead(struct compiler *c)
{
    const uint32_t locked = c->locked, count = c->operations.count - c->at;
    const uint32_t ahead = c->tile->order.ahead < count ? c->tile->order.ahead : count;
    uint32_t registers[2];
    for (uint32_t i = 1; i < ahead && count_free(c) >= c->parts; i++) {
        uint32_t element = c->operations.items[c->at + i].element;
        if (c->register_of_value[element * c->parts] == NO_REGISTER && in_open_page(c, element))
            ensure(c, element, registers);
    }
    c->locked = locked;
}

/* Loads the source element of the current operation, and further elements of its page if the load
 * opens a page. */
static void ensure_element(struct compiler *c, uint32_t element, uint32_t registers[2])
{
    bool opens = c->tile->order.ahead > 0 &&
                 c->register_of_value[element * c->parts] == NO_REGISTER &&
                 !in_open_page(c, element);
    ensure(c, element, registers);
    if (opens)
        load_ahead(c);
}

/* Updates the next use of a value, and frees the value's registers after its last use. */
static void end_use(struct compiler *c, uint32_t value, uint32_t next, const uint32_t registers[2])
{
    c->next_use[value] = next;
    for (uint32_t part = 0; part < c->parts && next == NEVER; part++)
        if (c->held[registers[part]].what == HOLDS_VALUE)
            release(c, registers[part]);
}

static void arithmetic(struct compiler *c, enum cm_op op, uint32_t to, uint32_t a, uint32_t b)
{
    c->cost->cycles += op == c->ops->multiply || op == CM_OP_IMUL
                           ? c->plan->config->fpu_multiply_cycles
                           : c->plan->config->fpu_add_cycles;
    EMIT(c, op, cm_reg(to), cm_reg(a), cm_reg(b));
}

static void multiply_add(struct compiler *c, uint32_t to, uint32_t a, uint32_t b, uint32_t sum)
{
    c->cost->cycles += c->plan->config->fpu_multiply_add_cycles;
    EMIT(c, c->ops->multiply_add, cm_reg(to), cm_reg(a), cm_reg(b), cm_reg(sum));
}

/* Returns the register of a result's sum. The first term of the result allocates the register. */
static uint32_t sum_of(struct compiler *c, uint32_t result, uint32_t part)
{
    uint8_t *at = &c->register_of_result[result * c->parts + part];
    if (*at == NO_REGISTER)
        *at = (uint8_t)take(c, (struct held){HOLDS_SUM, result, part});
    return *at;
}

static void add_real(struct compiler *c, uint32_t result, bool first, uint32_t coefficient,
                     uint32_t element)
{
    uint32_t sum = sum_of(c, result, 0);
    if (first)
        arithmetic(c, c->ops->multiply, sum, coefficient, element);
    else
        multiply_add(c, sum, coefficient, element, sum);
}

static void add_integer(struct compiler *c, uint32_t result, bool first, uint32_t coefficient,
                        uint32_t element)
{
    uint32_t sum = sum_of(c, result, 0);
    uint32_t product = first ? sum : take(c, (struct held){.what = HOLDS_PRODUCT});
    arithmetic(c, CM_OP_IMUL, product, coefficient, element);
    if (first)
        return;
    arithmetic(c, CM_OP_IADD, sum, sum, product);
    release(c, product);
}

/* Emits the addition of (a + bi)(d + ei) to a sum, with the instructions of elementwise/combine.h.
 */
static void add_complex(struct compiler *c, uint32_t result, bool first, const uint32_t *ab,
                        const uint32_t *de)
{
    uint32_t re = sum_of(c, result, 0), im = sum_of(c, result, 1);
    uint32_t p = take(c, (struct held){.what = HOLDS_PRODUCT});
    uint32_t q = take(c, (struct held){.what = HOLDS_PRODUCT});
    arithmetic(c, c->ops->multiply, p, ab[0], de[0]);
    arithmetic(c, c->ops->multiply, q, ab[1], de[1]);
    arithmetic(c, c->ops->subtract, first ? re : p, p, q);
    if (!first)
        arithmetic(c, c->ops->add, re, re, p);
    arithmetic(c, c->ops->multiply, p, ab[0], de[1]);
    multiply_add(c, first ? im : p, ab[1], de[0], p);
    if (!first)
        arithmetic(c, c->ops->add, im, im, p);
    release(c, p);
    release(c, q);
}

static void finish_result(struct compiler *c, uint32_t result)
{
    for (uint32_t part = 0; part < c->parts; part++)
        c->held[c->register_of_result[result * c->parts + part]].what = HOLDS_RESULT;
    c->finished += c->parts;
}

static void operate(struct compiler *c, const struct operation *operation)
{
    uint32_t element[2], coefficient[2];
    bool first = c->terms_left[operation->result] == c->plan->pattern.term_count;
    c->locked = 0;
    ensure_element(c, operation->element, element);
    ensure(c, operation->coefficient, coefficient);
    /*
     * A real sum may take the register of its operand. A complex sum needs its operands until its
     * last instruction.
     */
    if (c->parts == 1) {
        end_use(c, operation->element, operation->next_element, element);
        end_use(c, operation->coefficient, operation->next_coefficient, coefficient);
    }
    if (c->parts == 2)
        add_complex(c, operation->result, first, coefficient, element);
    else if (c->plan->layout.type == CM_TYPE_INT32)
        add_integer(c, operation->result, first, coefficient[0], element[0]);
    else
        add_real(c, operation->result, first, coefficient[0], element[0]);
    if (c->parts == 2) {
        end_use(c, operation->element, operation->next_element, element);
        end_use(c, operation->coefficient, operation->next_coefficient, coefficient);
    }
    if (--c->terms_left[operation->result] == 0)
        finish_result(c, operation->result);
    if (operation->ends >= c->tile->order.stores)
        store_finished(c);
}

/* Returns the number of operations after which the use of a value belongs to the next block of
 * results. */
static uint32_t far_use(const struct compiler *c)
{
    const int64_t size = c->tile->size[0], block = c->tile->order.block;
    const int64_t count = c->operations.count;
    return (uint32_t)(block > 0 && block < size ? count * block / (size * BLOCK_SHARE) : count);
}

static bool allocate(struct compiler *c)
{
    c->register_of_value = malloc((size_t)c->value_count * c->parts);
    c->register_of_result = malloc((size_t)c->result_count * c->parts);
    c->next_use = malloc(c->value_count * sizeof *c->next_use);
    c->terms_left = malloc(c->result_count * sizeof *c->terms_left);
    if (!c->register_of_value || !c->register_of_result || !c->next_use || !c->terms_left)
        return false;
    memset(c->register_of_value, NO_REGISTER, (size_t)c->value_count * c->parts);
    memset(c->register_of_result, NO_REGISTER, (size_t)c->result_count * c->parts);
    for (uint32_t i = 0; i < c->result_count; i++)
        c->terms_left[i] = c->plan->pattern.term_count;
    return true;
}

enum cm_status cm_stencil_tile_compile(const struct cm_stencil_tile *tile, struct cm_imp *imp,
                                       struct cm_stencil_streams *streams,
                                       struct cm_stencil_cost *cost, struct cm_error *err)
{
    struct compiler c = {.tile = tile,
                         .plan = tile->plan,
                         .imp = imp,
                         .streams = streams,
                         .cost = cost,
                         .ops = cm_fpu_ops(tile->plan->layout.type),
                         .parts = cm_type_components(tile->plan->layout.type),
                         .last_stream = NEVER};
    c.part_words = tile->plan->layout.slices / c.parts;
    *cost = (struct cm_stencil_cost){.fits = true};
    number_values(&c);
    list_operations(&c);
    bool ready = allocate(&c) && !c.operations.failed;
    if (ready)
        find_next_uses(&c);
    c.far = far_use(&c);
    for (; ready && cost->fits && c.at < c.operations.count; c.at++)
        operate(&c, &c.operations.items[c.at]);
    if (ready && cost->fits)
        store_finished(&c);
    cm_list_finish(&c.operations);
    free(c.register_of_value);
    free(c.register_of_result);
    free(c.next_use);
    free(c.terms_left);
    return ready ? CM_OK : cm_error_no_memory(err);
}
