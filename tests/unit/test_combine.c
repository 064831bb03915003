/* combine against a plain loop on the host, bit for bit: every type, padded and replicated layouts,
 * any number of terms. */
#include "layouts.h"
#include "machines.h"
#include "programs/elementwise/combine.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define ARRAYS_MAX 12u

/* ---- the plain loop ---- */

union element {
    float real32[2];
    double real64[2];
    int32_t int32;
    unsigned char bytes[16];
};

static union element element_at(const struct cm_layout *layout, const unsigned char *elements,
                                uint64_t number)
{
    union element e = {.bytes = {0}};
    size_t bytes = cm_type_host_bytes(layout->type);
    memcpy(e.bytes, elements + number * bytes, bytes);
    return e;
}

static union element scalar_element(enum cm_type type, const struct cm_scalar *scalar)
{
    union element e;
    memcpy(e.bytes, scalar->words, 16); /* right on hosts with the low word first */
    if (type == CM_TYPE_REAL64 || type == CM_TYPE_COMPLEX128)
        for (int i = 0; i < 2; i++) {
            uint64_t bits = (uint64_t)scalar->words[2 * i + 1] << 32 | scalar->words[2 * i];
            memcpy(&e.real64[i], &bits, 8);
        }
    return e;
}

/* One term added to *acc, or *acc = the term; no operation may be fused with another. */
static void add_term(enum cm_type type, union element *acc, union element k, union element x,
                     bool first)
{
    const volatile float rr = k.real32[0] * x.real32[0], ii = k.real32[1] * x.real32[1],
                         ri = k.real32[0] * x.real32[1], ir = k.real32[1] * x.real32[0];
    const volatile double drr = k.real64[0] * x.real64[0], dii = k.real64[1] * x.real64[1],
                          dri = k.real64[0] * x.real64[1], dir = k.real64[1] * x.real64[0];
    volatile float re, im;
    volatile double dre, dim;
    switch (type) {
    case CM_TYPE_REAL32:
        acc->real32[0] = first ? rr : acc->real32[0] + rr;
        break;
    case CM_TYPE_REAL64:
        acc->real64[0] = first ? drr : acc->real64[0] + drr;
        break;
    case CM_TYPE_COMPLEX64:
        re = rr - ii;
        im = ri + ir;
        acc->real32[0] = first ? re : acc->real32[0] + re;
        acc->real32[1] = first ? im : acc->real32[1] + im;
        break;
    case CM_TYPE_COMPLEX128:
        dre = drr - dii;
        dim = dri + dir;
        acc->real64[0] = first ? dre : acc->real64[0] + dre;
        acc->real64[1] = first ? dim : acc->real64[1] + dim;
        break;
    default: {
        uint32_t product = (uint32_t)k.int32 * (uint32_t)x.int32;
        acc->int32 = (int32_t)(first ? product : (uint32_t)acc->int32 + product);
    }
    }
}

/* ---- a case: arrays on a system with what they hold ---- */

struct scene {
    struct cm_system *system;
    struct cm_layout layout;
    uint32_t count;
    struct cm_array *arrays[ARRAYS_MAX];
    unsigned char *elements[ARRAYS_MAX];
    size_t bytes; /* of each */
};

/* Values of a few sizes, so that rounding shows; zeros of both signs. */
static double random_value(struct random_source *random)
{
    double value = (double)(int64_t)random_next(random) / 9223372036854775808.0;
    switch (random_below(random, 16)) {
    case 0:
        return 0;
    case 1:
        return -0.0;
    case 2:
        return value * 1e12;
    case 3:
        return value * 1e-12;
    default:
        return value * 8;
    }
}

static void fill(struct random_source *random, enum cm_type type, unsigned char *elements,
                 uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        double re = random_value(random), im = random_value(random);
        const float two_floats[2] = {(float)re, (float)im};
        const double two_doubles[2] = {re, im};
        const int32_t integer = (int32_t)random_next(random);
        size_t bytes = cm_type_host_bytes(type);
        if (type == CM_TYPE_INT32)
            memcpy(elements + i * bytes, &integer, bytes);
        else if (type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64)
            memcpy(elements + i * bytes, two_floats, bytes);
        else
            memcpy(elements + i * bytes, two_doubles, bytes);
    }
}

