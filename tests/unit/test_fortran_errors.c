/* What is wrong with a CM Fortran program: every fault is reported once, the next statement is read
 * as if the fault were not there, and limits are messages. */
#include "fortran.h"

static uint32_t count_lines(const char *text, const char *with)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, with)) != NULL; at++)
        count++;
    return count;
}

static char *messages_about(const char *name, const char *program)
{
    return fortran_text(name, program, NULL, &(struct cm_write_options){.is_tree = true});
}

/* Messages about `first`, `count` times `open`, `inner`, and as often `close`. */
static char *nested(const char *first, const char *open, const char *inner, const char *close,
                    int count)
{
    struct cm_buffer program;
    cm_buffer_init(&program);
    cm_buffer_printf(&program, "%s", first);
    for (int i = 0; i < count; i++)
        cm_buffer_printf(&program, "%s", open);
    cm_buffer_printf(&program, "%s", inner);
    for (int i = 0; i < count; i++)
        cm_buffer_printf(&program, "%s", close);
    cm_buffer_printf(&program, "\nend\n");
    char *found = messages_about("t.f90", program.data);
    cm_buffer_finish(&program);
    return found;
}

START_TEST(a_fault_in_the_head_of_a_construct_does_not_hide_its_end)
{
    expect_tree("t.f90",
                "if (a .gt 1) then\nx = 1\nelse\nx = 2\nend if\n"
                "do i = 1 2\nx = 1\nend do\n"
                "select case i\ncase (1)\nend select\n"
                "y = )\nend\n",
                "t.f90:1:7: '.' begins no number and no operator\n"
                "if (a .gt 1) then\n"
                "      ^\n"
                "t.f90:6:10: expected ',' and the last value of the loop variable, found '2'\n"
                "do i = 1 2\n"
                "         ^\n"
                "t.f90:9:13: expected '(' behind SELECT CASE, found 'i'\n"
                "select case i\n"
                "            ^\n"
                "t.f90:12:5: expected an expression, found ')'\n"
                "y = )\n"
                "    ^\n");
}
END_TEST

START_TEST(a_line_that_is_too_long_has_one_message)
{
    expect_tree(
        "t.f",
        "      print *, mod(7, 2), mod(8, 2), mod(9, 2), mod(10, 2), mod(11, 2)\n"
        "      print *, mod(7, 2), mod(8, 2), mod(9, 2), mod(10, 2), mod(11111, 2)\n"
        "     &, (1, 2\n"
        "      end\n",
        "t.f:2:73: the line continues after column 72, where fixed form ends\n"
        "      print *, mod(7, 2), mod(8, 2), mod(9, 2), mod(10, 2), mod(11111, 2)\n"
        "                                                                        ^\n"
        "hint: continue the statement in the next line, with a & in column 6; --line-length "
        "takes longer lines\n");
}
END_TEST

START_TEST(messages_say_what_to_write)
{
    expect_tree("t.f",
                "      do 10 i = 1, 3\n"
                "      do 20 j = 1, 3\n"
                "   10 continue\n"
                "   20 continue\n"
                "      if (i = 1) stop\n"
                "      x = 1 +\n"
                "      real array(3) :: a\n"
                "      p%x = 1\n"
                "      end type\n"
                "      end\n",
                "t.f:3:7: label 10 ends the DO of line 1, and the DO of line 2 inside it is open\n"
                "   10 continue\n"
                "      ^\n"
                "hint: constructs end in the reverse order of their beginnings\n"
                "t.f:5:13: expected ')', found '='\n"
                "      if (i = 1) stop\n"
                "            ^\n"
                "hint: a comparison is written == or .EQ.\n"
                "t.f:6:14: expected an expression, found the end of the statement\n"
                "      x = 1 +\n"
                "             ^\n"
                "hint: a statement continues in the next line with a & in column 6 of that\n"
                "t.f:7:21: expected the end of the statement, found '::'\n"
                "      real array(3) :: a\n"
                "                    ^\n"
                "hint: a comma follows the type, as in REAL, ARRAY(8,8) :: A\n"
                "t.f:8:8: a component of a derived type is not supported\n"
                "      p%x = 1\n"
                "       ^\n"
                "t.f:9:7: END TYPE is not supported\n"
                "      end type\n"
                "      ^\n");
    expect_tree("t.f90", "module cm200_library\nend module\nprogram p\nend\n",
                "t.f90:1:1: MODULE is not supported\n"
                "module cm200_library\n"
                "^\n"
                "hint: cm200 compile wrote this file for other compilers; give cm200 the program "
                "that it was made from\n");
}
END_TEST

START_TEST(one_message_is_given_for_a_statement)
{
    char *found = messages_about("t.f90", "x = ) + ) + .foo. $ 'a\ny = (1 + 2\nend\n");
    ck_assert_uint_eq(count_lines(found, "t.f90:"), 2);
    free(found);
}
END_TEST

