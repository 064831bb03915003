/* The forms of CM Fortran's source: columns, continuation, comments, directives, files, macros; and
 * that places are those of the source as it was written. */
#include "fortran.h"

#include <sys/resource.h>

static void expect_fixed(const char *program, const char *expected)
{
    expect_tree("t.fcm", program, expected);
}

START_TEST(fixed_form_has_labels_continuation_lines_and_comments)
{
    expect_fixed("C     a comment\n"
                 "* another\n"
                 "! a third\n"
                 "\n"
                 "      x = 1 ! at the end of a line\n"
                 "   10 continue\n"
                 "1 0 2 y = x +\n"
                 "c     a comment between\n"
                 "     &    2 *\n"
                 "     1    3\n"
                 "     0z = 4\n"
                 "      end\n",
                 "      program cm200_main\n"
                 "        x = 1\n"
                 "10      continue\n"
                 "102     y = (x + (2 * 3))\n"
                 "        z = 4\n"
                 "      end program\n");
}
END_TEST

START_TEST(a_tab_leads_to_column_7)
{
    expect_fixed("\tx = 1 +\n\t12\n10\tcontinue\n\tend\n", "      program cm200_main\n"
                                                           "        x = (1 + 2)\n"
                                                           "10      continue\n"
                                                           "      end program\n");
}
END_TEST

START_TEST(a_character_constant_goes_on_behind_column_72)
{
    /* the blanks up to column 72 belong to the constant */
    char *found = fortran_text("t.fcm", "      x = 'a\n     &b'\n      end\n", NULL,
                               &(struct cm_write_options){.is_tree = true});
    const char *quote = strchr(found, '\'');
    size_t letters = 0;
    for (const char *at = quote + 1; *at != '\''; at++)
        letters += *at != '&' && *at != '\n';
    ck_assert_uint_eq(letters, 1 + 60 + 1); /* a, columns 13 to 72, b */
    free(found);
}
END_TEST

START_TEST(sequence_numbers_are_left_out_and_nothing_else_is)
{
    expect_fixed(
        "      x = 1                                                             CARD0010\n"
        "      end\n",
        "      program cm200_main\n        x = 1\n      end program\n");
    expect_fixed(
        "      x = 1 !                                                              a comment\n"
        "      y = 2                                                              ! another\n"
        "      z = 3                                                             &\n"
        "     &+ 4\n"
        "      end\n",
        "      program cm200_main\n        x = 1\n        y = 2\n        z = (3 + 4)\n      end "
        "program\n");
    expect_fixed(
        "      x = 1 + aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbb\n"
        "      end\n",
        "t.fcm:1:73: the line continues after column 72, where fixed form ends\n"
        "      x = 1 + aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbb\n"
        "                                                                        ^\n"
        "hint: continue the statement in the next line, with a & in column 6; --line-length "
        "takes longer lines\n");
    char *found = fortran_text(
        "t.fcm",
        "      x = '!                                                                more'\n"
        "      end\n",
        NULL, &(struct cm_write_options){.is_tree = true});
    ck_assert_ptr_nonnull(strstr(found, "t.fcm:1:73: the line continues after column 72"));
    free(found);
}
END_TEST

START_TEST(free_form_continues_lines_with_ampersands)
{
    expect_tree("t.f90",
                "x = 1 + & ! a comment\n"
                "\n"
                "   ! another\n"
                "  2 * &\n"
                "  & 3; y = 4\n"
                "z = 'it&\n"
                "    &''s'\n"
                "lon&\n"
                "&gname = 5\n"
                "20 continue\n"
                "end\n",
                "      program cm200_main\n"
                "        x = (1 + (2 * 3))\n"
                "        y = 4\n"
                "        z = 'it''s'\n"
                "        longname = 5\n"
                "20      continue\n"
                "      end program\n");
}
END_TEST

