/* The front end's view of the machine: heap, cache, arrays, garbage mask, scalars. */
#include "layouts.h"
#include "machines.h"
#include "programs/pshift/shift.h"
#include "programs/system/compiled_imps.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define CASES 200

/* ---- heap: against a map with a flag a word ---- */

#define HEAP_WORDS 1500u
#define HEAP_BASE  70u

struct flags {
    bool taken[HEAP_WORDS];
};

static bool range_free(const struct flags *flags, uint64_t first, uint64_t words)
{
    for (uint64_t w = first; w < first + words; w++)
        if (w >= HEAP_WORDS || flags->taken[w])
            return false;
    return true;
}

/* The lowest aligned place for an array or the highest for a table; 0 when there is none. */
static uint64_t expected_place(const struct flags *flags, enum cm_heap_end end, uint64_t words,
                               uint64_t alignment)
{
    if (end == CM_HEAP_ARRAYS) {
        for (uint64_t a = HEAP_BASE; a < HEAP_WORDS; a += alignment)
            if (range_free(flags, a, words))
                return a;
    } else if (words <= HEAP_WORDS) {
        for (uint64_t a = HEAP_WORDS - words; a >= HEAP_BASE; a--)
            if (range_free(flags, a, words))
                return a;
    }
    return 0;
}

static void mark(struct flags *flags, uint64_t first, uint64_t words, bool taken)
{
    for (uint64_t w = first; w < first + words; w++) {
        ck_assert(flags->taken[w] != taken);
        flags->taken[w] = taken;
    }
}

START_TEST(heap_takes_the_first_fit_and_never_overlaps)
{
    struct {
        uint64_t address, words;
    } live[64];
    uint32_t count = 0;
    struct random_source random = random_begin("heap");
    struct cm_config config = {.memory_words = HEAP_WORDS,
                               .memory_heap_base_words = HEAP_BASE,
                               .memory_heap_alignment_words = UINT64_C(1) << _i};
    struct flags flags = {{false}};
    struct cm_heap *heap;
    ck_assert_int_eq(cm_heap_create(&config, NULL, &heap, NULL), CM_OK);
    for (int i = 0; i < 20000; i++) {
        if (count > 0 && (count == 64 || random_below(&random, 2))) {
            uint32_t victim = random_below(&random, count);
            cm_heap_free(heap, live[victim].address);
            mark(&flags, live[victim].address, live[victim].words, false);
            live[victim] = live[--count];
            continue;
        }
        enum cm_heap_end end = random_below(&random, 2) ? CM_HEAP_ARRAYS : CM_HEAP_TABLES;
        uint64_t words = 1 + random_below(&random, random_below(&random, 20) ? 60 : 1600);
        uint64_t expected = expected_place(&flags, end, words, config.memory_heap_alignment_words);
        uint64_t address = 0;
        enum cm_status status = cm_heap_allocate(heap, end, words, "x", &address, NULL);
        ck_assert_int_eq(status, expected ? CM_OK : CM_BAD_INPUT);
        if (status != CM_OK)
            continue;
        ck_assert_uint_eq(address, expected);
        mark(&flags, address, words, true);
        live[count].address = address;
        live[count++].words = words;
    }
    while (count > 0)
        cm_heap_free(heap, live[--count].address);
    uint64_t address;
    ck_assert_int_eq(
        cm_heap_allocate(heap, CM_HEAP_ARRAYS, HEAP_WORDS - HEAP_BASE, "all", &address, NULL),
        CM_OK);
    cm_heap_destroy(heap);
}
END_TEST

