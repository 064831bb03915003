/* Text of `cm200 --version`: release, commit, and the optional parts of this build, for bug
 * reports. */
#include "../base/version.h"
#include "../sim/host/host.h"
#include "cli.h"
/* The build makes both headers. */
#ifndef CM200_COMMIT
#include "commit.h"
#endif
#ifndef CM200_FEATURES
#include "built_with.h"
#endif

#include <stdlib.h>
#include <string.h>

const char cli_commit[] = CM200_COMMIT;

#if !CM_FOR_A_PAGE
static const struct {
    const char *name, *value;
} features[] = {CM200_FEATURES};

static void append_feature(struct cm_buffer *text, const char *name, const char *value)
{
    cm_buffer_printf(text, "  %-14s %s\n", name, value);
}

/* Appends what depends on the host: the vector instructions that are used, and whether data files
 * are installed. */
static void append_host(struct cm_buffer *text)
{
    static const char *const vectors[CM_HOST_COUNT] = {
        [CM_HOST_PLAIN] = "no wide ones", [CM_HOST_AVX2] = "AVX2", [CM_HOST_AVX512] = "AVX-512"};
    static const char machine[] = "configs/cm200.json";
    char path[1024];
    char *folder = NULL;
    bool page = cli_data_path("web/trace.html", path, sizeof path) != NULL;
    append_feature(text, "HTML export", page ? "yes" : "no: `ninja web` makes its page");
    append_feature(text, "vectors", vectors[cm_host()]);
    append_feature(text, "executor", cm_executor_name(cm_executor_best()));
    if (cli_data_path(machine, path, sizeof path) != NULL) {
        path[strlen(path) - strlen(machine)] = '\0';
        folder = realpath(path[0] != '\0' ? path : ".", NULL);
    }
    append_feature(text, "data", folder != NULL ? folder : "not found");
    free(folder);
}
#endif

void cli_version(const struct cli_command *command, struct cm_buffer *text)
{
    (void)command;
    cm_buffer_printf(text, "cm200 %s%s%s%s\n", cm_version(),
                     cli_commit[0] != '\0' ? " (commit " : "", cli_commit,
                     cli_commit[0] != '\0' ? ")" : "");
#if !CM_FOR_A_PAGE
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        append_feature(text, features[i].name, features[i].value);
    append_host(text);
#endif
}
