/* cm200 disasm: disassembles an SRAM image. Assembling the text gives the same image. */
#include "../isa/imp.h"
#include "cli.h"

#include <string.h>

static enum cm_status disassemble(const char *path, const char *data, size_t length,
                                  struct cm_buffer *text, struct cm_error *err)
{
    /* The limits of a machine are checked when an IMP is loaded, so an image for any machine can be
     * disassembled here. */
    const struct cm_imp_limits limits = {.slots = CM_SLOTS_MAX, .loop_depth = 1024};
    struct cm_imp *imp = NULL;
    enum cm_status status = cm_imp_decode(path, data, length, &limits, &imp, err);
    if (status == CM_OK)
        cm_imp_disassemble(imp, text);
    else if (length > 0 && memchr(data, '\0', length) == NULL)
        cm_error_hint(err, "this is assembly text, not an image: cm200 asm makes an image from it");
    cm_imp_destroy(imp);
    return status;
}

static int run(const void *values)
{
    return cli_convert_file(values, disassemble);
}

const struct cli_command cli_command_disasm = {
    .syntax = {.command = "disasm",
               .operands = "FILE.img",
               .operands_min = 1,
               .operands_max = 1,
               .sets = {SHELL_SET(cli_output_options,
                                  offsetof(struct cli_convert_values, output))}},
    .summary = "turn an SRAM image into assembly text",
    .about = "Writes the assembly text of an SRAM image. Assembling it again gives the same image.",
    .examples = "  cm200 disasm kernel.img\n"
                "  cm200 disasm kernel.img -o kernel.imp\n",
    .values_size = sizeof(struct cli_convert_values),
    .run = run,
};
