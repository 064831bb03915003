/*
 * What a whole command takes, as people type it: wall time from start to exit and peak memory.
 * Prints a table; it is a benchmark and fails only when a command does.
 *
 *   bench-command CM200 SOURCE_ROOT
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS        20
#define ARGUMENTS_MAX 3
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
    char words[ARGUMENTS_MAX][32];
    char *arguments[ARGUMENTS_MAX + 4] = {program, run, path};
    snprintf(program, sizeof program, "%s", cm200);
    snprintf(path, sizeof path, "%s/programs/examples/%s", root, command->example);
    for (size_t i = 0; i < ARGUMENTS_MAX && command->options[i]; i++) {
        snprintf(words[i], sizeof words[i], "%s", command->options[i]);
        arguments[3 + i] = words[i];
    }
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

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: bench-command CM200 SOURCE_ROOT\n");
        return 2;
    }
    printf("cm200 run EXAMPLE, %d times each, from start to exit\n", ROUNDS);
    printf("  median ms   least    most  peak MB  example\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        struct measure measure;
        if (!measure_command(argv[1], argv[2], &commands[i], &measure))
            return 1;
        double median = (measure.wall_ms[ROUNDS / 2 - 1] + measure.wall_ms[ROUNDS / 2]) / 2;
        printf("  %9.2f %7.2f %7.2f %8.1f  %s", median, measure.wall_ms[0],
               measure.wall_ms[ROUNDS - 1], measure.peak_mb, commands[i].example);
        for (size_t k = 0; k < ARGUMENTS_MAX && commands[i].options[k]; k++)
            printf(" %s", commands[i].options[k]);
        printf("\n");
    }
    return 0;
}
