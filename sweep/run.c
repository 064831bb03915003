/* Makes one run of a sweep, and its line for the journal, in a worker process. */
#include "../programs/validation/published.h"
#include "../programs/workload/result.h"
#include "../report/json_writer.h"
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Settings of one run: the settings of the whole sweep, followed by the values of the axes at the
 * run's point in the grid. */
struct setting {
    struct cm_run_options options;
    const char **sets, **params;
    uint32_t param_count;
    struct cm_buffer words; /* "NAME=VALUE" of each axis, each ended by NUL */
    char *text;
    size_t length;
};

static void copy_list(const char **to, const char *const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = items[i];
}

/* Copies the settings of the sweep, and allocates room for the settings of the axes. The buffer
 * `words` must not grow later, because the settings point into it. */
static enum cm_status begin_setting(const struct cm_sweep *sweep, struct setting *setting,
                                    struct cm_error *err)
{
    const struct cm_sweep_settings *settings = &sweep->settings;
    size_t words = 1;
    for (uint32_t a = 0; a < sweep->settings.axis_count; a++)
        for (uint32_t i = 0; i < sweep->settings.axes[a].count; i++)
            words += strlen(sweep->settings.axes[a].values[i]);
    for (uint32_t a = 0; a < sweep->settings.axis_count; a++)
        words += strlen(sweep->settings.axes[a].name) + 2;
    setting->sets = calloc(settings->options.set_count + CM_SWEEP_AXES_MAX, sizeof(char *));
    setting->params = calloc(settings->param_count + CM_SWEEP_AXES_MAX, sizeof(char *));
    setting->text = malloc(sweep->length + 1);
    if (setting->sets == NULL || setting->params == NULL || setting->text == NULL ||
        !cm_buffer_room(&setting->words, words))
        return cm_error_no_memory(err);
    memcpy(setting->text, sweep->text, sweep->length);
    setting->length = sweep->length;
    copy_list(setting->sets, settings->options.sets, settings->options.set_count);
    copy_list(setting->params, settings->params, settings->param_count);
    setting->param_count = settings->param_count;
    setting->options = settings->options;
    setting->options.sets = setting->sets;
    setting->options.threads = 1; /* several runs already share the host */
    return CM_OK;
}

static const char *add_word(struct setting *setting, const char *name, const char *value)
{
    size_t at = setting->words.length;
    cm_buffer_printf(&setting->words, "%s=%s", name, value);
    cm_buffer_append(&setting->words, "", 1);
    return setting->words.data + at;
}

static enum cm_status apply(const struct cm_sweep *sweep, uint32_t run, struct setting *setting,
                            struct cm_error *err)
{
    const char *file = sweep->settings.workload;
    enum cm_status status = begin_setting(sweep, setting, err);
    for (uint32_t a = 0; status == CM_OK && a < sweep->settings.axis_count; a++) {
        const char *name = sweep->settings.axes[a].name, *value = cm_sweep_value(sweep, run, a);
        switch (sweep->settings.axes[a].kind) {
        case CM_SWEEP_MACHINE:
            setting->sets[setting->options.set_count++] = add_word(setting, name, value);
            break;
        case CM_SWEEP_PARAMETER:
            setting->params[setting->param_count++] =
                add_word(setting, name + strlen("param."), value);
            break;
        case CM_SWEEP_NODES:
            setting->options.nodes = (uint32_t)strtoul(value, NULL, 10);
            break;
        case CM_SWEEP_FILE:
            setting->options.machine = value;
            break;
        case CM_SWEEP_PLACE:
            status = cm_sweep_edit(file, &setting->text, &setting->length, name, value, err);
            break;
        }
    }
    return status;
}

static void finish_setting(struct setting *setting)
{
    free(setting->sets);
    free(setting->params);
    free(setting->text);
    cm_buffer_finish(&setting->words);
}

/* Appends a JSON text without its line feeds and the blanks after them. Strings in JSON contain no
 * line feeds. */
static void append_on_one_line(struct cm_buffer *line, const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t until = end != NULL ? (size_t)(end - text) : length;
        cm_buffer_append(line, text + at, until - at);
        at = until + 1;
        while (at < length && text[at] == ' ')
            at++;
    }
}

static enum cm_status append_result(const struct cm_sweep *sweep, struct cm_run *run,
                                    struct cm_buffer *line, struct cm_error *err)
{
    struct cm_result shown = *cm_run_result(run);
    struct cm_buffer text;
    cm_buffer_init(&text);
    shown.command = sweep->settings.command;
    shown.commit = sweep->settings.commit;
    enum cm_status status = cm_result_json(&shown, &text, err);
    cm_buffer_printf(line, "\"result\": ");
    if (status == CM_OK)
        append_on_one_line(line, text.data, text.length);
    cm_buffer_finish(&text);
    return status;
}

static enum cm_status make(const struct cm_sweep *sweep, const struct setting *setting,
                           struct cm_buffer *line, struct cm_error *err)
{
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    enum cm_status status = cm_workload_parse_with(
        &(struct cm_file_text){sweep->settings.workload, setting->text, setting->length},
        setting->params, setting->param_count, &workload, err);
    if (status == CM_OK)
        status = cm_run_create(workload, &setting->options, &run, err);
    if (status == CM_OK)
        status = cm_run_execute(run, err);
    if (status == CM_OK || status == CM_CHECK_FAILED)
        status = append_result(sweep, run, line, err);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return status;
}

