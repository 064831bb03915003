/* Version of the library, which the build system passes to this file. */
#include "version.h"

#ifndef CM_VERSION
#error "CM_VERSION comes from the build: the project's version"
#endif

const char *cm_version(void)
{
    return CM_VERSION;
}
