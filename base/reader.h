/*
 * Reading a document so that the first error sticks. After it a reader does nothing more: what it
 * reads is 0, false or NULL, and later faults are passed over. So callers read on without looking,
 * and look at `status` once at the end.
 */
#ifndef CM_BASE_READER_H
#define CM_BASE_READER_H

#include "json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a document key by key; the first error sticks. */
struct cm_reader {
    enum cm_status status; /* CM_OK until the first error */
    struct cm_error *err;  /* filled by the first error; may be NULL */
    bool failed_now;       /* by the last call of cm_reader_fail, which cm_reader_hint completes */
};

/* A reader without an error, which will fill *err (which may be NULL). */
CM_API struct cm_reader cm_reader_make(struct cm_error *err);
/* Whether nothing has failed. */
CM_API bool cm_reader_ok(const struct cm_reader *reader);
/* CM_BAD_INPUT at the place of `value`, with its source line. */
CM_API void cm_reader_fail(struct cm_reader *reader, struct cm_json value, const char *format, ...)
    CM_PRINTF(3, 4);
/* The way out, of the error that cm_reader_fail has just made; nothing if an earlier one stuck. */
CM_API void cm_reader_hint(struct cm_reader *reader, const char *format, ...) CM_PRINTF(2, 3);
/* Takes over what a function returned that filled reader->err itself; call it only while the
 * reader is free of errors, or the error is overwritten. */
CM_API void cm_reader_take(struct cm_reader *reader, enum cm_status status);
/* Zeroed memory for `count` entries of `size` bytes; CM_NO_MEMORY and NULL when there is not
 * enough. Free it with free(). */
CM_API void *cm_reader_allocate(struct cm_reader *reader, size_t count, size_t size);

/*
 * Typed values; `what` names the value in messages. A value of another kind or out of range is
 * CM_BAD_INPUT, with its place and what was expected.
 */
CM_API void cm_read_kind(struct cm_reader *reader, struct cm_json value, enum cm_json_kind kind,
                         const char *what);
/* An integer, exact to 64 bits (1e3 and 2.0 are integers too; 1.5 is not). */
CM_API uint64_t cm_read_u64(struct cm_reader *reader, struct cm_json value, const char *what,
                            uint64_t min, uint64_t max);
CM_API int64_t cm_read_i64(struct cm_reader *reader, struct cm_json value, const char *what,
                           int64_t min, int64_t max);
/* A finite double; a number too large for one is an error. */
CM_API double cm_read_f64(struct cm_reader *reader, struct cm_json value, const char *what);
CM_API bool cm_read_bool(struct cm_reader *reader, struct cm_json value, const char *what);
/* A string, which lives as long as the document. One with \u0000 in it is refused. */
CM_API const char *cm_read_string(struct cm_reader *reader, struct cm_json value, const char *what);
/* The same for text that is shown on terminals: without control characters, and without those that
 * change the direction of the text. */
CM_API const char *cm_read_title(struct cm_reader *reader, struct cm_json value, const char *what);
/* One of `names`, as its index. An unknown name gets a did-you-mean. */
CM_API uint32_t cm_read_name(struct cm_reader *reader, struct cm_json value, const char *what,
                             const char *const *names, uint32_t count);
/* The entries of a list: their number, from `min` to `max`. */
CM_API uint32_t cm_read_list(struct cm_reader *reader, struct cm_json value, const char *what,
                             uint32_t min, uint32_t max);
/* Checks that `value` is an object whose keys are all among `keys` (did-you-mean for an unknown
 * one, placed at its key). */
CM_API void cm_read_keys(struct cm_reader *reader, struct cm_json value, const char *what,
                         const char *const *keys, uint32_t count);
/* A member that must be there; the missing key is named at the object's place otherwise. */
CM_API struct cm_json cm_read_member(struct cm_reader *reader, struct cm_json object,
                                     const char *key);
/* A member that may be missing; false too once the reader has failed. */
CM_API bool cm_read_optional(const struct cm_reader *reader, struct cm_json object, const char *key,
                             struct cm_json *member);

#ifdef __cplusplus
}
#endif

#endif
