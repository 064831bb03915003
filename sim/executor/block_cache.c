/*
 * The block cache: recording instructions, finding a recorded block among the cached blocks, and
 * executing it. Keys and their meaning are in block_cache.h.
 *
 * Invariant: a cached block refers to code of the current generation only. When the code generator
 * has dropped its code, all cached blocks are dropped as well.
 */
#include "block_cache.h"

#include "../lanes/code.h"
#include "deferred_private.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 1024u
#define OPERATIONS_MOST                                                                            \
    512u /* operations of a block: half of a queue, because some instructions become several */
#define CACHE_BYTES ((size_t)4 << 20)
/* index in the key of the symbol for the worker's first node, which is set when the block is
 * executed */
#define FIRST_NODE 2u
#define NO_WORD    UINT16_MAX /* word number of a plane outside node memory */

enum issue_mode {
    MODE_SEQUENCER, /* the sequencer does everything */
    MODE_IMMEDIATE, /* executed immediately */
    MODE_IF_IDLE,   /* executed immediately while nothing is deferred, else deferred */
    MODE_DEFERRED,
};

/* State of a register after the cached block, if the block changed it. */
struct cached_register {
    uint8_t reg, kind; /* enum cm_value_kind */
    bool joined, wide;
    uint32_t word; /* number of the memory word that the register aliases */
    uint64_t constant;
};

/* Cached block. All its arrays are in one allocation. */
struct cm_cached_block {
    uint64_t hash;
    uint32_t symbol_count, register_count, plane_count;
    struct cm_lane_entry *entry; /* generated code, or NULL if there is nothing to execute */
    uint32_t aliases;            /* registers that alias memory words after the block, a bit each */
    bool context_full;           /* true if the context flag is set in every node after the block */
    /* parameters of the code: addresses of planes, with the constants before them */
    uint64_t *planes;
    struct cached_register *registers;
    uint32_t *symbols;
    uint16_t *words; /* [plane]: number of the memory word that the plane belongs to, or NO_WORD */
};

/* ---- kinds of instructions ---- */

static enum issue_mode find_mode(enum cm_op op, bool has_register)
{
    if (cm_executes_nothing(op))
        return MODE_SEQUENCER;
    switch (cm_op_info(op)->cost) {
    case CM_COST_LOAD_INDIRECT:
    case CM_COST_UNLOAD_INDIRECT:
    case CM_COST_EXCHANGE:
    case CM_COST_MOVE:
    case CM_COST_FPU_LOAD_INDEXED:
    case CM_COST_FPU_STORE_INDEXED:
        return MODE_IMMEDIATE;
    default:
        return has_register ? MODE_DEFERRED : MODE_IF_IDLE;
    }
}

static struct cm_record_kind find_kind(enum cm_op op)
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
    return (struct cm_record_kind){
        .mode = (uint8_t)find_mode(op, has_register),
        .words = (uint8_t)words,
        .operations = info->cost != CM_COST_FPU_LOAD && info->cost != CM_COST_FPU_SCALAR,
        .planes = (uint8_t)(words + planes),
        .scalar = (uint8_t)scalar,
    };
}

struct cm_block_cache *cm_block_cache_create(void)
{
    struct cm_block_cache *cache = calloc(1, sizeof *cache);
    if (!cache || !cm_lane_numbers_init(&cache->words, WORDS_MOST) ||
        !(cache->words.values = calloc(WORDS_MOST + 1, sizeof *cache->words.values))) {
        cm_block_cache_destroy(cache);
        return NULL;
    }
    cache->words.step = 1;
    for (int op = 0; op < CM_OP_COUNT; op++)
        cache->kinds[op] = find_kind((enum cm_op)op);
    return cache;
}

static void evict_all(struct cm_block_cache *cache)
{
    for (uint32_t i = 0; i < cache->block_count; i++)
        free(cache->blocks[i]);
    memset(cache->table, 0, sizeof cache->table);
    cache->block_count = 0;
    cache->block_bytes = 0;
}

void cm_block_cache_destroy(struct cm_block_cache *cache)
{
    if (!cache)
        return;
    evict_all(cache);
    free(cache->words.values);
    free(cache->words.entries);
    free(cache);
}

/* ---- recording ---- */

static void add_symbol(struct cm_block_cache *cache, uint32_t symbol)
{
    cache->symbols[cache->symbol_count++] = symbol;
}

static void add_long(struct cm_block_cache *cache, uint64_t value)
{
    add_symbol(cache, (uint32_t)value);
    add_symbol(cache, (uint32_t)(value >> 32));
}

