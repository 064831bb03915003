/*
 * What traces cost: time and bytes of recording the examples on 2,048 nodes, and the time to open
 * and question a trace of a million exchanges.
 *
 *     bench trace FOLDER WORKLOAD...
 */
#include "../../programs/workload/workload.h"
#include "../../trace/record.h"
#include "../../trace/trace.h"
#include "../harness/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS  15
#define NODES   2048u
#define QUERIES 40u

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void complain(const struct cm_error *err)
{
    char text[2048];
    cm_error_format(err, text, sizeof text);
    printf("%s\n", text);
}

/* Of the processor: other work on the host does not count. */
static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Milliseconds of a run, from laying its arrays on, on one thread, and of its recording; < 0: it
 * failed. */
static double run_once(const struct cm_workload *workload, const char *path, bool timing_only,
                       uint64_t *bytes)
{
    struct cm_error err;
    struct cm_run *run;
    struct cm_recorder *recorder = NULL;
    double begin = cpu_ms();
    struct cm_run_options options = {
        .nodes = NODES, .timing_only = timing_only, .no_check = true, .threads = 1};
    if (cm_run_create(workload, &options, &run, &err) != CM_OK) {
        complain(&err);
        return -1;
    }
    struct cm_recorder_options recording = {.path = path, .workload = "bench"};
    if (path != NULL && cm_recorder_create(cm_system_machine(cm_run_system(run)), &recording,
                                           &recorder, &err) != CM_OK)
        complain(&err);
    if (recorder != NULL)
        cm_run_observe(run, cm_recorder_observer(recorder));
    if (cm_run_execute(run, &err) != CM_OK)
        complain(&err);
    if (recorder != NULL && cm_recorder_finish(recorder, true, &err) != CM_OK)
        complain(&err);
    double elapsed = cpu_ms() - begin;
    if (recorder != NULL)
        *bytes = cm_recorder_size(recorder, NULL);
    cm_recorder_destroy(recorder);
    cm_run_destroy(run);
    return elapsed;
}

static void bench_recording(const char *path, const char *trace)
{
    struct cm_workload *workload;
    struct cm_error err;
    double alone[ROUNDS], recorded[ROUNDS];
    uint64_t bytes = 0;
    const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    if (cm_workload_read(path, &workload, &err) != CM_OK) {
        complain(&err);
        return;
    }
    for (int i = 0; i < ROUNDS; i++) {
        unlink(trace);
        alone[i] = run_once(workload, NULL, false, &bytes);
        recorded[i] = run_once(workload, trace, false, &bytes);
        if (alone[i] < 0)
            break;
    }
    double a = median(alone, ROUNDS), b = median(recorded, ROUNDS);
    printf("%9.2f %9.2f %+8.1f %% %11.3f  %s\n", a, b, (b / a - 1) * 100, (double)bytes / 1e6,
           name);
    cm_workload_destroy(workload);
}

struct question {
    const char *name;
    double worst;
};

static void ask(struct question *question, double begin)
{
    double elapsed = now_ms() - begin;
    question->worst = elapsed > question->worst ? elapsed : question->worst;
}

static void bench_questions(const struct cm_trace *trace)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    size_t channels = (size_t)info->nodes * info->dimensions * info->channels;
    uint64_t *busy = calloc(channels, sizeof *busy);
    struct cm_trace_use *use = calloc((size_t)info->dimensions * 1280, sizeof *use);
    struct question questions[] = {{"an event", 0},      {"100 events on", 0}, {"causes", 0},
                                   {"phases", 0},        {"all channels", 0},  {"1280 columns", 0},
                                   {"next exchange", 0}, {"open page", 0}};
    uint64_t state = 1;
    for (uint32_t q = 0; q < QUERIES; q++) {
        uint64_t causes[CM_CAUSE_COUNT], phases[CM_TRACE_PHASE_COUNT], at[2];
        struct cm_trace_event event;
        for (int i = 0; i < 2; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            at[i] = (state >> 8) % info->cycles;
        }
        uint64_t first = q == 0 ? 0 : at[0] < at[1] ? at[0] : at[1];
        uint64_t end = q == 0 ? info->cycles : at[0] < at[1] ? at[1] : at[0];
        if (q % 3 == 2)
            end = first + (end - first) / 4096; /* a narrow one */
        double begin = now_ms();
        struct cm_trace_cursor cursor = cm_trace_seek(trace, first);
        cm_trace_next(&cursor, &event);
        ask(&questions[0], begin);
        begin = now_ms();
        for (int i = 0; i < 100; i++)
            cm_trace_next(&cursor, &event);
        ask(&questions[1], begin);
        begin = now_ms();
        cm_trace_by_cause(trace, first, end, causes);
        ask(&questions[2], begin);
        begin = now_ms();
        cm_trace_by_phase(trace, first, end, phases);
        ask(&questions[3], begin);
        begin = now_ms();
        cm_trace_channel_busy(trace, first, end, busy);
        ask(&questions[4], begin);
        begin = now_ms();
        cm_trace_dimension_use(trace, first, end, 1280, use);
        ask(&questions[5], begin);
        begin = now_ms();
        cm_trace_find_exchange(trace, first, 1);
        ask(&questions[6], begin);
        begin = now_ms();
        cm_trace_open_page(trace, first);
        ask(&questions[7], begin);
    }
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        printf("  %-14s %8.2f ms at most (bar: 50 ms)\n", questions[i].name, questions[i].worst);
    free(busy);
    free(use);
}

