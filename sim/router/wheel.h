/*
 * The router's events, by word time. They are at most a few packet lengths ahead, so a ring of
 * slots, one for each of the next word times, holds them all.
 */
#ifndef CM_SIM_ROUTER_WHEEL_H
#define CM_SIM_ROUTER_WHEEL_H

#include "../../base/list.h"

/* What happens, and the index that it concerns. */
enum cm_router_event {
    CM_EVENT_ARRIVE,  /* a packet's header has been routed: it joins the queue of a port */
    CM_EVENT_LEFT,    /* a packet's last word has left its port: over an out */
    CM_EVENT_RELEASE, /* a worm's last word has left the buffer behind an out */
    CM_EVENT_SOURCE,  /* a worm's last word has left its source: a node */
    CM_EVENT_ROOM,    /* the buffer behind an out that leads to another part has more room */
};

struct cm_wheel_slot {
    uint64_t *events;
    uint32_t count, capacity;
};

struct cm_wheel {
    struct cm_wheel_slot *slots;
    uint32_t *arrivals; /* packets whose last word comes then, a slot each */
    uint64_t *used;     /* slots with events, a bit each */
    /* Memory for the events of a slot, used before and free: that of the last few word times stays
     * in the host's cache. */
    struct cm_wheel_slot *spare;
    uint32_t spare_count;
    uint32_t size; /* slots: a power of two, at least 64 */
};

/* `reach`: how many word times ahead of now an event may be. False when out of memory. */
bool cm_wheel_init(struct cm_wheel *wheel, uint64_t reach);
void cm_wheel_finish(struct cm_wheel *wheel);
/* The first word time after `now` that has events; UINT64_MAX when no word time has any. */
uint64_t cm_wheel_next(const struct cm_wheel *wheel, uint64_t now);
/* Forgets the events of a word time. */
void cm_wheel_clear(struct cm_wheel *wheel, uint64_t time);

static inline uint32_t cm_wheel_place(const struct cm_wheel *wheel, uint64_t time)
{
    return (uint32_t)time & (wheel->size - 1);
}

/* Makes room in a slot; false when out of memory. */
bool cm_wheel_grow(struct cm_wheel *wheel, struct cm_wheel_slot *slot);

/* `packet` is below 2^29. */
static inline uint64_t cm_event(enum cm_router_event kind, uint32_t packet, uint32_t index)
{
    return (uint64_t)kind << 61 | (uint64_t)packet << 32 | index;
}

/* False when out of memory. */
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
