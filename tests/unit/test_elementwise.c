/* Array statements: what is refused and with which words, what is shared and kept, what an IMP does
 * for an element, and the table of operations in the manual. */
#include "layouts.h"
#include "machines.h"
#include "programs/elementwise/elementwise.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ELEMENTS 1000u
#define NODES    16u

struct scene {
    struct cm_system *system;
    struct cm_array *arrays[4];
    struct cm_expression *e;
};

static struct cm_layout layout_of(enum cm_type type, uint64_t elements)
{
    struct cm_layout_request request = {
        .type = type, .rank = 1, .shape = {elements}, .weights = {1}};
    struct cm_layout layout;
    struct cm_error err;
    require(cm_layout_create(&request, NODES, &layout, &err) == CM_OK);
    return layout;
}

static struct scene scene_of(enum cm_type type)
{
    struct cm_config config = cm200_config();
    struct scene scene = {.system = system_of(&config, NODES, false), .e = cm_expression_create()};
    struct cm_layout layout = layout_of(type, ELEMENTS);
    struct cm_error err;
    require(scene.e);
    for (int k = 0; k < 4; k++)
        require(cm_array_create(scene.system, "array", &layout, &scene.arrays[k], &err) == CM_OK);
    return scene;
}

static void end(struct scene *scene)
{
    cm_expression_destroy(scene->e);
    for (int k = 0; k < 4; k++)
        cm_array_destroy(scene->system, scene->arrays[k]);
    cm_system_destroy(scene->system);
}

static uint32_t op(struct cm_expression *e, enum cm_expression_op which, uint32_t x, uint32_t y)
{
    return cm_expression_node(e, which, x, y, 0);
}

static enum cm_status run(struct scene *scene, struct cm_error *err)
{
    return cm_elementwise_call(scene->system, scene->e,
                               &(struct cm_elementwise_arguments){scene->arrays, 4, NULL, 0}, err);
}

static uint64_t cycles_of(const struct scene *scene)
{
    return cm_machine_counters(cm_system_machine(scene->system)).cycles;
}

/* ---- expressions ---- */

START_TEST(equal_nodes_are_one)
{
    struct cm_expression *e = cm_expression_create();
    const uint32_t x = cm_expression_array(e, 0, CM_TYPE_REAL64);
    const uint32_t two = cm_expression_number(e, CM_TYPE_REAL64, 2);
    ck_assert_uint_eq(cm_expression_array(e, 0, CM_TYPE_REAL64), x);
    ck_assert_uint_eq(op(e, CM_EXPRESSION_MULTIPLY, x, two), op(e, CM_EXPRESSION_MULTIPLY, x, two));
    ck_assert_uint_ne(op(e, CM_EXPRESSION_MULTIPLY, x, two), op(e, CM_EXPRESSION_ADD, x, two));
    cm_expression_destroy(e);
}
END_TEST

