/* Writes executable statements. */
#include "write_private.h"

static void announce(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    if (w->hooks)
        w->hooks->statement(w, s);
}

static void announce_condition(struct cm_writer *w, const struct cm_syntax_statement *s,
                               const struct cm_syntax_expression *condition)
{
    if (w->hooks)
        w->hooks->condition(w, s, condition);
}

static void put_line(struct cm_writer *w, const char *words)
{
    cm_begin_line(w, 0);
    cm_put(w, words);
    cm_end_line(w);
}

static void put_body(struct cm_writer *w, const struct cm_syntax_block *block)
{
    w->indent += 2;
    cm_put_block(w, block);
    w->indent -= 2;
}

static void put_call(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    w->needs_library |= cm_is_library_name(w, s->call.name);
    if (cm_put_table(w, s))
        return;
    cm_put(w, "call ");
    cm_put(w, cm_standard_name(w, s->call.name));
    if (!s->call.arguments.first && !s->call.labels)
        return;
    cm_put(w, "(");
    cm_put_arguments(w, &s->call.arguments);
    for (const struct cm_syntax_label *label = s->call.labels; label; label = label->next) {
        cm_put(w, label != s->call.labels || s->call.arguments.first ? ", *" : "*");
        cm_put_number(w, label->label);
    }
    cm_put(w, ")");
}

static void put_labels(struct cm_writer *w, const struct cm_syntax_label *labels)
{
    for (const struct cm_syntax_label *label = labels; label; label = label->next) {
        cm_put_number(w, label->label);
        if (label->next)
            cm_put(w, ", ");
    }
}

static void put_jump(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    bool is_computed = s->jump.selector && !s->jump.is_assigned;
    cm_put(w, is_computed ? "go to (" : "go to ");
    if (s->jump.is_assigned) {
        cm_put_expression(w, s->jump.selector);
        if (s->jump.labels)
            cm_put(w, ", (");
    }
    put_labels(w, s->jump.labels);
    if (s->jump.is_assigned && s->jump.labels)
        cm_put(w, ")");
    if (is_computed) {
        cm_put(w, "), ");
        cm_put_expression(w, s->jump.selector);
    }
}

static void put_assign(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_put(w, "assign ");
    put_labels(w, s->jump.labels);
    cm_put(w, " to ");
    cm_put_expression(w, s->jump.selector);
}

static void put_allocate(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_put(w, s->kind == CM_STATEMENT_ALLOCATE ? "allocate (" : "deallocate (");
    cm_put_arguments(w, &s->allocate.objects);
    if (s->allocate.stat) {
        cm_put(w, ", stat = ");
        cm_put_expression(w, s->allocate.stat);
    }
    cm_put(w, ")");
}

static void put_arithmetic_if(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_put(w, "if (");
    cm_put_expression(w, s->arithmetic.value);
    cm_put(w, ")");
    for (int i = 0; i < 3; i++) {
        cm_put(w, i ? ", " : " ");
        cm_put_number(w, s->arithmetic.labels[i]);
    }
}

static void put_leave(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_put(w, s->kind == CM_STATEMENT_CYCLE ? "cycle " : "exit ");
    if (s->construct)
        cm_put(w, s->construct);
}

static void put_indices(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_put(w, "forall (");
    for (const struct cm_syntax_index *i = s->forall.indices; i; i = i->next) {
        cm_put(w, i->name);
        cm_put(w, " = ");
        cm_put_expression(w, i->first);
        cm_put(w, ":");
        cm_put_expression(w, i->last);
        if (i->step) {
            cm_put(w, ":");
            cm_put_expression(w, i->step);
        }
        if (i->next)
            cm_put(w, ", ");
    }
    if (s->forall.mask) {
        cm_put(w, ", ");
        announce_condition(w, s, s->forall.mask);
        cm_put_expression(w, s->forall.mask);
    }
    cm_put(w, ")");
}

static void put_entry(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_put(w, "entry ");
    cm_put(w, s->entry->name);
    cm_put_dummies(w, s->entry);
}

static void put_stop(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_put(w, s->kind == CM_STATEMENT_PAUSE ? "pause "
              : s->stop.is_error            ? "error stop "
                                            : "stop ");
    if (s->stop.code)
        cm_put_expression(w, s->stop.code);
}

