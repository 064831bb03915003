/* Writes standard Fortran in place of the machine's libraries: shifts get keywords, PSHIFT becomes
 * a sequence of shifts, and a module has the other routines. */
#include "write_private.h"

#include <string.h>

static const struct {
    /* name in CM Fortran, and name in the module, or NULL if it is the same */
    const char *name, *standard;
} library[] = {
    {"cmssl_cshift", NULL},
    {"cmssl_eoshift_scalar", NULL},
    {"cmssl_eoshift_array", NULL},
    {"cmssl_eoshift_0", NULL},
    {"cmssl_eoshift_1", NULL},
    {"pshift_setup", NULL},
    {"pshift_setup_looped", NULL},
    {"deallocate_pshift_setup", NULL},
    {"pshift", NULL},
    {"cm_timer_clear", NULL},
    {"cm_timer_start", NULL},
    {"cm_timer_stop", NULL},
    {"cm_timer_print", NULL},
    {"cm_timer_read_cm_busy", NULL},
    {"cm_timer_read_elapsed", NULL},
    {"cmf_random", NULL},
    {"cmf_randomize", NULL},
    {"cmf_aref_1d", NULL},
    {"cmf_aset_1d", NULL},
    {"random_number", "cm200_random_number"},
    {"replicate", NULL},
    {"diagonal", NULL},
};

/* Element types for which the module has procedures REPLICATE and DIAGONAL, one for each type and
 * rank. */
static const struct {
    const char *name, *type, *zero;
} types[] = {
    {"i4", "integer", "0"},    {"r4", "real(4)", "0"},    {"r8", "real(8)", "0"},
    {"c4", "complex(4)", "0"}, {"c8", "complex(8)", "0"}, {"l4", "logical", ".false."},
};
#define TYPES           (sizeof types / sizeof types[0])
#define REPLICATE_RANKS 6u

/* Text of the module of the machine's libraries. docs/fortran.md describes its random numbers. */
static const char module_head[] =
    "! What CM Fortran programs use of the machine's libraries.\n"
    "module cm200_library\n"
    "  implicit none\n"
    "  integer, parameter :: cmssl_cshift = 1, cmssl_eoshift_scalar = 2\n"
    "  integer, parameter :: cmssl_eoshift_array = 3, cmssl_eoshift_0 = 4, cmssl_eoshift_1 = 5\n"
    "  integer, parameter :: cm200_timers = 64\n"
    "  double precision, save :: cm200_total(0:cm200_timers) = 0, cm200_begun(0:cm200_timers) = 0\n"
    "  integer(8), save :: cm200_state = 1\n"
    "  integer, save :: cm200_setups = 0\n"
    "  interface cm200_random_number\n"
    "    module procedure cm200_random_4, cm200_random_8\n"
    "  end interface\n";
