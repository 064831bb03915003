/* Time of the front end: rules by hand, random calls against a simulation cycle by cycle, and the
 * elapsed speedup of figure 8 in a run. */
#include "sim/machine/front_end.h"

#include "fortran/run/run.h"
#include "fortran/run/step.h"
#include "programs/workload/workload.h"

#include "folder.h"
#include "machines.h"
#include "suite.h"

#include <inttypes.h>
#include <stdio.h>

#define CALLS_MAX 12u
#define CASES     3000u

/* Work of the front end between calls, a call, or a wait. */
struct act {
    enum { WORK, CALL, WAIT } kind;
    uint64_t own, machine; /* cycles of the front end, and of the machine in a call */
};

static uint64_t elapsed_of(const struct act *acts, uint32_t count, struct cm_front_end *front_end)
{
    uint64_t now = 0;
    *front_end = (struct cm_front_end){0};
    for (uint32_t i = 0; i < count; i++) {
        if (acts[i].kind == CALL) {
            cm_front_end_begin(front_end, acts[i].own, now);
            now += acts[i].machine;
        } else if (acts[i].kind == WORK) {
            cm_front_end_work(front_end, acts[i].own, now);
        } else {
            cm_front_end_wait(front_end, now);
        }
    }
    cm_front_end_end(front_end, now);
    return front_end->elapsed;
}

/* Two processes, stepped cycle by cycle. Each has an act and the cycles that are left of it. */
struct world {
    const struct act *acts;
    uint32_t count;
    uint32_t at;       /* act of the front end */
    bool begun;        /* true once the front end has begun it */
    uint64_t left;     /* cycles that are left of the front end's act */
    uint32_t calls;    /* calls that the front end has begun */
    uint32_t finished; /* calls that the front end has finished its part of */
    uint32_t ended;    /* calls that have ended on the machine */
    bool works;        /* true if the machine executes call `ended` */
    uint64_t machine_left;
};

static const struct act *call_number(const struct world *w, uint32_t number)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->acts[i].kind == CALL && number-- == 0)
            return &w->acts[i];
    return NULL;
}

/* Does what takes no time. Returns false if nothing happened. */
static bool settle(struct world *w)
{
    if (!w->works && w->calls > w->ended) {
        w->works = true;
        w->machine_left = call_number(w, w->ended)->machine;
        return true;
    }
    if (w->works && w->machine_left == 0 && w->finished > w->ended) {
        w->works = false;
        w->ended++;
        return true;
    }
    if (w->at == w->count)
        return false;
    const struct act *act = &w->acts[w->at];
    const uint32_t machine_began = w->ended + w->works;
    if (!w->begun) {
        if ((act->kind == CALL && machine_began < w->calls) ||
            (act->kind == WAIT && w->ended < w->calls))
            return false;
        w->begun = true;
        w->left = act->own;
        w->calls += act->kind == CALL;
        return true;
    }
    if (w->left > 0)
        return false;
    w->finished += act->kind == CALL;
    w->begun = false;
    w->at++;
    return true;
}

/* Returns the cycles until both processes have finished. */
static uint64_t simulate(const struct act *acts, uint32_t count)
{
    struct world w = {.acts = acts, .count = count};
    uint64_t time = 0;
    for (;;) {
        while (settle(&w))
            continue;
        bool machine_works = w.works && w.machine_left > 0;
        bool front_end_works = w.begun && w.left > 0;
        if (!machine_works && !front_end_works)
            return time;
        w.machine_left -= machine_works;
        w.left -= front_end_works;
        time++;
    }
}

START_TEST(one_call_takes_the_longer_time)
{
    struct cm_front_end front_end;
    ck_assert_uint_eq(elapsed_of(&(struct act){CALL, 600, 417}, 1, &front_end), 600);
    ck_assert_uint_eq(elapsed_of(&(struct act){CALL, 600, 990}, 1, &front_end), 990);
    ck_assert_uint_eq(front_end.calls, 1);
    ck_assert_uint_eq(front_end.worked, 600);
}
END_TEST

START_TEST(equal_calls_take_the_longer_time_each)
{
    static const struct act slow[] = {{CALL, 9, 4}, {CALL, 9, 4}, {CALL, 9, 4}};
    static const struct act quick[] = {{CALL, 4, 9}, {CALL, 4, 9}, {CALL, 4, 9}};
    struct cm_front_end front_end;
    ck_assert_uint_eq(elapsed_of(slow, 3, &front_end), 27);
    ck_assert_uint_eq(elapsed_of(quick, 3, &front_end), 27);
}
END_TEST

