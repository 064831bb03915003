/* FFTW behind a shape with axes chosen from it. */
#include "fft_oracle.h"

#include <fftw3.h>
#include <stddef.h>

uint64_t oracle_elements(const struct oracle_shape *shape)
{
    uint64_t elements = 1;
    for (int a = 0; a < shape->rank; a++)
        elements <<= shape->bits[a];
    return elements;
}

int oracle_point_bits(const struct oracle_shape *shape)
{
    int bits = 0;
    for (int a = 0; a < shape->rank; a++)
        if (shape->axes >> a & 1)
            bits += shape->bits[a];
    return bits;
}

/* Splits the axes in those to transform and those to go along. */
static void split(const struct oracle_shape *shape, fftw_iodim *dims, int *rank, fftw_iodim *others,
                  int *other_rank)
{
    int stride = 1;
    *rank = *other_rank = 0;
    for (int a = 0; a < shape->rank; a++) {
        fftw_iodim dim = {.n = 1 << shape->bits[a], .is = stride, .os = stride};
        if (shape->axes >> a & 1)
            dims[(*rank)++] = dim;
        else
            others[(*other_rank)++] = dim;
        stride <<= shape->bits[a];
    }
}

void oracle_transform(const struct oracle_shape *shape, bool inverse, double *numbers)
{
    fftw_iodim dims[ORACLE_RANK_MAX], others[ORACLE_RANK_MAX];
    int rank, other_rank;
    split(shape, dims, &rank, others, &other_rank);
    fftw_complex *data = (fftw_complex *)numbers;
    fftw_plan plan = fftw_plan_guru_dft(rank, dims, other_rank, others, data, data,
                                        inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    double scale = 1.0 / (double)(UINT64_C(1) << oracle_point_bits(shape));
    for (uint64_t i = 0; inverse && i < 2 * oracle_elements(shape); i++)
        numbers[i] *= scale;
}

void oracle_transform_single(const struct oracle_shape *shape, bool inverse, float *numbers)
{
    fftw_iodim dims[ORACLE_RANK_MAX], others[ORACLE_RANK_MAX];
    int rank, other_rank;
    split(shape, dims, &rank, others, &other_rank);
    fftwf_complex *data = (fftwf_complex *)numbers;
    fftwf_plan plan = fftwf_plan_guru_dft(rank, dims, other_rank, others, data, data,
                                          inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);
    fftwf_execute(plan);
    fftwf_destroy_plan(plan);
    float scale = 1.0f / (float)(UINT64_C(1) << oracle_point_bits(shape));
    for (uint64_t i = 0; inverse && i < 2 * oracle_elements(shape); i++)
        numbers[i] *= scale;
}

uint64_t oracle_reverse(const struct oracle_shape *shape, uint64_t element)
{
    uint64_t reversed = 0;
    int first = 0;
    for (int a = 0; a < shape->rank; a++) {
        int n = shape->bits[a];
        for (int b = 0; b < n; b++) {
            uint64_t bit = element >> (first + b) & 1;
            reversed |= bit << (first + (shape->axes >> a & 1 ? n - 1 - b : b));
        }
        first += n;
    }
    return reversed;
}
