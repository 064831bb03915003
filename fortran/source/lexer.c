/* Splits a statement into words (lexer.h). A blank ends a word, in fixed form and in free form. */
#include "lexer.h"

#include "../../base/suggest.h"
#include "../../base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct lexer {
    const struct cm_joined_line *line;
    const char *text; /* NUL-terminated text */
    uint32_t length, at;
    struct cm_arena *arena;
    struct cm_messages *messages;
    struct cm_words *tokens;
};

static const struct {
    const char *text;
    enum cm_word_kind kind;
    uint64_t value;
} dotted[] = {
    {"eq", CM_WORD_EQ, 0},         {"ne", CM_WORD_NE, 0},     {"lt", CM_WORD_LT, 0},
    {"le", CM_WORD_LE, 0},         {"gt", CM_WORD_GT, 0},     {"ge", CM_WORD_GE, 0},
    {"not", CM_WORD_NOT, 0},       {"and", CM_WORD_AND, 0},   {"or", CM_WORD_OR, 0},
    {"eqv", CM_WORD_EQV, 0},       {"neqv", CM_WORD_NEQV, 0}, {"true", CM_WORD_LOGICAL, 1},
    {"false", CM_WORD_LOGICAL, 0}, {"xor", CM_WORD_NEQV, 0},
};
#define DOTTED (sizeof dotted / sizeof dotted[0])

/* Operators and punctuation. A longer text comes before its beginning ("**" before "*"). */
static const struct {
    const char *text;
    enum cm_word_kind kind;
} symbols[] = {
    {"**", CM_WORD_POWER},       {"//", CM_WORD_CONCATENATE}, {"==", CM_WORD_EQ},
    {"/=", CM_WORD_NE},          {"<=", CM_WORD_LE},          {">=", CM_WORD_GE},
    {"=>", CM_WORD_POINT},       {"::", CM_WORD_COLONS},      {"(/", CM_WORD_OPEN_ARRAY},
    {"/)", CM_WORD_CLOSE_ARRAY}, {"+", CM_WORD_PLUS},         {"-", CM_WORD_MINUS},
    {"*", CM_WORD_TIMES},        {"/", CM_WORD_DIVIDE},       {"<", CM_WORD_LT},
    {">", CM_WORD_GT},           {"(", CM_WORD_OPEN},         {")", CM_WORD_CLOSE},
    {"[", CM_WORD_OPEN_SQUARE},  {"]", CM_WORD_CLOSE_SQUARE}, {",", CM_WORD_COMMA},
    {":", CM_WORD_COLON},        {"=", CM_WORD_ASSIGN},       {"%", CM_WORD_PERCENT},
    {";", CM_WORD_SEMICOLON},
};
#define SYMBOLS (sizeof symbols / sizeof symbols[0])

const char *cm_word_kind_text(enum cm_word_kind kind)
{
    static const char *const names[] = {
        [CM_WORD_END] = "the end of the statement",
        [CM_WORD_NAME] = "a name",
        [CM_WORD_INTEGER] = "a whole number",
        [CM_WORD_REAL] = "a number",
        [CM_WORD_STRING] = "a character constant",
        [CM_WORD_LOGICAL] = "a logical constant",
        [CM_WORD_FORMAT] = "a format",
        [CM_WORD_BAD] = "this",
        [CM_WORD_NOT] = "'.not.'",
        [CM_WORD_AND] = "'.and.'",
        [CM_WORD_OR] = "'.or.'",
        [CM_WORD_EQV] = "'.eqv.'",
        [CM_WORD_NEQV] = "'.neqv.'",
        [CM_WORD_PLUS] = "'+'",
        [CM_WORD_MINUS] = "'-'",
        [CM_WORD_TIMES] = "'*'",
        [CM_WORD_DIVIDE] = "'/'",
        [CM_WORD_POWER] = "'**'",
        [CM_WORD_CONCATENATE] = "'//'",
        [CM_WORD_EQ] = "'=='",
        [CM_WORD_NE] = "'/='",
        [CM_WORD_LT] = "'<'",
        [CM_WORD_LE] = "'<='",
        [CM_WORD_GT] = "'>'",
        [CM_WORD_GE] = "'>='",
        [CM_WORD_OPEN] = "'('",
        [CM_WORD_CLOSE] = "')'",
        [CM_WORD_OPEN_ARRAY] = "'(/'",
        [CM_WORD_CLOSE_ARRAY] = "'/)'",
        [CM_WORD_OPEN_SQUARE] = "'['",
        [CM_WORD_CLOSE_SQUARE] = "']'",
        [CM_WORD_COMMA] = "','",
        [CM_WORD_COLON] = "':'",
        [CM_WORD_COLONS] = "'::'",
        [CM_WORD_ASSIGN] = "'='",
        [CM_WORD_POINT] = "'=>'",
        [CM_WORD_PERCENT] = "'%'",
        [CM_WORD_SEMICOLON] = "';'",
    };
    return names[kind];
}

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void push(struct lexer *lexer, struct cm_word token)
{
    token.end = lexer->at;
    cm_list_push(&lexer->tokens->list, token);
}

