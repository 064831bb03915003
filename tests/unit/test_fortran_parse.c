/* The statements and expressions of CM Fortran, and the tree that is made of them: it is compared
 * as text that has brackets around every operation. */
#include "fortran.h"

START_TEST(operators_bind_as_the_standard_says)
{
    expect_statements(
        "x = a + b * c ** d ** e - f / g * h\n"
        "x = -a ** 2 + (-b)\n"
        "x = - a * b - c\n"
        "x = a - b - c // d // e\n"
        "l = .not. a .and. b .or. c .eqv. d .neqv. .not. e == f\n"
        "l = a + 1 .lt. b .and. c .ge. d\n"
        "l = a <= b .or. c /= d .or. .true.\n",
        "        x = ((a + (b * (c ** (d ** e)))) - ((f / g) * h))\n"
        "        x = ((-(a ** 2)) + ((-b)))\n"
        "        x = ((-(a * b)) - c)\n"
        "        x = ((((a - b) - c) // d) // e)\n"
        "        l = (((((.not. a) .and. b) .or. c) .eqv. d) .neqv. (.not. (e == f)))\n"
        "        l = (((a + 1) < b) .and. (c >= d))\n"
        "        l = (((a <= b) .or. (c /= d)) .or. .true.)\n");
}
END_TEST

START_TEST(numbers_have_exponents_kinds_and_dots_before_operators)
{
    expect_statements("x = 1. + .5 + 1.5E3 + 1D0 + 2.5d-3 + 1e+5_8 + 7_dp\n"
                      "l = 1.eq.2.and.3..lt.4.\n"
                      "z = (1.0, -2.0) * (0, x)\n"
                      "l = .true._4\n",
                      "        x = ((((((1. + .5) + 1.5e3) + 1d0) + 2.5d-3) + 1e+5_8) + 7_dp)\n"
                      "        l = ((1 == 2) .and. (3. < 4.))\n"
                      "        z = ((1.0, (-2.0)) * (0, x))\n"
                      "        l = .true._4\n");
}
END_TEST

START_TEST(sections_and_constructors_have_all_their_forms)
{
    expect_statements("a(:, 1:, :n, ::2, 1:n:2, v, 3) = b(:)\n"
                      "a = [1:n]\n"
                      "a = (/ 1, 2, 3 /) + [1:9:2, 5, x(1:3)]\n"
                      "a = (/ (i * 2, (j, j = 1, i), i = 1, n, 3), 7 /)\n"
                      "a = [2[1, 3[0]], 4]\n"
                      "c(2:3)(1:1) = d(4)(2:)\n"
                      "m = maxval(a, dim = 1, mask = a > 0) + f() + g (1)\n",
                      "        a(:, 1:, :n, ::2, 1:n:2, v, 3) = b(:)\n"
                      "        a = [1:n]\n"
                      "        a = ([1, 2, 3] + [1:9:2, 5, x(1:3)])\n"
                      "        a = [((i * 2), (j, j = 1, i), i = 1, n, 3), 7]\n"
                      "        a = [2[1, 3[0]], 4]\n"
                      "        c(2:3)(1:1) = d(4)(2:)\n"
                      "        m = ((maxval(a, dim = 1, mask = (a > 0)) + f()) + g(1))\n");
}
END_TEST

START_TEST(keywords_are_not_reserved)
{
    expect_statements("if = then + do\n"
                      "real(3) = end\n"
                      "do = 1\n"
                      "write(1) = print(2)\n"
                      "if (if) if(1) = 2\n"
                      "call call(call)\n"
                      "where(i)(1:2) = 'ab'\n"
                      "data(1, 2) = dimension\n"
                      "end = 5\n"
                      "do while = 1, 2\n"
                      "enddo\n",
                      "        if = (then + do)\n"
                      "        real(3) = end\n"
                      "        do = 1\n"
                      "        write(1) = print(2)\n"
                      "        if (if) if(1) = 2\n"
                      "        call call(call)\n"
                      "        where(i)(1:2) = 'ab'\n"
                      "        data(1, 2) = dimension\n"
                      "        end = 5\n"
                      "        do while = 1, 2\n"
                      "        end do\n");
}
END_TEST

