/* Checks the declarations of a unit, and collects the attributes of each name. variable.c makes the
 * variables later, when all declarations are known. */
#include "flow.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

/* Limit of the length of a CHARACTER value, in characters. */
#define LENGTH_MAX 10000

static void set_shape(struct cm_check *check, struct cm_symbol *symbol,
                      const struct cm_syntax_shape *shape, struct cm_source_place place)
{
    if (shape->count == 0)
        return;
    if (symbol->shape && symbol->shape != shape)
        cm_check_fail(check, place, "\"%s\" has dimensions already", symbol->name);
    else if (shape->count > CM_RANK_MAX)
        cm_check_fail(check, place, "\"%s\" has %u dimensions; at most %u are supported",
                      symbol->name, shape->count, CM_RANK_MAX);
    else
        symbol->shape = shape;
}

static void set_type(struct cm_check *check, struct cm_symbol *symbol, uint8_t type,
                     struct cm_source_place place)
{
    if (symbol->typed) {
        cm_check_fail(check, place, "\"%s\" has a type already", symbol->name);
        cm_messages_hint(check->messages, "it is declared as %s in line %u",
                         cm_fortran_type_text(symbol->type), symbol->place.line);
        return;
    }
    symbol->typed = true;
    symbol->type = type;
    symbol->place = place;
}

/* Returns the value that the option --param gives a PARAMETER of the main program, or NULL. */
static const struct cm_fortran_parameter *find_override(const struct cm_check *check,
                                                        const struct cm_symbol *symbol)
{
    if (!check->scope->is_main)
        return NULL;
    for (uint32_t i = 0; i < check->options->parameter_count; i++)
        if (strcasecmp(check->options->parameters[i].name, symbol->name) == 0)
            return &check->options->parameters[i];
    return NULL;
}

static bool can_hold(uint8_t type, const struct cm_fortran_parameter *parameter)
{
    double value = parameter->value;
    if (parameter->is_logical || type == CM_TYPE_LOGICAL)
        return parameter->is_logical && type == CM_TYPE_LOGICAL;
    if (type == CM_TYPE_INT32)
        return value == floor(value) && value >= INT32_MIN && value <= INT32_MAX;
    bool is_single = type == CM_TYPE_REAL32 || type == CM_TYPE_COMPLEX64;
    return type < CM_TYPE_COUNT && isfinite(is_single ? (double)(float)value : value);
}

static struct cm_fortran_expression *override_value(struct cm_check *check,
                                                    const struct cm_symbol *symbol,
                                                    const struct cm_fortran_parameter *parameter,
                                                    struct cm_source_place place)
{
    double value = parameter->value;
    if (symbol->shape)
        return cm_check_fail(
            check, place, "\"%s\" is an array: only its declaration gives it values", symbol->name);
    if (parameter->is_logical && !can_hold(symbol->type, parameter))
        return cm_check_fail(check, place, "%s is not a value of the %s \"%s\"",
                             value != 0 ? ".TRUE." : ".FALSE.", cm_fortran_type_text(symbol->type),
                             symbol->name);
    if (!can_hold(symbol->type, parameter))
        return cm_check_fail(check, place, "%g is not a value of the %s \"%s\"", value,
                             cm_fortran_type_text(symbol->type), symbol->name);
    struct cm_fortran_expression *constant =
        cm_check_new(check, CM_FORTRAN_CONSTANT, symbol->type, 0, place);
    if (constant && symbol->type == CM_TYPE_LOGICAL)
        constant->value.logical = value != 0;
    else if (constant)
        cm_constant_set(constant, value, 0);
    return constant;
}

/* Cuts a text to a length, or pads it with blanks. A negative length leaves it as it is. */
static struct cm_fortran_expression *set_length(struct cm_check *check,
                                                struct cm_fortran_expression *text, int32_t length)
{
    if (length < 0)
        return text;
    char *bytes = cm_check_take(check, (size_t)length + 1);
    if (!bytes)
        return NULL;
    for (uint32_t i = 0; i < (uint32_t)length; i++)
        bytes[i] = ' ';
    for (uint32_t i = 0; i < (uint32_t)length && i < text->text_length; i++)
        bytes[i] = text->text[i];
    text->text = bytes;
    text->text_length = (uint32_t)length;
    return text;
}

/* Returns the length that a declaration gives a CHARACTER, in characters: 1 by default, or -1 if
 * the value decides. */
static int32_t declared_length(struct cm_check *check, const struct cm_syntax_type *type,
                               const struct cm_syntax_entity *entity)
{
    const struct cm_syntax_expression *tree = entity->length ? entity->length : type->length;
    int32_t length;
    if (entity->any_length || (!entity->length && type->any_length))
        return -1;
    if (!tree)
        return 1;
    if (!cm_check_integer(check, tree, "a length", &length))
        return -1;
    if (length > LENGTH_MAX)
        cm_check_fail(check, tree->place, "a CHARACTER value has at most %d characters",
                      LENGTH_MAX);
    return length < 0 ? 0 : length > LENGTH_MAX ? -1 : length;
}

