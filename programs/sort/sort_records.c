/*
 * Converts arrays to records and back. The bits of a floating-point number, taken as an integer,
 * have the number's order if the sign is not set, and the opposite order if it is. In the second
 * case all bits except the sign are inverted. A number of 64 bits gives two words. The second word
 * would be unsigned, so its first bit is also inverted. Descending order is ascending order of the
 * negated numbers, or of the complements of integers. The loops over the elements of a node:
 *
 *     loop over the outer indices, over the inner ones     a column of the array
 *       moves                                              the carried words
 *       loop over a few places                             key and index
 */
#include "sort_private.h"

/* number of places that are converted together, so that a page of memory is opened once for four
 * places */
#define PLACES 4u

/* FPU registers: first constants, then the registers of each place. */
enum {
    FPU_ONE,    /* the integer 1 */
    FPU_LAST,   /* the integer 31 */
    FPU_SIGN,   /* a word with only the first bit */
    FPU_ALL,    /* a word with all bits */
    FPU_MOST,   /* word of padding, the last in every order */
    FPU_LENGTH, /* length of the axis */
    FPU_FLIP,   /* all bits in nodes whose records are complemented, 0 elsewhere */
    FPU_BASE,   /* index along the axis of the node's first element */
    FPU_INDEX,  /* index along the axis of the next place */
    FPU_SIGNS,
    FPU_NEGATED,
    FPU_PLACES,
    PLACE_KEY = 0, /* the number at the place, or the first word of its key */
    PLACE_LOW,     /* the second word of the key */
    PLACE_INDEX,
    PLACE_REGISTERS,
};
_Static_assert(FPU_PLACES + PLACES * PLACE_REGISTERS <= CM_FPU_REGISTERS, "places have registers");

struct columns {
    uint64_t outers, stride,
        /* number of outer columns, number of elements between two neighbours in a column, number of
         * elements of a column */
        length;
    uint32_t slices; /* number of words of a key */
    void (*begin)(struct cm_sorter *c, const struct columns *columns);
    void (*places)(struct cm_sorter *c, const struct columns *columns, uint32_t count);
};

static bool is_real(const struct cm_sorter *c)
{
    const enum cm_type type = c->own->task.layout.type;
    return type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64;
}

static bool is_wide(const struct cm_sorter *c)
{
    return c->own->task.layout.type == CM_TYPE_REAL64;
}

static unsigned register_of(uint32_t place, unsigned which)
{
    return FPU_PLACES + place * PLACE_REGISTERS + which;
}

static struct columns columns_of(const struct cm_sorter *c)
{
    const struct cm_layout *layout = &c->own->task.layout;
    const struct cm_axis *axis = &layout->axes[c->own->task.axis];
    return (struct columns){.outers = layout->local_elements / axis->stride / axis->local_length,
                            .stride = axis->stride,
                            .length = axis->local_length,
                            .slices = layout->slices};
}

static void emit_constants(struct cm_sorter *c)
{
    const struct cm_axis *axis = &c->own->task.layout.axes[c->own->task.axis];
    cm_sort_constant(c, FPU_ONE, 1);
    cm_sort_constant(c, FPU_LAST, 31);
    cm_sort_constant(c, FPU_SIGN, UINT32_C(1) << 31);
    cm_sort_constant(c, FPU_ALL, UINT32_MAX);
    cm_sort_constant(c, FPU_MOST, INT32_MAX);
    cm_sort_constant(c, FPU_LENGTH, (uint32_t)axis->length);
    cm_sort_constant(c, FPU_FLIP, 0);
    CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(FPU_BASE), cm_mem(ADDRESS_TABLES, TABLE_BASE));
    if (c->own->dimensions == 0)
        return;
    CM_EMIT(c->imp, CM_OP_CTXLOAD, cm_mem(ADDRESS_TABLES, TABLE_CODE),
            cm_value(c->own->first_dimension));
    cm_sort_op(c, CM_OP_FSEL32, FPU_FLIP, FPU_ALL, FPU_FLIP);
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
}

