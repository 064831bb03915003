/* Draws the times of messages of several streams. A heap orders the streams by the times of their
 * next messages. */
#include "streams.h"

#include "../../base/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define TIME_MOST 1e15 /* longest time between messages, in word times. No run is as long */

/* ---- messages ---- */

uint32_t cm_traffic_packets_of(const struct cm_traffic_task *task, uint32_t words)
{
    return words == 0 ? 1 : (words + task->router.words - 1) / task->router.words;
}

double cm_traffic_hot_share(const struct cm_traffic_task *task)
{
    return task->hot_share > 0 ? task->hot_share : 1.0 / CM_PATTERN_HOT_SHARE;
}

double cm_traffic_mean_packets(const struct cm_traffic_task *task)
{
    double packets = 0, shares = 0;
    for (uint32_t i = 0; i < task->size_count; i++) {
        packets += task->sizes[i].share * cm_traffic_packets_of(task, task->sizes[i].words);
        shares += task->sizes[i].share;
    }
    return shares > 0 ? packets / shares : 1;
}

/* ---- times ---- */

/* Draws a number of 1 or more from a geometric distribution with the mean 1 / probability. */
static uint64_t draw(struct cm_stream *stream, double probability)
{
    const double u = ((double)(cm_random_next(&stream->random) >> 11) + 0.5) * 0x1p-53;
    if (probability >= 1)
        return 1;
    const double skip = floor(log(u) / log1p(-probability));
    return 1 + (uint64_t)fmin(skip, TIME_MOST);
}

/* Begins the next burst of a stream, after a pause that begins at word time `off`. Sets
 * stream->next to the word time before the burst, from which the time of the next message is
 * drawn. */
static void begin_burst(const struct cm_streams *streams, struct cm_stream *stream, uint64_t off)
{
    const uint64_t start = off + draw(stream, 1 / streams->off);
    stream->until = start + draw(stream, 1 / streams->on);
    stream->next = start - 1;
}

/* Draws the time of the next message, counted from stream->next. If this time is beyond the end of
 * a burst, the time is drawn again from the beginning of the next burst, because a geometric
 * distribution has no memory. */
static void advance(const struct cm_streams *streams, struct cm_stream *stream)
{
    stream->next += draw(stream, stream->probability);
    while (stream->next >= stream->until && stream->until < (uint64_t)TIME_MOST) {
        begin_burst(streams, stream, stream->until);
        stream->next += draw(stream, stream->probability);
    }
}

/* Draws the time of the first message of a stream. The probability of a burst at word time 0 is the
 * mean share of bursts in the time. */
static void begin_stream(const struct cm_streams *streams, struct cm_stream *stream)
{
    const double share = streams->on / (streams->on + streams->off);
    stream->until = UINT64_MAX;
    stream->next = UINT64_MAX; /* word time before 0: adding 1 gives 0 */
    if (streams->on > 0) {
        const double u = (double)(cm_random_next(&stream->random) >> 11) * 0x1p-53;
        /* At word time 0, what is left of a burst or pause is distributed as its whole length. */
        if (u < share)
            stream->until = draw(stream, 1 / streams->on);
        else
            begin_burst(streams, stream, 0);
    }
    advance(streams, stream);
}

/* ---- heap ---- */

static bool is_before(const struct cm_streams *streams, uint32_t a, uint32_t b)
{
    const uint64_t x = streams->items[a].next, y = streams->items[b].next;
    return x < y || (x == y && a < b);
}

/* Moves the stream at place `i` of the heap down until no stream below it has an earlier
 * message. */
static void sink(struct cm_streams *streams, uint32_t i)
{
    for (;;) {
        uint32_t first = i;
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < streams->count; child++)
            if (is_before(streams, streams->heap[child], streams->heap[first]))
                first = child;
        if (first == i)
            return;
        const uint32_t stream = streams->heap[i];
        streams->heap[i] = streams->heap[first];
        streams->heap[first] = stream;
        i = first;
    }
}

uint32_t cm_streams_next(struct cm_streams *streams, uint64_t *time)
{
    const uint32_t stream = streams->heap[0];
    *time = streams->items[stream].next;
    advance(streams, &streams->items[stream]);
    sink(streams, 0);
    return stream;
}

/* ---- streams of a task ---- */

bool cm_streams_needed(const struct cm_traffic_task *task)
{
    return task->rate > 0 && (task->burst_on > 0 || task->pattern == CM_PATTERN_FLOWS);
}

/* Returns the mean number of words that stream `i` creates in a word time. The rates of flows are
 * scaled so that their sum agrees with the task's rate. */
static double rate_of(const struct cm_traffic_task *task, uint32_t i)
{
    if (task->pattern != CM_PATTERN_FLOWS)
        return task->rate;
    return task->flows[i].rate * task->rate * (UINT32_C(1) << task->router.dimensions) /
           task->flow_rate;
}

static double packets_in(const struct cm_traffic_task *task, uint32_t i)
{
    if (task->pattern == CM_PATTERN_FLOWS && task->size_count == 0)
        return cm_traffic_packets_of(task, task->flows[i].words);
    return cm_traffic_mean_packets(task);
}

/* Sets the error that stream `i` would create more than one message in a word time of a burst. */
static enum cm_status refuse(const struct cm_traffic_task *task, uint32_t i, double messages,
                             struct cm_error *err)
{
    if (task->pattern == CM_PATTERN_FLOWS)
        cm_error_set(err, CM_BAD_INPUT,
                     "in a burst the flow from %" PRIu32 " to %" PRIu32
                     " would create %.4g messages in a word time, expected at most 1",
                     task->flows[i].source, task->flows[i].destination, messages);
    else
        cm_error_set(err, CM_BAD_INPUT,
                     "in a burst a node would create %.4g messages in a word time, expected at "
                     "most 1",
                     messages);
    return cm_error_hint(err, "lower the rate, or make bursts longer and pauses shorter");
}

enum cm_status cm_streams_begin(struct cm_streams *streams, const struct cm_traffic_task *task,
                                struct cm_error *err)
{
    const bool flows = task->pattern == CM_PATTERN_FLOWS;
    const double part =
        task->burst_on > 0 ? task->burst_on / (task->burst_on + task->burst_off) : 1;
    *streams = (struct cm_streams){
        .count = flows ? task->flow_count : UINT32_C(1) << task->router.dimensions,
        .on = task->burst_on,
        .off = task->burst_off,
    };
    streams->items = calloc(streams->count, sizeof *streams->items);
    streams->heap = calloc(streams->count, sizeof *streams->heap);
    if (streams->items == NULL || streams->heap == NULL)
        return cm_error_no_memory(err);
    for (uint32_t i = 0; i < streams->count; i++) {
        struct cm_stream *stream = &streams->items[i];
        stream->probability = rate_of(task, i) / (part * task->router.words * packets_in(task, i));
        if (stream->probability > 1 && task->burst_on > 0)
            return refuse(task, i, stream->probability, err);
        stream->random = cm_splitmix64(task->seed, i);
        begin_stream(streams, stream);
        streams->heap[i] = i;
    }
    for (uint32_t i = streams->count / 2; i-- > 0;)
        sink(streams, i);
    return CM_OK;
}

void cm_streams_finish(struct cm_streams *streams)
{
    free(streams->items);
    free(streams->heap);
}
