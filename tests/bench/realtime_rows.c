/* Rows: kinds of steps by hand; PSHIFT, combine, stencils and statements by their parameters. */
#include "realtime_rows.h"

#include "../../base/export.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE_BITS 11u /* of 2,048 */
#define MEGA      ((double)(1u << 20))

/* ---- kinds of steps ---- */

static const struct realtime_row kinds[] = {
#define ARRAY(name, shape, type, more)                                                             \
    "\"" name "\": {\"shape\": " shape ", \"type\": \"" type "\"" more "}"
#define RANDOM           ", \"init\": {\"random\": 1}"
#define SERIAL           ", \"axes\": [\"serial\", \"news\"]"
#define TWO(shape, type) ARRAY("a", shape, type, RANDOM) ", " ARRAY("b", shape, type, "")
#define FIVE_POINTS                                                                                \
    "{\"stencil\": {\"dst\": \"b\", \"terms\": [[0.5, \"a\", [0, -1]], [0.5, \"a\", [-1, 0]], "    \
    "[-2, \"a\", [0, 0]], [0.5, \"a\", [1, 0]], [0.5, \"a\", [0, 1]]]}}"
    {"stencil-real32", TWO("[4096, 2048]", "real32"), FIVE_POINTS, 64, false},
    {"stencil-real64", TWO("[2048, 2048]", "real64"), FIVE_POINTS, 64, true},
#define SUM "{\"reduce\": {\"op\": \"sum\", \"src\": \"a\", \"dim\": 2, \"dst\": \"b\"}}"
#define SUMS(shape, type)                                                                          \
    ARRAY("a", shape, type, SERIAL RANDOM) ", " ARRAY("b", shape, type, SERIAL)
    {"reduce-real32", SUMS("[4096, 2048]", "real32"), SUM, 64, false},
    {"reduce-real64", SUMS("[2048, 2048]", "real64"), SUM, 64, true},
#define TRANSPOSE "{\"transpose\": {\"dst\": \"b\", \"src\": \"a\"}}"
    {"transpose-real32",
     ARRAY("a", "[4096, 2048]", "real32", RANDOM) ", " ARRAY("b", "[2048, 4096]", "real32", ""),
     TRANSPOSE, 64, false},
    {"transpose-real64", TWO("[2048, 2048]", "real64"), TRANSPOSE, 64, true},
#define ALL_TO_ALL(order)                                                                          \
    "{\"alltoall\": {\"dst\": \"b\", \"src\": \"a\", \"algorithm\": \"gray\", \"order\": \"" order \
    "\"}}"
#define BLOCKS(words, type)                                                                        \
    ARRAY("a", "[" words ", 2048]", type, SERIAL RANDOM)                                           \
    ", " ARRAY("b", "[" words ", 2048, 2048]", type,                                               \
               ", \"axes\": [\"serial\", \"serial\", \"news\"]")
    {"alltoall-real32-arrival", BLOCKS("2", "real32"), ALL_TO_ALL("arrival"), 32, false},
    {"alltoall-real64-arrival", BLOCKS("1", "real64"), ALL_TO_ALL("arrival"), 32, true},
    {"alltoall-real32-source", BLOCKS("2", "real32"), ALL_TO_ALL("source"), 32, false},
    {"alltoall-real64-source", BLOCKS("1", "real64"), ALL_TO_ALL("source"), 32, true},
#define FFT "{\"fft\": {\"array\": \"a\", \"transform\": \"forward\"}}"
#define MESH                                                                                       \
    ", \"mesh\": {\"shape\": [2048], \"mapping\": \"identical\"}, \"init\": {\"random\": 1}"
    {"fft-complex64", ARRAY("a", "[1048576]", "complex64", MESH), FFT, 8, false},
    {"fft-complex128", ARRAY("a", "[1048576]", "complex128", MESH), FFT, 16, true},
#define SORT "{\"sort\": {\"src\": \"a\", \"dst\": \"b\"}}"
    {"sort-real32-256", TWO("[524288]", "real32"), SORT, 4, false},
    {"sort-real64-256", TWO("[524288]", "real64"), SORT, 8, true},
#define PRODUCT     "{\"matmul\": {\"dst\": \"c\", \"a\": \"a\", \"b\": \"b\"}}"
#define THREE(type) TWO("[512, 512]", type) ", " ARRAY("c", "[512, 512]", type, "")
    {"matmul-real32", THREE("real32"), PRODUCT, 3, false},
    {"matmul-real64", THREE("real64"), PRODUCT, 6, true},
#define QCD                                                                                        \
    "{\"qcd\": {\"kernel\": \"staggered\", \"by\": \"halo\", \"dst\": \"b\", \"src\": \"a\", "     \
    "\"ux\": \"ux\", \"uy\": \"uy\", \"uz\": \"uz\", \"ut\": \"ut\"}}"
#define SITES  ", 16, 16, 16, 16]"
#define COLOUR ", \"axes\": [\"serial\", \"serial\", \"news\", \"news\", \"news\", \"news\"]"
#define LINKS                                                                                      \
    ", \"axes\": [\"serial\", \"serial\", \"serial\", \"news\", \"news\", \"news\", \"news\"]"
#define LINK(name) ARRAY(name, "[3, 3, 2" SITES, "real32", LINKS RANDOM)
    {"qcd-staggered",
     ARRAY("a", "[3, 2" SITES, "real32", COLOUR RANDOM) ", " ARRAY(
         "b", "[3, 2" SITES, "real32",
         COLOUR) ", " LINK("ux") ", " LINK("uy") ", " LINK("uz") ", " LINK("ut"),
     QCD, 21, false},
};