/* Writes a statement that fits into the current line, without its label. */
static void put_simple(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    switch (s->kind) {
    case CM_STATEMENT_ASSIGNMENT:
        cm_put_expression(w, s->assignment.target);
        cm_put(w, " = ");
        cm_put_expression(w, s->assignment.value);
        break;
    case CM_STATEMENT_CALL:
        put_call(w, s);
        break;
    case CM_STATEMENT_ARITHMETIC_IF:
        put_arithmetic_if(w, s);
        break;
    case CM_STATEMENT_ENTRY:
        put_entry(w, s);
        break;
    case CM_STATEMENT_ASSIGN:
        put_assign(w, s);
        break;
    case CM_STATEMENT_GOTO:
        put_jump(w, s);
        break;
    case CM_STATEMENT_CYCLE:
    case CM_STATEMENT_EXIT:
        put_leave(w, s);
        break;
    case CM_STATEMENT_RETURN:
        cm_put(w, "return ");
        if (s->alternate)
            cm_put_expression(w, s->alternate);
        break;
    case CM_STATEMENT_STOP:
    case CM_STATEMENT_PAUSE:
        put_stop(w, s);
        break;
    case CM_STATEMENT_PRINT:
    case CM_STATEMENT_WRITE:
    case CM_STATEMENT_READ:
    case CM_STATEMENT_OPEN:
    case CM_STATEMENT_CLOSE:
    case CM_STATEMENT_INQUIRE:
    case CM_STATEMENT_REWIND:
    case CM_STATEMENT_BACKSPACE:
    case CM_STATEMENT_ENDFILE:
        cm_put_io(w, s);
        break;
    case CM_STATEMENT_ALLOCATE:
    case CM_STATEMENT_DEALLOCATE:
        put_allocate(w, s);
        break;
    default:
        cm_put(w, "continue");
        break;
    }
}

static void put_construct_name(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    if (s->construct) {
        cm_put(w, s->construct);
        cm_put(w, ": ");
    }
}

static void put_end(struct cm_writer *w, const struct cm_syntax_statement *s, const char *words)
{
    cm_begin_line(w, s->end_label);
    cm_put(w, words);
    if (s->construct)
        cm_put(w, s->construct);
    cm_end_line(w);
}

/* Writes the beginning of an IF (..), WHERE (..) or FORALL (..), up to the statement behind it. */
static void put_head(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    if (s->kind == CM_STATEMENT_FORALL) {
        put_indices(w, s);
        return;
    }
    cm_put(w, s->kind == CM_STATEMENT_IF ? "if (" : "where (");
    announce_condition(w, s, s->branch->condition);
    cm_put_expression(w, s->branch->condition);
    cm_put(w, ")");
}

/* Writes an IF (..) PSHIFT as an IF block, because PSHIFT becomes several statements. */
static void put_as_block(struct cm_writer *w, const struct cm_syntax_statement *s,
                         const struct cm_syntax_statement *inner)
{
    put_head(w, s);
    cm_put(w, " then");
    cm_end_line(w);
    w->indent += 2;
    cm_put_pshift(w, inner);
    w->indent -= 2;
    put_line(w, "end if");
}

static void put_single(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    const struct cm_syntax_statement *inner =
        s->kind == CM_STATEMENT_FORALL ? s->forall.block.first : s->branch->block.first;
    if (cm_is_pshift(w, inner)) {
        put_as_block(w, s, inner);
        return;
    }
    put_head(w, s);
    cm_put(w, " ");
    announce(w, inner);
    if (inner->is_single)
        put_single(w, inner);
    else
        put_simple(w, inner);
    if (!inner->is_single)
        cm_end_line(w);
}

/* Writes an IF or WHERE construct with its blocks. */
static void put_branches(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    bool is_if = s->kind == CM_STATEMENT_IF;
    put_construct_name(w, s);
    for (const struct cm_syntax_branch *branch = s->branch; branch; branch = branch->next) {
        if (branch != s->branch) {
            cm_begin_line(w, 0);
            cm_put(w, !is_if ? "elsewhere" : branch->condition ? "else if" : "else");
        } else {
            cm_put(w, is_if ? "if" : "where");
        }
        if (branch->condition) {
            cm_put(w, " (");
            announce_condition(w, s, branch->condition);
            cm_put_expression(w, branch->condition);
            cm_put(w, is_if ? ") then" : ")");
        }
        cm_end_line(w);
        put_body(w, &branch->block);
    }
    put_end(w, s, is_if ? "end if " : "end where ");
}

