/*
 * CM Fortran of any kind. The parser makes a tree, or reports each fault with its place. A program
 * that is written from the tree is read as the same tree. The checker makes a program of the tree,
 * or reports its faults. A checked program is written with the machine's order of evaluation. The
 * first byte decides the source form. Included files do not exist.
 */
#include "fortran/check/program.h"
#include "fortran/source/parse.h"
#include "fortran/write/write.h"
#include "order.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

static enum cm_status read_nothing(void *context, const char *path, char **text, size_t *length,
                                   struct cm_error *err)
{
    (void)context;
    (void)text;
    (void)length;
    return cm_error_set(err, CM_IO, "there is no %s", path);
}

static void check_messages(const struct cm_messages *messages)
{
    char shown[4096];
    require(messages->count > 0 && messages->count <= CM_MESSAGES_MAX);
    for (uint32_t i = 0; i < messages->count; i++) {
        require(messages->items[i].line > 0 && messages->items[i].column > 0);
        require(cm_error_format(&messages->items[i], shown, sizeof shown) > 0);
    }
}

static void write(const struct cm_syntax *tree, const struct cm_source *source,
                  struct cm_write_options options, struct cm_buffer *text)
{
    struct cm_messages messages;
    cm_messages_init(&messages, source);
    enum cm_status status = cm_syntax_write(tree, source, &options, text, &messages);
    require(status == CM_OK || (status == CM_BAD_INPUT && !options.is_tree));
    if (status == CM_BAD_INPUT)
        check_messages(&messages);
    cm_messages_finish(&messages);
}

/* Writes the machine's order of evaluation, for a machine with the CM-200's memory. */
static void write_order(const struct cm_syntax *tree, const struct cm_source *source,
                        const struct cm_fortran_program *program,
                        const struct cm_fortran_options *checked)
{
    const struct order_program order = {.tree = tree,
                                        .source = source,
                                        .checked = program,
                                        .expressions = checked->expressions,
                                        .shifts = checked->shift_order,
                                        .nodes = 64,
                                        .channels = 2,
                                        .memory_words = UINT64_C(1) << 20};
    struct cm_messages messages;
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_messages_init(&messages, source);
    enum cm_status status = order_write(&order, &text, &messages);
    require(status == CM_OK || status == CM_BAD_INPUT);
    if (status == CM_BAD_INPUT)
        check_messages(&messages);
    cm_messages_finish(&messages);
    cm_buffer_finish(&text);
}

static void check(const struct cm_syntax *tree, const struct cm_source *source,
                  enum cm_shift_order order)
{
    struct cm_messages messages;
    const struct cm_fortran_expression **expressions =
        calloc((size_t)tree->expression_count + 1, sizeof(*expressions));
    const struct cm_fortran_options options = {.shift_order = order, .expressions = expressions};
    require(expressions != NULL);
    cm_messages_init(&messages, source);
    struct cm_fortran_program *program = cm_fortran_check(tree, source, &options, &messages);
    require((program != NULL) == (messages.status == CM_OK));
    if (!program)
        check_messages(&messages);
    for (uint32_t i = 0; program && i < program->unit_count; i++) {
        const struct cm_fortran_unit *unit = program->units[i];
        for (uint32_t j = 0; j < unit->statement_count; j++)
            require(unit->statements[j].to < unit->statement_count);
    }
    if (program)
        write_order(tree, source, program, &options);
    cm_fortran_program_destroy(program);
    free(expressions);
    cm_messages_finish(&messages);
}

/* The tree in brackets, and the program again, which is empty when there is no tree. */
static void read_and_write(const char *name, const char *data, size_t size,
                           struct cm_buffer *brackets, struct cm_buffer *plain)
{
    const struct cm_syntax_reader reader = {.read = read_nothing};
    struct cm_source *source;
    struct cm_messages messages;
    struct cm_syntax *tree;
    struct cm_buffer standard;
    cm_buffer_init(&standard);
    enum cm_status status = cm_syntax_parse(&(struct cm_file_text){name, data, size}, &reader,
                                            &source, &messages, &tree);
    require(tree && (status == CM_OK || status == CM_BAD_INPUT));
    if (status == CM_OK) {
        require(tree->unit_count > 0 && messages.count == 0);
        write(tree, source, (struct cm_write_options){.is_tree = true}, brackets);
        write(tree, source, (struct cm_write_options){.is_tree = true, .is_plain = true}, plain);
        write(tree, source, (struct cm_write_options){.is_tree = false}, &standard);
        check(tree, source, CM_SHIFT_ORDER_CM);
        check(tree, source, CM_SHIFT_ORDER_F90);
    } else {
        check_messages(&messages);
        check(tree, source, CM_SHIFT_ORDER_BY_SUFFIX);
    }
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    cm_buffer_finish(&standard);
}

FUZZ_TARGET(fuzz_fortran)
{
    struct cm_buffer brackets[2], plain[2];
    for (int i = 0; i < 2; i++) {
        cm_buffer_init(&brackets[i]);
        cm_buffer_init(&plain[i]);
    }
    bool is_free = size > 0 && data[0] == '!';
    read_and_write(is_free ? "x.f90" : "x.fcm", (const char *)data, size, &brackets[0], &plain[0]);
    if (plain[0].length > 0) {
        read_and_write("again.f90", plain[0].data, plain[0].length, &brackets[1], &plain[1]);
        require(brackets[0].length == brackets[1].length &&
                memcmp(brackets[0].data, brackets[1].data, brackets[0].length) == 0);
    }
    for (int i = 0; i < 2; i++) {
        cm_buffer_finish(&brackets[i]);
        cm_buffer_finish(&plain[i]);
    }
    return 0;
}
