/* Checks calls of the machine's libraries: PSHIFT of CMSSL (figure 4 of the PSHIFT paper), timers
 * and random numbers. */
#include "check.h"

#include <string.h>

static const char *const names[] = {
#define CM_LIBRARY(symbol, name, arguments) name,
#include "library.def"
#undef CM_LIBRARY
};

static const char *const texts[] = {
#define CM_LIBRARY(symbol, name, arguments) arguments,
#include "library.def"
#undef CM_LIBRARY
};

/* Shift types, by their numbers in cmssl-cmf.h (source/headers.c). EOSHIFT_SCALAR and EOSHIFT_ARRAY
 * need a boundary. */
enum { CSHIFT = 1, EOSHIFT_SCALAR, EOSHIFT_ARRAY, EOSHIFT_0, EOSHIFT_1 };

/* State of the check of a call. Functions take_*() check its arguments one after the other. */
struct library_call {
    struct cm_check *check;
    enum cm_fortran_library library;
    struct cm_source_place place;
    const struct cm_syntax_argument *next;
    struct cm_fortran_expression **args;
    uint32_t count;
};

bool cm_library_find(const char *name, enum cm_fortran_library *library)
{
    for (uint32_t i = 0; i < CM_FORTRAN_LIBRARY_COUNT; i++)
        if (strcmp(names[i], name) == 0) {
            *library = (enum cm_fortran_library)i;
            return true;
        }
    return false;
}

bool cm_library_is_function(enum cm_fortran_library library)
{
    return library == CM_FORTRAN_PSHIFT_SETUP || library == CM_FORTRAN_PSHIFT_SETUP_LOOPED ||
           library == CM_FORTRAN_CM_TIMER_READ_CM_BUSY ||
           library == CM_FORTRAN_CM_TIMER_READ_ELAPSED;
}

/* Adds a hint with the form of a call. A setup has the form in figure 7 of the PSHIFT paper. */
void cm_library_hint(struct cm_messages *messages, enum cm_fortran_library library)
{
    bool is_setup = library == CM_FORTRAN_PSHIFT_SETUP || library == CM_FORTRAN_PSHIFT_SETUP_LOOPED;
    if (is_setup)
        cm_messages_hint(messages,
                         "write ID = %s(N, PROTOTYPE, IER, CMSSL_CSHIFT, DIM, DISTANCE, ...), with "
                         "TYPE, DIM and DISTANCE of each of N shifts",
                         names[library]);
    else
        cm_messages_hint(messages, "write <variable> = %s(%s)", names[library], texts[library]);
}

static const char timers_hint[] =
    "CM_TIMER_START, CM_TIMER_STOP and CM_TIMER_READ_CM_BUSY measure time";

/* The routines of CM Fortran and Fortran 90 that cm200 does not support, with hints that say what
 * to write instead. */
static const struct refused {
    const char *name, *hint;
} refused[] = {
    {"associated", NULL},
    {"date_and_time", timers_hint},
    {"dlbound", NULL},
    {"dshape", NULL},
    {"dsize", NULL},
    {"dubound", NULL},
    {"exponent", NULL},
    {"firstloc", "MAXLOC(MERGE(1, 0, MASK)) gives the place of the first true element"},
    {"fraction", NULL},
    {"lastloc", "MAXVAL(MERGE([1:N], 0, MASK)) gives the place of a vector's last true element"},
    {"mvbits", NULL},
    {"nearest", NULL},
    {"project", "SUM(MERGE(ARRAY, 0, MASK), DIM) gives what a mask with one true element in each "
                "line selects"},
    {"random_seed", "CMF_RANDOMIZE(SEED) sets the seed"},
    {"rrspacing", NULL},
    {"scale", NULL},
    {"set_exponent", NULL},
    {"spacing", NULL},
    {"system_clock", timers_hint},
    {"transfer", NULL},
};
static const struct refused refused_prefixes[] = {
    {"cmf_", "of these routines there are CMF_AREF_1D, CMF_ASET_1D, CMF_RANDOM and CMF_RANDOMIZE; "
             "a workload has steps for "
             "scan, sort, gather and scatter, and its step call runs a subroutine on the arrays"},
    {"cmssl_", "of CMSSL there is PSHIFT; a workload has steps for fft, matmul, transpose, gather "
               "and scatter, and its step call runs a subroutine on the arrays"},
    {"cm_", NULL},
};
#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static const struct refused *find_refused(const char *name, bool *by_prefix)
{
    *by_prefix = false;
    for (size_t i = 0; i < COUNT(refused); i++)
        if (strcmp(name, refused[i].name) == 0)
            return &refused[i];
    *by_prefix = true;
    for (size_t i = 0; i < COUNT(refused_prefixes); i++)
        if (strncmp(name, refused_prefixes[i].name, strlen(refused_prefixes[i].name)) == 0)
            return &refused_prefixes[i];
    return NULL;
}

