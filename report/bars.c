/* Draws bars made of characters, which show shares between 0 and 1. */
#include "bars.h"

#include "style.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static void repeat(struct cm_buffer *text, const char *cell, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++)
        cm_buffer_append(text, cell, strlen(cell));
}

void cm_bar(struct cm_buffer *text, unsigned style, double share, uint32_t cells)
{
    static const char *const eighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    bool blocks = (style & CM_STYLE_UTF8) != 0;
    uint32_t of_cell = blocks ? 8 : 1;
    uint32_t parts = (uint32_t)(share * cells * of_cell + 0.5);
    uint32_t full = parts / of_cell, rest = parts % of_cell;
    repeat(text, blocks ? "\u2588" : "#", full);
    repeat(text, eighths[rest], 1);
    full += rest > 0;
    repeat(text, " ", full < cells ? cells - full : 0);
}

struct cm_bar_text cm_bar_marked(unsigned style, double share, double mark, uint32_t cells)
{
    struct cm_bar_text bar;
    char *end = bar.text;
    bool blocks = (style & CM_STYLE_UTF8) != 0;
    uint32_t full = (uint32_t)(share * cells + 0.5);
    uint32_t at = mark > 0 ? (uint32_t)(mark * cells + 0.5) : 0;
    assert(cells <= CM_BAR_CELLS_MAX);
    for (uint32_t i = 0; i < cells; i++) {
        const char *cell = i < full ? (blocks ? "\u2588" : "#") : (blocks ? "\u00b7" : ".");
        if (at > 0 && i + 1 == (at < cells ? at : cells) && i >= full)
            cell = "|";
        end = stpcpy(end, cell);
    }
    *end = '\0';
    return bar;
}
