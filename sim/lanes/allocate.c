/*
 * Register allocation. Values get host registers as they are made. When no register is free, the
 * value whose next use is farthest leaves its register (Belady's rule). It is spilled to the stack
 * unless it is in memory anyway.
 *
 * Invariant: a value that is still used is in a register, in a slot, or a leaf in memory.
 */
#include "allocate.h"

#include "code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NEVER UINT32_MAX

bool cm_allocator_init(struct cm_allocator *e, const struct cm_ir *ir,
                       const struct cm_ir_plan *plan)
{
    const size_t places = (size_t)CM_X86_BLOCKS * ir->count;
    e->ir = ir;
    e->plan = plan;
    e->values = ir->count;
    e->register_of = malloc(places * sizeof *e->register_of);
    e->slot_of = malloc(places * sizeof *e->slot_of);
    e->next = malloc(ir->count * sizeof *e->next);
    if (!e->register_of || !e->slot_of || !e->next)
        return false;
    memset(e->register_of, -1, places * sizeof *e->register_of);
    memset(e->slot_of, -1, places * sizeof *e->slot_of);
    memcpy(e->next, plan->first, ir->count * sizeof *e->next);
    return true;
}

void cm_allocator_finish(struct cm_allocator *e)
{
    free(e->register_of);
    free(e->slot_of);
    free(e->next);
}

/* ---- values ---- */

static const struct cm_ir_op *op_of(const struct cm_allocator *e, uint32_t value)
{
    return &e->ir->ops[value];
}

static bool is_constant(const struct cm_ir_op *op)
{
    return op->kind == CM_IR_CONSTANT_32 || op->kind == CM_IR_CONSTANT_64;
}

/* Returns the index of a value of the current lane block in the allocator's arrays. Constants are
 * the same in all blocks. */
static uint32_t key_of(const struct cm_allocator *e, uint32_t value)
{
    return is_constant(op_of(e, value)) ? value : e->x.block * e->values + value;
}

/* Returns the place in the order where a value of a block is used next, from the current place on.
 * Blocks before the current block have finished the current unit. Blocks after it have not begun
 * the unit. */
static uint32_t next_use(struct cm_allocator *e, uint32_t key)
{
    const uint32_t value = key % e->values, block = key / e->values;
    const uint32_t end = e->plan->first[value + 1];
    uint32_t from = block > e->x.block ? e->unit : block < e->x.block ? e->unit_end : e->place + 1;
    if (is_constant(op_of(e, value)))
        from = e->x.block + 1 < e->blocks ? e->unit : e->place + 1;
    uint32_t *at = &e->next[value];
    while (*at < end && e->plan->uses[*at] < e->unit)
        ++*at;
    uint32_t use = *at;
    while (use < end && e->plan->uses[use] < from)
        use++;
    return use < end && e->plan->uses[use] < e->end ? e->plan->uses[use] : NEVER;
}

/* Returns the location in memory of a value that is in no register. */
static struct cm_vector home_of(const struct cm_allocator *e, uint32_t value)
{
    const struct cm_ir_op *op = op_of(e, value);
    switch (op->kind) {
    case CM_IR_CELL:
        return (struct cm_vector){CM_VECTOR_CELL, op->number};
    case CM_IR_PLANE:
        return (struct cm_vector){CM_VECTOR_PLANE, op->number};
    case CM_IR_CONSTANT_32:
        return (struct cm_vector){CM_VECTOR_CONSTANT_32, op->number};
    case CM_IR_CONSTANT_64:
        return (struct cm_vector){CM_VECTOR_CONSTANT_64, op->number};
    default:
        return (struct cm_vector){CM_VECTOR_SLOT, (uint32_t)e->slot_of[key_of(e, value)]};
    }
}

/* ---- registers and slots ---- */

static int16_t take_slot(struct cm_allocator *e, bool *slots, uint32_t count)
{
    uint32_t slot = 0;
    while (slot < count && slots[slot])
        slot++;
    if (slot == count) {
        e->x.full = true;
        return 0;
    }
    slots[slot] = true;
    return (int16_t)slot;
}

