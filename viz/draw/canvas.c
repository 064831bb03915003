/* Drawing of shapes into pixels. The share of a pixel that a shape with smoothed edges covers is
 * computed from the distance of the pixel's centre to the shape's edge. */
#include "canvas.h"

#include "colours.h"
#include "draw.h"
#include "vector.h"

#include <math.h>

struct cm_canvas cm_canvas_of(const struct cm_view_target *target, enum cm_view_theme theme)
{
    return (struct cm_canvas){target->pixels, target->w, target->h,
                              target->pitch,  0,         0,
                              target->w,      target->h, target->scale > 0 ? target->scale : 1,
                              target->vector, theme};
}

/* Sets the clip rectangle of the canvas's vector target, and returns the target, which then draws
 * the shape. */
static const struct cm_vector *vector_of(const struct cm_canvas *canvas)
{
    struct cm_view_rect place = {canvas->left, canvas->top, canvas->right - canvas->left,
                                 canvas->bottom - canvas->top};
    canvas->vector->clip(canvas->vector->to, &place);
    return canvas->vector;
}

static void fill_vector(const struct cm_canvas *canvas, struct cm_view_rect place, uint32_t colour,
                        uint32_t alpha)
{
    if (place.w <= 0 || place.h <= 0)
        return;
    const struct cm_vector *vector = vector_of(canvas);
    vector->fill(vector->to, &place, colour, alpha);
}

int cm_canvas_pixel(const struct cm_canvas *canvas, double place)
{
    return (int)floor(place * canvas->scale + 0.5);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

struct cm_canvas cm_canvas_clip(const struct cm_canvas *canvas, struct cm_view_rect place)
{
    struct cm_canvas cut = *canvas;
    cut.left = larger(cut.left, cm_canvas_pixel(canvas, place.x));
    cut.top = larger(cut.top, cm_canvas_pixel(canvas, place.y));
    cut.right = smaller(cut.right, cm_canvas_pixel(canvas, place.x + place.w));
    cut.bottom = smaller(cut.bottom, cm_canvas_pixel(canvas, place.y + place.h));
    return cut;
}

void cm_canvas_fill_pixels(const struct cm_canvas *canvas, int x, int y, int w, int h,
                           uint32_t colour)
{
    int left = larger(x, canvas->left), right = smaller(x + w, canvas->right);
    int top = larger(y, canvas->top), bottom = smaller(y + h, canvas->bottom);
    colour = cm_view_theme_colour(canvas->theme, colour);
    if (canvas->vector != NULL) {
        fill_vector(canvas, (struct cm_view_rect){left, top, right - left, bottom - top}, colour,
                    255);
        return;
    }
    if (left >= right)
        return; /* a canvas that only finds the object under the mouse has no pixels */
    for (int row = top; row < bottom; row++) {
        uint32_t *line = canvas->pixels + (ptrdiff_t)row * canvas->pitch;
        for (int column = left; column < right; column++)
            line[column] = colour;
    }
}

void cm_canvas_fill(const struct cm_canvas *canvas, double x, double y, double w, double h,
                    uint32_t colour)
{
    int left = cm_canvas_pixel(canvas, x), top = cm_canvas_pixel(canvas, y);
    cm_canvas_fill_pixels(canvas, left, top, cm_canvas_pixel(canvas, x + w) - left,
                          cm_canvas_pixel(canvas, y + h) - top, colour);
}

void cm_canvas_frame_pixels(const struct cm_canvas *canvas, struct cm_view_rect r, int thick,
                            uint32_t colour)
{
    cm_canvas_fill_pixels(canvas, r.x, r.y, r.w, thick, colour);
    cm_canvas_fill_pixels(canvas, r.x, r.y + r.h - thick, r.w, thick, colour);
    cm_canvas_fill_pixels(canvas, r.x, r.y, thick, r.h, colour);
    cm_canvas_fill_pixels(canvas, r.x + r.w - thick, r.y, thick, r.h, colour);
}

void cm_canvas_frame(const struct cm_canvas *canvas, struct cm_area area, double width,
                     uint32_t colour)
{
    int left = cm_canvas_pixel(canvas, area.x), top = cm_canvas_pixel(canvas, area.y);
    struct cm_view_rect r = {left, top, cm_canvas_pixel(canvas, area.x + area.w) - left,
                             cm_canvas_pixel(canvas, area.y + area.h) - top};
    cm_canvas_frame_pixels(canvas, r, larger(1, cm_canvas_pixel(canvas, width)), colour);
}

static uint32_t blend(uint32_t under, uint32_t over, uint32_t alpha)
{
    uint32_t weight = alpha + (alpha >> 7); /* weight from 0 to 256 */
    uint32_t red_blue = (under & 0xff00ffu) * (256 - weight) + (over & 0xff00ffu) * weight;
    uint32_t green = (under & 0xff00u) * (256 - weight) + (over & 0xff00u) * weight;
    return 0xff000000u | (red_blue >> 8 & 0xff00ffu) | (green >> 8 & 0xff00u);
}

void cm_canvas_mix(const struct cm_canvas *canvas, int x, int y, uint32_t colour, uint32_t coverage)
{
    if (x < canvas->left || x >= canvas->right || y < canvas->top || y >= canvas->bottom)
        return;
    uint32_t *pixel = canvas->pixels + (ptrdiff_t)y * canvas->pitch + x;
    *pixel = blend(*pixel, colour, coverage);
}

void cm_canvas_shade(const struct cm_canvas *canvas, struct cm_area area, uint32_t colour,
                     uint32_t alpha)
{
    int left = larger(cm_canvas_pixel(canvas, area.x), canvas->left);
    int right = smaller(cm_canvas_pixel(canvas, area.x + area.w), canvas->right);
    int top = larger(cm_canvas_pixel(canvas, area.y), canvas->top);
    int bottom = smaller(cm_canvas_pixel(canvas, area.y + area.h), canvas->bottom);
    colour = cm_view_theme_colour(canvas->theme, colour);
    if (canvas->vector != NULL) {
        fill_vector(canvas, (struct cm_view_rect){left, top, right - left, bottom - top}, colour,
                    alpha);
        return;
    }
    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++) {
            uint32_t *pixel = canvas->pixels + (ptrdiff_t)row * canvas->pitch + column;
            *pixel = blend(*pixel, colour, alpha);
        }
}

