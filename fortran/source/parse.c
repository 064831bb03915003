/* The parser's loop over the lines of a program, and the entry point cm_syntax_parse()
 * (parse.h). */
#include "parse.h"

#include "parser.h"

#include <string.h>

/* Returns the index of the semicolon or the end word that ends the statement at p->at. */
static uint32_t find_stop(const struct cm_parser *p)
{
    const struct cm_word *items = p->tokens.list.items;
    uint32_t at = p->at;
    while (items[at].kind != CM_WORD_SEMICOLON && items[at].kind != CM_WORD_END)
        at++;
    return at;
}

/* Returns the program unit that is being read, not an interface body within it, or NULL. */
static struct cm_syntax_unit *outermost(const struct cm_parser *p)
{
    return p->frames.count > 0 ? p->frames.items[0].unit : NULL;
}

/* Marks program units as broken after a fault in a statement: the unit that was open before the
 * statement (`before`), and the unit that is open after it. The latter is not marked if the only
 * fault is that `before` lacks its END. */
static void mark_broken(struct cm_parser *p, struct cm_syntax_unit *before)
{
    struct cm_syntax_unit *after = outermost(p);
    if (before)
        before->is_broken = true;
    if (after && (!before || p->is_bad))
        after->is_broken = true;
    if (p->is_lost || (!before && (!after || after->name[0] == '\0')))
        p->tree->is_incomplete = true;
}

/* Parses the statements of a line, which semicolons separate. The line's label belongs to the first
 * statement. */
static void parse_line(struct cm_parser *p)
{
    uint32_t found = p->messages->found;
    if (!cm_words_read(&p->tokens, &p->line, p->arena, p->messages))
        return;
    if (p->line.label != 0 && p->tokens.list.count == 1) {
        cm_messages_add(p->messages, cm_line_place(&p->line, 0), "a label without a statement");
        mark_broken(p, outermost(p));
        return;
    }
    for (p->at = 0; !p->is_lost && p->at + 1 < p->tokens.list.count && !p->arena->failed;
         p->at = p->stop + 1) {
        struct cm_syntax_unit *before = outermost(p);
        p->is_bad = p->is_replaced = false;
        p->stop = find_stop(p);
        if (!cm_is(p, CM_WORD_END))
            cm_parse_statement(p);
        if ((p->messages->found != found || p->is_bad) && !p->is_replaced)
            mark_broken(p, before);
        found = p->messages->found;
        p->line.label = 0;
    }
}

static enum cm_status finish(struct cm_parser *p)
{
    bool failed = p->lines.failed || p->arena->failed || p->tokens.list.failed ||
                  p->frames.failed || p->messages->status == CM_NO_MEMORY;
    cm_lines_finish(&p->lines);
    cm_line_finish(&p->line);
    cm_list_finish(&p->tokens.list);
    cm_list_finish(&p->frames);
    return failed ? CM_NO_MEMORY : p->messages->status;
}

/* Reads the next joined line. Returns false at the end of the program. Marks the open unit as
 * broken if the line has bad characters, or if a preprocessor line before it has a fault. */
static bool next_line(struct cm_parser *p)
{
    uint32_t found = p->messages->found;
    bool more = !p->arena->failed && !p->is_lost && cm_lines_next(&p->lines, &p->line) &&
                p->line.kind != CM_LINE_END;
    p->is_bad = false;
    if (p->messages->found != found)
        mark_broken(p, outermost(p));
    return more;
}

static enum cm_status parse(struct cm_parser *p, struct cm_source *source)
{
    cm_lines_init(&p->lines, source, p->messages);
    p->next_unit = &p->tree->units;
    while (next_line(p))
        parse_line(p);
    struct cm_syntax_unit *last = outermost(p);
    if (!p->is_lost && !p->arena->failed && !p->lines.failed && !p->frames.failed)
        cm_end_program(p);
    if (last) /* The end of the file was reached within a unit, which lacks its END. */
        last->is_broken = true;
    if (p->messages->status == CM_OK && p->tree->unit_count == 0)
        cm_messages_add(p->messages, (struct cm_source_place){0, 1, 1},
                        "there is no statement here");
    return finish(p);
}

enum cm_status cm_syntax_parse(const struct cm_file_text *program,
                               const struct cm_syntax_reader *reader, struct cm_source **source,
                               struct cm_messages *messages, struct cm_syntax **tree)
{
    struct cm_parser *p = calloc(1, sizeof *p);
    *tree = calloc(1, sizeof **tree);
    *source = cm_source_create(program->name, program->text, program->length, reader);
    cm_messages_init(messages, *source);
    struct cm_arena *arena = cm_arena_create();
    enum cm_status status = CM_NO_MEMORY;
    if (p && *tree && *source && arena) {
        p->arena = (*tree)->arena = arena;
        p->messages = messages;
        p->tree = *tree;
        status = parse(p, *source);
    } else if (!*tree || !(*tree)->arena) {
        cm_arena_destroy(arena);
    }
    free(p);
    cm_messages_sort(messages);
    if (status == CM_NO_MEMORY) {
        cm_syntax_destroy(*tree);
        *tree = NULL;
        cm_source_destroy(*source);
        *source = NULL;
        cm_messages_finish(messages);
        messages->status = CM_NO_MEMORY;
    }
    return status;
}

void cm_syntax_destroy(struct cm_syntax *tree)
{
    if (!tree)
        return;
    cm_arena_destroy(tree->arena);
    free(tree);
}

const char *cm_operator_text(enum cm_operator op)
{
    static const char *const texts[] = {
        "",  "+",  "-", "*",  "/",     "**",    "//",   "==",    "/=",
        "<", "<=", ">", ">=", ".not.", ".and.", ".or.", ".eqv.", ".neqv.",
    };
    return texts[op];
}

const char *cm_base_type_text(enum cm_base_type base)
{
    static const char *const texts[] = {"integer", "real", "complex", "logical", "character"};
    return texts[base];
}
