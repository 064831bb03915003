/* Files of NumPy that are mapped into the host's memory. */
#include "npy_parts.h"

#include "page.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maps a regular file. Returns NULL for other files. A pipe is not even opened, because its writer
 * would notice. */
static void *map_file(const char *path, size_t *bytes)
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
    return memory == MAP_FAILED ? NULL : memory;
}

enum cm_status cm_npy_map(const char *path, struct cm_npy_map *map, struct cm_error *err)
{
    *map = (struct cm_npy_map){0};
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    map->memory = CM_FOR_A_PAGE ? NULL : map_file(path, &map->bytes);
#endif
    if (map->memory == NULL)
        return CM_OK;
    enum cm_status status =
        cm_npy_parse_in_place(path, map->memory, map->bytes, &map->npy, &map->elements, err);
    if (status != CM_OK)
        cm_npy_unmap(map);
    return status;
}

void cm_npy_unmap(struct cm_npy_map *map)
{
    if (map->memory != NULL)
        (void)munmap(map->memory, map->bytes);
    *map = (struct cm_npy_map){0};
}

/* Returns the place in a C-order file of the element with number e in Fortran order. */
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