/* Emits code that moves the registers over arrays by `count` places of a column. */
static void emit_walkers(struct cm_sorter *c, const struct columns *columns, uint64_t count)
{
    const int64_t places = (int64_t)(count * columns->stride);
    cm_emit_advance(c->imp, REG_KEY, places * columns->slices);
    if (c->own->task.ranked)
        cm_emit_advance(c->imp, REG_RANK, places);
    cm_emit_advance(c->imp, REG_RECORD, (int64_t)(count * c->record->words));
}

static void emit_column(struct cm_sorter *c, const struct columns *columns)
{
    const uint64_t times = columns->length / PLACES, rest = columns->length % PLACES;
    columns->begin(c, columns);
    if (times > 0) {
        const uint32_t loop = cm_sort_begin_loop(c, times);
        columns->places(c, columns, PLACES);
        emit_walkers(c, columns, PLACES);
        cm_sort_end_loop(c, times, loop);
    }
    if (rest > 0) {
        columns->places(c, columns, (uint32_t)rest);
        emit_walkers(c, columns, rest);
    }
}

/* Emits code that moves the registers over arrays by a number of elements. Registers of carried
 * arrays move in their own element sizes. */
static void emit_move_on(struct cm_sorter *c, const struct columns *columns, int64_t elements,
                         int64_t carried)
{
    cm_emit_advance(c->imp, REG_KEY, elements * columns->slices);
    if (c->own->task.ranked)
        cm_emit_advance(c->imp, REG_RANK, elements);
    for (uint32_t i = 0; i < c->own->task.carried; i++)
        cm_emit_advance(c->imp, REG_COLUMNS + i,
                        carried * cm_type_slices(c->own->task.carried_types[i]));
}

static void emit_columns(struct cm_sorter *c, const struct columns *columns)
{
    const int64_t stride = (int64_t)columns->stride, column = (int64_t)columns->length * stride;
    cm_emit_point(c->imp, REG_RECORD, ADDRESS_WORK, 0);
    const uint32_t outer = cm_sort_begin_loop(c, columns->outers);
    const uint32_t inner = cm_sort_begin_loop(c, columns->stride);
    emit_column(c, columns);
    emit_move_on(c, columns, 1 - column, 1);
    cm_sort_end_loop(c, columns->stride, inner);
    emit_move_on(c, columns, column - stride, column - stride);
    cm_sort_end_loop(c, columns->outers, outer);
}

/* Emits moves of the words of carried arrays, from a column to its records or from records to the
 * column. */
static void emit_carried(struct cm_sorter *c, const struct columns *columns, bool to_records)
{
    for (uint32_t i = 0; i < c->own->task.carried; i++) {
        const uint32_t words = cm_type_slices(c->own->task.carried_types[i]);
        for (uint32_t w = 0; w < words; w++) {
            const struct cm_operand array = cm_mem(REG_COLUMNS + i, w);
            const struct cm_operand record =
                cm_mem(REG_RECORD, c->own->carried_offsets[i] + (int64_t)w);
            const struct cm_operand in_array = cm_value((int64_t)(columns->stride * words));
            const struct cm_operand in_record = cm_value(c->record->words);
            CM_EMIT(c->imp, CM_OP_MOVE, to_records ? record : array, to_records ? array : record,
                    cm_value((int64_t)columns->length), to_records ? in_record : in_array,
                    to_records ? in_array : in_record);
        }
    }
}

static void begin_prepare(struct cm_sorter *c, const struct columns *columns)
{
    emit_carried(c, columns, true);
    cm_sort_op(c, CM_OP_IOR, FPU_INDEX, FPU_BASE, FPU_BASE);
}

static void begin_deliver(struct cm_sorter *c, const struct columns *columns)
{
    emit_carried(c, columns, false);
}

/* Emits the removal of a NaN's sign. If the order is descending, other numbers are negated. */
static void emit_number(struct cm_sorter *c, unsigned key)
{
    const bool wide = is_wide(c), descending = c->own->task.descending;
    CM_EMIT(c->imp, wide ? CM_OP_FEQ64 : CM_OP_FEQ32, cm_reg(key), cm_reg(key));
    if (descending)
        CM_EMIT(c->imp, wide ? CM_OP_FNEG64 : CM_OP_FNEG32, cm_reg(FPU_NEGATED), cm_reg(key));
    CM_EMIT(c->imp, wide ? CM_OP_FABS64 : CM_OP_FABS32, cm_reg(FPU_SIGNS), cm_reg(key));
    cm_sort_op(c, wide ? CM_OP_FSEL64 : CM_OP_FSEL32, key, descending ? FPU_NEGATED : key,
               FPU_SIGNS);
}

