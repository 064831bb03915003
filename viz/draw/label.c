/*
 * Text. SDL2_ttf draws each glyph once, when the fonts are opened, as coverage; a label is then
 * copied glyph by glyph, so that a thousand numbers in a frame cost little. The digits of DejaVu
 * have one width, and there is no kerning: numbers stay in their columns.
 */
#include "label.h"

#include "../../base/text.h"
#include "draw.h"
#include "vector.h"

#include <SDL.h>
#include <SDL_ttf.h>

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_GLYPH 32u
#define ASCII_COUNT 95u

/* What the viewer writes besides ASCII. */
static const uint32_t more_glyphs[] = {0xb0,   0xb5,   0xb7,   0xd7,   0x394,  0x2013,
                                       0x2014, 0x2026, 0x2190, 0x2191, 0x2192, 0x2193,
                                       0x2212, 0x2264, 0x2265, 0x25b6, 0x2502, 0x2016};
#define MORE_COUNT  (sizeof more_glyphs / sizeof more_glyphs[0])
#define GLYPH_COUNT (ASCII_COUNT + MORE_COUNT)

struct glyph {
    uint8_t *coverage; /* w * h bytes; NULL: a blank */
    int w, h;
    int left; /* from the pen to the first column */
    int advance;
};

struct face {
    struct glyph glyphs[GLYPH_COUNT];
    int height;
    int size;     /* pixels */
    int ascent;   /* from the line's top to its base line */
    int capitals; /* from the line's top to the middle of its capitals */
};

struct cm_view_fonts {
    struct face faces[CM_LABEL_STYLE_COUNT];
    bool starved; /* an allocation has failed */
};

/* FreeType may draw a glyph without what it could not allocate, and report nothing: but malloc has
 * left ENOMEM then. Set errno to 0 before. */
static void watch_memory(struct cm_view_fonts *fonts)
{
    fonts->starved = fonts->starved || errno == ENOMEM;
    errno = 0;
}

static const struct {
    const char *file;
    const char *pattern; /* for fontconfig */
    int points;
} styles[CM_LABEL_STYLE_COUNT] = {
    [CM_LABEL_SMALL] = {"DejaVuSans.ttf", "DejaVu Sans:style=Book", 11},
    [CM_LABEL_BODY] = {"DejaVuSans.ttf", "DejaVu Sans:style=Book", 12},
    [CM_LABEL_TITLE] = {"DejaVuSans-Bold.ttf", "DejaVu Sans:style=Bold", 12},
    [CM_LABEL_MONO] = {"DejaVuSansMono.ttf", "DejaVu Sans Mono:style=Book", 11},
};

/* Where Debian, Fedora, Arch and Alpine put DejaVu. Failing these, fontconfig is asked. */
static const char *const folders[] = {
    "/usr/share/fonts/truetype/dejavu",
    "/usr/share/fonts/dejavu-sans-fonts",
    "/usr/share/fonts/dejavu-sans-mono-fonts",
    "/usr/share/fonts/TTF",
    "/usr/share/fonts/dejavu",
    "/usr/local/share/fonts/dejavu",
};

/*
 * The file of a family and style by fontconfig's program, if it is installed. It answers with the
 * nearest font that it has, so the file's name is compared.
 */
static bool ask_fontconfig(const char *pattern, const char *file, char *path, size_t size)
{
    char command[160];
    snprintf(command, sizeof command, "fc-match -f '%%{file}' '%s' 2>/dev/null", pattern);
    /* The names are our own. NOLINTNEXTLINE(cert-env33-c) */
    FILE *answer = popen(command, "r");
    if (answer == NULL)
        return false;
    size_t length = fread(path, 1, size - 1, answer);
    path[length] = '\0';
    const char *slash = strrchr(path, '/');
    bool found = slash != NULL && strcmp(slash + 1, file) == 0;
    return pclose(answer) == 0 && found && access(path, R_OK) == 0;
}

static bool find_font(const char *file, const char *pattern, char *path, size_t size)
{
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, size, "%s/%s", folders[i], file);
        if (access(path, R_OK) == 0)
            return true;
    }
    return ask_fontconfig(pattern, file, path, size);
}

static uint32_t codepoint_of(size_t glyph)
{
    return glyph < ASCII_COUNT ? FIRST_GLYPH + (uint32_t)glyph : more_glyphs[glyph - ASCII_COUNT];
}

static size_t glyph_of(uint32_t codepoint)
{
    if (codepoint >= FIRST_GLYPH && codepoint < FIRST_GLYPH + ASCII_COUNT)
        return codepoint - FIRST_GLYPH;
    for (size_t i = 0; i < MORE_COUNT; i++)
        if (more_glyphs[i] == codepoint)
            return ASCII_COUNT + i;
    return '?' - FIRST_GLYPH;
}