/* ---- texts ---- */

struct text {
    char characters[16384];
    size_t length;
};

/* Appends; a row that does not fit is an error of this file. */
static void add(struct text *text, const char *format, ...) CM_PRINTF(2, 3);

static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t room = sizeof text->characters - text->length;
    const int length = vsnprintf(text->characters + text->length, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room)
        abort();
    text->length += (size_t)length;
}

/* The parts of a row that are made by parameters. */
struct making {
    struct text name, arrays, step;
};

static void begin(struct making *row)
{
    row->name.length = row->arrays.length = row->step.length = 0;
}

static void add_array(struct making *row, const char *name, const char *shape, const char *type,
                      bool random)
{
    add(&row->arrays, "%s\"%s\": {\"shape\": [%s], \"type\": \"%s\"%s}",
        row->arrays.length > 0 ? ", " : "", name, shape, type,
        random ? ", \"init\": {\"random\": 1}" : "");
}

static void report(const struct making *making, double megabytes, bool wide,
                   realtime_function function, void *context)
{
    const struct realtime_row row = {.name = making->name.characters,
                                     .arrays = making->arrays.characters,
                                     .step = making->step.characters,
                                     .megabytes = megabytes,
                                     .wide = wide};
    function(context, &row);
}

/* Extents with `length` elements a node in each of `rank` dimensions, over all nodes. */
static void make_shape(struct text *shape, uint32_t rank, uint64_t length)
{
    uint32_t bits = NODE_BITS;
    shape->length = 0;
    for (uint32_t a = 0; a < rank; a++) {
        const uint32_t share = (bits + rank - a - 1) / (rank - a);
        add(shape, "%s%" PRIu64, a > 0 ? ", " : "", length << share);
        bits -= share;
    }
}

static double array_megabytes(double elements, bool wide)
{
    return elements * REALTIME_NODES * (wide ? 8 : 4) / MEGA;
}

/* ---- PSHIFT: the rows of the published tables ---- */

static void pshift_row(uint32_t rank, uint64_t length, realtime_function function, void *context)
{
    static struct making row;
    static struct text shape;
    double elements = 1;
    begin(&row);
    make_shape(&shape, rank, length);
    add(&row.name, "pshift %" PRIu32 " %" PRIu64, rank, length);
    add_array(&row, "src", shape.characters, "real64", true);
    add(&row.step, "{\"pshift\": [");
    for (uint32_t i = 0; i < 2 * rank; i++) {
        char dst[16];
        snprintf(dst, sizeof dst, "d%" PRIu32, i);
        add_array(&row, dst, shape.characters, "real64", false);
        add(&row.step,
            "%s{\"type\": \"cshift\", \"dst\": \"%s\", \"src\": \"src\", \"dim\": %" PRIu32
            ", \"distance\": %d}",
            i > 0 ? ", " : "", dst, i / 2 + 1, i % 2 ? -1 : 1);
    }
    add(&row.step, "], \"setup\": \"auto\"}");
    for (uint32_t a = 0; a < rank; a++)
        elements *= (double)length;
    report(&row, (2 * rank + 1) * array_megabytes(elements, true), true, function, context);
}

static void pshift_rows(realtime_function function, void *context)
{
    static const uint64_t longest[] = {16384, 128, 16, 8};
    for (uint32_t rank = 1; rank <= 4; rank++)
        for (uint64_t length = rank == 1 ? 4 : 2; length <= longest[rank - 1]; length *= 2)
            pshift_row(rank, length, function, context);
}

/* ---- combine ---- */

static const char *const types[] = {"real32", "real64"};

