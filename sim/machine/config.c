/*
 * Reads, changes and checks machine descriptions. config.def is the only list of keys. It becomes a
 * table here, which reading, `--set` and the range check all use.
 */
#include "config.h"

#include "../../base/reader.h"
#include "../../base/suggest.h"
#include "machines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FORMAT       "cm200-machine/1"
#define CLOCK_HZ_MAX UINT64_C(1000000000000)
/* Size of a buffer for the path of a key, longer than any path. A longer path in an assignment is
 * unknown, and is cut in the message. */
#define PATH_BYTES 64u

struct key_info {
    const char *section; /* name of the section, or "" for a key at the top level */
    const char *key;
    const char *path; /* "section.key" */
    size_t offset;    /* offset of the member in struct cm_config */
    size_t size;      /* size of the member: 4 or 8 bytes */
    uint64_t min;
    uint64_t max;
    const char *what;
};

/* The table has the keys of config.def in order, then the clock frequency, which alone belongs to
 * no section. */
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

/* Names of the statuses that a description may give, in the order of enum cm_number_status from
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

/* Lists the sections in the order of config.def. `names` must have room for CM_CONFIG_KEY_COUNT. */
static uint32_t list_sections(const char **names)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < CM_CONFIG_KEY_COUNT; i++) {
        uint32_t known = 0; /* the keys of a section need not be adjacent */
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

/* Joins names with ", " into a buffer, as many as fit. */
static void join(char *buffer, size_t size, const char *const *names, uint32_t count)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (uint32_t i = 0; i < count && used < size; i++) {
        int n = snprintf(buffer + used, size - used, "%s%s", i > 0 ? ", " : "", names[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* Describes a key in the hint of an error that has no hint yet. */
static void hint_key(struct cm_error *err, unsigned key)
{
    if (err != NULL && err->hint[0] == '\0')
        cm_error_hint(err, "%s: %s; an integer from %" PRIu64 " to %" PRIu64, keys[key].path,
                      keys[key].what, keys[key].min, keys[key].max);
}

/* Reads {"value": n, "source": "...", "status": "..."}. All three are required, so that no number
 * loses its source. */
static void read_sourced(struct cm_reader *reader, struct cm_json object, unsigned key,
                         struct cm_config *config)
{
    static const char *const members[] = {"value", "source", "status"};
    const struct key_info *info = &keys[key];
    cm_read_keys(reader, object, info->path, members, 3);
    struct cm_json member = cm_read_member(reader, object, "value");
    uint64_t number = cm_read_u64(reader, member, info->path, info->min, info->max);
    if (!cm_reader_ok(reader))
        hint_key(reader->err, key);
    member = cm_read_member(reader, object, "source");
    const char *source = cm_read_string(reader, member, "source");
    if (source != NULL && source[0] == '\0') {
        cm_reader_fail(reader, member, "the source of %s is empty", info->path);
        cm_reader_hint(reader, "give the source of the number, or a plain number");
    }
    member = cm_read_member(reader, object, "status");
    uint32_t kind = cm_read_name(reader, member, "status", status_names, STATUS_COUNT);
    put(config, key, number, (enum cm_number_status)(CM_NUMBER_STATED + kind));
}

static void read_number(struct cm_reader *reader, struct cm_json value, unsigned key,
                        struct cm_config *config)
{
    const struct key_info *info = &keys[key];
    enum cm_json_kind kind = cm_json_kind(value);
    if (kind == CM_JSON_OBJECT) {
        read_sourced(reader, value, key, config);
        return;
    }
    if (kind == CM_JSON_NUMBER)
        put(config, key, cm_read_u64(reader, value, info->path, info->min, info->max),
            CM_NUMBER_UNMARKED);
    else
        cm_reader_fail(reader, value,
                       "%s must be an integer or an object with \"value\", \"source\" and "
                       "\"status\", not %s",
                       info->path, cm_json_kind_name(kind));
    if (!cm_reader_ok(reader))
        hint_key(reader->err, key);
}

/* Reads the numbers of a section, or of the top level if the section is "". */
static void read_numbers(struct cm_reader *reader, struct cm_json object, const char *section,
                         struct cm_config *config)
{
    for (unsigned i = 0; i < KEY_COUNT && cm_reader_ok(reader); i++) {
        if (strcmp(keys[i].section, section) != 0)
            continue;
        struct cm_json value = cm_read_member(reader, object, keys[i].key);
        if (cm_reader_ok(reader))
            read_number(reader, value, i, config);
        else
            hint_key(reader->err, i);
    }
}

static void read_section(struct cm_reader *reader, struct cm_json root, const char *section,
                         struct cm_config *config)
{
    const char *names[CM_CONFIG_KEY_COUNT];
    struct cm_json object = cm_read_member(reader, root, section);
    cm_read_kind(reader, object, CM_JSON_OBJECT, section);
    cm_read_keys(reader, object, section, names, list_keys(section, names));
    read_numbers(reader, object, section, config);
}

static void read_name(struct cm_reader *reader, struct cm_json root, struct cm_config *config)
{
    struct cm_json value = cm_read_member(reader, root, "name");
    const char *name = cm_read_title(reader, value, "name");
    size_t length = name != NULL ? strlen(name) : 0;
    if (name == NULL)
        return;
    if (length == 0 || length >= sizeof config->name)
        cm_reader_fail(reader, value, "name must have 1 to %zu bytes, not %zu",
                       sizeof config->name - 1, length);
    if (cm_reader_ok(reader))
        memcpy(config->name, name, length + 1);
}

static void read_format(struct cm_reader *reader, struct cm_json root)
{
    struct cm_json value = cm_read_member(reader, root, "format");
    const char *format = cm_read_string(reader, value, "format");
    if (format == NULL || strcmp(format, FORMAT) == 0)
        return;
    cm_reader_fail(reader, value, "not a machine description: the format is \"%.64s\"", format);
    cm_reader_hint(reader, "a machine description has \"format\": \"" FORMAT "\"");
}

/* Checks the members "$schema" and "notes", which are for editors and people only, and discards
 * them. */
static void read_remarks(struct cm_reader *reader, struct cm_json root)
{
    struct cm_json value;
    if (cm_read_optional(reader, root, "$schema", &value))
        cm_read_string(reader, value, "$schema");
    if (!cm_read_optional(reader, root, "notes", &value))
        return;
    cm_read_kind(reader, value, CM_JSON_ARRAY, "notes");
    for (uint32_t i = 0; cm_reader_ok(reader) && i < cm_json_count(value); i++)
        cm_read_string(reader, cm_json_at(value, i, NULL), "a note");
}

/* Reads the top level of a machine description. The key "format" is checked first, so that a file
 * of another kind gets an error about its format. */
static void read_top(struct cm_reader *reader, struct cm_json root, struct cm_config *config)
{
    static const char *const others[] = {"$schema", "format", "name", "clock_hz", "notes"};
    const char *names[CM_CONFIG_KEY_COUNT + sizeof others / sizeof others[0]];
    uint32_t count = list_sections(names);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        names[count++] = others[i];
    cm_read_kind(reader, root, CM_JSON_OBJECT, "a machine description");
    read_format(reader, root);
    cm_read_keys(reader, root, "a machine description", names, count);
    read_name(reader, root, config);
    read_remarks(reader, root);
    read_numbers(reader, root, "", config);
}

static enum cm_status check_ranges(const struct cm_config *config, unsigned *at,
                                   struct cm_error *err)
{
    for (unsigned i = 0; i < KEY_COUNT; i++) {
        uint64_t value = get(config, i);
        if (value < keys[i].min || value > keys[i].max) {
            *at = i;
            cm_error_set(err, CM_BAD_INPUT, "%s is %" PRIu64 ", out of range", keys[i].path, value);
            hint_key(err, i);
            return CM_BAD_INPUT;
        }
    }
    return CM_OK;
}

/* Adds advice to the error about a rule between several keys. */
static enum cm_status hint_rule(struct cm_error *err, const char *hint)
{
    cm_error_hint(err, "%s", hint);
    return CM_BAD_INPUT;
}

/* Checks the range of every number, then the rules between keys. After a failure *at is the key at
 * fault, so that the error can get its position. */
static enum cm_status check_rules(const struct cm_config *c, unsigned *at, struct cm_error *err)
{
    uint64_t slots = c->transposer_slots, refresh = c->memory_refresh_cycles;
    if (check_ranges(c, at, err) != CM_OK)
        return CM_BAD_INPUT;
    *at = CM_CONFIG_transposer_slots;
    if ((slots & (slots - 1)) != 0) {
        cm_error_set(err, CM_BAD_INPUT,
                     "transposer.slots is %" PRIu64 ", which is not a power of two", slots);
        return hint_rule(err, "the CM-200 has 32");
    }
    if (slots / 2 < c->network_dimensions + 1) {
        cm_error_set(err, CM_BAD_INPUT,
                     "transposer.slots is %" PRIu64 ": too few for %" PRIu32 " cube dimensions",
                     slots, c->network_dimensions);
        return hint_rule(err, "each half of the slots needs one for the sister chip and one for "
                              "each dimension: slots / 2 >= dimensions + 1");
    }
    *at = CM_CONFIG_memory_heap_base_words;
    if (c->memory_heap_base_words >= c->memory_words) {
        cm_error_set(err, CM_BAD_INPUT,
                     "memory.heap_base_words is %" PRIu64 ", beyond the node's memory of %" PRIu64
                     " words",
                     c->memory_heap_base_words, c->memory_words);
        return hint_rule(err, "the heap must begin inside memory: heap_base_words < words");
    }
    *at = CM_CONFIG_memory_refresh_cycles;
    if (refresh >= c->memory_refresh_interval_cycles &&
        (refresh != 0 || c->memory_refresh_interval_cycles != 0)) {
        cm_error_set(err, CM_BAD_INPUT,
                     "memory.refresh_cycles is %" PRIu64
                     ", not shorter than its interval of %" PRIu64 " cycles",
                     refresh, c->memory_refresh_interval_cycles);
        return hint_rule(err, "a memory without refresh has both at 0");
    }
    return CM_OK;
}

enum cm_status cm_config_check(const struct cm_config *config, struct cm_error *err)
{
    unsigned at;
    return check_rules(config, &at, err);
}

/* Adds the position of the key at fault to the error that check_rules has made. */
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
    struct cm_config read = {0};
    struct cm_reader reader = cm_reader_make(err);
    const char *sections[CM_CONFIG_KEY_COUNT];
    uint32_t section_count = list_sections(sections);
    unsigned at;
    read_top(&reader, root, &read);
    for (uint32_t i = 0; i < section_count; i++)
        read_section(&reader, root, sections[i], &read);
    if (!cm_reader_ok(&reader))
        return reader.status;
    if (check_rules(&read, &at, err) != CM_OK)
        return place_error(root, at, err);
    *config = read;
    return CM_OK;
}

static const struct cm_known_machine *find_known(const char *name)
{
    for (uint32_t i = 0; i < cm_known_machine_count; i++)
        if (strcmp(cm_known_machines[i].name, name) == 0)
            return &cm_known_machines[i];
    return NULL;
}

bool cm_config_is_known(const char *name)
{
    return find_known(name) != NULL;
}

/* Adds the names of the known machines as a hint to the error about a missing file, if the file's
 * name has no folder and no suffix. */
static enum cm_status hint_names(const char *name, enum cm_status status, struct cm_error *err)
{
    char names[256] = "";
    size_t used = 0;
    if (status != CM_IO || strpbrk(name, "./") != NULL)
        return status;
    for (uint32_t i = 0; i < cm_known_machine_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 cm_known_machines[i].name);
    cm_error_hint(err, "machines with a name are %s", names);
    return status;
}

enum cm_status cm_config_read(const char *name, struct cm_config *config, struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    const struct cm_known_machine *known = find_known(name);
    enum cm_status status =
        known != NULL ? cm_json_parse(known->name, known->text, known->length, &document, err)
                      : hint_names(name, cm_json_read(name, &document, err), err);
    if (status == CM_OK)
        status = cm_config_parse(cm_json_root(document), config, err);
    cm_json_destroy(document);
    return status;
}

/* Returns the path of the key that the user probably meant. If only the section is missing, as in
 * "page_words", returns the path of this key. Otherwise returns the most similar path. */
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
    char section[PATH_BYTES];
    const char *near = nearest_path(path);
    if (near != NULL)
        return cm_error_set(err, CM_BAD_INPUT,
                            "--set %.200s: unknown key \"%s\"; did you mean \"%s\"?", assignment,
                            path, near);
    cm_error_set(err, CM_BAD_INPUT, "--set %.200s: unknown key \"%s\"", assignment, path);
    snprintf(section, sizeof section, "%.*s", (int)strcspn(path, "."), path);
    uint32_t count = list_keys(section, names);
    if (count > 0) {
        join(list, sizeof list, names, count);
        return cm_error_hint(err, "the keys of %s are: %s", section, list);
    }
    join(list, sizeof list, names, list_sections(names));
    return cm_error_hint(err, "a key is clock_hz or SECTION.KEY; the sections are: %s", list);
}

/* Parses a number in decimal digits, as in a machine file: without sign, blank, fraction, exponent
 * or leading zero. Returns false for other text. */
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
            value = UINT64_MAX; /* above the range of every key, whatever digits follow */
            continue;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

/* Finds the key of an assignment and copies its path to `path`. Returns KEY_COUNT when the key is
 * unknown. */
static unsigned find_key(const char *assignment, size_t length, char path[PATH_BYTES])
{
    unsigned key = 0;
    snprintf(path, PATH_BYTES, "%.*s", (int)(length < PATH_BYTES ? length : PATH_BYTES),
             assignment);
    while (key < KEY_COUNT && (length >= PATH_BYTES || strcmp(keys[key].path, path) != 0))
        key++;
    return key;
}

/* Writes the value of one assignment into `config`, without checking the rules between keys. */
static enum cm_status assign(struct cm_config *config, const char *assignment, struct cm_error *err)
{
    char path[PATH_BYTES];
    const char *equals = strchr(assignment, '=');
    uint64_t value;
    if (equals == NULL || equals == assignment) {
        cm_error_set(err, CM_USAGE, "--set %.200s: expected PATH=VALUE", assignment);
        return cm_error_hint(err, "for example --set memory.page_words=512");
    }
    unsigned key = find_key(assignment, (size_t)(equals - assignment), path);
    if (key == KEY_COUNT)
        return unknown_path(assignment, path, err);
    if (!parse_digits(equals + 1, &value) || value < keys[key].min || value > keys[key].max) {
        cm_error_set(err, CM_BAD_INPUT,
                     "--set %.200s: %s must be an integer from %" PRIu64 " to %" PRIu64, assignment,
                     path, keys[key].min, keys[key].max);
        if (equals[1] == '0' && equals[2] != '\0')
            return cm_error_hint(err, "write it without leading zeros");
        return cm_error_hint(err, "%s: %s", path, keys[key].what);
    }
    put(config, key, value, CM_NUMBER_SET);
    return CM_OK;
}

enum cm_status cm_config_set(struct cm_config *config, const char *const *assignments,
                             uint32_t count, struct cm_error *err)
{
    struct cm_error unread, rule;
    struct cm_config changed = *config;
    enum cm_status status = CM_OK;
    unsigned at;
    err = err != NULL ? err : &unread;
    for (uint32_t i = 0; i < count && status == CM_OK; i++)
        status = assign(&changed, assignments[i], err);
    if (status != CM_OK)
        return status;
    if (count > 0 && check_rules(&changed, &at, &rule) != CM_OK) {
        if (count == 1)
            cm_error_set(err, CM_BAD_INPUT, "--set %.200s: %s", assignments[0], rule.message);
        else
            cm_error_set(err, CM_BAD_INPUT, "--set, all %" PRIu32 " together: %s", count,
                         rule.message);
        return cm_error_hint(err, "%s", rule.hint);
    }
    *config = changed;
    return CM_OK;
}

uint32_t cm_config_count(void)
{
    return KEY_COUNT;
}

struct cm_config_number cm_config_at(const struct cm_config *config, uint32_t i)
{
    return (struct cm_config_number){
        .path = keys[i].path,
        .value = get(config, i),
        .status = i == CLOCK ? config->clock_status : config->status[i],
    };
}