START_TEST(full_heap_says_how_much_is_needed_and_free)
{
    struct cm_config config = cm200_config();
    struct cm_heap *heap;
    struct cm_error err;
    uint64_t a, b, c;
    config.memory_heap_base_words = 176;
    ck_assert_int_eq(cm_heap_create(&config, NULL, &heap, &err), CM_OK);
    ck_assert_int_eq(cm_heap_allocate(heap, CM_HEAP_ARRAYS, 4194304, "array \"x\"", &a, &err),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message,
                     "array \"x\" needs 4194304 words of node memory; 1048400 are free "
                     "(of 1048576 in each node)");
    ck_assert(err.hint[0]);
    ck_assert_int_eq(cm_heap_allocate(heap, CM_HEAP_ARRAYS, 400000, "a", &a, &err), CM_OK);
    ck_assert_int_eq(cm_heap_allocate(heap, CM_HEAP_ARRAYS, 300000, "b", &b, &err), CM_OK);
    cm_heap_free(heap, a);
    ck_assert_int_eq(cm_heap_allocate(heap, CM_HEAP_ARRAYS, 400001, "c", &c, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "c needs 400001 words of node memory in one piece; 748400 are "
                                  "free, the largest piece has 400000 (of 1048576 in each node)");
    cm_heap_destroy(heap);
    cm_heap_destroy(NULL);
}
END_TEST

/* ---- cache ---- */

#define KEYS 1000

/* A cm_compiled_make: counts, and takes a word of node memory. */
static enum cm_status make_counted(struct cm_system *system, const void *task,
                                   struct cm_compiled *compiled, struct cm_error *err)
{
    int *made = (int *)(uintptr_t)task;
    compiled->variant = (*made)++;
    return cm_compiled_reserve(system, compiled, 1, 1, "a test", err);
}

static const struct cm_compiled *get(struct cm_system *system, int key, int *made)
{
    const struct cm_compiled *compiled = NULL;
    struct cm_buffer text;
    cm_key_begin(&text, CM_CACHE_MASK);
    cm_buffer_append(&text, &key, key == KEYS ? 3 : sizeof key); /* KEYS: a shorter key */
    ck_assert_int_eq(cm_compiled_get(system, &text, make_counted, made, &compiled, NULL), CM_OK);
    return compiled;
}

START_TEST(what_is_compiled_is_made_once_for_a_key)
{
    static const struct cm_compiled *compiled[KEYS + 1];
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 2, true);
    int made = 0;
    for (int i = 0; i <= KEYS; i++) {
        compiled[i] = get(system, i, &made);
        ck_assert_int_eq(compiled[i]->variant, i);
    }
    for (int i = 0; i <= KEYS; i++)
        ck_assert_ptr_eq(get(system, i, &made), compiled[i]);
    ck_assert_int_eq(made, KEYS + 1);
    cm_system_destroy(system);
}
END_TEST

/* ---- arrays ---- */

static struct cm_layout random_layout(struct random_source *random, uint32_t nodes,
                                      enum cm_type type)
{
    struct cm_layout_request request = random_request(random, 3000);
    struct cm_layout layout;
    request.type = type;
    ck_assert_int_eq(cm_layout_create(&request, nodes, &layout, NULL), CM_OK);
    return layout;
}

static unsigned char *random_elements(struct random_source *random, const struct cm_layout *layout)
{
    size_t bytes = layout->elements * cm_type_host_bytes(layout->type);
    unsigned char *elements = malloc(bytes);
    ck_assert_ptr_nonnull(elements);
    for (size_t i = 0; i < bytes; i++)
        elements[i] = layout->type == CM_TYPE_LOGICAL ? (unsigned char)random_below(random, 2)
                                                      : (unsigned char)random_next(random);
    return elements;
}

/* Slice `slice` of an element on the host, by the words of the contract: low word first, real part
 * first. */
static uint32_t host_slice(const struct cm_layout *layout, const unsigned char *elements,
                           uint64_t number, uint32_t slice)
{
    const unsigned char *element = elements + number * cm_type_host_bytes(layout->type);
    uint32_t word;
    uint64_t two_words;
    switch (layout->type) {
    case CM_TYPE_LOGICAL:
        return *element;
    case CM_TYPE_REAL64:
    case CM_TYPE_COMPLEX128:
        memcpy(&two_words, element + slice / 2 * 8, 8);
        return slice % 2 == 0 ? (uint32_t)two_words : (uint32_t)(two_words >> 32);
    default:
        memcpy(&word, element + slice * sizeof(word), sizeof(word));
        return word;
    }
}