/* Removes a value from its register. A value that is nowhere else is spilled to the stack. */
static void leave(struct cm_allocator *e, uint32_t key, uint32_t reg)
{
    const struct cm_ir_op *op = op_of(e, key % e->values);
    const bool is_mask = cm_ir_is_mask(op);
    e->register_of[key] = -1;
    if (cm_ir_is_leaf(op) || e->slot_of[key] >= 0)
        return;
    if (is_mask) {
        e->slot_of[key] = take_slot(e, e->mask_slots, CM_X86_MASK_SLOTS_MAX);
        cm_x86_mask_to_slot(&e->x, (uint32_t)e->slot_of[key], reg);
        return;
    }
    const uint32_t slot = (uint32_t)take_slot(e, e->slots, CM_X86_SLOTS_MAX);
    e->slot_of[key] = (int16_t)slot;
    e->most_slots = slot >= e->most_slots ? slot + 1 : e->most_slots;
    cm_x86_store(&e->x, (struct cm_vector){CM_VECTOR_SLOT, slot}, reg, 0);
}

/* Returns a free register of `first` to `count` - 1. If none is free, the value whose next use is
 * farthest is removed from its register. */
static uint32_t find_register(struct cm_allocator *e, uint32_t *owners, uint32_t first,
                              uint32_t count, uint32_t pinned)
{
    uint32_t best = count, longest = 0;
    for (uint32_t r = first; r < count; r++) {
        if (owners[r] == 0)
            return r;
        if (pinned >> r & 1)
            continue;
        const uint32_t use = next_use(e, owners[r] - 1);
        if (best == count || use > longest) {
            longest = use;
            best = r;
        }
    }
    assert(best < count);
    leave(e, owners[best] - 1, best);
    owners[best] = 0;
    return best;
}

static bool has_free_vector(const struct cm_allocator *e)
{
    for (uint32_t r = 0; r < CM_X86_VECTORS; r++)
        if (e->vectors[r] == 0)
            return true;
    return false;
}

/* Assigns a register to a value that has none. */
static uint32_t give_register(struct cm_allocator *e, uint32_t value)
{
    const uint32_t key = key_of(e, value);
    const bool is_mask = cm_ir_is_mask(op_of(e, value));
    uint32_t *owners = is_mask ? e->masks : e->vectors;
    uint32_t *pinned = is_mask ? &e->pinned_masks : &e->pinned_vectors;
    const uint32_t r =
        find_register(e, owners, is_mask ? 1 : 0, is_mask ? CM_X86_MASKS : CM_X86_VECTORS, *pinned);
    owners[r] = key + 1;
    *pinned |= UINT32_C(1) << r;
    e->register_of[key] = (int8_t)r;
    return r;
}

static uint32_t pin(struct cm_allocator *e, uint32_t value)
{
    const uint32_t r = (uint32_t)e->register_of[key_of(e, value)];
    *(cm_ir_is_mask(op_of(e, value)) ? &e->pinned_masks : &e->pinned_vectors) |= UINT32_C(1) << r;
    return r;
}

/* Returns the register of a vector, loading the vector if needed. */
static uint32_t in_register(struct cm_allocator *e, uint32_t value)
{
    if (e->register_of[key_of(e, value)] >= 0)
        return pin(e, value);
    const struct cm_vector home = home_of(e, value);
    const uint32_t r = give_register(e, value);
    cm_x86_move(&e->x, r, home);
    return r;
}

/* Returns the location of a vector that is a second source. The vector stays in memory if a
 * register would not help a later use. */
static struct cm_vector source(struct cm_allocator *e, uint32_t value)
{
    const uint32_t key = key_of(e, value);
    if (e->register_of[key] >= 0)
        return cm_in_register(pin(e, value));
    if (next_use(e, key) != NEVER && has_free_vector(e))
        return cm_in_register(in_register(e, value));
    return home_of(e, value);
}