static void put_select(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    put_construct_name(w, s);
    cm_put(w, "select case (");
    cm_put_expression(w, s->select.value);
    cm_put(w, ")");
    cm_end_line(w);
    for (const struct cm_syntax_case *c = s->select.cases; c; c = c->next) {
        cm_begin_line(w, 0);
        cm_put(w, c->is_default ? "case default" : "case (");
        cm_put_arguments(w, &c->values);
        if (!c->is_default)
            cm_put(w, ")");
        cm_end_line(w);
        put_body(w, &c->block);
    }
    put_end(w, s, "end select ");
}

static void put_loop_head(struct cm_writer *w, const struct cm_syntax_statement *s, uint32_t label)
{
    put_construct_name(w, s);
    cm_put(w, "do ");
    if (label != 0) {
        cm_put_number(w, label);
        cm_put(w, " ");
    }
    if (s->loop.kind == CM_LOOP_WHILE) {
        cm_put(w, "while (");
        cm_put_expression(w, s->loop.condition);
        cm_put(w, ")");
    } else if (s->loop.kind == CM_LOOP_COUNTED) {
        cm_put(w, s->loop.variable);
        cm_put(w, " = ");
        cm_put_expression(w, s->loop.first);
        cm_put(w, ", ");
        cm_put_expression(w, s->loop.last);
    }
    if (s->loop.kind == CM_LOOP_COUNTED && s->loop.step) {
        cm_put(w, ", ");
        cm_put_expression(w, s->loop.step);
    }
}

/* Returns whether the last statement of a DO loop, which has the loop's label, is a PSHIFT. Such a
 * loop is ended by END DO, because several statements replace the PSHIFT. */
static bool ends_with_pshift(const struct cm_writer *w, const struct cm_syntax_statement *s)
{
    const struct cm_syntax_statement *last = s->loop.block.last;
    if (s->loop.label == 0 || s->loop.ends_with_do || !last)
        return false;
    return last->kind == CM_STATEMENT_DO ? ends_with_pshift(w, last) : cm_is_pshift(w, last);
}

static void put_loop(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    bool needs_end = ends_with_pshift(w, s);
    put_loop_head(w, s, needs_end ? 0 : s->loop.label);
    cm_end_line(w);
    put_body(w, &s->loop.block);
    if (s->loop.ends_with_do || needs_end)
        put_end(w, s, "end do ");
}

static void put_forall(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    put_construct_name(w, s);
    put_indices(w, s);
    cm_end_line(w);
    put_body(w, &s->forall.block);
    put_end(w, s, "end forall ");
}

/* Writes a PSHIFT as several statements. If it has a label, a CONTINUE with the label precedes
 * them. */
static void put_pshift(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    if (s->label != 0) {
        cm_begin_line(w, s->label);
        cm_put(w, "continue");
        cm_end_line(w);
    }
    cm_put_pshift(w, s);
}

static void put_statement(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    announce(w, s);
    if (cm_is_pshift(w, s)) {
        put_pshift(w, s);
        return;
    }
    cm_begin_line(w, s->label);
    if (s->is_single) {
        put_single(w, s);
        return;
    }
    switch (s->kind) {
    case CM_STATEMENT_IF:
    case CM_STATEMENT_WHERE:
        put_branches(w, s);
        break;
    case CM_STATEMENT_SELECT:
        put_select(w, s);
        break;
    case CM_STATEMENT_DO:
        put_loop(w, s);
        break;
    case CM_STATEMENT_FORALL:
        put_forall(w, s);
        break;
    default:
        put_simple(w, s);
        cm_end_line(w);
        break;
    }
}

void cm_put_block(struct cm_writer *w, const struct cm_syntax_block *block)
{
    for (const struct cm_syntax_statement *s = block->first; s; s = s->next) {
        if (!w->options.is_tree && cm_source_is_builtin(w->source, s->place.file))
            w->needs_library = true;
        else if (s->kind < CM_STATEMENT_ASSIGNMENT)
            cm_put_declaration(w, s);
        else
            put_statement(w, s);
    }
}
