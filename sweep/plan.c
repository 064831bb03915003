/* The plan of a sweep: its workload, the number of runs, and the signature, by which its journal
 * differs from the journals of other sweeps. */
#include "../base/file.h"
#include "../base/sha256.h"
#include "../base/version.h"
#include "../programs/workload/files.h"
#include "sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORKLOAD_MAX_BYTES (64u * 1024u * 1024u)

const char *cm_sweep_value(const struct cm_sweep *sweep, uint32_t run, uint32_t axis)
{
    const struct cm_sweep_axis *axes = sweep->settings.axes;
    for (uint32_t a = sweep->settings.axis_count - 1; a > axis; a--)
        run /= axes[a].count;
    return axes[axis].values[run % axes[axis].count];
}

bool cm_sweep_may_read(const char *path)
{
    struct stat found;
    return access(path, R_OK) == 0 && stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* Adds the bytes of a file to the hash that is the signature of the sweep. A file that is missing,
 * too long or may not be read adds nothing, because the runs that need the file report the error.
 * Fails if reading fails for another reason, because the signature would then be wrong. */
static enum cm_status add_file(struct cm_sha256 *hash, const char *path, struct cm_error *err)
{
    char *data = NULL;
    size_t length = 0;
    enum cm_status status = cm_file_read(path, WORKLOAD_MAX_BYTES, &data, &length, err);
    if (status == CM_OK)
        cm_sha256_add(hash, data, length);
    free(data);
    bool failed = status == CM_NO_MEMORY || (status == CM_IO && cm_sweep_may_read(path));
    return failed ? status : CM_OK;
}

static void add_text(struct cm_sha256 *hash, const char *text)
{
    cm_sha256_add(hash, text, strlen(text) + 1);
}

static void add_list(struct cm_sha256 *hash, const char *const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add_text(hash, items[i]);
    add_text(hash, "");
}

/* Computes the signature of the sweep: a hash of everything that its results depend on. This is the
 * release, the workload and the files that the workload reads, the machines, the options and the
 * grid. */
static enum cm_status sign(struct cm_sweep *sweep, const struct cm_workload *workload,
                           struct cm_error *err)
{
    enum cm_status status = CM_OK;
    const struct cm_sweep_settings *settings = &sweep->settings;
    const struct cm_run_options *options = &settings->options;
    struct cm_sha256 hash;
    char nodes[32];
    cm_sha256_begin(&hash);
    add_text(&hash, cm_version());
    cm_sha256_add(&hash, sweep->text, sweep->length);
    for (const struct cm_workload_file *f = cm_workload_files(workload); f != NULL; f = f->next)
        if (f->kind != CM_WORKLOAD_SAVE && status == CM_OK)
            status = add_file(&hash, f->path, err);
    if (options->machine != NULL && status == CM_OK)
        status = add_file(&hash, options->machine, err);
    for (uint32_t a = 0; a < settings->axis_count; a++) {
        const struct cm_sweep_axis *axis = &settings->axes[a];
        for (uint32_t i = 0; axis->kind == CM_SWEEP_FILE && i < axis->count && status == CM_OK; i++)
            status = add_file(&hash, axis->values[i], err);
    }
    add_list(&hash, options->sets, options->set_count);
    add_list(&hash, settings->params, settings->param_count);
    add_list(&hash, settings->over, settings->over_count);
    snprintf(nodes, sizeof nodes, "%" PRIu32 " %d", options->nodes, options->timing_only);
    add_text(&hash, nodes);
    struct cm_sha256_text digits = cm_sha256_end(&hash);
    memcpy(sweep->signature, digits.text, sizeof sweep->signature);
    return status;
}

enum cm_status cm_sweep_open(const struct cm_sweep_settings *settings, struct cm_sweep *sweep,
                             struct cm_error *err)
{
    struct cm_workload *workload = NULL;
    *sweep = (struct cm_sweep){.settings = *settings, .runs = 1};
    for (uint32_t a = 0; a < settings->axis_count; a++)
        sweep->runs *= settings->axes[a].count;
    enum cm_status status =
        cm_file_read(settings->workload, WORKLOAD_MAX_BYTES, &sweep->text, &sweep->length, err);
    if (status == CM_OK)
        status = cm_workload_parse_with(
            &(struct cm_file_text){settings->workload, sweep->text, sweep->length},
            settings->params, settings->param_count, &workload, err);
    if (status == CM_OK)
        status = sign(sweep, workload, err);
    cm_workload_destroy(workload);
    return status;
}

void cm_sweep_finish(struct cm_sweep *sweep)
{
    free(sweep->text);
}
