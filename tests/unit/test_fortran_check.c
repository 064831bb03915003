/* Checked programs: names, types, homes and jumps, compared as text. */
#include "fortran_checked.h"

static const struct checked_case cases[] = {
    {"conversions are explicit",
     "program p\n"
     "integer i\n"
     "real x\n"
     "real*8 d\n"
     "complex z\n"
     "i = x + d\n"
     "x = i / 2\n"
     "z = d\n"
     "d = z\n"
     "i = z\n"
     "x = i ** 2 + x ** i + x ** d\n"
     "z = z ** x\n"
     "end\n",
     "program p\n"
     "  INTEGER i static 0\n"
     "  REAL x static 1\n"
     "  DOUBLE PRECISION d static 2\n"
     "  COMPLEX z static 3\n"
     "0: i = INTEGER((DOUBLE PRECISION(x) + d))\n"
     "1: x = REAL((i / 2))\n"
     "2: z = COMPLEX(d)\n"
     "3: d = DOUBLE PRECISION(real(z))\n"
     "4: i = INTEGER(real(z))\n"
     "5: x = REAL((DOUBLE PRECISION((REAL((i ** 2)) + (x ** i))) + (DOUBLE PRECISION(x) ** d)))\n"
     "6: z = (z ** COMPLEX(x))\n"
     "7: return\n",
     false},
    {"constants are folded",
     "program p\n"
     "parameter (n = 2 ** 5 - 1, x = n / 2 * 1.5, pi = 3.5)\n"
     "real*8, parameter :: d = 1d0 / 3\n"
     "logical, parameter :: l = n > 3 .and. .not. pi < 3\n"
     "print *, n, x, d, l, mod(-7, 3), modulo(-7, 3), max(1, 5, 3), sqrt(2.25), int(-2.7), "
     "nint(2.5), abs(-3), real(7), (1.0, 2.0) * (0.0, 1.0), iand(12, 10), ishft(1, 4), 7 / 0, "
     "huge(1), kind(1d0), selected_real_kind(12)\n"
     "end\n",
     "program p\n"
     "0: print * 31, 22.5r, 0.33333333333333331d, true, -1, 2, 5, 1.5r, -2, 3, 3, 7r, (-2, 1)r, 8, "
     "16, (7 / 0), 2147483647, 8, 8\n"
     "1: return\n",
     false},
    {"implicit types",
     "subroutine s(k, x)\n"
     "implicit integer (a-c), real*8 (d)\n"
     "implicit logical (l)\n"
     "a = k + x\n"
     "d = a\n"
     "l = d > 0\n"
     "end\n",
     "subroutine s(k, x)\n"
     "  INTEGER k argument 0\n"
     "  REAL x argument 1\n"
     "  INTEGER a local 0\n"
     "  DOUBLE PRECISION d local 1\n"
     "  LOGICAL l local 2\n"
     "0: a = INTEGER((REAL(k) + x))\n"
     "1: d = DOUBLE PRECISION(a)\n"
     "2: l = (d > 0d)\n"
     "3: return\n",
     false},
    {"homes of arrays",
     "program p\n"
     "real a(10), b(10), c(10), d(10), e(10), f(10), g(10)\n"
     "real, allocatable :: h(:)\n"
     "a = 0\n"
     "c(1) = sum(b(2:4)) + size(d)\n"
     "where (e > 0) e = 1\n"
     "forall (i = 1:10) f(i) = i\n"
     "print *, g, c(1:3)\n"
     "allocate (h(3))\n"
     "end\n",
     "program p\n"
     "  REAL a(10) on cm static 0\n"
     "  REAL b(10) on cm static 1\n"
     "  REAL c(10) on fe static 2\n"
     "  REAL d(10) on fe static 3\n"
     "  REAL e(10) on cm static 4\n"
     "  REAL f(10) on cm static 5\n"
     "  REAL g(10) on fe static 6\n"
     "  REAL h(:) on fe static 7 allocatable\n"
     "0: a = 0r\n"
     "1: c(1) = (sum(b(2:4), -, -) + 10r)\n"
     "2: where (e > 0r)\n"
     "3: e = 1r\n"
     "4: end where\n"
     "5: forall #0=1:10; f(#0) = REAL(#0)\n"
     "6: print * g, c(1:3)\n"
     "7: allocate h(1:3)\n"
     "8: return\n",
     false},
    {"an array is on the cm where an argument is",
     "program p\n"
     "real a(10), b(10), c(10)\n"
     "call s(a, b)\n"
     "call t(c)\n"
     "end\n"
     "subroutine s(x, y)\n"
     "real x(10), y(10)\n"
     "call u(x)\n"
     "y(1) = 1\n"
     "end\n"
     "subroutine t(x)\n"
     "real x(10)\n"
     "x(1) = 1\n"
     "end\n"
     "subroutine u(x)\n"
     "real x(:)\n"
     "x = 1\n"
     "end\n",
     "program p\n"
     "  REAL a(10) on cm static 0\n"
     "  REAL b(10) on fe static 1\n"
     "  REAL c(10) on fe static 2\n"
     "0: call s(a, b)\n"
     "1: call t(c)\n"
     "2: return\n"
     "subroutine s(x, y)\n"
     "  REAL x(10) on cm argument 0\n"
     "  REAL y(10) on fe argument 1\n"
     "0: call u(x)\n"
     "1: y(1) = 1r\n"
     "2: return\n"
     "subroutine t(x)\n"
     "  REAL x(10) on fe argument 0\n"
     "0: x(1) = 1r\n"
     "1: return\n"
     "subroutine u(x)\n"
     "  REAL x(:) on cm argument 0\n"
     "0: x = 1r\n"
     "1: return\n",
     false},
    {"common arrays have one home and one layout",
     "program p\n"
     "common /c/ a(10, 4), k\n"
     "a(1, 1) = 1\n"
     "end\n"
     "subroutine s\n"
     "common /c/ b(10, 4), k\n"
     "!cmf$ layout b(:news, :serial)\n"
     "b = 0\n"
     "end\n"
     "block data\n"
     "common /c/ x(10, 4), k\n"
     "data k /7/, x /40*1.0/\n"
     "end\n",
     "program p\n"
     "  REAL a(10, 4) on cm static 0 layout 1:news,1:serial = 40*1r@0\n"
     "  INTEGER k static 1 = 1*7@0\n"
     "0: a(1, 1) = 1r\n"
     "1: return\n"
     "subroutine s\n"
     "  REAL b(10, 4) on cm static 0 layout 1:news,1:serial\n"
     "  INTEGER k static 1\n"
     "0: b = 0r\n"
     "1: return\n",
     false},
    {"layouts",
     "program p\n"
     "real a(4, 5, 6), b(6, 5)\n"
     "!cmf$ layout a(3:news, :send, :serial)\n"
     "!cmf$ align b(i, j) with a(k, j, i)\n"
     "real c(7)\n"
     "!cmf$ layout c(:serial)\n"
     "end\n",
     "program p\n"
     "  REAL a(4, 5, 6) on cm static 0 layout 3:news,1:send,1:serial\n"
     "  REAL b(6, 5) on cm static 1 layout 1:serial,1:send\n"
     "  REAL c(7) on fe static 2 layout 1:serial\n"
     "0: return\n",
     false},
    {"data and save",
     "subroutine s\n"
     "integer k(3, 2), m\n"
     "real x, y\n"
     "logical first\n"
     "save y\n"
     "data first /.true./, ((k(i, j), i = 1, 3), j = 1, 2) /2*1, 4*7/\n"
     "data x, m / 1, 2.5 /\n"
     "y = x\n"
     "end\n",
     "subroutine s\n"
     "  INTEGER k(3, 2) on fe static 0 = 1*1@0, 1*1@1, 1*7@2, 1*7@3, 1*7@4, 1*7@5\n"
     "  INTEGER m static 1 = 1*2@0\n"
     "  REAL x static 2 = 1*1r@0\n"
     "  REAL y static 3\n"
     "  LOGICAL first static 4 = 1*true@0\n"
     "0: y = x\n"
     "1: return\n",
     false},
    {"values in declarations",
     "program p\n"
     "integer, parameter :: v(4) = (/ (i * i, i = 1, 4) /)\n"
     "real :: m(2, 2) = reshape([1, 2, 3, 4], [2, 2]), z(3) = 0\n"
     "real q(2) /2*1.5/\n"
     "print *, v(2), m, z, q\n"
     "end\n",
     "program p\n"
     "  INTEGER v(4) on fe static 0 = 1*1@0, 1*4@1, 1*9@2, 1*16@3\n"
     "  REAL m(2, 2) on fe static 1 = 1*1r@0, 1*2r@1, 1*3r@2, 1*4r@3\n"
     "  REAL z(3) on fe static 2 = 3*0r@0\n"
     "  REAL q(2) on fe static 3 = 2*1.5r@0\n"
     "  INTEGER i#1 local 0\n"
     "0: print * v(2), m, z, q\n"
     "1: return\n",
     false},
    {"loops",
     "program p\n"
     "integer i\n"
     "real x\n"
     "outer: do i = 1, 10, 3\n"
     "do while (x > 0)\n"
     "if (x > 5) cycle outer\n"
     "if (x > 4) exit outer\n"
     "x = x - 1\n"
     "end do\n"
     "end do outer\n"
     "do\n"
     "exit\n"
     "end do\n"
     "do 10 x = 1, 2\n"
     "10 i = i + 1\n"
     "end\n",
     "program p\n"
     "  INTEGER i static 0\n"
     "  REAL x static 1\n"
     "0: do#0 i, 1, 10, 3 -> 9\n"
     "1: unless (x > 0r) -> 8\n"
     "2: unless (x > 5r) -> 4\n"
     "3: jump -> 8\n"
     "4: unless (x > 4r) -> 6\n"
     "5: jump -> 9\n"
     "6: x = (x - 1r)\n"
     "7: jump -> 1\n"
     "8: next#0 -> 1\n"
     "9: jump -> 11\n"
     "10: jump -> 9\n"
     "11: do#1 x, 1r, 2r, - -> 14\n"
     "12: i = (i + 1)\n"
     "13: next#1 -> 12\n"
     "14: return\n",
     false},
    {"shared ends of loops",
     "program p\n"
     "do 10 i = 1, 2\n"
     "do 10 j = 1, 2\n"
     "if (i == j) goto 10\n"
     "k = i\n"
     "10 continue\n"
     "end\n",
     "program p\n"
     "  INTEGER i static 0\n"
     "  INTEGER j static 1\n"
     "  INTEGER k static 2\n"
     "0: do#0 i, 1, 2, - -> 7\n"
     "1: do#1 j, 1, 2, - -> 6\n"
     "2: unless (i == j) -> 4\n"
     "3: jump -> 5\n"
     "4: k = i\n"
     "5: next#1 -> 2\n"
     "6: next#0 -> 1\n"
     "7: return\n",
     false},
    {"if and else",
     "program p\n"
     "if (k > 1) then\n"
     "k = 1\n"
     "else if (k < -1) then\n"
     "k = 2\n"
     "else\n"
     "k = 3\n"
     "end if\n"
     "if (k == 3) stop 'end'\n"
     "end\n",
     "program p\n"
     "  INTEGER k static 0\n"
     "0: unless (k > 1) -> 3\n"
     "1: k = 1\n"
     "2: jump -> 7\n"
     "3: unless (k < -1) -> 6\n"
     "4: k = 2\n"
     "5: jump -> 7\n"
     "6: k = 3\n"
     "7: unless (k == 3) -> 9\n"
     "8: stop 'end'\n"
     "9: return\n",
     false},
    {"case",
     "program p\n"
     "logical l\n"
     "select case (k + 1)\n"
     "case default\n"
     "k = 0\n"
     "case (:-1)\n"
     "k = 1\n"
     "case (2, 4:6, 10:)\n"
     "k = 2\n"
     "end select\n"
     "select case (l)\n"
     "case (.true.)\n"
     "k = 3\n"
     "end select\n"
     "end\n",
     "program p\n"
     "  INTEGER k static 0\n"
     "  INTEGER case#1 local 0\n"
     "  LOGICAL l static 1\n"
     "  LOGICAL case#2 local 1\n"
     "0: case#1 = (k + 1)\n"
     "1: unless (case#1 <= -1) -> 4\n"
     "2: k = 1\n"
     "3: jump -> 8\n"
     "4: unless (((case#1 == 2) or ((case#1 >= 4) and (case#1 <= 6))) or (case#1 >= 10)) -> 7\n"
     "5: k = 2\n"
     "6: jump -> 8\n"
     "7: k = 0\n"
     "8: case#2 = l\n"
     "9: unless (case#2 eqv true) -> 12\n"
     "10: k = 3\n"
     "11: jump -> 12\n"
     "12: return\n",
     false},
    {"where",
     "program p\n"
     "real a(5), b(5)\n"
     "logical m(5)\n"
     "where (a > b)\n"
     "a = b\n"
     "where (m) b = 0\n"
     "elsewhere (m)\n"
     "a = 1\n"
     "elsewhere\n"
     "a = 2\n"
     "end where\n"
     "end\n",
     "program p\n"
     "  REAL a(5) on cm static 0\n"
     "  REAL b(5) on cm static 1\n"
     "  LOGICAL m(5) on cm static 2\n"
     "0: where (a > b)\n"
     "1: a = b\n"
     "2: where m\n"
     "3: b = 0r\n"
     "4: end where\n"
     "5: elsewhere m\n"
     "6: a = 1r\n"
     "7: elsewhere\n"
     "8: a = 2r\n"
     "9: end where\n"
     "10: return\n",
     false},
    {"forall",
     "program p\n"
     "integer a(5, 5), v(5)\n"
     "forall (i = 1:5, j = 1:4:2, a(i, j) > 0)\n"
     "a(i, j) = i * j\n"
     "v(i) = a(i, 1)\n"
     "end forall\n"
     "i = 3\n"
     "forall (k = 1:5) a(k, :) = v + k\n"
     "end\n",
     "program p\n"
     "  INTEGER a(5, 5) on cm static 0\n"
     "  INTEGER v(5) on cm static 1\n"
     "  INTEGER i static 2\n"
     "0: forall #0=1:5 #1=1:4:2 mask (a(#0, #1) > 0); a(#0, #1) = (#0 * #1); v(#0) = a(#0, 1)\n"
     "1: i = 3\n"
     "2: forall #0=1:5; a(#0, :) = (v + #0)\n"
     "3: return\n",
     false},
    {"constructors",
     "program p\n"
     "real a(6)\n"
     "integer n\n"
     "a = [1, 2.5, [3, 4], 5:6]\n"
     "a(1:n) = [n:1:-1]\n"
     "a = (/ ((i * j, i = 1, 2), j = 1, 3) /)\n"
     "a = [3[0.5, n]]\n"
     "end\n",
     "program p\n"
     "  REAL a(6) on cm static 0\n"
     "  INTEGER range#1 local 0\n"
     "  INTEGER n static 1\n"
     "  INTEGER range#2 local 1\n"
     "  INTEGER j#3 local 2\n"
     "  INTEGER i#4 local 3\n"
     "  INTEGER repeat#5 local 4\n"
     "0: a = [1r, 2.5r, REAL([3, 4]), (REAL(range#1), range#1 = 5, 6)]\n"
     "1: a(1:n) = REAL([(range#2, range#2 = n, 1, -1)])\n"
     "2: a = REAL([(((i#4 * j#3), i#4 = 1, 2), j#3 = 1, 3)])\n"
     "3: a = [([0.5r, REAL(n)], repeat#5 = 1, 3)]\n"
     "4: return\n",
     false},
};