/* Checks the value of a PARAMETER, and converts it to the type of its name. */
static struct cm_fortran_expression *constant_value(struct cm_check *check,
                                                    struct cm_symbol *symbol,
                                                    const struct cm_syntax_expression *tree)
{
    const struct cm_fortran_parameter *parameter = find_override(check, symbol);
    if (parameter)
        return override_value(check, symbol, parameter, tree->place);
    struct cm_fortran_expression *result = cm_check_expression(check, tree);
    if (!result)
        return NULL;
    if (symbol->type == CM_FORTRAN_CHARACTER || result->kind == CM_FORTRAN_TEXT) {
        if (symbol->type == CM_FORTRAN_CHARACTER && result->kind == CM_FORTRAN_TEXT)
            return set_length(check, result, symbol->length);
        return cm_check_fail(check, tree->place, "%s \"%s\" cannot have a value of type %s",
                             cm_fortran_type_text(symbol->type), symbol->name,
                             cm_fortran_type_text(result->type));
    }
    result = cm_check_assigned(check, result, symbol->type);
    if (result && result->kind != CM_FORTRAN_CONSTANT)
        return cm_check_fail(check, tree->place, "the value of \"%s\" is not constant",
                             symbol->name);
    return result;
}

static void set_constant(struct cm_check *check, struct cm_symbol *symbol,
                         const struct cm_syntax_entity *entity)
{
    if (symbol->kind != CM_SYMBOL_OPEN || symbol->is_dummy || symbol->is_common) {
        cm_check_fail(check, entity->place, "\"%s\" cannot be a PARAMETER: it is something else",
                      symbol->name);
        return;
    }
    uint8_t type;
    if (!cm_symbol_type(check, symbol, &type))
        return;
    symbol->kind = CM_SYMBOL_CONSTANT;
    if (!entity->value)
        cm_check_fail(check, entity->place, "the PARAMETER \"%s\" has no value", symbol->name);
    else if (symbol->shape && find_override(check, symbol))
        override_value(check, symbol, find_override(check, symbol), entity->value->place);
    else if (symbol->shape)
        /* The values of a PARAMETER array are checked later, after its bounds. */
        symbol->initial = entity->value;
    else
        symbol->constant = constant_value(check, symbol, entity->value);
}

static void set_attributes(struct cm_check *check, struct cm_symbol *symbol, uint32_t attributes,
                           struct cm_source_place place)
{
    if (attributes & CM_ATTRIBUTE_ALLOCATABLE)
        symbol->is_allocatable = true;
    if (attributes & CM_ATTRIBUTE_SAVE)
        symbol->is_saved = true;
    if ((attributes & CM_ATTRIBUTE_OPTIONAL) && !symbol->is_dummy)
        cm_check_fail(check, place, "\"%s\" is OPTIONAL and is not an argument", symbol->name);
    else if (attributes & CM_ATTRIBUTE_OPTIONAL)
        symbol->is_optional = true;
    if (attributes & CM_ATTRIBUTE_INTRINSIC)
        symbol->is_intrinsic = true;
    if (attributes & CM_ATTRIBUTE_EXTERNAL) {
        symbol->is_external = true;
        symbol->kind = CM_SYMBOL_PROCEDURE;
    }
    uint32_t intent = attributes & (CM_ATTRIBUTE_IN | CM_ATTRIBUTE_OUT);
    if (intent != 0 && !symbol->is_dummy)
        cm_check_fail(check, place, "\"%s\" has an INTENT and is not an argument", symbol->name);
    else if (intent != 0)
        symbol->intent = intent;
}

static void declare_typed(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    for (const struct cm_syntax_entity *entity = tree->declare.entities.first; entity;
         entity = entity->next) {
        uint8_t type;
        struct cm_symbol *symbol = cm_symbol_of(check, entity->name, entity->place);
        if (!symbol)
            return;
        if (!cm_check_type(check, &tree->declare.type, entity->bytes, &type))
            type = CM_TYPE_REAL32;
        set_type(check, symbol, type, entity->place);
        if (type == CM_FORTRAN_CHARACTER)
            symbol->length = declared_length(check, &tree->declare.type, entity);
        set_attributes(check, symbol, tree->declare.attributes, entity->place);
        const struct cm_syntax_shape *shape = &entity->shape;
        set_shape(check, symbol, shape->count > 0 ? shape : &tree->declare.shape, entity->place);
        if (tree->declare.attributes & CM_ATTRIBUTE_PARAMETER)
            set_constant(check, symbol, entity);
        else if (entity->value)
            symbol->initial = entity->value;
        if (entity->data.count > 0)
            symbol->data = &entity->data;
        if (symbol->initial || symbol->data)
            symbol->is_saved = true;
    }
}

