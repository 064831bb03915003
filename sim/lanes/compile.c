/* Compiles a signature to host code, a function with loops over a worker's nodes. */
#include "allocate.h"
#include "code.h"

#include <stdlib.h>
#include <string.h>

static void write_prologue(struct cm_x86 *x)
{
    cm_x86_bytes(x, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57", 10); /* push rbx, rbp, r12 to r15 */
    cm_x86_bytes(x, "\x49\x89\xe7", 3);                              /* mov r15, rsp */
    /* sub rsp, imm32, set by set_stack */
    cm_x86_bytes(x, "\x48\x81\xec\0\0\0\0", 7);
    cm_x86_bytes(x, "\x48\x83\xe4\xc0", 4); /* and rsp, -64 */
    cm_x86_bytes(x, "\x48\x89\xfb", 3);     /* mov rbx, rdi */
    cm_x86_bytes(x, "\x48\x89\x74\x24", 4); /* mov [rsp + disp8], rsi */
    cm_x86_byte(x, CM_X86_REGISTERS);
    cm_x86_bytes(x, "\x49\x89\xd5", 3); /* mov r13, rdx */
}

/* Sets the size of the stack frame in the prologue. */
static void set_stack(struct cm_x86 *x, uint32_t slots)
{
    const uint32_t bytes = CM_X86_SLOTS + CM_X86_SLOT_BYTES * slots + 64;
    if (!x->full)
        memcpy(x->begin + 16, &bytes, sizeof bytes);
}

static void write_epilogue(struct cm_x86 *x)
{
    cm_x86_bytes(x, "\x4c\x89\xfc", 3);                              /* mov rsp, r15 */
    cm_x86_bytes(x, "\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b", 10); /* pop r15 to r12, rbp, rbx */
    cm_x86_bytes(x, "\xc5\xf8\x77\xc3", 4);                          /* vzeroupper, ret */
}

static void write_loop_begin(struct cm_x86 *x)
{
    cm_x86_bytes(x, "\x45\x31\xe4", 3);     /* xor r12d, r12d */
    cm_x86_bytes(x, "\x48\x8b\x6c\x24", 4); /* mov rbp, [rsp + disp8] */
    cm_x86_byte(x, CM_X86_REGISTERS);
    cm_x86_forget(x);
}

static void write_loop_end(struct cm_x86 *x, const uint8_t *loop, uint32_t blocks)
{
    cm_x86_bytes(x, "\x49\x81\xc4", 3); /* add r12, imm32 */
    cm_x86_word(x, blocks * CM_LANE_CODE_NODES * 4);
    cm_x86_bytes(x, "\x48\x81\xc5", 3); /* add rbp, imm32 */
    cm_x86_word(x, blocks * x->block_bytes);
    cm_x86_bytes(x, "\x4d\x39\xec", 3); /* cmp r12, r13 */
    cm_x86_bytes(x, "\x0f\x82", 2);     /* jb loop */
    cm_x86_word(x, (uint32_t)(loop - (x->at + 4)));
}

static void write_code(struct cm_allocator *e)
{
    bool prepared = false; /* true if reserved registers have what loops expect */
    write_prologue(&e->x);
    cm_allocator_copy_constants(e);
    for (uint32_t i = 0; i < e->plan->loop_count; i++) {
        const struct cm_ir_loop *loop = &e->plan->loops[i];
        if (!prepared && e->encoder->prepare)
            e->encoder->prepare(&e->x);
        write_loop_begin(&e->x);
        const uint8_t *begin = e->x.at;
        cm_allocator_emit_loop(e, loop);
        write_loop_end(&e->x, begin, loop->blocks);
        prepared = e->ir->ops[e->plan->order[loop->first]].kind != CM_IR_CALL;
    }
    write_epilogue(&e->x);
    set_stack(&e->x, e->most_slots);
}

/* Returns the most lane blocks that code may work on at a time. */
static uint32_t most_blocks(const struct cm_lane_place *place)
{
    uint32_t blocks = CM_X86_BLOCKS;
    while (blocks * CM_LANE_CODE_NODES > place->least_nodes)
        blocks /= 2;
    return blocks;
}

static size_t compile(const struct cm_encoder *encoder, const struct cm_ir *ir,
                      const struct cm_ir_plan *plan, const struct cm_lane_place *place, uint8_t *to,
                      size_t room)
{
    struct cm_allocator e = {
        .encoder = encoder,
        .x = {.begin = to, .at = to, .end = to + room, .block_bytes = 4 * place->block_words}};
    e.x.full = !cm_allocator_init(&e, ir, plan);
    if (!e.x.full)
        write_code(&e);
    cm_allocator_finish(&e);
    return e.x.full ? 0 : (size_t)(e.x.at - to);
}

/* Returns the encoder for a kind of vector unit, or NULL for CM_HOST_PLAIN. */
static const struct cm_encoder *encoder_for(enum cm_host host)
{
    static const struct cm_encoder *const encoders[CM_HOST_COUNT] = {
        [CM_HOST_AVX2] = &cm_encoder_avx2, [CM_HOST_AVX512] = &cm_encoder_avx512};
    return encoders[host];
}

size_t cm_lane_compile(const struct cm_signature *signature, const struct cm_lane_rules *rules,
                       const struct cm_lane_place *place, struct cm_lane_area *area)
{
    const struct cm_encoder *encoder = encoder_for(area->host);
    struct cm_ir ir;
    struct cm_ir_plan plan = {0};
    size_t size = 0;
    cm_ir_build(&ir, signature, rules, encoder->in_lanes);
    if (!ir.failed) {
        cm_ir_plan_make(&plan, &ir, encoder->vectors / encoder->parts, most_blocks(place));
        if (!plan.failed)
            size = compile(encoder, &ir, &plan, place, area->to, area->room);
    }
    area->crowded = plan.crowded;
    cm_ir_plan_finish(&plan);
    cm_ir_finish(&ir);
    return size;
}
