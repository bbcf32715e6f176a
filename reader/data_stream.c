#include "reader/data_stream.h"

#include "base/error.h"
#include "format/capture.h"
#include "format/varint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef BINPROF_WITH_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

/* A window that stays in the second level cache is decompressed into and decoded from fastest. */
#define WINDOW_SIZE ((size_t)256 * 1024)
#define INPUT_SIZE ((size_t)128 * 1024)

static uint64_t data_end(const binprof_reader *reader)
{
    return reader->info.string_table_offset;
}

static bool resize_window(reader_data_stream *stream, size_t size)
{
    uint8_t *window = realloc(stream->window, size + FORMAT_PADDING);
    if (window == NULL)
        return false;
    stream->window = window;
    stream->window_size = size;
    return true;
}

binprof_status reader_data_stream_open(reader_data_stream *stream, const binprof_reader *reader,
                                       binprof_error *error)
{
    *stream = (reader_data_stream){.reader = reader, .file_offset = FORMAT_HEADER_SIZE};
    if (!resize_window(stream, WINDOW_SIZE))
        return error_set_memory(error);
    memset(stream->window, 0, FORMAT_PADDING);
    stream->next = stream->window;
    stream->end = stream->window;
    if (!reader->info.zstd)
        return BINPROF_OK;
#ifdef BINPROF_WITH_ZSTD
    stream->zstd = ZSTD_createDCtx();
    stream->input = malloc(INPUT_SIZE);
    if (stream->zstd == NULL || stream->input == NULL)
        return error_set_memory(error);
    return BINPROF_OK;
#else
    return error_set(error, BINPROF_ERROR_UNSUPPORTED, BINPROF_NO_OFFSET,
                     "%s: its samples are compressed with zstd, which this build of binprof was "
                     "made without",
                     reader->source.name);
#endif
}

void reader_data_stream_close(reader_data_stream *stream)
{
#ifdef BINPROF_WITH_ZSTD
    ZSTD_freeDCtx(stream->zstd);
#endif
    free(stream->input);
    free(stream->window);
}

/* Reads the next piece of the file's sample data, at most `size` bytes; 0 at its end. */
static binprof_status read_piece(reader_data_stream *stream, uint8_t *buffer, size_t size,
                                 size_t *got, binprof_error *error)
{
    uint64_t left = data_end(stream->reader) - stream->file_offset;
    *got = left < size ? (size_t)left : size;
    binprof_status status =
        reader_source_read(&stream->reader->source, stream->file_offset, buffer, *got, error);
    if (status == BINPROF_OK)
        stream->file_offset += *got;
    return status;
}

static binprof_status fill_plain(reader_data_stream *stream, uint8_t *buffer, size_t size,
                                 size_t *got, binprof_error *error)
{
    return read_piece(stream, buffer, size < INPUT_SIZE ? size : INPUT_SIZE, got, error);
}

#ifdef BINPROF_WITH_ZSTD

/* The file offset of the next byte that zstd will see. */
static uint64_t input_offset(const reader_data_stream *stream)
{
    return stream->file_offset - (stream->input_size - stream->input_used);
}

static binprof_status refill_input(reader_data_stream *stream, binprof_error *error)
{
    stream->input_used = 0;
    stream->input_size = 0;
    return read_piece(stream, stream->input, INPUT_SIZE, &stream->input_size, error);
}

static binprof_status fail_zstd(const reader_data_stream *stream, size_t result,
                                binprof_error *error)
{
    ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    if (code == ZSTD_error_memory_allocation)
        return error_set_memory(error);
    /* Valid, but not without more memory than a capture is worth, or without a dictionary. */
    bool is_unsupported =
        code == ZSTD_error_frameParameter_windowTooLarge || code == ZSTD_error_dictionary_wrong;
    uint64_t offset = input_offset(stream);
    return error_set(error, is_unsupported ? BINPROF_ERROR_UNSUPPORTED : BINPROF_ERROR_FORMAT,
                     offset, "%s: the compressed sample data %s near offset %" PRIu64 ": %s",
                     stream->reader->source.name,
                     is_unsupported ? "is of a kind that is not supported" : "is damaged", offset,
                     ZSTD_getErrorName(result));
}

/* Frames follow each other, skippable ones among them, and zstd steps from one to the next. Gives
 * what a whole piece of input holds: with a frame at a time, a long record in tiny frames would be
 * begun again for each. */
static binprof_status fill_zstd(reader_data_stream *stream, uint8_t *buffer, size_t size,
                                size_t *got, binprof_error *error)
{
    ZSTD_outBuffer output = {buffer, size, 0};
    while (output.pos == 0 || (output.pos < size && stream->input_used < stream->input_size)) {
        if (stream->input_used == stream->input_size) {
            binprof_status status = refill_input(stream, error);
            if (status != BINPROF_OK)
                return status;
        }
        bool input_ended = stream->input_size == 0;
        if (input_ended && !stream->in_frame)
            break;
        ZSTD_inBuffer input = {stream->input, stream->input_size, stream->input_used};
        size_t result = ZSTD_decompressStream(stream->zstd, &output, &input);
        stream->input_used = input.pos;
        if (ZSTD_isError(result))
            return fail_zstd(stream, result, error);
        stream->in_frame = result != 0;
        if (input_ended && output.pos == 0 && stream->in_frame)
            return error_set(error, BINPROF_ERROR_TRUNCATED, stream->file_offset,
                             "%s: truncated: the compressed sample data breaks off at offset "
                             "%" PRIu64 " inside a zstd frame",
                             stream->reader->source.name, stream->file_offset);
    }
    *got = output.pos;
    return BINPROF_OK;
}

#else

static binprof_status fill_zstd(reader_data_stream *stream, uint8_t *buffer, size_t size,
                                size_t *got, binprof_error *error)
{
    return fill_plain(stream, buffer, size, got, error); /* never: it did not open */
}

#endif

binprof_status reader_data_stream_more(reader_data_stream *stream, binprof_error *error)
{
    size_t kept = (size_t)(stream->end - stream->next);
    if (kept > 0)
        memmove(stream->window, stream->next, kept);
    if (kept > stream->window_size / 2 && !resize_window(stream, stream->window_size * 2))
        return error_set_memory(error);

    uint8_t *end = stream->window + kept;
    size_t got = 0;
    binprof_status status = stream->reader->info.zstd
                                ? fill_zstd(stream, end, stream->window_size - kept, &got, error)
                                : fill_plain(stream, end, stream->window_size - kept, &got, error);
    memset(end + got, 0, FORMAT_PADDING);
    stream->next = stream->window;
    stream->end = end + got;
    stream->end_offset += got;
    stream->at_end = got == 0;
    return status;
}
