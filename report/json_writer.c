/* Writes JSON, member by member. */
#include "json_writer.h"

#include "../base/text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define PLAIN_BYTES 128u
#define WORD_BYTES  8u
static_assert(PLAIN_BYTES >= CM_NUMBER_BYTES, "numbers are short");

static void put(struct cm_json_writer *json, const char *bytes, size_t length)
{
    cm_buffer_append(json->text, bytes, length);
}

static void put_newline(struct cm_json_writer *json)
{
    if (json->tight)
        put(json, "\n", 1);
    else
        cm_buffer_printf(json->text, "\n%*s", (int)(2 * json->depth), "");
}

/* Writes a character of a string, and returns the number of bytes read. Characters are escaped
 * where RFC 8259 (section 7) requires it, and where a terminal would obey them. A byte that is not
 * UTF-8 becomes the replacement character. */
static size_t put_character(struct cm_json_writer *json, const char *at, size_t left)
{
    uint32_t c = 0xfffd;
    size_t taken = cm_utf8_decode(at, left, &c);
    if (c == '"' || c == '\\')
        cm_buffer_printf(json->text, "\\%c", (char)c);
    else if (taken > 0 && cm_text_is_printable(c))
        put(json, at, taken);
    else
        cm_buffer_printf(json->text, "\\u%04x", (unsigned)c);
    return taken > 0 ? taken : 1;
}

/* A word whose bytes are all `byte`. */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Returns a number whose bit 7 of some byte is set if the byte needs an escape, and 0 if all 8
 * bytes of `word` are printable ASCII other than '"' and '\\'. Carries and borrows come only from
 * bytes that need an escape. */
static uint64_t special_bytes(uint64_t word)
{
    const uint64_t no_quote = (word ^ EACH('"')) - EACH(1);
    const uint64_t no_backslash = (word ^ EACH('\\')) - EACH(1);
    return ((word - EACH(' ')) | (word + EACH(1)) | word | no_quote | no_backslash) & EACH(0x80);
}

/* Writes a string of at most PLAIN_BYTES with its quotes if it needs no escapes, and returns the
 * end of the text. Returns NULL for another string. Most strings need no escapes, and the export of
 * a trace has millions of strings. */
static char *copy_plain(char *out, const char *string)
{
    const size_t length = strlen(string);
    uint64_t special = 0;
    if (length + 1 + WORD_BYTES > PLAIN_BYTES)
        return NULL;
    out[0] = '"';
    memcpy(out + 1, string, length);
    memset(out + 1 + length, ' ', WORD_BYTES);
    for (size_t at = 0; at < length; at += WORD_BYTES) {
        uint64_t word;
        memcpy(&word, out + 1 + at, WORD_BYTES);
        special |= special_bytes(word);
    }
    out[1 + length] = '"';
    return special == 0 ? out + 2 + length : NULL;
}

/* Makes room in the buffer for a short string and a few bytes around it. Returns false when out of
 * memory. */
static bool plain_room(struct cm_buffer *text)
{
    const size_t bytes = PLAIN_BYTES + 4;
    return (!text->failed && text->capacity - text->length > bytes) || cm_buffer_room(text, bytes);
}

/* Sets the end of the text to `end`, after bytes have been written directly into the buffer. */
static void take_in(struct cm_buffer *text, char *end)
{
    *end = '\0';
    text->length = (size_t)(end - text->data);
}

/* Writes a character, and then a blank unless the JSON is written without blanks. */
static void put_spaced(struct cm_json_writer *json, char character, bool tight)
{
    if (!plain_room(json->text))
        return;
    char *end = json->text->data + json->text->length;
    *end++ = character;
    *end = ' ';
    take_in(json->text, end + !tight);
}

/* Writes a string with escapes. It is not inlined into put_string, so that put_string stays short
 * and fast. */
__attribute__((noinline)) static void put_escaped(struct cm_json_writer *json, const char *string)
{
    put(json, "\"", 1);
    for (size_t length = strlen(string), at = 0; at < length;)
        at += put_character(json, string + at, length - at);
    put(json, "\"", 1);
}

