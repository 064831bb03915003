/* A picture of the viewer in memory: pixels and the fonts of its scale. */
#ifndef CM_VIZ_APP_PICTURE_H
#define CM_VIZ_APP_PICTURE_H

#include "../control/control.h"

struct cm_view_picture {
    struct cm_view_target target;
    uint32_t *own; /* the target's pixels; NULL: none yet */
    struct cm_view_fonts *fonts;
};

/* Opens the fonts; without pixels yet. CM_IO without fonts, CM_NO_MEMORY. */
enum cm_status cm_view_picture_begin(struct cm_view_picture *picture, double scale,
                                     struct cm_error *err);
void cm_view_picture_finish(struct cm_view_picture *picture);

/* Allocates w x h pixels. */
enum cm_status cm_view_picture_resize(struct cm_view_picture *picture, int w, int h,
                                      struct cm_error *err);
/* Draws what the control shows. CM_NO_MEMORY: a part of it is missing. */
enum cm_status cm_view_picture_draw(const struct cm_view_picture *picture,
                                    const struct cm_view_control *control, struct cm_error *err);
/* The same without that; on `vector` instead of the pixels, if it is not NULL. */
struct cm_vector;
void cm_view_picture_draw_on(const struct cm_view_picture *picture,
                             const struct cm_view_control *control, const struct cm_vector *vector);
/* Draws what the control shows as SVG, or PDF, and writes the file, whole or not at all. The runs'
 * descriptions are in the SVG's <desc> and the PDF's subject. CM_USAGE: this build has no PDF. */
enum cm_status cm_view_picture_vector(const struct cm_view_picture *picture,
                                      const struct cm_view_control *control, bool pdf,
                                      const char *path, struct cm_error *err);
bool cm_view_has_pdf(void);
/* Writes it as a PNG file, whole or not at all, with what the model's runs are of as texts "Source"
 * and "Source B". Alpha and times are left out, so that the same picture is the same file. Ctrl-C
 * waits until that is done. CM_IO, CM_NO_MEMORY. */
enum cm_status cm_view_picture_write(const struct cm_view_picture *picture,
                                     const struct cm_view_model *model, const char *path,
                                     struct cm_error *err);

#endif