static const char module_middle[] =
    "  interface cmf_random\n"
    "    module procedure cm200_random_4, cm200_random_8, cm200_random_below\n"
    "  end interface\n"
    "contains\n"
    "  integer function pshift_setup(n, ier)\n"
    "    integer, intent(in) :: n\n"
    "    integer, intent(out) :: ier\n"
    "    cm200_setups = cm200_setups + 1\n"
    "    pshift_setup = cm200_setups\n"
    "    ier = 0 * n\n"
    "  end function\n"
    "  integer function pshift_setup_looped(n, ier)\n"
    "    integer, intent(in) :: n\n"
    "    integer, intent(out) :: ier\n"
    "    pshift_setup_looped = pshift_setup(n, ier)\n"
    "  end function\n"
    "  subroutine deallocate_pshift_setup(id)\n"
    "    integer, intent(in) :: id\n"
    "    if (id < 0) stop 'deallocate_pshift_setup: not a setup'\n"
    "  end subroutine\n"
    "  subroutine cm_timer_clear(timer)\n"
    "    integer, intent(in) :: timer\n"
    "    cm200_total(timer) = 0\n"
    "  end subroutine\n"
    "  subroutine cm_timer_start(timer)\n"
    "    integer, intent(in) :: timer\n"
    "    call cpu_time(cm200_begun(timer))\n"
    "  end subroutine\n"
    "  subroutine cm_timer_stop(timer)\n"
    "    integer, intent(in) :: timer\n"
    "    double precision :: now\n"
    "    call cpu_time(now)\n"
    "    cm200_total(timer) = cm200_total(timer) + now - cm200_begun(timer)\n"
    "  end subroutine\n"
    "  subroutine cm_timer_print(timer)\n"
    "    integer, intent(in) :: timer\n"
    "    print *, 'timer', timer, cm200_total(timer), 'seconds'\n"
    "  end subroutine\n"
    "  double precision function cm_timer_read_cm_busy(timer)\n"
    "    integer, intent(in) :: timer\n"
    "    cm_timer_read_cm_busy = cm200_total(timer)\n"
    "  end function\n"
    "  double precision function cm_timer_read_elapsed(timer)\n"
    "    integer, intent(in) :: timer\n"
    "    cm_timer_read_elapsed = cm200_total(timer)\n"
    "  end function\n"
    "  integer(8) function cm200_next()\n"
    "    integer(8) :: z\n"
    "    cm200_state = cm200_state - 7046029254386353131_8\n"
    "    z = cm200_state\n"
    "    z = ieor(z, ishft(z, -30)) * (-4658895280553007687_8)\n"
    "    z = ieor(z, ishft(z, -27)) * (-7723592293110705685_8)\n"
    "    cm200_next = ieor(z, ishft(z, -31))\n"
    "  end function\n"
    "  impure elemental subroutine cm200_random_4(x)\n"
    "    real(4), intent(out) :: x\n"
    "    x = real(ishft(cm200_next(), -40), 4) * 2.0_4**(-24)\n"
    "  end subroutine\n"
    "  impure elemental subroutine cm200_random_8(x)\n"
    "    real(8), intent(out) :: x\n"
    "    x = real(ishft(cm200_next(), -11), 8) * 2.0_8**(-53)\n"
    "  end subroutine\n"
    "  impure elemental subroutine cm200_random_below(x, limit)\n"
    "    integer(4), intent(out) :: x\n"
    "    integer(4), intent(in) :: limit\n"
    "    x = int(mod(ishft(cm200_next(), -33), int(limit, 8)), 4)\n"
    "  end subroutine\n"
    "  subroutine cmf_randomize(seed)\n"
    "    integer, intent(in) :: seed\n"
    "    cm200_state = seed\n"
    "  end subroutine\n";
static const char module_end[] = "end module\n";

static void put_interfaces(struct cm_buffer *text)
{
    cm_buffer_printf(text, "  interface replicate\n");
    for (size_t t = 0; t < TYPES; t++)
        for (uint32_t rank = 1; rank <= REPLICATE_RANKS; rank++)
            cm_buffer_printf(text, "    module procedure cm200_replicate_%s_%u\n", types[t].name,
                             rank);
    cm_buffer_printf(text, "  end interface\n  interface diagonal\n");
    for (size_t t = 0; t < TYPES; t++)
        cm_buffer_printf(text, "    module procedure cm200_diagonal_%s\n", types[t].name);
    cm_buffer_printf(text, "  end interface\n");
}

static void put_replicate(struct cm_buffer *text, size_t t, uint32_t rank)
{
    static const char colons[] = ":,:,:,:,:,:";
    const int length = (int)(2 * rank - 1);
    cm_buffer_printf(text,
                     "  function cm200_replicate_%s_%u(array, dim, ncopies) result(r)\n"
                     "    %s, intent(in) :: array(%.*s)\n"
                     "    integer, intent(in) :: dim, ncopies\n"
                     "    %s, allocatable :: r(%.*s)\n"
                     "    integer :: s(%u)\n"
                     "    s = shape(array)\n"
                     "    s(dim) = s(dim) * max(ncopies, 0)\n"
                     "    r = reshape(spread(array, dim + 1, ncopies), s)\n"
                     "  end function\n",
                     types[t].name, rank, types[t].type, length, colons, types[t].type, length,
                     colons, rank);
}