void cm_library_hint_refused(struct cm_messages *messages, const char *name)
{
    bool by_prefix;
    const struct refused *found = find_refused(name, &by_prefix);
    bool has_hint = messages->count > 0 && messages->items[messages->count - 1].hint[0] != '\0';
    /* A misspelt name already has a better hint. */
    if (found && found->hint && !(by_prefix && has_hint))
        cm_messages_hint(messages, "%s", found->hint);
}

bool cm_library_is_refused(const char *name)
{
    bool by_prefix;
    return find_refused(name, &by_prefix) != NULL;
}

/* Returns the next argument of the call. Reports a missing argument, and returns NULL. */
static const struct cm_syntax_expression *next_tree(struct library_call *call, const char *what)
{
    const struct cm_syntax_argument *argument = call->next;
    if (!argument) {
        cm_check_fail(call->check, call->place, "argument %s of %s is missing", what,
                      names[call->library]);
        cm_messages_hint(call->check->messages, "its arguments are: %s", texts[call->library]);
        return NULL;
    }
    if (argument->keyword) {
        cm_check_fail(call->check, argument->place, "the arguments of %s have no keywords",
                      names[call->library]);
        return NULL;
    }
    call->next = argument->next;
    return argument->value;
}

static struct cm_fortran_expression *add(struct library_call *call,
                                         struct cm_fortran_expression *argument)
{
    if (argument)
        call->args[call->count++] = argument;
    return argument;
}

/* Adds the names of the arguments in order as a hint, unless the message already has a hint. */
static void hint_arguments(struct library_call *call)
{
    struct cm_messages *messages = call->check->messages;
    if (messages->count > 0 && messages->items[messages->count - 1].hint[0] == '\0')
        cm_messages_hint(messages, "its arguments are: %s", texts[call->library]);
}

static struct cm_fortran_expression *take_int(struct library_call *call, const char *what)
{
    const struct cm_syntax_expression *tree = next_tree(call, what);
    struct cm_fortran_expression *value =
        tree ? cm_check_scalar(call->check, tree, CM_TYPE_INT32, what) : NULL;
    if (tree && !value)
        hint_arguments(call);
    return add(call, value);
}

/* Checks an argument that must be a variable, which receives an INTEGER result. */
static bool take_int_result(struct library_call *call, const char *what)
{
    const struct cm_syntax_expression *tree = next_tree(call, what);
    struct cm_fortran_expression *target =
        tree ? add(call, cm_check_target(call->check, tree)) : NULL;
    if (!target)
        return false;
    if (target->rank == 0 && target->type == CM_TYPE_INT32)
        return true;
    cm_check_fail(call->check, target->place, "%s is an INTEGER variable", what);
    return false;
}

static struct cm_fortran_expression *take_array(struct library_call *call, const char *what,
                                                bool changes)
{
    const struct cm_syntax_expression *tree = next_tree(call, what);
    struct cm_fortran_expression *array = !tree     ? NULL
                                          : changes ? cm_check_target(call->check, tree)
                                                    : cm_check_expression(call->check, tree);
    if (!add(call, array))
        return NULL;
    if (array->rank > 0 && array->kind == CM_FORTRAN_VARIABLE)
        return array;
    cm_check_fail(call->check, array->place, "%s is a whole array, not %s", what,
                  array->rank == 0 ? "a scalar" : "a part or an expression");
    hint_arguments(call);
    return NULL;
}

