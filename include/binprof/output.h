/* Where an output goes. */
#ifndef BINPROF_OUTPUT_H
#define BINPROF_OUTPUT_H

#include <binprof/error.h>
#include <stdbool.h>

/* A file by path, or an open file descriptor. Initialise with {.path = …} or
 * {.fd = …, .name = …}; what is not named is off.
 *
 * A path is written whole or not at all: the bytes go to a new file beside it, which takes its name
 * (and the mode of a file that it replaces) when everything is written. A symbolic link is
 * followed, one that leads nowhere is replaced. Where the path names no regular file, such as a
 * pipe or a device, it is written directly. The library keeps its own copy of the texts. A file
 * descriptor stays the caller's, and open. */
typedef struct binprof_output {
    const char *path; /* NULL: use fd */
    int fd;
    const char *name; /* what messages call the fd; NULL for "output" */
    bool sync;        /* flush to the disk (fsync) before the output counts as written */
    /* Asked now and then while the output is written; true stops it with
     * BINPROF_ERROR_CANCELLED. May be NULL. */
    bool (*cancelled)(void *context);
    void *context;
} binprof_output;

#endif
