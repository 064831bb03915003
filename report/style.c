/* Terminal escapes for coloured text. */
#include "style.h"

const char *cm_style_code(unsigned style, const char *code)
{
    return (style & CM_STYLE_COLOUR) != 0 ? code : "";
}
