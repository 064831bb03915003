/* Finds the computer that evaluates an expression (where.h). */
#include "where.h"

#include "fortran/run/run_private.h"

#include <stdlib.h>

struct order_dummy {
    const struct cm_fortran_variable *dummy, *home; /* home: NULL while unknown */
    bool has_several; /* true if arrays of several layouts are passed */
};

static struct order_dummy *find_dummy(const struct order_map *map,
                                      const struct cm_fortran_variable *variable)
{
    for (uint32_t i = 0; variable->storage == CM_FORTRAN_DUMMY && i < map->dummy_count; i++)
        if (map->dummies[i].dummy == variable)
            return &map->dummies[i];
    return NULL;
}

const struct cm_fortran_variable *order_home(const struct order_map *map,
                                             const struct cm_fortran_variable *variable)
{
    const struct order_dummy *dummy = find_dummy(map, variable);
    return dummy && dummy->home ? dummy->home : variable;
}

bool order_has_one_layout(const struct order_map *map, const struct cm_fortran_variable *variable)
{
    const struct order_dummy *dummy = find_dummy(map, variable);
    return !dummy || !dummy->has_several;
}

static bool have_one_layout(const struct cm_fortran_variable *a,
                            const struct cm_fortran_variable *b)
{
    if (a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->orders[i] != b->orders[i] || a->weights[i] != b->weights[i])
            return false;
    return true;
}

/* ---- dummy arguments ---- */

/* Records the actual argument of a dummy argument. Returns whether the map changed. */
static bool pass(struct order_map *map, const struct cm_fortran_variable *variable,
                 const struct cm_fortran_expression *actual)
{
    struct order_dummy *dummy = find_dummy(map, variable);
    const struct cm_fortran_variable *home = variable; /* a copy has the declared layout */
    if (!dummy || variable->rank == 0)
        return false;
    if (actual->kind == CM_FORTRAN_VARIABLE || actual->kind == CM_FORTRAN_ELEMENT) {
        const struct order_dummy *outer = find_dummy(map, actual->variable);
        if (outer && !outer->home)
            return false;
        home = order_home(map, actual->variable);
    }
    if (!dummy->home) {
        dummy->home = home;
        return true;
    }
    bool others = !have_one_layout(dummy->home, home) ||
                  (actual->variable && !order_has_one_layout(map, actual->variable));
    if (!others || dummy->has_several)
        return false;
    dummy->has_several = true;
    return true;
}

static bool pass_all(struct order_map *map, const struct cm_fortran_unit *unit,
                     struct cm_fortran_expression *const *args)
{
    bool changed = false;
    for (uint32_t i = 0; i < unit->argument_count; i++)
        if (args[i])
            changed |= pass(map, unit->arguments[i], args[i]);
    return changed;
}

/* Records the arguments for all units that the dummy procedure may be. */
static bool pass_to_targets(struct order_map *map, const struct cm_fortran_variable *procedure,
                            struct cm_fortran_expression *const *args)
{
    bool changed = false;
    for (uint32_t i = 0; i < procedure->target_count; i++)
        changed |= pass_all(map, procedure->targets[i], args);
    return changed;
}

static bool walk_expression(struct order_map *map, const struct cm_fortran_expression *expression)
{
    bool changed = false;
    if (!expression)
        return false;
    if (expression->kind == CM_FORTRAN_CALL)
        changed = expression->unit ? pass_all(map, expression->unit, expression->args)
                                   : pass_to_targets(map, expression->variable, expression->args);
    for (uint32_t i = 0; i < expression->count; i++)
        changed |= walk_expression(map, expression->args[i]);
    return changed;
}

static bool walk_forall(struct order_map *map, const struct cm_fortran_forall *forall)
{
    bool changed = walk_expression(map, forall->mask);
    for (uint32_t i = 0; i < forall->assignments; i++) {
        changed |= walk_expression(map, forall->targets[i]);
        changed |= walk_expression(map, forall->values[i]);
    }
    return changed;
}

static bool walk_statement(struct order_map *map, const struct cm_fortran_statement *statement)
{
    bool changed = false;
    if (statement->kind == CM_FORTRAN_CALL_UNIT)
        changed = statement->unit ? pass_all(map, statement->unit, statement->args)
                                  : pass_to_targets(map, statement->procedure, statement->args);
    changed |= walk_expression(map, statement->target);
    changed |= walk_expression(map, statement->value);
    for (uint32_t i = 0; i < statement->count; i++)
        changed |= walk_expression(map, statement->args[i]);
    if (statement->forall)
        changed |= walk_forall(map, statement->forall);
    return changed;
}

static bool walk_program(struct order_map *map)
{
    bool changed = false;
    for (uint32_t u = 0; u < map->program->unit_count; u++) {
        const struct cm_fortran_unit *unit = map->program->units[u];
        for (uint32_t s = 0; s < unit->statement_count; s++)
            changed |= walk_statement(map, &unit->statements[s]);
    }
    return changed;
}

