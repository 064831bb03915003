/* The version, from the build. */
#include "version.h"

#ifndef CM_VERSION
#error "CM_VERSION comes from the build: the project's version"
#endif

const char *cm_version(void)
{
    return CM_VERSION;
}
