/*
 * Code cache: generated code by block signature, in one area of host memory.
 *
 * Invariant: a page of the area is either writable or executable, never both. When the area or the
 * table is full, all code is dropped and the generation is incremented. When the host refuses to
 * change a page, code that is already in it may not run, so all code is dropped and loops execute
 * every queue from then on.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "code.h"

#include "signature.h"

#include <stdlib.h>
#include <string.h>

#ifdef CM_HOST_X86
#include <sys/mman.h>
#include <unistd.h>

#define CODE_BYTES ((size_t)32 << 20)
#define ROOM       ((size_t)512 << 10) /* most bytes of the code of one signature */
/* Most signatures with code. When one more is needed, the code of all is dropped. */
#define ENTRIES_MAX 4096u
#define NO_CODE     SIZE_MAX /* signature for which no code could be made */
#define TABLE_SIZE  (2u * ENTRIES_MAX)

/* Generated code. Its arguments are the parameters, the FPU registers of the first lane block, and
 * the byte offset in a plane at which the worker's nodes end. */
typedef void (*code_function)(const uint64_t *parameters, uint32_t *registers, uint64_t end);

/* Generated code of a signature. */
struct cm_lane_entry {
    uint64_t hash;
    uint16_t *symbols;
    uint32_t count;
    size_t code; /* offset in the area, or NO_CODE if loops execute the queue */
    bool crowded;
};

struct cm_lane_code {
    struct cm_lane_rules rules;
    struct cm_signature signature; /* signature of the current queue */
    struct cm_lane_entry entries[ENTRIES_MAX];
    uint32_t entry_count;
    uint16_t table[TABLE_SIZE]; /* 1 + index of an entry, by hash of the signature, or 0 if empty */
    uint8_t *memory;            /* area for code, writable or executable */
    size_t used;
    uint64_t generation;
    struct cm_lane_executed last;
    enum cm_host vectors; /* vector unit that the code uses */
    bool refused;
};

struct cm_lane_code *cm_lane_code_create(uint32_t capacity, uint32_t plane_words,
                                         enum cm_host vectors, bool refused)
{
    if (vectors == CM_HOST_PLAIN)
        return NULL;
    struct cm_lane_code *code = calloc(1, sizeof *code);
    if (!code)
        return NULL;
    const bool signature = cm_signature_init(&code->signature, capacity, plane_words);
    code->memory =
        mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code->memory == MAP_FAILED)
        code->memory = NULL;
    if (!signature || !code->memory ||
        mprotect(code->memory, CODE_BYTES, PROT_READ | PROT_EXEC) != 0) {
        cm_lane_code_destroy(code);
        return NULL;
    }
    cm_lane_rules_init(&code->rules);
    code->vectors = vectors;
    code->refused = refused;
    return code;
}

static void forget(struct cm_lane_code *code)
{
    for (uint32_t i = 0; i < code->entry_count; i++)
        free(code->entries[i].symbols);
    memset(code->table, 0, sizeof code->table);
    code->entry_count = 0;
    code->used = 0;
    code->generation++;
}

void cm_lane_code_destroy(struct cm_lane_code *code)
{
    if (!code)
        return;
    forget(code);
    if (code->memory)
        (void)munmap(code->memory, CODE_BYTES);
    cm_signature_finish(&code->signature);
    free(code);
}

static struct cm_lane_entry *find(struct cm_lane_code *code, uint64_t hash)
{
    const struct cm_signature *signature = &code->signature;
    for (uint64_t at = hash % TABLE_SIZE; code->table[at]; at = (at + 1) % TABLE_SIZE) {
        struct cm_lane_entry *entry = &code->entries[code->table[at] - 1];
        if (entry->hash == hash && entry->count == signature->count &&
            memcmp(entry->symbols, signature->symbols,
                   signature->count * sizeof *signature->symbols) == 0)
            return entry;
    }
    return NULL;
}

/* Changes the protection of the area from offset `from` on. */
static bool protect(const struct cm_lane_code *code, size_t from, size_t bytes, int how)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), first = from / page * page;
    return mprotect(code->memory + first, from + bytes - first, how) == 0;
}

/* Compiles the signature to the end of the area. Returns false when the area is full. Sets
 * code->refused when the host refuses to change the area's protection. */
static bool compile(struct cm_lane_code *code, const struct cm_lane_place *place, size_t *size,
                    bool *crowded)
{
    const size_t left = CODE_BYTES - code->used, room = left < ROOM ? left : ROOM;
    code->refused = !protect(code, code->used, room, PROT_READ | PROT_WRITE);
    if (code->refused)
        return false;
    struct cm_lane_area area = {
        .host = code->vectors, .to = code->memory + code->used, .room = room};
    *size = cm_lane_compile(&code->signature, &code->rules, place, &area);
    *crowded = area.crowded;
    code->refused = !protect(code, code->used, room, PROT_READ | PROT_EXEC);
    return *size > 0;
}

