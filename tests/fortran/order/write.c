/*
 * Writes a program as standard Fortran with the machine's order of evaluation (order.h).
 *
 * The writer of fortran/write calls the hooks below for each statement and each expression. A hook
 * replaces an expression whose last bits depend on the evaluation order, if the machine evaluates
 * it, by a call of the modules order.f90 and functions.f90. Expressions of the front end stay
 * unchanged. The call names a place: the array, or the part of it, at whose places the machine
 * computes.
 */
#include "fortran/run/run_private.h"
#include "fortran/write/write_private.h"
#include "order.h"
#include "where.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The modules, from order.f90 and functions.f90. */
extern const char order_module[], functions_module[];

/* The computer that evaluates the expression being written. */
struct order_context {
    enum order_where where;
    const struct cm_fortran_expression *model; /* the array at whose places, or NULL */
    const struct cm_syntax_expression *syntax; /* the model in the source */
};

/* State of the hooks. */
struct order_writer {
    const struct cm_fortran_expression *const *expressions;
    struct order_map map;
    struct order_context at;
    const struct cm_syntax_unit *user; /* the last unit that calls the modules */
};

static struct order_writer *order_of(const struct cm_writer *w)
{
    return w->context;
}

/* Returns the checked expression of a syntax expression, without conversions around it. */
static const struct cm_fortran_expression *meaning(const struct cm_writer *w,
                                                   const struct cm_syntax_expression *e)
{
    const struct cm_fortran_expression *found = order_of(w)->expressions[e->number];
    while (found && found->kind == CM_FORTRAN_CONVERT)
        found = found->args[0];
    return found;
}

static bool is_real(uint8_t type)
{
    return type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64;
}

static bool is_complex(uint8_t type)
{
    return type == CM_TYPE_COMPLEX64 || type == CM_TYPE_COMPLEX128;
}

static void refuse(struct cm_writer *w, const struct cm_syntax_expression *e, const char *what)
{
    cm_messages_add(w->messages, e->place,
                    "order of evaluation unknown: %s may be computed on the machine or not", what);
    cm_messages_hint(w->messages, "assign it to an array of its own first");
}

static void put_words(struct cm_writer *w, const char *words)
{
    order_of(w)->user = w->unit;
    cm_put(w, words);
}

/* ---- places ---- */

/* Returns the syntax expression in `e` whose checked expression is `found`, or NULL. */
static const struct cm_syntax_expression *find_syntax(const struct cm_writer *w,
                                                      const struct cm_syntax_expression *e,
                                                      const struct cm_fortran_expression *found)
{
    const struct cm_syntax_expression *result = NULL;
    if (!e || meaning(w, e) == found)
        return e;
    if (e->kind == CM_EXPRESSION_CALL)
        for (const struct cm_syntax_argument *a = e->call.arguments.first; a && !result;
             a = a->next)
            result = find_syntax(w, a->value, found);
    if (e->kind == CM_EXPRESSION_BINARY || e->kind == CM_EXPRESSION_UNARY ||
        e->kind == CM_EXPRESSION_PARENTHESES) {
        result = find_syntax(w, e->left, found);
        if (!result)
            result = find_syntax(w, e->right, found);
    }
    return result;
}

/* Writes a constructor (/ .. /) with an entry by `put` for each dimension. */
static void put_list(struct cm_writer *w, const struct cm_fortran_variable *home,
                     void (*put)(struct cm_writer *, const struct cm_fortran_variable *, uint32_t))
{
    cm_put(w, "(/");
    for (uint32_t i = 0; i < home->rank; i++) {
        put(w, home, i);
        cm_put(w, i + 1 < home->rank ? ", " : "/)");
    }
}

static void put_order(struct cm_writer *w, const struct cm_fortran_variable *home, uint32_t i)
{
    static const char *const names[] = {[CM_ORDER_NEWS] = "cm200_news",
                                        [CM_ORDER_SEND] = "cm200_send",
                                        [CM_ORDER_SERIAL] = "cm200_serial"};
    cm_put(w, names[home->orders[i]]);
}

static void put_weight(struct cm_writer *w, const struct cm_fortran_variable *home, uint32_t i)
{
    cm_put_number(w, home->weights[i] > 0 ? home->weights[i] : 1);
}

