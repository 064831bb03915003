/* Gives access to the published numbers, which the build has put into the library. */
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
