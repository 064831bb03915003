/*
 * The glyphs of DejaVu as a table, for where there are no fonts: `cm200-glyphs` (make_glyphs.c)
 * writes it when the page is built, glyph_table.c reads it. Bytes, numbers of two bytes, little end
 * first: for each scale its hundredfold, then for each face height, size, ascent and middle of the
 * capitals (with CM_GLYPH_BIAS added), then for each glyph w, h, left + bias, advance, and w * h
 * bytes of coverage.
 */
#ifndef CM_VIZ_WEB_GLYPH_TABLE_H
#define CM_VIZ_WEB_GLYPH_TABLE_H

#include "../draw/glyphs.h"

#include "../../base/buffer.h"

#define CM_GLYPH_BIAS 4096
#define CM_GLYPH_SIDE 512 /* more pixels has no glyph */

/* The fonts of a scale in a table. CM_BAD_INPUT: the table is damaged or has no such scale;
 * CM_NO_MEMORY. */
enum cm_status cm_glyph_table_read(const struct cm_buffer *table, double scale,
                                   struct cm_view_fonts **fonts, struct cm_error *err);

#endif
