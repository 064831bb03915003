/*
 * Workloads that represent the published facts about whole kernels, and their runs. An experiment
 * is a kernel at several sizes. Each output of an experiment compares one number of every run with
 * one fact.
 */
#include "applications.h"

#include "../workload/steps/fft.h"
#include "validate_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUTS_MAX 4u
#define SHIFTS      8u   /* shifts of a four-dimensional lattice: two along each axis */
#define BLOCK_WORDS 110u /* smallest block of an all-to-all broadcast, in words */
/* operations at each site of the kernel in figure 6 of the PSHIFT paper: 8 links of 66, and 7 sums
 * of 6 numbers */
#define QCD_SITE_OPS 570u

struct experiment;

/* Computes, from the result of a run, the number that is compared with a fact, in the unit of the
 * fact. */
typedef double (*measure)(const struct experiment *experiment, uint32_t size,
                          const struct cm_result *result);

struct output {
    const char *fact;
    const char *form;
    measure measure;
    const char *remark;
    bool bound;
    bool judged; /* true for the form that the fact is judged by (applications.h) */
};

struct experiment {
    void (*write)(const struct experiment *experiment, uint32_t size, struct cm_buffer *text);
    void (*size_text)(const struct experiment *experiment, uint32_t size, char *text, size_t room);
    const char *type;
    uint32_t rank;
    uint32_t reach; /* for a stencil: largest distance of a point of the star from its centre */
    /* `local`: true if axes are within a node only (FFTs and products). `gray`: true if axes of the
     * mesh are in Gray code (FFTs) */
    bool local, gray;
    /* `step`: name of the step that makes shifts, or algorithm of products and broadcasts. `order`:
     * order of the blocks of broadcasts */
    const char *step, *order;
    /* range of sizes: log2 of the length of an axis, or of the multiple of a base size */
    uint32_t first, last;
    uint32_t chosen; /* size that represents the form. 0: the size with the largest rate */
    struct output outputs[OUTPUTS_MAX];
};

/* Writes the workload of an FFT. Reordering is a separate output, because an array in bit-reversed
 * order is enough for many uses. */
static void write_fft(const struct experiment *experiment, uint32_t size, struct cm_buffer *text)
{
    uint64_t length = UINT64_C(1) << size;
    cm_buffer_printf(text,
                     "{\"format\": \"cm200-workload/1\", \"nodes\": %u, \"arrays\": {\"a\": "
                     "{\"type\": \"%s\", \"shape\": [%" PRIu64,
                     CM_VALIDATE_NODES, experiment->type, length);
    for (uint32_t a = 1; a < experiment->rank; a++)
        cm_buffer_printf(text, ", %" PRIu64, length);
    if (experiment->local)
        cm_buffer_printf(text, ", %u", CM_VALIDATE_NODES);
    cm_buffer_printf(text,
                     "], \"mesh\": {\"shape\": [%u], \"code\": \"%s\"}}}, \"steps\": [{\"fft\": "
                     "{\"array\": \"a\", \"transform\": \"forward\", \"order\": \"pre\"%s}}]}",
                     CM_VALIDATE_NODES, experiment->gray ? "gray" : "binary",
                     experiment->local ? ", \"dims\": [1]" : "");
}

static void fft_size(const struct experiment *experiment, uint32_t size, char *text, size_t room)
{
    if (experiment->local)
        snprintf(text, room, "2^%" PRIu32 " points a node", size);
    else if (experiment->rank == 1)
        snprintf(text, room, "2^%" PRIu32 " points", size);
    else
        snprintf(text, room, "%" PRIu64 "^%" PRIu32 " points", UINT64_C(1) << size,
                 experiment->rank);
}

static const struct cm_fft_report *fft_report(const struct cm_result *result)
{
    return &cm_step_fft_result(&result->steps[0])->report;
}

static double fft_gflops(const struct experiment *experiment, uint32_t size,
                         const struct cm_result *result)
{
    (void)experiment, (void)size;
    return fft_report(result)->nominal_gflops;
}