START_TEST(types_have_lengths_kinds_and_attributes)
{
    expect_tree("t.f90",
                "subroutine t(a, b, c)\n"
                "implicit real*8 (a-h, o-z), logical (l), complex(8) (c)\n"
                "integer, parameter :: n = 3, m = n * 2\n"
                "real, array(n, 0:m), save :: x, y(5)\n"
                "real*8 r, s(3)\n"
                "double precision d\n"
                "doubleprecision e\n"
                "double complex f\n"
                "complex*16 g, h*8\n"
                "real(kind=8), intent(in out) :: a(*)\n"
                "real(4), optional, intent(in) :: b(n, 2:*)\n"
                "real, allocatable, dimension(:, :) :: p\n"
                "character*8 c1, c2*4\n"
                "character(len=*) c\n"
                "character(10), dimension(2) :: c4\n"
                "character(len=3), save, dimension(2) :: c5\n"
                "character*4, c6, c7\n"
                "logical*4 flag /.true./, other\n"
                "end subroutine t\n",
                "      subroutine t(a, b, c)\n"
                "        implicit real(8) (a-h), real(8) (o-z), logical (l-l), complex(8) (c-c)\n"
                "        integer, parameter :: n = 3, m = (n * 2)\n"
                "        real, dimension(n, 0:m), save :: x, y(5)\n"
                "        real(8) :: r, s(3)\n"
                "        real(8) :: d\n"
                "        real(8) :: e\n"
                "        complex(8) :: f\n"
                "        complex(8) :: g\n"
                "        complex(4) :: h\n"
                "        real(8), intent(inout) :: a(*)\n"
                "        real(4), optional, intent(in) :: b(n, 2:*)\n"
                "        real, dimension(:, :), allocatable :: p\n"
                "        character(len=8) :: c1, c2*(4)\n"
                "        character(len=*) :: c\n"
                "        character(len=10), dimension(2) :: c4\n"
                "        character(len=3), dimension(2), save :: c5\n"
                "        character(len=4) :: c6, c7\n"
                "        logical(4) :: flag, other\n"
                "        data flag /.true./\n"
                "      end subroutine t\n");
}
END_TEST

START_TEST(other_declarations_list_names)
{
    expect_tree("t.f90",
                "function f(x) result(y)\n"
                "dimension a(3), b(0:n, m)\n"
                "array q(2)\n"
                "common i, j /blk/ u(2), v, /other/ w // k\n"
                "parameter (pi = 3.14, two = 2)\n"
                "save u, /blk/\n"
                "external g\n"
                "intrinsic sin, cos\n"
                "optional :: x\n"
                "intent(in) x\n"
                "allocatable p(:)\n"
                "data a, b(1, 2) /3*0.0, n*-1, (1.0, 2.0)/, (q(i), i = 1, 2) /2*'ab'/\n"
                "save\n"
                "implicit none\n"
                "interface gen\n"
                "subroutine s(z)\n"
                "real z\n"
                "end subroutine\n"
                "end interface\n"
                "sq(t) = t * t\n"
                "10 format (1x, 'it''s', f10.3)\n"
                "end function f\n",
                "      function f(x) result(y)\n"
                "        dimension a(3), b(0:n, m)\n"
                "        dimension q(2)\n"
                "        common // i, j\n"
                "        common /blk/ u(2), v\n"
                "        common /other/ w\n"
                "        common // k\n"
                "        parameter (pi = 3.14, two = 2)\n"
                "        save u, /blk/\n"
                "        external g\n"
                "        intrinsic sin, cos\n"
                "        optional x\n"
                "        intent(in) x\n"
                "        allocatable p(:)\n"
                "        data a, b(1, 2) /3*0.0, n*(-1), (1.0, 2.0)/, (q(i), i = 1, 2) /2*'ab'/\n"
                "        save\n"
                "        implicit none\n"
                "        interface gen\n"
                "          subroutine s(z)\n"
                "            real :: z\n"
                "          end subroutine s\n"
                "        end interface\n"
                "        sq(t) = (t * t)\n"
                "10      format (1x, 'it''s', f10.3)\n"
                "      end function f\n");
}
END_TEST

START_TEST(an_assignment_in_front_is_a_statement_function_if_its_name_has_no_shape)
{
    static const char program[] = "real a(3), b\nb(i) = i\na(i) = i\nc(j) = j\nend\n";
    struct cm_source *source;
    struct cm_messages messages;
    struct cm_syntax *tree;
    ck_assert_int_eq(cm_syntax_parse(&(struct cm_file_text){"t.f90", program, strlen(program)},
                                     NULL, &source, &messages, &tree),
                     CM_OK);
    const struct cm_syntax_statement *s = tree->units->block.first->next;
    ck_assert_int_eq(s->kind, CM_STATEMENT_FUNCTION);
    ck_assert_str_eq(s->function.name, "b");
    ck_assert_uint_eq(s->function.arguments.count, 1);
    ck_assert_int_eq(s->next->kind, CM_STATEMENT_ASSIGNMENT);       /* a has a shape */
    ck_assert_int_eq(s->next->next->kind, CM_STATEMENT_ASSIGNMENT); /* the statements have begun */
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
}
END_TEST

