/* Reads the glyphs of the fonts from the table in memory that glyph_table.h describes. */
#include "glyph_table.h"

#include "../draw/draw.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    const uint8_t *at;
    size_t left;
    bool truncated; /* true if the table ended too early, so it is damaged */
    bool no_memory; /* true if there was no memory for a glyph */
};

static int number(struct reader *reader)
{
    if (reader->left < 2) {
        reader->truncated = true;
        return 0;
    }
    int value = reader->at[0] | reader->at[1] << 8;
    reader->at += 2;
    reader->left -= 2;
    return value;
}

static void read_glyph(struct reader *reader, struct cm_glyph *glyph)
{
    glyph->w = number(reader);
    glyph->h = number(reader);
    glyph->left = number(reader) - CM_GLYPH_BIAS;
    glyph->advance = number(reader);
    size_t count = (size_t)glyph->w * (size_t)glyph->h;
    if (glyph->w > CM_GLYPH_SIDE || glyph->h > CM_GLYPH_SIDE || count > reader->left)
        reader->truncated = true;
    if (reader->truncated || count == 0)
        return;
    glyph->coverage = malloc(count);
    if (glyph->coverage == NULL) {
        reader->no_memory = true;
        return;
    }
    memcpy(glyph->coverage, reader->at, count);
    reader->at += count;
    reader->left -= count;
}

static void read_face(struct reader *reader, struct cm_face *face)
{
    face->height = number(reader);
    face->size = number(reader);
    face->ascent = number(reader);
    face->capitals = number(reader) - CM_GLYPH_BIAS;
    for (size_t i = 0; i < CM_GLYPH_COUNT && !reader->truncated && !reader->no_memory; i++)
        read_glyph(reader, &face->glyphs[i]);
}

enum cm_status cm_glyph_table_read(const struct cm_buffer *table, double scale,
                                   struct cm_view_fonts **fonts, struct cm_error *err)
{
    struct reader reader = {.at = (const uint8_t *)table->data, .left = table->length};
    if (!cm_buffer_ok(table))
        return cm_error_no_memory(err);
    bool found = false;
    *fonts = NULL;
    while (!found && reader.left > 0 && !reader.truncated && !reader.no_memory) {
        cm_view_fonts_close(*fonts);
        *fonts = calloc(1, sizeof **fonts);
        if (*fonts == NULL)
            return cm_error_no_memory(err);
        found = number(&reader) == (int)(scale * 100 + 0.5);
        for (unsigned i = 0; i < CM_LABEL_STYLE_COUNT; i++)
            read_face(&reader, &(*fonts)->faces[i]);
    }
    if (found && !reader.truncated && !reader.no_memory)
        return CM_OK;
    cm_view_fonts_close(*fonts);
    *fonts = NULL;
    if (reader.no_memory)
        return cm_error_no_memory(err);
    return cm_error_set(err, CM_BAD_INPUT, "the table of glyphs lacks the scale %g", scale);
}
