/* Checks the statements IF, SELECT CASE and DO. Their blocks become jumps between statements. */
#include "flow.h"

static struct cm_fortran_expression *check_condition(struct cm_check *check,
                                                     const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *condition = cm_check_expression(check, tree);
    if (!condition)
        return NULL;
    if (condition->rank > 0) {
        cm_check_fail(check, tree->place, "a condition is a scalar, not an array of rank %u",
                      condition->rank);
        cm_messages_hint(check->messages, "ANY(mask) and ALL(mask) make one value of an array; "
                                          "WHERE works on elements");
        return NULL;
    }
    if (condition->type != CM_TYPE_LOGICAL)
        return cm_check_fail(check, tree->place, "a condition is LOGICAL, not %s",
                             cm_fortran_type_text(condition->type));
    return condition;
}

void cm_check_each_statement(struct cm_check *check, const struct cm_syntax_block *block,
                             cm_check_visit visit)
{
    for (const struct cm_syntax_statement *tree = block->first; tree; tree = tree->next) {
        visit(check, tree);
        if (tree->kind == CM_STATEMENT_DO)
            cm_check_each_statement(check, &tree->loop.block, visit);
        if (tree->kind == CM_STATEMENT_IF)
            for (const struct cm_syntax_branch *at = tree->branch; at; at = at->next)
                cm_check_each_statement(check, &at->block, visit);
        if (tree->kind == CM_STATEMENT_SELECT)
            for (const struct cm_syntax_case *at = tree->select.cases; at; at = at->next)
                cm_check_each_statement(check, &at->block, visit);
    }
}

static void check_inner(struct cm_check *check, const struct cm_syntax_block *block)
{
    uint32_t outer = cm_check_block_begin(check);
    cm_check_block(check, block);
    cm_check_block_end(check, outer);
}

void cm_check_if(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    uint32_t end = cm_check_target_new(check);
    for (const struct cm_syntax_branch *branch = tree->branch; branch; branch = branch->next) {
        uint32_t next = cm_check_target_new(check);
        if (branch->condition)
            cm_check_emit_unless(check, check_condition(check, branch->condition), next,
                                 branch->place);
        check_inner(check, &branch->block);
        if (branch->next)
            cm_check_emit_jump(check, end, branch->place);
        cm_check_target_here(check, next);
    }
    cm_check_label_here(check, tree->end_label, tree->end);
    cm_check_target_here(check, end);
}

static struct cm_fortran_expression *case_value(struct cm_check *check, uint8_t type,
                                                const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *value =
        cm_check_scalar(check, tree, type, "a value of this CASE");
    if (value && value->kind != CM_FORTRAN_CONSTANT && value->kind != CM_FORTRAN_TEXT)
        return cm_check_fail(check, tree->place, "a value of a CASE is constant");
    return value;
}

static void add_range(struct cm_check *check, struct cm_check_ranges *ranges,
                      const struct cm_fortran_expression *low,
                      const struct cm_fortran_expression *high, struct cm_source_place place)
{
    struct cm_check_range *more =
        cm_check_grow(check, ranges->items, ranges->count, sizeof *ranges->items);
    if (!more)
        return;
    ranges->items = more;
    ranges->items[ranges->count++] = (struct cm_check_range){low, high, place};
}

/* Makes the condition of a value of a CASE: selector == value, or low <= selector .AND. selector <=
 * high for a range. */
