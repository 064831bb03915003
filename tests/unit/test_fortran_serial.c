/* Sections of serial axes in CM Fortran: a subscript of a serial axis is an address in node memory
 * (fortran/machine/view.c). So what a statement does must not depend on the length of the axis. */
#include "folder.h"
#include "fortran/run/step.h"
#include "suite.h"

#include "programs/workload/workload.h"
#include "sim/machine/observer.h"

#include <inttypes.h>

#define LOADS_MAX 64u

/* Counts of a program's run on the machine. */
struct measure {
    struct cm_counters counters;
    uint64_t sram_words; /* of all IMPs that were started */
    uint64_t loads[LOADS_MAX];
    uint32_t load_count; /* different IMPs */
};

static void begins(void *context, const struct cm_observed_start *start)
{
    struct measure *measure = context;
    uint32_t i = 0;
    measure->sram_words += cm_imp_words(start->imp);
    while (i < measure->load_count && measure->loads[i] != start->load)
        i++;
    ck_assert_uint_lt(i, LOADS_MAX);
    measure->loads[i] = start->load;
    if (i == measure->load_count)
        measure->load_count++;
}

/* Runs a program with a check. In its text `serial` is the length of the serial axes. */
static void run(const char *text, unsigned serial, int level, const char *machine, uint32_t nodes,
                struct measure *measure)
{
    struct folder folder;
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    struct cm_error err;
    char json[320];
    const struct cm_run_options options = {.machine = machine, .nodes = nodes, .threads = 1};
    const struct cm_observer observer = {.context = measure, .run_begins = begins};
    *measure = (struct measure){.load_count = 0};
    folder_create(&folder);
    FILE *file = fopen(folder_path(&folder, 0, "p.f90"), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    snprintf(json, sizeof json,
             "{\"format\": \"cm200-workload/1\", \"name\": \"t\", \"arrays\": {}, \"steps\": "
             "[{\"program\": {\"file\": \"p.f90\", \"level\": %d, \"parameters\": {\"serial\": %u}}"
             "}], \"check\": true}",
             level, serial);
    ck_assert_msg(cm_workload_parse(folder_path(&folder, 1, "w.json"), json, strlen(json),
                                    &workload, &err) == CM_OK &&
                      cm_run_create(workload, &options, &run, &err) == CM_OK,
                  "%s", err.message);
    cm_run_observe(run, &observer);
    ck_assert_msg(cm_run_execute(run, &err) == CM_OK, "%s: %s", text, err.message);
    ck_assert_uint_eq(cm_run_result(run)->mismatches, 0);
    measure->counters = cm_run_result(run)->total;
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}

#define DECLARE                                                                                    \
    "program p\n"                                                                                  \
    "integer, parameter :: serial = 10\n"                                                          \
    "real a(serial, 64), b(serial, 64), c(64), d(64, serial)\n"                                    \
    "real x(16, serial, 8), y(16, serial, 8), z(16, 8), v(4, serial, 70), w(7, serial, 45)\n"      \
    "logical l(serial, 64)\n"                                                                      \
    "real r(4, 64), s\ninteger k(64)\n"                                                            \
    "!cmf$ layout a(:serial, :news), b(:serial, :news), c(:news), d(:news, :serial)\n"             \
    "!cmf$ layout k(:news), r(:serial, :news)\n"                                                   \
    "!cmf$ layout x(:news, :serial, :news), y(:news, :serial, :news), z(:news, :news)\n"           \
    "!cmf$ layout v(:serial, :serial, :news), w(:news, :serial, :news), l(:serial, :news)\n"

static const struct {
    const char *statements;
    uint32_t imps; /* different ones, 0: any number */
} cases[] = {
    {"do i = 2, 5\nb(i, :) = a(i, :)\nend do", 1},
    {"do i = 2, 5\nb(i, :) = a(i - 1, :) * b(i + 1, :) + c(:)\nend do", 1},
    {"do i = 2, 5\nb(i, :) = b(i, :) * 2.0 + i\nend do", 1},
    {"do i = 2, 5\nd(:, i) = a(i, :)\nend do", 1},
    {"do i = 2, 5\nc = c + d(:, i) * a(i, :)\nend do", 1},
    {"do i = 2, 5\nx(:, i, :) = y(:, i + 1, :) * z\nend do", 1},
    {"do i = 2, 5\nw(:, i, :) = w(:, i + 1, :) + 1.0\nend do", 0},
    {"do i = 2, 3\nv(i, i + 3, :) = v(i + 1, i + 2, :) + v(1, 10, :)\nend do", 1},
    {"do i = 1, 3\nv(i, 3:5, :) = v(i + 1, 8:4:-2, :)\nend do", 1},
    {"do i = 2, 5\nl(i, :) = a(i, :) > c\nend do", 1},
    {"b(2:8:3, :) = a(9:3:-3, :)", 1},
    {"b(2:5, :) = b(3:6, :)", 0},
    {"x(:, 2:4, :) = x(:, 6:8, :) + y(:, 1:3, :)", 1},
    {"forall (i = 2:8:2) b(i, :) = a(i, :) * i", 1},
    {"forall (i = 2:4) v(i, 3:6, :) = v(i - 1, 4:7, :) + 1.0", 0},
    {"forall (i = 2:5, j = 1:64) b(i, j) = a(i + 1, j) + j", 0},
    {"forall (i = 2:5, j = 1:64, mod(j, 2) == 0) b(i, j) = a(i + 1, j)", 0},
    {"where (c >= 0.0)\nb(3, :) = a(2, :)\nelsewhere\nb(3, :) = 1.0\nend where", 0},
    {"b(3, 2:63) = a(2, 1:62) + a(2, 3:64)", 0},
    {"b(4, :) = cshift(a(5, :), 1, 1) + eoshift(b(4, :), 2)", 0},
    {"b(4:6, :) = cshift(a(5:7, :), 3, 2)", 0},
    {"s = sum(a(3, :)) + maxval(x(:, 2, :)) + dot_product(a(2, :), d(:, 4))", 0},
    {"s = count(a(2:8:3, :) > b(3:5, :)) + sum(v(1, 2, 3:60))", 0},
    {"where (a(3, :) >= 0.0) b(2, :) = a(4, :)", 0},
    {"c = merge(a(3, :), b(2, :), l(4, :))", 0},
    {"r = spread(a(3, :), 1, 4)", 0},
    {"c = sum(a(2:4, :), 1)", 0},
    {"b(8:2:-3, :) = a(3:9:3, :)", 1},
    {"do i = 2, 5\ncall change(a(i, :), c)\nend do", 0},
    {"forall (i = 1:64) b(1, i) = a(k(i) + 2, i)", 1},
    {"forall (i = 1:64) c(i) = a(k(i) + 1, i) * d(i, k(i) + 3) + a(mod(i, 10) + 1, i)", 1},
    {"forall (i = 1:64, k(i) > 3) b(2, i) = a(k(i) - 3, i)", 1},
    {"forall (i = 1:64) a(k(i) + 7, i) = c(i)", 1},
    {"forall (i = 1:64) a(k(i) + 1, i) = a(k(i) + 2, i) + 1.0", 2},
    {"forall (i = 1:16, j = 1:8) y(i, mod(i, 9) + 1, j) = x(i, mod(j, 10) + 1, j)", 1},
    {"forall (i = 1:70) v(mod(i, 4) + 1, mod(i, 9) + 1, i) = v(1, mod(i, 7) + 1, i)", 2},
    {"forall (i = 1:4, j = 1:64) r(i, j) = a(k(j) + 1, j) + r(mod(k(j), 4) + 1, j)", 2},
    {"forall (i = 1:7, j = 1:45) w(i, mod(j, 9) + 1, j) = i + j", 1},
    {"call cmf_aref_1d(c, a, k + 2)", 1},
    {"call cmf_aref_1d(b(2, :), a, k + 2, c > 0.0)", 1},
    {"call cmf_aset_1d(a, c, k + 2)", 1},
    {"call cmf_aset_1d(a, a(1, :) + 1.0, k + 2, c > 0.0)", 2},
};

/* Counts of instructions and words are those of the selected elements, at every level. */
START_TEST(a_statement_costs_the_selected_elements)
{
    char text[1200];
    snprintf(text, sizeof text,
             DECLARE "%s\nend\nsubroutine change(u, t)\nreal u(64), t(64)\nu = u + t\nend\n",
             cases[_i].statements);
    for (int level = 0; level < 3; level++) {
        struct measure few, many;
        run(text, 10, level, "configs/cm200.json", 16, &few);
        run(text, 300, level, "configs/cm200.json", 16, &many);
        ck_assert_msg(few.counters.loads == many.counters.loads &&
                          few.counters.stores == many.counters.stores &&
                          few.counters.instructions == many.counters.instructions &&
                          few.counters.exchanges == many.counters.exchanges &&
                          few.sram_words == many.sram_words,
                      "level %d, %s: %" PRIu64 " and %" PRIu64 " loads, %" PRIu64 " and %" PRIu64
                      " stores, %" PRIu64 " and %" PRIu64 " instructions, %" PRIu64 " and %" PRIu64
                      " SRAM words",
                      level, cases[_i].statements, few.counters.loads, many.counters.loads,
                      few.counters.stores, many.counters.stores, few.counters.instructions,
                      many.counters.instructions, few.sram_words, many.sram_words);
        if (cases[_i].imps > 0)
            ck_assert_msg(many.load_count == cases[_i].imps, "level %d, %s: %" PRIu32 " IMPs",
                          level, cases[_i].statements, many.load_count);
    }
}
END_TEST

/* 16 loads and stores take 189 to 229 cycles in an IMP by hand, by its use of pages. */
START_TEST(a_copy_costs_what_an_imp_by_hand_costs)
{
    static const unsigned lengths[] = {64, 256, 1024};
    for (int level = 0; level < 3; level++)
        for (uint32_t i = 0; i < 3; i++) {
            struct measure measure;
            run("program p\ninteger, parameter :: serial = 64\nreal a(serial, 2048)\n"
                "real b(serial, 2048)\n!cmf$ layout a(:serial, :news), b(:serial, :news)\n"
                "do i = 2, 5\nb(i, :) = a(i - 1, :)\nend do\nend\n",
                lengths[i], level, "configs/cm2.json", 128, &measure);
            ck_assert_uint_eq(measure.counters.loads, 4 * 16);
            ck_assert_uint_eq(measure.counters.stores, 4 * 16);
            ck_assert_uint_le(measure.counters.cycles, 4 * 230);
        }
}
END_TEST

/* Counts of a program's last statement. */
static void measure_last(const char *text, const char *last, unsigned serial, int level,
                         struct measure *measure)
{
    char whole[800];
    struct measure before;
    snprintf(whole, sizeof whole, "%s\nend\n", text);
    run(whole, serial, level, "configs/cm2.json", 128, &before);
    snprintf(whole, sizeof whole, "%s\n%s\nend\n", text, last);
    run(whole, serial, level, "configs/cm2.json", 128, measure);
    measure->counters = cm_counters_difference(&measure->counters, &before.counters);
}

/* A table look-up by 16 elements a node, in tables of any length. The front end took 2,310,144
 * cycles. */
START_TEST(a_lookup_costs_its_elements)
{
    static const unsigned lengths[] = {16, 64, 256, 1024};
    static const char *const statements[] = {"forall (i = 1:2048) b(1, i) = a(k(i), i)",
                                             "forall (i = 1:2048) a(k(i), i) = b(1, i)"};
    for (int s = 0; s < 2; s++)
        for (int level = 0; level < 3; level++)
            for (uint32_t i = 0; i < 4; i++) {
                struct measure measure;
                measure_last("program p\ninteger, parameter :: serial = 64\n"
                             "real a(serial, 2048), b(serial, 2048)\ninteger k(2048)\n"
                             "!cmf$ layout a(:serial, :news), b(:serial, :news), k(:news)\n"
                             "k = mod([1:2048] * 7, serial) + 1\na = 2.0\nb = 3.0",
                             statements[s], lengths[i], level, &measure);
                ck_assert_uint_eq(measure.counters.loads, 2 * 16);
                ck_assert_uint_eq(measure.counters.stores, 16);
                ck_assert_uint_le(measure.counters.cycles, 600);
            }
}
END_TEST

/* A vector has 8 elements, 4 along the first axis and 2 along the second: 8 loads of a, 4 of c,
 * which does not change along the second axis, and 2 of r. */
START_TEST(an_operand_without_an_axis_is_loaded_once_for_it)
{
    struct measure measure;
    measure_last("program p\ninteger, parameter :: serial = 16\n"
                 "real a(serial, serial, 128), c(serial, 128), r(serial, 128)\n"
                 "!cmf$ layout a(:serial, :serial, :news), c(:serial, :news), r(:serial, :news)\n"
                 "a = 1.0\nc = 2.0\nr = 3.0",
                 "forall (i = 1:8, j = 1:8, k = 1:128) a(i, j, k) = a(i, j, k) + c(i, k) * r(j, k)",
                 16, 0, &measure);
    ck_assert_uint_eq(measure.counters.loads, 64 / 8 * (8 + 4 + 2));
    ck_assert_uint_eq(measure.counters.stores, 64);
}
END_TEST

/* Ends of axes have shorter vectors, and a register may be needed for something else while another
 * element still uses its word. */
START_TEST(operands_without_an_axis_keep_their_data)
{
    static const char *const values[] = {
        "a(i, j, k) + c(i, k) * r(j, k)",
        "c(i, k) * r(j, k) + d(i, k) * t(j, k) + d(i, k) * r(j, k) - a(i, j, k) / t(j, k)",
        "merge(a(i, j, k), r(j, k), c(i, k) > d(i, k)) + t(j, k) * r(j, k)",
        ("((c(i, k) + r(j, k)) * (d(i, k) + t(j, k)) + (c(i, k) - r(j, k)) * (d(i, k) - t(j, k))) "
         "/ ((c(i, k) + t(j, k)) * (d(i, k) + r(j, k)) + abs(a(i, j, k)) + 1.0)"),
    };
    char text[1024];
    for (unsigned value = 0; value < sizeof values / sizeof *values; value++)
        for (unsigned rows = 1; rows <= 11; rows += 2)
            for (unsigned columns = 1; columns <= 9; columns += 2) {
                struct measure measure;
                snprintf(text, sizeof text,
                         "program p\ninteger, parameter :: serial = 12\n"
                         "double precision a(serial, 10, 64)\n"
                         "double precision, dimension(serial, 64) :: c, d\n"
                         "double precision, dimension(10, 64) :: r, t\n"
                         "!cmf$ layout a(:serial, :serial, :news), c(:serial, :news)\n"
                         "!cmf$ layout d(:serial, :news), r(:serial, :news), t(:serial, :news)\n"
                         "call random_number(a)\ncall random_number(c)\ncall random_number(d)\n"
                         "call random_number(r)\ncall random_number(t)\n"
                         "forall (i = 2:%u, j = 2:%u, k = 1:64) a(i, j, k) = %s\nend\n",
                         rows + 1, columns + 1, values[value]);
                run(text, 12, (int)(rows % 3), "configs/cm200.json", 16, &measure);
            }
}
END_TEST

START_TEST(a_subscript_out_of_bounds_is_a_fault_with_its_place)
{
    struct folder folder;
    struct cm_workload *workload = NULL;
    struct cm_run *machine_run = NULL;
    struct cm_error err = {.status = CM_OK};
    const struct cm_run_options options = {
        .machine = "configs/cm200.json", .nodes = 16, .threads = (uint32_t)_i};
    const char json[] = "{\"format\": \"cm200-workload/1\", \"name\": \"t\", \"arrays\": {}, "
                        "\"steps\": [{\"program\": {\"file\": \"p.f90\"}}]}";
    folder_create(&folder);
    FILE *file = fopen(folder_path(&folder, 0, "p.f90"), "w");
    ck_assert_ptr_nonnull(file);
    fputs("program p\nreal a(8, 64), c(64)\ninteger k(64)\n!cmf$ layout a(:serial, :news)\n"
          "a = 1.0\nk = [1:64]\nk = k - 8 * ((k - 1) / 8)\nk(34) = 9\n"
          "forall (i = 1:64) c(i) = a(k(i), i)\nend\n",
          file);
    fclose(file);
    ck_assert_msg(cm_workload_parse(folder_path(&folder, 1, "w.json"), json, strlen(json),
                                    &workload, &err) == CM_OK &&
                      cm_run_create(workload, &options, &machine_run, &err) == CM_OK,
                  "%s", err.message);
    ck_assert_int_ne(cm_run_execute(machine_run, &err), CM_OK);
    ck_assert_str_eq(err.message,
                     "a subscript of a serial axis is out of bounds: node 12 has index "
                     "8, address 192; indices are 0 to 7");
    ck_assert_uint_eq(err.line, 9);
    cm_run_destroy(machine_run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

CM_PROGRAM(test_fortran_serial)
{
    Suite *suite = suite_create("serial axes of fortran programs");
    TCase *tests = tcase_create("sections");
    if (!cm_fortran_register())
        return 1;
    tcase_add_loop_test(tests, a_statement_costs_the_selected_elements, 0,
                        (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tests, a_copy_costs_what_an_imp_by_hand_costs);
    tcase_add_test(tests, a_lookup_costs_its_elements);
    tcase_add_test(tests, an_operand_without_an_axis_is_loaded_once_for_it);
    tcase_add_test(tests, operands_without_an_axis_keep_their_data);
    tcase_add_loop_test(tests, a_subscript_out_of_bounds_is_a_fault_with_its_place, 1, 3);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