static double fft_reordered_gflops(const struct experiment *experiment, uint32_t size,
                                   const struct cm_result *result)
{
    (void)experiment, (void)size;
    const struct cm_fft_report *report = fft_report(result);
    return report->nominal_flops / (report->seconds + report->reorder_seconds) * 1e-9;
}

static double fft_motion(const struct experiment *experiment, uint32_t size,
                         const struct cm_result *result)
{
    (void)experiment, (void)size;
    return fft_report(result)->gbytes_moved;
}

static double fft_factors(const struct experiment *experiment, uint32_t size,
                          const struct cm_result *result)
{
    (void)experiment, (void)size;
    return (double)fft_report(result)->factors;
}

/* Writes the workload of figure 6 of the PSHIFT paper: a colour vector, REAL (3, 2), comes from
 * each of the eight neighbours. */
static void write_shifts(const struct experiment *experiment, uint32_t size, struct cm_buffer *text)
{
    bool pshift = strcmp(experiment->step, "pshift") == 0;
    uint64_t length = UINT64_C(1) << size;
    cm_buffer_printf(text, "{\"format\": \"cm200-workload/1\", \"nodes\": %u, \"arrays\": {",
                     CM_VALIDATE_NODES);
    for (uint32_t i = 0; i < 2 * SHIFTS; i++)
        cm_buffer_printf(text,
                         "%s\"a%" PRIu32 "\": {\"type\": \"%s\", \"shape\": [3, 2, %" PRIu64
                         ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "], \"axes\": [\"serial\", "
                         "\"serial\", \"news\", \"news\", \"news\", \"news\"]}",
                         i > 0 ? ", " : "", i, experiment->type, 8 * length, 8 * length, 8 * length,
                         4 * length);
    cm_buffer_printf(text, "}, \"steps\": [%s", pshift ? "{\"pshift\": [" : "");
    for (uint32_t i = 0; i < SHIFTS; i++)
        cm_buffer_printf(text,
                         "%s%s\"dst\": \"a%" PRIu32 "\", \"src\": \"a%" PRIu32
                         "\", \"dim\": %" PRIu32 ", \"distance\": %d}%s",
                         i > 0 ? ", " : "", pshift ? "{\"type\": \"cshift\", " : "{\"cshift\": {",
                         SHIFTS + i, i, 3 + i / 2, i % 2 ? -1 : 1, pshift ? "" : "}");
    cm_buffer_printf(text, "%s]}", pshift ? "]}" : "");
}

static void lattice_size(const struct experiment *experiment, uint32_t size, char *text,
                         size_t room)
{
    (void)experiment;
    snprintf(text, room, "%" PRIu64 "^4 sites a node", UINT64_C(1) << size);
}

static double shifts_gflops(const struct experiment *experiment, uint32_t size,
                            const struct cm_result *result)
{
    (void)experiment;
    double sites = (double)CM_VALIDATE_NODES * (double)(UINT64_C(1) << 4 * size);
    double seconds = (double)result->total.cycles / (double)result->clock_hz;
    return sites * QCD_SITE_OPS / seconds * 1e-9;
}

/* Returns the number of words of a block, chosen so that its 22 or 20 parts fill all channels
 * evenly. */
static uint64_t block_words(uint32_t size)
{
    return (uint64_t)BLOCK_WORDS << size;
}

static void write_alltoall(const struct experiment *experiment, uint32_t size,
                           struct cm_buffer *text)
{
    cm_buffer_printf(text,
                     "{\"format\": \"cm200-workload/1\", \"nodes\": %u, \"arrays\": {\"a\": "
                     "{\"type\": \"real32\", \"shape\": [%" PRIu64
                     ", %u], \"axes\": [\"serial\", \"news\"]}, \"b\": {\"type\": \"real32\", "
                     "\"shape\": [%" PRIu64
                     ", %u, %u], \"axes\": [\"serial\", \"serial\", \"news\"]}}, \"steps\": "
                     "[{\"alltoall\": {\"dst\": \"b\", \"src\": \"a\", \"algorithm\": \"%s\", "
                     "\"order\": \"%s\"}}]}",
                     CM_VALIDATE_NODES, block_words(size), CM_VALIDATE_NODES, block_words(size),
                     CM_VALIDATE_NODES, CM_VALIDATE_NODES, experiment->step, experiment->order);
}