static void combine_row(bool wide, uint32_t terms, bool by_array, uint64_t elements,
                        realtime_function function, void *context)
{
    static struct making row;
    static struct text shape;
    begin(&row);
    make_shape(&shape, 1, elements);
    add(&row.name, "combine %s %" PRIu32 " %s %" PRIu64, types[wide], terms,
        by_array ? "array" : "scalar", elements);
    add_array(&row, "dst", shape.characters, types[wide], false);
    add(&row.step, "{\"combine\": {\"dst\": \"dst\", \"terms\": [");
    for (uint32_t i = 0; i < terms; i++) {
        char array[16], coefficient[16];
        snprintf(array, sizeof array, "a%" PRIu32, i);
        snprintf(coefficient, sizeof coefficient, "c%" PRIu32, i);
        add_array(&row, array, shape.characters, types[wide], true);
        add(&row.step, "%s[", i > 0 ? ", " : "");
        if (by_array) {
            add_array(&row, coefficient, shape.characters, types[wide], true);
            add(&row.step, "\"%s\", \"%s\"]", coefficient, array);
        } else {
            add(&row.step, "%g, \"%s\"]", 0.5 + i, array);
        }
    }
    add(&row.step, "]}}");
    const double arrays = 1 + (by_array ? 2.0 : 1.0) * terms;
    report(&row, arrays * array_megabytes((double)elements, wide), wide, function, context);
}

static void combine_rows(realtime_function function, void *context)
{
    static const uint32_t terms[] = {1, 2, 5, 9};
    for (int wide = 0; wide < 2; wide++)
        for (int t = 0; t < 4; t++)
            for (int by_array = 0; by_array < 2; by_array++)
                for (uint64_t elements = 16; elements <= 4096; elements *= 4)
                    combine_row(wide, terms[t], by_array, elements, function, context);
}

/* ---- the stencil of 27 points ---- */

static void stencil_row(bool wide, uint64_t length, realtime_function function, void *context)
{
    static struct making row;
    static struct text shape;
    begin(&row);
    make_shape(&shape, 3, length);
    add(&row.name, "stencil-27 %s %" PRIu64, types[wide], length);
    add_array(&row, "a", shape.characters, types[wide], true);
    add_array(&row, "b", shape.characters, types[wide], false);
    add(&row.step, "{\"stencil\": {\"dst\": \"b\", \"terms\": [");
    for (int i = 0; i < 27; i++) {
        const int x = i / 9 - 1, y = i / 3 % 3 - 1, z = i % 3 - 1;
        add(&row.step, "%s[%g, \"a\", [%d, %d, %d]]", i > 0 ? ", " : "",
            1.0 / (1 + abs(x) + abs(y) + abs(z)), x, y, z);
    }
    add(&row.step, "]}}");
    const double elements = (double)(length * length * length);
    report(&row, 2 * array_megabytes(elements, wide), wide, function, context);
}

static void stencil_rows(realtime_function function, void *context)
{
    for (int wide = 0; wide < 2; wide++)
        for (uint64_t length = 4; length <= 16; length *= 2)
            stencil_row(wide, length, function, context);
}

/* ---- array statements ---- */

static const struct {
    const char *value, *where;
} statements[] = {
    {"A + B", NULL},       {"0.25 * A + B", NULL}, {"0.25 * (A + B + C + D)", NULL},
    {"A / B", NULL},       {"mod(A, B)", NULL},    {"sqrt(A**2 + B**2)", "A > 0"},
    {"exp(A)", NULL},      {"log(A)", NULL},       {"sin(A)", NULL},
    {"cos(A)", NULL},      {"tan(A)", NULL},       {"atan(A)", NULL},
    {"sinh(A)", NULL},     {"cosh(A)", NULL},      {"tanh(A)", NULL},
    {"asin(A)", NULL},     {"acos(A)", NULL},      {"log10(A)", NULL},
    {"atan2(A, B)", NULL}, {"A**B", NULL},
};

static void statement_row(const char *value, const char *where, bool wide, uint64_t elements,
                          realtime_function function, void *context)
{
    static struct making row;
    static struct text shape;
    uint32_t arrays = 1;
    begin(&row);
    make_shape(&shape, 1, elements);
    add(&row.name, "compute %s %" PRIu64 ": %s%s%s", types[wide], elements, value,
        where ? " where " : "", where ? where : "");
    add_array(&row, "r", shape.characters, types[wide], false);
    for (char name[] = "A"; name[0] <= 'D'; name[0]++)
        if (strchr(value, name[0])) {
            add_array(&row, name, shape.characters, types[wide], true);
            arrays++;
        }
    add(&row.step, "{\"compute\": {\"dst\": \"r\", \"value\": \"%s\"", value);
    if (where)
        add(&row.step, ", \"where\": \"%s\"", where);
    add(&row.step, "}}");
    report(&row, arrays * array_megabytes((double)elements, wide), wide, function, context);
}

static void statement_rows(realtime_function function, void *context)
{
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        for (int wide = 0; wide < 2; wide++)
            for (uint64_t elements = 16; elements <= 1024; elements *= 64)
                statement_row(statements[i].value, statements[i].where, wide, elements, function,
                              context);
}

void realtime_rows(realtime_function function, void *context)
{
    pshift_rows(function, context);
    combine_rows(function, context);
    stencil_rows(function, context);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        function(context, &kinds[i]);
    statement_rows(function, context);
}
