/* Direct evaluation of lattice kernels (QCD) on arrays of the host. */
#ifndef CM_PROGRAMS_WORKLOAD_REFERENCE_QCD_H
#define CM_PROGRAMS_WORKLOAD_REFERENCE_QCD_H

#include "../qcd/qcd.h"
#include "reference.h"

/* Applies the kernel to src and links, site by site, rounded in the order that qcd.h gives. `dst`
 * may be `src`. Fails with CM_NO_MEMORY only. */
enum cm_status cm_reference_qcd(enum cm_qcd_kernel kernel, struct cm_reference_array *dst,
                                const struct cm_reference_array *src,
                                const struct cm_reference_array *const links[CM_QCD_AXES],
                                struct cm_error *err);

#endif
