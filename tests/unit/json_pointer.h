/* Values of a document by their JSON pointers. */
#ifndef CM_TEST_JSON_POINTER_H
#define CM_TEST_JSON_POINTER_H

#include "base/json.h"

#include <string.h>

static inline bool json_find(const struct cm_json_document *document, const char *pointer,
                             struct cm_json *value)
{
    char path[256];
    *value = cm_json_root(document);
    for (uint32_t i = 0; pointer[cm_json_path(*value, path, sizeof path)] != '\0';) {
        if (i == cm_json_count(*value))
            return false;
        struct cm_json child = cm_json_at(*value, i++, NULL);
        size_t length = cm_json_path(child, path, sizeof path);
        if (strncmp(path, pointer, length) != 0 || !strchr("/", pointer[length]))
            continue;
        *value = child;
        i = 0;
    }
    return true;
}

#endif
