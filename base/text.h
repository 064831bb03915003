/*
 * Text that people will read: strict UTF-8, and bytes of unknown origin made printable and short.
 * Internal to the library.
 */
#ifndef CM_BASE_TEXT_H
#define CM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Some quoted text of the user, short enough for a message; returned by value, so that it can be
 * an argument. */
struct cm_quote {
    char text[96];
};

/*
 * Decodes the UTF-8 sequence at `bytes` (`length` of them may be read): its length 1..4, or 0 when
 * it is invalid (overlong, a surrogate, beyond U+10FFFF, cut short). RFC 3629, section 4.
 */
size_t cm_utf8_decode(const char *bytes, size_t length, uint32_t *codepoint);

/* The last place at or before `offset` where a sequence of valid UTF-8 text begins. */
size_t cm_utf8_floor(const char *text, size_t offset);

/* Whether a terminal can show the character without being steered by it (controls, bidirectional
 * marks). */
bool cm_text_is_printable(uint32_t codepoint);

/* Terminal columns that a character takes: 0, 1 or 2. */
uint32_t cm_text_width(uint32_t codepoint);

/*
 * Copies `bytes` to `out` (size > 3) with everything unprintable escaped; what does not fit is
 * replaced by "...", at a character's boundary. Returns the length written.
 */
size_t cm_text_clean(char *out, size_t size, const char *bytes, size_t length);

/* Whether cm_text_clean would change nothing but the length. */
bool cm_text_is_clean(const char *text);

/* The bytes in double quotes, printable and cut to fit; cm_text_clip gives the same without the
 * quotes. */
struct cm_quote cm_text_quote(const char *bytes, size_t length);
struct cm_quote cm_text_clip(const char *bytes, size_t length);

/* Reads the whole number that `text` begins with, written as in JSON: digits without a sign and
 * without leading zeros. Returns what follows; NULL without such a number below 2^64. */
const char *cm_text_number(const char *text, uint64_t *number);

/* What a noun gets behind its number: "", or "s". */
const char *cm_plural(uint64_t count);

#endif
