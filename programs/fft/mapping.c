/* Mappings of arrays to meshes by a permutation of the index bits (mapping.h). */
#include "mapping.h"

#include "../../base/buffer.h"
#include "../../base/random.h"
#include "../../base/text.h"
#include "../system/compiled_imps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NODE_BITS_MAX 31u

const char *cm_fft_local_name(enum cm_fft_local local)
{
    return local == CM_FFT_LOCAL_HIGH ? "high" : "low";
}

const char *cm_fft_code_name(enum cm_fft_code code)
{
    return code == CM_FFT_BINARY ? "binary" : "gray";
}

static uint64_t low_bits(uint32_t count)
{
    return (UINT64_C(1) << count) - 1;
}

/* Reads a number that ends at `separator` or at the end of the text. Returns the text after the
 * number, or NULL if there is no such number. */
static const char *read_number(const char *text, char separator, uint64_t *number)
{
    const char *end = cm_text_number(text, number);
    return end != NULL && (*end == '\0' || *end == separator) ? end : NULL;
}

static bool read_list(const char *text, struct cm_fft_request *request)
{
    request->list_count = 0;
    for (;; text++) {
        uint64_t number;
        text = read_number(text, ',', &number);
        if (text == NULL || request->list_count == CM_FFT_AXES_MAX)
            return false;
        /* a number that is too large stays too large as 32 bits */
        request->list[request->list_count++] = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
        if (*text == '\0')
            return true;
    }
}

enum cm_status cm_fft_permutation_read(const char *text, struct cm_fft_request *request,
                                       struct cm_error *err)
{
    bool good = true;
    if (strcmp(text, "identical") == 0) {
        request->permutation = CM_FFT_IDENTICAL;
    } else if (strcmp(text, "shuffle") == 0) {
        request->permutation = CM_FFT_SHUFFLE;
    } else if (strncmp(text, "bits:", 5) == 0) {
        request->permutation = CM_FFT_LIST;
        good = read_list(text + 5, request);
    } else if (strncmp(text, "random:", 7) == 0) {
        request->permutation = CM_FFT_RANDOM;
        good = read_number(text + 7, '\0', &request->seed) != NULL;
    } else {
        good = false;
    }
    if (good)
        return CM_OK;
    return cm_error_refuse(
        err,
        "as in bits:0,2,1,3, where number x of the list is the bit of the permuted index that bit "
        "x becomes; or random:7",
        "mapping \"%.100s\", expected identical, shuffle, bits:LIST or random:SEED", text);
}

void cm_fft_permutation_write(const struct cm_fft_mapping *mapping, struct cm_buffer *text)
{
    static const char *const names[CM_FFT_PERMUTATION_COUNT] = {"identical", "shuffle", "",
                                                                "random = ", "canonical"};
    cm_buffer_printf(text, "%s", names[mapping->permutation]);
    if (mapping->permutation != CM_FFT_LIST && mapping->permutation != CM_FFT_RANDOM)
        return;
    cm_buffer_printf(text, "bits:");
    for (uint32_t x = 0; x < mapping->bits; x++)
        cm_buffer_printf(text, "%s%u", x == 0 ? "" : ",", (unsigned)mapping->place[x]);
}

/* Converts the lengths of axes to numbers of bits, and adds these up. */
static enum cm_status measure(const char *what, const uint64_t *shape, uint32_t rank,
                              uint32_t *bits, uint32_t *sum, struct cm_error *err)
{
    *sum = 0;
    if (rank == 0 || rank > CM_FFT_AXES_MAX)
        return cm_error_refuse(err, "give the length of each axis",
                               "the %s has %" PRIu32 " dimensions, expected 1 to %u", what, rank,
                               CM_FFT_AXES_MAX);
    for (uint32_t a = 0; a < rank; a++) {
        if (shape[a] == 0 || (shape[a] & (shape[a] - 1)) != 0)
            return cm_error_refuse(err,
                                   "a mapping permutes the bits of indices, so every axis needs a "
                                   "length of 2^k; axis 0 is the least significant one",
                                   "axis %" PRIu32 " of the %s has length %" PRIu64
                                   ", expected a power of two",
                                   a, what, shape[a]);
        bits[a] = (uint32_t)__builtin_ctzll(shape[a]);
        *sum += bits[a];
        if (*sum > CM_LOGIC_DIMENSIONS_MAX)
            return cm_error_refuse(err, "use a smaller shape",
                                   "the %s is too large: more than 2^%u points", what,
                                   CM_LOGIC_DIMENSIONS_MAX);
    }
    return CM_OK;
}

