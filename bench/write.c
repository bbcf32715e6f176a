/* The writer, fed from memory as a sampler would feed it: in the order of time. */
#include "base/array.h"
#include "bench/bench.h"
#include "format/capture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* Of a longer capture only the first samples are written. */
#define MOST_SAMPLES 1000000u
#define MOST_FRAMES 30000000u

#define LEVEL 5
#define CHUNK_SIZE ((size_t)512 * 1024)

typedef struct sample {
    uint64_t time_us;
    uint32_t thread;
    uint32_t stack;
    uint32_t depth;
    uint32_t order; /* tells apart what was taken at one time */
    uint8_t status;
} sample;

typedef struct loaded_samples {
    binprof_collector base;
    binprof_profile *profile;
    binprof_facts facts;
    sample *samples;
    size_t sample_count;
    size_t sample_capacity;
    uint32_t *frames; /* of all samples one after the other, innermost first */
    size_t frame_count;
} loaded_samples;

static uint32_t depth_of(const binprof_stack *stacks, uint32_t stack)
{
    uint32_t depth = 0;
    for (; stack != BINPROF_EMPTY_STACK; stack = stacks[stack].parent)
        depth++;
    return depth < BINPROF_WRITER_MAX_DEPTH ? depth : BINPROF_WRITER_MAX_DEPTH;
}

static binprof_status load_run(binprof_collector *base, const binprof_run *run,
                               binprof_error *error)
{
    loaded_samples *loaded = (loaded_samples *)base;
    (void)error;
    if (loaded->sample_count >= MOST_SAMPLES || loaded->frame_count >= MOST_FRAMES)
        return BINPROF_ERROR_CANCELLED;
    sample *samples = array_reserve(loaded->samples, &loaded->sample_capacity,
                                    loaded->sample_count + run->count, sizeof *samples);
    if (samples == NULL)
        return BINPROF_ERROR_MEMORY;
    loaded->samples = samples;
    uint32_t depth = depth_of(binprof_profile_stacks(loaded->profile), run->stack);
    for (size_t i = 0; i < run->count; i++, loaded->sample_count++)
        samples[loaded->sample_count] = (sample){.time_us = run->timestamps_us[i],
                                                 .thread = run->thread,
                                                 .stack = run->stack,
                                                 .depth = depth,
                                                 .order = (uint32_t)loaded->sample_count,
                                                 .status = run->statuses[i]};
    loaded->frame_count += depth * run->count;
    return BINPROF_OK;
}

/* Lays out the frames as a sampler would bring them, fresh with each sample. */
static bool lay_out_frames(loaded_samples *loaded)
{
    const binprof_stack *stacks = binprof_profile_stacks(loaded->profile);
    loaded->frames = malloc((loaded->frame_count + 1) * sizeof *loaded->frames);
    if (loaded->frames == NULL)
        return false;
    uint32_t *next = loaded->frames;
    for (size_t i = 0; i < loaded->sample_count; i++) {
        uint32_t stack = loaded->samples[i].stack;
        for (uint32_t left = loaded->samples[i].depth; left > 0; left--) {
            *next++ = stacks[stack].frame;
            stack = stacks[stack].parent;
        }
    }
    return true;
}

static int compare_times(const void *a, const void *b)
{
    const sample *left = a;
    const sample *right = b;
    if (left->time_us != right->time_us)
        return left->time_us < right->time_us ? -1 : 1;
    return (left->order > right->order) - (left->order < right->order);
}

void bench_write_prepare(bench_job *job, bench_result *result)
{
    static const binprof_collector_operations operations = {.collect = load_run};
    loaded_samples *loaded = calloc(1, sizeof *loaded);
    binprof_error error = {.message = "out of memory"};
    binprof_reader *reader;
    if (loaded == NULL || binprof_reader_open(job->input->path, &reader, &error) != BINPROF_OK) {
        bench_fail(result, "%s", error.message);
        return;
    }
    job->state = loaded;
    loaded->base.operations = &operations;
    loaded->profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    loaded->facts = binprof_reader_info(reader)->facts;
    binprof_status status = BINPROF_ERROR_MEMORY;
    if (loaded->profile != NULL)
        status = binprof_reader_replay(reader, loaded->profile, &loaded->base, NULL, &error);
    if (status != BINPROF_OK && status != BINPROF_ERROR_CANCELLED)
        bench_fail(result, "%s", error.message);
    binprof_reader_close(reader);
    if (result->failed)
        return;
    qsort(loaded->samples, loaded->sample_count, sizeof *loaded->samples, compare_times);
    if (!lay_out_frames(loaded))
        bench_fail(result, "out of memory");
}

typedef binprof_status (*feed)(binprof_writer *writer, const loaded_samples *loaded,
                               binprof_profile *profile, binprof_error *error);

static void write_samples(const bench_job *job, binprof_profile *profile,
                          binprof_compression compression, feed feed_samples, bench_result *result)
{
    const loaded_samples *loaded = job->state;
    binprof_error error;
    binprof_writer *writer;
    binprof_output output = {.path = job->output};
    binprof_writer_options options = {
        .facts = loaded->facts, .compression = compression, .level = LEVEL};
    binprof_status status = binprof_writer_open(&output, profile, &options, &writer, &error);
    if (status == BINPROF_OK)
        status = feed_samples(writer, loaded, profile, &error);
    if (status == BINPROF_OK)
        status = binprof_writer_finish(writer, &error);
    if (status != BINPROF_OK) {
        bench_fail(result, "%s", error.message);
    } else {
        binprof_encoding encoding;
        binprof_writer_stats(writer, &encoding);
        result->samples = encoding.samples;
        result->bytes = encoding.data_bytes;
    }
    binprof_writer_close(writer);
}

