/*
 * Generated code: each operation of a translation rule reads the same operand from memory as from a
 * host register, with every encoder whose instructions the host has. Hosts without one have nothing
 * to test.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "random.h"
#include "sim/lanes/encoder.h"
#include "suite.h"

#ifdef CM_HOST_X86
#include <sys/mman.h>

#define CODE_BYTES   4096u
#define CELLS        (CM_LANE_CELLS * CM_X86_BLOCKS)
#define VECTOR_WORDS 16u
#define CONSTANT     UINT64_C(0x3ff345673f8abcde)
#define FIRST        1u /* host registers of the sources, and of two results */
#define SECOND       2u
#define RESULT       4u
#define OTHER        5u
#define MASK         6u

/* Memory that an instruction reads: FPU registers of all blocks, with two results behind them, and
 * two planes. */
struct memory {
    uint32_t cells[CELLS + 2][VECTOR_WORDS];
    uint32_t planes[2][CM_X86_BLOCKS][VECTOR_WORDS];
};

/* A rule's operation, written by an encoder. */
struct trial {
    const struct cm_encoder *encoder;
    const struct cm_lane_rule *rule;
};

/* Writes a rule's operation. Its result becomes a vector also if it is a mask. */
static void write_operation(struct cm_x86 *x, const struct trial *trial, uint32_t result,
                            struct cm_vector second)
{
    const struct cm_encoder *encoder = trial->encoder;
    const struct cm_lane_rule *rule = trial->rule;
    const char *kinds = cm_lane_form_kinds[rule->form];
    const bool unary = rule->form == CM_LANE_UNARY_32 || rule->form == CM_LANE_UNARY_64 ||
                       rule->form == CM_LANE_WIDEN || rule->form == CM_LANE_NARROW;
    const bool compares = kinds[0] == '-';
    const struct cm_ir_op op = {.kind = compares ? CM_IR_COMPARE : CM_IR_VECTOR,
                                .op = (uint8_t)rule->op};
    encoder->operate(x, &op, compares ? MASK : result, unary ? 0 : FIRST, second, 0);
    if (compares)
        encoder->operate(x, &(struct cm_ir_op){.kind = CM_IR_MASK_WORDS}, result, 0,
                         cm_in_register(0), MASK);
}

/* Writes code that executes a rule's instruction on a register and on the same operand in memory,
 * and stores both results behind the cells. */
static void write_code(struct cm_x86 *x, const struct trial *trial, struct cm_vector from)
{
    const struct cm_encoder *encoder = trial->encoder;
    const uint32_t block = x->block;
    cm_x86_bytes(x, "\x53\x55\x41\x54", 4); /* push rbx, rbp, r12 */
    cm_x86_bytes(x, "\x48\x89\xfb", 3);     /* mov rbx, rdi */
    cm_x86_bytes(x, "\x48\x89\xf5", 3);     /* mov rbp, rsi */
    cm_x86_bytes(x, "\x45\x31\xe4", 3);     /* xor r12d, r12d */
    encoder->load(x, SECOND, from);
    x->block = 0;
    encoder->load(x, FIRST, (struct cm_vector){CM_VECTOR_CELL, 1});
    x->block = block;
    write_operation(x, trial, RESULT, cm_in_register(SECOND));
    write_operation(x, trial, OTHER, from);
    x->block = CM_X86_BLOCKS * encoder->parts;
    encoder->store(x, (struct cm_vector){CM_VECTOR_CELL, 0}, RESULT);
    encoder->store(x, (struct cm_vector){CM_VECTOR_CELL, 1}, OTHER);
    cm_x86_bytes(x, "\x41\x5c\x5d\x5b\xc5\xf8\x77\xc3", 8); /* pop, vzeroupper, ret */
    ck_assert(!x->full);
}

