/* The guided tour: its stations, and the texts of the stations, which contain numbers of the runs
 * that are shown. */
#ifndef CM_VIZ_MODEL_TOUR_H
#define CM_VIZ_MODEL_TOUR_H

#include "model.h"

enum cm_tour_run {
#define CM_TOUR_RUN(symbol, first, second, nodes) CM_TOUR_##symbol,
#include "tour_runs.def"
#undef CM_TOUR_RUN
    CM_TOUR_RUN_COUNT
};

/* Station of the tour: a row of stations.def. */
struct cm_tour_station {
    const char *name;
    enum cm_tour_run run;
    uint32_t seconds;
    /* keys pressed when the station begins, and keys pressed repeatedly afterwards */
    const char *first, *again;
    /* seconds between presses of the keys `again`. 0: the keys are not pressed */
    uint32_t every;
    const char *title, *text;
};
extern const struct cm_tour_station cm_tour_stations[];
extern const uint32_t cm_tour_station_count;

/* Finds a station by its name or its number, from 1. Returns false if there is no such station. */
bool cm_tour_find(const char *name, uint32_t *station);

/* Writes the text of the current station with its numbers filled in, cut to `size`. Returns false
 * if the text names a number that is not in facts.def. */
bool cm_tour_text(const struct cm_view_model *model, const struct cm_view_state *state, char *text,
                  size_t size);

/* Names of the facts in facts.def, ended by NULL, and the value of a fact. */
extern const char *const cm_tour_fact_names[];
uint64_t cm_tour_fact(const struct cm_view_model *model, const struct cm_view_state *state,
                      uint32_t fact);

#endif
