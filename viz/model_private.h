/* What the files of the model share. */
#ifndef CM_VIZ_MODEL_PRIVATE_H
#define CM_VIZ_MODEL_PRIVATE_H

#include "model.h"

void cm_view_find_slots(const struct cm_view_run *run, uint64_t first, uint64_t end, uint32_t base,
                        struct cm_view_slots *slots);

#endif
