/*
 * Text. A label is copied glyph by glyph into the picture, so a thousand numbers in a frame take
 * little time. The digits of DejaVu have one width, and there is no kerning, so numbers stay in
 * their columns.
 */
#include "../../base/text.h"
#include "colours.h"
#include "draw.h"
#include "glyphs.h"
#include "vector.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_GLYPH 32u
#define ASCII_COUNT 95u

/* Characters outside ASCII that the viewer writes. */
static const uint32_t more_glyphs[] = {0xb0,   0xb5,   0xb7,   0xd7,   0x394,  0x2013,
                                       0x2014, 0x2026, 0x2190, 0x2191, 0x2192, 0x2193,
                                       0x2212, 0x2264, 0x2265, 0x25b6, 0x2502, 0x2016};
#define MORE_COUNT (sizeof more_glyphs / sizeof more_glyphs[0])
_Static_assert(ASCII_COUNT + MORE_COUNT == CM_GLYPH_COUNT, "glyphs.h counts them");

uint32_t cm_glyph_codepoint(size_t glyph)
{
    return glyph < ASCII_COUNT ? FIRST_GLYPH + (uint32_t)glyph : more_glyphs[glyph - ASCII_COUNT];
}

size_t cm_glyph_of(uint32_t codepoint)
{
    if (codepoint >= FIRST_GLYPH && codepoint < FIRST_GLYPH + ASCII_COUNT)
        return codepoint - FIRST_GLYPH;
    for (size_t i = 0; i < MORE_COUNT; i++)
        if (more_glyphs[i] == codepoint)
            return ASCII_COUNT + i;
    return '?' - FIRST_GLYPH;
}

void cm_view_fonts_close(struct cm_view_fonts *fonts)
{
    if (fonts == NULL)
        return;
    for (unsigned i = 0; i < CM_LABEL_STYLE_COUNT; i++)
        for (size_t j = 0; j < CM_GLYPH_COUNT; j++)
            free(fonts->faces[i].glyphs[j].coverage);
    free(fonts);
}

/* Returns the next glyph of a string and advances the string. Returns NULL at the end. A byte that
 * is not UTF-8 is shown as '?'. */
static const struct cm_glyph *next_glyph(const struct cm_face *face, const char **string)
{
    uint32_t codepoint = '?';
    if (**string == '\0')
        return NULL;
    size_t length = cm_utf8_decode(*string, strlen(*string), &codepoint);
    *string += length > 0 ? length : 1;
    return &face->glyphs[cm_glyph_of(length > 0 ? codepoint : '?')];
}

static int width_in_pixels(const struct cm_face *face, const char *string)
{
    int width = 0;
    for (const struct cm_glyph *glyph; (glyph = next_glyph(face, &string)) != NULL;)
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

static void put_glyph(const struct cm_canvas *canvas, const struct cm_glyph *glyph, int x, int y,
                      uint32_t colour)
{
    for (int row = 0; row < glyph->h; row++)
        for (int column = 0; column < glyph->w; column++) {
            uint32_t coverage = glyph->coverage[row * glyph->w + column];
            if (coverage > 0)
                cm_canvas_mix(canvas, x + column, y + row, colour, coverage);
        }
}

/* Draws a line of text as text of a vector target. */
static void put_text(const struct cm_label *label, const struct cm_vector_text *text)
{
    const struct cm_canvas *canvas = label->canvas;
    struct cm_view_rect place = {canvas->left, canvas->top, canvas->right - canvas->left,
                                 canvas->bottom - canvas->top};
    if (text->length == 0 || text->width <= 0 || place.w <= 0 || place.h <= 0)
        return;
    canvas->vector->clip(canvas->vector->to, &place);
    canvas->vector->text(canvas->vector->to, text);
}

/* Position of the next glyph in pixels, and its style and colour. */
struct pen {
    enum cm_label_style style;
    int x, y;
    uint32_t colour;
};

/* Draws glyphs at the pen and advances the pen, until a glyph would reach beyond x = `right`. */
static void put_string(const struct cm_label *label, struct pen *pen, int right, const char *string)
{
    const struct cm_face *face = &label->fonts->faces[pen->style];
    const char *first = string, *last = string;
    int start = pen->x;
    for (const struct cm_glyph *glyph; (glyph = next_glyph(face, &string)) != NULL; last = string) {
        if (pen->x + glyph->advance > right)
            break;
        if (glyph->coverage != NULL && label->canvas->vector == NULL)
            put_glyph(label->canvas, glyph, pen->x + glyph->left, pen->y, pen->colour);
        pen->x += glyph->advance;
    }
    if (label->canvas->vector == NULL)
        return;
    const struct cm_vector_text text = {
        .font = {pen->style == CM_LABEL_TITLE, pen->style == CM_LABEL_MONO, face->size},
        .start = {start, pen->y + face->ascent},
        .width = pen->x - start,
        .colour = pen->colour,
        .string = first,
        .length = (size_t)(last - first)};
    put_text(label, &text);
}

double cm_label_draw(const struct cm_label *label, enum cm_label_style style,
                     struct cm_text_place place, uint32_t colour, const char *string)
{
    if (label->fonts == NULL)
        return 0;
    const struct cm_face *face = &label->fonts->faces[style];
    int left = cm_canvas_pixel(label->canvas, place.x);
    int right = cm_canvas_pixel(label->canvas, place.x + place.w);
    int width = width_in_pixels(face, string);
    struct pen pen = {.style = style,
                      .y = (int)floor(place.middle * label->canvas->scale + 0.5) - face->capitals,
                      .colour = cm_view_theme_colour(label->canvas->theme, colour)};
    if (width <= right - left && place.align != CM_LEFT)
        left = place.align == CM_RIGHT ? right - width : left + (right - left - width) / 2;
    pen.x = left;
    if (width > right - left) {
        put_string(label, &pen, right - face->glyphs[cm_glyph_of(0x2026)].advance, string);
        put_string(label, &pen, right, "\xe2\x80\xa6");
    } else {
        put_string(label, &pen, left + width, string);
    }
    return (pen.x - left) / label->canvas->scale;
}

double cm_label_print(const struct cm_label *label, enum cm_label_style style,
                      struct cm_text_place place, uint32_t colour, const char *format, ...)
{
    char string[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(string, sizeof string, format, arguments);
    va_end(arguments);
    return cm_label_draw(label, style, place, colour, string);
}
