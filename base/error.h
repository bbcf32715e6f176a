/* Filling the caller's binprof_error. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <binprof/error.h>

/* Fills *error (which may be NULL) and returns its code, so that a failing function can
 * `return error_set(…)`. The offset is BINPROF_NO_OFFSET where no place in a file is meant. */
binprof_status error_set(binprof_error *error, binprof_status code, uint64_t offset,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for a system call that failed: adds what errno says. Where that is ENOMEM, as
 * error_set_memory. */
binprof_status error_set_system(binprof_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

binprof_status error_set_memory(binprof_error *error);

/* Returns a copy of a file's name as messages call it, to be freed; NULL when there is no memory.
 * A long one is cut at its front, so that what is wrong with the file has room in the message;
 * control characters become "?". */
char *error_copy_name(const char *name);

#endif
