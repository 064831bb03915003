/*
 * The machine description: every hardware number of the simulator, each with its source. It is read
 * from JSON (format "cm200-machine/1", docs/machine.md); no hardware number is written in the code.
 */
#ifndef CM_SIM_CONFIG_H
#define CM_SIM_CONFIG_H

#include "../../base/error.h"
#include "../../base/json.h"

#include <stdbool.h>

CM_BEGIN_DECLS

/* Where a number of the machine is from. */
enum cm_number_status {
    CM_NUMBER_UNMARKED, /* a plain number */
    CM_NUMBER_STATED,   /* a document says it */
    CM_NUMBER_DERIVED,  /* it follows from what a document says */
    CM_NUMBER_FITTED,   /* it was fitted to published measurements */
    CM_NUMBER_ASSUMED,  /* nothing is published; the value is ours */
    CM_NUMBER_SET,      /* changed by cm_config_set */
};

/* The keys, as config.def lists them. */
enum cm_config_key {
#define CM_CONFIG(section, key, type, min, max, what) CM_CONFIG_##section##_##key,
#include "config.def"
#undef CM_CONFIG
    CM_CONFIG_KEY_COUNT
};

/* The type tags of config.def. */
typedef uint32_t cm_config_u32;
typedef uint64_t cm_config_u64;

/* The machine: a number for each key of config.def, with its status. */
struct cm_config {
    char name[64];                      /* of the machine */
    uint64_t clock_hz;                  /* of all nodes and the sequencer */
    enum cm_number_status clock_status; /* where clock_hz is from */
    /* One member per line of config.def, named section_key: memory_page_words, exchange_cycles,
     * ... */
#define CM_CONFIG(section, key, type, min, max, what) cm_config_##type section##_##key;
#include "config.def"
#undef CM_CONFIG
    enum cm_number_status status[CM_CONFIG_KEY_COUNT]; /* where each number is from, by key */
};

/* Reads a machine description. CM_BAD_INPUT with file, line, column and a hint for any fault; CM_IO
 * when the file cannot be read. */
CM_API enum cm_status cm_config_read(const char *path, struct cm_config *config,
                                     struct cm_error *err);
CM_API enum cm_status cm_config_parse(struct cm_json root, struct cm_config *config,
                                      struct cm_error *err);

/* Applies `count` assignments "section.key=value" (or "clock_hz=value"), as --set does. The rules
 * between keys are judged once, after the last one; on an error `config` stays as it was. */
CM_API enum cm_status cm_config_set(struct cm_config *config, const char *const *assignments,
                                    uint32_t count, struct cm_error *err);

/* The numbers of a description, in the order of its keys: what a result says of its machine. */
struct cm_config_number {
    const char *path;             /* "memory.page_words" */
    uint64_t value;               /* the number */
    enum cm_number_status status; /* where it is from */
};
CM_API uint32_t cm_config_count(void);
CM_API struct cm_config_number cm_config_at(const struct cm_config *config, uint32_t i);

/* Rules between keys: slots a power of two and enough for the dimensions, heap inside memory,
 * refresh shorter than its interval. */
CM_API enum cm_status cm_config_check(const struct cm_config *config, struct cm_error *err);

CM_END_DECLS

#endif
