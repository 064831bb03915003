/* The instruction table: every instruction has its parts, one encoding, one text form and its row
 * in the manual. */
#include "isa_support.h"
#include "suite.h"

/* The code words of each instruction, written out: a change of the encoding or of an opcode must
 * not pass unseen. */
static const struct golden {
    const char *text;
    uint32_t words[CM_CODE_WORDS_MAX];
} golden[] = {
    {"halt", {0x00000000}},
    {"loop 16", {0x00000001, 16}},
    {"next L1", {0x00000002, 0}},
    {"aset r1, -5", {0x00000103, 0xfffffffb}},
    {"aadd r63, 16", {0x00003f04, 0x10}},
    {"acopy r2, r3, 2147483647", {0x00030205, 0x7fffffff}},
    {"aarg r4, dst", {0x00010406}},
    {"load A.31, [r5+7]", {0x00001f07, 7 << 6 | 5}},
    {"unload [r6-1], B.16", {0x00005008, 0xffffffc6}},
    {"loadi C, [r7], [r8-33554432], 3, 1", {0x01030209, 0x00000007, 0x80000008}},
    {"unloadi [r9+33554431], B, [r10], 2, 0", {0x0002010a, 0x7fffffc9, 0x0000000a}},
    {"const A.0, 0x3f800000", {0x0000000b, 0x3f800000}},
    {"bcast C.17, s, 1", {0x0102910c}},
    {"exchange", {0x0000000d}},
    {"move [r11], [r12+1], 16, 1, -1", {0x0000000e, 11, 1 << 6 | 12, 16, 1, 0xffffffff}},
    {"fload32 f1, [r13]", {0x0000010f, 13}},
    {"fload64 f2, [r14]", {0x00000210, 14}},
    {"fstore32 [r15], f3", {0x00000311, 15}},
    {"fstore64 [r16], f4", {0x00000412, 16}},
    {"fscal32 f5, s", {0x00020513}},
    {"fscal64 f6, s", {0x00020614}},
    {"fadd32 f7, f8, f9", {0x09080715}},
    {"fadd64 f10, f11, f12", {0x0c0b0a16}},
    {"fsub32 f13, f14, f15", {0x0f0e0d17}},
    {"fsub64 f16, f17, f18", {0x12111018}},
    {"fmul32 f19, f20, f21", {0x15141319}},
    {"fmul64 f22, f23, f24", {0x1817161a}},
    {"fma32 f25, f26, f27, f28", {0x1b1a191b, 0x1c}},
    {"fma64 f29, f30, f31, f0", {0x1f1e1d1c, 0x00}},
    {"iadd f1, f2, f3", {0x0302011d}},
    {"isub f4, f5, f6", {0x0605041e}},
    {"imul f7, f8, f9", {0x0908071f}},
    {"ctxall", {0x00000020}},
    {"ctxload [r17], 31", {0x00001f21, 17}},
    {"ctxand [r18], 1", {0x00000122, 18}},
    {"ctxnot", {0x00000023}},
    {"fdiv32 f1, f2, f3", {0x03020124}},
    {"fdiv64 f4, f5, f6", {0x06050425}},
    {"fsqrt32 f7, f8", {0x00080726}},
    {"fsqrt64 f9, f10", {0x000a0927}},
    {"fneg32 f11, f12", {0x000c0b28}},
    {"fneg64 f13, f14", {0x000e0d29}},
    {"fabs32 f15, f16", {0x00100f2a}},
    {"fabs64 f17, f18", {0x0012112b}},
    {"fmin32 f19, f20, f21", {0x1514132c}},
    {"fmin64 f22, f23, f24", {0x1817162d}},
    {"fmax32 f25, f26, f27", {0x1b1a192e}},
    {"fmax64 f28, f29, f30", {0x1e1d1c2f}},
    {"imin f31, f1, f2", {0x02011f30}},
    {"imax f3, f4, f5", {0x05040331}},
    {"idiv f6, f7, f8", {0x08070632}},
    {"imod f9, f10, f11", {0x0b0a0933}},
    {"iand f12, f13, f14", {0x0e0d0c34}},
    {"ior f15, f16, f17", {0x11100f35}},
    {"ixor f18, f19, f20", {0x14131236}},
    {"ishl f21, f22, f23", {0x17161537}},
    {"ishr f24, f25, f26", {0x1a191838}},
    {"isar f27, f28, f29", {0x1d1c1b39}},
    {"feq32 f30, f31", {0x001f1e3a}},
    {"flt32 f1, f2", {0x0002013b}},
    {"fle32 f3, f4", {0x0004033c}},
    {"feq64 f5, f6", {0x0006053d}},
    {"flt64 f7, f8", {0x0008073e}},
    {"fle64 f9, f10", {0x000a093f}},
    {"ieq f11, f12", {0x000c0b40}},
    {"ilt f13, f14", {0x000e0d41}},
    {"ile f15, f16", {0x00100f42}},
    {"ctxsave f17", {0x00001143}},
    {"ctxrest f18", {0x00001244}},
    {"ctxandr f19", {0x00001345}},
    {"fsel32 f20, f21, f22", {0x16151446}},
    {"fsel64 f23, f24, f25", {0x19181747}},
    {"i2f32 f26, f27", {0x001b1a48}},
    {"i2f64 f28, f29", {0x001d1c49}},
    {"f2i32 f30, f31", {0x001f1e4a}},
    {"f2i64 f1, f2", {0x0002014b}},
    {"f32to64 f3, f4", {0x0004034c}},
    {"f64to32 f5, f6", {0x0006054d}},
    {"fhigh f7, f8", {0x0008074e}},
    {"fjoin f9, f10, f11", {0x0b0a094f}},
    {"fconst f12, 0x3f800000", {0x00000c50, 0x3f800000}},
    {"nodeid f13", {0x00000d51}},
    {"floadx32 f14, [r19], f15, 100", {0x000f0e52, 19, 100}},
    {"floadx64 f16, [r20+1], f17, 2", {0x00111053, 1 << 6 | 20, 2}},
    {"fstorex32 [r21], f18, f19, 1", {0x00131254, 21, 1}},
    {"fstorex64 [r22-1], f20, f21, 65536", {0x00151455, 0xffffffd6, 65536}},
};
#define GOLDEN (sizeof golden / sizeof golden[0])

