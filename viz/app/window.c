/*
 * The window and its event loop. The loop sleeps until an event comes, and draws at most 60 frames
 * a second while a run plays. Pixels are drawn in memory and copied to the window's surface, so
 * pictures are equal on every video driver.
 */
#include "events.h"
#include "picture.h"
#include "show.h"
#include "state_log.h"

#include <inttypes.h>
#include <SDL.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAMES_PER_SECOND 60
/* longest time in seconds by which playing advances at once, so that the run does not jump if the
 * host paused the program */
#define LONGEST_STEP_SECONDS 0.1
#define NAMES_MAX            1000u

struct window {
    const struct cm_view_options *options;
    struct cm_view_control *control;
    struct cm_view_session *session; /* session of --debug. NULL: no program is stepped through */
    struct cm_view_control drawn;    /* copy of the control that the picture shows */
    struct cm_view_picture picture;
    struct cm_view_log log;
    SDL_Window *window;
    double scale; /* number of pixels in a point, without large text */
    /* true if the picture must be drawn again even if the control has not changed */
    bool stale;
    const char *keys_left; /* keys of --press that are not pressed yet */
    /* Values of SDL's performance counter: when playing last advanced, and when the next frame is
     * due. */
    uint64_t last_ticks, due_ticks;
    char folder[64]; /* name of the folder for the recorded frames */
    uint64_t recorded;
    bool was_recording;
};

/* Returns true if SDL has chosen a video driver that shows nothing, although the user has not asked
 * for this driver. */
static bool driver_shows_nothing(void)
{
    const char *asked = SDL_getenv("SDL_VIDEODRIVER"), *driver = SDL_GetCurrentVideoDriver();
    return (asked == NULL || asked[0] == '\0') && driver != NULL &&
           (strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0);
}

static enum cm_status no_display(struct cm_error *err)
{
    cm_error_set(err, CM_IO, "cannot open a window: %s", SDL_GetError());
    cm_error_hint(err, "without a display, --screenshot FILE.png draws the picture to a file");
    return CM_IO;
}

static enum cm_status resize(struct window *window, struct cm_error *err)
{
    int w, h;
    SDL_GetWindowSize(window->window, &w, &h);
    window->stale = true;
    window->log.w = w;
    window->log.h = h;
    if (window->picture.own != NULL && w == window->picture.target.w &&
        h == window->picture.target.h)
        return CM_OK;
    return cm_view_picture_resize(&window->picture, w > 0 ? w : 1, h > 0 ? h : 1, err);
}

/* Returns the number of pixels in a point that suits the display's dots per inch. */
static double display_scale(void)
{
    float dpi = 0;
    return SDL_GetDisplayDPI(0, &dpi, NULL, NULL) == 0 ? cm_view_scale_of_dpi((double)dpi) : 1;
}

/* Computes the size of the window in pixels. Unless the user has given a size, the window is not
 * larger than the display. */
static void window_size(const struct cm_view_options *options, double scale, int *w, int *h)
{
    SDL_Rect room = {0, 0, 0, 0};
    *w = (int)(options->width * scale);
    *h = (int)(options->height * scale);
    if (options->size != NULL || options->scale != NULL ||
        SDL_GetDisplayUsableBounds(0, &room) != 0)
        return;
    int least_w = (int)options->width, least_h = (int)options->height;
    *w = *w <= room.w ? *w : room.w > least_w ? room.w : least_w;
    *h = *h <= room.h ? *h : room.h > least_h ? room.h : least_h;
}

