/* The program cm200-view: reads the options, opens traces, and draws them into files or a window.
 */
#include "../../base/version.h"
#include "../control/keys.h"
#include "demo.h"
#include "show.h"
#include "source.h"

#include <string.h>

const char shell_program_name[] = "cm200-view";

static int print_text(const struct cm_view_options *options)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    if (options->common.help)
        cm_view_options_help(&text);
    else if (options->version)
        cm_buffer_printf(&text, "cm200-view %s\n", cm_version());
    else
        cm_view_keys_text(&text);
    return shell_deliver(NULL, &text, CM_OK, NULL);
}

/* Shows a model in picture files or in a window, and returns the exit code. `tour` has the models
 * of the guided tour, or is NULL. */
static int show(const struct cm_view_options *options, const struct cm_view_model *model,
                const struct cm_view_model *const *tour, struct cm_view_session *session)
{
    struct cm_view_control control;
    cm_view_control_begin(&control, model);
    enum cm_status status = cm_view_options_apply(options, &control);
    if (status != CM_OK)
        return cm_status_exit_code(status);
    if (tour != NULL)
        cm_view_tour_begin(&control, tour, options->station);
    if (options->screenshot != NULL || options->frames != NULL || options->film != NULL)
        return cm_view_headless(options, &control, session);
    return cm_view_window(options, &control, session);
}

/* Runs the program of --debug a second time, step by step, and shows it next to the picture of its
 * first run. */
static int step_and_show(const struct cm_view_options *options, struct cm_view_model *model)
{
    struct cm_view_session *session = NULL;
    struct cm_error err;
    memset(&err, 0, sizeof err);
    enum cm_status status = cm_view_session_open(options, &session, &err);
    int code = 0;
    if (status == CM_OK) {
        model->program = cm_view_session_program(session);
        code = show(options, model, NULL, session);
        status = cm_view_session_status(session, &err);
    }
    cm_view_session_close(session);
    return status == CM_OK ? code : shell_error(&err);
}

static int open_and_show(struct cm_view_options *options)
{
    struct cm_view_source sources[CM_VIEW_RUNS_MAX];
    struct cm_view_model *model = NULL;
    memset(sources, 0, sizeof sources);
    int code = cm_view_check_outputs(options);
    if (code == 0)
        code = cm_view_sources_open(options, sources, &model);
    if (code == 0)
        code = options->debug ? step_and_show(options, model) : show(options, model, NULL, NULL);
    int checks = cm_view_sources_check(sources);
    cm_view_model_free(model);
    cm_view_sources_close(sources);
    return code != 0 ? code : checks;
}

static int open_demo(struct cm_view_options *options)
{
    struct cm_demo demo;
    struct cm_error err;
    memset(&demo, 0, sizeof demo);
    memset(&err, 0, sizeof err);
    int code = cm_view_check_outputs(options);
    if (code == 0 && cm_demo_open(options, &demo, &err) != CM_OK)
        code = shell_error(&err);
    if (code == 0)
        code = show(options, demo.models[0], demo.shown, NULL);
    cm_demo_close(&demo);
    return code;
}

int main(int argc, char **argv)
{
    struct cm_view_options options;
    shell_begin();
    if (!cm_view_programs_begin())
        return shell_no_memory();
    int code = cm_view_options_read(argc - 1, argv + 1, &options);
    if (code == 0 && (options.common.help || options.version || options.keys))
        code = print_text(&options);
    else if (code == 0)
        code = options.demo ? open_demo(&options) : open_and_show(&options);
    cm_view_options_finish(&options);
    return code;
}
