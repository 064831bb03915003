/*
 * What a picture is drawn on when it is not pixels: the primitives of canvas.h, in the target's
 * pixels. canvas.c and label.c hand everything over to it, so that panels draw once for both.
 */
#ifndef CM_VIZ_DRAW_VECTOR_H
#define CM_VIZ_DRAW_VECTOR_H

#include "label.h"

#include "../../base/buffer.h"

/* A font of a label: of DejaVu, `size` pixels high. */
struct cm_vector_font {
    bool bold, mono;
    double size;
};

/* A line (`count` points, `width` > 0) or an area (`width` 0). */
struct cm_vector_path {
    const struct cm_point *points;
    uint32_t count;
    double width, dash; /* dash 0: solid */
};

/* A line of text on a base line. */
struct cm_vector_text {
    struct cm_vector_font font;
    struct cm_point start;
    double width; /* in pixels */
    uint32_t colour;
    const char *string; /* UTF-8 */
    size_t length;      /* bytes of the string */
};

struct cm_vector {
    void *to;
    /* All that follows is cut to this; the first call comes before anything is drawn. */
    void (*clip)(void *to, const struct cm_view_rect *place);
    /* alpha 0..255 */
    void (*fill)(void *to, const struct cm_view_rect *place, uint32_t colour, uint32_t alpha);
    void (*path)(void *to, const struct cm_vector_path *path, uint32_t colour);
    /* width 0: a disc, otherwise a ring within the radius. */
    void (*disc)(void *to, struct cm_point centre, double radius, double width, uint32_t colour);
    void (*text)(void *to, const struct cm_vector_text *text);
};

/* svg.c: a picture as SVG. */
struct cm_svg {
    struct cm_buffer *out;
    struct cm_view_rect clip, pending; /* pending: w 0, or a rectangle that may still grow */
    uint32_t pending_colour, clips;
    bool clipped;
};
/* Size and words of a document. */
struct cm_svg_about {
    int w, h;
    const char *title, *description;
};

/* Begins the document. *vector draws on it until the end. */
void cm_view_svg_begin(struct cm_svg *svg, struct cm_buffer *out, const struct cm_svg_about *about,
                       struct cm_vector *vector);
void cm_view_svg_end(struct cm_svg *svg);

#endif