/* Writes the place of a whole array of the program. */
static void put_array_place(struct cm_writer *w, const struct cm_fortran_variable *variable)
{
    const struct cm_fortran_variable *home = order_home(&order_of(w)->map, variable);
    if (!order_has_one_layout(&order_of(w)->map, variable)) {
        cm_messages_add(
            w->messages, variable->place,
            "order of evaluation unknown: arrays of several layouts are passed to \"%s\"",
            variable->name);
        cm_messages_hint(w->messages, "give them one layout, or write a unit for each");
    }
    put_words(w, "cm200_all(shape(");
    cm_put(w, variable->name);
    cm_put(w, "), ");
    put_list(w, home, put_order);
    cm_put(w, ", ");
    put_list(w, home, put_weight);
    cm_put(w, ")");
}

enum part { FROM, TO, BY };

static void put_bound(struct cm_writer *w, const struct cm_fortran_variable *variable,
                      const char *function, uint32_t axis)
{
    cm_put(w, function);
    cm_put(w, "(");
    cm_put(w, variable->name);
    cm_put(w, ", ");
    cm_put_number(w, axis + 1);
    cm_put(w, ")");
}

static void put_subscript(struct cm_writer *w, const struct cm_fortran_variable *variable,
                          const struct cm_syntax_expression *subscript, enum part part,
                          uint32_t axis)
{
    bool is_range = subscript->kind == CM_EXPRESSION_RANGE;
    const struct cm_syntax_expression *given = subscript;
    if (is_range)
        given = part == FROM ? subscript->range.lower
                : part == TO ? subscript->range.upper
                             : subscript->range.stride;
    if (part == BY && !given)
        cm_put(w, "1");
    else if (part == BY && !is_range)
        cm_put(w, "0");
    else if (!given)
        put_bound(w, variable, part == FROM ? "lbound" : "ubound", axis);
    else
        cm_put_expression(w, given);
}

/* Writes the place of a variable or a section, which is `e` in the source. */
static void put_place(struct cm_writer *w, const struct cm_fortran_expression *model,
                      const struct cm_syntax_expression *e)
{
    const struct cm_fortran_variable *variable = model->variable;
    const struct order_context at = order_of(w)->at;
    if (variable->assumed_size) {
        cm_messages_add(w->messages, model->place,
                        "order of evaluation unknown: no shape of \"%s\", which ends in *",
                        variable->name);
        return;
    }
    if (model->kind != CM_FORTRAN_SECTION) {
        put_array_place(w, variable);
        return;
    }
    order_of(w)->at.where = ORDER_FRONT_END;
    put_words(w, "cm200_part(");
    put_array_place(w, variable);
    cm_put(w, ", lbound(");
    cm_put(w, variable->name);
    cm_put(w, ")");
    for (int part = FROM; part <= BY; part++) {
        uint32_t axis = 0;
        cm_put(w, ", (/");
        for (const struct cm_syntax_argument *a = e->call.arguments.first; a; a = a->next) {
            put_subscript(w, variable, a->value, (enum part)part, axis++);
            cm_put(w, a->next ? ", " : "/)");
        }
    }
    cm_put(w, ")");
    order_of(w)->at = at;
}

/* ---- where operands are computed ---- */

/* Sets the machine as the evaluator, at the places of the model, or the front end if there is no
 * model. */
static void set_model(struct cm_writer *w, const struct cm_fortran_expression *model,
                      const struct cm_syntax_expression *e)
{
    order_of(w)->at = (struct order_context){.where = model ? ORDER_MACHINE : ORDER_FRONT_END,
                                             .model = model,
                                             .syntax = model ? find_syntax(w, e, model) : NULL};
}

/* Sets the evaluator of an argument of a transformational function, which is an array of its
 * own. */
static void set_operand(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    const struct cm_fortran_expression *operand = meaning(w, e);
    const struct cm_fortran_expression *model =
        operand ? order_model(&order_of(w)->map, operand) : NULL;
    set_model(w, model, e);
    if (!model && operand && order_is_transform(&order_of(w)->map, operand))
        order_of(w)->at.where = ORDER_MACHINE;
}