/* An IMP around golden case `op`, which is instruction *index of it. */
static struct cm_imp *around(unsigned op, uint32_t *index)
{
    char text[512];
    const char *before = "";
    const char *after = "halt\n";
    *index = 0;
    if (op == CM_OP_HALT) {
        after = "";
    } else if (op == CM_OP_LOOP) {
        before = "L1: ";
        after = "exchange\nnext L1\nhalt\n";
    } else if (op == CM_OP_NEXT) {
        before = "L1: loop 2\nexchange\n";
        *index = 2;
    }
    snprintf(text, sizeof text, ".imp t\n.address src, dst\n.scalar s\n%s%s\n%s", before,
             golden[op].text, after);
    return must_assemble(text);
}

START_TEST(every_instruction_has_a_golden_case)
{
    ck_assert_uint_eq(GOLDEN, CM_OP_COUNT);
    for (unsigned op = 0; op < CM_OP_COUNT; op++) {
        const char *mnemonic = cm_op_info((enum cm_op)op)->mnemonic;
        size_t length = strcspn(golden[op].text, " ");
        ck_assert_uint_eq(length, strlen(mnemonic));
        ck_assert_mem_eq(golden[op].text, mnemonic, length);
    }
}
END_TEST

static void encode(const struct cm_instruction *instruction, uint32_t words[CM_CODE_WORDS_MAX])
{
    unsigned char bytes[CM_CODE_WORDS_MAX * CM_CODE_WORD_BYTES];
    static struct cm_code_layouts layouts;
    uint64_t count = cm_code_encode(instruction, 1, &layouts, (char *)bytes);
    ck_assert_uint_eq(count, cm_op_words(instruction->op));
    for (uint64_t i = 0; i < count; i++)
        words[i] = (uint32_t)bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
                   (uint32_t)bytes[4 * i + 2] << 16 | (uint32_t)bytes[4 * i + 3] << 24;
}

START_TEST(encoding_is_the_golden_one)
{
    uint32_t index = 0;
    struct cm_imp *imp = around((unsigned)_i, &index);
    uint32_t words[CM_CODE_WORDS_MAX] = {0};
    encode(&imp->code[index], words);
    uint32_t count = cm_op_words((enum cm_op)_i);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_msg(words[i] == golden[_i].words[i], "%s: word %u is 0x%08x, expected 0x%08x",
                      golden[_i].text, i, words[i], golden[_i].words[i]);
    for (uint32_t i = count; i < CM_CODE_WORDS_MAX; i++)
        ck_assert_msg(golden[_i].words[i] == 0, "%s: more golden words than it takes",
                      golden[_i].text);
    struct cm_instruction decoded;
    ck_assert(cm_instruction_decode(words, &decoded));
    for (unsigned i = 0; i < CM_OPERANDS_MAX; i++) {
        ck_assert_int_eq(decoded.operands[i].value, imp->code[index].operands[i].value);
        ck_assert_uint_eq(decoded.operands[i].reg, imp->code[index].operands[i].reg);
    }
    cm_imp_destroy(imp);
}
END_TEST

