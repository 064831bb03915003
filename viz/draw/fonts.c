/* Fonts. SDL2_ttf draws every glyph once, when the fonts are opened. */
#include "draw.h"
#include "glyphs.h"

#include <SDL.h>
#include <SDL_ttf.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Records that memory ran out. FreeType may draw a glyph without the parts for which it got no
 * memory, and report no error, but malloc has set errno to ENOMEM. The caller sets errno to 0
 * before. */
static void watch_memory(struct cm_view_fonts *fonts)
{
    fonts->no_memory = fonts->no_memory || errno == ENOMEM;
    errno = 0;
}

static const struct {
    const char *file;
    const char *pattern; /* pattern for fontconfig */
    int points;
} styles[CM_LABEL_STYLE_COUNT] = {
    [CM_LABEL_SMALL] = {"DejaVuSans.ttf", "DejaVu Sans:style=Book", 11},
    [CM_LABEL_BODY] = {"DejaVuSans.ttf", "DejaVu Sans:style=Book", 12},
    [CM_LABEL_TITLE] = {"DejaVuSans-Bold.ttf", "DejaVu Sans:style=Bold", 12},
    [CM_LABEL_MONO] = {"DejaVuSansMono.ttf", "DejaVu Sans Mono:style=Book", 11},
};

/* Folders in which Debian, Fedora, Arch and Alpine install DejaVu. If no folder has the font,
 * fontconfig is asked. */
static const char *const folders[] = {
    "/usr/share/fonts/truetype/dejavu",
    "/usr/share/fonts/dejavu-sans-fonts",
    "/usr/share/fonts/dejavu-sans-mono-fonts",
    "/usr/share/fonts/TTF",
    "/usr/share/fonts/dejavu",
    "/usr/local/share/fonts/dejavu",
};

/*
 * Finds the file of a font family and style with fontconfig's program fc-match, if it is installed.
 * fc-match answers with the most similar font that exists, so the name of the file is compared.
 */
static bool ask_fontconfig(const char *pattern, const char *file, char *path, size_t size)
{
    char command[160];
    snprintf(command, sizeof command, "fc-match -f '%%{file}' '%s' 2>/dev/null", pattern);
    /* The command consists of our own names only. NOLINTNEXTLINE(cert-env33-c) */
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

static bool copy_coverage(struct cm_glyph *glyph, SDL_Surface *surface)
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

static bool draw_glyph(TTF_Font *font, uint32_t codepoint, struct cm_glyph *glyph)
{
    int left = 0, right, bottom, top;
    if (TTF_GlyphMetrics32(font, codepoint, &left, &right, &bottom, &top, &glyph->advance) != 0)
        return true; /* a character that the font lacks is drawn as nothing, without width */
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

/* Returns true if glyphs are wrong because memory ran out. HarfBuzz, which selects the glyphs,
 * reports no error if it has no memory for a font's functions. It then selects the glyph for
 * missing characters for every character. */
static bool glyphs_are_lost(const struct cm_face *face)
{
    const struct cm_glyph *a = &face->glyphs[cm_glyph_of('H')],
                          *b = &face->glyphs[cm_glyph_of('.')];
    return a->coverage != NULL && b->coverage != NULL && a->w == b->w && a->h == b->h &&
           memcmp(a->coverage, b->coverage, (size_t)a->w * (size_t)a->h) == 0;
}

static enum cm_status open_face(struct cm_view_fonts *fonts, enum cm_label_style style, int size,
                                struct cm_error *err)
{
    struct cm_face *face = &fonts->faces[style];
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
    for (size_t i = 0; i < CM_GLYPH_COUNT && done; i++) {
        done = draw_glyph(font, cm_glyph_codepoint(i), &face->glyphs[i]);
        watch_memory(fonts);
    }
    fonts->no_memory = fonts->no_memory || glyphs_are_lost(face);
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

/* Opens the fonts. Tries a second time if malloc seems to have failed, because malloc may leave
 * ENOMEM in errno after an attempt that finally succeeded. */
enum cm_status cm_view_fonts_open(double scale, struct cm_view_fonts **fonts, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    bool no_memory = true;
    *fonts = NULL;
    for (int attempt = 0; no_memory && attempt < 2; attempt++) {
        cm_view_fonts_close(*fonts);
        *fonts = calloc(1, sizeof **fonts);
        if (*fonts == NULL)
            return cm_error_no_memory(err);
        status = open_faces(*fonts, scale, err);
        no_memory = (*fonts)->no_memory;
    }
    if (no_memory)
        status = cm_error_no_memory(err);
    if (status == CM_OK)
        return CM_OK;
    cm_view_fonts_close(*fonts);
    *fonts = NULL;
    return status;
}
