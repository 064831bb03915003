/* Checks the statements of input and output: PRINT, READ, WRITE, OPEN, CLOSE, INQUIRE, REWIND,
 * BACKSPACE and ENDFILE. The table io.def has their specifiers. */
#include "flow.h"

#include "../../base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A row of io.def. */
struct specifier {
    const char *keyword;
    uint32_t statements;
    enum { IS_LABEL, IS_INTEGER, IS_TEXT, IS_LOGICAL } kind;
};

static const struct specifier specifiers[] = {
#define CM_IO(symbol, keyword, statements, kind) {keyword, CM_IO_##statements, IS_##kind},
#include "io.def"
#undef CM_IO
};

/* A statement while it is checked. */
struct transfer {
    const struct cm_syntax_statement *tree;
    struct cm_fortran_io *io;
    const char *name;   /* name of the statement, for messages */
    const char *format; /* constant text between the parentheses of the format, or NULL */
    uint32_t targets[3];
    struct cm_fortran_expression **args;
    uint32_t count;
    bool good;
};

static const struct {
    enum cm_statement_kind statement;
    enum cm_io_statement io;
    const char *name;
} statements[] = {
    {CM_STATEMENT_READ, CM_IO_READ, "READ"},
    {CM_STATEMENT_WRITE, CM_IO_WRITE, "WRITE"},
    {CM_STATEMENT_PRINT, CM_IO_WRITE, "PRINT"},
    {CM_STATEMENT_OPEN, CM_IO_OPEN, "OPEN"},
    {CM_STATEMENT_CLOSE, CM_IO_CLOSE, "CLOSE"},
    {CM_STATEMENT_INQUIRE, CM_IO_INQUIRE, "INQUIRE"},
    {CM_STATEMENT_REWIND, CM_IO_REWIND, "REWIND"},
    {CM_STATEMENT_BACKSPACE, CM_IO_BACKSPACE, "BACKSPACE"},
    {CM_STATEMENT_ENDFILE, CM_IO_ENDFILE, "ENDFILE"},
};

/* Checks a variable that a statement gives a value. An array in it takes part in no
 * array operation, so that it may be in the front end. */
static struct cm_fortran_expression *check_changed(struct cm_check *check,
                                                   const struct cm_syntax_expression *tree)
{
    bool is_name = tree->kind == CM_EXPRESSION_NAME || tree->kind == CM_EXPRESSION_CALL ||
                   tree->kind == CM_EXPRESSION_SUBSTRING;
    if (!is_name)
        return cm_check_fail(check, tree->place, "a variable is needed here");
    if (!cm_check_changes(check, tree))
        return NULL;
    struct cm_fortran_expression *target = cm_check_named(check, tree);
    if (!target || cm_check_is_loop_variable(check, target))
        return NULL;
    if (!target->variable ||
        (target->kind != CM_FORTRAN_VARIABLE && target->kind != CM_FORTRAN_ELEMENT &&
         target->kind != CM_FORTRAN_SECTION && target->kind != CM_FORTRAN_SUBSTRING))
        return cm_check_fail(check, tree->place, "a variable is needed here");
    return target;
}

/* ---- unit and specifiers ---- */

static void check_unit(struct cm_check *check, struct transfer *transfer)
{
    const struct cm_syntax_expression *tree = transfer->tree->print.unit;
    enum cm_io_statement statement = transfer->io->statement;
    bool transfers = (statement & CM_IO_TRANSFER) != 0;
    if (!tree) {
        if (!transfers && !(statement == CM_IO_INQUIRE && transfer->io->values[CM_IO_FILE])) {
            cm_check_fail(check, transfer->tree->place, "%s needs a unit", transfer->name);
            transfer->good = false;
        }
        return;
    }
    struct cm_fortran_expression *unit = cm_check_named(check, tree);
    transfer->io->unit = unit;
    transfer->good = transfer->good && unit != NULL;
    if (!unit)
        return;
    bool is_internal = unit->type == CM_FORTRAN_CHARACTER && unit->variable && transfers;
    if (is_internal && statement == CM_IO_WRITE)
        transfer->good = transfer->good && check_changed(check, tree) != NULL;
    if (is_internal || (unit->type == CM_TYPE_INT32 && unit->rank == 0))
        return;
    cm_check_fail(check, tree->place,
                  transfers ? "a unit is an INTEGER, or a CHARACTER variable for an internal file"
                            : "a unit is an INTEGER");
    transfer->good = false;
}

