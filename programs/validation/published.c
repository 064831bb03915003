/* Access to the published numbers and machine descriptions that the build put into the library. */
#include "published_data.h"

const char *cm_library_name(enum cm_library library)
{
    return library == CM_LIBRARY_PSHIFT ? "PSHIFT" : "CSHIFT";
}

const struct cm_published_row *cm_published_row(uint32_t i)
{
    return i < cm_published_row_count ? &cm_published_rows[i] : NULL;
}

uint32_t cm_published_count(void)
{
    return cm_published_row_count;
}

const struct cm_published_fact *cm_published_fact_at(uint32_t i)
{
    return i < cm_published_fact_count ? &cm_published_facts[i] : NULL;
}

enum cm_status cm_config_builtin(enum cm_builtin machine, struct cm_config *config,
                                 struct cm_error *err)
{
    const struct {
        const char *name, *text;
        size_t length;
    } machines[] = {
        [CM_BUILTIN_CM200] = {"cm200.json (built in)", cm_builtin_cm200, cm_builtin_cm200_length},
        [CM_BUILTIN_FIRST_FIT] = {"cm200-first-fit.json (built in)", cm_builtin_first_fit,
                                  cm_builtin_first_fit_length},
        [CM_BUILTIN_CM2] = {"cm2.json (built in)", cm_builtin_cm2, cm_builtin_cm2_length},
    };
    struct cm_json_document *document = NULL;
    if ((size_t)machine >= sizeof machines / sizeof machines[0])
        return cm_error_set(err, CM_USAGE, "there is no built-in machine %d", (int)machine);
    enum cm_status status = cm_json_parse(machines[machine].name, machines[machine].text,
                                          machines[machine].length, &document, err);
    if (status == CM_OK)
        status = cm_config_parse(cm_json_root(document), config, err);
    cm_json_destroy(document);
    return status;
}
