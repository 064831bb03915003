/* Parsers of expressions. Operators are parsed by precedence climbing: parse_level() reads operands
 * that are joined by operators of one precedence level or of tighter levels. Other functions parse
 * constants, names with the parentheses behind them, and array constructors. */
#include "parser.h"

#include <string.h>

/* Precedence levels of the operators. The last level binds tightest. .NOT. and the signs have one
 * operand. */
enum {
    LEVEL_EQUIVALENT = 1,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_CONCATENATE,
    LEVEL_ADD,
    LEVEL_MULTIPLY,
    LEVEL_POWER,
};

static struct cm_syntax_expression *parse_level(struct cm_parser *p, int level);

struct cm_syntax_expression *cm_new_expression(struct cm_parser *p, enum cm_expression_kind kind,
                                               struct cm_source_place place)
{
    struct cm_syntax_expression *expression = CM_NEW(p, struct cm_syntax_expression);
    expression->kind = kind;
    expression->place = place;
    expression->number = p->tree->expression_count++;
    return expression;
}

/* Makes the depth of the expression `outer` greater than that of its part `inner`, which may be
 * NULL. Reports an expression that is too deep for recursion over the tree. */
static void contain(struct cm_parser *p, struct cm_syntax_expression *outer,
                    const struct cm_syntax_expression *inner)
{
    if (!inner || inner->depth < outer->depth)
        return;
    outer->depth = inner->depth + 1;
    if (outer->depth > CM_EXPRESSION_MAX_DEPTH) {
        cm_fail_at(p, outer->place, "this expression has more than %u levels",
                   CM_EXPRESSION_MAX_DEPTH);
        cm_messages_hint(p->messages, "split it into several statements");
    }
}

static void contain_all(struct cm_parser *p, struct cm_syntax_expression *outer,
                        const struct cm_syntax_arguments *list)
{
    const struct cm_syntax_argument *argument = list->first;
    for (uint32_t i = 0; i < list->count && argument; i++, argument = argument->next)
        contain(p, outer, argument->value);
}

struct cm_syntax_argument *cm_add_argument(struct cm_parser *p, struct cm_syntax_arguments *list,
                                           struct cm_syntax_argument *last,
                                           struct cm_syntax_expression *value)
{
    struct cm_syntax_argument *argument = CM_NEW(p, struct cm_syntax_argument);
    argument->value = value;
    argument->place = value->place;
    if (last)
        last->next = argument;
    else
        list->first = argument;
    list->count++;
    return argument;
}

static int level_of(enum cm_word_kind kind)
{
    switch (kind) {
    case CM_WORD_EQV:
    case CM_WORD_NEQV:
        return LEVEL_EQUIVALENT;
    case CM_WORD_OR:
        return LEVEL_OR;
    case CM_WORD_AND:
        return LEVEL_AND;
    case CM_WORD_EQ:
    case CM_WORD_NE:
    case CM_WORD_LT:
    case CM_WORD_LE:
    case CM_WORD_GT:
    case CM_WORD_GE:
        return LEVEL_COMPARE;
    case CM_WORD_CONCATENATE:
        return LEVEL_CONCATENATE;
    case CM_WORD_PLUS:
    case CM_WORD_MINUS:
        return LEVEL_ADD;
    case CM_WORD_TIMES:
    case CM_WORD_DIVIDE:
        return LEVEL_MULTIPLY;
    case CM_WORD_POWER:
        return LEVEL_POWER;
    default:
        return 0;
    }
}

static enum cm_operator operator_of(enum cm_word_kind kind)
{
    return (enum cm_operator)((int)kind - (int)CM_WORD_PLUS + (int)CM_OPERATOR_PLUS);
}

