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
#define MOST_FRAMES 100000000u

#define LEVEL 5
#define CHUNK_SIZE ((size_t)512 * 1024)

typedef struct sample {
    uint64_t time_us;
    size_t frames; /* where they start in loaded_samples.frames */
    uint32_t depth;
    uint32_t thread;
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
    uint32_t *frames; /* of each distinct stack, innermost first */
    size_t frame_count;
    size_t frame_capacity;
    size_t *stack_frames; /* by stack id: where its frames start, plus 1; 0: not there yet */
    size_t stack_count;
    size_t stack_capacity;
} loaded_samples;

static bool cover_stack(loaded_samples *loaded, uint32_t stack)
{
    if (stack < loaded->stack_count)
        return true;
    size_t *grown = array_reserve(loaded->stack_frames, &loaded->stack_capacity, (size_t)stack + 1,
                                  sizeof *grown);
    if (grown == NULL)
        return false;
    memset(grown + loaded->stack_count, 0,
           (loaded->stack_capacity - loaded->stack_count) * sizeof *grown);
    loaded->stack_frames = grown;
    loaded->stack_count = loaded->stack_capacity;
    return true;
}

static bool add_stack(loaded_samples *loaded, uint32_t stack, uint32_t *depth)
{
    const binprof_stack *stacks = binprof_profile_stacks(loaded->profile);
    *depth = 0;
    for (uint32_t at = stack; at != BINPROF_EMPTY_STACK; at = stacks[at].parent)
        (*depth)++;
    if (!cover_stack(loaded, stack))
        return false;
    if (loaded->stack_frames[stack] != 0)
        return true;
    uint32_t *frames = array_reserve(loaded->frames, &loaded->frame_capacity,
                                     loaded->frame_count + *depth + 1, sizeof *frames);
    if (frames == NULL)
        return false;
    loaded->frames = frames;
    loaded->stack_frames[stack] = loaded->frame_count + 1;
    for (uint32_t at = stack; at != BINPROF_EMPTY_STACK; at = stacks[at].parent)
        frames[loaded->frame_count++] = stacks[at].frame;
    return true;
}

static binprof_status load_run(binprof_collector *base, const binprof_run *run,
                               binprof_error *error)
{
    loaded_samples *loaded = (loaded_samples *)base;
    (void)error;
    if (loaded->sample_count >= MOST_SAMPLES || loaded->frame_count >= MOST_FRAMES)
        return BINPROF_ERROR_CANCELLED;
    uint32_t depth;
    sample *samples = array_reserve(loaded->samples, &loaded->sample_capacity,
                                    loaded->sample_count + run->count, sizeof *samples);
    if (samples == NULL)
        return BINPROF_ERROR_MEMORY;
    loaded->samples = samples;
    if (!add_stack(loaded, run->stack, &depth))
        return BINPROF_ERROR_MEMORY;
    for (size_t i = 0; i < run->count; i++, loaded->sample_count++)
        samples[loaded->sample_count] = (sample){.time_us = run->timestamps_us[i],
                                                 .frames = loaded->stack_frames[run->stack] - 1,
                                                 .depth = depth,
                                                 .thread = run->thread,
                                                 .order = (uint32_t)loaded->sample_count,
                                                 .status = run->statuses[i]};
    return BINPROF_OK;
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
    qsort(loaded->samples, loaded->sample_count, sizeof *loaded->samples, compare_times);
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
    for (size_t i = 0; i < loaded->sample_count; i++) {
        const sample *at = &loaded->samples[i];
        binprof_status status =
            binprof_writer_collect(writer, at->thread, loaded->frames + at->frames, at->depth,
                                   at->time_us, at->status, error);
        if (status != BINPROF_OK)
            return status;
    }
    return BINPROF_OK;
}

/* Interns the frames of a sample from their texts, as far as the writer keeps them. */
static binprof_status intern_texts(const loaded_samples *loaded, const sample *at,
                                   binprof_profile *profile, uint32_t *ids, uint32_t *depth,
                                   binprof_error *error)
{
    const binprof_profile *texts = loaded->profile;
    *depth = at->depth < BINPROF_WRITER_MAX_DEPTH ? at->depth : BINPROF_WRITER_MAX_DEPTH;
    for (uint32_t i = 0; i < *depth; i++) {
        binprof_frame frame = binprof_profile_frame(texts, loaded->frames[at->frames + i]);
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
    for (size_t i = 0; i < loaded->sample_count; i++) {
        const sample *at = &loaded->samples[i];
        binprof_thread id = binprof_profile_thread(loaded->profile, at->thread);
        uint32_t ids[BINPROF_WRITER_MAX_DEPTH];
        uint32_t depth;
        uint32_t thread;
        binprof_status status =
            binprof_profile_intern_thread(profile, id.thread_id, id.interpreter_id, &thread, error);
        if (status == BINPROF_OK)
            status = intern_texts(loaded, at, profile, ids, &depth, error);
        if (status == BINPROF_OK)
            status =
                binprof_writer_collect(writer, thread, ids, depth, at->time_us, at->status, error);
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