static void bench_reading(const char *title, const char *text, const char *path)
{
    struct cm_workload *workload;
    struct cm_trace *trace;
    struct cm_error err;
    uint64_t bytes = 0;
    double opening[5];
    if (cm_workload_parse("bench.json", text, strlen(text), &workload, &err) != CM_OK) {
        complain(&err);
        return;
    }
    double alone = run_once(workload, NULL, true, &bytes);
    double recorded = run_once(workload, path, true, &bytes);
    for (int i = 0; i < 5; i++) {
        double begin = now_ms();
        if (cm_trace_open(path, &trace, &err) != CM_OK) {
            complain(&err);
            cm_workload_destroy(workload);
            return;
        }
        opening[i] = now_ms() - begin;
        if (i < 4)
            cm_trace_close(trace);
    }
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_trace_cursor cursor = cm_trace_seek_event(trace, UINT64_MAX);
    struct cm_trace_event event;
    cm_trace_previous(&cursor, &event);
    printf("\n%s: %" PRIu64 " exchanges, %" PRIu64 " events, %" PRIu64
           " packets, %.1f MB; timing only %.0f ms, recorded %.0f ms\n",
           title, info->exchanges, event.number + 1, info->packets, (double)bytes / 1e6, alone,
           recorded);
    printf("  %-14s %8.2f ms (bar: 1000 ms)\n", "opening", median(opening, 5));
    bench_questions(trace);
    cm_trace_close(trace);
    cm_workload_destroy(workload);
}

#define HEAD                                                                                       \
    "{ \"format\": \"cm200-workload/1\", \"name\": \"bench\", \"machine\": "                       \
    "\"configs/cm200.json\", \"nodes\": 2048, "

CM_PROGRAM(trace)
{
    char path[1024];
    if (argc < 2)
        return 2;
    snprintf(path, sizeof path, "%s/bench.trace", argv[1]);
    printf("recording, 2048 nodes, data moving; median of %d\n", ROUNDS);
    printf(" alone ms  traced ms     more    trace MB  example\n");
    for (int i = 2; i < argc; i++)
        bench_recording(argv[i], path);
    bench_reading("PSHIFTs in one dimension",
                  HEAD "\"arrays\": { \"a\": { \"shape\": [8388608], \"type\": \"real64\" }, "
                       "\"b\": { \"like\": \"a\" }, \"c\": { \"like\": \"a\" } }, \"steps\": [ "
                       "{ \"repeat\": { \"times\": 982, \"steps\": [ { \"pshift\": [ "
                       "{ \"type\": \"cshift\", \"dst\": \"b\", \"src\": \"a\", \"dim\": 1, "
                       "\"distance\": 1020 }, { \"type\": \"cshift\", \"dst\": \"c\", \"src\": "
                       "\"a\", \"dim\": 1, \"distance\": -1020 } ] } ] } } ] }",
                  path);
    bench_reading("random traffic",
                  HEAD "\"arrays\": {}, \"steps\": [ { \"route\": { \"pattern\": \"random\", "
                       "\"rate\": 0.9, \"words\": 8, \"warmup\": 100, \"measure\": 2000 } } ] }",
                  path);
    unlink(path);
    return 0;
}
