/* Output files of interrupted commands: the unfinished output goes to FILE.partial, and FILE is not
 * changed. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

char *cli_partial_name(const char *path)
{
    struct cm_buffer name;
    cm_buffer_init(&name);
    cm_buffer_printf(&name, "%s.partial", path);
    return cm_buffer_ok(&name) ? name.data : NULL;
}

int cli_deliver_partial(const struct cli_partial *partial, struct cm_buffer *text,
                        enum cm_status status, const struct cm_error *err)
{
    char *path = shell_names_file(partial->path) ? cli_partial_name(partial->path) : NULL;
    if (path == NULL) {
        cm_buffer_finish(text);
        return shell_names_file(partial->path) ? shell_no_memory() : 0;
    }
    int code = shell_deliver(path, text, status, err);
    if (code == 0)
        fprintf(stderr, "cm200: %s in %s\n", partial->what, shell_shown(path).text);
    if (code == 0 && partial->made_of != NULL)
        code = cli_write_made_by(path, partial->made_of);
    free(path);
    return code;
}