enum cm_status order_begin(struct order_map *map, const struct cm_fortran_program *program)
{
    uint32_t count = 0;
    *map = (struct order_map){.program = program};
    for (uint32_t u = 0; u < program->unit_count; u++)
        count += program->units[u]->argument_count;
    map->dummies = calloc((size_t)count + 1, sizeof(*map->dummies));
    if (!map->dummies)
        return CM_NO_MEMORY;
    for (uint32_t u = 0; u < program->unit_count; u++)
        for (uint32_t i = 0; i < program->units[u]->argument_count; i++)
            map->dummies[map->dummy_count++].dummy = program->units[u]->arguments[i];
    while (walk_program(map)) {
        /* Ends because each round settles at least one more dummy argument. */
    }
    return CM_OK;
}

void order_end(struct order_map *map)
{
    free(map->dummies);
    map->dummies = NULL;
}

/* ---- operands ---- */

bool order_has_vector(const struct cm_fortran_expression *expression)
{
    for (uint32_t i = 0; expression->kind == CM_FORTRAN_SECTION && i < expression->count; i++)
        if (expression->args[i]->kind != CM_FORTRAN_TRIPLET && expression->args[i]->rank > 0)
            return true;
    return false;
}

bool order_is_whole(const struct cm_fortran_expression *expression)
{
    for (uint32_t i = 0; expression->kind == CM_FORTRAN_SECTION && i < expression->count; i++) {
        const struct cm_fortran_expression *triplet = expression->args[i];
        if (triplet->kind != CM_FORTRAN_TRIPLET || triplet->args[0] || triplet->args[1] ||
            triplet->args[2])
            return false;
    }
    return true;
}

bool order_has_index(const struct cm_fortran_expression *expression)
{
    if (!expression)
        return false;
    if (expression->kind == CM_FORTRAN_INDEX)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (order_has_index(expression->args[i]))
            return true;
    return false;
}

static bool is_shift(const struct cm_fortran_expression *expression)
{
    return expression->intrinsic == CM_FORTRAN_CSHIFT ||
           expression->intrinsic == CM_FORTRAN_EOSHIFT;
}

static bool is_operand(const struct order_map *map, const struct cm_fortran_expression *expression)
{
    return (expression->kind == CM_FORTRAN_VARIABLE || expression->kind == CM_FORTRAN_SECTION) &&
           expression->rank > 0 && order_home(map, expression->variable)->on_machine;
}

const struct cm_fortran_expression *order_model(const struct order_map *map,
                                                const struct cm_fortran_expression *expression)
{
    const struct cm_fortran_expression *found = NULL;
    bool is_call = expression->kind == CM_FORTRAN_INTRINSIC;
    if (is_operand(map, expression) && !order_has_vector(expression))
        return expression;
    if (is_call && !is_shift(expression) &&
        cm_fortran_intrinsic_class(expression->intrinsic) != CM_FORTRAN_CLASS_ELEMENTAL)
        return NULL;
    if (!is_call && expression->kind != CM_FORTRAN_OPERATION &&
        expression->kind != CM_FORTRAN_CONVERT)
        return NULL;
    for (uint32_t i = 0; i < (is_call && is_shift(expression) ? 1 : expression->count) && !found;
         i++)
        if (expression->args[i] && expression->args[i]->rank > 0)
            found = order_model(map, expression->args[i]);
    return found;
}

bool order_is_resident(const struct order_map *map, const struct cm_fortran_expression *expression)
{
    if (!expression || expression->rank == 0)
        return false;
    if (is_operand(map, expression))
        return true;
    if (expression->kind != CM_FORTRAN_OPERATION && expression->kind != CM_FORTRAN_CONVERT &&
        expression->kind != CM_FORTRAN_INTRINSIC)
        return false;
    for (uint32_t i = 0; i < expression->count; i++)
        if (order_is_resident(map, expression->args[i]))
            return true;
    return false;
}

bool order_is_transform(const struct order_map *map, const struct cm_fortran_expression *call)
{
    if (call->kind != CM_FORTRAN_INTRINSIC || call->rank == 0 || call->count == 0)
        return false;
    bool is_any = call->intrinsic == CM_FORTRAN_MATMUL || call->intrinsic == CM_FORTRAN_PACK ||
                  call->intrinsic == CM_FORTRAN_UNPACK;
    if (!order_is_resident(map, call->args[0]) &&
        !(is_any && order_is_resident(map, call->args[1])))
        return false;
    return is_any || call->intrinsic == CM_FORTRAN_TRANSPOSE ||
           call->intrinsic == CM_FORTRAN_SPREAD || call->intrinsic == CM_FORTRAN_RESHAPE ||
           cm_fortran_intrinsic_class(call->intrinsic) == CM_FORTRAN_CLASS_REDUCTION;
}

