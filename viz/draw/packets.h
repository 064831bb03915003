/* Packets over the maps: that move, in queues, the pinned one's path, and the chain of blocking
 * packets. */
#ifndef CM_VIZ_DRAW_PACKETS_H
#define CM_VIZ_DRAW_PACKETS_H

#include "../model/packets.h"
#include "cube_shape.h"

/* By the state's choice; `left` channels are left, `age` is from 0 to 1. */
uint32_t cm_tint_colour(const struct cm_frame *frame, uint32_t source, uint32_t destination,
                        uint32_t left, double age);
struct cm_point cm_point_along(const struct cm_point *line, uint32_t points, double part);
/* words.c: of the exchange at the cursor. */
void cm_draw_words_on_cube(const struct cm_frame *frame, const struct cm_cube *cube);
uint32_t cm_packet_colour(const struct cm_frame *frame, const struct cm_view_message *message);
void cm_draw_packets_on_cube(const struct cm_frame *frame, const struct cm_cube *cube);
void cm_draw_packets_on_grid(const struct cm_frame *frame, const struct cm_cells *cells);
/* The chain of the walk at hand; NULL: none. */
const struct cm_why *cm_frame_chain(const struct cm_frame *frame);

#endif
