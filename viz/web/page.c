/* The viewer on a web page. This file has the functions that the page's JavaScript calls. */
#include "page.h"

#include "../control/control.h"
#include "../control/keys.h"
#include "glyph_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct cm_buffer glyphs;     /* tables of glyphs for several scales, one after the other */
    struct cm_view_fonts *fonts; /* fonts for the scale of the target */
    uint8_t *bytes[CM_VIEW_RUNS_MAX];
    char files[CM_VIEW_RUNS_MAX][256]; /* names of the traces */
    struct cm_view_model *model;       /* model of the open traces. NULL: no trace is open */
    struct cm_view_control control, drawn;
    struct cm_view_target target;
    uint8_t *picture; /* picture of the target as bytes R, G, B, A */
    bool stale;       /* true if the picture must be drawn again */
    struct cm_error err;
    char text[sizeof(struct cm_error)]; /* error message: the file and message of `err` */
} page;

static void show_error(void)
{
    snprintf(page.text, sizeof page.text, "%s%s%s", page.err.file,
             page.err.file[0] != '\0' ? ": " : "", page.err.message);
}

void cm_web_glyphs(uint8_t *table, size_t length)
{
    cm_buffer_append(&page.glyphs, table, length);
    free(table);
}

static void close_runs(void)
{
    cm_view_model_free(page.model);
    page.model = NULL;
    for (uint32_t i = 0; i < CM_VIEW_RUNS_MAX; i++) {
        free(page.bytes[i]);
        page.bytes[i] = NULL;
    }
}

/* Sets page.text to the notice that a trace is incomplete or damaged, if there is one. */
static void show_notice(const struct cm_trace *trace)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    if (info->notice != NULL)
        snprintf(page.text, sizeof page.text, "%s", info->notice);
}

bool cm_web_open(uint8_t *first, size_t first_length, uint8_t *second, size_t second_length)
{
    struct cm_trace *traces[CM_VIEW_RUNS_MAX] = {NULL, NULL};
    const size_t lengths[CM_VIEW_RUNS_MAX] = {first_length, second_length};
    static const char *const names[CM_VIEW_RUNS_MAX] = {"run.trace", "compared.trace"};
    enum cm_status status = CM_OK;
    close_runs();
    memset(&page.err, 0, sizeof page.err);
    page.text[0] = '\0';
    page.bytes[0] = first;
    page.bytes[1] = second;
    for (uint32_t i = 0; i < CM_VIEW_RUNS_MAX && page.bytes[i] != NULL && status == CM_OK; i++) {
        status = cm_trace_open_memory(page.bytes[i], lengths[i], names[i], &traces[i], &page.err);
        if (status == CM_OK)
            show_notice(traces[i]);
    }
    if (status == CM_OK) {
        status = cm_view_model_create(traces[0], traces[1], &page.model, &page.err);
    } else {
        cm_trace_close(traces[0]);
        cm_trace_close(traces[1]);
    }
    if (status != CM_OK) {
        show_error();
        page.model = NULL;
        close_runs();
        return false;
    }
    cm_view_control_begin(&page.control, page.model);
    page.stale = true;
    return true;
}

const char *cm_web_text(void)
{
    return page.text;
}

static bool choose(const char *const *names, const char *value, uint32_t *number)
{
    return cm_view_name_find(names, value, number);
}

static bool name(uint32_t run, const char *value)
{
    if (run >= page.model->run_count)
        return false;
    snprintf(page.files[run], sizeof page.files[run], "%s", value);
    page.model->runs[run].file = page.files[run];
    return true;
}

/* Reads up to three numbers with ':' between them. Returns their count, or 0 if the text is
 * something else. */
static uint32_t read_numbers(const char *text, uint32_t numbers[3])
{
    for (uint32_t count = 0; count < 3; text++) {
        char *end;
        unsigned long number = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || number > UINT32_MAX)
            return 0;
        numbers[count++] = (uint32_t)number;
        if (*end == '\0')
            return count;
        text = end;
        if (*end != ':')
            return 0;
    }
    return 0;
}

/* Pins a node or a channel: "NODE" or "NODE:DIMENSION:CHANNEL". */
static bool pin(const char *value)
{
    const struct cm_trace_info *info = page.model->runs[0].info;
    struct cm_view_mark mark = {.kind = CM_VIEW_MARK_NODE};
    uint32_t numbers[3];
    const uint32_t count = read_numbers(value, numbers);
    if (count == 0 || count == 2 || numbers[0] >= info->nodes)
        return false;
    mark.index = numbers[0];
    if (count == 3) {
        if (numbers[1] >= info->dimensions || numbers[2] >= info->channels)
            return false;
        mark.kind = CM_VIEW_MARK_CHANNEL;
        mark.index =
            cm_view_channel_index(&page.model->runs[0], numbers[0], numbers[1], numbers[2]);
    }
    page.control.state.pin = mark;
    return true;
}

