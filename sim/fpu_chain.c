/* Chains of products: one loop over the nodes of a block, for each kind of host processor. */
#include "fpu_vectors.h"
#include "lanes.h"

/* The operands of a chain in one block. */
struct source {
    const uint32_t *words;
    enum cm_value_kind kind;
};
struct sources {
    struct source init, a[CM_CHAIN_TERMS], b[CM_CHAIN_TERMS];
};

static struct source source_in(const struct cm_chain_operand *operand, uint32_t block)
{
    struct source source = {.kind = operand->kind};
    if (operand->kind != CM_VALUE_NONE)
        source.words = operand->place.at + (size_t)block * operand->place.step;
    return source;
}

static uint32_t *find_sources(const struct cm_chain *chain, uint32_t block, struct sources *sources)
{
    sources->init = source_in(&chain->init, block);
    for (uint32_t k = 0; k < chain->terms; k++) {
        sources->a[k] = source_in(&chain->a[k], block);
        sources->b[k] = source_in(&chain->b[k], block);
    }
    return chain->out.at + (size_t)block * chain->out.step;
}

#define INLINE static inline __attribute__((always_inline))

/* A vector of 32-bit operands from node n on. */
#define FETCH32(host, attributes)                                                                  \
    attributes INLINE floats_##host fetch32_##host(struct source from, size_t n)                   \
    {                                                                                              \
        floats_##host value;                                                                       \
        float same;                                                                                \
        if (from.kind == CM_VALUE_CONSTANT) {                                                      \
            memcpy(&same, from.words, sizeof same);                                                \
            return same - (floats_##host){0};                                                      \
        }                                                                                          \
        memcpy(&value, from.words + n, sizeof value);                                              \
        return value;                                                                              \
    }

/* As many 64-bit operands, in two vectors. */
#define PAIR(host)                                                                                 \
    struct pair_##host {                                                                           \
        doubles_##host value[2];                                                                   \
    };
