/*
 * The machine description: every hardware number of the simulator, each with its source. It is read
 * from JSON (format "cm200-machine/1", docs/machine.md). No hardware number is written in the code.
 */
#ifndef CM_SIM_CONFIG_H
#define CM_SIM_CONFIG_H

#include "../../base/error.h"
#include "../../base/json.h"

#include <stdbool.h>

CM_BEGIN_DECLS

/* Origin of a number of the machine. */
enum cm_number_status {
    CM_NUMBER_UNMARKED, /* a plain number without a source */
    CM_NUMBER_STATED,   /* stated in a document */
    CM_NUMBER_DERIVED,  /* derived from a statement in a document */
    CM_NUMBER_FITTED,   /* fitted to published measurements */
    CM_NUMBER_ASSUMED,  /* assumed, because nothing is published */
    CM_NUMBER_SET,      /* changed by cm_config_set */
};

/* Keys of a machine description, as listed in config.def. */
enum cm_config_key {
#define CM_CONFIG(section, key, type, min, max, what) CM_CONFIG_##section##_##key,
#include "config.def"
#undef CM_CONFIG
    CM_CONFIG_KEY_COUNT
};

/* Types of the numbers, which config.def names u32 and u64. */
typedef uint32_t cm_config_u32;
typedef uint64_t cm_config_u64;

/* Machine description: a number for each key of config.def, with its status. */
struct cm_config {
    char name[64];                      /* name of the machine */
    uint64_t clock_hz;                  /* clock frequency of all nodes and the sequencer */
    enum cm_number_status clock_status; /* origin of clock_hz */
    /* One member for each line of config.def, named section_key: memory_page_words,
     * exchange_cycles, ... */
#define CM_CONFIG(section, key, type, min, max, what) cm_config_##type section##_##key;
#include "config.def"
#undef CM_CONFIG
    enum cm_number_status status[CM_CONFIG_KEY_COUNT]; /* origin of each number, by key */
};

/* Returns true if a machine is known by this name: "cm200", "cm2", and the other descriptions that
 * the library contains. */
CM_API bool cm_config_is_known(const char *name);
/* Reads a machine description: that of a known machine if `name` is its name, else that of the file
 * `name`. "cm2" is a known machine, "./cm2" is a file. Returns CM_BAD_INPUT with file, line, column
 * and a hint for any fault, or CM_IO when the file cannot be read. */
CM_API enum cm_status cm_config_read(const char *name, struct cm_config *config,
                                     struct cm_error *err);
CM_API enum cm_status cm_config_parse(struct cm_json root, struct cm_config *config,
                                      struct cm_error *err);

/*
 * Applies `count` assignments "section.key=value" (or "clock_hz=value"), as --set does. Rules
 * between keys are checked once, after the last assignment. On an error `config` stays unchanged.
 */
CM_API enum cm_status cm_config_set(struct cm_config *config, const char *const *assignments,
                                    uint32_t count, struct cm_error *err);

/* One number of a machine description, as results report it. cm_config_at returns numbers in the
 * order of the keys. */
struct cm_config_number {
    const char *path;             /* for example "memory.page_words" */
    uint64_t value;               /* value of the number */
    enum cm_number_status status; /* origin of the number */
};
CM_API uint32_t cm_config_count(void);
CM_API struct cm_config_number cm_config_at(const struct cm_config *config, uint32_t i);

/* Checks the range of every number, and rules between keys: slots are a power of two and enough for
 * the dimensions, the heap is inside memory, and a refresh is shorter than its interval. */
CM_API enum cm_status cm_config_check(const struct cm_config *config, struct cm_error *err);

CM_END_DECLS

#endif
