/* What came out of a command: to the standard output, and to the file of --stats. */
#include "cli.h"

#include <string.h>

int cli_render_to(const char *path, cli_render render, const struct cli_values *values,
                  const void *what)
{
    struct cm_buffer text;
    struct cm_error err;
    memset(&err, 0, sizeof err);
    cm_buffer_init(&text);
    int code =
        render(values, what, &text, &err) == CM_OK ? cli_write_to(path, &text) : cli_error(&err);
    cm_buffer_finish(&text);
    return code;
}

int cli_print(const struct cli_values *values, cli_render text, cli_render json, const void *what)
{
    if (values->quiet && !values->json)
        return 0;
    return cli_render_to(NULL, values->json ? json : text, values, what);
}

int cli_write_stats(const struct cli_values *values, cli_render json, const void *what)
{
    return values->stats != NULL ? cli_render_to(values->stats, json, values, what) : 0;
}

int cli_first_of(int code, int next)
{
    return code != 0 ? code : next;
}
