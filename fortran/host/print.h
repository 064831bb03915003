/* Items of PRINT and WRITE, and how they become text. Not installed. */
#ifndef CM_FORTRAN_PRINT_H
#define CM_FORTRAN_PRINT_H

#include "host.h"

/* One scalar value or text to print. */
struct cm_fortran_item {
    uint8_t type; /* enum cm_type or CM_FORTRAN_CHARACTER */
    union cm_fortran_value value;
    const char *text;
    uint32_t length;
};

/* Items of a statement, with arrays element by element. Macros of base/list.h work on it. */
struct cm_fortran_items {
    struct cm_fortran_item *items;
    uint32_t count, capacity;
    bool failed;
};

/* Appends the items to the program's output by a format, with a newline at the end. `format` is the
 * text between the FORMAT's parentheses. Sets *fault to NULL, or to a message on a fault of the
 * format (print_format.c). Fails with CM_INTERRUPTED. */
enum cm_status cm_fortran_write_format(struct cm_fortran_run *run, const char *format,
                                       const struct cm_fortran_items *items, const char **fault);
/* An edit descriptor for a number (print_number.c). In a width, a number has blanks on its left, or
 * is asterisks if it does not fit. */
struct cm_fortran_edit {
    char letter;     /* I, F, E, D, G, L or A, S for ES, N for EN */
    uint32_t width;  /* 0 for as many characters as needed */
    uint32_t digits; /* digits behind the point, or least digits of an integer */
    bool has_digits;
    uint32_t exponent_digits; /* 0 if not given */
    int32_t scale;            /* scale factor of P */
    bool plus;                /* true after SP: positive numbers have a sign */
};
/* Appends a number, in the form of an edit descriptor. */
void cm_fortran_edit_number(const struct cm_fortran_edit *edit, enum cm_type type,
                            const union cm_fortran_value *value, struct cm_buffer *out);
/* Appends a real number in the form of list-directed output, in its usual width or without
 * blanks. */
void cm_fortran_list_real(bool is_wide, double value, bool in_width, struct cm_buffer *out);

#endif
