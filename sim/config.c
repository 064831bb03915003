/*
 * Reads, changes and checks machine descriptions. The list of keys is config.def alone: it becomes
 * a table here, and reading, `--set` and the range check all walk that table.
 */
#include "config.h"

#include "../base/suggest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FORMAT       "cm200-machine/1"
#define CLOCK_HZ_MAX UINT64_C(1000000000000)
#define PATH_BYTES   64u /* no path is longer; a longer one is unknown, and cut in the message */

struct key_info {
    const char *section; /* "" for a key of the top level */
    const char *key;
    const char *path; /* "section.key" */
    size_t offset;    /* in struct cm_config */
    size_t size;      /* of the member: 4 or 8 bytes */
    uint64_t min;
    uint64_t max;
    const char *what;
};

/* The keys of config.def in its order, then the clock, which is the only number outside a
 * section. */
#define CLOCK     CM_CONFIG_KEY_COUNT
#define KEY_COUNT (CM_CONFIG_KEY_COUNT + 1)

static const struct key_info keys[KEY_COUNT] = {
#define CM_CONFIG(section, key, type, min, max, what)                                              \
    {#section,                                                                                     \
     #key,                                                                                         \
     #section "." #key,                                                                            \
     offsetof(struct cm_config, section##_##key),                                                  \
     sizeof(cm_config_##type),                                                                     \
     min,                                                                                          \
     max,                                                                                          \
     what},
#include "config.def"
#undef CM_CONFIG
    {"", "clock_hz", "clock_hz", offsetof(struct cm_config, clock_hz), sizeof(uint64_t), 1,
     CLOCK_HZ_MAX, "cycles a second"},
};

/* The statuses that a description may give, in the order of enum cm_number_status from
 * CM_NUMBER_STATED on. */
static const char *const status_names[] = {"stated", "derived", "fitted", "assumed"};
#define STATUS_COUNT ((uint32_t)(sizeof status_names / sizeof status_names[0]))

static uint64_t get(const struct cm_config *config, unsigned key)
{
    const char *member = (const char *)config + keys[key].offset;
    uint32_t narrow;
    uint64_t wide;
    if (keys[key].size == sizeof narrow) {
        memcpy(&narrow, member, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, member, sizeof wide);
    return wide;
}

static void put(struct cm_config *config, unsigned key, uint64_t value,
                enum cm_number_status status)
{
    char *member = (char *)config + keys[key].offset;
    uint32_t narrow = (uint32_t)value;
    if (keys[key].size == sizeof narrow)
        memcpy(member, &narrow, sizeof narrow);
    else
        memcpy(member, &value, sizeof value);
    if (key == CLOCK)
        config->clock_status = status;
    else
        config->status[key] = status;
}

/* The sections in the order of config.def; `names` has room for CM_CONFIG_KEY_COUNT. */
static uint32_t list_sections(const char **names)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < CM_CONFIG_KEY_COUNT; i++) {
        uint32_t known = 0; /* the keys of a section need not stand together */
        while (known < count && strcmp(names[known], keys[i].section) != 0)
            known++;
        if (known == count)
            names[count++] = keys[i].section;
    }
    return count;
}

static uint32_t list_keys(const char *section, const char **names)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < CM_CONFIG_KEY_COUNT; i++)
        if (strcmp(keys[i].section, section) == 0)
            names[count++] = keys[i].key;
    return count;
}

