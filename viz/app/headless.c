/* Pictures and films without a window: the options --screenshot, --frames and --film. */
#include "../control/keys.h"
#include "film.h"
#include "picture.h"
#include "show.h"
#include "state_log.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_MAX_BYTES 4096

static enum cm_status make_folder(const char *path, struct cm_error *err)
{
    struct stat about;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return CM_OK;
    return cm_error_at(err, CM_IO, path, 0, 0, "cannot make the folder: %s", strerror(errno));
}

/* Fails if the folder has frames of an earlier run, which would be taken for frames of this run. */
static enum cm_status refuse_stale(const char *path, struct cm_error *err)
{
    bool stale = false;
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && !stale && (entry = readdir(folder)) != NULL) {
        const char *ending = strrchr(entry->d_name, '.');
        stale = strncmp(entry->d_name, "frame-", 6) == 0 && ending != NULL &&
                strcmp(ending, ".png") == 0;
    }
    if (folder != NULL)
        closedir(folder);
    if (!stale)
        return CM_OK;
    cm_error_at(err, CM_USAGE, path, 0, 0, "the folder has frames already");
    return cm_error_hint(err, "remove them, or name another folder");
}

static enum cm_status draw_frames(const struct cm_view_options *options,
                                  struct cm_view_control *control,
                                  const struct cm_view_picture *picture, struct cm_error *err)
{
    uint64_t cycles = cm_view_cycles(control->model, &control->state), from = options->from;
    uint64_t end = options->to != 0 ? options->to : cycles;
    uint64_t every = options->every != 0 ? options->every : 1;
    uint64_t count = end > from ? (end - from - 1) / every + 1 : 1;
    struct shell_progress progress;
    char path[PATH_MAX_BYTES];
    if (count > CM_VIEW_FRAMES_MAX) {
        cm_error_set(err, CM_USAGE, "--frames would write %" PRIu64 " files, more than %u", count,
                     CM_VIEW_FRAMES_MAX);
        return cm_error_hint(err, "--every %" PRIu64 " is enough", count / CM_VIEW_FRAMES_MAX + 1);
    }
    enum cm_status status = make_folder(options->frames, err);
    if (status == CM_OK)
        status = refuse_stale(options->frames, err);
    shell_progress_begin(&progress, false);
    progress.what = "frame";
    for (uint64_t i = 0; i < count && status == CM_OK; i++) {
        int length = snprintf(path, sizeof path, "%s/frame-%06" PRIu64 ".png", options->frames, i);
        if (length < 0 || (size_t)length >= sizeof path)
            status = cm_error_set(err, CM_USAGE, "--frames names a path that is too long");
        cm_view_go(control->model, &control->state, from + i * every);
        if (status == CM_OK)
            status = cm_view_picture_draw(picture, control, err);
        if (status == CM_OK)
            status = cm_view_picture_write(picture, control->model, path, err);
        shell_progress_step(&progress, i, count);
    }
    shell_progress_end(&progress);
    return status;
}

static enum cm_status draw_picture(const struct cm_view_options *options,
                                   struct cm_view_control *control,
                                   const struct cm_view_picture *picture, struct cm_error *err)
{
    if (options->format != CM_VIEW_PNG)
        return cm_view_picture_vector(picture, control, options->format == CM_VIEW_PDF,
                                      options->screenshot, err);
    enum cm_status status = cm_view_picture_draw(picture, control, err);
    if (status == CM_OK)
        status = cm_view_picture_write(picture, control->model, options->screenshot, err);
    return status;
}

/*
 * Presses the keys of --press. Requests to quit or to save pictures have no effect here. Messages
 * go to standard error, because picture files do not show them.
 */
static void press_all(struct cm_view_control *control, const char *keys,
                      struct cm_view_session *session)
{
    char word[CM_VIEW_KEY_NAME_MAX];
    while (keys != NULL && cm_view_key_word(&keys, word, sizeof word)) {
        cm_view_control_key(control, word);
        if (session != NULL)
            cm_view_session_serve(session, control, true);
        if (control->message[0] != '\0')
            fprintf(stderr, "%s: key %s: %s\n", shell_program_name, word, control->message);
        control->message[0] = '\0';
    }
    control->prompt = false;
}

/* Executes the debugger commands of --do and presses the keys of --press. */
static enum cm_status prepare(const struct cm_view_options *options,
                              struct cm_view_control *control, struct cm_view_session *session,
                              struct cm_error *err)
{
    if (session != NULL)
        cm_view_session_serve(session, control, true);
    if (session != NULL && !cm_view_session_do(session, control, options->commands))
        return cm_error_set(err, CM_BAD_INPUT, "--do: %s", control->message);
    press_all(control, options->press, session);
    return CM_OK;
}

int cm_view_headless(const struct cm_view_options *options, struct cm_view_control *control,
                     struct cm_view_session *session)
{
    struct cm_view_picture picture;
    struct cm_view_log log;
    struct cm_error err;
    double scale = options->points_scale;
    memset(&err, 0, sizeof err);
    enum cm_status status = cm_view_log_open(&log, options->log_state, false, &err);
    if (status != CM_OK)
        return cm_view_log_close(&log, status, &err);
    log.scale = scale;
    log.w = (int)(options->width * scale);
    log.h = (int)(options->height * scale);
    /* a film stores colours at half the resolution, so width and height must be even */
    if (options->film != NULL) {
        log.w &= ~1;
        log.h &= ~1;
    }
    status = prepare(options, control, session, &err);
    log.scale = scale = cm_view_text_scale(control, scale);
    memset(&picture, 0, sizeof picture);
    if (status == CM_OK)
        status = cm_view_picture_begin(&picture, scale, &err);
    if (status == CM_OK)
        status = cm_view_picture_resize(&picture, log.w, log.h, &err);
    if (status == CM_OK && options->point != NULL)
        cm_view_control_point(control, &picture.target, options->pointer);
    cm_view_log_write(&log, "start", control, true);
    if (status == CM_OK && options->film != NULL)
        status = cm_view_film(options, control, &picture, &err);
    if (status == CM_OK && options->frames != NULL)
        status = draw_frames(options, control, &picture, &err);
    if (status == CM_OK && options->screenshot != NULL) {
        status = draw_picture(options, control, &picture, &err);
    }
    cm_view_picture_finish(&picture);
    return cm_view_log_close(&log, status, &err);
}
