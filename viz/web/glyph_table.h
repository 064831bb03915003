/*
 * Table of the glyphs of DejaVu. Web pages have no font files, so they use this table. The program
 * cm200-glyphs (make_glyphs.c) writes the table when the page is built, and glyph_table.c reads it.
 *
 * Every number in the table has two bytes, little-endian. For each scale, the table has the scale
 * in hundredths, then the faces (fonts of one style). A face has height, size, ascent, the middle
 * of the capitals plus CM_GLYPH_BIAS, then its glyphs. A glyph has w, h, left plus CM_GLYPH_BIAS,
 * advance, and w * h bytes of coverage.
 */
#ifndef CM_VIZ_WEB_GLYPH_TABLE_H
#define CM_VIZ_WEB_GLYPH_TABLE_H

#include "../draw/glyphs.h"

#include "../../base/buffer.h"

#define CM_GLYPH_BIAS 4096
#define CM_GLYPH_SIDE 512 /* width and height of a glyph in pixels, at most */

/* Reads the fonts for a scale from a table. Fails with CM_BAD_INPUT if the table is damaged or
 * lacks the scale, and with CM_NO_MEMORY if memory runs out. */
enum cm_status cm_glyph_table_read(const struct cm_buffer *table, double scale,
                                   struct cm_view_fonts **fonts, struct cm_error *err);

#endif
