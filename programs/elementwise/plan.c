/* Plans of vectors: chooses the order of micro code, the size of the vector, and the scalars that
 * stay in registers. plan.h explains the method. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* Counts how often the entries that stores need use each entry. */
static void count_uses(struct cm_plan *s)
{
    const struct cm_lower *lower = s->lower;
    for (uint32_t i = 0; i < lower->roots.count; i++)
        s->uses[lower->roots.items[i]]++;
    for (uint32_t e = lower->code.count; e-- > 1;)
        for (uint32_t k = 0; s->uses[e] > 0 && k < CM_MICRO_SOURCES; k++)
            s->uses[lower->code.items[e].sources[k]]++;
    s->uses[0] = 0;
}

/* Merges a product that only one sum uses into a multiply-add. This instruction rounds product and
 * sum as separate instructions do. */
static void join_products(struct cm_plan *s)
{
    struct cm_micro *code = s->lower->code.items;
    for (uint32_t e = 1; e < s->lower->code.count; e++) {
        struct cm_micro *sum = &code[e];
        const bool wide = sum->op == CM_OP_FADD64;
        if (s->uses[e] == 0 || sum->kind != CM_MICRO_PLAIN || (!wide && sum->op != CM_OP_FADD32))
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t p = sum->sources[k];
            const uint32_t other = sum->sources[1 - k];
            if (s->uses[p] != 1 || code[p].kind != CM_MICRO_PLAIN ||
                code[p].op != (wide ? CM_OP_FMUL64 : CM_OP_FMUL32))
                continue;
            sum->op = wide ? CM_OP_FMA64 : CM_OP_FMA32;
            sum->sources[0] = code[p].sources[0];
            sum->sources[1] = code[p].sources[1];
            sum->sources[2] = other;
            s->uses[p] = 0;
            break;
        }
    }
}

static void find_shared(struct cm_plan *s)
{
    const struct cm_lower *lower = s->lower;
    s->shared[0] = 1;
    for (uint32_t e = 1; e < lower->code.count; e++) {
        const struct cm_micro *entry = &lower->code.items[e];
        bool shared = entry->kind != CM_MICRO_LOAD && entry->kind != CM_MICRO_LOOKUP &&
                      entry->kind != CM_MICRO_STORE;
        for (uint32_t k = 0; k < CM_MICRO_SOURCES; k++)
            shared = shared && s->shared[entry->sources[k]];
        s->shared[e] = shared;
    }
}

/* Sorts an entry's sources by the number of registers that they need, the greatest first. Returns
 * the number of sources. */
static uint32_t sources_by_need(const struct cm_lower *lower, const uint32_t *needs, uint32_t e,
                                uint32_t sorted[CM_MICRO_SOURCES])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < CM_MICRO_SOURCES; k++) {
        const uint32_t source = lower->code.items[e].sources[k];
        uint32_t at = count;
        if (source == 0)
            continue;
        for (; at > 0 && needs[sorted[at - 1]] < needs[source]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = source;
        count++;
    }
    return count;
}

/* Finds how many registers the tree below each entry needs if no value is shared. */
static void find_needs(const struct cm_lower *lower, uint32_t *needs)
{
    uint32_t sorted[CM_MICRO_SOURCES];
    for (uint32_t e = 1; e < lower->code.count; e++) {
        const uint32_t count = sources_by_need(lower, needs, e, sorted);
        needs[e] = lower->code.items[e].kind == CM_MICRO_SCALAR ? 0 : 1;
        for (uint32_t k = 0; k < count; k++)
            if (needs[sorted[k]] + k > needs[e])
                needs[e] = needs[sorted[k]] + k;
    }
}

struct visit {
    uint32_t entry;
    uint32_t next; /* number of the next source to visit */
};

struct walk {
    struct cm_plan *schedule;
    uint32_t *needs;
    uint32_t *siblings; /* for each entry, the other part of its complex value, or 0 */
    uint8_t *done;
    CM_LIST(struct visit) stack;
};

/* Appends an entry to the order, after all entries that it needs. Scalars are not in the order,
 * because they are fetched when they are used. */
