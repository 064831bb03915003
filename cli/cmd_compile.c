/* cm200 compile: prints the IMPs of a workload's PSHIFT setups, stencils, reductions, scans and
 * spreads as assembly, or the IMP of one setup as an SRAM image. Lists the IMPs of a CM Fortran
 * program, or writes the program as standard Fortran. */
#include "../base/file.h"
#include "../fortran/check/program.h"
#include "../fortran/source/parse.h"
#include "../fortran/write/write.h"
#include "../isa/imp.h"
#include "../programs/workload/steps/pshift.h"
#include "../report/numbers.h"
#include "cli.h"
#include "program/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct compile_values {
    struct shell_values common;
    struct cli_machine_values machine;
    struct cli_param_values param;
    struct cli_output_values output;
    bool image;
    uint64_t setup;
    const char *to;
    struct cli_program_values program;
};

static void append_shifts(struct cm_buffer *text, struct cm_run *run,
                          const struct cm_step_pshift_setup *setup)
{
    const struct cm_pshift_pattern *patterns = setup->patterns;
    for (uint32_t i = 0; i < setup->count; i++) {
        const char *reason = cm_pshift_reason(cm_run_system(run), setup->id, i);
        cm_buffer_printf(text, "; shift %" PRIu32 ": %s, dim %" PRIu32 ", distance %" PRId64, i + 1,
                         cm_shift_type_name(patterns[i].type), patterns[i].axis + 1,
                         patterns[i].distance);
        if (reason != NULL)
            cm_buffer_printf(text, "; by the run-time library: %s", reason);
        cm_buffer_printf(text, "\n");
    }
}

/* Reports that the PSHIFT setup which the user chose by its number has no IMP. */
static enum cm_status refuse_setup(struct cm_run *run, uint32_t index, int id, struct cm_error *err)
{
    const char *reason = cm_pshift_reason(cm_run_system(run), id, 0);
    cm_error_set(err, CM_BAD_INPUT,
                 "setup %" PRIu32 " has no IMP: every shift goes to the run-time library",
                 index + 1);
    return cm_error_hint(err, "shift 1: %s", reason != NULL ? reason : "");
}

/* Appends the IMP of a PSHIFT setup as assembly or as an SRAM image. A setup that the user chose
 * must have an IMP. */
static enum cm_status append_setup(struct cm_buffer *text, struct cm_run *run, uint32_t index,
                                   const struct compile_values *values, struct cm_error *err)
{
    struct cm_pshift_info info;
    const struct cm_step_pshift_setup setup = cm_step_pshift_setup_at(run, index);
    enum cm_status status = cm_pshift_info(cm_run_system(run), setup.id, &info, err);
    if (status != CM_OK)
        return status;
    if ((values->setup > 0 || values->image) && info.imp == NULL)
        return refuse_setup(run, index, setup.id, err);
    if (values->image)
        return cm_imp_encode(info.imp, text, err);
    cm_buffer_printf(text, "%s; setup %" PRIu32 " of %" PRIu32 ", for %s\n",
                     text->length ? "\n" : "", index + 1, cm_step_pshift_setup_count(run),
                     setup.title);
    if (info.imp != NULL)
        cm_buffer_printf(text,
                         "; %s, %" PRIu64 " exchange%s a call, %" PRIu64 " word%s of SRAM, %" PRIu64
                         " word%s of tables in each node\n",
                         info.unrolled ? "unrolled" : "looped", info.exchanges,
                         cm_plural(info.exchanges), info.sram_words, cm_plural(info.sram_words),
                         info.table_words, cm_plural(info.table_words));
    append_shifts(text, run, &setup);
    if (info.imp != NULL)
        cm_imp_disassemble(info.imp, text);
    else
        cm_buffer_printf(text, "; no IMP: every shift goes to the run-time library\n");
    return CM_OK;
}

/* Chooses the PSHIFT setups to print, by numbers from 0: from *first to before *last. */
static int choose(const struct compile_values *values, const struct cm_run *run, uint32_t *first,
                  uint32_t *last)
{
    uint32_t count = cm_step_pshift_setup_count(run);
    *first = 0;
    *last = count;
    if (values->setup > count)
        return shell_usage("compile",
                           "--setup is %" PRIu64 ", but the workload has %" PRIu32 " setup%s",
                           values->setup, count, cm_plural(count));
    if (values->setup > 0) {
        *first = (uint32_t)values->setup - 1;
        *last = *first + 1;
    }
    if (values->image && *last - *first != 1)
        return shell_usage("compile", "--image holds one setup, but the workload has %" PRIu32 "%s",
                           count, count > 1 ? "; choose one with --setup" : "");
    return 0;
}

