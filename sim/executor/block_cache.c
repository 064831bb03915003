/*
 * The block cache: recording instructions, finding a recorded block among the cached blocks, and
 * executing it. Keys and their meaning are in block_cache.h.
 *
 * Invariant: a cached block refers to code of the current generation only. When the code generator
 * has dropped its code, all cached blocks are dropped as well.
 */
#include "block_cache.h"

#include "code.h"
#include "deferred_private.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 1024u
#define WORKS_MOST 512u /* half of a queue, because some instructions become several operations */
#define KEPT_BYTES ((size_t)4 << 20)
/* index of the symbol for the worker's first node, which is set when the block is executed */
#define FIRST_NODE 2u
#define NO_WORD    UINT16_MAX /* word number of a plane outside node memory */

enum way {
    NOTHING, /* the sequencer does everything */
    AT_ONCE, /* executed immediately */
    ALONE,   /* executed immediately while nothing is deferred, else deferred */
    WAITS,
};

/* State of a register after the cached block, if the block changed it. */
struct kept_register {
    uint8_t reg, kind; /* enum cm_value_kind */
    bool joined, wide;
    uint32_t word; /* number of the memory word that the register aliases */
    uint64_t constant;
};

/* Cached block. All its arrays are in one allocation. */
struct cm_kept {
    uint64_t hash;
    uint32_t symbol_count, register_count, plane_count;
    struct cm_lane_entry *entry; /* generated code, or NULL if there is nothing to execute */
    uint32_t copies;             /* registers that alias memory words after the block */
    bool context_full;           /* true if the context flag is set in every node after the block */
    uint64_t *planes;            /* plane parameters of the code, with the constants before them */
    struct kept_register *registers;
    uint32_t *symbols;
    uint16_t *words; /* number of the first memory word of each plane */
};

/* ---- kinds of instructions ---- */

static enum way find_way(enum cm_op op, bool has_register)
{
    if (cm_executes_nothing(op))
        return NOTHING;
    switch (cm_op_info(op)->cost) {
    case CM_COST_LOAD_INDIRECT:
    case CM_COST_UNLOAD_INDIRECT:
    case CM_COST_EXCHANGE:
    case CM_COST_MOVE:
        return AT_ONCE;
    default:
        return has_register ? WAITS : ALONE;
    }
}

static struct cm_note_kind find_kind(enum cm_op op)
{
    const struct cm_op_info *info = cm_op_info(op);
    uint32_t words = 0, planes = info->cost == CM_COST_CONTEXT, scalar = 0;
    bool has_register = false;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        has_register = has_register || info->operands[i] == CM_OPERAND_FREG;
        words = info->operands[i] == CM_OPERAND_MEM ? cm_access_words(op) : words;
        scalar = info->operands[i] == CM_OPERAND_SARG ? i : scalar;
        planes += info->operands[i] == CM_OPERAND_SLOT;
    }
    return (struct cm_note_kind){
        .way = (uint8_t)find_way(op, has_register),
        .words = (uint8_t)words,
        .works = info->cost != CM_COST_FPU_LOAD && info->cost != CM_COST_FPU_SCALAR,
        .planes = (uint8_t)(words + planes),
        .scalar = (uint8_t)scalar,
    };
}

struct cm_notes *cm_notes_create(void)
{
    struct cm_notes *notes = calloc(1, sizeof *notes);
    if (!notes || !cm_lane_numbers_init(&notes->words, WORDS_MOST) ||
        !(notes->words.values = calloc(WORDS_MOST + 1, sizeof *notes->words.values))) {
        cm_notes_destroy(notes);
        return NULL;
    }
    notes->words.step = 1;
    for (int op = 0; op < CM_OP_COUNT; op++)
        notes->kinds[op] = find_kind((enum cm_op)op);
    return notes;
}

static void forget(struct cm_notes *notes)
{
    for (uint32_t i = 0; i < notes->kept_count; i++)
        free(notes->kept[i]);
    memset(notes->table, 0, sizeof notes->table);
    notes->kept_count = 0;
    notes->kept_bytes = 0;
}

void cm_notes_destroy(struct cm_notes *notes)
{
    if (!notes)
        return;
    forget(notes);
    free(notes->words.values);
    free(notes->words.entries);
    free(notes);
}

/* ---- recording ---- */

static void add_symbol(struct cm_notes *notes, uint32_t symbol)
{
    notes->symbols[notes->symbol_count++] = symbol;
}

