/* Checks the output files of a command before it runs, so that no file is lost and no work is done
 * in vain. Outputs are compared with inputs and with each other. */
#include "../base/file.h"
#include "shell.h"

#include <string.h>

/* largest number of files that the operands and options of a command can name */
#define FILES_MAX 16u

struct file {
    const char *option; /* name of the option that names the file. NULL: the file is an operand. */
    const char *path;
    bool written;
};

static void add_file(struct file *files, uint32_t *count, struct file file)
{
    if (shell_names_file(file.path) && *count < FILES_MAX)
        files[(*count)++] = file;
}

/* Adds the file of an option to the list of files. For a trace it also adds FILE.part, the name of
 * the trace while it is written. */
static int add_option(struct file *files, uint32_t *count, const struct shell_option *option,
                      const char *path, struct shell_values *common)
{
    struct cm_error err;
    bool written = option->kind == SHELL_OUTPUT && shell_names_file(path);
    add_file(files, count, (struct file){option->name, path, written});
    int code = written ? shell_list_add(&common->outputs, path) : 0;
    if (code != 0 || !written || !option->part)
        return code;
    if (cm_file_part(path, &common->part, &err) != CM_OK)
        return shell_error(&err);
    add_file(files, count, (struct file){option->name, common->part, true});
    return common->part != NULL ? shell_list_add(&common->outputs, common->part) : 0;
}

static int list_files(const struct shell_syntax *syntax, void *values, struct file *files,
                      uint32_t *count)
{
    struct shell_values *common = values;
    const struct shell_option *option;
    int code = 0;
    size_t offset;
    for (uint32_t i = 0; i < common->operands.count; i++)
        add_file(files, count, (struct file){NULL, common->operands.items[i], false});
    for (uint32_t i = 0; code == 0 && (option = shell_option_at(syntax, i, &offset)) != NULL; i++)
        if (option->kind == SHELL_INPUT || option->kind == SHELL_OUTPUT)
            code = add_option(files, count, option,
                              *(const char *const *)(const void *)((const char *)values + offset),
                              common);
    return code;
}

static int refuse_same(const char *command, const struct file *output, const struct file *other)
{
    struct cm_error err;
    if (other->written)
        cm_error_set(&err, CM_USAGE, "--%s and --%s would write the same file, %s", output->option,
                     other->option, output->path);
    else if (other->option != NULL)
        cm_error_set(&err, CM_USAGE, "--%s %s would overwrite the file of --%s", output->option,
                     output->path, other->option);
    else
        cm_error_set(&err, CM_USAGE, "--%s %s would overwrite the file that is read",
                     output->option, output->path);
    cm_error_hint(&err, "name another file to write to");
    return shell_refuse(command, &err);
}

int shell_check_files(const struct shell_syntax *syntax, void *values)
{
    struct file files[FILES_MAX];
    struct cm_error err = {0};
    uint32_t count = 0;
    int code = list_files(syntax, values, files, &count);
    if (code != 0)
        return code;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; files[i].written && k < count; k++) {
            /* compares an output with all inputs, and with the outputs before it, so that two
             * outputs are compared only once */
            bool compared = k != i && (k < i || !files[k].written);
            bool same = false;
            if (compared && cm_file_same(files[i].path, files[k].path, &same, &err) != CM_OK)
                return shell_error(&err);
            if (same)
                return refuse_same(syntax->command, &files[i], &files[k]);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (files[i].written && cm_file_probe(files[i].path, &err) != CM_OK)
            return shell_error(&err);
    return 0;
}
