/* Checks calls of intrinsic functions: finds the function, puts its arguments into the order of
 * intrinsics.def, and calls the check of its class. */
#include "check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum intrinsic_class { ELEMENTAL, REDUCTION, TRANSFORMATION, INQUIRY, TEXT };

static const struct cm_intrinsic_row rows[] = {
#define CM_INTRINSIC(symbol, name, class, arguments, summary) {name, arguments, class, 0, 0, 0},
#define CM_ELEMENTAL(symbol, name, arguments, takes, folds, result, lowers, op, summary)           \
    {name, arguments, ELEMENTAL, CM_TYPES_##takes, CM_TYPES_##folds, CM_GIVES_##result},
#include "intrinsics.def"
#undef CM_INTRINSIC
};

const struct cm_intrinsic_row *cm_intrinsic_row(enum cm_fortran_intrinsic intrinsic)
{
    return &rows[intrinsic];
}

/* A formal argument of an intrinsic function. */
struct formal {
    char name[16];
    bool is_optional;
};

#define FORMALS_MAX 8u

static uint32_t formals_of(const char *text, struct formal formals[FORMALS_MAX])
{
    uint32_t count = 0;
    while (*text && count < FORMALS_MAX) {
        size_t length = strcspn(text, " ");
        if (text[0] == '.')
            break; /* `...`: any number of arguments may follow. */
        struct formal *formal = &formals[count++];
        formal->is_optional = text[length - 1] == '?';
        (void)snprintf(formal->name, sizeof formal->name, "%.*s",
                       (int)(formal->is_optional ? length - 1 : length), text);
        text += length + (text[length] == ' ');
    }
    return count;
}

bool cm_intrinsic_find(const char *name, enum cm_fortran_intrinsic *intrinsic)
{
    for (uint32_t i = 0; i < CM_FORTRAN_INTRINSICS; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *intrinsic = (enum cm_fortran_intrinsic)i;
            return true;
        }
    const struct cm_specific_name *specific = cm_specific_find(name);
    if (specific)
        *intrinsic = specific->intrinsic;
    return specific != NULL;
}

bool cm_intrinsic_known(const char *name)
{
    enum cm_fortran_intrinsic intrinsic;
    return cm_intrinsic_find(name, &intrinsic);
}

/* Returns whether the last argument of the function is KIND, which decides the kind of the
 * result. */
static bool takes_kind(enum cm_fortran_intrinsic intrinsic)
{
    switch (intrinsic) {
    case CM_FORTRAN_AINT:
    case CM_FORTRAN_ANINT:
    case CM_FORTRAN_CEILING:
    case CM_FORTRAN_CMPLX:
    case CM_FORTRAN_FLOOR:
    case CM_FORTRAN_NINT:
    case CM_FORTRAN_REAL:
    case CM_FORTRAN_INTRINSICS:
        return true;
    default:
        return false;
    }
}

static bool check_kind(struct cm_check *check, struct cm_intrinsic_call *call,
                       const struct cm_syntax_expression *tree)
{
    int32_t kind;
    if (!cm_check_integer(check, tree, "KIND", &kind))
        return false;
    if (kind != 4 && kind != 8) {
        cm_check_fail(check, tree->place, "there is no KIND %d; there are 4 and 8", kind);
        return false;
    }
    call->has_kind = true;
    call->kind = (uint8_t)kind;
    return true;
}

static struct cm_fortran_expression *check_argument(struct cm_check *check,
                                                    const struct cm_intrinsic_call *call,
                                                    const struct cm_syntax_expression *tree)
{
    bool inquires =
        call->intrinsic < CM_FORTRAN_INTRINSICS && rows[call->intrinsic].class == INQUIRY;
    struct cm_fortran_expression *argument = call->intrinsic == CM_FORTRAN_PRESENT
                                                 ? cm_check_actual(check, tree)
                                             : inquires ? cm_check_named(check, tree)
                                                        : cm_check_expression(check, tree);
    bool takes_text = inquires || (call->intrinsic < CM_FORTRAN_INTRINSICS &&
                                   rows[call->intrinsic].class == TEXT);
    if (argument && argument->type >= CM_TYPE_COUNT && !takes_text)
        return cm_check_fail(check, tree->place, "%s does not take a CHARACTER value", call->name);
    return argument;
}

static uint32_t position_of(const struct cm_syntax_argument *argument, const struct formal *formals,
                            uint32_t count, uint32_t next)
{
    if (!argument->keyword)
        return next;
    uint32_t at = 0;
    while (at < count && strcasecmp(formals[at].name, argument->keyword) != 0)
        at++;
    return at;
}

static bool refuse_argument(struct cm_check *check, const struct cm_intrinsic_call *call,
                            const struct cm_syntax_argument *argument, const char *arguments)
{
    if (argument->keyword)
        cm_check_fail(check, argument->place, "%s has no argument %s", call->name,
                      argument->keyword);
    else
        cm_check_fail(check, argument->place, "%s has too many arguments", call->name);
    cm_messages_hint(check->messages, "its arguments are: %s", arguments);
    return false;
}

static bool place_arguments(struct cm_check *check, struct cm_intrinsic_call *call,
                            const struct formal *formals, const char *text)
{
    bool kinds = takes_kind(call->intrinsic), good = true;
    uint32_t next = 0;
    for (const struct cm_syntax_argument *argument = call->tree->call.arguments.first; argument;
         argument = argument->next) {
        uint32_t at = position_of(argument, formals, call->count, next);
        bool is_kind =
            argument->keyword ? strcasecmp(argument->keyword, "kind") == 0 : at == call->count;
        if (at >= call->count && kinds && is_kind) {
            good = check_kind(check, call, argument->value) && good;
            continue;
        }
        if (at >= call->count)
            return refuse_argument(check, call, argument, text);
        if (call->args[at]) {
            cm_check_fail(check, argument->place, "argument %s of %s is given twice",
                          formals[at].name, call->name);
            return false;
        }
        call->args[at] = check_argument(check, call, argument->value);
        good = call->args[at] && good;
        next = at + 1;
    }
    for (uint32_t i = 0; i < call->count && good; i++)
        if (!call->args[i] && !formals[i].is_optional) {
            cm_check_fail(check, call->place, "argument %s of %s is missing", formals[i].name,
                          call->name);
            cm_messages_hint(check->messages, "its arguments are: %s", text);
            return false;
        }
    return good;
}

/* Checks the arguments of MIN or MAX, which has two or more. */
static bool list_arguments(struct cm_check *check, struct cm_intrinsic_call *call)
{
    const struct cm_syntax_arguments *arguments = &call->tree->call.arguments;
    if (arguments->count < 2) {
        cm_check_fail(check, call->place, "%s needs two arguments or more", call->name);
        return false;
    }
    call->list = cm_check_take(check, sizeof(void *) * arguments->count);
    if (!call->list)
        return false;
    bool good = true;
    call->count = 0;
    for (const struct cm_syntax_argument *argument = arguments->first; argument;
         argument = argument->next) {
        if (argument->keyword) {
            cm_check_fail(check, argument->place, "the arguments of %s have no keywords",
                          call->name);
            return false;
        }
        call->list[call->count] = check_argument(check, call, argument->value);
        good = call->list[call->count++] && good;
    }
    return good;
}

static bool check_arguments(struct cm_check *check, struct cm_intrinsic_call *call)
{
    call->list = call->args;
    if (call->intrinsic == CM_FORTRAN_MIN || call->intrinsic == CM_FORTRAN_MAX)
        return list_arguments(check, call);
    if (call->intrinsic == CM_FORTRAN_CSHIFT || call->intrinsic == CM_FORTRAN_EOSHIFT)
        return cm_check_shift_arguments(check, call);
    struct formal formals[FORMALS_MAX];
    const char *text =
        call->intrinsic == CM_FORTRAN_INTRINSICS ? "A" : rows[call->intrinsic].arguments;
    call->count = formals_of(text, formals);
    return place_arguments(check, call, formals, text);
}

struct cm_fortran_expression *cm_intrinsic_result(struct cm_check *check,
                                                  struct cm_intrinsic_call *call, uint8_t type,
                                                  uint32_t rank)
{
    struct cm_fortran_expression *result =
        cm_check_new(check, CM_FORTRAN_INTRINSIC, type, rank, call->place);
    if (!result || !cm_check_args(check, result, call->count))
        return NULL;
    result->intrinsic = call->intrinsic;
    memcpy(result->args, call->list, sizeof(void *) * call->count);
    return cm_check_fold(check, result);
}

/* Returns whether the arguments of a specific name, such as DSQRT, have its type. Reports a fault
 * if not. */
static bool check_specific(struct cm_check *check, const struct cm_intrinsic_call *call,
                           const struct cm_specific_name *specific)
{
    for (uint32_t i = 0; i < call->count; i++) {
        const struct cm_fortran_expression *argument = call->list[i];
        if (specific->argument == CM_FORTRAN_NO_TYPE || !argument ||
            argument->type == specific->argument)
            continue;
        cm_check_fail(check, argument->place, "%s takes %s, not %s", call->name,
                      cm_fortran_type_text(specific->argument),
                      cm_fortran_type_text(argument->type));
        if (specific->intrinsic < CM_FORTRAN_INTRINSICS)
            cm_messages_hint(check->messages, "%s takes any type", rows[specific->intrinsic].name);
        return false;
    }
    return true;
}

static struct cm_fortran_expression *
check_conversion(struct cm_check *check, const struct cm_intrinsic_call *call, uint8_t type)
{
    if (call->args[0]->type == CM_TYPE_LOGICAL)
        return cm_check_fail(check, call->place, "%s does not take a LOGICAL value", call->name);
    if (call->has_kind && type == CM_TYPE_INT32 && call->kind != 4)
        return cm_check_fail(check, call->place, "INTEGER of %u bytes is not supported",
                             call->kind);
    return cm_check_convert(check, call->args[0], type);
}

static struct cm_fortran_expression *dispatch(struct cm_check *check,
                                              struct cm_intrinsic_call *call)
{
    switch (rows[call->intrinsic].class) {
    case ELEMENTAL:
        return cm_check_elemental(check, call);
    case REDUCTION:
        return cm_check_reduction(check, call);
    case TRANSFORMATION:
        return cm_check_transformation(check, call);
    case TEXT:
        return cm_check_text_function(check, call);
    default:
        return cm_check_inquiry(check, call);
    }
}

struct cm_fortran_expression *cm_check_intrinsic(struct cm_check *check,
                                                 const struct cm_syntax_expression *tree)
{
    char name[32];
    size_t length = 0;
    for (const char *text = tree->call.name; text[length] && length + 1 < sizeof name; length++)
        name[length] = (char)toupper((unsigned char)text[length]);
    name[length] = '\0';
    struct cm_intrinsic_call call = {.tree = tree, .place = tree->place, .name = name};
    const struct cm_specific_name *specific = cm_specific_find(tree->call.name);
    if (!cm_intrinsic_find(tree->call.name, &call.intrinsic) || !check_arguments(check, &call))
        return NULL;
    if (specific && !check_specific(check, &call, specific))
        return NULL;
    if (specific && specific->intrinsic == CM_FORTRAN_INTRINSICS)
        return check_conversion(check, &call, specific->result);
    if (specific && specific->intrinsic == CM_FORTRAN_CMPLX) {
        call.has_kind = true;
        call.kind = 8;
    }
    struct cm_fortran_expression *result = dispatch(check, &call);
    if (!specific || specific->result == CM_FORTRAN_NO_TYPE)
        return result;
    return cm_check_convert(check, result, specific->result);
}