START_TEST(directives_may_lack_the_dollar_and_go_on_behind_an_ampersand)
{
    const char *tree = "      program cm200_main\n"
                       "        real, dimension(4, 4) :: a, b\n"
                       "        !cmf$ layout a(:news, 2:serial), b(:send, :news)\n"
                       "        !cmf$ align a(i) with b(i, 1)\n"
                       "        !cmf$ common cmonly /blk/\n"
                       "      end program\n";
    expect_fixed("      real, array(4,4) :: a, b\n"
                 "CMF$LAYOUT a(:NEWS, 2:SERIAL), &\n"
                 "CMF  b(:SEND, :)\n"
                 "cmf align a(i) with b(i,1)\n"
                 "!CMF$ common cmonly /blk/\n"
                 "cmf is a compiler, and this is a comment\n"
                 "      end\n",
                 tree);
    expect_tree("t.f90",
                "real, array(4,4) :: a, b\n"
                "!cmf$ layout a(:news, 2:serial), b(:send, :news)\n"
                "  !cmf align a(i) with b(i,1)\n"
                "!cmf$ common /blk/ cmonly\n"
                "end\n",
                tree);
}
END_TEST

START_TEST(files_are_included_and_places_are_theirs)
{
    static const struct test_file files[] = {{"sub/more.h", "      x = 1\n      y = = 2\n"},
                                             {NULL, NULL}};
    expect_text("sub/t.fcm",
                "      include 'more.h'\n"
                "#include \"more.h\"\n"
                "      z = )\n"
                "      end\n",
                files, &(struct cm_write_options){.is_tree = true},
                "sub/t.fcm:3:11: expected an expression, found ')'\n"
                "      z = )\n"
                "          ^\n"
                "sub/more.h:2:11: expected an expression, found '='\n"
                "      y = = 2\n"
                "          ^\n"
                "sub/more.h:2:11: expected an expression, found '='\n"
                "      y = = 2\n"
                "          ^\n");
}
END_TEST

START_TEST(a_missing_file_and_one_that_includes_itself_are_errors)
{
    static const struct test_file files[] = {{"loop.h", "      include 'loop.h'\n"}, {NULL, NULL}};
    expect_text("t.fcm", "      include 'loop.h'\n      include 'no.h'\n      end\n", files,
                &(struct cm_write_options){.is_tree = true},
                "t.fcm:2:15: cannot include no.h: there is no such file\n"
                "      include 'no.h'\n"
                "              ^\n"
                "t.fcm:3:7: END without a program unit\n"
                "      end\n"
                "      ^\n"
                "loop.h:1:15: loop.h includes itself\n"
                "      include 'loop.h'\n"
                "              ^\n");
}
END_TEST

START_TEST(macros_and_conditions_are_those_of_cpp)
{
    expect_fixed("#define N 64\n"
                 "#define TWICE (2 * N)\n"
                 "#ifdef N\n"
                 "      x = TWICE + n\n"
                 "#else\n"
                 "      y = no such statement\n"
                 "#endif\n"
                 "#ifndef N\n"
                 "#if 1\n"
                 "      nor this\n"
                 "#endif\n"
                 "#endif\n"
                 "#undef N\n"
                 "#if defined(N) \n"
                 "      nor that\n"
                 "#else\n"
                 "      z = 'N' + N\n"
                 "#endif\n"
                 "      end\n",
                 "      program cm200_main\n"
                 "        x = (((2 * 64)) + n)\n"
                 "        z = ('N' + n)\n"
                 "      end program\n");
}
END_TEST

START_TEST(a_fault_in_a_macro_is_at_its_name)
{
    expect_fixed("#define BAD 1 + ) - 2\n      x = 2 * BAD + 3\n      end\n",
                 "t.fcm:2:15: expected an expression, found ')'\n"
                 "      x = 2 * BAD + 3\n"
                 "              ^\n");
}
END_TEST

START_TEST(macros_that_never_end_are_refused)
{
    /* 2^40 expansions of nothing, if nobody counted them */
    struct cm_buffer program;
    cm_buffer_init(&program);
    cm_buffer_printf(&program, "#define M0\n");
    for (int i = 1; i <= 40; i++)
        cm_buffer_printf(&program, "#define M%d M%d M%d\n", i, i - 1, i - 1);
    cm_buffer_printf(&program,
                     "#define LOOP LOOP + 1\n      x = LOOP\n      y = M40 1\n      end\n");
    char *found =
        fortran_text("t.fcm", program.data, NULL, &(struct cm_write_options){.is_tree = true});
    ck_assert_ptr_nonnull(strstr(found, "t.fcm:44:11: the text of this macro is too long"));
    free(found);
    cm_buffer_finish(&program);
}
END_TEST

