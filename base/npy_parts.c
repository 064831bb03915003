/* Maps files of NumPy into the host's memory. */
#include "npy_parts.h"

#include "page.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Record of a mapping. Records are reused and never freed, so that a signal handler may walk the
 * list at any time. `begin` is NULL while a record is free. */
struct cm_npy_area {
    struct cm_npy_area *next;
    _Atomic(char *) begin;
    atomic_size_t bytes;
    /* true if zeros replace pages at the end of the mapping, because the file became shorter */
    atomic_bool is_cut;
    struct stat about; /* state of the file when it was mapped */
};

static _Atomic(struct cm_npy_area *) areas;
static pthread_mutex_t areas_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Returns a free record, or NULL if memory is exhausted. */
static struct cm_npy_area *take_area(char *begin, size_t bytes, const struct stat *about)
{
    pthread_mutex_lock(&areas_mutex);
    struct cm_npy_area *area = areas;
    while (area != NULL && area->begin != NULL)
        area = area->next;
    bool made = area == NULL;
    if (made)
        area = calloc(1, sizeof *area);
    if (area != NULL) {
        area->about = *about;
        area->bytes = bytes;
        area->is_cut = false;
        area->begin = begin;
    }
    if (area != NULL && made) {
        area->next = areas;
        areas = area;
    }
    pthread_mutex_unlock(&areas_mutex);
    return area;
}

bool cm_npy_repair(void *address)
{
    char *at = address;
    for (struct cm_npy_area *area = areas; area != NULL; area = area->next) {
        char *begin = area->begin;
        if (begin == NULL || at < begin || at >= begin + area->bytes)
            continue;
        /* A mapping begins at a page boundary. Pages of any host are multiples of 4 KiB. */
        size_t page = (size_t)sysconf(_SC_PAGESIZE), offset = (size_t)(at - begin) / page * page;
        area->is_cut = true;
        return mmap(begin + offset, area->bytes - offset, PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    }
    return false;
}

/* Maps a regular file. Returns NULL for a file of another kind. A pipe is not even opened, because
 * its writer would notice. */
static void *map_file(const char *path, size_t *bytes, struct cm_npy_area **area)
{
    struct stat about;
    void *memory = MAP_FAILED;
    bool standard = strcmp(path, "-") == 0;
    if (standard || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        *bytes = (size_t)about.st_size;
        memory = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    (void)close(fd);
    if (memory == MAP_FAILED)
        return NULL;
    *area = take_area(memory, *bytes, &about);
    if (*area == NULL)
        (void)munmap(memory, *bytes);
    return *area != NULL ? memory : NULL;
}

enum cm_status cm_npy_map(const char *path, struct cm_npy_map *map, struct cm_error *err)
{
    *map = (struct cm_npy_map){0};
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    map->memory = CM_FOR_A_PAGE ? NULL : map_file(path, &map->bytes, &map->area);
#endif
    if (map->memory == NULL)
        return CM_OK;
    enum cm_status status =
        cm_npy_parse_in_place(path, map->memory, map->bytes, &map->npy, &map->elements, err);
    if (status != CM_OK)
        cm_npy_unmap(map);
    return status;
}

enum cm_status cm_npy_map_check(const struct cm_npy_map *map, const char *path,
                                struct cm_error *err)
{
    struct stat now;
    if (map->memory == NULL)
        return CM_OK;
    const struct stat *then = &map->area->about;
    bool is_same =
        stat(path, &now) == 0 && now.st_dev == then->st_dev && now.st_ino == then->st_ino;
    bool is_changed =
        is_same && (now.st_size != then->st_size || now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
                    now.st_mtim.tv_nsec != then->st_mtim.tv_nsec);
    if (!map->area->is_cut && !is_changed)
        return CM_OK;
    return cm_error_at(err, CM_IO, path, 0, 0, "the file changed while it was read");
}

void cm_npy_unmap(struct cm_npy_map *map)
{
    if (map->area != NULL)
        map->area->begin = NULL;
    if (map->memory != NULL)
        (void)munmap(map->memory, map->bytes);
    *map = (struct cm_npy_map){0};
}

/* Returns the position in a C-order file of the element that has number e in Fortran order. */
static uint64_t place_in_c_order(const struct cm_npy *npy, uint64_t e)
{
    uint64_t place = 0, stride = npy->count;
    for (uint32_t d = 0; d < npy->rank; d++) {
        stride /= npy->shape[d];
        place += e % npy->shape[d] * stride;
        e /= npy->shape[d];
    }
    return place;
}

void cm_npy_map_element(const struct cm_npy_map *map, uint64_t e, void *element)
{
    const size_t size = cm_npy_type_size(map->npy.type);
    if (!map->npy.fortran_order)
        e = place_in_c_order(&map->npy, e);
    memcpy(element, map->elements + e * size, size);
}