/* Each element where place() says, in every copy, and zeros everywhere else. */
static void check_planes(struct cm_system *system, const struct cm_array *array,
                         const unsigned char *elements)
{
    const struct cm_layout *layout = &array->layout;
    uint32_t nodes = layout->nodes;
    uint32_t *expected = calloc(layout->local_words * nodes, sizeof(*expected));
    ck_assert_ptr_nonnull(expected);
    for (uint64_t number = 0; number < layout->elements; number++) {
        uint64_t index[CM_RANK_MAX], local;
        uint32_t node;
        element_index(layout, number, index);
        cm_layout_place(layout, index, &node, &local);
        for (; node < nodes; node += UINT32_C(1) << layout->used_bits)
            for (uint32_t s = 0; s < layout->slices; s++)
                expected[(local * layout->slices + s) * nodes + node] =
                    host_slice(layout, elements, number, s);
    }
    uint32_t *plane = malloc(nodes * sizeof(*plane));
    ck_assert_ptr_nonnull(plane);
    for (uint64_t w = 0; w < layout->local_words; w++) {
        ck_assert_int_eq(
            cm_machine_read_plane(cm_system_machine(system), array->address + w, plane, NULL),
            CM_OK);
        ck_assert_mem_eq(plane, expected + w * nodes, nodes * sizeof(*plane));
    }
    free(plane);
    free(expected);
}

START_TEST(scatter_puts_elements_in_place_and_gather_gets_them)
{
    struct random_source random = random_begin(cm_type_name((enum cm_type)_i));
    struct cm_config config = cm200_config();
    for (int i = 0; i < CASES; i++) {
        uint32_t nodes = UINT32_C(1) << random_below(&random, 8);
        struct cm_layout layout = random_layout(&random, nodes, (enum cm_type)_i);
        struct cm_system *system = system_of(&config, nodes, false);
        struct cm_array *array;
        unsigned char *elements = random_elements(&random, &layout);
        unsigned char *back = random_elements(&random, &layout);
        ck_assert_int_eq(cm_array_create(system, "a", &layout, &array, NULL), CM_OK);
        ck_assert_int_eq(cm_array_scatter(system, array, elements, NULL), CM_OK);
        check_planes(system, array, elements);
        ck_assert_int_eq(cm_array_gather(system, array, back, NULL), CM_OK);
        ck_assert_mem_eq(back, elements, layout.elements * cm_type_host_bytes(layout.type));
        cm_array_destroy(system, array);
        cm_system_destroy(system);
        free(elements);
        free(back);
    }
}
END_TEST

START_TEST(any_nonzero_byte_is_true)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 2, false);
    struct cm_layout_request request = {
        .type = CM_TYPE_LOGICAL, .rank = 1, .shape = {4}, .weights = {1}};
    struct cm_layout layout;
    struct cm_array *array;
    const unsigned char given[4] = {0, 255, 2, 1};
    const unsigned char expected[4] = {0, 1, 1, 1};
    unsigned char back[4];
    ck_assert_int_eq(cm_layout_create(&request, 2, &layout, NULL), CM_OK);
    ck_assert_int_eq(cm_array_create(system, "a", &layout, &array, NULL), CM_OK);
    ck_assert_int_eq(cm_array_scatter(system, array, given, NULL), CM_OK);
    ck_assert_int_eq(cm_array_gather(system, array, back, NULL), CM_OK);
    ck_assert_mem_eq(back, expected, 4);
    cm_array_destroy(system, array);
    cm_system_destroy(system);
}
END_TEST

START_TEST(a_new_array_is_zero_where_an_old_one_was)
{
    struct random_source random = random_begin("zeros");
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 8, false);
    struct cm_layout layout = random_layout(&random, 8, CM_TYPE_REAL64);
    unsigned char *elements = random_elements(&random, &layout);
    struct cm_array *array;
    ck_assert_int_eq(cm_array_create(system, "old", &layout, &array, NULL), CM_OK);
    uint64_t address = array->address;
    ck_assert_uint_eq(address, config.memory_heap_base_words);
    ck_assert_int_eq(cm_array_scatter(system, array, elements, NULL), CM_OK);
    cm_array_destroy(system, array);
    ck_assert_int_eq(cm_array_create(system, "new", &layout, &array, NULL), CM_OK);
    ck_assert_uint_eq(array->address, address);
    memset(elements, 0, layout.elements * sizeof(double));
    check_planes(system, array, elements);
    cm_array_destroy(system, array);
    cm_array_destroy(system, NULL);
    cm_system_destroy(system);
    free(elements);
}
END_TEST

