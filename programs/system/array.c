/*
 * Places arrays in node memory, and copies their elements between host and nodes.
 *
 * Elements are copied in tiles of 32 local elements by 16 nodes, through a buffer that stays in the
 * host's cache. Thus the host's array is read in runs along the first axis. Planes, in which
 * consecutive words of one node are one plane apart, are written in whole cache lines.
 */
#include "system_private.h"
#include "tiles.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* number of nodes of a tile: 16 words fill a 64-byte cache line of a plane */
#define LANES      16u
#define SLICES_MAX 4u

/* Makes an array without values. If `other` is not NULL, the array is its twin. */
static enum cm_status place(struct cm_system *system, const char *name,
                            const struct cm_layout *layout, const struct cm_array *other,
                            struct cm_array **array, struct cm_error *err)
{
    char what[96];
    *array = NULL;
    snprintf(what, sizeof(what), "array \"%.63s\"", name);
    if (layout->nodes != cm_machine_nodes(system->machine))
        return cm_error_set(err, CM_BAD_INPUT,
                            "%s is laid out on %" PRIu32 " nodes; the machine has %" PRIu32, what,
                            layout->nodes, cm_machine_nodes(system->machine));
    struct cm_array *made = calloc(1, sizeof(*made));
    if (!made)
        return cm_error_no_memory(err);
    snprintf(made->name, sizeof(made->name), "%.63s", name);
    made->layout = *layout;
    enum cm_status status = other
                                ? cm_heap_allocate_alike(system->heap, layout->local_words,
                                                         other->address, what, &made->address, err)
                                : cm_heap_allocate(system->heap, CM_HEAP_ARRAYS,
                                                   layout->local_words, what, &made->address, err);
    if (status != CM_OK) {
        free(made);
        return status;
    }
    *array = made;
    return CM_OK;
}

enum cm_status cm_array_place(struct cm_system *system, const char *name,
                              const struct cm_layout *layout, struct cm_array **array,
                              struct cm_error *err)
{
    return place(system, name, layout, NULL, array, err);
}

/* True if node memory does not hold the elements. A run without data holds only arrays whose `held`
 * is set. */
static bool is_empty(const struct cm_system *system, const struct cm_array *array)
{
    return cm_machine_timing_only(system->machine) && !array->held;
}

enum cm_status cm_array_clear(struct cm_system *system, const struct cm_array *array,
                              struct cm_error *err)
{
    if (is_empty(system, array))
        return CM_OK;
    return cm_machine_clear_planes(system->machine, array->address, array->layout.local_words, err);
}

static enum cm_status create(struct cm_system *system, const char *name,
                             const struct cm_layout *layout, const struct cm_array *other,
                             struct cm_array **array, struct cm_error *err)
{
    enum cm_status status = place(system, name, layout, other, array, err);
    if (status == CM_OK)
        status = cm_array_clear(system, *array, err);
    if (status != CM_OK) {
        cm_array_destroy(system, *array);
        *array = NULL;
    }
    return status;
}

enum cm_status cm_array_create(struct cm_system *system, const char *name,
                               const struct cm_layout *layout, struct cm_array **array,
                               struct cm_error *err)
{
    return create(system, name, layout, NULL, array, err);
}

enum cm_status cm_array_create_twin(struct cm_system *system, const char *name,
                                    const struct cm_array *other, struct cm_array **array,
                                    struct cm_error *err)
{
    return create(system, name, &other->layout, other, array, err);
}

uint64_t cm_system_room(const struct cm_system *system, uint64_t words)
{
    return cm_heap_room(system->heap, words);
}

void cm_array_destroy(struct cm_system *system, struct cm_array *array)
{
    if (!array)
        return;
    cm_heap_free(system->heap, array->address);
    free(array);
}

/* One tile of elements on its way between the host's array and node memory. The words of the tile
 * for one block of nodes are at words[word of the tile][lane], one lane for each node. */
struct transfer {
    const struct cm_tiles *tiles;
    struct cm_tile tile;
    uint32_t node; /* number of the node of lane 0 */
    uint32_t lanes;
    uint8_t *host; /* the host's elements. Packing only reads them */
    uint32_t words[CM_TILE_ELEMENTS * SLICES_MAX][LANES];
};

/* Size of the unit in which an element is copied. In node memory the low word of a double word
 * comes before the high word. */
enum unit { UNIT_BYTE, UNIT_WORD, UNIT_DOUBLE_WORD };

#if defined(__GNUC__)
#define SPECIALISE                                                                                 \
    static inline                                                                                  \
        __attribute__((always_inline)) /* so that unit and units are constants in its loops */
#else
#define SPECIALISE static inline
#endif

