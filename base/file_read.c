/* Reads whole files of any readable kind, with a size limit. A signal does not end the reading. */
#include "file.h"
#include "input.h"
#include "page.h"
#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sizes in bytes. FIRST_BYTES: first buffer for an input of unknown length. LARGEST_BYTES: largest
 * request of one read(2), because some hosts refuse larger requests. */
#define FIRST_BYTES   4096u
#define LARGEST_BYTES (1u << 30)
/* Largest standard input, in bytes, that several processes can share. */
#define SHARED_MOST_BYTES ((size_t)1 << 30)

static enum cm_status fail(const char *name, const char *doing, struct cm_error *err)
{
    /* strerror returns static text in glibc and musl for every error of the kernel */
    return cm_error_at(err, CM_IO, name, 0, 0, "cannot %s: %s", doing, strerror(errno));
}

/* Gives every process the bytes that process 0 has read. The other processes pass `data` filled
 * with zeros. */
static enum cm_status get_bytes(char *data, size_t length, struct cm_error *err)
{
    char *room = malloc(length + 1);
    if (room == NULL)
        return cm_error_no_memory(err);
    enum cm_status status = cm_processes_or_bytes(cm_processes(), data, room, length, err);
    free(room);
    return status;
}

/* Shares standard input among the processes: process 0 reads all of it and sends it to the others.
 * `status` is the result of reading so far. */
static enum cm_status share(struct cm_input *input, enum cm_status status, struct cm_error *err)
{
    const struct cm_process_link *link = cm_processes();
    const enum cm_combination operations[] = {CM_COMBINE_SUM, CM_COMBINE_SUM};
    char *data = NULL;
    size_t length = 0;
    if (link->rank == 0 && status == CM_OK)
        status = cm_input_read_all(input, SHARED_MOST_BYTES, &data, &length, err);
    uint64_t numbers[] = {length, link->rank == 0 && status != CM_OK};
    enum cm_status combined = cm_processes_combine(link, numbers, operations, 2, err);
    if (combined != CM_OK || numbers[1] != 0) {
        free(data);
        if (combined != CM_OK || link->rank == 0)
            return combined != CM_OK ? combined : status;
        return cm_error_at(err, CM_IO, input->name, 0, 0, "process 0 cannot read it");
    }
    length = (size_t)numbers[0];
    if (data == NULL)
        data = calloc(1, length + 1);
    status = data == NULL ? cm_error_no_memory(err) : get_bytes(data, length, err);
    cm_input_close(input);
    input->owned = data;
    input->memory = (const unsigned char *)data;
    input->left_bytes = length;
    return status;
}

/* Returns the reason why a file must not be read, or NULL, in the same way as cm_file_refusal(). */
static const char *refusal(const struct stat *about)
{
    if (S_ISDIR(about->st_mode))
        return NULL;
    if (!S_ISREG(about->st_mode))
        return "is a device or a pipe, expected a file";
    return about->st_size == 0 ? "is empty, or not a stored file, as in /proc" : NULL;
}

const char *cm_file_refusal(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? refusal(&about) : NULL;
}

/* Opens an input. If `stored`, refuses the files that refusal() names, even if `path` becomes
 * another file between the check and the opening. */
static enum cm_status open_input(struct cm_input *input, const char *path, bool stored,
                                 struct cm_error *err)
{
    bool standard = !stored && strcmp(path, "-") == 0;
    const char *refused = stored ? cm_file_refusal(path) : NULL;
    /* Opening a pipe would wait for its writer, and opening a terminal may make it the process's
     * controlling terminal. */
    int flags = O_RDONLY | O_CLOEXEC | (stored ? O_NONBLOCK | O_NOCTTY : 0);
    *input = (struct cm_input){.name = standard ? "standard input" : path, .fd = -1};
    struct stat about;
    if (refused != NULL)
        return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0, "%s", refused);
    do
        input->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, flags);
    while (input->fd < 0 && errno == EINTR);
    if (input->fd < 0)
        return fail(input->name, "open it for reading", err);
    enum cm_status status = CM_OK;
    if (fstat(input->fd, &about) != 0) {
        status = fail(input->name, "read", err);
    } else if (S_ISDIR(about.st_mode)) {
        status = cm_error_at(err, CM_IO, input->name, 0, 0, "is a folder, expected a file");
    } else if (stored && refusal(&about) != NULL) {
        status = cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0, "%s", refusal(&about));
    } else if (S_ISREG(about.st_mode) && !standard && about.st_size > 0) {
        /* The size is not known for files of /proc, which claim to be empty, and for standard
         * input, of which a part may already be read. */
        input->sized = true;
        input->left_bytes = (uint64_t)about.st_size;
    }
    if (!CM_FOR_A_PAGE && standard && cm_processes() != NULL)
        status = share(input, status, err);
    if (status != CM_OK)
        cm_input_close(input);
    return status;
}