static binprof_status feed_ids(binprof_writer *writer, const loaded_samples *loaded,
                               binprof_profile *profile, binprof_error *error)
{
    (void)profile;
    const uint32_t *frames = loaded->frames;
    for (size_t i = 0; i < loaded->sample_count; i++) {
        const sample *at = &loaded->samples[i];
        binprof_status status = binprof_writer_collect(writer, at->thread, frames, at->depth,
                                                       at->time_us, at->status, error);
        frames += at->depth;
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}

/* Interns the frames of a sample from their texts. */
static binprof_status intern_texts(const binprof_profile *texts, const uint32_t *frames,
                                   uint32_t depth, binprof_profile *profile, uint32_t *ids,
                                   binprof_error *error)
{
    for (uint32_t i = 0; i < depth; i++) {
        binprof_frame frame = binprof_profile_frame(texts, frames[i]);
        binprof_status status = binprof_profile_intern_line(
            profile, binprof_profile_string(texts, frame.filename).text,
            binprof_profile_string(texts, frame.function).text, frame.line, &ids[i], error);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}

static binprof_status feed_texts(binprof_writer *writer, const loaded_samples *loaded,
                                 binprof_profile *profile, binprof_error *error)
{
    const uint32_t *frames = loaded->frames;
    for (size_t i = 0; i < loaded->sample_count; i++) {
        const sample *at = &loaded->samples[i];
        binprof_thread id = binprof_profile_thread(loaded->profile, at->thread);
        uint32_t ids[BINPROF_WRITER_MAX_DEPTH];
        uint32_t thread;
        binprof_status status =
            binprof_profile_intern_thread(profile, id.thread_id, id.interpreter_id, &thread, error);
        if (status == BINPROF_OK)
            status = intern_texts(loaded->profile, frames, at->depth, profile, ids, error);
        frames += at->depth;
        if (status == BINPROF_OK)
            status = binprof_writer_collect(writer, thread, ids, at->depth, at->time_us, at->status,
                                            error);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}

void bench_write_run(bench_job *job, bench_result *result)
{
    const loaded_samples *loaded = job->state;
    write_samples(job, loaded->profile, BINPROF_COMPRESSION_NONE, feed_ids, result);
}

void bench_write_zstd_run(bench_job *job, bench_result *result)
{
    const loaded_samples *loaded = job->state;
    write_samples(job, loaded->profile, BINPROF_COMPRESSION_ZSTD, feed_ids, result);
}

void bench_write_strings_run(bench_job *job, bench_result *result)
{
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    if (profile == NULL)
        bench_fail(result, "out of memory");
    else
        write_samples(job, profile, BINPROF_COMPRESSION_NONE, feed_texts, result);
    binprof_profile_free(profile);
}

/* What zstd is given: the sample data that the writer made of the same samples. */
typedef struct plain_data {
    uint8_t *bytes;
    size_t size;
    uint64_t samples;
} plain_data;

void bench_zstd_alone_prepare(bench_job *job, bench_result *result)
{
    plain_data *plain = calloc(1, sizeof *plain);
    binprof_error error = {.message = "out of memory"};
    binprof_reader *reader;
    if (plain == NULL || binprof_reader_open(job->plain, &reader, &error) != BINPROF_OK) {
        bench_fail(result, "%s", error.message);
        return;
    }
    job->state = plain;
    plain->size = (size_t)binprof_reader_info(reader)->data_size;
    plain->samples = binprof_reader_info(reader)->sample_count;
    binprof_reader_close(reader);
    plain->bytes = malloc(plain->size + 1);
    int fd = open(job->plain, O_RDONLY | O_CLOEXEC);
    size_t size = 0;
    while (fd >= 0 && plain->bytes != NULL && size < plain->size) {
        ssize_t got =
            pread(fd, plain->bytes + size, plain->size - size, (off_t)(FORMAT_HEADER_SIZE + size));
        if (got <= 0)
            break;
        size += (size_t)got;
    }
    if (fd >= 0)
        (void)close(fd);
    if (size < plain->size)
        bench_fail(result, "cannot read %s", job->plain);
}

/* As the writer does it: pieces of half a MiB in, what comes out to the file. */
static bool compress_pieces(ZSTD_CCtx *zstd, const plain_data *plain, uint8_t *buffer, int fd)
{
    for (size_t done = 0; done <= plain->size; done += CHUNK_SIZE) {
        size_t size = plain->size - done < CHUNK_SIZE ? plain->size - done : CHUNK_SIZE;
        bool is_last = size < CHUNK_SIZE;
        ZSTD_inBuffer input = {plain->bytes + done, size, 0};
        size_t left;
        do {
            ZSTD_outBuffer output = {buffer, CHUNK_SIZE, 0};
            left =
                ZSTD_compressStream2(zstd, &output, &input, is_last ? ZSTD_e_end : ZSTD_e_continue);
            if (ZSTD_isError(left) || write(fd, buffer, output.pos) != (ssize_t)output.pos)
                return false;
        } while (is_last ? left > 0 : input.pos < input.size);
    }
    return true;
}

void bench_zstd_alone_run(bench_job *job, bench_result *result)
{
    const plain_data *plain = job->state;
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    uint8_t *buffer = malloc(CHUNK_SIZE);
    int fd = open(job->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (zstd == NULL || buffer == NULL || fd < 0 ||
        ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL)) ||
        !compress_pieces(zstd, plain, buffer, fd))
        bench_fail(result, "zstd cannot compress into %s", job->output);
    result->samples = plain->samples;
    if (fd >= 0)
        (void)close(fd);
    free(buffer);
    ZSTD_freeCCtx(zstd);
}
