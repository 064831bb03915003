/* Films (--film), made by the program ffmpeg. */
#ifndef CM_VIZ_APP_FILM_H
#define CM_VIZ_APP_FILM_H

#include "options.h"
#include "picture.h"

/* Draws the whole run in equal steps of time, each frame with its caption, and lets ffmpeg write
 * the film. The file is written whole or not at all. Width and height of the picture must be even.
 * Fails with CM_IO and a hint if ffmpeg is missing. */
enum cm_status cm_view_film(const struct cm_view_options *options, struct cm_view_control *control,
                            const struct cm_view_picture *picture, struct cm_error *err);

#endif
