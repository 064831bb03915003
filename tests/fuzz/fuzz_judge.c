/*
 * Any text as the answer to a lesson's task. A text that begins as JSON is a workload, and any
 * other text is a CM Fortran program. The judge refuses the answer, or gives a judgement, within
 * its limits of cycles, output and time.
 */
#include "folder.h"
#include "fortran/run/step.h"
#include "lesson/lesson.h"
#include "target.h"

#include <time.h>

#define INPUT_MAX   16384u
#define CYCLES_MAX  UINT64_C(200000)
#define OUTPUT_MAX  UINT64_C(4096)
#define SECONDS_MAX 0.05
/* Seconds in which the judge must end. A sanitizer takes far more time than a plain build. */
#define SECONDS_END 60

static const char shifts[] =
    "# 1. Shifts\n\n```task\nask: Shift.\nmachine: cube8\nnodes: 8\nreference: shifts.json\n"
    "inputs: a\noutputs: b\nlimit: /exchanges <= 4\nlimit: /words_sent >= 8\ncase: L=8..24\n"
    "points: 7\n```\n";
static const char shifts_reference[] =
    "{\"format\": \"cm200-workload/1\", \"parameters\": {\"L\": 16}, \"arrays\": {\"a\": "
    "{\"shape\":"
    " [\"$L\"], \"type\": \"real32\"}, \"b\": {\"like\": \"a\"}}, \"steps\": [{\"cshift\": "
    "{\"dst\":"
    " \"b\", \"src\": \"a\", \"dim\": 1, \"distance\": 1}}], \"check\": true}\n";
static const char sums[] =
    "# 2. Sums\n\n```task\nask: Sum.\nmachine: cube8\nnodes: 8\nlevel: 1\ncall: WORK [\"a\", "
    "\"$N\"]\nreference: sums.json\ninputs: a\noutputs: a\nlimit: /cycles <= 9000\n"
    "case: N=4..9, /cycles <= 8000\n```\n";
static const char sums_reference[] =
    "{\"format\": \"cm200-workload/1\", \"parameters\": {\"N\": 8}, \"arrays\": {\"a\": {\"shape\":"
    " [\"$N\"], \"type\": \"real32\"}}, \"steps\": [{\"compute\": {\"dst\": \"a\", \"value\": \"a "
    "+ "
    "a\"}}], \"check\": true}\n";

static void enter(void)
{
    folder_enter();
    require(cm_fortran_register());
    write_whole("shifts.md", shifts, sizeof shifts - 1);
    write_whole("shifts.json", shifts_reference, sizeof shifts_reference - 1);
    write_whole("sums.md", sums, sizeof sums - 1);
    write_whole("sums.json", sums_reference, sizeof sums_reference - 1);
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void require_judgement(const struct cm_lesson_judgement *judgement)
{
    require(cm_buffer_ok(&judgement->text) && judgement->text.length > 0);
    require(judgement->passed == (judgement->reason[0] == '\0'));
    require(judgement->passed == (judgement->points == judgement->points_of));
    require(judgement->points >= 0 && judgement->points <= judgement->points_of);
}

static void judge(const char *task, const char *answer, bool json)
{
    const struct cm_lesson_host host = {0};
    struct cm_lesson_judgement judgement = {.judging = {.seed = 5,
                                                        .max_cycles = CYCLES_MAX,
                                                        .max_output = OUTPUT_MAX,
                                                        .max_seconds = SECONDS_MAX},
                                            .json = json};
    struct cm_lesson lesson;
    struct cm_error err = {0};
    double begin = now_seconds();
    require(cm_lesson_read_own(task, &lesson, &err) == CM_OK);
    cm_buffer_init(&judgement.text);
    enum cm_status status = cm_lesson_judge(&lesson, answer, &host, &judgement, &err);
    require(now_seconds() - begin < SECONDS_END);
    if (status == CM_OK)
        require_judgement(&judgement);
    else
        require(err.status == status && err.message[0] != '\0' && status != CM_INTERNAL &&
                status != CM_INTERRUPTED && status != CM_CHECK_FAILED);
    cm_buffer_finish(&judgement.text);
    cm_lesson_finish(&lesson);
}

FUZZ_TARGET(fuzz_judge)
{
    static bool entered;
    if (size > INPUT_MAX)
        return 0;
    if (!entered)
        enter();
    entered = true;
    bool workload = size > 0 && (data[0] == '{' || data[0] == '[');
    const char *answer = workload ? "answer.json" : "answer.fcm";
    write_whole(answer, data, size);
    judge(workload ? "shifts.md" : "sums.md", answer, size % 2 == 0);
    return 0;
}
