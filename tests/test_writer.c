/* Writing captures: what is read back is what was written. */
#include "writer/writer.h"

#include "support/recorder.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A small generator of numbers, the same on every machine. */
static uint32_t next_random(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33);
}

static uint32_t below(uint64_t *random, uint32_t limit)
{
    return next_random(random) % limit;
}

/* What a generated sequence is made of. */
typedef struct sequence_shape {
    uint32_t threads;
    uint32_t frames;
    uint32_t deepest;
    uint32_t samples;
    uint32_t repeat_percent;
    bool extremes;
} sequence_shape;

static sequence_shape random_shape(uint64_t *random)
{
    static const uint32_t depths[] = {1, 3, 20, 255, 256, 257, 300};
    return (sequence_shape){.threads = 1 + below(random, below(random, 4) == 0 ? 50 : 3),
                            .frames = 1 + below(random, below(random, 2) == 0 ? 5 : 400),
                            .deepest = depths[below(random, 7)],
                            .samples = below(random, 200),
                            .repeat_percent = below(random, 100),
                            .extremes = below(random, 3) == 0};
}

static void intern_frames(binprof_profile *profile, const sequence_shape *shape, uint64_t *random)
{
    static const int32_t extremes[] = {INT32_MIN, INT32_MAX, 0, -2, 1};
    binprof_error error;
    for (uint32_t i = 0; i < shape->frames; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "name%u", below(random, shape->frames));
        binprof_frame frame = {.line = (int32_t)i, .end_line = (int32_t)i + 1, .opcode = 255};
        uint32_t id;
        assert_int_equal(
            binprof_profile_intern_string(profile, name, strlen(name), &frame.filename, &error),
            BINPROF_OK);
        assert_int_equal(binprof_profile_intern_string(profile, name, 4, &frame.function, &error),
                         BINPROF_OK);
        if (shape->extremes) {
            frame.line = extremes[below(random, 5)];
            frame.end_line = extremes[below(random, 5)];
            frame.column = extremes[below(random, 5)];
            frame.end_column = extremes[below(random, 5)];
            frame.opcode = (uint8_t)below(random, 256);
        }
        assert_int_equal(binprof_profile_intern_frame(profile, &frame, &id, &error), BINPROF_OK);
    }
    for (uint32_t i = 0; i < shape->threads; i++) {
        uint32_t id;
        uint64_t thread_id = shape->extremes && i == 0 ? UINT64_MAX : 1000 + i / 2;
        assert_int_equal(
            binprof_profile_intern_thread(profile, thread_id, i % 2 * UINT32_MAX, &id, &error),
            BINPROF_OK);
    }
}

/* Moves a stack, innermost first, a little: like code that returns and calls. */
static size_t change_stack(uint32_t *frames, size_t depth, const sequence_shape *shape,
                           uint32_t known, uint64_t *random)
{
    size_t pop = below(random, 4) == 0 ? depth : below(random, (uint32_t)depth + 1) / 3;
    size_t left = depth - pop;
    size_t push = below(random, below(random, 3) == 0 ? shape->deepest + 1 : 4);
    if (left + push > shape->deepest)
        push = shape->deepest > left ? shape->deepest - left : 0;
    memmove(frames + push, frames + pop, left * sizeof *frames);
    for (size_t i = 0; i < push; i++)
        frames[i] = below(random, known);
    return left + push;
}

/* The stack of these frames in the profile, of which a capture keeps the innermost 256. */
static uint32_t intern_stack(binprof_profile *profile, const uint32_t *frames, size_t depth)
{
    if (depth > BINPROF_WRITER_MAX_DEPTH)
        depth = BINPROF_WRITER_MAX_DEPTH;
    uint32_t stack = BINPROF_EMPTY_STACK;
    while (depth-- > 0)
        assert_int_equal(binprof_profile_intern_stack(profile, stack, frames[depth], &stack, NULL),
                         BINPROF_OK);
    return stack;
}

