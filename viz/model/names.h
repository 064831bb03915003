/* Names of choices on the command line and in logs; arrays end with NULL. */
#ifndef CM_VIZ_MODEL_NAMES_H
#define CM_VIZ_MODEL_NAMES_H

#include "state.h"

extern const char *const cm_view_panel_names[]; /* with "all" */
extern const char *const cm_view_machine_names[];
extern const char *const cm_view_colours_names[];
extern const char *const cm_view_span_names[];

/* The place of `name` in an array; false: it is not there. */
bool cm_view_name_find(const char *const *names, const char *name, uint32_t *place);

#endif
