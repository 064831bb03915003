/* The figures of a validation: data and scripts written to a folder, SVG drawn by gnuplot, a
 * program of its own. */
#include "../base/file.h"
#include "cli.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLOTTER "gnuplot"
#define PACKAGE "gnuplot-nox" /* Debian's, without windows */

extern char **environ;

/* As the shell and posix_spawnp look for it. */
static bool is_in_path(const char *program)
{
    char file[1024];
    const char *path = getenv("PATH");
    for (const char *folder = path; folder != NULL && *folder != '\0';) {
        size_t length = strcspn(folder, ":");
        int written = snprintf(file, sizeof file, "%.*s/%s", (int)length, folder, program);
        if (written > 0 && (size_t)written < sizeof file && access(file, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

static int refuse(struct cm_error *err, const char *hint)
{
    cm_error_hint(err, "%s", hint);
    return cli_error(err);
}

/* Before the simulation, so that a missing program or a bad folder costs nobody a run. */
int cli_plot_prepare(const char *folder)
{
    struct cm_error err;
    struct stat found;
    memset(&err, 0, sizeof err);
    if (!is_in_path(PLOTTER)) {
        cm_error_set(&err, CM_IO, "--plot needs " PLOTTER ", which is not installed");
        return refuse(&err, "sudo apt-get install " PACKAGE);
    }
    if (mkdir(folder, 0777) == 0)
        return 0;
    int reason = errno;
    if (reason == EEXIST && stat(folder, &found) == 0)
        reason = !S_ISDIR(found.st_mode) ? ENOTDIR : access(folder, W_OK | X_OK) != 0 ? errno : 0;
    if (reason == 0)
        return 0;
    cm_error_at(&err, CM_IO, folder, 0, 0, "can't write figures there: %s", strerror(reason));
    return refuse(&err, "--plot takes a folder; only its last part is made when it is missing");
}

static int write_beside(const char *folder, const char *name, const char *suffix,
                        const struct cm_buffer *text)
{
    char path[1024];
    int written = snprintf(path, sizeof path, "%s/%s.%s", folder, name, suffix);
    struct cm_error err;
    if (written > 0 && (size_t)written < sizeof path)
        return cli_write(path, text);
    cm_error_set(&err, CM_IO, "--plot: the folder's name is too long");
    return cli_error(&err);
}

/* Runs gnuplot on NAME.gp in `folder`; what it has to say goes to the standard error output. */
static int spawn_plotter(const char *folder, const char *name, int *result)
{
    char script[64];
    char plotter[] = PLOTTER;
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    snprintf(script, sizeof script, "%s.gp", name);
    char no_settings[] = "-d"; /* of the user: the picture depends on the script alone */
    char *arguments[] = {plotter, no_settings, script, NULL};
    int fault = posix_spawn_file_actions_init(&actions);
    if (fault != 0)
        return fault;
    fault = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (fault == 0)
        fault = posix_spawnp(&child, PLOTTER, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (fault == 0 && waitpid(child, result, 0) < 0)
        fault = errno == EINTR ? 0 : errno;
    return fault;
}

static int draw(const char *folder, const char *name)
{
    struct cm_error err;
    int result = 0;
    memset(&err, 0, sizeof err);
    int fault = spawn_plotter(folder, name, &result);
    if (fault != 0)
        cm_error_set(&err, CM_IO, "can't run " PLOTTER ": %s", strerror(fault));
    else if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
        cm_error_at(&err, CM_IO, folder, 0, 0, PLOTTER " failed on %s.gp", name);
    else
        return 0;
    return refuse(&err, "the data (.dat) and the script (.gp) are in the folder, to try by hand");
}

static int plot_figure(const struct cm_validation *validation, const char *folder, uint32_t i)
{
    const char *name = cm_figure_name(i);
    struct cm_buffer data, script;
    cm_buffer_init(&data);
    cm_buffer_init(&script);
    cm_figure_data(validation, i, &data);
    cm_figure_script(validation, i, &script);
    int code = write_beside(folder, name, "dat", &data);
    if (code == 0)
        code = write_beside(folder, name, "gp", &script);
    if (code == 0)
        code = draw(folder, name);
    cm_buffer_finish(&data);
    cm_buffer_finish(&script);
    return code;
}

int cli_plot(const struct cm_validation *validation, const char *folder)
{
    int code = 0;
    for (uint32_t i = 0; code == 0 && i < CM_FIGURE_COUNT; i++)
        code = plot_figure(validation, folder, i);
    return code;
}