static void declare_one(struct cm_check *check, const struct cm_syntax_statement *tree,
                        const struct cm_syntax_entity *entity)
{
    struct cm_symbol *symbol = cm_symbol_of(check, entity->name, entity->place);
    if (!symbol)
        return;
    set_shape(check, symbol, &entity->shape, entity->place);
    switch (tree->kind) {
    case CM_STATEMENT_PARAMETER:
        set_constant(check, symbol, entity);
        break;
    case CM_STATEMENT_ALLOCATABLE:
        set_attributes(check, symbol, CM_ATTRIBUTE_ALLOCATABLE, entity->place);
        break;
    case CM_STATEMENT_EXTERNAL:
        set_attributes(check, symbol, CM_ATTRIBUTE_EXTERNAL, entity->place);
        break;
    case CM_STATEMENT_INTRINSIC:
        symbol->is_intrinsic = true;
        if (!cm_intrinsic_known(symbol->name))
            cm_check_fail(check, entity->place, "there is no intrinsic function \"%s\"",
                          symbol->name);
        break;
    case CM_STATEMENT_OPTIONAL:
        set_attributes(check, symbol, CM_ATTRIBUTE_OPTIONAL, entity->place);
        break;
    case CM_STATEMENT_INTENT:
        set_attributes(check, symbol, tree->declare.attributes, entity->place);
        break;
    default:
        symbol->is_saved = symbol->is_saved || tree->kind == CM_STATEMENT_SAVE;
        break;
    }
}

static void declare_names(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    if (tree->kind == CM_STATEMENT_SAVE && !tree->declare.entities.first)
        check->scope->saves_all = true;
    for (const struct cm_syntax_entity *entity = tree->declare.entities.first; entity;
         entity = entity->next)
        if (!entity->is_block) /* COMMON blocks always keep their values. */
            declare_one(check, tree, entity);
}

static void declare_common(struct cm_check *check, const struct cm_syntax_common *common)
{
    for (; common; common = common->next)
        for (const struct cm_syntax_entity *entity = common->entities.first; entity;
             entity = entity->next) {
            struct cm_symbol *symbol = cm_symbol_of(check, entity->name, entity->place);
            if (!symbol)
                return;
            set_shape(check, symbol, &entity->shape, entity->place);
            if (symbol->is_common)
                cm_check_fail(check, entity->place, "\"%s\" is in a COMMON block already",
                              symbol->name);
            else if (symbol->is_dummy || symbol->is_result)
                cm_check_fail(check, entity->place, "the argument \"%s\" cannot be in COMMON",
                              symbol->name);
            symbol->is_common = true;
        }
}

static void declare_implicit(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    check->scope->implicit_none = check->scope->implicit_none || tree->implicit.none;
    for (const struct cm_syntax_implicit *range = tree->implicit.first; range;
         range = range->next) {
        uint8_t type;
        if (!cm_check_type(check, &range->type, 0, &type))
            continue;
        for (char letter = range->from; letter <= range->to; letter++) {
            uint32_t bit = UINT32_C(1) << (letter - 'a');
            if (check->scope->implicit_given & bit)
                cm_check_fail(check, tree->place, "IMPLICIT gives the letter %c two types",
                              toupper((unsigned char)letter));
            check->scope->implicit_given |= bit;
            check->scope->implicit[letter - 'a'] = type;
        }
    }
}

static void declare_formula(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    struct cm_symbol *symbol = cm_symbol_of(check, tree->function.name, tree->place);
    if (!symbol)
        return;
    if (symbol->kind != CM_SYMBOL_OPEN || symbol->shape || symbol->is_dummy) {
        cm_check_fail(check, tree->place,
                      "\"%s\" cannot be a statement function: it is declared "
                      "as something else",
                      symbol->name);
        return;
    }
    symbol->kind = CM_SYMBOL_FORMULA;
    symbol->formula = tree;
}

/* Marks variables of a DATA statement as saved, because they keep their values between calls. */
static void declare_data(struct cm_check *check, const struct cm_syntax_arguments *objects)
{
    for (const struct cm_syntax_argument *object = objects->first; object; object = object->next) {
        const struct cm_syntax_expression *tree = object->value;
        if (tree->kind == CM_EXPRESSION_IMPLIED_DO) {
            declare_data(check, &tree->loop.items);
            continue;
        }
        const char *name = tree->kind == CM_EXPRESSION_NAME   ? tree->name
                           : tree->kind == CM_EXPRESSION_CALL ? tree->call.name
                                                              : NULL;
        struct cm_symbol *symbol = name ? cm_symbol_of(check, name, tree->place) : NULL;
        if (symbol)
            symbol->is_saved = true;
    }
}