/* Range of pixels that a shape within [x0, x1] x [y0, y1] (in pixels) may touch. */
struct box {
    int left, top, right, bottom;
};

static struct box box_of(const struct cm_canvas *canvas, double x0, double y0, double x1, double y1)
{
    return (struct box){
        larger(canvas->left, (int)floor(x0 - 1)), larger(canvas->top, (int)floor(y0 - 1)),
        smaller(canvas->right, (int)ceil(x1 + 1)), smaller(canvas->bottom, (int)ceil(y1 + 1))};
}

/* Returns the coverage, from 0 to 255, of a pixel whose centre is `inside` pixels inside the
 * shape's edge. */
static uint32_t coverage_of(double inside)
{
    double part = inside + 0.5;
    return part <= 0 ? 0 : part >= 1 ? 255 : (uint32_t)(part * 255 + 0.5);
}

static void cover(const struct cm_canvas *canvas, int x, int y, uint32_t colour, double inside)
{
    uint32_t coverage = coverage_of(inside);
    if (coverage > 0)
        cm_canvas_mix(canvas, x, y, colour, coverage);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Reduces a row of pixels to those within `reach` of the line through point `a` with a given
 * direction. At most one pixel too many remains on each side. */
static void narrow(struct box *row, int y, struct cm_point a, struct cm_point direction,
                   double reach)
{
    if (fabs(direction.y) < 1e-3) /* the row runs along the line */
        return;
    double x = a.x + (y + 0.5 - a.y) * direction.x / direction.y;
    double w = reach / fabs(direction.y) + 1.5;
    row->left = x - w > row->left ? (int)floor(x - w) : row->left;
    row->right = x + w < row->right ? (int)ceil(x + w) : row->right;
}

/* Straight line with flat ends, in pixels. */
struct stroke {
    struct cm_point a, direction;
    double length, half;
    uint32_t colour;
};

static void cover_row(const struct cm_canvas *canvas, const struct stroke *line, int y, int left,
                      int right)
{
    for (int x = left; x < right; x++) {
        double px = x + 0.5 - line->a.x, py = y + 0.5 - line->a.y;
        double along = px * line->direction.x + py * line->direction.y;
        double across = fabs(px * line->direction.y - py * line->direction.x);
        cover(canvas, x, y, line->colour,
              least(line->half - across, least(along, line->length - along)));
    }
}

/* Fills those pixels of a row that a horizontal line covers completely. Sets *left to the first of
 * them and returns the end. */
static int fill_row(const struct cm_canvas *canvas, const struct stroke *line, int y,
                    const struct box *row, int *left)
{
    double from = line->direction.x > 0 ? line->a.x : line->a.x - line->length;
    int right = smaller(row->right, (int)floor(from + line->length));
    *left = larger(row->left, (int)ceil(from));
    if (line->half - fabs(y + 0.5 - line->a.y) < 0.5 || right <= *left)
        return *left = row->left;
    cm_canvas_fill_pixels(canvas, *left, y, right - *left, 1, 0xff000000u | line->colour);
    return right;
}

static void piece(const struct cm_canvas *canvas, struct cm_point a, struct cm_point b,
                  double width, uint32_t colour)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy), half = width / 2;
    if (length <= 0)
        return;
    struct stroke line = {a, {dx / length, dy / length}, length, half, colour};
    struct box box = box_of(canvas, least(a.x, b.x) - half, least(a.y, b.y) - half,
                            -least(-a.x, -b.x) + half, -least(-a.y, -b.y) + half);
    for (int y = box.top; y < box.bottom; y++) {
        struct box row = box;
        int left = row.left, right = left;
        if (dy == 0)
            right = fill_row(canvas, &line, y, &row, &left);
        else
            narrow(&row, y, a, line.direction, half + 0.5);
        cover_row(canvas, &line, y, row.left, left);
        cover_row(canvas, &line, y, dy == 0 ? right : row.left, row.right);
    }
}