/* Emits the conversion of a number's bits to integers of the same order, or back. The operations
 * are the same in both directions. `low` is the register of the second word of a 64-bit number. */
static void emit_order(struct cm_sorter *c, unsigned high, unsigned low)
{
    cm_sort_op(c, CM_OP_ISAR, FPU_SIGNS, high, FPU_LAST);
    if (is_wide(c)) {
        cm_sort_op(c, CM_OP_IXOR, low, low, FPU_SIGNS);
        cm_sort_op(c, CM_OP_IXOR, low, low, FPU_SIGN);
    }
    cm_sort_op(c, CM_OP_ISHR, FPU_SIGNS, FPU_SIGNS, FPU_ONE);
    cm_sort_op(c, CM_OP_IXOR, high, high, FPU_SIGNS);
}

static void emit_key(struct cm_sorter *c, unsigned key, unsigned low)
{
    if (!is_real(c)) {
        if (c->own->task.descending)
            cm_sort_op(c, CM_OP_IXOR, key, key, FPU_ALL);
        return;
    }
    emit_number(c, key);
    if (is_wide(c)) {
        cm_sort_op(c, CM_OP_IOR, low, key, key);
        CM_EMIT(c->imp, CM_OP_FHIGH, cm_reg(key), cm_reg(key));
    }
    emit_order(c, key, low);
}

/* Emits the words of key and index at a place. Where there is no element, they are padding. In
 * nodes whose records are complemented, they are complemented. */
static void emit_words(struct cm_sorter *c, uint32_t place)
{
    const struct cm_axis *axis = &c->own->task.layout.axes[c->own->task.axis];
    const unsigned index = register_of(place, PLACE_INDEX);
    const unsigned words[] = {register_of(place, PLACE_KEY),
                              is_wide(c) ? register_of(place, PLACE_LOW) : index, index};
    if (axis->padded || c->record->index > 0) {
        cm_sort_op(c, CM_OP_IOR, index, FPU_INDEX, FPU_INDEX);
        cm_sort_op(c, CM_OP_IADD, FPU_INDEX, FPU_INDEX, FPU_ONE);
    }
    if (axis->padded)
        CM_EMIT(c->imp, CM_OP_ILT, cm_reg(index), cm_reg(FPU_LENGTH));
    for (uint32_t i = 0; i < c->record->keys; i++) {
        if (axis->padded && !(words[i] == index && c->own->keeps_index))
            cm_sort_op(c, CM_OP_FSEL32, words[i], words[i], FPU_MOST);
        if (c->own->dimensions > 0)
            cm_sort_op(c, CM_OP_IXOR, words[i], words[i], FPU_FLIP);
    }
}

static struct cm_place key_place(const struct columns *columns, uint32_t place)
{
    return (struct cm_place){REG_KEY, (int64_t)(place * columns->stride * columns->slices)};
}

/* Emits the load or the store of a word of a record. */
static void emit_record_word(struct cm_sorter *c, uint32_t place, uint32_t word, unsigned reg,
                             bool store)
{
    const struct cm_operand memory = cm_mem(REG_RECORD, (int64_t)(place * c->record->words) + word);
    if (store)
        CM_EMIT(c->imp, CM_OP_FSTORE32, memory, cm_reg(reg));
    else
        CM_EMIT(c->imp, CM_OP_FLOAD32, cm_reg(reg), memory);
}

static void emit_record_words(struct cm_sorter *c, uint32_t count, bool store)
{
    for (uint32_t k = 0; k < count; k++) {
        emit_record_word(c, k, 0, register_of(k, PLACE_KEY), store);
        if (is_wide(c))
            emit_record_word(c, k, 1, register_of(k, PLACE_LOW), store);
        if (c->record->index > 0)
            emit_record_word(c, k, c->record->index, register_of(k, PLACE_INDEX), store);
    }
}

