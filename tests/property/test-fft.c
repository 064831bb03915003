/*
 * FFTs on the machine against FFTW: random shapes, mappings, machines and tasks, and a few large
 * ones. The error is |machine - FFTW| / |FFTW| in the Euclidean norm over the whole array; at most
 * 3e-7 log2 N for complex64 (against FFTW in single and in double precision) and 6e-16 log2 N for
 * complex128, N the points of one transform. Also: round trips, Parseval's equation, impulses, the
 * same cycles without data, the same bits with any number of threads.
 *
 *   property fft [--machine FILE] [--cases N] [--seed N]
 */
#include "../../programs/fft/transform.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "fft_oracle.h"
#include "random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SINGLE_BOUND   3e-7
#define DOUBLE_BOUND   6e-16
#define LOCAL_BITS_MAX 12 /* of large arrays: what fits node memory with any tables */

static struct cm_config base_config;
static uint32_t number;
static bool all_good = true;
static char why[1024];

static void report(const char *what, bool good)
{
    tap_report(++number, good, what);
    if (!good)
        printf("# %s\n", why);
    all_good = all_good && good;
}

/* A transform and what it runs on. */
struct problem {
    struct oracle_shape shape;
    struct cm_fft_transform_task task;
    struct cm_config config;
    struct cm_layout_request request; /* orders: of a canonical layout */
    uint32_t node_bits;
    uint32_t threads;
    bool canonical; /* a canonical layout; else the mapping is in task */
};

static bool fail(const char *what, double value)
{
    snprintf(why, sizeof why, "%.800s (%g)", what, value);
    return false;
}

static bool fail_status(const struct cm_error *err)
{
    cm_error_format(err, why, sizeof why);
    return false;
}

static bool is_double(const struct problem *p)
{
    return p->task.type == CM_TYPE_COMPLEX128;
}

static size_t host_bytes(const struct problem *p)
{
    return oracle_elements(&p->shape) * 2 * (is_double(p) ? sizeof(double) : sizeof(float));
}

static double get(const struct problem *p, const void *numbers, uint64_t i)
{
    return is_double(p) ? ((const double *)numbers)[i] : (double)((const float *)numbers)[i];
}

static void put(const struct problem *p, void *numbers, uint64_t i, double value)
{
    if (is_double(p))
        ((double *)numbers)[i] = value;
    else
        ((float *)numbers)[i] = (float)value;
}

/* A system with the array on it; NULL, and why, when something is refused. */
static struct cm_system *set_up(struct problem *p, uint32_t threads, bool timing_only,
                                struct cm_array **array)
{
    struct cm_error err;
    struct cm_system *system = NULL;
    struct cm_layout layout;
    struct cm_machine_options options = {
        .nodes = UINT32_C(1) << p->node_bits, .threads = threads, .timing_only = timing_only};
    *array = NULL;
    enum cm_status status = cm_system_create(&p->config, &options, &system, &err);
    if (status == CM_OK)
        status = cm_layout_create(&p->request, options.nodes, &layout, &err);
    if (status == CM_OK && p->canonical)
        status = cm_fft_mapping_canonical(&layout, &p->task.mapping, &err);
    if (status == CM_OK)
        status = cm_array_create(system, "a", &layout, array, &err);
    if (status == CM_OK && !p->canonical)
        (*array)->allocation = p->task.mapping.allocation;
    if (status == CM_OK)
        return system;
    fail_status(&err);
    cm_system_destroy(system);
    return NULL;
}

/* Runs the task on `numbers`, in the machine's order. */
static bool transform(struct problem *p, uint32_t threads, bool timing_only, void *numbers,
                      struct cm_fft_report *outcome)
{
    struct cm_error err;
    struct cm_array *array;
    struct cm_system *system = set_up(p, threads, timing_only, &array);
    if (!system)
        return false;
    enum cm_status status = cm_array_scatter(system, array, numbers, &err);
    if (status == CM_OK)
        status = cm_fft_transform(system, &p->task, array, outcome, &err);
    if (status == CM_OK)
        status = cm_array_gather(system, array, numbers, &err);
    cm_array_destroy(system, array);
    cm_system_destroy(system);
    return status == CM_OK || fail_status(&err);
}