/* Parses a range from its `:` on. `lower` is the bound before the `:`, or NULL. */
static struct cm_syntax_expression *parse_range(struct cm_parser *p,
                                                struct cm_syntax_expression *lower)
{
    struct cm_syntax_expression *range =
        cm_new_expression(p, CM_EXPRESSION_RANGE, lower ? lower->place : cm_place_here(p));
    range->range.lower = lower;
    bool has_stride = cm_accept(p, CM_WORD_COLONS);
    if (!has_stride) {
        cm_expect(p, CM_WORD_COLON, "");
        enum cm_word_kind next = cm_peek(p)->kind;
        if (next != CM_WORD_COLON && next != CM_WORD_COMMA && next != CM_WORD_CLOSE &&
            next != CM_WORD_CLOSE_SQUARE && next != CM_WORD_CLOSE_ARRAY && next != CM_WORD_END)
            range->range.upper = cm_parse_expression(p);
        has_stride = cm_accept(p, CM_WORD_COLON);
    }
    if (has_stride)
        range->range.stride = cm_parse_expression(p);
    contain(p, range, range->range.lower);
    contain(p, range, range->range.upper);
    contain(p, range, range->range.stride);
    return range;
}

static bool is_colon(const struct cm_parser *p)
{
    return cm_is(p, CM_WORD_COLON) || cm_is(p, CM_WORD_COLONS);
}

/* Parses a subscript: an expression or a range. */
static struct cm_syntax_expression *parse_subscript(struct cm_parser *p)
{
    if (is_colon(p))
        return parse_range(p, NULL);
    struct cm_syntax_expression *value = cm_parse_expression(p);
    return is_colon(p) ? parse_range(p, value) : value;
}

/* Parses a label of an alternate return, and appends it to *labels. */
static void parse_alternate(struct cm_parser *p, struct cm_syntax_label **labels)
{
    if (!labels)
        cm_fail_unsupported(p, "a label as an argument of a function");
    cm_next(p);
    struct cm_syntax_label *label = CM_NEW(p, struct cm_syntax_label);
    label->place = cm_place_here(p);
    label->label = cm_expect_label(p);
    while (labels && *labels)
        labels = &(*labels)->next;
    if (labels)
        *labels = label;
}

struct cm_syntax_arguments cm_parse_actuals(struct cm_parser *p, struct cm_syntax_label **labels)
{
    struct cm_syntax_arguments list = {0};
    struct cm_syntax_argument *last = NULL;
    if (cm_accept(p, CM_WORD_CLOSE))
        return list;
    do {
        const char *keyword = NULL;
        struct cm_source_place place = cm_place_here(p);
        if (cm_is(p, CM_WORD_TIMES)) {
            parse_alternate(p, labels);
            continue;
        }
        if (cm_is(p, CM_WORD_NAME) && cm_peek_ahead(p, 1)->kind == CM_WORD_ASSIGN) {
            keyword = cm_next(p)->text;
            cm_next(p);
        }
        last = cm_add_argument(p, &list, last, parse_subscript(p));
        last->keyword = keyword;
        last->place = place;
    } while (cm_accept(p, CM_WORD_COMMA));
    cm_expect(p, CM_WORD_CLOSE, "");
    return list;
}

struct cm_syntax_expression *cm_parse_designator(struct cm_parser *p)
{
    struct cm_source_place place;
    const char *name = cm_expect_name(p, "a variable", &place);
    struct cm_syntax_expression *made = cm_new_expression(p, CM_EXPRESSION_NAME, place);
    made->name = name;
    if (cm_accept(p, CM_WORD_OPEN)) {
        made->kind = CM_EXPRESSION_CALL;
        made->call.name = name;
        made->call.arguments = cm_parse_actuals(p, NULL);
        contain_all(p, made, &made->call.arguments);
    }
    if (made->kind == CM_EXPRESSION_CALL && cm_accept(p, CM_WORD_OPEN)) {
        struct cm_syntax_expression *of = made;
        made = cm_new_expression(p, CM_EXPRESSION_SUBSTRING, place);
        made->substring.of = of;
        made->substring.range =
            is_colon(p) ? parse_range(p, NULL) : parse_range(p, cm_parse_expression(p));
        cm_expect(p, CM_WORD_CLOSE, "");
        contain(p, made, of);
        contain(p, made, made->substring.range);
    }
    if (cm_is(p, CM_WORD_PERCENT))
        cm_fail_unsupported(p, "a component of a derived type");
    return made;
}

