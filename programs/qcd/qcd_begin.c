/* Begins the IMPs of the lattice kernels, which all have the same arguments. */
#include "qcd_private.h"

#include <stdio.h>

struct cm_imp *cm_qcd_begin(const char *name)
{
    struct cm_imp *imp = cm_imp_create(name);
    for (uint32_t i = 0; imp && i < ARGUMENTS; i++) {
        static const char *const groups[] = {"link", "up", "down"};
        char argument[16];
        if (i < ARGUMENT_LINK)
            snprintf(argument, sizeof argument, "%s", i == ARGUMENT_DST ? "dst" : "src");
        else if (i < ARGUMENT_TABLES)
            snprintf(argument, sizeof argument, "%s%u", groups[(i - ARGUMENT_LINK) / AXES],
                     (unsigned)((i - ARGUMENT_LINK) % AXES + 1));
        else
            snprintf(argument, sizeof argument, "tables");
        cm_imp_argument(imp, argument, CM_ARGUMENT_ADDRESS);
    }
    return imp;
}
