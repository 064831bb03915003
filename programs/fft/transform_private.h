/*
 * Internals of transforms: plan, IMPs of the passes, code, and bit reversal. A plan is a list of
 * stages, one for each index bit. The stages are cut into passes, each with one IMP:
 *
 *   local pass      up to three stages of one axis, all within nodes: butterflies of 2, 4 or 8
 *                   points in FPU registers
 *   pipeline pass   stages between nodes, of any axes: each round takes one point through each
 *
 * The table in node memory has these parts:
 *
 *   buffers of a pipeline  Y: for each stage the point that it works on. O: the partner's value
 *   of each pipeline pass  signs: +1 where the stage's bit is 0, -1 where it is 1. Twiddle factors,
 *                          one per stage where all local points need the same, else one per local
 *                          point
 *   of each local pass     twiddle factors in the order of use
 *
 * Words that the steady loop of a pipeline uses come first and are in one page of memory if they
 * fit. Not installed.
 */
#ifndef CM_PROGRAMS_FFT_TRANSFORM_PRIVATE_H
#define CM_PROGRAMS_FFT_TRANSFORM_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "transform.h"

#define CM_FFT_RADIX_BITS_MAX 3u
#define CM_FFT_BODY_MAX       8u  /* points of a local butterfly */
#define CM_FFT_POINTS_MAX     16u /* points of two butterflies */
#define CM_FFT_GROUP_MAX      16u /* stages of a pipeline, limited by registers for their signs */
#define CM_FFT_NO_TABLE       UINT64_MAX

struct cm_fft_stage {
    struct cm_fft_step step;
    uint32_t axis_bits;
    /* True if the angle of the twiddle factors depends on the axis bits below the stage's bit,
     * false if on those above. */
    bool lower;
    /* Word of the first twiddle factor in a pipeline. CM_FFT_NO_TABLE: all factors are 1. */
    uint64_t table;
    bool each_point; /* true if each local point has its own factor */
};

struct cm_fft_pass {
    bool local;
    uint32_t first, count; /* range of stages */
    uint64_t table;        /* word of the signs, or of the twiddle factors of a local pass */
    bool scaled;           /* true for the last pass of an inverse, which multiplies by 1/N */
};

struct cm_fft_plan {
    const struct cm_fft_transform_task *task;
    const struct cm_config *config;
    enum cm_fft_decimation decimation;
    uint32_t component_words; /* words of a component: 1 or 2 */
    uint32_t element_words;
    uint32_t stage_count, pass_count;
    struct cm_fft_stage stages[CM_LOGIC_DIMENSIONS_MAX];
    struct cm_fft_pass passes[CM_LOGIC_DIMENSIONS_MAX];
    uint32_t parts;      /* largest number of parts of the bodies of local passes */
    uint64_t room_words; /* words of Y and O */
    /* Words of Y, O, signs, and twiddle factors that all local points share. */
    uint64_t steady_words;
    uint64_t table_words;
    uint64_t factors; /* twiddle factors in the table */
};

/* Makes a plan with pipelines of at most `group` stages and local passes of at most `radix_bits`
 * stages. With `group` 1 the bodies have one part, which makes the shortest code. */
void cm_fft_plan_make(const struct cm_fft_transform_task *task, const struct cm_config *config,
                      uint32_t group, uint32_t radix_bits, struct cm_fft_plan *plan);

/*
 * Returns what a set bit `bit` of the axis adds to the angle of a stage's twiddle factors, in units
 * of a turn / 2^axis_bits. The angle is the sum over the axis bits. Bits without influence add 0.
 */
uint64_t cm_fft_stage_weight(const struct cm_fft_stage *stage, uint32_t bit);
/* Returns the step of another bit of the stage's axis, which says where that bit is. */
struct cm_fft_step cm_fft_stage_bit(const struct cm_fft_plan *plan,
                                    const struct cm_fft_stage *stage, uint32_t bit);

