/* The list of breakpoints, and the conditions under which points and effects hit them. */
#include "debug_private.h"

#include "../sim/machine/inspect.h"

#include <stdlib.h>
#include <string.h>

uint32_t cm_debug_add_break(struct cm_debug *debug, const struct cm_break *made)
{
    if (debug->break_count == debug->break_capacity) {
        uint32_t capacity = debug->break_capacity > 0 ? 2 * debug->break_capacity : 8;
        struct cm_break *grown = realloc(debug->breaks, capacity * sizeof *grown);
        if (grown == NULL)
            return 0;
        debug->breaks = grown;
        debug->break_capacity = capacity;
    }
    struct cm_break *added = &debug->breaks[debug->break_count++];
    *added = *made;
    added->number = ++debug->break_number;
    added->hits = 0;
    added->since = debug->at.point;
    return added->number;
}

bool cm_debug_delete_break(struct cm_debug *debug, uint32_t number)
{
    for (uint32_t i = 0; i < debug->break_count; i++) {
        if (debug->breaks[i].number != number)
            continue;
        debug->break_count--;
        memmove(&debug->breaks[i], &debug->breaks[i + 1],
                (debug->break_count - i) * sizeof *debug->breaks);
        return true;
    }
    return false;
}

uint32_t cm_debug_break_count(const struct cm_debug *debug)
{
    return debug->break_count;
}

const struct cm_break *cm_debug_break_at(const struct cm_debug *debug, uint32_t i)
{
    return &debug->breaks[i];
}

void cm_debug_forget_hits(struct cm_debug *debug)
{
    for (uint32_t i = 0; i < debug->break_count; i++)
        debug->breaks[i].hits = 0;
}

bool cm_debug_is_file(const char *path, const char *name)
{
    size_t length = strlen(path), wanted = strlen(name);
    if (wanted == 0 || wanted > length || strcmp(path + length - wanted, name) != 0)
        return false;
    return wanted == length || path[length - wanted - 1] == '/';
}

/* Counts a hit of a breakpoint. If several breakpoints stop the run at once, the first one is
 * reported. */
static void hit(struct cm_debug *debug, struct cm_break *b, const struct cm_debug_effect *effect)
{
    b->hits++;
    if (b->hits < b->count || debug->is_hit)
        return;
    debug->is_hit = true;
    debug->hit = (struct cm_debug_stop){.reason = CM_DEBUG_BROKEN, .hit = *b};
    if (effect != NULL)
        debug->hit.effect = *effect;
}

static bool is_step(const struct cm_debug *debug, const struct cm_break *b)
{
    return debug->at.place == CM_DEBUG_STEP &&
           (b->name[0] != '\0' ? strcmp(debug->at.where, b->name) == 0
                               : debug->at.step == b->value);
}

static bool is_line(const struct cm_debug_at *at, const struct cm_break *b)
{
    const char *source = NULL;
    if (at->place == CM_DEBUG_LINE)
        return at->line == b->value && cm_debug_is_file(at->file, b->name);
    if (at->place == CM_DEBUG_INSTRUCTION)
        source = at->imp->source_name;
    return source != NULL && at->imp->code[at->pc].line == b->value &&
           cm_debug_is_file(source, b->name);
}

/* Returns true if the current point hits a breakpoint on an instruction, a line, a step, or a
 * number of cycles or instructions. */
static bool is_awaited(const struct cm_debug *debug, const struct cm_break *b,
                       const struct cm_counters *counters)
{
    const struct cm_debug_at *at = &debug->at;
    bool in_imp = at->place == CM_DEBUG_INSTRUCTION;
    switch (b->kind) {
    case CM_BREAK_OP:
        return in_imp && at->imp->code[at->pc].op == b->op;
    case CM_BREAK_INSTRUCTION:
        return in_imp && at->pc == b->value && strcmp(at->imp->name, b->name) == 0;
    case CM_BREAK_LINE:
        return is_line(at, b);
    case CM_BREAK_STEP:
        return is_step(debug, b);
    case CM_BREAK_CYCLE:
        return debug->seen_cycles < b->value && b->value <= counters->cycles;
    case CM_BREAK_INSTRUCTIONS:
        return debug->seen_instructions < b->value && b->value <= counters->instructions;
    default:
        return false;
    }
}

