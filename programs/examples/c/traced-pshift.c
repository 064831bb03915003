/*
 * Four shifts of a 64 x 64 array in one PSHIFT, called from a program of your own: checks the data,
 * records a trace, and reads it again.
 *
 * Build: cc traced-pshift.c $(pkg-config --cflags --libs cm200) -o traced-pshift
 * Run:   ./traced-pshift FILE.trace, then cm200-view FILE.trace
 */
#include <cm200/cm200.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 64, SIDE = 64, SHIFTS = 4 };

static const struct cm_pshift_pattern patterns[SHIFTS] = {
    {CM_SHIFT_CSHIFT, 0, -1},
    {CM_SHIFT_CSHIFT, 1, 1},
    {CM_SHIFT_CSHIFT, 1, -1},
    {CM_SHIFT_CSHIFT, 0, 1},
};

struct program {
    struct cm_system *system;
    struct cm_recorder *recorder;
    struct cm_layout layout;
    struct cm_array *src, *dst[SHIFTS];
    double given[SIDE][SIDE], got[SIDE][SIDE]; /* [second index][first index] */
};

/* Makes the machine, an array with values, and four arrays for the results. */
static enum cm_status place(struct program *p, struct cm_error *err)
{
    static const char *const names[SHIFTS] = {"n", "e", "w", "s"};
    const struct cm_machine_options options = {.nodes = NODES};
    const struct cm_layout_request request = {
        .type = CM_TYPE_REAL64, .rank = 2, .shape = {SIDE, SIDE}, .weights = {1, 1}};
    struct cm_config config;
    for (int i = 0; i < SIDE * SIDE; i++)
        p->given[i / SIDE][i % SIDE] = i;
    enum cm_status status = cm_config_read("cm200", &config, err);
    if (status == CM_OK)
        status = cm_system_create(&config, &options, &p->system, err);
    if (status == CM_OK)
        status = cm_layout_create(&request, NODES, &p->layout, err);
    if (status == CM_OK)
        status = cm_array_create(p->system, "src", &p->layout, &p->src, err);
    for (int i = 0; i < SHIFTS && status == CM_OK; i++)
        status = cm_array_create(p->system, names[i], &p->layout, &p->dst[i], err);
    if (status == CM_OK)
        status = cm_array_scatter(p->system, p->src, p->given, err);
    return status;
}

/* Begins the trace. From here on the trace records what the machine does, and where the
 * arrays are. */
static enum cm_status record(struct program *p, const char *path, struct cm_error *err)
{
    const struct cm_recorder_options options = {.path = path, .workload = "traced-pshift"};
    struct cm_machine *machine = cm_system_machine(p->system);
    enum cm_status status = cm_recorder_create(machine, &options, &p->recorder, err);
    if (status != CM_OK)
        return status;
    cm_machine_observe(machine, cm_recorder_observer(p->recorder));
    cm_array_report(p->system, p->src, 0);
    for (uint32_t i = 0; i < SHIFTS; i++)
        cm_array_report(p->system, p->dst[i], i + 1);
    return CM_OK;
}

static enum cm_status shift(struct program *p, struct cm_error *err)
{
    struct cm_shift shifts[SHIFTS];
    int id;
    enum cm_status status = cm_pshift_setup(
        p->system, &(struct cm_pshift_request){CM_SETUP_AUTO, &p->layout, patterns, SHIFTS}, &id,
        err);
    if (status != CM_OK)
        return status;
    for (int i = 0; i < SHIFTS; i++)
        shifts[i] = (struct cm_shift){.type = patterns[i].type,
                                      .axis = patterns[i].axis,
                                      .distance = patterns[i].distance,
                                      .dst = p->dst[i],
                                      .src = p->src};
    cm_machine_step_begins(cm_system_machine(p->system), "pshift", "/steps/0");
    status = cm_pshift_call(p->system, id, shifts, SHIFTS, err);
    cm_machine_step_ends(cm_system_machine(p->system));
    return status;
}

/* Compares the results with dst(i) = src(i + distance), circularly, in plain loops over host
 * arrays. */
static enum cm_status check(struct program *p, struct cm_error *err)
{
    enum cm_status status = CM_OK;
    for (int s = 0; s < SHIFTS && status == CM_OK; s++) {
        int along[2] = {0, 0};
        along[patterns[s].axis] = (int)patterns[s].distance;
        status = cm_array_gather(p->system, p->dst[s], p->got, err);
        for (int j = 0; j < SIDE && status == CM_OK; j++)
            for (int i = 0; i < SIDE && status == CM_OK; i++)
                if (p->got[j][i] !=
                    p->given[(j + along[1] + SIDE) % SIDE][(i + along[0] + SIDE) % SIDE])
                    status =
                        cm_error_set(err, CM_CHECK_FAILED, "shift %d is wrong at %d, %d", s, i, j);
    }
    return status;
}

/* Prints what the trace has: its steps, their exchanges, and how busy the busiest channel was. */
static enum cm_status read_back(const char *path, struct cm_error *err)
{
    struct cm_trace *trace;
    struct cm_trace_event event;
    enum cm_status status = cm_trace_open(path, &trace, err);
    if (status != CM_OK)
        return status;
    const struct cm_trace_info *info = cm_trace_information(trace);
    size_t channels = (size_t)info->nodes * info->dimensions * info->channels;
    uint64_t *busy = (uint64_t *)calloc(channels, sizeof *busy), most = 0;
    for (uint32_t i = 0; i < info->steps; i++) {
        const struct cm_trace_step *step = cm_trace_step_at(trace, i);
        struct cm_trace_cursor cursor = cm_trace_seek(trace, step->first_cycle);
        unsigned exchanges = 0;
        while (cm_trace_next(&cursor, &event) && event.first_cycle < step->end_cycle)
            exchanges += event.phase == CM_TRACE_EXCHANGE;
        printf("%s: %" PRIu64 " cycles, %u exchanges\n", step->op,
               step->end_cycle - step->first_cycle, exchanges);
    }
    if (busy != NULL)
        cm_trace_channel_busy(trace, 0, info->cycles, busy);
    for (size_t i = 0; busy != NULL && i < channels; i++)
        most = busy[i] > most ? busy[i] : most;
    printf("busiest channel: %" PRIu64 " cycles\n", most);
    status = busy == NULL || cm_trace_failed(trace) ? cm_error_no_memory(err) : CM_OK;
    free(busy);
    cm_trace_close(trace);
    return status;
}

int main(int argc, char **argv)
{
    static struct program p;
    struct cm_error err = {0};
    const char *path = argc > 1 ? argv[1] : "traced-pshift.trace";
    enum cm_status status = place(&p, &err);
    if (status == CM_OK)
        status = record(&p, path, &err);
    if (status == CM_OK)
        status = shift(&p, &err);
    if (status == CM_OK)
        status = cm_recorder_finish(p.recorder, true, &err);
    cm_recorder_destroy(p.recorder);
    if (status == CM_OK)
        status = check(&p, &err);
    if (status == CM_OK)
        status = read_back(path, &err);
    if (status != CM_OK) {
        char text[4096];
        cm_error_format(&err, text, sizeof text);
        fputs(text, stderr);
    }
    for (int i = 0; i < SHIFTS; i++)
        cm_array_destroy(p.system, p.dst[i]);
    cm_array_destroy(p.system, p.src);
    cm_system_destroy(p.system);
    return cm_status_exit_code(status);
}
