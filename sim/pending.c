/* Instructions as work on lane blocks. */
#include "machine_private.h"

#include <stdlib.h>

bool cm_pending_init(struct cm_pending *pending, uint32_t capacity)
{
    struct cm_lane_queue *queue = &pending->queue;
    queue->work = calloc(capacity, sizeof *queue->work);
    queue->chains = calloc(capacity, sizeof *queue->chains);
    queue->capacity = capacity;
    queue->chain_kernels[false] = cm_chain_kernel_choose(false);
    queue->chain_kernels[true] = cm_chain_kernel_choose(true);
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++)
        pending->registers[reg].kind = CM_VALUE_REGISTER;
    return queue->work && queue->chains;
}

void cm_pending_finish(struct cm_pending *pending)
{
    free(pending->queue.work);
    free(pending->queue.chains);
}

static struct cm_register *get(struct cm_worker *worker, uint32_t reg)
{
    return &worker->pending.registers[reg];
}

/* 1 + the number of the next work. */
static uint64_t next_number(const struct cm_worker *worker)
{
    return worker->pending.queue.first + worker->pending.queue.count + 1;
}

static struct cm_lane_operand plane_operand(const struct cm_worker *worker, const uint32_t *words)
{
    return (struct cm_lane_operand){.at = (uint32_t *)words + worker->lanes.first,
                                    .step = worker->machine->fpu.block_nodes};
}

static struct cm_lane_operand register_operand(const struct cm_worker *worker, uint32_t reg)
{
    const struct cm_fpu *fpu = &worker->machine->fpu;
    return (struct cm_lane_operand){.at = cm_fpu_register(fpu, worker->lanes.first, reg),
                                    .step = (uint32_t)cm_fpu_block_words(fpu)};
}

struct cm_lane_work *cm_pending_begin(struct cm_worker *worker, cm_lane_kernel kernel)
{
    struct cm_lane_queue *queue = &worker->pending.queue;
    struct cm_lane_work *work = &queue->work[queue->count];
    work->kernel = kernel;
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++) /* a valid pointer, if not set */
        work->operands[i] = (struct cm_lane_operand){.at = worker->machine->context};
    work->word = 0;
    work->word_step = 0;
    work->product = false;
    work->wide = false;
    return work;
}

void cm_pending_add(struct cm_worker *worker)
{
    struct cm_lane_queue *queue = &worker->pending.queue;
    if (++queue->count == queue->capacity)
        cm_execute_pending(worker);
}

void cm_pending_add_behind(struct cm_worker *worker)
{
    struct cm_lane_queue *queue = &worker->pending.queue;
    struct cm_lane_work *work = &queue->work[queue->count];
    uint32_t *at[CM_LANE_OPERANDS];
    if (queue->count > 0) {
        cm_pending_add(worker);
        return;
    }
    for (uint32_t i = 0; i < CM_LANE_OPERANDS; i++)
        at[i] = work->operands[i].at;
    work->kernel(at, worker->lanes.last - worker->lanes.first, work->word);
}

void cm_pending_plane(const struct cm_worker *worker, struct cm_lane_work *work, uint32_t i,
                      uint32_t *words)
{
    work->operands[i] = plane_operand(worker, words);
}

void cm_pending_result(struct cm_worker *worker, struct cm_lane_work *work, uint32_t i,
                       uint32_t reg)
{
    work->operands[i] = register_operand(worker, reg);
    get(worker, reg)->written = next_number(worker);
}

/* ---- copies that are not loaded yet ---- */

static uint32_t *plane(const struct cm_worker *worker, uint64_t address)
{
    return cm_memory_plane(&worker->machine->memory, address);
}

/* Loads the copy that a register is. */
static void load(struct cm_worker *worker, uint32_t reg)
{
    struct cm_register *r = get(worker, reg);
    bool memory = r->kind == CM_VALUE_MEMORY;
    struct cm_lane_work *work;
    if (memory) {
        work = cm_pending_begin(worker,
                                r->wide ? worker->machine->memory_kernels->load : cm_kernel_copy);
        cm_pending_plane(worker, work, 1, plane(worker, r->address));
        if (r->wide)
            cm_pending_plane(worker, work, 2, plane(worker, r->address + 1));
    } else {
        work = cm_pending_begin(worker, r->wide ? cm_kernel_fill64 : cm_kernel_fill);
        work->word = r->constant;
    }
    cm_pending_result(worker, work, 0, reg);
    r->kind = CM_VALUE_REGISTER;
    if (r->wide)
        r->joined = true;
    cm_pending_add(worker);
}

void cm_pending_need(struct cm_worker *worker, uint32_t reg, bool joined)
{
    struct cm_register *r = get(worker, reg);
    if (r->kind != CM_VALUE_REGISTER)
        load(worker, reg);
    if (r->joined == joined)
        return;
    struct cm_lane_work *work = cm_pending_begin(worker, joined ? cm_fpu_join : cm_fpu_split);
    cm_pending_result(worker, work, 0, reg);
    r->joined = joined;
    cm_pending_add(worker);
}