/* Returns whether the next parenthesis opens an implied DO loop: it contains ", NAME =" that is not
 * within inner parentheses. */
static bool is_implied_do(const struct cm_parser *p)
{
    uint32_t depth = 0;
    if (!cm_is(p, CM_WORD_OPEN))
        return false;
    const struct cm_word *token = cm_peek(p);
    for (;; token++) {
        if (token->kind == CM_WORD_OPEN || token->kind == CM_WORD_OPEN_ARRAY)
            depth++;
        else if (token->kind == CM_WORD_CLOSE || token->kind == CM_WORD_CLOSE_ARRAY)
            depth--;
        if (depth == 0 || token->kind == CM_WORD_END)
            return false;
        if (depth == 1 && token[0].kind == CM_WORD_COMMA && token[1].kind == CM_WORD_NAME &&
            token[2].kind == CM_WORD_ASSIGN)
            return true;
    }
}

/* Parses the entries of a list. The function `parse` reads an entry that is not an implied DO loop.
 * The list ends before ", NAME =", which controls an implied DO loop. */
static struct cm_syntax_arguments
parse_entries(struct cm_parser *p, struct cm_syntax_expression *(*parse)(struct cm_parser *p));

static struct cm_syntax_expression *
parse_implied_do(struct cm_parser *p, struct cm_syntax_expression *(*parse)(struct cm_parser *p))
{
    struct cm_syntax_expression *made =
        cm_new_expression(p, CM_EXPRESSION_IMPLIED_DO, cm_place_here(p));
    if (++p->depth > CM_PARSE_MAX_DEPTH)
        cm_fail(p, "implied loops are nested more than %u deep", CM_PARSE_MAX_DEPTH);
    cm_expect(p, CM_WORD_OPEN, "");
    made->loop.items = parse_entries(p, parse);
    cm_expect(p, CM_WORD_COMMA, "");
    made->loop.variable = cm_expect_name(p, "a loop variable", &made->loop.variable_place);
    cm_expect(p, CM_WORD_ASSIGN, "");
    made->loop.first = cm_parse_expression(p);
    cm_expect(p, CM_WORD_COMMA, " and the last value of the loop variable");
    made->loop.last = cm_parse_expression(p);
    if (cm_accept(p, CM_WORD_COMMA))
        made->loop.step = cm_parse_expression(p);
    cm_expect(p, CM_WORD_CLOSE, "");
    contain_all(p, made, &made->loop.items);
    contain(p, made, made->loop.first);
    contain(p, made, made->loop.last);
    contain(p, made, made->loop.step);
    p->depth--;
    return made;
}

static struct cm_syntax_arguments
parse_entries(struct cm_parser *p, struct cm_syntax_expression *(*parse)(struct cm_parser *p))
{
    struct cm_syntax_arguments list = {0};
    struct cm_syntax_argument *last = NULL;
    for (;;) {
        struct cm_syntax_expression *entry =
            is_implied_do(p) ? parse_implied_do(p, parse) : parse(p);
        last = cm_add_argument(p, &list, last, entry);
        bool is_control = cm_peek_ahead(p, 1)->kind == CM_WORD_NAME &&
                          cm_peek_ahead(p, 2)->kind == CM_WORD_ASSIGN;
        if (!cm_is(p, CM_WORD_COMMA) || is_control)
            return list;
        cm_next(p);
    }
}

struct cm_syntax_arguments cm_parse_items(struct cm_parser *p)
{
    return parse_entries(p, cm_parse_expression);
}

struct cm_syntax_arguments cm_parse_objects(struct cm_parser *p)
{
    return parse_entries(p, cm_parse_designator);
}

/* Parses an entry of an array constructor: a value, a range, or a repeated constructor such as 3[1,
 * 2]. */
static struct cm_syntax_expression *parse_constructor_entry(struct cm_parser *p)
{
    struct cm_syntax_expression *value = parse_subscript(p);
    if (!cm_is(p, CM_WORD_OPEN_SQUARE))
        return value;
    struct cm_syntax_expression *made = cm_new_expression(p, CM_EXPRESSION_REPEAT, value->place);
    made->repeat.count = value;
    made->repeat.value = parse_level(p, LEVEL_POWER);
    contain(p, made, value);
    contain(p, made, made->repeat.value);
    return made;
}

