/* cm200 asm: assembly text to SRAM image. */
#include "../base/file.h"
#include "../isa/imp.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (16u * 1024u * 1024u)

/* What the text is, where it is known not to be one IMP. */
static void add_hint(const char *data, size_t length, struct cm_error *err)
{
    if (length >= 8 && memcmp(data, "CM200IMP", 8) == 0)
        cm_error_hint(err, "this is an SRAM image: cm200 disasm writes its text");
    else if (strncmp(data, "; setup 1 of ", 13) == 0 && strstr(data, "\n; setup 2 of ") != NULL)
        cm_error_hint(err, "this holds several IMPs: cm200 compile --setup N writes one of them");
}

static int assemble(const struct cli_values *values)
{
    const struct cm_imp_limits limits = CM_IMP_LIMITS_DEFAULT;
    const char *path = values->operands.items[0];
    struct cm_buffer image;
    struct cm_error err;
    struct cm_imp *imp = NULL;
    char *data = NULL;
    size_t length;
    if (values->output == NULL && isatty(STDOUT_FILENO))
        return cli_usage("asm", "an image is no text for a terminal: give -o FILE");
    memset(&err, 0, sizeof err);
    cm_buffer_init(&image);
    enum cm_status status = cm_file_read(path, TEXT_MAX_BYTES, &data, &length, &err);
    if (status == CM_OK) {
        status = cm_imp_assemble(path, data, length, &limits, &imp, &err);
        if (status != CM_OK)
            add_hint(data, length, &err);
    }
    if (status == CM_OK)
        status = cm_imp_encode(imp, &image, &err);
    int code = status == CM_OK ? cli_write_to(values->output, &image) : cli_error(&err);
    cm_imp_destroy(imp);
    cm_buffer_finish(&image);
    free(data);
    return code;
}

static const struct cli_option options[] = {
    {"output", 'o', CLI_STRING, "FILE", "write to FILE instead of the standard output",
     CLI_OPTION(output), 0, 0},
};
static const struct cli_option_set option_set = {options, 1};

const struct cli_command cli_command_asm = {
    .name = "asm",
    .summary = "assembly text to SRAM image",
    .operands = "FILE.imp",
    .operands_min = 1,
    .operands_max = 1,
    .about = "Assembles and verifies an IMP and writes its SRAM image. docs/imp.md describes both "
             "forms.",
    .examples = "  cm200 asm kernel.imp -o kernel.img\n"
                "  cm200 compile --setup 1 workload.json | cm200 asm - -o setup.img\n",
    .sets = {&option_set},
    .run = assemble,
};
