/* Films of a run (option --film), which the program ffmpeg encodes. */
#ifndef CM_VIZ_APP_FILM_H
#define CM_VIZ_APP_FILM_H

#include "options.h"
#include "picture.h"

/* Draws the whole run in equal steps of time, each frame with its caption, and lets ffmpeg write
 * the film. The film's file is written completely or not at all. Width and height of the picture
 * must be even. Fails with CM_IO and a hint if ffmpeg is missing. */
enum cm_status cm_view_film(const struct cm_view_options *options, struct cm_view_control *control,
                            const struct cm_view_picture *picture, struct cm_error *err);

#endif
