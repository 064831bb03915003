/*
 * What the run-time library compiled for one layout and task: IMPs that run one after the other,
 * and a table in node memory. Kept in the system's cache.
 */
#ifndef CM_PROGRAMS_SYSTEM_COMPILED_IMPS_H
#define CM_PROGRAMS_SYSTEM_COMPILED_IMPS_H

#include "../../base/buffer.h"
#include "system_private.h"

struct cm_compiled {
    struct cm_imp **imps;
    uint32_t imp_count;
    bool has_table;
    uint64_t table; /* address */
};

/* Allocates `words` planes at the tables' end of the heap and writes them; `planes` has words *
 * nodes words. */
enum cm_status cm_table_create(struct cm_system *system, const uint32_t *planes, uint64_t words,
                               const char *what, uint64_t *address, struct cm_error *err);

/* Adds an IMP (taken over, also on failure). */
enum cm_status cm_compiled_add(struct cm_compiled *compiled, struct cm_imp *imp,
                               struct cm_error *err);
/* Frees all of it; the cache's drop function. */
void cm_compiled_drop(struct cm_system *system, void *compiled);

/* Runs the IMPs with the same actual arguments; `entry` is for the first. */
enum cm_status cm_compiled_run(struct cm_system *system, const struct cm_compiled *compiled,
                               const struct cm_actual *actuals, enum cm_entry entry,
                               struct cm_error *err);

/* A key of the cache: a tag, then whatever decides what is compiled. */
void cm_key_begin(struct cm_buffer *key, enum cm_cache_tag tag);
void cm_key_integer(struct cm_buffer *key, int64_t value);
void cm_key_layout(struct cm_buffer *key, const struct cm_layout *layout);

/*
 * The compiled thing of a key: found in the cache, or made by `make` (into an empty struct) and
 * kept. Finishes `key`.
 */
typedef enum cm_status (*cm_compiled_make)(struct cm_system *system, const void *task,
                                           struct cm_compiled *compiled, struct cm_error *err);
enum cm_status cm_compiled_get(struct cm_system *system, struct cm_buffer *key,
                               cm_compiled_make make, const void *task,
                               const struct cm_compiled **compiled, struct cm_error *err);

#endif