static struct cm_fortran_expression *case_condition(struct cm_check *check,
                                                    struct cm_fortran_variable *selector,
                                                    const struct cm_syntax_expression *tree,
                                                    struct cm_check_ranges *ranges)
{
    struct cm_fortran_expression *left = cm_check_variable_reference(check, selector, tree->place);
    if (tree->kind != CM_EXPRESSION_RANGE) {
        bool logical = selector->type == CM_TYPE_LOGICAL;
        struct cm_fortran_expression *value = case_value(check, selector->type, tree);
        if (value)
            add_range(check, ranges, value, value, tree->place);
        return value ? cm_check_operation(check, logical ? CM_FORTRAN_EQV : CM_FORTRAN_EQ, left,
                                          value, tree->place)
                     : NULL;
    }
    struct cm_fortran_expression *both[2] = {NULL, NULL}, *limits[2] = {NULL, NULL};
    const struct cm_syntax_expression *ends[2] = {tree->range.lower, tree->range.upper};
    for (uint32_t i = 0; i < 2; i++) {
        if (!ends[i])
            continue;
        struct cm_fortran_expression *end = case_value(check, selector->type, ends[i]);
        limits[i] = end;
        both[i] = end ? cm_check_operation(check, i == 0 ? CM_FORTRAN_GE : CM_FORTRAN_LE, left, end,
                                           tree->place)
                      : NULL;
        if (!both[i])
            return NULL;
    }
    if (both[0] || both[1])
        add_range(check, ranges, limits[0], limits[1], tree->place);
    if (both[0] && both[1])
        return cm_check_operation(check, CM_FORTRAN_AND, both[0], both[1], tree->place);
    if (!both[0] && !both[1])
        return cm_check_fail(check, tree->place, "a range of a CASE has a bound");
    return both[0] ? both[0] : both[1];
}

static void check_case(struct cm_check *check, struct cm_fortran_variable *selector,
                       const struct cm_syntax_case *tree, uint32_t end,
                       struct cm_check_ranges *ranges)
{
    struct cm_fortran_expression *condition = NULL;
    for (const struct cm_syntax_argument *value = tree->values.first; value; value = value->next) {
        struct cm_fortran_expression *one = case_condition(check, selector, value->value, ranges);
        condition = condition && one
                        ? cm_check_operation(check, CM_FORTRAN_OR, condition, one, tree->place)
                        : one;
    }
    uint32_t next = cm_check_target_new(check);
    cm_check_emit_unless(check, condition, next, tree->place);
    check_inner(check, &tree->block);
    cm_check_emit_jump(check, end, tree->place);
    cm_check_target_here(check, next);
}

static struct cm_fortran_variable *check_selector(struct cm_check *check,
                                                  const struct cm_syntax_statement *tree)
{
    struct cm_fortran_expression *value = cm_check_expression(check, tree->select.value);
    if (!value)
        return NULL;
    if (value->rank > 0 || (value->type != CM_TYPE_INT32 && value->type != CM_TYPE_LOGICAL &&
                            value->type != CM_FORTRAN_CHARACTER))
        return cm_check_fail(check, value->place,
                             "the value of SELECT CASE is an INTEGER, LOGICAL or CHARACTER scalar");
    struct cm_fortran_variable *selector = cm_check_hidden(check, "case", value->type, tree->place);
    if (selector)
        selector->length = -1;
    if (selector)
        cm_check_emit_assign(check, cm_check_variable_reference(check, selector, tree->place),
                             value, tree->place);
    return selector;
}

void cm_check_select(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_fortran_variable *selector = check_selector(check, tree);
    const struct cm_syntax_case *otherwise = NULL;
    struct cm_check_ranges ranges = {0};
    uint32_t end = cm_check_target_new(check);
    if (!selector) /* The blocks are checked even if the selector has a fault. */
        for (const struct cm_syntax_case *at = tree->select.cases; at; at = at->next)
            check_inner(check, &at->block);
    if (!selector)
        return;
    for (const struct cm_syntax_case *at = tree->select.cases; at; at = at->next) {
        if (!at->is_default)
            check_case(check, selector, at, end, &ranges);
        else if (otherwise)
            cm_check_fail(check, at->place, "there are two CASE DEFAULT");
        else
            otherwise = at;
    }
    cm_check_ranges(check, &ranges);
    if (otherwise)
        check_inner(check, &otherwise->block);
    cm_check_label_here(check, tree->end_label, tree->end);
    cm_check_target_here(check, end);
}