static void put_diagonal(struct cm_buffer *text, size_t t)
{
    cm_buffer_printf(text,
                     "  function cm200_diagonal_%s(array, fill) result(r)\n"
                     "    %s, intent(in) :: array(:)\n"
                     "    %s, intent(in), optional :: fill\n"
                     "    %s :: r(size(array), size(array))\n"
                     "    integer :: i\n"
                     "    r = %s\n"
                     "    if (present(fill)) r = fill\n"
                     "    do i = 1, size(array)\n"
                     "      r(i, i) = array(i)\n"
                     "    end do\n"
                     "  end function\n",
                     types[t].name, types[t].type, types[t].type, types[t].type, types[t].zero);
}

void cm_library_module(bool has_made, bool has_table, struct cm_buffer *text)
{
    struct cm_buffer interfaces, functions;
    cm_buffer_init(&interfaces);
    cm_buffer_init(&functions);
    cm_buffer_printf(&interfaces, "%s", "");
    cm_buffer_printf(&functions, "%s", "");
    if (has_table)
        cm_buffer_printf(&functions, "%s", cm_table_procedures);
    if (has_made)
        put_interfaces(&interfaces);
    for (size_t t = 0; has_made && t < TYPES; t++) {
        for (uint32_t rank = 1; rank <= REPLICATE_RANKS; rank++)
            put_replicate(&functions, t, rank);
        put_diagonal(&functions, t);
    }
    if (cm_buffer_ok(&interfaces) && cm_buffer_ok(&functions))
        cm_buffer_printf(text, "%s%s%s%s%s\n", module_head, interfaces.data, module_middle,
                         functions.data, module_end);
    else
        text->failed = true;
    cm_buffer_finish(&interfaces);
    cm_buffer_finish(&functions);
}

static bool is_user_unit(const struct cm_writer *w, const char *name)
{
    for (const struct cm_syntax_unit *unit = w->tree->units; unit; unit = unit->next)
        if (unit->name == name)
            return true;
    return false;
}

static int find_library(const struct cm_writer *w, const char *name)
{
    for (size_t i = 0; !w->options.is_tree && i < sizeof library / sizeof library[0]; i++)
        if (strcmp(name, library[i].name) == 0)
            return is_user_unit(w, name) ? -1 : (int)i;
    return -1;
}

bool cm_is_made(const struct cm_writer *w, const char *name)
{
    return (strcmp(name, "replicate") == 0 || strcmp(name, "diagonal") == 0) &&
           find_library(w, name) >= 0;
}

bool cm_is_library_name(const struct cm_writer *w, const char *name)
{
    return find_library(w, name) >= 0;
}

const char *cm_standard_name(const struct cm_writer *w, const char *name)
{
    int found = find_library(w, name);
    if (found >= 0 && library[found].standard)
        return library[found].standard;
    if (!w->options.is_tree && strcmp(name, "dotproduct") == 0 && !is_user_unit(w, name))
        return "dot_product";
    return name;
}

/* ---- CSHIFT and EOSHIFT ---- */

/* Returns a list, ended by NULL, of the keywords for the arguments that have none. Two such
 * arguments are an array and a shift, in the order of CM Fortran and of Fortran 90, as in
 * fortran/check/shift.c. */
static const char *const *keywords_of(const struct cm_writer *w, bool is_circular,
                                      uint32_t positional)
{
    static const char *const paper[] = {"array", "dim", "shift", "boundary", NULL};
    static const char *const f90[2][5] = {{"array", "shift", "boundary", "dim", NULL},
                                          {"array", "shift", "dim", NULL}};
    static const char *const circular[] = {"array", "dim", "shift", NULL};
    if (positional == 2 || cm_shift_order_of(w->options.order, w->source) == CM_SHIFT_ORDER_F90)
        return f90[is_circular];
    return is_circular ? circular : paper;
}