static enum cm_status open_window(struct window *window, struct cm_error *err)
{
    const struct cm_view_options *options = window->options;
    const struct cm_trace_info *info = window->control->model->runs[0].info;
    char title[160];
    /* This program handles Ctrl-C of the terminal, not SDL, and copying to the window needs no
     * GPU. */
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    /* a click that gives the window the focus also acts on the picture */
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return no_display(err);
    if (driver_shows_nothing()) {
        SDL_SetError("there is no display");
        return no_display(err);
    }
    snprintf(title, sizeof title, "%s on %s - cm200-view", info->workload, info->machine);
    int w, h;
    window->scale = options->scale != NULL ? options->points_scale : display_scale();
    window_size(options, window->scale, &w, &h);
    window->window = SDL_CreateWindow(title, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, w, h,
                                      SDL_WINDOW_RESIZABLE);
    if (window->window == NULL)
        return no_display(err);
    SDL_SetWindowMinimumSize(window->window, (int)CM_VIEW_SIZE_MIN, (int)CM_VIEW_SIZE_MIN);
    window->log.scale = cm_view_text_scale(window->control, window->scale);
    enum cm_status status = cm_view_picture_begin(&window->picture, window->log.scale, err);
    return status == CM_OK ? resize(window, err) : status;
}

/* Copies the picture to the window's surface. */
static enum cm_status present(struct window *window, struct cm_error *err)
{
    const struct cm_view_target *target = &window->picture.target;
    SDL_Surface *to = SDL_GetWindowSurface(window->window);
    SDL_Surface *from = SDL_CreateRGBSurfaceWithFormatFrom(
        target->pixels, target->w, target->h, 32, target->pitch * 4, SDL_PIXELFORMAT_RGB888);
    bool done = to != NULL && from != NULL && SDL_BlitSurface(from, NULL, to, NULL) == 0 &&
                SDL_UpdateWindowSurface(window->window) == 0;
    SDL_FreeSurface(from);
    return done ? CM_OK : cm_error_set(err, CM_IO, "cannot draw the window: %s", SDL_GetError());
}

/* Shows an error as a message in the picture. */
static void show_error(struct window *window, const struct cm_error *err)
{
    cm_view_control_say(window->control, "%s%s%s", err->file, err->file[0] != '\0' ? ": " : "",
                        err->message);
}

/* Finds a name in the current folder that is not in use: stem and ending, or stem, number from 2
 * on, and ending. Returns false if too many are in use. */
static bool free_name(char *name, size_t size, const char *stem, const char *ending)
{
    for (uint32_t i = 1; i <= NAMES_MAX; i++) {
        if (i == 1)
            snprintf(name, size, "%s%s", stem, ending);
        else
            snprintf(name, size, "%s-%" PRIu32 "%s", stem, i, ending);
        if (access(name, F_OK) != 0)
            return true;
    }
    return false;
}

static void save_picture(struct window *window)
{
    struct cm_view_control *control = window->control;
    struct cm_error err;
    char stem[64], name[80];
    control->save_picture = false;
    memset(&err, 0, sizeof err);
    snprintf(stem, sizeof stem, "cm200-view-cycle-%" PRIu64, control->state.cycle);
    if (!free_name(name, sizeof name, stem, ".png"))
        cm_view_control_say(control, "%s.png and many more exist already", stem);
    else if (cm_view_picture_write(&window->picture, control->model, name, &err) == CM_OK)
        cm_view_control_say(control, "saved %s", name);
    else
        show_error(window, &err);
    cm_view_log_write(&window->log, "picture", control, false);
}

/* Makes a folder for the frames when a recording begins, and reports the number of frames when it
 * ends. */
static void watch_recording(struct window *window)
{
    struct cm_view_control *control = window->control;
    if (control->recording && !window->was_recording) {
        window->recorded = 0;
        if (!free_name(window->folder, sizeof window->folder, "cm200-view-frames", "") ||
            mkdir(window->folder, 0777) != 0) {
            cm_view_control_say(control, "cannot make the folder cm200-view-frames here");
            control->recording = false;
        } else {
            cm_view_control_say(control, "recording to %s", window->folder);
        }
    } else if (!control->recording && window->was_recording) {
        cm_view_control_say(control, "%" PRIu64 " frames in %s", window->recorded, window->folder);
    }
    window->was_recording = control->recording;
}