static void places_to_records(struct cm_sorter *c, const struct columns *columns, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const struct cm_place from = key_place(columns, k);
        CM_EMIT(c->imp, is_wide(c) ? CM_OP_FLOAD64 : CM_OP_FLOAD32,
                cm_reg(register_of(k, PLACE_KEY)), cm_mem(from.reg, from.offset));
    }
    for (uint32_t k = 0; k < count; k++) {
        emit_key(c, register_of(k, PLACE_KEY), register_of(k, PLACE_LOW));
        emit_words(c, k);
    }
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    emit_record_words(c, count, true);
}

/* Emits the conversion of a key back to a number, which ends in the register of the key's first
 * word. */
static void emit_number_of(struct cm_sorter *c, unsigned key, unsigned low)
{
    const bool wide = is_wide(c), descending = c->own->task.descending;
    if (is_real(c))
        emit_order(c, key, low);
    if (wide)
        cm_sort_op(c, CM_OP_FJOIN, key, low, key);
    if (!descending)
        return;
    if (!is_real(c)) {
        cm_sort_op(c, CM_OP_IXOR, key, key, FPU_ALL);
        return;
    }
    CM_EMIT(c->imp, wide ? CM_OP_FEQ64 : CM_OP_FEQ32, cm_reg(key), cm_reg(key));
    CM_EMIT(c->imp, wide ? CM_OP_FNEG64 : CM_OP_FNEG32, cm_reg(FPU_NEGATED), cm_reg(key));
    cm_sort_op(c, wide ? CM_OP_FSEL64 : CM_OP_FSEL32, key, FPU_NEGATED, key);
}

static void places_to_arrays(struct cm_sorter *c, const struct columns *columns, uint32_t count)
{
    emit_record_words(c, count, false);
    for (uint32_t k = 0; k < count; k++) {
        const unsigned index = register_of(k, PLACE_INDEX);
        if (!c->own->task.keyless)
            emit_number_of(c, register_of(k, PLACE_KEY), register_of(k, PLACE_LOW));
        if (c->own->task.ranked && c->own->doubled)
            cm_sort_op(c, CM_OP_ISHR, index, index, FPU_ONE);
        if (c->own->task.ranked)
            cm_sort_op(c, CM_OP_IADD, index, index, FPU_ONE);
    }
    cm_imp_emit(c->imp, CM_OP_CTXALL, NULL, 0);
    for (uint32_t k = 0; !c->own->task.keyless && k < count; k++) {
        const struct cm_place to = key_place(columns, k);
        CM_EMIT(c->imp, is_wide(c) ? CM_OP_FSTORE64 : CM_OP_FSTORE32, cm_mem(to.reg, to.offset),
                cm_reg(register_of(k, PLACE_KEY)));
    }
    for (uint32_t k = 0; c->own->task.ranked && k < count; k++)
        CM_EMIT(c->imp, CM_OP_FSTORE32, cm_mem(REG_RANK, (int64_t)(k * columns->stride)),
                cm_reg(register_of(k, PLACE_INDEX)));
}

/* Emits code that points the registers over arrays to the first column of the sources or the
 * destinations. */
static void emit_begin(struct cm_sorter *c, bool sources)
{
    emit_constants(c);
    cm_emit_point(c->imp, REG_KEY, sources ? ADDRESS_SRC : ADDRESS_DST, 0);
    cm_emit_point(c->imp, REG_RANK, ADDRESS_RANK, 0);
    for (uint32_t i = 0; i < c->own->task.carried; i++)
        cm_emit_point(c->imp, REG_COLUMNS + i, ADDRESS_CARRIED + 2 * i + (sources ? 0 : 1), 0);
}

void cm_sort_prepare(struct cm_sorter *c)
{
    struct columns columns = columns_of(c);
    columns.begin = begin_prepare;
    columns.places = places_to_records;
    emit_begin(c, true);
    emit_columns(c, &columns);
}

void cm_sort_deliver(struct cm_sorter *c)
{
    struct columns columns = columns_of(c);
    columns.begin = begin_deliver;
    columns.places = places_to_arrays;
    emit_begin(c, false);
    emit_columns(c, &columns);
}