static void block_size(const struct experiment *experiment, uint32_t size, char *text, size_t room)
{
    (void)experiment;
    snprintf(text, room, "blocks of %" PRIu64 " words", block_words(size));
}

/* Returns the rate at which nodes receive data from other nodes, in 10^9 bytes per second. */
static double alltoall_gbytes(const struct experiment *experiment, uint32_t size,
                              const struct cm_result *result)
{
    (void)experiment;
    const double nodes = CM_VALIDATE_NODES, bytes = 4 * (double)block_words(size);
    const double seconds = (double)result->total.cycles / (double)result->clock_hz;
    return nodes * (nodes - 1) * bytes / seconds * 1e-9;
}

/* Writes the workload of a product of square matrices: one product over all nodes, or one product
 * within each node. */
static void write_product(const struct experiment *experiment, uint32_t size,
                          struct cm_buffer *text)
{
    const uint64_t length = UINT64_C(1) << size;
    cm_buffer_printf(text, "{\"format\": \"cm200-workload/1\", \"nodes\": %u, \"arrays\": {",
                     CM_VALIDATE_NODES);
    for (const char *name = "abc"; *name != '\0'; name++)
        cm_buffer_printf(text,
                         "\"%c\": {\"type\": \"%s\", \"shape\": [%" PRIu64 ", %" PRIu64 "]%s}%s",
                         *name, experiment->type, length, length,
                         experiment->local ? ", \"axes\": [\"serial\", \"serial\"]" : "",
                         *name == 'c' ? "" : ", ");
    cm_buffer_printf(text,
                     "}, \"steps\": [{\"matmul\": {\"dst\": \"c\", \"a\": \"a\", \"b\": \"b\", "
                     "\"algorithm\": \"%s\"}}]}",
                     experiment->step);
}

static void product_size(const struct experiment *experiment, uint32_t size, char *text,
                         size_t room)
{
    const uint64_t length = UINT64_C(1) << size;
    snprintf(text, room, "%" PRIu64 " x %" PRIu64 "%s", length, length,
             experiment->local ? " in a node" : "");
}

static double product_gflops(const struct experiment *experiment, uint32_t size,
                             const struct cm_result *result)
{
    const double products = experiment->local ? CM_VALIDATE_NODES : 1;
    const double seconds = (double)result->total.cycles / (double)result->clock_hz;
    return products * 2 * ldexp(1, (int)(3 * size)) / seconds * 1e-9;
}

/* Returns the number of points of a star: the centre, and `reach` points on both sides along each
 * axis. */
static uint32_t star_points(const struct experiment *experiment)
{
    return 1 + 2 * experiment->reach * experiment->rank;
}

/* Writes the workload of a star stencil. Each node has 2^size points along each axis. The
 * coefficient of a point of the star is 0.5 plus its distance from the centre. */
