/* Allocates FPU registers for a vector. plan.h explains the method. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#define NEVER    UINT32_MAX
#define NO_VALUE UINT32_MAX
#define NO_PLACE UINT32_MAX

/* Work to plan: one entry of the order for one element. */
struct task {
    uint32_t entry;
    uint32_t element;
    /* for each source k, the next task that uses it after this task, or NEVER */
    uint32_t next[CM_MICRO_SOURCES];
};

/* State of the allocation. A value has the number entry * vector + element. */
struct allocator {
    struct cm_plan *schedule;
    CM_LIST(struct task) tasks;
    uint32_t *next_use; /* for each value, the next task that uses it, or NEVER */
    uint32_t *place;    /* for each value, its place in node memory, or NO_PLACE */
    uint8_t *where;     /* for each value, its register, or CM_NO_REGISTER */
    uint8_t *written;   /* for each array, 1 if its elements are assigned to */
    uint32_t holds[CM_FPU_REGISTERS];
    CM_LIST(uint32_t) free_places;
};

static uint32_t value_of(const struct cm_plan *s, uint32_t entry, uint32_t element)
{
    return entry * s->vector + (s->shared[entry] ? 0 : element);
}

static const struct cm_micro *entry_of(const struct cm_plan *s, uint32_t value)
{
    return &s->lower->code.items[value / s->vector];
}

/* Returns true if the context that is set for entry `a` also serves entry `b`. Then both entries
 * are done for an element before the next element. The stores of a complex element share at least
 * the garbage mask. */
static bool shares_condition(const struct cm_plan *s, uint32_t a, uint32_t b)
{
    const struct cm_micro *x = &s->lower->code.items[a], *y = &s->lower->code.items[b];
    if (x->kind == CM_MICRO_STORE && y->kind == CM_MICRO_STORE && x->number == y->number)
        return true;
    return x->kind != CM_MICRO_TEST && x->kind == y->kind && !s->shared[a] && !s->shared[b] &&
           x->negated == y->negated && cm_micro_same_condition(x, y);
}

/* Lists the tasks: the entries in the planned order, each for all elements of the vector. */
static bool list_tasks(struct allocator *a)
{
    const struct cm_plan *s = a->schedule;
    for (uint32_t i = 0, end; i < s->order.count; i = end) {
        end = i + 1;
        while (end < s->order.count &&
               shares_condition(s, s->order.items[end - 1], s->order.items[end]))
            end++;
        const uint32_t elements = s->shared[s->order.items[i]] ? 1 : s->vector;
        for (uint32_t element = 0; element < elements; element++)
            for (uint32_t k = i; k < end; k++)
                cm_list_push(&a->tasks,
                             (struct task){.entry = s->order.items[k], .element = element});
    }
    return !a->tasks.failed;
}

static void link_uses(struct allocator *a)
{
    const struct cm_plan *s = a->schedule;
    for (uint32_t t = a->tasks.count; t-- > 0;) {
        struct task *task = &a->tasks.items[t];
        const struct cm_micro *entry = &s->lower->code.items[task->entry];
        for (uint32_t k = CM_MICRO_SOURCES; k-- > 0;) {
            uint32_t *next = &a->next_use[value_of(s, entry->sources[k], task->element)];
            if (entry->sources[k] == 0)
                continue;
            task->next[k] = *next;
            *next = t;
        }
    }
}

static bool is_resident(const struct cm_plan *s, const struct cm_micro *entry)
{
    return entry->kind == CM_MICRO_SCALAR && s->resident[entry->number] != CM_NO_REGISTER;
}

/* Returns true if a value can be read again, so that it need not be spilled. */
static bool can_fetch(const struct allocator *a, const struct cm_micro *entry)
{
    return entry->kind == CM_MICRO_SCALAR ||
           (entry->kind == CM_MICRO_LOAD && !a->written[entry->number]);
}

static void push(struct allocator *a, enum cm_step_kind kind, uint32_t value, uint8_t to,
                 const uint8_t *from)
{
    struct cm_plan *s = a->schedule;
    const uint32_t entry = value / s->vector;
    struct cm_vector_step step = {.entry = entry,
                                  .place = a->place[value],
                                  .kind = (uint8_t)kind,
                                  .element = (uint8_t)(value % s->vector),
                                  .shared = s->shared[entry],
                                  .to = to};
    memset(step.from, CM_NO_REGISTER, sizeof step.from);
    if (from)
        memcpy(step.from, from, sizeof step.from);
    cm_list_push(&s->steps, step);
}

static uint32_t take_place(struct allocator *a)
{
    if (a->free_places.count > 0)
        return a->free_places.items[--a->free_places.count];
    return a->schedule->spill_places++;
}

static void evict(struct allocator *a, uint8_t reg)
{
    const uint32_t value = a->holds[reg];
    const uint8_t from[CM_MICRO_SOURCES] = {reg, CM_NO_REGISTER, CM_NO_REGISTER, CM_NO_REGISTER,
                                            CM_NO_REGISTER};
    a->where[value] = CM_NO_REGISTER;
    a->holds[reg] = NO_VALUE;
    if (a->place[value] != NO_PLACE || can_fetch(a, entry_of(a->schedule, value)))
        return;
    a->place[value] = take_place(a);
    push(a, CM_STEP_SPILL, value, CM_NO_REGISTER, from);
}