static void add_long(struct cm_notes *notes, uint64_t value)
{
    add_symbol(notes, (uint32_t)value);
    add_symbol(notes, (uint32_t)(value >> 32));
}

static void add_words(struct cm_notes *notes, uint64_t address, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add_symbol(notes, cm_lane_number(&notes->words, address + i));
}

/* Adds the symbols of a register that aliases a memory word or a constant. */
static void add_copy(struct cm_notes *notes, const struct cm_register *r, uint32_t reg)
{
    add_symbol(notes, reg | (uint32_t)r->wide << 8 | (uint32_t)r->kind << 16);
    if (r->kind == CM_VALUE_MEMORY)
        add_words(notes, r->address, r->wide ? 2 : 1);
    else
        add_long(notes, r->constant);
}

/* Begins a block with the symbols of the state before it. */
static void begin(struct cm_worker *worker)
{
    const struct cm_machine *machine = worker->machine;
    struct cm_notes *notes = worker->notes;
    uint32_t joined = 0;
    cm_lane_numbers_begin(&notes->words);
    notes->symbol_count = 0;
    add_long(notes, machine->load);
    add_symbol(notes, 0); /* placeholder for the first node */
    add_symbol(notes, worker->lanes.last - worker->lanes.first);
    add_symbol(notes, (uint32_t)machine->streams | (uint32_t)worker->context_full << 1);
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++) {
        const struct cm_register *r = &worker->pending.registers[reg];
        joined |= (uint32_t)r->joined << reg;
        if (r->kind != CM_VALUE_REGISTER)
            add_copy(notes, r, reg);
    }
    add_symbol(notes, joined);
    notes->before_count = notes->symbol_count;
    notes->works = notes->planes = 0;
}

static bool is_copy(const struct cm_worker *worker, uint32_t reg, uint64_t address)
{
    const struct cm_register *r = &worker->pending.registers[reg];
    return r->kind == CM_VALUE_MEMORY && cm_pending_overlaps(r, address, 1);
}

/* True if the instruction is executed immediately: it uses no FPU register, nothing is deferred,
 * and no register aliases the word that it writes. */
static bool is_alone(const struct cm_worker *worker, const struct cm_issue *issue,
                     const struct cm_note_kind *kind)
{
    if (kind->way != ALONE || worker->part_count > 1)
        return false;
    if (cm_op_info(issue->instruction->op)->cost != CM_COST_UNLOAD)
        return true;
    for (uint32_t left = worker->pending.copies; left; left &= left - 1)
        if (is_copy(worker, (uint32_t)__builtin_ctz(left), issue->at.data))
            return false;
    return true;
}

static bool is_full(const struct cm_worker *worker)
{
    const struct cm_notes *notes = worker->notes;
    return notes->count == CM_NOTES_MOST || notes->works >= WORKS_MOST ||
           notes->planes >= worker->pending.queue.most_planes ||
           notes->words.count + 2 > WORDS_MOST;
}

static uint64_t scalar(const struct cm_worker *worker, const struct cm_issue *issue, uint32_t i)
{
    return worker->machine->actuals[issue->instruction->operands[i].value].scalar;
}

bool cm_notes_add(struct cm_worker *worker, const struct cm_issue *issue)
{
    struct cm_notes *notes = worker->notes;
    const struct cm_note_kind *kind = &notes->kinds[issue->instruction->op];
    if (kind->way == AT_ONCE && notes->count > 0)
        cm_execute_pending(worker);
    if (kind->way <= AT_ONCE || worker->pending.queue.count > 0)
        return false;
    if (notes->count == 0) {
        if (is_alone(worker, issue, kind))
            return false;
        begin(worker);
    }
    add_symbol(notes, worker->pc);
    if (kind->scalar > 0)
        add_long(notes, scalar(worker, issue, kind->scalar));
    add_words(notes, issue->at.data, kind->words);
    notes->count++;
    notes->works += kind->works;
    notes->planes += kind->planes;
    if (is_full(worker))
        cm_execute_pending(worker);
    return true;
}

/* ---- finding ---- */

static struct cm_kept *find(const struct cm_notes *notes, uint64_t hash)
{
    const uint32_t size = sizeof notes->table / sizeof *notes->table;
    for (uint64_t at = hash % size; notes->table[at]; at = (at + 1) % size) {
        struct cm_kept *kept = notes->kept[notes->table[at] - 1];
        if (kept->hash == hash && kept->symbol_count == notes->symbol_count &&
            memcmp(kept->symbols, notes->symbols, notes->symbol_count * sizeof *kept->symbols) == 0)
            return kept;
    }
    return NULL;
}

