/* Traces: what becomes of them when files are cut short, damaged or none; packets that wait for
 * each other, by hand. */
#include "fortran/run/step.h"
#include "imps.h"
#include "machines.h"
#include "programs/workload/workload.h"
#include "suite.h"
#include "trace/read_private.h"
#include "trace/record.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXAMPLE "programs/examples/hand-written.json"

/* The trace of a workload, in memory; free with free(). */
static unsigned char *record(const char *path, size_t *length)
{
    struct cm_workload *workload;
    struct cm_run *run;
    struct cm_recorder *recorder;
    struct cm_error err;
    const struct cm_run_options options = {.threads = 1};
    const struct cm_recorder_options recording = {.workload = "example", .detail_end = 1000};
    const void *bytes;
    ck_assert_msg(cm_workload_read(path, &workload, &err) == CM_OK, "%s", err.message);
    ck_assert_int_eq(cm_run_create(workload, &options, &run, &err), CM_OK);
    ck_assert_int_eq(
        cm_recorder_create(cm_system_machine(cm_run_system(run)), &recording, &recorder, &err),
        CM_OK);
    cm_run_observe(run, cm_recorder_observer(recorder));
    ck_assert_int_eq(cm_run_execute(run, &err), CM_OK);
    ck_assert_int_eq(cm_recorder_finish(recorder, true, &err), CM_OK);
    *length = (size_t)cm_recorder_size(recorder, &bytes);
    unsigned char *copy = malloc(*length);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, *length);
    cm_recorder_destroy(recorder);
    cm_run_destroy(run);
    cm_workload_destroy(workload);
    return copy;
}

/* A copy of exactly that length, so that a sanitizer sees what is read beyond. */
static enum cm_status open_copy(const unsigned char *bytes, size_t length, unsigned char **copy,
                                struct cm_trace **trace, struct cm_error *err)
{
    *copy = malloc(length > 0 ? length : 1);
    ck_assert_ptr_nonnull(*copy);
    memcpy(*copy, bytes, length);
    return cm_trace_open_memory(*copy, length, "t.trace", trace, err);
}

/* All events of a trace are those of the whole one. */
static void expect_prefix(const struct cm_trace *trace, const struct cm_trace *whole)
{
    struct cm_trace_cursor a = cm_trace_seek(trace, 0), b = cm_trace_seek(whole, 0);
    struct cm_trace_event event, other;
    while (cm_trace_next(&a, &event)) {
        ck_assert(cm_trace_next(&b, &other));
        ck_assert_uint_eq(event.first_cycle, other.first_cycle);
        ck_assert_uint_eq(event.end_cycle, other.end_cycle);
        ck_assert_uint_eq(event.pc, other.pc);
        ck_assert_uint_eq(event.address, other.address);
    }
}

START_TEST(cut_short_at_any_byte_shows_what_was_before)
{
    struct cm_trace *whole, *trace;
    struct cm_error err;
    unsigned char *copy, *all;
    size_t length, shown = 0;
    unsigned char *bytes = record(EXAMPLE, &length);
    ck_assert_int_eq(open_copy(bytes, length, &all, &whole, &err), CM_OK);
    ck_assert(cm_trace_information(whole)->complete);
    ck_assert_ptr_null(cm_trace_information(whole)->notice);
    ck_assert_uint_eq(cm_trace_information(whole)->cycles, 449);
    for (size_t cut = 0; cut < length; cut++) {
        enum cm_status status = open_copy(bytes, cut, &copy, &trace, &err);
        if (status == CM_OK) {
            ck_assert(!cm_trace_information(trace)->complete);
            ck_assert_ptr_nonnull(cm_trace_information(trace)->notice);
            ck_assert_uint_le(cm_trace_information(trace)->cycles, 449);
            shown += cm_trace_information(trace)->cycles == 449;
            expect_prefix(trace, whole);
        } else {
            ck_assert_int_eq(status, CM_BAD_INPUT);
            ck_assert_str_eq(err.file, "t.trace");
            ck_assert_ptr_null(trace);
        }
        cm_trace_close(trace);
        free(copy);
    }
    ck_assert_uint_gt(shown, 0); /* without its end alone, all is there */
    cm_trace_close(whole);
    free(all);
    free(bytes);
}
END_TEST

