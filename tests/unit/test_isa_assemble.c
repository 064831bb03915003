/* The assembler: what it reads, and every error with its place and words. The disassembler's text,
 * too. */
#include "isa/lexer.h"
#include "isa_support.h"
#include "suite.h"

#define HEAD                                                                                       \
    ".imp t\n.address src\n.scalar s\n.equ n, 4\n.equ one, 1.0f\n.equ p, r3\n.equ acc, f2\n"
/* Lines before the text of a case. */
#define HEAD_LINES 7u

static const struct fault {
    const char *text; /* after HEAD, unless it begins with '!' */
    uint32_t line;
    uint32_t column;
    const char *message;
    const char *hint;
} faults[] = {
    /* The head */
    {"!", 1, 1, "the text holds no IMP", "begin with .imp NAME and end with halt"},
    {"!; nothing\n\n", 2, 1, "the text holds no IMP", "begin with .imp NAME and end with halt"},
    {"!halt\n", 1, 1, "the IMP has no name yet", "begin with: .imp NAME"},
    {"!\n.address a\n", 2, 1, "the IMP has no name yet", "begin with: .imp NAME"},
    {"!.imp\n", 1, 5, "expected the IMP's name, found the end of the line",
     "a name has at most 63 letters, digits, '_', '-' and '.', and begins with a letter"},
    {"!.imp 9x\n", 1, 6, "\"9x\" cannot be the name of an IMP",
     "a name has at most 63 letters, digits, '_', '-' and '.', and begins with a letter"},
    {"!.imp a b\n", 1, 8, "expected the end of the line, found \"b\"", "the form is: .imp NAME"},
    {".imp u\n", 1, 1, "the IMP already has a name, \"t\"", "the form is: .imp NAME"},
    /* Directives */
    {".adress a\n", 1, 1, "unknown directive \".adress\"", "did you mean \".address\"?"},
    {".include a\n", 1, 1, "unknown directive \".include\"",
     "there are .imp, .address, .scalar and .equ"},
    {". address a\n", 1, 3, "expected the name of a directive right after \".\", found \"address\"",
     ""},
    {".address\n", 1, 9, "expected the name of an argument, found the end of the line",
     "the form is: .address NAME, ..."},
    {".address a,\n", 1, 12, "expected the name of an argument, found the end of the line",
     "the form is: .address NAME, ..."},
    {".scalar a b\n", 1, 11, "expected the end of the line, found \"b\"",
     "the form is: .scalar NAME, ..."},
    {".scalar a, 7\n", 1, 12, "expected the name of an argument, found \"7\"",
     "the form is: .scalar NAME, ..."},
    {".address a, src\n", 1, 13, "\"src\" is already defined, as an address argument on line 2",
     "the form is: .address NAME, ..."},
    {".equ n, 5\n", 1, 6, "\"n\" is already defined, as a symbolic integer on line 4",
     "the form is: .equ NAME, VALUE"},
    {".equ r5, 5\n", 1, 6, "\"r5\" is already the name of a register",
     "the form is: .equ NAME, VALUE"},
    {".equ B, 5\n", 1, 6, "\"B\" is already the name of a transposer",
     "the form is: .equ NAME, VALUE"},
    {".equ 5, 5\n", 1, 6, "expected a name, found \"5\"", "the form is: .equ NAME, VALUE"},
    {".equ x 5\n", 1, 8, "expected \",\", found \"5\"", "the form is: .equ NAME, VALUE"},
    {".equ x, src\n", 1, 9, "expected a number or a register, found the address argument \"src\"",
     "the form is: .equ NAME, VALUE"},
    {".equ x, y\n", 1, 9,
     "expected a number or a register, but nothing named \"y\" is defined "
     "above",
     "the form is: .equ NAME, VALUE"},
    {".equ x, r64\n", 1, 9, "there is no register r64; expected an address register, r0 to r63",
     "the form is: .equ NAME, VALUE"},
    {".equ x, f32\n", 1, 9, "there is no register f32; expected an FPU register, f0 to f31",
     "the form is: .equ NAME, VALUE"},
    {".equ x, 4294967296\n", 1, 9,
     "number 4294967296 is out of range, expected -2147483648 to 4294967295",
     "the form is: .equ NAME, VALUE"},
    {".equ x, 1e39f\n", 1, 9, "number too large for 32 bits \"1e39f\"",
     "the form is: .equ NAME, VALUE"},
    /* Labels */
    {"L: loop 2\nL: exchange\n", 2, 1, "\"L\" is already defined, as a label on line 8", ""},
    {"src: halt\n", 1, 1, "\"src\" is already defined, as an address argument on line 2", ""},
    {"halt\nend:\n", 2, 1, "no instruction follows the label \"end\"", ""},
    {"a: loop 2\nexchange\nnext b\n", 3, 6,
     "expected the label of a loop, but nothing named \"b\" is defined above",
     "the form is: next LABEL"},
    {"again: loop 2\nexchange\nnext agian\n", 3, 6,
     "expected the label of a loop, but nothing named \"agian\" is defined above",
     "did you mean \"again\"?"},
    {"next n\n", 1, 6, "expected the label of a loop, found the symbolic integer \"n\"",
     "the form is: next LABEL"},
    {"next 0\n", 1, 6, "expected the label of a loop, found \"0\"", "the form is: next LABEL"},
    /* Instructions */
    {"LOAD A.0, [r0]\n", 1, 1, "unknown instruction \"LOAD\"", "did you mean \"load\"?"},
    {"  exchagne\n", 1, 3, "unknown instruction \"exchagne\"", "did you mean \"exchange\"?"},
    {"frobnicate\n", 1, 1, "unknown instruction \"frobnicate\"", ""},
    {"+\n", 1, 1, "expected an instruction, a label or a directive, found \"+\"", ""},
    {"12\n", 1, 1, "expected an instruction, a label or a directive, found \"12\"", ""},
    {"loadi A, [r1], [r2]\n", 1, 20, "loadi takes 5 operands, found 3",
     "the form is: loadi TRANSPOSER, [REG+OFFSET], [REG+OFFSET], FIELD, HALF"},
    {"aset\n", 1, 5, "aset takes 2 operands, found 0", "the form is: aset REG, IMM"},
    {"aset r1,\n", 1, 9, "aset takes 2 operands, found 1", "the form is: aset REG, IMM"},
    {"aset r1, 2, 3\n", 1, 11, "aset takes 2 operands, found more", "the form is: aset REG, IMM"},
    {"exchange A\n", 1, 10, "exchange takes 0 operands, found more", "the form is: exchange"},
    {"aset r1 2\n", 1, 9, "expected \",\", found \"2\"", "the form is: aset REG, IMM"},
    {"aset r1, 2 exchange\n", 1, 12, "expected the end of the line, found \"exchange\"",
     "the form is: aset REG, IMM"},
    /* Operands of the wrong kind */
    {"aset f1, 2\n", 1, 6, "expected an address register, r0 to r63, found the FPU register \"f1\"",
     "the form is: aset REG, IMM"},
    {"aset n, 2\n", 1, 6,
     "expected an address register, r0 to r63, found the symbolic integer \"n\"",
     "the form is: aset REG, IMM"},
    {"aset r64, 2\n", 1, 6, "there is no register r64; expected an address register, r0 to r63",
     "the form is: aset REG, IMM"},
    {"aset r999, 2\n", 1, 6, "there is no register r999; expected an address register, r0 to r63",
     "the form is: aset REG, IMM"},
    {"aset r1, 1.0f\n", 1, 10, "expected an integer, found \"1.0f\"", "the form is: aset REG, IMM"},
    {"aset r1, one\n", 1, 10,
     "expected an integer, found the symbolic floating-point number \"one\"",
     "the form is: aset REG, IMM"},
    {"aset r1, 12ab\n", 1, 10, "malformed number \"12ab\"", "the form is: aset REG, IMM"},
    {"aset r1, 0x\n", 1, 10, "malformed number \"0x\"", "the form is: aset REG, IMM"},
    {"aset r1, 1.5\n", 1, 10, "malformed number \"1.5\"", "the form is: aset REG, IMM"},
    {"const A.0, 1.5.f\n", 1, 12, "malformed number \"1.5.f\"",
     "the form is: const TRANSPOSER.SLOT, WORD"},
    {"const A.0, [r1]\n", 1, 12,
     "expected a 32-bit word such as 0x3f800000, -1 or 1.0f, found \"[\"",
     "the form is: const TRANSPOSER.SLOT, WORD"},
    {"aarg r1, zzz\n", 1, 10,
     "expected the name of an address argument, but nothing named \"zzz\" is defined above",
     "the form is: aarg REG, ARG"},
    {"aarg r1, srcc\n", 1, 10,
     "expected the name of an address argument, but nothing named \"srcc\" is defined above",
     "did you mean \"src\"?"},
    {"aarg r1, s\n", 1, 10, "aarg takes an address argument, but \"s\" is a scalar argument", ""},
    {"fscal32 f1, src\n", 1, 13,
     "fscal32 takes a scalar argument, but \"src\" is an address argument", ""},
    {"load D.0, [r1]\n", 1, 6, "expected a transposer slot such as A.5, found \"D\"",
     "the form is: load TRANSPOSER.SLOT, [REG+OFFSET]"},
    {"load A, [r1]\n", 1, 7, "expected \".\" and a slot, found \",\"",
     "the form is: load TRANSPOSER.SLOT, [REG+OFFSET]"},
    {"load A.x, [r1]\n", 1, 8,
     "expected the number of a slot, but nothing named \"x\" is defined above",
     "the form is: load TRANSPOSER.SLOT, [REG+OFFSET]"},
    {"load A.32, [r1]\n", 1, 8, "slot 32 is out of range, expected 0 to 31",
     "the form is: load TRANSPOSER.SLOT, [REG+OFFSET]"},
    {"load B.1, [r1]\n", 1, 6, "load cannot write transposer B",
     "B holds what an exchange brings; write A or C"},
    {"loadi B, [r1], [r2], 0, 0\n", 1, 7, "loadi cannot write transposer B",
     "B holds what an exchange brings; write A or C"},
    {"loadi A.0, [r1], [r2], 0, 0\n", 1, 8, "expected \",\", found \".\"",
     "the form is: loadi TRANSPOSER, [REG+OFFSET], [REG+OFFSET], FIELD, HALF"},
    {"load A.0, r1\n", 1, 11,
     "expected a memory operand such as [r3+1], found the address register \"r1\"",
     "the form is: load TRANSPOSER.SLOT, [REG+OFFSET]"},
    {"load A.0, [src]\n", 1, 12,
     "expected an address register, r0 to r63, found the address argument \"src\"",
     "put the argument into a register first, as in: aarg r0, src"},
    {"load A.0, [r1+r2]\n", 1, 15, "expected an offset in words, found the address register \"r2\"",
     "the form is: load TRANSPOSER.SLOT, [REG+OFFSET]"},
    {"load A.0, [r1+33554432]\n", 1, 15,
     "OFFSET 33554432 is out of range, expected -33554432 to 33554431",
     "the form is: load TRANSPOSER.SLOT, [REG+OFFSET]"},
    {"load A.0, [r1-33554433]\n", 1, 15,
     "OFFSET -33554433 is out of range, expected -33554432 to 33554431",
     "the form is: load TRANSPOSER.SLOT, [REG+OFFSET]"},
    {"load A.0, [r1+5\n", 1, 16, "expected \"]\", found the end of the line",
     "the form is: load TRANSPOSER.SLOT, [REG+OFFSET]"},
    /* Numbers out of range */
    {"aset r1, 2147483648\n", 1, 10,
     "IMM 2147483648 is out of range, expected -2147483648 to 2147483647",
     "the form is: aset REG, IMM"},
    {"aset r1, -99999999999999999999999999\n", 1, 11,
     "IMM -99999999999999999999999999 is out of range, expected -2147483648 to 2147483647",
     "the form is: aset REG, IMM"},
    {"loop 0\n", 1, 6, "COUNT 0 is out of range, expected 1 to 2147483647",
     "the form is: loop COUNT"},
    {"const A.0, 0x100000000\n", 1, 12,
     "WORD 0x100000000 is out of range, expected -2147483648 to 4294967295",
     "the form is: const TRANSPOSER.SLOT, WORD"},
    {"ctxload [r0], 32\n", 1, 15, "BIT 32 is out of range, expected 0 to 31",
     "the form is: ctxload [REG+OFFSET], BIT"},
    {"loadi A, [r1], [r2], n, 0\n", 1, 22, "FIELD n is out of range, expected 0 to 3",
     "the form is: loadi TRANSPOSER, [REG+OFFSET], [REG+OFFSET], FIELD, HALF"},
    /* Structure */
    {"exchange\n", 1, 1, "the last instruction is not halt", "end it with halt"},
    {"", 0, 1, "the IMP has no instructions", "end it with halt"},
    {"halt\nexchange\n", 2, 1, "exchange after halt, which must be the last",
     "there is one halt, at the end"},
    {"a: loop 2\nexchange\nhalt\n", 3, 1, "halt inside the loop of line 8",
     "close the loop with next first; halt is the last instruction"},
    {"a: loop 2\nexchange\n", 1, 1, "the loop is never closed",
     "end its body with next and the loop's label"},
    {"a: loop 2\nnext a\n", 2, 1, "the loop of line 8 is empty", "give it a body, or leave it out"},
    {"a: loop 2\nb: loop 2\nexchange\nnext a\n", 4, 6,
     "next must name the innermost open loop, that of line 9",
     "loops nest: close the inner one first"},
    {"a: exchange\nnext a\n", 2, 1, "next without an open loop", ""},
    /* Characters */
    {"halt \x01\n", 1, 6, "control character in the text", ""},
    {"halt\rhalt\n", 1, 5, "control character in the text", ""},
    {"halt ; \xff\n", 1, 8, "invalid UTF-8 in the text", ""},
    {"halt ; \xc0\x80\n", 1, 8, "invalid UTF-8 in the text", ""},
    {"h\xc3\xa4lt\n", 1, 2, "a character that is not ASCII, outside a comment", ""},
};
#define FAULTS ((int)(sizeof faults / sizeof faults[0]))

