/*
 * Recording: an observer (sim/machine/observer.h) that writes a trace (docs/trace.md), into a file
 * or into memory. A program of your own creates a recorder, attaches it with cm_machine_observe,
 * reports its arrays (cm_array_report), marks its steps (cm_machine_step_begins), and finishes it.
 * A file is written next to its name, as NAME.part, and takes the name when the recording ends
 * well; what an interrupted run leaves there can be read. When the disk is full, recording stops
 * and the run goes on; cm_recorder_finish returns the error.
 */
#ifndef CM_TRACE_RECORD_H
#define CM_TRACE_RECORD_H

#include "../sim/machine/observer.h"

CM_BEGIN_DECLS

struct cm_recorder;

/* What is recorded, and where to. All texts must stay until cm_recorder_finish. */
struct cm_recorder_options {
    const char *path;     /* of the file; NULL: into memory */
    const char *workload; /* name of what runs, for people. NULL: no name */
    /* What the run is of: cm_result_made_of of a workload; NULL: the name above and the machine's
     * numbers. */
    const char *made_of;
    /* Exchanges that begin in the cycles [detail_first, detail_end) are recorded word by word;
     * first equal to end: none. */
    uint64_t detail_first, detail_end;
};

/*
 * Begins a recording of what the machine does from now on; cm_machine_observe then attaches it. The
 * machine must outlive the recorder. CM_IO when the file cannot be written, CM_BAD_INPUT for a
 * machine of more than 65,536 nodes, CM_NO_MEMORY; *recorder is NULL then.
 */
CM_API enum cm_status cm_recorder_create(struct cm_machine *machine,
                                         const struct cm_recorder_options *options,
                                         struct cm_recorder **recorder, struct cm_error *err);
/* What gets the events of the run: for cm_machine_observe, or cm_run_observe of a workload. */
CM_API const struct cm_observer *cm_recorder_observer(const struct cm_recorder *recorder);
/*
 * Writes what is left, and detaches the recorder from the machine; called once. With `complete`
 * the file gets its name; without, it stays what and where it is, and cm_recorder_part says where.
 * CM_IO when writing it failed, now or before: then nothing is left. CM_NO_MEMORY likewise.
 */
CM_API enum cm_status cm_recorder_finish(struct cm_recorder *recorder, bool complete,
                                         struct cm_error *err);
CM_API const char *cm_recorder_part(const struct cm_recorder *recorder);
/* Exchanges recorded word by word so far. */
CM_API uint64_t cm_recorder_wires(const struct cm_recorder *recorder);
/* Bytes recorded so far; of a recording in memory, `bytes` (may be NULL) is where they are until it
 * is destroyed. */
CM_API uint64_t cm_recorder_size(const struct cm_recorder *recorder, const void **bytes);
/* NULL is taken. An unfinished file is left as it is; the machine must not run with its observer
 * again. */
CM_API void cm_recorder_destroy(struct cm_recorder *recorder);

CM_END_DECLS

#endif
