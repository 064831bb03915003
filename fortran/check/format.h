/* This header declares the check of a format's text, which is made when a program is checked, or
 * when it is run if the format is not constant. It is not installed. */
#ifndef CM_FORTRAN_CHECK_FORMAT_H
#define CM_FORTRAN_CHECK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#define CM_FORTRAN_FAULT_BYTES 160u

/* Checks a format. Cuts it to the part between its parentheses, without blanks within its
 * descriptors. Returns false after a fault, which `fault` then describes. */
bool cm_fortran_format_check(char *format, char fault[CM_FORTRAN_FAULT_BYTES]);

#endif