static void full_text(const struct fault *fault, struct cm_buffer *text)
{
    bool whole = fault->text[0] == '!';
    cm_buffer_init(text);
    cm_buffer_printf(text, "%s%s", whole ? "" : HEAD, fault->text + whole);
    ck_assert(cm_buffer_ok(text));
}

START_TEST(error_tells_place_and_way_out)
{
    const struct fault *fault = &faults[_i];
    struct cm_buffer text;
    struct cm_error err = {.status = CM_OK};
    struct cm_imp *imp = NULL;
    uint32_t before = fault->text[0] == '!' ? 0 : HEAD_LINES;
    full_text(fault, &text);
    ck_assert_int_eq(cm_imp_assemble("t.imp", text.data, text.length, NULL, &imp, &err),
                     CM_BAD_INPUT);
    ck_assert_ptr_null(imp);
    ck_assert_int_eq(err.status, CM_BAD_INPUT);
    ck_assert_str_eq(err.file, "t.imp");
    ck_assert_str_eq(err.message, fault->message);
    ck_assert_str_eq(err.hint, fault->hint);
    ck_assert_uint_eq(err.line, before + fault->line);
    ck_assert_uint_eq(err.column, fault->column);
    ck_assert_int_eq(cm_imp_assemble(NULL, text.data, text.length, NULL, &imp, NULL), CM_BAD_INPUT);
    cm_buffer_finish(&text);
}
END_TEST

