/* Style of text for people. */
#ifndef CM_REPORT_STYLE_H
#define CM_REPORT_STYLE_H

#include "../base/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of a style. */
enum cm_style {
    CM_STYLE_PLAIN = 0,
    CM_STYLE_COLOUR = 1, /* terminal escapes */
    CM_STYLE_UTF8 = 2,   /* block characters, instead of '#' */
};

/* Terminal escapes, for cm_style_code. */
#define CM_CODE_BOLD  "\033[1m"
#define CM_CODE_DIM   "\033[2m"
#define CM_CODE_RESET "\033[0m"

/* Returns the terminal escape, or "" in a style without colour. */
CM_API const char *cm_style_code(unsigned style, const char *code);

#ifdef __cplusplus
}
#endif

#endif
