/* Colours and block characters of text for people. */
#include "style.h"

const char *cm_style_code(unsigned style, const char *code)
{
    return (style & CM_STYLE_COLOUR) != 0 ? code : "";
}