START_TEST(a_changed_byte_is_noticed)
{
    struct cm_trace *trace;
    struct cm_error err;
    unsigned char *copy;
    size_t length;
    unsigned char *bytes = record(EXAMPLE, &length);
    for (size_t at = 0; at < length; at++) {
        bytes[at] ^= 0x15;
        if (open_copy(bytes, length, &copy, &trace, &err) == CM_OK)
            ck_assert(!cm_trace_information(trace)->complete);
        else
            ck_assert_int_eq(err.status, CM_BAD_INPUT);
        cm_trace_close(trace);
        free(copy);
        bytes[at] ^= 0x15;
    }
    free(bytes);
}
END_TEST

START_TEST(another_version_is_refused_and_named)
{
    struct cm_trace *trace;
    struct cm_error err;
    unsigned char *copy;
    size_t length;
    unsigned char *bytes = record(EXAMPLE, &length);
    bytes[8] = 7;
    ck_assert_int_eq(open_copy(bytes, length, &copy, &trace, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "is a trace of version 7, this program reads version 2");
    ck_assert_str_ne(err.hint, "");
    free(copy);
    free(bytes);
}
END_TEST

START_TEST(the_version_before_is_read)
{
    struct cm_trace *trace;
    struct cm_error err;
    unsigned char *copy;
    size_t length;
    unsigned char *bytes = record(EXAMPLE, &length);
    bytes[8] = 1; /* it had no lines, and a workload without a program has none */
    ck_assert_int_eq(open_copy(bytes, length, &copy, &trace, &err), CM_OK);
    ck_assert(cm_trace_information(trace)->complete);
    ck_assert_uint_eq(cm_trace_information(trace)->lines, 0);
    ck_assert_ptr_null(cm_trace_find_line(trace, 0));
    cm_trace_close(trace);
    free(copy);
    free(bytes);
}
END_TEST

START_TEST(lines_of_a_program_follow_one_another)
{
    static const struct {
        uint32_t line;
        const char *text;
    } expected[] = {{4, "A = 1.0"}, {12, "X = 2.0 * X"}, {7, "B = A + N"}, {8, "PRINT *, SUM(B)"}};
    struct cm_trace *trace;
    struct cm_error err;
    unsigned char *copy;
    size_t length;
    uint64_t cycle = 0;
    ck_assert(cm_fortran_register());
    unsigned char *bytes = record("tests/fortran/lines.json", &length);
    ck_assert_int_eq(open_copy(bytes, length, &copy, &trace, &err), CM_OK);
    ck_assert_uint_eq(cm_trace_information(trace)->lines, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct cm_trace_line *line = cm_trace_line_at(trace, i);
        ck_assert_uint_eq(line->line, expected[i].line);
        ck_assert_str_eq(line->text, expected[i].text);
        ck_assert_ptr_nonnull(strstr(line->file, "lines.fcm"));
        ck_assert_uint_eq(line->first_cycle, cycle);
        ck_assert_uint_gt(line->end_cycle, cycle);
        ck_assert_ptr_eq(cm_trace_find_line(trace, line->end_cycle - 1), line);
        cycle = line->end_cycle;
    }
    ck_assert_uint_eq(cycle, cm_trace_information(trace)->cycles);
    ck_assert_ptr_null(cm_trace_line_at(trace, 4));
    ck_assert_ptr_null(cm_trace_find_line(trace, cycle));
    cm_trace_close(trace);
    free(copy);
    free(bytes);
}
END_TEST

START_TEST(what_is_no_trace_is_refused)
{
    struct cm_trace *trace;
    struct cm_error err;
    ck_assert_int_eq(cm_trace_open(EXAMPLE, &trace, &err), CM_BAD_INPUT);
    ck_assert_str_eq(err.message, "is not a trace of cm200");
    ck_assert_int_eq(cm_trace_open("/dev/null", &trace, &err), CM_BAD_INPUT);
    ck_assert_int_eq(cm_trace_open("no such file", &trace, &err), CM_IO);
    ck_assert_int_eq(cm_trace_open("configs", &trace, &err), CM_IO);
    ck_assert_ptr_null(trace);
}
END_TEST

START_TEST(questions_beyond_the_run_have_empty_answers)
{
    struct cm_trace *trace;
    struct cm_error err;
    struct cm_trace_event event;
    unsigned char *copy;
    size_t length;
    uint64_t causes[CM_CAUSE_COUNT], address;
    uint32_t node;
    char text[80] = "x";
    unsigned char *bytes = record(EXAMPLE, &length);
    ck_assert_int_eq(open_copy(bytes, length, &copy, &trace, &err), CM_OK);
    struct cm_trace_cursor cursor = cm_trace_seek(trace, 449);
    ck_assert(!cm_trace_next(&cursor, &event));
    ck_assert(cm_trace_previous(&cursor, &event));
    ck_assert_uint_eq(event.end_cycle, 449);
    ck_assert_uint_eq(cm_trace_find_exchange(trace, 449, 1), UINT64_MAX);
    ck_assert_uint_eq(cm_trace_find_exchange(trace, 0, -1), UINT64_MAX);
    ck_assert_uint_eq(cm_trace_find_blocked(trace, 0), UINT64_MAX);
    cm_trace_by_cause(trace, 449, 1000, causes);
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        ck_assert_uint_eq(causes[i], 0);
    ck_assert_ptr_null(cm_trace_packet_at(trace, 0));
    ck_assert_ptr_null(cm_trace_step_at(trace, 1));
    ck_assert_ptr_null(cm_trace_array_at(trace, 99));
    ck_assert(!cm_trace_array_place(trace, 0, UINT64_MAX, 0, &node, &address));
    cm_trace_instruction(trace, 9, 0, text, sizeof text);
    ck_assert_str_eq(text, "");
    cm_trace_close(trace);
    free(copy);
    free(bytes);
}
END_TEST

START_TEST(an_imp_read_from_a_file_has_its_lines)
{
    struct cm_trace *trace;
    struct cm_error err;
    struct cm_trace_event event;
    unsigned char *copy;
    size_t length;
    char text[80];
    unsigned char *bytes = record(EXAMPLE, &length);
    ck_assert_int_eq(open_copy(bytes, length, &copy, &trace, &err), CM_OK);
    struct cm_trace_cursor cursor = cm_trace_seek(trace, cm_trace_find_exchange(trace, 0, 1));
    ck_assert(cm_trace_next(&cursor, &event));
    ck_assert_int_eq(event.phase, CM_TRACE_EXCHANGE);
    ck_assert_uint_eq(event.step, 0);
    cm_trace_instruction(trace, event.imp, event.pc, text, sizeof text);
    ck_assert_str_eq(text, "exchange");
    ck_assert_uint_gt(cm_trace_imp_line(trace, event.imp, event.pc), 0);
    ck_assert_ptr_nonnull(strstr(cm_trace_imp_source(trace, event.imp), "hand-written.imp"));
    cm_trace_close(trace);
    free(copy);
    free(bytes);
}
END_TEST

/* Two packets for one channel of a machine of four nodes. */
struct two {
    uint32_t next;
};

static bool next_of_two(void *context, struct cm_router_packet *packet)
{
    struct two *two = context;
    if (two->next == 2)
        return false;
    *packet = two->next++ == 0 ? (struct cm_router_packet){0, 3, 0, 0}
                               : (struct cm_router_packet){1, 3, 0, 0};
    return true;
}

static void check_packet(const struct cm_trace_packet *packet, uint64_t start, uint64_t word)
{
    ck_assert_uint_eq(packet->source, 0);
    ck_assert_uint_eq(packet->destination, 3);
    ck_assert_uint_eq(packet->hops, 2);
    ck_assert_uint_eq(packet->arrived_cycle, start + 16 * word);
    ck_assert_uint_eq(packet->queueing_cycles, 6 * word);
}

/*
 * Cut-through, e-cube ascending, packets of 8 words, a header word time of 1. Packet 1 goes from
 * node 1 over dimension 1 at once, in word times 0 to 8. Packet 0 goes over dimension 0 at once;
 * its header is in node 1 at 1, is routed at 2, and waits there for packet 1 until 8.
 */
START_TEST(a_packet_that_waits_names_the_one_it_waits_for)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, true);
    struct cm_machine *machine = cm_system_machine(system);
    struct cm_router_options options = {.dimensions = 2,
                                        .channels = 1,
                                        .words = 8,
                                        .header_words = 1,
                                        .buffer_words = 8,
                                        .switching = CM_SWITCHING_CUT_THROUGH};
    const struct cm_recorder_options recording = {.workload = "two"};
    struct two two = {0};
    struct cm_recorder *recorder;
    struct cm_router *router;
    struct cm_router_result result;
    struct cm_trace *trace;
    struct cm_trace_hop hops[4];
    struct cm_error err;
    const void *bytes;
    ck_assert_int_eq(cm_recorder_create(machine, &recording, &recorder, &err), CM_OK);
    const struct cm_observer *observer = cm_recorder_observer(recorder);
    cm_machine_observe(machine, observer);
    ck_assert_int_eq(cm_router_create(&options, &router, &err), CM_OK);
    cm_machine_route_begins(machine, &options);
    const struct cm_router_traffic traffic = {
        .context = &two, .next = next_of_two, .observer = observer};
    ck_assert_int_eq(cm_router_run(router, &traffic, &result, &err), CM_OK);
    cm_machine_route(machine, result.word_times, result.hops * 8);
    ck_assert_int_eq(cm_recorder_finish(recorder, true, &err), CM_OK);
    size_t length = (size_t)cm_recorder_size(recorder, &bytes);
    ck_assert_int_eq(cm_trace_open_memory(bytes, length, "two", &trace, &err), CM_OK);

    uint64_t word = config.router_word_cycles, start = config.router_start_cycles;
    ck_assert(cm_trace_information(trace)->complete);
    ck_assert_uint_eq(cm_trace_information(trace)->packets, 2);
    ck_assert_uint_eq(cm_trace_hops_of_packet(trace, 0, hops, 4), 2);
    ck_assert_uint_eq(hops[0].first_cycle, start);
    ck_assert_uint_eq(hops[0].end_cycle, start + 8 * word);
    ck_assert_uint_eq(hops[0].blocked_by, UINT64_MAX);
    ck_assert_uint_eq(hops[1].channel, (1 * 2 + 1) * cm_trace_information(trace)->channels);
    ck_assert_uint_eq(hops[1].asked_cycle, start + 2 * word);
    ck_assert_uint_eq(hops[1].first_cycle, start + 8 * word);
    ck_assert_uint_eq(hops[1].end_cycle, start + 16 * word);
    ck_assert_uint_eq(hops[1].blocked_by, 1);
    ck_assert_uint_eq(cm_trace_find_blocked(trace, 0), start + 2 * word);
    ck_assert_uint_eq(cm_trace_find_blocked(trace, start + 5 * word), start + 5 * word);
    ck_assert_uint_eq(cm_trace_find_blocked(trace, start + 8 * word), UINT64_MAX);
    check_packet(cm_trace_packet_at(trace, 0), start, word);
    ck_assert_uint_eq(cm_trace_hops(trace, start + 9 * word, start + 10 * word, hops, 4), 1);
    cm_trace_close(trace);
    cm_router_destroy(router);
    cm_machine_observe(machine, NULL);
    cm_recorder_destroy(recorder);
    cm_system_destroy(system);
}
END_TEST