/* Appends the IMPs of workload steps that have no PSHIFT setup. */
static void append_steps(struct cm_buffer *text, const struct cm_run *run)
{
    for (uint32_t step = 0; step < cm_run_step_count(run); step++) {
        const char *op, *where;
        const struct cm_imp *imp = cm_run_step_imp(run, step, 0, &op, &where);
        for (uint32_t i = 1; imp != NULL; i++) {
            cm_buffer_printf(text, "%s; %s %s, IMP %" PRIu32 "\n", text->length ? "\n" : "", op,
                             where, i);
            cm_imp_disassemble(imp, text);
            imp = cm_run_step_imp(run, step, i, &op, &where);
        }
    }
}

static int emit(const struct compile_values *values, struct cm_run *run, uint32_t first,
                uint32_t last)
{
    struct cm_buffer text;
    struct cm_error err = {0};
    enum cm_status status = CM_OK;
    cm_buffer_init(&text);
    for (uint32_t i = first; status == CM_OK && i < last; i++)
        status = append_setup(&text, run, i, values, &err);
    if (values->setup == 0 && !values->image)
        append_steps(&text, run);
    if (status == CM_OK && text.length == 0)
        cm_buffer_printf(&text, "; no step of this workload is compiled to an IMP that is kept\n");
    return shell_deliver(values->output.output, &text, status, &err);
}

/* ---- CM Fortran ---- */

/* Prints the compiler's warning about a program. The translation is written even if the program is
 * wrong. */
static void warn(const struct cm_write_options *options, const struct cm_syntax *tree,
                 const struct cm_source *source)
{
    const struct cm_fortran_options check = {.shift_order = options->order};
    struct cm_messages messages;
    cm_messages_init(&messages, source);
    cm_fortran_program_destroy(cm_fortran_check(tree, source, &check, &messages));
    cli_show_warning(&messages);
    cm_messages_finish(&messages);
}

static enum cm_status write_fortran(const struct cm_write_options *options,
                                    const struct compile_values *values, struct cm_buffer *text,
                                    struct cm_error *err)
{
    const char *path = values->common.operands.items[0];
    const struct cm_syntax_reader reader = {.line_length = (uint32_t)values->program.line_length};
    struct cm_source *source = NULL;
    struct cm_messages messages = {0};
    struct cm_syntax *tree = NULL;
    char *data = NULL;
    size_t length;
    enum cm_status status = cm_file_read(path, CM_FORTRAN_MAX_BYTES, &data, &length, err);
    if (status != CM_OK)
        return status;
    status = cm_syntax_parse(&(struct cm_file_text){path, data, length}, &reader, &source,
                             &messages, &tree);
    if (status == CM_OK && !options->is_tree)
        warn(options, tree, source);
    if (status == CM_OK)
        status = cm_syntax_write(tree, source, options, text, &messages);
    if (status != CM_OK && (messages.count > 0 || status == CM_NO_MEMORY))
        status = cli_last_message(&messages, status, err);
    cm_syntax_destroy(tree);
    cm_messages_finish(&messages);
    cm_source_destroy(source);
    free(data);
    return status;
}

/* Reads the options --to and --cshift-order. Returns an exit code. */
static int write_options(const struct compile_values *values, struct cm_write_options *options)
{
    const char *to = values->to, *order = values->program.order;
    if (strcmp(to, "fortran") != 0 && strcmp(to, "tree") != 0)
        return shell_usage("compile", "--to is fortran or tree, not %s", shell_shown(to).text);
    if (!cm_shift_order_read(order, &options->order))
        return shell_usage("compile", "--cshift-order is cm or f90, not %s",
                           shell_shown(order).text);
    options->is_tree = strcmp(to, "tree") == 0;
    return 0;
}

static int compile_fortran(const struct compile_values *values)
{
    struct cm_write_options options = {0};
    struct cm_buffer text, shown;
    struct cm_error err = {0};
    if (CM_FOR_A_PAGE)
        return shell_usage("compile", "the program in a web page cannot write Fortran");
    int code = write_options(values, &options);
    if (code != 0)
        return code;
    cm_buffer_init(&text);
    enum cm_status status = write_fortran(&options, values, &text, &err);
    if (shell_names_file(values->output.output))
        return shell_deliver(values->output.output, &text, status, &err);
    cm_buffer_init(&shown);
    shell_add_foreign(&shown, text.data, text.length);
    shown.failed = shown.failed || !cm_buffer_ok(&text);
    cm_buffer_finish(&text);
    return shell_deliver(NULL, &shown, status, &err);
}

