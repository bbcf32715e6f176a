/* Where a capture's bytes come from: a file, read in pieces, or memory.
 *
 * Files are read and not mapped: a file that shrinks while it is mapped would end in a signal. */
#ifndef READER_SOURCE_H
#define READER_SOURCE_H

#include <binprof/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct reader_source {
    char *name; /* for messages */
    int fd;     /* -1 for memory */
    bool owns_fd;
    const uint8_t *memory; /* NULL for a file */
    uint8_t *owned_memory; /* what was read from a pipe */
    uint64_t size;
} reader_source;

binprof_status reader_source_open_path(reader_source *source, const char *path,
                                       binprof_error *error);
binprof_status reader_source_open_fd(reader_source *source, int fd, const char *name,
                                     binprof_error *error);
binprof_status reader_source_open_memory(reader_source *source, const void *data, size_t size,
                                         const char *name, binprof_error *error);
void reader_source_close(reader_source *source);

/* Reads exactly `size` bytes at `offset`, which must lie within source->size. */
binprof_status reader_source_read(const reader_source *source, uint64_t offset, void *buffer,
                                  size_t size, binprof_error *error);

#endif
