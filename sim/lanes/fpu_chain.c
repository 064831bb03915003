/* Chains of products: one loop over the nodes of a block, for each kind of host. */
#include "fpu_vectors.h"
#include "lanes.h"

/* Operand of a chain in one block. */
struct source {
    const uint32_t *words;
    enum cm_value_kind kind;
};
struct sources {
    bool to_memory; /* true if the 64-bit result goes to two planes */
    struct source init, a[CM_CHAIN_TERMS], b[CM_CHAIN_TERMS];
};

static struct source source_in(const struct cm_lane_operand *operand, uint32_t block)
{
    static const uint32_t nothing[2];
    struct source source = {.kind = operand->kind, .words = nothing};
    if (operand->kind == CM_VALUE_CONSTANT)
        source.words = (const uint32_t *)(const void *)&operand->constant;
    else if (operand->kind != CM_VALUE_NONE)
        source.words = operand->at + (size_t)block * operand->step;
    return source;
}

static uint32_t *find_sources(const struct cm_chain *chain, uint32_t block, struct sources *sources)
{
    sources->init = source_in(&chain->init, block);
    for (uint32_t k = 0; k < chain->terms; k++) {
        sources->a[k] = source_in(&chain->a[k], block);
        sources->b[k] = source_in(&chain->b[k], block);
    }
    sources->to_memory = !CM_FOR_A_PAGE && chain->out.kind == CM_VALUE_MEMORY;
    return chain->out.at + (size_t)block * chain->out.step;
}

#define INLINE static inline __attribute__((always_inline))

/* Number of vectors that a chain processes at a time, so that the kind of an operand is tested once
 * for all of them. With a group of 2, remaining nodes are processed one by one. */
#define GROUP (CM_FOR_A_PAGE ? 2u : 4u)

/* Types of vectors that may be at any multiple of 4 bytes. */
#define LOOSE(host)                                                                                \
    typedef floats_##host loose_floats_##host __attribute__((aligned(4), may_alias));              \
    typedef doubles_##host loose_doubles_##host __attribute__((aligned(4), may_alias));

