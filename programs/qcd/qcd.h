/*
 * Quantum chromodynamics on a four-dimensional lattice, the application for which PSHIFT's
 * communication was developed (P 1, figure 6): at each site, the sum over its eight links of SU(3)
 * matrix times neighbour. docs/programs/qcd.md has the method and the counts.
 *
 *   staggered  dst(x) = sum over mu of U_mu(x) src(x + mu) - adjoint U_mu(x - mu) src(x - mu),
 *              a colour vector a site; signs of the directions are part of the links
 *   Wilson     dst(x) = sum over mu of (1 - gamma_mu) U_mu(x) src(x + mu)
 *                       + (1 + gamma_mu) adjoint U_mu(x - mu) src(x - mu),
 *              four spins of a colour vector a site; gamma in the basis of DeGrand and Rossi
 *
 * What goes to a neighbour is multiplied or projected before it is sent, so eight arrays cross, as
 * in figure 6: vectors, or half-spinors of two spins.
 *
 * The order of the operations, which a reference must follow to agree bit for bit (every product
 * and sum is rounded). A matrix times a vector begins with a product and goes on with the second
 * index of the matrix, ascending:
 *
 *     U v          re = re + u_re v_re, re = re - u_im v_im
 *                  im = im + u_re v_im, im = im + u_im v_re
 *     adjoint U v  re = re + u_re v_re, re = re + u_im v_im
 *                  im = im + u_re v_im, im = im - u_im v_re
 *
 * Staggered: the products U_mu src, mu ascending, are one such sum; then the four adjoint products
 * are subtracted. Wilson: both parts of a projection are one sum or difference; the results of the
 * four U_mu, then of the four adjoints are added, mu ascending, with the phases of gamma.
 */
#ifndef CM_PROGRAMS_QCD_QCD_H
#define CM_PROGRAMS_QCD_QCD_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Axes of the lattice: x, y, z, t. */
#define CM_QCD_AXES 4u

/* The lattice kernels. */
enum cm_qcd_kernel { CM_QCD_STAGGERED, CM_QCD_WILSON, CM_QCD_KERNELS };
CM_API const char *cm_qcd_kernel_name(enum cm_qcd_kernel kernel); /* "staggered", "wilson" */

/* How vectors come to their neighbours. */
enum cm_qcd_way {
    CM_QCD_HALO,   /* only those of other nodes, into buffers; nothing is moved within a node */
    CM_QCD_PSHIFT, /* eight shifts in one PSHIFT */
    CM_QCD_CSHIFT, /* eight CSHIFTs */
    CM_QCD_WAYS
};
CM_API const char *cm_qcd_way_name(enum cm_qcd_way way); /* "halo", ... */

/*
 * Layouts; the last four axes are the lattice's, equal in both, the others are SERIAL.
 *
 *   staggered  field real (3, 2, ...): colour, real and imaginary part (figure 6)
 *              link real (3, 3, 2, ...): row, column, real and imaginary part
 *   Wilson     field complex (3, 4, ...): colour, spin; link complex (3, 3, ...)
 */
struct cm_qcd_task {
    enum cm_qcd_kernel kernel;    /* staggered or Wilson */
    enum cm_qcd_way way;          /* how neighbours are reached */
    struct cm_layout field, link; /* of the field and of the links */
};

struct cm_qcd;

/* Compiles the IMPs, and sets node memory aside for what crosses. CM_BAD_INPUT for other shapes or
 * types, for halos with a padded or a SEND axis, and too little memory. */
CM_API enum cm_status cm_qcd_setup(struct cm_system *system, const struct cm_qcd_task *task,
                                   struct cm_qcd **qcd, struct cm_error *err);
/* dst may be src; links[mu] is U_mu. */
CM_API enum cm_status cm_qcd_call(struct cm_system *system, const struct cm_qcd *qcd,
                                  struct cm_array *dst, const struct cm_array *src,
                                  const struct cm_array *const links[CM_QCD_AXES],
                                  struct cm_error *err);
/* Gives back what a setup took; NULL is allowed. */
CM_API void cm_qcd_deallocate(struct cm_system *system, struct cm_qcd *qcd);

/* What a setup made, for people and tests. */
struct cm_qcd_info {
    uint64_t sites;           /* of the lattice */
    uint64_t site_operations; /* nominal: 570, or 1,320 */
    uint64_t exchanges;       /* of a call, where known beforehand: 0 for the run-time library */
    uint64_t sram_words;      /* of the longest IMP for sites or halos */
    uint64_t table_words, work_words; /* of node memory; those of PSHIFT not counted */
    uint64_t unrolled;                /* sites in an iteration */
};
CM_API struct cm_qcd_info cm_qcd_info(const struct cm_system *system, const struct cm_qcd *qcd);

CM_END_DECLS

#endif
