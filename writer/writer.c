#include "writer/writer.h"

#include "base/error.h"
#include "format/capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define DEFAULT_LEVEL 5
#define MAX_LEVEL 19
#define MAX_MODE 6

#ifdef BINPROF_WITH_ZSTD
#define HAS_ZSTD true
#else
#define HAS_ZSTD false
#endif

binprof_writer_options binprof_writer_options_default(void)
{
    return (binprof_writer_options){
        .facts = {.interval_us = 1000, .mode = BINPROF_MODE_UNKNOWN},
        .compression = BINPROF_COMPRESSION_AUTO,
        .level = DEFAULT_LEVEL,
    };
}

uint64_t binprof_now_us(void)
{
    struct timespec now = {.tv_sec = 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static binprof_status check_options(const binprof_writer_options *options, binprof_error *error)
{
    if (options->level < 0 || options->level > MAX_LEVEL)
        return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                         "compression level %d, expected 1 to %d", options->level, MAX_LEVEL);
    if (options->facts.mode < BINPROF_MODE_UNKNOWN || options->facts.mode > MAX_MODE)
        return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                         "profiling mode %d, expected -1 (unknown) to %d", options->facts.mode,
                         MAX_MODE);
    if (options->compression == BINPROF_COMPRESSION_ZSTD && !HAS_ZSTD)
        return error_set(error, BINPROF_ERROR_UNSUPPORTED, BINPROF_NO_OFFSET,
                         "no compression with zstd: this build of binprof was made without it");
    return BINPROF_OK;
}

/* The header is written last; until then zeros stand for it, which tell a reader that the file was
 * not finished. */
static binprof_status begin_file(binprof_writer *writer, binprof_error *error)
{
    const uint8_t zeros[FORMAT_HEADER_SIZE] = {0};
    binprof_status status = output_target_write(&writer->target, zeros, sizeof zeros, error);
    writer->sink.written = sizeof zeros;
    return status;
}

binprof_status binprof_writer_open(const binprof_output *output, const binprof_profile *profile,
                                   const binprof_writer_options *options, binprof_writer **writer,
                                   binprof_error *error)
{
    *writer = NULL;
    binprof_writer_options defaults = binprof_writer_options_default();
    if (options == NULL)
        options = &defaults;
    binprof_status status = check_options(options, error);
    if (status != BINPROF_OK)
        return status;
    binprof_writer *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return error_set_memory(error);
    status = output_target_open(&opened->target, output, true, error);
    if (status != BINPROF_OK) {
        free(opened);
        return status;
    }

    opened->facts = options->facts;
    opened->compressed = options->compression != BINPROF_COMPRESSION_NONE && HAS_ZSTD;
    int level = options->level == 0 ? DEFAULT_LEVEL : options->level;
    writer_encoder_init(&opened->encoder, profile, &opened->sink, options->facts.start_us);
    status =
        writer_sink_open(&opened->sink, &opened->target, opened->compressed ? level : 0, error);
    if (status == BINPROF_OK)
        status = begin_file(opened, error);
    if (status != BINPROF_OK) {
        binprof_writer_close(opened);
        return status;
    }
    *writer = opened;
    return BINPROF_OK;
}

/* Bytes that were lost on their way out make a failure that is for good. */
static binprof_status remember(binprof_writer *writer, binprof_status status,
                               const binprof_error *failure, binprof_error *error)
{
    if (error != NULL)
        *error = *failure;
    if (writer->sink.failed) {
        writer->failure = status;
        writer->failure_error = *failure;
    }
    return status;
}

static binprof_status check_usable(const binprof_writer *writer, binprof_error *error)
{
    if (writer->failure != BINPROF_OK) {
        if (error != NULL)
            *error = writer->failure_error;
        return writer->failure;
    }
    if (writer->finished)
        return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                         "the capture is finished");
    return BINPROF_OK;
}

static binprof_status check_sample(const binprof_writer *writer, uint32_t thread,
                                   binprof_error *error)
{
    binprof_status status = check_usable(writer, error);
    if (status != BINPROF_OK)
        return status;
    uint32_t known = binprof_profile_thread_count(writer->encoder.profile);
    if (thread >= known)
        return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                         "thread %" PRIu32 " is not in the profile, which has %" PRIu32, thread,
                         known);
    return BINPROF_OK;
}

binprof_status binprof_writer_collect(binprof_writer *writer, uint32_t thread,
                                      const uint32_t *frames, size_t depth, uint64_t timestamp_us,
                                      uint8_t status, binprof_error *error)
{
    binprof_status result = check_sample(writer, thread, error);
    if (result != BINPROF_OK)
        return result;
    writer_thread *state = writer_encoder_thread(&writer->encoder, thread);
    if (state == NULL)
        return error_set_memory(error);
    uint32_t kept = depth < BINPROF_WRITER_MAX_DEPTH ? (uint32_t)depth : BINPROF_WRITER_MAX_DEPTH;
    binprof_error failure;
    result =
        writer_encoder_add(&writer->encoder, state, frames, kept, timestamp_us, status, &failure);
    if (result != BINPROF_OK)
        return remember(writer, result, &failure, error);
    state->stack = WRITER_NO_STACK;
    return BINPROF_OK;
}

/* Follows the stack's parents. Returns how many frames it has, at most the most that are kept. */
static uint32_t walk_stack(const binprof_profile *profile, uint32_t stack,
                           uint32_t frames[BINPROF_WRITER_MAX_DEPTH])
{
    const binprof_stack *stacks = binprof_profile_stacks(profile);
    uint32_t depth = 0;
    while (stack != BINPROF_EMPTY_STACK && depth < BINPROF_WRITER_MAX_DEPTH) {
        frames[depth++] = stacks[stack].frame;
        stack = stacks[stack].parent;
    }
    return depth;
}