/* Reports that the characters from `start` to the current position form no word. */
CM_PRINTF(3, 4)
static void bad(struct lexer *lexer, uint32_t start, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!lexer->tokens->has_bad)
        cm_messages_add(lexer->messages, cm_line_place(lexer->line, start), "%s", text);
    lexer->tokens->has_bad = true;
    push(lexer, (struct cm_word){.kind = CM_WORD_BAD, .offset = start});
}

/* Returns the number of letters of an operator such as .AND., whose first dot is at `at`. Returns 0
 * if no letters with a dot behind them follow. */
static uint32_t dotted_length(const struct lexer *lexer, uint32_t at)
{
    uint32_t end = at + 1;
    while (isalpha((unsigned char)lexer->text[end]))
        end++;
    return lexer->text[end] == '.' ? end - at - 1 : 0;
}

static int find_dotted(const struct lexer *lexer, uint32_t at, uint32_t length)
{
    for (size_t i = 0; i < DOTTED; i++)
        if (strlen(dotted[i].text) == length &&
            strncasecmp(lexer->text + at + 1, dotted[i].text, length) == 0)
            return (int)i;
    return -1;
}

/* Reads the kind behind a constant, such as _8 or _DP. */
static void read_kind(struct lexer *lexer, struct cm_word *token)
{
    if (lexer->text[lexer->at] != '_')
        return;
    uint32_t start = ++lexer->at;
    while (is_name_character(lexer->text[lexer->at]))
        lexer->at++;
    if (isalpha((unsigned char)lexer->text[start])) {
        token->kind_name = cm_arena_name(lexer->arena, lexer->text + start, lexer->at - start);
        return;
    }
    uint64_t value;
    const char *end = cm_text_number(lexer->text + start, &value);
    if (end != lexer->text + lexer->at || value == 0 || value > UINT8_MAX) {
        cm_messages_add(lexer->messages, cm_line_place(lexer->line, start),
                        "the kind of a constant is a small number or a name");
        value = 0;
    }
    token->kind_value = (uint32_t)value;
}

static void read_dotted(struct lexer *lexer)
{
    uint32_t start = lexer->at, length = dotted_length(lexer, start);
    int found = find_dotted(lexer, start, length);
    if (length == 0) {
        lexer->at++;
        bad(lexer, start, "'.' begins no number and no operator");
        return;
    }
    lexer->at += length + 2;
    if (found >= 0) {
        struct cm_word token = {
            .kind = dotted[found].kind, .offset = start, .value = dotted[found].value};
        if (token.kind == CM_WORD_LOGICAL)
            read_kind(lexer, &token);
        push(lexer, token);
        return;
    }
    const char *names[DOTTED];
    char name[32];
    for (size_t i = 0; i < DOTTED; i++)
        names[i] = dotted[i].text;
    snprintf(name, sizeof name, "%.*s", (int)length, lexer->text + start + 1);
    const char *near = cm_suggest(name, names, DOTTED);
    bad(lexer, start, ".%s. is not an operator", name);
    if (near)
        cm_messages_hint(lexer->messages, "did you mean .%s.?", near);
    else
        cm_messages_hint(lexer->messages, "user-defined operators are not supported");
}

