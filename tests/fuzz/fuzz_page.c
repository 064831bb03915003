/*
 * The page of a trace. First cm200 export --format html: the input is the trace, whatever it is,
 * and its first bytes are the name of its file. The page has the template's elements and one more,
 * whose attribute cannot be left and whose text is base 64 of the trace. Then the functions that
 * the page calls: the input with right frames is opened, and options, keys and the mouse are used
 * as the checksum of the input says. The table of glyphs is made here, and is damaged in some
 * inputs.
 */
#include "base/crc32.h"
#include "base/random.h"
#include "cli/cli.h"
#include "cli/export_html.h"
#include "folder.h"
#include "mend.h"
#include "target.h"
#include "viz/control/keys.h"
#include "viz/web/glyph_table.h"
#include "viz/web/page.h"

#define INPUT_MAX  (64u * 1024u)
#define NAME_BYTES 24u
#define ACTIONS    16u
#define SIDE_MAX   400u
#define NODES_MAX  128u /* larger machines only take longer */

static const char before[] = "<html><body>\n", place[] = "<!--@traces@-->", after[] = "</html>\n";
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

/* ---- the exported page ---- */

static void make_template(void)
{
    char page[128];
    snprintf(page, sizeof page, "%s%s%s", before, place, after);
    folder_enter();
    require(mkdir("web", 0777) == 0);
    write_whole("web/trace.html", page, strlen(page));
}

/* Names a file by the first bytes of the input. */
static void name_file(const uint8_t *data, size_t size, char name[NAME_BYTES + 8])
{
    size_t used = 0;
    for (size_t i = 0; i < size && i < NAME_BYTES; i++)
        name[used++] = (char)(data[i] == '/' || data[i] == '\0' ? '_' : data[i]);
    snprintf(name + used, 8, ".trace");
}

/* Skips a text that has to come next. */
static const char *skip(const char *at, const char *text)
{
    require(strncmp(at, text, strlen(text)) == 0);
    return at + strlen(text);
}

/* Requires the value of an attribute to hold nothing that ends it, and skips it. */
static const char *skip_attribute(const char *at)
{
    size_t length = strcspn(at, "\"<>");
    for (size_t i = 0; i < length; i++) {
        size_t entity = strspn(at + i + 1, "abcdefghijklmnopqrstuvwxyz#0123456789");
        require((unsigned char)at[i] >= ' ' || at[i] == '\n' || at[i] == '\t');
        require(at[i] != '&' || at[i + 1 + entity] == ';');
    }
    return at + length;
}

static void require_page(const char *page, size_t size)
{
    const char *at = skip(skip(page, before), "<script type=\"text/plain\" id=\"trace-1\" ");
    at = skip(skip_attribute(skip(at, "data-name=\"")), "\">");
    size_t length = strspn(at, digits);
    require(length == (size + 2) / 3 * 4);
    require(strcmp(skip(at + length, "</script>\n"), after) == 0);
}

static void export_page(const uint8_t *data, size_t size)
{
    char name[NAME_BYTES + 8];
    struct cm_buffer text;
    struct cm_error err = {0};
    name_file(data, size, name);
    write_whole(name, data, size);
    cm_buffer_init(&text);
    require(cli_export_html(name, NULL, &text, &err) == CM_OK && cm_buffer_ok(&text));
    require_page(text.data, size);
    cm_buffer_finish(&text);
    unlink(name);
}

/* ---- the functions of the page ---- */

struct dice {
    uint64_t seed, thrown;
};

static uint64_t throw(struct dice * dice, uint64_t sides)
{
    return cm_splitmix64(dice->seed, dice->thrown++) % sides;
}

static void put_number(struct cm_buffer *table, unsigned value)
{
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    cm_buffer_append(table, bytes, sizeof bytes);
}

/* Appends a face whose glyphs are boxes of 5 x 7 pixels. */
static void put_face(struct cm_buffer *table)
{
    static const uint8_t box[35] = {255, 128};
    put_number(table, 12);
    put_number(table, 9);
    put_number(table, 9);
    put_number(table, 5 + CM_GLYPH_BIAS);
    for (size_t i = 0; i < CM_GLYPH_COUNT; i++) {
        put_number(table, 5);
        put_number(table, 7);
        put_number(table, CM_GLYPH_BIAS);
        put_number(table, 6);
        cm_buffer_append(table, box, sizeof box);
    }
}

static void make_glyphs(struct cm_buffer *table)
{
    cm_buffer_init(table);
    for (unsigned scale = 100; scale <= 200; scale += 100) {
        put_number(table, scale);
        for (unsigned i = 0; i < CM_LABEL_STYLE_COUNT; i++)
            put_face(table);
    }
    require(cm_buffer_ok(table));
}

