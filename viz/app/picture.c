/* Pictures in memory, with or without a window, and PNG files. libpng hands bytes to a callback and
 * reports failures with longjmp. */
#include "picture.h"

#include "../control/keys.h"

#include "../../base/file.h"
#include "../../shell/shell.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

/* Default level of zlib. Files are a third smaller than with the fastest level, and writing 1280 x
 * 800 pixels takes about 20 ms. */
#define COMPRESSION_LEVEL 6

enum cm_status cm_view_picture_begin(struct cm_view_picture *picture, double scale,
                                     struct cm_error *err)
{
    memset(picture, 0, sizeof *picture);
    enum cm_status status = cm_view_fonts_open(scale, &picture->fonts, err);
    picture->target.scale = scale;
    picture->target.fonts = picture->fonts;
    picture->target.keys = cm_view_keys;
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

void cm_view_picture_draw_on(const struct cm_view_picture *picture,
                             const struct cm_view_control *control, const struct cm_vector *vector)
{
    struct cm_view_target target = picture->target;
    target.vector = vector;
    if (control->model->program == NULL)
        target.key_count = CM_VIEW_KEY_PROGRAM;
    cm_view_draw(control->model, &control->state, &target);
}

enum cm_status cm_view_picture_draw(const struct cm_view_picture *picture,
                                    const struct cm_view_control *control, struct cm_error *err)
{
    cm_view_picture_draw_on(picture, control, NULL);
    return cm_view_model_failed(control->model) ? cm_error_no_memory(err) : CM_OK;
}

static void append(png_structp png, png_bytep bytes, png_size_t length)
{
    struct cm_buffer *buffer = png_get_io_ptr(png);
    cm_buffer_append(buffer, bytes, length);
    if (!cm_buffer_ok(buffer))
        png_error(png, "out of memory");
}

/* Does nothing. libpng asks to flush its output, but all bytes go to memory. */
static void flush(png_structp png)
{
    (void)png;
}

/* Leaves libpng by longjmp after an error. The handlers of libpng itself would print a message. */
static void on_error(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* Writes all rows of the picture. `row` is a buffer for one row. */
static void write_rows(png_structp png, const struct cm_view_target *target, png_byte *row)
{
    for (int y = 0; y < target->h; y++) {
        const uint32_t *from = target->pixels + (size_t)y * (size_t)target->pitch;
        png_byte *to = row;
        for (int x = 0; x < target->w; x++) {
            *to++ = (png_byte)(from[x] >> 16 & 0xff);
            *to++ = (png_byte)(from[x] >> 8 & 0xff);
            *to++ = (png_byte)(from[x] & 0xff);
        }
        png_write_row(png, row);
    }
}

/* Adds text chunks to the PNG file that describe the runs in the picture. */
static void put_sources(png_structp png, png_infop info, const struct cm_view_model *model)
{
    static char keys[CM_VIEW_RUNS_MAX][9] = {"Source", "Source B"};
    for (uint32_t i = 0; i < model->run_count; i++) {
        png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = keys[i]};
        /* libpng only reads the text */
        text.text = (png_charp)(uintptr_t)model->runs[i].info->made_of;
        if (text.text[0] != '\0')
            png_set_text(png, info, &text, 1);
    }
}

/* Encodes a picture as PNG into the buffer. Returns false when out of memory. After a longjmp the
 * function reads no local variable that has changed since setjmp. */
static bool encode(const struct cm_view_target *target, const struct cm_view_model *model,
                   png_byte *row, struct cm_buffer *buffer)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, buffer, append, flush);
    png_set_IHDR(png, info, (png_uint_32)target->w, (png_uint_32)target->h, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    /* Pictures of flat colours compress well without filters, and several times faster. */
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_compression_level(png, COMPRESSION_LEVEL);
    put_sources(png, info, model);
    png_write_info(png, info);
    write_rows(png, target, row);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

enum cm_status cm_view_picture_write(const struct cm_view_picture *picture,
                                     const struct cm_view_model *model, const char *path,
                                     struct cm_error *err)
{
    struct cm_buffer buffer;
    cm_buffer_init(&buffer);
    png_byte *row = malloc((size_t)picture->target.w * 3);
    enum cm_status status = CM_OK;
    if (row == NULL || !encode(&picture->target, model, row, &buffer))
        status = cm_error_no_memory(err);
    shell_interrupt_hold(true);
    if (status == CM_OK)
        status = cm_file_write(path, buffer.data, buffer.length, err);
    shell_interrupt_hold(false);
    cm_buffer_finish(&buffer);
    free(row);
    return status;
}