static void *reversed(const struct problem *p, const void *numbers)
{
    size_t bytes = host_bytes(p) / oracle_elements(&p->shape);
    char *out = malloc(host_bytes(p));
    for (uint64_t e = 0; e < oracle_elements(&p->shape); e++)
        memcpy(out + e * bytes, (const char *)numbers + oracle_reverse(&p->shape, e) * bytes,
               bytes);
    return out;
}

/* The same in natural order on both sides, whatever the task's orders are. */
static bool transform_natural(struct problem *p, void *numbers, struct cm_fft_report *outcome)
{
    bool post = p->task.order == CM_FFT_POSTMORPHISM;
    void *turned;
    if (!p->task.natural && post) {
        turned = reversed(p, numbers);
        memcpy(numbers, turned, host_bytes(p));
        free(turned);
    }
    if (!transform(p, p->threads, false, numbers, outcome))
        return false;
    if (!p->task.natural && !post) {
        turned = reversed(p, numbers);
        memcpy(numbers, turned, host_bytes(p));
        free(turned);
    }
    return true;
}

static void *random_numbers(const struct problem *p, struct cm_random *random)
{
    void *numbers = malloc(host_bytes(p));
    for (uint64_t i = 0; i < 2 * oracle_elements(&p->shape); i++)
        put(p, numbers, i, (double)(int64_t)(cm_random_next(random) >> 11) / 0x1p52 - 1.0);
    return numbers;
}

static double norm(const struct problem *p, const void *numbers)
{
    long double sum = 0;
    for (uint64_t i = 0; i < 2 * oracle_elements(&p->shape); i++)
        sum += (long double)get(p, numbers, i) * get(p, numbers, i);
    return (double)sqrtl(sum);
}

static double bound(const struct problem *p)
{
    return (is_double(p) ? DOUBLE_BOUND : SINGLE_BOUND) * oracle_point_bits(&p->shape);
}

/* |numbers - reference| / |reference|. */
static double distance(const struct problem *p, const void *numbers, const double *reference)
{
    double sum = 0, whole = 0;
    for (uint64_t i = 0; i < 2 * oracle_elements(&p->shape); i++) {
        double off = get(p, numbers, i) - reference[i];
        sum += off * off;
        whole += reference[i] * reference[i];
    }
    return whole > 0 ? sqrt(sum / whole) : sqrt(sum);
}

static double worst_single, worst_double; /* error over bound */

static bool close_enough(const struct problem *p, const void *found, const double *reference,
                         const char *what)
{
    double off = distance(p, found, reference);
    double *worst = is_double(p) ? &worst_double : &worst_single;
    if (bound(p) > 0 && off / bound(p) > *worst)
        *worst = off / bound(p);
    return off <= bound(p) || fail(what, off / oracle_point_bits(&p->shape));
}

static bool agrees(struct problem *p, const void *input, const void *found)
{
    uint64_t count = 2 * oracle_elements(&p->shape);
    double *reference = malloc(count * sizeof *reference);
    for (uint64_t i = 0; i < count; i++)
        reference[i] = get(p, input, i);
    oracle_transform(&p->shape, p->task.inverse, reference);
    bool good = close_enough(p, found, reference, "off FFTW in double precision");
    if (good && !is_double(p)) {
        float *single = malloc(count * sizeof *single);
        memcpy(single, input, count * sizeof *single);
        oracle_transform_single(&p->shape, p->task.inverse, single);
        for (uint64_t i = 0; i < count; i++)
            reference[i] = (double)single[i];
        free(single);
        good = close_enough(p, found, reference, "off FFTW in single precision");
    }
    free(reference);
    return good;
}

