/* The sample data as a stream of uncompressed bytes, seen through a window that slides over it. */
#ifndef READER_DATA_STREAM_H
#define READER_DATA_STREAM_H

#include "reader/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct reader_data_stream {
    const uint8_t *next; /* first byte that was not consumed */
    const uint8_t *end;  /* end of what the window holds; zeros for padding follow */
    uint64_t end_offset; /* what offset `end` has in the uncompressed data */
    bool at_end;         /* nothing comes after `end` */

    const binprof_reader *reader;
    uint8_t *window;
    size_t window_size;   /* without padding */
    uint64_t file_offset; /* of the next byte to read */

    struct ZSTD_DCtx_s *zstd; /* NULL for data that is not compressed */
    uint8_t *input;
    size_t input_size;
    size_t input_used;
    bool in_frame; /* the zstd frame begun has not ended */
} reader_data_stream;

binprof_status reader_data_stream_open(reader_data_stream *stream, const binprof_reader *reader,
                                       binprof_error *error);
void reader_data_stream_close(reader_data_stream *stream);

/* Adds bytes behind `end`, or sets at_end. What was not consumed stays, but moves: pointers into
 * the window are void. The window grows where it is full, so that the caller gets any record
 * together. */
binprof_status reader_data_stream_more(reader_data_stream *stream, binprof_error *error);

#endif