static void add_words(struct cm_block_cache *cache, uint64_t address, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add_symbol(cache, cm_lane_number(&cache->words, address + i));
}

/* Adds the symbols of a register that aliases a memory word or a constant. */
static void add_alias(struct cm_block_cache *cache, const struct cm_register *r, uint32_t reg)
{
    add_symbol(cache, reg | (uint32_t)r->wide << 8 | (uint32_t)r->kind << 16);
    if (r->kind == CM_VALUE_MEMORY)
        add_words(cache, r->address, r->wide ? 2 : 1);
    else
        add_long(cache, r->constant);
}

/* Begins to record a block, with the symbols that describe the state before the block. */
static void begin(struct cm_worker *worker)
{
    const struct cm_machine *machine = worker->machine;
    struct cm_block_cache *cache = worker->block_cache;
    uint32_t joined = 0;
    cm_lane_numbers_begin(&cache->words);
    cache->symbol_count = 0;
    add_long(cache, machine->load);
    add_symbol(cache, 0); /* symbol FIRST_NODE, which each partition sets */
    add_symbol(cache, worker->lanes.last - worker->lanes.first);
    add_symbol(cache, (uint32_t)machine->streams | (uint32_t)worker->context_full << 1);
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++) {
        const struct cm_register *r = &worker->deferred.registers[reg];
        joined |= (uint32_t)r->joined << reg;
        if (r->kind != CM_VALUE_REGISTER)
            add_alias(cache, r, reg);
    }
    add_symbol(cache, joined);
    cache->before_count = cache->symbol_count;
    cache->operations = cache->planes = 0;
}

static bool aliases_word(const struct cm_worker *worker, uint32_t reg, uint64_t address)
{
    const struct cm_register *r = &worker->deferred.registers[reg];
    return r->kind == CM_VALUE_MEMORY && cm_deferred_overlaps(r, address, 1);
}

/* True if the instruction is executed immediately: it uses no FPU register, nothing is deferred,
 * and no register aliases the word that it writes. */
static bool is_immediate(const struct cm_worker *worker, const struct cm_issue *issue,
                         const struct cm_record_kind *kind)
{
    if (kind->mode != MODE_IF_IDLE || worker->partition_count > 1)
        return false;
    if (cm_op_info(issue->instruction->op)->cost != CM_COST_UNLOAD)
        return true;
    for (uint32_t left = worker->deferred.aliases; left; left &= left - 1)
        if (aliases_word(worker, (uint32_t)__builtin_ctz(left), issue->at.data))
            return false;
    return true;
}

static bool is_full(const struct cm_worker *worker)
{
    const struct cm_block_cache *cache = worker->block_cache;
    return cache->count == CM_BLOCK_INSTRUCTIONS_MAX || cache->operations >= OPERATIONS_MOST ||
           cache->planes >= worker->deferred.queue.most_planes ||
           cache->words.count + 2 > WORDS_MOST;
}

static uint64_t scalar(const struct cm_worker *worker, const struct cm_issue *issue, uint32_t i)
{
    return worker->machine->actuals[issue->instruction->operands[i].value].scalar;
}

bool cm_block_cache_record(struct cm_worker *worker, const struct cm_issue *issue)
{
    struct cm_block_cache *cache = worker->block_cache;
    const struct cm_record_kind *kind = &cache->kinds[issue->instruction->op];
    if (kind->mode == MODE_IMMEDIATE && cache->count > 0)
        cm_execute_deferred(worker);
    if (kind->mode <= MODE_IMMEDIATE || worker->deferred.queue.count > 0)
        return false;
    if (cache->count == 0) {
        if (is_immediate(worker, issue, kind))
            return false;
        begin(worker);
    }
    add_symbol(cache, worker->pc);
    if (kind->scalar > 0)
        add_long(cache, scalar(worker, issue, kind->scalar));
    add_words(cache, issue->at.data, kind->words);
    cache->count++;
    cache->operations += kind->operations;
    cache->planes += kind->planes;
    if (is_full(worker))
        cm_execute_deferred(worker);
    return true;
}

/* ---- finding ---- */

static struct cm_cached_block *find(const struct cm_block_cache *cache, uint64_t hash)
{
    const uint32_t size = sizeof cache->table / sizeof *cache->table;
    for (uint64_t at = hash % size; cache->table[at]; at = (at + 1) % size) {
        struct cm_cached_block *block = cache->blocks[cache->table[at] - 1];
        if (block->hash == hash && block->symbol_count == cache->symbol_count &&
            memcmp(block->symbols, cache->symbols, cache->symbol_count * sizeof *block->symbols) ==
                0)
            return block;
    }
    return NULL;
}