static void declare_interface(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    if (tree->interface.name)
        cm_check_fail(check, tree->place, "generic names (INTERFACE %s) are not supported",
                      tree->interface.name);
    for (const struct cm_syntax_unit *unit = tree->interface.units; unit; unit = unit->next) {
        struct cm_symbol *symbol = cm_symbol_of(check, unit->name, unit->name_place);
        if (symbol) {
            symbol->kind = CM_SYMBOL_PROCEDURE;
            symbol->is_external = true;
            symbol->has_interface = true;
        }
    }
}

static void declare(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    switch (tree->kind) {
    case CM_STATEMENT_TYPE:
        declare_typed(check, tree);
        break;
    case CM_STATEMENT_DIMENSION:
    case CM_STATEMENT_ALLOCATABLE:
    case CM_STATEMENT_PARAMETER:
    case CM_STATEMENT_SAVE:
    case CM_STATEMENT_EXTERNAL:
    case CM_STATEMENT_INTRINSIC:
    case CM_STATEMENT_OPTIONAL:
    case CM_STATEMENT_INTENT:
        declare_names(check, tree);
        break;
    case CM_STATEMENT_COMMON:
        declare_common(check, tree->common);
        break;
    case CM_STATEMENT_DATA:
        for (const struct cm_syntax_data *data = tree->data; data; data = data->next)
            declare_data(check, &data->objects);
        break;
    case CM_STATEMENT_FUNCTION:
        declare_formula(check, tree);
        break;
    case CM_STATEMENT_INTERFACE:
        declare_interface(check, tree);
        break;
    default:
        break;
    }
}

static void declare_arguments(struct cm_check *check, const struct cm_syntax_unit *tree)
{
    for (const struct cm_syntax_entity *entity = tree->arguments.first; entity;
         entity = entity->next) {
        struct cm_symbol *symbol = cm_symbol_of(check, entity->name, entity->place);
        if (symbol && symbol->is_dummy)
            cm_check_fail(check, entity->place, "the argument \"%s\" is given twice", symbol->name);
        else if (symbol)
            symbol->is_dummy = true;
    }
}

/* Declares the name and the dummy arguments of an ENTRY. Arguments may have the names of
 * arguments of the unit. */
static void declare_entry(struct cm_check *check, const struct cm_syntax_statement *tree)
{
    if (tree->kind != CM_STATEMENT_ENTRY)
        return;
    struct cm_symbol *name = cm_symbol_of(check, tree->entry->name, tree->entry->name_place);
    if (name)
        name->kind = CM_SYMBOL_PROCEDURE;
    const struct cm_syntax_entity *entity = tree->entry->arguments.first;
    for (; entity; entity = entity->next) {
        struct cm_symbol *symbol = cm_symbol_of(check, entity->name, entity->place);
        if (symbol)
            symbol->is_dummy = true;
    }
}

/* Prevents that a unit uses its own name as a variable, unless the name is the result of the
 * function. */
static void declare_unit_name(struct cm_check *check, const struct cm_syntax_unit *tree)
{
    if (tree->name[0] == '\0')
        return;
    struct cm_symbol *symbol = cm_symbol_of(check, tree->name, tree->name_place);
    if (!symbol)
        return;
    if (symbol->is_dummy)
        cm_check_fail(check, symbol->place, "the argument has the name of its unit");
    if (tree->kind == CM_UNIT_FUNCTION && tree->result && tree->result != tree->name) {
        symbol->kind = CM_SYMBOL_PROCEDURE;
        symbol = cm_symbol_of(check, tree->result, tree->name_place);
    }
    if (!symbol)
        return;
    if (tree->kind != CM_UNIT_FUNCTION) {
        symbol->kind = CM_SYMBOL_PROCEDURE;
        return;
    }
    symbol->is_result = true;
    uint8_t type;
    if (tree->has_type && cm_check_type(check, &tree->type, 0, &type)) {
        symbol->typed = true;
        symbol->type = type;
    }
}

void cm_check_declarations(struct cm_check *check, struct cm_scope *scope)
{
    check->scope = scope;
    const struct cm_syntax_unit *tree = scope->tree;
    declare_arguments(check, tree);
    for (const struct cm_syntax_statement *statement = tree->block.first; statement;
         statement = statement->next)
        if (statement->kind == CM_STATEMENT_IMPLICIT)
            declare_implicit(check, statement);
    cm_check_each_statement(check, &tree->block, declare_entry);
    declare_unit_name(check, tree);
    cm_check_each_statement(check, &tree->block, declare); /* DATA may be within blocks */
}
