/* Access to the words of the current statement, and the errors about them (parser.h). */
#include "parser.h"

#include "../../base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_end(enum cm_word_kind kind)
{
    return kind == CM_WORD_END || kind == CM_WORD_SEMICOLON;
}

const struct cm_word *cm_peek_ahead(const struct cm_parser *p, uint32_t ahead)
{
    static const struct cm_word end = {.kind = CM_WORD_END};
    return p->is_bad || p->at + ahead >= p->stop ? &end : &p->tokens.list.items[p->at + ahead];
}

const struct cm_word *cm_peek(const struct cm_parser *p)
{
    return cm_peek_ahead(p, 0);
}

const struct cm_word *cm_next(struct cm_parser *p)
{
    const struct cm_word *token = cm_peek(p);
    if (token->kind != CM_WORD_END)
        p->at++;
    return token;
}

bool cm_is(const struct cm_parser *p, enum cm_word_kind kind)
{
    return cm_peek(p)->kind == kind;
}

static bool is_this_word(const struct cm_word *token, const char *word)
{
    return token->kind == CM_WORD_NAME && strcmp(token->text, word) == 0;
}

bool cm_is_word(const struct cm_parser *p, const char *word)
{
    return is_this_word(cm_peek(p), word);
}

bool cm_accept(struct cm_parser *p, enum cm_word_kind kind)
{
    bool found = !p->is_bad && cm_is(p, kind) && kind != CM_WORD_END;
    if (found)
        p->at++;
    return found;
}

bool cm_accept_word(struct cm_parser *p, const char *word)
{
    bool found = cm_is_word(p, word);
    if (found)
        p->at++;
    return found;
}

struct cm_source_place cm_place_of(const struct cm_parser *p, const struct cm_word *token)
{
    return cm_line_place(&p->line, token->offset);
}

/* Returns the place of the next word, or of the statement's last character if no word follows. */
struct cm_source_place cm_place_here(const struct cm_parser *p)
{
    const struct cm_word *token = &p->tokens.list.items[p->at];
    if (!is_end(token->kind) || p->at == 0)
        return cm_line_place(&p->line, token->offset);
    const struct cm_word *before = token - 1;
    struct cm_source_place place = cm_line_place(&p->line, before->end > 0 ? before->end - 1 : 0);
    place.column++;
    return place;
}

struct cm_quote cm_word_text(const struct cm_parser *p, const struct cm_word *token)
{
    const char *text = p->line.text.data ? p->line.text.data : "";
    return cm_text_clip(text + token->offset, token->end - token->offset);
}

void cm_fail_at(struct cm_parser *p, struct cm_source_place place, const char *format, ...)
{
    char text[512];
    va_list arguments;
    p->messages->added = false;
    if (p->is_bad)
        return;
    p->is_bad = true;
    /* The statement has a message about a bad word already, which is enough. */
    if (p->tokens.has_bad)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cm_messages_add(p->messages, place, "%s", text);
}

void cm_fail(struct cm_parser *p, const char *format, ...)
{
    char text[512];
    va_list arguments;
    p->messages->added = false;
    if (p->is_bad)
        return;
    if (cm_is(p, CM_WORD_BAD)) { /* The lexer reported the bad word before. */
        p->is_bad = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cm_fail_at(p, cm_place_here(p), "%s", text);
}

void cm_fail_unsupported(struct cm_parser *p, const char *what)
{
    cm_fail(p, "%s is not supported", what);
}

/* Describes an unexpected word for a message. A name is quoted as the program spells it. */
static void describe(const struct cm_parser *p, const struct cm_word *token, char *text,
                     size_t size)
{
    if (token->kind == CM_WORD_NAME || token->kind == CM_WORD_INTEGER ||
        token->kind == CM_WORD_REAL)
        snprintf(text, size, "'%s'", cm_word_text(p, token).text);
    else
        snprintf(text, size, "%s", cm_word_kind_text(token->kind));
}

bool cm_expect(struct cm_parser *p, enum cm_word_kind kind, const char *where)
{
    char found[128];
    if (kind == CM_WORD_END ? cm_is(p, kind) && !p->is_bad : cm_accept(p, kind))
        return true;
    enum cm_word_kind seen = cm_peek(p)->kind;
    describe(p, cm_peek(p), found, sizeof found);
    cm_fail(p, "expected %s%s, found %s", cm_word_kind_text(kind), where, found);
    if (kind == CM_WORD_CLOSE && seen == CM_WORD_ASSIGN)
        cm_messages_hint(p->messages, "a comparison is written == or .EQ.");
    else if (kind == CM_WORD_END && seen == CM_WORD_COLONS)
        cm_messages_hint(p->messages, "a comma follows the type, as in REAL, ARRAY(8,8) :: A");
    return false;
}

const char *cm_expect_name(struct cm_parser *p, const char *what, struct cm_source_place *place)
{
    char found[128];
    const struct cm_word *token = cm_peek(p);
    if (place)
        *place = cm_place_here(p);
    if (token->kind == CM_WORD_NAME) {
        p->at++;
        return token->text;
    }
    describe(p, token, found, sizeof found);
    cm_fail(p, "expected %s, found %s", what, found);
    return "";
}

uint32_t cm_expect_label(struct cm_parser *p)
{
    const struct cm_word *token = cm_peek(p);
    if (token->kind == CM_WORD_INTEGER && token->value > 0 && token->value <= 99999) {
        p->at++;
        return (uint32_t)token->value;
    }
    cm_fail(p, "expected a label, a number from 1 to 99999");
    return 0;
}

void *cm_take(struct cm_parser *p, size_t bytes)
{
    void *taken = cm_arena_take(p->arena, bytes);
    if (taken)
        return taken;
    memset(p->spare, 0, sizeof p->spare);
    return p->spare;
}
