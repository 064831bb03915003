/* Decides whether a file is in a folder, however its path is written. */
#include "file.h"
#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns the folder of a path, with links resolved, or NULL with errno set. */
static char *folder_of(const char *path)
{
    char *folder = cm_path_beside(path, "."), *real = NULL;
    if (folder != NULL)
        real = realpath(folder, NULL);
    else
        errno = ENOMEM;
    free(folder);
    return real;
}

/* Returns the file that a path names, or the folder where it will be created, with links resolved.
 * A dangling link counts as outside all folders: the result is "/". */
static char *target_of(const char *path)
{
    struct stat about;
    char *real = realpath(path, NULL);
    if (real != NULL || errno != ENOENT)
        return real;
    if (lstat(path, &about) == 0)
        return strdup("/");
    return folder_of(path);
}

static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || path[length] == '\0' || strcmp(folder, "/") == 0);
}

enum cm_status cm_file_is_inside(const char *path, const char *owner, bool *inside,
                                 struct cm_error *err)
{
    errno = 0;
    char *target = target_of(path);
    /* A file whose folder is missing cannot be made, so that opening it fails. */
    bool cannot_open = target == NULL && (errno == ENOENT || errno == ENOTDIR);
    char *folder = target != NULL ? folder_of(owner) : NULL;
    bool no_memory = errno == ENOMEM && folder == NULL;
    *inside = cannot_open || (target != NULL && folder != NULL && is_below(target, folder));
    free(target);
    free(folder);
    return no_memory ? cm_error_no_memory(err) : CM_OK;
}
