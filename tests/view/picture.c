/*
 * Golden pictures: view-picture --check FOLDER draws made-up runs and compares them with the
 * pictures there, in TAP. Geometry (without text) must be the same to the pixel; pictures with text
 * may differ a little, as glyphs depend on the version of FreeType.
 *
 *   view-picture --check FOLDER        compare; what differs is left in the current folder, as
 *                                      NAME.new.png
 *   view-picture --rebaseline FOLDER   take over what is drawn now, after looking at it
 *   view-picture NAME OUT.png          draw one, with text
 */
#include "fake_trace.h"

#include "../../viz/draw/draw.h"

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
    enum cm_view_theme theme;
    enum cm_view_span span;
    uint64_t cycle;
    uint64_t first_cycle, end_cycle; /* on the axis; 0, 0: all */
    uint32_t pin;                    /* node + 1 */
    double cube[3];                  /* zoom and middle; 0: all */
    bool help;
    bool text; /* also compared with its text */
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
    {.name = "shift-8", .text = true, .first = SHIFT, .w = 1280, .h = 800, .cycle = 150, .pin = 6},
    {.name = "shift-8-twice",
     .first = SHIFT,
     .w = 1100,
     .h = 900,
     .scale = 2,
     .cycle = 150,
     .panel = CM_VIEW_CUBE + 1},
    {.name = "shift-8-moves",
     .first = SHIFT,
     .w = 640,
     .h = 400,
     .panel = CM_VIEW_ARRAY + 1,
     .span = CM_VIEW_SPAN_VISIBLE,
     .cycle = 150},
    {.name = "line-8",
     .text = true,
     .first = {.name = "jacobi.fcm", .dimensions = 3, .exchanges = 12, .lines = true},
     .w = 1280,
     .h = 800,
     .cycle = 150},
    {.name = "stencil-64", .first = STENCIL, .w = 1280, .h = 800, .cycle = 150},
    {.name = "stencil-64-cube",
     .text = true,
     .first = STENCIL,
     .w = 800,
     .h = 700,
     .panel = CM_VIEW_CUBE + 1,
     .cycle = 150,
     .colours = CM_VIEW_VIRIDIS},
    {.name = "light-64",
     .text = true,
     .first = STENCIL,
     .w = 1280,
     .h = 800,
     .theme = CM_VIEW_LIGHT,
     .cycle = 150,
     .pin = 6},
    {.name = "light-compare",
     .first = STENCIL,
     .second = {.name = "with fewer exchanges", .dimensions = 6, .exchanges = 16, .scatter = 90},
     .w = 1280,
     .h = 800,
     .theme = CM_VIEW_LIGHT,
     .span = CM_VIEW_SPAN_VISIBLE,
     .cycle = 150},
    {.name = "light-lamps",
     .first = BIG,
     .w = 640,
     .h = 400,
     .panel = CM_VIEW_MACHINE + 1,
     .machine = CM_VIEW_LAMPS,
     .theme = CM_VIEW_LIGHT,
     .cycle = 3060},
    {.name = "large-64", /* as --scale 1 --text large makes it */
     .text = true,
     .first = STENCIL,
     .w = 1280,
     .h = 800,
     .scale = 1.5,
     .cycle = 150},
    {.name = "roomy-8", .first = SHIFT, .w = 1920, .h = 1080, .cycle = 150, .pin = 6},
    {.name = "zoomed-cube-64",
     .text = true,
     .first = STENCIL,
     .w = 800,
     .h = 600,
     .panel = CM_VIEW_CUBE + 1,
     .cube = {4, 0.25, 0.25},
     .cycle = 150},
    {.name = "machine-2048",
     .first = BIG,
     .w = 1280,
     .h = 800,
     .span = CM_VIEW_SPAN_VISIBLE,
     .cycle = 3000,
     .pin = 1365},
    {.name = "machine-2048-heat",
     .first = BIG,
     .w = 640,
     .h = 400,
     .panel = CM_VIEW_MACHINE + 1,
     .machine = CM_VIEW_HEAT,
     .span = CM_VIEW_SPAN_VISIBLE,
     .cycle = 3000,
     .colours = CM_VIEW_GREY},
    {.name = "machine-2048-lamps",
     .first = BIG,
     .w = 640,
     .h = 400,
     .panel = CM_VIEW_MACHINE + 1,
     .machine = CM_VIEW_LAMPS,
     .cycle = 3060},
    {.name = "zoomed-2048",
     .text = true,
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
    {.name = "compare-small",
     .text = true,
     .first = STENCIL,
     .second = {.name = "with fewer exchanges", .dimensions = 6, .exchanges = 16, .scatter = 90},
     .w = 640,
     .h = 480,
     .span = CM_VIEW_SPAN_VISIBLE,
     .cycle = 150},
    {.name = "compare-sizes",
     .text = true,
     .first = STENCIL,
     .second = BIG,
     .w = 1280,
     .h = 800,
     .span = CM_VIEW_SPAN_VISIBLE,
     .cycle = 150},
    {.name = "truncated-8",
     .first = {.name = "shift", .dimensions = 3, .exchanges = 12, .truncated = true},
     .w = 640,
     .h = 480,
     .cycle = 150},
    {.name = "small-2048", .first = BIG, .w = 320, .h = 240, .span = CM_VIEW_SPAN_VISIBLE},
    {.name = "help-8", .first = SHIFT, .w = 640, .h = 400, .help = true},
};
#define SCENE_COUNT (sizeof scenes / sizeof scenes[0])

