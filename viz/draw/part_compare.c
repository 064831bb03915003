/* The description of two runs that are compared: file, steps, parameters, nodes and total cycles of
 * each run, and the ratio of the second total to the first. */
#include "draw_private.h"

#include <stdio.h>
#include <string.h>

#define LINE 16.0

static size_t append(char *text, size_t size, size_t length, const char *string)
{
    int more = snprintf(text + length, size - length, "%s", string);
    return more >= 0 && (size_t)more < size - length ? length + (size_t)more : size - 1;
}

/* only the first names of a method are shown, which are the most important */
#define METHOD_NAMES 2

/* Writes the method of a step, such as " (bit-reversal, e-cube)". Writes "" if the step has no
 * choice of methods, if the trace does not have the method, or if it was chosen automatically. */
static void print_method(const struct cm_view_run *run, uint32_t step, char *text, size_t size)
{
    char key[128];
    snprintf(key, sizeof key, "{\"where\": \"%s\"", cm_trace_step_at(run->trace, step)->where);
    const char *at = strstr(run->info->made_of, key);
    const char *end = at != NULL ? strchr(at, '}') : NULL;
    size_t length = 0;
    int names = 0;
    text[0] = '\0';
    for (at = end != NULL ? at + strlen(key) : NULL;
         names < METHOD_NAMES && at != NULL && at < end;) {
        const char *value = strstr(at, "\": \"");
        size_t count = value != NULL && value < end ? strcspn(value + 4, "\"") : 0;
        if (count == 0)
            break;
        at = value + 4 + count + 1;
        if (strncmp(value + 4, "auto\"", 5) == 0 || length + count + 4 >= size)
            continue;
        int more = snprintf(text + length, size - length, "%s%.*s", length > 0 ? ", " : " (",
                            (int)count, value + 4);
        length += more > 0 ? (size_t)more : 0;
        names++;
    }
    if (length > 0)
        append(text, size, length, ")");
}

/* Writes the kinds of the run's steps in their order. Neighbouring steps of the same kind and
 * method are counted, such as "4 cshift, combine". */
static void print_steps(const struct cm_view_run *run, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0, same; i < run->info->steps && length + 1 < size; i += same) {
        const char *op = cm_trace_step_at(run->trace, i)->op;
        const char *where = cm_trace_step_at(run->trace, i)->where;
        char count[sizeof(struct cm_formatted) + 2] = "", method[96], next[96];
        print_method(run, i, method, sizeof method);
        for (same = 1; i + same < run->info->steps; same++) {
            const struct cm_trace_step *step = cm_trace_step_at(run->trace, i + same);
            if (strcmp(step->op, op) != 0)
                break;
            /* the step belongs to a repetition of the same step */
            if (strcmp(step->where, where) == 0)
                continue;
            print_method(run, i + same, next, sizeof next);
            if (strcmp(next, method) != 0)
                break;
        }
        if (same > 1)
            snprintf(count, sizeof count, "%s ", cm_format_count(same).text);
        length = append(text, size, length, i > 0 ? ", " : "");
        length = append(text, size, length, count);
        length = append(text, size, length, op);
        length = append(text, size, length, method);
    }
}

/* Appends the members of an object in the run's description, such as "parameters" or "overrides",
 * without braces. Returns the new length of the text. */
static size_t print_object(const struct cm_view_run *run, const char *name, char *text, size_t size,
                           size_t length)
{
    char key[40];
    snprintf(key, sizeof key, "\"%s\": {", name);
    const char *found = strstr(run->info->made_of, key);
    size_t count = found != NULL ? strcspn(found + strlen(key), "}") : 0;
    if (count == 0 || length + count + 3 >= size)
        return length;
    memcpy(text + length, ", ", 2);
    memcpy(text + length + 2, found + strlen(key), count);
    text[length + 2 + count] = '\0';
    return length + 2 + count;
}

static void draw_run(const struct cm_frame *frame, uint32_t number, double x, double w)
{
    const struct cm_view_run *run = &frame->model->runs[number];
    const char *file = run->file != NULL ? run->file : "";
    const char *slash = strrchr(file, '/');
    double y = frame->place.y + 10;
    char steps[400];
    print_steps(run, steps, sizeof steps);
    size_t length = print_object(run, "parameters", steps, sizeof steps, strlen(steps));
    print_object(run, "overrides", steps, sizeof steps, length);
    cm_label_print(&frame->label, CM_LABEL_TITLE, (struct cm_text_place){CM_LEFT, x + 8, y, w - 12},
                   CM_VIEW_TEXT, "%s  %s", number == 0 ? "A" : "B",
                   slash != NULL ? slash + 1 : file);
    cm_text(frame, (struct cm_text_place){CM_LEFT, x + 8, y + LINE, w - 12}, CM_VIEW_TEXT, "%s",
            steps);
    cm_text(frame, (struct cm_text_place){CM_LEFT, x + 8, y + 2 * LINE, w - 12}, CM_VIEW_QUIET,
            "%s cycles, %s, %s nodes", cm_format_count(run->info->cycles).text,
            cm_time_of(run->info->cycles, run->info->clock_hz).text,
            cm_format_count(run->info->nodes).text);
}

static void draw_ratio(const struct cm_frame *frame, double x, double w)
{
    uint64_t a = frame->model->runs[0].info->cycles, b = frame->model->runs[1].info->cycles;
    double y = frame->place.y + 10, ratio = a > 0 ? (double)b / (double)a : 0;
    bool less = b < a;
    cm_label_print(&frame->label, CM_LABEL_TITLE, (struct cm_text_place){CM_LEFT, x + 8, y, w - 12},
                   CM_VIEW_TEXT, "B takes %.3g times the cycles of A", ratio);
    cm_text(frame, (struct cm_text_place){CM_LEFT, x + 8, y + LINE, w - 12}, CM_VIEW_TEXT,
            "%s%s cycles, %s%.1f %% of A's total", less ? "\xe2\x88\x92" : "+",
            cm_format_count(less ? a - b : b - a).text, less ? "\xe2\x88\x92" : "+",
            100 * (less ? 1 - ratio : ratio - 1));
    if (frame->state->plain)
        return;
    cm_text(frame, (struct cm_text_place){CM_LEFT, x + 8, y + 2 * LINE, w - 12}, CM_VIEW_QUIET,
            "%s",
            frame->state->by_step ? "side by side: the same steps (Z: the same cycles)"
                                  : "side by side: the same cycles (Z: the same steps)");
}

static void draw_compare(const struct cm_frame *frame)
{
    struct cm_view_rect place = frame->place;
    double w = place.w / 3.0;
    cm_canvas_fill(&frame->canvas, place.x, place.y, place.w, place.h, CM_VIEW_GROUND);
    draw_run(frame, 0, place.x, w);
    draw_run(frame, 1, place.x + w, w);
    draw_ratio(frame, place.x + 2 * w, w);
}

const struct cm_panel cm_panel_compare = {
    .region = CM_REGION_NONE,
    .compared = CM_REGION_TOP,
    .height = 52,
    .yields = 4,
    .draw = draw_compare,
};