static void put_string(struct cm_json_writer *json, const char *string)
{
    if (!plain_room(json->text))
        return;
    char *end = copy_plain(json->text->data + json->text->length, string);
    if (end != NULL)
        take_in(json->text, end);
    else
        put_escaped(json, string);
}

/* Writes the text before a value: the comma after the preceding value, a line break or blank, and
 * the key. */
static void begin_item(struct cm_json_writer *json, const char *key)
{
    bool line = json->line_depth > 0;
    assert((key != NULL) == (json->objects >> json->depth & 1));
    if (json->depth > 0 && !json->empty)
        put_spaced(json, ',', json->tight || !line);
    if (json->depth > 0 && !line)
        put_newline(json);
    json->empty = false;
    if (key != NULL) {
        put_string(json, key);
        put_spaced(json, ':', json->tight);
    }
}

static void begin_nest(struct cm_json_writer *json, const char *key, bool object)
{
    assert(json->depth < CM_JSON_WRITER_DEPTH);
    begin_item(json, key);
    put(json, object ? "{" : "[", 1);
    json->depth++;
    json->empty = true;
    json->objects &= ~(UINT64_C(1) << json->depth);
    json->objects |= (uint64_t)object << json->depth;
    if (json->compact && json->line_depth == 0)
        json->line_depth = json->depth;
}

void cm_json_writer_begin(struct cm_json_writer *json, struct cm_buffer *text)
{
    *json = (struct cm_json_writer){.text = text};
}

void cm_json_write_compact(struct cm_json_writer *json, bool compact)
{
    json->compact = compact;
}

void cm_json_write_object(struct cm_json_writer *json, const char *key)
{
    begin_nest(json, key, true);
}

void cm_json_write_list(struct cm_json_writer *json, const char *key)
{
    begin_nest(json, key, false);
}

void cm_json_write_end(struct cm_json_writer *json)
{
    assert(json->depth > 0);
    bool object = json->objects >> json->depth & 1, line = json->line_depth > 0;
    if (json->line_depth == json->depth)
        json->line_depth = 0;
    json->depth--;
    if (!json->empty && !line)
        put_newline(json);
    put(json, object ? "}" : "]", 1);
    json->empty = false;
    if (json->depth == 0)
        put(json, "\n", 1);
}

void cm_json_write(struct cm_json_writer *json, const char *key, struct cm_value value)
{
    struct cm_buffer *text = json->text;
    begin_item(json, key);
    if (value.type == CM_VALUE_TEXT)
        put_string(json, value.as.text);
    else if (value.type == CM_VALUE_BOOL)
        put(json, value.as.u64 ? "true" : "false", value.as.u64 ? 4 : 5);
    else if (value.type == CM_VALUE_NONE || (value.type == CM_VALUE_F64 && !isfinite(value.as.f64)))
        put(json, "null", 4);
    else if (plain_room(text))
        take_in(text, text->data + text->length + cm_value_print(value, text->data + text->length));
}

void cm_json_write_each(struct cm_json_writer *json, const struct cm_json_member *members,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        cm_json_write(json, members[i].key, members[i].value);
}

/* Begins an object or list that is written on one line, also if the objects around it are not. */
static void begin_line(struct cm_json_writer *json, const char *key, bool object)
{
    bool compact = json->compact;
    json->compact = true;
    begin_nest(json, key, object);
    json->compact = compact;
}

void cm_json_write_object_of(struct cm_json_writer *json, const char *key,
                             const struct cm_json_member *members, size_t count)
{
    begin_line(json, key, true);
    cm_json_write_each(json, members, count);
    cm_json_write_end(json);
}

void cm_json_write_numbers(struct cm_json_writer *json, const char *key, const uint64_t *values,
                           uint32_t count)
{
    begin_line(json, key, false);
    for (uint32_t i = 0; i < count; i++)
        cm_json_write_u64(json, NULL, values[i]);
    cm_json_write_end(json);
}

void cm_json_write_bits(struct cm_json_writer *json, const char *key, uint64_t bits)
{
    begin_line(json, key, false);
    for (uint32_t bit = 64; bit-- > 0;)
        if (bits >> bit & 1)
            cm_json_write_u64(json, NULL, bit);
    cm_json_write_end(json);
}
