#include "writer/encoder.h"

#include "base/array.h"
#include "base/error.h"
#include "format/record.h"

#include <inttypes.h>
#include <string.h>

void writer_encoder_init(writer_encoder *encoder, const binprof_profile *profile, writer_sink *sink,
                         uint64_t start_us)
{
    *encoder = (writer_encoder){.profile = profile, .sink = sink, .start_us = start_us};
    writer_tables_init(&encoder->tables, profile);
}

void writer_encoder_free(writer_encoder *encoder)
{
    for (size_t i = 0; i < encoder->thread_count; i++) {
        free(encoder->threads[i].frames);
        free(encoder->threads[i].repeats);
    }
    free(encoder->threads);
    free(encoder->order);
    writer_tables_free(&encoder->tables);
}

writer_thread *writer_encoder_thread(writer_encoder *encoder, uint32_t thread)
{
    if (thread < encoder->thread_count)
        return &encoder->threads[thread];
    writer_thread *threads = array_reserve(encoder->threads, &encoder->thread_capacity,
                                           (size_t)thread + 1, sizeof *threads);
    if (threads == NULL)
        return NULL;
    encoder->threads = threads;
    for (size_t i = encoder->thread_count; i <= thread; i++)
        threads[i] =
            (writer_thread){.thread = binprof_profile_thread(encoder->profile, (uint32_t)i),
                            .time_us = encoder->start_us,
                            .stack = BINPROF_EMPTY_STACK};
    encoder->thread_count = (size_t)thread + 1;
    return &threads[thread];
}

/* Makes the thread one of the capture's. */
static binprof_status register_thread(writer_encoder *encoder, writer_thread *thread,
                                      binprof_error *error)
{
    uint32_t *order = array_reserve(encoder->order, &encoder->order_capacity,
                                    (size_t)encoder->order_count + 1, sizeof *order);
    if (order == NULL)
        return error_set_memory(error);
    encoder->order = order;
    order[encoder->order_count++] = (uint32_t)(thread - encoder->threads);
    thread->has_samples = true;
    return BINPROF_OK;
}

static binprof_status write_repeats(writer_encoder *encoder, writer_thread *thread,
                                    binprof_error *error)
{
    if (thread->repeat_count == 0)
        return BINPROF_OK;
    writer_sink *sink = encoder->sink;
    binprof_status status =
        writer_sink_reserve(sink, FORMAT_RECORD_HEAD_MAX + WRITER_REPEAT_SIZE, error);
    if (status != BINPROF_OK)
        return status;
    uint8_t *p = sink->buffer + sink->used;
    p = format_record_prefix_put(p, thread->thread.thread_id, thread->thread.interpreter_id,
                                 BINPROF_RECORD_REPEAT);
    p = format_varint_put(p, thread->repeat_count);
    memcpy(p, thread->repeats, thread->repeat_size);
    writer_sink_advance(sink, p + thread->repeat_size);

    encoder->stats.repeat_records++;
    encoder->stats.repeat_samples += thread->repeat_count;
    encoder->stats.frames_saved += thread->repeat_count * thread->depth;
    thread->repeat_count = 0;
    thread->repeat_size = 0;
    return BINPROF_OK;
}

binprof_status writer_encoder_repeat(writer_encoder *encoder, writer_thread *thread,
                                     uint64_t time_us, uint8_t status, binprof_error *error)
{
    uint8_t *repeats = array_reserve(thread->repeats, &thread->repeat_capacity,
                                     thread->repeat_size + FORMAT_REPEAT_ENTRY_MAX, 1);
    if (repeats == NULL)
        return error_set_memory(error);
    thread->repeats = repeats;
    if (!thread->has_samples) {
        binprof_status result = register_thread(encoder, thread, error);
        if (result != BINPROF_OK)
            return result;
    }
    if (thread->repeat_size + FORMAT_REPEAT_ENTRY_MAX > WRITER_REPEAT_SIZE) {
        binprof_status result = write_repeats(encoder, thread, error);
        if (result != BINPROF_OK)
            return result;
    }
    uint8_t *p = format_varint_put(repeats + thread->repeat_size, time_us - thread->time_us);
    *p++ = status;
    thread->repeat_size = (size_t)(p - repeats);
    thread->repeat_count++;
    thread->time_us = time_us;
    encoder->stats.samples++;
    return BINPROF_OK;
}

