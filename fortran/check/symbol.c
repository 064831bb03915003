/* Manages the names of a unit, and their types. */
#include "check.h"

#include "../../base/suggest.h"

void cm_scope_init(struct cm_scope *scope)
{
    for (int letter = 'a'; letter <= 'z'; letter++)
        scope->implicit[letter - 'a'] =
            letter >= 'i' && letter <= 'n' ? CM_TYPE_INT32 : CM_TYPE_REAL32;
}

/* Returns the hash slot of a name. The address is hashed, because each name is stored once. */
static uint32_t slot_of(const char *name)
{
    uintptr_t address = (uintptr_t)name;
    return (uint32_t)(address >> 3 ^ address >> 9) % CM_SCOPE_SLOTS;
}

struct cm_symbol *cm_symbol_find(const struct cm_scope *scope, const char *name)
{
    for (struct cm_symbol *symbol = scope->slots[slot_of(name)]; symbol; symbol = symbol->next)
        if (symbol->name == name)
            return symbol;
    return NULL;
}

struct cm_symbol *cm_symbol_of(struct cm_check *check, const char *name,
                               struct cm_source_place place)
{
    struct cm_scope *scope = check->scope;
    struct cm_symbol *symbol = cm_symbol_find(scope, name);
    if (symbol)
        return symbol;
    symbol = cm_check_take(check, sizeof *symbol);
    if (!symbol)
        return NULL;
    symbol->name = name;
    symbol->place = place;
    symbol->next = scope->slots[slot_of(name)];
    scope->slots[slot_of(name)] = symbol;
    *(scope->last ? &scope->last->later : &scope->first) = symbol;
    scope->last = symbol;
    return symbol;
}

/* Sets *bytes to the size of a type in bytes, from REAL X*8 (*bytes on entry), REAL*8 or
 * REAL(KIND=8), or to 0 if no size is declared. */
static bool bytes_of(struct cm_check *check, const struct cm_syntax_type *type, uint32_t *bytes)
{
    if (*bytes == 0)
        *bytes = type->bytes;
    if (*bytes != 0 || !type->kind)
        return true;
    int32_t kind;
    if (!cm_check_integer(check, type->kind, "KIND", &kind))
        return false;
    *bytes = kind <= 0 ? UINT32_MAX : (uint32_t)kind;
    if (type->base == CM_BASE_COMPLEX && kind > 0)
        *bytes *= 2;
    return true;
}

bool cm_check_type(struct cm_check *check, const struct cm_syntax_type *type, uint32_t bytes,
                   uint8_t *result)
{
    static const struct {
        enum cm_base_type base;
        uint32_t bytes;
        bool is_default;
        uint8_t type;
    } types[] = {
        {CM_BASE_INTEGER, 4, true, CM_TYPE_INT32},
        {CM_BASE_REAL, 4, true, CM_TYPE_REAL32},
        {CM_BASE_REAL, 8, false, CM_TYPE_REAL64},
        {CM_BASE_COMPLEX, 8, true, CM_TYPE_COMPLEX64},
        {CM_BASE_COMPLEX, 16, false, CM_TYPE_COMPLEX128},
        {CM_BASE_LOGICAL, 4, true, CM_TYPE_LOGICAL},
    };
    *result = CM_TYPE_REAL32;
    if (type->base == CM_BASE_CHARACTER) {
        *result = CM_FORTRAN_CHARACTER;
        return true;
    }
    if (!bytes_of(check, type, &bytes))
        return false;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].base == type->base &&
            (bytes == types[i].bytes || (bytes == 0 && types[i].is_default))) {
            *result = types[i].type;
            return true;
        }
    static const char *const names[] = {"INTEGER", "REAL", "COMPLEX", "LOGICAL", "CHARACTER"};
    cm_check_fail(check, type->place, "%s of this size is not supported", names[type->base]);
    cm_messages_hint(check->messages,
                     "there are INTEGER, LOGICAL, REAL, REAL*8, COMPLEX and COMPLEX*16");
    return false;
}