START_TEST(program_becomes)
{
    expect_checked(&cases[_i]);
}
END_TEST

static const struct cm_fortran_parameter bigger[] = {{"N", 16, false}, {"scale", 2.5, false}};

START_TEST(parameters_of_the_main_program_are_replaced)
{
    const struct cm_fortran_options options = {.parameters = bigger, .parameter_count = 2};
    char *found = checked_text("program p\n"
                               "parameter (n = 4, m = n * n, scale = 1.0)\n"
                               "real a(n, m)\n"
                               "a = scale\n"
                               "end\n"
                               "subroutine s\n"
                               "parameter (n = 3)\n"
                               "k = n\n"
                               "end\n",
                               &options);
    ck_assert_str_eq(found, "program p\n"
                            "  REAL a(16, 256) on cm static 0\n"
                            "0: a = 2.5r\n"
                            "1: return\n"
                            "subroutine s\n"
                            "  INTEGER k local 0\n"
                            "0: k = 3\n"
                            "1: return\n");
    free(found);
}
END_TEST

static const struct cm_fortran_parameter wrong[] = {{"sise", 16, false}, {"size_x", 2.5, false}};

START_TEST(wrong_parameters_are_reported)
{
    const struct cm_fortran_options options = {.parameters = wrong, .parameter_count = 2};
    char *found = checked_text("program p\n"
                               "integer, parameter :: size = 4, size_x = 5\n"
                               "end\n",
                               &options);
    ck_assert_str_eq(found, "1:1: the main program has no PARAMETER \"sise\"\n"
                            "hint: did you mean \"size\"?\n"
                            "2:42: 2.5 is not a value of the INTEGER \"size_x\"\n");
    free(found);
}
END_TEST

