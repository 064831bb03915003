/* The published timings and the CM-200's description, from what the build made of their files. */
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

enum cm_status cm_config_builtin(struct cm_config *config, struct cm_error *err)
{
    struct cm_json_document *document = NULL;
    enum cm_status status = cm_json_parse("cm200.json (built in)", cm_builtin_machine,
                                          cm_builtin_machine_length, &document, err);
    if (status == CM_OK)
        status = cm_config_parse(cm_json_root(document), config, err);
    cm_json_destroy(document);
    return status;
}
