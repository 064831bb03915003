/*
 * The emitter of elementwise IMPs. An IMP has this form:
 *
 *     aarg, fscal               loads addresses, and the scalars that stay in registers
 *     loop over groups          a group is as many elements as the SRAM allows. Under the garbage
 *                               mask it is a multiple of 32, so that it covers whole words.
 *       the vectors of a group  follow the plan, with offsets from the begin of the group
 *       aadd                    advances all address registers to the next group
 *     the rest                  the last vector may be shorter
 *
 * Register r0 holds the address of scratch memory, r1 that of the mask, and the arrays follow. The
 * context is set only where a store or a selection needs a setting that differs from the known one.
 */
#include "compile.h"

#include "../../sim/machine/clock.h"
#include "../system/emit.h"
#include "emitter.h"

#include <stdio.h>
#include <string.h>

enum cm_type cm_elementwise_array_type(const struct cm_lower *lower, uint32_t number)
{
    return number < CM_MICRO_INDEX ? lower->expression->arrays[number].type : CM_TYPE_INT32;
}

static struct context context_for(const struct emitter *m, const struct cm_micro *entry,
                                  uint32_t element)
{
    const bool store = entry->kind == CM_MICRO_STORE, lookup = entry->kind == CM_MICRO_LOOKUP;
    struct context context = {.known = true, .masked = (store || lookup) && m->code->form.padded};
    if (entry->test != CM_OP_HALT) {
        context.test = entry->test;
        context.sources[0] = entry->sources[3];
        context.sources[1] = entry->sources[4];
        context.negated = store && entry->negated;
    }
    context.all = context.test == CM_OP_HALT && !context.masked;
    context.element = context.all ? 0 : element;
    return context;
}

static bool same_context(const struct context *a, const struct context *b)
{
    return a->known && b->known && a->all == b->all && a->masked == b->masked &&
           a->negated == b->negated && a->element == b->element && a->test == b->test &&
           a->sources[0] == b->sources[0] && a->sources[1] == b->sources[1];
}

static void set_context(struct emitter *m, const struct context *wanted, const uint8_t *from)
{
    const uint32_t bit = wanted->element % CM_ELEMENTWISE_GROUP;
    const struct cm_operand word =
        cm_mem(CM_ELEMENTWISE_MASK, wanted->element / CM_ELEMENTWISE_GROUP);
    if (same_context(&m->context, wanted))
        return;
    if (wanted->all)
        cm_imp_emit(m->imp, CM_OP_CTXALL, NULL, 0);
    else if (wanted->test == CM_OP_HALT)
        CM_EMIT(m->imp, CM_OP_CTXLOAD, word, cm_value(bit));
    else if (wanted->test == CM_OP_CTXREST)
        CM_EMIT(m->imp, CM_OP_CTXREST, cm_reg(from[3]));
    else
        CM_EMIT(m->imp, (enum cm_op)wanted->test, cm_reg(from[3]), cm_reg(from[4]));
    if (wanted->negated)
        cm_imp_emit(m->imp, CM_OP_CTXNOT, NULL, 0);
    if (wanted->masked && wanted->test != CM_OP_HALT)
        CM_EMIT(m->imp, CM_OP_CTXAND, word, cm_value(bit));
    m->context = *wanted;
}

static struct cm_operand scratch(uint32_t place)
{
    return cm_mem(CM_ELEMENTWISE_SCRATCH, 2 * (int64_t)place);
}

static void emit_scalar(struct emitter *m, uint32_t slot, uint8_t to)
{
    const bool wide = m->lower->slots.items[slot].wide;
    CM_EMIT(m->imp, wide ? CM_OP_FSCAL64 : CM_OP_FSCAL32, cm_reg(to),
            cm_value(CM_ELEMENTWISE_ARRAYS + m->code->array_count + slot));
}

static void emit_plain(struct emitter *m, const struct cm_micro *entry,
                       const struct cm_vector_step *step)
{
    struct cm_operand operands[CM_OPERANDS_MAX] = {cm_reg(step->to)};
    uint32_t count = 1;
    for (uint32_t k = 0; k < 3 && step->from[k] != CM_NO_REGISTER; k++)
        operands[count++] = cm_reg(step->from[k]);
    cm_imp_emit(m->imp, (enum cm_op)entry->op, operands, count);
}

