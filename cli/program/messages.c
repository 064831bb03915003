/* Prints the compiler's messages about a CM Fortran program. */
#include "../../fortran/source/parse.h"
#include "../cli.h"

enum cm_status cli_last_message(const struct cm_messages *messages, enum cm_status status,
                                struct cm_error *err)
{
    if (status == CM_NO_MEMORY || messages->count == 0)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; i + 1 < messages->count; i++)
        shell_error(&messages->items[i]);
    *err = messages->items[messages->count - 1];
    if (messages->more > 0) {
        shell_error(err);
        cm_error_set(err, CM_BAD_INPUT, "%u further messages are not shown",
                     (unsigned)messages->more);
    }
    return status;
}
