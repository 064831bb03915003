/* Writes the files FILE.made_by.json next to tables, which name the inputs and the version that a
 * table was made of. */
#include "cli.h"

#include <sys/stat.h>

/* Returns true if a path is a regular file, not the standard output, a device or a pipe. */
static bool is_file(const char *path)
{
    struct stat about;
    return shell_names_file(path) && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

int cli_write_made_by(const char *path, const char *made_of)
{
    struct cm_buffer name, text;
    if (made_of[0] == '\0' || !is_file(path))
        return 0;
    cm_buffer_init(&name);
    cm_buffer_init(&text);
    cm_buffer_printf(&name, "%s.made_by.json", path);
    cm_buffer_printf(&text, "%s\n", made_of);
    int code =
        cm_buffer_ok(&name) ? shell_deliver(name.data, &text, CM_OK, NULL) : shell_no_memory();
    cm_buffer_finish(&name);
    return code;
}
