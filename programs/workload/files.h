/*
 * Files that a workload names: its machine, data to read, arrays to save. Paths are relative to the
 * workload's folder. A workload can come from a stranger. Unless it is trusted, it may write only
 * below its own folder or the current folder, may replace only .npy files, and may not read devices
 * or pipes.
 */
#ifndef CM_PROGRAMS_WORKLOAD_FILES_H
#define CM_PROGRAMS_WORKLOAD_FILES_H

#include "../../base/reader.h"

struct cm_workload;

enum cm_workload_file_kind {
    CM_WORKLOAD_MACHINE,
    CM_WORKLOAD_VALUES, /* file with first values of an array */
    CM_WORKLOAD_DATA,   /* file with data of a step: an IMP, or a list of packets */
    CM_WORKLOAD_SAVE,   /* file to write. Files of all other kinds are read */
};

struct cm_workload_file {
    struct cm_workload_file *next;
    enum cm_workload_file_kind kind;
    struct cm_json json; /* place in the JSON text where the workload names the file */
    const char *written; /* path as written in the workload */
    char path[];         /* path after it was joined to the workload's folder */
};

/* Returns the first of all files that the workload names, in the order of reading and linked by
 * `next`, or NULL if there are no files. Compare their paths with cm_file_same. */
const struct cm_workload_file *cm_workload_files(const struct cm_workload *workload);

/* Reads the path of a file and adds the file to the workload. `what` names the value in error
 * messages. Returns NULL once the reader has failed. */
const struct cm_workload_file *cm_workload_read_file(struct cm_workload *workload,
                                                     struct cm_reader *reader, struct cm_json json,
                                                     const char *what,
                                                     enum cm_workload_file_kind kind);

/* Refuses a file that an untrusted workload may not read or write (CM_BAD_INPUT, with the place in
 * the workload that names the file). Fails with CM_NO_MEMORY. */
enum cm_status cm_workload_check_file(const struct cm_workload *workload,
                                      const struct cm_workload_file *file, struct cm_error *err);

#endif