static void write_star(const struct experiment *experiment, uint32_t size, struct cm_buffer *text)
{
    /* number of nodes along each axis for ranks 2 and 3, as in the canonical layout of equal
     * axes */
    static const uint32_t grid[2][3] = {{64, 32, 1}, {16, 16, 8}};
    const uint32_t rank = experiment->rank;
    cm_buffer_printf(text,
                     "{\"format\": \"cm200-workload/1\", \"nodes\": %u, \"arrays\": {\"a\": "
                     "{\"type\": \"%s\", \"shape\": [",
                     CM_VALIDATE_NODES, experiment->type);
    for (uint32_t a = 0; a < rank; a++)
        cm_buffer_printf(text, "%s%" PRIu64, a > 0 ? ", " : "",
                         (uint64_t)grid[rank - 2][a] << size);
    cm_buffer_printf(text, "]}, \"b\": {\"like\": \"a\"}}, \"steps\": [{\"stencil\": {\"dst\": "
                           "\"b\", \"terms\": [");
    for (uint32_t i = 0; i < star_points(experiment); i++) {
        const uint32_t axis = i == 0 ? 0 : (i - 1) / 2 % rank;
        const int distance = i == 0 ? 0 : (int)((i - 1) / (2 * rank)) + 1;
        cm_buffer_printf(text, "%s[%.2f, \"a\", [", i > 0 ? ", " : "", 0.5 + distance);
        for (uint32_t a = 0; a < rank; a++)
            cm_buffer_printf(text, "%s%d", a > 0 ? ", " : "",
                             a != axis    ? 0
                             : i % 2 == 0 ? distance
                                          : -distance);
        cm_buffer_printf(text, "]]");
    }
    cm_buffer_printf(text, "]}}]}");
}

static void star_size(const struct experiment *experiment, uint32_t size, char *text, size_t room)
{
    snprintf(text, room, "%" PRIu64 "^%" PRIu32 " points a node", UINT64_C(1) << size,
             experiment->rank);
}

static double star_gflops(const struct experiment *experiment, uint32_t size,
                          const struct cm_result *result)
{
    const double points = CM_VALIDATE_NODES * ldexp(1, (int)(experiment->rank * size));
    const double seconds = (double)result->total.cycles / (double)result->clock_hz;
    return points * (2 * star_points(experiment) - 1) / seconds * 1e-9;
}

#define FFT(...) .write = write_fft, .size_text = fft_size, __VA_ARGS__
#define QCD(...) .write = write_shifts, .size_text = lattice_size, .type = "real32", __VA_ARGS__
#define ALLTOALL(...)                                                                              \
    .write = write_alltoall, .size_text = block_size, .first = 0, .last = 1, __VA_ARGS__
#define PRODUCT(...) .write = write_product, .size_text = product_size, __VA_ARGS__
#define STAR(...)    .write = write_star, .size_text = star_size, .type = "real32", __VA_ARGS__
#define RATES(fact, code, judged)                                                                  \
    {fact, code "without reordering", fft_gflops, NULL, false, judged},                            \
    {                                                                                              \
        fact, code "in natural order", fft_reordered_gflops, NULL, false, false                    \
    }
/* log2 of the number of points. This is our choice, because the abstract names no size */
#define CHOSEN_1D 24
#define QCD_REMARK                                                                                 \
    "communication alone, and the lattice is not published; docs/programs/qcd.md has the whole "   \
    "kernels"

#define STAR_REMARK                                                                                \
    "one sweep, without input, output and the step in time; counts a multiplication a point and "  \
    "their sum"

