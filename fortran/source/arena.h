/*
 * This header declares the memory of a syntax tree, which is freed all at once, and the table of a
 * program's names, which stores each name once. After a failed allocation every further allocation
 * fails, so that callers check `failed` once, at the end. This header is internal to the library.
 */
#ifndef CM_FORTRAN_ARENA_H
#define CM_FORTRAN_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cm_arena_block;

/* A name of the program in lower case, with data of the parser. */
struct cm_name {
    struct cm_name *next; /* next name with the same slot of the hash table, or NULL */
    uint32_t length;
    /* number (cm_parser.marks) of the program unit in which the parser last saw the name declared
     * with a shape */
    uint32_t mark;
    char text[];
};

struct cm_arena {
    struct cm_arena_block *blocks;
    struct cm_name **slots;
    uint32_t slot_count, name_count;
    bool failed;
};

/* Creates an empty arena. Returns NULL if memory is exhausted. */
struct cm_arena *cm_arena_create(void);
void cm_arena_destroy(struct cm_arena *arena);

/* Returns `bytes` bytes of zeroed memory, aligned for any type, or NULL if memory is exhausted. */
void *cm_arena_take(struct cm_arena *arena, size_t bytes);
/* Returns a copy of `length` bytes, with a NUL behind them, or NULL if memory is exhausted. */
const char *cm_arena_copy(struct cm_arena *arena, const char *bytes, size_t length);
/* Returns the stored name that equals `length` bytes converted to lower case, or "" if memory is
 * exhausted. */
const char *cm_arena_name(struct cm_arena *arena, const char *bytes, size_t length);
/* Returns the struct of a name that cm_arena_name() returned, or NULL for "". */
struct cm_name *cm_name_of(const char *text);

#endif