/* Lists the IMPs of a CM Fortran program, or translates the program into standard Fortran. */
static int compile_program(const struct compile_values *values)
{
    if (values->image || values->setup > 0)
        return shell_usage("compile", "--image and --setup are for workloads");
    if (values->to == NULL)
        return cli_list_program(&values->common, &values->machine, &values->param, &values->program,
                                values->output.output);
    if (values->param.params.count > 0)
        return shell_usage("compile", "--param has no effect with --to, which writes the source");
    return compile_fortran(values);
}

static int compile(const void *all)
{
    const struct compile_values *values = all;
    struct cm_workload *workload = NULL;
    struct cm_run *run = NULL;
    uint32_t first, last;
    if (cm_fortran_is_source_name(values->common.operands.items[0]))
        return compile_program(values);
    if (values->to != NULL || values->program.order != NULL)
        return shell_usage("compile", "--to and --cshift-order are for CM Fortran programs");
    if (values->image && values->output.output == NULL)
        return shell_usage("compile", "--image needs -o FILE: an image is not text");
    int code =
        cli_prepare_timing_only(&values->common, &values->machine, &values->param, &workload, &run);
    if (code == 0)
        code = choose(values, run, &first, &last);
    if (code == 0)
        code = emit(values, run, first, last);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return code;
}

#define OPTION(member) offsetof(struct compile_values, member)

static const struct shell_option options[] = {
    {"image", SHELL_FLAG, OPTION(image), .help = "write an SRAM image instead of text (needs -o)"},
    {"setup", SHELL_NUMBER, OPTION(setup), .argument = "N", .min = 1, .max = UINT32_MAX,
     .help = "only setup N, counted from 1"},
    {"to", SHELL_STRING, OPTION(to), .argument = "FORM",
     .help = "a CM Fortran program as fortran (standard Fortran 90), or as tree (as it was read)"},
    {"cshift-order", SHELL_STRING, OPTION(program.order), .argument = "ORDER",
     .help = "CSHIFT(A, 1, -1) is (array, dim, shift): cm; or (array, shift, dim): f90, the "
             "default in .f90, .f95, .f03 and .f08"},
    {"optimize", SHELL_NUMBER, OPTION(program.level), .letter = 'O', .argument = "LEVEL", .max = 2,
     .help = "of a CM Fortran program, as in cm200 run"},
    {"line-length", SHELL_NUMBER, OPTION(program.line_length), .argument = "N",
     .min = CM_FORTRAN_LINE_LENGTH, .max = CM_FORTRAN_LINE_LENGTH_MAX,
     .help = "last column of statements in fixed form, 72 by default"},
    {"max-cycles", SHELL_NUMBER, OPTION(program.max_cycles), .argument = "N", .min = 1,
     .max = UINT64_C(1) << 62, .help = "stop a CM Fortran program that takes more"},
};

const struct cli_command cli_command_compile = {
    .syntax = {.command = "compile",
               .operands = "FILE",
               .operands_min = 1,
               .operands_max = 1,
               .sets = {SHELL_SET(cli_output_options, OPTION(output)), SHELL_SET(options, 0),
                        SHELL_SET(cli_machine_options, OPTION(machine)),
                        SHELL_SET(cli_param_options, offsetof(struct compile_values, param))}},
    .summary = "print a workload's microprograms (IMPs), or a program as Fortran 90",
    .about =
        "Prints the microprogram of each PSHIFT setup as assembly text. Comments above it "
        "list the steps that use it, its exchanges and its size, and which shifts go to the "
        "run-time library and why. Those of stencils, reductions, scans and spreads follow, by "
        "step; they are not setups, so --setup and --image leave them out. A CM Fortran program "
        "(" CM_FORTRAN_SUFFIXES
        ") is run once, because what a line is compiled to depends on shapes and "
        "layouts that are known then; the lines that start something on the machine are printed "
        "with their IMPs, each shown once, and with the cycles of their calls of the run-time "
        "library. With --to it is not run, but printed as standard Fortran 90 in one file, which "
        "a module for the machine's libraries makes complete, or as the tree that was read, with "
        "brackets around every operation.",
    .examples = "  cm200 compile programs/examples/five-point-pshift.json\n"
                "  cm200 compile --setup 2 -o second.imp workload.json\n"
                "  cm200 compile --image -o setup.img workload.json\n"
                "  cm200 compile -O1 --nodes 64 programs/examples/fortran/five-point.fcm\n"
                "  cm200 compile --to fortran -o jacobi.f90 jacobi.fcm\n",
    .values_size = sizeof(struct compile_values),
    .run = compile,
};
