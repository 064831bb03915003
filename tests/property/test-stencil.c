/*
 * Random stencils on the machine, compiled and by shifts, judged by an oracle of their own: every
 * bit of every result, and the same cycles without data. Prints TAP.
 *
 *   property stencil [--machine FILE] [--cases N] [--seed S]
 */
#include "../../programs/stencil/stencil_shifts.h"
#include "../harness/program.h"
#include "../harness/tap.h"
#include "random.h"
#include "stencil_oracle.h"

#define ARRAYS_MAX   16u
#define ELEMENTS_MAX 32768u

/* One case: what is computed, and the host's copy of everything in it. */
struct scene {
    uint32_t nodes;
    struct cm_layout layout;
    struct cm_stencil_pattern pattern;
    uint32_t sources, arrays, scalars;
    struct cm_layout boundary_layouts[CM_STENCIL_RANK_MAX];
    struct cm_scalar scalar[CM_STENCIL_SCALARS_MAX];
    struct cm_scalar boundary[CM_STENCIL_RANK_MAX];
    /* sources, then arrays of coefficients, then a boundary for each axis */
    unsigned char *host[ARRAYS_MAX];
    unsigned char scalar_bytes[CM_STENCIL_SCALARS_MAX][16];
    unsigned char boundary_bytes[CM_STENCIL_RANK_MAX][16];
    unsigned char *expected;
};

struct tally {
    uint32_t compiled, by_shifts, too_large, with_boundary, boundary_arrays, with_corners,
        two_sources, by_array;
    uint32_t by_type[CM_TYPE_COUNT];
    uint32_t by_rank[CM_STENCIL_RANK_MAX + 1];
    uint32_t largest; /* machine */
};

/* A number that the type has: its bytes at `to`, and the scalar of the front end. */
static struct cm_scalar draw_number(struct cm_random *random, enum cm_type type, unsigned char *to)
{
    double parts[2] = {0};
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] = (double)cm_random_range(random, -1000000, 1000000);
        if (type != CM_TYPE_INT32)
            parts[i] /= 1 + cm_random_below(random, 1000);
    }
    if (type == CM_TYPE_INT32) {
        int32_t number = (int32_t)parts[0];
        memcpy(to, &number, sizeof number);
    } else if (type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64) {
        float numbers[2] = {(float)parts[0], (float)parts[1]};
        memcpy(to, numbers, cm_type_host_bytes(type));
    } else {
        memcpy(to, parts, cm_type_host_bytes(type));
    }
    return cm_scalar_make(type, parts[0], parts[1]);
}

static unsigned char *draw_elements(struct cm_random *random, enum cm_type type, uint64_t count)
{
    uint32_t bytes = cm_type_host_bytes(type);
    unsigned char *elements = malloc(count * bytes);
    for (uint64_t e = 0; elements && e < count; e++)
        draw_number(random, type, elements + e * bytes);
    return elements;
}

static bool draw_layout(struct cm_random *random, struct scene *scene)
{
    static const enum cm_type types[] = {CM_TYPE_REAL32, CM_TYPE_REAL64, CM_TYPE_COMPLEX64,
                                         CM_TYPE_COMPLEX128, CM_TYPE_INT32};
    struct cm_layout_request request = {.type = types[cm_random_below(random, 5)]};
    uint32_t bits = cm_random_below(random, 12);
    uint64_t room = ELEMENTS_MAX;
    scene->nodes = UINT32_C(1) << bits;
    request.rank = 1 + cm_random_below(random, CM_STENCIL_RANK_MAX);
    for (uint32_t a = 0; a < request.rank; a++) {
        uint32_t share = a + 1 == request.rank ? bits : cm_random_below(random, bits + 1);
        uint64_t length = (uint64_t)cm_random_range(random, 1, request.rank == 1 ? 48 : 12);
        bits -= share;
        while (length > 1 && (length << share) > room)
            length /= 2;
        request.shape[a] = length << share;
        if (cm_random_chance(random, 8) && request.shape[a] > 2)
            request.shape[a]--;
        room = room / request.shape[a] > 0 ? room / request.shape[a] : 1;
        request.weights[a] = 1 + cm_random_below(random, 3);
        request.orders[a] = CM_ORDER_NEWS;
        if (cm_random_chance(random, 6))
            request.orders[a] = (enum cm_order)cm_random_below(random, CM_ORDER_COUNT);
    }
    return cm_layout_create(&request, scene->nodes, &scene->layout, NULL) == CM_OK &&
           scene->layout.local_elements <= 65536;
}