/* Writes the place of an argument that set_operand() describes. */
static void put_operand_place(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    const struct cm_fortran_expression *operand = meaning(w, e);
    const struct cm_fortran_expression *model =
        operand ? order_model(&order_of(w)->map, operand) : NULL;
    if (operand && operand->kind == CM_FORTRAN_INTRINSIC &&
        operand->intrinsic == CM_FORTRAN_SPREAD) {
        refuse(w, e, "a function of SPREAD");
        return;
    }
    if (model) {
        put_words(w, "cm200_operand(");
        put_place(w, model, find_syntax(w, e, model));
    } else {
        put_words(w, "cm200_plain(shape(");
        cm_put_expression(w, e);
        cm_put(w, ")");
    }
    cm_put(w, ")");
}

/* Writes an expression as a vector. */
static void put_vector(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    cm_put(w, "pack(");
    cm_put_expression(w, e);
    cm_put(w, ", .true.)");
}

static void put_mask(struct cm_writer *w, const struct cm_syntax_expression *mask)
{
    const struct cm_fortran_expression *found = mask ? meaning(w, mask) : NULL;
    if (!mask)
        return;
    cm_put(w, ", mask = ");
    if (found && found->rank > 0) {
        put_vector(w, mask);
        return;
    }
    cm_put(w, "(/");
    cm_put_expression(w, mask);
    cm_put(w, "/)");
}

/* Returns the argument whose checked expression is `found`, or NULL. */
static const struct cm_syntax_expression *argument(const struct cm_writer *w,
                                                   const struct cm_syntax_expression *call,
                                                   const struct cm_fortran_expression *found)
{
    for (const struct cm_syntax_argument *a = call->call.arguments.first; a && found; a = a->next) {
        const struct cm_fortran_expression *given = meaning(w, a->value);
        while (found->kind == CM_FORTRAN_CONVERT)
            found = found->args[0];
        if (given == found)
            return a->value;
    }
    return NULL;
}

static const struct cm_syntax_expression *argument_at(const struct cm_writer *w,
                                                      const struct cm_syntax_expression *call,
                                                      const struct cm_fortran_expression *found,
                                                      uint32_t number)
{
    return number < found->count ? argument(w, call, found->args[number]) : NULL;
}

/* ---- reductions ---- */

static bool rounds(const struct cm_fortran_expression *call)
{
    bool adds = call->intrinsic == CM_FORTRAN_SUM || call->intrinsic == CM_FORTRAN_PRODUCT;
    return adds && (is_real(call->type) || is_complex(call->type));
}

static const char *name_of(const struct cm_fortran_expression *call)
{
    return call->intrinsic == CM_FORTRAN_SUM ? "cm200_sum" : "cm200_product";
}

/* Writes a reduction of a whole expression. Returns false if the ordinary call must be written. */
static bool put_whole(struct cm_writer *w, const struct cm_syntax_expression *e,
                      const struct cm_fortran_expression *call)
{
    const struct cm_syntax_expression *array = argument_at(w, e, call, 0);
    const struct cm_fortran_expression *model = order_model(&order_of(w)->map, call->args[0]);
    if (!array) {
        refuse(w, e, "this argument");
        return false;
    }
    set_model(w, model, array);
    if (!model || !rounds(call))
        return false;
    cm_put(w, "(");
    put_words(w, name_of(call));
    cm_put(w, "(");
    put_vector(w, array);
    cm_put(w, ", ");
    put_place(w, model, order_of(w)->at.syntax);
    put_mask(w, argument_at(w, e, call, 2));
    cm_put(w, "))");
    return true;
}

static void put_extents(struct cm_writer *w, const struct cm_syntax_expression *e, uint32_t rank,
                        int32_t without)
{
    bool first = true;
    cm_put(w, "(/");
    for (uint32_t i = 1; i <= rank; i++) {
        if ((int32_t)i == without)
            continue;
        cm_put(w, first ? "size(" : ", size(");
        cm_put_expression(w, e);
        cm_put(w, ", ");
        cm_put_number(w, i);
        cm_put(w, ")");
        first = false;
    }
    cm_put(w, "/)");
}

/* Writes a reduction along a dimension on the machine. Returns false if the ordinary call must be
 * written. */
