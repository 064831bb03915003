/*
 * Compiled IMPs and tables, and the cache that keeps them.
 *
 * A struct cm_compiled is the result of compiling one task, such as a shift or a reshape, for one
 * layout. It owns IMPs, which are loaded over the SRAM and run one after the other, and at most one
 * table in node memory. A family of programs makes it once: for a setup, or through the cache under
 * a key. The key is a byte string of everything that the code depends on, so equal keys mean equal
 * code.
 */
#ifndef CM_PROGRAMS_SYSTEM_COMPILED_IMPS_H
#define CM_PROGRAMS_SYSTEM_COMPILED_IMPS_H

#include "../../base/buffer.h"
#include "../../base/list.h"
#include "system_private.h"

/* Node memory that IMPs need only while they run. */
struct cm_scratch {
    uint64_t words; /* words in each node. 0: no scratch memory */
    /* number of the actual argument that gets the address of the scratch memory */
    uint32_t argument;
    const char *name; /* name in the error message if node memory is too small */
};

struct cm_compiled {
    CM_LIST(struct cm_imp *) imps;
    uint64_t table;       /* word address of the table */
    uint64_t table_words; /* words of the table in each node. 0: no table */
    uint64_t table_block; /* address of the heap block that contains the table */
    struct cm_scratch scratch;
    /* scalar arguments that the family of programs passes in every run */
    CM_LIST(uint64_t) constants;
    /* numbers that only the family of programs uses: the form of code it has chosen, and a count
     * that it reports */
    int variant;
    uint64_t count;
};

/* Fills the planes of a table, which contain zeros before the call. A plane has one word for each
 * of `nodes` nodes. */
typedef void (*cm_table_fill)(const void *context, uint32_t nodes, uint32_t *planes);

/* Request of a compiler of IMPs for a table in node memory. */
struct cm_table_request {
    uint64_t words;   /* words of the table in each node */
    const char *what; /* name of the table in the error message if it does not fit */
    cm_table_fill fill;
    const void *context; /* first argument of `fill` */
};

/* Makes a table in the upper end of the heap, and fills it. */
enum cm_status cm_table_create(struct cm_system *system, const struct cm_table_request *table,
                               uint64_t *address, struct cm_error *err);
/* Makes the table of `compiled`, like cm_table_create. Does nothing if the table has 0 words. */
enum cm_status cm_compiled_table(struct cm_system *system, struct cm_compiled *compiled,
                                 const struct cm_table_request *table, struct cm_error *err);
/* Allocates the table of `compiled` at a multiple of `alignment` words. The caller fills the
 * table. */
enum cm_status cm_compiled_reserve(struct cm_system *system, struct cm_compiled *compiled,
                                   uint64_t words, uint64_t alignment, const char *what,
                                   struct cm_error *err);

/* Adds an IMP, which `compiled` owns from now on, even on failure. A NULL `imp` means that memory
 * ran out. */
enum cm_status cm_compiled_add(struct cm_compiled *compiled, struct cm_imp *imp,
                               struct cm_error *err);
/* Loads each IMP over the SRAM without running it. Thus an IMP that is too long or invalid is
 * refused before its first run. */
enum cm_status cm_compiled_try(struct cm_system *system, const struct cm_compiled *compiled,
                               struct cm_error *err);
/* Unloads and frees the IMPs, but not the table. `system` may be NULL if they were never loaded. */
void cm_compiled_drop_imps(struct cm_system *system, struct cm_compiled *compiled);
/* Frees the IMPs and the table. */
void cm_compiled_finish(struct cm_system *system, struct cm_compiled *compiled);
/* Frees the IMPs, the table and `compiled` itself. NULL is allowed. */
void cm_compiled_drop(struct cm_system *system, struct cm_compiled *compiled);
/* Returns the number of SRAM words of the longest IMP. */
uint64_t cm_compiled_words(const struct cm_compiled *compiled);

/* Runs the IMPs one after the other with the same actual arguments. `entry` says where the call of
 * the first IMP comes from, which decides its start cost. */
enum cm_status cm_compiled_run(struct cm_system *system, const struct cm_compiled *compiled,
                               struct cm_actual *actuals, enum cm_entry entry,
                               struct cm_error *err);

/* Charges the cycles of the IMPs to a rehearsal, in the same way as cm_compiled_run charges them to
 * the machine. Runs the IMPs if the rehearsal is NULL. */
struct cm_rehearsal;
enum cm_status cm_compiled_rehearse(struct cm_system *system, const struct cm_compiled *compiled,
                                    struct cm_actual *actuals, enum cm_entry entry,
                                    struct cm_rehearsal *rehearsal, struct cm_error *err);

/* Tags of the cache's keys, one for each kind of task. A key begins with its tag, so keys of
 * different kinds never collide. */
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
/* Adds integers to a cache key. */
#define CM_CACHE_KEY(key, ...)                                                                     \
    cm_key_words((key), (const uint64_t[]){__VA_ARGS__},                                           \
                 sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/*
 * Finds the entry of a key in the cache. If the key is new, `make` fills an empty struct
 * cm_compiled, which becomes the entry. Frees `key` whether or not it succeeds.
 */
typedef enum cm_status (*cm_compiled_make)(struct cm_system *system, const void *task,
                                           struct cm_compiled *compiled, struct cm_error *err);
enum cm_status cm_compiled_get(struct cm_system *system, struct cm_buffer *key,
                               cm_compiled_make make, const void *task,
                               const struct cm_compiled **compiled, struct cm_error *err);

#endif
