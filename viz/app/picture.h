/* Pictures in memory, and their files. */
#ifndef CM_VIZ_APP_PICTURE_H
#define CM_VIZ_APP_PICTURE_H

#include "../control/control.h"

struct cm_view_picture {
    struct cm_view_target target;
    uint32_t *own; /* pixels of the target. NULL: not allocated yet */
    struct cm_view_fonts *fonts;
};

/* Opens the fonts of a scale, without pixels. Fails with CM_IO if the fonts are missing, and with
 * CM_NO_MEMORY. */
enum cm_status cm_view_picture_begin(struct cm_view_picture *picture, double scale,
                                     struct cm_error *err);
void cm_view_picture_finish(struct cm_view_picture *picture);

/* Allocates w x h pixels. */
enum cm_status cm_view_picture_resize(struct cm_view_picture *picture, int w, int h,
                                      struct cm_error *err);
/* Draws the state of the control. Fails with CM_NO_MEMORY if a part of the picture is missing. */
enum cm_status cm_view_picture_draw(const struct cm_view_picture *picture,
                                    const struct cm_view_control *control, struct cm_error *err);
/* Draws without the check for missing parts. Draws on `vector` instead of the pixels if it is not
 * NULL. */
struct cm_vector;
void cm_view_picture_draw_on(const struct cm_view_picture *picture,
                             const struct cm_view_control *control, const struct cm_vector *vector);
/* Draws the state of the control as SVG or PDF and writes the file, whole or not at all. The
 * description of the runs is in the SVG's <desc> and the PDF's subject. Fails with CM_USAGE if the
 * build has no PDF. */
enum cm_status cm_view_picture_vector(const struct cm_view_picture *picture,
                                      const struct cm_view_control *control, bool pdf,
                                      const char *path, struct cm_error *err);
bool cm_view_has_pdf(void);
/* Writes the picture as a PNG file, whole or not at all. The text chunks "Source" and "Source B"
 * describe the runs. The file has neither alpha nor times, so equal pictures are equal files.
 * Ctrl-C waits until the file is written. Fails with CM_IO and CM_NO_MEMORY. */
enum cm_status cm_view_picture_write(const struct cm_view_picture *picture,
                                     const struct cm_view_model *model, const char *path,
                                     struct cm_error *err);

#endif
