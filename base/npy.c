/*
 * NumPy .npy files (NEP 1 and numpy.lib.format): "\x93NUMPY", version, little-endian header length,
 * header, elements. Files are little-endian whatever the host; elements are swapped on the way
 * where it is not.
 */
#include "npy.h"

#include "file.h"
#include "input.h"
#include "npy_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* numpy.lib.format: ARRAY_ALIGN, where data begin; and GROWTH_AXIS_MAX_DIGITS, room to rewrite a
 * grown extent in place. */
#define ALIGN_BYTES   64u
#define GROWTH_DIGITS 21u

static const struct {
    const char *descr;
    size_t size;
    size_t word; /* what is swapped as a whole; a complex number is two words */
} types[] = {
    [CM_NPY_F4] = {"<f4", 4, 4},    [CM_NPY_F8] = {"<f8", 8, 8}, [CM_NPY_C8] = {"<c8", 8, 4},
    [CM_NPY_C16] = {"<c16", 16, 8}, [CM_NPY_I4] = {"<i4", 4, 4}, [CM_NPY_B1] = {"|b1", 1, 1},
};

size_t cm_npy_type_size(enum cm_npy_type type)
{
    return types[type].size;
}

const char *cm_npy_type_descr(enum cm_npy_type type)
{
    return types[type].descr;
}

static bool host_is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static void swap_words(unsigned char *data, size_t bytes, size_t word)
{
    for (size_t at = 0; at < bytes; at += word) {
        for (size_t i = 0; i < word / 2; i++) {
            unsigned char byte = data[at + i];
            data[at + i] = data[at + word - 1 - i];
            data[at + word - 1 - i] = byte;
        }
    }
}

static enum cm_status fail_short(const struct cm_input *input, const char *where,
                                 struct cm_error *err)
{
    return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0, "the file ends within its %s", where);
}

/* Reads magic string, version and length of the header. */
static enum cm_status read_preamble(struct cm_input *input, size_t *header_bytes,
                                    struct cm_error *err)
{
    unsigned char bytes[CM_NPY_PREAMBLE_BYTES + 2];
    size_t got, length_bytes = 2;
    enum cm_status status = cm_input_read(input, bytes, CM_NPY_PREAMBLE_BYTES, &got, err);
    if (status != CM_OK)
        return status;
    size_t magic = got < CM_NPY_MAGIC_BYTES ? got : CM_NPY_MAGIC_BYTES;
    if (got == 0 || memcmp(bytes, "\x93NUMPY", magic) != 0) {
        cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0, "not a .npy file: %s",
                    got == 0 ? "it is empty" : "it does not begin with \"\\x93NUMPY\"");
        cm_error_hint(err, "write one in NumPy with numpy.save");
        return CM_BAD_INPUT;
    }
    if (got < CM_NPY_PREAMBLE_BYTES)
        return fail_short(input, "first ten bytes", err);
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                           ".npy version %u.%u cannot be read; expected 1.0, 2.0 or 3.0", bytes[6],
                           bytes[7]);
    if (bytes[6] > 1) {
        length_bytes = 4;
        status = cm_input_read(input, bytes + CM_NPY_PREAMBLE_BYTES, 2, &got, err);
        if (status != CM_OK)
            return status;
        if (got < 2)
            return fail_short(input, "first twelve bytes", err);
    }
    *header_bytes = 0;
    for (size_t i = 0; i < length_bytes; i++)
        *header_bytes |= (size_t)bytes[8 + i] << (8 * i);
    return CM_OK;
}

static enum cm_status read_header(struct cm_input *input, struct cm_npy *out, struct cm_error *err)
{
    size_t length = 0, got;
    enum cm_status status = read_preamble(input, &length, err);
    if (status != CM_OK)
        return status;
    if (length > CM_NPY_HEADER_MAX_BYTES)
        return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                           "the header claims %zu bytes; at most %u can be read", length,
                           CM_NPY_HEADER_MAX_BYTES);
    char *text = malloc(length + 1);
    if (!text)
        return cm_error_at(err, CM_NO_MEMORY, input->name, 0, 0,
                           "not enough memory for a header of %zu bytes", length);
    status = cm_input_read(input, text, length, &got, err);
    if (status == CM_OK && got < length)
        status =
            cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                        "the file ends within its header: it has %zu of %zu bytes", got, length);
    if (status == CM_OK)
        status = cm_npy_header_parse(input->name, text, length, out, err);
    free(text);
    return status;
}

