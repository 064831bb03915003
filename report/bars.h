/* Bars of shares between 0 and 1, made of characters. Internal to the library. */
#ifndef CM_REPORT_BARS_H
#define CM_REPORT_BARS_H

#include "../base/buffer.h"

#include <stdint.h>

/* A bar on blank ground, `cells` wide in all; in eighths of a cell where the style has UTF-8. */
void cm_bar(struct cm_buffer *text, unsigned style, double share, uint32_t cells);

/* A bar of whole cells on dotted ground; with a `mark` above 0 (a share too), a '|' where that
 * ends, unless the bar covers it. At most CM_BAR_CELLS_MAX cells; returned by value for argument
 * lists. */
#define CM_BAR_CELLS_MAX 64u
struct cm_bar_text {
    char text[3 * CM_BAR_CELLS_MAX + 1];
};
struct cm_bar_text cm_bar_marked(unsigned style, double share, double mark, uint32_t cells);

#endif