START_TEST(the_front_end_prepares_one_call_during_another)
{
    static const struct act acts[] = {{CALL, 10, 100}, {CALL, 50, 20}, {CALL, 50, 20}};
    struct cm_front_end front_end;
    /* The second call is prepared at 60. The third begins at 100, when the machine begins the
     * second, and takes the front end until 150. */
    ck_assert_uint_eq(elapsed_of(acts, 2, &front_end), 120);
    ck_assert_uint_eq(elapsed_of(acts, 3, &front_end), 150);
}
END_TEST

START_TEST(statements_overlap_until_the_front_end_waits)
{
    static const struct act overlapped[] = {{CALL, 10, 100}, {WORK, 60, 0}, {CALL, 10, 5}};
    static const struct act waited[] = {{CALL, 10, 100}, {WAIT, 0, 0}, {WORK, 60, 0}};
    struct cm_front_end front_end;
    ck_assert_uint_eq(elapsed_of(overlapped, 3, &front_end), 105);
    ck_assert_uint_eq(elapsed_of(waited, 3, &front_end), 160);
    ck_assert_uint_eq(elapsed_of(overlapped + 1, 1, &front_end), 60);
}
END_TEST

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

START_TEST(random_calls_take_what_two_processes_take)
{
    uint64_t seed = 20;
    for (uint32_t i = 0; i < CASES; i++) {
        struct act acts[CALLS_MAX];
        uint64_t state = seed + i;
        uint32_t count = 1 + (uint32_t)(next(&state) % CALLS_MAX);
        uint64_t busy = 0;
        for (uint32_t k = 0; k < count; k++) {
            uint64_t kind = next(&state) % 6;
            acts[k] = (struct act){kind < 4 ? CALL : kind == 4 ? WORK : WAIT, 0, 0};
            acts[k].own = acts[k].kind != WAIT ? next(&state) % 20 : 0;
            acts[k].machine = acts[k].kind == CALL ? 1 + next(&state) % 20 : 0;
            busy += acts[k].machine;
        }
        struct cm_front_end front_end;
        uint64_t found = elapsed_of(acts, count, &front_end), expected = simulate(acts, count);
        ck_assert_msg(found == expected,
                      "seed %" PRIu64 ": %" PRIu64 " cycles elapsed, expected %" PRIu64, seed + i,
                      found, expected);
        ck_assert_uint_ge(found, busy);
    }
}
END_TEST

/* Steps 1.1, 2.1 and 2.2 of the workload are a PSHIFT and two CSHIFTs, 100 times each. Published:
 * 58 and 221 us elapsed, a speedup of 3.8. By CM time it is 3.6. */
START_TEST(figure_8_comes_out_of_a_run)
{
    struct cm_run_options options = {.timing_only = true};
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    ck_assert_int_eq(cm_workload_read("programs/examples/figure-8.json", &workload, &err), CM_OK);
    ck_assert_msg(cm_run_create(workload, &options, &run, &err) == CM_OK, "%s", err.message);
    ck_assert_int_eq(cm_run_execute(run, &err), CM_OK);
    const struct cm_result *result = cm_run_result(run);
    double elapsed[3], busy[3];
    for (uint32_t i = 0; i < 3; i++) {
        elapsed[i] = (double)result->steps[i].counters.elapsed_cycles;
        busy[i] = (double)result->steps[i].counters.cycles;
    }
    ck_assert_double_eq_tol((elapsed[1] + elapsed[2]) / elapsed[0], 3.8, 0.05);
    ck_assert_double_eq_tol((busy[1] + busy[2]) / busy[0], 3.6, 0.05);
    ck_assert_uint_eq(result->total.calls, 300);
    ck_assert_double_eq((double)result->total.elapsed_cycles, elapsed[0] + elapsed[1] + elapsed[2]);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
}
END_TEST

static const char program[] = "program p\n"                /* 1 */
                              "integer i, n\n"             /* 2 */
                              "real a(262144), b(16), s\n" /* 3 */
                              "n = 0\n"                    /* 4 */
                              "do i = 1, 10\n"             /* 5 */
                              "n = n + i\n"                /* 6 */
                              "end do\n"                   /* 7 */
                              "b = 1.0\n"                  /* 8 */
                              "a = 2.0\n"                  /* 9 */
                              "n = 2\n"                    /* 10 */
                              "s = maxval(a)\n"            /* 11 */
                              "n = 3\n"                    /* 12 */
                              "call cm_timer_start(1)\n"   /* 13 */
                              "n = 4\n"                    /* 14 */
                              "b = 2.0\n"                  /* 15 */
                              "call cm_timer_stop(1)\n"    /* 16 */
                              "call cm_timer_print(1)\n"   /* 17 */
                              "end program\n";

