/*
 * The assembler turns text into an IMP, line by line. It reports the first fault of the text, with
 * line and column. So each name must be defined above its use, and the verifier checks each
 * instruction as soon as it is read. docs/imp.md describes the text form.
 */
#include "../base/suggest.h"
#include "../base/text.h"
#include "isa_private.h"
#include "lexer.h"
#include "symbols.h"
#include "verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct assembler {
    const char *name; /* name of the file in messages */
    const char *text;
    size_t length;
    enum cm_status status; /* first error, or CM_OK. Text after an error is ignored */
    struct cm_error *err;  /* never NULL */
    /* true if the last call of fail reported its error, so that hint may add advice to it */
    bool failed_now;
    struct cm_imp *imp; /* NULL until .imp is read */
    const struct cm_imp_limits *limits;
    struct cm_verifier verifier;
    struct cm_symbols symbols;
    uint32_t line; /* from 1 */
    struct cm_lexer lexer;
    struct cm_token token; /* next token, not yet taken */
    /* last label, and true in `label_pending` while no instruction has followed the label */
    bool label_pending;
    struct cm_token label;
    uint32_t label_line;
    const struct directive *directive; /* the directive being read */
};

struct directive {
    const char *name;
    const char *form;
    /* function that reads the rest of the line, beginning with the directive's name */
    void (*read)(struct assembler *a);
    enum cm_argument_kind kind; /* kind of the arguments that the directive declares */
};

static bool ok(const struct assembler *a)
{
    return a->status == CM_OK;
}

/* Returns true if no error has been reported before, so that the present error is reported. */
static bool may_fail(struct assembler *a)
{
    a->failed_now = ok(a);
    return a->failed_now;
}

static void failed(struct assembler *a, enum cm_status status)
{
    a->status = status;
    cm_error_source(a->err, a->text, a->length);
}

/* fail() reports an error on the current line. hint() adds advice to the error that fail() has just
 * made. */
#define fail(a, column, ...)                                                                       \
    (may_fail(a) ? failed(a, cm_error_at((a)->err, CM_BAD_INPUT, (a)->name, (a)->line, column,     \
                                         __VA_ARGS__))                                             \
                 : (void)0)
#define hint(a, ...) ((a)->failed_now ? (void)cm_error_hint((a)->err, __VA_ARGS__) : (void)0)

/* Adds the general form of the line as a hint to an error without a better hint. */
static void hint_form(struct assembler *a, const char *form)
{
    if (a->status == CM_BAD_INPUT && !a->err->hint[0])
        cm_error_hint(a->err, "the form is: %s", form);
}

static void out_of_memory(struct assembler *a)
{
    if (ok(a))
        a->status = cm_error_no_memory(a->err);
}

static void advance(struct assembler *a)
{
    a->token = cm_lexer_next(&a->lexer);
}

static bool take(struct assembler *a, char punctuation)
{
    if (!cm_token_is(&a->token, punctuation))
        return false;
    advance(a);
    return true;
}

static struct cm_quote quote(const struct cm_token *token)
{
    return cm_text_quote(token->start, token->length);
}

