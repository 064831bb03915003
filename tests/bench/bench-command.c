/*
 * What a whole command takes, as people type it: wall time from start to exit and peak memory; and
 * what more it takes with --trace. Prints two tables; it is a benchmark and fails only when a
 * command does.
 *
 *   bench command CM200 SOURCE_ROOT FOLDER
 *
 * FOLDER: where traces are written and deleted again.
 */
#include "../harness/program.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS        20
#define ARGUMENTS_MAX 4
#define NODES         "2048"
#define PATH_BYTES    4096

/* An example and the options that it is run with. */
static const struct command {
    const char *example;
    const char *options[ARGUMENTS_MAX];
} commands[] = {
    {"five-point-pshift.json", {NULL}}, /* the 64-node example: aim under 50 ms and under 50 MB */
    {"five-point-pshift.json", {"--timing-only", NULL}},
    {"five-point-pshift.json", {"--nodes", "2048", NULL}},
    {"qcd.json", {NULL}},
    {"stencil-27.json", {NULL}},
    {"timing/rank-one-16384.json", {"--timing-only", NULL}},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

/* What is recorded, on NODES nodes and one thread. */
static const char *const recorded[] = {
    "five-point-pshift.json", "five-point-cshift.json",  "qcd.json",        "relaxation.json",
    "reshape.json",           "route-bit-reversal.json", "stencil-27.json",
};

struct measure {
    double wall_ms[ROUNDS];
    double peak_mb;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* In the child: becomes `cm200 run EXAMPLE OPTIONS`, silent on its standard output. */
static void become(const char *cm200, const char *root, const struct command *command)
{
    char program[PATH_BYTES];
    char path[PATH_BYTES];
    char run[] = "run";
    char *arguments[ARGUMENTS_MAX + 4] = {program, run, path};
    snprintf(program, sizeof program, "%s", cm200);
    snprintf(path, sizeof path, "%s/programs/examples/%s", root, command->example);
    for (size_t i = 0; i < ARGUMENTS_MAX && command->options[i]; i++)
        arguments[3 + i] = strdup(command->options[i]);
    int silent = open("/dev/null", O_WRONLY);
    if (silent < 0 || dup2(silent, STDOUT_FILENO) < 0)
        _exit(126);
    execv(program, arguments);
    _exit(127);
}

/* The peak is at least that of this program itself, about 2 MB: Linux carries it over to the
 * child. */
static int run_once(const char *cm200, const char *root, const struct command *command,
                    double *wall_ms, double *peak_mb)
{
    struct rusage usage;
    int status;
    double begin = now_ms();
    pid_t child = fork();
    if (child == 0)
        become(cm200, root, command);
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0) {
        fprintf(stderr, "cm200 run %s failed\n", command->example);
        return 0;
    }
    *wall_ms = now_ms() - begin;
    *peak_mb = 1024e-6 * (double)usage.ru_maxrss; /* counted in KiB */
    return 1;
}

static int measure_command(const char *cm200, const char *root, const struct command *command,
                           struct measure *measure)
{
    double unused;
    measure->peak_mb = 0;
    if (!run_once(cm200, root, command, &unused, &unused)) /* files into the host's cache */
        return 0;
    for (int i = 0; i < ROUNDS; i++) {
        double peak_mb;
        if (!run_once(cm200, root, command, &measure->wall_ms[i], &peak_mb))
            return 0;
        if (peak_mb > measure->peak_mb)
            measure->peak_mb = peak_mb;
    }
    qsort(measure->wall_ms, ROUNDS, sizeof *measure->wall_ms, compare_doubles);
    return 1;
}

static double median_of(double *sorted)
{
    return (sorted[ROUNDS / 2 - 1] + sorted[ROUNDS / 2]) / 2;
}

static int bench_commands(const char *cm200, const char *root)
{
    printf("cm200 run EXAMPLE, %d times each, from start to exit\n", ROUNDS);
    printf("  median ms   least    most  peak MB  example\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        struct measure measure;
        if (!measure_command(cm200, root, &commands[i], &measure))
            return 0;
        printf("  %9.2f %7.2f %7.2f %8.1f  %s", median_of(measure.wall_ms), measure.wall_ms[0],
               measure.wall_ms[ROUNDS - 1], measure.peak_mb, commands[i].example);
        for (size_t k = 0; k < ARGUMENTS_MAX && commands[i].options[k]; k++)
            printf(" %s", commands[i].options[k]);
        printf("\n");
    }
    return 1;
}

/* One example, without and with --trace by turns. */
static int bench_traced(const char *cm200, const char *root, const char *example, const char *trace)
{
    char option[PATH_BYTES];
    struct command command = {example, {"--nodes=" NODES, "--threads=1", NULL}};
    double wall_ms[2][ROUNDS], peak_mb;
    snprintf(option, sizeof option, "--trace=%s", trace);
    for (int i = -1; i < ROUNDS; i++) /* the first ones bring files into the host's cache */
        for (int traced = 0; traced < 2; traced++) {
            command.options[2] = traced ? option : NULL;
            if (!run_once(cm200, root, &command, &wall_ms[traced][i < 0 ? 0 : i], &peak_mb))
                return 0;
            if (traced)
                unlink(trace);
        }
    for (int traced = 0; traced < 2; traced++)
        qsort(wall_ms[traced], ROUNDS, sizeof **wall_ms, compare_doubles);
    double alone = median_of(wall_ms[0]), with = median_of(wall_ms[1]);
    printf("  %9.2f %10.2f %+7.1f %%  %s\n", alone, with, (with / alone - 1) * 100, example);
    return 1;
}

static int bench_recording(const char *cm200, const char *root, const char *folder)
{
    char trace[PATH_BYTES - 16];
    snprintf(trace, sizeof trace, "%s/bench-command.cmtrace", folder);
    printf("\ncm200 run EXAMPLE --nodes " NODES " --threads 1, without and with --trace, %d times "
           "each by turns, medians\n",
           ROUNDS);
    printf("   alone ms  traced ms     more  example\n");
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
        if (!bench_traced(cm200, root, recorded[i], trace))
            return 0;
    return 1;
}

CM_PROGRAM(command)
{
    if (argc != 4) {
        fprintf(stderr, "usage: bench command CM200 SOURCE_ROOT FOLDER\n");
        return 2;
    }
    return bench_commands(argv[1], argv[2]) && bench_recording(argv[1], argv[2], argv[3]) ? 0 : 1;
}
