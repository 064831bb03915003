/*
 * This header has types that the files of the lattice kernels share. It is not installed.
 *
 * A call has three parts: a sweep over the sites that computes what is sent (*before*), the
 * communication, and a sweep that computes the result (*after*). In each direction mu, *up* is the
 * data that a site takes from its neighbour at x + mu, and *down* the data that it takes from x -
 * mu.
 *
 * If shifts communicate, up and down are arrays. `before` writes the sources of the shifts, and
 * `after` reads their destinations. If halos communicate, up and down are boxes: the sites of a
 * node with a further layer along mu, which receives the neighbour's sites. The layer is at the
 * upper end for up and at the lower end for down. Staggered fermions send one vector in all four up
 * directions, so their up box has four such layers.
 */
#ifndef CM_PROGRAMS_QCD_QCD_PRIVATE_H
#define CM_PROGRAMS_QCD_QCD_PRIVATE_H

#include "../system/compiled_imps.h"
#include "../system/emit.h"
#include "qcd.h"

#define AXES     CM_QCD_AXES
#define COLOURS  3u
#define CROSSING (2 * AXES) /* number of arrays that cross between sites */

/* Arguments of every IMP of a kernel. */
enum {
    ARGUMENT_DST,
    ARGUMENT_SRC,
    ARGUMENT_LINK,
    ARGUMENT_UP = ARGUMENT_LINK + AXES,
    ARGUMENT_DOWN = ARGUMENT_UP + AXES,
    ARGUMENT_TABLES = ARGUMENT_DOWN + AXES,
    ARGUMENTS
};

/* Box: the sites of a node in memory, from `origin` on, with or without layers of neighbouring
 * sites around them. */
struct cm_qcd_box {
    uint64_t origin, stride[AXES], words; /* all of these numbers are in words */
};

struct cm_qcd {
    struct cm_qcd_task task;
    const struct cm_config *config;
    struct cm_axis axes[AXES]; /* axes of the lattice */
    uint32_t part_words;
    /* number of spins of a vector that crosses between sites: 1 or 2 */
    uint32_t spins;
    struct cm_layout crossing;     /* layout of the arrays that cross between sites */
    struct cm_qcd_box field, link; /* boxes of the field and of a link array, without layers */
    struct cm_qcd_box up[AXES], down[AXES];
    bool copied; /* true if `before` copies src to the up box */
    uint64_t unrolled;
    uint64_t halo_exchanges;
    /* IMPs of the two sweeps. With halos, `before` has all IMPs and `after` is empty. */
    struct cm_compiled *before, *after;
    struct cm_array *arrays[2][CROSSING]; /* sources and destinations of the shifts, or NULL */
    int pshift;                           /* id of the PSHIFT setup */
    bool shifted;                         /* true if `pshift` is a valid id */
    uint64_t work[CROSSING];              /* addresses of the boxes that receive halos */
    /* number of words of the box. 0: this direction shares the box of another direction */
    uint64_t work_words[CROSSING];
};

/* Creates an IMP and declares the arguments of a kernel. Returns NULL if out of memory. */
struct cm_imp *cm_qcd_begin(const char *name);

/* These functions compile the sweeps over the sites of a node (qcd_sites.c). */
struct cm_imp *cm_qcd_compile_before(const struct cm_qcd *own);
struct cm_imp *cm_qcd_compile_after(const struct cm_qcd *own);
/* Returns an estimate of the SRAM words of the longer sweep, with one site in an iteration. */
uint64_t cm_qcd_site_words(const struct cm_qcd *own);

/* Compiles the exchange of halos, and for axes that are in one node the copies of layers
 * (qcd_halo.c). */
enum cm_status cm_qcd_compile_halo(struct cm_qcd *own, struct cm_compiled *compiled,
                                   struct cm_error *err);
#define CM_QCD_TABLE_WORDS AXES
/* Fills the tables of slots. This function is a cm_table_fill. */
void cm_qcd_fill_tables(const void *context, uint32_t nodes, uint32_t *planes);

#endif
