/* A folder of its own for a test that writes files, removed with what is in it. */
#ifndef CM_TESTS_UNIT_FOLDER_H
#define CM_TESTS_UNIT_FOLDER_H

#include "quick_check.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
    char path[64];
    char file[8][384]; /* room for the paths that a test builds */
};

static inline void folder_create(struct folder *folder)
{
    strcpy(folder->path, "/tmp/cm200-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder->path));
}

/* The path of `name` in the folder, kept in place `slot`. */
static inline const char *folder_path(struct folder *folder, unsigned slot, const char *name)
{
    snprintf(folder->file[slot], sizeof folder->file[slot], "%s/%s", folder->path, name);
    return folder->file[slot];
}

/* How many entries there are, and whether to remove them too. */
static inline unsigned folder_entries(const struct folder *folder, int remove_them)
{
    unsigned count = 0;
    DIR *stream = opendir(folder->path);
    ck_assert_ptr_nonnull(stream);
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
        char path[384];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
        if (remove_them)
            remove(path);
    }
    closedir(stream);
    return count;
}

static inline void folder_remove(const struct folder *folder)
{
    folder_entries(folder, 1);
    rmdir(folder->path);
}

#endif
