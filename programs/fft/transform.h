/*
 * A fast Fourier transform on the machine: of complex arrays laid out by a mapping (mapping.h),
 * along any of their axes.
 *
 *   forward   X(k) = sum x(j) exp(-2 pi i j k / n)      along each axis of length n that is
 *                                                       transformed, unscaled
 *   inverse   x(j) = 1/N sum X(k) exp(+2 pi i j k / n)  N the product of those lengths: it undoes
 *                                                       the forward one
 *
 * An axis of 2^b points is reordered by reversing the b bits of its index:
 *
 *   premorphism    most significant bit first: from natural order to bit-reversed order
 *   postmorphism   least significant bit first: from bit-reversed order to natural order
 *
 * With `natural` the other side is natural too: a dimension permutation (programs/reshape) reorders
 * the array behind a premorphism or ahead of a postmorphism, and its cost is counted apart.
 * docs/programs/fft-transform.md says how the machine does it, and what that costs.
 *
 * The twiddle factors are data of the front end: computed on the host, loaded into node memory when
 * a transform is first prepared, kept, and not charged. Reading them from node memory is charged.
 */
#ifndef CM_PROGRAMS_FFT_TRANSFORM_H
#define CM_PROGRAMS_FFT_TRANSFORM_H

#include "../system/system.h"
#include "schedule.h"

CM_BEGIN_DECLS

/* Where the twiddle factors are multiplied. */
enum cm_fft_decimation {
    CM_FFT_DECIMATION_AUTO, /* the one that needs fewer words of twiddle factors */
    CM_FFT_DECIMATION_TIME,
    CM_FFT_DECIMATION_FREQUENCY,
    CM_FFT_DECIMATION_COUNT
};
CM_API const char *cm_fft_decimation_name(enum cm_fft_decimation decimation); /* "time", ... */

/* A transform. */
struct cm_fft_transform_task {
    struct cm_fft_mapping mapping;     /* how the array is laid out */
    enum cm_type type;                 /* CM_TYPE_COMPLEX64 or CM_TYPE_COMPLEX128 */
    enum cm_fft_order order;           /* of the steps of each axis */
    enum cm_fft_decimation decimation; /* in time, in frequency, or as the order asks */
    uint64_t axes;                     /* bit p: along axis p; CM_FFT_ALL_AXES */
    bool inverse;                      /* the inverse transform, divided by N */
    bool natural;                      /* natural order on both sides */
    bool stepwise;                     /* no pipeline over the steps between nodes */
};

/* What a transform did; rates are those of the simulated machine. */
struct cm_fft_report {
    enum cm_fft_decimation decimation; /* the one taken */
    uint64_t points;                   /* N: of each transform */
    uint64_t transforms;               /* side by side: points of the array / N */
    uint32_t steps;                    /* one per index bit */
    uint32_t local_steps;              /* of these: within nodes */
    uint64_t hops;                     /* sum over the steps */
    uint64_t factors;                  /* twiddle factors that each node holds */
    uint64_t table_words;       /* twiddle factors, signs and room for the pipeline, in each node */
    struct cm_counters counted; /* the transform, without reordering */
    struct cm_counters reordered; /* reordering alone; zeros without reordering */
    double seconds;               /* simulated; of `counted` */
    double reorder_seconds;       /* simulated; of `reordered` */
    double nominal_flops;         /* 5 N log2 N for each transform, the usual measure */
    double flops;                 /* executed by all nodes: both nodes of a pair compute */
    double nominal_gflops; /* nominal_flops / seconds, 10^9 per second; 0 when no cycle passed */
    double gflops;         /* flops / seconds, 10^9 per second; 0 likewise */
    double gbytes_moved;   /* data motion: bytes sent over channels / seconds, 10^9 per second */
};

/*
 * Compiles a transform and loads its tables; charges nothing. CM_BAD_INPUT when the type is not
 * complex, an axis does not exist or none is named, the mapping has more nodes than the machine, or
 * tables or code do not fit.
 */
CM_API enum cm_status cm_fft_transform_prepare(struct cm_system *system,
                                               const struct cm_fft_transform_task *task,
                                               struct cm_error *err);
/*
 * Transforms `array` in place. It must be laid out as task->mapping says: array->allocation is the
 * mapping's, or, where the array has none of its own, its layout is canonical and the mapping that
 * of cm_fft_mapping_canonical; CM_BAD_INPUT otherwise. Its elements are then in the order described
 * above. Prepares the transform if that has not been done. `report` may be NULL.
 */
CM_API enum cm_status cm_fft_transform(struct cm_system *system,
                                       const struct cm_fft_transform_task *task,
                                       struct cm_array *array, struct cm_fft_report *report,
                                       struct cm_error *err);

CM_END_DECLS

#endif
