/*
 * Tables of keys. A table describes the members of a JSON object in a workload: name, type, range,
 * default, meaning, and where the value is stored. Each kind of step has a table. The reader,
 * hints, `cm200 help` and the tests of schema and manual expand the tables, so a key is described
 * once.
 */
#ifndef CM_PROGRAMS_WORKLOAD_KEYS_H
#define CM_PROGRAMS_WORKLOAD_KEYS_H

#include "../../base/buffer.h"
#include "../../base/page.h"
#include "../../base/reader.h"

#include <stddef.h>

struct cm_json_writer;
struct cm_workload;

#define CM_KEYS_MAX   64u /* of one object */
#define CM_LIST_BYTES 400u

enum cm_key_type {
    CM_KEY_INTEGER, /* integer from min to max, in a uint32_t or uint64_t */
    CM_KEY_SIGNED,  /* int64_t */
    CM_KEY_NUMBER,  /* double */
    CM_KEY_FLAG,    /* bool */
    CM_KEY_FILE,    /* const char *: path of a file to read, as written */
    CM_KEY_NAME,    /* one of `names` or `name_of`. Stores its index in an enum or uint32_t */
    CM_KEY_ARRAY,   /* name of an array, in a struct cm_array_reference */
    CM_KEY_VALUE,   /* number, scalar or array by name, in a struct cm_workload_value */
    CM_KEY_OTHER,   /* read by the owner of the table. `form` says how it is written */
};

struct cm_key {
    const char *name;
    enum cm_key_type type;
    bool required;
    size_t offset; /* offset of the member in the struct that the table fills */
    size_t size;   /* size of the member */
    uint64_t min, max;
    const char *const *names;               /* allowed names, ended by NULL */
    const char *(*name_of)(uint32_t index); /* instead of `names`: the name of index 0 to max */
    uint64_t initial;                       /* default of an integer, flag or name */
    const char *otherwise; /* meaning of a missing key in words, if `initial` does not say it */
    const char *form;      /* how the value is written, if the type does not say it */
    /* Entry of "$defs" in configs/workload.schema.json, for a value of special form. */
    const char *schema;
    const char *hint; /* hint for a refused value */
    const char *meaning;
};

/* Line of a table. CM_KEY describes a key whose value is stored in `member` of the struct `into`,
 * CM_KEY_FORM a key that the table's owner reads. Further members of struct cm_key may follow. */
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

/* Defines `wrapper`, a name_of function, from a function that takes an enum. */
#define CM_NAMES_OF(wrapper, function, type)                                                       \
    static const char *wrapper(uint32_t index)                                                     \
    {                                                                                              \
        return function((type)index);                                                              \
    }

/* Returns the name of index `i`, or NULL past the last. */
const char *cm_key_name_at(const struct cm_key *key, uint32_t i);
/* Writes the numbers and true flags that the table stores at `own`, as JSON members. Leaves out the
 * keys of `except`, which NULL ends, and keys that are 0 unless 0 is their default. */
void cm_keys_write(const struct cm_key *keys, uint32_t count, const void *own,
                   const char *const *except, struct cm_json_writer *json);
/* Returns the number that the table's reader stored for an integer, a flag or a name. */
uint64_t cm_key_number_at(const struct cm_key *key, const void *own);
/* Append in words: what may be written for a key, and the default of a missing key (nothing for a
 * required key). */
void cm_key_form(const struct cm_key *key, struct cm_buffer *text);
void cm_key_default(const struct cm_key *key, struct cm_buffer *text);
/* Joins names to "a, b and c". Returns `list`. */
const char *cm_names_join(const char *const *names, uint32_t count, const char *last, char *list);

/* Keys of an object, which `what` names in messages. */
struct cm_key_table {
    const char *what;
    const struct cm_key *keys;
    uint32_t count;
};

/* Refuses members of `object` that the table lacks. Reads the others into the struct at `into`. */
void cm_keys_read(struct cm_workload *workload, struct cm_reader *reader, struct cm_json object,
                  const struct cm_key_table *table, void *into);
/* Reads the members that the table has and ignores others, for an object that several tables
 * describe. */
void cm_keys_read_members(struct cm_workload *workload, struct cm_reader *reader,
                          struct cm_json object, const struct cm_key *keys, uint32_t count,
                          void *into);

#endif