static const struct experiment experiments[] = {
    {FFT(.type = "complex64", .rank = 1, .local = true, .first = 4, .last = 16),
     .outputs = {RATES("fft-local-32", "", true)}},
    {FFT(.type = "complex128", .rank = 1, .local = true, .first = 4, .last = 16),
     .outputs = {RATES("fft-local-64", "", true)}},
    {FFT(.type = "complex64", .rank = 1, .first = 18, .last = 27, .chosen = CHOSEN_1D),
     .outputs = {RATES("fft-1d-32", "binary code, ", true),
                 {"fft-twiddles", "complex64, one axis", fft_factors,
                  "ours count signs and room for the pipeline too", false, true}}},
    {FFT(.type = "complex128", .rank = 1, .first = 18, .last = 27, .chosen = CHOSEN_1D),
     .outputs = {RATES("fft-1d-64", "binary code, ", true)}},
    {FFT(.type = "complex64", .rank = 1, .gray = true, .first = 18, .last = 24,
         .chosen = CHOSEN_1D),
     .outputs = {RATES("fft-1d-32", "Gray code, ", false)}},
    {FFT(.type = "complex128", .rank = 1, .gray = true, .first = 18, .last = 24,
         .chosen = CHOSEN_1D),
     .outputs = {RATES("fft-1d-64", "Gray code, ", false)}},
    {FFT(.type = "complex64", .rank = 2, .first = 9, .last = 13),
     .outputs = {RATES("fft-2d-32", "binary code, ", true),
                 {"fft-motion", "complex64, two axes, binary code", fft_motion, NULL, false,
                  true}}},
    {FFT(.type = "complex64", .rank = 2, .gray = true, .first = 9, .last = 13),
     .outputs = {RATES("fft-2d-32", "Gray code, ", false),
                 {"fft-motion", "complex64, two axes, Gray code", fft_motion, NULL, false, false}}},
    {FFT(.type = "complex128", .rank = 3, .first = 5, .last = 9),
     .outputs = {RATES("fft-3d-64", "binary code, ", true),
                 {"fft-motion", "complex128, three axes, binary code", fft_motion, NULL, false,
                  true}}},
    {FFT(.type = "complex128", .rank = 3, .gray = true, .first = 5, .last = 9),
     .outputs = {RATES("fft-3d-64", "Gray code, ", false),
                 {"fft-motion", "complex128, three axes, Gray code", fft_motion, NULL, false,
                  false}}},
    {ALLTOALL(.step = "hamiltonian", .order = "arrival"),
     .outputs = {{"a2a-broadcast", "Hamiltonian cycles", alltoall_gbytes, NULL, false, true}}},
    {ALLTOALL(.step = "hamiltonian", .order = "departure"),
     .outputs = {{"a2a-broadcast", "Hamiltonian cycles, by departure", alltoall_gbytes, NULL, false,
                  false}}},
    {ALLTOALL(.step = "gray", .order = "arrival"),
     .outputs = {{"a2a-broadcast", "rotated Gray code", alltoall_gbytes, NULL, false, false}}},
    {ALLTOALL(.step = "hamiltonian", .order = "source"),
     .outputs = {{"a2a-broadcast-reorder", "Hamiltonian cycles", alltoall_gbytes, NULL, false,
                  true}}},
    {ALLTOALL(.step = "gray", .order = "source"),
     .outputs = {{"a2a-broadcast-reorder", "rotated Gray code", alltoall_gbytes, NULL, false,
                  false}}},
    {QCD(.step = "cshift", .first = 1, .last = 3),
     .outputs = {{"qcd-before", "figure 6's shifts by eight CSHIFTs", shifts_gflops, QCD_REMARK,
                  true, false}}},
    {QCD(.step = "pshift", .first = 1, .last = 3),
     .outputs = {{"qcd-after", "figure 6's shifts by one PSHIFT", shifts_gflops, QCD_REMARK, true,
                  false}}},
    {PRODUCT(.type = "real32", .local = true, .step = "auto", .first = 3, .last = 7),
     .outputs = {{"matmul-local", "real32", product_gflops, NULL, false, true}}},
    {PRODUCT(.type = "real64", .local = true, .step = "auto", .first = 3, .last = 7),
     .outputs = {{"matmul-local", "real64", product_gflops, NULL, false, false}}},
    {PRODUCT(.type = "real32", .step = "cannon", .first = 8, .last = 12),
     .outputs = {{"matmul-whole", "Cannon's algorithm, real32", product_gflops, NULL, false,
                  true}}},
    {PRODUCT(.type = "real64", .step = "cannon", .first = 8, .last = 12),
     .outputs = {{"matmul-whole", "Cannon's algorithm, real64", product_gflops, NULL, false,
                  false}}},
    {PRODUCT(.type = "real32", .step = "broadcast", .first = 8, .last = 12),
     .outputs = {{"matmul-whole", "broadcast of panels, real32", product_gflops, NULL, false,
                  false}}},
    {STAR(.rank = 2, .reach = 1, .first = 4, .last = 8),
     .outputs = {{"seismic", "star of 5 points", star_gflops, STAR_REMARK, true, false}}},
    {STAR(.rank = 2, .reach = 2, .first = 4, .last = 8),
     .outputs = {{"seismic", "star of 9 points", star_gflops, NULL, true, false}}},
    {STAR(.rank = 3, .reach = 1, .first = 3, .last = 6),
     .outputs = {{"seismic", "star of 7 points, three axes", star_gflops, NULL, true, false}}},
    {STAR(.rank = 3, .reach = 2, .first = 3, .last = 6),
     .outputs = {{"seismic", "star of 13 points, three axes", star_gflops, NULL, true, false}}},
};