void cm_debug_match_point(struct cm_debug *debug, const struct cm_counters *counters)
{
    for (uint32_t i = 0; i < debug->break_count; i++) {
        struct cm_break *b = &debug->breaks[i];
        if (debug->at.point > b->since && is_awaited(debug, b, counters))
            hit(debug, b, NULL);
    }
    debug->seen_cycles = counters->cycles;
    debug->seen_instructions = counters->instructions;
}

/* Returns true if an effect may hit the breakpoint. Effects count from the point at which the
 * breakpoint was added, but this point itself cannot hit it. */
static bool waits(const struct cm_debug *debug, const struct cm_break *b)
{
    return debug->then == CM_DEBUG_GO_ON && debug->at.point >= b->since;
}

static struct cm_debug_effect effect_of(const struct cm_debug *debug)
{
    return (struct cm_debug_effect){.run = debug->at.runs, .pc = debug->at.pc};
}

void cm_debug_match_causes(struct cm_debug *debug, const struct cm_counters *counters)
{
    for (uint32_t i = 0; i < debug->break_count; i++) {
        struct cm_break *b = &debug->breaks[i];
        if (b->kind != CM_BREAK_CAUSE || !waits(debug, b) ||
            counters->by_cause[b->cause] == debug->seen[b->cause])
            continue;
        struct cm_debug_effect effect = effect_of(debug);
        if (debug->at.place != CM_DEBUG_INSTRUCTION)
            effect.run = 0;
        effect.cycles = counters->by_cause[b->cause] - debug->seen[b->cause];
        hit(debug, b, &effect);
    }
    memcpy(debug->seen, counters->by_cause, sizeof debug->seen);
}

/* ---- memory ---- */

/* Returns true if `address` is the address of one of `count` words, of which the first is at
 * `first` and the next ones are `stride` words apart. */
static bool is_among(uint64_t address, uint64_t first, int64_t stride, int64_t count)
{
    int64_t ahead = (int64_t)(address - first);
    if (stride == 0)
        return ahead == 0;
    return ahead % stride == 0 && ahead / stride >= 0 && ahead / stride < count;
}

static bool writes(enum cm_cost_class cost)
{
    return cost == CM_COST_UNLOAD || cost == CM_COST_UNLOAD_INDIRECT || cost == CM_COST_FPU_STORE ||
           cost == CM_COST_FPU_STORE_INDEXED;
}

/* Returns the number of adjacent words that an instruction accesses. For an indexed load or store,
 * returns the number of words that an index may select. */
static int64_t words_of(const struct cm_instruction *in)
{
    switch (in->op) {
    case CM_OP_FLOAD64:
    case CM_OP_FSTORE64:
        return 2;
    case CM_OP_FLOADX32:
    case CM_OP_FLOADX64:
    case CM_OP_FSTOREX32:
    case CM_OP_FSTOREX64:
        return in->operands[3].value;
    default:
        return 1;
    }
}

/* Returns true if an instruction reads an address, or writes it if `writing` is true, in at least
 * one node. The instruction's communication table word counts as read. */
static bool accesses(const struct cm_instruction *in, const struct cm_observed_issue *issue,
                     uint64_t address, bool writing)
{
    const struct cm_op_info *info = cm_op_info(in->op);
    uint32_t found = 0;
    if (in->op == CM_OP_MOVE)
        return is_among(address, writing ? issue->address : issue->other,
                        in->operands[writing ? 3 : 4].value, in->operands[2].value);
    for (uint32_t i = 0; i < info->operand_count; i++) {
        if (info->operands[i] != CM_OPERAND_MEM)
            continue;
        bool second = found++ > 0;
        if (writing == (!second && writes(info->cost)) &&
            is_among(address, second ? issue->other : issue->address, 1, second ? 1 : words_of(in)))
            return true;
    }
    return false;
}

