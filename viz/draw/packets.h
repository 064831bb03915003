/* Drawing of packets over the maps: packets in motion, queues, the path of the pinned packet, and
 * the chain of blocking packets. */
#ifndef CM_VIZ_DRAW_PACKETS_H
#define CM_VIZ_DRAW_PACKETS_H

#include "../model/packets.h"
#include "cube_shape.h"

/* Returns the colour of a packet by the meaning (source, age, ...) that the state selects. `left`
 * is the number of channels that the packet still has to cross, and `age` is from 0 to 1. */
uint32_t cm_tint_colour(const struct cm_frame *frame, uint32_t source, uint32_t destination,
                        uint32_t left, double age);
struct cm_point cm_point_along(const struct cm_point *line, uint32_t points, double part);
/* Draws on the cube the words of the exchange at the cursor. Defined in words.c. */
void cm_draw_words_on_cube(const struct cm_frame *frame, const struct cm_cube *cube);
uint32_t cm_packet_colour(const struct cm_frame *frame, const struct cm_view_message *message);
void cm_draw_packets_on_cube(const struct cm_frame *frame, const struct cm_cube *cube);
void cm_draw_packets_on_grid(const struct cm_frame *frame, const struct cm_cells *cells);
/* Returns the chain of blocking packets that is shown, or NULL if no chain is shown. */
const struct cm_why *cm_frame_chain(const struct cm_frame *frame);

#endif
