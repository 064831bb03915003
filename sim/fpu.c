/* FPU arithmetic: one loop over the nodes for each instruction. */
#include "fpu.h"

#include <string.h>

static inline float as_float(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint32_t from_float(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline double as_double(uint32_t low, uint32_t high)
{
    uint64_t bits = low | (uint64_t)high << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The low (and high) planes of the operands, in order: result, then sources. */
struct planes {
    uint32_t *low[4];
    uint32_t *high[4];
};

static struct planes operand_planes(const struct cm_fpu *fpu,
                                    const struct cm_instruction *instruction)
{
    struct planes planes = {0};
    uint32_t count = cm_op_info(instruction->op)->operand_count;
    for (uint32_t i = 0; i < count; i++) {
        planes.low[i] = cm_fpu_low(fpu, instruction->operands[i].reg);
        planes.high[i] = cm_fpu_high(fpu, instruction->operands[i].reg);
    }
    return planes;
}

#define FPU32(name, expression)                                                                    \
    static void name(struct planes p, struct cm_lanes lanes)                                       \
    {                                                                                              \
        for (size_t n = lanes.first; n < lanes.last; n++) {                                        \
            float a = as_float(p.low[1][n]);                                                       \
            float b = as_float(p.low[2][n]);                                                       \
            p.low[0][n] = from_float(expression);                                                  \
        }                                                                                          \
    }

#define FPU64(name, expression)                                                                    \
    static void name(struct planes p, struct cm_lanes lanes)                                       \
    {                                                                                              \
        for (size_t n = lanes.first; n < lanes.last; n++) {                                        \
            double a = as_double(p.low[1][n], p.high[1][n]);                                       \
            double b = as_double(p.low[2][n], p.high[2][n]);                                       \
            uint64_t bits = from_double(expression);                                               \
            p.low[0][n] = (uint32_t)bits;                                                          \
            p.high[0][n] = (uint32_t)(bits >> 32);                                                 \
        }                                                                                          \
    }

#define INTEGER(name, expression)                                                                  \
    static void name(struct planes p, struct cm_lanes lanes)                                       \
    {                                                                                              \
        for (size_t n = lanes.first; n < lanes.last; n++) {                                        \
            uint32_t a = p.low[1][n];                                                              \
            uint32_t b = p.low[2][n];                                                              \
            p.low[0][n] = expression;                                                              \
        }                                                                                          \
    }

FPU32(add32, a + b)
FPU32(sub32, a - b)
FPU32(mul32, a *b)
FPU64(add64, a + b)
FPU64(sub64, a - b)
FPU64(mul64, a *b)
INTEGER(addi, a + b)
INTEGER(subi, a - b)
INTEGER(muli, a *b)

static void fma32(struct planes p, struct cm_lanes lanes)
{
    for (size_t n = lanes.first; n < lanes.last; n++) {
        float product = as_float(p.low[1][n]) * as_float(p.low[2][n]);
        p.low[0][n] = from_float(product + as_float(p.low[3][n]));
    }
}

static void fma64(struct planes p, struct cm_lanes lanes)
{
    for (size_t n = lanes.first; n < lanes.last; n++) {
        double product =
            as_double(p.low[1][n], p.high[1][n]) * as_double(p.low[2][n], p.high[2][n]);
        uint64_t bits = from_double(product + as_double(p.low[3][n], p.high[3][n]));
        p.low[0][n] = (uint32_t)bits;
        p.high[0][n] = (uint32_t)(bits >> 32);
    }
}

static void (*const operations[CM_OP_COUNT])(struct planes p, struct cm_lanes lanes) = {
    [CM_OP_FADD32] = add32, [CM_OP_FADD64] = add64, [CM_OP_FSUB32] = sub32, [CM_OP_FSUB64] = sub64,
    [CM_OP_FMUL32] = mul32, [CM_OP_FMUL64] = mul64, [CM_OP_FMA32] = fma32,  [CM_OP_FMA64] = fma64,
    [CM_OP_IADD] = addi,    [CM_OP_ISUB] = subi,    [CM_OP_IMUL] = muli,
};

void cm_fpu_execute(const struct cm_fpu *fpu, struct cm_lanes lanes,
                    const struct cm_instruction *instruction)
{
    operations[instruction->op](operand_planes(fpu, instruction), lanes);
}