static enum cm_status measure_all(const struct cm_fft_request *request,
                                  struct cm_fft_mapping *mapping, struct cm_error *err)
{
    uint32_t node_bits;
    enum cm_status status =
        measure("array", request->shape, request->rank, mapping->array_bits, &mapping->bits, err);
    if (status == CM_OK)
        status = measure("mesh", request->mesh_shape, request->mesh_rank, mapping->mesh_bits,
                         &node_bits, err);
    if (status != CM_OK)
        return status;
    if (node_bits > NODE_BITS_MAX)
        return cm_error_refuse(err, "use a smaller mesh",
                               "the mesh is too large: more than 2^%u nodes", NODE_BITS_MAX);
    if (node_bits > mapping->bits)
        mapping->idle_bits = node_bits - mapping->bits;
    else
        mapping->local_bits = mapping->bits - node_bits;
    return CM_OK;
}

/* Returns the number of bits of J: the index bits, and bits that are always 0 if some nodes have no
 * point. */
static uint32_t place_bits(const struct cm_fft_mapping *mapping)
{
    return mapping->bits + mapping->idle_bits;
}

uint32_t cm_fft_node_bits(const struct cm_fft_mapping *mapping)
{
    return place_bits(mapping) - mapping->local_bits;
}

/* These functions return the lowest bit of the mesh coordinates in J, and of the local part. */
static uint32_t mesh_base(const struct cm_fft_mapping *mapping)
{
    return mapping->local == CM_FFT_LOCAL_LOW ? mapping->local_bits : 0;
}

static uint32_t local_base(const struct cm_fft_mapping *mapping)
{
    return mapping->local == CM_FFT_LOCAL_LOW ? 0 : cm_fft_node_bits(mapping);
}

/* Deals the index bits that are not local to the mesh axes. Section 5 of the paper calls these bits
 * cards, and the mesh axes gamblers. */
static void deal(struct cm_fft_mapping *mapping)
{
    uint32_t next[CM_FFT_AXES_MAX], end[CM_FFT_AXES_MAX], hand[CM_FFT_AXES_MAX];
    uint32_t first = mesh_base(mapping), last = first + mapping->bits - mapping->local_bits;
    uint32_t left = mapping->bits - mapping->local_bits, card = 0, seat = first;
    for (uint32_t p = 0; p < mapping->rank; p++) {
        next[p] = card < first ? first : card;
        card += mapping->array_bits[p];
        end[p] = card < last ? card : last;
    }
    for (uint32_t i = 0; i < mapping->mesh_rank; i++) {
        hand[i] = seat;
        seat += mapping->mesh_bits[i];
    }
    while (left > 0) {
        for (uint32_t p = 0; p < mapping->rank; p++) {
            uint32_t full = first;
            for (uint32_t i = 0; i < mapping->mesh_rank && next[p] < end[p]; i++) {
                full += mapping->mesh_bits[i];
                if (hand[i] == full)
                    continue;
                mapping->place[next[p]++] = (uint8_t)hand[i]++;
                left--;
            }
        }
    }
}

static enum cm_status hint_list(const struct cm_fft_mapping *mapping, struct cm_error *err)
{
    uint32_t bits = place_bits(mapping);
    if (mapping->idle_bits == 0)
        cm_error_hint(err, "list each of 0 to %" PRIu32 " once", bits == 0 ? 0 : bits - 1);
    else
        cm_error_hint(err, "list %" PRIu32 " of the mesh's bits 0 to %" PRIu32 ", each once",
                      mapping->bits, bits - 1);
    return CM_BAD_INPUT;
}

static enum cm_status place_list(const struct cm_fft_request *request,
                                 struct cm_fft_mapping *mapping, struct cm_error *err)
{
    uint64_t seen = 0;
    if (request->list_count != mapping->bits) {
        cm_error_set(err, CM_BAD_INPUT,
                     "%" PRIu32 " bits are listed, but the indices of the array have %" PRIu32,
                     request->list_count, mapping->bits);
        return hint_list(mapping, err);
    }
    for (uint32_t x = 0; x < mapping->bits; x++) {
        uint32_t bit = request->list[x];
        if (bit >= place_bits(mapping) || (seen >> bit & 1) != 0) {
            cm_error_set(err, CM_BAD_INPUT, "the list of bits is not a permutation: %" PRIu32 " %s",
                         bit,
                         seen >> (bit & 63) & 1    ? "appears twice"
                         : mapping->idle_bits == 0 ? "is not a bit of an index"
                                                   : "is not a bit of a node");
            return hint_list(mapping, err);
        }
        seen |= UINT64_C(1) << bit;
        mapping->place[x] = (uint8_t)bit;
    }
    return CM_OK;
}

