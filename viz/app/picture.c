/* Pictures in memory, with or without a window. */
#include "picture.h"

#include "../control/keys.h"
#include "png.h"

#include "../../shell/shell.h"

#include <stdlib.h>
#include <string.h>

enum cm_status cm_view_picture_begin(struct cm_view_picture *picture, double scale,
                                     struct cm_error *err)
{
    memset(picture, 0, sizeof *picture);
    enum cm_status status = cm_view_fonts_open(scale, &picture->fonts, err);
    picture->target.scale = scale;
    picture->target.fonts = picture->fonts;
    picture->target.keys = cm_view_key_help;
    picture->target.key_count = CM_VIEW_KEY_COUNT;
    return status;
}

void cm_view_picture_finish(struct cm_view_picture *picture)
{
    free(picture->own);
    cm_view_fonts_close(picture->fonts);
    memset(picture, 0, sizeof *picture);
}

enum cm_status cm_view_picture_resize(struct cm_view_picture *picture, int w, int h,
                                      struct cm_error *err)
{
    uint32_t *pixels = calloc((size_t)w * (size_t)h, sizeof *pixels);
    if (pixels == NULL)
        return cm_error_no_memory(err);
    free(picture->own);
    picture->own = pixels;
    picture->target.pixels = pixels;
    picture->target.w = w;
    picture->target.h = h;
    picture->target.pitch = w;
    return CM_OK;
}

void cm_view_picture_draw(const struct cm_view_picture *picture,
                          const struct cm_view_control *control)
{
    cm_view_draw(control->model, &control->state, &picture->target);
}

enum cm_status cm_view_picture_write(const struct cm_view_picture *picture, const char *path,
                                     struct cm_error *err)
{
    const struct cm_view_target *target = &picture->target;
    cli_interrupt_hold(true);
    enum cm_status status =
        cm_png_write(path, target->pixels, target->w, target->h, target->pitch, err);
    cli_interrupt_hold(false);
    return status;
}