bool cm_symbol_type(struct cm_check *check, struct cm_symbol *symbol, uint8_t *type)
{
    *type = symbol->type;
    if (symbol->typed)
        return true;
    char letter = symbol->name[0];
    bool is_letter = letter >= 'a' && letter <= 'z';
    symbol->type = is_letter ? check->scope->implicit[letter - 'a'] : CM_TYPE_REAL32;
    *type = symbol->type;
    if (check->scope->implicit_none) {
        cm_check_fail(check, symbol->place, "\"%s\" is not declared", symbol->name);
        cm_check_suggest(check, symbol->name);
        symbol->typed = true; /* No second message about this name follows. */
    }
    return true;
}

static const char *kind_text(const struct cm_symbol *symbol)
{
    switch (symbol->kind) {
    case CM_SYMBOL_CONSTANT:
        return "a PARAMETER";
    case CM_SYMBOL_FORMULA:
        return "a statement function";
    default:
        return "a procedure";
    }
}

struct cm_fortran_variable *cm_symbol_variable(struct cm_check *check, struct cm_symbol *symbol,
                                               struct cm_source_place place)
{
    if (symbol->kind == CM_SYMBOL_VARIABLE ||
        (symbol->kind == CM_SYMBOL_CONSTANT && symbol->variable)) {
        symbol->is_valued = true;
        return symbol->variable;
    }
    if (symbol->kind != CM_SYMBOL_OPEN || symbol->is_intrinsic) {
        bool is_own = check->scope->tree->name == symbol->name;
        cm_check_fail(check, place, "\"%s\" is %s, not a variable", symbol->name,
                      is_own ? "the name of this program unit" : kind_text(symbol));
        if (is_own)
            cm_messages_hint(check->messages, "give one of them another name");
        return NULL;
    }
    uint8_t type;
    if (!cm_symbol_type(check, symbol, &type))
        return NULL;
    if (type == CM_FORTRAN_CHARACTER && !cm_check_character(check, symbol))
        return NULL;
    symbol->variable = cm_check_new_variable(check, symbol->name, type, symbol->place);
    if (!symbol->variable)
        return NULL;
    symbol->variable->length = symbol->length;
    symbol->kind = CM_SYMBOL_VARIABLE;
    cm_check_storage(check, symbol->variable, symbol->is_saved);
    return symbol->variable;
}

void cm_check_suggest(struct cm_check *check, const char *name)
{
    const char *names[512];
    size_t count = 0;
    for (const struct cm_symbol *symbol = check->scope->first; symbol; symbol = symbol->later)
        if (count < sizeof names / sizeof names[0] && symbol->name != name &&
            (symbol->typed || symbol->kind != CM_SYMBOL_OPEN || symbol->shape))
            names[count++] = symbol->name;
    for (uint32_t i = 0; i < check->scope_count && count < sizeof names / sizeof names[0]; i++)
        if (check->scopes[i].unit && !check->scopes[i].is_main)
            names[count++] = check->scopes[i].tree->name;
    const char *near = cm_suggest(name, names, count);
    if (!near)
        near = cm_intrinsic_suggest(name);
    if (near)
        cm_messages_hint(check->messages, "did you mean \"%s\"?", near);
}

void cm_check_suggest_subroutine(struct cm_check *check, const char *name)
{
    const char *names[512];
    size_t count = 0;
    for (uint32_t i = 0; i < CM_FORTRAN_LIBRARY_COUNT; i++)
        if (!cm_library_is_function((enum cm_fortran_library)i))
            names[count++] = cm_fortran_library_name((enum cm_fortran_library)i);
    for (uint32_t i = 0; i < check->scope_count && count < sizeof names / sizeof names[0]; i++)
        if (check->scopes[i].unit && !check->scopes[i].is_main &&
            !check->scopes[i].unit->is_function)
            names[count++] = check->scopes[i].tree->name;
    const char *near = cm_suggest(name, names, count);
    if (near)
        cm_messages_hint(check->messages, "did you mean \"%s\"?", near);
}

void cm_check_push(struct cm_check *check, struct cm_meaning *meaning)
{
    meaning->outer = check->meanings;
    check->meanings = meaning;
}