static void draw_term(struct cm_random *random, struct scene *scene, bool star,
                      struct cm_stencil_term *term)
{
    uint32_t only = cm_random_below(random, scene->layout.rank);
    memset(term, 0, sizeof *term);
    term->source = cm_random_below(random, scene->sources);
    for (uint32_t a = 0; a < scene->layout.rank; a++) {
        int64_t local = (int64_t)scene->layout.axes[a].local_length;
        int64_t reach = local < 2 ? local : 2;
        if (cm_random_chance(random, 10))
            reach = local;
        if (cm_random_chance(random, 2))
            reach = 2 * local + 1;
        if (!star || a == only)
            term->offset[a] = cm_random_range(random, -reach, reach);
    }
    term->by_array = scene->arrays > 0 && cm_random_chance(random, 40);
    term->coefficient = cm_random_below(random, term->by_array ? scene->arrays : scene->scalars);
}

static void draw_boundaries(struct cm_random *random, struct scene *scene)
{
    bool circular = cm_random_chance(random, 40);
    for (uint32_t a = 0; a < scene->layout.rank; a++) {
        enum cm_shift_type type = CM_SHIFT_CSHIFT;
        if (!circular && cm_random_chance(random, 70))
            type = (enum cm_shift_type)cm_random_below(random, CM_SHIFT_TYPE_COUNT);
        if (type == CM_SHIFT_EOSHIFT_ARRAY &&
            (scene->layout.rank == 1 || cm_random_chance(random, 70)))
            type = CM_SHIFT_EOSHIFT_SCALAR;
        scene->pattern.boundaries[a] = type;
        scene->boundary[a] = draw_number(random, scene->layout.type, scene->boundary_bytes[a]);
        if (type != CM_SHIFT_EOSHIFT_SCALAR && type != CM_SHIFT_EOSHIFT_ARRAY) {
            struct cm_scalar constant =
                cm_scalar_make(scene->layout.type, type == CM_SHIFT_EOSHIFT_1, 0);
            memcpy(scene->boundary_bytes[a], constant.words, 16);
        }
    }
}

/* The layout of a boundary array: the scene's without an axis. */
static void make_boundary_layout(struct scene *scene, uint32_t axis)
{
    struct cm_layout_request request = {.type = scene->layout.type};
    for (uint32_t a = 0; a < scene->layout.rank; a++) {
        if (a == axis)
            continue;
        request.shape[request.rank] = scene->layout.axes[a].length;
        request.weights[request.rank++] = 1;
    }
    if (cm_layout_create(&request, scene->nodes, &scene->boundary_layouts[axis], NULL) != CM_OK)
        abort();
}

static bool draw_arrays(struct cm_random *random, struct scene *scene)
{
    uint32_t axes = scene->sources + scene->arrays;
    bool good = true;
    for (uint32_t i = 0; i < axes; i++) {
        scene->host[i] = draw_elements(random, scene->layout.type, scene->layout.elements);
        good = good && scene->host[i];
    }
    for (uint32_t a = 0; a < scene->layout.rank; a++) {
        if (scene->pattern.boundaries[a] != CM_SHIFT_EOSHIFT_ARRAY)
            continue;
        make_boundary_layout(scene, a);
        scene->host[axes + a] =
            draw_elements(random, scene->layout.type, scene->boundary_layouts[a].elements);
        good = good && scene->host[axes + a];
    }
    for (uint32_t i = 0; i < scene->scalars; i++)
        scene->scalar[i] = draw_number(random, scene->layout.type, scene->scalar_bytes[i]);
    scene->expected = malloc(scene->layout.elements * cm_type_host_bytes(scene->layout.type));
    return good && scene->expected;
}