static const struct {
    const char *fact, *reason;
} missing[] = {
    {"a2a-speedup", "is a range, and the sizes and the other algorithms are not published; the "
                    "manual compares ours"},
    {"shallow-64", "needs data, and the size is not published; validate --held-out has a program "
                   "in programs/validation/held-out.json"},
    {"shallow-32", "needs data, and the size is not published; our program computes in 64 bits"},
    {"linpack", "needs data, and the size is not published; research/linpack.md has a program, its "
                "rates and what they tend to"},
    {"fpu-grain", "is a mechanism and not a time; research/fpu-grain.md has predictions with it"},
    {"sort-sample", "depends on the keys, and is not run without data; the manual has its cycles"},
};

const char *cm_application_missing(const struct cm_published_fact *fact)
{
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (strcmp(missing[i].fact, fact->id) == 0)
            return missing[i].reason;
    return NULL;
}

static const struct cm_published_fact *find_fact(const char *id)
{
    const struct cm_published_fact *fact = NULL;
    for (uint32_t i = 0; (fact = cm_published_fact_at(i)) != NULL; i++)
        if (strcmp(fact->id, id) == 0)
            break;
    return fact;
}

/* Returns the published value of a fact: a number, or the value of the only published formula. */
static double published_value(const struct cm_published_fact *fact, uint32_t size)
{
    if (strcmp(fact->value, "P/2N+log2(N)") != 0)
        return strtod(fact->value, NULL);
    return ldexp(1, (int)size) / (2.0 * CM_VALIDATE_NODES) + log2(CM_VALIDATE_NODES);
}

/* Copies a machine's description. Sets the CM-2's clock if the facts are about a CM-2. */
static enum cm_status config_of(const struct cm_applications *applications, uint32_t machine,
                                const struct experiment *experiment, struct cm_config *config,
                                struct cm_error *err)
{
    struct cm_config cm2;
    *config = applications->machines[machine];
    if (strcmp(find_fact(experiment->outputs[0].fact)->machine, "CM-2") != 0)
        return CM_OK;
    enum cm_status status = cm_config_read("cm2", &cm2, err);
    config->clock_hz = cm2.clock_hz;
    return status;
}

/* Runs an experiment at one size, and stores one number for each output. The outputs belong to the
 * forms after the first `form_count` ones. */
static enum cm_status run_point(const struct cm_validate_options *options,
                                struct cm_applications *applications, uint32_t machine,
                                const struct experiment *experiment, uint32_t size,
                                struct cm_error *err)
{
    struct cm_application_form *forms = &applications->forms[applications->form_count];
    struct cm_config config;
    struct cm_buffer text;
    struct cm_validate_job job = {NULL, NULL};
    const struct cm_run_options how = {
        .config = &config, .threads = options->threads, .timing_only = true};
    cm_buffer_init(&text);
    experiment->write(experiment, size, &text);
    enum cm_status status = config_of(applications, machine, experiment, &config, err);
    if (status == CM_OK)
        status = cm_validate_job_begin(&text, &how, &job, err);
    if (status == CM_OK)
        status = cm_validate_job_execute(options, &job, err);
    for (uint32_t i = 0; status == CM_OK && i < OUTPUTS_MAX && experiment->outputs[i].fact; i++) {
        struct cm_application_point *point = &forms[i].points[size - experiment->first];
        experiment->size_text(experiment, size, point->size, sizeof point->size);
        point->published = published_value(forms[i].fact, size);
        point->simulated[machine] =
            experiment->outputs[i].measure(experiment, size, cm_run_result(job.run));
    }
    cm_validate_job_end(&job);
    cm_buffer_finish(&text);
    return status;
}

