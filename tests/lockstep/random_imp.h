/* Random IMPs for the lock-step test: nested loops, moves, transfers through tables, exchanges,
 * arithmetic, context, indexed loads and stores. */
#ifndef CM_TESTS_LOCKSTEP_RANDOM_IMP_H
#define CM_TESTS_LOCKSTEP_RANDOM_IMP_H

#include "../../sim/machine/machine.h"
#include "../property/random.h"

/*
 * Node memory as the IMPs use it, in words. Moves and unloads write only to the first region, so
 * that numbers stay numbers and tables stay tables.
 */
enum {
    CM_AREA_ANY = 0,       /* any bits */
    CM_AREA_SINGLES = 512, /* 32-bit floating-point numbers */
    CM_AREA_DOUBLES = 640, /* 64-bit ones, low word first */
    CM_AREA_TABLES = 768,  /* communication table words */
    CM_AREA_TABLES_END = 832,
    CM_AREA_END = 1024
};

/* The arguments that every random IMP declares, in this order. */
enum {
    CM_RANDOM_SINGLES,  /* address: CM_AREA_SINGLES */
    CM_RANDOM_DOUBLES,  /* address: CM_AREA_DOUBLES */
    CM_RANDOM_SCALAR32, /* scalar: a 32-bit number */
    CM_RANDOM_SCALAR64, /* scalar: a 64-bit number */
    CM_RANDOM_ARGUMENTS
};

/* A machine with random sizes and costs, for up to 64 nodes; `nodes` is set too. */
void cm_random_config(struct cm_random *random, struct cm_config *config, uint32_t *nodes);

/*
 * Makes an IMP; NULL when out of memory. Most run to their end; a few may fault. With `tables_move`
 * it may change communication tables, which a timing-only machine cannot follow. The caller
 * destroys it.
 */
struct cm_imp *cm_random_imp(struct cm_random *random, const struct cm_config *config,
                             bool tables_move);

void cm_random_actuals(struct cm_random *random, struct cm_actual *actuals);

/* What word `address` of a node begins with. */
uint32_t cm_random_word(struct cm_random *random, const struct cm_config *config, uint32_t address);

#endif