static bool take_shift_type(struct library_call *call, int32_t *type)
{
    const struct cm_syntax_expression *tree = next_tree(call, "TYPE");
    const struct cm_fortran_expression *constant =
        tree ? add(call, cm_check_expression(call->check, tree)) : NULL;
    if (!constant)
        return false;
    if (cm_constant_is_int(constant, type) && *type >= CSHIFT && *type <= EOSHIFT_1)
        return true;
    cm_check_fail(call->check, constant->place, "TYPE is not one of the CMSSL_ constants");
    cm_messages_hint(call->check->messages, "write INCLUDE '/usr/include/cm/cmssl-cmf.h', and "
                                            "CMSSL_CSHIFT or another of its constants");
    return false;
}

/* Checks the arguments DIM and DISTANCE of one shift of an array. */
static bool take_distance(struct library_call *call, const struct cm_fortran_expression *array)
{
    const struct cm_fortran_expression *dim = take_int(call, "DIM");
    int32_t value;
    if (cm_constant_is_int(dim, &value) && (value < 1 || value > array->rank)) {
        cm_check_fail(call->check, dim->place, "DIM of %s is %d; the array has rank %u",
                      names[call->library], value, array->rank);
        return false;
    }
    return dim && take_int(call, "DISTANCE");
}

static bool take_boundary(struct library_call *call, int32_t type,
                          const struct cm_fortran_expression *array)
{
    if (type != EOSHIFT_SCALAR && type != EOSHIFT_ARRAY)
        return true;
    const struct cm_syntax_expression *tree = next_tree(call, "BOUNDARY");
    const struct cm_fortran_expression *boundary =
        tree ? add(call, cm_check_expression(call->check, tree)) : NULL;
    if (!boundary)
        return false;
    uint32_t rank = type == EOSHIFT_ARRAY ? array->rank - 1u : 0;
    if (boundary->type == array->type && boundary->rank == rank)
        return true;
    cm_check_fail(call->check, boundary->place, "BOUNDARY is %s of rank %u, as the arrays need it",
                  cm_fortran_type_text(array->type), rank);
    return false;
}

static bool take_shift(struct library_call *call)
{
    int32_t type;
    if (!take_shift_type(call, &type))
        return false;
    const struct cm_fortran_expression *to = take_array(call, "DESTINATION", true);
    const struct cm_fortran_expression *from = to ? take_array(call, "SOURCE", false) : NULL;
    if (!from || !take_distance(call, from) || !take_boundary(call, type, from))
        return false;
    if (to->type != from->type) {
        cm_check_fail(call->check, to->place, "DESTINATION is %s, and SOURCE %s",
                      cm_fortran_type_text(to->type), cm_fortran_type_text(from->type));
        return false;
    }
    return cm_check_conform(call->check, to, from, to->place, "DESTINATION and SOURCE");
}

static bool check_number(struct library_call *call, const struct cm_fortran_expression *number,
                         uint32_t shifts)
{
    int32_t value;
    if (!cm_constant_is_int(number, &value) || (value > 0 && (uint32_t)value == shifts))
        return true;
    cm_check_fail(call->check, number->place, "N is %d, and the call has %u shift%s", value, shifts,
                  shifts == 1 ? "" : "s");
    return false;
}

/* Checks the arguments of PSHIFT, PSHIFT_SETUP or PSHIFT_SETUP_LOOPED, which describe N shifts. */
static bool take_shifts(struct library_call *call)
{
    bool is_setup = call->library != CM_FORTRAN_PSHIFT;
    const struct cm_fortran_expression *number = take_int(call, "N");
    const struct cm_fortran_expression *second = !number    ? NULL
                                                 : is_setup ? take_array(call, "PROTOTYPE", false)
                                                            : take_int(call, "ID");
    if (!second || !take_int_result(call, "IER"))
        return false;
    uint32_t shifts = 0;
    do {
        int32_t type;
        bool good = is_setup ? take_shift_type(call, &type) && take_distance(call, second)
                             : take_shift(call);
        if (!good)
            return false;
        shifts++;
    } while (call->next);
    return check_number(call, number, shifts);
}

