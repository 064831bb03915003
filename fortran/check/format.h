/* This header declares the check of a format's text, which is made when a program is checked, or
 * when it is run if the format is not constant. It is not installed. */
#ifndef CM_FORTRAN_CHECK_FORMAT_H
#define CM_FORTRAN_CHECK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#define CM_FORTRAN_FAULT_BYTES 160u

/* Checks the text of a format. Sets *inside and *length to the part between its parentheses.
 * Returns false after a fault, which `fault` then describes. */
bool cm_fortran_format_check(const char *text, char fault[CM_FORTRAN_FAULT_BYTES],
                             const char **inside, size_t *length);

#endif
