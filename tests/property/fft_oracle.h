/* Transforms by FFTW, which knows nothing of nodes, mappings or steps; and bit reversal by hand. */
#ifndef CM_TESTS_PROPERTY_FFT_ORACLE_H
#define CM_TESTS_PROPERTY_FFT_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#define ORACLE_RANK_MAX 7

struct oracle_shape {
    int rank;
    int bits[ORACLE_RANK_MAX]; /* log2 of the lengths, the first axis fastest */
    uint64_t axes;             /* to transform */
};

/* Transforms `count` complex numbers (pairs) in place, an inverse scaled by 1/N. */
void oracle_transform(const struct oracle_shape *shape, bool inverse, double *numbers);
void oracle_transform_single(const struct oracle_shape *shape, bool inverse, float *numbers);

/* The element whose indices along the axes to transform have their bits reversed. */
uint64_t oracle_reverse(const struct oracle_shape *shape, uint64_t element);

uint64_t oracle_elements(const struct oracle_shape *shape);
/* log2 of N, the points of one transform. */
int oracle_point_bits(const struct oracle_shape *shape);

#endif
