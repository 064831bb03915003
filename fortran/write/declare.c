/* Writes declarations and directives. */
#include "write_private.h"

#include <inttypes.h>

void cm_put_type(struct cm_writer *w, const struct cm_syntax_type *type, uint32_t bytes)
{
    uint32_t kind = bytes > 0 ? bytes : type->bytes;
    if (type->base == CM_BASE_COMPLEX)
        /* The length `*16` counts both parts of a COMPLEX, and a kind counts one part. */
        kind /= 2;
    cm_put(w, cm_base_type_text(type->base));
    if (type->base == CM_BASE_CHARACTER && (type->any_length || type->length)) {
        cm_put(w, "(len=");
        if (type->any_length)
            cm_put(w, "*");
        else
            cm_put_expression(w, type->length);
        cm_put(w, ")");
    } else if (type->kind) {
        cm_put(w, "(");
        cm_put_expression(w, type->kind);
        cm_put(w, ")");
    } else if (kind > 0) {
        cm_put(w, "(");
        cm_put_number(w, kind);
        cm_put(w, ")");
    }
}

static void put_bound(struct cm_writer *w, const struct cm_syntax_bound *bound)
{
    if (bound->lower)
        cm_put_expression(w, bound->lower);
    if (bound->lower || bound->kind == CM_BOUND_DEFERRED)
        cm_put(w, ":");
    if (bound->kind == CM_BOUND_ASSUMED)
        cm_put(w, "*");
    else if (bound->upper)
        cm_put_expression(w, bound->upper);
}

static void put_shape(struct cm_writer *w, const struct cm_syntax_shape *shape)
{
    if (!shape->first)
        return;
    cm_put(w, "(");
    for (const struct cm_syntax_bound *bound = shape->first; bound; bound = bound->next) {
        put_bound(w, bound);
        if (bound->next)
            cm_put(w, ", ");
    }
    cm_put(w, ")");
}