static void remember(sample_recorder *expected, uint32_t thread, uint32_t stack, uint64_t time_us,
                     uint8_t status)
{
    binprof_run run = {thread, stack, 1, &time_us, &status};
    assert_int_equal(expected->base.operations->collect(&expected->base, &run, NULL), BINPROF_OK);
}

static binprof_writer *open_writer(const char *path, const binprof_profile *profile,
                                   binprof_compression compression)
{
    binprof_writer_options options = binprof_writer_options_default();
    options.compression = compression;
    options.facts.start_us = 5000;
    binprof_output output = {.path = path};
    binprof_writer *writer;
    binprof_error error;
    if (binprof_writer_open(&output, profile, &options, &writer, &error) != BINPROF_OK)
        fail_msg("%s", error.message);
    return writer;
}

static uint64_t next_time(uint64_t time_us, const sequence_shape *shape, uint64_t *random)
{
    uint32_t kind = below(random, 20);
    if (shape->extremes && kind == 0)
        return UINT64_MAX - below(random, 3);
    if (shape->extremes && kind == 1)
        return below(random, 3);
    if (kind == 2)
        return time_us - below(random, 1000);
    return time_us + below(random, 3000);
}

/* Writes a generated sequence one sample at a time, and as runs to a second file. */
static void write_sequence(uint64_t seed, sample_recorder *expected, const char *path,
                           const char *path_of_runs, binprof_compression compression)
{
    uint64_t random = seed;
    sequence_shape shape = random_shape(&random);
    binprof_profile *profile = expected->profile;
    intern_frames(profile, &shape, &random);
    uint32_t known = binprof_profile_frame_count(profile);
    uint32_t threads = binprof_profile_thread_count(profile);
    binprof_writer *single = open_writer(path, profile, compression);
    binprof_writer *runs = open_writer(path_of_runs, profile, compression);
    uint32_t(*stacks)[300] = calloc(threads, sizeof *stacks);
    size_t *depths = calloc(threads, sizeof *depths);
    uint64_t time_us = 5000;
    binprof_error error;
    for (uint32_t i = 0; i < shape.samples; i++) {
        uint32_t thread = below(&random, threads);
        if (below(&random, 100) >= shape.repeat_percent)
            depths[thread] = change_stack(stacks[thread], depths[thread], &shape, known, &random);
        time_us = next_time(time_us, &shape, &random);
        uint8_t status = (uint8_t)below(&random, 256);
        assert_int_equal(binprof_writer_collect(single, thread, stacks[thread], depths[thread],
                                                time_us, status, &error),
                         BINPROF_OK);
        uint32_t stack = intern_stack(profile, stacks[thread], depths[thread]);
        binprof_run run = {thread, stack, 1, &time_us, &status};
        assert_int_equal(binprof_writer_collect_run(runs, &run, &error), BINPROF_OK);
        remember(expected, thread, stack, time_us, status);
    }
    assert_int_equal(binprof_writer_finish(single, &error), BINPROF_OK);
    assert_int_equal(binprof_writer_finish(runs, &error), BINPROF_OK);
    assert_int_equal(binprof_writer_total_samples(single), shape.samples);
    binprof_writer_close(single);
    binprof_writer_close(runs);
    free(stacks);
    free(depths);
}

static void assert_same_file(const char *a, const char *b)
{
    size_t a_size;
    size_t b_size;
    char *a_bytes = read_file(a, &a_size);
    char *b_bytes = read_file(b, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a_bytes, b_bytes, a_size);
    free(a_bytes);
    free(b_bytes);
}

/* A writer may put the samples of different threads in another order, since repeats wait. */
static int by_thread(const void *a, const void *b)
{
    const recorded_sample *left = a;
    const recorded_sample *right = b;
    if (left->thread_id != right->thread_id)
        return left->thread_id < right->thread_id ? -1 : 1;
    if (left->interpreter_id != right->interpreter_id)
        return left->interpreter_id < right->interpreter_id ? -1 : 1;
    return 0;
}

