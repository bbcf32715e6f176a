/* The bytes of a capture in file order: collected in a buffer, compressed while they are sample
 * data, written to the target. */
#ifndef WRITER_SINK_H
#define WRITER_SINK_H

#include "output/target.h"

#include <binprof/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As CPython: what zstd is given at once. */
#define WRITER_BUFFER_SIZE ((size_t)512 * 1024)

typedef struct writer_sink {
    output_target *target;
    uint8_t *buffer; /* WRITER_BUFFER_SIZE bytes */
    size_t used;
    uint64_t flushed;         /* bytes that left the buffer */
    uint64_t written;         /* bytes that went to the target */
    struct ZSTD_CCtx_s *zstd; /* NULL: what comes is not compressed */
    uint8_t *compressed;
    size_t compressed_size;
    bool failed; /* bytes were lost: the file cannot be finished any more */
} writer_sink;

/* level: of zstd, or 0 for no compression. */
binprof_status writer_sink_open(writer_sink *sink, output_target *target, int level,
                                binprof_error *error);
void writer_sink_close(writer_sink *sink);

/* Empties the buffer. */
binprof_status writer_sink_flush(writer_sink *sink, binprof_error *error);

/* Empties the buffer and ends the compression: what comes next is written as it is. */
binprof_status writer_sink_end_data(writer_sink *sink, binprof_error *error);

/* Appends bytes, however many. */
binprof_status writer_sink_append(writer_sink *sink, const void *data, size_t size,
                                  binprof_error *error);

/* Makes room for `size` bytes, at most WRITER_BUFFER_SIZE, at buffer + used. */
static inline binprof_status writer_sink_reserve(writer_sink *sink, size_t size,
                                                 binprof_error *error)
{
    if (WRITER_BUFFER_SIZE - sink->used >= size)
        return BINPROF_OK;
    return writer_sink_flush(sink, error);
}

/* Says where the bytes put at buffer + used end. */
static inline void writer_sink_advance(writer_sink *sink, const uint8_t *end)
{
    sink->used = (size_t)(end - sink->buffer);
}

#endif
