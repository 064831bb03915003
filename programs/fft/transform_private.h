/*
 * This header has the internals of Fourier transforms: plan, IMPs of the passes, compiled code, and
 * bit reversal. A plan is a list of stages, one for each index bit that is transformed. The stages
 * are cut into passes, and each pass is one IMP:
 *
 *   local pass      up to three stages of one axis, all within nodes: butterflies of 2, 4 or 8
 *                   points in FPU registers
 *   pipeline pass   stages between nodes, of any axes: in each round every stage works on a point
 *
 * The table in node memory has these parts:
 *
 *   buffers of a pipeline  Y: for each stage the point that it works on. O: the partner's value
 *   of each pipeline pass  signs: +1 where the stage's bit is 0, -1 where it is 1. Twiddle factors,
 *                          one per stage if all local points need the same factor, otherwise one
 *                          per local point
 *   of each local pass     twiddle factors in the order of use
 *
 * Words that the steady loop of a pipeline uses are at the beginning of the table, and in one page
 * of memory if they fit. This header is not installed.
 */
#ifndef CM_PROGRAMS_FFT_TRANSFORM_PRIVATE_H
#define CM_PROGRAMS_FFT_TRANSFORM_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "transform.h"

#define CM_FFT_RADIX_BITS_MAX 3u
#define CM_FFT_BODY_MAX       8u  /* limit on the points of a butterfly within a node */
#define CM_FFT_POINTS_MAX     16u /* number of points of two butterflies within a node */
/* limit on the stages of a pipeline, because their signs are in FPU registers */
#define CM_FFT_GROUP_MAX 16u
#define CM_FFT_NO_TABLE  UINT64_MAX

struct cm_fft_stage {
    struct cm_fft_step step;
    uint32_t axis_bits;
    /* True if the angle of the stage's twiddle factors depends on the axis bits below the stage's
     * bit, false if it depends on the bits above. */
    bool lower;
    /* Word of the table at which the stage's twiddle factors in a pipeline begin. CM_FFT_NO_TABLE:
     * all factors are 1. */
    uint64_t table;
    bool each_point; /* true if each local point has a twiddle factor of its own */
};

struct cm_fft_pass {
    bool local;
    uint32_t first, count; /* range of the pass in the plan's stages */
    /* word of the table with the first sign of a pipeline, or the first twiddle factor of a local
     * pass */
    uint64_t table;
    /* true for the last pass of an inverse transform, which multiplies by 1/N */
    bool scaled;
};

struct cm_fft_plan {
    const struct cm_fft_transform_task *task;
    const struct cm_config *config;
    enum cm_fft_decimation decimation;
    uint32_t component_words; /* words of a component (real or imaginary part): 1 or 2 */
    uint32_t element_words;
    uint32_t stage_count, pass_count;
    struct cm_fft_stage stages[CM_LOGIC_DIMENSIONS_MAX];
    struct cm_fft_pass passes[CM_LOGIC_DIMENSIONS_MAX];
    uint32_t parts;      /* largest number of parts (1 or 2) of the loop bodies of local passes */
    uint64_t room_words; /* number of words of the pipeline buffers Y and O */
    /* Number of words of Y, O, signs, and twiddle factors that all local points share. */
    uint64_t steady_words;
    uint64_t table_words;
    uint64_t factors; /* number of twiddle factors in the table */
};

/* Makes a plan with pipelines of at most `group` stages and local passes of at most `radix_bits`
 * stages. If `group` is 1, the loop bodies of local passes have one part, which makes the shortest
 * code. */
void cm_fft_plan_make(const struct cm_fft_transform_task *task, const struct cm_config *config,
                      uint32_t group, uint32_t radix_bits, struct cm_fft_plan *plan);

/*
 * Returns what bit `bit` of the axis index adds to the angle of a stage's twiddle factors if it is
 * 1, in units of a turn / 2^axis_bits. The angle is the sum over the bits of the axis. Bits without
 * influence add 0.
 */
uint64_t cm_fft_stage_weight(const struct cm_fft_stage *stage, uint32_t bit);
/* Returns the step of bit `bit` of the stage's axis. The step says where on the mesh or in a node
 * that bit is. */