/* Puts every frame of a new stack into the tables. */
static binprof_status add_frames(writer_encoder *encoder, const uint32_t *frames, uint32_t depth,
                                 binprof_error *error)
{
    writer_tables *tables = &encoder->tables;
    for (uint32_t i = 0; i < depth; i++) {
        if (writer_tables_find_frame(tables, frames[i]) != 0)
            continue;
        uint32_t known = binprof_profile_frame_count(encoder->profile);
        if (frames[i] >= known)
            return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                             "frame %" PRIu32 " is not in the profile, which has %" PRIu32,
                             frames[i], known);
        binprof_status status = writer_tables_add_frame(tables, frames[i]);
        if (status == BINPROF_ERROR_MEMORY)
            return error_set_memory(error);
        if (status != BINPROF_OK)
            return error_set(error, status, BINPROF_NO_OFFSET,
                             "%s: the capture has all strings or frames that it can number",
                             encoder->sink->target->name);
    }
    return BINPROF_OK;
}

/* How many outermost frames the stack shares with the thread's previous one. */
static uint32_t shared_frames(const writer_thread *thread, const uint32_t *frames, uint32_t depth)
{
    uint32_t most = depth < thread->depth ? depth : thread->depth;
    uint32_t shared = 0;
    while (shared < most &&
           thread->frames[thread->depth - 1 - shared] == frames[depth - 1 - shared])
        shared++;
    return shared;
}

/* Chooses how the record refers to the previous stack and sets the fields that follow from it. */
static void choose_encoding(format_record_head *head, uint32_t old_depth, uint32_t new_depth,
                            uint32_t shared)
{
    uint32_t pop = old_depth - shared;
    head->frame_count = new_depth - shared;
    if (shared > 0 && pop == 0) {
        head->kind = BINPROF_RECORD_SUFFIX;
        head->shared = shared;
    } else if (shared == 0 || shared < new_depth / 2) {
        head->kind = BINPROF_RECORD_FULL;
        head->frame_count = new_depth;
    } else {
        head->kind = BINPROF_RECORD_POP_PUSH;
        head->pop = pop;
    }
}

static void count_record(binprof_encoding *stats, const format_record_head *head, uint32_t depth)
{
    if (head->kind == BINPROF_RECORD_FULL)
        stats->full_records++;
    else if (head->kind == BINPROF_RECORD_SUFFIX)
        stats->suffix_records++;
    else
        stats->pop_push_records++;
    stats->frames_written += head->frame_count;
    stats->frames_saved += depth - head->frame_count;
    stats->samples++;
}

/* Writes the record of a new stack, whose frames are in the tables. */
static binprof_status write_record(writer_encoder *encoder, writer_thread *thread,
                                   const uint32_t *frames, uint32_t depth, uint64_t time_us,
                                   uint8_t status, binprof_error *error)
{
    format_record_head head = {.thread_id = thread->thread.thread_id,
                               .interpreter_id = thread->thread.interpreter_id,
                               .delta_us = time_us - thread->time_us,
                               .status = status};
    choose_encoding(&head, thread->depth, depth, shared_frames(thread, frames, depth));

    writer_sink *sink = encoder->sink;
    size_t longest = FORMAT_RECORD_HEAD_MAX + (size_t)BINPROF_WRITER_MAX_DEPTH * FORMAT_VARINT_MAX;
    binprof_status result = writer_sink_reserve(sink, longest, error);
    if (result != BINPROF_OK)
        return result;
    uint8_t *p = format_record_head_put(sink->buffer + sink->used, &head);
    for (uint32_t i = 0; i < head.frame_count; i++)
        p = format_varint_put(p, writer_tables_find_frame(&encoder->tables, frames[i]) - 1);
    writer_sink_advance(sink, p);
    count_record(&encoder->stats, &head, depth);
    return BINPROF_OK;
}

binprof_status writer_encoder_add(writer_encoder *encoder, writer_thread *thread,
                                  const uint32_t *frames, uint32_t depth, uint64_t time_us,
                                  uint8_t status, binprof_error *error)
{
    if (depth == thread->depth &&
        (depth == 0 || memcmp(frames, thread->frames, depth * sizeof *frames) == 0))
        return writer_encoder_repeat(encoder, thread, time_us, status, error);

    uint32_t *kept = array_reserve(thread->frames, &thread->frame_capacity, depth, sizeof *frames);
    if (kept == NULL && depth > 0)
        return error_set_memory(error);
    thread->frames = kept;
    binprof_status result = add_frames(encoder, frames, depth, error);
    if (result == BINPROF_OK && !thread->has_samples)
        result = register_thread(encoder, thread, error);
    if (result == BINPROF_OK)
        result = write_repeats(encoder, thread, error);
    if (result == BINPROF_OK)
        result = write_record(encoder, thread, frames, depth, time_us, status, error);
    if (result != BINPROF_OK)
        return result;
    if (depth > 0)
        memcpy(thread->frames, frames, depth * sizeof *frames);
    thread->depth = depth;
    thread->time_us = time_us;
    return BINPROF_OK;
}

binprof_status writer_encoder_flush(writer_encoder *encoder, binprof_error *error)
{
    for (uint32_t i = 0; i < encoder->order_count; i++) {
        binprof_status status = write_repeats(encoder, &encoder->threads[encoder->order[i]], error);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}
