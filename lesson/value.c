/* Evaluates expressions of lessons: numbers, numbers in JSON results, given by the name of a
 * command and a JSON pointer, and arithmetic with them. Operators have blanks on both sides. A
 * recursive descent parser with a bounded depth evaluates an expression as it reads it. */
#include "../base/reader.h"
#include "lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 256u

struct parser {
    const struct cm_lesson_results *results;
    const char *at;
    enum cm_lesson_known known;
    uint32_t depth;
};

#define DEPTH_MAX 16u

static struct cm_lesson_number sum(struct parser *parser);

void cm_lesson_results_finish(struct cm_lesson_results *results)
{
    for (uint32_t i = 0; i < results->count; i++)
        cm_json_destroy(results->items[i].document);
    results->count = 0;
}

bool cm_lesson_at_pointer(struct cm_json root, const char *pointer, struct cm_json *found)
{
    char token[WORD_BYTES];
    *found = root;
    while (*pointer == '/') {
        size_t length = strcspn(++pointer, "/");
        if (length >= sizeof token)
            return false;
        memcpy(token, pointer, length);
        token[length] = '\0';
        pointer += length;
        if (cm_json_kind(*found) == CM_JSON_ARRAY) {
            char *end;
            unsigned long i = strtoul(token, &end, 10);
            if (*end != '\0' || end == token || i >= cm_json_count(*found))
                return false;
            *found = cm_json_at(*found, (uint32_t)i, NULL);
        } else if (cm_json_kind(*found) != CM_JSON_OBJECT ||
                   !cm_json_member(*found, token, found)) {
            return false;
        }
    }
    return *pointer == '\0';
}

bool cm_lesson_read_number(struct cm_json value, struct cm_lesson_number *number)
{
    struct cm_reader reader = cm_reader_make(NULL);
    *number = (struct cm_lesson_number){0};
    switch (cm_json_kind(value)) {
    case CM_JSON_OBJECT:
    case CM_JSON_ARRAY:
        number->number = cm_json_count(value);
        return true;
    case CM_JSON_NUMBER:
        number->number = cm_read_f64(&reader, value, "a number");
        return cm_reader_ok(&reader);
    case CM_JSON_BOOL:
        number->number = cm_read_bool(&reader, value, "a boolean");
        return cm_reader_ok(&reader);
    case CM_JSON_STRING: {
        const char *text = cm_read_string(&reader, value, "a string");
        if (text != NULL)
            snprintf(number->text, sizeof number->text, "%s", text);
        return text != NULL;
    }
    default:
        return false;
    }
}

/* Reads the number at a JSON pointer. A name that ends with ".json" is a file. Any other name is a
 * command of the lesson. *ran becomes false if the command has not run. */
static bool read_pointer(const struct parser *parser, const char *name, const char *pointer,
                         struct cm_lesson_number *number, bool *ran)
{
    char path[CM_LESSON_PATH_BYTES];
    struct cm_json found;
    struct cm_json_document *document = NULL;
    const struct cm_lesson_results *results = parser->results;
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".json") == 0) {
        snprintf(path, sizeof path, "%s%s", results->root, name);
        bool read = cm_json_read(path, &document, NULL) == CM_OK &&
                    cm_lesson_at_pointer(cm_json_root(document), pointer, &found) &&
                    cm_lesson_read_number(found, number);
        cm_json_destroy(document);
        return read;
    }
    for (uint32_t i = 0; i < results->count; i++)
        if (strcmp(results->items[i].name, name) == 0)
            return cm_lesson_at_pointer(cm_json_root(results->items[i].document), pointer,
                                        &found) &&
                   cm_lesson_read_number(found, number);
    *ran = false;
    return false;
}

static struct cm_lesson_number fail(struct parser *parser, enum cm_lesson_known known)
{
    if (parser->known == CM_LESSON_KNOWN)
        parser->known = known;
    return (struct cm_lesson_number){0};
}

/* Reads the next word if it is one of the characters in `signs`, and returns the character. Returns
 * '\0' if it is another word. */
static char take(struct parser *parser, const char *signs)
{
    parser->at += strspn(parser->at, " ");
    char sign = parser->at[0];
    bool word = sign != '\0' && (parser->at[1] == ' ' || parser->at[1] == '\0');
    if (!word || strchr(signs, sign) == NULL)
        return '\0';
    parser->at++;
    return sign;
}