static bool copy_coverage(struct glyph *glyph, SDL_Surface *surface)
{
    SDL_Surface *pixels = SDL_ConvertSurfaceFormat(surface, SDL_PIXELFORMAT_ARGB8888, 0);
    if (pixels == NULL)
        return false;
    glyph->w = pixels->w;
    glyph->h = pixels->h;
    glyph->coverage = malloc((size_t)glyph->w * (size_t)glyph->h);
    if (glyph->coverage != NULL)
        for (int y = 0; y < glyph->h; y++)
            for (int x = 0; x < glyph->w; x++) {
                uint32_t pixel;
                memcpy(&pixel, (const uint8_t *)pixels->pixels + y * pixels->pitch + 4 * x, 4);
                glyph->coverage[y * glyph->w + x] = (uint8_t)(pixel >> 24);
            }
    SDL_FreeSurface(pixels);
    return glyph->coverage != NULL;
}

static bool draw_glyph(TTF_Font *font, uint32_t codepoint, struct glyph *glyph)
{
    int left = 0, right, bottom, top;
    if (TTF_GlyphMetrics32(font, codepoint, &left, &right, &bottom, &top, &glyph->advance) != 0)
        return true; /* a face without it: a gap of no width */
    glyph->left = left < 0 ? left : 0;
    if (codepoint == ' ')
        return true;
    SDL_Surface *surface =
        TTF_RenderGlyph32_Blended(font, codepoint, (SDL_Color){255, 255, 255, 255});
    if (surface == NULL)
        return false;
    bool done = copy_coverage(glyph, surface);
    SDL_FreeSurface(surface);
    return done;
}

/* HarfBuzz, which finds glyphs, goes on without the functions of a font that it could not allocate,
 * and reports nothing: then all characters are drawn as the glyph of none. */
static bool glyphs_are_lost(const struct face *face)
{
    const struct glyph *a = &face->glyphs[glyph_of('H')], *b = &face->glyphs[glyph_of('.')];
    return a->coverage != NULL && b->coverage != NULL && a->w == b->w && a->h == b->h &&
           memcmp(a->coverage, b->coverage, (size_t)a->w * (size_t)a->h) == 0;
}

static enum cm_status open_face(struct cm_view_fonts *fonts, enum cm_label_style style, int size,
                                struct cm_error *err)
{
    struct face *face = &fonts->faces[style];
    const char *file = styles[style].file;
    char path[256];
    int left, right, bottom, top = 0, advance;
    bool found = find_font(file, styles[style].pattern, path, sizeof path);
    watch_memory(fonts);
    if (!found) {
        cm_error_set(err, CM_IO, "the font %s was not found", file);
        if (err != NULL)
            cm_error_hint(err, "on Debian: apt-get install fonts-dejavu-core, which has it in %s",
                          folders[0]);
        return CM_IO;
    }
    TTF_Font *font = TTF_OpenFont(path, size);
    watch_memory(fonts);
    if (font == NULL)
        return cm_error_set(err, CM_IO, "the font %s cannot be read: %s", path, TTF_GetError());
    TTF_SetFontHinting(font, TTF_HINTING_LIGHT);
    face->height = TTF_FontHeight(font);
    face->size = size;
    face->ascent = TTF_FontAscent(font);
    TTF_GlyphMetrics32(font, 'H', &left, &right, &bottom, &top, &advance);
    face->capitals = TTF_FontAscent(font) - top / 2;
    bool done = true;
    for (size_t i = 0; i < GLYPH_COUNT && done; i++) {
        done = draw_glyph(font, codepoint_of(i), &face->glyphs[i]);
        watch_memory(fonts);
    }
    fonts->starved = fonts->starved || glyphs_are_lost(face);
    TTF_CloseFont(font);
    return done ? CM_OK : cm_error_no_memory(err);
}

static enum cm_status open_faces(struct cm_view_fonts *fonts, double scale, struct cm_error *err)
{
    errno = 0;
    if (TTF_Init() != 0) {
        watch_memory(fonts);
        return cm_error_set(err, CM_IO, "no text can be drawn: %s", TTF_GetError());
    }
    watch_memory(fonts);
    enum cm_status status = CM_OK;
    for (unsigned i = 0; i < CM_LABEL_STYLE_COUNT && status == CM_OK; i++)
        status = open_face(fonts, (enum cm_label_style)i,
                           (int)(styles[i].points * (scale > 0 ? scale : 1) + 0.5), err);
    TTF_Quit();
    return status;
}

/* Twice, if memory seems short: malloc leaves ENOMEM also where its second way finds memory. */
enum cm_status cm_view_fonts_open(double scale, struct cm_view_fonts **fonts, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    bool starved = true;
    *fonts = NULL;
    for (int attempt = 0; starved && attempt < 2; attempt++) {
        cm_view_fonts_close(*fonts);
        *fonts = calloc(1, sizeof **fonts);
        if (*fonts == NULL)
            return cm_error_no_memory(err);
        status = open_faces(*fonts, scale, err);
        starved = (*fonts)->starved;
    }
    if (starved)
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        return CM_OK;
    cm_view_fonts_close(*fonts);
    *fonts = NULL;
    return status;
}