/* How a butterfly of a local pass uses a twiddle factor: 1, a quarter turn, a factor of the table,
 * or a factor of the table times a quarter turn. */
enum cm_fft_factor {
    CM_FFT_FACTOR_ONE,
    CM_FFT_FACTOR_QUARTER,
    CM_FFT_FACTOR_TABLE,
    CM_FFT_FACTOR_TURNED
};

/*
 * Twiddle factors of a local pass, with one entry for each value of the loop bits that angles
 * depend on. The axis bit next to a stage's own bit adds a quarter turn to the angle. So the
 * factors of half of the points follow from those of the other half. For one stage of a pass that
 * bit is outside the pass. If it is local, the body has two parts, one for each value of the bit.
 */
struct cm_fft_factors {
    uint32_t count; /* factors of an entry that are read from the table */
    /* By stage of the pass and point of the body. The points of the first part come first. */
    enum cm_fft_factor kind[CM_FFT_RADIX_BITS_MAX][CM_FFT_POINTS_MAX];
    uint32_t number[CM_FFT_RADIX_BITS_MAX][CM_FFT_POINTS_MAX]; /* number within the entry */
    uint64_t angle[CM_FFT_RADIX_BITS_MAX][CM_FFT_POINTS_MAX];  /* angle that the body's bits add */
    uint32_t parts;                                            /* parts of the body: 1 or 2 */
    uint32_t part_bit;       /* axis bit that distinguishes the parts */
    uint32_t part_local_bit; /* local bit of that axis bit */
    uint64_t local_bits;     /* local bits that number the entries, ascending */
    uint64_t entries;
};
void cm_fft_factors_find(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                         struct cm_fft_factors *factors);

/* Fills the table in node memory. `planes` are its planes. */
enum cm_status cm_fft_table_fill(const struct cm_fft_plan *plan, uint32_t nodes,
                                 const struct cm_planes *planes, struct cm_error *err);

/* Arguments of a pass's IMP. The first two stay in address registers. */
enum { CM_FFT_ARGUMENT_ARRAY, CM_FFT_ARGUMENT_TABLE, CM_FFT_ARGUMENT_SCALE };
enum { CM_FFT_REG_DATA, CM_FFT_REG_TABLE, CM_FFT_REG_FACTORS };
#define CM_FFT_SCALE_REGISTER 31u /* FPU register of 1/N */

/* Complex number in FPU registers. */
struct cm_fft_value {
    uint32_t re, im;
};

/* Begins the IMP of a pass, or NULL if out of memory. */
struct cm_imp *cm_fft_begin(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass);
/* Emits product = factor x. */
void cm_fft_emit_product(struct cm_imp *imp, const struct cm_fpu_ops *ops,
                         struct cm_fft_value factor, struct cm_fft_value x,
                         struct cm_fft_value product);

/* Compiles the IMP of a pass, or NULL if out of memory. A local pass has about `unroll` points in
 * each iteration. */
struct cm_imp *cm_fft_compile_local(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                                    uint32_t unroll);
struct cm_imp *cm_fft_compile_pipeline(const struct cm_fft_plan *plan,
                                       const struct cm_fft_pass *pass);

/*
 * Finds or compiles the code of a transform. Arguments of its IMPs: "array", "table", and "scale",
 * which is 1/N in the bits of a component. Sets compiled->variant to the decimation and
 * compiled->count to the number of twiddle factors.
 */
enum cm_status cm_fft_transform_compile(struct cm_system *system,
                                        const struct cm_fft_transform_task *task,
                                        const struct cm_compiled **compiled, struct cm_error *err);

/* Reverses the index bits of the transformed axes. Only compiles the reversal if `array` is
 * NULL. */
enum cm_status cm_fft_reorder(struct cm_system *system, const struct cm_fft_transform_task *task,
                              struct cm_array *array, struct cm_error *err);

#endif
