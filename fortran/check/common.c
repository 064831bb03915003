/* Checks COMMON blocks. The members of a block are stored once, so all units must agree on their
 * number, types and shapes. */
#include "check.h"

#include <stdio.h>
#include <string.h>

/* The members that one unit declares for a COMMON block, perhaps in several statements. */
struct cm_common_use {
    struct cm_common_use *next;
    const char *name;
    struct cm_source_place place;
    struct cm_symbol **members;
    uint32_t count;
};

static struct cm_common_use *use_of(struct cm_check *check, const struct cm_syntax_common *tree)
{
    struct cm_common_use **link = &check->scope->commons;
    for (; *link; link = &(*link)->next)
        if (strcmp((*link)->name, tree->name) == 0)
            return *link;
    struct cm_common_use *use = cm_check_take(check, sizeof *use);
    if (!use)
        return NULL;
    use->name = tree->name;
    use->place = tree->place;
    *link = use;
    return use;
}

void cm_check_common(struct cm_check *check, const struct cm_syntax_common *tree)
{
    for (; tree; tree = tree->next) {
        struct cm_common_use *use = use_of(check, tree);
        for (const struct cm_syntax_entity *entity = tree->entities.first; use && entity;
             entity = entity->next) {
            struct cm_symbol *symbol = cm_symbol_find(check->scope, entity->name);
            if (!symbol || !symbol->variable)
                continue;
            if (symbol->is_allocatable) {
                cm_check_fail(check, entity->place, "the ALLOCATABLE \"%s\" cannot be in COMMON",
                              symbol->name);
                continue;
            }
            struct cm_symbol **more =
                cm_check_grow(check, use->members, use->count, sizeof *use->members);
            if (!more)
                return;
            use->members = more;
            use->members[use->count++] = symbol;
        }
    }
}

static const char *block_text(const char *name)
{
    return name[0] != '\0' ? name : " ";
}

static void hint_first(struct cm_check *check, struct cm_source_place place, const char *what)
{
    cm_messages_hint(check->messages, "%s in %s, line %u", what,
                     cm_source_name(check->messages->source, place.file), place.line);
}

/* Returns whether two members of a COMMON block have the same extents. Extents that are not
 * constant count as equal. */
static bool same_bounds(const struct cm_fortran_variable *a, const struct cm_fortran_variable *b)
{
    for (uint32_t axis = 0; axis < a->rank; axis++) {
        int32_t lower[2] = {1, 1}, upper[2] = {0, 0};
        const struct cm_fortran_variable *both[2] = {a, b};
        for (uint32_t i = 0; i < 2; i++) {
            const struct cm_fortran_bound *bound = &both[i]->bounds[axis];
            if (bound->lower && !cm_constant_is_int(bound->lower, &lower[i]))
                return true; /* A bound that is not constant was reported before. */
            if (!bound->upper || !cm_constant_is_int(bound->upper, &upper[i]))
                return true;
        }
        if ((int64_t)upper[0] - lower[0] != (int64_t)upper[1] - lower[1])
            return false;
    }
    return true;
}

static bool agree(struct cm_check *check, const struct cm_common *common,
                  const struct cm_symbol *symbol, uint32_t index)
{
    const struct cm_fortran_variable *first = common->members[index];
    const struct cm_fortran_variable *member = symbol->variable;
    const char *block = block_text(common->name);
    if (member->type != first->type || member->length != first->length) {
        cm_check_fail(check, symbol->place, "\"%s\" of COMMON /%s/ is %s here and %s elsewhere",
                      symbol->name, block, cm_fortran_type_text(member->type),
                      cm_fortran_type_text(first->type));
    } else if (member->rank != first->rank || !same_bounds(member, first)) {
        struct cm_shape shapes[2];
        cm_variable_shape(member, &shapes[0]);
        cm_variable_shape(first, &shapes[1]);
        cm_check_fail(check, symbol->place,
                      "\"%s\" of COMMON /%s/ has the shape %s here and %s elsewhere", symbol->name,
                      block, cm_check_shape_text(&shapes[0]).text,
                      cm_check_shape_text(&shapes[1]).text);
    } else {
        return true;
    }
    char what[80];
    (void)snprintf(what, sizeof what, "\"%.32s\" is its other declaration,", first->name);
    hint_first(check, first->place, what);
    return false;
}

static void join(struct cm_check *check, const struct cm_common *common,
                 const struct cm_common_use *use)
{
    if (use->count != common->count) {
        cm_check_fail(check, use->place, "COMMON /%s/ has %u member%s here and %u elsewhere",
                      block_text(use->name), use->count, use->count == 1 ? "" : "s", common->count);
        hint_first(check, common->place, "its other declaration is");
    }
    for (uint32_t i = 0; i < use->count; i++) {
        struct cm_fortran_variable *variable = use->members[i]->variable;
        variable->storage = CM_FORTRAN_STATIC;
        if (i >= common->count || !agree(check, common, use->members[i], i))
            continue;
        variable->slot = common->members[i]->slot;
    }
}

static void begin(struct cm_check *check, const struct cm_common_use *use)
{
    struct cm_common *common = cm_check_take(check, sizeof *common);
    if (!common)
        return;
    common->name = use->name;
    common->place = use->place;
    common->count = use->count;
    common->members = cm_check_take(check, sizeof(void *) * ((size_t)use->count + 1));
    if (!common->members)
        return;
    for (uint32_t i = 0; i < use->count; i++) {
        common->members[i] = use->members[i]->variable;
        cm_check_storage(check, common->members[i], true);
    }
    common->next = check->commons;
    check->commons = common;
}

void cm_check_commons_agree(struct cm_check *check)
{
    for (const struct cm_common_use *use = check->scope->commons; use; use = use->next) {
        const struct cm_common *common = check->commons;
        while (common && strcmp(common->name, use->name) != 0)
            common = common->next;
        if (common)
            join(check, common, use);
        else
            begin(check, use);
    }
}
