/* The verifier checks an IMP one instruction at a time, so that the assembler can report a fault at
 * its line and column while it reads the text. */
#ifndef CM_ISA_VERIFY_H
#define CM_ISA_VERIFY_H

#include "../base/list.h"
#include "imp.h"

struct cm_imp_fault {
    uint32_t instruction;
    int operand; /* number of the operand at fault. -1: the instruction itself */
    char message[384];
    char hint[256];
};

struct cm_verifier {
    const struct cm_imp *imp;
    struct cm_imp_limits limits;
    CM_LIST(uint32_t) loops; /* loop instructions of the open loops, outermost first */
    bool halted;
    struct cm_imp_fault fault; /* fault of the step that returned CM_BAD_INPUT */
};
void cm_verifier_init(struct cm_verifier *verifier, const struct cm_imp *imp,
                      const struct cm_imp_limits *limits);
void cm_verifier_finish(struct cm_verifier *verifier);
/* Verifies instruction `index`, after all instructions before it have passed. Fails with
 * CM_BAD_INPUT or CM_NO_MEMORY. */
enum cm_status cm_verifier_step(struct cm_verifier *verifier, uint32_t index);
/* Verifies the end of the IMP: all loops are closed, and the last instruction is a halt. */
enum cm_status cm_verifier_end(struct cm_verifier *verifier);

#endif
