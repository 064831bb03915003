/* What a JSON document holds, for the files that read it. Internal to the library. */
#ifndef CM_BASE_JSON_DOCUMENT_H
#define CM_BASE_JSON_DOCUMENT_H

#include "json_scan.h"

#include <cjson/cJSON.h>

struct cm_json_document {
    char *name;
    char *text; /* NUL-terminated beyond `length` */
    size_t length;
    struct cm_json_scan scan;
    cJSON *tree;
    cJSON **nodes; /* of value i; the tree's preorder is the document's order */
    /* the values that have a parent, those of one parent side by side and in order */
    uint32_t *children;
    uint32_t *first; /* of value i: where its children begin in `children` */
    /* hash table of members by (parent, key): value index + 1, 0 for a free slot */
    uint32_t *slots;
    uint32_t slot_count; /* a power of two, at least twice the members */
};

static inline const struct cm_json_value *cm_json_value_of(struct cm_json value)
{
    return &value.document->scan.values[value.index];
}

/* Finds the member of `object` with exactly this key, and the slot where it is or would go. */
uint32_t cm_json_find_slot(const struct cm_json_document *document, uint32_t object,
                           const char *key);

/* " in /network" for messages; "" for the root. */
struct cm_quote cm_json_in_path(struct cm_json value);

#endif