/* Copies the next word. Returns false if there is no word, or if it is too long. */
static bool next_word(struct parser *parser, char word[WORD_BYTES])
{
    parser->at += strspn(parser->at, " ");
    size_t length = strcspn(parser->at, " ");
    if (length == 0 || length >= WORD_BYTES)
        return false;
    memcpy(word, parser->at, length);
    word[length] = '\0';
    parser->at += length;
    return true;
}

/* Reads the number of a word such as "NAME:/a/0/b". */
static struct cm_lesson_number read_word(struct parser *parser, char *word)
{
    struct cm_lesson_number number = {0};
    bool ran = true;
    char *colon = strchr(word, ':'), *end;
    if (colon == NULL) {
        number.number = strtod(word, &end);
        return *end == '\0' ? number : fail(parser, CM_LESSON_BROKEN);
    }
    *colon = '\0';
    if (!read_pointer(parser, word, colon + 1, &number, &ran))
        return fail(parser, ran ? CM_LESSON_BROKEN : CM_LESSON_NOT_YET);
    return number;
}

/* Reads the least or the largest of the numbers of a word such as "NAME:/a/@/b", in which '@'
 * stands for every index of a list. */
static struct cm_lesson_number read_extreme(struct parser *parser, bool most)
{
    char word[WORD_BYTES], pointer[WORD_BYTES + 16];
    struct cm_lesson_number extreme = {0}, number;
    bool ran = true;
    char *colon = next_word(parser, word) ? strchr(word, ':') : NULL;
    char *at = colon != NULL ? strchr(colon, '@') : NULL;
    if (at == NULL)
        return fail(parser, CM_LESSON_BROKEN);
    *colon = *at = '\0';
    for (uint32_t i = 0;; i++) {
        snprintf(pointer, sizeof pointer, "%s%u%s", colon + 1, (unsigned)i, at + 1);
        if (!read_pointer(parser, word, pointer, &number, &ran))
            return i > 0 ? extreme : fail(parser, ran ? CM_LESSON_BROKEN : CM_LESSON_NOT_YET);
        if (i == 0 || (most ? number.number > extreme.number : number.number < extreme.number))
            extreme = number;
    }
}

static struct cm_lesson_number atom(struct parser *parser)
{
    char word[WORD_BYTES];
    if (take(parser, "(")) {
        struct cm_lesson_number number =
            parser->depth++ < DEPTH_MAX ? sum(parser) : fail(parser, CM_LESSON_BROKEN);
        return take(parser, ")") ? number : fail(parser, CM_LESSON_BROKEN);
    }
    if (!next_word(parser, word))
        return fail(parser, CM_LESSON_BROKEN);
    bool most = strcmp(word, "most") == 0;
    return most || strcmp(word, "least") == 0 ? read_extreme(parser, most)
                                              : read_word(parser, word);
}

static struct cm_lesson_number combine(struct parser *parser, char sign, struct cm_lesson_number a,
                                       struct cm_lesson_number b)
{
    if (a.text[0] != '\0' || b.text[0] != '\0' || (sign == '/' && b.number == 0))
        return fail(parser, CM_LESSON_BROKEN);
    a.number = sign == '+'   ? a.number + b.number
               : sign == '-' ? a.number - b.number
               : sign == '*' ? a.number * b.number
                             : a.number / b.number;
    return a;
}

static struct cm_lesson_number product(struct parser *parser)
{
    struct cm_lesson_number value = atom(parser);
    for (char sign; parser->known == CM_LESSON_KNOWN && (sign = take(parser, "*/")) != '\0';)
        value = combine(parser, sign, value, atom(parser));
    return value;
}

static struct cm_lesson_number sum(struct parser *parser)
{
    struct cm_lesson_number value = product(parser);
    for (char sign; parser->known == CM_LESSON_KNOWN && (sign = take(parser, "+-")) != '\0';)
        value = combine(parser, sign, value, product(parser));
    return value;
}

enum cm_lesson_known cm_lesson_evaluate(const struct cm_lesson_results *results,
                                        const char *expression, struct cm_lesson_number *value)
{
    struct parser parser = {.results = results, .at = expression};
    *value = sum(&parser);
    if (parser.known == CM_LESSON_KNOWN && parser.at[strspn(parser.at, " ")] != '\0')
        parser.known = CM_LESSON_BROKEN;
    return parser.known;
}