SPECIALISE void pack_element(struct transfer *t, uint32_t i, uint32_t lane, uint64_t number,
                             enum unit unit, uint32_t units)
{
    for (uint32_t u = 0; u < units; u++) {
        const uint64_t at = number * units + u;
        if (unit == UNIT_BYTE) {
            t->words[i][lane] = t->host[at] != 0;
        } else if (unit == UNIT_WORD) {
            memcpy(&t->words[i * units + u][lane], t->host + 4 * at, 4);
        } else {
            uint64_t value;
            memcpy(&value, t->host + 8 * at, 8);
            t->words[2 * (i * units + u)][lane] = (uint32_t)value;
            t->words[2 * (i * units + u) + 1][lane] = (uint32_t)(value >> 32);
        }
    }
}

SPECIALISE void unpack_element(struct transfer *t, uint32_t i, uint32_t lane, uint64_t number,
                               enum unit unit, uint32_t units)
{
    for (uint32_t u = 0; u < units; u++) {
        const uint64_t at = number * units + u;
        if (unit == UNIT_BYTE) {
            t->host[at] = t->words[i][lane] != 0;
        } else if (unit == UNIT_WORD) {
            memcpy(t->host + 4 * at, &t->words[i * units + u][lane], 4);
        } else {
            uint64_t value = (uint64_t)t->words[2 * (i * units + u) + 1][lane] << 32 |
                             t->words[2 * (i * units + u)][lane];
            memcpy(t->host + 8 * at, &value, 8);
        }
    }
}

/* Copies all elements of a tile between host and buffer, for one block of nodes. The words of
 * places without an element stay unchanged. */
#define TRANSFER(name, element, unit, units)                                                       \
    static void name(struct transfer *t)                                                           \
    {                                                                                              \
        const uint32_t count = t->tile.count;                                                      \
        const uint32_t all = UINT32_MAX >> (CM_TILE_ELEMENTS - count);                             \
        for (uint32_t lane = 0; lane < t->lanes; lane++) {                                         \
            const uint64_t first = t->tiles->first[t->node + lane];                                \
            const uint32_t present = cm_tiles_present(t->tiles, &t->tile, t->node + lane);         \
            if (present == all) {                                                                  \
                for (uint32_t i = 0; i < count; i++)                                               \
                    element(t, i, lane, first + t->tile.offset[i], unit, units);                   \
                continue;                                                                          \
            }                                                                                      \
            for (uint32_t i = 0; i < count; i++)                                                   \
                if (present >> i & 1)                                                              \
                    element(t, i, lane, first + t->tile.offset[i], unit, units);                   \
        }                                                                                          \
    }
TRANSFER(pack_byte, pack_element, UNIT_BYTE, 1)
TRANSFER(pack_word, pack_element, UNIT_WORD, 1)
TRANSFER(pack_two_words, pack_element, UNIT_WORD, 2)
TRANSFER(pack_double, pack_element, UNIT_DOUBLE_WORD, 1)
TRANSFER(pack_two_doubles, pack_element, UNIT_DOUBLE_WORD, 2)
TRANSFER(unpack_byte, unpack_element, UNIT_BYTE, 1)
TRANSFER(unpack_word, unpack_element, UNIT_WORD, 1)
TRANSFER(unpack_two_words, unpack_element, UNIT_WORD, 2)
TRANSFER(unpack_double, unpack_element, UNIT_DOUBLE_WORD, 1)
TRANSFER(unpack_two_doubles, unpack_element, UNIT_DOUBLE_WORD, 2)
#undef TRANSFER

static const struct {
    void (*pack)(struct transfer *t);
    void (*unpack)(struct transfer *t);
} transfers[CM_TYPE_COUNT] = {
    [CM_TYPE_REAL32] = {pack_word, unpack_word},
    [CM_TYPE_REAL64] = {pack_double, unpack_double},
    [CM_TYPE_COMPLEX64] = {pack_two_words, unpack_two_words},
    [CM_TYPE_COMPLEX128] = {pack_two_doubles, unpack_two_doubles},
    [CM_TYPE_INT32] = {pack_word, unpack_word},
    [CM_TYPE_LOGICAL] = {pack_byte, unpack_byte},
};

static void scatter_block(struct transfer *t, const struct cm_planes *planes, uint64_t first)
{
    const struct cm_layout *layout = t->tiles->layout;
    const uint32_t words = t->tile.count * layout->slices;
    bool whole = true;
    for (uint32_t lane = 0; lane < t->lanes; lane++)
        whole = whole && t->tiles->fill[t->node + lane] == CM_NODE_FULL;
    if (!whole)
        memset(t->words, 0, words * sizeof(t->words[0])); /* The words of padding are zero. */
    transfers[layout->type].pack(t);
    for (uint32_t w = 0; w < words; w++)
        memcpy(cm_planes_word(planes, first + w, t->node), t->words[w],
               t->lanes * sizeof(uint32_t));
}

