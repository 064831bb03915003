/* A table of classes of reshapes, and of the streams of the first plan of each. */
#include "reshape_classes.h"

#include <stdlib.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t hash_streams(const struct cm_reshape_plan *plan)
{
    uint64_t hash = mix(plan->steps, (uint64_t)plan->algorithm);
    hash = mix(mix(hash, plan->bound), plan->buffer_count);
    for (uint32_t i = 0; i < plan->stream_count; i++) {
        const struct cm_reshape_stream *s = &plan->streams[i];
        hash = mix(mix(mix(hash, s->first_step), s->count), s->first_element);
        hash = mix(mix(mix(hash, s->stride), s->nodes), s->dimension);
        hash = mix(mix(hash, s->source), s->target);
        hash = mix(mix(mix(hash, s->sender), s->receiver), s->pair_flips);
        for (uint32_t c = 0; c < CM_RESHAPE_CONDITIONS; c++)
            hash = mix(mix(hash, s->when[c].nodes), s->when[c].value);
    }
    return hash;
}

/* The dimensions that the control of some exchange between nodes can see, and those exchanged. */
static uint64_t seen(const struct cm_reshape_plan *plan, uint64_t before, uint64_t after)
{
    uint64_t found = 0;
    for (uint32_t d = 0; d < plan->from.dimensions; d++) {
        if (!(plan->processor_dimensions >> d & 1))
            continue;
        found |= UINT64_C(1) << d;
        for (uint32_t m = d + 1; m < plan->from.dimensions; m++) {
            found |= UINT64_C(1) << m;
            if (!((before | after) >> m & 1))
                break;
        }
    }
    return found;
}

static struct class_entry class_of(const struct cm_reshape_plan *plan, bool apart)
{
    uint64_t processors = plan->from.processor, after = plan->to.coupled;
    uint64_t before = (plan->from.coupled & processors) | (after & ~processors);
    uint64_t all = (UINT64_C(1) << plan->from.dimensions) - 1;
    uint64_t hidden = all & ~seen(plan, before, after);
    return (struct class_entry){.processors = processors,
                                .before = before | hidden,
                                .after = after | hidden,
                                .streams = hash_streams(plan),
                                .dimensions = (uint8_t)plan->from.dimensions,
                                .apart = apart,
                                .used = 1};
}

static bool is_class(const struct class_entry *a, const struct class_entry *b)
{
    return a->processors == b->processors && a->before == b->before && a->after == b->after &&
           a->dimensions == b->dimensions && a->apart == b->apart;
}

static struct class_entry *find(const struct classes *classes, const struct class_entry *key)
{
    uint64_t hash = mix(mix(mix(key->processors, key->before), key->after),
                        (uint64_t)key->dimensions << 1 | key->apart);
    size_t at = (size_t)hash & (classes->capacity - 1);
    while (classes->entries[at].used && !is_class(&classes->entries[at], key))
        at = (at + 1) & (classes->capacity - 1);
    return &classes->entries[at];
}

/* At most half of the table is in use. */
static bool grow(struct classes *classes)
{
    struct classes larger = {.count = classes->count,
                             .capacity = classes->capacity ? 2 * classes->capacity : 1024};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (larger.entries == NULL)
        return false;
    for (size_t i = 0; i < classes->capacity; i++)
        if (classes->entries[i].used)
            *find(&larger, &classes->entries[i]) = classes->entries[i];
    free(classes->entries);
    *classes = larger;
    return true;
}

bool classes_know(struct classes *classes, const struct cm_reshape_plan *plan, bool apart,
                  const char **wrong)
{
    if (classes == NULL)
        return false;
    if (2 * classes->count >= classes->capacity && !grow(classes)) {
        *wrong = "no memory for classes";
        return false;
    }
    struct class_entry key = class_of(plan, apart), *entry = find(classes, &key);
    bool known = entry->used;
    if (!known) {
        *entry = key;
        classes->count++;
    } else if (entry->streams != key.streams) {
        *wrong = "other streams than another plan of its class";
    }
    return known;
}

void classes_finish(struct classes *classes)
{
    free(classes->entries);
    classes->entries = NULL;
}
