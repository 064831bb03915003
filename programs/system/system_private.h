/* What is behind struct cm_system, for the files of programs/. Not installed. */
#ifndef CM_PROGRAMS_SYSTEM_SYSTEM_PRIVATE_H
#define CM_PROGRAMS_SYSTEM_SYSTEM_PRIVATE_H

#include "system.h"

/* The heap of node memory: arrays from the bottom up, tables and temporaries from the top down,
 * first fit. */
struct cm_heap;
enum cm_heap_end { CM_HEAP_ARRAYS, CM_HEAP_TABLES };

/* What is taken is reserved in the machine's memory, if one is given, and so does not move while it
 * is held and nothing else is taken. */
enum cm_status cm_heap_create(const struct cm_config *config, struct cm_machine *machine,
                              struct cm_heap **heap, struct cm_error *err);
void cm_heap_destroy(struct cm_heap *heap);
/* `what` names the thing in the message when memory is too small. words >= 1. */
enum cm_status cm_heap_allocate(struct cm_heap *heap, enum cm_heap_end end, uint64_t words,
                                const char *what, uint64_t *address, struct cm_error *err);
void cm_heap_free(struct cm_heap *heap, uint64_t address);
/* A number that changes with what is taken: equal places give equal numbers. */
uint64_t cm_heap_mark(const struct cm_heap *heap);

/* Things compiled once and kept (compiled_imps.c). Drops the last one made first. */
struct cm_cache;
void cm_cache_destroy(struct cm_cache *cache, struct cm_system *system);
/* How many are kept; never fewer than before. */
uint64_t cm_cache_count(const struct cm_cache *cache);

/* The setups of PSHIFT. Only PSHIFT knows what they are; it gives the system the function that
 * frees one. */
struct cm_pshift_setup;
struct cm_pshift_setups {
    /* id: place plus one; NULL once deallocated, and never used again */
    struct cm_pshift_setup **at;
    uint32_t count;
    uint32_t capacity;
    void (*drop)(struct cm_system *system, struct cm_pshift_setup *setup);
};

struct cm_system {
    struct cm_machine *machine;
    struct cm_heap *heap;
    struct cm_cache *cache; /* NULL: nothing is kept */
    struct cm_pshift_setups setups;
    uint64_t overlay_words; /* of the IMPs that overlaid the SRAM, since it was last set to 0 */
    uint64_t *routed_words; /* see cm_system_routed_words */
};

/*
 * The garbage mask of a padded layout in node memory (P 2.1), made at its first use and kept: bit e
 * mod 32 of word e / 32 is 1 where local element e exists. (The paper's mask marks the elements
 * that do not exist; the context flag wants the complement.) *address is 0 and *present false when
 * the layout has no padding.
 */
enum cm_status cm_system_garbage_mask(struct cm_system *system, const struct cm_layout *layout,
                                      bool *present, uint64_t *address, struct cm_error *err);

/*
 * Loads an IMP over the SRAM left free by setups, and runs it. It stays loaded, so that it is not
 * verified again: unload it before it is destroyed.
 */
enum cm_status cm_system_run_overlay(struct cm_system *system, const struct cm_imp *imp,
                                     const struct cm_actual *actuals, enum cm_entry entry,
                                     struct cm_error *err);

/* array.c: the two halves of cm_array_create, for callers that place many arrays and clear node
 * memory later. */
enum cm_status cm_array_place(struct cm_system *system, const char *name,
                              const struct cm_layout *layout, struct cm_array **array,
                              struct cm_error *err);
enum cm_status cm_array_clear(struct cm_system *system, const struct cm_array *array,
                              struct cm_error *err);

/* array_report.c: cm_array_report for an array whose elements are where those of array `like` are,
 * which was reported before; without one, `like` is the number itself. */
void cm_array_report_like(const struct cm_system *system, const struct cm_array *array,
                          uint32_t number, uint32_t like);

#endif
