/*
 * Tables of keys. A table describes the members of a JSON object in a workload: name, type, range,
 * default, meaning, and where the value is stored. Each kind of step has a table. The reader,
 * hints, `cm200 help` and the tests of schema and manual are generated from the tables, so a key is
 * described once.
 */
#ifndef CM_PROGRAMS_WORKLOAD_KEYS_H
#define CM_PROGRAMS_WORKLOAD_KEYS_H

#include "../../base/buffer.h"
#include "../../base/page.h"
#include "../../base/reader.h"

#include <stddef.h>

struct cm_json_writer;
struct cm_workload;

#define CM_KEYS_MAX   64u /* most keys of one object */
#define CM_LIST_BYTES 400u

enum cm_key_type {
    CM_KEY_INTEGER, /* integer from min to max, stored as uint32_t or uint64_t */
    CM_KEY_SIGNED,  /* integer, stored as int64_t */
    CM_KEY_NUMBER,  /* number, stored as double */
    CM_KEY_FLAG,    /* truth value, stored as bool */
    CM_KEY_FILE,    /* path of a file to read, stored as written in a const char * */
    /* one of the names in `names` or `name_of`. Its index is stored as enum or uint32_t */
    CM_KEY_NAME,
    CM_KEY_ARRAY, /* name of an array, stored in a struct cm_array_reference */
    CM_KEY_VALUE, /* number, or name of a scalar or array, stored in a struct cm_workload_value */
    CM_KEY_OTHER, /* value that the owner of the table reads. `form` says how it is written */
};

struct cm_key {
    const char *name;
    enum cm_key_type type;
    bool required;
    size_t offset; /* offset of the member in the struct that the table fills */
    size_t size;   /* size of the member */
    uint64_t min, max;
    const char *const *names; /* allowed names, followed by NULL */
    /* function instead of `names`: returns the name with an index from 0 to max */
    const char *(*name_of)(uint32_t index);
    uint64_t initial;      /* default of an integer, flag or name if the key is missing */
    const char *otherwise; /* what a missing key means, in words, if `initial` does not say it */
    const char *form;      /* how the value is written, in words, if the type does not say it */
    /* Name of the entry of "$defs" in configs/workload.schema.json, for a value of special form. */
    const char *schema;
    const char *hint; /* hint in the error message for a refused value */
    const char *meaning;
};

/* Macros for an entry of a table. CM_KEY describes a key whose value is stored in `member` of the
 * struct `into`. CM_KEY_FORM describes a key that the table's owner reads. Further members of
 * struct cm_key may follow as arguments. */
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

/* Defines the function `wrapper`, which can be a key's name_of, from a function that takes
 * an enum. */
#define CM_NAMES_OF(wrapper, function, type)                                                       \
    static const char *wrapper(uint32_t index)                                                     \
    {                                                                                              \
        return function((type)index);                                                              \
    }

/* Returns the allowed name with index `i`, or NULL past the last name. */
const char *cm_key_name_at(const struct cm_key *key, uint32_t i);
/* Writes the numbers and the true flags that the table stores at `own`, as JSON members. Leaves out
 * the keys listed in `except`, whose end is NULL. Leaves out a key that is 0 unless 0 is its
 * default. */
void cm_keys_write(const struct cm_key *keys, uint32_t count, const void *own,
                   const char *const *except, struct cm_json_writer *json);
/* Returns the number that the reader stored at `own` for an integer, a flag or a name. */
uint64_t cm_key_number_at(const struct cm_key *key, const void *own);
/* Append to the text, in words, what may be written for a key (form), or what a missing key means
 * (default: nothing for a required key). */
void cm_key_form(const struct cm_key *key, struct cm_buffer *text);
void cm_key_default(const struct cm_key *key, struct cm_buffer *text);
/* Joins names to a list with `last` before the last name, such as "a, b and c". Returns `list`,
 * which has room for CM_LIST_BYTES bytes. */
const char *cm_names_join(const char *const *names, uint32_t count, const char *last, char *list);

/* Keys of an object, which `what` names in error messages. */
struct cm_key_table {
    const char *what;
    const struct cm_key *keys;
    uint32_t count;
};

/* Reads the members of `object` into the struct at `into`, and refuses members that the table
 * lacks. */
void cm_keys_read(struct cm_workload *workload, struct cm_reader *reader, struct cm_json object,
                  const struct cm_key_table *table, void *into);
/* Reads the members of `object` that the table has and ignores others, for an object that several
 * tables describe. */
void cm_keys_read_members(struct cm_workload *workload, struct cm_reader *reader,
                          struct cm_json object, const struct cm_key *keys, uint32_t count,
                          void *into);

#endif
