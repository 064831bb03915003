/* Words in lines of a bounded width. */
#include "wrap.h"

#include <string.h>

void cm_text_wrap(struct cm_buffer *text, const char *words, int column)
{
    const size_t width = CM_WRAP_COLUMNS - (size_t)column;
    while (*words != '\0') {
        size_t end = strcspn(words, "\n"), cut = end > width ? width : end;
        while (cut < end && cut > 0 && words[cut] != ' ')
            cut--;
        cut = cut > 0 ? cut : end;
        cm_buffer_append(text, words, cut);
        words += cut + (words[cut] != '\0');
        cm_buffer_printf(text, "\n%*s", *words != '\0' ? column : 0, "");
    }
}
