/*
 * Breaks text into lines of a bounded width, for help texts and explanations on a terminal.
 * Internal to the library and its programs.
 */
#ifndef CM_BASE_WRAP_H
#define CM_BASE_WRAP_H

#include "buffer.h"

#include <stdint.h>

/* Width of a line of text in columns, if the width of the terminal is not known. */
#define CM_WRAP_COLUMNS 80u

/* Appends `words` in lines of at most `width` columns. The first line begins where the text ends,
 * which is assumed to be column `column`. Every other line begins with `column` blanks. A newline
 * in `words` also ends a line. A word that is longer than a line is not cut. */
void cm_text_wrap(struct cm_buffer *text, const char *words, uint32_t column, uint32_t width);

#endif
