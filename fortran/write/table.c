/*
 * Writes standard Fortran for CMF_AREF_1D and CMF_ASET_1D. The module's procedures copy elements of
 * any type and rank as 32-bit words. So a call also passes the number of words of an element, the
 * length of the table's first dimension, and the number of elements. Indices count from 1, and the
 * mask is an array.
 */
#include "write_private.h"

#include <string.h>

const char cm_table_procedures[] =
    "  subroutine cmf_aref_1d(words, rows, elements, dest, source, index, mask)\n"
    "    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc\n"
    "    integer, intent(in) :: words, rows, elements, index(elements)\n"
    "    type(*), target :: dest(*), source(*)\n"
    "    logical, intent(in) :: mask(elements)\n"
    "    integer(4), pointer :: to(:, :), from(:, :, :)\n"
    "    integer :: e\n"
    "    call c_f_pointer(c_loc(dest), to, [words, elements])\n"
    "    call c_f_pointer(c_loc(source), from, [words, rows, elements])\n"
    "    do e = 1, elements\n"
    "      if (mask(e)) to(:, e) = from(:, index(e), e)\n"
    "    end do\n"
    "  end subroutine\n"
    "  subroutine cmf_aset_1d(words, rows, elements, dest, source, index, mask)\n"
    "    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc\n"
    "    integer, intent(in) :: words, rows, elements, index(elements)\n"
    "    type(*), target :: dest(*), source(*)\n"
    "    logical, intent(in) :: mask(elements)\n"
    "    integer(4), pointer :: to(:, :, :), from(:, :)\n"
    "    integer :: e\n"
    "    call c_f_pointer(c_loc(dest), to, [words, rows, elements])\n"
    "    call c_f_pointer(c_loc(source), from, [words, elements])\n"
    "    do e = 1, elements\n"
    "      if (mask(e)) to(:, index(e), e) = from(:, e)\n"
    "    end do\n"
    "  end subroutine\n";

/* Writes texts and expressions alternately: text, expression, text, and so on. NULL ends the list
 * of texts. */
static void put_mixed(struct cm_writer *w, const char *const *texts,
                      const struct cm_syntax_expression *const *expressions)
{
    for (uint32_t i = 0; texts[i] != NULL; i++) {
        cm_put(w, texts[i]);
        if (expressions[i] != NULL)
            cm_put_expression(w, expressions[i]);
    }
}

bool cm_put_table(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    const struct cm_syntax_argument *argument = s->call.arguments.first;
    const struct cm_syntax_expression *args[4] = {NULL};
    const bool stores = strcmp(s->call.name, "cmf_aset_1d") == 0;
    if ((!stores && strcmp(s->call.name, "cmf_aref_1d") != 0) ||
        !cm_is_library_name(w, s->call.name) || s->call.arguments.count < 3)
        return false;
    for (uint32_t i = 0; i < 4 && argument != NULL; i++, argument = argument->next)
        args[i] = argument->value;
    const struct cm_syntax_expression *table = args[stores ? 0 : 1], *index = args[2];
    w->has_table = true;
    cm_put(w, "call ");
    cm_put(w, s->call.name);
    put_mixed(w,
              (const char *const[]){"(storage_size(", ") / 32, size(", ", 1), size(", "), ", NULL},
              (const struct cm_syntax_expression *const[]){table, table, index, args[0]});
    /* MERGE makes an array even if the source is a scalar. */
    if (stores)
        put_mixed(w, (const char *const[]){", merge(", ", ", ", ", " == ", NULL},
                  (const struct cm_syntax_expression *const[]){args[1], args[1], index, index});
    else
        put_mixed(w, (const char *const[]){", ", NULL},
                  (const struct cm_syntax_expression *const[]){args[1]});
    cm_put(w, stores ? "), (" : ", (");
    put_mixed(w, (const char *const[]){"", ") - lbound(", NULL},
              (const struct cm_syntax_expression *const[]){index, table});
    cm_put(w, ", 1) + 1, (");
    if (args[3] != NULL)
        put_mixed(w, (const char *const[]){"", ") .and. (", NULL},
                  (const struct cm_syntax_expression *const[]){args[3], NULL});
    put_mixed(w, (const char *const[]){"", " == ", "))", NULL},
              (const struct cm_syntax_expression *const[]){index, index, NULL});
    return true;
}
