/* PNG through libpng, which calls back with bytes and comes back from mistakes by longjmp. */
#include "png.h"

#include "../../base/buffer.h"
#include "../../base/file.h"

#include <png.h>
#include <stdlib.h>

/* zlib's default: a third smaller than the fastest; 1280 x 800 pixels take some 20 ms. */
#define COMPRESSION_LEVEL 6

struct picture {
    const uint32_t *pixels;
    int w, h, pitch;
    png_byte *row; /* of 3 w bytes */
};

static void append(png_structp png, png_bytep bytes, png_size_t length)
{
    struct cm_buffer *buffer = png_get_io_ptr(png);
    cm_buffer_append(buffer, bytes, length);
    if (!cm_buffer_ok(buffer))
        png_error(png, "out of memory");
}

/* Everything goes to memory first. */
static void flush(png_structp png)
{
    (void)png;
}

/* libpng's own handlers print. */
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

static void write_rows(png_structp png, const struct picture *picture)
{
    for (int y = 0; y < picture->h; y++) {
        const uint32_t *from = picture->pixels + (size_t)y * (size_t)picture->pitch;
        png_byte *to = picture->row;
        for (int x = 0; x < picture->w; x++) {
            *to++ = (png_byte)(from[x] >> 16 & 0xff);
            *to++ = (png_byte)(from[x] >> 8 & 0xff);
            *to++ = (png_byte)(from[x] & 0xff);
        }
        png_write_row(png, picture->row);
    }
}

/* False when memory ran out. No local that changes after setjmp is read after a longjmp. */
static bool encode(const struct picture *picture, struct cm_buffer *buffer)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, buffer, append, flush);
    png_set_IHDR(png, info, (png_uint_32)picture->w, (png_uint_32)picture->h, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    /* Flat colours compress well without filters, and several times faster. */
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_compression_level(png, COMPRESSION_LEVEL);
    png_write_info(png, info);
    write_rows(png, picture);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

enum cm_status cm_png_write(const char *path, const uint32_t *pixels, int w, int h, int pitch,
                            struct cm_error *err)
{
    struct picture picture = {.pixels = pixels, .w = w, .h = h, .pitch = pitch};
    struct cm_buffer buffer;
    cm_buffer_init(&buffer);
    picture.row = malloc((size_t)w * 3);
    enum cm_status status = CM_OK;
    if (picture.row == NULL || !encode(&picture, &buffer))
        status = cm_error_no_memory(err);
    else
        status = cm_file_write(path, buffer.data, buffer.length, err);
    cm_buffer_finish(&buffer);
    free(picture.row);
    return status;
}
