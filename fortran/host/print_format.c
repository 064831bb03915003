/*
 * Writes formatted output: interprets a format character by character.
 *
 * Each edit descriptor for data writes the next item. The output ends at the first such descriptor
 * for which no item is left. If the format ends while items are left, a new line begins, and the
 * format continues at its last group in parentheses, or at its start.
 */
#include "print.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 20u

struct writer {
    struct cm_fortran_run *run;
    enum cm_status status; /* status of the output, which ends after CM_INTERRUPTED */
    const struct cm_fortran_items *items;
    uint32_t next;
    struct cm_buffer *output;
    struct cm_buffer line;
    size_t position; /* position in the line of the next character, from 0 */
    int32_t scale;
    bool plus, done;
    uint32_t depth;
    const char *revert; /* place where the format continues if items are left at its end */
    const char *fault;
};

/* Writes text at the current position of the line, over characters that are there. Fills a gap
 * before the text with blanks. */
static void put(struct writer *writer, const char *text, size_t length)
{
    while (writer->line.length < writer->position && cm_buffer_ok(&writer->line))
        cm_buffer_append(&writer->line, " ", 1);
    size_t over = writer->line.length - writer->position;
    if (!cm_buffer_ok(&writer->line))
        return;
    if (over > length)
        over = length;
    if (over > 0)
        memcpy(writer->line.data + writer->position, text, over);
    cm_buffer_append(&writer->line, text + over, length - over);
    writer->position += length;
}

/* Ends the output, because the format has a fault. */
static void fail(struct writer *writer, const char *fault)
{
    writer->fault = fault;
    writer->done = true;
}

/* Ends the output if the machine was interrupted, or if the program prints too much. Each step of a
 * format calls this function, because a format may repeat without end. */
static void go_on(struct writer *writer)
{
    if (writer->status == CM_OK)
        writer->status = cm_fortran_go_on(writer->run);
    if (writer->status != CM_OK ||
        /* cm_fortran_end_print() reports this */
        cm_fortran_prints_too_much(writer->run, writer->line.length))
        writer->done = true;
    else if (writer->position > CM_FORTRAN_LINE_MAX)
        fail(writer, "the format writes a line that is too long");
}

static void end_line(struct writer *writer)
{
    if (writer->status == CM_OK)
        writer->status = cm_fortran_pass_lines(writer->run);
    cm_buffer_append(writer->output, writer->line.data != NULL ? writer->line.data : "",
                     writer->line.length);
    cm_buffer_append(writer->output, "\n", 1);
    if (!cm_buffer_ok(&writer->line))
        writer->output->failed = true;
    writer->line.length = 0;
    writer->position = 0;
}

static void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == ',')
        ++*at;
}

static uint32_t number(const char **at)
{
    uint32_t value = 0;
    while (isdigit((unsigned char)**at)) {
        value = value < 100000 ? value * 10 + (uint32_t)(**at - '0') : value;
        ++*at;
    }
    return value;
}

static void quoted(struct writer *writer, const char **at)
{
    char quote = *(*at)++;
    while (**at != '\0') {
        if (**at == quote && (*at)[1] != quote)
            break;
        *at += **at == quote;
        put(writer, *at, 1);
        ++*at;
    }
    *at += **at != '\0';
}

/* Reads an edit descriptor: a letter, followed by w, w.d or w.dEe. */
static struct cm_fortran_edit descriptor(struct writer *writer, const char **at)
{
    struct cm_fortran_edit edit = {.scale = writer->scale, .plus = writer->plus};
    edit.letter = (char)toupper((unsigned char)*(*at)++);
    if (edit.letter == 'E' && toupper((unsigned char)**at) == 'S') {
        edit.letter = 'S';
        ++*at;
    }
    edit.width = number(at);
    if (**at == '.') {
        ++*at;
        edit.has_digits = true;
        edit.digits = number(at);
        if (edit.digits > 200)
            edit.digits = 200;
    }
    if (edit.has_digits && toupper((unsigned char)**at) == 'E' && edit.letter != 'I') {
        ++*at;
        edit.exponent_digits = number(at);
    }
    return edit;
}

static void put_text(struct writer *writer, const struct cm_fortran_item *item, uint32_t width)
{
    uint32_t length = item->length;
    for (uint32_t i = length; i < width; i++)
        put(writer, " ", 1);
    put(writer, item->text, width > 0 && length > width ? width : length);
}

static bool fits(char letter, uint8_t type)
{
    switch (letter) {
    case 'I':
        return type == CM_TYPE_INT32;
    case 'L':
        return type == CM_TYPE_LOGICAL;
    case 'A':
        return type == CM_FORTRAN_CHARACTER;
    case 'G':
        return true;
    default:
        return type == CM_TYPE_REAL32 || type == CM_TYPE_REAL64;
    }
}