static bool visit(struct walk *w, uint32_t entry)
{
    struct cm_plan *s = w->schedule;
    uint32_t sorted[CM_MICRO_SOURCES];
    cm_list_push(&w->stack, (struct visit){entry, 0});
    while (w->stack.count > 0 && !w->stack.failed) {
        struct visit *top = &w->stack.items[w->stack.count - 1];
        const uint32_t e = top->entry;
        const uint32_t count = w->done[e] ? 0 : sources_by_need(s->lower, w->needs, e, sorted);
        if (top->next < count) {
            const uint32_t source = sorted[top->next++];
            if (!w->done[source])
                cm_list_push(&w->stack, (struct visit){source, 0});
            continue;
        }
        if (!w->done[e] && s->lower->code.items[e].kind != CM_MICRO_SCALAR)
            cm_list_push(&s->order, e);
        w->done[e] = 1;
        w->stack.count--;
        if (w->siblings[e] != 0 && !w->done[w->siblings[e]])
            cm_list_push(&w->stack, (struct visit){w->siblings[e], 0});
    }
    return !w->stack.failed && !s->order.failed;
}

/* Appends all loads of an array, because all its elements must be read before an element is
 * written. */
static bool visit_loads(struct walk *w, uint32_t array)
{
    const struct cm_lower *lower = w->schedule->lower;
    bool ok = true;
    for (uint32_t e = 1; ok && e < lower->code.count; e++) {
        const struct cm_micro *entry = &lower->code.items[e];
        const bool loads = entry->kind == CM_MICRO_LOAD || entry->kind == CM_MICRO_LOOKUP;
        if (loads && cm_plan_is_same(w->schedule, entry->number, array) && w->schedule->uses[e] > 0)
            ok = visit(w, e);
    }
    return ok;
}

/* Pairs the entries for the real and imaginary part of each complex value. */
static void find_siblings(const struct cm_plan *s, uint32_t *siblings)
{
    const struct cm_lower *lower = s->lower;
    for (uint32_t n = 1; n < lower->expression->nodes.count; n++) {
        const uint32_t re = lower->values[n][0], im = lower->values[n][1];
        if (im == 0 || s->uses[re] == 0 || s->uses[im] == 0)
            continue;
        siblings[re] = im;
        siblings[im] = re;
    }
}

static bool find_order(struct cm_plan *s)
{
    const struct cm_lower *lower = s->lower;
    struct walk w = {.schedule = s};
    w.needs = calloc(lower->code.count, sizeof *w.needs);
    w.siblings = calloc(lower->code.count, sizeof *w.siblings);
    w.done = calloc(lower->code.count, 1);
    bool ok = w.needs && w.siblings && w.done;
    if (ok) {
        find_needs(lower, w.needs);
        find_siblings(s, w.siblings);
    }
    for (uint32_t i = 0; ok && i < lower->roots.count; i++)
        ok = visit_loads(&w, lower->code.items[lower->roots.items[i]].number) &&
             visit(&w, lower->roots.items[i]);
    free(w.needs);
    free(w.siblings);
    free(w.done);
    cm_list_finish(&w.stack);
    return ok;
}

/* Number of values that are in registers at one entry of the order. */
struct pressure {
    uint32_t own;     /* number of values that each element has */
    uint32_t shared;  /* number of values that all elements share */
    uint32_t scalars; /* number of scalars that the entry uses */
};

/* Returns the number of distinct scalars among the sources of an entry. */
static uint32_t scalars_of(const struct cm_lower *lower, const struct cm_micro *entry)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < CM_MICRO_SOURCES; k++) {
        bool counts = lower->code.items[entry->sources[k]].kind == CM_MICRO_SCALAR;
        for (uint32_t j = 0; j < k; j++)
            counts = counts && entry->sources[j] != entry->sources[k];
        count += counts;
    }
    return count;
}

/* Number of registers that a vector needs, with and without scalars. */
struct need {
    uint32_t with, without;
};

