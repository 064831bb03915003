/*
 * Draws pictures of made-up runs for the golden tests: picture NAME OUT.png. Without --text nothing but geometry, which is the same
 * everywhere; with it, glyphs that depend on the version of FreeType. picture --list prints the names.
 */
#include "fake_trace.h"

#include "../../viz/draw.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scene {
    const char *name;
    struct cm_fake first, second; /* second.name NULL: one run */
    int w, h;
    double scale;
    enum cm_view_panel panel;
    enum cm_view_machine machine;
    enum cm_view_colours colours;
    enum cm_view_span span;
    uint64_t cycle;
    uint64_t first_cycle, end_cycle; /* on the axis; 0, 0: all */
    uint32_t pin;                    /* node + 1 */
    bool help;
};

#define SHIFT                                                                                      \
    {                                                                                              \
        .name = "shift", .dimensions = 3, .exchanges = 12, .array_side = 8                         \
    }
#define STENCIL                                                                                    \
    {                                                                                              \
        .name = "five-point stencil", .dimensions = 6, .exchanges = 24, .scatter = 50              \
    }
#define BIG                                                                                        \
    {                                                                                              \
        .name = "random permutation", .dimensions = 11, .exchanges = 200, .scatter = 60            \
    }

static const struct scene scenes[] = {
    {.name = "shift-8", .first = SHIFT, .w = 1280, .h = 800, .cycle = 150, .pin = 6},
    {.name = "shift-8-twice", .first = SHIFT, .w = 2560, .h = 1600, .scale = 2, .cycle = 150},
    {.name = "shift-8-moves",
     .first = SHIFT,
     .w = 640,
     .h = 400,
     .panel = CM_VIEW_ARRAY + 1,
     .span = CM_VIEW_SPAN_VISIBLE,
     .cycle = 150},
    {.name = "stencil-64", .first = STENCIL, .w = 1280, .h = 800, .cycle = 150},
    {.name = "stencil-64-cube",
     .first = STENCIL,
     .w = 1280,
     .h = 800,
     .panel = CM_VIEW_CUBE + 1,
     .cycle = 150,
     .colours = CM_VIEW_VIRIDIS},
    {.name = "machine-2048",
     .first = BIG,
     .w = 1280,
     .h = 800,
     .span = CM_VIEW_SPAN_VISIBLE,
     .cycle = 3000,
     .pin = 1365},
    {.name = "machine-2048-grid",
     .first = BIG,
     .w = 1280,
     .h = 800,
     .panel = CM_VIEW_MACHINE + 1,
     .span = CM_VIEW_SPAN_WINDOW,
     .cycle = 3000,
     .pin = 1},
    {.name = "machine-2048-heat",
     .first = BIG,
     .w = 900,
     .h = 500,
     .panel = CM_VIEW_MACHINE + 1,
     .machine = CM_VIEW_HEAT,
     .span = CM_VIEW_SPAN_VISIBLE,
     .cycle = 3000,
     .colours = CM_VIEW_GREY},
    {.name = "machine-2048-lamps",
     .first = BIG,
     .w = 900,
     .h = 500,
     .panel = CM_VIEW_MACHINE + 1,
     .machine = CM_VIEW_LAMPS,
     .cycle = 3040},
    {.name = "zoomed-2048",
     .first = BIG,
     .w = 900,
     .h = 400,
     .panel = CM_VIEW_PHASES + 1,
     .cycle = 3000,
     .first_cycle = 2900,
     .end_cycle = 3300},
    {.name = "compare-64",
     .first = STENCIL,
     .second = {.name = "with fewer exchanges", .dimensions = 6, .exchanges = 16, .scatter = 90},
     .w = 1280,
     .h = 800,
     .span = CM_VIEW_SPAN_VISIBLE,
     .cycle = 150},
    {.name = "truncated-8",
     .second = {.name = NULL},
     .first = {.name = "shift", .dimensions = 3, .exchanges = 12, .truncated = true},
     .w = 800,
     .h = 600,
     .cycle = 150},
    {.name = "small-2048", .first = BIG, .w = 320, .h = 240, .span = CM_VIEW_SPAN_VISIBLE},
    {.name = "help-8", .first = SHIFT, .w = 1280, .h = 800, .help = true},
};