static struct cm_operand element_of(const struct emitter *m, const struct cm_micro *entry,
                                    uint32_t element)
{
    if (m->block)
        return cm_near_element(m, entry, element);
    return cm_mem(m->address_of[entry->number],
                  element * m->pitch_of[entry->number] + entry->offset);
}

static void emit_test(struct emitter *m, const struct cm_micro *entry,
                      const struct cm_vector_step *step, uint32_t element)
{
    struct context wanted = context_for(m, entry, element);
    wanted.negated = entry->negated;
    set_context(m, &wanted, step->from);
    CM_EMIT(m->imp, CM_OP_CTXSAVE, cm_reg(step->to));
}

/* Emits the instruction of a step. `element` is the number of the element within the group. */
static void emit_compute(struct emitter *m, const struct cm_vector_step *step, uint32_t element)
{
    const struct cm_micro *entry = &m->lower->code.items[step->entry];
    const struct context wanted = context_for(m, entry, element);
    const enum cm_op op = (enum cm_op)entry->op;
    switch ((enum cm_micro_kind)entry->kind) {
    case CM_MICRO_SCALAR:
        emit_scalar(m, entry->number, step->to);
        break;
    case CM_MICRO_LOAD:
        CM_EMIT(m->imp, op, cm_reg(step->to), element_of(m, entry, element));
        break;
    /* Needs the context, because indices in the padding may be out of range. */
    case CM_MICRO_LOOKUP:
        set_context(m, &wanted, step->from);
        CM_EMIT(m->imp, op, cm_reg(step->to), element_of(m, entry, element), cm_reg(step->from[0]),
                cm_value(entry->reach));
        break;
    case CM_MICRO_TEST:
        emit_test(m, entry, step, element);
        break;
    case CM_MICRO_SELECT:
        set_context(m, &wanted, step->from);
        CM_EMIT(m->imp, op, cm_reg(step->to), cm_reg(step->from[0]), cm_reg(step->from[1]));
        break;
    case CM_MICRO_STORE:
        set_context(m, &wanted, step->from);
        if (entry->reach > 0)
            CM_EMIT(m->imp, op, element_of(m, entry, element), cm_reg(step->from[0]),
                    cm_reg(step->from[1]), cm_value(entry->reach));
        else
            CM_EMIT(m->imp, op, element_of(m, entry, element), cm_reg(step->from[0]));
        break;
    default:
        emit_plain(m, entry, step);
    }
}

static void emit_step(struct emitter *m, const struct cm_vector_step *step, uint32_t element)
{
    const struct context all = {.known = true, .all = true};
    const bool wide = m->lower->code.items[step->entry].wide;
    switch ((enum cm_step_kind)step->kind) {
    case CM_STEP_SPILL:
        set_context(m, &all, NULL);
        CM_EMIT(m->imp, wide ? CM_OP_FSTORE64 : CM_OP_FSTORE32, scratch(step->place),
                cm_reg(step->from[0]));
        break;
    case CM_STEP_FILL:
        CM_EMIT(m->imp, wide ? CM_OP_FLOAD64 : CM_OP_FLOAD32, cm_reg(step->to),
                scratch(step->place));
        break;
    default:
        emit_compute(m, step, element);
    }
}

/* Contents of the FPU registers while the code of a vector is emitted. A register may replace
 * another register because it already holds the same words. */
struct reuse {
    const struct cm_plan *schedule;
    uint32_t width;
    /* for each register of the plan, the register that has its value */
    uint8_t name[CM_FPU_REGISTERS];
    bool loaded[CM_FPU_REGISTERS]; /* true if the register still holds the words of `from` */
    struct cm_operand from[CM_FPU_REGISTERS];
    enum cm_op op[CM_FPU_REGISTERS]; /* instruction that loaded the words of `from` */
};

static bool same_memory(const struct cm_operand *a, const struct cm_operand *b)
{
    return a->reg == b->reg && a->value == b->value;
}

/* Returns true if register `reg` is not written before the last use of the words that step `at`
 * would load. */
