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
/* Most slots for copies of constants. Other slots are for values that leave their registers. */
#define CONSTANT_SLOTS (CM_X86_SLOTS_MAX / 2)

bool cm_allocator_init(struct cm_allocator *e, const struct cm_ir *ir,
                       const struct cm_ir_plan *plan)
{
    const size_t places = (size_t)CM_X86_BLOCKS * e->encoder->parts * ir->count;
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

/* True if a value takes a mask register. */
static bool takes_mask(const struct cm_allocator *e, uint32_t value)
{
    return e->encoder->masks > 0 && cm_ir_is_mask(op_of(e, value));
}

/* Returns the index of a value of the current part of the lane blocks in the allocator's arrays.
 * Constants are the same in all parts. */
static uint32_t key_of(const struct cm_allocator *e, uint32_t value)
{
    return is_constant(op_of(e, value)) ? value : e->x.block * e->values + value;
}

/* Returns the place in the order where a value of a part is used next, from the current place on.
 * Parts before the current part have finished the current unit. Parts after it have not begun the
 * unit. */
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
    const int16_t slot = e->slot_of[key_of(e, value)];
    if (is_constant(op) && slot >= 0)
        return (struct cm_vector){CM_VECTOR_SLOT, (uint32_t)slot};
    switch (op->kind) {
    case CM_IR_CELL:
        return (struct cm_vector){CM_VECTOR_CELL, op->number};
    case CM_IR_JOINED:
        return (struct cm_vector){CM_VECTOR_JOINED, op->number};
    case CM_IR_PLANE:
        return (struct cm_vector){CM_VECTOR_PLANE, op->number};
    case CM_IR_CONSTANT_32:
        return (struct cm_vector){CM_VECTOR_CONSTANT_32, op->number};
    case CM_IR_CONSTANT_64:
        return (struct cm_vector){CM_VECTOR_CONSTANT_64, op->number};
    case CM_IR_CONTEXT:
        return (struct cm_vector){CM_VECTOR_PLANE, 0};
    default:
        return (struct cm_vector){takes_mask(e, value) ? CM_VECTOR_MASK_SLOT : CM_VECTOR_SLOT,
                                  (uint32_t)slot};
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

/* Stores a vector to a slot. */
static void spill(struct cm_allocator *e, uint32_t key, uint32_t reg)
{
    const uint32_t slot = (uint32_t)take_slot(e, e->slots, CM_X86_SLOTS_MAX);
    e->slot_of[key] = (int16_t)slot;
    e->most_slots = slot >= e->most_slots ? slot + 1 : e->most_slots;
    e->encoder->store(&e->x, (struct cm_vector){CM_VECTOR_SLOT, slot}, reg);
}

/* Removes a value from its register. A value that is nowhere else is spilled to the stack. */
static void leave(struct cm_allocator *e, uint32_t key, uint32_t reg)
{
    const uint32_t value = key % e->values;
    e->register_of[key] = -1;
    if (cm_ir_is_leaf(op_of(e, value)) || e->slot_of[key] >= 0)
        return;
    if (takes_mask(e, value)) {
        e->slot_of[key] = take_slot(e, e->mask_slots, CM_X86_MASK_SLOTS_MAX);
        e->encoder->store_mask(
            &e->x, (struct cm_vector){CM_VECTOR_MASK_SLOT, (uint32_t)e->slot_of[key]}, reg);
        return;
    }
    spill(e, key, reg);
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
    for (uint32_t r = 0; r < e->encoder->vectors; r++)
        if (e->vectors[r] == 0)
            return true;
    return false;
}

/* Assigns a register to a value that has none. */
static uint32_t give_register(struct cm_allocator *e, uint32_t value)
{
    const uint32_t key = key_of(e, value);
    const bool is_mask = takes_mask(e, value);
    uint32_t *owners = is_mask ? e->masks : e->vectors;
    uint32_t *pinned = is_mask ? &e->pinned_masks : &e->pinned_vectors;
    const uint32_t r = find_register(e, owners, is_mask ? 1 : 0,
                                     is_mask ? e->encoder->masks : e->encoder->vectors, *pinned);
    owners[r] = key + 1;
    *pinned |= UINT32_C(1) << r;
    e->register_of[key] = (int8_t)r;
    return r;
}

static uint32_t pin(struct cm_allocator *e, uint32_t value)
{
    const uint32_t r = (uint32_t)e->register_of[key_of(e, value)];
    *(takes_mask(e, value) ? &e->pinned_masks : &e->pinned_vectors) |= UINT32_C(1) << r;
    return r;
}

/* Returns the register of a value, loading the value if needed. */
static uint32_t in_register(struct cm_allocator *e, uint32_t value)
{
    if (e->register_of[key_of(e, value)] >= 0)
        return pin(e, value);
    const struct cm_vector home = home_of(e, value);
    const uint32_t r = give_register(e, value);
    (takes_mask(e, value) ? e->encoder->load_mask : e->encoder->load)(&e->x, r, home);
    return r;
}

/* Returns the location of a vector that is a second source. The vector stays in memory if a
 * register would not help a later use. */
static struct cm_vector source(struct cm_allocator *e, uint32_t value)
{
    const uint32_t key = key_of(e, value);
    if (e->register_of[key] >= 0)
        return cm_in_register(pin(e, value));
    const bool no_copy = is_constant(op_of(e, value)) && e->slot_of[key] < 0;
    if ((no_copy && !e->encoder->broadcasts) || (next_use(e, key) != NEVER && has_free_vector(e)))
        return cm_in_register(in_register(e, value));
    return home_of(e, value);
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
    (takes_mask(e, value) ? e->masks : e->vectors)[e->register_of[key]] = 0;
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
        if (operands[k] == CM_IR_NONE || is_constant(op_of(e, operands[k])) ||
            !dies(e, operands[k]))
            continue;
        int16_t *slot = &e->slot_of[key_of(e, operands[k])];
        if (*slot >= 0)
            (takes_mask(e, operands[k]) ? e->mask_slots : e->slots)[*slot] = false;
        *slot = -1;
    }
}

/* ---- operations ---- */

/* Emits an operation that has a value. Vectors that are second sources may be in memory. */
static void emit_value(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    const bool from_memory = op->kind == CM_IR_VECTOR || op->kind == CM_IR_PERMUTE ||
                             op->kind == CM_IR_COMPARE || op->kind == CM_IR_BLEND;
    const uint32_t mask = op->c == CM_IR_NONE ? 0 : in_register(e, op->c);
    const uint32_t first = op->a == CM_IR_NONE ? 0 : in_register(e, op->a);
    struct cm_vector second = cm_in_register(0);
    if (op->b != CM_IR_NONE)
        second = from_memory ? source(e, op->b) : cm_in_register(in_register(e, op->b));
    free_operands(e, op);
    e->encoder->operate(&e->x, op, give_register(e, value), first, second, mask);
}

/* Emits a permutation whose result replaces the first source. */
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
        e->encoder->load(&e->x, result, cm_in_register(first));
    }
    e->encoder->operate(&e->x, op, result, result, second, 0);
}