/* Records arrays as no run would, and opens the trace: how many it has. */
static uint32_t arrays_of_recording(const struct cm_observed_array *arrays, uint32_t count)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, true);
    struct cm_recorder *recorder;
    struct cm_trace *trace;
    struct cm_error err;
    const struct cm_recorder_options recording = {.workload = "arrays",
                                                  .made_of = "{\"nodes\": 4}"};
    const void *bytes;
    ck_assert_int_eq(cm_recorder_create(cm_system_machine(system), &recording, &recorder, &err),
                     CM_OK);
    const struct cm_observer *observer = cm_recorder_observer(recorder);
    for (uint32_t i = 0; i < count; i++)
        observer->array_lies(observer->context, &arrays[i]);
    ck_assert_int_eq(cm_recorder_finish(recorder, true, &err), CM_OK);
    size_t length = (size_t)cm_recorder_size(recorder, &bytes);
    ck_assert_int_eq(cm_trace_open_memory(bytes, length, "arrays", &trace, &err), CM_OK);
    ck_assert_str_eq(cm_trace_information(trace)->made_of, recording.made_of);
    uint32_t found = cm_trace_information(trace)->arrays;
    ck_assert(cm_trace_information(trace)->complete == (found == count));
    for (uint32_t i = 0; i < found; i++)
        ck_assert_ptr_nonnull(cm_trace_array_at(trace, i));
    cm_trace_close(trace);
    cm_recorder_destroy(recorder);
    cm_system_destroy(system);
    return found;
}

