/* The preprocessor, which executes lines that begin with #. It has the macros without arguments,
 * conditions and included files of the C preprocessor. */
#include "lines.h"

#include "../../base/text.h"

#include <ctype.h>
#include <string.h>

/* limit of the number of macros, because the search of a macro is linear */
#define MACROS_MAX 1000u
/* limit of a statement's length after macros are replaced, in bytes */
#define EXPANSION_BYTES (1024u * 1024u)
/* limit of the number of replacements in a statement, because macros may consist of macros */
#define EXPANSIONS_MAX 100000u

struct scan {
    struct cm_lines *lines;
    const struct cm_physical_line *line;
    uint32_t at;
};

static struct cm_source_place place_at(const struct scan *s, uint32_t at)
{
    struct cm_source_place place = s->line->place;
    place.column += at;
    return place;
}

static void skip_blanks(struct scan *s)
{
    while (s->at < s->line->length && (s->line->text[s->at] == ' ' || s->line->text[s->at] == '\t'))
        s->at++;
}

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the name or number at the current position. Its length is 0 if the next character is not
 * a letter, digit or underscore. */
static const char *next_word(struct scan *s, size_t *length)
{
    skip_blanks(s);
    uint32_t start = s->at;
    while (s->at < s->line->length && is_word_character(s->line->text[s->at]))
        s->at++;
    *length = s->at - start;
    return s->line->text + start;
}

