/*
 * The files that a workload names: what it reads and what it saves. Paths are relative to the
 * workload's folder. A workload may come from a stranger, so unless it is trusted it writes below
 * its own folder or the current one only, replaces nothing but .npy files, and reads no devices and
 * no pipes.
 */
#ifndef CM_PROGRAMS_WORKLOAD_FILES_H
#define CM_PROGRAMS_WORKLOAD_FILES_H

#include "../../base/reader.h"

struct cm_workload;

enum cm_workload_file_kind {
    CM_WORKLOAD_MACHINE,
    CM_WORKLOAD_VALUES, /* the first values of an array */
    CM_WORKLOAD_DATA,   /* of a step: an IMP, a list of packets */
    CM_WORKLOAD_SAVE,   /* written; all others are read */
};

struct cm_workload_file {
    struct cm_workload_file *next;
    enum cm_workload_file_kind kind;
    struct cm_json json; /* where it is named */
    const char *written; /* as written there */
    char path[];         /* joined to the workload's folder */
};

/* All of them, in the order of reading, linked by `next`; NULL: the workload names no file. Paths
 * are compared by cm_file_same. */
const struct cm_workload_file *cm_workload_files(const struct cm_workload *workload);

/* Reads the path of a file and adds it; NULL once the reader has failed. `what` as in reader.h. */
const struct cm_workload_file *cm_workload_read_file(struct cm_workload *workload,
                                                     struct cm_reader *reader, struct cm_json json,
                                                     const char *what,
                                                     enum cm_workload_file_kind kind);

/* Whether a workload that is not trusted may read, or write, the file; CM_BAD_INPUT with its place
 * if not, CM_NO_MEMORY. */
enum cm_status cm_workload_check_file(const struct cm_workload *workload,
                                      const struct cm_workload_file *file, struct cm_error *err);

#endif
