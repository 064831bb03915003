/*
 * The journal of a sweep: a line that names the sweep, then a line for each run that was made. A
 * line is a checksum in hexadecimal, a blank, and the run as JSON. The checksum also covers the
 * first line, so that a line of another sweep does not match. A line whose checksum does not match
 * is damaged, and counts as missing. The lines after it are still used.
 *
 * Every line is appended by a single write, so lines are whole however many processes write. Only
 * the last line can be cut off, when a process or the host ended within the write.
 */
#include "../base/crc32.h"
#include "../base/file.h"
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define JOURNAL_MAX_BYTES ((size_t)8 << 30)
#define CHECKSUM_LENGTH   8u /* number of hexadecimal digits of a checksum */
#define HEAD_LENGTH       192u

/* First line of a journal, with its newline. */
struct head {
    char text[HEAD_LENGTH];
    size_t length;
    uint32_t checksum;
};

static struct head make_head(const struct cm_sweep *sweep)
{
    char json[HEAD_LENGTH - CHECKSUM_LENGTH - 2];
    struct head head;
    int length =
        snprintf(json, sizeof json,
                 "{\"format\": \"cm200-sweep/2\", \"sweep\": \"%s\", \"runs\": %" PRIu32 "}",
                 sweep->signature, sweep->runs);
    head.checksum = cm_crc32(0, json, (size_t)length);
    head.length =
        (size_t)snprintf(head.text, sizeof head.text, "%08" PRIx32 " %s\n", head.checksum, json);
    return head;
}

/* Returns true if the checksum of a line matches its text. `before` is the checksum of the first
 * line. `line` has no newline. */
static bool is_whole(const char *line, size_t length, uint32_t before)
{
    char digits[CHECKSUM_LENGTH + 1];
    if (length <= CHECKSUM_LENGTH || line[CHECKSUM_LENGTH] != ' ')
        return false;
    const char *json = line + CHECKSUM_LENGTH + 1;
    snprintf(digits, sizeof digits, "%08" PRIx32,
             cm_crc32(before, json, length - CHECKSUM_LENGTH - 1));
    return memcmp(line, digits, CHECKSUM_LENGTH) == 0;
}

/* Records the place of the text of a run. Returns false if the line is damaged. */
static bool take_line(const struct cm_sweep *sweep, struct cm_sweep_lines *lines, const char *line,
                      size_t length, uint32_t before)
{
    static const char begin[] = "{\"run\": ";
    char *end;
    if (!is_whole(line, length, before))
        return false;
    const char *json = line + CHECKSUM_LENGTH + 1;
    length -= CHECKSUM_LENGTH + 1;
    if (length < sizeof begin || memcmp(json, begin, sizeof begin - 1) != 0)
        return false;
    unsigned long run = strtoul(json + sizeof begin - 1, &end, 10);
    if (*end != ',' || run >= sweep->runs)
        return false;
    lines->count += lines->lines[run] == NULL;
    lines->lines[run] = json;
    lines->lengths[run] = length;
    return true;
}

static void note_damage(struct cm_sweep_lines *lines, uint64_t number)
{
    if (lines->damaged < CM_SWEEP_DAMAGED_SHOWN)
        lines->damaged_lines[lines->damaged] = number;
    lines->damaged++;
}

/* Reads all lines of the journal after the first. Sets *whole to the length of the text without a
 * last line that was cut off. */
static void take_lines(const struct cm_sweep *sweep, struct cm_sweep_lines *lines,
                       const struct head *head, size_t *whole)
{
    uint64_t number = 2;
    for (size_t at = head->length; at < lines->length; number++) {
        const char *line = lines->text + at, *end = memchr(line, '\n', lines->length - at);
        if (end == NULL)
            break;
        if (!take_line(sweep, lines, line, (size_t)(end - line), head->checksum))
            note_damage(lines, number);
        at += (size_t)(end - line) + 1;
        *whole = at;
    }
}

/* Fails with the reason why a journal does not belong to this sweep: its first line is another one.
 */
static enum cm_status refuse_head(const struct cm_sweep *sweep, const struct cm_sweep_lines *lines,
                                  struct cm_error *err)
{
    const char *path = sweep->settings.journal, *end = memchr(lines->text, '\n', lines->length);
    if (end == NULL || !is_whole(lines->text, (size_t)(end - lines->text), 0)) {
        cm_error_at(err, CM_BAD_INPUT, path, 1, 0, "this is not the first line of a journal");
        return cm_error_hint(err, "the line is damaged, or another release of cm200 wrote it; "
                                  "remove the file, and all runs are made again");
    }
    cm_error_at(err, CM_BAD_INPUT, path, 1, 0,
                "this is the journal of another sweep, which was not finished");
    return cm_error_hint(err, "finish that one by its own command, or remove the file");
}

