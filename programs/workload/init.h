/*
 * First values of arrays: {"index": true}, {"constant": x}, {"random": seed}, {"npy": "file.npy"},
 * or zeros. Each value depends on the element's number e alone (from 0, first index fastest), never
 * on the layout of the array.
 *
 * index: e, rounded to the type. complex: e + 0i. int32: e modulo 2^32. logical: true where e is
 * odd.
 *
 * random: splitmix64 (Steele, Lea, Flood, 2014), whose k-th output (from 0) is
 *     z = seed + (k + 1) * 0x9E3779B97F4A7C15
 *     z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
 *     z = (z ^ (z >> 27)) * 0x94D049BB133111EB
 *     z ^ (z >> 31)
 * in arithmetic modulo 2^64. An output x gives the real number (x >> 11) * 2^-53 in [0, 1), rounded
 * to single precision for real32 and complex64. Element e takes output e. A complex element takes
 * outputs 2e (real part) and 2e + 1 (imaginary part). int32: the high 32 bits of output e. logical:
 * its highest bit.
 */
#ifndef CM_PROGRAMS_WORKLOAD_INIT_H
#define CM_PROGRAMS_WORKLOAD_INIT_H

#include "../../base/json.h"
#include "../../base/random.h"
#include "../system/geometry.h"
#include "files.h"

/* A number as a workload writes it. */
struct cm_number {
    double re;
    double im;
    bool complex; /* True if the number is written as a pair [re, im]. */
};

enum cm_init_kind {
    CM_INIT_ZERO,
    CM_INIT_INDEX,
    CM_INIT_CONSTANT,
    CM_INIT_RANDOM,
    CM_INIT_NPY,
};

struct cm_init {
    enum cm_init_kind kind;
    uint64_t seed;
    struct cm_number constant;
    const struct cm_workload_file *file; /* .npy file with the values */
    struct cm_json json;                 /* place in the workload for error messages */
};

/*
 * Writes the first values of all elements of an array in Fortran order. If `elements` is NULL, only
 * checks that a .npy file has the right shape and type.
 */
enum cm_status cm_init_fill(const struct cm_init *init, const struct cm_layout *layout,
                            void *elements, struct cm_error *err);

/* Maps the .npy file of an array into memory, if the operating system can map it. Then map->memory
 * is not NULL. Fails like cm_init_fill. */
struct cm_npy_map;
enum cm_status cm_init_map(const struct cm_init *init, const struct cm_layout *layout,
                           struct cm_npy_map *map, struct cm_error *err);

/* Writes a number as one element, at most 16 bytes, in the host's format. The reader of the
 * workload has checked that the number fits the type. */
void cm_init_element(enum cm_type type, const struct cm_number *number, void *element);

/* Computes the first value of element `e` of an array whose values are not in a file. */
void cm_init_value(const struct cm_init *init, enum cm_type type, uint64_t e, void *element);

/* Returns the .npy type, an enum cm_npy_type, of an array type. */
int cm_init_npy_type(enum cm_type type);

#endif