static bool draw_scene(struct cm_random *random, struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    while (!draw_layout(random, scene))
        continue;
    scene->sources = cm_random_chance(random, 60) ? 1 : 1 + cm_random_below(random, 3);
    scene->arrays = cm_random_chance(random, 60) ? 0 : 1 + cm_random_below(random, 2);
    scene->scalars = 1 + cm_random_below(random, 12);
    bool star = cm_random_chance(random, 50);
    scene->pattern.term_count = 1 + cm_random_below(random, cm_random_chance(random, 15) ? 40 : 10);
    for (uint32_t t = 0; t < scene->pattern.term_count; t++)
        draw_term(random, scene, star, &scene->pattern.terms[t]);
    draw_boundaries(random, scene);
    return draw_arrays(random, scene);
}

static void finish_scene(struct scene *scene)
{
    for (uint32_t i = 0; i < ARRAYS_MAX; i++)
        free(scene->host[i]);
    free(scene->expected);
}

static void expect(struct scene *scene)
{
    const struct cm_layout *layout = &scene->layout;
    struct oracle_stencil oracle = {.rank = layout->rank,
                                    .parts = cm_type_components(layout->type),
                                    .count = scene->pattern.term_count};
    bool narrow = layout->slices == cm_type_components(layout->type);
    oracle.number = layout->type == CM_TYPE_INT32 ? ORACLE_INT
                    : narrow                      ? ORACLE_FLOAT
                                                  : ORACLE_DOUBLE;
    for (uint32_t a = 0; a < layout->rank; a++) {
        enum cm_shift_type type = scene->pattern.boundaries[a];
        oracle.shape[a] = (int64_t)layout->axes[a].length;
        oracle.circular[a] = type == CM_SHIFT_CSHIFT;
        oracle.boundary_is_array[a] = type == CM_SHIFT_EOSHIFT_ARRAY;
        oracle.boundary[a] = scene->boundary_bytes[a];
        if (oracle.boundary_is_array[a])
            oracle.boundary[a] = scene->host[scene->sources + scene->arrays + a];
    }
    for (uint32_t t = 0; t < oracle.count; t++) {
        const struct cm_stencil_term *from = &scene->pattern.terms[t];
        struct oracle_term *term = &oracle.terms[t];
        term->source = scene->host[from->source];
        memcpy(term->offset, from->offset, sizeof term->offset);
        term->by_array = from->by_array;
        term->coefficient = from->by_array ? scene->host[scene->sources + from->coefficient]
                                           : scene->scalar_bytes[from->coefficient];
    }
    oracle_stencil(&oracle, scene->expected);
}

/* The scene on a machine. */
struct stage {
    struct cm_system *system;
    struct cm_array *arrays[ARRAYS_MAX];
    struct cm_array *dst;
    struct cm_stencil_arguments arguments;
};

static enum cm_status lay_array(struct stage *stage, const struct scene *scene, uint32_t i,
                                const struct cm_layout *layout, struct cm_error *err)
{
    enum cm_status status = cm_array_create(stage->system, "x", layout, &stage->arrays[i], err);
    return status == CM_OK ? cm_array_scatter(stage->system, stage->arrays[i], scene->host[i], err)
                           : status;
}

static enum cm_status lay_stage(const struct cm_config *config, const struct scene *scene,
                                bool timing_only, struct stage *stage, struct cm_error *err)
{
    struct cm_machine_options options = {
        .nodes = scene->nodes, .threads = 1, .timing_only = timing_only};
    struct cm_stencil_arguments *arguments = &stage->arguments;
    uint32_t axes = scene->sources + scene->arrays;
    memset(stage, 0, sizeof *stage);
    enum cm_status status = cm_system_create(config, &options, &stage->system, err);
    for (uint32_t i = 0; status == CM_OK && i < axes; i++) {
        status = lay_array(stage, scene, i, &scene->layout, err);
        if (i < scene->sources)
            arguments->sources[i] = stage->arrays[i];
        else
            arguments->coefficients[i - scene->sources] = stage->arrays[i];
    }
    for (uint32_t a = 0; status == CM_OK && a < scene->layout.rank; a++) {
        arguments->boundaries[a] = scene->boundary[a];
        if (scene->pattern.boundaries[a] != CM_SHIFT_EOSHIFT_ARRAY)
            continue;
        status = lay_array(stage, scene, axes + a, &scene->boundary_layouts[a], err);
        arguments->boundary_arrays[a] = stage->arrays[axes + a];
    }
    if (status == CM_OK)
        status = cm_array_create(stage->system, "dst", &scene->layout, &stage->dst, err);
    memcpy(arguments->scalars, scene->scalar, sizeof scene->scalar);
    arguments->dst = stage->dst;
    return status;
}

