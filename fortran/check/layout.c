/* Checks directives. CMF$ LAYOUT and CMF$ ALIGN give the dimensions of arrays their orders and
 * weights. CMF$ COMMON with CMONLY puts COMMON blocks on the machine. */
#include "check.h"

static struct cm_fortran_variable *array_of(struct cm_check *check, const char *name,
                                            struct cm_source_place place)
{
    struct cm_symbol *symbol = cm_symbol_find(check->scope, name);
    if (symbol && symbol->variable && symbol->variable->rank > 0)
        return symbol->variable;
    cm_check_fail(check, place, "\"%s\" is not an array of this unit", name);
    cm_check_suggest(check, name);
    return NULL;
}

static bool set_axis(struct cm_check *check, struct cm_fortran_variable *array, uint32_t axis,
                     const struct cm_syntax_axis *tree)
{
    array->orders[axis] = tree->order;
    if (!tree->weight)
        return true;
    int32_t weight;
    if (!cm_check_integer(check, tree->weight, "a weight", &weight))
        return false;
    if (weight < 1) {
        cm_check_fail(check, tree->weight->place, "the weight of an axis is at least 1, not %d",
                      weight);
        return false;
    }
    array->weights[axis] = (uint32_t)weight;
    return true;
}

static void check_layout(struct cm_check *check, const struct cm_syntax_layout *tree)
{
    struct cm_fortran_variable *array = array_of(check, tree->name, tree->place);
    if (!array)
        return;
    if (tree->axis_count != array->rank) {
        cm_check_fail(check, tree->place,
                      "the LAYOUT of \"%s\" has %u ax%ss, and the array has rank %u", tree->name,
                      tree->axis_count, tree->axis_count == 1 ? "i" : "e", array->rank);
        return;
    }
    struct cm_symbol *symbol = cm_symbol_find(check->scope, tree->name);
    if (symbol->layout) {
        cm_check_fail(check, tree->place, "\"%s\" has a LAYOUT already", tree->name);
        cm_messages_hint(check->messages, "it is in line %u", symbol->layout->place.line);
        return;
    }
    symbol->layout = tree;
    uint32_t axis = 0;
    for (const struct cm_syntax_axis *at = tree->axes; at; at = at->next, axis++) {
        if (!set_axis(check, array, axis, at))
            return;
        if (at->order != CM_ORDER_SERIAL)
            cm_check_operates(check, array);
    }
}

/* Returns the names of the dimensions in a term A(I, J) of an ALIGN directive, and sets *array to
 * A. */
static const struct cm_syntax_argument *axis_names(struct cm_check *check,
                                                   const struct cm_syntax_expression *tree,
                                                   struct cm_fortran_variable **array)
{
    if (tree->kind != CM_EXPRESSION_CALL) {
        cm_check_fail(check, tree->place, "ALIGN takes arrays with the names of their axes");
        return NULL;
    }
    *array = array_of(check, tree->call.name, tree->place);
    if (!*array)
        return NULL;
    if (tree->call.arguments.count != (*array)->rank) {
        cm_check_fail(check, tree->place, "\"%s\" has rank %u, and ALIGN names %u axes",
                      tree->call.name, (*array)->rank, tree->call.arguments.count);
        return NULL;
    }
    return tree->call.arguments.first;
}

static void check_align(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_fortran_variable *array = NULL, *with = NULL;
    const struct cm_syntax_argument *axes = axis_names(check, tree->align.array, &array);
    const struct cm_syntax_argument *others = axis_names(check, tree->align.with, &with);
    if (!axes || !others)
        return;
    for (uint32_t axis = 0; axes; axes = axes->next, axis++) {
        uint32_t to = 0;
        const struct cm_syntax_argument *other = others;
        for (; other; other = other->next, to++)
            if (axes->value->kind == CM_EXPRESSION_NAME &&
                other->value->kind == CM_EXPRESSION_NAME && other->value->name == axes->value->name)
                break;
        if (!other) {
            cm_check_fail(check, axes->place, "\"%s\" has no axis of that name",
                          tree->align.with->call.name);
            return;
        }
        array->orders[axis] = with->orders[to];
        array->weights[axis] = with->weights[to];
    }
    cm_check_operates(check, array);
    cm_check_operates(check, with);
}