START_TEST(many_strings_in_a_line_take_the_room_of_one_line)
{
    struct rusage usage;
    struct cm_buffer program;
    cm_buffer_init(&program);
    cm_buffer_printf(&program, "c = ''");
    for (int i = 0; i < 16000; i++)
        cm_buffer_printf(&program, "//'a'");
    cm_buffer_printf(&program, "\nend\n");
    char *found =
        fortran_text("t.f90", program.data, NULL, &(struct cm_write_options){.is_tree = true});
    ck_assert_ptr_nonnull(strstr(found, "this expression has more than 1000 levels"));
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    ck_assert_int_lt(usage.ru_maxrss, 200 * 1024); /* it took 575 MB */
    free(found);
    cm_buffer_finish(&program);
}
END_TEST

START_TEST(places_count_bytes_of_the_source_through_continuation_lines)
{
    static const char program[] =
        "      x = first +\n     &    second +\n     &    (third\n      end\n";
    struct cm_source *source;
    struct cm_messages messages;
    struct cm_syntax *tree;
    ck_assert_int_eq(cm_syntax_parse(&(struct cm_file_text){"t.fcm", program, strlen(program)},
                                     NULL, &source, &messages, &tree),
                     CM_BAD_INPUT);
    ck_assert_uint_eq(messages.count, 1);
    ck_assert_uint_eq(messages.items[0].line, 3);
    ck_assert_uint_eq(messages.items[0].column, 17);
    ck_assert_uint_eq(messages.items[0].caret, 16);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
}
END_TEST

START_TEST(every_node_has_the_place_where_it_was_written)
{
    static const char program[] = "      subroutine s(a)\n"
                                  "      a = b(1) *\n"
                                  "     &  c\n"
                                  "      end\n";
    struct cm_source *source;
    struct cm_messages messages;
    struct cm_syntax *tree;
    ck_assert_int_eq(cm_syntax_parse(&(struct cm_file_text){"t.fcm", program, strlen(program)},
                                     NULL, &source, &messages, &tree),
                     CM_OK);
    const struct cm_syntax_statement *s = tree->units->block.first;
    ck_assert_uint_eq(tree->units->place.line, 1);
    ck_assert_uint_eq(tree->units->name_place.column, 18);
    ck_assert_uint_eq(tree->units->arguments.first->place.column, 20);
    ck_assert_uint_eq(tree->units->end.line, 4);
    ck_assert_uint_eq(s->place.line, 2);
    ck_assert_uint_eq(s->place.column, 7);
    ck_assert_uint_eq(s->assignment.value->place.column, 16); /* the operator */
    ck_assert_uint_eq(s->assignment.value->left->place.column, 11);
    ck_assert_uint_eq(s->assignment.value->right->place.line, 3);
    ck_assert_uint_eq(s->assignment.value->right->place.column, 9);
    ck_assert_uint_eq(tree->unit_count, 1);
    ck_assert(s->assignment.value->number < tree->expression_count);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
}
END_TEST

CM_PROGRAM(test_fortran_source)
{
    Suite *s = suite_create("fortran_source");
    TCase *tc = tcase_create("forms");
    tcase_add_test(tc, fixed_form_has_labels_continuation_lines_and_comments);
    tcase_add_test(tc, a_tab_leads_to_column_7);
    tcase_add_test(tc, a_character_constant_goes_on_behind_column_72);
    tcase_add_test(tc, sequence_numbers_are_left_out_and_nothing_else_is);
    tcase_add_test(tc, free_form_continues_lines_with_ampersands);
    tcase_add_test(tc, directives_may_lack_the_dollar_and_go_on_behind_an_ampersand);
    tcase_add_test(tc, files_are_included_and_places_are_theirs);
    tcase_add_test(tc, a_missing_file_and_one_that_includes_itself_are_errors);
    tcase_add_test(tc, macros_and_conditions_are_those_of_cpp);
    tcase_add_test(tc, a_fault_in_a_macro_is_at_its_name);
    tcase_add_test(tc, macros_that_never_end_are_refused);
    tcase_add_test(tc, many_strings_in_a_line_take_the_room_of_one_line);
    tcase_add_test(tc, places_count_bytes_of_the_source_through_continuation_lines);
    tcase_add_test(tc, every_node_has_the_place_where_it_was_written);
    suite_add_tcase(s, tc);
    return cm_run_suite(s);
}