static bool put_along(struct cm_writer *w, const struct cm_syntax_expression *e,
                      const struct cm_fortran_expression *call)
{
    const struct cm_syntax_expression *array = argument_at(w, e, call, 0);
    const struct cm_fortran_expression *dim = call->args[1];
    if (!array) {
        refuse(w, e, "this argument");
        return false;
    }
    set_operand(w, array);
    if (!rounds(call))
        return false;
    if (dim->kind != CM_FORTRAN_CONSTANT) {
        refuse(w, e, "a sum along a dimension that is not a constant");
        return false;
    }
    cm_put(w, "reshape(");
    put_words(w, name_of(call));
    cm_put(w, "_dim(");
    put_vector(w, array);
    cm_put(w, ", ");
    put_operand_place(w, array);
    cm_put(w, ", ");
    cm_put_number(w, (uint64_t)dim->value.integer);
    order_of(w)->at.where = ORDER_MACHINE;
    put_mask(w, argument_at(w, e, call, 2));
    cm_put(w, "), ");
    put_extents(w, array, call->args[0]->rank, dim->value.integer);
    cm_put(w, ")");
    return true;
}

/* Writes a transformational function. Each argument is an array of its own, and a mask has the
 * places of another argument. */
static bool put_transform(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    cm_put(w, e->call.name);
    cm_put(w, "(");
    for (const struct cm_syntax_argument *a = e->call.arguments.first; a; a = a->next) {
        const struct cm_fortran_expression *found = meaning(w, a->value);
        if (a->keyword) {
            cm_put(w, a->keyword);
            cm_put(w, " = ");
        }
        set_operand(w, a->value);
        if (found && found->type == CM_TYPE_LOGICAL)
            order_of(w)->at.where = ORDER_MACHINE;
        cm_put_expression(w, a->value);
        cm_put(w, a->next ? ", " : ")");
    }
    return true;
}

static bool put_reduction(struct cm_writer *w, const struct cm_syntax_expression *e,
                          const struct cm_fortran_expression *call)
{
    bool locates = call->intrinsic == CM_FORTRAN_MAXLOC || call->intrinsic == CM_FORTRAN_MINLOC;
    bool is_whole = locates || call->count < 2 || !call->args[1];
    if (is_whole && !locates)
        return put_whole(w, e, call);
    if (call->rank == 0 || order_of(w)->at.where == ORDER_FRONT_END ||
        !order_is_resident(&order_of(w)->map, call->args[0])) {
        order_of(w)->at.where = ORDER_FRONT_END;
        return false;
    }
    if (order_of(w)->at.where == ORDER_UNSURE && rounds(call)) {
        refuse(w, e, "this sum");
        return false;
    }
    return locates ? put_transform(w, e) : put_along(w, e, call);
}

static bool put_dot_product(struct cm_writer *w, const struct cm_syntax_expression *e,
                            const struct cm_fortran_expression *call)
{
    const struct cm_syntax_expression *a = argument_at(w, e, call, 0);
    const struct cm_syntax_expression *b = argument_at(w, e, call, 1);
    const struct cm_fortran_expression *model = order_model(&order_of(w)->map, call->args[0]);
    uint8_t type = call->args[0]->type;
    set_model(w, model, a);
    if ((!is_real(type) && !is_complex(type)) || !model || !a || !b)
        return false;
    put_words(w, is_complex(type) ? "(cm200_sum(pack(conjg(" : "(cm200_sum(pack((");
    cm_put_expression(w, a);
    cm_put(w, ") * (");
    cm_put_expression(w, b);
    cm_put(w, "), .true.), ");
    put_place(w, model, order_of(w)->at.syntax);
    cm_put(w, "))");
    return true;
}

/* ---- MATMUL ---- */

static void put_factor(struct cm_writer *w, const struct cm_syntax_expression *e, bool on_machine)
{
    const struct order_context at = order_of(w)->at;
    order_of(w)->at.where = ORDER_FRONT_END;
    if (on_machine)
        set_operand(w, e);
    cm_put_expression(w, e);
    order_of(w)->at = at;
}

