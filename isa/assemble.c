/*
 * The assembler: text, line by line, to an IMP. Whatever is wrong is reported where it stands, the
 * first fault of the text first; so names are defined above their use, and the verifier runs along,
 * an instruction at a time. The text form is described in docs/imp.md.
 */
#include "../base/suggest.h"
#include "../base/text.h"
#include "internal.h"
#include "lexer.h"
#include "symbols.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct assembler {
    const char *name; /* of the file, for messages */
    const char *text;
    size_t length;
    struct cm_error *err; /* never NULL */
    struct cm_imp *imp;   /* NULL until .imp */
    const struct cm_imp_limits *limits;
    struct cm_verifier verifier;
    struct cm_symbols symbols;
    uint32_t line; /* from 1 */
    struct cm_lexer lexer;
    struct cm_token token; /* the next one, not yet taken */
    /* The last label defined, while no instruction follows it. */
    bool label_pending;
    struct cm_token label;
    uint32_t label_line;
};

static enum cm_status fail_at(struct assembler *a, uint32_t line, uint32_t column,
                              const char *format, ...) CM_PRINTF(4, 5);
static void hint(struct assembler *a, const char *format, ...) CM_PRINTF(2, 3);

static enum cm_status fail_at(struct assembler *a, uint32_t line, uint32_t column,
                              const char *format, ...)
{
    char message[sizeof a->err->message];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    cm_error_at(a->err, CM_BAD_INPUT, a->name, line, column, "%s", message);
    cm_error_source(a->err, a->text, a->length);
    return CM_BAD_INPUT;
}

static void hint(struct assembler *a, const char *format, ...)
{
    char text[sizeof a->err->hint];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cm_error_hint(a->err, "%s", text);
}

static enum cm_status no_memory(struct assembler *a)
{
    return cm_error_set(a->err, CM_NO_MEMORY, "out of memory while assembling %s", a->name);
}

static void advance(struct assembler *a)
{
    a->token = cm_lexer_next(&a->lexer);
}

static bool built_in(const struct cm_token *token, struct cm_symbol *symbol)
{
    return cm_symbol_register(token->start, token->length, symbol);
}

static bool is_transposer(const struct cm_token *token)
{
    return token->kind == CM_TOKEN_NAME && token->length == 1 && token->start[0] >= 'A' &&
           token->start[0] <= 'C';
}

/* What a token is, for "found ...". */
static struct cm_quote describe(const struct assembler *a, const struct cm_token *token)
{
    struct cm_quote found;
    struct cm_symbol symbol = {.kind = CM_SYMBOL_NONE};
    struct cm_quote quote = cm_text_quote(token->start, token->length);
    if (token->kind == CM_TOKEN_END) {
        snprintf(found.text, sizeof found.text, "the end of the line");
        return found;
    }
    if (token->kind != CM_TOKEN_NAME)
        return quote;
    const struct cm_symbol *defined = cm_symbols_find(&a->symbols, token->start, token->length);
    if (defined)
        symbol = *defined;
    else if (!built_in(token, &symbol))
        return quote;
    snprintf(found.text, sizeof found.text, "the %s %.60s", cm_symbol_kind_name(symbol.kind),
             quote.text);
    return found;
}

static enum cm_status expected(struct assembler *a, const char *what)
{
    if (a->token.kind == CM_TOKEN_BAD)
        return fail_at(a, a->line, a->token.column, "%s %s", a->token.fault,
                       cm_text_quote(a->token.start, a->token.length).text);
    return fail_at(a, a->line, a->token.column, "expected %s, found %s", what,
                   describe(a, &a->token).text);
}

/* A name that stands where something of the kinds in `kinds` should: unknown, or of another
 * kind. */
static enum cm_status wrong_name(struct assembler *a, const char *what, unsigned kinds)
{
    char near[64];
    const struct cm_token *token = &a->token;
    struct cm_symbol symbol;
    if (token->kind != CM_TOKEN_NAME || built_in(token, &symbol) ||
        cm_symbols_find(&a->symbols, token->start, token->length))
        return expected(a, what);
    enum cm_status status =
        fail_at(a, a->line, token->column, "expected %s, but nothing named %s is defined above",
                what, cm_text_quote(token->start, token->length).text);
    if (cm_symbols_suggest(&a->symbols, kinds, token->start, token->length, near))
        hint(a, "did you mean \"%s\"?", near);
    return status;
}

