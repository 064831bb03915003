/* --film: the run as a film, through the program ffmpeg. */
#ifndef CM_VIZ_APP_FILM_H
#define CM_VIZ_APP_FILM_H

#include "options.h"
#include "picture.h"

/* Draws the whole run in even steps of time, each frame with its caption, and has ffmpeg make the
 * file, whole or not at all. The picture's sides are even. CM_IO without ffmpeg, with a hint. */
enum cm_status cm_view_film(const struct cm_view_options *options, struct cm_view_control *control,
                            const struct cm_view_picture *picture, struct cm_error *err);

#endif