static void strike(struct stage *stage)
{
    for (uint32_t i = 0; i < ARRAYS_MAX; i++)
        cm_array_destroy(stage->system, stage->arrays[i]);
    cm_array_destroy(stage->system, stage->dst);
    cm_system_destroy(stage->system);
}

struct outcome {
    uint64_t cycles;
    struct cm_stencil_info info; /* of compiled ones */
};

/* Makes the setup, calls it twice with the same arrays (the second reuses what the first left), and
 * frees it. */
static enum cm_status play(const struct scene *scene, struct stage *stage, bool compiled,
                           struct outcome *outcome, struct cm_error *err)
{
    struct cm_stencil *stencil = NULL;
    struct cm_stencil_shifts *shifts = NULL;
    const struct cm_stencil_arguments *arguments = &stage->arguments;
    struct cm_system *system = stage->system;
    enum cm_status status =
        compiled ? cm_stencil_setup(system, &scene->layout, &scene->pattern, &stencil, err)
                 : cm_stencil_shifts_setup(system, &scene->layout, &scene->pattern,
                                           scene->nodes % 3 == 1 ? CM_STENCIL_BY_PSHIFT
                                                                 : CM_STENCIL_BY_CSHIFT,
                                           &shifts, err);
    if (status == CM_OK)
        status = compiled ? cm_stencil_prepare(system, stencil, arguments, err)
                          : cm_stencil_shifts_prepare(system, shifts, arguments, err);
    for (int call = 0; status == CM_OK && call < 2; call++)
        status = compiled ? cm_stencil_call(system, stencil, arguments, err)
                          : cm_stencil_shifts_call(system, shifts, arguments, err);
    outcome->cycles = cm_machine_counters(cm_system_machine(system)).cycles;
    if (stencil)
        cm_stencil_info(stencil, &outcome->info);
    cm_stencil_deallocate(system, stencil);
    cm_stencil_shifts_deallocate(system, shifts);
    return status;
}

static void describe(const struct scene *scene)
{
    printf("# %s on %" PRIu32 " nodes, rank %" PRIu32 ":", cm_type_name(scene->layout.type),
           scene->nodes, scene->layout.rank);
    for (uint32_t a = 0; a < scene->layout.rank; a++)
        printf(" %" PRIu64 " (%s, %" PRIu64 " a node, %s)", scene->layout.axes[a].length,
               cm_order_name(scene->layout.axes[a].order), scene->layout.axes[a].local_length,
               cm_shift_type_name(scene->pattern.boundaries[a]));
    for (uint32_t t = 0; t < scene->pattern.term_count; t++) {
        const struct cm_stencil_term *term = &scene->pattern.terms[t];
        printf("\n#   %s%" PRIu32 " * source %" PRIu32 " at", term->by_array ? "array " : "",
               term->coefficient, term->source);
        for (uint32_t a = 0; a < scene->layout.rank; a++)
            printf(" %" PRId64, term->offset[a]);
    }
    printf("\n");
}

/* Whether each element of a halo has come over one channel, once in each of the two calls, and no
 * others have. Not where boundary values alone fill halos, which take no channel. */
static bool sent_once(const struct scene *scene, const struct stage *stage,
                      const struct cm_stencil_info *info)
{
    uint64_t sent = cm_machine_counters(cm_system_machine(stage->system)).words_sent;
    uint64_t halos = 2 * info->halo_words * scene->nodes;
    bool alone = false;
    for (uint32_t a = 0; a < scene->layout.rank; a++) {
        enum cm_shift_type type = scene->pattern.boundaries[a];
        if (type == CM_SHIFT_EOSHIFT_ARRAY && scene->layout.rank > 1)
            return true; /* the boundary's elements are sent, too */
        alone = alone || (scene->layout.axes[a].node_bits == 0 && type != CM_SHIFT_CSHIFT);
    }
    return alone ? sent <= halos : sent == halos;
}

