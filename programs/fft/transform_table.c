/*
 * Tables of an FFT: twiddle factors and signs for every node. An angle is an exact number of parts
 * of a turn. Sine and cosine are computed in long double, of angles of at most an eighth of a turn,
 * and rounded once to the type of the array.
 */
#include "transform_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Roots of unity exp(-2 pi i k / 2^bits) for k = 0 .. 2^bits / 8, from which all other roots
 * follow. */
struct roots {
    uint32_t bits;
    long double *cosines, *sines; /* of 2 pi k / 2^bits */
};

static enum cm_status roots_init(struct roots *roots, uint32_t bits, struct cm_error *err)
{
    uint64_t count = bits > 3 ? (UINT64_C(1) << (bits - 3)) + 1 : 2;
    long double part = 2 * acosl(-1.0L) / (long double)(bits > 3 ? UINT64_C(1) << bits : 8);
    roots->bits = bits;
    roots->cosines = calloc(2 * count, sizeof *roots->cosines);
    if (!roots->cosines)
        return cm_error_no_memory(err);
    roots->sines = roots->cosines + count;
    for (uint64_t k = 0; k < count; k++) {
        roots->cosines[k] = cosl(part * (long double)k);
        roots->sines[k] = sinl(part * (long double)k);
    }
    return CM_OK;
}

static void roots_finish(struct roots *roots)
{
    free(roots->cosines);
}

/* Computes cosine and sine of 2 pi k / 2^bits, for k below half a turn, from the roots. */
static void root(const struct roots *roots, uint64_t k, long double *cosine, long double *sine)
{
    uint32_t bits = roots->bits > 3 ? roots->bits : 3;
    uint64_t eighth = UINT64_C(1) << (bits - 3);
    k <<= bits - roots->bits;
    bool second = k > 2 * eighth; /* second quarter: the cosine changes sign */
    if (second)
        k = 4 * eighth - k;
    bool turned = k > eighth; /* beyond an eighth: sine and cosine are swapped */
    if (turned)
        k = 2 * eighth - k;
    *cosine = turned ? roots->sines[k] : roots->cosines[k];
    *sine = turned ? roots->cosines[k] : roots->sines[k];
    if (second)
        *cosine = -*cosine;
}

struct filler {
    const struct cm_fft_plan *plan;
    uint32_t nodes;
    const struct cm_planes *planes;
    struct roots roots;
    uint64_t *node_angles; /* angle that the node bits add to a factor, for each node */
    uint32_t *coordinates; /* mesh coordinates of each node, as from cm_fft_coordinate_bits */
};

/* Returns the bit of a node's coordinates that the step changes. */
static uint32_t node_bit(const struct filler *f, const struct cm_fft_step *step, uint32_t node)
{
    return f->coordinates[node] >> step->dimension & 1;
}

static void find_node_angles(struct filler *f, const struct cm_fft_stage *stage)
{
    memset(f->node_angles, 0, f->nodes * sizeof *f->node_angles);
    for (uint32_t bit = 0; bit < stage->axis_bits; bit++) {
        uint64_t weight = cm_fft_stage_weight(stage, bit);
        struct cm_fft_step step = cm_fft_stage_bit(f->plan, stage, bit);
        if (weight == 0 || step.local)
            continue;
        for (uint32_t node = 0; node < f->nodes; node++)
            f->node_angles[node] += node_bit(f, &step, node) * weight;
    }
}

/* Returns the angle that the local bits of `element` add to a stage's twiddle factor. */
static uint64_t local_angle(const struct cm_fft_plan *plan, const struct cm_fft_stage *stage,
                            uint64_t element)
{
    uint64_t angle = 0;
    for (uint32_t bit = 0; bit < stage->axis_bits; bit++) {
        uint64_t weight = cm_fft_stage_weight(stage, bit);
        struct cm_fft_step step = cm_fft_stage_bit(plan, stage, bit);
        if (weight != 0 && step.local && (element >> step.local_bit & 1))
            angle += weight;
    }
    return angle;
}

static void put(struct filler *f, uint64_t word, uint32_t node, long double value)
{
    uint32_t *at = cm_planes_word(f->planes, word, node);
    if (f->plan->component_words == 1) {
        float rounded = (float)value;
        memcpy(at, &rounded, sizeof rounded);
    } else {
        double rounded = (double)value;
        uint64_t bits;
        memcpy(&bits, &rounded, sizeof bits);
        at[0] = (uint32_t)bits;
        at[f->planes->partition_nodes] = (uint32_t)(bits >> 32);
    }
}

/* Stores a twiddle factor. The angle is in parts of a turn for the stage's axis, the roots are
 * those of the longest axis. */