/* A stable sort: qsort need not be one. */
static void sort_by_thread(sample_recorder *recorder)
{
    for (size_t i = 1; i < recorder->count; i++)
        for (size_t j = i; j > 0 && by_thread(&recorder->samples[j - 1], &recorder->samples[j]) > 0;
             j--) {
            recorded_sample swapped = recorder->samples[j];
            recorder->samples[j] = recorder->samples[j - 1];
            recorder->samples[j - 1] = swapped;
        }
}

/* Unknown places are all that a capture cannot tell apart, and sequences here have none. */
static void sequences_come_back(binprof_compression compression, uint64_t first, uint64_t count)
{
    char path[300];
    char path_of_runs[300];
    (void)snprintf(path, sizeof path, "%s", temporary_path("single.bin"));
    (void)snprintf(path_of_runs, sizeof path_of_runs, "%s", temporary_path("runs.bin"));
    for (uint64_t seed = first; seed < first + count; seed++) {
        sample_recorder expected;
        sample_recorder found;
        recorder_init(&expected, BINPROF_PROFILE_DEFAULT);
        recorder_init(&found, BINPROF_PROFILE_DEFAULT);
        write_sequence(seed, &expected, path, path_of_runs, compression);
        assert_same_file(path, path_of_runs);
        recorder_replay_file(&found, path);
        sort_by_thread(&expected);
        sort_by_thread(&found);
        recorder_assert_equal(&expected, &found);
        recorder_free(&expected);
        recorder_free(&found);
    }
    (void)unlink(path);
    (void)unlink(path_of_runs);
}

static void generated_sequences_come_back(void **state)
{
    (void)state;
    sequences_come_back(BINPROF_COMPRESSION_NONE, 1, 1000);
    sequences_come_back(BINPROF_COMPRESSION_AUTO, 5000, 100);
}

/* A profile with three frames and two threads. */
static binprof_profile *small_profile(void)
{
    binprof_profile *profile = binprof_profile_new(BINPROF_PROFILE_DEFAULT);
    uint32_t id;
    assert_int_equal(binprof_profile_intern_line(profile, "a", "f", 1, &id, NULL), BINPROF_OK);
    assert_int_equal(binprof_profile_intern_line(profile, "a", "g", 2, &id, NULL), BINPROF_OK);
    assert_int_equal(binprof_profile_intern_line(profile, "b", "h", 3, &id, NULL), BINPROF_OK);
    assert_int_equal(binprof_profile_intern_thread(profile, 7, 0, &id, NULL), BINPROF_OK);
    assert_int_equal(binprof_profile_intern_thread(profile, 8, 0, &id, NULL), BINPROF_OK);
    return profile;
}

static void long_repeats_are_cut_where_cpython_cuts_them(void **state)
{
    (void)state;
    const char *path = temporary_path("repeats.bin");
    binprof_profile *profile = small_profile();
    binprof_writer *writer = open_writer(path, profile, BINPROF_COMPRESSION_NONE);
    const uint32_t frame = 0;
    for (uint64_t i = 0; i < 20001; i++)
        assert_int_equal(binprof_writer_collect(writer, 0, &frame, 1, 5000 + i, 1, NULL),
                         BINPROF_OK);
    assert_int_equal(binprof_writer_finish(writer, NULL), BINPROF_OK);
    binprof_encoding encoding;
    binprof_writer_stats(writer, &encoding);
    assert_int_equal(encoding.repeat_records, 3);
    assert_int_equal(encoding.repeat_samples, 20000);
    assert_int_equal(encoding.full_records, 1);
    assert_int_equal(encoding.frames_saved, 20000);
    binprof_writer_close(writer);

    binprof_reader *reader;
    binprof_records *records;
    const binprof_record *record;
    assert_int_equal(binprof_reader_open(path, &reader, NULL), BINPROF_OK);
    assert_int_equal(binprof_records_open(reader, &records, NULL), BINPROF_OK);
    assert_int_equal(binprof_records_next(records, &record, NULL), BINPROF_OK);
    assert_int_equal(record->kind, BINPROF_RECORD_FULL);
    assert_int_equal(binprof_records_next(records, &record, NULL), BINPROF_OK);
    assert_int_equal(record->sample_count, 8187);
    binprof_records_close(records);
    binprof_reader_close(reader);
    binprof_profile_free(profile);
    (void)unlink(path);
}

