/*
 * FFT communication without a translating function: from one step to the next by additions alone
 * (algorithms 3 and 6 of the paper), for tests to compare with. Both are corrected: as printed they
 * advance bit_ptr twice a step, algorithm 3 once before the test and once in its other branch,
 * algorithm 6 by 2 and by 1, and algorithm 6 advances dim in every step and once more without a way
 * back to 0, never by the m between two bits of one dealer. Run as printed, they do not give
 * figures 3 and 5 (test_fft_mapping.c runs them).
 */
#ifndef CM_TESTS_UNIT_SCHEDULE_WALK_H
#define CM_TESTS_UNIT_SCHEDULE_WALK_H

#include "../../programs/fft/schedule.h"

#include <string.h>

static void walk_add(const struct cm_fft_step *step, struct cm_fft_schedule *schedule)
{
    schedule->steps[schedule->count++] = *step;
    schedule->mesh_cost += step->distance;
    schedule->hops += step->hops;
    if (!step->local)
        schedule->axis_loads[step->mesh_axis] += step->distance;
}

/* Where the walk stands: a bit of the local part or of a mesh axis. */
struct walk {
    const struct cm_fft_mapping *mapping;
    bool local;
    uint32_t bit;       /* of the local part or of the mesh axis */
    uint32_t axis;      /* of the mesh */
    uint32_t dimension; /* of the cube: that bit's */
};

static uint32_t part_bits(const struct walk *walk)
{
    return walk->local ? walk->mapping->local_bits : walk->mapping->mesh_bits[walk->axis];
}

static void walk_emit(const struct walk *walk, uint32_t p, uint32_t q,
                      struct cm_fft_schedule *schedule)
{
    struct cm_fft_step step = {.axis = p, .bit = q, .local = walk->local};
    if (walk->local) {
        step.local_bit = walk->bit;
    } else {
        bool gray = walk->mapping->codes[walk->axis] == CM_FFT_GRAY && walk->bit > 0;
        step.mesh_axis = walk->axis;
        step.mesh_bit = walk->bit;
        step.dimension = walk->dimension;
        step.distance = UINT64_C(1) << walk->bit;
        step.node_mask = (gray ? UINT32_C(3) : UINT32_C(2)) << walk->dimension >> 1;
        step.hops = gray ? 2 : 1;
    }
    walk_add(&step, schedule);
}

/* Leaves a part that is used up, and parts without bits, for the next one. */
static void settle(struct walk *walk)
{
    const struct cm_fft_mapping *mapping = walk->mapping;
    while (walk->bit == part_bits(walk)) {
        walk->bit = 0;
        if (walk->local && mapping->local == CM_FFT_LOCAL_LOW)
            walk->local = false;
        else if (walk->local)
            return;
        else if (walk->axis + 1 < mapping->mesh_rank)
            walk->axis++;
        else if (mapping->local == CM_FFT_LOCAL_HIGH && mapping->local_bits > 0)
            walk->local = true;
        else
            return;
    }
}

static void forward(struct walk *walk)
{
    if (!walk->local)
        walk->dimension++;
    walk->bit++;
    settle(walk);
}

/* Algorithm 3, over any shapes. Down an axis it goes by what it met on the way up. */
static void walk_identical(const struct cm_fft_mapping *mapping, enum cm_fft_order order,
                           uint64_t axes, struct cm_fft_schedule *schedule)
{
    struct walk walk = {.mapping = mapping, .local = mapping->local == CM_FFT_LOCAL_LOW};
    struct walk met[CM_FFT_AXES_MAX];
    settle(&walk);
    for (uint32_t p = 0; p < mapping->rank; p++) {
        for (uint32_t q = 0; q < mapping->array_bits[p]; q++) {
            met[q] = walk;
            forward(&walk);
        }
        uint32_t bits = axes >> p & 1 ? mapping->array_bits[p] : 0;
        for (uint32_t n = 0; n < bits; n++) {
            uint32_t q = order == CM_FFT_POSTMORPHISM ? n : bits - 1 - n;
            walk_emit(&met[q], p, q, schedule);
        }
    }
}

/* Algorithm 6: dealer p begins with card p of the first hand; its next card in the same hand is m
 * further on. */
static void walk_shuffle(const struct cm_fft_mapping *mapping, enum cm_fft_order order,
                         uint64_t axes, struct cm_fft_schedule *schedule)
{
    uint32_t m = mapping->rank, k = mapping->mesh_rank;
    uint32_t hand = mapping->mesh_bits[0], bits = mapping->array_bits[0];
    for (uint32_t p = 0; p < m; p++) {
        struct walk walk = {.mapping = mapping, .bit = p, .dimension = p};
        bool up = order == CM_FFT_POSTMORPHISM;
        if (!up) {
            walk.axis = k - 1;
            walk.bit = hand - m + p;
            walk.dimension = mapping->bits - m + p;
        }
        for (uint32_t n = 0; n < bits && (axes >> p & 1) != 0; n++) {
            walk_emit(&walk, p, up ? n : bits - 1 - n, schedule);
            if (up && ++walk.axis == k) {
                walk.axis = 0;
                walk.bit += m;
                walk.dimension = walk.bit;
            } else if (up) {
                walk.dimension += hand;
            } else if (walk.axis-- == 0) {
                walk.axis = k - 1;
                walk.bit -= m;
                walk.dimension = mapping->bits - hand + walk.bit;
            } else {
                walk.dimension -= hand;
            }
        }
    }
}

/* The conditions of theorem 10: equal axes, k divides log A, one point per node. */
static bool is_regular(const struct cm_fft_mapping *mapping)
{
    for (uint32_t p = 1; p < mapping->rank; p++)
        if (mapping->array_bits[p] != mapping->array_bits[0])
            return false;
    for (uint32_t i = 1; i < mapping->mesh_rank; i++)
        if (mapping->mesh_bits[i] != mapping->mesh_bits[0])
            return false;
    return mapping->local_bits == 0 && mapping->bits > 0 &&
           mapping->array_bits[0] % mapping->mesh_rank == 0;
}

/* False, with nothing done, for lists and random permutations, and for shuffles other than theorem
 * 10's. */
static bool schedule_incremental(const struct cm_fft_mapping *mapping, enum cm_fft_order order,
                                 uint64_t axes, struct cm_fft_schedule *schedule)
{
    bool shuffle = mapping->permutation == CM_FFT_SHUFFLE && is_regular(mapping);
    if (mapping->permutation != CM_FFT_IDENTICAL && !shuffle)
        return false;
    memset(schedule, 0, sizeof *schedule);
    if (shuffle)
        walk_shuffle(mapping, order, axes, schedule);
    else
        walk_identical(mapping, order, axes, schedule);
    return true;
}

#endif
