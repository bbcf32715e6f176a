#include "reader/tables.h"

#include "base/array.h"
#include "base/error.h"
#include "format/capture.h"
#include "format/tables.h"
#include "format/varint.h"

#include <inttypes.h>

/* A part of the file in memory, with the padding that decoders need. */
typedef struct table_section {
    uint8_t *bytes;
    size_t size;
    uint64_t offset;
} table_section;

static binprof_status read_section(const reader_source *source, uint64_t offset, uint64_t size,
                                   table_section *section, binprof_error *error)
{
    section->bytes =
        size > SIZE_MAX - FORMAT_PADDING ? NULL : malloc((size_t)size + FORMAT_PADDING);
    if (section->bytes == NULL) {
        (void)error_set_memory(error);
        return BINPROF_ERROR_MEMORY; /* said so that the analyzer sees it too */
    }
    section->size = (size_t)size;
    section->offset = offset;
    for (size_t i = 0; i < FORMAT_PADDING; i++)
        section->bytes[size + i] = 0;
    return reader_source_read(source, offset, section->bytes, (size_t)size, error);
}

static binprof_status load_strings(const reader_source *source, const binprof_info *info,
                                   const table_section *table, binprof_profile *profile,
                                   uint32_t *ids, binprof_error *error)
{
    const uint8_t *p = table->bytes;
    const uint8_t *end = p + table->size;
    for (uint32_t i = 0; i < info->string_count; i++) {
        uint64_t offset = table->offset + (uint64_t)(p - table->bytes);
        uint64_t length;
        const uint8_t *text = format_varint_get(p, &length);
        if (text == NULL || text > end || length > (uint64_t)(end - text))
            return error_set(error, BINPROF_ERROR_FORMAT, offset,
                             "%s: string %" PRIu32 " of %" PRIu32 " at offset %" PRIu64
                             " does not end within the string table, which ends at %" PRIu64,
                             source->name, i, info->string_count, offset,
                             table->offset + table->size);
        binprof_status status = binprof_profile_intern_string(profile, (const char *)text,
                                                              (size_t)length, &ids[i], error);
        if (status != BINPROF_OK)
            return status;
        p = text + length;
    }
    return BINPROF_OK;
}

/* Turns a frame of the file, whose names are table indices, into one of the profile. */
static binprof_status resolve_names(const reader_source *source, const binprof_info *info,
                                    const uint32_t *string_ids, uint32_t index, uint64_t offset,
                                    binprof_frame *frame, binprof_error *error)
{
    uint32_t count = info->string_count;
    if (frame->filename >= count || frame->function >= count)
        return error_set(error, BINPROF_ERROR_FORMAT, offset,
                         "%s: frame %" PRIu32 " at offset %" PRIu64 " names string %" PRIu32
                         ", but there are only %" PRIu32,
                         source->name, index, offset,
                         frame->filename >= count ? frame->filename : frame->function, count);
    frame->filename = string_ids[frame->filename];
    frame->function = string_ids[frame->function];
    return BINPROF_OK;
}

static binprof_status load_frames(const reader_source *source, const binprof_info *info,
                                  const table_section *table, binprof_profile *profile,
                                  const uint32_t *string_ids, uint32_t *ids, binprof_error *error)
{
    const uint8_t *p = table->bytes;
    const uint8_t *end = p + table->size;
    for (uint32_t i = 0; i < info->frame_count; i++) {
        uint64_t offset = table->offset + (uint64_t)(p - table->bytes);
        binprof_frame frame;
        const char *problem;
        p = format_frame_get(p, &frame, &problem);
        if (p == NULL)
            return error_set(error, BINPROF_ERROR_FORMAT, offset,
                             "%s: frame %" PRIu32 " at offset %" PRIu64 " has %s", source->name, i,
                             offset, problem);
        if (p > end)
            return error_set(error, BINPROF_ERROR_FORMAT, offset,
                             "%s: frame %" PRIu32 " of %" PRIu32 " at offset %" PRIu64
                             " does not end within the frame table, which ends at %" PRIu64,
                             source->name, i, info->frame_count, offset,
                             table->offset + table->size);
        binprof_status status = resolve_names(source, info, string_ids, i, offset, &frame, error);
        if (status != BINPROF_OK)
            return status;
        status = binprof_profile_intern_frame(profile, &frame, &ids[i], error);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}

/* An array for `count` ids; never NULL for want of entries. */
static uint32_t *allocate_ids(uint32_t count)
{
    return calloc((size_t)count + 1, sizeof(uint32_t));
}

binprof_status reader_tables_load(binprof_reader *reader, binprof_profile *profile,
                                  uint32_t **frame_ids, binprof_error *error)
{
    const reader_source *source = &reader->source;
    const binprof_info *info = &reader->info;
    table_section strings = {NULL, 0, 0};
    table_section frames = {NULL, 0, 0};
    uint32_t *string_ids = allocate_ids(info->string_count);
    uint32_t *ids = allocate_ids(info->frame_count);
    binprof_status status = BINPROF_OK;
    if (string_ids == NULL || ids == NULL)
        status = error_set_memory(error);

    if (status == BINPROF_OK)
        status =
            read_section(source, info->string_table_offset,
                         info->frame_table_offset - info->string_table_offset, &strings, error);
    if (status == BINPROF_OK)
        status = load_strings(source, info, &strings, profile, string_ids, error);
    free(strings.bytes);
    if (status == BINPROF_OK)
        status = read_section(source, info->frame_table_offset,
                              info->file_size - FORMAT_FOOTER_SIZE - info->statistics_size -
                                  info->frame_table_offset,
                              &frames, error);
    if (status == BINPROF_OK)
        status = load_frames(source, info, &frames, profile, string_ids, ids, error);
    free(frames.bytes);
    free(string_ids);
    if (status == BINPROF_OK && frame_ids != NULL)
        *frame_ids = ids;
    else
        free(ids);
    return status;
}

binprof_status binprof_reader_load_tables(binprof_reader *reader, binprof_profile *profile,
                                          binprof_error *error)
{
    return reader_tables_load(reader, profile, NULL, error);
}
