/* Shows the traffic in the router for `cm200 shift` and `cm200 route`: summaries, tables and files.
 */
#include "../programs/workload/steps/network.h"
#include "step.h"

void cli_network_text(const void *context, const struct cm_result *result, struct cm_buffer *text)
{
    const struct cli_network_values *values = context;
    const struct cm_network_report *report = cm_step_network_report(&result->steps[0]);
    if (values->table) {
        cm_buffer_printf(text, "%s", report->table != NULL ? report->table : "");
        return;
    }
    cm_result_summary(result, cli_summary_style() | CM_SUMMARY_COMMON, text);
    cm_network_summary(report, text);
    if (values->heatmap)
        cm_network_heatmap(report, cli_summary_style(), text);
}

static int write_file(const char *path, const struct cm_result *result,
                      void (*render)(const struct cm_network_report *, struct cm_buffer *))
{
    const struct cm_network_report *report = cm_step_network_report(&result->steps[0]);
    struct cm_buffer text, made_of;
    int code;
    if (path == NULL || (result->partial && !cm_network_is_partial(report)))
        return 0; /* the user wants no such file, or the interrupted run has counted nothing yet */
    cm_buffer_init(&text);
    render(report, &text);
    cm_buffer_init(&made_of);
    cm_result_made_of(result, &made_of);
    const struct cli_partial partial = {path, "what was counted until then is", made_of.data};
    if (result->partial && cm_buffer_ok(&made_of))
        code = cli_deliver_partial(&partial, &text, CM_OK, NULL);
    else
        code = shell_deliver(path, &text, CM_OK, NULL);
    if (!cm_buffer_ok(&made_of))
        code = shell_first_of(code, shell_no_memory());
    else if (code == 0 && !result->partial)
        code = cli_write_made_by(path, made_of.data);
    cm_buffer_finish(&made_of);
    return code;
}

int cli_network_files(const void *context, const struct cm_result *result)
{
    const struct cli_network_values *values = context;
    int code = write_file(values->csv, result, cm_network_csv);
    code = shell_first_of(code, write_file(values->packets, result, cm_network_packets_csv));
    return shell_first_of(code, cli_network_figure(values, result));
}