static struct scene scene_make(struct random_source *random, const struct cm_config *config,
                               const struct cm_layout *layout, uint32_t count)
{
    struct scene scene = {.system = system_of(config, layout->nodes, false),
                          .layout = *layout,
                          .count = count,
                          .bytes = layout->elements * cm_type_host_bytes(layout->type)};
    for (uint32_t i = 0; i < count; i++) {
        scene.elements[i] = malloc(scene.bytes);
        ck_assert_ptr_nonnull(scene.elements[i]);
        fill(random, layout->type, scene.elements[i], layout->elements);
        ck_assert_int_eq(cm_array_create(scene.system, "a", layout, &scene.arrays[i], NULL), CM_OK);
        ck_assert_int_eq(cm_array_scatter(scene.system, scene.arrays[i], scene.elements[i], NULL),
                         CM_OK);
    }
    return scene;
}

static void scene_end(struct scene *scene)
{
    for (uint32_t i = 0; i < scene->count; i++) {
        cm_array_destroy(scene->system, scene->arrays[i]);
        free(scene->elements[i]);
    }
    cm_system_destroy(scene->system);
}

static uint32_t array_number(const struct scene *scene, const struct cm_array *array)
{
    uint32_t i = 0;
    while (scene->arrays[i] != array)
        i++;
    return i;
}

static void plain_combine(struct scene *scene, uint32_t dst, const struct cm_term *terms,
                          uint32_t count)
{
    const struct cm_layout *layout = &scene->layout;
    const size_t bytes = cm_type_host_bytes(layout->type);
    for (uint64_t e = 0; e < layout->elements; e++) {
        union element acc = {.bytes = {0}};
        for (uint32_t t = 0; t < count; t++) {
            const struct cm_array *by = terms[t].coefficients;
            union element k = by ? element_at(layout, scene->elements[array_number(scene, by)], e)
                                 : scalar_element(layout->type, &terms[t].scalar);
            uint32_t x = array_number(scene, terms[t].array);
            add_term(layout->type, &acc, k, element_at(layout, scene->elements[x], e), t == 0);
        }
        memcpy(scene->elements[dst] + e * bytes, acc.bytes, bytes);
    }
}

/* What every node holds beside existing elements: zeros, as when the array was made. */
static void check_padding(const struct scene *scene, const struct cm_array *array)
{
    const struct cm_layout *layout = &array->layout;
    uint32_t nodes = layout->nodes;
    unsigned char *exists = calloc(layout->local_elements, nodes);
    uint32_t *plane = malloc(nodes * sizeof(*plane));
    ck_assert(exists && plane);
    for (uint64_t number = 0; number < layout->elements; number++) {
        uint64_t index[CM_RANK_MAX], local;
        uint32_t node;
        element_index(layout, number, index);
        cm_layout_place(layout, index, &node, &local);
        for (; node < nodes; node += UINT32_C(1) << layout->used_bits)
            exists[local * nodes + node] = 1;
    }
    for (uint64_t w = 0; w < layout->local_words; w++) {
        ck_assert_int_eq(cm_machine_read_plane(cm_system_machine(scene->system), array->address + w,
                                               plane, NULL),
                         CM_OK);
        for (uint32_t node = 0; node < nodes; node++)
            ck_assert(exists[w / layout->slices * nodes + node] || plane[node] == 0);
    }
    free(plane);
    free(exists);
}