/* The scene with data; NULL, or what is wrong. */
static const char *try_data(const struct cm_config *config, const struct scene *scene,
                            bool compiled, struct outcome *outcome, struct cm_error *err)
{
    struct stage stage;
    const char *wrong = NULL;
    size_t bytes = scene->layout.elements * cm_type_host_bytes(scene->layout.type);
    unsigned char *found = calloc(1, bytes);
    if (!found)
        return "out of memory";
    if (lay_stage(config, scene, false, &stage, err) != CM_OK ||
        play(scene, &stage, compiled, outcome, err) != CM_OK ||
        cm_array_gather(stage.system, stage.dst, found, err) != CM_OK)
        wrong = "refused";
    else if (memcmp(found, scene->expected, bytes) != 0)
        wrong = "other results";
    else if (compiled && !sent_once(scene, &stage, &outcome->info))
        wrong = "an element of a halo is not sent once";
    strike(&stage);
    free(found);
    return wrong;
}

/* One way to compute the scene, with data and without. */
static const char *try_way(const struct cm_config *config, const struct scene *scene, bool compiled,
                           struct cm_error *err)
{
    struct stage stage;
    struct outcome moved = {0}, counted = {0};
    const char *wrong = try_data(config, scene, compiled, &moved, err);
    if (wrong)
        return wrong;
    if (lay_stage(config, scene, true, &stage, err) != CM_OK ||
        play(scene, &stage, compiled, &counted, err) != CM_OK)
        wrong = "refused without data";
    else if (counted.cycles != moved.cycles)
        wrong = "other cycles without data";
    strike(&stage);
    return wrong;
}

static void count_scene(const struct scene *scene, bool compiled, struct tally *tally)
{
    bool boundary = false, array = false, corners = false, by_array = false;
    for (uint32_t a = 0; a < scene->layout.rank; a++) {
        boundary = boundary || scene->pattern.boundaries[a] != CM_SHIFT_CSHIFT;
        array = array || scene->pattern.boundaries[a] == CM_SHIFT_EOSHIFT_ARRAY;
    }
    for (uint32_t t = 0; t < scene->pattern.term_count; t++) {
        uint32_t axes = 0;
        for (uint32_t a = 0; a < scene->layout.rank; a++)
            axes += scene->pattern.terms[t].offset[a] != 0;
        corners = corners || axes > 1;
        by_array = by_array || scene->pattern.terms[t].by_array;
    }
    tally->compiled += compiled;
    tally->by_shifts += !compiled;
    tally->by_type[scene->layout.type] += compiled;
    tally->by_rank[scene->layout.rank] += compiled;
    tally->with_boundary += compiled && boundary;
    tally->boundary_arrays += compiled && array;
    tally->with_corners += compiled && corners;
    tally->two_sources += compiled && scene->sources > 1;
    tally->by_array += compiled && by_array;
    if (compiled && tally->largest < scene->nodes)
        tally->largest = scene->nodes;
}

static bool test_random(const struct cm_config *config, uint64_t cases, uint64_t seed,
                        struct tally *tally)
{
    for (uint64_t n = 0; n < cases; n++) {
        struct cm_random random = cm_random_of_case(seed, n);
        struct cm_error err = {0};
        struct scene scene;
        if (!draw_scene(&random, &scene))
            return false;
        expect(&scene);
        bool compiled = !cm_stencil_refusal(&scene.layout, &scene.pattern);
        const char *wrong = compiled ? try_way(config, &scene, true, &err) : NULL;
        /* what docs/programs/stencil.md leaves to shifts, and only the compiler can see */
        if (wrong && (strstr(err.message, "does not fit the registers") ||
                      strstr(err.message, "does not fit the sequencer's SRAM"))) {
            tally->too_large++;
            compiled = false;
            wrong = NULL;
        }
        if (!wrong && (!compiled || cm_random_chance(&random, 20)))
            wrong = try_way(config, &scene, false, &err);
        count_scene(&scene, compiled, tally);
        if (wrong) {
            printf("# seed %" PRIu64 ", case %" PRIu64 ": %s: %s\n", seed, n, wrong, err.message);
            describe(&scene);
        }
        finish_scene(&scene);
        if (wrong)
            return false;
    }
    return true;
}

