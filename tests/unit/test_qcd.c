/* The C interface of the lattice kernels: a sum known beforehand, what a setup reports and gives
 * back, what is refused. tests/property/test-qcd.c judges the data. */
#include "machines.h"
#include "programs/qcd/qcd.h"
#include "suite.h"

#include <string.h>

#define NODES 16u
#define SITES 256u /* 4 x 4 x 4 x 4, on 2 x 2 x 2 x 2 nodes */

static struct cm_layout layout_of(enum cm_type type, uint32_t rank, const uint64_t *shape,
                                  enum cm_order order)
{
    struct cm_layout_request request = {.type = type, .rank = rank};
    struct cm_layout layout;
    for (uint32_t a = 0; a < rank; a++) {
        request.shape[a] = shape[a];
        request.orders[a] = a + 4 < rank ? CM_ORDER_SERIAL : order;
        request.weights[a] = 1;
    }
    ck_assert_int_eq(cm_layout_create(&request, NODES, &layout, NULL), CM_OK);
    return layout;
}

static struct cm_qcd_task task_of(enum cm_qcd_kernel kernel, enum cm_qcd_way way,
                                  enum cm_order order, uint64_t length)
{
    const bool wilson = kernel == CM_QCD_WILSON;
    const enum cm_type type = wilson ? CM_TYPE_COMPLEX128 : CM_TYPE_REAL64;
    const uint64_t vector[] = {3, 2, length, 4, 4, 4}, spinor[] = {3, 4, length, 4, 4, 4};
    const uint64_t real[] = {3, 3, 2, length, 4, 4, 4}, complex[] = {3, 3, length, 4, 4, 4};
    return (struct cm_qcd_task){
        .kernel = kernel,
        .way = way,
        .field = layout_of(type, 6, wilson ? spinor : vector, order),
        .link = layout_of(type, wilson ? 6 : 7, wilson ? complex : real, order)};
}

static struct cm_array *array_of(struct cm_system *system, const struct cm_layout *layout)
{
    struct cm_array *array;
    ck_assert_int_eq(cm_array_create(system, "x", layout, &array, NULL), CM_OK);
    return array;
}

/* Parts of a field or of links: `count` numbers a site, number e of each site is `value(e)`. */
static void fill(struct cm_system *system, struct cm_array *array, uint32_t count,
                 double (*value)(uint32_t e))
{
    double numbers[SITES * 24];
    for (uint32_t i = 0; i < SITES * count; i++)
        numbers[i] = value(i % count);
    ck_assert_int_eq(cm_array_scatter(system, array, numbers, NULL), CM_OK);
}

/* Links of i times one, and fields that are everywhere the same. */
static double staggered_link(uint32_t e)
{
    return e >= 9 && e % 4 == 1; /* imaginary parts 9, 13 and 17 */
}

static double wilson_link(uint32_t e)
{
    return e % 8 == 1; /* parts 1, 9 and 17 */
}

static double ascending(uint32_t e)
{
    return e + 1;
}

/* U v - U' v is 2 i v for each mu: eight times i v. For Wilson fermions (1 - gamma) i v - (1 +
 * gamma) i v is -2 i gamma v for each mu. */
static void check_result(const struct cm_array *dst, struct cm_system *system, bool wilson)
{
    double found[SITES * 24];
    ck_assert_int_eq(cm_array_gather(system, dst, found, NULL), CM_OK);
    for (uint32_t i = 0; !wilson && i < SITES * 6; i++) {
        const uint32_t colour = i % 3, part = i / 3 % 2;
        const double re = colour + 1, im = colour + 4;
        ck_assert_double_eq(found[i], 8 * (part == 0 ? -im : re));
    }
    for (uint32_t i = 0; wilson && i < SITES * 3; i++) {
        /* spin 0: gamma v = i v3 - v3 + i v2 + v2, where v_s = (6 s + 2 c + 1, 6 s + 2 c + 2) */
        const uint32_t colour = i % 3;
        const double re2 = 13 + 2 * colour, im2 = 14 + 2 * colour;
        const double re3 = 19 + 2 * colour, im3 = 20 + 2 * colour;
        const double re = -im3 - re3 - im2 + re2, im = re3 - im3 + re2 + im2;
        const uint32_t at = i / 3 * 24 + 2 * colour;
        ck_assert_double_eq(found[at], 2 * im);
        ck_assert_double_eq(found[at + 1], -2 * re);
    }
}

