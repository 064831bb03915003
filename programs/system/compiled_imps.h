/*
 * What is compiled once for a layout and task, and kept in the system's cache: IMPs that are loaded
 * over the SRAM and run one after the other, and a table in node memory.
 */
#ifndef CM_PROGRAMS_SYSTEM_COMPILED_IMPS_H
#define CM_PROGRAMS_SYSTEM_COMPILED_IMPS_H

#include "../../base/buffer.h"
#include "../../base/list.h"
#include "system_private.h"

/* Node memory that IMPs need while they run. */
struct cm_scratch {
    uint64_t words;    /* 0: none */
    uint32_t argument; /* the actual argument that becomes its address */
    const char *name;  /* for the message when it does not fit */
};

struct cm_compiled {
    CM_LIST(struct cm_imp *) imps;
    uint64_t table;       /* address of the table */
    uint64_t table_words; /* 0: no table */
    uint64_t table_block; /* what the heap gave for it */
    struct cm_scratch scratch;
    CM_LIST(uint64_t) constants; /* scalar arguments that the maker passes with every run */
    /* the maker's own notes: which of several forms it has chosen; a count that it reports */
    int variant;
    uint64_t count;
};

/* Fills planes, which are zeros at first. A plane is the word of each of `nodes` nodes at one
 * address. */
typedef void (*cm_table_fill)(const void *context, uint32_t nodes, uint32_t *planes);

/* Puts a table of `words` planes, filled by `fill`, at the tables' end of the heap. */
enum cm_status cm_table_create(struct cm_system *system, uint64_t words, const char *what,
                               cm_table_fill fill, const void *context, uint64_t *address,
                               struct cm_error *err);
/* The same, as the table of `compiled`; does nothing for 0 words. */
enum cm_status cm_compiled_table(struct cm_system *system, struct cm_compiled *compiled,
                                 uint64_t words, const char *what, cm_table_fill fill,
                                 const void *context, struct cm_error *err);
/* Room for a table at a multiple of `alignment`; the caller fills it. */
enum cm_status cm_compiled_reserve(struct cm_system *system, struct cm_compiled *compiled,
                                   uint64_t words, uint64_t alignment, const char *what,
                                   struct cm_error *err);

/* Adds an IMP and owns it from now on, also on failure. A NULL imp means out of memory. */
enum cm_status cm_compiled_add(struct cm_compiled *compiled, struct cm_imp *imp,
                               struct cm_error *err);
/* Loads each IMP over the SRAM, as a run does, without running it: what would be refused later is
 * refused now. */
enum cm_status cm_compiled_try(struct cm_system *system, const struct cm_compiled *compiled,
                               struct cm_error *err);
/* Unloads and frees the IMPs alone; `system` may be NULL where they have never been loaded. */
void cm_compiled_drop_imps(struct cm_system *system, struct cm_compiled *compiled);
/* The same and everything else, and `compiled`, which may be NULL. */
void cm_compiled_drop(struct cm_system *system, struct cm_compiled *compiled);
/* SRAM words of the longest IMP. */
uint64_t cm_compiled_words(const struct cm_compiled *compiled);

/* Runs the IMPs with the same actual arguments; `entry` is for the first. */
enum cm_status cm_compiled_run(struct cm_system *system, const struct cm_compiled *compiled,
                               struct cm_actual *actuals, enum cm_entry entry,
                               struct cm_error *err);

/* A key of the cache, a byte string: the tag of what it stands for, then everything that the code
 * depends on. */
enum cm_cache_tag {
    CM_CACHE_MASK = 1,
    CM_CACHE_RUNTIME,
    CM_CACHE_BOUNDARY,
    CM_CACHE_RESHAPE,
    CM_CACHE_FFT,
    CM_CACHE_FFT_EXCHANGE,
    CM_CACHE_STENCIL_BOUNDARY,
    CM_CACHE_ELEMENTWISE,
    CM_CACHE_INDEX
};
void cm_key_begin(struct cm_buffer *key, enum cm_cache_tag tag);
void cm_key_words(struct cm_buffer *key, const uint64_t *words, size_t count);
void cm_key_layout(struct cm_buffer *key, const struct cm_layout *layout);
/* Adds integers to a key. */
#define CM_CACHE_KEY(key, ...)                                                                     \
    cm_key_words((key), (const uint64_t[]){__VA_ARGS__},                                           \
                 sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/*
 * Finds what a key stands for in the cache, or has `make` fill an empty struct and keeps that.
 * Finishes `key`.
 */
typedef enum cm_status (*cm_compiled_make)(struct cm_system *system, const void *task,
                                           struct cm_compiled *compiled, struct cm_error *err);
enum cm_status cm_compiled_get(struct cm_system *system, struct cm_buffer *key,
                               cm_compiled_make make, const void *task,
                               const struct cm_compiled **compiled, struct cm_error *err);

#endif