static bool is_given(const struct cm_syntax_expression *call, const char *keyword)
{
    for (const struct cm_syntax_argument *a = call->call.arguments.first; a; a = a->next)
        if (a->keyword && strcmp(a->keyword, keyword) == 0)
            return true;
    return false;
}

static uint32_t count_positional(const struct cm_syntax_expression *call)
{
    uint32_t count = 0;
    for (const struct cm_syntax_argument *a = call->call.arguments.first; a; a = a->next)
        count += a->keyword == NULL;
    return count;
}

bool cm_put_shift(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    bool is_circular = strcmp(e->call.name, "cshift") == 0, has_shift = false;
    const char *const *next = keywords_of(w, is_circular, count_positional(e));
    if ((!is_circular && strcmp(e->call.name, "eoshift") != 0) || is_user_unit(w, e->call.name))
        return false;
    cm_put(w, e->call.name);
    cm_put(w, "(");
    for (const struct cm_syntax_argument *a = e->call.arguments.first; a; a = a->next) {
        while (!a->keyword && *next && is_given(e, *next))
            next++;
        const char *keyword = a->keyword ? a->keyword : *next ? *next++ : NULL;
        if (!keyword) {
            cm_messages_add(w->messages, a->place, "%s has fewer arguments", e->call.name);
            break;
        }
        has_shift |= strcmp(keyword, "shift") == 0;
        cm_put(w, keyword);
        cm_put(w, " = ");
        cm_put_expression(w, a->value);
        if (a->next)
            cm_put(w, ", ");
    }
    cm_put(w, ")");
    if (!has_shift) {
        cm_messages_add(w->messages, e->place, "this shift has no distance");
        cm_messages_hint(w->messages, "the order is (array, dim, shift); --cshift-order f90 reads "
                                      "(array, shift, dim)");
    }
    return true;
}

/* ---- PSHIFT ---- */

bool cm_put_setup(struct cm_writer *w, const struct cm_syntax_expression *e)
{
    const struct cm_syntax_argument *count = e->call.arguments.first;
    bool is_setup = strcmp(e->call.name, "pshift_setup") == 0 ||
                    strcmp(e->call.name, "pshift_setup_looped") == 0;
    if (!is_setup || !cm_is_library_name(w, e->call.name))
        return false;
    if (e->call.arguments.count < 3) {
        cm_messages_add(w->messages, e->place, "%s needs a number, an array and an error variable",
                        e->call.name);
        return true;
    }
    w->needs_library = true;
    cm_put(w, e->call.name);
    cm_put(w, "(");
    cm_put_expression(w, count->value);
    cm_put(w, ", ");
    cm_put_expression(w, count->next->next->value);
    cm_put(w, ")");
    return true;
}

bool cm_is_pshift(const struct cm_writer *w, const struct cm_syntax_statement *s)
{
    return s->kind == CM_STATEMENT_CALL && !w->options.is_tree &&
           strcmp(s->call.name, "pshift") == 0 && cm_is_library_name(w, s->call.name);
}

/* Returns the declared or implicit base type of a name in the current unit. */
static enum cm_base_type base_of(const struct cm_writer *w, const char *name)
{
    enum cm_base_type base = name[0] >= 'i' && name[0] <= 'n' ? CM_BASE_INTEGER : CM_BASE_REAL;
    for (const struct cm_syntax_statement *s = w->unit->block.first; s; s = s->next) {
        if (s->kind == CM_STATEMENT_IMPLICIT)
            for (const struct cm_syntax_implicit *i = s->implicit.first; i; i = i->next)
                if (name[0] >= i->from && name[0] <= i->to)
                    base = i->type.base;
        if (s->kind == CM_STATEMENT_TYPE)
            for (const struct cm_syntax_entity *e = s->declare.entities.first; e; e = e->next)
                if (e->name == name)
                    return s->declare.type.base;
    }
    return base;
}