static uint32_t digits_from(const struct lexer *lexer, uint32_t at)
{
    while (isdigit((unsigned char)lexer->text[at]))
        at++;
    return at;
}

/* Returns the offset behind the exponent that begins at `at`, or `at` if there is no exponent. */
static uint32_t exponent_end(const struct lexer *lexer, uint32_t at)
{
    char letter = (char)tolower((unsigned char)lexer->text[at]);
    if (letter != 'e' && letter != 'd' && letter != 'q')
        return at;
    uint32_t sign = at + 1;
    if (lexer->text[sign] == '+' || lexer->text[sign] == '-')
        sign++;
    uint32_t end = digits_from(lexer, sign);
    return end > sign ? end : at;
}

static void push_integer(struct lexer *lexer, struct cm_word token)
{
    uint64_t value = 0;
    for (uint32_t i = token.offset; i < lexer->at; i++) {
        uint64_t digit = (uint64_t)(lexer->text[i] - '0');
        if (value > (INT64_MAX - digit) / 10) {
            bad(lexer, token.offset, "this number is larger than any integer");
            return;
        }
        value = value * 10 + digit;
    }
    token.kind = CM_WORD_INTEGER;
    token.value = value;
    read_kind(lexer, &token);
    push(lexer, token);
}

/* Returns a copy of a real constant, with exponent letter e, so that strtod() can read it. */
static const char *real_text(struct lexer *lexer, uint32_t start, uint32_t exponent)
{
    const char *text = cm_arena_copy(lexer->arena, lexer->text + start, lexer->at - start);
    if (text && exponent < lexer->at)
        ((char *)text)[exponent - start] = 'e';
    return text;
}

static void read_hollerith(struct lexer *lexer, uint32_t start, uint32_t length);
static bool may_be_hollerith(const struct lexer *lexer);

static void read_number(struct lexer *lexer)
{
    struct cm_word token = {.offset = lexer->at};
    uint32_t end = digits_from(lexer, lexer->at);
    bool is_real = false;
    if (tolower((unsigned char)lexer->text[end]) == 'h' && end - lexer->at < 5 &&
        may_be_hollerith(lexer)) {
        uint32_t start = lexer->at, length = (uint32_t)strtoul(lexer->text + start, NULL, 10);
        lexer->at = end + 1;
        if (length == 0 || length > lexer->length - lexer->at) {
            lexer->at = lexer->length;
            bad(lexer, start, "this Hollerith constant has not as many characters");
        } else {
            read_hollerith(lexer, start, length);
        }
        return;
    }
    /* In 1.EQ.2, the dot behind the 1 belongs to the operator. */
    if (lexer->text[end] == '.' && find_dotted(lexer, end, dotted_length(lexer, end)) < 0) {
        is_real = true;
        end = digits_from(lexer, end + 1);
    }
    uint32_t exponent = end;
    lexer->at = exponent_end(lexer, end);
    if (!is_real && lexer->at == exponent) {
        push_integer(lexer, token);
        return;
    }
    char letter = (char)tolower((unsigned char)lexer->text[exponent]);
    if (lexer->at > exponent && letter == 'q') {
        bad(lexer, token.offset, "numbers of 16 bytes are not supported");
        return;
    }
    token.kind = CM_WORD_REAL;
    token.is_double = lexer->at > exponent && letter == 'd';
    token.text = real_text(lexer, token.offset, exponent);
    read_kind(lexer, &token);
    push(lexer, token);
}

/* Returns an upper bound of the length, in bytes, of the character constant that begins at
 * `start`. */
static uint32_t string_bound(const struct lexer *lexer, uint32_t start)
{
    char quote = lexer->text[start];
    uint32_t at = start + 1;
    for (; at < lexer->length; at++)
        if (lexer->text[at] == quote && lexer->text[++at] != quote)
            break;
    return at - start;
}