/* Reads a table with changed bytes, or a shorter one. */
static void read_damaged_glyphs(struct dice *dice)
{
    struct cm_buffer table;
    struct cm_view_fonts *fonts = NULL;
    struct cm_error err = {0};
    make_glyphs(&table);
    for (uint64_t left = throw(dice, 4); left > 0; left--)
        table.data[throw(dice, table.length)] = (char) throw(dice, 256);
    if (throw(dice, 2) == 0)
        table.length = throw(dice, table.length);
    enum cm_status status = cm_glyph_table_read(&table, 1 + (double) throw(dice, 3), &fonts, &err);
    require(status == CM_OK || (status == CM_BAD_INPUT && fonts == NULL && err.message[0] != '\0'));
    cm_view_fonts_close(fonts);
    cm_buffer_finish(&table);
}

static void use_option(struct dice *dice, const uint8_t *data, size_t size)
{
    static const char *const options[] = {"panel", "layout",   "palette", "theme", "load",
                                          "span",  "at-cycle", "pin",     "file",  "second-file"};
    static const char *const values[] = {"all",   "wires", "cube", "ring", "light",
                                         "dark",  "0",     "7",    "99",   "18446744073709551615",
                                         "words", "run"};
    char text[NAME_BYTES + 1] = "";
    size_t count = sizeof values / sizeof *values;
    uint64_t chosen = throw(dice, count + 1);
    memcpy(text, data, size < NAME_BYTES ? size : NAME_BYTES);
    cm_web_set(options[throw(dice, sizeof options / sizeof *options)],
               chosen < count ? values[chosen] : text);
}

/* Requires that the options of the present picture, set again, give the same options. */
static void require_options(void)
{
    char text[512], again[512];
    require(strlen(cm_web_options()) < sizeof text);
    snprintf(text, sizeof text, "%s", cm_web_options());
    snprintf(again, sizeof again, "%s", text);
    for (char *next, *key = again; *key != '\0'; key = next) {
        char *value = strchr(key, '=');
        require(value != NULL);
        *value++ = '\0';
        next = value + strcspn(value, "&");
        if (*next != '\0')
            *next++ = '\0';
        require(cm_web_set(key, value));
    }
    require(strcmp(cm_web_options(), text) == 0);
}

static void press_key(struct dice *dice)
{
    char key[CM_VIEW_KEY_NAME_MAX] = "5";
    const char *rest = cm_view_keys[throw(dice, CM_VIEW_KEY_COUNT)].keys;
    if (throw(dice, 8) > 0)
        cm_view_key_word(&rest, key, sizeof key);
    cm_web_key(key, throw(dice, 4) == 0);
}

static void use_mouse(struct dice *dice)
{
    int x = (int) throw(dice, SIDE_MAX) - 8, y = (int) throw(dice, SIDE_MAX) - 8;
    cm_web_motion(x, y);
    cm_web_press(x, y);
    cm_web_motion(x / 2, y);
    cm_web_wheel(x, y, (int) throw(dice, 3) - 1, (int) throw(dice, 3) - 1);
    cm_web_release();
    if (throw(dice, 4) == 0)
        cm_web_leave();
}

static void use_page(struct dice *dice, const uint8_t *data, size_t size)
{
    for (unsigned i = 0; i < ACTIONS; i++) {
        double scale = throw(dice, 4) == 0 ? 2 : 1;
        use_option(dice, data, size);
        if (i % 4 == 0 && cm_web_value(CM_WEB_RUNS) > 0)
            require(cm_web_draw((int) throw(dice, SIDE_MAX) + 1, (int) throw(dice, SIDE_MAX) + 1,
                                scale) != NULL);
        press_key(dice);
        if (i > 0)
            use_mouse(dice);
        cm_web_go((double) throw(dice, 1000) - 1);
        cm_web_advance(0.05);
        cm_web_changed();
        require_options();
        for (int value = CM_WEB_CYCLE; value <= CM_WEB_QUIT; value++)
            cm_web_value((enum cm_web_value)value);
        require(cm_web_text() != NULL && cm_web_made_of((uint32_t) throw(dice, 3)) != NULL);
    }
}

/* Returns true if a trace has too many nodes for a quick picture. */
static bool is_large(const uint8_t *bytes, size_t size)
{
    struct cm_trace *trace = NULL;
    bool large = cm_trace_open_memory(bytes, size, "fuzz", &trace, NULL) == CM_OK &&
                 cm_trace_information(trace)->nodes > NODES_MAX;
    cm_trace_close(trace);
    return large;
}

FUZZ_TARGET(fuzz_page)
{
    static bool ready;
    if (size > INPUT_MAX)
        return 0;
    if (!ready) {
        struct cm_buffer table;
        make_template();
        make_glyphs(&table);
        cm_web_glyphs((uint8_t *)table.data, table.length);
    }
    ready = true;
    export_page(data, size);
    struct dice dice = {.seed = cm_crc32(0, data, size)};
    read_damaged_glyphs(&dice);
    uint8_t *first = fuzz_mend_trace(data, size), *second = NULL;
    if (first == NULL || is_large(first, size)) {
        free(first);
        return 0;
    }
    if (throw(&dice, 2) == 0)
        second = fuzz_mend_trace(data, size);
    bool opened = cm_web_open(first, size, second, second != NULL ? size : 0);
    require(opened || cm_web_text()[0] != '\0');
    use_page(&dice, data, size);
    return 0;
}
