/*
 * The paper's figures of a mapping and of a broadcast, of any shapes: the bits of an index and
 * where they go (figures 2 and 4), and who holds the value after each step (figure 1).
 */
#ifndef CM_PROGRAMS_FFT_FIGURE_H
#define CM_PROGRAMS_FFT_FIGURE_H

#include "schedule.h"

CM_BEGIN_DECLS

struct cm_buffer;

/* "64 x 64 on a mesh of 16 x 16 x 16"; internal to the library. */
void cm_fft_shapes_write(const struct cm_fft_mapping *mapping, struct cm_buffer *text);

/* Figures 2 and 4 as text and as SVG: a line from each bit q of coordinate p (p:q) to bit j of mesh
 * axis i (i:j), or to a bit within nodes (l:j). */
CM_API void cm_fft_bits_text(const struct cm_fft_mapping *mapping, struct cm_buffer *text);
CM_API void cm_fft_bits_svg(const struct cm_fft_mapping *mapping, struct cm_buffer *svg);

/*
 * Who holds the value after each step of a broadcast, in the machine's order: patterns of the bits
 * of the points' coordinates and of those of their nodes, the most significant axis first, where a
 * bit marked * has both values. Along some axes only it is each line's own value.
 */
CM_API void cm_fft_holders_table(const struct cm_fft_task *task, struct cm_buffer *text);

/* Points that figure 1 is drawn of, at most: as text and as SVG. */
#define CM_FFT_TEXT_POINTS_MAX 65536u
#define CM_FFT_SVG_POINTS_MAX  1024u

/* Figure 1: a row for each point, with the number of the point that the value comes from in the
 * step in which it comes. */
CM_API void cm_fft_broadcast_text(const struct cm_fft_task *task, struct cm_buffer *text);
CM_API void cm_fft_broadcast_svg(const struct cm_fft_task *task, struct cm_buffer *svg);

CM_END_DECLS

#endif