static unsigned bit(enum cm_symbol_kind kind)
{
    return 1u << kind;
}

/* The symbol that the current token names, if it is of the kinds in `kinds`; takes the token. */
static bool take_symbol(struct assembler *a, unsigned kinds, struct cm_symbol *symbol)
{
    if (a->token.kind != CM_TOKEN_NAME)
        return false;
    const struct cm_symbol *defined = cm_symbols_find(&a->symbols, a->token.start, a->token.length);
    /* An argument may be called r3, and still r3 is a register where a register is due. */
    if (defined && (kinds & bit(defined->kind)))
        *symbol = *defined;
    else if (!built_in(&a->token, symbol) || !(kinds & bit(symbol->kind)))
        return false;
    advance(a);
    return true;
}

static enum cm_status out_of_range(struct assembler *a, const struct cm_token *token, bool negative,
                                   const char *what, int64_t min, int64_t max)
{
    return fail_at(a, a->line, token->column, "%s %s%s is out of range, expected %lld to %lld",
                   what, negative ? "-" : "", cm_text_clip(token->start, token->length).text,
                   (long long)min, (long long)max);
}

/* An integer: a number or a symbolic one, with a sign or without. */
static enum cm_status read_integer(struct assembler *a, enum cm_operand_kind kind, int64_t min,
                                   int64_t max, bool negative, int64_t *value)
{
    const struct cm_kind_info *info = cm_kind_info(kind);
    struct cm_token number = a->token;
    struct cm_symbol symbol;
    if (number.kind == CM_TOKEN_INTEGER) {
        *value = number.value;
        advance(a);
    } else if (take_symbol(a, bit(CM_SYMBOL_INTEGER), &symbol)) {
        *value = symbol.value;
    } else {
        return wrong_name(a, kind == CM_OPERAND_MEM ? "an offset in words" : info->expected,
                          bit(CM_SYMBOL_INTEGER));
    }
    if (negative)
        *value = -*value;
    if (*value < min || *value > max)
        return out_of_range(a, &number, negative, kind == CM_OPERAND_MEM ? "OFFSET" : info->form,
                            min, max);
    return CM_OK;
}

static bool take(struct assembler *a, char punctuation)
{
    if (!cm_token_is(&a->token, punctuation))
        return false;
    advance(a);
    return true;
}

/* A word may also be written without a sign, and as a floating-point number. */
static enum cm_status read_word(struct assembler *a, struct cm_operand *operand)
{
    bool negative = take(a, '-');
    struct cm_symbol symbol = {.value = a->token.value};
    bool is_float = a->token.kind == CM_TOKEN_FLOAT;
    if (is_float)
        advance(a);
    else
        is_float = take_symbol(a, bit(CM_SYMBOL_FLOAT), &symbol);
    int64_t value = symbol.value;
    if (is_float) {
        value ^= negative ? INT64_C(0x80000000) : 0;
    } else {
        enum cm_status status =
            read_integer(a, CM_OPERAND_WORD, CM_IMM_MIN, UINT32_MAX, negative, &value);
        if (status != CM_OK)
            return status;
    }
    *operand = cm_word((uint32_t)value);
    return CM_OK;
}

static enum cm_status read_plain(struct assembler *a, enum cm_operand_kind kind,
                                 struct cm_operand *operand)
{
    const struct cm_kind_info *info = cm_kind_info(kind);
    int64_t value = 0;
    bool negative = take(a, '-');
    enum cm_status status = read_integer(a, kind, info->min, info->max, negative, &value);
    if (status == CM_OK)
        *operand = cm_value(value);
    return status;
}

static enum cm_status no_register(struct assembler *a, const struct cm_token *name,
                                  const char *wanted)
{
    return fail_at(a, a->line, name->column, "there is no register %s; expected %s",
                   cm_text_clip(name->start, name->length).text, wanted);
}