/* Returns a register for a value: a free register, or the register of the value whose next use is
 * farthest. The registers in the set `locked` are not taken. */
static uint8_t take(struct allocator *a, uint32_t value, uint32_t locked)
{
    struct cm_plan *s = a->schedule;
    const uint32_t count = CM_FPU_REGISTERS - s->resident_count;
    uint32_t best = 0;
    uint64_t farthest = 0;
    for (uint32_t reg = 0; reg < count; reg++) {
        const uint32_t held = a->holds[reg];
        const uint64_t distance =
            held == NO_VALUE ? (uint64_t)NEVER + 1 : (uint64_t)a->next_use[held];
        if (!(locked >> reg & 1) && distance > farthest) {
            farthest = distance;
            best = reg;
        }
    }
    if (a->holds[best] != NO_VALUE)
        evict(a, (uint8_t)best);
    a->holds[best] = value;
    a->where[value] = (uint8_t)best;
    if (best + 1 + s->resident_count > s->registers)
        s->registers = best + 1 + s->resident_count;
    return (uint8_t)best;
}

/* Returns the register of a source. If the source has no register, fetches it to one. */
static uint8_t source_register(struct allocator *a, uint32_t value, uint32_t locked)
{
    const struct cm_micro *entry = entry_of(a->schedule, value);
    if (is_resident(a->schedule, entry))
        return a->schedule->resident[entry->number];
    if (a->where[value] == CM_NO_REGISTER) {
        const uint8_t reg = take(a, value, locked);
        push(a, a->place[value] != NO_PLACE ? CM_STEP_FILL : CM_STEP_FETCH, value, reg, NULL);
    }
    return a->where[value];
}

static void release_if_dead(struct allocator *a, uint32_t value)
{
    if (a->next_use[value] != NEVER)
        return;
    if (a->where[value] != CM_NO_REGISTER)
        a->holds[a->where[value]] = NO_VALUE;
    a->where[value] = CM_NO_REGISTER;
    if (a->place[value] != NO_PLACE)
        cm_list_push(&a->free_places, a->place[value]);
    a->place[value] = NO_PLACE;
}

static void do_task(struct allocator *a, uint32_t t)
{
    struct cm_plan *s = a->schedule;
    const struct task *task = &a->tasks.items[t];
    const struct cm_micro *entry = &s->lower->code.items[task->entry];
    const uint32_t value = value_of(s, task->entry, task->element);
    uint8_t from[CM_MICRO_SOURCES];
    uint8_t to = CM_NO_REGISTER;
    uint32_t locked = 0;
    memset(from, CM_NO_REGISTER, sizeof from);
    /* Sources that have registers keep them while the other sources are fetched. */
    for (uint32_t k = 0; k < CM_MICRO_SOURCES; k++) {
        const uint8_t reg = a->where[value_of(s, entry->sources[k], task->element)];
        if (entry->sources[k] != 0 && reg != CM_NO_REGISTER)
            locked |= UINT32_C(1) << reg;
    }
    for (uint32_t k = 0; k < CM_MICRO_SOURCES; k++)
        if (entry->sources[k] != 0) {
            from[k] = source_register(a, value_of(s, entry->sources[k], task->element), locked);
            locked |= UINT32_C(1) << from[k];
        }
    for (uint32_t k = 0; k < CM_MICRO_SOURCES; k++)
        if (entry->sources[k] != 0) {
            const uint32_t source = value_of(s, entry->sources[k], task->element);
            a->next_use[source] = task->next[k];
            if (!is_resident(s, entry_of(s, source)))
                release_if_dead(a, source);
        }
    if (entry->kind != CM_MICRO_STORE)
        to = take(a, value, 0);
    push(a, CM_STEP_COMPUTE, value, to, from);
}

static bool allocator_init(struct allocator *a, struct cm_plan *s)
{
    const size_t values = (size_t)s->lower->code.count * s->vector;
    *a = (struct allocator){.schedule = s};
    a->next_use = malloc(values * sizeof *a->next_use);
    a->place = malloc(values * sizeof *a->place);
    a->where = malloc(values);
    a->written = calloc(CM_MICRO_ARRAYS, 1);
    if (!a->next_use || !a->place || !a->where || !a->written)
        return false;
    memset(a->next_use, 0xff, values * sizeof *a->next_use);
    memset(a->place, 0xff, values * sizeof *a->place);
    memset(a->where, CM_NO_REGISTER, values);
    memset(a->holds, 0xff, sizeof a->holds);
    for (uint32_t i = 0; i < s->lower->roots.count; i++)
        for (uint32_t k = 0; k < CM_MICRO_ARRAYS; k++)
            if (cm_plan_is_same(s, k, s->lower->code.items[s->lower->roots.items[i]].number))
                a->written[k] = 1;
    return true;
}

static void allocator_finish(struct allocator *a)
{
    cm_list_finish(&a->tasks);
    cm_list_finish(&a->free_places);
    free(a->next_use);
    free(a->place);
    free(a->where);
    free(a->written);
}

bool cm_plan_registers(struct cm_plan *s)
{
    struct allocator a;
    bool ok = allocator_init(&a, s) && list_tasks(&a);
    s->registers = s->resident_count;
    if (ok)
        link_uses(&a);
    for (uint32_t t = 0; ok && t < a.tasks.count; t++) {
        do_task(&a, t);
        ok = !s->steps.failed && !a.free_places.failed;
    }
    allocator_finish(&a);
    return ok;
}