START_TEST(unused_bits_are_refused)
{
    uint32_t index = 0;
    struct cm_imp *imp = around((unsigned)_i, &index);
    uint32_t words[CM_CODE_WORDS_MAX] = {0};
    uint32_t again[CM_CODE_WORDS_MAX] = {0};
    uint32_t count = cm_op_words((enum cm_op)_i);
    encode(&imp->code[index], words);
    for (uint32_t bit = 8; bit < 32 * count; bit++) {
        struct cm_instruction decoded;
        words[bit / 32] ^= 1u << bit % 32;
        if (cm_instruction_decode(words, &decoded)) {
            encode(&decoded, again);
            ck_assert_mem_eq(words, again, count * sizeof words[0]);
        }
        words[bit / 32] ^= 1u << bit % 32;
    }
    cm_imp_destroy(imp);
}
END_TEST

START_TEST(text_form_round_trips)
{
    char text[256];
    uint32_t index = 0;
    struct cm_imp *imp = around((unsigned)_i, &index);
    size_t length = cm_instruction_format(imp, index, text, sizeof text);
    ck_assert_str_eq(text, golden[_i].text);
    ck_assert_uint_eq(length, strlen(text));
    char small[4];
    ck_assert_uint_eq(cm_instruction_format(imp, index, small, sizeof small), length);
    ck_assert_mem_eq(small, golden[_i].text, 3);
    ck_assert_int_eq(small[3], '\0');
    ck_assert_uint_eq(cm_instruction_format(imp, index, NULL, 0), length);
    cm_imp_destroy(imp);
}
END_TEST

START_TEST(instruction_has_all_its_parts)
{
    const struct cm_op_info *info = cm_op_info((enum cm_op)_i);
    ck_assert_int_lt(info->cost, CM_COST_CLASS_COUNT);
    ck_assert_msg(info->cost != CM_COST_NONE || _i == CM_OP_HALT, "%s costs nothing",
                  info->mnemonic);
    ck_assert_uint_gt(strlen(info->symbol), 0);
    ck_assert_uint_gt(strlen(info->effect), 0);
    ck_assert_uint_gt(strlen(info->source), 0);
    ck_assert_uint_le(info->operand_count, CM_OPERANDS_MAX);
    for (unsigned i = 0; i < CM_OPERANDS_MAX; i++)
        ck_assert_msg((info->operands[i] != CM_OPERAND_NONE) == (i < info->operand_count),
                      "%s: operands with a gap", info->mnemonic);
    ck_assert_uint_le(cm_op_words((enum cm_op)_i), CM_CODE_WORDS_MAX);
    char form[CM_FORM_MAX];
    cm_op_form((enum cm_op)_i, form);
    ck_assert_uint_lt(strlen(form) + 1, CM_FORM_MAX);
}
END_TEST

START_TEST(no_two_mnemonics_are_equal)
{
    for (unsigned a = 0; a < CM_OP_COUNT; a++)
        for (unsigned b = a + 1; b < CM_OP_COUNT; b++) {
            const struct cm_op_info *first = cm_op_info((enum cm_op)a);
            const struct cm_op_info *second = cm_op_info((enum cm_op)b);
            ck_assert_str_ne(first->mnemonic, second->mnemonic);
            ck_assert_str_ne(first->symbol, second->symbol);
        }
}
END_TEST

/* The opcode alone tells instructions apart: the first words of two never agree in bits 0..7. */
START_TEST(no_two_opcodes_overlap)
{
    bool seen[256] = {false};
    for (unsigned op = 0; op < CM_OP_COUNT; op++) {
        struct cm_instruction instruction = {.op = (enum cm_op)op};
        uint32_t words[CM_CODE_WORDS_MAX];
        encode(&instruction, words);
        ck_assert(!seen[words[0] & 255u]);
        seen[words[0] & 255u] = true;
        struct cm_instruction decoded;
        ck_assert(cm_instruction_decode(words, &decoded));
        ck_assert_int_eq(decoded.op, op);
    }
}
END_TEST

START_TEST(words_of_an_imp_add_up)
{
    struct cm_imp *imp = must_assemble(".imp t\nL: loop 3\nfma32 f0, f1, f2, f3\nnext L\nhalt\n");
    ck_assert_uint_eq(cm_imp_words(imp), 2 + 2 + 2 + 1);
    cm_imp_destroy(imp);
}
END_TEST