static void place_random(uint64_t seed, struct cm_fft_mapping *mapping)
{
    for (uint32_t t = 0; t + 1 < place_bits(mapping); t++) {
        uint32_t last = place_bits(mapping) - 1 - t;
        uint32_t drawn = (uint32_t)(cm_splitmix64(seed, t) % (last + 1));
        uint8_t kept = mapping->place[last];
        mapping->place[last] = mapping->place[drawn];
        mapping->place[drawn] = kept;
    }
}

/* Lists the bits of J that have no index bit, after the places of the index bits. */
static void place_idle(struct cm_fft_mapping *mapping)
{
    uint64_t taken = 0;
    uint32_t x = mapping->bits;
    for (uint32_t y = 0; y < mapping->bits; y++)
        taken |= UINT64_C(1) << mapping->place[y];
    for (uint32_t y = 0; y < place_bits(mapping); y++)
        if (!(taken >> y & 1))
            mapping->place[x++] = (uint8_t)y;
}

/* Computes the allocation (node bits and local bits) of a complete mapping. */
static void allocate(struct cm_fft_mapping *mapping)
{
    struct cm_allocation *allocation = &mapping->allocation;
    uint32_t node_bits = cm_fft_node_bits(mapping), bit = mesh_base(mapping);
    allocation->dimensions = place_bits(mapping);
    allocation->node_bits = node_bits;
    allocation->processor = low_bits(node_bits) << bit;
    allocation->permuted = true;
    memcpy(allocation->place, mapping->place, sizeof allocation->place);
    for (uint32_t i = 0; i < mapping->mesh_rank; i++) {
        uint32_t bits = mapping->mesh_bits[i];
        if (bits == 0)
            continue;
        if (mapping->codes[i] == CM_FFT_GRAY)
            allocation->coupled |= low_bits(bits - 1) << bit;
        bit += bits;
    }
}

enum cm_status cm_fft_mapping_create(const struct cm_fft_request *request,
                                     struct cm_fft_mapping *mapping, struct cm_error *err)
{
    memset(mapping, 0, sizeof *mapping);
    mapping->rank = request->rank;
    mapping->mesh_rank = request->mesh_rank;
    mapping->permutation = request->permutation;
    mapping->local = request->local;
    enum cm_status status = measure_all(request, mapping, err);
    if (status != CM_OK)
        return status;
    for (uint32_t i = 0; i < mapping->mesh_rank; i++)
        mapping->codes[i] = request->code;
    for (uint32_t x = 0; x < place_bits(mapping); x++)
        mapping->place[x] = (uint8_t)x;
    if (request->permutation == CM_FFT_SHUFFLE)
        deal(mapping);
    else if (request->permutation == CM_FFT_LIST)
        status = place_list(request, mapping, err);
    else if (request->permutation == CM_FFT_RANDOM)
        place_random(request->seed, mapping);
    if (status == CM_OK)
        place_idle(mapping);
    allocate(mapping);
    return status;
}

/* Refuses canonical layouts in which the places of elements are not the bits of a mapping. */
static enum cm_status check_layout(const struct cm_layout *layout, struct cm_error *err)
{
    for (uint32_t a = 0; a < layout->rank; a++) {
        const struct cm_axis *axis = &layout->axes[a];
        if (axis->padded && (axis->length & (axis->length - 1)) == 0)
            return cm_error_refuse(err, "every node needs at least one point: use fewer nodes",
                                   "axis %" PRIu32 " (dim %" PRIu32 " in a workload) has %" PRIu64
                                   " points on %" PRIu64 " nodes",
                                   a, a + 1, axis->length, UINT64_C(1) << axis->node_bits);
    }
    return CM_OK;
}

enum cm_status cm_fft_mapping_canonical(const struct cm_layout *layout,
                                        struct cm_fft_mapping *mapping, struct cm_error *err)
{
    struct cm_fft_request request = {.rank = layout->rank, .mesh_rank = layout->rank};
    uint32_t local = 0, node = 0, x = 0;
    for (uint32_t a = 0; a < layout->rank; a++) {
        request.shape[a] = layout->axes[a].length;
        request.mesh_shape[a] = UINT64_C(1) << layout->axes[a].node_bits;
    }
    enum cm_status status = check_layout(layout, err);
    if (status == CM_OK)
        status = cm_fft_mapping_create(&request, mapping, err);
    if (status != CM_OK)
        return status;
    mapping->permutation = CM_FFT_CANONICAL;
    for (uint32_t a = 0; a < layout->rank; a++) {
        uint32_t inner = mapping->array_bits[a] - mapping->mesh_bits[a];
        for (uint32_t b = 0; b < mapping->array_bits[a]; b++)
            mapping->place[x++] = (uint8_t)(b < inner ? local++ : mapping->local_bits + node++);
        mapping->codes[a] = layout->axes[a].order == CM_ORDER_SEND ? CM_FFT_BINARY : CM_FFT_GRAY;
    }
    memset(&mapping->allocation, 0, sizeof mapping->allocation);
    allocate(mapping);
    return CM_OK;
}