static uint32_t mask_in_register(struct cm_allocator *e, uint32_t value)
{
    static const struct cm_host_instruction vpmovd2m = {2, 2, 0, 0x39, 0, false, false};
    const uint32_t key = key_of(e, value);
    if (e->register_of[key] >= 0)
        return pin(e, value);
    const uint32_t r = give_register(e, value);
    if (op_of(e, value)->kind == CM_IR_CONTEXT) {
        cm_x86_move(&e->x, CM_X86_SCRATCH, (struct cm_vector){CM_VECTOR_PLANE, 0});
        cm_x86_vector(&e->x, vpmovd2m, r, 0, cm_in_register(CM_X86_SCRATCH), 0);
    } else {
        cm_x86_mask_from_slot(&e->x, r, (uint32_t)e->slot_of[key]);
    }
    return r;
}

static bool dies(struct cm_allocator *e, uint32_t value)
{
    return next_use(e, key_of(e, value)) == NEVER;
}

static void free_register(struct cm_allocator *e, uint32_t value)
{
    const uint32_t key = key_of(e, value);
    if (e->register_of[key] < 0)
        return;
    (cm_ir_is_mask(op_of(e, value)) ? e->masks : e->vectors)[e->register_of[key]] = 0;
    e->register_of[key] = -1;
}

/* Frees the registers of operands without further use, so that the result may take them. */
static void free_operands(struct cm_allocator *e, const struct cm_ir_op *op)
{
    const uint32_t operands[3] = {op->a, op->b, op->c};
    for (uint32_t k = 0; k < 3; k++)
        if (operands[k] != CM_IR_NONE && dies(e, operands[k]))
            free_register(e, operands[k]);
}

/* Frees registers and stack slots of operands without further use, after an operation. */
static void finish_operands(struct cm_allocator *e, const struct cm_ir_op *op)
{
    const uint32_t operands[3] = {op->a, op->b, op->c};
    free_operands(e, op);
    for (uint32_t k = 0; k < 3; k++) {
        if (operands[k] == CM_IR_NONE || !dies(e, operands[k]))
            continue;
        int16_t *slot = &e->slot_of[key_of(e, operands[k])];
        if (*slot >= 0)
            (cm_ir_is_mask(op_of(e, operands[k])) ? e->mask_slots : e->slots)[*slot] = false;
        *slot = -1;
    }
}

/* ---- operations ---- */

static void emit_vector(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    const uint32_t first = op->a == CM_IR_NONE ? 0 : in_register(e, op->a);
    const struct cm_vector second = source(e, op->b);
    free_operands(e, op);
    cm_x86_vector(&e->x, op->instruction, give_register(e, value), first, second, 0);
}

/* Emits a permutation. Its result replaces the first source. */
static void emit_permute(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    const uint32_t first = in_register(e, op->a);
    const struct cm_vector second = source(e, op->b);
    uint32_t result = first;
    if (op->a != op->b && dies(e, op->a)) {
        free_register(e, op->a);
        e->vectors[first] = key_of(e, value) + 1;
        e->register_of[key_of(e, value)] = (int8_t)first;
    } else {
        result = give_register(e, value);
        cm_x86_move(&e->x, result, cm_in_register(first));
    }
    cm_x86_permute(&e->x, result, op->number, second);
}

static void emit_upper(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    static const struct cm_host_instruction vextracti64x4 = {3, 1, 1, 0x3b, 1, true, true};
    const uint32_t from = in_register(e, op->a);
    free_operands(e, op);
    cm_x86_vector(&e->x, vextracti64x4, from, 0, cm_in_register(give_register(e, value)), 0);
}

static void emit_insert(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    static const struct cm_host_instruction vinserti64x4 = {3, 1, 1, 0x3a, 1, true, true};
    const uint32_t lower = in_register(e, op->a), upper = in_register(e, op->b);
    free_operands(e, op);
    cm_x86_vector(&e->x, vinserti64x4, give_register(e, value), lower, cm_in_register(upper), 0);
}