static enum cm_status fail_length(const struct cm_input *input, const struct cm_npy *npy,
                                  uint64_t expected, uint64_t found, struct cm_error *err)
{
    return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                       "%" PRIu64 " elements of type %s need %" PRIu64
                       " bytes of data, the file has %" PRIu64 "%s",
                       npy->count, cm_npy_type_descr(npy->type), expected, found,
                       found > expected && !input->sized ? " or more" : "");
}

static enum cm_status check_logicals(const struct cm_input *input, const struct cm_npy *npy,
                                     struct cm_error *err)
{
    const unsigned char *data = npy->data;
    for (uint64_t i = 0; npy->type == CM_NPY_B1 && i < npy->count; i++)
        if (data[i] > 1)
            return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                               "element %" PRIu64 " of type |b1 is %u; expected 0 or 1", i,
                               data[i]);
    return CM_OK;
}

/* Reads the elements behind the header, and makes sure that nothing follows them. */
static enum cm_status read_data(struct cm_input *input, struct cm_npy *out, struct cm_error *err)
{
    uint64_t bytes;
    if (!cm_npy_shape_bytes(out, &out->count, &bytes) || bytes >= SIZE_MAX)
        return cm_error_at(err, CM_NO_MEMORY, input->name, 0, 0,
                           "the array is larger than this host can address");
    if (input->sized && input->left_bytes != bytes)
        return fail_length(input, out, bytes, input->left_bytes, err);
    out->data = malloc((size_t)bytes +
                       1); /* one more: an empty array has data too, and the end is looked for */
    if (!out->data)
        return cm_error_at(err, CM_NO_MEMORY, input->name, 0, 0,
                           "not enough memory for %" PRIu64 " bytes of data", bytes);
    size_t got;
    enum cm_status status = cm_input_read(input, out->data, (size_t)bytes + 1, &got, err);
    if (status == CM_OK && got != bytes)
        status = fail_length(input, out, bytes, got, err);
    if (status == CM_OK)
        status = check_logicals(input, out, err);
    if (status == CM_OK && !host_is_little_endian())
        swap_words(out->data, (size_t)bytes, types[out->type].word);
    return status;
}

static enum cm_status read_npy(struct cm_input *input, struct cm_npy *out, struct cm_error *err)
{
    enum cm_status status = read_header(input, out, err);
    if (status == CM_OK)
        status = read_data(input, out, err);
    if (status != CM_OK)
        cm_npy_finish(out);
    return status;
}

enum cm_status cm_npy_parse(const char *name, const void *bytes, size_t length, struct cm_npy *out,
                            struct cm_error *err)
{
    struct cm_input input;
    *out = (struct cm_npy){0};
    cm_input_open_memory(&input, name, bytes, length);
    return read_npy(&input, out, err);
}

enum cm_status cm_npy_read(const char *path, struct cm_npy *out, struct cm_error *err)
{
    struct cm_input input;
    *out = (struct cm_npy){0};
    enum cm_status status = cm_input_open(&input, path, err);
    if (status == CM_OK)
        status = read_npy(&input, out, err);
    cm_input_close(&input);
    return status;
}

void cm_npy_finish(struct cm_npy *npy)
{
    if (!npy)
        return;
    free(npy->data);
    *npy = (struct cm_npy){0};
}

/*
 * The bytes before the data, as numpy.save writes them: keys in this order, spaces for an extent
 * that may grow (the last of a Fortran array, the first of another), spaces and a newline up to the
 * alignment. Returns their number.
 */
