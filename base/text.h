/*
 * Text for people: strict UTF-8, and bytes of unknown origin made printable and short. Internal to
 * the library.
 */
#ifndef CM_BASE_TEXT_H
#define CM_BASE_TEXT_H

#include "buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Quoted text of the user, short enough for a message. It is returned by value, so that it can be
 * an argument. */
struct cm_quote {
    char text[96];
};

/* Decodes the UTF-8 sequence at `bytes` and reads at most `length` bytes. Returns the length of the
 * sequence, 1 to 4. Returns 0 for an invalid sequence: overlong, a surrogate, beyond U+10FFFF, or
 * cut short (RFC 3629, section 4). */
size_t cm_utf8_decode(const char *bytes, size_t length, uint32_t *codepoint);

/* Returns the offset of the character of valid UTF-8 text that contains the byte at `offset`. */
size_t cm_utf8_floor(const char *text, size_t offset);

/* Returns true if a terminal shows the character. A terminal obeys control characters and
 * bidirectional marks instead. */
bool cm_text_is_printable(uint32_t codepoint);

/* Returns the number of terminal columns that a character takes: 0, 1 or 2. */
uint32_t cm_text_width(uint32_t codepoint);

/*
 * Copies `bytes` to `out` (size > 3) with unprintable characters escaped. Text that does not fit is
 * cut between two characters, and "..." follows the cut. Returns the length written.
 */
size_t cm_text_clean(char *out, size_t size, const char *bytes, size_t length);

/* Adds lines of text to `out`, with the characters escaped that cm_text_clean escapes, except
 * newlines and tabs. */
void cm_text_clean_lines(struct cm_buffer *out, const char *bytes, size_t length);

/* Returns true if a text has no characters that cm_text_clean would escape. */
bool cm_text_is_clean(const char *text);

/* Returns a text in double quotes, with unprintable characters escaped, cut to fit a message.
 * cm_text_clip does the same without the quotes. */
struct cm_quote cm_text_quote(const char *bytes, size_t length);
struct cm_quote cm_text_clip(const char *bytes, size_t length);

/* Reads the whole number at the beginning of `text`, written as in JSON: digits without a sign and
 * without leading zeros. Returns a pointer behind the number, or NULL if there is no such number
 * below 2^64. */
const char *cm_text_number(const char *text, uint64_t *number);

/* Returns the ending of an English noun that follows a number: "" or "s". */
const char *cm_plural(uint64_t count);

#endif