/* Returns the row number of a keyword, or reports a keyword that the statement does not take. */
static int find_specifier(struct cm_check *check, const struct transfer *transfer,
                          const struct cm_syntax_argument *given)
{
    const char *names[CM_IO_COUNT];
    char keyword[64];
    size_t count = 0;
    for (int i = 0; i < CM_IO_COUNT; i++) {
        if (!(specifiers[i].statements & transfer->io->statement))
            continue;
        if (strcmp(specifiers[i].keyword, given->keyword) == 0)
            return i;
        names[count++] = specifiers[i].keyword;
    }
    snprintf(keyword, sizeof keyword, "%s", given->keyword);
    for (char *c = keyword; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    cm_check_fail(check, given->place, "%s has no specifier %s=", transfer->name, keyword);
    const char *near = cm_suggest(given->keyword, names, count);
    if (near)
        cm_messages_hint(check->messages, "did you mean %s=?", near);
    return -1;
}

static bool is_variable(const struct transfer *transfer, int row)
{
    if (row == CM_IO_IOSTAT || row == CM_IO_IOMSG || row == CM_IO_SIZE)
        return true;
    return transfer->io->statement == CM_IO_INQUIRE && row != CM_IO_FILE;
}

static struct cm_fortran_expression *check_value(struct cm_check *check,
                                                 const struct transfer *transfer, int row,
                                                 const struct cm_syntax_expression *tree)
{
    static const uint8_t types[] = {[IS_INTEGER] = CM_TYPE_INT32,
                                    [IS_TEXT] = CM_FORTRAN_CHARACTER,
                                    [IS_LOGICAL] = CM_TYPE_LOGICAL};
    struct cm_fortran_expression *value =
        is_variable(transfer, row) ? check_changed(check, tree) : cm_check_expression(check, tree);
    if (value && (value->rank > 0 || value->type != types[specifiers[row].kind]))
        return cm_check_fail(check, tree->place, "this is %s, and not a scalar of type %s",
                             value->rank > 0 ? "an array" : cm_fortran_type_text(value->type),
                             cm_fortran_type_text(types[specifiers[row].kind]));
    return value;
}

static void check_specifiers(struct cm_check *check, struct transfer *transfer)
{
    const struct cm_syntax_argument *given = transfer->tree->print.controls.first;
    for (; given; given = given->next) {
        if (strcmp(given->keyword, "nml") == 0)
            continue;
        int row = find_specifier(check, transfer, given);
        if (row < 0) {
            transfer->good = false;
        } else if (specifiers[row].kind == IS_LABEL) {
            bool is_label =
                given->value->kind == CM_EXPRESSION_INTEGER && given->value->integer <= 99999;
            if (!is_label)
                cm_check_fail(check, given->value->place, "expected a label");
            else
                transfer->targets[row] =
                    cm_check_jump_to(check, (uint32_t)given->value->integer, given->value->place);
            transfer->io->jumps |= 1u << row;
            transfer->good = transfer->good && is_label;
        } else {
            transfer->io->values[row] = check_value(check, transfer, row, given->value);
            transfer->good = transfer->good && transfer->io->values[row];
        }
    }
}

/* ---- formats ---- */

static const char *labelled_format(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    const struct cm_check_label *label = cm_check_label_find(check, tree->print.format_label);
    if (!label)
        return NULL;
    if (!label->is_format || !label->format)
        return cm_check_fail(check, tree->place, "no FORMAT of this unit has the label %u",
                             tree->print.format_label);
    const struct cm_fortran_expression *text = cm_check_expression(check, label->format->format);
    return text ? cm_check_format(check, text) : NULL;
}

/* Returns the group of a NAMELIST statement of the unit, or NULL. */
static const struct cm_syntax_common *find_namelist(const struct cm_check *check, const char *name)
{
    const struct cm_syntax_statement *statement = check->scope->tree->block.first;
    for (; statement; statement = statement->next)
        for (const struct cm_syntax_common *group =
                 statement->kind == CM_STATEMENT_NAMELIST ? statement->common : NULL;
             group; group = group->next)
            if (group->name == name)
                return group;
    return NULL;
}

/* Makes the variables of a NAMELIST the items of the statement. */
static void take_namelist(struct cm_check *check, struct transfer *transfer,
                          const struct cm_syntax_common *group)
{
    transfer->io->group = cm_check_copy(check, group->name);
    transfer->args = cm_check_take(check, sizeof(void *) * ((size_t)group->entities.count + 1));
    if (!transfer->args)
        return;
    for (const struct cm_syntax_entity *entity = group->entities.first; entity;
         entity = entity->next) {
        struct cm_syntax_expression name = {
            .kind = CM_EXPRESSION_NAME, .place = entity->place, .name = entity->name};
        struct cm_symbol *symbol = cm_symbol_of(check, entity->name, entity->place);
        struct cm_fortran_variable *variable =
            symbol ? cm_symbol_variable(check, symbol, entity->place) : NULL;
        bool good =
            variable && (transfer->io->statement == CM_IO_WRITE || cm_check_changes(check, &name));
        transfer->args[transfer->count++] =
            good ? cm_check_variable_reference(check, variable, entity->place) : NULL;
        transfer->good = transfer->good && good;
    }
}

/* Checks a format that is an expression: a constant, a CHARACTER value whose text is checked when
 * the statement is executed, or the name of a NAMELIST. */
static void check_format_expression(struct cm_check *check, struct transfer *transfer,
                                    const struct cm_syntax_expression *tree)
{
    const struct cm_syntax_common *group =
        tree->kind == CM_EXPRESSION_NAME ? find_namelist(check, tree->name) : NULL;
    if (group) {
        take_namelist(check, transfer, group);
        return;
    }
    struct cm_fortran_expression *text = cm_check_named(check, tree);
    if (text && text->kind == CM_FORTRAN_TEXT) {
        transfer->format = cm_check_format(check, text);
        transfer->good = transfer->good && transfer->format;
        return;
    }
    if (text && text->type != CM_FORTRAN_CHARACTER)
        text = cm_check_fail(check, text->place,
                             "a format is a label, a CHARACTER value, or the name of a NAMELIST");
    transfer->io->format = text;
    transfer->good = transfer->good && text;
}

static void check_namelist(struct cm_check *check, struct transfer *transfer,
                           const struct cm_syntax_expression *name)
{
    const struct cm_syntax_common *group =
        name->kind == CM_EXPRESSION_NAME ? find_namelist(check, name->name) : NULL;
    if (group) {
        take_namelist(check, transfer, group);
        return;
    }
    cm_check_fail(check, name->place, "no NAMELIST of this unit has this name");
    transfer->good = false;
}

static void check_format(struct cm_check *check, struct transfer *transfer)
{
    const struct cm_syntax_statement *tree = transfer->tree;
    switch (tree->print.format_kind) {
    case CM_FORMAT_LABEL:
        transfer->format = labelled_format(check, tree);
        transfer->good = transfer->good && transfer->format;
        break;
    case CM_FORMAT_EXPRESSION:
        check_format_expression(check, transfer, tree->print.format);
        break;
    case CM_FORMAT_NONE:
        for (const struct cm_syntax_argument *given = tree->print.controls.first; given;
             given = given->next)
            if (strcmp(given->keyword, "nml") == 0)
                check_namelist(check, transfer, given->value);
        transfer->io->is_unformatted = !transfer->io->group;
        break;
    default:
        break;
    }
}

/* Reports combinations of specifiers that have no meaning. */
static void check_together(struct cm_check *check, struct transfer *transfer)
{
    const struct cm_fortran_io *io = transfer->io;
    const char *what = NULL;
    bool is_standard = !io->unit, is_internal = io->unit && io->unit->type == CM_FORTRAN_CHARACTER;
    bool has_format = transfer->format || io->format;
    if (io->values[CM_IO_ADVANCE] && !has_format)
        what = "ADVANCE= needs a format";
    else if (io->is_unformatted && (is_standard || is_internal))
        what = is_standard ? "the unit * needs a format: write *, or a format"
                           : "an internal file needs a format: write *, or a format";
    else if (io->values[CM_IO_REC] && (is_standard || is_internal))
        what = "REC= needs a file with ACCESS='DIRECT'";
    else if (io->values[CM_IO_REC] && !has_format && !io->is_unformatted)
        what = "REC= needs a format, or no format";
    else if (io->group && transfer->tree->print.items.first)
        what = "a NAMELIST takes no list of items";
    if (!what)
        return;
    cm_check_fail(check, transfer->tree->place, "%s", what);
    transfer->good = false;
}

/* ---- items ---- */

static void check_items(struct cm_check *check, struct transfer *transfer)
{
    bool reads = transfer->io->statement == CM_IO_READ;
    const struct cm_syntax_arguments *items = &transfer->tree->print.items;
    if (transfer->io->group)
        return;
    transfer->args = cm_check_take(check, sizeof(void *) * ((size_t)items->count + 1));
    if (!transfer->args)
        return;
    for (const struct cm_syntax_argument *item = items->first; item; item = item->next) {
        struct cm_fortran_expression *made =
            cm_check_item(check, item->value, reads ? check_changed : cm_check_named);
        if (made && made->kind == CM_FORTRAN_VARIABLE && made->variable->assumed_size)
            made = cm_check_fail(check, item->value->place,
                                 "\"%s\" has no last bound (*): it cannot be %s as a whole",
                                 made->variable->name, reads ? "read" : "printed");
        transfer->args[transfer->count++] = made;
        transfer->good = transfer->good && made;
    }
}

static void emit(struct cm_check *check, struct transfer *transfer)
{
    uint32_t *targets = cm_check_take(check, sizeof transfer->targets);
    struct cm_fortran_statement *made =
        transfer->good ? cm_check_emit(check, CM_FORTRAN_IO, transfer->tree->place) : NULL;
    if (!made || !targets)
        return;
    made->io = transfer->io;
    made->format = transfer->format;
    made->args = transfer->args;
    made->count = transfer->count;
    if (!transfer->io->jumps)
        return;
    memcpy(targets, transfer->targets, sizeof transfer->targets);
    made->targets = targets;
    made->target_count = 3;
    uint32_t behind = cm_check_target_new(check);
    cm_check_target_here(check, behind);
    for (uint32_t i = 0; i < 3; i++)
        if (!(transfer->io->jumps & 1u << i))
            targets[i] = behind;
}

void cm_check_io(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct transfer transfer = {.tree = tree, .good = true, .name = ""};
    transfer.io = cm_check_take(check, sizeof *transfer.io);
    if (!transfer.io)
        return;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (statements[i].statement == tree->kind) {
            transfer.io->statement = statements[i].io;
            transfer.name = statements[i].name;
        }
    check_specifiers(check, &transfer);
    check_unit(check, &transfer);
    if (transfer.io->statement & CM_IO_TRANSFER) {
        check_format(check, &transfer);
        check_items(check, &transfer);
        check_together(check, &transfer);
    }
    emit(check, &transfer);
}