static size_t format_header(const struct cm_npy *npy, char *out, size_t size)
{
    char extent[32];
    size_t used = CM_NPY_PREAMBLE_BYTES;
    used +=
        (size_t)snprintf(out + used, size - used, "{'descr': '%s', 'fortran_order': %s, 'shape': (",
                         cm_npy_type_descr(npy->type), npy->fortran_order ? "True" : "False");
    for (uint32_t i = 0; i < npy->rank; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%" PRIu64, i > 0 ? ", " : "",
                                 npy->shape[i]);
    used += (size_t)snprintf(out + used, size - used, "%s), }", npy->rank == 1 ? "," : "");
    size_t spaces = 0;
    if (npy->rank > 0) {
        uint64_t grows = npy->shape[npy->fortran_order ? npy->rank - 1 : 0];
        spaces = GROWTH_DIGITS - (size_t)snprintf(extent, sizeof extent, "%" PRIu64, grows);
    }
    spaces += ALIGN_BYTES - (used + spaces + 1) % ALIGN_BYTES;
    memset(out + used, ' ', spaces);
    used += spaces;
    out[used++] = '\n';
    size_t length = used - CM_NPY_PREAMBLE_BYTES;
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)(length & 0xff);
    out[9] = (char)(length >> 8 & 0xff);
    return used;
}

enum cm_status cm_npy_write(const char *path, const struct cm_npy *npy, struct cm_error *err)
{
    char header[2048]; /* 32 extents of 20 digits and what stands around them stay below 1,000 */
    uint64_t count, bytes;
    if (npy->rank > CM_NPY_MAX_RANK || !cm_npy_shape_bytes(npy, &count, &bytes) ||
        count != npy->count || bytes >= SIZE_MAX)
        return cm_error_at(err, CM_INTERNAL, path, 0, 0,
                           "an array whose count (%" PRIu64 ") is not that of its shape",
                           npy->count);
    struct cm_file_piece pieces[2] = {{header, format_header(npy, header, sizeof header)},
                                      {npy->data, (size_t)bytes}};
    unsigned char *swapped = NULL;
    if (!host_is_little_endian()) {
        swapped = malloc((size_t)bytes + 1);
        if (!swapped)
            return cm_error_at(err, CM_NO_MEMORY, path, 0, 0,
                               "not enough memory for %" PRIu64 " bytes of data", bytes);
        if (bytes > 0)
            memcpy(swapped, npy->data, (size_t)bytes);
        swap_words(swapped, (size_t)bytes, types[npy->type].word);
        pieces[1].data = swapped;
    }
    enum cm_status status = cm_file_write_pieces(path, pieces, 2, err);
    free(swapped);
    return status;
}

/* Gathers `count` elements that lie `stride` elements apart. */
static void gather(unsigned char *to, const unsigned char *from, uint64_t count, uint64_t stride,
                   size_t size)
{
    for (uint64_t i = 0; i < count; i++) {
        switch (size) { /* sizes known to the compiler become plain moves */
        case 1:
            to[i] = from[i * stride];
            break;
        case 4:
            memcpy(to + i * 4, from + i * stride * 4, 4);
            break;
        case 8:
            memcpy(to + i * 8, from + i * stride * 8, 8);
            break;
        default:
            memcpy(to + i * size, from + i * stride * size, size);
            break;
        }
    }
}

/* Copies a C-order array line by line along its first index, the other indices counting up with the
 * second fastest. */
static void reorder(const struct cm_npy *npy, unsigned char *to)
{
    size_t size = cm_npy_type_size(npy->type);
    uint64_t stride[CM_NPY_MAX_RANK], index[CM_NPY_MAX_RANK] = {0};
    uint64_t step = 1, from = 0, length = npy->shape[0];
    for (uint32_t d = npy->rank; d-- > 0; step *= npy->shape[d])
        stride[d] = step;
    for (uint64_t done = 0; done < npy->count; done += length) {
        gather(to + done * size, (const unsigned char *)npy->data + from * size, length, stride[0],
               size);
        for (uint32_t d = 1; d < npy->rank; d++) {
            from += stride[d];
            if (++index[d] < npy->shape[d])
                break;
            from -= stride[d] * npy->shape[d];
            index[d] = 0;
        }
    }
}

enum cm_status cm_npy_to_fortran(struct cm_npy *npy, struct cm_error *err)
{
    if (!npy->fortran_order && npy->rank > 1 && npy->count > 1) {
        unsigned char *data = malloc((size_t)npy->count * cm_npy_type_size(npy->type));
        if (!data)
            return cm_error_set(err, CM_NO_MEMORY,
                                "not enough memory to reorder %" PRIu64 " elements", npy->count);
        reorder(npy, data);
        free(npy->data);
        npy->data = data;
    }
    npy->fortran_order = true;
    return CM_OK;
}