static const struct cm_symbol *find(const struct assembler *a, const struct cm_token *token)
{
    return cm_symbols_find(&a->symbols, token->start, token->length);
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

/* Returns a description of a token, which follows "found" in messages. */
static struct cm_quote describe(const struct assembler *a, const struct cm_token *token)
{
    struct cm_quote found = quote(token);
    struct cm_symbol symbol = {.kind = CM_SYMBOL_NONE};
    if (token->kind == CM_TOKEN_END) {
        snprintf(found.text, sizeof found.text, "the end of the line");
        return found;
    }
    if (token->kind != CM_TOKEN_NAME)
        return found;
    const struct cm_symbol *defined = find(a, token);
    if (defined)
        symbol = *defined;
    else if (!built_in(token, &symbol))
        return found;
    snprintf(found.text, sizeof found.text, "the %s %.60s", cm_symbol_kind_name(symbol.kind),
             quote(token).text);
    return found;
}

static void expected(struct assembler *a, const char *what)
{
    if (a->token.kind == CM_TOKEN_BAD)
        fail(a, a->token.column, "%s %s", a->token.fault, quote(&a->token).text);
    else
        fail(a, a->token.column, "expected %s, found %s", what, describe(a, &a->token).text);
}

/* Reports the current token, which is an unknown name, or a name whose kind is not in the set
 * `kinds`. */
static void wrong_name(struct assembler *a, const char *what, unsigned kinds)
{
    char nearest[64];
    const struct cm_token *token = &a->token;
    struct cm_symbol symbol;
    if (token->kind != CM_TOKEN_NAME || built_in(token, &symbol) || find(a, token)) {
        expected(a, what);
        return;
    }
    fail(a, token->column, "expected %s, but nothing named %s is defined above", what,
         quote(token).text);
    if (cm_symbols_suggest(&a->symbols, kinds, token->start, token->length, nearest))
        hint(a, "did you mean \"%s\"?", nearest);
}

static unsigned bit(enum cm_symbol_kind kind)
{
    return 1u << kind;
}

/* Takes the current token if it names a symbol whose kind is in the set `kinds`, and stores the
 * symbol. Returns false for any other token. */
static bool take_symbol(struct assembler *a, unsigned kinds, struct cm_symbol *symbol)
{
    struct cm_symbol found;
    if (a->token.kind != CM_TOKEN_NAME)
        return false;
    const struct cm_symbol *defined = find(a, &a->token);
    /* An argument may be called r3. Where a register is expected, r3 is the register. */
    if (defined && (kinds & bit(defined->kind)))
        *symbol = *defined;
    else if (built_in(&a->token, &found) && (kinds & bit(found.kind)))
        *symbol = found;
    else
        return false;
    advance(a);
    return true;
}

static void out_of_range(struct assembler *a, const struct cm_token *token, bool negative,
                         const char *what, int64_t min, int64_t max)
{
    fail(a, token->column, "%s %s%s is out of range, expected %lld to %lld", what,
         negative ? "-" : "", cm_text_clip(token->start, token->length).text, (long long)min,
         (long long)max);
}

/* Description of an integer in messages, and its range. */
struct range {
    const char *expected;
    const char *what;
    int64_t min;
    int64_t max;
};

/* Reads an integer after its sign: a number or a symbolic value. */
static int64_t read_integer(struct assembler *a, bool negative, struct range range)
{
    struct cm_token number = a->token;
    struct cm_symbol symbol = {.value = 0};
    if (number.kind == CM_TOKEN_INTEGER) {
        symbol.value = number.value;
        advance(a);
    } else if (!take_symbol(a, bit(CM_SYMBOL_INTEGER), &symbol)) {
        wrong_name(a, range.expected, bit(CM_SYMBOL_INTEGER));
    }
    int64_t value = negative ? -symbol.value : symbol.value;
    if (value < range.min || value > range.max)
        out_of_range(a, &number, negative, range.what, range.min, range.max);
    return value;
}

/* Reads a word of 32 bits: an integer with or without sign, or a floating-point number. */
static struct cm_operand read_word(struct assembler *a)
{
    const struct cm_kind_info *info = cm_kind_info(CM_OPERAND_WORD);
    bool negative = take(a, '-');
    struct cm_symbol symbol = {.value = a->token.value};
    bool is_float = a->token.kind == CM_TOKEN_FLOAT;
    if (is_float)
        advance(a);
    else
        is_float = take_symbol(a, bit(CM_SYMBOL_FLOAT), &symbol);
    if (is_float)
        return cm_word((uint32_t)(symbol.value ^ (negative ? INT64_C(0x80000000) : 0)));
    struct range range = {info->expected, info->form, CM_IMM_MIN, UINT32_MAX};
    return cm_word((uint32_t)read_integer(a, negative, range));
}

static struct cm_operand read_plain(struct assembler *a, enum cm_operand_kind kind)
{
    const struct cm_kind_info *info = cm_kind_info(kind);
    bool negative = take(a, '-');
    struct range range = {info->expected, info->form, info->min, info->max};
    return cm_value(read_integer(a, negative, range));
}

static void no_register(struct assembler *a, const struct cm_token *name, enum cm_operand_kind kind)
{
    fail(a, name->column, "there is no register %s; expected %s",
         cm_text_clip(name->start, name->length).text, cm_kind_info(kind)->expected);
}

static struct cm_operand read_register(struct assembler *a, enum cm_operand_kind kind)
{
    bool fpu = kind == CM_OPERAND_FREG;
    enum cm_symbol_kind wanted = fpu ? CM_SYMBOL_FPU : CM_SYMBOL_REGISTER;
    struct cm_symbol symbol = {.value = 0};
    struct cm_token name = a->token;
    if (!take_symbol(a, bit(wanted), &symbol))
        wrong_name(a, cm_kind_info(kind)->expected, bit(wanted));
    if (symbol.value >= (fpu ? CM_FPU_REGISTERS : CM_ADDRESS_REGISTERS))
        no_register(a, &name, kind);
    return cm_reg((unsigned)symbol.value);
}

/* Reads the name of an argument or label. An address argument where a scalar is expected, or a
 * scalar for an address, is accepted here: the verifier reports it with a better message. */
static struct cm_operand read_named(struct assembler *a, enum cm_operand_kind kind)
{
    unsigned kinds = kind == CM_OPERAND_LABEL ? bit(CM_SYMBOL_LABEL)
                                              : bit(CM_SYMBOL_ADDRESS) | bit(CM_SYMBOL_SCALAR);
    struct cm_symbol symbol = {.value = 0};
    if (!take_symbol(a, kinds, &symbol))
        wrong_name(a, cm_kind_info(kind)->expected, kinds);
    return cm_value(symbol.value);
}

static struct cm_operand read_memory(struct assembler *a)
{
    struct range range = {"an offset in words", "OFFSET", CM_OFFSET_MIN, CM_OFFSET_MAX};
    if (!take(a, '['))
        expected(a, cm_kind_info(CM_OPERAND_MEM)->expected);
    const struct cm_symbol *symbol = a->token.kind == CM_TOKEN_NAME ? find(a, &a->token) : NULL;
    struct cm_token first = a->token;
    bool begun = ok(a);
    struct cm_operand operand = read_register(a, CM_OPERAND_REG);
    if (begun && !ok(a) && !a->err->hint[0] && symbol && symbol->kind == CM_SYMBOL_ADDRESS)
        hint(a, "put the argument into a register first, as in: aarg r0, %.*s", (int)first.length,
             first.start);
    bool negative = cm_token_is(&a->token, '-');
    if (take(a, '+') || take(a, '-'))
        operand.value = (int32_t)read_integer(a, negative, range);
    if (!take(a, ']'))
        expected(a, "\"]\"");
    return operand;
}

static struct cm_operand read_transposer(struct assembler *a, enum cm_operand_kind kind)
{
    struct range range = {"the number of a slot", "slot", 0, (int64_t)a->verifier.limits.slots - 1};
    struct cm_operand operand = {0};
    if (!is_transposer(&a->token)) {
        expected(a, cm_kind_info(kind)->expected);
        return operand;
    }
    operand = cm_reg((unsigned)(a->token.start[0] - 'A'));
    advance(a);
    if (kind == CM_OPERAND_TRANS)
        return operand;
    if (!take(a, '.'))
        expected(a, "\".\" and a slot");
    operand.value = (int32_t)read_integer(a, false, range);
    return operand;
}

static struct cm_operand read_operand(struct assembler *a, enum cm_operand_kind kind)
{
    switch (kind) {
    case CM_OPERAND_REG:
    case CM_OPERAND_FREG:
        return read_register(a, kind);
    case CM_OPERAND_ARG:
    case CM_OPERAND_SARG:
    case CM_OPERAND_LABEL:
        return read_named(a, kind);
    case CM_OPERAND_WORD:
        return read_word(a);
    case CM_OPERAND_MEM:
        return read_memory(a);
    case CM_OPERAND_TRANS:
    case CM_OPERAND_SLOT:
        return read_transposer(a, kind);
    default:
        return read_plain(a, kind);
    }
}

static void wrong_count(struct assembler *a, const struct cm_op_info *info, unsigned found)
{
    const char *plural = cm_plural(info->operand_count);
    if (found > info->operand_count)
        fail(a, a->token.column, "%s takes %u operand%s, found more", info->mnemonic,
             info->operand_count, plural);
    else
        fail(a, a->token.column, "%s takes %u operand%s, found %u", info->mnemonic,
             info->operand_count, plural, found);
}

/* Reads the operands of an instruction, and writes the column of each operand to `columns`. */
static void read_operands(struct assembler *a, const struct cm_op_info *info,
                          struct cm_operand *operands, uint32_t columns[CM_OPERANDS_MAX])
{
    for (unsigned i = 0; i < info->operand_count && ok(a); i++) {
        if (i > 0 && a->token.kind != CM_TOKEN_END && !take(a, ','))
            expected(a, "\",\"");
        if (a->token.kind == CM_TOKEN_END)
            wrong_count(a, info, i);
        columns[i] = a->token.column;
        operands[i] = read_operand(a, info->operands[i]);
    }
    if (cm_token_is(&a->token, ',') || (info->operand_count == 0 && a->token.kind != CM_TOKEN_END))
        wrong_count(a, info, info->operand_count + 1u);
    if (a->token.kind != CM_TOKEN_END)
        expected(a, "the end of the line");
}

/* Reports the verifier's error as an error of the current line. */
static void take_fault(struct assembler *a, enum cm_status status, uint32_t column)
{
    const struct cm_imp_fault *fault = &a->verifier.fault;
    if (status == CM_NO_MEMORY)
        out_of_memory(a);
    if (status != CM_BAD_INPUT)
        return;
    fail(a, column, "%s", fault->message);
    if (fault->hint[0])
        hint(a, "%s", fault->hint);
}

/* Set of names of which one is expected: all mnemonics, or all directives. */
struct vocabulary {
    const char *what;   /* kind of the names in messages: "instruction" */
    const char *prefix; /* text that precedes each name: "." for directives */
    const char *const *names;
    size_t count;
};

/* Reports a name that is not in the vocabulary, with the nearest name as a hint. */
static void unknown_name(struct assembler *a, uint32_t column, const struct cm_token *token,
                         const struct vocabulary *known)
{
    struct cm_quote name = cm_text_clip(token->start, token->length);
    const char *nearest = cm_suggest(name.text, known->names, known->count);
    fail(a, column, "unknown %s \"%s%s\"", known->what, known->prefix, name.text);
    if (nearest)
        hint(a, "did you mean \"%s%s\"?", known->prefix, nearest);
}

static const char *const mnemonics[CM_OP_COUNT] = {
#define CM_OP(symbol, mnemonic, cost, k1, k2, k3, k4, k5, effect, source) mnemonic,
#include "isa.def"
#undef CM_OP
};

static enum cm_op find_op(const struct cm_token *token)
{
    unsigned op = 0;
    while (op < CM_OP_COUNT && (strncmp(mnemonics[op], token->start, token->length) != 0 ||
                                mnemonics[op][token->length]))
        op++;
    return (enum cm_op)op;
}

static void read_instruction(struct assembler *a, const struct cm_token *mnemonic)
{
    enum cm_op op = find_op(mnemonic);
    if (op == CM_OP_COUNT) {
        static const struct vocabulary known = {"instruction", "", mnemonics, CM_OP_COUNT};
        unknown_name(a, mnemonic->column, mnemonic, &known);
        return;
    }
    const struct cm_op_info *info = cm_op_info(op);
    struct cm_operand operands[CM_OPERANDS_MAX] = {{0}};
    uint32_t columns[CM_OPERANDS_MAX] = {0};
    char form[CM_FORM_MAX];
    read_operands(a, info, operands, columns);
    if (!ok(a)) {
        cm_op_form(op, form);
        hint_form(a, form);
        return;
    }
    uint32_t index = cm_imp_emit(a->imp, op, operands, info->operand_count);
    if (a->imp->failed) {
        out_of_memory(a);
        return;
    }
    a->imp->code[index].line = a->line;
    a->label_pending = false;
    enum cm_status status = cm_verifier_step(&a->verifier, index);
    int operand = a->verifier.fault.operand;
    take_fault(a, status, operand < 0 ? mnemonic->column : columns[operand]);
}

static void define(struct assembler *a, const struct cm_token *token, enum cm_symbol_kind kind,
                   int64_t value)
{
    const struct cm_symbol *old = find(a, token);
    struct cm_symbol symbol = {.name = token->start,
                               .length = token->length,
                               .kind = kind,
                               .value = value,
                               .line = a->line};
    if (token->length > CM_IMP_NAME_MAX)
        fail(a, token->column, "the name is longer than %u characters", CM_IMP_NAME_MAX);
    else if (old)
        fail(a, token->column, "%s is already defined, as %s %s on line %u", quote(token).text,
             old->kind == CM_SYMBOL_ADDRESS ? "an" : "a", cm_symbol_kind_name(old->kind),
             old->line);
    else if (!cm_symbols_add(&a->symbols, &symbol))
        out_of_memory(a);
}

static void read_imp(struct assembler *a)
{
    char text[CM_IMP_NAME_MAX + 1] = "";
    struct cm_token name = cm_lexer_next_word(&a->lexer);
    if (!cm_imp_name_valid(name.start, name.length)) {
        if (name.kind == CM_TOKEN_END)
            fail(a, name.column, "expected the IMP's name, found the end of the line");
        else
            fail(a, name.column, "%s cannot be the name of an IMP", quote(&name).text);
        hint(a, "a name has at most %u letters, digits, '_', '-' and '.', and begins with a letter",
             CM_IMP_NAME_MAX);
        return;
    }
    memcpy(text, name.start, name.length);
    a->imp = cm_imp_create(text);
    if (!a->imp || !cm_imp_set_source(a->imp, a->name))
        out_of_memory(a);
    cm_verifier_init(&a->verifier, a->imp, a->limits);
    advance(a);
}

static void read_arguments(struct assembler *a)
{
    bool scalar = a->directive->kind == CM_ARGUMENT_SCALAR;
    do {
        char name[CM_IMP_NAME_MAX + 1] = "";
        advance(a);
        if (a->token.kind != CM_TOKEN_NAME)
            expected(a, "the name of an argument");
        else if (a->imp->argument_count == CM_IMP_ARGUMENTS_MAX)
            fail(a, a->token.column, "an IMP has at most %u arguments", CM_IMP_ARGUMENTS_MAX);
        else
            define(a, &a->token, scalar ? CM_SYMBOL_SCALAR : CM_SYMBOL_ADDRESS,
                   a->imp->argument_count);
        if (!ok(a))
            return;
        memcpy(name, a->token.start, a->token.length);
        cm_imp_argument(a->imp, name, a->directive->kind);
        if (a->imp->failed)
            out_of_memory(a);
        advance(a);
    } while (cm_token_is(&a->token, ','));
}

/* Reads the value that .equ gives to a name: a number, a register, or a name that another .equ
 * defined. */
static struct cm_symbol read_equ_value(struct assembler *a)
{
    const unsigned numbers = bit(CM_SYMBOL_INTEGER) | bit(CM_SYMBOL_FLOAT);
    const unsigned registers = bit(CM_SYMBOL_REGISTER) | bit(CM_SYMBOL_FPU);
    bool negative = take(a, '-');
    struct cm_token token = a->token;
    struct cm_symbol symbol = {.value = token.value};
    if (token.kind == CM_TOKEN_INTEGER || token.kind == CM_TOKEN_FLOAT) {
        symbol.kind = token.kind == CM_TOKEN_FLOAT ? CM_SYMBOL_FLOAT : CM_SYMBOL_INTEGER;
        advance(a);
    } else if (!take_symbol(a, negative ? numbers : numbers | registers, &symbol)) {
        wrong_name(a, "a number or a register", numbers | registers);
    }
    int64_t value = symbol.value;
    if (negative)
        value = symbol.kind == CM_SYMBOL_FLOAT ? value ^ INT64_C(0x80000000) : -value;
    if (symbol.kind == CM_SYMBOL_FPU && value >= CM_FPU_REGISTERS)
        no_register(a, &token, CM_OPERAND_FREG);
    if (symbol.kind == CM_SYMBOL_REGISTER && value >= CM_ADDRESS_REGISTERS)
        no_register(a, &token, CM_OPERAND_REG);
    if (symbol.kind == CM_SYMBOL_INTEGER && (value < CM_IMM_MIN || value > UINT32_MAX))
        out_of_range(a, &token, negative, "number", CM_IMM_MIN, UINT32_MAX);
    return (struct cm_symbol){.kind = symbol.kind, .value = value};
}

static void read_equ(struct assembler *a)
{
    struct cm_symbol symbol;
    advance(a);
    struct cm_token name = a->token;
    if (name.kind != CM_TOKEN_NAME)
        expected(a, "a name");
    else if (built_in(&name, &symbol) || is_transposer(&name))
        fail(a, name.column, "%s is already the name of a %s", quote(&name).text,
             is_transposer(&name) ? "transposer" : "register");
    advance(a);
    if (!take(a, ','))
        expected(a, "\",\"");
    symbol = read_equ_value(a);
    if (ok(a))
        define(a, &name, symbol.kind, symbol.value);
}

static const struct directive directives[] = {
    {"imp", ".imp NAME", read_imp, 0},
    {"address", ".address NAME, ...", read_arguments, CM_ARGUMENT_ADDRESS},
    {"scalar", ".scalar NAME, ...", read_arguments, CM_ARGUMENT_SCALAR},
    {"equ", ".equ NAME, VALUE", read_equ, 0},
};
#define DIRECTIVES (sizeof directives / sizeof directives[0])

/* Fails if .imp, which must come first, has not been read. */
static bool require_imp(struct assembler *a, uint32_t column)
{
    if (a->imp)
        return true;
    fail(a, column, "the IMP has no name yet");
    hint(a, "begin with: .imp NAME");
    return false;
}

/* Reads a directive. The current token is its '.'. */
static void read_directive(struct assembler *a)
{
    const char *names[DIRECTIVES];
    struct cm_token dot = a->token;
    advance(a);
    struct cm_token name = a->token;
    if (name.kind != CM_TOKEN_NAME || name.column != dot.column + 1) {
        expected(a, "the name of a directive right after \".\"");
        return;
    }
    a->directive = NULL;
    for (size_t i = 0; i < DIRECTIVES; i++) {
        names[i] = directives[i].name;
        if (strlen(names[i]) == name.length && memcmp(names[i], name.start, name.length) == 0)
            a->directive = &directives[i];
    }
    bool is_imp = a->directive && a->directive->read == read_imp;
    if (!a->directive) {
        const struct vocabulary known = {"directive", ".", names, DIRECTIVES};
        unknown_name(a, dot.column, &name, &known);
        if (!a->err->hint[0])
            hint(a, "there are .imp, .address, .scalar and .equ");
    } else if (is_imp && a->imp) {
        fail(a, dot.column, "the IMP already has a name, \"%s\"", a->imp->name);
        hint_form(a, a->directive->form);
    } else if (is_imp || require_imp(a, dot.column)) {
        a->directive->read(a);
        if (a->token.kind != CM_TOKEN_END)
            expected(a, "the end of the line");
        hint_form(a, a->directive->form);
    }
}

/* Reads any number of labels, then at most one instruction. */
static void read_statement(struct assembler *a)
{
    while (a->token.kind == CM_TOKEN_NAME && ok(a)) {
        struct cm_token name = a->token;
        if (!require_imp(a, name.column))
            return;
        advance(a);
        if (!take(a, ':')) {
            read_instruction(a, &name);
            return;
        }
        define(a, &name, CM_SYMBOL_LABEL, a->imp->length);
        a->label_pending = true;
        a->label = name;
        a->label_line = a->line;
    }
    if (a->token.kind != CM_TOKEN_END)
        expected(a, "an instruction, a label or a directive");
}

static void read_line(struct assembler *a, const char *line, size_t length)
{
    uint32_t column = 0;
    const char *fault = cm_lexer_check(line, length, &column);
    if (fault) {
        fail(a, column, "%s", fault);
        return;
    }
    cm_lexer_init(&a->lexer, line, length);
    advance(a);
    if (cm_token_is(&a->token, '.'))
        read_directive(a);
    else
        read_statement(a);
}

/* Checks the end of the text: there is an IMP, an instruction follows the last label, and the
 * verifier accepts the end of the IMP. An error gets the line that causes it. */
static void read_end(struct assembler *a)
{
    if (!a->imp) {
        a->line = a->line ? a->line : 1;
        fail(a, 1, "the text holds no IMP");
        hint(a, "begin with .imp NAME and end with halt");
    } else if (a->label_pending) {
        a->line = a->label_line;
        fail(a, a->label.column, "no instruction follows the label %s", quote(&a->label).text);
    } else {
        enum cm_status status = cm_verifier_end(&a->verifier);
        uint32_t instruction = a->verifier.fault.instruction;
        if (instruction < a->imp->length)
            a->line = a->imp->code[instruction].line;
        take_fault(a, status, 1);
    }
}

static void read_text(struct assembler *a)
{
    if (a->length > CM_IMP_MAX_BYTES)
        a->status =
            cm_error_at(a->err, CM_BAD_INPUT, a->name, 0, 0,
                        "the text has %zu bytes, at most %u are read", a->length, CM_IMP_MAX_BYTES);
    for (size_t at = 0; at < a->length && ok(a);) {
        const char *newline = memchr(a->text + at, '\n', a->length - at);
        size_t end = newline ? (size_t)(newline - a->text) : a->length;
        a->line++;
        read_line(a, a->text + at, end - at);
        at = end + 1;
    }
    if (ok(a))
        read_end(a);
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
    read_text(&a);
    cm_symbols_finish(&a.symbols);
    cm_verifier_finish(&a.verifier);
    *imp = ok(&a) ? a.imp : NULL;
    if (!ok(&a))
        cm_imp_destroy(a.imp);
    return a.status;
}