/* Loads `group` vectors of a 32-bit operand from node n on. */
#define FETCH32(host, attributes)                                                                  \
    attributes INLINE void fetch32_##host(floats_##host *values, struct source from, size_t n,     \
                                          uint32_t group)                                          \
    {                                                                                              \
        float same;                                                                                \
        if (from.kind == CM_VALUE_CONSTANT) {                                                      \
            memcpy(&same, from.words, sizeof same);                                                \
            for (uint32_t v = 0; v < group; v++)                                                   \
                values[v] = same - (floats_##host){0};                                             \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t v = 0; v < group; v++)                                                       \
            values[v] =                                                                            \
                *(const loose_floats_##host *)(from.words + n + v * NODES_IN(floats_##host));      \
    }

/* Loads `group` vectors of a 64-bit operand from node n on. `group` is even: two vectors come from
 * one vector of low words and one of high words. */
#define FETCH64(host, attributes)                                                                  \
    attributes INLINE void fetch64_##host(doubles_##host *values, struct source from, size_t n,    \
                                          size_t nodes, uint32_t group)                            \
    {                                                                                              \
        words_##host low, high;                                                                    \
        double same;                                                                               \
        switch (from.kind) {                                                                       \
        case CM_VALUE_CONSTANT:                                                                    \
            memcpy(&same, from.words, sizeof same);                                                \
            for (uint32_t v = 0; v < group; v++)                                                   \
                values[v] = same - (doubles_##host){0};                                            \
            break;                                                                                 \
        case CM_VALUE_MEMORY:                                                                      \
            for (uint32_t v = 0; v < group; v += 2) {                                              \
                const uint32_t *at = from.words + n + v * WIDE_NODES_IN(doubles_##host);           \
                memcpy(&low, at, sizeof low);                                                      \
                memcpy(&high, at + nodes, sizeof high);                                            \
                values[v] = (doubles_##host)JOIN0_##host(low, high);                               \
                values[v + 1] = (doubles_##host)JOIN1_##host(low, high);                           \
            }                                                                                      \
            break;                                                                                 \
        default:                                                                                   \
            for (uint32_t v = 0; v < group; v++)                                                   \
                values[v] =                                                                        \
                    *(const loose_doubles_##host *)(from.words +                                   \
                                                    2 * (n + v * WIDE_NODES_IN(doubles_##host)));  \
            break;                                                                                 \
        }                                                                                          \
    }

/* Stores vectors of 64-bit values to two planes. */
#define PUT_WORDS(host, attributes)                                                                \
    attributes INLINE void put_words_##host(const doubles_##host *values, uint32_t *out,           \
                                            size_t nodes, uint32_t group)                          \
    {                                                                                              \
        for (uint32_t v = 0; v < group; v += 2) {                                                  \
            const words_##host a = (words_##host)values[v], b = (words_##host)values[v + 1];       \
            const words_##host low = EVEN_##host(a, b), high = ODD_##host(a, b);                   \
            uint32_t *at = out + v * WIDE_NODES_IN(doubles_##host);                                \
            memcpy(at, &low, sizeof low);                                                          \
            memcpy(at + nodes, &high, sizeof high);                                                \
        }                                                                                          \
    }

/* Evaluates the chain on `group` vectors of nodes from n on. */
#define TERMS32(host, attributes)                                                                  \
    attributes INLINE void terms32_##host(const struct sources *s, uint32_t terms, uint32_t *out,  \
                                          size_t n, uint32_t group)                                \
    {                                                                                              \
        floats_##host sum[GROUP], a[GROUP], b[GROUP];                                              \
        uint32_t begin = s->init.kind == CM_VALUE_NONE;                                            \
        if (begin) {                                                                               \
            fetch32_##host(a, s->a[0], n, group);                                                  \
            fetch32_##host(b, s->b[0], n, group);                                                  \
            for (uint32_t v = 0; v < group; v++)                                                   \
                sum[v] = a[v] * b[v];                                                              \
        } else {                                                                                   \
            fetch32_##host(sum, s->init, n, group);                                                \
        }                                                                                          \
        for (uint32_t k = begin; k < terms; k++) {                                                 \
            fetch32_##host(a, s->a[k], n, group);                                                  \
            fetch32_##host(b, s->b[k], n, group);                                                  \
            for (uint32_t v = 0; v < group; v++)                                                   \
                sum[v] = a[v] * b[v] + sum[v];                                                     \
        }                                                                                          \
        for (uint32_t v = 0; v < group; v++)                                                       \
            memcpy(out + n + v * NODES_IN(floats_##host), &sum[v], sizeof sum[v]);                 \
    }

#define TERMS64(host, attributes)                                                                  \
    attributes INLINE void terms64_##host(const struct sources *s, uint32_t terms, uint32_t *out,  \
                                          size_t n, size_t nodes, uint32_t group)                  \
    {                                                                                              \
        doubles_##host sum[GROUP], a[GROUP], b[GROUP];                                             \
        uint32_t begin = s->init.kind == CM_VALUE_NONE;                                            \
        if (begin) {                                                                               \
            fetch64_##host(a, s->a[0], n, nodes, group);                                           \
            fetch64_##host(b, s->b[0], n, nodes, group);                                           \
            for (uint32_t v = 0; v < group; v++)                                                   \
                sum[v] = a[v] * b[v];                                                              \
        } else {                                                                                   \
            fetch64_##host(sum, s->init, n, nodes, group);                                         \
        }                                                                                          \
        for (uint32_t k = begin; k < terms; k++) {                                                 \
            fetch64_##host(a, s->a[k], n, nodes, group);                                           \
            fetch64_##host(b, s->b[k], n, nodes, group);                                           \
            for (uint32_t v = 0; v < group; v++)                                                   \
                sum[v] = a[v] * b[v] + sum[v];                                                     \
        }                                                                                          \
        if (!CM_FOR_A_PAGE && s->to_memory)                                                        \
            put_words_##host(sum, out + n, nodes, group);                                          \
        for (uint32_t v = 0; v < group && !s->to_memory; v++)                                      \
            memcpy(out + 2 * (n + v * WIDE_NODES_IN(doubles_##host)), &sum[v], sizeof sum[v]);     \
    }

#define CHAIN32(host, attributes)                                                                  \
    attributes static void chain32_##host(const struct cm_chain *chain, uint32_t block,            \
                                          uint32_t count)                                          \
    {                                                                                              \
        const uint32_t vector = NODES_IN(floats_##host);                                           \
        struct sources s = {0};                                                                    \
        uint32_t *out = find_sources(chain, block, &s);                                            \
        uint32_t n = 0;                                                                            \
        for (; n + GROUP * vector <= count; n += GROUP * vector)                                   \
            terms32_##host(&s, chain->terms, out, n, GROUP);                                       \
        for (; GROUP > 2 && n + vector <= count; n += vector)                                      \
            terms32_##host(&s, chain->terms, out, n, 1);                                           \
        for (; n < count; n++)                                                                     \
            one32(chain, &s, out, n);                                                              \
    }

#define CHAIN64(host, attributes)                                                                  \
    attributes static void chain64_##host(const struct cm_chain *chain, uint32_t block,            \
                                          uint32_t count)                                          \
    {                                                                                              \
        const uint32_t vector = WIDE_NODES_IN(doubles_##host);                                     \
        const size_t nodes = chain->nodes;                                                         \
        struct sources s = {0};                                                                    \
        uint32_t *out = find_sources(chain, block, &s);                                            \
        uint32_t n = 0;                                                                            \
        for (; n + GROUP * vector <= count; n += GROUP * vector)                                   \
            terms64_##host(&s, chain->terms, out, n, nodes, GROUP);                                \
        for (; GROUP > 2 && n + 2 * vector <= count; n += 2 * vector)                              \
            terms64_##host(&s, chain->terms, out, n, nodes, 2);                                    \
        for (; n < count; n++)                                                                     \
            one64(chain, &s, out, n);                                                              \
    }

/* ---- single nodes ---- */

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
    if (s->to_memory) {
        uint32_t words[2];
        memcpy(words, &sum, sizeof sum);
        out[n] = words[0];
        out[nodes + n] = words[1];
    } else {
        memcpy(out + 2 * n, &sum, sizeof sum);
    }
}

#define OPERATIONS(host, attributes)                                                               \
    LOOSE(host)                                                                                    \
    FETCH32(host, attributes)                                                                      \
    FETCH64(host, attributes)                                                                      \
    PUT_WORDS(host, attributes)                                                                    \
    TERMS32(host, attributes)                                                                      \
    TERMS64(host, attributes)                                                                      \
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