static bool is_word(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

bool cm_preprocess_skips(const struct cm_lines *lines)
{
    return lines->conditions.count > 0 &&
           !lines->conditions.items[lines->conditions.count - 1].is_kept;
}

struct cm_macro *cm_macro_find(struct cm_lines *lines, const char *name, size_t length)
{
    for (uint32_t i = lines->macros.count; i-- > 0;) {
        struct cm_macro *macro = &lines->macros.items[i];
        if (macro->name_length == length && memcmp(macro->name, name, length) == 0)
            return macro;
    }
    return NULL;
}

static void undefine(struct cm_lines *lines, const char *name, size_t length)
{
    struct cm_macro *macro = cm_macro_find(lines, name, length);
    if (!macro)
        return;
    free(macro->name);
    free(macro->text);
    *macro = lines->macros.items[--lines->macros.count];
}

static void define(struct scan *s)
{
    size_t length;
    const char *name = next_word(s, &length);
    struct cm_lines *lines = s->lines;
    if (length == 0 || isdigit((unsigned char)name[0])) {
        cm_messages_add(lines->messages, place_at(s, s->at), "#define needs a name");
        return;
    }
    if (s->at < s->line->length && s->line->text[s->at] == '(') {
        cm_messages_add(lines->messages, place_at(s, s->at),
                        "macros with arguments are not supported");
        cm_messages_hint(lines->messages, "a statement function does the same");
        return;
    }
    undefine(lines, name, length);
    if (lines->macros.count == MACROS_MAX) {
        cm_messages_add(lines->messages, s->line->place, "more than %u macros", MACROS_MAX);
        return;
    }
    skip_blanks(s);
    uint32_t end = s->line->length;
    while (end > s->at && isspace((unsigned char)s->line->text[end - 1]))
        end--;
    struct cm_macro macro = {.name = strndup(name, length),
                             .text = strndup(s->line->text + s->at, end - s->at),
                             .name_length = length};
    if (!macro.name || !macro.text || !cm_list_push(&lines->macros, macro)) {
        free(macro.name);
        free(macro.text);
        lines->failed = true;
    }
}

/* Returns whether the text begins with a number other than 0, which makes a condition true. */
static bool is_true(const char *text)
{
    uint64_t number;
    return cm_text_number(text, &number) != NULL && number != 0;
}

/* Evaluates the condition of an #if: 0, 1, NAME or defined(NAME), each with or without `!` before
 * it. */
static bool condition_holds(struct scan *s)
{
    size_t length;
    bool negated = false;
    for (skip_blanks(s); s->at < s->line->length && s->line->text[s->at] == '!'; skip_blanks(s)) {
        negated = !negated;
        s->at++;
    }
    const char *word = next_word(s, &length);
    bool holds = false;
    if (is_word(word, length, "defined")) {
        skip_blanks(s);
        bool bracket = s->at < s->line->length && s->line->text[s->at] == '(';
        s->at += bracket;
        word = next_word(s, &length);
        holds = cm_macro_find(s->lines, word, length) != NULL;
        skip_blanks(s);
        s->at += bracket && s->at < s->line->length && s->line->text[s->at] == ')';
    } else {
        struct cm_macro *macro = length > 0 ? cm_macro_find(s->lines, word, length) : NULL;
        holds = is_true(macro ? macro->text : word);
    }
    skip_blanks(s);
    if (length == 0 || s->at < s->line->length) {
        cm_messages_add(s->lines->messages, place_at(s, s->at),
                        "this condition of #if is not supported");
        cm_messages_hint(s->lines->messages, "known are a number, a macro, defined(NAME), and ! "
                                             "before them");
    }
    return holds != negated;
}

static void open_condition(struct scan *s, bool holds)
{
    bool outer = !cm_preprocess_skips(s->lines);
    struct cm_condition condition = {
        .place = s->line->place, .is_kept = outer && holds, .was_kept = !outer || holds};
    if (!cm_list_push(&s->lines->conditions, condition))
        s->lines->failed = true;
}

static void close_condition(struct scan *s, bool ends)
{
    struct cm_lines *lines = s->lines;
    uint32_t first = lines->open.items[lines->open.count - 1].conditions;
    if (lines->conditions.count <= first) {
        cm_messages_add(lines->messages, s->line->place, "#%s without #if",
                        ends ? "endif" : "else");
        return;
    }
    struct cm_condition *condition = &lines->conditions.items[lines->conditions.count - 1];
    if (ends) {
        lines->conditions.count--;
        return;
    }
    if (condition->has_else)
        cm_messages_add(lines->messages, s->line->place, "a second #else");
    condition->is_kept = !condition->was_kept;
    condition->was_kept = condition->has_else = true;
}

static void include(struct scan *s)
{
    skip_blanks(s);
    const char *text = s->line->text + s->at;
    size_t rest = s->line->length - s->at;
    const char *end = rest > 1 && (*text == '"' || *text == '<')
                          ? memchr(text + 1, *text == '<' ? '>' : '"', rest - 1)
                          : NULL;
    if (end)
        cm_lines_include(s->lines, place_at(s, s->at), text + 1, (size_t)(end - text - 1));
    else
        cm_messages_add(s->lines->messages, place_at(s, s->at),
                        "#include needs a file name in quotes");
}

/* Executes #if, #ifdef, #ifndef, #else or #endif. Returns false for another word. */
static bool is_condition(struct scan *s, const char *word, size_t length)
{
    if (is_word(word, length, "ifdef") || is_word(word, length, "ifndef")) {
        size_t name_length;
        const char *name = next_word(s, &name_length);
        open_condition(s, (cm_macro_find(s->lines, name, name_length) != NULL) == (length == 5));
        if (name_length == 0)
            cm_messages_add(s->lines->messages, place_at(s, s->at), "#%.*s needs a name",
                            (int)length, word);
    } else if (is_word(word, length, "if")) {
        open_condition(s, cm_preprocess_skips(s->lines) || condition_holds(s));
    } else if (is_word(word, length, "else") || is_word(word, length, "endif")) {
        close_condition(s, length == 5);
    } else {
        return false;
    }
    return true;
}

void cm_preprocess(struct cm_lines *lines, const struct cm_physical_line *line)
{
    struct scan s = {lines, line, 1};
    size_t length;
    const char *word = next_word(&s, &length);
    if (is_condition(&s, word, length) || cm_preprocess_skips(lines))
        return;
    if (is_word(word, length, "define")) {
        define(&s);
    } else if (is_word(word, length, "undef")) {
        word = next_word(&s, &length);
        undefine(lines, word, length);
    } else if (is_word(word, length, "include")) {
        include(&s);
    } else if (length > 0) {
        cm_messages_add(lines->messages, place_at(&s, (uint32_t)(word - line->text)),
                        "#%.*s is not supported", (int)length, word);
        cm_messages_hint(lines->messages, "known are #include, #define, #undef, #ifdef, #ifndef, "
                                          "#if, #else and #endif");
    }
}

void cm_macro_expand(struct cm_lines *lines, struct cm_macro *macro, struct cm_source_place place,
                     struct cm_buffer *text)
{
    const char *at = macro->text;
    char quote = '\0';
    macro->is_open = true;
    lines->expansions++;
    while (*at != '\0' && !lines->failed) {
        size_t length = 1;
        struct cm_macro *inner = NULL;
        if (!quote && is_word_character(*at)) {
            while (is_word_character(at[length]))
                length++;
            inner = cm_macro_find(lines, at, length);
        } else if (*at == quote || (!quote && (*at == '\'' || *at == '"'))) {
            quote = quote ? '\0' : *at;
        }
        if (text->length > EXPANSION_BYTES || lines->expansions > EXPANSIONS_MAX) {
            cm_messages_add(lines->messages, place, "the text of this macro is too long");
            break;
        }
        if (inner && !inner->is_open)
            cm_macro_expand(lines, inner, place, text);
        else
            cm_buffer_append(text, at, length);
        at += length;
    }
    macro->is_open = false;
}