static void options_are_recorded(void **state)
{
    (void)state;
    const char *path = temporary_path("options.bin");
    binprof_profile *profile = small_profile();
    binprof_writer_options options = {.facts = {.interval_us = 250,
                                                .start_us = 99,
                                                .python = {3, 16, 1},
                                                .mode = BINPROF_MODE_ALL,
                                                .has_features = true,
                                                .features = BINPROF_FEATURE_NATIVE},
                                      .compression = BINPROF_COMPRESSION_NONE};
    binprof_output output = {.path = path, .sync = true};
    binprof_writer *writer;
    assert_int_equal(binprof_writer_open(&output, profile, &options, &writer, NULL), BINPROF_OK);
    binprof_statistics statistics = {true, 2.5, 400, true, 1.5, false, 0};
    binprof_writer_set_statistics(writer, &statistics);
    assert_int_equal(binprof_writer_finish(writer, NULL), BINPROF_OK);
    binprof_writer_close(writer);

    binprof_reader *reader;
    assert_int_equal(binprof_reader_open(path, &reader, NULL), BINPROF_OK);
    const binprof_facts *facts = &binprof_reader_info(reader)->facts;
    assert_int_equal(facts->interval_us, 250);
    assert_int_equal(facts->start_us, 99);
    assert_memory_equal(facts->python, "\3\20\1", 3);
    assert_int_equal(facts->mode, BINPROF_MODE_ALL);
    assert_int_equal(facts->features, BINPROF_FEATURE_NATIVE);
    assert_true(facts->statistics.duration_s == 2.5 && facts->statistics.failed_percent == 1.5);
    assert_false(facts->statistics.has_missed);
    binprof_reader_close(reader);
    binprof_profile_free(profile);
    (void)unlink(path);
}

static void what_a_writer_refuses(void **state)
{
    (void)state;
    binprof_profile *profile = small_profile();
    binprof_writer_options options = binprof_writer_options_default();
    binprof_output output = {.path = temporary_path("refused.bin")};
    binprof_writer *writer;
    binprof_error error;
    options.level = 20;
    assert_int_equal(binprof_writer_open(&output, profile, &options, &writer, &error),
                     BINPROF_ERROR_ARGUMENT);
    options.level = 0;
    options.facts.mode = 7;
    assert_int_equal(binprof_writer_open(&output, profile, &options, &writer, &error),
                     BINPROF_ERROR_ARGUMENT);
#ifndef BINPROF_WITH_ZSTD
    options.facts.mode = 0;
    options.compression = BINPROF_COMPRESSION_ZSTD;
    assert_int_equal(binprof_writer_open(&output, profile, &options, &writer, &error),
                     BINPROF_ERROR_UNSUPPORTED);
#endif
    binprof_output no_directory = {.path = "/no/such/directory/file.bin"};
    assert_int_equal(binprof_writer_open(&no_directory, profile, NULL, &writer, &error),
                     BINPROF_ERROR_IO);

    int ends[2];
    assert_int_equal(pipe(ends), 0);
    binprof_output pipe_output = {.fd = ends[1], .name = "pipe"};
    assert_int_equal(binprof_writer_open(&pipe_output, profile, NULL, &writer, &error),
                     BINPROF_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "pipe: cannot seek"));
    (void)close(ends[0]);
    (void)close(ends[1]);

    int fd = open(output.path, O_RDWR | O_CREAT | O_APPEND, 0600);
    binprof_output append_output = {.fd = fd};
    assert_int_equal(binprof_writer_open(&append_output, profile, NULL, &writer, &error),
                     BINPROF_ERROR_ARGUMENT);
    (void)close(fd);
    (void)unlink(output.path);

    writer = open_writer(output.path, profile, BINPROF_COMPRESSION_NONE);
    uint32_t frame = 3;
    assert_int_equal(binprof_writer_collect(writer, 0, &frame, 1, 1, 0, &error),
                     BINPROF_ERROR_ARGUMENT);
    assert_int_equal(binprof_writer_collect(writer, 2, NULL, 0, 1, 0, &error),
                     BINPROF_ERROR_ARGUMENT);
    uint8_t status = 0;
    binprof_run run = {0, 99, 1, NULL, &status};
    assert_int_equal(binprof_writer_collect_run(writer, &run, &error), BINPROF_ERROR_ARGUMENT);
    assert_int_equal(binprof_writer_total_samples(writer), 0);
    binprof_writer_close(writer);
    binprof_profile_free(profile);
}

