/* The members of struct cm_system, and functions of this folder that only programs/ may call. This
 * header is not installed. */
#ifndef CM_PROGRAMS_SYSTEM_SYSTEM_PRIVATE_H
#define CM_PROGRAMS_SYSTEM_SYSTEM_PRIVATE_H

#include "system.h"

/* The heap of node memory. Arrays are placed from the bottom up, tables and temporaries from the
 * top down. Each block takes the first gap that fits. */
struct cm_heap;
enum cm_heap_end { CM_HEAP_ARRAYS, CM_HEAP_TABLES };

/* Makes an empty heap. If `machine` is not NULL, the heap reserves host memory in the machine for
 * what it allocates. Then planes do not move on the host while nothing else is allocated. */
enum cm_status cm_heap_create(const struct cm_config *config, struct cm_machine *machine,
                              struct cm_heap **heap, struct cm_error *err);
void cm_heap_destroy(struct cm_heap *heap);
/* Allocates `words` words, at least 1, at the same address in every node. `what` names the purpose
 * in the error message if node memory is too small. */
enum cm_status cm_heap_allocate(struct cm_heap *heap, enum cm_heap_end end, uint64_t words,
                                const char *what, uint64_t *address, struct cm_error *err);
/* Allocates words for an array like cm_heap_allocate, at the same place of a memory page, and in
 * the same memory bank, as address `other`. */
enum cm_status cm_heap_allocate_alike(struct cm_heap *heap, uint64_t words, uint64_t other,
                                      const char *what, uint64_t *address, struct cm_error *err);
void cm_heap_free(struct cm_heap *heap, uint64_t address);
/* These functions return the number of words that are allocated now (measure), and the largest
 * number that was allocated at any time since the last call of cm_heap_measure (most). */
uint64_t cm_heap_measure(struct cm_heap *heap);
uint64_t cm_heap_most(const struct cm_heap *heap);
/* Returns how many more arrays of `words` words the heap has room for. */
uint64_t cm_heap_room(const struct cm_heap *heap, uint64_t words);
/* Returns a hash of the places and lengths of all allocated blocks. It shows whether the heap is as
 * it was before. */
uint64_t cm_heap_mark(const struct cm_heap *heap);

/* The cache of compiled IMPs and tables (cache.c). Destroying the cache frees the newest entry
 * first. */
struct cm_cache;
void cm_cache_destroy(struct cm_cache *cache, struct cm_system *system);
/* Returns the number of entries of the cache, which never decreases. */
uint64_t cm_cache_count(const struct cm_cache *cache);

/* The setups of PSHIFT. Only the family PSHIFT knows their contents. The family supplies the
 * callback `drop`, which frees a setup. */
struct cm_pshift_setup;
struct cm_pshift_setups {
    /* setup with the id i + 1 at place i, or NULL after its deallocation. No id is used twice */
    struct cm_pshift_setup **at;
    uint32_t count;
    uint32_t capacity;
    void (*drop)(struct cm_system *system, struct cm_pshift_setup *setup);
};

struct cm_system {
    struct cm_machine *machine;
    struct cm_heap *heap;
    /* cache of compiled IMPs and tables. NULL: nothing has been compiled yet */
    struct cm_cache *cache;
    struct cm_pshift_setups setups;
    /* words of the IMPs loaded over the SRAM since this member was last set to 0 */
    uint64_t overlay_words;
    uint64_t *routed_words; /* result of cm_system_routed_words, in words for each channel */
};

/*
 * Finds the garbage mask of a padded layout in node memory (PSHIFT paper, 2.1). Makes the mask at
 * the first use and keeps it. Bit e mod 32 of word e / 32 is 1 if local element e exists. The
 * paper's mask marks the elements that do not exist, but the context flag needs the complement.
 * Without padding, *address is 0 and *present false.
 */
enum cm_status cm_system_garbage_mask(struct cm_system *system, const struct cm_layout *layout,
                                      bool *present, uint64_t *address, struct cm_error *err);

/*
 * Loads an IMP into the part of the SRAM that setups leave free, and runs it. The IMP stays loaded,
 * so that the next run need not verify it. The caller unloads the IMP before destroying it.
 */
enum cm_status cm_system_run_overlay(struct cm_system *system, const struct cm_imp *imp,
                                     const struct cm_actual *actuals, enum cm_entry entry,
                                     struct cm_error *err);

/* These functions are the two halves of cm_array_create (array.c), which places an array and clears
 * its node memory. They are for callers that place many arrays and clear node memory later. */
enum cm_status cm_array_place(struct cm_system *system, const char *name,
                              const struct cm_layout *layout, struct cm_array **array,
                              struct cm_error *err);
enum cm_status cm_array_clear(struct cm_system *system, const struct cm_array *array,
                              struct cm_error *err);

/* Reports an array like cm_array_report (array_report.c). Array number `like`, which was
 * reported before, has its elements in the same places. If there is no such array, `like`
 * equals `number`. */
void cm_array_report_like(const struct cm_system *system, const struct cm_array *array,
                          uint32_t number, uint32_t like);

#endif