enum cm_status cm_input_open(struct cm_input *input, const char *path, struct cm_error *err)
{
    return open_input(input, path, false, err);
}

void cm_input_open_memory(struct cm_input *input, const char *name, const void *bytes,
                          size_t length)
{
    *input = (struct cm_input){
        .name = name, .fd = -1, .sized = true, .left_bytes = length, .memory = bytes};
}

void cm_input_close(struct cm_input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    input->fd = -1;
    free(input->owned);
    input->owned = NULL;
}

/* Copies up to `size` bytes of an input that is already in memory. Returns the number of bytes. */
static size_t take(const unsigned char *from, size_t left, void *data, size_t size)
{
    size_t n = left < size ? left : size;
    if (n > 0)
        memcpy(data, from, n);
    return n;
}

enum cm_status cm_input_read(struct cm_input *input, void *data, size_t size, size_t *got,
                             struct cm_error *err)
{
    if (input->memory) {
        *got = take(input->memory, input->left_bytes, data, size);
        input->memory += *got;
    } else {
        *got = take(input->head + input->head_at, input->head_end - input->head_at, data, size);
        input->head_at += *got;
    }
    while (input->fd >= 0 && *got < size) {
        size_t want = size - *got < LARGEST_BYTES ? size - *got : LARGEST_BYTES;
        ssize_t n = read(input->fd, (char *)data + *got, want);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(input->name, "read", err);
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    input->left_bytes -= input->left_bytes < *got ? input->left_bytes : *got;
    return CM_OK;
}

static enum cm_status too_long(const struct cm_input *input, size_t limit, struct cm_error *err)
{
    return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                       "the file is too long: at most %zu bytes can be read here", limit);
}

enum cm_status cm_input_begins(struct cm_input *input, const char *magic, bool *begins,
                               struct cm_error *err)
{
    size_t size = strlen(magic), got;
    if (input->memory != NULL) {
        *begins = input->left_bytes >= size && memcmp(input->memory, magic, size) == 0;
        return CM_OK;
    }
    enum cm_status status = cm_input_read(input, input->head, size, &got, err);
    input->head_at = 0;
    input->head_end = got;
    input->left_bytes += input->sized ? got : 0;
    *begins = got == size && memcmp(input->head, magic, size) == 0;
    return status;
}

/* Reads the input into *data, which grows as needed. The caller frees *data, also after an error.
 */
static enum cm_status read_growing(struct cm_input *input, size_t limit, char **data,
                                   size_t *length, struct cm_error *err)
{
    if (input->sized && input->left_bytes > limit)
        return too_long(input, limit, err);
    /* A byte more than expected shows whether the input ends as expected. Another byte holds the
     * terminator. */
    size_t capacity = input->sized ? (size_t)input->left_bytes + 2 : FIRST_BYTES;
    for (;;) {
        char *larger = realloc(*data, capacity);
        if (!larger)
            return cm_error_no_memory(err);
        *data = larger;
        size_t got, room = capacity - 1 - *length;
        enum cm_status status = cm_input_read(input, *data + *length, room, &got, err);
        if (status != CM_OK)
            return status;
        *length += got;
        if (*length > limit)
            return too_long(input, limit, err);
        if (got < room)
            break;
        capacity = capacity <= (limit + 2) / 2 ? capacity * 2 : limit + 2;
    }
    (*data)[*length] = '\0';
    return CM_OK;
}

enum cm_status cm_input_read_all(struct cm_input *input, size_t limit, char **data, size_t *length,
                                 struct cm_error *err)
{
    *data = NULL;
    *length = 0;
    enum cm_status status = read_growing(input, limit, data, length, err);
    if (status != CM_OK) {
        free(*data);
        *data = NULL;
        *length = 0;
    }
    return status;
}

static enum cm_status read_file(const char *path, bool stored, size_t limit, char **data,
                                size_t *length, struct cm_error *err)
{
    struct cm_input input;
    *data = NULL;
    *length = 0;
    enum cm_status status = open_input(&input, path, stored, err);
    if (status == CM_OK)
        status = cm_input_read_all(&input, limit, data, length, err);
    cm_input_close(&input);
    return status;
}

enum cm_status cm_file_read(const char *path, size_t limit, char **data, size_t *length,
                            struct cm_error *err)
{
    return read_file(path, false, limit, data, length, err);
}

enum cm_status cm_file_read_stored(const char *path, size_t limit, char **data, size_t *length,
                                   struct cm_error *err)
{
    return read_file(path, true, limit, data, length, err);
}

char *cm_path_beside(const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    size_t folder = path[0] == '/' || !slash ? 0 : (size_t)(slash - file) + 1;
    size_t length = strlen(path);
    char *joined = malloc(folder + length + 1);
    if (!joined)
        return NULL;
    memcpy(joined, file, folder);
    memcpy(joined + folder, path, length + 1);
    return joined;
}
