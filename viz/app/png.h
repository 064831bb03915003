/* Pictures as PNG files, written whole or not at all. */
#ifndef CM_VIZ_APP_PNG_H
#define CM_VIZ_APP_PNG_H

#include "../../base/error.h"

/*
 * Writes w x h pixels, 0xAARRGGBB, rows `pitch` pixels apart; the alpha is left out, and so are
 * times and other text: the same picture is the same file. CM_IO when the file cannot be written,
 * CM_NO_MEMORY.
 */
enum cm_status cm_png_write(const char *path, const uint32_t *pixels, int w, int h, int pitch,
                            struct cm_error *err);

#endif