static void emit_blend(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    const uint32_t mask = mask_in_register(e, op->c), clear = in_register(e, op->a);
    const struct cm_vector set = source(e, op->b);
    free_operands(e, op);
    cm_x86_vector(&e->x, op->instruction, give_register(e, value), clear, set, mask);
}

static void write_mask_words(struct cm_allocator *e, uint32_t to, uint32_t mask)
{
    static const struct cm_host_instruction vpmovm2d = {2, 2, 0, 0x38, 0, false, false};
    cm_x86_vector(&e->x, vpmovm2d, to, 0, cm_in_register(mask), 0);
}

static void emit_mask_words(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    const uint32_t mask = mask_in_register(e, op->c);
    write_mask_words(e, give_register(e, value), mask);
}

/* Emits an operation on masks. The host's pair instruction takes the upper mask first. */
static void emit_masks(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    const uint32_t a = mask_in_register(e, op->a);
    const uint32_t b = op->b == CM_IR_NONE ? 0 : mask_in_register(e, op->b);
    free_operands(e, op);
    const uint32_t result = give_register(e, value);
    switch (op->kind) {
    case CM_IR_MASK_AND:
        cm_x86_mask(&e->x, 0x84, 0x41, result, a, b); /* kandw */
        break;
    case CM_IR_MASK_NOT:
        cm_x86_mask(&e->x, 0x80, 0x44, result, 0, a); /* knotw */
        break;
    case CM_IR_MASK_PAIR:
        cm_x86_mask(&e->x, 0x85, 0x4b, result, b, a); /* kunpckbw */
        break;
    default:
        cm_x86_mask_upper(&e->x, result, a);
        break;
    }
}

/* Emits a store. A masked store is skipped where the mask is all clear, because a store takes most
 * of its time to bring cache lines in. */
static void emit_store(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    const uint32_t from = in_register(e, op->a);
    const struct cm_vector to = {op->streams ? CM_VECTOR_STREAMED : CM_VECTOR_PLANE, op->number};
    (void)value;
    if (op->c == CM_IR_NONE) {
        cm_x86_store(&e->x, to, from, 0);
        return;
    }
    const uint32_t mask = mask_in_register(e, op->c);
    cm_x86_need_plane(&e->x, op->number);
    cm_x86_mask(&e->x, 0x80, 0x98, mask, 0, mask); /* kortestw mask, mask */
    cm_x86_bytes(&e->x, "\x74\x00", 2);            /* jz, whose distance is set below */
    uint8_t *after = e->x.at;
    cm_x86_store(&e->x, to, from, mask);
    if (!e->x.full)
        after[-1] = (uint8_t)(e->x.at - after);
}

static void emit_writeback(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    (void)value;
    cm_x86_store(&e->x, (struct cm_vector){CM_VECTOR_CELL, op->number}, in_register(e, op->a), 0);
}

static void emit_writeback_context(struct cm_allocator *e, uint32_t value,
                                   const struct cm_ir_op *op)
{
    (void)value;
    write_mask_words(e, CM_X86_SCRATCH, mask_in_register(e, op->a));
    cm_x86_store(&e->x, (struct cm_vector){CM_VECTOR_PLANE, 0}, CM_X86_SCRATCH, 0);
}

/* Passes operand i to a kernel. */
static void pass(struct cm_x86 *x, uint32_t symbol, uint32_t i)
{
    if (symbol < CM_LANE_CELLS) {
        cm_x86_bytes(x, "\x48\x8d\x85", 3); /* lea rax, [rbp + disp32] */
        cm_x86_word(x, x->block * x->block_bytes + 64 * symbol);
    } else if (symbol == CM_LANE_NOTHING) {
        cm_x86_bytes(x, "\x48\x89\xe8", 3); /* mov rax, rbp: any valid pointer */
    } else {
        cm_x86_load_plane(x, symbol == CM_LANE_CONTEXT ? 0 : symbol & (CM_LANE_PLANE - 1));
        cm_x86_bytes(x, "\x4a\x8d\x84\x20", 4); /* lea rax, [rax + r12 + disp32] */
        cm_x86_word(x, 64 * x->block);
    }
    cm_x86_bytes(x, "\x48\x89\x44\x24", 4); /* mov [rsp + disp8], rax */
    cm_x86_byte(x, CM_X86_ARGUMENTS + 8 * i);
}