static void record_frame(struct window *window)
{
    struct cm_error err;
    char path[96];
    memset(&err, 0, sizeof err);
    snprintf(path, sizeof path, "%s/frame-%06" PRIu64 ".png", window->folder, window->recorded);
    if (cm_view_picture_write(&window->picture, window->control->model, path, &err) != CM_OK) {
        window->control->recording = false;
        window->was_recording = false;
        show_error(window, &err);
    } else if (++window->recorded == CM_VIEW_FRAMES_MAX) {
        window->control->recording = false;
    }
}

/* Changes the number of pixels in a point, after Ctrl with plus or minus or for large text. The
 * window keeps its size. */
static enum cm_status change_scale(struct window *window, struct cm_error *err)
{
    struct cm_view_control *control = window->control;
    double base = window->scale + 0.5 * control->scale_steps;
    struct cm_view_picture picture;
    control->scale_steps = 0;
    window->scale = base < 1 || base > 4 ? window->scale : base;
    double scale = cm_view_text_scale(control, window->scale);
    if (scale == window->picture.target.scale)
        return CM_OK;
    enum cm_status status = cm_view_picture_begin(&picture, scale, err);
    if (status != CM_OK)
        return status;
    cm_view_picture_finish(&window->picture);
    window->picture = picture;
    window->log.scale = scale;
    cm_view_control_say(control, "%g pixels a point", scale);
    return resize(window, err);
}

/* Draws the picture if anything that it shows has changed. */
static enum cm_status draw(struct window *window, struct cm_error *err)
{
    const struct cm_view_control *control = window->control;
    char status[160];
    window->drawn.rest = control->rest; /* the picture shows neither `rest` nor `tour_seconds` */
    window->drawn.tour_seconds = control->tour_seconds;
    /* `drawn` is a byte-for-byte copy, so its padding is equal as well.
     * NOLINTNEXTLINE(*-memory-comparison,cert-*) */
    if (!window->stale && memcmp(&window->drawn, control, sizeof *control) == 0)
        return CM_OK;
    memcpy(&window->drawn, control, sizeof *control);
    window->stale = false;
    window->log.frames++;
    enum cm_status drawn = cm_view_picture_draw(&window->picture, control, err);
    if (drawn != CM_OK)
        return drawn;
    if (control->recording)
        record_frame(window);
    cm_view_control_status(control, status, sizeof status);
    cm_view_draw_status(status, control->state.theme, &window->picture.target);
    return present(window, err);
}

static double seconds_since(uint64_t *ticks)
{
    uint64_t now = SDL_GetPerformanceCounter();
    double seconds = (double)(now - *ticks) / (double)SDL_GetPerformanceFrequency();
    *ticks = now;
    return seconds < LONGEST_STEP_SECONDS ? seconds : LONGEST_STEP_SECONDS;
}

/* Advances playing by the time that has passed. While recording, advances by the same time for
 * every frame, however long writing takes. */
static void advance(struct window *window)
{
    double seconds = seconds_since(&window->last_ticks);
    /* A late frame makes later frames late only if the host is too slow. */
    window->due_ticks += SDL_GetPerformanceFrequency() / FRAMES_PER_SECOND;
    if (window->due_ticks < window->last_ticks)
        window->due_ticks = window->last_ticks;
    cm_view_control_advance(window->control,
                            window->control->recording ? 1.0 / FRAMES_PER_SECOND : seconds);
    cm_view_log_write(&window->log, "frame", window->control, false);
}

static void press_next(struct window *window)
{
    char key[CM_VIEW_KEY_NAME_MAX], name[CM_VIEW_KEY_NAME_MAX + 8];
    if (window->keys_left == NULL)
        return;
    if (!cm_view_key_word(&window->keys_left, key, sizeof key)) {
        window->keys_left = NULL;
        return;
    }
    if (!cm_view_control_key(window->control, key))
        return;
    if (window->session != NULL)
        cm_view_session_serve(window->session, window->control, true);
    snprintf(name, sizeof name, "key %s", key);
    cm_view_log_write(&window->log, name, window->control, false);
}