static enum cm_status read_register(struct assembler *a, enum cm_operand_kind kind,
                                    struct cm_operand *operand)
{
    enum cm_symbol_kind wanted = kind == CM_OPERAND_FREG ? CM_SYMBOL_FPU : CM_SYMBOL_REGISTER;
    struct cm_symbol symbol;
    struct cm_token name = a->token;
    if (!take_symbol(a, bit(wanted), &symbol))
        return wrong_name(a, cm_kind_info(kind)->expected, bit(wanted));
    if (symbol.value >= (kind == CM_OPERAND_FREG ? CM_FPU_REGISTERS : CM_ADDRESS_REGISTERS))
        return no_register(a, &name, cm_kind_info(kind)->expected);
    *operand = cm_reg((unsigned)symbol.value);
    return CM_OK;
}

/* Arguments and labels; an argument of the other kind is left to the verifier, which says so
 * better. */
static enum cm_status read_named(struct assembler *a, enum cm_operand_kind kind,
                                 struct cm_operand *operand)
{
    unsigned kinds = kind == CM_OPERAND_LABEL ? bit(CM_SYMBOL_LABEL)
                                              : bit(CM_SYMBOL_ADDRESS) | bit(CM_SYMBOL_SCALAR);
    struct cm_symbol symbol;
    if (!take_symbol(a, kinds, &symbol))
        return wrong_name(a, cm_kind_info(kind)->expected, kinds);
    *operand = cm_value(symbol.value);
    return CM_OK;
}

static enum cm_status read_memory(struct assembler *a, struct cm_operand *operand)
{
    if (!take(a, '['))
        return expected(a, cm_kind_info(CM_OPERAND_MEM)->expected);
    struct cm_token first = a->token;
    enum cm_status status = read_register(a, CM_OPERAND_REG, operand);
    if (status == CM_BAD_INPUT && !a->err->hint[0]) {
        const struct cm_symbol *symbol = cm_symbols_find(&a->symbols, first.start, first.length);
        if (first.kind == CM_TOKEN_NAME && symbol && symbol->kind == CM_SYMBOL_ADDRESS)
            hint(a, "put the argument into a register first, as in: aarg r0, %.*s",
                 (int)first.length, first.start);
    }
    if (status != CM_OK)
        return status;
    int64_t offset = 0;
    bool negative = cm_token_is(&a->token, '-');
    if (take(a, '+') || take(a, '-'))
        status = read_integer(a, CM_OPERAND_MEM, CM_OFFSET_MIN, CM_OFFSET_MAX, negative, &offset);
    if (status != CM_OK)
        return status;
    operand->value = (int32_t)offset;
    return take(a, ']') ? CM_OK : expected(a, "\"]\"");
}

static enum cm_status read_transposer(struct assembler *a, enum cm_operand_kind kind,
                                      struct cm_operand *operand)
{
    const char *what = cm_kind_info(kind)->expected;
    if (!is_transposer(&a->token))
        return expected(a, what);
    *operand = cm_reg((unsigned)(a->token.start[0] - 'A'));
    advance(a);
    if (kind == CM_OPERAND_TRANS)
        return CM_OK;
    if (!take(a, '.'))
        return expected(a, "\".\" and a slot");
    int64_t slot = 0;
    struct cm_token number = a->token;
    struct cm_symbol symbol;
    if (number.kind == CM_TOKEN_INTEGER)
        slot = number.value;
    else if (number.kind == CM_TOKEN_NAME && take_symbol(a, bit(CM_SYMBOL_INTEGER), &symbol))
        slot = symbol.value;
    else
        return wrong_name(a, "the number of a slot", bit(CM_SYMBOL_INTEGER));
    if (number.kind == CM_TOKEN_INTEGER)
        advance(a);
    if (slot < 0 || slot >= CM_SLOTS_MAX || slot >= a->verifier.limits.slots)
        return out_of_range(a, &number, false, "slot", 0, (int64_t)a->verifier.limits.slots - 1);
    operand->value = (int32_t)slot;
    return CM_OK;
}

static enum cm_status read_operand(struct assembler *a, enum cm_operand_kind kind,
                                   struct cm_operand *operand)
{
    switch (kind) {
    case CM_OPERAND_REG:
    case CM_OPERAND_FREG:
        return read_register(a, kind, operand);
    case CM_OPERAND_ARG:
    case CM_OPERAND_SARG:
    case CM_OPERAND_LABEL:
        return read_named(a, kind, operand);
    case CM_OPERAND_WORD:
        return read_word(a, operand);
    case CM_OPERAND_MEM:
        return read_memory(a, operand);
    case CM_OPERAND_TRANS:
    case CM_OPERAND_SLOT:
        return read_transposer(a, kind, operand);
    default:
        return read_plain(a, kind, operand);
    }
}

