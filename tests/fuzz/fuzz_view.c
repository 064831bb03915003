/*
 * The viewer on traces of any kind: whatever the trace that its reader takes, keys and the mouse
 * change the state, and every picture of it can be drawn. The keys, places and sizes come from the
 * checksum of the input.
 */
#include "../../base/crc32.h"
#include "../../base/random.h"
#include "../../viz/control/control.h"
#include "../../viz/control/keys.h"
#include "mend.h"
#include "target.h"

#include <stdlib.h>

#define KEYS         12u  /* pressed on a trace */
#define NODES_MAX    128u /* larger machines only take longer */
#define POINTS_W_MAX 420
#define POINTS_H_MAX 320

static uint32_t pixels[4 * POINTS_W_MAX * POINTS_H_MAX];

/* Those of a scale; NULL where they are not installed: pictures without text. */
static struct cm_view_fonts *fonts_of(double scale)
{
    static struct cm_view_fonts *fonts[2];
    static bool opened[2];
    size_t i = scale > 1;
    if (!opened[i])
        cm_view_fonts_open(scale, &fonts[i], NULL);
    opened[i] = true;
    return fonts[i];
}

struct dice {
    uint64_t seed, thrown;
};

static uint64_t throw(struct dice * dice, uint64_t sides)
{
    return cm_splitmix64(dice->seed, dice->thrown++) % sides;
}

static struct cm_view_target choose_target(struct dice *dice)
{
    double scale = throw(dice, 8) == 0 ? 2 : 1;
    struct cm_view_target target = {
        .pixels = pixels,
        .w = (int)(throw(dice, POINTS_W_MAX) + 1) * (int)scale,
        .h = (int)(throw(dice, POINTS_H_MAX) + 1) * (int)scale,
        .scale = scale,
        .fonts = throw(dice, 2) == 0 ? fonts_of(scale) : NULL,
        .keys = cm_view_keys,
        .key_count = CM_VIEW_KEY_COUNT,
    };
    target.pitch = target.w;
    return target;
}

/* One of the keys that the table has, or a digit. */
static void press_key(struct dice *dice, struct cm_view_control *control)
{
    char key[CM_VIEW_KEY_NAME_MAX] = "5";
    const char *rest = cm_view_keys[throw(dice, CM_VIEW_KEY_COUNT)].keys;
    if (throw(dice, 8) > 0)
        for (uint64_t more = throw(dice, 11) + 1; more > 0; more--)
            if (!cm_view_key_word(&rest, key, sizeof key))
                break;
    cm_view_control_key(control, key);
}

static void use_mouse(struct dice *dice, struct cm_view_control *control,
                      const struct cm_view_target *target)
{
    int x = (int) throw(dice, (uint64_t)target->w), y = (int) throw(dice, (uint64_t)target->h);
    cm_view_control_motion(control, target, x, y);
    cm_view_control_press(control, target, x, y);
    cm_view_control_motion(control, target, x / 2, y);
    cm_view_control_wheel(control, target, x, y, (int) throw(dice, 3) - 1,
                          (int) throw(dice, 3) - 1);
    cm_view_control_release(control);
}

static void show(const struct cm_view_model *model, struct dice *dice)
{
    struct cm_view_control control;
    cm_view_control_begin(&control, model);
    for (unsigned i = 0; i < KEYS; i++) {
        struct cm_view_target target = choose_target(dice);
        cm_view_draw(model, &control.state, &target);
        cm_view_draw_status(control.message, control.state.theme, &target);
        press_key(dice, &control);
        cm_view_control_advance(&control, 0.02);
        use_mouse(dice, &control, &target);
    }
}

static struct cm_trace *open_trace(const uint8_t *data, size_t size)
{
    struct cm_trace *trace = NULL;
    if (cm_trace_open_memory(data, size, "fuzz", &trace, NULL) == CM_OK &&
        cm_trace_information(trace)->nodes > NODES_MAX) {
        cm_trace_close(trace);
        trace = NULL;
    }
    return trace;
}

FUZZ_TARGET(fuzz_view)
{
    struct cm_view_model *model = NULL;
    uint8_t *copy = fuzz_mend_trace(data, size);
    if (copy == NULL)
        return 0;
    struct dice dice = {.seed = cm_crc32(0, copy, size)};
    struct cm_trace *first = open_trace(copy, size);
    struct cm_trace *second = dice.seed % 2 == 0 ? open_trace(copy, size) : NULL;
    if (first == NULL)
        cm_trace_close(second);
    else if (cm_view_model_create(first, second, &model, NULL) == CM_OK)
        show(model, &dice);
    cm_view_model_free(model);
    free(copy);
    return 0;
}
