/*
 * The recorder: an observer (sim/machine/observer.h) that writes a trace (docs/trace.md) into a
 * file or into memory.
 *
 * A program creates a recorder and attaches its observer to a machine with cm_machine_observe. The
 * program reports its arrays (cm_array_report), marks its steps (cm_machine_step_begins) and
 * finishes the recorder.
 *
 * The recorder writes to NAME.part next to the final file name. The file gets its final name when
 * the recording ends well. A reader can open the part file of an interrupted run.
 *
 * The recorder never stops the run. When the disk is full, recording stops, the run goes on, and
 * cm_recorder_finish returns the error.
 */
#ifndef CM_TRACE_RECORD_H
#define CM_TRACE_RECORD_H

#include "../sim/machine/observer.h"

CM_BEGIN_DECLS

struct cm_recorder;

/* Options of a recording. All texts must outlive cm_recorder_finish. */
struct cm_recorder_options {
    const char *path;     /* name of the trace file. NULL: record into memory */
    const char *workload; /* name of the workload, for display. NULL: no name */
    /* Description of the run as JSON, as cm_result_made_of writes it for a workload. NULL: the
     * recorder writes the workload's name and the machine description. */
    const char *made_of;
    /* Interval of cycles [detail_first, detail_end). The words of every exchange that begins in the
     * interval are recorded. Empty interval: no words are recorded. */
    uint64_t detail_first, detail_end;
};

/*
 * Begins a recording of the machine. The machine must outlive the recorder. The caller attaches the
 * recorder with cm_machine_observe.
 *
 * Fails with CM_IO if the file can't be written, with CM_BAD_INPUT for a machine of more than
 * 65,536 nodes, and with CM_NO_MEMORY if memory runs out. On failure *recorder is NULL.
 */
CM_API enum cm_status cm_recorder_create(struct cm_machine *machine,
                                         const struct cm_recorder_options *options,
                                         struct cm_recorder **recorder, struct cm_error *err);
/* Returns the recorder's observer. The caller attaches the observer to a machine with
 * cm_machine_observe, or to a workload's run with cm_run_observe. */
CM_API const struct cm_observer *cm_recorder_observer(const struct cm_recorder *recorder);
/*
 * Writes the rest of the trace and detaches the recorder from the machine. The caller calls
 * cm_recorder_finish once. If `complete` is true, the file gets its final name. Otherwise the file
 * keeps its temporary name, which cm_recorder_part returns.
 *
 * Fails with CM_IO if any write failed since the recorder was created, and with CM_NO_MEMORY if
 * memory ran out. After a failure no file is left.
 */
CM_API enum cm_status cm_recorder_finish(struct cm_recorder *recorder, bool complete,
                                         struct cm_error *err);
CM_API const char *cm_recorder_part(const struct cm_recorder *recorder);
/* Returns the number of exchanges whose words were recorded so far. */
CM_API uint64_t cm_recorder_wires(const struct cm_recorder *recorder);
/* Returns the number of bytes recorded so far. For a recording in memory, *bytes points to the
 * trace until the recorder is destroyed. `bytes` may be NULL. */
CM_API uint64_t cm_recorder_size(const struct cm_recorder *recorder, const void **bytes);
/* Frees the recorder, which may be NULL. The part file of an unfinished recording stays on disk.
 * The machine must not run with the recorder's observer afterwards. */
CM_API void cm_recorder_destroy(struct cm_recorder *recorder);

CM_END_DECLS

#endif