static enum cm_status hint_form(struct assembler *a, enum cm_op op, enum cm_status status)
{
    char form[CM_FORM_MAX];
    if (status != CM_BAD_INPUT || a->err->hint[0])
        return status;
    cm_op_form(op, form);
    hint(a, "the form is: %s", form);
    return status;
}

static enum cm_status wrong_count(struct assembler *a, enum cm_op op, unsigned found)
{
    const struct cm_op_info *info = cm_op_info(op);
    if (found > info->operand_count)
        return fail_at(a, a->line, a->token.column, "%s takes %u operand%s, found more",
                       info->mnemonic, info->operand_count, info->operand_count == 1 ? "" : "s");
    return fail_at(a, a->line, a->token.column, "%s takes %u operand%s, found %u", info->mnemonic,
                   info->operand_count, info->operand_count == 1 ? "" : "s", found);
}

/* The operands of `op`, with the column of each. */
static enum cm_status read_operands(struct assembler *a, enum cm_op op, struct cm_operand *operands,
                                    uint32_t columns[CM_OPERANDS_MAX])
{
    const struct cm_op_info *info = cm_op_info(op);
    for (unsigned i = 0; i < info->operand_count; i++) {
        if (a->token.kind == CM_TOKEN_END)
            return wrong_count(a, op, i);
        if (i > 0 && !take(a, ','))
            return expected(a, "\",\"");
        if (a->token.kind == CM_TOKEN_END)
            return wrong_count(a, op, i);
        columns[i] = a->token.column;
        enum cm_status status = read_operand(a, info->operands[i], &operands[i]);
        if (status != CM_OK)
            return status;
    }
    if (cm_token_is(&a->token, ',') || (info->operand_count == 0 && a->token.kind != CM_TOKEN_END))
        return wrong_count(a, op, info->operand_count + 1u);
    if (a->token.kind != CM_TOKEN_END)
        return expected(a, "the end of the line");
    return CM_OK;
}

static enum cm_status fault_fail(struct assembler *a, const struct cm_imp_fault *fault,
                                 uint32_t line, uint32_t column)
{
    fail_at(a, line, column, "%s", fault->message);
    if (fault->hint[0])
        hint(a, "%s", fault->hint);
    return CM_BAD_INPUT;
}

static enum cm_status unknown_mnemonic(struct assembler *a, const struct cm_token *token)
{
    static const char *const mnemonics[] = {
#define CM_OP(symbol, mnemonic, cost, k1, k2, k3, k4, k5, effect, source) mnemonic,
#include "isa.def"
#undef CM_OP
    };
    struct cm_quote name = cm_text_clip(token->start, token->length);
    fail_at(a, a->line, token->column, "unknown instruction \"%s\"", name.text);
    const char *near = cm_suggest(name.text, mnemonics, CM_OP_COUNT);
    if (near)
        hint(a, "did you mean \"%s\"?", near);
    return CM_BAD_INPUT;
}

static enum cm_op find_op(const struct cm_token *token)
{
    for (unsigned op = 0; op < CM_OP_COUNT; op++) {
        const char *mnemonic = cm_op_info((enum cm_op)op)->mnemonic;
        if (strncmp(mnemonic, token->start, token->length) == 0 && !mnemonic[token->length])
            return (enum cm_op)op;
    }
    return CM_OP_COUNT;
}

static enum cm_status read_instruction(struct assembler *a, const struct cm_token *mnemonic)
{
    enum cm_op op = find_op(mnemonic);
    if (op == CM_OP_COUNT)
        return unknown_mnemonic(a, mnemonic);
    struct cm_operand operands[CM_OPERANDS_MAX] = {{0}};
    uint32_t columns[CM_OPERANDS_MAX] = {0};
    enum cm_status status = hint_form(a, op, read_operands(a, op, operands, columns));
    if (status != CM_OK)
        return status;
    uint32_t index = cm_imp_emit(a->imp, op, operands, cm_op_info(op)->operand_count);
    if (a->imp->failed)
        return no_memory(a);
    a->imp->code[index].line = a->line;
    a->label_pending = false;
    struct cm_imp_fault fault;
    status = cm_verifier_step(&a->verifier, index, &fault);
    if (status == CM_BAD_INPUT)
        return fault_fail(a, &fault, a->line,
                          fault.operand < 0 ? mnemonic->column : columns[fault.operand]);
    return status == CM_OK ? CM_OK : no_memory(a);
}