/* Runs it on machine and host; all arrays must agree after it. */
static void check_combine(struct scene *scene, uint32_t dst, const struct cm_term *terms,
                          uint32_t count)
{
    struct cm_error err;
    unsigned char *back = malloc(scene->bytes);
    ck_assert_ptr_nonnull(back);
    uint64_t sram = cm_machine_sram_free(cm_system_machine(scene->system));
    ck_assert_msg(cm_combine(scene->system, scene->arrays[dst], terms, count, &err) == CM_OK, "%s",
                  err.message);
    ck_assert_uint_eq(cm_machine_sram_free(cm_system_machine(scene->system)), sram);
    plain_combine(scene, dst, terms, count);
    for (uint32_t i = 0; i < scene->count; i++) {
        ck_assert_int_eq(cm_array_gather(scene->system, scene->arrays[i], back, NULL), CM_OK);
        ck_assert_msg(memcmp(back, scene->elements[i], scene->bytes) == 0,
                      "%s, %" PRIu32 " terms, %" PRIu64 " local elements",
                      cm_type_name(scene->layout.type), count, scene->layout.local_elements);
    }
    check_padding(scene, scene->arrays[dst]);
    free(back);
}

static struct cm_layout layout_of(struct random_source *random, enum cm_type type, uint32_t nodes,
                                  uint64_t elements)
{
    struct cm_layout_request request = random_request(random, elements);
    struct cm_layout layout;
    request.type = type;
    ck_assert_int_eq(cm_layout_create(&request, nodes, &layout, NULL), CM_OK);
    return layout;
}

/* Terms over random arrays of the scene; `kinds` 0: scalars, 1: coefficient arrays, 2: both. */
static void random_terms(struct random_source *random, const struct scene *scene, uint32_t kinds,
                         struct cm_term *terms, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++) {
        bool by_array = kinds == 2 ? random_below(random, 2) : kinds;
        terms[t] = (struct cm_term){.array = scene->arrays[random_below(random, scene->count)]};
        if (by_array)
            terms[t].coefficients = scene->arrays[random_below(random, scene->count)];
        else if (t > 0 && random_below(random, 4) == 0)
            terms[t].scalar = terms[t - 1].scalar;
        else
            terms[t].scalar = cm_scalar_make(scene->layout.type, random_value(random) * 100,
                                             random_value(random));
    }
}

/* ---- the tests ---- */

static const enum cm_type numeric[] = {CM_TYPE_REAL32, CM_TYPE_REAL64, CM_TYPE_COMPLEX64,
                                       CM_TYPE_COMPLEX128, CM_TYPE_INT32};
#define NUMERIC_COUNT 5

START_TEST(equals_the_plain_loop_bit_for_bit)
{
    struct random_source random = random_begin(cm_type_name(numeric[_i]));
    struct cm_config config = cm200_config();
    for (int i = 0; i < 60; i++) {
        struct cm_term terms[CM_TERMS_MAX];
        uint32_t nodes = UINT32_C(1) << random_below(&random, 7);
        uint32_t count = 1 + random_below(&random, random_below(&random, 4) ? 6 : CM_TERMS_MAX);
        struct cm_layout layout = layout_of(&random, numeric[_i], nodes, 2000);
        struct scene scene = scene_make(&random, &config, &layout, 2 + random_below(&random, 4));
        random_terms(&random, &scene, random_below(&random, 3), terms, count);
        check_combine(&scene, random_below(&random, scene.count), terms, count);
        scene_end(&scene);
    }
}
END_TEST

/* More arrays than address registers and more scalars than FPU registers, with dst read last of
 * all. */
START_TEST(more_terms_than_registers)
{
    struct random_source random = random_begin("many terms");
    struct cm_config config = cm200_config();
    for (uint32_t kinds = 0; kinds < 3; kinds++) {
        struct cm_term terms[CM_TERMS_MAX];
        struct cm_layout layout = layout_of(&random, numeric[_i], 4, 500);
        struct scene scene = scene_make(&random, &config, &layout, ARRAYS_MAX);
        random_terms(&random, &scene, kinds, terms, CM_TERMS_MAX);
        terms[CM_TERMS_MAX - 1].array = scene.arrays[0];
        check_combine(&scene, 0, terms, CM_TERMS_MAX);
        scene_end(&scene);
    }
}
END_TEST

