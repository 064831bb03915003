/*
 * Files of NumPy (.npy, NEP 1 and numpy.lib.format): "\x93NUMPY", version, little-endian header
 * length, header, elements. The header is a Python literal such as
 *     {'descr': '<f8', 'fortran_order': True, 'shape': (64, 64), }
 * with exactly these three keys in any order. No other Python is understood. Files are
 * little-endian on every host.
 */
#include "npy_parts.h"

#include "file.h"
#include "input.h"
#include "page.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The file begins with the magic string, the version, and a header length of two bytes. */
#define MAGIC          "\x93NUMPY"
#define MAGIC_BYTES    6u
#define PREAMBLE_BYTES 10u

/* Largest header that is read, in bytes. NumPy refuses headers above 10,000 bytes, and 32 extents
 * of 20 digits need fewer than 1,000. */
#define HEADER_MAX_BYTES 65536u

/* Alignment of the data in bytes (ARRAY_ALIGN of numpy.lib.format), and number of digits for which
 * the header has room, so that one extent can grow (GROWTH_AXIS_MAX_DIGITS). */
#define ALIGN_BYTES   64u
#define GROWTH_DIGITS 21u

static const struct {
    const char *descr;
    size_t size;
    /* number of bytes of a number in the element. A complex element has two numbers */
    size_t word;
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

/* Swaps the bytes of all elements between the file's order and the host's. On little-endian hosts
 * nothing changes. */
static void swap_words(const struct cm_npy *npy)
{
    const uint16_t one = 1;
    unsigned char *data = npy->data;
    size_t bytes = (size_t)npy->count * types[npy->type].size, word = types[npy->type].word;
    bool little_endian = *(const unsigned char *)&one == 1;
    for (size_t at = 0; !little_endian && at < bytes; at += word)
        for (size_t i = 0; i < word / 2; i++) {
            unsigned char byte = data[at + i];
            data[at + i] = data[at + word - 1 - i];
            data[at + word - 1 - i] = byte;
        }
}

/* State of the header parser. After the first error the parser reads nothing more. */
struct parser {
    const char *name;
    const char *at, *end; /* *end is NUL */
    struct cm_npy *npy;
    enum cm_status status;
    struct cm_error *err;
};

#define INVALID "not a valid .npy header: "
#define fail(p, ...)                                                                               \
    ((p)->status = (p)->status != CM_OK                                                            \
                       ? (p)->status                                                               \
                       : cm_error_at((p)->err, CM_BAD_INPUT, (p)->name, 0, 0, __VA_ARGS__))

static void expected(struct parser *p, const char *what)
{
    size_t left = (size_t)(p->end - p->at);
    if (left == 0)
        fail(p, INVALID "expected %s, found its end", what);
    else
        fail(p, INVALID "expected %s, found %s", what,
             cm_text_quote(p->at, left < 16 ? left : 16).text);
}

/* Skips white space, and then `word`, if the text continues with it. Returns true if it does. */
static bool accept(struct parser *p, const char *word)
{
    p->at += p->status == CM_OK ? strspn(p->at, " \t\n\r") : 0;
    bool found = p->status == CM_OK && strncmp(p->at, word, strlen(word)) == 0;
    p->at += found ? strlen(word) : 0;
    return found;
}

/* Returns the content of a string literal, or NULL after an error. */
static const char *get_string(struct parser *p, const char *what, size_t *length)
{
    bool single = accept(p, "'");
    if (!single && !accept(p, "\""))
        expected(p, what);
    const char *text = p->at, *end = text + strcspn(text, single ? "'\\\n" : "\"\\\n");
    if (*end != (single ? '\'' : '"'))
        fail(p, INVALID "a string that is not closed, or has an escape in it");
    if (p->status != CM_OK)
        return NULL;
    *length = (size_t)(end - text);
    p->at = end + 1;
    return text;
}

static bool is(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

static void get_type(struct parser *p)
{
    size_t length;
    if (accept(p, "[")) {
        fail(p, "structured elements cannot be read");
        cm_error_hint(p->err, "save each field as an array of its own");
    }
    const char *descr = get_string(p, "an element type such as '<f8'", &length);
    for (int type = CM_NPY_F4; descr && type <= CM_NPY_B1; type++) {
        p->npy->type = (enum cm_npy_type)type;
        if (is(descr, length, cm_npy_type_descr(p->npy->type)))
            return;
    }
    if (!descr)
        return;
    fail(p,
         length > 1 && descr[0] == '>'
             ? "elements of type '%s' are big-endian; expected little-endian ones"
             : "elements of type '%s' cannot be read",
         cm_text_clip(descr, length).text);
    cm_error_hint(p->err, "readable types: <f4, <f8, <c8, <c16, <i4, |b1; "
                          "convert in NumPy, for example with a.astype('<f8')");
}

static void get_order(struct parser *p)
{
    p->npy->fortran_order = accept(p, "True");
    if (!p->npy->fortran_order && !accept(p, "False"))
        expected(p, "True or False after 'fortran_order'");
}

static void get_extent(struct parser *p)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(p->at, &end, 10);
    if (p->at[0] < '0' || p->at[0] > '9')
        expected(p, "an extent of the shape (a whole number, not negative)");
    else if (errno == ERANGE)
        fail(p, INVALID "an extent of the shape is beyond 64 bits");
    else if (p->at[0] == '0' && end - p->at > 1)
        fail(p, INVALID "an extent of the shape begins with a zero");
    else if (p->npy->rank == CM_NPY_MAX_RANK)
        fail(p, "the array has more than %u dimensions", CM_NPY_MAX_RANK);
    else
        p->npy->shape[p->npy->rank++] = value;
    /* Python 2 wrote a long integer with an L, such as an extent in a version 1.0 file. */
    p->at = *end == 'L' ? end + 1 : end;
}

/* Reads a tuple: (), (3,), (3, 4) or (3, 4,). Python and NumPy take (3) for a number, so it is
 * refused. */
static void get_shape(struct parser *p)
{
    bool comma = true;
    if (!accept(p, "("))
        expected(p, "a tuple such as (3, 4) after 'shape'");
    while (!accept(p, ")") && p->status == CM_OK) {
        if (comma)
            get_extent(p);
        else
            expected(p, "',' or ')' in the shape");
        comma = accept(p, ",");
    }
    if (p->npy->rank == 1 && !comma)
        fail(p, INVALID "the shape is a number, not a tuple; one extent is written (3,)");
}

static const struct {
    const char *key;
    void (*get)(struct parser *p);
} members[] = {{"descr", get_type}, {"fortran_order", get_order}, {"shape", get_shape}};

/* Reads one "key: value". `seen` has a bit for each key of the dictionary that was already read. */
static void get_member(struct parser *p, unsigned *seen)
{
    size_t length, i = 0;
    const char *key = get_string(p, "a key in quotes", &length);
    while (key && i < 3 && !is(key, length, members[i].key))
        i++;
    if (!key)
        return;
    if (i == 3)
        fail(p, INVALID "unknown key '%s'; expected 'descr', 'fortran_order' and 'shape'",
             cm_text_clip(key, length).text);
    else if (*seen & 1u << i)
        fail(p, INVALID "the key '%s' appears twice", members[i].key);
    else if (!accept(p, ":"))
        expected(p, "':' after a key");
    else
        members[i].get(p);
    *seen |= 1u << i;
}

/* Computes the number of elements and of bytes from the shape. Returns false if 63 bits do not hold
 * the product of the non-zero extents. */
static bool shape_bytes(const struct cm_npy *npy, uint64_t *count, uint64_t *bytes)
{
    uint64_t most = (uint64_t)INT64_MAX / cm_npy_type_size(npy->type), product = 1;
    bool empty = false;
    for (uint32_t i = 0; i < npy->rank; i++) {
        uint64_t extent = npy->shape[i] > 0 ? npy->shape[i] : 1;
        empty = empty || npy->shape[i] == 0;
        if (extent > most / product)
            return false;
        product *= extent;
    }
    *count = empty ? 0 : product;
    *bytes = *count * cm_npy_type_size(npy->type);
    return true;
}

/* Fills in type, order, rank, shape and count from the text of the dictionary: `length` bytes and a
 * NUL. */
static enum cm_status parse_header(const char *name, const char *text, size_t length,
                                   struct cm_npy *npy, struct cm_error *err)
{
    struct parser p = {name, text, text + length, npy, CM_OK, err};
    unsigned seen = 0;
    bool comma = true;
    uint64_t bytes;
    if (!accept(&p, "{"))
        expected(&p, "'{'");
    while (!accept(&p, "}") && p.status == CM_OK) {
        if (comma)
            get_member(&p, &seen);
        else
            expected(&p, "',' or '}'");
        comma = accept(&p, ",");
    }
    accept(&p, ""); /* white space */
    if (p.at != p.end)
        expected(&p, "nothing after '}'");
    for (unsigned i = 0; i < 3; i++)
        if (!(seen & 1u << i))
            fail(&p, INVALID "the key '%s' is missing", members[i].key);
    if (p.status == CM_OK && !shape_bytes(npy, &npy->count, &bytes))
        fail(&p, "the array's shape has more elements than 63 bits can address");
    return p.status;
}

static enum cm_status fail_short(const struct cm_input *input, const char *where,
                                 struct cm_error *err)
{
    return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0, "the file ends within its %s", where);
}

