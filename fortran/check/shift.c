/*
 * Checks the arguments of CSHIFT and EOSHIFT. Without keywords their order is ambiguous: the PSHIFT
 * paper (figure 5) writes CSHIFT(src, 1, -1) for (array, dim, shift), but Fortran 90 and programs
 * of the CM-5 have (array, shift, dim). An option or the file's suffix chooses the order
 * (cm_shift_order_of()). Two arguments without keywords are an array and a shift. If the suffix
 * chose Fortran 90's order, the program gets one warning about all calls whose arguments are also
 * valid in the other order.
 */
#include "check.h"

#include <stdio.h>
#include <strings.h>

/* Indices of the arguments in intrinsics.def. */
enum { ARRAY, DIM, SHIFT, BOUNDARY, PLACES };

static const char *const names[PLACES] = {"array", "dim", "shift", "boundary"};

/* Sets `order` to the order of the arguments that have no keywords. `positional` is their
 * number. */
static void order_of(bool is_f90, bool is_end_off, uint32_t positional, uint32_t order[PLACES])
{
    static const uint32_t paper[PLACES] = {ARRAY, DIM, SHIFT, BOUNDARY};
    static const uint32_t f90[2][PLACES] = {{ARRAY, SHIFT, DIM, BOUNDARY},
                                            {ARRAY, SHIFT, BOUNDARY, DIM}};
    const uint32_t *from = is_f90 ? f90[is_end_off] : paper;
    for (uint32_t i = 0; i < PLACES; i++)
        order[i] = from[i];
    if (!is_f90 && positional == 2) {
        order[1] = SHIFT; /* The second argument of CSHIFT(v, 1) is the shift. */
        order[2] = DIM;
    }
}

static bool keyword_place(struct cm_check *check, const struct cm_intrinsic_call *call,
                          const struct cm_syntax_argument *argument, uint32_t *place)
{
    for (*place = 0; *place < call->count; ++*place)
        if (strcasecmp(argument->keyword, names[*place]) == 0)
            return true;
    cm_check_fail(check, argument->place, "%s has no argument %s", call->name, argument->keyword);
    cm_messages_hint(check->messages, "its arguments are: ARRAY DIM SHIFT%s",
                     call->count == PLACES ? " BOUNDARY?" : "");
    return false;
}

static bool place_keywords(struct cm_check *check, const struct cm_intrinsic_call *call,
                           const struct cm_syntax_argument *given[PLACES], uint32_t *positional)
{
    for (const struct cm_syntax_argument *argument = call->tree->call.arguments.first; argument;
         argument = argument->next) {
        uint32_t place;
        if (!argument->keyword) {
            ++*positional;
            continue;
        }
        if (!keyword_place(check, call, argument, &place))
            return false;
        if (given[place]) {
            cm_check_fail(check, argument->place, "argument %s is given twice", argument->keyword);
            return false;
        }
        given[place] = argument;
    }
    return true;
}

/* Assigns each argument without a keyword to the next argument of `order` that is not given yet. */
static bool place_others(struct cm_check *check, const struct cm_intrinsic_call *call,
                         const struct cm_syntax_argument *given[PLACES], const uint32_t *order)
{
    uint32_t next = 0;
    for (const struct cm_syntax_argument *argument = call->tree->call.arguments.first; argument;
         argument = argument->next) {
        if (argument->keyword)
            continue;
        while (next < PLACES && (given[order[next]] || order[next] >= call->count))
            next++;
        if (next == PLACES) {
            cm_check_fail(check, argument->place, "%s has too many arguments", call->name);
            return false;
        }
        given[order[next]] = argument;
    }
    return true;
}

static const char *order_text(bool f90_order, bool is_end_off)
{
    if (f90_order)
        return is_end_off ? "(array, shift, boundary, dim)" : "(array, shift, dim)";
    return is_end_off ? "(array, dim, shift, boundary)" : "(array, dim, shift)";
}

/* Returns whether a constant DIM is a dimension of the array. Reports a fault if not. If the order
 * of the arguments may be another one (`ambiguous`), the hint mentions it. */
static bool check_dimension(struct cm_check *check, const struct cm_intrinsic_call *call,
                            bool ambiguous)
{
    int32_t dim, shift;
    uint32_t rank = call->args[ARRAY]->rank;
    bool is_f90 = check->shift_order == CM_SHIFT_ORDER_F90;
    if (cm_check_dim(check, call, call->args[DIM], rank))
        return true;
    if (!ambiguous || !cm_constant_is_int(call->args[DIM], &dim))
        return false;
    bool is_end_off = call->intrinsic == CM_FORTRAN_EOSHIFT;
    bool fits =
        !cm_constant_is_int(call->args[SHIFT], &shift) || (shift >= 1 && (uint32_t)shift <= rank);
    if (fits || is_end_off)
        cm_messages_hint(
            check->messages, "without keywords the arguments are %s; --cshift-order %s for %s",
            order_text(is_f90, is_end_off), is_f90 ? "cm" : "f90", order_text(!is_f90, is_end_off));
    return false;
}

static bool check_default_dim(struct cm_check *check, struct cm_intrinsic_call *call)
{
    if (call->args[DIM])
        return true;
    if (call->args[ARRAY]->rank > 1 && check->shift_order == CM_SHIFT_ORDER_CM) {
        cm_check_fail(check, call->place, "argument DIM of %s is missing", call->name);
        return false;
    }
    call->args[DIM] = cm_check_int(check, 1, call->place);
    return call->args[DIM] != NULL;
}