static void run_kernel(enum cm_qcd_kernel kernel, enum cm_qcd_way way, uint64_t exchanges)
{
    const struct cm_config config = cm200_config();
    const bool wilson = kernel == CM_QCD_WILSON;
    const struct cm_qcd_task task = task_of(kernel, way, CM_ORDER_NEWS, 4);
    struct cm_system *system = system_of(&config, NODES, false);
    struct cm_array *src = array_of(system, &task.field), *dst = array_of(system, &task.field);
    struct cm_array *link = array_of(system, &task.link);
    const struct cm_array *links[CM_QCD_AXES] = {link, link, link, link};
    struct cm_qcd *qcd;
    fill(system, src, wilson ? 24 : 6, ascending);
    fill(system, link, 18, wilson ? wilson_link : staggered_link);
    ck_assert_int_eq(cm_qcd_setup(system, &task, &qcd, NULL), CM_OK);
    const struct cm_qcd_info info = cm_qcd_info(system, qcd);
    ck_assert_uint_eq(info.sites, SITES);
    ck_assert_uint_eq(info.site_operations, wilson ? 1320 : 570);
    ck_assert_uint_eq(info.exchanges, exchanges);
    for (int call = 0; call < 2; call++) {
        ck_assert_int_eq(cm_qcd_call(system, qcd, dst, src, links, NULL), CM_OK);
        check_result(dst, system, wilson);
    }
    if (exchanges > 0)
        ck_assert_uint_eq(cm_machine_counters(system->machine).exchanges, 2 * exchanges);
    cm_qcd_deallocate(system, qcd);
    cm_qcd_deallocate(system, NULL);
    cm_array_destroy(system, src);
    cm_array_destroy(system, dst);
    cm_array_destroy(system, link);
    cm_system_destroy(system);
}

/* Layers of 8 sites, of 6 or 12 numbers of two words; along axes of two nodes both directions share
 * a dimension. */
START_TEST(kernels_of_constant_fields)
{
    run_kernel(CM_QCD_STAGGERED, CM_QCD_HALO, 2 * 8 * 6);
    run_kernel(CM_QCD_STAGGERED, CM_QCD_PSHIFT, 2 * 8 * 6);
    run_kernel(CM_QCD_STAGGERED, CM_QCD_CSHIFT, 0);
    run_kernel(CM_QCD_WILSON, CM_QCD_HALO, 2 * 8 * 12);
    run_kernel(CM_QCD_WILSON, CM_QCD_PSHIFT, 2 * 8 * 12);
    run_kernel(CM_QCD_WILSON, CM_QCD_CSHIFT, 0);
}
END_TEST

static void refuse_task(struct cm_system *system, const struct cm_qcd_task *task,
                        const char *message)
{
    const uint64_t before = cm_heap_mark(system->heap);
    struct cm_qcd *qcd;
    struct cm_error err;
    ck_assert_int_eq(cm_qcd_setup(system, task, &qcd, &err), CM_BAD_INPUT);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
    ck_assert_ptr_null(qcd);
    ck_assert_uint_eq(cm_heap_mark(system->heap), before);
}

