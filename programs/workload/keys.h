/*
 * Tables of keys: what an object of a workload may hold, where each value goes, and what it means.
 * A kind of step has one. The reader, the hints, `cm200 help`, the JSON Schema's test and the
 * manual's test expand it, so a key is described once.
 */
#ifndef CM_PROGRAMS_WORKLOAD_KEYS_H
#define CM_PROGRAMS_WORKLOAD_KEYS_H

#include "../../base/buffer.h"
#include "../../base/page.h"
#include "../../base/reader.h"

#include <stddef.h>

struct cm_workload;

#define CM_KEYS_MAX   64u /* of one object */
#define CM_LIST_BYTES 400u

enum cm_key_type {
    CM_KEY_INTEGER, /* from min to max: uint32_t or uint64_t */
    CM_KEY_SIGNED,  /* int64_t */
    CM_KEY_NUMBER,  /* double */
    CM_KEY_FLAG,    /* bool */
    CM_KEY_FILE,    /* const char *: the path of a file to read, as written */
    CM_KEY_NAME,    /* one of `names` or `name_of`: its index, as an enum or uint32_t */
    CM_KEY_ARRAY,   /* the name of an array: struct cm_array_reference */
    CM_KEY_VALUE,   /* a number, a scalar's or an array's name: struct cm_workload_value */
    CM_KEY_OTHER,   /* read by the owner of the table; `form` says what is written */
};

struct cm_key {
    const char *name;
    enum cm_key_type type;
    bool required;
    size_t offset; /* in the struct that the table fills */
    size_t size;   /* of the member */
    uint64_t min, max;
    const char *const *names;               /* ended by NULL */
    const char *(*name_of)(uint32_t index); /* instead of `names`: 0 to max have a name */
    uint64_t initial;                       /* of an integer, a flag or a name that is missing */
    const char *otherwise; /* in words: what a missing one means, where `initial` does not say it */
    const char *form;      /* in words: what is written, where the type does not say it */
    /* Of a form of its own: an entry of "$defs" in configs/workload.schema.json. */
    const char *schema;
    const char *hint; /* the way out when the value is refused */
    const char *meaning;
};

/* A line of a table: a key whose value goes to `member` of the struct `into`; one of a form of its
 * own, which the table's owner reads. Further fields of struct cm_key may follow. */
#define CM_KEY(kind, key, into, member, text, ...)                                                 \
    {                                                                                              \
        .name = (key), .type = CM_KEY_##kind, .offset = offsetof(into, member),                    \
        .size = sizeof(((into *)0)->member), .meaning = (text), __VA_ARGS__                        \
    }
#define CM_KEY_FORM(key, written, definition, text, ...)                                           \
    {                                                                                              \
        .name = (key), .type = CM_KEY_OTHER, .form = (written),                                    \
        .schema = CM_NOT_IN_A_PAGE(definition), .meaning = (text), __VA_ARGS__                     \
    }
#define CM_COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/* The function `wrapper`, for name_of, from one that takes an enum. */
#define CM_NAMES_OF(wrapper, function, type)                                                       \
    static const char *wrapper(uint32_t index)                                                     \
    {                                                                                              \
        return function((type)index);                                                              \
    }

/* The name of index `i`; NULL past the last. */
const char *cm_key_name_at(const struct cm_key *key, uint32_t i);
/* In words: what may be written for a key, and what a missing one means (nothing for one that must
 * be there). */
void cm_key_form(const struct cm_key *key, struct cm_buffer *text);
void cm_key_default(const struct cm_key *key, struct cm_buffer *text);
/* "a, b and c"; returns `list`. */
const char *cm_names_join(const char *const *names, uint32_t count, const char *last, char *list);

/* Refuses keys of `object` that the table lacks, and reads the others into the struct at `into`. */
void cm_keys_read(struct cm_workload *workload, struct cm_reader *reader, struct cm_json object,
                  const char *what, const struct cm_key *keys, uint32_t count, void *into);
/* The same without looking for unknown keys: of an object that several tables describe. */
void cm_keys_read_members(struct cm_workload *workload, struct cm_reader *reader,
                          struct cm_json object, const struct cm_key *keys, uint32_t count,
                          void *into);

#endif