static void expect_same_exchanges(const struct cm_trace *trace, const struct cm_trace *whole,
                                  uint64_t first, uint64_t end)
{
    const struct cm_trace_info *info = cm_trace_information(whole);
    size_t channels = (size_t)info->nodes * info->dimensions * info->channels;
    uint64_t *busy = calloc(2 * channels, sizeof *busy);
    ck_assert_ptr_nonnull(busy);
    cm_trace_channel_busy(trace, first, end, busy);
    cm_trace_channel_busy(whole, first, end, busy + channels);
    ck_assert_mem_eq(busy, busy + channels, channels * sizeof *busy);
    free(busy);
    struct cm_trace_use use[64 * 7], expected[64 * 7];
    cm_trace_dimension_use(trace, first, end, 7, use);
    cm_trace_dimension_use(whole, first, end, 7, expected);
    ck_assert_mem_eq(use, expected, 7 * info->dimensions * sizeof *use);
    for (int direction = -1; direction <= 1; direction += 2)
        ck_assert_uint_eq(cm_trace_find_exchange(trace, first, direction),
                          cm_trace_find_exchange(whole, first, direction));
}

/* A run that is shown next to a longer one keeps its place on the time axis. */
START_TEST(columns_beyond_the_run_are_idle_and_the_others_stay)
{
    size_t length;
    struct cm_trace *trace;
    struct cm_error err;
    unsigned char *bytes = record("programs/examples/end-off.json", &length);
    ck_assert_int_eq(cm_trace_open_memory(bytes, length, "t.trace", &trace, &err), CM_OK);
    const struct cm_trace_info *info = cm_trace_information(trace);
    struct cm_trace_use use[64 * 8], expected[64 * 4];
    float busy = 0;
    cm_trace_dimension_use(trace, 0, 2 * info->cycles, 8, use);
    cm_trace_dimension_use(trace, 0, info->cycles, 4, expected);
    for (uint32_t d = 0; d < info->dimensions; d++)
        for (uint32_t column = 0; column < 8; column++) {
            struct cm_trace_use at = use[d * 8 + column], want = {0};
            if (column < 4)
                want = expected[d * 4 + column];
            ck_assert(at.mean == want.mean && at.max == want.max);
            busy += at.mean;
        }
    ck_assert(busy > 0);
    cm_trace_close(trace);
    free(bytes);
}
END_TEST

