/* Replay: encoded records become runs of samples over the prefix tree. */
#include "base/error.h"
#include "profile/profile.h"
#include "reader/records.h"
#include "reader/tables.h"
#include "reader/threads.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct replay_state {
    binprof_reader *reader;
    binprof_profile *profile;
    binprof_collector *collector;
    const binprof_replay_options *options;
    uint32_t *frame_ids; /* the profile's frame id for each index of the capture */
    reader_threads threads;
    binprof_encoding encoding;
    uint64_t reported; /* file offset of the last progress report */
    binprof_records records;
    uint64_t times_us[READER_PIECE];
} replay_state;

static binprof_status fail_stack(const replay_state *replay, binprof_status status,
                                 binprof_error *error)
{
    if (status == BINPROF_ERROR_MEMORY)
        return error_set_memory(error);
    return error_set(error, status, BINPROF_NO_OFFSET,
                     "%s: more distinct stacks than 32-bit ids can number",
                     replay->reader->source.name);
}

/* Finds the record's thread, or adds it. */
static binprof_status resolve_thread(replay_state *replay, const binprof_record *record,
                                     reader_thread **thread, binprof_error *error)
{
    *thread = reader_threads_find(&replay->threads, record->thread_id, record->interpreter_id);
    if (*thread != NULL)
        return BINPROF_OK;

    uint32_t declared = replay->reader->info.thread_count;
    if (replay->threads.count == declared)
        return reader_records_fail(&replay->records, BINPROF_ERROR_FORMAT, error,
                                   "brings another thread (%" PRIu64 " of interpreter %" PRIu32
                                   "), but the header declares only %" PRIu32,
                                   record->thread_id, record->interpreter_id, declared);
    uint32_t profile_id;
    binprof_status status = binprof_profile_intern_thread(
        replay->profile, record->thread_id, record->interpreter_id, &profile_id, error);
    if (status != BINPROF_OK)
        return status;
    *thread = reader_threads_add(&replay->threads, record->thread_id, record->interpreter_id);
    if (*thread == NULL)
        return error_set_memory(error);
    (*thread)->profile_id = profile_id;
    (*thread)->time_us = replay->reader->info.facts.start_us;
    return BINPROF_OK;
}

/* How many of the thread's outermost frames stay under the record's new ones. */
static binprof_status kept_depth(const replay_state *replay, const binprof_record *record,
                                 uint32_t depth, uint32_t *kept, binprof_error *error)
{
    if (record->kind == BINPROF_RECORD_SUFFIX && record->shared > depth)
        return reader_records_fail(&replay->records, BINPROF_ERROR_FORMAT, error,
                                   "keeps %" PRIu32 " frames of a stack that has %" PRIu32,
                                   record->shared, depth);
    if (record->kind == BINPROF_RECORD_POP_PUSH && record->pop > depth)
        return reader_records_fail(&replay->records, BINPROF_ERROR_FORMAT, error,
                                   "removes %" PRIu32 " frames of a stack that has %" PRIu32,
                                   record->pop, depth);
    *kept = 0;
    if (record->kind == BINPROF_RECORD_SUFFIX)
        *kept = record->shared;
    if (record->kind == BINPROF_RECORD_POP_PUSH)
        *kept = depth - record->pop;
    uint64_t new_depth = (uint64_t)*kept + record->frame_count;
    if (new_depth > BINPROF_READER_MAX_DEPTH)
        return reader_records_fail(&replay->records, BINPROF_ERROR_UNSUPPORTED, error,
                                   "makes a stack of %" PRIu64
                                   " frames; stacks are read up to a depth of %d",
                                   new_depth, BINPROF_READER_MAX_DEPTH);
    return BINPROF_OK;
}

/* Moves the thread from its previous stack to the record's. */
static binprof_status resolve_stack(replay_state *replay, const binprof_record *record,
                                    reader_thread *thread, binprof_error *error)
{
    uint32_t kept = 0;
    binprof_status status = kept_depth(replay, record, thread->depth, &kept, error);
    if (status != BINPROF_OK)
        return status;

    profile_stack_table *stacks = &replay->profile->stacks;
    uint32_t stack = BINPROF_EMPTY_STACK;
    if (kept > 0) {
        stack = thread->stack;
        for (uint32_t depth = thread->depth; depth > kept; depth--)
            stack = stacks->nodes[stack].parent;
    }
    const uint32_t *frame_ids = replay->frame_ids;
    for (uint32_t i = record->frame_count; i-- > 0;) {
        status = profile_stack_table_push(stacks, stack, frame_ids[record->frames[i]], &stack);
        if (status != BINPROF_OK)
            return fail_stack(replay, status, error);
    }
    thread->stack = stack;
    thread->depth = kept + record->frame_count;
    replay->encoding.frames_written += record->frame_count;
    replay->encoding.frames_saved += kept;
    return BINPROF_OK;
}