/* Reads magic string, version and the length of the header, which has two bytes in version 1.0 and
 * four later. */
static enum cm_status read_preamble(struct cm_input *input, size_t *header_bytes,
                                    struct cm_error *err)
{
    unsigned char bytes[PREAMBLE_BYTES + 2] = {0};
    size_t got;
    enum cm_status status = cm_input_read(input, bytes, PREAMBLE_BYTES, &got, err);
    if (status != CM_OK)
        return status;
    if (got == 0 || memcmp(bytes, MAGIC, got < MAGIC_BYTES ? got : MAGIC_BYTES) != 0) {
        cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0, "not a .npy file: %s",
                    got == 0 ? "it is empty" : "it does not begin with \"\\x93NUMPY\"");
        cm_error_hint(err, "write one in NumPy with numpy.save");
        return CM_BAD_INPUT;
    }
    if (got < PREAMBLE_BYTES)
        return fail_short(input, "first ten bytes", err);
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                           ".npy version %u.%u cannot be read; expected 1.0, 2.0 or 3.0", bytes[6],
                           bytes[7]);
    if (bytes[6] > 1)
        status = cm_input_read(input, bytes + PREAMBLE_BYTES, 2, &got, err);
    if (status == CM_OK && got < 2)
        return fail_short(input, "first twelve bytes", err);
    *header_bytes =
        bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    return status;
}