static void lower(char *text)
{
    for (; *text; text++)
        if (*text >= 'A' && *text <= 'Z')
            *text = (char)(*text - 'A' + 'a');
}

/* The manual's text, or NULL when neither CM_SOURCE_ROOT nor the working folder leads to the
 * source. */
static char *read_manual(void)
{
    const char *root = getenv("CM_SOURCE_ROOT");
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/imp.md", root ? root : ".");
    FILE *file = fopen(path, "rb");
    if (!file && !root) {
        fprintf(stderr, "CM_SOURCE_ROOT is not set: docs/imp.md is not compared\n");
        return NULL;
    }
    ck_assert_msg(file != NULL, "cannot open %s", path);
    char *text = calloc(1, 1 << 20);
    ck_assert_ptr_nonnull(text);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    ck_assert_uint_gt(length, 0);
    return text;
}

/* A row of the manual's table, as isa.def has it. */
static void table_row(unsigned op, const char *cost, struct cm_buffer *row)
{
    char form[CM_FORM_MAX];
    char class[64];
    const struct cm_op_info *info = cm_op_info((enum cm_op)op);
    cm_op_form((enum cm_op)op, form);
    snprintf(class, sizeof class, "%s", cost);
    lower(class);
    cm_buffer_printf(row, "| %u | `%s` | %u | %s | %s | %s |\n", op, form,
                     cm_op_words((enum cm_op)op), class, info->effect, info->source);
}

START_TEST(manual_lists_every_instruction)
{
    static const char *const costs[] = {
#define CM_OP(symbol, mnemonic, cost, k1, k2, k3, k4, k5, effect, source) #cost,
#include "isa/isa.def"
#undef CM_OP
    };
    static const char head[] = "<!-- instructions -->\n";
    char *manual = read_manual();
    if (!manual)
        return;
    struct cm_buffer table;
    cm_buffer_init(&table);
    cm_buffer_printf(&table, "| Opcode | Form | Words | Cost class | What it does | Source |\n"
                             "|---|---|---|---|---|---|\n");
    for (unsigned op = 0; op < CM_OP_COUNT; op++)
        table_row(op, costs[op], &table);
    cm_buffer_printf(&table, "<!-- end -->\n");
    ck_assert(cm_buffer_ok(&table));
    const char *found = strstr(manual, head);
    ck_assert_msg(found != NULL, "docs/imp.md has no line %s", head);
    const bool same = strncmp(found + strlen(head), table.data, table.length) == 0;
    if (!same) /* longer than a message of Check may be */
        fputs(table.data, stderr);
    ck_assert_msg(same, "the table of docs/imp.md is not that of isa.def, which is printed above");
    cm_buffer_finish(&table);
    free(manual);
}
END_TEST

START_TEST(every_example_in_the_manual_assembles)
{
    static const char fence[] = "\n```imp\n";
    char *manual = read_manual();
    if (!manual)
        return;
    unsigned examples = 0;
    char *at = manual;
    while ((at = strstr(at, fence)) != NULL) {
        char *text = at + strlen(fence);
        char *end = strstr(text, "```");
        ck_assert_ptr_nonnull(end);
        *end = '\0';
        cm_imp_destroy(must_assemble(text));
        examples++;
        at = end + 1;
    }
    ck_assert_uint_gt(examples, 0);
    free(manual);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("isa table");
    TCase *each = tcase_create("each instruction");
    tcase_add_loop_test(each, instruction_has_all_its_parts, 0, CM_OP_COUNT);
    tcase_add_loop_test(each, encoding_is_the_golden_one, 0, CM_OP_COUNT);
    tcase_add_loop_test(each, unused_bits_are_refused, 0, CM_OP_COUNT);
    tcase_add_loop_test(each, text_form_round_trips, 0, CM_OP_COUNT);
    suite_add_tcase(s, each);
    TCase *all = tcase_create("all together");
    tcase_add_test(all, every_instruction_has_a_golden_case);
    tcase_add_test(all, no_two_mnemonics_are_equal);
    tcase_add_test(all, no_two_opcodes_overlap);
    tcase_add_test(all, words_of_an_imp_add_up);
    suite_add_tcase(s, all);
    TCase *manual = tcase_create("manual");
    tcase_add_test(manual, manual_lists_every_instruction);
    tcase_add_test(manual, every_example_in_the_manual_assembles);
    suite_add_tcase(s, manual);
    return s;
}

CM_PROGRAM(test_isa_table)
{
    return cm_run_suite(suite());
}
