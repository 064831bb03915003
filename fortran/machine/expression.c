/*
 * Lowers expressions to the graph that programs/elementwise compiles to an IMP.
 *
 * Each function adds nodes for one kind of expression. Every array argument of the graph has the
 * placement of the lowering's model. An operand with another placement is first copied to a
 * temporary, and an expression that the graph cannot express is evaluated in the front end.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

enum cm_status cm_fortran_lower_array(struct cm_fortran_lowering *lowering, struct cm_array *array,
                                      uint32_t *node, uint32_t *number)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < lowering->replaced_count; k++)
        array = array == lowering->replaced[k] ? lowering->replacing[k] : array;
    while (i < lowering->array_count &&
           (!cm_fortran_is_same_array(lowering->arrays[i], array) ||
            (lowering->references != NULL && lowering->references[i].src)))
        i++;
    if (i == CM_EXPRESSION_ARRAYS_MAX)
        return cm_fortran_fail(lowering->run, lowering->run->statement->place,
                               "the statement uses more than %u arrays; split it",
                               CM_EXPRESSION_ARRAYS_MAX);
    if (i == lowering->array_count)
        lowering->arrays[lowering->array_count++] = array;
    *number = i;
    *node = cm_expression_array(lowering->graph, i, array->layout.type);
    return CM_OK;
}

enum cm_status cm_fortran_lower_temporary(struct cm_fortran_lowering *lowering, enum cm_type type,
                                          struct cm_fortran_array **array)
{
    *array = NULL;
    if (lowering->temporary_count == CM_EXPRESSION_ARRAYS_MAX)
        return cm_fortran_fail(lowering->run, lowering->run->statement->place,
                               "the statement needs more than %u temporary arrays; split it",
                               CM_EXPRESSION_ARRAYS_MAX);
    enum cm_status status =
        cm_fortran_array_like(lowering->run, lowering->model->array, type, array);
    if (status == CM_OK)
        lowering->temporaries[lowering->temporary_count++] = *array;
    return status;
}

enum cm_status cm_fortran_lower_values(struct cm_fortran_lowering *lowering,
                                       const struct cm_fortran_array *values, uint32_t *node)
{
    const struct cm_fortran_section *model = lowering->model;
    size_t bytes = cm_type_host_bytes(values->type);
    struct cm_fortran_array *array;
    uint32_t number;
    struct cm_fortran_array shape = {.rank = model->rank};
    memcpy(shape.extent, model->extent, sizeof(shape.extent));
    enum cm_status status =
        cm_fortran_conform(lowering->run, lowering->run->statement->place, &shape, values);
    if (status == CM_OK)
        status = cm_fortran_lower_temporary(lowering, values->type, &array);
    if (status != CM_OK)
        return status;
    char *elements = calloc((size_t)model->array->elements, bytes);
    if (elements == NULL)
        return cm_fortran_no_memory(lowering->run);
    for (uint64_t e = 0; e < model->elements; e++)
        memcpy(elements + cm_fortran_section_index(model, e) * bytes,
               (const char *)values->host + e * bytes, bytes);
    status = cm_fortran_array_replace(lowering->run, array, elements, model->elements);
    free(elements);
    return status == CM_OK ? cm_fortran_lower_array(lowering, array->machine, node, &number)
                           : status;
}

/* Adds a graph node that is true for the indices of a range: they are between its ends, and a
 * multiple of the stride away from its first index. */
