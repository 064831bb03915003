/* Tables in expressions: elements that are read or assigned at an index which each place of an
 * array computes for itself. */
#include "expression_private.h"

#include <inttypes.h>

/* Checks a table and its index. Returns false, and sets the error of the expression, if they don't
 * fit. */
static bool check(struct cm_expression *expression, const struct cm_expression_table *table,
                  uint32_t index)
{
    const uint64_t words = (uint64_t)table->count * table->stride * cm_type_slices(table->type);
    if (cm_expression_array(expression, table->number, table->type) == 0)
        return false;
    if (expression->arrays[table->number].assigned)
        return cm_expression_refuse(expression, "split the statement",
                                    "array %" PRIu32 " is assigned to before it is a table",
                                    table->number) != 0;
    if (table->count == 0 || table->stride == 0 || words > INT32_MAX)
        return cm_expression_refuse(expression, "a table has 1 to 2^31 - 1 words in a node",
                                    "a table of %" PRIu32 " elements, %" PRIu32 " apart",
                                    table->count, table->stride) != 0;
    if (cm_expression_type(expression, index) != CM_TYPE_INT32 && index != 0)
        return cm_expression_refuse(expression, "convert it",
                                    "the index of a table is not int32") != 0;
    return index != 0 && !expression->failed;
}

uint32_t cm_expression_lookup(struct cm_expression *expression,
                              const struct cm_expression_table *table, uint32_t index)
{
    if (!check(expression, table, index))
        return 0;
    return cm_expression_intern(expression,
                                &(struct cm_node){.op = CM_NODE_LOOKUP,
                                                  .type = table->type,
                                                  .operands = {table->number, index},
                                                  .value = {{table->count, table->stride}}});
}

void cm_expression_assign_at(struct cm_expression *expression,
                             const struct cm_expression_table *table, uint32_t index,
                             uint32_t value, uint32_t mask)
{
    if (value == 0 || !check(expression, table, index))
        return;
    if (cm_expression_type(expression, value) != table->type) {
        cm_expression_refuse(expression, "convert it", "a table of %s is assigned %s",
                             cm_type_name(table->type),
                             cm_type_name(cm_expression_type(expression, value)));
        return;
    }
    if (!cm_list_push(&expression->places,
                      ((struct cm_expression_place){*table, index, value, mask}))) {
        cm_expression_out_of_memory(expression);
        return;
    }
    expression->arrays[table->number].assigned = true;
    expression->arrays[table->number].scattered = true;
}