/* Checks a CMF$ COMMON directive. CMONLY puts the arrays of the block on the machine. */
static void check_cmf_common(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    for (const struct cm_syntax_entity *entity = tree->cmf_common.blocks.first; entity;
         entity = entity->next) {
        const struct cm_syntax_common *common = NULL;
        for (const struct cm_syntax_statement *statement = check->scope->tree->block.first;
             statement && !common; statement = statement->next)
            for (const struct cm_syntax_common *block =
                     statement->kind == CM_STATEMENT_COMMON ? statement->common : NULL;
                 block && !common; block = block->next)
                common = block->name == entity->name ? block : NULL;
        if (!common) {
            cm_check_fail(check, entity->place, "this unit has no COMMON block /%s/", entity->name);
            continue;
        }
        for (const struct cm_syntax_entity *member = common->entities.first;
             member && tree->cmf_common.cm_only; member = member->next) {
            const struct cm_symbol *symbol = cm_symbol_find(check->scope, member->name);
            if (symbol && symbol->variable)
                cm_check_operates(check, symbol->variable);
        }
    }
}

void cm_check_layouts(struct cm_check *check, struct cm_scope *scope)
{
    check->scope = scope;
    const struct cm_syntax_statement *first = scope->tree->block.first;
    for (const struct cm_syntax_statement *tree = first; tree; tree = tree->next) {
        if (tree->kind == CM_STATEMENT_CMF_COMMON)
            check_cmf_common(check, tree);
        for (const struct cm_syntax_layout *layout =
                 tree->kind == CM_STATEMENT_LAYOUT ? tree->layout : NULL;
             layout; layout = layout->next)
            check_layout(check, layout);
    }
    for (const struct cm_syntax_statement *tree = first; tree; tree = tree->next)
        if (tree->kind == CM_STATEMENT_ALIGN)
            check_align(check, tree);
}

static bool is_default(const struct cm_fortran_variable *array)
{
    for (uint32_t axis = 0; axis < array->rank; axis++)
        if (array->orders[axis] != CM_ORDER_NEWS || array->weights[axis] != 1)
            return false;
    return true;
}

static bool same_layout(const struct cm_fortran_variable *a, const struct cm_fortran_variable *b)
{
    for (uint32_t axis = 0; axis < a->rank; axis++)
        if (a->orders[axis] != b->orders[axis] || a->weights[axis] != b->weights[axis])
            return false;
    return true;
}

static void copy_layout(struct cm_fortran_variable *to, const struct cm_fortran_variable *from)
{
    for (uint32_t axis = 0; axis < to->rank; axis++) {
        to->orders[axis] = from->orders[axis];
        to->weights[axis] = from->weights[axis];
    }
}

/* Joins the layouts that units declare for a COMMON array. If `collects` is true, copies the layout
 * that a unit declares to the block's array, and reports a second, different layout. Otherwise
 * copies the block's layout to the unit's array. */
static void join_layout(struct cm_check *check, struct cm_fortran_variable *array, bool collects)
{
    struct cm_fortran_variable *first = check->program->statics[array->slot];
    if (array == first || array->rank != first->rank || same_layout(array, first))
        return;
    if (!collects) {
        copy_layout(array, first);
    } else if (is_default(first)) {
        copy_layout(first, array);
    } else if (!is_default(array)) {
        cm_check_fail(check, array->place, "the COMMON array \"%s\" has another LAYOUT elsewhere",
                      array->name);
        cm_messages_hint(check->messages, "\"%s\" is its other declaration, in %s, line %u",
                         first->name, cm_source_name(check->messages->source, first->place.file),
                         first->place.line);
    }
}

void cm_check_common_layouts(struct cm_check *check)
{
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < check->program->unit_count; i++) {
            const struct cm_fortran_unit *unit = check->program->units[i];
            for (uint32_t j = 0; j < unit->variable_count; j++)
                if (unit->variables[j]->storage == CM_FORTRAN_STATIC &&
                    unit->variables[j]->slot < check->program->static_count)
                    join_layout(check, unit->variables[j], pass == 0);
        }
}
