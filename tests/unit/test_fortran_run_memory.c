/* Every allocation fails once while a CM Fortran program is played: at each level of optimization,
 * with and without the check of its statements. */
#include "fortran/check/program.h"
#include "fortran/run/run.h"
#include "fortran/source/parse.h"
#include "outcome.h"

#include "fortran/run/direct.h"

#define NODES 4u

static const struct cm_fortran_program *played;
static struct cm_fortran_run_options settings;

static void mix_lines(struct outcome *outcome, struct cm_fortran_run *run)
{
    uint32_t count;
    const struct cm_fortran_line *lines = cm_fortran_run_lines(run, &count);
    const struct cm_fortran_checker *checker = cm_fortran_run_checked(run);
    for (uint32_t i = 0; i < count; i++) {
        mix(outcome, lines[i].note, strlen(lines[i].note));
        mix(outcome, &lines[i].counters.cycles, sizeof lines[i].counters.cycles);
    }
    if (checker != NULL) {
        mix(outcome, &checker->statements, sizeof checker->statements);
        mix(outcome, &checker->mismatches, sizeof checker->mismatches);
    }
}

static void play(struct outcome *outcome)
{
    const struct cm_machine_options options = {.nodes = NODES, .threads = 1};
    struct cm_system *system = NULL;
    struct cm_fortran_run *run = NULL;
    if (ok(outcome, cm_system_create(&shipped, &options, &system, &outcome->err)) &&
        ok(outcome, cm_fortran_run_create(played, system, &settings, &run, &outcome->err)) &&
        ok(outcome, cm_fortran_run_execute(run, &outcome->err))) {
        const struct cm_buffer *output = cm_fortran_run_output(run);
        mix(outcome, output->data, output->length);
        mix_lines(outcome, run);
    }
    cm_fortran_run_destroy(run);
    cm_system_destroy(system);
}

static void fail_each_of(const char *text)
{
    struct cm_source *source;
    struct cm_messages messages;
    struct cm_syntax *tree;
    ck_assert(cm_syntax_parse(&(struct cm_file_text){"a.f90", text, strlen(text)}, NULL, &source,
                              &messages, &tree) == CM_OK);
    struct cm_fortran_program *program = cm_fortran_check(tree, source, NULL, &messages);
    ck_assert_msg(program != NULL, "%s", messages.count ? messages.items[0].message : "");
    played = program;
    for (uint32_t level = 0; level <= 2; level++)
        for (int check = 0; check < 2; check++) {
            settings = (struct cm_fortran_run_options){.level = level, .check = check > 0};
            fail_each(play);
        }
    cm_fortran_program_destroy(program);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
}

START_TEST(stencils)
{
    fail_each_of("program p\nreal, dimension(8, 8) :: u, v\n"
                 "u = 1.0\nu(3, 2:5) = 2.0\n"
                 "v = cshift(u, 1, 1) + cshift(u, -1, 1) + cshift(u, 1, 2) + cshift(u, -1, 2)\n"
                 "v = 0.25*v - u*eoshift(u, 1)\n"
                 "u(2:7, 2:7) = 0.5*(v(1:6, 2:7) + v(3:8, 2:7))\n"
                 "where (u > 1.0)\nu = u - 1.0\nelsewhere\nv = -v\nend where\n"
                 "print *, sum(u), maxval(v)\nend\n");
}
END_TEST

START_TEST(statements_of_many_kinds)
{
    fail_each_of("program p\ninteger, dimension(8) :: k, l\nreal a(4, 4), s(4)\n"
                 "integer, allocatable :: w(:)\n"
                 "k = [(9 - i, i = 1, 8)]\nl = k(k)\n"
                 "forall (i = 1:4, j = 1:4, i /= j) a(i, j) = i*10 + j\n"
                 "s = sum(a, dim=1)\na = matmul(a, transpose(a)) + spread(s, 1, 4)\n"
                 "allocate (w(count(l > 3)))\nw = pack(l, l > 3)\n"
                 "print *, w, twice(s(2)), maxloc(k)\ndeallocate (w)\n"
                 "end\nreal function twice(x)\nreal x\ntwice = 2*x\nend\n");
}
END_TEST

START_TEST(sections_of_serial_axes)
{
    fail_each_of("program p\nreal, dimension(5, 8) :: a, b\nreal c(8), d(3, 8)\n"
                 "!cmf$ layout a(:serial, :news), b(:serial, :news)\n"
                 "a = 2.0\nb = 1.0\nc = a(3, :)\n"
                 "b(1:5:2, :) = a(4:2:-1, :) + cshift(b(1:3, :), 1, 2)\n"
                 "b(2:4, :) = b(1:3, :)\nwhere (b(2, :) > 1.0) b(4, 1:8) = c * b(4, :)\n"
                 "d = spread(b(2, :), 1, 3)\ncall change(b(5, :))\n"
                 "print *, sum(b(5, :)), maxval(d), c\nend\n"
                 "subroutine change(x)\nreal x(8)\nx = x + 1.0\nend\n");
}
END_TEST

