/* Reads JSON objects by tables of keys, and writes the stored values. keys.h explains the
 * tables. */
#include "keys.h"

#include "../../report/json_writer.h"
#include "workload_private.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *cm_key_name_at(const struct cm_key *key, uint32_t i)
{
    if (key->names != NULL)
        return key->names[i];
    return i <= key->max ? key->name_of(i) : NULL;
}

uint64_t cm_key_number_at(const struct cm_key *key, const void *own)
{
    const char *member = (const char *)own + key->offset;
    uint64_t wide;
    uint32_t narrow;
    uint8_t flag;
    if (key->size == sizeof wide)
        return *(const uint64_t *)memcpy(&wide, member, sizeof wide);
    if (key->size == sizeof narrow)
        return *(const uint32_t *)memcpy(&narrow, member, sizeof narrow);
    return *(const uint8_t *)memcpy(&flag, member, sizeof flag);
}

static bool is_among(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

void cm_keys_write(const struct cm_key *keys, uint32_t count, const void *own,
                   const char *const *except, struct cm_json_writer *json)
{
    for (uint32_t k = 0; k < count; k++) {
        const struct cm_key *key = &keys[k];
        if (is_among(key->name, except))
            continue;
        double real = 0;
        uint64_t number = 0;
        if (key->type == CM_KEY_NUMBER)
            memcpy(&real, (const char *)own + key->offset, sizeof real);
        else if (key->type == CM_KEY_INTEGER || key->type == CM_KEY_FLAG)
            number = cm_key_number_at(key, own);
        if (key->type == CM_KEY_FLAG && number != 0)
            cm_json_write_bool(json, key->name, true);
        else if (key->type == CM_KEY_INTEGER && (number != 0 || key->otherwise == NULL))
            cm_json_write_u64(json, key->name, number);
        else if (real > 0 || real < 0)
            cm_json_write_f64(json, key->name, real);
    }
}

const char *cm_names_join(const char *const *names, uint32_t count, const char *last, char *list)
{
    size_t used = 0;
    list[0] = '\0';
    for (uint32_t i = 0; i < count && used < CM_LIST_BYTES; i++) {
        const char *comma = i == 0 ? "" : i + 1 == count ? last : ", ";
        int n = snprintf(list + used, CM_LIST_BYTES - used, "%s%s", comma, names[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    return list;
}

static void store(const struct cm_key *key, uint64_t value, void *into)
{
    const uint32_t narrow = (uint32_t)value;
    const bool flag = value != 0;
    const void *from = key->size == sizeof value    ? (const void *)&value
                       : key->size == sizeof narrow ? (const void *)&narrow
                                                    : (const void *)&flag;
    memcpy((char *)into + key->offset, from, key->size);
}

static uint64_t read_name(struct cm_reader *reader, const struct cm_key *key, struct cm_json json)
{
    const char *names[CM_KEYS_MAX];
    uint32_t count = 0;
    for (const char *name; (name = cm_key_name_at(key, count)) != NULL; count++)
        names[count] = name;
    return cm_read_name(reader, json, key->name, names, count);
}

static void read_member(struct cm_workload *workload, struct cm_reader *reader,
                        const struct cm_key *key, struct cm_json json, void *into)
{
    void *member = (char *)into + key->offset;
    const struct cm_workload_file *file;
    reader->failed_now = false;
    switch (key->type) {
    case CM_KEY_INTEGER:
        store(key, cm_read_u64(reader, json, key->name, key->min, key->max), into);
        break;
    case CM_KEY_SIGNED:
        *(int64_t *)member = cm_read_i64(reader, json, key->name, INT64_MIN, INT64_MAX);
        break;
    case CM_KEY_NUMBER:
        *(double *)member = cm_read_f64(reader, json, key->name);
        break;
    case CM_KEY_FLAG:
        *(bool *)member = cm_read_bool(reader, json, key->name);
        break;
    case CM_KEY_FILE:
        file = cm_workload_read_file(workload, reader, json, key->name, CM_WORKLOAD_DATA);
        *(const char **)member = file != NULL ? file->written : NULL;
        break;
    case CM_KEY_NAME:
        store(key, read_name(reader, key, json), into);
        break;
    case CM_KEY_ARRAY:
        *(struct cm_array_reference *)member = (struct cm_array_reference){
            .json = json, .number = cm_workload_read_array_name(workload, reader, json, key->name)};
        break;
    case CM_KEY_VALUE:
        cm_workload_read_value(workload, reader, json, key->name, member);
        break;
    case CM_KEY_OTHER:
        break;
    }
    if (key->hint != NULL)
        cm_reader_hint(reader, "%s", key->hint);
}

void cm_keys_read_members(struct cm_workload *workload, struct cm_reader *reader,
                          struct cm_json object, const struct cm_key *keys, uint32_t count,
                          void *into)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct cm_key *key = &keys[i];
        struct cm_json json;
        if (key->required)
            read_member(workload, reader, key, cm_read_member(reader, object, key->name), into);
        else if (cm_read_optional(reader, object, key->name, &json))
            read_member(workload, reader, key, json, into);
        else if (key->type == CM_KEY_VALUE)
            ((struct cm_workload_value *)(void *)((char *)into + key->offset))->array = CM_NO_ARRAY;
        else if (key->initial != 0)
            store(key, key->initial, into);
    }
}

void cm_keys_read(struct cm_workload *workload, struct cm_reader *reader, struct cm_json object,
                  const struct cm_key_table *table, void *into)
{
    const char *names[CM_KEYS_MAX];
    assert(table->count <= CM_KEYS_MAX);
    for (uint32_t i = 0; i < table->count; i++)
        names[i] = table->keys[i].name;
    cm_read_keys(reader, object, table->what, names, table->count);
    cm_keys_read_members(workload, reader, object, table->keys, table->count, into);
}
