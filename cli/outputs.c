/* Where a command writes: checked before it runs, so that nothing is lost and no work is done in
 * vain. */
#include "../base/file.h"
#include "cli.h"

#include <string.h>

static bool names_file(const char *path)
{
    return path != NULL && strcmp(path, "-") != 0;
}

static int check_output(const struct cli_command *command, const struct cli_values *values,
                        const char *option, const char *path)
{
    struct cm_error err;
    if (!names_file(path))
        return 0;
    for (uint32_t i = 0; i < values->operands.count; i++) {
        const char *input = values->operands.items[i];
        if (names_file(input) && cm_file_same(path, input))
            return cli_usage(command->name, "%s %s would overwrite the file that is read", option,
                             path);
    }
    if (names_file(values->machine) && cm_file_same(path, values->machine))
        return cli_usage(command->name, "%s %s would overwrite the machine", option, path);
    if (names_file(values->list) && cm_file_same(path, values->list))
        return cli_usage(command->name, "%s %s would overwrite the file of --list", option, path);
    memset(&err, 0, sizeof err);
    return cm_file_probe(path, &err) == CM_OK ? 0 : cli_error(&err);
}

int cli_check_outputs(const struct cli_command *command, const struct cli_values *values)
{
    const struct {
        const char *option, *path;
    } outputs[] = {
        {"--output", values->output}, {"--stats", values->stats}, {"--trace", values->trace},
        {"--gtkw", values->gtkw},     {"--csv", values->csv},     {"--packets", values->packets},
    };
    const size_t count = sizeof outputs / sizeof *outputs;
    int code = 0;
    for (size_t i = 0; code == 0 && i < count; i++) {
        code = check_output(command, values, outputs[i].option, outputs[i].path);
        for (size_t j = 0; code == 0 && j < i; j++) {
            if (names_file(outputs[i].path) && names_file(outputs[j].path) &&
                cm_file_same(outputs[i].path, outputs[j].path))
                code = cli_usage(command->name, "%s and %s would write the same file, %s",
                                 outputs[i].option, outputs[j].option, outputs[i].path);
        }
    }
    return code == 0 ? cli_trace_check(values, command->name) : code;
}