/* Writes the constant 1 in the type of the shifted array, as the boundary of a shift. */
static void put_one(struct cm_writer *w, const struct cm_syntax_expression *array)
{
    const char *name = array->kind == CM_EXPRESSION_CALL ? array->call.name : array->name;
    enum cm_base_type base = base_of(w, name);
    cm_put(w, base == CM_BASE_INTEGER   ? "int(1, kind("
              : base == CM_BASE_COMPLEX ? "cmplx(1, kind=kind("
                                        : "real(1, kind(");
    cm_put(w, name);
    cm_put(w, "))");
}

enum shift_type { CIRCULAR, SCALAR, ARRAY, ZERO, ONE, UNKNOWN };

static enum shift_type shift_type_of(const struct cm_syntax_expression *e)
{
    static const char *const names[] = {"cmssl_cshift", "cmssl_eoshift_scalar",
                                        "cmssl_eoshift_array", "cmssl_eoshift_0",
                                        "cmssl_eoshift_1"};
    for (int i = 0; e->kind == CM_EXPRESSION_NAME && i < UNKNOWN; i++)
        if (strcmp(e->name, names[i]) == 0)
            return (enum shift_type)i;
    return UNKNOWN;
}

/* Writes one shift of PSHIFT as a statement. `first` is its first argument: type, destination,
 * source, dim, distance and perhaps a boundary. Returns the argument behind the shift. Sets *failed
 * to true after a fault. */
static const struct cm_syntax_argument *
put_one_shift(struct cm_writer *w, const struct cm_syntax_argument *first, bool *failed)
{
    const struct cm_syntax_argument *part[6] = {first};
    enum shift_type type = shift_type_of(first->value);
    int count = type == SCALAR || type == ARRAY ? 6 : 5;
    for (int i = 1; i < count && part[i - 1]; i++)
        part[i] = part[i - 1]->next;
    bool is_array = part[2] && (part[2]->value->kind == CM_EXPRESSION_NAME ||
                                part[2]->value->kind == CM_EXPRESSION_CALL);
    *failed = type == UNKNOWN || !part[count - 1] || !is_array;
    if (*failed)
        return NULL;
    cm_begin_line(w, 0);
    cm_put_expression(w, part[1]->value);
    cm_put(w, type == CIRCULAR ? " = cshift(" : " = eoshift(");
    cm_put_expression(w, part[2]->value);
    cm_put(w, ", dim = ");
    cm_put_expression(w, part[3]->value);
    cm_put(w, ", shift = ");
    cm_put_expression(w, part[4]->value);
    if (type == SCALAR || type == ARRAY || type == ONE)
        cm_put(w, ", boundary = ");
    if (type == ONE)
        put_one(w, part[2]->value);
    else if (count == 6)
        cm_put_expression(w, part[5]->value);
    cm_put(w, ")");
    cm_end_line(w);
    return part[count - 1]->next;
}

void cm_put_pshift(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    const struct cm_syntax_argument *a = s->call.arguments.first;
    bool failed = s->call.arguments.count < 3;
    w->needs_library = true;
    if (!failed) {
        cm_begin_line(w, 0);
        cm_put_expression(w, a->next->next->value);
        cm_put(w, " = 0");
        cm_end_line(w);
        a = a->next->next->next;
    }
    while (a && !failed) {
        const struct cm_syntax_argument *shift = a;
        a = put_one_shift(w, shift, &failed);
        if (failed)
            cm_messages_add(w->messages, shift->place, "this is not a shift of PSHIFT");
    }
    if (failed)
        cm_messages_hint(w->messages, "each is a type (CMSSL_CSHIFT, CMSSL_EOSHIFT_0, ...), a "
                                      "destination, a source, an axis, a distance and a boundary "
                                      "for SCALAR and ARRAY");
}