START_TEST(error_shows_the_source_line)
{
    static const char text[] = ".imp t\n  laod A.0, [r1]\nhalt\n";
    struct cm_error err = {.status = CM_OK};
    struct cm_imp *imp = NULL;
    char shown[2048];
    cm_imp_assemble("t.imp", text, strlen(text), NULL, &imp, &err);
    cm_error_format(&err, shown, sizeof shown);
    ck_assert_ptr_nonnull(strstr(shown, "t.imp:2:3: unknown instruction \"laod\"\n"));
    ck_assert_ptr_nonnull(strstr(shown, "  laod A.0, [r1]\n  ^\nhint: did you mean \"load\"?"));
}
END_TEST

START_TEST(nul_byte_is_refused)
{
    static const char text[] = ".imp t\nexch\0ange\nhalt\n";
    struct cm_error err = {.status = CM_OK};
    struct cm_imp *imp = NULL;
    ck_assert_int_eq(cm_imp_assemble("t", text, sizeof text - 1, NULL, &imp, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "NUL byte in the text");
    ck_assert_uint_eq(err.line, 2);
    ck_assert_uint_eq(err.column, 5);
}
END_TEST

START_TEST(line_and_text_have_limits)
{
    struct cm_error err = {.status = CM_OK};
    struct cm_imp *imp = NULL;
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, ".imp t\n%*s\n", (int)CM_ASM_LINE_MAX - 4, "halt");
    ck_assert_int_eq(cm_imp_assemble("t", text.data, text.length, NULL, &imp, &err), CM_OK);
    cm_imp_destroy(imp);
    cm_buffer_printf(&text, "%*s;\n", (int)CM_ASM_LINE_MAX, "");
    ck_assert_int_eq(cm_imp_assemble("t", text.data, text.length, NULL, &imp, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "the line is longer than 1000 bytes");
    ck_assert_uint_eq(err.line, 3);
    cm_buffer_finish(&text);
    char *large = calloc(1, CM_IMP_MAX_BYTES + 1);
    ck_assert_ptr_nonnull(large);
    memset(large, '\n', CM_IMP_MAX_BYTES + 1);
    ck_assert_int_eq(cm_imp_assemble("t", large, CM_IMP_MAX_BYTES + 1, NULL, &imp, &err),
                     CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "the text has 16777217 bytes, at most 16777216 are read");
    free(large);
}
END_TEST

START_TEST(names_have_a_longest_length)
{
    struct cm_error err = {.status = CM_OK};
    struct cm_imp *imp = NULL;
    char text[256];
    snprintf(text, sizeof text, ".imp %064d\n", 0);
    ck_assert_int_eq(cm_imp_assemble("t", text, strlen(text), NULL, &imp, &err), CM_BAD_INPUT);
    snprintf(text, sizeof text, ".imp t\n.address a%062d\nhalt", 0);
    cm_imp_destroy(must_assemble(text));
    snprintf(text, sizeof text, ".imp t\n.address a%063d\nhalt", 0);
    ck_assert_int_eq(cm_imp_assemble("t", text, strlen(text), NULL, &imp, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "the name is longer than 63 characters");
    ck_assert_uint_eq(err.column, 10);
}
END_TEST

START_TEST(the_256th_argument_is_refused)
{
    struct cm_error err = {.status = CM_OK};
    struct cm_imp *imp = NULL;
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, ".imp t\n");
    for (unsigned i = 0; i < CM_IMP_ARGUMENTS_MAX; i++)
        cm_buffer_printf(&text, ".scalar a%u\n", i);
    cm_buffer_printf(&text, ".address more\nhalt\n");
    ck_assert_int_eq(cm_imp_assemble("t", text.data, text.length, NULL, &imp, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "an IMP has at most 255 arguments");
    ck_assert_uint_eq(err.line, 257);
    ck_assert_uint_eq(err.column, 10);
    cm_buffer_finish(&text);
}
END_TEST

START_TEST(limits_of_the_machine_count)
{
    static const char slot[] = ".imp t\nunload [r0], B.8\nhalt\n";
    static const char deep[] = ".imp t\na: loop 2\nb: loop 2\nexchange\nnext b\nnext a\nhalt\n";
    const struct cm_imp_limits limits = {.slots = 8, .loop_depth = 1};
    struct cm_error err = {.status = CM_OK};
    struct cm_imp *imp = NULL;
    ck_assert_int_eq(cm_imp_assemble("t", slot, strlen(slot), &limits, &imp, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "slot 8 is out of range, expected 0 to 7");
    ck_assert_uint_eq(err.column, 16);
    ck_assert_int_eq(cm_imp_assemble("t", deep, strlen(deep), &limits, &imp, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message,
                     "loops nest 2 deep, but the sequencer's loop stack has 1 entries");
    ck_assert_uint_eq(err.line, 3);
    ck_assert_uint_eq(err.column, 4);
}
END_TEST

/* The text of the first instruction after HEAD. */
static void assert_reads_as(const char *written, const char *formatted)
{
    char text[1024];
    char found[128];
    snprintf(text, sizeof text, HEAD "%s\nhalt\n", written);
    struct cm_imp *imp = must_assemble(text);
    cm_instruction_format(imp, 0, found, sizeof found);
    ck_assert_str_eq(found, formatted);
    ck_assert_uint_eq(imp->code[0].line, HEAD_LINES + 1);
    ck_assert_str_eq(imp->source_name, "test.imp");
    cm_imp_destroy(imp);
}

START_TEST(operands_may_be_written_in_many_ways)
{
    assert_reads_as("aset r1,0x10;comment", "aset r1, 16");
    assert_reads_as("\taset\tr1 , 007 # comment \xe2\x82\xac\r", "aset r1, 7");
    assert_reads_as("aset p, -n", "aset r3, -4");
    assert_reads_as("aset r1, -2147483648", "aset r1, -2147483648");
    assert_reads_as("here: there: aset r1, 0XfF", "aset r1, 255");
    assert_reads_as("load A.n, [ p + n ]", "load A.4, [r3+4]");
    assert_reads_as("load A.0, [p-n]", "load A.0, [r3-4]");
    assert_reads_as("load A.0, [p+0]", "load A.0, [r3]");
    assert_reads_as("move [r1], [r2], n, n, -n", "move [r1], [r2], 4, 4, -4");
    assert_reads_as("fadd32 acc, acc, f31", "fadd32 f2, f2, f31");
    assert_reads_as("const C.0, one", "const C.0, 0x3f800000");
    assert_reads_as("const C.0, -one", "const C.0, 0xbf800000");
    assert_reads_as("const C.0, 0.1f", "const C.0, 0x3dcccccd");
    assert_reads_as("const C.0, -1e-3f", "const C.0, 0xba83126f");
    assert_reads_as("const C.0, 2.5E+1f", "const C.0, 0x41c80000");
    assert_reads_as("const C.0, 1e-45f", "const C.0, 0x00000001");
    assert_reads_as("const C.0, 0f", "const C.0, 0x00000000");
    assert_reads_as("const C.0, -0.0f", "const C.0, 0x80000000");
    assert_reads_as("const C.0, -1", "const C.0, 0xffffffff");
    assert_reads_as("const C.0, 4294967295", "const C.0, 0xffffffff");
    assert_reads_as("const C.0, n", "const C.0, 0x00000004");
}
END_TEST

START_TEST(equ_may_name_another)
{
    struct cm_imp *imp = must_assemble(HEAD ".equ q, p\n.equ m, -n\n.equ half, 0.5f\n"
                                            ".equ neg, -half\naset q, m\nconst A.0, neg\nhalt");
    char text[64];
    cm_instruction_format(imp, 0, text, sizeof text);
    ck_assert_str_eq(text, "aset r3, -4");
    cm_instruction_format(imp, 1, text, sizeof text);
    ck_assert_str_eq(text, "const A.0, 0xbf000000");
    cm_imp_destroy(imp);
}
END_TEST

START_TEST(argument_may_have_any_name)
{
    struct cm_imp *imp = must_assemble(".imp t\n.address A, r3, loop, L1\naarg r3, r3\n"
                                       "x: loop 2\nload A.0, [r3]\nnext x\naarg r3, L1\nhalt");
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_imp_disassemble(imp, &text);
    ck_assert_ptr_nonnull(strstr(text.data, "aarg r3, r3\n"));
    ck_assert_ptr_nonnull(strstr(text.data, "next L_1\n"));
    cm_imp_destroy(must_assemble(text.data));
    cm_buffer_finish(&text);
    cm_imp_destroy(imp);
}
END_TEST

START_TEST(disassembly_is_for_reading)
{
    static const char source[] = ".imp demo-1.x\n.address a, b\n.scalar s\n.address c\n"
                                 "i: loop 3\nj: loop 4\nconst A.1, 2.5f\nnext j\nexchange\n"
                                 "next i\nk: loop 5\nctxall\nnext k\nhalt\n";
    static const char expected[] = "; 10 instructions, 17 words of sequencer SRAM\n"
                                   ".imp demo-1.x\n"
                                   ".address a, b\n"
                                   ".scalar s\n"
                                   ".address c\n"
                                   "\n"
                                   "L1: loop 3\n"
                                   "    L2: loop 4\n"
                                   "            const A.1, 0x40200000 ; 2.5 as a float\n"
                                   "        next L2\n"
                                   "        exchange\n"
                                   "    next L1\n"
                                   "L3: loop 5\n"
                                   "        ctxall\n"
                                   "    next L3\n"
                                   "    halt\n";
    struct cm_imp *imp = must_assemble(source);
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_imp_disassemble(imp, &text);
    ck_assert_str_eq(text.data, expected);
    cm_buffer_finish(&text);
    cm_imp_destroy(imp);
}
END_TEST

/* Four hundred thousand names: seconds in linear time, days otherwise (the time limit of the test
 * says so). */
START_TEST(many_names_take_linear_time)
{
    struct cm_buffer text;
    cm_buffer_init(&text);
    cm_buffer_printf(&text, ".imp t\n");
    for (unsigned i = 0; i < 400000; i++)
        cm_buffer_printf(&text, ".equ name%u, %u\n", i, i);
    cm_buffer_printf(&text, "aset r0, name399999\nhalt\n");
    struct cm_imp *imp = must_assemble(text.data);
    ck_assert_int_eq(imp->code[0].operands[1].value, 399999);
    cm_imp_destroy(imp);
    cm_buffer_finish(&text);
}
END_TEST

START_TEST(formatting_an_imp_that_does_not_verify_is_safe)
{
    struct cm_imp *imp = cm_imp_create("t");
    char text[64];
    CM_EMIT(imp, CM_OP_NEXT, cm_value(5));
    CM_EMIT(imp, CM_OP_AARG, cm_reg(200), cm_value(-3));
    CM_EMIT(imp, CM_OP_LOAD, cm_slot((enum cm_transposer)9, 70), cm_mem(77, -99999999));
    cm_instruction_format(imp, 0, text, sizeof text);
    ck_assert_str_eq(text, "next ?5");
    cm_instruction_format(imp, 1, text, sizeof text);
    ck_assert_str_eq(text, "aarg r200, ?-3");
    cm_instruction_format(imp, 2, text, sizeof text);
    ck_assert_str_eq(text, "load ?.70, [r77-99999999]");
    cm_instruction_format(imp, 3, text, sizeof text);
    ck_assert_str_eq(text, "no instruction 3");
    imp->code[0].op = (enum cm_op)200;
    cm_instruction_format(imp, 0, text, sizeof text);
    ck_assert_str_eq(text, "opcode 200");
    cm_imp_destroy(imp);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("isa assemble");
    TCase *errors = tcase_create("errors");
    tcase_add_loop_test(errors, error_tells_place_and_way_out, 0, FAULTS);
    tcase_add_test(errors, error_shows_the_source_line);
    tcase_add_test(errors, nul_byte_is_refused);
    tcase_add_test(errors, line_and_text_have_limits);
    tcase_add_test(errors, names_have_a_longest_length);
    tcase_add_test(errors, the_256th_argument_is_refused);
    tcase_add_test(errors, limits_of_the_machine_count);
    suite_add_tcase(s, errors);
    TCase *texts = tcase_create("texts");
    tcase_add_test(texts, operands_may_be_written_in_many_ways);
    tcase_add_test(texts, equ_may_name_another);
    tcase_add_test(texts, argument_may_have_any_name);
    tcase_add_test(texts, disassembly_is_for_reading);
    tcase_add_test(texts, many_names_take_linear_time);
    tcase_add_test(texts, formatting_an_imp_that_does_not_verify_is_safe);
    suite_add_tcase(s, texts);
    return s;
}

CM_PROGRAM(test_isa_assemble)
{
    return cm_run_suite(suite());
}