static void count_record(binprof_encoding *encoding, const binprof_record *record)
{
    switch (record->kind) {
    case BINPROF_RECORD_REPEAT:
        encoding->repeat_records++;
        encoding->repeat_samples += record->sample_count;
        break;
    case BINPROF_RECORD_FULL:
        encoding->full_records++;
        break;
    case BINPROF_RECORD_SUFFIX:
        encoding->suffix_records++;
        break;
    case BINPROF_RECORD_POP_PUSH:
        encoding->pop_push_records++;
        break;
    }
}

static binprof_status replay_record(replay_state *replay, const binprof_record *record,
                                    binprof_error *error)
{
    reader_thread *thread;
    binprof_status status = resolve_thread(replay, record, &thread, error);
    if (status != BINPROF_OK)
        return status;
    if (record->first_sample == 0)
        count_record(&replay->encoding, record);
    if (record->kind == BINPROF_RECORD_REPEAT) {
        replay->encoding.frames_saved += (uint64_t)record->piece_length * thread->depth;
    } else {
        status = resolve_stack(replay, record, thread, error);
        if (status != BINPROF_OK)
            return status;
    }

    uint64_t time_us = thread->time_us;
    for (size_t i = 0; i < record->piece_length; i++) {
        time_us += record->deltas_us[i];
        replay->times_us[i] = time_us;
    }
    thread->time_us = time_us;
    replay->encoding.samples += record->piece_length;
    binprof_run run = {.thread = thread->profile_id,
                       .stack = thread->stack,
                       .count = record->piece_length,
                       .timestamps_us = replay->times_us,
                       .statuses = record->statuses};
    return binprof_collector_collect(replay->collector, &run, error);
}

/* Once for each piece of input. */
static binprof_status report_progress(replay_state *replay, binprof_error *error)
{
    uint64_t offset = replay->records.stream.file_offset;
    if (replay->options == NULL || replay->options->progress == NULL || offset == replay->reported)
        return BINPROF_OK;
    replay->reported = offset;
    const binprof_info *info = &replay->reader->info;
    uint64_t start = info->string_table_offset - info->data_size;
    if (replay->options->progress(replay->options->context, offset - start, info->data_size))
        return BINPROF_OK;
    return error_set(error, BINPROF_ERROR_CANCELLED, BINPROF_NO_OFFSET, "%s: cancelled",
                     replay->reader->source.name);
}

static binprof_status replay_records(replay_state *replay, binprof_error *error)
{
    const binprof_record *record;
    for (;;) {
        binprof_status status = reader_records_next(&replay->records, &record, error);
        if (status != BINPROF_OK)
            return status;
        if (record == NULL)
            break;
        status = replay_record(replay, record, error);
        if (status != BINPROF_OK)
            return status;
        status = report_progress(replay, error);
        if (status != BINPROF_OK)
            return status;
    }

    replay->encoding.data_bytes = replay->records.stream.end_offset;
    uint64_t declared = replay->reader->info.sample_count;
    if (replay->encoding.samples != declared)
        return error_set(error, BINPROF_ERROR_FORMAT, BINPROF_NO_OFFSET,
                         "%s: the records hold %" PRIu64
                         " samples, but the header declares %" PRIu64,
                         replay->reader->source.name, replay->encoding.samples, declared);
    return BINPROF_OK;
}

binprof_status binprof_reader_replay(binprof_reader *reader, binprof_profile *profile,
                                     binprof_collector *collector,
                                     const binprof_replay_options *options, binprof_error *error)
{
    replay_state *replay = malloc(sizeof *replay);
    if (replay == NULL)
        return error_set_memory(error);
    replay->reader = reader;
    replay->profile = profile;
    replay->collector = collector;
    replay->options = options;
    replay->frame_ids = NULL;
    replay->encoding = (binprof_encoding){.samples = 0};
    replay->reported = 0;
    reader_threads_init(&replay->threads);

    binprof_status status = reader_records_init(&replay->records, reader, error);
    if (status == BINPROF_OK)
        status = reader_tables_load(reader, profile, &replay->frame_ids, error);
    if (status == BINPROF_OK)
        status = replay_records(replay, error);
    reader->encoding = replay->encoding;
    reader_records_clear(&replay->records);
    reader_threads_free(&replay->threads);
    free(replay->frame_ids);
    free(replay);
    return status;
}
