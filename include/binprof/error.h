/* How a failure is reported. */
#ifndef BINPROF_ERROR_H
#define BINPROF_ERROR_H

#include <binprof/export.h>
#include <stdint.h>

/* What went wrong, for programs. The message in binprof_error is for people. */
typedef enum binprof_status {
    BINPROF_OK = 0,
    BINPROF_ERROR_MEMORY,      /* an allocation failed */
    BINPROF_ERROR_IO,          /* the system refused: see binprof_error.system_error */
    BINPROF_ERROR_FORMAT,      /* the input contradicts the format's specification */
    BINPROF_ERROR_TRUNCATED,   /* the input was cut short, or its writer never finished it */
    BINPROF_ERROR_UNSUPPORTED, /* valid, but beyond this version or this build of the library */
    BINPROF_ERROR_LIMIT,       /* more than the format or the library can number */
    BINPROF_ERROR_ARGUMENT,    /* the caller passed something that cannot be */
    BINPROF_ERROR_CANCELLED,   /* the caller's callback asked to stop */
} binprof_status;

/* binprof_error.offset where no place in a file is meant. */
#define BINPROF_NO_OFFSET UINT64_MAX

/* Filled by a function that fails; untouched by one that succeeds. Needs no initialisation and no
 * clean-up. */
typedef struct binprof_error {
    binprof_status code;
    int system_error;  /* errno for BINPROF_ERROR_IO, else 0 */
    uint64_t offset;   /* byte offset in the file where it is wrong, or BINPROF_NO_OFFSET; for a
                          record of the sample data, the offset in the uncompressed data */
    char message[512]; /* one line without a final full stop: the file, the place, what was
                          expected; always ends with a NUL */
} binprof_error;

#endif