/* ---- executing a cached block ---- */

static uint64_t plane_of_word(const struct cm_worker *worker, uint32_t number)
{
    const uint64_t address = worker->block_cache->words.values[number];
    return (uintptr_t)(cm_worker_plane(worker, address) + worker->lanes.first);
}

static void set_registers(struct cm_worker *worker, const struct cm_cached_block *block)
{
    for (uint32_t i = 0; i < block->register_count; i++) {
        const struct cached_register *from = &block->registers[i];
        struct cm_register *r = &worker->deferred.registers[from->reg];
        worker->deferred.changed |= UINT32_C(1) << from->reg;
        r->kind = (enum cm_value_kind)from->kind;
        r->joined = from->joined;
        r->wide = from->wide;
        r->stamp = 0;
        if (from->kind == CM_VALUE_MEMORY)
            r->address = worker->block_cache->words.values[from->word];
        r->constant = from->constant;
    }
    worker->deferred.aliases = block->aliases;
    worker->deferred.selection.number = 0;
    worker->context_full = block->context_full;
}

static void execute_cached(struct cm_worker *worker, struct cm_cached_block *block)
{
    const struct cm_machine *machine = worker->machine;
    struct cm_lane_queue *queue = &worker->deferred.queue;
    for (uint32_t i = 0; i < block->plane_count; i++)
        if (block->words[i] != NO_WORD)
            block->planes[i] = plane_of_word(worker, block->words[i]);
    const struct cm_lane_run run = {
        .planes = block->planes,
        .registers = cm_fpu_register(&machine->fpu, cm_worker_node(worker), 0),
        .nodes = worker->lanes.last - worker->lanes.first,
        .streams = machine->streams,
    };
    if (block->entry)
        cm_lane_code_run(queue->code, block->entry, &run, &queue->crowded);
    set_registers(worker, block);
}

/* ---- executing and caching a new block ---- */

