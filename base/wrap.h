/*
 * Words in lines of a bounded width, for help texts and explanations on a terminal. Internal to the
 * library and its programs.
 */
#ifndef CM_BASE_WRAP_H
#define CM_BASE_WRAP_H

#include "buffer.h"

/* Width of a line of text for a terminal, in columns. */
#define CM_WRAP_COLUMNS 100u

/* Appends `words` in lines of at most CM_WRAP_COLUMNS columns. A newline in `words` also ends a
 * line. Every line but the first begins with `column` blanks. */
void cm_text_wrap(struct cm_buffer *text, const char *words, int column);

#endif
