/*
 * Markdown as HTML, as far as lessons use it: paragraphs, headings, lists, tables, code, pictures,
 * emphasis, links. Marks of results are left out. A text is written block by block, so that the
 * caller can divide it.
 */
#ifndef CM_LESSON_MARKDOWN_H
#define CM_LESSON_MARKDOWN_H

#include "../base/buffer.h"
#include "../base/error.h"

#include <stdint.h>

/* A block of a text, as HTML. */
struct cm_markdown_block {
    struct cm_buffer html; /* the block. The caller frees it. */
    uint32_t rows;         /* number of rows that the block takes, roughly */
    bool is_heading;       /* true for a heading, whose HTML is the words alone */
};

/* Reads the next block at *at, and moves *at behind it. Pictures are files in `folder`. *found
 * becomes false at the end of the text. */
enum cm_status cm_markdown_next(const char **at, const char *folder,
                                struct cm_markdown_block *block, bool *found, struct cm_error *err);
/* Appends words with code and emphasis as HTML. */
void cm_markdown_words(struct cm_buffer *out, const char *text, size_t length);

#endif