static const struct cm_fortran_parameter mistyped[] = {
    {"loud", 1, false},  {"n", 1, true},      {"name", 3, false}, {"pair", 3, false},
    {"x", 1e300, false}, {"d", 1e300, false}, {"calm", 0, true}};

START_TEST(parameters_keep_their_types)
{
    const struct cm_fortran_options options = {.parameters = mistyped, .parameter_count = 7};
    char *found = checked_text("program p\n"
                               "logical, parameter :: loud = .false., calm = .true.\n"
                               "integer, parameter :: n = 4\n"
                               "character*3, parameter :: name = 'abc'\n"
                               "integer, parameter :: pair(2) = (/ 1, 2 /)\n"
                               "real, parameter :: x = 1.0\n"
                               "double precision, parameter :: d = 1.0\n"
                               "end\n",
                               &options);
    ck_assert_str_eq(found, "2:30: 1 is not a value of the LOGICAL \"loud\"\n"
                            "3:27: .TRUE. is not a value of the INTEGER \"n\"\n"
                            "4:34: 3 is not a value of the CHARACTER \"name\"\n"
                            "5:33: \"pair\" is an array: only its declaration gives it values\n"
                            "6:24: 1e+300 is not a value of the REAL \"x\"\n");
    free(found);
}
END_TEST

