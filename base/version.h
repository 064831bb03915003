/* The release number of the library. */
#ifndef CM_BASE_VERSION_H
#define CM_BASE_VERSION_H

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the release number of the library, such as "0.1.0". */
CM_API const char *cm_version(void);

#ifdef __cplusplus
}
#endif

#endif
