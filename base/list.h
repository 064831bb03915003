/*
 * A list: an array that grows. CM_LIST(type) declares a list as a member or a variable. A list of
 * zeros is empty. The macros also accept any other structure with a pointer `items`, unsigned
 * `count` and `capacity` of 32 or 64 bits, and bool `failed`.
 *
 * A list remembers a failed allocation in `failed`. It then keeps its elements and accepts no
 * others, so the caller checks `failed` once at the end. A full list doubles its capacity. The
 * macros evaluate their arguments several times. Internal to the library.
 *
 *     CM_LIST(struct step) steps = {0};
 *     cm_list_push(&steps, (struct step){.kind = LOAD, .slot = slot});
 *     for (uint32_t i = 0; i < steps.count; i++)
 *         execute(&steps.items[i]);
 *     enum cm_status status = steps.failed ? cm_error_no_memory(err) : CM_OK;
 *     cm_list_finish(&steps);
 */
#ifndef CM_BASE_LIST_H
#define CM_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Declares a list of at most UINT32_MAX elements. One more counts as a failed allocation. */
#define CM_LIST(type)                                                                              \
    struct {                                                                                       \
        type *items;                                                                               \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
        bool failed;                                                                               \
    }

/* Makes room in a list for `needed` elements, including those that the list has. Returns false when
 * out of memory. */
#define cm_list_room(list, needed)                                                                 \
    cm_list_reserve((struct cm_list_storage){&(list)->items, sizeof *(list)->items,                \
                                             &(list)->capacity, sizeof((list)->capacity),          \
                                             (list)->capacity, &(list)->failed},                   \
                    needed)

/* Appends a value to a list. The value may be a compound literal. Returns false when out of memory.
 */
#define cm_list_push(list, ...)                                                                    \
    cm_list_done(cm_list_room(list, (uint64_t)(list)->count + 1) &&                                \
                 ((list)->items[(list)->count] = (__VA_ARGS__), ++(list)->count != 0))

/* Appends an element of zeros to a list. Returns its address, which is valid until the list grows,
 * or NULL when out of memory. */
#define cm_list_add(list)                                                                          \
    (cm_list_extend(list, (uint64_t)(list)->count + 1) ? &(list)->items[(list)->count - 1] : NULL)

/* Appends elements of zeros until a list has `wanted` elements. Returns false when out of memory.
 */
#define cm_list_extend(list, wanted)                                                               \
    cm_list_done((list)->count >= (wanted) ||                                                      \
                 (cm_list_room(list, wanted) &&                                                    \
                  cm_list_clear((list)->items, sizeof *(list)->items, &(list)->count,              \
                                sizeof((list)->count), (list)->count, wanted)))

/* Frees the elements of a list. Afterwards the list is empty and `failed` is false. */
#define cm_list_finish(list)                                                                       \
    (free((list)->items), (list)->items = NULL, (list)->count = (list)->capacity = 0,              \
     (list)->failed = false)

/*
 * Makes room for one more element behind `count` elements of an array that is not a list: pointer,
 * count and capacity are variables of any name, as in a public structure. Returns false when out of
 * memory.
 *
 *     if (!cm_array_room(plan->streams, plan->stream_count, plan->stream_capacity))
 *         return cm_error_no_memory(err);
 *     plan->streams[plan->stream_count++] = stream;
 */
#define cm_array_room(items, count, capacity)                                                      \
    cm_list_reserve((struct cm_list_storage){&(items), sizeof *(items), &(capacity),               \
                                             sizeof(capacity), (capacity), NULL},                  \
                    (uint64_t)(count) + 1)

/* Functions behind the macros above. */

/* Description of an array that grows, for functions that do not know its types. */
struct cm_list_storage {
    void *items; /* address of the pointer to the elements */
    size_t element_bytes;
    void *field; /* address of the capacity */
    size_t field_bytes;
    uint64_t capacity;
    bool *failed; /* NULL: the failure is only returned */
};

/* Enlarges an array to at least `needed` elements. */
bool cm_list_grow(const struct cm_list_storage *storage, uint64_t needed);

/* Sets the number of elements of a list to `wanted`. The list has `count` elements, and those added
 * are zero. `field` is the address of the member that stores the number. Returns true. */
bool cm_list_clear(void *items, size_t element_bytes, void *field, size_t field_bytes,
                   uint64_t count, uint64_t wanted);

static inline bool cm_list_reserve(struct cm_list_storage storage, uint64_t needed)
{
    return needed <= storage.capacity || cm_list_grow(&storage, needed);
}

/* Returns `done`. The macros that append end with a call of this function, because compilers do not
 * warn if the result of a function is ignored. */
static inline bool cm_list_done(bool done)
{
    return done;
}

#endif
