/* What joins the FPU and the context flag: comparisons set it, selections follow it. One loop over
 * the nodes for each instruction, for each kind of host processor. */
#include "fpu_vectors.h"

/* Comparisons: the result, all ones or 0, goes into plane 0. */
#define COMPARISON32(name, host, attributes, kind, scalar, operator)                               \
    attributes static void name##_##host(struct planes p, struct cm_lanes lanes)                   \
    {                                                                                              \
        uint32_t n = lanes.first;                                                                  \
        LOOP32(kind##_##host, 2, (kind##_##host)(a operator b))                                    \
        for (; n < lanes.last; n++) {                                                              \
            scalar a, b;                                                                           \
            memcpy(&a, p.low[1] + n, sizeof a);                                                    \
            memcpy(&b, p.low[2] + n, sizeof b);                                                    \
            p.low[0][n] = 0u - (uint32_t)(a operator b);                                           \
        }                                                                                          \
    }

#define COMPARISON64(name, host, attributes, operator)                                             \
    attributes static void name##_##host(struct planes p, struct cm_lanes lanes)                   \
    {                                                                                              \
        uint32_t n = lanes.first;                                                                  \
        for (; n + NODES_IN(words_##host) <= lanes.last; n += NODES_IN(words_##host)) {            \
            UNPACK(host, 1);                                                                       \
            UNPACK(host, 2);                                                                       \
            words_##host mask = EVEN_##host((words_##host)(source1[0] operator source2[0]),        \
                                            (words_##host)(source1[1] operator source2[1]));       \
            memcpy(p.low[0] + n, &mask, sizeof mask);                                              \
        }                                                                                          \
        for (; n < lanes.last; n++) {                                                              \
            double a, b;                                                                           \
            LOAD64(a, 1);                                                                          \
            LOAD64(b, 2);                                                                          \
            p.low[0][n] = 0u - (uint32_t)(a operator b);                                           \
        }                                                                                          \
    }

/* Source c is the mask. */
#define OPERATIONS(host, attributes)                                                               \
    COMPARISON32(eq32, host, attributes, floats, float, ==)                                        \
    COMPARISON32(lt32, host, attributes, floats, float, <)                                         \
    COMPARISON32(le32, host, attributes, floats, float, <=)                                        \
    COMPARISON64(eq64, host, attributes, ==)                                                       \
    COMPARISON64(lt64, host, attributes, <)                                                        \
    COMPARISON64(le64, host, attributes, <=)                                                       \
    COMPARISON32(eqi, host, attributes, ints, int32_t, ==)                                         \
    COMPARISON32(lti, host, attributes, ints, int32_t, <)                                          \
    COMPARISON32(lei, host, attributes, ints, int32_t, <=)                                         \
    OPERATION32(select, host, attributes, words, uint32_t, 3, (a & c) | (b & ~c))                  \
    static const operation operations_##host[CM_OP_COUNT] =                                        \
        {                                                                                          \
            [CM_OP_FEQ32] = eq32_##host,    [CM_OP_FLT32] = lt32_##host,                           \
            [CM_OP_FLE32] = le32_##host,    [CM_OP_FEQ64] = eq64_##host,                           \
            [CM_OP_FLT64] = lt64_##host,    [CM_OP_FLE64] = le64_##host,                           \
            [CM_OP_IEQ] = eqi_##host,       [CM_OP_ILT] = lti_##host,                              \
            [CM_OP_ILE] = lei_##host,       [CM_OP_FSEL32] = select_##host,                        \
            [CM_OP_FSEL64] = select_##host,                                                        \
    };

ON_EACH_HOST(OPERATIONS)

void cm_fpu_compare(const struct cm_fpu *fpu, struct cm_lanes lanes,
                    const struct cm_instruction *instruction, uint32_t *context)
{
    struct planes planes = operand_planes(fpu, instruction, 1);
    planes.low[0] = context;
    host_operations[cm_host()][instruction->op](planes, lanes);
}

void cm_fpu_select(const struct cm_fpu *fpu, struct cm_lanes lanes,
                   const struct cm_instruction *instruction, uint32_t *context)
{
    operation select = host_operations[cm_host()][instruction->op];
    struct planes planes = operand_planes(fpu, instruction, 0);
    planes.low[3] = context;
    select(planes, lanes);
    if (instruction->op == CM_OP_FSEL32)
        return;
    memcpy(planes.low, planes.high, 3 * sizeof planes.low[0]);
    select(planes, lanes);
}
