/* Images of IMPs that a machine has loaded, for traces. Internal to the library. */
#ifndef CM_ISA_IMAGE_H
#define CM_ISA_IMAGE_H

#include "imp.h"

/*
 * Where the operands of each operation are in its words: in which word, and from which bit on,
 * their values and their registers. Worked out when the operation comes first; zeros at first.
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

/* As cm_imp_encode, of an IMP that has been verified; a failure sticks to the buffer. */
void cm_imp_put_image(const struct cm_imp *imp, struct cm_code_layouts *layouts,
                      struct cm_buffer *image);

#endif