/* ---- executing a cached block ---- */

static uint64_t plane_of_word(const struct cm_worker *worker, uint32_t number)
{
    const uint64_t address = worker->notes->words.values[number];
    return (uintptr_t)(cm_worker_plane(worker, address) + worker->lanes.first);
}

static void set_registers(struct cm_worker *worker, const struct cm_kept *kept)
{
    for (uint32_t i = 0; i < kept->register_count; i++) {
        const struct kept_register *from = &kept->registers[i];
        struct cm_register *r = &worker->pending.registers[from->reg];
        worker->pending.changed |= UINT32_C(1) << from->reg;
        r->kind = (enum cm_value_kind)from->kind;
        r->joined = from->joined;
        r->wide = from->wide;
        r->stamp = 0;
        if (from->kind == CM_VALUE_MEMORY)
            r->address = worker->notes->words.values[from->word];
        r->constant = from->constant;
    }
    worker->pending.copies = kept->copies;
    worker->pending.selection.number = 0;
    worker->context_full = kept->context_full;
}

static void play_kept(struct cm_worker *worker, struct cm_kept *kept)
{
    const struct cm_machine *machine = worker->machine;
    struct cm_lane_queue *queue = &worker->pending.queue;
    for (uint32_t i = 0; i < kept->plane_count; i++)
        if (kept->words[i] != NO_WORD)
            kept->planes[i] = plane_of_word(worker, kept->words[i]);
    const struct cm_lane_run run = {
        .planes = kept->planes,
        .registers = cm_fpu_register(&machine->fpu, cm_worker_node(worker), 0),
        .nodes = worker->lanes.last - worker->lanes.first,
        .streams = machine->streams,
    };
    if (kept->entry)
        cm_lane_code_run(queue->code, kept->entry, &run, &queue->crowded);
    set_registers(worker, kept);
}

/* ---- executing and caching a new block ---- */

/* Turns the recorded symbols into instructions again, and executes them. */
static void execute(struct cm_worker *worker)
{
    const struct cm_notes *notes = worker->notes;
    const struct cm_instruction *code = worker->machine->imp->code;
    for (uint32_t i = notes->before_count; i < notes->symbol_count;) {
        struct cm_issue issue = {.instruction = &code[notes->symbols[i++]]};
        const struct cm_note_kind *kind = &notes->kinds[issue.instruction->op];
        i += kind->scalar > 0 ? 2 : 0;
        if (kind->words > 0)
            issue.at.data = notes->words.values[notes->symbols[i]];
        i += kind->words;
        cm_execute_now(worker, &issue);
    }
}

static bool is_changed(const struct cm_register *a, const struct cm_register *b)
{
    return a->kind != b->kind || a->joined != b->joined || a->wide != b->wide ||
           (a->kind == CM_VALUE_MEMORY && a->address != b->address) ||
           (a->kind == CM_VALUE_CONSTANT && a->constant != b->constant);
}

static void keep_registers(struct cm_worker *worker, const struct cm_register *before,
                           struct cm_kept *kept)
{
    kept->copies = 0;
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++) {
        const struct cm_register *r = &worker->pending.registers[reg];
        const bool memory = r->kind == CM_VALUE_MEMORY;
        kept->copies |= (uint32_t)memory << reg;
        if (!is_changed(r, &before[reg]))
            continue;
        kept->registers[kept->register_count++] = (struct kept_register){
            .reg = (uint8_t)reg,
            .kind = (uint8_t)r->kind,
            .joined = r->joined,
            .wide = r->wide,
            .word = memory ? cm_lane_number(&worker->notes->words, r->address) : 0,
            .constant = r->constant,
        };
    }
}

/* Finds the word number of every plane of the code. Returns false when a plane belongs to a word
 * that the block does not mention. */