static bool same_counters(const struct cm_counters *a, const struct cm_counters *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Without data, and with another number of threads: the same cycles, and the same bits. */
static bool repeats(struct problem *p, const void *input, const struct cm_fft_report *first)
{
    struct cm_fft_report timing = {0}, threaded[2] = {0};
    void *one = malloc(host_bytes(p)), *two = malloc(host_bytes(p));
    memcpy(one, input, host_bytes(p));
    memcpy(two, input, host_bytes(p));
    bool good = transform(p, 1, false, one, &threaded[0]) &&
                transform(p, 2, false, two, &threaded[1]) &&
                (memcmp(one, two, host_bytes(p)) == 0 || fail("threads change the bits", 0));
    good = good && transform(p, 1, true, one, &timing) &&
           ((same_counters(&timing.counted, &first->counted) &&
             same_counters(&timing.reordered, &first->reordered) &&
             same_counters(&threaded[1].counted, &first->counted)) ||
            fail("other cycles without data", (double)timing.counted.cycles));
    free(one);
    free(two);
    return good;
}

/* The report against what can be counted by hand. */
static bool plausible(const struct problem *p, const struct cm_fft_report *outcome)
{
    uint64_t words = 0;
    uint64_t elements = oracle_elements(&p->shape);
    uint32_t bits = (uint32_t)oracle_point_bits(&p->shape);
    for (int a = 0; a < p->shape.rank; a++)
        for (uint32_t b = 0; b < (uint32_t)p->shape.bits[a] && p->shape.axes >> a & 1; b++) {
            struct cm_fft_step step;
            cm_fft_mapping_step(&p->task.mapping, (uint32_t)a, b, &step);
            words += step.hops * elements * (is_double(p) ? 4 : 2);
        }
    uint32_t used = p->task.mapping.bits - p->task.mapping.local_bits;
    words <<= p->node_bits - used; /* nodes beyond those hold copies, and do the same */
    if (outcome->counted.words_sent != words)
        return fail("words sent", (double)outcome->counted.words_sent - (double)words);
    if (outcome->steps != bits || outcome->points != UINT64_C(1) << bits ||
        outcome->points * outcome->transforms != elements)
        return fail("steps or points", outcome->steps);
    if (!p->task.natural && outcome->reordered.cycles != 0)
        return fail("reordering that was not asked for", (double)outcome->reordered.cycles);
    return true;
}

/* Inverse after forward gives the array back. */
static bool round_trip(struct problem *p, const void *input, const void *output)
{
    struct problem back = *p;
    struct cm_fft_report outcome;
    uint64_t count = 2 * oracle_elements(&p->shape);
    double *reference = malloc(count * sizeof *reference);
    void *numbers = malloc(host_bytes(p));
    memcpy(numbers, output, host_bytes(p));
    back.task.inverse = !p->task.inverse;
    for (uint64_t i = 0; i < count; i++)
        reference[i] = get(p, input, i);
    bool good = transform_natural(&back, numbers, &outcome);
    double off = good ? distance(p, numbers, reference) : 0;
    good = good && (off <= 2 * bound(p) || fail("a round trip is off", off));
    free(numbers);
    free(reference);
    return good;
}

/* |X|^2 = N |x|^2 forward, |x|^2 = |X|^2 / N back. */
static bool parseval(const struct problem *p, const void *input, const void *output)
{
    double scale =
        ldexp(1.0, p->task.inverse ? -oracle_point_bits(&p->shape) : oracle_point_bits(&p->shape));
    double ratio = norm(p, output) / (norm(p, input) * sqrt(scale));
    return fabs(ratio - 1) <= bound(p) + 1e-15 || fail("Parseval", ratio - 1);
}

/* A 1 at the origin becomes 1 everywhere, exactly, since only 0 is ever multiplied by what is not
 * exact. */
static bool impulse(struct problem *p)
{
    struct cm_fft_report outcome;
    struct problem forward = *p;
    void *numbers = calloc(1, host_bytes(p));
    forward.task.inverse = false;
    forward.task.decimation = CM_FFT_DECIMATION_TIME;
    put(p, numbers, 0, 1.0);
    bool good = transform_natural(&forward, numbers, &outcome);
    uint64_t elements = oracle_elements(&p->shape);
    for (uint64_t e = 0; good && e < elements; e++) {
        bool in_line = true; /* with the origin, along the axes transformed */
        uint64_t index = e;
        for (int a = 0; a < p->shape.rank; a++) {
            if (!(p->shape.axes >> a & 1) && (index & ((UINT64_C(1) << p->shape.bits[a]) - 1)))
                in_line = false;
            index >>= p->shape.bits[a];
        }
        good = (get(p, numbers, 2 * e) == (in_line ? 1.0 : 0.0) &&
                get(p, numbers, 2 * e + 1) == 0.0) ||
               fail("an impulse", (double)e);
    }
    free(numbers);
    return good;
}

static bool check(struct problem *p, struct cm_random *random, bool thorough)
{
    struct cm_fft_report outcome = {0};
    void *input = random_numbers(p, random);
    void *numbers = malloc(host_bytes(p));
    memcpy(numbers, input, host_bytes(p));
    bool good = transform_natural(p, numbers, &outcome) && agrees(p, input, numbers) &&
                plausible(p, &outcome) && parseval(p, input, numbers);
    if (good && thorough)
        good = round_trip(p, input, numbers) && repeats(p, input, &outcome) && impulse(p);
    free(numbers);
    free(input);
    return good;
}

/* Cuts `bits` in `parts` at random. */
static void cut(struct cm_random *random, int bits, uint32_t parts, int *out)
{
    memset(out, 0, parts * sizeof *out);
    for (int i = 0; i < bits; i++)
        out[cm_random_below(random, parts)]++;
}

static enum cm_status random_mapping(struct cm_random *random, struct problem *p,
                                     struct cm_error *err)
{
    static const enum cm_fft_permutation kinds[] = {CM_FFT_IDENTICAL, CM_FFT_SHUFFLE, CM_FFT_RANDOM,
                                                    CM_FFT_RANDOM};
    struct cm_fft_request request = {.rank = (uint32_t)p->shape.rank,
                                     .mesh_rank = 1 + cm_random_below(random, 5),
                                     .permutation = kinds[cm_random_below(random, 4)],
                                     .seed = cm_random_next(random),
                                     .local = (enum cm_fft_local)cm_random_below(random, 2),
                                     .code = (enum cm_fft_code)cm_random_below(random, 2)};
    int mesh[5];
    cut(random, (int)p->node_bits, request.mesh_rank, mesh);
    for (int a = 0; a < p->shape.rank; a++)
        request.shape[a] = UINT64_C(1) << p->shape.bits[a];
    for (uint32_t i = 0; i < request.mesh_rank; i++)
        request.mesh_shape[i] = UINT64_C(1) << mesh[i];
    return cm_fft_mapping_create(&request, &p->task.mapping, err);
}

static void fill_request(struct problem *p, struct cm_random *random)
{
    p->request.type = p->task.type;
    p->request.rank = (uint32_t)p->shape.rank;
    for (int a = 0; a < p->shape.rank; a++) {
        p->request.shape[a] = UINT64_C(1) << p->shape.bits[a];
        p->request.weights[a] = 1;
        p->request.orders[a] = CM_ORDER_NEWS;
        if (random && p->canonical)
            p->request.orders[a] = (enum cm_order)cm_random_below(random, 3);
    }
}

/* `bits`: log2 of the points of the array. */
static bool random_problem(struct cm_random *random, int bits, struct problem *p)
{
    struct cm_error err;
    *p = (struct problem){.config = base_config, .threads = 1 + cm_random_below(random, 2)};
    p->shape.rank = 1 + (int)cm_random_below(random, 4);
    cut(random, bits, (uint32_t)p->shape.rank, p->shape.bits);
    p->shape.axes = cm_random_chance(random, 50)
                        ? (UINT64_C(1) << p->shape.rank) - 1
                        : 1 + cm_random_below(random, (1u << p->shape.rank) - 1);
    p->node_bits = cm_random_below(random, (uint32_t)(bits < 8 ? bits : 8) + 1);
    if (bits > LOCAL_BITS_MAX)
        p->node_bits = 11 - cm_random_below(random, (uint32_t)(LOCAL_BITS_MAX + 12 - bits));
    p->canonical = cm_random_chance(random, 30);
    p->task.type = cm_random_chance(random, 50) ? CM_TYPE_COMPLEX64 : CM_TYPE_COMPLEX128;
    p->task.order = cm_random_chance(random, 50) ? CM_FFT_PREMORPHISM : CM_FFT_POSTMORPHISM;
    p->task.decimation = (enum cm_fft_decimation)cm_random_below(random, 3);
    p->task.axes =
        p->shape.axes == (UINT64_C(1) << p->shape.rank) - 1 && cm_random_chance(random, 50)
            ? CM_FFT_ALL_AXES
            : p->shape.axes;
    p->task.inverse = cm_random_chance(random, 50);
    p->task.natural = cm_random_chance(random, 50);
    p->task.stepwise = cm_random_chance(random, 30);
    if (cm_random_chance(random, 25))
        p->config.network_channels_per_dimension = 1;
    if (cm_random_chance(random, 20)) /* passes have to be cut; reshapes ask for more */
        p->config.sequencer_sram_words = p->task.natural ? 4096 : 700;
    fill_request(p, random);
    return p->canonical || random_mapping(random, p, &err) == CM_OK || fail_status(&err);
}

static void describe(const struct problem *p, uint64_t seed, uint64_t at)
{
    char text[600], reason[400];
    snprintf(reason, sizeof reason, "%.399s", why);
    int used = snprintf(text, sizeof text, "seed %" PRIu64 " case %" PRIu64 ": bits", seed, at);
    for (int a = 0; a < p->shape.rank; a++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", p->shape.bits[a]);
    snprintf(text + used, sizeof text - (size_t)used,
             ", axes %" PRIx64 ", %s, %s%s%s%s, decimation in %s, 2^%" PRIu32 " nodes, %s, %" PRIu32
             " channels",
             p->shape.axes, is_double(p) ? "complex128" : "complex64",
             p->task.order == CM_FFT_PREMORPHISM ? "pre" : "post",
             p->task.inverse ? ", inverse" : "", p->task.natural ? ", natural" : "",
             p->task.stepwise ? ", stepwise" : "", cm_fft_decimation_name(p->task.decimation),
             p->node_bits, p->canonical ? "canonical" : "mapped",
             p->config.network_channels_per_dimension);
    snprintf(why, sizeof why, "%s: %s", text, reason);
}

static bool refused_for_room(const struct problem *p)
{
    /* A layout pads axes that are shorter than their nodes, and serial ones leave nodes out; no
     * mapping does. */
    return p->canonical && (strstr(why, "every node needs at least one point") != NULL ||
                            strstr(why, "words of node memory") != NULL);
}

/* Arrays of 2^first to 2^last points. */
static void check_random(const char *kind, uint64_t seed, uint64_t cases, int first, int last)
{
    bool good = true;
    uint64_t refused = 0;
    char what[200];
    for (uint64_t i = 0; good && i < cases; i++) {
        struct cm_random random = cm_random_of_case(seed, (uint64_t)last << 32 | i);
        struct problem p;
        int bits = (int)cm_random_range(&random, first, last);
        good = random_problem(&random, bits, &p) && check(&p, &random, bits < 14);
        if (!good && refused_for_room(&p)) {
            refused++;
            good = true;
        }
        if (!good)
            describe(&p, seed, i);
    }
    snprintf(what, sizeof what,
             "%" PRIu64 " random transforms of %s arrays agree with FFTW, seed %" PRIu64
             " (%" PRIu64 " layouts refused)",
             cases, kind, seed, refused);
    report(what, good);
}

struct large {
    const char *name;
    int rank;
    int bits[4];
    enum cm_type type;
    enum cm_fft_order order;
    bool canonical, natural, inverse, stepwise;
};

static const struct large larges[] = {
    {"2^20 points, complex64, canonical",
     1,
     {20},
     CM_TYPE_COMPLEX64,
     CM_FFT_PREMORPHISM,
     true,
     false,
     false,
     false},
    {"2^20 points, complex64, canonical, to natural order",
     1,
     {20},
     CM_TYPE_COMPLEX64,
     CM_FFT_PREMORPHISM,
     true,
     true,
     false,
     false},
    {"2^20 points, complex128, binary, from natural order, inverse",
     1,
     {20},
     CM_TYPE_COMPLEX128,
     CM_FFT_POSTMORPHISM,
     false,
     true,
     true,
     false},
    {"1024 x 1024, complex64, canonical, inverse",
     2,
     {10, 10},
     CM_TYPE_COMPLEX64,
     CM_FFT_POSTMORPHISM,
     true,
     false,
     true,
     false},
    {"1024 x 1024, complex128, binary, stepwise",
     2,
     {10, 10},
     CM_TYPE_COMPLEX128,
     CM_FFT_PREMORPHISM,
     false,
     false,
     false,
     true},
    {"32 x 64 x 512, complex64, binary, to natural order",
     3,
     {5, 6, 9},
     CM_TYPE_COMPLEX64,
     CM_FFT_PREMORPHISM,
     false,
     true,
     false,
     false},
    {"32 x 32 x 32 x 32, complex128, canonical",
     4,
     {5, 5, 5, 5},
     CM_TYPE_COMPLEX128,
     CM_FFT_PREMORPHISM,
     true,
     false,
     false,
     false},
};

static bool large_problem(const struct large *large, struct problem *p)
{
    struct cm_error err;
    *p = (struct problem){.config = base_config,
                          .node_bits = 11,
                          .canonical = large->canonical,
                          .task = {.type = large->type,
                                   .order = large->order,
                                   .axes = CM_FFT_ALL_AXES,
                                   .natural = large->natural,
                                   .inverse = large->inverse,
                                   .stepwise = large->stepwise}};
    struct cm_fft_request request = {
        .rank = (uint32_t)large->rank, .mesh_rank = 1, .mesh_shape = {2048}, .code = CM_FFT_BINARY};
    p->shape.rank = large->rank;
    p->shape.axes = (UINT64_C(1) << large->rank) - 1;
    for (int a = 0; a < large->rank; a++) {
        p->shape.bits[a] = large->bits[a];
        request.shape[a] = UINT64_C(1) << large->bits[a];
    }
    fill_request(p, NULL);
    return p->canonical || cm_fft_mapping_create(&request, &p->task.mapping, &err) == CM_OK ||
           fail_status(&err);
}

static void check_large(uint64_t seed)
{
    for (size_t i = 0; i < sizeof larges / sizeof *larges; i++) {
        struct cm_random random = cm_random_of_case(seed, UINT64_C(1) << 40 | i);
        struct problem p;
        char what[160];
        snprintf(what, sizeof what, "%s, on 2,048 nodes", larges[i].name);
        report(what, large_problem(&larges[i], &p) && check(&p, &random, false));
    }
}

CM_PROGRAM(fft)
{
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 1200, .seed = 1};
    tap_options_read(argc, argv, &options, NULL);
    uint64_t cases = options.cases, seed = options.seed;
    tap_config_read(&options, &base_config);
    printf("1..%zu\n", 2 + sizeof larges / sizeof *larges);
    check_random("small", seed, cases, 0, 11);
    check_random("large", seed, cases / 60, 12, 20);
    check_large(seed);
    printf("# largest error over its bound: %.3f (complex64), %.3f (complex128)\n", worst_single,
           worst_double);
    return all_good ? 0 : 1;
}
