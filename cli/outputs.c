/* Where a command writes: checked before it runs, so that nothing is lost and no work is done in vain. */
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
    memset(&err, 0, sizeof err);
    return cm_file_probe(path, &err) == CM_OK ? 0 : cli_error(&err);
}

int cli_check_outputs(const struct cli_command *command, const struct cli_values *values)
{
    int code = check_output(command, values, "--output", values->output);
    if (code == 0)
        code = check_output(command, values, "--stats", values->stats);
    if (code == 0)
        code = check_output(command, values, "--trace", values->trace);
    if (code == 0)
        code = cli_trace_check(values, command->name);
    if (code == 0 && names_file(values->trace) && names_file(values->stats) &&
        cm_file_same(values->trace, values->stats))
        code = cli_usage(command->name, "--trace and --stats would write the same file, %s",
                         values->trace);
    return code;
}