/* 129 arrays of one element a node, each holding another number: sum of c(k) x(k) + dst. */
START_TEST(an_array_for_every_operand)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 2, false);
    struct cm_layout_request request = {
        .type = CM_TYPE_INT32, .rank = 1, .shape = {2}, .weights = {1}};
    struct cm_layout layout;
    struct cm_array *arrays[2 * CM_TERMS_MAX];
    struct cm_term terms[CM_TERMS_MAX];
    int32_t expected[2] = {0, 0};
    ck_assert_int_eq(cm_layout_create(&request, 2, &layout, NULL), CM_OK);
    for (int32_t i = 0; i < (int32_t)(2 * CM_TERMS_MAX); i++) {
        const int32_t elements[2] = {i + 1, 7 - i};
        ck_assert_int_eq(cm_array_create(system, "a", &layout, &arrays[i], NULL), CM_OK);
        ck_assert_int_eq(cm_array_scatter(system, arrays[i], elements, NULL), CM_OK);
    }
    for (int32_t t = 0; t < (int32_t)CM_TERMS_MAX; t++) {
        int32_t u = 2 * t + 1;
        terms[t] = (struct cm_term){.array = arrays[2 * t], .coefficients = arrays[u]};
        expected[0] += (2 * t + 1) * (u + 1);
        expected[1] += (7 - 2 * t) * (7 - u);
    }
    int32_t sums[2];
    ck_assert_int_eq(cm_combine(system, arrays[127], terms, CM_TERMS_MAX, NULL), CM_OK);
    ck_assert_int_eq(cm_array_gather(system, arrays[127], sums, NULL), CM_OK);
    ck_assert_mem_eq(sums, expected, sizeof(sums));
    for (uint32_t i = 0; i < 2 * CM_TERMS_MAX; i++)
        cm_array_destroy(system, arrays[i]);
    cm_system_destroy(system);
}
END_TEST

static struct cm_layout padded_layout(enum cm_type type, uint32_t nodes, uint64_t length)
{
    struct cm_layout_request request = {.type = type, .rank = 1, .shape = {length}, .weights = {1}};
    struct cm_layout layout;
    ck_assert_int_eq(cm_layout_create(&request, nodes, &layout, NULL), CM_OK);
    return layout;
}

/* Subgrids around the 4 elements of a vector and the 32 of a word of the mask. */
START_TEST(every_subgrid_length)
{
    struct random_source random = random_begin("lengths");
    struct cm_config config = cm200_config();
    for (uint64_t local = 1; local <= 100; local += local < 10 ? 1 : 7)
        for (uint64_t missing = 0; missing < 2; missing++) {
            struct cm_term terms[3];
            struct cm_layout layout = padded_layout(numeric[_i], 4, 4 * local - missing);
            struct scene scene = scene_make(&random, &config, &layout, 3);
            random_terms(&random, &scene, 2, terms, 3);
            check_combine(&scene, 1, terms, 3);
            scene_end(&scene);
        }
}
END_TEST

START_TEST(small_sram_takes_it_in_pieces_with_the_same_result)
{
    const struct random_source begin = random_begin("pieces");
    struct cm_config config = cm200_config();
    uint64_t first = 0, last = 0;
    for (config.sequencer_sram_words = 4096; config.sequencer_sram_words >= 256;
         config.sequencer_sram_words /= 2) {
        struct random_source random = begin; /* the same terms each time */
        struct cm_term terms[8];
        struct cm_layout layout = padded_layout(CM_TYPE_REAL64, 8, 8 * 70 - 3);
        struct scene scene = scene_make(&random, &config, &layout, 4);
        random_terms(&random, &scene, 0, terms, 5);
        check_combine(&scene, 0, terms, 5);
        struct cm_counters counters = cm_machine_counters(cm_system_machine(scene.system));
        ck_assert_uint_ge(counters.instructions, last);
        ck_assert(config.sequencer_sram_words > 256 || counters.instructions > first);
        last = counters.instructions;
        first = first ? first : last;
        scene_end(&scene);
    }
}
END_TEST

