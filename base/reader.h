/*
 * Reads a JSON document key by key. After the first error a reader returns 0, false or NULL, and
 * ignores later faults. So callers read on without checks, and look at `status` once at the end.
 */
#ifndef CM_BASE_READER_H
#define CM_BASE_READER_H

#include "json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* State of reading a document. */
struct cm_reader {
    enum cm_status status; /* CM_OK until the first error */
    struct cm_error *err;  /* error that the first failure fills. May be NULL */
    /* True if the last call of cm_reader_fail made the error, so that cm_reader_hint may add a hint
     */
    bool failed_now;
};

/* Returns a reader without an error, which will fill *err (which may be NULL). */
CM_API struct cm_reader cm_reader_make(struct cm_error *err);
/* Returns true if nothing has failed. */
CM_API bool cm_reader_ok(const struct cm_reader *reader);
/* Reports CM_BAD_INPUT at the place of `value`, with its source line. */
CM_API void cm_reader_fail(struct cm_reader *reader, struct cm_json value, const char *format, ...)
    CM_PRINTF(3, 4);
/* Adds advice to the error that cm_reader_fail has just made. It does nothing if an earlier error
 * exists. */
CM_API void cm_reader_hint(struct cm_reader *reader, const char *format, ...) CM_PRINTF(2, 3);
/* Takes over the status of a function that filled reader->err itself. The function must only be
 * called while the reader has no error, because it would overwrite the error. */
CM_API void cm_reader_take(struct cm_reader *reader, enum cm_status status);
/* Returns zeroed memory for `count` entries of `size` bytes, for the caller to free with free().
 * Fails with CM_NO_MEMORY and returns NULL. */
CM_API void *cm_reader_allocate(struct cm_reader *reader, size_t count, size_t size);

/*
 * These functions read a value of a given type. `what` names the value in messages. A value of
 * another kind or out of range is reported as CM_BAD_INPUT, with its place and what was expected.
 */
CM_API void cm_read_kind(struct cm_reader *reader, struct cm_json value, enum cm_json_kind kind,
                         const char *what);
/* Reads an integer, exact to 64 bits. 1e3 and 2.0 are integers, 1.5 is not. */
CM_API uint64_t cm_read_u64(struct cm_reader *reader, struct cm_json value, const char *what,
                            uint64_t min, uint64_t max);
CM_API int64_t cm_read_i64(struct cm_reader *reader, struct cm_json value, const char *what,
                           int64_t min, int64_t max);
/* Reads a finite double. A number beyond the range of doubles is an error. */
CM_API double cm_read_f64(struct cm_reader *reader, struct cm_json value, const char *what);
CM_API bool cm_read_bool(struct cm_reader *reader, struct cm_json value, const char *what);
/* Reads a string, which lives as long as the document. A string with \u0000 is refused. */
CM_API const char *cm_read_string(struct cm_reader *reader, struct cm_json value, const char *what);
/* Reads text that is shown on terminals. Control characters are refused, and so are characters that
 * change the direction of text. */
CM_API const char *cm_read_title(struct cm_reader *reader, struct cm_json value, const char *what);
/* Reads one of `names`, and returns its index. The message for an unknown name suggests the nearest
 * one. */
CM_API uint32_t cm_read_name(struct cm_reader *reader, struct cm_json value, const char *what,
                             const char *const *names, uint32_t count);
/* Reads the length of a list, which must be from `min` to `max`. */
CM_API uint32_t cm_read_list(struct cm_reader *reader, struct cm_json value, const char *what,
                             uint32_t min, uint32_t max);
/* Checks that `value` is an object whose keys are all among `keys`. The message for an unknown key
 * points to the key and suggests the nearest one. */
CM_API void cm_read_keys(struct cm_reader *reader, struct cm_json value, const char *what,
                         const char *const *keys, uint32_t count);
/* Returns a required member of an object. If the member is missing, the message points to the
 * object and names the key. */
CM_API struct cm_json cm_read_member(struct cm_reader *reader, struct cm_json object,
                                     const char *key);
/* Finds an optional member. Returns false if it is missing, or if the reader has failed. */
CM_API bool cm_read_optional(const struct cm_reader *reader, struct cm_json object, const char *key,
                             struct cm_json *member);

#ifdef __cplusplus
}
#endif

#endif