enum cm_status cm_sweep_read_journal(const struct cm_sweep *sweep, struct cm_sweep_lines *lines,
                                     size_t *whole, struct cm_error *err)
{
    const struct head head = make_head(sweep);
    *lines = (struct cm_sweep_lines){0};
    *whole = 0;
    lines->lines = calloc(sweep->runs, sizeof *lines->lines);
    lines->lengths = calloc(sweep->runs, sizeof *lines->lengths);
    if (lines->lines == NULL || lines->lengths == NULL)
        return cm_error_no_memory(err);
    if (access(sweep->settings.journal, F_OK) != 0 && errno == ENOENT)
        return CM_OK;
    enum cm_status status =
        cm_file_read(sweep->settings.journal, JOURNAL_MAX_BYTES, &lines->text, &lines->length, err);
    if (status != CM_OK || lines->length == 0)
        return status;
    if (lines->length < head.length || memcmp(lines->text, head.text, head.length) != 0)
        return refuse_head(sweep, lines, err);
    *whole = head.length;
    take_lines(sweep, lines, &head, whole);
    return CM_OK;
}

void cm_sweep_free_lines(struct cm_sweep_lines *lines)
{
    free(lines->text);
    free(lines->lines);
    free(lines->lengths);
}

static enum cm_status refuse_writing(const struct cm_sweep *sweep, int reason, struct cm_error *err)
{
    return cm_error_at(err, CM_IO, sweep->settings.journal, 0, 0, "cannot write it: %s",
                       strerror(reason));
}

/* Writes bytes like write(), and tries again if a signal interrupts the write. */
static ssize_t write_on(int journal, const char *bytes, size_t length)
{
    ssize_t written;
    do
        written = write(journal, bytes, length);
    while (written < 0 && errno == EINTR);
    return written;
}

/* Appends a line, which ends with a newline, to the journal. If the file system writes only a part
 * of the line, this part remains as a damaged line, and the whole line is appended once more.
 * Returns false and sets errno if a write fails. */
static bool append(int journal, const char *line, size_t length)
{
    struct cm_buffer again;
    ssize_t written = write_on(journal, line, length);
    if (written < 0 || (size_t)written == length)
        return written >= 0;
    cm_buffer_init(&again);
    cm_buffer_append(&again, "\n", 1);
    cm_buffer_append(&again, line, length);
    written = cm_buffer_ok(&again) ? write_on(journal, again.data, again.length) : 0;
    bool whole = cm_buffer_ok(&again) && written == (ssize_t)again.length;
    if (!whole && written >= 0)
        errno = ENOSPC;
    cm_buffer_finish(&again);
    return whole;
}

enum cm_status cm_sweep_open_journal(const struct cm_sweep *sweep, size_t whole, int *journal,
                                     struct cm_error *err)
{
    const struct head head = make_head(sweep);
    const char *path = sweep->settings.journal;
    *journal = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (*journal < 0)
        return refuse_writing(sweep, errno, err);
    if (flock(*journal, LOCK_EX | LOCK_NB) != 0)
        return cm_error_at(err, CM_IO, path, 0, 0, "another sweep is writing this journal");
    bool ready = ftruncate(*journal, (off_t)whole) == 0;
    /* no other process writes yet */
    for (size_t at = 0; ready && whole == 0 && at < head.length;) {
        ssize_t written = write_on(*journal, head.text + at, head.length - at);
        at += written > 0 ? (size_t)written : 0;
        ready = written > 0;
    }
    return ready ? CM_OK : refuse_writing(sweep, errno, err);
}

enum cm_status cm_sweep_add_line(const struct cm_sweep *sweep, int journal,
                                 const struct cm_buffer *json, struct cm_error *err)
{
    struct cm_buffer line;
    cm_buffer_init(&line);
    cm_buffer_printf(&line, "%08" PRIx32 " ",
                     cm_crc32(make_head(sweep).checksum, json->data, json->length));
    cm_buffer_append(&line, json->data, json->length);
    cm_buffer_append(&line, "\n", 1);
    enum cm_status status = cm_buffer_ok(&line) ? CM_OK : cm_error_no_memory(err);
    if (status == CM_OK && !append(journal, line.data, line.length))
        status = refuse_writing(sweep, errno, err);
    cm_buffer_finish(&line);
    return status;
}
