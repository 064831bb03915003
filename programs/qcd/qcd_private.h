/*
 * What the files of the lattice kernels share. Not installed.
 *
 * A call has three parts: a sweep over the sites that makes what is sent (*before*), the
 * communication, and a sweep that makes the result (*after*). In each direction mu, *up* is what a
 * site takes from its neighbour at x + mu, *down* what it takes from x - mu.
 *
 * With shifts, up and down are arrays: before writes the sources, after reads the destinations.
 * With halos they are boxes: the sites of a node with a further layer along mu, at the upper end
 * for up, at the lower for down, where the neighbour's sites come. Staggered fermions send one and
 * the same vector in all four directions up, so its box has four such layers.
 */
#ifndef CM_PROGRAMS_QCD_QCD_PRIVATE_H
#define CM_PROGRAMS_QCD_QCD_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "qcd.h"

#define AXES     CM_QCD_AXES
#define COLOURS  3u
#define CROSSING (2 * AXES) /* arrays that cross */

/* Arguments of every IMP. */
enum {
    ARGUMENT_DST,
    ARGUMENT_SRC,
    ARGUMENT_LINK,
    ARGUMENT_UP = ARGUMENT_LINK + AXES,
    ARGUMENT_DOWN = ARGUMENT_UP + AXES,
    ARGUMENT_TABLES = ARGUMENT_DOWN + AXES,
    ARGUMENTS
};

/* Sites in memory: those of a node from `origin` on, perhaps with more around them. */
struct cm_qcd_box {
    uint64_t origin, stride[AXES], words; /* all in words */
};

struct cm_qcd {
    struct cm_qcd_task task;
    const struct cm_config *config;
    struct cm_axis axes[AXES]; /* of the lattice */
    uint32_t part_words;
    uint32_t spins;                /* of what crosses: 1 or 2 */
    struct cm_layout crossing;     /* of the arrays that cross */
    struct cm_qcd_box field, link; /* of an array */
    struct cm_qcd_box up[AXES], down[AXES];
    bool copied; /* before copies src to the box of up */
    uint64_t unrolled;
    uint64_t halo_exchanges;
    struct cm_compiled *before, *after;   /* with halos `before` holds all IMPs, `after` none */
    struct cm_array *arrays[2][CROSSING]; /* sources and destinations of shifts; NULL: none */
    int pshift;                           /* id of the setup */
    bool shifted;                         /* there is one */
    uint64_t work[CROSSING];              /* addresses of the boxes */
    uint64_t work_words[CROSSING];        /* 0: none of its own */
};

/* An IMP with the arguments declared; NULL when out of memory. */
struct cm_imp *cm_qcd_begin(const char *name);

/* qcd_sites.c */
struct cm_imp *cm_qcd_compile_before(const struct cm_qcd *own);
struct cm_imp *cm_qcd_compile_after(const struct cm_qcd *own);
/* SRAM words of the longer sweep when a site is one iteration, about. */
uint64_t cm_qcd_site_words(const struct cm_qcd *own);

/* qcd_halo.c: what comes from other nodes, or from the other end of the own. */
enum cm_status cm_qcd_compile_halo(struct cm_qcd *own, struct cm_compiled *compiled,
                                   struct cm_error *err);
#define CM_QCD_TABLE_WORDS AXES
void cm_qcd_fill_tables(const void *context, uint32_t nodes, uint32_t *planes); /* cm_table_fill */

#endif
