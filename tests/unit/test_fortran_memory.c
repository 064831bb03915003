/* Every allocation fails once while a CM Fortran program is read and written. */
#include "fortran/check/program.h"
#include "fortran/source/parse.h"
#include "fortran/write/write.h"
#include "order.h"
#include "outcome.h"

#include "base/file.h"

static char *program;
static size_t program_length;
static const char *program_name;

static void read_and_write(struct outcome *outcome)
{
    struct cm_source *source = NULL;
    struct cm_messages messages;
    struct cm_syntax *tree;
    struct cm_buffer text;
    struct cm_write_options options = {.is_tree = false};
    cm_buffer_init(&text);
    enum cm_status status =
        cm_syntax_parse(&(struct cm_file_text){program_name, program, program_length}, NULL,
                        &source, &messages, &tree);
    if (status == CM_NO_MEMORY)
        cm_error_no_memory(&outcome->err);
    for (uint32_t i = 0; status == CM_BAD_INPUT && i < messages.count; i++)
        mix(outcome, messages.items[i].message, strlen(messages.items[i].message));
    if (status == CM_BAD_INPUT)
        status = CM_OK; /* the messages are the result */
    if (ok(outcome, status) && messages.count == 0) {
        status = cm_syntax_write(tree, source, &options, &text, &messages);
        if (status == CM_NO_MEMORY)
            cm_error_no_memory(&outcome->err);
        ok(outcome, status);
    }
    mix_text(outcome, &text);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
}

/* Checks the tree, and writes it with the machine's order of evaluation. */
static enum cm_status write_order(const struct cm_syntax *tree, const struct cm_source *source,
                                  struct cm_buffer *text, struct cm_messages *messages)
{
    const struct cm_fortran_expression **expressions =
        calloc((size_t)tree->expression_count + 1, sizeof(*expressions));
    const struct cm_fortran_options options = {.expressions = expressions};
    struct cm_fortran_program *checked;
    enum cm_status status = CM_NO_MEMORY;
    if (expressions == NULL)
        return status;
    checked = cm_fortran_check(tree, source, &options, messages);
    if (checked != NULL) {
        const struct order_program order = {.tree = tree,
                                            .source = source,
                                            .checked = checked,
                                            .expressions = expressions,
                                            .nodes = 64,
                                            .channels = 2};
        status = order_write(&order, text, messages);
    }
    cm_fortran_program_destroy(checked);
    free(expressions);
    return status;
}

static void read_and_write_order(struct outcome *outcome)
{
    struct cm_source *source = NULL;
    struct cm_messages messages;
    struct cm_syntax *tree;
    struct cm_buffer text;
    cm_buffer_init(&text);
    enum cm_status status =
        cm_syntax_parse(&(struct cm_file_text){program_name, program, program_length}, NULL,
                        &source, &messages, &tree);
    if (status == CM_OK)
        status = write_order(tree, source, &text, &messages);
    if (status == CM_NO_MEMORY)
        cm_error_no_memory(&outcome->err);
    ok(outcome, status);
    mix_text(outcome, &text);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
}

static void fail_each_of(const char *name)
{
    struct cm_error err;
    program_name = name;
    ck_assert_int_eq(cm_file_read(name, 1 << 20, &program, &program_length, &err), CM_OK);
    fail_each(read_and_write);
    free(program);
}

START_TEST(programs_that_are_read_and_written)
{
    fail_each_of("programs/examples/fortran/figure-7.fcm");
    fail_each_of("tests/fuzz/fortran/fixed.fcm");
    fail_each_of("tests/fuzz/fortran/free.f90");
}
END_TEST

START_TEST(a_program_with_the_order_of_evaluation)
{
    struct cm_error err;
    program_name = "programs/examples/fortran/conjugate-gradients.fcm";
    ck_assert_int_eq(cm_file_read(program_name, 1 << 20, &program, &program_length, &err), CM_OK);
    fail_each(read_and_write_order);
    free(program);
}
END_TEST

START_TEST(a_program_with_many_errors)
{
    fail_each_of("tests/golden/cli/cases/fortran-errors/bad.fcm");
}
END_TEST

CM_PROGRAM(test_fortran_memory)
{
    Suite *s = suite_create("fortran_memory");
    TCase *tc = tcase_create("faults");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, programs_that_are_read_and_written);
    tcase_add_test(tc, a_program_with_the_order_of_evaluation);
    tcase_add_test(tc, a_program_with_many_errors);
    suite_add_tcase(s, tc);
    return cm_run_suite(s);
}
