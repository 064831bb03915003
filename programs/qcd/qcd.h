/*
 * This header declares lattice kernels of quantum chromodynamics, the application for which the
 * communication of PSHIFT was developed (PSHIFT paper, section 1 and figure 6). The lattice has
 * four dimensions. At each site a kernel sums eight products, one for each link of the site: an
 * SU(3) matrix times the vector of a neighbour. docs/programs/qcd.md has the method and the counts.
 *
 *   staggered  dst(x) = sum over mu of U_mu(x) src(x + mu) - adjoint U_mu(x - mu) src(x - mu),
 *              with a colour vector at each site. The links contain the signs of the directions.
 *   Wilson     dst(x) = sum over mu of (1 - gamma_mu) U_mu(x) src(x + mu)
 *                       + (1 + gamma_mu) adjoint U_mu(x - mu) src(x - mu),
 *              with four spins of a colour vector at each site, and gamma in the basis of DeGrand
 *              and Rossi.
 *
 * A value that goes to a neighbour is multiplied or projected before it is sent. So eight arrays
 * cross between sites, as in figure 6: vectors, or half-spinors of two spins.
 *
 * Order of operations, which a reference must follow to get the same bits: every product and sum is
 * rounded. A matrix times a vector begins with a product, and continues with the second index of
 * the matrix, ascending:
 *
 *     U v          re = re + u_re v_re, re = re - u_im v_im
 *                  im = im + u_re v_im, im = im + u_im v_re
 *     adjoint U v  re = re + u_re v_re, re = re + u_im v_im
 *                  im = im + u_re v_im, im = im - u_im v_re
 *
 * Staggered: the products U_mu src, mu ascending, are one such sum. Then the four adjoint products
 * are subtracted. Wilson: both parts of a projection are one sum or difference. The results of the
 * four U_mu, then of the four adjoints, are added, mu ascending, with the phases of gamma.
 *
 * Files: qcd.c compiles and calls kernels, qcd_sites.c compiles the sweeps over the sites of a
 * node, and qcd_halo.c compiles the exchange of halos.
 */
#ifndef CM_PROGRAMS_QCD_QCD_H
#define CM_PROGRAMS_QCD_QCD_H

#include "../system/system.h"

CM_BEGIN_DECLS

/* Axes of the lattice: x, y, z, t. */
#define CM_QCD_AXES 4u

/* Kernels of the lattice: staggered fermions and Wilson fermions. */
enum cm_qcd_kernel { CM_QCD_STAGGERED, CM_QCD_WILSON, CM_QCD_KERNELS };
/* returns "staggered" or "wilson" */
CM_API const char *cm_qcd_kernel_name(enum cm_qcd_kernel kernel);

/* Ways in which vectors reach the neighbouring sites. */
enum cm_qcd_way {
    CM_QCD_HALO,   /* only vectors for other nodes move, into halo buffers */
    CM_QCD_PSHIFT, /* eight shifts in one call of PSHIFT */
    CM_QCD_CSHIFT, /* eight calls of CSHIFT */
    CM_QCD_WAYS
};
CM_API const char *cm_qcd_way_name(enum cm_qcd_way way); /* returns "halo", "pshift" or "cshift" */

/*
 * Arguments for compiling a kernel. The last four axes of each layout are those of the lattice,
 * equal in both layouts. The axes before them are SERIAL.
 *
 *   staggered  field real (3, 2, ...): colour, real and imaginary part
 *              link real (3, 3, 2, ...): row, column, real and imaginary part
 *   Wilson     field complex (3, 4, ...): colour, spin
 *              link complex (3, 3, ...): row, column
 */
struct cm_qcd_task {
    enum cm_qcd_kernel kernel;    /* kernel, staggered or Wilson */
    enum cm_qcd_way way;          /* way in which vectors reach the neighbours */
    struct cm_layout field, link; /* layouts of the field and of the links */
};

struct cm_qcd;

/* Compiles the IMPs of a kernel, and allocates node memory for the arrays that cross between sites.
 * Fails with CM_BAD_INPUT if the arrays have other shapes or types, halos are requested along a
 * padded or SEND axis, or node memory is too small. */
CM_API enum cm_status cm_qcd_setup(struct cm_system *system, const struct cm_qcd_task *task,
                                   struct cm_qcd **qcd, struct cm_error *err);
/* Executes the compiled kernel. links[mu] is U_mu, and dst may be src. */
CM_API enum cm_status cm_qcd_call(struct cm_system *system, const struct cm_qcd *qcd,
                                  struct cm_array *dst, const struct cm_array *src,
                                  const struct cm_array *const links[CM_QCD_AXES],
                                  struct cm_error *err);
/* Frees a compiled kernel, which may be NULL. */
CM_API void cm_qcd_deallocate(struct cm_system *system, struct cm_qcd *qcd);

/* Sizes and counts of a compiled kernel, for reports and tests. */
struct cm_qcd_info {
    uint64_t sites; /* number of sites of the lattice */
    /* nominal number of floating-point operations for a site: 570 (staggered) or 1,320 (Wilson) */
    uint64_t site_operations;
    /* number of exchanges of a call. 0: the run-time library performs some shifts */
    uint64_t exchanges;
    uint64_t sram_words; /* number of SRAM words of the longest IMP for sites or halos */
    /* number of words of node memory for tables and for work, without those of PSHIFT */
    uint64_t table_words, work_words;
    uint64_t unrolled; /* number of sites in an iteration of the innermost loop */
};
CM_API struct cm_qcd_info cm_qcd_info(const struct cm_system *system, const struct cm_qcd *qcd);

CM_END_DECLS

#endif