/* Puts the name of the failed kernel first in the error message, and drops the place and the hints,
 * which are about a generated workload. */
static enum cm_status name_point(const struct experiment *experiment, uint32_t size,
                                 enum cm_status status, struct cm_error *err)
{
    if (status == CM_OK || status == CM_INTERRUPTED || err == NULL)
        return status;
    struct cm_error inner = *err;
    char text[32];
    experiment->size_text(experiment, size, text, sizeof text);
    cm_error_set(err, status, "%s, %s: %s", experiment->outputs[0].fact, text, inner.message);
    return status != CM_BAD_INPUT
               ? status
               : cm_error_hint(err, "the kernels are as published; the machine must hold them: see "
                                    "memory.words and sequencer.sram_words");
}

/* Chooses the point that represents the form: the point of the chosen size, or the point with the
 * largest rate on the caller's machine. */
static void choose(const struct experiment *experiment, struct cm_application_form *form)
{
    form->chosen = experiment->chosen != 0 ? experiment->chosen - experiment->first : 0;
    form->chosen_for =
        experiment->chosen != 0 ? "our choice of size" : "the largest rate of all sizes";
    for (uint32_t i = 0; experiment->chosen == 0 && i < form->point_count; i++)
        if (form->points[i].simulated[CM_APPLICATION_GIVEN] >
            form->points[form->chosen].simulated[CM_APPLICATION_GIVEN])
            form->chosen = i;
}

static enum cm_status run_experiment(const struct cm_validate_options *options,
                                     struct cm_applications *applications,
                                     const struct experiment *experiment, struct cm_error *err)
{
    struct cm_application_form *forms = &applications->forms[applications->form_count];
    enum cm_status status = CM_OK;
    uint32_t count = 0;
    for (; count < OUTPUTS_MAX && experiment->outputs[count].fact != NULL; count++) {
        const struct output *output = &experiment->outputs[count];
        forms[count] = (struct cm_application_form){
            .fact = find_fact(output->fact),
            .name = output->form,
            .remark = output->remark,
            .bound = output->bound,
            .judged = output->judged,
            .point_count = experiment->last - experiment->first + 1,
        };
    }
    for (uint32_t size = experiment->first; size <= experiment->last; size++)
        for (uint32_t machine = 0; status == CM_OK && machine < CM_APPLICATION_MACHINES; machine++)
            status =
                name_point(experiment, size,
                           run_point(options, applications, machine, experiment, size, err), err);
    for (uint32_t i = 0; i < count; i++)
        choose(experiment, &forms[i]);
    applications->form_count += count;
    return status;
}

enum cm_status cm_applications_run(const struct cm_validate_options *options,
                                   struct cm_applications *applications, struct cm_error *err)
{
    const uint32_t count = sizeof experiments / sizeof *experiments;
    double began = cm_validate_now_seconds();
    memset(applications, 0, sizeof *applications);
    applications->machines[CM_APPLICATION_GIVEN] = *options->config;
    enum cm_status status = cm_validate_check_nodes(options->config, err);
    if (status == CM_OK)
        status = cm_config_read("cm200-first-fit",
                                &applications->machines[CM_APPLICATION_FIRST_FIT], err);
    for (uint32_t i = 0; status == CM_OK && i < count; i++) {
        status = run_experiment(options, applications, &experiments[i], err);
        if (options->progress != NULL)
            options->progress(options->context, i + 1, count);
    }
    applications->wall_seconds = cm_validate_now_seconds() - began;
    return status;
}