static bool lasts(const struct reuse *reuse, uint32_t at, uint8_t reg)
{
    const struct cm_plan *schedule = reuse->schedule;
    const uint8_t to = schedule->steps.items[at].to;
    bool written = false;
    for (uint32_t i = at + 1; i < schedule->steps.count; i++) {
        const struct cm_vector_step *step = &schedule->steps.items[i];
        if (step->element >= reuse->width)
            continue;
        for (uint32_t k = 0; k < CM_MICRO_SOURCES; k++)
            if (step->from[k] == to && written)
                return false;
        if (step->to == to)
            return true;
        written = written || step->to == reg;
    }
    return true;
}

/* Finds a register that holds the words that step `at` loads, and keeps them until their last use.
 * Returns CM_NO_REGISTER if there is no such register. */
static uint8_t find_loaded(const struct reuse *reuse, uint32_t at, enum cm_op op,
                           const struct cm_operand *from)
{
    for (uint8_t reg = 0; reg < CM_FPU_REGISTERS; reg++)
        if (reuse->loaded[reg] && reuse->op[reg] == op && same_memory(&reuse->from[reg], from) &&
            lasts(reuse, at, reg))
            return reg;
    return CM_NO_REGISTER;
}

/* Records which words step `at` of the plan leaves in registers. Returns false if the step needs no
 * code, because it loads words that a register already holds. This occurs if an operand does not
 * change along an axis, so that several elements have one address. */
static bool record_step(const struct emitter *m, struct reuse *reuse, uint32_t at, uint32_t element)
{
    const struct cm_vector_step *step = &reuse->schedule->steps.items[at];
    const struct cm_micro *entry = &m->lower->code.items[step->entry];
    const bool computes = step->kind == CM_STEP_COMPUTE || step->kind == CM_STEP_FETCH;
    const bool loads = computes && entry->kind == CM_MICRO_LOAD && m->block &&
                       cm_near_is_spread(m->code->form.near, entry->number);
    if (step->kind == CM_STEP_SPILL || (computes && entry->kind == CM_MICRO_STORE))
        memset(reuse->loaded, 0, sizeof reuse->loaded);
    if (step->to == CM_NO_REGISTER)
        return true;
    if (loads) {
        const struct cm_operand from = element_of(m, entry, element);
        const uint8_t reg = find_loaded(reuse, at, (enum cm_op)entry->op, &from);
        if (reg != CM_NO_REGISTER) {
            reuse->name[step->to] = reg;
            return false;
        }
        reuse->from[step->to] = from;
        reuse->op[step->to] = (enum cm_op)entry->op;
    }
    reuse->name[step->to] = step->to;
    reuse->loaded[step->to] = loads;
    return true;
}

void cm_emit_vector(struct emitter *m, uint32_t position, uint32_t width)
{
    const struct cm_plan *schedule = &m->code->schedule;
    struct reuse reuse = {.schedule = schedule, .width = width};
    for (uint8_t reg = 0; reg < CM_FPU_REGISTERS; reg++)
        reuse.name[reg] = reg;
    for (uint32_t i = 0; i < schedule->steps.count; i++) {
        struct cm_vector_step step = schedule->steps.items[i];
        if (step.element >= width)
            continue;
        for (uint32_t k = 0; k < CM_MICRO_SOURCES; k++)
            if (step.from[k] != CM_NO_REGISTER)
                step.from[k] = reuse.name[step.from[k]];
        if (record_step(m, &reuse, i, position + step.element))
            emit_step(m, &step, position + step.element);
    }
}

static void emit_group(struct emitter *m, uint32_t begin, uint32_t end)
{
    const uint32_t vector = m->code->schedule.vector;
    for (uint32_t position = begin; position < end; position += vector)
        cm_emit_vector(m, position, end - position < vector ? end - position : vector);
}

static void emit_advance(struct emitter *m)
{
    const struct cm_elementwise_code *code = m->code;
    for (uint32_t k = 0; k < CM_MICRO_ARRAYS; k++)
        if (code->used[k])
            cm_emit_advance(m->imp, m->address_of[k], code->group * m->pitch_of[k]);
    if (code->form.padded)
        cm_emit_advance(m->imp, CM_ELEMENTWISE_MASK, code->group / CM_ELEMENTWISE_GROUP);
}

