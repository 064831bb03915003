/* IMPs for tests of the machine: from text or built, loaded and run in one go. */
#ifndef CM_TESTS_UNIT_IMPS_H
#define CM_TESTS_UNIT_IMPS_H

#include "machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The IMP "test" of this text, whose lines count from 2. */
static inline struct cm_imp *assembled(const char *body)
{
    const size_t size = strlen(body) + 16;
    char *text = malloc(size);
    struct cm_imp_limits limits = {.slots = CM_SLOTS_MAX, .loop_depth = 16};
    struct cm_imp *imp = NULL;
    struct cm_error err;
    ck_assert_ptr_nonnull(text);
    int length = snprintf(text, size, ".imp test\n%s", body);
    enum cm_status status = cm_imp_assemble("test.imp", text, (size_t)length, &limits, &imp, &err);
    ck_assert_msg(status == CM_OK, "%u:%u: %s\n%s", err.line, err.column, err.message, text);
    free(text);
    return imp;
}

/* Loads, runs and unloads. */
static inline enum cm_status run_once(struct cm_machine *machine, const struct cm_imp *imp,
                                      const struct cm_actual *actuals, struct cm_error *err)
{
    ck_assert_msg(cm_machine_load_imp(machine, imp, err) == CM_OK, "%s", err->message);
    enum cm_status status = cm_machine_run(machine, imp, actuals, CM_ENTRY_IMP, err);
    cm_machine_unload_imp(machine, imp);
    return status;
}

/* A text without arguments that must run to its end. */
static inline void must_run(struct cm_machine *machine, const char *text)
{
    struct cm_imp *imp = assembled(text);
    struct cm_error err = {.status = CM_OK};
    ck_assert_msg(run_once(machine, imp, NULL, &err) == CM_OK, "%s\n%s", err.message, text);
    cm_imp_destroy(imp);
}

static inline struct cm_machine *machine_of(const struct cm_config *config, uint32_t nodes,
                                            uint32_t threads)
{
    struct cm_machine_options options = {.nodes = nodes, .threads = threads};
    struct cm_machine *machine = NULL;
    struct cm_error err;
    ck_assert_msg(cm_machine_create(config, &options, &machine, &err) == CM_OK, "%s", err.message);
    return machine;
}

/* Writes first + step * node to a plane. */
static inline void write_ramp(struct cm_machine *machine, uint64_t address, uint32_t first,
                              uint32_t step)
{
    uint32_t nodes = cm_machine_nodes(machine);
    uint32_t *words = malloc(nodes * sizeof *words);
    ck_assert_ptr_nonnull(words);
    for (uint32_t n = 0; n < nodes; n++)
        words[n] = first + step * n;
    ck_assert_int_eq(cm_machine_write_plane(machine, address, words, NULL), CM_OK);
    free(words);
}

static inline uint32_t word_at(const struct cm_machine *machine, uint64_t address, uint32_t node)
{
    uint32_t *words = malloc(cm_machine_nodes(machine) * sizeof *words);
    ck_assert_ptr_nonnull(words);
    ck_assert_int_eq(cm_machine_read_plane(machine, address, words, NULL), CM_OK);
    uint32_t word = words[node];
    free(words);
    return word;
}

#endif