static void print_tally(const struct tally *tally)
{
    printf("# compiled %" PRIu32 ", by shifts %" PRIu32 " (%" PRIu32
           " too large); boundaries %" PRIu32 " (%" PRIu32 " with arrays), corners %" PRIu32
           ", several sources %" PRIu32 ", coefficient arrays %" PRIu32 ", up to %" PRIu32
           " nodes\n# by type:",
           tally->compiled, tally->by_shifts, tally->too_large, tally->with_boundary,
           tally->boundary_arrays, tally->with_corners, tally->two_sources, tally->by_array,
           tally->largest);
    for (uint32_t t = 0; t < CM_TYPE_COUNT; t++)
        printf(" %" PRIu32, tally->by_type[t]);
    printf("; by rank:");
    for (uint32_t r = 1; r <= CM_STENCIL_RANK_MAX; r++)
        printf(" %" PRIu32, tally->by_rank[r]);
    printf("\n");
}

/* A stencil of offsets up to `reach` on 64 nodes, counted: a box of all offsets, or a star. */
struct plain {
    int64_t reach;
    bool box;
    enum cm_type type;
    uint64_t n, m; /* about the subgrid's lengths; the layout says which */
    struct cm_stencil_info info;
    uint64_t sweep_cycles, call_cycles, pshift_cycles;
};

static void make_plain_pattern(const struct plain *plain, struct cm_stencil_pattern *pattern)
{
    memset(pattern, 0, sizeof *pattern);
    for (int64_t y = -plain->reach; y <= plain->reach; y++)
        for (int64_t x = -plain->reach; x <= plain->reach; x++) {
            if (!plain->box && x != 0 && y != 0)
                continue;
            pattern->terms[pattern->term_count] =
                (struct cm_stencil_term){.offset = {x, y}, .coefficient = pattern->term_count};
            pattern->term_count++;
        }
}

/* Cycles since the last question. */
static uint64_t lap(struct cm_system *system, uint64_t *before)
{
    uint64_t now = cm_machine_counters(cm_system_machine(system)).cycles, cycles = now - *before;
    *before = now;
    return cycles;
}

static enum cm_status count_calls(struct plain *plain, struct cm_system *system,
                                  const struct cm_layout *layout,
                                  const struct cm_stencil_arguments *arguments,
                                  struct cm_error *err)
{
    struct cm_stencil_pattern pattern;
    struct cm_stencil *stencil = NULL;
    struct cm_stencil_shifts *shifts = NULL;
    uint64_t before = 0;
    make_plain_pattern(plain, &pattern);
    enum cm_status status = cm_stencil_setup(system, layout, &pattern, &stencil, err);
    lap(system, &before);
    if (status == CM_OK)
        status = cm_stencil_call(system, stencil, arguments, err);
    plain->call_cycles = lap(system, &before);
    if (status == CM_OK)
        status = cm_stencil_sweep(system, stencil, arguments, err);
    plain->sweep_cycles = lap(system, &before);
    if (status == CM_OK)
        status =
            cm_stencil_shifts_setup(system, layout, &pattern, CM_STENCIL_BY_PSHIFT, &shifts, err);
    if (status == CM_OK)
        status = cm_stencil_shifts_call(system, shifts, arguments, err);
    plain->pshift_cycles = lap(system, &before);
    if (stencil)
        cm_stencil_info(stencil, &plain->info);
    cm_stencil_deallocate(system, stencil);
    cm_stencil_shifts_deallocate(system, shifts);
    return status;
}

static bool count_plain(const struct cm_config *config, struct plain *plain)
{
    struct cm_machine_options options = {.nodes = 64, .timing_only = true};
    struct cm_layout_request request = {
        .type = plain->type, .rank = 2, .shape = {plain->n * 8, plain->m * 8}, .weights = {1, 1}};
    struct cm_stencil_arguments arguments = {0};
    struct cm_layout layout;
    struct cm_system *system = NULL;
    struct cm_array *arrays[2] = {NULL, NULL};
    struct cm_error err = {0};
    enum cm_status status = cm_layout_create(&request, options.nodes, &layout, &err);
    if (status == CM_OK)
        status = cm_system_create(config, &options, &system, &err);
    for (uint32_t i = 0; status == CM_OK && i < 2; i++)
        status = cm_array_create(system, "x", &layout, &arrays[i], &err);
    arguments.sources[0] = arrays[0];
    arguments.dst = arrays[1];
    if (status == CM_OK)
        status = count_calls(plain, system, &layout, &arguments, &err);
    if (status != CM_OK)
        printf("# %s\n", err.message);
    for (uint32_t i = 0; i < 2; i++)
        cm_array_destroy(system, arrays[i]);
    cm_system_destroy(system);
    plain->n = layout.axes[0].local_length;
    plain->m = layout.axes[1].local_length;
    /* on an axis of two nodes both directions share a dimension */
    return status == CM_OK && layout.axes[0].node_bits > 1 && layout.axes[1].node_bits > 1;
}