/* Joins names with ", ", as much as fits. */
static void join(char *buffer, size_t size, const char *const *names, uint32_t count)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (uint32_t i = 0; i < count && used < size; i++) {
        int n = snprintf(buffer + used, size - used, "%s%s", i > 0 ? ", " : "", names[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* Tells what a key is, unless the error has a hint already; passes `status` on. */
static enum cm_status hint_key(enum cm_status status, unsigned key, struct cm_error *err)
{
    if (err != NULL && err->hint[0] == '\0') {
        cm_error_hint(err, "%s: %s; an integer from %" PRIu64 " to %" PRIu64, keys[key].path,
                      keys[key].what, keys[key].min, keys[key].max);
    }
    return status;
}

/* {"value": n, "source": "...", "status": "..."}; all three are required, so that no number loses
 * its source. */
static enum cm_status read_sourced(struct cm_json object, unsigned key, struct cm_config *config,
                                   struct cm_error *err)
{
    static const char *const members[] = {"value", "source", "status"};
    struct cm_json member;
    uint64_t number;
    const char *source;
    uint32_t kind;
    enum cm_status status = cm_json_keys(object, keys[key].path, members, 3, err);
    if (status == CM_OK)
        status = cm_json_require(object, "value", &member, err);
    if (status == CM_OK)
        status = cm_json_u64(member, keys[key].path, keys[key].min, keys[key].max, &number, err);
    if (status != CM_OK)
        return hint_key(status, key, err);
    status = cm_json_require(object, "source", &member, err);
    if (status == CM_OK)
        status = cm_json_string(member, "source", &source, err);
    if (status == CM_OK && source[0] == '\0') {
        status = cm_json_error(member, err, "the source of %s is empty", keys[key].path);
        if (err != NULL)
            cm_error_hint(err, "say where the number comes from, or give a plain number");
    }
    if (status == CM_OK)
        status = cm_json_require(object, "status", &member, err);
    if (status == CM_OK)
        status = cm_json_enum(member, "status", status_names, STATUS_COUNT, &kind, err);
    if (status == CM_OK)
        put(config, key, number, (enum cm_number_status)(CM_NUMBER_STATED + kind));
    return status;
}

static enum cm_status read_number(struct cm_json value, unsigned key, struct cm_config *config,
                                  struct cm_error *err)
{
    uint64_t number;
    enum cm_status status;
    switch (cm_json_kind(value)) {
    case CM_JSON_NUMBER:
        status = cm_json_u64(value, keys[key].path, keys[key].min, keys[key].max, &number, err);
        if (status != CM_OK)
            return hint_key(status, key, err);
        put(config, key, number, CM_NUMBER_UNMARKED);
        return CM_OK;
    case CM_JSON_OBJECT:
        return read_sourced(value, key, config, err);
    default:
        status = cm_json_error(value, err,
                               "%s must be an integer or an object with \"value\", \"source\" and "
                               "\"status\", not %s",
                               keys[key].path, cm_json_kind_name(cm_json_kind(value)));
        return hint_key(status, key, err);
    }
}

/* Reads one section, or with section "" the numbers of the top level (whose keys read_top has
 * checked). */
static enum cm_status read_section(struct cm_json root, const char *section,
                                   struct cm_config *config, struct cm_error *err)
{
    struct cm_json object = root;
    const char *names[CM_CONFIG_KEY_COUNT];
    enum cm_status status = CM_OK;
    if (section[0] != '\0') {
        status = cm_json_require(root, section, &object, err);
        if (status == CM_OK)
            status = cm_json_expect(object, CM_JSON_OBJECT, section, err);
        if (status == CM_OK)
            status = cm_json_keys(object, section, names, list_keys(section, names), err);
    }
    for (unsigned i = 0; i < KEY_COUNT && status == CM_OK; i++) {
        struct cm_json value;
        if (strcmp(keys[i].section, section) != 0)
            continue;
        status = cm_json_require(object, keys[i].key, &value, err);
        if (status != CM_OK)
            return hint_key(status, i, err);
        status = read_number(value, i, config, err);
    }
    return status;
}

static enum cm_status read_name(struct cm_json root, struct cm_config *config, struct cm_error *err)
{
    struct cm_json value;
    const char *name;
    enum cm_status status = cm_json_require(root, "name", &value, err);
    if (status == CM_OK)
        status = cm_json_string(value, "name", &name, err);
    if (status != CM_OK)
        return status;
    size_t length = strlen(name);
    if (length == 0 || length >= sizeof config->name) {
        return cm_json_error(value, err, "name must have 1 to %zu bytes, not %zu",
                             sizeof config->name - 1, length);
    }
    for (size_t i = 0; i < length; i++) {
        /* A name is shown on terminals: no escape sequences. */
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return cm_json_error(value, err, "name must not contain control characters");
    }
    memcpy(config->name, name, length + 1);
    return CM_OK;
}

static enum cm_status read_format(struct cm_json root, struct cm_error *err)
{
    struct cm_json value;
    const char *format;
    enum cm_status status = cm_json_require(root, "format", &value, err);
    if (status == CM_OK)
        status = cm_json_string(value, "format", &format, err);
    if (status == CM_OK && strcmp(format, FORMAT) != 0) {
        status =
            cm_json_error(value, err, "not a machine description: the format is \"%.64s\"", format);
        if (err != NULL)
            cm_error_hint(err, "a machine description has \"format\": \"" FORMAT "\"");
    }
    return status;
}

/* What is for people and editors only: checked, not kept. */
static enum cm_status read_remarks(struct cm_json root, struct cm_error *err)
{
    struct cm_json value;
    const char *text;
    enum cm_status status = CM_OK;
    if (cm_json_member(root, "$schema", &value))
        status = cm_json_string(value, "$schema", &text, err);
    if (status != CM_OK || !cm_json_member(root, "notes", &value))
        return status;
    status = cm_json_expect(value, CM_JSON_ARRAY, "notes", err);
    for (uint32_t i = 0; status == CM_OK && i < cm_json_count(value); i++)
        status = cm_json_string(cm_json_at(value, i, NULL), "a note", &text, err);
    return status;
}

/* The top level: the format first, so that a file of another kind is called that. */
static enum cm_status read_top(struct cm_json root, struct cm_config *config, struct cm_error *err)
{
    static const char *const others[] = {"$schema", "format", "name", "clock_hz", "notes"};
    const char *names[CM_CONFIG_KEY_COUNT + sizeof others / sizeof others[0]];
    enum cm_status status = cm_json_expect(root, CM_JSON_OBJECT, "a machine description", err);
    if (status == CM_OK)
        status = read_format(root, err);
    if (status == CM_OK) {
        uint32_t count = list_sections(names);
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            names[count++] = others[i];
        status = cm_json_keys(root, "a machine description", names, count, err);
    }
    if (status == CM_OK)
        status = read_name(root, config, err);
    if (status == CM_OK)
        status = read_remarks(root, err);
    return status == CM_OK ? read_section(root, "", config, err) : status;
}

static enum cm_status check_ranges(const struct cm_config *config, unsigned *at,
                                   struct cm_error *err)
{
    for (unsigned i = 0; i < KEY_COUNT; i++) {
        uint64_t value = get(config, i);
        if (value < keys[i].min || value > keys[i].max) {
            *at = i;
            enum cm_status status = cm_error_set(
                err, CM_BAD_INPUT, "%s is %" PRIu64 ", out of range", keys[i].path, value);
            return hint_key(status, i, err);
        }
    }
    return CM_OK;
}

/* cm_config_check, which also tells the key at fault: the one to point at in a file. */
static enum cm_status check_rules(const struct cm_config *c, unsigned *at, struct cm_error *err)
{
    enum cm_status status = check_ranges(c, at, err);
    const char *hint = NULL;
    if (status != CM_OK)
        return status;
    if ((c->transposer_slots & (c->transposer_slots - 1)) != 0) {
        *at = CM_CONFIG_transposer_slots;
        status = cm_error_set(err, CM_BAD_INPUT,
                              "transposer.slots is %" PRIu32 ", which is not a power of two",
                              c->transposer_slots);
        hint = "the CM-200 has 32";
    } else if (c->transposer_slots / 2 < c->network_dimensions + 1) {
        *at = CM_CONFIG_transposer_slots;
        status =
            cm_error_set(err, CM_BAD_INPUT,
                         "transposer.slots is %" PRIu32 ": too few for %" PRIu32 " cube dimensions",
                         c->transposer_slots, c->network_dimensions);
        hint = "each half of the slots needs one for the sister chip and one a dimension: "
               "slots / 2 >= dimensions + 1";
    } else if (c->memory_heap_base_words >= c->memory_words) {
        *at = CM_CONFIG_memory_heap_base_words;
        status = cm_error_set(err, CM_BAD_INPUT,
                              "memory.heap_base_words is %" PRIu64
                              ", beyond the node's memory of %" PRIu64 " words",
                              c->memory_heap_base_words, c->memory_words);
        hint = "the heap must begin inside memory: heap_base_words < words";
    } else if (c->memory_refresh_cycles >= c->memory_refresh_interval_cycles &&
               (c->memory_refresh_cycles != 0 || c->memory_refresh_interval_cycles != 0)) {
        *at = CM_CONFIG_memory_refresh_cycles;
        status = cm_error_set(err, CM_BAD_INPUT,
                              "memory.refresh_cycles is %" PRIu64
                              ", not shorter than its interval of %" PRIu64 " cycles",
                              c->memory_refresh_cycles, c->memory_refresh_interval_cycles);
        hint = "for a memory without refresh set refresh_cycles to 0, then refresh_interval_cycles "
               "to 0";
    }
    if (hint != NULL && err != NULL)
        cm_error_hint(err, "%s", hint);
    return status;
}

enum cm_status cm_config_check(const struct cm_config *config, struct cm_error *err)
{
    unsigned at;
    return check_rules(config, &at, err);
}

/* Gives an error of check_rules the place of the key at fault. */
static enum cm_status place_error(struct cm_json root, unsigned key, struct cm_error *err)
{
    struct cm_json value = root;
    struct cm_json inner;
    if (err == NULL)
        return CM_BAD_INPUT;
    struct cm_error rule = *err;
    if (keys[key].section[0] != '\0')
        (void)cm_json_member(root, keys[key].section, &value);
    if (cm_json_member(value, keys[key].key, &inner))
        value = inner;
    if (cm_json_kind(value) == CM_JSON_OBJECT && cm_json_member(value, "value", &inner))
        value = inner;
    (void)cm_json_error(value, err, "%s", rule.message);
    return cm_error_hint(err, "%s", rule.hint);
}

enum cm_status cm_config_parse(struct cm_json root, struct cm_config *config, struct cm_error *err)
{
    struct cm_config read;
    const char *sections[CM_CONFIG_KEY_COUNT];
    uint32_t section_count = list_sections(sections);
    unsigned at;
    memset(&read, 0, sizeof read);
    enum cm_status status = read_top(root, &read, err);
    for (uint32_t i = 0; i < section_count && status == CM_OK; i++)
        status = read_section(root, sections[i], &read, err);
    if (status != CM_OK)
        return status;
    if (check_rules(&read, &at, err) != CM_OK)
        return place_error(root, at, err);
    *config = read;
    return CM_OK;
}

enum cm_status cm_config_read(const char *path, struct cm_config *config, struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    enum cm_status status = cm_json_read(path, &document, err);
    if (status == CM_OK)
        status = cm_config_parse(cm_json_root(document), config, err);
    cm_json_destroy(document);
    return status;
}

/* A path that is a key without its section ("page_words") names that key; otherwise the nearest
 * path. */
static const char *nearest_path(const char *path)
{
    const char *paths[KEY_COUNT];
    for (unsigned i = 0; i < KEY_COUNT; i++) {
        if (strcmp(keys[i].key, path) == 0)
            return keys[i].path;
        paths[i] = keys[i].path;
    }
    return cm_suggest(path, paths, KEY_COUNT);
}

static enum cm_status unknown_path(const char *assignment, const char *path, struct cm_error *err)
{
    const char *names[CM_CONFIG_KEY_COUNT];
    char list[320];
    const char *near = nearest_path(path);
    if (near != NULL)
        return cm_error_set(err, CM_BAD_INPUT,
                            "--set %.200s: unknown key \"%s\"; did you mean \"%s\"?", assignment,
                            path, near);
    enum cm_status status =
        cm_error_set(err, CM_BAD_INPUT, "--set %.200s: unknown key \"%s\"", assignment, path);
    if (err == NULL)
        return status;
    char section[PATH_BYTES];
    snprintf(section, sizeof section, "%.*s", (int)strcspn(path, "."), path);
    uint32_t count = list_keys(section, names);
    if (count > 0) {
        join(list, sizeof list, names, count);
        return cm_error_hint(err, "the keys of %s are: %s", section, list);
    }
    join(list, sizeof list, names, list_sections(names));
    return cm_error_hint(err, "a key is clock_hz or SECTION.KEY; the sections are: %s", list);
}

/* Decimal digits alone: no sign, blank, fraction or exponent, nor a leading zero, as in a machine
 * file. */
static bool parse_digits(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    if (*text == '\0' || (text[0] == '0' && text[1] != '\0'))
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            value = UINT64_MAX; /* beyond every key's range, and stays so */
            continue;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

enum cm_status cm_config_set(struct cm_config *config, const char *assignment, struct cm_error *err)
{
    char path[PATH_BYTES];
    const char *equals = strchr(assignment, '=');
    if (equals == NULL || equals == assignment) {
        enum cm_status status =
            cm_error_set(err, CM_USAGE, "--set %.200s: expected PATH=VALUE", assignment);
        return err == NULL ? status : cm_error_hint(err, "for example --set memory.page_words=512");
    }
    size_t length = (size_t)(equals - assignment);
    snprintf(path, sizeof path, "%.*s", (int)(length < PATH_BYTES ? length : PATH_BYTES),
             assignment);
    unsigned key = 0;
    while (key < KEY_COUNT && strcmp(keys[key].path, path) != 0)
        key++;
    if (key == KEY_COUNT || length >= sizeof path)
        return unknown_path(assignment, path, err);
    uint64_t value;
    if (!parse_digits(equals + 1, &value) || value < keys[key].min || value > keys[key].max) {
        enum cm_status status = cm_error_set(
            err, CM_BAD_INPUT, "--set %.200s: %s must be an integer from %" PRIu64 " to %" PRIu64,
            assignment, path, keys[key].min, keys[key].max);
        if (err == NULL)
            return status;
        if (equals[1] == '0' && equals[2] != '\0')
            return cm_error_hint(err, "write it without leading zeros");
        return cm_error_hint(err, "%s: %s", path, keys[key].what);
    }
    struct cm_config changed = *config;
    put(&changed, key, value, CM_NUMBER_SET);
    unsigned at;
    struct cm_error rule;
    if (check_rules(&changed, &at, &rule) != CM_OK) {
        enum cm_status status =
            cm_error_set(err, CM_BAD_INPUT, "--set %.200s: %s", assignment, rule.message);
        return err == NULL ? status : cm_error_hint(err, "%s", rule.hint);
    }
    *config = changed;
    return CM_OK;
}
