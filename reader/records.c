#include "reader/records.h"

#include "base/array.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

binprof_status reader_records_init(binprof_records *records, binprof_reader *reader,
                                   binprof_error *error)
{
    records->reader = reader;
    records->record = (binprof_record){.index = 0};
    records->record_count = 0;
    records->samples_left = reader->info.sample_count;
    records->repeat_left = 0;
    records->frames = NULL;
    records->frame_capacity = 0;
    return reader_data_stream_open(&records->stream, reader, error);
}

void reader_records_clear(binprof_records *records)
{
    reader_data_stream_close(&records->stream);
    free(records->frames);
}

binprof_status reader_records_fail(const binprof_records *records, binprof_status code,
                                   binprof_error *error, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(error, code, records->record.offset,
                     "%s: record %" PRIu64 " at offset %" PRIu64 " of the uncompressed samples %s",
                     records->reader->source.name, records->record.index, records->record.offset,
                     what);
}

/* What is to be done when a record goes past the end of the window: fetch more, or say that the
 * data breaks off when there is no more. */
static binprof_status fetch(binprof_records *records, binprof_error *error)
{
    binprof_status status = reader_data_stream_more(&records->stream, error);
    if (status != BINPROF_OK)
        return status;
    if (records->stream.at_end)
        return reader_records_fail(records, BINPROF_ERROR_TRUNCATED, error,
                                   "is truncated: the sample data ends within it, at offset "
                                   "%" PRIu64,
                                   records->stream.end_offset);
    return BINPROF_OK;
}

static binprof_status fail_varint(const binprof_records *records, binprof_error *error)
{
    return reader_records_fail(records, BINPROF_ERROR_FORMAT, error,
                               "has a varint that does not fit 64 bits");
}

/* Decodes up to `wanted` entries of a repeat from stream->next on, as many as the window holds
 * whole, and steps behind them. */
static binprof_status get_entries(binprof_records *records, size_t wanted, size_t *count,
                                  binprof_error *error)
{
    reader_data_stream *stream = &records->stream;
    const uint8_t *p = stream->next;
    const uint8_t *end = stream->end;
    size_t done = 0;
    while (done < wanted) {
        const uint8_t *status = format_varint_get(p, &records->deltas_us[done]);
        if (status == NULL)
            return fail_varint(records, error);
        if (status >= end)
            break;
        records->statuses[done++] = *status;
        p = status + 1;
    }
    stream->next = p;
    *count = done;
    return BINPROF_OK;
}

/* Decodes the next entries of the current repeat, at least one. */
static binprof_status next_piece(binprof_records *records, binprof_error *error)
{
    size_t wanted =
        records->repeat_left < READER_PIECE ? (size_t)records->repeat_left : READER_PIECE;
    size_t count = 0;
    for (;;) {
        binprof_status status = get_entries(records, wanted, &count, error);
        if (status != BINPROF_OK)
            return status;
        if (count > 0)
            break;
        status = fetch(records, error);
        if (status != BINPROF_OK)
            return status;
    }
    records->record.piece_length = count;
    records->repeat_left -= count;
    return BINPROF_OK;
}

static binprof_status reserve_frames(binprof_records *records, uint64_t count, binprof_error *error)
{
    if (count > BINPROF_READER_MAX_DEPTH)
        return reader_records_fail(records, BINPROF_ERROR_UNSUPPORTED, error,
                                   "has %" PRIu64
                                   " new frames; stacks are read up to a depth of %d",
                                   count, BINPROF_READER_MAX_DEPTH);
    uint32_t *frames =
        array_reserve(records->frames, &records->frame_capacity, (size_t)count, sizeof *frames);
    if (frames == NULL && count > 0)
        return error_set_memory(error);
    records->frames = frames;
    return BINPROF_OK;
}

/* Decodes the record's frame indices at p. Stores in *next what follows, or NULL when the window
 * ends before they do. */
static binprof_status get_frames(binprof_records *records, const uint8_t *p, uint64_t count,
                                 const uint8_t **next, binprof_error *error)
{
    *next = NULL;
    const uint8_t *end = records->stream.end;
    if (p > end || count > (uint64_t)(end - p)) /* each has a byte at least */
        return BINPROF_OK;
    uint32_t frame_count = records->reader->info.frame_count;
    uint32_t *frames = records->frames;
    for (size_t i = 0; i < count; i++) {
        uint64_t index;
        if (p >= end)
            return BINPROF_OK;
        p = format_varint_get(p, &index);
        if (p == NULL)
            return fail_varint(records, error);
        if (p > end)
            return BINPROF_OK;
        if (index >= frame_count)
            return reader_records_fail(records, BINPROF_ERROR_FORMAT, error,
                                       "uses frame %" PRIu64 ", but there are only %" PRIu32, index,
                                       frame_count);
        frames[i] = (uint32_t)index;
    }
    *next = p;
    return BINPROF_OK;
}