void cm_canvas_line(const struct cm_canvas *canvas, struct cm_point a, struct cm_point b,
                    double width, double dash, uint32_t colour)
{
    double scale = canvas->scale;
    colour = cm_view_theme_colour(canvas->theme, colour);
    double thick = width * scale < 1 ? 1 : width * scale;
    struct cm_point from = {a.x * scale, a.y * scale}, to = {b.x * scale, b.y * scale};
    /* a vertical line begins on a whole pixel. Otherwise it would be blurred over two pixels */
    if (from.x == to.x)
        from.x = to.x = floor(from.x - thick / 2 + 0.5) + thick / 2;
    if (from.y == to.y)
        from.y = to.y = floor(from.y - thick / 2 + 0.5) + thick / 2;
    double dx = to.x - from.x, dy = to.y - from.y, length = sqrt(dx * dx + dy * dy);
    double part = dash > 0 ? dash * scale : length;
    if (!(part > 0))
        return;
    if (canvas->vector != NULL) {
        const struct cm_vector *vector = vector_of(canvas);
        struct cm_vector_path path = {(const struct cm_point[]){from, to}, 2, thick,
                                      dash > 0 ? part : 0};
        vector->path(vector->to, &path, colour);
        return;
    }
    for (double at = 0; at < length; at += 2 * part) {
        double end = least(at + part, length);
        piece(canvas, (struct cm_point){from.x + dx * at / length, from.y + dy * at / length},
              (struct cm_point){from.x + dx * end / length, from.y + dy * end / length}, thick,
              colour);
    }
}

static void disc(const struct cm_canvas *canvas, struct cm_point centre, double radius, double hole,
                 uint32_t colour)
{
    double cx = centre.x * canvas->scale, cy = centre.y * canvas->scale;
    colour = cm_view_theme_colour(canvas->theme, colour);
    if (canvas->vector != NULL) {
        const struct cm_vector *vector = vector_of(canvas);
        vector->disc(vector->to, (struct cm_point){cx, cy}, radius, hole > 0 ? radius - hole : 0,
                     colour);
        return;
    }
    struct box box = box_of(canvas, cx - radius, cy - radius, cx + radius, cy + radius);
    for (int y = box.top; y < box.bottom; y++)
        for (int x = box.left; x < box.right; x++) {
            double dx = x + 0.5 - cx, dy = y + 0.5 - cy, away = sqrt(dx * dx + dy * dy);
            cover(canvas, x, y, colour, least(radius - away, hole > 0 ? away - hole : radius));
        }
}

void cm_canvas_disc(const struct cm_canvas *canvas, struct cm_point centre, double radius,
                    uint32_t colour)
{
    disc(canvas, centre, radius * canvas->scale, 0, colour);
}

void cm_canvas_ring(const struct cm_canvas *canvas, struct cm_point centre, double radius,
                    double width, uint32_t colour)
{
    double outer = radius * canvas->scale;
    double thick = width * canvas->scale < 1 ? 1 : width * canvas->scale;
    disc(canvas, centre, outer, outer > thick ? outer - thick : 0, colour);
}

/* Returns the signed distance of a point from the line from a to b. On the screen, points to the
 * left of the line have a positive distance. */
static double side_of(struct cm_point a, struct cm_point b, double x, double y)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy);
    return length > 0 ? ((x - a.x) * dy - (y - a.y) * dx) / length : 0;
}

void cm_canvas_triangle(const struct cm_canvas *canvas, struct cm_point a, struct cm_point b,
                        struct cm_point c, uint32_t colour)
{
    double s = canvas->scale;
    colour = cm_view_theme_colour(canvas->theme, colour);
    struct cm_point p[3] = {{a.x * s, a.y * s}, {b.x * s, b.y * s}, {c.x * s, c.y * s}};
    if (canvas->vector != NULL) {
        const struct cm_vector *vector = vector_of(canvas);
        struct cm_vector_path path = {p, 3, 0, 0};
        vector->path(vector->to, &path, colour);
        return;
    }
    if (side_of(p[0], p[1], p[2].x, p[2].y) < 0) {
        struct cm_point swap = p[1];
        p[1] = p[2];
        p[2] = swap;
    }
    struct box box =
        box_of(canvas, least(p[0].x, least(p[1].x, p[2].x)), least(p[0].y, least(p[1].y, p[2].y)),
               -least(-p[0].x, least(-p[1].x, -p[2].x)), -least(-p[0].y, least(-p[1].y, -p[2].y)));
    for (int y = box.top; y < box.bottom; y++)
        for (int x = box.left; x < box.right; x++) {
            double cx = x + 0.5, cy = y + 0.5;
            cover(canvas, x, y, colour,
                  least(side_of(p[0], p[1], cx, cy),
                        least(side_of(p[1], p[2], cx, cy), side_of(p[2], p[0], cx, cy))));
        }
}
