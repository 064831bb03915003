/* The program cm200-glyphs [--optional] FILE SCALE..., which writes the table of glyphs that
 * glyph_table.h describes. With --optional the table is empty if the fonts are missing. The program
 * is not installed. */
#include "glyph_table.h"

#include "../draw/draw.h"

#include "../../base/buffer.h"
#include "../../base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_number(struct cm_buffer *table, int value)
{
    uint8_t bytes[] = {(uint8_t)(value & 0xff), (uint8_t)(value >> 8 & 0xff)};
    cm_buffer_append(table, bytes, sizeof bytes);
}

static void put_glyph(struct cm_buffer *table, const struct cm_glyph *glyph)
{
    put_number(table, glyph->coverage != NULL ? glyph->w : 0);
    put_number(table, glyph->coverage != NULL ? glyph->h : 0);
    put_number(table, glyph->left + CM_GLYPH_BIAS);
    put_number(table, glyph->advance);
    if (glyph->coverage != NULL)
        cm_buffer_append(table, glyph->coverage, (size_t)glyph->w * (size_t)glyph->h);
}

static enum cm_status put_scale(struct cm_buffer *table, double scale, struct cm_error *err)
{
    struct cm_view_fonts *fonts = NULL;
    enum cm_status status = cm_view_fonts_open(scale, &fonts, err);
    if (status != CM_OK)
        return status;
    put_number(table, (int)(scale * 100 + 0.5));
    for (unsigned i = 0; i < CM_LABEL_STYLE_COUNT; i++) {
        const struct cm_face *face = &fonts->faces[i];
        put_number(table, face->height);
        put_number(table, face->size);
        put_number(table, face->ascent);
        put_number(table, face->capitals + CM_GLYPH_BIAS);
        for (size_t j = 0; j < CM_GLYPH_COUNT; j++)
            put_glyph(table, &face->glyphs[j]);
    }
    cm_view_fonts_close(fonts);
    return CM_OK;
}

int main(int argc, char **argv)
{
    struct cm_buffer table;
    struct cm_error err;
    enum cm_status status = CM_OK;
    cm_buffer_init(&table);
    memset(&err, 0, sizeof err);
    const bool optional = argc > 1 && strcmp(argv[1], "--optional") == 0;
    const int first = optional ? 2 : 1;
    if (argc < first + 2) {
        fprintf(stderr, "usage: cm200-glyphs [--optional] FILE SCALE...\n");
        return 2;
    }
    for (int i = first + 1; i < argc && status == CM_OK; i++)
        status = put_scale(&table, strtod(argv[i], NULL), &err);
    if (status == CM_IO && optional) {
        cm_buffer_finish(&table);
        status = CM_OK;
    }
    if (status == CM_OK && !cm_buffer_ok(&table))
        status = cm_error_no_memory(&err);
    if (status == CM_OK)
        status = cm_file_write(argv[first], table.data, table.length, &err);
    if (status != CM_OK)
        fprintf(stderr, "cm200-glyphs: %s\n", err.message);
    cm_buffer_finish(&table);
    return cm_status_exit_code(status);
}
