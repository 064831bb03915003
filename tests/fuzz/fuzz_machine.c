/*
 * Fuzzes the reader of machine descriptions: any bytes are refused with an error or give a
 * configuration that passes its own check. The text before the first NUL byte is the description,
 * what follows it a --set assignment.
 */
#include "../../base/json.h"
#include "../../sim/machine/config.h"
#include "target.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void expect(bool good)
{
    if (!good)
        abort();
}

/* A refusal says why. */
static void expect_error(enum cm_status status, const struct cm_error *err)
{
    char text[64];
    expect(status == err->status && err->message[0] != '\0');
    expect(cm_error_format(err, text, sizeof text) > 0);
}

static void assign(struct cm_config *config, const uint8_t *data, size_t size)
{
    struct cm_error err;
    char *text = malloc(size + 1);
    if (text == NULL)
        return;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    enum cm_status status = cm_config_set(config, (const char *const[]){text}, 1, &err);
    if (status != CM_OK)
        expect_error(status, &err);
    expect(cm_config_check(config, NULL) == CM_OK);
    free(text);
}

FUZZ_TARGET(fuzz_machine)
{
    struct cm_json_document *document = NULL;
    struct cm_config config;
    struct cm_error err;
    const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
    size_t length = nul != NULL ? (size_t)(nul - data) : size;
    enum cm_status status =
        cm_json_parse("machine.json", (const char *)data, length, &document, &err);
    if (status == CM_OK)
        status = cm_config_parse(cm_json_root(document), &config, &err);
    if (status != CM_OK)
        expect_error(status, &err);
    else
        assign(&config, data + length + (nul != NULL), size - length - (nul != NULL));
    cm_json_destroy(document);
    return 0;
}
