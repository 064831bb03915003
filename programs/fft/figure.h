/*
 * The paper's figures of a mapping and of a broadcast, for any shape. Figures 2 and 4 show where
 * the bits of an index go. Figure 1 shows who holds the value after each step.
 */
#ifndef CM_PROGRAMS_FFT_FIGURE_H
#define CM_PROGRAMS_FFT_FIGURE_H

#include "schedule.h"

CM_BEGIN_DECLS

struct cm_buffer;

/* Appends "64 x 64 on a mesh of 16 x 16 x 16". Internal to the library. */
void cm_fft_shapes_write(const struct cm_fft_mapping *mapping, struct cm_buffer *text);

/* Append figures 2 and 4 as text or SVG. A line connects bit q of coordinate p (p:q) with bit j of
 * mesh axis i (i:j), or with a bit within the nodes (l:j). */
CM_API void cm_fft_bits_text(const struct cm_fft_mapping *mapping, struct cm_buffer *text);
CM_API void cm_fft_bits_svg(const struct cm_fft_mapping *mapping, struct cm_buffer *svg);

/*
 * Appends a table of the points that hold the value after each step of a broadcast, in the
 * machine's order. It has bit patterns of the points' and the nodes' coordinates, most significant
 * axis first, where * stands for both values. A broadcast along some axes only spreads each line's
 * own value.
 */
CM_API void cm_fft_holders_table(const struct cm_fft_task *task, struct cm_buffer *text);

/* Largest number of points in figure 1, as text and as SVG. */
#define CM_FFT_TEXT_POINTS_MAX 65536u
#define CM_FFT_SVG_POINTS_MAX  1024u

/* Append figure 1: a row for each point, with the number of the point that sends it the value, in
 * the step's column. */
CM_API void cm_fft_broadcast_text(const struct cm_fft_task *task, struct cm_buffer *text);
CM_API void cm_fft_broadcast_svg(const struct cm_fft_task *task, struct cm_buffer *svg);

CM_END_DECLS

#endif
