/*
 * A transform behind transform.h: its plan, the IMPs of its passes, its code, and bit reversal. The
 * plan is a list of stages, one per index bit, cut into passes of one IMP each:
 *
 *   local pass      up to three stages of one axis, all within nodes: butterflies of 2, 4 or 8
 *                   points in FPU registers
 *   pipeline pass   stages between nodes, of any axes: each round takes one point through each
 *
 * The table in node memory:
 *
 *   room for a pipeline    Y: for each of its stages the point on its way; O: what the partner sent
 *   of each pipeline pass  signs: +1 where the stage's bit is 0, -1 where it is 1; twiddle factors,
 *                          one per stage where all local points need the same, else one per local
 *                          point
 *   of each local pass     twiddle factors in the order of use
 *
 * What the steady loop of a pipeline touches comes first and, if it fits, lies in one page of
 * memory. Not installed.
 */
#ifndef CM_PROGRAMS_FFT_TRANSFORM_PRIVATE_H
#define CM_PROGRAMS_FFT_TRANSFORM_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "transform.h"

#define CM_FFT_RADIX_BITS_MAX 3u
#define CM_FFT_BODY_MAX       8u  /* points of a local butterfly */
#define CM_FFT_POINTS_MAX     16u /* of two of them */
#define CM_FFT_GROUP_MAX      16u /* stages of a pipeline: registers for their signs */
#define CM_FFT_NO_TABLE       UINT64_MAX

struct cm_fft_stage {
    struct cm_fft_step step;
    uint32_t axis_bits;
    /* the angle of its twiddle factors depends on the bits of the axis below its own; else on those
     * above */
    bool lower;
    /* in a pipeline: word of its first twiddle factor; CM_FFT_NO_TABLE: all are 1 */
    uint64_t table;
    bool each_point; /* one factor per local point */
};

struct cm_fft_pass {
    bool local;
    uint32_t first, count; /* stages */
    uint64_t table;        /* word of the signs, or of the twiddle factors of a local pass */
    bool scaled;           /* the last pass of an inverse: results times 1/N */
};

struct cm_fft_plan {
    const struct cm_fft_transform_task *task;
    const struct cm_config *config;
    enum cm_fft_decimation decimation;
    uint32_t component_words; /* 1 or 2 */
    uint32_t element_words;
    uint32_t stage_count, pass_count;
    struct cm_fft_stage stages[CM_LOGIC_DIMENSIONS_MAX];
    struct cm_fft_pass passes[CM_LOGIC_DIMENSIONS_MAX];
    uint32_t parts;      /* of the bodies of local passes, at most */
    uint64_t room_words; /* Y and O */
    /* these, signs, and twiddle factors that are the same for all local points */
    uint64_t steady_words;
    uint64_t table_words;
    uint64_t factors; /* of the table */
};

/* Plans with pipelines of at most `group` stages and local passes of at most `radix_bits`, whose
 * bodies have one part where `group` is 1: that is the shortest code. */
void cm_fft_plan_make(const struct cm_fft_transform_task *task, const struct cm_config *config,
                      uint32_t group, uint32_t radix_bits, struct cm_fft_plan *plan);

/*
 * The angle of a stage's twiddle factors, in units of a turn / 2^axis_bits, is a sum over the bits
 * of the axis: what bit `bit` adds where it is 1; 0 for bits that it does not depend on.
 */
uint64_t cm_fft_stage_weight(const struct cm_fft_stage *stage, uint32_t bit);
/* The step of another bit of the stage's axis: where that bit is. */
struct cm_fft_step cm_fft_stage_bit(const struct cm_fft_plan *plan,
                                    const struct cm_fft_stage *stage, uint32_t bit);

/* How a butterfly of a local pass uses a twiddle factor: 1, a quarter turn, one of the table, or
 * one of the table and a quarter turn. */
enum cm_fft_factor {
    CM_FFT_FACTOR_ONE,
    CM_FFT_FACTOR_QUARTER,
    CM_FFT_FACTOR_TABLE,
    CM_FFT_FACTOR_TURNED
};

/*
 * The twiddle factors of a local pass: an entry for each value of the loop bits that angles depend
 * on. The bit of an axis next to a stage's own adds a quarter turn to the angle, so the factors of
 * one half of the points follow from those of the other half. For one stage of a pass that bit is
 * beyond the pass; where it is local, the body has two parts, in which that bit is 0 and 1.
 */
struct cm_fft_factors {
    uint32_t count; /* of an entry's factors that are read from the table */
    /* by stage of the pass, and point of the body, first those of its first part */
    enum cm_fft_factor kind[CM_FFT_RADIX_BITS_MAX][CM_FFT_POINTS_MAX];
    uint32_t number[CM_FFT_RADIX_BITS_MAX][CM_FFT_POINTS_MAX]; /* within the entry */
    uint64_t angle[CM_FFT_RADIX_BITS_MAX][CM_FFT_POINTS_MAX];  /* what the body's bits add */
    uint32_t parts;                                            /* of the body: 1 or 2 */
    uint32_t part_bit;       /* of the axis: what tells the parts apart */
    uint32_t part_local_bit; /* where it is */
    uint64_t local_bits;     /* local bits that entries are numbered by, ascending */
    uint64_t entries;
};
void cm_fft_factors_find(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                         struct cm_fft_factors *factors);

/* Fills the table, of which these are the planes. */
enum cm_status cm_fft_table_fill(const struct cm_fft_plan *plan, uint32_t nodes,
                                 const struct cm_planes *planes, struct cm_error *err);

/* Arguments of a pass's IMP; the first two are in address registers throughout. */
enum { CM_FFT_ARGUMENT_ARRAY, CM_FFT_ARGUMENT_TABLE, CM_FFT_ARGUMENT_SCALE };
enum { CM_FFT_REG_DATA, CM_FFT_REG_TABLE, CM_FFT_REG_FACTORS };
#define CM_FFT_SCALE_REGISTER 31u /* of the FPU: 1/N */

/* A complex number in FPU registers. */
struct cm_fft_value {
    uint32_t re, im;
};

/* Begins the IMP of a pass; NULL when out of memory. */
struct cm_imp *cm_fft_begin(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass);
/* product = factor x. */
void cm_fft_emit_product(struct cm_imp *imp, const struct cm_fpu_ops *ops,
                         struct cm_fft_value factor, struct cm_fft_value x,
                         struct cm_fft_value product);

/* The IMP of a pass; a local one has about `unroll` points per iteration. NULL when out of
 * memory. */
struct cm_imp *cm_fft_compile_local(const struct cm_fft_plan *plan, const struct cm_fft_pass *pass,
                                    uint32_t unroll);
struct cm_imp *cm_fft_compile_pipeline(const struct cm_fft_plan *plan,
                                       const struct cm_fft_pass *pass);

/*
 * Finds or makes the code of a transform. Arguments of its IMPs: "array", "table", and "scale", 1/N
 * in the bits of a component. compiled->variant is the decimation taken,
 * compiled->count the number of twiddle factors.
 */
enum cm_status cm_fft_transform_compile(struct cm_system *system,
                                        const struct cm_fft_transform_task *task,
                                        const struct cm_compiled **compiled, struct cm_error *err);

/* Reverses the index bits of the axes that are transformed. `array` NULL: only compiles that. */
enum cm_status cm_fft_reorder(struct cm_system *system, const struct cm_fft_transform_task *task,
                              struct cm_array *array, struct cm_error *err);

#endif