START_TEST(what_fits_no_sram_is_refused_by_prepare_and_by_call)
{
    struct random_source random = random_begin("refusal");
    struct cm_config config = cm200_config();
    config.sequencer_sram_words = 40;
    struct cm_layout layout = padded_layout(CM_TYPE_COMPLEX128, 8, 100);
    struct scene scene = scene_make(&random, &config, &layout, 2);
    struct cm_term terms[4];
    struct cm_error err;
    random_terms(&random, &scene, 2, terms, 4);
    ck_assert_int_eq(cm_combine_prepare(scene.system, scene.arrays[0], terms, 4, &err),
                     CM_BAD_INPUT);
    ck_assert(err.message[0]);
    ck_assert_int_eq(cm_combine(scene.system, scene.arrays[0], terms, 4, &err), CM_BAD_INPUT);
    ck_assert_uint_eq(cm_machine_counters(cm_system_machine(scene.system)).cycles, 0);
    scene_end(&scene);
}
END_TEST

/* Timing alone gives the same cycles, prepare charges none, and a second call costs what the first
 * did. */
START_TEST(cycles_do_not_depend_on_data_or_preparation)
{
    struct random_source random = random_begin("cycles");
    struct cm_config config = cm200_config();
    config.memory_refresh_cycles = 0;
    for (int i = 0; i < 20; i++) {
        uint64_t cycles[2], again[2];
        struct cm_layout layout = layout_of(&random, numeric[_i], 16, 2000);
        uint64_t seed = random_next(&random);
        for (int timing = 0; timing < 2; timing++) {
            struct cm_system *system = system_of(&config, 16, timing == 1);
            struct cm_machine *machine = cm_system_machine(system);
            struct cm_array *a, *b;
            struct random_source same = {seed};
            ck_assert_int_eq(cm_array_create(system, "a", &layout, &a, NULL), CM_OK);
            ck_assert_int_eq(cm_array_create(system, "b", &layout, &b, NULL), CM_OK);
            struct scene scene = {.layout = layout, .count = 2, .arrays = {a, b}};
            struct cm_term terms[9];
            random_terms(&same, &scene, 2, terms, 9);
            ck_assert_int_eq(cm_combine_prepare(system, a, terms, 9, NULL), CM_OK);
            ck_assert_uint_eq(cm_machine_counters(machine).cycles, 0);
            ck_assert_int_eq(cm_combine(system, a, terms, 9, NULL), CM_OK);
            cycles[timing] = cm_machine_counters(machine).cycles;
            ck_assert_int_eq(cm_combine(system, a, terms, 9, NULL), CM_OK);
            again[timing] = cm_machine_counters(machine).cycles;
            cm_array_destroy(system, a);
            cm_array_destroy(system, b);
            cm_system_destroy(system);
        }
        ck_assert_uint_eq(cycles[0], cycles[1]);
        ck_assert_uint_eq(again[0], again[1]);
        ck_assert_uint_gt(cycles[0], 0);
    }
}
END_TEST

/* A sum of n products counts 2n - 1 flops an element, and loads each of its arrays once. */
START_TEST(counts_flops_loads_and_stores)
{
    struct random_source random = random_begin("counts");
    struct cm_config config = cm200_config();
    struct cm_layout layout = padded_layout(CM_TYPE_REAL64, 8, 8 * 64);
    struct scene scene = scene_make(&random, &config, &layout, 6);
    struct cm_term terms[5];
    random_terms(&random, &scene, 0, terms, 5);
    for (uint32_t t = 0; t < 5; t++)
        terms[t].array = scene.arrays[t % 4];
    check_combine(&scene, 0, terms, 5);
    struct cm_counters counters = cm_machine_counters(cm_system_machine(scene.system));
    ck_assert_uint_eq(counters.flops, 64 * 9);
    ck_assert_uint_eq(counters.loads, 64 * 4 * 2);
    ck_assert_uint_eq(counters.stores, 64 * 2);
    ck_assert_uint_eq(counters.exchanges, 0);
    scene_end(&scene);
}
END_TEST

