/*
 * This header declares fast Fourier transforms on the machine, of complex arrays with the layout of
 * a mapping (mapping.h), along any of their axes.
 *
 *   forward   X(k) = sum x(j) exp(-2 pi i j k / n)      along each axis of length n that is
 *                                                       transformed, unscaled
 *   inverse   x(j) = 1/N sum X(k) exp(+2 pi i j k / n)  N the product of the lengths n: it
 *                                                       undoes the forward transform
 *
 * A transform changes the order of an axis of 2^b points by reversing the b bits of its index:
 *
 *   premorphism    most significant bit first: from natural order to bit-reversed order
 *   postmorphism   least significant bit first: from bit-reversed order to natural order
 *
 * If `natural` is true, input and output are both in natural order. A dimension permutation
 * (programs/reshape) reorders the array after a premorphism or before a postmorphism, and its cost
 * is counted separately. docs/programs/fft-transform.md describes the method and its cost.
 *
 * Twiddle factors are data of the front end. The host computes them and loads them into node memory
 * when a transform is first prepared. They stay there, and only reading them from node memory costs
 * cycles.
 */
#ifndef CM_PROGRAMS_FFT_TRANSFORM_H
#define CM_PROGRAMS_FFT_TRANSFORM_H

#include "../system/system.h"
#include "schedule.h"

CM_BEGIN_DECLS

/* Place of the multiplication by twiddle factors: before a butterfly (decimation in time) or after
 * it (in frequency). */
enum cm_fft_decimation {
    CM_FFT_DECIMATION_AUTO, /* chooses the decimation that needs fewer words of twiddle factors */
    CM_FFT_DECIMATION_TIME,
    CM_FFT_DECIMATION_FREQUENCY,
    CM_FFT_DECIMATION_COUNT
};
/* returns "time", "frequency" or "auto" */
CM_API const char *cm_fft_decimation_name(enum cm_fft_decimation decimation);

/* Arguments of a Fourier transform. */
struct cm_fft_transform_task {
    struct cm_fft_mapping mapping;     /* layout of the array */
    enum cm_type type;                 /* CM_TYPE_COMPLEX64 or CM_TYPE_COMPLEX128 */
    enum cm_fft_order order;           /* order of the steps of each axis */
    enum cm_fft_decimation decimation; /* in time, in frequency, or automatic */
    /* set of axes to transform, bit p for axis p. CM_FFT_ALL_AXES: all axes */
    uint64_t axes;
    bool inverse;  /* true for the inverse transform, which divides by N */
    bool natural;  /* true if input and output are both in natural order */
    bool stepwise; /* true to execute the steps between nodes without a pipeline */
};

/* Report of a transform. Rates are in the simulated machine's seconds. */
struct cm_fft_report {
    enum cm_fft_decimation decimation; /* decimation that was used */
    uint64_t points;                   /* number N of points of each transform */
    uint64_t transforms;               /* number of transforms: points of the array divided by N */
    uint32_t steps;                    /* number of steps, one for each index bit */
    uint32_t local_steps;              /* number of steps within nodes */
    uint64_t hops;                     /* number of hops over cube dimensions, in all steps */
    uint64_t factors;                  /* number of twiddle factors in each node */
    /* number of words of twiddle factors, signs and pipeline buffers in each node */
    uint64_t table_words;
    struct cm_counters counted; /* counters of the transform without reordering */
    /* counters of the reordering alone, zeros if there is no reordering */
    struct cm_counters reordered;
    double seconds;         /* simulated seconds of `counted` */
    double reorder_seconds; /* simulated seconds of `reordered` */
    double nominal_flops;   /* 5 N log2 N operations for each transform, the usual measure */
    /* floating-point operations executed by all nodes. Both nodes of a pair compute */
    double flops;
    double nominal_gflops; /* 10^9 nominal operations per second, or 0 if no cycle passed */
    double gflops;         /* 10^9 executed operations per second, or 0 if no cycle passed */
    double gbytes_moved;   /* 10^9 bytes sent over channels per second */
};

/*
 * Compiles a transform and loads its tables, without a cost in cycles. Fails with CM_BAD_INPUT if
 * the type is not complex, an axis does not exist, no axis is named, the mapping has more nodes
 * than the machine, or tables or code do not fit.
 */
CM_API enum cm_status cm_fft_transform_prepare(struct cm_system *system,
                                               const struct cm_fft_transform_task *task,
                                               struct cm_error *err);
/*
 * Transforms `array` in place, in the order of elements that this header's first comment describes.
 * Prepares the transform if necessary. The array's allocation must be that of task->mapping. An
 * array without an allocation must have a canonical layout for which cm_fft_mapping_canonical
 * returns task->mapping. Fails with CM_BAD_INPUT otherwise. `report` may be NULL.
 */
CM_API enum cm_status cm_fft_transform(struct cm_system *system,
                                       const struct cm_fft_transform_task *task,
                                       struct cm_array *array, struct cm_fft_report *report,
                                       struct cm_error *err);

CM_END_DECLS

#endif