static bool keep_planes(const struct cm_worker *worker, uint32_t known, struct cm_kept *kept)
{
    const struct cm_memory *memory = &worker->machine->memory;
    for (uint32_t i = 0; i < kept->plane_count; i++) {
        const uint32_t *words = (const uint32_t *)(uintptr_t)kept->planes[i];
        uint64_t address;
        kept->words[i] = NO_WORD;
        if (!cm_memory_find(memory, worker->part, words - worker->lanes.first, &address))
            continue;
        kept->words[i] = (uint16_t)cm_lane_number(&worker->notes->words, address);
        if (kept->words[i] >= known)
            return false;
    }
    return true;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* Allocates a cached block with its arrays, and fills all of them except the registers and the
 * words. */
static struct cm_kept *allocate_kept(const struct cm_notes *notes, const uint64_t *planes,
                                     const struct cm_lane_played *played, size_t *bytes)
{
    const uint32_t parameters = played->constant_count + played->plane_count;
    const size_t registers = CM_FPU_REGISTERS * sizeof(struct kept_register);
    const size_t symbols = rounded(notes->symbol_count * sizeof *notes->symbols);
    const size_t begin = rounded(sizeof(struct cm_kept));
    *bytes = begin + registers + parameters * sizeof(uint64_t) + symbols +
             rounded(played->plane_count * sizeof(uint16_t));
    struct cm_kept *kept = calloc(1, *bytes);
    if (!kept)
        return NULL;
    uint8_t *at = (uint8_t *)kept + begin;
    kept->registers = (struct kept_register *)(void *)at;
    uint64_t *constants = (uint64_t *)(void *)(at += registers);
    kept->planes = constants + played->constant_count;
    kept->symbols = (uint32_t *)(void *)(at += parameters * sizeof(uint64_t));
    kept->words = (uint16_t *)(void *)(at + symbols);
    memcpy(constants, planes - played->constant_count, parameters * sizeof *constants);
    memcpy(kept->symbols, notes->symbols, notes->symbol_count * sizeof *kept->symbols);
    kept->symbol_count = notes->symbol_count;
    kept->plane_count = played->plane_count;
    kept->entry = played->entry;
    return kept;
}

static void add_kept(struct cm_notes *notes, struct cm_kept *kept, size_t bytes)
{
    const uint32_t size = sizeof notes->table / sizeof *notes->table;
    uint64_t at = kept->hash % size;
    notes->kept[notes->kept_count++] = kept;
    notes->kept_bytes += bytes;
    while (notes->table[at])
        at = (at + 1) % size;
    notes->table[at] = (uint16_t)notes->kept_count;
}

/* Adds the recorded block to the cache. Does nothing when out of memory. */
static void keep(struct cm_worker *worker, uint64_t hash, const struct cm_lane_played *played,
                 const struct cm_register *before)
{
    struct cm_notes *notes = worker->notes;
    const uint32_t known = notes->words.count;
    size_t bytes;
    struct cm_kept *kept = allocate_kept(
        notes, cm_lane_code_planes(worker->pending.queue.code)->values, played, &bytes);
    if (!kept)
        return;
    kept->hash = hash;
    kept->context_full = worker->context_full;
    keep_registers(worker, before, kept);
    if (!keep_planes(worker, known, kept) || notes->words.count > known) {
        free(kept);
        return;
    }
    if (notes->kept_count == CM_KEPT_MOST || notes->kept_bytes + bytes > KEPT_BYTES)
        forget(notes);
    add_kept(notes, kept, bytes);
}

static void forget_lost_code(struct cm_worker *worker)
{
    struct cm_notes *notes = worker->notes;
    const uint64_t generation = cm_lane_code_generation(worker->pending.queue.code);
    if (notes->generation != generation)
        forget(notes);
    notes->generation = generation;
}

/* Executes a new block by deferred operations. The block is cached if generated code executed it in
 * one piece. */
static void play_new(struct cm_worker *worker, uint64_t hash)
{
    struct cm_lane_queue *queue = &worker->pending.queue;
    const uint64_t first = queue->first;
    struct cm_register before[CM_FPU_REGISTERS];
    struct cm_lane_played played = {0};
    memcpy(before, worker->pending.registers, sizeof before);
    queue->collects = true;
    execute(worker);
    queue->collects = false;
    const bool whole = queue->first == first, nothing = queue->count == 0;
    const bool by_code = cm_execute_queue(worker);
    if (!whole || (!nothing && !by_code))
        return;
    if (!nothing)
        played = cm_lane_code_played(queue->code);
    forget_lost_code(worker);
    keep(worker, hash, &played, before);
}

void cm_notes_play(struct cm_worker *worker)
{
    struct cm_notes *notes = worker->notes;
    notes->symbols[FIRST_NODE] = cm_worker_node(worker);
    const uint64_t hash =
        cm_lane_hash(notes->symbols, notes->symbol_count * sizeof *notes->symbols);
    notes->count = 0;
    forget_lost_code(worker);
    struct cm_kept *kept = find(notes, hash);
    if (kept)
        play_kept(worker, kept);
    else
        play_new(worker, hash);
}