void cm_view_fonts_close(struct cm_view_fonts *fonts)
{
    if (fonts == NULL)
        return;
    for (unsigned i = 0; i < CM_LABEL_STYLE_COUNT; i++)
        for (size_t j = 0; j < GLYPH_COUNT; j++)
            free(fonts->faces[i].glyphs[j].coverage);
    free(fonts);
}

/* The next glyph of a string; NULL at its end. A byte that is not UTF-8 is shown as '?'. */
static const struct glyph *next_glyph(const struct face *face, const char **string)
{
    uint32_t codepoint = '?';
    if (**string == '\0')
        return NULL;
    size_t length = cm_utf8_decode(*string, strlen(*string), &codepoint);
    *string += length > 0 ? length : 1;
    return &face->glyphs[glyph_of(length > 0 ? codepoint : '?')];
}

static int width_in_pixels(const struct face *face, const char *string)
{
    int width = 0;
    for (const struct glyph *glyph; (glyph = next_glyph(face, &string)) != NULL;)
        width += glyph->advance;
    return width;
}

double cm_label_width_of(const struct cm_label *label, enum cm_label_style style,
                         const char *string)
{
    if (label->fonts == NULL)
        return 0;
    return width_in_pixels(&label->fonts->faces[style], string) / label->canvas->scale;
}

static void put_glyph(const struct cm_canvas *canvas, const struct glyph *glyph, int x, int y,
                      uint32_t colour)
{
    for (int row = 0; row < glyph->h; row++)
        for (int column = 0; column < glyph->w; column++) {
            uint32_t coverage = glyph->coverage[row * glyph->w + column];
            if (coverage > 0)
                cm_canvas_mix(canvas, x + column, y + row, colour, coverage);
        }
}

/* On a vector target text stays text. */
static void put_text(const struct cm_label *label, const struct face *face, struct cm_point start,
                     double width, uint32_t colour, const char *string, size_t length)
{
    const struct cm_canvas *canvas = label->canvas;
    unsigned style = (unsigned)(face - label->fonts->faces);
    struct cm_vector_font font = {style == CM_LABEL_TITLE, style == CM_LABEL_MONO, face->size};
    struct cm_view_rect place = {canvas->left, canvas->top, canvas->right - canvas->left,
                                 canvas->bottom - canvas->top};
    if (length == 0 || width <= 0 || place.w <= 0 || place.h <= 0)
        return;
    canvas->vector->clip(canvas->vector->to, &place);
    canvas->vector->text(canvas->vector->to, &font, start, width, colour, string, length);
}

/* Draws glyphs from x on while they stay left of `right`; returns where the pen stops. */
static int put_string(const struct cm_label *label, const struct face *face, int x, int y,
                      int right, uint32_t colour, const char *string)
{
    const char *first = string, *last = string;
    int start = x;
    for (const struct glyph *glyph; (glyph = next_glyph(face, &string)) != NULL; last = string) {
        if (x + glyph->advance > right)
            break;
        if (glyph->coverage != NULL && label->canvas->vector == NULL)
            put_glyph(label->canvas, glyph, x + glyph->left, y, colour);
        x += glyph->advance;
    }
    if (label->canvas->vector != NULL)
        put_text(label, face, (struct cm_point){start, y + face->ascent}, x - start, colour, first,
                 (size_t)(last - first));
    return x;
}

double cm_label_draw(const struct cm_label *label, enum cm_label_style style, enum cm_align align,
                     double x, double middle, double w, uint32_t colour, const char *string)
{
    if (label->fonts == NULL)
        return 0;
    const struct face *face = &label->fonts->faces[style];
    int left = cm_canvas_pixel(label->canvas, x), right = cm_canvas_pixel(label->canvas, x + w);
    int width = width_in_pixels(face, string);
    int top = (int)floor(middle * label->canvas->scale + 0.5) - face->capitals;
    int pen;
    if (width > right - left) {
        int dots = face->glyphs[glyph_of(0x2026)].advance;
        pen = put_string(label, face, left, top, right - dots, colour, string);
        pen = put_string(label, face, pen, top, right, colour, "\xe2\x80\xa6");
    } else {
        if (align != CM_LEFT)
            left = align == CM_RIGHT ? right - width : left + (right - left - width) / 2;
        pen = put_string(label, face, left, top, left + width, colour, string);
    }
    return (pen - left) / label->canvas->scale;
}

double cm_label_print(const struct cm_label *label, enum cm_label_style style, enum cm_align align,
                      double x, double middle, double w, uint32_t colour, const char *format, ...)
{
    char string[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(string, sizeof string, format, arguments);
    va_end(arguments);
    return cm_label_draw(label, style, align, x, middle, w, colour, string);
}
