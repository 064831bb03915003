/*
 * A folder in memory, for targets whose code reads and writes files. A target enters its folder
 * once, and all its names are relative. The folder is removed at the end of the process.
 */
#ifndef CM_TESTS_FUZZ_FOLDER_H
#define CM_TESTS_FUZZ_FOLDER_H

#include "caught.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

static char folder_path[] = "/dev/shm/cm200-fuzz.XXXXXX";

static inline int folder_remove_entry(const char *path, const struct stat *status, int kind,
                                      struct FTW *at)
{
    (void)status;
    (void)kind;
    return at->level > 0 ? remove(path) : 0;
}

/* Removes all that is in a folder. */
static inline void folder_empty(const char *path)
{
    nftw(path, folder_remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void folder_remove(void)
{
    folder_empty(folder_path);
    rmdir(folder_path);
}

/* Makes the folder and enters it. */
static inline void folder_enter(void)
{
    require(mkdtemp(folder_path) != NULL && chdir(folder_path) == 0);
    atexit(folder_remove);
}

static inline void write_whole(const char *name, const void *bytes, size_t length)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    require(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
    close(fd);
}

/* Reads at most `room` bytes of a file. Returns how many, 0 for a file that does not exist. */
static inline size_t read_whole(const char *name, char *bytes, size_t room)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, bytes, room) : 0;
    if (fd >= 0)
        close(fd);
    return length > 0 ? (size_t)length : 0;
}

#endif