static void push_bits(struct lexer *lexer, uint32_t start, char letter, const char *digits,
                      uint32_t length);

/* Returns whether a letter behind a text makes it a number, as in 'FF'X. */
static bool is_bits_suffix(const struct lexer *lexer)
{
    char letter = lexer->text[lexer->at];
    return letter != '\0' && strchr("xXzZoObB", letter) &&
           !is_name_character(lexer->text[lexer->at + 1]) && lexer->text[lexer->at + 1] != '\'';
}

static void read_string(struct lexer *lexer)
{
    uint32_t start = lexer->at;
    char quote = lexer->text[lexer->at++];
    uint32_t used = 0;
    char *bytes = cm_arena_take(lexer->arena, string_bound(lexer, start) + 1);
    for (; lexer->at < lexer->length; lexer->at++) {
        if (lexer->text[lexer->at] == quote && lexer->text[++lexer->at] != quote) {
            if (is_bits_suffix(lexer)) {
                push_bits(lexer, start, lexer->text[lexer->at++], bytes ? bytes : "", used);
                return;
            }
            push(lexer,
                 (struct cm_word){
                     .kind = CM_WORD_STRING, .offset = start, .text = bytes, .length = used});
            return;
        }
        if (bytes)
            bytes[used++] = lexer->text[lexer->at];
    }
    bad(lexer, start, "this character constant has no closing quote");
}

/* Returns whether the words read so far begin a FORMAT statement. The text of a format is not split
 * into words. */
static bool is_format(const struct lexer *lexer)
{
    const struct cm_word *first = lexer->tokens->list.items;
    return lexer->line->label > 0 && lexer->tokens->list.count == 1 &&
           first->kind == CM_WORD_NAME && strcmp(first->text, "format") == 0 &&
           lexer->text[lexer->at] == '(';
}

/* Reads the text of a FORMAT up to the last closing parenthesis. Returns false if the statement is
 * an assignment to an array that is named FORMAT. */
static bool read_format(struct lexer *lexer)
{
    uint32_t start = lexer->at, end = lexer->length;
    while (end > start && isspace((unsigned char)lexer->text[end - 1]))
        end--;
    if (lexer->text[end - 1] != ')')
        return false;
    const char *text = cm_arena_copy(lexer->arena, lexer->text + start, end - start);
    lexer->at = end;
    push(lexer, (struct cm_word){
                    .kind = CM_WORD_FORMAT, .offset = start, .text = text, .length = end - start});
    return true;
}

/* Reads the digits, in quotes, of a constant such as Z'FF'. `letter` is its base: B, O, Z or X. */
static void push_bits(struct lexer *lexer, uint32_t start, char letter, const char *digits,
                      uint32_t length)
{
    uint64_t value = 0;
    letter = (char)tolower((unsigned char)letter);
    uint32_t base = letter == 'b' ? 2 : letter == 'o' ? 8 : 16;
    bool is_good = length > 0;
    for (uint32_t i = 0; is_good && i < length; i++) {
        const char *digit = strchr("0123456789abcdef", tolower((unsigned char)digits[i]));
        is_good = digit && *digit && (uint32_t)(digit - "0123456789abcdef") < base &&
                  value <= UINT32_MAX / base;
        value = is_good ? value * base + strtoul((char[]){digits[i], 0}, NULL, 16) : value;
    }
    if (!is_good || value > UINT32_MAX) {
        bad(lexer, start, "this is not a number of 32 bits in base %u", base);
        return;
    }
    push(lexer, (struct cm_word){
                    .kind = CM_WORD_INTEGER, .offset = start, .value = value, .is_bits = true});
}

/* Reads the characters of a constant such as 4HTEXT, behind the H. */
static void read_hollerith(struct lexer *lexer, uint32_t start, uint32_t length)
{
    const char *text = cm_arena_copy(lexer->arena, lexer->text + lexer->at, length);
    lexer->at += length;
    push(lexer, (struct cm_word){.kind = CM_WORD_STRING,
                                 .offset = start,
                                 .text = text,
                                 .length = length,
                                 .is_bits = true});
}