static uint32_t lower_range(struct cm_expression *graph, uint32_t axis,
                            const struct cm_fortran_range *range)
{
    int64_t last = range->first + (int64_t)(range->count - 1) * range->stride;
    int64_t low = range->first < last ? range->first : last;
    int64_t high = range->first < last ? last : range->first;
    uint32_t index = cm_expression_index(graph, axis);
    uint32_t from = cm_expression_number(graph, CM_TYPE_INT32, (double)(low + 1));
    uint32_t to = cm_expression_number(graph, CM_TYPE_INT32, (double)(high + 1));
    if (low == high)
        return cm_expression_node(graph, CM_EXPRESSION_EQUAL, index, from, 0);
    uint32_t node =
        cm_expression_node(graph, CM_EXPRESSION_AND,
                           cm_expression_node(graph, CM_EXPRESSION_GREATER_EQUAL, index, from, 0),
                           cm_expression_node(graph, CM_EXPRESSION_LESS_EQUAL, index, to, 0), 0);
    if (llabs(range->stride) == 1)
        return node;
    uint32_t step = cm_expression_number(graph, CM_TYPE_INT32, (double)llabs(range->stride));
    uint32_t rest = cm_expression_node(
        graph, CM_EXPRESSION_MOD, cm_expression_node(graph, CM_EXPRESSION_SUBTRACT, index, from, 0),
        step, 0);
    uint32_t zero = cm_expression_number(graph, CM_TYPE_INT32, 0);
    return cm_expression_node(graph, CM_EXPRESSION_AND, node,
                              cm_expression_node(graph, CM_EXPRESSION_EQUAL, rest, zero, 0), 0);
}

uint32_t cm_fortran_lower_section(struct cm_fortran_lowering *lowering)
{
    const struct cm_fortran_section *model = lowering->model;
    uint32_t node = 0;
    for (uint32_t i = 0; i < model->array->rank; i++) {
        const struct cm_fortran_range *range = &model->ranges[i];
        if (range->count == model->array->extent[i])
            continue;
        uint32_t more = lower_range(lowering->graph, i, range);
        node = node == 0 ? more
                         : cm_expression_node(lowering->graph, CM_EXPRESSION_AND, node, more, 0);
    }
    return node;
}

static struct cm_scalar bits_of(enum cm_type type, const union cm_fortran_value *value)
{
    struct cm_scalar scalar = {{0}};
    if (type == CM_TYPE_LOGICAL)
        scalar.words[0] = value->logical != 0;
    else
        memcpy(scalar.words, value, cm_type_host_bytes(type));
    return scalar;
}

/* Adds a graph node for an expression of rank 0. A constant is compiled into the IMP, and any other
 * scalar is an argument of the IMP. */
static enum cm_status lower_scalar(struct cm_fortran_lowering *lowering,
                                   const struct cm_fortran_expression *expression, uint32_t *node)
{
    enum cm_type type = (enum cm_type)expression->type;
    union cm_fortran_value value;
    if (expression->kind == CM_FORTRAN_CONSTANT) {
        *node = cm_expression_constant(lowering->graph, type, bits_of(type, &expression->value));
        return CM_OK;
    }
    if (lowering->scalar_count == CM_EXPRESSION_SCALARS_MAX)
        return cm_fortran_fail(lowering->run, expression->place,
                               "the statement uses more than %u scalars; split it",
                               CM_EXPRESSION_SCALARS_MAX);
    enum cm_status status = cm_fortran_scalar(lowering->run, expression, &value);
    if (status == CM_OK) {
        lowering->scalars[lowering->scalar_count] = bits_of(type, &value);
        *node = cm_expression_scalar(lowering->graph, lowering->scalar_count++, type);
    }
    return status;
}

/* Returns the graph's operation for a Fortran operator. Every operator for arrays has one. */
static enum cm_expression_op operator_of(enum cm_fortran_op op)
{
    static const enum cm_expression_op ops[] = {
        [CM_FORTRAN_ADD] = CM_EXPRESSION_ADD,
        [CM_FORTRAN_SUBTRACT] = CM_EXPRESSION_SUBTRACT,
        [CM_FORTRAN_MULTIPLY] = CM_EXPRESSION_MULTIPLY,
        [CM_FORTRAN_DIVIDE] = CM_EXPRESSION_DIVIDE,
        [CM_FORTRAN_POWER] = CM_EXPRESSION_POWER,
        [CM_FORTRAN_NEGATE] = CM_EXPRESSION_NEGATE,
        [CM_FORTRAN_EQ] = CM_EXPRESSION_EQUAL,
        [CM_FORTRAN_NE] = CM_EXPRESSION_NOT_EQUAL,
        [CM_FORTRAN_LT] = CM_EXPRESSION_LESS,
        [CM_FORTRAN_LE] = CM_EXPRESSION_LESS_EQUAL,
        [CM_FORTRAN_GT] = CM_EXPRESSION_GREATER,
        [CM_FORTRAN_GE] = CM_EXPRESSION_GREATER_EQUAL,
        [CM_FORTRAN_NOT] = CM_EXPRESSION_NOT,
        [CM_FORTRAN_AND] = CM_EXPRESSION_AND,
        [CM_FORTRAN_OR] = CM_EXPRESSION_OR,
        [CM_FORTRAN_EQV] = CM_EXPRESSION_EQV,
        [CM_FORTRAN_NEQV] = CM_EXPRESSION_NEQV,
    };
    return ops[op];
}

