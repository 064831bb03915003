/* Draws latency against load for `cm200 route --figure`, from the table that --csv writes. The
 * command cm200 figure therefore draws the same picture from that file. */
#include "../figure/figure.h"
#include "../programs/workload/steps/network.h"
#include "step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct cm_figure_page page_of(const struct cli_network_values *values, const char *title)
{
    return (struct cm_figure_page){
        .path = values->figure,
        .millimetres = {160, 105},
        .points = 9,
        .font = "Helvetica, Arial, sans-serif",
        .title = values->title != NULL ? values->title : title,
        .name = values->title != NULL ? values->title : title,
    };
}

int cli_network_figure_check(const struct cli_network_values *values, bool several)
{
    struct cm_error err = {0};
    if (values->figure == NULL)
        return values->title != NULL || values->x_title != NULL || values->y_title != NULL
                   ? shell_usage("route", "--title, --x-title and --y-title are for --figure FILE")
                   : 0;
    if (!several)
        return shell_usage("route",
                           "--figure draws several rates: give --rate FIRST:LAST:STEP, as in "
                           "0.05:1:0.05");
    const struct cm_figure_page page = page_of(values, "");
    return cm_figure_check(&page, &err) == CM_OK ? 0 : shell_refuse("route", &err);
}

static enum cm_status draw(const struct cli_network_values *values, const struct cm_result *result,
                           struct cm_buffer *out, struct cm_error *err)
{
    const struct cm_network_report *report = cm_step_network_report(&result->steps[0]);
    const struct cm_figure_curve curve = {
        .x = CM_FIGURE_LOAD_X,
        .y = CM_FIGURE_LOAD_Y,
        .x_title = values->x_title,
        .y_title = values->y_title,
    };
    struct cm_figure_data data = {0};
    struct cm_buffer table, about;
    char title[128];
    snprintf(title, sizeof title, "%.90s, %" PRIu32 " nodes", result->workload, report->nodes);
    struct cm_figure_page page = page_of(values, title);
    cm_buffer_init(&table);
    cm_buffer_init(&about);
    cm_network_csv(report, &table);
    cm_result_made_of(result, &about);
    page.about = about.data;
    enum cm_status status = cm_buffer_ok(&table) && cm_buffer_ok(&about)
                                ? cm_figure_read_text(&data, result->workload, table.data, err)
                                : cm_error_no_memory(err);
    if (status == CM_OK)
        status = cm_figure_rows_curve(&curve, &data, &page, out, err);
    cm_figure_data_finish(&data);
    cm_buffer_finish(&table);
    cm_buffer_finish(&about);
    return status;
}

int cli_network_figure(const struct cli_network_values *values, const struct cm_result *result)
{
    struct cm_buffer out;
    struct cm_error err = {0};
    const struct cm_network_report *report = cm_step_network_report(&result->steps[0]);
    if (values->figure == NULL || (result->partial && !cm_network_is_partial(report)))
        return 0;
    cm_buffer_init(&out);
    enum cm_status status = draw(values, result, &out, &err);
    return cli_deliver_figure("route", values->figure, result->partial, &out, status, &err);
}
