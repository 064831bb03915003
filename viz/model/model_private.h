/* Functions that compute the answers of the model. model.c calls them and stores the answers. Other
 * folders call the functions of model.h instead. */
#ifndef CM_VIZ_MODEL_MODEL_PRIVATE_H
#define CM_VIZ_MODEL_MODEL_PRIVATE_H

#include "model.h"

void cm_view_find_slots(const struct cm_view_run *run, uint64_t first, uint64_t end, uint32_t base,
                        struct cm_view_slots *slots);

bool cm_view_find_places(const struct cm_view_run *run, uint32_t array, uint64_t first,
                         uint64_t end, struct cm_view_places *places);

/* Request for the loads of all nodes from cycle `first` to before cycle `end`. */
struct cm_view_loads_request {
    const struct cm_view_run *run;
    uint64_t first, end;
    uint32_t hidden_dimensions;
    enum cm_view_load load;
    uint32_t dimension; /* dimension for CM_VIEW_LOAD_DIMENSION. Other loads ignore it */
};

void cm_view_find_loads(const struct cm_view_loads_request *request, uint64_t *of_node);

#endif
