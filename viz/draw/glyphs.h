/* Glyphs as coverage, drawn before any picture is: label.c copies them, fonts.c has them drawn by
 * SDL2_ttf, viz/web/glyph_table.c reads them from a table. */
#ifndef CM_VIZ_DRAW_GLYPHS_H
#define CM_VIZ_DRAW_GLYPHS_H

#include "label.h"

#define CM_GLYPH_COUNT 113u /* 95 of ASCII, and what the viewer writes besides */

struct cm_glyph {
    uint8_t *coverage; /* w * h bytes; NULL: a blank */
    int w, h;
    int left; /* from the pen to the first column */
    int advance;
};

struct cm_face {
    struct cm_glyph glyphs[CM_GLYPH_COUNT];
    int height;
    int size;     /* pixels */
    int ascent;   /* from the line's top to its base line */
    int capitals; /* from the line's top to the middle of its capitals */
};

struct cm_view_fonts {
    struct cm_face faces[CM_LABEL_STYLE_COUNT];
    bool no_memory; /* an allocation has failed */
};

uint32_t cm_glyph_codepoint(size_t glyph);
/* That of '?' for a character that has none. */
size_t cm_glyph_of(uint32_t codepoint);

#endif
