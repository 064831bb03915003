/*
 * This header draws the figures of Mou and Wang's paper for any shape. Figures 2 and 4 show where a
 * mapping puts the bits of an index. Figure 1 shows which points hold the value after each step of
 * a broadcast.
 */
#ifndef CM_PROGRAMS_FFT_FIGURE_H
#define CM_PROGRAMS_FFT_FIGURE_H

#include "schedule.h"

CM_BEGIN_DECLS

struct cm_buffer;

/* Appends the shapes of an array and its mesh, such as "64 x 64 on a mesh of 16 x 16 x 16". This
 * function is internal to the library. */
void cm_fft_shapes_write(const struct cm_fft_mapping *mapping, struct cm_buffer *text);

/* These functions append figures 2 and 4 of the paper as text or SVG. A line connects bit q of
 * coordinate p (p:q) with bit j of mesh axis i (i:j), or with a bit within the nodes (l:j). */
CM_API void cm_fft_bits_text(const struct cm_fft_mapping *mapping, struct cm_buffer *text);
CM_API void cm_fft_bits_svg(const struct cm_fft_mapping *mapping, struct cm_buffer *svg);

/*
 * Appends a table of the points that hold the value after each step of a broadcast, in the
 * machine's order. A row has bit patterns of the points' and the nodes' coordinates, most
 * significant axis first, where * stands for both values. If a broadcast runs along some axes only,
 * each line of points spreads the value of its own source.
 */
CM_API void cm_fft_holders_table(const struct cm_fft_task *task, struct cm_buffer *text);

/* Largest number of points for which figure 1 of the paper is drawn, as text and as SVG. */
#define CM_FFT_TEXT_POINTS_MAX 65536u
#define CM_FFT_SVG_POINTS_MAX  1024u

/* These functions append figure 1 of the paper: a row for each point and a column for each step. An
 * entry is the number of the point that sends its value to the row's point in this step. */
CM_API void cm_fft_broadcast_text(const struct cm_fft_task *task, struct cm_buffer *text);
CM_API void cm_fft_broadcast_svg(const struct cm_fft_task *task, struct cm_buffer *svg);

CM_END_DECLS

#endif