static enum cm_status define(struct assembler *a, const struct cm_token *token,
                             enum cm_symbol_kind kind, int64_t value)
{
    struct cm_quote name = cm_text_quote(token->start, token->length);
    if (token->length > CM_IMP_NAME_MAX)
        return fail_at(a, a->line, token->column, "the name is longer than %u characters",
                       CM_IMP_NAME_MAX);
    const struct cm_symbol *old = cm_symbols_find(&a->symbols, token->start, token->length);
    if (old)
        return fail_at(a, a->line, token->column, "%s is already defined, as %s %s on line %u",
                       name.text, old->kind == CM_SYMBOL_ADDRESS ? "an" : "a",
                       cm_symbol_kind_name(old->kind), old->line);
    struct cm_symbol symbol = {.name = token->start,
                               .length = token->length,
                               .kind = kind,
                               .value = value,
                               .line = a->line};
    return cm_symbols_add(&a->symbols, &symbol) ? CM_OK : no_memory(a);
}

static enum cm_status directive_imp(struct assembler *a, const struct cm_token *directive)
{
    if (a->imp)
        return fail_at(a, a->line, directive->column, "the IMP already has a name, \"%s\"",
                       a->imp->name);
    struct cm_token name = cm_lexer_next_word(&a->lexer);
    if (!cm_imp_name_valid(name.start, name.length)) {
        if (name.kind == CM_TOKEN_END)
            fail_at(a, a->line, name.column, "expected the IMP's name, found the end of the line");
        else
            fail_at(a, a->line, name.column, "%s cannot be the name of an IMP",
                    cm_text_quote(name.start, name.length).text);
        hint(a, "a name has at most %u letters, digits, '_', '-' and '.', and begins with a letter",
             CM_IMP_NAME_MAX);
        return CM_BAD_INPUT;
    }
    char text[CM_IMP_NAME_MAX + 1] = "";
    memcpy(text, name.start, name.length);
    a->imp = cm_imp_create(text);
    if (!a->imp || cm_imp_set_source(a->imp, a->name) != CM_OK)
        return no_memory(a);
    cm_verifier_init(&a->verifier, a->imp, a->limits);
    advance(a);
    return CM_OK;
}

static enum cm_status read_arguments(struct assembler *a, enum cm_argument_kind kind)
{
    advance(a);
    do {
        struct cm_token token = a->token;
        char name[CM_IMP_NAME_MAX + 1] = "";
        if (token.kind != CM_TOKEN_NAME)
            return expected(a, "the name of an argument");
        if (a->imp->argument_count == CM_IMP_ARGUMENTS_MAX)
            return fail_at(a, a->line, token.column, "an IMP has at most %u arguments",
                           CM_IMP_ARGUMENTS_MAX);
        enum cm_status status =
            define(a, &token, kind == CM_ARGUMENT_SCALAR ? CM_SYMBOL_SCALAR : CM_SYMBOL_ADDRESS,
                   a->imp->argument_count);
        if (status != CM_OK)
            return status;
        memcpy(name, token.start, token.length);
        cm_imp_argument(a->imp, name, kind);
        if (a->imp->failed)
            return no_memory(a);
        advance(a);
    } while (take(a, ','));
    return CM_OK;
}

static enum cm_status directive_address(struct assembler *a, const struct cm_token *directive)
{
    (void)directive;
    return read_arguments(a, CM_ARGUMENT_ADDRESS);
}

static enum cm_status directive_scalar(struct assembler *a, const struct cm_token *directive)
{
    (void)directive;
    return read_arguments(a, CM_ARGUMENT_SCALAR);
}

