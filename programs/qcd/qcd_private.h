/*
 * Types that the files of the lattice kernels share. Not installed.
 *
 * A call has three parts: a sweep over the sites that computes what is sent (*before*), the
 * communication, and a sweep that computes the result (*after*). In each direction mu, *up* is what
 * a site takes from its neighbour at x + mu, and *down* what it takes from x - mu.
 *
 * With shifts, up and down are arrays. `before` writes the sources of the shifts, and `after` reads
 * their destinations. With halos, up and down are boxes: the sites of a node with a further layer
 * along mu, at the upper end for up and at the lower end for down, which receives the neighbour's
 * sites. Staggered fermions send one vector in all four up directions, so their up box has four
 * such layers.
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

/* Sites of a node in memory, from `origin` on, with or without layers around them. */
struct cm_qcd_box {
    uint64_t origin, stride[AXES], words; /* all in words */
};

struct cm_qcd {
    struct cm_qcd_task task;
    const struct cm_config *config;
    struct cm_axis axes[AXES]; /* axes of the lattice */
    uint32_t part_words;
    uint32_t spins;                /* spins of what crosses: 1 or 2 */
    struct cm_layout crossing;     /* layout of the arrays that cross */
    struct cm_qcd_box field, link; /* boxes of an array */
    struct cm_qcd_box up[AXES], down[AXES];
    bool copied; /* true if `before` copies src to the up box */
    uint64_t unrolled;
    uint64_t halo_exchanges;
    /* with halos, `before` has all IMPs and `after` is empty */
    struct cm_compiled *before, *after;
    struct cm_array *arrays[2][CROSSING]; /* sources and destinations of shifts, or NULL */
    int pshift;                           /* id of the PSHIFT setup */
    bool shifted;                         /* true if `pshift` is valid */
    uint64_t work[CROSSING];              /* addresses of the boxes */
    uint64_t work_words[CROSSING];        /* 0 if the box is not its own */
};

/* Creates an IMP with the arguments declared. Returns NULL when out of memory. */
struct cm_imp *cm_qcd_begin(const char *name);

/* Compile the sweeps over sites (qcd_sites.c). */
struct cm_imp *cm_qcd_compile_before(const struct cm_qcd *own);
struct cm_imp *cm_qcd_compile_after(const struct cm_qcd *own);
/* Returns about the SRAM words of the longer sweep with one site in an iteration. */
uint64_t cm_qcd_site_words(const struct cm_qcd *own);

/* Compiles the exchange of halos, and the copies along axes that are in one node (qcd_halo.c). */
enum cm_status cm_qcd_compile_halo(struct cm_qcd *own, struct cm_compiled *compiled,
                                   struct cm_error *err);
#define CM_QCD_TABLE_WORDS AXES
/* Serves as a cm_table_fill. */
void cm_qcd_fill_tables(const void *context, uint32_t nodes, uint32_t *planes);

#endif