static void put_attributes(struct cm_writer *w, uint32_t attributes)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } texts[] = {
        {CM_ATTRIBUTE_PARAMETER, ", parameter"}, {CM_ATTRIBUTE_ALLOCATABLE, ", allocatable"},
        {CM_ATTRIBUTE_SAVE, ", save"},           {CM_ATTRIBUTE_EXTERNAL, ", external"},
        {CM_ATTRIBUTE_INTRINSIC, ", intrinsic"}, {CM_ATTRIBUTE_OPTIONAL, ", optional"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (attributes & texts[i].bit)
            cm_put(w, texts[i].text);
    uint32_t both = CM_ATTRIBUTE_IN | CM_ATTRIBUTE_OUT;
    if ((attributes & both) == both)
        cm_put(w, ", intent(inout)");
    else if (attributes & both)
        cm_put(w, attributes & CM_ATTRIBUTE_IN ? ", intent(in)" : ", intent(out)");
}

static void put_entity(struct cm_writer *w, const struct cm_syntax_entity *entity)
{
    if (entity->is_block)
        cm_put(w, "/");
    cm_put(w, entity->name);
    if (entity->is_block)
        cm_put(w, "/");
    put_shape(w, &entity->shape);
    if (entity->any_length)
        cm_put(w, "*(*)");
    if (entity->length) {
        cm_put(w, "*(");
        cm_put_expression(w, entity->length);
        cm_put(w, ")");
    }
    if (entity->value) {
        cm_put(w, " = ");
        cm_put_expression(w, entity->value);
    }
}

/* Returns whether the module of the machine's libraries declares the name, so that the program's
 * declaration of it is left out. */
static bool is_left_out(const struct cm_writer *w, const struct cm_syntax_entity *entity)
{
    return !w->options.is_tree && !entity->is_block && cm_is_library_name(w, entity->name);
}

/* Writes a declaration of a list of names. Writes nothing if all names are left out. */
static void put_entities(struct cm_writer *w, const struct cm_syntax_entities *list,
                         const char *keyword, const char *end)
{
    uint32_t written = 0;
    for (const struct cm_syntax_entity *e = list->first; e; e = e->next) {
        if (is_left_out(w, e))
            continue;
        if (written++ == 0) {
            cm_begin_line(w, 0);
            cm_put(w, keyword);
        } else {
            cm_put(w, ", ");
        }
        put_entity(w, e);
    }
    if (written == 0)
        return;
    cm_put(w, end);
    cm_end_line(w);
}

static void put_data_group(struct cm_writer *w, const struct cm_syntax_arguments *values)
{
    cm_put(w, " /");
    w->is_data = true;
    cm_put_arguments(w, values);
    w->is_data = false;
    cm_put(w, "/");
}

static void put_type_head(struct cm_writer *w, const struct cm_syntax_statement *s, uint32_t bytes)
{
    cm_begin_line(w, 0);
    cm_put_type(w, &s->declare.type, bytes);
    if (s->declare.shape.first) {
        cm_put(w, ", dimension");
        put_shape(w, &s->declare.shape);
    }
    put_attributes(w, s->declare.attributes);
    cm_put(w, " :: ");
}

/* Writes a type statement. A name that has its own length, or values between slashes, gets its own
 * line. */
static void put_type_statement(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    bool is_open = false;
    for (const struct cm_syntax_entity *e = s->declare.entities.first; e; e = e->next) {
        if (is_left_out(w, e))
            continue;
        if (is_open && e->bytes == 0) {
            cm_put(w, ", ");
        } else {
            if (is_open)
                cm_end_line(w);
            put_type_head(w, s, e->bytes);
        }
        put_entity(w, e);
        is_open = e->bytes == 0;
        if (!is_open)
            cm_end_line(w);
    }
    if (is_open)
        cm_end_line(w);
    for (const struct cm_syntax_entity *e = s->declare.entities.first; e; e = e->next)
        if (e->data.first) {
            cm_begin_line(w, 0);
            cm_put(w, "data ");
            cm_put(w, e->name);
            put_data_group(w, &e->data);
            cm_end_line(w);
        }
}

/* Writes a COMMON or NAMELIST statement, which `word` begins. */
static void put_blocks(struct cm_writer *w, const struct cm_syntax_statement *s, const char *word)
{
    for (const struct cm_syntax_common *block = s->common; block; block = block->next) {
        cm_begin_line(w, 0);
        cm_put(w, word);
        cm_put(w, " /");
        cm_put(w, block->name);
        cm_put(w, "/ ");
        for (const struct cm_syntax_entity *e = block->entities.first; e; e = e->next) {
            put_entity(w, e);
            if (e->next)
                cm_put(w, ", ");
        }
        cm_end_line(w);
    }
}

static void put_data(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_begin_line(w, s->label);
    cm_put(w, "data ");
    for (const struct cm_syntax_data *group = s->data; group; group = group->next) {
        cm_put_arguments(w, &group->objects);
        put_data_group(w, &group->values);
        if (group->next)
            cm_put(w, ", ");
    }
    cm_end_line(w);
}

static void put_implicit(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    char letters[8] = "(a-b)";
    cm_begin_line(w, 0);
    cm_put(w, s->implicit.none ? "implicit none" : "implicit ");
    for (const struct cm_syntax_implicit *i = s->implicit.first; i; i = i->next) {
        cm_put_type(w, &i->type, 0);
        letters[1] = i->from;
        letters[3] = i->to;
        cm_put(w, " ");
        cm_put(w, letters);
        if (i->next)
            cm_put(w, ", ");
    }
    cm_end_line(w);
}

static void put_interface(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_begin_line(w, 0);
    cm_put(w, "interface ");
    if (s->interface.name)
        cm_put(w, s->interface.name);
    cm_end_line(w);
    w->indent += 2;
    for (const struct cm_syntax_unit *unit = s->interface.units; unit; unit = unit->next)
        cm_put_unit(w, unit);
    w->indent -= 2;
    cm_begin_line(w, 0);
    cm_put(w, "end interface");
    cm_end_line(w);
}

static void put_function(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_begin_line(w, s->label);
    cm_put(w, s->function.name);
    cm_put(w, "(");
    for (const struct cm_syntax_entity *e = s->function.arguments.first; e; e = e->next) {
        cm_put(w, e->name);
        if (e->next)
            cm_put(w, ", ");
    }
    cm_put(w, ") = ");
    cm_put_expression(w, s->function.value);
    cm_end_line(w);
}

static void put_layout(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    static const char *const orders[] = {":news", ":send", ":serial"};
    cm_put(w, "!cmf$ layout ");
    for (const struct cm_syntax_layout *layout = s->layout; layout; layout = layout->next) {
        cm_put(w, layout->name);
        cm_put(w, "(");
        for (const struct cm_syntax_axis *axis = layout->axes; axis; axis = axis->next) {
            if (axis->weight)
                cm_put_expression(w, axis->weight);
            cm_put(w, orders[axis->order]);
            cm_put(w, axis->next ? ", " : ")");
        }
        if (layout->next)
            cm_put(w, ", ");
    }
}

static void put_cmf_common(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_put(w, "!cmf$ common ");
    cm_put(w, s->cmf_common.cm_only ? "cmonly " : "");
    cm_put(w, s->cmf_common.fe_only ? "feonly " : "");
    cm_put(w, s->cmf_common.initialized ? "initialized " : "");
    for (const struct cm_syntax_entity *e = s->cmf_common.blocks.first; e; e = e->next) {
        put_entity(w, e);
        if (e->next)
            cm_put(w, ", ");
    }
}

/* Writes a directive if the tree itself is written. Standard Fortran has no directives. */
static void put_directive(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    if (!w->options.is_tree)
        return;
    cm_begin_line(w, 0);
    w->is_directive = true;
    if (s->kind == CM_STATEMENT_LAYOUT) {
        put_layout(w, s);
    } else if (s->kind == CM_STATEMENT_CMF_COMMON) {
        put_cmf_common(w, s);
    } else {
        cm_put(w, "!cmf$ align ");
        cm_put_expression(w, s->align.array);
        cm_put(w, " with ");
        cm_put_expression(w, s->align.with);
    }
    cm_end_line(w);
}

static void put_intent(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    uint32_t bits = s->declare.attributes;
    const char *keyword = bits == CM_ATTRIBUTE_IN    ? "intent(in) "
                          : bits == CM_ATTRIBUTE_OUT ? "intent(out) "
                                                     : "intent(inout) ";
    put_entities(w, &s->declare.entities, keyword, "");
}

static void put_format(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    cm_begin_line(w, s->label);
    cm_put(w, "format ");
    cm_put_long(w, s->format->string.bytes, s->format->string.length);
    cm_end_line(w);
}

void cm_put_declaration(struct cm_writer *w, const struct cm_syntax_statement *s)
{
    static const char *const keywords[] = {
        [CM_STATEMENT_DIMENSION] = "dimension ", [CM_STATEMENT_ALLOCATABLE] = "allocatable ",
        [CM_STATEMENT_SAVE] = "save ",           [CM_STATEMENT_EXTERNAL] = "external ",
        [CM_STATEMENT_INTRINSIC] = "intrinsic ", [CM_STATEMENT_OPTIONAL] = "optional ",
    };
    switch (s->kind) {
    case CM_STATEMENT_TYPE:
        put_type_statement(w, s);
        break;
    case CM_STATEMENT_PARAMETER:
        put_entities(w, &s->declare.entities, "parameter (", ")");
        break;
    case CM_STATEMENT_INTENT:
        put_intent(w, s);
        break;
    case CM_STATEMENT_COMMON:
        put_blocks(w, s, "common");
        break;
    case CM_STATEMENT_NAMELIST:
        put_blocks(w, s, "namelist");
        break;
    case CM_STATEMENT_DATA:
        put_data(w, s);
        break;
    case CM_STATEMENT_IMPLICIT:
        put_implicit(w, s);
        break;
    case CM_STATEMENT_INTERFACE:
        put_interface(w, s);
        break;
    case CM_STATEMENT_FUNCTION:
        put_function(w, s);
        break;
    case CM_STATEMENT_FORMAT:
        put_format(w, s);
        break;
    case CM_STATEMENT_LAYOUT:
    case CM_STATEMENT_ALIGN:
    case CM_STATEMENT_CMF_COMMON:
        put_directive(w, s);
        break;
    default:
        if (s->declare.entities.count == 0) {
            cm_begin_line(w, 0);
            cm_put(w, keywords[s->kind]);
            cm_end_line(w);
        }
        put_entities(w, &s->declare.entities, keywords[s->kind], "");
        break;
    }
}
