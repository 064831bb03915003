/* What PRINT and WRITE write: items, and lines. Not installed. */
#ifndef CM_FORTRAN_PRINT_H
#define CM_FORTRAN_PRINT_H

#include "host.h"

/* A scalar or a character constant. */
struct cm_fortran_item {
    uint8_t type; /* enum cm_type or CM_FORTRAN_CHARACTER */
    union cm_fortran_value value;
    const char *text;
    uint32_t length;
};

/* The items of a statement, arrays element by element (base/list.h). */
struct cm_fortran_items {
    struct cm_fortran_item *items;
    uint32_t count, capacity;
    bool failed;
};

/* print_format.c: writes the items by a format, the text between its parentheses, with a newline at
 * the end. NULL, or what is wrong with the format. */
const char *cm_fortran_write_format(const char *format, const struct cm_fortran_items *items,
                                    struct cm_buffer *output);
/* print_number.c: the forms of numbers, without blanks around them; in a width where it has one:
 * filled with blanks on the left, or with asterisks where it does not fit. */
struct cm_fortran_edit {
    char letter;     /* I F E D G L A; S for ES, N for EN */
    uint32_t width;  /* 0: as many as needed */
    uint32_t digits; /* behind the point, or the least of an integer */
    bool has_digits;
    uint32_t exponent_digits; /* 0: not given */
    int32_t scale;            /* of P */
    bool plus;                /* SP */
};
void cm_fortran_edit_number(const struct cm_fortran_edit *edit, enum cm_type type,
                            const union cm_fortran_value *value, struct cm_buffer *out);
/* A real number as list-directed output has it, in its width. */
void cm_fortran_list_real(bool is_wide, double value, bool in_width, struct cm_buffer *out);

#endif