START_TEST(constructs_nest_and_end)
{
    expect_statements("outer: do i = 1, n, 2\n"
                      "do while (x > 0)\n"
                      "do\n"
                      "if (x < 1) exit outer\n"
                      "cycle\n"
                      "end do\n"
                      "enddo\n"
                      "end do outer\n"
                      "if (a) then\n"
                      "x = 1\n"
                      "else if (b) then\n"
                      "x = 2\n"
                      "elseif (c) then\n"
                      "else\n"
                      "x = 3\n"
                      "endif\n"
                      "select case (i)\n"
                      "case (1, 3:5, :-1, 9:)\n"
                      "x = 1\n"
                      "case default\n"
                      "stop 'no'\n"
                      "end select\n",
                      "        outer: do i = 1, n, 2\n"
                      "          do while ((x > 0))\n"
                      "            do\n"
                      "              if ((x < 1)) exit outer\n"
                      "              cycle\n"
                      "            end do\n"
                      "          end do\n"
                      "        end do outer\n"
                      "        if (a) then\n"
                      "          x = 1\n"
                      "        else if (b) then\n"
                      "          x = 2\n"
                      "        else if (c) then\n"
                      "        else\n"
                      "          x = 3\n"
                      "        end if\n"
                      "        select case (i)\n"
                      "        case (1, 3:5, :(-1), 9:)\n"
                      "          x = 1\n"
                      "        case default\n"
                      "          stop 'no'\n"
                      "        end select\n");
}
END_TEST

START_TEST(where_and_forall_are_statements_and_blocks)
{
    expect_statements("where (a > 0) b = 1\n"
                      "where (a > 0)\n"
                      "b = 1\n"
                      "elsewhere (c)\n"
                      "b = 2\n"
                      "else where\n"
                      "b = 3\n"
                      "end where\n"
                      "forall (i = 1:n, j = i:n:2, a(i, j) > 0) b(i, j) = i\n"
                      "forall (i = 1:n)\n"
                      "b(i, :) = 0\n"
                      "where (b > 0) a = 1\n"
                      "endforall\n",
                      "        where ((a > 0)) b = 1\n"
                      "        where ((a > 0))\n"
                      "          b = 1\n"
                      "        elsewhere (c)\n"
                      "          b = 2\n"
                      "        elsewhere\n"
                      "          b = 3\n"
                      "        end where\n"
                      "        forall (i = 1:n, j = i:n:2, (a(i, j) > 0)) b(i, j) = i\n"
                      "        forall (i = 1:n)\n"
                      "          b(i, :) = 0\n"
                      "          where ((b > 0)) a = 1\n"
                      "        end forall\n");
}
END_TEST

START_TEST(loops_end_at_labels_and_share_them)
{
    expect_statements("do 10, i = 1, 3\n"
                      "do 10 j = 1, 3\n"
                      "do 20 k = 1, 3\n"
                      "20 x = k\n"
                      "10 continue\n"
                      "do 30 i = 1, 2\n"
                      "30 end do\n"
                      "y = 1\n",
                      "        do 10 i = 1, 3\n"
                      "          do 10 j = 1, 3\n"
                      "            do 20 k = 1, 3\n"
                      "20            x = k\n"
                      "10          continue\n"
                      "        do 30 i = 1, 2\n"
                      "30      end do\n"
                      "        y = 1\n");
}
END_TEST

START_TEST(jumps_have_labels)
{
    expect_statements("goto 10\n"
                      "go to 10\n"
                      "go to (10, 20, 10), i + 1\n"
                      "goto (10, 20) i\n"
                      "if (x) 10, 20, 10\n"
                      "if (x .gt. 1) goto 20\n"
                      "10 return\n"
                      "20 stop 3\n",
                      "        go to 10\n"
                      "        go to 10\n"
                      "        go to (10, 20, 10), (i + 1)\n"
                      "        go to (10, 20), i\n"
                      "        if (x) 10, 20, 10\n"
                      "        if ((x > 1)) go to 20\n"
                      "10      return\n"
                      "20      stop 3\n");
}
END_TEST