static bool set(struct cm_view_state *state, const char *option, const char *value)
{
    uint32_t number;
    if (strcmp(option, "panel") == 0 && choose(cm_view_panel_names, value, &number)) {
        state->panel = (enum cm_view_panel)number;
        if (state->panel != CM_VIEW_ALL)
            state->focus = state->panel;
    } else if (strcmp(option, "layout") == 0 && choose(cm_view_machine_names, value, &number)) {
        state->machine = (enum cm_view_machine)number;
    } else if (strcmp(option, "palette") == 0 && choose(cm_view_colours_names, value, &number)) {
        state->colours = (enum cm_view_colours)number;
    } else if (strcmp(option, "load") == 0 && choose(cm_view_load_names, value, &number)) {
        state->load = (enum cm_view_load)number;
    } else if (strcmp(option, "theme") == 0 && choose(cm_view_theme_names, value, &number)) {
        state->theme = (enum cm_view_theme)number;
    } else if (strcmp(option, "range") == 0 && choose(cm_view_range_names, value, &number)) {
        state->range = (enum cm_view_range)number;
    } else if (strcmp(option, "span") == 0 && choose(cm_view_span_names, value, &number)) {
        state->span = (enum cm_view_span)number;
    } else if (strcmp(option, "at-cycle") == 0) {
        cm_view_go(page.model, state, strtoull(value, NULL, 10));
    } else if (strcmp(option, "pin") == 0) {
        return pin(value);
    } else if (strcmp(option, "file") == 0 || strcmp(option, "second-file") == 0) {
        return name(option[0] == 's', value);
    } else {
        return false;
    }
    return true;
}

/* Appends the option that pins what is pinned in the first run. */
static size_t append_pin(char *text, size_t size)
{
    const struct cm_view_mark *mark = &page.control.state.pin;
    if (mark->run != 0)
        return 0;
    if (mark->kind == CM_VIEW_MARK_NODE)
        return (size_t)snprintf(text, size, "&pin=%" PRIu32, mark->index);
    if (mark->kind != CM_VIEW_MARK_CHANNEL)
        return 0;
    const struct cm_view_channel at = cm_view_channel_parts(&page.model->runs[0], mark->index);
    return (size_t)snprintf(text, size, "&pin=%" PRIu32 ":%" PRIu32 ":%" PRIu32, at.node,
                            at.dimension, at.channel);
}

const char *cm_web_options(void)
{
    static char text[512];
    const struct cm_view_state *state = &page.control.state;
    size_t length;
    text[0] = '\0';
    if (page.model == NULL)
        return text;
    length = (size_t)snprintf(text, sizeof text, "at-cycle=%" PRIu64, state->cycle);
    length += append_pin(text + length, sizeof text - length);
    length +=
        (size_t)snprintf(text + length, sizeof text - length,
                         "&panel=%s&layout=%s&palette=%s&theme=%s&span=%s&range=%s",
                         cm_view_panel_names[state->panel], cm_view_machine_names[state->machine],
                         cm_view_colours_names[state->colours], cm_view_theme_names[state->theme],
                         cm_view_span_names[state->span], cm_view_range_names[state->range]);
    if (state->load != CM_VIEW_LOAD_DIMENSION)
        snprintf(text + length, sizeof text - length, "&load=%s", cm_view_load_names[state->load]);
    return text;
}

bool cm_web_set(const char *option, const char *value)
{
    return page.model != NULL && set(&page.control.state, option, value);
}

bool cm_web_key(const char *key, bool again)
{
    enum cm_view_action action = CM_VIEW_KEY_COUNT;
    uint32_t place;
    if (page.model == NULL)
        return false;
    bool known = cm_view_key_find(key, &action, &place);
    if (again && !page.control.prompt && (!known || !cm_view_keys[action].repeats))
        return known;
    bool typing = page.control.prompt;
    if (!cm_view_control_key(&page.control, key))
        return false;
    /* Some keys act on windows and folders, which a page does not have. They show a message
     * instead. */
    if (!typing && action == CM_VIEW_KEY_RUN && page.model->run_count < 2)
        cm_view_control_say(&page.control, "there is one run; \"Compare\" opens a second");
    if (page.control.state.large_text) {
        page.control.state.large_text = false;
        cm_view_control_say(&page.control, "the browser's own zoom, Ctrl and +, enlarges the text");
    }
    if (page.control.recording) {
        page.control.recording = false;
        cm_view_control_say(&page.control, "a page cannot record; cm200-view --frames FOLDER can");
    }
    return true;
}

void cm_web_motion(int x, int y)
{
    if (page.model != NULL)
        cm_view_control_motion(&page.control, &page.target, x, y);
}

void cm_web_press(int x, int y)
{
    if (page.model != NULL)
        cm_view_control_press(&page.control, &page.target, x, y);
}

