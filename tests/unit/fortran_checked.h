/* Programs in tests of the checker: the checked program as text, or the messages about it. */
#ifndef CM_TESTS_UNIT_FORTRAN_CHECKED_H
#define CM_TESTS_UNIT_FORTRAN_CHECKED_H

#include "base/buffer.h"
#include "fortran/check/program.h"
#include "fortran/source/parse.h"
#include "program_text.h"
#include "suite.h"

#include <string.h>

/* A program in free form, and what the checker makes of it. */
struct checked_case {
    const char *name, *program, *expected;
    bool f90_order;
};

/* "line:column: message" of each message, its hint in the next line. */
static inline void write_messages(const struct cm_messages *messages, struct cm_buffer *text)
{
    for (uint32_t i = 0; i < messages->count; i++) {
        const struct cm_error *item = &messages->items[i];
        cm_buffer_printf(text, "%u:%u: %s\n", item->line, item->column, item->message);
        if (item->hint[0])
            cm_buffer_printf(text, "hint: %s\n", item->hint);
    }
}

/* What the checker makes of a program; free() it. */
static inline char *checked_text(const char *program_text, const struct cm_fortran_options *options)
{
    struct cm_source *source = NULL;
    struct cm_messages messages;
    struct cm_syntax *tree = NULL;
    struct cm_fortran_program *program = NULL;
    struct cm_buffer text;
    cm_buffer_init(&text);
    (void)cm_syntax_parse(&(struct cm_file_text){"a.f90", program_text, strlen(program_text)}, NULL,
                          &source, &messages, &tree);
    if (tree) {
        program = cm_fortran_check(tree, source, options, &messages);
        ck_assert_int_eq(program != NULL, messages.status == CM_OK);
    }
    cm_syntax_destroy(tree); /* the program does not need it */
    if (program)
        write_program(program, &text);
    write_messages(&messages, &text);
    cm_fortran_program_destroy(program);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    cm_buffer_printf(&text, "%s", "");
    ck_assert(cm_buffer_ok(&text));
    return text.data;
}

static inline void expect_checked(const struct checked_case *test)
{
    const struct cm_fortran_options options = {.shift_order = test->f90_order ? CM_SHIFT_ORDER_F90
                                                                              : CM_SHIFT_ORDER_CM};
    char *found = checked_text(test->program, &options);
    ck_assert_msg(strcmp(found, test->expected) == 0, "%s:\n%s\ninstead of\n%s", test->name, found,
                  test->expected);
    free(found);
}

#endif
