/* Writes the numbers of a machine description as JSON. */
#include "machine.h"

/* Writes all numbers of a machine description, or only the numbers that the user changed with
 * --set. */
static void write_numbers(struct cm_json_writer *json, const char *key,
                          const struct cm_config *config, bool changed)
{
    cm_json_write_object(json, key);
    for (uint32_t i = 0; i < cm_config_count(); i++) {
        struct cm_config_number number = cm_config_at(config, i);
        if (!changed || number.status == CM_NUMBER_SET)
            cm_json_write_u64(json, number.path, number.value);
    }
    cm_json_write_end(json);
}

void cm_json_write_machine(struct cm_json_writer *json, const struct cm_config *config)
{
    bool compact = json->compact;
    cm_json_write_compact(json, true);
    write_numbers(json, "overrides", config, true);
    cm_json_write_compact(json, compact);
    write_numbers(json, "machine_values", config, false);
}
