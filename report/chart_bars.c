/* Draws the stacked bars of a chart, with hatching. */
#include "chart_private.h"

#include <math.h>

#define SHARE 0.7 /* fraction of its place on the axis that a bar fills */

/* Clips the line x * a + y * b = c to the rectangle `place`. Returns false if the line misses the
 * rectangle. */
static bool cut(const double place[4], double a, double b, double c, double line[4])
{
    double left = place[0], right = left + place[2], top = place[1], bottom = top + place[3];
    if (b == 0) {
        line[0] = line[2] = c / a;
        line[1] = top;
        line[3] = bottom;
        return line[0] > left && line[0] < right;
    }
    /* y = (c - a x) / b, where a is 0, 1 or -1 and b is 1 */
    double x1 = left, x2 = right;
    if (a != 0) {
        double at_top = (c - top) / a, at_bottom = (c - bottom) / a;
        x1 = fmax(x1, fmin(at_top, at_bottom));
        x2 = fmin(x2, fmax(at_top, at_bottom));
    }
    line[0] = x1;
    line[1] = c - a * x1;
    line[2] = x2;
    line[3] = c - a * x2;
    return x1 < x2 && line[1] > top - 1e-9 && line[1] < bottom + 1e-9;
}

/* Draws parallel hatching lines. They are at multiples of `apart` in the whole picture, so that
 * lines in neighbouring bars meet. */
static void draw_lines(const struct cm_ink *ink, const double place[4], double a, double b,
                       double apart, const struct cm_svg_pen *pen)
{
    double low = INFINITY, high = -INFINITY, line[4];
    for (int corner = 0; corner < 4; corner++) {
        double c = a * (place[0] + (corner & 1 ? place[2] : 0)) +
                   b * (place[1] + (corner & 2 ? place[3] : 0));
        low = fmin(low, c);
        high = fmax(high, c);
    }
    for (double c = ceil(low / apart) * apart; c < high; c += apart)
        if (cut(place, a, b, c, line))
            ink->lines(ink->to, line, 2, pen);
}

/* Computes the colour of hatching: the colour "#rrggbb" mixed with a third of black, or of white if
 * the colour is dark. */
static void shade_of(const char *fill, char shade[8])
{
    unsigned rgb[3];
    cm_ink_colour(fill, rgb);
    unsigned ink = rgb[0] * 3 + rgb[1] * 6 + rgb[2] > 1000 ? 0 : 255;
    for (int i = 0; i < 3; i++)
        rgb[i] = (rgb[i] * 2 + ink) / 3;
    snprintf(shade, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
}

void cm_chart_fill(const struct cm_chart *chart, const struct cm_ink *ink, const double place[4],
                   const struct cm_chart_kind *kind)
{
    char shade[8];
    double letters = cm_chart_letters(chart), apart = letters / 3;
    struct cm_svg_pen pen = {shade, letters / 24, NULL};
    shade_of(kind->fill, shade);
    ink->rectangle(ink->to, place, kind->fill, NULL);
    if (kind->hatch & CM_HATCH_UP)
        draw_lines(ink, place, 1, 1, apart * sqrt(2), &pen);
    if (kind->hatch & CM_HATCH_DOWN)
        draw_lines(ink, place, -1, 1, apart * sqrt(2), &pen);
    if (kind->hatch & CM_HATCH_LEVEL)
        draw_lines(ink, place, 0, 1, apart, &pen);
    if (kind->hatch & CM_HATCH_UPRIGHT)
        draw_lines(ink, place, 1, 0, apart, &pen);
}

void cm_chart_draw_bars(const struct cm_chart *chart, const struct cm_frame *frame,
                        const struct cm_ink *ink)
{
    const struct cm_chart_bars *bars = chart->bars;
    double room = (bars->level ? frame->bottom - frame->top : frame->right - frame->left) /
                  (bars->count > 0 ? bars->count : 1);
    for (uint32_t i = 0; i < bars->piece_count; i++) {
        const struct cm_chart_piece *piece = &bars->pieces[i];
        double side = (piece->bar + (1 - SHARE) / 2) * room;
        if (bars->level) {
            double x = cm_chart_x(chart, frame, piece->first);
            const double place[4] = {x, frame->top + side,
                                     cm_chart_x(chart, frame, piece->last) - x, SHARE * room};
            cm_chart_fill(chart, ink, place, &bars->kinds[piece->kind]);
        } else {
            double y = cm_chart_y(chart, frame, piece->last);
            const double place[4] = {frame->left + side, y, SHARE * room,
                                     cm_chart_y(chart, frame, piece->first) - y};
            cm_chart_fill(chart, ink, place, &bars->kinds[piece->kind]);
        }
    }
}

/* Writes the label of each bar, below a vertical bar or to the left of a horizontal one, at the
 * middle of its place. */
void cm_chart_label_bars(const struct cm_chart *chart, const struct cm_frame *frame,
                         const struct cm_ink *ink)
{
    const struct cm_chart_bars *bars = chart->bars;
    double letters = cm_chart_letters(chart);
    for (uint32_t i = 0; i < bars->count; i++) {
        double part = (i + 0.5) / bars->count;
        if (bars->level)
            ink->text(ink->to, &(struct cm_svg_label){
                                   frame->left - letters / 2,
                                   frame->top + part * (frame->bottom - frame->top) + letters / 3,
                                   letters, 0, CM_SVG_END, bars->labels[i]});
        else
            ink->text(ink->to,
                      &(struct cm_svg_label){frame->left + part * (frame->right - frame->left),
                                             frame->bottom + 1.4 * letters, letters, 0,
                                             CM_SVG_MIDDLE, bars->labels[i]});
    }
}
