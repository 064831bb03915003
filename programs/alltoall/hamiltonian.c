/*
 * Finds edge-disjoint Hamiltonian cycles by exchanging edges.
 *
 * Each edge has a colour. Every node has two edges of each colour, and if d is odd one edge of the
 * leftover colour. So the edges of a colour form cycles. At first colour c has the dimensions 2c
 * and 2c + 1, in cycles of four nodes.
 *
 * Take a square whose two sides along one dimension have colour f, and whose other two sides have
 * colour g. The search may exchange the two colours, because every node keeps two edges of each.
 * This merges two cycles of f if the sides of f are in different cycles. Otherwise it cuts their
 * cycle in two, or reverses a part of it. The same holds for g. The search draws random squares,
 * and exchanges the colours if the number of cycles does not grow. It ends when each colour is one
 * cycle.
 */
#include "hamiltonian.h"

#include "../../base/random.h"

#include <stdbool.h>
#include <stdlib.h>

#define TRIES_A_NODE 20000u

struct search {
    uint32_t dimensions, nodes, cycles; /* number of cycles wanted, one for each colour */
    uint8_t *colour;                    /* colour of each edge, by node and dimension */
    uint32_t *label;                    /* cycle of each node, by colour and node */
    uint32_t count;                     /* present number of cycles of all colours */
    uint64_t random;
};

/* Square of the cube: node x, the dimensions a and b of its sides, and the colours f of the sides
 * along a and g of the sides along b. */
struct square {
    uint32_t x, a, b;
    uint8_t f, g;
};

static uint8_t *colour_of(struct search *s, uint32_t node, uint32_t dimension)
{
    return &s->colour[(size_t)node * s->dimensions + dimension];
}

static uint32_t *label_of(struct search *s, uint8_t colour, uint32_t node)
{
    return &s->label[(size_t)colour * s->nodes + node];
}

/* Returns the dimension of the node's second edge of a colour, which is not the dimension
 * `arrived`. */
static uint32_t next_edge(struct search *s, uint8_t colour, uint32_t node, uint32_t arrived)
{
    uint32_t dimension = 0;
    while (dimension == arrived || *colour_of(s, node, dimension) != colour)
        dimension++;
    return dimension;
}

static void label_cycle(struct search *s, uint8_t colour, uint32_t start)
{
    uint32_t node = start, dimension = UINT32_MAX;
    do {
        *label_of(s, colour, node) = start;
        dimension = next_edge(s, colour, node, dimension);
        node ^= UINT32_C(1) << dimension;
    } while (node != start);
}

static bool begin(struct search *s)
{
    s->colour = malloc((size_t)s->nodes * s->dimensions);
    s->label = malloc((size_t)s->nodes * s->cycles * sizeof *s->label);
    if (!s->colour || !s->label)
        return false;
    for (uint32_t node = 0; node < s->nodes; node++)
        for (uint32_t k = 0; k < s->dimensions; k++)
            *colour_of(s, node, k) = (uint8_t)(k / 2);
    for (uint32_t c = 0; c < s->cycles; c++)
        for (uint32_t node = 0; node < s->nodes; node++)
            if (!(node >> 2 * c & 3)) {
                label_cycle(s, (uint8_t)c, node);
                s->count++;
            }
    return true;
}

/* Returns by how much the number of cycles of `colour` changes if the two sides of a square along
 * dimension a lose this colour and the sides along b get it. The leftover colour has no cycles: 0.
 */
static int change_of(struct search *s, uint8_t colour, uint32_t x, uint32_t a, uint32_t b)
{
    const uint32_t beside = x ^ UINT32_C(1) << b, opposite = beside ^ UINT32_C(1) << a;
    uint32_t node = x ^ UINT32_C(1) << a, dimension = a;
    if (colour >= s->cycles)
        return 0;
    if (*label_of(s, colour, x) != *label_of(s, colour, beside))
        return -1;
    /* The loop follows the cycle from the end of the first side along a, until it reaches a corner
     * of the second side. If this is the corner next to the start, the new side along b makes the
     * followed piece a cycle of its own. */
    while (node != beside && node != opposite) {
        dimension = next_edge(s, colour, node, dimension);
        node ^= UINT32_C(1) << dimension;
    }
    return node == opposite ? 1 : 0;
}

static void exchange(struct search *s, const struct square *q, int f_change, int g_change)
{
    const uint32_t a = UINT32_C(1) << q->a, b = UINT32_C(1) << q->b;
    const uint32_t corners[] = {q->x, q->x ^ a, q->x ^ b, q->x ^ a ^ b};
    for (uint32_t i = 0; i < 4; i++) {
        *colour_of(s, corners[i], q->a) = q->g;
        *colour_of(s, corners[i], q->b) = q->f;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (f_change != 0)
            label_cycle(s, q->f, corners[i]);
        if (g_change != 0)
            label_cycle(s, q->g, corners[i]);
    }
    s->count = (uint32_t)((int)s->count + f_change + g_change);
}

static void try_square(struct search *s)
{
    const uint64_t drawn = cm_random_next(&s->random);
    struct square q = {.x = (uint32_t)(drawn >> 40) & (s->nodes - 1),
                       .a = (uint32_t)(drawn >> 20 & 0xffff) % s->dimensions,
                       .b = (uint32_t)(drawn & 0xffff) % s->dimensions};
    q.f = *colour_of(s, q.x, q.a);
    q.g = *colour_of(s, q.x, q.b);
    if (q.f == q.g || *colour_of(s, q.x ^ UINT32_C(1) << q.b, q.a) != q.f ||
        *colour_of(s, q.x ^ UINT32_C(1) << q.a, q.b) != q.g)
        return;
    const int f_change = change_of(s, q.f, q.x, q.a, q.b);
    const int g_change = change_of(s, q.g, q.x, q.b, q.a);
    if (f_change + g_change <= 0)
        exchange(s, &q, f_change, g_change);
}

static void write_cycles(struct search *s, uint8_t *next)
{
    for (uint32_t c = 0; c < s->cycles; c++) {
        uint32_t node = 0, dimension = UINT32_MAX;
        do {
            dimension = next_edge(s, (uint8_t)c, node, dimension);
            next[(size_t)c * s->nodes + node] = (uint8_t)dimension;
            node ^= UINT32_C(1) << dimension;
        } while (node != 0);
    }
}

enum cm_status cm_hamiltonian_cycles(uint32_t dimensions, uint8_t **next, struct cm_error *err)
{
    struct search s = {.dimensions = dimensions,
                       .nodes = UINT32_C(1) << dimensions,
                       .cycles = dimensions / 2,
                       .random = 1};
    enum cm_status status = CM_OK;
    *next = malloc((size_t)s.nodes * s.cycles);
    if (!*next || !begin(&s))
        status = cm_error_no_memory(err);
    for (uint64_t tries = (uint64_t)s.nodes * TRIES_A_NODE;
         status == CM_OK && s.count > s.cycles && tries > 0; tries--)
        try_square(&s);
    if (status == CM_OK && s.count > s.cycles)
        status = cm_error_set(err, CM_BAD_INPUT,
                              "no edge-disjoint Hamiltonian cycles were found for %u dimensions",
                              (unsigned)dimensions);
    if (status == CM_OK)
        write_cycles(&s, *next);
    free(s.colour);
    free(s.label);
    if (status != CM_OK) {
        free(*next);
        *next = NULL;
    }
    return status;
}