static enum cm_status read_header(struct cm_input *input, struct cm_npy *out, struct cm_error *err)
{
    size_t length = 0, got;
    enum cm_status status = read_preamble(input, &length, err);
    if (status != CM_OK)
        return status;
    if (length > HEADER_MAX_BYTES)
        return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                           "the header claims %zu bytes; at most %u can be read", length,
                           HEADER_MAX_BYTES);
    char *text = calloc(1, length + 1);
    if (!text)
        return cm_error_no_memory(err);
    status = cm_input_read(input, text, length, &got, err);
    if (status == CM_OK && got < length)
        status =
            cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                        "the file ends within its header: it has %zu of %zu bytes", got, length);
    if (status == CM_OK)
        status = parse_header(input->name, text, length, out, err);
    free(text);
    return status;
}

static enum cm_status check_length(const struct cm_input *input, const struct cm_npy *npy,
                                   uint64_t expected, uint64_t found, struct cm_error *err)
{
    if (found == expected)
        return CM_OK;
    return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                       "%" PRIu64 " elements of type %s need %" PRIu64
                       " bytes of data, the file has %" PRIu64 "%s",
                       npy->count, cm_npy_type_descr(npy->type), expected, found,
                       found > expected && !input->sized ? " or more" : "");
}

static enum cm_status check_logicals(const struct cm_input *input, const struct cm_npy *npy,
                                     const unsigned char *data, struct cm_error *err)
{
    for (uint64_t i = 0; npy->type == CM_NPY_B1 && i < npy->count; i++)
        if (data[i] > 1)
            return cm_error_at(err, CM_BAD_INPUT, input->name, 0, 0,
                               "element %" PRIu64 " of type |b1 is %u; expected 0 or 1", i,
                               data[i]);
    return CM_OK;
}

/* Reads the elements after the header. Fails if anything follows them. */
static enum cm_status read_data(struct cm_input *input, struct cm_npy *out, struct cm_error *err)
{
    uint64_t bytes;
    size_t got;
    if (!shape_bytes(out, &out->count, &bytes) || bytes >= SIZE_MAX)
        return cm_error_at(err, CM_NO_MEMORY, input->name, 0, 0,
                           "the array is larger than this host can address");
    enum cm_status status = CM_OK;
    if (input->sized)
        status = check_length(input, out, bytes, input->left_bytes, err);
    if (status != CM_OK)
        return status;
    /* an extra byte makes malloc succeed for an empty array, and lets the read notice a file that
     * is too long */
    out->data = malloc((size_t)bytes + 1);
    if (!out->data)
        return cm_error_no_memory(err);
    status = cm_input_read(input, out->data, (size_t)bytes + 1, &got, err);
    if (status == CM_OK)
        status = check_length(input, out, bytes, got, err);
    if (status == CM_OK)
        status = check_logicals(input, out, out->data, err);
    if (status == CM_OK)
        swap_words(out);
    return status;
}

enum cm_status cm_input_read_npy(struct cm_input *input, struct cm_npy *out, struct cm_error *err)
{
    *out = (struct cm_npy){0};
    enum cm_status status = read_header(input, out, err);
    if (status == CM_OK)
        status = read_data(input, out, err);
    if (status != CM_OK)
        cm_npy_finish(out);
    return status;
}

