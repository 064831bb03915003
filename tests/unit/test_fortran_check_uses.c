/* Wrong programs: messages about statements, calls and directives. */
#include "fortran_checked.h"

static const struct checked_case cases[] = {
    {"exit outside of a loop",
     "program p\n"
     "exit\n"
     "cycle\n"
     "end\n",
     "2:1: EXIT is not in a DO\n"
     "3:1: CYCLE is not in a DO\n",
     false},
    {"a loop name misspelt",
     "program p\n"
     "outer: do i = 1, 3\n"
     "exit inner\n"
     "end do outer\n"
     "end\n",
     "3:1: no DO around this has the name \"inner\"\n", false},
    {"a missing label",
     "program p\n"
     "goto 10\n"
     "20 continue\n"
     "end\n",
     "2:6: no statement of this unit has the label 10\n", false},
    {"a label given twice",
     "program p\n"
     "10 continue\n"
     "10 continue\n"
     "end\n",
     "3:4: label 10 is given twice\n"
     "hint: it is in line 2 too\n",
     false},
    {"a jump into a block",
     "program p\n"
     "goto 10\n"
     "if (k == 1) then\n"
     "10 k = 2\n"
     "end if\n"
     "end\n",
     "2:6: this jumps into a block from outside, to label 10\n"
     "hint: the label is in line 4\n",
     false},
    {"a jump to a format",
     "program p\n"
     "goto 10\n"
     "10 format (i5)\n"
     "end\n",
     "2:6: label 10 is that of a FORMAT\n", false},
    {"where with a scalar",
     "program p\n"
     "real a(10)\n"
     "where (k > 0) a = 1\n"
     "where (a > 0) k = 1\n"
     "end\n",
     "3:10: the mask of a WHERE is a LOGICAL array\n"
     "hint: IF takes a scalar\n"
     "4:15: WHERE assigns to arrays, and this is a scalar\n",
     false},
    {"where with another shape",
     "program p\n"
     "real a(10), b(5)\n"
     "where (a > 0) b = 1\n"
     "end\n",
     "3:15: the mask and the array do not conform: shapes (10) and (5)\n", false},
    {"statements in where",
     "program p\n"
     "real a(10)\n"
     "where (a > 0)\n"
     "print *, a\n"
     "end where\n"
     "end\n",
     "4:1: only assignments and WHERE can be in a WHERE\n", false},
    {"an index of forall given twice",
     "program p\n"
     "real a(10)\n"
     "forall (i = 1:10, i = 1:10) a(i) = 1\n"
     "end\n",
     "3:19: the index \"i\" is given twice\n", false},
    {"a whole array in forall",
     "program p\n"
     "real a(10)\n"
     "forall (i = 1:10) a = 1\n"
     "end\n",
     "3:19: FORALL assigns to elements, not to \"a\" as a whole\n", false},
    {"assignment to an index",
     "program p\n"
     "integer a(10)\n"
     "forall (i = 1:10) i = 1\n"
     "end\n",
     "3:19: the index \"i\" cannot be changed here\n", false},
    {"a missing subroutine",
     "program p\n"
     "call jacobi(x)\n"
     "end\n",
     "2:6: there is no subroutine \"jacobi\" in this file\n", false},
    {"a subroutine misspelt",
     "program p\n"
     "call jacoby(x)\n"
     "end\n"
     "subroutine jacobi(x)\n"
     "end\n",
     "2:6: there is no subroutine \"jacoby\" in this file\n"
     "hint: did you mean \"jacobi\"?\n",
     false},
    {"a function called",
     "program p\n"
     "call f(x)\n"
     "y = s(x)\n"
     "end\n"
     "function f(x)\n"
     "f = x\n"
     "end\n"
     "subroutine s(x)\n"
     "end\n",
     "2:6: \"f\" is a function, not a subroutine\n"
     "hint: write <variable> = f(...)\n"
     "3:5: \"s\" is a subroutine, not a function\n"
     "hint: write CALL s\n",
     false},
    {"too few arguments",
     "program p\n"
     "call s(x)\n"
     "end\n"
     "subroutine s(a, b)\n"
     "end\n",
     "2:6: \"s\" has 2 arguments, and is called with 1\n"
     "hint: it is in a.f90, line 4\n",
     false},
    {"arguments of other types",
     "program p\n"
     "call s(1, 1.0)\n"
     "end\n"
     "subroutine s(a, b)\n"
     "real*8 b\n"
     "end\n",
     "2:8: argument \"a\" of \"s\" is REAL, not INTEGER\n"
     "hint: write a constant with a decimal point, and without D\n"
     "2:11: argument \"b\" of \"s\" is DOUBLE PRECISION, not REAL\n"
     "hint: write a constant with D0\n",
     false},
    {"arguments of other ranks",
     "program p\n"
     "real a(10), b(10, 10)\n"
     "call s(b)\n"
     "call s(a(1))\n"
     "call s(1.0)\n"
     "call t(a)\n"
     "end\n"
     "subroutine s(a)\n"
     "real a(10)\n"
     "end\n"
     "subroutine t(x)\n"
     "end\n",
     "3:8: argument \"a\" of \"s\" has rank 1, not 2\n"
     "4:8: argument \"a\" of \"s\" is an array of rank 1, not a scalar\n"
     "hint: pass a section, such as a(i:j)\n"
     "5:8: argument \"a\" of \"s\" is an array of rank 1, not a scalar\n"
     "6:8: argument \"x\" of \"t\" is a scalar, not an array of rank 1\n",
     false},
    {"an argument that is too small",
     "program p\n"
     "real a(9)\n"
     "call s(a)\n"
     "end\n"
     "subroutine s(a)\n"
     "real a(10)\n"
     "end\n",
     "3:8: argument \"a\" of \"s\" has the shape (10), and this array only (9)\n", false},
    {"a constant that is returned",
     "program p\n"
     "call s(1.0)\n"
     "end\n"
     "subroutine s(a)\n"
     "real, intent(out) :: a\n"
     "a = 1\n"
     "end\n",
     "2:8: argument \"a\" of \"s\" returns a value: it needs a variable\n", false},
    {"a function of another type",
     "program p\n"
     "x = f(1.0)\n"
     "end\n"
     "real*8 function f(x)\n"
     "f = x\n"
     "end\n",
     "2:5: the function \"f\" is REAL here, and DOUBLE PRECISION in its unit\n"
     "hint: declare it: DOUBLE PRECISION f\n",
     false},
    {"recursion",
     "subroutine s\n"
     "call t\n"
     "end\n"
     "subroutine t\n"
     "call s\n"
     "end\n"
     "function f(x)\n"
     "f = f(x)\n"
     "end\n",
     "5:6: \"s\" calls itself through other units\n"
     "hint: declare the units RECURSIVE\n"
     "8:5: \"f\" calls itself\n"
     "hint: declare the units RECURSIVE\n",
     false},
    {"a statement function that uses itself",
     "program p\n"
     "f(x) = g(x)\n"
     "g(x) = f(x)\n"
     "y = f(1.0)\n"
     "end\n",
     "3:8: the statement function \"f\" uses itself\n", false},
    {"arguments of statement functions",
     "program p\n"
     "f(x) = x\n"
     "y = f(1)\n"
     "y = f(1.0, 2.0)\n"
     "end\n",
     "3:7: argument \"x\" of the statement function \"f\" is REAL, not INTEGER\n"
     "hint: write a constant with a decimal point, and without D\n"
     "4:5: the statement function \"f\" has 1 argument, not 2\n",
     false},
    {"types of elemental functions",
     "program p\n"
     "x = sqrt(2)\n"
     "x = sin(.true.)\n"
     "k = iand(1.0, 2)\n"
     "x = mod(3.0, 2)\n"
     "x = dsqrt(2.0)\n"
     "x = aimag(1.0)\n"
     "end\n",
     "2:10: SQRT takes REAL, DOUBLE PRECISION or COMPLEX, not INTEGER\n"
     "hint: REAL(n) makes a REAL of an INTEGER\n"
     "3:9: SIN takes REAL, DOUBLE PRECISION or COMPLEX, not LOGICAL\n"
     "4:10: IAND takes INTEGER, not REAL\n"
     "5:14: the arguments of MOD have different types: REAL and INTEGER\n"
     "hint: INT, REAL and DBLE convert\n"
     "6:11: DSQRT takes DOUBLE PRECISION, not REAL\n"
     "hint: sqrt takes any type\n"
     "7:11: AIMAG takes COMPLEX, not REAL\n",
     false},
    {"arguments of intrinsic functions",
     "program p\n"
     "x = sqrt(1.0, 2.0)\n"
     "x = atan2(1.0)\n"
     "x = sqrt(y=1.0)\n"
     "x = max(1.0)\n"
     "end\n",
     "2:15: SQRT has too many arguments\n"
     "hint: its arguments are: X\n"
     "3:5: argument X of ATAN2 is missing\n"
     "hint: its arguments are: Y X\n"
     "4:10: SQRT has no argument y\n"
     "hint: its arguments are: X\n"
     "5:5: MAX needs two arguments or more\n",
     false},
    {"reductions",
     "program p\n"
     "real a(10), b(5, 5)\n"
     "x = sum(a, 2)\n"
     "x = sum(x)\n"
     "k = count(a)\n"
     "x = maxval(a, mask=a)\n"
     "x = sum(b, 3)\n"
     "x = any(b > 0)\n"
     "end\n",
     "3:12: DIM of SUM is 2; the array has rank 1\n"
     "4:9: SUM takes an array, not a scalar\n"
     "5:11: COUNT takes an array of LOGICAL values, not of REAL\n"
     "6:20: MASK of MAXVAL is LOGICAL, not REAL\n"
     "7:12: DIM of SUM is 3; the array has rank 2\n"
     "8:5: a value of type LOGICAL cannot become one of type REAL\n",
     false},
    {"transformational functions",
     "program p\n"
     "real a(10), b(5, 5), c(4, 4)\n"
     "b = matmul(b, c)\n"
     "a = matmul(a, a)\n"
     "a = transpose(a)\n"
     "x = dot_product(a, b)\n"
     "b = spread(a, 4, 2)\n"
     "b = reshape(a, [5, 5])\n"
     "a = pack(a, 1)\n"
     "end\n",
     "3:5: MATMUL cannot multiply the shapes (5, 5) and (4, 4)\n"
     "4:5: MATMUL takes two matrices, or a matrix and a vector, not ranks 1 and 1\n"
     "5:5: TRANSPOSE takes a matrix, not rank 1\n"
     "6:5: DOT_PRODUCT takes two vectors, not ranks 1 and 2\n"
     "7:15: DIM of SPREAD is 4; the result has rank 2\n"
     "8:5: RESHAPE needs 25 elements, and SOURCE has 10\n"
     "9:13: MASK of PACK is LOGICAL, not INTEGER\n",
     false},
    {"the order of cshift",
     "program p\n"
     "real a(10, 10)\n"
     "a = cshift(a, -1, 1)\n"
     "a = cshift(a, 3, 1)\n"
     "a = cshift(a, 1)\n"
     "a = cshift(a, shft=1, dim=1)\n"
     "a = eoshift(a, 0, 2)\n"
     "end\n",
     "3:15: DIM of CSHIFT is -1; the array has rank 2\n"
     "hint: without keywords the arguments are (array, dim, shift); --cshift-order f90 for (array, "
     "shift, dim)\n"
     "4:15: DIM of CSHIFT is 3; the array has rank 2\n"
     "hint: without keywords the arguments are (array, dim, shift); --cshift-order f90 for (array, "
     "shift, dim)\n"
     "5:5: argument DIM of CSHIFT is missing\n"
     "6:15: CSHIFT has no argument shft\n"
     "hint: its arguments are: ARRAY DIM SHIFT\n"
     "7:16: DIM of EOSHIFT is 0; the array has rank 2\n"
     "hint: without keywords the arguments are (array, dim, shift, boundary); --cshift-order f90 "
     "for (array, shift, boundary, dim)\n",
     false},
    {"inquiries",
     "program p\n"
     "real a(10), x\n"
     "k = size(x)\n"
     "k = size(a, 2)\n"
     "if (allocated(a)) k = 1\n"
     "end\n",
     "3:10: SIZE takes an array, not a scalar\n"
     "4:13: DIM of SIZE is 2; the array has rank 1\n"
     "5:15: ALLOCATED takes an ALLOCATABLE array\n",
     false},
    {"an unknown function",
     "program p\n"
     "x = sqr(2.0)\n"
     "y = erf(1.0)\n"
     "end\n",
     "2:5: \"sqr\" is neither an array nor a function of this file\n"
     "hint: did you mean \"sqrt\"?\n"
     "3:5: \"erf\" is neither an array nor a function of this file\n",
     false},
    {"constructors",
     "program p\n"
     "real a(3)\n"
     "a = [1, .true.]\n"
     "a = [1.0, 2.0]\n"
     "a = [1:5:0]\n"
     "end\n",
     "3:9: a constructor cannot join INTEGER and LOGICAL\n"
     "4:1: the two sides do not conform: shapes (3) and (2)\n"
     "5:6: the step of a range cannot be 0\n",
     false},
    {"units of output",
     "program p\n"
     "write (1.5, *) x\n"
     "write (*, 20) x\n"
     "end\n",
     "2:8: a unit is an INTEGER, or a CHARACTER variable for an internal file\n"
     "3:1: no FORMAT of this unit has the label 20\n",
     false},
    {"edit descriptors",
     "program p\n"
     "print '(i5, q3)', k\n"
     "print '(f8)', x\n"
     "print '(i5', k\n"
     "write (*, 10) k\n"
     "10 format (1x, y8)\n"
     "end\n",
     "2:7: an edit descriptor is not supported in this format: q3)\n"
     "3:7: the digits after the point are missing in this format: f8)\n"
     "4:7: a parenthesis is not closed in this format: i5\n"
     "6:11: an edit descriptor is not supported in this format: y8)\n",
     false},
    {"allocation",
     "program p\n"
     "real a(10)\n"
     "real, allocatable :: b(:, :)\n"
     "allocate (a(10))\n"
     "allocate (b(10))\n"
     "allocate (b(1:2:3, 4))\n"
     "deallocate (c)\n"
     "end\n",
     "4:11: \"a\" is not ALLOCATABLE\n"
     "5:11: \"b\" needs the bounds of 2 dimensions here\n"
     "6:13: ALLOCATE takes the bounds lower:upper\n"
     "7:13: \"c\" is not ALLOCATABLE\n",
     false},
    {"select case",
     "program p\n"
     "real x\n"
     "select case (x)\n"
     "case (1)\n"
     "end select\n"
     "select case (k)\n"
     "case (1.0)\n"
     "case (n)\n"
     "case default\n"
     "case default\n"
     "end select\n"
     "end\n",
     "3:14: the value of SELECT CASE is an INTEGER, LOGICAL or CHARACTER scalar\n"
     "7:7: a value of this CASE is INTEGER, not REAL\n"
     "8:7: a value of a CASE is constant\n"
     "10:1: there are two CASE DEFAULT\n",
     false},
    {"arithmetic if",
     "program p\n"
     "logical l\n"
     "if (l) 10, 10, 10\n"
     "10 continue\n"
     "end\n",
     "3:5: the value of an arithmetic IF is a scalar number with a sign\n", false},
    {"directives",
     "program p\n"
     "real a(10, 10), b(10)\n"
     "!cmf$ layout a(:news)\n"
     "!cmf$ layout c(:news)\n"
     "!cmf$ layout b(0:news)\n"
     "!cmf$ align b(i) with a(j, k)\n"
     "end\n",
     "3:14: the LAYOUT of \"a\" has 1 axis, and the array has rank 2\n"
     "4:14: \"c\" is not an array of this unit\n"
     "5:16: the weight of an axis is at least 1, not 0\n"
     "6:15: \"a\" has no axis of that name\n",
     false},
    {"pshift",
     "program p\n"
     "include '/usr/include/cm/cmssl-cmf.h'\n"
     "real a(10), b(10), c(5)\n"
     "integer id, ier\n"
     "call pshift(2, id, ier, cmssl_cshift, a, b, 1, 1)\n"
     "call pshift(1, id, ier, 9, a, b, 1, 1)\n"
     "call pshift(1, id, ier, cmssl_cshift, a, c, 1, 1)\n"
     "call pshift(1, id, ier, cmssl_cshift, a, b, 2, 1)\n"
     "call pshift(1, id, ier, cmssl_eoshift_scalar, a, b, 1, 1)\n"
     "id = pshift_setup(1, a, 3, cmssl_cshift, 1, 1)\n"
     "k = deallocate_pshift_setup(id)\n"
     "end\n",
     "5:13: N is 2, and the call has 1 shift\n"
     "6:25: TYPE is not one of the CMSSL_ constants\n"
     "hint: write INCLUDE '/usr/include/cm/cmssl-cmf.h', and CMSSL_CSHIFT or another of its "
     "constants\n"
     "7:39: DESTINATION and SOURCE do not conform: shapes (10) and (5)\n"
     "8:45: DIM of pshift is 2; the array has rank 1\n"
     "9:6: argument BOUNDARY of pshift is missing\n"
     "hint: its arguments are: N ID IER TYPE DESTINATION SOURCE DIM DISTANCE BOUNDARY? ...\n"
     "10:25: nothing can be assigned to this\n"
     "11:5: \"deallocate_pshift_setup\" is a subroutine, not a function\n"
     "hint: write CALL\n",
     false},
    {"tables",
     "program p\n"
     "real a(10, 20), c(20), d(10, 20)\n"
     "integer k(20)\n"
     "call cmf_aref_1d(c, a, k, c > 0.0)\n"
     "call cmf_aref_1d(k, a, k)\n"
     "call cmf_aref_1d(c, a(1:5, :), k)\n"
     "call cmf_aset_1d(a, d, k)\n"
     "call cmf_aset_1d(a, c, k, k)\n"
     "call cmf_aset_1d(a, c)\n"
     "end\n",
     "5:21: SOURCE of cmf_aref_1d has one dimension more than the elements, and their type\n"
     "hint: its arguments are: DEST SOURCE INDEX MASK?\n"
     "6:21: SOURCE is a whole array, not a part or an expression\n"
     "hint: its arguments are: DEST SOURCE INDEX MASK?\n"
     "7:21: SOURCE of cmf_aset_1d is REAL of rank 1 or a scalar\n"
     "hint: its arguments are: DEST SOURCE INDEX MASK?\n"
     "8:27: MASK of cmf_aset_1d is LOGICAL of rank 1 or a scalar\n"
     "hint: its arguments are: DEST SOURCE INDEX MASK?\n"
     "9:6: argument INDEX of cmf_aset_1d is missing\n"
     "hint: its arguments are: DEST SOURCE INDEX MASK?\n",
     false},
    {"setups of shifts called",
     "program p\n"
     "include '/usr/include/cm/cmssl-cmf.h'\n"
     "real a(10)\n"
     "integer id, ier\n"
     "call pshift_setup(1, a, ier, cmssl_cshift, 1, 1)\n"
     "call pshift_setup_looped(id, 1, a, ier, cmssl_cshift, 1, 1)\n"
     "call cm_timer_read_cm_busy(0)\n"
     "id = pshift_setup(a, 1, ier, cmssl_cshift, 1, 1)\n"
     "id = pshift_setup(1, id, ier, cmssl_cshift, 1, 1)\n"
     "end\n",
     "5:6: \"pshift_setup\" is a function, not a subroutine\n"
     "hint: write ID = pshift_setup(N, PROTOTYPE, IER, CMSSL_CSHIFT, DIM, DISTANCE, ...), with "
     "TYPE, DIM and DISTANCE of each of N shifts\n"
     "6:6: \"pshift_setup_looped\" is a function, not a subroutine\n"
     "hint: write ID = pshift_setup_looped(N, PROTOTYPE, IER, CMSSL_CSHIFT, DIM, DISTANCE, ...), "
     "with TYPE, DIM and DISTANCE of each of N shifts\n"
     "7:6: \"cm_timer_read_cm_busy\" is a function, not a subroutine\n"
     "hint: write <variable> = cm_timer_read_cm_busy(TIMER)\n"
     "8:19: N is a scalar, not an array of rank 1\n"
     "hint: its arguments are: N PROTOTYPE IER TYPE DIM DISTANCE ...\n"
     "9:22: PROTOTYPE is a whole array, not a scalar\n"
     "hint: its arguments are: N PROTOTYPE IER TYPE DIM DISTANCE ...\n",
     false},
    {"a letter with two implicit types",
     "program p\n"
     "implicit real*8 (a-h), complex (g, x)\n"
     "implicit integer (x)\n"
     "end\n",
     "2:1: IMPLICIT gives the letter G two types\n"
     "3:1: IMPLICIT gives the letter X two types\n",
     false},
    {"pshift without its header",
     "program p\n"
     "real a(10), b(10)\n"
     "integer id, ier\n"
     "call pshift(1, id, ier, cmssl_cshift, a, b, 1, 1)\n"
     "end\n",
     "4:25: TYPE is not one of the CMSSL_ constants\n"
     "hint: write INCLUDE '/usr/include/cm/cmssl-cmf.h', and CMSSL_CSHIFT or another of its "
     "constants\n",
     false},
    {"random numbers",
     "program p\n"
     "logical l(10)\n"
     "integer k\n"
     "call random_number(l)\n"
     "call random_number(k)\n"
     "call cm_timer_start(1.0)\n"
     "call cm_timer_start(1, 2)\n"
     "end\n",
     "4:20: random_number cannot fill a variable of type LOGICAL\n"
     "5:20: random_number cannot fill a variable of type INTEGER\n"
     "6:21: TIMER is INTEGER, not REAL\n"
     "hint: its arguments are: TIMER\n"
     "7:24: cm_timer_start has too many arguments\n"
     "hint: its arguments are: TIMER\n",
     false},
    {"interfaces that differ",
     "program p\n"
     "interface\n"
     "subroutine s(a, n)\n"
     "real a(n)\n"
     "end subroutine\n"
     "subroutine t(x)\n"
     "real*8 x(:)\n"
     "end subroutine\n"
     "function f(x)\n"
     "end function\n"
     "end interface\n"
     "end\n"
     "subroutine s(a)\n"
     "real a(10)\n"
     "end\n"
     "subroutine t(x)\n"
     "real*8 x(5, 5)\n"
     "end\n"
     "subroutine f(x)\n"
     "end\n",
     "3:12: \"s\" has 2 arguments in this interface, and 1 in the unit\n"
     "hint: the unit is in a.f90, line 13\n"
     "7:8: \"x\" has rank 1 in this interface, and rank 2 in the unit\n"
     "hint: the unit is in a.f90, line 16\n"
     "9:10: \"f\" is a function in this interface, and a subroutine in the file\n"
     "hint: the unit is in a.f90, line 19\n",
     false},
    {"layouts of common that differ",
     "program p\n"
     "common a(4, 4)\n"
     "!cmf$ layout a(:serial, :news)\n"
     "end\n"
     "subroutine s\n"
     "common b(4, 4)\n"
     "!cmf$ layout b(:news, :serial)\n"
     "end\n",
     "6:8: the COMMON array \"b\" has another LAYOUT elsewhere\n"
     "hint: \"a\" is its other declaration, in a.f90, line 2\n",
     false},
    {"functions in declarations",
     "subroutine s(n)\n"
     "real a(m(n))\n"
     "end\n"
     "function m(n)\n"
     "m = n\n"
     "end\n",
     "2:8: functions of the file cannot be used in declarations\n", false},
    {"generic names",
     "program p\n"
     "interface norm\n"
     "function norm1(x)\n"
     "end function\n"
     "end interface\n"
     "x = norm(1.0)\n"
     "end\n",
     "2:1: generic names (INTERFACE norm) are not supported\n"
     "6:5: \"norm\" is neither an array nor a function of this file\n"
     "hint: did you mean \"norm1\"?\n",
     false},
    {"boundaries in fortran 90's order",
     "program p\n"
     "real v(5)\n"
     "v = eoshift(v, -2, 7.0)\n"
     "v = cshift(v, 7, 7)\n"
     "end\n",
     "3:16: DIM of EOSHIFT is -2; the array has rank 1\n"
     "hint: without keywords the arguments are (array, dim, shift, boundary); --cshift-order f90 "
     "for (array, shift, boundary, dim)\n"
     "4:15: DIM of CSHIFT is 7; the array has rank 1\n",
     false},
    {"parts of arrays in pshift",
     "program p\n"
     "include 'cmssl-cmf.h'\n"
     "real a(10, 10)\n"
     "id = pshift_setup(1, a(:, 1), ier, cmssl_cshift, 1, 1)\n"
     "id = pshift_setup(1, x, ier, cmssl_cshift, 1, 1)\n"
     "end\n",
     "4:22: PROTOTYPE is a whole array, not a part or an expression\n"
     "hint: its arguments are: N PROTOTYPE IER TYPE DIM DISTANCE ...\n"
     "5:22: PROTOTYPE is a whole array, not a scalar\n"
     "hint: its arguments are: N PROTOTYPE IER TYPE DIM DISTANCE ...\n",
     false},
    {"replicate, diagonal and rank",
     "program p\n"
     "real a(4), b(4, 4)\n"
     "integer n\n"
     "n = 1\n"
     "b = diagonal(b)\n"
     "b = diagonal(a, 1)\n"
     "b = diagonal(a, a)\n"
     "a = replicate(a, n, 1)\n"
     "a = replicate(a, 2, 1)\n"
     "a = replicate(3.0, 1, 1)\n"
     "a = replicate(a, 1, 1.5)\n"
     "a = replicate(f(a), 1, 1)\n"
     "n = rank(b, 1)\n"
     "call firstloc(a)\n"
     "a = project(a, a > 1, a, 1)\n"
     "end\n"
     "function f(x)\n"
     "real x(4), f(4)\n"
     "f = x\n"
     "end\n",
     "5:14: ARRAY of DIAGONAL is a vector\n"
     "6:17: FILL of DIAGONAL is a scalar of type REAL\n"
     "7:17: FILL of DIAGONAL is a scalar of type REAL\n"
     "8:18: DIM of REPLICATE is not constant\n"
     "9:18: DIM of REPLICATE is 2; the array has rank 1\n"
     "10:15: ARRAY of REPLICATE is an array\n"
     "11:21: NCOPIES of REPLICATE is an INTEGER scalar\n"
     "12:15: ARRAY of REPLICATE calls a function of the program: assign it to an array first\n"
     "13:13: RANK has too many arguments\n"
     "hint: its arguments are: SOURCE\n"
     "14:6: the subroutine \"firstloc\" is not supported\n"
     "hint: MAXLOC(MERGE(1, 0, MASK)) gives the place of the first true element\n"
     "15:5: the function \"project\" is not supported\n"
     "hint: SUM(MERGE(ARRAY, 0, MASK), DIM) gives what a mask with one true element in each line "
     "selects\n",
     false},
    {"procedures as arguments",
     "subroutine s(f, x)\n"
     "external g\n"
     "intrinsic sin\n"
     "real f, x\n"
     "x = f(1.0)\n"
     "call s(g, x)\n"
     "call s(sin, x)\n"
     "call s(x, x)\n"
     "call s(g, g)\n"
     "call t(g, 1)\n"
     "call t(f, 1)\n"
     "call t(h2, 1)\n"
     "end\n"
     "function g(x)\n"
     "g = x\n"
     "end\n"
     "integer function h(x, y)\n"
     "real y(3)\n"
     "h = x\n"
     "end\n"
     "subroutine t(p, k)\n"
     "external p, q\n"
     "call p(k)\n"
     "i = k + p\n"
     "call q(p, 2)\n"
     "y = p2(k)\n"
     "end\n"
     "subroutine r(a)\n"
     "a = 1\n"
     "a = a(2)\n"
     "call a(3)\n"
     "end\n"
     "program main\n"
     "external h, s, g, h3\n"
     "call s(h, x)\n"
     "call t(s, 1)\n"
     "call t(f=1)\n"
     "call s(h3, x)\n"
     "end\n",
     "5:5: \"f\" may be \"h\", which has 2 arguments, and is called with 1\n"
     "6:6: \"s\" calls itself\n"
     "hint: declare the units RECURSIVE\n"
     "7:6: \"s\" calls itself\n"
     "hint: declare the units RECURSIVE\n"
     "8:6: \"s\" calls itself\n"
     "hint: declare the units RECURSIVE\n"
     "8:8: argument \"f\" of \"s\" is a procedure\n"
     "hint: declare x EXTERNAL\n"
     "9:6: \"s\" calls itself\n"
     "hint: declare the units RECURSIVE\n"
     "9:11: argument \"x\" of \"s\" is not a procedure\n"
     "12:8: argument \"p\" of \"t\" is a procedure\n"
     "hint: declare h2 EXTERNAL\n"
     "23:1: \"p\" may be \"s\", which has 2 arguments, and is called with 1\n"
     "23:1: \"p\" may be \"sin\", which is a function\n"
     "24:9: \"p\" is a procedure, not a variable\n"
     "25:6: there is no subroutine \"q\" in this file\n"
     "26:5: \"p2\" is neither an array nor a function of this file\n"
     "30:5: \"a\" is a scalar, and has no elements\n"
     "hint: declare its dimensions, or check the name\n"
     "31:6: \"a\" is not a subroutine\n"
     "37:6: \"t\" has 2 arguments, and is called with 1\n"
     "hint: it is in a.f90, line 21\n"
     "38:8: there is no procedure \"h3\" in this file\n",
     false},
    {"intrinsic functions as arguments",
     "program p\n"
     "intrinsic dsin, mod, max, log, index, sum\n"
     "call t(dsin)\n"
     "call s(mod)\n"
     "call s(max)\n"
     "call s(log)\n"
     "call s(index)\n"
     "call s(sum)\n"
     "call s(cos)\n"
     "end\n"
     "subroutine s(f)\n"
     "external f\n"
     "x = f(1.0)\n"
     "end\n"
     "subroutine t(g)\n"
     "external g\n"
     "x = g(1.0)\n"
     "end\n",
     "5:8: the function \"max\" cannot be an argument\n"
     "hint: functions of one type can, such as SIN, ALOG and DSQRT; else write a function that "
     "calls it\n"
     "6:8: the function \"log\" cannot be an argument\n"
     "hint: functions of one type can, such as SIN, ALOG and DSQRT; else write a function that "
     "calls it\n"
     "7:8: the function \"index\" cannot be an argument\n"
     "hint: functions of one type can, such as SIN, ALOG and DSQRT; else write a function that "
     "calls it\n"
     "8:8: the function \"sum\" cannot be an argument\n"
     "hint: functions of one type can, such as SIN, ALOG and DSQRT; else write a function that "
     "calls it\n"
     "9:8: argument \"f\" of \"s\" is a procedure\n"
     "hint: declare cos INTRINSIC\n"
     "13:5: \"f\" may be \"mod\", which has 2 arguments, and is called with 1\n"
     "17:5: the function \"g\" is REAL here, and may be \"dsin\", DOUBLE PRECISION\n",
     false},
    {"allocatable arguments",
     "subroutine s(a)\n"
     "real, allocatable :: a(:)\n"
     "end\n",
     "2:22: ALLOCATABLE arguments and results are not supported\n", false},
    {"functions that are not declared",
     "subroutine s\n"
     "implicit none\n"
     "double precision x\n"
     "x = norm(x) + norm(x)\n"
     "end\n"
     "real*8 function norm(x)\n"
     "real*8 x\n"
     "norm = x\n"
     "end\n",
     "4:5: the function \"norm\" is not declared\n"
     "hint: declare it: DOUBLE PRECISION norm\n",
     false},
    {"variables of block data",
     "block data\n"
     "real x\n"
     "common /c/ y\n"
     "data x /1.0/, y /2.0/\n"
     "end\n"
     "program p\n"
     "common /c/ y\n"
     "end\n",
     "2:6: \"x\" is in BLOCK DATA and not in COMMON\n"
     "4:6: \"x\" cannot have a value by DATA\n",
     false},
    {"random",
     "program p\n"
     "x = ranf()\n"
     "call pshft(1)\n"
     "end\n",
     "2:5: \"ranf\" is neither an array nor a function of this file\n"
     "hint: did you mean \"rank\"?\n"
     "3:6: there is no subroutine \"pshft\" in this file\n"
     "hint: did you mean \"pshift\"?\n",
     false},
};

START_TEST(wrong_use_is_reported)
{
    expect_checked(&cases[_i]);
}
END_TEST

CM_PROGRAM(test_fortran_check_uses)
{
    Suite *suite = suite_create("fortran messages");
    TCase *tests = tcase_create("wrong_use_is_reported");
    tcase_add_loop_test(tests, wrong_use_is_reported, 0, sizeof cases / sizeof cases[0]);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