START_TEST(exchanges_beyond_the_index_are_found_by_events)
{
    size_t length;
    struct cm_trace *whole, *trace;
    struct cm_error err;
    unsigned char *bytes = record("programs/examples/end-off.json", &length);
    ck_assert_int_eq(cm_trace_open_memory(bytes, length, "t.trace", &whole, &err), CM_OK);
    const struct cm_trace_info *info = cm_trace_information(whole);
    uint64_t step = info->cycles / 31 + 1;
    ck_assert_uint_gt(info->exchanges, 8);
    for (uint64_t max = 1; max < info->exchanges; max += max) {
        ck_assert_int_eq(cm_read_open_memory(bytes, length, "t.trace", max, &trace, &err), CM_OK);
        ck_assert_uint_eq(trace->exchanges.count, max);
        ck_assert_uint_eq(cm_trace_information(trace)->exchanges, info->exchanges);
        expect_same_exchanges(trace, whole, 0, info->cycles);
        for (uint64_t first = 0; first < info->cycles; first += step) {
            expect_same_exchanges(trace, whole, first, first + 1);
            expect_same_exchanges(trace, whole, first, first + 20 * step);
        }
        cm_trace_close(trace);
    }
    cm_trace_close(whole);
    free(bytes);
}
END_TEST

START_TEST(array_numbers_with_gaps_are_damage)
{
    const uint64_t shape[] = {1 << 20};
    struct cm_observed_array array = {
        .name = "a", .rank = 1, .shape = shape, .elements = 1 << 20, .slices = 1};
    struct cm_observed_array next = array, far = array;
    next.number = next.like = 1;
    far.number = far.like = 2;
    ck_assert_uint_eq(arrays_of_recording((struct cm_observed_array[]){array, next, far}, 3), 3);
    ck_assert_uint_eq(arrays_of_recording((struct cm_observed_array[]){next}, 1), 0);
    ck_assert_uint_eq(arrays_of_recording((struct cm_observed_array[]){array, far}, 2), 1);
}
END_TEST

START_TEST(an_array_of_another_size_than_its_shape_is_damage)
{
    const uint64_t shape[] = {UINT64_C(1) << 32, UINT64_C(1) << 32};
    struct cm_observed_array array = {.name = "a", .rank = 1, .shape = shape, .slices = 1};
    array.elements = shape[0] + 1;
    ck_assert_uint_eq(arrays_of_recording(&array, 1), 0);
    array.rank = 2;
    array.elements = 0; /* the product modulo 2^64 */
    ck_assert_uint_eq(arrays_of_recording(&array, 1), 0);
}
END_TEST