static struct cm_lane_entry *add(struct cm_lane_code *code, const struct cm_lane_place *place,
                                 uint64_t hash)
{
    const struct cm_signature *signature = &code->signature;
    size_t size = 0;
    if (code->entry_count == ENTRIES_MAX || CODE_BYTES - code->used < ROOM)
        forget(code);
    bool crowded = false;
    const bool compiled = compile(code, place, &size, &crowded);
    if (code->refused) {
        forget(code);
        return NULL;
    }
    struct cm_lane_entry *entry = &code->entries[code->entry_count];
    *entry = (struct cm_lane_entry){.hash = hash,
                                    .count = signature->count,
                                    .code = compiled ? code->used : NO_CODE,
                                    .crowded = crowded};
    entry->symbols = malloc(signature->count * sizeof *signature->symbols);
    if (!entry->symbols)
        return NULL;
    memcpy(entry->symbols, signature->symbols, signature->count * sizeof *signature->symbols);
    code->used += (size + 63) / 64 * 64;
    code->entry_count++;
    uint64_t at = hash % TABLE_SIZE;
    while (code->table[at])
        at = (at + 1) % TABLE_SIZE;
    code->table[at] = (uint16_t)code->entry_count;
    return entry;
}

struct cm_lane_numbers *cm_lane_code_planes(struct cm_lane_code *code)
{
    return &code->signature.planes;
}

void cm_lane_code_begin(struct cm_lane_code *code, const uint32_t *context)
{
    cm_signature_begin(&code->signature, context);
}

bool cm_lane_code_execute(struct cm_lane_code *code, const struct cm_lane_queue *queue,
                          const struct cm_lane_place *place, bool *crowded)
{
    if (code->refused || !cm_signature_describe(&code->signature, &code->rules, queue, place))
        return false;
    const uint64_t hash = cm_lane_hash(code->signature.symbols,
                                       code->signature.count * sizeof *code->signature.symbols);
    struct cm_lane_entry *entry = find(code, hash);
    if (!entry)
        entry = add(code, place, hash);
    if (!entry || entry->code == NO_CODE)
        return false;
    code->last = (struct cm_lane_executed){entry, code->signature.planes.count,
                                           code->signature.constants.count};
    const struct cm_lane_run run = {
        .planes = code->signature.planes.values,
        .registers = place->registers,
        .nodes = place->nodes,
        .streams = place->streams,
    };
    cm_lane_code_run(code, entry, &run, crowded);
    return true;
}

bool cm_lane_code_refused(const struct cm_lane_code *code)
{
    return code->refused;
}

struct cm_lane_executed cm_lane_code_last(const struct cm_lane_code *code)
{
    return code->last;
}

uint64_t cm_lane_code_generation(const struct cm_lane_code *code)
{
    return code->generation;
}

void cm_lane_code_run(struct cm_lane_code *code, struct cm_lane_entry *entry,
                      const struct cm_lane_run *run, bool *crowded)
{
    const uint8_t *begin = code->memory + entry->code;
    code_function function;
    memcpy(&function, &begin, sizeof function); /* ISO C has no cast from data to code */
    function(run->planes, run->registers, (uint64_t)run->nodes * sizeof(uint32_t));
    if (run->streams)
        __builtin_ia32_sfence(); /* completes streamed stores before another worker reads them */
    *crowded = *crowded || entry->crowded;
}

#else

struct cm_lane_code *cm_lane_code_create(uint32_t capacity, uint32_t plane_words,
                                         enum cm_host vectors, bool refused)
{
    (void)capacity, (void)plane_words, (void)vectors, (void)refused;
    return NULL;
}

void cm_lane_code_destroy(struct cm_lane_code *code)
{
    (void)code;
}

struct cm_lane_numbers *cm_lane_code_planes(struct cm_lane_code *code)
{
    (void)code;
    return NULL;
}

void cm_lane_code_begin(struct cm_lane_code *code, const uint32_t *context)
{
    (void)code, (void)context;
}

bool cm_lane_code_execute(struct cm_lane_code *code, const struct cm_lane_queue *queue,
                          const struct cm_lane_place *place, bool *crowded)
{
    (void)code, (void)queue, (void)place, (void)crowded;
    return false;
}

bool cm_lane_code_refused(const struct cm_lane_code *code)
{
    (void)code;
    return true;
}

struct cm_lane_executed cm_lane_code_last(const struct cm_lane_code *code)
{
    (void)code;
    return (struct cm_lane_executed){0};
}

uint64_t cm_lane_code_generation(const struct cm_lane_code *code)
{
    (void)code;
    return 0;
}

void cm_lane_code_run(struct cm_lane_code *code, struct cm_lane_entry *entry,
                      const struct cm_lane_run *run, bool *crowded)
{
    (void)code, (void)entry, (void)run, (void)crowded;
}
#endif
