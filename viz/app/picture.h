/* Pictures in memory, and functions that write them to files. */
#ifndef CM_VIZ_APP_PICTURE_H
#define CM_VIZ_APP_PICTURE_H

#include "../control/control.h"

struct cm_view_picture {
    struct cm_view_target target;
    uint32_t *own; /* pixels of the target, which the picture owns. NULL: not allocated yet */
    struct cm_view_fonts *fonts;
};

/* Opens the fonts for a scale, but allocates no pixels. Fails with CM_IO if the fonts are missing,
 * and with CM_NO_MEMORY if memory runs out. */
enum cm_status cm_view_picture_begin(struct cm_view_picture *picture, double scale,
                                     struct cm_error *err);
void cm_view_picture_finish(struct cm_view_picture *picture);

/* Allocates w x h pixels for the picture. */
enum cm_status cm_view_picture_resize(struct cm_view_picture *picture, int w, int h,
                                      struct cm_error *err);
/* Draws the state of the control into the picture. Fails with CM_NO_MEMORY if memory ran out, so
 * that a part of the picture is missing. */
enum cm_status cm_view_picture_draw(const struct cm_view_picture *picture,
                                    const struct cm_view_control *control, struct cm_error *err);
/* Draws the state of the control, but does not check whether parts are missing. If `vector` is not
 * NULL, draws on it instead of the pixels. */
struct cm_vector;
void cm_view_picture_draw_on(const struct cm_view_picture *picture,
                             const struct cm_view_control *control, const struct cm_vector *vector);
/* Draws the state of the control as SVG or PDF into a file, which is written completely or not at
 * all. The SVG's <desc> and the PDF's subject describe the runs. Fails with CM_USAGE if the program
 * was built without PDF. */
enum cm_status cm_view_picture_vector(const struct cm_view_picture *picture,
                                      const struct cm_view_control *control, bool pdf,
                                      const char *path, struct cm_error *err);
bool cm_view_has_pdf(void);
/* Writes the picture as a PNG file, completely or not at all. The text chunks "Source" and "Source
 * B" describe the runs. The file has neither alpha nor times, so equal pictures give equal files.
 * Ctrl-C takes effect after the file is written. Fails with CM_IO and CM_NO_MEMORY. */
enum cm_status cm_view_picture_write(const struct cm_view_picture *picture,
                                     const struct cm_view_model *model, const char *path,
                                     struct cm_error *err);

#endif