START_TEST(names_that_are_not_text_can_be_shown)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, true);
    struct cm_recorder *recorder;
    struct cm_trace *trace;
    struct cm_error err;
    const struct cm_recorder_options recording = {.workload = "a\xff\x1b[2J\xc2\x9b b"};
    const void *bytes;
    ck_assert_int_eq(cm_recorder_create(cm_system_machine(system), &recording, &recorder, &err),
                     CM_OK);
    ck_assert_int_eq(cm_recorder_finish(recorder, true, &err), CM_OK);
    size_t length = (size_t)cm_recorder_size(recorder, &bytes);
    ck_assert_int_eq(cm_trace_open_memory(bytes, length, "t.trace", &trace, &err), CM_OK);
    ck_assert_str_eq(cm_trace_information(trace)->workload, "a\\xff\\x1b[2J\\u009b b");
    cm_trace_close(trace);
    cm_recorder_destroy(recorder);
    cm_system_destroy(system);
}
END_TEST

START_TEST(an_unfinished_recording_stays_under_its_temporary_name)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, true);
    char folder[] = "/tmp/cm200-trace-XXXXXX", path[64], part[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t", folder);
    snprintf(part, sizeof part, "%s/t.part", folder);
    const struct cm_recorder_options recording = {.path = path, .workload = "w"};
    struct cm_recorder *recorder, *second;
    struct cm_trace *trace;
    struct cm_error err;
    struct cm_machine *machine = cm_system_machine(system);
    ck_assert_int_eq(cm_recorder_create(machine, &recording, &recorder, &err), CM_OK);
    ck_assert_int_eq(cm_recorder_create(machine, &recording, &second, &err), CM_IO);
    ck_assert_str_eq(err.message, "another run is writing this trace");
    ck_assert_int_eq(cm_recorder_finish(recorder, false, &err), CM_OK);
    ck_assert_str_eq(cm_recorder_part(recorder), part);
    cm_recorder_destroy(recorder);
    ck_assert_int_eq(access(path, F_OK), -1);
    ck_assert_int_eq(cm_trace_open(part, &trace, &err), CM_OK);
    ck_assert(!cm_trace_information(trace)->complete);
    cm_trace_close(trace);
    ck_assert_int_eq(cm_recorder_create(machine, &recording, &recorder, &err), CM_OK);
    ck_assert_int_eq(cm_recorder_finish(recorder, true, &err), CM_OK);
    ck_assert_ptr_null(cm_recorder_part(recorder));
    cm_recorder_destroy(recorder);
    ck_assert_int_eq(access(part, F_OK), -1);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(folder), 0);
    cm_system_destroy(system);
}
END_TEST

/* What was recorded so far, read again. */
static struct cm_trace *read_recorded(struct cm_recorder *recorder)
{
    struct cm_trace *trace;
    struct cm_error err;
    const void *bytes;
    ck_assert_int_eq(cm_recorder_finish(recorder, true, &err), CM_OK);
    const size_t length = (size_t)cm_recorder_size(recorder, &bytes);
    ck_assert_int_eq(cm_trace_open_memory(bytes, length, "recorded", &trace, &err), CM_OK);
    return trace;
}

