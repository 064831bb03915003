/* cm200 disasm: SRAM image to assembly text; assembling that gives the same image. */
#include "../base/file.h"
#include "../isa/imp.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define IMAGE_MAX_BYTES (16u * 1024u * 1024u)

static int disassemble(const struct cli_values *values)
{
    /* What a machine allows is checked when an IMP is loaded; an image of any machine can be
     * read. */
    const struct cm_imp_limits limits = {.slots = CM_SLOTS_MAX, .loop_depth = 1024};
    const char *path = values->operands.items[0];
    struct cm_buffer text;
    struct cm_error err;
    struct cm_imp *imp = NULL;
    char *data = NULL;
    size_t length;
    memset(&err, 0, sizeof err);
    cm_buffer_init(&text);
    enum cm_status status = cm_file_read(path, IMAGE_MAX_BYTES, &data, &length, &err);
    if (status == CM_OK) {
        status = cm_imp_decode(path, data, length, &limits, &imp, &err);
        if (status != CM_OK && length > 0 && memchr(data, '\0', length) == NULL)
            cm_error_hint(&err, "assembly text is no image yet: cm200 asm makes one of it");
    }
    if (status == CM_OK)
        cm_imp_disassemble(imp, &text);
    int code = status == CM_OK ? cli_write_to(values->output, &text) : cli_error(&err);
    cm_imp_destroy(imp);
    cm_buffer_finish(&text);
    free(data);
    return code;
}

static const struct cli_option options[] = {
    {"output", 'o', CLI_STRING, "FILE", "write to FILE instead of the standard output",
     CLI_OPTION(output), 0, 0},
};
static const struct cli_option_set option_set = {options, 1};

const struct cli_command cli_command_disasm = {
    .name = "disasm",
    .summary = "SRAM image to assembly text",
    .operands = "FILE.img",
    .operands_min = 1,
    .operands_max = 1,
    .about = "Writes the assembly text of an SRAM image. Assembling it again gives the same image.",
    .examples = "  cm200 disasm kernel.img\n"
                "  cm200 disasm kernel.img -o kernel.imp\n",
    .sets = {&option_set},
    .run = disassemble,
};