static void emit_store(struct cm_allocator *e, const struct cm_ir_op *op)
{
    const uint32_t from = in_register(e, op->a);
    const struct cm_vector to = {op->streams ? CM_VECTOR_STREAMED : CM_VECTOR_PLANE, op->number};
    if (op->c == CM_IR_NONE)
        e->encoder->store(&e->x, to, from);
    else
        e->encoder->store_masked(&e->x, to, from, in_register(e, op->c));
}

static void emit_writeback(struct cm_allocator *e, const struct cm_ir_op *op)
{
    const struct cm_vector to = {
        op->kind == CM_IR_WRITEBACK_JOINED ? CM_VECTOR_JOINED : CM_VECTOR_CELL, op->number};
    e->encoder->store(&e->x, to, in_register(e, op->a));
}

static void emit_writeback_context(struct cm_allocator *e, const struct cm_ir_op *op)
{
    e->encoder->store_context(&e->x, in_register(e, op->a));
}

/* Passes operand i to a kernel, for a lane block. */
static void pass(struct cm_x86 *x, uint32_t block, uint32_t symbol, uint32_t i)
{
    if (symbol < CM_LANE_CELLS) {
        cm_x86_bytes(x, "\x48\x8d\x85", 3); /* lea rax, [rbp + disp32] */
        cm_x86_word(x, block * x->block_bytes + 64 * symbol);
    } else if (symbol == CM_LANE_NOTHING) {
        cm_x86_bytes(x, "\x48\x89\xe8", 3); /* mov rax, rbp: any valid pointer */
    } else {
        cm_x86_load_plane(x, symbol == CM_LANE_CONTEXT ? 0 : symbol & (CM_LANE_PLANE - 1));
        cm_x86_bytes(x, "\x4a\x8d\x84\x20", 4); /* lea rax, [rax + r12 + disp32] */
        cm_x86_word(x, 64 * block);
    }
    cm_x86_bytes(x, "\x48\x89\x44\x24", 4); /* mov [rsp + disp8], rax */
    cm_x86_byte(x, CM_X86_ARGUMENTS + 8 * i);
}

