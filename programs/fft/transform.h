/*
 * Fast Fourier transforms on the machine, of complex arrays with the layout of a mapping
 * (mapping.h), along any of their axes.
 *
 *   forward   X(k) = sum x(j) exp(-2 pi i j k / n)      along each axis of length n that is
 *                                                       transformed, unscaled
 *   inverse   x(j) = 1/N sum X(k) exp(+2 pi i j k / n)  N the product of those lengths: it undoes
 *                                                       the forward one
 *
 * A transform changes the order of an axis of 2^b points by reversing the b bits of its index:
 *
 *   premorphism    most significant bit first: from natural order to bit-reversed order
 *   postmorphism   least significant bit first: from bit-reversed order to natural order
 *
 * With `natural` both sides are in natural order. A dimension permutation (programs/reshape)
 * reorders the array after a premorphism or before a postmorphism, and its cost is counted
 * separately. docs/programs/fft-transform.md describes the method and its cost.
 *
 * Twiddle factors are data of the front end. The host computes them and loads them into node memory
 * when a transform is first prepared. They stay there, and only reading them from node memory is
 * charged.
 */
#ifndef CM_PROGRAMS_FFT_TRANSFORM_H
#define CM_PROGRAMS_FFT_TRANSFORM_H

#include "../system/system.h"
#include "schedule.h"

CM_BEGIN_DECLS

/* Place of the multiplication by twiddle factors. */
enum cm_fft_decimation {
    CM_FFT_DECIMATION_AUTO, /* the one with fewer words of twiddle factors */
    CM_FFT_DECIMATION_TIME,
    CM_FFT_DECIMATION_FREQUENCY,
    CM_FFT_DECIMATION_COUNT
};
/* returns "time", ... */
CM_API const char *cm_fft_decimation_name(enum cm_fft_decimation decimation);

/* A transform. */
struct cm_fft_transform_task {
    struct cm_fft_mapping mapping;     /* layout of the array */
    enum cm_type type;                 /* CM_TYPE_COMPLEX64 or CM_TYPE_COMPLEX128 */
    enum cm_fft_order order;           /* order of the steps of each axis */
    enum cm_fft_decimation decimation; /* in time, in frequency, or automatic */
    uint64_t axes;                     /* bit p: along axis p. CM_FFT_ALL_AXES: all */
    bool inverse;                      /* true for the inverse transform, divided by N */
    bool natural;                      /* true for natural order on both sides */
    bool stepwise; /* true to execute the steps between nodes without a pipeline */
};

/* Report of a transform. Rates are those of the simulated machine. */
struct cm_fft_report {
    enum cm_fft_decimation decimation; /* decimation that was used */
    uint64_t points;                   /* N: points of each transform */
    uint64_t transforms;               /* number of transforms: points of the array / N */
    uint32_t steps;                    /* number of steps, one for each index bit */
    uint32_t local_steps;              /* steps within nodes */
    uint64_t hops;                     /* sum of hops over the steps */
    uint64_t factors;                  /* twiddle factors in each node */
    uint64_t table_words; /* words of twiddle factors, signs and pipeline buffers in each node */
    struct cm_counters counted;   /* counters of the transform without reordering */
    struct cm_counters reordered; /* counters of the reordering only. Zeros without reordering */
    double seconds;               /* simulated seconds of `counted` */
    double reorder_seconds;       /* simulated seconds of `reordered` */
    double nominal_flops;         /* 5 N log2 N for each transform, the usual measure */
    double flops;          /* operations executed by all nodes. Both nodes of a pair compute */
    double nominal_gflops; /* 10^9 nominal operations per second, or 0 if no cycle passed */
    double gflops;         /* 10^9 executed operations per second, or 0 if no cycle passed */
    double gbytes_moved;   /* 10^9 bytes sent over channels per second */
};

/*
 * Compiles a transform and loads its tables, without charge. Fails with CM_BAD_INPUT if the type is
 * not complex, an axis does not exist, no axis is named, the mapping has more nodes than the
 * machine, or tables or code do not fit.
 */
CM_API enum cm_status cm_fft_transform_prepare(struct cm_system *system,
                                               const struct cm_fft_transform_task *task,
                                               struct cm_error *err);
/*
 * Transforms `array` in place, in the order that this header describes. Prepares the transform if
 * necessary. The array's allocation must be the mapping's. An array without an allocation must have
 * a canonical layout whose mapping (cm_fft_mapping_canonical) is the task's. Fails with
 * CM_BAD_INPUT otherwise. `report` may be NULL.
 */
CM_API enum cm_status cm_fft_transform(struct cm_system *system,
                                       const struct cm_fft_transform_task *task,
                                       struct cm_array *array, struct cm_fft_report *report,
                                       struct cm_error *err);

CM_END_DECLS

#endif