static bool take_random(struct library_call *call)
{
    const struct cm_syntax_expression *tree = next_tree(call, "HARVEST");
    const struct cm_fortran_expression *target =
        tree ? add(call, cm_check_target(call->check, tree)) : NULL;
    if (!target)
        return false;
    bool is_cmf = call->library == CM_FORTRAN_CMF_RANDOM;
    if (!cm_type_is_real(target->type) && !(is_cmf && target->type == CM_TYPE_INT32)) {
        cm_check_fail(call->check, target->place, "%s cannot fill a variable of type %s",
                      names[call->library], cm_fortran_type_text(target->type));
        return false;
    }
    return !is_cmf || !call->next || take_int(call, "LIMIT");
}

/* Checks an argument that must be an expression of a type and a rank. If `or_scalar` is true, it
 * may also be a scalar. */
static const struct cm_fortran_expression *take_of(struct library_call *call, const char *what,
                                                   uint8_t type, uint32_t rank, bool or_scalar)
{
    const struct cm_syntax_expression *tree = next_tree(call, what);
    const struct cm_fortran_expression *value =
        tree ? add(call, cm_check_expression(call->check, tree)) : NULL;
    if (!value || (value->type == type && (value->rank == rank || (or_scalar && value->rank == 0))))
        return value;
    cm_check_fail(call->check, value->place, "%s of %s is %s of rank %u%s", what,
                  names[call->library], cm_fortran_type_text(type), rank,
                  or_scalar ? " or a scalar" : "");
    hint_arguments(call);
    return NULL;
}

/* Checks the arguments of CMF_AREF_1D or CMF_ASET_1D. The table has one dimension more than the
 * elements. */
static bool take_table(struct library_call *call, bool stores)
{
    const struct cm_fortran_expression *to, *from, *table;
    if (stores) {
        table = to = take_array(call, "DEST", true);
        from = to ? take_of(call, "SOURCE", to->type, to->rank - 1u, true) : NULL;
    } else {
        const struct cm_syntax_expression *tree = next_tree(call, "DEST");
        to = tree ? add(call, cm_check_target(call->check, tree)) : NULL;
        table = from = to ? take_array(call, "SOURCE", false) : NULL;
    }
    if (!to || !from)
        return false;
    const uint32_t rank = table->rank - 1u;
    if (rank == 0 || (!stores && (to->rank != rank || to->type != table->type))) {
        cm_check_fail(call->check, table->place,
                      "%s of %s has one dimension more than the elements, and their type",
                      stores ? "DEST" : "SOURCE", names[call->library]);
        hint_arguments(call);
        return false;
    }
    return take_of(call, "INDEX", CM_TYPE_INT32, rank, false) &&
           (!call->next || take_of(call, "MASK", CM_TYPE_LOGICAL, rank, true));
}

static bool take_all(struct library_call *call)
{
    switch (call->library) {
    case CM_FORTRAN_PSHIFT_SETUP:
    case CM_FORTRAN_PSHIFT_SETUP_LOOPED:
    case CM_FORTRAN_PSHIFT:
        return take_shifts(call);
    case CM_FORTRAN_RANDOM_NUMBER:
    case CM_FORTRAN_CMF_RANDOM:
        return take_random(call);
    case CM_FORTRAN_CMF_AREF_1D:
    case CM_FORTRAN_CMF_ASET_1D:
        return take_table(call, call->library == CM_FORTRAN_CMF_ASET_1D);
    case CM_FORTRAN_CMF_RANDOMIZE:
        return take_int(call, "SEED") != NULL;
    case CM_FORTRAN_DEALLOCATE_PSHIFT_SETUP:
        return take_int(call, "ID") != NULL;
    default:
        return take_int(call, "TIMER") != NULL;
    }
}

bool cm_check_library_arguments(struct cm_check *check, enum cm_fortran_library library,
                                struct cm_source_place place,
                                const struct cm_syntax_arguments *arguments,
                                struct cm_fortran_expression ***args, uint32_t *count)
{
    struct library_call call = {.check = check, .library = library, .place = place};
    call.next = arguments->first;
    call.args = cm_check_take(check, sizeof(void *) * ((size_t)arguments->count + 1));
    if (!call.args || !take_all(&call))
        return false;
    if (call.next) {
        cm_check_fail(check, call.next->place, "%s has too many arguments", names[library]);
        cm_messages_hint(check->messages, "its arguments are: %s", texts[library]);
        return false;
    }
    *args = call.args;
    *count = call.count;
    return true;
}