/* What an .equ stands for: a number, a register, or what another .equ does. */
static enum cm_status read_equ_value(struct assembler *a, enum cm_symbol_kind *kind, int64_t *value)
{
    static const char what[] = "a number or a register";
    const unsigned numbers = bit(CM_SYMBOL_INTEGER) | bit(CM_SYMBOL_FLOAT);
    const unsigned registers = bit(CM_SYMBOL_REGISTER) | bit(CM_SYMBOL_FPU);
    bool negative = take(a, '-');
    struct cm_token token = a->token;
    struct cm_symbol symbol = {.value = token.value};
    if (token.kind == CM_TOKEN_INTEGER || token.kind == CM_TOKEN_FLOAT) {
        symbol.kind = token.kind == CM_TOKEN_FLOAT ? CM_SYMBOL_FLOAT : CM_SYMBOL_INTEGER;
        advance(a);
    } else if (!take_symbol(a, negative ? numbers : numbers | registers, &symbol)) {
        return wrong_name(a, what, numbers | registers);
    }
    *kind = symbol.kind;
    *value = symbol.value;
    if (negative)
        *value = *kind == CM_SYMBOL_FLOAT ? *value ^ INT64_C(0x80000000) : -*value;
    if (*kind == CM_SYMBOL_FPU && *value >= CM_FPU_REGISTERS)
        return no_register(a, &token, cm_kind_info(CM_OPERAND_FREG)->expected);
    if (*kind == CM_SYMBOL_REGISTER && *value >= CM_ADDRESS_REGISTERS)
        return no_register(a, &token, cm_kind_info(CM_OPERAND_REG)->expected);
    if (*kind == CM_SYMBOL_INTEGER && (*value < CM_IMM_MIN || *value > UINT32_MAX))
        return out_of_range(a, &token, negative, "number", CM_IMM_MIN, UINT32_MAX);
    return CM_OK;
}

static enum cm_status directive_equ(struct assembler *a, const struct cm_token *directive)
{
    (void)directive;
    struct cm_symbol symbol;
    advance(a);
    struct cm_token name = a->token;
    if (name.kind != CM_TOKEN_NAME)
        return expected(a, "a name");
    if (built_in(&name, &symbol) || is_transposer(&name))
        return fail_at(a, a->line, name.column, "%s is the name of a %s already",
                       cm_text_quote(name.start, name.length).text,
                       is_transposer(&name) ? "transposer" : "register");
    advance(a);
    if (!take(a, ','))
        return expected(a, "\",\"");
    enum cm_symbol_kind kind = CM_SYMBOL_NONE;
    int64_t value = 0;
    enum cm_status status = read_equ_value(a, &kind, &value);
    return status == CM_OK ? define(a, &name, kind, value) : status;
}

static const struct directive {
    const char *name;
    const char *form;
    enum cm_status (*read)(struct assembler *a, const struct cm_token *directive);
} directives[] = {
    {"imp", ".imp NAME", directive_imp},
    {"address", ".address NAME, ...", directive_address},
    {"scalar", ".scalar NAME, ...", directive_scalar},
    {"equ", ".equ NAME, VALUE", directive_equ},
};
#define DIRECTIVES (sizeof directives / sizeof directives[0])

static enum cm_status unknown_directive(struct assembler *a, uint32_t column,
                                        const struct cm_token *name)
{
    const char *names[DIRECTIVES];
    struct cm_quote clip = cm_text_clip(name->start, name->length);
    for (size_t i = 0; i < DIRECTIVES; i++)
        names[i] = directives[i].name;
    fail_at(a, a->line, column, "unknown directive \".%s\"", clip.text);
    const char *near = cm_suggest(clip.text, names, DIRECTIVES);
    if (near)
        hint(a, "did you mean \".%s\"?", near);
    else
        hint(a, "there are .imp, .address, .scalar and .equ");
    return CM_BAD_INPUT;
}

/* Everything but .imp itself comes after it. */
static enum cm_status require_imp(struct assembler *a, uint32_t column)
{
    if (a->imp)
        return CM_OK;
    fail_at(a, a->line, column, "the IMP has no name yet");
    hint(a, "begin with: .imp NAME");
    return CM_BAD_INPUT;
}

/* The token is the '.'; what follows is read by each directive, from the token after its name
 * on. */