/* Each statement function doubles the one before it. */
START_TEST(statement_functions_cannot_explode)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, "program p\nf0(x) = x + x\n");
    for (int i = 1; i < 40; i++)
        cm_buffer_printf(&text, "f%d(x) = f%d(f%d(x)) + f%d(x)\n", i, i - 1, i - 1, i - 1);
    cm_buffer_printf(&text, "y = f6(1.0)\ny = f39(1.0)\nend\n");
    ck_assert(cm_buffer_ok(&text));
    char *found = checked_text(text.data, NULL);
    ck_assert_ptr_nonnull(strstr(found, "statement function"));
    ck_assert_ptr_null(strstr(found, "program p"));
    free(found);
    cm_buffer_finish(&text);
}
END_TEST

START_TEST(very_many_units_call_each_other)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    for (int i = 0; i < 3000; i++)
        cm_buffer_printf(&text, "subroutine s%d\ncall s%d\nend\n", i, i + 1);
    cm_buffer_printf(&text, "subroutine s3000\nend\n");
    ck_assert(cm_buffer_ok(&text));
    char *found = checked_text(text.data, NULL);
    ck_assert_ptr_nonnull(strstr(found, "subroutine s3000\n0: return\n"));
    free(found);
    cm_buffer_finish(&text);
}
END_TEST

CM_PROGRAM(test_fortran_check)
{
    Suite *suite = suite_create("fortran checked");
    TCase *tests = tcase_create("program_becomes");
    tcase_add_loop_test(tests, program_becomes, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, parameters_of_the_main_program_are_replaced);
    tcase_add_test(tests, wrong_parameters_are_reported);
    tcase_add_test(tests, parameters_keep_their_types);
    tcase_add_test(tests, statement_functions_cannot_explode);
    tcase_add_test(tests, very_many_units_call_each_other);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
