/*
 * The PSHIFT compiler: from a plan to one IMP (P 3, 4).
 *
 *   local moves      for each shift, runs of words within a node, in loops
 *   exchanges        load A indirectly, exchange, unload B indirectly, until all elements have
 *                    crossed; unrolled, or looped with four exchanges an iteration
 *   constants        0 (or 1) for end-off boundaries waits in slot 0 of A and comes out of slot 16
 *                    of B
 *
 * A word between two hops waits where it will arrive: that place of the destination is not yet
 * needed in any node. Not installed.
 */
#ifndef CM_PROGRAMS_PSHIFT_PSHIFT_COMPILE_H
#define CM_PROGRAMS_PSHIFT_PSHIFT_COMPILE_H

#include "../../isa/imp.h"
#include "pshift_plan.h"

/*
 * Emits the IMP. Arguments, in order: "tables", then "dst1", "src1", "dst2", ... for the jobs. Sets
 * plan->exchanges. CM_BAD_INPUT when the unrolled exchanges do not fit the SRAM.
 */
enum cm_status cm_pshift_compile(struct cm_pshift_plan *plan, bool looped, struct cm_imp **imp,
                                 struct cm_error *err);

#endif