void cm_web_release(void)
{
    cm_view_control_release(&page.control);
}

void cm_web_wheel(int x, int y, int up, int right)
{
    if (page.model != NULL)
        cm_view_control_wheel(&page.control, &page.target, x, y, up, right);
}

void cm_web_leave(void)
{
    cm_view_control_leave(&page.control);
}

void cm_web_go(double cycle)
{
    if (page.model != NULL && cycle >= 0)
        cm_view_go(page.model, &page.control.state, (uint64_t)cycle);
}

void cm_web_advance(double seconds)
{
    if (page.model != NULL && page.control.state.playing)
        cm_view_control_advance(&page.control, seconds);
}

static enum cm_status resize(int w, int h, double scale)
{
    struct cm_view_target *target = &page.target;
    if (page.fonts == NULL || scale != target->scale) {
        struct cm_view_fonts *fonts;
        enum cm_status status = cm_glyph_table_read(&page.glyphs, scale, &fonts, &page.err);
        if (status != CM_OK)
            return status;
        cm_view_fonts_close(page.fonts);
        page.fonts = fonts;
    }
    if (page.picture == NULL || w != target->w || h != target->h) {
        size_t size = (size_t)w * (size_t)h * 4;
        uint32_t *pixels = malloc(size);
        uint8_t *picture = malloc(size);
        if (pixels == NULL || picture == NULL) {
            free(pixels);
            free(picture);
            return cm_error_no_memory(&page.err);
        }
        free(target->pixels);
        free(page.picture);
        target->pixels = pixels;
        page.picture = picture;
    }
    *target = (struct cm_view_target){.pixels = target->pixels,
                                      .w = w,
                                      .h = h,
                                      .pitch = w,
                                      .scale = scale,
                                      .fonts = page.fonts,
                                      .keys = cm_view_keys,
                                      .key_count = CM_VIEW_KEY_COUNT};
    return CM_OK;
}

/* Converts the pixels from 0xAARRGGBB to bytes R, G, B and 255. */
static void copy_picture(void)
{
    size_t count = (size_t)page.target.w * (size_t)page.target.h;
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = page.target.pixels[i];
        page.picture[4 * i] = (uint8_t)(pixel >> 16);
        page.picture[4 * i + 1] = (uint8_t)(pixel >> 8);
        page.picture[4 * i + 2] = (uint8_t)pixel;
        page.picture[4 * i + 3] = 255;
    }
}

const uint8_t *cm_web_draw(int w, int h, double scale)
{
    char status[160];
    if (page.model == NULL || w <= 0 || h <= 0)
        return NULL;
    memset(&page.err, 0, sizeof page.err);
    if (resize(w, h, scale) != CM_OK) {
        show_error();
        return NULL;
    }
    memcpy(&page.drawn, &page.control, sizeof page.drawn);
    page.stale = false;
    cm_view_draw(page.model, &page.control.state, &page.target);
    if (cm_view_model_failed(page.model)) {
        cm_error_no_memory(&page.err);
        show_error();
        return NULL;
    }
    cm_view_control_status(&page.control, status, sizeof status);
    cm_view_draw_status(status, page.control.state.theme, &page.target);
    copy_picture();
    return page.picture;
}

bool cm_web_changed(void)
{
    page.drawn.rest = page.control.rest; /* the picture does not show `rest` */
    /* `drawn` is a byte-for-byte copy, so its padding is equal as well.
     * NOLINTNEXTLINE(*-memory-comparison,cert-*) */
    return page.stale || memcmp(&page.drawn, &page.control, sizeof page.drawn) != 0;
}

/* Clears a request of the control and returns true if it was set. The copy `drawn` is cleared as
 * well, because requests don't change the picture. */
static bool taken(bool *request, bool *drawn)
{
    bool was = *request;
    *request = *drawn = false;
    return was;
}

double cm_web_value(enum cm_web_value which)
{
    struct cm_view_state *state = &page.control.state;
    if (page.model == NULL)
        return 0;
    switch (which) {
    case CM_WEB_CYCLE:
        return (double)state->cycle;
    case CM_WEB_CYCLES:
        return (double)cm_view_cycles(page.model, state);
    case CM_WEB_PLAYING:
        return state->playing;
    case CM_WEB_SPEED:
        return state->speed;
    case CM_WEB_RUNS:
        return page.model->run_count;
    case CM_WEB_PROMPT:
        return page.control.prompt;
    case CM_WEB_SAVE_PICTURE:
        return taken(&page.control.save_picture, &page.drawn.save_picture);
    case CM_WEB_QUIT:
        return taken(&page.control.quit, &page.drawn.quit);
    }
    return 0;
}

const char *cm_web_made_of(uint32_t run)
{
    if (page.model == NULL || run >= page.model->run_count)
        return "";
    return page.model->runs[run].info->made_of;
}