/* What a program without a workload reports: an array, and a step of one run of the router. */
START_TEST(a_program_reports_its_arrays_and_steps)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, false);
    struct cm_machine *machine = cm_system_machine(system);
    const struct cm_layout_request request = {
        .type = CM_TYPE_INT32, .rank = 2, .shape = {4, 8}, .weights = {1, 1}};
    const struct cm_recorder_options recording = {.workload = "by hand"};
    struct cm_layout layout;
    struct cm_array *array;
    struct cm_recorder *recorder;
    struct cm_error err;
    ck_assert_int_eq(cm_layout_create(&request, 4, &layout, &err), CM_OK);
    ck_assert_int_eq(cm_array_create(system, "grid", &layout, &array, &err), CM_OK);
    cm_array_report(system, array, 0); /* nobody listens */
    cm_machine_step_begins(machine, "early", "");
    cm_machine_step_ends(machine);
    ck_assert_int_eq(cm_recorder_create(machine, &recording, &recorder, &err), CM_OK);
    cm_machine_observe(machine, cm_recorder_observer(recorder));
    cm_array_report(system, array, 0);
    cm_machine_step_begins(machine, "access", "main");
    cm_machine_access(machine, 3);
    cm_machine_step_ends(machine);
    uint64_t cycles = cm_machine_counters(machine).cycles;
    ck_assert_uint_gt(cycles, 0);
    struct cm_trace *trace = read_recorded(recorder);
    ck_assert_ptr_null(cm_machine_observer(machine));
    const struct cm_trace_info *info = cm_trace_information(trace);
    ck_assert_uint_eq(info->steps, 1);
    ck_assert_str_eq(cm_trace_step_at(trace, 0)->op, "access");
    ck_assert_str_eq(cm_trace_step_at(trace, 0)->where, "main");
    ck_assert_uint_eq(cm_trace_step_at(trace, 0)->end_cycle, cycles);
    ck_assert_uint_eq(info->arrays, 1);
    ck_assert_str_eq(cm_trace_array_at(trace, 0)->name, "grid");
    for (uint64_t e = 0; e < 32; e++) {
        const uint64_t index[2] = {e % 4, e / 4};
        uint32_t node, found;
        uint64_t local, address;
        cm_layout_place(&layout, index, &node, &local);
        ck_assert(cm_trace_array_place(trace, 0, e, 0, &found, &address));
        ck_assert_uint_eq(found, node);
        ck_assert_uint_eq(address, array->address + local);
    }
    ck_assert_ptr_nonnull(strstr(info->made_of, "\"workload\": \"by hand\""));
    ck_assert_ptr_nonnull(strstr(info->made_of, "\"exchange.cycles\": 120"));
    cm_trace_close(trace);
    cm_recorder_destroy(recorder);
    cm_array_destroy(system, array);
    cm_system_destroy(system);
}
END_TEST

/* Cycles by cause that a trace has in all. */
static void check_causes(const struct cm_trace *trace, const struct cm_counters *counters)
{
    const struct cm_trace_info *info = cm_trace_information(trace);
    uint64_t causes[CM_CAUSE_COUNT];
    ck_assert(info->complete);
    ck_assert_uint_eq(info->cycles, counters->cycles);
    cm_trace_by_cause(trace, 0, info->cycles, causes);
    for (uint32_t i = 0; i < CM_CAUSE_COUNT; i++)
        ck_assert_uint_eq(causes[i], counters->by_cause[i]);
}

/* Cycles that passed while another observer, or none, had the recorder's place are in its trace. */
START_TEST(what_passed_without_the_recorder_counts)
{
    static const struct cm_observer deaf = {0};
    const struct cm_observer *between[] = {&deaf, NULL};
    struct cm_imp *imp = assembled("    aset r0, 0\n"
                                   "    fload32 f0, [r0+4096]\n"
                                   "    fadd32 f1, f0, f0\n"
                                   "    exchange\n"
                                   "    fstore32 [r0], f1\n"
                                   "    halt\n");
    for (uint32_t i = 0; i < 2 * 2; i++) {
        struct cm_config config = cm200_config();
        struct cm_system *system = system_of(&config, 4, true);
        struct cm_machine *machine = cm_system_machine(system);
        const struct cm_recorder_options recording = {.workload = "by turns"};
        struct cm_recorder *recorder;
        struct cm_error err;
        ck_assert_int_eq(cm_recorder_create(machine, &recording, &recorder, &err), CM_OK);
        for (uint32_t run = i / 2; run < 4; run++) {
            cm_machine_observe(machine, run % 2 ? between[i % 2] : cm_recorder_observer(recorder));
            ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_OK);
        }
        cm_machine_observe(machine, cm_recorder_observer(recorder));
        ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_OK);
        const struct cm_counters counters = cm_machine_counters(machine);
        struct cm_trace *trace = read_recorded(recorder);
        check_causes(trace, &counters);
        cm_trace_close(trace);
        cm_recorder_destroy(recorder);
        cm_system_destroy(system);
    }
    cm_imp_destroy(imp);
}
END_TEST

#define MOVES 1500u