START_TEST(refuses_tasks_that_mean_nothing)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, NODES, false);
    const struct cm_qcd_task staggered = task_of(CM_QCD_STAGGERED, CM_QCD_HALO, CM_ORDER_NEWS, 4);
    const struct cm_qcd_task wilson = task_of(CM_QCD_WILSON, CM_QCD_HALO, CM_ORDER_NEWS, 4);
    struct cm_qcd_task task = staggered;
    task.kernel = CM_QCD_WILSON;
    refuse_task(system, &task, "a wilson field of real64 with links of real64");
    task = staggered;
    task.link = wilson.link;
    refuse_task(system, &task, "with links of complex128");
    task = wilson;
    task.field = wilson.link;
    refuse_task(system, &task, "the field has not the shape of a wilson field");
    task = staggered;
    task.link = staggered.field;
    refuse_task(system, &task, "the links have not the shape of staggered links");
    task = staggered;
    task.link = task_of(CM_QCD_STAGGERED, CM_QCD_HALO, CM_ORDER_NEWS, 8).link;
    refuse_task(system, &task, "not laid out alike");
    task = task_of(CM_QCD_STAGGERED, CM_QCD_HALO, CM_ORDER_SEND, 4);
    refuse_task(system, &task, "lattice axis x has the order send");
    task = task_of(CM_QCD_STAGGERED, CM_QCD_HALO, CM_ORDER_NEWS, 4);
    task.field.axes[3].padded = true;
    refuse_task(system, &task, "lattice axis y is padded");
    cm_system_destroy(system);
}
END_TEST

/* Halos leave nothing behind; the run-time library keeps what it has compiled. */
START_TEST(refuses_what_does_not_fit)
{
    for (enum cm_qcd_way way = CM_QCD_HALO; way < CM_QCD_WAYS; way++) {
        const struct cm_qcd_task task = task_of(CM_QCD_WILSON, way, CM_ORDER_NEWS, 4);
        struct cm_config config = cm200_config();
        struct cm_qcd *qcd;
        struct cm_error err;
        config.sequencer_sram_words = 1000;
        struct cm_system *system = system_of(&config, NODES, false);
        const uint64_t before = cm_heap_mark(system->heap);
        ck_assert_int_eq(cm_qcd_setup(system, &task, &qcd, &err), CM_BAD_INPUT);
        ck_assert_msg(strstr(err.message, "SRAM") != NULL, "%s", err.message);
        ck_assert(way != CM_QCD_HALO || cm_heap_mark(system->heap) == before);
        cm_system_destroy(system);
        config = cm200_config();
        config.memory_words = config.memory_heap_base_words + 2000;
        system = system_of(&config, NODES, false);
        refuse_task(system, &task, "of a lattice");
        cm_system_destroy(system);
    }
}
END_TEST

START_TEST(refuses_arrays_that_are_not_those_of_the_setup)
{
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, NODES, false);
    const struct cm_qcd_task task = task_of(CM_QCD_STAGGERED, CM_QCD_HALO, CM_ORDER_NEWS, 4);
    struct cm_array *field = array_of(system, &task.field), *link = array_of(system, &task.link);
    const struct cm_array *links[CM_QCD_AXES] = {link, link, link, link};
    const struct cm_array *wrong[CM_QCD_AXES] = {link, link, link, field};
    struct cm_qcd *qcd;
    struct cm_error err;
    ck_assert_int_eq(cm_qcd_setup(system, &task, &qcd, NULL), CM_OK);
    ck_assert_int_eq(cm_qcd_call(system, qcd, link, field, links, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "the result \"x\""));
    ck_assert_int_eq(cm_qcd_call(system, qcd, field, link, links, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "the source \"x\""));
    ck_assert_int_eq(cm_qcd_call(system, qcd, field, field, wrong, &err), CM_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.message, "the link \"x\""));
    ck_assert_uint_eq(cm_machine_counters(system->machine).cycles, 0);
    ck_assert_int_eq(cm_qcd_call(system, qcd, field, field, links, &err), CM_OK);
    cm_qcd_deallocate(system, qcd);
    cm_array_destroy(system, field);
    cm_array_destroy(system, link);
    cm_system_destroy(system);
}
END_TEST

CM_PROGRAM(test_qcd)
{
    Suite *suite = suite_create("qcd");
    TCase *tests = tcase_create("qcd");
    tcase_add_test(tests, kernels_of_constant_fields);
    tcase_add_test(tests, refuses_tasks_that_mean_nothing);
    tcase_add_test(tests, refuses_what_does_not_fit);
    tcase_add_test(tests, refuses_arrays_that_are_not_those_of_the_setup);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
