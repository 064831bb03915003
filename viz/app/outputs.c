/* Where cm200-view writes: checked before anything runs, so that nothing is lost and no work is
 * done in vain. */
#include "options.h"

#include "../../base/file.h"

#include <string.h>

static int check_output(const struct cm_view_options *options, const char *option, const char *path)
{
    const char *inputs[] = {options->operands.items[0], options->compare, options->machine};
    struct cm_error err;
    if (path != NULL && strcmp(path, "-") == 0 && path == options->screenshot)
        return cli_usage(NULL, "--screenshot - : pictures are not written to standard output");
    if (path == NULL || strcmp(path, "-") == 0)
        return 0;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        if (inputs[i] != NULL && strcmp(inputs[i], "-") != 0 && cm_file_same(path, inputs[i]))
            return cli_usage(NULL, "%s %s would overwrite a file that is read", option, path);
    }
    memset(&err, 0, sizeof err);
    return cm_file_probe(path, &err) == CM_OK ? 0 : cli_error(&err);
}

int cm_view_check_outputs(const struct cm_view_options *options)
{
    int code = check_output(options, "--screenshot", options->screenshot);
    if (code == 0)
        code = check_output(options, "--trace", options->trace);
    return code != 0 ? code : check_output(options, "--log-state", options->log_state);
}