#define FETCH64(host, attributes)                                                                  \
    attributes INLINE struct pair_##host fetch64_##host(struct source from, size_t n,              \
                                                        size_t nodes)                              \
    {                                                                                              \
        struct pair_##host pair;                                                                   \
        words_##host low, high;                                                                    \
        double same;                                                                               \
        switch (from.kind) {                                                                       \
        case CM_VALUE_CONSTANT:                                                                    \
            memcpy(&same, from.words, sizeof same);                                                \
            pair.value[0] = pair.value[1] = same - (doubles_##host){0};                            \
            break;                                                                                 \
        case CM_VALUE_MEMORY:                                                                      \
            memcpy(&low, from.words + n, sizeof low);                                              \
            memcpy(&high, from.words + nodes + n, sizeof high);                                    \
            pair.value[0] = (doubles_##host)JOIN0_##host(low, high);                               \
            pair.value[1] = (doubles_##host)JOIN1_##host(low, high);                               \
            break;                                                                                 \
        default:                                                                                   \
            memcpy(&pair.value[0], from.words + 2 * n, sizeof pair.value[0]);                      \
            memcpy(&pair.value[1], from.words + 2 * n + NODES_IN(doubles_##host),                  \
                   sizeof pair.value[1]);                                                          \
            break;                                                                                 \
        }                                                                                          \
        return pair;                                                                               \
    }

#define CHAIN32(host, attributes)                                                                  \
    attributes static void chain32_##host(const struct cm_chain *chain, uint32_t block,            \
                                          uint32_t count)                                          \
    {                                                                                              \
        struct sources s = {0};                                                                    \
        uint32_t *out = find_sources(chain, block, &s);                                            \
        uint32_t n = 0, begin = s.init.kind == CM_VALUE_NONE;                                      \
        for (; n + NODES_IN(floats_##host) <= count; n += NODES_IN(floats_##host)) {               \
            floats_##host sum = begin ? fetch32_##host(s.a[0], n) * fetch32_##host(s.b[0], n)      \
                                      : fetch32_##host(s.init, n);                                 \
            for (uint32_t k = begin; k < chain->terms; k++)                                        \
                sum = fetch32_##host(s.a[k], n) * fetch32_##host(s.b[k], n) + sum;                 \
            memcpy(out + n, &sum, sizeof sum);                                                     \
        }                                                                                          \
        for (; n < count; n++)                                                                     \
            one32(chain, &s, out, n);                                                              \
    }

#define CHAIN64(host, attributes)                                                                  \
    attributes static void chain64_##host(const struct cm_chain *chain, uint32_t block,            \
                                          uint32_t count)                                          \
    {                                                                                              \
        struct sources s = {0};                                                                    \
        const size_t nodes = chain->nodes;                                                         \
        uint32_t *out = find_sources(chain, block, &s);                                            \
        uint32_t n = 0, begin = s.init.kind == CM_VALUE_NONE;                                      \
        for (; n + NODES_IN(doubles_##host) <= count; n += NODES_IN(doubles_##host)) {             \
            struct pair_##host sum, a, b;                                                          \
            if (begin) {                                                                           \
                a = fetch64_##host(s.a[0], n, nodes);                                              \
                b = fetch64_##host(s.b[0], n, nodes);                                              \
                sum.value[0] = a.value[0] * b.value[0];                                            \
                sum.value[1] = a.value[1] * b.value[1];                                            \
            } else {                                                                               \
                sum = fetch64_##host(s.init, n, nodes);                                            \
            }                                                                                      \
            for (uint32_t k = begin; k < chain->terms; k++) {                                      \
                a = fetch64_##host(s.a[k], n, nodes);                                              \
                b = fetch64_##host(s.b[k], n, nodes);                                              \
                sum.value[0] = a.value[0] * b.value[0] + sum.value[0];                             \
                sum.value[1] = a.value[1] * b.value[1] + sum.value[1];                             \
            }                                                                                      \
            memcpy(out + 2 * (size_t)n, &sum.value[0], sizeof sum.value[0]);                       \
            memcpy(out + 2 * (size_t)n + NODES_IN(doubles_##host), &sum.value[1],                  \
                   sizeof sum.value[1]);                                                           \
        }                                                                                          \
        for (; n < count; n++)                                                                     \
            one64(chain, &s, out, n);                                                              \
    }

/* One node. */

static float single(struct source from, size_t n)
{
    float value;
    memcpy(&value, from.words + (from.kind == CM_VALUE_CONSTANT ? 0 : n), sizeof value);
    return value;
}

static void one32(const struct cm_chain *chain, const struct sources *s, uint32_t *out, size_t n)
{
    uint32_t begin = s->init.kind == CM_VALUE_NONE;
    float sum = begin ? single(s->a[0], n) * single(s->b[0], n) : single(s->init, n);
    for (uint32_t k = begin; k < chain->terms; k++)
        sum = single(s->a[k], n) * single(s->b[k], n) + sum;
    memcpy(out + n, &sum, sizeof sum);
}

static double twice(struct source from, size_t n, size_t nodes)
{
    uint32_t words[2];
    double value;
    if (from.kind == CM_VALUE_MEMORY) {
        words[0] = from.words[n];
        words[1] = from.words[nodes + n];
    } else {
        memcpy(words, from.words + (from.kind == CM_VALUE_CONSTANT ? 0 : 2 * n), sizeof words);
    }
    memcpy(&value, words, sizeof value);
    return value;
}

static void one64(const struct cm_chain *chain, const struct sources *s, uint32_t *out, size_t n)
{
    const size_t nodes = chain->nodes;
    uint32_t begin = s->init.kind == CM_VALUE_NONE;
    double sum =
        begin ? twice(s->a[0], n, nodes) * twice(s->b[0], n, nodes) : twice(s->init, n, nodes);
    for (uint32_t k = begin; k < chain->terms; k++)
        sum = twice(s->a[k], n, nodes) * twice(s->b[k], n, nodes) + sum;
    memcpy(out + 2 * n, &sum, sizeof sum);
}

#define OPERATIONS(host, attributes)                                                               \
    PAIR(host)                                                                                     \
    FETCH32(host, attributes)                                                                      \
    FETCH64(host, attributes)                                                                      \
    CHAIN32(host, attributes)                                                                      \
    CHAIN64(host, attributes)

OPERATIONS(plain, )
#ifdef CM_HOST_X86
OPERATIONS(avx2, CM_FOR_AVX2)
OPERATIONS(avx512, CM_FOR_AVX512)
#endif

cm_chain_kernel cm_chain_kernel_choose(bool wide)
{
    static const cm_chain_kernel kernels[CM_HOST_COUNT][2] = {
        [CM_HOST_PLAIN] = {chain32_plain, chain64_plain},
#ifdef CM_HOST_X86
        [CM_HOST_AVX2] = {chain32_avx2, chain64_avx2},
        [CM_HOST_AVX512] = {chain32_avx512, chain64_avx512},
#endif
    };
    return kernels[cm_host()][wide];
}
