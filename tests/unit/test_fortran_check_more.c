/* Checked programs: functions, libraries and output, compared as text. */
#include "fortran_checked.h"

static const struct checked_case cases[] = {
    {"sections",
     "program p\n"
     "real a(10, 10), v(10)\n"
     "integer k(3)\n"
     "a(1:10:2, 3) = a(:5, 1)\n"
     "v(k) = a(k, 2)\n"
     "a(:, 1) = v(10:1:-1)\n"
     "x = a(k(1), 2)\n"
     "end\n",
     "program p\n"
     "  REAL a(10, 10) on cm static 0\n"
     "  REAL v(10) on cm static 1\n"
     "  INTEGER k(3) on cm static 2\n"
     "  REAL x static 3\n"
     "0: a(1:10:2, 3) = a(:5, 1)\n"
     "1: v(k) = a(k, 2)\n"
     "2: a(:, 1) = v(10:1:-1)\n"
     "3: x = a(k(1), 2)\n"
     "4: return\n",
     false},
    {"functions of the file",
     "program p\n"
     "real*8 norm, x(10)\n"
     "interface\n"
     "function twice(v)\n"
     "real*8 v(10), twice(10)\n"
     "end function\n"
     "end interface\n"
     "x = twice(x)\n"
     "print *, norm(x, 10)\n"
     "end\n"
     "real*8 function norm(v, n) result(r)\n"
     "real*8 v(n)\n"
     "r = sqrt(sum(v * v))\n"
     "end\n"
     "function twice(v)\n"
     "real*8 v(10), twice(10)\n"
     "twice = 2 * v\n"
     "end\n",
     "program p\n"
     "  DOUBLE PRECISION x(10) on cm static 0\n"
     "0: x = twice(x)\n"
     "1: print * norm(x, 10)\n"
     "2: return\n"
     "function norm(v, n)\n"
     "  DOUBLE PRECISION v(n) on cm argument 0\n"
     "  INTEGER n argument 1\n"
     "  DOUBLE PRECISION r result 0\n"
     "0: r = sqrt(sum((v * v), -, -))\n"
     "1: return\n"
     "function twice(v)\n"
     "  DOUBLE PRECISION v(10) on cm argument 0\n"
     "  DOUBLE PRECISION twice(10) on cm result 0\n"
     "0: twice = (2d * v)\n"
     "1: return\n",
     false},
    {"recursive units",
     "program p\n"
     "integer fact\n"
     "print *, fact(5)\n"
     "end\n"
     "recursive function fact(n) result(f)\n"
     "integer f\n"
     "f = 1\n"
     "if (n > 1) f = n * fact(n - 1)\n"
     "end\n",
     "program p\n"
     "0: print * fact(5)\n"
     "1: return\n"
     "function fact(n)\n"
     "  INTEGER n argument 0\n"
     "  INTEGER f result 0\n"
     "0: f = 1\n"
     "1: unless (n > 1) -> 3\n"
     "2: f = (n * fact((n - 1)))\n"
     "3: return\n",
     false},
    {"statement functions",
     "program p\n"
     "real*8 d, g\n"
     "f(x) = x * x + c\n"
     "g(x) = f(x) / 2\n"
     "d = g(c + 1.0)\n"
     "end\n",
     "program p\n"
     "  DOUBLE PRECISION d static 0\n"
     "  REAL c static 1\n"
     "0: d = DOUBLE PRECISION(((((c + 1r) * (c + 1r)) + c) / 2r))\n"
     "1: return\n",
     false},
    {"shifts in the paper's order",
     "program p\n"
     "real a(4, 5), b(4, 5), r(5), v(4)\n"
     "b = cshift(a, 1, -1) + cshift(a, shift=1, dim=2) + cshift(a, 2, shift=3)\n"
     "v = cshift(v, 2)\n"
     "b = eoshift(a, 2, -1, 1.5) + eoshift(a, 1, 1) + eoshift(a, 1, 1, boundary=r)\n"
     "end\n",
     "program p\n"
     "  REAL a(4, 5) on cm static 0\n"
     "  REAL b(4, 5) on cm static 1\n"
     "  REAL r(5) on cm static 2\n"
     "  REAL v(4) on cm static 3\n"
     "0: b = ((cshift(a, 1, -1) + cshift(a, 2, 1)) + cshift(a, 2, 3))\n"
     "1: v = cshift(v, 1, 2)\n"
     "2: b = ((eoshift(a, 2, -1, 1.5r) + eoshift(a, 1, 1, -)) + eoshift(a, 1, 1, r))\n"
     "3: return\n",
     false},
    {"shifts in fortran 90's order",
     "program p\n"
     "real a(4, 5), b(4, 5), r(5)\n"
     "b = cshift(a, -1, 2) + cshift(a, 1) + cshift(a, shift=1, dim=2)\n"
     "b = eoshift(a, -1, 1.5, 2) + eoshift(a, 1, r)\n"
     "end\n",
     "program p\n"
     "  REAL a(4, 5) on cm static 0\n"
     "  REAL b(4, 5) on cm static 1\n"
     "  REAL r(5) on cm static 2\n"
     "0: b = ((cshift(a, 2, -1) + cshift(a, 1, 1)) + cshift(a, 2, 1))\n"
     "1: b = (eoshift(a, 2, -1, 1.5r) + eoshift(a, 1, 1, r))\n"
     "2: return\n",
     true},
    {"intrinsic functions",
     "program p\n"
     "real a(4, 5), v(5), w(4)\n"
     "logical m(4, 5)\n"
     "complex z\n"
     "real*8 d\n"
     "a = merge(a, 0.0, m)\n"
     "v = sum(a, dim=1, mask=m)\n"
     "x = sum(a, m) + maxval(a) + dotproduct(v, v)\n"
     "k = count(m) + size(a, 2) + ubound(a, 1)\n"
     "w = matmul(a, v)\n"
     "a = spread(v, 1, 4)\n"
     "a = transpose(reshape([1:20], [5, 4]))\n"
     "z = cmplx(x, k) + conjg(z)\n"
     "d = dble(x) + dmax1(d, 1d0) + amax0(1, k) + real(z) + aimag(z)\n"
     "v = pack(a, m, v)\n"
     "a = unpack(v, m, 0.0)\n"
     "print *, maxloc(a), shape(a), btest(k, 2), ceiling(x), lbound(a)\n"
     "end\n",
     "program p\n"
     "  REAL a(4, 5) on cm static 0\n"
     "  REAL v(5) on cm static 1\n"
     "  REAL w(4) on cm static 2\n"
     "  LOGICAL m(4, 5) on cm static 3\n"
     "  REAL x static 4\n"
     "  INTEGER k static 5\n"
     "  INTEGER range#1 local 0\n"
     "  COMPLEX z static 6\n"
     "  DOUBLE PRECISION d static 7\n"
     "0: a = merge(a, 0r, m)\n"
     "1: v = sum(a, 1, m)\n"
     "2: x = ((sum(a, -, m) + maxval(a, -, -)) + dot_product(v, v))\n"
     "3: k = ((count(m, -) + 5) + 4)\n"
     "4: w = matmul(a, v)\n"
     "5: a = spread(v, 1, 4)\n"
     "6: a = REAL(transpose(reshape([(range#1, range#1 = 1, 20)], [5, 4], -, -)))\n"
     "7: z = (cmplx(x, REAL(k)) + conjg(z))\n"
     "8: d = ((((DOUBLE PRECISION(x) + max(d, 1d)) + DOUBLE PRECISION(REAL(max(1, k)))) + DOUBLE "
     "PRECISION(real(z))) + DOUBLE PRECISION(aimag(z)))\n"
     "9: v = pack(a, m, v)\n"
     "10: a = unpack(v, m, 0r)\n"
     "11: print * maxloc(a, -), shape(a), btest(k, 2), ceiling(x), lbound(a, -)\n"
     "12: return\n",
     false},
    {"pshift",
     "program p\n"
     "include '/usr/include/cm/cmssl-cmf.h'\n"
     "real a(8, 8), b(8, 8), c(8)\n"
     "integer id, ier\n"
     "id = pshift_setup(2, a, ier, cmssl_cshift, 1, 1, cmssl_eoshift_0, 2, -1)\n"
     "call pshift(2, id, ier, cmssl_cshift, b, a, 1, 1, cmssl_eoshift_array, a, b, 2, -1, c)\n"
     "call deallocate_pshift_setup(id)\n"
     "end\n",
     "program p\n"
     "  REAL a(8, 8) on cm static 0\n"
     "  REAL b(8, 8) on cm static 1\n"
     "  REAL c(8) on cm static 2\n"
     "  INTEGER id static 3\n"
     "  INTEGER ier static 4\n"
     "0: id = pshift_setup(2, a, ier, 1, 1, 1, 4, 2, -1)\n"
     "1: call pshift(2, id, ier, 1, b, a, 1, 1, 3, a, b, 2, -1, c)\n"
     "2: call deallocate_pshift_setup(id)\n"
     "3: return\n",
     false},
    {"library routines",
     "program p\n"
     "real x(10), y\n"
     "real*8 t\n"
     "integer k(5)\n"
     "call cm_timer_clear(0)\n"
     "call cm_timer_start(0)\n"
     "call random_number(x)\n"
     "call random_number(y)\n"
     "call cmf_random(k, 6)\n"
     "call cmf_randomize(7)\n"
     "t = cm_timer_read_cm_busy(0)\n"
     "end\n",
     "program p\n"
     "  REAL x(10) on cm static 0\n"
     "  INTEGER k(5) on cm static 1\n"
     "  REAL y static 2\n"
     "  DOUBLE PRECISION t static 3\n"
     "0: call cm_timer_clear(0)\n"
     "1: call cm_timer_start(0)\n"
     "2: call random_number(x)\n"
     "3: call random_number(y)\n"
     "4: call cmf_random(k, 6)\n"
     "5: call cmf_randomize(7)\n"
     "6: t = cm_timer_read_cm_busy(0)\n"
     "7: return\n",
     false},
    {"output",
     "program p\n"
     "real a(3)\n"
     "character*(*) fmt\n"
     "parameter (fmt = '(1x, 2i5)')\n"
     "print *\n"
     "print *, 'it''s', a, (a(i), i, i = 1, 3)\n"
     "write (*, 10) k, k\n"
     "write (6, fmt) k\n"
     "write (*, *) [1, 2]\n"
     "10 format (' k:', 2(i3, '/)'), 1p, e10.3e2, 3habc, t20, /, l2)\n"
     "end\n",
     "program p\n"
     "  REAL a(3) on fe static 0\n"
     "  INTEGER i static 1\n"
     "  INTEGER k static 2\n"
     "0: print *\n"
     "1: print * 'it's', a, (a(i), i, i = 1, 3)\n"
     "2: print (' k:', 2(i3, '/)'), 1p, e10.3e2, 3habc, t20, /, l2) k, k\n"
     "3: print (1x, 2i5) k\n"
     "4: print * [1, 2]\n"
     "5: return\n",
     false},
    {"character constants",
     "program p\n"
     "character(len=5), parameter :: a = 'abc', b*2 = 'xyz'\n"
     "character*(*), parameter :: c = 'hello'\n"
     "character d\n"
     "integer, parameter :: n = 3\n"
     "character(len=n) e\n"
     "parameter (d = 'dd', e = 'efgh')\n"
     "print *, a, '|', b, '|', c, '|', d, '|', e, '|'\n"
     "print '(a, a8, a)', a, b, c\n"
     "end\n",
     "program p\n"
     "0: print * 'abc  ', '|', 'xy', '|', 'hello', '|', 'd', '|', 'efg', '|'\n"
     "1: print (a, a8, a) 'abc  ', 'xy', 'hello'\n"
     "2: return\n",
     false},
    {"allocation",
     "program p\n"
     "real, allocatable :: a(:, :)\n"
     "integer ios\n"
     "allocate (a(0:3, 5), stat=ios)\n"
     "a = 1\n"
     "if (allocated(a)) deallocate (a)\n"
     "end\n",
     "program p\n"
     "  REAL a(:, :) on cm static 0 allocatable\n"
     "  INTEGER ios static 1\n"
     "0: allocate a(0:3, 1:5)\n"
     "1: ios = 0\n"
     "2: a = 1r\n"
     "3: unless allocated(a) -> 5\n"
     "4: deallocate a\n"
     "5: return\n",
     false},
    {"adjustable arrays",
     "subroutine s(a, b, c, n)\n"
     "real a(0:n, n * 2), b(n, *), c(:, 2:)\n"
     "real t(n)\n"
     "t = a(0:n - 1, 1) + b(:, 1)\n"
     "c(1, 2) = t(1)\n"
     "end\n",
     "subroutine s(a, b, c, n)\n"
     "  REAL a(0:n, (n * 2)) on cm argument 0\n"
     "  REAL b(n, :*) on cm argument 1\n"
     "  REAL c(:, 2:) on fe argument 2\n"
     "  INTEGER n argument 3\n"
     "  REAL t(n) on cm local 0\n"
     "0: t = (a(0:(n - 1), 1) + b(:, 1))\n"
     "1: c(1, 2) = t(1)\n"
     "2: return\n",
     false},
    {"jumps",
     "program p\n"
     "10 k = 1\n"
     "if (k) 10, 20, 30\n"
     "20 goto (10, 30), k\n"
     "30 if (k > 5) goto 10\n"
     "do i = 1, 2\n"
     "goto 40\n"
     "40 end do\n"
     "end\n",
     "program p\n"
     "  INTEGER k static 0\n"
     "  INTEGER i static 1\n"
     "0: k = 1\n"
     "1: sign k -> 0, 2, 3\n"
     "2: case k -> 0, 3\n"
     "3: unless (k > 5) -> 5\n"
     "4: jump -> 0\n"
     "5: do#0 i, 1, 2, - -> 8\n"
     "6: jump -> 7\n"
     "7: next#0 -> 6\n"
     "8: return\n",
     false},
};

START_TEST(program_becomes)
{
    expect_checked(&cases[_i]);
}
END_TEST

CM_PROGRAM(test_fortran_check_more)
{
    Suite *suite = suite_create("fortran checked");
    TCase *tests = tcase_create("program_becomes");
    tcase_add_loop_test(tests, program_becomes, 0, sizeof cases / sizeof cases[0]);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