static struct need need_of(const struct cm_plan *s, const uint32_t *last, uint32_t vector)
{
    const struct cm_lower *lower = s->lower;
    struct need need = {0};
    struct pressure live = {0};
    for (uint32_t i = 0; i < s->order.count; i++) {
        const uint32_t e = s->order.items[i];
        const struct cm_micro *entry = &lower->code.items[e];
        live.scalars = scalars_of(lower, entry);
        const uint32_t before = vector * live.own + live.shared;
        for (uint32_t k = 0; k < CM_MICRO_SOURCES; k++) {
            const uint32_t source = entry->sources[k];
            bool dies = source != 0 && last[source] == i &&
                        lower->code.items[source].kind != CM_MICRO_SCALAR;
            for (uint32_t j = 0; j < k; j++)
                dies = dies && entry->sources[j] != source;
            live.own -= dies && !s->shared[source];
            live.shared -= dies && s->shared[source];
        }
        live.own += entry->kind != CM_MICRO_STORE && !s->shared[e];
        live.shared += entry->kind != CM_MICRO_STORE && s->shared[e];
        const uint32_t after = vector * live.own + live.shared;
        const uint32_t most = after > before ? after : before;
        need.without = most > need.without ? most : need.without;
        need.with = most + live.scalars > need.with ? most + live.scalars : need.with;
    }
    return need;
}

/* Gives the registers that are left to the scalars that are used most often. */
static void choose_residents(struct cm_plan *s, struct need need)
{
    const struct cm_lower *lower = s->lower;
    uint32_t free_registers = need.with < CM_FPU_REGISTERS ? CM_FPU_REGISTERS - need.with : 0;
    uint32_t used = 0;
    for (uint32_t e = 1; e < lower->code.count; e++)
        used += lower->code.items[e].kind == CM_MICRO_SCALAR && s->uses[e] > 0;
    if (need.without + used <= CM_FPU_REGISTERS)
        free_registers = used;
    memset(s->resident, CM_NO_REGISTER, lower->slots.count);
    while (s->resident_count < free_registers) {
        uint32_t best = 0;
        for (uint32_t e = 1; e < lower->code.count; e++) {
            const struct cm_micro *entry = &lower->code.items[e];
            if (entry->kind == CM_MICRO_SCALAR && s->uses[e] > s->uses[best] &&
                s->resident[entry->number] == CM_NO_REGISTER)
                best = e;
        }
        if (best == 0)
            return;
        s->resident[lower->code.items[best].number] =
            (uint8_t)(CM_FPU_REGISTERS - 1 - s->resident_count++);
    }
}

static bool choose_vector(struct cm_plan *s, uint32_t vector)
{
    const struct cm_lower *lower = s->lower;
    uint32_t *last = calloc(lower->code.count, sizeof *last);
    if (!last)
        return false;
    for (uint32_t i = 0; i < s->order.count; i++)
        for (uint32_t k = 0; k < CM_MICRO_SOURCES; k++)
            last[lower->code.items[s->order.items[i]].sources[k]] = i;
    struct need need = need_of(s, last, vector);
    for (; vector > 1 && need.with > CM_FPU_REGISTERS; need = need_of(s, last, vector))
        vector /= 2;
    s->vector = vector;
    choose_residents(s, need);
    free(last);
    return true;
}

bool cm_plan_init(struct cm_plan *s, struct cm_lower *lower, uint32_t vector, const uint32_t *same)
{
    memset(s, 0, sizeof *s);
    s->lower = lower;
    s->same = same;
    s->uses = calloc(lower->code.count, sizeof *s->uses);
    s->shared = calloc(lower->code.count, 1);
    s->resident = malloc(lower->slots.count + 1);
    if (!s->uses || !s->shared || !s->resident)
        return false;
    count_uses(s);
    join_products(s);
    memset(s->uses, 0, lower->code.count * sizeof *s->uses);
    count_uses(s);
    find_shared(s);
    return find_order(s) && choose_vector(s, vector) && cm_plan_registers(s);
}

void cm_plan_finish(struct cm_plan *s)
{
    free(s->uses);
    free(s->shared);
    free(s->resident);
    cm_list_finish(&s->order);
    cm_list_finish(&s->steps);
}