START_TEST(arrays_that_do_not_fit_are_refused)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    struct cm_layout_request request = {
        .type = CM_TYPE_REAL64, .rank = 1, .shape = {8388608}, .weights = {1}};
    struct cm_layout layout;
    struct cm_array *array;
    struct cm_error err;
    ck_assert_int_eq(cm_layout_create(&request, 4, &layout, NULL), CM_OK);
    ck_assert_int_eq(cm_array_create(system, "x", &layout, &array, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, "array \"x\" needs 4194304 words"), "%s", err.message);
    ck_assert_ptr_null(array);
    ck_assert_int_eq(cm_layout_create(&request, 8, &layout, NULL), CM_OK);
    ck_assert_int_eq(cm_array_create(system, "x", &layout, &array, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "array \"x\" is laid out on 8 nodes; the machine has 4");
    cm_system_destroy(system);
    cm_system_destroy(NULL);
}
END_TEST

START_TEST(timing_only_arrays_have_addresses_and_no_data)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, true);
    struct cm_layout_request request = {
        .type = CM_TYPE_INT32, .rank = 1, .shape = {10}, .weights = {1}};
    struct cm_layout layout;
    struct cm_array *array;
    int32_t elements[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    bool present;
    uint64_t mask;
    ck_assert_int_eq(cm_layout_create(&request, 4, &layout, NULL), CM_OK);
    ck_assert_int_eq(cm_array_create(system, "x", &layout, &array, NULL), CM_OK);
    ck_assert_uint_eq(array->address, config.memory_heap_base_words);
    ck_assert_int_eq(cm_array_scatter(system, array, elements, NULL), CM_OK);
    ck_assert_int_eq(cm_array_gather(system, array, elements, NULL), CM_OK);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(elements[i], 0);
    ck_assert_int_eq(cm_system_garbage_mask(system, &layout, &present, &mask, NULL), CM_OK);
    ck_assert(present);
    ck_assert_uint_eq(mask, config.memory_words - 1);
    cm_array_destroy(system, array);
    cm_system_destroy(system);
}
END_TEST

/* ---- garbage mask ---- */

static void check_mask(struct cm_system *system, const struct cm_layout *layout, uint64_t address)
{
    uint64_t words = (layout->local_elements + 31) / 32;
    uint32_t *expected = calloc(words * layout->nodes, sizeof(*expected));
    uint32_t *plane = malloc(layout->nodes * sizeof(*plane));
    ck_assert_ptr_nonnull(expected);
    ck_assert_ptr_nonnull(plane);
    for (uint64_t number = 0; number < layout->elements; number++) {
        uint64_t index[CM_RANK_MAX], local;
        uint32_t node;
        element_index(layout, number, index);
        cm_layout_place(layout, index, &node, &local);
        expected[local / 32 * layout->nodes + node] |= UINT32_C(1) << local % 32;
    }
    for (uint64_t w = 0; w < words; w++) {
        ck_assert_int_eq(cm_machine_read_plane(cm_system_machine(system), address + w, plane, NULL),
                         CM_OK);
        ck_assert_mem_eq(plane, expected + w * layout->nodes, layout->nodes * sizeof(*plane));
    }
    free(plane);
    free(expected);
}

START_TEST(garbage_mask_has_a_bit_for_each_element_that_exists)
{
    struct random_source random = random_begin("mask");
    struct cm_config config = cm200_config();
    struct cm_system *systems[8];
    for (uint32_t bits = 0; bits < 8; bits++)
        systems[bits] = system_of(&config, UINT32_C(1) << bits, false);
    int masks = 0;
    for (int i = 0; i < 4 * CASES; i++) {
        uint32_t bits = random_below(&random, 8);
        struct cm_layout layout = random_layout(&random, UINT32_C(1) << bits, CM_TYPE_REAL32);
        bool present, padded = false;
        uint64_t address, again;
        for (uint32_t a = 0; a < layout.rank; a++)
            padded = padded || layout.axes[a].length != layout.axes[a].local_length
                                                            << layout.axes[a].node_bits;
        ck_assert_int_eq(cm_system_garbage_mask(systems[bits], &layout, &present, &address, NULL),
                         CM_OK);
        ck_assert(present == padded);
        if (!present)
            continue;
        check_mask(systems[bits], &layout, address);
        layout.type = CM_TYPE_COMPLEX128; /* the type makes no other mask */
        ck_assert_int_eq(cm_system_garbage_mask(systems[bits], &layout, &present, &again, NULL),
                         CM_OK);
        ck_assert_uint_eq(again, address);
        masks++;
    }
    ck_assert_int_gt(masks, CASES);
    for (uint32_t bits = 0; bits < 8; bits++)
        cm_system_destroy(systems[bits]);
}
END_TEST

