/* These functions write the SRAM image of an IMP, so that a trace contains the IMPs that its
 * machine loaded. This header is internal to the library. */
#ifndef CM_ISA_IMAGE_H
#define CM_ISA_IMAGE_H

#include "imp.h"

/*
 * Encoding of each operation. It is computed when the operation first occurs, and all zeros before.
 * For each operand it has the index of the SRAM word that holds the operand, and the bits at which
 * the operand's value and register number begin in this word. Bit 32 means that the operand has no
 * value or no register.
 */
struct cm_code_layouts {
    struct cm_code_layout {
        uint8_t words; /* number of words of an instruction. 0: not computed yet */
        uint8_t operand_count;
        struct {
            uint8_t word, value, reg;
        } operands[CM_OPERANDS_MAX];
    } of[CM_OP_COUNT];
};

/* Appends the SRAM image of a verified IMP to the buffer, in the format of cm_imp_encode. The
 * buffer records a failed allocation. */
void cm_imp_put_image(const struct cm_imp *imp, struct cm_code_layouts *layouts,
                      struct cm_buffer *image);

#endif