static struct cm_syntax_expression *parse_constructor(struct cm_parser *p)
{
    struct cm_syntax_expression *made =
        cm_new_expression(p, CM_EXPRESSION_CONSTRUCTOR, cm_place_here(p));
    enum cm_word_kind close =
        cm_next(p)->kind == CM_WORD_OPEN_SQUARE ? CM_WORD_CLOSE_SQUARE : CM_WORD_CLOSE_ARRAY;
    if (cm_is(p, close))
        cm_fail(p, "an array constructor needs at least one value");
    made->items = parse_entries(p, parse_constructor_entry);
    cm_expect(p, close, "");
    contain_all(p, made, &made->items);
    return made;
}

/* Returns whether the expression may be the real or imaginary part of a complex constant: a number
 * with or without a sign, or a name. */
static bool is_part(const struct cm_syntax_expression *e)
{
    if (e->kind == CM_EXPRESSION_UNARY)
        e = e->right;
    return e->kind == CM_EXPRESSION_INTEGER || e->kind == CM_EXPRESSION_REAL ||
           e->kind == CM_EXPRESSION_NAME;
}

/* Parses an expression in parentheses, or a complex constant. */
static struct cm_syntax_expression *parse_brackets(struct cm_parser *p)
{
    struct cm_source_place place = cm_place_here(p);
    cm_next(p);
    struct cm_syntax_expression *inner = cm_parse_expression(p), *made;
    if (!cm_accept(p, CM_WORD_COMMA)) {
        made = cm_new_expression(p, CM_EXPRESSION_PARENTHESES, place);
        made->right = inner;
    } else {
        struct cm_syntax_expression *imaginary = cm_parse_expression(p);
        made = cm_new_expression(p, CM_EXPRESSION_COMPLEX, place);
        made->pair.real = inner;
        made->pair.imaginary = imaginary;
        contain(p, made, imaginary);
        if (!p->is_bad && (!is_part(inner) || !is_part(imaginary))) {
            cm_fail_at(p, place, "the parts of a complex constant must be constants");
            cm_messages_hint(p->messages, "CMPLX(x, y) makes a complex number of any two");
        }
    }
    contain(p, made, inner);
    cm_expect(p, CM_WORD_CLOSE, "");
    return made;
}

static struct cm_syntax_expression *new_constant(struct cm_parser *p, const struct cm_word *token)
{
    struct cm_syntax_expression *made =
        cm_new_expression(p, CM_EXPRESSION_INTEGER, cm_place_of(p, token));
    made->kind_value = token->kind_value;
    made->kind_name = token->kind_name;
    made->is_bits = token->is_bits;
    if (token->kind == CM_WORD_INTEGER) {
        made->integer = token->value;
    } else if (token->kind == CM_WORD_REAL) {
        made->kind = CM_EXPRESSION_REAL;
        made->real.digits = token->text;
        made->real.is_double = token->is_double;
    } else if (token->kind == CM_WORD_LOGICAL) {
        made->kind = CM_EXPRESSION_LOGICAL;
        made->logical = token->value != 0;
    } else {
        made->kind = CM_EXPRESSION_STRING;
        made->string.bytes = token->text;
        made->string.length = token->length;
    }
    return made;
}

static struct cm_syntax_expression *parse_primary(struct cm_parser *p)
{
    const struct cm_word *token = cm_peek(p);
    switch (token->kind) {
    case CM_WORD_INTEGER:
    case CM_WORD_REAL:
    case CM_WORD_LOGICAL:
    case CM_WORD_STRING:
        return new_constant(p, cm_next(p));
    case CM_WORD_OPEN:
        return parse_brackets(p);
    case CM_WORD_OPEN_SQUARE:
    case CM_WORD_OPEN_ARRAY:
        return parse_constructor(p);
    case CM_WORD_NAME:
        return cm_parse_designator(p);
    default:
        cm_fail(p, "expected an expression, found %s", cm_word_kind_text(token->kind));
        if (token->kind == CM_WORD_END)
            cm_messages_hint(p->messages,
                             p->line.is_fixed
                                 ? "a statement continues in the next line with a & in "
                                   "column 6 of that"
                                 : "a statement continues in the next line with a & at "
                                   "the end of this one");
        return cm_new_expression(p, CM_EXPRESSION_INTEGER, cm_place_here(p));
    }
}