void cm_pending_overwrite(struct cm_worker *worker, uint32_t reg, bool wide)
{
    struct cm_register *r = get(worker, reg);
    if (wide) {
        r->kind = CM_VALUE_REGISTER;
        r->joined = true;
        return;
    }
    /* The high half stays. */
    if (r->kind != CM_VALUE_REGISTER && !r->wide)
        r->kind = CM_VALUE_REGISTER;
    cm_pending_need(worker, reg, false);
}

static bool overlaps(const struct cm_register *r, uint64_t address, uint64_t words)
{
    return r->address < address + words && address < r->address + (r->wide ? 2 : 1);
}

/* Loads copies of memory words, of [address, address + words) or of all. */
static void load_copies(struct cm_worker *worker, bool all, uint64_t address, uint64_t words)
{
    for (uint32_t left = worker->pending.copies; left; left &= left - 1) {
        uint32_t reg = (uint32_t)__builtin_ctz(left);
        const struct cm_register *r = get(worker, reg);
        if (r->kind == CM_VALUE_MEMORY && !all && !overlaps(r, address, words))
            continue;
        if (r->kind == CM_VALUE_MEMORY)
            load(worker, reg);
        worker->pending.copies &= ~(UINT32_C(1) << reg);
    }
}

void cm_pending_change(struct cm_worker *worker, uint64_t address, uint64_t words)
{
    load_copies(worker, false, address, words);
    worker->pending.stored = next_number(worker);
}

void cm_pending_load_all(struct cm_worker *worker)
{
    load_copies(worker, true, 0, 0);
}

/* A register becomes a copy. A narrow one lies on a split register, whose high half stays. */
static struct cm_register *begin_copy(struct cm_worker *worker, uint32_t reg, bool wide)
{
    struct cm_register *r = get(worker, reg);
    if (!wide)
        cm_pending_overwrite(worker, reg, false);
    r->wide = wide;
    r->used = false;
    return r;
}

void cm_pending_copy_memory(struct cm_worker *worker, uint32_t reg, uint64_t address, bool wide)
{
    struct cm_register *r = begin_copy(worker, reg, wide);
    r->kind = CM_VALUE_MEMORY;
    r->address = address;
    worker->pending.copies |= UINT32_C(1) << reg;
}

void cm_pending_copy_constant(struct cm_worker *worker, uint32_t reg, uint64_t constant, bool wide)
{
    struct cm_register *r = get(worker, reg);
    if (r->read > worker->pending.queue.first) /* a chain may point to the last constant */
        cm_execute_pending(worker);
    begin_copy(worker, reg, wide);
    r->kind = CM_VALUE_CONSTANT;
    r->constant = constant;
}

/* True when a use may take a copy from where it is. */
static bool is_first_use(struct cm_register *r, bool wide)
{
    if (r->kind == CM_VALUE_REGISTER || r->wide != wide || r->used)
        return false;
    r->used = r->kind == CM_VALUE_MEMORY;
    return true;
}

void cm_pending_prepare_low(struct cm_worker *worker, uint32_t reg)
{
    struct cm_register *r = get(worker, reg);
    if (r->kind != CM_VALUE_MEMORY || !is_first_use(r, false))
        cm_pending_need(worker, reg, false);
}

void cm_pending_source(struct cm_worker *worker, struct cm_lane_work *work, uint32_t i,
                       uint32_t reg)
{
    struct cm_register *r = get(worker, reg);
    r->read = next_number(worker);
    if (r->kind == CM_VALUE_MEMORY)
        work->operands[i] = plane_operand(worker, plane(worker, r->address));
    else
        work->operands[i] = register_operand(worker, reg);
}

/* ---- chains ---- */

/* An operand of a chain, work number - 1 = `number`; loaded before, if it must be. */
static struct cm_chain_operand chain_operand(struct cm_worker *worker, uint32_t reg,
                                             uint64_t number)
{
    struct cm_register *r = get(worker, reg);
    struct cm_chain_operand operand = {.kind = r->kind};
    r->read = r->read > number ? r->read : number;
    if (r->kind == CM_VALUE_MEMORY)
        operand.place = plane_operand(worker, plane(worker, r->address));
    else if (r->kind == CM_VALUE_CONSTANT)
        operand.place.at = (uint32_t *)&r->constant;
    else
        operand.place = register_operand(worker, reg);
    return operand;
}

/* The register is a copy that a chain may take from where it is, or it is loaded now. */
static void prepare(struct cm_worker *worker, uint32_t reg, bool wide)
{
    if (!is_first_use(get(worker, reg), wide))
        cm_pending_need(worker, reg, wide);
}

