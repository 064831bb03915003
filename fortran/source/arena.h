/*
 * Memory that is freed all at once, and the names of a program, each stored once. A failed
 * allocation sticks: from then on every allocation fails, and who asked looks at `failed` once at
 * the end. Internal to the library.
 */
#ifndef CM_FORTRAN_ARENA_H
#define CM_FORTRAN_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cm_arena_block;

/* A name, in lower case. */
struct cm_name {
    struct cm_name *next; /* in its slot of the table */
    uint32_t length;
    uint32_t mark; /* for the parser: the program unit that gave the name a shape last */
    char text[];
};

struct cm_arena {
    struct cm_arena_block *blocks;
    struct cm_name **slots;
    uint32_t slot_count, name_count;
    bool failed;
};

/* An empty arena; NULL when out of memory. */
struct cm_arena *cm_arena_create(void);
void cm_arena_destroy(struct cm_arena *arena);

/* Zeroed memory, aligned for any type; NULL when out of memory. */
void *cm_arena_take(struct cm_arena *arena, size_t bytes);
/* A copy with a NUL behind it. */
const char *cm_arena_copy(struct cm_arena *arena, const char *bytes, size_t length);
/* The name that these bytes are, folded to lower case; "" when out of memory. */
const char *cm_arena_name(struct cm_arena *arena, const char *bytes, size_t length);
/* What belongs to a name that cm_arena_name returned; NULL for its "". */
struct cm_name *cm_name_of(const char *text);

#endif
