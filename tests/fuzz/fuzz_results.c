/*
 * Any text as a result (JSON) or as a table (CSV). A result is compared with itself, which finds no
 * difference, and with a good one. What diff writes as JSON can be read. Both kinds are drawn as
 * bars, strips and curves of some of their columns, as SVG and as PDF, or refused with a message.
 */
#include "base/crc32.h"
#include "diff/diff.h"
#include "figure/figure.h"
#include "folder.h"
#include "target.h"

#define INPUT_MAX   32768u
#define COLUMNS_MAX 6u /* columns that are drawn against each other */

static const char good[] =
    "{\"format\": \"cm200-result/1\", \"workload\": \"w\", \"machine\": \"small\", \"nodes\": 8,\n"
    "\"parameters\": {\"L\": 2}, \"cycles\": 120, \"exchanges\": 3, \"mismatches\": 0,\n"
    "\"cycles_by_cause\": {\"load\": 20, \"exchange\": 90, \"router\": 10},\n"
    "\"channels\": {\"words\": [1, 2, 3]},\n"
    "\"steps\": [{\"where\": \"/steps/0\", \"op\": \"cshift\", \"cycles\": 110},\n"
    "{\"where\": \"/steps/1\", \"op\": \"route\", \"cycles\": 10, \"mean\": 1.5}]}\n";

/* Requires a refusal to have a message. Returns true if there is none. */
static bool is_good(enum cm_status status, const struct cm_error *err)
{
    if (status == CM_OK)
        return true;
    require(err->status == status && err->message[0] != '\0');
    require(status == CM_BAD_INPUT || status == CM_USAGE);
    return false;
}

/* ---- differences ---- */

static void write_diff(const struct cm_diff *diff, const char *const paths[2])
{
    struct cm_json_document *document = NULL;
    struct cm_buffer text, json;
    cm_buffer_init(&text);
    cm_buffer_init(&json);
    cm_diff_text(diff, paths, 0, &text);
    cm_diff_json(diff, paths, &json);
    require(cm_buffer_ok(&text) && cm_buffer_ok(&json));
    require(cm_json_parse("diff", json.data, json.length, &document, NULL) == CM_OK);
    cm_json_destroy(document);
    cm_buffer_finish(&text);
    cm_buffer_finish(&json);
}

static void compare(const char *first, const char *second)
{
    const char *const paths[2] = {first, second};
    struct cm_error err = {0};
    struct cm_diff diff;
    if (is_good(cm_diff_make(&diff, paths, &err), &err)) {
        require(cm_diff_same(&diff) == (cm_diff_count(&diff) == 0));
        require(cm_diff_same(&diff) || strcmp(first, second) != 0);
        write_diff(&diff, paths);
    }
    cm_diff_finish(&diff);
}

/* ---- figures ---- */

static struct cm_figure_page page_of(const char *path)
{
    return (struct cm_figure_page){.path = path,
                                   .millimetres = {85, 60},
                                   .points = 8,
                                   .font = "Helvetica",
                                   .name = "figure",
                                   .about = "made of \"any\" <text>"};
}

/* Requires a figure to have numbers in it, and finishes it. */
static void finish_figure(bool drawn, struct cm_buffer *out)
{
    require(cm_buffer_ok(out) && (!drawn || out->length > 0));
    require(!drawn || strncmp(out->data, "<svg", 4) != 0 ||
            (strstr(out->data, "=\"nan") == NULL && strstr(out->data, "=\"-nan") == NULL &&
             strstr(out->data, "=\"inf") == NULL && strstr(out->data, "=\"-inf") == NULL));
    cm_buffer_finish(out);
}

static void draw_bars(const struct cm_figure_data *data, const char *path, const char *x,
                      const char *y)
{
    const struct cm_figure_page page = page_of(path);
    const struct cm_figure_bars how = {.x = x, .y = y, .level = y == NULL};
    struct cm_error err = {0};
    struct cm_buffer out;
    cm_buffer_init(&out);
    finish_figure(is_good(cm_figure_bars(&how, data, &page, &out, &err), &err), &out);
    cm_buffer_init(&out);
    finish_figure(y == NULL && is_good(cm_figure_strip(&how, data, &page, &out, &err), &err), &out);
}

static void draw_curve(const struct cm_figure_data *data, const char *x, const char *y,
                       const char *group, const char *logarithmic)
{
    const struct cm_figure_page page = page_of("f.svg");
    const struct cm_figure_curve curve = {
        .x = x, .y = y, .group = group, .logarithmic = logarithmic};
    struct cm_error err = {0};
    struct cm_buffer out;
    cm_buffer_init(&out);
    finish_figure(is_good(cm_figure_rows_curve(&curve, data, &page, &out, &err), &err), &out);
}

/* Draws the first columns of a table against each other, or the usual values of a result. The
 * pairs come from a number. */
static void draw(const struct cm_figure_data *data, uint32_t chosen)
{
    static const char *const usual[] = {"nodes", "cycles", "param.L", "steps/0/cycles"};
    const char *names[COLUMNS_MAX];
    uint32_t count = 0;
    for (; data->tables == NULL && count < sizeof usual / sizeof *usual; count++)
        names[count] = usual[count];
    for (; data->tables != NULL && count < COLUMNS_MAX && count < data->tables->column_count;
         count++)
        names[count] = data->tables->columns[count];
    draw_bars(data, "f.svg", NULL, NULL);
    if (chosen % 8 == 0 && cm_figure_has_pdf())
        draw_bars(data, "f.pdf", NULL, NULL);
    for (uint32_t x = 0; x < count; x++) {
        uint32_t y = (x + chosen) % count;
        if (x % 2 == 0)
            draw_bars(data, "f.svg", names[x], names[y]);
        draw_curve(data, names[x], names[y], (chosen + x) % 3 == 0 ? names[count - 1] : NULL,
                   (chosen + x) % 2 == 0 ? "xy" : NULL);
    }
    if (cm_figure_is_load(data))
        draw_curve(data, CM_FIGURE_LOAD_X, CM_FIGURE_LOAD_Y, NULL, NULL);
}

static void draw_files(const char *first, const char *second, uint32_t chosen)
{
    struct cm_figure_data data = {0};
    struct cm_error err = {0};
    bool ready = is_good(cm_figure_read(&data, first, &err), &err);
    if (ready && second != NULL)
        ready = is_good(cm_figure_read(&data, second, &err), &err);
    if (ready)
        draw(&data, chosen);
    cm_figure_data_finish(&data);
}

FUZZ_TARGET(fuzz_results)
{
    static bool entered;
    if (size > INPUT_MAX)
        return 0;
    if (!entered) {
        folder_enter();
        write_whole("good.json", good, sizeof good - 1);
    }
    entered = true;
    bool result = size > 0 && data[0] == '{';
    const char *name = result ? "a.json" : "a.csv";
    write_whole(name, data, size);
    if (result) {
        compare(name, name);
        compare(name, "good.json");
        compare("good.json", name);
    }
    uint32_t chosen = cm_crc32(0, data, size);
    if (chosen % 2 == 0)
        draw_files(name, NULL, chosen / 2);
    else
        draw_files(name, result ? "good.json" : name, chosen / 2);
    return 0;
}