void cm_fft_mapping_key(const struct cm_fft_mapping *mapping, struct cm_buffer *key)
{
    CM_CACHE_KEY(key, mapping->local, mapping->rank, mapping->mesh_rank);
    for (uint32_t p = 0; p < mapping->rank; p++)
        CM_CACHE_KEY(key, mapping->array_bits[p]);
    for (uint32_t i = 0; i < mapping->mesh_rank; i++)
        CM_CACHE_KEY(key, mapping->mesh_bits[i], mapping->codes[i]);
    cm_buffer_append(key, mapping->place, mapping->bits);
}

void cm_fft_mapping_place(const struct cm_fft_mapping *mapping, uint64_t index, uint32_t *node,
                          uint64_t *local_element)
{
    cm_allocation_place(&mapping->allocation, index, node, local_element);
}

uint32_t cm_fft_coordinate_bits(const struct cm_fft_mapping *mapping, uint32_t node)
{
    uint32_t bits = 0, base = 0;
    for (uint32_t i = 0; i < mapping->mesh_rank; i++) {
        uint32_t code = node >> base & ((UINT32_C(1) << mapping->mesh_bits[i]) - 1);
        bits |= (mapping->codes[i] == CM_FFT_GRAY ? cm_gray_decode(code) : code) << base;
        base += mapping->mesh_bits[i];
    }
    return bits;
}

void cm_fft_mapping_coordinates(const struct cm_fft_mapping *mapping, uint64_t index,
                                uint32_t coordinates[CM_FFT_AXES_MAX])
{
    uint64_t permuted = 0;
    for (uint32_t x = 0; x < mapping->bits; x++)
        permuted |= (index >> x & 1) << mapping->place[x];
    permuted >>= mesh_base(mapping);
    for (uint32_t i = 0; i < mapping->mesh_rank; i++) {
        coordinates[i] = (uint32_t)(permuted & low_bits(mapping->mesh_bits[i]));
        permuted >>= mapping->mesh_bits[i];
    }
}

uint64_t cm_fft_spread(const struct cm_fft_mapping *mapping)
{
    uint32_t coordinates[CM_FFT_AXES_MAX];
    uint64_t distance = 0;
    cm_fft_mapping_coordinates(mapping, low_bits(mapping->bits), coordinates);
    for (uint32_t i = 0; i < mapping->mesh_rank; i++)
        distance += coordinates[i];
    return distance;
}

uint64_t cm_fft_mesh_diameter(const struct cm_fft_mapping *mapping)
{
    uint64_t diameter = 0;
    for (uint32_t i = 0; i < mapping->mesh_rank; i++)
        diameter += low_bits(mapping->mesh_bits[i]);
    return diameter;
}

void cm_fft_mapping_step(const struct cm_fft_mapping *mapping, uint32_t axis, uint32_t bit,
                         struct cm_fft_step *step)
{
    uint32_t x = bit, dimension = 0, i = 0;
    for (uint32_t p = 0; p < axis; p++)
        x += mapping->array_bits[p];
    uint32_t place = mapping->place[x];
    memset(step, 0, sizeof *step);
    step->axis = axis;
    step->bit = bit;
    if (place - local_base(mapping) < mapping->local_bits) {
        step->local = true;
        step->local_bit = place - local_base(mapping);
        return;
    }
    place -= mesh_base(mapping);
    while (place - dimension >= mapping->mesh_bits[i])
        dimension += mapping->mesh_bits[i++];
    step->mesh_axis = i;
    step->mesh_bit = place - dimension;
    step->dimension = place;
    step->distance = UINT64_C(1) << step->mesh_bit;
    step->node_mask = UINT32_C(1) << place;
    /* Bit j of a coordinate changes bits j and j - 1 of its Gray code. */
    if (mapping->codes[i] == CM_FFT_GRAY && step->mesh_bit > 0)
        step->node_mask |= UINT32_C(1) << (place - 1);
    step->hops = (uint32_t)__builtin_popcount(step->node_mask);
}