static void append_values(const struct cm_sweep *sweep, uint32_t run, struct cm_json_writer *json)
{
    cm_json_write_object(json, "values");
    for (uint32_t a = 0; a < sweep->settings.axis_count; a++)
        cm_json_write_string(json, sweep->settings.axes[a].name, cm_sweep_value(sweep, run, a));
    cm_json_write_end(json);
}

/* Appends the beginning of a line of the journal: {"run": 3, "values": {...}, */
static void begin_line(const struct cm_sweep *sweep, uint32_t run, struct cm_buffer *line)
{
    struct cm_json_writer json;
    struct cm_buffer head;
    cm_buffer_init(&head);
    cm_json_writer_begin(&json, &head);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_u64(&json, "run", run);
    append_values(sweep, run, &json);
    cm_json_write_end(&json);
    const char *end = head.data != NULL ? strrchr(head.data, '}') : NULL;
    if (end != NULL)
        cm_buffer_append(line, head.data, (size_t)(end - head.data));
    line->failed = line->failed || !cm_buffer_ok(&head);
    cm_buffer_printf(line, ", ");
    cm_buffer_finish(&head);
}

static void append_error(const struct cm_error *err, struct cm_buffer *line)
{
    struct cm_json_writer json;
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_json_writer_begin(&json, &text);
    cm_json_write_compact(&json, true);
    cm_json_write_object(&json, NULL);
    cm_json_write_members(&json, {"status", cm_i64(cm_status_exit_code(err->status))},
                          {"message", cm_text(err->message)}, {"hint", cm_text(err->hint)},
                          {"line", cm_u64(err->line)}, {"column", cm_u64(err->column)});
    cm_json_write_end(&json);
    cm_buffer_printf(line, "\"error\": ");
    if (cm_buffer_ok(&text))
        append_on_one_line(line, text.data, text.length);
    line->failed = line->failed || !cm_buffer_ok(&text);
    cm_buffer_finish(&text);
}

static enum cm_status check_key(const char *path, struct cm_error *err)
{
    struct cm_config config;
    char word[256];
    const char *set = word;
    enum cm_status status = cm_config_read("cm200", &config, err);
    for (uint32_t i = 0; status == CM_OK && i < cm_config_count(); i++)
        if (strcmp(cm_config_at(&config, i).path, path) == 0)
            return CM_OK;
    /* cm_config_set refuses the unknown name, and suggests a similar one */
    snprintf(word, sizeof word, "%s=1", path);
    return status == CM_OK ? cm_config_set(&config, &set, 1, err) : status;
}

static enum cm_status check_axis(const struct cm_sweep *sweep, const struct cm_sweep_axis *axis,
                                 struct setting *setting, struct cm_error *err)
{
    const char *file = sweep->settings.workload;
    if (axis->kind == CM_SWEEP_MACHINE)
        return check_key(axis->name, err);
    if (axis->kind == CM_SWEEP_PLACE)
        return cm_sweep_edit(file, &setting->text, &setting->length, axis->name, axis->values[0],
                             err);
    if (axis->kind == CM_SWEEP_PARAMETER)
        setting->params[setting->param_count++] =
            add_word(setting, axis->name + strlen("param."), axis->values[0]);
    return CM_OK;
}

/* Refuses a parameter that the workload does not have. Reads the unchanged workload with all
 * parameters for this. */
static enum cm_status check_parameters(const struct cm_sweep *sweep, const struct setting *setting,
                                       struct cm_error *err)
{
    struct cm_workload *workload = NULL;
    enum cm_status status = cm_workload_parse_with(
        &(struct cm_file_text){sweep->settings.workload, sweep->text, sweep->length},
        setting->params, setting->param_count, &workload, err);
    cm_workload_destroy(workload);
    return status;
}

enum cm_status cm_sweep_check(const struct cm_sweep *sweep, struct cm_error *err)
{
    struct setting setting = {0};
    enum cm_status status = begin_setting(sweep, &setting, err);
    for (uint32_t a = 0; status == CM_OK && a < sweep->settings.axis_count; a++)
        status = check_axis(sweep, &sweep->settings.axes[a], &setting, err);
    if (status == CM_OK && setting.param_count > sweep->settings.param_count)
        status = check_parameters(sweep, &setting, err);
    finish_setting(&setting);
    return status;
}

/* Makes run number `run` and appends its line for the journal to `line`. Fails only if the host
 * lacks something, such as memory, or the simulator made a mistake, because other errors are
 * results of the run. */
enum cm_status cm_sweep_run(const struct cm_sweep *sweep, uint32_t run, struct cm_buffer *line,
                            struct cm_error *err)
{
    struct setting setting = {0};
    size_t start;
    begin_line(sweep, run, line);
    start = line->length;
    enum cm_status status = apply(sweep, run, &setting, err);
    if (status == CM_OK)
        status = make(sweep, &setting, line, err);
    finish_setting(&setting);
    if (status == CM_NO_MEMORY || status == CM_INTERNAL ||
        (status == CM_IO && cm_sweep_may_read(err->file)))
        return status;
    if (!cm_buffer_ok(line))
        return cm_error_no_memory(err);
    if (status != CM_OK && status != CM_CHECK_FAILED) {
        line->length = start;
        append_error(err, line);
    }
    cm_buffer_printf(line, "}");
    return cm_buffer_ok(line) ? CM_OK : cm_error_no_memory(err);
}
