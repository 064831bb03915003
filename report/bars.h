/* Bars made of characters, which show shares between 0 and 1. Internal to the library. */
#ifndef CM_REPORT_BARS_H
#define CM_REPORT_BARS_H

#include "../base/buffer.h"

#include <stdint.h>

/* Writes a bar followed by blanks, `cells` characters wide in all. In a style with UTF-8, the bar
 * has a resolution of an eighth of a character. */
void cm_bar(struct cm_buffer *text, unsigned style, double share, uint32_t cells);

/* Returns a bar of whole characters, followed by dots up to `cells`. A `mark`, a share above 0, is
 * shown as '|' unless the bar covers it. There are at most CM_BAR_CELLS_MAX characters. */
#define CM_BAR_CELLS_MAX 64u
struct cm_bar_text {
    char text[3 * CM_BAR_CELLS_MAX + 1];
};
struct cm_bar_text cm_bar_marked(unsigned style, double share, double mark, uint32_t cells);

#endif
