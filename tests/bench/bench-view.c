/*
 * How fast the viewer draws: all panels at 1920 x 1080 in software, text included. Playing (the
 * interval moves with every frame, so nothing that was kept helps), zooming (the strips are new in
 * every frame), scrubbing (a jump to anywhere and a picture of it), and standing still. Runs of
 * 2,048 nodes, recorded by cm200.
 *
 *   bench-view CM200 SOURCE_ROOT | bench-view TRACE
 */
#include "../../viz/draw/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WIDTH  1920
#define HEIGHT 1080
#define FRAMES 300

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID,
                  &time); /* drawing has one thread; others are not counted */
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct bench {
    struct cm_view_model *model;
    struct cm_view_state state;
    struct cm_view_target target;
    double rest;
};

static void play(struct bench *bench, int frame)
{
    if (frame == 0) {
        cm_view_go(bench->model, &bench->state, 0);
        cm_view_set_speed(bench->model, &bench->state, 64);
    }
    if (!bench->state.playing)
        cm_view_play(bench->model, &bench->state, true);
    cm_view_advance(bench->model, &bench->state, 1.0 / 60, &bench->rest);
}

static void zoom(struct bench *bench, int frame)
{
    uint64_t cycles = cm_view_cycles(bench->model, &bench->state);
    uint64_t first = cycles / 2 * (uint64_t)frame / FRAMES;
    cm_view_zoom_to(bench->model, &bench->state, first, cycles - first / 2);
}

static void scrub(struct bench *bench, int frame)
{
    uint64_t cycles = cm_view_cycles(bench->model, &bench->state);
    bench->state.span = CM_VIEW_SPAN_WINDOW;
    cm_view_go(bench->model, &bench->state, (uint64_t)frame * 7919u * 104729u % cycles);
}

static void stay(struct bench *bench, int frame)
{
    (void)bench;
    (void)frame;
}

static void measure(const char *name, struct bench *bench, void (*change)(struct bench *, int))
{
    static double seconds[FRAMES];
    bench->state = cm_view_state_first(bench->model);
    for (int i = 0; i < FRAMES; i++) {
        double begin = now();
        change(bench, i);
        cm_view_draw(bench->model, &bench->state, &bench->target);
        seconds[i] = now() - begin;
    }
    qsort(seconds, FRAMES, sizeof *seconds, rising);
    printf("  %-10s %8.2f %8.2f %8.2f\n", name, seconds[FRAMES / 2] * 1e3,
           seconds[FRAMES * 99 / 100] * 1e3, seconds[FRAMES - 1] * 1e3);
}

static int measure_trace(const char *name, const char *path)
{
    struct bench bench = {.target = {.w = WIDTH, .h = HEIGHT, .pitch = WIDTH, .scale = 1}};
    struct cm_view_fonts *fonts = NULL;
    struct cm_error err;
    static uint32_t pixels[WIDTH * HEIGHT];
    bench.target.pixels = pixels;
    double begin = now();
    struct cm_trace *trace = NULL;
    if (cm_trace_open(path, &trace, &err) != CM_OK ||
        cm_view_model_create(trace, NULL, &bench.model, &err) != CM_OK ||
        cm_view_fonts_open(1, &fonts, &err) != CM_OK) {
        printf("bench-view: %s\n", err.message);
        cm_view_model_free(bench.model);
        return 1;
    }
    bench.target.fonts = fonts;
    const struct cm_trace_info *info = bench.model->runs[0].info;
    printf("%s: %u nodes, %.0f cycles, %.0f exchanges, %.0f packets; opened in %.0f ms\n", name,
           info->nodes, (double)info->cycles, (double)info->exchanges, (double)info->packets,
           (now() - begin) * 1e3);
    printf("  %-10s %8s %8s %8s   ms a frame, %d frames\n", "", "median", "p99", "most", FRAMES);
    measure("play 64x", &bench, play);
    measure("zoom", &bench, zoom);
    measure("scrub", &bench, scrub);
    measure("still", &bench, stay);
    cm_view_fonts_close(fonts);
    cm_view_model_free(bench.model);
    return 0;
}

/* A million exchanges: 125,000 calls of two shifts, each of eight elements a node. */
#define MILLION                                                                                    \
    "{\"format\":\"cm200-workload/1\",\"machine\":\"configs/cm200.json\",\"nodes\":2048,"          \
    "\"arrays\":{\"a\":{\"shape\":[64,64,8],\"type\":\"real64\"},\"b\":{\"like\":\"a\"},"          \
    "\"c\":{\"like\":\"a\"}},\"steps\":[{\"repeat\":{\"times\":125000,\"steps\":[{\"pshift\":["    \
    "{\"type\":\"cshift\",\"dst\":\"b\",\"src\":\"a\",\"dim\":1,\"distance\":1},"                  \
    "{\"type\":\"cshift\",\"dst\":\"c\",\"src\":\"a\",\"dim\":2,\"distance\":1}]}]}}]}"

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *arguments;
    } runs[] = {
        {"relaxation", "run -q -n 2048 programs/examples/relaxation.json"},
        {"stencil of 27 points", "run -q -n 2048 programs/examples/stencil-27.json"},
        {"a million exchanges", "run -q --timing-only -"},
        {"router, bit reversal", "route -n 2048 -p bit-reversal --words 8"},
        {"router, random traffic", "route -n 2048 -p random --rate 0.2 --words 8 --measure 8000"},
    };
    if (argc == 2)
        return measure_trace(argv[1], argv[1]);
    if (argc != 3)
        return 2;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char path[] = "/tmp/bench-view-XXXXXX", command[2000];
        int file = mkstemp(path);
        if (file < 0)
            return 4;
        close(file);
        snprintf(command, sizeof command, "cd '%s' && echo '%s' | '%s' %s --trace %s >/dev/null",
                 argv[2], MILLION, argv[1], runs[i].arguments, path);
        int status = system(command) == 0 ? measure_trace(runs[i].name, path) : 1;
        remove(path);
        if (status != 0)
            return status;
    }
    return 0;
}