/* Each move is longer than the one before: as many shapes of events. */
START_TEST(many_shapes_are_told_apart)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, true);
    struct cm_machine *machine = cm_system_machine(system);
    const struct cm_recorder_options recording = {.workload = "moves"};
    struct cm_recorder *recorder;
    struct cm_buffer body;
    struct cm_error err;
    uint64_t took[2 * MOVES], count = 0;
    cm_buffer_init(&body);
    cm_buffer_printf(&body, "    aset r0, 0\n");
    for (uint32_t i = 1; i <= MOVES; i++)
        cm_buffer_printf(&body, "    move [r0], [r0+2000], %u, 1, 1\n", i);
    cm_buffer_printf(&body, "    halt\n");
    struct cm_imp *imp = assembled(body.data);
    ck_assert_int_eq(cm_recorder_create(machine, &recording, &recorder, &err), CM_OK);
    cm_machine_observe(machine, cm_recorder_observer(recorder));
    for (uint32_t run = 0; run < 2; run++)
        ck_assert_int_eq(run_once(machine, imp, NULL, &err), CM_OK);
    const struct cm_counters counters = cm_machine_counters(machine);
    struct cm_trace *trace = read_recorded(recorder);
    check_causes(trace, &counters);
    struct cm_trace_cursor cursor = cm_trace_seek(trace, 0);
    struct cm_trace_event event;
    while (cm_trace_next(&cursor, &event)) {
        uint64_t causes[CM_CAUSE_COUNT];
        if (event.pc == CM_TRACE_NONE)
            continue;
        ck_assert_uint_lt(count, 2 * MOVES);
        cm_trace_by_cause(trace, event.first_cycle, event.end_cycle, causes);
        took[count++] = causes[CM_CAUSE_LOAD];
    }
    ck_assert_uint_eq(count, 2 * MOVES);
    for (uint32_t i = 1; i < MOVES; i++) {
        ck_assert_uint_eq(took[i] - took[i - 1], took[1] - took[0]);
        ck_assert_uint_eq(took[MOVES + i], took[i]);
    }
    cm_trace_close(trace);
    cm_recorder_destroy(recorder);
    cm_imp_destroy(imp);
    cm_buffer_finish(&body);
    cm_system_destroy(system);
}
END_TEST

START_TEST(a_recording_needs_no_name)
{
    struct cm_config config = cm200_config();
    struct cm_system *system = system_of(&config, 4, true);
    struct cm_recorder *recorder;
    struct cm_trace *trace;
    struct cm_error err;
    const struct cm_recorder_options nameless = {0};
    const void *bytes;
    ck_assert_int_eq(cm_recorder_create(cm_system_machine(system), &nameless, &recorder, &err),
                     CM_OK);
    ck_assert_int_eq(cm_recorder_finish(recorder, true, &err), CM_OK);
    size_t length = (size_t)cm_recorder_size(recorder, &bytes);
    ck_assert_int_eq(cm_trace_open_memory(bytes, length, "t.trace", &trace, &err), CM_OK);
    ck_assert_str_eq(cm_trace_information(trace)->workload, "");
    cm_trace_close(trace);
    cm_recorder_destroy(recorder);
    cm_system_destroy(system);
}
END_TEST

CM_PROGRAM(test_trace)
{
    Suite *suite = suite_create("trace");
    TCase *tests = tcase_create("trace");
    tcase_add_test(tests, cut_short_at_any_byte_shows_what_was_before);
    tcase_add_test(tests, a_changed_byte_is_noticed);
    tcase_add_test(tests, another_version_is_refused_and_named);
    tcase_add_test(tests, the_version_before_is_read);
    tcase_add_test(tests, lines_of_a_program_follow_one_another);
    tcase_add_test(tests, what_is_no_trace_is_refused);
    tcase_add_test(tests, questions_beyond_the_run_have_empty_answers);
    tcase_add_test(tests, an_imp_read_from_a_file_has_its_lines);
    tcase_add_test(tests, a_packet_that_waits_names_the_one_it_waits_for);
    tcase_add_test(tests, exchanges_beyond_the_index_are_found_by_events);
    tcase_add_test(tests, columns_beyond_the_run_are_idle_and_the_others_stay);
    tcase_add_test(tests, array_numbers_with_gaps_are_damage);
    tcase_add_test(tests, an_array_of_another_size_than_its_shape_is_damage);
    tcase_add_test(tests, names_that_are_not_text_can_be_shown);
    tcase_add_test(tests, an_unfinished_recording_stays_under_its_temporary_name);
    tcase_add_test(tests, a_program_reports_its_arrays_and_steps);
    tcase_add_test(tests, what_passed_without_the_recorder_counts);
    tcase_add_test(tests, a_recording_needs_no_name);
    tcase_add_test(tests, many_shapes_are_told_apart);
    suite_add_tcase(suite, tests);
    return cm_run_suite(suite);
}
