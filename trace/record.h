/*
 * Recording: an observer (sim/observer.h) that writes a trace, into a file or into memory. A file
 * is written next to its name, as NAME.part, and takes the name when the recording ends well; what
 * an interrupted run leaves there can be read. When the disk is full, recording stops and the run
 * goes on; cm_recorder_finish tells.
 */
#ifndef CM_TRACE_RECORD_H
#define CM_TRACE_RECORD_H

#include "../sim/observer.h"

struct cm_recorder;

struct cm_recorder_options {
    const char *path; /* NULL: into memory */
    const char *workload;
    const char *made_of; /* cm_result_made_of; NULL: not known */
    uint64_t detail_first,
        detail_end; /* cycles whose exchanges are recorded word by word; empty: none */
};

/* Begins. CM_IO when the file cannot be written. The machine must outlive the recorder. */
enum cm_status cm_recorder_create(struct cm_machine *machine,
                                  const struct cm_recorder_options *options,
                                  struct cm_recorder **recorder, struct cm_error *err);
/* What gets the events of the run. */
const struct cm_observer *cm_recorder_observer(const struct cm_recorder *recorder);
/*
 * Writes what is left. With `complete` the file gets its name; without, it stays what and where it
 * is, and cm_recorder_part says where. CM_IO when writing it failed, now or before: then nothing is
 * left.
 */
enum cm_status cm_recorder_finish(struct cm_recorder *recorder, bool complete,
                                  struct cm_error *err);
/* The file under its temporary name, when one is left; else NULL. */
const char *cm_recorder_part(const struct cm_recorder *recorder);
/* Exchanges recorded word by word so far. */
uint64_t cm_recorder_wires(const struct cm_recorder *recorder);
/* Bytes recorded so far; of a recording in memory, `bytes` (may be NULL) is where they are until it
 * is destroyed. */
uint64_t cm_recorder_size(const struct cm_recorder *recorder, const void **bytes);
/* NULL is taken. An unfinished file is left as it is. */
void cm_recorder_destroy(struct cm_recorder *recorder);

#endif
