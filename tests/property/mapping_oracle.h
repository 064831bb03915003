/*
 * Where the points of an FFT's array lie, worked out on digits: index bits as cards in piles, mesh
 * coordinates as sums of digits, Gray codes by reflection. Knows nothing of allocations, masks or
 * steps.
 */
#ifndef CM_TESTS_PROPERTY_MAPPING_ORACLE_H
#define CM_TESTS_PROPERTY_MAPPING_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#define ORACLE_AXES_MAX 8
#define ORACLE_BITS_MAX 24

enum oracle_deal { ORACLE_IDENTICAL, ORACLE_SHUFFLE, ORACLE_LIST, ORACLE_RANDOM };

struct oracle_mapping {
    int rank, mesh_rank;
    int array_digits[ORACLE_AXES_MAX];
    int mesh_digits[ORACLE_AXES_MAX];
    int local_digits;
    int idle_digits;  /* of J, that no index has: then there are no local ones */
    bool local_first; /* the local digits are the lowest of J */
    bool gray;
    enum oracle_deal deal;
    int list[ORACLE_BITS_MAX];
    uint64_t seed;
    /* Worked out by oracle_mapping_finish. */
    int digits;
    int seat[ORACLE_BITS_MAX]; /* of J, by digit of I */
};

struct oracle_point {
    int coordinate[ORACLE_AXES_MAX]; /* on the mesh */
    int node;
    int local;
};

void oracle_mapping_finish(struct oracle_mapping *mapping);
void oracle_place(const struct oracle_mapping *mapping, int index, struct oracle_point *point);
/* Mesh coordinates of a node, and a node of mesh coordinates. */
void oracle_coordinates(const struct oracle_mapping *mapping, int node, int *coordinate);

#endif