static void gather_block(struct transfer *t, const struct cm_planes *planes, uint64_t first)
{
    const struct cm_layout *layout = t->tiles->layout;
    for (uint32_t w = 0; w < t->tile.count * layout->slices; w++)
        memcpy(t->words[w], cm_planes_word(planes, first + w, t->node),
               t->lanes * sizeof(uint32_t));
    transfers[layout->type].unpack(t);
}

/* Copies all tiles of the first `nodes` nodes, to the nodes or from them. */
static enum cm_status transfer_array(struct cm_system *system, const struct cm_array *array,
                                     uint32_t nodes, uint8_t *host, bool scatter,
                                     struct cm_error *err)
{
    const struct cm_layout *layout = &array->layout;
    struct cm_planes planes;
    struct transfer t = {.host = host};
    struct cm_tiles tiles;
    enum cm_status status =
        cm_machine_planes(system->machine, array->address, layout->local_words, &planes, err);
    if (status == CM_OK)
        status = cm_tiles_init(&tiles, layout, err);
    if (status != CM_OK)
        return status;
    t.tiles = &tiles;
    t.lanes = nodes < planes.partition_nodes ? nodes : planes.partition_nodes;
    t.lanes = t.lanes < LANES ? t.lanes : LANES;
    for (uint64_t e = 0; e < layout->local_elements; e += CM_TILE_ELEMENTS) {
        cm_tiles_tile(&tiles, e, &t.tile);
        for (t.node = 0; t.node < nodes; t.node += t.lanes) {
            if (scatter)
                scatter_block(&t, &planes, e * layout->slices);
            else
                gather_block(&t, &planes, e * layout->slices);
        }
    }
    cm_tiles_finish(&tiles);
    return CM_OK;
}

/* Copies the elements of an array with an allocation, one by one. */
static enum cm_status transfer_allocated(struct cm_system *system, const struct cm_array *array,
                                         uint8_t *host, bool scatter, struct cm_error *err)
{
    const struct cm_layout *layout = &array->layout;
    const uint32_t bytes = cm_type_host_bytes(layout->type);
    struct cm_planes planes;
    enum cm_status status =
        cm_machine_planes(system->machine, array->address, layout->local_words, &planes, err);
    if (status != CM_OK)
        return status;
    for (uint64_t e = 0; e < layout->elements; e++) {
        uint32_t node, words[SLICES_MAX] = {0};
        uint64_t local;
        cm_allocation_place(&array->allocation, e, &node, &local);
        uint32_t *at = cm_planes_word(&planes, local * layout->slices, node);
        if (scatter)
            memcpy(words, host + e * bytes, bytes);
        for (uint32_t w = 0; w < layout->slices; w++) {
            if (scatter)
                at[(size_t)w * planes.partition_nodes] =
                    layout->type == CM_TYPE_LOGICAL ? words[w] != 0 : words[w];
            else
                words[w] = at[(size_t)w * planes.partition_nodes];
        }
        if (!scatter && layout->type == CM_TYPE_LOGICAL)
            host[e] = words[0] != 0;
        else if (!scatter)
            memcpy(host + e * bytes, words, bytes);
    }
    return CM_OK;
}

/* Refuses a transfer without an array or without the host's elements. */
static enum cm_status check_transfer(const struct cm_array *array, const void *elements,
                                     struct cm_error *err)
{
    if (array != NULL && elements != NULL)
        return CM_OK;
    return cm_error_set(err, CM_USAGE, "%s: NULL",
                        array == NULL ? "the array of a transfer" : "the elements of a transfer");
}

enum cm_status cm_array_scatter(struct cm_system *system, struct cm_array *array,
                                const void *elements, struct cm_error *err)
{
    enum cm_status status = check_transfer(array, elements, err);
    if (status != CM_OK || is_empty(system, array))
        return status;
    /* The cast is safe because scattering only reads the host's elements. */
    if (cm_array_is_allocated(array))
        return transfer_allocated(system, array, (uint8_t *)(uintptr_t)elements, true, err);
    return transfer_array(system, array, array->layout.nodes, (uint8_t *)(uintptr_t)elements, true,
                          err);
}

enum cm_status cm_array_gather(struct cm_system *system, const struct cm_array *array,
                               void *elements, struct cm_error *err)
{
    enum cm_status status = check_transfer(array, elements, err);
    if (status != CM_OK)
        return status;
    const struct cm_layout *layout = &array->layout;
    if (is_empty(system, array)) {
        memset(elements, 0, layout->elements * cm_type_host_bytes(layout->type));
        return CM_OK;
    }
    if (cm_array_is_allocated(array))
        return transfer_allocated(system, array, elements, false, err);
    /* Nodes that differ only in bits from used_bits on hold copies. */
    return transfer_array(system, array, UINT32_C(1) << layout->used_bits, elements, false, err);
}