/* Exchanges of a box and of a star: the longer face, then the corners. */
static bool test_exchanges(const struct cm_config *config)
{
    for (uint64_t n = 4; n <= 16; n += 6)
        for (uint64_t m = 4; m <= 16; m += 6)
            for (int64_t reach = 1; reach <= 3; reach++)
                for (int box = 0; box < 2; box++) {
                    uint64_t r = (uint64_t)reach;
                    struct plain plain = {
                        .reach = reach, .box = box, .type = CM_TYPE_REAL64, .n = n, .m = m};
                    bool counted = count_plain(config, &plain);
                    uint64_t expected =
                        r * (plain.n > plain.m ? plain.n : plain.m) + (box ? 2 * r * r : 0);
                    if (counted && plain.info.exchanges == expected)
                        continue;
                    printf("# %" PRIu64 " x %" PRIu64 ", reach %" PRId64 ": %" PRIu64
                           " exchanges, expected %" PRIu64 "\n",
                           plain.n, plain.m, reach, plain.info.exchanges, expected);
                    return false;
                }
    return true;
}

/* Five and nine points, as docs/programs/stencil.md has them. */
static bool test_cycles(const struct cm_config *config)
{
    bool good = true;
    for (int i = 0; i < 6; i++) {
        bool wide = i & 1, box = i / 2 == 1, large = i / 2 == 2;
        struct plain plain = {.reach = 1,
                              .box = box,
                              .type = wide ? CM_TYPE_REAL64 : CM_TYPE_REAL32,
                              .n = large ? 256 : 64,
                              .m = large ? 256 : 64};
        bool counted = count_plain(config, &plain);
        double bound = (double)plain.info.bound_cycles;
        double sweep = (double)plain.sweep_cycles / bound, call = (double)plain.call_cycles / bound;
        double faster = (double)plain.pshift_cycles / (double)plain.call_cycles;
        printf("# %s, %s, %" PRIu64 ": sweep %.2f, call %.2f of the bound; %.2f times faster\n",
               box ? "nine" : "five", cm_type_name(plain.type), plain.n, sweep, call, faster);
        good =
            good && counted && sweep <= 1.2 && faster >= (wide ? 4 : 3) && (!large || call <= 1.4);
    }
    return good;
}

CM_PROGRAM(stencil)
{
    struct cm_config config;
    struct tally tally = {0}, lesser_tally = {0};
    struct tap_options options = {.machine = TAP_MACHINE, .cases = 300, .seed = 1};
    tap_options_read(argc, argv, &options, NULL);
    tap_config_read(&options, &config);
    printf("1..4\n");
    tap_report(1, test_random(&config, options.cases, options.seed, &tally),
               "random stencils: every bit of every result, the same cycles without data");
    print_tally(&tally);
    struct cm_config lesser = config;
    lesser.network_channels_per_dimension = 1;
    lesser.sequencer_sram_words = 16384;
    lesser.sequencer_loop_depth = 4;
    lesser.memory_page_words = 64;
    tap_report(2, test_random(&lesser, options.cases / 5, options.seed + 1, &lesser_tally),
               "one channel a dimension, half the SRAM, four loops");
    print_tally(&lesser_tally);
    tap_report(3, test_exchanges(&config), "exchanges: r max(n, m), and 2 r r for the corners");
    tap_report(
        4, test_cycles(&config),
        "five and nine points: 1.2 times the bound, 1.4 with the exchange, faster than PSHIFT");
    return 0; /* TAP reports failures */
}
