/* What the readers of IMPs share: which names are valid, and where an IMP came from. */
#ifndef CM_ISA_IMP_PRIVATE_H
#define CM_ISA_IMP_PRIVATE_H

#include "imp.h"

#define CM_IMP_MAX_BYTES (16u * 1024u * 1024u) /* of a text or an image */

/* [A-Za-z_][A-Za-z0-9_]*, at most CM_IMP_NAME_MAX; an IMP's own name may have '-' and '.' too. */
bool cm_name_valid(const char *name, size_t length);
bool cm_imp_name_valid(const char *name, size_t length);

/* Sets where the IMP came from (NULL or "": nowhere); false when out of memory. */
bool cm_imp_set_source(struct cm_imp *imp, const char *name);

#endif
