/* Opening, reading and replaying captures. */
#include "support/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define CAPTURES TESTS_DIRECTORY "/captures/"

static binprof_reader *open_capture(const char *path)
{
    binprof_error error;
    binprof_reader *reader;
    if (binprof_reader_open(path, &reader, &error) != BINPROF_OK)
        fail_msg("%s", error.message);
    return reader;
}

static void facts_are_known_without_samples(void **state)
{
    (void)state;
    binprof_reader *reader = open_capture(CAPTURES "cpu-all.bin");
    const binprof_info *info = binprof_reader_info(reader);
    assert_int_equal(info->version, 1);
    assert_int_equal(info->revision, BINPROF_REVISION_WIDE);
    assert_false(info->big_endian);
    assert_true(info->zstd);
    assert_int_equal(info->sample_count, 0x77f);
    assert_int_equal(info->thread_count, 4);
    assert_int_equal(info->facts.interval_us, 1000);
    assert_int_equal(info->facts.mode, BINPROF_MODE_CPU);
    assert_true(info->facts.has_features);
    assert_int_equal(info->facts.features, BINPROF_FEATURE_ALL_THREADS | BINPROF_FEATURE_GC);
    assert_memory_equal(info->facts.python, "\3\17\2", 3);
    assert_true(info->facts.statistics.present);
    assert_int_equal(info->statistics_size, 56);
    assert_int_equal(info->file_size, 11380);
    binprof_reader_close(reader);
}

static void a_capture_in_memory_or_behind_a_descriptor(void **state)
{
    (void)state;
    sample_recorder file;
    recorder_init(&file, BINPROF_PROFILE_DEFAULT);
    recorder_replay_file(&file, CAPTURES "edge-two.bin");
    assert_int_equal(file.count, 7);

    size_t size;
    char *bytes = read_file(CAPTURES "edge-two.bin", &size);
    binprof_reader *reader;
    binprof_error error;
    assert_int_equal(binprof_reader_open_memory(bytes, size, "memory", &reader, &error),
                     BINPROF_OK);
    sample_recorder memory;
    recorder_init(&memory, BINPROF_PROFILE_DEFAULT);
    recorder_replay(&memory, reader);
    recorder_assert_equal(&file, &memory);
    binprof_reader_close(reader);

    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, size), size);
    (void)close(ends[1]);
    assert_int_equal(binprof_reader_open_fd(ends[0], "pipe", &reader, &error), BINPROF_OK);
    sample_recorder piped;
    recorder_init(&piped, BINPROF_PROFILE_DEFAULT);
    recorder_replay(&piped, reader);
    recorder_assert_equal(&file, &piped);
    binprof_reader_close(reader);
    (void)close(ends[0]);

    recorder_free(&file);
    recorder_free(&memory);
    recorder_free(&piped);
    free(bytes);
}

static void variants_hold_the_same_samples(void **state)
{
    (void)state;
    static const char *const names[] = {"variant-big-endian.bin", "variant-frames-skippable.bin",
                                        "variant-gap.bin", "variant-narrow.bin"};
    sample_recorder original;
    recorder_init(&original, BINPROF_PROFILE_DEFAULT);
    recorder_replay_file(&original, CAPTURES "wall-main.bin");
    assert_int_equal(original.count, 1722);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s%s", CAPTURES, names[i]);
        sample_recorder variant;
        recorder_init(&variant, BINPROF_PROFILE_DEFAULT);
        recorder_replay_file(&variant, path);
        recorder_assert_equal(&original, &variant);
        recorder_free(&variant);
    }
    recorder_free(&original);
}

