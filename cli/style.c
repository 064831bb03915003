/* Decides how output may look: colours and block characters, if the terminal and the locale support
 * them. */
#include "../report/style.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool locale_is_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && value[0] != '\0')
            return strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL;
    }
    return false;
}

unsigned cli_summary_style(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    unsigned style = CM_STYLE_PLAIN;
    if (isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
        strcmp(term, "dumb") != 0)
        style |= CM_STYLE_COLOUR;
    if (locale_is_utf8())
        style |= CM_STYLE_UTF8;
    return style;
}
