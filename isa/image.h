/* Images of IMPs that a machine has loaded, for traces. Internal to the library. */
#ifndef CM_ISA_IMAGE_H
#define CM_ISA_IMAGE_H

#include "imp.h"

/* As cm_imp_encode, of an IMP that has been verified; a failure sticks to the buffer. */
void cm_imp_put_image(const struct cm_imp *imp, struct cm_buffer *image);

#endif