static void emit_loop(struct emitter *m, uint32_t begin, uint32_t end)
{
    const struct cm_elementwise_code *code = m->code;
    const uint64_t groups = code->form.local_elements / code->group;
    const uint32_t rest = (uint32_t)(code->form.local_elements % code->group);
    uint32_t loop = 0;
    if (groups > 1) {
        loop = CM_EMIT(m->imp, CM_OP_LOOP, cm_value((int64_t)groups));
        /* An iteration may begin with the context that the iteration before has left. */
        m->context.known = false;
    }
    if (groups > 0) {
        emit_group(m, begin, end);
        if (groups > 1 || rest > begin)
            emit_advance(m);
    }
    if (groups > 1)
        cm_emit_next(m->imp, loop);
    if (rest > begin)
        emit_group(m, begin, rest < end ? rest : end);
}

static void declare_scalars(struct emitter *m)
{
    char name[32];
    for (uint32_t slot = 0; slot < m->lower->slots.count; slot++) {
        const bool constant = m->lower->slots.items[slot].is_constant;
        snprintf(name, sizeof name, "%s%u", constant ? "constant" : "scalar", (unsigned)slot + 1);
        cm_imp_argument(m->imp, name, CM_ARGUMENT_SCALAR);
    }
}

/* Declares the arguments, and emits the instructions that load the registers which stay
 * constant. */
static void emit_registers(struct emitter *m)
{
    const struct cm_elementwise_code *code = m->code;
    char name[32];
    uint32_t argument = CM_ELEMENTWISE_ARRAYS;
    cm_imp_argument(m->imp, "scratch", CM_ARGUMENT_ADDRESS);
    cm_imp_argument(m->imp, "mask", CM_ARGUMENT_ADDRESS);
    if (code->schedule.spill_places > 0)
        cm_emit_argument(m->imp, CM_ELEMENTWISE_SCRATCH, CM_ELEMENTWISE_SCRATCH, 0);
    if (code->form.padded)
        cm_emit_argument(m->imp, CM_ELEMENTWISE_MASK, CM_ELEMENTWISE_MASK, 0);
    for (uint32_t k = 0; k < CM_MICRO_ARRAYS; k++) {
        if (!code->declared[k])
            continue;
        snprintf(name, sizeof name, "%s%u", k < CM_MICRO_INDEX ? "array" : "index",
                 (unsigned)(k < CM_MICRO_INDEX ? k : k - CM_MICRO_INDEX) + 1);
        cm_imp_argument(m->imp, name, CM_ARGUMENT_ADDRESS);
        m->address_of[k] = (uint8_t)argument;
        m->words_of[k] = cm_type_slices(cm_elementwise_array_type(m->lower, k));
        m->pitch_of[k] = m->words_of[k];
        if (code->form.pitches && k < CM_MICRO_INDEX)
            m->pitch_of[k] *= code->form.pitches[k];
        if (code->used[k] && !code->form.near)
            cm_emit_argument(m->imp, argument, argument, 0);
        argument++;
    }
    for (uint32_t h = 0; code->form.near && h < code->form.near->halo_count; h++) {
        snprintf(name, sizeof name, "halo%u", (unsigned)h + 1);
        cm_imp_argument(m->imp, name, CM_ARGUMENT_ADDRESS);
    }
    declare_scalars(m);
    for (uint32_t slot = 0; slot < m->lower->slots.count; slot++)
        if (code->schedule.resident[slot] != CM_NO_REGISTER)
            emit_scalar(m, slot, code->schedule.resident[slot]);
}

bool cm_emitter_init(struct emitter *m, const struct cm_elementwise_code *code)
{
    *m = (struct emitter){.imp = cm_imp_create("elementwise"),
                          .code = code,
                          .lower = &code->lower,
                          .context = {.known = true, .all = true}};
    if (m->imp)
        emit_registers(m);
    return m->imp != NULL;
}

struct cm_imp *cm_elementwise_emit(const struct cm_elementwise_code *code, uint32_t begin,
                                   uint32_t end)
{
    struct emitter m;
    if (!cm_emitter_init(&m, code))
        return NULL;
    emit_loop(&m, begin, end);
    return cm_emit_end(m.imp);
}

