/* Breaks text into lines of a bounded width. */
#include "wrap.h"

#include <string.h>

void cm_text_wrap(struct cm_buffer *text, const char *words, uint32_t column, uint32_t width)
{
    const size_t most = width > column ? width - column : 1;
    while (*words != '\0') {
        size_t end = strcspn(words, "\n"), cut = end > most ? most : end;
        while (cut < end && cut > 0 && words[cut] != ' ')
            cut--;
        cut = cut > 0 ? cut : strcspn(words, " \n");
        cm_buffer_append(text, words, cut);
        words += cut + (words[cut] != '\0');
        cm_buffer_printf(text, "\n%*s", *words != '\0' ? (int)column : 0, "");
    }
}
