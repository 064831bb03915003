/* Where a program writes: checked before it runs, so that nothing is lost and no work is done in
 * vain. */
#include "../base/file.h"
#include "shell.h"

#include <string.h>

#define FILES_MAX 16u /* of a command that writes files: operands, and options that name files */

struct file {
    const char *option; /* NULL: an operand */
    const char *path;
    bool written;
};

bool cli_names_file(const char *path)
{
    return path != NULL && strcmp(path, "-") != 0;
}

static void add_file(struct file *files, uint32_t *count, struct file file)
{
    if (cli_names_file(file.path) && *count < FILES_MAX)
        files[(*count)++] = file;
}

static uint32_t list_files(const struct cli_syntax *syntax, const void *values, struct file *files)
{
    const struct cli_list *operands = &((const struct cli_values *)values)->operands;
    const struct cli_option *option;
    uint32_t count = 0;
    size_t offset;
    for (uint32_t i = 0; i < operands->count; i++)
        add_file(files, &count, (struct file){NULL, operands->items[i], false});
    for (uint32_t i = 0; (option = cli_option_at(syntax, i, &offset)) != NULL; i++) {
        const void *value = (const char *)values + offset;
        if (option->kind == CLI_INPUT || option->kind == CLI_OUTPUT)
            add_file(files, &count,
                     (struct file){option->name, *(const char *const *)value,
                                   option->kind == CLI_OUTPUT});
    }
    return count;
}

static int refuse_same(const char *command, const struct file *output, const struct file *other)
{
    if (other->written)
        return cli_usage(command, "--%s and --%s would write the same file, %s", output->option,
                         other->option, output->path);
    if (other->option != NULL)
        return cli_usage(command, "--%s %s would overwrite the file of --%s", output->option,
                         output->path, other->option);
    return cli_usage(command, "--%s %s would overwrite the file that is read", output->option,
                     output->path);
}

int cli_check_files(const struct cli_syntax *syntax, const void *values)
{
    struct file files[FILES_MAX];
    struct cm_error err = {0};
    uint32_t count = list_files(syntax, values, files);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; files[i].written && k < count; k++) {
            bool compared = k != i && (k < i || !files[k].written); /* of two outputs, once */
            if (compared && cm_file_same(files[i].path, files[k].path))
                return refuse_same(syntax->command, &files[i], &files[k]);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (files[i].written && cm_file_probe(files[i].path, &err) != CM_OK)
            return cli_error(&err);
    return 0;
}