/* Returns true if a store takes effect in a node because the node's context flag is set.
 * CM_DEBUG_ANY: in any node. */
static bool is_written(const struct cm_debug *debug, uint32_t node)
{
    if (node != CM_DEBUG_ANY)
        return cm_machine_context_flag(debug->machine, node);
    for (uint32_t n = 0; n < debug->nodes; n++)
        if (cm_machine_context_flag(debug->machine, n))
            return true;
    return false;
}

static void match_access(struct cm_debug *debug, struct cm_break *b,
                         const struct cm_observed_issue *issue)
{
    const struct cm_instruction *in = &debug->at.imp->code[issue->pc];
    struct cm_debug_effect effect = effect_of(debug);
    effect.written = b->kind != CM_BREAK_READ && accesses(in, issue, b->value, true) &&
                     is_written(debug, b->node);
    effect.node = b->node;
    if (effect.written || (b->kind != CM_BREAK_WRITE && accesses(in, issue, b->value, false)))
        hit(debug, b, &effect);
}

/* ---- channels ---- */

/* Finds the word that a node sends over a channel in this exchange. Returns false if the node sends
 * no word. */
static bool sends(const struct cm_debug *debug, const struct cm_observed_issue *issue,
                  uint32_t node, uint32_t dimension, uint32_t channel, uint32_t *word)
{
    uint32_t slots = (uint32_t)cm_machine_config(debug->machine)->transposer_slots;
    uint32_t slot = cm_slot_of_channel(slots, dimension, channel);
    if (slot >= slots || (debug->slots[node] >> slot & 1) == 0)
        return false;
    *word = issue->wires.words != NULL ? *cm_planes_word(&issue->wires, slot, node) : 0;
    return true;
}

static void match_exchange(struct cm_debug *debug, struct cm_break *b,
                           const struct cm_observed_issue *issue)
{
    uint32_t first = b->node != CM_DEBUG_ANY ? b->node : 0;
    uint32_t last = b->node != CM_DEBUG_ANY ? b->node : debug->nodes - 1;
    struct cm_debug_effect effect = effect_of(debug);
    effect.dimension = b->dimension;
    for (effect.node = first; effect.node <= last; effect.node++)
        for (effect.channel = 0; effect.channel < 2; effect.channel++)
            if ((b->channel == CM_DEBUG_ANY || b->channel == effect.channel) &&
                sends(debug, issue, effect.node, b->dimension, effect.channel, &effect.word)) {
                hit(debug, b, &effect);
                return;
            }
}

void cm_debug_match_issue(struct cm_debug *debug, const struct cm_observed_issue *issue)
{
    bool known = false;
    for (uint32_t i = 0; i < debug->break_count; i++) {
        struct cm_break *b = &debug->breaks[i];
        if (!waits(debug, b))
            continue;
        if (b->kind == CM_BREAK_CHANNEL && issue->slots == CM_SLOTS_PENDING) {
            if (!known)
                cm_machine_observed_slots(debug->machine, issue->slots, issue->number,
                                          debug->slots);
            known = true;
            match_exchange(debug, b, issue);
        } else if (b->kind >= CM_BREAK_READ) {
            match_access(debug, b, issue);
        }
    }
    cm_debug_match_causes(debug, issue->counters);
}

void cm_debug_match_hop(struct cm_debug *debug, const struct cm_debug_hop *hop)
{
    for (uint32_t i = 0; i < debug->break_count; i++) {
        struct cm_break *b = &debug->breaks[i];
        if (b->kind != CM_BREAK_CHANNEL || !waits(debug, b) || b->dimension != hop->dimension ||
            (b->node != CM_DEBUG_ANY && b->node != hop->node) ||
            (b->channel != CM_DEBUG_ANY && b->channel != hop->channel))
            continue;
        struct cm_debug_effect effect = {

            .packet = hop->packet,
            .node = hop->node,
            .dimension = hop->dimension,
            .channel = hop->channel};
        hit(debug, b, &effect);
    }
}
