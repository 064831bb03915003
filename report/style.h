/* The style of text for people: with or without colours and block characters. */
#ifndef CM_REPORT_STYLE_H
#define CM_REPORT_STYLE_H

#include "../base/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of a style. */
enum cm_style {
    CM_STYLE_PLAIN = 0,
    CM_STYLE_COLOUR = 1, /* colours, by terminal escapes */
    CM_STYLE_UTF8 = 2,   /* block characters of UTF-8, instead of '#' */
};

/* Escape sequences of terminals, for cm_style_code. */
#define CM_CODE_BOLD  "\033[1m"
#define CM_CODE_DIM   "\033[2m"
#define CM_CODE_RESET "\033[0m"

/* Returns the terminal escape `code`, or "" if the style has no colours. */
CM_API const char *cm_style_code(unsigned style, const char *code);

#ifdef __cplusplus
}
#endif

#endif