/* ---- scalars ---- */

static double real64_of(const uint32_t *words)
{
    uint64_t bits = (uint64_t)words[1] << 32 | words[0];
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static float real32_of(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof(value));
    return value;
}

START_TEST(scalars_are_rounded_to_the_type)
{
    struct cm_scalar s = cm_scalar_make(CM_TYPE_REAL32, 0.1, 9);
    ck_assert(real32_of(s.words[0]) == 0.1f && s.words[1] == 0);
    s = cm_scalar_make(CM_TYPE_REAL64, 0.1, 9);
    ck_assert(real64_of(s.words) == 0.1 && s.words[2] == 0);
    s = cm_scalar_make(CM_TYPE_COMPLEX64, -0.5, 0.1);
    ck_assert(real32_of(s.words[0]) == -0.5f && real32_of(s.words[1]) == 0.1f);
    s = cm_scalar_make(CM_TYPE_COMPLEX128, -0.0, 0.1);
    ck_assert(signbit(real64_of(s.words)) && real64_of(s.words + 2) == 0.1);
    ck_assert_uint_eq(cm_scalar_make(CM_TYPE_LOGICAL, -3, 0).words[0], 1);
    ck_assert_uint_eq(cm_scalar_make(CM_TYPE_LOGICAL, 0, 1).words[0], 0);
}
END_TEST

START_TEST(integer_scalars_go_to_the_nearest_that_there_is)
{
    static const struct {
        double given;
        int32_t made;
    } cases[] = {{2.5, 2},
                 {3.5, 4},
                 {-2.6, -3},
                 {-7, -7},
                 {1e300, INT32_MAX},
                 {-1e300, INT32_MIN},
                 {2147483647, INT32_MAX}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ck_assert_int_eq((int32_t)cm_scalar_make(CM_TYPE_INT32, cases[i].given, 0).words[0],
                         cases[i].made);
    ck_assert_int_eq((int32_t)cm_scalar_make(CM_TYPE_INT32, NAN, 0).words[0], 0);
}
END_TEST

START_TEST(names_are_those_of_workloads)
{
    ck_assert_str_eq(cm_shift_type_name(CM_SHIFT_CSHIFT), "cshift");
    ck_assert_str_eq(cm_shift_type_name(CM_SHIFT_EOSHIFT_ARRAY), "eoshift_array");
    ck_assert_str_eq(cm_type_name(CM_TYPE_COMPLEX128), "complex128");
    ck_assert_str_eq(cm_order_name(CM_ORDER_SERIAL), "serial");
}
END_TEST

CM_PROGRAM(test_system)
{
    Suite *suite = suite_create("system");
    TCase *tests = tcase_create("system");
    tcase_add_loop_test(tests, heap_takes_the_first_fit_and_never_overlaps, 0, 5);
    tcase_add_test(tests, full_heap_says_how_much_is_needed_and_free);
    tcase_add_test(tests, what_is_compiled_is_made_once_for_a_key);
    tcase_add_loop_test(tests, scatter_puts_elements_in_place_and_gather_gets_them, 0,
                        CM_TYPE_COUNT);
    tcase_add_test(tests, any_nonzero_byte_is_true);
    tcase_add_test(tests, a_new_array_is_zero_where_an_old_one_was);
    tcase_add_test(tests, arrays_that_do_not_fit_are_refused);
    tcase_add_test(tests, timing_only_arrays_have_addresses_and_no_data);
    tcase_add_test(tests, garbage_mask_has_a_bit_for_each_element_that_exists);
    tcase_add_test(tests, scalars_are_rounded_to_the_type);
    tcase_add_test(tests, integer_scalars_go_to_the_nearest_that_there_is);
    tcase_add_test(tests, names_are_those_of_workloads);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
