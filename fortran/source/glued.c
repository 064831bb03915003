/* Splits words that have no blank between them, as fixed form allows: GOTO10, CALLF(X), DO10I=1,5.
 * The parser calls cm_split_keyword() if the first word of a statement is neither a keyword nor a
 * variable. A first word that begins with a keyword is then split behind the keyword. */
#include "parser.h"

#include <ctype.h>
#include <string.h>

/* Inserts a copy of the word number `at` behind this word. */
static struct cm_word *insert(struct cm_parser *p, uint32_t at)
{
    struct cm_word word = p->tokens.list.items[at];
    if (!cm_list_push(&p->tokens.list, word))
        return NULL;
    struct cm_word *items = p->tokens.list.items;
    p->stop++;
    memmove(items + at + 1, items + at, (p->tokens.list.count - 1 - at) * sizeof *items);
    return items + at;
}

/* Splits the word number `at` behind its first `length` letters. The rest is a number or a name. */
static bool cut(struct cm_parser *p, uint32_t at, size_t length)
{
    struct cm_word *word = insert(p, at);
    if (!word)
        return false;
    struct cm_word *rest = word + 1;
    const char *text = word->text;
    word->end = word->offset + (uint32_t)length;
    rest->offset = word->end;
    if (!isdigit((unsigned char)text[0])) {
        word->text = cm_arena_name(p->arena, text, length);
        rest->text = cm_arena_name(p->arena, text + length, strlen(text) - length);
    }
    return true;
}

/* Splits a word that begins with digits into a label and the characters behind it. */
static void cut_label(struct cm_parser *p, uint32_t at)
{
    size_t digits = strspn(p->tokens.list.items[at].text, "0123456789");
    bool is_more = p->tokens.list.items[at].text[digits] != '\0';
    if (digits == 0 || (is_more && !cut(p, at, digits)))
        return;
    struct cm_word *word = &p->tokens.list.items[at];
    const char *text = word->text;
    word->kind = CM_WORD_INTEGER;
    word->value = 0;
    for (size_t i = 0; i < digits && word->value < 1000000; i++)
        word->value = word->value * 10 + (uint64_t)(text[i] - '0');
    if (is_more)
        word[1].text = cm_arena_name(p->arena, text + digits, strlen(text) - digits);
}

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0 && text[strlen(word)] != '\0';
}

/* Returns whether the statement is a loop such as DO10I=1,5, which looks like an assignment up to
 * its comma. */
static bool is_loop(const struct cm_parser *p)
{
    uint32_t depth = 0;
    if (cm_peek_ahead(p, 1)->kind != CM_WORD_ASSIGN)
        return false;
    for (uint32_t at = 2;; at++) {
        enum cm_word_kind kind = cm_peek_ahead(p, at)->kind;
        depth += kind == CM_WORD_OPEN || kind == CM_WORD_OPEN_ARRAY || kind == CM_WORD_OPEN_SQUARE;
        depth -=
            kind == CM_WORD_CLOSE || kind == CM_WORD_CLOSE_ARRAY || kind == CM_WORD_CLOSE_SQUARE;
        if (kind == CM_WORD_END)
            return false;
        if (kind == CM_WORD_COMMA && depth == 0)
            return true;
    }
}

bool cm_split_keyword(struct cm_parser *p)
{
    static const char *const keywords[] = {
        "goto",      "call",
        "integer",   "real",
        "logical",   "complex",
        "character", "dimension",
        "external",  "intrinsic",
        "implicit",  "subroutine",
        "function",  "program",
        "stop",      "print",
        "read",      "rewind",
        "endfile",   "backspace",
        "common",    "doubleprecision",
        "data",      "do",
    };
    const struct cm_word *word = cm_peek(p);
    if (!p->line.is_fixed || word->kind != CM_WORD_NAME)
        return false;
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        bool is_do = strcmp(keywords[i], "do") == 0;
        if (!begins_with(word->text, keywords[i]) || is_do != is_loop(p) ||
            (!is_do && cm_is_assignment(p)))
            continue;
        if (cut(p, p->at, strlen(keywords[i])))
            cut_label(p, p->at + 1);
        return true;
    }
    return false;
}
