/* Bytes of a capture that no entry of its tables uses. */
#include "base/error.h"
#include "format/capture.h"
#include "format/tables.h"
#include "format/varint.h"
#include "reader/reader.h"
#include "tools/dump.h"

#include <stdlib.h>

/* Steps over one entry of a table; NULL, or a place past the end, for one that cannot be. */
typedef const uint8_t *(*skip_entry)(const uint8_t *p, const uint8_t *end);

static const uint8_t *skip_string(const uint8_t *p, const uint8_t *end)
{
    uint64_t length;
    p = format_varint_get(p, &length);
    if (p == NULL || p > end || length > (uint64_t)(end - p))
        return NULL;
    return p + length;
}

static const uint8_t *skip_frame(const uint8_t *p, const uint8_t *end)
{
    (void)end;
    binprof_frame frame;
    const char *problem;
    return format_frame_get(p, &frame, &problem);
}

/* Stores what the entries of the table between the offsets leave over. */
static binprof_status measure(const dump_context *dump, uint64_t start, uint64_t end,
                              uint32_t count, skip_entry skip, uint64_t *gap, binprof_error *error)
{
    uint64_t size = end - start;
    uint8_t *bytes =
        size > SIZE_MAX - FORMAT_PADDING ? NULL : calloc(1, (size_t)size + FORMAT_PADDING);
    if (bytes == NULL)
        return dump_fail_memory(error);
    binprof_status status =
        reader_source_read(&dump->reader->source, start, bytes, (size_t)size, error);
    const uint8_t *p = bytes;
    const uint8_t *table_end = bytes + size;
    for (uint32_t i = 0; status == BINPROF_OK && i < count; i++) {
        p = skip(p, table_end);
        if (p == NULL || p > table_end)
            status = error_set(error, BINPROF_ERROR_FORMAT, start, "%s: changed while it was read",
                               dump->name);
    }
    if (status == BINPROF_OK)
        *gap = (uint64_t)(table_end - p);
    free(bytes);
    return status;
}

binprof_status dump_measure_gaps(const dump_context *dump, dump_gaps *gaps, binprof_error *error)
{
    const binprof_info *info = dump->info;
    uint64_t tables_end = info->file_size - FORMAT_FOOTER_SIZE - info->statistics_size;
    binprof_status status = measure(dump, info->string_table_offset, info->frame_table_offset,
                                    info->string_count, skip_string, &gaps->after_strings, error);
    if (status != BINPROF_OK)
        return status;
    return measure(dump, info->frame_table_offset, tables_end, info->frame_count, skip_frame,
                   &gaps->after_frames, error);
}
