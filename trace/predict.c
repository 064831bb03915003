/* What guessing needs of an IMP. */
#include "format.h"

#include <stdlib.h>

bool cm_path_init(struct cm_path *path, const struct cm_imp *imp)
{
    *path = (struct cm_path){.length = imp->length};
    path->next = calloc((size_t)imp->length + 1, sizeof *path->next);
    path->history = calloc((size_t)imp->length + 1, sizeof *path->history);
    if (path->next == NULL || path->history == NULL) {
        cm_path_finish(path);
        return false;
    }
    path->next[imp->length] = imp->length;
    for (uint32_t pc = imp->length; pc-- > 0;)
        path->next[pc] = cm_trace_is_control(imp->code[pc].op) ? path->next[pc + 1] : pc;
    return true;
}

void cm_path_finish(struct cm_path *path)
{
    free(path->next);
    free(path->history);
    *path = (struct cm_path){0};
}