/* ---- the other order ---- */

static bool is_reduced(const struct cm_fortran_expression *argument,
                       const struct cm_fortran_expression *array, uint8_t type)
{
    return argument && argument->type == type &&
           (argument->rank == 0 || argument->rank + 1 == array->rank);
}

/* Returns whether the arguments `args` of a shift have valid types, ranks and values. */
static bool is_valid(struct cm_fortran_expression *const *args)
{
    const struct cm_fortran_expression *array = args[ARRAY], *dim = args[DIM];
    int32_t value;
    if (!dim || dim->type != CM_TYPE_INT32 || dim->rank > 0)
        return false;
    if (cm_constant_is_int(dim, &value) && (value < 1 || (uint32_t)value > array->rank))
        return false;
    return is_reduced(args[SHIFT], array, CM_TYPE_INT32) &&
           (!args[BOUNDARY] || is_reduced(args[BOUNDARY], array, array->type));
}

/* Returns whether two expressions are the same expression, or constants with equal values. */
static bool is_equal(const struct cm_fortran_expression *a, const struct cm_fortran_expression *b)
{
    int32_t first, second;
    return a == b || (a && b && cm_constant_is_int(a, &first) && cm_constant_is_int(b, &second) &&
                      first == second);
}

/* Counts the call in check->ambiguous if its arguments are also valid in CM Fortran's order, with
 * another meaning. `given` are the arguments in Fortran 90's order, in which they are valid. */
static void count_ambiguous(struct cm_check *check, const struct cm_intrinsic_call *call,
                            const struct cm_syntax_argument *const given[PLACES],
                            uint32_t positional)
{
    const struct cm_syntax_argument *others[PLACES] = {NULL};
    struct cm_fortran_expression *args[PLACES] = {NULL};
    uint32_t order[PLACES];
    bool is_same = true, is_end_off = call->intrinsic == CM_FORTRAN_EOSHIFT;
    for (uint32_t i = 0; i < PLACES; i++)
        others[i] = given[i] && given[i]->keyword ? given[i] : NULL;
    order_of(false, is_end_off, positional, order);
    if (!place_others(check, call, others, order))
        return;
    for (uint32_t i = 0; i < PLACES; i++) {
        for (uint32_t k = 0; k < PLACES; k++)
            if (others[i] && others[i] == given[k])
                args[i] = call->args[k];
        is_same = is_same && is_equal(args[i], i < call->count ? call->args[i] : NULL);
    }
    if (is_same || !is_valid(args))
        return;
    if (check->ambiguous.count++ == 0) {
        check->ambiguous.place = call->place;
        check->ambiguous.is_end_off = is_end_off;
    }
}

void cm_check_warn_of_shifts(struct cm_check *check)
{
    char text[256], more[48] = "";
    const uint32_t count = check->ambiguous.count;
    const bool is_end_off = check->ambiguous.is_end_off;
    if (count == 0)
        return;
    if (count > 1)
        (void)snprintf(more, sizeof more, ", here and in %u other call%s", count - 1,
                       count > 2 ? "s" : "");
    (void)snprintf(text, sizeof text,
                   "the arguments of %s are read as %s, as in Fortran 90, not as %s, as in "
                   "CM Fortran%s",
                   is_end_off ? "EOSHIFT" : "CSHIFT", order_text(true, is_end_off),
                   order_text(false, is_end_off), more);
    cm_messages_warn(check->messages, check->ambiguous.place, text,
                     "write SHIFT= and DIM=, or choose by --cshift-order f90 or --cshift-order cm");
}

/* Checks the given arguments as expressions, and stores them in call->args. */
static bool check_given(struct cm_check *check, struct cm_intrinsic_call *call,
                        const struct cm_syntax_argument *const given[PLACES])
{
    bool good = true;
    for (uint32_t i = 0; i < call->count; i++) {
        if (given[i])
            call->args[i] = cm_check_expression(check, given[i]->value);
        good = good && (!given[i] || call->args[i]);
    }
    return good;
}

bool cm_check_shift_arguments(struct cm_check *check, struct cm_intrinsic_call *call)
{
    const struct cm_syntax_argument *given[PLACES] = {NULL};
    uint32_t positional = 0, order[PLACES];
    bool is_end_off = call->intrinsic == CM_FORTRAN_EOSHIFT;
    call->count = is_end_off ? PLACES : BOUNDARY;
    if (!place_keywords(check, call, given, &positional))
        return false;
    order_of(check->shift_order == CM_SHIFT_ORDER_F90, is_end_off, positional, order);
    if (!place_others(check, call, given, order) || !check_given(check, call, given))
        return false;
    if (!call->args[ARRAY] || !call->args[SHIFT]) {
        cm_check_fail(check, call->place, "argument %s of %s is missing",
                      call->args[ARRAY] ? "SHIFT" : "ARRAY", call->name);
        return false;
    }
    if (call->args[ARRAY]->rank == 0 || call->args[ARRAY]->type >= CM_TYPE_COUNT) {
        cm_check_fail(check, call->args[ARRAY]->place, "%s takes an array, not a scalar",
                      call->name);
        return false;
    }
    if (!check_default_dim(check, call) || !check_dimension(check, call, positional >= 3))
        return false;
    if (check->options->shift_order == CM_SHIFT_ORDER_BY_SUFFIX &&
        check->shift_order == CM_SHIFT_ORDER_F90 && positional >= 3)
        count_ambiguous(check, call, given, positional);
    return true;
}