static void emit_call(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    const struct cm_ir_call *call = &e->ir->calls[op->number];
    struct cm_x86 *x = &e->x;
    (void)value;
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        pass(x, call->operands[i], i);
    cm_x86_bytes(x, "\x48\x89\xe7", 3); /* mov rdi, rsp */
    cm_x86_byte(x, 0xbe);               /* mov esi, imm32 */
    cm_x86_word(x, CM_LANE_CODE_NODES);
    cm_x86_load_word(x, call->word); /* rdx */
    if (call->adds_number) {
        cm_x86_bytes(x, "\x4c\x89\xe0", 3);     /* mov rax, r12 */
        cm_x86_bytes(x, "\x48\xc1\xe8\x02", 4); /* shr rax, 2 */
        cm_x86_bytes(x, "\x48\x8d\x54\x02", 4); /* lea rdx, [rdx + rax + disp8] */
        cm_x86_byte(x, CM_LANE_CODE_NODES * x->block);
    }
    cm_x86_load_constant(x, call->kernel);
    cm_x86_bytes(x, "\xff\xd0", 2); /* call rax */
    cm_x86_forget(x);
}

typedef void (*op_emitter)(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op);

static const op_emitter emitters[] = {
    [CM_IR_VECTOR] = emit_vector,       [CM_IR_PERMUTE] = emit_permute,
    [CM_IR_UPPER] = emit_upper,         [CM_IR_INSERT] = emit_insert,
    [CM_IR_BLEND] = emit_blend,         [CM_IR_MASK_WORDS] = emit_mask_words,
    [CM_IR_COMPARE] = emit_vector,      [CM_IR_MASK_AND] = emit_masks,
    [CM_IR_MASK_NOT] = emit_masks,      [CM_IR_MASK_PAIR] = emit_masks,
    [CM_IR_MASK_UPPER] = emit_masks,    [CM_IR_STORE] = emit_store,
    [CM_IR_WRITEBACK] = emit_writeback, [CM_IR_WRITEBACK_CONTEXT] = emit_writeback_context,
    [CM_IR_CALL] = emit_call,
};

/* Marks all host registers as free after a loop. */
static void forget(struct cm_allocator *e, uint32_t *owners, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++) {
        if (owners[r] > 0)
            e->register_of[owners[r] - 1] = -1;
        owners[r] = 0;
    }
}

static void emit_unit(struct cm_allocator *e)
{
    for (e->x.block = 0; e->x.block < e->blocks; e->x.block++)
        for (e->place = e->unit; e->place < e->unit_end; e->place++) {
            const uint32_t value = e->plan->order[e->place];
            const struct cm_ir_op *op = op_of(e, value);
            e->pinned_vectors = e->pinned_masks = 0;
            emitters[op->kind](e, value, op);
            finish_operands(e, op);
        }
}

void cm_allocator_emit_loop(struct cm_allocator *e, const struct cm_ir_loop *loop)
{
    const uint32_t *order = e->plan->order;
    e->blocks = loop->blocks;
    e->end = loop->end;
    for (e->unit = loop->first; e->unit < loop->end; e->unit = e->unit_end) {
        const uint32_t unit = op_of(e, order[e->unit])->unit;
        e->unit_end = e->unit + 1;
        while (e->unit_end < loop->end && op_of(e, order[e->unit_end])->unit == unit)
            e->unit_end++;
        emit_unit(e);
    }
    forget(e, e->vectors, CM_X86_VECTORS);
    forget(e, e->masks, CM_X86_MASKS);
}