static const struct cm_view_key help_keys[] = {
    {"space", "play, pause"}, {"left right", "a cycle back, on"}, {"h", "this help"}};

static bool save(const char *path, const uint32_t *pixels, int w, int h)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)w;
    image.height = (png_uint_32)h;
    image.format = PNG_FORMAT_RGB;
    unsigned char *bytes = malloc((size_t)w * (size_t)h * 3);
    if (bytes == NULL)
        return false;
    for (size_t i = 0; i < (size_t)w * (size_t)h; i++) {
        bytes[3 * i] = (unsigned char)(pixels[i] >> 16);
        bytes[3 * i + 1] = (unsigned char)(pixels[i] >> 8);
        bytes[3 * i + 2] = (unsigned char)pixels[i];
    }
    bool done = png_image_write_to_file(&image, path, 0, bytes, 0, NULL) != 0;
    free(bytes);
    return done;
}

static struct cm_view_state state_of(const struct cm_view_model *model, const struct scene *scene)
{
    struct cm_view_state state = cm_view_state_first(model);
    if (scene->end_cycle > 0)
        cm_view_zoom_to(model, &state, scene->first_cycle, scene->end_cycle);
    cm_view_go(model, &state, scene->cycle);
    state.panel = scene->panel > 0 ? scene->panel - 1 : CM_VIEW_ALL;
    state.machine = scene->machine;
    state.colours = scene->colours;
    state.span = scene->span;
    state.help = scene->help;
    if (scene->pin > 0)
        state.pin = (struct cm_view_mark){CM_VIEW_MARK_NODE, 0, scene->pin - 1};
    return state;
}

static bool draw(const struct scene *scene, bool text, const char *path)
{
    struct cm_view_model *model;
    struct cm_view_fonts *fonts = NULL;
    struct cm_error err;
    double scale = scene->scale > 0 ? scene->scale : 1;
    struct cm_trace *second = scene->second.name != NULL ? cm_fake_open(&scene->second) : NULL;
    if (cm_view_model_create(cm_fake_open(&scene->first), second, &model, &err) != CM_OK)
        return false;
    if (text && cm_view_fonts_open(scale, &fonts, &err) != CM_OK) {
        fprintf(stderr, "%s\n%s\n", err.message, err.hint);
        cm_view_model_free(model);
        return false;
    }
    struct cm_view_target target = {.w = scene->w,
                                    .h = scene->h,
                                    .pitch = scene->w,
                                    .scale = scale,
                                    .fonts = fonts,
                                    .keys = help_keys,
                                    .key_count = 3};
    target.pixels = calloc((size_t)scene->w * (size_t)scene->h, sizeof *target.pixels);
    bool done = target.pixels != NULL;
    if (done) {
        struct cm_view_state state = state_of(model, scene);
        cm_view_draw(model, &state, &target);
        done = save(path, target.pixels, scene->w, scene->h);
    }
    free(target.pixels);
    cm_view_fonts_close(fonts);
    cm_view_model_free(model);
    return done;
}

int main(int argc, char **argv)
{
    bool text = argc > 1 && strcmp(argv[1], "--text") == 0;
    char **arguments = argv + 1 + text;
    int count = argc - 1 - text;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (count == 1 && strcmp(arguments[0], "--list") == 0)
            printf("%s\n", scenes[i].name);
        else if (count == 2 && strcmp(arguments[0], scenes[i].name) == 0)
            return draw(&scenes[i], text, arguments[1]) ? 0 : 1;
    }
    return count == 1 ? 0 : 2;
}
