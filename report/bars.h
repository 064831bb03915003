/* Bars made of characters, for shares between 0 and 1. Internal to the library. */
#ifndef CM_REPORT_BARS_H
#define CM_REPORT_BARS_H

#include "../base/buffer.h"

#include <stdint.h>

/* Writes a bar on blank ground, `cells` wide in all, in eighths of a cell if the style has UTF-8.
 */
void cm_bar(struct cm_buffer *text, unsigned style, double share, uint32_t cells);

/* Returns a bar of whole cells on dotted ground. A `mark` above 0 (also a share) is shown as '|',
 * unless the bar covers it. There are at most CM_BAR_CELLS_MAX cells. */
#define CM_BAR_CELLS_MAX 64u
struct cm_bar_text {
    char text[3 * CM_BAR_CELLS_MAX + 1];
};
struct cm_bar_text cm_bar_marked(unsigned style, double share, double mark, uint32_t cells);

#endif
