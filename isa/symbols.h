/* Table of the names that an assembly text defines: labels, arguments and symbolic values. No two
 * of them may have the same name. */
#ifndef CM_ISA_SYMBOLS_H
#define CM_ISA_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cm_symbol_kind {
    CM_SYMBOL_NONE,
    CM_SYMBOL_LABEL,    /* label. value: index of its instruction */
    CM_SYMBOL_ADDRESS,  /* address argument. value: its index */
    CM_SYMBOL_SCALAR,   /* scalar argument. value: its index */
    CM_SYMBOL_INTEGER,  /* integer named by .equ. value: the integer */
    CM_SYMBOL_FLOAT,    /* floating-point number named by .equ. value: its 32 bits */
    CM_SYMBOL_REGISTER, /* address register, r0 .. r63 or named by .equ. value: its number */
    CM_SYMBOL_FPU,      /* FPU register, f0 .. f31 or named by .equ. value: its number */
};

struct cm_symbol {
    const char *name; /* name, a pointer into the assembly text, not terminated by NUL */
    size_t length;
    enum cm_symbol_kind kind;
    int64_t value;
    uint32_t line; /* line of the definition. 0: the name is built in */
};

/* Hash table of names, with open addressing, so that the time of the assembler is linear in the
 * number of names. */
struct cm_symbols {
    struct cm_symbol *entries;
    size_t capacity; /* size of the table: 0 or a power of two */
    size_t count;
};

/* Returns the name of a kind of symbol: "label", "address argument", ... */
const char *cm_symbol_kind_name(enum cm_symbol_kind kind);

void cm_symbols_finish(struct cm_symbols *symbols);
const struct cm_symbol *cm_symbols_find(const struct cm_symbols *symbols, const char *name,
                                        size_t length);
/* Adds a name that is not in the table. Returns false when out of memory. */
bool cm_symbols_add(struct cm_symbols *symbols, const struct cm_symbol *symbol);
/*
 * Finds the defined name most similar to `name`, among names whose kind is in the bit set `kinds`
 * (bits 1 << kind). Returns false if no name is similar. It compares a thousand names at most,
 * because the result only improves an error message.
 */
bool cm_symbols_suggest(const struct cm_symbols *symbols, unsigned kinds, const char *name,
                        size_t length, char found[64]);

/* Recognises register names, r<n> and f<n>, for n up to 255, even where n is out of range. Returns
 * false for other names. */
bool cm_symbol_register(const char *name, size_t length, struct cm_symbol *symbol);

#endif