static bool put_matmul(struct cm_writer *w, const struct cm_syntax_expression *e,
                       const struct cm_fortran_expression *call)
{
    const struct cm_syntax_expression *a = argument_at(w, e, call, 0);
    const struct cm_syntax_expression *b = argument_at(w, e, call, 1);
    bool on_machine =
        order_of(w)->at.where != ORDER_FRONT_END && order_is_transform(&order_of(w)->map, call);
    if ((!is_real(call->type) && !is_complex(call->type)) || !a || !b)
        return false;
    if (on_machine && order_of(w)->at.where == ORDER_UNSURE)
        refuse(w, e, "this MATMUL");
    if (call->args[0]->kind == CM_FORTRAN_CONVERT || call->args[1]->kind == CM_FORTRAN_CONVERT)
        refuse(w, e, "MATMUL of different types");
    put_words(w, on_machine ? "(cm200_matmul(" : "(cm200_matmul_host(");
    put_factor(w, a, on_machine);
    cm_put(w, ", ");
    put_factor(w, b, on_machine);
    if (on_machine) {
        cm_put(w, ", ");
        if (call->rank == 1)
            put_operand_place(w, call->args[0]->rank == 2 ? a : b);
        else if (order_of(w)->at.model)
            put_place(w, order_of(w)->at.model, order_of(w)->at.syntax);
        else
            put_words(w, "cm200_place()");
    }
    cm_put(w, "))");
    return true;
}

/* ---- elementwise ---- */

/* Returns the module's function for an intrinsic whose machine routine differs from gfortran's
 * function, or NULL. */
static const char *routine_of(const struct cm_fortran_expression *call)
{
    bool real = is_real(call->args[0]->type), complex = is_complex(call->args[0]->type);
    switch (call->intrinsic) {
    case CM_FORTRAN_EXP:
        return real ? "cm200_exp" : NULL;
    case CM_FORTRAN_LOG:
        return real ? "cm200_log" : NULL;
    case CM_FORTRAN_SIN:
        return real ? "cm200_sin" : NULL;
    case CM_FORTRAN_COS:
        return real ? "cm200_cos" : NULL;
    case CM_FORTRAN_TAN:
        return real ? "cm200_tan" : NULL;
    case CM_FORTRAN_ATAN:
        return real ? "cm200_atan" : NULL;
    case CM_FORTRAN_ATAN2:
        return real ? "cm200_atan2" : NULL;
    case CM_FORTRAN_SINH:
        return real ? "cm200_sinh" : NULL;
    case CM_FORTRAN_COSH:
        return real ? "cm200_cosh" : NULL;
    case CM_FORTRAN_TANH:
        return real ? "cm200_tanh" : NULL;
    case CM_FORTRAN_ASIN:
        return real ? "cm200_asin" : NULL;
    case CM_FORTRAN_ACOS:
        return real ? "cm200_acos" : NULL;
    case CM_FORTRAN_LOG10:
        return real ? "cm200_log10" : NULL;
    case CM_FORTRAN_ABS:
        return complex ? "cm200_abs" : NULL;
    case CM_FORTRAN_SQRT:
        return complex ? "cm200_sqrt" : NULL;
    default:
        return NULL;
    }
}

/* Returns whether no microprogram computes the function, so that its arguments go to the front
 * end. */
static bool is_of_front_end(const struct cm_fortran_expression *call)
{
    switch (call->intrinsic) {
    case CM_FORTRAN_ACOS:
    case CM_FORTRAN_ASIN:
    case CM_FORTRAN_ATAN:
    case CM_FORTRAN_COS:
    case CM_FORTRAN_COSH:
    case CM_FORTRAN_EXP:
    case CM_FORTRAN_LOG:
    case CM_FORTRAN_LOG10:
    case CM_FORTRAN_SIN:
    case CM_FORTRAN_SINH:
    case CM_FORTRAN_TAN:
    case CM_FORTRAN_TANH:
        return is_complex(call->args[0]->type);
    default:
        return false;
    }
}

/* Returns whether the machine's routine evaluates an elementwise expression. Reports an expression
 * whose evaluator is unknown. */
static bool is_routine(struct cm_writer *w, const struct cm_syntax_expression *e,
                       const struct cm_fortran_expression *found)
{
    bool is_of_elements = found->rank > 0 || order_has_index(found);
    if (is_of_elements && order_of(w)->at.where == ORDER_UNSURE)
        refuse(w, e, "this function");
    return is_of_elements && order_of(w)->at.where == ORDER_MACHINE;
}