/* The samples again, from the records: what the reader must have made of them. */
static void records_agree_with_samples(void **state)
{
    (void)state;
    binprof_reader *reader = open_capture(CAPTURES "manythreads.bin");
    sample_recorder recorder;
    recorder_init(&recorder, BINPROF_PROFILE_KEEP_DUPLICATES);
    recorder_replay(&recorder, reader);
    binprof_encoding counted = {.samples = 0};
    binprof_records *records;
    binprof_error error;
    assert_int_equal(binprof_records_open(reader, &records, &error), BINPROF_OK);
    const binprof_record *record;
    size_t sample = 0;
    uint64_t last_offset = 0;
    uint32_t frames[1000];
    while (binprof_records_next(records, &record, &error) == BINPROF_OK && record != NULL) {
        assert_true(record->first_sample > 0 || record->index == 0 || record->offset > last_offset);
        last_offset = record->offset;
        if (record->kind == BINPROF_RECORD_REPEAT)
            counted.repeat_records += record->first_sample == 0;
        else if (record->kind == BINPROF_RECORD_FULL)
            counted.full_records++;
        for (size_t i = 0; i < record->piece_length; i++, sample++) {
            assert_true(recorder.samples[sample].thread_id == record->thread_id);
            assert_int_equal(recorder.samples[sample].status, record->statuses[i]);
        }
        size_t depth =
            recorder_frames(recorder.profile, recorder.samples[sample - 1].stack, frames, 1000);
        assert_true(depth >= record->frame_count);
        assert_memory_equal(frames, record->frames, record->frame_count * sizeof *frames);
    }
    assert_int_equal(sample, recorder.count);
    assert_int_equal(sample, binprof_reader_info(reader)->sample_count);
    assert_int_equal(counted.repeat_records, binprof_reader_encoding(reader)->repeat_records);
    assert_int_equal(counted.full_records, binprof_reader_encoding(reader)->full_records);
    binprof_records_close(records);
    binprof_reader_close(reader);
    recorder_free(&recorder);
}

typedef struct progress_log {
    uint64_t calls;
    uint64_t done;
    uint64_t total;
    uint64_t stop_at;
} progress_log;

static bool log_progress(void *context, uint64_t done, uint64_t total)
{
    progress_log *log = context;
    assert_true(done >= log->done);
    assert_true(done <= total);
    log->calls++;
    log->done = done;
    log->total = total;
    return log->calls != log->stop_at;
}

static void progress_reaches_the_end_and_can_cancel(void **state)
{
    (void)state;
    binprof_reader *reader = open_capture(CAPTURES "large.bin");
    sample_recorder recorder;
    recorder_init(&recorder, BINPROF_PROFILE_DEFAULT);
    progress_log log = {.calls = 0};
    binprof_replay_options options = {log_progress, &log};
    binprof_error error;
    assert_int_equal(
        binprof_reader_replay(reader, recorder.profile, &recorder.base, &options, &error),
        BINPROF_OK);
    assert_true(log.calls > 5);
    assert_true(log.done == log.total && log.total == binprof_reader_info(reader)->data_size);

    log = (progress_log){.stop_at = 2};
    assert_int_equal(
        binprof_reader_replay(reader, recorder.profile, &recorder.base, &options, &error),
        BINPROF_ERROR_CANCELLED);
    assert_int_equal(log.calls, 2);
    binprof_reader_close(reader);
    recorder_free(&recorder);
}

static void copy_file(const char *from, const char *to, size_t size)
{
    size_t all;
    char *bytes = read_file(from, &all);
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size < all ? size : all, file), size < all ? size : all);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

static void a_file_that_shrinks_is_an_error(void **state)
{
    (void)state;
    const char *path = temporary_path("shrinks.bin");
    copy_file(CAPTURES "wall-all.bin", path, SIZE_MAX);
    binprof_reader *reader = open_capture(path);
    assert_int_equal(truncate(path, 5000), 0);
    sample_recorder recorder;
    recorder_init(&recorder, BINPROF_PROFILE_DEFAULT);
    binprof_error error;
    assert_int_equal(binprof_reader_replay(reader, recorder.profile, &recorder.base, NULL, &error),
                     BINPROF_ERROR_TRUNCATED);
    assert_non_null(strstr(error.message, "truncated while it was read"));
    binprof_reader_close(reader);
    recorder_free(&recorder);
    (void)unlink(path);
}

static void files_cut_short_say_so(void **state)
{
    (void)state;
    const char *path = temporary_path("cut.bin");
    static const size_t sizes[] = {0, 3, 63, 95, 5000, 27969, 29000, 29926};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        copy_file(CAPTURES "wall-all.bin", path, sizes[i]);
        binprof_reader *reader;
        binprof_error error;
        assert_int_equal(binprof_reader_open(path, &reader, &error),
                         sizes[i] == 3 ? BINPROF_ERROR_FORMAT : BINPROF_ERROR_TRUNCATED);
        assert_null(reader);
        if (sizes[i] != 3)
            assert_non_null(strstr(error.message, "truncated"));
        assert_ptr_equal(strstr(error.message, path), error.message);
    }
    (void)unlink(path);
}