static void put_factor(struct filler *f, const struct cm_fft_stage *stage, uint64_t word,
                       uint32_t node, uint64_t angle)
{
    long double cosine, sine;
    root(&f->roots, angle << (f->roots.bits - stage->axis_bits), &cosine, &sine);
    put(f, word, node, cosine);
    put(f, word + f->plan->component_words, node, f->plan->task->inverse ? sine : -sine);
}

static void fill_pipeline_stage(struct filler *f, const struct cm_fft_stage *stage, uint64_t signs)
{
    uint64_t points = stage->each_point ? UINT64_C(1) << f->plan->task->mapping.local_bits : 1;
    if (stage->table != CM_FFT_NO_TABLE)
        find_node_angles(f, stage);
    for (uint32_t node = 0; node < f->nodes; node++)
        put(f, signs, node, node_bit(f, &stage->step, node) ? -1.0L : 1.0L);
    for (uint64_t point = 0; stage->table != CM_FFT_NO_TABLE && point < points; point++) {
        uint64_t word = stage->table + point * f->plan->element_words;
        uint64_t angle = local_angle(f->plan, stage, point);
        for (uint32_t node = 0; node < f->nodes; node++)
            put_factor(f, stage, word, node,
                       node_bit(f, &stage->step, node) ? f->node_angles[node] + angle : 0);
    }
}

/* Returns the local bits that belong to an entry of the table: the entry's number, distributed to
 * the bits that number entries. */
static uint64_t entry_element(const struct cm_fft_factors *factors, uint64_t entry)
{
    uint64_t element = 0;
    for (uint32_t bit = 0; bit < CM_LOGIC_DIMENSIONS_MAX; bit++) {
        if (!(factors->local_bits >> bit & 1))
            continue;
        element |= (entry & 1) << bit;
        entry >>= 1;
    }
    return element;
}

static void fill_local_stage(struct filler *f, const struct cm_fft_pass *pass,
                             const struct cm_fft_factors *factors, uint32_t i)
{
    const struct cm_fft_stage *stage = &f->plan->stages[pass->first + i];
    uint32_t words = f->plan->element_words;
    find_node_angles(f, stage);
    for (uint64_t entry = 0; entry < factors->entries; entry++) {
        uint64_t looped = local_angle(f->plan, stage, entry_element(factors, entry));
        const uint32_t points = factors->parts << pass->count;
        for (uint32_t point = 0, next = UINT32_MAX; point < points; point++) {
            if ((point >> i & 1) || factors->kind[i][point] != CM_FFT_FACTOR_TABLE)
                continue;
            uint32_t number = factors->number[i][point];
            if (next != UINT32_MAX && number < next)
                continue; /* factor shared with an earlier point */
            next = number + 1;
            uint64_t angle = looped + factors->angle[i][point];
            uint64_t word = pass->table + (entry * factors->count + number) * words;
            for (uint32_t node = 0; node < f->nodes; node++)
                put_factor(f, stage, word, node, f->node_angles[node] + angle);
        }
    }
}

static void fill_pass(struct filler *f, const struct cm_fft_pass *pass)
{
    struct cm_fft_factors factors;
    if (pass->local)
        cm_fft_factors_find(f->plan, pass, &factors);
    for (uint32_t i = 0; i < pass->count; i++)
        if (pass->local)
            fill_local_stage(f, pass, &factors, i);
        else
            fill_pipeline_stage(f, &f->plan->stages[pass->first + i],
                                pass->table + i * f->plan->component_words);
}

enum cm_status cm_fft_table_fill(const struct cm_fft_plan *plan, uint32_t nodes,
                                 const struct cm_planes *planes, struct cm_error *err)
{
    struct filler f = {.plan = plan, .nodes = nodes, .planes = planes};
    uint32_t most = 0;
    for (uint32_t i = 0; i < plan->stage_count; i++)
        most = plan->stages[i].axis_bits > most ? plan->stages[i].axis_bits : most;
    f.node_angles = calloc(nodes, sizeof *f.node_angles);
    f.coordinates = calloc(nodes, sizeof *f.coordinates);
    enum cm_status status = roots_init(&f.roots, most, err);
    if (status == CM_OK && (!f.node_angles || !f.coordinates))
        status = cm_error_no_memory(err);
    for (uint32_t node = 0; status == CM_OK && node < nodes; node++)
        f.coordinates[node] = cm_fft_coordinate_bits(&plan->task->mapping, node);
    for (uint32_t p = 0; status == CM_OK && p < plan->pass_count; p++)
        fill_pass(&f, &plan->passes[p]);
    roots_finish(&f.roots);
    free(f.coordinates);
    free(f.node_angles);
    return status;
}
