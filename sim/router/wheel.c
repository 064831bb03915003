/* The timing wheel of the router's events: its memory, and the search for the next word time with
 * events. */
#include "wheel.h"

bool cm_wheel_init(struct cm_wheel *wheel, uint64_t reach)
{
    uint32_t size = 64;
    while (size <= reach)
        size *= 2;
    wheel->size = size;
    wheel->slots = calloc(size, sizeof *wheel->slots);
    wheel->used = calloc(size / 64, sizeof *wheel->used);
    wheel->arrivals = calloc(size, sizeof *wheel->arrivals);
    wheel->spare = calloc(size, sizeof *wheel->spare);
    return wheel->slots != NULL && wheel->used != NULL && wheel->arrivals != NULL &&
           wheel->spare != NULL;
}

void cm_wheel_finish(struct cm_wheel *wheel)
{
    for (uint32_t s = 0; wheel->slots != NULL && s < wheel->size; s++)
        free(wheel->slots[s].events);
    while (wheel->spare_count > 0)
        free(wheel->spare[--wheel->spare_count].events);
    free(wheel->spare);
    free(wheel->slots);
    free(wheel->used);
    free(wheel->arrivals);
}

bool cm_wheel_grow(struct cm_wheel *wheel, struct cm_wheel_slot *slot)
{
    if (slot->capacity == 0 && wheel->spare_count > 0) {
        *slot = wheel->spare[--wheel->spare_count];
        return true;
    }
    return cm_array_room(slot->events, slot->count, slot->capacity);
}

uint64_t cm_wheel_next(const struct cm_wheel *wheel, uint64_t now)
{
    uint32_t words = wheel->size / 64;
    uint32_t first = (uint32_t)(now + 1) & (wheel->size - 1);
    uint64_t bits = wheel->used[first / 64] & (UINT64_MAX << first % 64);
    for (uint32_t i = 0; i <= words; i++) {
        uint32_t w = (first / 64 + i) % words;
        if (i > 0)
            bits = wheel->used[w];
        if (bits == 0)
            continue;
        uint32_t slot = w * 64 + (uint32_t)__builtin_ctzll(bits);
        return now + 1 + ((slot - first) & (wheel->size - 1));
    }
    return UINT64_MAX;
}

void cm_wheel_clear(struct cm_wheel *wheel, uint64_t time)
{
    uint32_t s = cm_wheel_place(wheel, time);
    wheel->slots[s].count = 0;
    if (wheel->slots[s].capacity > 0)
        wheel->spare[wheel->spare_count++] = wheel->slots[s];
    wheel->slots[s] = (struct cm_wheel_slot){0};
    wheel->arrivals[s] = 0;
    wheel->used[s / 64] &= ~(UINT64_C(1) << s % 64);
}
