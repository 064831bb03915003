/* The names that an assembly text defines: a hash table of labels, arguments and symbolic values.
 */
#include "symbols.h"

#include "../base/suggest.h"

#include <stdlib.h>
#include <string.h>

#define SUGGEST_MAX 1000u
#define NAME_BYTES  64u

const char *cm_symbol_kind_name(enum cm_symbol_kind kind)
{
    static const char *const names[] = {
        [CM_SYMBOL_NONE] = "name",
        [CM_SYMBOL_LABEL] = "label",
        [CM_SYMBOL_ADDRESS] = "address argument",
        [CM_SYMBOL_SCALAR] = "scalar argument",
        [CM_SYMBOL_INTEGER] = "symbolic integer",
        [CM_SYMBOL_FLOAT] = "symbolic floating-point number",
        [CM_SYMBOL_REGISTER] = "address register",
        [CM_SYMBOL_FPU] = "FPU register",
    };
    return names[kind];
}

void cm_symbols_finish(struct cm_symbols *symbols)
{
    free(symbols->entries);
    *symbols = (struct cm_symbols){0};
}

/* Returns a hash of a name: FNV-1a of 64 bits, with the high half combined with the low half. */
static size_t hash(const char *name, size_t length)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++) {
        h ^= (unsigned char)name[i];
        h *= UINT64_C(1099511628211);
    }
    return (size_t)(h ^ h >> 32);
}

/* Returns the entry of a name, or the free entry for it. The table is never full. */
static struct cm_symbol *slot(struct cm_symbol *entries, size_t capacity, const char *name,
                              size_t length)
{
    size_t i = hash(name, length) & (capacity - 1);
    while (entries[i].kind != CM_SYMBOL_NONE &&
           (entries[i].length != length || memcmp(entries[i].name, name, length) != 0))
        i = (i + 1) & (capacity - 1);
    return &entries[i];
}

const struct cm_symbol *cm_symbols_find(const struct cm_symbols *symbols, const char *name,
                                        size_t length)
{
    if (symbols->capacity == 0)
        return NULL;
    const struct cm_symbol *symbol = slot(symbols->entries, symbols->capacity, name, length);
    return symbol->kind == CM_SYMBOL_NONE ? NULL : symbol;
}

static bool grow(struct cm_symbols *symbols)
{
    size_t capacity = symbols->capacity ? symbols->capacity * 2 : 64;
    struct cm_symbol *entries = calloc(capacity, sizeof *entries);
    if (!entries)
        return false;
    for (size_t i = 0; i < symbols->capacity; i++) {
        const struct cm_symbol *old = &symbols->entries[i];
        if (old->kind != CM_SYMBOL_NONE)
            *slot(entries, capacity, old->name, old->length) = *old;
    }
    free(symbols->entries);
    symbols->entries = entries;
    symbols->capacity = capacity;
    return true;
}

bool cm_symbols_add(struct cm_symbols *symbols, const struct cm_symbol *symbol)
{
    if (2 * (symbols->count + 1) > symbols->capacity && !grow(symbols))
        return false;
    *slot(symbols->entries, symbols->capacity, symbol->name, symbol->length) = *symbol;
    symbols->count++;
    return true;
}

bool cm_symbols_suggest(const struct cm_symbols *symbols, unsigned kinds, const char *name,
                        size_t length, char found[NAME_BYTES])
{
    char wanted[NAME_BYTES] = "";
    found[0] = '\0';
    if (length >= NAME_BYTES)
        return false;
    memcpy(wanted, name, length);
    for (size_t i = 0, seen = 0; i < symbols->capacity && seen < SUGGEST_MAX; i++) {
        const struct cm_symbol *symbol = &symbols->entries[i];
        char candidate[NAME_BYTES] = "";
        const char *const names[] = {found, candidate};
        if (symbol->kind == CM_SYMBOL_NONE || !(kinds >> symbol->kind & 1u))
            continue;
        seen++;
        memcpy(candidate, symbol->name, symbol->length);
        if (cm_suggest(wanted, found[0] ? names : names + 1, found[0] ? 2 : 1) == candidate)
            memcpy(found, candidate, NAME_BYTES);
    }
    return found[0] != '\0';
}

bool cm_symbol_register(const char *name, size_t length, struct cm_symbol *symbol)
{
    if (length < 2 || length > 4 || (name[0] != 'r' && name[0] != 'f'))
        return false;
    /* Leading zeros are refused, so that r5 has one name. */
    if (name[1] == '0' && length > 2)
        return false;
    unsigned value = 0;
    for (size_t i = 1; i < length; i++) {
        if (name[i] < '0' || name[i] > '9')
            return false;
        value = value * 10 + (unsigned)(name[i] - '0');
    }
    *symbol = (struct cm_symbol){.name = name,
                                 .length = length,
                                 .kind = name[0] == 'r' ? CM_SYMBOL_REGISTER : CM_SYMBOL_FPU,
                                 .value = value < 255 ? value : 255};
    return true;
}
