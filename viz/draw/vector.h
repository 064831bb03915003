/* Vector target: functions that draw the shapes of canvas.h and the text of label.h, in pixels of
 * the target. If a target is set, canvas.c and label.c call its functions instead of setting
 * pixels. So panels need no code of their own for vector pictures. */
#ifndef CM_VIZ_DRAW_VECTOR_H
#define CM_VIZ_DRAW_VECTOR_H

#include "label.h"

#include "../../base/buffer.h"

/* Font of a text: DejaVu, `size` pixels high. */
struct cm_vector_font {
    bool bold, mono;
    double size;
};

/* Line (`width` > 0) or filled area (`width` 0) through `count` points. */
struct cm_vector_path {
    const struct cm_point *points;
    uint32_t count;
    double width, dash; /* width of the line, and length of a dash. `dash` 0: a solid line */
};

/* Line of text that begins at the point `start` on the base line. */
struct cm_vector_text {
    struct cm_vector_font font;
    struct cm_point start;
    double width; /* width of the text in pixels */
    uint32_t colour;
    const char *string; /* UTF-8 */
    size_t length;      /* number of bytes of the string */
};

struct cm_vector {
    void *to;
    /* Clips everything drawn later to a rectangle. Called before anything is drawn. */
    void (*clip)(void *to, const struct cm_view_rect *place);
    /* Fills a rectangle with a colour of the weight `alpha`, from 0 to 255. */
    void (*fill)(void *to, const struct cm_view_rect *place, uint32_t colour, uint32_t alpha);
    void (*path)(void *to, const struct cm_vector_path *path, uint32_t colour);
    /* Draws a disc if `width` is 0, otherwise a ring of this width inside the radius. */
    void (*disc)(void *to, struct cm_point centre, double radius, double width, uint32_t colour);
    /* Draws a line of text. */
    void (*text)(void *to, const struct cm_vector_text *text);
};

/* Vector target that writes SVG, in svg.c. */
struct cm_svg {
    struct cm_buffer *out;
    /* current clip rectangle, and rectangle that is not written yet because the next one may extend
     * it. w 0: no such rectangle */
    struct cm_view_rect clip, pending;
    uint32_t pending_colour, clips;
    bool clipped;
};
/* Size in pixels, title and description of an SVG document. */
struct cm_svg_about {
    int w, h;
    const char *title, *description;
};

/* Begins an SVG document, and sets *vector to the target that writes it. */
void cm_view_svg_begin(struct cm_svg *svg, struct cm_buffer *out, const struct cm_svg_about *about,
                       struct cm_vector *vector);
void cm_view_svg_end(struct cm_svg *svg);

#endif
