/* The headers of the machine's libraries, as Fortran that is valid in both forms. Internal to the
 * library. */
#ifndef CM_FORTRAN_HEADERS_H
#define CM_FORTRAN_HEADERS_H

/* The text of the header with this file name; NULL for any other. */
const char *cm_header_text(const char *name);

#endif
