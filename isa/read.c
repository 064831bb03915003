/* Reading an IMP from a file of either form. */
#include "../base/file.h"
#include "imp_private.h"

#include <stdlib.h>
#include <string.h>

enum cm_status cm_imp_read(const char *path, const struct cm_imp_limits *limits,
                           struct cm_imp **imp, struct cm_error *err)
{
    static const char magic[8] = {'C', 'M', '2', '0', '0', 'I', 'M', 'P'};
    *imp = NULL;
    char *data = NULL;
    size_t length = 0;
    enum cm_status status = cm_file_read(path, CM_IMP_MAX_BYTES, &data, &length, err);
    if (status != CM_OK)
        return status;
    if (length >= sizeof magic && memcmp(data, magic, sizeof magic) == 0)
        status = cm_imp_decode(path, data, length, limits, imp, err);
    else
        status = cm_imp_assemble(path, data, length, limits, imp, err);
    free(data);
    return status;
}