static bool put_elemental(struct cm_writer *w, const struct cm_syntax_expression *e,
                          const struct cm_fortran_expression *call)
{
    const char *routine = routine_of(call);
    if (!routine) {
        if (is_of_front_end(call))
            order_of(w)->at.where = ORDER_FRONT_END;
        return false;
    }
    if (!is_routine(w, e, call))
        return false;
    put_words(w, routine);
    cm_put(w, "(");
    cm_put_arguments(w, &e->call.arguments);
    cm_put(w, ")");
    return true;
}

static bool put_power(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    const struct cm_fortran_expression *power = meaning(w, e);
    if (!power || power->kind != CM_FORTRAN_OPERATION || power->op != CM_FORTRAN_POWER ||
        power->args[1]->type == CM_TYPE_INT32)
        return false;
    if (is_complex(power->type)) {
        order_of(w)->at.where = ORDER_FRONT_END;
        return false;
    }
    if (!is_routine(w, e, power))
        return false;
    put_words(w, "cm200_power(");
    cm_put_expression(w, e->left);
    cm_put(w, ", ");
    cm_put_expression(w, e->right);
    cm_put(w, ")");
    return true;
}

/* ---- any expression ---- */

static void set_shifted(struct cm_writer *w, const struct cm_fortran_expression *call)
{
    bool is_scalar = call->args[2] && call->args[2]->rank == 0 &&
                     (call->count < 4 || !call->args[3] || call->args[3]->rank == 0);
    if (!is_scalar)
        order_of(w)->at.where = ORDER_FRONT_END;
    else if (order_of(w)->at.where == ORDER_MACHINE && order_of(w)->at.model &&
             !order_is_whole(order_of(w)->at.model))
        order_of(w)->at.where = ORDER_UNSURE;
}

/* Writes a call of an intrinsic function. Functions of arrays get parentheses, because gfortran 12
 * miscompiles a function that is the whole value of an assignment in WHERE. */
static bool put_intrinsic(struct cm_writer *w, const struct cm_syntax_expression *e,
                          const struct cm_fortran_expression *call)
{
    switch (cm_fortran_intrinsic_class(call->intrinsic)) {
    case CM_FORTRAN_CLASS_ELEMENTAL:
        return put_elemental(w, e, call);
    case CM_FORTRAN_CLASS_REDUCTION:
        return put_reduction(w, e, call);
    default:
        break;
    }
    if (call->intrinsic == CM_FORTRAN_DOT_PRODUCT)
        return put_dot_product(w, e, call);
    if (call->intrinsic == CM_FORTRAN_MATMUL)
        return put_matmul(w, e, call);
    if (call->intrinsic == CM_FORTRAN_CSHIFT || call->intrinsic == CM_FORTRAN_EOSHIFT)
        set_shifted(w, call);
    else if (order_of(w)->at.where == ORDER_MACHINE && order_is_transform(&order_of(w)->map, call))
        return put_transform(w, e);
    else if (order_of(w)->at.where == ORDER_MACHINE)
        order_of(w)->at.where = ORDER_FRONT_END;
    return false;
}

/* Returns whether the call converts the value that `found` is, as REAL does in REAL(SUM(A)). */
static bool is_conversion(const struct cm_writer *w, const struct cm_syntax_expression *e,
                          const struct cm_fortran_expression *found)
{
    for (const struct cm_syntax_argument *a = e->call.arguments.first; a; a = a->next)
        if (meaning(w, a->value) == found)
            return true;
    return false;
}

static void put_expression(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    const struct order_context at = order_of(w)->at;
    const struct cm_fortran_expression *found = meaning(w, e);
    bool done = false;
    if (e->kind == CM_EXPRESSION_BINARY && e->op == CM_OPERATOR_POWER)
        done = put_power(w, e);
    else if (e->kind == CM_EXPRESSION_CALL && found && is_conversion(w, e, found))
        done = false;
    else if (e->kind == CM_EXPRESSION_CALL && found && found->kind == CM_FORTRAN_INTRINSIC)
        done = put_intrinsic(w, e, found);
    else if (e->kind == CM_EXPRESSION_CALL || e->kind == CM_EXPRESSION_CONSTRUCTOR)
        order_of(w)->at.where =
            ORDER_FRONT_END; /* subscripts, and arguments of the program's functions */
    if (!done)
        cm_put_plain(w, e);
    order_of(w)->at = at;
}

