/* Images of IMPs that a machine has loaded, for traces. Internal to the library. */
#ifndef CM_ISA_IMAGE_H
#define CM_ISA_IMAGE_H

#include "imp.h"

/*
 * Place of each operand in the words of an operation: word, first bit, value and register. It is
 * computed when the operation first occurs, and is zero before.
 */
struct cm_code_layouts {
    struct cm_code_layout {
        uint8_t words; /* 0: not known yet */
        uint8_t operand_count;
        struct {
            uint8_t word, value, reg;
        } operands[CM_OPERANDS_MAX];
    } of[CM_OP_COUNT];
};

/* Appends the image of a verified IMP to the buffer, as cm_imp_encode does. The buffer remembers a
 * failure. */
void cm_imp_put_image(const struct cm_imp *imp, struct cm_code_layouts *layouts,
                      struct cm_buffer *image);

#endif
