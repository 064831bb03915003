/* Wrong programs: messages about declarations, names and expressions. */
#include "fortran_checked.h"

static const struct checked_case cases[] = {
    {"undeclared names",
     "program p\n"
     "implicit none\n"
     "integer total\n"
     "totl = 3\n"
     "x = 1\n"
     "end\n",
     "4:1: \"totl\" is not declared\n"
     "hint: did you mean \"total\"?\n"
     "5:1: \"x\" is not declared\n",
     false},
    {"a type given twice",
     "program p\n"
     "integer a\n"
     "real a\n"
     "end\n",
     "3:6: \"a\" has a type already\n"
     "hint: it is declared as INTEGER in line 2\n",
     false},
    {"dimensions given twice",
     "program p\n"
     "real a(10)\n"
     "dimension a(10)\n"
     "end\n",
     "3:11: \"a\" has dimensions already\n", false},
    {"integer*8",
     "program p\n"
     "integer*8 n\n"
     "end\n",
     "2:1: INTEGER of this size is not supported\n"
     "hint: there are INTEGER, LOGICAL, REAL, REAL*8, COMPLEX and COMPLEX*16\n",
     false},
    {"real kinds",
     "program p\n"
     "real(kind=16) x\n"
     "logical*1 m\n"
     "complex*32 z\n"
     "end\n",
     "2:1: REAL of this size is not supported\n"
     "hint: there are INTEGER, LOGICAL, REAL, REAL*8, COMPLEX and COMPLEX*16\n"
     "3:1: LOGICAL of this size is not supported\n"
     "hint: there are INTEGER, LOGICAL, REAL, REAL*8, COMPLEX and COMPLEX*16\n"
     "4:1: COMPLEX of this size is not supported\n"
     "hint: there are INTEGER, LOGICAL, REAL, REAL*8, COMPLEX and COMPLEX*16\n",
     false},
    {"variables with the name of their unit",
     "program heat\n"
     "real heat(10)\n"
     "heat = 1\n"
     "end\n"
     "subroutine sum2(a)\n"
     "sum2 = a\n"
     "end\n",
     "3:1: \"heat\" is the name of this program unit, not a variable\n"
     "hint: give one of them another name\n"
     "6:1: \"sum2\" is the name of this program unit, not a variable\n"
     "hint: give one of them another name\n",
     false},
    {"sections of arrays of characters",
     "program p\n"
     "character*4 names(3), one\n"
     "names(1:2) = names(2:3)\n"
     "call s(names(1:2), 2)\n"
     "call s(names(2), 2)\n"
     "call s(one, 2)\n"
     "end\n"
     "subroutine s(texts, n)\n"
     "character*(*) texts(n)\n"
     "end\n",
     "3:14: a section of an array of CHARACTER can be printed, and have one value assigned\n"
     "5:8: argument \"texts\" of \"s\" is an array of rank 1, not a scalar\n"
     "hint: pass the whole array names\n"
     "6:8: argument \"texts\" of \"s\" is an array of rank 1, not a scalar\n",
     false},
    {"arrays of character variables",
     "subroutine p(d)\n"
     "character*8 names(3), more(2), d(4)\n"
     "character, allocatable :: a(:)\n"
     "logical mask(3)\n"
     "names = more\n"
     "names(1:2) = 'x'\n"
     "where (mask) names = 'x'\n"
     "forall (i = 1:3) names(i) = 'x'\n"
     "i = len(names)\n"
     "names(4) = 'x'\n"
     "print *, names(1)(1:2:1), names, more == 'x'\n"
     "names(1, 2) = names(1)\n"
     "names(1) = 3\n"
     "end\n",
     "3:27: \"a\": arrays of CHARACTER that are ALLOCATABLE or PARAMETERs are not supported\n"
     "5:9: \"more\" is an array of CHARACTER: as a whole it can be printed, and have one value "
     "assigned\n"
     "7:14: WHERE does not take CHARACTER values\n"
     "8:18: FORALL does not take CHARACTER values\n"
     "9:9: \"names\" is an array of CHARACTER: as a whole it can be printed, and have one value "
     "assigned\n"
     "10:7: subscript 4 is outside of dimension 1 of \"names\", 1:3\n"
     "11:19: a part of a text has no stride\n"
     "11:34: \"more\" is an array of CHARACTER: as a whole it can be printed, and have one value "
     "assigned\n"
     "12:1: \"names\" has 1 dimension, not 2\n"
     "13:12: a value of type INTEGER cannot become one of type CHARACTER\n",
     false},
    {"character variables",
     "program p\n"
     "implicit character*4 (q)\n"
     "character*8 name, names(3), any*(*)\n"
     "name = 5\n"
     "i = name\n"
     "any = 'x'\n"
     "q = 'x'\n"
     "name(2) = 'x'\n"
     "name(1:2:1) = 'x'\n"
     "i = name(1:2)(1:1)\n"
     "do name = 1, 2\n"
     "end do\n"
     "end\n"
     "character*4 function f(i)\n"
     "end\n",
     "3:29: \"any\": only arguments and PARAMETERs can have the length *\n"
     "4:8: a value of type INTEGER cannot become one of type CHARACTER\n"
     "5:5: a value of type CHARACTER cannot become one of type INTEGER\n"
     "7:1: \"q\": a CHARACTER variable needs a declaration of its own\n"
     "8:1: \"name\" is a scalar, and has no elements\n"
     "hint: declare its dimensions, or check the name\n"
     "9:6: a part of a text has no stride\n"
     "10:5: this is not a part of a text\n"
     "11:4: the variable of a DO is an INTEGER or REAL scalar\n"
     "14:22: \"f\": functions with CHARACTER values are not supported\n",
     false},
    {"a parameter that is not constant",
     "program p\n"
     "integer n\n"
     "parameter (m = n + 1)\n"
     "end\n",
     "3:18: the value of \"m\" is not constant\n", false},
    {"a parameter of another type",
     "program p\n"
     "logical l\n"
     "parameter (l = 3)\n"
     "end\n",
     "3:16: a value of type INTEGER cannot become one of type LOGICAL\n", false},
    {"bounds that are not constant",
     "program p\n"
     "integer n\n"
     "real a(n)\n"
     "end\n",
     "3:8: the bounds of \"a\" are not constant\n"
     "hint: use a PARAMETER, or ALLOCATE the array\n",
     false},
    {"bounds that are not integers",
     "program p\n"
     "real a(2.5)\n"
     "end\n",
     "2:8: a bound is INTEGER, not REAL\n", false},
    {"a bound without a value",
     "subroutine s\n"
     "integer n\n"
     "real a(n)\n"
     "end\n",
     "3:8: \"n\" has no value when the bounds of \"a\" are computed\n", false},
    {"deferred shape of a local array",
     "program p\n"
     "real a(:)\n"
     "end\n",
     "2:8: dimension 1 of \"a\" has no upper bound\n"
     "hint: only ALLOCATABLE arrays and arguments can have (:)\n",
     false},
    {"assumed size of a local array",
     "program p\n"
     "real a(*)\n"
     "end\n",
     "2:8: \"a\" is not an argument, and cannot have (*)\n", false},
    {"allocatable with bounds",
     "program p\n"
     "real, allocatable :: a(10)\n"
     "end\n",
     "2:24: ALLOCATABLE \"a\" has bounds in its declaration\n"
     "hint: write (:), and the bounds in ALLOCATE\n",
     false},
    {"optional arguments",
     "subroutine s(a, b, c)\n"
     "real, optional :: a, d\n"
     "integer, optional :: c\n"
     "if (present(b)) a = 1\n"
     "if (present(a + 1)) a = 1\n"
     "end\n"
     "program p\n"
     "call s\n"
     "call s(c=1)\n"
     "call s(1.0, 2.0, 3, 4)\n"
     "call s(1.0, c=2)\n"
     "call s(b=1.0)\n"
     "end\n",
     "2:22: \"d\" is OPTIONAL and is not an argument\n"
     "4:13: PRESENT takes an OPTIONAL argument\n"
     "5:15: PRESENT takes an OPTIONAL argument\n"
     "8:6: \"s\" has 3 arguments, and is called with 0\n"
     "hint: it is in a.f90, line 1\n"
     "9:6: argument \"b\" of \"s\" is missing\n"
     "10:6: \"s\" has 3 arguments, and is called with 4\n"
     "hint: it is in a.f90, line 1\n"
     "11:6: argument \"b\" of \"s\" is missing\n",
     false},
    {"intent of a local variable",
     "program p\n"
     "integer, intent(in) :: k\n"
     "end\n",
     "2:24: \"k\" has an INTENT and is not an argument\n", false},
    {"an argument given twice",
     "subroutine s(a, a)\n"
     "end\n",
     "1:17: the argument \"a\" is given twice\n", false},
    {"two units with one name",
     "subroutine s\n"
     "end\n"
     "subroutine s\n"
     "end\n",
     "3:12: there are two units with the name \"s\"\n"
     "hint: the other is in line 1\n",
     false},
    {"two main programs",
     "program a\n"
     "end\n"
     "program b\n"
     "end\n",
     "3:1: there are two main programs\n"
     "hint: the first begins in line 1\n",
     false},
    {"an array in common with another shape",
     "program p\n"
     "common /c/ a(10), k\n"
     "end\n"
     "subroutine s\n"
     "common /c/ b(11), k\n"
     "end\n",
     "5:12: \"b\" of COMMON /c/ has the shape (11) here and (10) elsewhere\n"
     "hint: \"a\" is its other declaration, in a.f90, line 2\n",
     false},
    {"a common member of another type",
     "program p\n"
     "common /c/ a, k\n"
     "end\n"
     "subroutine s\n"
     "common /c/ i, k\n"
     "end\n",
     "5:12: \"i\" of COMMON /c/ is INTEGER here and REAL elsewhere\n"
     "hint: \"a\" is its other declaration, in a.f90, line 2\n",
     false},
    {"a common block with more members",
     "program p\n"
     "common /c/ a, k\n"
     "end\n"
     "subroutine s\n"
     "common /c/ a, k, l\n"
     "end\n",
     "5:9: COMMON /c/ has 3 members here and 2 elsewhere\n"
     "hint: its other declaration is in a.f90, line 2\n",
     false},
    {"an argument in common",
     "subroutine s(a)\n"
     "common a\n"
     "end\n",
     "2:8: the argument \"a\" cannot be in COMMON\n", false},
    {"too few values in data",
     "program p\n"
     "real a(10)\n"
     "data a /9*0.0/\n"
     "end\n",
     "3:6: DATA has fewer values than elements\n", false},
    {"too many values in data",
     "program p\n"
     "real a(10)\n"
     "data a /11*0.0/\n"
     "end\n",
     "3:6: DATA has more values than elements\n", false},
    {"data of another type",
     "program p\n"
     "logical l\n"
     "data l /1/\n"
     "end\n",
     "3:9: a value of type INTEGER cannot become one of type LOGICAL\n", false},
    {"data outside of an array",
     "program p\n"
     "real a(10)\n"
     "data (a(i), i = 1, 11) /11*1.0/\n"
     "end\n",
     "3:9: subscript 11 is outside of dimension 1 of \"a\", 1:10\n", false},
    {"data that is not constant",
     "program p\n"
     "data x /y/\n"
     "end\n",
     "2:9: a value of DATA is not constant\n", false},
    {"a subscript out of bounds",
     "program p\n"
     "real a(0:9)\n"
     "a(10) = a(-1)\n"
     "end\n",
     "3:3: subscript 10 is outside of dimension 1 of \"a\", 0:9\n"
     "3:11: subscript -1 is outside of dimension 1 of \"a\", 0:9\n",
     false},
    {"too many subscripts",
     "program p\n"
     "real a(10)\n"
     "a(1, 2) = 0\n"
     "end\n",
     "3:1: \"a\" has 1 dimension, not 2\n", false},
    {"a real subscript",
     "program p\n"
     "real a(10)\n"
     "a(2.0) = 0\n"
     "end\n",
     "3:3: a subscript is INTEGER, not REAL\n", false},
    {"a scalar with subscripts",
     "program p\n"
     "real total\n"
     "x = total(3)\n"
     "end\n",
     "3:5: \"total\" is neither an array nor a function of this file\n", false},
    {"a name misspelt",
     "program p\n"
     "real velocity(10)\n"
     "x = velocty(3)\n"
     "velocty(2) = 1\n"
     "end\n",
     "3:5: \"velocty\" is neither an array nor a function of this file\n"
     "hint: did you mean \"velocity\"?\n"
     "4:1: \"velocty\" is not an array\n"
     "hint: did you mean \"velocity\"?\n",
     false},
    {"a section without end of an assumed size",
     "subroutine s(a)\n"
     "real a(10, *)\n"
     "a(:, :) = 0\n"
     "a = 0\n"
     "end\n",
     "3:6: the last dimension of \"a\" (*) needs an upper bound here\n"
     "4:1: \"a\" has no last bound (*): it has no shape as a whole\n"
     "hint: use a section with bounds, or declare its shape\n",
     false},
    {"a stride of zero",
     "program p\n"
     "real a(10)\n"
     "a(1:10:0) = 0\n"
     "end\n",
     "3:3: the stride of a section cannot be 0\n", false},
    {"shapes that do not conform",
     "program p\n"
     "real a(10), b(11)\n"
     "a = b\n"
     "a(1:5) = b(1:10:2) + b(1:4)\n"
     "end\n",
     "3:1: the two sides do not conform: shapes (10) and (11)\n"
     "4:20: the operands of + do not conform: shapes (5) and (4)\n",
     false},
    {"ranks that do not conform",
     "program p\n"
     "real a(10), b(10, 10)\n"
     "a = a + b\n"
     "end\n",
     "3:7: the operands of + do not conform: rank 1 and rank 2\n", false},
    {"an array to a scalar",
     "program p\n"
     "real a(10)\n"
     "x = a\n"
     "end\n",
     "3:1: an array of rank 1 cannot become a scalar\n", false},
    {"logical and number",
     "program p\n"
     "logical l\n"
     "l = 1\n"
     "x = .true.\n"
     "k = l .and. 3\n"
     "y = l + 1\n"
     "end\n",
     "3:5: a value of type INTEGER cannot become one of type LOGICAL\n"
     "4:5: a value of type LOGICAL cannot become one of type REAL\n"
     "5:7: .AND. cannot join LOGICAL and INTEGER\n"
     "6:7: + cannot join LOGICAL and INTEGER\n",
     false},
    {"comparison of logical values",
     "program p\n"
     "logical l\n"
     "l = l == .true.\n"
     "end\n",
     "3:7: .EQ. cannot join LOGICAL and LOGICAL\n"
     "hint: logical values are compared by .EQV.\n",
     false},
    {"order of complex numbers",
     "program p\n"
     "complex z\n"
     "logical l\n"
     "l = z < z\n"
     "end\n",
     "4:7: complex numbers have no order: .LT. is not possible\n", false},
    {"routines that are not there",
     "program p\n"
     "logical m(4)\n"
     "m = .true.\n"
     "print *, firstloc(m), cmf_get_rank(m)\n"
     "call cmf_scan_add(a, b)\n"
     "call cm_timer_strat(1)\n"
     "call random_seed\n"
     "print *, dprod(1.0, 2d0), ibits(1, 2.0, 3), ishftc(1)\n"
     "end\n",
     "4:10: the function \"firstloc\" is not supported\n"
     "hint: MAXLOC(MERGE(1, 0, MASK)) gives the place of the first true element\n"
     "4:23: the function \"cmf_get_rank\" is not supported\n"
     "hint: of these routines there are CMF_AREF_1D, CMF_ASET_1D, CMF_RANDOM and CMF_RANDOMIZE; a "
     "workload has steps for "
     "scan, sort, gather and scatter, and its step call runs a subroutine on the arrays\n"
     "5:6: the subroutine \"cmf_scan_add\" is not supported\n"
     "hint: of these routines there are CMF_AREF_1D, CMF_ASET_1D, CMF_RANDOM and CMF_RANDOMIZE; a "
     "workload has steps for "
     "scan, sort, gather and scatter, and its step call runs a subroutine on the arrays\n"
     "6:6: the subroutine \"cm_timer_strat\" is not supported\n"
     "hint: did you mean \"cm_timer_start\"?\n"
     "7:6: the subroutine \"random_seed\" is not supported\n"
     "hint: CMF_RANDOMIZE(SEED) sets the seed\n"
     "8:21: the arguments of DPROD have different types: REAL and DOUBLE PRECISION\n"
     "hint: INT, REAL and DBLE convert\n"
     "8:36: IBITS takes INTEGER, not REAL\n"
     "8:45: argument SHIFT of ISHFTC is missing\n"
     "hint: its arguments are: I SHIFT SIZE?\n",
     false},
    {"concatenation",
     "program p\n"
     "print *, 'a' // 'b' // 3, 'a' + 1, 'a' .and. 'b', 'a' == 1, -'a'\n"
     "print *, len(5), char('a'), index('a', 'b', 1), repeat('a', [1, 2])\n"
     "end\n",
     "2:21: // cannot join CHARACTER and INTEGER\n"
     "2:31: + cannot be applied to CHARACTER values\n"
     "2:40: .AND. cannot be applied to CHARACTER values\n"
     "2:55: .EQ. cannot join CHARACTER and INTEGER\n"
     "2:61: - cannot be applied to CHARACTER\n"
     "3:14: LEN takes CHARACTER here, not INTEGER\n"
     "3:23: CHAR takes INTEGER here, not CHARACTER\n"
     "3:45: INDEX takes LOGICAL here, not INTEGER\n"
     "3:61: REPEAT takes INTEGER here, not an array of INTEGER\n",
     false},
    {"an integer too large",
     "program p\n"
     "k = 2147483648\n"
     "l = -2147483648\n"
     "end\n",
     "2:5: 2147483648 is too large for an INTEGER\n", false},
    {"a real too large",
     "program p\n"
     "x = 1e39\n"
     "y = 1e38\n"
     "end\n",
     "2:5: 1e39 is too large for a REAL\n", false},
    {"assignment to a parameter",
     "program p\n"
     "parameter (n = 3)\n"
     "n = 4\n"
     "end\n",
     "3:1: \"n\" is a PARAMETER, and cannot be changed\n", false},
    {"assignment to intent in",
     "subroutine s(a)\n"
     "real, intent(in) :: a\n"
     "a = 1\n"
     "end\n",
     "3:1: \"a\" is INTENT(IN), and cannot be changed\n", false},
    {"assignment to the variable of a loop",
     "program p\n"
     "do i = 1, 3\n"
     "i = 4\n"
     "end do\n"
     "end\n",
     "3:1: \"i\" is the variable of a DO around this, and cannot be changed\n", false},
    {"nested loops with one variable",
     "program p\n"
     "do i = 1, 3\n"
     "do i = 1, 3\n"
     "end do\n"
     "end do\n"
     "end\n",
     "3:4: \"i\" is the variable of a DO around this\n", false},
    {"a loop over an array",
     "program p\n"
     "real a(3)\n"
     "do a = 1, 3\n"
     "end do\n"
     "end\n",
     "3:4: the variable of a DO is an INTEGER or REAL scalar\n", false},
    {"a step of zero",
     "program p\n"
     "do i = 1, 3, 0\n"
     "end do\n"
     "end\n",
     "2:14: the step of a loop cannot be 0\n", false},
    {"a condition of numbers",
     "program p\n"
     "if (k) k = 1\n"
     "end\n",
     "2:5: a condition is LOGICAL, not INTEGER\n", false},
    {"a condition of an array",
     "program p\n"
     "real a(10)\n"
     "if (a > 0) k = 1\n"
     "end\n",
     "3:7: a condition is a scalar, not an array of rank 1\n"
     "hint: ANY(mask) and ALL(mask) make one value of an array; WHERE works on elements\n",
     false},
};

START_TEST(wrong_name_is_reported)
{
    expect_checked(&cases[_i]);
}
END_TEST

CM_PROGRAM(test_fortran_check_names)
{
    Suite *suite = suite_create("fortran messages");
    TCase *tests = tcase_create("wrong_name_is_reported");
    tcase_add_loop_test(tests, wrong_name_is_reported, 0, sizeof cases / sizeof cases[0]);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
