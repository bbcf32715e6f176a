#include "support/builder.h"

#include "base/array.h"
#include "format/capture.h"
#include "format/record.h"
#include "format/tables.h"

#include <stdlib.h>
#include <string.h>

#ifdef BINPROF_WITH_ZSTD
#include <zstd.h>
#endif

void builder_free(builder *capture)
{
    free(capture->data.bytes);
    free(capture->strings.bytes);
    free(capture->frames.bytes);
}

static uint8_t *reserve(builder_bytes *bytes, size_t size)
{
    bytes->bytes = array_reserve(bytes->bytes, &bytes->capacity, bytes->size + size, 1);
    if (bytes->bytes == NULL)
        abort();
    return bytes->bytes + bytes->size;
}

static void advance(builder_bytes *bytes, const uint8_t *end)
{
    bytes->size = (size_t)(end - bytes->bytes);
}

void builder_put(builder_bytes *bytes, const void *data, size_t size)
{
    if (size == 0)
        return;
    memcpy(reserve(bytes, size), data, size);
    bytes->size += size;
}

void builder_put_byte(builder_bytes *bytes, uint8_t byte)
{
    builder_put(bytes, &byte, 1);
}

void builder_put_varint(builder_bytes *bytes, uint64_t value)
{
    advance(bytes, format_varint_put(reserve(bytes, FORMAT_VARINT_MAX), value));
}

void builder_string(builder *capture, const char *text, size_t length)
{
    builder_put_varint(&capture->strings, length);
    builder_put(&capture->strings, text, length);
    capture->string_count++;
}

void builder_frame(builder *capture, uint32_t filename, uint32_t function)
{
    binprof_frame frame = {.filename = filename,
                           .function = function,
                           .line = 1,
                           .end_line = 1,
                           .opcode = BINPROF_NO_OPCODE};
    builder_bytes *frames = &capture->frames;
    advance(frames, format_frame_put(reserve(frames, FORMAT_FRAME_MAX), &frame));
    capture->frame_count++;
}

void builder_repeat(builder_bytes *data, uint64_t thread, uint64_t count)
{
    uint8_t *p = reserve(data, FORMAT_RECORD_HEAD_MAX);
    p = format_record_prefix_put(p, thread, 0, BINPROF_RECORD_REPEAT);
    advance(data, format_varint_put(p, count));
}

void builder_stack(builder_bytes *data, uint64_t thread, binprof_record_kind kind,
                   uint64_t kept_or_removed, uint64_t frame_count)
{
    format_record_head head = {.thread_id = thread,
                               .kind = (uint8_t)kind,
                               .shared = kept_or_removed,
                               .pop = kept_or_removed,
                               .frame_count = frame_count};
    advance(data, format_record_head_put(reserve(data, FORMAT_RECORD_HEAD_MAX), &head));
}

void builder_compress(builder *capture, int level)
{
    capture->zstd = true;
#ifdef BINPROF_WITH_ZSTD
    builder_bytes packed = {NULL, 0, 0};
    size_t room = ZSTD_compressBound(capture->data.size);
    size_t size =
        ZSTD_compress(reserve(&packed, room), room, capture->data.bytes, capture->data.size, level);
    if (ZSTD_isError(size))
        abort();
    packed.size = size;
    free(capture->data.bytes);
    capture->data = packed;
#else
    (void)level;
#endif
}

builder_bytes builder_finish(const builder *capture)
{
    binprof_info info = {
        .facts = {.interval_us = 1000},
        .zstd = capture->zstd,
        .sample_count = capture->sample_count,
        .thread_count = capture->thread_count,
        .string_count = capture->string_count,
        .frame_count = capture->frame_count,
    };
    info.string_table_offset = FORMAT_HEADER_SIZE + capture->data.size;
    info.frame_table_offset = info.string_table_offset + capture->strings.size;
    info.file_size = info.frame_table_offset + capture->frames.size + FORMAT_FOOTER_SIZE;

    builder_bytes file = {NULL, 0, 0};
    uint8_t block[FORMAT_HEADER_SIZE];
    format_header_put(block, &info);
    builder_put(&file, block, FORMAT_HEADER_SIZE);
    builder_put(&file, capture->data.bytes, capture->data.size);
    builder_put(&file, capture->strings.bytes, capture->strings.size);
    builder_put(&file, capture->frames.bytes, capture->frames.size);
    format_footer_put(block, &info);
    builder_put(&file, block, FORMAT_FOOTER_SIZE);
    return file;
}
