/*
 * Pictures as vectors: what a vector target is told to fill is what the pixels show, wherever no
 * other shape lies; and an SVG is well formed, says what it is of, and keeps text as text.
 */
#include "../harness/program.h"
#include "fake_trace.h"

#include "../../viz/draw/draw.h"
#include "../../viz/draw/vector.h"

#include "../unit/quick_check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define W 900
#define H 600

static uint32_t pixels[W * H], filled[W * H];
static bool other[W * H]; /* something else than a rectangle lies here */
static struct cm_view_rect clip;
static unsigned beyond; /* fills and clips that leave what they may be on */

static void note_clip(void *to, const struct cm_view_rect *place)
{
    (void)to;
    clip = *place;
    beyond += place->x < 0 || place->y < 0 || place->x + place->w > W || place->y + place->h > H;
}

static void note_fill(void *to, const struct cm_view_rect *r, uint32_t colour, uint32_t alpha)
{
    (void)to;
    beyond += r->x < clip.x || r->y < clip.y || r->x + r->w > clip.x + clip.w ||
              r->y + r->h > clip.y + clip.h;
    for (int y = r->y; y < r->y + r->h; y++)
        for (int x = r->x; x < r->x + r->w; x++) {
            filled[y * W + x] = colour;
            other[y * W + x] = alpha < 255;
        }
}

static void mark(double x0, double y0, double x1, double y1)
{
    for (int y = (int)fmax(0, y0 - 2); y < (int)fmin(H, y1 + 3); y++)
        for (int x = (int)fmax(0, x0 - 2); x < (int)fmin(W, x1 + 3); x++)
            other[y * W + x] = true;
}

static void note_path(void *to, const struct cm_vector_path *path, uint32_t colour)
{
    double x0 = W, y0 = H, x1 = 0, y1 = 0;
    (void)to;
    (void)colour;
    for (uint32_t i = 0; i < path->count; i++) {
        x0 = fmin(x0, path->points[i].x - path->width);
        y0 = fmin(y0, path->points[i].y - path->width);
        x1 = fmax(x1, path->points[i].x + path->width);
        y1 = fmax(y1, path->points[i].y + path->width);
    }
    mark(x0, y0, x1, y1);
}

static void note_disc(void *to, struct cm_point centre, double radius, double width,
                      uint32_t colour)
{
    (void)to;
    (void)width;
    (void)colour;
    mark(centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius);
}

static void note_text(void *to, const struct cm_vector_text *text)
{
    const double x = text->start.x, y = text->start.y, size = text->font.size;
    (void)to;
    beyond += text->length == 0;
    mark(x, y - 1.2 * size, x + text->width, y + 0.4 * size);
}

static struct cm_view_model *open_model(uint32_t dimensions)
{
    struct cm_fake fake = {
        .name = "a < b & c", .dimensions = dimensions, .exchanges = 24, .scatter = 90};
    struct cm_view_model *model;
    struct cm_error err;
    ck_assert_int_eq(cm_view_model_create(cm_fake_open(&fake), NULL, &model, &err), CM_OK);
    return model;
}

START_TEST(what_is_filled_is_what_the_pixels_show)
{
    const struct cm_vector vector = {NULL, note_clip, note_fill, note_path, note_disc, note_text};
    struct cm_view_target target = {.pixels = pixels, .w = W, .h = H, .pitch = W, .scale = 1};
    for (unsigned panel = 0; panel <= CM_VIEW_ALL; panel++)
        for (unsigned layout = 0; layout < CM_VIEW_MACHINE_COUNT; layout++) {
            struct cm_view_model *model = open_model(6);
            struct cm_view_state state = cm_view_state_first(model);
            state.panel = (enum cm_view_panel)panel;
            state.machine = (enum cm_view_machine)layout;
            state.span = CM_VIEW_SPAN_VISIBLE;
            target.vector = NULL;
            cm_view_draw(model, &state, &target);
            memset(other, 0, sizeof other);
            beyond = 0;
            target.vector = &vector;
            cm_view_draw(model, &state, &target);
            unsigned compared = 0, differ = 0;
            for (int i = 0; i < W * H; i++) {
                compared += !other[i];
                differ += !other[i] && pixels[i] != filled[i];
            }
            ck_assert_uint_eq(differ, 0);
            ck_assert_uint_eq(beyond, 0);
            ck_assert_uint_gt(compared, W * H / 8);
            cm_view_model_free(model);
        }
}
END_TEST

/* Opening and closing tags balance, and nothing of a text ends one. */
static void check_tags(const char *svg)
{
    int depth = 0;
    const char *at = strstr(svg, "<svg");
    for (; (at = strchr(at, '<')) != NULL; at++) {
        const char *end = strchr(at, '>');
        ck_assert_ptr_nonnull(end);
        const char *next = strchr(at + 1, '<');
        ck_assert(next == NULL || next > end);
        if (at[1] == '/')
            depth--;
        else if (end[-1] != '/')
            depth++;
        ck_assert_int_ge(depth, 0);
    }
    ck_assert_int_eq(depth, 0);
}

START_TEST(an_svg_keeps_text_and_says_what_it_is_of)
{
    struct cm_view_model *model = open_model(3);
    struct cm_view_state state = cm_view_state_first(model);
    struct cm_view_target target = {.w = W, .h = H, .pitch = W, .scale = 1};
    struct cm_view_fonts *fonts = NULL;
    struct cm_vector vector;
    struct cm_buffer out;
    struct cm_svg svg;
    cm_buffer_init(&out);
    bool text = cm_view_fonts_open(1, &fonts, NULL) == CM_OK;
    target.fonts = text ? fonts : NULL;
    cm_view_svg_begin(&svg, &out,
                      &(struct cm_svg_about){W, H, "title & more", "Source: {\"a\": \"<b>\"}"},
                      &vector);
    target.vector = &vector;
    cm_view_draw(model, &state, &target);
    cm_view_svg_end(&svg);
    cm_buffer_append(&out, "", 1);
    ck_assert(cm_buffer_ok(&out));
    ck_assert_ptr_nonnull(strstr(out.data, "<title>title &amp; more</title>"));
    ck_assert_ptr_nonnull(
        strstr(out.data, "<desc>Source: {&quot;a&quot;: &quot;&lt;b&gt;&quot;}</desc>"));
    ck_assert(!text || strstr(out.data, ">What the sequencer does</text>") != NULL);
    check_tags(out.data);
    cm_buffer_finish(&out);
    cm_view_fonts_close(fonts);
    cm_view_model_free(model);
}
END_TEST

CM_PROGRAM(test_view_vector)
{
    Suite *suite = suite_create("viewer, vectors");
    TCase *tests = tcase_create("vector");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, what_is_filled_is_what_the_pixels_show);
    tcase_add_test(tests, an_svg_keeps_text_and_says_what_it_is_of);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    srunner_free(runner);
    return 0;
}
