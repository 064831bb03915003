/* cm200 asm: assembles the text of an IMP into an SRAM image. */
#include "../isa/imp.h"
#include "cli.h"

#include <string.h>
#include <unistd.h>

/* Adds a hint to the error of a text that is not the assembly of a single IMP. */
static void add_hint(const char *data, size_t length, struct cm_error *err)
{
    if (length >= 8 && memcmp(data, "CM200IMP", 8) == 0)
        cm_error_hint(err, "this is an SRAM image: cm200 disasm writes its text");
    else if (strncmp(data, "; setup 1 of ", 13) == 0 && strstr(data, "\n; setup 2 of ") != NULL)
        cm_error_hint(err, "this holds several IMPs: cm200 compile --setup N writes one of them");
}

static enum cm_status assemble(const char *path, const char *data, size_t length,
                               struct cm_buffer *image, struct cm_error *err)
{
    const struct cm_imp_limits limits = CM_IMP_LIMITS_DEFAULT;
    struct cm_imp *imp = NULL;
    enum cm_status status = cm_imp_assemble(path, data, length, &limits, &imp, err);
    if (status != CM_OK)
        add_hint(data, length, err);
    else
        status = cm_imp_encode(imp, image, err);
    cm_imp_destroy(imp);
    return status;
}

static int run(const void *all)
{
    const struct cli_convert_values *values = all;
    if (values->output.output == NULL && isatty(STDOUT_FILENO))
        return shell_usage("asm", "an image is not text for a terminal: give -o FILE");
    return cli_convert_file(values, assemble);
}

const struct cli_command cli_command_asm = {
    .syntax = {.command = "asm",
               .operands = "FILE.imp",
               .operands_min = 1,
               .operands_max = 1,
               .sets = {SHELL_SET(cli_output_options,
                                  offsetof(struct cli_convert_values, output))}},
    .summary = "assemble a microprogram to an SRAM image",
    .about = "Assembles and verifies an IMP and writes its SRAM image. docs/imp.md describes both "
             "forms.",
    .examples = "  cm200 asm kernel.imp -o kernel.img\n"
                "  cm200 compile --setup 1 workload.json | cm200 asm - -o setup.img\n",
    .values_size = sizeof(struct cli_convert_values),
    .run = run,
};