/*
 * ---- FORALL ----
 * The machine executes a FORALL that is an assignment of sections (fortran/machine/forall.c).
 */

/* A FORALL, and the dimension of the target's section that each index runs along. */
struct forall {
    const struct cm_fortran_forall *tree;
    uint32_t dim[CM_RANK_MAX];
};

/* Returns whether the subscript is INDEX, INDEX + offset or INDEX - offset. Sets *number to the
 * index. */
static bool find_index(const struct cm_fortran_expression *subscript, uint32_t *number,
                       bool *has_offset)
{
    *has_offset = subscript->kind == CM_FORTRAN_OPERATION;
    if (subscript->kind == CM_FORTRAN_OPERATION && subscript->count == 2 &&
        (subscript->op == CM_FORTRAN_ADD || subscript->op == CM_FORTRAN_SUBTRACT)) {
        const struct cm_fortran_expression *a = subscript->args[0], *b = subscript->args[1];
        bool is_last = subscript->op == CM_FORTRAN_ADD && b->kind == CM_FORTRAN_INDEX;
        if (order_has_index(is_last ? a : b))
            return false;
        subscript = is_last ? b : a;
    }
    *number = subscript->number;
    return subscript->kind == CM_FORTRAN_INDEX;
}

/* Decides for an element in the value. The machine needs all indices in it, in the target's
 * order. */
static enum order_where of_element(const struct forall *forall,
                                   const struct cm_fortran_expression *element)
{
    uint32_t next = 0, number;
    bool has_offset, any_offset = false;
    for (uint32_t i = 0; i < element->count; i++) {
        if (!order_has_index(element->args[i]))
            continue;
        if (!find_index(element->args[i], &number, &has_offset) || forall->dim[number] != next)
            return ORDER_FRONT_END;
        any_offset |= has_offset;
        next++;
    }
    if (next != forall->tree->indices)
        return ORDER_FRONT_END;
    /* Where the mask is false, subscripts may be out of bounds. */
    return any_offset && forall->tree->mask ? ORDER_UNSURE : ORDER_MACHINE;
}

static enum order_where worse(enum order_where a, enum order_where b)
{
    if (a == ORDER_FRONT_END || b == ORDER_FRONT_END)
        return ORDER_FRONT_END;
    return a == ORDER_UNSURE ? a : b;
}

static enum order_where of_value(const struct forall *forall,
                                 const struct cm_fortran_expression *value)
{
    enum order_where where = ORDER_MACHINE;
    if (!value || !order_has_index(value) || value->kind == CM_FORTRAN_INDEX)
        return ORDER_MACHINE;
    if (value->kind == CM_FORTRAN_ELEMENT)
        return of_element(forall, value);
    bool is_elemental = value->kind == CM_FORTRAN_INTRINSIC &&
                        cm_fortran_intrinsic_class(value->intrinsic) == CM_FORTRAN_CLASS_ELEMENTAL;
    if (!is_elemental && value->kind != CM_FORTRAN_OPERATION && value->kind != CM_FORTRAN_CONVERT)
        return ORDER_FRONT_END;
    for (uint32_t i = 0; i < value->count; i++)
        where = worse(where, of_value(forall, value->args[i]));
    return where;
}

static enum order_where of_assignment(struct forall *forall,
                                      const struct cm_fortran_expression *target,
                                      const struct cm_fortran_expression *value)
{
    uint32_t next = 0, number;
    bool has_offset;
    if (forall->tree->assignments > 1 && forall->tree->mask)
        return ORDER_FRONT_END;
    if (target->rank > 0)
        return ORDER_UNSURE;
    for (uint32_t i = 0; i < CM_RANK_MAX; i++)
        forall->dim[i] = UINT32_MAX;
    for (uint32_t i = 0; i < target->count; i++) {
        if (!order_has_index(target->args[i]))
            continue;
        if (!find_index(target->args[i], &number, &has_offset) || has_offset ||
            forall->dim[number] != UINT32_MAX)
            return ORDER_FRONT_END;
        forall->dim[number] = next++;
    }
    if (next != forall->tree->indices)
        return ORDER_FRONT_END;
    return worse(of_value(forall, value), of_value(forall, forall->tree->mask));
}

bool order_forall(const struct order_map *map, const struct cm_fortran_expression *target,
                  enum order_where *where)
{
    for (uint32_t u = 0; u < map->program->unit_count; u++) {
        const struct cm_fortran_unit *unit = map->program->units[u];
        for (uint32_t s = 0; s < unit->statement_count; s++) {
            struct forall forall = {.tree = unit->statements[s].forall};
            for (uint32_t i = 0; forall.tree && i < forall.tree->assignments; i++)
                if (forall.tree->targets[i] == target) {
                    *where = of_assignment(&forall, target, forall.tree->values[i]);
                    return true;
                }
        }
    }
    return false;
}
