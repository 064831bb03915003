/* Checks WHERE, which assigns under masks, and FORALL, which assigns elements by indices. */
#include "flow.h"

static struct cm_fortran_expression *check_mask(struct cm_check *check,
                                                const struct cm_syntax_expression *tree)
{
    struct cm_fortran_expression *mask = cm_check_expression(check, tree);
    if (!mask)
        return NULL;
    if (mask->rank == 0 || mask->type != CM_TYPE_LOGICAL) {
        cm_check_fail(check, tree->place, "the mask of a WHERE is a LOGICAL array");
        if (mask->rank == 0)
            cm_messages_hint(check->messages, "IF takes a scalar");
        return NULL;
    }
    if (check->flow->mask &&
        !cm_check_conform(check, check->flow->mask, mask, tree->place, "the masks of WHERE"))
        return NULL;
    return mask;
}

static void check_masked(struct cm_check *check, const struct cm_syntax_block *block)
{
    for (const struct cm_syntax_statement *tree = block->first; tree; tree = tree->next) {
        check->formula_nodes = 0;
        cm_check_label_here(check, tree->label, tree->place);
        if (tree->kind == CM_STATEMENT_ASSIGNMENT)
            cm_check_assignment(check, tree);
        else if (tree->kind == CM_STATEMENT_WHERE)
            cm_check_where(check, tree);
        else
            cm_check_fail(check, tree->place, "only assignments and WHERE can be in a WHERE");
    }
}

void cm_check_where(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_check_flow *flow = check->flow;
    const struct cm_fortran_expression *outer = flow->mask;
    uint32_t block = cm_check_block_begin(check);
    for (const struct cm_syntax_branch *branch = tree->branch; branch; branch = branch->next) {
        struct cm_fortran_expression *mask =
            branch->condition ? check_mask(check, branch->condition) : NULL;
        bool is_first = branch == tree->branch;
        struct cm_fortran_statement *statement =
            cm_check_emit(check, is_first ? CM_FORTRAN_WHERE : CM_FORTRAN_ELSEWHERE, branch->place);
        if (statement)
            statement->value = mask;
        if (mask && is_first)
            flow->mask = mask;
        check_masked(check, &branch->block);
    }
    cm_check_block_end(check, block);
    flow->mask = outer;
    (void)cm_check_emit(check, CM_FORTRAN_END_WHERE, tree->end);
}

static struct cm_fortran_expression *check_triplet(struct cm_check *check,
                                                   const struct cm_syntax_index *tree)
{
    const struct cm_syntax_expression *parts[3] = {tree->first, tree->last, tree->step};
    struct cm_fortran_expression *triplet =
        cm_check_new(check, CM_FORTRAN_TRIPLET, CM_TYPE_INT32, 1, tree->place);
    if (!triplet || !cm_check_args(check, triplet, 3))
        return NULL;
    for (uint32_t i = 0; i < 3; i++) {
        if (!parts[i])
            continue;
        triplet->args[i] =
            cm_check_scalar(check, parts[i], CM_TYPE_INT32, "a bound of a FORALL index");
        if (!triplet->args[i])
            return NULL;
    }
    int32_t step;
    if (cm_constant_is_int(triplet->args[2], &step) && step == 0)
        return cm_check_fail(check, tree->place, "the step of a FORALL index cannot be 0");
    return triplet;
}

/* Checks the indices of a FORALL. Their names get meanings after the bounds of all indices are
 * checked, because no bound may use an index. */
static bool check_indices(struct cm_check *check, const struct cm_syntax_index *tree,
                          struct cm_fortran_forall *forall, struct cm_meaning meanings[CM_RANK_MAX])
{
    bool good = true;
    for (; tree; tree = tree->next) {
        uint32_t at = forall->indices;
        if (at == CM_RANK_MAX) {
            cm_check_fail(check, tree->place, "FORALL has more than %u indices", CM_RANK_MAX);
            return false;
        }
        for (uint32_t i = 0; i < at; i++)
            if (meanings[i].name == tree->name)
                cm_check_fail(check, tree->place, "the index \"%s\" is given twice", tree->name);
        forall->triplets[at] = check_triplet(check, tree);
        struct cm_fortran_expression *index =
            cm_check_new(check, CM_FORTRAN_INDEX, CM_TYPE_INT32, 0, tree->place);
        if (index)
            index->number = at;
        meanings[at] = (struct cm_meaning){.name = tree->name, .value = index};
        good = good && forall->triplets[at] && index;
        forall->indices++;
    }
    return good;
}

static bool add_assignment(struct cm_check *check, struct cm_fortran_forall *forall,
                           const struct cm_syntax_statement *tree)
{
    uint32_t at = forall->assignments;
    if (tree->kind != CM_STATEMENT_ASSIGNMENT) {
        cm_check_fail(check, tree->place, "only assignments can be in a FORALL");
        return false;
    }
    check->formula_nodes = 0;
    struct cm_fortran_expression **targets =
        cm_check_grow(check, forall->targets, at, sizeof(void *));
    struct cm_fortran_expression **values =
        cm_check_grow(check, forall->values, at, sizeof(void *));
    if (!targets || !values)
        return false;
    forall->targets = targets;
    forall->values = values;
    if (!cm_check_assign(check, tree, &targets[at], &values[at]))
        return false;
    if (targets[at]->kind == CM_FORTRAN_VARIABLE) {
        cm_check_fail(check, tree->place, "FORALL assigns to elements, not to \"%s\" as a whole",
                      targets[at]->variable->name);
        return false;
    }
    forall->assignments++;
    return true;
}

static void check_forall_mask(struct cm_check *check, struct cm_fortran_forall *forall,
                              const struct cm_syntax_expression *tree)
{
    if (tree)
        forall->mask = cm_check_scalar(check, tree, CM_TYPE_LOGICAL, "the mask of a FORALL");
}

void cm_check_forall(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_meaning meanings[CM_RANK_MAX] = {{NULL, NULL, NULL, 0}};
    struct cm_meaning *outer = check->meanings;
    struct cm_fortran_forall *forall = cm_check_take(check, sizeof *forall);
    if (!forall)
        return;
    bool good = check_indices(check, tree->forall.indices, forall, meanings);
    for (uint32_t i = 0; i < forall->indices; i++)
        cm_check_push(check, &meanings[i]);
    check->is_forall = true;
    check_forall_mask(check, forall, tree->forall.mask);
    for (const struct cm_syntax_statement *statement = tree->forall.block.first; statement;
         statement = statement->next)
        good = add_assignment(check, forall, statement) && good;
    check->is_forall = false;
    check->meanings = outer;
    struct cm_fortran_statement *statement = cm_check_emit(check, CM_FORTRAN_FORALL, tree->place);
    if (statement && good)
        statement->forall = forall;
}