static struct cm_syntax_expression *new_operation(struct cm_parser *p, const struct cm_word *token,
                                                  struct cm_syntax_expression *left,
                                                  struct cm_syntax_expression *right)
{
    struct cm_syntax_expression *made = cm_new_expression(
        p, left ? CM_EXPRESSION_BINARY : CM_EXPRESSION_UNARY, cm_place_of(p, token));
    made->op = operator_of(token->kind);
    made->left = left;
    made->right = right;
    contain(p, made, left);
    contain(p, made, right);
    return made;
}

/* Puts an expression into parentheses, which the program does not have. */
static struct cm_syntax_expression *in_brackets(struct cm_parser *p,
                                                struct cm_syntax_expression *inner)
{
    struct cm_syntax_expression *made =
        cm_new_expression(p, CM_EXPRESSION_PARENTHESES, inner->place);
    made->right = inner;
    contain(p, made, inner);
    return made;
}

/* Parses an operand, or a sign or .NOT. with its operand. `level` is the precedence level of the
 * operator to the left. */
static struct cm_syntax_expression *parse_operand(struct cm_parser *p, int level)
{
    const struct cm_word *token = cm_peek(p);
    if (token->kind == CM_WORD_PLUS || token->kind == CM_WORD_MINUS) {
        cm_next(p);
        /* A sign behind another operator, as in A * -B, is an extension of most compilers. */
        bool follows = level > LEVEL_ADD;
        struct cm_syntax_expression *made = new_operation(
            p, token, NULL, parse_level(p, level > LEVEL_MULTIPLY ? LEVEL_POWER : LEVEL_MULTIPLY));
        return follows ? in_brackets(p, made) : made;
    }
    if (token->kind == CM_WORD_NOT) {
        if (level > LEVEL_NOT) {
            cm_fail(p, ".not. may not follow this operator");
            cm_messages_hint(p->messages, "put .not. and its operand in brackets");
        }
        cm_next(p);
        return new_operation(p, token, NULL, parse_level(p, LEVEL_NOT));
    }
    return parse_primary(p);
}

/* Parses operands that are joined by operators of precedence `level`, or of tighter levels. */
static struct cm_syntax_expression *parse_level(struct cm_parser *p, int level)
{
    if (++p->depth > CM_PARSE_MAX_DEPTH) {
        cm_fail(p, "this expression is nested more than %u deep", CM_PARSE_MAX_DEPTH);
        cm_messages_hint(p->messages, "split it into several statements");
    }
    struct cm_syntax_expression *left = parse_operand(p, level);
    for (;;) {
        const struct cm_word *token = cm_peek(p);
        int next = level_of(token->kind);
        if (next == 0 || next < level)
            break;
        cm_next(p);
        left = new_operation(p, token, left, parse_level(p, next == LEVEL_POWER ? next : next + 1));
        if (next == LEVEL_COMPARE && level_of(cm_peek(p)->kind) == LEVEL_COMPARE) {
            cm_fail(p, "comparisons cannot be chained");
            cm_messages_hint(p->messages, "write a < b .and. b < c");
        }
    }
    p->depth--;
    return left;
}

struct cm_syntax_expression *cm_parse_expression(struct cm_parser *p)
{
    return parse_level(p, LEVEL_EQUIVALENT);
}

struct cm_syntax_expression *cm_parse_constant(struct cm_parser *p)
{
    const struct cm_word *token = cm_peek(p);
    if (token->kind != CM_WORD_PLUS && token->kind != CM_WORD_MINUS)
        return parse_primary(p);
    cm_next(p);
    return new_operation(p, token, NULL, parse_primary(p));
}