/* Handles the events that the window was uncovered or resized. */
static enum cm_status window_changed(struct window *window, struct cm_error *err)
{
    int w = window->log.w, h = window->log.h;
    enum cm_status status = resize(window, err);
    if (w != window->log.w || h != window->log.h)
        cm_view_log_write(&window->log, "resize", window->control, true);
    return status;
}

static enum cm_status take_event(struct window *window, const SDL_Event *event,
                                 struct cm_error *err)
{
    char name[CM_VIEW_KEY_NAME_MAX + 8];
    if (event->type == SDL_WINDOWEVENT && (event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED ||
                                           event->window.event == SDL_WINDOWEVENT_EXPOSED))
        return window_changed(window, err);
    bool taken =
        cm_view_take_event(event, &window->picture.target, window->control, name, sizeof name);
    if (window->session != NULL)
        cm_view_session_serve(window->session, window->control, false);
    if (taken)
        cm_view_log_write(&window->log, name, window->control, false);
    return CM_OK;
}

/* Returns the milliseconds until the next frame is due, rounded up. */
static int due_milliseconds(const struct window *window)
{
    uint64_t now = SDL_GetPerformanceCounter(), second = SDL_GetPerformanceFrequency();
    if (now >= window->due_ticks)
        return 0;
    return (int)(((window->due_ticks - now) * 1000 + second - 1) / second);
}

/* Sleeps until the next frame is due or an event comes. Handles all events that have come. */
static enum cm_status take_events(struct window *window, struct cm_error *err)
{
    SDL_Event event;
    enum cm_status status = CM_OK;
    bool got, runs = window->session != NULL && cm_view_session_runs(window->session);
    if (runs)
        cm_view_session_serve(window->session, window->control, false);
    if (window->keys_left != NULL || runs)
        got = SDL_PollEvent(&event) != 0;
    else if (cm_view_control_moves(window->control))
        got = SDL_WaitEventTimeout(&event, due_milliseconds(window)) != 0;
    else
        got = SDL_WaitEvent(&event) != 0;
    while (got && status == CM_OK && !window->control->quit) {
        status = take_event(window, &event, err);
        got = SDL_PollEvent(&event) != 0;
    }
    return status;
}

static enum cm_status loop(struct window *window, struct cm_error *err)
{
    struct cm_view_control *control = window->control;
    cm_view_control_say(control, "H shows what the keys do");
    if (window->options->point != NULL)
        cm_view_control_point(control, &window->picture.target, window->options->pointer);
    if (window->session != NULL) {
        cm_view_session_serve(window->session, control, true);
        cm_view_session_do(window->session, control, window->options->commands);
    }
    enum cm_status status = draw(window, err);
    cm_view_log_write(&window->log, "start", control, true);
    while (status == CM_OK && !control->quit) {
        bool playing = cm_view_control_moves(control);
        status = take_events(window, err);
        press_next(window);
        if (!playing)
            window->last_ticks = window->due_ticks = SDL_GetPerformanceCounter();
        else if (due_milliseconds(window) == 0)
            advance(window);
        watch_recording(window);
        if (status == CM_OK)
            status = change_scale(window, err);
        if (status == CM_OK)
            status = draw(window, err);
        if (status == CM_OK && control->save_picture) {
            save_picture(window);
            status = draw(window, err);
        }
    }
    return status;
}

int cm_view_window(const struct cm_view_options *options, struct cm_view_control *control,
                   struct cm_view_session *session)
{
    struct window window = {.options = options,
                            .control = control,
                            .session = session,
                            .stale = true,
                            .keys_left = options->press};
    struct cm_error err;
    memset(&err, 0, sizeof err);
    enum cm_status status = cm_view_log_open(&window.log, options->log_state, true, &err);
    if (status == CM_OK)
        status = open_window(&window, &err);
    if (status == CM_OK)
        status = loop(&window, &err);
    if (status == CM_OK)
        cm_view_log_write(&window.log, "quit", control, false);
    cm_view_picture_finish(&window.picture);
    if (window.window != NULL)
        SDL_DestroyWindow(window.window);
    SDL_Quit();
    return cm_view_log_close(&window.log, status, &err);
}