/* Lengths of a stack that no reader follows: they are errors wherever they stand. */
static binprof_status check_depths(binprof_records *records, const format_record_head *head,
                                   binprof_error *error)
{
    if (head->shared > BINPROF_READER_MAX_DEPTH)
        return reader_records_fail(records, BINPROF_ERROR_FORMAT, error,
                                   "keeps %" PRIu64 " frames, more than any stack has",
                                   head->shared);
    if (head->pop > BINPROF_READER_MAX_DEPTH)
        return reader_records_fail(records, BINPROF_ERROR_FORMAT, error,
                                   "removes %" PRIu64 " frames, more than any stack has",
                                   head->pop);
    return reserve_frames(records, head->frame_count, error);
}

static binprof_status fail_head(const binprof_records *records, const format_record_head *head,
                                binprof_error *error)
{
    if (head->kind <= BINPROF_RECORD_POP_PUSH)
        return fail_varint(records, error);
    return reader_records_fail(records, BINPROF_ERROR_FORMAT, error,
                               "has encoding %d, expected 0 (repeat), 1 (full), 2 (suffix) or 3 "
                               "(pop-push)",
                               head->kind);
}

/* A record that holds more samples than there can be is told before they are decoded, and so is
 * one that holds none: data of that kind could go on for long and cost nothing to make. */
static binprof_status check_samples(const binprof_records *records, const format_record_head *head,
                                    binprof_error *error)
{
    if (head->kind == BINPROF_RECORD_REPEAT && head->repeat_count == 0)
        return reader_records_fail(records, BINPROF_ERROR_FORMAT, error,
                                   "repeats a stack 0 times, expected at least 1");
    uint64_t count = head->kind == BINPROF_RECORD_REPEAT ? head->repeat_count : 1;
    if (count > records->samples_left)
        return reader_records_fail(records, BINPROF_ERROR_FORMAT, error,
                                   "holds %" PRIu64 " samples, but only %" PRIu64
                                   " are left of the %" PRIu64 " that the header declares",
                                   count, records->samples_left,
                                   records->reader->info.sample_count);
    return BINPROF_OK;
}

/* Fills what the caller sees from a decoded head. */
static void set_record(binprof_records *records, const format_record_head *head)
{
    binprof_record *record = &records->record;
    record->thread_id = head->thread_id;
    record->interpreter_id = head->interpreter_id;
    record->kind = (binprof_record_kind)head->kind;
    record->first_sample = 0;
    record->deltas_us = records->deltas_us;
    record->statuses = records->statuses;
    record->shared = (uint32_t)head->shared;
    record->pop = (uint32_t)head->pop;
    record->frame_count = (uint32_t)head->frame_count;
    record->frames = records->frames;
    if (head->kind == BINPROF_RECORD_REPEAT) {
        record->sample_count = head->repeat_count;
        record->piece_length = 0;
        records->repeat_left = head->repeat_count;
        return;
    }
    record->sample_count = 1;
    record->piece_length = 1;
    records->deltas_us[0] = head->delta_us;
    records->statuses[0] = head->status;
}

/* Decodes the record that starts at stream->next, whole or up to the entries of a repeat. */
static binprof_status next_record(binprof_records *records, binprof_error *error)
{
    reader_data_stream *stream = &records->stream;
    records->record.index = records->record_count;
    records->record.offset = stream->end_offset - (uint64_t)(stream->end - stream->next);
    for (;;) {
        format_record_head head;
        const uint8_t *p =
            format_record_head_get(stream->next, records->reader->info.big_endian, &head);
        if (p == NULL)
            return fail_head(records, &head, error);
        if (p <= stream->end) {
            binprof_status status = check_samples(records, &head, error);
            if (status == BINPROF_OK)
                status = check_depths(records, &head, error);
            if (status == BINPROF_OK)
                status = get_frames(records, p, head.frame_count, &p, error);
            if (status != BINPROF_OK)
                return status;
            if (p != NULL) {
                stream->next = p;
                set_record(records, &head);
                records->record_count++;
                records->samples_left -= records->record.sample_count;
                return BINPROF_OK;
            }
        }
        binprof_status status = fetch(records, error);
        if (status != BINPROF_OK)
            return status;
    }
}

binprof_status reader_records_next(binprof_records *records, const binprof_record **record,
                                   binprof_error *error)
{
    reader_data_stream *stream = &records->stream;
    *record = &records->record;
    if (records->repeat_left > 0) {
        records->record.first_sample += records->record.piece_length;
        return next_piece(records, error);
    }
    while (stream->next == stream->end) {
        binprof_status status = reader_data_stream_more(stream, error);
        if (status != BINPROF_OK)
            return status;
        if (stream->at_end) {
            *record = NULL;
            return BINPROF_OK;
        }
    }
    binprof_status status = next_record(records, error);
    if (status != BINPROF_OK || records->repeat_left == 0)
        return status;
    return next_piece(records, error);
}

binprof_status binprof_records_open(binprof_reader *reader, binprof_records **records,
                                    binprof_error *error)
{
    *records = malloc(sizeof **records);
    if (*records == NULL)
        return error_set_memory(error);
    binprof_status status = reader_records_init(*records, reader, error);
    if (status != BINPROF_OK) {
        binprof_records_close(*records);
        *records = NULL;
    }
    return status;
}

binprof_status binprof_records_next(binprof_records *records, const binprof_record **record,
                                    binprof_error *error)
{
    return reader_records_next(records, record, error);
}

void binprof_records_close(binprof_records *records)
{
    if (records == NULL)
        return;
    reader_records_clear(records);
    free(records);
}
