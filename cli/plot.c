/* Writes the figures of a validation into a folder. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the folder of the figures before the simulation, so that a bad folder does not waste a run.
 */
int cli_plot_prepare(const char *folder)
{
    struct cm_error err;
    struct stat found;
    if (mkdir(folder, 0777) == 0)
        return 0;
    int reason = errno;
    if (reason == EEXIST && stat(folder, &found) == 0)
        reason = !S_ISDIR(found.st_mode) ? ENOTDIR : access(folder, W_OK | X_OK) != 0 ? errno : 0;
    if (reason == 0)
        return 0;
    cm_error_at(&err, CM_IO, folder, 0, 0, "can't write figures there: %s", strerror(reason));
    cm_error_hint(&err, "--plot takes a folder; only its last part is made when it is missing");
    return shell_error(&err);
}

int cli_plot(const struct cm_validation *validation, const char *folder)
{
    int code = 0;
    for (uint32_t i = 0; code == 0 && i < CM_FIGURE_COUNT; i++) {
        struct cm_buffer path, svg;
        cm_buffer_init(&path);
        cm_buffer_init(&svg);
        cm_buffer_printf(&path, "%s/%s.svg", folder, cm_figure_name(i));
        cm_figure_svg(validation, i, &svg);
        code = cm_buffer_ok(&path) ? shell_write(path.data, &svg) : shell_write(NULL, &path);
        cm_buffer_finish(&path);
        cm_buffer_finish(&svg);
    }
    return code;
}