/* Returns whether a number with an H behind it begins a constant such as 4HTEXT. In other places
 * the H begins a name, as in REAL*8HX. */
static bool may_be_hollerith(const struct lexer *lexer)
{
    const struct cm_word *items = lexer->tokens->list.items;
    uint32_t count = lexer->tokens->list.count;
    if (count == 0)
        return false;
    enum cm_word_kind last = items[count - 1].kind;
    bool is_data = items[0].kind == CM_WORD_NAME && strcmp(items[0].text, "data") == 0;
    return last == CM_WORD_OPEN || last == CM_WORD_CLOSE || last == CM_WORD_COMMA ||
           last == CM_WORD_ASSIGN || last == CM_WORD_DIVIDE || (last == CM_WORD_TIMES && is_data);
}

static void read_name(struct lexer *lexer)
{
    uint32_t start = lexer->at;
    while (is_name_character(lexer->text[lexer->at]))
        lexer->at++;
    const char *name = cm_arena_name(lexer->arena, lexer->text + start, lexer->at - start);
    if (lexer->at - start == 1 && strchr("bozx", name[0]) && name[0] != '\0' &&
        (lexer->text[lexer->at] == '\'' || lexer->text[lexer->at] == '"')) {
        char quote = lexer->text[lexer->at++];
        uint32_t first = lexer->at;
        while (lexer->at < lexer->length && lexer->text[lexer->at] != quote)
            lexer->at++;
        uint32_t length = lexer->at - first;
        lexer->at += lexer->at < lexer->length;
        push_bits(lexer, start, name[0], lexer->text + first, length);
        return;
    }
    push(lexer, (struct cm_word){.kind = CM_WORD_NAME, .offset = start, .text = name});
}

static void read_symbol(struct lexer *lexer)
{
    uint32_t start = lexer->at;
    for (size_t i = 0; i < SYMBOLS; i++) {
        size_t length = strlen(symbols[i].text);
        if (strncmp(lexer->text + start, symbols[i].text, length) == 0) {
            lexer->at += (uint32_t)length;
            push(lexer, (struct cm_word){.kind = symbols[i].kind, .offset = start});
            return;
        }
    }
    uint32_t codepoint;
    size_t length = cm_utf8_decode(lexer->text + start, lexer->length - start, &codepoint);
    lexer->at += length > 0 ? (uint32_t)length : 1;
    bad(lexer, start, "%s is not a character of Fortran",
        cm_text_quote(lexer->text + start, lexer->at - start).text);
    if (lexer->text[start] == '&')
        cm_messages_hint(lexer->messages,
                         "a & at the end of a line continues a statement in free form");
}

bool cm_words_read(struct cm_words *tokens, const struct cm_joined_line *line,
                   struct cm_arena *arena, struct cm_messages *messages)
{
    struct lexer lexer = {.line = line,
                          .text = line->text.data ? line->text.data : "",
                          .length = (uint32_t)line->text.length,
                          .at = line->start,
                          .arena = arena,
                          .messages = messages,
                          .tokens = tokens};
    tokens->list.count = 0;
    tokens->has_bad = line->is_cut;
    while (!tokens->list.failed && !arena->failed) {
        while (lexer.at < lexer.length && isspace((unsigned char)lexer.text[lexer.at]))
            lexer.at++;
        char c = lexer.text[lexer.at];
        if (lexer.at >= lexer.length)
            break;
        if (is_format(&lexer) && read_format(&lexer))
            break;
        if (isalpha((unsigned char)c))
            read_name(&lexer);
        else if (isdigit((unsigned char)c) ||
                 (c == '.' && isdigit((unsigned char)lexer.text[lexer.at + 1])))
            read_number(&lexer);
        else if (c == '.')
            read_dotted(&lexer);
        else if (c == '\'' || c == '"')
            read_string(&lexer);
        else
            read_symbol(&lexer);
    }
    push(&lexer, (struct cm_word){.kind = CM_WORD_END, .offset = lexer.length});
    return !tokens->list.failed && !arena->failed;
}
