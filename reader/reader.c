#include "reader/reader.h"

#include "base/error.h"
#include "format/capture.h"

#include <stdlib.h>

/* Statistics, if there are any, end where the footer begins. */
static binprof_status read_statistics(binprof_reader *reader, binprof_error *error)
{
    const reader_source *source = &reader->source;
    uint64_t end = source->size - FORMAT_FOOTER_SIZE;
    uint64_t room = end - reader->info.frame_table_offset;
    if (room < FORMAT_STATISTICS_TAIL)
        return BINPROF_OK;
    uint8_t bytes[FORMAT_STATISTICS_SIZE];
    binprof_status status = reader_source_read(source, end - FORMAT_STATISTICS_TAIL, bytes,
                                               FORMAT_STATISTICS_TAIL, error);
    if (status != BINPROF_OK)
        return status;
    uint32_t size;
    status = format_statistics_size_get(bytes, room, source->name, &reader->info, &size, error);
    if (status != BINPROF_OK || size == 0)
        return status;
    size_t looked_at = size < sizeof bytes ? size : sizeof bytes;
    status = reader_source_read(source, end - size, bytes, looked_at, error);
    if (status != BINPROF_OK)
        return status;
    return format_statistics_get(bytes, size, source->name, &reader->info, error);
}

/* Reads and checks everything but the sample data and the tables. */
static binprof_status read_info(binprof_reader *reader, binprof_error *error)
{
    const reader_source *source = &reader->source;
    binprof_info *info = &reader->info;
    info->file_size = source->size;

    /* A shorter file is read as if zeros followed, so that the checks find out what it is. */
    uint8_t header[FORMAT_HEADER_SIZE] = {0};
    size_t header_size =
        source->size < FORMAT_HEADER_SIZE ? (size_t)source->size : FORMAT_HEADER_SIZE;
    if (header_size == 0)
        return error_set(error, BINPROF_ERROR_TRUNCATED, 0, "%s: truncated: the file is empty",
                         source->name);
    binprof_status status = reader_source_read(source, 0, header, header_size, error);
    if (status != BINPROF_OK)
        return status;
    status = format_header_get(header, source->name, info, error);
    if (status != BINPROF_OK)
        return status;

    uint8_t footer[FORMAT_FOOTER_SIZE];
    status =
        reader_source_read(source, source->size - FORMAT_FOOTER_SIZE, footer, sizeof footer, error);
    if (status != BINPROF_OK)
        return status;
    status = format_footer_get(footer, source->name, info, error);
    if (status != BINPROF_OK)
        return status;
    return read_statistics(reader, error);
}

/* Takes over the opened source, whether or not it opened well. */
static binprof_status finish_open(reader_source *source, binprof_status status,
                                  binprof_reader **reader, binprof_error *error)
{
    *reader = NULL;
    binprof_reader *opened = status == BINPROF_OK ? calloc(1, sizeof *opened) : NULL;
    if (opened == NULL) {
        reader_source_close(source);
        return status == BINPROF_OK ? error_set_memory(error) : status;
    }
    opened->source = *source;
    status = read_info(opened, error);
    if (status != BINPROF_OK) {
        binprof_reader_close(opened);
        return status;
    }
    *reader = opened;
    return BINPROF_OK;
}

binprof_status binprof_reader_open(const char *path, binprof_reader **reader, binprof_error *error)
{
    reader_source source;
    binprof_status status = reader_source_open_path(&source, path, error);
    return finish_open(&source, status, reader, error);
}

binprof_status binprof_reader_open_fd(int fd, const char *name, binprof_reader **reader,
                                      binprof_error *error)
{
    reader_source source;
    binprof_status status = reader_source_open_fd(&source, fd, name, error);
    return finish_open(&source, status, reader, error);
}

binprof_status binprof_reader_open_memory(const void *data, size_t size, const char *name,
                                          binprof_reader **reader, binprof_error *error)
{
    reader_source source;
    binprof_status status = reader_source_open_memory(&source, data, size, name, error);
    return finish_open(&source, status, reader, error);
}

void binprof_reader_close(binprof_reader *reader)
{
    if (reader == NULL)
        return;
    reader_source_close(&reader->source);
    free(reader);
}

const binprof_info *binprof_reader_info(const binprof_reader *reader)
{
    return &reader->info;
}

const binprof_encoding *binprof_reader_encoding(const binprof_reader *reader)
{
    return &reader->encoding;
}