static struct cm_fortran_variable *loop_variable(struct cm_check *check,
                                                 const struct cm_syntax_statement *tree)
{
    const char *name = tree->loop.variable;
    struct cm_source_place place = tree->loop.variable_place;
    struct cm_symbol *symbol = cm_symbol_of(check, name, place);
    struct cm_fortran_variable *variable = symbol ? cm_symbol_variable(check, symbol, place) : NULL;
    if (!variable)
        return NULL;
    if (variable->rank > 0 || !cm_type_is_number(variable->type) ||
        cm_type_is_complex(variable->type))
        return cm_check_fail(check, place, "the variable of a DO is an INTEGER or REAL scalar");
    if (symbol->intent == CM_ATTRIBUTE_IN || symbol->kind == CM_SYMBOL_CONSTANT)
        return cm_check_fail(check, place, "\"%s\" cannot be changed by a DO", name);
    for (const struct cm_check_loop *loop = check->flow->loops; loop; loop = loop->outer)
        if (loop->variable == variable)
            return cm_check_fail(check, place, "\"%s\" is the variable of a DO around this", name);
    return variable;
}

/* Appends the statement of a DO loop with an index. Returns false after a fault. */
static bool begin_counted(struct cm_check *check, const struct cm_syntax_statement *tree,
                          struct cm_check_loop *loop, uint32_t *slot)
{
    struct cm_fortran_variable *variable = loop_variable(check, tree);
    struct cm_fortran_expression bounds = {0};
    if (!cm_check_args(check, &bounds, 3))
        return false;
    uint8_t type = variable ? variable->type : CM_TYPE_INT32;
    bool good = cm_check_loop_bounds(check, &bounds, tree->loop.first, tree->loop.last,
                                     tree->loop.step, type);
    loop->variable = variable;
    struct cm_fortran_statement *statement = cm_check_emit(check, CM_FORTRAN_DO, tree->place);
    if (!statement || !variable || !good)
        return false;
    statement->args = cm_check_take(check, sizeof(void *) * 4);
    if (!statement->args)
        return false;
    statement->count = 4;
    statement->args[0] = cm_check_variable_reference(check, variable, tree->loop.variable_place);
    for (uint32_t i = 0; i < 3; i++)
        statement->args[i + 1] = bounds.args[i];
    *slot = statement->slot = check->scope->unit->loops++;
    statement->to = loop->exit;
    return true;
}

static void end_loop(struct cm_check *check, const struct cm_syntax_statement *tree, uint32_t top,
                     uint32_t slot)
{
    bool counted = tree->loop.kind == CM_LOOP_COUNTED;
    struct cm_fortran_statement *statement =
        cm_check_emit(check, counted ? CM_FORTRAN_DO_NEXT : CM_FORTRAN_JUMP, tree->end);
    if (!statement)
        return;
    statement->to = top;
    statement->slot = slot;
}

void cm_check_do(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_check_flow *flow = check->flow;
    struct cm_check_loop loop = {.outer = flow->loops, .name = tree->construct};
    uint32_t top = cm_check_target_new(check), slot = 0;
    loop.cycle = cm_check_target_new(check);
    loop.exit = cm_check_target_new(check);
    if (tree->loop.kind == CM_LOOP_COUNTED)
        (void)begin_counted(check, tree, &loop, &slot);
    cm_check_target_here(check, top);
    if (tree->loop.kind == CM_LOOP_WHILE)
        cm_check_emit_unless(check, check_condition(check, tree->loop.condition), loop.exit,
                             tree->place);
    flow->loops = &loop;
    uint32_t outer = cm_check_block_begin(check);
    cm_check_block(check, &tree->loop.block);
    cm_check_label_here(check, tree->end_label, tree->end);
    cm_check_block_end(check, outer);
    flow->loops = loop.outer;
    cm_check_target_here(check, loop.cycle);
    end_loop(check, tree, top, slot);
    cm_check_target_here(check, loop.exit);
}

void cm_check_leave(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    bool cycles = tree->kind == CM_STATEMENT_CYCLE;
    const struct cm_check_loop *loop = check->flow->loops;
    while (loop && tree->construct && loop->name != tree->construct)
        loop = loop->outer;
    if (loop)
        cm_check_emit_jump(check, cycles ? loop->cycle : loop->exit, tree->place);
    else if (tree->construct)
        cm_check_fail(check, tree->place, "no DO around this has the name \"%s\"", tree->construct);
    else
        cm_check_fail(check, tree->place, "%s is not in a DO", cycles ? "CYCLE" : "EXIT");
}
