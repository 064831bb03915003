/* The names that an assembly text defines: labels, arguments, symbolic values. They share one name
 * space. */
#ifndef CM_ISA_SYMBOLS_H
#define CM_ISA_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cm_symbol_kind {
    CM_SYMBOL_NONE,
    CM_SYMBOL_LABEL,    /* value: index of an instruction */
    CM_SYMBOL_ADDRESS,  /* value: index of the argument */
    CM_SYMBOL_SCALAR,   /* value: index of the argument */
    CM_SYMBOL_INTEGER,  /* .equ: value */
    CM_SYMBOL_FLOAT,    /* .equ: value, the bits */
    CM_SYMBOL_REGISTER, /* .equ or r0 .. r63: value, its number */
    CM_SYMBOL_FPU,      /* .equ or f0 .. f31: value, its number */
};

struct cm_symbol {
    const char *name; /* in the text, not terminated */
    size_t length;
    enum cm_symbol_kind kind;
    int64_t value;
    uint32_t line; /* of its definition; 0: built in */
};

/* A hash table with open addressing, so that a text with many names still takes linear time. */
struct cm_symbols {
    struct cm_symbol *entries;
    size_t capacity; /* 0 or a power of two */
    size_t count;
};

const char *cm_symbol_kind_name(enum cm_symbol_kind kind); /* "label", "address argument", ... */

void cm_symbols_finish(struct cm_symbols *symbols);
const struct cm_symbol *cm_symbols_find(const struct cm_symbols *symbols, const char *name,
                                        size_t length);
/* Adds a name that is not there yet. False when out of memory. */
bool cm_symbols_add(struct cm_symbols *symbols, const struct cm_symbol *symbol);
/*
 * The defined name nearest to `name` among those of the kinds in `kinds` (bits 1 << kind), into
 * `found`; false when none is near. Looks at a thousand names at most: it only serves an error
 * message.
 */
bool cm_symbols_suggest(const struct cm_symbols *symbols, unsigned kinds, const char *name,
                        size_t length, char found[64]);

/* r<n> and f<n>: registers, in range or not, up to 255; false for any other name. */
bool cm_symbol_register(const char *name, size_t length, struct cm_symbol *symbol);

#endif
