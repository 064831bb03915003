/* The guided tour: visits its stations one after the other and presses their keys. */
#include "tour.h"

#include "keys.h"

#include <string.h>

/* Presses the keys of a station, with the effect that they have outside the tour. */
static void press(struct cm_view_control *control, const char *keys)
{
    char word[CM_VIEW_KEY_NAME_MAX];
    struct cm_view_tour tour = control->state.tour;
    control->state.tour.station = 0;
    while (cm_view_key_word(&keys, word, sizeof word))
        cm_view_control_key(control, word);
    control->message[0] = '\0';
    control->state.tour = tour;
}

/* Moves the tour to a station: resets the view of its run, except palette and theme, goes to its
 * first cycle, shows instructions, and presses its first keys. */
static void arrive(struct cm_view_control *control, uint32_t station)
{
    const struct cm_tour_station *row = &cm_tour_stations[station - 1];
    struct cm_view_state before = control->state;
    control->model = control->tour_models[row->run];
    control->state = cm_view_state_first(control->model);
    cm_view_go(control->model, &control->state, 0);
    control->state.span = CM_VIEW_SPAN_NOW;
    control->state.colours = before.colours;
    control->state.theme = before.theme;
    control->state.help = before.help;
    control->state.tour = (struct cm_view_tour){station, before.tour.paused, 0};
    control->rest = control->tour_seconds = 0;
    control->tour_pressed = 0;
    press(control, row->first);
}

void cm_view_tour_begin(struct cm_view_control *control, const struct cm_view_model *const *models,
                        uint32_t station)
{
    control->tour_models = models;
    arrive(control, station);
}

void cm_view_tour_step(struct cm_view_control *control, int direction)
{
    uint32_t station = control->state.tour.station;
    if (direction < 0 && station > 1)
        arrive(control, station - 1);
    else if (direction > 0 && station < cm_tour_station_count)
        arrive(control, station + 1);
}

void cm_view_tour_pause(struct cm_view_control *control)
{
    struct cm_view_tour *tour = &control->state.tour;
    bool over = tour->station == cm_tour_station_count &&
                tour->seconds >= cm_tour_stations[tour->station - 1].seconds;
    tour->paused = !tour->paused;
    if (over)
        arrive(control, 1);
}

void cm_view_tour_advance(struct cm_view_control *control, double seconds)
{
    struct cm_view_tour *tour = &control->state.tour;
    if (tour->station == 0 || tour->paused)
        return;
    const struct cm_tour_station *row = &cm_tour_stations[tour->station - 1];
    control->tour_seconds += seconds;
    tour->seconds = (uint32_t)control->tour_seconds;
    uint32_t due = row->every > 0 ? tour->seconds / row->every : 0;
    bool over = tour->seconds >= row->seconds;
    for (; !over && control->tour_pressed < due; control->tour_pressed++)
        press(control, row->again);
    if (over && tour->station < cm_tour_station_count)
        arrive(control, tour->station + 1);
    else if (over)
        tour->paused = true;
}