static void what_cannot_be_opened(void **state)
{
    (void)state;
    binprof_reader *reader;
    binprof_error error;
    assert_int_equal(binprof_reader_open("/no/such/file", &reader, &error), BINPROF_ERROR_IO);
    assert_int_equal(error.system_error, ENOENT);
    assert_int_equal(binprof_reader_open(TESTS_DIRECTORY, &reader, &error), BINPROF_ERROR_IO);
    assert_int_equal(error.system_error, EISDIR);
    assert_int_equal(binprof_reader_open_memory("", 0, "m", &reader, NULL),
                     BINPROF_ERROR_TRUNCATED);
    assert_int_equal(binprof_reader_open(TESTS_DIRECTORY "/CMakeLists.txt", &reader, &error),
                     BINPROF_ERROR_FORMAT);
}

/* Replays into a collector that is not looked at; the first failure counts. */
static binprof_status try_to_read(const char *path, binprof_error *error)
{
    binprof_reader *reader;
    binprof_status status = binprof_reader_open(path, &reader, error);
    if (status != BINPROF_OK)
        return status;
    sample_recorder recorder;
    recorder_init(&recorder, BINPROF_PROFILE_DEFAULT);
    status = binprof_reader_replay(reader, recorder.profile, &recorder.base, NULL, error);
    recorder_free(&recorder);
    binprof_reader_close(reader);
    return status;
}

/* The third line of a bad vector's text: "error KIND at PLACE". */
static binprof_status expected_status(const char *text)
{
    const char *kind = strstr(text, "\nerror ");
    assert_non_null(kind);
    kind += strlen("\nerror ");
    if (strncmp(kind, "truncated ", 10) == 0)
        return BINPROF_ERROR_TRUNCATED;
    if (strncmp(kind, "unsupported ", 12) == 0)
        return BINPROF_ERROR_UNSUPPORTED;
    assert_int_equal(strncmp(kind, "format ", 7), 0);
    return BINPROF_ERROR_FORMAT;
}

static void bad_vectors_are_rejected_as_they_say(void **state)
{
    (void)state;
    DIR *directory = opendir(SPEC_DIRECTORY "/vectors");
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *ending = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, "bad-", 4) != 0 || strcmp(ending, ".txt") != 0)
            continue;
        char path[512];
        size_t size;
        (void)snprintf(path, sizeof path, "%s/vectors/%s", SPEC_DIRECTORY, entry->d_name);
        char *text = read_file(path, &size);
        memcpy(strrchr(path, '.'), ".bin", 4);
        binprof_error error;
        binprof_status status = try_to_read(path, &error);
        if (status != expected_status(text))
            fail_msg("%s: status %d: %s", path, status, error.message);
        assert_int_equal(error.code, status);
        assert_ptr_equal(strstr(error.message, path), error.message);
        free(text);
        count++;
    }
    (void)closedir(directory);
    assert_true(count > 80);
}

static void the_same_reader_replays_again(void **state)
{
    (void)state;
    binprof_reader *reader = open_capture(CAPTURES "wall-all.bin");
    sample_recorder first;
    sample_recorder second;
    recorder_init(&first, BINPROF_PROFILE_DEFAULT);
    recorder_init(&second, BINPROF_PROFILE_DEFAULT);
    recorder_replay(&first, reader);
    recorder_replay(&second, reader);
    recorder_assert_equal(&first, &second);
    uint32_t stacks = binprof_profile_stack_count(first.profile);
    recorder_replay(&first, reader); /* into the same profile: nothing is new */
    assert_int_equal(binprof_profile_stack_count(first.profile), stacks);
    assert_int_equal(first.count, 2 * second.count);
    binprof_reader_close(reader);
    recorder_free(&first);
    recorder_free(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_known_without_samples),
        cmocka_unit_test(a_capture_in_memory_or_behind_a_descriptor),
        cmocka_unit_test(files_cut_short_say_so),
        cmocka_unit_test(what_cannot_be_opened),
#ifdef BINPROF_WITH_ZSTD
        cmocka_unit_test(variants_hold_the_same_samples),
        cmocka_unit_test(records_agree_with_samples),
        cmocka_unit_test(progress_reaches_the_end_and_can_cancel),
        cmocka_unit_test(a_file_that_shrinks_is_an_error),
        cmocka_unit_test(the_same_reader_replays_again),
        cmocka_unit_test(bad_vectors_are_rejected_as_they_say),
#endif
    };
#ifndef BINPROF_WITH_ZSTD
    (void)variants_hold_the_same_samples;
    (void)records_agree_with_samples;
    (void)progress_reaches_the_end_and_can_cancel;
    (void)a_file_that_shrinks_is_an_error;
    (void)the_same_reader_replays_again;
    (void)bad_vectors_are_rejected_as_they_say;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