enum cm_status cm_elementwise_count(const struct cm_elementwise_code *code,
                                    const struct cm_config *config,
                                    struct cm_elementwise_info *info, struct cm_error *err)
{
    const double vector = code->schedule.vector;
    struct cm_config even = *config; /* costs without page faults, bank conflicts and refresh */
    struct cm_clock clock;
    struct emitter m;
    if (!cm_emitter_init(&m, code))
        return cm_error_no_memory(err);
    const uint32_t first = m.imp->length;
    cm_emit_vector(&m, 0, code->schedule.vector);
    even.memory_load_page_fault_cycles = even.memory_store_page_fault_cycles = 0;
    even.memory_bank_conflict_cycles = even.memory_refresh_interval_cycles = 0;
    cm_clock_init(&clock, &even);
    for (uint32_t i = first; i < m.imp->length; i++)
        cm_clock_issue(&clock, &m.imp->code[i], &(struct cm_effective){0});
    const struct cm_counters *counters = &clock.counters;
    info->loads = (double)counters->loads / vector;
    info->stores = (double)counters->stores / vector;
    info->cycles = (double)counters->cycles / vector;
    for (uint32_t i = first; i < m.imp->length; i++) {
        const enum cm_cost_class cost = cm_op_info(m.imp->code[i].op)->cost;
        info->operations += cost != CM_COST_FPU_LOAD && cost != CM_COST_FPU_STORE &&
                            cost != CM_COST_FPU_LOAD_INDEXED && cost != CM_COST_FPU_STORE_INDEXED;
    }
    info->operations /= vector;
    const bool failed = m.imp->failed;
    cm_imp_destroy(m.imp);
    return failed ? cm_error_no_memory(err) : CM_OK;
}

/* Returns the approximate number of SRAM words of a vector's code. */
static uint64_t vector_words(const struct cm_elementwise_code *code)
{
    uint64_t words = 1;
    for (uint32_t i = 0; i < code->schedule.steps.count; i++) {
        const struct cm_micro *entry = &code->lower.code.items[code->schedule.steps.items[i].entry];
        words += cm_op_words((enum cm_op)entry->op) + (entry->test != CM_OP_HALT);
        const bool masked = entry->kind == CM_MICRO_STORE || entry->kind == CM_MICRO_LOOKUP;
        words += masked && code->form.padded ? 2 : 0;
    }
    return words;
}

/* Chooses the number of elements in an iteration: as many as `form->words` SRAM words allow. */
static void choose_group(struct cm_elementwise_code *code)
{
    const uint32_t vector = code->schedule.vector;
    const uint64_t words = vector_words(code);
    code->group = code->form.padded ? CM_ELEMENTWISE_GROUP : vector;
    while (2 * (uint64_t)code->group * words / vector <= code->form.words &&
           code->group < code->form.local_elements)
        code->group *= 2;
}

bool cm_elementwise_code_init(struct cm_elementwise_code *code,
                              const struct cm_expression *expression,
                              const struct cm_elementwise_form *form)
{
    uint32_t vector = form->vector;
    memset(code, 0, sizeof *code);
    code->form = *form;
    for (uint32_t k = 0; form->near && k < CM_EXPRESSION_ARRAYS_MAX; k++)
        code->same[k] = expression->arrays[k].used ? form->near->operands[k].array : k;
    while (vector > 1 && vector / 2 >= form->local_elements)
        vector /= 2;
    if (!cm_lower_init(&code->lower, expression) ||
        !cm_plan_init(&code->schedule, &code->lower, vector, form->near ? code->same : NULL))
        return false;
    for (uint32_t i = 0; i < code->schedule.order.count; i++) {
        const struct cm_micro *entry = &code->lower.code.items[code->schedule.order.items[i]];
        if (entry->kind == CM_MICRO_LOAD || entry->kind == CM_MICRO_LOOKUP ||
            entry->kind == CM_MICRO_STORE)
            code->used[entry->number] = true;
    }
    for (uint32_t k = 0; k < CM_MICRO_ARRAYS; k++) {
        code->declared[k] = k < CM_MICRO_INDEX ? expression->arrays[k].used
                                               : expression->indices[k - CM_MICRO_INDEX];
        code->array_count += code->declared[k];
    }
    code->array_count += form->near ? form->near->halo_count : 0;
    choose_group(code);
    return true;
}

void cm_elementwise_code_finish(struct cm_elementwise_code *code)
{
    cm_plan_finish(&code->schedule);
    cm_lower_finish(&code->lower);
}