static const struct cm_view_key help_keys[] = {
    {"Space", "space", "play, pause", false},
    {"Left Right", "left right", "a cycle back, on", true},
    {"H", "h", "this help", false},
};

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
    state.theme = scene->theme;
    if (scene->cube[0] > 0)
        cm_view_look_at_cube(&state, scene->cube[0], scene->cube[1], scene->cube[2]);
    state.span = scene->span;
    state.help = scene->help;
    if (scene->pin > 0)
        state.pin = (struct cm_view_mark){CM_VIEW_MARK_NODE, 0, scene->pin - 1};
    return state;
}

/* Draws a scene into new pixels; NULL when something is missing. */
static uint32_t *draw(const struct scene *scene, bool text)
{
    struct cm_view_model *model;
    struct cm_view_fonts *fonts = NULL;
    struct cm_error err;
    double scale = scene->scale > 0 ? scene->scale : 1;
    struct cm_trace *second = scene->second.name != NULL ? cm_fake_open(&scene->second) : NULL;
    if (cm_view_model_create(cm_fake_open(&scene->first), second, &model, &err) != CM_OK)
        return NULL;
    if (text && cm_view_fonts_open(scale, &fonts, &err) != CM_OK)
        fprintf(stderr, "%s\n%s\n", err.message, err.hint);
    struct cm_view_target target = {.w = scene->w,
                                    .h = scene->h,
                                    .pitch = scene->w,
                                    .scale = scale,
                                    .fonts = fonts,
                                    .keys = help_keys,
                                    .key_count = 3};
    if (fonts != NULL || !text)
        target.pixels = calloc((size_t)scene->w * (size_t)scene->h, sizeof *target.pixels);
    if (target.pixels != NULL) {
        struct cm_view_state state = state_of(model, scene);
        cm_view_draw(model, &state, &target);
    }
    cm_view_fonts_close(fonts);
    cm_view_model_free(model);
    return target.pixels;
}

/* How far two pictures are apart. */
struct difference {
    size_t pixels; /* that differ at all */
    double mean;   /* of the differences of all bytes */
};

static bool compare(const char *path, const uint32_t *pixels, int w, int h,
                    struct difference *apart)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, path))
        return false;
    image.format = PNG_FORMAT_RGB;
    bool same_size = image.width == (png_uint_32)w && image.height == (png_uint_32)h;
    unsigned char *bytes = malloc((size_t)PNG_IMAGE_SIZE(image));
    bool done = same_size && bytes != NULL && png_image_finish_read(&image, NULL, bytes, 0, NULL);
    png_image_free(&image);
    uint64_t sum = 0;
    *apart = (struct difference){0, 0};
    for (size_t i = 0; done && i < (size_t)w * (size_t)h; i++) {
        int differs = 0;
        for (unsigned c = 0; c < 3; c++)
            differs += abs((int)(pixels[i] >> (16 - 8 * c) & 255) - (int)bytes[3 * i + c]);
        apart->pixels += differs > 0;
        sum += (uint64_t)differs;
    }
    free(bytes);
    apart->mean = (double)sum / (3.0 * w * h);
    return done;
}

/* A subtest: the picture is there, of the same size, and like the one that is drawn now. */
static void check(const struct scene *scene, bool text, const char *folder, unsigned number)
{
    char path[512], fresh[128];
    struct difference apart;
    snprintf(path, sizeof path, "%s/%s%s.png", folder, scene->name, text ? "-text" : "");
    uint32_t *pixels = draw(scene, text);
    if (pixels == NULL && text) {
        printf("ok %u - %s with text # SKIP no fonts\n", number, scene->name);
        return;
    }
    bool read = pixels != NULL && compare(path, pixels, scene->w, scene->h, &apart);
    bool good = read && (text ? apart.mean < 1.5 : apart.pixels == 0);
    printf("%s %u - %s%s\n", good ? "ok" : "not ok", number, scene->name,
           text ? " with text, nearly" : ", to the pixel");
    if (!good && pixels != NULL) {
        snprintf(fresh, sizeof fresh, "%s%s.new.png", scene->name, text ? "-text" : "");
        save(fresh, pixels, scene->w, scene->h);
        if (read)
            printf("# %zu pixels differ, %.2f in the mean; drawn now: %s\n", apart.pixels,
                   apart.mean, fresh);
        else
            printf("# %s cannot be read, or is of another size; drawn now: %s\n", path, fresh);
    }
    free(pixels);
}

static bool rebaseline(const struct scene *scene, bool text, const char *folder)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s.png", folder, scene->name, text ? "-text" : "");
    uint32_t *pixels = draw(scene, text);
    bool done = pixels != NULL && save(path, pixels, scene->w, scene->h);
    free(pixels);
    return done;
}

static int draw_one(const char *name, const char *path)
{
    for (size_t i = 0; i < SCENE_COUNT; i++)
        if (strcmp(name, scenes[i].name) == 0) {
            uint32_t *pixels = draw(&scenes[i], true);
            bool done = pixels != NULL && save(path, pixels, scenes[i].w, scenes[i].h);
            free(pixels);
            return done ? 0 : 1;
        }
    return 2;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    bool checks = strcmp(argv[1], "--check") == 0, takes = strcmp(argv[1], "--rebaseline") == 0;
    unsigned number = 0;
    bool done = true;
    if (!checks && !takes)
        return draw_one(argv[1], argv[2]);
    for (size_t i = 0; i < SCENE_COUNT; i++)
        for (int text = 0; text <= scenes[i].text; text++)
            if (checks)
                check(&scenes[i], text == 1, argv[2], ++number);
            else
                done = rebaseline(&scenes[i], text == 1, argv[2]) && done;
    if (checks)
        printf("1..%u\n", number);
    return done ? 0 : 1;
}