static binprof_status add_run(writer_encoder *encoder, writer_thread *thread,
                              const binprof_run *run, binprof_error *error)
{
    uint64_t now = run->timestamps_us == NULL ? binprof_now_us() : 0;
    size_t done = 0;
    if (thread->stack != run->stack) {
        uint32_t frames[BINPROF_WRITER_MAX_DEPTH];
        uint32_t depth = walk_stack(encoder->profile, run->stack, frames);
        uint64_t time = run->timestamps_us == NULL ? now : run->timestamps_us[0];
        binprof_status status =
            writer_encoder_add(encoder, thread, frames, depth, time, run->statuses[0], error);
        if (status != BINPROF_OK)
            return status;
        thread->stack = run->stack;
        done = 1;
    }
    for (; done < run->count; done++) {
        uint64_t time = run->timestamps_us == NULL ? now : run->timestamps_us[done];
        binprof_status status =
            writer_encoder_repeat(encoder, thread, time, run->statuses[done], error);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}

binprof_status binprof_writer_collect_run(binprof_writer *writer, const binprof_run *run,
                                          binprof_error *error)
{
    binprof_status status = check_sample(writer, run->thread, error);
    if (status != BINPROF_OK)
        return status;
    const binprof_profile *profile = writer->encoder.profile;
    uint32_t known = binprof_profile_stack_count(profile);
    if (run->stack >= known)
        return error_set(error, BINPROF_ERROR_ARGUMENT, BINPROF_NO_OFFSET,
                         "stack %" PRIu32 " is not in the profile, which has %" PRIu32, run->stack,
                         known);
    if (run->count == 0)
        return BINPROF_OK;
    writer_thread *thread = writer_encoder_thread(&writer->encoder, run->thread);
    if (thread == NULL)
        return error_set_memory(error);
    binprof_error failure;
    status = add_run(&writer->encoder, thread, run, &failure);
    return status == BINPROF_OK ? BINPROF_OK : remember(writer, status, &failure, error);
}

void binprof_writer_set_statistics(binprof_writer *writer, const binprof_statistics *statistics)
{
    writer->facts.statistics = *statistics;
}

/* Everything after the sample data. */
static binprof_status write_tail(binprof_writer *writer, binprof_info *info, binprof_error *error)
{
    writer_sink *sink = &writer->sink;
    const writer_tables *tables = &writer->encoder.tables;
    info->string_table_offset = sink->written;
    binprof_status status = writer_tables_write_strings(tables, sink, error);
    if (status != BINPROF_OK)
        return status;
    info->frame_table_offset = sink->written + sink->used;
    status = writer_tables_write_frames(tables, sink, error);
    if (status != BINPROF_OK)
        return status;

    uint8_t tail[FORMAT_STATISTICS_SIZE + FORMAT_FOOTER_SIZE];
    size_t size = 0;
    if (writer->facts.statistics.present) {
        format_statistics_put(tail, &writer->facts.statistics);
        size = FORMAT_STATISTICS_SIZE;
    }
    info->string_count = tables->strings.count;
    info->frame_count = tables->frames.count;
    info->file_size = sink->written + sink->used + size + FORMAT_FOOTER_SIZE;
    format_footer_put(tail + size, info);
    status = writer_sink_append(sink, tail, size + FORMAT_FOOTER_SIZE, error);
    if (status != BINPROF_OK)
        return status;
    return writer_sink_flush(sink, error);
}

static binprof_status write_rest(binprof_writer *writer, binprof_error *error)
{
    binprof_status status = writer_encoder_flush(&writer->encoder, error);
    if (status != BINPROF_OK)
        return status;
    writer->encoder.stats.data_bytes = writer->sink.flushed + writer->sink.used;
    status = writer_sink_end_data(&writer->sink, error);
    if (status != BINPROF_OK)
        return status;
    binprof_info info = {.facts = writer->facts,
                         .zstd = writer->compressed,
                         .sample_count = writer->encoder.stats.samples,
                         .thread_count = writer->encoder.order_count};
    status = write_tail(writer, &info, error);
    if (status != BINPROF_OK)
        return status;
    uint8_t header[FORMAT_HEADER_SIZE];
    format_header_put(header, &info);
    status = output_target_write_at(&writer->target, 0, header, sizeof header, error);
    if (status != BINPROF_OK)
        return status;
    return output_target_commit(&writer->target, error);
}

binprof_status binprof_writer_finish(binprof_writer *writer, binprof_error *error)
{
    binprof_status status = check_usable(writer, error);
    if (status != BINPROF_OK)
        return status;
    writer->finished = true;
    status = write_rest(writer, error);
    if (status != BINPROF_OK)
        output_target_discard(&writer->target);
    return status;
}

void binprof_writer_close(binprof_writer *writer)
{
    if (writer == NULL)
        return;
    output_target_discard(&writer->target);
    writer_sink_close(&writer->sink);
    writer_encoder_free(&writer->encoder);
    free(writer);
}

uint64_t binprof_writer_total_samples(const binprof_writer *writer)
{
    return writer->encoder.stats.samples;
}

void binprof_writer_stats(const binprof_writer *writer, binprof_encoding *encoding)
{
    *encoding = writer->encoder.stats;
    if (!writer->finished)
        encoding->data_bytes = writer->sink.flushed + writer->sink.used;
}