/* Elapsed cycles of the lines, with 10 cycles for a statement and 300 for the start of an IMP. The
 * machine needs less for b, and more for a. The timer has lines 13, after its start, to 15. */
START_TEST(lines_of_a_program_have_elapsed_times)
{
    static const struct {
        uint32_t line, times;
        uint64_t elapsed; /* UINT64_MAX: the machine's time */
    } expected[] = {{4, 1, 10},  {5, 1, 10},         {6, 10, 100}, {7, 10, 100},
                    {8, 1, 300}, {9, 1, UINT64_MAX}, {10, 1, 0},   {11, 1, UINT64_MAX},
                    {12, 1, 10}, {14, 1, 10},        {15, 1, 300}};
    struct folder folder;
    struct cm_run_options options = {.machine = "configs/cm200.json", .threads = 1};
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_error err;
    uint32_t count;
    const struct cm_source *source;
    folder_create(&folder);
    FILE *file = fopen(folder_path(&folder, 0, "p.f90"), "w");
    ck_assert_ptr_nonnull(file);
    fputs(program, file);
    fclose(file);
    static const char json[] =
        "{\"format\": \"cm200-workload/1\", \"nodes\": 16, \"arrays\": {}, \"steps\": "
        "[{\"program\": {\"file\": \"p.f90\"}}]}";
    ck_assert(cm_fortran_register());
    ck_assert_msg(cm_workload_parse(folder_path(&folder, 1, "w.json"), json, strlen(json),
                                    &workload, &err) == CM_OK &&
                      cm_run_create(workload, &options, &run, &err) == CM_OK &&
                      cm_run_execute(run, &err) == CM_OK,
                  "%s", err.message);
    const struct cm_step_result *step = &cm_run_result(run)->steps[0];
    const struct cm_fortran_line *lines = cm_fortran_step_lines(step, &count, &source);
    uint64_t sum = 0;
    for (uint32_t i = 0, next = 0; i < count; i++) {
        sum += lines[i].counters.elapsed_cycles;
        if (next == CM_COUNT_OF(expected) || lines[i].line != expected[next].line)
            continue;
        uint64_t wanted = expected[next].elapsed;
        ck_assert_uint_eq(lines[i].times, expected[next].times);
        ck_assert_uint_eq(lines[i].counters.elapsed_cycles,
                          wanted != UINT64_MAX ? wanted : lines[i].counters.cycles);
        next++;
        ck_assert(i + 1 < count || next == CM_COUNT_OF(expected));
    }
    ck_assert_uint_eq(sum, step->counters.elapsed_cycles);
    ck_assert_ptr_nonnull(strstr(cm_fortran_step_output(step)->data, "elapsed 0.000032000 s"));
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    folder_remove(&folder);
}
END_TEST

START_TEST(times_are_rounded_to_cycles_and_do_not_overflow)
{
    struct cm_config config = cm200_config();
    ck_assert_uint_eq(cm_front_end_cycles(&config, 30000), 300);
    ck_assert_uint_eq(cm_front_end_cycles(&config, 149), 1);
    ck_assert_uint_eq(cm_front_end_cycles(&config, 150), 2);
    config.clock_hz = 7000000;
    ck_assert_uint_eq(cm_front_end_cycles(&config, 1000), 7);
    config.clock_hz = UINT64_C(1000000000000);
    ck_assert_uint_eq(cm_front_end_cycles(&config, UINT64_C(1000000000000)),
                      UINT64_C(1000000000000000));
}
END_TEST

CM_PROGRAM(test_front_end)
{
    Suite *suite = suite_create("front_end");
    TCase *all = tcase_create("front_end");
    tcase_add_test(all, one_call_takes_the_longer_time);
    tcase_add_test(all, equal_calls_take_the_longer_time_each);
    tcase_add_test(all, the_front_end_prepares_one_call_during_another);
    tcase_add_test(all, statements_overlap_until_the_front_end_waits);
    tcase_add_test(all, random_calls_take_what_two_processes_take);
    tcase_add_test(all, figure_8_comes_out_of_a_run);
    tcase_add_test(all, lines_of_a_program_have_elapsed_times);
    tcase_add_test(all, times_are_rounded_to_cycles_and_do_not_overflow);
    suite_add_tcase(suite, all);
    return cm_run_suite(suite);
}
