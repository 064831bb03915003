/* Every allocation fails once while a CM Fortran program is checked, right or wrong. */
#include "fortran/check/program.h"
#include "fortran/source/parse.h"
#include "outcome.h"
#include "program_text.h"

#include "base/file.h"

static char *text;
static size_t text_length;

static void mix_messages(struct outcome *outcome, const struct cm_messages *messages)
{
    for (uint32_t i = 0; i < messages->count; i++) {
        mix(outcome, messages->items[i].message, strlen(messages->items[i].message));
        mix(outcome, messages->items[i].hint, strlen(messages->items[i].hint));
    }
}

static void check(struct outcome *outcome)
{
    struct cm_source *source = NULL;
    struct cm_messages messages;
    struct cm_syntax *tree;
    struct cm_fortran_program *program = NULL;
    struct cm_buffer written;
    cm_buffer_init(&written);
    enum cm_status status = cm_syntax_parse(&(struct cm_file_text){"a.f90", text, text_length},
                                            NULL, &source, &messages, &tree);
    if (status != CM_NO_MEMORY)
        program = cm_fortran_check(tree, source, NULL, &messages);
    require((program != NULL) == (messages.status == CM_OK));
    if (messages.status == CM_NO_MEMORY) {
        cm_error_no_memory(&outcome->err);
        ok(outcome, CM_NO_MEMORY);
    }
    if (messages.status == CM_BAD_INPUT)
        mix_messages(outcome, &messages);
    if (program)
        write_program(program, &written);
    cm_buffer_printf(&written, "%s", "");
    mix_text(outcome, &written);
    cm_fortran_program_destroy(program);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
}

START_TEST(programs_that_are_right)
{
    struct cm_error err;
    ck_assert_int_eq(
        cm_file_read("tests/fuzz/fortran/checked.f90", 1 << 20, &text, &text_length, &err), CM_OK);
    fail_each(check);
    free(text);
}
END_TEST

START_TEST(a_program_that_is_wrong)
{
    static char wrong[] = "program p\nreal a(10), b(11)\ninteger total\na = b + totl\n"
                          "call s(a(1), 2)\ngoto 10\nx = sum(a, 2)\nend\n"
                          "subroutine s(v, k)\nreal v(5)\nv = k + lgo(k)\nend\n";
    text = wrong;
    text_length = sizeof wrong - 1;
    fail_each(check);
}
END_TEST

START_TEST(a_program_with_units_that_cannot_be_read)
{
    static char broken[] = "program p\nreal a(10), b(11)\na = b + f(b)\ncall s(a)\nend\n"
                           "subroutine s(v\nreal v(5)\nv = )\nend\n"
                           "function f(x)\nreal x(11)\nf = x\nend\n";
    text = broken;
    text_length = sizeof broken - 1;
    fail_each(check);
}
END_TEST

START_TEST(a_program_with_procedures_as_arguments)
{
    static char program[] =
        "program p\nexternal f, g\nintrinsic sin\nreal a(4), b(4, 4)\ncharacter*3 c(2)\n"
        "c(1)(2:3) = 'x'\na = replicate(a(1:2), 1, 2)\nb = diagonal(a)\n"
        "x = of(f, 1.0)\nx = of(g, 1.0) + of(sin, 1.0)\nend\n"
        "function f(x)\nf = x\nend\nfunction g(x, k)\ng = x + k\nend\n"
        "function of(h, x)\noptional x\nof = h(x)\nif (present(x)) of = inner(h, x)\nend\n"
        "function inner(h, x)\nexternal h\ninner = h(x)\nend\n";
    text = program;
    text_length = sizeof program - 1;
    fail_each(check);
}
END_TEST

CM_PROGRAM(test_fortran_check_memory)
{
    Suite *s = suite_create("fortran_check_memory");
    TCase *tc = tcase_create("faults");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, programs_that_are_right);
    tcase_add_test(tc, a_program_that_is_wrong);
    tcase_add_test(tc, a_program_with_units_that_cannot_be_read);
    tcase_add_test(tc, a_program_with_procedures_as_arguments);
    suite_add_tcase(s, tc);
    return cm_run_suite(s);
}