/* Returns the graph's operation for an elemental function with arguments of a type, or
 * CM_EXPRESSION_OP_COUNT if the machine cannot compute it. */
static enum cm_expression_op function_of(enum cm_fortran_intrinsic intrinsic, enum cm_type type)
{
    static const struct {
        enum cm_expression_op op;
        uint32_t types;
    } rows[CM_FORTRAN_INTRINSICS] = {
#define CM_INTRINSIC(symbol, name, class, arguments, summary)
#define CM_ELEMENTAL(symbol, name, arguments, takes, folds, result, lowers, op, summary)           \
    [CM_FORTRAN_##symbol] = {CM_EXPRESSION_##op, CM_TYPES_##lowers},
#include "../check/intrinsics.def"
#undef CM_INTRINSIC
    };
    bool lowers = (rows[intrinsic].types & cm_fortran_types_of((uint8_t)type)) != 0;
    return lowers ? rows[intrinsic].op : CM_EXPRESSION_OP_COUNT;
}

/* Fails, before the statement changes anything, if the divisor is 0 in an element whose quotient is
 * used. A scalar divisor is the scalar argument that was added last. */
static enum cm_status check_divisor(const struct cm_fortran_lowering *lowering,
                                    const struct cm_fortran_expression *expression)
{
    const struct cm_fortran_expression *divisor = expression->args[1];
    const struct cm_fortran_section *model = lowering->model;
    struct cm_fortran_array shape = {.rank = model->rank, .elements = model->elements};
    int32_t value = divisor->value.integer;
    struct cm_fortran_array scalar = {.type = CM_TYPE_INT32, .elements = 1, .host = &value};
    if (divisor->rank > 0)
        return cm_fortran_check_divisor(lowering->run, expression);
    memcpy(shape.extent, model->extent, sizeof(shape.extent));
    if (divisor->kind != CM_FORTRAN_CONSTANT)
        memcpy(&value, lowering->scalars[lowering->scalar_count - 1].words, sizeof(value));
    return cm_fortran_check_quotient(lowering->run, expression, &shape, &scalar);
}

static enum cm_status lower_arguments(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_expression *expression,
                                      uint32_t *nodes, uint32_t count)
{
    enum cm_status status = CM_OK;
    for (uint32_t i = 0; i < count && status == CM_OK; i++) {
        struct cm_fortran_selection selection;
        status = cm_fortran_selection_begin(lowering->run, expression, i, &selection);
        if (status == CM_OK)
            status = cm_fortran_lower(lowering, expression->args[i], &nodes[i]);
        cm_fortran_selection_end(lowering->run, &selection);
    }
    if (status == CM_OK && cm_fortran_divides(expression))
        status = check_divisor(lowering, expression);
    return status;
}

/* Adds the graph nodes of CMPLX. Real arguments are converted to the type of the result's parts,
 * and joined. A complex argument is converted to the result's type. */
static enum cm_status lower_cmplx(struct cm_fortran_lowering *lowering,
                                  const struct cm_fortran_expression *call, uint32_t *node)
{
    struct cm_expression *graph = lowering->graph;
    enum cm_type type = (enum cm_type)call->type, from = (enum cm_type)call->args[0]->type;
    enum cm_type part = type == CM_TYPE_COMPLEX64 ? CM_TYPE_REAL32 : CM_TYPE_REAL64;
    bool is_complex = from == CM_TYPE_COMPLEX64 || from == CM_TYPE_COMPLEX128;
    uint32_t nodes[2], count = call->count > 1 && call->args[1] != NULL ? 2 : 1;
    enum cm_status status = lower_arguments(lowering, call, nodes, count);
    if (status != CM_OK)
        return status;
    if (is_complex) {
        *node = cm_expression_convert(graph, nodes[0], type);
        return CM_OK;
    }
    uint32_t re = cm_expression_convert(graph, nodes[0], part);
    uint32_t im = count > 1 ? cm_expression_convert(graph, nodes[1], part)
                            : cm_expression_number(graph, part, 0);
    *node = cm_expression_node(graph, CM_EXPRESSION_CMPLX, re, im, 0);
    return CM_OK;
}

/* Adds the graph nodes of an elemental function. MIN and MAX of several arguments become a chain of
 * operations on two operands. The arguments of MERGE are in the order of the graph: two sources,
 * then the mask. */
static enum cm_status lower_function(struct cm_fortran_lowering *lowering,
                                     const struct cm_fortran_expression *call,
                                     enum cm_expression_op op, uint32_t *node)
{
    uint32_t nodes[3] = {0}, count = call->count;
    bool folds = op == CM_EXPRESSION_MIN || op == CM_EXPRESSION_MAX;
    while (count > 0 && call->args[count - 1] == NULL)
        count--;
    enum cm_status status = lower_arguments(lowering, call, nodes, folds && count > 2 ? 2 : count);
    if (status != CM_OK)
        return status;
    *node = cm_expression_node(lowering->graph, op, nodes[0], nodes[1], nodes[2]);
    for (uint32_t i = 2; folds && i < count && status == CM_OK; i++) {
        status = cm_fortran_lower(lowering, call->args[i], &nodes[1]);
        if (status == CM_OK)
            *node = cm_expression_node(lowering->graph, op, *node, nodes[1], 0);
    }
    return status;
}

/* Evaluates an expression in the front end, writes its value to a temporary array on the machine,
 * and adds a graph node for this array. */
static enum cm_status lower_in_front_end(struct cm_fortran_lowering *lowering,
                                         const struct cm_fortran_expression *expression,
                                         uint32_t *node)
{
    struct cm_fortran_array *value;
    enum cm_status status = cm_fortran_host_value(lowering->run, expression, &value);
    if (status == CM_OK)
        status = cm_fortran_lower_values(lowering, value, node);
    cm_fortran_array_destroy(lowering->run, value);
    return status;
}

enum cm_status cm_fortran_lower_moved(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_section *from, bool *done,
                                      uint32_t *node)
{
    /* the copy shares no memory with the model, because a model has no vectors of subscripts */
    struct cm_fortran_section to = *lowering->model;
    struct cm_fortran_array shape = {.rank = to.rank}, other = {.rank = from->rank};
    uint32_t number;
    *done = false;
    if (!cm_fortran_on_machine(from->array))
        return CM_OK;
    memcpy(shape.extent, to.extent, sizeof(shape.extent));
    memcpy(other.extent, from->extent, sizeof(other.extent));
    enum cm_status status =
        cm_fortran_conform(lowering->run, lowering->run->statement->place, &shape, &other);
    if (status == CM_OK)
        status = cm_fortran_lower_temporary(lowering, from->array->type, &to.array);
    if (status == CM_OK)
        status = cm_fortran_move(lowering->run, from, &to, done);
    return status == CM_OK && *done
               ? cm_fortran_lower_array(lowering, to.array->machine, node, &number)
               : status;
}

enum cm_status cm_fortran_lower_value(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_array *value, uint32_t *node)
{
    struct cm_fortran_section from;
    struct cm_fortran_array view = *value, *copy = NULL;
    uint32_t number;
    bool done = false;
    enum cm_status status = CM_OK;
    if (lowering->whole && cm_fortran_same_placement(value, lowering->model->array))
        return cm_fortran_lower_array(lowering, value->machine, node, &number);
    if (cm_fortran_on_machine(value)) {
        cm_fortran_section_of_all(&view, &from);
        status = cm_fortran_lower_moved(lowering, &from, &done, node);
        if (status != CM_OK || done)
            return status;
        status = cm_fortran_array_copy(lowering->run, value, value->elements, &copy);
    }
    if (status == CM_OK)
        status = cm_fortran_lower_values(lowering, copy != NULL ? copy : value, node);
    cm_fortran_array_destroy(lowering->run, copy);
    return status;
}

static enum cm_status lower_transform(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_expression *call, uint32_t *node)
{
    struct cm_fortran_array *value;
    if (lowering->temporary_count == CM_EXPRESSION_ARRAYS_MAX)
        return cm_fortran_fail(lowering->run, call->place,
                               "the statement needs more than %u temporary arrays; split it",
                               CM_EXPRESSION_ARRAYS_MAX);
    enum cm_status status =
        cm_fortran_machine_transform(lowering->run, call, lowering->model, &value);
    if (status != CM_OK)
        return status;
    if (value == NULL)
        return lower_in_front_end(lowering, call, node);
    lowering->temporaries[lowering->temporary_count++] = value;
    return cm_fortran_lower_value(lowering, value, node);
}

static enum cm_status lower_intrinsic(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_expression *call, uint32_t *node)
{
    enum cm_type type = (enum cm_type)call->args[0]->type;
    bool done = false;
    enum cm_status status = CM_OK;
    if (call->intrinsic == CM_FORTRAN_CSHIFT || call->intrinsic == CM_FORTRAN_EOSHIFT) {
        struct cm_fortran_selection selection;
        status = cm_fortran_selection_begin(lowering->run, call, 0, &selection);
        if (status == CM_OK)
            status = cm_fortran_lower_shift(lowering, call, &done, node);
        cm_fortran_selection_end(lowering->run, &selection);
        return status != CM_OK || done ? status : lower_in_front_end(lowering, call, node);
    }
    if (cm_fortran_intrinsic_class(call->intrinsic) != CM_FORTRAN_CLASS_ELEMENTAL)
        return lower_transform(lowering, call, node);
    if (call->intrinsic == CM_FORTRAN_CMPLX)
        return lower_cmplx(lowering, call, node);
    if (call->intrinsic == CM_FORTRAN_REAL) {
        status = cm_fortran_lower(lowering, call->args[0], node);
        *node = cm_expression_convert(lowering->graph, *node, (enum cm_type)call->type);
        return status;
    }
    enum cm_expression_op op = function_of(call->intrinsic, type);
    return op != CM_EXPRESSION_OP_COUNT ? lower_function(lowering, call, op, node)
                                        : lower_in_front_end(lowering, call, node);
}

/* Returns true for a complex number raised to a power that is not an integer. The machine has no
 * routine for this operation. */
static bool is_complex_power(const struct cm_fortran_expression *expression)
{
    uint8_t type = expression->args[0]->type;
    return expression->op == CM_FORTRAN_POWER &&
           (type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128) &&
           expression->args[1]->type != CM_TYPE_INT32;
}

bool cm_fortran_graph_has(const struct cm_fortran_expression *expression)
{
    if (expression->kind == CM_FORTRAN_OPERATION)
        return !is_complex_power(expression);
    return expression->intrinsic == CM_FORTRAN_CMPLX || expression->intrinsic == CM_FORTRAN_REAL ||
           function_of(expression->intrinsic, (enum cm_type)expression->args[0]->type) !=
               CM_EXPRESSION_OP_COUNT;
}

static enum cm_status lower_operation(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_expression *expression,
                                      uint32_t *node)
{
    uint32_t nodes[2] = {0};
    if (is_complex_power(expression))
        return lower_in_front_end(lowering, expression, node);
    enum cm_status status = lower_arguments(lowering, expression, nodes, expression->count);
    if (status == CM_OK)
        *node =
            cm_expression_node(lowering->graph, operator_of(expression->op), nodes[0], nodes[1], 0);
    return status;
}

/* Adds a graph node for a variable or a section that has another placement, or other subscripts
 * than the model. */
static enum cm_status lower_elsewhere(struct cm_fortran_lowering *lowering,
                                      const struct cm_fortran_expression *expression,
                                      uint32_t *node)
{
    struct cm_fortran_section from;
    bool done;
    enum cm_status status = cm_fortran_section_find(lowering->run, expression, &from);
    if (status != CM_OK)
        return status;
    status = cm_fortran_lower_moved(lowering, &from, &done, node);
    cm_fortran_section_finish(&from);
    return status != CM_OK || done ? status : lower_in_front_end(lowering, expression, node);
}

/* Adds a graph node for a section that is a view, or whose subscripts are those of the model's
 * section plus an offset. Sets *done to false for other sections. This function also copies a
 * section of serial axes by the router, so that its subscripts are evaluated only once. */
static enum cm_status lower_section(struct cm_fortran_lowering *lowering,
                                    const struct cm_fortran_expression *expression, bool serial,
                                    bool *done, uint32_t *node)
{
    struct cm_fortran_section section;
    enum cm_status status = cm_fortran_section_find(lowering->run, expression, &section);
    if (status == CM_OK && serial)
        status = cm_fortran_lower_view(lowering, &section, done, node);
    if (status == CM_OK && !*done &&
        cm_fortran_same_placement(section.array, lowering->model->array))
        status = cm_fortran_lower_part(lowering, &section, done, node);
    if (status == CM_OK && !*done && serial)
        status = cm_fortran_lower_moved(lowering, &section, done, node);
    cm_fortran_section_finish(&section);
    return status;
}

static enum cm_status lower_whole(struct cm_fortran_lowering *lowering,
                                  const struct cm_fortran_expression *expression, uint32_t *node)
{
    uint32_t number;
    bool done = false;
    struct cm_fortran_array *array;
    enum cm_status status =
        cm_fortran_array_of(lowering->run, expression->variable, expression->place, &array);
    if (status != CM_OK)
        return status;
    const bool same = cm_fortran_same_placement(array, lowering->model->array);
    const bool serial = cm_fortran_has_serial_axis(array);
    if (lowering->around_count > 0)
        return cm_fortran_lower_shifted(lowering, array->machine, node);
    if (expression->kind == CM_FORTRAN_VARIABLE && lowering->whole && same)
        return cm_fortran_lower_array(lowering, array->machine, node, &number);
    if (same || serial)
        status = lower_section(lowering, expression, serial, &done, node);
    if (status != CM_OK || done)
        return status;
    return serial ? lower_in_front_end(lowering, expression, node)
                  : lower_elsewhere(lowering, expression, node);
}

/* Adds a graph node for the subscript along a dimension of the model's section: the element's index
 * in the model's array, multiplied by the stride of a view, plus the lower bound. */
static uint32_t lower_index(struct cm_fortran_lowering *lowering, uint32_t dim)
{
    const struct cm_fortran_section *model = lowering->model;
    uint32_t axis = 0;
    for (uint32_t at = 0; axis < model->array->rank; axis++)
        if (!model->ranges[axis].dropped && at++ == dim)
            break;
    uint32_t index = cm_expression_index(lowering->graph, axis);
    int64_t step = model->view != NULL ? model->view->step[axis] : 1;
    int64_t add = model->array->lower[axis] - step;
    if (step != 1)
        index = cm_expression_node(
            lowering->graph, CM_EXPRESSION_MULTIPLY, index,
            cm_expression_number(lowering->graph, CM_TYPE_INT32, (double)step), 0);
    if (add == 0)
        return index;
    uint32_t lower = cm_expression_number(lowering->graph, CM_TYPE_INT32, (double)add);
    return cm_expression_node(lowering->graph, CM_EXPRESSION_ADD, index, lower, 0);
}

enum cm_status cm_fortran_lower(struct cm_fortran_lowering *lowering,
                                const struct cm_fortran_expression *expression, uint32_t *node)
{
    enum cm_status status;
    *node = 0;
    if (expression->rank == 0)
        return lower_scalar(lowering, expression, node);
    switch (expression->kind) {
    case CM_FORTRAN_VARIABLE:
    case CM_FORTRAN_SECTION:
        return lower_whole(lowering, expression, node);
    case CM_FORTRAN_OPERATION:
        return lower_operation(lowering, expression, node);
    case CM_FORTRAN_CONVERT:
        status = cm_fortran_lower(lowering, expression->args[0], node);
        *node = cm_expression_convert(lowering->graph, *node, (enum cm_type)expression->type);
        return status;
    case CM_FORTRAN_INTRINSIC:
        return lower_intrinsic(lowering, expression, node);
    case CM_FORTRAN_LOOKUP:
        return cm_fortran_lower_lookup(lowering, expression, node);
    case CM_FORTRAN_INDEX:
        *node = lower_index(lowering, lowering->run->forall_indices->dim[expression->number]);
        return CM_OK;
    default:
        return lower_in_front_end(lowering, expression, node);
    }
}