struct cm_fft_step cm_fft_stage_bit(const struct cm_fft_plan *plan,
                                    const struct cm_fft_stage *stage, uint32_t bit);

/* Twiddle factor of a butterfly in a local pass: 1, a quarter turn, a factor of the table, or a
 * factor of the table times a quarter turn. */
enum cm_fft_factor {
    CM_FFT_FACTOR_ONE,
    CM_FFT_FACTOR_QUARTER,
    CM_FFT_FACTOR_TABLE,
    CM_FFT_FACTOR_TURNED
};

/*
 * Twiddle factors of a local pass. The table has one entry of factors for each value of the loop
 * bits that angles depend on. The axis bit next to a stage's own bit adds a quarter turn to the
 * angle. So the factors of half of the points follow from the factors of the other half. For one
 * stage of a pass, this next bit is outside the pass. If it is local, the loop body has two parts,
 * one for each value of the bit.
 */
struct cm_fft_factors {
    uint32_t count; /* number of factors of an entry, which are read from the table */
    /* Kind of each factor, by stage of the pass and point of the loop body. The points of the first
     * part come first. */
    enum cm_fft_factor kind[CM_FFT_RADIX_BITS_MAX][CM_FFT_POINTS_MAX];
    /* number of the factor within the table's entry */
    uint32_t number[CM_FFT_RADIX_BITS_MAX][CM_FFT_POINTS_MAX];
    /* [stage][point of the loop body]: part of the twiddle factor's angle that depends on the point
     */
    uint64_t angle[CM_FFT_RADIX_BITS_MAX][CM_FFT_POINTS_MAX];
    /* number of parts of the loop body: 1 or 2 */
    uint32_t parts;
    uint32_t part_bit;       /* axis bit that distinguishes the parts */
    uint32_t part_local_bit; /* bit of the local element number for part_bit */
    /* bits of the local element number that number the table's entries, ascending */
    uint64_t local_bits;
    uint64_t entries;
};
void cm_fft_factors_find(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                         struct cm_fft_factors *factors);

/* Fills the table of twiddle factors and signs in node memory, which consists of `planes`. */
enum cm_status cm_fft_table_fill(const struct cm_fft_plan *plan, uint32_t nodes,
                                 const struct cm_planes *planes, struct cm_error *err);

/* Arguments of the IMP of a pass. The array and the table stay in address registers. */
enum { CM_FFT_ARGUMENT_ARRAY, CM_FFT_ARGUMENT_TABLE, CM_FFT_ARGUMENT_SCALE };
enum { CM_FFT_REG_DATA, CM_FFT_REG_TABLE, CM_FFT_REG_FACTORS };
#define CM_FFT_SCALE_REGISTER 31u /* FPU register that holds 1/N */

/* Complex number: the numbers of the two FPU registers that hold it. */
struct cm_fft_value {
    uint32_t re, im;
};

/* Begins the IMP of a pass. Returns NULL if out of memory. */
struct cm_imp *cm_fft_begin(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass);
/* Emits the complex multiplication product = factor * x. */
void cm_fft_emit_product(struct cm_imp *imp, const struct cm_fpu_ops *ops,
                         struct cm_fft_value factor, struct cm_fft_value x,
                         struct cm_fft_value product);

/* These functions compile the IMP of a pass. They return NULL if out of memory. A local pass has
 * about `unroll` points in each iteration. */
struct cm_imp *cm_fft_compile_local(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                                    uint32_t unroll);
struct cm_imp *cm_fft_compile_pipeline(const struct cm_fft_plan *plan,
                                       const struct cm_fft_pass *pass);

/*
 * Finds the code of a transform in the cache, or compiles it. The arguments of its IMPs are
 * "array", "table", and "scale", which is 1/N in the bits of a component. Sets compiled->variant to
 * the decimation and compiled->count to the number of twiddle factors.
 */
enum cm_status cm_fft_transform_compile(struct cm_system *system,
                                        const struct cm_fft_transform_task *task,
                                        const struct cm_compiled **compiled, struct cm_error *err);

/* Reverses the index bits of the transformed axes. If `array` is NULL, the reversal is only
 * compiled. */
enum cm_status cm_fft_reorder(struct cm_system *system, const struct cm_fft_transform_task *task,
                              struct cm_array *array, struct cm_error *err);

#endif
