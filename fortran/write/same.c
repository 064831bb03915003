/* Where arrays are, as far as the text of a program tells; machine/machine.c and
 * machine/transform.c decide the same when the program runs. */
#include "same.h"

#include "../run/run_private.h"

#include <stdlib.h>

struct cm_same_dummy {
    const struct cm_fortran_variable *dummy, *home; /* home: NULL: not known yet */
    bool has_several;                               /* arrays of several layouts are passed */
};

static struct cm_same_dummy *find_dummy(const struct cm_same *same,
                                        const struct cm_fortran_variable *variable)
{
    for (uint32_t i = 0; variable->storage == CM_FORTRAN_DUMMY && i < same->dummy_count; i++)
        if (same->dummies[i].dummy == variable)
            return &same->dummies[i];
    return NULL;
}

const struct cm_fortran_variable *cm_same_home(const struct cm_same *same,
                                               const struct cm_fortran_variable *variable)
{
    const struct cm_same_dummy *dummy = find_dummy(same, variable);
    return dummy && dummy->home ? dummy->home : variable;
}

bool cm_same_has_one_layout(const struct cm_same *same, const struct cm_fortran_variable *variable)
{
    const struct cm_same_dummy *dummy = find_dummy(same, variable);
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

/* ---- what dummy arguments are passed ---- */

/* Whether something became known. */
static bool pass(struct cm_same *same, const struct cm_fortran_variable *variable,
                 const struct cm_fortran_expression *actual)
{
    struct cm_same_dummy *dummy = find_dummy(same, variable);
    const struct cm_fortran_variable *home = variable; /* of a copy: as it is declared */
    if (!dummy || variable->rank == 0)
        return false;
    if (actual->kind == CM_FORTRAN_VARIABLE || actual->kind == CM_FORTRAN_ELEMENT) {
        const struct cm_same_dummy *outer = find_dummy(same, actual->variable);
        if (outer && !outer->home)
            return false;
        home = cm_same_home(same, actual->variable);
    }
    if (!dummy->home) {
        dummy->home = home;
        return true;
    }
    bool others = !have_one_layout(dummy->home, home) ||
                  (actual->variable && !cm_same_has_one_layout(same, actual->variable));
    if (!others || dummy->has_several)
        return false;
    dummy->has_several = true;
    return true;
}

static bool pass_all(struct cm_same *same, const struct cm_fortran_unit *unit,
                     struct cm_fortran_expression *const *args)
{
    bool changed = false;
    for (uint32_t i = 0; i < unit->argument_count; i++)
        if (args[i])
            changed |= pass(same, unit->arguments[i], args[i]);
    return changed;
}

/* To all units that the argument may be. */
static bool pass_to_targets(struct cm_same *same, const struct cm_fortran_variable *procedure,
                            struct cm_fortran_expression *const *args)
{
    bool changed = false;
    for (uint32_t i = 0; i < procedure->target_count; i++)
        changed |= pass_all(same, procedure->targets[i], args);
    return changed;
}

static bool walk_expression(struct cm_same *same, const struct cm_fortran_expression *expression)
{
    bool changed = false;
    if (!expression)
        return false;
    if (expression->kind == CM_FORTRAN_CALL)
        changed = expression->unit ? pass_all(same, expression->unit, expression->args)
                                   : pass_to_targets(same, expression->variable, expression->args);
    for (uint32_t i = 0; i < expression->count; i++)
        changed |= walk_expression(same, expression->args[i]);
    return changed;
}

static bool walk_forall(struct cm_same *same, const struct cm_fortran_forall *forall)
{
    bool changed = walk_expression(same, forall->mask);
    for (uint32_t i = 0; i < forall->assignments; i++) {
        changed |= walk_expression(same, forall->targets[i]);
        changed |= walk_expression(same, forall->values[i]);
    }
    return changed;
}

static bool walk_statement(struct cm_same *same, const struct cm_fortran_statement *statement)
{
    bool changed = false;
    if (statement->kind == CM_FORTRAN_CALL_UNIT)
        changed = statement->unit ? pass_all(same, statement->unit, statement->args)
                                  : pass_to_targets(same, statement->procedure, statement->args);
    changed |= walk_expression(same, statement->target);
    changed |= walk_expression(same, statement->value);
    for (uint32_t i = 0; i < statement->count; i++)
        changed |= walk_expression(same, statement->args[i]);
    if (statement->forall)
        changed |= walk_forall(same, statement->forall);
    return changed;
}

static bool walk_program(struct cm_same *same)
{
    bool changed = false;
    for (uint32_t u = 0; u < same->program->unit_count; u++) {
        const struct cm_fortran_unit *unit = same->program->units[u];
        for (uint32_t s = 0; s < unit->statement_count; s++)
            changed |= walk_statement(same, &unit->statements[s]);
    }
    return changed;
}

enum cm_status cm_same_begin(struct cm_same *same, const struct cm_fortran_program *program)
{
    uint32_t count = 0;
    *same = (struct cm_same){.program = program};
    for (uint32_t u = 0; u < program->unit_count; u++)
        count += program->units[u]->argument_count;
    same->dummies = calloc((size_t)count + 1, sizeof(*same->dummies));
    if (!same->dummies)
        return CM_NO_MEMORY;
    for (uint32_t u = 0; u < program->unit_count; u++)
        for (uint32_t i = 0; i < program->units[u]->argument_count; i++)
            same->dummies[same->dummy_count++].dummy = program->units[u]->arguments[i];
    while (walk_program(same)) {
        /* until nothing more becomes known: each time, of one argument at least */
    }
    return CM_OK;
}

void cm_same_end(struct cm_same *same)
{
    free(same->dummies);
    same->dummies = NULL;
}

/* ---- operands ---- */

bool cm_same_has_vector(const struct cm_fortran_expression *expression)
{
    for (uint32_t i = 0; expression->kind == CM_FORTRAN_SECTION && i < expression->count; i++)
        if (expression->args[i]->kind != CM_FORTRAN_TRIPLET && expression->args[i]->rank > 0)
            return true;
    return false;
}

bool cm_same_is_whole(const struct cm_fortran_expression *expression)
{
    for (uint32_t i = 0; expression->kind == CM_FORTRAN_SECTION && i < expression->count; i++) {
        const struct cm_fortran_expression *triplet = expression->args[i];
        if (triplet->kind != CM_FORTRAN_TRIPLET || triplet->args[0] || triplet->args[1] ||
            triplet->args[2])
            return false;
    }
    return true;
}

bool cm_same_has_index(const struct cm_fortran_expression *expression)
{
    if (!expression)
        return false;
    if (expression->kind == CM_FORTRAN_INDEX)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (cm_same_has_index(expression->args[i]))
            return true;
    return false;
}

static bool is_shift(const struct cm_fortran_expression *expression)
{
    return expression->intrinsic == CM_FORTRAN_CSHIFT ||
           expression->intrinsic == CM_FORTRAN_EOSHIFT;
}

static bool is_operand(const struct cm_same *same, const struct cm_fortran_expression *expression)
{
    return (expression->kind == CM_FORTRAN_VARIABLE || expression->kind == CM_FORTRAN_SECTION) &&
           expression->rank > 0 && cm_same_home(same, expression->variable)->on_machine;
}

const struct cm_fortran_expression *cm_same_model(const struct cm_same *same,
                                                  const struct cm_fortran_expression *expression)
{
    const struct cm_fortran_expression *found = NULL;
    bool is_call = expression->kind == CM_FORTRAN_INTRINSIC;
    if (is_operand(same, expression) && !cm_same_has_vector(expression))
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
            found = cm_same_model(same, expression->args[i]);
    return found;
}

bool cm_same_is_resident(const struct cm_same *same, const struct cm_fortran_expression *expression)
{
    if (!expression || expression->rank == 0)
        return false;
    if (is_operand(same, expression))
        return true;
    if (expression->kind != CM_FORTRAN_OPERATION && expression->kind != CM_FORTRAN_CONVERT &&
        expression->kind != CM_FORTRAN_INTRINSIC)
        return false;
    for (uint32_t i = 0; i < expression->count; i++)
        if (cm_same_is_resident(same, expression->args[i]))
            return true;
    return false;
}

bool cm_same_is_transform(const struct cm_same *same, const struct cm_fortran_expression *call)
{
    if (call->kind != CM_FORTRAN_INTRINSIC || call->rank == 0 || call->count == 0)
        return false;
    bool is_any = call->intrinsic == CM_FORTRAN_MATMUL || call->intrinsic == CM_FORTRAN_PACK ||
                  call->intrinsic == CM_FORTRAN_UNPACK;
    if (!cm_same_is_resident(same, call->args[0]) &&
        !(is_any && cm_same_is_resident(same, call->args[1])))
        return false;
    return is_any || call->intrinsic == CM_FORTRAN_TRANSPOSE ||
           call->intrinsic == CM_FORTRAN_SPREAD || call->intrinsic == CM_FORTRAN_RESHAPE ||
           cm_fortran_intrinsic_class(call->intrinsic) == CM_FORTRAN_CLASS_REDUCTION;
}

/* ---- FORALL: on the machine where it is an assignment of sections (machine/forall.c) ---- */

/* A FORALL, and the dimension of the target's section that each index runs along. */
struct forall {
    const struct cm_fortran_forall *tree;
    uint32_t dim[CM_RANK_MAX];
};

/* The index of a subscript that is one, or one plus or minus what has none. */
static bool find_index(const struct cm_fortran_expression *subscript, uint32_t *number,
                       bool *has_offset)
{
    *has_offset = subscript->kind == CM_FORTRAN_OPERATION;
    if (subscript->kind == CM_FORTRAN_OPERATION && subscript->count == 2 &&
        (subscript->op == CM_FORTRAN_ADD || subscript->op == CM_FORTRAN_SUBTRACT)) {
        const struct cm_fortran_expression *a = subscript->args[0], *b = subscript->args[1];
        bool is_last = subscript->op == CM_FORTRAN_ADD && b->kind == CM_FORTRAN_INDEX;
        if (cm_same_has_index(is_last ? a : b))
            return false;
        subscript = is_last ? b : a;
    }
    *number = subscript->number;
    return subscript->kind == CM_FORTRAN_INDEX;
}

/* An element of the value: its indices are there all, in the target's order. */
static enum cm_same_where of_element(const struct forall *forall,
                                     const struct cm_fortran_expression *element)
{
    uint32_t next = 0, number;
    bool has_offset, any_offset = false;
    for (uint32_t i = 0; i < element->count; i++) {
        if (!cm_same_has_index(element->args[i]))
            continue;
        if (!find_index(element->args[i], &number, &has_offset) || forall->dim[number] != next)
            return CM_SAME_FRONT_END;
        any_offset |= has_offset;
        next++;
    }
    if (next != forall->tree->indices)
        return CM_SAME_FRONT_END;
    /* under a mask, subscripts may be out of bounds where it does not hold */
    return any_offset && forall->tree->mask ? CM_SAME_UNSURE : CM_SAME_MACHINE;
}

static enum cm_same_where worse(enum cm_same_where a, enum cm_same_where b)
{
    if (a == CM_SAME_FRONT_END || b == CM_SAME_FRONT_END)
        return CM_SAME_FRONT_END;
    return a == CM_SAME_UNSURE ? a : b;
}

static enum cm_same_where of_value(const struct forall *forall,
                                   const struct cm_fortran_expression *value)
{
    enum cm_same_where where = CM_SAME_MACHINE;
    if (!value || !cm_same_has_index(value) || value->kind == CM_FORTRAN_INDEX)
        return CM_SAME_MACHINE;
    if (value->kind == CM_FORTRAN_ELEMENT)
        return of_element(forall, value);
    bool is_elemental = value->kind == CM_FORTRAN_INTRINSIC &&
                        cm_fortran_intrinsic_class(value->intrinsic) == CM_FORTRAN_CLASS_ELEMENTAL;
    if (!is_elemental && value->kind != CM_FORTRAN_OPERATION && value->kind != CM_FORTRAN_CONVERT)
        return CM_SAME_FRONT_END;
    for (uint32_t i = 0; i < value->count; i++)
        where = worse(where, of_value(forall, value->args[i]));
    return where;
}

static enum cm_same_where of_assignment(struct forall *forall,
                                        const struct cm_fortran_expression *target,
                                        const struct cm_fortran_expression *value)
{
    uint32_t next = 0, number;
    bool has_offset;
    if (forall->tree->assignments > 1 && forall->tree->mask)
        return CM_SAME_FRONT_END;
    if (target->rank > 0)
        return CM_SAME_UNSURE;
    for (uint32_t i = 0; i < CM_RANK_MAX; i++)
        forall->dim[i] = UINT32_MAX;
    for (uint32_t i = 0; i < target->count; i++) {
        if (!cm_same_has_index(target->args[i]))
            continue;
        if (!find_index(target->args[i], &number, &has_offset) || has_offset ||
            forall->dim[number] != UINT32_MAX)
            return CM_SAME_FRONT_END;
        forall->dim[number] = next++;
    }
    if (next != forall->tree->indices)
        return CM_SAME_FRONT_END;
    return worse(of_value(forall, value), of_value(forall, forall->tree->mask));
}

enum cm_same_where cm_same_forall(const struct cm_same *same,
                                  const struct cm_fortran_expression *target)
{
    for (uint32_t u = 0; u < same->program->unit_count; u++) {
        const struct cm_fortran_unit *unit = same->program->units[u];
        for (uint32_t s = 0; s < unit->statement_count; s++) {
            struct forall forall = {.tree = unit->statements[s].forall};
            for (uint32_t i = 0; forall.tree && i < forall.tree->assignments; i++)
                if (forall.tree->targets[i] == target)
                    return of_assignment(&forall, target, forall.tree->values[i]);
        }
    }
    return CM_SAME_UNSURE;
}
