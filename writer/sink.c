#include "writer/sink.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#ifdef BINPROF_WITH_ZSTD
#include <zstd.h>

static binprof_status fail_zstd(const writer_sink *sink, size_t result, binprof_error *error)
{
    return error_set(error, BINPROF_ERROR_MEMORY, BINPROF_NO_OFFSET, "%s: cannot compress: %s",
                     sink->target->name, ZSTD_getErrorName(result));
}

static binprof_status open_zstd(writer_sink *sink, int level, binprof_error *error)
{
    sink->zstd = ZSTD_createCCtx();
    sink->compressed_size = ZSTD_CStreamOutSize();
    sink->compressed = malloc(sink->compressed_size);
    if (sink->zstd == NULL || sink->compressed == NULL)
        return error_set_memory(error);
    size_t result = ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_compressionLevel, level);
    /* Begins the frame, so that zstd allocates all that it needs here: later, where samples wait in
     * the buffer, a failure would be for good. */
    ZSTD_inBuffer nothing = {sink->buffer, 0, 0};
    ZSTD_outBuffer nowhere = {sink->compressed, 0, 0};
    if (!ZSTD_isError(result))
        result = ZSTD_compressStream2(sink->zstd, &nowhere, &nothing, ZSTD_e_continue);
    return ZSTD_isError(result) ? fail_zstd(sink, result, error) : BINPROF_OK;
}

static void close_zstd(writer_sink *sink)
{
    ZSTD_freeCCtx(sink->zstd);
    sink->zstd = NULL;
}

/* Compresses the buffer; with ZSTD_e_end, to the end of the frame. */
static binprof_status compress(writer_sink *sink, bool end, binprof_error *error)
{
    ZSTD_inBuffer input = {sink->buffer, sink->used, 0};
    size_t left;
    do {
        ZSTD_outBuffer output = {sink->compressed, sink->compressed_size, 0};
        left =
            ZSTD_compressStream2(sink->zstd, &output, &input, end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return fail_zstd(sink, left, error);
        binprof_status status =
            output_target_write(sink->target, sink->compressed, output.pos, error);
        if (status != BINPROF_OK)
            return status;
        sink->written += output.pos;
    } while (input.pos < input.size || (end && left > 0));
    return BINPROF_OK;
}

#else

static binprof_status open_zstd(writer_sink *sink, int level, binprof_error *error)
{
    (void)level;
    return error_set(error, BINPROF_ERROR_UNSUPPORTED, BINPROF_NO_OFFSET,
                     "%s: cannot compress with zstd, which this build of binprof was made without",
                     sink->target->name);
}

static void close_zstd(writer_sink *sink)
{
    sink->zstd = NULL;
}

static binprof_status compress(writer_sink *sink, bool end, binprof_error *error)
{
    (void)end;
    return open_zstd(sink, 0, error);
}

#endif

binprof_status writer_sink_open(writer_sink *sink, output_target *target, int level,
                                binprof_error *error)
{
    *sink = (writer_sink){.target = target};
    sink->buffer = malloc(WRITER_BUFFER_SIZE);
    if (sink->buffer == NULL)
        return error_set_memory(error);
    return level == 0 ? BINPROF_OK : open_zstd(sink, level, error);
}

void writer_sink_close(writer_sink *sink)
{
    close_zstd(sink);
    free(sink->compressed);
    free(sink->buffer);
    *sink = (writer_sink){.target = NULL};
}

static binprof_status write_plain(writer_sink *sink, binprof_error *error)
{
    binprof_status status = output_target_write(sink->target, sink->buffer, sink->used, error);
    sink->written += sink->used;
    return status;
}

binprof_status writer_sink_flush(writer_sink *sink, binprof_error *error)
{
    binprof_status status =
        sink->zstd != NULL ? compress(sink, false, error) : write_plain(sink, error);
    sink->failed = status != BINPROF_OK;
    sink->flushed += sink->used;
    sink->used = 0;
    return status;
}

binprof_status writer_sink_end_data(writer_sink *sink, binprof_error *error)
{
    if (sink->zstd == NULL)
        return writer_sink_flush(sink, error);
    binprof_status status = compress(sink, true, error);
    sink->flushed += sink->used;
    sink->used = 0;
    close_zstd(sink);
    return status;
}

binprof_status writer_sink_append(writer_sink *sink, const void *data, size_t size,
                                  binprof_error *error)
{
    const uint8_t *next = data;
    while (size > 0) {
        size_t room = WRITER_BUFFER_SIZE - sink->used;
        size_t part = size < room ? size : room;
        memcpy(sink->buffer + sink->used, next, part);
        sink->used += part;
        next += part;
        size -= part;
        if (sink->used < WRITER_BUFFER_SIZE)
            continue;
        binprof_status status = writer_sink_flush(sink, error);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}