/* Writes the next item in the form of an edit descriptor. If no item is left, ends the output. */
static void put_item(struct writer *writer, const struct cm_fortran_edit *edit)
{
    if (writer->next == writer->items->count) {
        writer->done = true;
        return;
    }
    const struct cm_fortran_item *item = &writer->items->items[writer->next++];
    if (!fits(edit->letter, item->type)) {
        writer->fault = "an item has a type that its edit descriptor does not take";
        writer->done = true;
        return;
    }
    if (item->type == CM_FORTRAN_CHARACTER) {
        put_text(writer, item, edit->width);
        return;
    }
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_fortran_edit_number(edit, (enum cm_type)item->type, &item->value, &text);
    if (text.data != NULL)
        put(writer, text.data, text.length);
    if (!cm_buffer_ok(&text))
        writer->line.failed = true;
    cm_buffer_finish(&text);
}

/* Reads the rest of the edit descriptor T, TL or TR, and moves the position in the line. */
static void move(struct writer *writer, const char **at)
{
    char next = (char)toupper((unsigned char)**at);
    if (next == 'L' || next == 'R')
        ++*at;
    size_t by = number(at);
    if (next == 'L')
        writer->position -= by < writer->position ? by : writer->position;
    else if (next == 'R')
        writer->position += by;
    else
        writer->position = by > 0 ? by - 1 : 0;
}

static void group(struct writer *writer, const char **at);

/* Executes an edit descriptor that writes no item, such as X or `/`. Returns false for other
 * descriptors. */
static bool control(struct writer *writer, const char **at, uint32_t times)
{
    char letter = (char)toupper((unsigned char)**at);
    switch (letter) {
    case '\'':
    case '"':
        quoted(writer, at);
        return true;
    case '/':
        for (uint32_t i = 0; i < times && !writer->done; i++) {
            end_line(writer);
            go_on(writer);
        }
        break;
    case ':':
        writer->done = writer->next == writer->items->count;
        break;
    case 'X':
        writer->position += times;
        break;
    case 'T':
        ++*at;
        move(writer, at);
        return true;
    case 'P':
        writer->scale = (int32_t)times;
        break;
    case 'H':
        ++*at;
        for (uint32_t i = 0; i < times && **at != '\0'; i++)
            put(writer, (*at)++, 1);
        return true;
    case 'S':
        ++*at;
        writer->plus = toupper((unsigned char)**at) == 'P';
        *at += isalpha((unsigned char)**at) != 0;
        return true;
    case 'B':
        *at += (*at)[1] != '\0';
        break;
    default:
        return false;
    }
    ++*at;
    return true;
}

static void repeated_group(struct writer *writer, const char **at, uint32_t times,
                           const char *beginning)
{
    const char *inside = *at + 1;
    if (writer->depth == 1)
        writer->revert = beginning;
    if (writer->depth == DEPTH_MAX) {
        writer->fault = "the format nests too deep";
        writer->done = true;
        return;
    }
    writer->depth++;
    for (uint32_t i = 0; i < times && !writer->done; i++) {
        *at = inside;
        group(writer, at);
        go_on(writer);
    }
    writer->depth--;
}

static void entry(struct writer *writer, const char **at)
{
    const char *beginning = *at;
    bool negative = **at == '-';
    if (negative || **at == '+')
        ++*at;
    bool counted = isdigit((unsigned char)**at);
    uint32_t times = counted ? number(at) : 1;
    if (**at == '(') {
        repeated_group(writer, at, times, beginning);
        return;
    }
    if (control(writer, at, times)) {
        if (negative)
            writer->scale = -writer->scale;
        return;
    }
    if (**at == '\0' || strchr("IFEDGLA", toupper((unsigned char)**at)) == NULL) {
        writer->fault = "the format has an unknown edit descriptor";
        writer->done = true;
        return;
    }
    struct cm_fortran_edit edit = descriptor(writer, at);
    for (uint32_t i = 0; i < times && !writer->done; i++) {
        put_item(writer, &edit);
        go_on(writer);
    }
}

/* Interprets a group of edit descriptors, up to its closing parenthesis or the end of the
 * format. */
static void group(struct writer *writer, const char **at)
{
    while (!writer->done) {
        skip_blanks(at);
        if (**at == '\0')
            return;
        if (**at == ')') {
            ++*at;
            return;
        }
        entry(writer, at);
        go_on(writer);
    }
}

enum cm_status cm_fortran_write_format(struct cm_fortran_run *run, const char *format,
                                       const struct cm_fortran_items *items, const char **fault)
{
    struct writer writer = {
        .run = run, .items = items, .output = &run->output, .depth = 1, .revert = format};
    const char *at = format;
    cm_buffer_init(&writer.line);
    for (;;) {
        uint32_t before = writer.next;
        group(&writer, &at);
        if (writer.done || writer.next == items->count)
            break;
        if (writer.next == before) {
            writer.fault = "the format has no edit descriptor for the items";
            break;
        }
        end_line(&writer);
        at = writer.revert;
    }
    end_line(&writer);
    cm_buffer_finish(&writer.line);
    *fault = writer.fault;
    return writer.status;
}
