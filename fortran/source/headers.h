/* Built-in headers of the machine's libraries, as Fortran that is valid in both source forms.
 * Internal to the library. */
#ifndef CM_FORTRAN_HEADERS_H
#define CM_FORTRAN_HEADERS_H

/* Returns the text of the header with a file name, or NULL. */
const char *cm_header_text(const char *name);

#endif