START_TEST(output_has_formats_and_implied_loops)
{
    expect_statements("print *\n"
                      "print *, x, 'a', (b(i), i = 1, 3)\n"
                      "print 10, x\n"
                      "print '(f8.3)', x\n"
                      "write (*, *) x\n"
                      "write (6, 10) x, ((a(i, j), i = 1, 2), j = 1, 2)\n"
                      "write (unit=*, fmt='(a)', advance = 'no') 'x'\n"
                      "10 format (f8.3)\n",
                      "        print *\n"
                      "        print *, x, 'a', (b(i), i = 1, 3)\n"
                      "        print 10, x\n"
                      "        print '(f8.3)', x\n"
                      "        write (*, *) x\n"
                      "        write (6, 10) x, ((a(i, j), i = 1, 2), j = 1, 2)\n"
                      "        write (*, '(a)', advance = 'no') 'x'\n"
                      "10      format (f8.3)\n");
}
END_TEST

START_TEST(storage_is_allocated_and_freed)
{
    expect_statements("allocate (a(n, 0:m), b(3), stat = ier)\n"
                      "deallocate (a, b)\n",
                      "        allocate (a(n, 0:m), b(3), stat = ier)\n"
                      "        deallocate (a, b)\n");
}
END_TEST

START_TEST(units_have_all_their_headings)
{
    expect_tree("t.f90",
                "recursive real function f(x)\nend\n"
                "real*8 recursive function g()\nend function g\n"
                "character*(*) function h(a, b)\nendfunction\n"
                "subroutine s\nend\n"
                "block data b\nend block data b\n"
                "x = 1\nend\n",
                "      recursive real function f(x)\n      end function f\n\n"
                "      recursive real(8) function g()\n      end function g\n\n"
                "      character(len=*) function h(a, b)\n      end function h\n\n"
                "      subroutine s()\n      end subroutine s\n\n"
                "      block data b\n      end block data b\n\n"
                "      program cm200_main\n        x = 1\n      end program\n");
}
END_TEST

START_TEST(fixed_form_may_leave_out_blanks_behind_keywords)
{
    expect_tree("t.fcm",
                "      INTEGERI,J\n"
                "      REALX\n"
                "      DO10I=1,5\n"
                "      DOJ=1,(2)\n"
                "      DOK = 5\n"
                "      CALLED = 5\n"
                "      REALLY(1) = STOPPED\n"
                "      IF(X.GT.1)GOTO10\n"
                "      CALLF(X)\n"
                "      ENDDO\n"
                "   10 CONTINUE\n"
                "      END\n",
                "      program cm200_main\n"
                "        integer :: i, j\n"
                "        real :: x\n"
                "        do 10 i = 1, 5\n"
                "          do j = 1, (2)\n"
                "            dok = 5\n"
                "            called = 5\n"
                "            really(1) = stopped\n"
                "            if ((x > 1)) go to 10\n"
                "            call f(x)\n"
                "          end do\n"
                "10        continue\n"
                "      end program\n");
}
END_TEST

CM_PROGRAM(test_fortran_parse)
{
    Suite *s = suite_create("fortran_parse");
    TCase *tc = tcase_create("statements");
    tcase_add_test(tc, operators_bind_as_the_standard_says);
    tcase_add_test(tc, numbers_have_exponents_kinds_and_dots_before_operators);
    tcase_add_test(tc, sections_and_constructors_have_all_their_forms);
    tcase_add_test(tc, keywords_are_not_reserved);
    tcase_add_test(tc, types_have_lengths_kinds_and_attributes);
    tcase_add_test(tc, other_declarations_list_names);
    tcase_add_test(tc, an_assignment_in_front_is_a_statement_function_if_its_name_has_no_shape);
    tcase_add_test(tc, constructs_nest_and_end);
    tcase_add_test(tc, where_and_forall_are_statements_and_blocks);
    tcase_add_test(tc, loops_end_at_labels_and_share_them);
    tcase_add_test(tc, jumps_have_labels);
    tcase_add_test(tc, output_has_formats_and_implied_loops);
    tcase_add_test(tc, storage_is_allocated_and_freed);
    tcase_add_test(tc, units_have_all_their_headings);
    tcase_add_test(tc, fixed_form_may_leave_out_blanks_behind_keywords);
    suite_add_tcase(s, tc);
    return cm_run_suite(s);
}
