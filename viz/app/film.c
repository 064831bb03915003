/* Films. Frames go through a pipe to the program ffmpeg, which writes FILE.part. The file gets its
 * final name when it is complete. */
#include "film.h"

#include "../../base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MP4_RATE 30 /* frames in a second of an MP4 film */
/* frames in a second of a GIF film, whose times are in hundredths of a second and whose frames are
 * large */
#define GIF_RATE      10
#define ARGUMENTS_MAX 40
#define CAPTION_ROOM  8 /* height of a film, in captions, from which it has captions */

static int rate_of(const struct cm_view_options *options)
{
    return options->gif ? GIF_RATE : MP4_RATE;
}

/* Replaces the child process by the program ffmpeg. Does not return. */
static void run_ffmpeg(const struct cm_view_options *options, const struct cm_view_target *target,
                       int from, const char *part)
{
    char size[32], rate[16];
    snprintf(size, sizeof size, "%dx%d", target->w, target->h);
    snprintf(rate, sizeof rate, "%d", rate_of(options));
    const char *mp4[] = {"-c:v", "libx264", "-crf",      "18",         "-pix_fmt", "yuv420p",
                         "-f",   "mp4",     "-movflags", "+faststart", NULL};
    const char *gif[] = {
        "-vf", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none",
        "-f", "gif", NULL};
    const char *arguments[ARGUMENTS_MAX] = {"ffmpeg", "-v",       "error",    "-nostdin", "-y",
                                            "-f",     "rawvideo", "-pix_fmt", "bgra",     "-s",
                                            size,     "-r",       rate,       "-i",       "pipe:0"};
    size_t count = 15;
    for (const char **more = options->gif ? gif : mp4; *more != NULL; more++)
        arguments[count++] = *more;
    arguments[count] = part;
    dup2(from, STDIN_FILENO);
    execvp("ffmpeg", (char *const *)(uintptr_t)arguments);
    _exit(errno == ENOENT ? 127 : 126);
}

static bool write_all(int to, const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t done = write(to, at, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        length -= (size_t)done;
    }
    return true;
}

static bool write_frame(int to, const struct cm_view_target *target)
{
    for (int y = 0; y < target->h; y++)
        if (!write_all(to, target->pixels + (size_t)y * (size_t)target->pitch,
                       (size_t)target->w * sizeof *target->pixels))
            return false;
    return true;
}

static enum cm_status write_frames(const struct cm_view_options *options,
                                   struct cm_view_control *control,
                                   const struct cm_view_picture *picture, int to,
                                   struct cm_error *err)
{
    struct cm_view_state *state = &control->state;
    uint64_t cycles = cm_view_cycles(control->model, state);
    uint64_t seconds = options->film_seconds != 0 ? options->film_seconds : CM_VIEW_FILM_SECONDS;
    uint64_t count = seconds * (uint64_t)rate_of(options);
    struct shell_progress progress;
    struct cm_view_picture above = *picture; /* the picture without the strip of the caption */
    int strip = (int)(CM_VIEW_CAPTION_HEIGHT * picture->target.scale);
    bool captions = above.target.h >= CAPTION_ROOM * strip;
    char text[200], caption[sizeof text + 4];
    enum cm_status status = CM_OK;
    bool taken = true;
    above.target.h -= captions ? strip : 0;
    cm_view_set_speed(control->model, state,
                      (double)cycles / ((double)seconds * CM_VIEW_CYCLES_PER_SECOND));
    cm_view_play(control->model, state, true);
    shell_progress_begin(&progress, false);
    progress.what = "frame";
    for (uint64_t i = 0; i < count && status == CM_OK && taken; i++) {
        cm_view_go(control->model, state, (uint64_t)((double)cycles * (double)i / (double)count));
        status = cm_view_picture_draw(&above, control, err);
        cm_view_caption(control->model, state, text, sizeof text);
        /* of two runs, the caption is about the first */
        snprintf(caption, sizeof caption, "%s%s", state->compare ? "A: " : "", text);
        if (captions)
            cm_view_draw_caption(caption, state->theme, &picture->target);
        taken = write_frame(to, &picture->target);
        shell_progress_step(&progress, i, count);
    }
    shell_progress_end(&progress);
    return status;
}

/* Translates the exit status of ffmpeg into an error. ffmpeg prints messages of its own before. */
static enum cm_status ffmpeg_status(int ended, struct cm_error *err)
{
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return CM_OK;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 127) {
        cm_error_set(err, CM_IO, "--film needs the program ffmpeg, which is not there");
        cm_error_hint(err, "on Debian: apt-get install ffmpeg; or --frames FOLDER draws pictures");
        return CM_IO;
    }
    return cm_error_set(err, CM_IO, "ffmpeg could not make the film");
}

static enum cm_status pipe_frames(const struct cm_view_options *options,
                                  struct cm_view_control *control,
                                  const struct cm_view_picture *picture, const char *part,
                                  struct cm_error *err)
{
    int ends[2], ended = 0;
    if (pipe(ends) != 0)
        return cm_error_set(err, CM_IO, "cannot start ffmpeg: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        run_ffmpeg(options, &picture->target, ends[0], part);
    }
    close(ends[0]);
    enum cm_status status = CM_OK;
    if (child < 0)
        status = cm_error_set(err, CM_IO, "cannot start ffmpeg: %s", strerror(errno));
    else
        status = write_frames(options, control, picture, ends[1], err);
    close(ends[1]);
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    return status == CM_OK ? ffmpeg_status(ended, err) : status;
}

enum cm_status cm_view_film(const struct cm_view_options *options, struct cm_view_control *control,
                            const struct cm_view_picture *picture, struct cm_error *err)
{
    char *part = NULL;
    enum cm_status status = cm_file_part(options->film, &part, err);
    if (status != CM_OK || part == NULL)
        return status != CM_OK
                   ? status
                   : cm_error_at(err, CM_IO, options->film, 0, 0, "a film needs an ordinary file");
    status = pipe_frames(options, control, picture, part, err);
    if (status == CM_OK && rename(part, options->film) != 0)
        status = cm_error_at(err, CM_IO, options->film, 0, 0, "cannot write: %s", strerror(errno));
    if (status != CM_OK)
        unlink(part);
    free(part);
    return status;
}
