/*
 * The router's events, by word time: a timing wheel. Events are at most a few packet lengths ahead,
 * so a ring of slots, one for each of the next word times, holds all events.
 */
#ifndef CM_SIM_ROUTER_WHEEL_H
#define CM_SIM_ROUTER_WHEEL_H

#include "../../base/list.h"

/* Kinds of events. An event also has the index of an input port or of an output. */
enum cm_router_event {
    /* a packet's header has been routed, and the packet joins the queue of a port */
    CM_EVENT_ARRIVE,
    CM_EVENT_LEFT,    /* a packet's last word has left its port over an output */
    CM_EVENT_RELEASE, /* a worm's last word has left the buffer behind an output */
    CM_EVENT_SOURCE,  /* a worm's last word has left its source, a node's queue */
    /* room was made in the buffer behind an output that leads to another partition */
    CM_EVENT_ROOM,
};

struct cm_wheel_slot {
    uint64_t *events;
    uint32_t count, capacity;
};

struct cm_wheel {
    struct cm_wheel_slot *slots;
    uint32_t *arrivals; /* number of packets whose last word arrives in each word time, by slot */
    uint64_t *used;     /* slots with events, a bit each */
    /* Unused arrays for the events of slots. Memory of recent word times is reused, because it is
     * still in the host's cache. */
    struct cm_wheel_slot *spare;
    uint32_t spare_count;
    uint32_t size; /* number of slots, a power of two, at least 64 */
};

/* Initialises a wheel for events up to `reach` word times ahead. Returns false when out of
 * memory. */
bool cm_wheel_init(struct cm_wheel *wheel, uint64_t reach);
void cm_wheel_finish(struct cm_wheel *wheel);
/* Returns the first word time after `now` that has events, or UINT64_MAX. */
uint64_t cm_wheel_next(const struct cm_wheel *wheel, uint64_t now);
/* Removes the events of a word time. */
void cm_wheel_clear(struct cm_wheel *wheel, uint64_t time);

static inline uint32_t cm_wheel_place(const struct cm_wheel *wheel, uint64_t time)
{
    return (uint32_t)time & (wheel->size - 1);
}

/* Makes room for one more event in a slot. Returns false when out of memory. */
bool cm_wheel_grow(struct cm_wheel *wheel, struct cm_wheel_slot *slot);

/* Packs an event into 64 bits. `packet` must be below 2^29. */
static inline uint64_t cm_event(enum cm_router_event kind, uint32_t packet, uint32_t index)
{
    return (uint64_t)kind << 61 | (uint64_t)packet << 32 | index;
}

/* Adds an event of word time `time`. Returns false when out of memory. */
static inline bool cm_wheel_add(struct cm_wheel *wheel, uint64_t time, uint64_t event)
{
    uint32_t s = cm_wheel_place(wheel, time);
    struct cm_wheel_slot *slot = &wheel->slots[s];
    if (slot->count == slot->capacity && !cm_wheel_grow(wheel, slot))
        return false;
    if (slot->count == 0)
        wheel->used[s / 64] |= UINT64_C(1) << s % 64;
    slot->events[slot->count++] = event;
    return true;
}

static inline enum cm_router_event cm_event_kind(uint64_t event)
{
    return (enum cm_router_event)(event >> 61);
}

static inline uint32_t cm_event_packet(uint64_t event)
{
    return (uint32_t)(event >> 32) & 0x1fffffff;
}

static inline uint32_t cm_event_index(uint64_t event)
{
    return (uint32_t)event;
}

#endif