/* True when the register has had its value since before the work of a number. */
static bool is_older(struct cm_worker *worker, uint32_t reg, uint64_t number)
{
    const struct cm_register *r = get(worker, reg);
    switch (r->kind) {
    case CM_VALUE_MEMORY:
        return worker->pending.stored < number;
    case CM_VALUE_CONSTANT:
        return true;
    default:
        return r->written < number;
    }
}

/* The waiting chain, or the product that can become one, whose sum is in the register. NULL if no
 * such work waits, or something has read the sum. */
static struct cm_lane_work *find_sum(struct cm_worker *worker, uint32_t reg, bool wide)
{
    struct cm_lane_queue *queue = &worker->pending.queue;
    const struct cm_register *r = get(worker, reg);
    if (r->kind != CM_VALUE_REGISTER || r->written <= queue->first || r->read > r->written)
        return NULL;
    struct cm_lane_work *work = &queue->work[r->written - queue->first - 1];
    return work->product && work->wide == wide ? work : NULL;
}

static struct cm_chain *chain_of(struct cm_worker *worker, const struct cm_lane_work *work)
{
    struct cm_lane_queue *queue = &worker->pending.queue;
    return &queue->chains[work - queue->work];
}

/* A product of registers becomes a chain. */
static void become_chain(struct cm_worker *worker, struct cm_lane_work *work)
{
    struct cm_chain *chain = chain_of(worker, work);
    const struct cm_lane_operand *operands = work->operands;
    if (!work->kernel)
        return;
    chain->out = operands[0];
    chain->a[0] = (struct cm_chain_operand){operands[1], CM_VALUE_REGISTER};
    chain->b[0] = (struct cm_chain_operand){operands[2], CM_VALUE_REGISTER};
    chain->init =
        (struct cm_chain_operand){operands[3], work->word ? CM_VALUE_REGISTER : CM_VALUE_NONE};
    chain->terms = 1;
    chain->nodes = worker->machine->nodes;
    work->kernel = NULL;
}

/* Adds a product to a waiting sum in regs[0]; false when that would give something else. */
static bool extend(struct cm_worker *worker, const uint32_t *regs, bool wide)
{
    struct cm_lane_work *work = find_sum(worker, regs[0], wide);
    uint64_t number = get(worker, regs[0])->written;
    if (!work || !is_older(worker, regs[1], number) || !is_older(worker, regs[2], number) ||
        (!work->kernel && chain_of(worker, work)->terms == CM_CHAIN_TERMS))
        return false;
    become_chain(worker, work);
    struct cm_chain *chain = chain_of(worker, work);
    chain->a[chain->terms] = chain_operand(worker, regs[1], number);
    chain->b[chain->terms++] = chain_operand(worker, regs[2], number);
    return true;
}

static bool is_loaded(struct cm_worker *worker, uint32_t reg)
{
    return get(worker, reg)->kind == CM_VALUE_REGISTER;
}

static void begin_chain(struct cm_worker *worker, const uint32_t *regs, uint32_t count)
{
    uint64_t number = next_number(worker);
    struct cm_lane_work *work = cm_pending_begin(worker, NULL);
    struct cm_chain *chain = chain_of(worker, work);
    chain->a[0] = chain_operand(worker, regs[1], number);
    chain->b[0] = chain_operand(worker, regs[2], number);
    chain->init = (struct cm_chain_operand){.kind = CM_VALUE_NONE};
    if (count == 4)
        chain->init = chain_operand(worker, regs[3], number);
    chain->out = register_operand(worker, regs[0]);
    chain->terms = 1;
    chain->nodes = worker->machine->nodes;
}

void cm_pending_product(struct cm_worker *worker, cm_lane_kernel kernel, const uint32_t *regs,
                        uint32_t count, bool wide)
{
    struct cm_lane_work *work;
    for (uint32_t i = 1; i < count; i++)
        if (regs[i] == regs[0] && !is_loaded(worker, regs[0]))
            cm_pending_need(worker, regs[0], wide);
    prepare(worker, regs[1], wide);
    prepare(worker, regs[2], wide);
    if (count == 4 && regs[3] == regs[0] && extend(worker, regs, wide))
        return;
    if (count == 4)
        prepare(worker, regs[3], wide);
    bool loaded = is_loaded(worker, regs[1]) && is_loaded(worker, regs[2]) &&
                  (count < 4 || is_loaded(worker, regs[3]));
    cm_pending_overwrite(worker, regs[0], wide);
    if (loaded) {
        work = cm_pending_begin(worker, kernel);
        for (uint32_t i = 1; i < count; i++)
            cm_pending_source(worker, work, i, regs[i]);
        work->word = count == 4;
    } else {
        begin_chain(worker, regs, count);
        work = &worker->pending.queue.work[worker->pending.queue.count];
    }
    cm_pending_result(worker, work, 0, regs[0]);
    work->product = true;
    work->wide = wide;
    cm_pending_add(worker);
}