/* Emits a call of a kernel for a lane block, with the first part of the block. */
static void emit_call(struct cm_allocator *e, const struct cm_ir_op *op)
{
    const struct cm_ir_call *call = &e->ir->calls[op->number];
    const uint32_t block = e->x.block / e->encoder->parts;
    struct cm_x86 *x = &e->x;
    if (x->block % e->encoder->parts > 0)
        return;
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        pass(x, block, call->operands[i], i);
    cm_x86_bytes(x, "\x48\x89\xe7", 3); /* mov rdi, rsp */
    cm_x86_byte(x, 0xbe);               /* mov esi, imm32 */
    cm_x86_word(x, CM_LANE_CODE_NODES);
    cm_x86_load_word(x, call->word); /* rdx */
    if (call->adds_number) {
        cm_x86_bytes(x, "\x4c\x89\xe0", 3);     /* mov rax, r12 */
        cm_x86_bytes(x, "\x48\xc1\xe8\x02", 4); /* shr rax, 2 */
        cm_x86_bytes(x, "\x48\x8d\x54\x02", 4); /* lea rdx, [rdx + rax + disp8] */
        cm_x86_byte(x, CM_LANE_CODE_NODES * block);
    }
    cm_x86_load_constant(x, call->kernel);
    cm_x86_bytes(x, "\xff\xd0", 2); /* call rax */
    cm_x86_forget(x);
}

static void emit(struct cm_allocator *e, uint32_t value, const struct cm_ir_op *op)
{
    switch (op->kind) {
    case CM_IR_PERMUTE:
        (e->encoder->replaces ? emit_permute : emit_value)(e, value, op);
        break;
    case CM_IR_STORE:
        emit_store(e, op);
        break;
    case CM_IR_WRITEBACK:
    case CM_IR_WRITEBACK_JOINED:
        emit_writeback(e, op);
        break;
    case CM_IR_WRITEBACK_CONTEXT:
        emit_writeback_context(e, op);
        break;
    case CM_IR_CALL:
        emit_call(e, op);
        break;
    default:
        emit_value(e, value, op);
        break;
    }
}

void cm_allocator_copy_constants(struct cm_allocator *e)
{
    uint32_t copies = 0;
    for (uint32_t v = 0; v < e->values && !e->encoder->broadcasts; v++) {
        const bool used = e->plan->first[v] < e->plan->first[v + 1];
        if (!used || !is_constant(op_of(e, v)) || copies == CONSTANT_SLOTS)
            continue;
        e->encoder->load(&e->x, 0, home_of(e, v));
        spill(e, v, 0);
        copies++;
    }
}

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
            emit(e, value, op);
            finish_operands(e, op);
        }
}

void cm_allocator_emit_loop(struct cm_allocator *e, const struct cm_ir_loop *loop)
{
    const uint32_t *order = e->plan->order;
    e->blocks = loop->blocks * e->encoder->parts;
    e->end = loop->end;
    for (e->unit = loop->first; e->unit < loop->end; e->unit = e->unit_end) {
        const uint32_t unit = op_of(e, order[e->unit])->unit;
        e->unit_end = e->unit + 1;
        while (e->unit_end < loop->end && op_of(e, order[e->unit_end])->unit == unit)
            e->unit_end++;
        emit_unit(e);
    }
    forget(e, e->vectors, CM_ENCODER_VECTORS_MAX);
    forget(e, e->masks, CM_ENCODER_MASKS_MAX);
}
