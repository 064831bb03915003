/* Machines and systems for tests: the shipped CM-200, with keys changed. The programs run in the
 * source folder. */
#ifndef CM_TESTS_UNIT_MACHINES_H
#define CM_TESTS_UNIT_MACHINES_H

#include "programs/system/system_private.h"

#include "quick_check.h"

static inline struct cm_config cm200_config(void)
{
    struct cm_config config;
    struct cm_error err;
    ck_assert_msg(cm_config_read("configs/cm200.json", &config, &err) == CM_OK, "%s", err.message);
    return config;
}

static inline struct cm_system *system_of(const struct cm_config *config, uint32_t nodes,
                                          bool timing_only)
{
    struct cm_machine_options options = {.nodes = nodes, .threads = 1, .timing_only = timing_only};
    struct cm_system *system = NULL;
    struct cm_error err;
    ck_assert_msg(cm_system_create(config, &options, &system, &err) == CM_OK, "%s", err.message);
    return system;
}

#endif
