/*
 * Prints a CM Fortran program as standard Fortran with the machine's order of evaluation.
 *
 * usage: fortran-order MACHINE NODES PROGRAM
 *
 * The exit code is 1 if the program has faults, or if its order of evaluation is not known.
 */
#include "base/file.h"
#include "fortran/source/parse.h"
#include "order.h"
#include "sim/machine/config.h"

#include <stdio.h>
#include <stdlib.h>

static enum cm_status write_checked(const struct cm_syntax *tree, const struct cm_source *source,
                                    const struct cm_config *config, uint32_t nodes,
                                    struct cm_buffer *text, struct cm_messages *messages)
{
    struct cm_fortran_options options = {0};
    enum cm_status status = CM_NO_MEMORY;
    options.expressions = calloc((size_t)tree->expression_count + 1, sizeof(*options.expressions));
    if (options.expressions == NULL)
        return status;
    struct cm_fortran_program *checked = cm_fortran_check(tree, source, &options, messages);
    struct order_program program = {.tree = tree,
                                    .source = source,
                                    .checked = checked,
                                    .expressions = options.expressions,
                                    .nodes = nodes,
                                    .channels = config->network_channels_per_dimension,
                                    .memory_words = config->memory_words};
    status = checked != NULL ? order_write(&program, text, messages) : messages->status;
    cm_fortran_program_destroy(checked);
    free(options.expressions);
    return status;
}

static void print_messages(const struct cm_messages *messages)
{
    char shown[4096];
    for (uint32_t i = 0; i < messages->count; i++)
        if (cm_error_format(&messages->items[i], shown, sizeof(shown)) > 0)
            fprintf(stderr, "%s\n", shown);
}

int main(int argc, char **argv)
{
    struct cm_config config;
    struct cm_source *source = NULL;
    struct cm_syntax *tree = NULL;
    struct cm_messages messages = {0};
    struct cm_buffer text;
    struct cm_error err = {0};
    char *data = NULL;
    size_t length;
    if (argc != 4) {
        fprintf(stderr, "usage: fortran-order MACHINE NODES PROGRAM\n");
        return 2;
    }
    cm_buffer_init(&text);
    enum cm_status status = cm_config_read(argv[1], &config, &err);
    if (status == CM_OK)
        status = cm_file_read(argv[3], CM_FORTRAN_MAX_BYTES, &data, &length, &err);
    if (status != CM_OK)
        fprintf(stderr, "%s\n", err.message);
    if (status == CM_OK)
        status = cm_syntax_parse(&(struct cm_file_text){argv[3], data, length}, NULL, &source,
                                 &messages, &tree);
    if (status == CM_OK)
        status = write_checked(tree, source, &config, (uint32_t)strtoul(argv[2], NULL, 10), &text,
                               &messages);
    print_messages(&messages);
    if (status == CM_OK)
        fwrite(text.data, 1, text.length, stdout);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    cm_buffer_finish(&text);
    free(data);
    return status == CM_OK ? 0 : 1;
}
