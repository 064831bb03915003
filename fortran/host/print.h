/* This header declares the items of PRINT and WRITE, and the functions that make text of them. It
 * is not installed. */
#ifndef CM_FORTRAN_PRINT_H
#define CM_FORTRAN_PRINT_H

#include "host.h"

/* An item of PRINT or WRITE: one scalar value or text. */
struct cm_fortran_item {
    uint8_t type; /* type of the value, enum cm_type or CM_FORTRAN_CHARACTER */
    union cm_fortran_value value;
    const char *text;
    uint32_t length;
};

/* Items of a PRINT or WRITE statement. Each element of an array is an item. Macros of base/list.h
 * work on this struct. */
struct cm_fortran_items {
    struct cm_fortran_item *items;
    uint32_t count, capacity;
    bool failed;
};

/* Writes the items by a format, appends them to the program's output, and ends the line. `format`
 * is the text between the FORMAT's parentheses. Sets *fault to a message if the format has a fault,
 * or else to NULL. Fails with CM_INTERRUPTED if the machine was interrupted. */
enum cm_status cm_fortran_write_format(struct cm_fortran_run *run, const char *format,
                                       const struct cm_fortran_items *items, const char **fault);
/* An edit descriptor for a number (print_number.c), such as F8.3. A number is right-justified in
 * its width, and becomes asterisks if it does not fit. */
struct cm_fortran_edit {
    /* letter of the descriptor: I, F, E, D, G, L or A, with S for ES and N for EN */
    char letter;
    uint32_t width;  /* width in characters, or 0 for as many as the number needs */
    uint32_t digits; /* digits behind the point, or the least number of digits of an integer */
    bool has_digits;
    uint32_t exponent_digits; /* digits of the exponent, or 0 if not given */
    int32_t scale;            /* scale factor that the descriptor P has set */
    bool plus;                /* true after SP: positive numbers have a sign */
};
/* Appends a number to `out`, in the form that an edit descriptor asks for. */
void cm_fortran_edit_number(const struct cm_fortran_edit *edit, enum cm_type type,
                            const union cm_fortran_value *value, struct cm_buffer *out);
/* Appends a real number to `out` in the form of list-directed output. It is right-justified in the
 * usual width if `in_width` is true. `is_wide` is true for 64-bit numbers. */
void cm_fortran_list_real(bool is_wide, double value, bool in_width, struct cm_buffer *out);

#endif
