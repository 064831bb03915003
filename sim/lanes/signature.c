/*
 * Translation rules, which say what code an operation becomes, and the description of a queue by
 * its signature.
 */
#include "signature.h"

#include "code.h"
#include "fpu.h"

#include <stdlib.h>
#include <string.h>

const char cm_lane_form_kinds[CM_LANE_FORM_COUNT][CM_LANE_OPERANDS + 1] = {
    [CM_LANE_CALL] = "wwwww",          [CM_LANE_CALL_NUMBER] = "wwwww",
    [CM_LANE_COPY] = "ww---",          [CM_LANE_COPY_64] = "dd---",
    [CM_LANE_COPY_MASKED] = "ww---",   [CM_LANE_FILL] = "w----",
    [CM_LANE_FILL_64] = "d----",       [CM_LANE_LOAD_64] = "dww--",
    [CM_LANE_STORE_64] = "wwd--",      [CM_LANE_STORE_64_MASKED] = "wwd--",
    [CM_LANE_JOIN] = "h----",          [CM_LANE_SPLIT] = "h----",
    [CM_LANE_HIGH_HALF] = "wh---",     [CM_LANE_HALVES] = "hww--",
    [CM_LANE_WORDS_TO_MASK] = "-w---", [CM_LANE_MASK_AND_WORDS] = "-w---",
    [CM_LANE_BIT_TO_MASK] = "-w---",   [CM_LANE_MASK_AND_BIT] = "-w---",
    [CM_LANE_MASK_NOT] = "-----",      [CM_LANE_MASK_TO_WORDS] = "w----",
    [CM_LANE_UNARY_32] = "ww---",      [CM_LANE_UNARY_64] = "dd---",
    [CM_LANE_BINARY_32] = "www--",     [CM_LANE_BINARY_64] = "ddd--",
    [CM_LANE_BITS_32] = "ww---",       [CM_LANE_BITS_64] = "dd---",
    [CM_LANE_PRODUCT_32] = "wwww-",    [CM_LANE_PRODUCT_64] = "dddd-",
    [CM_LANE_COMPARE_32] = "-ww--",    [CM_LANE_COMPARE_64] = "-dd--",
    [CM_LANE_SELECT_32] = "www--",     [CM_LANE_SELECT_64] = "ddd--",
    [CM_LANE_SELECT_HALVES] = "hhh-h", [CM_LANE_WIDEN] = "hw---",
    [CM_LANE_NARROW] = "wh---",
};

