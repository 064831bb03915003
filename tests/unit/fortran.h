/* Programs in tests of CM Fortran: what was read, as text, or the messages about it. */
#ifndef CM_TESTS_UNIT_FORTRAN_H
#define CM_TESTS_UNIT_FORTRAN_H

#include "fortran/source/parse.h"
#include "fortran/write/write.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

/* Files that INCLUDE finds in tests: name and text, up to a name NULL. */
struct test_file {
    const char *name, *text;
};

static inline enum cm_status read_test_file(void *context, const char *path, char **text,
                                            size_t *length, struct cm_error *err)
{
    const struct test_file *file = context;
    for (; file && file->name; file++)
        if (strcmp(file->name, path) == 0) {
            *text = strdup(file->text);
            *length = strlen(file->text);
            return *text ? CM_OK : cm_error_no_memory(err);
        }
    return cm_error_set(err, CM_IO, "there is no such file");
}

/* The program as `options` say, or all messages about it; free() it. */
static inline char *fortran_text(const char *name, const char *program,
                                 const struct test_file *files,
                                 const struct cm_write_options *options)
{
    struct cm_syntax_reader reader = {.read = read_test_file, .context = (void *)files};
    struct cm_source *source;
    struct cm_messages messages;
    struct cm_syntax *tree;
    struct cm_buffer text;
    char line[4096];
    cm_buffer_init(&text);
    enum cm_status status = cm_syntax_parse(&(struct cm_file_text){name, program, strlen(program)},
                                            &reader, &source, &messages, &tree);
    ck_assert_ptr_nonnull(tree);
    if (status == CM_OK)
        status = cm_syntax_write(tree, source, options, &text, &messages);
    ck_assert(status == CM_OK || (status == CM_BAD_INPUT && messages.count > 0));
    if (status != CM_OK)
        text.length = 0;
    for (uint32_t i = 0; i < messages.count; i++) {
        cm_error_format(&messages.items[i], line, sizeof line);
        cm_buffer_printf(&text, "%s", line);
    }
    cm_buffer_printf(&text, "%s", "");
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    return text.data;
}

static inline void expect_text(const char *name, const char *program, const struct test_file *files,
                               const struct cm_write_options *options, const char *expected)
{
    char *found = fortran_text(name, program, files, options);
    ck_assert_str_eq(found, expected);
    free(found);
}

/* How the program was read. */
static inline void expect_tree(const char *name, const char *program, const char *expected)
{
    expect_text(name, program, NULL, &(struct cm_write_options){.is_tree = true}, expected);
}

/* The same for executable statements in free form, a line each, of a main program. */
static inline void expect_statements(const char *statements, const char *expected)
{
    struct cm_buffer program, tree;
    cm_buffer_init(&program);
    cm_buffer_init(&tree);
    cm_buffer_printf(&program, "program t\n%s\nend program t\n", statements);
    cm_buffer_printf(&tree, "      program t\n%s      end program t\n", expected);
    expect_tree("t.f90", program.data, tree.data);
    cm_buffer_finish(&program);
    cm_buffer_finish(&tree);
}

#endif
