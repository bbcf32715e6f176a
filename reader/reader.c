#include "reader/reader.h"

#include "base/error.h"
#include "format/capture.h"

#include <stdlib.h>

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

    /* The end of the file, as far back as the statistics may reach, but not into the frame table's
     * start. */
    uint64_t room = source->size - info->frame_table_offset;
    size_t tail_size = FORMAT_STATISTICS_SIZE + FORMAT_FOOTER_SIZE;
    if (room < tail_size)
        tail_size = (size_t)room;
    uint8_t tail[FORMAT_STATISTICS_SIZE + FORMAT_FOOTER_SIZE];
    status = reader_source_read(source, source->size - tail_size, tail, tail_size, error);
    if (status != BINPROF_OK)
        return status;
    const uint8_t *footer = tail + tail_size - FORMAT_FOOTER_SIZE;
    status = format_footer_get(footer, source->name, info, error);
    if (status != BINPROF_OK)
        return status;
    format_statistics_get(footer, room - FORMAT_FOOTER_SIZE, info);
    return BINPROF_OK;
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
