/* Glyphs, stored as the coverage of each pixel. label.c copies glyphs into pictures. In the
 * program, fonts.c draws the glyphs with SDL2_ttf. On a web page, viz/web/glyph_table.c reads them
 * from a table. */
#ifndef CM_VIZ_DRAW_GLYPHS_H
#define CM_VIZ_DRAW_GLYPHS_H

#include "label.h"

/* number of glyphs in a face: 95 of ASCII, and the other characters that the viewer writes */
#define CM_GLYPH_COUNT 113u

struct cm_glyph {
    uint8_t *coverage; /* coverage of each pixel, w * h bytes. NULL: the glyph is blank */
    int w, h;
    int left; /* pixels from the pen to the first column of the glyph */
    int advance;
};

struct cm_face {
    struct cm_glyph glyphs[CM_GLYPH_COUNT];
    int height;
    int size;     /* size of the font in pixels */
    int ascent;   /* pixels from the top of the line to the base line */
    int capitals; /* pixels from the top of the line to the middle of capital letters */
};

struct cm_view_fonts {
    struct cm_face faces[CM_LABEL_STYLE_COUNT];
    bool no_memory; /* true if an allocation failed */
};

uint32_t cm_glyph_codepoint(size_t glyph);
/* Returns the index of a character's glyph, or of the glyph '?' if the character has no glyph. */
size_t cm_glyph_of(uint32_t codepoint);

#endif
