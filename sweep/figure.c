/* A sweep as a figure: one value against another, a line for each value of a third. */
#include "../base/sha256.h"
#include "../base/version.h"
#include "sweep.h"

#include <string.h>

/* "sweep 01ab...: cm200 0.1.0, workload five-point.json (SHA-256 ...)": which
 * distinguishes it from others. */
static void describe(const struct cm_sweep *sweep, struct cm_buffer *text)
{
    cm_buffer_printf(text,
                     "made by cm200 %s, workload SHA-256 %s, grid and machines %s: ", cm_version(),
                     cm_sha256_of(sweep->text, sweep->length).text, sweep->signature);
    for (uint32_t i = 0; i < sweep->values->over.count; i++)
        cm_buffer_printf(text, "%s%s", i > 0 ? "; " : "", sweep->values->over.items[i]);
    for (uint32_t i = 0; i < sweep->values->machine.sets.count; i++)
        cm_buffer_printf(text, "; %s", sweep->values->machine.sets.items[i]);
}

struct cm_figure_page cm_sweep_page(const struct cm_sweep_values *values)
{
    const char *file = values->common.operands.items[0], *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    return (struct cm_figure_page){
        .command = "sweep",
        .path = values->figure,
        .millimetres = {160, 105},
        .points = 9,
        .font = "Helvetica, Arial, sans-serif",
        .title = name,
        .name = name,
    };
}

int cm_sweep_figure(const struct cm_sweep *sweep, struct cm_figure_point *points, uint32_t count)
{
    const struct cm_sweep_values *values = sweep->values;
    struct cm_buffer about;
    const struct cm_figure_curve curve = {values->x, values->y, values->logarithmic};
    struct cm_figure_page page = cm_sweep_page(values);
    cm_buffer_init(&about);
    describe(sweep, &about);
    page.about = about.data;
    int code =
        cm_buffer_ok(&about) ? cm_figure_curve(&curve, points, count, &page) : shell_no_memory();
    cm_buffer_finish(&about);
    return code;
}