static enum cm_status read_directive(struct assembler *a)
{
    struct cm_token dot = a->token;
    advance(a);
    struct cm_token name = a->token;
    if (name.kind != CM_TOKEN_NAME || name.column != dot.column + 1)
        return expected(a, "the name of a directive right after \".\"");
    const struct directive *found = NULL;
    for (size_t i = 0; i < DIRECTIVES && !found; i++)
        if (strlen(directives[i].name) == name.length &&
            memcmp(directives[i].name, name.start, name.length) == 0)
            found = &directives[i];
    if (!found)
        return unknown_directive(a, dot.column, &name);
    enum cm_status status = found->read == directive_imp ? CM_OK : require_imp(a, dot.column);
    if (status != CM_OK)
        return status;
    status = found->read(a, &dot);
    if (status == CM_OK && a->token.kind != CM_TOKEN_END)
        status = expected(a, "the end of the line");
    if (status == CM_BAD_INPUT && !a->err->hint[0])
        hint(a, "the form is: %s", found->form);
    return status;
}

/* Any labels, then at most one instruction. */
static enum cm_status read_statement(struct assembler *a)
{
    while (a->token.kind == CM_TOKEN_NAME) {
        struct cm_token name = a->token;
        enum cm_status status = require_imp(a, name.column);
        if (status != CM_OK)
            return status;
        advance(a);
        if (!take(a, ':'))
            return read_instruction(a, &name);
        status = define(a, &name, CM_SYMBOL_LABEL, a->imp->length);
        if (status != CM_OK)
            return status;
        a->label_pending = true;
        a->label = name;
        a->label_line = a->line;
    }
    if (a->token.kind == CM_TOKEN_END)
        return CM_OK;
    return expected(a, "an instruction, a label or a directive");
}

static enum cm_status read_line(struct assembler *a, const char *line, size_t length)
{
    uint32_t column = 0;
    const char *fault = cm_lexer_check(line, length, &column);
    if (fault)
        return fail_at(a, a->line, column, "%s", fault);
    cm_lexer_init(&a->lexer, line, length);
    advance(a);
    if (cm_token_is(&a->token, '.'))
        return read_directive(a);
    return read_statement(a);
}

static enum cm_status read_end(struct assembler *a)
{
    struct cm_imp_fault fault;
    if (!a->imp) {
        fail_at(a, a->line ? a->line : 1, 1, "the text holds no IMP");
        hint(a, "begin with .imp NAME and end with halt");
        return CM_BAD_INPUT;
    }
    if (a->label_pending)
        return fail_at(a, a->label_line, a->label.column, "no instruction follows the label %s",
                       cm_text_quote(a->label.start, a->label.length).text);
    if (cm_verifier_end(&a->verifier, &fault) == CM_OK)
        return CM_OK;
    bool placed = fault.instruction < a->imp->length;
    return fault_fail(a, &fault, placed ? a->imp->code[fault.instruction].line : a->line, 1);
}

static enum cm_status read_text(struct assembler *a)
{
    if (a->length > CM_IMP_MAX_BYTES)
        return cm_error_at(a->err, CM_BAD_INPUT, a->name, 0, 0,
                           "the text has %zu bytes, at most %u are read", a->length,
                           CM_IMP_MAX_BYTES);
    size_t at = 0;
    while (at < a->length) {
        const char *newline = memchr(a->text + at, '\n', a->length - at);
        size_t end = newline ? (size_t)(newline - a->text) : a->length;
        a->line++;
        enum cm_status status = read_line(a, a->text + at, end - at);
        if (status != CM_OK)
            return status;
        at = end + 1;
    }
    return read_end(a);
}

enum cm_status cm_imp_assemble(const char *name, const char *text, size_t length,
                               const struct cm_imp_limits *limits, struct cm_imp **imp,
                               struct cm_error *err)
{
    struct cm_error unread;
    struct assembler a = {.name = name ? name : "",
                          .text = text,
                          .length = length,
                          .err = err ? err : &unread,
                          .limits = limits};
    enum cm_status status = read_text(&a);
    cm_symbols_finish(&a.symbols);
    cm_verifier_finish(&a.verifier);
    *imp = NULL;
    if (status == CM_OK)
        *imp = a.imp;
    else
        cm_imp_destroy(a.imp);
    return status;
}