/* ---- statements ---- */

/* Sets the computer that evaluates the value of an assignment. */
static void set_statement(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    struct order_writer *order = order_of(w);
    const struct cm_fortran_expression *target =
        s->kind == CM_STATEMENT_ASSIGNMENT ? meaning(w, s->assignment.target) : NULL;
    enum order_where where;
    order->at = (struct order_context){.where = ORDER_FRONT_END};
    bool is_forall = target && order_forall(&order->map, target, &where);
    if (!target || (target->rank == 0 && !is_forall) ||
        !order_home(&order->map, target->variable)->on_machine)
        return;
    order->at = (struct order_context){
        .where = ORDER_MACHINE, .model = target, .syntax = s->assignment.target};
    if (is_forall)
        order->at = (struct order_context){.where = where};
    else if (order_has_vector(target))
        order->at = (struct order_context){.where = ORDER_UNSURE};
}

static void set_where_mask(struct cm_writer *w, const struct cm_syntax_expression *mask)
{
    struct order_writer *order = order_of(w);
    const struct cm_fortran_expression *found = meaning(w, mask);
    set_model(w, found ? order_model(&order->map, found) : NULL, mask);
    if (order->at.model && !order_is_whole(order->at.model))
        order->at.where = ORDER_UNSURE;
}

/* Sets the computer that evaluates the condition of IF, or the mask of WHERE or FORALL. */
static void set_condition(struct cm_writer *w, const struct cm_syntax_statement *s,
                          const struct cm_syntax_expression *condition)
{
    order_of(w)->at = (struct order_context){.where = ORDER_FRONT_END};
    if (s->kind == CM_STATEMENT_FORALL && s->forall.block.first)
        set_statement(w, s->forall.block.first);
    else if (s->kind == CM_STATEMENT_WHERE)
        set_where_mask(w, condition);
}

/* Writes the USE lines of a unit that calls the modules. */
static void put_uses(struct cm_writer *w)
{
    static const char *const lines[] = {"use cm200_order", "use cm200_functions"};
    for (size_t i = 0; order_of(w)->user == w->unit && i < 2; i++) {
        cm_begin_line(w, 0);
        cm_put(w, lines[i]);
        cm_end_line(w);
    }
}

static const struct cm_writer_hooks hooks = {
    .statement = set_statement,
    .condition = set_condition,
    .expression = put_expression,
    .uses = put_uses,
};

static void put_modules(const struct order_program *program, struct cm_buffer *text)
{
    cm_buffer_printf(text,
                     "module cm200_machine\n"
                     "  integer, parameter :: cm200_nodes = %" PRIu32 ", cm200_channels = %" PRIu32
                     "\n"
                     "  integer(8), parameter :: cm200_memory_words = %" PRIu64 "\n"
                     "end module\n",
                     program->nodes, program->channels, program->memory_words);
    cm_buffer_append(text, order_module, strlen(order_module));
    cm_buffer_append(text, functions_module, strlen(functions_module));
    cm_buffer_append(text, "\n", 1);
}

enum cm_status order_write(const struct order_program *program, struct cm_buffer *text,
                           struct cm_messages *messages)
{
    struct order_writer order = {.expressions = program->expressions};
    struct cm_writer w = {.tree = program->tree,
                          .source = program->source,
                          .messages = messages,
                          .options = {.order = program->shifts},
                          .hooks = &hooks,
                          .context = &order};
    struct cm_buffer units;
    enum cm_status status = order_begin(&order.map, program->checked);
    if (status != CM_OK)
        return status;
    cm_buffer_init(&units);
    status = cm_write_program(&w, &units);
    if (status == CM_OK && order.user)
        put_modules(program, text);
    if (status == CM_OK && units.length > 0)
        cm_buffer_append(text, units.data, units.length);
    cm_buffer_finish(&units);
    order_end(&order.map);
    return status == CM_OK && text->failed ? CM_NO_MEMORY : status;
}