/* Turns the recorded symbols into instructions again, and executes them. */
static void execute(struct cm_worker *worker)
{
    const struct cm_block_cache *cache = worker->block_cache;
    const struct cm_instruction *code = worker->machine->imp->code;
    for (uint32_t i = cache->before_count; i < cache->symbol_count;) {
        struct cm_issue issue = {.instruction = &code[cache->symbols[i++]]};
        const struct cm_record_kind *kind = &cache->kinds[issue.instruction->op];
        i += kind->scalar > 0 ? 2 : 0;
        if (kind->words > 0)
            issue.at.data = cache->words.values[cache->symbols[i]];
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

static void cache_registers(struct cm_worker *worker, const struct cm_register *before,
                            struct cm_cached_block *block)
{
    block->aliases = 0;
    for (uint32_t reg = 0; reg < CM_FPU_REGISTERS; reg++) {
        const struct cm_register *r = &worker->deferred.registers[reg];
        const bool memory = r->kind == CM_VALUE_MEMORY;
        block->aliases |= (uint32_t)memory << reg;
        if (!is_changed(r, &before[reg]))
            continue;
        block->registers[block->register_count++] = (struct cached_register){
            .reg = (uint8_t)reg,
            .kind = (uint8_t)r->kind,
            .joined = r->joined,
            .wide = r->wide,
            .word = memory ? cm_lane_number(&worker->block_cache->words, r->address) : 0,
            .constant = r->constant,
        };
    }
}

/* Finds the address of each memory plane (one word of each node) that the generated code accesses,
 * and stores the address's number in the block. Returns false if the block's instructions do not
 * access one of these addresses. */
static bool cache_planes(const struct cm_worker *worker, uint32_t known,
                         struct cm_cached_block *block)
{
    const struct cm_memory *memory = &worker->machine->memory;
    for (uint32_t i = 0; i < block->plane_count; i++) {
        const uint32_t *words = (const uint32_t *)(uintptr_t)block->planes[i];
        uint64_t address;
        block->words[i] = NO_WORD;
        if (!cm_memory_find(memory, worker->partition, words - worker->lanes.first, &address))
            continue;
        block->words[i] = (uint16_t)cm_lane_number(&worker->block_cache->words, address);
        if (block->words[i] >= known)
            return false;
    }
    return true;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* Allocates a cached block with its arrays, and fills all arrays except `registers` and `words`. */
static struct cm_cached_block *allocate_block(const struct cm_block_cache *cache,
                                              const uint64_t *planes,
                                              const struct cm_lane_executed *executed,
                                              size_t *bytes)
{
    const uint32_t parameters = executed->constant_count + executed->plane_count;
    const size_t registers = CM_FPU_REGISTERS * sizeof(struct cached_register);
    const size_t symbols = rounded(cache->symbol_count * sizeof *cache->symbols);
    const size_t begin = rounded(sizeof(struct cm_cached_block));
    *bytes = begin + registers + parameters * sizeof(uint64_t) + symbols +
             rounded(executed->plane_count * sizeof(uint16_t));
    struct cm_cached_block *block = calloc(1, *bytes);
    if (!block)
        return NULL;
    uint8_t *at = (uint8_t *)block + begin;
    block->registers = (struct cached_register *)(void *)at;
    uint64_t *constants = (uint64_t *)(void *)(at += registers);
    block->planes = constants + executed->constant_count;
    block->symbols = (uint32_t *)(void *)(at += parameters * sizeof(uint64_t));
    block->words = (uint16_t *)(void *)(at + symbols);
    memcpy(constants, planes - executed->constant_count, parameters * sizeof *constants);
    memcpy(block->symbols, cache->symbols, cache->symbol_count * sizeof *block->symbols);
    block->symbol_count = cache->symbol_count;
    block->plane_count = executed->plane_count;
    block->entry = executed->entry;
    return block;
}

static void add_block(struct cm_block_cache *cache, struct cm_cached_block *block, size_t bytes)
{
    const uint32_t size = sizeof cache->table / sizeof *cache->table;
    uint64_t at = block->hash % size;
    cache->blocks[cache->block_count++] = block;
    cache->block_bytes += bytes;
    while (cache->table[at])
        at = (at + 1) % size;
    cache->table[at] = (uint16_t)cache->block_count;
}

/* Adds the recorded block to the cache. Does nothing when out of memory. */
static void cache_block(struct cm_worker *worker, uint64_t hash,
                        const struct cm_lane_executed *executed, const struct cm_register *before)
{
    struct cm_block_cache *cache = worker->block_cache;
    const uint32_t known = cache->words.count;
    size_t bytes;
    struct cm_cached_block *block = allocate_block(
        cache, cm_lane_code_planes(worker->deferred.queue.code)->values, executed, &bytes);
    if (!block)
        return;
    block->hash = hash;
    block->context_full = worker->context_full;
    cache_registers(worker, before, block);
    if (!cache_planes(worker, known, block) || cache->words.count > known) {
        free(block);
        return;
    }
    if (cache->block_count == CM_CACHED_BLOCKS_MAX || cache->block_bytes + bytes > CACHE_BYTES)
        evict_all(cache);
    add_block(cache, block, bytes);
}

static void evict_lost_code(struct cm_worker *worker)
{
    struct cm_block_cache *cache = worker->block_cache;
    const uint64_t generation = cm_lane_code_generation(worker->deferred.queue.code);
    if (cache->generation != generation)
        evict_all(cache);
    cache->generation = generation;
}

/* Executes a new block by deferred operations. The block is cached if generated code executed it in
 * one piece. */
static void execute_new(struct cm_worker *worker, uint64_t hash)
{
    struct cm_lane_queue *queue = &worker->deferred.queue;
    const uint64_t first = queue->first;
    struct cm_register before[CM_FPU_REGISTERS];
    struct cm_lane_executed executed = {0};
    memcpy(before, worker->deferred.registers, sizeof before);
    queue->collects = true;
    execute(worker);
    queue->collects = false;
    const bool whole = queue->first == first, nothing = queue->count == 0;
    const bool by_code = cm_execute_queue(worker);
    if (!whole || (!nothing && !by_code))
        return;
    if (!nothing)
        executed = cm_lane_code_last(queue->code);
    evict_lost_code(worker);
    cache_block(worker, hash, &executed, before);
}

void cm_block_cache_execute(struct cm_worker *worker)
{
    struct cm_block_cache *cache = worker->block_cache;
    cache->symbols[FIRST_NODE] = cm_worker_node(worker);
    const uint64_t hash =
        cm_lane_hash(cache->symbols, cache->symbol_count * sizeof *cache->symbols);
    cache->count = 0;
    evict_lost_code(worker);
    struct cm_cached_block *block = find(cache, hash);
    if (block)
        execute_cached(worker, block);
    else
        execute_new(worker, hash);
}