static void a_full_table_leaves_a_capture_to_finish(void **state)
{
    (void)state;
    const char *path = temporary_path("limit.bin");
    binprof_profile *profile = small_profile();
    binprof_writer *writer = open_writer(path, profile, BINPROF_COMPRESSION_NONE);
    writer->encoder.tables.limit = 3; /* a, f, g: no room for b and h */
    binprof_error error;
    const uint32_t frames[] = {0, 1, 2};
    assert_int_equal(binprof_writer_collect(writer, 0, frames, 2, 6000, 1, &error), BINPROF_OK);
    assert_int_equal(binprof_writer_collect(writer, 1, frames, 3, 6000, 1, &error),
                     BINPROF_ERROR_LIMIT);
    assert_int_equal(binprof_writer_collect(writer, 0, frames, 1, 7000, 1, &error), BINPROF_OK);
    assert_int_equal(binprof_writer_finish(writer, &error), BINPROF_OK);
    binprof_writer_close(writer);
    sample_recorder found;
    recorder_init(&found, BINPROF_PROFILE_DEFAULT);
    recorder_replay_file(&found, path);
    assert_int_equal(found.count, 2);
    recorder_free(&found);
    binprof_profile_free(profile);
    (void)unlink(path);
}

static void an_unfinished_capture_leaves_nothing(void **state)
{
    (void)state;
    char directory[256];
    char target[300];
    char link_name[300];
    (void)snprintf(directory, sizeof directory, "%s", temporary_path("directory"));
    assert_int_equal(mkdir(directory, 0700), 0);
    (void)snprintf(target, sizeof target, "%s/target.bin", directory);
    (void)snprintf(link_name, sizeof link_name, "%s/link.bin", directory);
    binprof_profile *profile = small_profile();
    binprof_writer_close(open_writer(target, profile, BINPROF_COMPRESSION_AUTO));
    assert_int_equal(access(target, F_OK), -1);

    FILE *file = fopen(target, "w");
    assert_non_null(file);
    (void)fputs("before", file);
    (void)fclose(file);
    assert_int_equal(chmod(target, 0640), 0);
    assert_int_equal(symlink("target.bin", link_name), 0);
    binprof_writer_close(open_writer(link_name, profile, BINPROF_COMPRESSION_AUTO));
    size_t size;
    char *bytes = read_file(target, &size);
    assert_string_equal(bytes, "before");
    free(bytes);

    binprof_writer *writer = open_writer(link_name, profile, BINPROF_COMPRESSION_AUTO);
    assert_int_equal(binprof_writer_finish(writer, NULL), BINPROF_OK);
    binprof_writer_close(writer);
    struct stat status;
    assert_int_equal(lstat(link_name, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(target, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    sample_recorder found;
    recorder_init(&found, BINPROF_PROFILE_DEFAULT);
    recorder_replay_file(&found, target);
    assert_int_equal(found.count, 0);
    recorder_free(&found);

    assert_int_equal(unlink(target), 0);
    assert_int_equal(unlink(link_name), 0);
    assert_int_equal(rmdir(directory), 0); /* nothing else was left in it */
    binprof_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_sequences_come_back),
        cmocka_unit_test(long_repeats_are_cut_where_cpython_cuts_them),
        cmocka_unit_test(options_are_recorded),
        cmocka_unit_test(what_a_writer_refuses),
        cmocka_unit_test(a_full_table_leaves_a_capture_to_finish),
        cmocka_unit_test(an_unfinished_capture_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