START_TEST(messages_beyond_the_limit_are_counted)
{
    struct cm_buffer program;
    struct cm_source *source;
    struct cm_messages messages;
    struct cm_syntax *tree;
    cm_buffer_init(&program);
    for (uint32_t i = 0; i < CM_MESSAGES_MAX + 7; i++)
        cm_buffer_printf(&program, "x = )\n");
    cm_buffer_printf(&program, "end\n");
    ck_assert_int_eq(cm_syntax_parse(&(struct cm_file_text){"t.f90", program.data, program.length},
                                     NULL, &source, &messages, &tree),
                     CM_BAD_INPUT);
    ck_assert_uint_eq(messages.count, CM_MESSAGES_MAX);
    ck_assert_uint_eq(messages.more, 7);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    cm_buffer_finish(&program);
}
END_TEST

START_TEST(constructs_have_a_limit_that_programs_do_not_meet)
{
    char *found = nested("", "if (a) then\n", "x = 1\n", "end if\n", 99);
    ck_assert_ptr_null(strstr(found, "deep"));
    free(found);
    found = nested("", "if (a) then\n", "x = 1\n", "end if\n", 100);
    ck_assert_ptr_nonnull(strstr(found, "constructs are nested more than 100 deep"));
    ck_assert_uint_eq(count_lines(found, "t.f90:"), 1);
    free(found);
}
END_TEST

START_TEST(expressions_have_limits_that_programs_do_not_meet)
{
    static const struct {
        const char *first, *open, *inner, *close;
        int good, bad;
    } cases[] = {
        {"x = ", "(", "1", ")", 199, 200},    {"x = ", "f(", "1", ")", 199, 200},
        {"x = ", "1 ** ", "1", "", 199, 200}, {"x = 1", " + 1", "", "", 1000, 1001},
        {"a = ", "[", "1", "]", 199, 200},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int bad = 0; bad < 2; bad++) {
            char *found = nested(cases[i].first, cases[i].open, cases[i].inner, cases[i].close,
                                 bad ? cases[i].bad : cases[i].good);
            ck_assert_msg((strstr(found, "split it into several statements") != NULL) == bad,
                          "case %u: %.300s", (unsigned)i, found);
            free(found);
        }
}
END_TEST

START_TEST(a_program_without_statements_is_an_error)
{
    expect_tree("t.fcm", "", "t.fcm:1:1: there is no statement here\n");
    expect_tree("t.fcm", "C nothing\n", "t.fcm:1:1: there is no statement here\nC nothing\n^\n");
}
END_TEST

START_TEST(constructs_that_do_not_end_are_named)
{
    expect_tree("t.fcm", "      do 10 i = 1, 2\n      where (a)\n      b = 1\n      end\n",
                "t.fcm:1:7: no statement has the label 10 of this DO\n      do 10 i = 1, 2\n"
                "      ^\n"
                "t.fcm:2:7: this WHERE has no END WHERE\n      where (a)\n      ^\n");
}
END_TEST

START_TEST(a_label_must_be_a_number_in_its_columns)
{
    expect_tree(
        "t.fcm", "1a    x = 1\n00000 y = 1\n   10\n      end\n",
        "t.fcm:1:2: columns 1 to 5 of a statement hold its label and nothing else\n"
        "1a    x = 1\n"
        " ^\n"
        "hint: statements begin in column 7 of fixed form; files named .f90 are in free form\n"
        "t.fcm:2:1: a label is a number from 1 to 99999\n"
        "00000 y = 1\n"
        "^\n"
        "t.fcm:3:6: a label without a statement\n"
        "   10\n"
        "     ^\n");
}
END_TEST

CM_PROGRAM(test_fortran_errors)
{
    Suite *s = suite_create("fortran_errors");
    TCase *tc = tcase_create("messages");
    tcase_add_test(tc, a_fault_in_the_head_of_a_construct_does_not_hide_its_end);
    tcase_add_test(tc, a_line_that_is_too_long_has_one_message);
    tcase_add_test(tc, messages_say_what_to_write);
    tcase_add_test(tc, one_message_is_given_for_a_statement);
    tcase_add_test(tc, messages_beyond_the_limit_are_counted);
    tcase_add_test(tc, constructs_have_a_limit_that_programs_do_not_meet);
    tcase_add_test(tc, expressions_have_limits_that_programs_do_not_meet);
    tcase_add_test(tc, a_program_without_statements_is_an_error);
    tcase_add_test(tc, constructs_that_do_not_end_are_named);
    tcase_add_test(tc, a_label_must_be_a_number_in_its_columns);
    suite_add_tcase(s, tc);
    return cm_run_suite(s);
}