START_TEST(texts)
{
    fail_each_of("program p\ncharacter(len=8) :: name, other\n"
                 "name = 'cm'\nother = trim(name) // '-200'\nother(1:1) = 'C'\n"
                 "if (other > name) print *, trim(other), len_trim(name), index(other, '2')\n"
                 "print '(a, i5)', adjustr(name), ichar(other(2:2))\n"
                 "call show(other(2:5) // repeat('x', 3))\nend\n"
                 "subroutine show(text)\ncharacter(len=*) text\nprint *, text, len(text)\nend\n");
}
END_TEST

START_TEST(arrays_of_texts)
{
    fail_each_of("program p\ncharacter(len=4) :: names(2, 3)\n"
                 "data (names(1, j), j = 1, 3) /'a', 2*'bcdef'/\n"
                 "names(2, 2) = names(1, 3)(2:3) // '+'\nnames(2, 1)(2:3) = 'xy'\n"
                 "print *, names, len(names(1, 1))\ncall change(names(2, 3), 3)\n"
                 "call all_of(names(:, 2:3), 2)\nprint *, names\nend\n"
                 "subroutine all_of(texts, n)\ncharacter(len=*) texts(2, n)\n"
                 "texts(2, n) = texts(1, 1)\nend\n"
                 "subroutine change(text, n)\ncharacter(len=*) text\ncharacter(len=2) own(n)\n"
                 "own = 'qr'\ntext = own(n) // own(1)\nprint '(a)', own, text\nend\n");
}
END_TEST

START_TEST(arguments_that_are_left_out_and_procedures)
{
    fail_each_of("program p\nexternal twice, shift\nintrinsic sqrt\nreal a(8), twice\n"
                 "a = 1.0\ncall apply(shift, a, 8, sqrt)\n"
                 "call apply(shift, a, 8)\ncall apply(shift, a, 8, twice)\nprint *, a\nend\n"
                 "subroutine apply(s, x, n, f)\nexternal s, f\noptional f\nreal x(n)\n"
                 "call s(x, n)\nif (present(f)) x = x + f(x(2))\nend\n"
                 "subroutine shift(x, n)\nreal x(n)\nx = cshift(x, 1, 1) + 1.0\nend\n"
                 "real function twice(x)\ntwice = 2*x\nend\n");
}
END_TEST

START_TEST(files)
{
    fail_each_of("program p\ncharacter(20) :: c, f, t(2)\ninteger k(3), i\nreal x(2)\n"
                 "namelist /g/ k, t\nk = 0\n"
                 "open (10, status='scratch')\nwrite (10, *) (i, i = 1, 3)\nwrite (10, g)\n"
                 "rewind 10\nread (10, *) k\nread (10, g)\nread (10, *, iostat=i) k\n"
                 "f = '(3i3)'\nwrite (c, f) k\nread (c, '(i3)', advance='no') i\n"
                 "write (t, '(a)') 'x', 'y'\ninquire (10, name=f)\nbackspace 10\nclose (10)\n"
                 "open (11, status='scratch', form='unformatted', access='direct', recl=8)\n"
                 "x = 1.5\nwrite (11, rec=2) x\nread (11, rec=2) x\n"
                 "print *, k, c, t, i, x\nend\n");
}
END_TEST

START_TEST(extremes_of_nans)
{
    fail_each_of("program p\nreal a(8), b(2, 4)\nlogical m(8)\na = 0.0\na = a / a\n"
                 "b = reshape(a, [2, 4])\nm = .false.\n"
                 "print *, maxval(a), minloc(a), maxval(a, mask=m), minval(b, dim=1)\n"
                 "b = replicate(b(:, 1:2), 2, 2)\nb(:, 1:2) = diagonal(b(:, 3), 1.0)\n"
                 "print *, rank(b), maxloc(b), b\nend\n");
}
END_TEST

CM_PROGRAM(test_fortran_run_memory)
{
    Suite *s = suite_create("fortran_run_memory");
    TCase *tc = tcase_create("faults");
    tcase_set_timeout(tc, 240);
    tcase_add_test(tc, stencils);
    tcase_add_test(tc, statements_of_many_kinds);
    tcase_add_test(tc, sections_of_serial_axes);
    tcase_add_test(tc, texts);
    tcase_add_test(tc, arrays_of_texts);
    tcase_add_test(tc, arguments_that_are_left_out_and_procedures);
    tcase_add_test(tc, files);
    tcase_add_test(tc, extremes_of_nans);
    suite_add_tcase(s, tc);
    return cm_run_suite(s);
}