START_TEST(the_first_error_sticks)
{
    struct cm_expression *e = cm_expression_create();
    struct cm_error err;
    const uint32_t x = cm_expression_array(e, 0, CM_TYPE_REAL32);
    const uint32_t n = cm_expression_array(e, 1, CM_TYPE_INT32);
    ck_assert_uint_eq(op(e, CM_EXPRESSION_ADD, x, n), 0);
    ck_assert_uint_eq(cm_expression_array(e, 70, CM_TYPE_INT32), 0);
    ck_assert_int_eq(cm_expression_status(e, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "+ takes two numbers of one type, not real32, int32");
    cm_expression_destroy(e);
}
END_TEST

START_TEST(an_array_argument_has_one_type)
{
    struct cm_expression *e = cm_expression_create();
    struct cm_error err;
    cm_expression_array(e, 3, CM_TYPE_REAL32);
    ck_assert_uint_eq(cm_expression_array(e, 3, CM_TYPE_REAL64), 0);
    ck_assert_int_eq(cm_expression_status(e, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "array 3 is used as real32 and as real64");
    cm_expression_destroy(e);
}
END_TEST

START_TEST(an_array_is_what_was_assigned_last)
{
    struct cm_expression *e = cm_expression_create();
    const uint32_t x = cm_expression_array(e, 0, CM_TYPE_INT32);
    const uint32_t one = cm_expression_number(e, CM_TYPE_INT32, 1);
    const uint32_t sum = op(e, CM_EXPRESSION_ADD, x, one);
    cm_expression_assign(e, 0, sum, 0);
    ck_assert_uint_eq(cm_expression_array(e, 0, CM_TYPE_INT32), sum);
    cm_expression_destroy(e);
}
END_TEST

/* y = x + 1, then x = y * 2 and z = x, joined from two expressions. */
START_TEST(assignments_are_appended_behind_those_before)
{
    struct scene scene = scene_of(CM_TYPE_INT32);
    struct cm_expression *more = cm_expression_create();
    const int32_t three[ELEMENTS] = {3};
    int32_t found[3][ELEMENTS];
    struct cm_error err;
    uint32_t x = cm_expression_array(scene.e, 0, CM_TYPE_INT32);
    const uint32_t one = cm_expression_number(scene.e, CM_TYPE_INT32, 1);
    cm_expression_assign(scene.e, 1, op(scene.e, CM_EXPRESSION_ADD, x, one), 0);
    const uint32_t y = cm_expression_array(more, 1, CM_TYPE_INT32);
    const uint32_t two = cm_expression_number(more, CM_TYPE_INT32, 2);
    cm_expression_assign(more, 0, op(more, CM_EXPRESSION_MULTIPLY, y, two), 0);
    x = cm_expression_array(more, 0, CM_TYPE_INT32);
    cm_expression_assign(more, 2, x, 0);
    cm_expression_append(scene.e, more);
    cm_expression_destroy(more);
    ck_assert_int_eq(cm_array_scatter(scene.system, scene.arrays[0], three, &err), CM_OK);
    ck_assert_int_eq(run(&scene, &err), CM_OK);
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(cm_array_gather(scene.system, scene.arrays[k], found[k], &err), CM_OK);
    ck_assert_int_eq(found[0][0], 8);
    ck_assert_int_eq(found[1][0], 4);
    ck_assert_int_eq(found[2][0], 8);
    ck_assert_int_eq(found[0][ELEMENTS - 1], 2);
    end(&scene);
}
END_TEST

START_TEST(the_first_error_of_an_appended_expression_sticks)
{
    struct cm_expression *e = cm_expression_create(), *bad = cm_expression_create();
    struct cm_error err;
    cm_expression_array(bad, 70, CM_TYPE_INT32);
    cm_expression_append(e, bad);
    ck_assert_int_eq(cm_expression_status(e, &err), CM_BAD_INPUT);
    cm_expression_destroy(bad);
    cm_expression_destroy(e);
}
END_TEST

START_TEST(promotion_follows_fortran)
{
    static const enum cm_type cases[][3] = {
        {CM_TYPE_INT32, CM_TYPE_REAL32, CM_TYPE_REAL32},
        {CM_TYPE_REAL64, CM_TYPE_INT32, CM_TYPE_REAL64},
        {CM_TYPE_COMPLEX64, CM_TYPE_REAL64, CM_TYPE_COMPLEX128},
        {CM_TYPE_INT32, CM_TYPE_COMPLEX64, CM_TYPE_COMPLEX64},
        {CM_TYPE_REAL32, CM_TYPE_REAL64, CM_TYPE_REAL64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cm_expression *e = cm_expression_create();
        uint32_t x = cm_expression_array(e, 0, cases[i][0]);
        uint32_t y = cm_expression_array(e, 1, cases[i][1]);
        cm_expression_promote(e, &x, &y);
        ck_assert_int_eq(cm_expression_type(e, x), cases[i][2]);
        ck_assert_int_eq(cm_expression_type(e, y), cases[i][2]);
        cm_expression_destroy(e);
    }
}
END_TEST

/* ---- calls ---- */

START_TEST(nothing_assigned_is_refused)
{
    struct scene scene = scene_of(CM_TYPE_REAL32);
    struct cm_error err;
    cm_expression_array(scene.e, 0, CM_TYPE_REAL32);
    ck_assert_int_eq(run(&scene, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "elementwise: the expression assigns to no array");
    end(&scene);
}
END_TEST

START_TEST(a_wrong_type_and_a_missing_argument_are_refused)
{
    struct scene scene = scene_of(CM_TYPE_REAL32);
    struct cm_error err;
    cm_expression_assign(scene.e, 0, cm_expression_number(scene.e, CM_TYPE_REAL64, 1), 0);
    ck_assert_int_eq(run(&scene, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "elementwise: \"array\" is real32, and real64 in the expression");
    cm_expression_destroy(scene.e);
    scene.e = cm_expression_create();
    cm_expression_assign(scene.e, 0, cm_expression_scalar(scene.e, 2, CM_TYPE_REAL32), 0);
    ck_assert_int_eq(run(&scene, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "elementwise: scalar argument 2 is missing");
    end(&scene);
}
END_TEST

START_TEST(an_array_assigned_to_is_not_passed_twice)
{
    struct scene scene = scene_of(CM_TYPE_REAL32);
    struct cm_array *arrays[] = {scene.arrays[0], scene.arrays[0]};
    struct cm_error err;
    cm_expression_assign(scene.e, 0, cm_expression_array(scene.e, 1, CM_TYPE_REAL32), 0);
    ck_assert_int_eq(cm_elementwise_call(scene.system, scene.e,
                                         &(struct cm_elementwise_arguments){arrays, 2, NULL, 0},
                                         &err),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "elementwise: \"array\" is assigned to, and passed twice");
    end(&scene);
}
END_TEST

START_TEST(arrays_of_other_placement_are_refused)
{
    struct scene scene = scene_of(CM_TYPE_REAL32);
    const struct cm_layout layout = layout_of(CM_TYPE_REAL32, ELEMENTS + 1);
    struct cm_array *arrays[] = {scene.arrays[0], NULL};
    struct cm_error err;
    ck_assert_int_eq(cm_array_create(scene.system, "longer", &layout, &arrays[1], &err), CM_OK);
    cm_expression_assign(scene.e, 0, cm_expression_array(scene.e, 1, CM_TYPE_REAL32), 0);
    ck_assert_int_eq(cm_elementwise_call(scene.system, scene.e,
                                         &(struct cm_elementwise_arguments){arrays, 2, NULL, 0},
                                         &err),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "elementwise: \"longer\" is not laid out as \"array\"");
    cm_array_destroy(scene.system, arrays[1]);
    end(&scene);
}
END_TEST

START_TEST(an_index_beyond_the_rank_is_refused)
{
    struct scene scene = scene_of(CM_TYPE_INT32);
    struct cm_error err;
    cm_expression_assign(scene.e, 0, cm_expression_index(scene.e, 1), 0);
    ck_assert_int_eq(run(&scene, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "elementwise: an index along axis 1; \"array\" has 1");
    end(&scene);
}
END_TEST

START_TEST(preparing_charges_nothing_and_is_kept)
{
    struct scene scene = scene_of(CM_TYPE_REAL32);
    struct cm_error err;
    const uint32_t x = cm_expression_array(scene.e, 1, CM_TYPE_REAL32);
    cm_expression_assign(scene.e, 0, op(scene.e, CM_EXPRESSION_ADD, x, x), 0);
    ck_assert_int_eq(
        cm_elementwise_prepare(scene.system, scene.e,
                               &(struct cm_elementwise_arguments){scene.arrays, 4, NULL, 0}, &err),
        CM_OK);
    ck_assert_uint_eq(cycles_of(&scene), 0);
    const uint64_t kept = cm_cache_count(scene.system->cache);
    ck_assert_int_eq(run(&scene, &err), CM_OK);
    ck_assert_uint_gt(cycles_of(&scene), 0);
    ck_assert_uint_eq(cm_cache_count(scene.system->cache), kept);
    end(&scene);
}
END_TEST

START_TEST(division_of_integers_by_zero_gives_zero)
{
    struct scene scene = scene_of(CM_TYPE_INT32);
    int32_t values[ELEMENTS];
    struct cm_error err;
    const uint32_t one = cm_expression_number(scene.e, CM_TYPE_INT32, 1);
    const uint32_t x = cm_expression_array(scene.e, 1, CM_TYPE_INT32);
    cm_expression_assign(scene.e, 0, op(scene.e, CM_EXPRESSION_DIVIDE, one, x), 0);
    memset(values, 0, sizeof values);
    values[7] = -1;
    ck_assert_int_eq(cm_array_scatter(scene.system, scene.arrays[1], values, &err), CM_OK);
    ck_assert_int_eq(run(&scene, &err), CM_OK);
    ck_assert_int_eq(cm_array_gather(scene.system, scene.arrays[0], values, &err), CM_OK);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        require(values[i] == (i == 7 ? -1 : 0));
    end(&scene);
}
END_TEST

START_TEST(an_operand_is_loaded_once_and_one_without_use_never)
{
    struct scene scene = scene_of(CM_TYPE_REAL32);
    struct cm_elementwise_info info;
    struct cm_error err;
    const uint32_t x = cm_expression_array(scene.e, 1, CM_TYPE_REAL32);
    const uint32_t square = op(scene.e, CM_EXPRESSION_MULTIPLY, x, x);
    cm_expression_array(scene.e, 2, CM_TYPE_REAL32);
    cm_expression_assign(scene.e, 0, op(scene.e, CM_EXPRESSION_ADD, square, x), 0);
    ck_assert_int_eq(cm_elementwise_explain(
                         scene.system, scene.e,
                         &(struct cm_elementwise_arguments){scene.arrays, 4, NULL, 0}, &info, &err),
                     CM_OK);
    ck_assert_double_eq(info.stores, 1);
    ck_assert_double_eq(info.spills, 0);
    ck_assert_uint_eq(info.imps, 1);
    /* One load of x, and one of the garbage mask; a multiply-add and the mask into the context. */
    ck_assert_double_eq(info.loads, 2);
    ck_assert_double_eq(info.operations, 2);
    end(&scene);
}
END_TEST

/* Sums of pairs of many products: more values at once than registers. */
START_TEST(values_that_registers_do_not_hold_go_to_node_memory)
{
    struct scene scene = scene_of(CM_TYPE_REAL64);
    struct cm_elementwise_info info;
    struct cm_error err;
    double values[ELEMENTS];
    uint32_t level[64], count = 64;
    const uint32_t x = cm_expression_array(scene.e, 1, CM_TYPE_REAL64);
    const uint32_t y = cm_expression_array(scene.e, 2, CM_TYPE_REAL64);
    uint32_t power = x;
    for (uint32_t i = 0; i < 64; i++) {
        level[i] = op(scene.e, CM_EXPRESSION_ADD, power, y);
        power = op(scene.e, CM_EXPRESSION_SUBTRACT, power, y);
    }
    uint32_t total = level[count - 1];
    while (count-- > 1) /* the last one made is needed first */
        total = op(scene.e, CM_EXPRESSION_SUBTRACT, total, level[count - 1]);
    cm_expression_assign(scene.e, 0, total, 0);
    ck_assert_int_eq(cm_elementwise_explain(
                         scene.system, scene.e,
                         &(struct cm_elementwise_arguments){scene.arrays, 4, NULL, 0}, &info, &err),
                     CM_OK);
    ck_assert_uint_gt(info.spills, 0);
    ck_assert_uint_gt(info.scratch_words, 0);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        values[i] = i * 0.37 - 50;
    ck_assert_int_eq(cm_array_scatter(scene.system, scene.arrays[1], values, &err), CM_OK);
    for (uint32_t i = 0; i < ELEMENTS; i++)
        values[i] = 3.0 / (i + 1);
    ck_assert_int_eq(cm_array_scatter(scene.system, scene.arrays[2], values, &err), CM_OK);
    ck_assert_int_eq(run(&scene, &err), CM_OK);
    ck_assert_int_eq(cm_array_gather(scene.system, scene.arrays[0], values, &err), CM_OK);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        const double b = 3.0 / (i + 1);
        double p = i * 0.37 - 50, sums[64], expected;
        for (uint32_t k = 0; k < 64; k++) {
            sums[k] = p + b;
            p -= b;
        }
        expected = sums[63];
        for (uint32_t k = 63; k-- > 0;)
            expected -= sums[k];
        require(values[i] == expected);
    }
    end(&scene);
}
END_TEST

START_TEST(more_constants_than_arguments_are_refused)
{
    struct scene scene = scene_of(CM_TYPE_REAL32);
    struct cm_error err;
    uint32_t sum = cm_expression_array(scene.e, 1, CM_TYPE_REAL32);
    for (uint32_t i = 0; i < 300; i++)
        sum = op(scene.e, CM_EXPRESSION_ADD, sum, cm_expression_number(scene.e, CM_TYPE_REAL32, i));
    cm_expression_assign(scene.e, 0, sum, 0);
    ck_assert_int_eq(run(&scene, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "elementwise: 304 arrays, scalars and constants are more than an "
                                  "IMP has arguments, 255");
    end(&scene);
}
END_TEST

/* ---- views ---- */

/* Axes of an array whose middle axis is serial. A view has them without the middle axis. */
struct sides {
    uint64_t first, last;
};

static struct cm_layout layout_with(const struct sides *sides, uint64_t serial)
{
    struct cm_layout_request request = {.type = CM_TYPE_REAL32,
                                        .rank = 3,
                                        .shape = {sides->first, serial, sides->last},
                                        .orders = {CM_ORDER_NEWS, CM_ORDER_SERIAL, CM_ORDER_NEWS}};
    struct cm_layout layout;
    struct cm_error err;
    if (serial == 0) {
        request.rank = 2;
        request.shape[1] = sides->last;
        request.orders[1] = CM_ORDER_NEWS;
    }
    require(cm_layout_create(&request, NODES, &layout, &err) == CM_OK);
    return layout;
}

/* The view of an array at one place of its serial axis. */
static struct cm_array view_of(const struct cm_array *array, const struct sides *sides,
                               uint64_t place)
{
    const struct cm_axis *axes = array->layout.axes;
    struct cm_array view = {.name = "view", .layout = layout_with(sides, 0), .stepped = true};
    view.address = array->address + place * axes[1].stride;
    view.steps[0] = (int64_t)axes[0].stride;
    view.steps[1] = (int64_t)axes[2].stride;
    return view;
}

static struct cm_array *numbered(struct cm_system *system, const struct cm_layout *layout,
                                 float *values, float first)
{
    struct cm_array *array;
    struct cm_error err;
    for (uint64_t i = 0; i < layout->elements; i++)
        values[i] = first + (float)i;
    require(cm_array_create(system, "array", layout, &array, &err) == CM_OK);
    require(cm_array_scatter(system, array, values, &err) == CM_OK);
    return array;
}

/* Runs a(:, 2, :) = b(:, 1, :) + a(:, 2, :) * c, counted from 0, and compares all elements. Returns
 * what the machine did. */
static struct cm_counters add_planes(const struct sides *sides, uint64_t serial)
{
    static float a[40000], b[40000], c[4000], got[40000];
    const struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, NODES, false);
    const struct cm_layout layout = layout_with(sides, serial), plane = layout_with(sides, 0);
    struct cm_array *arrays[3] = {numbered(system, &layout, a, 1), numbered(system, &layout, b, 2),
                                  numbered(system, &plane, c, 3)};
    struct cm_array target = view_of(arrays[0], sides, 2), source = view_of(arrays[1], sides, 1);
    struct cm_array *const passed[3] = {&target, &source, arrays[2]};
    struct cm_expression *e = cm_expression_create();
    struct cm_error err;
    uint32_t x[3];
    for (uint32_t k = 0; k < 3; k++)
        x[k] = cm_expression_array(e, k, CM_TYPE_REAL32);
    cm_expression_assign(
        e, 0, op(e, CM_EXPRESSION_ADD, x[1], op(e, CM_EXPRESSION_MULTIPLY, x[0], x[2])), 0);
    ck_assert_msg(cm_elementwise_call(system, e,
                                      &(struct cm_elementwise_arguments){passed, 3, NULL, 0},
                                      &err) == CM_OK,
                  "%s", err.message);
    const struct cm_counters counters = cm_machine_counters(cm_system_machine(system));
    for (uint64_t j = 0; j < sides->last; j++)
        for (uint64_t i = 0; i < sides->first; i++) {
            const uint64_t at = i + sides->first * (2 + serial * j);
            a[at] = b[at - sides->first] + a[at] * c[i + sides->first * j];
        }
    require(cm_array_gather(system, arrays[0], got, &err) == CM_OK);
    for (uint64_t i = 0; i < layout.elements; i++)
        ck_assert_float_eq(got[i], a[i]);
    cm_expression_destroy(e);
    for (uint32_t k = 0; k < 3; k++)
        cm_array_destroy(system, arrays[k]);
    cm_system_destroy(system);
    return counters;
}

/* One distance between elements, several, and one in a padded layout. */
static const struct sides planes[] = {{1, 64}, {16, 24}, {64, 1}, {1, 61}, {3, 5}, {9, 35}};

START_TEST(a_view_costs_its_own_elements)
{
    const struct cm_counters few = add_planes(&planes[_i], 3), many = add_planes(&planes[_i], 40);
    ck_assert_uint_eq(few.loads, many.loads);
    ck_assert_uint_eq(few.stores, many.stores);
    ck_assert_uint_eq(few.instructions, many.instructions);
}
END_TEST

/* ---- the manual ---- */

START_TEST(the_manual_lists_the_operations)
{
    static const struct {
        const char *name, *effect;
        uint32_t operands;
    } operations[] = {
#define CM_EXPRESSION_OP(symbol, name, operands, rule, effect) {name, effect, operands},
#include "programs/elementwise/expression_op.def"
#undef CM_EXPRESSION_OP
    };
    static char page[1 << 16];
    FILE *file = fopen("docs/programs/elementwise.md", "r");
    ck_assert_ptr_nonnull(file);
    const size_t length = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    page[length] = '\0';
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        char row[256];
        snprintf(row, sizeof row, "| `%s` | %u | %s |\n", operations[i].name,
                 (unsigned)operations[i].operands, operations[i].effect);
        ck_assert_msg(strstr(page, row) != NULL, "docs/programs/elementwise.md lacks %s", row);
    }
}
END_TEST

CM_PROGRAM(test_elementwise)
{
    Suite *s = suite_create("elementwise");
    TCase *expressions = tcase_create("expressions"), *calls = tcase_create("calls");
    tcase_add_test(expressions, equal_nodes_are_one);
    tcase_add_test(expressions, the_first_error_sticks);
    tcase_add_test(expressions, an_array_argument_has_one_type);
    tcase_add_test(expressions, an_array_is_what_was_assigned_last);
    tcase_add_test(expressions, assignments_are_appended_behind_those_before);
    tcase_add_test(expressions, the_first_error_of_an_appended_expression_sticks);
    tcase_add_test(expressions, promotion_follows_fortran);
    tcase_add_test(expressions, the_manual_lists_the_operations);
    suite_add_tcase(s, expressions);
    tcase_add_test(calls, nothing_assigned_is_refused);
    tcase_add_test(calls, a_wrong_type_and_a_missing_argument_are_refused);
    tcase_add_test(calls, an_array_assigned_to_is_not_passed_twice);
    tcase_add_test(calls, arrays_of_other_placement_are_refused);
    tcase_add_test(calls, an_index_beyond_the_rank_is_refused);
    tcase_add_test(calls, preparing_charges_nothing_and_is_kept);
    tcase_add_test(calls, division_of_integers_by_zero_gives_zero);
    tcase_add_test(calls, an_operand_is_loaded_once_and_one_without_use_never);
    tcase_add_test(calls, values_that_registers_do_not_hold_go_to_node_memory);
    tcase_add_test(calls, more_constants_than_arguments_are_refused);
    tcase_add_loop_test(calls, a_view_costs_its_own_elements, 0,
                        (int)(sizeof planes / sizeof planes[0]));
    suite_add_tcase(s, calls);
    return cm_run_suite(s);
}