enum cm_status cm_npy_parse_in_place(const char *name, const void *bytes, size_t length,
                                     struct cm_npy *out, const unsigned char **elements,
                                     struct cm_error *err)
{
    struct cm_input input;
    uint64_t needed = 0;
    *out = (struct cm_npy){0};
    cm_input_open_memory(&input, name, bytes, length);
    enum cm_status status = read_header(&input, out, err);
    if (status == CM_OK && !shape_bytes(out, &out->count, &needed))
        status = cm_error_at(err, CM_NO_MEMORY, name, 0, 0,
                             "the array is larger than this host can address");
    if (status == CM_OK)
        status = check_length(&input, out, needed, input.left_bytes, err);
    if (status != CM_OK)
        return status;
    *elements = (const unsigned char *)bytes + (length - input.left_bytes);
    return check_logicals(&input, out, *elements, err);
}

enum cm_status cm_npy_parse(const char *name, const void *bytes, size_t length, struct cm_npy *out,
                            struct cm_error *err)
{
    struct cm_input input;
    cm_input_open_memory(&input, name, bytes, length);
    return cm_input_read_npy(&input, out, err);
}

enum cm_status cm_npy_read(const char *path, struct cm_npy *out, struct cm_error *err)
{
    struct cm_input input;
    *out = (struct cm_npy){0};
    if (CM_FOR_A_PAGE)
        return cm_error_at(err, CM_BAD_INPUT, path, 0, 0, "a web page cannot read .npy files");
    enum cm_status status = cm_input_open(&input, path, err);
    if (status == CM_OK)
        status = cm_input_read_npy(&input, out, err);
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
 * Writes the bytes before the data and returns their number. As in numpy.save, the keys have a
 * fixed order, spaces leave room for one extent to grow, and the header is padded with spaces and a
 * newline. The extent that may grow is the last one of a Fortran array and the first one of a C
 * array.
 */
static size_t format_header(const struct cm_npy *npy, char *out, size_t size)
{
    char extent[32];
    size_t used = PREAMBLE_BYTES;
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
    size_t length = used - PREAMBLE_BYTES;
    memcpy(out, MAGIC "\x01\x00", 8);
    out[8] = (char)(length & 0xff);
    out[9] = (char)(length >> 8 & 0xff);
    return used;
}

enum cm_status cm_npy_begin(const char *path, const struct cm_npy *npy, struct cm_output *output,
                            struct cm_error *err)
{
    /* 32 extents of 20 digits and their punctuation need fewer than 1,000 bytes */
    char header[2048];
    uint64_t count, bytes;
    if (npy->rank > CM_NPY_MAX_RANK || !shape_bytes(npy, &count, &bytes) || count != npy->count ||
        bytes >= SIZE_MAX)
        return cm_error_at(err, CM_INTERNAL, path, 0, 0,
                           "the array's count, %" PRIu64 ", differs from the product of its shape",
                           npy->count);
    enum cm_status status = cm_output_open(output, path, NULL, NULL, err);
    if (status == CM_OK)
        cm_output_write(output, header, format_header(npy, header, sizeof header));
    return status;
}

void cm_npy_add(struct cm_output *output, enum cm_npy_type type, void *elements, uint64_t count)
{
    const struct cm_npy part = {.type = type, .count = count, .data = elements};
    swap_words(&part);
    cm_output_write(output, elements, (size_t)count * types[type].size);
}

const char *cm_npy_other_ending(const char *path)
{
    static const char *const endings[] = {".csv",  ".tsv", ".txt",  ".json", ".npz",
                                          ".xlsx", ".mat", ".hdf5", ".h5"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return dot;
    return NULL;
}

enum cm_status cm_npy_write(const char *path, const struct cm_npy *npy, struct cm_error *err)
{
    struct cm_output output;
    enum cm_status status = cm_npy_begin(path, npy, &output, err);
    if (status != CM_OK)
        return status;
    cm_npy_add(&output, npy->type, npy->data, npy->count);
    swap_words(npy);
    return cm_output_close(&output, err);
}

/* Gathers `count` elements that lie `stride` elements apart. Copies of a constant size compile to
 * plain moves. */
static void gather(unsigned char *to, const unsigned char *from, uint64_t count, uint64_t stride,
                   size_t size)
{
    for (uint64_t i = 0; i < count; i++)
        if (size == 4)
            memcpy(to + i * 4, from + i * stride * 4, 4);
        else if (size == 8)
            memcpy(to + i * 8, from + i * stride * 8, 8);
        else
            memcpy(to + i * size, from + i * stride * size, size);
}

/* Copies a C-order array into Fortran order, one line along the first index at a time. */
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
            return cm_error_no_memory(err);
        reorder(npy, data);
        free(npy->data);
        npy->data = data;
    }
    npy->fortran_order = true;
    return CM_OK;
}
