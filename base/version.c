/* Version of the library, which the build defines. */
#include "version.h"

#ifndef CM_VERSION
#error "CM_VERSION comes from the build: the project's version"
#endif

const char *cm_version(void)
{
    return CM_VERSION;
}