static uint32_t hash_kernel(cm_lane_kernel kernel)
{
    return (uint32_t)((uintptr_t)kernel * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

static void add_rule(struct cm_lane_rules *rules, cm_lane_kernel kernel, enum cm_lane_form form,
                     enum cm_vector_op op, uint64_t bits)
{
    uint32_t at = hash_kernel(kernel);
    if (!kernel || rules->count == CM_LANE_RULES_MAX)
        return;
    rules->rules[rules->count++] = (struct cm_lane_rule){kernel, form, op, bits};
    while (rules->index[at])
        at = (at + 1) % 256;
    rules->index[at] = (uint8_t)rules->count;
}

static uint32_t find_rule(const struct cm_lane_rules *rules, cm_lane_kernel kernel)
{
    for (uint32_t at = hash_kernel(kernel); rules->index[at]; at = (at + 1) % 256)
        if (rules->rules[rules->index[at] - 1].kernel == kernel)
            return rules->index[at] - 1u;
    return CM_LANE_CALL; /* rules 0 and 1 are the calls */
}

/* FPU instructions that are one operation on vectors. */
static const struct {
    enum cm_op op;
    enum cm_lane_form form;
    enum cm_vector_op vector_op;
    uint64_t bits;
} arithmetic[] = {
    {CM_OP_FADD32, CM_LANE_BINARY_32, CM_VECTOR_OP_ADD_F32, 0},
    {CM_OP_FADD64, CM_LANE_BINARY_64, CM_VECTOR_OP_ADD_F64, 0},
    {CM_OP_FSUB32, CM_LANE_BINARY_32, CM_VECTOR_OP_SUB_F32, 0},
    {CM_OP_FSUB64, CM_LANE_BINARY_64, CM_VECTOR_OP_SUB_F64, 0},
    {CM_OP_FMUL32, CM_LANE_BINARY_32, CM_VECTOR_OP_MUL_F32, 0},
    {CM_OP_FMUL64, CM_LANE_BINARY_64, CM_VECTOR_OP_MUL_F64, 0},
    {CM_OP_FDIV32, CM_LANE_BINARY_32, CM_VECTOR_OP_DIV_F32, 0},
    {CM_OP_FDIV64, CM_LANE_BINARY_64, CM_VECTOR_OP_DIV_F64, 0},
    {CM_OP_FMIN32, CM_LANE_BINARY_32, CM_VECTOR_OP_MIN_F32, 0},
    {CM_OP_FMIN64, CM_LANE_BINARY_64, CM_VECTOR_OP_MIN_F64, 0},
    {CM_OP_FMAX32, CM_LANE_BINARY_32, CM_VECTOR_OP_MAX_F32, 0},
    {CM_OP_FMAX64, CM_LANE_BINARY_64, CM_VECTOR_OP_MAX_F64, 0},
    {CM_OP_FSQRT32, CM_LANE_UNARY_32, CM_VECTOR_OP_SQRT_F32, 0},
    {CM_OP_FSQRT64, CM_LANE_UNARY_64, CM_VECTOR_OP_SQRT_F64, 0},
    {CM_OP_FNEG32, CM_LANE_BITS_32, CM_VECTOR_OP_XOR_32, UINT64_C(1) << 31},
    {CM_OP_FNEG64, CM_LANE_BITS_64, CM_VECTOR_OP_XOR_64, UINT64_C(1) << 63},
    {CM_OP_FABS32, CM_LANE_BITS_32, CM_VECTOR_OP_AND_32, INT32_MAX},
    {CM_OP_FABS64, CM_LANE_BITS_64, CM_VECTOR_OP_AND_64, INT64_MAX},
    {CM_OP_FMA32, CM_LANE_PRODUCT_32, CM_VECTOR_OP_NONE, 0},
    {CM_OP_FMA64, CM_LANE_PRODUCT_64, CM_VECTOR_OP_NONE, 0},
    {CM_OP_IADD, CM_LANE_BINARY_32, CM_VECTOR_OP_ADD_I32, 0},
    {CM_OP_ISUB, CM_LANE_BINARY_32, CM_VECTOR_OP_SUB_I32, 0},
    {CM_OP_IMUL, CM_LANE_BINARY_32, CM_VECTOR_OP_MUL_I32, 0},
    {CM_OP_IMIN, CM_LANE_BINARY_32, CM_VECTOR_OP_MIN_I32, 0},
    {CM_OP_IMAX, CM_LANE_BINARY_32, CM_VECTOR_OP_MAX_I32, 0},
    {CM_OP_IAND, CM_LANE_BINARY_32, CM_VECTOR_OP_AND_32, 0},
    {CM_OP_IOR, CM_LANE_BINARY_32, CM_VECTOR_OP_OR_32, 0},
    {CM_OP_IXOR, CM_LANE_BINARY_32, CM_VECTOR_OP_XOR_32, 0},
    {CM_OP_ISHL, CM_LANE_BINARY_32, CM_VECTOR_OP_SHIFT_LEFT, 0},
    {CM_OP_ISHR, CM_LANE_BINARY_32, CM_VECTOR_OP_SHIFT_RIGHT, 0},
    {CM_OP_ISAR, CM_LANE_BINARY_32, CM_VECTOR_OP_SHIFT_RIGHT_SIGNED, 0},
    {CM_OP_I2F32, CM_LANE_UNARY_32, CM_VECTOR_OP_I32_TO_F32, 0},
    {CM_OP_F2I32, CM_LANE_UNARY_32, CM_VECTOR_OP_F32_TO_I32, 0},
    {CM_OP_I2F64, CM_LANE_WIDEN, CM_VECTOR_OP_I32_TO_F64, 0},
    {CM_OP_F32TO64, CM_LANE_WIDEN, CM_VECTOR_OP_F32_TO_F64, 0},
    {CM_OP_F2I64, CM_LANE_NARROW, CM_VECTOR_OP_F64_TO_I32, 0},
    {CM_OP_F64TO32, CM_LANE_NARROW, CM_VECTOR_OP_F64_TO_F32, 0},
    {CM_OP_FEQ32, CM_LANE_COMPARE_32, CM_VECTOR_OP_EQ_F32, 0},
    {CM_OP_FLT32, CM_LANE_COMPARE_32, CM_VECTOR_OP_LT_F32, 0},
    {CM_OP_FLE32, CM_LANE_COMPARE_32, CM_VECTOR_OP_LE_F32, 0},
    {CM_OP_FEQ64, CM_LANE_COMPARE_64, CM_VECTOR_OP_EQ_F64, 0},
    {CM_OP_FLT64, CM_LANE_COMPARE_64, CM_VECTOR_OP_LT_F64, 0},
    {CM_OP_FLE64, CM_LANE_COMPARE_64, CM_VECTOR_OP_LE_F64, 0},
    {CM_OP_IEQ, CM_LANE_COMPARE_32, CM_VECTOR_OP_EQ_I32, 0},
    {CM_OP_ILT, CM_LANE_COMPARE_32, CM_VECTOR_OP_LT_I32, 0},
    {CM_OP_ILE, CM_LANE_COMPARE_32, CM_VECTOR_OP_LE_I32, 0},
    {CM_OP_FSEL32, CM_LANE_SELECT_32, CM_VECTOR_OP_NONE, 0},
    {CM_OP_FSEL64, CM_LANE_SELECT_64, CM_VECTOR_OP_NONE, 0},
};

void cm_lane_rules_init(struct cm_lane_rules *rules)
{
    const struct cm_fpu_memory_kernels *memory = cm_fpu_memory_kernels();
    const struct {
        cm_lane_kernel kernel;
        enum cm_lane_form form;
    } others[] = {
        {cm_kernel_copy, CM_LANE_COPY},
        {cm_kernel_copy64, CM_LANE_COPY_64},
        {cm_kernel_copy_masked, CM_LANE_COPY_MASKED},
        {cm_kernel_fill, CM_LANE_FILL},
        {cm_kernel_fill64, CM_LANE_FILL_64},
        {memory->load, CM_LANE_LOAD_64},
        {memory->store, CM_LANE_STORE_64},
        {memory->store_masked, CM_LANE_STORE_64_MASKED},
        {cm_fpu_join, CM_LANE_JOIN},
        {cm_fpu_split, CM_LANE_SPLIT},
        {cm_kernel_high_half, CM_LANE_HIGH_HALF},
        {cm_kernel_halves, CM_LANE_HALVES},
        {cm_kernel_words_to_mask, CM_LANE_WORDS_TO_MASK},
        {cm_kernel_mask_and_words, CM_LANE_MASK_AND_WORDS},
        {cm_kernel_bit_to_mask, CM_LANE_BIT_TO_MASK},
        {cm_kernel_mask_and_bit, CM_LANE_MASK_AND_BIT},
        {cm_kernel_mask_not, CM_LANE_MASK_NOT},
        {cm_kernel_mask_to_words, CM_LANE_MASK_TO_WORDS},
        {cm_fpu_select_kernel(false), CM_LANE_SELECT_HALVES},
        {cm_fpu_select_kernel(true), CM_LANE_SELECT_HALVES},
    };
    memset(rules, 0, sizeof *rules);
    for (int form = CM_LANE_CALL; form <= CM_LANE_CALL_NUMBER; form++)
        rules->rules[rules->count++].form = (enum cm_lane_form)form;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_rule(rules, others[i].kernel, others[i].form, CM_VECTOR_OP_NONE, 0);
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++)
        add_rule(rules, cm_fpu_kernel(arithmetic[i].op), arithmetic[i].form,
                 arithmetic[i].vector_op, arithmetic[i].bits);
}

/* ---- numbering ---- */

/* Most planes and constants of a queue that becomes code. A queue with more is executed by loops.
 * With these limits the tables stay in the host's caches. */
#define PLANES_MOST    1024u
#define CONSTANTS_MOST 2048u
_Static_assert(PLANES_MOST <= CM_LANE_PLANES_MAX && CONSTANTS_MOST <= CM_LANE_CONSTANTS_MAX,
               "a symbol has room for the number");

bool cm_lane_numbers_init(struct cm_lane_numbers *numbers, uint32_t most)
{
    numbers->most = most;
    numbers->bits = 1;
    while (UINT32_C(1) << numbers->bits < 2 * most)
        numbers->bits++;
    numbers->entries = calloc((size_t)1 << numbers->bits, sizeof *numbers->entries);
    return numbers->entries != NULL;
}

void cm_lane_numbers_begin(struct cm_lane_numbers *numbers)
{
    numbers->count = 0;
    if (++numbers->stamp == 0) { /* once in 2^32 queues */
        memset(numbers->entries, 0, sizeof *numbers->entries << numbers->bits);
        numbers->stamp = 1;
    }
}

void cm_signature_begin(struct cm_signature *signature, const uint32_t *context)
{
    cm_lane_numbers_begin(&signature->planes);
    cm_lane_numbers_begin(&signature->constants);
    (void)cm_lane_number(&signature->planes, (uintptr_t)context);
}

/* ---- description ---- */

bool cm_signature_init(struct cm_signature *signature, uint32_t capacity, uint32_t plane_words)
{
    const uint32_t planes = PLANES_MOST, constants = CONSTANTS_MOST;
    signature->symbols = calloc(CM_LANE_SYMBOLS_FIRST + (size_t)capacity * CM_LANE_SYMBOLS_MAX,
                                sizeof *signature->symbols);
    signature->parameters = calloc((size_t)planes + constants, sizeof *signature->parameters);
    if (!signature->symbols || !signature->parameters ||
        !cm_lane_numbers_init(&signature->planes, planes) ||
        !cm_lane_numbers_init(&signature->constants, constants))
        return false;
    signature->planes.values = signature->parameters + constants;
    signature->constants.values = signature->planes.values - 1;
    signature->planes.step = 1;
    signature->planes.shift = (uint32_t)__builtin_ctz(plane_words) + 2;
    signature->constants.step = -1;
    return true;
}

void cm_signature_finish(struct cm_signature *signature)
{
    free(signature->symbols);
    free(signature->parameters);
    free(signature->planes.entries);
    free(signature->constants.entries);
}

static void add_symbol(struct cm_signature *signature, uint32_t symbol)
{
    signature->symbols[signature->count++] = (uint16_t)symbol;
}

static void add_constant(struct cm_signature *signature, uint64_t constant)
{
    add_symbol(signature, CM_LANE_CONSTANT + cm_lane_number(&signature->constants, constant));
}

static bool is_slot(const uint32_t *at, const struct cm_lane_place *place)
{
    for (uint32_t i = 0; i < CM_TRANSPOSER_COUNT; i++)
        if (at >= place->slots[i] && at < place->slots[i] + place->slot_words)
            return true;
    return false;
}

static void add_plane(struct cm_signature *signature, uint32_t number,
                      const struct cm_lane_place *place, bool is_result)
{
    const uint32_t *at = (const uint32_t *)(uintptr_t)signature->planes.values[number];
    if (number == 0) {
        add_symbol(signature, CM_LANE_CONTEXT);
        return;
    }
    const bool streams = is_result && place->streams && !is_slot(at, place);
    add_symbol(signature, (streams ? CM_LANE_STREAMED : CM_LANE_PLANE) + number);
}

/* Adds the symbol of a plane, or the symbols of the planes of low and high words. The plane of high
 * words usually has the next number. */
static void add_planes(struct cm_signature *signature, const struct cm_lane_operand *operand,
                       uint32_t count, const struct cm_lane_place *place, bool is_result)
{
    uint32_t number = operand->plane ? operand->plane - 1u
                                     : cm_lane_number(&signature->planes, (uintptr_t)operand->at);
    const uintptr_t high = (uintptr_t)(operand->at + place->plane_words);
    add_plane(signature, number, place, is_result);
    if (count == 1)
        return;
    if (++number >= signature->planes.count || signature->planes.values[number] != high)
        number = cm_lane_number(&signature->planes, high);
    add_plane(signature, number, place, is_result);
}

/* Adds the symbols of an operand. `kind` is its kind in cm_lane_form_kinds. */
static void add_operand(struct cm_signature *signature, const struct cm_lane_operand *operand,
                        char kind, bool is_result, const struct cm_lane_place *place)
{
    switch (operand->kind) {
    case CM_VALUE_NONE:
        add_symbol(signature, CM_LANE_NOTHING);
        break;
    case CM_VALUE_REGISTER:
        add_symbol(signature, (uint32_t)(operand->at - place->registers) / CM_LANE_CODE_NODES);
        break;
    case CM_VALUE_CONSTANT:
        add_constant(signature, kind == 'w' ? (uint32_t)operand->constant : operand->constant);
        break;
    case CM_VALUE_MEMORY:
        add_planes(signature, operand, kind == 'w' ? 1 : 2, place, is_result);
        break;
    }
}

static bool is_result(enum cm_lane_form form, uint32_t i)
{
    return i == 0 || i == 4 ||
           (i == 1 && (form == CM_LANE_STORE_64 || form == CM_LANE_STORE_64_MASKED));
}

static void describe_operation(struct cm_signature *signature, const struct cm_lane_rules *rules,
                               const struct cm_lane_operation *operation,
                               const struct cm_lane_place *place)
{
    const uint32_t number = find_rule(rules, operation->kernel);
    const struct cm_lane_rule *rule = &rules->rules[number];
    const bool is_call = number == CM_LANE_CALL;
    const char *kinds = cm_lane_form_kinds[rule->form];
    add_symbol(signature, is_call && operation->word_step ? CM_LANE_CALL_NUMBER : number);
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        if (kinds[i] != '-')
            add_operand(signature, &operation->operands[i], kinds[i], is_result(rule->form, i),
                        place);
    if (is_call)
        add_constant(signature, (uintptr_t)operation->kernel);
    if (is_call || rule->form == CM_LANE_FILL || rule->form == CM_LANE_FILL_64)
        add_constant(signature, operation->word);
    else if (rule->form == CM_LANE_BIT_TO_MASK || rule->form == CM_LANE_MASK_AND_BIT)
        add_constant(signature, UINT64_C(1) << (operation->word & 31));
    else if (rule->form == CM_LANE_MASK_TO_WORDS)
        add_constant(signature, 1);
    else if (rule->bits)
        add_constant(signature, rule->bits);
}

bool cm_signature_describe(struct cm_signature *signature, const struct cm_lane_rules *rules,
                           const struct cm_lane_queue *queue, const struct cm_lane_place *place)
{
    signature->count = 0;
    for (uint32_t i = 0; i < 64; i += 16)
        add_symbol(signature, (uint32_t)(place->dead >> i & UINT16_MAX));
    for (uint32_t i = 0; i < queue->count; i++) {
        if (queue->operations[i].kernel == cm_kernel_nothing)
            continue;
        if (signature->planes.count + 2 * CM_LANE_OPERANDS > signature->planes.most ||
            signature->constants.count + 2 + CM_LANE_OPERANDS > signature->constants.most)
            return false;
        describe_operation(signature, rules, &queue->operations[i], place);
    }
    return true;
}