static void execute(struct memory *memory, const struct trial *trial, struct cm_vector from,
                    uint32_t block)
{
    const uint64_t parameters[3] = {CONSTANT, (uintptr_t)memory->planes[0],
                                    (uintptr_t)memory->planes[1]};
    void (*function)(const uint64_t *planes, uint32_t *registers);
    uint8_t *code =
        mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(code, MAP_FAILED);
    struct cm_x86 x = {.begin = code,
                       .at = code,
                       .end = code + CODE_BYTES,
                       .block = block,
                       .block_bytes = CM_LANE_CELLS * sizeof memory->cells[0]};
    write_code(&x, trial, from);
    ck_assert_int_eq(mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC), 0);
    memcpy(&function, &code, sizeof function);
    function(parameters + 1, memory->cells[0]);
    ck_assert_int_eq(munmap(code, CODE_BYTES), 0);
}

/* Fills memory with numbers of one and of two words in [1, 2). */
static void fill_memory(struct memory *memory, struct random_source *random)
{
    uint32_t *words = memory->cells[0];
    for (size_t i = 0; i < sizeof *memory / sizeof *words; i++)
        words[i] = (i % 2 ? UINT32_C(0x3ff00000) : UINT32_C(0x3f800000)) |
                   (uint32_t)(random_next(random) & UINT32_C(0xfffff));
}

static void check_rule(struct memory *memory, const struct trial *trial)
{
    const struct cm_encoder *encoder = trial->encoder;
    const struct cm_lane_rule *rule = trial->rule;
    const bool narrow = cm_lane_form_kinds[rule->form][1] == 'w';
    const struct cm_vector places[] = {
        {CM_VECTOR_PLANE, 0}, {CM_VECTOR_PLANE, 1},
        {CM_VECTOR_CELL, 0},  {CM_VECTOR_CELL, 1},
        {CM_VECTOR_CELL, 31}, {CM_VECTOR_CELL, 32},
        {CM_VECTOR_CELL, 63}, {narrow ? CM_VECTOR_CONSTANT_32 : CM_VECTOR_CONSTANT_64, 0},
    };
    const size_t count = sizeof places / sizeof *places - !encoder->broadcasts;
    const uint32_t *results[2] = {memory->cells[CELLS], memory->cells[CELLS + 1]};
    for (uint32_t block = 0; block < CM_X86_BLOCKS * encoder->parts; block++)
        for (size_t i = 0; i < count; i++) {
            execute(memory, trial, places[i], block);
            for (uint32_t n = 0; n < VECTOR_WORDS / encoder->parts; n++)
                ck_assert_msg(results[0][n] == results[1][n],
                              "operation %d, place %d, number %u, block %u: word %u is %08x from a "
                              "register, %08x from memory",
                              (int)rule->op, (int)places[i].place, places[i].number, block, n,
                              results[0][n], results[1][n]);
        }
}

/* Checks all rules with an encoder. */
static void check_encoder(const struct cm_encoder *encoder)
{
    struct random_source random = random_begin("memory operands");
    struct cm_lane_rules rules;
    struct memory *memory = malloc(sizeof *memory);
    uint32_t checked = 0;
    ck_assert_ptr_nonnull(memory);
    fill_memory(memory, &random);
    cm_lane_rules_init(&rules);
    for (uint32_t i = 0; i < rules.count; i++)
        if (rules.rules[i].op != CM_VECTOR_OP_NONE) {
            check_rule(memory, &(struct trial){encoder, &rules.rules[i]});
            checked++;
        }
    ck_assert(checked > 40);
    free(memory);
}
#endif

START_TEST(operations_read_the_same_from_memory_as_from_a_register)
{
#ifdef CM_HOST_X86
    if (cm_host() >= CM_HOST_AVX2)
        check_encoder(&cm_encoder_avx2);
    if (cm_host() >= CM_HOST_AVX512)
        check_encoder(&cm_encoder_avx512);
#endif
}
END_TEST

CM_PROGRAM(test_sim_code)
{
    if (cm_host() == CM_HOST_PLAIN) {
        (void)puts("1..0 # SKIP no code is generated for this host");
        return 0;
    }
    Suite *suite = suite_create("sim_code");
    TCase *tests = tcase_create("code");
    tcase_add_test(tests, operations_read_the_same_from_memory_as_from_a_register);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