START_TEST(a_27_point_sum_is_one_pass)
{
    struct random_source random = random_begin("27 points");
    struct cm_config config = cm200_config();
    struct cm_layout layout = padded_layout(CM_TYPE_REAL32, 8, 8 * 64);
    struct scene scene = scene_make(&random, &config, &layout, 6);
    struct cm_term terms[27];
    for (uint32_t t = 0; t < 27; t++)
        terms[t] = (struct cm_term){.array = scene.arrays[t % 6],
                                    .scalar = cm_scalar_make(CM_TYPE_REAL32, t + 1.5, 0)};
    check_combine(&scene, 0, terms, 27);
    ck_assert_uint_eq(cm_machine_counters(cm_system_machine(scene.system)).stores, 64);
    scene_end(&scene);
}
END_TEST

START_TEST(refuses_what_has_no_sum)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 8, false);
    struct cm_layout real = padded_layout(CM_TYPE_REAL64, 8, 64);
    struct cm_layout longer = padded_layout(CM_TYPE_REAL64, 8, 128);
    struct cm_layout logical = padded_layout(CM_TYPE_LOGICAL, 8, 64);
    struct cm_array *a, *b, *c;
    struct cm_error err;
    ck_assert_int_eq(cm_array_create(system, "a", &real, &a, NULL), CM_OK);
    ck_assert_int_eq(cm_array_create(system, "b", &longer, &b, NULL), CM_OK);
    ck_assert_int_eq(cm_array_create(system, "c", &logical, &c, NULL), CM_OK);
    struct cm_term term = {.array = a};
    ck_assert_int_eq(cm_combine(system, a, &term, 0, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "combine: 0 terms");
    ck_assert_int_eq(cm_combine(system, a, &term, 65, &err), CM_BAD_INPUT);
    ck_assert_int_eq(cm_combine(system, b, &term, 1, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "combine: array \"a\" of term 1 is not laid out as the "
                                  "destination \"b\"");
    term.coefficients = b;
    ck_assert_int_eq(cm_combine(system, a, &term, 1, &err), CM_BAD_INPUT);
    ck_assert(strstr(err.message, "coefficient array \"b\""));
    term = (struct cm_term){.array = c};
    ck_assert_int_eq(cm_combine(system, c, &term, 1, &err), CM_BAD_INPUT);
    ck_assert(strstr(err.message, "\"c\" is logical"));
    ck_assert_int_eq(cm_combine(system, NULL, &term, 1, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "combine: there is no destination");
    term = (struct cm_term){0};
    ck_assert_int_eq(cm_combine(system, a, &term, 1, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "combine: term 1 has no array");
    cm_array_destroy(system, a);
    cm_array_destroy(system, b);
    cm_array_destroy(system, c);
    cm_system_destroy(system);
}
END_TEST

CM_PROGRAM(test_combine)
{
    Suite *suite = suite_create("combine");
    TCase *tests = tcase_create("combine");
    tcase_add_loop_test(tests, equals_the_plain_loop_bit_for_bit, 0, NUMERIC_COUNT);
    tcase_add_loop_test(tests, more_terms_than_registers, 0, NUMERIC_COUNT);
    tcase_add_test(tests, an_array_for_every_operand);
    tcase_add_loop_test(tests, every_subgrid_length, 0, NUMERIC_COUNT);
    tcase_add_test(tests, small_sram_takes_it_in_pieces_with_the_same_result);
    tcase_add_test(tests, what_fits_no_sram_is_refused_by_prepare_and_by_call);
    tcase_add_loop_test(tests, cycles_do_not_depend_on_data_or_preparation, 0, NUMERIC_COUNT);
    tcase_add_test(tests, counts_flops_loads_and_stores);
    tcase_add_test(tests, a_27_point_sum_is_one_pass);
    tcase_add_test(tests, refuses_what_has_no_sum);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
