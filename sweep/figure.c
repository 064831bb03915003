/* Draws the figure of a sweep: one column of its table against another, with a line for each value
 * of an axis. */
#include "../base/sha256.h"
#include "../base/version.h"
#include "sweep.h"

#include <string.h>

/* Appends the description that the figure's file contains: release, hash of the workload, signature
 * of the sweep, axes, and changed numbers of the machine. */
static void describe(const struct cm_sweep *sweep, struct cm_buffer *text)
{
    const struct cm_sweep_settings *settings = &sweep->settings;
    cm_buffer_printf(text,
                     "made by cm200 %s, workload SHA-256 %s, grid and machines %s: ", cm_version(),
                     cm_sha256_of(sweep->text, sweep->length).text, sweep->signature);
    for (uint32_t i = 0; i < settings->over_count; i++)
        cm_buffer_printf(text, "%s%s", i > 0 ? "; " : "", settings->over[i]);
    for (uint32_t i = 0; i < settings->options.set_count; i++)
        cm_buffer_printf(text, "; %s", settings->options.sets[i]);
}

struct cm_figure_page cm_sweep_page(const struct cm_sweep_settings *settings)
{
    const char *file = settings->workload, *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    return (struct cm_figure_page){
        .path = settings->figure,
        .millimetres = {160, 105},
        .points = 9,
        .font = "Helvetica, Arial, sans-serif",
        .title = settings->title != NULL ? settings->title : name,
        .name = name,
    };
}

enum cm_status cm_sweep_figure(const struct cm_sweep *sweep, struct cm_figure_point *points,
                               uint32_t count, struct cm_buffer *out, struct cm_error *err)
{
    const struct cm_sweep_settings *settings = &sweep->settings;
    struct cm_buffer about;
    const struct cm_figure_curve curve = {
        .x = settings->x,
        .y = settings->y,
        .group = settings->group,
        .x_title = settings->x_title,
        .y_title = settings->y_title,
        .logarithmic = settings->logarithmic,
    };
    struct cm_figure_page page = cm_sweep_page(settings);
    cm_buffer_init(&about);
    describe(sweep, &about);
    page.about = about.data;
    enum cm_status status = cm_buffer_ok(&about)
                                ? cm_figure_curve(&curve, points, count, &page, out, err)
                                : cm_error_no_memory(err);
    cm_buffer_finish(&about);
    return status;
}
