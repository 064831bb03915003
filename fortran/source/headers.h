/* This header declares the built-in headers (INCLUDE files) of the machine's libraries. Their text
 * is Fortran that is valid in fixed and in free form. This header is internal to the library. */
#ifndef CM_FORTRAN_HEADERS_H
#define CM_FORTRAN_HEADERS_H

/* Returns the text of the built-in header with this file name. Returns NULL for another name. */
const char *cm_header_text(const char *name);

#endif
