/*
 * Arguments of CSHIFT and EOSHIFT. Without keywords their order is ambiguous: the PSHIFT paper
 * (figure 5) writes CSHIFT(src, 1, -1) for (array, dim, shift), but Fortran 90 and programs of the
 * CM-5 have (array, shift, dim). An option decides. Two arguments without keywords are an array and
 * a shift.
 */
#include "check.h"

#include <strings.h>

/* Indices of the arguments in intrinsics.def. */
enum { ARRAY, DIM, SHIFT, BOUNDARY, PLACES };

static const char *const names[PLACES] = {"array", "dim", "shift", "boundary"};

/* Sets the order of the arguments without keywords. */
static void order_of(const struct cm_check *check, bool is_end_off, uint32_t positional,
                     uint32_t order[PLACES])
{
    static const uint32_t paper[PLACES] = {ARRAY, DIM, SHIFT, BOUNDARY};
    static const uint32_t f90[2][PLACES] = {{ARRAY, SHIFT, DIM, BOUNDARY},
                                            {ARRAY, SHIFT, BOUNDARY, DIM}};
    const uint32_t *from = check->options->f90_order ? f90[is_end_off] : paper;
    for (uint32_t i = 0; i < PLACES; i++)
        order[i] = from[i];
    if (!check->options->f90_order && positional == 2) {
        order[1] = SHIFT; /* CSHIFT(v, 1) has no dimension. */
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

/* Puts each argument without a keyword into the next place that is free. */
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

/* Reports a constant DIM that the array does not have. The hint mentions the other order if the
 * call is ambiguous. */
static bool check_dimension(struct cm_check *check, const struct cm_intrinsic_call *call,
                            bool ambiguous)
{
    int32_t dim, shift;
    uint32_t rank = call->args[ARRAY]->rank;
    if (cm_check_dim(check, call, call->args[DIM], rank))
        return true;
    if (!ambiguous || !cm_constant_is_int(call->args[DIM], &dim))
        return false;
    bool is_end_off = call->intrinsic == CM_FORTRAN_EOSHIFT;
    bool fits =
        !cm_constant_is_int(call->args[SHIFT], &shift) || (shift >= 1 && (uint32_t)shift <= rank);
    if (fits || is_end_off)
        cm_messages_hint(check->messages,
                         "without keywords the arguments are %s; --cshift-order %s for %s",
                         order_text(check->options->f90_order, is_end_off),
                         check->options->f90_order ? "cm" : "f90",
                         order_text(!check->options->f90_order, is_end_off));
    return false;
}

static bool check_default_dim(struct cm_check *check, struct cm_intrinsic_call *call)
{
    if (call->args[DIM])
        return true;
    if (call->args[ARRAY]->rank > 1 && !check->options->f90_order) {
        cm_check_fail(check, call->place, "argument DIM of %s is missing", call->name);
        return false;
    }
    call->args[DIM] = cm_check_int(check, 1, call->place);
    return call->args[DIM] != NULL;
}

bool cm_check_shift_arguments(struct cm_check *check, struct cm_intrinsic_call *call)
{
    const struct cm_syntax_argument *given[PLACES] = {NULL};
    uint32_t positional = 0, order[PLACES];
    bool is_end_off = call->intrinsic == CM_FORTRAN_EOSHIFT;
    call->count = is_end_off ? PLACES : BOUNDARY;
    if (!place_keywords(check, call, given, &positional))
        return false;
    bool ambiguous = positional >= 3;
    order_of(check, is_end_off, positional, order);
    if (!place_others(check, call, given, order))
        return false;
    bool good = true;
    for (uint32_t i = 0; i < call->count; i++) {
        if (given[i])
            call->args[i] = cm_check_expression(check, given[i]->value);
        good = good && (!given[i] || call->args[i]);
    }
    if (!good)
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
    return check_default_dim(check, call) && check_dimension(check, call, ambiguous);
}
